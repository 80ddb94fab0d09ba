"""Reading one table of a mission file: each value of the right kind, or one sentence."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sim import shown

SLUG = re.compile(r"[a-z]+(-[a-z]+)*")
MOST_LISTED = 30
END_OF_SENTENCE = re.compile(r"(?<=[.!?])\s+")


class MissionError(ValueError):
    """A mission that cannot be read or judged: where, which rule, and the remedy, in one
    sentence."""


@dataclass(frozen=True, slots=True)
class Reader:
    """A table of a file; ``path`` is its place in it, with a dot at the end, or nothing."""

    file: str
    path: str
    raw: dict[str, Any]

    def refused(self, sentence: str) -> MissionError:
        """The error of a sentence that says everything but where."""
        return MissionError(f"{self.file}: {self.path}{sentence}")

    def wrong(self, key: str, rule: str, remedy: str) -> MissionError:
        """The error of a value against a rule."""
        return self.refused(f"{key} is {shown(self.raw[key])} but {rule}: {remedy}.")

    def knows(self, *keys: str) -> None:
        """Refuse a key that is none of these."""
        for key in self.raw:
            if key not in keys:
                close = difflib.get_close_matches(key, keys, n=1)
                remedy = f"did you mean {close[0]}?" if close else f"use {_few(keys)}."
                where = self.path.rstrip(".") or "a mission"
                raise MissionError(f"{self.file}: {shown(key)} is not a key of {where}: {remedy}")

    def value(self, key: str) -> Any:
        """What the key holds. A missing key is refused."""
        if key not in self.raw:
            raise self.refused(f"{key} is missing but every mission needs it: add it.")
        return self.raw[key]

    def line(self, key: str, *, words: int | None = None, sentences: int | None = None) -> str:
        """A line of text, of at most so many words or of exactly so many sentences."""
        value = self.value(key)
        if not isinstance(value, str) or not value.strip() or not value.isprintable():
            raise self.wrong(key, "must be one line of text", "write it in quotes")
        count = len(value.split())
        if words is not None and count > words:
            raise self.wrong(key, f"must have at most {words} words", f"cut {count - words}")
        count = len(END_OF_SENTENCE.split(value.strip()))
        if sentences is not None and (count != sentences or value.strip()[-1] not in ".!?"):
            raise self.wrong(
                key, f"must be exactly {sentences} sentences", "end each with a full stop"
            )
        return value

    def slug(self, key: str) -> str:
        """A name of small letters and hyphens."""
        value = self.value(key)
        if not isinstance(value, str) or not SLUG.fullmatch(value):
            raise self.wrong(key, "must be small letters and hyphens", "for example lost-brief")
        return value

    def choice(self, key: str, options: tuple[str, ...]) -> str:
        """One of some words."""
        value = self.value(key)
        if value not in options:
            close = difflib.get_close_matches(str(value), options, n=1)
            remedy = f"did you mean {close[0]}?" if close else "take one of these."
            rule = f"must be one of {', '.join(options)}"
            raise self.refused(f"{key} is {shown(value)} but {rule}: {remedy}")
        return str(value)

    def number(self, key: str, low: float, high: float) -> float:
        """A number within bounds, both included."""
        value = self.value(key)
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not low <= value <= high
        ):
            rule = f"must be a number from {low:,} to {high:,}"
            raise self.wrong(key, rule, "write it in the tile's unit, 75 for 75 %")
        return value

    def items(self, key: str, least: int, most: int | None = None) -> list[Any]:
        """A list of at least, or exactly, so many entries."""
        value = self.value(key)
        if not isinstance(value, list) or len(value) < least or len(value) > (most or len(value)):
            rule = "exactly" if most else "at least"
            raise self.wrong(key, f"must be a list of {rule} {least}", "write [first, second]")
        return value

    def table(self, key: str) -> Reader:
        """A table inside this one."""
        value = self.value(key)
        if not isinstance(value, dict):
            raise self.wrong(key, "must be a table", f"begin it with [{key}]")
        return Reader(self.file, f"{self.path}{key}.", value)

    def tables(self, key: str, least: int) -> list[Reader]:
        """A list of at least so many tables."""
        value = self.value(key)
        is_tables = isinstance(value, list) and all(isinstance(entry, dict) for entry in value)
        if not is_tables or len(value) < least:
            raise self.wrong(key, f"must be at least {least} tables", f"begin each with [[{key}]]")
        return [
            Reader(self.file, f"{self.path}{key}[{i}].", entry) for i, entry in enumerate(value, 1)
        ]


def _few(keys: Collection[str]) -> str:
    """The keys that may be used, or where all settings are listed."""
    if len(keys) <= MOST_LISTED:
        return ", ".join(keys)
    return "one of those that python -m sim fields lists"
