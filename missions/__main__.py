"""The command line: ``python -m missions audit | list``."""

from __future__ import annotations

import argparse
import difflib
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from missions.audit import SEEDS, Audit, audit
from missions.goals import Goal
from missions.library import load, read_file
from missions.schema import Mission, MissionError
from sim import shell, shown


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code: 1 if a mission fails, 2 for bad input."""
    options = _parser().parse_args(arguments)
    return shell.run(lambda: options.command(options), MissionError)


def _parser() -> shell.Parser:
    parser = shell.Parser(prog="python -m missions", description="Inspect and audit the missions.")
    commands = parser.add_subparsers(required=True, metavar="audit|list")
    check = commands.add_parser("audit", help="play every mission: does it lose and win as it must")
    check.add_argument(
        "mission", nargs="*", help="an id, or the path of a mission file (default: all)"
    )
    check.add_argument("--json", action="store_true", help="print one JSON object")
    check.set_defaults(command=_audit)
    listing = commands.add_parser("list", help="list the missions with what may be moved")
    listing.set_defaults(command=_list)
    return parser


def _chosen(names: Sequence[str]) -> list[Mission]:
    """Missions by their ids, or from files of one's own."""
    if not names:
        return list(load())
    return [read_file(Path(name)) if name.endswith(".toml") else _known(name) for name in names]


def _known(name: str) -> Mission:
    missions = {mission.id: mission for mission in load()}
    if name not in missions:
        close = difflib.get_close_matches(name, missions, n=1)
        remedy = f"did you mean {close[0]}?" if close else f"use one of {', '.join(missions)}."
        raise MissionError(f"{shown(name)} is not a mission: {remedy}")
    return missions[name]


def _audit(options: argparse.Namespace) -> int:
    missions = _chosen(options.mission)
    if not options.json:
        print(_row("mission", "start", "solution", "margin", "decoys", "fewest", "grid", "wins"))
    found = []
    for mission in missions:
        found.append(audit(mission))
        if not options.json:
            print(_line(found[-1]), flush=True)
    problems = [f"{one.id}: {problem}" for one in found for problem in one.problems]
    if options.json:
        print(json.dumps({"missions": [_plain(one) for one in found], "passed": not problems}))
    else:
        passed = sum(not one.problems for one in found)
        print("", *problems, f"{passed} of {len(found)} missions pass.", sep="\n")
    return 1 if problems else 0


def _row(*cells: str) -> str:
    name, *rest = cells
    widths = (6, 9, 7, 7, 7, 5, 7)
    return f"{name:22}" + "".join(f"{c:>{w}}" for c, w in zip(rest, widths, strict=True))


def _line(one: Audit) -> str:
    return _row(
        one.id,
        "loses" if one.start_misses else "wins",
        f"{one.solution_wins}/{SEEDS}",
        f"{one.margin:.1f} σ",
        f"{sum(lost > 0 for lost in one.decoys_lose)}/{len(one.decoys_lose)}",
        "–" if one.fewest_changes is None else str(one.fewest_changes),
        str(one.points),
        f"{100 * one.share:.1f} %",
    )


def _plain(one: Audit) -> dict[str, Any]:
    """An audit as JSON holds it: no infinite margin."""
    margin = one.margin if math.isfinite(one.margin) else None
    return {**asdict(one), "margin": margin, "share": one.share}


def _list(_: argparse.Namespace) -> int:
    for number, mission in enumerate(load(), 1):
        goals = ", ".join(f"{goal.key} {goal.sense} {_bound(goal)}" for goal in mission.goals)
        print(f"{number:2} {mission.id:22} {mission.title}")
        print(f"   open: {', '.join(mission.open)}\n   goals: {goals}")
    return 0


def _bound(goal: Goal) -> str:
    if goal.unit == "$":
        return f"${goal.bound:,.2f}"
    return f"{goal.bound:,g} {goal.unit}".rstrip()


if __name__ == "__main__":
    sys.exit(main())
