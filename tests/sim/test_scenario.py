"""What a scenario accepts, what it says when it does not, and that nothing can change it."""

import dataclasses
import re

import numpy as np
import pytest

from sim import Scenario, ScenarioError, draw_tasks, setting_names, simulate

NAN, INFINITY = float("nan"), float("inf")

OUT_OF_RANGE = {
    "window": [0, -5],
    "trigger": [0, -0.1, 1.5, NAN, INFINITY],
    "summary_budget": [0, -1],
    "keep_recent": [-1, 1_000],
    "mean_steps": [0, -1, 201, NAN],
    "steps_sigma": [-0.1, NAN],
    "min_steps": [0, -1],
    "max_steps": [0, 201],
    "tool_tokens_median": [0, -1, INFINITY],
    "tool_tokens_sigma": [-0.1, NAN],
    "assistant_tokens": [-1],
    "system_tokens": [-1],
    "instruction_tokens": [-1],
    "fact_rate": [-0.1, 1.1, NAN],
    "needed_facts": [-1],
    "restated_rate": [-0.1, 1.1],
    "noted_rate": [-0.1, 1.1],
    "note_tokens": [-1],
    "tokens_per_fact": [0, -40],
    "stub_tokens": [-1],
    "instruction_keep": [-0.1, 1.1],
    "noisy_tools_factor": [0, -3],
    "long_horizon_factor": [0, -2],
    "forgetful_tokens_per_fact": [0, -1],
    "input_per_mtok": [-1, NAN, INFINITY],
}
OUT_OF_RANGE |= {
    "cache_read_per_mtok": [-1, NAN],
    "cache_write_per_mtok": [-1, INFINITY],
    "output_per_mtok": [-1],
    "cold_share": [-0.1, 1.1],
    "clear_at_least": [-1],
    "layers": [0],
    "attention_heads": [0],
    "kv_heads": [0],
    "head_dim": [0],
    "latent_dim": [-1],
    "rope_dim": [-1],
    "kv_value_bytes": [0, 9],
    "weight_bytes": [0, 9],
    "total_params": [0, NAN],
    "active_params": [0],
    "gpus": [0],
    "gpu_memory": [0],
    "gpu_bandwidth": [0, INFINITY],
    "gpu_flops": [0],
    "mfu": [0, 1.5],
    "batch": [0],
    "most_missed": [-0.1, 1.1],
    "clear_trigger": [-0.1, 1.1],
    "clear_keep": [-1, 201],
    "clear_every": [0, 201],
    "effective_fraction": [0, 1.1],
    "mask_search_at": [-0.1, 1.1],
    "mask_execute_at": [-0.1, 1.1],
    "mask_edit_at": [-0.1, 1.1],
    "masked_tokens": [-1],
    "search_share": [-0.1, 1.1],
    "edit_share": [-0.1, 1.1],
    "offload_above": [-1],
    "preview_tokens": [-1],
    "read_back_rate": [-0.1, 1.1],
    "read_back_tokens": [0],
    "archive_rate": [-0.1, 1.1],
    "rework": [-1, 101],
    "rework_tokens": [0],
    "rework_decay": [0, 1001],
    "gist_fill": [0, 1.1],
}
OUT_OF_RANGE |= {
    "trigger_steps": [-1],
    "check_every": [0],
    "truncate_to": [0, 1.1],
    "keep_recent_tokens": [-1],
    "keep_recent_share": [-0.1, 0.91],
    "rehydrate_tokens": [-1],
    "summariser_input_cap": [-1],
    "tool_clip": [-1],
    "summariser_calls": [0],
    "summariser_price": [-0.1, NAN],
    "tool_cap": [-1],
}
OF_THE_WRONG_KIND = {
    "window": ["64000", None, True, 64_000.5],
    "trigger": ["high", None, True],
    "keep_recent": [1.5, "6", False],
    "needed_facts": [2.5],
    "min_steps": [8.5],
    "long_horizon_factor": [1.5],
    "mean_steps": ["40", None],
    "input_per_mtok": ["3", None],
}
NOT_A_SWITCH = {
    "clear_tool_results": [1, "yes", None],
    "notes": [0, "true"],
    "pin_instruction": [1.0],
    "instruction_required": [None],
    "noisy_tools": ["on"],
    "long_horizon": [1],
    "forgetful_summariser": ["no"],
    "caching": ["on"],
    "hardware": [1],
    "clear_apart": [1],
    "masking": ["on"],
    "offloading": [None],
    "archive": ["yes"],
}

