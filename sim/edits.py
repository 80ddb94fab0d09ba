"""What changes a context: clear, truncate, summarise, overflow.

Each edit takes the indices of the tasks it is applied to, changes ``context`` and ``ledger``, and
returns which of those tasks it changed.
"""

from __future__ import annotations

import math

import numpy as np

from sim import prefix, recall, span
from sim.billing import Bill
from sim.context import LOST, SUMMARISED, VERBATIM, Context
from sim.recall import FactLedger


def clear(context: Context, ledger: FactLedger, tasks: np.ndarray) -> np.ndarray:
    """Shrink the tool results older than the recent steps to stubs; a fact lives on if restated.

    A task in which that would free fewer than ``clear_at_least`` tokens is left alone.
    """
    keep, least = context.scenario.policy.keep_recent, context.scenario.caching.clear_at_least
    freed, cut = _freed_by_clearing(context, tasks, keep)
    enough = freed >= least
    changed: np.ndarray = enough & (freed > 0)
    tasks, freed, cut = tasks[enough], freed[enough], cut[enough]
    since = context.cleared[tasks]
    stop = np.maximum(context.done[tasks] - keep, since)
    prefix.touch_clear(context, tasks[freed > 0])

    facts, which = context.facts_between(since, stop)
    position = context.tasks.first_step[tasks][which] + context.tasks.fact_step[facts]
    stub = context.scenario.workload.stub_tokens
    touched = ledger.living(facts) & (context.tool_tokens[position] > stub)
    _lose_tool_result(context, ledger, tasks[which[touched]], facts[touched], recall.CLEARED)

    context.cut[tasks] = cut
    context.tokens[tasks] -= freed
    context.cleared[tasks] = stop
    return changed


def _freed_by_clearing(
    context: Context, tasks: np.ndarray, keep: int
) -> tuple[np.ndarray, np.ndarray]:
    """Tokens that clearing would free, and what it would leave of ``cut``: int64 each."""
    since, cut = context.cleared[tasks], context.cut[tasks]
    stop = np.maximum(context.done[tasks] - keep, since)
    whole = context.full[stop] - context.full[since]
    freed = whole - (context.stubbed[stop] - context.stubbed[since])
    if context.has_cuts:  # of a cut step, at ``start``, less is freed, and its stub may be smaller
        start, small = context.start[tasks], context.scenario.workload.stub_tokens
        tool = context.tool_tokens[start]
        stub_cut = np.minimum(tool, small) - np.minimum(tool - cut, small)
        reached = (cut > 0) & (since <= start) & (start < stop)
        freed -= np.where(reached, cut - stub_cut, 0)
        cut = np.where(reached, stub_cut, cut)
    return freed, cut


def _lose_tool_result(
    context: Context, ledger: FactLedger, tasks: np.ndarray, facts: np.ndarray, cause: np.int8
) -> None:
    """The tool results of these living facts go; only what the assistant restated lives on."""
    step = context.step(tasks)
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
    """Drop the instruction, then whole steps, until ``target`` is met; never the newest step."""
    changed = np.zeros(len(tasks), dtype=bool)
    if not context.scenario.policy.pin_instruction:
        changed = (context.instruction[tasks] == VERBATIM) & (context.tokens[tasks] > target)
        dropped = tasks[changed]
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

    A fact of either survives with probability ``1 - exp(-budget / (tokens per fact * facts))``,
    through the hazard of its resilience; what the summariser is not shown does not. A task with
    an empty span is left alone.
    """
    policy, work = context.scenario.policy, context.scenario.workload
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
    count = np.bincount(which[~hidden], minlength=len(tasks))
    demand = context.scenario.tokens_per_fact * np.maximum(count, 1)
    # -ln(1 - exp(-x)); log1p keeps the digits where nearly everything survives.
    hazard = -np.log1p(-np.exp(-policy.summary_budget / demand))
    if context.fold_hazard is not None:
        hazard += context.fold_hazard[tasks]
    faced = ledger.hazard[facts] + np.where(hidden, np.inf, hazard[which])
    ledger.hazard[facts] = faced
    gone = faced > context.tasks.fact_resilience[facts]
    dead, of = facts[gone], which[gone]
    ledger.kill(dead, recall.SUMMARISED, step[of])
    ledger.fold[dead] = folds[of] + 1
    fresh = ~gone & (ledger.summarised_at[facts] < 0)
    ledger.summarised_at[facts[fresh]] = step[which[fresh]]

    prefix.touch_instruction(context, tasks)
    context.drop(tasks, stop)
    context.tokens[tasks] += np.where(folds, 0, context.summary_tokens)
    context.folds[tasks] = folds + 1
    if not policy.pin_instruction:
        shown = view.shows_instruction
        hazard = np.where(shown, -np.log(work.instruction_keep), np.inf)
        _summarise_instruction(context, tasks, hazard)
    return changed


def _summarise_instruction(context: Context, tasks: np.ndarray, hazard: np.ndarray) -> None:
    instruction = context.instruction[tasks]
    context.tokens[tasks[instruction == VERBATIM]] -= context.scenario.workload.instruction_tokens
    is_exposed = instruction != LOST
    exposed = tasks[is_exposed]
    faced = context.instruction_hazard[exposed] + hazard[is_exposed]
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
    tool = context.tool_tokens[newest]
    stub = np.minimum(tool, context.scenario.workload.stub_tokens)
    tool = np.where(context.cleared[live] > newest, stub, tool) - context.cut[live]
    cut = np.minimum(context.tokens[live] - window, tool)
    context.cut[live] += cut
    context.has_cuts = True
    context.tokens[live] -= cut
    facts, which = context.facts_between(newest, newest + 1)
    alive = ledger.living(facts)
    _lose_tool_result(context, ledger, live[which[alive]], facts[alive], recall.OVERFLOW)
    context.failed[tight] = context.tokens[tight] > window
