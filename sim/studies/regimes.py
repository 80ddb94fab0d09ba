"""Full history, compaction near the end of a window, or after every action (seed 003)."""

from __future__ import annotations

from sim import reading
from sim.stats import Z95
from sim.studies import late_tokens
from sim.studies.corner import corner
from sim.studies.pool import SEEDS
from sim.studies.regime_table import (
    CURRENCIES,
    GUESSES,
    PRICES,
    REGIMES,
    SAYS,
    TASKS,
    Model,
    Regimes,
    largest_level,
    settings,
)
from sim.studies.study import Finding, Study, falls

TITLE = "Three regimes: the whole history, a small window, or one action at a time"
FIRST, SECOND = SAYS["models"]
TRIED = SAYS["swe_bench_tasks"]
ROOMY = 4_000
CACHED = "Claude Opus 4.5 with a cache"


def study(seed: int = 1) -> Study:
    """The study on the pool that begins with a seed. Raises ScenarioError for a bad one."""
    table = Regimes(seed)
    fronts, dominant = corner(seed)
    return Study(
        name="regimes",
        title=TITLE,
        question="Does an agent need its whole history, or is a short summary enough?",
        method="Tasks as long as the reported ones: the median and the largest peak of the whole "
        "history give the spread of the steps, and the other rows are predictions. "
        f"{SEEDS} seeds of {TASKS:,} tasks; that a summary takes {GUESSES['summary_budget']:,} "
        "tokens, and that nothing is kept beside it, are guesses, as in the presets. The largest "
        f"peak is that of {TRIED} tasks.",
        tables=(
            table.peaks("median_peak", "Median peak of the context", 0.5),
            table.peaks("max_peak", f"Largest peak of {TRIED} tasks", largest_level()),
            table.memory(),
            *table.savings(),
            table.accuracy(),
            table.gains(),
            late_tokens.penalties(),
            late_tokens.drawing(),
            *fronts,
        ),
        findings=(*_findings(table), *late_tokens.findings(), *dominant),
        sources=(SAYS["source"], SAYS["rework"]["source"]),
        misses=(
            "Nothing is read again after a compaction in the tables of the regimes, and recent "
            "steps have no value there: so the model favours early and complete compaction.",
            f"Distraction is mild here: from the whole history's median of "
            f"{FIRST['full']['median_peak']:,} tokens to {FIRST['compacted']['median_peak']:,} the "
            f"chance of a right answer gains {_reliability():.1f} points by a straight line; "
            f"{_reported(FIRST, 'compacted'):.1f} are reported.",
            "A tool result may be of any size here. A cap on it would keep the largest peaks "
            "within the window, as reported.",
            "The steps of a task are the same in every regime. Real agents take other steps once "
            "they are compacted.",
        ),
        cannot_verify=(
            "Every figure of the regimes, of accuracy and of savings: the paper was not found.",
            "How many runs stand behind an accuracy, and what “generation cost” includes.",
        ),
        settings={
            f"{model['name']}: {words}": settings(model, regime) | PRICES
            for model in SAYS["models"] for regime, words in REGIMES.items()
        },
    )  # fmt: skip


def _reported(model: Model, regime: str) -> float:
    """The reported gain on the larger benchmark, in points."""
    gain: float = 100 * (model[regime]["swe_bench"] - model["full"]["swe_bench"])
    return gain


def _reliability() -> float:
    """What the shorter median context gains by the model's reliability alone, in points."""
    fewer: int = FIRST["full"]["median_peak"] - FIRST["compacted"]["median_peak"]
    return 100 * reading.RELIABILITY_LOSS * fewer / reading.LONG_CONTEXT


def _findings(table: Regimes) -> tuple[Finding, ...]:
    pairs = [(model, regime) for model in SAYS["models"] for regime in ("compacted", "single")]
    cheaper = {
        title: [table.cheaper(*pair, read) for pair in pairs] for title, read in CURRENCIES.items()
    }
    reported = [model[regime]["cheaper"] for model, regime in pairs]
    best = max(change.value for changes in cheaper.values() for change in changes)
    dearer = [change.value for change in cheaper[CACHED][1::2]]
    gains = [table.gain(*pair) for pair in pairs]
    roomy = [table.gain(*pair, summary_budget=ROOMY) for pair in pairs]
    by_chance = _by_chance(FIRST)
    return (
        Finding(
            text=f"The reported savings of {min(reported)} to {max(reported)} times are not those "
            f"of this model in any currency: the most is {best:.1f}, for input at a flat price. "
            "With a cache, compacting after every action costs "
            f"{1 / max(dearer):.1f} to {1 / min(dearer):.1f} times as much as the whole history.",
            holds=best < min(reported) and max(dearer) < 1,
        ),
        Finding(
            text="In every regime compaction takes success here, "
            f"{-gains[0].value:.0f} points from the first model near the end of its window and "
            f"{-gains[1].value:.0f} after every action. The summary decides: with {ROOMY:,} tokens "
            f"it is {-roomy[0].value:.0f} and {-roomy[1].value:.0f}.",
            holds=all(falls(gain) for gain in gains)
            and all(more.value > less.value for more, less in zip(roomy, gains, strict=True)),
        ),
        Finding(
            text=f"The reported gain of {_reported(FIRST, 'compacted'):.1f} points for "
            f"{FIRST['name']} is less than the {by_chance:.1f} by which two independent runs of "
            f"{TRIED} tasks differ by chance.",
            holds=0 < _reported(FIRST, "compacted") < by_chance,
        ),
        Finding(
            text=f"For {SECOND['name']} the reported median peak is larger with compaction than "
            "with the whole history: those agents took other steps, and no model with the same "
            "steps for both can give it.",
            holds=SECOND["compacted"]["median_peak"] > SECOND["full"]["median_peak"],
        ),
    )


def _by_chance(model: Model) -> float:
    """Half the 95 % interval of the difference of two shares, in points."""
    shares = [model[regime]["swe_bench"] for regime in ("full", "compacted")]
    variance = sum(share * (1 - share) for share in shares) / TRIED
    half: float = 100 * Z95 * variance**0.5
    return half
