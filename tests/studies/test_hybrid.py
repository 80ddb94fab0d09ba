"""A state for the first part and the rest raw: the texts, their accuracy and the best share."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim import ScenarioError
from sim.studies.state_tracking import (
    ORACLE,
    SHARES,
    UNSET_VALUE,
    VALUES,
    VARIABLES,
    Channel,
    Recipe,
    best_shares,
    curve_for,
    draw_programs,
    drop,
    hybrid_crossing,
    play_hybrid,
    score,
    substitute,
)
from sim.studies.state_tracking.hybrid_texts import play_texts
from tests.strategies import rates, seeds
from tests.studies.programs import naive_answer, naive_state

SET_ONLY = Recipe(statements=40, grammar="set_only", target_rate=0.1)
MIXED = Recipe(statements=40)
losses = st.one_of(st.builds(drop, rates()), st.builds(substitute, rates()), st.just(ORACLE))
recipes = st.one_of(
    st.builds(Recipe, statements=st.integers(1, 60)),
    st.builds(
        Recipe, statements=st.integers(1, 60), grammar=st.just("set_only"),
        target_rate=st.floats(0.01, 1), last_position=st.floats(0.1, 1),
    ),
    st.builds(Recipe, statements=st.integers(1, 60), grammar=st.just("set_only")),
)  # fmt: skip


@pytest.fixture(scope="module")
def curve():
    return curve_for(SET_ONLY, seed=1)


# The texts, written out


def written(source, cut, compressor, seed, row, carry_rules):
    """The hybrid's text, put together word by word from a program's text."""
    *lines, question = source.splitlines()
    head, rest = lines[:cut], lines[cut:]
    rules = [line for line in head if line.startswith("RULE")] if carry_rules else []
    kept = [line for line in head if not line.startswith("RULE")] if carry_rules else head
    state = naive_state(kept)
    table = np.full((row + 1, 26), UNSET_VALUE, dtype=np.int8)
    for variable, value in state.items():
        table[row, VARIABLES.index(variable)] = VALUES.index(value)
    lossy = Channel(compressor, seed).next_tables(table)[row]
    entries = [
        f"SET {name} = {VALUES[code]}"
        for name, code in zip(VARIABLES, lossy, strict=True)
        if code != UNSET_VALUE
    ]
    return [*entries, *rules, *rest], question


@settings(max_examples=60)
@given(recipes, losses, st.lists(rates(), min_size=1, max_size=3), seeds(), st.booleans())
def test_a_text_is_right_if_the_other_interpreter_reads_the_truth_in_it(
    recipe, compressor, shares, seed, carry_rules
):
    right, length = play_texts(recipe, compressor, shares, seed, 3, carry_rules)
    programs = draw_programs(recipe, seed=seed, programs=3)
    for row in range(3):
        source = str(programs.program(row))
        for z, share in enumerate(shares):
            cut = round(share * recipe.statements)
            lines, question = written(source, cut, compressor, seed, row, carry_rules)
            text = "".join(f"{line}\n" for line in [*lines, question])
            assert right[row, z] == (naive_answer(text) == naive_answer(source))
            assert length[row, z] == len(lines)


@pytest.mark.parametrize("recipe", [SET_ONLY, MIXED])
def test_a_state_for_all_of_it_is_right_as_often_as_the_compressor_scores(recipe):
    curve = curve_for(recipe, seed=1)
    found = play_hybrid(recipe, drop(0.3), curve, seed=3, programs=500, shares=[1.0])
    assert found.points[0].text_right == score(recipe, drop(0.3), seed=3, programs=500)


@given(recipes.filter(lambda recipe: recipe.grammar == "set_only"), rates(), seeds())
def test_the_oracle_loses_nothing_of_a_set_only_program(recipe, share, seed):
    right, _ = play_texts(recipe, ORACLE, [share], seed, 5, False)
    assert right.all()


@given(rates(), seeds())
def test_nor_of_a_mixed_one_if_it_carries_the_rules(share, seed):
    right, _ = play_texts(MIXED, ORACLE, [share], seed, 5, True)
    assert right.all()


def test_a_table_of_values_alone_forgets_rules_that_the_rest_would_set_off():
    right, _ = play_texts(Recipe(statements=300), ORACLE, [0.0, 0.5, 1.0], 1, 300, False)
    assert right.mean(axis=0)[[0, 2]].tolist() == [1, 1]
    assert 0.9 < right.mean(axis=0)[1] < 0.98


# Accuracy


def test_no_state_is_the_whole_context(curve):
    found = play_hybrid(SET_ONLY, drop(0.2), curve, seed=1, programs=50, shares=[0.0])
    (point,) = found.points
    assert point.length == 40
    assert point.accuracy.value == pytest.approx(curve.accuracy([40])[0], rel=1e-12)
    assert point.is_extrapolated


def test_the_accuracy_is_that_of_the_curve_at_each_texts_own_length(curve):
    recipe = Recipe(statements=1000, grammar="set_only", target_rate=0.04)
    right, length = play_texts(recipe, drop(0.2), [0.8], 1, 400, False)
    expected = np.mean([ok * curve.accuracy([n])[0] for ok, n in zip(right, length, strict=True)])
    (point,) = play_hybrid(
        recipe, drop(0.2), curve, seed=1, programs=400, shares=[0.8]
    ).points  # fmt: skip
    assert point.accuracy.value == pytest.approx(expected, rel=1e-9)
    assert point.accuracy.low < point.accuracy.value < point.accuracy.high
    assert not point.is_extrapolated


def test_the_interval_is_as_wide_as_programs_drawn_anew_and_curve_make_it(curve):
    """Where the curve is flat, at its left, the programs alone are left: Wilson's interval."""
    found = play_hybrid(SET_ONLY, drop(0.5), curve, seed=1, programs=400, shares=[1.0])
    (point,) = found.points
    width = point.accuracy.high - point.accuracy.low
    assert width == pytest.approx(point.text_right.high - point.text_right.low, rel=0.15)


