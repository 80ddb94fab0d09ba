"""The lab as one writes it with Panel alone, for the benchmark: same model, settings, charts.

``panel convert`` makes a page of it; see ``converted.py``.
"""

import numpy as np
import panel as pn
from bokeh.models import ColumnDataSource
from bokeh.plotting import figure

from sim import (
    TILES,
    Scenario,
    compare,
    setting_default,
    setting_info,
    setting_names,
    simulate,
)

pn.extension()

SLIDERS = {
    "window": (16_000, 200_000, 1_000), "trigger": (0.4, 0.95, 0.05),
    "summary_budget": (200, 8_000, 100), "keep_recent": (0, 16, 1),
}  # fmt: skip


def widget(name):
    """The widget that suits a setting."""
    default, info = setting_default(name), setting_info(name)
    if name in SLIDERS:
        start, end, step = SLIDERS[name]
        whole = isinstance(default, int)
        kind = pn.widgets.IntSlider if whole else pn.widgets.FloatSlider
        return kind(name=name, value=default, start=start, end=end, step=step)
    if isinstance(default, bool):
        return pn.widgets.Checkbox(name=name, value=default)
    if "options" in info:
        return pn.widgets.Select(name=name, value=default, options=list(info["options"]))
    return pn.widgets.FloatInput(name=name, value=default)


def chart(title, **more):
    """A figure of the size of the lab's."""
    return figure(
        title=title, height=240, sizing_mode="stretch_width", toolbar_location=None, **more
    )


settings = {name: widget(name) for name in setting_names()}
own = {"seed": pn.widgets.IntInput(name="seed", value=1, start=1),
       "tasks": pn.widgets.IntInput(name="tasks", value=400, start=1),
       "task": pn.widgets.IntInput(name="task", value=0, start=0)}  # fmt: skip
sources = {name: ColumnDataSource() for name in ("context", "lives", "causes", "costs", "visited")}
tiles = {name: pn.indicators.Number(name=name, value=0, format="{value:,.4g}") for name in TILES}
differences = {name: pn.pane.Markdown("") for name in TILES}
baseline = Scenario()
visited = {"x": [], "y": []}

context = chart("Context of the task")
context.line("x", "y", source=sources["context"])
lives = chart("Life lines of its facts")
lives.segment("start", "fact", "end", "fact", source=sources["lives"], line_width=3)
causes = chart("Why facts are lost")
causes.vbar("x", top="y", width=0.8, source=sources["causes"])
costs = chart("What the dollars are for")
costs.vbar("x", top="y", width=0.8, source=sources["costs"])
places = chart("Settings visited")
places.scatter("x", "y", source=sources["visited"], size=8)


def update(*_):
    """Simulate what is set, and show it beside the baseline."""
    values = {name: type(setting_default(name))(each.value) for name, each in settings.items()}
    run = simulate(Scenario.from_dict(values), seed=own["seed"].value, tasks=own["tasks"].value)
    other = simulate(baseline, seed=own["seed"].value, tasks=own["tasks"].value)
    paired = compare(other, run)
    for name in TILES:
        tiles[name].value = run.tiles[name].value
        differences[name].object = f"{paired[name].value:+.4g} to the baseline"
    timeline = run.timeline(min(own["task"].value, len(run) - 1))
    sources["context"].data = {"x": np.arange(len(timeline.after)), "y": timeline.after}
    facts, last = timeline.facts, len(timeline.after)
    sources["lives"].data = {
        "start": facts.step,
        "end": np.where(facts.lost_at < 0, last, facts.lost_at),
        "fact": np.arange(len(facts.step)),
    }
    for name, found in (("causes", run.causes), ("costs", run.cost_split)):
        sources[name].data = {"x": np.arange(len(found)), "y": np.array([*found.values()])}
    visited["x"].append(run.tiles["cost"].value)
    visited["y"].append(run.tiles["success"].value)
    sources["visited"].data = {name: list(each) for name, each in visited.items()}


for each in (*settings.values(), *own.values()):
    each.param.watch(update, "value")
update()

shown = [*SLIDERS, "strategy", "clear_tool_results", "notes", "pin_instruction"]
pn.Row(
    pn.Column(
        *(settings[name] for name in shown), *own.values(),
        pn.Card(*(each for name, each in settings.items() if name not in shown),
                title="The rest", collapsed=True),
    ),
    pn.Column(
        pn.GridBox(*(pn.Column(tiles[name], differences[name]) for name in TILES), ncols=5),
        *(pn.pane.Bokeh(each, sizing_mode="stretch_width")
          for each in (context, lives, causes, costs, places)),
        sizing_mode="stretch_width",
    ),
).servable()  # fmt: skip
