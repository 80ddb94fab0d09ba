"""One program as a story: what set and invalidated the queried variable, and what a loss takes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from lab.tracking.settings import Settings
from sim.studies.state_tracking import (
    UNSET_VALUE,
    VALUES,
    VARIABLES,
    Cell,
    Change,
    Channel,
    Compressor,
    Program,
    Recipe,
    Set,
    Unset,
    draw_programs,
    drop,
    history,
    interpret,
    substitute,
)

MOST_STATEMENTS = 2000
"""Of a longer program the history takes too long in a browser."""


@dataclass(frozen=True, slots=True)
class Step:
    """A line, from 1, after which the queried variable stands differently."""

    line: int
    kind: str
    """``set``, ``rule`` (a rule gives it), ``back`` (a SET shows again) or ``unset``."""
    words: str
    value: str | None


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the final state: the value, and what is left of it under either loss."""

    variable: str
    value: str
    line: int
    """The SET or the RULE that gave it, from 1."""
    dropped: str | None
    """The value after the drop compressor; None if the entry is lost."""
    substituted: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Story:
    """A program, its history and its end."""

    program: Program
    is_cut: bool
    """Whether a shorter program is shown than the settings ask for."""
    steps: tuple[Step, ...]
    entries: tuple[Entry, ...]

    @property
    def answer(self) -> str | None:
        """The true answer; None if the variable is unset."""
        return self.steps[-1].value if self.steps else None

    def entry(self) -> Entry | None:
        """The row of the queried variable; None if it is unset."""
        return next((e for e in self.entries if e.variable == self.program.query), None)


def story_of(settings: Settings) -> Story:
    """The program that the settings name, told."""
    recipe = settings.recipe
    shown = replace(recipe, statements=min(recipe.statements, MOST_STATEMENTS))
    program, steps, final = _told(shown, settings.seed, settings.program)
    table = np.full((settings.program, len(VARIABLES)), UNSET_VALUE, dtype=np.int8)
    for variable, cell in final.items():
        table[-1, VARIABLES.index(variable)] = VALUES.index(cell.value)
    dropped, substituted = (
        _after(compressor(settings.rate), settings.seed, table) for compressor in (drop, substitute)
    )
    entries = tuple(
        Entry(
            variable,
            final[variable].value,
            final[variable].statement + 1,
            dropped[variable],
            substituted[variable] or "",
        )
        for variable in VARIABLES
        if variable in final
    )
    return Story(program=program, is_cut=shown != recipe, steps=steps, entries=entries)


@lru_cache(maxsize=4)
def _told(
    recipe: Recipe, seed: int, number: int
) -> tuple[Program, tuple[Step, ...], dict[str, Cell]]:
    program = draw_programs(recipe, seed=seed, programs=number).program(number - 1)
    steps = tuple(_step(program, change) for change in history(program))
    return program, steps, interpret(program)


def _after(compressor: Compressor, seed: int, tables: np.ndarray) -> dict[str, str | None]:
    """The last program's entries after the losses: those that the curves' programs meet too."""
    row = Channel(compressor, seed).next_tables(tables)[-1]
    return {
        variable: VALUES[code] if code != UNSET_VALUE else None
        for variable, code in zip(VARIABLES, row, strict=True)
    }


def _step(program: Program, change: Change) -> Step:
    line, after, before = change.statement + 1, change.after, change.before
    statement, name = program.statements[change.statement], program.query
    if after is None:
        if isinstance(statement, Unset) and statement.variable == name:
            words = f"takes the value of {name} back: {name} is unset."
        else:
            words = f"ends the rule of line {_line(before)}: {name} is unset."
        return Step(line, "unset", words, None)
    giver = program.statements[after.statement]
    if isinstance(giver, Set):
        if after.statement == change.statement:
            again = " again" if before is not None and before.value == after.value else ""
            return Step(line, "set", f"sets {name} to {after.value}{again}.", after.value)
        words = (
            f"ends the rule of line {_line(before)}: {name} has again what line {_line(after)} "
            f"gave it, {after.value}."
        )
        return Step(line, "back", words, after.value)
    if after.statement == change.statement:
        words = f"is a rule that applies at once: {name} is {after.value}."
    elif isinstance(statement, Unset) or before is None or before.value != after.value:
        words = f"makes the rule of line {_line(after)} apply: {name} is {after.value}."
    else:
        words = f"makes the rule of line {_line(after)} give {name}: it stays {after.value}."
    return Step(line, "rule", words, after.value)


def _line(cell: Cell | None) -> int:
    return cell.statement + 1 if cell else 0
