"""Every Bokeh figure, without what it shows: that are its feeds, see ``lab.feeds``.

The build draws the figures, and Python in the browser only feeds them: so a visitor waits for no
model of a chart, and no move of a slider for Bokeh's bookkeeping in Python.
"""

from __future__ import annotations

from typing import Any

from bokeh.core.properties import value
from bokeh.models import (
    CategoricalColorMapper,
    CategoricalScale,
    ColumnDataSource,
    FactorRange,
    HBar,
    Line,
    LinearAxis,
    LinearScale,
    Model,
    NumeralTickFormatter,
    Plot,
    Range1d,
    Scatter,
    Segment,
    Span,
    Text,
    VArea,
)
from bokeh.models.axes import CategoricalAxis
from bokeh.transform import transform

from lab.feeds import Feed
from lab.lifelines import CARRIERS
from lab.marks import FONT, FRAME, add_left_axis, cursor, dressed, inked, level_label, plot_of
from lab.ranking import HEIGHT, WIDTHS
from lab.tables import CAUSE_ROWS, PACK_CAUSES, cost_names
from lab.theme import LIGHT

EDIT_COLOURS = {
    "compaction": "summary", "clear": "restated", "overflow": "lost", "failed": "lost",
    "mask": "restated", "rework": "accent", "read_back": "notes",
}  # fmt: skip


