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
        run = np.repeat(np.arange(len(count), dtype=np.int64), count.astype(np.intp))
        first = np.cumsum(count) - count
        offset = np.arange(len(run), dtype=np.int64) - first[run]
        position, task = since[run] + offset, task[run]
        tokens = base[run] + context.growth[position]
        if not context.has_prefix:
            return RequestTable(task=task, tokens=tokens, cached=np.zeros_like(tokens))

        cached = kept[run]
        follows = np.flatnonzero(offset)
        cached[follows] = cacheable(
            context, task[follows], position[follows] - 1, tokens[follows - 1]
        )
        share = context.scenario.caching.cold_share
        if share:
            tasks = context.tasks
            ordinal = position - tasks.first_step[task]
            expired = streams.rows_from(
                tasks.seed, streams.CACHE_EXPIRED, tasks.first_task, len(tasks)
            )
            # Nothing is cached for a task's first request, so the draws belong to those after it.
            cached[(ordinal > 0) & (expired[task, ordinal - 1] < share)] = 0
        return RequestTable(task=task, tokens=tokens, cached=cached)


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestTable:
    """Every request of a run: int64 arrays of one length, by task and step."""

    task: np.ndarray
    tokens: np.ndarray
    """Tokens that it reads."""
    cached: np.ndarray
    """Those of them that the cache holds."""

    def sum_cached(self, tasks: int) -> np.ndarray:
        """Cached tokens of each task: int64 (n,)."""
        return np.bincount(self.task, weights=self.cached, minlength=tasks).astype(np.int64)
