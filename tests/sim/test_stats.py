"""Intervals and paired differences, against values worked out by other means."""

from math import comb, sqrt

import numpy as np
import pytest

from sim import TILES, Scenario, compare, simulate
from sim.stats import Ratio

MEANS = ("success", "cost", "compactions", "clears", "overflows", "final_context")


def play(seed=1, tasks=400, **changes):
    return simulate(Scenario().replace(**changes), seed=seed, tasks=tasks)


def by_hand(values):
    """Mean and 95 % interval of the mean."""
    values = np.asarray(values, dtype=float)
    error = 1.96 * values.std(ddof=1) / sqrt(len(values))
    return [values.mean(), values.mean() - error, values.mean() + error]


def ends(tile):
    return [tile.value, tile.low, tile.high]


# Means


@pytest.mark.parametrize("key", MEANS)
@pytest.mark.parametrize("tasks", [2, 3, 400])
def test_a_mean_lies_within_196_standard_errors(key, tasks):
    run = play(tasks=tasks, window=24_000, clear_tool_results=True)
    assert ends(run.tiles[key]) == pytest.approx(by_hand(getattr(run, key)), rel=1e-9, abs=1e-9)


def test_one_task_has_means_but_no_intervals():
    tiles = play(tasks=1).tiles
    for key in (*MEANS, "needed_lost", "p95_peak"):
        assert (tiles[key].low, tiles[key].high) == (None, None), key


# Shares

# Wilson score intervals without continuity correction as published (Newcombe 1998, table I), to
# the digits printed there; the last row is the mirror of the first.
PUBLISHED = [
    ({"window": 32_000, "instruction_keep": 1.0}, 1, 20, 0, "0.0000 0.1611"),
    ({"window": 32_000, "instruction_keep": 1.0}, 2, 29, 1, "0.0061 0.1718"),
    ({"window": 32_000}, 13, 148, 15, "0.0624 0.1605"),
    ({"window": 32_000, "instruction_keep": 0.7}, 1, 20, 20, "0.8389 1.0000"),
]


@pytest.mark.parametrize(
    ("changes", "seed", "tasks", "hits", "interval"),
    PUBLISHED,
    ids=[f"{row[3]} of {row[2]}" for row in PUBLISHED],
)
def test_a_share_has_the_published_wilson_interval(changes, seed, tasks, hits, interval):
    run = play(seed=seed, tasks=tasks, **changes)
    assert run.instruction_lost.sum() == hits
    tile = run.tiles["instruction_lost"]
    assert tile.value == hits / tasks
    assert f"{tile.low:.4f} {tile.high:.4f}" == interval


@pytest.mark.parametrize("key", ["instruction_lost", "failed"])
def test_the_ends_of_a_share_are_the_shares_that_the_score_test_just_accepts(key):
    run = play(strategy="none", tasks=250) if key == "failed" else play(window=32_000, tasks=250)
    share, n = getattr(run, key).mean(), 250
    assert 0 < share < 1
    roots = np.roots([1 + 1.96**2 / n, -(2 * share + 1.96**2 / n), share**2])
    tile = run.tiles[key]
    assert [tile.low, tile.high] == pytest.approx(sorted(roots), abs=1e-9)


# The ratio


def test_the_share_of_needed_facts_lost_has_a_delta_method_interval():
    run = play(strategy="truncate", tasks=60, fact_rate=0.1)
    lost, needed = run.needed_lost.astype(float), run.needed.astype(float)
    assert needed.std() > 0, "a constant denominator would not test the ratio"
    ratio = lost.sum() / needed.sum()
    residuals = (lost - ratio * needed) / needed.mean()
    error = 1.96 * residuals.std(ddof=1) / sqrt(60)
    assert ends(run.tiles["needed_lost"]) == pytest.approx([ratio, ratio - error, ratio + error])


def test_the_interval_of_the_ratio_is_about_that_of_leaving_one_task_out():
    run = play(strategy="truncate", tasks=400, fact_rate=0.1)
    lost, needed = run.needed_lost, run.needed
    left_out = (lost.sum() - lost) / (needed.sum() - needed)
    jackknife = 1.96 * sqrt(399 / 400 * ((left_out - left_out.mean()) ** 2).sum())
    tile = run.tiles["needed_lost"]
    assert (tile.high - tile.low) / 2 == pytest.approx(jackknife, rel=0.02)


def test_a_ratio_of_dollars_keeps_their_cents():
    dollars = Ratio(np.array([0.25, 0.5]), np.array([0.5, 1.75]))
    assert dollars.value == 1 / 3


def test_where_nothing_is_needed_nothing_is_lost():
    assert play(needed_facts=0, strategy="truncate").tiles["needed_lost"].value == 0.0


# The 95th percentile


# Peaks far apart, so that no two of those that matter are equal.
SPREAD = {"window": 200_000, "strategy": "none", "tool_tokens_median": 20_000}


def ranks(run):
    """The places, from 1, of the ends of the interval among the sorted peaks."""
    peaks, tile = np.sort(run.peak).tolist(), run.tiles["p95_peak"]
    assert peaks.count(tile.low) == peaks.count(tile.high) == 1, "its ends are peaks that were seen"
    return peaks.index(tile.low) + 1, peaks.index(tile.high) + 1


def coverage(n, low, high):
    """How often the 95 % quantile falls between these order statistics, whatever the law."""
    return sum(comb(n, k) * 0.95**k * 0.05 ** (n - k) for k in range(low, high))


