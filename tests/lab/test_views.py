"""What the page shows of a session: tiles, tables, words."""

from __future__ import annotations

import re

from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings

from lab.session import Session
from lab.state import LabState
from lab.tables import CAUSE_ROWS, TABLES, causes, changes, visit_name
from lab.text import text
from lab.views import _delta, readout
from sim import TILES, Estimate, Scenario, is_base, simulate
from tests.lab.desk import settings


def session(tasks=400, seed=1, **changes_):
    """A session whose baseline is the default, at a setting."""
    state = LabState(tasks=tasks, seed=seed)
    made = Session(state)
    state.param.update(**changes_)
    made.update()
    return made


def tiles(made):
    return {tile["key"]: tile for tile in readout(made)["tiles"]}


def shown(made, *names):
    return [tuple(tile[name] for name in names) for tile in tiles(made).values()]


def test_the_tiles_of_the_default_setting():
    assert list(tiles(session())) == list(TILES)
    assert shown(session(), "text", "interval") == [
        ("65.8 %", "± 4.3"),
        ("$3.60", "± 0.14"),
        ("9.6 %", "± 1.7"),
        ("1.5 %", "0.7 – 3.2 %"),
        ("1.47", "± 0.09"),
        ("56.5k", "56.0 – 58.6k"),
    ]


def test_the_baseline_itself_shows_no_change():
    assert set(shown(session(), "delta", "unit", "tone")) == {("no change", "", "flat")}


def test_the_differences_to_the_baseline_with_their_tones():
    made = session(window=32_000, summary_budget=8_000)
    assert shown(made, "delta", "unit", "tone") == [
        ("▲ 4.6 ± 5.5", "points", "flat"),
        ("▲ $0.28 ± 0.04", "", "bad"),
        ("▼ 5.0 ± 1.9", "points", "good"),
        ("▲ 12.8 ± 3.3", "points", "bad"),
        ("▲ 14.43 ± 0.72", "", "flat"),
        ("▼ 18.4k ± 1.5", "", "flat"),
    ]


def test_a_better_and_dearer_setting_is_good_and_bad():
    made = session(summary_budget=8_000)
    tones = {key: tile["tone"] for key, tile in tiles(made).items()}
    assert (tones["success"], tones["cost"], tones["needed_lost"]) == ("good", "bad", "good")
    assert tiles(made)["instruction_lost"]["delta"] == "no change"


def test_a_difference_within_its_interval_has_no_tone():
    made = session(trigger=0.79)
    success = tiles(made)["success"]
    assert success["delta"].startswith(("▲", "▼"))
    assert success["tone"] == "flat"


def test_one_task_has_no_interval():
    made = session(tasks=1, window=32_000)
    intervals = {key: tile["interval"] for key, tile in tiles(made).items()}
    assert intervals.pop("instruction_lost") == "0.0 – 79.3 %"
    assert set(intervals.values()) == {"too few tasks"}
    assert {tile["tone"] for tile in tiles(made).values()} == {"flat"}


def test_the_details_are_those_of_the_run():
    assert readout(session())["details"] == (
        "0.00 clears · 0.01 overflows per task · 0.0 % failed · final context 33.4k"
    )


def test_a_tile_carries_the_unrounded_value():
    made = session()
    for key, tile in tiles(made).items():
        assert tile["value"] == made.run.tiles[key].value


@hypothesis_settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(settings())
def test_a_readout_can_be_made_of_any_setting(chosen):
    made = session(tasks=8, **chosen)
    said = readout(made, TABLES)
    for tile in said["tiles"]:
        assert re.fullmatch(r"(no change|([▲▼] )?\$?[\d,.]+k?( ± [\d,.]+)?)", tile["delta"])
        assert tile["tone"] in ("good", "bad", "flat")
        assert "nan" not in tile["text"] + tile["interval"]
    assert sum(causes(made.run).values()) == int(made.run.needed_lost.sum())
    assert list(said["tables"]) == list(TABLES)
    assert said["resting"].keys() <= Scenario().all_settings().keys()


# --- words -----------------------------------------------------------------------------------


