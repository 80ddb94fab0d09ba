"""The SET-only curve over length and target rate, and the published N* table beside it."""

import numpy as np
import pytest

from sim.stats import Estimate
from sim.studies.state_tracking import (
    Recipe,
    crossover_table,
    curve_for,
    explain,
    fit_target_curve,
    gaps,
    oddities,
    published,
    stuffing_curve,
)

BANDS = [(100, 0.99), (500, 0.64), (1000, 0.45), (5000, 0.15)]
GRID = np.log(published().grid)
RATES = np.array([0.004, 0.01, 0.04, 0.1, 0.2])


def pooled(statements):
    """Our accuracy at a length over all target rates, as the bands have it."""
    return np.mean([fit_target_curve().accuracy([statements], rate)[0] for rate in RATES])


# The bands


def test_the_bands_give_an_accuracy_at_four_lengths():
    assert published().pooled == dict(BANDS)


@pytest.mark.parametrize(("statements", "share"), BANDS[:3])
def test_the_curve_agrees_with_a_band_within_the_error_of_125_answers(statements, share):
    assert abs(pooled(statements) - share) < 1.96 * (share * (1 - share) / 125) ** 0.5


def test_at_5_000_statements_the_curve_is_just_outside_the_band():
    assert pooled(5000) == pytest.approx(0.086, abs=0.001)
    assert pytest.approx(0.087, abs=0.001) == 0.15 - 1.96 * (0.15 * 0.85 / 125) ** 0.5


def alone(step, guess):
    """The pooled accuracy at a length of a curve fitted to N* alone, by other means than ours."""
    rows = {row.accuracy: row.statements for row in published().crossovers}
    x, y = [], []
    for reading, lengths in rows.items():
        level = reading - step / 2
        for rate, length in zip(RATES, lengths, strict=True):
            place = published().grid.index(length)
            y.append((GRID[place] + GRID[max(0, place - 1)]) / 2)
            x.append([1, np.log(rate), np.log((1 - level) / (level - guess))])
    (constant, slope, flatness), *_ = np.linalg.lstsq(np.array(x), np.array(y))

    def accuracy(statements):
        odds = (statements / np.exp(constant + slope * np.log(RATES))) ** (1 / flatness)
        return np.mean(guess + (1 - guess) / (1 + odds))

    return accuracy


def test_what_the_note_says_of_the_way_from_36_to_45_percent():
    coarse, finer, guessing = alone(0.2, 0), alone(0.04, 0), alone(0.04, 1 / 16)
    assert f"{coarse(1000):.0%} {coarse(100):.0%}" == "36% 94%"
    points = np.diff([coarse(1000), finer(1000), guessing(1000), pooled(1000)])
    assert np.round(100 * points).tolist() == [3, 2, 2]
    assert f"{pooled(1000):.0%} {pooled(5000):.0%}" == "42% 9%"


# The curve


def test_the_fit_is_the_best_of_its_neighbours():
    """Against the sum of squares written out: bands by sampling error, crossings by scatter."""
    rows = {row.accuracy: row.statements for row in published().crossovers}

    def misfit(scale, slope, steepness):
        half, total = scale * RATES**-slope, 0
        for reading, lengths in rows.items():
            odds = (1 - reading + 0.02) / (reading - 0.02 - 1 / 16)
            for at, length in zip(half, lengths, strict=True):
                place = published().grid.index(length)
                middle = (GRID[place] + GRID[max(0, place - 1)]) / 2
                total += ((np.log(at * odds ** (1 / steepness)) - middle) / 0.28509) ** 2
        for length, share in BANDS:
            found = np.mean(1 / 16 + 15 / 16 / (1 + (length / half) ** steepness))
            total += (found - share) ** 2 / (share * (1 - share) / 125)
        return total

    curve = fit_target_curve()
    best = misfit(curve.scale, curve.slope, curve.steepness)
    for change in np.ndindex(3, 3, 3):
        factors = 1 + 0.001 * (np.array(change) - 1)
        if change != (1, 1, 1):
            assert misfit(*factors * [curve.scale, curve.slope, curve.steepness]) > best


def test_the_curve_falls_from_all_to_a_guess():
    curve = fit_target_curve()
    assert curve.accuracy([1e-9, 1e12], 0.04) == pytest.approx([1, 1 / 16])
    assert curve.accuracy([curve.half(0.04)], 0.04) == pytest.approx([(1 + 1 / 16) / 2])


