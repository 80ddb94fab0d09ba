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
    "masking": True, "offloading": True, "archive": True, "rework": 2.0, "tool_cap": 10_000,
    "keep_recent_tokens": 5_000, "rehydrate_tokens": 1_000, "summariser_input_cap": 30_000,
    "tool_clip": 500, "summariser_calls": 2, "summariser_cache": "cold",
}  # fmt: skip
CLEARED_APART: dict[str, Any] = ALL_PACKS | {"clear_tool_results": True, "clear_apart": True}
SCENARIOS: dict[str, dict[str, Any]] = {
    "default": {},
    "truncate": {"strategy": "truncate"},
    "thrashing": {"window": 32_000, "summary_budget": 8_000},
    "noisy_tools": {"noisy_tools": True},
    "default, all packs": ALL_PACKS,
    "default, all packs, clearing apart too": CLEARED_APART,
    "thrashing, all packs": {"window": 32_000, "summary_budget": 8_000, **ALL_PACKS},
}
TASKS = 400


def bench(repeat: int) -> dict[str, Any]:
    """Times in milliseconds, [minimum, median, maximum] over ``repeat`` runs, how many times the
    base run's time all packs take, and peak memory."""
    times: dict[str, list[float]] = {}
    default = Scenario()
    times[f"draw {TASKS} tasks"] = _timed(
        lambda: draw_tasks(default.workload, default.events, seed=1, tasks=TASKS), repeat
    )
    for name, settings in SCENARIOS.items():
        scenario = Scenario.from_dict(settings)
        tasks = draw_tasks(scenario.workload, scenario.events, seed=1, tasks=TASKS)

        def run_drawn(scenario: Scenario = scenario, tasks: Any = tasks) -> object:
            return simulate(scenario, seed=1, tasks=tasks).tiles

        times[f"{TASKS} tasks, {name}, drawn, with tiles"] = _timed(run_drawn, repeat)
    times["100,000 tasks, default, from the seed"] = _timed(
        lambda: simulate(default, seed=1, tasks=100_000).tiles, min(repeat, 3)
    )
    return {
        "milliseconds": times,
        "times_the_base_run": {
            "all packs": _times_the_base_run(ALL_PACKS, repeat),
            "all packs, clearing apart too": _times_the_base_run(CLEARED_APART, repeat),
        },
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


def _times_the_base_run(settings: dict[str, Any], repeat: int) -> dict[str, float]:
    """Median time with these settings over that without them, from the seed and on tasks drawn.

    The runs take turns, so that whatever else the machine does slows down both.
    """
    scenarios = [Scenario(), Scenario.from_dict(settings)]
    drawn = draw_tasks(scenarios[0].workload, scenarios[0].events, seed=1, tasks=TASKS)
    ratios = {}
    for name, tasks in (("from the seed", TASKS), ("tasks drawn", drawn)):
        seconds: list[list[float]] = []
        for _ in range(repeat + 1):  # the first warms caches
            seconds.append([])
            for scenario in scenarios:
                start = time.perf_counter()
                _ = simulate(scenario, seed=1, tasks=tasks).tiles
                seconds[-1].append(time.perf_counter() - start)
        base, packed = np.median(seconds[1:], axis=0)
        ratios[name] = round(float(packed / base), 2)
    return ratios


def _peak_memory_mb() -> float | None:
    """Largest resident size of this process; None where the system does not say."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (1e6 if sys.platform == "darwin" else 1e3), 1)
