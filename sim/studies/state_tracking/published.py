"""What the seed published, as data: see ``published.toml`` for the figures and their source."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, kw_only=True, slots=True)
class MixedRow:
    """Right answers at one length of the mixed grammar."""

    statements: int
    tokens: int
    right: int
    trials: int
    half_width: float | None = None
    """Of the 95 % interval of the accuracy, as published; None where there is none."""

    @property
    def accuracy(self) -> float:
        """Share of right answers."""
        return self.right / self.trials


@dataclass(frozen=True, kw_only=True, slots=True)
class CrossoverRow:
    """N* of one compressor, one for each target rate."""

    loss: str
    rate: float
    accuracy: float
    """Of the compressor, as read in five trials."""
    statements: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Published:
    """All of it."""

    source: str
    model: str
    mixed: tuple[MixedRow, ...]
    bands: tuple[dict[str, float], ...]
    """SET-only accuracy from ``low`` to ``high`` between the lengths ``from`` and ``to``."""
    trials: int
    """Trials a cell of the SET-only sweep: a length, a target rate and a position."""
    positions: int
    """Positions of the sweep; inferred, see ``published.toml``."""
    target_rates: tuple[float, ...]
    crossovers: tuple[CrossoverRow, ...]
    claim: dict[str, Any]
    """What the text says of one of the rows: its ``loss`` and ``rate``, N* ``from`` and ``to``."""

    @property
    def grid(self) -> tuple[int, ...]:
        """The lengths that occur as N*, ascending: all that is known of the lengths tried."""
        return tuple(sorted({n for row in self.crossovers for n in row.statements}))

    @property
    def pooled(self) -> dict[int, float]:
        """SET-only accuracy over all target rates and positions at the lengths that are named.

        Accuracy falls, so the high end of a band belongs to its shorter length. The lengths of
        the last band have no end: its low end has no length.
        """
        ends: dict[int, float] = {}
        for band in self.bands:
            ends[int(band["from"])] = band["high"]
            if "to" in band:
                ends[int(band["to"])] = band["low"]
        return ends


@cache
def published() -> Published:
    """The published figures."""
    text = files(__package__).joinpath("published.toml").read_text(encoding="utf-8")
    raw = tomllib.loads(text)
    trials = raw["mixed"]["trials"]
    return Published(
        source=raw["source"],
        model=raw["model"],
        mixed=tuple(MixedRow(trials=trials, **row) for row in raw["mixed"]["rows"]),
        bands=tuple(raw["set_only"]["bands"]),
        trials=raw["set_only"]["trials"],
        positions=raw["set_only"]["positions"],
        target_rates=tuple(raw["crossover"]["target_rates"]),
        claim=raw["crossover"]["claim"],
        crossovers=tuple(
            CrossoverRow(**{**row, "statements": tuple(row["statements"])})
            for row in raw["crossover"]["rows"]
        ),
    )
