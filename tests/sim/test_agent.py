"""What the policies of real agents add, against a plain second implementation and by hand."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sim import ScenarioError, simulate
from tests.sim import agent as packed
from tests.sim import oracle
from tests.sim.test_caching import CachedTask
from tests.sim.test_masking import packed_scenarios
from tests.strategies import scenarios, seeds

OFF = {
    "trigger_steps": 0, "check_every": 1, "truncate_to": 0.5, "keep_recent_tokens": 0,
    "keep_recent_share": 0.0, "rehydrate_tokens": 0, "summariser_input_cap": 0, "tool_clip": 0,
    "summariser_calls": 1, "summariser_price": 1.0, "tool_cap": 0, "caching": False,
    "notes_at": "end", "summariser_cache": "warm", "cold_share": 0.0, "clear_at_least": 0,
}  # fmt: skip


class AgentTask(oracle.Task):
    """The second implementation with what the pack adds, message by message."""

    def bar(self):
        """What is cut off the newest result never arrives."""
        fact = self.fact_of_step[self.now]
        if fact is not None and fact.is_capped and fact.place == "step":
            fact.die("capped", self.now)

    def check(self):
        s = self.setting
        self.bar()
        if s["strategy"] != "none" and (self.now + 1) % s["check_every"]:
            if self.context() > s["window"]:
                self.overflow()
        else:
            super().check()

    def is_full(self):
        limit = self.setting["trigger_steps"]
        by_steps = self.setting["strategy"] != "none" and limit and len(self.live) >= limit
        return by_steps or super().is_full()

    def context(self):
        return super().context() + (self.setting["rehydrate_tokens"] if self.has_summary else 0)

    def truncate(self):
        before = self.context()
        target = self.setting["truncate_to"] * self.setting["window"]
        if self.drop_oldest(target, "truncated"):
            self.out.compactions += 1
            self.out.events.append((self.now, "compaction", before, self.context()))

    def kept(self):
        """How many of the newest steps stay."""
        count, tokens, most = 0, 0, self.setting["keep_recent_tokens"]
        for step in reversed(self.live):
            tokens += step.assistant + step.tool
            if tokens > most or not most:  # no tail: not even steps without a token
                break
            count += 1
        share = math.floor(self.setting["keep_recent_share"] * len(self.live))
        return max(count, share, min(self.setting["keep_recent"], len(self.live)))

    def shown(self, span):
        """The newest messages that fit the summariser's input, and the tokens of all that fit."""
        s = self.setting
        cap, clip = s["summariser_input_cap"] or math.inf, s["tool_clip"] or math.inf
        messages = [(step, step.assistant + min(step.tool, clip)) for step in reversed(span)]
        if self.has_summary:
            messages.append(("summary", s["summary_budget"] + s["rehydrate_tokens"]))
        if self.instruction == "verbatim" and not s["pin_instruction"]:
            messages.append(("instruction", s["instruction_tokens"]))
        shown, used = [], 0
        for message, tokens in messages:
            if used + tokens > cap:
                break
            used += tokens
            shown.append(message)
        if cap == math.inf:
            used = self.context() - sum(max(0, step.tool - clip) for step in span)
        return shown, used

    def summarise(self):
        s, out, before = self.setting, self.out, self.context()
        span = self.live[: len(self.live) - self.kept()]
        if not span:
            return
        shown, read = self.shown(span)
        out.compactions += 1
        out.summariser_tokens += s["summariser_calls"] * read
        carried = [fact for fact in self.summary if fact.alive()]
        fresh = [step.fact for step in span if step.fact is not None and step.fact.alive()]
        held = carried if "summary" in shown else []
        for step in span:
            fact = step.fact
            if any(step is message for message in shown) and any(fact is f for f in fresh):
                clip = s["tool_clip"] or math.inf
                is_deep = step.tool > clip and fact.depth >= clip
                if fact.restated or not is_deep:
                    held = [*held, fact]
        per_fact = s[
            "forgetful_tokens_per_fact" if s["forgetful_summariser"] else "tokens_per_fact"
        ]
        for fact in carried + fresh:
            if not any(fact is other for other in held):
                fact.die("summarised", self.now, fold=out.compactions)
                continue
            fact.hazard += -math.log(1 - math.exp(-s["summary_budget"] / (per_fact * len(held))))
            if fact.hazard > fact.resilience:
                fact.die("summarised", self.now, fold=out.compactions)
            else:
                if fact.place != "summary":
                    fact.summarised_at = self.now
                fact.place = "summary"
        if self.instruction != "lost" and not s["pin_instruction"]:
            where = "instruction" if self.instruction == "verbatim" else "summary"
            self.instruction_hazard += -math.log(s["instruction_keep"])
            is_gone = where not in shown or self.instruction_hazard > self.instruction_resilience
            self.instruction = "lost" if is_gone else "summary"
        self.summary = [fact for fact in held if fact.alive()]
        self.has_summary = True
        self.live = self.live[len(span) :]
        out.events.append((self.now, "compaction", before, self.context()))

    def finish(self):
        super().finish()
        s = self.setting
        billed = self.out.request_tokens + self.out.summariser_tokens * s["summariser_price"]
        self.out.cost = billed * s["input_per_mtok"] / 1_000_000


