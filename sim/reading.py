"""How well an answer reads what its last context holds.

``linear`` is the lab's own (seed 004): a right answer is the less likely, the longer the context.
``u_shaped`` follows seed 001 and Liu et al. 2023, "Lost in the Middle" (arXiv 2307.03172): each
needed fact is missed by where it stands, most of all in the middle; how often there is a guess.
``state_tracking`` is a fit to seed 000's table for mixed grammars: tasks in which every line of the
context may change the answer. The two replace the linear fall; only ``u_shaped`` keeps its start.
"""

from __future__ import annotations

import numpy as np

from sim import recall
from sim.context import Context
from sim.prefix import before_notes, before_step, before_summary
from sim.recall import IN_SUMMARY, RESTATED, UNREVEALED, VERBATIM, FactTable

RELIABILITY = 0.97
"""Chance of a right answer from an empty context, if nothing is missing (the lab, seed 004)."""
RELIABILITY_LOSS = 0.15
"""What a context of ``LONG_CONTEXT`` tokens takes from it, linearly (the lab, seed 004)."""
LONG_CONTEXT = 200_000
TRACKED_HALF = 5_590
"""Tokens at which half the answers that track a state are right (fit to seed 000)."""
TRACKED_STEEPNESS = 1.52


def success(context: Context, facts: FactTable, needed_lost: np.ndarray) -> np.ndarray:
    """Probability, float64 (n,), that each task ends with a right answer."""
    ok = recall.complete(context, needed_lost)
    reading = context.scenario.reading.reading
    if reading == "state_tracking":
        probability: np.ndarray = ok * tracked(context.tokens)
    elif reading == "u_shaped":
        n = len(context.tokens)
        needed = np.flatnonzero(facts.needed)
        # Certain misses would be logarithms of nothing, so the product is taken as a product.
        found = np.ones(n, dtype=np.float64)
        np.multiply.at(found, facts.task[needed], 1 - missed(context, facts, needed))
        probability = ok * RELIABILITY * found
    else:
        fill = np.minimum(1.0, context.tokens / LONG_CONTEXT)
        probability = ok * (RELIABILITY - RELIABILITY_LOSS * fill)
    return probability


def tracked(tokens: np.ndarray) -> np.ndarray:
    """Share of right answers that track a state through contexts of so many tokens."""
    share: np.ndarray = 1 / (1 + (tokens / TRACKED_HALF) ** TRACKED_STEEPNESS)
    return share


def missed(context: Context, table: FactTable, facts: np.ndarray) -> np.ndarray:
    """Probability, float64, that a final answer misses each of these facts of the table.

    Of its copies the best placed counts. It is 1 for a fact that has none.
    """
    step, half = context.scenario.workload, 0.5
    task, state = table.task[facts], table.state[facts]
    restated = state == RESTATED
    position = context.tasks.first_step[task] + table.step[facts]
    tokens, start, tool = context.tokens[task], context.start[task], context.tool[position]

    in_message = np.where(
        restated, half * step.assistant_tokens, step.assistant_tokens + half * tool
    )
    at = before_step(context, task, np.maximum(position, start)) + in_message
    in_summary = state == IN_SUMMARY
    middle = before_summary(context, task) + half * context.scenario.policy.summary_budget
    at = np.where(in_summary, middle, at)
    order = table.read_order[facts]
    is_read = order >= 0
    if is_read.any():
        pack = context.scenario.disk
        read = before_step(context, task, context.done[task])
        at = np.where(is_read, read + (order + half) * pack.read_back_tokens, at)
    has_copy = in_summary | restated | is_read | (state == VERBATIM)
    chance = np.where(has_copy, _missed_at(context, at, tokens), 1.0)

    notes = context.notes
    earlier = notes[position] - notes[context.tasks.first_step[task]]
    note = before_notes(context, task) + earlier + half * step.note_tokens
    is_noted = table.noted[facts] & (state != UNREVEALED)
    best: np.ndarray = np.where(
        is_noted, np.minimum(chance, _missed_at(context, note, tokens)), chance
    )
    return best


def _missed_at(context: Context, at: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    """``m(S) · 4x(1 − x)`` at the relative position x of contexts of S tokens."""
    x = at / np.maximum(tokens, 1)  # everything may have been cleared to nothing
    most = context.scenario.reading.most_missed * np.minimum(1.0, tokens / LONG_CONTEXT)
    chance: np.ndarray = most * 4 * x * (1 - x)
    return chance
