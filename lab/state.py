"""What the user has set. It knows no widget: controls are made from it and write to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import param

from lab.packs import pack_of
from sim import Scenario, setting_info

MAX_TASKS = 10_000
"""More tasks than this answer too slowly in a browser."""
MAX_SEED = 2**53 - 1
"""Largest whole number that a page's script can hold."""


DEFAULTS = Scenario().all_settings()
"""Every setting of the scenario, flat, with its default."""


def changed(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the settings that differ from their defaults."""
    return {name: value for name, value in settings.items() if value != DEFAULTS[name]}


class LabState(param.Parameterized):
    """Every setting of the scenario under its own name, the seed, and the task looked at."""

    seed = param.Integer(default=1, bounds=(0, MAX_SEED), doc="Seed of the tasks.")
    tasks = param.Integer(default=400, bounds=(1, MAX_TASKS), doc="Number of tasks.")
    task = param.Integer(default=0, bounds=(0, MAX_TASKS - 1), doc="Task that is looked at.")

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self._settings = {name: getattr(self, name) for name in DEFAULTS}
        # Asked for several times at every move: kept, as reading every parameter takes a while.
        self.param.watch(self._keep, list(DEFAULTS))

    def _keep(self, *events: Any) -> None:
        self._settings |= {event.name: event.new for event in events}

    def settings(self) -> dict[str, Any]:
        """The settings of the scenario, flat."""
        return dict(self._settings)


def _parameter(name: str, default: Any) -> param.Parameter:
    """A parameter for a setting of the simulator: its kind, default and bounds."""
    rule = setting_info(name)
    if "options" in rule:
        return param.Selector(default=default, objects=list(rule["options"]), doc=rule["doc"])
    if isinstance(default, bool):
        return param.Boolean(default=default, doc=rule["doc"])
    kind = param.Integer if isinstance(default, int) else param.Number
    return kind(default=default, bounds=rule["bounds"], doc=rule["doc"])


for _name, _default in DEFAULTS.items():
    LabState.param.add_parameter(_name, _parameter(_name, _default))


def why_at_rest(settings: dict[str, Any], name: str) -> str | None:
    """Why a control has no effect at present, as a key of the texts; None if it has one."""
    if pack := pack_of().get(name):
        return "pack_off" if pack.rests(settings, name) else None
    strategy, clears = settings["strategy"], settings["clear_tool_results"]
    if strategy == "none" and name in (
        "trigger", "keep_recent", "summary_budget", "clear_tool_results", "pin_instruction",
        "forgetful_summariser", "tokens_per_fact", "forgetful_tokens_per_fact", "stub_tokens",
        "instruction_keep", "restated_rate", "needed_facts", "instruction_required",
    ):  # fmt: skip
        return "no_strategy"
    if strategy == "truncate" and name in (
        "summary_budget", "forgetful_summariser", "tokens_per_fact",
        "forgetful_tokens_per_fact", "instruction_keep",
    ):  # fmt: skip
        return "no_summary"
    reasons = {
        "keep_recent": ("no_recent", strategy == "truncate" and not clears),
        "fact_rate": ("no_strategy", strategy == "none" and not settings["notes"]),
        "instruction_required": ("pinned", settings["pin_instruction"]),
        "noted_rate": ("no_notes", not settings["notes"]),
        "note_tokens": ("no_notes", not settings["notes"]),
        "stub_tokens": ("no_clearing", not clears),
        "instruction_keep": ("pinned", settings["pin_instruction"]),
        "noisy_tools_factor": ("no_noise", not settings["noisy_tools"]),
        "long_horizon_factor": ("no_horizon", not settings["long_horizon"]),
        "tokens_per_fact": ("forgetful", settings["forgetful_summariser"]),
        "forgetful_tokens_per_fact": ("not_forgetful", not settings["forgetful_summariser"]),
    }
    reason, rests = reasons.get(name, ("", False))
    return reason if rests else None