class CachedAgentTask(CachedTask, AgentTask):
    """With every request written out as tokens, too."""


class PackedTask(packed.Agent, AgentTask):
    """With masks, clearing apart, files and re-reading, too."""

    def parts(self):
        more = self.setting["rehydrate_tokens"]
        return [
            (name, tokens + more if name[0] == "summary" else tokens, facts)
            for name, tokens, facts in super().parts()
        ]

    def depth(self, step):
        return step.fact.depth if step.fact is not None else 0

    def offload(self):
        super().offload()
        for fact in self.out.facts:
            fact.is_on_disk = fact.is_on_disk and not fact.is_capped
            fact.restated = fact.restated and not fact.is_capped

    def look(self):
        self.bar()
        super().look()


def play(setting, seed, n, *, is_packed=False):
    complete = {**packed.DEFAULTS, **OFF, **setting}
    rows = {
        name: np.random.default_rng([seed, number]).random((n, 200))
        for name, number in packed.STREAMS.items()
    }
    tasks = []
    for i, drawn in enumerate(oracle.draw(complete, seed, n)):
        cap = complete["tool_cap"] or math.inf
        for fact in drawn.out.facts:
            fact.depth = rows["place"][i, fact.step] * drawn.tools[fact.step]
            fact.is_capped = fact.depth >= cap
            fact.noted = fact.noted and not fact.is_capped
        drawn.tools = [min(tool, cap) for tool in drawn.tools]
        mine = {name: draws[i].tolist() for name, draws in rows.items()}
        task = PackedTask(drawn, mine) if is_packed else CachedAgentTask(drawn, mine["expired"], {})
        task.run()
        tasks.append(task)
    return tasks


AGENT = {
    "trigger_steps": st.sampled_from([0, 1, 2, 9, 30]),
    "check_every": st.sampled_from([1, 2, 8, 50]),
    "truncate_to": st.sampled_from([0.01, 0.3, 0.7, 1.0]),
    "keep_recent_tokens": st.sampled_from([0, 1, 2_000, 15_000, 60_000, 1_000_000]),
    "keep_recent_share": st.sampled_from([0.0, 0.3, 0.5, 0.9]),
    "rehydrate_tokens": st.sampled_from([0, 1, 2_000, 9_000]),
    "summariser_input_cap": st.sampled_from([0, 1, 1_700, 4_000, 20_000, 1_000_000]),
    "tool_clip": st.sampled_from([0, 1, 10, 125, 1_500, 1_000_000]),
    "summariser_calls": st.sampled_from([1, 2, 3]),
    "summariser_price": st.sampled_from([0.0, 0.3, 1.0, 4.0]),
    "tool_cap": st.sampled_from([0, 1, 20, 1_200, 7_500]),
}


def agents():
    pack = st.fixed_dictionaries({}, optional=AGENT)
    return st.builds(lambda base, more: base | more, scenarios(), pack)


# Results that are cleared soon, between long messages; and results that the window has to cut.
STUBS = {
    "window": 16_000, "keep_recent": 1, "clear_tool_results": True, "assistant_tokens": 700,
    "tool_tokens_median": 300.0, "fact_rate": 1.0, "instruction_keep": 0.7,
}  # fmt: skip
HUGE = {
    "window": 16_000, "keep_recent": 0, "tool_tokens_median": 9_000.0, "tool_tokens_sigma": 1.0,
    "fact_rate": 1.0,
}  # fmt: skip