OTHER_CHOICES = {
    "summariser_cache": "warm, cold",
    "notes_at": "end, front",
    "reading": "linear, u_shaped, state_tracking",
    "staking": "off, new_results, all_at_once",
    "carrier": "ideal, one_field, five_fields, headed_text",
    "writer": "lister, describer, gist",
}


def each(table):
    return [
        pytest.param(field, value, id=f"{field} {value!r}")
        for field, values in table.items()
        for value in values
    ]


def refusal(setting):
    with pytest.raises(ScenarioError) as caught:
        Scenario.from_dict(setting)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert sentence.endswith((".", "?"))
    return sentence


@pytest.mark.parametrize(("field", "value"), each(OUT_OF_RANGE) + each(OF_THE_WRONG_KIND))
def test_a_bad_number_is_named_with_its_value_and_the_allowed_range(field, value):
    sentence = refusal({field: value})
    assert field in sentence
    given = sentence.replace(",", "")
    assert str(value) in given or repr(value) in given
    lowest, highest = re.search(r"from (\S+) to (\S+?)[,:.]? ", given).groups()
    assert float(lowest) < float(highest)


@pytest.mark.parametrize(("field", "value"), each(NOT_A_SWITCH))
def test_a_bad_switch_is_named_with_its_value_and_the_two_options(field, value):
    sentence = refusal({field: value})
    assert field in sentence
    assert repr(value) in sentence
    assert "true or false" in sentence


@pytest.mark.parametrize("value", ["truncat", "drop", "", "Truncate", None, 3])
def test_a_bad_strategy_is_named_with_all_options(value):
    sentence = refusal({"strategy": value})
    assert "strategy" in sentence
    assert repr(value) in sentence
    for option in ("none", "truncate", "summarise"):
        assert option in sentence


def test_a_mistyped_strategy_gets_a_suggestion():
    assert "did you mean truncate?" in refusal({"strategy": "truncat"})


def test_every_field_is_tried_above():
    tried = {*OUT_OF_RANGE, *OF_THE_WRONG_KIND, *NOT_A_SWITCH, "strategy", *OTHER_CHOICES}
    assert tried == set(setting_names())


@pytest.mark.parametrize(("field", "options"), OTHER_CHOICES.items())
def test_a_bad_choice_of_a_pack_is_named_with_all_options(field, options):
    sentence = refusal({field: "no such thing"})
    assert sentence.startswith(f"{field} is 'no such thing' but must be one of {options}")


def test_a_pack_is_listed_only_where_it_differs_from_its_defaults():
    base = Scenario().to_dict()
    assert "caching" not in base
    changed = Scenario.from_dict({"caching": True, "cold_share": 0.0, "batch": 35})
    assert changed.to_dict() == {**base, "caching": True, "batch": 35}
    assert Scenario.from_dict(changed.to_dict()) == changed
    assert changed.value("cold_share") == 0.0


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("windw", "window"), ("noisy_tool", "noisy_tools"), ("sumary_budget", "summary_budget")],
)
def test_an_unknown_field_gets_a_suggestion(typed, meant):
    sentence = refusal({typed: 1})
    assert typed in sentence
    assert f"did you mean {meant}" in sentence
    with pytest.raises(ScenarioError, match=f"{typed}.*did you mean {meant}"):
        Scenario().replace(**{typed: 1})


def test_a_field_like_no_other_is_still_refused():
    assert "qqq" in refusal({"qqq": 1})


# Fields that must agree


@pytest.mark.parametrize(
    ("setting", "smallest"),
    [({}, 3_201), ({"system_tokens": 10_000}, 10_201), ({"assistant_tokens": 1_000}, 4_001)],
)
def test_a_window_must_hold_the_system_prompt_and_one_step(setting, smallest):
    assert Scenario.from_dict(setting | {"window": smallest}).policy.window == smallest
    sentence = refusal(setting | {"window": smallest - 1}).replace(",", "")
    assert "window" in sentence
    assert str(smallest - 1) in sentence
    assert str(smallest) in sentence


