"""The browser keeps the site: a second visit needs no network, and no two versions ever mix."""

from __future__ import annotations

import shutil

import pytest

import build
from tests.site import native
from tests.site.page import IMAGE, LabPage


@pytest.fixture
def visited(new_lab, host):
    """A live page that the browser has kept, of a copy of the site with faults of its own."""
    faults = {"nothing": "missing"}
    lab = new_lab(host.url(faults)).open().kept()
    lab.faults = faults
    return lab


def come_again(lab, name=""):
    """Another page in the same browser."""
    return LabPage(lab.page.context.new_page(), lab.url + name)


def test_a_second_visit_works_without_any_network(visited):
    visited.page.close()
    visited.faults["*"] = "gone"
    lab = come_again(visited).open()
    lab.set("window", 32_000)
    assert lab.tiles() == pytest.approx(native.tiles(window=32_000), rel=1e-9)
    lab.page.get_by_role("tab", name="State tracking").click()
    lab.page.get_by_text("statements on").first.wait_for()
    for name in ("article.html", "studies.html", "study-regimes.html", "licenses.html"):
        assert lab.page.goto(lab.url + name).status == 200


def test_a_second_visit_transfers_nothing_but_a_look_for_a_new_version(visited, host):
    visited.page.close()
    host.sent.clear()
    come_again(visited).open()
    assert sum(size for _, size in host.sent) <= 60_000
    assert {path.rsplit("/", 1)[1] for path, _ in host.sent} <= {"sw.js"}


def test_the_first_visit_fetches_nothing_large_twice(new_lab, host):
    host.sent.clear()
    new_lab(host.url({"nothing": "missing"})).open().kept()
    large = [path.rsplit("/", 1)[1] for path, size in host.sent if size > 300_000]
    assert len(large) == len(set(large)) == 6


REGISTERED = """
window.__registered = new Promise((done) => {
  const { register } = ServiceWorkerContainer.prototype;
  ServiceWorkerContainer.prototype.register = function (...all) {
    done(performance.now());
    return register.apply(this, all);
  };
});"""
# Moves for longer than the pause that is waited for, and how long it had been quiet at the end.
MOVES = """async () => {
  const input = document.getElementById("window");
  const begin = performance.now();
  for (let move = 0; performance.now() - begin < 3000; move += 1) {
    input.value = 30000 + 1000 * (move % 50);
    input.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise((done) => new PerformanceObserver((_, observer) => {
      observer.disconnect();
      done();
    }).observe({ type: "mark" }));
  }
  const registered = await window.__registered;
  const marks = performance.getEntriesByType("mark").map((mark) => mark.startTime);
  return registered - Math.max(...marks.filter((time) => time < registered));
}"""


def test_the_copy_waits_until_nothing_was_moved_for_two_seconds(new_lab):
    lab = new_lab()
    lab.page.add_init_script(REGISTERED)
    assert lab.open().page.evaluate(MOVES) >= 1900


def updated(site, folder):
    """Another version of the site: a sentence of the page and a colour differ."""
    shutil.copytree(site, folder)
    (old,) = folder.glob("lab-*")
    new = "lab-feedfacecafe"
    style = old / "lab.css"
    style.write_text(style.read_text() + "\nbody { outline: 3px solid rgb(1, 2, 3); }\n")
    for path in folder.glob("*.html"):
        text = path.read_text().replace("Context Compaction Lab</h1>", "Another lab</h1>")
        path.write_text(text.replace(old.name, new))
    old.rename(folder / new)
    (folder / "sw.js").unlink()
    build.write_service_worker(folder)
    return folder


ONE_STORE = """async () => {
  while ((await caches.keys()).length > 1) await new Promise((done) => setTimeout(done, 20));
}"""


def version(lab):
    """What a page shows of its version: its heading, its style, the folder of its scripts."""
    return (
        lab.page.locator("h1").inner_text(),
        lab.page.evaluate("getComputedStyle(document.body).outlineColor") == "rgb(1, 2, 3)",
        lab.folder.split("/")[-2],
    )


def stores(page):
    """The folders of the versions that the browser has."""
    return sorted(name.split("/")[-2] for name in page.evaluate("caches.keys()"))


UPDATED = """async () => {
  const kept = await navigator.serviceWorker.getRegistration();
  await kept.update();
  const next = kept.installing ?? kept.waiting ?? kept.active;
  const isHere = () => ["installed", "activated", "redundant"].includes(next.state);
  while (!isHere()) await new Promise((done) => next.addEventListener("statechange", done));
  return next.state;
}"""


@pytest.fixture
def update(host, tmp_path):
    return updated(host.site, tmp_path / "updated")


