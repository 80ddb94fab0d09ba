"""Every request of a run, one by one: what it reads, and how much of that the cache holds.

The bill of the base model needs only their sum. This is for what depends on each of them: prices
with a cache, and the time to the first token.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim import streams
from sim.context import Context, is_first
from sim.prefix import appendable, cacheable, cached_after_masks
from sim.walk import Masked, Walk


class RequestLog:
    """Collects runs of requests between which nothing but steps is appended."""

    def __init__(self) -> None:
        self._runs: list[tuple[np.ndarray, ...]] = []

    def add(self, context: Context, tasks: np.ndarray, count: np.ndarray) -> None:
        """The next ``count`` requests of these tasks, at least one, from the context as it is."""
        since = context.done[tasks]
        base = context.tokens[tasks] - context.growth[since]
        self._runs.append((tasks, since, count, base, context.kept[tasks]))
        if context.has_prefix:
            last = since + count - 1
            tokens = base + context.growth[last]
            within = last < context.end[tasks]  # after the final request nothing comes
            context.kept[tasks[within]] = cacheable(
                context, tasks[within], last[within], tokens[within]
            )

    def add_walk(self, context: Context, walk: Walk, results: Masked) -> None:
        """The requests of a walk: a run of them begins with it, and after each step that masks."""
        tasks, since, (which, row) = walk.tasks, walk.since, walk.masking
        first = is_first(which)
        until = walk.last.copy()
        until[which[first]] = row[first]
        base = context.tokens[tasks] - context.growth[since]
        self._runs.append((tasks, since, until + 1, base, context.kept[tasks]))

        until = walk.last[which]
        until[:-1] = np.where(first[1:], until[:-1], row[1:])
        goes_on = until > row
        kept = np.zeros_like(until)
        if context.has_prefix:
            kept = cached_after_masks(context, walk, walk.oldest(results))
            last = walk.left[walk.last, np.arange(len(tasks), dtype=np.int64)]
            context.kept[tasks] = cacheable(context, tasks, since + walk.last, last)
            context.kept[tasks[which[~goes_on]]] = kept[~goes_on]
        which, row, until, kept = which[goes_on], row[goes_on], until[goes_on], kept[goes_on]
        then = since[which] + row + 1
        base = walk.left[row + 1, which] - context.growth[then]
        self._runs.append((tasks[which], then, until - row, base, kept))

    def add_one(self, context: Context, tasks: np.ndarray) -> None:
        """One more request of these tasks, after which no step is appended but something read."""
        since = context.done[tasks]
        base = context.tokens[tasks] - context.growth[since]
        self._runs.append((tasks, since, np.ones_like(tasks), base, context.kept[tasks]))
        if context.has_prefix:
            context.kept[tasks] = appendable(context, tasks)

    def table(self, context: Context) -> RequestTable:
        """Everything collected, by task and step."""
        task, since, count, base, kept = (
            np.concatenate(column) for column in zip(*self._runs, strict=True)
        )
        order = np.argsort(since + task, kind="stable")  # a task has one request more than steps
        task, since, count, base, kept = (
            column[order] for column in (task, since, count, base, kept)
        )
        ends = np.cumsum(count)
        starts, times = ends - count, count.astype(np.intp)
        position = np.arange(ends[-1], dtype=np.int64) + np.repeat(since - starts, times)
        tokens = np.repeat(base, times) + context.growth[position]
        task_of_run, task = task, np.repeat(task, times)
        cached = np.zeros_like(tokens)
        if context.has_prefix:
            is_start = np.zeros(len(tokens), dtype=bool)
            is_start[starts] = True
            last = np.flatnonzero(~is_start) - 1
            cached[last + 1] = cacheable(context, task[last], position[last], tokens[last])
            cached[starts] = kept
            cached[_expired(context, task, position)] = 0
        tasks = np.arange(len(context.tokens), dtype=np.int64)
        first = starts[np.searchsorted(task_of_run, tasks)]
        return RequestTable(first=first, tokens=tokens, cached=cached)


def _expired(context: Context, task: np.ndarray, position: np.ndarray) -> np.ndarray:
    """Requests, by their place in these arrays, that come after the cache has expired."""
    share, tasks = context.scenario.caching.cold_share, context.tasks
    if not share:
        return np.zeros(0, dtype=np.int64)
    # Nothing is cached for a task's first request, so the draws belong to those after it. What is
    # read again comes without a pause: of the requests after a step only the first may find none.
    is_later = position > tasks.first_step[task]
    draw = tasks.drawn(streams.CACHE_EXPIRED)[position - 1]
    return np.flatnonzero(is_first(position + task) & is_later & (draw < share))


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestTable:
    """Every request of a run, by task and step; each task has one at least."""

    first: np.ndarray
    """int64 (n,): place of each task's first request in the other arrays."""
    tokens: np.ndarray
    """int64 (R,): tokens that it reads."""
    cached: np.ndarray
    """int64 (R,): those of them that the cache holds."""

    def sum_cached(self) -> np.ndarray:
        """Cached tokens of each task: int64 (n,)."""
        return np.add.reduceat(self.cached, self.first.astype(np.intp))
