"""What must hold whatever the scenario."""

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sim import Scenario, ScenarioError, draw_blocks, draw_tasks, simulate
from tests.sim import oracle
from tests.strategies import policies, scenarios, seeds

PER_TASK = [
    "success",
    "cost",
    "needed",
    "needed_lost",
    "instruction_lost",
    "compactions",
    "clears",
    "overflows",
    "failed",
    "peak",
    "final_context",
    "request_tokens",
    "summariser_tokens",
]
PER_FACT = [
    "task",
    "step",
    "needed",
    "restated",
    "noted",
    "state",
    "lost_at",
    "fold",
]
small = st.integers(1, 12)


def play(setting, seed, tasks):
    return simulate(Scenario.from_dict(setting), seed=seed, tasks=tasks)


def per_task(run, rows=slice(None), names=PER_TASK):
    return {name: getattr(run, name)[rows].tolist() for name in names}


def per_fact(run, tasks=None):
    table = run.facts
    rows = table.task < (len(run.cost) if tasks is None else tasks)
    columns = {name: getattr(table, name)[rows].tolist() for name in PER_FACT}
    causes = [cause for cause, kept in zip(table.cause_names(), rows, strict=True) if kept]
    return columns | {"cause": causes}


def lost_of(run, task):
    table = run.facts
    lost = np.array(table.state_names()) == "lost"
    return set(table.step[(table.task == task) & lost].tolist())


# Tokens


@given(setting=scenarios(), seed=seeds(), n=small)
def test_no_token_appears_or_vanishes_unaccounted(setting, seed, n):
    """A step adds its messages, an edit says what it took, the next request reads the rest."""
    scenario = Scenario.from_dict(setting)
    run = simulate(scenario, seed=seed, tasks=n)
    tasks = draw_tasks(scenario.workload, scenario.events, seed=seed, tasks=n)
    tools = np.split(tasks.tool_tokens, np.cumsum(tasks.steps)[:-1])
    facts = run.facts
    for i in range(n):
        timeline = run.timeline(i)
        noted = set(facts.step[(facts.task == i) & facts.noted].tolist())
        played = len(timeline.after)
        assert played == tasks.steps[i] or run.failed[i]
        for k in range(played):
            note = scenario.workload.note_tokens if k in noted else 0
            added = scenario.workload.assistant_tokens + tools[i][k] + note
            assert timeline.after[k] == timeline.read[k] + added
            here = timeline.after[k]
            for event in timeline.events:
                if event.step == k:
                    assert event.before == here
                    here = event.after
            assert timeline.left[k] == here
        assert list(timeline.read[1:]) == list(timeline.left[: len(timeline.read) - 1])
        assert len(timeline.read) == played + (0 if run.failed[i] else 1)


@given(setting=scenarios(), seed=seeds(), n=small)
def test_a_timeline_adds_up_to_the_task_it_shows(setting, seed, n):
    run = play(setting, seed, n)
    for i in range(n):
        timeline = run.timeline(i)
        kinds = [event.kind for event in timeline.events]
        assert sum(timeline.read) == run.request_tokens[i]
        assert max(timeline.after) == run.peak[i]
        assert timeline.left[-1] == run.final_context[i]
        assert kinds.count("compaction") == run.compactions[i]
        assert kinds.count("clear") == run.clears[i]
        assert kinds.count("overflow") == run.overflows[i]
        assert kinds.count("failed") == run.failed[i]
        mine = run.facts.task == i
        assert timeline.facts.step.tolist() == run.facts.step[mine].tolist()
        assert timeline.facts.state_names() == [
            name for name, is_mine in zip(run.facts.state_names(), mine, strict=True) if is_mine
        ]


@given(setting=scenarios(), seed=seeds(), n=small)
def test_the_context_that_is_left_fits_the_window_unless_the_task_failed(setting, seed, n):
    scenario = Scenario.from_dict(setting)
    run = simulate(scenario, seed=seed, tasks=n)
    assert ((run.final_context <= scenario.policy.window) | run.failed).all()


@given(setting=scenarios(), seed=seeds(), n=small)
def test_every_billed_token_costs_the_same(setting, seed, n):
    run = play(setting, seed, n)
    billed = run.request_tokens + run.summariser_tokens
    price = Scenario.from_dict(setting).prices.input_per_mtok
    assert run.cost == pytest.approx(billed * price / 1e6, abs=1e-9, rel=1e-9)


