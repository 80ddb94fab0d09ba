"""The packs: an entry for each, controls made from their fields, and settings like any other."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from lab import export
from lab.packs import Pack, packs
from lab.panels import PANELS
from lab.share import from_query, to_query
from lab.state import DEFAULTS, LabState
from lab.text import controls
from missions import load
from sim import CARDS, is_base, pack_settings, simulate
from tests.lab.desk import Desk

every_pack = pytest.mark.parametrize("pack", packs(), ids=lambda pack: pack.id)


@pytest.fixture(scope="module")
def shared():
    return Desk()


@pytest.fixture
def desk(shared):
    shared.act("leave-mission")
    shared.act("restore", 0)
    shared.act("pin")
    shared.act("panels", [])
    return shared


def test_every_pack_of_the_simulator_has_an_entry():
    assert sorted(pack.id for pack in packs()) == sorted(pack_settings())


@every_pack
def test_every_setting_of_a_pack_stands_once_in_its_entry(pack):
    shown = [*filter(None, [pack.switch]), *pack.plain, *pack.more]
    assert sorted(shown) == sorted(pack.controls)
    assert set(pack_settings()[pack.id]) <= set(pack.controls)


@every_pack
def test_every_pack_says_what_it_is_and_how_far_its_evidence_carries(pack):
    for words in (pack.what, pack.source, pack.strength):
        assert words[0].isupper() or words[0] == "“"
        assert words.endswith((".", ".”"))
    assert pack.panel in ("", *PANELS)


@every_pack
def test_a_pack_is_off_at_the_start_and_on_once_its_switch_is_moved(pack):
    assert not pack.is_on(DEFAULTS)
    for name in [pack.switch] if pack.switch else pack.controls:
        rule = controls()[name].kind
        moved = {"switch": True, "choice": "headed_text", "number": DEFAULTS[name]}[rule]
        assert pack.is_on({**DEFAULTS, name: moved if rule != "number" else moved + 1})


def test_a_setting_rests_until_what_it_needs_is_on():
    by_id: dict[str, Pack] = {pack.id: pack for pack in packs()}
    disk, caching = by_id["disk"], by_id["caching"]
    assert {"archive_rate", "offload_above"} <= set(disk.at_rest(DEFAULTS))
    assert "offloading" not in disk.at_rest(DEFAULTS)
    with_archive = disk.at_rest({**DEFAULTS, "archive": True})
    assert "archive_rate" not in with_archive
    assert "offload_above" in with_archive
    assert "input_per_mtok" not in caching.at_rest(DEFAULTS)
    assert "output_per_mtok" in caching.at_rest(DEFAULTS)
    reading = by_id["reading"]
    assert reading.at_rest({**DEFAULTS, "reading": "u_shaped"}) == []
    assert reading.at_rest({**DEFAULTS, "reading": "state_tracking"}) == ["most_missed"]
    assert reading.at_rest(DEFAULTS) == ["most_missed"]


# --- a setting like any other ----------------------------------------------------------------


def test_a_pack_that_is_switched_on_changes_the_tiles_and_says_so(desk):
    assert desk.readout["packs"] == []
    desk.set(caching=True)
    assert desk.tile("cost")["text"] == "$0.87"
    assert desk.readout["packs"] == ["caching"]
    assert desk.readout["packs_on"] == "on: Prompt caching and prices"
    desk.set(hardware=True, masking=True)
    assert desk.readout["packs_on"].endswith(", Masking by watermark")
    desk.set(offloading=True)
    assert desk.readout["packs_on"] == "on: 4 of 9"
    desk.set(caching=False, hardware=False, masking=False, offloading=False)
    assert desk.tile("cost")["text"] == "$3.60"
    assert desk.readout["packs_on"].startswith("the base model alone")


def test_a_link_holds_what_differs_from_the_defaults(desk):
    desk.set(caching=True, cold_share="0.1")
    assert desk.readout["share"] == "v=1&caching=true&cold_share=0.1"
    desk.act("pin")
    assert desk.readout["share"].endswith("&base.caching=true&base.cold_share=0.1")


def test_a_link_with_packs_restores_them():
    link = from_query("carrier=one_field&writer=gist&hardware=true&gpus=4&base.masking=true")
    assert link.ignored == ()
    moved = {name: v for name, v in link.settings.items() if v != DEFAULTS[name]}
    assert moved == {"carrier": "one_field", "writer": "gist", "hardware": True, "gpus": 4}
    assert link.baseline["masking"] is True
    assert to_query(LabState(**link.settings), link.baseline) == (
        "v=1&carrier=one_field&writer=gist&hardware=true&gpus=4&base.masking=true"
        if list(DEFAULTS).index("carrier") < list(DEFAULTS).index("hardware")
        else "v=1&hardware=true&gpus=4&carrier=one_field&writer=gist&base.masking=true"
    )


def test_a_link_with_a_bad_setting_of_a_pack_is_repaired_with_a_sentence():
    link = from_query("caching=true&cold_share=3&reading=loud")
    assert (link.settings["caching"], link.settings["cold_share"]) == (True, 0.0)
    assert link.ignored == (
        "cold_share is 3.0 but must be a number from 0 to 1: for example 0.",
        "reading is 'loud' but must be one of linear, u_shaped, state_tracking: "
        "for example linear.",
    )


def test_the_baseline_shows_what_a_pack_has_moved(desk):
    desk.set(reading="u_shaped")
    assert "Reading linear <em>now u shaped</em>" in desk.readout["baseline"]
    desk.act("restore-baseline")
    assert desk.state.reading == "linear"


def test_a_visit_and_another_worker_bring_packs_back(desk):
    desk.set(masking=True, mask_search_at="0.5")
    visits = len(desk.session.visits)
    desk.act("restore", 0)
    assert desk.state.masking is False
    desk.act("restore", visits - 1)
    assert (desk.state.masking, desk.state.mask_search_at) == (True, 0.5)
    other = Desk()
    visit = {"changes": {"caching": True}, "seed": 1, "tasks": 400, "success": 0.5, "cost": 1.0}
    other.act("resume", {"visits": [visit], "baseline": {"hardware": True}, "mission": ""})
    assert other.session.baseline_settings["hardware"] is True
    other.act("restore", 0)
    assert other.state.caching is True


def test_code_and_files_hold_the_packs(desk):
    desk.set(caching=True, notes_at="front")
    python, command = export.as_python(desk.session), export.as_command(desk.session)
    assert "Scenario().replace(caching=True, notes_at='front')" in python
    assert "--b caching=true --b notes_at=front" in command
    report = json.loads(export.run_json(desk.session).text)
    assert report["candidate"]["provenance"]["scenario"]["notes_at"] == "front"
    head = export.table_csv(desk.session, "visited").text.splitlines()[0].split(",")
    assert "caching" in head
    assert "gpus" not in head
    assert all(is_base(name) for name in head[4 : head.index("caching")])


def test_the_command_runs_and_gives_the_tile(desk):
    desk.set(caching=True, tasks="40")
    desk.act("pin")
    words = export.as_command(desk.session).split()[1:]
    found = json.loads(subprocess.run([sys.executable, *words], capture_output=True).stdout)
    assert found["cost"] == desk.session.run.tiles["cost"].value
    desk.set(tasks="400")


# --- missions --------------------------------------------------------------------------------


def test_a_mission_locks_every_pack_that_it_does_not_open(desk):
    desk.act("unlock-sitting")
    desk.act("load-mission")
    locks = desk.readout["locks"]
    opened = {name for mission in load()[:1] for name in mission.open}
    of_packs = {name for pack in packs() for name in pack.controls}
    assert of_packs - opened <= set(locks)


def test_a_card_or_a_preset_does_not_get_past_a_mission(desk):
    desk.act("load-mission")
    before = desk.state.settings()
    update = desk.act("card", "sonnet_4_6")
    assert update["notice"] == (
        "“Prompt caching” is locked in this mission: leave the mission to set it."
    )
    assert "locked in this mission" in desk.act("load-preset", "claude_code")["notice"]
    assert desk.state.settings() == before
    assert desk.receive({"values": {}})["readout"]["mission"]["can_check"]


def test_a_pack_moved_in_a_mission_all_the_same_cannot_win(desk):
    desk.act("load-mission")
    desk.set(reading="u_shaped")
    assert not desk.readout["mission"]["can_check"]


def test_a_link_into_a_mission_leaves_its_packs_alone():
    link = from_query("mission=lost-brief&caching=true")
    assert link.settings["caching"] is False
    assert link.ignored == ("caching is locked in the mission The lost brief.",)


# --- cards -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CARDS)
def test_a_card_sets_its_numbers_and_is_shown_as_the_one_in_force(desk, name):
    desk.act("panels", ["price", "hardware"])
    desk.act("card", name)
    settings = CARDS[name].settings
    assert {key: getattr(desk.state, key) for key in settings} == dict(settings)
    panels = desk.readout["panels"]
    assert f"<option value={name} selected>" in panels["price"] + panels["hardware"]


def test_a_number_changed_by_hand_is_no_card_any_more(desk):
    desk.act("panels", ["price"])
    desk.act("card", "haiku_4_5")
    desk.set(output_per_mtok="6")
    assert "selected>your own numbers" in desk.readout["panels"]["price"]


def test_an_unknown_card_is_refused_with_a_sentence(desk):
    notice = desk.act("card", "sonet_4_6")["notice"]
    assert notice == "'sonet_4_6' is not a card: did you mean sonnet_4_6?"


def test_the_bars_of_the_costs_follow_the_pack(desk):
    desk.set(caching=True)
    costs = desk.figures().roots["costs"]
    rows = ["summariser", "output", "cache writes", "cache reads"]
    assert (costs.y_range.factors, costs.height) == (rows, 162)
    desk.set(caching=False)
    costs = desk.figures().roots["costs"]
    assert (costs.y_range.factors, costs.height) == (["summariser", "requests"], 90)


def test_the_split_shown_adds_up_to_the_tile(desk):
    desk.set(caching=True)
    run = simulate({"caching": True}, seed=1, tasks=400)
    assert sum(run.cost_split.values()) == pytest.approx(run.tiles["cost"].value)
    assert desk.readout["alt"]["costs"] == (
        "Per task, $0.31 for cache reads, $0.38 for cache writes, $0.12 for output, "
        "$0.06 for summariser."
    )