def corner_examples(test):
    small = {"window": 16_000, "keep_recent": 1, "instruction_keep": 0.7}
    for setting in (
        small | {"trigger_steps": 3, "check_every": 2, "rehydrate_tokens": 2_000},
        small | {"keep_recent_tokens": 6_000, "clear_tool_results": True, "noisy_tools": True},
        small | {"summariser_input_cap": 6_000, "summary_budget": 2_000, "pin_instruction": True},
        small | {"summariser_input_cap": 9_000, "clear_tool_results": True, "keep_recent": 0},
        small | {"tool_clip": 500, "clear_tool_results": True, "keep_recent": 0},
        small | {"tool_clip": 500, "summariser_input_cap": 3_000, "noisy_tools": True},
        small | {"strategy": "truncate", "truncate_to": 0.9, "check_every": 8, "tool_cap": 900},
        small | {"tool_cap": 900, "notes": True, "tool_clip": 400},
        small | {"strategy": "none", "check_every": 8, "trigger_steps": 2},
        small | {"trigger_steps": 2, "keep_recent": 4},
        STUBS | {"keep_recent_tokens": 5_000},
        STUBS | {"keep_recent_tokens": 1_800},
        STUBS | {"summariser_input_cap": 9_000, "keep_recent": 4},
        HUGE | {"keep_recent_tokens": 15_000},
        HUGE | {"keep_recent_tokens": 15_000, "clear_tool_results": True},
        HUGE | {"summariser_input_cap": 15_000},
        HUGE | {"tool_clip": 9_000},
        HUGE | {"tool_clip": 20, "clear_tool_results": True, "stub_tokens": 25},
        small | {"caching": True, "summariser_calls": 3, "keep_recent_tokens": 3_000},
    ):
        test = example(setting=setting, seed=7, n=10)(test)
    return test


COUNTS = (
    "needed_lost", "instruction_lost", "compactions", "clears", "overflows", "failed", "peak",
    "final_context", "request_tokens", "summariser_tokens",
)  # fmt: skip


@corner_examples
@given(setting=agents(), seed=seeds(), n=st.integers(1, 8))
def test_every_task_ends_as_in_the_second_implementation(setting, seed, n):
    run = simulate(setting, seed=seed, tasks=n)
    tasks = play(setting, seed, n)
    for name in COUNTS:
        assert getattr(run, name).tolist() == [getattr(t.out, name) for t in tasks], name
    if not run.scenario.caching.caching:
        assert run.cost.tolist() == pytest.approx([t.out.cost for t in tasks], abs=1e-9, rel=1e-9)
    for i, task in enumerate(tasks):
        timeline = run.timeline(i)
        assert timeline.left.tolist() == task.out.left
        assert [(e.step, e.kind, e.before, e.after) for e in timeline.events] == task.out.events


@corner_examples
@given(setting=agents(), seed=seeds(), n=st.integers(1, 8))
def test_every_fact_fares_as_in_the_second_implementation(setting, seed, n):
    facts = simulate(setting, seed=seed, tasks=n).facts
    names = ("lost_at", "fold", "restated_at", "summarised_at")
    found = list(
        zip(facts.state_names(), facts.cause_names(),
            *(getattr(facts, name).tolist() for name in names), strict=True)
    )  # fmt: skip
    expected = [
        (f.state(), f.cause, *(getattr(f, name) for name in names))
        for task in play(setting, seed, n)
        for f in task.out.facts
    ]
    assert found == expected


@corner_examples
@given(setting=agents(), seed=seeds(), n=st.integers(1, 6))
def test_the_cache_holds_the_longest_common_prefix(setting, seed, n):
    is_whole = not (setting.get("summariser_input_cap") or setting.get("tool_clip"))
    warm = is_whole and setting.get("summariser_price", 1.0) == 1.0
    setting = setting | {"caching": True, "summariser_cache": "warm" if warm else "cold"}
    usage = simulate(setting, seed=seed, tasks=n).usage
    tasks = play(setting, seed, n)
    assert usage.cached_tokens.tolist() == [task.cached for task in tasks]
    assert usage.summariser_cached.tolist() == [task.summariser_cached for task in tasks]
    assert usage.rewritten_tokens.tolist() == [task.rewritten for task in tasks]


def combined():
    def join(base, more):
        both = base | more
        is_part = both.get("summariser_input_cap") or both.get("tool_clip")
        is_other = both.get("summariser_price", 1.0) != 1.0
        return both | ({"summariser_cache": "cold"} if is_part or is_other else {})

    return st.builds(join, packed_scenarios(), st.fixed_dictionaries({}, optional=AGENT))


