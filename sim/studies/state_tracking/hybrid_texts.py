"""The texts of partial compression, executed: is each right, and how long is it?

One for each program and share: the state of the first statements, as the compressor leaves it, and
the other statements as they were written.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sim.studies.state_tracking.compressors import Channel, Compressor
from sim.studies.state_tracking.generator import Programs, draw_program_blocks
from sim.studies.state_tracking.interpreter import answer, given_and_rules, interpret
from sim.studies.state_tracking.language import VALUES, VARIABLES, Program, Rule, Set
from sim.studies.state_tracking.recipe import Recipe
from sim.studies.state_tracking.tables import UNSET_VALUE, true_answers, write_sets


def play_texts(
    recipe: Recipe, compressor: Compressor, shares: Sequence[float], seed: int, programs: int,
    carry_rules: bool,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Whether each text is right, bool (n, shares), and its lines, int (n, shares).

    Raises ScenarioError for a bad seed or number of programs.
    """
    cuts = [round(share * recipe.statements) for share in shares]
    channels = [Channel(compressor, seed) for _ in shares]
    right, length = [], []
    for block in draw_program_blocks(recipe, seed=seed, programs=programs):
        if recipe.grammar == "set_only":
            found = _set_only_block(block, cuts, channels)
        else:
            found = _mixed_block(block, cuts, channels, carry_rules)
        right.append(found[0])
        length.append(found[1])
    return np.concatenate(right), np.concatenate(length)


def _set_only_block(
    block: Programs, cuts: Sequence[int], channels: Sequence[Channel]
) -> tuple[np.ndarray, np.ndarray]:
    n, statements = block.variable.shape
    rows, truth = np.arange(n), true_answers(block)
    is_write = block.variable == block.query[:, None]
    last = np.where(is_write.any(axis=1), statements - is_write[:, ::-1].argmax(axis=1), 0)
    right = np.empty((n, len(cuts)), dtype=bool)
    length = np.empty((n, len(cuts)), dtype=np.int64)
    table, done = np.full((n, len(VARIABLES)), UNSET_VALUE, dtype=np.int8), 0
    for z in np.argsort(cuts, kind="stable"):
        cut = cuts[z]
        write_sets(table, block.variable[:, done:cut], block.value[:, done:cut])
        done = cut
        lossy = channels[z].next_tables(table)
        right[:, z] = (last > cut) | (lossy[rows, block.query] == truth)
        length[:, z] = (lossy != UNSET_VALUE).sum(axis=1) + statements - cut
    return right, length


def _mixed_block(
    block: Programs, cuts: Sequence[int], channels: Sequence[Channel], carry_rules: bool
) -> tuple[np.ndarray, np.ndarray]:
    n = len(block)
    right = np.empty((n, len(cuts)), dtype=bool)
    length = np.empty((n, len(cuts)), dtype=np.int64)
    for row in range(n):
        program = block.program(row)
        truth = answer(program)
        for z, (cut, channel) in enumerate(zip(cuts, channels, strict=True)):
            first = Program(program.statements[:cut], program.query)
            rules: tuple[Rule, ...] = ()
            if carry_rules:
                given, found = given_and_rules(first.statements)
                rules = tuple(rule for _, rule in found)
            else:
                given = interpret(first)
            table = np.full((1, len(VARIABLES)), UNSET_VALUE, dtype=np.int8)
            for variable, cell in given.items():
                table[0, VARIABLES.index(variable)] = VALUES.index(cell.value)
            entries = tuple(
                Set(VARIABLES[v], VALUES[code])
                for v, code in enumerate(channel.next_tables(table)[0].tolist())
                if code != UNSET_VALUE
            )
            text = Program((*entries, *rules, *program.statements[cut:]), program.query)
            right[row, z] = answer(text) == truth
            length[row, z] = len(text.statements)
    return right, length