def test_the_shortest_task_is_not_longer_than_the_longest():
    assert Scenario.from_dict({"min_steps": 50, "max_steps": 50}).workload.max_steps == 50
    sentence = refusal({"min_steps": 51, "max_steps": 50})
    for part in ("min_steps", "51", "max_steps", "50"):
        assert part in sentence


def test_the_long_horizon_keeps_a_task_within_two_hundred_steps():
    assert Scenario.from_dict({"max_steps": 200}).workload.max_steps == 200
    assert Scenario.from_dict({"max_steps": 100, "long_horizon": True}).events.long_horizon
    sentence = refusal({"max_steps": 101, "long_horizon": True})
    for part in ("max_steps", "101", "200"):
        assert part in sentence


@pytest.mark.parametrize(
    ("setting", "parts"),
    [
        ({"clear_apart": True}, ["clear_apart", "clear_tool_results to true"]),
        ({"mask_search_at": 0.81}, ["mask_search_at", "0.81", "0.8", "0.85", "must not fall"]),
        ({"search_share": 0.9, "edit_share": 0.2}, ["search_share", "0.9", "0.2", "at most 1"]),
        (
            {"masking": True, "staking": "new_results", "clear_tool_results": True},
            ["staking", "new_results", "clear_tool_results"],
        ),
    ],
)
def test_packs_that_contradict_each_other_are_refused(setting, parts):
    sentence = refusal(setting)
    for part in parts:
        assert part in sentence


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"seed": -1}, "seed"),
        ({"seed": 1.5}, "seed"),
        ({"seed": True}, "seed"),
        ({"seed": "1"}, "seed"),
        ({"tasks": 0}, "tasks"),
        ({"tasks": -3}, "tasks"),
        ({"tasks": 2.5}, "tasks"),
        ({"tasks": True}, "tasks"),
    ],
)
def test_a_bad_seed_or_number_of_tasks_is_refused(arguments, field):
    with pytest.raises(ScenarioError) as caught:
        simulate(Scenario(), **({"seed": 1, "tasks": 4} | arguments))
    assert field in str(caught.value)
    assert str(arguments[field]) in str(caught.value)


# Defaults and changes


def test_what_a_mapping_leaves_out_is_the_default():
    assert Scenario.from_dict({}) == Scenario()
    scenario = Scenario.from_dict({"strategy": "truncate", "window": 32_000, "noisy_tools": True})
    assert (scenario.policy.strategy, scenario.policy.window) == ("truncate", 32_000)
    assert scenario.events.noisy_tools
    assert scenario.policy.trigger == 0.8
    assert scenario.workload == Scenario().workload


def test_a_replacement_leaves_its_origin_alone_and_is_checked():
    origin = Scenario()
    changed = origin.replace(window=32_000, fact_rate=0.25, long_horizon=True, input_per_mtok=5)
    assert changed == Scenario.from_dict(
        {"window": 32_000, "fact_rate": 0.25, "long_horizon": True, "input_per_mtok": 5}
    )
    assert origin == Scenario()
    undone = changed.replace(window=64_000, fact_rate=0.5, long_horizon=False, input_per_mtok=3)
    assert undone == origin
    with pytest.raises(ScenarioError, match="window"):
        origin.replace(window=100)
    with pytest.raises(ScenarioError, match="window"):
        Scenario.from_dict({"window": 4_000}).replace(system_tokens=9_000)


def test_a_scenario_that_was_never_a_mapping_is_checked_too():
    policy = type(Scenario().policy)
    with pytest.raises(ScenarioError, match="window"):
        Scenario(policy=policy(window=100))


# Nothing changes


@pytest.mark.parametrize("part", ["workload", "policy", "events", "prices"])
def test_a_scenario_and_its_parts_are_frozen_and_keyword_only(part):
    scenario = Scenario()
    value = getattr(scenario, part)
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(scenario, part, value)
    field = dataclasses.fields(value)[-1].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, field, getattr(value, field))
    with pytest.raises(TypeError):
        type(value)(getattr(value, field))


