"""A stand-in for the app: the widgets and glyphs it may use, drawn, serialised and patched."""

import json

import numpy as np
import panel as pn
from bokeh.document import Document
from bokeh.embed.util import standalone_docs_json_and_render_items
from bokeh.models import (
    CategoricalColorMapper,
    ColumnDataSource,
    HoverTool,
    LabelSet,
    Slider,
    Span,
    TapTool,
)
from bokeh.plotting import figure
from bokeh.transform import factor_cmap


def chart():
    """Return a figure with one of each glyph."""
    rng = np.random.default_rng(1)
    source = ColumnDataSource(
        {"x": np.arange(4), "y": rng.normal(size=4), "kind": list("abab"), "text": list("wxyz")}
    )
    colors = factor_cmap("kind", ["#333333", "#999999"], ["a", "b"])
    mapper = CategoricalColorMapper(palette=["#333333", "#999999"], factors=["a", "b"])
    plot = figure(height=200, tools=[TapTool(), HoverTool(tooltips=[("x", "@x")])])
    plot.line("x", "y", source=source)
    plot.segment(x0="x", y0=0, x1="x", y1="y", source=source)
    plot.scatter("x", "y", source=source, color=colors)
    plot.hbar(
        y="x",
        left=0,
        right="y",
        height=0.5,
        source=source,
        fill_color={"field": "kind", "transform": mapper},
    )
    plot.add_layout(Span(location=1, dimension="height"))
    plot.add_layout(LabelSet(x="x", y="y", text="text", source=source))
    return plot


def main():
    """Build a document and push it through a change from the page."""
    slider = pn.widgets.IntSlider(name="n", start=0, end=10, value=3)
    layout = pn.Column(
        slider,
        pn.widgets.Checkbox(name="on"),
        pn.widgets.RadioButtonGroup(options=["a", "b"]),
        pn.widgets.IntInput(value=3),
        pn.widgets.Select(options=["a", "b"]),
        pn.pane.Bokeh(chart()),
    )
    document = layout.server_doc(Document())
    documents, _ = standalone_docs_json_and_render_items(
        document.roots, suppress_callback_warning=True
    )
    assert "Slider" in json.dumps(documents)
    (model,) = [model for model in document.models if isinstance(model, Slider)]
    change = {"kind": "ModelChanged", "model": {"id": model.id}, "attr": "value", "new": 7}
    document.apply_json_patch({"events": [change]})
    if slider.value != 7:
        raise RuntimeError(f"The slider is at {slider.value}, not at 7, after the patch.")
