"""Goals as predicates and meters, and the three states of a verdict."""

from dataclasses import FrozenInstanceError, replace
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from missions import Goal, MissionError, further_seeds, judge, load
from missions.goals import SENSES, UNITS
from sim import DETAILS, TILES, simulate

MISSION = next(mission for mission in load() if mission.id == "small-note")


@cache
def run_of(seed=29, tasks=400, **changes):
    return simulate(MISSION.settings(changes), seed=seed, tasks=tasks)


def with_goal(**goal):
    return replace(MISSION, goals=(Goal(**goal),))


# --- goals -----------------------------------------------------------------------------------


def test_every_tile_and_detail_has_a_plain_unit():
    assert tuple(UNITS) == TILES + DETAILS


@pytest.mark.parametrize("key", TILES + DETAILS)
def test_a_value_is_the_tile_in_its_plain_unit(key):
    goal = Goal(key=key, sense="at most", bound=1)
    shares = ("success", "needed_lost", "instruction_lost", "failed")
    scale, unit = (100, "%") if key in shares else (1, goal.unit)
    assert goal.value(run_of()) == pytest.approx(run_of().tiles[key].value * scale)
    assert goal.unit == unit


def test_money_and_tokens_are_named_and_counts_are_not():
    assert (UNITS["cost"], UNITS["p95_peak"], UNITS["compactions"]) == ("$", "tokens", "")


@pytest.mark.parametrize(
    ("sense", "bound", "met", "miss"),
    [
        ("at most", 40, True, 0),
        ("at most", 30, False, 4.8125),
        ("at least", 30, True, 0),
        ("at least", 40, False, 5.1875),
    ],
)
def test_a_goal_is_met_or_missed_by_so_much(sense, bound, met, miss):
    goal = Goal(key="needed_lost", sense=sense, bound=bound)
    assert goal.value(run_of()) == pytest.approx(34.8125)
    assert goal.met(run_of()) is met
    assert goal.miss(run_of()) == pytest.approx(miss)


@pytest.mark.parametrize("sense", SENSES)
@pytest.mark.parametrize("percent", range(1, 100))
def test_to_reach_the_bound_exactly_is_to_meet_it(sense, percent):
    """Per cent times 100 is not always the float that people write: 0.07 × 100 is not 7."""
    run = run_of(tasks=100)
    run = replace(run, failed=run.steps.argsort().argsort() < percent)
    goal = Goal(key="failed", sense=sense, bound=percent)
    assert goal.met(run)
    assert goal.miss(run) == 0


def costing(dollars):
    """A run whose tasks cost so much each."""
    return replace(run_of(tasks=10), cost=run_of(tasks=10).cost * 0 + dollars)


@pytest.mark.parametrize(
    ("cost", "progress"), [(7, 0), (6, 0), (5, 0.25), (4, 0.5), (2.5, 0.875), (2, 1), (0.5, 1)]
)
def test_progress_is_the_share_of_the_way_from_the_start(cost, progress):
    goal = Goal(key="cost", sense="at most", bound=2)
    assert goal.progress(costing(cost), costing(6)) == pytest.approx(progress)


def test_progress_of_a_goal_that_the_start_meets_falls_as_it_is_left_behind():
    goal = Goal(key="cost", sense="at most", bound=2)
    seen = [goal.progress(costing(cost), costing(1)) for cost in (1, 2, 3, 4, 9)]
    assert seen == pytest.approx([1, 1, 0.5, 0, 0])


@given(
    st.sampled_from(SENSES),
    st.floats(0, 10),
    st.floats(0, 10),
    st.lists(st.floats(0, 10), min_size=2, max_size=6),
)
def test_progress_is_monotone_and_full_only_when_met(sense, bound, start, costs):
    goal = Goal(key="cost", sense=sense, bound=bound)
    runs = [costing(cost) for cost in sorted(costs, reverse=sense == "at most")]
    seen = [goal.progress(run, costing(start)) for run in runs]
    assert seen == sorted(seen)
    assert all(0 <= progress <= 1 for progress in seen)
    for run, progress in zip(runs, seen, strict=True):
        assert progress == 1 or not goal.met(run)
        assert progress < 1 or goal.miss(run) < 1e-9


