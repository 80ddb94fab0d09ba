"""What is simulated once, and for how long it is remembered."""

from dataclasses import fields

import numpy as np
import pytest

from lab.runs import MOST_DRAWS, MOST_OUTCOMES, MOST_TASKS, MOST_WHOLE, Runs
from lab.session import Session
from lab.state import LabState
from sim import Run, Scenario, Timeline, draw_blocks, simulate, simulate_outcome

MANY = 5_000


def windows(*thousands):
    return [Scenario().replace(window=1_000 * each) for each in thousands]


@pytest.fixture
def simulated(monkeypatch):
    """The scenarios that were simulated for all tasks, in order."""
    done = []

    def counted(do):
        def run(scenario, **options):
            if isinstance(options["tasks"], list):
                done.append(scenario)
            return do(scenario, **options)

        return run

    monkeypatch.setattr("lab.runs.simulate", counted(simulate))
    monkeypatch.setattr("lab.runs.simulate_outcome", counted(simulate_outcome))
    return done


@pytest.mark.parametrize("tasks", [50, MOST_WHOLE + 1])
def test_an_outcome_is_that_of_the_simulator(tasks):
    (scenario,) = windows(32)
    found, run = (
        Runs().outcome(scenario, seed=3, tasks=tasks),
        simulate(scenario, seed=3, tasks=tasks),
    )
    assert found.tiles == run.tiles
    assert found.causes == run.causes


def same(one, other):
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other)
    if hasattr(one, "__dataclass_fields__"):
        names = [spec.name for spec in fields(one)]
        return all(same(getattr(one, name), getattr(other, name)) for name in names)
    return one == other


@pytest.mark.parametrize("task", [0, 2_047, 2_048, MANY - 1])
@pytest.mark.parametrize(
    "settings",
    [
        {"window": 32_000},
        {"window": 32_000, "caching": True, "cold_share": 0.3, "rework": 1.5},
        {"carrier": "one_field", "offloading": True, "archive": True, "notes": True},
    ],
)
def test_a_task_of_many_is_told_as_in_the_whole_run(task, settings):
    runs, scenario = Runs(), Scenario().replace(**settings)
    outcome = runs.outcome(scenario, seed=2, tasks=MANY)
    assert not isinstance(outcome, Run)
    line = runs.timeline(outcome, task)
    whole = simulate(scenario, seed=2, tasks=MANY).timeline(task)
    assert isinstance(line, Timeline)
    assert line.task == task
    assert same(line, whole)


@pytest.mark.parametrize(("tasks", "task"), [(3, -1), (3, 3), (MANY, -1), (MANY, MANY)])
def test_there_are_no_more_tasks_than_there_are(tasks, task):
    runs = Runs()
    outcome = runs.outcome(Scenario(), seed=1, tasks=tasks)
    with pytest.raises(IndexError, match=f"task is {task} but must be from 0 to {tasks - 1}"):
        runs.timeline(outcome, task)


def test_what_is_remembered_is_not_repeated_and_the_oldest_is_forgotten(simulated):
    runs = Runs()
    scenarios = windows(*range(30, 31 + MOST_OUTCOMES))
    for scenario in (*scenarios, scenarios[-1], scenarios[1]):
        runs.outcome(scenario, seed=1, tasks=3)
    assert simulated == scenarios
    runs.outcome(scenarios[0], seed=1, tasks=3)
    assert simulated == [*scenarios, scenarios[0]]


def test_another_seed_and_number_of_tasks_is_another_run():
    runs, (scenario,) = Runs(), windows(32)
    for seed, tasks in ((1, 3), (2, 3), (1, 4)):
        run = runs.outcome(scenario, seed=seed, tasks=tasks)
        assert (run.seed, len(run)) == (seed, tasks)


def test_of_many_tasks_only_two_outcomes_are_remembered():
    runs, scenarios = Runs(), windows(32, 40, 48)
    for scenario in scenarios:
        runs.outcome(scenario, seed=1, tasks=MOST_TASKS)
    assert list(runs._outcomes) == [(scenario, 1, MOST_TASKS) for scenario in scenarios[1:]]


def test_tasks_are_drawn_once_for_all_policies(monkeypatch):
    drawn = []

    def counted(*workload, **sitting):
        drawn.append(sitting)
        return draw_blocks(*workload, **sitting)

    monkeypatch.setattr("lab.runs.draw_blocks", counted)
    runs, plain = Runs(), Scenario()
    for scenario in (plain, plain.replace(window=32_000, notes=True, input_per_mtok=5.0)):
        runs.outcome(scenario, seed=1, tasks=60)
    assert drawn == [{"seed": 1, "tasks": 60}]
    runs.outcome(plain.replace(noisy_tools=True), seed=1, tasks=60)
    assert len(drawn) == 2
    for tasks in (61, 62, 63):
        runs.outcome(plain, seed=1, tasks=tasks)
    assert len(runs._draws) == MOST_DRAWS


def test_of_two_large_draws_only_one_is_ever_there(monkeypatch):
    runs, (scenario,) = Runs(), windows(32)

    def lonely(*workload, **sitting):
        assert not runs._draws
        return draw_blocks(*workload, **sitting)

    monkeypatch.setattr("lab.runs.draw_blocks", lonely)
    for tasks in (MANY, MANY + 1):
        runs.outcome(scenario, seed=1, tasks=tasks)


def test_a_sitting_simulates_its_baseline_once(simulated):
    made = Session(LabState(tasks=MANY))
    for window in (32_000, 40_000, 48_000):
        baseline = made.baseline
        made.state.window = window
        made.update()
        assert made.baseline is baseline
    assert len(simulated) == 4
