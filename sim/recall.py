"""Where every fact is, why a lost one went, and whether an answer has all that it needs."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from sim.context import LOST, Context

CAUSES = ("truncated", "cleared", "summarised", "overflow", "masked", "offloaded", "capped")
ALIVE = np.int8(-1)
TRUNCATED, CLEARED, SUMMARISED, OVERFLOW, MASKED, OFFLOADED, CAPPED = (
    np.int8(code) for code in range(7)
)
COMPACTED = (TRUNCATED, SUMMARISED, OVERFLOW)
"""What an archive keeps."""

STATES = ("unrevealed", "verbatim", "restated", "summary", "notes", "disk", "archive", "lost")
"""A fact is in exactly one of these; all but the first and last are carriers."""
UNREVEALED, VERBATIM, RESTATED, IN_SUMMARY, IN_NOTES, ON_DISK, IN_ARCHIVE, GONE = (
    np.int8(code) for code in range(len(STATES))
)


class FactLedger:
    """What has happened to each fact so far. A fact dies once, of one cause."""

    def __init__(self, facts: int) -> None:
        self.cause = np.full(facts, ALIVE, dtype=np.int8)
        self.lost_at = np.full(facts, -1, dtype=np.int64)
        self.fold = np.zeros(facts, dtype=np.int64)
        self.hazard = np.zeros(facts, dtype=np.float64)
        self.restated_at = np.full(facts, -1, dtype=np.int64)
        self.summarised_at = np.full(facts, -1, dtype=np.int64)
        self.missed = np.zeros(facts, dtype=bool)
        """A file holds it, but the answer needs it and it was not read back."""
        self.folds: list[tuple[np.ndarray, np.ndarray]] = []
        """Of the summaries of each round: which of its task's it was (1, 2, …), and how many facts
        it had to hold."""
        self.read_order = np.full(facts, -1, dtype=np.int64)
        """Of those that were, how many of its task were read before it."""

    def living(self, facts: np.ndarray) -> np.ndarray:
        """bool: which of these facts are still alive."""
        alive: np.ndarray = self.cause[facts] == ALIVE
        return alive

    def kill(self, facts: np.ndarray, cause: np.int8, step: np.ndarray) -> None:
        """These living facts die at these steps."""
        self.cause[facts] = cause
        self.lost_at[facts] = step


@dataclass(frozen=True, kw_only=True, slots=True)
class FactTable:
    """Every fact of a run: arrays (F,), read-only, in the order of tasks and steps."""

    task: np.ndarray
    """int64: its task."""
    step: np.ndarray
    """int64: step that reveals it, from 0."""
    needed: np.ndarray
    """bool: the final answer needs it."""
    restated: np.ndarray
    """bool: the assistant said it again."""
    noted: np.ndarray
    """bool: it goes to the notes once it is revealed, which a failed task may not come to."""
    state: np.ndarray
    """int8: index into STATES, at the end of the task."""
    cause: np.ndarray
    """int8: index into CAUSES of what took it out of the messages and the summary, or -1."""
    lost_at: np.ndarray
    """int64: step at which that happened, or -1."""
    fold: np.ndarray
    """int64: which of its task's summaries lost it (1, 2, …), or 0."""
    restated_at: np.ndarray
    """int64: step at which its tool result was cleared or cut while restated, or -1."""
    summarised_at: np.ndarray
    """int64: step at which it first entered a summary, or -1."""
    read_order: np.ndarray
    """int64: how many of its task's facts were read back from files before it was, or -1."""

    def __post_init__(self) -> None:
        for spec in fields(self):
            getattr(self, spec.name).flags.writeable = False

    def __len__(self) -> int:
        return len(self.task)

    def state_names(self) -> list[str]:
        """The state of each fact, in words."""
        return [STATES[code] for code in self.state]

    def cause_names(self) -> list[str | None]:
        """The cause of each death, in words; None for a fact that is alive."""
        return [None if code == ALIVE else CAUSES[code] for code in self.cause]


def bar_unseen(context: Context, ledger: FactLedger) -> None:
    """Facts that are cut off or go to a file as they arrive never reach the context."""
    for is_barred, cause in ((context.capped, CAPPED), (context.offloaded, OFFLOADED)):
        facts = np.flatnonzero(is_barred)
        ledger.kill(facts, cause, context.tasks.fact_step[facts])


def only_in_files(context: Context, ledger: FactLedger) -> np.ndarray:
    """bool (F,): the fact is on disk or in the archive and nowhere else."""
    in_file = context.offloaded
    if context.scenario.disk.archive:
        in_file = in_file | (np.isin(ledger.cause, COMPACTED) & ~context.noted)
    return in_file


def fact_table(context: Context, ledger: FactLedger) -> FactTable:
    """Where every fact is at the end."""
    tasks = context.tasks
    unrevealed = tasks.fact_position() >= context.done[tasks.fact_task]
    if context.scenario.disk.offloading or context.scenario.agent.tool_cap:
        ledger.cause[unrevealed], ledger.lost_at[unrevealed] = ALIVE, -1
    dead = ledger.cause != ALIVE
    state = np.full(len(dead), VERBATIM, dtype=np.int8)
    state[ledger.restated_at >= 0] = RESTATED
    state[ledger.summarised_at >= 0] = IN_SUMMARY
    state[dead] = GONE
    if context.scenario.disk.archive or context.scenario.disk.offloading:
        in_file = only_in_files(context, ledger) & ~ledger.missed
        state[in_file] = np.where(context.offloaded[in_file], ON_DISK, IN_ARCHIVE)
    state[dead & context.noted] = IN_NOTES
    state[unrevealed] = UNREVEALED
    return FactTable(
        task=tasks.fact_task,
        step=tasks.fact_step,
        needed=tasks.needed,
        restated=tasks.restated & ~context.unseen,
        noted=context.noted,
        state=state,
        cause=ledger.cause,
        lost_at=ledger.lost_at,
        fold=ledger.fold,
        restated_at=ledger.restated_at,
        summarised_at=ledger.summarised_at,
        read_order=ledger.read_order,
    )


def needed_and_lost(facts: FactTable, tasks: int) -> tuple[np.ndarray, np.ndarray]:
    """Needed facts of each task, and how many of them are lost: int64 (n,) each."""
    needed = np.bincount(facts.task[facts.needed], minlength=tasks)
    gone = facts.needed & (facts.state == GONE)
    lost = np.bincount(facts.task[gone], minlength=tasks)
    return needed.astype(np.int64), lost.astype(np.int64)


def needed_of_summary(facts: FactTable, tasks: int) -> tuple[np.ndarray, np.ndarray]:
    """Needed facts of each task that only its summary holds, and those that a summary lost:
    int64 (n,) each."""
    held = facts.needed & ~facts.noted & (facts.state == IN_SUMMARY)
    lost = facts.needed & (facts.state == GONE) & (facts.cause == SUMMARISED)
    counts = [np.bincount(facts.task[mask], minlength=tasks) for mask in (held, lost)]
    return counts[0].astype(np.int64), counts[1].astype(np.int64)


def complete(context: Context, needed_lost: np.ndarray) -> np.ndarray:
    """bool (n,): whether each task ended with all that a right answer takes."""
    ok: np.ndarray = ~context.failed & (needed_lost == 0)
    if context.scenario.policy.instruction_required:
        ok &= context.instruction != LOST
    return ok
