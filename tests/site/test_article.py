"""The article in a browser: complete without scripts, legible in both schemes and on paper."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page

# Everything that can be seen, in the elements' shadows too.
SEEN = """() => {
  const seen = [];
  const look = (root) => {
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) look(element.shadowRoot);
      if (element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) {
        seen.push(element);
      }
    }
  };
  look(document.body);
  return seen;
}"""


@pytest.fixture
def open_article(browser, host, watch) -> Iterator[Callable[..., Page]]:
    """Opens the article, each time in a context of its own."""
    pages: list[Page] = []

    def make(**options: Any) -> Page:
        page = browser.new_context(**options).new_page()
        pages.append(page)
        page.goto(host.url() + "article.html")
        return page

    yield make
    for page in pages:
        watch.leave(page)
        page.context.close()
        watch.contexts.remove(page.context)


def test_it_is_complete_without_scripts(open_article):
    page = open_article(java_script_enabled=False)
    assert page.get_by_role("heading", level=1).inner_text() == (
        "What to keep when the window fills up"
    )
    previews = page.locator("compaction-lab .compaction-preview")
    leads = [preview.split(",")[0] for preview in previews.all_inner_texts()]
    assert leads == [
        "8 of 100 tasks succeed",
        "27 of 100 tasks succeed",
        "70 of 100 tasks succeed",
        "78 of 100 tasks succeed",
    ]
    for link in page.locator("compaction-lab a").all():
        assert link.is_visible()
        assert link.inner_text() == "Open in the lab"


def test_a_preview_links_to_the_lab_and_the_lab_to_the_article(open_article, host):
    page = open_article(java_script_enabled=False)
    page.locator("compaction-lab a").first.click()
    assert page.url == f"{host.url()}?v=1&strategy=truncate"
    page.get_by_role("link", name="What to keep when the window fills up").click()
    assert page.url == f"{host.url()}article.html"
    page.get_by_role("banner").get_by_role("link", name="Context Compaction Lab").click()
    assert page.url == host.url()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 390, 1280, 1600])
def test_it_fits_its_screen_in_the_scheme_of_the_system(open_article, width, scheme):
    page = open_article(viewport={"width": width, "height": 900}, color_scheme=scheme)
    wide, beyond = page.evaluate(
        f"""() => [document.documentElement.scrollWidth, ({SEEN})()
          .filter(e => e.getBoundingClientRect().right > innerWidth + 1)
          .map(e => e.id || e.className || e.tagName)]"""
    )
    assert wide == width
    assert beyond == []
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == {"light": "rgb(247, 246, 243)", "dark": "rgb(20, 20, 22)"}[scheme]


def test_a_line_has_about_66_characters(open_article):
    page = open_article()
    per_line = page.evaluate(
        """() => {
          const long = [...document.querySelectorAll('article > p')]
            .filter(p => p.textContent.length > 400);
          const lines = p => p.offsetHeight / parseFloat(getComputedStyle(p).lineHeight);
          const sum = (list, of) => list.reduce((total, p) => total + of(p), 0);
          return sum(long, p => p.textContent.length) / sum(long, lines);
        }"""
    )
    assert 58 <= per_line <= 72


def test_the_scheme_chosen_in_the_lab_is_the_articles_too(open_article):
    page = open_article(color_scheme="light")
    page.evaluate("localStorage.setItem('lab-theme', 'dark')")
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 20, 22)"


def test_on_paper_there_are_previews_and_addresses_but_no_controls(open_article):
    page = open_article(color_scheme="dark")
    page.evaluate("customElements.whenDefined('compaction-lab').then(() => {})")
    page.emulate_media(media="print", color_scheme="dark")
    controls = page.evaluate(
        f"""() => ({SEEN})().map(e => e.localName)
          .filter(name => ['button', 'input', 'select', 'iframe'].includes(name))"""
    )
    assert controls == []
    assert not page.get_by_role("banner").is_visible()
    assert page.locator("compaction-lab .compaction-preview:visible").count() == 4
    source = page.get_by_role("link", name="The Physical Cost of Context Compression")
    after = source.evaluate("link => getComputedStyle(link, '::after').content")
    assert "https://blog.baifan.site/" in after
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"


def test_the_keyboard_can_skip_to_the_text(open_article):
    page = open_article()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the text"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.localName") == "main"
