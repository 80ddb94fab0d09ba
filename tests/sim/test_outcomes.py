"""What is left of a run without its facts and edits, and one task without the others."""

from dataclasses import fields
from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sim import Outcome, Run, Scenario, Timeline, draw_tasks, report, simulate, simulate_outcome
from sim.recall import STATES
from tests.sim.test_masking import packed_scenarios
from tests.strategies import seeds

small = st.integers(1, 12)


def same(one, other, but=()):
    """Whether two values are alike down to every array, but for columns of some names."""
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    if hasattr(one, "__dataclass_fields__"):
        names = [spec.name for spec in fields(one) if spec.name not in but]
        return all(same(getattr(one, name), getattr(other, name), but) for name in names)
    return one == other


@given(setting=packed_scenarios(), seed=seeds(), n=small, block=st.integers(1, 5))
def test_an_outcome_is_what_a_run_has_of_it_however_many_blocks_there_are(setting, seed, n, block):
    run = simulate(setting, seed=seed, tasks=n)
    with patch("sim.workload.BLOCK", block):
        outcome = simulate_outcome(setting, seed=seed, tasks=n)
        blocks = simulate(setting, seed=seed, tasks=n)
    assert type(outcome) is Outcome
    assert type(blocks) is Run
    assert same(outcome, run.outcome())
    assert list(outcome.causes) == list(run.causes)
    assert same(blocks, run, but=["edits"])  # of several tasks, they come in another order
    assert report(outcome) == report(run)


@given(setting=packed_scenarios(), seed=seeds(), n=small, data=st.data())
def test_a_task_by_itself_goes_as_among_others(setting, seed, n, data):
    task = data.draw(st.integers(0, n - 1))
    scenario = Scenario.from_dict(setting)
    tasks = draw_tasks(scenario.workload, scenario.events, seed=seed, tasks=n)
    alone = simulate(scenario, seed=seed, tasks=tasks.only(task)).timeline(0)
    among = simulate(scenario, seed=seed, tasks=tasks).timeline(task)
    assert isinstance(alone, Timeline)
    assert same(alone, among, but=["task"])


@given(setting=packed_scenarios(), seed=seeds(), n=small)
def test_sums_over_tasks_are_those_of_their_steps_facts_and_edits(setting, seed, n):
    run = simulate(setting, seed=seed, tasks=n)
    first = np.cumsum(run.steps) - run.steps
    assert run.appended.tolist() == np.add.reduceat(run.grown, first).tolist()
    lost = run.facts.needed & (run.facts.state == STATES.index("lost"))
    assert sum(run.causes.values()) == np.count_nonzero(lost) == run.needed_lost.sum()
    for task in range(n):
        edits = run.edits.of_task(task)
        is_counted = np.isin(edits.kind, (0, 5))
        assert run.freed[task] == (edits.before - edits.after)[is_counted].sum()
        assert run.noted[task] == run.facts.noted[run.facts.task == task].sum()
