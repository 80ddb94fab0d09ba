"""N*: the shortest context, of the lengths tried, at which a lossy state answers better than all.

For SET-only programs no counts are published, only N* itself, for compressors whose accuracy was
read in five trials. What N* says is that the context's accuracy falls below the compressor's
between the length before N* and N*. Three parameters hold all cells:

    accuracy = 1 / (1 + (C / half(T)) ** steepness),  half(T) = scale * T ** -slope

fitted by least squares to the logarithms of those crossings, each put halfway (in the logarithm)
between the two lengths. Five trials read accuracy in steps of 20 %, so a reading below 80 % is as
likely as not when the accuracy is 70 %: a reading stands for the accuracy half a step below it.

Oddities of the source. Its five trials read 100 % where a tenth of the entries is dropped or a
fifth made wrong, and 60 % where a fifth is dropped; the chances are 90, 80 and 80 %. So rows of
one true accuracy stand far apart, and ``experiment`` leaves those readings. Its text has the 20 %
substitution win beyond 150 to 500 statements, while its own row begins at 100.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim import streams
from sim.streams import UniformRows
from sim.studies.state_tracking.curve import StuffingCurve
from sim.studies.state_tracking.published import published


@dataclass(frozen=True, slots=True)
class TargetCurve:
    """The context's accuracy on SET-only programs, by length C and target rate T."""

    scale: float
    """Statements."""
    slope: float
    steepness: float

    def accuracy(self, statements: np.ndarray, target_rate: float) -> np.ndarray:
        """Accuracy at each length: float64 (n,)."""
        half = self.scale * target_rate**-self.slope
        accuracy: np.ndarray = 1 / (1 + (np.asarray(statements) / half) ** self.steepness)
        return accuracy

    def crossing(self, accuracy: float, target_rate: float) -> float:
        """Length in statements at which the accuracy falls to this one, which is not 0 or 1."""
        odds = (1 - accuracy) / accuracy
        return float(self.scale * target_rate**-self.slope * odds ** (1 / self.steepness))


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


def fit_target_curve() -> TargetCurve:
    """The curve of the published N* table. Rows of the same reading say the same and count once."""
    figures = published()
    grid = list(figures.grid)
    rows = {row.accuracy: row.statements for row in figures.crossovers}
    places = np.array([[grid.index(length) for length in rows[reading]] for reading in _readings()])
    return TargetCurve(*map(float, _least_squares(places[None])[0]))


def stuffing_curve(target_rate: float, *, seed: int, replicates: int = 1000) -> StuffingCurve:
    """The fitted curve at one target rate with its uncertainty.

    The published counts are not known, so each replicate plays the seed's experiment on the
    fitted curve: five trials a cell, N* read off, the curve fitted anew. A rate outside the
    published ones, ``published().target_rates``, is extrapolated. A replayed N* comes a little
    early, since noise has several lengths to show at: about a tenth below the fit in the middle.
    """
    figures, grid, curve = published(), np.array(published().grid), fit_target_curve()
    rates, trials = np.array(figures.target_rates), figures.trials
    chance = np.array([curve.accuracy(grid, float(rate)) for rate in rates])
    draws = UniformRows(seed, streams.TARGET_CURVE_BOOTSTRAP, chance.size * trials)
    outcomes = draws.next_rows(replicates).reshape(replicates, *chance.shape, trials)
    right = (outcomes < chance[:, :, None]).sum(axis=-1)
    places = []
    for reading in _readings():
        below = right < round(reading * trials)
        below[:, :, -1] = True  # no longer length is known to have been tried
        places.append(below.argmax(axis=-1))
    fitted = _least_squares(np.stack(places, axis=1))
    halves = fitted[:, 0] * target_rate ** -fitted[:, 1]
    half = curve.scale * target_rate**-curve.slope
    ends = (float(grid[0]), float(grid[-1]))
    return StuffingCurve(ends, half, curve.steepness, np.stack([halves, fitted[:, 2]], axis=1))


def _readings() -> list[float]:
    return sorted({row.accuracy for row in published().crossovers})


def _least_squares(places: np.ndarray) -> np.ndarray:
    """Scale, slope, steepness of each table of N* as places in the grid (b, readings, rates)."""
    rates = np.log(published().target_rates)
    levels = np.array([true_accuracy(reading) for reading in _readings()])
    odds = np.log((1 - levels) / levels)
    columns = np.stack(
        [np.ones(rates.size * odds.size), -np.tile(rates, odds.size), np.repeat(odds, rates.size)],
        axis=1,
    )
    lengths = np.log(published().grid)
    halfway = (lengths[places] + lengths[np.maximum(places - 1, 0)]) / 2
    scale, slope, flatness = np.linalg.lstsq(columns, halfway.reshape(len(places), -1).T)[0]
    return np.stack([np.exp(scale), slope, 1 / flatness], axis=1)


def true_accuracy(reading: float) -> float:
    """The accuracy at which a reading in the published trials is as likely below as not."""
    return reading - 1 / (2 * published().trials)


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