class Figures:
    """The figures of the page by name. What feeds move has a name too."""

    def __init__(self) -> None:
        self.steps = Range1d(0, 1, name="steps")
        self.roots = {
            "context": self._context(),
            "lives": self._lives(),
            "causes": self._bars("causes", CAUSE_ROWS, "summary", 190),
            "costs": self._bars("costs", ("requests", "summariser"), "accent", 90),
            "visited": self._visited(),
            "agents": self._agents(),
        }

    def named(self, name: str) -> Any:
        """The model with a name. Raises KeyError if there is none."""
        return self._models()[name]

    def _models(self) -> dict[str, Model]:
        models = {model for root in self.roots.values() for model in root.references()}
        return {model.name: model for model in models if model.name}

    def show(self, feed: Feed) -> None:
        """Do what the page does with a feed."""
        models: dict[str, Any] = self._models()
        for name, properties in feed["set"].items():
            models[name].update(**properties)
        for name, columns in feed["data"].items():
            models[f"{name}-data"].data = columns
        for name, columns in feed["more"].items():
            models[f"{name}-data"].stream(columns)

    def _source(self, name: str, *columns: str) -> ColumnDataSource:
        return ColumnDataSource({column: [] for column in columns}, name=f"{name}-data")

    def _context(self) -> Plot:
        plot = plot_of("context", self.steps, Range1d(0, 1, name="context-y"), 236)
        plot.add_layout(dressed(LinearAxis()), "below")
        add_left_axis(plot, "0a")
        line = self._source("context", "x", "y")
        plot.add_glyph(
            line, inked(VArea(x="x", y1=0, y2="y", fill_alpha=0.12), fill_color="accent")
        )
        plot.add_glyph(line, inked(Line(x="x", y="y", line_width=2), line_color="accent"))
        marks = self._source("edits", "x", "top", "kind", "label", "label_x", "align")
        by_kind = CategoricalColorMapper(
            factors=list(EDIT_COLOURS), palette=[LIGHT[name] for name in EDIT_COLOURS.values()]
        )
        by_kind.tags = [{"palette": list(EDIT_COLOURS.values())}]
        plot.add_glyph(
            marks,
            Segment(
                x0="x", x1="x", y0=0, y1="top", line_width=1.5,
                line_color=transform("kind", by_kind),
            ),
        )  # fmt: skip
        words = Text(
            x="label_x", y="top", text="label", text_align="align", x_offset=0, y_offset=-2,
            text_font_size="11px", text_font=value(FONT), text_baseline="bottom",
        )  # fmt: skip
        plot.add_glyph(marks, inked(words, text_color="muted"))
        for name, baseline, look in (
            ("window", "bottom", {}),
            ("trigger", "top", {"line_dash": [4, 4], "line_alpha": 0.7}),
        ):
            level = Span(dimension="width", location=0, name=name, **look)
            plot.add_layout(inked(level, line_color="ink"))
            plot.add_layout(level_label(f"{name}-label", baseline))
        plot.add_layout(cursor("context"))
        return plot

    def _lives(self) -> Plot:
        plot = plot_of("lives", self.steps, Range1d(1, -1, name="lives-y"), 264)
        plot.add_layout(dressed(LinearAxis(), axis_label="steps done"), "below")
        segments = self._source("segments", "x0", "x1", "y", "carrier", "width", "dash")
        names = list(CARRIERS)
        colours = [{"disk": "notes", "archive": "notes"}.get(name, name) for name in names]
        by_carrier = CategoricalColorMapper(
            factors=names, palette=[LIGHT[name] for name in colours]
        )
        by_carrier.tags = [{"palette": colours}]
        segment = Segment(
            x0="x0", x1="x1", y0="y", y1="y", line_width="width", line_dash="dash",
            line_color=transform("carrier", by_carrier),
        )  # fmt: skip
        plot.add_glyph(segments, segment)
        births = Scatter(x="x", y="y", size="size", marker="circle", line_width=2)
        plot.add_glyph(
            self._source("births", "x", "y", "size"),
            inked(births, fill_color="card", line_color="ink"),
        )
        deaths = Scatter(x="x", y="y", size=8, marker="x", line_width=2)
        plot.add_glyph(self._source("deaths", "x", "y"), inked(deaths, line_color="lost"))
        plot.add_layout(cursor("lives"))
        return plot

    def _bars(self, name: str, rows: tuple[str, ...], colour: str, height: int) -> Plot:
        plot = Plot(
            x_range=Range1d(0, 1, name=f"{name}-x"),
            y_range=FactorRange(factors=list(reversed(rows)), name=f"{name}-y"),
            x_scale=LinearScale(), y_scale=CategoricalScale(), name=name, height=height,
            **FRAME, min_border_left=104,
        )  # fmt: skip
        inked(plot, background_fill_color="card", border_fill_color="card")
        plot.add_layout(dressed(CategoricalAxis(), "ink"), "left")
        source = self._source(name, "row", "value", "label")
        known = cost_names().values() if name == "costs" else (*rows, *PACK_CAUSES)
        meanings = {row: _bar_colour(row, colour) for row in known}
        by_row = CategoricalColorMapper(
            factors=list(meanings), palette=[LIGHT[meaning] for meaning in meanings.values()]
        )
        by_row.tags = [{"palette": list(meanings.values())}]
        bar = HBar(
            y="row", right="value", left=0, height=0.56, line_color=None,
            fill_color=transform("row", by_row),
        )  # fmt: skip
        plot.add_glyph(source, bar)
        label = Text(
            x="value", y="row", text="label", x_offset=6, text_baseline="middle",
            text_font_size="13px", text_font=value(FONT),
        )  # fmt: skip
        plot.add_glyph(source, inked(label, text_color="ink"))
        return plot

    def _visited(self) -> Plot:
        plot = self._cost_and_success("visited", 260, 3)
        plot.add_glyph(
            self._source("visited", "cost", "success", "text"),
            inked(
                Scatter(x="cost", y="success", size=9, line_color=None, fill_alpha=0.45),
                fill_color="muted",
            ),
        )
        for name, fill, above in (("baseline", "card", False), ("now", "accent", True)):
            source = self._source(name, "cost", "success", "name", "align")
            mark = Scatter(x="cost", y="success", size=13, line_width=2)
            edge = "accent" if above else "ink"
            plot.add_glyph(source, inked(mark, fill_color=fill, line_color=edge))
            word = Text(
                x="cost", y="success", text="name", text_align="align", text_font=value(FONT),
                text_font_size="12px", text_baseline="bottom" if above else "top",
                y_offset=-9 if above else 9,
            )  # fmt: skip
            plot.add_glyph(source, inked(word, text_color="ink"))
        return plot

    def _agents(self) -> Plot:
        plot = self._cost_and_success("agents", HEIGHT, 4)
        points = self._source(
            "agents", "id", "cost", "success", "cost_low", "cost_high", "low", "high", "text",
        )  # fmt: skip
        for ends in (
            {"x0": "cost_low", "x1": "cost_high", "y0": "success", "y1": "success"},
            {"x0": "cost", "x1": "cost", "y0": "low", "y1": "high"},
        ):
            bar = Segment(**ends, line_width=1, line_alpha=0.6)
            plot.add_glyph(points, inked(bar, line_color="edge"))
        mark = Scatter(x="cost", y="success", size=8, line_width=1)
        plot.add_glyph(points, inked(mark, fill_color="muted", line_color="card"))
        chosen = Scatter(x="cost", y="success", size=13, line_width=2)
        plot.add_glyph(
            self._source("agent-chosen", "cost", "success"),
            inked(chosen, fill_color="accent", line_color="accent"),
        )
        for width in WIDTHS:
            words = Text(
                x="cost", y="success", text="name", text_align="align", x_offset="dx",
                y_offset="dy", text_baseline="middle", text_font_size="11.5px",
                text_font=value(FONT),
            )  # fmt: skip
            source = self._source(f"agents-{width}", "cost", "success", "name", "align", "dx", "dy")
            plot.add_glyph(source, inked(words, text_color="ink")).name = f"agents-words-{width}"
        return plot

    def _cost_and_success(self, name: str, height: int, ticks: int) -> Plot:
        x, y = (Range1d(0, 1, name=f"{name}-{axis}") for axis in "xy")
        plot = plot_of(name, x, y, height)
        costs = LinearAxis(formatter=NumeralTickFormatter(format="$0.00"))
        costs.ticker.desired_num_ticks = ticks
        plot.add_layout(dressed(costs, axis_label="cost per task"), "below")
        add_left_axis(plot, "0 %", axis_label="task success")
        return plot


def _bar_colour(row: str, default: str) -> str:
    if row in ("truncated", "overflow"):
        return "lost"
    meanings = {
        "cleared": "restated", "masked": "restated", "capped": "lost", "offloaded": "notes",
        "summariser": "summary", "cache writes": "restated", "output": "notes",
    }  # fmt: skip
    return meanings.get(row, default)
