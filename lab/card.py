"""The mission card as plain data and small fragments of HTML, for the page to put in place."""

from __future__ import annotations

from html import escape
from typing import Any

from lab.play import Play
from lab.progress import Best
from lab.text import controls, dollars, number, text, thousands
from missions import FailedSeed, Goal, Miss, Mission

WENT = {"up": "went up", "down": "went down", "same": "stayed the same, within its interval"}


def card(play: Play) -> dict[str, Any]:
    """All that the card shows."""
    mission, verdict = play.shown, play.verdict
    solved = play.progress.solved.get(mission.id)
    is_over = verdict is not None and verdict.state == "solved"
    return {
        "loaded": play.is_loaded,
        "title": mission.title,
        "number": play.missions.index(mission) + 1,
        "segments": _segments(play),
        "list": _list(play),
        "brief": mission.brief,
        "goals": _goals(play),
        "locks": _locks(mission) if play.is_loaded else "",
        "can_check": play.is_loaded and not play.is_tampered and not play.session.error,
        "hints": "".join(f"<li>{escape(hint)}</li>" for hint in mission.hints[: play.hints]),
        "more_hints": play.is_loaded and play.hints < len(mission.hints),
        "ask": _ask(play) if play.may_predict else "",
        "guess": play.guess or "",
        "answer": _answer(play),
        "verdict": _verdict(play),
        "state": verdict.state if verdict else "",
        "why": _why(mission) if is_over else "",
        "record": _record(solved) if solved else "",
        "next": play.next.title if play.next and play.state_of(play.next) != "locked" else "",
        "solved": len(play.progress.solved),
        "unlocked": play.is_unlocked,
    }


def amount(unit: str, value: float) -> str:
    """A goal's number as people read it."""
    if unit == "%":
        return f"{number(value, 1).removesuffix('.0')} %"
    if unit == "$":
        return dollars(value)
    if unit == "tokens":
        return thousands(value)
    return number(value, 2)


def _name(goal: Goal) -> str:
    tiles = text()["tiles"]
    return str(tiles[goal.key]["name"]) if goal.key in tiles else goal.key.replace("_", " ")


def _segments(play: Play) -> str:
    parts = []
    for index, mission in enumerate(play.missions, 1):
        state = play.state_of(mission)
        now = " now" if mission is play.shown else ""
        parts.append(
            f'<li class="{state}{now}"><span class=unseen>Mission {index}: {state}</span></li>'
        )
    return "".join(parts)


def _list(play: Play) -> str:
    rows = []
    for index, mission in enumerate(play.missions, 1):
        state = play.state_of(mission)
        disabled = " disabled" if state == "locked" else ""
        current = " aria-current=true" if mission is play.shown else ""
        rows.append(
            f"<li><button type=button data-mission={mission.id}{disabled}{current}>"
            f"{index}. {escape(mission.title)}<span class={state}>"
            f"<span class=unseen> {state}</span></span></button></li>"
        )
    return "".join(rows)


def _goals(play: Play) -> str:
    return "".join(_goal(play, goal) for goal in play.shown.goals)


def _goal(play: Play, goal: Goal) -> str:
    """A goal in words; once loaded, its meter: a bar as long as the value, a mark at the bound."""
    bound = amount(goal.unit, goal.bound).replace(" %", "\u00a0%")  # never alone on a line
    words = f"{_name(goal)} {goal.sense} {bound}"
    if not play.is_loaded:
        return f"<p class=goal>{escape(words)}</p>"
    run = play.session.run
    value, met = goal.value(run), goal.met(run)
    full = _full(play, goal)
    filled, mark = (100 * min(amount / full, 1) for amount in (value, goal.bound))
    shown = amount(goal.unit, value)
    return (
        f'<div class="goal {"met" if met else "missed"}"><p><span>{escape(words)}</span>'
        f"<b>{'✓ ' if met else ''}{escape(shown)}</b></p>"
        f'<svg class=meter viewBox="0 0 100 12" preserveAspectRatio=none role=img '
        f'aria-label="{escape(shown)}, {"reached" if met else "missed"}">'
        f"<rect class=way y=4 width=100 height=4 />"
        f"<rect class=bar y=4 width={filled:.1f} height=4 />"
        f"<rect class=mark x={mark:.1f} width=.8 height=12 /></svg></div>"
    )


def _full(play: Play, goal: Goal) -> float:
    """The value at the right end of a meter: it must not change while the bar moves."""
    if goal.unit == "%" and goal.sense == "at least":
        return 100.0
    start = play.session.outcome_of(play.shown.settings())
    return 1.25 * max(goal.bound, goal.value(start), 1e-9)


def _locks(mission: Mission) -> str:
    names = [
        control.label for name, control in controls().items()
        if not mission.is_open(name) and control.group in ("context", "firing", "hygiene")
    ]  # fmt: skip
    return str(text()["missions"]["locks"]).format(names=", ".join(names)) if names else ""


def _ask(play: Play) -> str:
    tile = _name(play.shown.goals[0]).lower()
    return str(text()["missions"]["ask"]).format(tile=tile)


def _answer(play: Play) -> str:
    if play.answer is None:
        return ""
    goal, answer = play.shown.goals[0], play.answer
    return str(text()["missions"]["said"]).format(
        guess=answer.guess, tile=_name(goal), went=WENT[answer.way],
        before=amount(goal.unit, answer.before), after=amount(goal.unit, answer.after),
    )  # fmt: skip


def _verdict(play: Play) -> str:
    words, verdict = text()["missions"], play.verdict
    if play.is_loaded and play.is_tampered:
        return escape(words["tampered"])
    if verdict is None:
        return ""
    if verdict.state == "solved":
        return escape(words["solved"])
    if verdict.misses:
        return " ".join(escape(_missed(miss)) for miss in verdict.misses)
    seeds = ", ".join(str(failed.seed) for failed in verdict.failed)
    told = words["lucky"].format(seed=play.session.run.seed, failed=seeds)
    return escape(told) + "".join(_failed(failed) for failed in verdict.failed)


def _missed(miss: Miss) -> str:
    by = amount(miss.goal.unit, miss.by)
    if miss.goal.unit == "%":
        by = f"{number(miss.by, 1)} points"
    return str(text()["missions"]["miss"]).format(tile=_name(miss.goal), by=by)


def _failed(failed: FailedSeed) -> str:
    misses = " ".join(_missed(miss) for miss in failed.misses)
    return f"<br>Seed {failed.seed}: {escape(misses)}"


def _why(mission: Mission) -> str:
    return (
        f"<p>{escape(mission.why)}</p><p class=note><b>{escape(mission.lesson)}</b> "
        f"{escape(mission.evidence)}</p>"
    )


def _record(best: Best) -> str:
    return str(text()["missions"]["record"]).format(cost=dollars(best.cost), changed=best.changed)
