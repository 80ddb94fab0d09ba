"""Presets on the same tasks, each paired with one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sim.compare import compare
from sim.engine import simulate_outcome
from sim.outcome import Outcome
from sim.presets.library import PRESETS, preset_named
from sim.presets.preset import Preset
from sim.report import report
from sim.scenario import Scenario
from sim.stats import Estimate
from sim.workload import draw_tasks

REFERENCE = "lab_default"


@dataclass(frozen=True, kw_only=True, slots=True)
class PresetRow:
    """What a preset's run gave, its ranks, and its paired differences from the reference.

    The run itself is not kept: those of all presets would take gigabytes.
    """

    preset: Preset
    scenario: Scenario
    tiles: Mapping[str, Estimate]
    fires: float
    """Times that a task's context is compacted, cleared or masked, on average."""
    report: Mapping[str, Any]
    """The run as one plain object; see ``sim.report``."""
    success_rank: int
    """1 is the highest success; equals share a rank."""
    cost_rank: int
    """1 is the lowest cost per task."""
    success_difference: Estimate
    cost_difference: Estimate


def compare_presets(
    presets: Iterable[str] | None = None,
    *,
    window: int | None = None,
    base: Scenario | None = None,
    reference: str = REFERENCE,
    seed: int = 1,
    tasks: int = 400,
    on_preset: Callable[[], None] | None = None,
) -> tuple[PresetRow, ...]:
    """Run presets, all if None, on the same tasks; best success first, then lowest cost.

    ``window`` is that of all of them, or None for each its own; ``base`` has the workload, the
    events, the prices and the packs. ``on_preset`` is called after every run. Raises ScenarioError
    for an unknown preset, and for what cannot be simulated.
    """
    base = base or Scenario()
    chosen = [preset_named(name) for name in (PRESETS if presets is None else presets)]
    drawn = draw_tasks(base.workload, base.events, seed=seed, tasks=tasks)
    first = preset_named(reference)

    def run(preset: Preset) -> Outcome:
        done = simulate_outcome(preset.scenario(window, base), seed=seed, tasks=drawn)
        if on_preset:
            on_preset()
        return done

    baseline = run(first)
    found = [_figures(p, baseline if p is first else run(p), baseline) for p in chosen]
    success, cost = ([row["tiles"][key].value for row in found] for key in ("success", "cost"))
    rows = [
        PresetRow(
            **row,
            success_rank=1 + sum(value > row["tiles"]["success"].value for value in success),
            cost_rank=1 + sum(value < row["tiles"]["cost"].value for value in cost),
        )
        for row in found
    ]
    return tuple(sorted(rows, key=lambda row: (row.success_rank, row.cost_rank)))


def _figures(preset: Preset, run: Outcome, baseline: Outcome) -> dict[str, Any]:
    """All of a preset's row but its ranks."""
    difference = compare(baseline, run)
    return {
        "preset": preset,
        "scenario": run.scenario,
        "tiles": run.tiles,
        "fires": float((run.compactions + run.clears + run.masks).mean()),
        "report": report(run),
        "success_difference": difference["success"],
        "cost_difference": difference["cost"],
    }
