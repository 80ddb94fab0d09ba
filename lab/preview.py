"""A run as a small piece of HTML that stands in any page, without scripts or a style sheet."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from lab.lifelines import context_line
from lab.sentence import summary
from lab.text import number, percent, text
from lab.views import figure
from missions import load
from sim import STRATEGIES, Run, Scenario, ScenarioError, simulate

WINDOWS = (32_000, 128_000)
"""Beside the default: what an embed that is written by hand is likely to show."""
SHOWN = ("success", "cost", "needed_lost")
WIDTH, HEIGHT = 1000, 100
"""Units of the drawing, which is stretched to its place."""

# Its colours are those of the text around it, so that it suits a light page and a dark one. The
# line of the context is blue where the browser can tell which of the two it is on.
BOX = (
    "max-width:44em;padding:1em 1.1em;border:1px solid color-mix(in srgb,currentColor 22%,"
    "transparent);border-radius:12px;font-variant-numeric:tabular-nums"
)
# Not by opacity, which would make the link in it faint as well.
FAINT = "color-mix(in srgb,currentColor 80%,transparent)"
SMALL = f"margin:.35em 0 0;font-size:.82em;line-height:1.4;color:{FAINT}"
BLUE = "light-dark(#0072b2,#4aa8e0)"


def preview(
    settings: Mapping[str, Any], *, seed: int = 1, tasks: int = 400, task: int = 0, link: str
) -> str:
    """The numbers of a configuration as an HTML fragment: see ``fragment``.

    ``settings`` are flat, those left out at their defaults. Raises ScenarioError (a ValueError)
    for settings, a seed or a number of tasks that cannot be simulated, or a task out of range.
    """
    return fragment(simulate(Scenario.from_dict(settings), seed=seed, tasks=tasks), task, link)


def fragment(run: Run, task: int, link: str) -> str:
    """A run's sentence, three of its tiles, and one task's context, with a link to the lab.

    The same run gives the same text. Raises ScenarioError if there is no such task.
    """
    if not 0 <= task < len(run):
        raise ScenarioError(
            f"task is {task} but must be from 0 to {len(run) - 1}: there are {len(run)} tasks."
        )
    lead, rest = summary(run)
    tiles = "".join(_tile(run, key) for key in SHOWN)
    return "\n".join(
        [
            f'<div class="compaction-preview" style="{BOX}">',
            f'<p style="margin:0;line-height:1.45"><b>{escape(lead)}</b>{escape(rest)}</p>',
            f'<dl style="display:flex;flex-wrap:wrap;gap:.5em 2em;margin:.8em 0">{tiles}</dl>',
            _sparkline(run, task),
            f'<p style="{SMALL}">{escape(_caption(run, task))}</p>',
            f'<p style="{SMALL}">Calculated by a {escape(text()["evidence"])}. '
            f'<a href="{escape(link)}">Open in the lab</a></p>',
            "</div>",
        ]
    )


def states() -> dict[str, dict[str, Any]]:
    """The states that previews are built for: the query of a link, and what to simulate.

    A query names its parameters in alphabetical order, as ``embed.js`` looks it up.
    """
    missions = {
        f"mission={mission.id}": {
            "settings": mission.settings(), "seed": mission.seed, "tasks": mission.tasks,
        }
        for mission in load()
    }  # fmt: skip
    plain = {
        f"strategy={strategy}&window={window}": {"strategy": strategy, "window": window}
        for strategy in STRATEGIES
        for window in WINDOWS
    }
    plain |= {f"window={window}": {"window": window} for window in WINDOWS}
    plain |= {f"strategy={strategy}": {"strategy": strategy} for strategy in STRATEGIES}
    return {"": {"settings": {}}, **missions, **{q: {"settings": s} for q, s in plain.items()}}


def previews() -> dict[str, str]:
    """A preview for every one of ``states``; its link begins with LAB, for the site's address."""
    return {
        query: preview(**what, link=f"LAB?{query}" if query else "LAB")
        for query, what in states().items()
    }


def _tile(run: Run, key: str) -> str:
    name = escape(text()["tiles"][key]["name"])
    value = escape(figure(key, run.tiles[key].value))
    return (
        f'<div><dt style="font-size:.82em;color:{FAINT}">{name}</dt>'
        f'<dd style="margin:0;font-size:1.4em;font-weight:650;line-height:1.25">{value}</dd></div>'
    )


def _sparkline(run: Run, task: int) -> str:
    policy = run.scenario.policy
    line = context_line(run.timeline(task))
    top = 1.05 * max(*line["y"], policy.window)

    def height(tokens: float) -> int:
        return round(HEIGHT * (1 - tokens / top))

    def level(tokens: float, dashes: str) -> str:
        return (
            f'<path d="M0 {height(tokens)}H{WIDTH}" stroke="currentColor" opacity=".6" '
            f'stroke-dasharray="{dashes}" vector-effect="non-scaling-stroke"/>'
        )

    end = max(line["x"][-1], 1)
    points = [
        f"{round(WIDTH * x / end)} {height(y)}" for x, y in zip(line["x"], line["y"], strict=True)
    ]
    trigger = level(policy.trigger * policy.window, "2 4") if policy.strategy != "none" else ""
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none" aria-hidden="true" '
        'fill="none" '
        'style="display:block;width:100%;height:5em">'
        f"{level(policy.window, '8 5')}{trigger}"
        f'<path d="M{"L".join(points)}" stroke="currentColor" style="stroke:{BLUE}" '
        'stroke-width="2" stroke-linejoin="round" vector-effect="non-scaling-stroke"/></svg>'
    )


def _caption(run: Run, task: int) -> str:
    policy = run.scenario.policy
    trigger = f"; dotted, the trigger at {percent(policy.trigger, 0)}"
    return (
        f"The context of task {number(task)} over {number(run.steps[task])} steps; dashed, the "
        f"window of {number(policy.window)} tokens{trigger if policy.strategy != 'none' else ''}."
    )
