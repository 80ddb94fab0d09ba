"""The lab behind a page: the widgets as a Bokeh document, and what it answers to the page.

The document is built twice, by the build and in the browser, and comes out with the same ids. So
the page draws it at once, from the build's copy, to which the build has added the figures, and
Python joins it later: nothing is redrawn.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import asdict
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bokeh.core.serialization import Serializer
from bokeh.document import Document
from bokeh.document.events import DocumentPatchedEvent, ModelChangedEvent
from bokeh.models import CustomJS
from bokeh.util import serialization

from lab import share, views
from lab.actions import act
from lab.card import card
from lab.controls import Controls
from lab.feeds import Feed, Feeds
from lab.play import Play
from lab.session import Session
from lab.state import LabState, changed
from lab.text import in_labels

if TYPE_CHECKING:
    from lab.agents import Agents
    from lab.tracking.tab import Tab

FIRST_ID = 10_000
"""Beyond what importing the libraries uses up, so that ids do not depend on what was imported."""

Update = dict[str, Any]


class Lab:
    """Everything behind one page."""

    def __init__(self) -> None:
        serialization._simple_id = FIRST_ID
        self.state = LabState()
        self.session = Session(self.state)
        self.play = Play(self.session)
        self.controls = Controls(self.state)
        self.feeds = Feeds()
        self.feeds.changes(self.session)  # which the build has drawn
        self.document = Document()
        self._changes: list[DocumentPatchedEvent] = []
        self._open_tables: set[str] = set()
        self._open_panels: set[str] = set()
        self._told_visits = 0
        self._shown_agents: Any = None
        self._heard: dict[str, Any] = {}
        self._replies: dict[str, Any] = {}
        self.seed_check: asyncio.Task[None] | None = None
        self.ranking: asyncio.Task[None] | None = None
        self.send: Callable[[Update], None] = lambda update: None

        models = {name: w.get_root(self.document) for name, w in self.controls.widgets.items()}
        self._names = {model.id: name for name, model in models.items()}
        # A root without a view: it carries the widgets' models, whose inputs are the page's own.
        self._carrier = CustomJS(name="controls", args=models, code="")
        self.document.add_root(self._carrier)
        self.document.on_change(self._collect)

    def _collect(self, event: Any) -> None:
        if isinstance(event, DocumentPatchedEvent) and not self._is_heard(event):
            self._changes.append(event)

    def _is_heard(self, event: DocumentPatchedEvent) -> bool:
        """Whether this only repeats what the page itself has just set."""
        return isinstance(event, ModelChangedEvent) and (
            self._names.get(event.model.id) in self._heard
        )

    def signature(self) -> list[str]:
        """Ids and kinds of the widgets' models: equal in the build and in the browser, or it
        fails."""
        models = self._carrier.references()
        return sorted(f"{model.id} {type(model).__name__}" for model in models)

    def receive(self, message: dict[str, Any]) -> Update:
        """Take a message of the page and return what it has to show.

        ``link``: the query of a link, whose state replaces this one. Then ``values``: new values
        of widgets by the name of their setting. Then ``actions``: pairs of a name and a value. An
        unknown name of either is refused with ValueError. ``study``: a request of the other tab;
        alone, it leaves everything else unsaid.
        """
        if "study" in message:
            self.reply(study=self.tracking.receive(message["study"]))
            if "link" not in message and not (message.get("values") or message.get("actions")):
                return self._taken_replies()
        if "link" in message:
            self._open(message["link"])
        self._heard = message.get("values", {})
        try:
            self.controls.set(self._heard)
        finally:
            self._heard = {}
        self.session.update()
        for name, value in message.get("actions", []):
            act(self, name, value)
            self.session.update()
        return self.update()

    def update(self) -> Update:
        """All that has changed since the last update."""
        self.play.update()
        feeds = self.feeds.changes(self.session)
        readout = views.readout(self.session, self._open_tables, self._open_panels)
        if "agents" in vars(self):
            self.agents.update()
        if "agents" in self._open_panels:
            readout["agents"] = self._show_agents(feeds)
        readout["locks"] = self.play.locks()
        readout["mission"] = card(self.play)
        readout["fields"] = self.controls.tell()
        readout["errors"] = {name: in_labels(error) for name, error in self.controls.errors.items()}
        readout["memory"] = self._memory()
        readout["share"] = self.query
        readout["state"] = self._state()
        events, self._changes = self._changes, []
        patch = None
        if events:
            serializer = Serializer(
                references=self.document.models.synced_references, deferred=False
            )
            patch = {"events": serializer.encode(events)}
            self.document.models.flush_synced(lambda model: not serializer.has_ref(model))
        return {"patch": patch, "feeds": feeds, "readout": readout, **self._taken_replies()}

    def _taken_replies(self) -> dict[str, Any]:
        replies, self._replies = self._replies, {}
        return replies

    # What not every visitor opens is imported when it is first asked for.

    @cached_property
    def agents(self) -> Agents:
        """The agents of the folded part of the page."""
        from lab.agents import Agents

        return Agents(self.session)

    def _show_agents(self, feeds: Feed) -> dict[str, Any]:
        from lab import ranking
        from lab.agents_view import agents_readout

        agents = self.agents
        now = (len(agents.rows), agents.state, agents.chosen, id(agents.rows))
        if now != self._shown_agents:  # to place the words takes a while
            self._shown_agents = now
            more = self.feeds.differing(*ranking.shown(agents))
            feeds["data"] |= more["data"]
            feeds["set"] |= more["set"]
        return agents_readout(agents)

    @cached_property
    def tracking(self) -> Tab:
        """The other tab."""
        from lab.tracking.tab import Tab

        return Tab()

    @property
    def query(self) -> str:
        """That of a link to what is set."""
        return share.to_query(self.state, self.session.baseline_settings, self.play.mission)

    def _state(self) -> dict[str, Any]:
        """What the results shown belong to, flat and complete."""
        run, mission = self.session.run, self.play.mission
        own = {"seed": run.seed, "tasks": len(run), "task": self.state.task}
        return {**run.scenario.to_dict(), **own, "mission": mission.id if mission else ""}

    def _open(self, query: str) -> None:
        """Go to the state of a link, and say what of it could not be used."""
        link = share.from_query(query)
        self.controls.forget_errors()
        self.state.param.update(**link.settings, seed=link.seed, tasks=link.tasks, task=link.task)
        self.session.baseline_settings = link.baseline
        self.play.enter(link.mission)
        self.play.allow_events()
        self.reply(notice=share.notice(link.ignored))

    def _memory(self) -> dict[str, Any]:
        """What the page keeps for a worker that would have to take over: see ``resume``."""
        mission = self.play.mission
        visits = self.session.visits[self._told_visits :]
        self._told_visits = len(self.session.visits)
        return {
            "baseline": changed(self.session.baseline_settings),
            "mission": mission.id if mission else "",
            "visits": [asdict(visit) for visit in visits],
        }

    def reply(self, **more: Any) -> None:
        """Send something along with the next update."""
        if "notice" in more and self._replies.get("notice"):
            more["notice"] = f"{self._replies['notice']} {more['notice']}".strip()
        self._replies |= more

    def open_tables(self, names: list[str]) -> None:
        """Keep these tables up to date from now on, and no others."""
        self._open_tables = set(names)

    def open_panels(self, names: list[str]) -> None:
        """Keep these panels up to date from now on, and no others."""
        self._open_panels = set(names)

    def resume(self, **memory: Any) -> None:
        """Take over visits and baseline of another lab: they are known to the page."""
        self.session.resume(**memory)
        self._told_visits = len(self.session.visits)

    def send_update(self) -> None:
        """Send what has changed without being asked."""
        self.send(self.update())

    async def settled(self) -> None:
        """Wait for the comparisons on further seeds and of the agents, if they are running."""
        for task in (self.seed_check, self.ranking):
            if task:
                await task


def receiver(lab: Lab) -> Callable[[str], str]:
    """``Lab.receive`` from JSON to JSON, for the worker."""
    return lambda message: json.dumps(lab.receive(json.loads(message)))
