"""The lines of HTML that put the lab, in its present state, into someone's page."""

from __future__ import annotations

from html import escape
from urllib.parse import parse_qsl

from lab.preview import fragment
from sim import Outcome, Timeline


def snippet(run: Outcome, line: Timeline, query: str, base: str) -> str:
    """The script and the element, with a preview inside for readers without scripts.

    ``query`` is that of a link to the state; ``base`` the absolute address of the site's folder,
    with its final slash. A plain script, as a module from another host would need its permission.
    """
    state = {name: value for name, value in parse_qsl(query) if name != "v"}
    attributes = "".join(f' {name}="{escape(value)}"' for name, value in state.items())
    link = f"{base}?{query}" if state else base
    return (
        f'<script src="{escape(base)}embed.js" defer></script>\n'
        f"<compaction-lab{attributes}>\n{fragment(run, line, link)}\n</compaction-lab>\n"
    )
