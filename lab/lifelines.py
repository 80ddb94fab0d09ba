"""One task as a score: its context above, the life of each of its facts below, on one axis.

The axis counts steps done: a step's messages arrive at its number, from 1, and so do its edits.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import accumulate
from typing import Any, NamedTuple

from lab.text import number, ordinal
from sim import Timeline
from sim.recall import FactTable

CARRIERS = ("verbatim", "restated", "summary", "notes", "disk", "archive")
WORD = 0.27
"""Part of the axis that a mark's word takes on a phone."""
MARKS = {
    "compaction": "compaction", "clear": "clear", "overflow": "overflow", "failed": "fails",
    "mask": "mask", "rework": "reads again", "read_back": "reads files",
}  # fmt: skip


class Life(NamedTuple):
    """One fact, read from the table of facts: its columns of that name."""

    step: int
    needed: bool
    fold: int
    lost_at: int
    restated_at: int
    summarised_at: int
    state: str
    cause: str | None


def lives_of(facts: FactTable) -> list[Life]:
    """Every fact of a table, in its order."""
    columns = [getattr(facts, name).tolist() for name in Life._fields[:-2]]
    return list(map(Life, *columns, facts.state_names(), facts.cause_names()))


def context_line(timeline: Timeline) -> dict[str, list[Any]]:
    """The context as a line with a drop at each edit: columns x and y."""
    x, y = [0], [int(timeline.read[0])]
    for step, (after, left) in enumerate(zip(timeline.after, timeline.left, strict=True)):
        x.append(step + 1)
        y.append(int(after))
        if left != after:
            x.append(step + 1)
            y.append(int(left))
    return {"x": x, "y": y}


def edit_marks(timeline: Timeline, top: float) -> dict[str, list[Any]]:
    """A mark for every edit, with its word where the words do not overlap."""
    columns: dict[str, list[Any]] = {
        name: [] for name in ("x", "top", "kind", "label", "label_x", "align")
    }
    steps = max(len(timeline.after), 1)
    free_from = 0.0
    for event in timeline.events:
        x = event.step + 1
        late = x > (1 - WORD) * steps
        columns["x"].append(x)
        columns["top"].append(top)
        columns["kind"].append(event.kind)
        begins = x - WORD * steps if late else x  # a late one stands to the left of its mark
        fits = begins >= free_from
        columns["label"].append(MARKS[event.kind] if fits else "")
        columns["label_x"].append(x)
        columns["align"].append("right" if late else "left")
        if fits:
            free_from = x + (0.01 if late else WORD) * steps
    return columns


def scores(timeline: Timeline) -> dict[str, dict[str, list[Any]]]:
    """Segments, births and deaths of the facts, a row each, for their sources."""
    end = len(timeline.after)
    segments: dict[str, list[Any]] = {name: [] for name in ("x0", "x1", "y", "carrier")}
    births: dict[str, list[Any]] = {name: [] for name in ("x", "y", "size")}
    deaths: dict[str, list[Any]] = {"x": [], "y": []}
    for row, life in enumerate(lives_of(timeline.facts)):
        born = life.step + 1
        if born > end:
            continue
        births["x"].append(born)
        births["y"].append(row)
        births["size"].append(9 if life.needed else 0)
        for carrier, start, stop in stations(life, end):
            segments["x0"].append(start)
            segments["x1"].append(stop)
            segments["y"].append(row)
            segments["carrier"].append(carrier)
        if life.state == "lost":
            deaths["x"].append(life.lost_at + 1)
            deaths["y"].append(row)
    return {"segments": segments, "births": births, "deaths": deaths}


def stations(life: Life, end: int) -> list[tuple[str, int, int]]:
    """The carriers of one fact in turn: (carrier, from, to) on the axis of steps done, which ends
    at ``end``."""
    is_seen = life.cause not in ("offloaded", "capped")
    moves = [("verbatim", life.step + 1)] if is_seen else []
    for carrier, at in (("restated", life.restated_at), ("summary", life.summarised_at)):
        if at >= 0:
            moves.append((carrier, at + 1))
    if life.lost_at >= 0:
        moves.append((life.state, life.lost_at + 1))
    ends = [start for _, start in moves[1:]] + [end]
    return [
        (carrier, start, stop)
        for (carrier, start), stop in zip(moves, ends, strict=True)
        if carrier != "lost"
    ]


def ending(life: Life) -> str:
    """What became of one fact, in words."""
    if life.cause is None:
        return {
            "unrevealed": "not revealed: the task failed before",
            "verbatim": "verbatim at the end",
            "restated": "restated by the assistant; its tool result is gone",
            "summary": f"in the summary since step {number(life.summarised_at + 1)}",
        }[life.state]
    how = {
        "truncated": "dropped by truncation",
        "cleared": "cleared with its tool result",
        "summarised": f"dropped by the {ordinal(life.fold)} summary",
        "overflow": "dropped in an overflow",
        "masked": "masked with the middle of its tool result",
        "offloaded": "offloaded with its tool result",
        "capped": "cut off with the end of its tool result",
    }[life.cause]
    where = f"{how} at step {number(life.lost_at + 1)}"
    if life.state == "lost":
        return f"lost: {where}{' and not read back' if life.cause == 'offloaded' else ''}"
    return {"notes": "in the notes", "disk": "on disk", "archive": "in the archive"}[
        life.state
    ] + f"; {where}"


def fact_texts(timeline: Timeline) -> list[str]:
    """What there is to say of each fact, by its row; nothing of one that was not revealed."""
    texts, end = [], len(timeline.after)
    for row, life in enumerate(lives_of(timeline.facts)):
        need = ", needed" if life.needed else ""
        told = f"Fact {row + 1}, from step {life.step + 1}{need}: {ending(life)}."
        texts.append(told if life.step < end else "")
    return texts


def step_texts(timeline: Timeline) -> list[str]:
    """What there is to say of each point of the axis, for the cursor."""
    end = len(timeline.after)
    changes = {name: [0] * (end + 1) for name in (*CARRIERS, "lost")}
    for life in lives_of(timeline.facts):
        if life.step >= end:
            continue
        carried = stations(life, end)
        for carrier, start, stop in carried:
            changes[carrier][start] += 1
            changes[carrier][stop] -= 1
        if life.state == "lost":
            changes["lost"][life.lost_at + 1] += 1
        else:
            changes[carried[-1][0]][end] += 1  # a life that goes on reaches beyond the axis
    counts = {name: list(accumulate(column)) for name, column in changes.items()}
    edits: dict[int, str] = defaultdict(str)
    for event in timeline.events:
        edits[event.step] += (
            f" Then {MARKS[event.kind]}: {number(event.before)} to {number(event.after)}."
        )
    texts = [f"Start: the first request reads {number(timeline.read[0])} tokens."]
    steps = zip(timeline.read.tolist(), timeline.after.tolist(), strict=False)
    for step, (read, after) in enumerate(steps):
        alive = {name: count[step + 1] for name, count in counts.items()}
        lost = alive.pop("lost")
        carried_by = ", ".join(f"{n} {name}" for name, n in alive.items() if n)
        gone = f", {lost} lost" if lost else ""
        texts.append(
            f"Step {step + 1}: reads {number(read)}, grows to {number(after)} tokens."
            f"{edits.get(step, '')} Facts: {carried_by or 'none'}{gone}."
        )
    return texts
