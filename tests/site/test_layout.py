"""From 360 to 1,600 pixels: nothing sideways, nothing cut, nothing that jumps."""

from __future__ import annotations

import pytest

WIDTHS = (360, 390, 768, 1280, 1600)
# Long numbers, a long baseline, and every tile with a difference.
WIDE = {"strategy": "truncate", "noisy_tools": True, "long_horizon": True, "window": 16_000}


@pytest.fixture(params=WIDTHS)
def width(request, lab):
    lab.page.set_viewport_size({"width": request.param, "height": 900})
    yield request.param
    lab.page.set_viewport_size({"width": 1280, "height": 900})


@pytest.mark.parametrize("settings", [{}, WIDE], ids=["default", "wide"])
def test_nothing_has_to_be_scrolled_sideways(lab, width, settings):
    for name, value in settings.items():
        lab.set(name, value)
    lab.unfold("group-tasks")
    beyond = lab.page.evaluate(
        """() => {
          const wide = document.documentElement.clientWidth;
          const scrolls = element => {
            for (let e = element; e; e = e.parentElement) {
              if (['auto', 'scroll', 'hidden'].includes(getComputedStyle(e).overflowX)) return true;
            }
            return false;
          };
          return [document.documentElement.scrollWidth - wide,
                  [...document.body.querySelectorAll('*')]
                    .filter(e => e.checkVisibility() && e.getBoundingClientRect().right > wide + 1)
                    .filter(e => !scrolls(e)).map(e => e.id || e.className || e.tagName)];
        }"""
    )
    assert beyond == [0, []]


@pytest.mark.parametrize("settings", [{}, WIDE], ids=["default", "wide"])
def test_no_text_of_a_tile_is_cut_or_overlapped(lab, width, settings):
    for name, value in settings.items():
        lab.set(name, value)
    faults = lab.page.evaluate(
        """() => {
          const faults = [];
          for (const tile of document.querySelectorAll('[data-tile]')) {
            const key = tile.dataset.tile, box = tile.getBoundingClientRect();
            const texts = [...tile.querySelectorAll('h2, .value, .interval, .delta')]
              .filter(e => e.checkVisibility());
            for (const text of texts) {
              const range = document.createRange();
              range.selectNodeContents(text);
              const words = range.getBoundingClientRect(), own = text.getBoundingClientRect();
              const name = `${key} ${text.className || 'name'}: ${text.textContent}`;
              const hides = getComputedStyle(text).overflowX !== 'visible';
              if (hides && text.scrollWidth > text.clientWidth + 1) faults.push(`cut: ${name}`);
              if (!hides && words.right > box.right - 2 || own.bottom > box.bottom + 1) {
                faults.push(`outside its tile: ${name}`);
              }
            }
            texts.slice(1).forEach((text, index) => {
              const above = texts[index].getBoundingClientRect();
              if (text.getBoundingClientRect().top < above.bottom - 1) faults.push(`over: ${key}`);
            });
          }
          const boxes = [...document.querySelectorAll('[data-tile]')]
            .map(tile => tile.getBoundingClientRect());
          boxes.forEach((a, i) => boxes.slice(i + 1).forEach(b => {
            if (a.left < b.right - 1 && b.left < a.right - 1
                && a.top < b.bottom - 1 && b.top < a.bottom - 1) faults.push('tiles overlap');
          }));
          return faults;
        }"""
    )
    assert faults == []


def test_every_tile_shows_its_interval(lab, width):
    assert lab.page.locator(".tile .interval:visible").count() == 6


@pytest.mark.parametrize("width_", [390, 761, 1024, 1280, 1600])
def test_no_value_of_a_slider_is_cut(lab, width_):
    lab.page.set_viewport_size({"width": width_, "height": 900})
    lab.set("window", 163_000)
    lab.set("summary_budget", 8_000)
    cut = lab.page.evaluate(
        """() => [...document.querySelectorAll('.control.slider')].flatMap(box => {
          const [label, output] = ['label', 'output'].map(name => box.querySelector(name));
          const right = box.getBoundingClientRect().right + 1;
          return [label, output]
            .filter(e => e.scrollWidth > e.clientWidth + 1
              || e.getBoundingClientRect().right > right)
            .map(e => e.textContent);
        })"""
    )
    lab.page.set_viewport_size({"width": 1280, "height": 900})
    assert cut == []


