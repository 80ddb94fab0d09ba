"""What the study's commands find, as plain data for JSON; their texts are written from it.

A length that does not exist, an N* at which nothing is ever better, is None.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from sim.stats import Estimate
from sim.studies.state_tracking.compressors import Compressor
from sim.studies.state_tracking.crossover import crossover_table, explain, oddities
from sim.studies.state_tracking.curve import StuffingCurve
from sim.studies.state_tracking.experiment import play_crossovers
from sim.studies.state_tracking.hybrid import Hybrid, best_shares, hybrid_crossing
from sim.studies.state_tracking.recipe import Recipe
from sim.studies.state_tracking.score import score
from sim.studies.state_tracking.scoring import Group, Scored
from sim.studies.state_tracking.target_curve import fit_target_curve

TRIED_LENGTHS = 12
"""Lengths at which a hybrid is played to find its N*, evenly in the logarithm."""


def table_report(*, seed: int, programs: int) -> dict[str, Any]:
    """The 35 published cells beside the curve's and beside those played again."""
    cells = crossover_table(fit_target_curve())
    played = play_crossovers(seed=seed, programs=programs)
    rows = []
    for cell, again in zip(cells, played, strict=True):
        rows.append(
            asdict(cell)
            | {"why": explain(cell, seed=seed)}
            | {
                "read_accuracy": again.read_accuracy,
                "played_accuracy": _ends(again.accuracy),
                "played_n_star": _ends(again.n_star),
                "played_steps": again.steps,
            }
        )
    return {
        "cells": rows,
        "within_one_step": sum(abs(cell.steps) <= 1 for cell in cells),
        "exact": sum(cell.steps == 0 for cell in cells),
        "played_within_one_step": sum(abs(again.steps) <= 1 for again in played),
        "oddities": list(oddities()),
        "seed": seed,
        "programs": programs,
    }


def crossover_report(
    recipe: Recipe,
    compressor: Compressor,
    curve: StuffingCurve,
    *,
    lengths: Sequence[int],
    share: float | None,
    seed: int,
    programs: int,
    carry_rules: bool,
) -> dict[str, Any]:
    """N* of a state, and of a hybrid if a share is given; the best share at each length.

    A state alone is read without a fault. Raises ScenarioError for a bad seed, number of programs,
    length or share.
    """
    recipe = replace(recipe, statements=lengths[0])
    found = score(recipe, compressor, seed=seed, programs=programs)
    played = best_shares(
        recipe, compressor, curve, lengths=lengths, seed=seed, programs=programs,
        carry_rules=carry_rules,
    )  # fmt: skip
    at_share = None
    if share is not None:
        tried = _spread(curve.tried)
        n_star = hybrid_crossing(
            recipe, compressor, curve, share=share, lengths=tried, seed=seed, programs=programs,
            carry_rules=carry_rules,
        )  # fmt: skip
        at_share = {
            "share": share,
            "n_star": _n_star(n_star, curve),
            "at_most": n_star.value <= tried[0],
        }
    return {
        "settings": asdict(recipe) | {"statements": list(lengths)},
        "compressor": str(compressor),
        "curve": _curve(curve),
        "state": {
            "accuracy": _ends(found),
            "n_star": _n_star(curve.crossing(found, trials=programs, seed=seed), curve),
        },
        "share": at_share,
        "lengths": [_hybrid(hybrid) for hybrid in played],
        "carry_rules": carry_rules,
        "seed": seed,
        "programs": programs,
    }


def score_report(scored: Scored) -> dict[str, Any]:
    """All that was found in a file of answers."""
    return {
        "groups": [_group(group) for group in scored.groups],
        "unread": list(scored.unread),
        "several": list(scored.several),
        "malformed": [asdict(fault) for fault in scored.malformed],
        "duplicates": [asdict(fault) for fault in scored.duplicates],
        "unknown": [asdict(fault) for fault in scored.unknown],
        "missing": list(scored.missing),
    }


def _group(group: Group) -> dict[str, Any]:
    settings = asdict(group.recipe)
    del settings["statements"]
    curve = group.curve
    return {
        "settings": settings,
        "lengths": [
            {"statements": at.statements, "right": at.right, "n": at.trials} | _ends(at.accuracy)
            for at in group.lengths
        ],
        "curve": _curve(curve) if curve else None,
        "no_curve": group.no_curve,
        "n_stars": [
            {"lost": rate} | _n_star(n_star, curve) for rate, n_star in group.n_stars if curve
        ],
    }


def _hybrid(hybrid: Hybrid) -> dict[str, Any]:
    return {
        "statements": hybrid.recipe.statements,
        "best": hybrid.best.share,
        "best_low": hybrid.best_low,
        "best_high": hybrid.best_high,
        "shares": [
            {
                "share": point.share,
                "accuracy": _ends(point.accuracy),
                "text_right": _ends(point.text_right),
                "lines": point.length,
                "extrapolated": point.is_extrapolated,
            }
            for point in hybrid.points
        ],
    }


def _curve(curve: StuffingCurve) -> dict[str, Any]:
    low, high = curve.half_interval
    return {
        "half": curve.half,
        "half_low": low,
        "half_high": high,
        "steepness": curve.steepness,
        "guess": curve.guess,
        "tried": list(curve.tried),
        "outside": curve.is_outside,
    }


def _n_star(estimate: Estimate, curve: StuffingCurve) -> dict[str, Any]:
    return _ends(estimate) | {"extrapolated": bool(curve.is_extrapolated([estimate.value])[0])}


def _ends(estimate: Estimate) -> dict[str, float | None]:
    ends = {"value": estimate.value, "low": estimate.low, "high": estimate.high}
    return {name: None if x is None or math.isinf(x) else x for name, x in ends.items()}


def _spread(tried: tuple[float, float]) -> tuple[int, ...]:
    low, high = tried
    step = (high / low) ** (1 / (TRIED_LENGTHS - 1))
    return tuple(dict.fromkeys(round(low * step**i) for i in range(TRIED_LENGTHS)))
