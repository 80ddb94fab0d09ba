"""What is paid for: every token that a request or the summariser reads; with caching, at the price
of a read or a write, and every token that they write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from sim.context import Context
from sim.requests import RequestLog, RequestTable
from sim.scenario import Scenario
from sim.walk import Masked, Walk
from sim.workload import prefix_sum


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """Tokens of each task: read-only int64 (n,). What is cached is 0 without caching."""

    request_tokens: np.ndarray
    """Read by the agent's requests."""
    cached_tokens: np.ndarray
    """Those of them that came from the cache."""
    output_tokens: np.ndarray
    """Written by the agent."""
    summariser_tokens: np.ndarray
    """Read by the summariser."""
    summariser_cached: np.ndarray
    """Those of them that came from the cache."""
    summary_tokens: np.ndarray
    """Written by the summariser."""
    rewritten_tokens: np.ndarray
    """Of the contexts that compactions left, what the cache did not hold any more."""
    reread_requests: np.ndarray
    """No tokens but a number: requests after compactions that read something again."""
    reread_tokens: np.ndarray
    """Read by these requests."""

    def __post_init__(self) -> None:
        for spec in fields(self):
            getattr(self, spec.name).flags.writeable = False

    def columns(self) -> dict[str, np.ndarray]:
        """The arrays by name."""
        return {spec.name: getattr(self, spec.name) for spec in fields(self)}


class Bill:
    """Counts tokens while a run goes on."""

    def __init__(self, context: Context) -> None:
        n = len(context.tokens)
        self.request_tokens = np.zeros(n, dtype=np.int64)
        self.summariser_tokens = np.zeros(n, dtype=np.int64)
        self.summariser_cached = np.zeros(n, dtype=np.int64)
        self.rewritten_tokens = np.zeros(n, dtype=np.int64)
        self.reread_requests = np.zeros(n, dtype=np.int64)
        self.reread_tokens = np.zeros(n, dtype=np.int64)
        scenario = context.scenario
        is_itemised = scenario.caching.caching or scenario.hardware.hardware
        self.requests = RequestLog() if is_itemised else None
        """Each request, where a sum does not do."""
        # Sums of the contexts themselves, so that the requests of many steps are one subtraction.
        self._growth_sum = prefix_sum(context.growth)

    def read_until(
        self, context: Context, tasks: np.ndarray, done: np.ndarray, base: np.ndarray
    ) -> None:
        """Bill the request of each step from the context's position to before ``done``."""
        since = context.done[tasks]
        grown = self._growth_sum[done] - self._growth_sum[since]
        self.request_tokens[tasks] += (done - since) * base + grown
        if self.requests:
            self.requests.add(context, tasks, done - since)

    def read_walk(self, context: Context, walk: Walk, results: Masked) -> None:
        """Bill the request of each step of a walk."""
        self.request_tokens[walk.tasks] += walk.asked
        if self.requests:
            self.requests.add_walk(context, walk, results)

    def read_once(self, context: Context, tasks: np.ndarray) -> None:
        """Bill one request that reads the context as it stands."""
        self.request_tokens[tasks] += context.tokens[tasks]
        if self.requests:
            self.requests.add(context, tasks, np.ones_like(tasks))

    def read_and_append(self, context: Context, tasks: np.ndarray) -> None:
        """Bill one request that reads the context as it stands, before it reads something more."""
        self.request_tokens[tasks] += context.tokens[tasks]
        if self.requests:
            self.requests.add_one(context, tasks)

    def read_by_summariser(self, context: Context, tasks: np.ndarray, tokens: np.ndarray) -> None:
        """Bill the summariser's reading of so many tokens, in each of its calls."""
        calls = context.scenario.agent.summariser_calls
        self.summariser_tokens[tasks] += tokens * calls
        if context.scenario.caching.summariser_cache == "warm":
            # The first call leaves all that it read to the others.
            again = tokens * (calls - 1) if context.has_prefix else 0
            self.summariser_cached[tasks] += context.kept[tasks] + again

    def compacted(self, context: Context, tasks: np.ndarray) -> None:
        """Note what these contexts, just compacted, have to be written to the cache anew."""
        if context.has_prefix:
            self.rewritten_tokens[tasks] += context.tokens[tasks] - context.kept[tasks]

    def usage(self, context: Context, requests: RequestTable | None) -> Usage:
        """All that was counted, at the end of the run."""
        n, scenario = len(context.tokens), context.scenario
        steps_done = context.done - context.tasks.first_step[:-1]
        cached = requests.sum_cached() if requests else np.zeros(n, dtype=np.int64)
        return Usage(
            request_tokens=self.request_tokens,
            cached_tokens=cached,
            output_tokens=steps_done * scenario.workload.assistant_tokens,
            summariser_tokens=self.summariser_tokens,
            summariser_cached=self.summariser_cached,
            summary_tokens=context.folds
            * (scenario.policy.summary_budget * scenario.agent.summariser_calls),
            rewritten_tokens=self.rewritten_tokens,
            reread_requests=self.reread_requests,
            reread_tokens=self.reread_tokens,
        )


