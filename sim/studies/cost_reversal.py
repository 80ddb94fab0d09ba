"""Which window is cheapest, with a flat price and with a prompt cache, on the same runs."""

from __future__ import annotations

from sim import billing
from sim.cards import CARDS, card_settings
from sim.scenario import Scenario
from sim.stats import Estimate, Mean, Ratio, paired_difference
from sim.studies.pool import SEEDS, TASKS, Pool
from sim.studies.study import (
    Finding,
    Row,
    Study,
    Table,
    estimated,
    falls,
    percent,
    published,
    rises,
    written,
)

TITLE = "The cost reversal: what a prompt cache does to the advice to compact early"
WINDOWS = (
    24_000, 28_000, 32_000, 36_000, 40_000, 48_000, 56_000, 60_000, 64_000, 68_000, 72_000,
    80_000, 96_000, 128_000, 200_000,
)  # fmt: skip
TOO_SMALL = 16_000
FLAT, CACHED = "flat", "sonnet_4_6"
PRICES = (FLAT, "opus_4_5", CACHED, "haiku_4_5", "no_surcharge")
EARLY, LATE = 0.4, 0.8
HIGHEST_FLAT, LOWEST_CACHED = 40_000, 56_000
"""What the cheapest windows must be at most, and at least: the bar that was set for this model."""


class Sweep:
    """Windows on the tasks of several seeds, and what they cost at any price.

    A price changes no run, so that each window is run once.
    """

    def __init__(self, seed: int) -> None:
        self.pool = Pool(seed)

    def cost(self, price: str, window: int, trigger: float = LATE) -> Mean:
        """Dollars of each task: (n,)."""
        priced = Scenario().replace(**card_settings(price))
        return Mean(
            self.pool.column(
                _scenario(window, trigger), lambda run: billing.costs(priced, run.usage)
            )
        )

    def excess(self, price: str) -> dict[int, Estimate]:
        """Window -> what it costs more than the cheapest, paired task by task."""
        cost = {window: self.cost(price, window) for window in WINDOWS}
        cheapest = min(cost.values(), key=lambda mean: mean.value)
        return {window: paired_difference(cheapest, mean) for window, mean in cost.items()}

    def success(self, window: int) -> float:
        """Share of tasks that succeed."""
        return float(self.pool.column(_scenario(window), lambda run: run.success).mean())


def _scenario(window: int, trigger: float = LATE) -> Scenario:
    return Scenario().replace(window=window, trigger=trigger, caching=True)


def cheapest(excess: dict[int, Estimate]) -> tuple[int, list[int]]:
    """The cheapest window, and all that the tasks cannot tell from it."""
    best = min(excess, key=lambda window: excess[window].value)
    alike = [window for window, more in excess.items() if not (more.low or 0.0) > 0]
    return best, alike


def study(seed: int = 1) -> Study:
    """The study on the pool that begins with a seed. Raises ScenarioError for a bad one."""
    sweep = Sweep(seed)
    excess = {price: sweep.excess(price) for price in PRICES}
    best = {price: cheapest(more) for price, more in excess.items()}
    early = {
        price: paired_difference(
            sweep.cost(price, 64_000, LATE), sweep.cost(price, 64_000, EARLY)
        )
        for price in (FLAT, CACHED)
    }  # fmt: skip
    tables = (
        _by_price(best),
        *(_by_window(price, excess[price]) for price in (FLAT, CACHED)),
        Table(
            title=f"Compacting at {percent(EARLY)} of a 64,000-token window, not {percent(LATE)}",
            rows=tuple(
                estimated(CARDS[price].name, early[price], unit="$", note="more per task")
                for price in early
            ),
        ),
        _beside_traces(sweep),
    )
    return Study(
        name="cost_reversal",
        title=TITLE,
        question="A smaller window compacts more often and reads less at every request. "
        "Does that save money?",
        method=f"The default workload and policy, {len(WINDOWS)} windows, {SEEDS} seeds of {TASKS} "
        "tasks each. Every run is priced with each card, so all differences are paired task by "
        "task. The interval of a cheapest window holds every window that does not cost "
        "significantly more.",
        tables=tables,
        findings=_findings(sweep, best, early),
        sources=(
            published("cost_reversal")["source"],
            *dict.fromkeys(f"{CARDS[price].name}: {CARDS[price].source}" for price in PRICES),
        ),
        misses=(
            "The simulated tasks are shorter than real sessions and their contexts smaller, so "
            "less of each request is read again from the cache than in the traces.",
            "The cache never expires here; a share of expired requests can be set with cold_share.",
        ),
        settings={
            f"Window {best[price][0]:,} at {CARDS[price].name}": {
                "window": best[price][0], **card_settings(price)
            }
            for price in (FLAT, CACHED)
        },
    )  # fmt: skip


