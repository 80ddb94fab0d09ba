"""What the seed published, as data: see ``published.toml`` for the figures and their source."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


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
    """Trials a cell of the SET-only sweep."""
    target_rates: tuple[float, ...]
    crossovers: tuple[CrossoverRow, ...]

    @property
    def grid(self) -> tuple[int, ...]:
        """The lengths that occur as N*, ascending: all that is known of the lengths tried."""
        return tuple(sorted({n for row in self.crossovers for n in row.statements}))


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
        target_rates=tuple(raw["crossover"]["target_rates"]),
        crossovers=tuple(
            CrossoverRow(**{**row, "statements": tuple(row["statements"])})
            for row in raw["crossover"]["rows"]
        ),
    )
