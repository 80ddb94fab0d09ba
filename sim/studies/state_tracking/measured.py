"""A curve of one's own: a pasted table of length, accuracy and number of trials."""

from __future__ import annotations

from sim.studies.state_tracking.curve import Point, StuffingCurve


def parse_points(text: str) -> tuple[Point, ...]:
    """The rows of a table. Raises ScenarioError: the lines, by number, that are no row, and why."""
    raise NotImplementedError


def format_points(points: tuple[Point, ...]) -> str:
    """A table that ``parse_points`` reads back."""
    raise NotImplementedError


def measured_curve(text: str, *, seed: int) -> StuffingCurve:
    """The curve fitted to a pasted table.

    Raises ScenarioError for a table that cannot be read or has no curve.
    """
    raise NotImplementedError
