"""What is set in the tab, as a value, as the inputs of the page have it, and in a link."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

from lab.controls import written
from lab.share import OF_THE_TAB as PREFIX
from lab.state import MAX_SEED
from sim import ScenarioError, shown
from sim.setting import as_kind, check, choice, from_text, number
from sim.studies.state_tracking import GRAMMARS, ORACLE, Compressor, Recipe, drop, substitute

COMPRESSORS = ("drop", "substitute", "oracle")
MOST_PASTED = 2000
"""Characters of a pasted table: what an address can hold."""
MAX_PROGRAM = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """The settings of the tab; the shares are from 0 to 1."""

    grammar: str = choice("set_only", GRAMMARS, "Statements of the programs.")
    statements: int = number(500, 1, 10_000, "statements", "C, the length of the context.")
    target_rate: float = number(
        0.04, 0.001, 1, "", "T, the share of statements that write the queried variable."
    )
    last_position: float = number(1.0, 0.01, 1, "", "P, the share within which the last is.")
    value_reuse: float = number(
        0.0, 0, 1, "", "F, the share of other statements that write the queried variable's value."
    )
    compressor: str = choice("drop", COMPRESSORS, "What happens to the entries of the state.")
    rate: float = number(0.2, 0, 1, "", "Chance that it happens to an entry.")
    compressed: float = number(
        1.0, 0, 1, "", "Z, the share of the statements that the state stands for."
    )
    seed: int = number(1, 0, MAX_SEED, "", "Seed of the programs and of what they lose.")
    program: int = number(1, 1, MAX_PROGRAM, "", "Which of the seed's programs is shown.")
    curve: str = ""
    """The pasted table of another model, in rows; empty for the published curve."""

    def __post_init__(self) -> None:
        for spec in fields(self):
            if spec.metadata:
                value = as_kind(spec, getattr(self, spec.name))
                check(spec, value)
                object.__setattr__(self, spec.name, value)
        if not isinstance(self.curve, str) or len(self.curve) > MOST_PASTED:
            raise ScenarioError(
                f"curve is too long but must have at most {MOST_PASTED:,} characters: "
                "leave out some rows."
            )

    @property
    def recipe(self) -> Recipe:
        """How the programs are made up: T, P and F are those of SET-only programs."""
        if self.grammar == "mixed":
            return Recipe(statements=self.statements)
        return Recipe(
            statements=self.statements,
            grammar=self.grammar,
            target_rate=self.target_rate,
            last_position=self.last_position,
            value_reuse=self.value_reuse,
        )

    @property
    def lossy(self) -> Compressor:
        """The compressor at its rate."""
        losses = {"drop": drop, "substitute": substitute}
        return losses[self.compressor](self.rate) if self.compressor in losses else ORACLE

    def values(self) -> dict[str, Any]:
        """Every setting by its name, for the inputs of the page."""
        return {spec.name: getattr(self, spec.name) for spec in fields(self)}


def from_values(values: Mapping[str, Any]) -> Settings:
    """The settings that the page's inputs stand at, numbers that were typed as texts.

    Raises ScenarioError for a bad one, and ValueError for an unknown name.
    """
    specs = {spec.name: spec for spec in fields(Settings)}
    if unknown := set(values) - set(specs):
        raise ValueError(f"{min(unknown)!r} is not a setting of the tab")
    return Settings(**{name: _read(specs[name], value) for name, value in values.items()})


def _read(spec: Any, value: Any) -> Any:
    if isinstance(value, str) and not isinstance(spec.default, str):
        return from_text(spec, value.replace(",", ""))
    return value


def to_query(settings: Settings) -> str:
    """What of a link belongs to the tab: all that differs from the defaults."""
    start = Settings()
    parts = {
        PREFIX + name: value if isinstance(value, str) else written(value)
        for name, value in settings.values().items()
        if value != getattr(start, name)
    }
    return urlencode(parts)


def from_query(query: str) -> tuple[Settings, tuple[str, ...]]:
    """The settings of a link, and a sentence for each part that could not be taken."""
    settings, ignored = Settings(), []
    specs = {spec.name: spec for spec in fields(Settings)}
    for part, text in parse_qsl(query.removeprefix("?"), keep_blank_values=True):
        if not part.startswith(PREFIX):
            continue
        name = part.removeprefix(PREFIX)
        try:
            if name not in specs:
                raise ScenarioError(f"{shown(part)} is no setting of this tab.")
            settings = replace(settings, **{name: _read(specs[name], text)})
        except ScenarioError as error:
            ignored.append(str(error))
    return settings, tuple(ignored)
