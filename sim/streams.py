"""The numbered random streams: a draw belongs to (seed, purpose, task, index) and to nothing else.

Rules of this file. A number is never reused and a stream never reshaped: an extension takes the
next free number. Rows are drawn in order of the tasks, so that task ``i`` is the same for every
``n > i`` and a block of tasks at a time draws the same numbers as all of them at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.scenario import MAX_STEPS

STEPS = 0
TOOL_TOKENS = 1
REVEALS_FACT = 2
NEEDED = 3
RESTATED = 4
NOTED = 5
FACT_RESILIENCE = 6
INSTRUCTION_RESILIENCE = 7
CACHE_EXPIRED = 8
"""Of an extension, like all from here on: uniform, so that any row can be drawn by itself."""

_DISTRIBUTIONS = {
    STEPS: "standard_normal",
    TOOL_TOKENS: "standard_normal",
    REVEALS_FACT: "random",
    NEEDED: "random",
    RESTATED: "random",
    NOTED: "random",
    FACT_RESILIENCE: "standard_exponential",
    INSTRUCTION_RESILIENCE: "standard_exponential",
}
_ONE_PER_TASK = {STEPS, INSTRUCTION_RESILIENCE}


class Streams:
    """The streams of one seed, each read from its first row on, some rows at a time."""

    def __init__(self, seed: int) -> None:
        self._draws = {
            number: getattr(np.random.default_rng([seed, number]), distribution)
            for number, distribution in _DISTRIBUTIONS.items()
        }

    def next_rows(self, number: int, tasks: int) -> np.ndarray:
        """The next draws of a stream: float64 of shape (tasks,) or (tasks, MAX_STEPS)."""
        shape = (tasks,) if number in _ONE_PER_TASK else (tasks, MAX_STEPS)
        rows: np.ndarray = self._draws[number](shape)
        return rows


def rows_from(seed: int, number: int, first: int, tasks: int) -> np.ndarray:
    """The uniform draws of a stream for the tasks from ``first`` on: float64 (tasks, MAX_STEPS)."""
    rng = np.random.default_rng([seed, number])
    generator: Any = rng.bit_generator
    generator.advance(first * MAX_STEPS)  # one step of the generator is one uniform draw
    return rng.random((tasks, MAX_STEPS))
