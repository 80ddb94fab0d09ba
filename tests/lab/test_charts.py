"""The figures: built once, fed by their sources."""

from __future__ import annotations

import pytest
from bokeh.models import Range1d
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings

from lab.charts import EDIT_COLOURS, Charts
from lab.session import Session
from lab.state import LabState
from lab.tables import CAUSE_ROWS
from lab.text import dollars, percent
from lab.theme import DARK, LIGHT
from sim import simulate
from tests.lab.desk import settings


def charted(tasks=40, seed=1, task=0, **changes):
    """A session at a setting, its baseline the default, and charts that have seen it begin."""
    session = Session(LabState(tasks=tasks, seed=seed))
    charts = Charts()
    charts.update(session)
    session.state.param.update(**changes)
    session.update()
    session.state.task = task
    charts.update(session)
    return charts, session


def columns_of_one_length(charts):
    return all(
        len({len(column) for column in source.data.values()}) == 1
        for source in charts.sources.values()
    )


def test_the_charts_of_the_default_setting():
    charts, session = charted()
    data = {name: source.data for name, source in charts.sources.items()}
    assert max(data["context"]["y"]) == session.run.peak[0]
    assert data["edits"]["kind"] == ["compaction", "compaction"]
    assert data["causes"]["row"] == list(CAUSE_ROWS)
    assert sum(data["causes"]["value"]) == session.run.needed_lost.sum()
    assert sum(data["costs"]["value"]) == pytest.approx(session.run.tiles["cost"].value)
    assert data["now"]["cost"] == data["baseline"]["cost"] == [session.run.tiles["cost"].value]


def test_the_levels_are_drawn_where_they_are():
    charts, _ = charted(window=32_000, trigger=0.5)
    assert (charts.window.location, charts.window_label.text) == (32_000, "window 32,000")
    assert (charts.trigger.location, charts.trigger_label.text) == (16_000, "trigger 50 %")
    assert charts.trigger.visible
    assert charts.figures["context"].y_range.end > 32_000


def test_levels_close_to_the_axis_share_one_word_above_the_window():
    charts, _ = charted(window=16_000, tool_tokens_median=100_000)
    assert charts.window_label.text == "window 16,000 · trigger 80 %"
    assert charts.trigger.visible
    assert not charts.trigger_label.visible


def test_without_a_strategy_there_is_no_trigger_to_draw():
    charts, _ = charted(strategy="none")
    assert not charts.trigger.visible
    assert not charts.trigger_label.visible


def test_a_failed_task_is_drawn_up_to_where_it_fails():
    run = simulate({"strategy": "none"}, seed=1, tasks=40)
    task = int(run.failed.argmax())
    charts, session = charted(task=task, strategy="none")
    assert session.run.failed[task]
    data = charts.sources
    assert data["edits"].data["kind"][-2:] == ["overflow", "failed"]
    failed_at = data["edits"].data["x"][-1]
    assert max(data["context"].data["x"]) == failed_at < run.steps[task]
    assert max(data["births"].data["x"]) <= failed_at


def test_a_task_without_facts_leaves_the_life_lines_empty():
    charts, _ = charted(fact_rate=0.0)
    for name in ("segments", "births", "deaths"):
        assert set(map(len, charts.sources[name].data.values())) == {0}
    assert charts.figures["lives"].y_range.start > charts.figures["lives"].y_range.end


def test_no_loss_leaves_bars_of_no_length_and_a_range_that_can_be_drawn():
    charts, _ = charted(summary_budget=8_000)
    assert list(charts.sources["causes"].data["value"]) == [0, 0, 0, 0, 0, 0]
    assert charts.figures["causes"].x_range.end > 0


def test_a_window_smaller_than_what_is_pinned_is_drawn():
    charts, session = charted(
        window=4_000, system_tokens=3_000, instruction_tokens=900, pin_instruction=True
    )
    assert session.run.failed.all()
    assert columns_of_one_length(charts)
    assert charts.figures["context"].y_range.end >= session.run.peak[0]


def test_free_tasks_leave_a_range_that_can_be_drawn():
    charts, _ = charted(input_per_mtok=0.0)
    x_range = charts.figures["visited"].x_range
    assert x_range.start < 0 < x_range.end


def test_visits_are_appended_and_the_marks_move():
    charts, session = charted()
    source = charts.sources["visited"]
    for window in (32_000, 48_000):
        session.state.window = window
        session.update()
        charts.update(session)
    assert len(source.data["cost"]) == len(session.visits) == 3
    success, cost = percent(session.visits[1].success), dollars(session.visits[1].cost)
    said = f"Context window 32,000 tokens, 40 tasks: {success} at {cost}, seed 1."
    assert source.data["text"][1] == said
    assert source.data["success"][-1] == charts.sources["now"].data["success"][0]


@hypothesis_settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
@given(settings())
def test_any_setting_can_be_drawn(chosen):
    charts, session = charted(tasks=5, task=3, **chosen)
    assert session.error is None
    assert columns_of_one_length(charts)
    for figure in charts.figures.values():
        for bounds in (figure.x_range, figure.y_range):
            if isinstance(bounds, Range1d):
                assert bounds.start != bounds.end
    assert set(charts.sources["edits"].data["kind"]) <= set(EDIT_COLOURS)


def test_no_model_is_made_by_an_update():
    charts, session = charted()
    before = {name: set(figure.references()) for name, figure in charts.figures.items()}
    session.state.strategy = "truncate"
    session.update()
    charts.update(session)
    assert before == {name: set(figure.references()) for name, figure in charts.figures.items()}


def test_every_colour_of_a_chart_is_named_by_its_meaning():
    palette = set(LIGHT.values())
    for figure in Charts().figures.values():
        for model in figure.references():
            meanings = {n: m for tag in model.tags if isinstance(tag, dict) for n, m in tag.items()}
            for name, value in model.properties_with_values().items():
                colours = value if isinstance(value, list) else [value]
                if not any(isinstance(colour, str) and colour in palette for colour in colours):
                    continue
                named = meanings[name] if isinstance(value, list) else [meanings[name]]
                assert colours == [LIGHT[meaning] for meaning in named]
                assert all(meaning in DARK for meaning in named)
