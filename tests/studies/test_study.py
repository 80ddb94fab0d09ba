"""The form of a study: what a row says of two figures, the list, and the command."""

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim import Estimate, ScenarioError
from sim.studies import plain
from sim.studies.catalogue import STUDIES, run_study, study_title
from sim.studies.study import (
    UNITS,
    Finding,
    Row,
    Study,
    Table,
    falls,
    published,
    rises,
    said,
    written,
    written_difference,
)

NO_BREAK = "\N{NO-BREAK SPACE}"
ROOT = Path(__file__).parents[2]


def call(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "sim", "study", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
    )


def row(**figures):
    return Row(label="a", **figures)


def test_a_difference_is_ours_less_the_published():
    assert row(ours=3.0, published=5.0).difference == -2.0
    assert row(ours=3.0, published=5.0, published_low=2.0, published_high=6.0).difference == -2.0


def test_a_difference_to_a_range_is_to_its_nearer_end():
    about = {"published_low": 2.0, "published_high": 6.0}
    assert row(ours=1.5, **about).difference == -0.5
    assert row(ours=7.0, **about).difference == 1.0
    assert row(ours=4.0, **about).difference == 0.0
    assert row(ours=1.0, published_low=2.0).difference == -1.0
    assert row(ours=99.0, published_low=2.0).difference == 0.0
    assert row(ours=99.0, published_high=2.0).difference == 97.0


def test_what_is_missing_has_neither_difference_nor_verdict():
    for half in (row(ours=1.0), row(published=1.0), row(published_low=1.0), row()):
        assert (half.difference, half.within) == (None, None)


def test_two_figures_agree_where_their_intervals_meet():
    ours = {"ours": 3.0, "low": 2.0, "high": 4.0}
    assert row(**ours, published=4.0).within is True
    assert row(**ours, published=4.1).within is False
    assert row(**ours, published=5.0, published_low=4.0, published_high=6.0).within is True
    assert row(**ours, published=1.0, published_low=0.5, published_high=1.9).within is False
    assert row(**ours, published_low=4.0).within is True
    assert row(**ours, published_high=1.9).within is False
    assert row(ours=3.0, published=3.0).within is True
    assert row(ours=3.0, published=3.1).within is False


figures = st.floats(-1e6, 1e6)


@given(ours=figures, ends=st.tuples(figures, figures).map(sorted))
def test_a_value_agrees_with_a_range_if_it_is_at_no_distance(ours, ends):
    found = row(ours=ours, published_low=ends[0], published_high=ends[1])
    assert found.within == (found.difference == 0)


def test_an_unknown_unit_is_refused():
    with pytest.raises(ValueError, match=r"unit of 'a' is 'furlong' but must be one of \$, ×, %"):
        row(unit="furlong")


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.9575, "%", "95.8 %"),
        (1234567.4, "tokens", "1,234,567 tokens"),
        (-0.0321, "$", "−$0.032"),
        (65.536, "GB", "65.54 GB"),
        (-0.0001, "$", "$0.000"),
        (3.6, "×", "3.60×"),
        (0.07149, "", "0.071"),
    ],
)
def test_a_figure_is_written_with_its_unit(value, unit, text):
    assert written(value, unit).replace(NO_BREAK, " ") == text


@given(st.floats(-1e12, 1e12), st.sampled_from(sorted(UNITS)))
def test_a_written_figure_can_be_read_again(value, unit):
    suffix, digits = UNITS[unit]
    text = written(value, unit)
    number = text.removesuffix(suffix).replace("−", "-").replace("$", "").replace(",", "")
    scale = 100 if unit == "%" else 1
    assert math.isclose(float(number), scale * value, rel_tol=1e-9, abs_tol=0.51 * 10**-digits)


def test_a_difference_has_its_sign_and_that_of_shares_is_in_points():
    for found, text in (
        (row(ours=0.5, published=0.4, unit="%"), "+10.0 points"),
        (row(ours=0.4, published=0.5, unit="%"), "−10.0 points"),
        (row(ours=3.0, published=3.0, unit="s"), "0.00 s"),
        (row(ours=3.0), ""),
    ):
        assert written_difference(found).replace(NO_BREAK, " ") == text


def test_a_change_is_one_only_beyond_its_interval():
    assert rises(Estimate(2.0, 0.1, 3.9))
    assert not falls(Estimate(2.0, 0.1, 3.9))
    assert falls(Estimate(-2.0, -3.9, -0.1))
    assert not rises(Estimate(-2.0, -3.9, -0.1))
    for unsure in (Estimate(2.0, 0.0, 4.0), Estimate(2.0, None, None), Estimate(0.0, 0.0, 0.0)):
        assert not rises(unsure)
        assert not falls(unsure)


