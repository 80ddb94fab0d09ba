"""Reading and printing the state-tracking language."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.studies.state_tracking import (
    VALUES,
    VARIABLES,
    LanguageError,
    Program,
    Rule,
    Set,
    Unset,
    parse,
)
from tests.studies.programs import programs

SOURCE = "SET x = red\nRULE IF x = red THEN y = blue\nUNSET x\nQUERY y\n"
PROGRAM = Program((Set("x", "red"), Rule("x", "red", "y", "blue"), Unset("x")), "y")


def test_there_are_26_variables_and_16_colours():
    assert "".join(VARIABLES) == "abcdefghijklmnopqrstuvwxyz"
    assert len(set(VALUES)) == len(VALUES) == 16


def test_a_text_is_read_into_its_statements():
    assert parse(SOURCE) == PROGRAM


def test_a_program_prints_as_its_text():
    assert str(PROGRAM) == SOURCE


@given(programs(VARIABLES, VALUES))
def test_what_is_printed_is_read_back(program):
    assert parse(str(program)) == program


@given(programs(), st.sampled_from(["\r\n", "\n\n", "\n \t\n", "  \n  "]))
def test_blanks_and_line_ends_do_not_matter(program, gap):
    text = str(program).replace("\n", gap).replace(" = ", "=").replace("IF ", "IF \t")
    assert parse(text) == program


REFUSED = [
    ("", 1, 1, "the program asks nothing: end it with a question, like QUERY x."),
    ("SET x = red\n", 2, 1, "the program asks nothing: end it with a question, like QUERY x."),
    ("set x = red", 1, 1, "'set' is not a statement: did you mean SET?"),
    ("DROP x", 1, 1, "'DROP' is not a statement: use one of SET, UNSET, RULE, QUERY."),
    ("SET", 1, 4, "a variable is missing: write SET x = red, for example."),
    ("SET x", 1, 6, "= is missing: write SET x = red, for example."),
    ("SET x =", 1, 8, "a value is missing: write SET x = red, for example."),
    ("  SET xy = red", 1, 7, "'xy' is not a variable: use a letter from a to z."),
    ("SET X = red", 1, 5, "'X' is not a variable: did you mean x?"),
    ("SET x = grey", 1, 9, "'grey' is not a value: did you mean gray?"),
    ("SET x is red", 1, 7, "'is' stands where = belongs: write SET x = red, for example."),
    (
        "SET x = red blue",
        1,
        13,
        "'blue' is too much after SET: end the line before it, one statement a line.",
    ),
    (
        "\nRULE x = red THEN y = blue",
        2,
        6,
        "'x' stands where IF belongs: write RULE IF x = red THEN y = blue, for example.",
    ),
    (
        "RULE IF x = red y = blue",
        1,
        17,
        "'y' stands where THEN belongs: write RULE IF x = red THEN y = blue, for example.",
    ),
    (
        "QUERY x\nSET x = red",
        2,
        1,
        "'SET' follows the QUERY, which must be the last line: "
        "move the QUERY down, or ask one question a program.",
    ),
]


@pytest.mark.parametrize(("text", "line", "column", "complaint"), REFUSED)
def test_a_text_that_does_not_fit_is_refused_where_it_does_not(text, line, column, complaint):
    with pytest.raises(LanguageError) as caught:
        parse(text)
    assert str(caught.value) == f"Line {line}, column {column}: {complaint}"
    assert (caught.value.line, caught.value.column) == (line, column)


def test_an_unknown_colour_far_from_any_is_told_all_sixteen():
    with pytest.raises(LanguageError, match=r"one of aqua, black, .*, white, yellow\.$"):
        parse("SET x = mauvish\nQUERY x")


def test_an_error_survives_being_sent_to_another_process():
    error = LanguageError(3, 7, "'a: b' is not a value: use red.")
    sent = pickle.loads(pickle.dumps(error))
    assert (str(sent), sent.line, sent.column) == (str(error), 3, 7)


@given(st.text(alphabet="SETUNRLIFHQY xyz=red\n", max_size=60))
def test_any_text_is_a_program_or_one_sentence(text):
    error, program = None, None
    try:
        program = parse(text)
    except LanguageError as refusal:
        error = refusal
    if error:
        assert "\n" not in str(error)
        assert 1 <= error.line <= text.count("\n") + 2
        assert error.column >= 1
    else:
        assert parse(str(program)) == program
