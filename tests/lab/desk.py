"""A lab as its page sees it: models are set, actions are sent, updates come back."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from lab.app import Lab, Update
from lab.feeds import Feed, Feeds
from lab.figures import Figures
from lab.text import controls
from sim import STRATEGIES

FIELDS = [name for name, c in controls().items() if c.kind == "number"] + ["seed", "task"]

NOTHING: Feed = {"set": {}, "data": {}, "more": {}}


class Desk:
    """One lab, and what its last update said."""

    def __init__(self) -> None:
        self.lab = Lab()
        self.models = self.lab.document.get_model_by_name("controls").args
        self.fields: dict[str, str] = {}
        """What stands in the text fields that were typed into or told what to show."""
        self.last: Update = self.lab.update()
        self.lab.send = lambda update: self._feeds.append(update["feeds"])
        self._feeds = [Feeds().changes(self.session), self.last["feeds"]]

    @property
    def state(self) -> Any:
        return self.lab.state

    @property
    def session(self) -> Any:
        return self.lab.session

    @property
    def readout(self) -> dict[str, Any]:
        return self.last["readout"]

    @property
    def errors(self) -> dict[str, str]:
        return self.readout["errors"]

    def set(self, **values: Any) -> Update:
        """Move controls, all in one message; a number goes into its field as text."""
        return self.receive({"values": values})

    def act(self, name: str, value: Any = None) -> Update:
        return self.receive({"actions": [[name, value]]})

    def receive(self, message: dict[str, Any]) -> Update:
        typed = {k: v for k, v in message.get("values", {}).items() if k in FIELDS}
        self.last = self.lab.receive(message)
        self._feeds.append(self.last.get("feeds", NOTHING))
        self.fields |= typed | self.last.get("readout", {}).get("fields", {})
        return self.last

    def figures(self) -> Figures:
        """The figures as the page has them by now."""
        figures = Figures()
        for feed in self._feeds:
            figures.show(json.loads(json.dumps(feed)))
        return figures

    def tile(self, key: str) -> dict[str, Any]:
        """A tile as the page gets it."""
        return next(tile for tile in self.readout["tiles"] if tile["key"] == key)


def echoes(update: Update, model: str, attribute: str) -> list[dict[str, Any]]:
    """The changes of one property of one model that an update sends to the page."""
    events = (update["patch"] or {"events": []})["events"]
    return [e for e in events if e.get("attr") == attribute and e["model"]["id"] == model]


@st.composite
def settings(draw: st.DrawFn) -> dict[str, Any]:
    """Settings of short tasks in small windows, where every kind of edit happens."""
    system = draw(st.sampled_from([0, 1_000, 3_000]))
    return {
        "window": draw(st.integers(system + 201, system + 30_000)),
        "trigger": draw(st.sampled_from([0.4, 0.6, 0.8, 0.95])),
        "strategy": draw(st.sampled_from(STRATEGIES)),
        "summary_budget": draw(st.sampled_from([200, 1_000, 8_000])),
        "keep_recent": draw(st.integers(0, 16)),
        "clear_tool_results": draw(st.booleans()),
        "notes": draw(st.booleans()),
        "pin_instruction": draw(st.booleans()),
        "instruction_required": draw(st.booleans()),
        "noisy_tools": draw(st.booleans()),
        "long_horizon": draw(st.booleans()),
        "forgetful_summariser": draw(st.booleans()),
        "system_tokens": system,
        "mean_steps": draw(st.sampled_from([1.0, 10.0, 30.0])),
        "min_steps": draw(st.sampled_from([1, 8])),
        "fact_rate": draw(st.sampled_from([0.0, 0.3, 1.0])),
        "needed_facts": draw(st.integers(0, 6)),
        "restated_rate": draw(st.sampled_from([0.0, 0.6, 1.0])),
        "noted_rate": draw(st.sampled_from([0.0, 0.5, 0.9])),
        "stub_tokens": draw(st.sampled_from([0, 25, 400])),
        "instruction_keep": draw(st.sampled_from([0.5, 0.99, 1.0])),
    }
