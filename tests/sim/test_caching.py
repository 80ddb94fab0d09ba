"""Part B: what a prompt cache holds, against explicit lists of tokens, and what that costs."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sim import Scenario, draw_tasks, simulate
from sim.streams import CACHE_EXPIRED, rows_from
from tests.sim import oracle
from tests.strategies import scenarios, seeds

CARD = {"caching": True, "cache_read_per_mtok": 0.3, "cache_write_per_mtok": 3.75}


class CachedTask(oracle.Task):
    """The second implementation, with every request written out as a list of tokens.

    A token is a number that no other block's tokens have; a block that is changed gets new ones.
    """

    def __init__(self, task, expired, names):
        super().__init__(task.setting, task.tools, task.fact_of_step, task.instruction_resilience)
        self.expired = expired
        self.names = names
        self.sent = None
        self.requests = self.cached = self.summariser_cached = self.rewritten = 0

    def block(self, name, tokens):
        number = self.names.setdefault(name, len(self.names))
        return np.arange(tokens, dtype=np.int64) + number * 10**9

    def tokens(self):
        s = self.setting
        pinned, rest = [self.block("system", s["system_tokens"])], []
        notes = [self.block(("note", i), s["note_tokens"]) for i in range(self.notes)]
        if self.instruction == "verbatim":
            where = pinned if s["pin_instruction"] else rest
            where.append(self.block("instruction", s["instruction_tokens"]))
        if self.has_summary:
            tokens = s["summary_budget"] + s.get("rehydrate_tokens", 0)
            rest.append(self.block(("summary", self.out.compactions), tokens))
        for step in self.live:
            name = ("step", id(step), step.cleared, step.tool)
            rest.append(self.block(name, step.assistant + step.tool))
        at_front = s["notes_at"] == "front"
        return np.concatenate([*pinned, *notes, *rest] if at_front else [*pinned, *rest, *notes])

    def common(self):
        """Length of the longest common prefix of what was sent last and the context as it is."""
        if self.sent is None:
            return 0
        now = self.tokens()
        n = min(len(now), len(self.sent))
        differ = np.flatnonzero(now[:n] != self.sent[:n])
        return int(differ[0]) if len(differ) else n

    def bill_request(self):
        super().bill_request()
        is_expired = self.requests and self.expired[self.requests - 1] < self.setting["cold_share"]
        self.cached += 0 if is_expired else self.common()
        self.requests += 1
        self.sent = self.tokens()

    def summarise(self):
        common, size, before = self.common(), self.context(), self.out.compactions
        super().summarise()
        if self.out.compactions > before:
            self.rewritten += self.context() - self.common()
            if self.setting["summariser_cache"] == "warm":
                again = self.setting.get("summariser_calls", 1) - 1
                self.summariser_cached += common + again * size

    def truncate(self):
        before = self.out.compactions
        super().truncate()
        if self.out.compactions > before:
            self.rewritten += self.context() - self.common()

    def clear(self):
        stub = self.setting["stub_tokens"]
        would_free = sum(
            max(0, step.tool - stub) for step in self.older_steps() if not step.cleared
        )
        if would_free >= self.setting["clear_at_least"]:
            super().clear()


def play(setting, seed, n):
    complete = {
        **oracle.DEFAULTS,
        **{"notes_at": "end", "summariser_cache": "warm", "cold_share": 0.0, "clear_at_least": 0},
        **setting,
    }
    expired = np.random.default_rng([seed, 8]).random((n, 200))
    tasks = [
        CachedTask(task, row, {})
        for task, row in zip(oracle.draw(complete, seed, n), expired, strict=True)
    ]
    for task in tasks:
        task.run()
    return tasks


def cached_scenarios():
    packs = st.fixed_dictionaries(
        {"caching": st.just(True)},
        optional={
            "notes_at": st.sampled_from(["end", "front"]),
            "summariser_cache": st.sampled_from(["warm", "cold"]),
            "cold_share": st.sampled_from([0.1, 0.5, 1.0]),
            "clear_at_least": st.sampled_from([1, 500, 5_000, 20_000]),
        },
    )
    return st.builds(lambda base, pack: base | pack, scenarios(), packs)


CLEARED = {"caching": True, "clear_tool_results": True, "keep_recent": 1, "window": 16_000}


@example(setting=CLEARED | {"noisy_tools": True, "stub_tokens": 400}, seed=7, n=8)
@example(setting=CLEARED | {"notes": True, "notes_at": "front"}, seed=7, n=8)
@example(setting=CLEARED | {"clear_at_least": 5_000, "pin_instruction": True}, seed=7, n=8)
@example(
    setting={"caching": True, "notes": True, "notes_at": "front", "cold_share": 0.3},
    seed=7, n=8,
)  # fmt: skip
@example(setting={"caching": True, "strategy": "truncate", "window": 16_000}, seed=7, n=8)
@example(
    setting={"caching": True, "window": 9_000, "summary_budget": 4_000, "keep_recent": 3},
    seed=7, n=8,
)  # fmt: skip
@given(setting=cached_scenarios(), seed=seeds(), n=st.integers(1, 6))
def test_the_cache_holds_the_longest_common_prefix_of_successive_requests(setting, seed, n):
    usage = simulate(setting, seed=seed, tasks=n).usage
    expected = play(setting, seed, n)
    assert usage.request_tokens.tolist() == [task.out.request_tokens for task in expected]
    assert usage.cached_tokens.tolist() == [task.cached for task in expected]
    assert usage.summariser_cached.tolist() == [task.summariser_cached for task in expected]
    assert usage.rewritten_tokens.tolist() == [task.rewritten for task in expected]


@given(setting=cached_scenarios(), seed=seeds(), n=st.integers(1, 6))
def test_prices_change_no_fact_no_edit_and_no_token_of_a_task(setting, seed, n):
    setting = {name: value for name, value in setting.items() if name != "clear_at_least"}
    cached, flat = (simulate(setting | {"caching": on}, seed=seed, tasks=n) for on in (True, False))
    for name in ("success", "peak", "final_context", "compactions", "clears", "request_tokens"):
        assert getattr(cached, name).tolist() == getattr(flat, name).tolist()
    assert (cached.usage.cached_tokens <= cached.request_tokens).all()
    assert (cached.usage.cached_tokens >= 0).all()
    assert sum(cached.cost_split.values()) == pytest.approx(cached.tiles["cost"].value)


@given(setting=cached_scenarios(), seed=seeds(), n=st.integers(1, 6))
def test_a_card_with_one_price_and_free_output_is_the_flat_card(setting, seed, n):
    one_price = {"cache_read_per_mtok": 3.0, "cache_write_per_mtok": 3.0, "output_per_mtok": 0.0}
    setting = setting | one_price | {"input_per_mtok": 3.0}
    cached, flat = (simulate(setting | {"caching": on}, seed=seed, tasks=n) for on in (True, False))
    assert cached.cost.tolist() == pytest.approx(flat.cost.tolist())


def test_a_session_without_edits_writes_every_token_once():
    run = simulate({"caching": True, "strategy": "none", "window": 1_000_000}, seed=1, tasks=20)
    assert (run.request_tokens - run.usage.cached_tokens == run.final_context).all()
    assert run.payback_requests is None


def test_the_bill_is_that_of_a_calculation_by_hand():
    """Two steps of 1,200 tokens; the second fires, and one step goes into a summary of 400."""
    setting = CARD | {
        "output_per_mtok": 15.0, "mean_steps": 2.0, "min_steps": 2, "max_steps": 2,
        "tool_tokens_median": 1_000.0, "tool_tokens_sigma": 0.0, "window": 5_900, "trigger": 1.0,
        "keep_recent": 1, "summary_budget": 400,
    }  # fmt: skip
    run = simulate(setting, seed=1, tasks=1)
    assert run.compactions.tolist() == [1]
    # Requests of 3,500, 4,700 and 4,600 tokens; they share 3,500 and then the system prompt.
    assert run.cost_split == pytest.approx(
        {
            "cached_read": (3_500 + 3_000) * 0.30e-6,
            "written": (3_500 + 1_200 + 1_600) * 3.75e-6,
            "output": 2 * 200 * 15e-6,
            "summariser": 4_700 * 0.30e-6 + 1_200 * 3.75e-6 + 400 * 15e-6,
        }
    )
    once = 4_700 * 0.30 + 1_200 * 3.75 + 400 * 15 + 1_600 * 3.75
    assert run.payback_requests == pytest.approx(once / ((5_900 - 4_600) * 0.30))
    cold = simulate(setting | {"summariser_cache": "cold"}, seed=1, tasks=1)
    assert cold.cost_split["summariser"] == pytest.approx(5_900 * 3e-6 + 400 * 15e-6)


def test_without_caching_payback_is_what_the_summariser_read_over_what_was_freed():
    run = simulate({}, seed=1, tasks=50)
    edits = run.edits
    freed = (edits.before - edits.after)[edits.kind == 0]
    assert run.payback_requests == pytest.approx(int(run.summariser_tokens.sum()) / freed.sum())


def test_an_expired_cache_holds_nothing_and_the_share_is_met():
    cold = simulate({"caching": True, "cold_share": 1.0}, seed=1, tasks=20)
    assert cold.usage.cached_tokens.tolist() == [0] * 20
    warm = simulate({"caching": True}, seed=1, tasks=400).usage.cached_tokens.sum()
    half = simulate(
        {"caching": True, "cold_share": 0.5}, seed=1, tasks=400
    ).usage.cached_tokens.sum()
    assert half / warm == pytest.approx(0.5, abs=0.01)


def test_a_task_meets_the_same_expiries_whatever_the_number_of_tasks():
    whole = rows_from(5, CACHE_EXPIRED, 0, 30)
    assert whole.tolist() == np.random.default_rng([5, 8]).random((30, 200)).tolist()
    assert rows_from(5, CACHE_EXPIRED, 11, 4).tolist() == whole[11:15].tolist()
    setting = Scenario.from_dict({"caching": True, "cold_share": 0.4})
    few, many = (simulate(setting, seed=2, tasks=n).cost for n in (3, 2_100))
    assert many[:3].tolist() == few.tolist()
    drawn = draw_tasks(setting.workload, setting.events, seed=2, tasks=2_100)
    assert simulate(setting, seed=2, tasks=drawn).cost.tolist() == many.tolist()


def cheapest(settings):
    """From 24,000 tokens on: in smaller windows tasks cost little because they fail."""
    costs = {
        window: simulate({"window": window, **settings}, seed=1, tasks=400).tiles["cost"].value
        for window in range(24_000, 136_000, 8_000)
    }
    return min(costs, key=costs.get)


def test_caching_moves_the_cheapest_window_up():
    assert cheapest({}) <= 40_000
    assert cheapest({"caching": True}) >= 56_000
