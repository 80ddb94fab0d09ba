"""What the figures of the tab show: the columns of each of their sources, as plain lists.

The build draws the figures, and Python in the browser only feeds them: so a visitor waits for no
model of a chart.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import Any

import numpy as np
from bokeh.palettes import Cividis256

from lab.tracking import words
from lab.tracking.study import LENGTHS, LONGEST, SHORTEST, MapCell, Result
from sim.studies.state_tracking import Hybrid, HybridPoint, published

Feed = dict[str, list[Any]]

BLACK, WHITE = "#000000", "#ffffff"
# Linear light of each colour of the palette, after the definition of contrast in WCAG 2.
_CHANNELS = np.array([[int(c[i : i + 2], 16) / 255 for i in (1, 3, 5)] for c in Cividis256])
_LINEAR = np.where(_CHANNELS <= 0.04045, _CHANNELS / 12.92, ((_CHANNELS + 0.055) / 1.055) ** 2.4)
_LIGHT = _LINEAR @ np.array([0.2126, 0.7152, 0.0722])
INKS = np.where((_LIGHT + 0.05) / 0.05 > 1.05 / (_LIGHT + 0.05), BLACK, WHITE)
"""The letters that are read best on each colour of the palette."""


def feeds(result: Result, cells: Sequence[MapCell]) -> dict[str, Feed]:
    """The columns of every source that these change, by its name; None where a line is broken."""
    found = _curves(result) | _map(cells, result)
    if result.shares:
        found |= _shares(result.shares, result.settings.compressed)
    return {
        name: {column: [_plain(each) for each in values] for column, values in feed.items()}
        for name, feed in found.items()
    }


def _plain(each: Any) -> Any:
    """A number as JSON can have it; a text as it is."""
    if isinstance(each, str):
        return each
    return None if each is None or isnan(each) else float(each)


def _curves(result: Result) -> dict[str, dict[str, Any]]:
    """Both curves, their crossing, and what is written on them."""
    state, n_star = result.state, result.n_star
    inside = np.where(result.is_extrapolated, np.nan, result.context)
    beyond = np.where(_widened(result.is_extrapolated), result.context, np.nan)
    ends = [SHORTEST, LONGEST]
    cross = SHORTEST <= n_star.value <= LONGEST
    here = result.settings.statements
    at, points = [at for at, _ in result.parts], [point for _, point in result.parts]
    return {
        "band": {"x": LENGTHS, "low": result.low, "high": result.high},
        "tried": {"x": LENGTHS, "y": inside},
        "beyond": {"x": LENGTHS, "y": beyond},
        "state-band": {"x": ends, "low": [state.low] * 2, "high": [state.high] * 2},
        "state": {"x": ends, "y": [state.value] * 2},
        "measured": _measured(result),
        "crossing": {
            "x": [n_star.value] if cross else [],
            "y": [state.value] if cross else [],
            "low": [max(n_star.low or 0, SHORTEST)] if cross else [],
            "high": [min(n_star.high or LONGEST, LONGEST)] if cross else [],
        },
        "parts": {"x": at, **_spread(points)},
        "here": {"x": [here] if SHORTEST <= here <= LONGEST else []},
        "labels": _labels(result),
        "readings": {"text": words.readings(result)},
    }


def _shares(hybrid: Hybrid, share: float) -> dict[str, dict[str, Any]]:
    points, best = hybrid.points, hybrid.best
    return {
        "shares": {"x": [point.share for point in points], **_spread(points)},
        "best": {
            "x": [best.share], "y": [best.accuracy.value], "low": [hybrid.best_low],
            "high": [hybrid.best_high], "text": [f"best Z {words.share_of(best.share)}"],
            "align": ["right" if best.share > 0.5 else "left"],
        },
        "share": {"x": [share]},
    }  # fmt: skip


def _map(cells: Sequence[MapCell], result: Result) -> dict[str, dict[str, Any]]:
    """The cells, with a frame around the one nearest to what is set."""
    n_star = np.array([cell.n_star for cell in cells])
    low, high = n_star.min(), n_star.max()
    share = np.log(n_star / low) / np.log(high / low)
    places = np.minimum(share * len(INKS), len(INKS) - 1).astype(np.intp)
    settings = result.settings
    nearest = min(
        cells,
        key=lambda cell: (
            abs(np.log(cell.target_rate / settings.target_rate)),
            abs(cell.rate - settings.rate),
        ),
    )
    return {
        "map": {
            "x": [words.share_of(cell.target_rate) for cell in cells],
            "y": [words.share_of(cell.rate) for cell in cells],
            "target_rate": [cell.target_rate for cell in cells],
            "rate": [cell.rate for cell in cells],
            "text": [words.short_length(cell) for cell in cells],
            "fill": [Cividis256[place] for place in places],
            "ink": INKS[places].tolist(),
        },
        "frame": {
            "x": [words.share_of(nearest.target_rate)],
            "y": [words.share_of(nearest.rate)],
        },
    }


def _spread(points: Sequence[HybridPoint]) -> dict[str, list[float]]:
    return {
        "y": [point.accuracy.value for point in points],
        "low": [point.accuracy.low or 0 for point in points],
        "high": [point.accuracy.high or 0 for point in points],
    }


def _widened(is_extrapolated: np.ndarray) -> np.ndarray:
    """The same and one place to either side, so that the dashed line meets the solid one."""
    wide = is_extrapolated.copy()
    wide[1:] |= is_extrapolated[:-1]
    wide[:-1] |= is_extrapolated[1:]
    return wide


def _measured(result: Result) -> Feed:
    """The measured points under the curve, with their published intervals."""
    rows = published().mixed if result.settings.grammar == "mixed" else ()
    rows = () if result.settings.curve else rows
    width = [row.half_width or 0 for row in rows]
    accuracy = [row.accuracy for row in rows]
    return {
        "x": [row.statements for row in rows],
        "y": accuracy,
        "low": [a - w for a, w in zip(accuracy, width, strict=True)],
        "high": [min(1, a + w) for a, w in zip(accuracy, width, strict=True)],
    }


def _labels(result: Result) -> Feed:
    """The words on the lines: whose each is, where they cross, where nothing was tried."""
    rows: list[tuple[float, float, str, str, str, float, float]] = []
    state, n_star, here = result.state.value, result.n_star.value, result.settings.statements
    # The name of the curve stands at its beginning, that of the state at its end.
    start = float(result.context[0])
    rows.append((SHORTEST, start, "whole context", "left", "bottom", 6, -5))
    rows.append((LONGEST, state, f"state {words.share(state)}", "right", "bottom", -2, -6))
    if SHORTEST <= n_star <= LONGEST:
        text = f"N* {words.length(n_star)}"
        rows.append((n_star, -0.02, text, "right", "bottom", -5, -3))
    if SHORTEST <= here <= LONGEST:
        late = here > LENGTHS[len(LENGTHS) // 2]
        align, dx = ("right", -5) if late else ("left", 5)
        rows.append((here, 1.1, f"C {words.length(here)}", align, "top", dx, 2))
    beyond = result.is_extrapolated
    if beyond[0]:
        rows.append((SHORTEST, 1.0, "extrapolated", "left", "top", 4, 12))
    if beyond[-1]:
        # Above the line where the word begins, and so above all of it; not on the other line.
        y = float(result.context[np.searchsorted(LENGTHS, LONGEST / 8)])
        y = state + 0.1 if abs(y - state) < 0.1 else y
        rows.append((LONGEST, y, "extrapolated", "right", "bottom", -2, -4))
    names = ("x", "y", "text", "align", "base", "dx", "dy")
    return {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}