@given(setting=scenarios(), seed=seeds(), n=small)
def test_the_split_of_the_cost_adds_up_to_it(setting, seed, n):
    run = play(setting, seed, n)
    price = Scenario.from_dict(setting).prices.input_per_mtok / 1e6
    assert run.cost_split == pytest.approx(
        {
            "requests": run.request_tokens.mean() * price,
            "summariser": run.summariser_tokens.mean() * price,
        }
    )
    assert sum(run.cost_split.values()) == pytest.approx(run.tiles["cost"].value)


# Facts


@given(setting=scenarios(), seed=seeds(), n=small)
def test_a_fact_is_in_exactly_one_state(setting, seed, n):
    run = play(setting, seed, n)
    facts, states, causes = run.facts, run.facts.state_names(), run.facts.cause_names()
    where = list(zip(facts.task.tolist(), facts.step.tolist(), strict=True))
    assert len(set(where)) == len(where) == len(states) == len(causes)
    for j, (state, cause) in enumerate(zip(states, causes, strict=True)):
        died = cause is not None
        assert state in {"unrevealed", "verbatim", "restated", "summary", "notes", "lost"}
        assert cause in {"truncated", "cleared", "summarised", "overflow", None}
        assert died == (facts.lost_at[j] >= facts.step[j]) == (facts.lost_at[j] != -1)
        assert died == (state in {"notes", "lost"})
        assert (facts.fold[j] >= 1) == (cause == "summarised")
        assert (state == "notes") == (died and bool(facts.noted[j]))
        assert state != "restated" or facts.restated[j]
        assert state != "unrevealed" or run.failed[facts.task[j]]


@given(setting=scenarios(), seed=seeds(), n=small)
def test_the_needed_facts_that_are_lost_are_those_the_table_calls_lost(setting, seed, n):
    run = play(setting, seed, n)
    lost = np.array([state == "lost" for state in run.facts.state_names()], dtype=bool)
    for column, chosen in (
        (run.needed, run.facts.needed),
        (run.needed_lost, run.facts.needed & lost),
    ):
        assert column.tolist() == np.bincount(run.facts.task[chosen], minlength=n).tolist()


@given(setting=scenarios(), seed=seeds(), n=small)
def test_the_causes_count_the_needed_facts_that_are_lost(setting, seed, n):
    run = play(setting, seed, n)
    table = zip(
        run.facts.state_names(),
        run.facts.needed.tolist(),
        run.facts.cause_names(),
        run.facts.fold.tolist(),
        strict=True,
    )
    expected = Counter(
        (cause, fold) for state, needed, cause, fold in table if needed and state == "lost"
    )
    assert run.causes == dict(expected)


@given(setting=scenarios(), seed=seeds(), n=small)
def test_success_is_the_readers_rate_or_nothing(setting, seed, n):
    """Nothing for a task that failed or lost what it needs, else a rate that falls with context."""
    scenario = Scenario.from_dict(setting)
    run = simulate(scenario, seed=seed, tasks=n)
    spoilt = run.failed | (run.needed_lost > 0)
    if scenario.policy.instruction_required:
        spoilt = spoilt | run.instruction_lost
    rate = 0.97 - 0.15 * np.minimum(1.0, run.final_context / 200_000)
    assert run.success == pytest.approx(np.where(spoilt, 0.0, rate), abs=1e-12)


@given(setting=policies(), seed=seeds())
def test_a_full_window_without_a_policy_loses_nothing_unless_it_overflows(setting, seed):
    run = play(setting | {"window": 200_000, "strategy": "none"}, seed, 40)
    assert (run.failed == (run.overflows > 0)).all()
    assert not run.needed_lost.any()
    assert not run.instruction_lost.any()
    assert set(run.facts.state_names()) <= {"verbatim", "unrevealed"}


# Common random numbers


@given(setting=scenarios(), seed=seeds(), n=small)
def test_the_same_seed_gives_the_same_result(setting, seed, n):
    one, two = play(setting, seed, n), play(setting, seed, n)
    assert per_task(one) == per_task(two)
    assert per_fact(one) == per_fact(two)
    assert one.tiles == two.tiles


@given(setting=policies(), two=st.lists(seeds(), min_size=2, max_size=2, unique=True))
def test_another_seed_gives_another_result(setting, two):
    one, other = (play(setting, seed, 6) for seed in two)
    assert one.request_tokens.tolist() != other.request_tokens.tolist()
    assert per_fact(one)["step"] != per_fact(other)["step"]


