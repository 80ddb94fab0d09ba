"""Which tool results are due to be masked or cleared, and when that next happens (Part E).

Rules of this file. A step's tool is of one kind: search, execute or edit. A kind is due as soon as
the context reaches its watermark after a step; then its results older than the recent steps are
masked. With ``staking`` what was sent stays as it is: of ``new_results``, only the newest is ever
masked, before a request has sent it; or masks wait for the last watermark, and come all at once.
"""

from __future__ import annotations

import math

import numpy as np

from sim import streams
from sim.context import Context, ranges

KINDS = 3
NEVER = 2**40
"""A position beyond every step, with room to add to it."""


class Masks:
    """How far each kind of result is masked in each task, while a run goes on."""

    def __init__(self, context: Context) -> None:
        tasks, pack = context.tasks, context.scenario.masking
        marks = [pack.mask_search_at, pack.mask_execute_at, pack.mask_edit_at]
        if pack.staking == "all_at_once":
            marks = [pack.mask_edit_at] * KINDS
        capacity = pack.effective_fraction * context.scenario.policy.window
        self.levels = np.array([[math.ceil(mark * capacity)] for mark in marks], dtype=np.int64)
        """int64 (3, 1): tokens at which each kind is due."""
        draw = tasks.drawn(streams.TOOL_KIND)
        self.kind = (draw >= pack.search_share).astype(np.int64)
        self.kind += draw >= 1 - pack.edit_share
        """int64 (S,): kind of each step's tool, in the order of the watermarks."""
        kinds = np.arange(KINDS, dtype=np.int64)[:, None]
        self._next = next_of((context.tool > pack.masked_tokens) & (self.kind == kinds))
        """int64 (3, S + 1): from each position on, the first result of a kind that would shrink."""
        self._seen = np.tile(context.start, (KINDS, 1))
        """int64 (3, n): the results of a kind before this position are masked."""

        place = tasks.drawn(streams.FACT_PLACE)[tasks.fact_position()]
        size, half = context.tool[tasks.fact_position()], pack.masked_tokens / 2
        self.in_sight = (place * size < half) | (place * size >= size - half)
        """bool (F,): the fact stands in the head or tail that a mask leaves."""

    def next_due(self, context: Context, tasks: np.ndarray) -> np.ndarray:
        """Position after the step at which each of these tasks next has a result to mask."""
        reached = context.next_reaching(tasks, self.levels)
        if context.scenario.masking.staking == "new_results":
            at = self._next[_ROWS, reached - 1] + 1
        else:
            since = np.maximum(self._seen[:, tasks], context.start[tasks])
            at = self._next[_ROWS, since] + context.scenario.policy.keep_recent + 1
        due: np.ndarray = np.maximum(reached, at).min(axis=0)
        return due

    def take_due(self, context: Context, tasks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions of the results of these tasks to be masked now, and which task each is of."""
        is_due = context.tokens[tasks] >= self.levels
        stop = context.done[tasks]
        if context.scenario.masking.staking == "new_results":
            since = np.where(is_due[0], stop - 1, stop)
        else:
            stop = np.maximum(stop - context.scenario.policy.keep_recent, context.start[tasks])
            seen = np.minimum(np.maximum(self._seen[:, tasks], context.start[tasks]), stop)
            since = np.where(is_due, seen, stop).min(axis=0)
            self._seen[:, tasks] = np.where(is_due, stop, self._seen[:, tasks])
        positions, which = ranges(since, stop)
        is_taken = is_due.sum(axis=0)[which] > self.kind[positions]
        is_taken &= context.tool[positions] > context.scenario.masking.masked_tokens
        return positions[is_taken], which[is_taken]


_ROWS = np.arange(KINDS, dtype=np.int64)[:, None]


class OwnClearing:
    """When results are cleared apart from the policy's trigger."""

    def __init__(self, context: Context) -> None:
        self._pack = context.scenario.clearing
        self.level = math.ceil(self._pack.clear_trigger * context.scenario.policy.window)
        """Tokens at which results are cleared."""
        self._next = next_of(context.tool > context.scenario.workload.stub_tokens)

    def next_due(self, context: Context, tasks: np.ndarray) -> np.ndarray:
        """Position after the step at which each of these tasks next has a result to clear."""
        since = np.maximum(context.cleared[tasks], context.start[tasks])
        at = self._next[since] + self._pack.clear_keep + 1
        first, every = context.tasks.first_step[tasks], self._pack.clear_every
        steps = np.maximum(context.next_reaching(tasks, self.level), at) - first
        due: np.ndarray = first + -(-steps // every) * every
        return due

    def is_due(self, context: Context, tasks: np.ndarray) -> np.ndarray:
        """bool: which of these tasks clear after the step that they have come to."""
        steps = context.done[tasks] - context.tasks.first_step[tasks]
        due: np.ndarray = (context.tokens[tasks] >= self.level) & (
            steps % self._pack.clear_every == 0
        )
        return due


def next_of(flags: np.ndarray) -> np.ndarray:
    """First position from each on with a flag, or ``NEVER``: int64 (…, S + 1) of flags (…, S)."""
    found = np.full((*flags.shape[:-1], flags.shape[-1] + 1), NEVER, dtype=np.int64)
    found[..., :-1] = np.where(flags, np.arange(flags.shape[-1], dtype=np.int64), NEVER)
    backwards: np.ndarray = np.minimum.accumulate(found[..., ::-1], axis=-1)
    return backwards[..., ::-1]
