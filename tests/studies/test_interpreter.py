"""What a program's variables are worth: the decisions, one by one, and a second interpreter."""

from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sim.studies.state_tracking import (
    VALUES,
    VARIABLES,
    Cell,
    Change,
    Program,
    Rule,
    Set,
    answer,
    history,
    interpret,
    parse,
    states,
)
from tests.studies.programs import naive_answer, naive_state, programs, statements


def values_of(state):
    return {variable: cell.value for variable, cell in state.items()}


def settled(*lines):
    """The variables after these lines, as ``a=red b=blue``."""
    state = interpret(parse("\n".join([*lines, "QUERY a"])))
    return " ".join(f"{variable}={state[variable].value}" for variable in sorted(state))


CASES = {
    "nothing is set": ([], ""),
    "the last SET counts": (["SET a = red", "SET a = blue"], "a=blue"),
    "UNSET takes a value back": (["SET a = red", "UNSET a"], ""),
    "UNSET of what is not set is nothing": (["UNSET a"], ""),
    "a SET after an UNSET counts": (["SET a = red", "UNSET a", "SET a = lime"], "a=lime"),
    "a rule fires on a SET": (
        ["SET a = red", "RULE IF a = red THEN b = blue"],
        "a=red b=blue",
    ),
    "a rule fires on a SET that comes later": (
        ["RULE IF a = red THEN b = blue", "SET a = red"],
        "a=red b=blue",
    ),
    "a rule without its condition is silent": (
        ["SET a = lime", "RULE IF a = red THEN b = blue"],
        "a=lime",
    ),
    "a rule fires on what another gave, in any order": (
        ["RULE IF b = blue THEN c = teal", "RULE IF a = red THEN b = blue", "SET a = red"],
        "a=red b=blue c=teal",
    ),
    "an UNSET takes back all that followed from it": (
        [
            "RULE IF b = blue THEN c = teal",
            "RULE IF a = red THEN b = blue",
            "SET a = red",
            "UNSET a",
        ],
        "",
    ),
    "a SET to something else takes back too": (
        ["RULE IF a = red THEN b = blue", "SET a = red", "SET a = lime"],
        "a=lime",
    ),
    "a rule stands over a later SET": (
        ["SET a = red", "RULE IF a = red THEN b = blue", "SET b = lime"],
        "a=red b=blue",
    ),
    "a SET under a rule shows again when the rule falls silent": (
        ["SET a = red", "RULE IF a = red THEN b = blue", "SET b = lime", "UNSET a"],
        "b=lime",
    ),
    "UNSET does not take what a rule still gives": (
        ["SET a = red", "RULE IF a = red THEN b = blue", "UNSET b"],
        "a=red b=blue",
    ),
    "of rules that disagree the last written wins": (
        ["SET a = red", "RULE IF a = red THEN b = blue", "RULE IF a = red THEN b = teal"],
        "a=red b=teal",
    ),
    "even if the first one's result was there before": (
        [
            "SET a = red",
            "SET b = blue",
            "RULE IF a = red THEN b = blue",
            "RULE IF a = red THEN b = teal",
        ],
        "a=red b=teal",
    ),
    "a rule that overwrites its own condition fires once": (
        ["SET a = red", "RULE IF a = red THEN a = blue"],
        "a=blue",
    ),
    "a rule that confirms its own condition is harmless": (
        ["SET a = red", "RULE IF a = red THEN a = red"],
        "a=red",
    ),
    "two rules on one variable go round once": (
        ["SET a = red", "RULE IF a = red THEN a = blue", "RULE IF a = blue THEN a = red"],
        "a=red",
    ),
    "rules that chase each other go round once": (
        [
            "SET a = red",
            "RULE IF a = red THEN b = red",
            "RULE IF b = red THEN a = blue",
            "RULE IF a = blue THEN b = blue",
            "RULE IF b = blue THEN a = red",
        ],
        "a=red b=blue",
    ),
    "a cycle of rules feeds nothing that nobody set": (
        ["RULE IF a = red THEN b = red", "RULE IF b = red THEN a = red"],
        "",
    ),
    "a cycle of rules dies with what set it off": (
        [
            "RULE IF a = red THEN b = red",
            "RULE IF b = red THEN a = red",
            "SET a = red",
            "UNSET a",
        ],
        "",
    ),
}


@pytest.mark.parametrize(("lines", "expected"), CASES.values(), ids=CASES)
def test_a_program_settles_as_decided(lines, expected):
    assert settled(*lines) == expected


@pytest.mark.parametrize(("lines", "expected"), CASES.values(), ids=CASES)
def test_the_second_interpreter_decides_the_same(lines, expected):
    state = naive_state(lines)
    assert " ".join(f"{name}={state[name]}" for name in sorted(state)) == expected


@given(programs(most=40))
def test_a_crowded_program_has_the_same_state_in_both_interpreters(program):
    assert values_of(interpret(program)) == naive_state(str(program).split("\n")[:-2])


@given(programs(VARIABLES, VALUES, most=60))
def test_any_program_has_the_same_answer_in_both_interpreters(program):
    assert answer(program) == naive_answer(str(program))


@given(programs())
def test_the_states_are_those_of_the_programs_cut_short(program):
    lines = program.statements
    cut = [interpret(Program(lines[: n + 1], "a")) for n in range(len(lines))]
    assert list(states(lines)) == cut


@given(programs())
def test_a_value_names_the_statement_that_gave_it(program):
    for variable, cell in interpret(program).items():
        writer = program.statements[cell.statement]
        if isinstance(writer, Rule):
            assert (writer.target, writer.result) == (variable, cell.value)
        else:
            assert writer == Set(variable, cell.value)


@given(st.lists(statements("abcdef"), max_size=25), st.data())
def test_where_no_value_is_overwritten_every_rule_holds_in_any_order(lines, data):
    """Then it is the least fixed point, and that does not depend on the order of the rules."""
    rules = [line for line in lines if isinstance(line, Rule)]
    rest = [line for line in lines if not isinstance(line, Rule)]
    state = values_of(interpret(Program((*rest, *rules), "a")))
    base = values_of(interpret(Program(tuple(rest), "a")))
    firing = [rule for rule in rules if state.get(rule.variable) == rule.value]
    assume(all(state[rule.target] == rule.result for rule in firing))
    assume(base.items() <= state.items())
    shuffled = data.draw(st.permutations(rules))
    assert values_of(interpret(Program((*rest, *shuffled), "a"))) == state


@given(programs())
def test_a_rule_that_may_still_fire_has_fired(program):
    """A rule is left only if its condition does not hold; more of it changes nothing else."""
    state = values_of(interpret(program))
    for rule in program.statements:
        if isinstance(rule, Rule) and state.get(rule.variable) == rule.value:
            assert rule.target in state


def test_a_history_tells_what_set_and_what_invalidated_the_variable():
    program = parse(
        "SET b = lime\n"
        "RULE IF a = red THEN b = blue\n"
        "SET a = red\n"
        "SET c = teal\n"
        "UNSET a\n"
        "UNSET b\n"
        "QUERY b\n"
    )
    set_once, by_rule = Cell("lime", 0), Cell("blue", 1)
    assert history(program) == (
        Change(0, None, set_once),
        Change(2, set_once, by_rule),
        Change(4, by_rule, set_once),
        Change(5, set_once, None),
    )


@given(programs())
def test_a_history_ends_at_the_answer(program):
    changes = history(program)
    last = changes[-1].after if changes else None
    assert (last.value if last else None) == answer(program)
    assert all(one.after == two.before for one, two in pairwise(changes))
