"""The page under load: long drags, many tasks, tabs, sleep, a full store, a thousand changes."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator

import pytest

import missions
from lab.views import readout
from tests.site import native
from tests.site.chrome import find_chromium, launch_arguments
from tests.site.endurance import CHANGE, Heap, moves
from tests.site.page import LabPage
from tests.site.watch import WatchedBrowser

# How many messages have gone to the worker, and how many were ever there at once.
COUNTED = """
const link = window.__link = { sent: 0, open: 0, most: 0 };
window.Worker = class extends Worker {
  constructor(...made) {
    super(...made);
    this.addEventListener("message", ({ data }) => {
      if (data.type === "answer" || data.type === "error") link.open -= 1;
    });
  }
  postMessage(message) {
    if (message.type === "message") {
      link.sent += 1;
      link.open += 1;
      link.most = Math.max(link.most, link.open);
    }
    super.postMessage(message);
  }
};
"""
# Sixty moves a second for a minute, without the waiting in between: each gives way to whatever
# has come meanwhile, and that is all.
DRAG = """async windows => {
  const input = document.getElementById("window");
  const { port1, port2 } = new MessageChannel();
  for (const value of windows) {
    input.value = value;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise((done) => { port1.onmessage = done; port2.postMessage(0); });
  }
}"""
# A tab that is not looked at: it says so, and paints nothing.
HIDEABLE = """
let isHidden = false;
const held = [];
const paint = window.requestAnimationFrame.bind(window);
window.requestAnimationFrame = (frame) => (isHidden ? held.push(frame) : paint(frame));
Object.defineProperties(document, {
  hidden: { get: () => isHidden },
  visibilityState: { get: () => (isHidden ? "hidden" : "visible") },
});
window.__hide = (hides) => {
  isHidden = hides;
  document.dispatchEvent(new Event("visibilitychange"));
  if (!hides) held.splice(0).forEach(paint);
};
"""
# Closing the lid: the clocks jump, and whatever was due meanwhile is done once.
SLEEPY = """
const due = new Map();
const { setTimeout: later, setInterval: often, clearTimeout: drop } = window;
let slept = 0;
const clock = performance.now.bind(performance), date = Date.now;
performance.now = () => clock() + slept;
Date.now = () => date() + slept;
window.setTimeout = (task, ms, ...more) => {
  const id = later(() => { due.delete(id); task(...more); }, ms);
  due.set(id, () => { drop(id); due.delete(id); task(...more); });
  return id;
};
window.setInterval = (task, ms, ...more) => {
  const id = often(task, ms, ...more);
  due.set(id, () => task(...more));
  return id;
};
window.clearTimeout = window.clearInterval = (id) => { due.delete(id); drop(id); };
window.__sleep = (ms) => {
  slept += ms;
  for (const task of [...due.values()]) task();
};
"""
NIGHT_MS = 8 * 3_600_000
FULL = """() => {
  for (let size = 1 << 22; size >= 1; size = size >> 1) {
    for (let at = 0; ; at += 1) {
      try { localStorage.setItem(`full-${size}-${at}`, "x".repeat(size)); } catch { break; }
    }
  }
}"""
FIRST, SECOND, THIRD = missions.load()[:3]


def solve(lab: LabPage, mission: missions.Mission) -> None:
    if lab.page.locator("#mission-title").text_content() != mission.title:
        lab.page.get_by_text("All missions", exact=True).click()
        lab.page.locator(f"[data-mission={mission.id}]").click()
        lab.settled()
    lab.press("Load mission setup")
    for name, value in mission.solution.items():
        lab.set(name, value)
    lab.press("Check on 4 seeds")
    assert lab.page.locator("#mission-verdict").text_content() == "Solved, on four seeds of four."


# --- moving -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("tasks", "moves"), [(400, 3_600), (2_000, 3_600), (10_000, 900)])
def test_a_long_drag_never_queues_up_and_ends_at_its_last_value(new_lab, tasks, moves):
    lab = new_lab()
    lab.page.add_init_script(COUNTED)
    lab.open()
    lab.set("tasks", tasks)
    before = lab.page.evaluate("[window.__link.sent, history.length]")
    windows = [20_000 + 1_000 * (37 * move % 101) for move in range(moves)]
    lab.page.evaluate(DRAG, windows)
    lab.settled()
    assert int(lab.value("window")) == windows[-1]
    expected = native.tiles(tasks=tasks, window=windows[-1])
    assert lab.tiles() == pytest.approx(expected, rel=1e-9)
    link = lab.page.evaluate("window.__link")
    assert link["most"] == 1
    assert link["open"] == 0
    assert 1 <= link["sent"] - before[0] < moves / 2
    lab.page.wait_for_url(f"**window={windows[-1]}**")
    assert lab.page.evaluate("history.length") <= before[1] + 1  # where it rested, and no more
    assert lab.stages == ["page", "runtime", "packages", "app", "live"]


# --- not looked at ----------------------------------------------------------------------------


def test_twenty_seeds_go_on_while_the_other_tab_is_used(new_lab):
    lab = new_lab().open()
    lab.set("tasks", "2000")
    lab.set("window", 32_000)
    lab.button("Same result on 20 seeds?").click()
    lab.view.wait_for_function("document.getElementById('robust-progress').value >= 1")
    lab.page.get_by_role("tab").last.click()
    lab.page.locator("#st-sentence").wait_for()
    lab.page.wait_for_function("document.getElementById('st-sentence').textContent.length > 40")
    lab.page.get_by_role("tab").first.click()
    lab.robust_reaches("done")
    assert lab.rows(lab.page.locator("#robust-table")) == twenty_seeds(2_000, 32_000)
    assert lab.tiles() == pytest.approx(native.tiles(tasks=2_000, window=32_000), rel=1e-9)


def twenty_seeds(tasks: int, window: int) -> list[list[str]]:
    """The table of the comparison on twenty seeds, from a session without a page."""
    made = native.session(tasks=tasks, window=window)
    for _ in made.check_seeds(lambda: None).__await__():
        pass  # a turn for others, of whom there are none
    body = readout(made)["robust"]["table"].split("<tbody>")[1]
    rows = re.findall("(?s)<tr>(.*?)</tr>", body)
    cells = [re.findall("(?s)<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]
    return [[re.sub("<[^>]*>", "", cell) for cell in row] for row in cells]


def test_a_hidden_tab_goes_on_and_is_right_when_it_is_shown(new_lab):
    lab = new_lab()
    lab.page.add_init_script(HIDEABLE)
    lab.open()
    lab.move("window", 32_000)
    lab.page.evaluate("() => { document.getElementById('check-seeds').click(); __hide(true); }")
    lab.page.wait_for_function(  # by a timer: there are no frames to wait for
        "document.getElementById('robust-text').dataset.state === 'done'", polling=50
    )
    assert lab.page.evaluate("document.documentElement.dataset.settled") == "false"
    lab.page.evaluate("window.__hide(false)")
    lab.settled()
    assert lab.tiles() == pytest.approx(native.tiles(window=32_000), rel=1e-9)
    assert lab.rows(lab.page.locator("#robust-table")) == twenty_seeds(400, 32_000)


def test_a_laptop_that_slept_goes_on_with_the_same_worker(new_lab):
    lab = new_lab()
    lab.page.add_init_script(SLEEPY)
    lab.open()
    lab.set("tasks", "10000")
    lab.move("window", 32_000)
    lab.page.evaluate("ms => window.__sleep(ms)", NIGHT_MS)  # while it calculates
    lab.move("keep_recent", 2)
    lab.settled()
    lab.page.evaluate("ms => window.__sleep(ms)", NIGHT_MS)  # while nothing is under way
    lab.set("notes", True)
    expected = native.tiles(tasks=10_000, window=32_000, keep_recent=2, notes=True)
    assert lab.tiles() == pytest.approx(expected, rel=1e-9)
    assert lab.stages == ["page", "runtime", "packages", "app", "live"]


# --- the back/forward cache -------------------------------------------------------------------


@pytest.fixture
def kept_pages(browser, host, watch) -> Iterator[LabPage]:
    """A page in a browser that keeps a page which was left, as people's browsers do.

    Playwright's launch turns that off, so it is one more browser.
    """
    kind = browser.type
    real = kind.launch(
        executable_path=find_chromium(kind.executable_path),
        args=launch_arguments(),
        ignore_default_args=["--disable-back-forward-cache"],
    )
    context = WatchedBrowser(real, watch).new_context()
    yield LabPage(context.new_page(), host.url())
    watch.hear()
    watch.contexts.remove(context)
    real.close()


def test_a_page_that_is_come_back_to_lives_on(kept_pages, host):
    lab = kept_pages.open()
    lab.page.evaluate("window.__kept = true")
    lab.set("window", 32_000)
    lab.page.goto(host.url() + "article.html")
    lab.page.go_back(wait_until="commit")
    assert lab.page.evaluate("window.__kept")  # no reload: it is the page that was left
    lab.settled()
    lab.set("notes", True)
    assert lab.tiles() == pytest.approx(native.tiles(window=32_000, notes=True), rel=1e-9)
    assert lab.stages == ["page", "runtime", "packages", "app", "live"]


def test_what_was_under_way_when_the_page_was_left_is_there_when_it_is_come_back_to(
    kept_pages, host
):
    lab = kept_pages.open()
    lab.page.evaluate("window.__kept = true")
    lab.set("tasks", "10000")
    lab.move("window", 32_000)
    lab.page.goto(host.url() + "article.html")
    lab.page.go_back(wait_until="commit")
    assert lab.page.evaluate("window.__kept")
    lab.settled()
    assert lab.tiles() == pytest.approx(native.tiles(tasks=10_000, window=32_000), rel=1e-9)


def test_missions_solved_elsewhere_meanwhile_are_known_to_a_page_come_back_to(kept_pages, host):
    lab = kept_pages.open()
    lab.page.goto(host.url() + "article.html")
    other = LabPage(lab.page.context.new_page(), host.url()).open()
    solve(other, FIRST)
    lab.page.go_back(wait_until="commit")
    lab.page.locator(f"[data-mission={SECOND.id}]:not([disabled])").wait_for(state="attached")
    lab.settled()


# --- two labs, one store ----------------------------------------------------------------------


def test_two_labs_share_what_is_solved_in_either(new_lab, host):
    first = new_lab(host.url()).open()
    second = LabPage(first.page.context.new_page(), host.url()).open()
    solve(first, FIRST)
    second.page.locator(f"[data-mission={SECOND.id}]:not([disabled])").wait_for(state="attached")
    second.settled()
    solve(second, SECOND)
    first.page.locator(f"[data-mission={THIRD.id}]:not([disabled])").wait_for(state="attached")
    first.settled()
    kept = first.page.evaluate("Object.keys(JSON.parse(localStorage['lab-progress']).solved)")
    assert kept == [FIRST.id, SECOND.id]
    first.page.get_by_text("All missions", exact=True).click()
    first.button("Reset progress").click()
    first.button("Forget them").click()
    second.page.locator(f"[data-mission={SECOND.id}][disabled]").wait_for(state="attached")
    assert second.page.evaluate("localStorage.getItem('lab-progress')") is None


def test_what_two_labs_keep_at_the_same_moment_is_both_kept(new_lab, host):
    """Each has written over the other's: the one that knows more writes it again."""
    first = new_lab(host.url()).open()
    second = LabPage(first.page.context.new_page(), host.url()).open()
    solve(first, FIRST)
    poorer = {
        "kind": "compaction-lab-progress", "version": 1, "unlocked": False,
        "solved": {SECOND.id: {"cost": 1, "changed": 1}},
    }  # fmt: skip
    second.page.evaluate("text => localStorage.setItem('lab-progress', text)", json.dumps(poorer))
    first.page.wait_for_function(
        "Object.keys(JSON.parse(localStorage['lab-progress']).solved).length === 2"
    )
    assert set(
        first.page.evaluate("Object.keys(JSON.parse(localStorage['lab-progress']).solved)")
    ) == {FIRST.id, SECOND.id}


