"""From the first paint to a live page."""

from __future__ import annotations

import pytest

from tests.site import native

DEFAULT = native.tiles()


def test_the_first_paint_has_the_results_of_the_default_setting(new_lab, host):
    with host.holding("boot.js") as (url, _):
        lab = new_lab(url).open("page")
        assert lab.stage == "page"
        assert lab.tiles() == DEFAULT
        assert lab.sentence.startswith("66 of 100 tasks succeed, at $3.60 each.")
        assert lab.shown("success")["interval"] == "± 4.3"
        assert lab.status.startswith("Not live yet")
        assert lab.control("window").is_enabled()


def test_the_charts_are_drawn_before_python_is_there(new_lab, host):
    with host.holding("packages.tar.gz") as (url, _):
        lab = new_lab(url).open("runtime")
        lab.view.locator("#chart-context canvas").first.wait_for(state="attached")
        lab.view.wait_for_function("performance.getEntriesByName('lab-drawn').length")
        assert lab.stage == "runtime"
        assert lab.model("context-data", "data.y")[0] == 3_500


def test_while_it_loads_the_page_says_that_it_is_not_live(new_lab, host):
    with host.holding("packages.tar.gz") as (url, release):
        lab = new_lab(url).open("runtime")
        assert lab.status == "Not live yet: loading Python, 1 of 3. What you set now is kept."
        release.set()
        lab.reach("live")
        assert lab.status.startswith("Live.")


def test_the_stages_come_in_order_and_each_once(new_lab):
    lab = new_lab().open()
    assert lab.stages == ["page", "runtime", "packages", "app", "live"]


def test_going_live_changes_nothing_that_was_painted(new_lab, host):
    with host.holding("packages.tar.gz") as (url, release):
        lab = new_lab(url).open("runtime")
        before = lab.page.locator("main").inner_text()
        release.set()
        lab.reach("live")
        lab.settled()
        after = lab.page.locator("main").inner_text()
    status = "Not live yet: loading Python, 1 of 3. What you set now is kept."
    assert after == before.replace(status, lab.status)


EARLY = ["boot.js", "static/bokeh.min.js", "packages.tar.gz"]


@pytest.mark.parametrize("held", EARLY)
def test_what_is_set_early_is_applied_when_live(new_lab, host, held):
    """Whatever is late: our own script, the charts' script, or Python."""
    with host.holding(held) as (url, release):
        lab = new_lab(url).open("page")
        if held != "boot.js":
            lab.reach("runtime")
        lab.move("window", 32_000)
        lab.move("strategy", "truncate")
        lab.move("notes", True)
        lab.move("seed", "3")
        lab.move("mean_steps", "20")
        if held != "boot.js":  # a slider's own figure needs no Python
            assert lab.page.locator("output[for=window]").text_content() == "32,000 tokens"
        release.set()
        lab.reach("live")
        lab.settled()
    settings = {"window": 32_000, "strategy": "truncate", "notes": True, "mean_steps": 20.0}
    assert lab.tiles() == pytest.approx(native.tiles(seed=3, **settings), rel=1e-9)
    assert lab.value("window") == "32000"
    assert lab.value("seed") == "3"


def test_a_button_pressed_early_is_answered_when_live(new_lab, host):
    with host.holding("packages.tar.gz") as (url, release):
        lab = new_lab(url).open("runtime")
        lab.button("New random seed").click()
        seed = int(lab.value("seed"))
        assert seed != 1
        release.set()
        lab.reach("live")
        lab.settled()
    assert int(lab.value("seed")) == seed
    assert lab.tiles() == pytest.approx(native.tiles(seed=seed), rel=1e-9)


def test_what_cannot_be_pressed_before_python_is_there_says_so(new_lab, host):
    with host.holding("packages.tar.gz") as (url, _):
        lab = new_lab(url).open("runtime")
        for name in ("Pin the current run", "Go back to it", "Task before"):
            assert lab.button(name).is_disabled()


def test_the_page_loads_without_jumping(new_lab):
    lab = new_lab().open()
    assert lab.layout_shift <= 0.02


@pytest.mark.parametrize("width", [360, 768])
def test_a_narrow_page_loads_without_jumping(new_lab, width):
    lab = new_lab(viewport={"width": width, "height": 800}).open()
    assert lab.layout_shift <= 0.02


@pytest.mark.parametrize("width", [360, 768])
def test_what_comes_late_moves_nothing(new_lab, host, width):
    """The mission stands above cards that are sent before it."""
    with host.pausing("index.html", b'<aside class="side">') as (url, release):
        lab = new_lab(url, viewport={"width": width, "height": 2400})
        lab.page.goto(lab.url, wait_until="commit")
        lab.page.locator(".task").wait_for(state="attached")
        lab.page.wait_for_function("performance.getEntriesByType('paint').length === 2")
        lab.page.evaluate("new Promise(requestAnimationFrame)")
        release.set()
        lab.reach("live")
        lab.settled()
    assert lab.page.locator(".task").is_visible()
    assert lab.layout_shift <= 0.02


def test_once_live_the_page_asks_for_nothing_more(new_lab):
    lab = new_lab().open().kept()
    asked = []
    lab.page.context.on("request", lambda request: asked.append(request.url))
    lab.set("window", 32_000)
    lab.pin()
    lab.set("tasks", "500")
    lab.table("visited")
    lab.button("Switch between light and dark").click()
    lab.settled()
    assert asked == []


def test_a_live_page_works_offline(new_lab):
    lab = new_lab().open().kept()
    lab.page.context.set_offline(True)
    lab.set("window", 32_000)
    lab.set("noisy_tools", True)
    expected = native.tiles(window=32_000, noisy_tools=True)
    assert lab.tiles() == pytest.approx(expected, rel=1e-9)


def test_the_site_works_under_a_sub_path_and_asks_for_nothing_above_it(new_lab, host):
    lab = new_lab()
    asked = []
    lab.page.context.on("request", lambda request: asked.append(request.url))
    lab.open()
    own = [url for url in asked if not url.startswith(("data:", "blob:"))]
    assert len(own) > 15
    assert all(url.startswith(host.url()) for url in own)


def test_several_tabs_do_not_disturb_each_other(new_lab, host):
    first = new_lab()
    second = type(first)(first.page.context.new_page(), host.url())
    first.open("page")
    second.open("page")
    for lab in (first, second):
        lab.reach("live")
    first.set("window", 32_000)
    second.set("strategy", "truncate")
    first.settled()
    assert first.tiles() == pytest.approx(native.tiles(window=32_000), rel=1e-9)
    assert second.tiles() == pytest.approx(native.tiles(strategy="truncate"), rel=1e-9)
    assert first.value("window") == "32000"
    assert second.value("window") == "64000"


def test_a_reloaded_page_shows_what_it_showed(new_lab):
    lab = new_lab().open()
    lab.set("window", 32_000)
    lab.page.wait_for_url("**/?v=1&window=32000&unlock=all")
    lab.page.reload(wait_until="commit")
    lab.reach("live")
    lab.settled()
    assert lab.value("window") == "32000"
    assert lab.tiles() == pytest.approx(native.tiles(window=32_000), rel=1e-9)


def test_without_scripts_the_page_shows_the_results_and_says_why_it_does_no_more(new_lab):
    lab = new_lab(java_script_enabled=False)
    lab.page.goto(lab.url)
    assert lab.page.locator("[data-tile=success] .value").inner_text() == "65.8 %"
    assert "needs JavaScript" in lab.page.locator("noscript p").inner_text()
