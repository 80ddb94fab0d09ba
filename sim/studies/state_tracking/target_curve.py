"""The context's accuracy on SET-only programs, by length C and target rate T.

No counts are published for it. There are two kinds of figures, and both are fitted together:

* **N***, four different readings at five target rates. It says that the accuracy falls below the
  reading between the length before N* and N*; it is put halfway, in the logarithm.
* **Bands**: the accuracy over all rates and positions at 100, 500, 1,000 and 5,000 statements.

Three parameters hold all of it, and no cell has one of its own:

    accuracy = guess + (1 - guess) / (1 + (C / half(T)) ** steepness)
    half(T) = scale * T ** -slope

*The guess.* A model that has lost track and names a colour is right once in 16. The source's lowest
band ends at 6 %, which is just that. The mixed grammar, where "unset" may be right as well, goes
below it and has no such floor.

*The reading.* A curve of one target rate pools five trials at each position, 25 in all, so it is
read in steps of 4 %, and is below a reading as likely as not when it is half a step below. That
there are five positions is inferred: ``published.toml`` says how.

*The weights.* The bands weigh by their sampling error; the logarithms of the crossings by their
scatter about a fit of their own, 0.28.

*What that settles.* Fitted to N* alone, without a guess and with readings in steps of one cell, the
curve has 36 % at 1,000 statements, where the band says 45 %, and 94 % at 100, where it says 99 %.
At 1,000 the finer step adds 3 points, the guess 2 and the bands themselves 2. The 42 % it comes
to, and those at 100 and 500, are within the sampling error of the source's 125 answers; the 9 % at
5,000 are just outside. The source has 6 to 15 % there and beyond; which length has which, it does
not say.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from sim import streams
from sim.streams import UniformRows
from sim.studies.state_tracking.curve import StuffingCurve
from sim.studies.state_tracking.language import VALUES
from sim.studies.state_tracking.published import published
from sim.workload import check_seed

GUESS = 1 / len(VALUES)
FIT_STEPS = 12
"""Of Gauss and Newton: with as many the parameters hold still in ten digits."""


@dataclass(frozen=True, slots=True)
class TargetCurve:
    """The accuracy as a function of both."""

    scale: float
    """Statements."""
    slope: float
    steepness: float

    def half(self, target_rate: float) -> float:
        """Length in statements at which half of what is not guessed is lost."""
        return float(self.scale * target_rate**-self.slope)

    def accuracy(self, statements: np.ndarray, target_rate: float) -> np.ndarray:
        """Accuracy at each length: float64 (n,)."""
        odds = (np.asarray(statements) / self.half(target_rate)) ** self.steepness
        accuracy: np.ndarray = GUESS + (1 - GUESS) / (1 + odds)
        return accuracy

    def crossing(self, accuracy: float, target_rate: float) -> float:
        """Length in statements at which the accuracy falls to this one, above GUESS, below 1."""
        odds = (1 - accuracy) / (accuracy - GUESS)
        return float(self.half(target_rate) * odds ** (1 / self.steepness))

    def is_extrapolated(self, statements: np.ndarray, target_rate: float) -> np.ndarray:
        """Whether each length, or the rate with any, lies outside the published: bool (n,)."""
        lengths, grid = np.asarray(statements, np.float64), published().grid
        outside: np.ndarray = (lengths < grid[0]) | (lengths > grid[-1])
        return outside | _is_outside(target_rate)


@cache
def fit_target_curve() -> TargetCurve:
    """The curve of the published figures. Rows of the same reading say the same and count once."""
    pooled = np.array([list(published().pooled.values())])
    scale, slope, steepness = _fit(_published_places()[None], pooled)[0]
    return TargetCurve(float(scale), float(slope), float(steepness))


def stuffing_curve(target_rate: float, *, seed: int, replicates: int = 1000) -> StuffingCurve:
    """The fitted curve at one target rate with its uncertainty.

    Each replicate plays the seed's sweep on the fitted curve: its trials at each length and rate,
    N* and the bands read off them, the curve fitted anew. Outside the published rates,
    ``published().target_rates``, the curve says that it is extrapolated at every length.
    Raises ScenarioError for a bad seed.
    """
    check_seed(seed)
    grid, curve, fitted = published().grid, fit_target_curve(), _played_sweeps(seed, replicates)
    halves = fitted[:, 0] * target_rate ** -fitted[:, 1]
    return StuffingCurve(
        (float(grid[0]), float(grid[-1])),
        curve.half(target_rate),
        curve.steepness,
        np.stack([halves, fitted[:, 2]], axis=1),
        guess=GUESS,
        is_outside=_is_outside(target_rate),
    )


@cache
def _played_sweeps(seed: int, replicates: int) -> np.ndarray:
    """Scale, slope and steepness of each replicate (b, 3), for every target rate at once."""
    figures, grid, curve = published(), np.array(published().grid), fit_target_curve()
    trials = figures.trials * figures.positions
    chance = np.array([curve.accuracy(grid, float(rate)) for rate in figures.target_rates])
    draws = UniformRows(seed, streams.SWEEP_BOOTSTRAP, chance.size * trials)
    outcomes = draws.next_rows(replicates).reshape(replicates, *chance.shape, trials)
    right = (outcomes < chance[:, :, None]).sum(axis=-1)
    places = []
    for reading in readings():
        below = right < round(reading * trials)
        below[:, :, -1] = True  # no longer length is known to have been tried
        places.append(below.argmax(axis=-1))
    columns = [figures.grid.index(length) for length in figures.pooled]
    fitted = _fit(np.stack(places, axis=1), right.mean(axis=1)[:, columns] / trials)
    fitted.flags.writeable = False
    return fitted


def readings() -> list[float]:
    """The accuracies of compressors, as read, that have an N* of their own; ascending."""
    return sorted({row.accuracy for row in published().crossovers})


def true_accuracy(reading: float) -> float:
    """The accuracy at which the sweep's curve is as likely below the reading as not."""
    return reading - 1 / (2 * published().trials * published().positions)


