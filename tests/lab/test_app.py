"""The lab behind the page: messages in, updates out."""

from __future__ import annotations

import asyncio
import gc
import json
from functools import cache

import pytest
from bokeh.document import Document
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from lab.app import Lab, receiver
from lab.feeds import Feeds
from lab.figures import Figures
from lab.page import first_document
from lab.text import controls
from lab.views import TABLES
from sim import setting_info, simulate
from tests.lab.desk import Desk, echoes

ATTRIBUTES = {"slider": "value", "switch": "active", "choice": "active", "number": "value"}


@cache
def shared_desk() -> Desk:
    return Desk()


def test_two_labs_are_the_same_document():
    first, second = Lab(), Lab()
    assert first.signature() == second.signature()
    assert len(first.signature()) > len(first.controls.widgets) > 20
    assert first_document(Lab()) == first_document(Lab())


def test_a_lab_that_has_worked_does_not_change_the_next_one():
    before = first_document(Lab())
    desk = Desk()
    desk.set(window=32_000, strategy="truncate", mean_steps="12")
    desk.act("pin")
    assert first_document(Lab()) == before


def test_the_document_can_be_drawn_from_its_json():
    lab = Lab()
    copy = Document.from_json(json.loads(json.dumps(first_document(lab))))
    assert [root.name for root in copy.roots] == [
        "controls", "context", "lives", "causes", "costs", "visited", "agents",
    ]  # fmt: skip
    assert sorted(model.id for model in copy.models) == sorted(m.id for m in lab.document.models)


def test_feeds_bring_the_figures_to_where_the_lab_is():
    """What the page has after some updates is what it would have if it were drawn anew."""
    desk = Desk()
    for message in ({"window": 32_000}, {"strategy": "truncate"}, {"tasks": "50"}, {"task": "3"}):
        desk.set(**message)
    anew = Figures()
    anew.show(Feeds().changes(desk.session))
    drawn = desk.figures()
    for name, root in anew.roots.items():
        for model in root.references():
            if model.name:
                shown = drawn.named(model.name).properties_with_values()
                for key, value in model.properties_with_values().items():
                    if isinstance(value, str | float | bool) or key in ("data", "factors"):
                        assert shown[key] == value, (name, model.name, key)


@pytest.mark.parametrize("name", [n for n in controls() if n not in ("tasks",)])
def test_what_the_page_has_set_does_not_come_back_to_it(name):
    desk = shared_desk()
    desk.act("restore", 0)
    spec = controls()[name]
    value = {
        "slider": spec.high, "switch": not getattr(desk.state, name), "number": "7",
        "choice": setting_info(name).get("options", [""])[-1],
    }[spec.kind]  # fmt: skip
    if spec.kind == "number" and setting_info(name)["bounds"][1] < 7:
        value = "0.7"
    if name in ("steps_sigma", "tool_tokens_sigma"):
        value = "1"
    update = desk.set(**{name: value})
    assert desk.errors == {}
    assert getattr(desk.state, name) == (float(value) if spec.kind == "number" else value)
    if spec.kind == "number":
        assert name not in update["readout"]["fields"]
    else:
        assert echoes(update, desk.models[name].id, ATTRIBUTES[spec.kind]) == []


def test_nothing_is_sent_twice():
    desk = Desk()
    update = desk.set(tasks="1,000")
    assert update["readout"]["fields"] == {"tasks": "1000"}
    again = desk.receive({"values": {}, "actions": []})
    assert (again["patch"], again["readout"]["fields"]) == (None, {})


def test_a_message_can_be_made_of_json_and_its_answer_too():
    lab = Lab()
    receive = receiver(lab)
    answer = json.loads(receive(json.dumps({"values": {"window": 32_000}, "actions": []})))
    values = {tile["key"]: tile["value"] for tile in answer["readout"]["tiles"]}
    expected = {k: e.value for k, e in simulate({"window": 32_000}).tiles.items() if k in values}
    assert values == expected


def test_changes_and_actions_of_one_message_are_done_in_this_order(desk):
    desk.receive({"values": {"window": 32_000}, "actions": [["pin", None]]})
    desk.set(window=64_000)
    assert desk.session.baseline_settings["window"] == 32_000


