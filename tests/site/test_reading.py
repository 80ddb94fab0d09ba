"""With the keyboard, with a screen reader, in the dark."""

from __future__ import annotations

import re

import pytest

from lab.theme import DARK, LIGHT
from tests.site import native

FOCUSABLE = "a[href], button, input, summary, [tabindex='0']"


def test_the_tab_key_reaches_everything_that_can_be_used_in_the_order_of_the_page(lab):
    lab.unfold("group-tasks")
    expected = lab.page.evaluate(
        """selector => {
          let last = 0;
          const usable = element => element.checkVisibility() && !element.disabled
            && element.tabIndex >= 0 // the tab that is not shown is for the arrow keys
            && !(element.type === 'radio' && !element.checked);
          return [...document.querySelectorAll(selector)].filter(usable)
            .map(element => { element.dataset.stop = ++last; return element.dataset.stop; });
        }""",
        FOCUSABLE,
    )
    lab.page.locator(".skip").focus()
    reached = expected[:1]
    for _ in range(2 * len(expected)):  # the browser may have stops of its own: scrolled boxes
        lab.page.keyboard.press("Tab")
        reached.append(lab.page.evaluate("document.activeElement.dataset.stop ?? '-'"))
        if reached[-1] == expected[-1]:
            break
    lab.page.evaluate(
        "for (const e of document.querySelectorAll('[data-stop]')) delete e.dataset.stop"
    )
    order = [int(stop) for stop in reached if stop != "-"]
    assert [stop for stop in expected if stop not in reached] == []
    assert order == sorted(order)


def test_what_has_the_focus_shows_it(lab):
    for name in ("window", "seed"):
        lab.control(name).focus()
        lab.page.keyboard.press("Shift")  # so that the focus counts as the keyboard's
        assert (
            lab.control(name).evaluate("input => getComputedStyle(input).outlineStyle") == "solid"
        )


def test_the_first_tab_stop_leads_to_the_result(lab):
    lab.page.evaluate("document.body.tabIndex = -1; document.body.focus()")
    lab.page.keyboard.press("Tab")
    assert lab.page.evaluate("document.activeElement.textContent") == "Skip to the result"
    lab.page.keyboard.press("Enter")
    assert lab.page.evaluate("document.activeElement.id") == "sentence"
    lab.page.evaluate("document.body.removeAttribute('tabindex'); history.replaceState(0, '', '.')")


def test_everything_can_be_done_without_a_mouse(lab):
    keys = lab.page.keyboard
    lab.control("window").focus()
    keys.press("Home")
    lab.control("strategy").get_by_role("radio", name="summarise").focus()
    keys.press("ArrowUp")
    lab.control("notes").focus()
    keys.press("Space")
    lab.settled()
    lab.button("Pin the current run").focus()
    keys.press("Enter")
    lab.settled()
    settings = {"window": 16_000, "strategy": "truncate", "notes": True}
    assert lab.tiles() == pytest.approx(native.tiles(**settings), rel=1e-9)
    assert lab.baseline == native.baseline(native.session(baseline=settings, **settings))


# --- the cursor of one task -------------------------------------------------------------------


def test_the_cursor_is_moved_with_the_arrow_keys_and_says_what_it_reads(lab):
    cursor = lab.page.get_by_role("slider", name="Read a step")
    cursor.focus()
    lab.page.keyboard.press("ArrowRight")
    words = "Step 1: reads 3,500, grows to 5,879 tokens. Facts: 1 verbatim."
    assert lab.page.locator("#cursor-text").inner_text() == words
    assert cursor.get_attribute("aria-valuetext") == words
    for name in ("context-cursor", "lives-cursor"):
        assert lab.model(name, "location") == 1
        assert lab.model(name, "visible") is True
    lab.page.keyboard.press("End")
    assert lab.page.locator("#cursor-text").inner_text().startswith("Step 42: ")


def test_the_cursor_of_a_shorter_task_comes_back_to_its_end(lab):
    steps = native.run().steps
    longer, shorter = int(steps.argmax()), int(steps.argmin())
    lab.set("task", str(longer))
    cursor = lab.page.get_by_role("slider", name="Read a step")
    cursor.focus()
    lab.page.keyboard.press("End")
    assert lab.page.locator("#cursor-text").inner_text().startswith(f"Step {steps[longer]}: ")
    lab.set("task", str(shorter))
    assert lab.page.locator("#cursor-text").inner_text().startswith(f"Step {steps[shorter]}: ")
    assert cursor.get_attribute("max") == str(steps[shorter])


