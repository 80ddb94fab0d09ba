"""The span that a summary takes: where it ends, and what of it the summariser is shown.

The messages that go are, from the oldest on, the instruction if it is not pinned, the old summary
and the steps of the span. A summariser with a capped input is shown the newest whole messages that
fit; with a clip, the start of each result.
"""

from __future__ import annotations

import numpy as np

from sim import streams
from sim.context import SUMMARISED, VERBATIM, Context


def end(context: Context, tasks: np.ndarray) -> np.ndarray:
    """Position before which the steps go: all but the newest that the policy keeps."""
    stop: np.ndarray = context.done[tasks] - context.scenario.policy.keep_recent
    most = context.scenario.agent.keep_recent_tokens
    if most:
        fits = _Sizes(context, shown=False).first_within(tasks, context.done[tasks], most)
        stop = np.minimum(stop, fits)
    return stop


class View:
    """What the summariser is shown of these tasks' spans, which end before ``stop``."""

    def __init__(self, context: Context, tasks: np.ndarray, stop: np.ndarray) -> None:
        agent = context.scenario.agent
        self._context = context
        self.tokens = context.tokens[tasks]
        """int64 (n,): tokens that one call reads."""
        self.shows_instruction = np.ones(len(tasks), dtype=bool)
        self._start = context.start[tasks]
        self._first = np.zeros_like(stop)
        self._shows_summary = self.shows_instruction
        if not (agent.summariser_input_cap or agent.tool_clip):
            return
        sizes = _Sizes(context, shown=True)
        steps = sizes.between(tasks, self._start, stop)
        if not agent.summariser_input_cap:
            self.tokens = (
                self.tokens - _Sizes(context, shown=False).between(tasks, self._start, stop) + steps
            )
            return
        cap = agent.summariser_input_cap
        self._first = sizes.first_within(tasks, stop, cap)
        summary = np.where(context.folds[tasks], context.summary_tokens, 0)
        self._shows_summary = steps + summary <= cap
        instruction = context.scenario.workload.instruction_tokens
        place = context.instruction[tasks]
        if context.scenario.policy.pin_instruction:
            place = np.full_like(place, SUMMARISED)  # at least it is no part of the span
        alone = np.where(place == VERBATIM, instruction, 0)
        fits = steps + summary + alone <= cap
        self.shows_instruction = np.where(place == VERBATIM, fits, self._shows_summary)
        self.tokens = sizes.between(tasks, self._first, stop)
        self.tokens += np.where(self._shows_summary, summary, 0)
        self.tokens += np.where(fits, alone, 0)

    def hides(self, facts: np.ndarray, which: np.ndarray) -> np.ndarray:
        """Whether each of these living facts, of the ``which``-th task, is not shown."""
        context, agent = self._context, self._context.scenario.agent
        hidden = np.zeros(len(facts), dtype=bool)
        if not (agent.summariser_input_cap or agent.tool_clip):
            return hidden
        tasks = context.tasks
        position = tasks.first_step[tasks.fact_task[facts]] + tasks.fact_step[facts]
        in_summary = position < self._start[which]
        if agent.summariser_input_cap:
            hidden = np.where(
                in_summary, ~self._shows_summary[which], position < self._first[which]
            )
        if agent.tool_clip:
            deep = _places(context, facts) * context.tool_tokens[position] >= agent.tool_clip
            hidden |= ~in_summary & deep & ~tasks.restated[facts]
        return hidden


def _places(context: Context, facts: np.ndarray) -> np.ndarray:
    """Where in its tool result each of these facts stands: float64 from 0 to 1."""
    tasks = context.tasks
    draws = streams.rows_from(tasks.seed, streams.FACT_PLACE, tasks.first_task, len(tasks))
    places: np.ndarray = draws[tasks.fact_task[facts], tasks.fact_step[facts]]
    return places


class _Sizes:
    """Tokens of live steps, as they stand or as the summariser is shown them."""

    def __init__(self, context: Context, *, shown: bool) -> None:
        self._context = context
        self._full = context.shown_full if shown else context.full
        self._stubbed = context.shown_stubbed if shown else context.stubbed
        self._clip = context.scenario.agent.tool_clip if shown else 0

    def between(self, tasks: np.ndarray, first: np.ndarray, stop: np.ndarray) -> np.ndarray:
        """Tokens of the live steps at the positions ``[first, stop)``."""
        context, full, stubbed = self._context, self._full, self._stubbed
        cleared = context.cleared[tasks]
        tokens: np.ndarray = (
            stubbed[np.minimum(stop, cleared)] - stubbed[np.minimum(first, cleared)]
        )
        tokens += full[np.maximum(stop, cleared)] - full[np.maximum(first, cleared)]
        if context.has_cuts:
            with_cut = (first == context.start[tasks]) & (stop > first)
            tokens[with_cut] -= self._missing(tasks[with_cut])
        return tokens

    def first_within(self, tasks: np.ndarray, stop: np.ndarray, most: int) -> np.ndarray:
        """First live position from which the steps before ``stop`` hold at most ``most`` tokens."""
        context, full, stubbed = self._context, self._full, self._stubbed
        start, cleared = context.start[tasks], np.minimum(context.cleared[tasks], stop)
        whole = np.searchsorted(full, full[stop] - most)
        left = most - (full[stop] - full[cleared])
        stubs = np.searchsorted(stubbed, stubbed[cleared] - left)
        first = np.maximum(np.where(whole >= cleared, whole, stubs), start)
        fits = self.between(tasks, start, stop) <= most
        found: np.ndarray = np.where(fits, start, first)
        return found

    def _missing(self, tasks: np.ndarray) -> np.ndarray:
        """By how much the cut result at the start of these tasks counts less than it once did."""
        context = self._context
        start = context.start[tasks]
        cut: np.ndarray = context.cut[tasks]
        if not self._clip:
            return cut
        tool = context.tool_tokens[start]
        stub = np.minimum(tool, context.scenario.workload.stub_tokens)
        tool = np.where(context.cleared[tasks] > start, stub, tool)
        less: np.ndarray = np.minimum(tool, self._clip) - np.minimum(tool - cut, self._clip)
        return less
