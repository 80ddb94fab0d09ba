"""The corner of the policies that wins while recent steps have no value, and with rework."""

from __future__ import annotations

from itertools import product
from operator import attrgetter
from typing import Any

from sim.scenario import Scenario
from sim.stats import Mean
from sim.studies.pool import Pool
from sim.studies.study import Finding, Table, estimated, percent, published, written

TRIGGERS = (0.4, 0.5, 0.65, 0.8, 0.95)
BUDGETS = (500, 1_000, 2_000, 4_000, 8_000)
KEPT = (0, 1, 2, 6, 12)
FEW = 2
SAYS = published("regimes")["rework"]


def grid(**settings: Any) -> list[Scenario]:
    """Every policy that is looked at: the default window, no notes, no clearing."""
    return [
        Scenario().replace(trigger=trigger, summary_budget=budget, keep_recent=kept, **settings)
        for trigger, budget, kept in product(TRIGGERS, BUDGETS, KEPT)
    ]


def front(pool: Pool, scenarios: list[Scenario]) -> list[Scenario]:
    """Those that no other beats in both success and cost, cheapest first."""
    success = {one: pool.column(one, attrgetter("success")).mean() for one in scenarios}
    cost = {one: pool.column(one, attrgetter("cost")).mean() for one in scenarios}
    kept: list[Scenario] = []
    for one in sorted(scenarios, key=lambda one: (cost[one], -success[one])):
        if not kept or success[one] > success[kept[-1]]:
            kept.append(one)
    return kept


def _at_most(steps: int) -> str:
    return f"at most {steps}" if steps else "none"


def corner(seed: int) -> tuple[tuple[Table, ...], tuple[Finding, ...]]:
    """The front of the grid on one seed, without rework and with it, and what follows."""
    pool = Pool(seed, seeds=1)
    rework = SAYS["after"] - SAYS["before"]
    free, paid = front(pool, grid()), front(pool, grid(rework=rework))
    kept, kept_then = (max(one.policy.keep_recent for one in best) for best in (free, paid))
    first, first_then = (min(one.policy.trigger for one in best) for best in (free, paid))
    tables = (
        _table(pool, "Policies that none beats in both success and cost", free),
        _table(pool, f"The same with {rework} requests of rework", paid),
    )
    return tables, (
        Finding(
            text=f"Of {len(grid())} policies with a summary {len(free)} are beaten by no other in "
            f"both success and cost, and these keep {_at_most(kept)} of the recent steps: without "
            "rework, recent steps have no value in this model.",
            holds=kept <= FEW,
        ),
        Finding(
            text=f"With rework of {rework} requests after a compaction, as many as were measured, "
            f"such policies keep up to {kept_then} steps, and none fires before "
            f"{percent(first_then)} instead of {percent(first)} of the window.",
            holds=kept_then > kept and first_then > first,
        ),
    )


def _table(pool: Pool, title: str, best: list[Scenario]) -> Table:
    return Table(
        title=title,
        rows=tuple(
            estimated(
                f"budget {one.policy.summary_budget:,}, trigger {percent(one.policy.trigger)}, "
                f"{one.policy.keep_recent} steps kept",
                Mean(pool.column(one, attrgetter("success"))).estimate(),
                unit="%",
                note=written(pool.column(one, attrgetter("cost")).mean(), "$") + " a task",
            )
            for one in best
        ),
    )
