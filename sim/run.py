"""What a run gives: per-task arrays, tiles, the fate of every fact, and one task step by step."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from sim import billing, carrier, hardware, log, stats
from sim.billing import Usage
from sim.log import KINDS, EditTable
from sim.recall import CAUSES, STATES, FactTable
from sim.scenario import Scenario
from sim.stats import Estimate

TILES = ("success", "cost", "needed_lost", "instruction_lost", "compactions", "p95_peak")
DETAILS = ("clears", "overflows", "failed", "final_context")
OF_PACKS = ("confidently_wrong",)
"""Tiles that there are only with their pack."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """A scenario's result on the tasks of a seed. All arrays are read-only, (n,) if not said."""

    scenario: Scenario
    seed: int
    steps: np.ndarray
    """int64: steps of the task, done or not."""
    grown: np.ndarray
    """int64 (S,): tokens that each step adds to the context."""
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
    facts: FactTable
    edits: EditTable

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
        is_counted = np.isin(self.edits.kind, (log.COMPACTION, log.REWORK))
        freed = self.edits.before[is_counted] - self.edits.after[is_counted]
        return billing.payback_requests(self.scenario, self.usage, int(freed.sum()))

    @cached_property
    def hardware(self) -> dict[str, float | None]:
        """Memory and time by name, those of a context at the p95 peak, and the mean over the tasks
        of their mean and longest time to the first token. All None without the hardware pack."""
        card = self.scenario.hardware
        found = hardware.figures(card, self.estimators["p95_peak"].value)
        found["ttft_s"] = float(self.ttft_s.mean())
        found["longest_ttft_s"] = float(self.longest_ttft_s.mean())
        return {name: value if card.hardware else None for name, value in found.items()}

    @cached_property
    def causes(self) -> dict[tuple[str, int], int]:
        """Needed facts lost by cause and, for summaries, by which of its task's it was (else 0)."""
        gone = self.facts.needed & (self.facts.state == STATES.index("lost"))
        pairs = np.stack([self.facts.cause[gone].astype(np.int64), self.facts.fold[gone]])
        kinds, counts = np.unique(pairs, axis=1, return_counts=True)
        return {
            (CAUSES[cause], int(fold)): int(count)
            for (cause, fold), count in zip(kinds.T, counts, strict=True)
        }

    def facts_held(self, fold: int) -> float:
        """Mean number of facts that each task's ``fold``-th summary (1, 2, …) had to hold, with
        those that the summariser was not shown.

        It is 0 where no task has that many.
        """
        if self.scenario.policy.strategy != "summarise":
            return 0.0
        kinds = self.edits.kind == log.COMPACTION
        task, step = self.edits.task[kinds], self.edits.step[kinds]
        order = np.argsort(task, kind="stable")
        task, step = task[order], step[order]
        which = np.arange(len(task), dtype=np.int64) - np.searchsorted(task, task) + 1
        at = np.full(len(self), -1, dtype=np.int64)
        at[task[which == fold]] = step[which == fold]

        facts = self.facts
        fold_step = at[facts.task]
        # What it lost, and what is in a summary from it or from an earlier one on.
        lost_here = facts.fold == fold
        taken_in = (facts.summarised_at >= 0) & (facts.summarised_at <= fold_step)
        died_before = (facts.cause >= 0) & (facts.lost_at <= fold_step)
        held = np.count_nonzero(lost_here | (taken_in & ~died_before))
        return held / max(int(np.count_nonzero(at >= 0)), 1)

    def timeline(self, task: int) -> Timeline:
        """One task step by step. Raises IndexError if there is no such task."""
        if not 0 <= task < len(self):
            raise IndexError(f"task is {task} but must be from 0 to {len(self) - 1}.")
        edits = self.edits.of_task(task)
        events = [
            Event(step=int(step), kind=KINDS[kind], before=int(before), after=int(after))
            for kind, step, before, after in zip(
                edits.kind, edits.step, edits.before, edits.after, strict=True
            )
        ]
        failed = bool(self.failed[task])
        steps = events[-1].step + 1 if failed else int(self.steps[task])
        first = int(self.steps[:task].sum())
        grown = self.grown[first : first + steps].tolist()
        left_by_edits = {event.step: event.after for event in events}
        work = self.scenario.workload
        tokens = work.system_tokens + work.instruction_tokens
        read, after, left = [tokens], [], []
        for step, more in enumerate(grown):
            after.append(tokens + more)
            tokens = left_by_edits.get(step, tokens + more)
            left.append(tokens)
            read.append(tokens)
        if failed:
            read.pop()
        mine = slice(*np.searchsorted(self.facts.task, [task, task + 1]))
        columns = {spec.name: getattr(self.facts, spec.name)[mine] for spec in fields(FactTable)}
        return Timeline(
            task=task,
            failed=failed,
            read=np.array(read, dtype=np.int64),
            after=np.array(after, dtype=np.int64),
            left=np.array(left, dtype=np.int64),
            events=tuple(events),
            facts=FactTable(**columns),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Event:
    """One edit of one task."""

    step: int
    kind: str
    before: int
    after: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Timeline:
    """One task, step by step; ``T`` is the number of steps that it took."""

    task: int
    failed: bool
    read: np.ndarray
    """int64 (T + 1,), or (T,) if it failed: tokens that each request read."""
    after: np.ndarray
    """int64 (T,): context after each step's messages, before any edit."""
    left: np.ndarray
    """int64 (T,): context after the edits of each step."""
    events: tuple[Event, ...]
    facts: FactTable