def test_the_cursor_follows_the_mouse_over_both_charts(lab):
    for name in ("context", "lives"):
        chart = lab.page.locator(f"#chart-{name}")
        chart.scroll_into_view_if_needed()
        box = chart.bounding_box()
        lab.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 3)
        lab.page.mouse.move(box["x"] + box["width"] / 2 + 2, box["y"] + box["height"] / 3)
        lab.page.wait_for_function(
            "document.getElementById('cursor-text').textContent.startsWith('Step 2')"
        )
        lab.page.get_by_role("slider", name="Read a step").fill("1")


# --- help -------------------------------------------------------------------------------------


def test_help_opens_on_demand_and_escape_closes_it(lab):
    button = lab.button("What is Task success?")
    words = lab.page.locator("#help-tile-success")
    assert not words.is_visible()
    button.click()
    assert button.get_attribute("aria-expanded") == "true"
    assert words.inner_text().startswith("Chance of a right answer, averaged over the tasks.")
    lab.page.keyboard.press("Escape")
    assert not words.is_visible()
    assert button.get_attribute("aria-expanded") == "false"


def test_one_help_text_at_a_time_and_a_click_elsewhere_closes_it(lab):
    lab.button("What is Trigger?").click()
    lab.button("What is Cost per task?").click()
    assert not lab.page.locator("#help-trigger").is_visible()
    assert lab.page.locator("#help-tile-cost").is_visible()
    lab.page.locator("#sentence").click()
    assert not lab.page.locator("#help-tile-cost").is_visible()


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_every_help_text_opens_within_the_page(lab, width):
    lab.page.set_viewport_size({"width": width, "height": 800})
    for button in lab.page.locator(".help").all():
        if not button.is_visible():
            continue
        words = lab.page.locator(f"#{button.get_attribute('aria-controls')}")
        button.focus()
        lab.page.keyboard.press("Enter")
        box = words.bounding_box()
        name = button.get_attribute("aria-label")
        assert box["x"] >= 0, name
        assert box["x"] + box["width"] <= width, name
        lab.page.keyboard.press("Escape")
    lab.page.set_viewport_size({"width": 1280, "height": 900})


# --- said aloud -------------------------------------------------------------------------------


def test_the_sentence_is_announced_once_the_setting_rests(lab):
    region = lab.page.locator("#announcer")
    assert region.get_attribute("aria-live") == "polite"
    lab.set("window", 32_000)
    lab.set("window", 40_000)
    words = native.words(window=40_000)
    lab.page.wait_for_function(
        "words => document.getElementById('announcer').textContent === words",
        arg=words["lead"] + words["rest"],
    )


def test_progress_and_errors_are_announced(lab):
    assert lab.page.locator("#robust-text").get_attribute("role") == "status"
    assert lab.page.locator("#status").get_attribute("role") == "status"
    for name in ("error", "error-seed", "failure"):
        assert lab.page.locator(f"#{name}").get_attribute("role") == "alert"


def test_every_chart_is_described_and_the_description_keeps_up(lab):
    chart = lab.page.locator("#chart-context")
    assert chart.get_attribute("aria-label").startswith("Context of task 0 over 42 steps")
    lab.set("window", 32_000)
    alt = native.words(window=32_000)["alt"]
    for name, words in alt.items():
        if name != "visited":
            assert lab.page.locator(f"#chart-{name}").get_attribute("aria-label") == words


def test_the_tiles_are_read_with_their_names(lab):
    tile = lab.page.get_by_role("article", name="Cost per task")
    assert tile.get_attribute("data-tile") == "cost"
    assert "$3.60" in tile.inner_text()


# --- light and dark ---------------------------------------------------------------------------


def painted(lab) -> tuple[str, str]:
    """The page's ground, and that of a chart."""
    hex_ = "#" + "".join(
        f"{int(part):02x}"
        for part in re.findall(
            r"\d+", lab.page.evaluate("getComputedStyle(document.body).backgroundColor")
        )[:3]
    )
    return hex_, lab.model("context", "background_fill_color")


@pytest.mark.parametrize(("scheme", "colours"), [("light", LIGHT), ("dark", DARK)])
def test_the_page_and_its_charts_follow_the_systems_scheme(lab, scheme, colours):
    lab.page.emulate_media(color_scheme=scheme)
    assert painted(lab) == (colours["page"], colours["card"])
    lab.page.emulate_media(color_scheme="light")


@pytest.mark.expects_trouble("the page is left while it loads")
def test_a_chosen_scheme_is_kept_over_a_reload(new_lab):
    lab = new_lab().open("page")
    lab.page.wait_for_function("performance.getEntriesByName('lab-drawn').length")
    lab.button("Switch between light and dark").click()
    assert painted(lab) == (DARK["page"], DARK["card"])
    lab.page.reload(wait_until="commit")
    lab.page.wait_for_function("performance.getEntriesByName('lab-drawn').length")
    assert painted(lab) == (DARK["page"], DARK["card"])
    lab.button("Switch between light and dark").click()
    assert painted(lab) == (LIGHT["page"], LIGHT["card"])
