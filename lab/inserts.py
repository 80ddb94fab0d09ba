"""What stands between double braces in the article: numbers and claims that are calculated.

::

    {{success truncating window=32000 | of 100}}          one number
    {{compare success default -> notes | points more}}    a difference, and which way it goes
    {{claim: more than halves | success notes -> default}}  the words, if they are true
    {{check: rises | cost default -> notes}}              nothing, if it is true
    {{setting window small}}                              a value of a setting

A setting is a row of names from the article's head and of ``field=value``, the later ones over the
earlier; the settings of a comparison are joined by ``->``. Nothing is evaluated but this.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from lab import claims
from lab.claims import ClaimError
from lab.state import DEFAULTS
from lab.text import controls, dollars, number, percent, setting
from sim import (
    DETAILS,
    TILES,
    Run,
    Scenario,
    ScenarioError,
    compare,
    draw_key,
    draw_tasks,
    parse_setting,
    simulate,
)

INSERT = re.compile(r"\{\{(.*?)\}\}")
SHARES = ("success", "needed_lost", "instruction_lost", "failed", "lost_in_summaries")


def _lost_in_summaries(run: Run) -> float:
    """Share of the needed facts that summaries dropped."""
    lost = sum(count for (cause, _), count in run.causes.items() if cause == "summarised")
    return lost / max(int(run.needed.sum()), 1)


MEASURES: dict[str, Callable[[Run], float]] = {
    **{key: lambda run, key=key: run.tiles[key].value for key in (*TILES, *DETAILS)},
    "lost_in_summaries": _lost_in_summaries,
}
"""What can be said of a run. Only the tiles and details are estimates that can be compared."""
FORMATS: dict[str, Callable[[float], str]] = {
    "percent": lambda value: percent(value, 0),
    "of 100": lambda value: f"{number(100 * value)} of 100",
    "dollars": dollars,
    "count": lambda value: number(value, 1),
    "number": number,
    "word": lambda value: claims.NUMBERS[int(value)],
}
AMOUNTS: dict[str, Callable[[float, float], str]] = {
    "points": lambda a, b: f"{number(100 * abs(b - a))} points",
    "dollars": lambda a, b: dollars(abs(b - a)),
    "percent": lambda a, b: percent(abs(b - a) / a, 0),
}
"""How the size of a change is written; the word after it says the direction, and is a claim."""


class ArticleError(ValueError):
    """The article cannot be made: file, line, what is wrong and what to do, in one sentence."""


class Inserts:
    """Fills in the inserts of a text. Every setting is simulated once, on tasks drawn once."""

    def __init__(self, named: Mapping[str, str], *, seed: int = 1, tasks: int = 400) -> None:
        self.seed = seed
        self.tasks = tasks
        self._named: dict[str, dict[str, Any]] = {}
        for name, words in named.items():  # one may use those before it, so none uses itself
            try:
                self._named[name] = self.settings(words.split())
            except (ArticleError, ScenarioError) as error:
                raise ArticleError(f"article.md, its setting {name}: {error}") from None
        self._runs: dict[Scenario, Run] = {}
        self._drawn: dict[Any, Any] = {}

    def fill(self, source: str, line: int = 1) -> str:
        """The text with its inserts replaced; its first line is the file's ``line``.

        Raises ArticleError for a claim that does not hold and for an insert that cannot be read.
        """
        filled = []
        for count, text in enumerate(source.split("\n"), line):
            try:
                filled.append(INSERT.sub(lambda found: self._written(found[1]), text))
                if "{{" in filled[-1] or "}}" in filled[-1]:
                    raise ArticleError("an insert has no end: write {{…}} on one line.")
            except (ArticleError, ClaimError, ScenarioError) as error:
                raise ArticleError(f"article.md, line {count}: {error}") from None
        return "\n".join(filled)

    def settings(self, words: Iterable[str]) -> dict[str, Any]:
        """Flat settings from names of the head and ``field=value``."""
        settings: dict[str, Any] = {}
        for word in words:
            name, equals, value = word.partition("=")
            if equals:
                settings[name] = parse_setting(name, value)
            elif name in self._named:
                settings |= self._named[name]
            else:
                raise ArticleError(f"{name} is not a setting's name: {_hint(name, self._named)}")
        return settings

    def _written(self, insert: str) -> str:
        head, *tail = (part.strip() for part in insert.split("|"))
        kind, *rest = words = head.split() or [""]
        if kind in ("claim:", "check:"):
            self._hold(" ".join(rest), _only(tail, "what the claim is about"))
            return " ".join(rest) if kind == "claim:" else ""
        if kind == "compare":
            text = self._comparison(rest, _only(tail, "how to write it, such as points more"))
        elif kind == "setting":
            text = self._setting(rest, *tail)
        else:
            text = self._number(words, *tail)
        return re.sub(r"(?<=\d) ", "\u00a0", text)  # a number keeps its unit on its line

    def _number(self, words: Sequence[str], form: str | None = None) -> str:
        measure, runs = self._series(words)
        if len(runs) > 1:
            raise ArticleError(f"{measure} is asked of several settings: begin with compare.")
        if form is None:
            return _shown(measure, runs[0])
        return _formatted(MEASURES[measure](runs[0]), form)

    def _comparison(self, words: Sequence[str], form: str) -> str:
        measure, runs = self._series(words)
        if len(runs) != 2:
            raise ArticleError(f"{len(runs)} settings are compared: give two, joined by ->.")
        a, b = map(MEASURES[measure], runs)
        unit, _, direction = form.partition(" ")
        write = _chosen(AMOUNTS, unit, "a unit")
        self._require(direction, measure, runs)
        if unit == "percent" and a == 0:
            raise ArticleError(f"{measure} is 0 at first, and nothing is a percentage of that.")
        return f"{write(a, b)} {direction}"

    def _setting(self, words: Sequence[str], form: str | None = None) -> str:
        name, *rest = words or [""]
        _chosen(DEFAULTS, name, "a setting")
        value = Scenario.from_dict(self.settings(rest)).value(name)
        if form is not None:
            return _formatted(value, form)
        control = controls()[name]
        return percent(value, 0) if control.unit == "share" else setting(control, value)

    def _hold(self, words: str, about: str) -> None:
        self._require(words, *self._series(about.split()))

    def _require(self, words: str, measure: str, runs: Sequence[Run]) -> None:
        results = claims.Results(
            values=tuple(map(MEASURES[measure], runs)),
            changes=tuple(compare(before, after)[measure] for before, after in pairwise(runs)),
        )
        if not claims.holds(words, results):
            numbers = ", then ".join(_shown(measure, run, 1) for run in runs)
            raise ArticleError(
                f"the claim “{words}” does not hold, since {measure} is {numbers}: "
                "correct the words, or the settings they are about."
            )

    def _series(self, words: Sequence[str]) -> tuple[str, list[Run]]:
        """A measure, and the runs of the settings that follow it."""
        measure, *rest = words or [""]
        _chosen(MEASURES, measure, "a measure")
        groups: list[list[str]] = [[]]
        for word in rest:
            if word == "->":
                groups.append([])
            else:
                groups[-1].append(word)
        if [] in groups:
            raise ArticleError(f"{measure} is asked of no setting: name one, such as default.")
        if len(groups) > 1 and measure not in TILES + DETAILS:
            raise ArticleError(f"{measure} cannot be compared: only tiles and details can.")
        return measure, [self._run(group) for group in groups]

    def _run(self, words: Iterable[str]) -> Run:
        scenario = Scenario.from_dict(self.settings(words))
        if scenario not in self._runs:
            key = draw_key(scenario.workload, scenario.events)
            if key not in self._drawn:
                self._drawn[key] = draw_tasks(
                    scenario.workload, scenario.events, seed=self.seed, tasks=self.tasks
                )
            self._runs[scenario] = simulate(scenario, seed=self.seed, tasks=self._drawn[key])
        return self._runs[scenario]


def _formatted(value: Any, form: str) -> str:
    write = _chosen(FORMATS, form, "a format")
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or (form == "word" and value not in range(len(claims.NUMBERS))):
        kind = "a whole number from 0 to ten" if form == "word" else "a number"
        raise ArticleError(f"{value} cannot be written as {form}: that is for {kind}.")
    return write(value)


def _shown(measure: str, run: Run, digits: int = 0) -> str:
    value = MEASURES[measure](run)
    if measure in SHARES:
        return percent(value, digits)
    if measure == "cost":
        return dollars(value)
    return number(value, 0 if measure in ("p95_peak", "final_context") else 1)


def _only(parts: Sequence[str], what: str) -> str:
    if len(parts) != 1:
        raise ArticleError(f"a | is missing, or there is one too many: after it comes {what}.")
    return parts[0]


def _chosen(options: Mapping[str, Any], name: str, what: str) -> Any:
    if name not in options:
        raise ArticleError(f"{name or 'nothing'} is not {what}: {_hint(name, options)}")
    return options[name]


def _hint(name: str, options: Iterable[str]) -> str:
    if not (names := list(options)):
        return "there is none yet, so write field=value."
    close = difflib.get_close_matches(name, names, n=1)
    return f"did you mean {close[0]}?" if close else f"use one of {', '.join(names)}."