def test_a_meter_moves_while_a_control_is_dragged():
    goal = MISSION.goals[0]
    budgets = (300, 500, 1000, 2000, 3000, 4000)
    seen = [goal.progress(run_of(summary_budget=budget), run_of()) for budget in budgets]
    assert seen == sorted(seen)
    assert len(set(seen)) == 5
    assert (seen[0], seen[-1]) == (0, 1)


# --- verdicts --------------------------------------------------------------------------------


def runs_of(mission_seed=29, **changes):
    return [run_of(seed, **changes) for seed in (mission_seed, *further_seeds(mission_seed))]


def test_three_further_seeds_follow_the_shown_one():
    assert further_seeds(29) == (30, 31, 32)
    assert further_seeds(0) == (1, 2, 3)


def test_the_start_is_open_and_its_misses_say_by_how_much():
    verdict = judge(MISSION, [run_of()])
    (miss,) = verdict.misses
    assert verdict.state == "open"
    assert (miss.goal.key, miss.goal.bound) == ("needed_lost", 1.5)
    assert (miss.value, miss.by) == pytest.approx((34.8125, 33.3125))


def test_misses_come_in_the_order_of_the_goals():
    verdict = judge(MISSION, [run_of(keep_recent=16)])
    assert [miss.goal.key for miss in verdict.misses] == ["needed_lost", "cost"]


def test_the_solution_is_solved_on_all_four_seeds():
    verdict = judge(MISSION, runs_of(**MISSION.solution))
    assert verdict.state == "solved"
    assert (verdict.misses, verdict.failed, verdict.unchecked) == ((), (), ())


def test_to_win_on_the_shown_seed_alone_is_luck_until_the_further_ones_have_run():
    runs = runs_of(**MISSION.solution)
    states = [judge(MISSION, runs[:count]).state for count in (1, 2, 3, 4)]
    assert states == ["lucky", "lucky", "lucky", "solved"]
    assert judge(MISSION, runs[:2]).unchecked == (31, 32)


def solved_at(*dollars):
    """The solution's runs, as if their tasks had cost so much; $4.15 is the mission's bound."""
    return [
        replace(run, cost=run.cost * 0 + cost)
        for run, cost in zip(runs_of(**MISSION.solution), dollars, strict=True)
    ]


def test_a_lucky_seed_names_the_further_seeds_that_fail_and_their_misses():
    verdict = judge(MISSION, solved_at(4.0, 4.25, 4.0, 5.15))
    assert verdict.state == "lucky"
    assert verdict.misses == ()
    assert [(failed.seed, len(failed.misses)) for failed in verdict.failed] == [(30, 1), (32, 1)]
    assert [failed.misses[0].by for failed in verdict.failed] == pytest.approx([0.10, 1.00])
    assert verdict.failed[0].misses[0].goal.key == "cost"
    assert verdict.unchecked == ()


def test_a_miss_on_the_shown_seed_is_open_however_the_others_go():
    verdict = judge(MISSION, solved_at(4.25, 4.0, 4.0, 4.0))
    assert verdict.state == "open"
    assert (len(verdict.misses), verdict.failed) == (1, ())


def test_any_seed_may_be_shown():
    assert judge(MISSION, runs_of(5, **MISSION.solution)).state == "solved"


def test_a_verdict_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        judge(MISSION, [run_of()]).state = "solved"


@pytest.mark.parametrize(
    ("runs", "sentence"),
    [
        ([], "runs is empty but must begin with the shown run"),
        ([run_of(29), run_of(31)], r"runs have the seeds \[29, 31\] but must have \[29, 30, 31"),
        ([run_of(seed) for seed in range(29, 34)], "or the first few of these"),
        ([run_of(29, tasks=100)], "a run has 100 tasks but small-note needs 400"),
        ([run_of(29), run_of(30, keep_recent=2)], "runs differ in their settings, at seed 30"),
        ([run_of(29, notes=True)], "notes was moved but small-note locks it: only summary_budget"),
    ],
)
def test_runs_that_cannot_be_judged_are_refused_in_one_sentence(runs, sentence):
    with pytest.raises(MissionError, match=sentence) as refused:
        judge(MISSION, runs)
    assert str(refused.value).endswith(".")
    assert "\n" not in str(refused.value)
