"""What the words of a claim mean: every phrase is a test of numbers, and of nothing else.

A claim is about one result, or about several in a row. Whether a result has moved is decided on
the paired difference of the tasks, so that a phrase such as "rises" is not said of noise.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from sim import Estimate

CLOSE = 0.05
"""What "about" allows in a share, and "hardly" in the size of a change."""
NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


class ClaimError(ValueError):
    """A phrase that means nothing here: the phrase and those that do, in one sentence."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Results:
    """One measure under one setting, or under several in the order of the claim."""

    values: tuple[float, ...]
    changes: tuple[Estimate, ...] = ()
    """The paired difference of each value to the one before it: one fewer than the values."""


def _up(change: Estimate) -> bool:
    return change.low is not None and change.low > 0


def _down(change: Estimate) -> bool:
    return change.high is not None and change.high < 0


def _rises_and_falls(results: Results) -> bool:
    """Up at least once, then down at least once, and every change is beyond noise."""
    rises = [_up(change) for change in results.changes]
    falls = [_down(change) for change in results.changes]
    top = rises.index(False) if False in rises else len(rises)
    return 0 < top < len(rises) and all(falls[top:])


_SHARES: dict[str, Callable[[float], bool]] = {
    "almost every": lambda share: share >= 0.9,
    "almost all": lambda share: share >= 0.9,
    "most": lambda share: share > 0.5,
    "about half": lambda share: abs(share - 0.5) <= CLOSE,
    "hardly any": lambda share: share <= CLOSE,
    "none": lambda share: share == 0,
}
_BOUNDS: dict[str, Callable[[float, float], bool]] = {
    "more than": lambda share, said: share > said,
    "fewer than": lambda share, said: share < said,
    "about": lambda share, said: abs(share - said) <= CLOSE,
}
_PAIRS: dict[str, Callable[[float, float, Estimate], bool]] = {
    "more than doubles": lambda a, b, change: b > 2 * a and _up(change),
    "more than twice": lambda a, b, change: b > 2 * a and _up(change),
    "more than halves": lambda a, b, change: b < a / 2 and _down(change),
    "less than half": lambda a, b, change: b < a / 2 and _down(change),
    "hardly changes": lambda a, b, change: abs(b - a) <= CLOSE * abs(a),
    "hardly more": lambda a, b, change: a <= b <= (1 + CLOSE) * a,
    **dict.fromkeys(("rises", "more", "higher", "better"), lambda a, b, change: _up(change)),
    **dict.fromkeys(("falls", "less", "lower", "worse"), lambda a, b, change: _down(change)),
}  # fmt: skip
_ROWS: dict[str, Callable[[Results], bool]] = {
    "rises and then falls": _rises_and_falls,
}
_PART = re.compile(rf"({'|'.join(_BOUNDS)}) ({'|'.join(NUMBERS)}) in ({'|'.join(NUMBERS[1:])})")


def phrases(count: int) -> list[str]:
    """The phrases that can be said of so many results."""
    if count == 1:
        return [*_SHARES, *(f"{bound} nine in ten" for bound in _BOUNDS)]
    return list(_PAIRS) if count == 2 else list(_ROWS)


def holds(words: str, results: Results) -> bool:
    """Whether a phrase is true of these results. Raises ClaimError for a phrase without meaning."""
    phrase = words.lower()
    values = results.values
    if len(values) == 1 and phrase in _SHARES:
        return _SHARES[phrase](values[0])
    if len(values) == 1 and (part := _PART.fullmatch(phrase)):
        said = NUMBERS.index(part[2]) / NUMBERS.index(part[3])
        return _BOUNDS[part[1]](values[0], said)
    if len(values) == 2 and phrase in _PAIRS:
        return _PAIRS[phrase](*values, results.changes[0])
    if len(values) > 2 and phrase in _ROWS:
        return _ROWS[phrase](results)
    what = {1: "one setting", 2: "two settings"}.get(len(values), "three settings or more")
    raise ClaimError(
        f"“{words}” means nothing for {what}: write one of {', '.join(phrases(len(values)))}."
    )
