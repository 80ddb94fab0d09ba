"""The agents as the page shows them: the chosen one, the progress, the table to sort."""

from __future__ import annotations

from html import escape
from typing import Any

from lab.agents import SORTED_BY, Agents, Row
from lab.text import dollars, number, percent, text
from sim import Estimate, shown
from sim.presets import PRESETS


def agents_readout(agents: Agents) -> dict[str, Any]:
    """All that is shown of the agents."""
    words = text()["agents"]
    total, done = len(PRESETS), len(agents.rows) + len(agents.refused)
    said = words.get(agents.state, "").format(done=len(agents.rows), of=total)
    if agents.refused and agents.state == "done":
        names = ", ".join(preset.name for preset in agents.refused)
        said += " " + words["refused"].format(names=names)
    return {
        "state": agents.state,
        "done": done,
        "of": total,
        "said": said.strip(),
        "chosen": agents.chosen.name if agents.chosen else "",
        "info": _info(agents),
        "profile": agents.profile_in_force,
        "table": _table(agents) if agents.rows else "",
        "alt": _described(agents),
    }


def _info(agents: Agents) -> str:
    preset, words = agents.chosen, text()["agents"]
    if preset is None:
        return f"<p class=field-error role=alert>{escape(_refusal(agents))}</p>" * bool(
            agents.named
        )
    window = number(preset.window)
    lines = [
        ("Version", preset.version), ("Source", preset.source), ("Evidence", preset.evidence),
        ("Its own window", f"{window} tokens"), (words["cannot"], preset.cannot),
    ]  # fmt: skip
    items = "".join(f"<div><dt>{escape(k)}</dt><dd>{escape(v)}</dd></div>" for k, v in lines)
    return f"<p><b>{escape(preset.name)}</b></p><dl class=figures-list>{items}</dl>"


def _refusal(agents: Agents) -> str:
    """Why what was typed chooses no agent."""
    words, names = text()["agents"], ", ".join(preset.name for preset in agents.matching)
    told = words["several"] if agents.matching else words["unknown"]
    return str(told.format(name=shown(agents.named), count=len(agents.matching), names=names))


def _table(agents: Agents) -> str:
    names = text()["agents"]["columns"]
    head = ""
    for key in SORTED_BY:
        is_now = key == agents.sorted_by
        way = (" aria-sort=descending" if agents.is_falling else " aria-sort=ascending") * is_now
        mark = ("▼" if agents.is_falling else "▲") if is_now else ""
        head += (
            f"<th scope=col{way}><button type=button id=sort-{key} data-sort={key}>{names[key]}"
            f"<span aria-hidden=true> {mark}</span></button></th>"
        )
    body = "".join(_row(agents, row) for row in agents.in_order())
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _row(agents: Agents, row: Row) -> str:
    preset, tiles = row.preset, row.tiles
    now = " aria-current=true" if preset is agents.chosen else ""
    cells = (
        _with(percent(tiles["success"].value), tiles["success"], 100, 1),
        _with(dollars(tiles["cost"].value), tiles["cost"], 1, 2),
        percent(tiles["needed_lost"].value),
        number(tiles["compactions"].value, 2),
    )
    return (
        f"<tr{now}><th scope=row><button type=button id=load-{preset.id} data-load={preset.id}>"
        f"{escape(preset.name)}</button></th>"
        + "".join(f"<td>{cell}</td>" for cell in cells)
        + "</tr>"
    )


def _with(value: str, estimate: Estimate, factor: float, digits: int) -> str:
    if estimate.high is None:
        return value
    half = number(factor * (estimate.high - estimate.value), digits)
    return f"{value} <span class=around>± {half}</span>"


def _described(agents: Agents) -> str:
    if not agents.rows:
        return "Success against cost of all agents: not compared yet."
    best = max(agents.rows, key=lambda row: row.tiles["success"].value)
    least = min(agents.rows, key=lambda row: row.tiles["cost"].value)
    return (
        f"Success against cost of {len(agents.rows)} agents. Most succeed with {best.preset.name}, "
        f"{percent(best.tiles['success'].value)}; {least.preset.name} costs least, "
        f"{dollars(least.tiles['cost'].value)}."
    )
