"""The cost reversal: the bar, and its figures from plain runs."""

import numpy as np
import pytest

from sim import Scenario, card_settings, simulate
from sim.studies import cost_reversal
from sim.studies.study import published

FLAT = "Dollars per task more than at the cheapest window: Flat price"
CACHED = "Dollars per task more than at the cheapest window: Claude Sonnet"


def costs(**settings):
    """Dollars of each task of the study's pool, each seed and each price run for itself."""
    scenario = Scenario().replace(**settings)
    return np.concatenate([simulate(scenario, seed=s, tasks=400).cost for s in (1, 2, 3, 4, 5)])


def interval(differences):
    half = 1.96 * differences.std(ddof=1) / np.sqrt(len(differences))
    return [differences.mean(), differences.mean() - half, differences.mean() + half]


def ends(row):
    return [row.ours, row.low, row.high]


def test_the_cheapest_window_is_at_most_40k_flat_and_at_least_56k_with_a_cache(table):
    rows = table("cost_reversal", "Cheapest window by price")
    flat = rows.pop("Flat price of the lab")
    assert flat.low <= flat.ours <= flat.high <= 40_000
    assert set(rows) == {
        "Claude Opus 4.5",
        "Claude Sonnet 4.6",
        "Claude Haiku 4.5",
        "A provider without write surcharge",
    }
    for row in rows.values():
        assert 56_000 <= row.low <= row.ours <= row.high


@pytest.mark.parametrize(
    ("title", "card", "best"), [(FLAT, "flat", 32_000), (CACHED, "sonnet_4_6", 64_000)]
)
def test_what_a_window_costs_more_is_the_paired_difference_of_two_plain_runs(
    table, title, card, best
):
    rows = table("cost_reversal", title)
    price = card_settings(card)
    for window in (24_000, 56_000, 128_000):
        more = costs(window=window, **price) - costs(window=best, **price)
        assert ends(rows[f"{window:,} tokens"]) == pytest.approx(interval(more), abs=1e-9)
    assert ends(rows[f"{best:,} tokens"]) == [0, 0, 0]


def test_an_interval_of_windows_holds_those_that_cost_no_more_beyond_noise(table):
    for title, label in ((FLAT, "Flat price of the lab"), (CACHED, "Claude Sonnet 4.6")):
        rows = table("cost_reversal", title)
        alike = [int(name.split()[0].replace(",", "")) for name, r in rows.items() if r.low <= 0]
        row = table("cost_reversal", "Cheapest window by price")[label]
        assert (row.low, row.high) == (min(alike), max(alike))


def test_compacting_early_saves_at_a_flat_price_and_costs_with_a_cache(table):
    rows = table("cost_reversal", "Compacting at 40 % of a 64,000-token window, not 80 %")
    assert rows["Flat price of the lab"].high < 0 < rows["Claude Sonnet 4.6"].low
    for label, card in (("Flat price of the lab", "flat"), ("Claude Sonnet 4.6", "sonnet_4_6")):
        price = card_settings(card)
        more = costs(trigger=0.4, **price) - costs(trigger=0.8, **price)
        assert ends(rows[label]) == pytest.approx(interval(more), abs=1e-9)


def test_the_bill_is_that_of_the_default_window(table):
    rows = table("cost_reversal", "Window 64,000, Claude Sonnet 4.6, beside recorded")
    scenario = Scenario().replace(**card_settings("sonnet_4_6"))
    runs = [simulate(scenario, seed=seed, tasks=400) for seed in (1, 2, 3, 4, 5)]
    total = sum(run.tiles["cost"].value for run in runs)
    for part in ("cached_read", "written", "output"):
        share = sum(run.cost_split[part] for run in runs) / total
        assert rows[f"{part.replace('_', ' ')}, of the bill"].ours == pytest.approx(share)
    read = sum(int(run.usage.request_tokens.sum()) for run in runs)
    cached = sum(int(run.usage.cached_tokens.sum()) for run in runs)
    assert rows["input from the cache"].ours == pytest.approx(cached / read)


def test_the_published_figures_are_those_of_the_traces():
    found = published("cost_reversal")
    assert found["cached_share"] == [0.957, 0.958]
    assert found["bill"] == {"cached_read": 0.595, "written": 0.292, "output": 0.112}
    assert "0b8a262" in found["source"]


def test_the_links_load_the_two_cheapest_windows(study):
    flat, cached = study("cost_reversal").settings.values()
    assert (flat["window"], flat["caching"]) == (32_000, False)
    assert (cached["window"], cached["caching"]) == (64_000, True)


def test_the_windows_are_within_the_range_of_the_control():
    assert min(cost_reversal.WINDOWS) >= 16_000
    assert max(cost_reversal.WINDOWS) == 200_000
