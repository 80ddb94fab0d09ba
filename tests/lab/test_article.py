"""The article: an argument of the promised length, in which no result is typed in."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl

import pytest

from lab import article
from lab.inserts import INSERT, ArticleError
from lab.page import parts
from lab.text import controls, text
from sim import Scenario, parse_setting, simulate
from tests.lab.test_page import Tree

HEAD = '+++\ntitle = "T"\ndescription = "D"\n[settings]\ndefault = ""\n+++\n'
# Said by the model's rules, not by a run of it.
RULES = ("until half of it is free",)
COUNT = "(?:one|two|three|four|five|six|seven|eight|nine|ten|a dozen|a hundred)"
FIGURE = re.compile(
    rf"\d|[%$]|\b(?:half|halves|twice|doubles?|triples?|a third|thirds|quarters?|tenfold|percent"
    rf"|{COUNT} times|{COUNT} (?:in|of|out of) {COUNT})\b",
    re.IGNORECASE,
)


@pytest.fixture(scope="module")
def source():
    return article.read()


@pytest.fixture(scope="module")
def page():
    return article.render("lab-0/")["article.html"].decode()


@pytest.fixture(scope="module")
def tree(page):
    return Tree(page)


def elements(tree, tag):
    return [element for element in tree.elements if element["tag"] == tag]


def prose(page):
    """The words of the article itself: no embeds, no references."""
    body = page.partition("<article>")[2].partition('<h2 id="references">')[0]
    return re.sub(r"<[^>]+>", " ", re.sub(r"<figure>.*?</figure>", "", body, flags=re.DOTALL))


def test_it_has_1200_to_1800_words(page):
    assert 1200 <= len(prose(page).split()) <= 1800


def test_no_result_is_typed_in(source):
    """Every figure comes from an insert; only the year and the page of a source may be typed."""
    words = re.sub(r"^```.*$", "", INSERT.sub("", source.body), flags=re.MULTILINE)
    words = words.partition("## References")[0]
    words = re.sub(r"^\d\. ", "", words, flags=re.MULTILINE)  # the list of advice
    for rule in RULES:
        assert rule in words
        words = words.replace(rule, "")
    assert FIGURE.findall(words) == []


def test_the_rule_against_figures_finds_them():
    for words in (
        "66 %",
        "it halves",
        "costs $ more",
        "nine in ten tasks",
        "twice as much",
        "four times",
    ):
        assert FIGURE.search(words), words
    assert not FIGURE.search("sometimes, one of these facts, four turns, the third turn")


@pytest.mark.parametrize("seed", range(1, 7))
def test_every_claim_holds_on_other_seeds_too(source, seed):
    assert "Second turn" in article.html(source, seed=seed)


def test_the_numbers_in_the_text_are_those_of_the_simulator(page):
    words = prose(page).replace("\u00a0", " ")
    run = simulate(Scenario().replace(strategy="truncate"), seed=1, tasks=400)
    assert f"it leaves {100 * run.tiles['success'].value:.0f} % of tasks successful" in words
    assert "it leaves 8 % of tasks successful" in words
    assert "With clearing on, it more than doubles, to 84 %." in words


def test_a_claim_that_does_not_hold_stops_the_build(monkeypatch):
    false = "Text.\n\nNotes {{claim: falls | success default -> notes=true}}.\n"
    monkeypatch.setattr(article, "read", lambda real=article.read: real(HEAD + false))
    with pytest.raises(ArticleError) as error:
        article.render("lab-0/")
    assert str(error.value) == (
        "article.md, line 9: the claim “falls” does not hold, since success is 65.8 %, then "
        "88.6 %: correct the words, or the settings they are about."
    )


@pytest.mark.parametrize(
    ("fence", "sentence"),
    [
        ("python", "a fence is an embed here: write lab after its marks."),
        ("", "a fence is an embed here: write lab after its marks."),
        ("lab sidewise", "sidewise is not a setting's name: use one of default."),
        ("lab windw=1", "windw is not a field: did you mean window?"),
        ("lab controls=windw", "'windw' is not among the controls: use one of window, trigger"),
        ("lab charts=", "'' is not among the charts: use one of context, lives"),
        ("lab task=first", "task is 'first' but must be a whole number: try 1."),
        ("lab window=1", "window is 1 but must be at least 3,201 tokens"),
    ],
)
def test_an_embed_that_is_wrong_is_refused_with_its_line(fence, sentence):
    with pytest.raises(ArticleError) as error:
        article.html(article.read(f"{HEAD}Text.\n\n```{fence}\nTry.\n```\n"))
    assert str(error.value).startswith(f"article.md, line 9: {sentence}")


@pytest.mark.parametrize("source", ["", "Text.", "+++\ntitle = 1\n", "Text.\n+++\n+++\n"])
def test_a_source_without_its_head_is_refused(source):
    with pytest.raises(
        ArticleError, match=r"^article\.md has no head: begin it with a line \+\+\+"
    ):
        article.read(source)


def test_an_embed_names_its_settings_its_seed_and_its_task():
    fence = "```lab notes=true window=64000 seed=2 task=3 controls=notes charts=lives\nTry.\n```\n"
    made = article.html(article.read(HEAD + fence))
    assert '<compaction-lab notes="true" seed="2" task="3" controls="notes" charts="lives">' in made
    assert 'href="./?v=1&amp;notes=true&amp;seed=2&amp;task=3"' in made
    assert "<figcaption><p>Try.</p>\n</figcaption>" in made


def test_there_are_four_embeds_one_in_each_turn(page):
    parts = re.split(r"<h2 id=", page)
    assert [part.count("<compaction-lab") for part in parts] == [0, 0, 1, 1, 1, 1, 0, 0, 0]
    turns = [part.partition('"')[2].partition("-turn")[0] for part in parts[2:6]]
    assert turns == ["first", "second", "third", "fourth"]


def test_every_embed_can_be_read_without_scripts(tree, page):
    """Its preview is inside it, with the numbers of its own settings, and a link to them."""
    inside = re.findall(r"<compaction-lab(.*?)>(.*?)</compaction-lab>", page, re.DOTALL)
    assert len(inside) == 4
    for attributes, preview in inside:
        state = dict(re.findall(r'([\w-]+)="([^"]*)"', attributes))
        shown = {name: state.pop(name) for name in ("controls", "charts")}
        assert set(shown["controls"].split(",")) <= set(controls())
        assert set(shown["charts"].split(",")) <= set(text()["charts"])
        settings = {name: parse_setting(name, value) for name, value in state.items()}
        share = simulate(settings).tiles["success"].value
        assert f"{100 * share:.0f} of 100 tasks succeed" in preview
        query = re.search(r'href="\./\?([^"]+)"', preview)[1].replace("&amp;", "&")
        assert dict(parse_qsl(query)) == {"v": "1"} | state


def test_it_says_early_that_no_model_is_called_and_late_what_is_left_out(page):
    words = prose(page)
    assert 0 < words.index("No model is called here.") < words.index("Why not a bigger window?")
    last = words.partition("What the model leaves out")[2]
    for what in ("Caching", "independently", "Recent steps", "looked up again", "Sub-agents"):
        assert what in last


@pytest.mark.parametrize(
    "work",
    [
        "Lost in the Middle: How Language Models Use Long Contexts.",
        "RULER: What's the Real Context Size of Your Long-Context Language Models?",
        "MemGPT: Towards LLMs as Operating Systems.",
        "Effective context engineering for AI agents.",
        "Memory concepts.",
    ],
)
def test_every_work_it_builds_on_is_named(page, work):
    assert f"<em>{work}</em>" in page.partition('<h2 id="references">')[2]


# --- the page ----------------------------------------------------------------------------------


def test_the_page_is_whole(page, tree):
    assert page.startswith('<!doctype html>\n<html lang="en">')
    assert tree.faults == []
    assert "<title>What to keep when the window fills up · Context Compaction Lab</title>" in page
    (about,) = [e for e in elements(tree, "meta") if e["attrs"].get("name") == "description"]
    assert len(about["attrs"]["content"]) > 80
    for tag in ("h1", "main", "header", "footer", "article"):
        assert len(elements(tree, tag)) == 1, tag
    ids = [e["attrs"]["id"] for e in tree.elements if "id" in e["attrs"]]
    assert len(ids) == len(set(ids))


def test_headings_go_down_one_level_at_a_time(tree):
    levels = [e["tag"] for e in tree.elements if re.fullmatch(r"h[1-6]", e["tag"])]
    assert levels == ["h1", *["h2"] * 8]


def test_links_have_words_and_lead_to_the_lab_the_studies_or_within_the_page(tree):
    ids = {e["attrs"]["id"] for e in tree.elements if "id" in e["attrs"]}
    links = elements(tree, "a")
    assert all(re.search(r"\w", link["text"]) for link in links)
    addresses = [link["attrs"]["href"] for link in links]
    assert {a[1:] for a in addresses if a[0] == "#"} <= ids
    assert addresses.count("./") == 2  # before the text and after it
    outside = [a for a in addresses if not a.startswith(("#", "./"))]
    assert outside == [
        "study-cost-reversal.html",
        "https://blog.baifan.site/en/claude-code-context-compression/",
        "studies.html",
    ]


def test_nothing_runs_in_the_page_but_its_two_scripts(tree):
    scripts = [e["attrs"].get("src") for e in elements(tree, "script")]
    assert scripts == ["lab-0/theme.js", "./embed.js"]
    assert not [e for e in tree.elements if any(name.startswith("on") for name in e["attrs"])]


def test_the_article_is_the_same_whenever_it_is_made():
    assert article.render("lab-0/") == article.render("lab-0/")


def test_its_style_sheet_has_both_palettes_and_names_no_other_colour():
    css = parts()["article.css"].decode()
    own = css.partition("/* The palette comes first")[2].partition("@media print")[0]
    assert css.startswith(":root{color-scheme:light;--page:#f7f6f3;")
    assert "@media (prefers-color-scheme:dark)" in css
    assert re.findall(r"#[0-9a-f]{3,6}\b", own) == []
