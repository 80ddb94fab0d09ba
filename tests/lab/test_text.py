"""Words and how numbers are written."""

from __future__ import annotations

import re

import pytest

from lab import text as words
from lab.figures import Figures
from lab.text import controls, dollars, number, ordinal, percent, setting, thousands
from sim import EVENTS, TILES


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [
        (0, 0, "0"),
        (1234.5, 0, "1,234"),
        (1_000_000, 0, "1,000,000"),
        (-3.26, 1, "−3.3"),
        (-0.04, 1, "0.0"),
        (-0.0, 2, "0.00"),
        (0.005, 2, "0.01"),
    ],
)
def test_a_number_has_thousands_and_a_true_minus_and_no_negative_zero(value, digits, shown):
    assert number(value, digits) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (3.596, "$3.60"),
        (0, "$0.00"),
        (-0.07, "−$0.07"),
        (-0.001, "$0.00"),
        (12_345.6, "$12,345.60"),
    ],
)
def test_an_amount_is_written_to_the_cent(value, shown):
    assert dollars(value) == shown


@pytest.mark.parametrize(
    ("share", "digits", "shown"),
    [(0.6582, 1, "65.8 %"), (0, 1, "0.0 %"), (1, 0, "100 %"), (-0.015, 1, "−1.5 %")],
)
def test_a_share_is_written_as_a_percentage(share, digits, shown):
    assert percent(share, digits) == shown


def test_tokens_are_written_in_thousands():
    assert thousands(56_532.75) == "56.5k"


@pytest.mark.parametrize(
    ("count", "word"),
    [
        (1, "first"), (2, "second"), (5, "fifth"), (6, "6th"), (11, "11th"), (12, "12th"),
        (13, "13th"), (20, "20th"), (21, "21st"), (22, "22nd"), (23, "23rd"), (24, "24th"),
        (101, "101st"), (111, "111th"),
    ],
)  # fmt: skip
def test_an_ordinal_is_english(count, word):
    assert ordinal(count) == word


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("window", 32_000, "32,000 tokens"),
        ("trigger", 0.8, "80 %"),
        ("strategy", "truncate", "truncate"),
        ("notes", True, "on"),
        ("notes", False, "off"),
        ("mean_steps", 12.5, "12.5 steps"),
        ("steps_sigma", 0.35, "0.35"),
        ("keep_recent", 0, "0 steps"),
        ("input_per_mtok", 3.0, "3 $ / 1M tokens"),
    ],
)
def test_a_setting_is_written_with_its_unit(name, value, shown):
    assert setting(controls()[name], value) == shown


def test_every_tile_has_its_words():
    assert list(words.text()["tiles"]) == list(TILES)
    for spec in words.text()["tiles"].values():
        assert set(spec) == {"name", "short", "help"}


def test_every_event_is_a_switch_among_the_events():
    assert [n for n, c in controls().items() if c.group == "events"] == list(EVENTS)


def test_every_control_has_a_label_of_its_own_and_help():
    labels = [control.label for control in controls().values()]
    assert len(set(labels)) == len(labels)
    assert all(control.help.endswith(".") for control in controls().values())


def test_every_chart_has_its_words():
    assert list(words.text()["charts"]) == list(Figures().roots)


def test_every_assumption_has_a_source():
    assert len(words.text()["assumptions"]) >= 12
    for line in words.text()["assumptions"]:
        assert set(line) == {"what", "source"}
        assert line["source"].endswith(".")


def test_the_limits_are_those_of_the_model_in_full():
    assert words.text()["limits"]["text"] == [
        "Real summarisers do not lose facts independently, and what they drop depends on prompt "
        "and content.",
        "Agents do not know in advance which facts matter.",
        "Fact loss, needed facts, restating and noting are drawn, not observed.",
        "The numbers are calculated estimates; no model is called.",
        "Learn the shape of the trade-offs here, then test a policy with tasks whose answers "
        "depend on early facts.",
    ]


def test_the_words_are_quiet():
    everything = str(words.text())
    assert "!" not in everything
    assert not re.search(r"\b(simply|just|easy|please)\b", everything, re.IGNORECASE)
