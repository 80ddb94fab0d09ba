"""Part F: what a summary is written into, against a second implementation and the seed."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from sim import simulate, streams
from sim.carrier import (
    HELD_BY_SECTIONS,
    INVENTING,
    MISSED_SHARE,
    MISSING,
    confidently_wrong,
    fold_hazard,
    found,
)
from sim.packs import Carrier
from tests.sim import oracle
from tests.strategies import policies, scenarios, seeds

RECALL = [0.086, 0.041, 0.457, 0.529, 0.610, 0.900]
WRITERS = ("lister", "describer", "gist")
REAL = ("one_field", "five_fields", "headed_text")


def left_after(folds, hazard):
    """Mean of exp(-k h e) over unit-exponential e, by Simpson's rule."""
    e = np.linspace(0, 40, 400_001)
    weights = np.ones_like(e)
    weights[1:-1:2], weights[2:-1:2] = 4, 2
    return float((np.exp(-(folds * hazard + 1) * e) * weights).sum() * (e[1] - e[0]) / 3)


def test_an_answer_that_lacks_one_fact_invents_as_often_as_one_that_lacks_all():
    for name in ("one_field", "five_fields", "headed_text"):
        chances = confidently_wrong(Carrier(carrier=name), np.array([1, 9]), np.array([1.0, 0.0]))
        assert chances.tolist() == [INVENTING[name]] * 2


@pytest.mark.parametrize("sections", range(6))
def test_five_folds_give_the_recall_that_the_seed_found_by_sections(sections):
    """Of facts spread over five chunks, and with one field's share of answers that miss some."""
    hazard = fold_hazard(HELD_BY_SECTIONS[sections])
    held = sum(left_after(folds, hazard) for folds in (1, 2, 3, 4, 5)) / 5
    assert held * (1 - 13 / 103 * MISSED_SHARE) == pytest.approx(RECALL[sections], abs=1e-6)


def test_five_sections_hold_what_headed_text_does():
    assert HELD_BY_SECTIONS[5] == pytest.approx(0.986)
    assert pytest.approx(0.691, abs=5e-4) == MISSED_SHARE


def test_the_answers_miss_and_invent_at_the_seeds_rates_by_carrier():
    assert {name: round(rate, 3) for name, rate in MISSING.items()} == {
        "one_field": 0.126, "five_fields": 0.352, "headed_text": 0.0
    }  # fmt: skip
    assert {name: round(rate, 3) for name, rate in INVENTING.items()} == {
        "one_field": 0.264, "five_fields": 0.077, "headed_text": 0.077
    }  # fmt: skip


def test_a_summary_that_holds_everything_adds_no_hazard():
    assert fold_hazard(1.0) == 0.0
    assert fold_hazard(0.001) > fold_hazard(0.5) > 0


def test_an_answer_misses_by_what_only_the_summary_holds():
    pack = Carrier(carrier="five_fields")
    chances = found(pack, np.array([0, 1, 4, 14]))
    assert chances.tolist() == pytest.approx([1.0, 0.7566, 0.6509, 0.6477], abs=5e-5)
    assert found(Carrier(carrier="headed_text"), np.array([0, 9])).tolist() == [1.0, 1.0]


def test_silence_is_a_share_of_the_answers_that_lack_something():
    pack = Carrier(carrier="one_field")
    chances = confidently_wrong(pack, np.array([0, 0, 1, 3]), np.array([1.0, 0.75, 1.0, 0.75]))
    assert chances.tolist() == pytest.approx([0, 0.25 * 23 / 87, 23 / 87, 23 / 87])


# Against the second implementation


def solved(held):
    """The hazard by bisection."""
    low, high = 0.0, 1e6
    for _ in range(200):
        middle = (low + high) / 2
        left = sum(1 / (1 + folds * middle) for folds in (1, 2, 3, 4, 5)) / 5
        low, high = (middle, high) if left > held else (low, middle)
    return low


