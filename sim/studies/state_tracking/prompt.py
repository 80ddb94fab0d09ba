"""What a model would be given to read, and about how many tokens that is."""

from __future__ import annotations

from collections.abc import Mapping

from sim.studies.state_tracking.interpreter import Cell
from sim.studies.state_tracking.language import VARIABLES, Program

UNSET_ANSWER = "unset"

RULES = """\
The lines below are statements, executed from the first to the last.
SET x = red gives x a value. UNSET x takes the given value back.
RULE IF x = red THEN y = blue stays in force: while x has the value red, y has the value blue, \
whatever y was given. When the condition no longer holds, y has again the value it was given.
At the end, the rules are read in order, again and again, until no more apply; each applies once.
"""
QUESTION = f"Answer with one word: the value of the variable, or {UNSET_ANSWER} if it has none.\n"


def render(program: Program) -> str:
    """The whole program as a prompt: the rules of the language, the statements, the question."""
    return f"{RULES}\n{program}{QUESTION}"


def render_table(table: Mapping[str, Cell], query: str) -> str:
    """A state table, complete or lossy, as a prompt: one line a set variable, the question."""
    lines = (f"{name} = {table[name].value}\n" for name in VARIABLES if name in table)
    return f"These variables have a value:\n\n{''.join(lines)}QUERY {query}\n{QUESTION}"


def estimated_tokens(source: str) -> int:
    """Tokens of a program's text: one a word and one a line.

    That is 5 a SET, the seed's own factor, and within 3 % of each token count that the seed gives
    for the mixed grammar. Not a tokenizer's count.
    """
    return sum(len(line.split()) + 1 for line in source.splitlines() if line.strip())
