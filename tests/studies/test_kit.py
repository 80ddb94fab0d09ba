"""The tasks for a real model: their ids, prompts and truths."""

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim import ScenarioError
from sim.studies.state_tracking import (
    Origin,
    Recipe,
    estimated_tokens,
    make_tasks,
    parse_id,
    truths,
)
from tests.strategies import seeds
from tests.studies.programs import naive_answer

shares = st.floats(0, 1, exclude_min=True)
recipes = st.one_of(
    st.builds(Recipe, statements=st.integers(1, 40)),
    st.builds(Recipe, statements=st.integers(1, 40), grammar=st.just("set_only")),
    st.builds(
        Recipe, statements=st.integers(1, 40), grammar=st.just("set_only"), target_rate=shares,
        last_position=shares, value_reuse=st.floats(0, 1),
    ),
)  # fmt: skip


def made(recipe, *, lengths=None, n=3, seed=1):
    return list(make_tasks(recipe, lengths=lengths or [recipe.statements], n=n, seed=seed))


def program_in(prompt):
    return prompt.split("\n\n")[1].rsplit("Answer with one word", 1)[0]


@given(recipes, seeds())
def test_the_truth_is_what_the_other_interpreter_reads_in_the_prompt(recipe, seed):
    for task in made(recipe, seed=seed):
        source = program_in(task["prompt"])
        assert task["truth"] == (naive_answer(source) or "unset")
        assert task["tokens"] == estimated_tokens(source)
        assert task["settings"]["seed"] == seed
        assert task["settings"]["statements"] == recipe.statements == source.count("\n") - 1


@given(recipes, seeds())
def test_the_id_alone_gives_the_truth_again(recipe, seed):
    tasks = made(recipe, seed=seed)
    origins = [parse_id(task["id"]) for task in tasks]
    assert origins == [Origin(recipe, seed, index) for index in range(3)]
    assert truths(origins[1:]) == {origins[i]: tasks[i]["truth"] for i in (1, 2)}


@given(recipes, seeds(), st.integers(0, 99_999))
def test_an_id_is_read_back(recipe, seed, index):
    origin = Origin(recipe, seed, index)
    assert parse_id(str(origin)) == origin


def test_an_id_says_what_it_is_drawn_from():
    recipe = Recipe(statements=500, grammar="set_only", target_rate=0.04, value_reuse=0.3)
    assert str(Origin(recipe, 7, 2)) == "set_only-c500-t0.04-p1.0-f0.3-s7-i2"
    assert made(Recipe())[2]["id"] == "mixed-c1000-s1-i2"


GOLDEN = {
    "mixed-c1000-s1-i0": "navy",
    "mixed-c30-s7-i4": "unset",
    "set_only-c20-s2-i1": "red",
    "set_only-c500-t0.04-p0.5-f0.3-s1-i9": "olive",
}


@pytest.mark.parametrize(("name", "truth"), GOLDEN.items())
def test_an_id_has_this_truth_for_ever(name, truth):
    origin = parse_id(name)
    assert truths([origin]) == {origin: truth}


TAMPERED = [
    "",
    "x",
    "mixed-c1000-s1-i7 ",
    "mixed-c0-s1-i7",
    "mixed-c100001-s1-i7",
    "mixed-c01000-s1-i7",
    "mixed-c1000-s1-i100000",
    "mixed-c1000-s1-i07",
    "mixed-c1000-s1-i٧",
    "mixed-c1000-s99999999999999999999-i7",
    "mixed-c1000-t0.04-p1.0-f0.0-s1-i7",
    "set_only-c1000-t0.040-p1.0-f0.0-s1-i7",
    "set_only-c1000-t1.5-p1.0-f0.0-s1-i7",
    "rules-c1000-s1-i7",
]


@pytest.mark.parametrize("text", TAMPERED)
def test_an_id_that_make_never_wrote_is_unknown(text):
    with pytest.raises(ScenarioError, match=r"id is .* but must be one that make has written"):
        parse_id(text)


def test_every_length_has_n_tasks_and_the_first_do_not_depend_on_how_many():
    tasks = made(Recipe(), lengths=[30, 10, 30], n=4)
    assert [task["settings"]["statements"] for task in tasks] == [30] * 4 + [10] * 4
    assert tasks[:2] == made(Recipe(), lengths=[30], n=2)


def test_tasks_are_written_one_by_one():
    first = list(islice(make_tasks(Recipe(), lengths=[100_000], n=100_000, seed=1), 1))
    assert first[0]["id"] == "mixed-c100000-s1-i0"


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (
            {"n": 0},
            "n is 0 but must be a whole number from 1 to 100,000: for example 100.",
        ),
        (
            {"n": 100_001},
            "n is 100001 but must be a whole number from 1 to 100,000: for example 100.",
        ),
        (
            {"lengths": [10, 0]},
            "statements is 0 but must be a whole number from 1 to 100,000: for example 1000.",
        ),
    ],
)
def test_tasks_that_cannot_be_made_are_refused_before_the_first(settings, sentence):
    with pytest.raises(ScenarioError) as caught:
        make_tasks(Recipe(), **{"lengths": [10], "n": 1, "seed": 1} | settings)
    assert str(caught.value) == sentence


def test_a_bad_seed_is_refused_before_the_first():
    with pytest.raises(ScenarioError, match="seed is -1 but must be a whole number"):
        make_tasks(Recipe(), lengths=[10], n=1, seed=-1)
