"""Policies of real agents: what they say, how they follow the window, and how they rank."""

import json
import pickle
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from sim import Estimate, Scenario, ScenarioError, card_settings, compare, report, simulate
from sim.entries import EVIDENCE, EntryError
from sim.log import KINDS
from sim.packs import Agent
from sim.policy import firing_level
from sim.presets import PRESETS, compare_presets, parse_presets, preset_named
from sim.presets.listing import ranking_text, table
from sim.profiles import PROFILES

ROOT = Path(__file__).parents[2]
PLAIN = ["lab_default", "none", "trim_oldest"]
OF_THE_TABLE = [  # research, policies A3
    "claude_code", "codex", "anthropic_clear", "anthropic_compact", "gemini_cli", "langchain_20",
    "deepagents", "openhands", "swe_mask5", "mask10_poll10", "cline", "roo", "goose", "opencode",
    "maf", "byf", "pi", "letta", "manus",
]  # fmt: skip
OF_SEED_003 = ["full_history", "end_of_context_24k", "end_of_context_48k", "single_action"]
every_preset = pytest.mark.parametrize("preset", PRESETS.values(), ids=list(PRESETS))

GOOD = """
[mine]
name = "Mine"
version = "1"
source = "A file"
evidence = "read in source"
window = 100_000
cannot = "All else."
[mine.settings]
trigger_reserve = 20_000
summary_budget = 2_000
"""


def firing(name, window=None):
    return firing_level(PRESETS[name].scenario(window).policy)


def test_the_plain_ones_those_of_the_table_and_those_of_seed_003_are_there():
    assert set(PLAIN + OF_THE_TABLE + OF_SEED_003) <= set(PRESETS)
    assert len(PRESETS) == 37


@every_preset
def test_a_preset_names_its_version_its_source_and_what_is_left_out(preset):
    assert preset.evidence in EVIDENCE
    assert len(preset.source) > 10
    for text in (preset.name, preset.version, preset.source, preset.cannot):
        assert text.isprintable()
        assert text == text.strip()
    assert preset.cannot.endswith(".")


@every_preset
@pytest.mark.parametrize("window", [None, 32_000, 64_000, 200_000, 1_000_000])
@pytest.mark.parametrize("workload", ["documents", "coding"])
def test_a_preset_runs_in_any_window(preset, window, workload):
    base = PROFILES[workload].scenario().replace(**card_settings("sonnet_4_6"))
    scenario = preset.scenario(window, base)
    run = simulate(scenario, seed=1, tasks=8)
    assert scenario.policy.window == (window or preset.window)
    assert np.isfinite(run.cost).all()
    assert ((run.success >= 0) & (run.success <= 0.97)).all()


def test_the_default_preset_is_the_default_scenario():
    assert PRESETS["lab_default"].scenario() == Scenario()
    assert PRESETS["lab_default"].scenario(200_000) == Scenario().replace(window=200_000)


def test_a_reserve_stays_in_a_larger_window_and_shrinks_below_100_000_tokens():
    """Claude Code: 33,000 below the window; 67,000 of 100,000, and 67 % of what is smaller."""
    windows = (200_000, 1_000_000, 100_000, 50_000)
    assert [firing("claude_code", w) for w in windows] == [
        pytest.approx(level, abs=1) for level in (167_000, 967_000, 67_000, 33_500)
    ]


@pytest.mark.parametrize(
    ("name", "window", "trigger"),
    [
        ("pi", 35_000, 0.83616),
        ("openai_compaction", 272_000, 0.88235),
        ("claude_code", 64_000, 0.67),
    ],
)
def test_a_trigger_has_no_more_digits_than_make_its_tokens(name, window, trigger):
    assert PRESETS[name].settings_at(window)["trigger"] == trigger


def test_a_trigger_in_tokens_stays_and_is_the_same_share_of_a_smaller_window():
    windows = (200_000, 1_000_000, 100_000)
    levels = [firing("anthropic_compact", w) for w in windows]
    assert levels == [150_000, 150_000, 75_000]
    assert [firing("end_of_context_24k", w) for w in (24_000, 48_000)] == [18_000, 18_000]


def test_a_share_of_the_window_follows_it():
    kept = [PRESETS["deepagents"].settings_at(w)["keep_recent_tokens"] for w in (200_000, 50_000)]
    assert kept == [20_000, 5_000]
    assert firing("codex") == pytest.approx(244_800, rel=1e-3)


