"""The parts that every figure is made of: frames, axes, lines, words, in the lab's own look.

Colours are named by what they mean: each coloured model carries a tag ``{property: meaning}``, and
the page paints it from the style sheet's palette, so light and dark need no Python.
"""

from __future__ import annotations

from typing import Any

from bokeh.models import Grid, Label, LinearAxis, Model, NumeralTickFormatter, Plot, Range1d, Span

from lab.theme import LIGHT

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"
LEFT = 52
"""Left border of the figures that share the axis of steps, so that their steps stand in line."""

FRAME: dict[str, Any] = {
    "sizing_mode": "stretch_width",
    "toolbar_location": None,
    "outline_line_color": None,
    "min_border_top": 4,
    "min_border_right": 14,
    "min_border_bottom": 4,
}


def plot_of(name: str, x_range: Range1d, y_range: Range1d, height: int) -> Plot:
    """An empty plot with the lab's frame; its name is that of its place in the page."""
    plot = Plot(
        x_range=x_range, y_range=y_range, name=name, height=height, **FRAME, min_border_left=LEFT
    )
    return inked(plot, background_fill_color="card", border_fill_color="card")


def dressed(axis: Any, text_colour: str = "muted", **settings: Any) -> Any:
    """An axis in the lab's look: words only, no lines."""
    axis.update(
        **settings, axis_line_color=None, major_tick_line_color=None, minor_tick_line_color=None,
        major_label_text_font=FONT, major_label_text_font_size="12px", axis_label_text_font=FONT,
        axis_label_text_font_size="12px", axis_label_text_font_style="normal",
        axis_label_standoff=2,
    )  # fmt: skip
    return inked(axis, major_label_text_color=text_colour, axis_label_text_color="muted")


def add_left_axis(plot: Plot, number_format: str, **settings: Any) -> None:
    """An axis of numbers on the left, with a grid."""
    axis = dressed(LinearAxis(formatter=NumeralTickFormatter(format=number_format)), **settings)
    axis.ticker.desired_num_ticks = 5
    plot.add_layout(axis, "left")
    plot.add_layout(inked(Grid(axis=axis, dimension=1), grid_line_color="line"))


def level_label(name: str, baseline: str) -> Label:
    """A word at the left end of a level: above the window's line, below the trigger's."""
    label = Label(
        x=0, y=0, text="", name=name, x_offset=4, y_offset=2 if baseline == "bottom" else -2,
        text_baseline=baseline, text_font=FONT, text_font_size="11px", background_fill_alpha=0.8,
    )  # fmt: skip
    return inked(label, text_color="muted", background_fill_color="card")


def cursor(plot: str) -> Span:
    """The line that the page moves to the step being read."""
    span = Span(dimension="height", location=0, visible=False, line_width=1, name=f"{plot}-cursor")
    return inked(span, line_color="ink")


def inked(model: Model, **meanings: str) -> Any:
    """Colour a model by meaning: in the light palette, and tagged so that the page can repaint."""
    model.update(**{name: LIGHT[meaning] for name, meaning in meanings.items()})
    model.tags = [*model.tags, meanings]
    return model
