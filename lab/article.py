"""The companion article: its Markdown, with everything in it calculated, as a page.

A fence with the word ``lab`` is a live embed: after the word come its settings, as an insert names
them, and what the embed shows; inside is what the reader may try. Without scripts it is a preview.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import Any
from urllib.parse import urlencode

from markdown_it import MarkdownIt
from markdown_it.token import Token

from lab import share
from lab.inserts import ArticleError, Inserts
from lab.policy import meta
from lab.preview import preview
from lab.state import changed
from lab.templates import environment
from lab.text import controls, text
from lab.theme import icon
from sim import ScenarioError

SEED, TASKS = 1, 400


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
    before, _, rest = source.partition("+++\n")
    head, mark, body = rest.partition("+++\n")
    if before or not mark:
        raise ArticleError(
            "article.md has no head: begin it with a line +++, title, description and settings "
            "as TOML, and another line +++."
        )
    return Article(**tomllib.loads(head), body=body, line=head.count("\n") + 3)


def render(folder: str) -> dict[str, bytes]:
    """The article's page by name; its style sheet and scripts are in ``folder``.

    Raises ArticleError for a claim that does not hold, and for what cannot be read.
    """
    article = read()
    page = environment().get_template("article.html").render(
        article=article, text=text(), body=html(article), icon=icon(), policy=meta(),
        seed=SEED, tasks=TASKS, folder=folder,
    )  # fmt: skip
    return {"article.html": f"{page}\n".encode()}


def html(article: Article, *, seed: int = SEED) -> str:
    """The article's text as HTML, with the numbers of a seed. Raises ArticleError as ``render``."""
    inserts = Inserts(article.settings, seed=seed, tasks=TASKS)
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")

    def fence(tokens: Sequence[Token], index: int, *_: Any) -> str:
        token = tokens[index]
        try:
            embed = _embed(inserts, token.info.split())
        except (ArticleError, ScenarioError) as error:
            line = article.line + token.map[0]
            raise ArticleError(f"article.md, line {line}: {error}") from None
        advice = markdown.render(token.content)
        return f"<figure>\n{embed}\n<figcaption>{advice}</figcaption>\n</figure>\n"

    markdown.renderer.rules |= {
        "fence": fence,
        "heading_open": _heading,
        "table_open": lambda *_: '<div class="scroll">\n<table>\n',
        "table_close": lambda *_: "</table>\n</div>\n",
        "th_open": lambda *_: '<th scope="col">',
        "td_open": lambda *_: "<td>",
    }
    return markdown.render(inserts.fill(article.body, article.line))


def _heading(tokens: Sequence[Token], index: int, *_: Any) -> str:
    """A heading that can be linked to."""
    words = re.findall(r"\w+", tokens[index + 1].content.lower())
    return f'<{tokens[index].tag} id="{"-".join(words)}">'


def _embed(inserts: Inserts, words: Sequence[str]) -> str:
    """The element of the words after a fence, with its preview inside."""
    if not words or words[0] != "lab":
        raise ArticleError("a fence is an embed here: write lab after its marks.")
    known = {"controls": controls(), "charts": text()["charts"]}
    shown: dict[str, str] = {}
    sitting: dict[str, int] = {}
    rest = []
    for word in words[1:]:
        name, _, value = word.partition("=")
        if name in known:
            shown[name] = value
            for part in value.split(","):
                if part not in known[name]:
                    options = ", ".join(known[name])
                    raise ArticleError(f"{part!r} is not among the {name}: use one of {options}.")
        elif name in share.SITTING:
            if not value.isdecimal():
                raise ArticleError(f"{name} is {value!r} but must be a whole number: try 1.")
            sitting[name] = int(value)
        else:
            rest.append(word)
    settings = inserts.settings(rest)
    state = {name: share.as_text(value) for name, value in changed(settings).items()}
    state |= {name: str(value) for name, value in sitting.items()}
    link = f"./?{urlencode({'v': share.VERSION} | state)}"
    attributes = "".join(f' {name}="{escape(value)}"' for name, value in (state | shown).items())
    inside = preview(settings, link=link, **sitting)
    return f"<compaction-lab{attributes}>\n{inside}\n</compaction-lab>"
