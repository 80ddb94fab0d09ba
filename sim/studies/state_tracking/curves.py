"""The published curve for a recipe, and what it does not know about it."""

from __future__ import annotations

from sim.studies.state_tracking.curve import Point, StuffingCurve, fit_curve
from sim.studies.state_tracking.language import VARIABLES
from sim.studies.state_tracking.published import published
from sim.studies.state_tracking.recipe import Recipe
from sim.studies.state_tracking.target_curve import stuffing_curve


def mixed_curve(*, seed: int, replicates: int = 1000) -> StuffingCurve:
    """The curve fitted to the published counts of the mixed grammar."""
    points = [Point(row.statements, row.right, row.trials) for row in published().mixed]
    return fit_curve(points, seed=seed, replicates=replicates)


def curve_for(recipe: Recipe, *, seed: int, replicates: int = 1000) -> StuffingCurve:
    """The published curve of the recipe's grammar, at its target rate if it has one.

    Without one, every variable is written alike: one in 26 of the statements.
    """
    if recipe.grammar == "mixed":
        return mixed_curve(seed=seed, replicates=replicates)
    return stuffing_curve(_rate(recipe), seed=seed, replicates=replicates)


def gaps(recipe: Recipe) -> tuple[str, ...]:
    """What the published curve does not know about a recipe, a sentence each.

    Lengths are left out: the curve itself says which of them are extrapolated.
    """
    if recipe.grammar == "mixed":
        return ()
    rates, found = published().target_rates, []
    if not rates[0] <= _rate(recipe) <= rates[-1]:
        found.append(
            f"Extrapolated: target rates were tried from {rates[0]} to {rates[-1]}, "
            f"not {_rate(recipe):g}."
        )
    if recipe.last_position != 1:
        found.append("The published figures pool all positions: the curve knows none by itself.")
    if recipe.value_reuse:
        found.append("Extrapolated: nothing is published about the reuse of values.")
    return tuple(found)


def _rate(recipe: Recipe) -> float:
    return recipe.target_rate or 1 / len(VARIABLES)
