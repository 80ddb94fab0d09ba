"""When an edit fires, and in which order the edits run."""

from __future__ import annotations

import math

import numpy as np

from sim import edits, rereads
from sim.base import Policy
from sim.billing import Bill
from sim.clearing import OwnClearing
from sim.context import Context
from sim.log import CLEAR, COMPACTION, FAILED, OVERFLOW, EditLog
from sim.masks import Masks
from sim.recall import FactLedger


def firing_level(policy: Policy) -> int:
    """Fewest tokens at which the policy acts; without a strategy, the first that do not fit."""
    if policy.strategy == "none":
        return policy.window + 1
    return math.ceil(policy.trigger * policy.window)


class Watch:
    """What is looked at after each step: the policy's trigger, and those that packs add."""

    def __init__(self, context: Context) -> None:
        scenario = context.scenario
        self.level = firing_level(scenario.policy)
        self.trigger_steps, self.check_every = 0, 1
        if scenario.policy.strategy != "none":
            self.trigger_steps = scenario.agent.trigger_steps
            self.check_every = scenario.agent.check_every
        self.masks = Masks(context) if scenario.masking.masking else None
        self.clearing = OwnClearing(context) if scenario.clearing.clear_apart else None

    def next_firing(self, context: Context, tasks: np.ndarray, base: np.ndarray) -> np.ndarray:
        """Position after the step at which there is next something to do; beyond ``end``, never.

        ``base`` is that of these contexts. Masks, which come in between, are left out; see
        ``fires``.
        """
        reached = self._next_look(context, tasks, base)
        if self.clearing:
            reached = np.minimum(reached, self.clearing.next_due(context, tasks, base))
        return reached

    def fires(
        self, context: Context, tasks: np.ndarray, done: np.ndarray, tokens: np.ndarray
    ) -> np.ndarray:
        """bool: where there is something to do for these tasks, come to ``done`` with ``tokens``.

        The last two are of one shape, (…, tasks).
        """
        fires = self.is_full(context, tasks, done, tokens)
        if self.check_every > 1:
            fires &= self.looks(context, tasks, done)
            fires |= tokens > context.scenario.policy.window
        if self.clearing:
            fires |= self.clearing.is_due(context, tasks, done, tokens)
        return fires

    def _next_look(self, context: Context, tasks: np.ndarray, base: np.ndarray) -> np.ndarray:
        """Position after the step at which the policy next finds a context full."""
        reached = context.next_reaching(tasks, self.level, base)
        if self.trigger_steps:
            full = np.maximum(context.start[tasks] + self.trigger_steps, context.done[tasks] + 1)
            reached = np.minimum(reached, full)
        if self.check_every > 1:
            steps = reached - context.tasks.first_step[tasks]
            reached += -steps % self.check_every
            over = context.next_reaching(tasks, context.scenario.policy.window + 1, base)
            reached = np.minimum(reached, over)
        return reached

    def looks(self, context: Context, tasks: np.ndarray, done: np.ndarray) -> np.ndarray:
        """bool: at which of these tasks the policy looks once they have come to ``done``."""
        looks: np.ndarray = (done - context.tasks.first_step[tasks]) % self.check_every == 0
        return looks

    def is_full(
        self, context: Context, tasks: np.ndarray, done: np.ndarray, tokens: np.ndarray
    ) -> np.ndarray:
        """bool: which of these tasks are at the policy's trigger."""
        full: np.ndarray = tokens >= self.level
        if self.trigger_steps:
            full |= done - context.start[tasks] >= self.trigger_steps
        return full

    def full_now(self, context: Context, tasks: np.ndarray) -> np.ndarray:
        """Those of these tasks that are at the policy's trigger."""
        is_full = self.is_full(context, tasks, context.done[tasks], context.tokens[tasks])
        full: np.ndarray = tasks[is_full]
        return full


def act(
    context: Context,
    ledger: FactLedger,
    bill: Bill,
    log: EditLog,
    watch: Watch,
    tasks: np.ndarray,
) -> None:
    """Do to these tasks what is due: clears apart, which no model takes part in, then what the
    policy does at its trigger."""
    if watch.clearing:
        done, tokens = context.done[tasks], context.tokens[tasks]
        due = tasks[watch.clearing.is_due(context, tasks, done, tokens)]
        _clear(context, ledger, log, due, context.scenario.clearing.clear_keep)
    if watch.check_every > 1:  # between two looks all it sees is a request that does not fit
        looks = watch.looks(context, tasks, context.done[tasks])
        _fit_the_window(context, ledger, log, tasks[~looks])
        tasks = tasks[looks]
    if watch.clearing:
        tasks = watch.full_now(context, tasks)
    if len(tasks):
        _act_at_trigger(context, ledger, bill, log, watch, tasks)


def _act_at_trigger(
    context: Context,
    ledger: FactLedger,
    bill: Bill,
    log: EditLog,
    watch: Watch,
    tasks: np.ndarray,
) -> None:
    """Do to these tasks, all at the trigger, what the policy does; some may fail."""
    policy = context.scenario.policy
    before = context.tokens[tasks]
    if policy.strategy == "none":
        context.failed[tasks] = True
        log.add(OVERFLOW, context, tasks, before)
        log.add(FAILED, context, tasks, before)
        return
    hot = tasks
    # The summariser could not read a context over the window.
    if policy.strategy == "summarise" and _fit_the_window(context, ledger, log, tasks):
        tasks = tasks[~context.failed[tasks]]
        hot = watch.full_now(context, tasks)
    if policy.clear_tool_results and not context.scenario.clearing.clear_apart:
        _clear(context, ledger, log, tasks, policy.keep_recent)
        hot = watch.full_now(context, tasks)
    before = context.tokens[hot]
    if policy.strategy == "truncate":
        changed = edits.truncate(context, ledger, hot)
    else:
        changed = edits.summarise(context, ledger, bill, hot)
    compacted = hot[changed]
    bill.compacted(context, compacted)
    log.add(COMPACTION, context, compacted, before[changed])
    _fit_the_window(context, ledger, log, tasks)
    if context.has_rereads:
        rereads.after_compaction(context, bill, log, compacted)


def _clear(
    context: Context, ledger: FactLedger, log: EditLog, tasks: np.ndarray, keep: int
) -> None:
    before = context.tokens[tasks]
    changed = edits.clear(context, ledger, tasks, keep)
    log.add(CLEAR, context, tasks[changed], before[changed])


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
