"""The tasks: drawn once from a seed, then the same for every policy (common random numbers)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, replace

import numpy as np

from sim import streams
from sim.base import MAX_STEPS, Events, Workload
from sim.setting import ScenarioError, plain, shown
from sim.streams import Streams

BLOCK = 2048
"""Tasks drawn at a time: enough for NumPy, and few enough for 100,000 tasks in little memory."""
MAX_SEED = 2**63 - 1
MAX_TASKS = 1_000_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Tasks:
    """``n`` tasks; the steps of all of them lie end to end in flat arrays, and so do the facts.

    All arrays are read-only. ``S`` is the number of steps and ``F`` the number of facts of all
    tasks together; a step's or a fact's place in these arrays is called its position.
    """

    workload: Workload
    events: Events
    seed: int
    first_task: int
    """Which of the seed's tasks, from 0, is the first of these."""
    steps: np.ndarray
    """int64 (n,): steps of each task."""
    first_step: np.ndarray
    """int64 (n + 1,): position of each task's first step; the last entry is S."""
    tool_tokens: np.ndarray
    """int64 (S,): tokens of each step's tool result."""
    first_fact: np.ndarray
    """int64 (S + 1,): facts revealed before each step position; the last entry is F."""
    fact_task: np.ndarray
    """int64 (F,): task of each fact."""
    fact_step: np.ndarray
    """int64 (F,): step of its task, from 0, that reveals the fact."""
    needed: np.ndarray
    """bool (F,): the final answer needs it."""
    restated: np.ndarray
    """bool (F,): the assistant message of its step says it again."""
    notable: np.ndarray
    """bool (F,): the agent notes it, if it takes notes at all."""
    fact_resilience: np.ndarray
    """float64 (F,): hazard that the fact survives."""
    instruction_resilience: np.ndarray
    """float64 (n,): hazard that the instruction survives."""
    _kept: dict[int | str, np.ndarray] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        for spec in fields(self):
            value = getattr(self, spec.name)
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def __len__(self) -> int:
        return len(self.steps)

    def only(self, task: int) -> Tasks:
        """One of these tasks by itself."""
        steps = slice(*self.first_step[task : task + 2])
        first_fact = self.first_fact[steps.start : steps.stop + 1]
        facts = slice(first_fact[0], first_fact[-1])
        of_facts = ("fact_step", "needed", "restated", "notable", "fact_resilience")
        return replace(
            self,
            first_task=self.first_task + task,
            steps=self.steps[task : task + 1],
            first_step=self.first_step[task : task + 2] - steps.start,
            tool_tokens=self.tool_tokens[steps],
            first_fact=first_fact - facts.start,
            fact_task=self.fact_task[facts] - task,
            instruction_resilience=self.instruction_resilience[task : task + 1],
            **{name: getattr(self, name)[facts] for name in of_facts},
        )

    def fact_position(self) -> np.ndarray:
        """int64 (F,): position of the step that reveals each fact."""
        return self._once("position", lambda: self.first_step[self.fact_task] + self.fact_step)

    def fact_depth(self) -> np.ndarray:
        """Tokens of its tool result before each fact: float64 (F,)."""
        place, position = self.drawn(streams.FACT_PLACE), self.fact_position()
        return self._once("depth", lambda: place[position] * self.tool_tokens[position])

    def drawn(self, number: int) -> np.ndarray:
        """What an extension's stream draws for each step: float64 (S,)."""
        return self._once(number, lambda: self._rows(number).ravel()[self._cells()])

    def drawn_of_tasks(self, number: int, width: int) -> np.ndarray:
        """What an extension's stream draws for each task: float64 (n, width)."""
        return self._once(number, lambda: self._rows(number, width))

    def _rows(self, number: int, width: int = MAX_STEPS) -> np.ndarray:
        return streams.rows_from(self.seed, number, self.first_task, len(self), width)

    def _cells(self) -> np.ndarray:
        """Places of the steps that there are among all that a stream draws."""
        columns = np.arange(MAX_STEPS, dtype=np.int64)
        return self._once("cells", lambda: np.flatnonzero(columns < self.steps[:, None]))

    def _once(self, key: int | str, values: Callable[[], np.ndarray]) -> np.ndarray:
        """What not every run asks for, calculated when one first does, and kept."""
        if key not in self._kept:
            self._kept[key] = values()
            self._kept[key].flags.writeable = False
        return self._kept[key]


def check_seed(seed: int, most: int = MAX_SEED) -> None:
    """Raise ScenarioError unless the seed is a whole number that NumPy takes, ``most`` at most."""
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= most:
        raise ScenarioError(
            f"seed is {shown(seed)} but must be a whole number from 0 to {most}: for example 1."
        )


def check_tasks(tasks: int) -> None:
    """Raise ScenarioError unless the number of tasks can be simulated."""
    if isinstance(tasks, bool) or not isinstance(tasks, int) or not 1 <= tasks <= MAX_TASKS:
        raise ScenarioError(
            f"tasks is {shown(tasks)} but must be a whole number from 1 to {MAX_TASKS:,}: "
            "for example 400."
        )


def draw_tasks(workload: Workload, events: Events, *, seed: int, tasks: int) -> Tasks:
    """Draw the tasks of a seed. Raises ScenarioError for a bad seed or number of tasks."""
    blocks = list(draw_blocks(workload, events, seed=seed, tasks=tasks))
    return blocks[0] if len(blocks) == 1 else _join(blocks)


