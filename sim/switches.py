"""Which setting turns a pack on, and which have no effect until it does."""

from __future__ import annotations

from collections.abc import Iterable

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


def switch_of(name: str) -> str:
    """What a setting needs to have an effect: one that differs from its default; empty if nothing.

    A switch needs itself.
    """
    if name in _OTHERS:
        return _OTHERS[name]
    packs = (pack for pack, names in pack_settings().items() if name in names)
    return SWITCHES.get(next(packs, ""), "")


def resting(names: Iterable[str], *scenarios: Scenario) -> list[str]:
    """A sentence for each switch that is off in all scenarios while some of these settings, which
    somebody chose, need it."""
    waiting: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        switch = switch_of(name)
        if switch not in ("", name):
            waiting.setdefault(switch, []).append(name)
    return [
        _sentence(names, switch)
        for switch, names in waiting.items()
        if all(scenario.value(switch) == setting_default(switch) for scenario in scenarios)
    ]


def _sentence(names: list[str], switch: str) -> str:
    default = setting_default(switch)
    if default is False:
        off, on = "false", "true"
    elif options := setting_info(switch).get("options"):
        off, on = default, next(option for option in options if option != default)
    else:
        off, on = f"{default:g}", "1"
    who = f"{', '.join(names)} {'has' if len(names) == 1 else 'have'}"
    return f"{who} no effect while {switch} is {off}: set {switch} too, for example to {on}."