@pytest.mark.parametrize("name", ["", "windw", "tiles"])
def test_an_unknown_control_is_refused_by_name(desk, name):
    with pytest.raises(ValueError, match=f"'{name}' is not a control of the lab"):
        desk.set(**{name: 1})


@pytest.mark.parametrize("name", ["", "destroy", "Pin"])
def test_an_unknown_action_is_refused_by_name(desk, name):
    with pytest.raises(ValueError, match=f"'{name}' is not an action of the lab"):
        desk.act(name)


def test_a_refused_action_leaves_the_lab_working(desk):
    with pytest.raises(ValueError, match="destroy"):
        desk.act("destroy")
    desk.set(window=32_000)
    assert desk.tile("success")["value"] == simulate({"window": 32_000}).tiles["success"].value


def test_the_actions_are_those_of_the_session(desk):
    desk.set(window=32_000)
    desk.act("pin")
    assert desk.readout["is_baseline"]
    desk.set(notes=True)
    assert not desk.readout["is_baseline"]
    desk.act("restore-baseline")
    assert (desk.state.window, desk.state.notes) == (32_000, False)
    desk.act("restore", 0)
    assert desk.state.window == 64_000


def test_open_tables_come_with_every_update_and_closed_ones_do_not(desk):
    desk.act("tables", ["causes", "visited"])
    desk.set(window=32_000)
    assert set(desk.readout["tables"]) == {"causes", "visited"}
    desk.act("tables", [])
    assert desk.readout["tables"] == {}


def test_a_table_that_there_is_not_is_left_out(desk):
    assert desk.act("tables", ["causes", "nonsense"])["readout"]["tables"].keys() == {"causes"}


# --- settings that cannot be simulated --------------------------------------------------------


def test_impossible_settings_keep_the_last_tiles_and_say_so(desk):
    before = desk.readout["tiles"]
    desk.set(system_tokens="70,000")
    assert desk.readout["tiles"] == before
    assert desk.readout["error"].startswith(
        "“Context window” is 64,000 but must be at least 70,201 tokens"
    )
    desk.set(system_tokens="3,000")
    assert desk.readout["error"] == ""


def test_a_task_beyond_the_shown_ones_is_answered_while_the_settings_are_impossible(desk):
    desk.set(system_tokens="70,000")
    desk.set(task="500")
    assert desk.readout["error"]
    assert desk.readout["task"] < 400


def test_fewer_tasks_are_answered_while_the_settings_are_impossible(desk):
    desk.set(system_tokens="70,000", task="399")
    desk.set(tasks="5")
    assert desk.readout["error"]


# --- the comparison on further seeds ----------------------------------------------------------


def test_the_comparison_reports_its_progress_to_the_page():
    async def drive():
        desk = Desk()
        sent = []
        desk.lab.send = sent.append
        desk.set(window=32_000, tasks="20")
        desk.act("check-seeds")
        await desk.lab.settled()
        return sent

    robust = [update["readout"]["robust"] for update in asyncio.run(drive())]
    assert [step["done"] for step in robust] == [*range(21)]
    assert robust[7]["text"] == "7 of 20 seeds"
    assert robust[-1]["state"] == "done"
    assert json.dumps(robust)


def test_the_page_can_cancel_the_comparison():
    async def drive():
        desk = Desk()
        desk.set(window=32_000, tasks="20")
        desk.lab.send = lambda update: (
            desk.act("cancel") if update["readout"]["robust"]["done"] == 5 else None
        )
        desk.act("check-seeds")
        await desk.lab.settled()
        return desk.lab.update()["readout"]["robust"]

    robust = asyncio.run(drive())
    assert (robust["state"], robust["done"]) == ("cancelled", 5)


# --- a new worker takes over ------------------------------------------------------------------


def memory_of(updates):
    """What a page has gathered from updates, as it does."""
    memory = {"baseline": {}, "visits": []}
    for update in updates:
        memory["baseline"] = update["readout"]["memory"]["baseline"]
        memory["visits"] += update["readout"]["memory"]["visits"]
    return json.loads(json.dumps(memory))


