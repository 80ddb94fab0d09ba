"""The six rows of seed 003's table, simulated on tasks as long as the reported ones."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, log
from operator import attrgetter
from statistics import NormalDist
from typing import Any

import numpy as np

from sim import hardware
from sim.base import MAX_STEPS
from sim.cards import card_settings
from sim.presets import PRESETS
from sim.run import Run
from sim.scenario import Scenario
from sim.stats import Estimate, Mean, Quantile, Ratio, paired_difference, wilson
from sim.studies.pool import Pool
from sim.studies.study import Row, Table, estimated, published

SAYS = published("regimes")
REGIMES = {
    "full": "whole history",
    "compacted": "compacted near the end",
    "single": "compacted after every action",
}
BENCHMARKS = {"swe_bench": "SWE-bench Verified", "terminal_bench": "Terminal-Bench"}
TASKS = 1_000
"""A seed: enough for an interval of the largest of 500."""
ROUNDING = 500
"""Tokens: the peaks are printed in thousands."""
Model = dict[str, Any]
FULL_WINDOW, SINGLE_WINDOW = 200_000, 16_000
GUESSES = {
    name: PRESETS["end_of_context_24k"].settings[name] for name in ("summary_budget", "keep_recent")
}
"""What the source does not say about its summaries: the presets of its regimes have the guess."""
PRICES = card_settings("opus_4_5") | card_settings("70b") | card_settings("h100")


def workload(model: Model) -> dict[str, Any]:
    """Settings of tasks that fill a whole history as the model's did: its median and largest peak
    give the median and the spread of the number of steps. All else is the default."""
    work = Scenario().workload
    fixed = work.system_tokens + work.instruction_tokens
    tool = work.tool_tokens_median * exp(work.tool_tokens_sigma**2 / 2)
    middle, largest = (
        model["full"][name] - fixed for name in ("median_peak", "max_peak")
    )  # fmt: skip
    sigma = log(largest / middle) / NormalDist().inv_cdf(largest_level())
    steps = middle / (work.assistant_tokens + tool) * exp(sigma**2 / 2)
    return {
        "mean_steps": steps, "steps_sigma": sigma, "min_steps": 1, "max_steps": MAX_STEPS,
    }  # fmt: skip


def largest_level() -> float:
    """The quantile that the largest of the benchmark's tasks is, half of the time."""
    level: float = 0.5 ** (1 / SAYS["swe_bench_tasks"])
    return level


def settings(model: Model, regime: str) -> dict[str, Any]:
    """Settings of one row of the published table."""
    said = model[regime]
    policy = {
        "full": {"strategy": "none", "window": FULL_WINDOW},
        "compacted": {
            "window": said.get("window"), **GUESSES,
            "trigger": said.get("trigger", 0) / said.get("window", 1),
        },
        "single": {"window": SINGLE_WINDOW, "trigger": 0.01, **GUESSES},
    }[regime]  # fmt: skip
    return workload(model) | policy


