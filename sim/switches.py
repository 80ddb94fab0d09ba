"""Which setting turns a pack on, and which have no effect until it does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from sim.scenario import Scenario, pack_settings, setting_default, setting_info

SWITCHES = {
    "caching": "caching", "hardware": "hardware", "reading": "reading", "clearing": "clear_apart",
    "masking": "masking", "disk": "offloading", "rework": "rework", "carrier": "carrier",
}  # fmt: skip
"""By pack; one that is not here has none, and each of its settings has an effect by itself."""

_OTHERS = {
    "clear_at_least": "",  # without a cache, too
    "notes_at": "",  # the place of the notes matters to how they are read, too
    "archive": "",
    "archive_rate": "archive",
    "read_back_tokens": "",  # of files and of the archive
}

_VALUES = {"most_missed": "u_shaped"}
"""What the switch has to be, where not any value but its default will do."""


_OF_SUMMARIES = (
    "summary_budget", "tokens_per_fact", "forgetful_summariser", "forgetful_tokens_per_fact",
    "instruction_keep", "carrier", "writer", "gist_fill", "keep_recent_tokens",
    "keep_recent_share", "rehydrate_tokens", "summariser_input_cap", "tool_clip",
    "summariser_calls", "summariser_price", "summariser_cache",
)  # fmt: skip
_OF_STRATEGIES = "trigger", "trigger_steps", "check_every", "rework"

NEEDS: Mapping[str, tuple[str, tuple[Any, ...]]] = {
    **dict.fromkeys(_OF_STRATEGIES, ("strategy", ("summarise", "truncate"))),
    **dict.fromkeys(_OF_SUMMARIES, ("strategy", ("summarise",))),
    "truncate_to": ("strategy", ("truncate",)),
    "clear_at_least": ("clear_tool_results", (True,)),
    "stub_tokens": ("clear_tool_results", (True,)),
    "noted_rate": ("notes", (True,)),
    "note_tokens": ("notes", (True,)),
    "notes_at": ("notes", (True,)),
    "noisy_tools_factor": ("noisy_tools", (True,)),
    "long_horizon_factor": ("long_horizon", (True,)),
}
"""What a setting needs beside the switch of its pack: another, and the values that will do."""


@cache
def switch_of(name: str) -> str:
    """What a setting needs to have an effect: one that differs from its default; empty if nothing.

    A switch needs itself.
    """
    if name in _OTHERS:
        return _OTHERS[name]
    packs = (pack for pack, names in pack_settings().items() if name in names)
    return SWITCHES.get(next(packs, ""), "")


def is_off(name: str, settings: Mapping[str, Any]) -> bool:
    """Whether a setting is at its default, where it is if it is left out."""
    default = setting_default(name)
    return bool(settings.get(name, default) == default)


def rests(name: str, settings: Mapping[str, Any]) -> bool:
    """Whether a setting has no effect, as what it needs is off."""
    switch = switch_of(name)
    if switch in ("", name):
        return False
    wanted = _VALUES.get(name)
    return settings.get(switch) != wanted if wanted else is_off(switch, settings)


def resting(names: Iterable[str], *scenarios: Scenario) -> list[str]:
    """A sentence for each setting whose value, in all scenarios, leaves without effect some of
    these, which somebody chose."""
    every = [scenario.all_settings() for scenario in scenarios]
    waiting: dict[tuple[str, Any, Any], list[str]] = {}
    for name in dict.fromkeys(names):
        other, values = NEEDS.get(name, ("", ()))
        if all(rests(name, settings) for settings in every):
            other, wanted = switch_of(name), _on(switch_of(name))
        elif other and all(settings[other] not in values for settings in every):
            wanted = values[0]
        else:
            continue
        waiting.setdefault((other, every[0][other], wanted), []).append(name)
    return [_sentence(names, *switch) for switch, names in waiting.items()]


def _on(switch: str) -> Any:
    """A value that turns a pack on."""
    default = setting_default(switch)
    if isinstance(default, bool):
        return True
    options = setting_info(switch).get("options", (1,))
    return next(option for option in options if option != default)


def _sentence(names: list[str], other: str, now: Any, wanted: Any) -> str:
    off, on = (
        str(value).lower() if isinstance(value, bool | str) else f"{value:g}"
        for value in (now, wanted)
    )
    who = f"{', '.join(names)} {'has' if len(names) == 1 else 'have'}"
    return f"{who} no effect while {other} is {off}: set {other} too, for example to {on}."
