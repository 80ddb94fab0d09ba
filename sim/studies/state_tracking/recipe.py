"""How programs are made up: how long, of which statements, and how hard the question is."""

from __future__ import annotations

from dataclasses import dataclass

from sim.setting import ScenarioError, plain, shown

GRAMMARS = ("set_only", "mixed")
SET_SHARE, RULE_SHARE, UNSET_SHARE = 0.85, 0.10, 0.05
"""Shares of the statements of the mixed grammar, as published."""
MAX_STATEMENTS = 100_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Recipe:
    """C, T, P and F of the seed, and the grammar.

    Without ``target_rate`` every variable is as likely as any other and so is the query, as in
    the mixed grammar. With it, which only SET-only programs take, the queried variable is written
    T · C times on average, but at least once, and only in the first P · C statements; the others
    write its value of the moment with chance F.
    Raises ScenarioError for settings that make no program.
    """

    statements: int = 1000
    """C: statements before the query."""
    grammar: str = "mixed"
    """``set_only`` or ``mixed``."""
    target_rate: float | None = None
    """T: share of the statements that write the queried variable."""
    last_position: float = 1.0
    """P: share of the statements within which the queried variable is last written."""
    value_reuse: float = 0.0
    """F: share of the other statements that write the value which the queried variable has then.

    Before its first write it has none. Of the rest, one in 16 writes the same by chance.
    """

    def __post_init__(self) -> None:
        count = plain(self.statements)
        whole = isinstance(count, int) and not isinstance(count, bool)
        if not whole or not 1 <= count <= MAX_STATEMENTS:
            raise ScenarioError(
                f"statements is {shown(count)} but must be a whole number from 1 to "
                f"{MAX_STATEMENTS:,}: for example 1000."
            )
        if self.grammar not in GRAMMARS:
            raise ScenarioError(
                f"grammar is {shown(self.grammar)} but must be one of {', '.join(GRAMMARS)}: "
                "for example mixed."
            )
        if self.target_rate is not None:
            _check_share("target_rate", self.target_rate, "0.04")
        _check_share("last_position", self.last_position, "0.5")
        _check_share("value_reuse", self.value_reuse, "0.5", may_be_0=True)
        if self.target_rate is not None and self.grammar != "set_only":
            raise ScenarioError(
                f"target_rate is {self.target_rate} but the mixed grammar writes every variable "
                "alike: leave it out, or take the grammar set_only."
            )
        for name, idle in (("last_position", 1), ("value_reuse", 0)):
            if self.target_rate is None and getattr(self, name) != idle:
                raise ScenarioError(
                    f"{name} is {getattr(self, name)} but needs a target_rate: "
                    "give one, for example 0.04."
                )

    @property
    def prefix(self) -> int:
        """Statements, from the first, among which the queried variable may be written."""
        return max(1, int(self.last_position * self.statements + 1e-9))

    @property
    def rate_in_prefix(self) -> float:
        """Chance of a write there, beside the one that is sure, so that T · C are expected."""
        expected = min(self.prefix, max(1.0, (self.target_rate or 0) * self.statements))
        return (expected - 1) / max(1, self.prefix - 1)


def _check_share(name: str, value: object, example: str, *, may_be_0: bool = False) -> None:
    value = plain(value)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (number and isinstance(value, int | float) and 0 <= value <= 1) or (
        value == 0 and not may_be_0
    ):
        span = "from 0 to 1" if may_be_0 else "above 0 and up to 1"
        raise ScenarioError(
            f"{name} is {shown(value)} but must be a number {span}: for example {example}."
        )
