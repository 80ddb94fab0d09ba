"""The runs of a sitting: remembered as far as a browser's memory allows, so that few are repeated.

Arrays of 10,000 tasks take megabytes: 12 the tasks as drawn, 18 a whole run, 2 an outcome alone.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from sim import Outcome, Run, Scenario, Tasks, draw_blocks, draw_key, simulate

RUNS, DRAWS, OUTCOMES = (4, 8_000), (2, 8_000), (4, 40_000)
"""How many of each are remembered, and their tasks together, beyond the newest."""


class Runs:
    """Simulates each scenario once, as long as it is remembered."""

    def __init__(self) -> None:
        self.beat: Callable[[], None] | None = None
        """Called while a calculation goes on, as a sign of life."""
        self._runs: OrderedDict[Any, Run] = OrderedDict()
        self._outcomes: OrderedDict[Any, Outcome] = OrderedDict()
        self._draws: OrderedDict[Any, list[Tasks]] = OrderedDict()

    def run(self, scenario: Scenario, *, seed: int, tasks: int) -> Run:
        """The run of a scenario, and the newest that is remembered."""
        key = (scenario, seed, tasks)
        if key not in self._runs:
            drawn = self._drawn(scenario, seed, tasks)
            _make_room(self._runs, tasks, *RUNS)
            self._runs[key] = simulate(scenario, seed=seed, tasks=drawn, on_round=self.beat)
        self._runs.move_to_end(key)
        return self._runs[key]

    def outcome(self, scenario: Scenario, *, seed: int, tasks: int) -> Outcome:
        """The outcome of a scenario, which is remembered for longer."""
        key = (scenario, seed, tasks)
        if key not in self._outcomes:
            outcome = self.run(scenario, seed=seed, tasks=tasks).outcome()
            _make_room(self._outcomes, tasks, *OUTCOMES)
            self._outcomes[key] = outcome
        self._outcomes.move_to_end(key)
        return self._outcomes[key]

    def fresh(self, scenario: Scenario, *, seed: int, tasks: int) -> Run:
        """A run that is not remembered."""
        return simulate(scenario, seed=seed, tasks=tasks, on_round=self.beat)

    def _drawn(self, scenario: Scenario, seed: int, tasks: int) -> list[Tasks]:
        key = (draw_key(scenario.workload, scenario.events), seed, tasks)
        if key not in self._draws:
            _make_room(self._draws, tasks, *DRAWS)
            self._draws[key] = list(
                draw_blocks(scenario.workload, scenario.events, seed=seed, tasks=tasks)
            )
        self._draws.move_to_end(key)
        return self._draws[key]


def _make_room(remembered: OrderedDict[Any, Any], tasks: int, most: int, most_tasks: int) -> None:
    """Forget what was used longest ago, for one more of so many tasks."""
    while remembered and (
        len(remembered) >= most or tasks + sum(theirs for *_, theirs in remembered) > most_tasks
    ):
        remembered.popitem(last=False)