def test_a_published_figure_is_a_value_a_range_or_both():
    assert said({"value": 3.0, "low": 2.0, "high": 4.0}) == {
        "published": 3.0, "published_low": 2.0, "published_high": 4.0,
    }  # fmt: skip
    assert said({"low": 24.0}) == {"published_low": 24.0}


def small(**more):
    table = Table(
        title="Things",
        rows=(
            Row(label="one", ours=1.0, low=0.5, high=1.5, published=2.0, verified=False, unit="s"),
            Row(label="number two", published_low=10.0, unit="s", note="said so"),
        ),
    )
    parts = {"findings": (Finding(text="It is so.", holds=True),), "sources": ("A book",)} | more
    return Study(
        name="small", title="A small study", question="Is it?", method="By hand.",
        tables=(table,), **parts,
    )  # fmt: skip


def test_the_text_of_a_study_has_aligned_columns_and_says_what_is_not_verified():
    lines = plain.as_text(small()).replace(NO_BREAK, " ").split("\n")
    start = lines.index("Things")
    assert lines[start + 1 : start + 4] == [
        "              ours  95 % interval             published  difference  agrees  note",
        "one         1.00 s  0.50 … 1.50 s  2.00 s, not verified     −1.00 s      no",
        "number two       –                         from 10.00 s                      said so",
    ]
    assert lines[-5:] == ["Findings", "- It is so.", "", "Sources", "- A book"]


def test_columns_without_anything_in_them_are_left_out():
    table = Table(title="Things", rows=(Row(label="one", ours=1.0),))
    assert list(plain.columns_of(table)) == ["", "ours"]


def test_a_finding_that_does_not_hold_is_named_as_such():
    study = small(findings=(Finding(text="It is so.", holds=False),))
    assert study.broken == ("It is so.",)
    assert "- NO LONGER TRUE: It is so." in plain.as_text(study)


def test_a_study_as_plain_values_has_what_is_calculated():
    rows = small().to_dict()["tables"][0]["rows"]
    assert [(r["difference"], r["within"]) for r in rows] == [(-1.0, False), (None, None)]
    json.dumps(small().to_dict(), allow_nan=False)


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_is_complete_and_all_of_its_findings_hold(study, name):
    found = study(name)
    assert (found.name, found.title) == (name, study_title(name))
    assert found.broken == ()
    assert found.findings
    assert found.sources
    for table in found.tables:
        assert table.rows
        labels = [row.label for row in table.rows]
        assert len(set(labels)) == len(labels)
        if table.chart:
            assert len({row.unit for row in table.rows}) == 1
    titles = [table.title for table in found.tables]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("name", STUDIES)
def test_the_findings_hold_on_other_tasks_too(name):
    assert run_study(name, seed=1000).broken == ()


def test_an_unknown_study_is_refused_with_the_nearest():
    with pytest.raises(ScenarioError, match=r"^'regime' is not a study: did you mean regimes\?$"):
        run_study("regime")
    with pytest.raises(ScenarioError, match="'x' is not a study: use one of cost_reversal, "):
        study_title("x")


def test_published_figures_are_read_once():
    assert published("regimes") is published("regimes")


def test_without_a_name_the_command_lists_the_studies():
    done = call()
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split()[0] for line in done.stdout.splitlines()] == list(STUDIES)
    assert json.loads(call("--json").stdout) == {name: study_title(name) for name in STUDIES}


def test_the_command_prints_a_study_and_its_json(study):
    done = call("cost_reversal")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == plain.as_text(study("cost_reversal")) + "\n"
    done = call("cost_reversal", "--json")
    assert json.loads(done.stdout) == json.loads(json.dumps(study("cost_reversal").to_dict()))


def test_the_seed_changes_the_figures(study):
    other = json.loads(call("cost_reversal", "--seed", "2", "--json").stdout)
    assert other["tables"] != json.loads(json.dumps(study("cost_reversal").to_dict()))["tables"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["regime"], "'regime' is not a study: did you mean regimes?\n"),
        (
            ["regimes", "--seed", "-1"],
            "seed is -1 but must be a whole number from 0 to 9223372036854775803: for example 1.\n",
        ),
    ],
)
def test_what_the_command_cannot_take_is_one_sentence_and_exit_code_2(arguments, sentence):
    done = call(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", sentence)
