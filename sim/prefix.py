"""The cached prefix: how much of its last request each context still begins with (seed 001).

Rules of this file. A request is a row of blocks: system prompt, pinned instruction, notes if they
stand at the front, instruction, summary, live steps, notes if they stand at the end. A cache reads
the blocks, from the first on, that are those of the request before, and writes the rest anew. So an
append keeps all that was sent, and an edit keeps what stands before the first block it touched.
Notes at the end are written with every request.
"""

from __future__ import annotations

import numpy as np

from sim.context import VERBATIM, Context, is_first
from sim.walk import Masked, Walk


def cacheable(
    context: Context, tasks: np.ndarray, position: np.ndarray, tokens: np.ndarray
) -> np.ndarray:
    """What the requests before the steps at ``position``, of ``tokens``, leave for the next ones.

    All arrays are int64 of one length. Edits that follow the step may leave less.
    """
    if not context.scenario.policy.notes:
        return tokens
    before = context.notes[position] - context.notes[context.tasks.first_step[tasks]]
    if context.scenario.caching.notes_at == "end":
        kept: np.ndarray = tokens - before
        return kept
    is_noted = context.notes[position + 1] > context.notes[position]
    return np.where(is_noted, _pinned(context) + before, tokens)


def appendable(context: Context, tasks: np.ndarray) -> np.ndarray:
    """What a request of these contexts as they are leaves, if more is read after their messages."""
    if context.scenario.caching.notes_at == "end":
        return before_notes(context, tasks)
    tokens: np.ndarray = context.tokens[tasks]
    return tokens


def cached_after_masks(context: Context, walk: Walk, oldest: Masked) -> np.ndarray:
    """What the requests before the steps of a walk leave that mask these results as their oldest.

    The context is as it was before the walk.
    """
    which, row = oldest.which, oldest.row
    tasks = walk.tasks[which]
    before = before_step(context, tasks, oldest.position) - walk.taken_before(oldest)
    if context.scenario.caching.notes_at == "front":
        before += context.notes[walk.done[row + 1, which]] - context.notes[walk.since[which]]
    kept = cacheable(context, tasks, walk.done[row, which], walk.left[row, which])
    least: np.ndarray = np.minimum(kept, before)
    return least


def touch_results(
    context: Context, tasks: np.ndarray, positions: np.ndarray, which: np.ndarray
) -> None:
    """The tool results at these positions shrink: in order, those of ``tasks[which]``."""
    if context.has_prefix and len(which):
        first = is_first(which)
        tasks = tasks[which[first]]
        _keep(context, tasks, before_step(context, tasks, positions[first]))


def touch_reread(context: Context, tasks: np.ndarray) -> None:
    """What was read again goes from these contexts."""
    if context.has_prefix:
        at = before_step(context, tasks, context.reread_at[tasks])
        _keep(context, tasks, at - context.reread[tasks])


def touch_instruction(context: Context, tasks: np.ndarray) -> None:
    """The instruction goes, or moves into a summary, with all that stands after it."""
    if context.has_prefix:
        _keep(context, tasks, _front(context, tasks))


def touch_steps(context: Context, tasks: np.ndarray) -> None:
    """The oldest live steps go from these contexts."""
    if context.has_prefix:
        _keep(context, tasks, before_step(context, tasks, context.start[tasks]))


def _keep(context: Context, tasks: np.ndarray, tokens: np.ndarray) -> None:
    context.kept[tasks] = np.minimum(context.kept[tasks], tokens)


def _pinned(context: Context) -> int:
    """Tokens that no edit ever touches."""
    work = context.scenario.workload
    pinned = work.instruction_tokens if context.scenario.policy.pin_instruction else 0
    return work.system_tokens + pinned


def before_notes(context: Context, tasks: np.ndarray) -> np.ndarray:
    """Tokens before the notes."""
    if context.scenario.caching.notes_at == "front":
        return np.full(len(tasks), _pinned(context), dtype=np.int64)
    tokens: np.ndarray = context.tokens[tasks] - _notes(context, tasks)
    return tokens


def before_summary(context: Context, tasks: np.ndarray) -> np.ndarray:
    """Tokens before the summary, or where it would be."""
    tokens = _front(context, tasks)
    if not context.scenario.policy.pin_instruction:
        verbatim = context.instruction[tasks] == VERBATIM
        tokens += np.where(verbatim, context.scenario.workload.instruction_tokens, 0)
    return tokens


def before_step(context: Context, tasks: np.ndarray, position: np.ndarray) -> np.ndarray:
    """Tokens before the live step at each of these positions."""
    tokens = before_summary(context, tasks)
    tokens += np.where(context.folds[tasks], context.summary_tokens, 0)
    tokens += context.held[position] - context.held[context.start[tasks]]
    if context.has_rereads:
        tokens += np.where(position >= context.reread_at[tasks], context.reread[tasks], 0)
    return tokens


def _front(context: Context, tasks: np.ndarray) -> np.ndarray:
    """Tokens before an instruction that is not pinned."""
    tokens = np.full(len(tasks), _pinned(context), dtype=np.int64)
    if context.scenario.caching.notes_at == "front":
        tokens += _notes(context, tasks)
    return tokens


def _notes(context: Context, tasks: np.ndarray) -> np.ndarray:
    """Tokens of all notes so far."""
    first = context.tasks.first_step[tasks]
    tokens: np.ndarray = context.notes[context.done[tasks]] - context.notes[first]
    return tokens
