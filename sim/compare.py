"""Two runs on the same tasks, paired by the outcomes of these."""

from __future__ import annotations

from sim.outcome import Outcome
from sim.setting import ScenarioError
from sim.stats import Estimate, paired_difference


def compare(baseline: Outcome, candidate: Outcome) -> dict[str, Estimate]:
    """Candidate minus baseline for every tile and detail of both, with the interval of the pairs.

    The pairs share their draws, so the interval is that of per-task differences. Settings of the
    workload and events may differ: task ``i`` then is the same draws in another world.
    Raises ScenarioError unless both runs have the same seed and number of tasks.
    """
    for name, ours, theirs in (
        ("seed", candidate.seed, baseline.seed),
        ("tasks", len(candidate), len(baseline)),
    ):
        if ours != theirs:
            raise ScenarioError(
                f"{name} is {ours} but the baseline's is {theirs}: "
                "runs are paired task by task, so run both with the same."
            )
    return {
        key: paired_difference(baseline.estimators[key], candidate.estimators[key])
        for key in candidate.estimators
        if key in baseline.estimators
    }
