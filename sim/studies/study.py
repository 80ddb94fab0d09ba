"""What a study says: our figures beside the published ones, and what follows from them.

A study is a module of this package with a ``TITLE`` and ``study(seed=1) -> Study``, whose name is
in ``catalogue.STUDIES``. Its published figures stand in a TOML file beside it, with their source.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from sim.stats import Estimate

_DECIMALS = {
    "%": 1, "points": 1, "tokens": 0, "bytes": 0, "GB": 2, "GiB": 2, "s": 2, "requests": 1,
    "sessions": 1, "models": 0, "statements": 0, "steps": 0,
}  # fmt: skip
UNITS = {"": ("", 3), "$": ("", 3), "×": ("×", 2)} | {
    unit: (f"\N{NO-BREAK SPACE}{unit}", digits) for unit, digits in _DECIMALS.items()
}
"""Unit -> how it is written after a number, and the number's decimals. ``%`` is of a share."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One figure: ours with its 95 % interval, and the published one with its interval or range.

    All in the same ``unit``, a key of ``UNITS``; shares (``%``) are from 0 to 1. What is None is
    not known: ``ours`` where the model does not give it, ``published`` where nobody measured it,
    or where a range is all there is.
    """

    label: str
    ours: float | None = None
    low: float | None = None
    high: float | None = None
    published: float | None = None
    published_low: float | None = None
    published_high: float | None = None
    unit: str = ""
    verified: bool = True
    """Whether the published figure could be traced to its source."""
    note: str = ""

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise ValueError(
                f"unit of {self.label!r} is {self.unit!r} but must be one of "
                f"{', '.join(filter(None, UNITS))}, or nothing: add a new one to UNITS."
            )

    @property
    def is_published(self) -> bool:
        """Whether there is anything to compare with."""
        figures = (self.published, self.published_low, self.published_high)
        return any(figure is not None for figure in figures)

    @property
    def difference(self) -> float | None:
        """Ours minus the published value; to the nearer end of a range where only that is known,
        and 0 inside it. None where one of the two is missing."""
        if self.ours is None or not self.is_published:
            return None
        if self.published is not None:
            return self.ours - self.published
        low, high = _ends(None, self.published_low, self.published_high)
        return self.ours - min(max(self.ours, low), high)

    @property
    def within(self) -> bool | None:
        """Whether the two intervals meet; a value without an interval is one of no width.
        None where one of the two is missing."""
        if self.ours is None or not self.is_published:
            return None
        low, high = _ends(self.ours, self.low, self.high)
        other_low, other_high = _ends(self.published, self.published_low, self.published_high)
        return low <= other_high and other_low <= high


def _ends(value: float | None, low: float | None, high: float | None) -> tuple[float, float]:
    """Both ends of an interval, of which any may be the value itself or open."""
    least = low if low is not None else value
    most = high if high is not None else value
    return (
        -float("inf") if least is None else least,
        float("inf") if most is None else most,
    )


def estimated(label: str, estimate: Estimate, **more: Any) -> Row:
    """A row of an estimate with its interval."""
    return Row(label=label, ours=estimate.value, low=estimate.low, high=estimate.high, **more)


def said(figure: Mapping[str, float]) -> dict[str, Any]:
    """A published figure as our TOML files write it, ``{value, low, high}``, for a row."""
    names = {"value": "published", "low": "published_low", "high": "published_high"}
    return {names[name]: value for name, value in figure.items()}


def rises(change: Estimate) -> bool:
    """Whether a difference is above zero beyond noise."""
    return change.low is not None and change.low > 0


def falls(change: Estimate) -> bool:
    """Whether a difference is below zero beyond noise."""
    return change.high is not None and change.high < 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """Rows of one measure, or of one thing."""

    title: str
    rows: tuple[Row, ...]
    chart: bool = False
    """Whether the page draws it; then all rows have one unit."""
    note: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """A sentence that follows from the figures, and whether it still does."""

    text: str
    holds: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Study:
    """A question, what we calculate and what was published, and what cannot be known."""

    name: str
    title: str
    question: str
    method: str
    tables: tuple[Table, ...]
    findings: tuple[Finding, ...]
    sources: tuple[str, ...]
    misses: tuple[str, ...] = ()
    """What the model leaves out or gets wrong here, and why."""
    cannot_verify: tuple[str, ...] = ()
    """Published figures that could not be traced."""
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Words of a link -> the settings it loads into the lab."""

    @property
    def broken(self) -> tuple[str, ...]:
        """The findings that do not hold."""
        return tuple(finding.text for finding in self.findings if not finding.holds)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values, each row with its ``difference`` and ``within``."""
        plain = asdict(self)
        for table, shown in zip(self.tables, plain["tables"], strict=True):
            for row, values in zip(table.rows, shown["rows"], strict=True):
                values |= {"difference": row.difference, "within": row.within}
        return plain


def written(value: float, unit: str, digits: int | None = None) -> str:
    """A figure as people read it: ``65.54 GB``, ``$0.660``, ``95.0 %``; with so many decimals, or
    those of its unit."""
    suffix, usual = UNITS[unit]
    digits = usual if digits is None else digits
    text = f"{abs(100 * value if unit == '%' else value):,.{digits}f}"
    is_zero = not text.strip("0.,")
    sign = "−" if value < 0 and not is_zero else ""
    return f"{sign}{'$' if unit == '$' else ''}{text}{suffix}"


def percent(share: float) -> str:
    """A share in whole percents, as a sentence has it."""
    return written(share, "%", 0)


def written_difference(row: Row) -> str:
    """The difference of a row with its sign, that of shares in points; empty if there is none."""
    if row.difference is None:
        return ""
    value, unit = row.difference, row.unit
    text = written(100 * value, "points") if unit == "%" else written(value, unit)
    return text if text.startswith("−") or value <= 0 else f"+{text}"


@cache
def published(name: str) -> Mapping[str, Any]:
    """The published figures of a study: its TOML file."""
    path = files("sim.studies").joinpath(f"{name}.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))
