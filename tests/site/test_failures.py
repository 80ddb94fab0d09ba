"""What goes wrong is said in a sentence, or mends itself."""

from __future__ import annotations

import re
import threading

import pytest

from lab.views import readout
from tests.site import native
from tests.site.sabotage import CORRUPT, CUT, FRAMES, MISSING, SCRIPTS

pytestmark = pytest.mark.expects_trouble("files are missing, workers die")

SOON = 20_000
"""Milliseconds in which a page must have noticed; a loading page takes some seconds."""
REMEDY = re.compile(r"Reload|build the site again|Serve the folder|Use a current|Turn it on|Add ")


def has_failed(lab):
    """The page has come to ``failed``, once and for good, and says what to do."""
    assert lab.reach("failed", "live", timeout=SOON) == "failed"
    lab.view.locator("#failure-text").wait_for()
    assert lab.failure.endswith(".")
    assert REMEDY.search(lab.failure), lab.failure
    assert lab.view.locator("#failure-detail").text_content()
    assert lab.status == "Not live: see the message at the top."
    assert lab.tiles() == native.tiles()  # the default result stays readable
    return lab.failure


@pytest.mark.parametrize("mode", [*MISSING, *CORRUPT, *CUT])
def test_a_file_that_is_missing_or_damaged_is_told(new_lab, mode):
    lab = new_lab(broken=mode).open("page")
    sentence = has_failed(lab)
    assert "missing or damaged" in sentence
    if mode == "missing style sheet":
        assert "lab.css" in sentence
    if mode.startswith(("corrupted", "half")) and mode.endswith("script"):
        assert (CORRUPT | CUT)[mode] in sentence
    if mode in ("missing packages", "corrupted packages"):
        assert "packages.tar.gz" in sentence
    assert lab.stages[-1] == "failed"
    assert lab.stages.count("failed") == 1


@pytest.mark.parametrize(
    ("mode", "says"),
    [("no WebAssembly", "WebAssembly turned off"), ("no module workers", "no module workers")],
)
def test_a_browser_that_cannot_is_told_what_it_lacks(new_lab, mode, says):
    assert mode in SCRIPTS
    assert says in has_failed(new_lab(broken=mode).open("page"))


@pytest.mark.parametrize("mode", FRAMES)
def test_a_sandboxed_frame_says_which_permission_it_needs(new_lab, mode):
    lab = new_lab(broken=mode)
    lab.view = lab.page.frames[1]
    assert "allow-same-origin" in has_failed(lab)


def test_a_page_opened_as_a_file_says_how_to_serve_it(new_lab):
    lab = new_lab(broken="opened as a file").open("page")
    assert "python -m http.server" in has_failed(lab)


def test_a_page_whose_main_script_is_missing_still_shows_the_results(new_lab, host):
    lab = new_lab(host.url({"boot.js": "missing"})).open("page")
    assert lab.tiles() == native.tiles()
    assert lab.status.startswith("Not live")


def test_a_failure_before_the_page_is_read_is_the_last_word(new_lab, host):
    boot = threading.Event()
    lab = new_lab(host.url({"packages.tar.gz": "missing", "boot.js": boot})).open("page")
    early = "starter.first.early.some(({ data }) => data.type === 'failed')"
    lab.page.wait_for_function(early)
    boot.set()
    assert "packages.tar.gz" in has_failed(lab)
    assert lab.stages == ["page", "runtime", "failed"]


def test_a_failed_page_can_be_tried_again(new_lab, host):
    faults = {"packages.tar.gz": "missing"}
    lab = new_lab(host.url(faults)).open("page")
    has_failed(lab)
    faults.clear()
    lab.button("Try again").click()
    lab.reach("live")
    lab.set("window", 32_000)
    assert lab.tiles() == pytest.approx(native.tiles(window=32_000), rel=1e-9)


# --- a worker that dies -----------------------------------------------------------------------


def kill(lab):
    """End the worker from within, as a crash or a lack of memory does: nobody is told."""
    (worker,) = lab.page.workers
    with worker.expect_event("close"):
        worker.evaluate("setTimeout(() => self.close())")