def test_the_baseline_names_what_differs_from_the_defaults():
    made = session(window=32_000, notes=True)
    made.pin()
    assert readout(made)["baseline"] == (
        "<p class=figures>78.5 % at $2.93</p><ul tabindex=0>"
        "<li>Context window 32,000 tokens</li><li>Trigger 80 %</li><li>Strategy summarise</li>"
        "<li>Summary budget 1,000 tokens</li><li>Recent steps kept 6 steps</li>"
        "<li>Pinned notes on</li></ul>"
    )


def test_the_baseline_leaves_out_what_is_at_rest_and_says_what_has_moved():
    made = session(strategy="truncate")
    made.pin()
    made.state.window = 32_000
    made.update()
    assert readout(made)["baseline"].partition("<ul tabindex=0>")[2] == (
        "<li>Context window 64,000 tokens <em>now 32,000 tokens</em></li><li>Trigger 80 %</li>"
        "<li>Strategy truncate</li></ul>"
    )


def test_nothing_differs_at_the_defaults():
    assert changes(Scenario().to_dict()) == []


def test_the_title_says_how_the_task_ended():
    made = session()
    titles = []
    for task in (0, 1, 2, 3):
        made.state.task = task
        titles.append(readout(made)["task_title"])
    assert titles == [
        "task 0 of 400: 2 of 4 needed facts lost",
        "task 1 of 400: all it needs is there, right with 95 %",
        "task 2 of 400: all it needs is there, right with 94 %",
        "task 3 of 400: all it needs is there, right with 93 %",
    ]


def test_a_failed_task_is_said_to_fail():
    made = session(strategy="none")
    made.state.task = int(made.run.failed.argmax())
    assert readout(made)["task_title"].endswith(": fails")


def test_controls_at_rest_say_why():
    resting = readout(session(strategy="truncate"))["resting"]
    assert {name: why for name, why in resting.items() if is_base(name)} == {
        "noted_rate": "at rest: no notes",
        "note_tokens": "at rest: no notes",
        "tokens_per_fact": "at rest: no summary",
        "stub_tokens": "at rest: no clearing",
        "instruction_keep": "at rest: no summary",
        "noisy_tools_factor": "at rest: no noisy tools",
        "long_horizon_factor": "at rest: no long horizon",
        "forgetful_tokens_per_fact": "at rest: no summary",
        "summary_budget": "at rest: no summary",
        "keep_recent": "at rest: truncating",
        "forgetful_summariser": "at rest: no summary",
    }


def test_a_chart_without_anything_to_count_still_has_a_whole_description():
    said = readout(session(summary_budget=8_000))["alt"]
    assert all(re.search(r"[\w.]$", words) for words in said.values()), said


# --- tables ----------------------------------------------------------------------------------


def rows(html):
    """The cells of a table's body, as text."""
    body = html.partition("<tbody>")[2]
    return [
        re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in re.findall(r"<tr>(.*?)</tr>", body)
    ]


def table(made, name):
    return rows(readout(made, [name])["tables"][name])


def test_only_the_open_tables_are_made():
    assert readout(session())["tables"] == {}
    assert list(readout(session(), ["costs"])["tables"]) == ["costs"]


def test_the_table_of_the_steps_has_a_row_for_each_and_one_for_the_answer():
    steps = table(session(), "context")
    assert [row[0] for row in steps] == [*map(str, range(1, 43)), "answer"]
    assert steps[0] == ["1", "3,500", "5,879", ""]
    assert steps[-1] == ["answer", "35,428", "", ""]


def test_the_table_of_a_failed_task_ends_where_it_fails():
    made = session(strategy="none")
    made.state.task = int(made.run.failed.argmax())
    last = table(made, "context")[-1]
    assert re.fullmatch(r"overflow, ([\d,]+) to \1; failed, \1 to \1", last[3])


def test_the_table_of_the_facts_says_what_became_of_each():
    made = session(window=32_000)
    facts = table(made, "lives")
    assert facts[0] == ["1", "1", "yes", "lost: dropped by the third summary at step 23"]
    assert facts[1] == ["2", "2", "no", "in the summary since step 11"]
    assert len(facts) == len(made.run.timeline(0).facts)