def mean_hazard(pack, draw):
    if pack["writer"] == "gist":
        return solved(pack["gist_fill"])
    sections = 5
    if pack["carrier"] == "one_field" and pack["writer"] == "describer":
        rows, sections, below = [38 - 25, 58 - 1, 5, 5, 11], 0, 0
        for count in rows[:-1]:
            below += count
            sections += draw >= below / sum(rows)
    missed = (1 - 0.900 / 0.986) / (13 / 103)
    return solved(RECALL[sections] / (1 - 13 / 103 * missed))


def outcomes(setting, pack, seed, n):
    """The second implementation's tasks, each with its chances of success and of silence."""
    draws = np.random.default_rng([seed, 14]).random((n, 2)).tolist()
    tasks = oracle.draw({**oracle.DEFAULTS, **setting}, seed, n)
    for task, (first, second) in zip(tasks, draws, strict=True):
        if pack["carrier"] != "ideal":
            task.fold_hazard = mean_hazard(pack, first) * -math.log1p(-second)
        out = task.run()
        out.silent = 0.0
        if pack["carrier"] == "ideal":
            continue
        needed = [fact for fact in out.facts if fact.needed]
        held = [fact for fact in needed if fact.state() == "summary" and not fact.noted]
        lost = [fact for fact in needed if fact.state() == "lost" and fact.cause == "summarised"]
        rate = {"one_field": 13 / 103, "five_fields": 31 / 88, "headed_text": 0}[pack["carrier"]]
        lacks = rate * (1 - (1 - MISSED_SHARE) ** len(held))
        out.success *= 1 - lacks
        if not out.failed:
            invents = 23 / 87 if pack["carrier"] == "one_field" else 4 / 52
            out.silent = invents * (1 if lost else lacks)
    return [task.out for task in tasks]


def packs():
    return st.fixed_dictionaries(
        {
            "carrier": st.sampled_from(REAL),
            "writer": st.sampled_from(WRITERS),
            "gist_fill": st.one_of(st.sampled_from([0.001, 0.21, 1.0]), st.floats(0.001, 1.0)),
        }
    )


FAILS_AFTER_A_FOLD = {
    "window": 12_000, "summary_budget": 8_000, "assistant_tokens": 2_000, "keep_recent": 0,
    "trigger": 0.95,
}  # fmt: skip


@example(
    setting=FAILS_AFTER_A_FOLD,
    pack={"carrier": "one_field", "writer": "describer", "gist_fill": 0.21},
    seed=1, n=50,
)  # fmt: skip
@given(setting=scenarios(), pack=packs(), seed=seeds(), n=st.integers(1, 8))
def test_each_fact_and_task_ends_as_in_the_second_implementation(setting, pack, seed, n):
    run = simulate(setting | pack, seed=seed, tasks=n)
    expected = outcomes(setting, pack, seed, n)
    facts = [fact for out in expected for fact in out.facts]
    assert run.facts.state_names() == [fact.state() for fact in facts]
    assert run.facts.fold.tolist() == [fact.fold for fact in facts]
    assert run.success.tolist() == pytest.approx([out.success for out in expected], abs=1e-9)
    silent = [out.silent for out in expected]
    assert run.confidently_wrong.tolist() == pytest.approx(silent, abs=1e-9)
    assert run.cost.tolist() == pytest.approx([out.cost for out in expected])


# Invariants


@given(setting=scenarios(), pack=packs(), seed=seeds())
def test_an_ideal_carrier_is_the_base_model_whoever_writes(setting, pack, seed):
    base = simulate(setting, seed=seed, tasks=8)
    run = simulate(setting | pack | {"carrier": "ideal"}, seed=seed, tasks=8)
    assert run.success.tolist() == base.success.tolist()
    assert run.facts.state.tolist() == base.facts.state.tolist()
    assert run.tiles == base.tiles
    assert run.confidently_wrong.tolist() == [0.0] * 8


