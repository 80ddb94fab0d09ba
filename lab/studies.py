"""The studies as pages: an index with what was found, and a page each with every figure.

A table's chart stands in the table: under each label a strip with our figure, its interval and the
published one, all on one scale. The numbers beside it say the same, so it is hidden from readers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from lab import share
from lab.inserts import ArticleError
from lab.policy import meta
from lab.state import DEFAULTS, changed
from lab.templates import environment
from lab.text import text
from lab.theme import icon
from sim.studies import plain
from sim.studies.catalogue import STUDIES, run_study
from sim.studies.study import UNITS, Row, Study, Table, written, written_difference

SEED = 1
WIDTH = 1000
"""Units of a strip, which is stretched to its place."""
IN_CAPTION = ("tokens", "bytes", "requests", "sessions", "points", "statements")
"""Units that are words too long to stand in every cell."""


def render(folder: str) -> dict[str, bytes]:
    """The pages by name; what they name is in ``folder``.

    Raises ArticleError for a finding that is false.
    """
    studies = [run_study(name, SEED) for name in STUDIES]
    for study in studies:
        check(study)
    templates = environment()
    templates.tests["partial"] = is_partial
    templates.globals |= {
        "text": text(), "icon": icon(), "policy": meta(),
        "address": address, "cells": cells, "scale_of": scale_of,
        "unit_of": unit_of,
        "link": link, "seed": SEED, "folder": folder,
    }  # fmt: skip
    index = templates.get_template("studies.html").render(studies=studies)
    pages = {"studies.html": index}
    one = templates.get_template("study.html")
    pages |= {address(study): one.render(study=study) for study in studies}
    return {name: f"{page}\n".encode() for name, page in pages.items()}


def check(study: Study) -> None:
    """Raise ArticleError unless all findings of the study hold."""
    if study.broken:
        raise ArticleError(
            f"the study {study.name} says “{study.broken[0]}”, which does not hold any more: "
            "correct its words, or what has changed the figures."
        )


def address(study: Study) -> str:
    """The file of a study's page."""
    return f"study-{study.name.replace('_', '-')}.html"


def link(settings: Mapping[str, Any]) -> str:
    """The address of the lab with these settings, as far as the lab has them."""
    known = {name: value for name, value in settings.items() if name in DEFAULTS}
    query = {name: share.as_text(value) for name, value in changed(known).items()}
    return f"./?{urlencode({'v': share.VERSION} | query)}"


def is_partial(settings: Mapping[str, Any]) -> bool:
    """Whether the lab does not have all of these settings."""
    return not settings.keys() <= DEFAULTS.keys()


@dataclass(frozen=True, kw_only=True, slots=True)
class Scale:
    """What the strips of a table run from and to; zero is always on it."""

    low: float
    high: float
    unit: str

    def place(self, value: float) -> float:
        """Where a value stands on a strip, from 0 to WIDTH."""
        return WIDTH * (value - self.low) / (self.high - self.low)

    @property
    def ends(self) -> tuple[str, str]:
        """Both ends as people read them."""
        return written(self.low, self.unit), written(self.high, self.unit)


def scale_of(table: Table) -> Scale | None:
    """The scale of a table's strips; None if it has none."""
    if not table.chart:
        return None
    named = ("ours", "low", "high", "published", "published_low", "published_high")
    values = [getattr(row, name) for row in table.rows for name in named]
    known = [0.0, *(value for value in values if value is not None)]
    low, high = min(known), max(known)
    return Scale(low=low, high=high if high > low else low + 1, unit=table.rows[0].unit)


def unit_of(table: Table) -> str:
    """The unit that a table's caption gives once for all rows; empty if each has its own."""
    units = {row.unit for row in table.rows}
    return units.pop() if len(units) == 1 and units <= set(IN_CAPTION) else ""


def cells(row: Row, scale: Scale | None, unit: str) -> dict[str, Any]:
    """What the page shows of a row, as words without the ``unit``, and as places on the scale."""
    words = {
        "label": row.label,
        "note": row.note,
        "ours": plain.ours_text(row),
        "interval": plain.interval_text(row),
        "published": "" if row.published is None else written(row.published, row.unit),
        "range": plain.range_text(row.published_low, row.published_high, row.unit),
        "difference": written_difference(row),
    }
    words = {name: text.removesuffix(UNITS[unit][0]) for name, text in words.items()}
    # A cell is narrow: a unit goes to the next line rather than break within its word.
    words = {name: re.sub("\u00a0(?=[a-z]{3})", " ", text) for name, text in words.items()}
    return words | {
        "verified": row.verified,
        "agrees": row.within,
        "strip": None if scale is None else _strip(row, scale),
    }


def _strip(row: Row, scale: Scale) -> dict[str, Any]:
    """Places on the scale: ours, the ends of its interval, the published one and its range."""
    spans = {"interval": (row.low, row.high), "range": (row.published_low, row.published_high)}
    places: dict[str, Any] = {"zero": scale.place(0.0)}
    for name, value in (("ours", row.ours), ("published", row.published)):
        places[name] = None if value is None else round(scale.place(value), 1)
    for name, (low, high) in spans.items():
        known = low is not None or high is not None
        ends = (scale.low if low is None else low, scale.high if high is None else high)
        places[name] = tuple(round(scale.place(end), 1) for end in ends) if known else None
    return places