def test_the_table_of_the_causes_adds_up():
    assert table(session(), "causes") == [
        ["1st summary", "41", "26.8 %"],
        ["2nd summary", "81", "52.9 %"],
        ["later summaries", "31", "20.3 %"],
        ["truncated", "0", "0.0 %"],
        ["cleared", "0", "0.0 %"],
        ["overflow", "0", "0.0 %"],
    ]


def test_shares_of_nothing_are_dashes():
    assert {row[2] for row in table(session(summary_budget=8_000), "causes")} == {"–"}


def test_the_table_of_the_costs_adds_up():
    assert table(session(), "costs") == [
        ["requests", "$3.3629"],
        ["summariser", "$0.2333"],
        ["both", "$3.5962"],
    ]


def test_the_table_of_the_visits_has_the_newest_first_and_a_button_for_each():
    made = session(window=32_000)
    visits = table(made, "visited")
    assert [visit[1] for visit in visits] == [
        "Context window 32,000 tokens",
        "The default settings",
    ]
    assert [re.search(r"data-restore=(\d+)", visit[0]).group(1) for visit in visits] == ["1", "0"]


def test_the_rows_of_causes_cover_every_cause():
    assert CAUSE_ROWS == (
        "1st summary", "2nd summary", "later summaries", "truncated", "cleared", "overflow",
    )  # fmt: skip


def test_causes_that_packs_add_are_shown_where_they_occur():
    masked = simulate({"masking": True}, seed=1, tasks=50)
    assert list(causes(masked)) == [*CAUSE_ROWS, "masked"]
    assert causes(masked)["masked"] == masked.needed_lost.sum() > 0
    packs = {"offloading": True, "offload_above": 2_000, "read_back_rate": 0.0}
    unread = causes(simulate(packs, seed=1, tasks=50))
    assert list(unread)[-1] == "offloaded"
    assert unread["offloaded"] > 0
    capped = causes(simulate({"tool_cap": 800}, seed=1, tasks=50))
    assert list(capped)[-1] == "capped"
    assert capped["capped"] > 0


def test_every_reading_is_named_by_a_tile():
    assert set(text()["tiles"]) == set(tiles(session()))


def test_a_visit_names_its_number_of_tasks_where_it_is_not_the_usual_one():
    made = session(tasks=50, notes=True)
    assert [visit[1] for visit in table(made, "visited")] == [
        "Pinned notes on, 50 tasks",
        "50 tasks",
    ]
    assert visit_name(session(tasks=1).visits[0]) == "1 task"


def test_a_difference_of_nothing_with_an_interval_has_no_sign():
    estimate = Estimate(0.0, -0.062, 0.062)
    assert _delta("success", estimate) == ("0.0 ± 6.2", "points", "flat")


def test_too_few_tasks_are_said_where_the_interval_would_stand():
    made = session(tasks=71, window=32_000)
    assert tiles(made)["p95_peak"]["interval"] == "too few tasks"
    assert "±" not in tiles(made)["p95_peak"]["delta"]
    assert tiles(made)["success"]["interval"].startswith("± ")


def test_differences_of_shares_on_other_seeds_are_points():
    made = session(tasks=20, strategy="truncate")
    for seed in (1, 2):
        made.robustness.seeds.append(seed)
        for key, differences in made.robustness.differences.items():
            differences.append(-0.05 * seed if key != "cost" else 0.5)
    made.robustness.state = "done"
    words = readout(made)["robust"]["table"]
    assert "Task success</th><td>▼ 2 of 2\n−10.0 … −5.0 points</td>" in words
    assert "Cost per task</th><td>▲ 2 of 2\n+$0.50 … +$0.50</td>" in words
    assert "%" not in words


def test_an_impossible_setting_is_told_by_its_labels_and_can_be_left():
    made = session(max_steps=5)
    said = readout(made)
    assert said["error"].startswith("“Fewest steps” is 8 but “Most steps” is 5: ")
    assert said["is_baseline"]
    assert not said["is_restored"]
    made.restore_baseline()
    assert readout(made)["is_restored"]
    assert readout(made)["error"] == ""
