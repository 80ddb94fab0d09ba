"""Seed 002's tables beside ours: what agrees, what does not, and how that is told."""

import json
import math

import numpy as np
import pytest

from sim import carrier, simulate
from sim.studies.carrier_figures import Figures, writer_of
from sim.studies.carriers import study
from sim.studies.sessions import Rows, pooled, rows_of, session
from sim.studies.study import published


@pytest.fixture(scope="module")
def tables():
    return {table.title: table for table in study().tables}


def outside(table):
    return [row.label for row in table.rows if row.within is False]


# What the study says


def test_the_ladder_comes_back(tables):
    ladder = tables["The ladder: recall of qwen3.6-35b-a3b, each rung with one change"]
    assert [row.published for row in ladder.rows] == [0.071, 0.771, 0.986]
    assert [row.within for row in ladder.rows] == [True, True, True]
    assert [row.ours for row in ladder.rows] == pytest.approx([0.156, 0.743, 0.982], abs=5e-4)


def test_the_table_of_twenty_models_comes_back_but_for_the_borderline_ones(tables):
    one = tables["Recall of twenty models, one field (j)"]
    five = tables["Recall of twenty models, five fields (q)"]
    assert len(one.rows) == len(five.rows) == 20
    assert outside(one) == ["glm-5.2", "qwen3.5-9b"]
    assert outside(five) == ["glm-5.2"]


def test_a_language_model_has_its_writer_and_its_fill_and_nothing_else(tables):
    ours = {}
    for title in ("Recall of twenty models, one field (j)",
                  "Recall of twenty models, five fields (q)"):  # fmt: skip
        for row in tables[title].rows:
            ours.setdefault((title, row.note.split("; ")[1]), set()).add(row.ours)
    assert all(len(values) == 1 for values in ours.values())
    assert len(ours) == 8  # in each table: listers, describers, and two gists of their own length


def test_five_fields_rescue_six_describers_and_no_gist(tables):
    modes = tables["Two ways to lose a fact, and what five fields do for each"]
    assert [row.ours for row in modes.rows[:2]] == [6, 0]
    assert [row.published for row in modes.rows] == [6, 0, 0.075]
    assert all(row.within for row in modes.rows)


def test_a_table_that_set_nothing_agrees_in_eight_of_ten_cells(tables):
    arms = tables["Recall by model and arm"]
    assert len(arms.rows) == 42
    assert len(outside(arms)) == 8
    assert {label.split("arm ")[1] for label in outside(arms)} == {"f", "l", "m"}


def test_every_finding_holds_on_other_seeds_too():
    assert study(1).broken == study(2).broken == ()


def test_the_study_says_what_it_misses(tables):
    told = " ".join(study().misses)
    for table in tables.values():
        for label in outside(table):
            assert label in told
    assert "one chunk missed nothing" in told


def test_the_study_is_plain_data():
    plain = json.loads(json.dumps(study().to_dict(), allow_nan=False))
    assert plain["name"] == "carriers"
    row = plain["tables"][0]["rows"][1]
    assert row["difference"] == pytest.approx(row["ours"] - 0.771)
    assert row["within"] is True


# What was published


def test_published_recall_is_a_whole_number_of_checks():
    """So the rows that we take a cell to have are possible; theirs are rounded row by row."""
    seen, cells = published("carriers"), []
    for model in seen["arms"]["models"]:
        for arm, recall in model["recall"].items():
            cells.append((recall, model.get("other_rows", {}).get(arm, model["rows"])))
    for name, *recalls, _ in seen["partition"]["models"]:
        counts = seen["partition"]["other_rows"].get(name, [4, 4])
        cells += zip(recalls, counts, strict=True)
    assert len(cells) == 82
    for recall, rows in cells:
        checks = 14 * rows
        assert abs(round(recall * checks) / checks - recall) < 0.001


def test_the_constants_of_the_model_are_those_that_were_published():
    seen = published("carriers")
    assert tuple(seen["sections"]["recall"]) == carrier.RECALL_BY_SECTIONS
    assert seen["ladder"]["headed_text"] == carrier.HEADED_RECALL
    gists = (25, 1, 0, 0, 0)
    described = zip(seen["sections"]["rows"], gists, strict=False)
    assert tuple(rows - gist for rows, gist in described) == carrier.DESCRIBED_ROWS
    for arm, count in seen["wrong"].items():
        rate = count["invented"] / (count["invented"] + count["admitted"])
        assert carrier.INVENTING[arm] == pytest.approx(rate)


