"""The published N* table beside ours, cell by cell, and why a cell differs.

N* is the shortest context, of the lengths tried, at which a compressed state answers better than
the whole context. A cell is met if the fitted curve falls below the compressor's reading between
the same two lengths; otherwise its steps count the lengths between.

The source has oddities, which ``oddities`` puts into words: ``experiment`` leaves its readings.
"""

from __future__ import annotations

from dataclasses import dataclass

from sim.stats import Estimate
from sim.studies.state_tracking.published import CrossoverRow, published
from sim.studies.state_tracking.target_curve import TargetCurve, stuffing_curve, true_accuracy
from sim.studies.state_tracking.words import percent

ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True, slots=True)
class CrossoverCell:
    """A published N* beside the one of the fitted curve."""

    loss: str
    rate: float
    target_rate: float
    published: int
    """Statements."""
    ours: int | None
    """Statements: a length of the published grid; None if the crossing is beyond all of them."""
    crossing: float
    """Statements: where the curve meets the compressor's reading, between the lengths tried."""
    steps: int
    """Steps of the grid from the published N* to ours; beyond the last counts as one more."""

    def span(self, *, seed: int) -> tuple[float, float]:
        """95 % interval of ``crossing``, in statements. Raises ScenarioError for a bad seed."""
        reading = _row(self.loss, self.rate).accuracy
        known = Estimate(true_accuracy(reading), None, None)
        found = stuffing_curve(self.target_rate, seed=seed).crossing(known, seed=seed)
        low, high = (found.value if end is None else end for end in (found.low, found.high))
        return low, high


def crossover_table(curve: TargetCurve) -> tuple[CrossoverCell, ...]:
    """The published cells beside the curve's, row by row."""
    figures, grid = published(), published().grid
    cells = []
    for row in figures.crossovers:
        for target_rate, theirs in zip(figures.target_rates, row.statements, strict=True):
            crossing = curve.crossing(true_accuracy(row.accuracy), target_rate)
            place = grid_place(crossing)
            cells.append(
                CrossoverCell(
                    loss=row.loss,
                    rate=row.rate,
                    target_rate=target_rate,
                    published=theirs,
                    ours=grid[place] if place < len(grid) else None,
                    crossing=crossing,
                    steps=place - grid_place(theirs),
                )
            )
    return tuple(cells)


def grid_place(statements: float) -> int:
    """Place, from 0, of the first published length that is not shorter; beyond all, their number.

    The lengths are those of ``published().grid``.
    """
    return sum(tried < statements for tried in published().grid)


def explain(cell: CrossoverCell, *, seed: int) -> str:
    """Why a cell is not met, in one sentence; empty if it is."""
    if not cell.steps:
        return ""
    grid, place = published().grid, grid_place(cell.published)
    edge = cell.published if cell.steps > 0 else grid[place - 1]
    side = "beyond" if cell.steps > 0 else "short of"
    low, high = cell.span(seed=seed)
    is_reached = low <= cell.published and (place == 0 or high > grid[place - 1])
    off = percent(abs(cell.crossing / edge - 1))
    return (
        f"The curve crosses at {cell.crossing:,.0f}, {off} {side} {edge:,}; its 95 % interval, "
        f"{low:,.0f} to {high:,.0f}, "
        f"{'reaches' if is_reached else 'does not reach'} the published step."
    )


def oddities() -> tuple[str, ...]:
    """What does not agree with itself in the source, a sentence each."""
    figures = published()
    misread = [
        f"{row.loss} {percent(row.rate)} as {percent(row.accuracy)}"
        for row in figures.crossovers
        if abs(row.accuracy - (1 - row.rate)) > ROUNDING
    ]
    claim = figures.claim
    row = _row(claim["loss"], claim["rate"]).statements
    return (
        f"A compressor was read in {figures.trials} trials a cell, in steps of "
        f"{percent(1 / figures.trials)}, and one minus its rate is its chance: "
        f"{', '.join(misread)}.",
        f"The text has {claim['loss']} {percent(claim['rate'])} win beyond {claim['from']} to "
        f"{claim['to']} statements; its own row goes from {min(row)} to {max(row)}.",
    )


def _row(loss: str, rate: float) -> CrossoverRow:
    (row,) = (row for row in published().crossovers if (row.loss, row.rate) == (loss, rate))
    return row
