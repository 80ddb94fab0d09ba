"""The previews that lie on the site: of every state that an embed is likely to be written for.

Those are every position of one slider, every pair of plain values of two controls, and each mission
with one of its controls moved. The rest is for the lab itself, which the embed then starts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from itertools import combinations
from typing import Any
from urllib.parse import urlencode

from lab.control import Control
from lab.preview import pieces, template
from lab.share import SITTING, as_text
from lab.state import DEFAULTS, LabState
from lab.text import controls
from missions import Mission, load
from sim import STRATEGIES, Scenario, ScenarioError, simulate

PLAIN = {
    "window": (16_000, 24_000, 32_000, 48_000, 96_000, 100_000, 128_000, 200_000),
    "trigger": (0.5, 0.6, 0.7, 0.9),
    "summary_budget": (500, 2_000, 4_000, 8_000),
    "keep_recent": (0, 2, 4, 8, 12),
}
"""What of a slider is likely to be combined with another control."""
SHELVES = 128
"""Files that the previews are spread over, so that each embed loads little."""


@cache
def scripts() -> dict[str, str]:
    """The scripts that hand them to ``embed.js``, by file name: one that finds, and the shelves.

    Pages of other hosts may load scripts as they are.
    """
    shelves: list[dict[str, tuple[str, ...]]] = [{} for _ in range(SHELVES)]
    for query, what in states().items():
        run = simulate(Scenario.from_dict(what["settings"]), seed=what["seed"], tasks=what["tasks"])
        shelves[shelf(query)][query] = pieces(run, run.timeline(0))
    site = json.dumps({"template": template(), "shelves": SHELVES, "starts": _starts()})
    finder = files("lab").joinpath("web", "previews.js").read_text(encoding="utf-8")
    return {"previews.js": f"{finder.rstrip()}({site});\n"} | {
        f"previews/{number}.js": f"Object.assign(labPreviews.known, {_compact(rows)});\n"
        for number, rows in enumerate(shelves)
    }


def shelf(query: str) -> int:
    """Number of the file that a state is in. ``web/previews.js`` calculates the same."""
    number = 0
    for character in query:
        number = (31 * number + ord(character)) % 65_536
    return number % SHELVES


def states() -> dict[str, dict[str, Any]]:
    """What to simulate, by query: in alphabetical order, without what is as at the start."""
    found = {"": _sitting(dict(DEFAULTS), None)}
    for changes in _changes():
        try:
            settings = Scenario.from_dict({**DEFAULTS, **changes}).to_dict()
        except ScenarioError:
            continue  # two plain values that do not go together
        found[_query(changes)] = _sitting(settings, None)
    for mission in load():
        start = mission.settings()
        found[_query({"mission": mission.id})] = _sitting(start, mission)
        for name, values in mission.open.items():
            for value in values:
                if value != start[name]:
                    query = _query({"mission": mission.id, name: value})
                    found[query] = _sitting(mission.settings({name: value}), mission)
    return found


def _changes() -> Iterator[dict[str, Any]]:
    """Settings of the free lab, one or two of them away from their defaults."""
    for control in controls().values():
        for value in _positions(control):
            yield {control.name: value}
    plain = {
        name: values
        for name, control in controls().items()
        if (values := PLAIN.get(name) or _positions(control))
    }
    for first, second in combinations(plain, 2):
        for one in plain[first]:
            for other in plain[second]:
                yield {first: one, second: other}


def _positions(control: Control) -> list[Any]:
    """What a control can be moved to from its default; none for a field, which takes anything."""
    default = DEFAULTS.get(control.name)
    if control.kind == "slider":
        count = round((control.high - control.low) / control.step)
        whole = isinstance(default, int)
        steps = [control.low + control.step * step for step in range(count + 1)]
        values: list[Any] = [int(value) if whole else round(value, 6) for value in steps]
    else:
        values = {"switch": [False, True], "choice": list(STRATEGIES)}.get(control.kind, [])
    return [value for value in values if value != default]


def _starts() -> dict[str, dict[str, str]]:
    """What a query leaves out, for the free lab ("") and for each mission, as a link writes it.

    A mission names only what it leaves open: the rest is locked, whatever a page asks for.
    """
    sitting = {name: LabState.param[name].default for name in SITTING}
    starts: dict[str, Mapping[str, Any]] = {"": {**DEFAULTS, **sitting}}
    for mission in load():
        settings = mission.settings()
        opened = {name: settings[name] for name in mission.open}
        starts[mission.id] = {**opened, "seed": mission.seed, "task": 0}
    return {
        name: {key: as_text(value) for key, value in start.items()}
        for name, start in starts.items()
    }


def _sitting(settings: Mapping[str, Any], mission: Mission | None) -> dict[str, Any]:
    seed, tasks = (LabState.param[name].default for name in ("seed", "tasks"))
    if mission:
        seed, tasks = mission.seed, mission.tasks
    return {"settings": settings, "seed": seed, "tasks": tasks}


def _query(parts: Mapping[str, Any]) -> str:
    return urlencode(sorted((name, as_text(value)) for name, value in parts.items()))


def _compact(rows: Mapping[str, Any]) -> str:
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