def test_a_failing_model_that_fills_little_writes_gists():
    assert writer_of(0.5, 0.06) == {"writer": "lister"}
    assert writer_of(0.487, 0.59) == {"writer": "describer"}
    assert writer_of(0.304, 0.36) == {"writer": "gist", "gist_fill": 0.36}


# The sessions


def test_a_session_is_150_000_tokens_folded_five_times_ten_facts_each():
    run = simulate(session({"carrier": "headed_text"}), seed=1, tasks=20)
    assert run.grown.reshape(20, -1).sum(axis=1).tolist() == [150_000] * 20
    assert run.compactions.tolist() == [5] * 20
    assert run.edits.step.reshape(5, 20)[:, 0].tolist() == [9, 19, 29, 39, 49]
    assert len(run.facts) == 20 * 50
    assert run.needed.tolist() == [14] * 20


def test_one_chunk_is_folded_once_with_all_its_facts():
    scenario = session({"carrier": "one_field"}, planted=28, graded=7, chunks=1)
    run = simulate(scenario, seed=1, tasks=20)
    assert run.compactions.tolist() == [1] * 20
    assert run.edits.step.tolist() == [27] * 20


def test_what_a_fact_takes_meets_the_mean_of_the_arm_that_has_the_least_room():
    models = published("carriers")["arms"]["models"]
    theirs = sum(model["recall"]["l"] for model in models) / len(models)
    ours = Figures(1).rows("headed_text", {"writer": "lister"}, tokens=900).mean
    assert ours == pytest.approx(theirs, abs=0.005)


def test_rows_are_what_drawn_answers_would_give():
    """The distribution is exact; here the answers of its sessions are drawn."""
    scenario = session({"carrier": "five_fields"})
    exact = rows_of(scenario, 1)
    run = simulate(scenario, seed=1, tasks=2_000)
    held = [0] * 2_000
    for task, needed, state in zip(
        run.facts.task.tolist(), run.facts.needed.tolist(), run.facts.state_names(), strict=True
    ):
        held[task] += needed and state == "summary"
    rng = np.random.default_rng(7)
    scores = []
    for count in held:
        misses = rng.random() < 31 / 88
        kept = rng.random(count) >= carrier.MISSED_SHARE if misses else np.ones(count)
        scores.append(kept.sum() / 14)
    assert exact.mean == pytest.approx(np.mean(scores), abs=3 * np.std(scores) / math.sqrt(2_000))
    assert exact.at_least(1.0) == pytest.approx(np.mean(np.array(scores) == 1), abs=0.035)
    assert exact.variance == pytest.approx(np.var(scores), abs=0.01)


# Their arithmetic


def test_the_mean_of_ten_coins_falls_between_two_and_eight_of_them():
    assert Rows(np.array([0.5, 0.5])).range_of_mean(10) == (0.2, 0.8)
    assert Rows(np.array([0.0, 1.0])).range_of_mean(4) == (1.0, 1.0)
    low, high = Rows(np.array([0.5, 0.0, 0.0, 0.5])).range_of_mean(1)
    assert (low, high) == (0.0, 1.0)


def test_a_range_is_rounded_outwards():
    assert Rows(np.array([0.0, 0.0, 1.0, 0.0])).range_of_mean(1) == (0.666, 0.667)


def test_rows_of_all_or_nothing_correlate_fully_and_coins_not_at_all():
    assert Rows(np.array([0.3, 0.0, 0.0, 0.7])).correlation == pytest.approx(1)
    coins = Rows(np.array([1, 3, 3, 1]) / 8)
    assert coins.correlation == pytest.approx(0, abs=1e-12)
    assert coins.variance == pytest.approx(0.25 / 3)


def test_the_error_of_a_correlation_is_that_of_many_samples():
    rows = Rows(np.array([0.3, 0.1, 0.1, 0.2, 0.3]))
    draws = np.random.default_rng(5).choice(5, size=(4_000, 400), p=rows.chances)
    found = [Rows(np.bincount(d, minlength=5) / 400).correlation for d in draws]
    assert rows.correlation_error(400) == pytest.approx(np.std(found), rel=0.05)


def test_kinds_are_pooled_by_their_rows():
    pool = pooled([(Rows(np.array([1.0, 0.0])), 3), (Rows(np.array([0.0, 1.0])), 1)])
    assert pool.chances.tolist() == [0.75, 0.25]
    assert pool.at_least(0.5) == 0.25
