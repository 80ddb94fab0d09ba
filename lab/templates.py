"""The files of ``web`` that pages are made from: as text, and as templates."""

from __future__ import annotations

from importlib.resources import files

import jinja2


def web(name: str) -> str:
    """The text of a file of ``web``."""
    return files("lab").joinpath("web", name).read_text(encoding="utf-8")


def environment() -> jinja2.Environment:
    """What fills templates: it escapes what is put in, and refuses a name that it does not know."""
    return jinja2.Environment(
        loader=jinja2.FunctionLoader(web), autoescape=True, trim_blocks=True,
        lstrip_blocks=True, undefined=jinja2.StrictUndefined,
    )  # fmt: skip
