"""The state-tracking tab in a browser: opened, moved, stepped through, linked to and left."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import expect

from tests.site.host import Host
from tests.site.page import LabPage
from tests.site.study import Study
from tests.site.test_axe import complaints, every_look
from tests.site.test_failures import kill
from tests.site.watch import Watch, WatchedBrowser

OWN = ("tracking", "state-tracking")
TABLE = "100, 99 %, 100\n1000, 60 %, 100\n5000, 12 %, 100"


@pytest.fixture(scope="module")
def page_of_all(browser: WatchedBrowser, host: Host, watch: Watch) -> Iterator[Study]:
    """One live page, with the tab open, for the tests that only use it."""
    lab = LabPage(browser.new_context().new_page(), host.url()).open()
    yield Study(lab).open()
    watch.leave(lab.page)


@pytest.fixture
def study(page_of_all: Study) -> Study:
    """The open tab at its default setting."""
    page_of_all.panel.get_by_role("button", name="Reset").click()
    return page_of_all.settled()


def opened(new_lab: Callable[..., LabPage], host: Host, query: str) -> Study:
    lab = new_lab(host.url() + query)
    lab.page.goto(lab.url)
    lab.reach("live")
    return Study(lab).settled()


# --- coming and going --------------------------------------------------------------------------


def test_nothing_of_it_is_loaded_before_it_is_opened(new_lab, host):
    lab = new_lab(host.url())
    fetched: list[str] = []
    lab.page.on("request", lambda request: fetched.append(request.url))
    lab.open()
    ours = lambda: [url for url in fetched if any(name in url for name in OWN)]  # noqa: E731
    assert ours() == []
    study = Study(lab)
    assert study.panel.count() == 0
    study.open()
    names = {url.rsplit("/", 1)[1] for url in ours()}
    assert names == {
        "state-tracking.css", "state-tracking.html",
        "tracking.js", "tracking-charts.js", "tracking-steps.js",
    }  # fmt: skip
    assert "statements on, the lossy state answers better." in study.sentence
    assert study.query == "?tab=state-tracking"


def test_it_opens_under_the_policy_of_the_page(new_lab, host):
    page = new_lab(host.url(), bypass_csp=False).page
    page.goto(host.url())
    page.get_by_role("tab", name="State tracking").click()  # early: it waits for Python
    expect(page.locator("#st-lead")).to_contain_text("statements on", timeout=60_000)
    expect(page.locator("#st-step")).to_contain_text("Step 19 of 19")


def test_the_browser_s_way_back_leads_through_tabs_and_settings(new_lab, host):
    lab = new_lab(host.url() + "?window=32000").open()
    lab.settled()
    study = Study(lab).open()
    study.set("rate", 0.5)
    study.page.wait_for_url(re.compile(r"st\.rate=0\.5"))
    assert study.query == "?v=1&window=32000&tab=state-tracking&st.rate=0.5"
    study.page.go_back()
    expect(study.control("rate")).to_have_attribute("aria-valuetext", "20 %")
    study.page.go_back()
    expect(lab.page.get_by_role("tabpanel", name="Compaction")).to_be_visible()
    assert lab.settings()["window"] == "32000"
    study.page.go_forward()
    study.page.go_forward()
    expect(study.control("rate")).to_have_attribute("aria-valuetext", "50 %")


def test_a_link_opens_the_tab_as_it_was_set(new_lab, host):
    study = opened(new_lab, host, "?v=1&tab=state-tracking&st.rate=0.33&st.grammar=mixed")
    assert study.shown("rate") == "33 %"
    assert study.control("grammar").get_by_role("radio", name="Mixed").is_checked()
    assert study.tab().get_attribute("aria-selected") == "true"
    assert "33 %" in study.text("loss")


def test_a_link_with_a_curve_of_one_s_own_shows_the_table(new_lab, host):
    query = "?tab=state-tracking&st.curve=100+90%25+100%0A1000+40%25+100"
    study = opened(new_lab, host, query)
    expect(study.page.locator("#st-curve")).to_be_visible()
    expect(study.page.locator("#st-curve")).to_have_value("100 90% 100\n1000 40% 100")
    assert study.text("source") == "Curve: your table, 100 to 1,000 statements."


def test_a_damaged_link_is_repaired_with_a_sentence(new_lab, host):
    study = opened(new_lab, host, "?tab=state-tracking&st.rate=lots&st.seed=7")
    assert "rate is 'lots' but must be a number from 0 to 1" in study.text("notice-text")
    assert study.query == "?v=1&tab=state-tracking&st.seed=7"


def test_the_tabs_follow_the_keyboard(study):
    first, second = study.tab("Compaction"), study.tab()
    assert [each.get_attribute("tabindex") for each in (first, second)] == ["-1", "0"]
    second.focus()
    study.page.keyboard.press("ArrowRight")  # from the last to the first
    expect(first).to_be_focused()
    expect(study.panel).to_be_visible()  # only focused
    study.page.keyboard.press("Enter")
    expect(study.page.get_by_role("tabpanel", name="Compaction")).to_be_visible()
    study.page.keyboard.press("End")
    expect(second).to_be_focused()
    study.page.keyboard.press(" ")
    expect(study.panel).to_be_visible()


def test_an_embed_has_no_tabs(new_lab, host):
    lab = new_lab(host.url() + "?embed=1&tab=state-tracking&window=32000").open()
    assert lab.page.get_by_role("tab").count() == 0
    assert lab.sentence.startswith("40 of 100 tasks")


@pytest.mark.expects_trouble("a file of the tab is missing")
def test_a_missing_file_is_told_in_the_tab(new_lab, host):
    lab = new_lab(host.url({"state-tracking.html": "missing"})).open()
    Study(lab).tab().click()
    alert = lab.page.get_by_role("tabpanel").get_by_role("alert")
    expect(alert).to_contain_text("This tab cannot be shown: a file of it is missing or damaged.")


@pytest.mark.expects_trouble("the worker dies")
def test_the_tab_goes_on_when_its_worker_has_died(new_lab):
    study = Study(new_lab().open()).open().set("rate", 0.5)
    before = study.sentence
    kill(study.lab)
    study.control("target_rate").fill("0")
    study.lab.reach("runtime")
    study.lab.reach("live")
    study.settled()
    assert study.shown("rate") == "50 %"
    (n_star,) = study.data("crossing")["x"]
    assert study.set("target_rate", 0.04).sentence == before
    assert n_star > study.data("crossing")["x"][0]


@pytest.mark.expects_trouble("the worker dies")
def test_the_tab_opens_though_the_worker_dies_while_its_files_come(new_lab, host):
    sent = threading.Event()
    lab = new_lab(host.url({"state-tracking.html": sent})).open()
    kill(lab)
    study = Study(lab)
    study.tab().click()
    lab.reach("runtime")
    lab.reach("live")
    sent.set()
    assert "statements on, the lossy state answers better." in study.settled().sentence


# --- the curves --------------------------------------------------------------------------------


def test_a_slider_moves_the_curve_and_the_crossing(study):
    before = study.data("tried")["y"], study.data("crossing")
    (n_star,) = before[1]["x"]
    assert before[1]["low"][0] < n_star < before[1]["high"][0]
    study.set("target_rate", 0.2)
    after = study.data("crossing")
    assert study.data("tried")["y"] != before[0]
    assert after["x"][0] < n_star
    assert f"From {after['x'][0]:.0f} statements on" in study.sentence
    assert "N* lies between" in study.sentence


def test_more_loss_lowers_the_state_and_moves_the_crossing(study):
    study.set("rate", 0.5)
    assert study.data("state")["y"][0] == pytest.approx(0.5, abs=0.03)
    study.set("compressor", "oracle")
    assert study.sentence.startswith("The state is better at any length.")
    assert not study.control("rate").is_enabled()
    assert study.data("crossing")["x"] == []


def test_a_rate_that_was_not_tried_is_called_extrapolated(study):
    study.set("target_rate", 0.4)
    assert "All of it is extrapolated" in study.sentence
    assert set(study.data("tried")["y"]) == {None} or all(
        value is None or value != value for value in study.data("tried")["y"]
    )


def test_the_mixed_grammar_shows_what_was_measured(study):
    study.set("grammar", "mixed")
    assert study.data("measured")["x"][-1] == 5000
    assert "100 answers a length" in study.text("source")
    expect(study.panel.get_by_text("measured, with the published interval")).to_be_visible()


def test_a_length_is_read_with_the_keyboard(study):
    handle = study.panel.get_by_role("slider", name="Read a length")
    handle.focus()
    study.page.keyboard.press("End")
    assert study.text("cursor-text").startswith("10,000 statements: whole context")
    assert "extrapolated" in study.text("cursor-text")


def test_a_part_compressed_has_its_own_marks(study):
    assert study.data("parts")["x"] == []
    study.set("compressed", 0.5)
    assert study.data("parts")["x"] == [30, 100, 200, 500, 1000, 2000, 5000]
    assert "The first 50 % as a state and the rest raw give" in study.text("partly")


def test_a_pasted_table_is_taken_or_told(study):
    study.panel.get_by_text("Your model's curve").click()
    box = study.panel.get_by_role("textbox", name="Table of length, accuracy, n")
    before = study.sentence
    box.fill("nonsense")
    box.blur()
    expect(study.panel.get_by_role("alert").filter(has_text="table has 0 rows")).to_be_visible()
    study.settled()
    assert study.sentence == before
    box.fill(TABLE)
    box.blur()
    study.settled()
    assert study.text("source") == "Curve: your table, 100 to 5,000 statements."
    assert study.sentence != before
    study.panel.get_by_role("button", name="Back to the published curve").click()
    study.settled()
    assert study.sentence == before


# --- the map -----------------------------------------------------------------------------------


def test_a_cell_of_the_map_sets_both_rates(study):
    study.page.locator("#chart-st-map").scroll_into_view_if_needed()
    box = study.page.locator("#chart-st-map").bounding_box()
    x, y = study.page.evaluate(
        """() => {
          const doc = Bokeh.documents.find(each => each.get_model_by_name('st-map'));
          const { frame } = Bokeh.index.find_one(doc.get_model_by_name('st-map'));
          return [frame.x_scale.compute('20 %'), frame.y_scale.compute('50 %')];
        }"""
    )
    study.page.mouse.click(box["x"] + x, box["y"] + y)
    study.settled()
    assert (study.shown("target_rate"), study.shown("rate")) == ("20 %", "50 %")
    assert study.data("frame") == {"x": ["20 %"], "y": ["50 %"]}


def test_the_map_is_there_as_a_table(study):
    shown = {row[0]: row[1:] for row in study.rows("map")}
    assert len(shown) == 10
    assert [cell.partition(" / ")[2] for cell in shown["20 %"]] == [
        "", "5,000", "5,000", "500", "400", "300", "",
    ]  # fmt: skip
    assert [cell.startswith("~") for cell in shown["20 %"]] == [True, *5 * [False], True]


# --- one program -------------------------------------------------------------------------------


def test_a_program_is_stepped_through_by_keyboard(study):
    assert study.text("step").startswith("Step 19 of 19, line 456: SET w = purple sets w to purple")
    before = study.panel.get_by_role("button", name="‹ Previous")
    before.focus()
    study.page.keyboard.press("Enter")
    assert study.text("step").startswith("Step 18 of 19, line 397: SET w = white")
    current = study.page.locator("#st-lines [aria-current=step]")
    assert current.get_attribute("data-line") == "397"
    study.panel.get_by_role("button", name=re.compile(r"^200: w")).press("Enter")
    assert ", line 200:" in study.text("step")


def test_what_drop_would_lose_here_is_said_and_listed(study):
    assert study.text("loss").startswith("Drop at 20 % would lose 7 of 26 entries here: f, i, l")
    rows = study.lab.rows(study.page.locator("#st-state"))
    assert [row[0] for row in rows if row[3] == "lost"] == ["f", "i", "l", "q", "t", "u", "z"]
    study.panel.get_by_role("button", name="Next program").click()
    study.settled()
    assert study.text("program-title").startswith("Program 2 of seed 1")
    study.set("seed", "2")
    assert "of seed 2" in study.text("program-title")
    study.panel.get_by_role("textbox", name="Program number").fill("100")
    study.page.keyboard.press("Enter")
    study.settled()
    expect(study.panel.get_by_role("button", name="Next program")).to_be_disabled()
    study.panel.get_by_role("button", name="Program before").click()
    study.settled()
    assert study.text("program-title").startswith("Program 99 of seed 2")


def test_a_bad_seed_is_refused_with_a_sentence(study):
    study.control("seed").fill("x")
    study.control("seed").press("Enter")
    study.settled()
    assert study.text("error").startswith("seed is 'x' but must be a whole number")


def test_a_table_of_any_length_is_refused_and_not_cut_to_what_fits(study):
    study.panel.locator("details.own").evaluate("fold => { fold.open = true; }")
    table = study.page.locator("#st-curve")
    table.fill("".join(f"{length}, 50 %, 100\n" for length in range(1, 9999)))
    table.blur()
    study.settled()
    assert study.text("error").startswith("curve is too long but must have at most 2,000")


# --- the first instrument ----------------------------------------------------------------------


def test_the_first_instrument_takes_the_curve_and_shows_the_way_back(new_lab, host):
    lab = new_lab(host.url()).open()
    success = lab.tile("success")
    lab.open_panel("reading")
    lab.button("Where state tracking comes from").click()
    study = Study(lab).settled()
    expect(study.tab()).to_be_focused()
    study.panel.get_by_role("button", name="Use this curve in the first tab").click()
    lab.settled()
    expect(lab.page.get_by_role("tabpanel", name="Compaction")).to_be_visible()
    assert lab.tile("success") < success
    told = lab.view.locator("#pack-reading .panel")
    expect(told).to_contain_text("half of the answers are right at 5,590 tokens")
    expect(told).to_be_in_viewport()
    lab.page.wait_for_url(re.compile("reading=state_tracking"))
    lab.set("reading", "linear")
    assert lab.tile("success") == success


@every_look
def test_axe_has_nothing_to_say(new_lab, host, look):
    lab = new_lab(host.url(), **look).open()
    study = Study(lab).open()
    assert complaints(lab.page) == []
    study.set("compressed", 0.5)
    study.panel.evaluate(
        "panel => { for (const fold of panel.querySelectorAll('details')) fold.open = true; }"
    )
    study.panel.get_by_role("button", name="What is T, target rate?").click()
    study.control("seed").fill("x")
    study.control("seed").press("Enter")
    study.settled()
    assert complaints(lab.page) == []
    assert lab.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
