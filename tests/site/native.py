"""What the page has to show, worked out without a browser."""

from __future__ import annotations

import re
from typing import Any

from lab.session import Session
from lab.state import LabState
from lab.views import readout
from sim import TILES as KEYS
from sim import Run, simulate


def run(seed: int = 1, tasks: int = 400, **settings: Any) -> Run:
    return simulate(settings, seed=seed, tasks=tasks)


def tiles(seed: int = 1, tasks: int = 400, **settings: Any) -> dict[str, float]:
    """The tiles' values of a setting."""
    return {key: run(seed, tasks, **settings).tiles[key].value for key in KEYS}


def session(
    seed: int = 1, tasks: int = 400, baseline: dict[str, Any] | None = None, **settings: Any
) -> Session:
    """A sitting that has pinned ``baseline`` and stands at ``settings``."""
    state = LabState(seed=seed, tasks=tasks, **(baseline or {}))
    made = Session(state)
    state.param.update(**{**LabState().settings(), **settings})
    made.update()
    return made


def baseline(made: Session) -> list[str]:
    """The lines that the page has to show for the baseline."""
    lines = re.findall("<li>(.*?)</li>", readout(made)["baseline"])
    return [re.sub("<[^>]*>", "", line) for line in lines]


def words(seed: int = 1, tasks: int = 400, **settings: Any) -> dict[str, Any]:
    """The readout of a setting whose baseline is the default."""
    return readout(session(seed, tasks, **settings))
