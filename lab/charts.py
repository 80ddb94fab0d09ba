"""Every Bokeh figure, built once; ``update`` only feeds the sources and moves the ranges."""

from __future__ import annotations

from typing import Any

import numpy as np
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

from lab import lifelines
from lab.marks import FONT, FRAME, add_left_axis, cursor, dressed, inked, level_label, plot_of
from lab.ranking import Ranking
from lab.session import Session
from lab.tables import CAUSE_ROWS, PACK_CAUSES, causes, cost_names, visit_name
from lab.text import controls, dollars, number, percent, setting
from lab.theme import LIGHT

ROW_HEIGHT = 36
LOWEST_LABEL = 0.1
"""Part of the context's axis that a word under a line takes."""
EDIT_COLOURS = {
    "compaction": "summary", "clear": "restated", "overflow": "lost", "failed": "lost",
    "mask": "restated", "rework": "accent", "read_back": "notes",
}  # fmt: skip


class Charts:
    """The figures of the page, by name, and the sources that feed them."""

    def __init__(self) -> None:
        self.sources: dict[str, ColumnDataSource] = {}
        self.steps = Range1d(0, 1)
        self.ranking = Ranking()
        self.figures = {
            "context": self._context(),
            "lives": self._lives(),
            "causes": self._bars("causes", CAUSE_ROWS, "summary", 190),
            "costs": self._bars("costs", ("requests", "summariser"), "accent", 90),
            "visited": self._visited(),
            "agents": self.ranking.plot,
        }
        self._shown_visits = 0
        self._fed: dict[str, dict[str, list[Any]]] = {}

    def update(self, session: Session) -> None:
        """Show the session's run."""
        self._update_task(session)
        lost = causes(session.run)
        self.figures["causes"].y_range.factors = list(reversed(lost))
        self._update_bars("causes", list(lost.values()), number)
        self._update_costs(session.run.cost_split)
        self._update_visited(session)

    def _source(self, name: str, *columns: str) -> ColumnDataSource:
        self.sources[name] = ColumnDataSource(
            {column: [] for column in columns}, name=f"{name}-data"
        )
        return self.sources[name]

    def _feed(self, name: str, columns: dict[str, list[Any]]) -> None:
        """Give a source its columns if they are new, numbers as arrays: those go in one piece."""
        if self._fed.get(name) == columns:
            return
        self._fed[name] = columns
        self.sources[name].data = {
            column: values
            if values and isinstance(values[0], str)
            else np.array(values, dtype=np.float64)
            for column, values in columns.items()
        }

    def _context(self) -> Plot:
        plot = plot_of("context", self.steps, Range1d(0, 1), 236)
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
        self.window = inked(Span(dimension="width", location=0), line_color="ink")
        self.trigger = inked(
            Span(dimension="width", location=0, line_dash=[4, 4], line_alpha=0.7), line_color="ink"
        )
        self.window_label = level_label("bottom")
        self.trigger_label = level_label("top")
        for model in (self.window, self.trigger, self.window_label, self.trigger_label):
            plot.add_layout(model)
        plot.add_layout(cursor("context"))
        return plot

    def _lives(self) -> Plot:
        plot = plot_of("lives", self.steps, Range1d(1, -1), 264)
        plot.add_layout(dressed(LinearAxis(), axis_label="steps done"), "below")
        segments = self._source("segments", "x0", "x1", "y", "carrier", "width", "dash")
        names = list(lifelines.CARRIERS)
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
            x_range=Range1d(0, 1), y_range=FactorRange(factors=list(reversed(rows))),
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
        plot = plot_of("visited", Range1d(0, 1), Range1d(0, 1), 260)
        costs = LinearAxis(formatter=NumeralTickFormatter(format="$0.00"))
        costs.ticker.desired_num_ticks = 3
        plot.add_layout(dressed(costs, axis_label="cost per task"), "below")
        add_left_axis(plot, "0 %", axis_label="task success")
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

    def _update_task(self, session: Session) -> None:
        run = session.run
        policy = run.scenario.policy
        line = session.timeline
        steps = max(len(line.after), 1)
        highest = max(int(line.after.max(initial=0)), policy.window)
        self.steps.update(start=0, end=1.03 * steps)
        self.figures["context"].y_range.update(start=0, end=1.2 * highest)
        self._feed("context", lifelines.context_line(line))
        self._feed("edits", lifelines.edit_marks(line, 1.1 * highest))
        lives = lifelines.scores(line)
        widths = {"verbatim": 3, "restated": 2, "summary": 4.5}
        segments = lives["segments"]
        dense = 0.5 if len(line.facts) > 40 else 1
        segments["width"] = [dense * widths.get(carrier, 1.5) for carrier in segments["carrier"]]
        dashes = {"notes": "dotted", "disk": "dashed", "archive": "dashed"}
        segments["dash"] = [dashes.get(carrier, "solid") for carrier in segments["carrier"]]
        self._feed("segments", segments)
        self._feed("births", lives["births"])
        self._feed("deaths", lives["deaths"])
        self.figures["lives"].y_range.update(start=max(len(line.facts), 4) - 0.3, end=-0.9)

        fires = policy.strategy != "none"
        level = policy.trigger * policy.window
        self.window.location = self.window_label.y = policy.window
        self.trigger.location = self.trigger_label.y = level
        words = [f"window {number(policy.window)}"]
        words += [f"trigger {setting(controls()['trigger'], policy.trigger)}"] if fires else []
        # Close to the axis there is no room below the trigger: both stand above the window.
        apart = level > LOWEST_LABEL * self.figures["context"].y_range.end
        self.window_label.text = words[0] if apart else " · ".join(words)
        self.trigger_label.text = words[-1]
        self.trigger.visible, self.trigger_label.visible = fires, fires and apart

    def _update_bars(self, name: str, values: list[Any], written: Any) -> None:
        plot = self.figures[name]
        rows = list(reversed(plot.y_range.factors))
        labels = [written(value) for value in values]
        self._feed(name, {"row": rows, "value": values, "label": labels})
        plot.x_range.end = 1.55 * max(max(values), 1e-9)  # room for the figure after the bar

    def _update_costs(self, split: dict[str, float]) -> None:
        """With caching, the requests are told apart: then there are more rows, in more room."""
        names = [cost_names()[key] for key in split]
        plot = self.figures["costs"]
        if plot.y_range.factors != names[::-1]:
            plot.y_range.factors = names[::-1]
            plot.height = 18 + ROW_HEIGHT * len(names)
        self._update_bars("costs", list(split.values()), dollars)

    def _update_visited(self, session: Session) -> None:
        visits = session.visits
        new = visits[self._shown_visits :]
        if new:
            self.sources["visited"].stream(
                {
                    "cost": [visit.cost for visit in new],
                    "success": [visit.success for visit in new],
                    "text": [
                        f"{visit_name(visit)}: {percent(visit.success)} at {dollars(visit.cost)},"
                        f" seed {visit.seed}."
                        for visit in new
                    ],
                }
            )
            self._shown_visits = len(visits)
        now, baseline = session.run.tiles, session.baseline.tiles
        costs = [visit.cost for visit in visits] + [baseline["cost"].value]
        low, high = min(costs), max(costs)
        pad = max(0.08 * (high - low), 0.15 * high, 0.01)
        plot = self.figures["visited"]
        plot.x_range.update(start=low - pad, end=high + pad)
        plot.y_range.update(start=-0.06, end=1.08)
        for name, tiles in (("now", now), ("baseline", baseline)):
            cost = tiles["cost"].value
            late = cost > low - pad + 0.75 * (high - low + 2 * pad)
            columns = {"cost": [cost], "success": [tiles["success"].value]}
            self._feed(name, {**columns, "name": [name], "align": ["right" if late else "left"]})


def _bar_colour(row: str, default: str) -> str:
    if row in ("truncated", "overflow"):
        return "lost"
    meanings = {
        "cleared": "restated", "masked": "restated", "capped": "lost", "offloaded": "notes",
        "summariser": "summary", "cache writes": "restated", "output": "notes",
    }  # fmt: skip
    return meanings.get(row, default)
