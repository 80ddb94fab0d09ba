"""The steps between two firings of the policy, with the masks that come in between.

Rules of this file. Masks depend on sizes alone, so the steps of all tasks are walked side by side:
a row is one step of each, and a few operations on whole arrays, however many tasks there are. What
a kind can lose is a prefix sum over its results, so a mask is a look into it. A walk changes
nothing; once it is known where the policy stops it, it tells what to change.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.context import Context, ranges
from sim.masks import KINDS, Masks

NOWHERE = np.iinfo(np.int64).max
"""Beyond every position."""


class Walk:
    """The next steps of these tasks, at most ``rows``, with their masks and nothing else.

    Arrays by row say what is so after a step and its masks; row 0 is how things stand. A task with
    fewer steps stands still at its end.
    """

    def __init__(self, context: Context, masks: Masks, tasks: np.ndarray, rows: int) -> None:
        pack, start, since = context.scenario.masking, context.start[tasks], context.done[tasks]
        stop = np.minimum(since + rows, context.end[tasks])
        self.tasks, self.since, self._first = tasks, since, context.tasks.first_step[tasks]
        self.last = stop - since - 1
        """int64 (n,): the last step that each task takes, from 0."""
        self.done = np.minimum(since + np.arange(rows + 1, dtype=np.int64)[:, None], stop)
        """int64 (rows + 1, n): position after the step."""
        self._takes_newest = pack.staking == "new_results"
        self._wait = 0 if self._takes_newest else context.scenario.policy.keep_recent

        self._positions, self._which = ranges(start, stop)
        self._place = np.cumsum(stop - start) - stop
        """int64 (n,): added to a position of the task, its place among these."""
        self._kind = masks.kind[self._positions]
        spare = np.maximum(context.tool[self._positions] - pack.masked_tokens, 0)
        self._is_large = spare > 0
        self._spare = np.zeros((len(KINDS), len(spare) + 1), dtype=np.int64)
        """int64 (3, …): what masks could take of each kind, in all places before this."""
        np.cumsum((self._kind == KINDS) * spare, axis=1, out=self._spare[:, 1:])

        self._taken = self._takeable(start)
        """int64 (3, rows + 1, n): what masks have taken of each kind, up to its place."""
        total = np.empty_like(self.done)
        np.add.reduce(self._taken[:, 0], out=total[0])
        grown = context.growth[self.done] - context.growth[since]
        grown += context.tokens[tasks] + total[0]
        self.grown = np.empty_like(grown[1:])
        """int64 (rows, n): tokens after the step, before its masks."""
        taken = self._taken.swapaxes(0, 1)
        row_by_row = zip(
            grown[1:], total[:-1], self.grown, taken[:-1], taken[1:], total[1:], strict=True
        )
        for arrived, before, tokens, then, now, after in row_by_row:
            is_short = np.subtract(arrived, before, out=tokens) < masks.levels
            if self._takes_newest:
                now[is_short] = 0
                now += then
            else:
                np.copyto(now, then, where=is_short)
            np.add.reduce(now, out=after)
        self._before, self.left = total[0], grown - total
        """int64 (rows + 1, n): tokens after the masks, which the next request reads."""

    def _takeable(self, start: np.ndarray) -> np.ndarray:
        """What masks will have taken once they have come; of new results, in each step alone."""
        reach = np.maximum(self.done - self._wait, start)
        takeable: np.ndarray = np.take(self._spare, reach + self._place, axis=1)
        if self._takes_newest:
            takeable[:, 1:] = np.diff(takeable, axis=1)
        takeable[:, 0] = self._spare[:, start + self._place]
        return takeable

    def stop_at(self, fires: np.ndarray) -> np.ndarray:
        """End each task's walk at its first step that fires, of bool (rows, n); which do so."""
        first = np.where(fires.any(axis=0), fires.argmax(axis=0), len(fires))
        firing: np.ndarray = first <= self.last
        self.last = np.minimum(self.last, first)
        is_taken = np.arange(len(fires), dtype=np.int64)[:, None] <= self.last
        self.peak: np.ndarray = (self.grown * is_taken).max(axis=0)
        """int64 (n,): the largest context of these steps."""
        self.asked: np.ndarray = (self.left[:-1] * is_taken).sum(axis=0)
        """int64 (n,): tokens that their requests read."""
        which, row = np.nonzero(((self.left[1:] < self.grown) & is_taken).T)
        self.masking = which.astype(np.int64), row.astype(np.int64)
        """int64 (E,): of which task and in which row the steps are that mask something."""
        return firing

    def step(self, which: np.ndarray, row: np.ndarray) -> np.ndarray:
        """What number, from 0, that step is in its task."""
        step: np.ndarray = self.since[which] + row - self._first[which]
        return step

    def masked(self) -> Masked:
        """The results that are masked, in their order."""
        rows = len(self.grown)
        changes = self._taken[:, 1:] != self._taken[:, :-1]
        # Small numbers, so that the pass over all of them is a short one.
        next_change = np.full(changes.shape, rows, dtype=np.int16)
        next_change -= changes * np.arange(rows, 0, -1, dtype=np.int16)[:, None]
        earliest = self._positions + self._wait - self.since[self._which]
        is_open = self._is_large & (earliest < rows)
        if self._takes_newest:
            is_open &= earliest >= 0
        else:
            for row in range(rows - 1, 0, -1):
                then = next_change[:, row - 1]
                np.minimum(then, next_change[:, row], out=then)
        place = np.flatnonzero(is_open)
        which = self._which[place]
        row = next_change[self._kind[place], np.maximum(earliest[place], 0), which]
        is_masked = row <= self.last[which]
        row = row[is_masked].astype(np.int64)
        return Masked(self._positions[place[is_masked]], which[is_masked], row)

    def oldest(self, results: Masked) -> Masked:
        """The oldest of the results that each of the ``masking`` steps masks."""
        rows = len(self.grown)
        position = np.full(rows * len(self.tasks), NOWHERE, dtype=np.int64)
        np.minimum.at(position, results.which * rows + results.row, results.position)
        which, row = self.masking
        return Masked(position[which * rows + row], which, row)

    def taken_before(self, results: Masked) -> np.ndarray:
        """Tokens that masks of this walk took, in earlier steps, from older results than these."""
        which, row = results.which, results.row
        older = self._spare[:, results.position + self._place[which]]
        taken = np.minimum(self._taken[:, row, which], older).sum(axis=0)
        taken -= self._before[which]
        before: np.ndarray = taken
        return before


@dataclass(frozen=True, slots=True)
class Masked:
    """Results that a walk masks: int64 arrays of one length."""

    position: np.ndarray
    which: np.ndarray
    """Of the tasks that walk."""
    row: np.ndarray
    """The step of the walk, from 0, that masks it."""
