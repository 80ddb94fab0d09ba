"""What a summary does to the facts in it, as a hazard: these add up from one summary to the next.

A fact is lost once the hazards that it has faced exceed its resilience, an Exp(1) draw; so it
survives one of hazard h with probability exp(-h).
"""

from __future__ import annotations

import numpy as np

from sim.scenario import Scenario
from sim.workload import Tasks


def summary_hazards(scenario: Scenario, tasks: Tasks) -> np.ndarray:
    """Hazard of a summary that holds 0, 1, … facts, up to the most of a task: float64.

    A fact survives it with probability ``1 - exp(-budget / (tokens per fact * facts))``.
    """
    most = int(np.diff(tasks.first_fact[tasks.first_step]).max())
    facts = np.maximum(np.arange(most + 1, dtype=np.int64), 1)
    demand = scenario.tokens_per_fact * facts
    # -ln(1 - exp(-x)); log1p keeps the digits where nearly everything survives.
    hazards: np.ndarray = -np.log1p(-np.exp(-scenario.policy.summary_budget / demand))
    return hazards
