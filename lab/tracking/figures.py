"""The tab's Bokeh figures, as the build draws them: without data, which ``feeds`` gives later."""

from __future__ import annotations

from typing import Any

from bokeh.core.properties import value
from bokeh.document import Document
from bokeh.models import (
    ColumnDataSource,
    FixedTicker,
    Line,
    LinearAxis,
    LogScale,
    NumeralTickFormatter,
    Plot,
    Range1d,
    Scatter,
    Segment,
    Text,
    VArea,
)
from bokeh.util import serialization

from lab.marks import FONT, add_left_axis, cursor, dressed, inked, plot_of
from lab.tracking.crossing_map import drawn_map
from lab.tracking.study import LONGEST, SHORTEST

TICKS = (10, 30, 100, 300, 1_000, 3_000, 10_000)
FIRST_ID = 20_000
"""Beyond the ids of the first tab's document, which is on the same page."""


def document_json() -> dict[str, Any]:
    """The figures as a document of their own, which the page draws when the tab is opened."""
    serialization._simple_id = FIRST_ID
    document = Document()
    for root in Figures().figures.values():
        document.add_root(root)
    return document.to_json(deferred=False)


class Figures:
    """The figures by name. An axis of lengths is logarithmic."""

    def __init__(self) -> None:
        self.sources: dict[str, ColumnDataSource] = {}
        self.figures = {
            "st-curves": self._curves(),
            "st-shares": self._shares(),
            "st-map": drawn_map(),
        }

    def _source(self, name: str, *columns: str) -> ColumnDataSource:
        self.sources[name] = ColumnDataSource(
            {column: [] for column in columns}, name=f"st-{name}-data"
        )
        return self.sources[name]

    def _curves(self) -> Plot:
        plot = plot_of("st-curves", Range1d(SHORTEST, LONGEST), Range1d(-0.02, 1.1), 320)
        plot.x_scale = LogScale()
        axis = LinearAxis(
            ticker=FixedTicker(ticks=list(TICKS)), formatter=NumeralTickFormatter(format="0,0")
        )
        plot.add_layout(dressed(axis, axis_label="statements in the context"), "below")
        add_left_axis(plot, "0 %", axis_label="right answers")

        add = self._adder(plot)
        area = {"x": "x", "y1": "low", "y2": "high", "fill_alpha": 0.18}
        add("band", "x low high", VArea(**area), fill_color="verbatim")
        add("state-band", "x low high", VArea(**area), fill_color="summary")
        line = {"x": "x", "y": "y", "line_width": 2.5}
        add("tried", "x y", Line(**line), line_color="verbatim")
        add("beyond", "x y", Line(**line, line_dash=[5, 5]), line_color="verbatim")
        add("state", "x y", Line(**line), line_color="summary")
        whisker = Segment(x0="x", x1="x", y0="low", y1="high", line_width=1)
        add("measured", "x y low high", whisker, line_color="muted")
        add("measured", "", Scatter(x="x", y="y", size=6, line_width=1.5),
            fill_color="card", line_color="ink")  # fmt: skip
        stem = Segment(x0="x", x1="x", y0=-0.02, y1="y", line_width=1, line_dash=[2, 3])
        add("crossing", "x y low high", stem, line_color="ink")
        spread = Segment(x0="low", x1="high", y0="y", y1="y", line_width=6, line_alpha=0.9)
        add("crossing", "", spread, line_color="lost")
        add("crossing", "", Scatter(x="x", y="y", size=12, marker="diamond", line_width=2),
            fill_color="card", line_color="lost")  # fmt: skip
        here = Segment(x0="x", x1="x", y0=-0.02, y1=1.1, line_width=1, line_alpha=0.6)
        add("here", "x", here, line_color="ink")
        mark = Scatter(x="x", y="y", size=8, marker="square", line_width=2)
        whisker = Segment(x0="x", x1="x", y0="low", y1="high", line_width=1.5)
        add("parts", "x y low high", whisker, line_color="notes")
        add("parts", "", Line(x="x", y="y", line_width=1, line_dash=[2, 3]), line_color="notes")
        add("parts", "", mark, fill_color="card", line_color="notes")
        text = _text(text_baseline="base", x_offset="dx", y_offset="dy")
        add("labels", "x y text align base dx dy", text, text_color="ink")
        plot.add_layout(cursor("st-curves"))
        self._source("readings", "text")
        self.sources["band"].tags = [self.sources["readings"]]
        return plot

    def _shares(self) -> Plot:
        plot = plot_of("st-shares", Range1d(-0.03, 1.03), Range1d(-0.02, 1.2), 320)
        axis = LinearAxis(formatter=NumeralTickFormatter(format="0 %"))
        plot.add_layout(dressed(axis, axis_label="Z, the part that the state stands for"), "below")
        add_left_axis(plot, "0 %", axis_label="right answers")
        add = self._adder(plot)
        whisker = Segment(x0="x", x1="x", y0="low", y1="high", line_width=1.5)
        add("shares", "x y low high", whisker, line_color="notes")
        add("shares", "", Line(x="x", y="y", line_width=2.5), line_color="notes")
        spread = Segment(x0="low", x1="high", y0="y", y1="y", line_width=6, line_alpha=0.5)
        add("best", "x y low high text align", spread, line_color="lost")
        mark = Scatter(x="x", y="y", size=12, marker="diamond", line_width=2)
        add("best", "", mark, fill_color="card", line_color="lost")
        add("best", "", _text(y_offset=-12, text_baseline="bottom"), text_color="ink")
        here = Segment(x0="x", x1="x", y0=-0.02, y1=1.1, line_width=1, line_alpha=0.6)
        add("share", "x", here, line_color="ink")
        return plot

    def _adder(self, plot: Plot) -> Any:
        """Adds a glyph on a source by its name, which is made at its first use."""

        def add(name: str, columns: str, glyph: Any, **colours: str) -> None:
            source = self.sources.get(name) or self._source(name, *columns.split())
            plot.add_glyph(source, inked(glyph, **colours))

        return add


def _text(**settings: Any) -> Text:
    return Text(
        x="x", y="y", text="text", text_align="align", text_font=value(FONT),
        text_font_size="12px", **settings,
    )  # fmt: skip
