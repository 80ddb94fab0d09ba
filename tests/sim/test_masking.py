"""Parts E and G: masks, clearing apart, files and re-reading, against lists of messages."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sim import simulate
from sim.hardware import prefill_seconds
from tests.sim import agent
from tests.strategies import rates, scenarios, seeds

COUNTS = [
    *("needed", "needed_lost", "instruction_lost", "compactions", "clears", "overflows"),
    *("failed", "peak", "final_context", "request_tokens", "summariser_tokens"),
]


@st.composite
def packs(draw):
    """The settings of Parts B, E and G: each pack on or off."""
    marks = sorted(draw(st.tuples(*[st.sampled_from([0.0, 0.3, 0.6, 0.8, 1.0])] * 3)))
    search = draw(rates())
    return {
        "caching": draw(st.booleans()),
        "cold_share": draw(st.sampled_from([0.0, 0.3])),
        "notes_at": draw(st.sampled_from(["end", "front"])),
        "summariser_cache": draw(st.sampled_from(["warm", "cold"])),
        "clear_at_least": draw(st.sampled_from([0, 0, 500, 5_000])),
        "reading": draw(st.sampled_from(["linear", "u_shaped"])),
        "clear_apart": draw(st.booleans()),
        "clear_trigger": draw(st.sampled_from([0.0, 0.2, 0.5, 0.9])),
        "clear_keep": draw(st.integers(0, 8)),
        "clear_every": draw(st.sampled_from([1, 1, 2, 7])),
        "masking": draw(st.booleans()),
        "effective_fraction": draw(st.sampled_from([0.3, 0.6, 1.0])),
        "mask_search_at": marks[0],
        "mask_execute_at": marks[1],
        "mask_edit_at": marks[2],
        "masked_tokens": draw(st.sampled_from([0, 1, 60, 1_000])),
        "search_share": search,
        "edit_share": draw(st.floats(0, 1)) * (1 - search),
        "staking": draw(st.sampled_from(["off", "off", "new_results", "all_at_once"])),
        "offloading": draw(st.booleans()),
        "offload_above": draw(st.sampled_from([0, 300, 2_000, 8_000])),
        "preview_tokens": draw(st.sampled_from([0, 250, 3_000])),
        "read_back_rate": draw(rates()),
        "read_back_tokens": draw(st.sampled_from([1, 500, 2_000])),
        "archive": draw(st.booleans()),
        "archive_rate": draw(rates()),
        "rework": draw(st.sampled_from([0.0, 0.5, 3.0, 10.0])),
        "rework_tokens": draw(st.sampled_from([1, 600, 4_000])),
        "rework_decay": draw(st.sampled_from([0.5, 6.0, 60.0])),
    }


def together(base, pack):
    """Both, made to agree: clearing apart clears, and what is staked is not cleared."""
    setting = base | pack
    is_staked = setting.get("masking") and setting.get("staking", "off") != "off"
    if is_staked:
        setting |= {"clear_tool_results": False, "clear_apart": False}
    elif setting.get("clear_apart"):
        setting |= {"clear_tool_results": True}
    return setting


def packed_scenarios():
    return st.builds(together, scenarios(), packs())


SMALL = {"window": 16_000, "keep_recent": 2}
MASKED = {"masking": True, "fact_rate": 1.0, "keep_recent": 2, "window": 24_000}
CORNERS = {
    "masks alone": MASKED | {"strategy": "none"},
    "masks with notes at the front": MASKED
    | {"caching": True, "notes": True, "notes_at": "front", "reading": "u_shaped"},
    "masks of new results": MASKED | {"staking": "new_results", "caching": True},
    "new results, folded": MASKED | {"staking": "new_results", "window": 16_000},
    "masks all at once": MASKED | {"staking": "all_at_once", "caching": True},
    "masked, then cleared": MASKED
    | {"clear_tool_results": True, "window": 16_000, "caching": True, "trigger": 0.45},
    "cleared, then masked": MASKED
    | {"clear_tool_results": True, "clear_apart": True, "clear_trigger": 0.0, "clear_keep": 1}
    | {"stub_tokens": 400, "caching": True},
    "a large head and tail": MASKED | {"masked_tokens": 1_000, "reading": "u_shaped"},
    "cut, then masked": {"masking": True, "noisy_tools": True, "window": 9_000, "keep_recent": 1}
    | {"fact_rate": 1.0, "masked_tokens": 500, "caching": True, "restated_rate": 1.0},
    "the last five observations": {"clear_tool_results": True, "clear_apart": True}
    | {"clear_trigger": 0.0, "clear_keep": 5, "strategy": "none", "caching": True},
    "ten, every tenth step": {"clear_tool_results": True, "clear_apart": True}
    | {"clear_trigger": 0.0, "clear_keep": 10, "clear_every": 10, "strategy": "none"},
    "three from half the window": {"clear_tool_results": True, "clear_apart": True}
    | {"strategy": "none", "window": 32_000, "caching": True, "clear_at_least": 3_000},
    "cleared apart, then summarised": {"clear_tool_results": True, "clear_apart": True} | SMALL,
    "offloaded": {"offloading": True, "noisy_tools": True, "fact_rate": 1.0, "caching": True}
    | {"offload_above": 3_000, "reading": "u_shaped", "notes": True},
    "offloaded, and no room": {"offloading": True, "offload_above": 100, "strategy": "none"}
    | {"window": 9_000, "needed_facts": 8, "fact_rate": 1.0, "read_back_rate": 1.0},
    "archived": {"archive": True, "caching": True, "summary_budget": 200, "reading": "u_shaped"}
    | SMALL,
    "archived, by truncation": {"archive": True, "strategy": "truncate", "archive_rate": 1.0}
    | SMALL,
    "archived and offloaded": {"archive": True, "offloading": True, "noisy_tools": True}
    | {"needed_facts": 8, "caching": True, "notes": True, "notes_at": "front"} | SMALL,
    "read again": {"rework": 5.0, "caching": True, "cold_share": 0.3} | SMALL,
    "read again, with notes": {"rework": 9.0, "caching": True, "notes": True} | SMALL,
    "read again, with notes at the front": {"rework": 5.0, "caching": True, "notes": True}
    | {"notes_at": "front", "reading": "u_shaped"} | SMALL,
    "read again, nothing kept": {"rework": 3.0, "keep_recent": 0, "window": 16_000}
    | {"caching": True, "reading": "u_shaped"},
    "read again after truncation": {"rework": 5.0, "strategy": "truncate", "caching": True}
    | SMALL | {"trigger": 0.45},
    "read again, then an overflow": {"rework": 9.0, "noisy_tools": True, "caching": True}
    | {"rework_tokens": 2_000} | SMALL,
    "read again and masked": MASKED
    | {"rework": 9.0, "window": 9_000, "caching": True, "reading": "u_shaped", "trigger": 0.5},
    "everything": MASKED
    | {"rework": 5.0, "archive": True, "offloading": True, "offload_above": 3_000, "caching": True}
    | {"clear_tool_results": True, "clear_apart": True, "cold_share": 0.2, "window": 16_000},
}  # fmt: skip


def corner_examples(test):
    for setting in CORNERS.values():
        test = example(setting=setting, seed=7, n=8)(test)
    return test


@corner_examples
@given(setting=packed_scenarios(), seed=seeds(), n=st.integers(1, 5))
def test_every_task_ends_as_that_of_the_plain_agent(setting, seed, n):
    run = simulate(setting | {"hardware": True}, seed=seed, tasks=n)
    played = agent.play(setting, seed, n)
    for name in COUNTS:
        assert getattr(run, name).tolist() == [getattr(a.out, name) for a in played], name
    assert run.success.tolist() == pytest.approx([a.out.success for a in played], abs=1e-9)
    assert run.masks.tolist() == [sum(e[1] == "mask" for e in a.out.events) for a in played]
    usage = run.usage
    assert usage.reread_requests.tolist() == [a.reread_requests for a in played]
    assert usage.reread_tokens.tolist() == [a.reread_tokens for a in played]
    if setting.get("caching"):
        assert usage.cached_tokens.tolist() == [a.cached for a in played]
        assert usage.rewritten_tokens.tolist() == [a.rewritten for a in played]
        assert usage.summariser_cached.tolist() == [a.summariser_cached for a in played]
    card = run.scenario.hardware
    for i, one in enumerate(played):
        tokens, cached = np.array(one.sizes, dtype=np.int64).T
        seconds = prefill_seconds(card, tokens - cached, tokens)
        assert run.ttft_s[i] == pytest.approx(seconds.mean())
        assert run.longest_ttft_s[i] == pytest.approx(seconds.max())


@corner_examples
@given(setting=packed_scenarios(), seed=seeds(), n=st.integers(1, 5))
def test_every_fact_fares_as_that_of_the_plain_agent(setting, seed, n):
    facts = simulate(setting, seed=seed, tasks=n).facts
    found = zip(
        *(facts.task.tolist(), facts.step.tolist(), facts.needed.tolist()),
        *(facts.restated.tolist(), facts.noted.tolist()),
        *(facts.state_names(), facts.cause_names(), facts.lost_at.tolist(), facts.fold.tolist()),
        *(facts.restated_at.tolist(), facts.summarised_at.tolist()),
        strict=True,
    )
    expected = [
        (
            *(i, f.step, f.needed, f.restated, f.noted, one.state(f), f.cause),
            *(f.lost_at, f.fold, f.restated_at, f.summarised_at),
        )
        for i, one in enumerate(agent.play(setting, seed, n))
        for f in one.out.facts
    ]
    assert list(found) == expected


@corner_examples
@given(setting=packed_scenarios(), seed=seeds(), n=st.integers(1, 5))
def test_every_context_and_event_is_that_of_the_plain_agent(setting, seed, n):
    run = simulate(setting, seed=seed, tasks=n)
    for i, one in enumerate(agent.play(setting, seed, n)):
        timeline = run.timeline(i)
        events = [(e.step, e.kind, e.before, e.after) for e in timeline.events]
        assert events == one.out.events
        assert timeline.after.tolist() == one.out.after
        assert timeline.left.tolist() == one.out.left
        assert timeline.read.tolist() == one.out.read
