"""The page before any Python: its HTML with the default setting's results, and its style sheet."""

from __future__ import annotations

import json
from typing import Any

from lab import article, studies, views
from lab.app import Lab
from lab.card import card
from lab.control import Control
from lab.controls import written
from lab.feeds import Feeds
from lab.figures import Figures
from lab.packs import packs
from lab.policy import meta
from lab.previews import scripts
from lab.state import DEFAULTS, LabState
from lab.tables import TABLES
from lab.templates import environment, web
from lab.text import controls, setting, text, words
from lab.theme import icon, palette
from lab.tracking.figures import document_json
from lab.tracking.settings import MOST_PASTED, Settings
from lab.tracking.words import text as tracking_text
from sim import setting_info
from sim.presets import PRESETS
from sim.profiles import PROFILES
from sim.reading import TRACKED_HALF, TRACKED_STEEPNESS


def parts() -> dict[str, bytes]:
    """What pages load and is made rather than copied, by file name."""
    made = {
        "state-tracking.html": _tracking(),
        "state-tracking.css": web("tracking.css"),
        "lab.css": palette() + web("lab.css") + web("embed.css"),
        "article.css": palette() + web("article.css"),
        "studies.css": web("studies.css"),
    }
    return {name: text.encode() for name, text in made.items()}


def render(folder: str, runtime: dict[str, str]) -> dict[str, bytes]:
    """The pages, and the previews that pages of other hosts load, by file name.

    ``folder`` holds all that they load. ``runtime`` is for the page's worker: file name to what
    the browser has to hold its bytes against, as in the attribute ``integrity``.
    """
    made = {"index.html": _html(folder, runtime)} | scripts()
    own_pages = {name: text.encode() for name, text in made.items()}
    return own_pages | article.render(folder) | studies.render(folder)


def _html(folder: str, runtime: dict[str, str]) -> str:
    lab = Lab()
    readout = views.readout(lab.session)
    data = {
        "signature": lab.signature(),
        "document": first_document(lab),
        "reading": readout["reading"],
    }
    pages = environment()
    values = {
        "folder": folder,
        "runtime": json.dumps(runtime),
        "text": text(),
        "controls": controls(),
        "settings": {**LabState().settings(), "tasks": len(lab.session.run)},
        "options": {name: setting_info(name).get("options") for name in DEFAULTS},
        "packs": packs(),
        "presets": list(PRESETS.values()),
        "profiles": list(PROFILES.values()),
        "words": words,
        "readout": readout,
        "mission": card(lab.play),
        "locks": lab.play.locks(),
        "tables": {name: make(lab.session) for name, make in TABLES.items()},
        "icon": icon(),
        "policy": meta(),
        "written": _written,
        "field": written,
        "data": _in_script(data),
    }
    template = pages.get_template("index.html", globals=values)
    macros = pages.get_template("controls.html", globals=values).module
    names = ("help", "table", "control", "row", "pack_row")
    return template.render({name: getattr(macros, name) for name in names}) + "\n"


def first_document(lab: Lab) -> dict[str, Any]:
    """The document of a new lab with the figures in it, for the page's first paint."""
    figures = Figures()
    figures.show(Feeds().changes(lab.session))
    for root in figures.roots.values():
        lab.document.add_root(root)
    made: dict[str, Any] = lab.document.to_json(deferred=False)
    return made


def _tracking() -> str:
    """The second tab, which the page fetches when it is opened."""
    template = environment().get_template("tracking.html")
    return template.render(
        text=tracking_text(),
        settings=Settings().values(),
        most_pasted=MOST_PASTED,
        half=TRACKED_HALF,
        steepness=TRACKED_STEEPNESS,
        document=_in_script(document_json()),
    )


def _in_script(data: dict[str, Any]) -> str:
    """JSON for a script element, which ends at the first "</", wherever it stands."""
    return json.dumps(data).replace("</", "<\\/")


def _written(control: Control, value: Any) -> str:
    return setting(control, value)
