"""The missions that ship: each loses at its start, wins with its solution, and says so plainly."""

import re
from itertools import combinations
from pathlib import Path

import pytest

import missions
from lab.text import controls
from missions import changed, load
from sim import EVENTS, Scenario

# Progress in people's browsers and links holds these: add to them, never change one.
IDS = [
    "lost-brief",
    "small-note",
    "hungry-summary",
    "word-for-word",
    "cheap-cleanup",
    "noisy-tools",
    "long-haul",
    "forgetful-summariser",
    "bigger-window",
    "smaller-bill",
    "write-it-down",
    "all-at-once",
]
every_mission = pytest.mark.parametrize("mission", load(), ids=lambda mission: mission.id)


def of(name):
    return next(mission for mission in load() if mission.id == name)


def test_ids_are_unique_and_frozen_and_in_order():
    assert [mission.id for mission in load()] == IDS


def test_loading_again_gives_the_same_objects():
    assert load() is load()


@every_mission
def test_the_start_loses(mission, audits):
    assert audits[mission.id].start_misses != ()


@every_mission
def test_the_solution_wins_with_margin_on_20_seeds(mission, audits):
    assert audits[mission.id].solution_wins == 20
    assert audits[mission.id].margin >= 2.5


@every_mission
def test_every_decoy_loses_on_all_four_seeds(mission, audits):
    assert audits[mission.id].decoys_lose == (4,) * len(mission.decoys)
    assert len(mission.decoys) >= 2


@every_mission
def test_neither_too_much_nor_too_little_of_the_grid_wins(mission, audits):
    assert 0.005 <= audits[mission.id].share <= 0.30
    assert audits[mission.id].points <= 300


@every_mission
def test_the_audit_passes(mission, audits):
    assert audits[mission.id].problems == ()


@every_mission
def test_solution_and_decoys_keep_to_the_open_controls(mission):
    for changes in (mission.solution, *(decoy.settings for decoy in mission.decoys)):
        assert mission.breaches(mission.settings(changes)) == ()
        assert changed(mission, mission.settings(changes)) == len(changes)


@every_mission
def test_the_start_is_a_point_of_the_grid(mission):
    begun = mission.settings()
    assert {name: begun[name] for name in mission.open} in list(mission.grid())


@every_mission
def test_every_open_value_can_be_set_with_the_labs_own_control(mission):
    for name, values in mission.open.items():
        control = controls()[name]
        if control.kind == "slider":
            for value in values:
                assert control.low <= value <= control.high
                steps = (value - control.low) / control.step
                assert steps == pytest.approx(round(steps), abs=1e-6)


@every_mission
def test_events_and_assumptions_are_locked(mission):
    policy = {
        "window", "trigger", "strategy", "summary_budget", "keep_recent", "clear_tool_results",
        "notes", "pin_instruction",
    }  # fmt: skip
    assert set(mission.open) <= policy


@every_mission
def test_every_mission_has_400_tasks(mission):
    assert mission.tasks == 400


def test_no_one_setting_is_allowed_in_every_mission():
    """So no one answer solves all: what one mission opens, another locks at a different value."""
    locked = [
        {name: value for name, value in mission.settings().items() if not mission.is_open(name)}
        for mission in load()
    ]
    clashes = {
        name
        for one, other in combinations(locked, 2)
        for name in one.keys() & other.keys() - set(EVENTS)
        if one[name] != other[name]
    }
    assert clashes == {"window", "summary_budget", "trigger"}


def test_no_solution_of_one_mission_is_the_solution_of_another():
    policies = [
        tuple(v for n, v in m.settings(m.solution).items() if n not in EVENTS) for m in load()
    ]
    assert len(set(policies)) == len(policies)


def test_notes_open_late():
    assert [mission.id for mission in load() if mission.is_open("notes")] == IDS[-2:]


def test_each_event_is_introduced_by_exactly_one_mission():
    introduced = [m.introduces for m in load() if m.introduces]
    assert introduced == ["noisy_tools", "long_horizon", "forgetful_summariser"]
    assert sorted(introduced) == sorted(EVENTS)


def test_an_event_is_met_only_once_it_has_been_introduced():
    known = set()
    for mission in load():
        known.add(mission.introduces)
        assert {event for event in EVENTS if mission.start.get(event)} <= known


def test_the_last_mission_has_all_three_events():
    assert [event for event in EVENTS if load()[-1].start.get(event)] == list(EVENTS)


def test_in_one_mission_the_bigger_window_succeeds_but_is_the_wrong_answer(audits):
    mission = of("bigger-window")
    assert mission.decoys[0].settings == {"window": 200_000}
    assert mission.solution["window"] < mission.settings()["window"] == 64_000


# --- words -----------------------------------------------------------------------------------


@every_mission
def test_a_brief_has_at_most_60_words(mission):
    assert 15 <= len(mission.brief.split()) <= 60


@every_mission
def test_there_are_exactly_two_hints(mission):
    assert len(mission.hints) == 2


@every_mission
def test_why_is_two_sentences(mission):
    assert len(re.findall(r"[.!?](?: |$)", mission.why)) == 2


@every_mission
def test_the_evidence_says_that_the_model_is_synthetic(mission):
    assert "synthetic model" in mission.evidence


@every_mission
def test_texts_are_short_and_end_like_sentences(mission):
    texts = [mission.brief, mission.why, mission.lesson, mission.evidence, *mission.hints]
    for text in [*texts, *(decoy.why for decoy in mission.decoys)]:
        assert text[0].isupper()
        assert text[-1] in ".?"
        assert "  " not in text
    assert len(mission.title) <= 32
    assert len(mission.lesson) <= 100
    assert len(mission.evidence) <= 220


# --- the value -------------------------------------------------------------------------------


def test_the_settings_of_a_mission_are_whole_and_its_start_unless_changed():
    mission = of("hungry-summary")
    begun = mission.settings()
    assert begun == {**Scenario().all_settings(), "window": 32_000, "summary_budget": 8_000}
    assert mission.settings({"trigger": 0.5}) == {**begun, "trigger": 0.5}


def test_all_but_the_open_controls_are_locked():
    mission = of("hungry-summary")
    assert [n for n in Scenario().to_dict() if mission.is_open(n)] == ["trigger", "summary_budget"]
    moved = mission.settings({"trigger": 0.5, "notes": True, "window": 64_000})
    assert mission.breaches(moved) == ("window", "notes")


def test_changed_counts_the_open_controls_that_differ_from_the_start():
    mission = of("hungry-summary")
    assert changed(mission, mission.settings()) == 0
    assert changed(mission, mission.settings({"trigger": 0.5})) == 1
    assert changed(mission, mission.settings({"trigger": 0.5, "summary_budget": 200})) == 2
    assert changed(mission, {"trigger": 0.5}) == 1
    assert changed(mission, {"notes": True}) == 0


def test_a_mission_cannot_be_changed_and_can_be_a_key():
    mission = of("lost-brief")
    with pytest.raises(AttributeError):
        mission.seed = 2
    for table in (mission.start, mission.open, mission.solution, mission.decoys[0].settings):
        with pytest.raises(TypeError):
            table["window"] = 1
    assert {mission: 1}[mission] == 1


def test_the_missions_are_shipped_with_the_package():
    import tomllib

    config = tomllib.loads((Path(missions.__file__).parents[1] / "pyproject.toml").read_text())
    assert "missions" in config["tool"]["setuptools"]["packages"]
    assert config["tool"]["setuptools"]["package-data"]["missions"] == ["*.toml"]
