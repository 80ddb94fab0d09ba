"""Presets on the same tasks, each paired with one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sim.compare import compare
from sim.engine import simulate
from sim.presets.library import PRESETS, preset_named
from sim.presets.preset import Preset
from sim.run import Run
from sim.scenario import Scenario
from sim.stats import Estimate
from sim.workload import draw_tasks

REFERENCE = "lab_default"


@dataclass(frozen=True, kw_only=True, slots=True)
class PresetRow:
    """One preset's run, its ranks, and its paired differences from the reference."""

    preset: Preset
    run: Run
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
    runs: dict[str, Run] = {}
    for preset in (*chosen, preset_named(reference)):
        if preset.id not in runs:
            runs[preset.id] = simulate(preset.scenario(window, base), seed=seed, tasks=drawn)
            if on_preset:
                on_preset()
    success, cost = ({p.id: runs[p.id].tiles[key].value for p in chosen} for key in _RANKED)
    rows = []
    for preset in chosen:
        difference = compare(runs[reference], runs[preset.id])
        rows.append(
            PresetRow(
                preset=preset,
                run=runs[preset.id],
                success_rank=1 + sum(value > success[preset.id] for value in success.values()),
                cost_rank=1 + sum(value < cost[preset.id] for value in cost.values()),
                success_difference=difference["success"],
                cost_difference=difference["cost"],
            )
        )
    return tuple(sorted(rows, key=lambda row: (row.success_rank, row.cost_rank)))


_RANKED = ("success", "cost")
