"""The reference points of the contract: its figures, to the digits it prints."""

import pytest

from sim import Scenario, simulate
from tests.sim import oracle

# What changes, then: success, cost, share of needed facts lost, compactions, p95 of the peak.
ROWS = [
    ({}, "0.6582 3.5962 0.0956 1.4725 56,532.75"),
    ({"strategy": "truncate"}, "0.0797 3.7485 0.4794 1.9700 57,816.65"),
    ({"strategy": "none"}, "0.2396 2.6726 0.0000 0.0000 68,352.25"),
    ({"summary_budget": 8_000}, "0.9285 3.8491 0.0000 1.7350 57,599.95"),
    ({"window": 32_000, "summary_budget": 8_000}, "0.7044 3.8773 0.0456 15.8975 38,099.40"),
    ({"notes": True}, "0.8857 3.6331 0.0125 1.5375 56,643.05"),
    ({"clear_tool_results": True}, "0.2964 3.5132 0.2631 0.0050 56,979.10"),
    ({"noisy_tools": True}, "0.2601 6.8306 0.2956 12.3750 85,235.45"),
    ({"long_horizon": True}, "0.2095 7.7993 0.3731 3.7550 59,327.20"),
    ({"forgetful_summariser": True}, "0.2871 3.5962 0.3106 1.4725 56,532.75"),
]

reference = pytest.mark.parametrize(
    ("change", "row"), ROWS, ids=[" ".join(change) or "defaults" for change, _ in ROWS]
)


def printed(success: float, cost: float, lost: float, compactions: float, peak: float) -> str:
    return f"{success:.4f} {cost:.4f} {lost:.4f} {compactions:.4f} {peak:,.2f}"


@reference
def test_the_simulator_reproduces_the_reference_point(change, row):
    tiles = simulate(Scenario.from_dict(change), seed=1, tasks=400).tiles
    keys = ("success", "cost", "needed_lost", "compactions", "p95_peak")
    assert printed(*(tiles[key].value for key in keys)) == row


@reference
def test_the_second_implementation_reproduces_the_reference_point(change, row):
    tiles = oracle.tiles(oracle.play(change, seed=1, n=400))
    keys = ("success", "cost", "needed_lost", "compactions", "p95_peak")
    assert printed(*(tiles[key][0] for key in keys)) == row


def test_the_defaults_are_those_of_the_contract():
    """The table above varies some fields only: the others are held here."""
    assert Scenario().to_dict() == oracle.DEFAULTS


def test_the_reference_points_are_what_a_bare_call_gives():
    assert simulate(Scenario()).provenance == {
        "scenario": oracle.DEFAULTS,
        "seed": 1,
        "tasks": 400,
    }
