"""What a run gives besides: the fate of every fact, every edit, and one task step by step."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from sim import billing, log
from sim.log import KINDS, EditTable
from sim.outcome import Outcome
from sim.recall import CAUSES, STATES, FactTable


@dataclass(frozen=True, kw_only=True)
class Run(Outcome):
    """The whole result of a scenario on the tasks of a seed. All arrays are read-only."""

    grown: np.ndarray
    """int64 (S,): tokens that each step adds to the context."""
    facts: FactTable
    edits: EditTable

    def outcome(self) -> Outcome:
        """The same without what only a run has: it takes a small part of the memory."""
        return Outcome(**{spec.name: getattr(self, spec.name) for spec in fields(Outcome)})

    @cached_property
    def payback_requests(self) -> float | None:
        """Requests after which compaction has paid for itself; None if it never saves anything."""
        is_counted = np.isin(self.edits.kind, (log.COMPACTION, log.REWORK))
        freed = self.edits.before[is_counted] - self.edits.after[is_counted]
        return billing.payback_requests(self.scenario, self.usage, int(freed.sum()))

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
