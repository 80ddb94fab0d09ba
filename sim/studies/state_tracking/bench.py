"""How fast many SET-only programs are drawn, compressed and scored: a benchmark, never a test."""

from __future__ import annotations

import time
from typing import Any

from sim.studies.state_tracking.compressors import drop
from sim.studies.state_tracking.recipe import Recipe
from sim.studies.state_tracking.score import score


def bench_score(programs: int) -> dict[str, Any]:
    """Seconds, of the clock and of the processor, for so many programs of 1,000 statements.

    Raises ScenarioError for a bad number of programs.
    """
    recipe = Recipe(statements=1000, grammar="set_only", target_rate=0.04)
    score(recipe, drop(0.2), seed=1, programs=1)  # warm caches
    clock, processor = time.perf_counter(), time.process_time()
    found = score(recipe, drop(0.2), seed=1, programs=programs)
    return {
        "programs": programs,
        "statements": recipe.statements,
        "seconds": round(time.perf_counter() - clock, 3),
        "processor_seconds": round(time.process_time() - processor, 3),
        "accuracy": found.value,
    }
