"""The figures, and what they are fed."""

from __future__ import annotations

import json

import pytest
from bokeh.models import ColumnDataSource, Range1d
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings

from lab.feeds import Feeds
from lab.figures import EDIT_COLOURS, Figures
from lab.session import Session
from lab.state import LabState
from lab.tables import CAUSE_ROWS
from lab.text import dollars, percent
from lab.theme import DARK, LIGHT
from sim import simulate
from tests.lab.desk import settings


def charted(tasks=40, seed=1, task=0, **changes):
    """Figures that have been fed from the default setting on to another one, and its session."""
    session = Session(LabState(tasks=tasks, seed=seed))
    figures, feeds = Figures(), Feeds()
    figures.show(feeds.changes(session))
    session.state.param.update(**changes)
    session.update()
    session.state.task = task
    figures.show(as_json(feeds.changes(session)))
    return figures, session


def as_json(feed):
    return json.loads(json.dumps(feed, allow_nan=False))


def columns_of_one_length(figures):
    return all(
        len({len(column) for column in model.data.values()}) == 1
        for figure in figures.roots.values()
        for model in figure.references()
        if isinstance(model, ColumnDataSource)
    )


def test_the_charts_of_the_default_setting():
    figures, session = charted()
    data = {
        n: figures.named(f"{n}-data").data
        for n in ("context", "edits", "causes", "costs", "now", "baseline")
    }
    assert max(data["context"]["y"]) == session.run.peak[0]
    assert data["edits"]["kind"] == ["compaction", "compaction"]
    assert data["causes"]["row"] == list(CAUSE_ROWS)
    assert sum(data["causes"]["value"]) == session.run.needed_lost.sum()
    assert sum(data["costs"]["value"]) == pytest.approx(session.run.tiles["cost"].value)
    assert data["now"]["cost"] == data["baseline"]["cost"] == [session.run.tiles["cost"].value]


def test_the_levels_are_drawn_where_they_are():
    figures, _ = charted(window=32_000, trigger=0.5)
    assert (figures.named("window").location, figures.named("window-label").text) == (
        32_000,
        "window 32,000",
    )
    assert (figures.named("trigger").location, figures.named("trigger-label").text) == (
        16_000,
        "trigger 50 %",
    )
    assert figures.named("trigger").visible
    assert figures.roots["context"].y_range.end > 32_000


def test_levels_close_to_the_axis_share_one_word_above_the_window():
    figures, _ = charted(window=16_000, tool_tokens_median=100_000)
    assert figures.named("window-label").text == "window 16,000 · trigger 80 %"
    assert figures.named("trigger").visible
    assert not figures.named("trigger-label").visible


def test_without_a_strategy_there_is_no_trigger_to_draw():
    figures, _ = charted(strategy="none")
    assert not figures.named("trigger").visible
    assert not figures.named("trigger-label").visible


def test_a_failed_task_is_drawn_up_to_where_it_fails():
    run = simulate({"strategy": "none"}, seed=1, tasks=40)
    task = int(run.failed.argmax())
    figures, session = charted(task=task, strategy="none")
    assert session.run.failed[task]
    edits, context, births = (
        figures.named(f"{name}-data").data for name in ("edits", "context", "births")
    )
    assert edits["kind"][-2:] == ["overflow", "failed"]
    failed_at = edits["x"][-1]
    assert max(context["x"]) == failed_at < run.steps[task]
    assert max(births["x"]) <= failed_at


def test_a_task_without_facts_leaves_the_life_lines_empty():
    figures, _ = charted(fact_rate=0.0)
    for name in ("segments", "births", "deaths"):
        assert set(map(len, figures.named(f"{name}-data").data.values())) == {0}
    assert figures.roots["lives"].y_range.start > figures.roots["lives"].y_range.end


def test_no_loss_leaves_bars_of_no_length_and_a_range_that_can_be_drawn():
    figures, _ = charted(summary_budget=8_000)
    assert list(figures.named("causes-data").data["value"]) == [0, 0, 0, 0, 0, 0]
    assert figures.roots["causes"].x_range.end > 0


def test_a_window_smaller_than_what_is_pinned_is_drawn():
    figures, session = charted(
        window=4_000, system_tokens=3_000, instruction_tokens=900, pin_instruction=True
    )
    assert session.run.failed.all()
    assert columns_of_one_length(figures)
    assert figures.roots["context"].y_range.end >= session.run.peak[0]


def test_free_tasks_leave_a_range_that_can_be_drawn():
    figures, _ = charted(input_per_mtok=0.0)
    x_range = figures.roots["visited"].x_range
    assert x_range.start < 0 < x_range.end


def test_visits_are_appended_and_the_marks_move():
    figures, session = charted()
    feeds = Feeds()
    feeds.changes(session)
    for window in (32_000, 48_000):
        session.state.window = window
        session.update()
        figures.show(feeds.changes(session))
    source = figures.named("visited-data")
    assert len(source.data["cost"]) == len(session.visits) == 3
    success, cost = percent(session.visits[1].success), dollars(session.visits[1].cost)
    said = f"Context window 32,000 tokens, 40 tasks: {success} at {cost}, seed 1."
    assert source.data["text"][1] == said
    assert source.data["success"][-1] == figures.named("now-data").data["success"][0]


def test_only_what_is_new_is_fed():
    feeds, session = Feeds(), Session(LabState(tasks=40))
    whole = feeds.changes(session)
    assert list(whole["more"]) == ["visited"]
    assert feeds.changes(session) == {"set": {}, "data": {}, "more": {}}
    session.state.task = 3
    again = feeds.changes(session)
    assert set(again["data"]) <= {"context", "edits", "segments", "births", "deaths"}
    assert "context" in again["data"]
    assert again["more"] == {}


@hypothesis_settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
@given(settings())
def test_any_setting_can_be_drawn(chosen):
    figures, session = charted(tasks=5, task=3, **chosen)
    assert session.error is None
    assert columns_of_one_length(figures)
    for figure in figures.roots.values():
        for bounds in (figure.x_range, figure.y_range):
            if isinstance(bounds, Range1d):
                assert bounds.start != bounds.end
    assert set(figures.named("edits-data").data["kind"]) <= set(EDIT_COLOURS)


def test_every_colour_of_a_chart_is_named_by_its_meaning():
    palette = set(LIGHT.values())
    for figure in Figures().roots.values():
        for model in figure.references():
            meanings = {n: m for tag in model.tags if isinstance(tag, dict) for n, m in tag.items()}
            for name, value in model.properties_with_values().items():
                colours = value if isinstance(value, list) else [value]
                if not any(isinstance(colour, str) and colour in palette for colour in colours):
                    continue
                named = meanings[name] if isinstance(value, list) else [meanings[name]]
                assert colours == [LIGHT[meaning] for meaning in named]
                assert all(meaning in DARK for meaning in named)
