"""One task as a score: what its lines and texts say is what its facts went through."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from lab.lifelines import (
    CARRIERS,
    context_line,
    edit_marks,
    ending,
    fact_texts,
    lives_of,
    scores,
    stations,
    step_texts,
)
from sim import Scenario, Timeline, simulate
from tests.lab.desk import settings

RUN = simulate({}, seed=1, tasks=5)


PACKS = [
    {},
    {"masking": True, "staking": "new_results", "clear_tool_results": False, "window": 24_000},
    {"offloading": True, "offload_above": 1_500, "read_back_rate": 0.5},
    {"archive": True, "offloading": True, "offload_above": 3_000},
    {"rework": 5.0},
    {"tool_cap": 800},
]


@st.composite
def timelines(draw) -> Timeline:
    tasks = draw(st.integers(1, 6))
    chosen = draw(settings()) | draw(st.sampled_from(PACKS))
    run = simulate(chosen, seed=draw(st.integers(0, 99)), tasks=tasks)
    return run.timeline(draw(st.integers(0, tasks - 1)))


def place_of(timeline: Timeline, row: int, done: int) -> str | None:
    """Where a fact is after ``done`` steps, from the table of facts alone; None if unrevealed."""
    facts = timeline.facts
    if facts.step[row] >= done:
        return None
    if 0 <= facts.lost_at[row] < done:
        return facts.state_names()[row]
    if 0 <= facts.summarised_at[row] < done:
        return "summary"
    return "restated" if 0 <= facts.restated_at[row] < done else "verbatim"


on_timelines = hypothesis_settings(
    deadline=None, max_examples=200, suppress_health_check=[HealthCheck.too_slow]
)


@on_timelines
@given(timelines())
def test_the_stations_of_a_fact_follow_each_other_without_a_gap(timeline):
    end = len(timeline.after)
    for row, life in enumerate(lives_of(timeline.facts)):
        if life.step >= end:
            continue
        line = stations(life, end)
        if timeline.facts.cause_names()[row] not in ("offloaded", "capped"):
            assert line[0][0] == "verbatim"
        elif not line:  # cut off, or not read back
            continue
        assert line[0][1] == timeline.facts.step[row] + 1
        assert all(before[2] == after[1] for before, after in pairwise(line))
        assert all(start <= stop for _, start, stop in line)
        names = [name for name, _, _ in line]
        assert names == sorted(set(names), key=CARRIERS.index)
        lost = place_of(timeline, row, end) == "lost"
        assert line[-1][2] == (timeline.facts.lost_at[row] + 1 if lost else end)


@on_timelines
@given(timelines())
def test_at_every_step_a_fact_is_in_exactly_the_carrier_that_the_table_of_facts_tells(timeline):
    for row, life in enumerate(lives_of(timeline.facts)):
        line = stations(life, len(timeline.after))
        for done in range(len(timeline.after)):
            carriers = [name for name, start, stop in line if start <= done < stop]
            place = place_of(timeline, row, done)
            assert carriers == ([place] if place in CARRIERS else [])


@on_timelines
@given(timelines())
def test_a_fact_ends_in_the_carrier_that_is_its_state(timeline):
    end = len(timeline.after)
    for row, state in enumerate(timeline.facts.state_names()):
        assert (place_of(timeline, row, end) or "unrevealed") == state


@on_timelines
@given(timelines())
def test_the_counts_in_the_text_of_a_step_are_those_of_the_facts(timeline):
    texts = step_texts(timeline)
    assert len(texts) == len(timeline.after) + 1
    for done, words in enumerate(texts[1:], start=1):
        told = re.search(r" Facts: (.*)\.$", words).group(1)
        counts = {name: int(n) for n, name in re.findall(r"(\d+) (\w+)", told)}
        places = [place_of(timeline, row, done) for row in range(len(timeline.facts))]
        expected = {name: places.count(name) for name in (*CARRIERS, "lost") if name in places}
        assert counts == expected
        assert told.startswith("none") == (not set(places) & set(CARRIERS))


@on_timelines
@given(timelines())
def test_the_context_line_passes_through_every_reading(timeline):
    line = context_line(timeline)
    points = list(zip(line["x"], line["y"], strict=True))
    assert line["x"] == sorted(line["x"])
    assert points[0] == (0, timeline.read[0])
    for step, (after, left) in enumerate(zip(timeline.after, timeline.left, strict=True)):
        assert [y for x, y in points if x == step + 1] == [after, left][: 1 + (after != left)]


@on_timelines
@given(timelines())
def test_every_edit_has_a_mark_and_no_two_words_share_a_place(timeline):
    marks = edit_marks(timeline, 10.0)
    assert marks["x"] == [event.step + 1 for event in timeline.events]
    assert marks["kind"] == [event.kind for event in timeline.events]
    steps = max(len(timeline.after), 1)
    spans = []
    for x, word, align in zip(marks["label_x"], marks["label"], marks["align"], strict=True):
        if word:
            spans.append((x - 0.26 * steps, x) if align == "right" else (x, x + 0.26 * steps))
    spans.sort()
    assert all(before[1] <= after[0] for before, after in pairwise(spans))


@on_timelines
@given(timelines())
def test_the_lines_births_and_deaths_are_of_the_revealed_facts_only(timeline):
    drawn, end = scores(timeline), len(timeline.after)
    revealed = [row for row in range(len(timeline.facts)) if timeline.facts.step[row] < end]
    assert drawn["births"]["y"] == revealed
    names, causes = timeline.facts.state_names(), timeline.facts.cause_names()
    never = {r for r in revealed if names[r] == "lost" and causes[r] in ("offloaded", "capped")}
    assert set(drawn["segments"]["y"]) == set(revealed) - never
    assert drawn["deaths"]["y"] == [r for r in revealed if place_of(timeline, r, end) == "lost"]
    assert max([0, *drawn["segments"]["x1"]]) <= end


# --- the first task of the default setting, word for word ------------------------------------


def test_the_texts_of_the_first_task():
    texts = step_texts(RUN.timeline(0))
    assert texts[0] == "Start: the first request reads 3,500 tokens."
    assert texts[1] == "Step 1: reads 3,500, grows to 5,879 tokens. Facts: 1 verbatim."
    assert [words for words in texts if "compaction" in words] == [
        "Step 25: reads 50,718, grows to 51,376 tokens. Then compaction: 51,376 to 11,526. "
        "Facts: 2 verbatim, 9 summary, 3 lost.",
        "Step 36: reads 48,137, grows to 51,345 tokens. Then compaction: 51,345 to 22,211. "
        "Facts: 4 verbatim, 12 summary, 5 lost.",
    ]


def test_the_endings_of_the_first_task():
    timeline = RUN.timeline(0)
    endings = set(map(ending, lives_of(timeline.facts)))
    assert endings == {
        "in the summary since step 25",
        "in the summary since step 36",
        "lost: dropped by the first summary at step 25",
        "lost: dropped by the second summary at step 36",
        "verbatim at the end",
    }


def test_the_texts_of_facts_stand_in_their_rows_and_only_of_those_revealed():
    texts = fact_texts(RUN.timeline(0))
    assert texts[0] == (
        "Fact 1, from step 1, needed: lost: dropped by the first summary at step 25."
    )
    run = simulate({"strategy": "none"}, seed=1, tasks=20)
    timeline = run.timeline(int(np.argmax(run.failed)))
    revealed = timeline.facts.step < len(timeline.after)
    assert [bool(words) for words in fact_texts(timeline)] == revealed.tolist()
    assert not revealed.all()


def test_a_note_outlives_what_it_notes():
    timeline = simulate({"notes": True, "strategy": "truncate"}, seed=1, tasks=1).timeline(0)
    words = [ending(life) for life in lives_of(timeline.facts)]
    assert "in the notes; dropped by truncation at step 24" in words


def test_what_files_hold_is_told_and_so_is_what_they_kept_to_themselves():
    packs = {"offloading": True, "offload_above": 2_000, "archive": True, "summary_budget": 200}
    facts = simulate(packs, seed=1, tasks=20).facts
    words = {re.sub(r"\d+", "N", ending(life)) for life in lives_of(facts)}
    assert {
        "on disk; offloaded with its tool result at step N",
        "lost: offloaded with its tool result at step N and not read back",
        "in the archive; dropped by the first summary at step N",
        "lost: dropped by the first summary at step N",
    } <= words
    facts = simulate({"masking": True}, seed=1, tasks=20).facts
    words = {re.sub(r"\d+", "N", ending(life)) for life in lives_of(facts)}
    assert "lost: masked with the middle of its tool result at step N" in words
    facts = simulate({"tool_cap": 500}, seed=1, tasks=20).facts
    words = {re.sub(r"\d+", "N", ending(life)) for life in lives_of(facts)}
    assert "lost: cut off with the end of its tool result at step N" in words


def test_masks_and_re_reading_have_their_words():
    run = simulate({"rework": 9.0, "masking": True, "window": 16_000}, seed=1, tasks=20)
    told = " ".join(words for task in range(20) for words in step_texts(run.timeline(task)))
    assert " Then mask: " in told
    assert " Then reads again: " in told


def test_a_task_without_facts_says_none():
    timeline = simulate({"fact_rate": 0.0}, seed=1, tasks=1).timeline(0)
    assert step_texts(timeline)[1].endswith(" Facts: none.")
    assert scores(timeline)["segments"]["y"] == []


def test_a_failed_task_ends_with_the_words_for_it():
    run = simulate({"strategy": "none"}, seed=1, tasks=20)
    words = step_texts(run.timeline(int(np.argmax(run.failed))))[-1]
    assert re.search(r" Then overflow: ([\d,]+) to \1\. Then fails: \1 to \1\. Facts: ", words)


def test_the_default_scenario_is_what_these_words_are_about():
    assert RUN.scenario == Scenario()
