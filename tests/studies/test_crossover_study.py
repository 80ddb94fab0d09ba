"""Seed 000 in the form of a study."""

from collections import Counter

import pytest

from sim.studies.state_tracking import published

LOSSES = [
    "10 % of its entries dropped", "20 % of its entries dropped", "50 % of its entries dropped",
    "10 % of its entries wrong", "20 % of its entries wrong", "30 % of its entries wrong",
    "50 % of its entries wrong",
]  # fmt: skip


def test_every_finding_holds(study):
    assert study("crossover").broken == ()


def test_another_seed_finds_the_same(study):
    assert study("crossover", 2).broken == ()


def test_the_mixed_rows_are_the_13_published_with_an_interval(table):
    rows = table("crossover", "Right answers over the whole context, mixed").values()
    assert len(rows) == 13
    for row in rows:
        assert row.low < row.ours < row.high
        assert row.published_low <= row.ours <= row.published_high


@pytest.mark.parametrize(("loss", "theirs"), list(zip(LOSSES, published().crossovers, strict=True)))
def test_a_published_n_star_is_the_end_of_its_range(table, loss, theirs):
    rows = table("crossover", f"N* where a state has {loss}").values()
    assert tuple(row.published_high for row in rows) == theirs.statements
    assert [row.label for row in rows] == ["T 0.004", "T 0.01", "T 0.04", "T 0.1", "T 0.2"]
    for row in rows:
        assert (row.difference == 0) == (row.note == "met")
        assert row.low < row.ours < row.high


def test_28_cells_are_met_and_each_other_is_explained(table, study):
    cells = [table("crossover", f"N* where a state has {loss}").values() for loss in LOSSES]
    notes = Counter(row.note for rows in cells for row in rows)
    assert notes == {"met": 28, "1 step early": 3, "1 step late": 3, "2 steps late": 1}
    assert len(study("crossover").misses) == 7


def test_the_best_share_is_never_worse_than_none_or_all(table):
    rows = list(table("crossover", "Partial compression").values())
    assert len(rows) == 12
    for raw, best, state in zip(rows[::3], rows[1::3], rows[2::3], strict=True):
        assert best.ours >= max(raw.ours, state.ours)
        assert (raw.published, best.published, state.published) == (None, None, None)
    assert [row.note for row in rows[2::3]] == ["extrapolated"] * 4
