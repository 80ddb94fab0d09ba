"""axe finds nothing to complain of, in any view, in light and dark, narrow and wide."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OPTIONS = {"runOnly": {"type": "tag", "values": TAGS}}

every_look = pytest.mark.parametrize(
    "look",
    [
        {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
        for width in (390, 1_280)
        for scheme in ("light", "dark")
    ],
    ids=lambda look: f"{look['color_scheme']} at {look['viewport']['width']} px",
)


def complaints(page):
    """What axe has to say, a line for each: the rule, the element, and how to mend it."""
    found = Axe().run(page, options=OPTIONS).response["violations"]
    return [
        f"{violation['id']}: {node['html'][:160]} {node['failureSummary']}"
        for violation in found
        for node in violation["nodes"]
    ]


@every_look
def test_the_lab(new_lab, look):
    lab = new_lab(**look).open()
    assert complaints(lab.page) == []
    lab.set("window", 32_000)
    for name in ("context", "lives", "causes", "costs", "visited"):
        lab.table(name)
    lab.unfold("group-tasks")
    lab.set("system_tokens", "nonsense")
    lab.set("caching", True)
    lab.set("hardware", True)
    lab.set("carrier", "one_field")
    for name in ("agents", "floor", "price", "hardware", "carrier"):
        lab.open_panel(name)
    lab.view.get_by_label("Agent", exact=True).fill("Claude Code")
    lab.press("Compare all on these tasks")
    lab.agents_reach("done")
    lab.page.locator("#assumptions summary").click()
    lab.page.get_by_text("All missions", exact=True).click()
    lab.button("What is Task success?").click()
    assert complaints(lab.page) == []


@every_look
def test_its_dialogs(new_lab, look):
    lab = new_lab(**look).open()
    for button, dialog in (("Show as code", "code"), ("Embed this", "embed")):
        lab.button(button).click()
        lab.page.locator(f"#{dialog}[open]").wait_for()
        assert complaints(lab.page) == []
        lab.page.keyboard.press("Escape")


@every_look
def test_a_mission_before_and_after(new_lab, host, look):
    lab = new_lab(host.url() + "?mission=lost-brief", **look).open()
    lab.press("Hint")
    lab.page.locator("[data-guess=up]").click()
    lab.press("Check on 4 seeds")
    assert complaints(lab.page) == []
    lab.set("strategy", "summarise")
    lab.press("Check on 4 seeds")
    assert complaints(lab.page) == []


@every_look
def test_an_embed(new_lab, host, look):
    lab = new_lab(host.url() + "?embed=1&window=32000&charts=context,causes", **look).open()
    assert complaints(lab.page) == []


@every_look
def test_the_article(new_lab, host, look):
    page = new_lab(**look).page
    page.goto(host.url() + "article.html")
    page.get_by_role("button", name="Try it here").last.wait_for()
    assert complaints(page) == []


def test_a_page_that_has_failed(new_lab):
    lab = new_lab(broken="no WebAssembly").open("page")
    lab.reach("failed")
    assert complaints(lab.page) == []
