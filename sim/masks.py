"""Which tool results masks take, and when (Part E).

Rules of this file. A step's tool is of one kind: search, execute or edit. A kind is due as soon as
the context reaches its watermark after a step; then its results older than the recent steps are
masked. With ``staking`` what was sent stays as it is: of ``new_results``, only the newest is ever
masked, before a request has sent it; or masks wait for the last watermark, and come all at once.
"""

from __future__ import annotations

import math

import numpy as np

from sim import streams
from sim.context import Context

KINDS = np.arange(3, dtype=np.int64)[:, None]


class Masks:
    """What masks need to know of a run's steps."""

    def __init__(self, context: Context) -> None:
        tasks, pack = context.tasks, context.scenario.masking
        marks = [pack.mask_search_at, pack.mask_execute_at, pack.mask_edit_at]
        if pack.staking == "all_at_once":
            marks = [pack.mask_edit_at] * len(KINDS)
        capacity = pack.effective_fraction * context.scenario.policy.window
        self.levels = np.array([[math.ceil(mark * capacity)] for mark in marks], dtype=np.int64)
        """int64 (3, 1): tokens at which each kind is due."""
        draw = tasks.drawn(streams.TOOL_KIND)
        self.kind = (draw >= pack.search_share).astype(np.int64)
        self.kind += draw >= 1 - pack.edit_share
        """int64 (S,): kind of each step's tool, in the order of the watermarks."""

        depth = tasks.fact_depth()
        size, half = context.tool[tasks.fact_position()], pack.masked_tokens / 2
        self.in_sight = (depth < half) | (depth >= size - half)
        """bool (F,): the fact stands in the head or tail that a mask leaves."""
