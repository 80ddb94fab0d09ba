"""The only loop. It runs from firing to firing, not from step to step.

Between two firings a context only grows, so the next one is a search in a prefix sum and its bill
a subtraction. A round of the loop takes every running task to its own next firing; there are as
many rounds as the busiest task has firings, most of them with few tasks left. Masks, of which a
task has many, do not fire: see ``walk``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from sim import policy, recall, rereads
from sim.advance import to_next_firing
from sim.billing import Bill
from sim.context import Context
from sim.gather import join, run_of_block
from sim.log import EditLog
from sim.outcome import Outcome
from sim.recall import FactLedger
from sim.run import Run
from sim.scenario import Scenario
from sim.setting import ScenarioError
from sim.workload import Tasks, draw_blocks, is_drawn_from


def simulate(
    scenario: Scenario | Mapping[str, Any],
    *,
    seed: int = 1,
    tasks: int | Tasks | list[Tasks] = 400,
    on_round: Callable[[], None] | None = None,
) -> Run:
    """Run a scenario on the tasks of a seed; the same arguments always give the same run.

    ``scenario`` may be a mapping of flat settings. ``tasks`` is a number, or tasks already drawn
    from this seed, so that many policies can share them; in successive blocks they take less
    memory. ``on_round`` is called after every round of the loop: a sign of life in a calculation
    that takes seconds.
    Raises ScenarioError for settings, a seed or a number of tasks that cannot be simulated.
    """
    return join(_runs(scenario, seed, tasks, on_round))


def simulate_outcome(
    scenario: Scenario | Mapping[str, Any],
    *,
    seed: int = 1,
    tasks: int | Tasks | list[Tasks] = 400,
    on_round: Callable[[], None] | None = None,
) -> Outcome:
    """The same without facts and edits, in the memory that a block of tasks takes and the result.

    Arguments and errors are those of ``simulate``.
    """
    return join(map(Run.outcome, _runs(scenario, seed, tasks, on_round)))


def _runs(
    scenario: Scenario | Mapping[str, Any],
    seed: int,
    tasks: int | Tasks | list[Tasks],
    on_round: Callable[[], None] | None,
) -> Iterator[Run]:
    """Block by block. The settings are checked before the first one."""
    if not isinstance(scenario, Scenario):
        scenario = Scenario.from_dict(scenario)
    if isinstance(tasks, Tasks):
        tasks = [tasks]
    blocks: Iterable[Tasks]
    if isinstance(tasks, list):
        for block in tasks:
            _check_drawn(block, scenario, seed)
        blocks = tasks
    else:
        blocks = draw_blocks(scenario.workload, scenario.events, seed=seed, tasks=tasks)
    for block in blocks:
        yield run_block(block, scenario, on_round)


def _check_drawn(tasks: Tasks, scenario: Scenario, seed: int) -> None:
    if tasks.seed != seed or not is_drawn_from(tasks, scenario.workload, scenario.events):
        raise ScenarioError(
            f"tasks are those of seed {tasks.seed} and their own workload, but the run asks "
            f"for seed {seed} and this scenario: draw the tasks anew."
        )


def run_block(tasks: Tasks, scenario: Scenario, on_round: Callable[[], None] | None = None) -> Run:
    """Run a scenario on tasks already drawn."""
    context = Context(tasks, scenario)
    ledger = FactLedger(len(tasks.fact_task))
    recall.bar_unseen(context, ledger)
    bill = Bill(context)
    log = EditLog()
    watch = policy.Watch(context)

    running = np.arange(len(tasks), dtype=np.intp)  # an index, of the platform's own size
    while len(running):
        firing = to_next_firing(context, ledger, bill, log, watch, running)
        if len(firing):
            policy.act(context, ledger, bill, log, watch, firing)
        has_more = context.done[running] < context.end[running]
        running = running[~context.failed[running] & has_more]
        if on_round:
            on_round()
    if scenario.disk.offloading or scenario.disk.archive:
        rereads.from_files(context, ledger, bill, log)
    bill.read_once(context, np.flatnonzero(~context.failed))
    return run_of_block(context, ledger, bill, log)