# --- a store that takes nothing ---------------------------------------------------------------


def test_a_full_store_is_said_and_the_page_works_on(new_lab, host):
    lab = new_lab(host.url()).open()
    lab.page.evaluate(FULL)
    solve(lab, FIRST)
    assert lab.notice.startswith("This browser does not let the page keep your progress.")
    assert lab.page.locator(f"[data-mission={SECOND.id}]").is_enabled()
    lab.page.locator("#theme").click()
    assert lab.page.evaluate("document.documentElement.dataset.theme") == "dark"
    lab.set("strategy", "none")
    assert lab.error == ""


def test_a_browser_that_keeps_no_files_still_comes_live(new_lab, host):
    lab = new_lab(host.url())
    cdp = lab.page.context.new_cdp_session(lab.page)
    cdp.send("Storage.overrideQuotaForOrigin", {"origin": host.origin, "quotaSize": 1})
    lab.open()
    lab.set("window", 32_000)
    assert lab.tiles() == pytest.approx(native.tiles(window=32_000), rel=1e-9)
    kept = "caches.open('compaction-lab').then((store) => store.keys()).then((all) => all.length)"
    assert lab.page.evaluate(kept) == 0


# --- memory -----------------------------------------------------------------------------------


def test_many_changes_need_no_more_memory_than_some(new_lab):
    """Two hundred here; a thousand without a browser, and an hour's use: see endurance.py."""
    lab = new_lab()
    heap = Heap.of(lab)
    chance = random.Random(1)
    lab.page.evaluate(CHANGE, moves(chance, 50))
    early, page = heap.bytes(), heap.page()
    lab.page.evaluate(CHANGE, moves(chance, 150))
    # It grows a megabyte at a time: some settings take more than others, and a visit a kilobyte.
    assert heap.bytes() <= early + 4 * 2**20
    now = heap.page()
    assert now["listeners"] == page["listeners"]
    assert now["nodes"] <= page["nodes"] + 50
