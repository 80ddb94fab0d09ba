"""Parts E and G: what files give back, and what a compaction makes the agent read again."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim import Scenario, log, simulate
from tests.sim.test_masking import packed_scenarios
from tests.strategies import seeds

LARGE = {"offloading": True, "tool_tokens_median": 9_000.0, "tool_tokens_sigma": 0.0}
LARGE |= {"mean_steps": 20.0, "steps_sigma": 0.0, "fact_rate": 1.0, "strategy": "none"}


def test_a_large_result_arrives_as_a_preview_and_its_facts_are_read_back_one_by_one():
    """20 steps of 200 + 250 tokens: the context ends at 12,500 and four facts are read back."""
    run = simulate(LARGE | {"read_back_rate": 1.0}, seed=1, tasks=3)
    assert run.peak.tolist() == run.final_context.tolist() == 3 * [12_500 + 4 * 2_000]
    steps = sum(3_500 + 450 * step for step in range(20))
    back = sum(12_500 + 2_000 * already for already in range(5))  # the last is the final request
    assert run.request_tokens.tolist() == 3 * [steps + back]
    assert set(run.facts.state_names()) == {"disk"}
    assert set(run.facts.cause_names()) == {"offloaded"}
    assert sorted(run.facts.read_order[run.facts.task == 0].tolist()) == 16 * [-1] + [0, 1, 2, 3]
    assert run.needed_lost.tolist() == [0, 0, 0]


def test_a_result_of_the_limit_is_not_offloaded():
    exact = simulate(LARGE | {"offload_above": 9_000, "window": 1_000_000}, seed=1, tasks=1)
    assert exact.final_context.tolist() == [3_500 + 20 * 9_200]


def test_the_agent_neither_notes_nor_restates_what_it_has_not_seen():
    run = simulate(LARGE | {"notes": True, "noted_rate": 1.0, "restated_rate": 1.0}, seed=1)
    assert not run.facts.noted.any()
    assert not run.facts.restated.any()
    assert (run.final_context - 12_500 <= 4 * 2_000).all()


def test_the_share_read_back_is_met():
    for rate in (0.8, 0.3):
        run = simulate(LARGE | {"read_back_rate": rate}, seed=1, tasks=400)
        assert run.tiles["needed_lost"].value == pytest.approx(1 - rate, abs=0.03)
    archived = {"archive": True, "archive_rate": 0.3, "strategy": "truncate"}
    plain, filed = (
        simulate({"strategy": "truncate"} | more, seed=1, tasks=4_000).needed_lost.sum()
        for more in ({}, archived)
    )
    assert filed / plain == pytest.approx(0.7, abs=0.015)


def test_what_does_not_fit_the_window_is_not_read_back():
    """12,500 tokens in a window of 17,000: room for two."""
    run = simulate(LARGE | {"read_back_rate": 1.0, "window": 17_000}, seed=1, tasks=5)
    assert run.final_context.tolist() == 5 * [16_500]
    assert run.needed_lost.tolist() == 5 * [2]


@given(
    setting=packed_scenarios(),
    rates=st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted),
    seed=seeds(),
)
def test_more_read_back_never_loses_more(setting, rates, seed):
    setting = setting | {"offloading": True, "archive": True}
    low, high = (
        simulate(setting | {"read_back_rate": rate, "archive_rate": rate}, seed=seed, tasks=4)
        for rate in rates
    )
    assert (high.needed_lost <= low.needed_lost).all()
    assert (high.request_tokens >= low.request_tokens).all()
    assert high.compactions.tolist() == low.compactions.tolist()


@given(setting=packed_scenarios(), seed=seeds())
def test_an_archive_never_loses_a_fact_that_would_be_kept_without(setting, seed):
    without, filed = (
        simulate(setting | {"archive": on, "offloading": False}, seed=seed, tasks=4)
        for on in (False, True)
    )
    assert (filed.needed_lost <= without.needed_lost).all()
    assert filed.facts.cause_names() == without.facts.cause_names()


def test_an_archive_keeps_what_compaction_drops_and_nothing_that_was_cleared_or_masked():
    setting = {"archive": True, "archive_rate": 1.0, "window": 32_000, "fact_rate": 1.0}
    cleared = simulate(setting | {"clear_tool_results": True}, seed=1, tasks=50).facts
    pairs = set(zip(cleared.state_names(), cleared.cause_names(), strict=True))
    assert ("lost", "cleared") in pairs
    assert ("archive", "cleared") not in pairs
    assert ("archive", "summarised") in pairs


# Re-reading after a compaction


@pytest.mark.parametrize("keep", [0, 6, 12])
def test_re_reading_has_the_mean_of_its_formula(keep):
    run = simulate({"rework": 4.0, "keep_recent": keep, "window": 32_000}, seed=1, tasks=400)
    mean = 4.0 * math.exp(-keep / 6)
    count = run.usage.reread_requests.sum() / run.compactions.sum()
    assert count == pytest.approx(mean, rel=0.05)
    # The fraction is drawn at each compaction, so no count is more than one from the mean.
    again = run.edits.kind == log.REWORK
    added = (run.edits.after - run.edits.before)[again] // 600
    assert set(added.tolist()) <= {math.floor(mean), math.ceil(mean)}


def test_the_bill_of_re_reading_is_that_of_a_calculation_by_hand():
    """Two steps of 1,200 tokens; the second fires, one step goes into a summary of 400, and the
    agent reads three times again, of 4,600, 5,200 and 5,800 tokens."""
    setting = {
        "mean_steps": 2.0, "min_steps": 2, "max_steps": 2, "tool_tokens_median": 1_000.0,
        "tool_tokens_sigma": 0.0, "window": 6_400, "trigger": 0.9, "keep_recent": 1,
        "summary_budget": 400, "rework": 3.0, "rework_decay": 1000.0,
    }  # fmt: skip
    run = simulate(setting | {"rework": 3.0 * math.exp(1 / 1000)}, seed=1, tasks=1)
    assert run.usage.reread_requests.tolist() == [3]
    assert run.usage.reread_tokens.tolist() == [4_600 + 5_200 + 5_800]
    assert run.request_tokens.tolist() == [3_500 + 4_700 + 4_600 + 5_200 + 5_800 + 6_400]
    assert run.final_context.tolist() == run.peak.tolist() == [6_400]
    assert run.payback_requests is None  # 1,300 tokens were freed and 1,800 read again
    once = simulate(setting | {"rework": 1.0 * math.exp(1 / 1000)}, seed=1, tasks=1)
    assert once.payback_requests == pytest.approx((5_900 + 4_600) / (1_300 - 600))
    cached = simulate(
        setting | {"rework": 1.0 * math.exp(1 / 1000), "caching": True}, seed=1, tasks=1
    )
    # Read: 3,500 and 3,000 after the summary, and then all 4,600 of the one more request.
    assert cached.usage.cached_tokens.tolist() == [3_500 + 3_000 + 4_600]
    tight = simulate(setting | {"rework": 3.5, "window": 6_399}, seed=1, tasks=1)
    assert tight.usage.reread_requests.tolist() == [2]


def test_the_next_compaction_takes_away_what_was_read_again():
    """It leaves the system prompt, the summary and six steps, whatever was read before."""
    run = simulate({"rework": 3.0 * math.e, "window": 32_000}, seed=1, tasks=200)
    assert (run.usage.reread_requests > 3).any()
    for i in range(200):
        events = [e for e in run.timeline(i).events if e.kind == "compaction"]
        steps = run.grown[run.steps[:i].sum() :]
        kept = [3_000 + 1_000 + int(steps[e.step - 5 : e.step + 1].sum()) for e in events]
        if not run.overflows[i]:
            assert [e.after for e in events] == kept


@given(setting=packed_scenarios(), seed=seeds())
def test_re_reading_without_end_still_fits_the_window(setting, seed):
    run = simulate(setting | {"rework": 100.0, "rework_decay": 1000.0}, seed=seed, tasks=3)
    after = run.edits.after[run.edits.kind == log.REWORK]
    assert (after <= run.scenario.policy.window).all()


def test_keeping_one_step_and_a_large_summary_stops_being_the_cheapest_with_re_reading():
    """Without re-reading nothing speaks for keeping more steps; the model says so (Part G)."""
    base = Scenario().replace(window=32_000, summary_budget=8_000)
    cost = {
        (rework, keep): simulate(base.replace(rework=rework, keep_recent=keep), seed=1, tasks=400)
        .tiles["cost"]
        .value
        for rework in (0.0, 20.0)
        for keep in (1, 8)
    }
    assert cost[0.0, 1] < cost[0.0, 8]
    assert cost[20.0, 1] > cost[20.0, 8]


def test_what_is_read_again_is_waited_for():
    plain, again = (
        simulate({"hardware": True, "caching": True, "rework": rework}, seed=1, tasks=100)
        for rework in (0.0, 20.0)
    )
    changed = again.usage.reread_requests > 0
    assert changed.any()
    assert not np.isclose(plain.ttft_s[changed], again.ttft_s[changed], rtol=1e-6).any()
    assert plain.ttft_s[~changed & (plain.compactions == 0)].tolist() == pytest.approx(
        again.ttft_s[~changed & (plain.compactions == 0)].tolist()
    )
