"""One task as a score: its context above, the life of each of its facts below, on one axis.

The axis counts steps done: a step's messages arrive at its number, from 1, and so do its edits.
"""

from __future__ import annotations

from typing import Any

from lab.text import number, ordinal
from sim import Timeline

CARRIERS = ("verbatim", "restated", "summary", "notes", "disk", "archive")
WORD = 0.27
"""Part of the axis that a mark's word takes on a phone."""
MARKS = {
    "compaction": "compaction", "clear": "clear", "overflow": "overflow", "failed": "fails",
    "mask": "mask", "rework": "reads again", "read_back": "reads files",
}  # fmt: skip


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


def lives(timeline: Timeline) -> dict[str, dict[str, list[Any]]]:
    """Segments, births and deaths of the facts, a row each, for their sources."""
    facts, end = timeline.facts, len(timeline.after)
    segments: dict[str, list[Any]] = {name: [] for name in ("x0", "x1", "y", "carrier")}
    births: dict[str, list[Any]] = {name: [] for name in ("x", "y", "size", "text")}
    deaths: dict[str, list[Any]] = {"x": [], "y": []}
    for row in range(len(facts)):
        born = int(facts.step[row]) + 1
        if born > end:
            continue
        births["x"].append(born)
        births["y"].append(row)
        births["size"].append(9 if facts.needed[row] else 0)
        need = ", needed" if facts.needed[row] else ""
        births["text"].append(f"Fact {row + 1}, from step {born}{need}: {ending(facts, row)}.")
        for carrier, start, stop in stations(timeline, row):
            segments["x0"].append(start)
            segments["x1"].append(stop)
            segments["y"].append(row)
            segments["carrier"].append(carrier)
        if facts.state_names()[row] == "lost":
            deaths["x"].append(int(facts.lost_at[row]) + 1)
            deaths["y"].append(row)
    return {"segments": segments, "births": births, "deaths": deaths}


def stations(timeline: Timeline, row: int) -> list[tuple[str, int, int]]:
    """The carriers of one fact in turn: (carrier, from, to) on the axis of steps done."""
    facts, end = timeline.facts, len(timeline.after)
    is_kept_out = facts.cause_names()[row] in ("offloaded", "capped")
    moves = [] if is_kept_out else [("verbatim", int(facts.step[row]) + 1)]
    for carrier, column in (("restated", facts.restated_at), ("summary", facts.summarised_at)):
        if column[row] >= 0:
            moves.append((carrier, int(column[row]) + 1))
    if facts.lost_at[row] >= 0:
        moves.append((facts.state_names()[row], int(facts.lost_at[row]) + 1))
    ends = [start for _, start in moves[1:]] + [end]
    return [
        (carrier, start, stop)
        for (carrier, start), stop in zip(moves, ends, strict=True)
        if carrier != "lost"
    ]


def ending(facts: Any, row: int) -> str:
    """What became of one fact, in words."""
    state = facts.state_names()[row]
    cause = facts.cause_names()[row]
    if cause is None:
        return {
            "unrevealed": "not revealed: the task failed before",
            "verbatim": "verbatim at the end",
            "restated": "restated by the assistant; its tool result is gone",
            "summary": f"in the summary since step {number(facts.summarised_at[row] + 1)}",
        }[state]
    how = {
        "truncated": "dropped by truncation",
        "cleared": "cleared with its tool result",
        "summarised": f"dropped by the {ordinal(int(facts.fold[row]))} summary",
        "overflow": "dropped in an overflow",
        "masked": "masked with the middle of its tool result",
        "offloaded": "offloaded with its tool result",
        "capped": "cut off with the end of its tool result",
    }[cause]
    where = f"{how} at step {number(facts.lost_at[row] + 1)}"
    if state == "lost":
        return f"lost: {where}{' and not read back' if cause == 'offloaded' else ''}"
    return {"notes": "in the notes", "disk": "on disk", "archive": "in the archive"}[state] + (
        f"; {where}"
    )


def step_texts(timeline: Timeline) -> list[str]:
    """What there is to say of each point of the axis, for the cursor."""
    end = len(timeline.after)
    alive = [dict.fromkeys(CARRIERS, 0) for _ in range(end + 1)]
    lost = [0] * (end + 1)
    facts = timeline.facts
    for row in range(len(facts)):
        is_lost = facts.state_names()[row] == "lost"
        for carrier, start, stop in stations(timeline, row):
            for x in range(start, stop):
                alive[x][carrier] += 1
        if is_lost:
            for x in range(int(facts.lost_at[row]) + 1, end + 1):
                lost[x] += 1
        elif facts.step[row] < end:
            alive[end][stations(timeline, row)[-1][0]] += 1
    texts = [f"Start: the first request reads {number(timeline.read[0])} tokens."]
    for step in range(end):
        edits = "".join(
            f" Then {MARKS[event.kind]}: {number(event.before)} to {number(event.after)}."
            for event in timeline.events
            if event.step == step
        )
        carried = ", ".join(f"{n} {name}" for name, n in alive[step + 1].items() if n)
        gone = f", {lost[step + 1]} lost" if lost[step + 1] else ""
        texts.append(
            f"Step {step + 1}: reads {number(timeline.read[step])}, "
            f"grows to {number(timeline.after[step])} tokens.{edits}"
            f" Facts: {carried or 'none'}{gone}."
        )
    return texts
