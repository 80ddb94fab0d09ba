"""Three controlled losses over a state table: nothing, entries dropped, entries made wrong.

They are channels, not models of a summariser: forgetting and misremembering, each alone, and in
any order one after the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import EllipsisType

import numpy as np

from sim import streams
from sim.setting import ScenarioError, plain, shown
from sim.streams import UniformRows
from sim.studies.state_tracking.language import VALUES, VARIABLES
from sim.studies.state_tracking.tables import UNSET_VALUE

LOSSES = ("drop", "substitute")


@dataclass(frozen=True, slots=True)
class Loss:
    """One pass over the table: each entry is hit by itself with chance ``rate``."""

    kind: str
    """``drop`` or ``substitute``."""
    rate: float

    def __post_init__(self) -> None:
        rate = plain(self.rate)
        if self.kind not in LOSSES:
            raise ScenarioError(
                f"loss is {shown(self.kind)} but must be one of {', '.join(LOSSES)}: "
                "for example drop."
            )
        number = isinstance(rate, int | float) and not isinstance(rate, bool)
        if not number or not 0 <= rate <= 1:
            raise ScenarioError(
                f"rate is {shown(rate)} but must be a number from 0 to 1: for example 0.2."
            )


@dataclass(frozen=True, slots=True)
class Compressor:
    """Losses one after the other; none of them is the oracle, which keeps the table as it is."""

    losses: tuple[Loss, ...] = ()

    def then(self, other: Compressor) -> Compressor:
        """This one, and the other over what it leaves."""
        return Compressor(self.losses + other.losses)

    @property
    def accuracy(self) -> float:
        """Chance that the entry of a set variable comes out right."""
        right, wrong = 1.0, 0.0
        for loss in self.losses:
            if loss.kind == "drop":
                right, wrong = right * (1 - loss.rate), wrong * (1 - loss.rate)
            else:  # a wrong value may be replaced by the right one, of all others
                back = wrong * loss.rate / (len(VALUES) - 1)
                right, wrong = right * (1 - loss.rate) + back, wrong - back + right * loss.rate
        return right

    def __str__(self) -> str:
        return " + ".join(f"{loss.kind} {loss.rate:g}" for loss in self.losses) or "oracle"


ORACLE = Compressor()


def drop(rate: float) -> Compressor:
    """Each entry is left out with this chance. Raises ScenarioError for a bad rate."""
    return Compressor((Loss("drop", rate),))


def substitute(rate: float) -> Compressor:
    """Each entry takes one of the 15 other values with this chance.

    Raises ScenarioError for a bad rate.
    """
    return Compressor((Loss("substitute", rate),))


class Channel:
    """A compressor at work on the programs of a seed, in their order, some at a time.

    A draw belongs to (seed, place of the loss in the chain, program, variable): a larger rate hits
    all that a smaller one hits.
    """

    def __init__(self, compressor: Compressor, seed: int) -> None:
        self._losses = compressor.losses
        width = len(VARIABLES)
        self._hit, self._other = [], []
        for stage, loss in enumerate(self._losses):
            number = streams.ENTRY_DROPPED if loss.kind == "drop" else streams.ENTRY_SUBSTITUTED
            self._hit.append(UniformRows(seed, number, width, stage))
            self._other.append(UniformRows(seed, streams.ENTRY_SUBSTITUTE, width, stage))

    def next_tables(self, tables: np.ndarray) -> np.ndarray:
        """The next programs' tables after the losses: int8 (n, 26), as the ones given."""
        return self._lossy(tables, ...)

    def next_entries(self, values: np.ndarray, variables: np.ndarray) -> np.ndarray:
        """The same for one entry a program: ``values`` (n,) of the ``variables`` (n,)."""
        return self._lossy(values, (np.arange(len(values)), variables))

    def _lossy(
        self, values: np.ndarray, entries: EllipsisType | tuple[np.ndarray, np.ndarray]
    ) -> np.ndarray:
        n = len(values)
        for loss, hits, others in zip(self._losses, self._hit, self._other, strict=True):
            is_hit = (hits.next_rows(n)[entries] < loss.rate) & (values != UNSET_VALUE)
            if loss.kind == "drop":
                values = np.where(is_hit, np.int8(UNSET_VALUE), values)
            else:
                others_drawn = others.next_rows(n)[entries] * (len(VALUES) - 1)
                other = others_drawn.astype(np.int8)
                other += other >= values
                values = np.where(is_hit, other, values)
        return values
