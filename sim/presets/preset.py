"""A real agent's policy, given for its own window and stretched to any other.

A setting is declared under its own name, or in one of three forms that follow the window:

- ``trigger_tokens``: so many tokens, whatever the window; in a smaller one than its own, the same
  share of it;
- ``trigger_reserve``: all but so many tokens;
- ``keep_recent_tokens_share``: so large a share of the window, in tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from math import ceil
from types import MappingProxyType
from typing import Any

from sim.base import Policy
from sim.entries import Entry
from sim.packs import Agent, Clearing, Disk, Masking
from sim.scenario import Scenario, setting_default, setting_info, setting_names
from sim.setting import ScenarioError, as_kind, check, shown

KEYS = ("name", "version", "source", "evidence", "window", "cannot", "settings")
FULL_SIZE = 100_000
"""Tokens of a policy are meant for its own window, or any larger than this. In a smaller one they
shrink in proportion: there no maker says what they would be, and the whole of them may not fit."""
TRIED_WINDOWS = (32_000, 1_000_000)

_SHRINKING = ("summary_budget", "keep_recent_tokens", "rehydrate_tokens")
_KEPT = (  # of the tasks, and of what is assumed about any agent
    "instruction_required", "tool_cap", "search_share", "edit_share", "read_back_rate",
    "archive_rate", "read_back_tokens",
)  # fmt: skip
_OTHERS = ("summariser_cache", "notes_at", "clear_at_least")
POLICY_SETTINGS = (
    tuple(
        spec.name
        for part in (Policy, Clearing, Masking, Disk, Agent)
        for spec in fields(part)
        if spec.name not in _KEPT
    )
    + _OTHERS
)
"""What a preset decides; what of it a preset does not name has its default."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Preset:
    """A policy that is in use somewhere, as far as the model can express it."""

    id: str
    name: str
    version: str
    """The version or the date that it describes."""
    source: str
    evidence: str
    """One of the words of ``sim.entries.EVIDENCE``."""
    window: int
    """Its own window, in tokens."""
    cannot: str
    """What the model cannot express about it."""
    settings: Mapping[str, Any] = field(hash=False)
    """As declared, before a window is chosen."""

    def settings_at(self, window: int | None = None) -> dict[str, Any]:
        """Flat settings for a window, its own if None: those that it names, and the window.

        Raises ScenarioError for a window that is none.
        """
        window = self.window if window is None else _checked(window)
        full = _full(window, self.window)
        settings: dict[str, Any] = {"window": window}
        for declared, value in self.settings.items():
            name, form = _form_of(declared)
            settings[name] = form(value, window, self.window) if form else value
            if form is _of_tokens and settings[name] < (least := setting_info(name)["bounds"][0]):
                raise ScenarioError(
                    f"window is {window:,} but {self.id} has a {name} of {value:,} tokens, less "
                    f"than {100 * least:g} % of it: give a window of at most "
                    f"{int(value / least):,} tokens, or leave {self.id} out."
                )
            if form is None and name in _SHRINKING:
                settings[name] = max(1, round(value * full))
        return settings

    def shrinking(self) -> dict[str, int]:
        """The declared settings whose tokens shrink in proportion with a small window, and the
        tokens of window below which they do."""
        least = {}
        for declared in self.settings:
            name, form = _form_of(declared)
            if form is _of_tokens:
                least[declared] = self.window
            elif form is _of_reserve or (form is None and name in _SHRINKING):
                least[declared] = min(self.window, FULL_SIZE)
        return least

    def scenario(self, window: int | None = None, base: Scenario | None = None) -> Scenario:
        """This policy on the workload, events, prices and packs of ``base``, or of the defaults.

        Raises ScenarioError for a window in which it cannot be simulated.
        """
        plain = {name: setting_default(name) for name in POLICY_SETTINGS}
        return (base or Scenario()).replace(**{**plain, **self.settings_at(window)})


def _checked(window: int) -> int:
    (spec,) = (spec for spec in fields(Policy) if spec.name == "window")
    window = as_kind(spec, window)
    check(spec, window)
    return window


def _of_tokens(value: float, window: int, own: int) -> float:
    return _short(value / max(window, own), window)


def _of_reserve(value: float, window: int, own: int) -> float:
    return _short((window - value * _full(window, own)) / window, window)


def _short(share: float, window: int) -> float:
    """The fewest digits with which a level is reached at the same token."""
    level = ceil(share * window)
    shorter = (round(share, digits) for digits in range(1, 17))
    return next((short for short in shorter if ceil(short * window) == level), share)


def _of_share(value: float, window: int, own: int) -> int:
    return round(value * window)


def _full(window: int, own: int) -> float:
    """Share of its tokens that a policy has in a window."""
    return min(1.0, window / min(own, FULL_SIZE))


_FORMS: Mapping[str, tuple[Callable[[float, int, int], Any], str]] = MappingProxyType(
    {
        "_tokens": (_of_tokens, "of the window"),
        "_reserve": (_of_reserve, "of the window"),
        "_share": (_of_share, "tokens"),
    }
)
"""How a declared setting ends -> how it follows the window, and the unit it then has."""


def _form_of(declared: str) -> tuple[str, Callable[[float, int, int], Any] | None]:
    """The setting that is declared so, and how it follows the window, if it does."""
    if declared not in setting_names():
        for ending, (form, unit) in _FORMS.items():
            name = declared.removesuffix(ending)
            if name != declared and name in setting_names() and setting_info(name)["unit"] == unit:
                return name, form
    return declared, None


def _window(entry: Entry) -> int:
    window = entry.value("window")
    if isinstance(window, bool) or not isinstance(window, int) or window < 1:
        raise entry.refused(
            f"window is {shown(window)} but must be a whole number of tokens: for example 200_000."
        )
    return window


def parse_preset(entry: Entry) -> Preset:
    """The preset in an entry. Raises EntryError if it cannot be simulated."""
    preset = Preset(
        id=entry.id,
        name=entry.line("name"),
        version=entry.line("version"),
        source=entry.line("source"),
        evidence=entry.evidence(),
        window=_window(entry),
        cannot=entry.line("cannot"),
        settings=MappingProxyType(dict(entry.table("settings"))),
    )
    for declared, value in preset.settings.items():
        name, form = _form_of(declared)
        if name in setting_names() and name not in (*POLICY_SETTINGS, "tool_cap"):
            raise entry.refused(
                f"settings.{name} belongs to the tasks, not to a policy: leave it out."
            )
        is_stretched = form is not None or name in _SHRINKING
        if is_stretched and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise entry.refused(
                f"settings.{declared} is {shown(value)} but must be a number: for example 0.8."
            )
    cached = Scenario().replace(caching=True)  # with a cache more settings contradict each other
    try:
        for window in (preset.window, *TRIED_WINDOWS):
            preset.scenario(window, cached)
    except ScenarioError as error:
        raise entry.refused(f"settings: {error}") from None
    return preset
