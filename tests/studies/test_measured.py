"""A pasted table of one's own model: what is read, and what is refused with its line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim import ScenarioError
from sim.studies.state_tracking import (
    Point,
    fit_curve,
    format_points,
    measured_curve,
    mixed_curve,
    parse_points,
    published,
)

ROWS = (Point(100, 94, 100), Point(1000, 48, 100), Point(5000, 5, 100))
points = st.lists(
    st.integers(1, 1_000_000).flatmap(
        lambda n: st.builds(Point, st.integers(1, 10**9), st.integers(0, n), st.just(n))
    ),
    min_size=1,
    max_size=8,
).map(tuple)

WRITTEN = [
    "100,0.94,100\n1000,0.48,100\n5000,0.05,100",
    "length,accuracy,n\n100,94%,100\n1000,48%,100\n5000,5%,100\n",
    "100\t94\t100\n1,000\t48\t100\n5,000\t5\t100",
    "100 94 % 100\n1,000 48 % 100\n5,000 5 % 100",
    "100, 94 %, 100\n1000, 48 %, 100\n5000, 5 %, 100",
    "100;0,94;100\n1 000;0,48;100\n5 000;0,05;100",
    '"100","94%","100"\r\n"1,000","48%","100"\r\n"5,000","5%","100"\r\n',
    "| statements | accuracy | n |\n|---|---:|---|\n| 100 | 94 % | 100 |\n| 1000 | 48 % | 100 |\n"
    "| 5000 | 5 % | 100 |",
    "n,accuracy,length\n100,0.94,100\n100,0.48,1000\n100,0.05,5000",
    "\ufeff# my model\n\nLength (statements)\tRight\tof\n100\t.94\t100\n\n1\u202f000\t.48\t100\n"
    "5\u00a0000\t0.05\t100\n",
    "100.0,0.94,100.0\n1000.0,0.48,100.0\n5000.0,0.05,100.0",
    "100 0.94 100\n1'000 48% 100\n5_000 5.0% 100",
]


@pytest.mark.parametrize("text", WRITTEN)
def test_a_table_is_read_however_it_was_written(text):
    assert parse_points(text) == ROWS


def test_accuracies_without_a_sign_are_shares_only_if_all_are_at_most_one():
    assert [p.right for p in parse_points("10 1 200\n20 0.5 200")] == [200, 100]
    assert [p.right for p in parse_points("10 2 200\n20 1 200\n30 0 200")] == [4, 2, 0]
    assert [p.right for p in parse_points("10 0.5% 200\n20 2 200")] == [1, 4]


def test_shares_and_percentages_side_by_side_are_refused():
    with pytest.raises(ScenarioError) as caught:
        parse_points("10 90 200\n20 0.5 200")
    assert str(caught.value) == (
        "table has accuracies of 90 and of 0.5 but must have shares only, or percentages only: "
        "write % after each percentage."
    )


@given(points, st.sampled_from(["\t", ",", ";", " ", " | "]), st.booleans())
def test_a_table_is_read_back_from_its_text(rows, mark, has_header):
    lines = [f"{p.statements}{mark}{p.right / p.trials:.12f}{mark}{p.trials}" for p in rows]
    if has_header:
        lines.insert(0, mark.join(["length", "accuracy", "n"]))
    assert parse_points("\n".join(lines)) == rows
    assert parse_points(format_points(rows)) == rows


@given(points)
def test_thousands_and_percentages_read_as_plain_numbers_do(rows):
    lines = [
        f"{p.statements:,}\t{100 * p.right / p.trials:.12f} %\t{p.trials:,}".replace("\t", "\t ")
        for p in rows
    ]
    assert parse_points("\n".join(lines)) == rows


@given(st.text(max_size=200))
def test_any_text_is_a_table_or_refused_in_one_sentence(text):
    try:
        rows = parse_points(text)
    except ScenarioError as refusal:
        assert str(refusal).startswith("table ")  # noqa: PT017
        assert "\n" not in str(refusal)  # noqa: PT017
    else:
        assert all(0 <= p.right <= p.trials and p.statements >= 1 for p in rows)


WRITE = ": write 1000, 48 %, 100."
REFUSED = [
    (
        "",
        "table has 0 rows but must have from 1 to 1,000: paste lines like 1000, 48 %, 100 "
        "(length, accuracy, number of trials).",
    ),
    (
        "100,0.9,100\n\n1000,0.5\n",
        "table does not fit at line 3: it has 2 cells but must have 3, length, accuracy and n, "
        "with no comma at thousands where commas part them" + WRITE,
    ),
    (
        "1,000,0.9,100",
        "table does not fit at line 1: it has 4 cells but must have 3, length, accuracy and n, "
        "with no comma at thousands where commas part them" + WRITE,
    ),
    (
        "length,accuracy,n\n100,1.2e1,100\n200,0.5,x\n300,0.5,10",
        "table does not fit at line 2: its accuracy is '1.2e1' but must be from 0 to 1 or from 0 "
        "to 100 % (line 3 does not either)" + WRITE,
    ),
    (
        "0,1,1\n-5,1,1\n1.5,1,1",
        "table does not fit at line 1: its length is '0' but must be a whole number from 1 to "
        "1,000,000,000 (lines 2, 3 do not either)" + WRITE,
    ),
    (
        "1" * 5_000 + " 0.5 10",
        f"table does not fit at line 1: its length is '{'1' * 40}…' but must be a whole number "
        "from 1 to 1,000,000,000" + WRITE,
    ),
    (
        "100\t0.5\t1,00",
        "table does not fit at line 1: its n is '1,00' but must be a whole number from 1 to "
        "1,000,000,000" + WRITE,
    ),
    (
        "1.000;0,5;100",
        "table does not fit at line 1: its length is '1.000' but must be a whole number from 1 to "
        "1,000,000,000" + WRITE,
    ),
    (
        "100 101% 5",
        "table does not fit at line 1: its accuracy is '101%' but must be from 0 to 1 or from 0 "
        "to 100 %" + WRITE,
    ),
]


@pytest.mark.parametrize(("text", "sentence"), REFUSED)
def test_what_is_no_row_is_refused_with_the_number_of_its_line(text, sentence):
    with pytest.raises(ScenarioError) as caught:
        parse_points(text)
    assert str(caught.value) == sentence


def test_the_curve_of_a_pasted_table_is_that_of_its_counts():
    table = "\n".join(f"{r.statements}\t{r.right}%\t{r.trials}" for r in published().mixed)
    ours, theirs = measured_curve(table, seed=1), mixed_curve(seed=1)
    assert (ours.half, ours.steepness) == (theirs.half, theirs.steepness)
    assert (ours.replicates == theirs.replicates).all()
    assert ours.tried == (10, 5000)
    assert not ours.is_outside


def test_a_table_without_a_curve_is_refused():
    with pytest.raises(ScenarioError, match="add lengths at which it fails"):
        measured_curve("100 100% 5\n200 100% 5", seed=1)
    with pytest.raises(ScenarioError, match="must be of two lengths or more"):
        measured_curve("100 50% 6", seed=1)


def test_a_table_of_very_many_trials_is_no_burden():
    curve = measured_curve("100 0.9 1,000,000,000\n1000 0.4 1,000,000,000", seed=1)
    plain = fit_curve([Point(100, 900, 1000), Point(1000, 400, 1000)], seed=1)
    assert curve.half == pytest.approx(plain.half, rel=1e-3)
