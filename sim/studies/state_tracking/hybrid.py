"""Partial compression: a state for the first Z of the statements, the rest raw after it.

What a hybrid answers is found on programs, one by one. The first ``Z · C`` statements, rounded, are
executed; the state they leave goes through the compressor; what is read is one SET for each entry
that came out, then the other statements as they were written. The text of it is right if, executed,
it gives the queried variable the value that the whole program gives it: a lost entry does no harm
once the rest writes the variable again. A model reads that text right with the curve's accuracy at
its own length, entries and raw statements counted alike. So Z = 0 is the whole context; and Z = 1
is a state alone, read as well as a context of that many lines.

Rules. With the mixed grammar a table of values forgets the rules of the first part, so even the
oracle loses something. ``carry_rules`` writes them out, each one line, with the values that were
*given*: nothing is lost but what the compressor takes, and the state grows with the length.

The intervals are a bootstrap over the programs and the curve together. All shares meet the same
programs and the same losses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sim import streams
from sim.setting import ScenarioError, plain, shown
from sim.stats import Estimate, wilson
from sim.streams import UniformRows
from sim.studies.state_tracking.compressors import Compressor
from sim.studies.state_tracking.curve import StuffingCurve
from sim.studies.state_tracking.hybrid_texts import play_texts
from sim.studies.state_tracking.recipe import Recipe

SHARES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 1.0)
"""Z as tried if nothing else is asked: from the whole context to a state alone."""


@dataclass(frozen=True, kw_only=True, slots=True)
class HybridPoint:
    """One share Z of one length."""

    share: float
    """Z: share of the statements, from the first, that the state stands for."""
    accuracy: Estimate
    """Share of right answers."""
    text_right: Estimate
    """Share of right answers if the text is read without a fault; Wilson's interval."""
    length: float
    """Lines read, entries and raw statements, on average."""
    is_extrapolated: bool
    """Whether some of those lengths lie outside the curve's data."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Hybrid:
    """Every share of one length, and the best of them."""

    recipe: Recipe
    compressor: Compressor
    points: tuple[HybridPoint, ...]
    best: HybridPoint
    best_low: float
    """Lower end of the 95 % interval of the best share."""
    best_high: float


def play_hybrid(
    recipe: Recipe,
    compressor: Compressor,
    curve: StuffingCurve,
    *,
    seed: int,
    programs: int = 1000,
    shares: Sequence[float] = SHARES,
    carry_rules: bool = False,
    replicates: int = 200,
) -> Hybrid:
    """Each share's accuracy on the same programs, and the best share with its interval.

    Of shares that are equally good the smallest counts as best: it compresses least.
    Raises ScenarioError for a bad seed, number of programs or share.
    """
    shares = _checked(shares)
    right, length = play_texts(recipe, compressor, shares, seed, programs, carry_rules)
    played = _Played(right, length, curve, seed, replicates)
    low, high = np.quantile(played.again, [0.025, 0.975], axis=0)
    points = tuple(
        HybridPoint(
            share=share,
            accuracy=Estimate(float(played.value[z]), float(low[z]), float(high[z])),
            text_right=wilson(int(right[:, z].sum()), len(right)),
            length=float(length[:, z].mean()),
            is_extrapolated=bool(curve.is_extrapolated(length[:, z]).any()),
        )
        for z, share in enumerate(shares)
    )
    bests = np.array(shares)[played.again.argmax(axis=1)]
    best_low, best_high = np.quantile(bests, [0.025, 0.975], method="nearest")
    return Hybrid(
        recipe=recipe, compressor=compressor, points=points,
        best=points[int(played.value.argmax())],
        best_low=float(best_low), best_high=float(best_high),
    )  # fmt: skip


def best_shares(
    recipe: Recipe,
    compressor: Compressor,
    curve: StuffingCurve,
    *,
    lengths: Sequence[int],
    seed: int,
    programs: int = 1000,
    shares: Sequence[float] = SHARES,
    carry_rules: bool = False,
) -> tuple[Hybrid, ...]:
    """``play_hybrid`` at each length in statements, all else as in the recipe."""
    return tuple(
        play_hybrid(
            replace(recipe, statements=length), compressor, curve, seed=seed, programs=programs,
            shares=shares, carry_rules=carry_rules,
        )
        for length in lengths
    )  # fmt: skip


def hybrid_crossing(
    recipe: Recipe,
    compressor: Compressor,
    curve: StuffingCurve,
    *,
    share: float,
    lengths: Sequence[int],
    seed: int,
    programs: int = 200,
    carry_rules: bool = False,
    replicates: int = 200,
) -> Estimate:
    """N* of a share by experiment: the length beyond which it beats the whole context.

    Programs of each of the ``lengths`` are played, and N* is read between the last two where the
    hybrid goes ahead and stays so: the first length if it is ahead from there on, infinity if it
    is not ahead at the last. Raises ScenarioError as ``play_hybrid`` does.
    """
    (share,) = _checked([share])
    gains = []
    for statements in lengths:
        at = replace(recipe, statements=statements)
        right, length = play_texts(at, compressor, (0.0, share), seed, programs, carry_rules)
        played = _Played(right, length, curve, seed, replicates)
        gains.append(np.diff(np.vstack([played.value, played.again]), axis=1)[:, 0])
    found = _overtaking(np.array(lengths, np.float64), np.array(gains).T)
    low, high = np.quantile(found[1:], [0.025, 0.975], method="nearest")
    return Estimate(float(found[0]), float(low), float(high))


def _checked(shares: Sequence[float]) -> tuple[float, ...]:
    for share in map(plain, shares):
        number = isinstance(share, int | float) and not isinstance(share, bool)
        if not number or not 0 <= share <= 1:
            raise ScenarioError(
                f"share is {shown(share)} but must be a number from 0 to 1: for example 0.5."
            )
    return tuple(float(share) for share in shares)


class _Played:
    """The accuracies of all shares, ``value`` (shares,), and replicates ``again`` (b, shares)."""

    def __init__(
        self, right: np.ndarray, length: np.ndarray, curve: StuffingCurve, seed: int, b: int
    ) -> None:
        lines, place = np.unique(length, return_inverse=True)
        lines = np.maximum(lines, 1)  # an empty state still has its question
        self.value = (right * curve.accuracy(lines)[place]).mean(axis=0)
        draws = UniformRows(seed, streams.HYBRID_BOOTSTRAP, len(right))
        again = []
        for accuracy in curve.replicas(lines)[:b]:
            rows = (draws.next_rows(1)[0] * len(right)).astype(np.intp)
            times = np.bincount(rows, minlength=len(right))
            again.append(times @ (right * accuracy[place]) / len(right))
        self.again = np.array(again)


def _overtaking(lengths: np.ndarray, gains: np.ndarray) -> np.ndarray:
    """The length from which each row of gains (b, lengths) stays above 0: float64 (b,)."""
    found = np.full(len(gains), np.inf)
    for row, gain in enumerate(gains):
        behind = np.flatnonzero(gain <= 0)
        last = behind[-1] if len(behind) else -1
        if last < 0:
            found[row] = lengths[0]
        elif last + 1 < len(lengths):
            part = gain[last] / (gain[last] - gain[last + 1])
            found[row] = lengths[last] * (lengths[last + 1] / lengths[last]) ** part
    return found
