"""What a run gives of each task, and the tiles: what runs are compared by."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from sim import billing, carrier, hardware, stats
from sim.billing import Usage
from sim.losses import Losses
from sim.scenario import Scenario
from sim.stats import Estimate

TILES = ("success", "cost", "needed_lost", "instruction_lost", "compactions", "p95_peak")
DETAILS = ("clears", "overflows", "failed", "final_context")
OF_PACKS = ("confidently_wrong",)
"""Tiles that there are only with their pack."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """A scenario's result on the tasks of a seed. All arrays are read-only, and (n,)."""

    scenario: Scenario
    seed: int
    steps: np.ndarray
    """int64: steps of the task, done or not."""
    success: np.ndarray
    """float64: probability of a right answer."""
    confidently_wrong: np.ndarray
    """float64: probability of an answer that invents a fact; 0 with an ideal carrier."""
    cost: np.ndarray
    """float64: dollars."""
    usage: Usage
    """Tokens read and written."""
    ttft_s: np.ndarray
    """float64: mean time to the first token of the task's requests, or 0 without hardware."""
    longest_ttft_s: np.ndarray
    """float64: the longest of them."""
    needed: np.ndarray
    """int64: facts that the answer needs."""
    needed_lost: np.ndarray
    """int64: those of them that are lost."""
    instruction_lost: np.ndarray
    """bool."""
    compactions: np.ndarray
    """int64: times that the strategy changed the context."""
    clears: np.ndarray
    """int64: times that tool results were cleared."""
    masks: np.ndarray
    """int64: times that tool results were masked."""
    overflows: np.ndarray
    """int64: times that the context was over the window."""
    failed: np.ndarray
    """bool: it could not be made to fit."""
    peak: np.ndarray
    """int64: largest context, in tokens, before any edit."""
    final_context: np.ndarray
    """int64: tokens at the end, or where the task failed."""
    appended: np.ndarray
    """int64: tokens that its steps, done or not, add to the context."""
    freed: np.ndarray
    """int64: tokens by which compactions left it smaller, with what was read again after them."""
    noted: np.ndarray
    """int64: facts that go to the notes once they are revealed."""
    losses: Losses
    """Why needed facts were lost, over all tasks."""

    def __post_init__(self) -> None:
        for spec in fields(self):
            value = getattr(self, spec.name)
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def provenance(self) -> dict[str, Any]:
        """What reproduces this run: ``simulate(**run.provenance)``."""
        return {"scenario": self.scenario.to_dict(), "seed": self.seed, "tasks": len(self)}

    @cached_property
    def estimators(self) -> dict[str, stats.Estimator]:
        """How each tile and detail is estimated from the tasks."""
        estimators: dict[str, stats.Estimator] = {
            "success": stats.Mean(self.success),
            "cost": stats.Mean(self.cost),
            "needed_lost": stats.Ratio(self.needed_lost, self.needed),
            "instruction_lost": stats.Share(self.instruction_lost),
            "compactions": stats.Mean(self.compactions),
            "p95_peak": stats.Quantile(self.peak, 0.95),
            "clears": stats.Mean(self.clears),
            "overflows": stats.Mean(self.overflows),
            "failed": stats.Share(self.failed),
            "final_context": stats.Mean(self.final_context),
        }
        if carrier.is_on(self.scenario.carrier):
            estimators["confidently_wrong"] = stats.Mean(self.confidently_wrong)
        return estimators

    @cached_property
    def tiles(self) -> dict[str, Estimate]:
        """The tiles and details with their 95 % intervals, under their keys."""
        return {key: estimator.estimate() for key, estimator in self.estimators.items()}

    @property
    def request_tokens(self) -> np.ndarray:
        """int64: tokens read by the agent's requests."""
        return self.usage.request_tokens

    @property
    def summariser_tokens(self) -> np.ndarray:
        """int64: tokens read by the summariser."""
        return self.usage.summariser_tokens

    @cached_property
    def cost_split(self) -> dict[str, float]:
        """Dollars per task for the agent's requests and for the summariser; with caching, what
        the requests read from the cache and wrote to it, and the output, apart."""
        means = {name: float(column.mean()) for name, column in self.usage.columns().items()}
        return billing.cost_parts(self.scenario, means)

    @cached_property
    def payback_requests(self) -> float | None:
        """Requests after which compaction has paid for itself; None if it never saves anything."""
        return billing.payback_requests(self.scenario, self.usage, int(self.freed.sum()))

    @property
    def causes(self) -> dict[tuple[str, int], int]:
        """Needed facts lost by cause and, for summaries, by which of its task's it was (else 0)."""
        return self.losses.causes

    def facts_held(self, fold: int) -> float:
        """Mean number of facts that each task's ``fold``-th summary (1, 2, …) had to hold, with
        those that the summariser was not shown.

        It is 0 where no task has that many.
        """
        if not 1 <= fold < len(self.losses.folded):
            return 0.0
        return float(self.losses.held[fold] / self.losses.folded[fold])

    @cached_property
    def hardware(self) -> dict[str, float | None]:
        """Memory and time by name, those of a context at the p95 peak, and the mean over the tasks
        of their mean and longest time to the first token. All None without the hardware pack."""
        card = self.scenario.hardware
        found = hardware.figures(card, self.estimators["p95_peak"].value)
        found["ttft_s"] = float(self.ttft_s.mean())
        found["longest_ttft_s"] = float(self.longest_ttft_s.mean())
        return {name: value if card.hardware else None for name, value in found.items()}
