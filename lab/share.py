"""The lab's state as the query of a link, and back. A bad or an old link is repaired, and says so.

Settings go by their flat names, those of the baseline with ``base.`` before it; what is as it is
at the start, the defaults or a mission's setup, is left out. So a link stays short, and a new
setting does not change what an old link means.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode

from lab.controls import written
from lab.play import find
from lab.state import DEFAULTS, LabState
from missions import Mission
from sim import Scenario, ScenarioError, parse_setting, shown

VERSION = 1
BASELINE = "base."
SITTING = ("seed", "tasks", "task")
"""Parameters of a sitting that are no settings of a scenario."""
OF_THE_PAGE = ("theme", "tab", "embed", "controls", "charts", "unlock")
"""What a link asks of the page itself; the page's own scripts read it."""
OF_THE_TAB = "st."
"""Before the name of each setting of the state-tracking tab, which reads them itself."""
APPENDED = ("utm_", "fbclid", "gclid", "msclkid")
"""What other sites append to a link to count its readers; it is nothing to us."""
THEMES = ("light", "dark")
TABS = ("state-tracking",)
MOST_PARTS = 400


@dataclass(frozen=True, kw_only=True, slots=True)
class Link:
    """What a link asks for, complete: what it does not name is at its default."""

    settings: dict[str, Any]
    baseline: dict[str, Any]
    seed: int
    tasks: int
    task: int
    mission: Mission | None
    ignored: tuple[str, ...] = ()
    """A sentence for each part that was not taken."""


def to_query(state: LabState, baseline: Mapping[str, Any], mission: Mission | None = None) -> str:
    """The query of a link to this state, without its question mark."""
    start, sitting = _start(mission)
    parts: dict[str, str] = {"v": str(VERSION)}
    if mission:
        parts["mission"] = mission.id
    now = {**state.settings(), **{name: getattr(state, name) for name in SITTING}}
    at_start = {**start, **sitting}
    parts |= {name: as_text(value) for name, value in now.items() if value != at_start[name]}
    parts |= {
        BASELINE + name: as_text(value) for name, value in baseline.items() if value != start[name]
    }
    return urlencode(parts)


def _start(mission: Mission | None) -> tuple[dict[str, Any], dict[str, int]]:
    """What a link leaves out: settings, and seed, tasks and task."""
    sitting = {name: LabState.param[name].default for name in SITTING}
    if mission is None:
        return dict(DEFAULTS), sitting
    return mission.settings(), {**sitting, "seed": mission.seed, "tasks": mission.tasks}


def from_query(query: str) -> Link:
    """Read the query of a link. It never fails: what cannot be taken is named in ``ignored``."""
    ignored: list[str] = []
    try:
        parts = parse_qsl(
            query.removeprefix("?"), keep_blank_values=True, max_num_fields=MOST_PARTS
        )
    except ValueError:
        parts = []
        ignored.append(f"it has more than {MOST_PARTS} parts, so none was taken.")
    mission = _mission(parts, ignored)
    start, sitting = _start(mission)
    settings: dict[str, Any] = {}
    baseline: dict[str, Any] = {}
    for name, value in parts:
        try:
            if name == "v":
                _check_version(value)
            elif name == "mission":
                continue
            elif mission and _is_locked(mission, name):
                raise ScenarioError(f"{name} is locked in the mission {mission.title}.")
            elif name in SITTING:
                sitting[name] = _whole(name, value)
            elif name == "theme":
                _check_theme(value)
            elif name == "tab":
                _check_tab(value)
            elif name.startswith(BASELINE):
                _take(baseline, name.removeprefix(BASELINE), value)
            elif name not in OF_THE_PAGE and not name.startswith((OF_THE_TAB, *APPENDED)):
                _take(settings, name, value)
        except ScenarioError as error:
            ignored.append(str(error))
    if sitting["task"] >= sitting["tasks"]:
        ignored.append(
            f"task is {sitting['task']} but must be less than the number of tasks, "
            f"{sitting['tasks']}: the first is shown."
        )
        sitting["task"] = 0
    return Link(
        settings=_made_valid(start, settings, ignored),
        baseline=_made_valid(start, baseline, ignored),
        mission=mission,
        **sitting,
        ignored=tuple(ignored),
    )


def notice(ignored: tuple[str, ...]) -> str:
    """What of a link was ignored, as one text for the page; empty if nothing was."""
    if not ignored:
        return ""
    listed = " ".join(ignored[:3])
    more = f" And {len(ignored) - 3} more." if len(ignored) > 3 else ""
    return f"Not everything in this link could be used, and the rest was: {listed}{more}"


def as_text(value: Any) -> str:
    """The value of a setting as a link has it."""
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else written(value)


def _take(settings: dict[str, Any], name: str, text: str) -> None:
    if name not in DEFAULTS:
        raise ScenarioError(f"{shown(name)} is no setting of this lab.")
    settings[name] = parse_setting(name, text)


def _mission(parts: list[tuple[str, str]], ignored: list[str]) -> Mission | None:
    mission = None
    for name, value in parts:
        if name == "mission":
            try:
                mission = find(value)
            except ScenarioError as error:
                ignored.append(str(error))
    return mission


def _is_locked(mission: Mission, name: str) -> bool:
    return name == "tasks" or (name in DEFAULTS and not mission.is_open(name))


def _made_valid(
    start: dict[str, Any], settings: dict[str, Any], ignored: list[str]
) -> dict[str, Any]:
    """The start with these settings, without those that cannot be simulated together."""
    left = dict(settings)
    while True:
        try:
            return Scenario.from_dict({**start, **left}).all_settings()
        except ScenarioError as error:
            ignored.append(str(error))
            named = str(error).split(" ", 1)[0]  # a sentence begins with its field
            left.pop(named if named in left else next(reversed(left)))


def _whole(name: str, text: str) -> int:
    low, high = LabState.param[name].bounds
    try:
        value = int(text)
    except ValueError:
        value = low - 1
    if not low <= value <= high:
        raise ScenarioError(
            f"{name} is {shown(text)} but must be a whole number from {low:,} to {high:,}."
        )
    return value


def _check_version(text: str) -> None:
    if text != str(VERSION):
        raise ScenarioError(
            f"v is {shown(text)} but this lab writes version {VERSION}: what it knows was taken."
        )


def _check_theme(text: str) -> None:
    if text not in THEMES:
        raise ScenarioError(f"theme is {shown(text)} but must be light or dark.")


def _check_tab(text: str) -> None:
    if text not in TABS:
        raise ScenarioError(
            f"tab is {shown(text)} but must be {' or '.join(TABS)}: the first tab is shown."
        )
