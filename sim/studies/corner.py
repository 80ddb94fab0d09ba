"""The corner of the policies that wins everywhere as long as recent steps have no value."""

from __future__ import annotations

from itertools import product
from operator import attrgetter

from sim.scenario import Scenario
from sim.stats import Mean
from sim.studies.pool import Pool
from sim.studies.study import Finding, Table, estimated, percent, written

TRIGGERS = (0.4, 0.5, 0.65, 0.8, 0.95)
BUDGETS = (500, 1_000, 2_000, 4_000, 8_000)
KEPT = (0, 1, 2, 6, 12)
FEW = 2


def grid() -> list[Scenario]:
    """Every policy that is looked at: the default window, no notes, no clearing."""
    return [
        Scenario().replace(trigger=trigger, summary_budget=budget, keep_recent=kept)
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


def corner(seed: int) -> tuple[Table, Finding]:
    """The front of the grid on one seed, and what all of it has in common."""
    pool = Pool(seed, seeds=1)
    everything = grid()
    best = front(pool, everything)
    kept = [one.policy.keep_recent for one in best]
    table = Table(
        title="Policies that none beats in both success and cost, and the default",
        rows=tuple(
            estimated(
                f"budget {one.policy.summary_budget:,}, trigger {percent(one.policy.trigger)}, "
                f"{one.policy.keep_recent} steps kept",
                Mean(pool.column(one, attrgetter("success"))).estimate(),
                unit="%",
                note=written(pool.column(one, attrgetter("cost")).mean(), "$") + " a task",
            )
            for one in (*best, Scenario())
        ),
    )
    return table, Finding(
        text=f"Of {len(everything)} policies with a summary {len(best)} are beaten by no other "
        f"in both success and cost, and these keep at most {max(kept)} of the recent steps: "
        "without rework, recent steps have no value in this model.",
        holds=max(kept) <= FEW,
    )
