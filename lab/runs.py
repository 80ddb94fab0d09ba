"""The runs of a sitting: remembered as far as a browser's memory allows, so that few are repeated.

Of 10,000 tasks, the tasks as drawn take 12 MB, an outcome 3, and a whole run up to 30: so of many
tasks there are only outcomes, and what is shown of one task is simulated by itself.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from sim import (
    Outcome,
    Run,
    Scenario,
    Tasks,
    Timeline,
    draw_blocks,
    draw_key,
    simulate,
    simulate_outcome,
)

MOST_WHOLE = 2_000
"""Tasks of a run that is kept whole."""
MOST_TASKS = 4_000
"""Tasks of all that is remembered, beyond the outcome that was used last and the coming one."""
MOST_OUTCOMES, MOST_DRAWS = 4, 2


class Runs:
    """Simulates each scenario once, as long as it is remembered."""

    def __init__(self) -> None:
        self.beat: Callable[[], None] | None = None
        """Called while a calculation goes on, as a sign of life."""
        self._outcomes: OrderedDict[Any, Outcome] = OrderedDict()
        self._draws: OrderedDict[Any, list[Tasks]] = OrderedDict()

    def outcome(self, scenario: Scenario, *, seed: int, tasks: int) -> Outcome:
        """The outcome of a scenario; up to some tasks it is the whole run."""
        key = (scenario, seed, tasks)
        if key not in self._outcomes:
            drawn = self.drawn(scenario, seed=seed, tasks=tasks)
            _make_room(self._outcomes, tasks, MOST_OUTCOMES, least=1)
            do = simulate if tasks <= MOST_WHOLE else simulate_outcome
            self._outcomes[key] = do(scenario, seed=seed, tasks=drawn, on_round=self.beat)
        self._outcomes.move_to_end(key)
        return self._outcomes[key]

    def timeline(self, outcome: Outcome, task: int) -> Timeline:
        """One task of an outcome, step by step."""
        if isinstance(outcome, Run):
            return outcome.timeline(task)
        scenario, seed = outcome.scenario, outcome.seed
        for block in self.drawn(scenario, seed=seed, tasks=len(outcome)):
            if 0 <= (place := task - block.first_task) < len(block):
                line = simulate(scenario, seed=seed, tasks=block.only(place)).timeline(0)
                facts = replace(line.facts, task=np.full_like(line.facts.task, task))
                return replace(line, task=task, facts=facts)
        raise IndexError(f"task is {task} but must be from 0 to {len(outcome) - 1}.")

    def fresh(self, scenario: Scenario, *, seed: int, tasks: int) -> Outcome:
        """An outcome that is not remembered."""
        return simulate_outcome(scenario, seed=seed, tasks=tasks, on_round=self.beat)

    def drawn(self, scenario: Scenario, *, seed: int, tasks: int) -> list[Tasks]:
        """The tasks of a scenario, in blocks."""
        key = (draw_key(scenario.workload, scenario.events), seed, tasks)
        if key not in self._draws:
            _make_room(self._draws, tasks, MOST_DRAWS)
            self._draws[key] = list(
                draw_blocks(scenario.workload, scenario.events, seed=seed, tasks=tasks)
            )
        self._draws.move_to_end(key)
        return self._draws[key]


def _make_room(remembered: OrderedDict[Any, Any], tasks: int, most: int, *, least: int = 0) -> None:
    """Forget what was used longest ago, down to ``least``, for one more of so many tasks."""
    while len(remembered) > least and (
        len(remembered) >= most or tasks + sum(theirs for *_, theirs in remembered) > MOST_TASKS
    ):
        remembered.popitem(last=False)
