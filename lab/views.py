"""What the page shows of a session, as plain data: the same before and after Python arrives.

``readout`` is a dict of texts and small HTML fragments that the page puts into its own elements.
Fragments contain only computed text, escaped; what a user typed is never put into one.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

from lab import lifelines
from lab.packs import Pack, packs
from lab.panels import PANELS
from lab.sentence import summary
from lab.session import ROBUST_SEEDS, Session, direction
from lab.state import DEFAULTS, at_rest
from lab.tables import TABLES, causes, cost_names, table
from lab.text import controls, dollars, in_labels, number, percent, setting, text, thousands
from sim import TILES, Estimate, Outcome

GOOD_DIRECTION = {"success": 1, "cost": -1, "needed_lost": -1, "instruction_lost": -1}
"""Compactions and the peak are neither good nor bad in themselves."""
POINTS = ("success", "needed_lost", "instruction_lost")
"""Shares: a difference of two is told in points."""
MOST_NAMES = 3
"""More packs than these are counted, not named."""
SYMMETRIC = ("success", "cost", "needed_lost", "compactions")


def readout(
    session: Session, tables: Iterable[str] = (), panels: Iterable[str] = ()
) -> dict[str, Any]:
    """All that the page shows apart from its charts; ``tables`` and ``panels`` name the open
    ones."""
    run = session.run
    lead, rest = summary(run)
    settings = session.state.settings()
    on = [pack for pack in packs() if pack.is_on(settings)]
    return {
        "seed": run.seed,
        "lead": lead,
        "rest": rest,
        "tiles": [_tile(session, key) for key in TILES],
        "details": _details(run),
        "resting": {name: text()["resting"][why] for name, why in at_rest(settings).items()},
        "packs": [pack.id for pack in on],
        "packs_on": _packs_on(on),
        "panels": {name: PANELS[name](session) for name in panels if name in PANELS},
        "error": in_labels(session.error or ""),
        "is_baseline": session.is_baseline,
        "is_restored": session.is_restored,
        "baseline": _baseline(session),
        "task": session.state.task,
        "task_title": _task_title(session),
        "reading": reading(session),
        "tasks": len(run),
        "robust": _robust(session),
        "tables": {name: TABLES[name](session) for name in tables if name in TABLES},
        "alt": _descriptions(session),
    }


def reading(session: Session) -> dict[str, list[str]]:
    """What the cursor of the task that is looked at reads, by step and by fact."""
    line = session.timeline
    return {"steps": lifelines.step_texts(line), "facts": lifelines.fact_texts(line)}


def _packs_on(on: list[Pack]) -> str:
    names = [pack.name for pack in on]
    words = text()["packs"]
    if len(names) > MOST_NAMES:
        key = "all" if len(names) == len(packs()) else "some"
        return str(words[key].format(count=len(names), of=len(packs())))
    return str(words["on"].format(names=", ".join(names)) if names else words["base"])


def figure(key: str, value: float) -> str:
    """A tile's value as it is written."""
    if key == "cost":
        return dollars(value)
    if key == "compactions":
        return number(value, 2)
    if key == "p95_peak":
        return thousands(value)
    return percent(value)


def _bare(key: str, value: float) -> str:
    """A tile's value without its unit, for the second half of a pair."""
    return figure(key, value).removesuffix(" %").removesuffix("k").replace("$", "")


def _tile(session: Session, key: str) -> dict[str, Any]:
    estimate = session.run.tiles[key]
    delta, unit, tone = _delta(key, session.difference[key])
    return {
        "key": key,
        "value": estimate.value,
        "text": figure(key, estimate.value),
        "interval": _interval(key, estimate),
        "delta": delta,
        "unit": unit,
        "tone": tone,
    }


