"""What changes a context: clear, mask, truncate, summarise, overflow.

Each edit takes the indices of the tasks it is applied to, changes ``context`` and ``ledger``, and
returns which of those tasks it changed.
"""

from __future__ import annotations

import math

import numpy as np

from sim import prefix, recall, span
from sim.billing import Bill
from sim.context import LOST, SUMMARISED, VERBATIM, Context, ranges, sums
from sim.masks import Masks
from sim.recall import FactLedger
from sim.walk import Masked, Walk


def clear(context: Context, ledger: FactLedger, tasks: np.ndarray, keep: int) -> np.ndarray:
    """Shrink all tool results but the ``keep`` newest to stubs; a fact lives on if restated.

    A task in which that would free fewer than ``clear_at_least`` tokens is left alone.
    """
    least, stub = context.scenario.caching.clear_at_least, context.scenario.workload.stub_tokens
    since = np.maximum(context.cleared[tasks], context.start[tasks])
    stop = np.maximum(context.done[tasks] - keep, since)
    positions, which = ranges(since, stop)
    is_large = context.tool[positions] > stub
    positions, which = positions[is_large], which[is_large]
    freed = sums(context.tool[positions] - stub, which, len(tasks))
    enough = freed >= least
    context.cleared[tasks[enough]] = stop[enough]
    is_cleared = enough[which]
    positions, which = positions[is_cleared], which[is_cleared]

    facts, has_fact = context.facts_at(positions)
    alive = ledger.living(facts)
    lost = tasks[which[has_fact][alive]]
    _lose_tool_result(context, ledger, context.step(lost), facts[alive], recall.CLEARED)
    prefix.touch_results(context, tasks, positions, which)
    context.shrink(tasks, positions, which, stub)
    changed: np.ndarray = enough & (freed > 0)
    return changed


def mask(context: Context, ledger: FactLedger, masks: Masks, walk: Walk, results: Masked) -> None:
    """Shrink these tool results to head and tail; a fact lives on if it stands there, or was
    restated. What the contexts hold after it, the walk knows."""
    facts, has_fact = context.facts_at(results.position)
    hidden = ledger.living(facts) & ~masks.in_sight[facts]
    which, row = results.which[has_fact][hidden], results.row[has_fact][hidden]
    _lose_tool_result(context, ledger, walk.step(which, row), facts[hidden], recall.MASKED)
    context.cut_results(results.position, context.scenario.masking.masked_tokens)


def _lose_tool_result(
    context: Context, ledger: FactLedger, step: np.ndarray, facts: np.ndarray, cause: np.int8
) -> None:
    """The tool results of these living facts go at these steps; what was restated lives on."""
    restated = context.tasks.restated[facts]
    kept = facts[restated]
    first = ledger.restated_at[kept] < 0
    ledger.restated_at[kept[first]] = step[restated][first]
    ledger.kill(facts[~restated], cause, step[~restated])


def truncate(context: Context, ledger: FactLedger, tasks: np.ndarray) -> np.ndarray:
    """Drop the oldest messages until the context is at most half the window, or its target."""
    target = math.floor(context.scenario.agent.truncate_to * context.scenario.policy.window)
    return _drop_oldest(context, ledger, tasks, target, recall.TRUNCATED)


def _drop_oldest(
    context: Context, ledger: FactLedger, tasks: np.ndarray, target: int, cause: np.int8
) -> np.ndarray:
    """Drop what was read again, the instruction, then whole steps, until ``target`` is met; never
    the newest step."""
    changed = np.zeros(len(tasks), dtype=bool)
    if context.has_rereads:
        changed = (context.reread[tasks] > 0) & (context.tokens[tasks] > target)
        prefix.touch_reread(context, tasks[changed])
        context.drop_reread(tasks[changed])
    if not context.scenario.policy.pin_instruction:
        is_dropped = (context.instruction[tasks] == VERBATIM) & (context.tokens[tasks] > target)
        changed |= is_dropped
        dropped = tasks[is_dropped]
        prefix.touch_instruction(context, dropped)
        context.instruction[dropped] = LOST
        context.tokens[dropped] -= context.scenario.workload.instruction_tokens

    over = context.tokens[tasks] > target
    heavy = tasks[over]
    if not len(heavy):
        return changed
    start, newest = context.start[heavy], context.done[heavy] - 1
    stop = np.maximum(np.minimum(context.position_freeing(heavy, target), newest), start)

    facts, which = context.facts_between(start, stop)
    alive = ledger.living(facts)
    ledger.kill(facts[alive], cause, context.step(heavy[which[alive]]))
    prefix.touch_steps(context, heavy)
    context.drop(heavy, stop)
    changed[over] |= stop > start
    return changed