@given(setting=scenarios(), one=policies(), two=policies(), seed=seeds(), n=small)
def test_a_policy_field_changes_no_draw(setting, one, two, seed, n):
    """Only `notes` shows: it switches the same drawn flags on and off."""
    window = {"window": 60_000}  # whatever the workload, it is one that fits
    a = play(setting | window | one, seed, n)
    b = play(setting | window | two, seed, n)
    for name in ("task", "step", "needed", "restated"):
        assert getattr(a.facts, name).tolist() == getattr(b.facts, name).tolist(), name
    if a.scenario.policy.notes == b.scenario.policy.notes:
        assert a.facts.noted.tolist() == b.facts.noted.tolist()
    assert a.needed.tolist() == b.needed.tolist()
    for i in range(n):
        assert a.timeline(i).after[0] - b.timeline(i).after[0] in (
            0,
            *(sign * a.scenario.workload.note_tokens for sign in (1, -1)),
        )


@given(setting=scenarios(), seed=seeds(), n=small, more=small)
def test_a_task_does_not_depend_on_how_many_there_are(setting, seed, n, more):
    few, many = play(setting, seed, n), play(setting, seed, n + more)
    assert per_task(few) == per_task(many, slice(0, n))
    assert per_fact(few) == per_fact(many, n)


@given(setting=scenarios(), seed=seeds(), n=small)
def test_tasks_drawn_before_play_as_tasks_drawn_within(setting, seed, n):
    scenario = Scenario.from_dict(setting)
    tasks = draw_tasks(scenario.workload, scenario.events, seed=seed, tasks=n)
    one, two = simulate(scenario, seed=seed, tasks=tasks), play(setting, seed, n)
    assert per_task(one) == per_task(two)
    assert per_fact(one) == per_fact(two)
    assert one.provenance == two.provenance


@pytest.mark.parametrize(
    ("seed", "changes"),
    [(2, {}), (1, {"fact_rate": 0.9}), (1, {"noisy_tools": True}), (1, {"restated_rate": 0.1})],
)
def test_tasks_drawn_for_another_seed_or_workload_are_refused(seed, changes):
    tasks = draw_tasks(Scenario().workload, Scenario().events, seed=1, tasks=5)
    with pytest.raises(ScenarioError, match="tasks"):
        simulate(Scenario().replace(**changes), seed=seed, tasks=tasks)


def test_blocks_drawn_before_play_as_tasks_drawn_within():
    scenario = Scenario().replace(window=32_000)
    blocks = list(draw_blocks(scenario.workload, scenario.events, seed=2, tasks=2_100))
    assert [len(block) for block in blocks] == [2_048, 52]
    run, whole = (simulate(scenario, seed=2, tasks=drawn) for drawn in (blocks, 2_100))
    assert run.tiles == whole.tiles
    assert run.facts.state.tolist() == whole.facts.state.tolist()
    with pytest.raises(ScenarioError, match="tasks are those of seed 2"):
        simulate(scenario, seed=3, tasks=blocks)


def test_many_tasks_begin_with_the_few():
    setting = {"window": 32_000, "clear_tool_results": True, "notes": True, "keep_recent": 2}
    few, many = play(setting, 3, 300), play(setting, 3, 5_000)
    assert len(many.cost) == 5_000
    assert per_task(few) == per_task(many, slice(0, 300))
    assert per_fact(few) == per_fact(many, 300)


def test_tasks_far_down_the_list_are_those_of_the_second_implementation():
    """However the simulator splits five thousand tasks, each remains itself."""
    setting = {"window": 32_000, "summary_budget": 4_000, "notes": True}
    run = play(setting, 3, 5_000)
    drawn = oracle.draw({**oracle.DEFAULTS, **setting}, 3, 5_000)
    states = run.facts.state_names()
    for i in [*range(255, 5_000, 256), *range(256, 5_000, 512), *range(499, 5_000, 500)]:
        expected = drawn[i].run()
        assert run.cost[i] == pytest.approx(expected.cost, abs=1e-9)
        assert run.peak[i] == expected.peak
        mine = np.flatnonzero(run.facts.task == i)
        assert [states[j] for j in mine] == [fact.state() for fact in expected.facts]
        assert list(run.timeline(i).read) == expected.read


