"""The lab in other pages: what they show before, what they load, what they tell each other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape
from typing import Any

import pytest

from lab.preview import preview
from tests.site import native
from tests.site.guest import GuestPage

pytestmark = pytest.mark.usefixtures("browser")


@pytest.fixture
def new_guest(browser, host, watch) -> Iterator[Callable[..., GuestPage]]:
    """Makes pages that hold embeds; only these may ask another origin."""
    watch.others = (host.other_origin,)
    guests = []

    def make(**options: Any) -> GuestPage:
        guests.append(GuestPage(browser.new_context(**options).new_page(), host))
        return guests[-1]

    yield make
    for guest in guests:
        watch.leave(guest.page)
        guest.page.context.close()
        watch.contexts.remove(guest.page.context)
    watch.others = ()


def text_of(locator) -> str:
    return " ".join((locator.inner_text() or "").split())


# --- before the lab is asked for ----------------------------------------------------------------


def test_without_scripts_a_reader_has_the_preview_and_a_link(new_guest, host):
    inside = preview({"window": 32_000}, link=f"{host.url()}?window=32000")
    guest = new_guest(java_script_enabled=False)
    guest.open(f'<compaction-lab window="32000">{inside}</compaction-lab>')
    assert "40 of 100 tasks succeed" in text_of(guest.page.locator("body"))
    link = guest.page.get_by_role("link", name="Open in the lab")
    assert link.get_attribute("href") == f"{host.url()}?window=32000"
    assert guest.page.locator("svg").is_visible()


def test_an_empty_element_shows_the_preview_that_was_built_for_it(new_guest, host):
    guest = new_guest().open(
        '<compaction-lab></compaction-lab>'
        '<compaction-lab mission="lost-brief" charts="lives" class="wide"> </compaction-lab>',
        elsewhere=True,
    )  # fmt: skip
    for index, lead in enumerate(("66 of 100 tasks succeed", "8 of 100 tasks succeed")):
        guest.element(index).get_by_text(lead).wait_for()
    links = guest.page.get_by_role("link", name="Open in the lab")
    assert [link.get_attribute("href") for link in links.all()] == [
        host.url(), f"{host.url()}?mission=lost-brief",
    ]  # fmt: skip
    assert guest.sent("previews.js") == 1


@pytest.mark.parametrize(
    ("attributes", "lead"),
    [
        ('window="163000"', "87 of 100"),
        ('trigger=".60" charts="lives"', "58 of 100"),
        ('notes="on" window="32000"', "78 of 100"),
        ('window="64000" seed="1"', "66 of 100"),
        ('window="32000" mission="lost-brief"', "8 of 100"),
        ('mission="lost-brief" pin_instruction="true"', "13 of 100"),
    ],
)
def test_numbers_are_there_before_the_lab_for_what_is_written_by_hand(
    new_guest, host, attributes, lead
):
    guest = new_guest().open(f"<compaction-lab {attributes}></compaction-lab>")
    said = guest.element().locator("b")
    said.wait_for()
    assert guest.sent("worker.js") == 0
    before = said.inner_text()
    assert before.startswith(lead)
    link = guest.element().get_by_role("link", name="Open in the lab").get_attribute("href")
    assert link.startswith(host.url())
    assert "charts" not in link
    guest.call("load")
    lab = guest.live()
    assert lab.sentence.startswith(before)


def test_numbers_of_any_other_state_come_by_themselves_once_it_is_in_sight(new_guest, host):
    guest = new_guest().open(
        '<p style="height:4000px">Far down.</p>'
        '<compaction-lab window="123456" seed="5"></compaction-lab>'
    )
    guest.element().get_by_text("calculated when the lab is loaded").wait_for()
    link = guest.page.get_by_role("link", name="Open the lab")
    assert link.get_attribute("href") == f"{host.url()}?seed=5&window=123456"
    guest.page.wait_for_load_state("networkidle")
    assert guest.sent("worker.js") == 0
    guest.element().scroll_into_view_if_needed()
    guest.live()
    assert guest.tiles() == pytest.approx(native.tiles(seed=5, window=123_456), rel=1e-9)


def test_an_authors_own_preview_is_left_alone(new_guest):
    guest = new_guest().open("<compaction-lab><p>My own words.</p></compaction-lab>")
    guest.button().wait_for()
    guest.page.wait_for_load_state("networkidle")
    assert text_of(guest.element()) == "My own words."
    assert guest.sent("previews.js") == 0


def test_three_embeds_send_little_before_one_is_asked_for_and_the_runtime_once(new_guest):
    guest = new_guest().open(
        "".join(
            f'<compaction-lab window="{window}" id="e{window}"></compaction-lab>'
            for window in (32_000, 48_000, 64_000)
        ),
        elsewhere=True,
    )
    guest.element(0).get_by_text("40 of 100 tasks succeed").wait_for()
    guest.page.wait_for_load_state("networkidle")
    for path, _ in guest.host.sent[1:]:
        assert re.search(r"/(embed\.js|previews\.js|previews/\d+\.js)$", path), path
    assert sum(size for _, size in guest.host.sent) <= 80_000
    assert guest.sent("embed.js") == 1
    for index, window in enumerate((32_000, 48_000, 64_000)):
        guest.button(index).click()
        guest.live(index)
        assert guest.tiles(index) == pytest.approx(native.tiles(window=window), rel=1e-9)
    assert guest.sent("packages.tar.gz") == 1
    assert guest.sent("pyodide/python_stdlib.zip") == 1
    assert guest.sent("pyodide/pyodide.asm.wasm") == 1
    assert 1 <= guest.sent("worker.js") <= 3  # the log does see it; the last may be the browser's


# --- loading ------------------------------------------------------------------------------------


@pytest.mark.parametrize("module", [False, True], ids=["plain script", "module"])
def test_the_lab_loads_on_request_and_the_focus_goes_with_it(new_guest, module):
    guest = new_guest().open('<compaction-lab window="32000"></compaction-lab>', module=module)
    guest.button().focus()
    guest.page.keyboard.press("Enter")
    guest.element().get_by_role("status").get_by_text("of 3").wait_for()
    lab = guest.live()
    assert not guest.button().is_visible()
    assert guest.frame().get_attribute("title") == "Context Compaction Lab"
    assert guest.element().evaluate("e => e.shadowRoot.activeElement?.tagName") == "IFRAME"
    assert lab.tiles() == pytest.approx(native.tiles(window=32_000), rel=1e-9)


def test_an_idle_embed_loads_when_it_comes_into_sight_and_not_before(new_guest):
    guest = new_guest().open(
        '<p style="height:4000px">Far down.</p><compaction-lab loading="idle"></compaction-lab>'
        "<compaction-lab></compaction-lab>"
    )
    guest.button().wait_for()
    guest.page.wait_for_load_state("networkidle")
    assert guest.sent("worker.js") == 0
    guest.element().scroll_into_view_if_needed()
    guest.live()
    assert guest.sent("worker.js") == 1


@pytest.mark.parametrize("elsewhere", [False, True], ids=["same origin", "another origin"])
@pytest.mark.parametrize("width", [320, 390, 800])
def test_the_frame_is_as_high_as_its_content_at_every_width(new_guest, width, elsewhere):
    guest = new_guest(viewport={"width": width, "height": 700})
    guest.open("<compaction-lab></compaction-lab>", elsewhere=elsewhere, style="body{margin:0}")
    guest.button().click()
    lab = guest.live()

    def fits() -> None:
        guest.page.wait_for_function(
            "() => document.querySelector('compaction-lab').shadowRoot"
            ".querySelector('iframe').clientHeight > 600"
        )
        lab.view.wait_for_function(
            "Math.abs(document.body.getBoundingClientRect().height - innerHeight) < 1.5"
        )
        assert lab.view.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        assert lab.view.evaluate("getComputedStyle(document.documentElement).overflowY") == "hidden"

    fits()
    size = "frame => [frame.clientWidth, frame.clientHeight]"
    before = guest.frame().evaluate(size)
    lab.set("strategy", "truncate")  # the longest sentences
    lab.set("window", 16_000)
    assert guest.frame().evaluate(size) == before
    guest.page.set_viewport_size({"width": 600, "height": 700})
    fits()


# --- what is shown ------------------------------------------------------------------------------


def visible_controls(lab) -> list[str]:
    return lab.view.evaluate(
        """() => [...document.querySelectorAll('[data-control]')]
                 .filter(box => box.checkVisibility()).map(box => box.dataset.control)"""
    )


def visible_charts(lab) -> list[str]:
    return lab.view.evaluate(
        """() => [...document.querySelectorAll('.chart')].filter(box => box.checkVisibility())
                 .map(box => box.id.replace('chart-', ''))"""
    )


def test_an_embed_shows_the_charts_and_controls_that_are_named(new_guest, host):
    guest = new_guest().open(
        "<compaction-lab></compaction-lab>"
        '<compaction-lab charts="lives, causes" controls="notes,seed"></compaction-lab>'
    )
    guest.call("load")
    first = guest.live()
    assert visible_controls(first) == ["window", "trigger", "strategy"]
    assert visible_charts(first) == ["context"]
    assert len(first.tiles()) == 6
    guest.call("load", index=1)
    second = guest.live(1)
    assert visible_controls(second) == ["notes", "seed"]
    assert visible_charts(second) == ["lives", "causes"]
    second.set("seed", "7")
    link = second.view.get_by_role("link", name="Open in the full lab")
    assert link.evaluate("link => link.href") == f"{host.url()}?v=1&seed=7"


def test_an_embedded_mission_shows_its_card_and_what_it_leaves_open(new_guest):
    guest = new_guest().open('<compaction-lab mission="lost-brief"></compaction-lab>')
    guest.call("load")
    lab = guest.live()
    assert lab.view.get_by_role("heading", name="The lost brief").is_visible()
    assert visible_controls(lab) == ["trigger", "strategy", "pin_instruction"]


def test_nonsense_gives_a_sentence_and_no_error(new_guest):
    guest = new_guest().open(
        '<compaction-lab window="lots" bogus="<b>" charts="pie,context" controls="trigger,knob">'
        "</compaction-lab>"
    )
    guest.call("load")
    lab = guest.live()
    assert "window is 'lots' but must be a whole number" in lab.notice
    assert "bogus" in lab.notice
    note = lab.view.locator(".embed-note")
    assert text_of(note) == (
        "There is no chart “pie”: the charts are context, lives, causes, costs, visited. "
        "There is no control “knob”, so it is left out."
    )
    assert (visible_charts(lab), visible_controls(lab)) == (["context"], ["trigger"])
    assert lab.tiles() == native.tiles()


# --- the scheme ---------------------------------------------------------------------------------

SCHEMES = {
    "the system's": (":root{color-scheme:light dark}", None),
    "an attribute": (
        "html[data-theme=dark]{color-scheme:dark}",
        "document.documentElement.dataset.theme = 'dark'",
    ),
    "a class and colours only": (
        "body{transition:color 50ms}body.night{background:#111;color:#eee}",
        "document.body.classList.add('night')",
    ),
}


@pytest.mark.parametrize("means", SCHEMES)
def test_an_embed_follows_the_scheme_of_the_page_around_it(new_guest, means):
    style, darken = SCHEMES[means]
    guest = new_guest(color_scheme="light").open(
        "<compaction-lab></compaction-lab>", style=style, elsewhere=True
    )
    guest.call("load")
    lab = guest.live()
    assert lab.view.evaluate("document.documentElement.dataset.theme") == "light"
    if darken:
        guest.page.evaluate(darken)
    else:
        guest.page.emulate_media(color_scheme="dark")
    lab.view.wait_for_function("document.documentElement.dataset.theme === 'dark'")
    lab.view.wait_for_function("getComputedStyle(document.body).color === 'rgb(240, 238, 234)'")


def test_an_embed_in_a_dark_page_begins_dark(new_guest):
    guest = new_guest(color_scheme="dark").open(
        "<compaction-lab></compaction-lab>", style=":root{color-scheme:light dark}"
    )
    guest.call("load")
    assert guest.live().view.evaluate("document.documentElement.dataset.theme") == "dark"


# --- what the two tell each other ---------------------------------------------------------------


@pytest.mark.parametrize("elsewhere", [False, True], ids=["same origin", "another origin"])
def test_an_authors_button_can_move_the_lab_and_read_it(new_guest, elsewhere):
    guest = new_guest().open('<compaction-lab id="one"></compaction-lab>', elsewhere=elsewhere)
    assert guest.call("get") is None
    shown = guest.call("set", {"window": 32_000, "noisy_tools": True})  # it loads the lab
    assert shown["state"] | {"window": 32_000, "noisy_tools": True} == shown["state"]
    assert (shown["state"]["seed"], shown["state"]["tasks"], shown["state"]["task"]) == (1, 400, 0)
    expected = native.tiles(window=32_000, noisy_tools=True)
    assert shown["tiles"] == pytest.approx(expected, rel=1e-9)
    assert guest.call("get") == shown
    assert guest.heard()[-1] == ["one", shown]

    back = guest.call("set", {"window": None, "seed": 5})
    assert back["tiles"] == pytest.approx(native.tiles(seed=5, noisy_tools=True), rel=1e-9)
    lab = guest.live()
    lab.set("trigger", 0.5)  # what the reader does is heard as well
    now = native.tiles(seed=5, noisy_tools=True, trigger=0.5)
    guest.page.wait_for_function("__heard.at(-1)[1].state.trigger === 0.5")
    assert guest.tiles() == pytest.approx(now, rel=1e-9)
    assert len(guest.page.context.pages) == 1
    assert guest.page.evaluate("history.length") == 2  # the way back stays the page's


def test_two_sets_at_once_add_up(new_guest):
    guest = new_guest().open("<compaction-lab></compaction-lab>")
    both = guest.element().evaluate(
        "e => Promise.all([e.set({ window: 32000 }), e.set({ notes: true })])"
    )
    assert both[1]["tiles"] == pytest.approx(native.tiles(window=32_000, notes=True), rel=1e-9)


def test_a_set_that_changes_nothing_or_makes_no_sense_is_answered_too(new_guest):
    guest = new_guest().open("<compaction-lab></compaction-lab>")
    assert guest.call("set", {})["tiles"] == native.tiles()
    assert guest.call("set", {"window": "lots", "bogus": [1]})["tiles"] == native.tiles()
    assert "window is 'lots'" in guest.live().notice
    assert guest.call("set", None)["tiles"] == native.tiles()


def test_attributes_that_change_later_are_applied(new_guest):
    guest = new_guest().open('<compaction-lab window="32000" id="one"></compaction-lab>')
    guest.call("load")
    lab = guest.live()
    guest.element().evaluate(
        "e => { e.setAttribute('notes', 'true'); e.removeAttribute('window'); "
        "e.setAttribute('charts', 'lives'); e.className = 'other'; }"
    )
    guest.page.wait_for_function(
        "() => { const { state } = one.get(); return state.notes && state.window === 64000; }"
    )
    assert guest.tiles() == pytest.approx(native.tiles(notes=True), rel=1e-9)
    lab.settled()
    assert visible_charts(lab) == ["lives"]


def test_an_attribute_that_changes_before_changes_the_preview(new_guest):
    guest = new_guest().open("<compaction-lab></compaction-lab>")
    guest.element().get_by_text("66 of 100").wait_for()
    guest.element().evaluate("e => e.setAttribute('mission', 'lost-brief')")
    guest.element().get_by_text("8 of 100 tasks").wait_for()


def test_messages_of_strangers_and_malformed_ones_are_ignored(new_guest, host):
    stranger = escape(
        "<script>parent.frames[1]?.postMessage({ type: 'compaction-lab', set: { window: 16000 }, "
        "theme: 'dark' }, '*'); parent.postMessage({ type: 'compaction-lab', event: 'change', "
        "state: { fake: 1 }, tiles: {} }, '*'); parent.postMessage({ type: 'compaction-lab', "
        "event: 'size', height: 9 }, '*'); parent.postMessage('told', '*')</script>"
    )
    guest = new_guest(color_scheme="light").open(
        '<div id="place"></div><compaction-lab></compaction-lab>', elsewhere=True
    )
    guest.call("load")
    lab = guest.live()
    height = guest.frame().bounding_box()["height"]
    guest.page.evaluate(
        """html => new Promise((told) => {
          addEventListener("message", ({ data }) => { if (data === "told") told(); });
          place.innerHTML = `<iframe srcdoc="${html}"></iframe>`;
        })""",
        stranger,
    )
    # A page may also say nonsense to its own embed, in the right envelope and in none.
    guest.frame().evaluate(
        """(frame) => {
          for (const data of [null, 1, "x", {}, { type: "compaction-lab" },
            ...[null, 1, "x", [], [1]].map((set) => ({ type: "compaction-lab", set })),
            { type: "compaction-lab", theme: "pink" }, { type: "other", set: { window: 1 } },
            { type: "compaction-lab", set: { window: {} }, id: "x" }]) {
            frame.contentWindow.postMessage(data, "*");
          }
        }"""
    )
    shown = guest.call("set", {"seed": 2})  # so that all the others have been heard
    assert shown["tiles"] == pytest.approx(native.tiles(seed=2), rel=1e-9)
    assert "fake" not in str(guest.heard())
    assert guest.frame().bounding_box()["height"] == height
    assert lab.view.evaluate("document.documentElement.dataset.theme") == "light"


def test_an_embed_without_a_page_around_it_is_a_small_page(new_lab, host):
    lab = new_lab(f"{host.url()}?embed=1&window=32000").open()
    assert lab.tiles() == pytest.approx(native.tiles(window=32_000), rel=1e-9)
    assert visible_controls(lab) == ["window", "trigger", "strategy"]
    assert lab.view.evaluate("getComputedStyle(document.documentElement).overflowY") == "visible"


# --- Embed this ---------------------------------------------------------------------------------


def test_the_lines_that_the_lab_gives_put_its_state_into_another_page(new_lab, new_guest, host):
    lab = new_lab().open()
    lab.set("window", 32_000)
    lab.set("notes", True)
    lab.button("Embed this").click()
    dialog = lab.page.get_by_role("dialog", name="Embed this in your page")
    lines = dialog.locator("#embed-code").text_content()
    assert f'<script src="{host.url()}embed.js" defer></script>' in lines
    lab.page.get_by_role("button", name="Close").click()

    guest = new_guest().open(lines, elsewhere=True)
    assert lab.sentence in text_of(guest.element())
    guest.button().click()
    guest.live()
    assert guest.tiles() == pytest.approx(lab.tiles(), rel=1e-9)
