"""What the command line can do with presets and workloads."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sim.cards import CARDS, card_settings
from sim.presets import listing
from sim.presets.library import PRESETS, preset_named
from sim.presets.preset import POLICY_SETTINGS, Preset
from sim.presets.ranking import REFERENCE, compare_presets
from sim.profiles import PROFILES, Profile, profile_named
from sim.scenario import Scenario
from sim.setting import ScenarioError
from sim.shell import advise, counted
from sim.switches import resting


def scenario_of(
    *,
    workload: str | None,
    cards: Sequence[str],
    preset: str | None,
    settings: Mapping[str, Any],
) -> Scenario:
    """The scenario of these names: tasks, then prices and machines, then a policy, then settings.

    Raises ScenarioError for a name that there is not, and for settings that cannot be simulated.
    """
    base = Scenario() if workload is None else profile_named(workload).scenario()
    for card in cards:
        base = base.replace(**card_settings(card))
    if preset is not None:
        base = preset_named(preset).scenario(settings.get("window"), base)
    return base.replace(**settings)


def price_card(name: str) -> str:
    """The price card of this name, or of the only name that begins so. Raises ScenarioError."""
    prices = [key for key, card in CARDS.items() if "input_per_mtok" in card.settings]
    meant = [key for key in prices if key.startswith(name)] if name not in prices else [name]
    if len(meant) != 1:
        raise ScenarioError(f"{name!r} is not a price: use one of {', '.join(prices)}.")
    return meant[0]


def list_presets(options: argparse.Namespace) -> None:
    """Print all presets, or one in full."""
    _list(PRESETS, None if options.name is None else preset_named(options.name), options.json)


def list_workloads(options: argparse.Namespace) -> None:
    """Print all workloads, or one in full."""
    _list(PROFILES, None if options.name is None else profile_named(options.name), options.json)


def _list(
    entries: Mapping[str, Preset] | Mapping[str, Profile],
    chosen: Preset | Profile | None,
    as_json: bool,
) -> None:
    if as_json:
        plain = {key: listing.as_plain(entry) for key, entry in entries.items()}
        print(json.dumps(plain[chosen.id] if chosen else plain))
    else:
        print(listing.in_full(chosen) if chosen else listing.overview(entries))


def rank_presets(options: argparse.Namespace, settings: Mapping[str, Any]) -> None:
    """Print presets by success, with their differences from one of them."""
    for name in settings:
        if name == "window":
            raise ScenarioError("window cannot be set for presets with --set: use --window.")
        if name in POLICY_SETTINGS:
            raise ScenarioError(
                f"{name} cannot be set for presets, each of which has its own: leave it out, or "
                "use run --preset PRESET, which --set comes after."
            )
    cards = [*options.card, *([] if options.price is None else [price_card(options.price)])]
    base = scenario_of(workload=options.workload, cards=cards, preset=None, settings=settings)
    rows = compare_presets(
        options.names or None,
        window=options.window,
        base=base,
        reference=options.reference,
        seed=options.seed,
        tasks=options.tasks,
    )
    advise(resting(settings, *(row.scenario for row in rows)))
    if options.json:
        ranking = {"reference": options.reference, "rows": listing.ranking_plain(rows)}
        print(json.dumps(ranking, allow_nan=False))
        return
    window = f"window {options.window:,}" if options.window else "each in its own window"
    changes = [f"{name}={value}" for name, value in settings.items()]
    tasks = ", ".join([options.workload or "documents", *changes])
    prices = ", ".join(CARDS[card].name for card in cards if card in CARDS) or "flat price"
    count = counted(options.tasks, "task")
    print(f"{tasks} · {window} · {prices} · seed {options.seed} · {count}\n")
    print(listing.ranking_text(rows, options.reference))
    if notes := listing.ranking_notes(rows):
        print("", *notes, sep="\n")
    print(
        f"\nThe same tasks for all; differences from {options.reference}, with paired 95 % "
        "intervals.\nDeterministic synthetic model: calculated, no model is called. What it cannot "
        "say about a preset: python -m sim presets PRESET"
    )


def add_commands(
    commands: Any,
    shared: argparse.ArgumentParser,
    whole: Callable[[str], int],
    settings_of: Callable[[argparse.Namespace], Mapping[str, Any]],
) -> None:
    """Add ``presets``, ``workloads`` and ``compare-presets`` to a command line; ``whole`` reads a
    whole number, and ``settings_of`` what was set in the ``shared`` options."""
    for command, noun, run in (
        ("presets", "policies of real agents", list_presets),
        ("workloads", "kinds of tasks", list_workloads),
    ):
        parser = commands.add_parser(command, help=f"list the {noun}, or one with its source")
        parser.add_argument("name", nargs="?", metavar="NAME", help="the one to show in full")
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.set_defaults(command=run)
    ranking = commands.add_parser(
        "compare-presets", parents=[shared], help="rank presets on the same tasks"
    )
    ranking.add_argument("names", nargs="*", metavar="PRESET", help="those to rank (all)")
    ranking.add_argument(
        "--window", type=whole, metavar="TOKENS", help="window of all (each its own)"
    )
    ranking.add_argument("--price", metavar="CARD", help="a price card, or the start of its name")
    ranking.add_argument(
        "--reference", default=REFERENCE, metavar="PRESET", help=f"compared with ({REFERENCE})"
    )
    ranking.set_defaults(command=lambda options: rank_presets(options, settings_of(options)))
