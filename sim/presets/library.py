"""All presets, in the order of their file."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType

from sim.entries import read_entries
from sim.presets.preset import KEYS, Preset, parse_preset
from sim.setting import check_name


def parse_presets(text: str, file: str = "presets.toml") -> Mapping[str, Preset]:
    """The presets in a TOML text, by id. Raises EntryError."""
    return MappingProxyType(
        {entry.id: parse_preset(entry) for entry in read_entries(text, file, KEYS)}
    )


PRESETS: Mapping[str, Preset] = parse_presets(
    files(__package__).joinpath("presets.toml").read_text(encoding="utf-8")
)


def preset_named(name: str) -> Preset:
    """The preset with this id. Raises ScenarioError if there is none."""
    check_name(name, PRESETS, "preset")
    return PRESETS[name]
