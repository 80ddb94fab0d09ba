"""What the variables are worth after a program: the ground truth, without a model.

The seed says that rules are evaluated to a fixed point and leaves the rest open. Decided here:

* SET and UNSET change what is *given*. Rules are kept, in the order written, for good.
* The values after a statement are *settled* anew from what is given then. So nothing that a rule
  gave outlives its reason: an UNSET, or a SET to something else, takes back all that followed.
* Settling starts from the given values and reads the rules in the order written, again and again.
  A rule whose condition holds fires: its target takes its result, over a SET too, and over an
  earlier rule. Values from rules make conditions hold like any others.
* **Cycles.** A rule fires at most once while settling, so r rules settle after at most r firings.
  Rules that chase each other go round once. A rule that overwrites its own condition fires, and
  what it wrote stays. Of rules that disagree under one condition, the last written wins.
* Settling ends when a whole reading fires nothing: no rule is left whose condition holds and that
  has not fired. If no firing overwrote another value, this is the least fixed point of the
  rules: every one of them holds, and their order did not matter.

UNSET of a variable that a rule still gives changes nothing that can be seen: rules are persistent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sim.studies.state_tracking.language import Program, Rule, Set, Statement


@dataclass(frozen=True, slots=True)
class Cell:
    """The value of a variable, and the position, from 0, of the SET or RULE that gave it."""

    value: str
    statement: int


@dataclass(frozen=True, slots=True)
class Change:
    """A statement, by its position from 0, after which a variable stands differently.

    None means unset. ``after`` may name another statement than the one that set it off: a rule
    that an earlier line wrote and that now fires, or a SET that shows again.
    """

    statement: int
    before: Cell | None
    after: Cell | None


State = Mapping[str, Cell]


def interpret(program: Program) -> dict[str, Cell]:
    """The settled variables after the last statement; one that is unset is absent."""
    return _settle(*given_and_rules(program.statements))


def given_and_rules(
    statements: Iterable[Statement],
) -> tuple[dict[str, Cell], list[tuple[int, Rule]]]:
    """What is given after these statements, and the rules with their positions: all that counts."""
    given: dict[str, Cell] = {}
    rules: list[tuple[int, Rule]] = []
    for position, statement in enumerate(statements):
        _take_in(given, rules, position, statement)
    return given, rules


def answer(program: Program) -> str | None:
    """The value that the program asks for; None if the variable is unset."""
    cell = interpret(program).get(program.query)
    return cell.value if cell else None


def states(statements: Iterable[Statement]) -> Iterator[dict[str, Cell]]:
    """The settled variables after each of the statements."""
    given: dict[str, Cell] = {}
    rules: list[tuple[int, Rule]] = []
    for position, statement in enumerate(statements):
        _take_in(given, rules, position, statement)
        yield _settle(given, rules)


def history(program: Program) -> tuple[Change, ...]:
    """What set, changed or invalidated the queried variable, in order."""
    changes = []
    before: Cell | None = None
    for position, state in enumerate(states(program.statements)):
        after = state.get(program.query)
        if after != before:
            changes.append(Change(position, before, after))
        before = after
    return tuple(changes)


def _take_in(
    given: dict[str, Cell], rules: list[tuple[int, Rule]], position: int, statement: Statement
) -> None:
    if isinstance(statement, Rule):
        rules.append((position, statement))
    elif isinstance(statement, Set):
        given[statement.variable] = Cell(statement.value, position)
    else:
        given.pop(statement.variable, None)


def _settle(given: State, rules: Sequence[tuple[int, Rule]]) -> dict[str, Cell]:
    values = dict(given)
    waiting = list(rules)
    while True:
        still_waiting = []
        for position, rule in waiting:
            condition = values.get(rule.variable)
            if condition is not None and condition.value == rule.value:
                values[rule.target] = Cell(rule.result, position)
            else:
                still_waiting.append((position, rule))
        if len(still_waiting) == len(waiting):
            return values
        waiting = still_waiting
