"""Parts E and G: masks, clearing apart, files and re-reading, against lists of messages."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sim import Scenario, draw_tasks, log, simulate
from sim.context import Context
from sim.hardware import prefill_seconds
from sim.masks import Masks
from sim.packs import Clearing, Disk, Masking, Rework
from sim.recall import FactTable
from tests.sim import agent
from tests.strategies import policies, rates, scenarios, seeds

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


def test_the_corners_reach_every_fate_that_these_parts_add():
    """Otherwise the comparisons above would agree about nothing."""
    agents = [a for setting in CORNERS.values() for a in agent.play(setting, 7, 8)]
    facts = [(a.state(f), f.cause) for a in agents for f in a.out.facts]
    assert {cause for _, cause in facts} == {
        *("truncated", "cleared", "summarised", "overflow", "masked", "offloaded", None)
    }
    for fate in [
        *(("disk", "offloaded"), ("lost", "offloaded"), ("notes", "masked"), ("lost", "masked")),
        *(("archive", "truncated"), ("archive", "summarised"), ("archive", "overflow")),
        *(("lost", "truncated"), ("lost", "summarised")),
    ]:
        assert fate in facts
    assert {kind for a in agents for _, kind, _, _ in a.out.events} == {
        *("compaction", "clear", "overflow", "failed", "mask", "rework", "read_back")
    }
    masked = [step for a in agents for step in a.live if step.tool == 1_000 < step.arrived]
    assert {s.fact.cut_away for s in masked if s.fact and s.fact.alive()} == {True, False}


# Masks


ONE_SIZE = {"tool_tokens_median": 1_000.0, "tool_tokens_sigma": 0.0, "mean_steps": 60.0}
ONE_SIZE |= {"steps_sigma": 0.0, "window": 100_000, "strategy": "none", "keep_recent": 2}


@pytest.mark.parametrize(
    ("kind", "level"),
    [
        ({"search_share": 1.0, "edit_share": 0.0}, 36_000),
        ({"search_share": 0.0, "edit_share": 0.0}, 48_000),
        ({"search_share": 0.0, "edit_share": 1.0}, 51_000),
    ],
)
def test_a_kind_is_masked_from_its_watermark_on(kind, level):
    """3,500 tokens and 1,200 a step: the first context at the watermark loses 940 of each old
    result, and from then on it is masked wherever it comes back there."""
    run = simulate({"masking": True, **ONE_SIZE, **kind}, seed=1, tasks=1)
    first = -(-(level - 3_500) // 1_200)
    events = run.timeline(0).events
    assert {event.kind for event in events} == {"mask"}
    assert events[0].step == first - 1
    assert events[0].before == 3_500 + 1_200 * first
    assert events[0].before - events[0].after == 940 * (first - 2)
    assert min(event.before for event in events) >= level


def test_the_shares_of_the_kinds_are_met():
    pack = simulate({"masking": True}, seed=1, tasks=1).scenario.masking
    drawn = draw_tasks(Scenario().workload, Scenario().events, seed=1, tasks=400)
    context = Context(drawn, Scenario().replace(masking=True))
    shares = np.bincount(Masks(context).kind) / len(context.tool)
    assert shares == pytest.approx([0.09, 0.80, 0.11], abs=0.005)
    assert (pack.search_share, pack.edit_share) == (0.09, 0.11)


def test_head_and_tail_hold_their_share_of_the_facts():
    """60 of 1,000 tokens: 6 % of the facts in masked results stay verbatim, if none is restated."""
    setting = {"masking": True, **ONE_SIZE, "window": 20_000, "restated_rate": 0.0}
    facts = simulate(setting | {"strategy": "summarise"}, seed=1, tasks=400).facts
    causes = np.array([cause == "masked" for cause in facts.cause_names()])
    context = Context(
        draw_tasks(Scenario().replace(**setting).workload, Scenario().events, seed=1, tasks=400),
        Scenario().replace(**setting),
    )
    assert Masks(context).in_sight.mean() == pytest.approx(0.06, abs=0.01)
    assert not (causes & Masks(context).in_sight).any()


@given(setting=packed_scenarios(), seed=seeds())
def test_masks_of_new_results_leave_all_that_was_sent_in_the_cache(setting, seed):
    setting = setting | {
        "masking": True, "staking": "new_results", "caching": True, "cold_share": 0.0,
        "clear_tool_results": False, "clear_apart": False, "strategy": "none", "notes": False,
        "window": 100_000_000, "effective_fraction": 0.0001 + 0.01, "reading": "linear",
    }  # fmt: skip
    run = simulate(setting, seed=seed, tasks=3)
    assert (run.request_tokens - run.usage.cached_tokens == run.final_context).all()


def test_masks_that_edit_what_was_sent_write_it_again():
    setting = {"masking": True, "caching": True, "strategy": "none", "window": 100_000}
    off, new, once = (
        simulate(setting | {"staking": staking}, seed=1, tasks=100)
        for staking in ("off", "new_results", "all_at_once")
    )
    written = [int((r.request_tokens - r.usage.cached_tokens).sum()) for r in (off, new, once)]
    assert written[1] == new.final_context.sum()
    assert written[1] < written[2] < written[0]
    assert once.masks.sum() < off.masks.sum()
    kinds = once.edits.kind == log.MASK
    assert once.edits.before[kinds].min() >= 51_000


# Clearing apart


def whole_results(run):
    """How many results of one size are whole after each step, off the size of the context."""
    left = run.timeline(0).left
    steps = np.arange(1, len(left) + 1)
    return ((left - 3_500 - 225 * steps) // 975).tolist()


def test_clearing_at_every_step_keeps_the_last_five_observations():
    setting = ONE_SIZE | {"clear_tool_results": True, "clear_apart": True, "clear_trigger": 0.0}
    five = simulate(setting | {"clear_keep": 5}, seed=1, tasks=1)
    assert whole_results(five) == [1, 2, 3, 4] + 56 * [5]
    ten = simulate(setting | {"clear_keep": 10, "clear_every": 10}, seed=1, tasks=1)
    assert whole_results(ten) == [*range(1, 10), *(5 * [*range(10, 20)]), 10]


def test_clearing_at_half_the_window_keeps_three_results():
    setting = ONE_SIZE | {"clear_tool_results": True, "clear_apart": True}
    run = simulate(setting, seed=1, tasks=1)
    first = run.timeline(0).events[0]
    assert (first.kind, first.step + 1) == ("clear", 39)  # 3,500 + 39 · 1,200 ≥ 50,000
    assert first.before - first.after == 36 * 975
    assert run.clears.tolist() == [1]


@given(setting=policies(), seed=seeds())
def test_clearing_apart_at_the_policys_own_trigger_is_the_policys_clearing(setting, seed):
    setting = {"trigger": 0.8, "keep_recent": 6, "window": 64_000} | setting
    setting |= {"clear_tool_results": True, "strategy": "truncate"}
    setting["window"] = max(setting["window"], 40_000)  # in which no overflow comes between
    apart = {"clear_apart": True, "clear_trigger": setting["trigger"]}
    one = simulate(setting, seed=seed, tasks=4)
    two = simulate(setting | apart | {"clear_keep": setting["keep_recent"]}, seed=seed, tasks=4)
    for name in ("cost", "success", "peak", "final_context", "clears", "compactions"):
        assert getattr(one, name).tolist() == getattr(two, name).tolist()


# Nothing and everything


@given(base=scenarios(), pack=packs(), seed=seeds(), n=st.integers(1, 6))
def test_with_their_switches_off_these_parts_change_nothing(base, pack, seed, n):
    names = {
        *(spec.name for part in (Clearing, Masking, Disk, Rework) for spec in fields(part)),
    }
    switches = dict.fromkeys(("clear_apart", "masking", "offloading", "archive"), False)
    pack = {name: value for name, value in pack.items() if name in names}
    plain = simulate(base, seed=seed, tasks=n)
    packed = simulate(base | pack | switches | {"rework": 0.0}, seed=seed, tasks=n)
    assert columns(packed) == columns(plain)
    assert packed.cost_split == plain.cost_split
    assert packed.payback_requests == plain.payback_requests


def columns(run, tasks=None, facts=None):
    """Everything that a run says of its tasks and facts."""
    found = {
        name: getattr(run, name)[:tasks].tolist()
        for name in (*COUNTS, "success", "cost", "masks", "ttft_s", "longest_ttft_s")
    }
    found |= {name: column[:tasks].tolist() for name, column in run.usage.columns().items()}
    for spec in fields(FactTable):
        found[f"fact {spec.name}"] = getattr(run.facts, spec.name)[:facts].tolist()
    return found


@given(setting=packed_scenarios(), seed=seeds(), n=st.integers(1, 6))
def test_the_same_seed_gives_the_same_run_and_a_task_does_not_depend_on_how_many(setting, seed, n):
    few, again, many = (simulate(setting, seed=seed, tasks=k) for k in (n, n, n + 3))
    assert columns(few) == columns(again)
    assert columns(few) == columns(many, n, len(few.facts))


def test_many_tasks_begin_with_the_few_however_they_are_drawn():
    setting = CORNERS["everything"] | {"hardware": True}
    scenario = Scenario.from_dict(setting)
    few, many = (simulate(setting, seed=3, tasks=n) for n in (50, 2_500))
    drawn = draw_tasks(scenario.workload, scenario.events, seed=3, tasks=2_500)
    assert columns(few) == columns(many, 50, len(few.facts))
    assert columns(simulate(scenario, seed=3, tasks=drawn)) == columns(many)


@given(setting=packed_scenarios(), seed=seeds(), n=st.integers(1, 6))
def test_tokens_are_conserved_and_a_fact_is_in_exactly_one_state(setting, seed, n):
    run = simulate(setting, seed=seed, tasks=n)
    for i in range(n):
        timeline, tokens = run.timeline(i), run.timeline(i).read[0]
        grown = run.grown[run.steps[:i].sum() :]
        for step, (after, left) in enumerate(zip(timeline.after, timeline.left, strict=True)):
            tokens = tokens + grown[step]
            assert tokens == after
            for event in (e for e in timeline.events if e.step == step):
                assert event.before == tokens
                if event.kind in ("rework", "read_back"):
                    assert event.after > tokens
                elif event.kind != "compaction":  # a summary may be larger than what it replaces
                    assert event.after <= tokens
                tokens = event.after
            assert tokens == left
        assert timeline.left[-1] == run.final_context[i]
    facts, policy = run.facts, run.scenario.policy
    pairs = zip(facts.state_names(), facts.cause_names(), strict=True)
    for j, (state, cause) in enumerate(pairs):
        assert (cause is not None) == (state in ("notes", "disk", "archive", "lost"))
        assert (cause is not None) == (facts.lost_at[j] >= facts.step[j])
        assert (state == "disk") <= (cause == "offloaded")
        assert (state == "archive") <= (cause in ("truncated", "summarised", "overflow"))
        assert (facts.read_order[j] >= 0) <= (facts.needed[j] and state in ("disk", "archive"))
    assert ((run.final_context <= policy.window) | run.failed).all()
