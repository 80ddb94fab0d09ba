"""Which missions are solved, and how well: kept by the browser, taken along as a file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from lab.state import DEFAULTS
from sim import shown

VERSION = 1
MOST_CHARACTERS = 100_000
MOST_DOLLARS = 1e9
KIND = "compaction-lab-progress"
DEPTH = 3
"""Of a file: the whole, what is solved, and each mission."""

_BRACES = {"{": 1, "}": -1}


class ProgressError(ValueError):
    """A file of progress that cannot be taken: what is wrong and what to do, in one sentence."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Best:
    """The best of all solutions of a mission; the two need not be the same solution."""

    cost: float
    """Dollars per task, on the mission's own seed: those of other seeds cannot be compared."""
    changed: int
    """Open controls that differ from the start."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Progress:
    """Missions solved, by their permanent ids; those of a later lab are kept as well."""

    solved: Mapping[str, Best] = field(default_factory=dict)
    unlocked: bool = False
    """Everything was unlocked, by a teacher for example."""

    def with_solution(self, mission: str, best: Best) -> Progress:
        """The same with one more solution."""
        if before := self.solved.get(mission):
            best = Best(cost=min(best.cost, before.cost), changed=min(best.changed, before.changed))
        return Progress(solved={**self.solved, mission: best}, unlocked=self.unlocked)

    def merged(self, other: Progress) -> Progress:
        """The best of both."""
        merged = self
        for mission, best in other.solved.items():
            merged = merged.with_solution(mission, best)
        return Progress(solved=merged.solved, unlocked=self.unlocked or other.unlocked)

    def to_json(self) -> str:
        """The file."""
        solved = {
            mission: {"cost": best.cost, "changed": best.changed}
            for mission, best in self.solved.items()
        }
        content = {"kind": KIND, "version": VERSION, "solved": solved, "unlocked": self.unlocked}
        return json.dumps(content, indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Progress:
        """Read a file. Raises ProgressError if it is none, or of a later version."""
        if len(text) > MOST_CHARACTERS or "[" in text or _depth(text) > DEPTH:
            raise _refused("it is not of its form")  # and may be too deep for the browser's Python
        try:
            content = json.loads(text)
        except ValueError:
            raise _refused("it is not JSON") from None
        if not isinstance(content, dict) or content.get("kind") != KIND:
            raise _refused("it holds something else")
        version = content.get("version")
        if version != VERSION or type(version) is not int:
            raise ProgressError(
                f"This progress is of version {shown(version)} but this lab reads "
                f"version {VERSION}: reload the page to get the newest lab, then try again."
            )
        solved = content.get("solved")
        if not isinstance(solved, dict):
            raise _refused("it does not say what is solved")
        return cls(
            solved={mission: _best(mission, entry) for mission, entry in solved.items()},
            unlocked=content.get("unlocked") is True,
        )


def _depth(text: str) -> int:
    """How deep its braces are nested, those in strings included."""
    return max(accumulate(_BRACES.get(character, 0) for character in text), default=0)


def _best(mission: str, entry: Any) -> Best:
    match entry:
        case {"cost": int() | float() as cost, "changed": int() as changed} if (
            0 <= cost <= MOST_DOLLARS
            and 0 <= changed <= len(DEFAULTS)
            and not isinstance(cost, bool)
            and not isinstance(changed, bool)
        ):
            return Best(cost=float(cost), changed=int(changed))
    raise _refused(f"its entry for {shown(mission)} is damaged")


def _refused(what: str) -> ProgressError:
    return ProgressError(
        f"This file is not the lab's progress, {what}: choose a file that Save progress has made."
    )
