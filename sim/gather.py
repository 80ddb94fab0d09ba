"""The result of a run out of what was collected while it went on, and of its blocks together."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import fields
from functools import reduce
from typing import Any, TypeVar

import numpy as np

from sim import billing, carrier, hardware, log, reading, recall
from sim.billing import Bill, Usage
from sim.context import LOST, Context
from sim.log import EditLog, EditTable
from sim.losses import Losses, losses_of
from sim.outcome import Outcome
from sim.recall import FactLedger, FactTable
from sim.run import Run


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
        appended=context.growth[tasks.first_step[1:]] - context.growth[tasks.first_step[:-1]],
        freed=edits.freed(n),
        noted=np.bincount(facts.task[facts.noted], minlength=n).astype(np.int64),
        losses=losses_of(facts, ledger),
        facts=facts,
        edits=edits,
    )


Result = TypeVar("Result", bound=Outcome)


def join(runs: Iterable[Result]) -> Result:
    """One run, or outcome, out of those of successive blocks of the same tasks.

    These are let go of, column by column, so that no two copies of all are in memory at once.
    """
    parts: list[dict[str, Any]] = []
    losses: list[Losses] = []
    tasks = 0
    for run in runs:
        part = {spec.name: getattr(run, spec.name) for spec in fields(run)}
        kind, scenario, seed = type(run), part.pop("scenario"), part.pop("seed")
        losses.append(part.pop("losses"))
        for name in _TABLES.keys() & part.keys():
            part[name] = {spec.name: getattr(part[name], spec.name) for spec in fields(part[name])}
            if tasks and "task" in part[name]:
                part[name]["task"] = part[name]["task"] + tasks
        parts.append(part)
        tasks += len(run)
        del run
    tables: dict[str, Any] = {
        name: table(**_stack([part.pop(name) for part in parts]))
        for name, table in _TABLES.items()
        if name in parts[0]
    }
    together = reduce(operator.add, losses)
    return kind(scenario=scenario, seed=seed, losses=together, **_stack(parts), **tables)


_TABLES: dict[str, type] = {"usage": Usage, "facts": FactTable, "edits": EditTable}


def _stack(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """The columns of all parts, which are left empty."""
    if len(parts) == 1:
        return parts[0]
    return {name: np.concatenate([part.pop(name) for part in parts]) for name in list(parts[0])}