@given(setting=scenarios(), seed=seeds(), n=small)
def test_a_run_records_what_reproduces_it(setting, seed, n):
    run = play(setting, seed, n)
    assert run.provenance["scenario"] == Scenario.from_dict(setting).to_dict()
    again = simulate(**json.loads(json.dumps(run.provenance)))
    assert per_task(again) == per_task(run)
    assert per_fact(again) == per_fact(run)


@given(setting=scenarios())
def test_a_scenario_survives_being_written_down(setting):
    scenario = Scenario.from_dict(setting)
    assert Scenario.from_dict(scenario.to_dict()) == scenario
    assert Scenario.from_dict(json.loads(json.dumps(scenario.to_dict()))) == scenario
    assert scenario.to_dict() == {**oracle.DEFAULTS, **setting}


# Minimally different worlds


def test_a_task_in_which_nothing_changed_ends_as_before():
    """A slightly higher rate of restating: tasks whose facts all kept their flag do not move."""
    world = {"clear_tool_results": True, "window": 32_000, "keep_recent": 4}
    before, after = (
        play(world | {"restated_rate": rate}, seed=5, tasks=400) for rate in (0.60, 0.61)
    )
    assert before.facts.step.tolist() == after.facts.step.tolist()
    changed = before.facts.restated != after.facts.restated
    assert after.facts.restated[changed].all()
    touched = np.zeros(400, dtype=bool)
    touched[before.facts.task[changed]] = True
    assert 0 < touched.sum() < 100
    assert per_task(before, ~touched) == per_task(after, ~touched)
    assert per_task(before) != per_task(after)
    assert before.cost.tolist() == after.cost.tolist()


def test_a_frailer_instruction_touches_nothing_but_itself():
    names = [name for name in PER_TASK if name not in ("success", "instruction_lost")]
    before, after = (
        play({"window": 24_000, "instruction_keep": keep}, seed=5, tasks=400)
        for keep in (0.99, 0.90)
    )
    assert per_task(before, names=names) == per_task(after, names=names)
    assert per_fact(before) == per_fact(after)
    assert (before.instruction_lost <= after.instruction_lost).all()
    assert before.instruction_lost.sum() < after.instruction_lost.sum()


def test_a_price_touches_the_cost_alone():
    names = [name for name in PER_TASK if name != "cost"]
    before, after = (play({"input_per_mtok": price}, seed=5, tasks=50) for price in (3.0, 6.0))
    assert per_task(before, names=names) == per_task(after, names=names)
    assert after.cost == pytest.approx(2 * before.cost, rel=1e-12)


# More budget


def schedule(run, task):
    return [(event.step, event.kind) for event in run.timeline(task).events]


@given(
    setting=policies(),
    budgets=st.lists(st.integers(200, 8_000), min_size=2, max_size=2, unique=True).map(sorted),
    seed=seeds(),
)
def test_more_budget_with_the_same_schedule_loses_no_more_at_the_first_fold(setting, budgets, seed):
    """At the first fold both hold the same facts: the larger keeps what the smaller keeps."""
    small_one, large_one = (
        play(setting | {"strategy": "summarise", "summary_budget": budget}, seed, 12)
        for budget in budgets
    )
    compared = 0
    for i in range(12):
        kinds = [kind for _, kind in schedule(small_one, i)]
        if schedule(small_one, i) != schedule(large_one, i) or "overflow" in kinds:
            continue
        compared += 1
        first = [
            set(run.facts.step[(run.facts.task == i) & (run.facts.fold == 1)].tolist())
            for run in (small_one, large_one)
        ]
        assert first[1] <= first[0]
        if kinds.count("compaction") <= 1:
            assert lost_of(large_one, i) <= lost_of(small_one, i)
            assert large_one.needed_lost[i] <= small_one.needed_lost[i]
    assume(compared)


def test_more_budget_may_lose_more_at_a_second_fold():
    """More facts then share the larger summary, those it kept before, and one more is lost."""
    small_one, large_one = (play({"summary_budget": budget}, 14, 38) for budget in (500, 600))
    assert schedule(small_one, 37) == schedule(large_one, 37)
    assert [kind for _, kind in schedule(small_one, 37)] == ["compaction", "compaction"]
    assert lost_of(large_one, 37) - lost_of(small_one, 37) == {28}
    assert lost_of(small_one, 37) - lost_of(large_one, 37) == set()
