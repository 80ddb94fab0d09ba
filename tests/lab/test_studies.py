"""The pages of the studies: every figure of every study, and none that is not there."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from urllib.parse import urlsplit

import pytest

from lab import share, studies
from lab.inserts import ArticleError
from sim import Scenario
from sim.studies import plain
from sim.studies.catalogue import STUDIES, run_study
from sim.studies.study import Finding, Row, Table

PAGES = {name: f"study-{name.replace('_', '-')}.html" for name in STUDIES}


@pytest.fixture(scope="module")
def pages():
    return {name: data.decode() for name, data in studies.render("lab-0/").items()}


@pytest.fixture(scope="module")
def found():
    return {name: run_study(name) for name in STUDIES}


def words(html):
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def test_there_is_an_index_and_a_page_for_each(pages):
    assert set(pages) == {"studies.html", *PAGES.values()}


def test_the_index_has_every_question_and_every_finding_and_leads_to_the_pages(pages, found):
    index = words(pages["studies.html"])
    for name, study in found.items():
        assert f'<a href="{PAGES[name]}">' in pages["studies.html"]
        for text in (study.title, study.question, *(f.text for f in study.findings)):
            assert " ".join(text.split()) in index


@pytest.mark.parametrize("name", STUDIES)
def test_a_page_has_all_that_the_command_prints(pages, found, name):
    page, study = words(pages[PAGES[name]]), found[name]
    texts = [study.title, study.question, study.method, *study.misses, *study.cannot_verify]
    texts += [*study.sources, *(finding.text for finding in study.findings)]
    for text in texts:
        assert " ".join(text.split()) in page
    rows = re.findall(r"<tr>\s*<th scope=\"row\">.*?</tr>", pages[PAGES[name]], re.DOTALL)
    expected = [(table, row) for table in study.tables for row in table.rows]
    assert len(rows) == len(expected)
    for html, (table, row) in zip(rows, expected, strict=True):
        said = words(html)
        unit = studies.UNITS[studies.unit_of(table)][0]
        for text in (plain.ours_text(row), plain.interval_text(row), row.label, row.note):
            assert " ".join(text.removesuffix(unit).split()) in said
        assert ("not verified" in said) == (row.is_published and not row.verified)
        assert ("agrees" in said, "differs" in said) == (row.within is True, row.within is False)


@pytest.mark.parametrize("name", STUDIES)
def test_a_page_needs_no_script_and_its_drawings_hide_nothing(pages, found, name):
    page = pages[PAGES[name]]
    assert re.findall(r"<script[^>]*>", page) == ['<script src="lab-0/theme.js">']
    drawings = re.findall(r"<svg[^>]*>", page)
    assert len(drawings) == sum(len(table.rows) for table in found[name].tables if table.chart)
    assert all('aria-hidden="true"' in drawing for drawing in drawings)
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("name", STUDIES)
def test_a_link_loads_the_settings_that_the_lab_has(pages, found, name):
    links = re.findall(r'<li><a href="(\./\?[^"]*)">(.*?)</a>', pages[PAGES[name]])
    settings = found[name].settings
    assert [unescape(text) for _, text in links] == list(settings)
    for (address, _), wanted in zip(links, settings.values(), strict=True):
        taken = share.from_query(urlsplit(unescape(address)).query)
        assert taken.ignored == ()
        known = {key: value for key, value in wanted.items() if key in studies.DEFAULTS}
        scenario = Scenario().replace(**known)
        assert Scenario.from_dict(taken.settings) == scenario


def test_what_the_lab_does_not_have_is_said_to_be_left_out(monkeypatch):
    assert studies.is_partial({"window": 1, "warp_drive": True})
    assert not studies.is_partial({"window": 1})
    assert studies.link({"window": 32_000, "warp_drive": True}) == "./?v=1&window=32000"


def test_a_finding_that_does_not_hold_stops_the_build(monkeypatch):
    real = run_study("cost_reversal")
    false = replace(real, findings=(Finding(text="All is well.", holds=False),))
    monkeypatch.setattr(studies, "run_study", lambda name, seed: false)
    with pytest.raises(ArticleError) as error:
        studies.render("lab-0/")
    assert str(error.value) == (
        "the study cost_reversal says “All is well.”, which does not hold any more: correct its "
        "words, or what has changed the figures."
    )


def table(*rows, chart=True):
    return Table(title="T", rows=rows, chart=chart)


def test_a_scale_holds_every_figure_of_its_table_and_zero():
    rows = (
        Row(label="a", ours=2.0, low=1.5, high=3.0),
        Row(label="b", ours=5.0, published=8.0, published_low=7.0, published_high=9.0),
    )
    scale = studies.scale_of(table(*rows))
    assert (scale.low, scale.high, scale.ends) == (0.0, 9.0, ("0.000", "9.000"))
    below = studies.scale_of(table(Row(label="a", ours=-2.0, low=-3.0, high=-1.0)))
    assert (below.low, below.high) == (-3.0, 0.0)
    assert studies.scale_of(table(*rows, chart=False)) is None


def test_a_strip_has_each_figure_at_its_place():
    row = Row(label="a", ours=2.0, low=1.0, high=3.0, published=4.0, published_low=3.5, note="n")
    scale = studies.scale_of(table(row, Row(label="b", ours=-1.0)))
    cell = studies.cells(row, scale, "")
    assert cell["strip"] == {
        "zero": 200.0, "ours": 600.0, "published": 1000.0,
        "interval": (400.0, 800.0), "range": (900.0, 1000.0),
    }  # fmt: skip
    assert studies.cells(row, None, "")["strip"] is None


def test_a_unit_that_is_a_word_stands_in_the_caption_alone():
    tokens = table(Row(label="a", ours=2.0, unit="tokens"), Row(label="b", ours=3.0, unit="tokens"))
    assert studies.unit_of(tokens) == "tokens"
    assert studies.cells(tokens.rows[0], None, "tokens")["ours"] == "2"
    mixed = table(Row(label="a", ours=2.0, unit="tokens"), Row(label="b", ours=3.0, unit="s"))
    assert studies.unit_of(mixed) == ""
    assert [studies.cells(row, None, "")["ours"] for row in mixed.rows] == [
        "2 tokens", "3.00\u00a0s"
    ]  # fmt: skip
    assert studies.unit_of(table(Row(label="a", ours=2.0, unit="s"))) == ""
