"""What is calculated beside a pack, as fragments for the page. Only open ones are made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from html import escape

from lab.picks import pick
from lab.serving import hardware
from lab.session import Session
from lab.tables import cost_names
from lab.text import dollars, number, percent, text
from sim import Outcome, floor
from sim.floor import TIGHT_REQUESTS
from sim.reading import LONG_CONTEXT, RELIABILITY, RELIABILITY_LOSS, TRACKED_HALF

Part = tuple[str, str, float, str]
"""Its colour by meaning, its name, how long it is, and its value in words."""

FLOOR_COLOURS = {
    "system": "edge", "instruction": "ink", "kept": "verbatim", "summary": "summary",
    "notes": "notes",
}  # fmt: skip
COST_COLOURS = {
    "requests": "accent", "cached_read": "accent", "written": "restated", "output": "notes",
    "summariser": "summary",
}  # fmt: skip


def stack(parts: Iterable[Part], full: float, marks: Iterable[tuple[str, float]] = ()) -> str:
    """A bar of parts and, below it, what each is. ``marks`` are levels across it, by name."""
    shown = [part for part in parts if part[2] > 0]
    bars, at = "", 0.0
    for colour, _, length, _ in shown:
        place = f"x={100 * at / full:.2f} width={100 * length / full:.2f}"
        bars += f"<rect class={colour} {place} y=4 height=16 />"
        at += length
    for name, level in marks:
        bars += (
            f"<rect class=level data-level={name} x={100 * level / full:.2f} width=.4 height=24 />"
        )
    items = "".join(
        f"<li><i class='swatch {colour}'></i>{escape(name)} <b>{escape(value)}</b></li>"
        for colour, name, _, value in shown
    )
    return (
        f"<svg class=stack viewBox='0 0 100 24' preserveAspectRatio=none aria-hidden=true>{bars}"
        f"</svg><ul class=legend>{items}</ul>"
    )


def _floor(session: Session) -> str:
    found, words = floor(session.run), text()["floor"]
    if found.state == "unused":
        return f"<p class=verdict data-state=unused>{escape(words['unused'])}</p>"
    requests = number(found.requests.value, 1)
    if found.requests.low is not None and found.requests.high is not None:
        requests += f" ({number(found.requests.low, 1)} – {number(found.requests.high, 1)})"
    has_room = found.state in ("fine", "tight")
    is_quiet = has_room and not session.run.compactions.any()
    told = words["quiet" if is_quiet else found.state].format(
        requests=requests, floor=number(found.tokens), trigger=number(found.trigger),
        least=TIGHT_REQUESTS,
    )  # fmt: skip
    parts = [
        (FLOOR_COLOURS[name], words["parts"][name], tokens, number(tokens))
        for name, tokens in found.parts.items()
    ]
    full = max(found.window, found.tokens) * 1.01
    bar = stack(parts, full, [("trigger", found.trigger), ("window", found.window)])
    levels = words["levels"].format(
        floor=number(found.tokens), trigger=number(found.trigger), window=number(found.window),
        growth=number(found.growth.value),
    )  # fmt: skip
    if found.is_rough:
        levels = f"{levels} {words['rough']}"
    return (
        f"<p class=verdict data-state={found.state}>{escape(told)}</p>{bar}"
        f"<p class=note>{escape(levels)}</p>"
    )


def _price(session: Session) -> str:
    run = session.run
    split = run.cost_split
    parts = [
        (COST_COLOURS[key], cost_names()[key], amount, dollars(amount))
        for key, amount in split.items()
    ]
    bar = stack(parts, max(sum(split.values()), 1e-9))
    total = text()["price"]["total"].format(total=dollars(sum(split.values())))
    return (
        f"{pick('price', run.scenario.all_settings())}<p>{escape(total)}</p>{bar}"
        f"<p class=verdict data-state={_payback_state(run)}>{escape(payback(run))}</p>"
    )


def _payback_state(run: Outcome) -> str:
    if not run.compactions.any():
        return "none"
    return "never" if run.payback_requests is None else "some"


def payback(run: Outcome) -> str:
    """After how many requests a compaction has paid for itself, and whether it gets that far."""
    words, state = text()["price"], _payback_state(run)
    if state != "some" or run.payback_requests is None:
        return str(words[f"payback_{state}"])
    again = floor(run).requests.value
    ending = "in_time" if run.payback_requests <= again else "too_late"
    return str(words["payback"]).format(
        requests=number(run.payback_requests, 1),
        ending=words[ending].format(again=number(again, 1)),
    )


def _carrier(session: Session) -> str:
    words, tile = text()["carrier"], session.run.tiles.get("confidently_wrong")
    if tile is None:
        return f"<p>{escape(words['off'])}</p>"
    around = "" if tile.high is None else f"± {number(100 * (tile.high - tile.value), 1)}"
    return (
        f"<p class=note>{escape(words['name'])}</p><p class=big data-value={tile.value}>"
        f"{percent(tile.value)} <span>{around}</span></p>{_against(session)}"
        f"<p class=note>{escape(words['help'])}</p>"
    )


def _against(session: Session) -> str:
    """The paired difference of the carrier's tile, if the pinned baseline has that tile too."""
    found = session.difference.get("confidently_wrong")
    if found is None or session.is_baseline:
        return ""
    sign = "▲ " if found.value > 0 else "▼ " if found.value < 0 else ""
    around = "" if found.high is None else f" ± {number(100 * (found.high - found.value), 1)}"
    told = f"{sign}{number(100 * abs(found.value), 1)}{around}"
    return f"<p class=against>{escape(text()['carrier']['against'].format(difference=told))}</p>"


def _reading(session: Session) -> str:
    """By which curve contexts are read, and where the other instrument explains it."""
    words, now = text()["reading"], session.run.scenario.reading.reading
    told = words[now].format(
        best=percent(RELIABILITY, 0),
        least=f"{number(100 * RELIABILITY_LOSS)} points",
        long=number(LONG_CONTEXT),
        half=number(TRACKED_HALF),
    )
    return (
        f"<p>{escape(told)}</p><p class=buttons><button type=button data-open-tab=state-tracking>"
        f"{escape(words['see'])}</button></p>"
    )


PANELS: Mapping[str, Callable[[Session], str]] = {
    "floor": _floor, "price": _price, "hardware": hardware, "carrier": _carrier,
    "reading": _reading,
}  # fmt: skip
