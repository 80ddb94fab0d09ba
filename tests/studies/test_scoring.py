"""A model's answers: how they are read, scored, and what is said of lines that do not fit."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim import ScenarioError
from sim.stats import wilson
from sim.studies.state_tracking import (
    VALUES,
    Fault,
    Recipe,
    make_tasks,
    read_answer,
    score_answers,
)

TASKS = list(make_tasks(Recipe(), lengths=[5, 50], n=20, seed=1))
ASKED = [json.dumps(task).encode() for task in TASKS]


def line(task, answer):
    return json.dumps({"id": task["id"], "answer": answer}).encode()


def wrong(task):
    return "red" if task["truth"] != "red" else "blue"


# Reading an answer

READ = [
    ("red", "red", False),
    (" Red.\n", "red", False),
    ("**TEAL**", "teal", False),
    ("The value of x is `navy`", "navy", False),
    ('{"answer": "lime"}', "lime", False),
    ("grey", "gray", False),
    ("Unset", "unset", False),
    ("None", "unset", False),
    ("none of the rules apply, so it is aqua", "aqua", False),
    ("x was red, then blue, so it is blue", "blue", True),
    ("not red: blue", "blue", True),
    ("gray or grey", "gray", False),
    ("hundred", None, False),
    ("darkred", None, False),
    ("reds", None, False),
    ("red1", "red", False),
    ("nonesuch", None, False),
    ("magenta", None, False),
    ("", None, False),
]


@pytest.mark.parametrize(("text", "word", "several"), READ)
def test_an_answer_is_read_leniently(text, word, several):
    assert read_answer(text) == (word, several)


@given(
    st.sampled_from([*VALUES, "unset"]),
    st.text("0123456789 .,;:!?*`'\"()\n{}[]", max_size=10),
    st.text("0123456789 .,;:!?*`'\"()\n{}[]", max_size=10),
    st.booleans(),
)
def test_a_word_is_found_in_any_case_among_marks_and_digits(word, before, after, is_upper):
    assert read_answer(before + (word.upper() if is_upper else word) + after) == (word, False)


@given(st.text())
def test_any_text_is_read_as_a_word_or_as_none(text):
    word, _ = read_answer(text)
    assert word is None or word in (*VALUES, "unset")


# Scoring


def test_right_answers_are_counted_by_length_with_wilsons_interval():
    lines = [line(task, wrong(task) if i % 4 == 0 else task["truth"])
             for i, task in enumerate(TASKS)]  # fmt: skip
    (group,) = score_answers(lines[:30]).groups
    assert [(at.statements, at.right, at.trials) for at in group.lengths] == [
        (5, 15, 20),
        (50, 7, 10),
    ]
    assert [at.accuracy for at in group.lengths] == [wilson(15, 20), wilson(7, 10)]
    assert group.recipe == Recipe(statements=1)


@given(st.lists(st.booleans(), min_size=20, max_size=20), st.randoms())
def test_the_score_is_the_share_of_truths_whatever_the_order(flags, random):
    lines = [
        line(task, task["truth"] if ok else wrong(task))
        for task, ok in zip(TASKS[:20], flags, strict=True)
    ]
    random.shuffle(lines)
    scored = score_answers(lines)
    (at,) = scored.groups[0].lengths
    assert (at.right, at.trials) == (sum(flags), 20)
    assert (scored.malformed, scored.duplicates, scored.unknown) == ((), (), ())


def test_tasks_of_another_kind_are_scored_apart():
    recipe = Recipe(grammar="set_only", target_rate=0.1, value_reuse=0.5)
    others = list(make_tasks(recipe, lengths=[5], n=2, seed=3))
    scored = score_answers([line(task, task["truth"]) for task in (*TASKS[:3], *others)])
    assert [group.recipe.target_rate for group in scored.groups] == [None, 0.1]
    assert [group.lengths[0].trials for group in scored.groups] == [3, 2]


def answered(accuracies):
    """Answers to 100 tasks of each length, so many of them right."""
    for statements, right in accuracies.items():
        tasks = make_tasks(Recipe(), lengths=[statements], n=100, seed=1)
        for index, task in enumerate(tasks):
            yield line(task, task["truth"] if index < right else wrong(task))


def test_a_curve_and_n_star_follow_where_the_lengths_vary():
    (group,) = score_answers(answered({10: 99, 40: 80, 80: 50, 160: 20})).groups
    assert group.curve.half == pytest.approx(80, rel=0.05)
    assert [rate for rate, _ in group.n_stars] == [0.1, 0.2, 0.3, 0.5]
    lengths = [n_star.value for _, n_star in group.n_stars]
    assert lengths == sorted(lengths)
    assert group.n_stars[3][1].value == pytest.approx(group.curve.half)
    for _, n_star in group.n_stars:
        assert n_star.low < n_star.value < n_star.high
    assert [(p.statements, p.right, p.trials) for p in group.points][1] == (40, 80, 100)
    assert group.no_curve == ""


def test_without_other_lengths_there_is_no_curve_and_it_says_why():
    (group,) = score_answers(answered({10: 90})).groups
    assert (group.curve, group.n_stars) == (None, ())
    assert "must be of two lengths or more" in group.no_curve


# What does not fit

UNFIT = [
    (b"\xff", "it is not UTF-8"),
    (b"red", "it is not JSON at column 1"),
    (b'{"id": "a", }', "it is not JSON at column 13"),
    (b"[" * 100_000, "it is not JSON"),
    (b"[1]", "it is JSON but not an object"),
    (b'{"answer": "red"}', "it has no id"),
    (b'{"id": 7, "answer": "red"}', "its id is 7 but must be text"),
    (b'{"id": "mixed-c5-s1-i3"}', "it has no answer"),
    (b'{"id": "mixed-c5-s1-i3", "answer": null}', "its answer is None but must be text"),
    (ASKED[3], "it has no answer"),
]


@pytest.mark.parametrize(("unfit", "what"), UNFIT)
def test_a_malformed_line_is_named_with_its_number_and_fault(unfit, what):
    lines = [line(TASKS[0], "red"), b"", unfit, line(TASKS[1], "red")]
    scored = score_answers(lines)
    assert scored.malformed == (Fault(3, what),)
    assert scored.groups[0].lengths[0].trials == 2


@given(st.lists(st.binary(max_size=30).filter(lambda b: b.strip() and b"\n" not in b)))
def test_every_line_is_scored_or_named(noise):
    scored = score_answers([line(TASKS[0], "red"), *noise])
    named = {fault.line for fault in (*scored.malformed, *scored.unknown, *scored.duplicates)}
    assert named == set(range(2, len(noise) + 2))


def test_of_two_answers_to_a_task_the_first_counts_and_the_other_is_named():
    lines = [line(TASKS[0], TASKS[0]["truth"]), line(TASKS[0], wrong(TASKS[0]))]
    scored = score_answers(lines)
    assert scored.duplicates == (Fault(2, "mixed-c5-s1-i0 was answered at line 1, which counts"),)
    assert scored.groups[0].lengths[0].accuracy.value == 1


def test_ids_without_a_task_and_tasks_without_an_answer_are_named():
    lines = [line({"id": name}, "red") for name in ("mixed-c5-s1-i0", "x", "mixed-c5-s2-i0")]
    alone = score_answers(lines)
    assert alone.unknown == (Fault(2, "no task has the id 'x'"),)
    assert alone.missing == ()
    beside = score_answers(lines, tasks=ASKED[:3])
    assert beside.unknown == (
        Fault(2, "no task has the id 'x'"),
        Fault(3, "the tasks have no id 'mixed-c5-s2-i0'"),
    )
    assert beside.missing == ("mixed-c5-s1-i1", "mixed-c5-s1-i2")
    assert beside.groups[0].lengths[0].trials == 1


def test_unread_answers_are_wrong_and_those_with_several_words_are_told():
    truth = TASKS[1]["truth"]
    scored = score_answers(
        [line(TASKS[0], "I cannot"), line(TASKS[1], f"{wrong(TASKS[1])} {truth}")]
    )
    assert scored.unread == ("mixed-c5-s1-i0",)
    assert scored.several == ("mixed-c5-s1-i1",)
    assert scored.groups[0].lengths[0].right == 1


REFUSED = [
    ([], "0 lines cannot be used"),
    (
        [b"\n", b'{"id": "x", "answer": "red"}', b"red"],
        "2 lines cannot be used, the first, line 2, because no task has the id 'x'",
    ),
    ([b"red"], "1 line cannot be used, the first, line 1, because it is not JSON at column 1"),
]


@pytest.mark.parametrize(("lines", "sentence"), REFUSED)
def test_answers_of_which_none_can_be_used_are_refused(lines, sentence):
    with pytest.raises(ScenarioError) as caught:
        score_answers(lines)
    assert str(caught.value) == (
        f"answers hold nothing to score: {sentence}; "
        'write lines like {"id": "mixed-c1000-s1-i0", "answer": "red"}.'
    )


@pytest.mark.parametrize(
    ("tasks", "why"),
    [
        ([b"x"], "it is not JSON at column 1"),
        (
            [b'{"id": "x"}'],
            "id is 'x' but must be one that make has written: copy it from the task",
        ),
    ],
)
def test_a_file_of_tasks_with_another_line_is_refused(tasks, why):
    with pytest.raises(ScenarioError) as caught:
        score_answers([line(TASKS[0], "red")], tasks=[ASKED[0], *tasks])
    assert str(caught.value) == (
        f"tasks do not fit at line 2: {why}: give the file that make has written."
    )
