"""What the tab shows, calculated: the two curves, where they cross, and the map of crossings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from lab.tracking.settings import Settings
from sim import Estimate
from sim.stats import wilson
from sim.studies.state_tracking import (
    Channel,
    Hybrid,
    HybridPoint,
    Point,
    Recipe,
    StuffingCurve,
    draw_programs,
    fit_curve,
    fit_target_curve,
    measured_curve,
    play_hybrid,
    published,
    stuffing_curve,
    true_answers,
)

SHORTEST, LONGEST = 10, 10_000
LENGTHS = np.unique(np.geomspace(SHORTEST, LONGEST, 61).round())
"""Statements at which the curves are drawn: evenly on a logarithmic axis."""
SCORED_STATEMENTS = 200
"""From about here on the length is nothing to the state: every variable has been written."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Detail:
    """How much is calculated: little while a slider moves, more when it rests."""

    replicates: int
    """Refitted curves."""
    set_only: int
    """Programs that are compressed, of SET statements alone."""
    mixed: int
    """Programs of the mixed grammar, which take a hundred times as long."""
    parts: int
    """Programs a length that are compressed in part."""
    part_lengths: tuple[int, ...]
    """Lengths at which that is done, beside the one that is set."""


COARSE = Detail(replicates=200, set_only=500, mixed=60, parts=30, part_lengths=())
FINE = Detail(
    replicates=400, set_only=4000, mixed=400, parts=200,
    part_lengths=(30, 100, 200, 500, 1000, 2000, 5000),
)  # fmt: skip
PART_REPLICATES = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Result:
    """The two curves of a setting and their crossing. Arrays go along LENGTHS."""

    settings: Settings
    curve: StuffingCurve
    context: np.ndarray
    """Accuracy with the whole context."""
    low: np.ndarray
    high: np.ndarray
    is_extrapolated: np.ndarray
    here: Estimate
    """Accuracy with the whole context at the length that is set."""
    state: Estimate
    """Accuracy with the lossy state."""
    programs: int
    """Of which that was counted."""
    n_star: Estimate
    """The length in statements from which the lossy state is better; infinity if none is."""

    parts: tuple[tuple[int, HybridPoint], ...]
    """The state for the first Z only and the rest raw, at some lengths; none if Z is all."""
    shares: Hybrid | None
    """Every Z at the length that is set; None while a slider moves, and for the mixed grammar."""

    @property
    def is_crossing_extrapolated(self) -> bool:
        """Whether the curves cross at a length at which nothing was tried."""
        return bool(self.curve.is_extrapolated(np.array(self.n_star.value)))


def calculate(settings: Settings, detail: Detail = FINE) -> Result:
    """The curves of these settings. Raises ScenarioError for a pasted table without a curve."""
    curve = curve_of(settings, detail)
    low, high = curve.band(LENGTHS)
    at = np.array([settings.statements], np.float64)
    here_low, here_high = curve.band(at)
    programs = detail.mixed if settings.grammar == "mixed" else detail.set_only
    state = _state_accuracy(settings, programs)
    return Result(
        settings=settings,
        curve=curve,
        context=curve.accuracy(LENGTHS),
        low=low,
        high=high,
        is_extrapolated=curve.is_extrapolated(LENGTHS),
        here=Estimate(float(curve.accuracy(at)[0]), float(here_low[0]), float(here_high[0])),
        state=state,
        programs=programs,
        n_star=curve.crossing(state, trials=programs, seed=settings.seed),
        parts=tuple(_parts(settings, curve, detail)),
        shares=_shares(settings, curve, detail),
    )


def _parts(
    settings: Settings, curve: StuffingCurve, detail: Detail
) -> Iterator[tuple[int, HybridPoint]]:
    if settings.grammar == "mixed" or settings.compressed == 1:
        return
    here = settings.statements
    for statements in sorted({*detail.part_lengths, here}):
        recipe = replace(settings.recipe, statements=statements)
        (point,) = play_hybrid(
            recipe, settings.lossy, curve, seed=settings.seed, programs=detail.parts,
            shares=(settings.compressed,), replicates=PART_REPLICATES,
        ).points  # fmt: skip
        yield statements, point