def _is_outside(target_rate: float) -> bool:
    rates = published().target_rates
    return not rates[0] <= target_rate <= rates[-1]


def _published_places() -> np.ndarray:
    """N* of each reading and rate as places in the grid: int (readings, rates)."""
    rows = {row.accuracy: row.statements for row in published().crossovers}
    grid = published().grid
    return np.array([[grid.index(length) for length in rows[read]] for read in readings()])


def _fit(places: np.ndarray, pooled: np.ndarray) -> np.ndarray:
    """Scale, slope and steepness (b, 3) for each table of N* as places in the grid
    (b, readings, rates) and pooled accuracies at the named lengths (b, bands)."""
    columns, halfway = _columns(), _halfway(places)
    fitted = np.linalg.lstsq(columns, halfway.T)[0].T
    scatter = _scatter()
    lengths = np.log(list(published().pooled))
    shares = np.array(list(published().pooled.values()))
    trials = published().trials * published().positions * len(published().target_rates)
    errors = np.sqrt(shares * (1 - shares) / trials)
    rates = np.log(published().target_rates)
    for _ in range(FIT_STEPS):
        scale, slope, flatness = (fitted[:, place, None, None] for place in range(3))
        x = (lengths[:, None] - scale + slope * rates) / flatness
        left = 1 / (1 + np.exp(x))
        tilt = (1 - GUESS) * left * (1 - left) / flatness
        off = pooled - (GUESS + (1 - GUESS) * left).mean(axis=-1)
        slopes = [tilt.mean(-1), -(tilt * rates).mean(-1), (tilt * x).mean(-1)]
        jacobian = np.concatenate(
            [
                np.broadcast_to(columns / scatter, (len(places), *columns.shape)),
                np.stack(slopes, axis=-1) / errors[:, None],
            ],
            axis=1,
        )
        residual = np.concatenate([(halfway - fitted @ columns.T) / scatter, off / errors], axis=1)
        normal = np.swapaxes(jacobian, 1, 2)
        step = np.linalg.solve(normal @ jacobian, normal @ residual[:, :, None])[:, :, 0]
        fitted = fitted + step
    scale, slope, flatness = fitted.T
    return np.stack([np.exp(scale), slope, 1 / flatness], axis=1)


def _columns() -> np.ndarray:
    """What log scale, slope and 1 / steepness are multiplied with: (readings * rates, 3)."""
    levels = np.array([true_accuracy(reading) for reading in readings()])
    odds = np.log((1 - levels) / (levels - GUESS))
    rates = np.log(published().target_rates)
    return np.stack(
        [np.ones(rates.size * odds.size), -np.tile(rates, odds.size), np.repeat(odds, rates.size)],
        axis=1,
    )


def _halfway(places: np.ndarray) -> np.ndarray:
    """The logarithm of each crossing: (b, readings * rates)."""
    lengths = np.log(published().grid)
    halfway: np.ndarray = (lengths[places] + lengths[np.maximum(places - 1, 0)]) / 2
    return halfway.reshape(len(places), -1)


@cache
def _scatter() -> float:
    """Root mean square of the published crossings about a fit of their own."""
    columns, halfway = _columns(), _halfway(_published_places()[None])[0]
    off = halfway - columns @ np.linalg.lstsq(columns, halfway)[0]
    return float(np.sqrt((off**2).mean()))
