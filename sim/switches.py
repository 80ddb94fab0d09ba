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
    """A sentence for each switch that is off in all scenarios while some of these settings, which
    somebody chose, need it."""
    every = [scenario.all_settings() for scenario in scenarios]
    waiting: dict[tuple[str, Any], list[str]] = {}
    for name in dict.fromkeys(names):
        if all(rests(name, settings) for settings in every):
            switch = switch_of(name)
            waiting.setdefault((switch, every[0][switch]), []).append(name)
    return [_sentence(names, switch, now) for (switch, now), names in waiting.items()]


def _sentence(names: list[str], switch: str, now: Any) -> str:
    if isinstance(now, bool):
        off, on = "false", "true"
    elif options := setting_info(switch).get("options"):
        off, on = now, next(option for option in options if option != setting_default(switch))
    else:
        off, on = f"{now:g}", "1"
    who = f"{', '.join(names)} {'has' if len(names) == 1 else 'have'}"
    return f"{who} no effect while {switch} is {off}: set {switch} too, for example to {on}."
