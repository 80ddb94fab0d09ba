"""The entries of a data file of the simulator: one table each, with its source and evidence."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sim.setting import shown

EVIDENCE = ("read in source", "measured", "reported", "proposal")
"""How far an entry can be trusted: its source was opened; its numbers were counted in traces that
are public; somebody says so; this project proposes it."""


class EntryError(ValueError):
    """An entry that cannot be used: file, key, value, rule and remedy in one sentence."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One table of a data file."""

    file: str
    id: str
    raw: Mapping[str, Any]

    def refused(self, sentence: str) -> EntryError:
        """The error of a sentence that says everything but where."""
        return EntryError(f"{self.file}: {self.id}.{sentence}")

    def value(self, key: str) -> Any:
        """What the key holds. A missing key is refused."""
        if key not in self.raw:
            raise self.refused(f"{key} is missing but every entry needs it: add it.")
        return self.raw[key]

    def line(self, key: str) -> str:
        """A line of text."""
        value = self.value(key)
        if not isinstance(value, str) or not value.strip() or not value.isprintable():
            raise self.refused(
                f"{key} is {shown(value)} but must be one line of text: write it in quotes."
            )
        return value

    def evidence(self) -> str:
        """One of the words of ``EVIDENCE``."""
        value = self.value("evidence")
        if value not in EVIDENCE:
            close = difflib.get_close_matches(str(value), EVIDENCE, n=1)
            remedy = f"did you mean {close[0]}?" if close else f"for example {EVIDENCE[-1]}."
            raise self.refused(
                f"evidence is {shown(value)} but must be one of {', '.join(EVIDENCE)}: {remedy}"
            )
        return str(value)

    def table(self, key: str) -> Mapping[str, Any]:
        """A table inside this one."""
        value = self.value(key)
        if not isinstance(value, dict):
            raise self.refused(
                f"{key} is {shown(value)} but must be a table: begin it with [{self.id}.{key}]."
            )
        return value


def read_entries(text: str, file: str, keys: tuple[str, ...]) -> list[Entry]:
    """The tables of a TOML text, which may have these keys; ``file`` is what an error calls it.

    Raises EntryError.
    """
    try:
        raw = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        what = " ".join(str(error).split()).rstrip(".")
        raise EntryError(f"{file}: the text is not TOML, {what}: correct it there.") from None
    entries = []
    for name, table in raw.items():
        if not isinstance(table, dict):
            raise EntryError(
                f"{file}: {name} is {shown(table)} but must be a table: begin it with [{name}]."
            )
        entry = Entry(file, name, table)
        for key in table:
            if key not in keys:
                close = difflib.get_close_matches(key, keys, n=1)
                remedy = f"did you mean {close[0]}?" if close else f"use {', '.join(keys)}."
                raise entry.refused(f"{key} is not a key of an entry: {remedy}")
        entries.append(entry)
    return entries
