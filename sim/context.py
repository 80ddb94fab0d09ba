"""The contexts of all tasks as arrays: how many tokens each holds, and what they are.

Rules of this file. The live steps of a task are a range of positions ``[start, done)``: edits only
ever take the oldest. Those before ``cleared`` hold stubs instead of tool results. So a context is
known from a few numbers per task and from prefix sums over the steps, and no edit touches a step.
The one exception is a newest tool result cut to fit the window; whatever was older is gone by then,
so it is always the step at ``start``, and ``cut`` says how many tokens it lost.
"""

from __future__ import annotations

import numpy as np

from sim.carrier import fold_hazards
from sim.scenario import Scenario
from sim.workload import Tasks, prefix_sum

VERBATIM, SUMMARISED, LOST = np.int8(0), np.int8(1), np.int8(2)
"""Where an instruction is."""


class Context:
    """The contexts of ``n`` tasks while they run, and the fate of their instructions and facts."""

    def __init__(self, tasks: Tasks, scenario: Scenario) -> None:
        n, work = len(tasks), scenario.workload
        agent = scenario.agent
        self.tool_tokens = tasks.tool_tokens
        """int64 (S,): tokens of each tool result that the agent lets in."""
        if agent.tool_cap:
            self.tool_tokens = np.minimum(tasks.tool_tokens, agent.tool_cap)
        self.summary_tokens = scenario.policy.summary_budget + agent.rehydrate_tokens
        """What a context holds from its first summary on."""
        stubs = np.minimum(self.tool_tokens, work.stub_tokens)
        notes = np.zeros(len(self.tool_tokens), dtype=np.int64)
        self.noted = tasks.notable if scenario.policy.notes else np.zeros_like(tasks.notable)
        """bool (F,): the notes hold this fact from the step on that reveals it."""
        position = tasks.first_step[tasks.fact_task] + tasks.fact_step
        notes[position[self.noted]] = work.note_tokens

        self.notes = prefix_sum(notes)
        """int64 (S + 1,): tokens of the notes taken before each position."""
        self.full = prefix_sum(self.tool_tokens + work.assistant_tokens)
        """int64 (S + 1,): tokens of the steps before each position, as they arrived."""
        self.stubbed = prefix_sum(stubs + work.assistant_tokens)
        """int64 (S + 1,): the same with every tool result cleared."""
        self.shown_full, self.shown_stubbed = self.full, self.stubbed
        """int64 (S + 1,): both again, of what the summariser is shown of each result."""
        if agent.tool_clip:
            shown = np.minimum(self.tool_tokens, agent.tool_clip)
            self.shown_full = prefix_sum(shown + work.assistant_tokens)
            self.shown_stubbed = prefix_sum(np.minimum(stubs, shown) + work.assistant_tokens)
        self.large = prefix_sum(self.tool_tokens > stubs)
        """int64 (S + 1,): tool results before each position that are larger than a stub."""
        self.growth = self.full + self.notes
        """int64 (S + 1,): by how much a context has grown before each position, edits aside."""

        self.tasks = tasks
        self.scenario = scenario
        self.has_stubs = scenario.policy.clear_tool_results
        self.has_cuts = False
        self.has_prefix = scenario.caching.caching
        """They spare the common run, which has none, the arithmetic of them."""
        self.start = tasks.first_step[:-1].copy()
        self.cleared = self.start.copy()
        self.done = self.start.copy()
        self.end = tasks.first_step[1:]
        self.cut = np.zeros(n, dtype=np.int64)
        self.tokens = np.full(n, work.system_tokens + work.instruction_tokens, dtype=np.int64)
        self.kept = np.zeros(n, dtype=np.int64)
        """int64 (n,): tokens at the front that are those of the last request; see ``prefix``."""
        self.peak = self.tokens.copy()
        self.failed = np.zeros(n, dtype=bool)
        self.folds = np.zeros(n, dtype=np.int64)
        self.fold_hazard = fold_hazards(scenario.carrier, tasks)
        """float64 (n,): what the carrier adds to the hazard of each fold; None if it is ideal."""
        self.instruction = np.full(n, VERBATIM, dtype=np.int8)
        self.instruction_hazard = np.zeros(n, dtype=np.float64)

    def next_reaching(self, tasks: np.ndarray, level: int) -> np.ndarray:
        """Position after the step at which each of these tasks next holds ``level`` tokens.

        One step at least is taken. A position beyond the task's ``end`` says that it never does.
        """
        done = self.done[tasks]
        wanted = level - self.tokens[tasks] + self.growth[done]
        reached: np.ndarray = np.maximum(np.searchsorted(self.growth, wanted), done + 1)
        return reached

    def advance(self, tasks: np.ndarray, done: np.ndarray) -> None:
        """Append steps up to the positions ``done``; the context only grows, so it peaks there."""
        tokens = self.tokens[tasks] + self.growth[done] - self.growth[self.done[tasks]]
        self.tokens[tasks] = tokens
        self.done[tasks] = done
        self.peak[tasks] = np.maximum(self.peak[tasks], tokens)

    def step(self, tasks: np.ndarray) -> np.ndarray:
        """The newest step of each of these tasks, from 0."""
        step: np.ndarray = self.done[tasks] - self.tasks.first_step[tasks] - 1
        return step

    def position_freeing(self, tasks: np.ndarray, target: int) -> np.ndarray:
        """First position whose older live steps, if dropped, leave at most ``target`` tokens."""
        start, cleared = self.start[tasks], self.cleared[tasks]
        wanted = self.tokens[tasks] - target + self.cut[tasks]
        if not self.has_stubs:
            position: np.ndarray = np.searchsorted(self.full, self.full[start] + wanted)
            return position
        in_stubs = self.stubbed[cleared] - self.stubbed[start]
        among_stubs = np.searchsorted(self.stubbed, self.stubbed[start] + wanted)
        among_whole = np.searchsorted(self.full, self.full[cleared] + wanted - in_stubs)
        position = np.where(wanted <= in_stubs, among_stubs, among_whole)
        return position

    def drop(self, tasks: np.ndarray, stop: np.ndarray) -> None:
        """Take the live steps before the positions ``stop``, none before ``start``, out of it."""
        start = self.start[tasks]
        if self.has_stubs:
            cleared = self.cleared[tasks]
            freed = self.stubbed[np.minimum(stop, cleared)] - self.stubbed[start]
            freed += self.full[np.maximum(stop, cleared)] - self.full[cleared]
            self.cleared[tasks] = np.maximum(cleared, stop)
        else:
            freed = self.full[stop] - self.full[start]
            self.cleared[tasks] = stop
        if self.has_cuts:
            cut = self.cut[tasks]
            gone = stop > start
            freed -= np.where(gone, cut, 0)
            self.cut[tasks] = np.where(gone, 0, cut)
        self.tokens[tasks] -= freed
        self.start[tasks] = stop

    def facts_between(self, first: np.ndarray, stop: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Facts of the step positions ``[first, stop)``, and which of the ranges each is in."""
        begin = self.tasks.first_fact[first]
        count = self.tasks.first_fact[stop] - begin
        # Repeats must have the platform's own size: 32 bits in the browser.
        which = np.repeat(np.arange(len(count), dtype=np.int64), count.astype(np.intp))
        before = np.cumsum(count) - count
        facts = np.arange(len(which), dtype=np.int64) + (begin - before)[which]
        return facts, which
