"""Programs from a seed, and the fast path over many of them against the interpreters."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim import ScenarioError
from sim.studies.state_tracking import (
    UNSET_VALUE,
    VALUES,
    VARIABLES,
    Program,
    Recipe,
    Rule,
    Set,
    Unset,
    answer,
    draw_program_blocks,
    draw_programs,
    interpret,
    parse,
    state_tables,
    true_answers,
)
from tests.strategies import seeds
from tests.studies.programs import naive_answer

shares = st.floats(0.001, 1.0)


@st.composite
def set_only(draw, most=80):
    """Every C, T and P, and no T at all."""
    statements = draw(st.integers(1, most))
    if draw(st.booleans()):
        return Recipe(statements=statements, grammar="set_only")
    return Recipe(
        statements=statements,
        grammar="set_only",
        target_rate=draw(st.one_of(shares, st.just(1.0))),
        last_position=draw(st.one_of(shares, st.just(1.0))),
    )


def mixed(most=80):
    return st.builds(Recipe, statements=st.integers(1, most))


def recipes():
    return st.one_of(set_only(), mixed())


def value_of(code):
    return None if code == UNSET_VALUE else VALUES[code]


# The fast path


@given(set_only(), seeds())
def test_the_fast_path_equals_the_interpreter_on_every_set_only_program(recipe, seed):
    programs = draw_programs(recipe, seed=seed, programs=20)
    fast = [value_of(code) for code in true_answers(programs)]
    assert fast == [answer(programs.program(row)) for row in range(20)]


@given(recipes(), seeds())
def test_a_state_table_holds_what_the_interpreter_says(recipe, seed):
    programs = draw_programs(recipe, seed=seed, programs=3)
    for row, table in enumerate(state_tables(programs)):
        state = {VARIABLES[v]: VALUES[c] for v, c in enumerate(table) if c != UNSET_VALUE}
        expected = interpret(programs.program(row))
        assert state == {variable: cell.value for variable, cell in expected.items()}


@given(recipes(), seeds())
def test_the_answer_is_the_queried_entry_of_the_table(recipe, seed):
    programs = draw_programs(recipe, seed=seed, programs=5)
    tables = state_tables(programs)
    assert true_answers(programs).tolist() == tables[range(5), programs.query].tolist()


def test_10_000_drawn_programs_have_the_same_answer_in_both_interpreters():
    for statements in (5, 20, 60, 150, 400):
        programs = draw_programs(Recipe(statements=statements), seed=statements, programs=2_000)
        for row in range(2_000):
            program = programs.program(row)
            assert answer(program) == naive_answer(str(program)), str(program)


# What is drawn

GOLDEN_MIXED = [
    "SET s = navy",
    "SET j = black",
    "SET u = white",
    "SET y = purple",
    "SET p = teal",
    "SET t = navy",
    "RULE IF d = red THEN n = red",
    "SET y = aqua",
    "RULE IF n = fuchsia THEN y = olive",
    "SET r = aqua",
    "SET i = teal",
    "SET w = aqua",
    "QUERY d",
]
GOLDEN_SET = [
    "SET q = navy",
    "SET d = black",
    "SET d = white",
    "SET d = purple",
    "SET o = teal",
    "SET b = navy",
    "SET d = red",
    "SET y = aqua",
    "SET p = fuchsia",
    "SET t = aqua",
    "QUERY d",
]


def test_a_seed_draws_this_program_for_ever():
    programs = draw_programs(Recipe(statements=12), seed=5, programs=3)
    assert str(programs.program(2)).splitlines() == GOLDEN_MIXED


def test_a_seed_draws_this_set_only_program_for_ever():
    recipe = Recipe(statements=10, grammar="set_only", target_rate=0.3, last_position=0.7)
    assert str(draw_programs(recipe, seed=5, programs=3).program(2)).splitlines() == GOLDEN_SET


@given(recipes(), seeds(), st.integers(1, 5), st.integers(0, 5))
def test_a_program_does_not_depend_on_how_many_are_drawn(recipe, seed, fewer, more):
    few = draw_programs(recipe, seed=seed, programs=fewer)
    many = draw_programs(recipe, seed=seed, programs=fewer + more)
    for row in range(fewer):
        assert few.program(row) == many.program(row)


def test_blocks_hold_the_same_programs_as_all_at_once():
    recipe = Recipe(statements=50_001)
    blocks = list(draw_program_blocks(recipe, seed=3, programs=5))
    assert [len(block) for block in blocks] == [2, 2, 1]
    whole = draw_programs(recipe, seed=3, programs=5)
    for name in ("query", "kind", "variable", "value", "target", "result"):
        joined = np.concatenate([getattr(block, name) for block in blocks])
        assert np.array_equal(joined, getattr(whole, name)), name


@given(seeds())
def test_another_seed_draws_other_programs(seed):
    one, two = (draw_programs(Recipe(), seed=s, programs=1).program(0) for s in (seed, seed + 1))
    assert one != two


def test_a_drawn_array_cannot_be_written():
    programs = draw_programs(Recipe(), seed=1, programs=1)
    with pytest.raises(ValueError, match="read-only"):
        programs.variable[0, 0] = 1


def test_85_10_and_5_percent_of_the_statements_are_set_rule_and_unset():
    programs = draw_programs(Recipe(statements=1_000), seed=1, programs=1_000)
    lines = [line for row in range(0, 1_000, 50) for line in programs.program(row).statements]
    kinds = [sum(isinstance(line, kind) for line in lines) / len(lines)
             for kind in (Set, Rule, Unset)]  # fmt: skip
    # 20,000 statements: the widest standard error is 0.0025.
    assert kinds == pytest.approx([0.85, 0.10, 0.05], abs=0.01)
    shares = np.bincount(programs.kind.ravel(), minlength=3) / 1_000_000
    assert shares == pytest.approx([0.85, 0.10, 0.05], abs=0.0015)


@pytest.mark.parametrize(
    ("name", "options"),
    [("query", 26), ("variable", 26), ("value", 16), ("target", 26), ("result", 16)],
)
def test_variables_and_values_are_drawn_alike(name, options):
    programs = draw_programs(Recipe(statements=20), seed=1, programs=50_000)
    codes = getattr(programs, name).ravel()
    share = np.bincount(codes, minlength=options) / len(codes)
    assert len(share) == options
    assert share == pytest.approx(np.full(options, 1 / options), abs=5 * (0.04 / len(codes)) ** 0.5)


@given(set_only(), seeds())
def test_the_queried_variable_is_last_written_within_the_first_p_c_statements(recipe, seed):
    programs = draw_programs(recipe, seed=seed, programs=5)
    if recipe.target_rate is not None:
        is_write = programs.variable == programs.query[:, None]
        assert is_write.any(axis=1).all()
        limit = max(1, recipe.last_position * recipe.statements)
        assert np.nonzero(is_write)[1].max() + 1 <= limit + 1e-6


@pytest.mark.parametrize(
    ("statements", "rate", "last", "expected"),
    [
        (1000, 0.04, 1.0, 40),
        (1000, 0.04, 0.5, 40),
        (1000, 0.2, 0.05, 50),  # more than there is room for
        (100, 0.004, 1.0, 1),  # less than one
        (250, 0.01, 0.5, 2.5),
        (7, 1.0, 1.0, 7),
    ],
)
def test_the_queried_variable_is_written_t_c_times(statements, rate, last, expected):
    recipe = Recipe(statements=statements, grammar="set_only", target_rate=rate, last_position=last)
    programs = draw_programs(recipe, seed=1, programs=4_000)
    writes = (programs.variable == programs.query[:, None]).sum(axis=1)
    assert writes.mean() == pytest.approx(expected, abs=5 * (expected / 4_000) ** 0.5)


def test_the_other_variables_of_a_targeted_program_are_written_alike():
    recipe = Recipe(statements=200, grammar="set_only", target_rate=0.2, last_position=0.5)
    programs = draw_programs(recipe, seed=1, programs=5_000)
    away = (programs.variable.astype(int) - programs.query[:, None]) % 26
    share = np.bincount(away.ravel(), minlength=26)[1:] / (away != 0).sum()
    assert share == pytest.approx(np.full(25, 1 / 25), abs=0.002)


@given(set_only().filter(lambda recipe: recipe.target_rate), shares, seeds())
def test_reuse_moves_no_draw_and_changes_only_values_of_other_variables(recipe, reuse, seed):
    plain = draw_programs(recipe, seed=seed, programs=5)
    reusing = draw_programs(replace(recipe, value_reuse=reuse), seed=seed, programs=5)
    assert np.array_equal(plain.variable, reusing.variable)
    assert np.array_equal(plain.query, reusing.query)
    is_target = plain.variable == plain.query[:, None]
    assert np.array_equal(plain.value[is_target], reusing.value[is_target])
    is_before = ~np.logical_or.accumulate(is_target, axis=1)
    assert np.array_equal(plain.value[is_before], reusing.value[is_before])
    assert np.array_equal(true_answers(plain), true_answers(reusing))


@given(set_only().filter(lambda recipe: recipe.target_rate), seeds())
def test_at_full_reuse_every_statement_has_the_value_of_the_target_once_it_has_one(recipe, seed):
    programs = draw_programs(replace(recipe, value_reuse=1.0), seed=seed, programs=3)
    for row in range(3):
        program, value = programs.program(row), None
        for line in program.statements:
            if line.variable == program.query:
                value = line.value
            assert value in (None, line.value)


@pytest.mark.parametrize("reuse", [0.2, 0.7])
def test_a_share_f_of_the_other_statements_reuses_the_value_beyond_chance(reuse):
    recipe = Recipe(statements=200, grammar="set_only", target_rate=0.1, value_reuse=reuse)
    programs = draw_programs(recipe, seed=1, programs=500)
    reused = others = 0
    for row in range(500):
        program, value = programs.program(row), None
        for line in program.statements:
            if line.variable == program.query:
                value = line.value
            elif value:
                others += 1
                reused += line.value == value
    assert reused / others == pytest.approx(reuse + (1 - reuse) / 16, abs=0.006)


def test_a_smaller_reuse_reuses_at_no_other_place_than_a_larger():
    recipe = Recipe(statements=100, grammar="set_only", target_rate=0.1)
    none, some, most = (
        draw_programs(replace(recipe, value_reuse=reuse), seed=1, programs=50).value
        for reuse in (0.0, 0.3, 0.8)
    )
    assert not ((some != none) & (most == none)).any()
    assert 0 < (some != none).sum() < (most != none).sum()


@given(recipes(), seeds())
def test_a_drawn_program_is_read_back_from_its_text(recipe, seed):
    program = draw_programs(recipe, seed=seed, programs=1).program(0)
    assert isinstance(program, Program)
    assert parse(str(program)) == program
    assert len(program.statements) == recipe.statements


# What is refused

REFUSED = [
    (
        {"statements": 0},
        "statements is 0 but must be a whole number from 1 to 100,000: for example 1000.",
    ),
    (
        {"statements": 2.5},
        "statements is 2.5 but must be a whole number from 1 to 100,000: for example 1000.",
    ),
    (
        {"grammar": "rules"},
        "grammar is 'rules' but must be one of set_only, mixed: for example mixed.",
    ),
    (
        {"grammar": "set_only", "target_rate": 0},
        "target_rate is 0 but must be a number above 0 and up to 1: for example 0.04.",
    ),
    (
        {"grammar": "set_only", "target_rate": float("nan")},
        "target_rate is nan but must be a number above 0 and up to 1: for example 0.04.",
    ),
    (
        {"grammar": "set_only", "target_rate": 0.1, "last_position": 1.5},
        "last_position is 1.5 but must be a number above 0 and up to 1: for example 0.5.",
    ),
    (
        {"target_rate": 0.1},
        "target_rate is 0.1 but the mixed grammar writes every variable alike: "
        "leave it out, or take the grammar set_only.",
    ),
    (
        {"value_reuse": 0.5},
        "value_reuse is 0.5 but needs a target_rate: give one, for example 0.04.",
    ),
    (
        {"grammar": "set_only", "target_rate": 0.1, "value_reuse": -1},
        "value_reuse is -1 but must be a number from 0 to 1: for example 0.5.",
    ),
    (
        {"last_position": 0.5},
        "last_position is 0.5 but needs a target_rate: give one, for example 0.04.",
    ),
]


@pytest.mark.parametrize(("settings", "sentence"), REFUSED)
def test_a_recipe_that_makes_no_program_is_refused(settings, sentence):
    with pytest.raises(ScenarioError) as caught:
        Recipe(**settings)
    assert str(caught.value) == sentence


@pytest.mark.parametrize("programs", [0, 1.5, True, 100_000_001])
def test_a_number_of_programs_that_cannot_be_drawn_is_refused(programs):
    with pytest.raises(ScenarioError, match="whole number from 1 to 100,000,000: for example 100"):
        draw_programs(Recipe(), seed=1, programs=programs)


def test_a_bad_seed_is_refused():
    with pytest.raises(ScenarioError, match="seed is -1 but must be a whole number"):
        draw_programs(Recipe(), seed=-1, programs=1)
