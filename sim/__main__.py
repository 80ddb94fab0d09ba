"""The command line: ``python -m sim run | compare | compare-presets | presets | …``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from sim import memory, shell
from sim.base import EVENTS
from sim.bench import bench
from sim.cards import CARDS
from sim.compare import compare
from sim.engine import simulate_outcome
from sim.outcome import DETAILS, OF_PACKS, TILES, Outcome
from sim.presets.commands import add_commands, scenario_of
from sim.report import report, report_pair
from sim.scenario import parse_setting, setting_default, setting_info, setting_names
from sim.setting import ScenarioError
from sim.shell import counted, whole, with_sign
from sim.stats import Estimate
from sim.studies.commands import add_command as add_study_command
from sim.studies.state_tracking.commands import add_commands as add_grip_commands
from sim.switches import resting
from sim.workload import draw_key

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
    "confidently_wrong": ("confidently wrong", "%"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    options = _parser().parse_args(arguments)
    return shell.run(lambda: options.command(options), ScenarioError)


def _parser() -> shell.Parser:
    parser = shell.Parser(prog="python -m sim", description="Simulate context-compaction policies.")
    commands = parser.add_subparsers(
        required=True,
        metavar="run|compare|compare-presets|presets|workloads|fields|cards|study|bench|grip",
    )

    shared = shell.Parser(add_help=False)
    shared.add_argument("--seed", type=whole, default=1, metavar="N", help="seed (default 1)")
    shared.add_argument("--tasks", type=whole, default=400, metavar="N", help="tasks (default 400)")
    shared.add_argument(
        "--set", action="append", default=[], metavar="FIELD=VALUE", help="change a setting"
    )
    shared.add_argument(
        "--event", action="append", default=[], metavar="EVENT", help=f"one of {', '.join(EVENTS)}"
    )
    shared.add_argument(
        "--card", action="append", default=[], metavar="CARD",
        help="settings of a price, a model or a GPU; of two for one setting the last counts, and "
        "--set comes after",
    )  # fmt: skip
    shared.add_argument(
        "--workload", metavar="WORKLOAD", help="kind of tasks; --card and --set come after it"
    )
    shared.add_argument("--json", action="store_true", help="print one JSON object, unrounded")
    one = shell.Parser(add_help=False, parents=[shared])
    one.add_argument(
        "--preset", metavar="PRESET", help="policy of a real agent; --set comes after it"
    )

    run = commands.add_parser("run", parents=[one], help="run one scenario")
    run.set_defaults(command=_run)

    pair = commands.add_parser(
        "compare", parents=[one], help="paired difference of two settings on the same tasks"
    )
    for flag, role in (("--a", "baseline"), ("--b", "candidate")):
        pair.add_argument(
            flag, action="append", default=[], metavar="FIELD=VALUE",
            help=f"change a setting of the {role}",
        )  # fmt: skip
    pair.set_defaults(command=_compare)

    add_commands(commands, shared, whole, lambda made: _settings(made.set, made.event))

    listing = commands.add_parser("fields", help="list every setting with its default and range")
    listing.set_defaults(command=_fields)

    deck = commands.add_parser("cards", help="list the prices, models and GPUs with their sources")
    deck.set_defaults(command=_cards)

    add_study_command(commands.add_parser("study", help="our figures beside published ones"))

    timing = commands.add_parser("bench", help="time the simulator; prints JSON")
    timing.add_argument("--repeat", type=whole, default=15, metavar="N", help="timed runs (15)")
    timing.set_defaults(command=_bench)

    add_grip_commands(commands.add_parser("grip", help="the state-tracking study"))
    return parser


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


def _simulated(options: argparse.Namespace, *more: str) -> Outcome:
    scenario = scenario_of(
        workload=options.workload,
        cards=options.card,
        preset=options.preset,
        settings=_settings([*options.set, *more], options.event),
    )
    return simulate_outcome(scenario, seed=options.seed, tasks=options.tasks)


def _advise(assignments: Iterable[str], *runs: Outcome) -> None:
    """Name the settings that these texts set and none of the runs looks at."""
    shell.advise(resting(_settings(assignments, ()), *(run.scenario for run in runs)))


def _run(options: argparse.Namespace) -> None:
    run = _simulated(options)
    _advise(options.set, run)
    shell.advise(memory.shortages(run))
    if options.json:
        _print_json(report(run))
        return
    print(f"{_changes(run)} · seed {run.seed} · {counted(len(run), 'task')}\n")
    for key in _shown(run.tiles):
        print(f"{LABELS[key][0]:22} {_formatted(key, run.tiles[key])}")
    split = run.cost_split
    print("\n" + " · ".join(f"{name.replace('_', ' ')} ${d:.4f}" for name, d in split.items()))
    if run.compactions.any():
        payback = run.payback_requests
        print("payback " + ("never" if payback is None else f"after {payback:.1f} requests"))
    if run.scenario.hardware.hardware:
        print(memory.in_words(run))
    print("Deterministic synthetic model: calculated, no model is called. Intervals are 95 %.")


def _compare(options: argparse.Namespace) -> None:
    baseline = _simulated(options, *options.a)
    candidate = _simulated(options, *options.b)
    _advise(options.set, baseline, candidate)
    _advise(options.a, baseline)
    _advise(options.b, candidate)
    shell.advise(memory.shortages(baseline, candidate))
    if options.json:
        _print_json(report_pair(baseline, candidate))
        return
    difference = compare(baseline, candidate)
    print(f"a: {_changes(baseline)}\nb: {_changes(candidate)}")
    drawn = {draw_key(run.scenario.workload, run.scenario.events) for run in (baseline, candidate)}
    same = len(drawn) == 1
    of_both = "the same for both" if same else "not the same for both: only their draws are"
    print(f"seed {baseline.seed} · {counted(len(baseline), 'task')}, {of_both}\n")
    print(f"{'':22} {'a':>12} {'b':>12}   b − a, {'paired ' if same else ''}95 % interval")
    for key in _shown(difference):
        a, b = (_figure(key, run.tiles[key].value) for run in (baseline, candidate))
        print(f"{LABELS[key][0]:22} {a:>12} {b:>12}   {_formatted(key, difference[key])}")


def _shown(tiles: Iterable[str]) -> list[str]:
    """The keys of a table, in their order."""
    return [key for key in (*TILES, *DETAILS, *OF_PACKS) if key in tiles]


def _fields(_: argparse.Namespace) -> None:
    for name in setting_names():
        info, default = setting_info(name), setting_default(name)
        if "options" in info:
            allowed = " | ".join(info["options"])
        elif "bounds" in info:
            allowed = " … ".join(f"{bound:,}" for bound in info["bounds"])
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


def _changes(run: Outcome) -> str:
    """What differs from the defaults, in words."""
    changed = [
        f"{name}={value}"
        for name, value in run.scenario.to_dict().items()
        if value != setting_default(name)
    ]
    return ", ".join(changed) or "default settings"


def _figure(key: str, value: float) -> str:
    size, unit = abs(value), LABELS[key][1]
    by_unit = {"%": f"{100 * size:.2f} %", "$": f"${size:.4f}", "tokens": f"{size:,.0f}"}
    return with_sign(by_unit.get(unit, f"{size:.4f}"), value)


def _formatted(key: str, estimate: Estimate) -> str:
    text = f"{_figure(key, estimate.value):>12}"
    if estimate.low is None or estimate.high is None:
        return f"{text}  (too few tasks: no interval)"
    return f"{text}  {_figure(key, estimate.low)} … {_figure(key, estimate.high)}"


def _print_json(value: Any) -> None:
    print(json.dumps(value, allow_nan=False))


if __name__ == "__main__":
    sys.exit(main())
