"""When a lossy memory answers better than the whole context: seed 000 beside our curves."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.studies.state_tracking import (
    CrossoverCell,
    Hybrid,
    Recipe,
    best_shares,
    crossover_table,
    curve_for,
    drop,
    explain,
    fit_target_curve,
    mixed_curve,
    oddities,
    published,
    stuffing_curve,
)
from sim.studies.study import Finding, Row, Study, Table, percent, written

TITLE = "When does a lossy memory beat the whole context?"
TARGET_RATE = 0.04
LOST = 0.2
LENGTHS = (100, 300, 1000, 3000)
PROGRAMS = 1000
ALLOWED_STEPS = 1


def study(seed: int = 1) -> Study:
    """The study with the bootstraps and programs of a seed. Raises ScenarioError for a bad one."""
    figures, cells = published(), crossover_table(fit_target_curve())
    mixed, hybrids = _mixed(seed), _hybrids(seed)
    near = [cell for cell in cells if abs(cell.steps) <= ALLOWED_STEPS]
    return Study(
        name="crossover",
        title=TITLE,
        question="A model that tracks a state loses it as the context grows. From which length, "
        "N*, is a short state with errors in it the better thing to read?",
        method="Programs of a small language, executed for the truth. The context's accuracy is a "
        f"curve fitted to what GRIP published of {figures.model}; a state loses entries at a "
        f"rate, and what is left is executed. {PROGRAMS:,} programs, seed {seed}.",
        tables=(mixed, _bands(seed), *_n_stars(cells, seed), _shares(hybrids)),
        findings=(
            Finding(
                text="The mixed curve lies within the published interval at all "
                f"{len(mixed.rows)} lengths.",
                holds=all(map(_is_inside, mixed.rows)),
            ),
            Finding(
                text=f"{len(near)} of the {len(cells)} published N* are met within one step of the "
                f"lengths tried, {sum(cell.steps == 0 for cell in cells)} of them exactly, by a "
                "curve of three parameters.",
                holds=len(near) >= len(cells) - 1,
            ),
            *map(_beats_both, (hybrid for hybrid in hybrids if hybrid.recipe.statements >= 300)),
        ),
        sources=(figures.source,),
        misses=tuple(f"{_name(cell)}: {explain(cell, seed=seed)}" for cell in cells if cell.steps),
        cannot_verify=(
            "The cells of the sweep over length, target rate and position, and its repository: "
            "only the figures in the text are to be had. That it has five positions is inferred.",
            *oddities(),
        ),
        settings={"an agent whose task is to track a state": {"reading": "state_tracking"}},
    )


def _mixed(seed: int) -> Table:
    rows = [row for row in published().mixed if row.half_width is not None]
    lengths, curve = [row.statements for row in rows], mixed_curve(seed=seed)
    return Table(
        title="Right answers over the whole context, mixed grammar",
        rows=tuple(
            Row(
                label=written(row.statements, "statements"), ours=ours, low=low, high=high,
                published=row.accuracy, published_low=row.accuracy - row.half_width,
                published_high=row.accuracy + row.half_width, unit="%",
            )
            for row, ours, low, high in zip(
                rows, *map(_floats, (curve.accuracy(lengths), *curve.band(lengths))), strict=True
            )
            if row.half_width is not None
        ),
        chart=True,
    )  # fmt: skip


def _bands(seed: int) -> Table:
    pooled, rates = published().pooled, published().target_rates
    lengths, curves = list(pooled), [stuffing_curve(rate, seed=seed) for rate in rates]
    ours = np.mean([curve.accuracy(lengths) for curve in curves], axis=0)
    again = np.mean([curve.replicas(lengths) for curve in curves], axis=0)
    low, high = np.quantile(again, [0.025, 0.975], axis=0)
    return Table(
        title="Right answers over the whole context, SET only, all target rates and positions",
        rows=tuple(
            Row(
                label=written(length, "statements"), ours=value, low=least, high=most,
                published=pooled[length], unit="%",
            )
            for length, value, least, most in zip(
                lengths, *map(_floats, (ours, low, high)), strict=True
            )
        ),
        note="The text gives 6 to 15 % from 5,000 statements on; which length has which, it does "
        "not say.",
    )  # fmt: skip


def _n_stars(cells: tuple[CrossoverCell, ...], seed: int) -> tuple[Table, ...]:
    grid = published().grid
    tables: dict[str, list[Row]] = {}
    for cell in cells:
        place = grid.index(cell.published)
        low, high = cell.span(seed=seed)
        tables.setdefault(f"N* where a state has {_loss(cell)}", []).append(
            Row(
                label=f"T {cell.target_rate}", ours=cell.crossing, low=low, high=high,
                published_low=grid[place - 1] if place else 0, published_high=cell.published,
                unit="statements", note=_steps(cell),
            )
        )  # fmt: skip
    return tuple(
        Table(
            title=title, rows=tuple(rows),
            note="Published is the first length tried at which the state won: the crossing lies "
            "between the one before and it.",
        )
        for title, rows in tables.items()
    )  # fmt: skip


def _steps(cell: CrossoverCell) -> str:
    many, side = abs(cell.steps), "early" if cell.steps < 0 else "late"
    return f"{many} step{'s' * (many > 1)} {side}" if many else "met"


def _loss(cell: CrossoverCell) -> str:
    return f"{percent(cell.rate)} of its entries {'dropped' if cell.loss == 'drop' else 'wrong'}"


def _name(cell: CrossoverCell) -> str:
    return f"{_loss(cell)}, T {cell.target_rate}"


def _hybrids(seed: int) -> tuple[Hybrid, ...]:
    recipe = Recipe(grammar="set_only", target_rate=TARGET_RATE)
    return best_shares(
        recipe, drop(LOST), curve_for(recipe, seed=seed), lengths=LENGTHS, seed=seed,
        programs=PROGRAMS,
    )  # fmt: skip


def _shares(hybrids: tuple[Hybrid, ...]) -> Table:
    rows = []
    for hybrid in hybrids:
        length = written(hybrid.recipe.statements, "statements")
        for point, word in (
            (hybrid.points[0], "all raw"),
            (hybrid.best, f"best, a state for {percent(hybrid.best.share)} of them"),
            (hybrid.points[-1], "all a state"),
        ):
            rows.append(
                Row(
                    label=f"{length}: {word}", ours=point.accuracy.value, low=point.accuracy.low,
                    high=point.accuracy.high, unit="%",
                    note="extrapolated" if point.is_extrapolated else "",
                )
            )  # fmt: skip
    return Table(
        title=f"Partial compression: SET only, T {TARGET_RATE}, {percent(LOST)} of entries dropped",
        rows=tuple(rows),
        note="GRIP's next step, of which nothing is published: the state comes first, then the "
        "last statements as they were written.",
    )


def _beats_both(hybrid: Hybrid) -> Finding:
    raw, best, state = hybrid.points[0], hybrid.best, hybrid.points[-1]
    length = written(hybrid.recipe.statements, "statements")
    return Finding(
        text=f"At {length} a state for the first {percent(best.share)} is right in "
        f"{percent(best.accuracy.value)} of the cases, the whole context in "
        f"{percent(raw.accuracy.value)}, a state alone in {percent(state.accuracy.value)}.",
        holds=best.accuracy.value > max(raw.accuracy.value, state.accuracy.value),
    )


def _is_inside(row: Row) -> bool:
    """Whether our value, and not only its interval, lies within the published one."""
    ends = (row.published_low, row.ours, row.published_high)
    low, ours, high = (float("nan") if end is None else end for end in ends)
    return low <= ours <= high


def _floats(values: np.ndarray) -> list[Any]:
    found: list[Any] = values.tolist()
    return found
