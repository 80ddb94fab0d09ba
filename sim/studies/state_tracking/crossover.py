"""The published N* table beside ours, cell by cell, and why a cell differs.

N* is the shortest context, of the lengths tried, at which a compressed state answers better than
the whole context. A cell is met if the fitted curve falls below the compressor's reading between
the same two lengths; otherwise its steps count the lengths between.

Oddities of the source. A compressor was read in five trials a cell: 100 % where a tenth of the
entries is dropped or a fifth made wrong, and 60 % where a fifth is dropped; the chances are 90, 80
and 80 %. So rows of one true accuracy stand far apart, and ``experiment`` leaves those readings.
Its text has the 20 % substitution win beyond 150 to 500 statements, while its own row begins at 100.
"""

from __future__ import annotations

from dataclasses import dataclass

from sim.studies.state_tracking.published import published
from sim.studies.state_tracking.target_curve import TargetCurve, true_accuracy


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


