"""Whether a mission is solved. The judge looks at runs; it simulates nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from missions.goals import Goal
from missions.schema import Mission, MissionError
from sim import Outcome

FURTHER_SEEDS = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class Miss:
    """A goal that a run does not meet."""

    goal: Goal
    value: float
    """What the run has instead, in the goal's unit."""
    by: float
    """How far from the bound that is, in the goal's unit; positive."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FailedSeed:
    """A further seed on which the settings do not win."""

    seed: int
    misses: tuple[Miss, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """The judge's answer."""

    state: str
    """``open`` (a goal is missed on the shown seed), ``lucky`` (met there, but not on every
    further seed, or not yet run on every one), or ``solved``."""
    misses: tuple[Miss, ...]
    """On the shown seed."""
    failed: tuple[FailedSeed, ...]
    """The further seeds on which a goal is missed."""
    unchecked: tuple[int, ...]
    """The further seeds that were not run."""


def further_seeds(seed: int) -> tuple[int, ...]:
    """The seeds on which a win must be repeated."""
    return tuple(seed + 1 + index for index in range(FURTHER_SEEDS))


def misses(mission: Mission, run: Outcome) -> tuple[Miss, ...]:
    """The goals that a run does not meet, in the mission's order."""
    return tuple(
        Miss(goal=goal, value=goal.value(run), by=goal.miss(run))
        for goal in mission.goals
        if not goal.met(run)
    )


def judge(mission: Mission, runs: Sequence[Outcome]) -> Verdict:
    """Judge the shown run, which comes first, and those on the further seeds, as far as they go.

    Raises MissionError for runs that are not of one setting, on the right seeds, with the
    mission's number of tasks and its locked settings.
    """
    _check(mission, runs)
    shown, *further = runs
    missed = misses(mission, shown)
    failed = tuple(
        FailedSeed(seed=run.seed, misses=found)
        for run in further
        if (found := misses(mission, run))
    )
    unchecked = further_seeds(shown.seed)[len(further) :]
    won = "lucky" if failed or unchecked else "solved"
    return Verdict(
        state="open" if missed else won, misses=missed, failed=failed, unchecked=unchecked
    )


def _check(mission: Mission, runs: Sequence[Outcome]) -> None:
    if not runs:
        raise MissionError("runs is empty but must begin with the shown run: give at least one.")
    shown = runs[0]
    seeds, due = [run.seed for run in runs], [shown.seed, *further_seeds(shown.seed)]
    if seeds != due[: len(seeds)]:
        raise MissionError(
            f"runs have the seeds {seeds} but must have {due}, or the first few of these: "
            "take the further ones from further_seeds."
        )
    for run in runs:
        if len(run) != mission.tasks:
            raise MissionError(
                f"a run has {len(run)} tasks but {mission.id} needs {mission.tasks}: "
                f"simulate {mission.tasks}."
            )
        if run.scenario != shown.scenario:
            raise MissionError(
                f"runs differ in their settings, at seed {run.seed} from seed {shown.seed}, but "
                "must be of one setting: simulate the same on every seed."
            )
    if moved := mission.breaches(shown.scenario.all_settings()):
        raise MissionError(
            f"{moved[0]} was moved but {mission.id} locks it: only "
            f"{', '.join(mission.open)} may be moved."
        )
