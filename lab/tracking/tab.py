"""What the tab answers to the page.

A request is whole: it says all that is set. So a newer one replaces an older one that still waits,
and a worker that takes over needs nothing else.
"""

from __future__ import annotations

from typing import Any

from lab.export import Export
from lab.share import notice
from lab.tracking import listing, tables, words
from lab.tracking.feeds import Feed, feeds
from lab.tracking.settings import Settings, from_query, from_values, to_query
from lab.tracking.steps import story_of
from lab.tracking.study import COARSE, FINE, MapCell, Result, calculate, crossing_map
from sim import ScenarioError


class Tab:
    """Everything behind the tab."""

    def __init__(self) -> None:
        self.settings = Settings()
        self.error = self.curve_error = ""
        self.result: Result
        self._shown: dict[str, Feed] = {}

    def receive(self, request: dict[str, Any]) -> dict[str, Any]:
        """Take a request and return what the page has to show.

        ``values``: all settings as the page's inputs have them. Or ``link``: the query of a link
        that has them. ``fine``: calculate in full, and tell the program. The reply has ``feeds``:
        the columns of each source that have changed since the last.
        """
        reply: dict[str, Any] = {}
        if "link" in request:
            settings, ignored = from_query(request["link"])
            reply["notice"] = notice(ignored)
        else:
            settings = None
        is_fine = bool(request.get("fine"))
        self._take(settings, request.get("values", {}), FINE if is_fine else COARSE)
        reply |= self._readout(is_fine)
        reply["feeds"] = self._changed(feeds(self.result, self.cells))
        if "link" in request:
            reply["values"] = self.settings.values()
        return reply

    @property
    def cells(self) -> tuple[MapCell, ...]:
        """The map of crossings for the kind of loss that is set."""
        loss = self.settings.compressor
        return crossing_map("drop" if loss == "oracle" else loss)

    def csv(self, name: str) -> Export:
        """One of the tables, unrounded."""
        return tables.as_csv(name, calculate(self.settings, FINE), self.cells)

    def _take(self, settings: Settings | None, values: dict[str, Any], detail: Any) -> None:
        """Calculate what is set; what cannot be leaves the last setting, and a sentence."""
        self.error = self.curve_error = ""
        try:
            settings = settings or from_values(values)
        except ScenarioError as error:
            self.error = str(error)
            settings = self.settings
        try:
            self.result = calculate(settings, detail)
        except ScenarioError as error:
            self.curve_error = str(error)
            self.result = calculate(self.settings, detail)
        else:
            self.settings = settings

    def _changed(self, found: dict[str, Feed]) -> dict[str, Feed]:
        """Those that the page does not show yet."""
        new = {name: feed for name, feed in found.items() if feed != self._shown.get(name)}
        self._shown |= new
        return new

    def _readout(self, is_fine: bool) -> dict[str, Any]:
        result = self.result
        lead, rest = words.sentence(result)
        readout = {
            "lead": lead,
            "rest": rest,
            "partly": words.partly(result),
            "seed_says": words.seed_says(result.settings),
            "source": words.source(result),
            "error": self.error,
            "curve_error": self.curve_error,
            "is_fine": is_fine,
            "query": to_query(self.settings),
            "resting": words.resting(self.settings),
            "when": words.conditions(result),
            "alt": words.descriptions(result),
        }
        if is_fine:
            readout["program"] = listing.program(story_of(self.settings), self.settings)
            readout["tables"] = {
                "curves": tables.curves(result),
                "map": tables.crossing_map(self.cells),
                "shares": tables.shares(result),
                "published": tables.published_cells(),
            }
        return readout
