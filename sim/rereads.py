"""What the agent reads again: after a compaction, and from files before it answers (Parts E, G).

Rules of this file. Each re-read is one more request, of the context as it stands, and then adds
what was read to the end of its messages. One that would not fit the window is not made, so a task
that has failed makes none. They belong to no step: no trigger is looked at between them.
"""

from __future__ import annotations

import math

import numpy as np

from sim import log, recall, streams
from sim.billing import Bill
from sim.context import Context
from sim.log import EditLog
from sim.recall import FactLedger


def after_compaction(context: Context, bill: Bill, edit_log: EditLog, tasks: np.ndarray) -> None:
    """Let these tasks, just compacted, read again what they miss.

    How often is drawn: the mean's whole part, and one more with the chance of its fraction. So
    requests and tokens stay whole, as a cache and a window need them, and the mean is kept. Only
    ``keep_recent`` counts (Part G): a tail kept by tokens or as a share spares nothing.
    """
    pack, keep = context.scenario.rework, context.scenario.policy.keep_recent
    mean = pack.rework * math.exp(-keep / pack.rework_decay)
    draw = context.tasks.drawn(streams.REWORK)[context.done[tasks] - 1]
    count = np.int64(math.floor(mean)) + (draw < mean - math.floor(mean))
    context.reread_at[tasks] = context.done[tasks]
    before, count = context.tokens[tasks], _that_fit(context, tasks, count, pack.rework_tokens)
    asked = bill.request_tokens[tasks]
    _read(context, bill, tasks, count, pack.rework_tokens)
    context.reread[tasks] = count * pack.rework_tokens
    bill.reread_requests[tasks] += count
    bill.reread_tokens[tasks] += bill.request_tokens[tasks] - asked
    read = count > 0
    edit_log.add(log.REWORK, context, tasks[read], before[read])


def from_files(context: Context, ledger: FactLedger, bill: Bill, edit_log: EditLog) -> None:
    """Let all tasks that have not failed read back the needed facts that only files hold."""
    tasks, pack = context.tasks, context.scenario.disk
    facts = np.flatnonzero(recall.only_in_files(context, ledger) & tasks.needed)
    facts = facts[~context.failed[tasks.fact_task[facts]]]
    position, of = tasks.fact_position()[facts], tasks.fact_task[facts]
    is_found, is_on_disk = np.zeros(len(facts), dtype=bool), context.offloaded[facts]
    for is_in, stream, rate in (
        (is_on_disk, streams.READ_BACK, pack.read_back_rate),
        (~is_on_disk, streams.ARCHIVE_READ, pack.archive_rate),
    ):
        if is_in.any():  # a stream is only drawn where it is asked
            is_found[is_in] = tasks.drawn(stream)[position[is_in]] < rate
    ledger.missed[facts] = True
    facts, of = facts[is_found], of[is_found]
    wanted = np.bincount(of, minlength=len(tasks)).astype(np.int64)
    everyone = np.arange(len(tasks), dtype=np.int64)
    count = _that_fit(context, everyone, wanted, pack.read_back_tokens)
    order = np.arange(len(of), dtype=np.int64) - np.searchsorted(of, of)
    is_read = order < count[of]
    ledger.read_order[facts[is_read]] = order[is_read]
    ledger.missed[facts[is_read]] = False
    readers = everyone[count > 0]
    before = context.tokens[readers]
    _read(context, bill, readers, count[readers], pack.read_back_tokens)
    edit_log.add(log.READ_BACK, context, readers, before)


def _that_fit(context: Context, tasks: np.ndarray, count: np.ndarray, size: int) -> np.ndarray:
    """As many of ``count`` re-reads as find room in the window."""
    room = np.maximum(context.scenario.policy.window - context.tokens[tasks], 0) // size
    fitting: np.ndarray = np.minimum(count, room)
    return fitting


def _read(context: Context, bill: Bill, tasks: np.ndarray, count: np.ndarray, size: int) -> None:
    for already in range(int(count.max(initial=0))):
        reading = tasks[count > already]
        bill.read_and_append(context, reading)
        context.tokens[reading] += size
        context.peak[reading] = np.maximum(context.peak[reading], context.tokens[reading])
