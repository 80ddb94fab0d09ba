"""The table behind every chart, as a fragment of HTML. Its cells are computed, and escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from lab import lifelines
from lab.session import Session, Visit
from lab.state import DEFAULTS, LabState
from lab.text import controls, dollars, number, percent, setting, text
from sim import Outcome

VISITED_ROWS = 500
"""The newest settings visited; a page with more rows than this is slow to lay out."""


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of texts. A row's first cell is its header."""
    columns = "".join(f"<th scope=col>{escape(cell)}</th>" for cell in head)
    body = "".join(
        f"<tr><th scope=row>{escape(first)}</th>"
        + "".join(f"<td>{escape(cell)}</td>" for cell in rest)
        + "</tr>"
        for first, *rest in rows
    )
    return f"<table><thead><tr>{columns}</tr></thead><tbody>{body}</tbody></table>"


def _context_table(session: Session) -> str:
    line = session.timeline
    done = [
        "; ".join(
            f"{event.kind}, {number(event.before)} to {number(event.after)}"
            for event in line.events
            if event.step == step
        )
        for step in range(len(line.after))
    ]
    rows = [
        [number(step + 1), number(line.read[step]), number(line.after[step]), what]
        for step, what in enumerate(done)
    ]
    if not line.failed:
        rows.append(["answer", number(line.read[-1]), "", ""])
    return table(["Step", "Request reads, tokens", "Context after it, tokens", "Then"], rows)


def _lives_table(session: Session) -> str:
    rows = [
        [
            number(index + 1),
            number(life.step + 1),
            "yes" if life.needed else "no",
            lifelines.ending(life),
        ]
        for index, life in enumerate(lifelines.lives_of(session.timeline.facts))
    ]
    return table(["Fact", "Revealed at step", "Needed", "What became of it"], rows)


CAUSE_ROWS = (
    "1st summary", "2nd summary", "later summaries", "truncated", "cleared", "overflow",
)  # fmt: skip


PACK_CAUSES = ("masked", "offloaded", "capped")
"""Shown where they occur."""


def causes(run: Outcome) -> dict[str, int]:
    """Needed facts lost by cause: all of CAUSE_ROWS, then what packs add."""
    found = {cause for cause, _ in run.causes}
    counts = dict.fromkeys((*CAUSE_ROWS, *(name for name in PACK_CAUSES if name in found)), 0)
    for (cause, fold), count in run.causes.items():
        summaries = CAUSE_ROWS[min(fold, 3) - 1]
        counts[summaries if cause == "summarised" else cause] += count
    return counts


def _causes_table(session: Session) -> str:
    counts = causes(session.run)
    total = sum(counts.values())
    rows = [
        [name, number(count), percent(count / total) if total else "–"]
        for name, count in counts.items()
    ]
    return table(["Cause", "Needed facts lost", "Share"], rows)


def _costs_table(session: Session) -> str:
    split = session.run.cost_split
    rows = [[cost_names()[key], f"${amount:,.4f}"] for key, amount in split.items()]
    total = "both" if len(split) == 2 else "all"
    return table(["Paid for", "Dollars per task"], [*rows, [total, f"${sum(split.values()):,.4f}"]])


def cost_names() -> dict[str, str]:
    """What each part of the cost was paid for, in words."""
    return dict(text()["costs"])


def _visited_table(session: Session) -> str:
    rows = []
    first = max(len(session.visits) - VISITED_ROWS, 0)
    for index in range(len(session.visits) - 1, first - 1, -1):
        visit = session.visits[index]
        rows.append(
            f"<tr><td><button type=button data-restore={index}>Restore</button></td>"
            f"<th scope=row>{escape(visit_name(visit))}</th><td>{visit.seed}</td>"
            f"<td>{percent(visit.success)}</td><td>{dollars(visit.cost)}</td></tr>"
        )
    # The button first: where the table is wider than its box, it is still in sight.
    head = "<td></td>" + "".join(
        f"<th scope=col>{cell}</th>" for cell in ("Setting", "Seed", "Success", "Cost")
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


TABLES = {
    "context": _context_table,
    "lives": _lives_table,
    "causes": _causes_table,
    "costs": _costs_table,
    "visited": _visited_table,
}


def visit_name(visit: Visit) -> str:
    """What a visit differs in from the start, in words."""
    names = changes(visit.settings)
    if visit.tasks != LabState.param["tasks"].default:
        names.append(f"{number(visit.tasks)} {'task' if visit.tasks == 1 else 'tasks'}")
    return ", ".join(names) or "The default settings"


def changes(settings: dict[str, Any]) -> list[str]:
    """What of these settings differs from the defaults, in words."""
    return [
        f"{controls()[name].label} {setting(controls()[name], value)}"
        for name, value in settings.items()
        if value != DEFAULTS[name]
    ]
