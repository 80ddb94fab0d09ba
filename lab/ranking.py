"""Success against cost of all agents on the same tasks, with words that do not overlap."""

from __future__ import annotations

from textwrap import shorten
from typing import TYPE_CHECKING, Any

from lab.text import dollars, percent

if TYPE_CHECKING:
    from lab.agents import Agents, Row

HEIGHT = 340
WIDTHS = {"wide": 450, "narrow": 250}
"""Pixels between the axes that words are placed for; where there are more, they stand apart."""
LETTER, LINE, GAP = 6.4, 15, 8
LONGEST = 30
"""Letters of a name; the table and the hover have the whole of it."""
SIDES = (("left", GAP, 0), ("right", -GAP, 0), ("center", 0, -13), ("center", 0, 13))


def shown(agents: Agents) -> tuple[dict[str, Any], dict[str, Any]]:
    """The columns of the sources, and the properties of other models, as far as it has come."""
    rows = agents.rows
    now = [row for row in rows if row.preset is agents.chosen]
    data = {
        "agents": _columns(rows),
        "agent-chosen": {
            "cost": [row.tiles["cost"].value for row in now],
            "success": [row.tiles["success"].value for row in now],
        },
    }
    if not rows:
        return data, {}
    low, high = _span([row.tiles["cost"].value for row in rows])
    # Words move as points come: they are placed once all are there.
    is_over = agents.state in ("done", "cancelled")
    for width, pixels in WIDTHS.items():
        placed = labels(now + front(rows), rows, (low, high), pixels) if is_over else []
        columns = ("cost", "success", "name", "align", "dx", "dy")
        data[f"agents-{width}"] = {
            column: [word[index] for word in placed] for index, column in enumerate(columns)
        }
    ranges = {
        "agents-x": {"start": low, "end": high},
        "agents-y": {"start": -0.05, "end": 1.05},
    }
    return data, ranges


def front(rows: list[Row]) -> list[Row]:
    """The agents in the order in which words go to them: first those that no other beats in both
    success and cost."""
    ranked = sorted(rows, key=lambda row: (row.tiles["cost"].value, -row.tiles["success"].value))
    best, rest, most = [], [], -1.0
    for row in ranked:
        success = row.tiles["success"].value
        (best if success > most else rest).append(row)
        most = max(most, success)
    return best[::-1] + sorted(rest, key=lambda row: -row.tiles["success"].value)


def labels(
    wanted: list[Row], rows: list[Row], costs: tuple[float, float], width: float
) -> list[tuple[float, float, str, str, float, float]]:
    """Words beside their points, as many as have room: cost, success, name, side, and offsets."""
    tall = HEIGHT - 56

    def at(row: Row) -> tuple[float, float]:
        x = (row.tiles["cost"].value - costs[0]) / (costs[1] - costs[0]) * width
        return x, (1.05 - row.tiles["success"].value) / 1.1 * tall

    points = [(x - 5, y - 5, x + 5, y + 5) for x, y in map(at, rows)]
    words: list[tuple[float, ...]] = []
    placed = []
    for row in dict.fromkeys(wanted):
        name = shorten(row.preset.name, LONGEST, placeholder=" …")
        (x, y), long = at(row), LETTER * len(name)
        own = (x - 5, y - 5, x + 5, y + 5)
        apart = [point for point in points if not _meet(own, point)]  # one behind it may be hidden
        for align, dx, dy in SIDES:
            left = x + dx - {"left": 0, "right": long, "center": long / 2}[align]
            box = (left, y + dy - LINE / 2, left + long, y + dy + LINE / 2)
            inside = box[0] >= 0 and box[2] <= width and box[1] >= 0 and box[3] <= tall
            if inside and not any(_meet(box, other) for other in (*words, *apart)):
                words.append(box)
                tiles = row.tiles
                placed.append((tiles["cost"].value, tiles["success"].value, name, align, dx, dy))
                break
    return placed


def _meet(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _span(costs: list[float]) -> tuple[float, float]:
    pad = max(0.06 * (max(costs) - min(costs)), 0.05 * max(costs), 0.01)
    return min(costs) - pad, max(costs) + pad


def _columns(rows: list[Row]) -> dict[str, list[Any]]:
    success, cost = ([row.tiles[key] for row in rows] for key in ("success", "cost"))
    return {
        "id": [row.preset.id for row in rows],
        "cost": [each.value for each in cost],
        "success": [each.value for each in success],
        "cost_low": [each.value if each.low is None else each.low for each in cost],
        "cost_high": [each.value if each.high is None else each.high for each in cost],
        "low": [each.value if each.low is None else each.low for each in success],
        "high": [each.value if each.high is None else each.high for each in success],
        "text": [
            f"{row.preset.name}: {percent(right.value)} at {dollars(paid.value)}."
            for row, right, paid in zip(rows, success, cost, strict=True)
        ],
    }
