"""The studies in a browser: complete without scripts, legible in both schemes and on paper."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page

from sim.studies.catalogue import STUDIES, study_title
from tests.site.test_article import SEEN
from tests.site.test_axe import complaints

PAGES = ["studies.html", *(f"study-{name.replace('_', '-')}.html" for name in STUDIES)]


@pytest.fixture
def open_study(browser, host, watch) -> Iterator[Callable[..., Page]]:
    """Opens one of the pages, each time in a context of its own."""
    pages: list[Page] = []

    def make(name: str, **options: Any) -> Page:
        page = browser.new_context(**options).new_page()
        pages.append(page)
        page.goto(host.url() + name)
        return page

    yield make
    for page in pages:
        watch.leave(page)
        page.context.close()
        watch.contexts.remove(page.context)


def test_from_the_lab_to_a_study_and_back_into_the_lab_without_scripts(open_study, host):
    page = open_study("studies.html", java_script_enabled=False)
    assert page.locator("h2").all_inner_texts() == [study_title(name) for name in STUDIES]
    page.get_by_role("link", name=study_title("cost_reversal")).click()
    assert page.url == f"{host.url()}study-cost-reversal.html"
    assert page.get_by_role("heading", level=1).inner_text() == study_title("cost_reversal")
    page.get_by_role("link", name="Window 32,000 at Flat price of the lab").click()
    assert page.url.startswith(f"{host.url()}?v=1&window=32000")
    page.get_by_role("link", name="studies").click()
    assert page.url == f"{host.url()}studies.html"


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(
    "look",
    [
        {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
        for width, scheme in ((360, "light"), (390, "dark"), (1280, "light"), (1280, "dark"))
    ],
    ids=lambda look: f"{look['color_scheme']} at {look['viewport']['width']} px",
)
def test_a_page_fits_its_screen_and_axe_finds_nothing(open_study, name, look):
    page = open_study(name, **look)
    wide, beyond = page.evaluate(
        f"""() => [document.documentElement.scrollWidth, ({SEEN})()
          .filter(e => e.getBoundingClientRect().right > innerWidth + 1)
          .map(e => e.id || e.className || e.tagName)]"""
    )
    assert wide == look["viewport"]["width"]
    assert beyond == []
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    colours = {"light": "rgb(247, 246, 243)", "dark": "rgb(20, 20, 22)"}
    assert ground == colours[look["color_scheme"]]
    assert complaints(page) == []


def test_the_strips_of_a_table_are_on_one_scale(open_study):
    page = open_study("study-cost-reversal.html")
    table = page.locator("table", has_text="Cheapest window by price")
    lefts = table.locator("svg").evaluate_all(
        "strips => strips.map(strip => [strip.getBoundingClientRect().left,"
        " strip.getBoundingClientRect().width])"
    )
    assert len(lefts) == 5
    assert all(abs(a - b) < 1 for left in lefts for a, b in zip(left, lefts[0], strict=True))
    dots = table.locator("path.ours").evaluate_all(
        "dots => dots.map(dot => dot.getBoundingClientRect().left)"
    )
    assert dots[0] < min(dots[1:])


def test_on_paper_a_study_is_black_on_white_with_every_figure(open_study):
    page = open_study("study-regimes.html", color_scheme="dark")
    figures = page.locator("table.study td:visible").count()
    page.emulate_media(media="print", color_scheme="dark")
    assert not page.get_by_role("banner").is_visible()
    assert page.locator("table.study td:visible").count() == figures > 100
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    words = page.locator("table.study .differs").first
    assert words.evaluate("e => getComputedStyle(e).color") != "rgb(255, 154, 106)"
