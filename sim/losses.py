"""Why needed facts were lost, and how many facts summaries had to hold, over all tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sim.recall import CAUSES, GONE, FactLedger, FactTable


@dataclass(frozen=True, kw_only=True, slots=True)
class Losses:
    """Sums over the tasks of a run; those of two runs on other tasks can be added."""

    causes: dict[tuple[str, int], int]
    """Needed facts lost by cause and, for summaries, by which of its task's it was (else 0)."""
    folded: np.ndarray
    """int64 (K + 1,): tasks that had a first, second, … summary, under 1, 2, …"""
    held: np.ndarray
    """int64 (K + 1,): facts that these had to hold, with those that they were not shown."""

    def __post_init__(self) -> None:
        self.folded.flags.writeable = self.held.flags.writeable = False

    def __add__(self, other: Losses) -> Losses:
        return Losses(
            causes=_in_order(Counter(self.causes) + Counter(other.causes)),
            folded=_sum(self.folded, other.folded),
            held=_sum(self.held, other.held),
        )


def losses_of(facts: FactTable, ledger: FactLedger) -> Losses:
    """The losses of a run that has come to its end."""
    gone = facts.needed & (facts.state == GONE)
    counts = np.bincount(facts.fold[gone] * len(CAUSES) + facts.cause[gone])
    causes = {
        (CAUSES[code % len(CAUSES)], code // len(CAUSES)): int(counts[code])
        for code in np.flatnonzero(counts).tolist()
    }
    fold = np.concatenate([np.zeros(0, dtype=np.int64), *(fold for fold, _ in ledger.folds)])
    held = np.concatenate([np.zeros(0, dtype=np.int64), *(held for _, held in ledger.folds)])
    return Losses(
        causes=_in_order(causes),
        folded=np.bincount(fold, minlength=1).astype(np.int64),
        held=np.bincount(fold, weights=held, minlength=1).astype(np.int64),
    )


def _in_order(causes: Mapping[tuple[str, int], int]) -> dict[tuple[str, int], int]:
    order = sorted(causes, key=lambda cause: (CAUSES.index(cause[0]), cause[1]))
    return {cause: causes[cause] for cause in order}


def _sum(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    total = np.zeros(max(len(first), len(second)), dtype=np.int64)
    total[: len(first)] += first
    total[: len(second)] += second
    return total
