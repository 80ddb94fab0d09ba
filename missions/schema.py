"""A mission, and how it is read from a TOML file: parsed and checked here, trusted elsewhere."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from types import MappingProxyType
from typing import Any

from missions.fields import MissionError, Reader
from missions.goals import SENSES, UNITS, Goal
from sim import EVENTS, Scenario, ScenarioError
from sim.workload import check_seed, check_tasks

__all__ = ["Decoy", "Mission", "MissionError", "changed", "parse"]

MOST_WORDS = 60
MOST_POINTS = 300
"""Grid points of a mission: enough to see what wins, and few enough to try them all in seconds."""
Settings = Mapping[str, Any]
_DEFAULTS = MappingProxyType(Scenario().all_settings())


@dataclass(frozen=True, kw_only=True, slots=True)
class Decoy:
    """Settings that look right and fail."""

    settings: Settings = field(hash=False)
    """Changes to the start, of open controls only."""
    why: str
    """Why they look right, in one line."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Mission:
    """A broken setup, what may be moved, and what must be reached."""

    id: str
    """Permanent: saved progress and links hold it."""
    title: str
    brief: str
    """What is wrong and what to do, in at most 60 words."""
    seed: int
    """On which the mission is shown."""
    tasks: int
    start: Settings = field(hash=False)
    """The broken setup: what differs from the defaults."""
    open: Mapping[str, tuple[Any, ...]] = field(hash=False)
    """The controls that may be moved, and the values that the audit tries. All else is locked."""
    goals: tuple[Goal, ...]
    hints: tuple[str, str]
    why: str
    """Why the solution works, in two sentences, for after it."""
    solution: Settings = field(hash=False)
    """Changes to the start that win."""
    decoys: tuple[Decoy, ...]
    lesson: str
    evidence: str
    """Where the lesson comes from, and how far the model can be trusted with it."""
    introduces: str | None = None
    """The event that becomes available when the mission is solved."""

    def settings(self, changes: Settings = MappingProxyType({})) -> dict[str, Any]:
        """Every setting, flat: the start with some changes."""
        return {**_DEFAULTS, **self.start, **changes}

    def is_open(self, name: str) -> bool:
        """Whether a setting may be moved."""
        return name in self.open

    def breaches(self, settings: Settings) -> tuple[str, ...]:
        """The locked settings that differ from the start."""
        start = self.settings()
        return tuple(n for n, v in settings.items() if n not in self.open and v != start[n])

    def grid(self) -> Iterator[dict[str, Any]]:
        """Every combination of the open controls' values, as changes to the start."""
        for values in product(*self.open.values()):
            yield dict(zip(self.open, values, strict=True))


def changed(mission: Mission, settings: Settings) -> int:
    """How many open controls differ from the start; of a control left out, none does."""
    start = mission.settings()
    return sum(settings.get(name, start[name]) != start[name] for name in mission.open)


def parse(text: str, file: str = "mission.toml") -> Mission:
    """The mission in a TOML text; ``file`` is what an error calls it.

    Raises MissionError, with file, key, rule and remedy in one sentence.
    """
    try:
        raw = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        what = " ".join(str(error).split()).rstrip(".")
        raise MissionError(f"{file}: the text is not TOML, {what}: correct it there.") from None
    whole = Reader(file, "", raw)
    whole.knows(*Mission.__dataclass_fields__)
    start = _start(whole)
    controls = _open(whole, start)
    solution = _changes(whole, "solution", start, controls)
    return Mission(
        id=whole.slug("id"),
        title=whole.line("title"),
        brief=whole.line("brief", words=MOST_WORDS),
        seed=_checked(whole, "seed", check_seed),
        tasks=_checked(whole, "tasks", check_tasks),
        start=start,
        open=controls,
        goals=_goals(whole),
        hints=_hints(whole),
        why=whole.line("why", sentences=2),
        solution=solution,
        decoys=_decoys(whole, start, controls, solution),
        lesson=whole.line("lesson"),
        evidence=whole.line("evidence"),
        introduces=_introduces(whole, start),
    )


def _checked(whole: Reader, key: str, check: Any) -> int:
    value: int = whole.value(key)
    try:
        check(value)
    except ScenarioError as error:
        raise whole.refused(str(error)) from None
    return value