BUSY = {
    "window": 16_000, "keep_recent": 1, "masking": True, "fact_rate": 1.0, "caching": True,
    "summariser_cache": "cold", "notes": True,
}  # fmt: skip


# Cleared, a step of this has no tokens at all.
EMPTY = {
    "window": 1, "trigger": 0.4, "keep_recent": 0, "system_tokens": 0, "instruction_tokens": 0,
    "assistant_tokens": 0, "tool_tokens_median": 1, "tool_tokens_sigma": 0.0, "stub_tokens": 0,
    "clear_tool_results": True, "trigger_steps": 1, "mean_steps": 1, "min_steps": 1,
    "steps_sigma": 0.0, "max_steps": 1,
}  # fmt: skip

# Its one summary is longer than the window, so nothing is read again.
OUTGROWN = {
    **EMPTY, "clear_tool_results": False, "trigger_steps": 0, "strategy": "summarise",
    "summary_budget": 200, "rework": 0.5,
}  # fmt: skip


@example(setting=BUSY | {"tool_clip": 300, "tool_cap": 2_000, "masked_tokens": 600}, seed=7, n=8)
@example(setting=BUSY | {"keep_recent_tokens": 4_000, "check_every": 3, "rework": 4.0}, seed=7, n=8)
@example(
    setting=BUSY | {"offloading": True, "offload_above": 1_500, "tool_cap": 3_000, "archive": True},
    seed=7, n=8,
)  # fmt: skip
@example(setting=BUSY | {"trigger_steps": 4, "summariser_input_cap": 3_000}, seed=7, n=8)
@example(setting=EMPTY, seed=0, n=1)
@example(setting=OUTGROWN, seed=0, n=1)
@given(setting=combined(), seed=seeds(), n=st.integers(1, 5))
def test_all_packs_together_end_as_in_the_second_implementation(setting, seed, n):
    run = simulate(setting, seed=seed, tasks=n)
    tasks = play(setting, seed, n, is_packed=True)
    for name in COUNTS:
        assert getattr(run, name).tolist() == [getattr(t.out, name) for t in tasks], name
    assert run.facts.state_names() == [t.state(f) for t in tasks for f in t.out.facts]
    assert run.facts.cause_names() == [f.cause for t in tasks for f in t.out.facts]
    if setting.get("caching"):
        assert run.usage.cached_tokens.tolist() == [task.cached for task in tasks]
        assert run.usage.rewritten_tokens.tolist() == [task.rewritten for task in tasks]


# Two steps of 1,200 tokens each; the second fires, and one step goes into a summary of 400.
TWO_STEPS = {
    "mean_steps": 2.0, "min_steps": 2, "max_steps": 2, "tool_tokens_median": 1_000.0,
    "tool_tokens_sigma": 0.0, "fact_rate": 1.0, "needed_facts": 2, "window": 5_900, "trigger": 1.0,
    "keep_recent": 1, "summary_budget": 400,
}  # fmt: skip


def one(**settings):
    return simulate(TWO_STEPS | settings, seed=1, tasks=1)


def test_by_hand_a_summary_brings_its_files_along():
    """3,000 and the last step remain, with 400 of the summary and 700 of files."""
    assert one(rehydrate_tokens=700).final_context.tolist() == [3_000 + 1_200 + 400 + 700]


def test_by_hand_the_tail_takes_whole_steps_that_fit():
    setting = {"keep_recent": 0, "mean_steps": 3.0, "min_steps": 3, "max_steps": 3}
    setting |= {"window": 7_100}  # fires at the third step: 3,500 + 3 · 1,200
    left = {
        tokens: int(one(keep_recent_tokens=tokens, **setting).final_context[0])
        for tokens in (0, 1_199, 1_200, 2_399, 2_400)
    }
    assert left == {0: 3_400, 1_199: 3_400, 1_200: 4_600, 2_399: 4_600, 2_400: 5_800}


def test_by_hand_a_share_keeps_whole_steps_of_those_in_the_context():
    setting = {"keep_recent": 0, "mean_steps": 3.0, "min_steps": 3, "max_steps": 3}
    setting |= {"window": 7_100}  # fires at the third step: 3,500 + 3 · 1,200
    left = [
        int(one(keep_recent_share=share, **setting).final_context[0]) for share in (0.3, 0.4, 0.7)
    ]
    assert left == [3_400, 4_600, 5_800]


def test_by_hand_a_tail_never_keeps_fewer_than_the_recent_steps():
    assert one(keep_recent_tokens=1).final_context.tolist() == [4_600]


