"""The proof that a mission is a mission: its start loses, its solution wins, its decoys lose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from math import inf, prod

import numpy as np

from missions.goals import Goal
from missions.judge import further_seeds, misses
from missions.schema import Mission, Settings, changed
from sim import Run, Scenario, Tasks, draw_tasks, simulate

SEEDS = 20
MARGIN = 2.5
"""How many standard deviations over the seeds the solution must keep from every bound."""
LEAST_SHARE, MOST_SHARE = 0.005, 0.30


@dataclass(frozen=True, kw_only=True, slots=True)
class Audit:
    """What was found; a mission without ``problems`` passes."""

    id: str
    start_misses: tuple[str, ...]
    """Keys of the goals that the start misses on the shown seed."""
    solution_wins: int
    """Seeds, of ``SEEDS``, on which the solution meets all goals."""
    margin: float
    """Smallest mean distance from a bound over the seeds, in standard deviations."""
    decoys_lose: tuple[int, ...]
    """For each decoy, on how many of the shown and the further seeds it misses a goal."""
    points: int
    """Points of the grid."""
    wins: int
    """Those of them that meet all goals on the shown seed."""
    fewest_changes: int | None
    """Fewest controls that a winning point changes; None without one."""
    best_cost: float | None
    """Dollars per task of the cheapest winning point; None without one."""
    problems: tuple[str, ...]
    """Sentences."""

    @property
    def share(self) -> float:
        """Share of the grid that wins."""
        return self.wins / self.points


def audit(mission: Mission) -> Audit:
    """Play the start, the solution, the decoys and the whole grid of a mission."""
    run_of = _player(mission)
    start_misses = tuple(miss.goal.key for miss in misses(mission, run_of({}, mission.seed)))
    seeds = range(mission.seed, mission.seed + SEEDS)
    solved = [run_of(mission.solution, seed) for seed in seeds]
    judged = (mission.seed, *further_seeds(mission.seed))
    decoys_lose = tuple(
        sum(bool(misses(mission, run_of(decoy.settings, seed))) for seed in judged)
        for decoy in mission.decoys
    )
    winners = [
        (changed(mission, changes), run.estimators["cost"].value)
        for changes in mission.grid()
        if not misses(mission, run := run_of(changes, mission.seed))
    ]
    found = Audit(
        id=mission.id,
        start_misses=start_misses,
        solution_wins=sum(not misses(mission, run) for run in solved),
        margin=min(_margin(goal, solved) for goal in mission.goals),
        decoys_lose=decoys_lose,
        points=prod(map(len, mission.open.values())),
        wins=len(winners),
        fewest_changes=min((changes for changes, _ in winners), default=None),
        best_cost=min((cost for _, cost in winners), default=None),
        problems=(),
    )
    return replace(found, problems=_problems(found, len(judged)))


def _player(mission: Mission) -> Callable[[Settings, int], Run]:
    """A function from changes and a seed to their run; the tasks of a seed are drawn once."""
    begun = Scenario.from_dict(mission.settings())

    @cache
    def tasks_of(seed: int) -> Tasks:
        return draw_tasks(begun.workload, begun.events, seed=seed, tasks=mission.tasks)

    def run_of(changes: Settings, seed: int) -> Run:
        return simulate(mission.settings(changes), seed=seed, tasks=tasks_of(seed))

    return run_of


def _margin(goal: Goal, runs: list[Run]) -> float:
    slacks = np.array([goal.slack(run) for run in runs])
    mean, spread = float(slacks.mean()), float(slacks.std(ddof=1))
    return mean / spread if spread else inf if mean >= 0 else -inf


def _problems(found: Audit, judged: int) -> tuple[str, ...]:
    problems = []
    if not found.start_misses:
        problems.append("the start meets every goal: tighten one.")
    if found.solution_wins < SEEDS:
        problems.append(
            f"the solution wins on {found.solution_wins} of {SEEDS} seeds: loosen a goal."
        )
    elif found.margin < MARGIN:
        problems.append(
            f"the solution keeps {found.margin:.1f} standard deviations from a bound but must "
            f"keep {MARGIN}: loosen it."
        )
    problems += [
        f"decoy {index} misses on {lost} of {judged} seeds but must miss on all: choose another."
        for index, lost in enumerate(found.decoys_lose, 1)
        if lost < judged
    ]
    if not LEAST_SHARE <= found.share <= MOST_SHARE:
        remedy = "tighten a goal" if found.share > MOST_SHARE else "loosen a goal"
        problems.append(
            f"{100 * found.share:.1f} % of the grid wins but it must be from "
            f"{100 * LEAST_SHARE:g} to {100 * MOST_SHARE:g} %: {remedy}."
        )
    return tuple(problems)
