"""One built site, one browser, and a watch over every page that no test can forget."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import sync_playwright

from tests.site.chrome import NoBrowser, find_chromium, launch_arguments
from tests.site.host import Host, find_site
from tests.site.page import LabPage
from tests.site.sabotage import sabotage
from tests.site.watch import Trouble, Watch, WatchedBrowser, complain


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "expects_trouble(reason): the pages of this test are made to fail; it reads the log itself",
    )


UNLOCKED = "?unlock=all"
"""Most tests use the events, which wait for missions otherwise."""


@pytest.fixture(scope="session")
def host() -> Iterator[Host]:
    """The site on a port that the system picks, under a sub-path."""
    host = Host(find_site())
    yield host
    host.close()


@pytest.fixture(scope="session")
def watch(host: Host) -> Watch:
    return Watch(host.origin)


@pytest.fixture(scope="session")
def browser(watch: Watch) -> Iterator[WatchedBrowser]:
    with sync_playwright() as playwright:
        try:
            path = find_chromium(playwright.chromium.executable_path)
        except NoBrowser as sentence:
            pytest.fail(str(sentence), pytrace=False)
        real = playwright.chromium.launch(executable_path=path, args=launch_arguments())
        yield WatchedBrowser(real, watch)
        real.close()


@pytest.fixture(autouse=True)
def trouble(request: pytest.FixtureRequest, watch: Watch) -> Iterator[list[Trouble]]:
    """What goes wrong in any page during a test: the test fails for it, unless it expects it."""
    watch.troubles.clear()
    yield watch.troubles
    watch.hear()
    expected = request.node.get_closest_marker("expects_trouble")
    complain(watch.troubles, expected=expected is not None)


@pytest.fixture
def new_lab(browser: WatchedBrowser, host: Host, watch: Watch) -> Iterator[Callable[..., LabPage]]:
    """Makes pages that are not opened yet, each in a context of its own."""
    labs: list[LabPage] = []

    def make(url: str | None = None, broken: str | None = None, **options: Any) -> LabPage:
        page = browser.new_context(**options).new_page()
        lab = LabPage(page, url or host.url() + UNLOCKED)
        labs.append(lab)
        if broken:
            lab.url = sabotage(page, host, broken)
        return lab

    yield make
    for lab in labs:
        watch.leave(lab.page)
        lab.page.context.close()
        watch.contexts.remove(lab.page.context)


class SharedLab:
    """A live page that tests take turns with; after a test that failed comes a new one."""

    def __init__(self, browser: WatchedBrowser, host: Host, watch: Watch) -> None:
        self._make = lambda: LabPage(browser.new_context().new_page(), host.url() + UNLOCKED).open()
        self._watch = watch
        self._lab: LabPage | None = None

    def take(self) -> LabPage:
        lab, self._lab = self._lab, None
        return lab.fresh() if lab else self._make()

    def give_back(self, lab: LabPage, spoilt: bool) -> None:
        if spoilt:
            self._watch.leave(lab.page)
        else:
            self._lab = lab


@pytest.fixture(scope="session")
def shared_lab(browser: WatchedBrowser, host: Host, watch: Watch) -> SharedLab:
    return SharedLab(browser, host, watch)


FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report = yield
    item.stash[FAILED] = item.stash.get(FAILED, False) or report.failed
    return report


@pytest.fixture
def lab(shared_lab: SharedLab, request: pytest.FixtureRequest) -> Iterator[LabPage]:
    """A live page at the default setting, shared with other tests."""
    lab = shared_lab.take()
    yield lab
    shared_lab.give_back(lab, spoilt=request.node.stash.get(FAILED, False))
