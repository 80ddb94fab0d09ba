"""What is calculated beside the packs: room left, prices, hardware, and the carrier's tile."""

from __future__ import annotations

import re

import pytest

from lab.panels import PANELS, payback, stack
from lab.serving import figures
from lab.session import Session
from lab.state import LabState
from lab.text import text
from sim import compare, floor, simulate
from tests.lab.desk import Desk


def panel(name, **settings):
    return PANELS[name](Session(LabState(**settings)))


def state_of(html):
    return re.search(r"data-state=(\w+)", html)[1]


def shown(run):
    return {name: (value, how) for name, value, how in figures(run)}


# --- only what is open -----------------------------------------------------------------------


def test_nothing_is_calculated_for_a_folded_panel(monkeypatch):
    desk = Desk()
    assert desk.readout["panels"] == {}
    assert "agents" not in desk.readout
    desk.act("panels", ["floor", "nonsense"])
    assert list(desk.readout["panels"]) == ["floor"]
    desk.act("panels", [])
    assert desk.readout["panels"] == {}


@pytest.mark.parametrize("name", PANELS)
def test_every_panel_can_be_made_with_everything_off_and_everything_on(name):
    everything = {
        "caching": True, "hardware": True, "reading": "u_shaped", "carrier": "headed_text",
        "masking": True, "offloading": True, "archive": True, "rework": 2.0,
    }  # fmt: skip
    for settings in ({}, everything, {"strategy": "none"}, {**everything, "strategy": "truncate"}):
        assert "nan" not in panel(name, tasks=20, **settings)


# --- the floor -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "state", "words"),
    [
        ({}, "fine", "Fine: it fires again after about 16.3 (16.1 – 16.5) requests."),
        ({"window": 32_000}, "tight", "Tight: it fires again after about 4.2 "),
        (
            {"window": 16_000, "keep_recent": 8}, "never",
            "Can never fit: 20,910 tokens stay and the trigger is at 12,800,",
        ),
        ({"window": 1_000_000}, "fine", "On these tasks it never fires: no context reaches"),
        ({"strategy": "none"}, "unused", "Nothing is compacted: the strategy is none."),
    ],
)  # fmt: skip
def test_the_floor_says_how_soon_it_fires_again(settings, state, words):
    html = panel("floor", **settings)
    assert state_of(html) == state
    assert words in html


def test_the_bar_of_the_floor_is_as_long_as_its_parts_and_marks_trigger_and_window():
    html = panel("floor", notes=True, pin_instruction=True)
    widths = [float(w) for w in re.findall(r"<rect class=\w+ x=[\d.]+ width=([\d.]+) y=4", html)]
    found = floor(simulate({"notes": True, "pin_instruction": True}, seed=1, tasks=400))
    assert len(widths) == 5
    assert sum(widths) == pytest.approx(100 * found.tokens / (64_000 * 1.01), abs=0.05)
    assert "data-level=trigger x=79.21" in html
    assert "data-level=window x=99.01" in html


def test_a_part_of_nothing_is_not_shown():
    html = stack([("notes", "notes", 0.0, "0"), ("summary", "summary", 3.0, "3")], 3.0)
    assert html.count("<rect") == html.count("<li>") == 1


# --- prices ----------------------------------------------------------------------------------


def test_the_price_card_splits_the_cost_and_says_when_a_compaction_has_paid():
    html = panel("price", caching=True)
    assert "$0.87 per task, paid for:" in html
    parts = re.findall(r"</i>([\w ]+) <b>(\$[\d.]+)</b>", html)
    assert parts == [
        ("cache reads", "$0.31"), ("cache writes", "$0.38"), ("output", "$0.12"),
        ("summariser", "$0.06"),
    ]  # fmt: skip
    assert "A compaction has paid for itself after 9.4 requests" in html
    assert "The next one comes after about 16.3, so it pays." in html


def test_a_compaction_that_fires_again_too_soon_does_not_pay():
    run = simulate({"caching": True, "window": 32_000}, seed=1, tasks=400)
    assert run.payback_requests > floor(run).requests.value
    assert payback(run).endswith("The next one comes after about 4.2, before that.")


@pytest.mark.parametrize(
    ("settings", "state"),
    [
        ({}, "some"),
        ({"strategy": "none"}, "none"),
        ({"caching": True, "cache_read_per_mtok": 0.0}, "never"),
    ],
)
def test_payback_has_three_states(settings, state):
    html = panel("price", **settings)
    assert state_of(html) == state
    assert ("Never: " in html) == (state == "never")


