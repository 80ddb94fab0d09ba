"""The published figures, the curves fitted to them, and N* beside the published table."""

import re
from math import inf, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim import ScenarioError
from sim.stats import Estimate, wilson
from sim.studies.state_tracking import (
    Point,
    Recipe,
    draw_programs,
    drop,
    estimated_tokens,
    fit_curve,
    fit_target_curve,
    published,
    score,
    stuffing_curve,
)

MIXED = [row for row in published().mixed if row.half_width is not None]


@pytest.fixture(scope="module")
def mixed_curve():
    return fit_curve([Point(r.statements, r.right, r.trials) for r in published().mixed], seed=1)


# The data


def test_there_are_13_mixed_lengths_with_an_interval_and_35_crossovers():
    assert len(MIXED) == 13
    assert sum(len(row.statements) for row in published().crossovers) == 35
    assert published().grid == (100, 150, 200, 300, 350, 400, 500, 1000, 5000)


@pytest.mark.parametrize("row", MIXED, ids=lambda row: row.statements)
def test_a_published_interval_is_the_normal_one_of_its_counts(row):
    error = 1.96 * sqrt(row.accuracy * (1 - row.accuracy) / row.trials)
    assert row.half_width == pytest.approx(error, abs=0.00051)


@pytest.mark.parametrize("row", published().mixed, ids=lambda row: row.statements)
def test_the_token_estimate_is_within_3_percent_of_the_published_count(row):
    programs = draw_programs(Recipe(statements=row.statements), seed=1, programs=200)
    tokens = [estimated_tokens(str(programs.program(i))) for i in range(len(programs))]
    assert np.mean(tokens) == pytest.approx(row.tokens, rel=0.03)


# The mixed curve


def test_the_mixed_curve_is_within_every_published_interval(mixed_curve):
    fitted = mixed_curve.accuracy([row.statements for row in MIXED])
    outside = [
        row.statements
        for row, accuracy in zip(MIXED, fitted, strict=True)
        if abs(accuracy - row.accuracy) > row.half_width
    ]
    assert outside == []


def test_half_the_mixed_answers_are_right_at_978_statements(mixed_curve):
    assert mixed_curve.half == pytest.approx(977.82, abs=0.01)
    assert mixed_curve.steepness == pytest.approx(1.4531, abs=0.0001)


def test_the_fit_is_where_the_likelihood_is_greatest(mixed_curve):
    """Against a search that knows nothing of derivatives."""

    def likelihood(half, steepness):
        x = np.array([row.statements for row in published().mixed])
        right = np.array([row.right for row in published().mixed])
        chance = 1 / (1 + (x / half) ** steepness)
        return (right * np.log(chance) + (100 - right) * np.log1p(-chance)).sum()

    best = likelihood(mixed_curve.half, mixed_curve.steepness)
    for half in (0.99, 1, 1.01):
        for steepness in (0.99, 1, 1.01):
            if (half, steepness) != (1, 1):
                assert likelihood(half * mixed_curve.half, steepness * mixed_curve.steepness) < best


def test_the_band_is_around_the_curve_and_narrower_than_the_published_intervals(mixed_curve):
    lengths = [row.statements for row in MIXED]
    low, high = mixed_curve.band(lengths)
    fitted = mixed_curve.accuracy(lengths)
    assert ((low < fitted) & (fitted < high)).all()
    assert ((high - low) < [2 * row.half_width for row in MIXED]).all()


def test_what_is_outside_the_tried_lengths_is_extrapolated(mixed_curve):
    found = mixed_curve.is_extrapolated([9, 10, 777, 5000, 5001])
    assert found.tolist() == [True, False, False, False, True]


def test_the_bootstrap_spreads_as_the_answers_of_the_fitted_curve_do():
    """Simulated experiments at a known curve: the standard deviations agree within a fifth."""
    rng = np.random.default_rng(1)
    lengths = np.array([100, 300, 1000, 3000])
    chance = 1 / (1 + (lengths / 900) ** 1.5)
    halves = []
    for _ in range(200):
        counts = rng.binomial(200, chance)
        points = [Point(n, int(k), 200) for n, k in zip(lengths, counts, strict=True)]
        halves.append(fit_curve(points, seed=1, replicates=1).half)
    expected = [Point(n, round(200 * p), 200) for n, p in zip(lengths, chance, strict=True)]
    spread = fit_curve(expected, seed=1).replicates[:, 0].std()
    assert spread == pytest.approx(np.std(halves), rel=0.2)