def lost(run):
    return set(zip(run.facts.task[run.facts.cause >= 0].tolist(),
                   run.facts.step[run.facts.cause >= 0].tolist(), strict=True))  # fmt: skip


def from_best_to_worst(setting, writer, seed):
    names = ("ideal", "headed_text", "five_fields", "one_field")
    return [
        simulate(setting | {"carrier": name, "writer": writer}, seed=seed, tasks=8)
        for name in names
    ]


@given(
    setting=policies(), writer=st.sampled_from(WRITERS), fill=st.floats(0.001, 1.0), seed=seeds()
)
def test_a_better_carrier_loses_no_fact_that_a_worse_one_keeps(setting, writer, fill, seed):
    """With ample room, so that what is lost leaves no room for others; A5 has the same caveat."""
    roomy = setting | {"tokens_per_fact": 0.001, "strategy": "summarise", "gist_fill": fill}
    runs = from_best_to_worst(roomy, writer, seed)
    for better, worse in pairwise(runs):
        assert lost(better) <= lost(worse)
        assert (better.needed_lost <= worse.needed_lost).all()
        assert better.peak.tolist() == worse.peak.tolist()


@given(setting=policies(), writer=st.sampled_from(WRITERS), seed=seeds())
def test_at_a_first_fold_it_loses_no_more_in_any_room(setting, writer, seed):
    runs = from_best_to_worst(setting | {"strategy": "summarise"}, writer, seed)
    at_first = [
        {place for place, fold in zip(range(len(run.facts)), run.facts.fold, strict=True)
         if fold == 1}
        for run in runs
    ]  # fmt: skip
    assume(at_first[-1])
    assert at_first[0] <= at_first[1] <= at_first[2] <= at_first[3]


@given(setting=scenarios(), pack=packs(), seed=seeds())
def test_whoever_writes_a_gist_gains_nothing_from_fields(setting, pack, seed):
    gist = setting | pack | {"writer": "gist"}
    runs = [simulate(gist | {"carrier": name}, seed=seed, tasks=8) for name in REAL]
    states = [run.facts.state.tolist() for run in runs]
    assert states[0] == states[1] == states[2]


@given(setting=scenarios(), pack=packs(), seed=seeds())
def test_no_more_answers_are_confidently_wrong_than_are_wrong(setting, pack, seed):
    run = simulate(setting | pack, seed=seed, tasks=8)
    wrong = run.confidently_wrong
    assert (wrong >= 0).all()
    assert (wrong <= INVENTING[pack["carrier"]]).all()
    assert (wrong + run.success <= 1).all()
    unfolded = np.ones(len(run), dtype=bool)
    unfolded[run.edits.task[run.edits.kind == 0]] = False
    assert (wrong[unfolded | run.failed] == 0).all()


def test_a_task_meets_the_same_fate_in_any_number_of_tasks():
    pack = {"carrier": "one_field", "writer": "describer"}
    few, many = (simulate(pack, seed=3, tasks=n) for n in (2_050, 2_060))
    assert many.success[:2_050].tolist() == few.success.tolist()
    assert many.confidently_wrong[2_040:2_050].tolist() == few.confidently_wrong[2_040:].tolist()


def test_a_later_block_of_tasks_goes_on_in_the_stream():
    whole = np.random.default_rng([3, streams.SUMMARY_SECTIONS]).random((2_053, 2))
    later = streams.rows_from(3, streams.SUMMARY_SECTIONS, 2_048, 5, width=2)
    assert later.tolist() == whole[2_048:].tolist()


def test_silence_is_a_mean_with_its_interval():
    run = simulate({"carrier": "one_field", "writer": "describer"}, seed=1, tasks=400)
    tile, values = run.tiles["confidently_wrong"], run.confidently_wrong
    half = 1.96 * values.std(ddof=1) / 20
    assert (tile.value, tile.low, tile.high) == pytest.approx(
        (values.mean(), values.mean() - half, values.mean() + half)
    )
    assert 0.19 < tile.low < tile.high < 0.23
