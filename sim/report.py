"""A run as one plain object: what ``--json`` prints and the lab exports."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from sim.compare import compare
from sim.floor import floor
from sim.outcome import OF_PACKS, Outcome


def report(run: Outcome) -> dict[str, Any]:
    """Every tile and detail, unrounded, their intervals, the costs, and what reproduces the run.

    Costs are dollars per task. What belongs to a pack that is off is None.
    ``simulate(**report["provenance"])`` gives the same run again.
    """
    tiles = {key: tile.value for key, tile in run.tiles.items()}
    return {
        **tiles,
        **{key: tiles.get(key) for key in OF_PACKS},
        "cost_split": run.cost_split,
        "payback_requests": run.payback_requests,
        **run.hardware,
        "floor": _floor(run),
        "intervals": {key: [tile.low, tile.high] for key, tile in run.tiles.items()},
        "provenance": run.provenance,
    }


def _floor(run: Outcome) -> dict[str, Any]:
    found = floor(run)
    return {
        **found.parts,
        "tokens": found.tokens,
        "trigger": found.trigger,
        "requests": found.requests.value,
        "requests_interval": [found.requests.low, found.requests.high],
        "state": found.state,
    }


def report_pair(baseline: Outcome, candidate: Outcome) -> dict[str, Any]:
    """Both runs and their paired difference. Raises ScenarioError as ``compare`` does."""
    difference = compare(baseline, candidate)
    return {
        "baseline": report(baseline),
        "candidate": report(candidate),
        "difference": {key: asdict(estimate) for key, estimate in difference.items()},
        "provenance": {"baseline": baseline.provenance, "candidate": candidate.provenance},
    }
