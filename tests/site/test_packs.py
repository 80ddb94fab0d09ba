"""The folded assumptions in the page: packs, prices, GPUs, the room left, and real agents."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlparse

import pytest

from lab.packs import packs
from sim import simulate
from sim.presets import PRESETS
from tests.site import native


def text_of(row):
    return " ".join(row.locator(".panel").text_content().split())


# --- folded ----------------------------------------------------------------------------------


def test_at_rest_there_is_one_folded_line_and_nothing_is_calculated(new_lab):
    lab = new_lab().open()
    fold = lab.view.locator("#packs-fold")
    assert fold.get_attribute("open") is None
    assert fold.locator(":scope > summary").inner_text().startswith("Assumptions")
    assert fold.bounding_box()["height"] < 60
    assert not lab.control("caching").is_visible()
    assert lab.view.locator("#packs .panel[data-html]").count() == 0


def test_every_pack_unfolds_with_the_keyboard_and_shows_its_evidence(lab):
    lab.view.locator("#packs-fold > summary").press("Enter")
    for pack in packs():
        row = lab.view.locator(f"#pack-{pack.id}")
        row.locator(":scope > summary").press("Enter")
        assert row.get_by_text(pack.what).is_visible()
        assert row.get_by_text(pack.strength).is_visible()
        assert row.locator(".row-state").inner_text() == "off"
    lab.settled()


def test_a_folded_panel_is_not_kept_up_to_date(lab):
    row = lab.open_panel("floor")
    before = text_of(row)
    lab.view.locator("#packs-fold > summary").click()
    lab.set("window", 32_000)
    assert text_of(row) == before
    lab.open_panel("floor")
    lab.view.wait_for_function(
        "before => document.querySelector('[data-panel=floor] .panel').textContent !== before",
        arg=row.locator(".panel").text_content() if text_of(row) == before else "",
    )
    assert "Tight" in text_of(row)


# --- a pack is a setting like any other ------------------------------------------------------


def test_a_pack_that_is_switched_on_changes_the_tiles_against_the_baseline(lab):
    lab.set("caching", True)
    assert lab.tiles() == pytest.approx(native.tiles(caching=True), rel=1e-9)
    assert lab.shown("cost")["delta"].startswith("▼ $2.73")
    assert lab.view.locator("#packs-on").inner_text() == "on: Prompt caching and prices"
    assert lab.view.locator("#pack-caching .row-state").inner_text() == "on"
    lab.set("reading", "u_shaped")
    lab.set("most_missed", "0.8")
    wanted = native.tiles(caching=True, reading="u_shaped", most_missed=0.8)
    assert lab.tiles() == pytest.approx(wanted, rel=1e-9)


def test_the_settings_of_a_pack_that_is_off_are_at_rest(lab):
    lab.unfold("packs-fold")
    lab.unfold("pack-hardware")
    assert lab.control("gpus").is_disabled()
    lab.set("hardware", True)
    assert lab.control("gpus").is_enabled()


def test_a_link_with_packs_restores_them_and_back_undoes_one(new_lab, host):
    link = "?v=1&caching=true&cold_share=0.1&base.carrier=one_field"
    lab = new_lab(host.url() + link).open()
    shown = lab.settings()
    assert (shown["caching"], shown["cold_share"], shown["carrier"]) == (True, "0.1", "0")
    assert lab.tiles() == pytest.approx(native.tiles(caching=True, cold_share=0.1), rel=1e-9)
    lab.set("hardware", True)
    lab.page.wait_for_url(re.compile("hardware=true"))
    assert dict(parse_qsl(urlparse(lab.page.url).query)) == {
        "v": "1", "caching": "true", "cold_share": "0.1", "hardware": "true",
        "base.carrier": "one_field",
    }  # fmt: skip
    lab.page.go_back()
    lab.page.wait_for_function("!document.getElementById('hardware').checked")
    lab.settled()
    assert lab.settings()["hardware"] is False


def test_a_bad_setting_of_a_pack_in_a_link_gets_its_sentence(new_lab, host):
    lab = new_lab(host.url() + "?caching=true&cold_share=lots").open()
    assert "cold_share is 'lots' but must be a number from 0 to 1" in lab.notice
    assert lab.settings()["caching"] is True


# --- cards -----------------------------------------------------------------------------------


def test_a_price_card_sets_its_numbers_and_any_of_them_can_be_edited(lab):
    row = lab.open_panel("price")
    lab.pick("Price card", "Claude Opus 4.5")
    assert (lab.value("input_per_mtok"), lab.value("output_per_mtok")) == ("5", "25")
    assert "As of 2026." in text_of(row)
    assert lab.page.evaluate("document.activeElement.id") == "pick-price"
    lab.set("output_per_mtok", "30")
    assert "Changed by hand." in text_of(row)
    prices = {
        "caching": True, "input_per_mtok": 5.0, "cache_read_per_mtok": 0.5,
        "cache_write_per_mtok": 6.25, "output_per_mtok": 30.0,
    }  # fmt: skip
    run = simulate(prices, seed=1, tasks=400)
    assert lab.tile("cost") == pytest.approx(run.tiles["cost"].value, rel=1e-9)
    split = [f"${amount:.2f}" for amount in run.cost_split.values()]
    assert row.locator(".legend b").all_text_contents() == split
    assert f"after {run.payback_requests:.1f} requests" in text_of(row)


def test_the_hardware_card_shows_the_known_values(lab):
    row = lab.open_panel("hardware")
    assert "Off: nothing is calculated." in text_of(row)
    lab.set("window", 200_000)
    lab.pick("Model", "Llama 3.1 70B")
    assert lab.settings()["hardware"] is True
    said = text_of(row)
    assert "327,680 B2 · 80 · 8 · 128 · 2 B" in said
    assert "65.5 GB327,680 B · 200,000 tokens" in said
    lab.pick("Model", "DeepSeek-V3 671B")
    assert "70,272 B61 layers · (512 + 64) · 2 B" in text_of(row)


def test_the_room_left_says_what_can_never_fit(lab):
    row = lab.open_panel("floor")
    verdict = row.locator(".verdict")
    assert verdict.get_attribute("data-state") == "fine"
    lab.set("window", 16_000)
    lab.set("keep_recent", 8)
    assert verdict.get_attribute("data-state") == "never"
    assert verdict.inner_text().startswith("Can never fit: 20,910 tokens stay")


def test_the_carrier_has_its_tile(lab):
    row = lab.open_panel("carrier")
    assert "nothing is invented" in text_of(row)
    lab.set("carrier", "one_field")
    lab.set("writer", "gist")
    run = simulate({"carrier": "one_field", "writer": "gist"}, seed=1, tasks=400)
    value = float(row.locator(".big").get_attribute("data-value"))
    assert value == pytest.approx(run.tiles["confidently_wrong"].value, rel=1e-9)


# --- real agents -----------------------------------------------------------------------------


def test_an_agent_is_searched_for_and_loaded_and_back_undoes_it_at_once(new_lab, host):
    lab = new_lab(host.url()).open()
    row = lab.open_panel("agents")
    before = lab.tiles()
    field = lab.view.get_by_label("Agent", exact=True)
    field.press_sequentially("Roo Code")
    field.press("Tab")
    lab.settled()
    assert "RooCodeInc/Roo-Code at cb836567" in text_of(row)
    assert "What the model leaves out" in text_of(row)
    lab.press("Use this preset")
    run = simulate(PRESETS["roo"].scenario(64_000).to_dict(), seed=1, tasks=400)
    assert lab.tile("success") == pytest.approx(run.tiles["success"].value, rel=1e-9)
    lab.page.wait_for_url(re.compile(r"\?v=1&"))
    lab.page.go_back()
    lab.page.wait_for_function("document.getElementById('trigger').value === '0.8'")
    lab.settled()
    assert lab.tiles() == before


def test_a_name_that_is_no_agent_gets_a_sentence(lab):
    lab.open_panel("agents")
    field = lab.view.get_by_label("Agent", exact=True)
    field.fill("Clod")
    field.press("Enter")
    lab.settled()
    said = lab.view.locator("#preset-info").get_by_role("alert")
    assert said.inner_text().startswith("No agent of the list is called 'Clod'.")
    assert lab.button("Use this preset").is_disabled()
    field.fill("Clau")
    field.press("Enter")
    lab.settled()
    assert said.count() == 0
    assert field.input_value() == "Claude Code"
    field.fill("")
    field.press("Enter")
    lab.settled()


def test_a_workload_is_chosen_by_its_name(lab):
    lab.open_panel("agents")
    lab.pick("Tasks of", "Web research")
    assert lab.settings()["tool_tokens_median"] == "6000"
    assert lab.view.get_by_label("Tasks of", exact=True).input_value() == "research"


def test_all_agents_are_compared_sorted_and_loaded(lab):
    lab.open_panel("agents")
    lab.press("Compare all on these tasks")
    assert lab.agents_reach("done").startswith(f"{len(PRESETS)} agents, on the tasks shown.")
    table = lab.view.locator("#presets-table")
    head = table.locator("th[aria-sort]")
    assert (head.inner_text(), head.get_attribute("aria-sort")) == ("Success ▼", "descending")
    lab.press("Cost")
    assert head.get_attribute("aria-sort") == "ascending"
    assert lab.page.evaluate("document.activeElement.id") == "sort-cost"
    costs = [float(row[2].split()[0].removeprefix("$")) for row in lab.rows(table)]
    assert len(costs) == len(PRESETS)
    assert costs == sorted(costs)
    assert len(lab.model("agents-data", "data.cost")) == len(PRESETS)
    lab.press("Roo Code")
    run = simulate(PRESETS["roo"].scenario(64_000).to_dict(), seed=1, tasks=400)
    assert lab.tile("cost") == pytest.approx(run.tiles["cost"].value, rel=1e-9)
    assert table.locator("[aria-current]").inner_text().startswith("Roo Code")
    lab.view.get_by_label("Agent", exact=True).fill("")


def test_a_comparison_can_be_cancelled(lab):
    lab.open_panel("agents")
    lab.set("tasks", "5000")  # so that it takes a while
    lab.button("Compare all on these tasks").click()
    lab.button("Cancel comparing").click()
    assert re.match(r"Cancelled after \d+ of 37 agents\.", lab.agents_reach("cancelled"))
    assert lab.button("Compare all on these tasks").is_visible()


# --- missions --------------------------------------------------------------------------------


def test_a_mission_locks_the_packs(new_lab, host):
    lab = new_lab(host.url() + "?mission=lost-brief").open()
    lab.open_panel("price")
    for name in ("caching", "reading", "carrier", "masking"):
        box = lab.view.locator(f"[data-control={name}]")
        assert "locked" in box.get_attribute("class")
        assert box.locator("input").first.is_disabled()
        head = lab.view.locator(f"#pack-{name} .row-state")
        assert head.text_content() == "off, locked in this mission"
    lab.pick("Price card", "Claude Haiku 4.5")
    assert lab.notice == "“Prompt caching” is locked in this mission: leave the mission to set it."
    assert lab.view.get_by_label("Price card", exact=True).input_value() == "flat"


# --- in another page -------------------------------------------------------------------------


def test_an_embed_shows_a_control_of_a_pack_where_it_is_asked_for(new_lab, host):
    lab = new_lab(host.url() + "?embed=1&controls=caching,cold_share&caching=true").open()
    assert not lab.view.locator("#packs").is_visible()
    assert lab.control("caching").is_visible()
    lab.control("cold_share").fill("0.5")
    lab.control("cold_share").press("Enter")
    lab.settled()
    wanted = native.tiles(caching=True, cold_share=0.5)
    assert lab.tiles() == pytest.approx(wanted, rel=1e-9)
