"""The state tables of many programs: the values of all variables after the last statement."""

from __future__ import annotations

import numpy as np

from sim.studies.state_tracking.generator import Programs
from sim.studies.state_tracking.interpreter import interpret
from sim.studies.state_tracking.language import VALUES, VARIABLES

UNSET_VALUE = -1
"""Code of a variable without a value."""


def state_tables(programs: Programs) -> np.ndarray:
    """int8 (n, 26): each variable's value, or UNSET_VALUE. SET-only programs go all at once."""
    n = len(programs)
    tables = np.full((n, len(VARIABLES)), UNSET_VALUE, dtype=np.int8)
    if programs.recipe.grammar == "set_only":
        write_sets(tables, programs.variable, programs.value)
        return tables
    for row in range(n):
        for variable, cell in interpret(programs.program(row)).items():
            tables[row, VARIABLES.index(variable)] = VALUES.index(cell.value)
    return tables


def write_sets(tables: np.ndarray, variable: np.ndarray, value: np.ndarray) -> None:
    """Write SET statements, uint8 (n, any) each, into tables (n, 26), in place."""
    # Of an index that comes again NumPy keeps the last value: the last write wins.
    tables[np.arange(len(tables))[:, None], variable] = value


def true_answers(programs: Programs) -> np.ndarray:
    """int8 (n,): the value of each queried variable, or UNSET_VALUE."""
    n = len(programs)
    if programs.recipe.grammar != "set_only":
        answers: np.ndarray = state_tables(programs)[np.arange(n), programs.query]
        return answers
    return _last_written(programs)


def _last_written(programs: Programs) -> np.ndarray:
    """The answers of SET-only programs from the last write of the queried variable alone."""
    rows = np.arange(len(programs))
    is_write = np.equal(programs.variable, programs.query[:, None])
    last = is_write.shape[1] - 1 - is_write[:, ::-1].argmax(axis=1)
    values = programs.value[rows, last].astype(np.int8)
    return np.where(is_write[rows, last], values, np.int8(UNSET_VALUE))
