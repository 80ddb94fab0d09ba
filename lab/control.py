"""One control of the page: what it sets, what it is called, how it is moved."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Control:
    """A control by the name of its setting."""

    name: str
    label: str
    kind: str
    """``slider``, ``switch``, ``choice`` or ``number``."""
    group: str
    """The group, or the pack, that it stands in."""
    help: str
    unit: str = ""
    low: float = 0
    high: float = 0
    step: float = 1