def test_tokens_of_a_summary_shrink_only_below_100_000_and_results_never():
    settings = {w: PRESETS["claude_code"].settings_at(w) for w in (100_000, 50_000)}
    assert [s["summary_budget"] for s in settings.values()] == [3_500, 1_750]
    assert [s["rehydrate_tokens"] for s in settings.values()] == [10_000, 5_000]
    assert [s["tool_cap"] for s in settings.values()] == [7_500, 7_500]


def test_the_first_instruction_has_its_four_fates():
    lost = {}
    for name in ("codex", "claude_code", "langchain_20", "trim_oldest"):
        scenario = PRESETS[name].scenario(32_000).replace(instruction_keep=0.5, tool_cap=0)
        run = simulate(scenario, seed=1, tasks=400)
        fires = (run.compactions + run.overflows) > 0
        lost[name] = float(run.instruction_lost[fires].mean())
    assert lost["codex"] == 0  # pinned, within a budget that it never fills
    assert 0.4 < lost["claude_code"] < 1  # through the summary
    assert lost["langchain_20"] > 0.9  # the summariser is not shown it
    assert lost["trim_oldest"] == 1  # dropped first


def test_single_action_compacts_after_every_step():
    run = simulate(PRESETS["single_action"].scenario(), seed=1, tasks=40)
    assert run.compactions.tolist() == run.steps.tolist()


@pytest.mark.parametrize("window", [64_000, 200_000])
def test_openhands_folds_half_of_what_it_has_when_tokens_fire_before_its_steps(window):
    base = Scenario().replace(noisy_tools=True)
    run = simulate(PRESETS["openhands"].scenario(window, base), seed=1, tasks=100)
    assert run.compactions.mean() > 0.5
    assert run.overflows.mean() < 0.1 * run.compactions.mean()
    steps = PRESETS["openhands"].scenario(1_000_000).agent
    assert int(steps.keep_recent_share * steps.trigger_steps) == 58


def test_a_tail_by_tokens_or_share_spares_no_rereading_and_its_presets_say_so():
    base = {"rework": 4.0, "keep_recent": 0, "window": 32_000, "tool_tokens_sigma": 0.0}
    for tail in ({"keep_recent_tokens": 8_000}, {"keep_recent_share": 0.4}):
        run = simulate(Scenario().replace(**base, **tail), seed=1, tasks=30)
        assert run.compactions.sum() > 0
        reread = np.count_nonzero(run.edits.kind == KINDS.index("rework"))
        assert reread == run.compactions.sum()  # four times each, as if nothing were kept
    tails = {"keep_recent_tokens", "keep_recent_share"}
    having = {name for name, preset in PRESETS.items() if tails & set(preset.settings_at())}
    saying = {name for name, preset in PRESETS.items() if "spares no re-reading" in preset.cannot}
    assert {"letta", "cline", "pi", "openhands"} <= having == saying


def test_every_setting_of_the_pack_is_used_by_a_preset():
    used = {name for preset in PRESETS.values() for name in preset.settings_at()}
    assert {spec.name for spec in fields(Agent)} <= used


def test_a_preset_replaces_the_policy_and_keeps_all_else():
    base = PROFILES["coding"].scenario().replace(
        notes=True, keep_recent=3, trigger_steps=9, clear_tool_results=True, clear_apart=True,
        instruction_required=False, caching=True, hardware=True, noisy_tools=True, rework=2.0,
    )  # fmt: skip
    made = PRESETS["crush"].scenario(200_000, base)
    assert made == base.replace(
        notes=False, keep_recent=0, trigger_steps=0, clear_tool_results=False, clear_apart=False,
        window=200_000, trigger=0.8, summary_budget=2_000,
    )  # fmt: skip
    assert made.agent.tool_cap == 10_000  # the workload's own, where the preset has none
    assert PRESETS["claude_code"].scenario(200_000, base).agent.tool_cap == 7_500


