"""What is simulated once, and for how long it is remembered."""

import pytest

from lab.runs import DRAWS, OUTCOMES, RUNS, Runs
from lab.session import Session
from lab.state import LabState
from sim import Scenario, draw_blocks, simulate


def windows(*thousands):
    return [Scenario().replace(window=1_000 * each) for each in thousands]


@pytest.fixture
def simulated(monkeypatch):
    """The scenarios that were simulated, in order."""
    done = []

    def counted(scenario, **options):
        done.append(scenario)
        return simulate(scenario, **options)

    monkeypatch.setattr("lab.runs.simulate", counted)
    return done


def test_a_run_is_that_of_the_simulator():
    (scenario,) = windows(32)
    run = Runs().run(scenario, seed=3, tasks=50)
    assert run.tiles == simulate(scenario, seed=3, tasks=50).tiles


def test_a_remembered_run_is_not_repeated_and_the_oldest_is_forgotten(simulated):
    runs, (most, _) = Runs(), RUNS
    scenarios = windows(*range(30, 31 + most))
    for scenario in (*scenarios, scenarios[-1], scenarios[1]):
        runs.run(scenario, seed=1, tasks=3)
    assert simulated == scenarios
    runs.run(scenarios[0], seed=1, tasks=3)
    assert simulated == [*scenarios, scenarios[0]]


def test_another_seed_and_number_of_tasks_is_another_run():
    runs, (scenario,) = Runs(), windows(32)
    for seed, tasks in ((1, 3), (2, 3), (1, 4)):
        run = runs.run(scenario, seed=seed, tasks=tasks)
        assert (run.seed, len(run)) == (seed, tasks)


def test_of_many_tasks_only_the_newest_run_is_remembered(simulated):
    runs, (first, second) = Runs(), windows(32, 40)
    many = RUNS[1] // 2 + 1
    kept = runs.run(first, seed=1, tasks=many)
    assert runs.run(first, seed=1, tasks=many) is kept
    runs.run(second, seed=1, tasks=many)
    assert list(runs._runs) == [(second, 1, many)]


def test_an_outcome_is_remembered_where_its_run_is_not(simulated):
    runs, (first, second) = Runs(), windows(32, 40)
    many = RUNS[1]
    outcome = runs.outcome(first, seed=1, tasks=many)
    runs.run(second, seed=1, tasks=many)
    assert runs.outcome(first, seed=1, tasks=many) is outcome
    assert simulated == [first, second]
    assert not hasattr(outcome, "facts")


def test_outcomes_are_forgotten_at_last(simulated):
    runs, (most, _) = Runs(), OUTCOMES
    scenarios = windows(*range(30, 31 + most))
    for scenario in scenarios:
        runs.outcome(scenario, seed=1, tasks=3)
    assert list(runs._outcomes) == [(scenario, 1, 3) for scenario in scenarios[1:]]


def test_tasks_are_drawn_once_for_all_policies(monkeypatch):
    drawn = []

    def counted(*workload, **sitting):
        drawn.append(sitting)
        return draw_blocks(*workload, **sitting)

    monkeypatch.setattr("lab.runs.draw_blocks", counted)
    runs, plain = Runs(), Scenario()
    for scenario in (plain, plain.replace(window=32_000, notes=True, input_per_mtok=5.0)):
        runs.run(scenario, seed=1, tasks=60)
    assert drawn == [{"seed": 1, "tasks": 60}]
    runs.run(plain.replace(noisy_tools=True), seed=1, tasks=60)
    assert len(drawn) == 2
    for tasks in (61, 62, 63):
        runs.run(plain, seed=1, tasks=tasks)
    assert len(runs._draws) == DRAWS[0]


def test_of_two_large_draws_only_one_is_ever_there(monkeypatch):
    runs, (scenario,) = Runs(), windows(32)

    def lonely(*workload, **sitting):
        assert not runs._draws
        return draw_blocks(*workload, **sitting)

    monkeypatch.setattr("lab.runs.draw_blocks", lonely)
    for tasks in (5_000, 5_001):
        runs.run(scenario, seed=1, tasks=tasks)


def test_a_sitting_keeps_one_whole_run_of_many_tasks(simulated):
    made = Session(LabState(tasks=5_000))
    for window in (32_000, 40_000, 48_000):
        baseline = made.baseline
        made.state.window = window
        made.update()
        assert made.baseline is baseline
        assert list(made.runs._runs.values()) == [made.run]
    assert len(simulated) == 4
    assert made.baseline_run().tiles == made.baseline.tiles