def test_results_are_frozen_too():
    scenario = Scenario()
    tasks = draw_tasks(scenario.workload, scenario.events, seed=1, tasks=5)
    run = simulate(scenario, seed=1, tasks=tasks)
    timeline = run.timeline(0)
    for record in (tasks, run, run.facts, run.tiles["cost"], timeline, timeline.events[0]):
        field = dataclasses.fields(record)[0].name
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(record, field, getattr(record, field))


def test_there_is_no_task_beyond_the_last():
    run = simulate(Scenario(), seed=1, tasks=5)
    for task in (5, -1):
        with pytest.raises(IndexError, match=str(task)):
            run.timeline(task)


@pytest.mark.parametrize("name", ["window", "trigger"])
def test_a_number_too_large_for_a_float_is_refused_like_any_other(name):
    with pytest.raises(ScenarioError, match=f"^{name} is 1000.* but must be a"):
        Scenario.from_dict({name: 10**400})


def test_a_refused_seed_or_number_of_tasks_is_quoted_short():
    for arguments in ({"seed": 10**400}, {"tasks": 10**400}):
        with pytest.raises(ScenarioError) as refused:
            simulate(Scenario(), **arguments)
        assert len(str(refused.value)) < 150


def test_equal_scenarios_hash_alike():
    assert hash(Scenario()) == hash(Scenario.from_dict({"window": 64_000}))


def arrays_of(record):
    found = {}
    for name in dir(record):
        if not name.startswith("_"):
            value = getattr(record, name)
            if isinstance(value, np.ndarray):
                found[name] = value
    return found


def test_no_array_of_a_run_can_be_written_to():
    scenario = Scenario()
    run = simulate(scenario, seed=1, tasks=5)
    tasks = draw_tasks(scenario.workload, scenario.events, seed=1, tasks=5)
    for record, least in ((run, 13), (run.facts, 8), (run.timeline(0).facts, 8), (tasks, 3)):
        arrays = arrays_of(record)
        assert len(arrays) >= least
        for name, array in arrays.items():
            with pytest.raises(ValueError, match="read-only"):
                array[0] = array[0]
            assert not array.flags.writeable, name


def test_tokens_are_counted_in_64_bits_whatever_the_platform():
    run = simulate(Scenario(), seed=1, tasks=5)
    for name in ("request_tokens", "summariser_tokens", "peak", "final_context", "compactions"):
        assert getattr(run, name).dtype == np.int64, name
    for name in ("success", "cost"):
        assert getattr(run, name).dtype == np.float64, name
    for name in ("failed", "instruction_lost"):
        assert getattr(run, name).dtype == np.bool_, name


@pytest.mark.parametrize("exponent", [400, 5_000])
@pytest.mark.parametrize("field", ["window", "tool_tokens_median", "notes", "strategy"])
def test_a_huge_number_is_refused_in_a_short_sentence(field, exponent):
    with pytest.raises(ScenarioError, match=f"^{field} is ") as refusal:
        Scenario.from_dict({field: 10**exponent})
    assert len(str(refusal.value)) < 200


def test_numbers_of_numpy_are_numbers():
    settings = {"window": np.int64(32_000), "trigger": np.float64(0.5), "notes": np.bool_(True)}
    plain = {"window": 32_000, "trigger": 0.5, "notes": True}
    for scenario in (Scenario.from_dict(settings), Scenario().replace(**settings)):
        assert scenario == Scenario.from_dict(plain)
        assert {name: type(value) for name, value in scenario.to_dict().items()} == {
            name: type(value) for name, value in Scenario().to_dict().items()
        }
    for window in np.arange(16_000, 20_000, 1_000):
        assert Scenario().replace(window=window).policy.window == window
    run = simulate(Scenario(), seed=np.int64(3), tasks=np.int32(5))
    assert run.provenance == simulate(Scenario(), seed=3, tasks=5).provenance
    assert type(run.provenance["seed"]) is int


@pytest.mark.parametrize("value", [np.int64(-1), np.float64("nan"), np.array([1, 2])])
@pytest.mark.parametrize("field", ["window", "strategy", "notes"])
def test_what_numpy_has_and_no_field_takes_is_refused(field, value):
    with pytest.raises(ScenarioError, match=f"^{field} is "):
        Scenario.from_dict({field: value})
