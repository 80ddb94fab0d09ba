"""The state: one parameter and one control for each setting, and which controls are at rest."""

from __future__ import annotations

from typing import Any

import param
import pytest
from hypothesis import given, reject
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from lab.packs import packs
from lab.state import LabState, at_rest
from lab.text import controls, text
from sim import (
    STRATEGIES,
    Scenario,
    ScenarioError,
    is_base,
    setting_default,
    setting_info,
    simulate,
)
from tests.lab.desk import settings

SETTINGS = list(Scenario().all_settings())
SLIDERS = {
    "window": (16_000, 200_000, 1_000),
    "trigger": (0.40, 0.95, 0.01),
    "summary_budget": (200, 8_000, 100),
    "keep_recent": (0, 16, 1),
}


def test_every_setting_has_exactly_one_control():
    assert sorted(set(controls()) - {"tasks"}) == sorted(SETTINGS)
    listed = [name for group in text()["groups"] for name in group["controls"]]
    listed += [name for pack in packs() for name in pack.controls]
    assert len(listed) == len(set(listed)) == len(SETTINGS) + 1


def test_every_setting_has_exactly_one_parameter():
    assert sorted(LabState.param) == sorted([*SETTINGS, "seed", "tasks", "task", "name"])


def test_the_state_starts_at_the_default_scenario():
    state = LabState()
    assert Scenario.from_dict(state.settings()) == Scenario()
    assert (state.seed, state.tasks, state.task) == (1, 400, 0)


@pytest.mark.parametrize("name", SETTINGS)
def test_a_parameter_has_the_kind_and_the_bounds_of_its_setting(name):
    parameter, rule, default = LabState.param[name], setting_info(name), setting_default(name)
    assert parameter.default == default
    if "options" in rule:
        assert parameter.objects == list(rule["options"])
    elif isinstance(default, bool):
        assert type(parameter) is param.Boolean
    else:
        assert type(parameter) is (param.Integer if isinstance(default, int) else param.Number)
        assert parameter.bounds == rule["bounds"]


@pytest.mark.parametrize("name", SETTINGS)
def test_a_control_is_of_the_kind_of_its_setting(name):
    default, kind = setting_default(name), controls()[name].kind
    if isinstance(default, bool):
        assert kind == "switch"
    elif isinstance(default, str):
        assert kind == "choice"
    else:
        assert kind in ("slider", "number")


def test_the_sliders_have_the_ranges_of_the_model():
    sliders = {n: (c.low, c.high, c.step) for n, c in controls().items() if c.kind == "slider"}
    assert sliders == SLIDERS


@pytest.mark.parametrize("name", SLIDERS)
def test_a_slider_can_stand_at_its_default_and_stays_within_what_can_be_simulated(name):
    control, (low, high) = controls()[name], setting_info(name)["bounds"]
    assert low <= control.low < control.high <= high
    steps = (setting_default(name) - control.low) / control.step
    assert steps == pytest.approx(round(steps))


def test_a_state_refuses_what_is_out_of_bounds():
    state = LabState()
    with pytest.raises(ValueError, match="seed"):
        state.seed = -1
    with pytest.raises(ValueError, match="tasks"):
        state.tasks = 10_001
    assert (state.seed, state.tasks) == (1, 400)


# --- at rest ---------------------------------------------------------------------------------

REASONS = {
    "no_strategy": ("trigger", {"strategy": "none"}),
    "no_summary": ("summary_budget", {"strategy": "truncate"}),
    "no_recent": ("keep_recent", {"strategy": "truncate"}),
    "no_notes": ("noted_rate", {}),
    "no_clearing": ("stub_tokens", {}),
    "pinned": ("instruction_keep", {"pin_instruction": True}),
    "no_noise": ("noisy_tools_factor", {}),
    "no_horizon": ("long_horizon_factor", {}),
    "forgetful": ("tokens_per_fact", {"forgetful_summariser": True}),
    "not_forgetful": ("forgetful_tokens_per_fact", {}),
    "pack_off": ("gpus", {}),
}


@pytest.mark.parametrize("reason", REASONS)
def test_each_reason_for_rest_is_given_where_it_holds(reason):
    name, changes = REASONS[reason]
    assert at_rest({**Scenario().to_dict(), **changes})[name] == reason


