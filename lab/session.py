"""One sitting: the run, its baseline, every setting visited."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lab.runs import Runs
from lab.state import DEFAULTS, LabState, changed
from sim import TILES, Estimate, Outcome, Scenario, Timeline, compare

ROBUST_SEEDS = 20


@dataclass(frozen=True, kw_only=True, slots=True)
class Visit:
    """A setting that was looked at in this sitting, and what it gave."""

    changes: dict[str, Any]
    """Those of the settings that differ from their defaults: of many visits, all would be much."""
    seed: int
    tasks: int
    success: float
    cost: float

    @property
    def settings(self) -> dict[str, Any]:
        """All settings."""
        return {**DEFAULTS, **self.changes}


@dataclass(kw_only=True, slots=True)
class Robustness:
    """The comparison with the baseline on further seeds, as far as it has come."""

    differences: dict[str, list[float]] = field(default_factory=lambda: {key: [] for key in TILES})
    seeds: list[int] = field(default_factory=list)
    state: str = "idle"
    """``idle``, ``same`` (nothing to compare), ``running``, ``done`` or ``cancelled``."""


class Session:
    """The results that belong to a state. ``update`` brings them up to date."""

    def __init__(self, state: LabState) -> None:
        self.state = state
        self.visits: list[Visit] = []
        self.robustness = Robustness()
        self.error: str | None = None
        self.runs = Runs()
        self._visited: set[Any] = set()
        self._robust_token = 0
        self._shown: Any = None
        self.baseline_settings = state.settings()
        self.run: Outcome
        self.baseline: Outcome
        self.difference: dict[str, Estimate]
        self._timeline: tuple[int, Timeline] | None = None
        """Of the task that is looked at, once it was asked for."""
        self.update()

    @property
    def is_baseline(self) -> bool:
        """Whether the current settings are the pinned ones."""
        return self.run.scenario == self.baseline.scenario

    @property
    def timeline(self) -> Timeline:
        """The task that is looked at, step by step."""
        if not self._timeline or self._timeline[0] != self.state.task:
            line = self.runs.timeline(self.run, self.state.task)
            self._timeline = (self.state.task, line)
        return self._timeline[1]

    @property
    def is_restored(self) -> bool:
        """Whether the controls stand where the baseline has them, be it possible or not."""
        return self.state.settings() == self.baseline_settings

    def update(self) -> None:
        """Run the state's scenario and the baseline on its seed.

        A state that cannot be simulated leaves the last results, and a sentence in ``error``.
        """
        state = self.state
        shown = (state.settings(), self.baseline_settings, state.seed, state.tasks)
        if shown != self._shown:
            self._run_anew(*shown)
            self._shown = shown
        state.task = min(state.task, len(self.run) - 1)

    def _run_anew(
        self, settings: dict[str, Any], baseline: dict[str, Any], seed: int, tasks: int
    ) -> None:
        try:
            scenario = Scenario.from_dict(settings)
        except ValueError as error:
            self.error = str(error)
            return
        self.error = None
        last = self._let_go()
        try:
            self._run_both(scenario, Scenario.from_dict(baseline), seed, tasks)
        except Exception:
            if last:
                self._run_both(*last)
            raise
        self._remember_visit()
        if self.robustness.state != "idle" and self._robust_key() != self._robust_for:
            self._forget_robustness()

    def _let_go(self) -> tuple[Scenario, Scenario, int, int] | None:
        """Give up the last run, but for what is remembered: with the next, there would be two.

        What brings it back, if there was any.
        """
        if not hasattr(self, "run"):
            return None
        last = (self.run.scenario, self.baseline.scenario, self.run.seed, len(self.run))
        self._timeline = None
        del self.run, self.baseline
        return last

    def _run_both(self, scenario: Scenario, baseline: Scenario, seed: int, tasks: int) -> None:
        self.baseline = self.runs.outcome(baseline, seed=seed, tasks=tasks)
        self.run = self.runs.outcome(scenario, seed=seed, tasks=tasks)
        self.difference = compare(self.baseline, self.run)

    def pin(self) -> None:
        """Make the current run the baseline."""
        self.baseline_settings = self.run.scenario.all_settings()
        self.update()

    def resume(self, visits: list[dict[str, Any]], baseline: dict[str, Any] | None = None) -> None:
        """Take over the visits, and the baseline, of a session whose worker has died."""
        if baseline is not None:
            self.baseline_settings = {**DEFAULTS, **baseline}
        self.visits = [Visit(**visit) for visit in visits]
        self._visited = {
            (Scenario.from_dict(visit.settings), visit.seed, visit.tasks) for visit in self.visits
        }
        self._shown = None

    def outcome_of(self, settings: dict[str, Any]) -> Outcome:
        """That of other settings on the shown seed."""
        scenario = Scenario.from_dict(settings)
        return self.runs.outcome(scenario, seed=self.run.seed, tasks=len(self.run))

    def run_on(self, seed: int) -> Outcome:
        """The shown settings on another seed."""
        return self.runs.fresh(self.run.scenario, seed=seed, tasks=len(self.run))

    def restore(self, index: int) -> None:
        """Go back to a visited setting."""
        if 0 <= index < len(self.visits):
            visit = self.visits[index]
            self.state.param.update(**visit.settings, seed=visit.seed, tasks=visit.tasks)
            self.update()

    def restore_baseline(self) -> None:
        """Go back to the baseline's settings."""
        self.state.param.update(**self.baseline_settings)
        self.update()

    def cancel(self) -> None:
        """Stop the comparison on further seeds; what it has found stays."""
        self._robust_token += 1
        if self.robustness.state == "running":
            self.robustness.state = "cancelled"

    async def check_seeds(self, progress: Callable[[], None]) -> None:
        """Repeat the comparison with the baseline on 20 seeds, calling ``progress`` after each.

        It yields to other work after every run, and stops if cancelled or if the settings change.
        """
        self.cancel()
        token = self._robust_token
        self.robustness = Robustness(state="same" if self.is_baseline else "running")
        self._robust_for = self._robust_key()
        scenarios = (self.baseline.scenario, self.run.scenario)
        first, tasks = self.run.seed, len(self.run)
        progress()
        if self.is_baseline:
            return
        for seed in range(first, first + ROBUST_SEEDS):
            runs: list[Outcome] = []
            for scenario in scenarios:
                await asyncio.sleep(0)
                if token != self._robust_token:
                    progress()
                    return
                runs.append(self.runs.fresh(scenario, seed=seed, tasks=tasks))
            for key, estimate in compare(*runs).items():
                if key in TILES:
                    self.robustness.differences[key].append(estimate.value)
            self.robustness.seeds.append(seed)
            if seed == first + ROBUST_SEEDS - 1:
                self.robustness.state = "done"
            progress()

    _robust_for: Any = None

    def _robust_key(self) -> Any:
        return (self.run.scenario, self.baseline.scenario, self.run.seed, len(self.run))

    def _forget_robustness(self) -> None:
        self._robust_token += 1
        self.robustness = Robustness()

    def _remember_visit(self) -> None:
        run = self.run
        key = (run.scenario, run.seed, len(run))
        if key not in self._visited:
            self._visited.add(key)
            self.visits.append(
                Visit(
                    changes=changed(run.scenario.all_settings()),
                    seed=run.seed,
                    tasks=len(run),
                    success=run.tiles["success"].value,
                    cost=run.tiles["cost"].value,
                )
            )


def direction(differences: list[float]) -> tuple[int, int]:
    """The sign that most of the differences have, and how many have it."""
    signs = np.sign(np.array(differences, dtype=np.float64))
    counts = {sign: int(np.count_nonzero(signs == sign)) for sign in (1, -1, 0)}
    most = max(counts, key=lambda sign: counts[sign])
    return most, counts[most]
