"""Seed 002's sessions as scenarios, and how the recall of their rows is distributed.

A row of the seed is one session: facts are planted along it, it is folded, and some of the facts
are asked for. Each of our tasks is such a row.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from sim import carrier, recall, streams
from sim.engine import simulate
from sim.scenario import Scenario

ROWS = 2_000
"""Tasks that are simulated of each kind of session."""
CHUNK = 30_000
"""Tokens of one of five chunks: the session has 150,000."""
FULL_ROOM = 2_400
"""Tokens of a summary: the seed's 2,400, and its 9,600 characters at four a token."""
FACT_TOKENS = 8.7
"""What a fact takes in a summary of these sessions. The one number of the study's own: with it the
mean of the seed's arm of 900 tokens is met."""


@dataclass(frozen=True, eq=False)
class Rows:
    """How many checks a row passes."""

    chances: np.ndarray
    """float64 (checks + 1,): the chance of 0, 1, … passed checks in a row."""

    @property
    def checks(self) -> int:
        """Facts that are asked for in a row."""
        return len(self.chances) - 1

    @property
    def shares(self) -> np.ndarray:
        """float64 (checks + 1,): recall of a row by the checks that it passes."""
        return np.arange(self.checks + 1) / self.checks

    @property
    def mean(self) -> float:
        """Expected recall."""
        return float(self.chances @ self.shares)

    @property
    def variance(self) -> float:
        """Of the recall of one row."""
        return float(self.chances @ (self.shares - self.mean) ** 2)

    @property
    def correlation(self) -> float:
        """Intraclass correlation of the checks of a row: 1 if rows are all or nothing."""
        passed = np.arange(self.checks + 1)
        both = float(self.chances @ (passed * (passed - 1))) / (self.checks * (self.checks - 1))
        return (both - self.mean**2) / (self.mean * (1 - self.mean))

    def correlation_error(self, rows: int) -> float:
        """Standard error of that correlation in so many rows, by the delta method."""
        passed, k, p = np.arange(self.checks + 1), self.checks, self.mean
        noise = p * (1 - p)
        by_mean = (-2 * p - self.correlation * (1 - 2 * p)) / noise
        influence = passed * (passed - 1) / (k * (k - 1) * noise) + by_mean * self.shares
        centred = influence - float(self.chances @ influence)
        return math.sqrt(float(self.chances @ centred**2) / rows)

    def at_least(self, share: float) -> float:
        """Chance that a row recalls so much."""
        return float(self.chances[self.shares >= share].sum())

    def range_of_mean(self, rows: int) -> tuple[float, float]:
        """Between what the mean of so many rows falls in 95 of 100 studies: exact, from the
        distribution of their sum, and rounded outwards to the three decimals of what is published.
        """
        total = np.ones(1)
        for _ in range(rows):
            total = np.convolve(total, self.chances)
        low = int(np.argmax(np.cumsum(total) > 0.025))
        high = len(total) - 1 - int(np.argmax(np.cumsum(total[::-1]) > 0.025))
        most = rows * self.checks
        return math.floor(1e3 * low / most) / 1e3, math.ceil(1e3 * high / most) / 1e3


def pooled(rows: list[tuple[Rows, int]]) -> Rows:
    """Rows of several kinds together, each with how many there are."""
    counts = [count for _, count in rows]
    return Rows(np.average([kind.chances for kind, _ in rows], axis=0, weights=counts))


def session(
    settings: dict[str, Any], *, planted: int = 50, graded: int = 14, chunks: int = 5
) -> Scenario:
    """A session folded once a chunk, in which every step brings one fact."""
    in_chunk = planted // chunks
    return Scenario.from_dict(
        {
            "mean_steps": planted, "min_steps": planted, "max_steps": planted, "steps_sigma": 0.0,
            "tool_tokens_median": math.ceil(CHUNK / in_chunk), "tool_tokens_sigma": 0.0,
            "assistant_tokens": 0, "system_tokens": 0, "instruction_tokens": 0,
            "fact_rate": 1.0, "needed_facts": graded, "tokens_per_fact": FACT_TOKENS,
            # The summary of a chunk and all but one step of the next are less than half of this.
            "window": 2 * CHUNK, "trigger": 0.5, "keep_recent": 0, "instruction_required": False,
            "summary_budget": FULL_ROOM, **settings,
        }
    )  # fmt: skip


@cache
def rows_of(scenario: Scenario, seed: int, sections: int | None = None) -> Rows:
    """The rows of a kind of session, or only those whose summaries have so many sections.

    An answer that misses something of its summary misses each fact by itself.
    """
    run = simulate(scenario, seed=seed, tasks=ROWS)
    held, _ = recall.needed_of_summary(run.facts, ROWS)
    if sections is not None:
        draws = streams.rows_from(seed, streams.SUMMARY_SECTIONS, 0, ROWS, width=2)
        held = held[carrier.sections(scenario.carrier, draws) == sections]
    checks = scenario.workload.needed_facts
    missing = carrier.MISSING.get(scenario.carrier.carrier, 0.0)
    chances = (1 - missing) * np.bincount(held, minlength=checks + 1)
    for count, times in enumerate(np.bincount(held).tolist()):
        chances[: count + 1] += missing * times * _binomial(count, 1 - carrier.MISSED_SHARE)
    return Rows(chances / len(held))


def _binomial(n: int, chance: float) -> np.ndarray:
    """Chances of 0 … n."""
    total = np.ones(1)
    for _ in range(n):
        total = np.convolve(total, [1 - chance, chance])
    return total
