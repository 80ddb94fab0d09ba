"""The tasks of several seeds as one pool, on which any number of settings is run once each."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import numpy as np

from sim.engine import simulate
from sim.run import Run
from sim.scenario import Scenario
from sim.workload import MAX_SEED, Tasks, check_seed, draw_key, draw_tasks

SEEDS, TASKS = 5, 400


class Pool:
    """Runs on some seeds from ``seed`` on, with so many tasks each: n = seeds · tasks.

    Tasks are drawn once for each workload, so all results of a pool are paired task by task.
    Raises ScenarioError for a bad seed.
    """

    def __init__(self, seed: int, *, seeds: int = SEEDS, tasks: int = TASKS) -> None:
        check_seed(seed, MAX_SEED - (seeds - 1))  # those that follow must be seeds, too
        self.seeds = range(seed, seed + seeds)
        self.tasks = tasks
        self._runs: dict[Scenario, tuple[Run, ...]] = {}
        self._tasks: dict[Any, tuple[Tasks, ...]] = {}

    def runs(self, scenario: Scenario) -> tuple[Run, ...]:
        """A run of each seed."""
        if scenario not in self._runs:
            key = draw_key(scenario.workload, scenario.events)
            if key not in self._tasks:
                self._tasks[key] = tuple(
                    draw_tasks(scenario.workload, scenario.events, seed=seed, tasks=self.tasks)
                    for seed in self.seeds
                )
            self._runs[scenario] = tuple(
                simulate(scenario, seed=seed, tasks=tasks)
                for seed, tasks in zip(self.seeds, self._tasks[key], strict=True)
            )
        return self._runs[scenario]

    def column(self, scenario: Scenario, read: Callable[[Run], np.ndarray]) -> np.ndarray:
        """What ``read`` gives of each run, one seed after the other: (n,) if it gives (tasks,)."""
        return np.concatenate([read(run) for run in self.runs(scenario)])

    def usage(self, scenario: Scenario) -> dict[str, np.ndarray]:
        """Tokens of each task by what they were used for, as ``Usage`` names them: (n,)."""
        names = self.runs(scenario)[0].usage.columns()
        return {name: self.column(scenario, attrgetter(f"usage.{name}")) for name in names}
