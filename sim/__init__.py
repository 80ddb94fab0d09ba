"""A seeded simulator of an agent that compacts its context. No model is called."""

from sim.base import EVENTS, STRATEGIES, Events, Policy, PriceCard, Workload
from sim.cards import CARDS, Card, card_settings
from sim.compare import compare
from sim.engine import simulate, simulate_outcome
from sim.floor import Floor, floor
from sim.outcome import DETAILS, TILES, Outcome
from sim.report import report, report_pair
from sim.run import Event, Run, Timeline
from sim.scenario import (
    Scenario,
    is_base,
    pack_settings,
    parse_setting,
    setting_default,
    setting_info,
    setting_names,
)
from sim.setting import ScenarioError, shown
from sim.stats import Estimate
from sim.workload import Tasks, draw_blocks, draw_key, draw_tasks

__all__ = [
    "CARDS",
    "DETAILS",
    "EVENTS",
    "STRATEGIES",
    "TILES",
    "Card",
    "Estimate",
    "Event",
    "Events",
    "Floor",
    "Outcome",
    "Policy",
    "PriceCard",
    "Run",
    "Scenario",
    "ScenarioError",
    "Tasks",
    "Timeline",
    "Workload",
    "card_settings",
    "compare",
    "draw_blocks",
    "draw_key",
    "draw_tasks",
    "floor",
    "is_base",
    "pack_settings",
    "parse_setting",
    "report",
    "report_pair",
    "setting_default",
    "setting_info",
    "setting_names",
    "shown",
    "simulate",
    "simulate_outcome",
]
