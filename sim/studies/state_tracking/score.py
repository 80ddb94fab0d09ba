"""How often a compressed state answers right: programs drawn, compressed and asked."""

from __future__ import annotations

import numpy as np

from sim.stats import Estimate, wilson
from sim.studies.state_tracking.compressors import Channel, Compressor
from sim.studies.state_tracking.generator import draw_program_blocks
from sim.studies.state_tracking.recipe import Recipe
from sim.studies.state_tracking.tables import true_answers


def score(recipe: Recipe, compressor: Compressor, *, seed: int, programs: int) -> Estimate:
    """Share of programs whose query the compressed table answers as the interpreter does.

    A model that reads the table without a fault is assumed; an unset variable is right if the
    table has no entry for it. With Wilson's interval. Raises ScenarioError for a bad seed or
    number of programs.
    """
    channel = Channel(compressor, seed)
    right = 0
    for block in draw_program_blocks(recipe, seed=seed, programs=programs):
        truth = true_answers(block)
        right += int(np.count_nonzero(channel.next_entries(truth, block.query) == truth))
    return wilson(right, programs)