@pytest.mark.parametrize("tasks", [72, 80, 100, 150, 400])
def test_the_order_statistics_of_the_peak_cover_its_percentile_and_no_more(tasks):
    """From 72 tasks on the largest peak alone leaves less than 2.5 % above it."""
    low, high = ranks(play(seed=2, tasks=tasks, **SPREAD))
    assert coverage(tasks, low, high) >= 0.95
    below, above = coverage(tasks, 0, low), coverage(tasks, high, tasks + 1)
    assert below <= 0.025 < coverage(tasks, 0, low + 1), "an end further in would still do"
    assert above <= 0.025 < coverage(tasks, high - 1, tasks + 1), "an end further in would still do"


@pytest.mark.parametrize("tasks", [1, 2, 12, 71])
def test_too_few_tasks_give_no_interval_of_the_peak(tasks):
    """Even up to the largest of 71 peaks the percentile is missed more than once in 40."""
    assert 0.95**72 < 0.025 < 0.95**71
    runs = [play(seed=2, tasks=tasks, **SPREAD | {"window": size}) for size in (200_000, 190_000)]
    for estimate in (runs[0].tiles["p95_peak"], compare(*runs)["p95_peak"]):
        assert (estimate.low, estimate.high) == (None, None)
        assert np.isfinite(estimate.value)


def test_the_interval_of_the_peak_holds_the_truth_nineteen_times_in_twenty():
    truth = np.percentile(play(seed=1_000, tasks=20_000, **SPREAD).peak, 95)
    tiles = [play(seed, 100, **SPREAD).tiles for seed in range(200)]
    held = sum(tile["p95_peak"].low <= truth <= tile["p95_peak"].high for tile in tiles)
    assert 190 <= held < 200


# Paired differences

BASELINE = {"strategy": "truncate"}
CANDIDATE = {"summary_budget": 2_000, "window": 48_000, "clear_tool_results": True}


@pytest.fixture(scope="module")
def pair():
    return play(tasks=150, **BASELINE), play(tasks=150, **CANDIDATE)


@pytest.mark.parametrize("key", [*MEANS, "instruction_lost", "failed"])
def test_a_difference_is_the_mean_of_the_differences_task_by_task(pair, key):
    baseline, run = pair
    differences = [
        float(after) - float(before)
        for before, after in zip(getattr(baseline, key), getattr(run, key), strict=True)
    ]
    found = ends(compare(baseline, run)[key])
    assert found == pytest.approx(by_hand(differences), rel=1e-9, abs=1e-9)


def test_the_difference_in_needed_facts_lost_pairs_the_two_ratios():
    baseline, run = (play(tasks=150, fact_rate=0.1, **changes) for changes in (BASELINE, CANDIDATE))
    assert baseline.needed.tolist() == run.needed.tolist()
    needed = run.needed.astype(float)
    difference = run.needed_lost.astype(float) - baseline.needed_lost
    ratio = difference.sum() / needed.sum()
    error = 1.96 * ((difference - ratio * needed) / needed.mean()).std(ddof=1) / sqrt(150)
    found = compare(baseline, run)["needed_lost"]
    assert ends(found) == pytest.approx([ratio, ratio - error, ratio + error])


def test_the_difference_in_peaks_is_that_of_the_two_percentiles(pair):
    baseline, run = pair
    found = compare(baseline, run)["p95_peak"]
    assert found.value == pytest.approx(
        np.percentile(run.peak, 95) - np.percentile(baseline.peak, 95)
    )
    assert found.low < found.value < found.high


def test_every_tile_has_its_difference(pair):
    assert set(compare(*pair)) == set(pair[0].tiles)
    assert tuple(compare(*pair))[: len(TILES)] == TILES


def test_a_run_does_not_differ_from_itself(pair):
    for difference in compare(pair[0], pair[0]).values():
        assert ends(difference) == [0.0, 0.0, 0.0]


def test_turning_a_comparison_round_turns_its_signs(pair):
    there, back = compare(*pair), compare(*reversed(pair))
    for key, difference in there.items():
        mirrored = [-back[key].value, -back[key].high, -back[key].low]
        assert ends(difference) == pytest.approx(mirrored, abs=1e-9), key


def test_pairing_tells_more_than_two_separate_intervals():
    baseline, run = play(), play(summary_budget=1_200)
    paired = compare(baseline, run)["cost"]
    assert paired.high - paired.low < (run.tiles["cost"].high - run.tiles["cost"].low) / 5


def test_one_task_gives_a_difference_without_an_interval():
    difference = compare(play(tasks=1), play(tasks=1, strategy="truncate"))["cost"]
    assert (difference.low, difference.high) == (None, None)
    assert difference.value != 0


@pytest.mark.parametrize(("other", "named"), [({"seed": 2}, "seed"), ({"tasks": 99}, "tasks")])
def test_runs_of_different_tasks_are_not_compared(other, named):
    baseline = play(tasks=100)
    run = play(**({"tasks": 100} | other))
    with pytest.raises(ValueError, match=named):
        compare(baseline, run)


@pytest.mark.parametrize(
    "other",
    [
        {"window": 32_000},
        {"forgetful_summariser": True},
        {"input_per_mtok": 5.0},
        {"noisy_tools": True},
        {"mean_steps": 30},
    ],
)
def test_another_policy_or_another_world_on_the_same_draws_is_compared(other):
    assert set(TILES) <= set(compare(play(tasks=20), play(tasks=20, **other)))
