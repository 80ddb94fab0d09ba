"""What the user has set. It knows no widget: controls are made from it and write to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import param

from lab.packs import packs
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


def at_rest(settings: Mapping[str, Any]) -> dict[str, str]:
    """The controls that have no effect at present, each with why: a key of the texts."""
    strategy, clears = settings["strategy"], settings["clear_tool_results"]
    found = {name: "pack_off" for pack in packs() for name in pack.at_rest(settings)}
    rests = {
        "no_recent": (("keep_recent",), strategy == "truncate" and not clears),
        "no_notes": (("noted_rate", "note_tokens"), not settings["notes"]),
        "no_clearing": (("stub_tokens",), not clears),
        "pinned": (("instruction_required", "instruction_keep"), settings["pin_instruction"]),
        "no_noise": (("noisy_tools_factor",), not settings["noisy_tools"]),
        "no_horizon": (("long_horizon_factor",), not settings["long_horizon"]),
        "forgetful": (("tokens_per_fact",), settings["forgetful_summariser"]),
        "not_forgetful": (("forgetful_tokens_per_fact",), not settings["forgetful_summariser"]),
        # The graver reasons come last, as they count.
        "no_summary": (OF_SUMMARIES, strategy == "truncate"),
        "no_strategy": (OF_STRATEGIES, strategy == "none"),
    }  # fmt: skip
    found |= {name: why for why, (names, is_so) in rests.items() if is_so for name in names}
    if strategy == "none" and not settings["notes"]:
        found["fact_rate"] = "no_strategy"
    return found


OF_SUMMARIES = (
    "summary_budget", "forgetful_summariser", "tokens_per_fact", "forgetful_tokens_per_fact",
    "instruction_keep",
)  # fmt: skip
OF_STRATEGIES = (
    "trigger", "keep_recent", "clear_tool_results", "pin_instruction", "stub_tokens",
    "restated_rate", "needed_facts", "instruction_required", *OF_SUMMARIES,
)  # fmt: skip