@pytest.mark.parametrize("target_rate", RATES)
def test_a_stuffing_curve_is_the_fitted_one_at_its_rate(target_rate):
    curve, fitted = stuffing_curve(target_rate, seed=1), fit_target_curve()
    lengths = [100, 700, 5000]
    assert curve.accuracy(lengths) == pytest.approx(fitted.accuracy(lengths, target_rate))
    known = curve.crossing(Estimate(0.7, None, None), seed=1)
    assert known.value == pytest.approx(fitted.crossing(0.7, target_rate))
    for accuracy in (0.3, 0.5, 0.7, 0.9):
        low, high = curve.band([fitted.crossing(accuracy, target_rate)])
        assert low[0] < accuracy < high[0]


def test_no_context_is_worse_than_a_guess_so_a_worse_state_never_wins():
    curve = stuffing_curve(0.04, seed=1)
    assert curve.crossing(Estimate(1 / 16, None, None), seed=1).value == float("inf")
    assert curve.crossing(Estimate(0.07, None, None), seed=1).value < 10_000


def test_another_seed_plays_the_sweep_anew():
    one, same, other = (stuffing_curve(0.04, seed=seed).replicates for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


# What is extrapolated


@pytest.mark.parametrize(("rate", "is_outside"), [(0.0039, True), (0.05, False), (0.21, True)])
def test_a_rate_outside_the_published_ones_is_extrapolated_at_every_length(rate, is_outside):
    for curve in (stuffing_curve(rate, seed=1), fit_target_curve()):
        of_rate = () if hasattr(curve, "tried") else (rate,)
        found = curve.is_extrapolated([99, 100, 5000, 5001], *of_rate)
        assert found.tolist() == [True, is_outside, is_outside, True]


GAPS = [
    ({"grammar": "mixed"}, []),
    ({"grammar": "set_only"}, []),
    ({"grammar": "set_only", "target_rate": 0.1}, []),
    (
        {"grammar": "set_only", "target_rate": 0.3},
        ["Extrapolated: target rates were tried from 0.004 to 0.2, not 0.3."],
    ),
    (
        {"grammar": "set_only", "target_rate": 0.1, "last_position": 0.5, "value_reuse": 0.2},
        [
            "The published figures pool all positions: the curve knows none by itself.",
            "Extrapolated: nothing is published about the reuse of values.",
        ],
    ),
]


@pytest.mark.parametrize(("settings", "sentences"), GAPS)
def test_what_the_published_curve_does_not_know_of_a_recipe_is_said(settings, sentences):
    recipe = Recipe(**settings)
    assert list(gaps(recipe)) == sentences
    assert curve_for(recipe, seed=1).is_extrapolated([500])[0] == ("not 0.3" in str(sentences))


# The table

STEPS = [
    [0, 0, 0, -1, 0],
    [0, 0, 1, 0, 0],
    [0, 0, 0, 0, 0],
    [0, 0, 0, -1, 0],
    [0, 0, 0, -1, 0],
    [1, 0, 2, 1, 0],
    [0, 0, 0, 0, 0],
]


def test_34_of_35_published_cells_are_within_one_grid_step_and_28_are_met():
    cells = crossover_table(fit_target_curve())
    steps = np.array([cell.steps for cell in cells]).reshape(7, 5)
    assert steps.tolist() == STEPS
    assert (abs(steps) <= 1).sum() == 34
    assert (steps == 0).sum() == 28


def test_a_cell_has_the_first_tried_length_beyond_its_crossing():
    for cell in crossover_table(fit_target_curve()):
        shorter = [length for length in published().grid if length < cell.ours]
        assert all(length < cell.crossing for length in shorter)
        assert cell.crossing <= cell.ours


def test_each_miss_is_explained_and_only_those():
    cells = crossover_table(fit_target_curve())
    said = [explain(cell, seed=1) for cell in cells]
    assert [bool(sentence) for sentence in said] == [cell.steps != 0 for cell in cells]
    assert said[3] == (
        "The curve crosses at 97, 3 % short of 100; its 95 % interval, 78 to 130, reaches the "
        "published step."
    )
    assert said[27] == (
        "The curve crosses at 422, 21 % beyond 350; its 95 % interval, 394 to 500, does not reach "
        "the published step."
    )


def test_the_oddities_of_the_source_are_said():
    readings, claim = oddities()
    assert readings.startswith("A compressor was read in 5 trials a cell, in steps of 20 %")
    assert "drop 20 % as 60 %" in readings
    assert claim == (
        "The text has substitute 20 % win beyond 150 to 500 statements; its own row goes from 100 "
        "to 500."
    )
