"""Estimates from the tasks with their 95 % intervals, and paired differences.

Each estimator also gives its influence values: per-task numbers whose mean error is, to first
order, the error of the estimate. So one formula pairs any two estimates on the same tasks.
Both are calculated once: a baseline is compared with again and again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

Z95 = 1.96


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value and its 95 % interval; ``low`` and ``high`` are None where the tasks are too few."""

    value: float
    low: float | None
    high: float | None


class Estimator(Protocol):
    """Something estimated from one number, or a few, per task."""

    @property
    def value(self) -> float: ...

    def estimate(self) -> Estimate: ...

    @property
    def influence(self) -> np.ndarray | None:
        """float64 (n,), or None where the tasks are too few for an interval."""


@dataclass(frozen=True)
class Mean:
    """The mean of ``values`` (n,), with the normal interval ``mean ± 1.96 sd / √n``."""

    values: np.ndarray

    @cached_property
    def value(self) -> float:
        return float(self.values.mean())

    def estimate(self) -> Estimate:
        return _around(self.value, self.influence)

    @cached_property
    def influence(self) -> np.ndarray:
        return self.values.astype(np.float64)


@dataclass(frozen=True)
class Share:
    """The share of true ``flags`` (n,), with Wilson's interval."""

    flags: np.ndarray

    @cached_property
    def value(self) -> float:
        return float(self.flags.mean())

    def estimate(self) -> Estimate:
        return wilson(int(np.count_nonzero(self.flags)), len(self.flags))

    @cached_property
    def influence(self) -> np.ndarray:
        return self.flags.astype(np.float64)


@dataclass(frozen=True)
class Ratio:
    """Sum of ``parts`` over sum of ``wholes`` (n,), with the delta method's interval.

    It is 0 where there is no whole.
    """

    parts: np.ndarray
    wholes: np.ndarray

    @cached_property
    def value(self) -> float:
        whole = float(self.wholes.sum())
        return float(self.parts.sum()) / whole if whole else 0.0

    def estimate(self) -> Estimate:
        return _around(self.value, self.influence)

    @cached_property
    def influence(self) -> np.ndarray:
        whole = float(self.wholes.mean())
        if not whole:
            return np.zeros(len(self.parts), dtype=np.float64)
        residual: np.ndarray = (self.parts - self.value * self.wholes) / whole
        return residual


@dataclass(frozen=True)
class Quantile:
    """The quantile ``level`` of ``values`` (n,), between two order statistics.

    The ranks are the closest that exclude at most 2.5 % on each side under the binomial
    distribution of how many values lie below the quantile, whatever the values' distribution.
    With too few tasks for such ranks there is no interval.
    """

    values: np.ndarray
    level: float

    @cached_property
    def value(self) -> float:
        return float(np.percentile(self.values, 100 * self.level))

    def estimate(self) -> Estimate:
        return Estimate(self.value, *(self._bounds or (None, None)))

    @cached_property
    def influence(self) -> np.ndarray | None:
        """Bahadur's representation; the density is read off the interval's order statistics."""
        if self._ranks is None or self._bounds is None:
            return None
        (low_rank, high_rank), (low, high) = self._ranks, self._bounds
        below = self.values <= self.value
        spacing = (high - low) * len(self.values) / max(high_rank - low_rank, 1)
        influence: np.ndarray = (self.level - below) * spacing
        return influence

    @cached_property
    def _ranks(self) -> tuple[int, int] | None:
        return order_ranks(len(self.values), self.level)

    @cached_property
    def _bounds(self) -> tuple[float, float] | None:
        if self._ranks is None:
            return None
        low_rank, high_rank = self._ranks
        ordered = np.partition(self.values, self._ranks)
        return float(ordered[low_rank]), float(ordered[high_rank])


def order_ranks(n: int, level: float) -> tuple[int, int] | None:
    """Ranks, from 0, of the order statistics that bound a quantile of ``n`` values.

    None if even the smallest or the largest value excludes more than 2.5 % on its side.
    """
    below = np.arange(n, dtype=np.float64)
    odds = np.log(level / (1 - level))
    log_ratio = np.log((n - below) / (below + 1)) + odds
    log_mass = n * np.log1p(-level) + np.concatenate([[0.0], np.cumsum(log_ratio)])
    chance = np.cumsum(np.exp(log_mass))
    low = int(np.searchsorted(chance, 0.025, side="right")) - 1
    high = int(np.searchsorted(chance, 0.975))
    return (low, high) if low >= 0 and high < n else None


def wilson(successes: int, n: int) -> Estimate:
    """A share with Wilson's score interval, which behaves at 0 and at 1."""
    share = successes / n
    spread = Z95**2 / n
    centre = (share + spread / 2) / (1 + spread)
    half = Z95 * np.sqrt(share * (1 - share) / n + spread / (4 * n)) / (1 + spread)
    # At 0 and n the bound is exactly the share; rounding must not leave it just outside.
    low = 0.0 if successes == 0 else float(centre - half)
    high = 1.0 if successes == n else float(centre + half)
    return Estimate(share, low, high)


def paired_difference(baseline: Estimator, candidate: Estimator) -> Estimate:
    """Candidate minus baseline on the same tasks: the error is that of per-task differences."""
    value = candidate.value - baseline.value
    if candidate.influence is None or baseline.influence is None:
        return Estimate(value, None, None)
    return _around(value, candidate.influence - baseline.influence)


def _around(value: float, influence: np.ndarray) -> Estimate:
    n = len(influence)
    if n == 1:
        return Estimate(value, None, None)
    apart = influence - np.add.reduce(influence) / n
    half = Z95 * math.sqrt(np.add.reduce(apart * apart) / (n - 1)) / math.sqrt(n)
    return Estimate(value, float(value - half), float(value + half))
