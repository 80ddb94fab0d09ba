"""Any state survives its link; a bad link is repaired, and says what was ignored."""

from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import missions
from lab.app import Lab
from lab.share import from_query, notice, to_query
from lab.state import DEFAULTS, MAX_SEED, MAX_TASKS, LabState
from sim import Scenario, ScenarioError, setting_info, simulate


def values_of(name):
    rule, default = setting_info(name), DEFAULTS[name]
    if "options" in rule:
        return st.sampled_from(rule["options"])
    if isinstance(default, bool):
        return st.booleans()
    low, high = rule["bounds"]
    return st.integers(low, high) if isinstance(default, int) else st.floats(low, high)


@st.composite
def scenarios(draw):
    names = draw(st.lists(st.sampled_from(sorted(DEFAULTS)), unique=True, max_size=8))
    chosen = {name: draw(values_of(name)) for name in names}
    try:
        return Scenario.from_dict(chosen).all_settings()
    except ScenarioError:
        return Scenario().all_settings()


@settings(max_examples=300, deadline=None)
@given(
    scenarios(), scenarios(), st.integers(0, MAX_SEED), st.integers(1, MAX_TASKS), st.data()
)  # fmt: skip
def test_any_state_survives_its_link(now, baseline, seed, tasks, data):
    task = data.draw(st.integers(0, tasks - 1))
    state = LabState(**now, seed=seed, tasks=tasks, task=task)
    link = from_query(to_query(state, baseline))
    assert (link.settings, link.baseline) == (now, baseline)
    assert (link.seed, link.tasks, link.task, link.mission) == (seed, tasks, task, None)
    assert link.ignored == ()


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(missions.load()), st.data())
def test_any_state_of_a_mission_survives_its_link(mission, data):
    moved = {name: data.draw(st.sampled_from(grid)) for name, grid in mission.open.items()}
    now = mission.settings(moved)
    state = LabState(**now, seed=data.draw(st.integers(0, 99)), tasks=mission.tasks)
    link = from_query(to_query(state, mission.settings(), mission))
    assert (link.settings, link.baseline) == (now, mission.settings())
    assert (link.seed, link.tasks, link.mission) == (state.seed, mission.tasks, mission)
    assert link.ignored == ()


def test_a_link_to_a_mission_is_short_and_begins_broken():
    mission = missions.load()[0]
    state = LabState(**mission.settings(), seed=mission.seed, tasks=mission.tasks)
    assert to_query(state, mission.settings(), mission) == "v=1&mission=lost-brief"
    assert from_query("mission=lost-brief").settings == mission.settings()


def test_what_a_mission_locks_no_link_moves():
    link = from_query("window=32000&mission=lost-brief&tasks=7&pin_instruction=true")
    assert link.ignored == (
        "window is locked in the mission The lost brief.",
        "tasks is locked in the mission The lost brief.",
    )
    assert link.settings == missions.load()[0].settings({"pin_instruction": True})


def test_a_mission_that_there_is_not_is_named():
    link = from_query("mission=lost-beef&window=32000")
    assert link.mission is None
    assert link.settings["window"] == 32_000
    assert link.ignored[0].startswith("mission is 'lost-beef' but must be one of lost-brief, ")


def test_a_linked_state_gives_the_same_numbers():
    sender, receiver = Lab(), Lab()
    values = {"window": 32_000, "notes": True, "seed": "5", "tool_tokens_median": "1234.56"}
    sender.receive({"values": values, "actions": [["pin", None]]})
    sent = sender.receive({"values": {"keep_recent": 2, "task": "7"}})["readout"]
    got = receiver.receive({"link": sent["share"]})["readout"]
    assert got["tiles"] == sent["tiles"]
    assert got["baseline"] == sent["baseline"]
    assert got["task_title"] == sent["task_title"]
    assert got["share"] == sent["share"]


def test_the_default_state_has_a_short_link():
    assert to_query(LabState(), DEFAULTS) == "v=1"
    assert to_query(LabState(window=32_000), {**DEFAULTS, "notes": True}) == (
        "v=1&window=32000&base.notes=true"
    )


