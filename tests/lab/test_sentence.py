"""The sentence that sums up a run."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings

from lab.sentence import summary
from sim import simulate
from tests.lab.desk import settings


def sentence(tasks=400, seed=1, **changes):
    return "".join(summary(simulate(changes, seed=seed, tasks=tasks)))


REFERENCE = [
    (
        {},
        "66 of 100 tasks succeed, at $3.60 each. One needed fact in ten is lost, most of them in "
        "the second summary: 1,000 tokens are too few for the 15 facts it has to hold.",
    ),
    (
        {"strategy": "truncate"},
        "8 of 100 tasks succeed, at $3.75 each. 48 of 100 needed facts are lost, all of them with "
        "the old steps that truncation drops. The instruction is lost in 92 % of tasks: "
        "truncation drops it first.",
    ),
    (
        {"strategy": "none"},
        "24 of 100 tasks succeed, at $2.67 each. 74 of 100 outgrow the 64,000-token window, and "
        "nothing makes room.",
    ),
    (
        {"summary_budget": 8_000},
        "93 of 100 tasks succeed, at $3.85 each. No needed fact is lost.",
    ),
    (
        {"window": 32_000, "summary_budget": 8_000},
        "70 of 100 tasks succeed, at $3.88 each. One needed fact in 22 is lost, all of them when "
        "the context overflows the 32,000-token window. The instruction is lost in 14 % of tasks: "
        "overflows drop it first.",
    ),
    (
        {"notes": True},
        "89 of 100 tasks succeed, at $3.63 each. One needed fact in 80 is lost, most of them in "
        "the second summary: 1,000 tokens are too few for the 15 facts it has to hold.",
    ),
    (
        {"clear_tool_results": True},
        "30 of 100 tasks succeed, at $3.51 each. One needed fact in four is lost, all of them "
        "with cleared tool results that the assistant had not restated.",
    ),
    (
        {"noisy_tools": True},
        "26 of 100 tasks succeed, at $6.83 each. One needed fact in three is lost, most often "
        "when the context overflows the 64,000-token window. The instruction is lost in 20 % of "
        "tasks: overflows drop it first.",
    ),
    (
        {"long_horizon": True},
        "21 of 100 tasks succeed, at $7.80 each. 37 of 100 needed facts are lost, most often in "
        "the third summary: 1,000 tokens are too few for the 21 facts it has to hold.",
    ),
    (
        {"forgetful_summariser": True},
        "29 of 100 tasks succeed, at $3.60 each. One needed fact in three is lost, most of them "
        "in the first summary: 1,000 tokens are too few for the 8 facts it has to hold.",
    ),
]


@pytest.mark.parametrize(("changes", "words"), REFERENCE)
def test_the_sentence_of_each_reference_point_is_this(changes, words):
    assert sentence(**changes) == words


def test_the_lead_is_the_part_that_is_set_in_bold():
    lead, rest = summary(simulate({}))
    assert lead == "66 of 100 tasks succeed"
    assert rest.startswith(", at $3.60 each. ")


def test_an_answer_that_needs_no_facts_is_said_to_need_none():
    assert sentence(needed_facts=0).startswith(
        "93 of 100 tasks succeed, at $3.60 each. The answer needs no facts."
    )


def test_few_lost_facts_are_still_told():
    assert sentence(summary_budget=3_000) == (
        "91 of 100 tasks succeed, at $3.67 each. One needed fact in 133 is lost, most often in "
        "the second summary: 3,000 tokens are too few for the 15 facts it has to hold."
    )
    assert re.fullmatch(
        r"\d+ of 100 tasks succeed, at \$3\.\d\d each\. Only \d of 1,600 needed facts are lost\.",
        sentence(summary_budget=4_200),
    )


def test_tasks_that_cannot_fit_are_said_to_fail_and_no_loss_is_blamed():
    words = sentence(
        window=5_000, system_tokens=4_000, instruction_tokens=900, pin_instruction=True
    )
    assert words == (
        "0 of 100 tasks succeed, at $0.01 each. "
        "100 of 100 fail: what must stay does not fit the 5,000-token window."
    )


@hypothesis_settings(deadline=None, max_examples=150)
@given(settings())
def test_the_sentence_is_whole_whatever_the_setting(chosen):
    words = sentence(tasks=20, seed=5, **chosen)
    assert words.endswith(".")
    for flaw in ("  ", "..", " ,", " .", "nan", "inf", "None", "in 1 is", "in zero"):
        assert flaw not in words
    assert all(part[0].isupper() or part[0].isdigit() for part in words.split(". "))


@hypothesis_settings(deadline=None, max_examples=150)
@given(settings())
def test_the_sentence_says_that_facts_are_lost_just_when_they_are(chosen):
    run = simulate(chosen, seed=5, tasks=20)
    words = "".join(summary(run))
    if run.tiles["failed"].value >= 0.5:
        return
    says_loss = "needed fact" in words and "No needed fact" not in words
    assert says_loss == (run.tiles["needed_lost"].value > 0)


def test_fewer_than_100_tasks_are_counted_where_there_is_a_count():
    assert sentence(tasks=1, window=16_000).startswith("0 of 1 tasks succeed")
    assert " 1 of 1 outgrow " in sentence(tasks=1, seed=1, strategy="none", window=16_000)
    assert sentence(tasks=50).split()[2] == "100"  # chances, which are no whole number of tasks
