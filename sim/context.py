"""The contexts of all tasks as arrays: how many tokens each holds, and what they are.

Rules of this file. The live steps of a task are a range of positions ``[start, done)``: strategies
only ever take the oldest. So a context is known from a few numbers per task and from prefix sums
over the steps. Where an edit shrinks tool results, ``tool`` says what is left of each, and the
prefix sum is taken anew: once a round, whatever the number of tasks and edits.
"""

from __future__ import annotations

import numpy as np

from sim.carrier import fold_hazards
from sim.hazard import summary_hazards
from sim.scenario import Scenario
from sim.workload import Tasks, prefix_sum

VERBATIM, SUMMARISED, LOST = np.int8(0), np.int8(1), np.int8(2)
"""Where an instruction is."""


class Context:
    """The contexts of ``n`` tasks while they run, and the fate of their instructions and facts."""

    def __init__(self, tasks: Tasks, scenario: Scenario) -> None:
        n, work, disk, agent = len(tasks), scenario.workload, scenario.disk, scenario.agent
        position = tasks.fact_position()
        self.summary_tokens = scenario.policy.summary_budget + agent.rehydrate_tokens
        """What a context holds from its first summary on."""
        self.tool = tasks.tool_tokens
        """int64 (S,): tokens of each tool result as it is now, or will arrive."""
        self.offloaded = np.zeros_like(tasks.notable)
        """bool (F,): the fact goes to a file as it arrives; the agent does not see it."""
        self.capped = np.zeros_like(tasks.notable)
        """bool (F,): the fact is cut off as it arrives; the agent does not see it."""
        if agent.tool_cap:
            self.tool = np.minimum(self.tool, agent.tool_cap)
            self.capped = tasks.fact_depth() >= agent.tool_cap
        if disk.offloading:
            is_large = self.tool > disk.offload_above
            preview = np.minimum(self.tool, disk.preview_tokens)
            self.tool = np.where(is_large, preview, self.tool)
            self.offloaded = is_large[position] & ~self.capped
        self.unseen = self.capped | self.offloaded
        """bool (F,): one of the two."""
        self.deep = np.zeros_like(tasks.notable)
        """bool (F,): the fact stands in its result deeper than the summariser is shown."""
        if agent.tool_clip:
            self.deep = (tasks.fact_depth() >= agent.tool_clip) & ~tasks.restated
        self.noted = np.zeros_like(tasks.notable)
        """bool (F,): the notes hold this fact from the step on that reveals it."""
        if scenario.policy.notes:
            self.noted = tasks.notable & ~self.unseen
        notes = np.zeros(len(tasks.tool_tokens), dtype=np.int64)
        notes[position[self.noted]] = work.note_tokens

        self.notes = prefix_sum(notes)
        """int64 (S + 1,): tokens of the notes taken before each position."""
        self.held = prefix_sum(self.tool + work.assistant_tokens)
        """int64 (S + 1,): tokens of the steps before each position, as they are now."""
        self.growth = self.held + self.notes
        """int64 (S + 1,): by how much a context has grown before each position, edits aside."""

        self.tasks = tasks
        self.scenario = scenario
        self.has_shrunk = False
        self.has_prefix = scenario.caching.caching
        self.has_rereads = scenario.rework.rework > 0
        """They spare the common run, which has none, the arithmetic of them."""
        self.start = tasks.first_step[:-1].copy()
        self.cleared = self.start.copy()
        """int64 (n,): clearing has seen the results before this position."""
        self.done = self.start.copy()
        self.end = tasks.first_step[1:]
        self.tokens = np.full(n, work.system_tokens + work.instruction_tokens, dtype=np.int64)
        self.reread = np.zeros(n, dtype=np.int64)
        """int64 (n,): tokens read again after the last compaction; see ``rereads``."""
        self.reread_at = self.start.copy()
        """int64 (n,): position of the step that they stand before."""
        self.kept = np.zeros(n, dtype=np.int64)
        """int64 (n,): tokens at the front that are those of the last request; see ``prefix``."""
        self.peak = self.tokens.copy()
        self.failed = np.zeros(n, dtype=bool)
        self.folds = np.zeros(n, dtype=np.int64)
        self.first_fact = tasks.first_fact.astype(np.intp)
        """intp (S + 1,): facts before each position, as an index of the platform's own size."""
        self.summary_hazard = summary_hazards(scenario, tasks)
        """float64: hazard of a fold by the facts in it."""
        self.fold_hazard = fold_hazards(scenario.carrier, tasks)
        """float64 (n,): what the carrier adds to the hazard of each fold; None if it is ideal."""
        self.instruction = np.full(n, VERBATIM, dtype=np.int8)
        self.instruction_hazard = np.zeros(n, dtype=np.float64)
        self.instruction_fold_hazard = -np.log(work.instruction_keep)

    def next_reaching(self, tasks: np.ndarray, level: int, base: np.ndarray) -> np.ndarray:
        """Position after the step at which each of these tasks, with this ``base``, next holds
        ``level`` tokens.

        One step at least is taken. A position beyond the task's ``end`` says that it never does.
        """
        at = self.growth.searchsorted(level - base)
        reached: np.ndarray = np.maximum(at, self.done[tasks] + 1)
        return reached

    def base(self, tasks: np.ndarray) -> np.ndarray:
        """What the contexts hold less what they have grown by: the same until the next edit."""
        base: np.ndarray = self.tokens[tasks] - self.growth[self.done[tasks]]
        return base

    def advance(self, tasks: np.ndarray, done: np.ndarray, base: np.ndarray) -> None:
        """Append steps up to the positions ``done``; the context only grows, so it peaks there."""
        tokens = base + self.growth[done]
        self.tokens[tasks] = tokens
        self.done[tasks] = done
        self.peak[tasks] = np.maximum(self.peak[tasks], tokens)

    def come_to(
        self, tasks: np.ndarray, done: np.ndarray, tokens: np.ndarray, peak: np.ndarray
    ) -> None:
        """Be where masks on the way leave these tasks, which have held ``peak`` at most."""
        self.tokens[tasks] = tokens
        self.done[tasks] = done
        self.peak[tasks] = np.maximum(self.peak[tasks], peak)

    def step(self, tasks: np.ndarray) -> np.ndarray:
        """The newest step of each of these tasks, from 0."""
        step: np.ndarray = self.done[tasks] - self.tasks.first_step[tasks] - 1
        return step

    def position_freeing(self, tasks: np.ndarray, target: int) -> np.ndarray:
        """First position whose older live steps, if dropped, leave at most ``target`` tokens."""
        wanted = self.tokens[tasks] - target
        position: np.ndarray = self.held.searchsorted(self.held[self.start[tasks]] + wanted)
        return position

    def drop(self, tasks: np.ndarray, stop: np.ndarray) -> None:
        """Take the live steps before the positions ``stop``, none before ``start``, out of it."""
        self.tokens[tasks] -= self.held[stop] - self.held[self.start[tasks]]
        self.start[tasks] = stop

    def drop_reread(self, tasks: np.ndarray) -> None:
        """Take what was read again out of it."""
        self.tokens[tasks] -= self.reread[tasks]
        self.reread[tasks] = 0

    def shrink(
        self, tasks: np.ndarray, positions: np.ndarray, which: np.ndarray, left: int | np.ndarray
    ) -> None:
        """Leave ``left`` tokens of the tool results at these positions, ``tasks[which]``'s."""
        np.subtract.at(self.tokens, tasks[which], self.tool[positions] - left)
        self.cut_results(positions, left)
        self.sum_held()

    def cut_results(self, positions: np.ndarray, left: int | np.ndarray) -> None:
        """The same, without what the contexts hold: that is to be brought up to date after it."""
        if not self.has_shrunk:
            self.tool, self.has_shrunk = self.tool.copy(), True
        self.tool[positions] = left

    def sum_held(self) -> None:
        """Bring the prefix sum up to date."""
        np.cumsum(self.tool + self.scenario.workload.assistant_tokens, out=self.held[1:])

    def facts_between(self, first: np.ndarray, stop: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Facts of the step positions ``[first, stop)``, and which of the ranges each is in."""
        return ranges(self.first_fact[first], self.first_fact[stop])

    def facts_at(self, positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The facts of these steps, and bool: which of the steps have one."""
        first = self.first_fact[positions]
        has_fact = self.first_fact[positions + 1] > first
        return first[has_fact], has_fact


def ranges(first: np.ndarray, stop: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All whole numbers of the ranges ``[first, stop)``, and which of the ranges each is in."""
    # Indexes of the platform's own size, 32 bits in the browser, need not be converted at each use.
    count = (stop - first).astype(np.intp, copy=False)
    which = np.arange(len(count), dtype=np.intp).repeat(count)
    shift = first - count.cumsum() + count
    return np.arange(len(which), dtype=np.intp) + shift.astype(np.intp, copy=False)[which], which


def sums(values: np.ndarray, which: np.ndarray, n: int) -> np.ndarray:
    """Sum of the values of each of ``n`` ranges: int64 (n,). ``which`` is in order."""
    before = prefix_sum(values)[np.searchsorted(which, np.arange(n + 1, dtype=np.intp))]
    total: np.ndarray = before[1:] - before[:-1]
    return total


def is_first(values: np.ndarray) -> np.ndarray:
    """bool: which values of an array in order are not the same as the one before."""
    first = np.ones(len(values), dtype=bool)
    np.not_equal(values[1:], values[:-1], out=first[1:])
    return first
