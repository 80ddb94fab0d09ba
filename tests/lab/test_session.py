"""A sitting: the run, its baseline, the visits, the comparison on further seeds."""

from __future__ import annotations

import asyncio

import pytest

from lab.session import ROBUST_SEEDS, Session, direction
from lab.state import LabState
from lab.views import readout
from sim import TILES, Scenario, compare, simulate, simulate_outcome


def session(tasks=60, **changes):
    state = LabState(tasks=tasks)
    made = Session(state)
    state.param.update(**changes)
    made.update()
    return made


def set_(made, **changes):
    made.state.param.update(**changes)
    made.update()


def test_a_session_begins_with_the_default_run_as_its_own_baseline():
    made = session()
    assert made.run.scenario == made.baseline.scenario == Scenario()
    assert made.is_baseline
    assert {estimate.value for estimate in made.difference.values()} == {0}


def test_the_run_is_the_simulators():
    made = session(window=32_000, seed=7)
    assert made.run.tiles == simulate({"window": 32_000}, seed=7, tasks=60).tiles


def test_the_difference_is_paired_on_the_seed_and_the_tasks_of_the_run():
    made = session(window=32_000, seed=7, tasks=80)
    expected = compare(
        simulate({}, seed=7, tasks=80), simulate({"window": 32_000}, seed=7, tasks=80)
    )
    assert made.difference == expected


# --- pin, restore, visits --------------------------------------------------------------------


def test_pinning_makes_the_current_run_the_baseline():
    made = session(window=32_000)
    made.pin()
    assert made.is_baseline
    assert made.baseline_settings["window"] == 32_000
    set_(made, notes=True)
    assert not made.is_baseline
    assert made.baseline.scenario.policy.window == 32_000
    assert made.baseline.scenario.policy.notes is False


def test_the_baseline_runs_on_the_seed_of_the_run():
    made = session(window=32_000)
    set_(made, seed=9, tasks=30)
    assert (made.baseline.seed, len(made.baseline)) == (9, 30)


def test_going_back_to_the_baseline_restores_all_its_settings_and_keeps_the_seed():
    made = session(window=32_000, notes=True)
    made.pin()
    set_(made, window=64_000, strategy="truncate", seed=5)
    made.restore_baseline()
    assert made.is_baseline
    assert made.state.settings() == {**Scenario().all_settings(), "window": 32_000, "notes": True}
    assert made.run.seed == 5


def test_a_visit_is_remembered_once():
    made = session()
    for window in (32_000, 48_000, 32_000, 64_000, 48_000):
        set_(made, window=window)
    assert [visit.settings["window"] for visit in made.visits] == [64_000, 32_000, 48_000]


def test_a_visit_on_another_seed_or_number_of_tasks_is_another():
    made = session()
    set_(made, seed=2)
    set_(made, tasks=61)
    set_(made, seed=1, tasks=60)
    assert [(visit.seed, visit.tasks) for visit in made.visits] == [(1, 60), (2, 60), (2, 61)]


def test_a_visit_holds_what_it_gave():
    made = session(window=32_000)
    visit = made.visits[-1]
    assert visit.success == made.run.tiles["success"].value
    assert visit.cost == made.run.tiles["cost"].value


def test_restoring_a_visit_restores_its_settings_its_seed_and_its_tasks():
    made = session()
    set_(made, window=32_000, notes=True, seed=4, tasks=20)
    set_(made, strategy="truncate", seed=8, tasks=90)
    made.restore(1)
    assert made.state.settings() == {**Scenario().all_settings(), "window": 32_000, "notes": True}
    assert (made.run.seed, len(made.run)) == (4, 20)
    assert len(made.visits) == 3


@pytest.mark.parametrize("index", [-1, 2, 10**9])
def test_restoring_what_was_not_visited_does_nothing(index):
    made = session(window=32_000)
    made.restore(index)
    assert made.run.scenario.policy.window == 32_000


# --- settings that cannot be simulated --------------------------------------------------------