def test_an_update_is_taken_at_the_next_visit_whole(visited, host, update):
    old = version(visited)
    assert old[:2] == ("Context Compaction Lab", False)
    visited.faults["*"] = update
    host.sent.clear()
    assert visited.page.evaluate(UPDATED) == "installed"
    assert version(visited) == old  # nothing is reloaded under the reader's eyes
    new = ("Another lab", True, "lab-feedfacecafe")
    second = come_again(visited).open()
    assert version(second) == new
    assert second.tiles() == native.tiles()
    # The old page goes on with what is its own.
    assert stores(visited.page) == sorted([old[2], new[2]])
    visited.page.get_by_role("tab", name="State tracking").click()
    visited.page.get_by_text("statements on").first.wait_for()
    large = [path for path, size in host.sent if size > 300_000]
    assert large == []  # what did not change was there already
    outside = visited.page.context.new_page()  # of the same host, but none that the copy is for
    outside.goto(host.guest("<!doctype html>"))
    second.page.close()
    assert len(stores(outside)) == 2
    visited.page.close()
    outside.evaluate(ONE_STORE)
    assert stores(outside) == [new[2]]


def test_an_update_that_is_not_whole_is_not_taken(visited, update):
    old = version(visited)
    style = update / "lab-feedfacecafe/lab.css"
    style.write_text(style.read_text() + " ")
    visited.faults["*"] = update
    assert visited.page.evaluate(UPDATED) == "redundant"
    visited.faults["*"] = "gone"
    assert version(come_again(visited).open()) == old


@pytest.mark.parametrize(
    "obstacle",
    [
        "delete Navigator.prototype.serviceWorker",
        "ServiceWorkerContainer.prototype.register = () => Promise.reject(new Error('no'))",
    ],
)
def test_a_browser_that_keeps_nothing_changes_nothing(new_lab, obstacle):
    lab = new_lab()
    lab.page.add_init_script(obstacle)
    lab.open()
    lab.set("window", 32_000)
    assert lab.tiles() == pytest.approx(native.tiles(window=32_000), rel=1e-9)
    lab.page.reload(wait_until="commit")
    lab.reach("live")


def test_an_embed_of_the_article_is_kept_too(visited):
    visited.page.close()
    visited.faults["*"] = "gone"
    page = come_again(visited, "article.html").page
    page.goto(visited.url + "article.html")
    page.get_by_role("button", name="Try it here").first.click()
    frame = page.frame_locator("compaction-lab iframe").first
    frame.locator("html[data-stage=live]").wait_for(timeout=40_000)


def test_python_goes_on_from_where_it_stood_in_this_browser(visited):
    visited.page.evaluate(IMAGE, visited.folder)
    visited.set("window", 32_000)  # too late to be in it
    visited.page.close()
    lab = come_again(visited).open()
    assert lab.stages == ["page", "runtime", "packages", "app", "live"]
    assert lab.page.evaluate("performance.getEntriesByName('lab-resumed').length") == 1
    assert lab.tiles() == native.tiles()
    lab.set("notes", True)
    assert lab.tiles() == pytest.approx(native.tiles(notes=True), rel=1e-9)
    lab.button("Same result on 20 seeds?").click()
    lab.robust_reaches("done")


@pytest.mark.parametrize("damage", ["nothing like it", "\x00p\x6fp" + "x" * 100])
def test_an_image_that_cannot_be_used_is_not(visited, damage):
    visited.page.evaluate(IMAGE, visited.folder)
    visited.page.evaluate(
        """async ([folder, damage]) => {
          const store = await caches.open(folder);
          for (const { url } of await store.keys()) {
            if (url.includes("/image?")) await store.put(url, new Response(damage));
          }
        }""",
        [visited.folder, damage],
    )
    visited.page.close()
    lab = come_again(visited).open()
    lab.set("window", 32_000)
    assert lab.page.evaluate("performance.getEntriesByName('lab-resumed').length") == 0
    assert lab.tiles() == pytest.approx(native.tiles(window=32_000), rel=1e-9)


@pytest.mark.expects_trouble("a damaged file is in the browser's own copy")
def test_a_damaged_copy_is_asked_for_again(visited):
    visited.page.evaluate(
        """async () => {
          for (const name of await caches.keys()) {
            const store = await caches.open(name);
            await store.put(`${name}packages.tar.gz`, new Response("damaged"));
          }
        }"""
    )
    lab = come_again(visited)
    visited.page.close()
    lab.open("page")
    assert lab.reach("failed", "live") == "failed"
    lab.button("Try again").click()
    lab.reach("live")


def test_under_the_policy_the_browser_keeps_the_site(new_lab):
    page = new_lab(bypass_csp=False).page
    page.goto(new_lab().url)
    page.locator("html[data-stage=live]").wait_for(timeout=40_000)
    workers = page.context.service_workers or [page.context.wait_for_event("serviceworker")]
    assert workers[0].url.endswith("/sw.js")
