"""The words and the controls of ``text.toml``, and how numbers are written."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from lab.control import Control
from lab.packs import packs


@cache
def text() -> dict[str, Any]:
    """Everything in ``text.toml``."""
    return tomllib.loads(files("lab").joinpath("text.toml").read_text(encoding="utf-8"))


@cache
def controls() -> dict[str, Control]:
    """Every control by the name of its setting, in the order of the page, those of packs last."""
    own = {
        name: Control(name=name, group=group["id"], **spec)
        for group in text()["groups"]
        for name, spec in group["controls"].items()
    }
    return own | {name: control for pack in packs() for name, control in pack.controls.items()}


def in_labels(sentence: str) -> str:
    """An error of the simulator in the words of the page: its fields under their labels.

    A name that is also a plain word counts only where the sentence begins; none counts in what the
    sentence quotes.
    """
    labels = {"seed": "Seed", "task": "Task number"}
    labels |= {name: control.label for name, control in controls().items()}
    name = "|".join(sorted(labels, key=len, reverse=True))
    coined = "|".join(name for name in labels if "_" in name)
    return re.sub(
        rf"'[^']*'|^(?:{name})(?= is )|\b(?:{coined})\b",
        lambda found: f"“{labels[found[0]]}”" if found[0] in labels else found[0],
        sentence,
    )


def number(value: float, digits: int = 0) -> str:
    """A number with thousands separators and a true minus sign."""
    shown = f"{abs(value):,.{digits}f}"
    is_zero = not shown.strip("0.,")
    return shown if value >= 0 or is_zero else f"−{shown}"


def dollars(value: float) -> str:
    """An amount to the cent."""
    sign = "−" if value < 0 and f"{value:.2f}" != "-0.00" else ""
    return f"{sign}${abs(value):,.2f}"


def percent(share: float, digits: int = 1) -> str:
    """A share as a percentage."""
    return f"{number(100 * share, digits)} %"


def thousands(tokens: float) -> str:
    """Tokens in thousands, as on an axis."""
    return f"{number(tokens / 1000, 1)}k"


_ORDINALS = ("", "first", "second", "third", "fourth", "fifth")


def ordinal(count: int) -> str:
    """1 as first, 2 as second, … 21 as 21st."""
    if count < len(_ORDINALS):
        return _ORDINALS[count]
    is_teen = count % 100 in (11, 12, 13)
    ending = "th" if is_teen else {1: "st", 2: "nd", 3: "rd"}.get(count % 10, "th")
    return f"{count}{ending}"


def words(option: str) -> str:
    """An option as people read it."""
    return option.replace("_", " ")


def setting(control: Control, value: Any) -> str:
    """The value of a control in words, with its unit."""
    if control.kind == "switch":
        return "on" if value else "off"
    if control.kind == "choice":
        return words(value)
    if control.unit == "%":
        return f"{100 * value:.4g} %"
    shown = f"{value:,}" if isinstance(value, int) else f"{value:,g}"
    return f"{shown} {control.unit}".rstrip()
