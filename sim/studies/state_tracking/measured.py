"""A curve of one's own: a pasted table of length, accuracy and number of trials.

One row a line. The cells stand between tabs, semicolons or bars, or else between spaces, or else
between commas; blank lines, lines that begin with # and the ruling of a table are skipped. A first
line of which no cell begins with a digit is a header: if it names all three columns, they may come
in any order.

An accuracy is a percentage with its sign, ``48 %``; without one, it is a share if all those in the
table are at most 1, else a percentage. Of 0.4 beside 90, both without, it is not known which is
meant. A length or a number of trials is a whole number, with or without a comma, a space, an
apostrophe or an underscore at its thousands.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence

from sim.setting import ScenarioError, shown
from sim.studies.state_tracking.curve import Point, StuffingCurve, fit_curve

COLUMNS = ("length", "accuracy", "n")
NAMES = {
    "length": ("length", "statements", "lines", "context", "c"),
    "accuracy": ("accuracy", "share", "right", "score"),
    "n": ("n", "trials", "count", "tasks"),
}
"""What a header may call a column."""
MOST = 1_000_000_000
MOST_ROWS = 1_000
_THOUSANDS = re.compile(r"\d{1,3}([,' _\u2019\u00a0\u202f]\d{3})+|\d+(\.0)?")
_RULING = re.compile(r"[-+|:=\s]+")


def parse_points(text: str) -> tuple[Point, ...]:
    """The rows of a table, in its order.

    Raises ScenarioError: the lines, by number, that are no row, and what is wrong with the first.
    """
    lines = [
        (number, line.strip())
        for number, line in enumerate(text.lstrip("\ufeff").splitlines(), start=1)
        if line.strip() and not line.lstrip().startswith("#") and not _RULING.fullmatch(line)
    ]
    if lines and not any(re.match(r"[.,]?\d", cell) for cell in _cells(lines[0][1])):
        order = _order(_cells(lines.pop(0)[1]))
    else:
        order = (0, 1, 2)
    if not 0 < len(lines) <= MOST_ROWS:
        raise ScenarioError(
            f"table has {len(lines):,} rows but must have from 1 to {MOST_ROWS:,}: paste lines "
            "like 1000, 48 %, 100 (length, accuracy, number of trials)."
        )
    faults, rows = [], []
    for number, line in lines:
        try:
            rows.append(_row(_cells(line), order))
        except ValueError as fault:
            faults.append((number, str(fault)))
    if faults:
        raise ScenarioError(_refusal(faults))
    unsigned = [share for _, share, is_percent, _ in rows if not is_percent]
    in_percent = any(share > 1 for share in unsigned)
    parts = [share for share in unsigned if 0 < share < 1]
    if in_percent and parts:
        raise ScenarioError(
            f"table has accuracies of {max(unsigned):g} and of {parts[0]:g} but must have shares "
            "only, or percentages only: write % after each percentage."
        )
    points = []
    for length, share, is_percent, trials in rows:
        accuracy = share / 100 if is_percent or in_percent else share
        points.append(Point(length, round(accuracy * trials), trials))
    return tuple(points)


def format_points(points: Sequence[Point]) -> str:
    """A table that ``parse_points`` reads back."""
    lines = (f"{p.statements:.0f}\t{p.right / p.trials:.12f}\t{p.trials}\n" for p in points)
    return "\t".join(COLUMNS) + "\n" + "".join(lines)


def measured_curve(text: str, *, seed: int, replicates: int = 1000) -> StuffingCurve:
    """The curve fitted to a pasted table.

    Raises ScenarioError for a table that cannot be read or has no curve.
    """
    return fit_curve(parse_points(text), seed=seed, replicates=replicates)


def _cells(line: str) -> list[str]:
    for mark in ("\t", "|", ";"):
        if mark in line:
            return [cell.strip() for cell in next(csv.reader([line.strip("|")], delimiter=mark))]
    if '"' not in line and re.search(r"\s", line):
        # A sign and its number are one cell, and a comma before a space is no part of one.
        return [cell.rstrip(",") for cell in re.sub(r"\s+%", "%", line).split()]
    return [cell.strip() for cell in next(csv.reader([line], skipinitialspace=True))]


def _order(header: Sequence[str]) -> tuple[int, ...]:
    """Where length, accuracy and n stand; as written if the header does not name them all."""
    words = [cell.casefold() for cell in header]
    places = tuple(
        next((place for place, word in enumerate(words) if word in NAMES[column]), -1)
        for column in COLUMNS
    )
    return places if min(places) >= 0 and len(words) == len(COLUMNS) else (0, 1, 2)


def _row(cells: Sequence[str], order: Sequence[int]) -> tuple[int, float, bool, int]:
    """Length, accuracy as written, whether it has its sign, trials. Raises ValueError."""
    if len(cells) != len(COLUMNS):
        raise ValueError(
            f"it has {len(cells)} cells but must have {len(COLUMNS)}, length, accuracy and n, "
            "with no comma at thousands where commas part them"
        )
    length, accuracy, trials = (cells[place] for place in order)
    is_percent = accuracy.endswith("%")
    text = accuracy.removesuffix("%").strip()
    share = float(text.replace(",", ".")) if re.fullmatch(r"\d+([.,]\d+)?|[.,]\d+", text) else -1
    if not 0 <= share <= 100:
        raise ValueError(
            f"its accuracy is {shown(accuracy)} but must be from 0 to 1 or from 0 to 100 %"
        )
    return _whole("length", length), share, is_percent, _whole("n", trials)


def _whole(name: str, text: str) -> int:
    number = 0
    if len(text) <= 20 and _THOUSANDS.fullmatch(text):
        number = int(re.sub(r"\D", "", text.removesuffix(".0")))
    if not 1 <= number <= MOST:
        raise ValueError(
            f"its {name} is {shown(text)} but must be a whole number from 1 to {MOST:,}"
        )
    return number


def _refusal(faults: Sequence[tuple[int, str]]) -> str:
    (first, what), more = faults[0], [str(number) for number, _ in faults[1:]]
    others = f" (lines {', '.join(more)} do not either)" if len(more) > 1 else ""
    if len(more) == 1:
        others = f" (line {more[0]} does not either)"
    return f"table does not fit at line {first}: {what}{others}: write 1000, 48 %, 100."