def _interval(key: str, estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return "too few tasks"
    if key in SYMMETRIC:
        return f"± {_bare(key, (estimate.high - estimate.low) / 2)}"
    return f"{_bare(key, estimate.low)} – {figure(key, estimate.high)}"


def _delta(key: str, difference: Estimate) -> tuple[str, str, str]:
    """The paired difference in words, the unit of its words, and its tone: good, bad or flat."""
    half = 0.0 if difference.high is None else difference.high - difference.value
    if difference.value == 0 and half == 0:
        return "no change", "", "flat"
    sign = "▲ " if difference.value > 0 else "▼ " if difference.value < 0 else ""
    unit = "points" if key in POINTS else ""
    size = figure(key, abs(difference.value)).removesuffix(" %")
    around = "" if difference.high is None else f" ± {_bare(key, half)}"
    words = f"{sign}{size}{around}"
    clear = difference.high is not None and abs(difference.value) > half
    better = difference.value * GOOD_DIRECTION.get(key, 0)
    tone = "flat" if not clear or not better else "good" if better > 0 else "bad"
    return words, unit, tone


def _details(run: Outcome) -> str:
    tiles = run.tiles
    parts = [
        f"{number(tiles['clears'].value, 2)} clears",
        f"{number(tiles['overflows'].value, 2)} overflows per task",
        f"{percent(tiles['failed'].value)} failed",
        f"final context {thousands(tiles['final_context'].value)}",
    ]
    return " · ".join(parts)


def _baseline(session: Session) -> str:
    """The baseline's settings: those that make a policy, and any other that is changed or moved."""
    pinned, now = session.baseline_settings, session.run.scenario.all_settings()
    items, rests = [], at_rest(pinned)
    for name, control in controls().items():
        if name not in pinned:
            continue
        is_policy = control.group in ("context", "firing") and name not in rests
        moved = pinned[name] != now[name]
        if is_policy or moved or pinned[name] != DEFAULTS[name]:
            value = escape(f"{control.label} {setting(control, pinned[name])}")
            after = escape(f"now {setting(control, now[name])}")
            items.append(f"<li>{value}{f' <em>{after}</em>' if moved else ''}</li>")
    tiles = session.baseline.tiles
    figures = f"{figure('success', tiles['success'].value)} at {dollars(tiles['cost'].value)}"
    return f"<p class=figures>{figures}</p><ul tabindex=0>{''.join(items)}</ul>"


def _task_title(session: Session) -> str:
    run, task = session.run, session.state.task
    outcome = "fails" if run.failed[task] else _task_outcome(run, task)
    return f"task {number(task)} of {number(len(run))}: {outcome}"


def _task_outcome(run: Outcome, task: int) -> str:
    if run.success[task] > 0:
        return f"all it needs is there, right with {percent(run.success[task], 0)}"
    reasons = []
    lost = int(run.needed_lost[task])
    if lost:
        reasons.append(f"{lost} of {int(run.needed[task])} needed facts lost")
    if run.instruction_lost[task] and run.scenario.policy.instruction_required:
        reasons.append("instruction lost")
    return ", ".join(reasons)


def _robust(session: Session) -> dict[str, Any]:
    robust = session.robustness
    done = len(robust.seeds)
    return {
        "state": robust.state,
        "done": done,
        "of": ROBUST_SEEDS,
        "text": _robust_text(session),
        "table": _robust_table(session) if done else "",
    }


def _robust_text(session: Session) -> str:
    robust = session.robustness
    done = len(robust.seeds)
    if robust.state == "idle":
        return ""
    if robust.state == "same":
        return "Nothing to compare yet: these are the baseline's settings. Change one first."
    if robust.state == "running":
        return f"{done} of {ROBUST_SEEDS} seeds"
    values = robust.differences["success"]
    begun = "Cancelled. " if robust.state == "cancelled" else ""
    if not done:
        return f"{begun}No seed was finished."
    sign, agree = direction(values)
    verb = {1: "rises", -1: "falls", 0: "stays"}[sign]
    return (
        f"{begun}Success {verb} on {agree} of {done} seeds: "
        f"{number(100 * min(values), 1)} to {number(100 * max(values), 1)} points."
    )


def _robust_table(session: Session) -> str:
    rows = []
    for key, values in session.robustness.differences.items():
        name = text()["tiles"][key]["name"]
        sign, agree = direction(values)
        way = {1: "▲", -1: "▼", 0: "="}[sign]
        unit = " points" if key in POINTS else ""
        span = f"{_signed(key, min(values))} … {_signed(key, max(values))}{unit}"
        rows.append([name, f"{way} {agree} of {len(values)}\n{span}"])
    return table(["Tile", "Same way, least … most"], rows)


def _signed(key: str, value: float) -> str:
    sign = "+" if value > 0 else "−" if value < 0 else ""
    return f"{sign}{figure(key, abs(value)).removesuffix(' %')}"


def _descriptions(session: Session) -> dict[str, str]:
    """What each chart shows, in a sentence, for those who do not see it."""
    run, task = session.run, session.state.task
    compactions, facts = int(run.compactions[task]), session.timeline.facts
    lost = facts.state_names().count("lost")
    spent = ", ".join(f"{dollars(d)} for {cost_names()[k]}" for k, d in run.cost_split.items())
    lost_by = [f"{number(count)} {name}" for name, count in causes(run).items() if count]
    return {
        "context": f"Context of task {task} over {int(run.steps[task])} steps: peak "
        f"{number(run.peak[task])} tokens, {compactions} compactions, "
        f"{int(run.clears[task])} clears, {int(run.overflows[task])} overflows.",
        "lives": f"Life lines of {len(facts)} facts; {lost} are lost.",
        "causes": f"Needed facts lost over all tasks: {', '.join(lost_by) or 'none'}.",
        "costs": f"Per task, {spent}.",
        "visited": f"{len(session.visits)} settings visited. Now "
        f"{percent(run.tiles['success'].value)} at {dollars(run.tiles['cost'].value)}.",
    }