def test_each_visit_is_told_once():
    desk = Desk()
    updates = [desk.last, desk.set(window=32_000), desk.set(window=64_000), desk.set(notes=True)]
    told = [visit["changes"] for update in updates for visit in memory_of([update])["visits"]]
    assert told == [{}, {"window": 32_000}, {"notes": True}]


def test_a_new_lab_resumes_where_the_old_one_was():
    old = Desk()
    updates = [
        old.last, old.set(window=32_000), old.act("pin"), old.set(notes=True, seed="5", tasks="50"),
        old.set(strategy="truncate", task="7"),
    ]  # fmt: skip
    new = Desk()
    controls_ = {"window": 32_000, "notes": True, "seed": "5", "tasks": "50", "task": "7"}
    values = {**controls_, "strategy": "truncate"}
    new.receive({"values": values, "actions": [["resume", memory_of(updates)]]})
    for name in ("tiles", "baseline", "task", "task_title", "lead", "rest", "alt", "resting"):
        assert new.readout[name] == old.readout[name]
    assert new.session.visits == old.session.visits
    drawn = [desk.figures().named("visited-data").data for desk in (new, old)]
    assert drawn[0] == drawn[1]
    assert (
        new.set(notes=False)["readout"]["memory"]["visits"]
        == (old.set(notes=False)["readout"]["memory"]["visits"])
    )


# --- any messages at all ----------------------------------------------------------------------

MOVES = st.one_of(
    st.tuples(st.just("window"), st.integers(16, 200).map(lambda n: 1_000 * n)),
    st.tuples(st.just("trigger"), st.sampled_from([0.4, 0.57, 0.95])),
    st.tuples(st.just("strategy"), st.sampled_from(["none", "truncate", "summarise"])),
    st.tuples(st.just("keep_recent"), st.integers(0, 16)),
    st.tuples(st.just("notes"), st.booleans()),
    st.tuples(st.just("long_horizon"), st.booleans()),
    st.tuples(st.just("seed"), st.sampled_from(["1", "2", "x", ""])),
    st.tuples(st.just("tasks"), st.sampled_from(["1", "20", "0", "nan"])),
    st.tuples(st.just("task"), st.sampled_from(["0", "19", "500", "-1"])),
    st.tuples(st.just("system_tokens"), st.sampled_from(["3000", "70000", "1e9"])),
    st.tuples(st.just("max_steps"), st.sampled_from(["100", "5", "200"])),
)
ACTIONS = st.one_of(
    st.just(("pin", None)),
    st.just(("restore-baseline", None)),
    st.just(("cancel", None)),
    st.tuples(st.just("restore"), st.integers(-1, 5)),
    st.tuples(st.just("tables"), st.lists(st.sampled_from(list(TABLES)), unique=True)),
)


@hypothesis_settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.one_of(MOVES.map(lambda m: ("move", m)), ACTIONS.map(lambda a: ("act", a)))))
def test_no_order_of_messages_confuses_the_lab(messages):
    desk = Desk()
    desk.set(tasks="20")
    for kind, (name, value) in messages:
        if kind == "move":
            desk.set(**{name: value})
        else:
            desk.act(name, value)
        json.dumps(desk.last)
        run = desk.session.run
        state = desk.state
        if not desk.readout["error"]:
            assert run.scenario.all_settings() == state.settings()
            assert (run.seed, len(run)) == (state.seed, state.tasks)
        assert 0 <= desk.readout["task"] < len(run)
        values = [tile["value"] for tile in desk.readout["tiles"]]
        assert values == [run.tiles[tile["key"]].value for tile in desk.readout["tiles"]]


def test_a_thousand_changes_leave_nothing_behind():
    """Where they are new settings, a line of the table for each; these are the same fifty."""
    lab = Lab()
    lab.receive({"values": {"tasks": "5"}})

    def objects_after(times: int) -> int:
        for number in range(times):
            lab.receive({"values": {"window": 20_000 + 1_000 * (number % 50)}})
        gc.collect()
        return len(gc.get_objects())

    early = objects_after(100)
    assert objects_after(900) - early < 100
