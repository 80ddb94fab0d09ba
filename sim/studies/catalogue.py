"""The studies by name. A study's module is imported when it is asked for, never before."""

from __future__ import annotations

import difflib
from importlib import import_module
from types import ModuleType

from sim.setting import ScenarioError, shown
from sim.studies.study import Study

STUDIES = ("cost_reversal", "avoid_or_execute", "regimes", "carriers")
"""Each is the name of a module of this package with a ``TITLE`` and ``study(seed) -> Study``."""


def study_title(name: str) -> str:
    """The title of a study. Raises ScenarioError if there is no such study."""
    title: str = _module(name).TITLE
    return title


def run_study(name: str, seed: int = 1) -> Study:
    """A study with the figures of a seed. Raises ScenarioError if there is no such study, or no
    such seed."""
    result: Study = _module(name).study(seed=seed)
    return result


def _module(name: str) -> ModuleType:
    if name not in STUDIES:
        close = difflib.get_close_matches(name, STUDIES, n=1)
        remedy = f"did you mean {close[0]}?" if close else f"use one of {', '.join(STUDIES)}."
        raise ScenarioError(f"{shown(name)} is not a study: {remedy}")
    return import_module(f"sim.studies.{name}")