@given(st.lists(st.tuples(st.integers(1, 10_000), st.integers(0, 5)), min_size=2, max_size=6))
def test_any_table_gives_a_finite_curve_or_one_sentence(table):
    points = [Point(length, right, 5) for length, right in table]
    right = sum(point.right for point in points)
    if len({length for length, _ in table}) == 1 or right in (0, 5 * len(points)):
        with pytest.raises(ScenarioError, match="add lengths at which it fails"):
            fit_curve(points, seed=1, replicates=5)
        return
    try:
        curve = fit_curve(points, seed=1, replicates=5)
    except ScenarioError as refusal:
        assert re.search(  # noqa: PT017
            "must fall with the length|must have one between", str(refusal)
        )
        return
    assert np.isfinite(curve.replicates).all()
    assert np.isfinite(curve.band([1, 100, 10_000])).all()
    assert 0 < curve.half < inf


def test_a_table_whose_accuracy_rises_is_refused():
    with pytest.raises(ScenarioError, match="the accuracy must fall with the length"):
        fit_curve([Point(10, 1, 10), Point(100, 9, 10)], seed=1)


def test_a_table_that_is_all_right_and_then_all_wrong_has_no_interval_and_is_refused():
    with pytest.raises(ScenarioError) as caught:
        fit_curve([Point(100, 50, 50), Point(400, 0, 50), Point(9, 1, 1)], seed=1)
    assert str(caught.value) == (
        "points have accuracies of 0 and 100 % only but must have one between: add lengths "
        "between 100 and 400."
    )
    curve = fit_curve([Point(100, 50, 50), Point(200, 25, 50), Point(400, 0, 50)], seed=1)
    assert curve.half == pytest.approx(200, rel=0.01)
    low, high = curve.half_interval
    assert low < 195 < 205 < high


# N*


def test_n_star_of_a_compressor_is_where_the_curve_has_its_accuracy(mixed_curve):
    found = mixed_curve.crossing(wilson(1_600, 2_000), trials=2_000, seed=1)
    assert mixed_curve.accuracy([found.value])[0] == pytest.approx(0.8, rel=1e-9)
    assert 300 < found.low < found.value < found.high < 450


def test_more_programs_narrow_n_star_no_further_than_the_curve_allows(mixed_curve):
    widths = []
    for trials in (20, 200, 2_000, 200_000, 20_000_000):
        found = mixed_curve.crossing(wilson(trials * 4 // 5, trials), trials=trials, seed=1)
        widths.append(found.high - found.low)
    assert widths[0] > 2 * widths[1] > 3 * widths[2]
    assert widths[3:] == pytest.approx([100, 100], abs=5)


@pytest.mark.parametrize(("right", "length"), [(100, 0.0), (0, inf)])
def test_a_perfect_compressor_wins_at_once_and_a_hopeless_one_never(mixed_curve, right, length):
    found = mixed_curve.crossing(wilson(right, 100), trials=100, seed=1)
    assert (found.value, found.low, found.high) == (length, length, length)


def test_an_accuracy_that_is_known_leaves_only_the_curve_uncertain(mixed_curve):
    known = mixed_curve.crossing(Estimate(0.8, None, None), seed=1)
    found = mixed_curve.crossing(wilson(80, 100), trials=100, seed=1)
    assert known.value == found.value
    assert found.low < known.low < known.value < known.high < found.high
    half = mixed_curve.crossing(Estimate(0.5, None, None), seed=1)
    assert (half.low, half.high) == pytest.approx(mixed_curve.half_interval, rel=0.01)


def test_very_many_trials_are_drawn_in_part_and_narrow_the_curve_as_they_should():
    lengths, shares = (100, 500, 1_000, 5_000), (0.97, 0.7, 0.5, 0.08)
    widths = []
    for trials in (500, 50_000, 5_000_000):
        points = [Point(n, round(trials * p), trials) for n, p in zip(lengths, shares, strict=True)]
        low, high = fit_curve(points, seed=1, replicates=300).half_interval
        widths.append(high - low)
    assert widths[0] == pytest.approx(10 * widths[1], rel=0.2)
    assert widths[1] == pytest.approx(10 * widths[2], rel=0.2)


def test_n_star_by_experiment_agrees_with_the_chances():
    recipe = Recipe(statements=100, grammar="set_only", target_rate=0.04)
    found = score(recipe, drop(0.2), seed=1, programs=20_000)
    n_star = stuffing_curve(0.04, seed=1).crossing(found, trials=20_000, seed=1)
    assert n_star.value == pytest.approx(fit_target_curve().crossing(0.8, 0.04), rel=0.02)
    assert n_star.low < n_star.value < n_star.high
