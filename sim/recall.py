"""Where every fact is, why a lost one went, and whether an answer has all that it needs."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from sim.context import LOST, Context

CAUSES = ("truncated", "cleared", "summarised", "overflow")
ALIVE = np.int8(-1)
TRUNCATED, CLEARED, SUMMARISED, OVERFLOW = (np.int8(code) for code in range(4))

STATES = ("unrevealed", "verbatim", "restated", "summary", "notes", "lost")
"""A fact is in exactly one of these; all but the first and last are carriers."""


class FactLedger:
    """What has happened to each fact so far. A fact dies once, of one cause."""

    def __init__(self, facts: int) -> None:
        self.cause = np.full(facts, ALIVE, dtype=np.int8)
        self.lost_at = np.full(facts, -1, dtype=np.int64)
        self.fold = np.zeros(facts, dtype=np.int64)
        self.hazard = np.zeros(facts, dtype=np.float64)
        self.restated_at = np.full(facts, -1, dtype=np.int64)
        self.summarised_at = np.full(facts, -1, dtype=np.int64)

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


def fact_table(context: Context, ledger: FactLedger) -> FactTable:
    """Where every fact is at the end."""
    tasks = context.tasks
    position = tasks.first_step[tasks.fact_task] + tasks.fact_step
    dead = ledger.cause != ALIVE
    state = np.select(
        [
            position >= context.done[tasks.fact_task],
            dead & context.noted,
            dead,
            ledger.summarised_at >= 0,
            ledger.restated_at >= 0,
        ],
        [STATES.index(name) for name in ("unrevealed", "notes", "lost", "summary", "restated")],
        default=STATES.index("verbatim"),
    )
    return FactTable(
        task=tasks.fact_task,
        step=tasks.fact_step,
        needed=tasks.needed,
        restated=tasks.restated,
        noted=context.noted,
        state=state.astype(np.int8),
        cause=ledger.cause,
        lost_at=ledger.lost_at,
        fold=ledger.fold,
        restated_at=ledger.restated_at,
        summarised_at=ledger.summarised_at,
    )


def needed_and_lost(facts: FactTable, tasks: int) -> tuple[np.ndarray, np.ndarray]:
    """Needed facts of each task, and how many of them are lost: int64 (n,) each."""
    needed = np.bincount(facts.task[facts.needed], minlength=tasks)
    gone = facts.needed & (facts.state == STATES.index("lost"))
    lost = np.bincount(facts.task[gone], minlength=tasks)
    return needed.astype(np.int64), lost.astype(np.int64)


def needed_of_summary(facts: FactTable, tasks: int) -> tuple[np.ndarray, np.ndarray]:
    """Needed facts of each task that only its summary holds, and those that a summary lost:
    int64 (n,) each."""
    held = facts.needed & ~facts.noted & (facts.state == STATES.index("summary"))
    lost = facts.needed & (facts.state == STATES.index("lost")) & (facts.cause == SUMMARISED)
    counts = [np.bincount(facts.task[mask], minlength=tasks) for mask in (held, lost)]
    return counts[0].astype(np.int64), counts[1].astype(np.int64)


def complete(context: Context, needed_lost: np.ndarray) -> np.ndarray:
    """bool (n,): whether each task ended with all that a right answer takes."""
    ok: np.ndarray = ~context.failed & (needed_lost == 0)
    if context.scenario.policy.instruction_required:
        ok &= context.instruction != LOST
    return ok
