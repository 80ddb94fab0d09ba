"""One setting: its kind, default, bounds, unit and words, and what refuses a bad value."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from dataclasses import field
from typing import Any

import numpy as np

LIKENESS = 0.8
"""From here on a name is taken for a slip: of five letters, one may be another."""


class ScenarioError(ValueError):
    """A setting that cannot be simulated: field, value, rule and remedy in one sentence.

    The sentence begins with the name of the field.
    """


def number(default: float, low: float, high: float, unit: str, doc: str) -> Any:
    """A numeric field: whole if its default is, with inclusive bounds."""
    return field(default=default, metadata={"bounds": (low, high), "unit": unit, "doc": doc})


def choice(default: str, options: tuple[str, ...], doc: str) -> Any:
    return field(default=default, metadata={"options": options, "unit": "", "doc": doc})


def flag(default: bool, doc: str) -> Any:
    return field(default=default, metadata={"unit": "", "doc": doc})


def from_text(spec: Any, text: str) -> Any:
    kind = type(spec.default)
    word = text.strip()
    if kind is bool:
        words = {"true": True, "on": True, "yes": True, "1": True,
                 "false": False, "off": False, "no": False, "0": False}  # fmt: skip
        if word.lower() not in words:
            raise ScenarioError(
                f"{spec.name} is {shown(text)} but must be true or false: write true or false."
            )
        return words[word.lower()]
    if kind is str:
        return word
    try:
        return kind(word)
    except ValueError:
        raise _wrong_kind(spec, text) from None


def shown(value: Any) -> str:
    """A refused value as a sentence quotes it: short, whatever was typed."""
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else f"{value[:40]}…")
    try:
        text = repr(value)
    except ValueError:  # Python writes no number of more than 4,300 digits
        return "a number of thousands of digits"
    return text if len(text) <= 60 else f"{text[:40]}…"


def check_name(name: str, names: Collection[str], noun: str) -> None:
    """Raise ScenarioError unless the name is one of these, of things that are called ``noun``."""
    if name not in names:
        begun = [each for each in names if name and each.startswith(name)]
        close = difflib.get_close_matches(name, names, n=1, cutoff=LIKENESS) or begun
        remedy = f"did you mean {close[0]}?" if close else f"use one of {', '.join(names)}."
        raise ScenarioError(f"{shown(name)} is not a {noun}: {remedy}")


def plain(value: Any) -> Any:
    """A NumPy scalar as the Python value that it is; anything else unchanged."""
    return value.item() if isinstance(value, np.generic) else value


def as_kind(spec: Any, value: Any) -> Any:
    """Accept 64000.0 for a whole field and 3 for a real one; leave the rest to ``check``."""
    kind, value = type(spec.default), plain(value)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    is_number = is_number and abs(value) < 2**63  # what is beyond may be too large for a float
    if is_number and (kind is float or (kind is int and float(value).is_integer())):
        return kind(value)
    return value


def _wrong_kind(spec: Any, value: Any) -> ScenarioError:
    low, high = spec.metadata["bounds"]
    noun = "a whole number" if isinstance(spec.default, int) else "a number"
    return ScenarioError(
        f"{spec.name} is {shown(value)} but must be {noun} from {low:,} to {high:,}: "
        f"for example {spec.default:g}."
    )


def check(spec: Any, value: Any) -> None:
    """Raise ScenarioError unless the value is of the field's kind and within its bounds."""
    rule = spec.metadata
    if "options" in rule:
        if not isinstance(value, str) or value not in rule["options"]:
            options = ", ".join(rule["options"])
            close = difflib.get_close_matches(shown(value).strip("'"), rule["options"], n=1)
            remedy = f"did you mean {close[0]}?" if close else f"for example {spec.default}."
            raise ScenarioError(
                f"{spec.name} is {shown(value)} but must be one of {options}: {remedy}"
            )
    elif isinstance(spec.default, bool):
        if not isinstance(value, bool):
            raise ScenarioError(
                f"{spec.name} is {shown(value)} but must be true or false: write true or false."
            )
    else:
        kinds = int if isinstance(spec.default, int) else int | float
        if isinstance(value, bool) or not isinstance(value, kinds):
            raise _wrong_kind(spec, value)
        low, high = rule["bounds"]
        if not low <= value <= high:  # also refuses nan
            raise _wrong_kind(spec, value)