def test_a_list_of_settings_that_goes_on_below_shows_a_shadow(lab):
    for name, value in WIDE.items():
        lab.set(name, value)
    lab.press("Pin the current run")
    lab.set("notes", True)
    lab.set("strategy", "summarise")
    lab.set("window", 64_000)
    lab.set("noisy_tools", False)
    lab.set("long_horizon", False)
    attached = lab.page.locator("#baseline ul").evaluate(
        "list => [list.scrollHeight > list.clientHeight, "
        "getComputedStyle(list).backgroundAttachment]"
    )
    assert attached == [True, "local, local, scroll, scroll"]


@pytest.mark.parametrize("width_", [390, 1024, 1100, 1280])
def test_the_buttons_of_the_settings_visited_are_in_sight(lab, width_):
    lab.page.set_viewport_size({"width": width_, "height": 900})
    lab.set("window", 32_000)
    lab.set("notes", True)
    lab.table("visited")
    seen = lab.page.evaluate(
        """() => {
          const scroll = document.querySelector('[data-table=visited] .scroll');
          const box = scroll.getBoundingClientRect();
          return [...document.querySelectorAll('[data-restore]')].every(button => {
            const { left, right } = button.getBoundingClientRect();
            return left >= box.left && right <= box.right;
          });
        }"""
    )
    lab.page.set_viewport_size({"width": 1280, "height": 900})
    assert seen


# At the top of the page, since some boxes stay in sight while it scrolls.
BOXES = """() => {
  window.scrollTo(0, 0);
  const boxes = [...document.querySelectorAll(
    '[data-tile], .card, #sentence, .chart, .control, #details, fieldset')];
  return Object.fromEntries(boxes.filter(e => e.checkVisibility()).map((e, i) => {
    const { left, top, width, height } = e.getBoundingClientRect();
    return [e.id || e.dataset.tile || e.dataset.control || `${e.className} ${i}`,
            [left, top, width, height].map(Math.round)];
  }));
}"""
MOVES = (
    ("window", 16_000), ("trigger", 0.4), ("summary_budget", 8_000), ("keep_recent", 0),
    ("strategy", "truncate"), ("noisy_tools", True), ("strategy", "none"), ("window", 200_000),
    ("strategy", "summarise"), ("long_horizon", True), ("notes", True),
)  # fmt: skip


@pytest.mark.parametrize("width_", [360, 1280])
def test_nothing_jumps_when_controls_move(lab, width_):
    lab.page.set_viewport_size({"width": width_, "height": 900})
    lab.set("window", 63_000)  # from here on, the tiles show differences
    before = lab.page.evaluate(BOXES)
    moved = {}
    for name, value in MOVES:
        lab.set(name, value)
        after = lab.page.evaluate(BOXES)
        moved |= {
            key: f"{name} {value}: {box} became {after[key]}"
            for key, box in before.items()
            if key not in moved and after[key] != box
        }
    lab.page.set_viewport_size({"width": 1280, "height": 900})
    assert moved == {}


def test_the_charts_are_as_wide_as_their_cards_at_every_width(lab, width):
    lab.page.wait_for_function(
        """() => [...document.querySelectorAll('.chart')].every(place => {
          const canvas = place.firstElementChild.getBoundingClientRect();
          return Math.abs(canvas.width - place.clientWidth) < 2;
        })"""
    )


def test_on_a_phone_what_is_touched_is_large_enough(lab):
    lab.page.set_viewport_size({"width": 360, "height": 800})
    small = lab.page.evaluate(
        """() => [...document.querySelectorAll(
            'main button:not(.help), input[type=text], main summary, .choices label,'
            + ' .control.switch label, input[type=range]')]
          .filter(e => e.checkVisibility())
          .filter(e => e.getBoundingClientRect().height < 40)
          .map(e => `${e.id || e.textContent.trim()}: ${e.getBoundingClientRect().height}`)"""
    )
    lab.page.set_viewport_size({"width": 1280, "height": 900})
    assert small == []


def test_on_a_phone_the_tiles_stay_in_sight(lab):
    lab.page.set_viewport_size({"width": 360, "height": 800})
    lab.control("trigger").scroll_into_view_if_needed()
    lab.page.mouse.wheel(0, 600)
    lab.page.wait_for_function("scrollY > 400")
    box = lab.page.locator("[data-tile=success]").bounding_box()
    lab.page.evaluate("window.scrollTo(0, 0)")
    lab.page.set_viewport_size({"width": 1280, "height": 900})
    assert 0 <= box["y"] < 40
