"""Every request of a run, one by one: what it reads, and how much of that the cache holds.

The bill of the base model needs only their sum. This is for what depends on each of them: prices
with a cache, and the time to the first token.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim import streams
from sim.context import Context
from sim.prefix import cacheable


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
            cached[1:] = cacheable(context, task[:-1], position[:-1], tokens[:-1])
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
    draws = streams.rows_from(tasks.seed, streams.CACHE_EXPIRED, tasks.first_task, len(tasks))
    # Nothing is cached for a task's first request, so the draws belong to those after it.
    before = position - tasks.first_step[task] - 1
    return np.flatnonzero((before >= 0) & (draws[task, before] < share))


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
