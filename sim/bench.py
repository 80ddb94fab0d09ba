"""How fast the simulator is, and in how much memory: a benchmark, never a test."""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from sim.engine import simulate
from sim.scenario import Scenario
from sim.workload import draw_tasks

ALL_PACKS: dict[str, Any] = {
    "caching": True, "cold_share": 0.1, "hardware": True, "reading": "u_shaped",
    "carrier": "one_field", "writer": "describer",
}  # fmt: skip
SCENARIOS: dict[str, dict[str, Any]] = {
    "default": {},
    "truncate": {"strategy": "truncate"},
    "thrashing": {"window": 32_000, "summary_budget": 8_000},
    "noisy_tools": {"noisy_tools": True},
    "default, all packs": ALL_PACKS,
    "thrashing, all packs": {"window": 32_000, "summary_budget": 8_000, **ALL_PACKS},
}


def bench(repeat: int) -> dict[str, Any]:
    """Times in milliseconds, [minimum, median, maximum] over ``repeat`` runs, and peak memory."""
    times: dict[str, list[float]] = {}
    default = Scenario()
    times["draw 400 tasks"] = _timed(
        lambda: draw_tasks(default.workload, default.events, seed=1, tasks=400), repeat
    )
    for name, settings in SCENARIOS.items():
        scenario = Scenario.from_dict(settings)
        tasks = draw_tasks(scenario.workload, scenario.events, seed=1, tasks=400)

        def run_drawn(scenario: Scenario = scenario, tasks: Any = tasks) -> object:
            return simulate(scenario, seed=1, tasks=tasks).tiles

        times[f"400 tasks, {name}, drawn, with tiles"] = _timed(run_drawn, repeat)
    times["100,000 tasks, default, from the seed"] = _timed(
        lambda: simulate(default, seed=1, tasks=100_000).tiles, min(repeat, 3)
    )
    return {
        "milliseconds": times,
        "peak_memory_mb": _peak_memory_mb(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "machine": platform.machine(),
    }


def _timed(call: Callable[[], object], repeat: int) -> list[float]:
    call()  # warm caches
    seconds = []
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return [round(1e3 * float(q), 3) for q in np.quantile(seconds, [0, 0.5, 1])]


def _peak_memory_mb() -> float | None:
    """Largest resident size of this process; None where the system does not say."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (1e6 if sys.platform == "darwin" else 1e3), 1)
