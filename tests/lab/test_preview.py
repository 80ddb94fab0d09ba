"""The preview: the simulator's numbers as HTML that any page can hold, and its snippet."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings

from lab.preview import fragment, preview
from lab.share import to_query
from lab.snippet import snippet
from lab.state import LabState
from sim import ScenarioError, simulate
from tests.strategies import scenarios

BASE = "https://example.org/lab/"
NASTY = '"><script>alert(1)</script>&'
VOID = {"path", "br"}


class Reader(HTMLParser):
    """What a page would make of a fragment; it fails where elements do not nest."""

    def __init__(self, html):
        super().__init__()
        self.open, self.tags, self.words, self.attributes = [], [], "", []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words += data


def test_a_preview_shows_the_sentence_and_the_numbers_of_its_configuration():
    words = Reader(preview({}, link="./")).words
    assert "66 of 100 tasks succeed, at $3.60 each." in words
    for name, value in [
        ("Task success", "65.8 %"), ("Cost per task", "$3.60"), ("Needed facts lost", "9.6 %"),
    ]:  # fmt: skip
        assert name + value in words
    assert "a deterministic synthetic model" in words


def test_a_preview_draws_the_context_of_the_task_that_is_asked_for():
    run = simulate({"window": 32_000}, seed=3, tasks=20)
    html = fragment(run, run.timeline(7), "./")
    *_, line = re.findall(r'<path d="M([^"]*)"', html)
    points = [tuple(map(int, point.split())) for point in line.split("L")]
    drops = sum(run.timeline(7).left != run.timeline(7).after)
    assert len(points) == 1 + run.steps[7] + drops
    assert (points[0][0], points[-1][0]) == (0, 1000)
    top = 1.05 * max(32_000, run.peak[7])
    assert points[0][1] == round(100 * (1 - run.timeline(7).read[0] / top))
    assert "dashed, the window of 32,000 tokens; dotted, the trigger at 80 %" in html
    assert html != fragment(run, run.timeline(8), "./")


def test_without_a_strategy_there_is_no_trigger_to_draw():
    html = preview({"strategy": "none"}, link="./")
    assert "trigger" not in html
    assert html.count("<path") == preview({}, link="./").count("<path") - 1


def test_the_same_configuration_gives_the_same_text():
    assert preview({"notes": True}, seed=5, link="./") == preview(
        {"notes": True}, seed=5, link="./"
    )


def test_what_is_put_into_a_preview_cannot_leave_its_place():
    reader = Reader(preview({}, link=NASTY))
    assert "script" not in reader.tags
    assert dict(reader.attributes)["a"] == {"href": NASTY}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"settings": {"window": "lots"}}, "window is 'lots' but must be"),
        ({"settings": {"windw": 1}}, "did you mean window?"),
        ({"settings": {}, "task": 400}, "task is 400 but must be from 0 to 399"),
        ({"settings": {}, "task": -1}, "task is -1 but must be from 0 to 399"),
    ],
)
def test_a_preview_of_nonsense_is_refused_in_a_sentence(arguments, says):
    with pytest.raises(ScenarioError, match=re.escape(says)):
        preview(**arguments, link="./")


@given(scenarios())
@hypothesis_settings(max_examples=15, deadline=None)
def test_any_configuration_has_a_preview(scenario):
    run = simulate(scenario, seed=1, tasks=3)
    words = Reader(fragment(run, run.timeline(1), "./")).words
    assert " tasks succeed" in words


def test_the_lines_to_embed_hold_the_state_and_its_preview():
    state = LabState(window=32_000, noisy_tools=True, seed=7)
    query = to_query(state, LabState(window=48_000).settings())
    run = simulate(state.settings(), seed=7, tasks=400)
    lines = snippet(run, run.timeline(3), query, BASE)
    reader = Reader(lines)
    named = dict(reader.attributes)
    assert named["script"] == {"src": f"{BASE}embed.js", "defer": None}
    assert named["compaction-lab"] == {
        "window": "32000", "noisy_tools": "true", "seed": "7", "base.window": "48000",
    }  # fmt: skip
    assert {"v": "1", **named["compaction-lab"]} == dict(parse_qsl(query))
    assert named["a"] == {"href": f"{BASE}?{query}"}
    assert fragment(run, run.timeline(3), f"{BASE}?{query}") in lines


def test_the_lines_to_embed_the_default_name_no_setting():
    run = simulate({}, seed=1, tasks=400)
    lines = snippet(run, run.timeline(0), "v=1", BASE)
    assert "<compaction-lab>\n" in lines
    assert dict(Reader(lines).attributes)["a"] == {"href": BASE}
