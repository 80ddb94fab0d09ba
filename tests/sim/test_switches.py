"""What of the packs has no effect until something else is set."""

import pytest

from sim import Scenario, pack_settings, report, setting_default, setting_info, simulate
from sim.switches import NEEDS, SWITCHES, resting, rests, switch_of

ALL_ON = {
    "notes": True, "clear_tool_results": True, "window": 24_000, "summary_budget": 4_000,
    "caching": True, "hardware": True, "reading": "u_shaped", "carrier": "one_field",
    "masking": True, "offloading": True, "archive": True, "rework": 2.0, "clear_apart": True,
}  # fmt: skip
PACKED = [name for names in pack_settings().values() for name in names]
NEEDY = [name for name in PACKED if switch_of(name) not in ("", name)]


def moved(name):
    info, default = setting_info(name), setting_default(name)
    if "options" in info:
        return info["options"][-1]
    if isinstance(default, bool):
        return not default
    low, high = info["bounds"]
    return low + (default - low) / 2 if default > low else min(high, 2)


def figures(**settings):
    settings = ALL_ON | settings
    found = report(simulate(Scenario().replace(**settings), seed=1, tasks=30))
    return {name: value for name, value in found.items() if name != "provenance"}


@pytest.mark.parametrize("name", NEEDY)
def test_a_setting_that_rests_changes_nothing(name):
    off = {switch_of(name): setting_default(switch_of(name))}
    value = moved(name)
    if isinstance(setting_default(name), int) and not isinstance(value, bool):
        value = int(value)
    if name.startswith("mask_"):  # in their order
        off |= {"mask_search_at": 0.0, "mask_execute_at": 0.3}
    assert figures(**off | {name: value}) == figures(**off)


@pytest.mark.parametrize("name", NEEDS)
def test_a_setting_changes_nothing_without_what_it_needs(name):
    other, values = NEEDS[name]
    kinds = (True, False) if isinstance(values[0], bool) else setting_info(other)["options"]
    value = moved(name)
    if isinstance(setting_default(name), int) and not isinstance(value, bool):
        value = int(value)
    cold = {} if name == "summariser_cache" else {"summariser_cache": "cold"}
    ready = {"caching": True, "carrier": "headed_text", "rework": 1} | cold
    for without in set(kinds) - set(values):
        off = {other: without, "carrier": "ideal", "clear_apart": False} | cold
        found, plain = figures(**off | {name: value}), figures(**off)
        for figure in (found, plain):
            del figure["floor"], figure["confidently_wrong"]  # of no use, and 0 instead of None
            figure["intervals"].pop("confidently_wrong", None)
        assert found == plain, without
        assert len(resting([name], Scenario().replace(**off | {name: value}))) == 1
    assert resting([name], Scenario().replace(**ready | {other: values[0]})) == []


def test_what_a_strategy_leaves_unused_and_what_needs_clearing_is_named():
    names = ["carrier", "strategy", "summary_budget", "clear_at_least"]
    cut = Scenario().replace(strategy="truncate", carrier="five_fields", clear_at_least=50_000)
    assert resting(names, cut) == [
        "carrier, summary_budget have no effect while strategy is truncate: set strategy too, for "
        "example to summarise.",
        "clear_at_least has no effect while clear_tool_results is false: set clear_tool_results "
        "too, for example to true.",
    ]
    assert resting(names, cut, Scenario().replace(clear_tool_results=True)) == []


def test_what_has_an_effect_without_a_switch_has_one():
    off = {"caching": False, "offloading": False}
    plain = figures(**off)
    for change in ({"notes_at": "front"}, {"clear_at_least": 9_000}, {"archive": False}):
        assert figures(**off | change) != plain


def test_how_much_is_missed_counts_with_one_reading_only():
    assert [
        rests("most_missed", {"reading": reading})
        for reading in ("linear", "u_shaped", "state_tracking")
    ] == [True, False, True]
    assert resting(["most_missed"], Scenario().replace(reading="state_tracking")) == [
        "most_missed has no effect while reading is state_tracking: "
        "set reading too, for example to u_shaped."
    ]


def test_every_pack_but_that_of_the_agents_has_a_switch_of_its_own():
    assert set(pack_settings()) - set(SWITCHES) == {"agent"}
    for pack, switch in SWITCHES.items():
        assert switch in pack_settings()[pack]
        assert switch_of(switch) == switch
    assert switch_of("archive_rate") == "archive"
    alone = ("window", "tool_cap", "clear_at_least", "notes_at", "archive", "read_back_tokens")
    assert {switch_of(name) for name in alone} == {""}


def test_each_switch_gets_one_sentence_and_one_that_is_on_in_any_scenario_none():
    off, on = Scenario(), Scenario().replace(caching=True)
    names = ["cold_share", "most_missed", "window", "output_per_mtok", "cold_share"]
    assert resting(names, off) == [
        "cold_share, output_per_mtok have no effect while caching is false: set caching too, for "
        "example to true.",
        "most_missed has no effect while reading is linear: set reading too, for example to "
        "u_shaped.",
    ]
    assert len(resting(names, off, on)) == 1
    assert resting(["caching", "window"], off) == []
