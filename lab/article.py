"""The companion article: its Markdown, with everything in it calculated, as a page.

A fence with the word ``lab`` is a live embed: after the word come its settings, as an insert names
them, and what the embed shows; inside is what the reader may try. Without scripts it is a preview.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import Any
from urllib.parse import urlencode

import jinja2
from markdown_it import MarkdownIt
from markdown_it.token import Token

from lab.controls import written
from lab.inserts import ArticleError, Inserts
from lab.preview import preview
from lab.state import DEFAULTS
from lab.text import controls, text
from lab.theme import palette
from sim import ScenarioError

LINK_VERSION = 1
TASKS = 400
SHOWN = ("controls", "charts")
SITTING = ("seed", "tasks", "task")


@dataclass(frozen=True, kw_only=True, slots=True)
class Article:
    """The source, its head apart."""

    title: str
    description: str
    settings: dict[str, str]
    """Name -> a row of settings, for the inserts and the embeds."""
    body: str
    line: int
    """Where the body begins in the file."""


def read(source: str | None = None) -> Article:
    """The article from its source, by default that of ``article.md``."""
    if source is None:
        source = files("lab").joinpath("article.md").read_text(encoding="utf-8")
    _, head, body = source.split("+++\n", 2)
    return Article(**tomllib.loads(head), body=body, line=head.count("\n") + 3)


def render(*, seed: int = 1) -> dict[str, bytes]:
    """The article's files by name, with the numbers of a seed.

    Raises ArticleError for a claim that does not hold, and for what cannot be read.
    """
    article = read()
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("lab", "web"), autoescape=True, trim_blocks=True,
        lstrip_blocks=True, undefined=jinja2.StrictUndefined,
    )  # fmt: skip
    page = environment.get_template("article.html").render(
        article=article, text=text(), body=html(article, seed=seed), seed=seed, tasks=TASKS
    )
    css = files("lab").joinpath("web", "article.css").read_text(encoding="utf-8")
    return {"article.html": f"{page}\n".encode(), "article.css": (palette() + css).encode()}


def html(article: Article, *, seed: int = 1) -> str:
    """The article's text as HTML."""
    inserts = Inserts(article.settings, seed=seed, tasks=TASKS)
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")

    def fence(tokens: list[Token], index: int, *_: Any) -> str:
        token = tokens[index]
        word, *words = token.info.split()
        line = article.line + token.map[0]
        if word != "lab":
            raise ArticleError(f"article.md, line {line}: a fence of {word} is not an embed: lab.")
        try:
            embed = _embed(inserts, words, seed)
        except ValueError as error:
            raise ArticleError(f"article.md, line {line}: {error}") from None
        advice = markdown.render(token.content)
        return f"<figure>\n{embed}\n<figcaption>{advice}</figcaption></figure>\n"

    markdown.renderer.rules["fence"] = fence
    markdown.renderer.rules["heading_open"] = _heading
    markdown.renderer.rules["table_open"] = lambda *_: '<div class="scroll">\n<table>\n'
    markdown.renderer.rules["table_close"] = lambda *_: "</table>\n</div>\n"
    return markdown.render(inserts.fill(article.body, article.line))


def _heading(tokens: list[Token], index: int, *_: Any) -> str:
    """A heading that can be linked to."""
    words = re.findall(r"\w+", tokens[index + 1].content.lower())
    return f'<{tokens[index].tag} id="{"-".join(words)}">'


def _embed(inserts: Inserts, words: list[str], seed: int) -> str:
    """The element, with its preview inside."""
    shown, sitting = {}, {"seed": seed}
    rest = []
    for word in words:
        name, _, value = word.partition("=")
        if name in SHOWN:
            shown[name] = value
        elif name in SITTING:
            sitting[name] = int(value)
        else:
            rest.append(word)
    known = {"controls": controls(), "charts": text()["charts"]}
    for name, value in shown.items():
        for part in value.split(","):
            if part not in known[name]:
                raise ScenarioError(f"{part} is not among the {name}: {', '.join(known[name])}.")
    settings = inserts.settings(rest)
    state = {n: _text(value) for n, value in settings.items() if value != DEFAULTS[n]}
    state |= {name: str(value) for name, value in sitting.items() if (name, value) != ("seed", 1)}
    link = f"./?{urlencode({'v': LINK_VERSION} | state)}"
    attributes = "".join(f' {name}="{escape(value)}"' for name, value in (state | shown).items())
    inside = preview(settings, link=link, **sitting)
    return f"<compaction-lab{attributes}>\n{inside}\n</compaction-lab>"


def _text(value: Any) -> str:
    return written(value) if not isinstance(value, bool) else str(value).lower()