def test_settings_that_cannot_go_together_leave_the_last_run_and_a_sentence():
    made = session(window=32_000)
    before = made.run
    set_(made, system_tokens=70_000)
    assert made.run is before
    assert made.error == (
        "window is 32,000 but must be at least 70,201 tokens, to hold the system prompt (70,000) "
        "and one step: give a larger window."
    )
    assert len(made.visits) == 2


def test_the_sentence_goes_once_the_settings_go_together():
    made = session()
    set_(made, system_tokens=70_000)
    set_(made, window=120_000)
    assert made.error is None
    assert made.run.scenario.workload.system_tokens == 70_000


def test_a_calculation_that_fails_leaves_the_last_run_and_works_again(monkeypatch):
    made = session(tasks=3_000)
    set_(made, window=32_000)
    tiles, real = made.run.tiles, simulate_outcome

    def failing(scenario, **more):
        if scenario.policy.window == 40_000:
            raise MemoryError
        return real(scenario, **more)

    monkeypatch.setattr("lab.runs.simulate_outcome", failing)
    with pytest.raises(MemoryError):
        set_(made, window=40_000)
    assert made.run.tiles == tiles
    assert made.baseline.scenario == Scenario()
    set_(made, window=48_000)
    assert made.run.scenario.policy.window == 48_000


def test_a_task_that_the_shown_run_does_not_have_is_not_looked_at():
    made = session(tasks=60)
    set_(made, system_tokens=70_000, task=500)
    assert made.error
    assert readout(made)["task"] < 60


def test_pinning_an_impossible_setting_pins_what_is_shown():
    made = session(window=32_000)
    set_(made, system_tokens=70_000)
    made.pin()
    assert made.baseline_settings["window"] == 32_000
    assert made.baseline_settings["system_tokens"] == 3_000


def test_the_task_looked_at_stays_among_the_tasks():
    made = session()
    set_(made, task=59)
    set_(made, tasks=10)
    assert made.state.task == 9


# --- a new worker takes over ------------------------------------------------------------------


def test_a_session_can_take_over_from_another():
    made = session()
    visits = [
        {"changes": {}, "seed": 1, "tasks": 60, "success": 0.5, "cost": 3.0},
        {"changes": {"notes": True}, "seed": 2, "tasks": 60, "success": 0.7, "cost": 4.0},
    ]
    made.resume(baseline={"window": 32_000}, visits=visits)
    made.update()
    assert made.baseline.scenario == Scenario().replace(window=32_000)
    assert [visit.settings["notes"] for visit in made.visits] == [False, True]
    made.restore(1)
    assert made.run.scenario == Scenario().replace(notes=True)
    assert made.run.seed == 2
    assert len(made.visits) == 2


# --- the comparison on further seeds ----------------------------------------------------------


def check(made, during=None, tasks_too=()):
    """Run the comparison; ``during`` is called at each sign of progress. Gives their states."""
    states = []

    def progress():
        states.append((made.robustness.state, len(made.robustness.seeds)))
        if during:
            during(len(states))

    asyncio.run(made.check_seeds(progress))
    return states


def test_the_comparison_covers_twenty_seeds_from_the_shown_one_on():
    made = session(window=32_000, seed=5, tasks=20)
    states = check(made)
    assert made.robustness.seeds == list(range(5, 25))
    assert states == [("running", n) for n in range(20)] + [("done", 20)]


def test_each_seed_gives_the_paired_difference_of_each_tile():
    made = session(window=32_000, tasks=20)
    check(made)
    for index, seed in enumerate(range(1, 1 + ROBUST_SEEDS)):
        pair = [simulate(settings, seed=seed, tasks=20) for settings in ({}, {"window": 32_000})]
        for key, estimate in compare(*pair).items():
            if key in TILES:
                assert made.robustness.differences[key][index] == estimate.value


def test_the_baseline_has_nothing_to_be_compared_with():
    made = session(tasks=20)
    assert check(made) == [("same", 0)]
    assert readout(made)["robust"]["text"] == (
        "Nothing to compare yet: these are the baseline's settings. Change one first."
    )


def test_a_cancelled_comparison_keeps_what_it_has_found():
    made = session(window=32_000, tasks=20)
    states = check(made, during=lambda n: made.cancel() if n == 4 else None)
    assert states[-1] == ("cancelled", 3)
    assert len(made.robustness.differences["success"]) == 3
    assert readout(made)["robust"]["text"].startswith("Cancelled. Success ")


