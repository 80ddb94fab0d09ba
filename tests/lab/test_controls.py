"""The controls: moving one sets the state; nonsense in a field is answered in a sentence."""

from __future__ import annotations

import math

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from lab.controls import written
from lab.state import LabState
from lab.text import controls
from sim import STRATEGIES
from tests.lab.desk import FIELDS, Desk, echoes

LABELS = {"seed": "Seed", "task": "Task number"} | {n: c.label for n, c in controls().items()}
SHARED = Desk()
"""One lab for all these tests: each leaves the default in every control."""


@pytest.fixture
def desk():
    yield SHARED
    SHARED.act("restore", 0)
    SHARED.set(**{name: written(LabState.param[name].default) for name in FIELDS})
    assert SHARED.state.settings() == LabState().settings()
    assert SHARED.errors == {}


def test_a_slider_sets_its_setting(desk):
    desk.set(window=32_000, trigger=0.55, summary_budget=8_000, keep_recent=0)
    state = desk.state
    assert (state.window, state.trigger, state.summary_budget, state.keep_recent) == (
        32_000, 0.55, 8_000, 0,
    )  # fmt: skip


@pytest.mark.parametrize("name", [n for n, c in controls().items() if c.kind == "switch"])
def test_a_switch_sets_its_setting_and_resets_it(desk, name):
    before = getattr(desk.state, name)
    desk.set(**{name: not before})
    assert getattr(desk.state, name) is (not before)
    desk.set(**{name: before})
    assert getattr(desk.state, name) is before


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_choice_sets_the_strategy(desk, strategy):
    desk.set(strategy=strategy)
    assert desk.state.strategy == strategy


@pytest.mark.parametrize(
    ("name", "typed", "value"),
    [
        ("tasks", "1", 1),
        ("tasks", "10,000", 10_000),
        ("tasks", " 250 ", 250),
        ("seed", "9007199254740991", 9_007_199_254_740_991),
        ("seed", "0", 0),
        ("task", "399", 399),
        ("mean_steps", "12.5", 12.5),
        ("mean_steps", "1e2", 100.0),
        ("max_steps", "200", 200),
        ("system_tokens", "12,000", 12_000),
        ("tool_tokens_median", "1,500.5", 1_500.5),
        ("fact_rate", ".25", 0.25),
        ("input_per_mtok", "0", 0.0),
    ],
)
def test_a_number_typed_in_an_ordinary_way_is_taken(desk, name, typed, value):
    desk.set(**{name: typed})
    assert desk.errors == {}
    assert getattr(desk.state, name) == value


@pytest.mark.parametrize(
    ("name", "typed", "sentence"),
    [
        ("seed", "abc", "“Seed” is 'abc' but must be a whole number from 0 to "
         "9,007,199,254,740,991: for example 1."),
        ("tasks", "0", "“Tasks” is '0' but must be a whole number from 1 to 10,000: "
         "for example 400."),
        ("tasks", "10001", "“Tasks” is '10001' but must be a whole number from 1 to 10,000: "
         "for example 400."),
        ("mean_steps", "forty", "“Mean steps” is 'forty' but must be a number from 1 to 200: "
         "for example 40."),
        ("min_steps", "8.5", "“Fewest steps” is '8.5' but must be a whole number from 1 to 200: "
         "for example 8."),
        ("fact_rate", "nan", "“Steps that reveal a fact” is 'nan' but must be a number from "
         "0 to 1: for example 0.5."),
        ("note_tokens", "-1", "“One note” is '-1' but must be a whole number from 0 to 100,000: "
         "for example 60."),
    ],
)  # fmt: skip
def test_a_wrong_number_is_answered_with_field_value_range_and_example(desk, name, typed, sentence):
    desk.set(**{name: typed})
    assert desk.errors == {name: sentence}


@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize("typed", ["", "nonsense", "nan", "inf", "-inf", "1e999", "9" * 5_000])
def test_every_field_refuses_nonsense_and_keeps_its_value(name, typed):
    assert refused(name, typed)


NUMBERS = st.floats(allow_nan=True, allow_infinity=True).map(repr)
WHOLE = st.integers(-(10**30), 10**30).map(str)
UNICODE = st.text(st.characters(exclude_characters=","), max_size=30)  # commas: see below
DIGITS = st.text("0123456789eE+-._ ٣५１½²∞", max_size=12)


@hypothesis_settings(deadline=None, max_examples=400, suppress_health_check=[HealthCheck.too_slow])
@given(name=st.sampled_from(FIELDS), typed=NUMBERS | WHOLE | UNICODE | DIGITS)
@example("seed", "٣")
@example("tasks", "1_000")
@example("mean_steps", "𝟙𝟚")
@example("mean_steps", "\x00")
@example("task", "<b>")
def test_whatever_is_typed_is_either_taken_as_that_number_or_refused(name, typed):
    if not refused(name, typed):
        low, high = LabState.param[name].bounds
        value = float(typed.replace(",", ""))
        assert low <= value <= high
        assert math.isfinite(value)


