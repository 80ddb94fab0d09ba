"""The result of a run out of what was collected while it went on, and of its blocks together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from sim import billing, carrier, hardware, log, reading, recall
from sim.billing import Bill, Usage
from sim.context import LOST, Context
from sim.log import EditLog, EditTable
from sim.recall import FactLedger, FactTable
from sim.run import Run
from sim.workload import prefix_sum


def run_of_block(context: Context, ledger: FactLedger, bill: Bill, edit_log: EditLog) -> Run:
    """The result of a run that has come to its end."""
    tasks, n = context.tasks, len(context.tasks)
    facts = recall.fact_table(context, ledger)
    edits = edit_log.table()
    needed, needed_lost = recall.needed_and_lost(facts, n)
    requests = bill.requests.table(context) if bill.requests else None
    usage = bill.usage(context, requests)
    ttft_s = longest_ttft_s = np.zeros(n, dtype=np.float64)
    if requests and context.scenario.hardware.hardware:
        ttft_s, longest_ttft_s = hardware.waits(context.scenario.hardware, requests)
    success, wrong = reading.success(context, facts, needed_lost), np.zeros(n, dtype=np.float64)
    if carrier.is_on(context.scenario.carrier):
        held, lost = recall.needed_of_summary(facts, n)
        found = carrier.found(context.scenario.carrier, held)
        success *= found
        wrong = ~context.failed * carrier.confidently_wrong(context.scenario.carrier, lost, found)
    return Run(
        scenario=context.scenario,
        seed=tasks.seed,
        steps=tasks.steps,
        grown=np.diff(context.growth),
        success=success,
        confidently_wrong=wrong,
        cost=billing.costs(context.scenario, usage),
        usage=usage,
        ttft_s=ttft_s,
        longest_ttft_s=longest_ttft_s,
        needed=needed,
        needed_lost=needed_lost,
        instruction_lost=context.instruction == LOST,
        compactions=edits.count(log.COMPACTION, n),
        clears=edits.count(log.CLEAR, n),
        masks=edits.count(log.MASK, n),
        overflows=edits.count(log.OVERFLOW, n),
        failed=context.failed,
        peak=context.peak,
        final_context=context.tokens,
        facts=facts,
        edits=edits,
    )


def join(runs: Sequence[Run]) -> Run:
    """One run out of the runs of successive blocks of the same tasks."""
    if len(runs) == 1:
        return runs[0]
    first_task = prefix_sum(np.array([len(run) for run in runs], dtype=np.int64))[:-1]
    columns: dict[str, Any] = {}
    for spec in fields(Run):
        if isinstance(getattr(runs[0], spec.name), np.ndarray):
            columns[spec.name] = np.concatenate([getattr(run, spec.name) for run in runs])
    facts = [
        {name: getattr(run.facts, name) for name in _names(FactTable)}
        | {"task": run.facts.task + first}
        for run, first in zip(runs, first_task, strict=True)
    ]
    edits = [
        {name: getattr(run.edits, name) for name in _names(EditTable)}
        | {"task": run.edits.task + first}
        for run, first in zip(runs, first_task, strict=True)
    ]
    return Run(
        scenario=runs[0].scenario,
        seed=runs[0].seed,
        usage=Usage(**_stack([run.usage.columns() for run in runs])),
        facts=FactTable(**_stack(facts)),
        edits=EditTable(**_stack(edits)),
        **columns,
    )


def _names(table: type) -> list[str]:
    return [spec.name for spec in fields(table)]


def _stack(tables: Sequence[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    return {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}
