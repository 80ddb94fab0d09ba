"""Times the built site in a real Chromium: ``python -m tests.site.bench --runs 7 --out FILE``.

Prints or writes one JSON object. It compares with ``plain.py``, the same app as plain ``panel
convert`` makes it, in the same run.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from tests.site.arrivals import arrivals, spread
from tests.site.chrome import find_chromium, launch_arguments
from tests.site.host import Host, find_site
from tests.site.page import LabPage

MOVES = 60
TASKS = (400, 5_000)
PLACES = {"as one arrives": "html", "both figures of a task in sight": ".task"}
"""Where the page is scrolled to: a figure out of sight is not painted."""

# When each message went to the worker, and when its answer came back and was dealt with.
WORKER_CLOCK = """
window.__trips = [];
const post = Worker.prototype.postMessage;
Worker.prototype.postMessage = function (message, ...more) {
  if (message.type === 'message') {
    const trip = { sent: performance.now() };
    window.__trips.push(trip);
    if (!this.timed) {
      this.timed = true;
      const deal = this.onmessage;
      this.onmessage = event => {
        const came = performance.now();
        deal(event);
        if (event.data.type === 'answer') {
          Object.assign(window.__trips.at(-1), { came, dealt: performance.now() });
        }
      };
    }
  }
  return post.call(this, message, ...more);
};
"""

LONG_TASKS = """
window.__long = [];
new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) {
    if (duration > 100) window.__long.push([startTime, duration]);
  }
}).observe({ type: "longtask", buffered: true });
"""

# From the input event to the moment at which the page says that all is painted, not to the next
# frame after it. A pause between moves, of no fixed length, falls anywhere in a frame.
MOVE = """async moves => {
  const input = document.getElementById('window');
  const times = [];
  for (let move = 0; move < moves; move += 1) {
    input.value = 30000 + 1000 * ((37 * move) % 101);
    await new Promise(resolve => setTimeout(resolve, 20 * Math.random()));
    const begin = performance.now();
    input.dispatchEvent(new Event('input', { bubbles: true }));
    await new Promise(resolve => {
      new MutationObserver((_, observer) => {
        if (document.documentElement.dataset.settled !== 'true') return;
        observer.disconnect();
        resolve();
      }).observe(document.documentElement, { attributeFilter: ['data-settled'] });
    });
    times.push(performance.now() - begin);
  }
  return times;
}"""

# The simulator alone, in a worker of its own beside the page's.
SIMULATE = """async ([base, code]) => {
  const source = `
    import { startPython } from "${base}python.mjs";
    const python = await startPython();
    postMessage(python.runPython(${JSON.stringify(code)}));
  `;
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const worker = new Worker(url, { type: "module" });
  const answer = await new Promise((resolve, reject) => {
    worker.onmessage = event => resolve(event.data);
    worker.onerror = event => reject(new Error(event.message));
  });
  worker.terminate();
  return answer;
}"""
SIMULATE_CODE = """
import json, time
from sim import Scenario, draw_tasks, simulate
times = {}
for tasks in (400, 5_000):
    scenario = Scenario()
    drawn = draw_tasks(scenario.workload, scenario.events, seed=1, tasks=tasks)
    times[tasks] = []
    for window in range(30_000, 50_000, 1_000):
        begin = time.perf_counter()
        simulate(scenario.replace(window=window), seed=1, tasks=drawn)
        times[tasks].append(1000 * (time.perf_counter() - begin))
json.dumps(times)
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark as the command line asks."""
    parser = argparse.ArgumentParser(prog="python -m tests.site.bench", description=__doc__)
    parser.add_argument("--runs", type=int, default=7, help="visits (7)")
    parser.add_argument("--out", type=Path, help="file for the JSON; without it, print")
    options = parser.parse_args(arguments)
    host = Host(find_site())
    with sync_playwright() as playwright:
        path = find_chromium(playwright.chromium.executable_path)
        browser = playwright.chromium.launch(executable_path=path, args=launch_arguments())
        report = {
            "browser": browser.version,
            "processors": os.cpu_count(),
            **arrivals(playwright, path, host, options.runs),
            **live(browser, host),
        }
        browser.close()
    host.close()
    text = json.dumps(report, indent=1) + "\n"
    if options.out:
        options.out.write_text(text)
    else:
        sys.stdout.write(text)
    return 0


def percentiles(values: Sequence[float]) -> dict[str, float]:
    """p50 and p95, with the least and the most, in milliseconds."""
    p95 = statistics.quantiles(values, n=20, method="inclusive")[-1]
    return {
        "p50": round(statistics.median(values), 1),
        "p95": round(p95, 1),
        "min": round(min(values), 1),
        "max": round(max(values), 1),
    }


def new_page(browser: Browser) -> Page:
    # The page object waits by code, which the page's own policy would not let it run.
    return browser.new_context(viewport={"width": 1280, "height": 900}, bypass_csp=True).new_page()


def live(browser: Browser, host: Host) -> dict[str, Any]:
    """A live page: from the move of a slider to its result, and the simulator by itself."""
    page = new_page(browser)
    page.add_init_script(WORKER_CLOCK)
    page.add_init_script(LONG_TASKS)
    lab = LabPage(page, host.url()).open()
    page.evaluate("window.__liveAt = performance.now()")
    moved = {}
    for tasks in TASKS:
        if moved:  # the page comes with the first of them
            lab.set("tasks", tasks)
        for place, selector in PLACES.items():
            page.locator(selector).evaluate("(there) => there.scrollIntoView()")
            page.evaluate(MOVE, 5)  # so that nothing is done for the first time
            page.evaluate("window.__trips.length = 0")
            times = page.evaluate(MOVE, MOVES)
            trips = page.evaluate("window.__trips")
            moved[f"{tasks}, {place}"] = {
                "until_painted": percentiles(times),
                "in_the_worker": percentiles([trip["came"] - trip["sent"] for trip in trips]),
                "in_the_page": percentiles([trip["dealt"] - trip["came"] for trip in trips]),
                "moves": len(times),
            }
    (worker,) = page.workers
    heap = worker.evaluate("heapBytes()")
    long = page.evaluate("window.__long.filter(([start]) => start > window.__liveAt)")
    simulated = json.loads(page.evaluate(SIMULATE, [lab.folder, SIMULATE_CODE]))
    page.context.close()
    return {
        "slider_milliseconds_by_tasks_and_place": moved,
        "long_tasks_of_the_page_over_100_ms": [round(length) for _, length in long],
        "wasm_heap_bytes": heap,
        "simulate_milliseconds_by_tasks": {n: spread(v) for n, v in simulated.items()},
    }


if __name__ == "__main__":
    sys.exit(main())
