"""Bad input of every kind for the page: ``python -m tests.site.fuzz --inputs 5000``.

A seeded corpus of links, typed values, files of progress and messages. After each of them the page
must stand, calm and without a traceback, markup that runs, or an error on the console.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from playwright.sync_api import sync_playwright

from lab.progress import KIND as PROGRESS
from lab.text import controls
from missions import load
from sim import setting_names
from tests.site.chrome import find_chromium, launch_arguments
from tests.site.host import Host, find_site
from tests.site.page import LabPage
from tests.site.watch import Watch, WatchedBrowser

MARKUP = "<img src=x onerror=__ran=1>", "<script>__ran=1</script>", '"><svg onload=__ran=1>'
NASTY = (
    "", " ", "0", "-1", "1e999", "-1e999", "nan", "NaN", "inf", "1e-320", "9" * 400, "0x10",
    "1_000", "1,000", "٣", "½", "−5", "+5", "5.", ".5", "5e3", "true", "on", "null", "None",
    "undefined", "[]", "{}", "__proto__", "constructor", "../../etc/passwd", "%", "%zz", "%00",
    "\x00", "\x1b[31m", "\r\n", "\U0001f600", "\ufeff64000", "\u202e64000", "a" * 5_000,
    "64000; import os", "{{7*7}}", "${7*7}", "truncate", "summarise ", "SUMMARISE", "lost-brief",
    *MARKUP,
)  # fmt: skip
KINDS = {"link": 5, "field": 4, "progress": 2, "message": 1}
"""How often each kind comes."""
# One after the other, each until the page is calm again. A history that changes too often is
# slowed down by the browser, so links are given time.
FEED = """async (inputs) => {
  const page = document.documentElement;
  const turn = (ms = 0) => new Promise((done) => setTimeout(done, ms));
  const calm = async () => {
    await turn();
    for (const end = performance.now() + 30_000; page.dataset.settled !== "true"; await turn(10)) {
      if (performance.now() > end) return false;
    }
    return true;
  };
  const found = [];
  for (const [number, { kind, name, text }] of inputs.entries()) {
    if (kind === "link") {
      history.replaceState(null, "", "?" + text);
      dispatchEvent(new PopStateEvent("popstate"));
      await turn(100);
    } else if (kind === "field") {
      const input = document.querySelector(`[data-control="${name}"] input`);
      input.value = text;
      input.dispatchEvent(new Event("input", { bubbles: true }));
      input.dispatchEvent(new Event("change", { bubbles: true }));
    } else if (kind === "progress") {
      const input = document.querySelector("input[type=file]");
      const files = new DataTransfer();
      files.items.add(new File([text], "progress.json"));
      input.files = files.files;
      input.dispatchEvent(new Event("change", { bubbles: true }));
      await turn(20);
    } else {
      postMessage(JSON.parse(text), "*");
      await turn(5);
    }
    const isCalm = await calm();
    const words = document.body.textContent;
    const what = page.dataset.stage !== "live" ? `stage ${page.dataset.stage}`
      : window.__ran ? "markup ran"
      : /Traceback|File "|JsException|pyodide\\.ffi/.test(words) ? "a traceback is shown"
      : !isCalm ? "no rest"
      : "";
    if (what) found.push([number, what]);
  }
  return found;
}"""


def corpus(seed: int, count: int) -> Iterator[dict[str, str]]:
    """Inputs of all kinds: the same for the same seed."""
    chance = random.Random(seed)
    names = [name for name, control in controls().items() if control.kind == "number"] + ["seed"]
    for _ in range(count):
        kind = chance.choices(list(KINDS), list(KINDS.values()))[0]
        name = chance.choice(names)
        make = {"link": _link, "field": _typed, "progress": _file, "message": _message}[kind]
        yield {"kind": kind, "name": name, "text": make(chance)}


def _value(chance: random.Random) -> str:
    match chance.randrange(4):
        case 0:
            return str(chance.randint(-(10**6), 10**6))
        case 1:
            return repr(chance.uniform(-2, 2) * 10 ** chance.randint(-9, 9))
        case 2:
            length = chance.randrange(20)
            return "".join(
                chr(chance.choice((chance.randrange(32, 127), 0x4E00))) for _ in range(length)
            )
    return chance.choice(NASTY)


def _link(chance: random.Random) -> str:
    known = [*setting_names(), "seed", "tasks", "task", "mission", "theme", "v", "base.window"]
    missions = [mission.id for mission in load()]
    parts = []
    for _ in range(chance.randrange(1, 8)):
        name = chance.choice(known) if chance.random() < 0.9 else _value(chance)[:30]
        value = (
            chance.choice(missions)
            if name == "mission" and chance.random() < 0.7
            else _value(chance)
        )
        if name == "tasks" and value.isdigit() and int(value) > 500:
            value = "500"  # many tasks are no bad input, only slow
        raw = chance.random() < 0.2
        parts.append(f"{name}={value if raw else quote(value, errors='replace')}".replace("#", ""))
    return chance.choice("&&&;").join(parts)


def _typed(chance: random.Random) -> str:
    return _value(chance)[:2_000]


def _file(chance: random.Random) -> str:
    content: Any = {
        "kind": chance.choice((PROGRESS, PROGRESS, _value(chance))),
        "version": chance.choice((1, 2, -1, "1", None, True)),
        "solved": chance.choice(
            (
                {},
                [],
                None,
                {_value(chance): {"cost": 1, "changed": 1}},
                {"lost-brief": _value(chance)},
            )
        ),
    }
    text = json.dumps(content)
    if chance.random() < 0.3:
        text = text[: chance.randrange(len(text))]
    return chance.choice((text, text, _value(chance), "[" * 3_000, '{"a":' * 3_000))


def _message(chance: random.Random) -> str:
    settings = {chance.choice(setting_names()): _value(chance) for _ in range(3)}
    return json.dumps(
        chance.choice(
            (
                {"type": "compaction-lab", "set": settings, "id": _value(chance)},
                {"type": "compaction-lab", "theme": _value(chance)},
                {"type": _value(chance)}, _value(chance), None, 7, [settings],
            )
        )
    )  # fmt: skip


def feed(lab: LabPage, inputs: list[dict[str, str]]) -> list[str]:
    """Give a live page these inputs, and say of each that went wrong what it was and did."""
    found = lab.view.evaluate(FEED, inputs)
    return [f"{what} after {inputs[number]}" for number, what in found]


def main() -> int:
    """Feed many inputs to a page, and print how it went."""
    parser = argparse.ArgumentParser(prog="python -m tests.site.fuzz")
    parser.add_argument("--inputs", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    host = Host(find_site())
    watch = Watch(host.origin)
    inputs = list(corpus(options.seed, options.inputs))
    began = time.perf_counter()
    wrong: list[str] = []
    with sync_playwright() as playwright:
        path = find_chromium(playwright.chromium.executable_path)
        real = playwright.chromium.launch(executable_path=path, args=launch_arguments())
        page = WatchedBrowser(real, watch).new_context().new_page()
        lab = LabPage(page, host.url()).open()
        for first in range(0, len(inputs), 100):
            wrong += feed(lab, inputs[first : first + 100])
        watch.hear(page)
        real.close()
    host.close()
    wrong += [f"{trouble.kind}: {trouble.text}" for trouble in watch.troubles]
    for line in wrong[:20]:
        print(line[:400])
    took = time.perf_counter() - began
    print(f"{len(inputs)} inputs in {took:.0f} s: {len(wrong)} went wrong.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
