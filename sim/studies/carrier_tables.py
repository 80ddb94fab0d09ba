"""The tables of seed 002, each figure beside ours for as many rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sim import carrier
from sim.stats import Z95
from sim.studies.carrier_figures import ARMS, PAIR, WORKS, Figures, beside, writer_of
from sim.studies.sessions import Rows, pooled, rows_of, session
from sim.studies.study import Row, Table


def ladder(figures: Figures) -> Table:
    """One language model, three arms that share one prompt."""
    seen = figures.seen["ladder"]
    rows = [
        beside(label, figures.rows(arm, figures.writers[seen["model"]]), seen["rows"], seen[arm])
        for arm, label in ARMS.items()
    ]
    return Table(
        title=f"The ladder: recall of {seen['model']}, each rung with one change",
        rows=tuple(rows),
        chart=True,
        note="The last rung set a constant of the model. The first two did not: what describers "
        "hold is from all schemas of one field, what answers miss from the other tables.",
    )


def partition(figures: Figures, arm: str) -> Table:
    """The table of twenty models, one arm of it."""
    rows = [
        beside(cell.model, cell.ours, cell.count, cell.theirs, f"; {_said(cell.writer)}")
        for cell in figures.cells(arm)
    ]
    return Table(title=f"Recall of twenty models, {ARMS[arm]}", rows=tuple(rows))


def _said(writer: dict[str, Any]) -> str:
    if writer["writer"] == "gist":
        return f"a gist, {writer['gist_fill']:.0%} filled"
    return f"a {writer['writer']}"


def modes(figures: Figures) -> Table:
    """How many of the failing models five fields rescue, and what they cost the others."""
    rows = []
    for writer, words in (("describer", "describers"), ("gist", "writers of gists")):
        cells = figures.cells("five_fields", writer)
        rows.append(
            Row(
                label=f"{words} that five fields rescue, of {len(cells)}",
                ours=sum(cell.ours.mean >= WORKS for cell in cells),
                published=sum(cell.theirs >= WORKS for cell in cells),
            )
        )
    one, five = (figures.cells(arm, "lister") for arm in PAIR)
    cost = float(np.mean([cell.ours.mean for cell in one]))
    cost -= float(np.mean([cell.ours.mean for cell in five]))
    error = math.sqrt(sum(cell.ours.variance / cell.count for cell in [*one, *five])) / len(one)
    rows.append(
        Row(
            label=f"recall that five fields cost the {len(one)} others",
            ours=cost,
            low=cost - Z95 * error,
            high=cost + Z95 * error,
            published=figures.seen["working"]["cost"],
        )
    )
    return Table(
        title="Two ways to lose a fact, and what five fields do for each", rows=tuple(rows)
    )


def arms(figures: Figures) -> Table:
    """Nine language models in the arms of the first experiment."""
    seen, rows = figures.seen["arms"], []
    for model in seen["models"]:
        # One model was measured in no other table, and one with headed text alone.
        guess = writer_of(model["recall"].get("n", 1.0), fill=1.0)
        writer = figures.writers.get(model["model"], guess)
        for arm, theirs in model["recall"].items():
            ours = figures.rows(seen["carrier"][arm], writer, seen["tokens"][arm])
            count = model.get("other_rows", {}).get(arm, model["rows"])
            rows.append(beside(f"{model['model']}, arm {arm}", ours, count, theirs))
    return Table(
        title="Recall by model and arm",
        rows=tuple(rows),
        note="f: one field of 1,024 characters; n: one field, shared with other data; k: several "
        "named fields; l and m: headed text of 900 and of 2,400 tokens.",
    )


def one_chunk(figures: Figures) -> Table:
    """The ladder again, with nothing to accumulate."""
    seen = figures.seen["one_chunk"]
    shape = {"planted": seen["planted"], "graded": seen["graded"], "chunks": 1}
    writer = figures.writers[figures.seen["ladder"]["model"]]
    rows = [
        beside(label, figures.rows(arm, writer, **shape), seen["rows"], seen[arm])
        for arm, label in ARMS.items()
    ]
    return Table(
        title="Recall where all facts stand in one chunk",
        rows=tuple(rows),
        note="Folded once here. The published scenario differs in its facts too.",
    )


def capacity(figures: Figures) -> Table:
    """Less room for the same carriers."""
    rows = [
        beside(
            seen["label"],
            figures.rows(seen["carrier"], {"writer": "describer"}, seen["tokens"]),
            seen["rows"],
            seen["recall"],
        )
        for seen in figures.seen["capacity"]
    ]
    return Table(title="Recall by the room of the summary, of describers", rows=tuple(rows))


def by_sections(figures: Figures) -> Table:
    """What a divided field is worth, by how far it was divided."""
    seen = figures.seen["sections"]
    rows = []
    for count, (times, theirs) in enumerate(zip(seen["rows"], seen["recall"], strict=True)):
        writer = {"writer": "lister" if count == carrier.FOLDS else "describer"}
        scenario = session({"carrier": "one_field", **writer})
        ours = rows_of(scenario, figures.seed, sections=count)
        rows.append(beside(f"{count} of 5 sections arrived", ours, times, theirs))
    return Table(
        title="Recall of one field by the sections that arrived",
        rows=tuple(rows),
        note="These figures set the constants of the model, so that they must come back.",
    )


def failing(figures: Figures) -> Table:
    """Sessions below half recall, and those of them whose answers admit nothing."""
    rows = []
    for arm in PAIR:
        seen = figures.seen["wrong"][arm]
        failed = seen["invented"] + seen["admitted"]
        below = 1 - _pool(figures, arm).at_least(WORKS)
        rows.append(_share(f"below half recall, {ARMS[arm]}", below, failed, seen["rows"]))
        silent = below * carrier.INVENTING[arm]
        rows.append(_share(f"and silent, {ARMS[arm]}", silent, seen["invented"], seen["rows"]))
    return Table(
        title="Sessions that fail, and those that fail in silence",
        rows=tuple(rows),
        note="Ours are the rows of the twenty models; the published ones are of a few models more.",
    )


def all_or_nothing(figures: Figures) -> Table:
    """Whether the checks of a row pass together."""
    pool = pooled([(_pool(figures, arm), len(figures.models)) for arm in PAIR])
    seen, full = figures.seen["all_or_nothing"], figures.seen["full"]
    error = Z95 * pool.correlation_error(seen["rows"])
    rows = [
        Row(
            label="correlation of the checks of a row",
            ours=pool.correlation,
            low=pool.correlation - error,
            high=pool.correlation + error,
            published=seen["correlation"],
            note=f"theirs: {seen['rows']} rows of all arms; ours: one field and five",
        )
    ]
    writer = figures.writers[figures.seen["ladder"]["model"]]
    for arm in ("five_fields", "headed_text"):
        whole = figures.rows(arm, writer).at_least(1.0)
        rows.append(_share(f"rows with full recall, {ARMS[arm]}", whole, full[arm], full["rows"]))
    return Table(title="All or nothing", rows=tuple(rows))


def _pool(figures: Figures, arm: str) -> Rows:
    return pooled([(cell.ours, cell.count) for cell in figures.cells(arm)])


def _share(label: str, ours: float, theirs: int, of: int) -> Row:
    """A share of rows beside a published count."""
    return beside(label, Rows(np.array([1 - ours, ours])), of, theirs / of)