# --- hardware --------------------------------------------------------------------------------


def test_the_hardware_card_has_the_known_values_with_their_formulas():
    run = simulate({"hardware": True, "window": 200_000}, seed=1, tasks=50)
    found = shown(run)
    value, how = found["KV cache of a token"]
    assert (value, how[:18]) == ("327,680 B", "2 · 80 · 8 · 128 ·")
    assert found["KV cache of a full window"] == ("65.5 GB", "327,680 B · 200,000 tokens")


def test_a_latent_is_counted_instead_of_heads():
    run = simulate(
        {"hardware": True, "latent_dim": 512, "rope_dim": 64, "layers": 61}, seed=1, tasks=9
    )
    value, how = shown(run)["KV cache of a token"]
    assert value == "70,272 B"
    assert how.startswith("61 layers · (512 + 64) · 2 B")


def test_each_formula_gives_its_value():
    run = simulate({"hardware": True}, seed=1, tasks=50)
    peak = run.tiles["p95_peak"].value
    kv = 327_680 * peak
    weights = 70.6e9 * 2
    found = {
        name: float(value.split()[0].replace(",", "")) for name, (value, _) in shown(run).items()
    }
    prefill = (2 * 70.6e9 * peak + 4 * 80 * 64 * 128 * peak**2 / 2) / (8 * 989e12 * 0.5)
    late = (weights / 16 + kv) / (8 * 3.35e12)
    early = (weights / 16 + 327_680 * 8_192) / (8 * 3.35e12)
    assert found["KV cache at the p95 peak"] == pytest.approx(kv / 1e9, abs=0.05)
    assert found["Sessions a GPU at the peak"] == ((640e9 - weights) // kv) / 8
    assert found["First token after a cache break"] == pytest.approx(prefill, abs=0.005)
    assert found["One more token at the peak"] == pytest.approx(1e3 * late, abs=0.005)
    assert found["Late-token penalty"] == pytest.approx(late / early, abs=0.005)


def test_the_hardware_card_calculates_nothing_while_it_is_off():
    html = panel("hardware")
    assert "<dl" not in html
    assert "Off: nothing is calculated." in html


# --- the carrier -----------------------------------------------------------------------------


def test_confidently_wrong_is_a_tile_with_a_carrier_and_a_sentence_without():
    assert "nothing is invented" in panel("carrier")
    html = panel("carrier", carrier="one_field")
    value = float(re.search(r"data-value=([\d.]+)", html)[1])
    run = simulate({"carrier": "one_field"}, seed=1, tasks=400)
    assert value == run.tiles["confidently_wrong"].value
    assert "9.8 %" in html


def test_confidently_wrong_says_for_which_answers_its_source_counted():
    assert text()["carrier"]["help"].endswith("the source's answers with less than half of them.")


def test_confidently_wrong_is_set_against_a_baseline_that_has_it_too():
    desk = Desk()
    desk.act("panels", ["carrier"])
    desk.set(carrier="one_field")
    assert "against" not in desk.readout["panels"]["carrier"]  # the baseline has no such tile
    desk.act("pin")
    assert "against" not in desk.readout["panels"]["carrier"]  # that is itself
    desk.set(summary_budget=4_000)
    runs = [simulate({"carrier": "one_field", "summary_budget": n}, seed=1, tasks=400)
            for n in (1_000, 4_000)]  # fmt: skip
    found = compare(*runs)["confidently_wrong"]
    sign = "▲" if found.value > 0 else "▼"
    told = f"{sign} {100 * abs(found.value):.1f} ± {100 * (found.high - found.value):.1f} points"
    assert told in desk.readout["panels"]["carrier"]


def test_weights_that_do_not_fit_are_said_so():
    settings = {"hardware": True, "total_params": 671.0, "weight_bytes": 1.0}
    small, large = (
        shown(simulate(settings | {"gpus": gpus}, seed=1, tasks=20))["Sessions a GPU at the peak"]
        for gpus in (8, 9)
    )
    assert small == (
        "0.00", "671.0 GB of weights do not fit in 8 · 80 GB: set more GPUs for one copy"
    )  # fmt: skip
    assert large[1].startswith("whole sessions in 9 · 80 GB − 671.0 GB of weights, ")