def test_ranks_and_differences_are_those_of_independent_runs():
    base = PROFILES["coding_long"].scenario().replace(**card_settings("sonnet_4_6"))
    names = ["none", "claude_code", "codex", "full_history", "mask10"]
    rows = compare_presets(names, window=200_000, base=base, reference="cline", seed=3, tasks=60)
    runs = {
        name: simulate(PRESETS[name].scenario(200_000, base), seed=3, tasks=60)
        for name in [*names, "cline"]
    }
    assert {row.preset.id for row in rows} == set(names)
    for row in rows:
        run = runs[row.preset.id]
        assert (row.scenario, row.tiles, row.report) == (run.scenario, run.tiles, report(run))
        assert row.fires == float((run.compactions + run.clears + run.masks).mean())
        success, cost = (run.tiles[key].value for key in ("success", "cost"))
        others = [runs[name].tiles for name in names]
        assert row.success_rank == 1 + len([t for t in others if t["success"].value > success])
        assert row.cost_rank == 1 + len([t for t in others if t["cost"].value < cost])
        difference = compare(runs["cline"], run)
        assert row.success_difference == difference["success"]
        assert row.cost_difference == difference["cost"]
    assert [row.success_rank for row in rows] == sorted(row.success_rank for row in rows)
    ranks = {row.preset.id: row.success_rank for row in rows}
    assert ranks["none"] == ranks["full_history"]


def test_without_a_choice_all_are_ranked_and_a_sign_of_life_is_given_for_each():
    signs = []
    rows = compare_presets(window=200_000, tasks=5, on_preset=lambda: signs.append(1))
    assert {row.preset.id for row in rows} == set(PRESETS)
    assert len(signs) == len(PRESETS)
    assert {row.scenario.policy.window for row in rows} == {200_000}
    own = compare_presets(["none", "codex"], tasks=5)
    assert {row.scenario.policy.window for row in own} == {200_000, 258_400}


def test_a_row_holds_nothing_that_grows_with_the_tasks():
    few, many = (compare_presets(["codex"], tasks=tasks) for tasks in (2, 2_000))
    sizes = [len(pickle.dumps((row.tiles, row.report, row.scenario))) for row in (*few, *many)]
    assert abs(sizes[0] - sizes[1]) < 200


def test_a_preset_without_compaction_is_never_worse_at_keeping_facts_in_a_large_window():
    rows = compare_presets(window=1_000_000, tasks=100)
    lost = {row.preset.id: row.tiles["needed_lost"].value for row in rows}
    assert lost["none"] == 0
    assert lost["full_history"] == 0


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: preset_named("claude"), "'claude' is not a preset: did you mean claude_code?"),
        (lambda: compare_presets(["zzz"]), "'zzz' is not a preset: use one of lab_default, none, "),
        (
            lambda: compare_presets(["none"], reference="nonne"),
            "'nonne' is not a preset: did you me",
        ),
        (lambda: compare_presets(["none"], window=10), "window is 10 but must be at least 3,201 t"),
    ],
)
def test_what_there_is_not_is_refused_in_one_sentence(call, sentence):
    with pytest.raises(ScenarioError) as caught:
        call()
    assert str(caught.value).startswith(sentence)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("trigger_reserve = 20_000", "triger = 0.5", "mine.settings: triger is not a field: did"),
        ("trigger_reserve = 20_000", 'trigger_reserve = "x"', "settings.trigger_reserve is 'x'"),
        ("trigger_reserve = 20_000", "trigger_reserve = 120_000", "settings: trigger is -0.2 but"),
        ("trigger_reserve", "summary_budget_reserve", "settings: summary_budget_reserve is not"),
        ("summary_budget = 2_000", "tool_clip = 500", "settings: summariser_cache is warm but"),
        ("summary_budget = 2_000", "mean_steps = 3", "settings.mean_steps belongs to the tasks"),
        ("summary_budget = 2_000", "summary_budget = true", "settings.summary_budget is True"),
        ("summary_budget = 2_000", "rework = 3", "mine.settings.rework belongs to the tasks"),
        ("window = 100_000", "window = 0", "mine.window is 0 but must be a whole number"),
        ("window = 100_000", 'window = "w"', "mine.window is 'w' but must be a whole number"),
        ("window = 100_000", "", "mine.window is missing but every entry needs it"),
        ('version = "1"', "version = 1", "p.toml: mine.version is 1 but must be one line of text"),
    ],
)  # fmt: skip
def test_a_bad_preset_is_refused_in_one_sentence(old, new, sentence):
    assert old in GOOD
    with pytest.raises(EntryError) as caught:
        parse_presets(GOOD.replace(old, new), "p.toml")
    assert sentence in str(caught.value)
    assert str(caught.value).startswith("p.toml: ")
    assert "\n" not in str(caught.value)


def test_a_good_preset_is_read_as_it_stands():
    (mine,) = parse_presets(GOOD).values()
    assert mine.settings_at(400_000) == {
        "window": 400_000, "trigger": 0.95, "summary_budget": 2_000,
    }  # fmt: skip


# The command line


def call(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "sim", *arguments], cwd=ROOT, capture_output=True, text=True
    )


