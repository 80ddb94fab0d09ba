"""The figures of seed 002, and the rows of ours that stand beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sim.studies.sessions import FULL_ROOM, Rows, rows_of, session
from sim.studies.study import Row, published

WORKS = 0.5
"""Recall from which the seed counts a carrier as working."""
SHORT = 0.5
"""A failing model that fills less of its field writes gists: the seed's are at 6 % and 36 %, all
others at 59 % or more."""
ARMS = {"one_field": "one field (j)", "five_fields": "five fields (q)",
        "headed_text": "headed text (m)"}  # fmt: skip
PAIR = ("one_field", "five_fields")


def writer_of(one_field: float, fill: float) -> dict[str, Any]:
    """What a model is taken to be, from its recall in one field and how much of it it fills."""
    if one_field >= WORKS:
        return {"writer": "lister"}
    return {"writer": "gist", "gist_fill": fill} if fill < SHORT else {"writer": "describer"}


@dataclass(frozen=True)
class Cell:
    """A model in one arm."""

    model: str
    writer: dict[str, Any]
    ours: Rows
    count: int
    """Rows that were published."""
    theirs: float
    """Recall that was published."""


class Figures:
    """The seed's figures, and ours for the same rows."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.seen = published("carriers")
        names = self.seen["partition"]["columns"]
        self.models = [
            dict(zip(names, values, strict=True)) for values in self.seen["partition"]["models"]
        ]
        self.writers = {
            model["model"]: writer_of(model["one_field"], model["fill"])
            for model in [*self.models, *self.seen["other_models"]]
        }

    def rows(self, arm: str, writer: dict[str, Any], tokens: int = FULL_ROOM, **shape: int) -> Rows:
        """Our rows of an arm by a writer."""
        settings = {"carrier": arm, "summary_budget": tokens, **writer}
        return rows_of(session(settings, **shape), self.seed)

    def cells(self, arm: str, writer: str | None = None) -> list[Cell]:
        """The models' cells of one arm in the table of twenty: all, or only those of a writer."""
        table, column = self.seen["partition"], PAIR.index(arm)
        cells = []
        for model in self.models:
            name = model["model"]
            own = dict(self.writers[name])
            if own["writer"] == "gist" and arm == "five_fields":
                own["gist_fill"] = table["five_fields_fill"][name]
            count = table["other_rows"].get(name, [table["rows"]] * 2)[column]
            if writer in (None, own["writer"]):
                cells.append(Cell(name, own, self.rows(arm, own), count, model[arm]))
        return cells


def beside(label: str, ours: Rows, count: int, theirs: float, more: str = "") -> Row:
    """Our recall, where the mean of so many rows would fall, and the published mean."""
    low, high = ours.range_of_mean(count)
    note = f"{count} rows{more}"
    return Row(label=label, ours=ours.mean, low=low, high=high, published=theirs, note=note)
