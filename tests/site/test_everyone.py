"""Zoom, other scripts, forced colours, touch and the keyboard: nobody is left out, in any view.

What axe can see is in test_axe.py; what was looked at by hand, and mended, in lab/accessibility.md.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.site.page import LabPage
from tests.site.test_axe import complaints

PAGES = ("article.html", "studies.html", "study-cost-reversal.html", "licenses.html")
# What reaches beyond the page on either side, apart from what scrolls or is hidden by itself.
BEYOND = """() => {
  const root = document.documentElement, wide = root.clientWidth;
  const isOwn = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const style = getComputedStyle(e);
      if (style.overflowX !== "visible" || style.clipPath !== "none") return false;
    }
    return true;
  };
  return [root.scrollWidth - wide,
          [...document.body.querySelectorAll("*")].filter((e) => {
            const { left, right, width } = e.getBoundingClientRect();
            return e.checkVisibility() && width && (right > wide + 1 || left < -1) && isOwn(e);
          }).map((e) => e.id || e.className || e.tagName)];
}"""
# Controls that are smaller than 24 pixels and have another's within that reach of their middle.
# A help button's reach is larger than what is drawn; of a switch, its label is a part.
SMALL = """() => {
  const reach = (e) => {
    const box = (e.closest(".control.switch label") ?? e).getBoundingClientRect();
    const { x, y, width, height } = box;
    const grown = Math.max(0, -parseFloat(getComputedStyle(e, "::after").top) || 0)
      * e.matches(".help");
    return { x: x + width / 2, y: y + height / 2,
             width: width + 2 * grown, height: height + 2 * grown };
  };
  const all = [...document.querySelectorAll("button, input, select, summary, textarea, [role=tab], "
      + ".bar a, footer a, .choices label")]
    .filter((e) => e.checkVisibility() && !e.disabled && !e.matches(".skip, .choices input, p a"))
    .map((e) => [e, reach(e)]);
  const isNear = (a, b) => Math.abs(a.x - b.x) < 12 + Math.max(12, b.width / 2)
    && Math.abs(a.y - b.y) < 12 + Math.max(12, b.height / 2);
  return all.filter(([, { width, height }]) => width < 24 || height < 24)
    .filter(([e, own]) => all.some(([other, its]) => other !== e && isNear(own, its)))
    .map(([e, { width, height }]) => `${e.id || e.textContent.trim()}: ${width} × ${height}`);
}"""


def unfolded(lab: LabPage) -> None:
    for name in ("agents", "floor", "price", "hardware", "carrier"):
        lab.open_panel(name)
    lab.unfold("group-tasks")
    for name in ("context", "lives", "causes", "costs", "visited"):
        lab.table(name)
    lab.page.locator("#assumptions summary").click()
    lab.page.get_by_text("All missions", exact=True).click()


def in_mission(lab: LabPage) -> None:
    lab.press("Load mission setup")
    lab.press("Hint")


def second(lab: LabPage) -> None:
    lab.page.wait_for_function(
        "document.getElementById('panel-state-tracking').dataset.settled === 'true'"
    )


VIEWS: dict[str, tuple[str, Callable[[LabPage], None]]] = {
    "the lab": ("", lambda lab: None),
    "all unfolded": ("", unfolded),
    "the code": ("", lambda lab: lab.button("Show as code").click()),
    "a mission": ("", in_mission),
    "the second tab": ("?tab=state-tracking", second),
    "an embed": ("?embed=1&window=32000&charts=context,causes", lambda lab: None),
}


def looked_at(lab: LabPage, script: str, width: int, direction: str) -> object:
    lab.page.set_viewport_size({"width": width, "height": 800})
    lab.page.evaluate("dir => { document.documentElement.dir = dir; }", direction)
    for _ in range(2):  # what is drawn anew at another width
        lab.page.evaluate("new Promise(requestAnimationFrame)")
    return lab.page.evaluate(script)


@pytest.mark.parametrize("view", VIEWS)
def test_at_400_and_200_per_cent_and_from_right_to_left_nothing_is_scrolled_sideways(
    new_lab, host, view
):
    """A window of 1,280 pixels at 400 % is 320 wide; at 200 %, 640."""
    query, go = VIEWS[view]
    lab = new_lab(host.url() + query).open()
    go(lab)
    for direction in ("ltr", "rtl"):
        for width in (320, 640, 1_280):
            assert looked_at(lab, BEYOND, width, direction) == [0, []], (direction, width)


@pytest.mark.parametrize("name", PAGES)
def test_pages_of_text_fit_at_400_per_cent_and_from_right_to_left(new_lab, host, name):
    lab = new_lab()
    lab.page.goto(host.url() + name)
    for direction in ("ltr", "rtl"):
        for width in (320, 640):
            assert looked_at(lab, BEYOND, width, direction) == [0, []], (direction, width)


@pytest.mark.parametrize("view", VIEWS)
def test_what_is_touched_has_24_pixels_or_room_around_it(new_lab, host, view):
    query, go = VIEWS[view]
    lab = new_lab(host.url() + query).open()
    go(lab)
    for width in (320, 1_280):
        assert looked_at(lab, SMALL, width, "ltr") == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_licences_name_each_component_and_axe_has_nothing_to_say(new_lab, host, scheme):
    page = new_lab(color_scheme=scheme).page
    page.goto(host.url() + "licenses.html")
    assert complaints(page) == []
    names = page.locator("h2").all_text_contents()
    assert [name.split()[0] for name in names] == [
        "Pyodide", "Python", "bokeh", "Jinja2", "MarkupSafe", "numpy", "packaging", "panel",
        "param", "pyviz_comms", "PyYAML",
    ]  # fmt: skip
    assert all(name.split()[1][0].isdigit() for name in names)
    page.get_by_text("The full text of the licence of bokeh").click()
    assert "Redistribution and use" in page.locator("details[open] pre").first.inner_text()


def test_sliders_run_from_right_to_left_with_the_page_and_charts_do_not(lab):
    lab.page.evaluate("document.documentElement.dir = 'rtl'")
    way = "id => getComputedStyle(document.getElementById(id)).getPropertyValue('--way')"
    assert lab.page.evaluate(way, "window") == "to left"
    assert lab.page.evaluate(way, "cursor") == ""
    assert (
        lab.page.evaluate("getComputedStyle(document.querySelector('.chart')).direction") == "ltr"
    )
    lab.page.evaluate("document.documentElement.dir = 'ltr'")


def test_in_forced_colours_what_is_chosen_and_what_is_done_shows(new_lab):
    lab = new_lab(forced_colors="active").open()
    chosen = lab.control("strategy").locator("input:checked + span")
    assert chosen.evaluate("e => getComputedStyle(e).outlineStyle") == "solid"
    parts = lab.page.locator(".segments li")
    colours = parts.evaluate_all("all => all.map(e => getComputedStyle(e).backgroundColor)")
    assert colours[0] != colours[1]  # the mission that comes, and those after it


def test_with_reduced_motion_nothing_moves_by_itself(new_lab):
    lab = new_lab(reduced_motion="reduce").open()
    unfolded(lab)
    moving = """() => [...document.querySelectorAll("*")].filter((e) => {
        const { animationName, transitionDuration } = getComputedStyle(e);
        return animationName !== "none" || transitionDuration !== "0s";
      }).map((e) => e.id || e.className)"""
    assert lab.page.evaluate(moving) == []


@pytest.mark.parametrize("width", [320, 1_280])
@pytest.mark.parametrize("view", ["the lab", "the second tab"])
def test_what_the_keyboard_reaches_is_in_sight_and_shows_a_ring(new_lab, host, view, width):
    """Sticky parts must not cover it (WCAG 2.4.11), and each has an outline (2.4.7)."""
    query, go = VIEWS[view]
    lab = new_lab(host.url() + query).open()
    go(lab)
    lab.page.set_viewport_size({"width": width, "height": 800})
    state = """() => {
      const e = document.activeElement, box = e.getBoundingClientRect();
      const ring = e.matches(".choices input") ? e.nextElementSibling : e;
      const x = Math.max(1, Math.min(innerWidth - 2, box.x + box.width / 2));
      const y = Math.max(box.y + 2, Math.min(box.bottom - 2, innerHeight - 2));
      const on = document.elementFromPoint(x, y);
      const label = e.closest("label");
      const isSeen = [e, ring].some((each) => each.contains(on)) || on?.contains(e)
        || (label && on?.closest("label") === label);
      return [e.id || e.textContent.trim().slice(0, 40) || e.className, Boolean(isSeen),
              getComputedStyle(ring).outlineStyle !== "none", e === document.body];
    }"""
    lab.page.locator(".skip").focus()
    seen = []
    for _ in range(150):
        lab.page.keyboard.press("Tab")
        name, is_seen, has_ring, is_over = lab.page.evaluate(state)
        if is_over:
            break
        seen.append((name, is_seen, has_ring))
    assert len(seen) > 20
    assert [each for each in seen if not (each[1] and each[2])] == []