def test_a_page_whose_worker_dies_goes_on_by_itself_with_all_that_was_set(new_lab):
    lab = new_lab().open()
    lab.set("window", 32_000)
    lab.set("tool_tokens_median", "1234.56")
    lab.pin()
    lab.set("notes", True)
    lab.set("seed", "5")
    lab.set("task", "3")
    visits = lab.table("visited")
    settings = lab.settings()
    kill(lab)

    lab.move("keep_recent", 2)
    lab.reach("runtime")
    lab.reach("live")
    lab.settled()
    now = {"window": 32_000, "notes": True, "keep_recent": 2, "tool_tokens_median": 1_234.56}
    assert lab.settings() == settings | {"keep_recent": "2"}
    assert lab.tiles() == pytest.approx(native.tiles(seed=5, **now), rel=1e-9)
    made = native.session(
        seed=5, baseline={"window": 32_000, "tool_tokens_median": 1_234.56}, **now
    )
    for tile in readout(made)["tiles"]:
        assert lab.shown(tile["key"])["delta"] == tile["delta"]
    assert lab.baseline == native.baseline(made)
    assert lab.value("task") == "3"
    after = lab.table("visited")
    assert after[1:] == visits
    assert len(after) == len(visits) + 1
    loading = ["runtime", "packages", "app", "live"]
    assert lab.stages == ["page", *loading, *loading]

    lab.set("window", 48_000)
    assert lab.tiles() == pytest.approx(native.tiles(seed=5, **now | {"window": 48_000}), rel=1e-9)
    lab.click_visited(0)
    assert lab.tiles() == pytest.approx(native.tiles(), rel=1e-9)


def test_what_is_done_while_the_worker_is_dead_is_done_by_the_next(new_lab):
    lab = new_lab().open()
    lab.set("window", 32_000)
    kill(lab)
    lab.move("keep_recent", 2)
    lab.button("Pin the current run").click()
    lab.reach("runtime")
    lab.reach("live")
    lab.settled()
    settings = {"window": 32_000, "keep_recent": 2}
    assert lab.tiles() == pytest.approx(native.tiles(**settings), rel=1e-9)
    assert lab.baseline == native.baseline(native.session(baseline=settings, **settings))


def test_a_table_that_was_open_keeps_up_after_the_worker_has_died(new_lab):
    lab = new_lab().open()
    lab.table("costs")
    kill(lab)
    lab.move("window", 32_000)
    lab.reach("runtime")
    lab.reach("live")
    lab.settled()
    lab.set("window", 48_000)
    cost = native.tiles(window=48_000)["cost"]
    assert lab.table("costs")[2][1] == f"${cost:,.4f}"


def test_a_page_that_cannot_restart_its_worker_says_so(new_lab, host):
    faults = {"sw.js": "missing"}
    lab = new_lab(host.url(faults)).open()
    faults["worker.js"] = "missing"
    kill(lab)
    lab.move("window", 32_000)
    lab.reach("failed")
    assert REMEDY.search(lab.failure)


def test_a_setting_that_takes_long_is_calculated_and_not_given_up(new_lab):
    lab = new_lab().open()
    heavy = {"tasks": 10_000, "max_steps": 200, "mean_steps": 200, "min_steps": 200}
    for name, value in heavy.items():
        lab.set(name, str(value))
    lab.set("noisy_tools", True)
    lab.move("window", 16_000)
    lab.page.wait_for_function(
        "document.documentElement.dataset.settled === 'true' "
        "|| document.documentElement.dataset.stage === 'failed'",
        timeout=120_000,
    )
    assert lab.stages == ["page", "runtime", "packages", "app", "live"]
    expected = native.tiles(window=16_000, noisy_tools=True, **heavy)
    assert lab.tiles() == pytest.approx(expected, rel=1e-9)


def test_an_error_in_python_is_told_and_the_next_setting_works(new_lab):
    """An action that there is not stands for a fault that nobody has foreseen."""
    lab = new_lab().open()
    lab.page.evaluate(
        "document.dispatchEvent(new CustomEvent('lab-restore', { detail: 'nonsense' }))"
    )
    lab.settled()
    assert lab.error.startswith("The calculation ran into an error")
    lab.set("window", 32_000)
    assert not lab.page.locator("#error").is_visible()
    assert lab.tiles() == pytest.approx(native.tiles(window=32_000), rel=1e-9)
