"""The state-tracking language: 26 variables, 16 colours, three statements and one question.

    SET x = red
    UNSET x
    RULE IF x = red THEN y = blue
    QUERY y

One statement a line; the question is the last line. ``str`` of anything here is its source text.
The seed gives the number of colours and not their names: these are the sixteen of CSS 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from string import ascii_lowercase

VARIABLES = tuple(ascii_lowercase)
VALUES = (
    "aqua", "black", "blue", "fuchsia", "gray", "green", "lime", "maroon",
    "navy", "olive", "purple", "red", "silver", "teal", "white", "yellow",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Set:
    """Give a variable a value."""

    variable: str
    value: str

    def __str__(self) -> str:
        return f"SET {self.variable} = {self.value}"


@dataclass(frozen=True, slots=True)
class Unset:
    """Take back the value that a variable was given."""

    variable: str

    def __str__(self) -> str:
        return f"UNSET {self.variable}"


@dataclass(frozen=True, slots=True)
class Rule:
    """From here on: while ``variable`` has ``value``, ``target`` has ``result``."""

    variable: str
    value: str
    target: str
    result: str

    def __str__(self) -> str:
        return f"RULE IF {self.variable} = {self.value} THEN {self.target} = {self.result}"


Statement = Set | Unset | Rule


@dataclass(frozen=True, slots=True)
class Program:
    """Statements in order, and the variable whose value is asked for after the last of them."""

    statements: tuple[Statement, ...]
    query: str

    def __str__(self) -> str:
        lines = [*map(str, self.statements), f"QUERY {self.query}"]
        return "".join(f"{line}\n" for line in lines)