def test_a_hybrid_beats_both_the_whole_context_and_the_state(curve):
    recipe = Recipe(statements=1000, grammar="set_only", target_rate=0.04)
    found = play_hybrid(recipe, drop(0.2), curve_for(recipe, seed=1), seed=1)
    by_share = {point.share: point.accuracy for point in found.points}
    assert list(by_share) == list(SHARES)
    assert (found.best.share, found.best_low, found.best_high) == (0.9, 0.9, 0.9)
    percent = [f"{by_share[share].value:.0%}" for share in (0.9, 0.0, 1.0)]
    assert percent == ["98%", "31%", "80%"]  # the README says so
    assert by_share[0.9].low > 0.95
    assert by_share[0.0].high < 0.45
    assert by_share[1.0].high < 0.85


def test_the_longer_the_context_the_more_of_it_is_best_compressed():
    recipe = Recipe(grammar="set_only", target_rate=0.04)
    found = best_shares(
        recipe, drop(0.2), curve_for(recipe, seed=1), lengths=(100, 300, 1000, 3000), seed=1
    )  # fmt: skip
    assert [hybrid.recipe.statements for hybrid in found] == [100, 300, 1000, 3000]
    assert [hybrid.best.share for hybrid in found] == [0.0, 0.7, 0.9, 0.98]
    for hybrid in found:
        assert hybrid.best_low <= hybrid.best.share <= hybrid.best_high


def test_of_equal_shares_the_one_that_compresses_least_is_best(curve):
    found = play_hybrid(SET_ONLY, ORACLE, curve, seed=1, programs=20, shares=[0.5, 0.5, 0.5])
    assert found.best is found.points[0]


def test_the_same_seed_plays_the_same_hybrid(curve):
    one, same, other = (
        play_hybrid(SET_ONLY, drop(0.2), curve, seed=seed, programs=50) for seed in (1, 1, 2)
    )
    assert one == same != other


# N* of a share


def test_n_star_of_a_share_is_where_it_overtakes_the_whole_context():
    recipe = Recipe(grammar="set_only", target_rate=0.04)
    curve, lengths = curve_for(recipe, seed=1), (100, 141, 200, 283, 400, 566, 800)
    found = hybrid_crossing(
        recipe, drop(0.2), curve, share=0.9, lengths=lengths, seed=1, programs=1000
    )  # fmt: skip
    assert found.low <= found.value <= found.high
    assert 200 < found.value < 283
    for statements, is_better in ((200, False), (283, True)):
        at = play_hybrid(
            Recipe(statements=statements, grammar="set_only", target_rate=0.04),
            drop(0.2), curve, seed=1, shares=[0.0, 0.9],
        )  # fmt: skip
        raw, hybrid = (point.accuracy.value for point in at.points)
        assert (hybrid > raw) == is_better


@pytest.mark.parametrize(("loss", "length"), [(ORACLE, 300), (drop(1), float("inf"))])
def test_a_share_that_is_always_better_or_never_has_the_first_length_or_none(loss, length):
    recipe = Recipe(grammar="set_only", target_rate=0.2)
    found = hybrid_crossing(
        recipe, loss, curve_for(recipe, seed=1), share=1.0, lengths=(300, 500), seed=1, programs=100
    )  # fmt: skip
    assert (found.value, found.low, found.high) == (length, length, length)


@pytest.mark.parametrize("share", [-0.1, 1.5, float("nan"), True, "half"])
def test_a_share_that_is_none_is_refused(curve, share):
    with pytest.raises(ScenarioError, match=r"share is .* but must be a number from 0 to 1"):
        play_hybrid(SET_ONLY, ORACLE, curve, seed=1, shares=[share])
