"""The tab's Bokeh figures, built once; ``update`` only feeds their sources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from bokeh.core.properties import value
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

from lab.marks import FONT, add_left_axis, cursor, dressed, inked, plot_of
from lab.tracking import words
from lab.tracking.crossing_map import CrossingMap, feed
from lab.tracking.study import LENGTHS, LONGEST, SHORTEST, Result
from sim.studies.state_tracking import Hybrid, HybridPoint, published

TICKS = (10, 30, 100, 300, 1_000, 3_000, 10_000)


class Figures:
    """The figures by name. An axis of lengths is logarithmic."""

    def __init__(self) -> None:
        self.sources: dict[str, ColumnDataSource] = {}
        self.map = CrossingMap()
        self.figures = {
            "st-curves": self._curves(),
            "st-shares": self._shares(),
            "st-map": self.map.plot,
        }

    def update(self, result: Result) -> None:
        """Show the curves and the crossing of a result."""
        state, n_star = result.state, result.n_star
        inside = np.where(result.is_extrapolated, np.nan, result.context)
        beyond = np.where(_widened(result.is_extrapolated), result.context, np.nan)
        self._feed("band", x=LENGTHS, low=result.low, high=result.high)
        self._feed("tried", x=LENGTHS, y=inside)
        self._feed("beyond", x=LENGTHS, y=beyond)
        ends = [SHORTEST, LONGEST]
        self._feed("state-band", x=ends, low=[state.low] * 2, high=[state.high] * 2)
        self._feed("state", x=ends, y=[state.value] * 2)
        x, y, low, high = _measured(result)
        self._feed("measured", x=x, y=y, low=low, high=high)
        cross = SHORTEST <= n_star.value <= LONGEST
        self._feed(
            "crossing",
            x=[n_star.value] if cross else [],
            y=[state.value] if cross else [],
            low=[max(n_star.low or 0, SHORTEST)] if cross else [],
            high=[min(n_star.high or LONGEST, LONGEST)] if cross else [],
        )
        at = [statements for statements, _ in result.parts]
        self._feed("parts", x=at, **_spread([point for _, point in result.parts]))
        if result.shares:
            self._update_shares(result.shares, result.settings.compressed)
        here = result.settings.statements
        is_shown = SHORTEST <= here <= LONGEST
        self._feed("here", x=[here] if is_shown else [])
        self._feed("labels", **_labels(result))
        self._feed("readings", text=words.readings(result))

    def _update_shares(self, hybrid: Hybrid, share: float) -> None:
        points = hybrid.points
        self._feed("shares", x=[point.share for point in points], **_spread(points))
        best = hybrid.best
        self._feed(
            "best", x=[best.share], y=[best.accuracy.value], low=[hybrid.best_low],
            high=[hybrid.best_high], text=[f"best Z {words.share_of(best.share)}"],
            align=["right" if best.share > 0.5 else "left"],
        )  # fmt: skip
        self._feed("share", x=[share])

    def _source(self, name: str, *columns: str) -> ColumnDataSource:
        self.sources[name] = ColumnDataSource(
            {column: [] for column in columns}, name=f"st-{name}-data"
        )
        return self.sources[name]

    def _feed(self, name: str, **columns: Any) -> None:
        feed(self.sources[name], **columns)

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


def _spread(points: Sequence[HybridPoint]) -> dict[str, list[float]]:
    return {
        "y": [point.accuracy.value for point in points],
        "low": [point.accuracy.low or 0 for point in points],
        "high": [point.accuracy.high or 0 for point in points],
    }


def _widened(is_extrapolated: np.ndarray) -> np.ndarray:
    """The same and one place to either side, so that the dashed line meets the solid one."""
    wide = is_extrapolated.copy()
    wide[1:] |= is_extrapolated[:-1]
    wide[:-1] |= is_extrapolated[1:]
    return wide


def _measured(result: Result) -> tuple[list[float], list[float], list[float], list[float]]:
    """The measured points under the curve, with their published intervals."""
    rows = published().mixed if result.settings.grammar == "mixed" else ()
    rows = () if result.settings.curve else rows
    width = [row.half_width or 0 for row in rows]
    accuracy = [row.accuracy for row in rows]
    return (
        [row.statements for row in rows],
        accuracy,
        [a - w for a, w in zip(accuracy, width, strict=True)],
        [min(1, a + w) for a, w in zip(accuracy, width, strict=True)],
    )


def _labels(result: Result) -> dict[str, list[Any]]:
    """The words on the lines: whose each is, where they cross, where nothing was tried."""
    rows: list[tuple[float, float, str, str, str, float, float]] = []
    state, n_star, here = result.state.value, result.n_star.value, result.settings.statements
    # The name of the curve stands at its beginning, that of the state at its end.
    start = float(result.context[0])
    rows.append((SHORTEST, start, "whole context", "left", "bottom", 6, -5))
    rows.append((LONGEST, state, f"state {words.share(state)}", "right", "bottom", -2, -6))
    if SHORTEST <= n_star <= LONGEST:
        text = f"N* {words.length(n_star)}"
        rows.append((n_star, -0.02, text, "right", "bottom", -5, -3))
    if SHORTEST <= here <= LONGEST:
        late = here > LENGTHS[len(LENGTHS) // 2]
        align, dx = ("right", -5) if late else ("left", 5)
        rows.append((here, 1.1, f"C {words.length(here)}", align, "top", dx, 2))
    beyond = result.is_extrapolated
    if beyond[0]:
        rows.append((SHORTEST, 1.0, "extrapolated", "left", "top", 4, 12))
    if beyond[-1]:
        # Above the line where the word begins, and so above all of it; not on the other line.
        y = float(result.context[np.searchsorted(LENGTHS, LONGEST / 8)])
        y = state + 0.1 if abs(y - state) < 0.1 else y
        rows.append((LONGEST, y, "extrapolated", "right", "bottom", -2, -4))
    names = ("x", "y", "text", "align", "base", "dx", "dy")
    return {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}
