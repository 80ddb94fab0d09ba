"""The floor: what a compaction leaves, against the trigger, and how soon it fires again."""

from __future__ import annotations

import numpy as np
import pytest

from sim import floor, report, simulate
from sim.log import COMPACTION


def floor_of(**settings):
    return floor(simulate(settings, seed=1, tasks=100))


def gaps(run):
    """Steps between each compaction and the next of its task."""
    is_one = run.edits.kind == COMPACTION
    task, step = run.edits.task[is_one], run.edits.step[is_one]
    order = np.lexsort([step, task])
    return np.diff(step[order])[np.diff(task[order]) == 0]


EVEN = {
    "tool_tokens_sigma": 0.0, "steps_sigma": 0.0, "tool_tokens_median": 1_800.0,
    "assistant_tokens": 200, "fact_rate": 1.0, "noted_rate": 1.0,
}  # fmt: skip


def test_the_parts_are_those_of_the_settings_where_every_step_is_the_same():
    found = floor_of(**EVEN, pin_instruction=True, notes=True, summary_budget=1_500)
    assert found.parts == {
        "system": 3_000, "instruction": 500, "kept": 6 * 2_000, "summary": 1_500,
        "notes": 40 * 60,
    }  # fmt: skip
    assert (found.tokens, found.trigger, found.window) == (19_400, 51_200, 64_000)
    assert found.growth.value == 2_060
    assert found.requests.value == pytest.approx((51_200 - 19_400) / 2_060)


def test_an_instruction_that_is_not_pinned_is_no_part_of_it():
    assert floor_of(**EVEN).parts["instruction"] == 0


def test_truncation_leaves_its_share_of_the_window():
    assert floor_of(strategy="truncate").tokens == 32_000
    assert floor_of(strategy="truncate", truncate_to=0.25).tokens == 16_000


def test_a_tail_kept_by_tokens_and_files_read_in_again_count():
    found = floor_of(**EVEN, keep_recent_tokens=20_000, rehydrate_tokens=5_000)
    assert (found.parts["kept"], found.parts["summary"]) == (20_000, 6_000)


def test_a_share_of_the_steps_is_one_of_what_a_full_context_has_beside_the_rest():
    found = floor_of(**EVEN, keep_recent_share=0.5)
    assert found.parts["kept"] == (found.trigger - 3_000 - 1_000) / 2
    by_steps = floor_of(**EVEN, keep_recent=0, trigger_steps=10, keep_recent_share=0.5)
    assert (by_steps.requests.value, by_steps.parts["kept"]) == (5, 10_000)


def test_a_limit_of_steps_fires_at_the_latest_after_them():
    assert floor_of(**EVEN, trigger_steps=10, keep_recent=4).requests.value == 6


@pytest.mark.parametrize(
    "settings",
    [{}, {"strategy": "truncate"}, {"notes": True}, {"keep_recent_tokens": 20_000}],
    ids=str,
)
def test_the_run_fires_again_about_as_soon_as_it_says(settings):
    run = simulate({**settings, "long_horizon": True}, seed=1, tasks=400)
    assert gaps(run).mean() == pytest.approx(floor(run).requests.value, rel=0.2)


@pytest.mark.parametrize(
    ("settings", "state"),
    [
        ({}, "fine"),
        ({"window": 32_000}, "tight"),
        ({"window": 16_000, "keep_recent": 8}, "never"),
        ({"strategy": "none"}, "unused"),
    ],
)
def test_it_has_four_states(settings, state):
    assert floor_of(**settings).state == state


@pytest.mark.parametrize(
    "settings",
    [{"clear_tool_results": True}, {"masking": True}, {"rework": 18}, {"check_every": 8}],
)
def test_it_says_where_it_leaves_something_out(settings):
    assert floor(simulate(settings, tasks=20)).is_rough
    assert not floor(simulate({}, tasks=20)).is_rough


def test_what_can_never_fit_has_no_request_left():
    found = floor_of(window=16_000, keep_recent=8)
    assert found.tokens > found.trigger == 12_800
    assert found.requests.value == 0


def test_the_interval_is_that_of_the_growth_and_a_single_task_has_none():
    found = floor_of()
    room = found.trigger - found.tokens
    assert found.requests.low == pytest.approx(room / found.growth.high)
    assert found.requests.high == pytest.approx(room / found.growth.low)
    alone = floor(simulate({}, seed=1, tasks=1)).requests
    assert (alone.low, alone.high) == (None, None)


def test_the_report_holds_it():
    run = simulate({}, seed=1, tasks=100)
    found = report(run)["floor"]
    assert found["tokens"] == floor(run).tokens
    assert found["requests_interval"] == [floor(run).requests.low, floor(run).requests.high]
    assert (found["trigger"], found["state"]) == (51_200, "fine")


def test_steps_that_add_nothing_are_no_trouble():
    """All results go to files, without a preview, and no message is left."""
    silent = {
        "offloading": True, "offload_above": 0, "preview_tokens": 0, "read_back_rate": 0.0,
        "assistant_tokens": 0, "system_tokens": 0, "instruction_tokens": 0,
    }  # fmt: skip
    run = simulate(silent, seed=1, tasks=20)
    assert run.peak.tolist() == 20 * [0]
    found = report(run)
    assert np.isfinite(found["floor"]["requests"])
    with_gpus = report(simulate(silent | {"hardware": True}, seed=1, tasks=20))
    assert np.isfinite(with_gpus["sessions_per_gpu"])
