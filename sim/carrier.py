"""What a summary is written into, and what that costs (seed 002, "Two Ways to Lose a Fact").

The seed folded a session of 150,000 tokens five times, with facts planted all along it, and asked
for fourteen of them. Its own figures, with its sections in brackets:

- recall by how many of five sections a summary in one field had (4.8), and of plain text under
  five headings (4.3). Five fields always gave five sections;
- the share of answers that missed something the summary held, by carrier (4.10): of *answers*, not
  of facts;
- the share of wrong answers that admitted nothing, by carrier (4.11): those with a recall below a
  half, and of each the first 400 characters.

Ours, and only assumptions:

- Whoever *lists* always divides the field, whoever *describes* never fully: then by the seed's
  rows with fewer than five sections, less those of two writers of gists. A *gist* holds the share
  of the facts that it fills of its room, however the room is divided.
- A summary that arrives in five sections holds what headed text does. So what a divided field
  loses beyond that, its answers miss, and ``MISSED_SHARE`` follows. The seed gives no such number.
- Facts stood evenly along the session, so that they went through one to five folds.
- Some summaries are hard on all their facts: a task's hazard is multiplied by one
  unit-exponential draw. Then recall is mostly all or nothing: ``python -m sim study carriers`` sets
  its intraclass correlation beside the seed's.
- Any answer that lacks a fact, and not only one that lacks more than half, admits nothing as often
  as the seed's wrong answers.
- With headed text, of which the seed saw hardly a wrong answer, facts are invented as rarely as
  with five fields.

The instruction fares as in the base model: the seed did not measure one.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from sim import streams
from sim.packs import Carrier
from sim.workload import Tasks

FOLDS = 5
RECALL_BY_SECTIONS = (0.086, 0.041, 0.457, 0.529, 0.610, 0.900)
"""Recall of summaries in one field with 0 … 5 sections: 186 rows of the seed."""
HEADED_RECALL = 0.986
"""Recall of plain text under five headings: 138 of 140 checks."""
DESCRIBED_ROWS = (13, 57, 5, 5, 11)
"""How often 0 … 4 sections arrived: 38, 58, 5, 5 and 11 rows, less the 25 and 1 of two models
whose gists were counted apart (4.7)."""
MISSING = {"one_field": 13 / 103, "five_fields": 31 / 88, "headed_text": 0 / 4}
"""Share of answers that miss something their summary holds."""
INVENTING = {"one_field": 23 / 87, "five_fields": 4 / 52, "headed_text": 4 / 52}
"""Share of wrong answers that admit nothing; of headed text an assumption."""
MISSED_SHARE = (1 - RECALL_BY_SECTIONS[5] / HEADED_RECALL) / MISSING["one_field"]
"""What such an answer misses of what its summary holds."""
HELD_BY_SECTIONS = tuple(
    recall / (1 - MISSING["one_field"] * MISSED_SHARE) for recall in RECALL_BY_SECTIONS
)
"""What the summaries held, before anything was missed."""


def is_on(pack: Carrier) -> bool:
    """Whether the carrier is any but the ideal one."""
    return pack.carrier != "ideal"


def fold_hazards(pack: Carrier, tasks: Tasks) -> np.ndarray | None:
    """What each fold adds to the hazard of a task's facts: float64 (n,); None if nothing."""
    if not is_on(pack):
        return None
    draws = tasks.drawn_of_tasks(streams.SUMMARY_SECTIONS, width=2)
    if pack.writer == "gist":
        mean = np.full(len(tasks), fold_hazard(pack.gist_fill))
    else:
        mean = np.array([fold_hazard(held) for held in HELD_BY_SECTIONS])[sections(pack, draws)]
    hazards: np.ndarray = mean * -np.log1p(-draws[:, 1])
    return hazards


def sections(pack: Carrier, draws: np.ndarray) -> np.ndarray:
    """How many of the five sections each task's summaries have, from uniform draws (n, 2): int64.

    Once a task: a summary is folded on in the shape that it has. Of a gist's sections nothing
    depends, so that they are not asked for.
    """
    if pack.carrier != "one_field" or pack.writer == "lister":
        return np.full(len(draws), 5, dtype=np.int64)
    shares = np.cumsum(DESCRIBED_ROWS) / sum(DESCRIBED_ROWS)
    return np.searchsorted(shares, draws[:, 0], side="right").astype(np.int64)


@cache
def fold_hazard(held: float) -> float:
    """Mean hazard of a fold, so that a session of five leaves a share ``held`` of its facts.

    Facts stand evenly along the session. After ``k`` folds with mean hazard ``h`` the share
    ``1 / (1 + k h)`` is left: the mean of ``exp(-k h e)`` over unit-exponential ``e``.
    """
    folds, hazard = np.arange(1, FOLDS + 1), 0.0
    while True:  # Newton's steps on a convex, falling function: from 0 they never pass its root
        left = 1 / (1 + folds * hazard)
        step = float((left.mean() - held) / (folds * left**2).mean())
        if step <= 1e-12 * hazard:
            return hazard
        hazard += step


def found(pack: Carrier, held: np.ndarray) -> np.ndarray:
    """Chance, float64 (n,), that an answer misses none of the ``held`` facts of its summary."""
    chance: np.ndarray = 1 - MISSING[pack.carrier] * (1 - (1 - MISSED_SHARE) ** held)
    return chance


def confidently_wrong(pack: Carrier, lost: np.ndarray, found: np.ndarray) -> np.ndarray:
    """Chance, float64 (n,), that an answer gives an invented fact as if it were known.

    Counted as the seed counts: of answers, not of facts, and only where a summary lost a needed
    fact or the answer missed one in it. How often other losses are admitted, nobody measured.
    """
    lacking = np.where(lost > 0, 1.0, 1 - found)
    chance: np.ndarray = INVENTING[pack.carrier] * lacking
    return chance