def refused(name: str, typed: str) -> bool:
    """Type into a field of the shared lab; whether it was refused, as it has to be."""
    before = {field: getattr(SHARED.state, field) for field in FIELDS}
    readout = SHARED.set(**{name: typed})["readout"]
    try:
        after = {field: getattr(SHARED.state, field) for field in FIELDS}
        if name not in readout["errors"]:
            assert readout["errors"] == {}
            assert after == before | {name: after[name]}
            return False
        sentence = readout["errors"].pop(name)
        assert readout["errors"] == {}
        assert after == before
        low, high = LabState.param[name].bounds
        assert sentence.startswith(f"“{LABELS[name]}” is ")
        assert repr(typed[:20])[1:-1] in sentence
        assert f"from {low:,} to {high:,}" in sentence
        example = sentence.rpartition("for example ")[2].removesuffix(".").replace(",", "")
        assert float(example) == LabState.param[name].default
        assert "\n" not in sentence
        return True
    finally:
        SHARED.set(**{field: written(LabState.param[field].default) for field in FIELDS})
        assert SHARED.errors == {}


@pytest.mark.parametrize("name", FIELDS)
def test_the_sentence_about_a_very_long_text_stays_short(name):
    readout = SHARED.set(**{name: "9" * 5_000})["readout"]
    SHARED.set(**{name: written(LabState.param[name].default)})
    assert len(readout["errors"][name]) < 200


@pytest.mark.parametrize("name", ["mean_steps", "tool_tokens_median", "min_steps", "seed"])
def test_the_sentence_shows_what_was_typed_commas_included(name):
    readout = SHARED.set(**{name: "1,2x"})["readout"]
    SHARED.set(**{name: written(LabState.param[name].default)})
    assert readout["errors"][name].startswith(f"“{LABELS[name]}” is '1,2x' but")


@pytest.mark.parametrize(
    ("name", "typed"), [("mean_steps", "12,5"), ("tool_tokens_median", "1,5"), ("tasks", "4,00")]
)
def test_a_comma_that_separates_no_thousands_is_not_dropped_in_silence(desk, name, typed):
    before = getattr(desk.state, name)
    desk.set(**{name: typed})
    assert name in desk.errors
    assert getattr(desk.state, name) == before


def test_an_error_goes_when_a_right_value_follows(desk):
    desk.set(mean_steps="forty")
    assert list(desk.errors) == ["mean_steps"]
    desk.set(mean_steps="30")
    assert desk.errors == {}
    assert desk.state.mean_steps == 30


def test_an_error_goes_when_the_old_value_is_typed_again(desk):
    desk.set(mean_steps="forty")
    desk.set(mean_steps="40")
    assert desk.errors == {}


def test_an_error_stays_while_other_controls_move(desk):
    desk.set(mean_steps="forty")
    desk.set(window=32_000)
    assert list(desk.errors) == ["mean_steps"]


def test_errors_of_two_fields_stand_side_by_side(desk):
    desk.set(mean_steps="forty", seed="x")
    assert sorted(desk.errors) == ["mean_steps", "seed"]


def test_a_field_shows_its_number_plainly_once_it_is_taken(desk):
    desk.set(tasks="1,000")
    assert desk.readout["fields"] == {"tasks": "1000"}


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("tool_tokens_median", "12345.67"),
        ("tokens_per_fact", "123456.7"),
        ("fact_rate", "0.12345678"),
        ("input_per_mtok", "999999.5"),
    ],
)
def test_a_field_shows_all_digits_of_the_number_that_is_simulated(desk, name, typed):
    """What the field shows is also what a new worker is told after the old one has died."""
    desk.set(**{name: typed})
    assert getattr(desk.state, name) == float(typed)
    assert float(desk.fields[name]) == float(typed)


@pytest.mark.parametrize(
    ("value", "text"), [(400, "400"), (40.0, "40"), (0.35, "0.35"), (1e-9, "1e-09"), (0.99, "0.99")]
)
def test_a_number_is_written_without_needless_digits(value, text):
    assert written(value) == text


def test_a_setting_restored_from_elsewhere_shows_in_its_control(desk):
    desk.set(mean_steps="12", strategy="truncate", window=32_000, notes=True)
    update = desk.act("restore", 0)
    attributes = {"strategy": "active", "window": "value", "notes": "active"}
    new = {
        name: echoes(update, desk.models[name].id, attribute)[0]["new"]
        for name, attribute in attributes.items()
    }
    assert new == {"strategy": 2, "window": 64_000, "notes": False}
    assert desk.readout["fields"] == {"mean_steps": "40"}