def _shares(settings: Settings, curve: StuffingCurve, detail: Detail) -> Hybrid | None:
    if settings.grammar == "mixed" or not detail.part_lengths:
        return None
    return play_hybrid(
        settings.recipe, settings.lossy, curve, seed=settings.seed, programs=detail.parts,
        replicates=PART_REPLICATES,
    )  # fmt: skip


def curve_of(settings: Settings, detail: Detail) -> StuffingCurve:
    """The model's accuracy over the length of the whole context."""
    if settings.curve:
        return _own_curve(settings.curve, settings.seed)
    if settings.grammar == "mixed":
        return _mixed_curve(settings.seed, detail.replicates)
    return _set_only_curve(settings.target_rate, settings.seed, detail.replicates)


@lru_cache(maxsize=8)
def _own_curve(table: str, seed: int) -> StuffingCurve:
    return measured_curve(table, seed=seed)


@lru_cache(maxsize=8)
def _mixed_curve(seed: int, replicates: int) -> StuffingCurve:
    rows = [Point(row.statements, row.right, row.trials) for row in published().mixed]
    return fit_curve(rows, seed=seed, replicates=replicates)


@lru_cache(maxsize=32)
def _set_only_curve(target_rate: float, seed: int, replicates: int) -> StuffingCurve:
    return stuffing_curve(target_rate, seed=seed, replicates=replicates)


def _state_accuracy(settings: Settings, programs: int) -> Estimate:
    """As ``score`` has it, on programs that are drawn once for every rate."""
    recipe = settings.recipe
    short = Recipe(
        statements=min(recipe.statements, SCORED_STATEMENTS),
        grammar=recipe.grammar,
        target_rate=recipe.target_rate,
        last_position=recipe.last_position,
    )
    truth, query = _asked(short, settings.seed, programs)
    found = Channel(settings.lossy, settings.seed).next_entries(truth, query)
    return wilson(int(np.count_nonzero(found == truth)), programs)


@lru_cache(maxsize=8)
def _asked(recipe: Recipe, seed: int, programs: int) -> tuple[np.ndarray, np.ndarray]:
    drawn = draw_programs(recipe, seed=seed, programs=programs)
    return true_answers(drawn), drawn.query


@dataclass(frozen=True, slots=True)
class MapCell:
    """N* of one target rate and one rate of loss, on the fitted curve."""

    target_rate: float
    rate: float
    n_star: float
    """Statements; infinity if the state is never better."""
    is_extrapolated: bool
    published: int | None
    """The seed's own N*, where it has one."""


MAP_RATES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


def map_target_rates() -> tuple[float, ...]:
    """The published target rates, and one beyond either end."""
    rates = published().target_rates
    return (rates[0] / 2, *rates, 2 * rates[-1])


@lru_cache(maxsize=4)
def crossing_map(loss: str) -> tuple[MapCell, ...]:
    """N* over target rate and rate of loss, for SET-only programs; rates of loss go by rows."""
    figures, curve = published(), fit_target_curve()
    theirs = {
        (rate, row.rate): n_star
        for row in figures.crossovers
        if row.loss == loss
        for rate, n_star in zip(figures.target_rates, row.statements, strict=True)
    }
    cells = []
    for rate in MAP_RATES:
        accuracy = Settings(compressor=loss, rate=rate).lossy.accuracy
        for target_rate in map_target_rates():
            n_star = curve.crossing(accuracy, target_rate)
            beyond = bool(curve.is_extrapolated(np.array(n_star), target_rate))
            cells.append(
                MapCell(target_rate, rate, n_star, beyond, theirs.get((target_rate, rate)))
            )
    return tuple(cells)
