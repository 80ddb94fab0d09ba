"""An hour's worth of use of one page: ``python -m tests.site.endurance``.

Sixty rounds, each what a busy minute does: sliders, packs, seeds, tasks, tables, the second tab,
missions, comparisons. Prints how much memory Python has taken, which never gets less, and what
the page itself holds.
"""

from __future__ import annotations

import argparse
import random
import sys
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import CDPSession, Worker, sync_playwright

from lab.text import controls
from missions import load
from tests.site.chrome import find_chromium, launch_arguments
from tests.site.host import Host, find_site
from tests.site.page import LabPage
from tests.site.watch import Watch, WatchedBrowser

MOST_MB = 110
"""What an hour's worth of use may take."""
MINUTES = 60
MOVES = 24
"""Moves of a slider in a minute; the rest of it is spent looking."""
# Settings, each until it is answered, which leaves a mark.
CHANGE = """async (settings) => {
  for (const [name, value] of settings) {
    const input = document.getElementById(name);
    const answered = new Promise((done) => {
      new PerformanceObserver((_, observer) => {
        observer.disconnect();
        done();
      }).observe({ type: "mark" });
    });
    input.value = value;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    await answered;
  }
}"""


@dataclass(frozen=True)
class Heap:
    """The memory of an opened page and of its Python."""

    worker: Worker
    cdp: CDPSession

    @classmethod
    def of(cls, lab: LabPage) -> Heap:
        """Open a page."""
        (worker,) = lab.open().page.workers
        return cls(worker, lab.page.context.new_cdp_session(lab.page))

    def bytes(self) -> int:
        """What Python's memory has grown to."""
        return int(self.worker.evaluate("heapBytes()"))

    def page(self) -> dict[str, float]:
        """What the page holds after a collection: megabytes, nodes, listeners."""
        self.cdp.send("HeapProfiler.collectGarbage")
        self.cdp.send("Performance.enable")
        found = {m["name"]: m["value"] for m in self.cdp.send("Performance.getMetrics")["metrics"]}
        return {
            "page_mb": round(found["JSHeapUsedSize"] / 1e6, 1),
            "nodes": int(found["Nodes"]),
            "listeners": int(found["JSEventListeners"]),
        }


def moves(chance: random.Random, count: int) -> list[tuple[str, Any]]:
    """Random moves of the sliders that are always there."""
    chosen = []
    for _ in range(count):
        name = chance.choice(("window", "trigger", "keep_recent", "summary_budget"))
        spec = controls()[name]
        steps = round((spec.high - spec.low) / spec.step)
        chosen.append((name, spec.low + spec.step * chance.randint(0, steps)))
    return chosen


def minute(lab: LabPage, chance: random.Random, number: int, most: int) -> None:
    """What is done in one minute of the hour."""
    lab.page.evaluate(CHANGE, moves(chance, MOVES))
    lab.set("seed", str(number + 1))
    lab.set("task", str(chance.randrange(400)))
    kind = number % 6
    if kind == 0:
        for name in ("context", "lives", "causes", "costs", "visited"):
            lab.table(name)
        lab.pin()
    elif kind == 1:
        lab.set("caching", not lab.settings()["caching"])
        lab.set("reading", chance.choice(("linear", "u_shaped", "state_tracking")))
        for panel in ("floor", "price", "hardware", "carrier"):
            lab.open_panel(panel)
    elif kind == 2:
        lab.open_panel("agents")
        lab.press("Compare all on these tasks")
        lab.agents_reach("done")
    elif kind == 3:
        lab.set("tasks", str(most if number == 3 else 2_000))
        lab.page.evaluate(CHANGE, moves(chance, 6))
        lab.set("tasks", "400")
        if lab.button("Same result on 20 seeds?").is_enabled():
            lab.button("Same result on 20 seeds?").click()
            lab.robust_reaches("done", "same")
    elif kind == 4:
        tab_two(lab, chance)
    else:
        mission(lab, chance)


def tab_two(lab: LabPage, chance: random.Random) -> None:
    lab.page.get_by_role("tab").last.click()
    lab.page.wait_for_function("!document.querySelector('main.tracking [inert]')")
    lab.settled()
    sliders = lab.page.locator("main.tracking input[type=range]:visible:enabled")
    for index in range(sliders.count()):
        for _ in range(3):
            sliders.nth(index).press(chance.choice(("ArrowRight", "ArrowLeft", "End", "Home")))
            lab.settled()
    lab.page.get_by_role("tab").first.click()
    lab.settled()


def mission(lab: LabPage, chance: random.Random) -> None:
    fold = lab.page.locator("#mission details.behind")
    if fold.get_attribute("open") is None:
        fold.locator("summary").click()
    lab.page.locator(f"[data-mission={chance.choice(load()).id}]").click()
    lab.settled()
    lab.press("Load mission setup")
    lab.press("Check on 4 seeds")
    lab.press("Leave the mission")


def main() -> int:
    """Play the hour, print what it took, and fail if it was too much."""
    parser = argparse.ArgumentParser(prog="python -m tests.site.endurance", description=__doc__)
    parser.add_argument("--minutes", type=int, default=MINUTES)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=10_000, help="tasks of one round (10000)")
    options = parser.parse_args()
    host = Host(find_site())
    watch = Watch(host.origin)
    chance = random.Random(options.seed)
    with sync_playwright() as playwright:
        path = find_chromium(playwright.chromium.executable_path)
        real = playwright.chromium.launch(executable_path=path, args=launch_arguments())
        page = WatchedBrowser(real, watch).new_context().new_page()
        lab = LabPage(page, host.url() + "?unlock=all")
        heap = Heap.of(lab)
        for number in range(options.minutes + 1):
            if number % 5 == 0 or number == options.minutes:
                shown = "  ".join(f"{name} {value}" for name, value in heap.page().items())
                print(f"{number:3d} min  python_mb {heap.bytes() / 1e6:.1f}  {shown}", flush=True)
            if number < options.minutes:
                minute(lab, chance, number, options.most)
        most = heap.bytes() / 1e6
        watch.hear(page)
        real.close()
    host.close()
    for trouble in watch.troubles:
        print(f"{trouble.kind}: {trouble.text}"[:400])
    print(f"Python took {most:.1f} MB; {MOST_MB} MB are allowed.")
    return 1 if watch.troubles or most > MOST_MB else 0


if __name__ == "__main__":
    sys.exit(main())
