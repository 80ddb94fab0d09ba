"""A study as plain text, its columns aligned."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import fill

from sim.studies.study import UNITS, Row, Study, Table, written, written_difference

WIDTH = 100


def as_text(study: Study) -> str:
    """The whole study, for a shell."""
    parts = [f"{study.title}\n{fill(study.question, WIDTH)}", fill(study.method, WIDTH)]
    parts += [_table(table) for table in study.tables]
    found = [
        finding.text if finding.holds else f"NO LONGER TRUE: {finding.text}"
        for finding in study.findings
    ]
    for heading, lines in (
        ("Findings", found),
        ("What the model misses", study.misses),
        ("Not verified", study.cannot_verify),
        ("Sources", study.sources),
    ):
        if lines:
            parts.append("\n".join([heading, *map(_item, lines)]))
    return "\n\n".join(parts)


def _item(text: str) -> str:
    return fill(text, WIDTH, initial_indent="- ", subsequent_indent="  ", break_long_words=False)


def ours_text(row: Row) -> str:
    """Our figure, or a dash where there is none."""
    return "–" if row.ours is None else written(row.ours, row.unit)


def interval_text(row: Row) -> str:
    """Our interval; empty if there is none."""
    return range_text(row.low, row.high, row.unit)


def published_text(row: Row) -> str:
    """The published figure with its range, and whether it is only reported; empty if none."""
    if not row.is_published:
        return ""
    extent = range_text(row.published_low, row.published_high, row.unit)
    if row.published is not None:
        figure = written(row.published, row.unit)
        extent = f"{figure} ({extent})" if extent else figure
    return extent if row.verified else f"{extent}, not verified"


def verdict_text(row: Row) -> str:
    """Whether the two agree; empty where there is nothing to compare."""
    return {None: "", True: "yes", False: "no"}[row.within]


COLUMNS: dict[str, Callable[[Row], str]] = {
    "": lambda row: row.label,
    "ours": ours_text,
    "95 % interval": interval_text,
    "published": published_text,
    "difference": written_difference,
    "agrees": verdict_text,
    "note": lambda row: row.note,
}
"""Heading -> what stands under it."""
WORDS = ("", "note")
"""The columns of words; the others are of numbers."""


def columns_of(table: Table) -> dict[str, list[str]]:
    """The columns of a table that are not empty: heading -> a text for each row."""
    cells = {name: [write(row) for row in table.rows] for name, write in COLUMNS.items()}
    return {name: column for name, column in cells.items() if any(column)}


def range_text(low: float | None, high: float | None, unit: str) -> str:
    """A range with its unit once; of one that is open on a side, the end that is known."""
    if low is None or high is None:
        ends = (("from", low), ("to", high))
        return "".join(f"{word} {written(end, unit)}" for word, end in ends if end is not None)
    first, last = written(low, unit), written(high, unit)
    return f"{first.removesuffix(UNITS[unit][0])} … {last}"


def _table(table: Table) -> str:
    lines = [table.title]
    columns = columns_of(table)
    widths = {name: max(map(len, [name, *column])) for name, column in columns.items()}
    for cells in ([*columns], *zip(*columns.values(), strict=True)):
        padded = [
            cell.ljust(width) if name in WORDS else cell.rjust(width)
            for cell, (name, width) in zip(cells, widths.items(), strict=True)
        ]
        lines.append("  ".join(padded).rstrip())
    if table.note:
        lines.append(fill(table.note, WIDTH))
    return "\n".join(lines)
