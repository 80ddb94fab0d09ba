"""Seed 003's regimes: the table as it was printed, the tasks, the savings and the corner."""

from math import erfc

import numpy as np
import pytest

from sim import Scenario, card_settings, simulate
from sim.presets import PRESETS
from sim.studies.corner import front, grid
from sim.studies.late_tokens import batches
from sim.studies.pool import Pool
from sim.studies.regime_table import CURRENCIES, SAYS, settings, workload
from sim.studies.study import published

OPUS, GPT = SAYS["models"]
PRINTED = [
    # accuracy on both benchmarks, median and largest peak, savings
    ("Claude Opus 4.5", "full", 0.700, 0.472, 32_000, 200_000, None),
    ("Claude Opus 4.5", "compacted", 0.748, 0.528, 19_000, 22_000, 3.8),
    ("Claude Opus 4.5", "single", 0.702, 0.518, 8_000, 16_000, 5.5),
    ("GPT 5.6 Sol", "full", 0.844, 0.876, 18_000, 173_000, None),
    ("GPT 5.6 Sol", "compacted", 0.888, 0.888, 22_000, 35_000, 3.4),
    ("GPT 5.6 Sol", "single", 0.824, 0.843, 7_000, 15_000, 5.2),
]


def test_the_published_table_is_the_printed_one():
    keys = ("swe_bench", "terminal_bench", "median_peak", "max_peak", "cheaper")
    rows = [
        (model["name"], regime, *(model[regime].get(key) for key in keys))
        for model in SAYS["models"]
        for regime in ("full", "compacted", "single")
    ]
    assert rows == PRINTED
    limits = [(m["compacted"]["window"], m["compacted"]["trigger"]) for m in (OPUS, GPT)]
    assert limits == [(24_000, 18_000), (48_000, 36_000)]
    assert SAYS["cache_saved"] == 0.89
    assert (SAYS["late_token"]["low"], SAYS["late_token"]["high"]) == (3.6, 7.0)
    drawn = [(row["tokens"], row["cost"]) for row in published("regimes")["drawing"]["rows"]]
    assert drawn == [(4_096, 1.0), (32_768, 2.2), (98_304, 4.5), (204_800, 7.0)]


def test_every_published_figure_is_marked_as_not_verified(study):
    rows = [row for table in study("regimes").tables for row in table.rows]
    assert sum(row.is_published for row in rows) > 40
    assert not any(row.verified for row in rows if row.is_published)
    assert "could not be found" in study("regimes").sources[0]


def test_tasks_are_as_long_as_the_whole_histories_were(table):
    for title, name in (("Median peak", "median_peak"), ("Largest peak", "max_peak")):
        rows = table("regimes", title)
        for model in (OPUS, GPT):
            row = rows[f"{model['name']}, whole history"]
            assert row.published == model["full"][name]
            assert row.within


def test_the_steps_follow_from_two_printed_figures():
    # A step adds 200 + 1,500 · exp(0.7² / 2) tokens, to 3,500 that are always there.
    found = workload(OPUS)
    sigma = found["steps_sigma"]
    deviations = np.log(196_500 / 28_500) / sigma
    # Half of the time the largest of 500 is below what one of them is below with this chance.
    assert (0.5 * erfc(-deviations / 2**0.5)) ** 500 == pytest.approx(0.5, rel=1e-6)
    median = 28_500 / (200 + 1_500 * np.exp(0.245))
    assert found["mean_steps"] == pytest.approx(median * np.exp(sigma**2 / 2))


def test_the_three_regimes_are_a_large_window_a_small_one_and_a_trigger_at_every_step():
    full, compacted, single = (settings(GPT, name) for name in ("full", "compacted", "single"))
    assert (full["strategy"], full["window"]) == ("none", 200_000)
    assert (compacted["window"], compacted["trigger"]) == (48_000, 0.75)
    run = simulate(Scenario().replace(**single), seed=1, tasks=50)
    assert (run.compactions == run.steps).all()


def test_the_presets_of_the_regimes_guess_what_the_study_does():
    for regime, presets in (
        ("compacted", ["end_of_context_24k", "end_of_context_48k"]),
        ("single", ["single_action"]),
    ):
        for found in (settings(OPUS, regime), *(PRESETS[name].settings for name in presets)):
            assert (found["summary_budget"], found["keep_recent"]) == (1_000, 0)
    for preset, model in (("end_of_context_24k", OPUS), ("end_of_context_48k", GPT)):
        there = PRESETS[preset].settings_at()
        assert {name: settings(model, "compacted")[name] for name in there} == there


