"""A page of somebody else that has embeds of the lab in it."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, Page

from tests.site.host import Host
from tests.site.page import LabPage

# Notes what the page hears, so that a busy test cannot miss it.
RECORDER = """
window.__heard = [];
addEventListener("change", ({ target, detail }) => window.__heard.push([target.id, detail]));
"""
PAGE = """<!doctype html><html lang="en" {attributes}><head><meta charset="utf-8">
<title>A page of somebody else</title><link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width"><style>{style}</style>
<script {script}></script></head><body>{body}</body></html>"""


class GuestPage:
    """Embeds in a page, by their place in it."""

    def __init__(self, page: Page, host: Host) -> None:
        self.page = page
        self.host = host
        page.add_init_script(RECORDER)

    def open(
        self,
        body: str,
        *,
        elsewhere: bool = False,
        module: bool = False,
        style: str = "",
        attributes: str = "",
    ) -> GuestPage:
        """Serve a page with this body and go there; ``elsewhere`` is another origin."""
        kind = 'type="module"' if module else "defer"
        html = PAGE.format(
            script=f'src="{self.host.url()}embed.js" {kind}',
            style=style, attributes=attributes, body=body,
        )  # fmt: skip
        self.host.sent.clear()
        origin = self.host.other_origin if elsewhere else None
        self.page.goto(self.host.guest(html, origin))
        return self

    def element(self, index: int = 0) -> Locator:
        return self.page.locator("compaction-lab").nth(index)

    def button(self, index: int = 0) -> Locator:
        return self.element(index).get_by_role("button", name="Try it here")

    def frame(self, index: int = 0) -> Locator:
        return self.element(index).locator("iframe")

    def call(self, method: str, *values: Any, index: int = 0) -> Any:
        """What a method of the element gives, once it is there."""
        return self.element(index).evaluate(
            "(element, [method, values]) => element[method](...values)", [method, list(values)]
        )

    def live(self, index: int = 0) -> LabPage:
        """Wait for an embed to be live, and give it as a lab."""
        self.page.wait_for_function(
            "index => document.querySelectorAll('compaction-lab')[index].get?.()",
            arg=index,
            timeout=40_000,
        )
        handle = self.frame(index).element_handle()
        lab = LabPage(self.page, "")
        frame = handle.content_frame()
        assert frame
        lab.view = frame
        return lab

    def tiles(self, index: int = 0) -> dict[str, float]:
        """The tiles as the element last heard of them."""
        return self.call("get", index=index)["tiles"]

    def heard(self) -> list[list[Any]]:
        """The change events so far: id of the element, and what came with them."""
        return self.page.evaluate("window.__heard")

    def sent(self, name: str) -> int:
        """How often a file has gone out to this page."""
        return sum(path.endswith(name) for path, _ in self.host.sent)