def test_a_comparison_cancelled_at_once_has_found_nothing():
    made = session(window=32_000, tasks=20)
    check(made, during=lambda n: made.cancel() if n == 1 else None)
    assert readout(made)["robust"]["text"] == "Cancelled. No seed was finished."


@pytest.mark.parametrize(
    "change", [{"window": 48_000}, {"seed": 2}, {"tasks": 21}, {"noisy_tools": True}]
)
def test_a_setting_changed_meanwhile_drops_the_comparison(change):
    made = session(window=32_000, tasks=20)
    states = check(made, during=lambda n: set_(made, **change) if n == 4 else None)
    assert states[-1] == ("idle", 0)
    assert made.robustness.differences["success"] == []
    assert readout(made)["robust"]["text"] == ""


@pytest.mark.parametrize("act", [lambda s: s.pin(), lambda s: s.restore(0)])
def test_pinning_or_restoring_meanwhile_drops_the_comparison(act):
    made = session(window=32_000, tasks=20)
    states = check(made, during=lambda n: act(made) if n == 4 else None)
    assert states[-1] == ("idle", 0)


def test_looking_at_another_task_meanwhile_does_not_drop_it():
    made = session(window=32_000, tasks=20)
    states = check(made, during=lambda n: set_(made, task=3) if n == 4 else None)
    assert states[-1] == ("done", 20)


def test_a_result_goes_with_the_setting_that_it_was_about():
    made = session(window=32_000, tasks=20)
    check(made)
    set_(made, window=48_000)
    assert made.robustness.state == "idle"


def test_a_second_comparison_replaces_the_first():
    made = session(window=32_000, tasks=20)

    async def both():
        first = asyncio.ensure_future(made.check_seeds(lambda: None))
        await asyncio.sleep(0)
        await made.check_seeds(lambda: None)
        await first

    asyncio.run(both())
    assert made.robustness.state == "done"
    assert made.robustness.seeds == list(range(1, 21))
    assert len(made.robustness.differences["cost"]) == 20


def test_other_work_gets_its_turn_between_two_runs():
    made = session(window=32_000, tasks=20)
    turns = []

    async def both():
        async def other():
            while made.robustness.state != "done":
                turns.append(len(made.robustness.seeds))
                await asyncio.sleep(0)

        await asyncio.gather(made.check_seeds(lambda: None), other())

    asyncio.run(both())
    assert set(turns) >= set(range(1, 20))


@pytest.mark.parametrize(
    ("differences", "most"),
    [
        ([1.0, 2.0, -9.0], (1, 2)),
        ([-1.0, -2.0, 0.0], (-1, 2)),
        ([0.0, 0.0, 3.0], (0, 2)),
        ([5.0], (1, 1)),
    ],
)
def test_the_direction_is_that_of_most(differences, most):
    assert direction(differences) == most


@pytest.mark.parametrize(
    ("differences", "words"),
    [
        ([0.1] * 20, "Success rises on 20 of 20 seeds: 10.0 to 10.0 points."),
        ([-0.2, -0.1] + [-0.1] * 18, "Success falls on 20 of 20 seeds: −20.0 to −10.0 points."),
        ([0.0] * 20, "Success stays on 20 of 20 seeds: 0.0 to 0.0 points."),
        ([0.1] * 15 + [-0.05] * 5, "Success rises on 15 of 20 seeds: −5.0 to 10.0 points."),
        ([0.01] * 15 + [-0.9] * 5, "Success rises on 15 of 20 seeds: −90.0 to 1.0 points."),
        ([0.0] * 12 + [0.1] * 8, "Success stays on 12 of 20 seeds: 0.0 to 10.0 points."),
    ],
)
def test_the_words_for_twenty_seeds_say_what_most_of_them_say(differences, words):
    made = session(window=32_000, tasks=20)
    made.robustness.state = "done"
    made.robustness.seeds = list(range(1, 21))
    made.robustness.differences = {key: list(differences) for key in TILES}
    assert readout(made)["robust"]["text"] == words
