"""The tab's sentences and numbers in words."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from math import floor, inf, isinf, log10
from typing import Any

from lab.text import number, percent
from lab.tracking.settings import Settings
from lab.tracking.study import LENGTHS, MapCell, Result
from sim import Estimate
from sim.studies.state_tracking import published


@cache
def text() -> dict[str, Any]:
    """Everything in ``text.toml``."""
    return tomllib.loads(files(__package__).joinpath("text.toml").read_text(encoding="utf-8"))


FARTHEST = 1_000_000
"""Statements; N* beyond is not worth its digits."""


def length(statements: float) -> str:
    """A length in statements, to three digits at most."""
    if isinf(statements) or statements > FARTHEST:
        return f"over {number(FARTHEST)}"
    if statements < 1:
        return "0"
    step = 10 ** max(0, floor(log10(statements)) - 2)
    return number(step * round(statements / step))


def share(value: float) -> str:
    """A share in per cent; what is neither none nor all is never written as such."""
    if 0 < value < 0.005:
        return "under 1 %"
    if 0.995 < value < 1:
        return "over 99 %"
    return percent(value, 0)


def with_interval(estimate: Estimate) -> str:
    """A share with its 95 % interval."""
    if estimate.low is None or estimate.high is None:
        return share(estimate.value)
    low, high = (share(end).removesuffix(" %") for end in (estimate.low, estimate.high))
    return f"{share(estimate.value)} ({low} to {high})"


def sentence(result: Result) -> tuple[str, str]:
    """What the two curves say, and the figures behind it."""
    n_star, settings = result.n_star.value, result.settings
    if isinf(n_star):
        lead = "The lossy state is never better."
    elif n_star == 0:
        lead = "The state is better at any length."
    else:
        lead = f"From {length(n_star)} statements on, the lossy state answers better."
    rest = (
        f" At {number(settings.statements)} statements the whole context gives "
        f"{with_interval(result.here)} right answers, the state {with_interval(result.state)}."
    )
    if not isinf(n_star) and n_star > 0:
        rest += f" {crossing_interval(result.n_star)}"
    if result.curve.is_outside:
        rest += " All of it is extrapolated: no such target rate was tried."
    elif result.is_crossing_extrapolated and 0 < n_star < inf:
        rest += f" N* is extrapolated: {tried(result)} were tried."
    return lead, rest


def partly(result: Result) -> str:
    """What a state for the first part and the rest raw gives, and which part would be best."""
    settings, said = result.settings, ""
    here = next((point for at, point in result.parts if at == settings.statements), None)
    if here is not None:
        said = (
            f"The first {share_of(settings.compressed)} as a state and the rest raw give "
            f"{with_interval(here.accuracy)}."
        )
    if result.shares is not None:
        best, low, high = result.shares.best, result.shares.best_low, result.shares.best_high
        spread = f" ({100 * low:g} to {100 * high:g})" if low < high else " in every redraw"
        said += (
            f" At {number(settings.statements)} statements the best Z is {share_of(best.share)}"
            f"{spread}, with {with_interval(best.accuracy)} right answers."
        )
    return said.strip()


def crossing_interval(n_star: Estimate) -> str:
    """Between which lengths the curves cross."""
    low, high = n_star.low or 0, inf if n_star.high is None else n_star.high
    if isinf(high):
        return f"N* lies above {length(low)}; how far, the data do not say."
    return f"N* lies between {length(low)} and {length(high)}."


def tried(result: Result) -> str:
    """The lengths of the data."""
    low, high = result.curve.tried
    return f"{number(low)} to {number(high)} statements"


def source(result: Result) -> str:
    """Whose curve this is, and what it rests on."""
    figures, settings = published(), result.settings
    if settings.curve:
        return f"Curve: your table, {tried(result)}."
    if settings.grammar == "mixed":
        return (
            f"Curve: {figures.model}, a single model, {figures.mixed[0].trials} answers a length, "
            f"{tried(result)} (GRIP)."
        )
    return (
        f"Curve: {figures.model}, a single model, fitted to the N* table of GRIP, "
        f"{figures.trials} trials a cell, {tried(result)}. It has no figures by P, so P does not "
        "move it."
    )


def published_n_star(settings: Settings) -> int | None:
    """The seed's own N* for exactly these settings, if it has one."""
    figures = published()
    if settings.grammar == "mixed" or settings.curve:
        return None
    if settings.target_rate not in figures.target_rates:
        return None
    column = figures.target_rates.index(settings.target_rate)
    for row in figures.crossovers:
        if (row.loss, row.rate) == (settings.compressor, settings.rate):
            return row.statements[column]
    return None


def resting(settings: Settings) -> dict[str, str]:
    """Why an input has no effect at present, by the name of its setting."""
    reasons: dict[str, str] = {}
    if settings.grammar == "mixed":
        names = ("target_rate", "last_position", "value_reuse", "compressed")
        reasons |= dict.fromkeys(names, "for SET only")
    if settings.compressor == "oracle":
        reasons["rate"] = "the oracle loses none"
    return reasons


def conditions(result: Result) -> list[str]:
    """Which of the page's notes and marks apply."""
    settings = result.settings
    is_own, is_mixed = bool(settings.curve), settings.grammar == "mixed"
    return [
        name
        for name, holds in {
            "measured": is_mixed and not is_own,
            "extrapolated": bool(result.is_extrapolated.any()),
            "parts": bool(result.parts),
            "own": is_own,
            "map": not is_own and not is_mixed,
            "no-map": is_own or is_mixed,
            "shares": not is_mixed,
            "no-shares": is_mixed,
        }.items()
        if holds
    ]


def descriptions(result: Result) -> dict[str, str]:
    """What each chart shows, in a sentence, for those who do not see it."""
    lead, rest = sentence(result)
    return {
        "curves": f"Right answers over the length of the context. {lead}{rest}",
        "map": "N* over target rate and rate of loss: the table below has every cell.",
        "shares": f"Right answers over Z. {partly(result)}",
    }


def seed_says(settings: Settings) -> str:
    """The seed's own N* beside ours, and why they may differ."""
    theirs, figures = published_n_star(settings), published()
    if theirs is None:
        return ""
    (read,) = (
        row.accuracy
        for row in figures.crossovers
        if (row.loss, row.rate) == (settings.compressor, settings.rate)
    )
    return (
        f"Seed 000 has {number(theirs)} here. It read {share(read)} for this state, in "
        f"{figures.trials} trials."
    )


def readings(result: Result) -> list[str]:
    """What both curves say at each of LENGTHS."""
    state = with_interval(result.state)
    return [
        f"{number(statements)} statements: whole context "
        f"{with_interval(Estimate(float(mid), float(low), float(high)))}"
        f"{', extrapolated' if beyond else ''}; state {state}."
        for statements, mid, low, high, beyond in zip(
            LENGTHS, result.context, result.low, result.high, result.is_extrapolated, strict=True
        )
    ]


def share_of(rate: float) -> str:
    """A rate in per cent, with the digits that it has."""
    return f"{100 * rate:g} %"


def short_length(cell: MapCell) -> str:
    """N* as it fits into a cell of the map; a tilde if it is extrapolated."""
    n_star = cell.n_star
    if n_star > 99_500:
        text = ">99k"
    elif n_star >= 9_950:
        text = f"{n_star / 1000:.0f}k"
    elif n_star >= 1000:
        text = f"{n_star / 1000:.1f}k"
    else:
        text = f"{n_star:.0f}"
    return f"~{text}" if cell.is_extrapolated else text