def test_by_hand_the_summariser_reads_its_newest_messages_only():
    """The step of 1,200 fits in 1,699 and not in 1,199; with the instruction it takes 1,700."""
    runs = {cap: one(summariser_input_cap=cap) for cap in (1_199, 1_200, 1_699, 1_700)}
    assert [int(run.summariser_tokens[0]) for run in runs.values()] == [0, 1_200, 1_200, 1_700]
    assert [bool(run.instruction_lost[0]) for run in runs.values()] == [True, True, True, False]
    assert [run.facts.cause_names()[0] for run in runs.values()] == ["summarised", None, None, None]


def test_by_hand_a_clip_spares_what_it_cuts_off():
    """All 5,900 tokens but 900 of the one result that goes."""
    assert one(tool_clip=100).summariser_tokens.tolist() == [5_900 - 900]


def test_by_hand_calls_and_price_of_the_summariser():
    run = one(summariser_calls=2, summariser_price=0.25)
    assert run.summariser_tokens.tolist() == [2 * 5_900]
    assert run.cost_split == pytest.approx(
        {"requests": (3_500 + 4_700 + 4_600) * 3e-6, "summariser": 2 * 5_900 * 3e-6 / 4}
    )
    assert sum(run.cost_split.values()) == pytest.approx(float(run.cost[0]))
    assert run.tiles["cost"].value == pytest.approx(float(run.cost[0]))


def test_by_hand_between_two_looks_the_context_grows_over_its_trigger():
    setting = {"mean_steps": 8.0, "min_steps": 8, "max_steps": 8, "window": 20_000, "trigger": 0.3}
    steps = {
        every: [event.step for event in one(check_every=every, **setting).timeline(0).events]
        for every in (1, 4)
    }
    assert steps == {1: [2, 4, 6], 4: [3, 7]}


def test_by_hand_a_number_of_steps_fires_whatever_they_hold():
    run = one(trigger_steps=1, keep_recent=0, window=1_000_000)
    assert run.compactions.tolist() == [2]
    assert run.final_context.tolist() == [3_400]


def test_by_hand_truncation_stops_at_its_target():
    """From 5,900: the instruction goes, and then the first step, or neither."""
    left = {
        share: int(one(strategy="truncate", truncate_to=share).final_context[0])
        for share in (0.5, 0.9, 0.95, 1.0)
    }
    assert left == {0.5: 4_200, 0.9: 4_200, 0.95: 5_400, 1.0: 5_900}


def test_by_hand_a_cap_lets_in_the_start_of_a_result():
    assert one(tool_cap=600, window=100_000).final_context.tolist() == [3_500 + 2 * (200 + 600)]


@pytest.mark.parametrize(
    "setting", [{"summariser_input_cap": 4_000}, {"tool_clip": 500}, {"summariser_price": 0.3}]
)
def test_a_summariser_with_another_prompt_or_model_cannot_be_warm(setting):
    (name,) = setting
    with pytest.raises(ScenarioError, match=rf"summariser_cache is warm but {name} is .*cold\."):
        simulate(setting | {"caching": True}, tasks=1)
    simulate(setting | {"caching": True, "summariser_cache": "cold"}, tasks=1)
    simulate(setting, tasks=1)


@given(setting=agents(), seed=seeds(), n=st.integers(1, 8))
def test_what_the_summariser_is_shown_changes_no_size(setting, seed, n):
    """Only facts, the instruction and the summariser's bill depend on it."""
    whole = setting | {"summariser_input_cap": 0, "tool_clip": 0, "pin_instruction": True}
    part = whole | {"summariser_input_cap": 3_000, "tool_clip": 50}
    a, b = (simulate(each, seed=seed, tasks=n) for each in (whole, part))
    for name in ("peak", "final_context", "compactions", "request_tokens"):
        assert getattr(a, name).tolist() == getattr(b, name).tolist()
    assert (b.summariser_tokens <= a.summariser_tokens).all()


@given(setting=agents(), seed=seeds(), n=st.integers(1, 8))
def test_the_context_is_counted_whatever_the_policy(setting, seed, n):
    """What each event leaves is what the next request reads, and no fact is in two places."""
    run = simulate(setting, seed=seed, tasks=n)
    for i in range(n):
        timeline = run.timeline(i)
        expected = timeline.read.tolist()[1:]
        assert timeline.left.tolist()[: len(expected)] == expected
    assert int(run.request_tokens.sum()) == sum(int(run.timeline(i).read.sum()) for i in range(n))
