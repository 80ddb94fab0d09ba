"""From source text to a program, or one sentence that says where and why not."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from sim.setting import shown
from sim.studies.state_tracking.language import (
    VALUES,
    VARIABLES,
    Program,
    Rule,
    Set,
    Statement,
    Unset,
)

_FORMS = {
    "SET": "SET variable = value",
    "UNSET": "UNSET variable",
    "RULE": "RULE IF variable = value THEN variable = value",
    "QUERY": "QUERY variable",
}
_EXAMPLES = {
    "SET": "SET x = red",
    "UNSET": "UNSET x",
    "RULE": "RULE IF x = red THEN y = blue",
    "QUERY": "QUERY x",
}
# An equals sign stands for itself with or without spaces around it.
_WORD = re.compile(r"=|[^\s=]+")


class LanguageError(ValueError):
    """A text that is no program, in one sentence; ``line`` and ``column`` count from 1."""

    def __init__(self, line: int, column: int, complaint: str) -> None:
        super().__init__(f"Line {line}, column {column}: {complaint}")
        self.line = line
        self.column = column

    def __reduce__(self) -> tuple[object, ...]:
        complaint = str(self).split(": ", 1)[1]
        return type(self), (self.line, self.column, complaint)


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    column: int


def parse(text: str) -> Program:
    """The program of a text. Blank lines are skipped.

    Raises LanguageError for the first thing that does not fit.
    """
    statements: list[Statement] = []
    query: str | None = None
    lines = text.splitlines()
    for number, line in enumerate(lines, start=1):
        words = [_Word(match[0], match.start() + 1) for match in _WORD.finditer(line)]
        if not words:
            continue
        if query is not None:
            raise LanguageError(
                number,
                words[0].column,
                f"{shown(words[0].text)} follows the QUERY, which must be the last line: "
                "move the QUERY down, or ask one question a program.",
            )
        keyword = words[0].text
        if keyword not in _FORMS:
            raise _unknown(number, words[0], _FORMS, "a statement")
        found = _fill(number, words, len(line) + 1)
        if keyword == "QUERY":
            query = found[0]
        else:
            statements.append(_STATEMENTS[keyword](*found))
    if query is None:
        raise LanguageError(
            len(lines) + 1, 1, "the program asks nothing: end it with a question, like QUERY x."
        )
    return Program(tuple(statements), query)


_STATEMENTS: dict[str, type[Statement]] = {"SET": Set, "UNSET": Unset, "RULE": Rule}
_KINDS = {"variable": (VARIABLES, "a variable"), "value": (VALUES, "a value")}


def _fill(line: int, words: list[_Word], end: int) -> list[str]:
    """The variables and values of a line, in the order of its form."""
    keyword = words[0].text
    form = _FORMS[keyword].split()
    found = []
    for place, part in enumerate(form):
        noun = _KINDS[part][1] if part in _KINDS else part
        if place == len(words):
            example = _EXAMPLES[keyword]
            raise LanguageError(line, end, f"{noun} is missing: write {example}, for example.")
        word = words[place]
        if part in _KINDS:
            options, noun = _KINDS[part]
            if word.text not in options:
                raise _unknown(line, word, options, noun)
            found.append(word.text)
        elif word.text != part:
            raise LanguageError(
                line,
                word.column,
                f"{shown(word.text)} stands where {part} belongs: "
                f"write {_EXAMPLES[keyword]}, for example.",
            )
    if len(words) > len(form):
        extra = words[len(form)]
        raise LanguageError(
            line,
            extra.column,
            f"{shown(extra.text)} is too much after {keyword}: "
            "end the line before it, one statement a line.",
        )
    return found


def _unknown(line: int, word: _Word, options: Iterable[str], noun: str) -> LanguageError:
    options = tuple(options)
    folded = {option.casefold(): option for option in options}
    listed, likeness = f"one of {', '.join(options)}", 0.6
    if options == VARIABLES:  # no letter is like another
        listed, likeness = "a letter from a to z", 1.0
    close = difflib.get_close_matches(word.text.casefold(), folded, n=1, cutoff=likeness)
    remedy = f"did you mean {folded[close[0]]}?" if close else f"use {listed}."
    return LanguageError(line, word.column, f"{shown(word.text)} is not {noun}: {remedy}")
