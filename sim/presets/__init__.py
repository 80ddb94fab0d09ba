"""The policies of real agents as data, and their comparison on the same tasks."""

from sim.presets.library import PRESETS, parse_presets, preset_named
from sim.presets.preset import Preset
from sim.presets.ranking import REFERENCE, PresetRow, compare_presets

__all__ = [
    "PRESETS",
    "REFERENCE",
    "Preset",
    "PresetRow",
    "compare_presets",
    "parse_presets",
    "preset_named",
]
