"""Presets and workloads as plain objects, and as text for a shell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from sim.presets.preset import Preset
from sim.presets.ranking import PresetRow
from sim.profiles import Profile
from sim.shell import with_sign
from sim.stats import Estimate


def as_plain(entry: Preset | Profile) -> dict[str, Any]:
    """All of a preset or a workload, its settings as declared."""
    values = {spec.name: getattr(entry, spec.name) for spec in fields(entry)}
    return values | {"settings": dict(entry.settings)}


def overview(entries: Mapping[str, Preset] | Mapping[str, Profile]) -> str:
    """A line for each: id, name, and what it describes or how far it can be trusted."""
    lines = [
        (e.id, e.name, f"{e.version}; {e.evidence}" if isinstance(e, Preset) else e.evidence)
        for e in entries.values()
    ]
    return table(lines)


def in_full(entry: Preset | Profile) -> str:
    """All of a preset or a workload, a line for each value."""
    values = as_plain(entry)
    values["settings"] = ", ".join(f"{k}={v}" for k, v in values["settings"].items()) or "defaults"
    if isinstance(entry, Preset):
        values["window"] = f"{entry.window:,}"
        here = ", ".join(f"{k}={v}" for k, v in entry.settings_at().items())
        values["in its own window"] = here
        least = entry.shrinking()
        values["in smaller ones"] = "; ".join(
            f"below {window:,} tokens, {', '.join(n for n in least if least[n] == window)} in "
            "proportion"
            for window in dict.fromkeys(least.values())
        ) or "the same"  # fmt: skip
    return table([(key.replace("_", " "), value) for key, value in values.items()])


def ranking_plain(rows: Iterable[PresetRow]) -> list[dict[str, Any]]:
    """Each row as a plain object: the preset, its ranks and differences, and its report."""
    return [
        {
            "preset": as_plain(row.preset),
            "success_rank": row.success_rank,
            "cost_rank": row.cost_rank,
            "success_difference": asdict(row.success_difference),
            "cost_difference": asdict(row.cost_difference),
            **row.report,
        }
        for row in rows
    ]


def ranking_text(rows: Sequence[PresetRow], reference: str) -> str:
    """The rows as an aligned table, with the differences from the reference and their intervals."""
    heads = [
        ("#", "preset", "success", "difference", "", "cost", "#", "difference", "", "lost", "fires")
    ]
    lines = [
        (
            str(row.success_rank),
            row.preset.id,
            f"{100 * row.tiles['success'].value:.1f} %",
            *_difference(row, row.success_difference, reference, 100, "{:.1f}", " points"),
            f"${row.tiles['cost'].value:.3f}",
            str(row.cost_rank),
            *_difference(row, row.cost_difference, reference, 1, "${:.3f}"),
            f"{100 * row.tiles['needed_lost'].value:.1f} %",
            f"{row.fires:.2f}",
        )
        for row in rows
    ]
    return table(heads + lines, right=(0, 2, 3, 5, 6, 7, 9, 10))


def ranking_notes(rows: Iterable[PresetRow]) -> list[str]:
    """What the table does not show: a sentence for each kind of trouble, with the presets in it."""
    over, stuck = [], []
    for row in rows:
        if row.tiles["overflows"].value > row.fires:
            over.append(row.preset.id)
        floor = row.report["floor"]
        if floor["state"] != "unused" and floor["requests"] <= 1:
            stuck.append(row.preset.id)
    said = (
        ("Over the window more often than they fire, so messages drop or the task fails", over),
        ("Due again at the next step, by rule or as a compaction alone makes no room", stuck),
    )  # fmt: skip
    return [f"{sentence}: {', '.join(names)}." for sentence, names in said if names]


def _difference(
    row: PresetRow, estimate: Estimate, reference: str, scale: int, form: str, unit: str = ""
) -> tuple[str, str]:
    """The difference from the reference, and its interval."""
    if row.preset.id == reference:
        return "–", ""
    value, low, high = (
        None if end is None else with_sign(form.format(abs(scale * end)), end, plus="+")
        for end in (estimate.value, estimate.low, estimate.high)
    )
    interval = f"{low} … {high}{unit}" if low and high else "(too few tasks)"
    return f"{value}{unit}", interval


def table(rows: Sequence[tuple[str, ...]], right: tuple[int, ...] = ()) -> str:
    """Rows of text in columns; the last is as long as it is."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [
        "  ".join(
            cell.rjust(width) if i in right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return "\n".join(lines)
