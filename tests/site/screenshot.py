"""Takes the README's picture of the lab: ``python -m tests.site.screenshot [--out FILE]``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.site.chrome import find_chromium, launch_arguments
from tests.site.host import Host, find_site
from tests.site.page import LabPage

PICTURE = Path(__file__).with_name("lab.png")
WIDTH, HEIGHT = 1280, 1180


def stage(lab: LabPage) -> None:
    """Bring a live page to what the picture shows: a small window against the default."""
    lab.set("window", 40_000)
    lab.set("summary_budget", 2_000)
    lab.page.locator("#announcer").evaluate("region => region.textContent = ''")
    lab.page.evaluate("document.activeElement.blur(); window.scrollTo(0, 0)")


def take(lab: LabPage, out: Path) -> None:
    """Take the picture of a page that is on stage."""
    lab.page.screenshot(path=out, animations="disabled", caret="hide")


def main(arguments: Sequence[str] | None = None) -> int:
    """Take the picture as the command line asks."""
    parser = argparse.ArgumentParser(prog="python -m tests.site.screenshot", description=__doc__)
    parser.add_argument("--out", type=Path, default=PICTURE, help="file to write")
    options = parser.parse_args(arguments)
    host = Host(find_site())
    with sync_playwright() as playwright:
        path = find_chromium(playwright.chromium.executable_path)
        browser = playwright.chromium.launch(executable_path=path, args=launch_arguments())
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        lab = LabPage(page, host.url()).open()
        stage(lab)
        take(lab, options.out)
        browser.close()
    host.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
