"""Bad input of every kind for the page: ``python -m tests.site.fuzz --inputs 5000``.

A seeded corpus (see corpus.py) for a page with both tabs, and for an embed in a page of somebody
else. After each input the page must stand, calm and without a traceback, markup that runs, or an
error on the console.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

from playwright.sync_api import sync_playwright

from tests.site.chrome import find_chromium, launch_arguments
from tests.site.corpus import corpus, embed_corpus
from tests.site.guest import GuestPage
from tests.site.host import Host, find_site
from tests.site.page import LabPage
from tests.site.watch import Watch, WatchedBrowser

SHARE_OF_EMBEDS = 10
"""One input in so many goes to an embed."""
BATCH = 100

# What is wrong with a page after an input, if anything is.
JUDGE = """
const turn = (ms = 0) => new Promise((done) => setTimeout(done, ms));
const judge = async (inner, outer) => {
  const page = inner.document.documentElement;
  const tab = () => inner.document.getElementById("panel-state-tracking")?.dataset.settled;
  await turn();
  const end = performance.now() + 60_000;
  while (page.dataset.settled !== "true" || tab() === "false") {
    if (performance.now() > end) return "no rest";
    await turn(10);
  }
  const words = outer.document.body.textContent + inner.document.body.textContent;
  return page.dataset.stage !== "live" ? `stage ${page.dataset.stage}`
    : inner.__ran || outer.__ran ? "markup ran"
    : /Traceback|File "|JsException|pyodide\\.ffi/.test(words) ? "a traceback is shown"
    : "";
};
"""
# One after the other. A history that changes too often is slowed down by the browser, so links are
# given time; a stranger is a frame of another origin.
FEED = f"""async (inputs) => {{{JUDGE}
  const typed = (input, text) => {{
    if (!input) return;
    if (input.type === "radio") input.checked = true;
    else input.value = text;
    input.dispatchEvent(new Event("input", {{ bubbles: true }}));
    input.dispatchEvent(new Event("change", {{ bubbles: true }}));
  }};
  window.__stranger ??= await new Promise((done) => {{
    const frame = document.createElement("iframe");
    frame.sandbox = "allow-scripts";
    frame.hidden = true;
    frame.srcdoc = "<script>onmessage = (e) => parent.postMessage(e.data, '*')</" + "script>";
    frame.onload = () => done(frame.contentWindow);
    document.body.append(frame);
  }});
  const feeds = {{
    async link(_, text) {{
      history.replaceState(null, "", "?" + text);
      dispatchEvent(new PopStateEvent("popstate"));
      await turn(100);
    }},
    field: (name, text) => typed(document.querySelector(`[data-control="${{name}}"] input`), text),
    study(name, text) {{
      const inputs = document.querySelectorAll(`[data-knob="${{name}}"] :is(input, textarea)`);
      typed(inputs[text.length % (inputs.length || 1)], text);
    }},
    agent: (_, text) => typed(document.getElementById("preset"), text),
    async progress(_, text) {{
      const input = document.querySelector("input[type=file]");
      const files = new DataTransfer();
      files.items.add(new File([text], "progress.json"));
      input.files = files.files;
      input.dispatchEvent(new Event("change", {{ bubbles: true }}));
      await turn(20);
    }},
    kept(_, newValue) {{
      dispatchEvent(new StorageEvent("storage", {{ key: "lab-progress", newValue }}));
    }},
    async message(_, text) {{
      postMessage(JSON.parse(text), "*");
      window.__stranger.postMessage(JSON.parse(text), "*");
      await turn(5);
    }},
  }};
  const found = [];
  for (const [number, {{ kind, name, text }}] of inputs.entries()) {{
    await feeds[kind](name, text);
    const what = await judge(window, window);
    if (what) found.push([number, what]);
  }}
  return found;
}}"""
FEED_EMBED = f"""async (inputs) => {{{JUDGE}
  const element = document.querySelector("compaction-lab");
  const inner = element.shadowRoot.querySelector("iframe").contentWindow;
  const feeds = {{
    attribute: (name, text) => element.setAttribute(name, text),
    set: (_, text) => element.set(JSON.parse(text)),
    message(_, text) {{
      inner.postMessage(JSON.parse(text), "*");
      postMessage(JSON.parse(text), "*");
    }},
  }};
  const found = [];
  for (const [number, {{ kind, name, text }}] of inputs.entries()) {{
    const answered = await Promise.race([Promise.resolve(feeds[kind](name, text)).then(() => ""),
                                         turn(60_000).then(() => "set was not answered")]);
    await turn(5);
    const what = answered || await judge(inner, window);
    if (what) found.push([number, what]);
  }}
  return found;
}}"""


def feed(lab: LabPage, inputs: list[dict[str, str]]) -> list[str]:
    """Give a live page these inputs, and say of each that went wrong what it was and did."""
    return _told(lab.view.evaluate(FEED, inputs), inputs)


def feed_embed(guest: GuestPage, inputs: list[dict[str, str]]) -> list[str]:
    """The same for the live embed of a page on the site's own origin."""
    return _told(guest.page.evaluate(FEED_EMBED, inputs), inputs)


def _told(found: list[Any], inputs: list[dict[str, str]]) -> list[str]:
    return [f"{what} after {inputs[number]}" for number, what in found]


def main() -> int:
    """Feed many inputs to a page, and print how it went."""
    parser = argparse.ArgumentParser(prog="python -m tests.site.fuzz")
    parser.add_argument("--inputs", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    host = Host(find_site())
    watch = Watch(host.origin)
    to_embeds = options.inputs // SHARE_OF_EMBEDS
    inputs = list(corpus(options.seed, options.inputs - to_embeds))
    embedded = list(embed_corpus(options.seed, to_embeds))
    began = time.perf_counter()
    wrong: list[str] = []
    with sync_playwright() as playwright:
        path = find_chromium(playwright.chromium.executable_path)
        real = playwright.chromium.launch(executable_path=path, args=launch_arguments())
        context = WatchedBrowser(real, watch).new_context()
        lab = LabPage(context.new_page(), host.url() + "?tab=state-tracking").open()
        for first in range(0, len(inputs), BATCH):
            wrong += feed(lab, inputs[first : first + BATCH])
            print(f"{first + BATCH} fed, {len(wrong)} went wrong", file=sys.stderr, flush=True)
        watch.leave(lab.page)
        guest = GuestPage(context.new_page(), host)
        guest.open('<compaction-lab window="32000" loading="idle"></compaction-lab>').live()
        for first in range(0, len(embedded), BATCH):
            wrong += feed_embed(guest, embedded[first : first + BATCH])
        watch.hear()
        real.close()
    host.close()
    wrong += [f"{trouble.kind}: {trouble.text}" for trouble in watch.troubles]
    for line in wrong[:20]:
        print(line[:400])
    took = time.perf_counter() - began
    count = len(inputs) + len(embedded)
    print(f"{count} inputs of seed {options.seed} in {took:.0f} s: {len(wrong)} went wrong.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
