"""The words of a claim are true of some numbers and false of others."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.claims import ClaimError, Results, holds, phrases
from sim import Estimate


def results(*values, noise=0.01):
    changes = [Estimate(b - a, b - a - noise, b - a + noise) for a, b in pairwise(values)]
    return Results(values=values, changes=tuple(changes))


@pytest.mark.parametrize(
    ("words", "true", "false"),
    [
        ("almost every", [0.9], [0.89]),
        ("Almost all", [1.0], [0.5]),
        ("most", [0.51], [0.5]),
        ("about half", [0.46], [0.56]),
        ("hardly any", [0.05], [0.06]),
        ("none", [0.0], [0.001]),
        ("about three in four", [0.79], [0.81]),
        ("more than nine in ten", [0.91], [0.9]),
        ("fewer than one in three", [0.33], [0.34]),
        ("more than doubles", [0.2, 0.41], [0.2, 0.4]),
        ("more than twice", [0.2, 0.41], [0.2, 0.3]),
        ("more than halves", [0.4, 0.19], [0.4, 0.2]),
        ("less than half", [0.4, 0.19], [0.4, 0.3]),
        ("hardly changes", [1.0, 0.96], [1.0, 0.94]),
        ("hardly more", [1.0, 1.04], [1.0, 0.99]),
        ("rises", [0.2, 0.22], [0.2, 0.205]),
        ("falls", [0.22, 0.2], [0.205, 0.2]),
        ("higher", [0.2, 0.3], [0.3, 0.2]),
        ("rises and then falls", [0.1, 0.3, 0.5, 0.4], [0.1, 0.3, 0.5, 0.6]),
        ("rises and then falls", [0.1, 0.3, 0.2], [0.3, 0.2, 0.1]),
        ("rises and then falls", [0.1, 0.3, 0.2, 0.1], [0.1, 0.3, 0.2, 0.3]),
        ("rises and then falls", [0.1, 0.3, 0.2], [0.1, 0.3, 0.295]),
    ],
)
def test_a_phrase_is_true_of_one_and_false_of_the_other(words, true, false):
    assert holds(words, results(*true))
    assert not holds(words, results(*false))


@given(st.floats(0, 1), st.floats(0, 1))
def test_nothing_rises_and_falls_at_once(a, b):
    assert not (holds("rises", results(a, b)) and holds("falls", results(a, b)))


def test_a_change_within_the_noise_is_no_change():
    assert not holds("more than doubles", results(0.1, 0.3, noise=0.25))
    assert not holds("more than halves", results(0.3, 0.1, noise=0.25))


def test_a_change_of_one_task_has_no_interval_and_says_nothing():
    lone = Results(values=(0.0, 1.0), changes=(Estimate(1.0, None, None),))
    assert not holds("rises", lone)
    assert not holds("falls", lone)


@pytest.mark.parametrize(
    ("words", "values", "sentence"),
    [
        ("triples", [1, 2], "“triples” means nothing for two settings: write one of more than do"),
        ("rises", [1], "“rises” means nothing for one setting: write one of almost every, "),
        ("most", [1, 2, 3], "“most” means nothing for three settings or more: write one of rises"),
        ("about six in zero", [1], "“about six in zero” means nothing for one setting: "),
    ],
)
def test_a_phrase_without_meaning_is_refused_with_those_that_have_one(words, values, sentence):
    with pytest.raises(ClaimError) as error:
        holds(words, results(*values))
    assert str(error.value).startswith(sentence)


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_every_phrase_that_is_offered_means_something(count):
    for words in phrases(count):
        assert holds(words, results(*[0.5] * count)) in (True, False)
