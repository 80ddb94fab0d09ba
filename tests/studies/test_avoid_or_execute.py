"""Seed 001's trade: the article's figures by hand, and the moments of compaction one by one."""

import numpy as np
import pytest

from sim import Scenario, card_settings, simulate
from sim.studies.avoid_or_execute import AVOID, EXECUTE, POLICIES
from sim.studies.moments import moments
from sim.studies.study import published

HARDWARE = card_settings("70b") | card_settings("h100")
FLOPS = 8 * 989e12 * 0.5


def prefill(uncached, tokens):
    """Seconds: two operations a weight, four a layer, head and dimension of each pair."""
    pairs = sum(tokens - uncached + place + 0.5 for place in range(uncached))
    return (2 * 70.6e9 * uncached + 4 * 80 * 64 * 128 * pairs) / FLOPS


def test_the_memory_of_a_70b_model_is_that_of_the_article(table):
    rows = table("avoid_or_execute", "What the article says")
    assert rows["KV cache of one token"].ours == 327_680
    assert rows["KV cache of 200,000 tokens"].ours == 65.536
    assert rows["KV cache of 200,000 tokens, powers of two"].ours == pytest.approx(61.035, abs=5e-4)
    assert all(rows[label].within for label in rows if label.startswith("KV cache"))


def test_dozens_of_seconds_are_those_of_older_gpus(table):
    rows = table("avoid_or_execute", "What the article says")
    new, old = (
        rows[f"first token of 150,000 tokens, no cache, eight {gpu}"] for gpu in ("H100", "A100")
    )
    assert new.ours == pytest.approx(prefill(150_000, 150_000), rel=1e-9)
    assert old.ours == pytest.approx(prefill(150_000, 150_000) * 989 / 312, rel=1e-9)
    assert (new.within, old.within) == (False, True)


def test_a_step_on_a_warm_cache_waits_for_some_hundred_milliseconds(table):
    row = table("avoid_or_execute", "What the article says")[
        "first token of 150,000 tokens, all but one step cached"
    ]
    runs = [simulate(Scenario(), seed=seed, tasks=400) for seed in (1, 2, 3, 4, 5)]
    step = np.concatenate([run.grown for run in runs]).mean()
    assert prefill(int(step), 150_000) <= row.ours <= prefill(int(step) + 1, 150_000)
    assert row.within


def test_what_a_cache_saves_of_the_input_is_by_hand(table):
    rows = table("avoid_or_execute", "What the article says")
    settings = {"strategy": "none", "window": 200_000, "trigger": 0.75}
    scenario = Scenario().replace(**settings, **card_settings("sonnet_4_6"))
    runs = [simulate(scenario, seed=seed, tasks=400) for seed in (1, 2, 3, 4, 5)]
    asked = sum(int(run.usage.request_tokens.sum()) for run in runs)
    cached = sum(int(run.usage.cached_tokens.sum()) for run in runs)
    with_cache = cached * 0.30 + (asked - cached) * 3.75
    row = rows["input without a cache over input with it"]
    assert row.ours == pytest.approx(asked * 3 / with_cache)
    assert (row.published, row.within) == (10.0, False)
    assert rows["input cost that the cache saves"].ours == pytest.approx(1 - 1 / row.ours)
    assert rows["discount on cached input"].ours == pytest.approx(0.9)


def test_the_tool_output_of_a_final_context_is_what_is_neither_prompt_nor_message(table):
    row = table("avoid_or_execute", "What the article says")["tool output in a final context"]
    settings = {"strategy": "none", "window": 200_000}
    runs = [simulate(Scenario().replace(**settings), seed=s, tasks=400) for s in (1, 2, 3, 4, 5)]
    tool = sum(int((run.grown - 200).sum()) for run in runs)
    # Two tasks in a thousand outgrow the window, and do not take all their steps.
    assert row.ours == pytest.approx(
        tool / (tool + sum(int(run.steps.sum()) * 200 + 3_500 * 400 for run in runs)), abs=2e-3
    )


def test_the_moments_of_compaction_are_those_of_the_tasks_step_by_step():
    scenario = Scenario().replace(**HARDWARE, caching=True, trigger=0.75, window=32_000)
    run = simulate(scenario, seed=3, tasks=12)
    found = moments(run)
    for task in range(12):
        timeline, sums = run.timeline(task), np.zeros(5)
        for event in timeline.events:
            if event.kind == "compaction":
                grown = int(timeline.after[event.step] - timeline.read[event.step])
                sums += [
                    1,
                    event.before - grown - 3_000,
                    prefill(grown, event.before),
                    prefill(event.after - 3_000, event.after),
                    prefill(event.before, event.before),
                ]
        got = [getattr(found, name)[task] for name in found.__slots__]
        assert got == pytest.approx(sums.tolist(), rel=1e-9)
    assert found.count.sum() > 12


def test_the_wait_after_a_compaction_stands_between_a_warm_and_a_cold_one(table):
    warm, after, cold = table("avoid_or_execute", "Wait for the first token").values()
    assert warm.high < after.low < after.high < cold.low


@pytest.mark.parametrize(
    ("title", "read"),
    [
        ("Task success", lambda run: run.success),
        ("Dollars per task", lambda run: run.cost),
        ("Longest wait for a first token", lambda run: run.longest_ttft_s),
        ("Memory of the KV cache", lambda run: run.peak * 327_680 / 1e9),
    ],
)
def test_each_measure_is_the_mean_of_the_pool(table, title, read):
    rows = table("avoid_or_execute", title)
    assert list(rows) == list(POLICIES)
    settings = card_settings("sonnet_4_6") | HARDWARE | {"trigger": 0.75}
    scenario = Scenario().replace(**settings)
    values = [read(simulate(scenario, seed=seed, tasks=400)) for seed in (1, 2, 3, 4, 5)]
    assert rows[EXECUTE].ours == pytest.approx(np.concatenate(values).mean())


def test_removing_nothing_needs_the_most_memory(table):
    rows = table("avoid_or_execute", "Memory of the KV cache")
    assert max(rows, key=lambda label: rows[label].low) == AVOID


def test_the_published_figures_are_those_of_the_article_and_its_repository():
    found = published("physical_cost")
    assert found["memory"] == {
        "bytes_per_token": 327_680,
        "tokens": 200_000,
        "gb": {"value": 65.5, "low": 65.45, "high": 65.55},
        "gib": {"value": 61.0, "low": 60.95, "high": 61.05},
    }
    assert found["wait"] == {
        "tokens": 150_000,
        "cold_s": {"low": 24.0},
        "warm_s": {"low": 0.1, "high": 1.0},
    }
    assert found["cache"] == {
        "discount": 0.9,
        "cost_factor": 10.0,
        "lost_tokens": {"low": 10_000, "high": 99_999},
        "trigger": 0.75,
    }
    assert found["sessions"] == {"input_saved": {"low": 0.5, "high": 0.8}, "tool_share": 0.839}
