"""The study in the shell: ``python -m sim grip make | score | crossover | table | bench``."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from sim import shell
from sim.setting import ScenarioError, shown
from sim.studies.state_tracking.bench import bench_score
from sim.studies.state_tracking.compressors import LOSSES, Compressor, Loss
from sim.studies.state_tracking.curves import curve_for, gaps
from sim.studies.state_tracking.kit import make_tasks
from sim.studies.state_tracking.measured import measured_curve
from sim.studies.state_tracking.recipe import GRAMMARS, Recipe
from sim.studies.state_tracking.report import crossover_report, score_report, table_report
from sim.studies.state_tracking.scoring import score_answers
from sim.studies.state_tracking.words import crossover_text, score_text, table_text

PROGRAMS = {"set_only": 1000, "mixed": 100}
"""Programs of an experiment if nothing else is asked: rules are settled one by one, and slowly."""
TARGET_RATE = 0.04
LENGTHS = [100, 300, 1000, 3000]


def add_commands(parser: argparse.ArgumentParser) -> None:
    """Give ``grip`` its commands, each with a ``command`` that takes the options."""
    commands = parser.add_subparsers(required=True, metavar="make|score|crossover|table|bench")
    seeded = shell.Parser(add_help=False)
    seeded.add_argument("--seed", type=_whole, default=1, metavar="N", help="seed (default 1)")
    printed = shell.Parser(add_help=False)
    printed.add_argument("--json", action="store_true", help="print one JSON object, unrounded")
    drawn = shell.Parser(add_help=False)
    drawn.add_argument(
        "--target-rate", type=_real, metavar="T",
        help="share of the statements that write the queried variable (set_only)",
    )  # fmt: skip
    drawn.add_argument(
        "--last-position", type=_real, default=1.0, metavar="P",
        help="share of the statements within which it is last written (default 1)",
    )  # fmt: skip
    drawn.add_argument(
        "--value-reuse", type=_real, default=0.0, metavar="F",
        help="share of the other statements that write its value too (default 0)",
    )  # fmt: skip

    make = commands.add_parser(
        "make", parents=[seeded, drawn], help="write tasks for a model as lines of JSON"
    )
    make.add_argument("--n", type=_whole, default=100, metavar="N", help="tasks a length (100)")
    make.add_argument(
        "--statements", type=_lengths, default=[1000], metavar="C[,C…]",
        help="lengths of the programs (default 1000)",
    )  # fmt: skip
    make.add_argument("--grammar", choices=GRAMMARS, default="mixed", help="default mixed")
    make.set_defaults(command=_make)

    score = commands.add_parser("score", parents=[seeded, printed], help="score a model's answers")
    score.add_argument("answers", help='file of lines {"id": …, "answer": …}, or - for the input')
    score.add_argument("--tasks", metavar="FILE", help="the tasks, to tell which have no answer")
    score.set_defaults(command=_score)

    crossing = commands.add_parser(
        "crossover", parents=[seeded, printed, drawn],
        help="N* of a compressed state, and the best share to compress",
    )  # fmt: skip
    crossing.add_argument("--grammar", choices=GRAMMARS, default="set_only", help="def. set_only")
    crossing.add_argument(
        "--statements", type=_lengths, default=LENGTHS, metavar="C[,C…]",
        help="lengths at which the shares are compared (default 100,300,1000,3000)",
    )  # fmt: skip
    crossing.add_argument(
        "--loss", action="append", type=_loss, default=[], metavar="KIND=RATE",
        help=f"{' or '.join(LOSSES)}, for example drop=0.2; more of them one after the other",
    )  # fmt: skip
    crossing.add_argument("--share", type=_real, metavar="Z", help="also find N* of this share")
    crossing.add_argument("--carry-rules", action="store_true", help="the state keeps the rules")
    crossing.add_argument(
        "--curve", metavar="FILE",
        help="your model's curve: lines of length, accuracy, n; - for the input",
    )  # fmt: skip
    crossing.add_argument("--programs", type=_whole, metavar="N", help="programs a length")
    crossing.set_defaults(command=_crossover)

    table = commands.add_parser(
        "table", parents=[seeded, printed], help="the published N* beside ours, cell by cell"
    )
    table.add_argument("--programs", type=_whole, default=2000, metavar="N", help="default 2000")
    table.set_defaults(command=_table)

    timing = commands.add_parser("bench", help="time the scoring of programs; prints JSON")
    timing.add_argument(
        "--programs", type=_whole, default=1_000_000, metavar="N", help="programs (1,000,000)"
    )
    timing.set_defaults(command=lambda options: _print_json(bench_score(options.programs)))


def _make(options: argparse.Namespace) -> None:
    recipe = Recipe(
        grammar=options.grammar, target_rate=options.target_rate,
        last_position=options.last_position, value_reuse=options.value_reuse,
    )  # fmt: skip
    for task in make_tasks(recipe, lengths=options.statements, n=options.n, seed=options.seed):
        _print_json(task)


def _score(options: argparse.Namespace) -> None:
    tasks = None if options.tasks is None else _read("tasks", options.tasks)
    lines = _read("answers", options.answers).splitlines()
    scored = score_answers(
        lines, tasks=None if tasks is None else tasks.splitlines(), seed=options.seed
    )
    _print(score_report(scored), score_text, options)


def _crossover(options: argparse.Namespace) -> None:
    rate = options.target_rate
    if rate is None and options.grammar == "set_only":
        rate = TARGET_RATE
    recipe = Recipe(
        grammar=options.grammar, target_rate=rate,
        last_position=options.last_position, value_reuse=options.value_reuse,
    )  # fmt: skip
    if options.curve is None:
        curve, unknown = curve_for(recipe, seed=options.seed), gaps(recipe)
    else:
        curve, unknown = measured_curve(_text("curve", options.curve), seed=options.seed), ()
    found = crossover_report(
        recipe, Compressor(tuple(options.loss)), curve, lengths=options.statements,
        share=options.share, seed=options.seed, carry_rules=options.carry_rules,
        programs=PROGRAMS[recipe.grammar] if options.programs is None else options.programs,
    )  # fmt: skip
    found["curve"]["source"] = "published" if options.curve is None else "given"
    _print(found | {"gaps": list(unknown)}, crossover_text, options)


def _table(options: argparse.Namespace) -> None:
    _print(table_report(seed=options.seed, programs=options.programs), table_text, options)


def _read(name: str, path: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise ScenarioError(
            f"{name} is {shown(path)} but must be a file that can be read, or - for the input: "
            f"{error.strerror}."
        ) from None


def _text(name: str, path: str) -> str:
    try:
        return _read(name, path).decode("utf-8")
    except UnicodeDecodeError:
        raise ScenarioError(
            f"{name} is {shown(path)} but must be text in UTF-8: save it as that."
        ) from None


def _print(found: dict[str, Any], text: Any, options: argparse.Namespace) -> None:
    if options.json:
        _print_json(found)
    else:
        print("\n".join(text(found)))


def _print_json(value: Any) -> None:
    print(json.dumps(value, allow_nan=False))


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{shown(text)} is not a whole number: try 1") from None


def _real(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{shown(text)} is not a number: try 0.5") from None


def _lengths(text: str) -> list[int]:
    return [_whole(part) for part in text.split(",")]


def _loss(text: str) -> Loss:
    kind, _, rate = text.partition("=")
    try:
        return Loss(kind, _real(rate))
    except ScenarioError as refusal:
        raise argparse.ArgumentTypeError(str(refusal)) from None