def test_a_link_replaces_all_that_was_set():
    lab = Lab()
    lab.receive({"values": {"window": 32_000, "seed": "9", "system_tokens": "nonsense"}})
    readout = lab.receive({"link": "v=1&notes=true"})["readout"]
    assert lab.state.settings() == {**DEFAULTS, "notes": True}
    assert readout["seed"] == 1
    assert readout["errors"] == {}
    assert readout["fields"] == {"seed": "1", "system_tokens": "3000"}


def test_what_is_set_after_a_link_counts():
    lab = Lab()
    lab.receive({"link": "window=32000&notes=true", "values": {"window": 48_000}})
    assert lab.state.settings() == {**DEFAULTS, "window": 48_000, "notes": True}


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("window=lots", "window is 'lots' but must be a whole number from 1 to"),
        ("window=0", "window is 0 but must be a whole number from 1 to"),
        ("windo=3", "'windo' is no setting of this lab."),
        ("base.windo=3", "'windo' is no setting of this lab."),
        ("strategy=sumarise", "strategy is 'sumarise' but must be one of none, truncate,"),
        ("notes=perhaps", "notes is 'perhaps' but must be true or false: write true or false."),
        ("trigger=nan", "trigger is nan but must be a number from 0.01 to 1: for example 0.8."),
        ("seed=-1", "seed is '-1' but must be a whole number from 0 to 9,007,199,254,740,991."),
        ("tasks=1e3", "tasks is '1e3' but must be a whole number from 1 to 10,000."),
        ("task=400", "task is 400 but must be less than the number of tasks, 400:"),
        ("theme=blue", "theme is 'blue' but must be light or dark."),
        ("v=2", "v is '2' but this lab writes version 1: what it knows was taken."),
        ("min_steps=150", "min_steps is 150 but max_steps is 100: give a min_steps"),
    ],
)  # fmt: skip
def test_a_bad_part_of_a_link_is_named(query, sentence):
    link = from_query(query + "&keep_recent=2")
    assert len(link.ignored) == 1
    assert link.ignored[0].startswith(sentence)
    assert link.settings == {**DEFAULTS, "keep_recent": 2}
    assert sentence in notice(link.ignored)


def test_settings_that_do_not_go_together_are_dropped_one_by_one():
    link = from_query("keep_recent=2&system_tokens=70000&window=16000")
    assert link.settings == {**DEFAULTS, "keep_recent": 2}
    assert [sentence.split()[0] for sentence in link.ignored] == ["window", "window"]


def test_settings_that_only_go_together_are_taken():
    link = from_query("min_steps=150&max_steps=160")
    assert link.ignored == ()
    assert (link.settings["min_steps"], link.settings["max_steps"]) == (150, 160)


def test_what_belongs_to_the_page_is_left_to_it():
    query = "theme=dark&embed=1&controls=window&charts=lives&unlock=all"
    assert from_query(query) == from_query("")


def test_many_complaints_are_cut_short():
    ignored = from_query(urlencode({f"x{n}": n for n in range(9)})).ignored
    assert len(ignored) == 9
    assert notice(ignored).endswith("And 6 more.")
    assert notice(()) == ""


@settings(max_examples=300, deadline=None)
@given(st.text() | st.lists(st.tuples(
    st.sampled_from([*DEFAULTS, "seed", "task", "tasks", "v", "mission", "base.window", "theme"]),
    st.text() | st.integers().map(str) | st.floats().map(str),
)).map(urlencode))  # fmt: skip
def test_no_link_breaks_the_lab(query):
    link = from_query(query)
    assert simulate(Scenario.from_dict(link.settings), seed=link.seed, tasks=1).tiles
    assert from_query(to_query(
        LabState(**link.settings, seed=link.seed, tasks=link.tasks, task=link.task), link.baseline
    )).ignored == ()  # fmt: skip


def test_a_link_with_too_many_parts_is_not_read():
    link = from_query("&".join(["window=32000"] * 401))
    assert link.settings == DEFAULTS
    assert link.ignored == ("it has more than 400 parts, so none was taken.",)
