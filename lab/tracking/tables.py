"""The tables behind the tab's charts: as HTML to read, and as CSV to take along, unrounded."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from math import isinf
from typing import Any

from lab.export import Export
from lab.tables import table
from lab.text import number
from lab.tracking.study import LENGTHS, MapCell, Result
from lab.tracking.words import length, share_of, with_interval
from sim import Estimate
from sim.studies.state_tracking import TargetCurve, crossover_table, fit_target_curve

LOSSES = {"drop": "Drop", "substitute": "Substitute"}


def curves(result: Result) -> str:
    """Both curves at each length that is drawn."""
    state = with_interval(result.state)
    rows = [
        [
            number(statements),
            with_interval(Estimate(float(mid), float(low), float(high))),
            state,
            "extrapolated" if beyond else "",
        ]
        for statements, mid, low, high, beyond in _rows(result)
    ]
    return table(["Statements", "Whole context right", "State right", "Data"], rows)


def crossing_map(cells: tuple[MapCell, ...]) -> str:
    """N* by rate of loss and target rate, and the seed's own after a slash."""
    target_rates = list(dict.fromkeys(cell.target_rate for cell in cells))
    rates = list(dict.fromkeys(cell.rate for cell in cells))
    place = {(cell.rate, cell.target_rate): cell for cell in cells}
    rows = [[share_of(rate), *(_cell(place[rate, t]) for t in target_rates)] for rate in rates]
    return table(["Rate of loss", *(f"T {share_of(rate)}" for rate in target_rates)], rows)


def _cell(cell: MapCell) -> str:
    tilde = "~" if cell.is_extrapolated else ""
    theirs = f" / {number(cell.published)}" if cell.published else ""
    return f"{tilde}{length(cell.n_star)}{theirs}"


def shares(result: Result) -> str:
    """Right answers for each Z at the length that is set."""
    points = result.shares.points if result.shares else ()
    rows = [
        [share_of(point.share), with_interval(point.accuracy), number(point.length)]
        for point in points
    ]
    return table(["Z", "Right", "Lines read"], rows)


def published_cells() -> str:
    """The seed's own N* table beside the fitted curve's, cell by cell."""
    curve: TargetCurve = fit_target_curve()
    rows = [
        [
            f"{LOSSES[cell.loss]} {share_of(cell.rate)}, T {share_of(cell.target_rate)}",
            number(cell.published),
            number(cell.ours) if cell.ours else "beyond all",
            length(cell.crossing),
            f"{cell.steps:+d}".replace("-", "−") if cell.steps else "0",
        ]
        for cell in crossover_table(curve)
    ]
    head = ["Compressor", "Seed 000", "Ours, on its grid", "Ours, between", "Steps apart"]
    return table(head, rows)


def as_csv(name: str, result: Result, cells: tuple[MapCell, ...]) -> Export:
    """One of the tables, unrounded. Raises ValueError for no table of the tab."""
    if name == "curves":
        head = ("statements", "context", "context_low", "context_high", "state", "state_low",
                "state_high", "is_extrapolated")  # fmt: skip
        state = (result.state.value, result.state.low, result.state.high)
        rows: Iterable[Sequence[Any]] = (
            (int(at), mid, low, high, *state, bool(beyond))
            for at, mid, low, high, beyond in _rows(result)
        )
    elif name == "map":
        head = ("rate", "target_rate", "n_star", "is_extrapolated", "published")
        rows = (
            (c.rate, c.target_rate, "" if isinf(c.n_star) else c.n_star, c.is_extrapolated,
             c.published or "")
            for c in cells
        )  # fmt: skip
    elif name == "shares":
        head = ("share", "accuracy", "low", "high", "lines_read")
        points = result.shares.points if result.shares else ()
        rows = (
            (p.share, p.accuracy.value, p.accuracy.low, p.accuracy.high, p.length) for p in points
        )
    else:
        raise ValueError(f"{name!r} is not a table of the tab")
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(head)
    writer.writerows(rows)
    file = f"state-tracking-{name}-seed-{result.settings.seed}.csv"
    return Export(name=file, type="text/csv", text=buffer.getvalue())


def _rows(result: Result) -> Any:
    return zip(
        LENGTHS, result.context, result.low, result.high, result.is_extrapolated, strict=True
    )