def _simulable(at: Reader, settings: Settings) -> None:
    try:
        Scenario.from_dict(settings)
    except ScenarioError as error:
        raise at.refused(str(error)) from None


def _start(whole: Reader) -> Settings:
    start = whole.table("start")
    start.knows(*_DEFAULTS)
    _simulable(start, start.raw)
    for name, value in start.raw.items():
        if value == _DEFAULTS[name]:
            raise start.wrong(name, "must differ from its default", "leave it out")
    return MappingProxyType(start.raw)


def _open(whole: Reader, start: Settings) -> Mapping[str, tuple[Any, ...]]:
    controls = whole.table("open")
    begun = {**_DEFAULTS, **start}
    values: dict[str, tuple[Any, ...]] = {}
    if not controls.raw:
        raise whole.wrong("open", "must name a control", "add one with its values")
    controls.knows(*_DEFAULTS)
    for name in controls.raw:
        values[name] = tuple(controls.items(name, 2))
    # Together the rows hold every value, and each is a point of the grid.
    for row in range(max(map(len, values.values()))):
        _simulable(controls, {**start, **{n: v[min(row, len(v) - 1)] for n, v in values.items()}})
    for name, choices in values.items():
        if len(set(choices)) < len(choices):
            raise controls.wrong(name, "must not repeat a value", "remove the second one")
        if begun[name] not in choices:
            rule = f"must hold the start's value, {begun[name]}"
            raise controls.wrong(name, rule, "add it")
    points = math.prod(map(len, values.values()))
    if points > MOST_POINTS:
        raise whole.refused(
            f"open has {points:,} combinations but must have at most {MOST_POINTS}: "
            "leave out some values."
        )
    return MappingProxyType(values)


def _changes(
    at: Reader, key: str, start: Settings, controls: Mapping[str, tuple[Any, ...]]
) -> Settings:
    """A table of changes to the start that keeps to the open controls and their values."""
    table = at.table(key)
    for name in table.raw:
        if name in _DEFAULTS and name not in controls:
            raise table.refused(
                f"{name} is locked: move only {', '.join(controls)}, or add it to open."
            )
    table.knows(*controls)
    _simulable(table, {**start, **table.raw})
    for name, value in table.raw.items():
        if value not in controls[name]:
            choices = ", ".join(map(str, controls[name]))
            raise table.wrong(name, f"must be one of {choices}", "take one, or add it to open")
    begun = {**_DEFAULTS, **start}
    if all(value == begun[name] for name, value in table.raw.items()):
        raise at.wrong(key, "must change something", "set an open control")
    return MappingProxyType(table.raw)


def _decoys(
    whole: Reader, start: Settings, controls: Mapping[str, tuple[Any, ...]], solution: Settings
) -> tuple[Decoy, ...]:
    decoys = []
    seen = [{**start, **solution}]
    for table in whole.tables("decoys", 2):
        table.knows("settings", "why")
        settings = _changes(table, "settings", start, controls)
        if {**start, **settings} in seen:
            rule = "must differ from the solution and from the other decoys"
            raise table.wrong("settings", rule, "change it")
        seen.append({**start, **settings})
        decoys.append(Decoy(settings=settings, why=table.line("why")))
    return tuple(decoys)


def _goals(whole: Reader) -> tuple[Goal, ...]:
    goals: dict[str, Goal] = {}
    for table in whole.tables("goals", 1):
        table.knows("key", "sense", "bound")
        key, sense = table.choice("key", tuple(UNITS)), table.choice("sense", SENSES)
        if key in goals:
            raise table.wrong("key", "must not be another goal's", "keep one of the two")
        top = 100 if UNITS[key] == "%" else 10_000_000
        goals[key] = Goal(key=key, sense=sense, bound=table.number("bound", 0, top))
    return tuple(goals.values())


def _hints(whole: Reader) -> tuple[str, str]:
    hints = whole.items("hints", 2, 2)
    lines = Reader(whole.file, "", {f"hints[{i}]": hint for i, hint in enumerate(hints, 1)})
    return lines.line("hints[1]"), lines.line("hints[2]")


def _introduces(whole: Reader, start: Settings) -> str | None:
    if "introduces" not in whole.raw:
        return None
    event = whole.choice("introduces", EVENTS)
    if not start.get(event):
        raise whole.wrong("introduces", "must be on at the start", f"add {event} = true to start")
    return event
