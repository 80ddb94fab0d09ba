"""The losses over state tables, alone and in a chain, and how often what is left answers right."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim import ScenarioError
from sim.studies.state_tracking import (
    ORACLE,
    UNSET_VALUE,
    Channel,
    Compressor,
    Recipe,
    draw_programs,
    drop,
    score,
    state_tables,
    substitute,
    true_answers,
)
from tests.strategies import rates, seeds

one_loss = st.one_of(st.builds(drop, rates()), st.builds(substitute, rates()))
compressors = st.lists(one_loss, max_size=3).map(
    lambda chain: Compressor(tuple(loss for one in chain for loss in one.losses))
)
SOME_UNSET = Recipe(statements=30)


def compressed(compressor, seed=1, programs=50, recipe=SOME_UNSET):
    tables = state_tables(draw_programs(recipe, seed=seed, programs=programs))
    return tables, Channel(compressor, seed).next_tables(tables)


@given(seeds())
def test_the_oracle_keeps_every_entry(seed):
    before, after = compressed(ORACLE, seed)
    assert np.array_equal(before, after)


@given(rates(), seeds())
def test_dropping_leaves_an_entry_as_it_was_or_unset(rate, seed):
    before, after = compressed(drop(rate), seed)
    assert ((after == before) | (after == UNSET_VALUE)).all()


@given(rates(), seeds())
def test_substituting_changes_values_and_adds_or_drops_none(rate, seed):
    before, after = compressed(substitute(rate), seed)
    assert np.array_equal(after == UNSET_VALUE, before == UNSET_VALUE)
    assert after.max() < 16


def test_at_rate_one_nothing_is_left_and_nothing_is_right():
    _, dropped = compressed(drop(1))
    before, wrong = compressed(substitute(1))
    assert (dropped == UNSET_VALUE).all()
    assert ((wrong != before) | (before == UNSET_VALUE)).all()


def test_a_substituted_value_is_any_of_the_other_fifteen():
    before, after = compressed(substitute(1), programs=20_000)
    away = (after.astype(int) - before)[before != UNSET_VALUE] % 16
    share = np.bincount(away, minlength=16) / len(away)
    assert share[0] == 0
    assert share[1:] == pytest.approx(np.full(15, 1 / 15), abs=0.003)


@given(st.sampled_from([drop, substitute]), rates(), rates(), seeds())
def test_a_larger_rate_hits_all_that_a_smaller_one_hits(loss, one, two, seed):
    low, high = sorted([one, two])
    before, gentle = compressed(loss(low), seed)
    _, harsh = compressed(loss(high), seed)
    assert not ((gentle != before) & (harsh == before)).any()


@given(compressors, seeds())
def test_one_entry_is_compressed_as_in_its_table(compressor, seed):
    programs = draw_programs(SOME_UNSET, seed=seed, programs=9)
    tables = Channel(compressor, seed).next_tables(state_tables(programs))
    entries = Channel(compressor, seed).next_entries(true_answers(programs), programs.query)
    assert entries.tolist() == tables[range(9), programs.query].tolist()


@given(compressors, seeds(), st.integers(1, 8))
def test_a_channel_may_be_read_some_programs_at_a_time(compressor, seed, first):
    tables, whole = compressed(compressor, seed, programs=9)
    channel = Channel(compressor, seed)
    parts = [channel.next_tables(tables[:first]), channel.next_tables(tables[first:])]
    assert np.array_equal(np.concatenate(parts), whole)


def test_a_loss_that_comes_twice_hits_other_entries_the_second_time():
    before, after = compressed(drop(0.5).then(drop(0.5)), programs=5_000)
    was_set = before != UNSET_VALUE
    kept = (after[was_set] != UNSET_VALUE).mean()
    assert kept == pytest.approx(0.25, abs=0.01)


# A table of SET-only programs: the chance that the entry is right is known in closed form.
KNOWN = [
    (ORACLE, 1.0, "oracle"),
    (drop(0.2), 0.8, "drop 0.2"),
    (substitute(0.3), 0.7, "substitute 0.3"),
    (drop(0.2).then(substitute(0.3)), 0.56, "drop 0.2 + substitute 0.3"),
    (substitute(1).then(substitute(1)), 1 / 15, "substitute 1 + substitute 1"),
    (substitute(0.5).then(drop(0.5)).then(substitute(0.5)), 0.125 + 0.125 / 15, None),
]


@pytest.mark.parametrize(("compressor", "accuracy", "name"), KNOWN)
def test_the_accuracy_of_a_compressor_is_a_product_of_chances(compressor, accuracy, name):
    assert compressor.accuracy == pytest.approx(accuracy, rel=1e-12)
    assert name is None or str(compressor) == name


@pytest.mark.parametrize(("compressor", "accuracy"), [row[:2] for row in KNOWN])
def test_the_score_agrees_with_the_chances(compressor, accuracy):
    recipe = Recipe(statements=50, grammar="set_only", target_rate=0.1)
    found = score(recipe, compressor, seed=1, programs=20_000)
    assert found.value == pytest.approx(accuracy, abs=4 * 0.5 / 20_000**0.5)
    assert found.low <= found.value <= found.high


def test_a_variable_that_is_unset_is_right_when_the_table_has_no_entry():
    found = score(Recipe(statements=1, grammar="set_only"), drop(1), seed=1, programs=2_000)
    assert found.value == pytest.approx(25 / 26, abs=0.02)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: drop(1.5), "rate is 1.5 but must be a number from 0 to 1: for example 0.2."),
        (lambda: drop(True), "rate is True but must be a number from 0 to 1: for example 0.2."),
        (lambda: substitute("a"), "rate is 'a' but must be a number from 0 to 1: for example 0.2."),
    ],
)
def test_a_rate_that_is_no_share_is_refused(make, sentence):
    with pytest.raises(ScenarioError) as caught:
        make()
    assert str(caught.value) == sentence
