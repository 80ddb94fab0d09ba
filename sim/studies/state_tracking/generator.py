"""Programs drawn from a seed, as arrays: program i is the same however many are drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np

from sim import streams
from sim.setting import ScenarioError, plain, shown
from sim.streams import ByteRows, UniformRows
from sim.studies.state_tracking.language import (
    VALUES,
    VARIABLES,
    Program,
    Rule,
    Set,
    Statement,
    Unset,
)
from sim.studies.state_tracking.recipe import RULE_SHARE, SET_SHARE, Recipe
from sim.workload import check_seed

SET, RULE, UNSET = 0, 1, 2
"""Kinds of statements in the arrays."""
MAX_PROGRAMS = 100_000_000
BLOCK_STATEMENTS = 2**17
"""Statements drawn at a time: their draws stay in the processor's cache."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Programs:
    """``n`` programs of ``C`` statements; arrays are read-only and hold codes.

    A variable's code is its place in VARIABLES, a value's its place in VALUES. What a statement
    of its kind does not have is drawn all the same and means nothing.
    """

    recipe: Recipe
    seed: int
    query: np.ndarray
    """uint8 (n,): the variable asked for."""
    kind: np.ndarray
    """uint8 (n, C): SET, RULE or UNSET."""
    variable: np.ndarray
    """uint8 (n, C): the variable that is set, unset or looked at."""
    value: np.ndarray
    """uint8 (n, C): the value that is set or looked for."""
    target: np.ndarray
    """uint8 (n, C): the variable that a rule gives a value."""
    result: np.ndarray
    """uint8 (n, C): the value that a rule gives."""

    def __post_init__(self) -> None:
        for spec in fields(self):
            value = getattr(self, spec.name)
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def __len__(self) -> int:
        return len(self.query)

    def program(self, index: int) -> Program:
        """One of the programs. Raises IndexError if there is no such."""
        columns = (self.kind, self.variable, self.value, self.target, self.result)
        codes = zip(*(column[index].tolist() for column in columns), strict=True)
        return Program(tuple(_statement(*code) for code in codes), VARIABLES[self.query[index]])


def _statement(kind: int, variable: int, value: int, target: int, result: int) -> Statement:
    if kind == SET:
        return Set(VARIABLES[variable], VALUES[value])
    if kind == UNSET:
        return Unset(VARIABLES[variable])
    return Rule(VARIABLES[variable], VALUES[value], VARIABLES[target], VALUES[result])


def draw_programs(recipe: Recipe, *, seed: int, programs: int) -> Programs:
    """The first programs of a seed, all at once; for very many see ``draw_program_blocks``.

    Raises ScenarioError for a bad seed or number of programs.
    """
    seed, programs = _checked(seed, programs)
    return _Source(recipe, seed).next_block(programs)


def draw_program_blocks(recipe: Recipe, *, seed: int, programs: int) -> Iterator[Programs]:
    """The same programs, some at a time, in little memory. What is bad is refused at once."""
    return _blocks(recipe, *_checked(seed, programs))


def _blocks(recipe: Recipe, seed: int, programs: int) -> Iterator[Programs]:
    source = _Source(recipe, seed)
    block = max(1, BLOCK_STATEMENTS // recipe.statements)
    for start in range(0, programs, block):
        yield source.next_block(min(block, programs - start))


def _checked(seed: int, programs: int) -> tuple[int, int]:
    seed, programs = plain(seed), plain(programs)
    check_seed(seed)
    whole = isinstance(programs, int) and not isinstance(programs, bool)
    if not whole or not 1 <= programs <= MAX_PROGRAMS:
        raise ScenarioError(
            f"programs is {shown(programs)} but must be a whole number from 1 to "
            f"{MAX_PROGRAMS:,}: for example 100."
        )
    return seed, programs


class _Source:
    """The streams of one recipe and seed, read on block by block."""

    def __init__(self, recipe: Recipe, seed: int) -> None:
        self._recipe, self._seed = recipe, seed
        one, many = 1, recipe.statements
        self._query = UniformRows(seed, streams.PROGRAM_QUERY, one)
        self._sure_write = UniformRows(seed, streams.PROGRAM_SURE_WRITE, one)
        self._kind = UniformRows(seed, streams.PROGRAM_KIND, many)
        self._variable = UniformRows(seed, streams.PROGRAM_VARIABLE, many)
        self._value = ByteRows(seed, streams.PROGRAM_VALUE, many)
        self._target = UniformRows(seed, streams.PROGRAM_TARGET, many)
        self._result = ByteRows(seed, streams.PROGRAM_RESULT, many)
        self._reused = UniformRows(seed, streams.VALUE_REUSED, many)

    def next_block(self, n: int) -> Programs:
        recipe = self._recipe
        query = _variables(self._query.next_rows(n)[:, 0])
        if recipe.target_rate is None:
            variable = _variables(self._variable.next_rows(n))
        else:
            variable = self._next_targeted(query)
        value = self._value.next_rows(n) % np.uint8(len(VALUES))
        if recipe.value_reuse:
            is_reused = self._reused.next_rows(n) < recipe.value_reuse
            value = _reusing(value, variable == query[:, None], is_reused)
        # In SET-only programs these are zeros that take no memory.
        kind = target = result = np.broadcast_to(np.uint8(SET), value.shape)
        if recipe.grammar == "mixed":
            kind = _kinds(self._kind.next_rows(n))
            target = _variables(self._target.next_rows(n))
            result = self._result.next_rows(n) % np.uint8(len(VALUES))
        return Programs(
            recipe=recipe, seed=self._seed, query=query, kind=kind, variable=variable,
            value=value, target=target, result=result,
        )  # fmt: skip

    def _next_targeted(self, query: np.ndarray) -> np.ndarray:
        """Variables, uint8 (n, C), of which the queried one is written as T and P demand."""
        recipe, n, others = self._recipe, len(query), len(VARIABLES) - 1
        rate = np.zeros(recipe.statements)
        rate[: recipe.prefix] = recipe.rate_in_prefix
        draws = self._variable.next_rows(n)
        is_target = draws < rate
        sure = (self._sure_write.next_rows(n)[:, 0] * recipe.prefix).astype(np.intp)
        is_target[np.arange(n), sure] = True
        # What is left of a draw above the rate chooses among the other variables.
        draws -= rate
        draws *= np.divide(others, 1 - rate, out=np.zeros_like(rate), where=rate < 1)
        # A target's draw is below 0 here, and rounding may lift another one to the end.
        variable = np.clip(draws, 0, others - 1, out=draws).astype(np.uint8)
        variable += variable >= query[:, None]
        np.copyto(variable, query[:, None], where=is_target)
        return variable


def _reusing(value: np.ndarray, is_target: np.ndarray, is_reused: np.ndarray) -> np.ndarray:
    """The values, of which the reused are those of the target's last write: uint8 (n, C)."""
    place = np.arange(value.shape[1], dtype=np.int32)
    last = np.maximum.accumulate(np.where(is_target, place, np.int32(-1)), axis=1)
    current = np.take_along_axis(value, np.maximum(last, 0), axis=1)
    # The target's own write is its current value, and needs no exception.
    return np.where(is_reused & (last >= 0), current, value)


def _variables(draws: np.ndarray) -> np.ndarray:
    return (draws * len(VARIABLES)).astype(np.uint8)


def _kinds(draws: np.ndarray) -> np.ndarray:
    kind = (draws >= SET_SHARE).astype(np.uint8)
    kind += draws >= SET_SHARE + RULE_SHARE
    return kind
