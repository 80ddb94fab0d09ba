"""A run as a small piece of HTML that stands in any page, without scripts."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from lab.sentence import summary
from sim import Scenario, simulate


def preview(
    settings: Mapping[str, Any], *, seed: int = 1, tasks: int = 400, task: int = 0, link: str
) -> str:
    """What a configuration gives, as an HTML fragment with a link to the lab.

    ``settings`` are flat, those left out at their defaults. Raises ScenarioError for settings, a
    seed or a number of tasks that cannot be simulated.
    """
    lead, rest = summary(simulate(Scenario.from_dict(settings), seed=seed, tasks=tasks))
    return (
        f'<div class="compaction-preview"><p><b>{escape(lead)}</b>{escape(rest)}</p>'
        f'<p>Calculated. <a href="{escape(link)}">Open in the lab</a></p></div>'
    )
