"""The moments of compaction: what the next request waits for, and what it would have waited for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim import hardware, log
from sim.run import Run
from sim.scenario import Scenario
from sim.stats import Estimate, Ratio
from sim.studies.pool import Pool


@dataclass(frozen=True, kw_only=True, slots=True)
class Moments:
    """What happens at the compactions of a run, summed for each task: float64 (n,)."""

    count: np.ndarray
    """Compactions."""
    wiped: np.ndarray
    """Tokens that the cache held and lost."""
    warm_s: np.ndarray
    """Time to the first token that the next request would have had without the compaction."""
    after_s: np.ndarray
    """The time it had."""
    cold_s: np.ndarray
    """The time it would have had uncompacted, with nothing in the cache."""


def moments(run: Run) -> Moments:
    """Those of a run that summarises and keeps no more than the system prompt in the cache.

    The time to write the summary is not in it.
    """
    edits, card, system = run.edits, run.scenario.hardware, run.scenario.workload.system_tokens
    chosen = edits.kind == log.COMPACTION
    task, before, after = edits.task[chosen], edits.before[chosen], edits.after[chosen]
    grown = run.grown[(np.cumsum(run.steps) - run.steps)[task] + edits.step[chosen]]

    def by_task(values: np.ndarray) -> np.ndarray:
        return np.bincount(task, weights=values, minlength=len(run))

    return Moments(
        count=by_task(np.ones(len(task))),
        wiped=by_task(before - grown - system),
        warm_s=by_task(hardware.prefill_seconds(card, grown, before)),
        after_s=by_task(hardware.prefill_seconds(card, after - system, after)),
        cold_s=by_task(hardware.prefill_seconds(card, before, before)),
    )


def moment(pool: Pool, scenario: Scenario, name: str) -> Estimate:
    """The mean over the compactions of one of the fields of ``Moments``."""
    parts = pool.column(scenario, lambda run: getattr(moments(run), name))
    return Ratio(parts, pool.column(scenario, lambda run: moments(run).count)).estimate()
