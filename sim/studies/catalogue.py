"""The studies by name. A study's module is imported when it is asked for, never before."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from types import ModuleType

from sim.setting import check_name
from sim.studies.study import Study

STUDIES = (
    "cost_reversal", "avoid_or_execute", "regimes", "carriers", "real_agents", "crossover",
)  # fmt: skip
"""Each is the name of a module of this package with a ``TITLE`` and ``study(seed) -> Study``."""


def study_title(name: str) -> str:
    """The title of a study. Raises ScenarioError if there is no such study."""
    title: str = _module(name).TITLE
    return title


@cache
def run_study(name: str, seed: int = 1) -> Study:
    """A study with the figures of a seed. Raises ScenarioError if there is no such study, or no
    such seed."""
    result: Study = _module(name).study(seed=seed)
    return result


def _module(name: str) -> ModuleType:
    check_name(name, STUDIES, "study")
    return import_module(f"sim.studies.{name}")
