"""The state-tracking tab as its user meets it, on a page of the lab."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from playwright.sync_api import Locator

from lab.tracking.words import text
from tests.site.page import LabPage

CONTROLS = {name: spec for group in text()["groups"] for name, spec in group["controls"].items()}
PANEL = "document.getElementById('panel-state-tracking')"


class Study:
    """The second tab of a live page."""

    def __init__(self, lab: LabPage) -> None:
        self.lab = lab
        self.page = lab.page

    @property
    def panel(self) -> Locator:
        return self.page.get_by_role("tabpanel", name="State tracking")

    def tab(self, name: str = "State tracking") -> Locator:
        return self.page.get_by_role("tab", name=name)

    def open(self) -> Study:
        """Click the tab and wait for its results."""
        self.tab().click()
        return self.settled()

    def settled(self) -> Study:
        """Wait until what is shown is the whole result of all that was set."""
        self.page.wait_for_function(f"{PANEL}.dataset.settled === 'true'")
        return self

    def control(self, name: str) -> Locator:
        spec = CONTROLS[name]
        if spec["kind"] == "choice":
            return self.panel.get_by_role("radiogroup", name=spec["label"], exact=True)
        role: Any = {"slider": "slider", "number": "textbox"}[spec["kind"]]
        return self.panel.get_by_role(role, name=spec["label"], exact=True)

    def set(self, name: str, value: Any) -> Study:
        """Set a control, a slider to one of its stops, and wait for the result."""
        spec, control = CONTROLS[name], self.control(name)
        if spec["kind"] == "choice":
            control.get_by_role("radio", name=spec["options"][value], exact=True).check()
        elif spec["kind"] == "slider":
            control.fill(str(spec["stops"].index(value)))
        else:
            control.fill(str(value))
            control.press("Enter")
        return self.settled()

    def shown(self, name: str) -> str:
        """What a slider says of its value."""
        return self.control(name).get_attribute("aria-valuetext") or ""

    def text(self, part: str) -> str:
        """The text of a part of the tab, by its name in the page."""
        return self.page.locator(f"#st-{part}").text_content() or ""

    @property
    def sentence(self) -> str:
        return self.text("sentence")

    def data(self, name: str) -> Mapping[str, list[Any]]:
        """The columns that feed a chart."""
        found: Mapping[str, list[Any]] = self.page.evaluate(
            """name => {
              const doc = Bokeh.documents.find(each => each.get_model_by_name(name));
              const { data } = doc.get_model_by_name(name);
              return Object.fromEntries(Object.entries(data).map(([k, v]) => [k, [...v]]));
            }""",
            f"st-{name}-data",
        )
        return found

    def rows(self, name: str) -> list[list[str]]:
        """The rows of the table behind a chart."""
        return self.lab.rows(self.panel.locator(f"[data-st-table={name}]"))

    @property
    def query(self) -> str:
        found: str = self.page.evaluate("location.search")
        return found