def _by_price(best: dict[str, tuple[int, list[int]]]) -> Table:
    rows = [
        Row(
            label=CARDS[price].name, ours=window, low=min(alike), high=max(alike), unit="tokens"
        )
        for price, (window, alike) in best.items()
    ]  # fmt: skip
    return Table(title="Cheapest window by price", rows=tuple(rows), chart=True)


def _by_window(price: str, excess: dict[int, Estimate]) -> Table:
    rows = [
        estimated(f"{window:,} tokens", more, unit="$") for window, more in excess.items()
    ]  # fmt: skip
    title = f"Dollars per task more than at the cheapest window: {CARDS[price].name}"
    return Table(title=title, rows=tuple(rows), chart=True)


def _beside_traces(sweep: Sweep) -> Table:
    """The bill at the default window beside that of recorded sessions."""
    measured = published("cost_reversal")
    window = Scenario().policy.window
    tokens = sweep.pool.usage(_scenario(window))
    share = Ratio(tokens["cached_tokens"], tokens["request_tokens"])
    low, high = measured["cached_share"]
    rows = [
        estimated(
            "input from the cache", share.estimate(), unit="%",
            published_low=low, published_high=high,
        )
    ]  # fmt: skip
    card = Scenario().replace(**card_settings(CACHED))
    parts = billing.cost_parts(card, tokens)
    total = sum(parts.values())
    for part, theirs in measured["bill"].items():
        label = f"{part.replace('_', ' ')}, of the bill"
        estimate = Ratio(parts[part], total).estimate()
        rows.append(estimated(label, estimate, unit="%", published=theirs))
    return Table(
        title=f"Window {window:,}, {CARDS[CACHED].name}, beside recorded sessions",
        rows=tuple(rows),
        note="Recorded sessions are of coding agents, with another workload and several prices; "
        "the summariser's share of the bill is not apart there.",
    )


def _findings(
    sweep: Sweep,
    best: dict[str, tuple[int, list[int]]],
    early: dict[str, Estimate],
) -> tuple[Finding, ...]:
    (flat, flat_alike), (cached, cached_alike) = best[FLAT], best[CACHED]
    costs = {price: sweep.cost(price, flat).value for price in (FLAT, CACHED)}
    large = {price: sweep.cost(price, max(WINDOWS)).value for price in (FLAT, CACHED)}
    small = sweep.success(TOO_SMALL)
    return (
        Finding(
            text=f"With a flat price the cheapest window is {flat:,} tokens, with a cache "
            f"{cached:,}: at most {HIGHEST_FLAT:,} and at least {LOWEST_CACHED:,}, and so are "
            "all the windows that cannot be told from them.",
            holds=max(flat_alike) <= HIGHEST_FLAT and min(cached_alike) >= LOWEST_CACHED,
        ),
        Finding(
            text=f"Compacting early turns from a saving of {written(-early[FLAT].value, '$')} a "
            f"task into a loss of {written(early[CACHED].value, '$')}.",
            holds=falls(early[FLAT]) and rises(early[CACHED]),
        ),
        Finding(
            text=f"A window of {flat:,} instead of {max(WINDOWS):,} saves "
            f"{percent(1 - costs[FLAT] / large[FLAT])} at the flat price, and costs "
            f"{percent(costs[CACHED] / large[CACHED] - 1)} more with a cache.",
            holds=costs[FLAT] < large[FLAT] and _is_dearer(sweep, flat),
        ),
        Finding(
            text=f"Cheap is not good: at {flat:,} tokens {percent(sweep.success(flat))} of tasks "
            f"succeed, at {cached:,} {percent(sweep.success(cached))}, at {max(WINDOWS):,} "
            f"{percent(sweep.success(max(WINDOWS)))}.",
            holds=sweep.success(flat) < sweep.success(cached) < sweep.success(max(WINDOWS)),
        ),
        Finding(
            text=f"A window of {TOO_SMALL:,} is left out: it cannot hold what is kept, and "
            f"{written(small, '%')} of its tasks succeed.",
            holds=small < 0.05,
        ),
    )


def _is_dearer(sweep: Sweep, window: int) -> bool:
    more = paired_difference(sweep.cost(CACHED, max(WINDOWS)), sweep.cost(CACHED, window))
    return rises(more)
