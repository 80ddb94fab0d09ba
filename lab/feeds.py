"""What the figures show: columns of their sources and properties of their models, by name.

All of it is plain data, as JSON has it: Python says what is new, and the page puts it in place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from lab import lifelines
from lab.session import Session, Visit
from lab.tables import causes, cost_names, visit_name
from lab.text import controls, dollars, number, percent, setting
from sim import Outcome

ROW_HEIGHT = 36
LOWEST_LABEL = 0.1
"""Part of the context's axis that a word under a line takes."""
LINE_WIDTHS = {"verbatim": 3, "restated": 2, "summary": 4.5}
LINE_DASHES = {"notes": "dotted", "disk": "dashed", "archive": "dashed"}
DENSE = 40
"""With more facts than this, their lines are half as wide."""

Named = Mapping[str, Mapping[str, Any]]


class Feed(TypedDict):
    """What is new, by the name of the source or model."""

    set: dict[str, Any]
    """Properties of models. They go first: a bar needs its row."""
    data: dict[str, Any]
    """The columns that a source now has."""
    more: dict[str, Any]
    """Rows for the end of a source's columns."""


class Feeds:
    """Remembers what the page has been told."""

    def __init__(self) -> None:
        self._told: dict[tuple[str, str], Any] = {}
        self._told_visits = 0

    def changes(self, session: Session) -> Feed:
        """What of a session's run is new since the last time."""
        data, properties = task_shown(session)
        for part in (causes_shown(session.run), costs_shown(session.run), visited_shown(session)):
            data, properties = data | part[0], properties | part[1]
        new = session.visits[self._told_visits :]
        self._told_visits = len(session.visits)
        return {**self.differing(data, properties), "more": {"visited": _rows(new)} if new else {}}

    def differing(self, data: Named, properties: Named) -> Feed:
        """Those of these columns and properties that are not as they were told."""

        def kept(kind: str, each: Named) -> dict[str, Any]:
            new = {name: v for name, v in each.items() if self._told.get((kind, name)) != v}
            self._told |= {(kind, name): v for name, v in new.items()}
            return new

        return {"set": kept("set", properties), "data": kept("data", data), "more": {}}


def task_shown(session: Session) -> tuple[dict[str, Any], dict[str, Any]]:
    """The context and the life lines of the task that is looked at."""
    line, policy = session.timeline, session.run.scenario.policy
    steps = max(len(line.after), 1)
    highest = max(int(line.after.max(initial=0)), policy.window)
    score = lifelines.scores(line)
    segments = score["segments"]
    dense = 0.5 if len(line.facts) > DENSE else 1
    segments["width"] = [dense * LINE_WIDTHS.get(each, 1.5) for each in segments["carrier"]]
    segments["dash"] = [LINE_DASHES.get(each, "solid") for each in segments["carrier"]]
    data = {
        "context": lifelines.context_line(line),
        "edits": lifelines.edit_marks(line, 1.1 * highest),
        **score,
    }
    fires, level = policy.strategy != "none", policy.trigger * policy.window
    words = [f"window {number(policy.window)}"]
    words += [f"trigger {setting(controls()['trigger'], policy.trigger)}"] if fires else []
    # Close to the axis there is no room below the trigger: both stand above the window.
    top = 1.2 * highest
    apart = level > LOWEST_LABEL * top
    return data, {
        "steps": {"start": 0, "end": 1.03 * steps},
        "context-y": {"start": 0, "end": top},
        "lives-y": {"start": max(len(line.facts), 4) - 0.3, "end": -0.9},
        "window": {"location": policy.window},
        "window-label": {"y": policy.window, "text": words[0] if apart else " · ".join(words)},
        "trigger": {"location": level, "visible": fires},
        "trigger-label": {"y": level, "text": words[-1], "visible": fires and apart},
    }


def causes_shown(run: Outcome) -> tuple[dict[str, Any], dict[str, Any]]:
    """What lost the needed facts."""
    lost = causes(run)
    return _bars("causes", {row: (count, number(count)) for row, count in lost.items()})


def costs_shown(run: Outcome) -> tuple[dict[str, Any], dict[str, Any]]:
    """Where the money goes. With caching, the requests are told apart: more rows, more room."""
    split = {cost_names()[key]: (cost, dollars(cost)) for key, cost in run.cost_split.items()}
    data, properties = _bars("costs", split)
    return data, {**properties, "costs": {"height": 18 + ROW_HEIGHT * len(split)}}


def _bars(
    name: str, rows: Mapping[str, tuple[float, str]]
) -> tuple[dict[str, Any], dict[str, Any]]:
    values, labels = [value for value, _ in rows.values()], [label for _, label in rows.values()]
    return {name: {"row": list(rows), "value": values, "label": labels}}, {
        f"{name}-x": {"end": 1.55 * max(max(values), 1e-9)},  # room for the figure after the bar
        f"{name}-y": {"factors": list(rows)[::-1]},
    }


def visited_shown(session: Session) -> tuple[dict[str, Any], dict[str, Any]]:
    """The run and the baseline among all settings visited."""
    now, baseline = session.run.tiles, session.baseline.tiles
    costs = [visit.cost for visit in session.visits] + [baseline["cost"].value]
    low, high = min(costs), max(costs)
    pad = max(0.08 * (high - low), 0.15 * high, 0.01)
    data = {}
    for name, tiles in (("now", now), ("baseline", baseline)):
        cost = tiles["cost"].value
        late = cost > low - pad + 0.75 * (high - low + 2 * pad)
        columns = {"cost": [cost], "success": [tiles["success"].value]}
        data[name] = {**columns, "name": [name], "align": ["right" if late else "left"]}
    return data, {
        "visited-x": {"start": low - pad, "end": high + pad},
        "visited-y": {"start": -0.06, "end": 1.08},
    }


def _rows(visits: list[Visit]) -> dict[str, Any]:
    return {
        "cost": [visit.cost for visit in visits],
        "success": [visit.success for visit in visits],
        "text": [
            f"{visit_name(visit)}: {percent(visit.success)} at {dollars(visit.cost)},"
            f" seed {visit.seed}."
            for visit in visits
        ],
    }
