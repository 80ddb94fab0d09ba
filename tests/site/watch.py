"""Watches every page of a browser: whatever goes wrong in one is written down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Error, Page

LOUD = ("error", "warning", "assert")


@dataclass(frozen=True)
class Trouble:
    """Something that went wrong in a page."""

    kind: str
    """``console``, ``page error``, ``failed request``, ``status`` or ``other host``."""
    text: str


class Watch:
    """The troubles of all pages of the contexts attached to it, in order."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.others: tuple[str, ...] = ()
        """Further origins that the pages of a test may ask."""
        self.troubles: list[Trouble] = []
        self.contexts: list[BrowserContext] = []
        self.leaving: set[Page] = set()

    def attach(self, context: BrowserContext) -> None:
        self.contexts.append(context)
        context.on("console", self._console)
        context.on("weberror", lambda error: self._add("page error", str(error.error), error.page))
        context.on("request", self._request)
        context.on("requestfailed", self._failed)
        context.on("response", self._response)

    def _add(self, kind: str, text: str, page: Page | None) -> None:
        if page not in self.leaving:
            self.troubles.append(Trouble(kind, text))

    def _console(self, message: Any) -> None:
        if message.type in LOUD:
            self._add("console", f"{message.type}: {message.text}", message.page)

    def _request(self, request: Any) -> None:
        own = (self.origin, *self.others)
        if not request.url.startswith((*own, "data:", "blob:", "file:", "about:")):
            self._add("other host", request.url, None)

    def _failed(self, request: Any) -> None:
        self._add("failed request", f"{request.url}: {request.failure}", _page_of(request))

    def _response(self, response: Any) -> None:
        if response.status >= 400:
            self._add("status", f"{response.url}: {response.status}", _page_of(response.request))

    def leave(self, page: Page) -> None:
        """Hear a page out, then close it; what closing cuts short is no trouble."""
        self.hear(page)
        self.leaving.add(page)
        page.close()

    def hear(self, *pages: Page) -> None:
        """Wait until the events of these pages, or of all, have arrived."""
        for page in pages or [page for context in self.contexts for page in context.pages]:
            try:
                page.evaluate("0")
            except Error:
                continue  # it is gone, and its events with it


def _page_of(request: Any) -> Page | None:
    try:
        return request.frame.page
    except Error:
        return None


def complain(troubles: list[Trouble], expected: bool = False) -> None:
    """Raise AssertionError if there was trouble; where it is expected, only for other hosts."""
    worst = [t for t in troubles if not expected or t.kind == "other host"]
    lines = [f"{trouble.kind}: {trouble.text[:300]}" for trouble in worst]
    assert not worst, "Trouble in a page:\n" + "\n".join(lines)


class WatchedBrowser:
    """A browser whose every context is watched: there is no way to open one that is not."""

    def __init__(self, browser: Browser, watch: Watch) -> None:
        self._browser = browser
        self._watch = watch
        self.type = browser.browser_type

    def new_context(self, **options: Any) -> BrowserContext:
        options.setdefault("viewport", {"width": 1280, "height": 900})
        # Playwright's own waiting is by eval; test_policy.py does without it, and without this.
        options.setdefault("bypass_csp", True)
        context = self._browser.new_context(**options)
        context.set_default_timeout(20_000)
        self._watch.attach(context)
        return context
