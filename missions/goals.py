"""A goal: a bound on a tile or a detail of a run, in the unit in which people read it."""

from __future__ import annotations

from dataclasses import dataclass

from sim import Outcome

SENSES = ("at most", "at least")
UNITS = {
    "success": "%",
    "cost": "$",
    "needed_lost": "%",
    "instruction_lost": "%",
    "compactions": "",
    "p95_peak": "tokens",
    "clears": "",
    "overflows": "",
    "failed": "%",
    "final_context": "tokens",
}
"""The plain unit of every tile and detail. Of a share it is per cent, where a run has 0 … 1."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Goal:
    """What a tile must reach."""

    key: str
    """Of the tile or the detail."""
    sense: str
    """``at most`` or ``at least``."""
    bound: float
    """In the plain unit: 75 for 75 %, 3.5 for $3.50."""

    @property
    def unit(self) -> str:
        """``%``, ``$``, ``tokens``, or nothing for a count."""
        return UNITS[self.key]

    def value(self, run: Outcome) -> float:
        """The run's value, in the plain unit."""
        return run.estimators[self.key].value * self._per_unit

    def met(self, run: Outcome) -> bool:
        """Whether the run reaches the bound; to reach it exactly is enough."""
        # Divided, not multiplied: 28 of 400 is the float 7 / 100, but 100 times it is not 7.
        value, bound = run.estimators[self.key].value, self.bound / self._per_unit
        return value <= bound if self.sense == "at most" else value >= bound

    def slack(self, run: Outcome) -> float:
        """By how much the run is on the right side of the bound; negative on the wrong one."""
        beyond = self.value(run) - self.bound
        return -beyond if self.sense == "at most" else beyond

    def miss(self, run: Outcome) -> float:
        """By how much the run misses the bound, in the plain unit; 0 if it meets it."""
        return 0.0 if self.met(run) else abs(self.slack(run))

    def progress(self, run: Outcome, start_run: Outcome) -> float:
        """How much of the way is done, 0 to 1: 1 if met, 0 at the start's value or beyond.

        If the start meets the goal already, the way is as long as the bound is large.
        """
        miss = self.miss(run)
        if miss == 0:
            return 1.0
        way = self.miss(start_run) or self.bound or 1.0
        return max(0.0, 1 - miss / way)

    @property
    def _per_unit(self) -> int:
        return 100 if self.unit == "%" else 1
