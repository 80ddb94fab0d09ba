"""The map of crossings: N* as a colour and a number, over target rate and rate of loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from bokeh.core.properties import value
from bokeh.models import (
    CategoricalScale,
    ColumnDataSource,
    FactorRange,
    LogColorMapper,
    Plot,
    Rect,
    Text,
)
from bokeh.models.axes import CategoricalAxis
from bokeh.palettes import Cividis256
from bokeh.transform import transform

from lab.marks import FONT, FRAME, dressed, inked
from lab.tracking import words
from lab.tracking.study import MAP_RATES, MapCell
from lab.tracking.study import map_target_rates as target_rates

BLACK, WHITE = "#000000", "#ffffff"
# Linear light of each colour of the palette, after the definition of contrast in WCAG 2.
_CHANNELS = np.array([[int(c[i : i + 2], 16) / 255 for i in (1, 3, 5)] for c in Cividis256])
_LINEAR = np.where(_CHANNELS <= 0.04045, _CHANNELS / 12.92, ((_CHANNELS + 0.055) / 1.055) ** 2.4)
_LIGHT = _LINEAR @ np.array([0.2126, 0.7152, 0.0722])
INKS = np.where((_LIGHT + 0.05) / 0.05 > 1.05 / (_LIGHT + 0.05), BLACK, WHITE)
"""The letters that are read best on each colour of the palette."""


class CrossingMap:
    """The figure, and the sources that feed it. Its colours stand for numbers in any scheme."""

    def __init__(self) -> None:
        columns = ("x", "y", "target_rate", "rate", "n_star", "text", "ink")
        self.cells = ColumnDataSource({name: [] for name in columns}, name="st-map-data")
        self.frame = ColumnDataSource({"x": [], "y": []}, name="st-frame-data")
        self.colour = LogColorMapper(palette=Cividis256, low=1, high=2)
        self.plot = self._drawn()

    def update(self, cells: Sequence[MapCell], target_rate: float, rate: float) -> None:
        """Show these cells, with a frame around the one nearest to what is set."""
        n_star = np.array([cell.n_star for cell in cells])
        low, high = float(n_star.min()), float(n_star.max())
        self.colour.update(low=low, high=high)
        share = np.log(n_star / low) / np.log(high / low)
        place = np.minimum(share * len(INKS), len(INKS) - 1).astype(np.intp)
        feed(
            self.cells,
            x=[words.share_of(cell.target_rate) for cell in cells],
            y=[words.share_of(cell.rate) for cell in cells],
            target_rate=[cell.target_rate for cell in cells],
            rate=[cell.rate for cell in cells],
            n_star=n_star,
            text=[words.short_length(cell) for cell in cells],
            ink=INKS[place].tolist(),
        )
        nearest = min(
            cells,
            key=lambda c: (abs(np.log(c.target_rate / target_rate)), abs(c.rate - rate)),
        )
        x, y = words.share_of(nearest.target_rate), words.share_of(nearest.rate)
        feed(self.frame, x=[x], y=[y])

    def _drawn(self) -> Plot:
        plot = Plot(
            x_range=FactorRange(factors=[words.share_of(rate) for rate in target_rates()]),
            y_range=FactorRange(factors=[words.share_of(rate) for rate in MAP_RATES]),
            x_scale=CategoricalScale(), y_scale=CategoricalScale(), name="st-map", height=320,
            **FRAME, min_border_left=52,
        )  # fmt: skip
        inked(plot, background_fill_color="card", border_fill_color="card")
        below = dressed(CategoricalAxis(), axis_label="T, writes of the queried variable")
        plot.add_layout(below, "below")
        plot.add_layout(dressed(CategoricalAxis(), axis_label="rate of loss"), "left")
        size = {"x": "x", "y": "y", "width": 0.97, "height": 0.95}
        colour = transform("n_star", self.colour)
        plot.add_glyph(self.cells, Rect(**size, line_color=None, fill_color=colour))
        number = Text(
            x="x", y="y", text="text", text_color="ink", text_align="center",
            text_baseline="middle", text_font=value(FONT), text_font_size="12px",
        )  # fmt: skip
        plot.add_glyph(self.cells, number)
        frame = Rect(**size, line_width=3, fill_color=None)
        plot.add_glyph(self.frame, inked(frame, line_color="lost"))
        return plot


def feed(source: ColumnDataSource, **columns: Any) -> None:
    """Give a source its columns if they are new, numbers as arrays: those go in one piece."""
    data = {
        column: list(values)
        if len(values) and isinstance(values[0], str)
        else np.array(values, dtype=np.float64)
        for column, values in columns.items()
    }
    if any(not _is_same(source.data[column], values) for column, values in data.items()):
        source.data = data


def _is_same(old: Any, new: Any) -> bool:
    if isinstance(old, np.ndarray) and isinstance(new, np.ndarray):
        return np.array_equal(old, new, equal_nan=True)
    return isinstance(old, list) and isinstance(new, list) and old == new
