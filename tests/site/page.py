"""The lab's page as its user meets it: controls by their labels, results by what is shown."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Frame, Locator, Page

from lab.packs import packs
from lab.text import controls, text, words
from tests.site import native

LABELS = {name: control.label for name, control in controls().items()}
PACKS = {name: pack for pack in packs() for name in pack.controls}
LABELS |= {"seed": "Seed", "task": "Task number"}
FOLDED = {n for g in text()["groups"] if g.get("folded") for n in g["controls"]}
TABLES = {
    "context": "Table of the steps",
    "lives": "Table of the facts",
    "causes": "Table of the causes",
    "costs": "Table of the costs",
    "visited": "Table of the settings visited",
}

# Written down by the page itself, so that a busy test cannot miss a stage or a shift.
RECORDER = """
window.__lab = { stages: [], shifts: [] };
new MutationObserver((records) => {
  const { stages } = window.__lab;
  const passed = records.map(({ oldValue }) => oldValue); // several may pass in one task
  for (const stage of [...passed, document.documentElement?.dataset.stage]) {
    if (stage && stages.at(-1) !== stage) stages.push(stage);
  }
}).observe(document, { attributes: true, childList: true, subtree: true, attributeOldValue: true,
                       attributeFilter: ["data-stage"] });
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput } of list.getEntries()) {
    if (!hadRecentInput) window.__lab.shifts.push(value);
  }
}).observe({ type: "layout-shift", buffered: true });
"""


# Until the browser has a copy of the whole site.
KEPT = """async () => {
  const { active } = await navigator.serviceWorker.ready;
  if (active.state === "activated") return;
  await new Promise((done) => active.addEventListener("statechange", done));
}"""

# Until it has an image of Python's memory too.
IMAGE = """async (folder) => {
  const store = await caches.open(folder);
  const isThere = async () => (await store.keys()).some(({ url }) => url.includes("/image?"));
  while (!await isThere()) await new Promise((done) => setTimeout(done, 50));
}"""


class LabPage:
    """One page of the lab."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self.view: Page | Frame = page
        page.add_init_script(RECORDER)

    # --- coming and going --------------------------------------------------------------------

    def open(self, until: str = "live") -> LabPage:
        """Go to the page and wait for a stage; ``page`` waits for the first paint only."""
        self.page.goto(self.url, wait_until="commit")
        self.view.locator("#sentence").wait_for()
        if until != "page":
            self.reach(until)
        if until == "live":
            self.settled()
        return self

    def reach(self, *stages: str, timeout: float = 40_000) -> str:
        """Wait until the page stands at one of these stages, and say at which."""
        self.view.wait_for_function(
            "stages => stages.includes(document.documentElement.dataset.stage)",
            arg=list(stages),
            timeout=timeout,
        )
        return self.stage

    def kept(self) -> LabPage:
        """Wait until the browser has a copy of the whole site."""
        self.view.evaluate(KEPT)
        return self

    @property
    def stage(self) -> str:
        return self.view.evaluate("document.documentElement.dataset.stage")

    @property
    def folder(self) -> str:
        """The address of all that the page loads, which its version is in."""
        return self.view.evaluate("new URL('.', document.querySelector('script[src]').src).href")

    @property
    def stages(self) -> list[str]:
        """Every stage that the page has gone through, from its own record."""
        return self.view.evaluate("window.__lab.stages")

    @property
    def layout_shift(self) -> float:
        """Sum of the layout shifts that followed no input."""
        return self.view.evaluate("window.__lab.shifts.reduce((sum, value) => sum + value, 0)")

    def settled(self) -> None:
        """Wait until what is shown is the result of all that was set."""
        self.view.wait_for_function("document.documentElement.dataset.settled === 'true'")

    def fresh(self) -> LabPage:
        """Bring a live page back to the default setting, its own baseline, nothing open."""
        self.page.keyboard.press("Escape")
        for name in self.view.evaluate(
            "[...document.querySelectorAll('[aria-invalid=true]')].map(input => input.id)"
        ):
            self.set(name, "1")  # whatever is right: the restored visit comes after it
        self.view.evaluate(
            """() => {
              for (const fold of document.querySelectorAll('details[open]')) fold.open = false;
              document.dispatchEvent(new CustomEvent('lab-restore', { detail: 0 }));
              document.activeElement.blur();
              window.scrollTo(0, 0);
            }"""
        )
        self.settled()
        self.set("task", "0")
        if self.button("Pin the current run").is_enabled():
            self.press("Pin the current run")
        assert self.baseline == native.baseline(native.session())
        assert self.sentence.startswith("66 of 100 tasks succeed, at $3.60 each.")
        return self

    # --- controls ----------------------------------------------------------------------------

    def control(self, name: str) -> Locator:
        """The input of a setting, found by its accessible name; a choice's whole group."""
        label = LABELS[name]
        kind = controls()[name].kind if name in controls() else "number"
        if kind == "choice":
            return self.view.get_by_role("radiogroup", name=label, exact=True)
        role: Any = {"slider": "slider", "switch": "switch", "number": "textbox"}[kind]
        if kind == "switch":  # at rest, its label also says why
            at_rest = re.compile(rf"^{re.escape(label)}( ?at rest: .*)?$")
            return self.view.get_by_role(role, name=at_rest)
        return self.view.get_by_role(role, name=label, exact=True)

    def set(self, name: str, value: Any) -> None:
        """Set a control as a user does, and wait for the result."""
        self.move(name, value)
        self.settled()

    def move(self, name: str, value: Any) -> None:
        """Set a control as a user does, and do not wait."""
        if name in FOLDED:
            self.unfold("group-tasks")
        if pack := PACKS.get(name):
            self.unfold("packs-fold")
            self.unfold(f"pack-{pack.id}")
            if name in pack.more:
                self.unfold(f"pack-{pack.id} details.behind")
        control = self.control(name)
        kind = controls()[name].kind if name in controls() else "number"
        if kind == "choice":
            control.get_by_role("radio", name=words(value), exact=True).check()
        elif kind == "switch":
            control.set_checked(value)
        else:
            control.fill(str(value))
            if kind == "number":
                control.press("Enter")

    def unfold(self, name: str) -> None:
        """Open a folded group."""
        fold = self.view.locator(f"details#{name}")
        if fold.get_attribute("open") is None:
            fold.locator("summary").first.click()

    def open_panel(self, name: str) -> Locator:
        """Open a row of the folded assumptions, and wait for what is calculated in it."""
        self.unfold("packs-fold")
        row = self.view.locator(f"details[data-panel={name}]")
        if row.get_attribute("open") is None:
            row.locator("summary").first.click()
        self.view.evaluate("new Promise(requestAnimationFrame)")  # its toggle event
        self.settled()
        return row

    def pick(self, label: str, name: str) -> None:
        """Choose from a list by its label, and wait for the result."""
        field = self.view.get_by_label(label, exact=True)
        field.focus()
        field.select_option(label=name)
        self.settled()

    def agents_reach(self, *states: str) -> str:
        """Wait until the comparison of the agents is in one of these states; what it says."""
        self.view.wait_for_function(
            "states => states.includes(document.getElementById('presets-said').dataset.state)",
            arg=list(states),
        )
        return self.view.locator("#presets-said").text_content() or ""

    def value(self, name: str) -> str:
        """What a control shows."""
        return self.control(name).input_value()

    def settings(self) -> dict[str, Any]:
        """What all controls show, by the names of their settings."""
        return self.view.evaluate(
            """() => {
              const boxes = [...document.querySelectorAll('[data-control]')];
              return Object.fromEntries(boxes.map(box => {
                const input = box.querySelector('input:checked') ?? box.querySelector('input');
                const value = box.dataset.kind === 'switch' ? input.checked : input.value;
                return [box.dataset.control, value];
              }));
            }"""
        )

    def drag(self, name: str, *shares: float) -> None:
        """Drag a slider's handle with the mouse to these shares of its length, one by one."""
        control = self.control(name)
        control.scroll_into_view_if_needed()
        box = control.bounding_box()
        assert box
        now, low, high = control.evaluate(
            "input => [input.value, input.min, input.max].map(Number)"
        )
        start = (now - low) / (high - low)

        def at(share: float) -> tuple[float, float]:
            return box["x"] + 9 + share * (box["width"] - 18), box["y"] + box["height"] / 2

        self.page.mouse.move(*at(start))
        self.page.mouse.down()
        for share in shares:
            self.page.mouse.move(*at(share), steps=4)
        self.page.mouse.up()
        self.settled()

    def button(self, name: str) -> Locator:
        return self.view.get_by_role("button", name=name, exact=True)

    def press(self, name: str) -> None:
        """Press a button and wait for the result."""
        self.button(name).click()
        self.settled()

    def pin(self) -> None:
        self.press("Pin the current run")

    # --- results -----------------------------------------------------------------------------

    def tile(self, key: str) -> float:
        return self.tiles()[key]

    def tiles(self) -> dict[str, float]:
        """Every tile's unrounded value."""
        values = self.view.evaluate(
            """() => [...document.querySelectorAll('[data-tile]')]
                     .map(tile => [tile.dataset.tile, tile.dataset.value])"""
        )
        return {key: float(value) for key, value in values}

    def shown(self, key: str) -> dict[str, str]:
        """What a tile shows: its value, interval and difference, and the difference's tone."""
        tile = self.view.locator(f"[data-tile={key}]")
        shown = {n: tile.locator(f".{n}").text_content() or "" for n in ("value", "interval")}
        delta, unit = tile.locator(".delta span").all_text_contents()
        tone = (tile.locator(".delta").get_attribute("class") or "").removeprefix("delta ")
        return {**shown, "delta": delta, "unit": unit, "tone": tone}

    @property
    def sentence(self) -> str:
        return self.view.locator("#sentence").text_content() or ""

    @property
    def details(self) -> str:
        return self.view.locator("#details").text_content() or ""

    @property
    def status(self) -> str:
        return self.view.locator("#status").text_content() or ""

    @property
    def error(self) -> str:
        """The sentence above the tiles, if one is shown."""
        return self.view.locator("#error").text_content() or ""

    @property
    def notice(self) -> str:
        """What of a link could not be used, if that is shown."""
        return self.view.locator("#notice-text").text_content() or ""

    def field_error(self, name: str) -> str:
        """The sentence at a field, if one is shown."""
        return self.view.locator(f"#error-{name}").text_content() or ""

    @property
    def failure(self) -> str:
        """The sentence of a page that cannot work."""
        place = self.view.locator("#failure-text")
        return (place.text_content() or "") if place.is_visible() else ""

    @property
    def baseline(self) -> list[str]:
        """The baseline's settings, line by line."""
        return self.view.locator("#baseline li").all_text_contents()

    @property
    def robust(self) -> str:
        return self.view.locator("#robust-text").text_content() or ""

    def robust_reaches(self, *states: str) -> str:
        """Wait until the comparison on further seeds is in one of these states."""
        self.view.wait_for_function(
            "states => states.includes(document.getElementById('robust-text').dataset.state)",
            arg=list(states),
        )
        return self.robust

    def table(self, name: str) -> list[list[str]]:
        """The rows of the table behind a chart, which is opened if it is not."""
        fold = self.view.locator(f"details[data-table={name}]")
        if fold.get_attribute("open") is None:
            fold.locator("summary").click()
            self.view.evaluate("new Promise(requestAnimationFrame)")  # its toggle event
            self.settled()
        return self.rows(fold)

    def rows(self, place: Locator) -> list[list[str]]:
        return place.locator("table").evaluate(
            "table => [...table.tBodies[0].rows].map(r => [...r.cells].map(c => c.textContent))"
        )

    # --- charts ------------------------------------------------------------------------------

    def model(self, name: str, what: str) -> Any:
        """A property of a model of the charts, as JavaScript sees it."""
        return self.view.evaluate(f"Bokeh.documents.at(-1).get_model_by_name({name!r}).{what}")

    def click_visited(self, index: int) -> None:
        """Click the point of a visited setting in its chart."""
        x, y = self.point_of_visit(index)
        self.page.mouse.click(x, y)
        self.settled()

    def point_of_visit(self, index: int) -> tuple[float, float]:
        """Where a visited setting has its point, in pixels of what is in view."""
        self.view.locator("#chart-visited").scroll_into_view_if_needed()
        data = "Bokeh.documents.at(-1).get_model_by_name('visited-data').data"
        self.view.wait_for_function(f"index => {data}.cost.length > index", arg=index)
        x, y = self.view.evaluate(
            """index => {
              const doc = Bokeh.documents.at(-1);
              const { frame } = Bokeh.index.find_one(doc.get_model_by_name('visited'));
              const { cost, success } = doc.get_model_by_name('visited-data').data;
              const box = document.getElementById('chart-visited').getBoundingClientRect();
              return [box.left + frame.x_scale.compute(cost[index]),
                      box.top + frame.y_scale.compute(success[index])];
            }""",
            index,
        )
        return x, y
