"""The published N* table played again: compressors at work on many programs, not five."""

from __future__ import annotations

from dataclasses import dataclass

from sim.stats import Estimate
from sim.studies.state_tracking.compressors import Compressor, Loss
from sim.studies.state_tracking.crossover import grid_place
from sim.studies.state_tracking.published import published
from sim.studies.state_tracking.recipe import Recipe
from sim.studies.state_tracking.score import score
from sim.studies.state_tracking.target_curve import stuffing_curve


@dataclass(frozen=True, kw_only=True, slots=True)
class ExperimentCell:
    """One cell: what the seed read and what many programs give."""

    compressor: Compressor
    target_rate: float
    read_accuracy: float
    """Of the compressor, in the seed's five trials."""
    accuracy: Estimate
    """Of the compressor, on our programs."""
    published: int
    """The seed's N*, in statements."""
    n_star: Estimate
    """Ours, in statements, with the uncertainty of the curve and of the compressor."""
    steps: int
    """Steps of the published grid from the published N* to ours."""


def play_crossovers(
    *, seed: int, programs: int = 2000, statements: int = 300
) -> tuple[ExperimentCell, ...]:
    """The 35 cells, row by row. The length of the programs does not matter to a compressor.

    Raises ScenarioError for a bad seed, number of programs or number of statements.
    """
    figures = published()
    cells = []
    for column, target_rate in enumerate(figures.target_rates):
        recipe = Recipe(statements=statements, grammar="set_only", target_rate=target_rate)
        curve = stuffing_curve(target_rate, seed=seed)
        for row in figures.crossovers:
            compressor = Compressor((Loss(row.loss, row.rate),))
            found = score(recipe, compressor, seed=seed, programs=programs)
            n_star = curve.crossing(found, trials=programs, seed=seed)
            theirs = row.statements[column]
            cells.append(
                ExperimentCell(
                    compressor=compressor,
                    target_rate=target_rate,
                    read_accuracy=row.accuracy,
                    accuracy=found,
                    published=theirs,
                    n_star=n_star,
                    steps=grid_place(n_star.value) - grid_place(theirs),
                )
            )
    rows = len(figures.crossovers)
    return tuple(cells[column * rows + row] for row in range(rows)
                 for column in range(len(figures.target_rates)))  # fmt: skip