def cost_parts(scenario: Scenario, tokens: Mapping[str, Any]) -> dict[str, Any]:
    """Dollars by what they were paid for. ``tokens`` are those of ``Usage`` by name: of each task,
    of a task on average, or of all together."""
    card, price = scenario.caching, scenario.prices.input_per_mtok / 1e6
    ratio = scenario.agent.summariser_price
    asked, summed = tokens["request_tokens"], tokens["summariser_tokens"]
    if not card.caching:
        return {"requests": asked * price, "summariser": summed * price * ratio}
    read, write = card.cache_read_per_mtok / 1e6, card.cache_write_per_mtok / 1e6
    output = card.output_per_mtok / 1e6
    # A warm call is a request like any other; nothing comes after a cold one that would read it.
    anew = write if card.summariser_cache == "warm" else price
    summed_cached = tokens["summariser_cached"]
    calls = summed_cached * read + (summed - summed_cached) * anew
    return {
        "cached_read": tokens["cached_tokens"] * read,
        "written": (asked - tokens["cached_tokens"]) * write,
        "output": tokens["output_tokens"] * output,
        "summariser": (calls + tokens["summary_tokens"] * output) * ratio,
    }


def costs(scenario: Scenario, usage: Usage) -> np.ndarray:
    """Dollars of each task: float64 (n,)."""
    if scenario.caching.caching:
        total: np.ndarray = np.sum(list(cost_parts(scenario, usage.columns()).values()), axis=0)
        return total
    price = scenario.prices.input_per_mtok / 1e6
    total = (
        usage.request_tokens + usage.summariser_tokens * scenario.agent.summariser_price
    ) * price
    return total


def payback_requests(scenario: Scenario, usage: Usage, freed: int) -> float | None:
    """Requests after which the compactions of a run have paid for themselves.

    Their one-off cost, the summariser's calls, what the next requests write anew and what is read
    again, over what each later request saves: the ``freed`` tokens of all compactions, at the
    price of reading them again (research, policies D3). The saving leaves out that the context
    grows again, so it is a lower bound. None if they saved nothing.
    """
    card = scenario.caching
    again = card.cache_read_per_mtok if card.caching else scenario.prices.input_per_mtok
    saving = freed * again / 1e6
    if saving <= 0:
        return None
    total = {name: int(column.sum()) for name, column in usage.columns().items()}
    rewritten = total["rewritten_tokens"] * card.cache_write_per_mtok / 1e6  # 0 without caching
    rereading = total["reread_tokens"] * again / 1e6
    if card.caching:
        added = total["reread_requests"] * scenario.rework.rework_tokens
        rereading += added * card.cache_write_per_mtok / 1e6
    return float(cost_parts(scenario, total)["summariser"] + rewritten + rereading) / saving
