"""Part D: how an answer reads a context, against contexts laid out block by block."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sim import simulate
from sim.reading import tracked
from tests.sim import oracle
from tests.strategies import scenarios, seeds


def places(task, setting):
    """The final context of a task of the second implementation, and where in it each fact stands.

    A fact may stand in several places: ``fact id -> [token, …]``.
    """
    found, at = {}, 0

    def put(tokens, facts=()):
        nonlocal at
        for fact in facts:
            found.setdefault(id(fact), []).append(at + tokens / 2)
        at += tokens

    s = task.setting
    noted = [f for f in task.out.facts if f.noted and f.place != "unrevealed"]

    def put_notes():
        for fact in noted:
            put(s["note_tokens"], [fact])

    is_first = s["pin_instruction"] and task.instruction == "verbatim"
    put(s["system_tokens"])
    if is_first:
        put(s["instruction_tokens"])
    if setting.get("notes_at") == "front":
        put_notes()
    if task.instruction == "verbatim" and not is_first:
        put(s["instruction_tokens"])
    if task.has_summary:
        put(s["summary_budget"], task.summary)
    for step in task.live:
        alive = [step.fact] if step.fact is not None and step.fact.alive() else []
        put(step.assistant, [fact for fact in alive if fact.cut_away])
        put(step.tool, [fact for fact in alive if not fact.cut_away])
    if setting.get("notes_at", "end") == "end":
        put_notes()
    assert at == task.context()
    return found, at


def success(task, setting):
    out = task.out
    lost = out.needed_lost or (task.setting["instruction_required"] and out.instruction_lost)
    if out.failed or lost:
        return 0.0
    where, tokens = places(task, setting)
    chance = 0.97
    for fact in out.facts:
        if fact.needed:
            shares = [at / tokens for at in where[id(fact)]]
            most = setting["most_missed"] * min(1, tokens / 200_000)
            chance *= 1 - min(most * 4 * x * (1 - x) for x in shares)
    return chance


def readings():
    packs = st.fixed_dictionaries(
        {"reading": st.just("u_shaped"), "most_missed": st.sampled_from([0.0, 0.5, 1.0])},
        optional={"notes_at": st.sampled_from(["end", "front"])},
    )
    return st.builds(lambda base, pack: base | pack, scenarios(), packs)


U = {"reading": "u_shaped", "most_missed": 1.0, "restated_rate": 1.0}


@example(setting=U | {"clear_tool_results": True, "window": 24_000}, seed=7, n=12)
@example(setting=U | {"notes": True, "notes_at": "front", "pin_instruction": True}, seed=7, n=12)
@example(setting=U | {"summary_budget": 8_000, "window": 48_000}, seed=7, n=12)
@example(
    setting=U | {"tool_tokens_median": 15_000, "window": 16_000, "needed_facts": 1, "notes": True},
    seed=7, n=12,
)  # fmt: skip
@given(setting=readings(), seed=seeds(), n=st.integers(1, 8))
def test_each_needed_fact_is_missed_by_where_it_stands(setting, seed, n):
    base = {k: v for k, v in setting.items() if k in oracle.DEFAULTS}
    tasks = oracle.draw({**oracle.DEFAULTS, **base}, seed, n)
    for task in tasks:
        task.run()
    run = simulate(setting, seed=seed, tasks=n)
    assert run.success.tolist() == pytest.approx([success(t, setting) for t in tasks], abs=1e-12)


@given(setting=scenarios(), seed=seeds(), n=st.integers(1, 8))
def test_a_state_is_tracked_by_the_fit_to_seed_000(setting, seed, n):
    linear = simulate(setting, seed=seed, tasks=n)
    run = simulate(setting | {"reading": "state_tracking"}, seed=seed, tasks=n)
    expected = [
        float(chance > 0) / (1 + math.pow(tokens / 5_590, 1.52))
        for chance, tokens in zip(linear.success.tolist(), run.final_context.tolist(), strict=True)
    ]
    assert run.success.tolist() == pytest.approx(expected)
    assert run.cost.tolist() == linear.cost.tolist()


def test_the_fit_is_half_at_its_middle_and_runs_from_99_to_8_percent():
    shares = tracked(np.array([56, 5_590, 27_200])).round(3).tolist()
    assert shares == [0.999, 0.5, 0.083]


def test_nothing_missed_leaves_the_chance_of_an_empty_context():
    run = simulate({"reading": "u_shaped", "most_missed": 0.0}, seed=1, tasks=100)
    assert set(run.success.tolist()) == {0.0, 0.97}


def test_the_more_is_missed_the_lower_the_success():
    rates = [
        simulate({"reading": "u_shaped", "most_missed": most}, seed=1, tasks=100)
        .tiles["success"].value
        for most in (0.0, 0.3, 0.6, 1.0)
    ]  # fmt: skip
    assert rates == sorted(rates, reverse=True)
    assert len(set(rates)) == 4