def summarise(context: Context, ledger: FactLedger, bill: Bill, tasks: np.ndarray) -> np.ndarray:
    """Put the span of older steps, and the old summary, through the summariser.

    A fact of either survives or not by the hazard of so many facts, see ``hazard``; what the
    summariser is not shown does not. A task with an empty span is left alone.
    """
    stop = span.end(context, tasks)
    changed: np.ndarray = stop > context.start[tasks]
    tasks, stop = tasks[changed], stop[changed]
    view = span.View(context, tasks, stop)
    bill.read_by_summariser(context, tasks, view.tokens)
    folds, step = context.folds[tasks], context.step(tasks)
    facts, which = context.facts_between(context.tasks.first_step[tasks], stop)
    alive = ledger.living(facts)
    facts, which = facts[alive], which[alive]
    hidden = view.hides(facts, which)
    count = np.bincount(which, minlength=len(tasks))
    ledger.folds.append((folds + 1, count))
    if hidden is not None:
        count = np.bincount(which[~hidden], minlength=len(tasks))
    hazard = context.summary_hazard[count]
    if context.fold_hazard is not None:
        hazard += context.fold_hazard[tasks]
    faced = ledger.hazard[facts] + hazard[which]
    if hidden is not None:
        faced[hidden] = np.inf
    ledger.hazard[facts] = faced
    gone = faced > context.tasks.fact_resilience[facts]
    dead, of = facts[gone], which[gone]
    ledger.kill(dead, recall.SUMMARISED, step[of])
    ledger.fold[dead] = folds[of] + 1
    fresh = ~gone & (ledger.summarised_at[facts] < 0)
    ledger.summarised_at[facts[fresh]] = step[which[fresh]]

    prefix.touch_instruction(context, tasks)
    context.drop(tasks, stop)
    if context.has_rereads:
        context.drop_reread(tasks)
    context.tokens[tasks] += np.where(folds, 0, context.summary_tokens)
    context.folds[tasks] = folds + 1
    if not context.scenario.policy.pin_instruction:
        _summarise_instruction(context, tasks, view.shows_instruction)
    return changed


def _summarise_instruction(context: Context, tasks: np.ndarray, shown: np.ndarray | None) -> None:
    """It survives a summary with a fixed probability, unless the summariser is not shown it."""
    instruction = context.instruction[tasks]
    context.tokens[tasks[instruction == VERBATIM]] -= context.scenario.workload.instruction_tokens
    is_exposed = instruction != LOST
    exposed = tasks[is_exposed]
    faced = context.instruction_hazard[exposed] + context.instruction_fold_hazard
    if shown is not None:
        faced[~shown[is_exposed]] = np.inf
    context.instruction_hazard[exposed] = faced
    gone = faced > context.tasks.instruction_resilience[exposed]
    context.instruction[exposed] = np.where(gone, LOST, SUMMARISED)


def overflow(context: Context, ledger: FactLedger, tasks: np.ndarray) -> None:
    """Make a context over the window fit: drop the oldest, then cut the newest tool result.

    A task that still does not fit fails.
    """
    window = context.scenario.policy.window
    _drop_oldest(context, ledger, tasks, window, recall.OVERFLOW)
    tight = tasks[context.tokens[tasks] > window]
    if not len(tight):
        return
    # Every older step is gone. With no recent step kept, so may be the newest: nothing to cut.
    live = tight[context.start[tight] < context.done[tight]]
    newest = context.done[live] - 1
    which = np.arange(len(live), dtype=np.intp)
    left = np.maximum(context.tool[newest] - (context.tokens[live] - window), 0)
    context.shrink(live, newest, which, left)
    facts, which = context.facts_between(newest, newest + 1)
    alive = ledger.living(facts)
    step = context.step(live[which[alive]])
    _lose_tool_result(context, ledger, step, facts[alive], recall.OVERFLOW)
    context.failed[tight] = context.tokens[tight] > window
