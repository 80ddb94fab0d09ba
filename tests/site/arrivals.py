"""Visits as the benchmark times them: each run in a new browser profile, with a disk of its own."""

from __future__ import annotations

import gzip
import statistics
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, Page, Playwright

import build
from tests.site import converted
from tests.site.chrome import launch_arguments
from tests.site.host import SUB_PATH, Host
from tests.site.page import IMAGE, LabPage

ENTRIES = """Object.fromEntries(
  [...performance.getEntriesByType('paint'), ...performance.getEntriesByType('mark')]
    .map(entry => [entry.name, entry.startTime]))"""
OURS = {"painted": "first-contentful-paint", "drawn": "lab-drawn", "live": "lab-live"}
PLAIN = {"painted": "first-contentful-paint", "live": converted.LIVE}


def arrivals(playwright: Playwright, path: str, host: Host, runs: int) -> dict[str, Any]:
    """A first and a second visit to the lab, and one to the converted app, in turn."""
    times: dict[str, list[dict[str, float]]] = {"first": [], "second": [], "converted": []}
    with tempfile.TemporaryDirectory() as folder:
        converted.convert(Path(folder))
        plain = Host(Path(folder))
        for _ in range(runs):
            with tempfile.TemporaryDirectory() as profile:
                context = _browser(playwright, path, profile)
                host.sent.clear()
                lab = LabPage(context.new_page(), host.url()).open()
                times["first"].append(_times(lab.page, OURS))
                lab.kept().page.evaluate(IMAGE, lab.folder)
                first = list(host.sent)
                lab.page.close()
                host.sent.clear()
                lab = LabPage(context.new_page(), host.url()).open()
                times["second"].append(_times(lab.page, OURS))
                second = list(host.sent)
                context.close()
            with tempfile.TemporaryDirectory() as profile:
                context = _browser(playwright, path, profile)
                plain.sent.clear()
                page = context.new_page()
                page.goto(plain.url(), wait_until="commit")
                live = f"performance.getEntriesByName('{converted.LIVE}').length"
                page.wait_for_function(live, timeout=180_000)
                times["converted"].append(_times(page, PLAIN))
                foreign = list(plain.sent)
                context.close()
        transferred = {
            "first": _transferred(host, first),
            "second": _transferred(host, second),
            "converted": _transferred(plain, foreign),
        }
        plain.close()
    ratios = [
        plain["live"] / ours["live"]
        for plain, ours in zip(times["converted"], times["first"], strict=True)
    ]
    return {
        "runs": runs,
        "milliseconds": {
            visit: {name: spread([each[name] for each in found]) for name in found[0]}
            for visit, found in times.items()
        },
        "converted_to_ours_until_live": round(statistics.median(ratios), 2),
        "transferred": transferred,
    }


def _browser(playwright: Playwright, path: str, profile: str) -> BrowserContext:
    return playwright.chromium.launch_persistent_context(
        profile, executable_path=path, args=launch_arguments(), bypass_csp=True,
        viewport={"width": 1280, "height": 900},
    )  # fmt: skip


def _times(page: Page, marks: dict[str, str]) -> dict[str, float]:
    entries = page.evaluate(ENTRIES)
    return {name: entries[mark] for name, mark in marks.items()}


def _transferred(host: Host, sent: Iterable[tuple[str, int]]) -> dict[str, Any]:
    """Files and bytes of answers, each compressed as a host does it, and the largest of them."""
    names = Counter(
        urlsplit(path).path.partition(f"{SUB_PATH}/")[2] or "index.html" for path, _ in sent
    )
    sizes = {name: times * gzipped(host.site / name) for name, times in names.items()}
    largest = dict(sorted(sizes.items(), key=lambda item: -item[1])[:6])
    return {
        "files": len(sizes),
        "gzipped_bytes": sum(sizes.values()),
        "largest": {build.plain(name): size for name, size in largest.items()},
    }


def gzipped(path: Path) -> int:
    """Bytes of a file as a host sends it; nothing for one that is not there."""
    data = path.read_bytes() if path.is_file() else b""
    return min(len(data), len(gzip.compress(data, 6)))


def spread(values: Sequence[float]) -> dict[str, float]:
    """Median, least and most, in milliseconds."""
    return {
        "median": round(statistics.median(values), 1),
        "min": round(min(values), 1),
        "max": round(max(values), 1),
    }
