"""The core of the lab in Firefox and WebKitGTK: load, move, mission, embed, share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest

import missions
from tests.site import native, visitors
from tests.site.test_numbers import SCENARIOS
from tests.site.visitors import Visitor, wait

STAGE = "document.documentElement.dataset.stage"
SETTLED = "document.documentElement.dataset.settled === 'true'"
TILES = """() => Object.fromEntries([...document.querySelectorAll('[data-tile]')]
    .map((tile) => [tile.dataset.tile, Number(tile.dataset.value)]))"""
PORTABLE = [name for name in SCENARIOS if name != "ten thousand tasks"]
FIRST = missions.load()[0]
EMBED = """<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title>
<link rel="icon" href="data:,"><script src="{url}embed.js" defer></script>
<p>Before.</p><compaction-lab window="32000"></compaction-lab>"""


@pytest.fixture(scope="module", params=["firefox", "webkit"])
def visitor(request: pytest.FixtureRequest) -> Iterator[Visitor]:
    try:
        started = visitors.start(request.param)
    except FileNotFoundError as sentence:
        if os.environ.get("CI"):  # which installs both
            pytest.fail(str(sentence), pytrace=False)
        pytest.skip(str(sentence))
    yield started
    started.close()


@pytest.fixture
def site(host) -> str:
    """Address of a copy of the site that writes down what goes wrong in its pages."""
    return host.url({"index.html": "recorded"})


def open_live(visitor: Visitor, url: str) -> None:
    visitor.open(url)
    assert wait(visitor, f"['live', 'failed'].includes({STAGE}) && {STAGE}") == "live"
    wait(visitor, SETTLED)


def tiles(visitor: Visitor) -> dict[str, float]:
    return visitor.run(TILES)


def no_trouble(visitor: Visitor) -> bool:
    return visitor.run("() => window.__troubles") == []


def test_the_page_comes_live_and_shows_the_simulators_numbers(visitor, site):
    open_live(visitor, site)
    assert tiles(visitor) == pytest.approx(native.tiles(), rel=1e-9)
    assert wait(visitor, "performance.getEntriesByName('lab-drawn').length") == 1
    assert no_trouble(visitor)


def test_a_control_moves_the_numbers_by_the_keyboard(visitor, site):
    open_live(visitor, site)
    visitor.run("() => document.querySelector('[data-control=window] input').focus()")
    visitor.press("ArrowRight")
    wait(visitor, f"{SETTLED} && location.search.includes('window=65000')")
    assert tiles(visitor) == pytest.approx(native.tiles(window=65_000), rel=1e-9)
    assert no_trouble(visitor)


@pytest.mark.parametrize("name", PORTABLE)
def test_the_same_seed_gives_the_same_tiles_as_natively(visitor, host, name):
    settings = SCENARIOS[name]
    query = urlencode({key: str(value).lower() for key, value in settings.items()})
    if visitor.run(f"() => {STAGE} ?? null") != "live":
        open_live(visitor, host.url())
    visitor.run("(query) => { history.pushState(null, '', query);"
                " dispatchEvent(new PopStateEvent('popstate')); }", f"?v=1&{query}")  # fmt: skip
    wait(visitor, SETTLED)
    assert tiles(visitor) == pytest.approx(native.tiles(**settings), rel=1e-9, abs=1e-9)


def test_a_mission_is_won(visitor, site):
    open_live(visitor, f"{site}?mission={FIRST.id}")
    assert tiles(visitor) == pytest.approx(
        native.tiles(seed=FIRST.seed, tasks=FIRST.tasks, **FIRST.start), rel=1e-9
    )
    visitor.run("""() => [...document.querySelectorAll('[data-control=strategy] label')]
        .find((label) => label.textContent === 'summarise').click()""")
    wait(visitor, f"{SETTLED} && location.search.includes('strategy=summarise')")
    visitor.run("""() => [...document.querySelectorAll('button')]
        .find((button) => button.textContent === 'Check on 4 seeds').click()""")
    said = "document.querySelector('#mission-verdict').textContent.startsWith('Solved')"
    assert wait(visitor, f"{SETTLED} && {said}") is True
    assert no_trouble(visitor)


def test_a_link_restores_what_was_shared_and_back_goes_back(visitor, site):
    open_live(visitor, f"{site}?v=1&window=48000&notes=true&seed=7")
    expected = native.tiles(seed=7, window=48_000, notes=True)
    assert tiles(visitor) == pytest.approx(expected, rel=1e-9)
    visitor.run("() => document.querySelector('[data-control=notes] input').click()")
    wait(visitor, f"{SETTLED} && !location.search.includes('notes')")
    assert tiles(visitor) == pytest.approx(native.tiles(seed=7, window=48_000), rel=1e-9)
    visitor.run("() => history.back()")
    wait(visitor, f"{SETTLED} && location.search.includes('notes=true')")
    assert tiles(visitor) == pytest.approx(expected, rel=1e-9)
    assert no_trouble(visitor)


def test_an_embed_shows_its_numbers_and_becomes_the_lab(visitor, host):
    visitor.open(host.guest(EMBED.format(url=host.url())))
    said = "document.querySelector('compaction-lab')?.shadowRoot?.querySelector('b')?.textContent"
    assert wait(visitor, said) == "40 of 100 tasks succeed"
    got = visitor.run("""async () => {
        const element = document.querySelector('compaction-lab');
        return (await element.set({ notes: true })).tiles; }""")
    assert got == pytest.approx(native.tiles(window=32_000, notes=True), rel=1e-9)
    height = (
        "document.querySelector('compaction-lab').shadowRoot.querySelector('iframe').clientHeight"
    )
    assert wait(visitor, f"{height} > 600 && {height}") > 600
