"""When an edit fires, and in which order the edits run."""

from __future__ import annotations

import math

import numpy as np

from sim import edits
from sim.billing import Bill
from sim.context import Context
from sim.log import CLEAR, COMPACTION, FAILED, OVERFLOW, EditLog
from sim.recall import FactLedger
from sim.scenario import Policy


def firing_level(policy: Policy) -> int:
    """Fewest tokens at which the policy acts; without a strategy, the first that do not fit."""
    if policy.strategy == "none":
        return policy.window + 1
    return math.ceil(policy.trigger * policy.window)


def next_firing(context: Context, tasks: np.ndarray) -> np.ndarray:
    """Position after the step at which the policy next has to look at each of these tasks.

    One step at least is taken. A position beyond the task's ``end`` says that it never does.
    """
    policy, agent = context.scenario.policy, context.scenario.agent
    reached = context.next_reaching(tasks, firing_level(policy))
    if policy.strategy == "none":
        return reached
    if agent.trigger_steps:
        full = np.maximum(context.start[tasks] + agent.trigger_steps, context.done[tasks] + 1)
        reached = np.minimum(reached, full)
    if agent.check_every > 1:
        steps = reached - context.tasks.first_step[tasks]
        reached += -steps % agent.check_every
        reached = np.minimum(reached, context.next_reaching(tasks, policy.window + 1))
    return reached


def act(context: Context, ledger: FactLedger, bill: Bill, log: EditLog, tasks: np.ndarray) -> None:
    """Do to these tasks, all at their next firing, what the policy does; some may fail."""
    policy, agent = context.scenario.policy, context.scenario.agent
    before = context.tokens[tasks]
    if policy.strategy == "none":
        context.failed[tasks] = True
        log.add(OVERFLOW, context, tasks, before)
        log.add(FAILED, context, tasks, before)
        return
    if agent.check_every > 1:  # between two looks it only sees that a request does not fit
        is_due = (context.step(tasks) + 1) % agent.check_every == 0
        _fit_the_window(context, ledger, log, tasks[~is_due])
        tasks = tasks[is_due]
    # The summariser could not read a context over the window.
    if policy.strategy == "summarise" and _fit_the_window(context, ledger, log, tasks):
        tasks = tasks[~context.failed[tasks]]
    if policy.clear_tool_results:
        before = context.tokens[tasks]
        changed = edits.clear(context, ledger, tasks)
        log.add(CLEAR, context, tasks[changed], before[changed])
    before = context.tokens[tasks]
    is_hot = before >= firing_level(policy)
    if agent.trigger_steps:
        is_hot |= context.done[tasks] - context.start[tasks] >= agent.trigger_steps
    hot, before = tasks[is_hot], before[is_hot]
    if policy.strategy == "truncate":
        changed = edits.truncate(context, ledger, hot)
    else:
        changed = edits.summarise(context, ledger, bill, hot)
    bill.compacted(context, hot[changed])
    log.add(COMPACTION, context, hot[changed], before[changed])
    _fit_the_window(context, ledger, log, tasks)


def _fit_the_window(context: Context, ledger: FactLedger, log: EditLog, tasks: np.ndarray) -> bool:
    """Whether any of these tasks was over the window, and had to be made to fit."""
    over = tasks[context.tokens[tasks] > context.scenario.policy.window]
    if len(over):
        before = context.tokens[over]
        edits.overflow(context, ledger, over)
        log.add(OVERFLOW, context, over, before)
        failed = over[context.failed[over]]
        log.add(FAILED, context, failed, context.tokens[failed])
    return len(over) > 0
