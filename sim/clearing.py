"""When results are cleared apart from the policy's trigger."""

from __future__ import annotations

import math

import numpy as np

from sim.context import Context

NEVER = 2**40
"""A position beyond every step, with room to add to it."""


class OwnClearing:
    """When results are cleared apart from the policy's trigger."""

    def __init__(self, context: Context) -> None:
        self._pack = context.scenario.clearing
        self.level = math.ceil(self._pack.clear_trigger * context.scenario.policy.window)
        """Tokens at which results are cleared."""
        is_large = context.tool > context.scenario.workload.stub_tokens
        self._next = np.full(len(is_large) + 1, NEVER, dtype=np.int64)
        """int64 (S + 1,): from each position on, the first result that would shrink."""
        self._next[:-1] = np.where(is_large, np.arange(len(is_large), dtype=np.int64), NEVER)
        self._next = np.minimum.accumulate(self._next[::-1])[::-1]

    def next_due(self, context: Context, tasks: np.ndarray, base: np.ndarray) -> np.ndarray:
        """Position after the step at which each of these tasks next has a result to clear."""
        first, every = context.tasks.first_step[tasks], self._pack.clear_every
        full = context.next_reaching(tasks, self.level, base)
        at = np.maximum(full, self._first_due(context, tasks))
        due: np.ndarray = first + -(-(at - first) // every) * every
        return due

    def is_due(
        self, context: Context, tasks: np.ndarray, done: np.ndarray, tokens: np.ndarray
    ) -> np.ndarray:
        """bool: which of these tasks clear once they have come to ``done`` and hold ``tokens``.

        The last two are of one shape, (…, tasks).
        """
        steps = done - context.tasks.first_step[tasks]
        due: np.ndarray = (tokens >= self.level) & (steps % self._pack.clear_every == 0)
        due &= done >= self._first_due(context, tasks)
        return due

    def _first_due(self, context: Context, tasks: np.ndarray) -> np.ndarray:
        """First position at which each of these tasks has a result that is old enough to clear."""
        since = np.maximum(context.cleared[tasks], context.start[tasks])
        first: np.ndarray = self._next[since] + self._pack.clear_keep + 1
        return first
