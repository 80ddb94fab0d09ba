"""The map of crossings: N* as a colour and a number, over target rate and rate of loss."""

from __future__ import annotations

from bokeh.core.properties import value
from bokeh.models import CategoricalScale, ColumnDataSource, FactorRange, Plot, Rect, Text
from bokeh.models.axes import CategoricalAxis

from lab.marks import FONT, FRAME, dressed, inked
from lab.tracking import words
from lab.tracking.study import MAP_RATES
from lab.tracking.study import map_target_rates as target_rates


def drawn_map() -> Plot:
    """The figure, without its cells. Their colours stand for numbers in any scheme."""
    columns = ("x", "y", "target_rate", "rate", "text", "fill", "ink")
    cells = ColumnDataSource({name: [] for name in columns}, name="st-map-data")
    nearest = ColumnDataSource({"x": [], "y": []}, name="st-frame-data")
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
    plot.add_glyph(cells, Rect(**size, line_color=None, fill_color="fill"))
    number = Text(
        x="x", y="y", text="text", text_color="ink", text_align="center",
        text_baseline="middle", text_font=value(FONT), text_font_size="12px",
    )  # fmt: skip
    plot.add_glyph(cells, number)
    frame = Rect(**size, line_width=3, fill_color=None)
    plot.add_glyph(nearest, inked(frame, line_color="lost"))
    return plot
