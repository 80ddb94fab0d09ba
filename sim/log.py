"""What was done to which context, when, and to what effect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sim.context import Context

KINDS = ("compaction", "clear", "overflow", "failed", "mask", "rework", "read_back")
COMPACTION, CLEAR, OVERFLOW, FAILED, MASK, REWORK, READ_BACK = range(7)


class EditLog:
    """Collects edits while a run goes on."""

    def __init__(self) -> None:
        self._entries: list[tuple[Any, ...]] = []

    def add(self, kind: int, context: Context, tasks: np.ndarray, before: np.ndarray) -> None:
        """An edit of this kind brought these tasks from ``before`` to what they hold now."""
        if len(tasks):
            step = context.step(tasks)
            self._entries.append((kind, tasks, step, before, context.tokens[tasks]))

    def add_at(
        self, kind: int, tasks: np.ndarray, step: np.ndarray, before: np.ndarray, after: np.ndarray
    ) -> None:
        """An edit of this kind brought these tasks, after these steps, from ``before`` to that."""
        self._entries.append((kind, tasks, step, before, after))

    def table(self) -> EditTable:
        """Everything collected, in the order in which it happened."""
        kinds = [np.full(len(tasks), kind, dtype=np.int64) for kind, tasks, *_ in self._entries]
        columns = [kinds] + [[entry[i] for entry in self._entries] for i in (1, 2, 3, 4)]
        # Without a single edit there is nothing to concatenate, so each column starts empty.
        empty = np.zeros(0, dtype=np.int64)
        return EditTable(*[np.concatenate([empty, *column]) for column in columns])


@dataclass(frozen=True, slots=True)
class EditTable:
    """Every edit of a run: int64 arrays of one length; a task's edits are in their order."""

    kind: np.ndarray
    """Index into KINDS."""
    task: np.ndarray
    step: np.ndarray
    """Step after which it happened, from 0."""
    before: np.ndarray
    """Tokens of the context before it."""
    after: np.ndarray
    """Tokens of the context after it."""

    def __post_init__(self) -> None:
        for name in self.__slots__:
            getattr(self, name).flags.writeable = False

    def count(self, kind: int, tasks: int) -> np.ndarray:
        """Edits of a kind in each task: int64 (n,)."""
        return np.bincount(self.task[self.kind == kind], minlength=tasks).astype(np.int64)

    def freed(self, tasks: int) -> np.ndarray:
        """Tokens by which compactions, and re-reads after them, left each task smaller: int64."""
        is_counted = (self.kind == COMPACTION) | (self.kind == REWORK)
        freed = (self.before - self.after)[is_counted]
        return np.bincount(self.task[is_counted], freed, minlength=tasks).astype(np.int64)

    def of_task(self, task: int) -> EditTable:
        """The edits of one task."""
        mine = self.task == task
        return EditTable(*(getattr(self, name)[mine] for name in self.__slots__))
