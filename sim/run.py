"""What a run gives besides: the fate of every fact, every edit, and one task step by step."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from sim.log import KINDS, EditTable
from sim.outcome import Outcome
from sim.recall import FactTable


@dataclass(frozen=True, kw_only=True)
class Run(Outcome):
    """The whole result of a scenario on the tasks of a seed. All arrays are read-only."""

    grown: np.ndarray
    """int64 (S,): tokens that each step adds to the context."""
    facts: FactTable
    edits: EditTable

    def outcome(self) -> Outcome:
        """The same without what only a run has: a small part of the memory."""
        return Outcome(**{spec.name: getattr(self, spec.name) for spec in fields(Outcome)})

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
