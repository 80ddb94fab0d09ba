"""The span that a summary takes: where it ends, and what of it the summariser is shown.

The messages that go are, from the oldest on, the instruction if it is not pinned, the old summary
and the steps of the span. A summariser with a capped input is shown the newest whole messages that
fit; with a clip, the start of each result.
"""

from __future__ import annotations

import numpy as np

from sim.context import VERBATIM, Context
from sim.workload import prefix_sum


def end(context: Context, tasks: np.ndarray) -> np.ndarray:
    """Position before which the steps go: all but the newest that the policy keeps."""
    stop: np.ndarray = context.done[tasks] - context.scenario.policy.keep_recent
    most = context.scenario.agent.keep_recent_tokens
    if most:
        fits = _first_within(context, tasks, context.held, context.done[tasks], most)
        stop = np.minimum(stop, fits)
    share = context.scenario.agent.keep_recent_share
    if share:
        here = context.done[tasks] - context.start[tasks]
        stop = np.minimum(stop, context.done[tasks] - np.floor(share * here).astype(np.int64))
    return stop


class View:
    """What the summariser is shown of these tasks' spans, which end before ``stop``."""

    def __init__(self, context: Context, tasks: np.ndarray, stop: np.ndarray) -> None:
        agent, work = context.scenario.agent, context.scenario.workload
        self._context = context
        self.tokens = context.tokens[tasks]
        """int64 (n,): tokens that one call reads."""
        self.shows_instruction: np.ndarray | None = None
        """bool (n,): whether that is in it; None if it is in all of them."""
        if not (agent.summariser_input_cap or agent.tool_clip):
            return
        self._start = context.start[tasks]
        held = context.held
        if agent.tool_clip:
            held = prefix_sum(np.minimum(context.tool, agent.tool_clip) + work.assistant_tokens)
        steps = held[stop] - held[self._start]
        if not agent.summariser_input_cap:
            self.tokens = self.tokens - (context.held[stop] - context.held[self._start]) + steps
            return
        cap = agent.summariser_input_cap
        self._first = _first_within(context, tasks, held, stop, cap)
        summary = np.where(context.folds[tasks], context.summary_tokens, 0)
        self._shows_summary = steps + summary <= cap
        alone = np.where(context.instruction[tasks] == VERBATIM, work.instruction_tokens, 0)
        if context.scenario.policy.pin_instruction:
            alone = np.zeros_like(alone)
        self.shows_instruction = steps + summary + alone <= cap
        self.tokens = held[stop] - held[self._first]
        self.tokens += np.where(self._shows_summary, summary, 0)
        self.tokens += np.where(self.shows_instruction, alone, 0)

    def hides(self, facts: np.ndarray, which: np.ndarray) -> np.ndarray | None:
        """Whether each of these living facts, of the ``which``-th task, is not shown; None if the
        summariser is shown all."""
        context, agent = self._context, self._context.scenario.agent
        if not (agent.summariser_input_cap or agent.tool_clip):
            return None
        hidden = np.zeros(len(facts), dtype=bool)
        position = context.tasks.fact_position()[facts]
        in_summary = position < self._start[which]
        if agent.summariser_input_cap:
            hidden = np.where(
                in_summary, ~self._shows_summary[which], position < self._first[which]
            )
        if agent.tool_clip:
            hidden |= context.deep[facts] & (context.tool[position] > agent.tool_clip)
        return hidden


def _first_within(
    context: Context, tasks: np.ndarray, held: np.ndarray, stop: np.ndarray, most: int
) -> np.ndarray:
    """First live position from which the steps before ``stop`` hold at most ``most`` tokens."""
    first = np.searchsorted(held, held[stop] - most)
    live: np.ndarray = np.maximum(first, context.start[tasks])
    return live
