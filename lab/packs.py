"""The packs as the page shows them: the words of ``packs.toml``, the controls from the simulator.

A pack of the simulator needs one entry there. Its controls are made from its fields, which know
their kind, bounds, unit and meaning.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from lab.control import Control
from sim import pack_settings, setting_default, setting_info
from sim.switches import SWITCHES, is_off, rests, switch_of


@dataclass(frozen=True, kw_only=True, slots=True)
class Pack:
    """An assumption that can be switched on, with what speaks for it."""

    id: str
    """That of the part of the scenario that it is."""
    name: str
    what: str
    source: str
    strength: str
    """How far the source carries."""
    switch: str
    """The setting that turns it on: any other value than its default does. Empty if each of its
    settings does so for itself."""
    plain: tuple[str, ...]
    """The settings shown at once; all others are behind "More"."""
    more: tuple[str, ...]
    panel: str = ""
    """What is calculated for it: a name of ``lab.panels``."""
    controls: Mapping[str, Control] = field(default_factory=dict)

    def at_rest(self, settings: Mapping[str, Any]) -> list[str]:
        """Its settings that have no effect, as long as what they need is off."""
        return [name for name in self.controls if rests(name, settings)]

    def is_on(self, settings: Mapping[str, Any]) -> bool:
        """Whether it changes anything."""
        alone = (name for name in self.controls if switch_of(name) in ("", name))
        return any(not is_off(name, settings) for name in alone)


@cache
def packs() -> tuple[Pack, ...]:
    """Every pack, in the order of the page."""
    raw = tomllib.loads(files("lab").joinpath("packs.toml").read_text(encoding="utf-8"))
    return tuple(_pack(entry) for entry in raw["packs"])


def _pack(entry: dict[str, Any]) -> Pack:
    own = (*entry.pop("also", ()), *pack_settings()[entry["id"]])
    switch = SWITCHES.get(entry["id"], "")
    labels, units = entry.pop("labels", {}), entry.pop("units", {})
    plain = tuple(entry.pop("plain"))
    return Pack(
        **entry,
        plain=plain,
        switch=switch,
        more=tuple(name for name in own if name not in (*plain, switch)),
        controls={
            name: _control(name, entry["id"], labels.get(name), units.get(name)) for name in own
        },
    )


def _control(name: str, group: str, label: str | None, unit: str | None) -> Control:
    rule, default = setting_info(name), setting_default(name)
    kind = "switch" if isinstance(default, bool) else "choice" if "options" in rule else "number"
    return Control(
        name=name,
        label=label or name.replace("_", " ").capitalize(),
        kind=kind,
        group=group,
        unit=rule["unit"] if unit is None else unit,
        help=rule["doc"],
    )
