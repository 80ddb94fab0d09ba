"""The watch over the pages, and the sabotage, do what the other tests rely on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.site.chrome import ADVICE, NoBrowser, find_chromium
from tests.site.sabotage import CORRUPT, MISSING, MODES, sabotage
from tests.site.watch import Trouble, complain

ROOT = Path(__file__).parents[2]

TROUBLES = {
    "console": "console.error('alas')",
    "page error": "setTimeout(() => { throw new Error('alas'); })",
    "failed request": "fetch('http://127.0.0.1:9/').catch(() => {})",
    "status": "fetch('/0/some/where/alas').catch(() => {})",
    "other host": "fetch('http://127.0.0.1:9/').catch(() => {})",
}


def test_no_trouble_is_no_complaint():
    complain([])


@pytest.mark.parametrize("kind", TROUBLES)
def test_every_kind_of_trouble_is_complained_of(kind):
    with pytest.raises(AssertionError, match=f"{kind}: alas"):
        complain([Trouble(kind, "alas")])


def test_trouble_that_is_expected_is_left_to_the_test_except_for_other_hosts():
    complain([Trouble("console", "alas"), Trouble("status", "alas")], expected=True)
    with pytest.raises(AssertionError, match="other host"):
        complain([Trouble("other host", "http://elsewhere/")], expected=True)


@pytest.mark.expects_trouble("each kind of trouble is made, and read from the log")
@pytest.mark.parametrize("kind", TROUBLES)
def test_every_kind_of_trouble_is_noticed(kind, new_lab, watch, trouble):
    lab = new_lab().open("page")
    lab.page.evaluate(f"{{ {TROUBLES[kind]} }}")
    lab.page.evaluate("fetch('/0/some/where/').then(answer => answer.text())")
    watch.hear(lab.page)
    assert kind in {each.kind for each in trouble}
    trouble.clear()


@pytest.mark.expects_trouble("a worker makes it")
def test_trouble_in_a_worker_is_noticed(lab, watch, trouble):
    lab.page.workers[0].evaluate("console.error('alas')")
    watch.hear(lab.page)
    assert Trouble("console", "error: alas") in trouble


@pytest.mark.expects_trouble("a second page of a context makes it")
def test_trouble_in_a_page_that_a_test_opens_by_itself_is_noticed(browser, host, watch, trouble):
    context = browser.new_context()
    page = context.new_page()
    page.goto(host.url(), wait_until="commit")
    page.evaluate("console.error('alas')")
    watch.leave(page)
    context.close()
    watch.contexts.remove(context)
    assert Trouble("console", "error: alas") in trouble


def test_a_test_fails_for_trouble_that_it_does_not_look_at(host, tmp_path):
    """The very fixture, in a run of its own, with a test that asks for nothing but a page."""
    (tmp_path / "test_it.py").write_text(
        "def test_quiet(new_lab):\n"
        "    new_lab().open('page')\n"
        "def test_loud(new_lab):\n"
        "    new_lab().open('page').page.evaluate(\"console.error('alas')\")\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += ["-p", "tests.site.conftest", "-o", "addopts=", f"--rootdir={tmp_path}", tmp_path]
    environment = {**os.environ, "LAB_SITE": str(host.site)}
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment)
    assert "2 passed, 1 error" in run.stdout, run.stdout + run.stderr
    assert "console: error: alas" in run.stdout


def test_an_unknown_sabotage_is_refused(new_lab, host):
    with pytest.raises(ValueError, match="'missing everything' is not a way to break the site"):
        sabotage(new_lab().page, host, "missing everything")


def test_every_sabotage_of_a_file_is_of_a_file_that_there_is(host):
    names = {*MISSING.values(), *CORRUPT.values()}
    assert names - {*host.names()} == set()
    assert len(MODES) == len(set(MODES))


def test_every_file_that_the_page_needs_has_a_sabotage(host):
    scripts = {name for name in host.names() if name.endswith("js")}
    # Without the first there is nothing that could speak; some are for other pages, and some for
    # the second tab.
    unneeded = {"boot.js", "theme.js", "embed.js", "sw.js"}
    unneeded |= {name for name in scripts if name.startswith(("previews", "tracking"))}
    assert scripts - unneeded - set(MISSING.values()) == set()


# --- the browser ------------------------------------------------------------------------------


def test_the_browser_that_is_named_is_taken(monkeypatch):
    monkeypatch.setenv("CHROMIUM", sys.executable)
    assert find_chromium("") == sys.executable


def test_a_browser_named_wrongly_is_refused_by_name(monkeypatch):
    monkeypatch.setenv("CHROMIUM", "/no/such/chromium")
    with pytest.raises(NoBrowser, match="CHROMIUM names '/no/such/chromium', which cannot be run"):
        find_chromium("")


def test_without_any_browser_there_is_one_sentence_that_says_what_to_install(monkeypatch):
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.delenv("PLAYWRIGHT_CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("tests.site.chrome._succeeds", lambda command, **_: False)
    with pytest.raises(NoBrowser, match="apt-get install chromium") as caught:
        find_chromium("/no/such/chromium")
    assert str(caught.value) == ADVICE
