"""Cards of numbers to choose from: a list for the page, and whose numbers are in force."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from sim import CARDS, Card

KINDS = {"price": "input_per_mtok", "model": "layers", "gpu": "gpu_memory"}
"""What cards of a kind have that others have not."""
NAMES = {"price": "Price card", "model": "Model", "gpu": "GPU"}


def cards_of(kind: str) -> dict[str, Card]:
    """The cards of a kind, by name."""
    return {name: card for name, card in CARDS.items() if KINDS[kind] in card.settings}


def in_force(kind: str, settings: Mapping[str, Any]) -> str | None:
    """The card whose numbers all hold. That memory and time are off does not count."""
    for name, card in cards_of(kind).items():
        if all(settings[key] == v for key, v in card.settings.items() if key != "hardware"):
            return name
    return None


def pick(kind: str, settings: Mapping[str, Any]) -> str:
    """A list of the cards of a kind, and what speaks for the one in force."""
    now = in_force(kind, settings)
    options = "" if now else "<option value='' selected>your own numbers</option>"
    for name, card in cards_of(kind).items():
        selected = " selected" if name == now else ""
        options += f"<option value={name}{selected}>{escape(card.name)}</option>"
    told = "Changed by hand." if now is None else _told(CARDS[now])
    return (
        f"<p class=pick><label for=pick-{kind}>{NAMES[kind]}</label> "
        f"<select id=pick-{kind} data-pick>{options}</select></p><p class=note>{escape(told)}</p>"
    )


def _told(card: Card) -> str:
    when = "" if card.as_of == "–" else f"As of {card.as_of}. "
    return f"{when}Source: {card.source}."
