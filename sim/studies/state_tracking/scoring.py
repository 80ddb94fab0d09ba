"""A real model's answers against the truth: shares with intervals, the curve, and what was unfit.

Answers are lines of JSON, each an object with the ``id`` of its task and the model's ``answer`` as
text; other fields are left alone. Nothing is dropped in silence: a line that cannot be used is
named with its number and its fault, and so are answers to the same task after the first, ids that
no task has, and tasks without an answer.

**How an answer is read.** Case and all around the words are ignored. The words looked for are the
16 colours, grey for gray, and "unset". If several different ones occur, the last counts, for a
model that thinks aloud ends with its answer; how many were read so is told. Without any, "none" is
taken for unset; and what has not even that is *unread*, and wrong.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from sim.setting import ScenarioError, shown
from sim.stats import Estimate, wilson
from sim.studies.state_tracking.curve import Point, StuffingCurve, fit_curve
from sim.studies.state_tracking.kit import Origin, parse_id, truths
from sim.studies.state_tracking.language import VALUES
from sim.studies.state_tracking.prompt import UNSET_ANSWER
from sim.studies.state_tracking.published import published
from sim.studies.state_tracking.recipe import Recipe
from sim.workload import check_seed

EXAMPLE = '{"id": "mixed-c1000-s1-i0", "answer": "red"}'
_WORD = re.compile(rf"(?<![a-z])({'|'.join((*VALUES, UNSET_ANSWER, 'grey'))})(?![a-z])")
_NONE = re.compile(r"(?<![a-z])none(?![a-z])")


@dataclass(frozen=True, slots=True)
class Fault:
    """A line, counted from 1, that could not be used."""

    line: int
    what: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Length:
    """The answers at one length."""

    statements: int
    right: int
    trials: int
    accuracy: Estimate


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """The answers to tasks of one kind, at all its lengths."""

    recipe: Recipe
    """With its length at 1, for all of them."""
    lengths: tuple[Length, ...]
    curve: StuffingCurve | None
    no_curve: str
    """Why there is no curve; empty if there is one."""
    n_stars: tuple[tuple[float, Estimate], ...]
    """Rate of lost entries -> N*, in statements: beyond it such a state answers better."""

    @property
    def points(self) -> tuple[Point, ...]:
        """The counts, as ``fit_curve`` and ``format_points`` take them."""
        return tuple(Point(at.statements, at.right, at.trials) for at in self.lengths)


@dataclass(frozen=True, kw_only=True, slots=True)
class Scored:
    """All that is to say about a file of answers."""

    groups: tuple[Group, ...]
    unread: tuple[str, ...]
    """Ids whose answer has none of the words; they count as wrong."""
    several: tuple[str, ...]
    """Ids whose answer has several, of which the last was taken."""
    malformed: tuple[Fault, ...]
    duplicates: tuple[Fault, ...]
    unknown: tuple[Fault, ...]
    missing: tuple[str, ...]
    """Ids of tasks without an answer; none if the tasks are not given."""


def read_answer(text: str) -> tuple[str | None, bool]:
    """The word of an answer, a colour or ``unset``, and whether there were several.

    None if there is none.
    """
    folded = text.casefold()
    words = [word.replace("grey", "gray") for word in _WORD.findall(folded)]
    if not words:
        return (UNSET_ANSWER if _NONE.search(folded) else None), False
    return words[-1], len(set(words)) > 1


def score_answers(
    lines: Iterable[bytes], *, tasks: Iterable[bytes] | None = None, seed: int = 1
) -> Scored:
    """The answers scored; with ``tasks``, the lines that make wrote, also which are missing.

    ``seed`` is that of the bootstrap. Raises ScenarioError if it is a bad one, if no line can be
    used, or if a line of the tasks is none.
    """
    check_seed(seed)
    asked = None if tasks is None else _asked(tasks)
    malformed, duplicates, unknown = [], [], []
    first_line: dict[Origin, int] = {}
    answers: dict[Origin, str] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            name, text = _fields(line)
        except ValueError as fault:
            malformed.append(Fault(number, str(fault)))
            continue
        try:
            origin = parse_id(name)
        except ScenarioError:
            unknown.append(Fault(number, f"no task has the id {shown(name)}"))
            continue
        if asked is not None and origin not in asked:
            unknown.append(Fault(number, f"the tasks have no id {shown(name)}"))
        elif origin in answers:
            first = first_line[origin]
            duplicates.append(Fault(number, f"{name} was answered at line {first}, which counts"))
        else:
            first_line[origin], answers[origin] = number, text
    if not answers:
        faults = sorted((*malformed, *unknown), key=lambda fault: fault.line)
        why = f", the first, line {faults[0].line}, because {faults[0].what}" if faults else ""
        raise ScenarioError(
            f"answers hold nothing to score: {len(faults):,} line{'s' * (len(faults) != 1)} cannot "
            f"be used{why}; write lines like {EXAMPLE}."
        )
    found = {origin: read_answer(text) for origin, text in answers.items()}
    truth = truths(answers)
    return Scored(
        groups=_groups({origin: found[origin][0] == truth[origin] for origin in answers}, seed),
        unread=tuple(str(origin) for origin, (word, _) in found.items() if word is None),
        several=tuple(str(origin) for origin, (_, many) in found.items() if many),
        malformed=tuple(malformed),
        duplicates=tuple(duplicates),
        unknown=tuple(unknown),
        missing=tuple(str(origin) for origin in asked or () if origin not in answers),
    )


def _asked(tasks: Iterable[bytes]) -> Collection[Origin]:
    asked: dict[Origin, None] = {}
    for number, line in enumerate(tasks, start=1):
        if line.strip():
            try:
                asked[parse_id(_text_of(_object(line), "id"))] = None
            except ValueError as fault:
                raise ScenarioError(
                    f"tasks do not fit at line {number}: {str(fault).rstrip('.')}: "
                    "give the file that make has written."
                ) from None
    return asked


def _fields(line: bytes) -> tuple[str, str]:
    found = _object(line)
    return _text_of(found, "id"), _text_of(found, "answer")


def _object(line: bytes) -> dict[str, object]:
    """Raises ValueError, in words that continue a sentence."""
    try:
        found = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None
    except (ValueError, RecursionError) as error:
        where = f" at column {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
        raise ValueError(f"it is not JSON{where}") from None
    if not isinstance(found, dict):
        raise ValueError("it is JSON but not an object")
    return found


def _text_of(found: dict[str, object], name: str) -> str:
    if name not in found:
        raise ValueError(f"it has no {name}")
    value = found[name]
    if not isinstance(value, str):
        raise ValueError(f"its {name} is {shown(value)} but must be text")
    return value


def _groups(is_right: dict[Origin, bool], seed: int) -> tuple[Group, ...]:
    counts: dict[Recipe, dict[int, list[bool]]] = {}
    for origin, right in is_right.items():
        lengths = counts.setdefault(replace(origin.recipe, statements=1), {})
        lengths.setdefault(origin.recipe.statements, []).append(right)
    return tuple(_group(recipe, lengths, seed) for recipe, lengths in counts.items())


def _group(recipe: Recipe, lengths: dict[int, list[bool]], seed: int) -> Group:
    rows = tuple(
        Length(
            statements=statements, right=sum(answers), trials=len(answers),
            accuracy=wilson(sum(answers), len(answers)),
        )
        for statements, answers in sorted(lengths.items())
    )  # fmt: skip
    curve, no_curve = None, ""
    try:
        curve = fit_curve([Point(at.statements, at.right, at.trials) for at in rows], seed=seed)
    except ScenarioError as refusal:
        no_curve = str(refusal)
    return Group(
        recipe=recipe, lengths=rows, curve=curve, no_curve=no_curve,
        n_stars=_n_stars(curve, seed) if curve else (),
    )  # fmt: skip


def _n_stars(curve: StuffingCurve, seed: int) -> tuple[tuple[float, Estimate], ...]:
    rates: Sequence[float] = sorted({row.rate for row in published().crossovers})
    return tuple(
        (rate, curve.crossing(Estimate(1 - rate, None, None), seed=seed)) for rate in rates
    )