def test_the_list_has_a_line_for_each_preset_and_one_of_them_in_full():
    done = call("presets")
    assert [line.split()[0] for line in done.stdout.splitlines()] == list(PRESETS)
    assert "Claude Code " in done.stdout
    full = call("presets", "claude_code").stdout
    assert PRESETS["claude_code"].source in full
    assert "trigger_reserve=33000" in full
    assert "trigger=0.835" in full


def test_what_shrinks_in_a_small_window_is_printed_with_the_preset():
    shrinks = PRESETS["claude_code"].shrinking()
    assert shrinks == dict.fromkeys(
        ["trigger_reserve", "summary_budget", "rehydrate_tokens"], 100_000
    )
    assert (
        "in smaller ones    below 100,000 tokens, trigger_reserve, summary_budget, "
        "rehydrate_tokens in proportion"
    ) in call("presets", "claude_code").stdout
    assert PRESETS["anthropic_compact"].shrinking()["trigger_tokens"] == 200_000
    assert "in smaller ones    the same\n" in call("presets", "none").stdout


@every_preset
def test_what_is_said_to_shrink_does_and_nothing_else(preset):
    least = preset.shrinking()
    for declared, window in least.items():
        one = replace(preset, settings={declared: preset.settings[declared]})
        (half,) = (v for k, v in one.settings_at(window // 2).items() if k != "window")
        (full,) = (v for k, v in one.settings_at(window).items() if k != "window")
        is_share = "trigger_" in declared
        assert half == pytest.approx(full if is_share else full / 2, rel=0.01), declared
    same = {k: v for k, v in preset.settings.items() if k not in least and "_share" not in k}
    fixed = replace(preset, settings=same)
    assert {k: v for k, v in fixed.settings_at(20_000).items() if k != "window"} == same


def test_the_list_as_json_is_the_data():
    listed = json.loads(call("presets", "--json").stdout)
    assert list(listed) == list(PRESETS)
    one = json.loads(call("presets", "codex", "--json").stdout)
    assert one == listed["codex"]
    assert one["settings"] == dict(PRESETS["codex"].settings)
    workloads = json.loads(call("workloads", "--json").stdout)
    assert list(workloads) == list(PROFILES)


def test_a_preset_and_a_workload_run_with_what_is_set_after_them():
    arguments = ["--preset", "claude_code", "--workload", "coding", "--card", "haiku_4_5"]
    arguments += ["--set", "window=100000", "--set", "notes=true", "--tasks", "20", "--json"]
    found = json.loads(call("run", *arguments).stdout)
    base = PROFILES["coding"].scenario().replace(**card_settings("haiku_4_5"))
    scenario = PRESETS["claude_code"].scenario(100_000, base).replace(notes=True)
    assert found["provenance"]["scenario"] == scenario.to_dict()


def test_the_ranking_is_printed_as_a_table_and_as_json():
    arguments = ["compare-presets", "none", "codex", "--window", "200000", "--workload", "coding"]
    arguments += ["--price", "sonnet", "--tasks", "40", "--reference", "none"]
    printed = call(*arguments).stdout.splitlines()
    assert printed[0] == "coding · window 200,000 · Claude Sonnet 4.6 · seed 1 · 40 tasks"
    assert printed[2].split() == [
        "#", "preset", "success", "difference", "cost", "#", "difference", "lost", "fires",
    ]  # fmt: skip
    assert {line.split()[1] for line in printed[3:5]} == {"none", "codex"}
    found = json.loads(call(*arguments, "--json").stdout)
    base = PROFILES["coding"].scenario().replace(**card_settings("sonnet_4_6"))
    rows = compare_presets(["none", "codex"], window=200_000, base=base, reference="none", tasks=40)
    assert found["reference"] == "none"
    assert [row["preset"]["id"] for row in found["rows"]] == [row.preset.id for row in rows]
    assert [row["cost"] for row in found["rows"]] == [row.tiles["cost"].value for row in rows]
    assert [row["cost_difference"]["low"] for row in found["rows"]] == [
        row.cost_difference.low for row in rows
    ]
    assert "\n".join(printed[2:5]) == ranking_text(rows, "none")


def test_below_the_ranking_stands_who_overflows_and_who_has_no_room_to_compact():
    trouble = ["none", "codex", "end_of_context_24k", "single_action"]
    found = call("compare-presets", *trouble, "--window", "64000", "--tasks", "20").stdout
    assert (
        "\n\nOver the window more often than they fire, so messages drop or the task fails: "
        "none.\nDue again at the next step, by rule or as a compaction alone makes no room: "
        "single_action.\n\nThe same tasks" in found
    )
    wide = ["--window", "24000", "--workload", "coding", "--tasks", "20"]
    stuck = call("compare-presets", *trouble, *wide).stdout
    assert (
        "\nDue again at the next step, by rule or as a compaction alone makes no room: codex, "
        "single_action, end_of_context_24k.\n" in stuck
    )
    assert "Over" not in call("compare-presets", "codex", "--tasks", "5").stdout


def test_the_ranking_says_what_was_changed_for_all():
    changes = ["--event", "noisy_tools", "--set", "fact_rate=0.1", "--tasks", "2"]
    printed = call("compare-presets", "none", *changes).stdout.splitlines()
    assert printed[0].startswith("documents, fact_rate=0.1, noisy_tools=True · each in its own win")


def test_a_difference_is_written_with_its_unit_and_without_the_sign_of_nothing():
    row = compare_presets(["codex"], reference="none", tasks=2)[0]
    one = replace(
        row,
        success_difference=Estimate(-0.25, -0.5, 0.0001),
        cost_difference=Estimate(-0.0001, -0.0004, 1.5),
    )
    line = ranking_text([one], "none").splitlines()[1]
    assert "-25.0 points  -50.0 … 0.0 points" in line
    assert "$0.000  $0.000 … +$1.500" in line
    assert "+12.5 points  (too few tasks)" in ranking_text(
        [replace(row, success_difference=Estimate(0.125, None, None))], "none"
    )


def test_a_setting_that_no_preset_looks_at_is_named_on_stderr():
    changes = ["--tasks", "2", "--set", "gist_fill=0.3", "--set", "search_share=0.2"]
    done = call("compare-presets", "byf", "none", *changes, "--json")
    assert done.stderr == (
        "gist_fill has no effect while carrier is ideal: set carrier too, for example to "
        "one_field.\n"
    )
    assert json.loads(done.stdout)["reference"] == "lab_default"
    alone = call("compare-presets", "codex", "--tasks", "2", "--set", "search_share=0.2")
    assert alone.stderr.startswith("search_share has no effect while masking is false: set masking")


def test_a_trigger_in_tokens_has_a_largest_window_which_the_refusal_names():
    preset = PRESETS["end_of_context_24k"]
    assert preset.scenario(1_800_000).policy.trigger == 0.01
    with pytest.raises(ScenarioError, match="give a window of at most 1,800,000 tokens, or leave"):
        preset.scenario(1_800_001)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["presets", "codec"], "'codec' is not a preset: did you mean codex?"),
        (["workloads", "codng"], "'codng' is not a workload: did you mean coding?"),
        (["run", "--preset", "nope"], "'nope' is not a preset: use one of lab_default, none, "),
        (["run", "--preset", "gem"], "'gem' is not a preset: did you mean gemini_cli?"),
        (
            ["compare-presets", "--window", "abc"],
            "Argument --window: 'abc' is not a whole number: use digits. See ",
        ),
        (["run", "--set", "foo=1"], "foo is not a field: python -m sim fields lists them all.\n"),
        (["run", "--workload", "zz"], "'zz' is not a workload: use one of documents, coding, "),
        (["compare-presets", "--price", "h100"], "'h100' is not a price: use one of flat, opus_4"),
        (["compare-presets", "--set", "window=9"], "window cannot be set for presets with --set: "),
        (["compare-presets", "--window", "0"], "window is 0 but must be a whole number from 1 to"),
        (["compare-presets", "--window", "99"], "window is 99 but must be at least 3,201 tokens"),
        (["compare-presets", "--window", "9000000"], "window is 9,000,000 but end_of_context_24k"),
        (["compare-presets", "--set", "trigger=0.5"], "trigger cannot be set for presets, each of"),
        (["compare-presets", "--price", ""], "'' is not a price: use one of flat, "),
        (["presets", ""], "'' is not a preset: use one of "),
        (["workloads", ""], "'' is not a workload: use one of "),
        (["run", "--preset", ""], "'' is not a preset: use one of "),
        (["run", "--workload", ""], "'' is not a workload: use one of "),
    ],
)
def test_the_shell_is_refused_in_one_sentence_and_exit_code_2(arguments, sentence):
    done = call(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(sentence)
    assert done.stderr.count("\n") == 1


def test_columns_are_as_wide_as_their_widest_cell():
    assert table([("a", "bbb"), ("cc", "d")], right=(1,)) == "a   bbb\ncc    d"