class Regimes:
    """The six rows of the published table, simulated."""

    def __init__(self, seed: int) -> None:
        self.pool = Pool(seed, tasks=TASKS)

    def column(self, model: Model, regime: str, read: Callable[[Run], Any]) -> np.ndarray:
        """What ``read`` gives of each task: (n,)."""
        return self.pool.column(self._scenario(model, regime), read)

    def _scenario(self, model: Model, regime: str, **more: Any) -> Scenario:
        return Scenario().replace(**settings(model, regime) | PRICES | more)

    def largest(self, model: Model, regime: str) -> Quantile:
        """The largest peak of the benchmark's tasks."""
        return Quantile(self.column(model, regime, attrgetter("peak")), largest_level())

    def peaks(self, name: str, title: str, level: float) -> Table:
        """The median or the largest peak."""
        rows = [
            estimated(
                _label(model, regime), unit="tokens", verified=False,
                estimate=Quantile(self.column(model, regime, attrgetter("peak")), level).estimate(),
                published=model[regime][name],
                published_low=model[regime][name] - ROUNDING,
                published_high=model[regime][name] + ROUNDING,
            )
            for model in SAYS["models"] for regime in REGIMES
        ]  # fmt: skip
        return Table(title=title, rows=tuple(rows), chart=True)

    def memory(self) -> Table:
        """How much smaller the KV cache is at the largest peak; it is in proportion to tokens."""
        model = SAYS["models"][0]
        whole, compacted = (self.largest(model, name).value for name in ("full", "compacted"))
        row = Row(
            label=_label(model, "compacted"), unit="%", ours=1 - compacted / whole,
            published=SAYS["cache_saved"], verified=False,
        )  # fmt: skip
        return Table(title="KV cache saved at the largest peak", rows=(row,))

    def savings(self) -> list[Table]:
        """How much less a task costs than with the whole history, in three currencies."""
        return [
            Table(
                title=f"Times cheaper than the whole history: {title}",
                rows=tuple(
                    estimated(
                        _label(model, regime), self.cheaper(model, regime, read), unit="×",
                        published=model[regime]["cheaper"], verified=False,
                    )
                    for model in SAYS["models"] for regime in ("compacted", "single")
                ),
            )
            for title, read in CURRENCIES.items()
        ]  # fmt: skip

    def cheaper(self, model: Model, regime: str, read: Callable[[Run], Any]) -> Estimate:
        """What the whole history costs over what the regime does."""
        whole, other = (self.column(model, name, read) for name in ("full", regime))
        return Ratio(whole, other).estimate()

    def accuracy(self) -> Table:
        """Success beside the accuracy on the larger benchmark, with what 500 tasks can tell."""
        rows = []
        for model in SAYS["models"]:
            for regime in REGIMES:
                share, tasks = model[regime]["swe_bench"], SAYS["swe_bench_tasks"]
                about = wilson(round(share * tasks), tasks)
                success = Mean(self.column(model, regime, attrgetter("success"))).estimate()
                rows.append(
                    estimated(
                        _label(model, regime), success, unit="%", verified=False,
                        published=share, published_low=about.low, published_high=about.high,
                    )
                )  # fmt: skip
        return Table(
            title="Task success, beside SWE-bench Verified",
            rows=tuple(rows),
            chart=True,
            note="The levels are of other tasks and cannot agree but by chance.",
        )

    def gains(self) -> Table:
        """What compaction adds to success, or takes."""
        rows = [
            estimated(
                f"{_label(model, regime)}, {words}", self.gain(model, regime), unit="points",
                published=100 * (model[regime][name] - model["full"][name]), verified=False,
            )
            for model in SAYS["models"] for regime in ("compacted", "single")
            for name, words in BENCHMARKS.items()
        ]  # fmt: skip
        return Table(title="Success more than with the whole history", rows=tuple(rows))

    def gain(self, model: Model, regime: str, **more: Any) -> Estimate:
        """The paired difference in success to the whole history, in points."""
        scenarios = (self._scenario(model, "full"), self._scenario(model, regime, **more))
        whole, other = (
            Mean(100 * self.pool.column(scenario, attrgetter("success"))) for scenario in scenarios
        )
        return paired_difference(whole, other)


def _label(model: Model, regime: str) -> str:
    return f"{model['name']}, {REGIMES[regime]}"


def _generation(run: Run) -> np.ndarray:
    """GPU seconds in which each task's messages and summaries are written: float64 (n,).

    A step writes one message; the final answer is not counted, as it is not billed either.
    """
    card, usage = run.scenario.hardware, run.usage
    start = hardware.decode_seconds(card, 0)
    token = hardware.decode_seconds(card, 1) - start  # more for each token of the context
    message, summary = run.scenario.workload.assistant_tokens, run.scenario.policy.summary_budget
    read = usage.request_tokens - np.where(run.failed, 0, run.final_context)
    messages = usage.output_tokens * start + message * token * read
    return messages + usage.summary_tokens * start + summary * token * usage.summariser_tokens


CURRENCIES: dict[str, Callable[[Run], np.ndarray]] = {
    "input at a flat price": lambda run: (
        run.usage.request_tokens + run.usage.summariser_tokens
    ).astype(np.float64),
    "Claude Opus 4.5 with a cache": attrgetter("cost"),
    "GPU time of what is written": _generation,
}
