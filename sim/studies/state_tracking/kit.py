"""The evaluation kit: programs to ask a real model, each with an id that gives its truth.

An id, like ``mixed-c1000-s1-i7`` or ``set_only-c500-t0.04-p1.0-f0.0-s1-i7``, holds all that a
program is drawn from: grammar, C, T, P, F, seed and number. So the truth need not be kept: it is
drawn and executed again when the answers are scored, and an id that was tampered with is unknown.
The tasks carry it all the same, for those who look; what a model is given is the ``prompt`` alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from sim.setting import ScenarioError, plain, shown
from sim.studies.state_tracking.generator import Programs, draw_program_blocks
from sim.studies.state_tracking.interpreter import answer
from sim.studies.state_tracking.language import Program
from sim.studies.state_tracking.prompt import UNSET_ANSWER, estimated_tokens, render
from sim.studies.state_tracking.recipe import Recipe

MAX_TASKS = 100_000
"""Of one length: an id with a higher number is none."""
_REAL = r"(\d+\.\d+(?:e-\d+)?|\d+e-\d+)"
_ID = re.compile(
    rf"(mixed|set_only)-c(\d{{1,6}})(?:-t{_REAL}-p{_REAL}-f{_REAL})?-s(\d{{1,20}})-i(\d{{1,6}})"
)


@dataclass(frozen=True, slots=True)
class Origin:
    """What a program is drawn from; as text, its id."""

    recipe: Recipe
    seed: int
    index: int

    def __str__(self) -> str:
        recipe, target = self.recipe, ""
        if recipe.target_rate is not None:
            shares = (recipe.target_rate, recipe.last_position, recipe.value_reuse)
            target = "-t{!r}-p{!r}-f{!r}".format(*map(float, shares))
        return f"{recipe.grammar}-c{recipe.statements}{target}-s{self.seed}-i{self.index}"


def parse_id(text: str) -> Origin:
    """The origin of an id. Raises ScenarioError if no task has it."""
    found = _ID.fullmatch(text)
    if found:
        grammar, statements, *shares, seed, index = found.groups()
        settings: dict[str, Any] = {"grammar": grammar, "statements": int(statements)}
        if shares[0]:
            names = ("target_rate", "last_position", "value_reuse")
            settings |= dict(zip(names, map(float, shares), strict=True))
        try:
            origin = Origin(Recipe(**settings), int(seed), int(index))
        except ScenarioError:
            pass
        else:
            if str(origin) == text and origin.index < MAX_TASKS and origin.seed < 2**64:
                return origin
    raise ScenarioError(
        f"id is {shown(text)} but must be one that make has written: copy it from the task."
    )


def make_tasks(
    recipe: Recipe, *, lengths: Sequence[int], n: int, seed: int
) -> Iterator[dict[str, Any]]:
    """``n`` tasks at each length, as JSON holds them: id, settings, tokens, prompt and truth.

    Raises ScenarioError, at once, for a bad seed, number of tasks or length.
    """
    count = plain(n)
    if not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= MAX_TASKS:
        raise ScenarioError(
            f"n is {shown(count)} but must be a whole number from 1 to {MAX_TASKS:,}: "
            "for example 100."
        )
    recipes = [replace(recipe, statements=length) for length in dict.fromkeys(lengths)]
    blocks = [draw_program_blocks(recipe, seed=seed, programs=count) for recipe in recipes]
    return _tasks(blocks)


def _tasks(sources: Iterable[Iterator[Programs]]) -> Iterator[dict[str, Any]]:
    for blocks in sources:
        for origin, programs, row in _numbered(blocks):
            program, settings = programs.program(row), asdict(origin.recipe)
            yield {
                "id": str(origin),
                "settings": settings | {"seed": origin.seed},
                "tokens": estimated_tokens(str(program)),
                "prompt": render(program),
                "truth": _truth(program),
            }


def truths(origins: Iterable[Origin]) -> dict[Origin, str]:
    """The right answer to each: a colour, or ``unset``."""
    wanted: dict[tuple[Recipe, int], set[Origin]] = {}
    for origin in origins:
        wanted.setdefault((origin.recipe, origin.seed), set()).add(origin)
    found = {}
    for (recipe, seed), group in wanted.items():
        n = max(origin.index for origin in group) + 1
        for origin, programs, row in _numbered(draw_program_blocks(recipe, seed=seed, programs=n)):
            if origin in group:
                found[origin] = _truth(programs.program(row))
    return found


def _numbered(blocks: Iterable[Programs]) -> Iterator[tuple[Origin, Programs, int]]:
    """Each program's origin, and where it is: its block and its row there."""
    index = 0
    for programs in blocks:
        for row in range(len(programs)):
            yield Origin(programs.recipe, programs.seed, index), programs, row
            index += 1


def _truth(program: Program) -> str:
    return answer(program) or UNSET_ANSWER
