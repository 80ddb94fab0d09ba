"""A run as a small piece of HTML that stands in any page, without scripts or a style sheet."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from html import escape
from typing import Any

from lab.lifelines import context_line
from lab.sentence import summary
from lab.text import number, percent, text
from lab.views import figure
from sim import Outcome, Policy, Scenario, ScenarioError, Timeline, simulate

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
    run = simulate(Scenario.from_dict(settings), seed=seed, tasks=tasks)
    if not 0 <= task < len(run):
        raise ScenarioError(
            f"task is {task} but must be from 0 to {len(run) - 1}: there are {len(run)} tasks."
        )
    return fragment(run, run.timeline(task), link)


def fragment(run: Outcome, line: Timeline, link: str) -> str:
    """A run's sentence, three of its tiles, and one task's context, with a link to the lab.

    The same run gives the same text.
    """
    return filled(pieces(run, line), link)


def pieces(run: Outcome, line: Timeline) -> tuple[str, ...]:
    """What differs between the previews of two runs, each ready for its place in ``template``."""
    lead, rest = summary(run)
    figures = (figure(key, run.tiles[key].value) for key in SHOWN)
    return (
        *(escape(words) for words in (lead, rest, *figures, _caption(run, line.task))),
        *_sparkline(run.scenario.policy, line),
    )


def filled(pieces: tuple[str, ...], link: str) -> str:
    """The fragment of these pieces. ``web/previews.js`` does the same for those of the site."""
    values = (*pieces, escape(link))
    return re.sub(r"\{(\d+)\}", lambda place: values[int(place[1])], template())


@cache
def template() -> str:
    """The fragment with the numbers of its pieces in braces, that of the link last."""
    tiles = "".join(_tile(key, f"{{{place}}}") for place, key in enumerate(SHOWN, start=2))
    return "\n".join(
        [
            f'<div class="compaction-preview" style="{BOX}">',
            '<p style="margin:0;line-height:1.45"><b>{0}</b>{1}</p>',
            f'<dl style="display:flex;flex-wrap:wrap;gap:.5em 2em;margin:.8em 0">{tiles}</dl>',
            f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none" aria-hidden="true" '
            'fill="none" style="display:block;width:100%;height:5em">{6}'
            f'<path d="M{{7}}" stroke="currentColor" style="stroke:{BLUE}" '
            'stroke-width="2" stroke-linejoin="round" vector-effect="non-scaling-stroke"/></svg>',
            f'<p style="{SMALL}">{{5}}</p>',
            f'<p style="{SMALL}">Calculated by a {escape(text()["evidence"])}. '
            '<a href="{8}">Open in the lab</a></p>',
            "</div>",
        ]
    )


def _tile(key: str, value: str) -> str:
    name = escape(text()["tiles"][key]["name"])
    return (
        f'<div><dt style="font-size:.82em;color:{FAINT}">{name}</dt>'
        f'<dd style="margin:0;font-size:1.4em;font-weight:650;line-height:1.25">{value}</dd></div>'
    )


def _sparkline(policy: Policy, timeline: Timeline) -> tuple[str, str]:
    """The dashed levels of window and trigger, and the points of the context's line."""
    line = context_line(timeline)
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
    return level(policy.window, "8 5") + trigger, "L".join(points)


def _caption(run: Outcome, task: int) -> str:
    policy = run.scenario.policy
    trigger = f"; dotted, the trigger at {percent(policy.trigger, 0)}"
    return (
        f"The context of task {number(task)} over {number(run.steps[task])} steps; dashed, the "
        f"window of {number(policy.window)} tokens{trigger if policy.strategy != 'none' else ''}."
    )
