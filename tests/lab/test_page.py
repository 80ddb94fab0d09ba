"""The page as it is written at build time: valid, labelled, legible, and with the real results."""

from __future__ import annotations

import json
import re
from collections import Counter
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from lab import page
from lab.app import Lab
from lab.page import first_document
from lab.text import controls, text
from lab.theme import DARK, LIGHT
from sim import TILES, Scenario, simulate

VOID = {"meta", "link", "input", "br", "img", "hr"}
RUNTIME = {"packages.tar.gz": "sha256-LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ="}


class Tree(HTMLParser):
    """The elements of a page in order, each with its tag, attributes, text and ancestors."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[dict] = []
        self.open: list[dict] = []
        self.faults: list[str] = []
        self.feed(html)
        self.faults += [f"<{element['tag']}> is not closed" for element in self.open]

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        if len(names) != len(set(names)):
            self.faults.append(f"<{tag}> has an attribute twice")
        element = {
            "tag": tag, "attrs": dict(attrs), "text": "", "inside": [e["tag"] for e in self.open],
        }  # fmt: skip
        if tag in ("p", "div", "ul", "h2", "h3", "table", "section") and "p" in element["inside"]:
            self.faults.append(f"<{tag}> inside <p>")
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag):
        if not self.open or self.open[-1]["tag"] != tag:
            self.faults.append(f"</{tag}> closes nothing")
        else:
            self.open.pop()

    def handle_data(self, data):
        for element in self.open:
            element["text"] += data


@pytest.fixture(scope="module")
def html():
    return page.render("lab-0/", RUNTIME)["index.html"].decode()


@pytest.fixture(scope="module")
def tree(html):
    return Tree(html)


@pytest.fixture(scope="module")
def ids(tree):
    return {
        element["attrs"]["id"]: element for element in tree.elements if "id" in element["attrs"]
    }


def with_attribute(tree, name):
    return [element for element in tree.elements if name in element["attrs"]]


def test_every_element_is_closed_where_it_should_be(html, tree):
    assert html.startswith("<!doctype html>\n")
    assert tree.faults == []


def test_no_id_is_given_twice(tree):
    counts = Counter(element["attrs"]["id"] for element in with_attribute(tree, "id"))
    assert [name for name, count in counts.items() if count > 1] == []


@pytest.mark.parametrize(
    "attribute", ["for", "aria-labelledby", "aria-describedby", "aria-controls"]
)
def test_every_reference_is_to_an_element_that_there_is(tree, ids, attribute):
    elements = with_attribute(tree, attribute)
    assert elements
    named = {name for element in elements for name in element["attrs"][attribute].split()}
    assert named - ids.keys() == set()


def test_every_link_within_the_page_has_its_target(tree, ids):
    links = [e["attrs"]["href"] for e in tree.elements if e["tag"] == "a"]
    assert links
    assert {link for link in links if link[0] != "#"} == {
        "article.html", "studies.html", "licenses.html", "manifest.json",
    }  # fmt: skip
    assert {link[1:] for link in links if link[0] == "#"} - ids.keys() == set()


def test_every_control_has_an_input_with_a_label(tree, ids):
    labelled = {e["attrs"]["for"] for e in tree.elements if e["tag"] == "label" and e["attrs"]}
    for name, control in controls().items():
        if control.kind == "choice":
            assert ids[f"label-{name}"]["text"] == control.label
            continue
        assert ids[name]["tag"] == "input"
        assert name in labelled
    assert {"seed", "task"} <= labelled


def test_every_button_has_a_name(tree):
    for element in tree.elements:
        if element["tag"] == "button":
            assert element["attrs"].get("aria-label") or re.search(r"\w", element["text"])


def test_every_control_shows_the_default(ids):
    defaults = Scenario().all_settings() | {"tasks": 400}
    for name, control in controls().items():
        if control.kind == "slider" or control.kind == "number":
            assert float(ids[name]["attrs"]["value"]) == defaults[name]
        elif control.kind == "switch":
            assert ("checked" in ids[name]["attrs"]) is defaults[name]


def test_the_checked_strategy_is_the_default(tree):
    (checked,) = [
        e["attrs"]["value"] for e in tree.elements
        if e["attrs"].get("name") == "strategy" and "checked" in e["attrs"]
    ]  # fmt: skip
    assert checked == "2"


def test_every_tile_carries_the_unrounded_result_of_the_simulator(tree):
    tiles = {e["attrs"]["data-tile"]: float(e["attrs"]["data-value"])
             for e in with_attribute(tree, "data-tile")}  # fmt: skip
    run = simulate(Scenario(), seed=1, tasks=400)
    assert tiles == {key: run.tiles[key].value for key in TILES}
    assert round(tiles["success"], 4) == 0.6582
    assert round(tiles["p95_peak"], 2) == 56_532.75


def test_the_first_paint_says_what_the_run_gave(ids):
    assert ids["sentence"]["text"].startswith("66 of 100 tasks succeed, at $3.60 each.")


def test_the_controls_say_that_they_are_not_live_yet(ids, tree):
    assert ids["status-text"]["text"].startswith("Not live yet")
    assert tree.elements[0]["attrs"]["data-stage"] == "page"
    assert tree.elements[0]["attrs"]["data-settled"] == "false"


def test_what_has_no_effect_at_first_cannot_be_pressed_at_first(ids):
    """Buttons that the first readout disables are disabled in the page as it is written."""
    for name in ("pin", "restore-baseline", "task-before"):
        assert "disabled" in ids[name]["attrs"], name


def test_controls_at_rest_are_disabled_and_say_why(ids):
    assert "disabled" in ids["noted_rate"]["attrs"]
    assert "at rest: no notes" in ids["help-noted_rate"]["text"]
    assert "disabled" not in ids["trigger"]["attrs"]


def test_every_chart_has_a_place_a_description_and_a_table(tree, ids):
    tables = [e["attrs"]["data-table"] for e in with_attribute(tree, "data-table")]
    assert sorted(tables) == sorted(set(text()["charts"]) - {"agents"})
    assert ids["presets-table"]["attrs"]["role"] == "region"  # theirs, to be sorted
    for name in text()["charts"]:
        assert ids[f"chart-{name}"]["attrs"]["role"] == "img"
        assert len(ids[f"chart-{name}"]["attrs"]["aria-label"]) > 20


def test_the_assumptions_and_the_limits_are_there_in_full(ids):
    words = ids["assumptions"]["text"]
    for line in text()["assumptions"]:
        assert line["what"] in words
        assert line["source"] in words
    for limit in text()["limits"]["text"]:
        assert limit in words
    assert "deterministic synthetic model" in words


def test_headings_go_down_one_level_at_a_time(tree):
    levels = [int(e["tag"][1]) for e in tree.elements if re.fullmatch(r"h[1-6]", e["tag"])]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_the_document_that_the_page_draws_is_the_lab_itself(ids):
    data = json.loads(ids["page-data"]["text"])
    lab = Lab()
    assert data["document"] == json.loads(json.dumps(first_document(lab)))
    assert data["signature"] == lab.signature()


def test_python_starts_before_all_else_and_knows_what_its_files_must_be(tree):
    loaded = [e["attrs"] for e in tree.elements if "lab-0/" in str(e["attrs"])]
    assert loaded[0]["src"] == "lab-0/start.js"
    assert json.loads(loaded[0]["data-runtime"]) == RUNTIME


def test_the_page_is_the_same_whenever_it_is_written():
    assert page.render("lab-0/", RUNTIME) == page.render("lab-0/", RUNTIME)


def test_nothing_in_the_data_can_end_its_script(html):
    data = html.partition('id="page-data">')[2].partition("</script>")[0]
    assert "</" not in data
    assert json.loads(data)


# --- colours ----------------------------------------------------------------------------------

SCHEMES = {"light": LIGHT, "dark": DARK}


def luminance(colour: str) -> float:
    """Relative luminance, by WCAG 2."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted([luminance(one), luminance(other)], reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_black_on_white_has_the_contrast_that_it_is_known_to_have():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.478, abs=0.001)


