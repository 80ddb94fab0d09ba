"""The stuffing curve: accuracy over context length, fitted to counts of right answers.

Accuracy falls as ``1 / (1 + (length / half) ** steepness)``: one at length 0, nothing in the end,
two parameters. They are those of greatest likelihood under binomial counts. Their uncertainty is
a bootstrap: every answer is drawn again at the accuracy seen at its length, and the curve refitted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sim import streams
from sim.setting import ScenarioError
from sim.stats import Estimate
from sim.streams import UniformRows
from sim.workload import check_seed

MAX_RESAMPLED = 2_000
"""Trials of one accuracy that a replicate draws again; of more, a part."""
NEWTON_STEPS = 50
LEAST_STEEPNESS = 0.1
"""A curve that is flatter has no crossing to speak of: the odds halve in a thousandfold length."""
RIDGE = 1e-3
"""Holds the steepness finite in a replicate whose right and wrong answers do not overlap."""


@dataclass(frozen=True, slots=True)
class Point:
    """Right answers of ``trials`` at one context length in statements."""

    statements: float
    right: int
    trials: int


@dataclass(frozen=True)
class StuffingCurve:
    """A fitted curve with the replicates of its bootstrap."""

    tried: tuple[float, float]
    """Shortest and longest length of the data, in statements."""
    half: float
    """Length, in statements, at which half of the answers are right."""
    steepness: float
    replicates: np.ndarray
    """float64 (b, 2): half and steepness of each refitted curve."""
    guess: float = 0.0
    """Accuracy that is left at any length; half and steepness are those of what lies above it."""
    is_outside: bool = False
    """Whether the curve as a whole lies outside the data, whatever the length."""

    def accuracy(self, statements: ArrayLike) -> np.ndarray:
        """Accuracy at each length, which must be above 0: float64 (n,)."""
        return self._at(np.asarray(statements, np.float64), self.half, self.steepness)

    def replicas(self, statements: ArrayLike) -> np.ndarray:
        """The same for each replicate: float64 (b, n)."""
        lengths = np.asarray(statements, np.float64)
        return self._at(lengths, self.replicates[:, :1], self.replicates[:, 1:])

    def band(self, statements: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """95 % interval of the accuracy at each length: two float64 (n,)."""
        low, high = np.quantile(self.replicas(statements), [0.025, 0.975], axis=0)
        return low, high

    @property
    def half_interval(self) -> tuple[float, float]:
        """95 % interval of ``half``."""
        low, high = np.quantile(self.replicates[:, 0], [0.025, 0.975])
        return float(low), float(high)

    def is_extrapolated(self, statements: ArrayLike) -> np.ndarray:
        """Whether each length, or the whole curve, lies outside the data: bool (n,)."""
        lengths = np.asarray(statements, np.float64)
        outside: np.ndarray = (lengths < self.tried[0]) | (lengths > self.tried[1])
        return outside | self.is_outside

    def crossing(self, accuracy: Estimate, *, trials: int | None = None, seed: int) -> Estimate:
        """N*: the length, in statements, beyond which an answer of this accuracy is better.

        ``accuracy`` was found in so many trials; the interval holds its uncertainty and the
        curve's. Without trials it is known, and only the curve is not. A perfect answer is better
        from length 0 on, one that is right no more often than a guess at none (infinity).
        """
        again = np.full(len(self.replicates), accuracy.value)
        if trials is not None:
            width = min(trials, MAX_RESAMPLED)
            draws = UniformRows(seed, streams.COMPRESSOR_BOOTSTRAP, width).next_rows(len(again))
            # Of very many trials a part is drawn again, and its spread narrowed to theirs.
            spread = (draws < accuracy.value).mean(axis=1) - accuracy.value
            again = np.clip(accuracy.value + spread * np.sqrt(width / trials), 0, 1)
        lengths = self._length(again, self.replicates[:, 0], self.replicates[:, 1])
        # These are lengths that occur: between infinity and another there is no third.
        low, high = np.quantile(lengths, [0.025, 0.975], method="nearest")
        value = self._length(np.array(accuracy.value), self.half, self.steepness)
        return Estimate(float(value), float(low), float(high))

    def _at(
        self, lengths: np.ndarray, half: np.ndarray | float, steepness: np.ndarray | float
    ) -> np.ndarray:
        # Odds beyond e^700 are none to tell apart, and would overflow.
        odds = np.exp(np.clip(steepness * np.log(lengths / half), -700, 700))
        accuracy: np.ndarray = self.guess + (1 - self.guess) / (1 + odds)
        return accuracy

    def _length(
        self, accuracy: np.ndarray, half: np.ndarray | float, steepness: np.ndarray | float
    ) -> np.ndarray:
        odds, above = np.full_like(accuracy, np.inf), accuracy - self.guess
        np.divide(1 - accuracy, above, out=odds, where=above > 0)
        length: np.ndarray = half * odds ** (1 / steepness)
        return length


def fit_curve(points: Sequence[Point], *, seed: int, replicates: int = 1000) -> StuffingCurve:
    """The curve of these counts.

    Raises ScenarioError for a bad seed, and if the counts are of fewer than two lengths, all right
    or all wrong, if the accuracy does not fall with the length, or if at each length it is 0 or 1:
    answers drawn again would be the same, and the curve have no interval.
    """
    check_seed(seed)
    right, trials = sum(point.right for point in points), sum(point.trials for point in points)
    if len({point.statements for point in points}) < 2 or not 0 < right < trials:
        raise ScenarioError(
            f"points are {len(points)} with {right} of {trials} answers right but must be of two "
            "lengths or more, with right and wrong answers: add lengths at which it fails."
        )
    lengths = np.array([point.statements for point in points], np.float64)
    tried = np.array([point.trials for point in points])
    counts = np.array([[point.right for point in points]], np.float64)
    again = _answered_again(counts[0], tried, seed, replicates)
    fitted = _fit(lengths, np.concatenate([counts, again]), tried)
    if fitted[0, 1] <= LEAST_STEEPNESS:
        raise ScenarioError(
            f"points have a fitted steepness of at most {LEAST_STEEPNESS} but the accuracy must "
            "fall with the length: add lengths at which it fails."
        )
    if set(counts[0] / tried) == {0, 1}:
        ends = sorted((lengths[counts[0] > 0].max(), lengths[counts[0] == 0].min()))
        raise ScenarioError(
            "points have accuracies of 0 and 100 % only but must have one between: add lengths "
            f"between {ends[0]:,.0f} and {ends[1]:,.0f}."
        )
    tried_lengths = (float(lengths.min()), float(lengths.max()))
    return StuffingCurve(tried_lengths, float(fitted[0, 0]), float(fitted[0, 1]), fitted[1:])


def _answered_again(
    right: np.ndarray, trials: np.ndarray, seed: int, replicates: int
) -> np.ndarray:
    """Right answers (b, lengths), each drawn at the accuracy seen at its length."""
    seen, width = right / trials, np.minimum(trials, MAX_RESAMPLED)
    chance, starts = np.repeat(seen, width), np.cumsum(width) - width
    rows = UniformRows(seed, streams.CURVE_BOOTSTRAP, len(chance))
    # One row after the other: all of them at once may not fit into memory.
    again = np.stack(
        [np.add.reduceat(rows.next_rows(1)[0] < chance, starts, dtype=np.float64)
         for _ in range(replicates)]
    )  # fmt: skip
    spread = (again / width - seen) * np.sqrt(width / trials)
    drawn: np.ndarray = trials * np.clip(seen + spread, 0, 1)
    return drawn


def _fit(lengths: np.ndarray, right: np.ndarray, trials: np.ndarray) -> np.ndarray:
    """Half and steepness of each row of counts ``right`` (b, lengths), by Newton's method."""
    x = np.log(lengths)
    centre = x.mean()
    x = x - centre
    level = np.zeros((len(right), 1))
    slope = np.full((len(right), 1), -1.0)
    for _ in range(NEWTON_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(level + slope * x, -30, 30)))
        residual, weight = right - trials * chance, trials * chance * (1 - chance)
        g0 = residual.sum(axis=1, keepdims=True) - RIDGE * level
        g1 = (residual * x).sum(axis=1, keepdims=True) - RIDGE * slope
        h00 = weight.sum(axis=1, keepdims=True) + RIDGE
        h01 = (weight * x).sum(axis=1, keepdims=True)
        h11 = (weight * x * x).sum(axis=1, keepdims=True) + RIDGE
        determinant = h00 * h11 - h01 * h01
        # A step of at most 1 keeps the method from running away where the counts are extreme.
        level = level + np.clip((h11 * g0 - h01 * g1) / determinant, -1, 1)
        slope = slope + np.clip((h00 * g1 - h01 * g0) / determinant, -1, 1)
        slope = np.minimum(slope, -LEAST_STEEPNESS)
    return np.concatenate([np.exp(centre - level / slope), -slope], axis=1)
