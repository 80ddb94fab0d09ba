"""To keep the prompt cache whole or to compact: money, seconds and memory of both (seed 001)."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import numpy as np

from sim import hardware
from sim.cards import card_settings
from sim.run import Run
from sim.scenario import Scenario
from sim.stats import Estimate, Mean, paired_difference
from sim.studies import physical_cost
from sim.studies.moments import moment
from sim.studies.physical_cost import SAYS
from sim.studies.pool import SEEDS, TASKS, Pool
from sim.studies.study import (
    Finding,
    Study,
    Table,
    estimated,
    falls,
    percent,
    rises,
    written,
)

TITLE = "Avoid or execute: what a compaction costs in money, seconds and memory"
BASE = card_settings("sonnet_4_6") | card_settings("70b") | card_settings("h100")
SMALL, LARGE = 64_000, 200_000
AVOID = "nothing removed, window 200,000"
CLEAR = "results cleared, with notes"
EXECUTE = "summary of 1,000 tokens"
ROOMY = "summary of 4,000 tokens"
FRONT = "summary, with notes in front"
POLICIES: dict[str, dict[str, Any]] = {
    AVOID: {"strategy": "none", "window": LARGE},
    "results cleared": {"clear_tool_results": True},
    CLEAR: {"clear_tool_results": True, "notes": True},
    EXECUTE: {},
    ROOMY: {"summary_budget": 4_000},
    "summary of 1,000 tokens, window 32,000": {"window": 32_000},
    "summary, with notes at the end": {"notes": True},
    FRONT: {"notes": True, "notes_at": "front"},
    "oldest dropped, with notes": {"strategy": "truncate", "pin_instruction": True, "notes": True},
}
"""Words -> settings over ``BASE``; the window is ``SMALL`` where it is not said."""
MEASURES: dict[str, tuple[str, Callable[[Run], np.ndarray]]] = {
    "Task success": ("%", attrgetter("success")),
    "Dollars per task": ("$", attrgetter("cost")),
    "Longest wait for a first token in a task": ("s", attrgetter("longest_ttft_s")),
    "Memory of the KV cache at a task's peak": ("GB", lambda run: _kv(run)),
}


def study(seed: int = 1) -> Study:
    """The study on the pool that begins with a seed. Raises ScenarioError for a bad one."""
    pool = Pool(seed)
    return Study(
        name="avoid_or_execute",
        title=TITLE,
        question="A compaction makes every later request smaller, and breaks the prompt cache. "
        "Is it better avoided or executed?",
        method=f"The default workload on {SEEDS} seeds of {TASKS} tasks, a trigger of "
        f"{percent(SAYS['cache']['trigger'])}, prices of Claude Sonnet 4.6, a 70B model on eight "
        f"H100. The window is {SMALL:,} tokens where nothing else is said.",
        tables=(
            Table(
                title="What the article says",
                rows=physical_cost.rows(pool, _scenario(AVOID), _scenario(EXECUTE)),
                note="Where the article gives words, the range is what the words allow.",
            ),
            _waits(pool),
            *_policies(pool),
        ),
        findings=_findings(pool),
        sources=(SAYS["source"], SAYS["repository"]),
        misses=(
            "Masking by watermark and offloading to disk are not in this study yet.",
            "Attention dilution is not calculated: how a place in the context is read is a guess.",
            "The wait for a first token is arithmetic over hardware. Queues and networks come on "
            "top, and so do the seconds in which the summary itself is written.",
            "Tool definitions and project rules, which survive a compaction in the cache, are no "
            "more than the 3,000 tokens of the system prompt here.",
        ),
        settings={name: _settings(name) for name in (AVOID, CLEAR, EXECUTE)},
    )


def _settings(name: str) -> dict[str, Any]:
    return {"window": SMALL, "trigger": SAYS["cache"]["trigger"]} | BASE | POLICIES[name]


def _scenario(name: str, **more: Any) -> Scenario:
    return Scenario().replace(**_settings(name), **more)


def _kv(run: Run) -> np.ndarray:
    """GB of each task: float64 (n,)."""
    gb: np.ndarray = run.peak * hardware.kv_bytes_per_token(run.scenario.hardware) / 1e9
    return gb


def _mean(pool: Pool, name: str, read: Callable[[Run], np.ndarray], **more: Any) -> Mean:
    return Mean(pool.column(_scenario(name, **more), read))


def _policies(pool: Pool) -> list[Table]:
    return [
        Table(
            title=title,
            rows=tuple(
                estimated(name, _mean(pool, name, read).estimate(), unit=unit)
                for name in POLICIES
            ),
            chart=True,
        )
        for title, (unit, read) in MEASURES.items()
    ]  # fmt: skip


def _waits(pool: Pool) -> Table:
    kinds = {
        "not compacted, from the cache": "warm_s",
        "compacted": "after_s",
        "not compacted, without a cache": "cold_s",
    }
    return Table(
        title=f"Wait for the first token of the request after a compaction, window {SMALL:,}",
        rows=tuple(
            estimated(label, moment(pool, _scenario(EXECUTE), name), unit="s")
            for label, name in kinds.items()
        ),
        chart=True,
    )


def _findings(pool: Pool) -> tuple[Finding, ...]:
    def change(name: str, baseline: str, read: str) -> Estimate:
        return paired_difference(
            _mean(pool, baseline, attrgetter(read)), _mean(pool, name, attrgetter(read))
        )

    warm, after, cold = (
        moment(pool, _scenario(EXECUTE), name) for name in ("warm_s", "after_s", "cold_s")
    )
    cheaper = change(EXECUTE, AVOID, "cost")
    worse = change(EXECUTE, AVOID, "success")
    front = change(FRONT, "summary, with notes at the end", "cost")
    failed = _mean(pool, AVOID, attrgetter("failed"), long_horizon=True)
    freed = _mean(pool, AVOID, _kv).value - _mean(pool, EXECUTE, _kv).value
    return (
        Finding(
            text=f"A compaction makes the next request wait {written(after.value, 's')} instead of "
            f"{written(warm.value, 's')}: {after.value / warm.value:.1f} times as long, once, and "
            f"far from the {written(cold.value, 's')} of a cache that has expired.",
            holds=warm.value < after.value < cold.value,
        ),
        Finding(
            text=f"Executing it at {SMALL:,} tokens instead of reading up to {LARGE:,} saves "
            f"{written(-cheaper.value, '$')} a task and {written(freed, 'GB')} of memory, and "
            f"costs {written(-100 * worse.value, 'points')} of success.",
            holds=falls(cheaper) and falls(worse) and freed > 0,
        ),
        Finding(
            text=f"A {ROOMY} closes that gap, and costs no more than removing nothing does.",
            holds=not falls(change(ROOMY, AVOID, "success"))
            and not rises(change(ROOMY, AVOID, "cost")),
        ),
        Finding(
            text="Avoiding has an end: on tasks twice as long "
            f"{percent(failed.value)} outgrow {LARGE:,} tokens and fail.",
            holds=failed.value > 0,
        ),
        Finding(
            text="What stands in front of the history is dear to change: notes there instead of "
            f"at the end cost {written(front.value, '$')} a task more.",
            holds=rises(front),
        ),
    )
