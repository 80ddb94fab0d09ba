"""Times the state-tracking tab in a real Chromium: ``python -m tests.site.study_bench``.

Prints one JSON object: from the click on the tab to its painted curves, on a page that is live; and
from the move of a slider to the painted curves of that move.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from playwright.sync_api import sync_playwright

from tests.site.bench import new_page, percentiles, spread
from tests.site.chrome import find_chromium, launch_arguments
from tests.site.host import Host, find_site
from tests.site.page import LabPage
from tests.site.study import Study

SLIDERS = ("rate", "target_rate", "statements", "compressed")
MOVES = 30

# Requests are counted in `asked`; `shown` is the newest of which the answer is painted.
OPEN = """() => new Promise(resolve => {
  const panel = document.getElementById('panel-state-tracking');
  const begin = performance.now();
  new MutationObserver((_, observer) => {
    observer.disconnect();
    resolve(performance.now() - begin);
  }).observe(panel, { attributeFilter: ['data-shown'] });
  document.getElementById('tab-state-tracking').click();
})"""
MOVE = """async ([id, moves]) => {
  const panel = document.getElementById('panel-state-tracking');
  const input = document.getElementById(id);
  const times = [];
  for (let move = 0; move < moves; move += 1) {
    input.value = (7 * move + 3) % (Number(input.max) + 1);
    await new Promise(resolve => setTimeout(resolve, 20 * Math.random()));
    const begin = performance.now();
    input.dispatchEvent(new Event('input', { bubbles: true }));
    await new Promise(resolve => {
      new MutationObserver((_, observer) => {
        if (Number(panel.dataset.shown) < Number(panel.dataset.asked)) return;
        observer.disconnect();
        resolve();
      }).observe(panel, { attributeFilter: ['data-shown'] });
    });
    times.push(performance.now() - begin);
  }
  return times;
}"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark as the command line asks."""
    parser = argparse.ArgumentParser(prog="python -m tests.site.study_bench", description=__doc__)
    parser.add_argument("--runs", type=int, default=5, help="times that the tab is opened (5)")
    options = parser.parse_args(arguments)
    host = Host(find_site())
    with sync_playwright() as playwright:
        path = find_chromium(playwright.chromium.executable_path)
        browser = playwright.chromium.launch(executable_path=path, args=launch_arguments())
        opened = []
        for _ in range(options.runs):
            page = new_page(browser)
            LabPage(page, host.url()).open()
            opened.append(page.evaluate(OPEN))
            last = page
        study = Study(LabPage(last, host.url())).settled()
        moved = {}
        for grammar in ("set_only", "mixed"):
            study.set("grammar", grammar)
            for name in SLIDERS:
                if study.control(name).is_enabled():
                    last.evaluate(MOVE, [f"st-{name}", 5])  # nothing is done for the first time
                    times = last.evaluate(MOVE, [f"st-{name}", MOVES])
                    moved[f"{grammar} {name}"] = percentiles(times)
                    study.settled()
        report = {
            "browser": browser.version,
            "open_milliseconds": spread(opened),
            "slider_to_curves_milliseconds": moved,
        }
        browser.close()
    host.close()
    sys.stdout.write(json.dumps(report, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
