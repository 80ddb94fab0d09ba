"""The numbered random streams: a draw belongs to (seed, purpose, task, index) and to nothing else.

Rules of this file. A number is never reused and a stream never reshaped: an extension takes the
next free number. Rows are drawn in order of the tasks, so that task ``i`` is the same for every
``n > i`` and a block of tasks at a time draws the same numbers as all of them at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.base import MAX_STEPS

STEPS = 0
TOOL_TOKENS = 1
REVEALS_FACT = 2
NEEDED = 3
RESTATED = 4
NOTED = 5
FACT_RESILIENCE = 6
INSTRUCTION_RESILIENCE = 7
CACHE_EXPIRED = 8
TOOL_KIND = 9
FACT_PLACE = 10
"""Of an extension, like all from here on: uniform, so that any row can be drawn by itself."""
READ_BACK = 11
ARCHIVE_READ = 12
REWORK = 13
SUMMARY_SECTIONS = 14
"""Two a task: how many sections its summaries have, and how hard they are on its facts."""

# The studies count from 100, so that the tasks' own extensions go on from here.
PROGRAM_QUERY = 100
PROGRAM_KIND = 101
PROGRAM_VARIABLE = 102
PROGRAM_VALUE = 103
PROGRAM_TARGET = 104
PROGRAM_RESULT = 105
PROGRAM_SURE_WRITE = 106
ENTRY_DROPPED = 107
ENTRY_SUBSTITUTED = 108
ENTRY_SUBSTITUTE = 109
CURVE_BOOTSTRAP = 110
TARGET_CURVE_BOOTSTRAP = 111
"""No longer drawn: its replicates were of single cells."""
COMPRESSOR_BOOTSTRAP = 112
SWEEP_BOOTSTRAP = 113
VALUE_REUSED = 114
HYBRID_BOOTSTRAP = 115

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


def rows_from(seed: int, number: int, first: int, tasks: int, width: int = MAX_STEPS) -> np.ndarray:
    """The uniform draws of a stream for the tasks from ``first`` on: float64 (tasks, width)."""
    rng = np.random.default_rng([seed, number])
    generator: Any = rng.bit_generator
    generator.advance(first * width)  # one step of the generator is one uniform draw
    return rng.random((tasks, width))


class UniformRows:
    """One purpose of a study: rows of ``width`` uniform draws from [0, 1), read from the first on.

    The width is part of what a draw belongs to. ``stage`` tells apart the uses of a purpose that
    happens more than once to the same thing.
    """

    def __init__(self, seed: int, number: int, width: int, stage: int = 0) -> None:
        self._random = np.random.default_rng([seed, number, stage]).random
        self._width = width

    def next_rows(self, rows: int) -> np.ndarray:
        """The next draws: float64 of shape (rows, width)."""
        return self._random((rows, self._width))


class ByteRows:
    """The same for rows of ``width`` bytes, eight of them from one draw: many programs ask a lot.

    A row begins with a draw of its own, so that rows may be read some at a time.
    """

    def __init__(self, seed: int, number: int, width: int) -> None:
        self._integers = np.random.default_rng([seed, number]).integers
        self._width = width

    def next_rows(self, rows: int) -> np.ndarray:
        """The next draws: uint8 of shape (rows, width)."""
        draws = self._integers(2**64, dtype=np.uint64, size=(rows, -(-self._width // 8)))
        return draws.astype("<u8", copy=False).view(np.uint8)[:, : self._width]
