"""Partial compression: a state for the first Z of the statements, the rest raw after it.

What a hybrid answers is found on programs, one by one. The first ``Z · C`` statements, rounded, are
executed; the state they leave goes through the compressor; what is read is one SET for each entry
that came out, then the other statements as they were written. The text of it is right if, executed,
it gives the queried variable the value that the whole program gives it: a lost entry does no harm
once the rest writes the variable again. A model reads that text right with the curve's accuracy at
its own length, entries and raw statements counted alike. So Z = 0 is the whole context; and Z = 1 is
a state alone, read as well as a context of that many lines.

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
from sim.studies.state_tracking.compressors import Channel, Compressor
from sim.studies.state_tracking.curve import StuffingCurve
from sim.studies.state_tracking.generator import Programs, draw_program_blocks
from sim.studies.state_tracking.interpreter import answer, given_and_rules, interpret
from sim.studies.state_tracking.language import VALUES, VARIABLES, Program, Rule, Set
from sim.studies.state_tracking.recipe import Recipe
from sim.studies.state_tracking.tables import UNSET_VALUE, true_answers, write_sets

SHARES = tuple(tenth / 10 for tenth in range(11))
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
    Raises ScenarioError for a bad seed, number of programs, share or number of replicates.
    """
    raise NotImplementedError


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
    raise NotImplementedError


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
) -> Estimate:
    """N* of a share: the length beyond which it answers better than the whole context."""
    raise NotImplementedError
