"""From one firing of the policy to the next: steps, their requests, and the masks on the way."""

from __future__ import annotations

import numpy as np

from sim import edits
from sim.billing import Bill
from sim.context import Context
from sim.log import MASK, EditLog
from sim.masks import Masks
from sim.policy import Watch
from sim.recall import FactLedger
from sim.walk import Walk
from sim.workload import BLOCK


def to_next_firing(
    context: Context,
    ledger: FactLedger,
    bill: Bill,
    log: EditLog,
    watch: Watch,
    tasks: np.ndarray,
) -> np.ndarray:
    """Take each of these tasks to its next firing, or its end, or with masks at least some steps
    towards them; which of the tasks fire."""
    base = context.base(tasks)
    reached = watch.next_firing(context, tasks, base)
    done = np.minimum(reached, context.end[tasks])
    if watch.masks:
        # Some at a time: a walk takes many times the memory of its tasks.
        blocks = [slice(at, at + BLOCK) for at in range(0, len(tasks), BLOCK)]
        fired = [
            _masked(context, ledger, bill, log, watch, watch.masks, tasks[block], done[block])
            for block in blocks
        ]
        context.sum_held()
        return np.concatenate(fired)
    _append(context, bill, tasks, done, base)
    firing: np.ndarray = tasks[reached <= done]
    return firing


def _append(
    context: Context, bill: Bill, tasks: np.ndarray, done: np.ndarray, base: np.ndarray
) -> None:
    bill.read_until(context, tasks, done, base)
    context.advance(tasks, done, base)


def _masked(
    context: Context,
    ledger: FactLedger,
    bill: Bill,
    log: EditLog,
    watch: Watch,
    masks: Masks,
    tasks: np.ndarray,
    unmasked: np.ndarray,
) -> np.ndarray:
    """The same with masks, without which the tasks would come to ``unmasked``."""
    # Masks put a firing off. A task that has not fired in twice the steps goes on in another round.
    rows = 2 * int((unmasked - context.done[tasks]).max())
    rows = min(rows, int((context.end[tasks] - context.done[tasks]).max()))
    walk = Walk(context, masks, tasks, rows)
    firing = walk.stop_at(watch.fires(context, tasks, walk.done[1:], walk.left[1:]))

    fired: np.ndarray = tasks[firing]
    done = walk.last + 1
    which, row = walk.masking
    if not len(which):
        _append(context, bill, tasks, walk.since + done, context.base(tasks))
        return fired
    results = walk.masked()
    bill.read_walk(context, walk, results)
    edits.mask(context, ledger, masks, walk, results)
    before, after = walk.grown[row, which], walk.left[row + 1, which]
    log.add_at(MASK, tasks[which], walk.step(which, row), before, after)
    tokens = walk.left[done, np.arange(len(tasks), dtype=np.int64)]
    context.come_to(tasks, walk.since + done, tokens, walk.peak)
    return fired
