"""The command line: ``python -m sim run | compare | fields | cards | bench | grip``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from sim import shell
from sim.bench import bench
from sim.cards import CARDS, card_settings
from sim.compare import compare
from sim.engine import simulate
from sim.report import report, report_pair
from sim.run import DETAILS, TILES, Run
from sim.scenario import (
    EVENTS,
    Scenario,
    parse_setting,
    setting_default,
    setting_info,
    setting_names,
)
from sim.setting import ScenarioError, shown
from sim.stats import Estimate
from sim.studies.state_tracking.commands import add_commands as add_grip_commands

LABELS = {
    "success": ("task success", "%"),
    "cost": ("cost per task", "$"),
    "needed_lost": ("needed facts lost", "%"),
    "instruction_lost": ("instruction lost", "%"),
    "compactions": ("compactions per task", ""),
    "p95_peak": ("p95 peak context", "tokens"),
    "clears": ("clears per task", ""),
    "overflows": ("overflows per task", ""),
    "failed": ("failed tasks", "%"),
    "final_context": ("final context", "tokens"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    options = _parser().parse_args(arguments)
    return shell.run(lambda: options.command(options), ScenarioError)


def _parser() -> shell.Parser:
    parser = shell.Parser(prog="python -m sim", description="Simulate context-compaction policies.")
    commands = parser.add_subparsers(required=True, metavar="run|compare|fields|cards|bench|grip")

    shared = shell.Parser(add_help=False)
    shared.add_argument("--seed", type=_whole, default=1, metavar="N", help="seed (default 1)")
    shared.add_argument(
        "--tasks", type=_whole, default=400, metavar="N", help="tasks (default 400)"
    )
    shared.add_argument(
        "--set", action="append", default=[], metavar="FIELD=VALUE", help="change a setting"
    )
    shared.add_argument(
        "--event", action="append", default=[], metavar="EVENT", help=f"one of {', '.join(EVENTS)}"
    )
    shared.add_argument(
        "--card", action="append", default=[], metavar="CARD",
        help="settings of a price, a model or a GPU; --set comes after it",
    )  # fmt: skip
    shared.add_argument("--json", action="store_true", help="print one JSON object, unrounded")

    run = commands.add_parser("run", parents=[shared], help="run one scenario")
    run.set_defaults(command=_run)

    pair = commands.add_parser(
        "compare", parents=[shared], help="paired difference of two settings on the same tasks"
    )
    for flag, role in (("--a", "baseline"), ("--b", "candidate")):
        pair.add_argument(
            flag, action="append", default=[], metavar="FIELD=VALUE",
            help=f"change a setting of the {role}",
        )  # fmt: skip
    pair.set_defaults(command=_compare)

    listing = commands.add_parser("fields", help="list every setting with its default and range")
    listing.set_defaults(command=_fields)

    deck = commands.add_parser("cards", help="list the prices, models and GPUs with their sources")
    deck.set_defaults(command=_cards)

    timing = commands.add_parser("bench", help="time the simulator; prints JSON")
    timing.add_argument("--repeat", type=_whole, default=15, metavar="N", help="timed runs (15)")
    timing.set_defaults(command=_bench)

    add_grip_commands(commands.add_parser("grip", help="the state-tracking study"))
    return parser


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{shown(text)} is not a whole number: try 1") from None


def _settings(assignments: Iterable[str], events: Iterable[str]) -> dict[str, Any]:
    """Flat settings from ``FIELD=VALUE`` texts and event names."""
    settings: dict[str, Any] = {}
    for text in assignments:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise ScenarioError(
                f"{text!r} sets nothing: write FIELD=VALUE, for example notes=true."
            )
        settings[name.strip()] = parse_setting(name.strip(), value)
    for event in events:
        if event not in EVENTS:
            raise ScenarioError(f"{event!r} is not an event: use one of {', '.join(EVENTS)}.")
        settings[event] = True
    return settings


def _simulated(options: argparse.Namespace, *more: str) -> Run:
    settings: dict[str, Any] = {}
    for card in options.card:
        settings |= card_settings(card)
    settings |= _settings([*options.set, *more], options.event)
    return simulate(Scenario.from_dict(settings), seed=options.seed, tasks=options.tasks)


def _run(options: argparse.Namespace) -> None:
    run = _simulated(options)
    if options.json:
        _print_json(report(run))
        return
    print(f"{_changes(run)} · seed {run.seed} · {len(run):,} tasks\n")
    for key in (*TILES, *DETAILS):
        print(f"{LABELS[key][0]:22} {_formatted(key, run.tiles[key])}")
    split = run.cost_split
    print("\n" + " · ".join(f"{name.replace('_', ' ')} ${d:.4f}" for name, d in split.items()))
    print("Deterministic synthetic model: calculated, no model is called. Intervals are 95 %.")


def _compare(options: argparse.Namespace) -> None:
    baseline = _simulated(options, *options.a)
    candidate = _simulated(options, *options.b)
    if options.json:
        _print_json(report_pair(baseline, candidate))
        return
    difference = compare(baseline, candidate)
    print(f"a: {_changes(baseline)}\nb: {_changes(candidate)}")
    print(f"seed {baseline.seed} · {len(baseline):,} tasks, the same for both\n")
    print(f"{'':22} {'a':>12} {'b':>12}   b − a, paired 95 % interval")
    for key in (*TILES, *DETAILS):
        a, b = (_figure(key, run.tiles[key].value) for run in (baseline, candidate))
        print(f"{LABELS[key][0]:22} {a:>12} {b:>12}   {_formatted(key, difference[key])}")


def _fields(_: argparse.Namespace) -> None:
    for name in setting_names():
        info, default = setting_info(name), setting_default(name)
        if "options" in info:
            allowed = " | ".join(info["options"])
        elif "bounds" in info:
            allowed = " … ".join(f"{bound:,g}" for bound in info["bounds"])
        else:
            allowed = "true | false"
        unit = f" {info['unit']}" if info["unit"] else ""
        value = str(default).lower() if isinstance(default, bool) else default
        print(f"{name:26} {value!s:>10}  {allowed}{unit}: {info['doc']}")


def _cards(_: argparse.Namespace) -> None:
    for key, card in CARDS.items():
        settings = ", ".join(f"{name}={value}" for name, value in card.settings.items())
        print(f"{key:14} {card.name} ({card.as_of}; {card.source}): {settings}")


def _bench(options: argparse.Namespace) -> None:
    if options.repeat < 1:
        raise ScenarioError(f"repeat is {options.repeat} but must be at least 1: for example 15.")
    _print_json(bench(options.repeat))


def _changes(run: Run) -> str:
    """What differs from the defaults, in words."""
    changed = [
        f"{name}={value}"
        for name, value in run.scenario.to_dict().items()
        if value != setting_default(name)
    ]
    return ", ".join(changed) or "default settings"


def _figure(key: str, value: float) -> str:
    unit = LABELS[key][1]
    if unit == "%":
        return f"{100 * value:.2f} %"
    if unit == "$":
        return f"{'-' if value < 0 else ''}${abs(value):.4f}"
    return f"{value:,.0f}" if unit == "tokens" else f"{value:.4f}"


def _formatted(key: str, estimate: Estimate) -> str:
    text = f"{_figure(key, estimate.value):>12}"
    if estimate.low is None or estimate.high is None:
        return f"{text}  (too few tasks: no interval)"
    return f"{text}  {_figure(key, estimate.low)} … {_figure(key, estimate.high)}"


def _print_json(value: Any) -> None:
    print(json.dumps(value, allow_nan=False))


if __name__ == "__main__":
    sys.exit(main())