@hypothesis_settings(deadline=None, max_examples=100)
@given(settings())
def test_each_reason_for_rest_is_a_text(chosen):
    given_reasons = at_rest(Scenario().to_dict() | chosen).values()
    assert set(given_reasons) <= set(text()["resting"])


def test_each_text_of_a_reason_is_used():
    assert set(text()["resting"]) == set(REASONS)


def other_values(name: str) -> st.SearchStrategy[Any]:
    """Values of a setting, from end to end of its bounds, but none that swamps the rest."""
    default, rule = setting_default(name), setting_info(name)
    if "options" in rule:
        return st.sampled_from(rule["options"])
    if isinstance(default, bool):
        return st.just(not default) | st.just(default)
    low, high = rule["bounds"]
    high = min(high, 50_000)
    numbers = st.integers(low, high) if isinstance(default, int) else st.floats(low, high)
    return st.sampled_from([low, high]) | numbers


@hypothesis_settings(deadline=None, max_examples=200)
@given(chosen=settings(), data=st.data())
def test_a_control_at_rest_has_no_effect_on_any_tile(chosen, data):
    whole = Scenario().to_dict() | chosen
    name = data.draw(st.sampled_from([*at_rest(whole)]))
    changed = whole | {name: data.draw(other_values(name))}
    try:
        Scenario.from_dict(changed)
    except ScenarioError:
        reject()  # some settings are checked together, also at rest
    assert simulate(changed, seed=3, tasks=12).tiles == simulate(whole, seed=3, tasks=12).tiles


# Between them, worlds in which everything can happen: nothing lost and everything lost, edits of
# all kinds, failed tasks.
WORLDS = (
    {"window": 64_000},
    {"window": 30_000, "noted_rate": 0.5, "instruction_keep": 0.5},
    {"window": 14_000, "noted_rate": 0.1, "instruction_keep": 0.5, "mean_steps": 20.0},
    {"window": 7_000, "noted_rate": 0.5, "mean_steps": 12.0, "min_steps": 1, "max_steps": 60},
    {"window": 5_000, "noted_rate": 0.3, "needed_facts": 30, "min_steps": 1},
    {"window": 30_000, "noted_rate": 0.1, "needed_facts": 30, "tool_tokens_median": 300.0},
    {"window": 400_000, "max_steps": 60},
)
ELSEWHERE = {
    "window": 7_000, "trigger": 0.5, "summary_budget": 4_000, "keep_recent": 1,
    "mean_steps": 9.0, "steps_sigma": 1.0, "min_steps": 30, "max_steps": 9,
    "tool_tokens_median": 200.0, "tool_tokens_sigma": 0.1, "assistant_tokens": 900,
    "system_tokens": 100, "instruction_tokens": 2_000, "fact_rate": 0.95, "needed_facts": 40,
    "restated_rate": 0.05, "noted_rate": 0.05, "note_tokens": 900, "tokens_per_fact": 2_000.0,
    "stub_tokens": 900, "instruction_keep": 0.05, "noisy_tools_factor": 8.0,
    "long_horizon_factor": 1, "forgetful_tokens_per_fact": 1.0, "input_per_mtok": 9.0,
}  # fmt: skip


def changes_a_tile(whole: dict[str, Any], name: str) -> bool:
    """Whether a setting, put elsewhere, changes a tile in any of the worlds."""
    default = setting_default(name)
    for world in WORLDS:
        base = whole | world
        if "options" in setting_info(name):
            others = [option for option in STRATEGIES if option != base[name]]
        else:
            others = [not base[name]] if isinstance(default, bool) else [ELSEWHERE[name]]
        tiles = simulate(base, seed=2, tasks=30).tiles
        if any(simulate(base | {name: o}, seed=2, tasks=30).tiles != tiles for o in others):
            return True
    return False


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("pin_instruction", [False, True])
@pytest.mark.parametrize("others_on", [False, True])
def test_a_control_that_is_not_at_rest_can_change_a_tile(strategy, pin_instruction, others_on):
    others = ["clear_tool_results", "notes", "noisy_tools", "long_horizon"]
    whole = Scenario().to_dict() | dict.fromkeys(others, others_on)
    whole |= {"strategy": strategy, "pin_instruction": pin_instruction}
    awake = [n for n in SETTINGS if is_base(n) and n not in at_rest(whole)]
    assert [name for name in awake if not changes_a_tile(whole, name)] == []
