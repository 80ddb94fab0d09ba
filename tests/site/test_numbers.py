"""The browser computes what the host computes."""

from __future__ import annotations

import pytest

from lab.tables import TABLES
from lab.views import readout
from sim import compare
from tests.site import native

SCENARIOS = {
    "default": {},
    "truncate": {"strategy": "truncate"},
    "none": {"strategy": "none"},
    "large budget": {"summary_budget": 8_000},
    "small window": {"window": 32_000, "summary_budget": 8_000},
    "notes": {"notes": True},
    "clear": {"clear_tool_results": True},
    "noisy tools": {"noisy_tools": True},
    "long horizon": {"long_horizon": True},
    "forgetful": {"forgetful_summariser": True},
    "all events": {"noisy_tools": True, "long_horizon": True, "forgetful_summariser": True},
    "keep none": {"keep_recent": 0, "trigger": 0.57, "window": 41_000},
    "pinned, cleared, noted": {
        "strategy": "truncate", "pin_instruction": True, "clear_tool_results": True,
        "notes": True, "window": 24_000,
    },
    "another workload": {
        "mean_steps": 25.5, "steps_sigma": 0.9, "min_steps": 3, "max_steps": 77,
        "tool_tokens_median": 800.5, "tool_tokens_sigma": 1.1, "assistant_tokens": 333,
        "system_tokens": 1_234, "instruction_tokens": 99, "fact_rate": 0.8, "needed_facts": 7,
        "restated_rate": 0.25, "tokens_per_fact": 17.5, "input_per_mtok": 0.8,
    },
    "another seed": {"seed": 987_654_321, "window": 48_000},
    "largest seed": {"seed": 2**53 - 1},
    "one task": {"tasks": 1, "window": 32_000},
    "ten thousand tasks": {"tasks": 10_000, "noisy_tools": True},
}  # fmt: skip


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_page_shows_the_simulators_numbers(lab, name):
    settings = SCENARIOS[name]
    for setting, value in settings.items():
        lab.set(setting, value)
    expected = native.words(**settings)
    values = {tile["key"]: tile["value"] for tile in expected["tiles"]}
    assert lab.tiles() == pytest.approx(values, rel=1e-9, abs=1e-9)
    assert lab.sentence == expected["lead"] + expected["rest"]
    assert lab.details == expected["details"]
    for tile in expected["tiles"]:
        shown = lab.shown(tile["key"])
        assert shown == {
            "value": tile["text"], "interval": tile["interval"], "delta": tile["delta"],
            "unit": tile["unit"], "tone": tile["tone"],
        }  # fmt: skip


def test_the_difference_to_a_pinned_baseline_is_the_simulators(lab):
    lab.set("window", 32_000)
    lab.set("notes", True)
    lab.pin()
    lab.set("strategy", "truncate")
    lab.set("seed", "4")
    baseline = {"window": 32_000, "notes": True}
    now = baseline | {"strategy": "truncate"}
    made = native.session(seed=4, baseline=baseline, **now)
    assert made.difference == compare(native.run(4, **baseline), native.run(4, **now))
    for tile in readout(made)["tiles"]:
        assert lab.shown(tile["key"])["delta"] == tile["delta"]
        assert lab.shown(tile["key"])["tone"] == tile["tone"]
    assert lab.shown("success")["delta"].startswith("▼ ")
    assert lab.baseline == native.baseline(made)
    assert lab.baseline[0] == "Context window 32,000 tokens"


def test_the_tables_behind_the_charts_are_the_simulators(lab):
    lab.set("window", 32_000)
    lab.set("clear_tool_results", True)
    lab.set("task", "7")
    made = native.session(window=32_000, clear_tool_results=True)
    made.state.task = 7
    tables = readout(made, TABLES)["tables"]
    for name in ("context", "lives", "causes", "costs"):
        shown = lab.table(name)
        lab.page.evaluate("html => document.body.insertAdjacentHTML('beforeend', html)",
                          f"<div id=expected>{tables[name]}</div>")  # fmt: skip
        assert shown == lab.rows(lab.page.locator("#expected"))
        lab.page.evaluate("document.getElementById('expected').remove()")


def test_the_charts_show_what_their_tables_say(new_lab):
    lab = new_lab()
    lab.page.set_viewport_size({"width": 1280, "height": 4000})  # all of them are in sight
    lab.open()
    lab.set("window", 32_000)
    lab.set("task", "7")
    steps = lab.table("context")
    line = lab.model("context-data", "data")
    grown = [f"{int(y):,}" for y in line["y"]]
    assert all(row[2] in grown for row in steps if row[2])
    causes = lab.model("causes-data", "data")
    assert [[row[0], row[1]] for row in lab.table("causes")] == [
        [name, f"{int(count):,}"]
        for name, count in zip(causes["row"], causes["value"], strict=True)
    ]
    facts = lab.table("lives")
    lost = [int(row[0]) - 1 for row in facts if row[3].startswith("lost")]
    assert list(lab.model("deaths-data", "data.y")) == lost
    costs = lab.model("costs-data", "data")
    assert [row[1] for row in lab.table("costs")[:2]] == [f"${v:,.4f}" for v in costs["value"]]


COSTS = "Bokeh.documents.at(-1).get_model_by_name('costs-data').data.value"


def test_a_chart_out_of_sight_catches_up_when_the_settings_rest(lab):
    lab.page.evaluate("scrollTo(0, 0)")
    lab.set("window", 32_000)
    split = native.session(window=32_000).run.cost_split
    lab.page.wait_for_function(
        f"costs => costs.every((each, i) => Math.abs(each - {COSTS}[i]) < 1e-12)",
        arg=list(split.values()),
    )


def test_twenty_seeds_give_the_simulators_count(lab):
    lab.set("tasks", "100")
    lab.set("window", 40_000)
    lab.button("Same result on 20 seeds?").click()
    words = lab.robust_reaches("done")
    differences = [
        compare(native.run(s, 100), native.run(s, 100, window=40_000))["success"].value
        for s in range(1, 21)
    ]
    signs = [(d > 0) - (d < 0) for d in differences]
    most = max((-1, 0, 1), key=signs.count)
    verb = {1: "rises", -1: "falls", 0: "stays"}[most]
    low, high = (f"{100 * d:.1f}".replace("-", "−") for d in (min(differences), max(differences)))
    assert words == (f"Success {verb} on {signs.count(most)} of 20 seeds: {low} to {high} points.")
    rows = lab.rows(lab.page.locator("#robust-table"))
    assert rows[0][0] == "Task success"
    assert rows[0][1].startswith(f"{'▼=▲'[most + 1]} {signs.count(most)} of 20")