def test_both_schemes_name_the_same_colours():
    assert list(LIGHT) == list(DARK)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("ground", ["page", "card"])
@pytest.mark.parametrize("name", ["ink", "muted", "accent", "good", "bad"])
def test_text_can_be_read(scheme, ground, name):
    assert contrast(SCHEMES[scheme][name], SCHEMES[scheme][ground]) >= 4.5


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(
    ("name", "ground"),
    [("card", "accent"), ("accent", "accent-soft"), ("lost", "card")],
)
def test_text_on_buttons_choices_and_in_the_legend_can_be_read(scheme, name, ground):
    assert contrast(SCHEMES[scheme][name], SCHEMES[scheme][ground]) >= 4.5


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", ["edge", "accent", "verbatim", "summary", "notes", "lost"])
def test_graphics_stand_out_from_their_card(scheme, name):
    assert contrast(SCHEMES[scheme][name], SCHEMES[scheme]["card"]) >= 3


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_palest_carrier_stands_out_at_least_a_little(scheme):
    """A restated fact has a second sign: its thinner line, its word in the legend and tables."""
    assert contrast(SCHEMES[scheme]["restated"], SCHEMES[scheme]["card"]) >= 2


def test_the_style_sheet_has_both_palettes(tree):
    css = page.parts()["lab.css"].decode()
    for colours in (LIGHT, DARK):
        assert all(f"--{name}:{value};" in css for name, value in colours.items())
    for name in re.findall(r"var\(--([\w-]+)", css):
        assert name in LIGHT or name in ("fill", "way")