def draw_blocks(workload: Workload, events: Events, *, seed: int, tasks: int) -> Iterator[Tasks]:
    """Draw the same tasks as ``draw_tasks``, a block at a time."""
    seed, tasks = plain(seed), plain(tasks)
    check_seed(seed)
    check_tasks(tasks)
    source = Streams(seed)
    for start in range(0, tasks, BLOCK):
        yield _draw_rows(workload, events, seed, source, start, min(BLOCK, tasks - start))


def _join(blocks: list[Tasks]) -> Tasks:
    """One set of tasks out of successive blocks: no more than a block is ever drawn at once."""
    flat = ("steps", "tool_tokens", "fact_step", "needed", "restated", "notable",
            "fact_resilience", "instruction_resilience")  # fmt: skip
    columns = {name: np.concatenate([getattr(block, name) for block in blocks]) for name in flat}
    before = prefix_sum(np.array([len(block) for block in blocks], dtype=np.int64))
    facts_of_steps = [np.diff(block.first_fact) for block in blocks]
    return Tasks(
        workload=blocks[0].workload,
        events=blocks[0].events,
        seed=blocks[0].seed,
        first_task=blocks[0].first_task,
        first_step=prefix_sum(columns["steps"]),
        first_fact=prefix_sum(np.concatenate(facts_of_steps)),
        fact_task=np.concatenate(
            [block.fact_task + first for block, first in zip(blocks, before[:-1], strict=True)]
        ),
        **columns,
    )


def _draw_rows(
    workload: Workload, events: Events, seed: int, source: Streams, first: int, n: int
) -> Tasks:
    z = source.next_rows(streams.STEPS, n)
    steps = _step_counts(workload, events, z)
    is_step = np.arange(MAX_STEPS, dtype=np.int64) < steps[:, None]

    noise = workload.noisy_tools_factor if events.noisy_tools else 1.0
    z = source.next_rows(streams.TOOL_TOKENS, n)[is_step]
    size = np.rint(noise * workload.tool_tokens_median * np.exp(workload.tool_tokens_sigma * z))
    tool_tokens = np.maximum(size, 1).astype(np.int64)

    is_fact = (source.next_rows(streams.REVEALS_FACT, n) < workload.fact_rate) & is_step
    needed = _smallest_of_row(source.next_rows(streams.NEEDED, n), is_fact, workload.needed_facts)
    restated = source.next_rows(streams.RESTATED, n)[is_fact] < workload.restated_rate
    notable = source.next_rows(streams.NOTED, n)[is_fact] < workload.noted_rate
    fact_task, fact_step = np.nonzero(is_fact)
    return Tasks(
        workload=workload,
        events=events,
        seed=seed,
        first_task=first,
        steps=steps,
        first_step=prefix_sum(steps),
        tool_tokens=tool_tokens,
        first_fact=prefix_sum(is_fact[is_step].astype(np.int64)),
        fact_task=fact_task.astype(np.int64),
        fact_step=fact_step.astype(np.int64),
        needed=needed,
        restated=restated,
        notable=notable,
        fact_resilience=source.next_rows(streams.FACT_RESILIENCE, n)[is_fact],
        instruction_resilience=source.next_rows(streams.INSTRUCTION_RESILIENCE, n),
    )


def _step_counts(workload: Workload, events: Events, z: np.ndarray) -> np.ndarray:
    sigma = workload.steps_sigma
    drawn = np.rint(workload.mean_steps * np.exp(sigma * z - sigma**2 / 2))
    steps = np.clip(drawn, workload.min_steps, workload.max_steps).astype(np.int64)
    return steps * np.int64(workload.long_horizon_factor if events.long_horizon else 1)


def _smallest_of_row(draws: np.ndarray, is_fact: np.ndarray, count: int) -> np.ndarray:
    """For each fact, whether its draw is among the ``count`` smallest of its task."""
    if count == 0:
        return np.zeros(int(is_fact.sum()), dtype=bool)
    draws = np.where(is_fact, draws, np.inf)
    limit = np.partition(draws, count - 1, axis=1)[:, count - 1]
    result: np.ndarray = (draws <= limit[:, None])[is_fact]
    return result


def prefix_sum(values: np.ndarray) -> np.ndarray:
    """Sums of the first 0, 1, … all values: int64, one longer than the values."""
    sums = np.zeros(len(values) + 1, dtype=np.int64)
    np.cumsum(values, out=sums[1:])
    return sums


_DRAWN = (
    "mean_steps", "steps_sigma", "min_steps", "max_steps", "tool_tokens_median",
    "tool_tokens_sigma", "fact_rate", "needed_facts", "restated_rate", "noted_rate",
)  # fmt: skip


def draw_key(workload: Workload, events: Events) -> tuple[object, ...]:
    """What of a workload the drawn tasks depend on, to share them between scenarios."""
    drawn = tuple(getattr(workload, name) for name in _DRAWN)
    noise = workload.noisy_tools_factor if events.noisy_tools else 1
    return (*drawn, noise, workload.long_horizon_factor if events.long_horizon else 1)


def is_drawn_from(tasks: Tasks, workload: Workload, events: Events) -> bool:
    """Whether drawing these would give the same tasks."""
    return draw_key(tasks.workload, tasks.events) == draw_key(workload, events)