def plain(model, regime, seed):
    cards = card_settings("opus_4_5") | card_settings("70b") | card_settings("h100")
    return simulate(Scenario().replace(**settings(model, regime), **cards), seed=seed, tasks=1000)


def test_peaks_success_and_savings_are_those_of_plain_runs(table):
    label = "Claude Opus 4.5, compacted near the end"
    whole, small = ([plain(OPUS, name, s) for s in range(1, 6)] for name in ("full", "compacted"))
    peaks = np.concatenate([run.peak for run in small])
    assert table("regimes", "Median peak")[label].ours == np.percentile(peaks, 50)
    assert table("regimes", "Largest peak")[label].ours == pytest.approx(
        np.percentile(peaks, 100 * 0.5 ** (1 / 500))
    )
    success = [np.concatenate([run.success for run in runs]).mean() for runs in (whole, small)]
    assert table("regimes", "Task success")[label].ours == pytest.approx(success[1])
    gain = table("regimes", "Success more than")[f"{label}, SWE-bench Verified"]
    assert gain.ours == pytest.approx(100 * (success[1] - success[0]))
    assert gain.published == pytest.approx(4.8)
    cost = [sum(run.cost.sum() for run in runs) for runs in (whole, small)]
    cheaper = table("regimes", "Times cheaper than the whole history: Claude Opus 4.5 with a cache")
    assert cheaper[label].ours == pytest.approx(cost[0] / cost[1])


def test_the_time_of_generation_is_summed_over_every_step_and_every_summary():
    run = plain(OPUS, "compacted", 1)
    found = CURRENCIES["GPU time of what is written"](run)
    for task in range(20):
        timeline, seconds = run.timeline(task), 0.0

        def decode(tokens):
            return (70.6e9 * 2 / 16 + 327_680 * tokens) / (8 * 3.35e12)

        steps = len(timeline.after)
        seconds += sum(200 * decode(int(tokens)) for tokens in timeline.read[:steps])
        seconds += sum(1_000 * decode(e.before) for e in timeline.events if e.kind == "compaction")
        assert found[task] == pytest.approx(seconds, rel=1e-9)


def test_the_penalty_of_3_6_to_7_is_reached_at_batches_of_11_and_35(table):
    assert [round(batch) for batch in batches()] == [11, 35]
    rows = table("regimes", "A token after 131,072 tokens")
    by_hand = {
        batch: (141.2e9 / batch + 327_680 * 131_072) / (141.2e9 / batch + 327_680 * 8_192)
        for batch in (11, 16, 35)
    }
    for batch, penalty in by_hand.items():
        row = rows[f"Llama 3.1 70B, batch {batch}"]
        assert row.ours == pytest.approx(penalty)
        assert row.within


def test_the_front_has_every_policy_that_no_other_beats_in_both():
    pool = Pool(7, seeds=1, tasks=60)
    policies = grid()[::4]
    results = {
        one: (pool.runs(one)[0].cost.mean(), pool.runs(one)[0].success.mean()) for one in policies
    }
    unbeaten = [
        one
        for one, (cost, success) in results.items()
        if not any(
            (c <= cost and s >= success) and (c < cost or s > success) for c, s in results.values()
        )
    ]
    assert set(front(pool, policies)) == set(unbeaten)
    assert 1 < len(unbeaten) < len(policies)


def test_the_corner_keeps_hardly_any_recent_steps_and_fires_early(table):
    rows = list(table("regimes", "Policies that none beats"))
    assert {label.split(", ")[-1] for label in rows} <= {"0 steps kept", "1 steps kept"}
    assert sum("trigger 40 %" in label for label in rows) > len(rows) / 2


def test_with_rework_the_front_keeps_more_and_fires_later(table):
    rows = list(table("regimes", "The same with 18 requests of rework"))
    assert any("6 steps kept" in label for label in rows)
    assert not any("trigger 40 %" in label or "trigger 50 %" in label for label in rows)
    assert {one.rework.rework for one in grid(rework=18)} == {18}
    assert published("regimes")["rework"]["after"] == 28
    assert published("regimes")["rework"]["before"] == 10


def test_a_pool_is_the_runs_of_its_seeds():
    pool = Pool(4, seeds=2, tasks=30)
    values = pool.column(Scenario(), lambda run: run.cost)
    by_hand = [simulate(Scenario(), seed=seed, tasks=30).cost for seed in (4, 5)]
    assert values.tolist() == np.concatenate(by_hand).tolist()
    assert pool.runs(Scenario()) is pool.runs(Scenario())
    tokens = pool.usage(Scenario())["request_tokens"]
    assert tokens.tolist() == pool.column(Scenario(), lambda run: run.request_tokens).tolist()
