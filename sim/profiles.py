"""Workloads by name: what kind of tasks, with the source of each number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from sim.base import Workload
from sim.entries import Entry, read_entries
from sim.scenario import Scenario, setting_default
from sim.setting import ScenarioError, check_name

KEYS = ("name", "source", "evidence", "cannot", "settings")
TASK_SETTINGS = (*(spec.name for spec in fields(Workload)), "tool_cap")
"""What a profile decides; what of it a profile does not name has its default."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Profile:
    """A workload as a handful of settings; any of them can be changed after it."""

    id: str
    name: str
    source: str
    evidence: str
    """One of the words of ``sim.entries.EVIDENCE``."""
    cannot: str
    """What of such tasks the model leaves out."""
    settings: Mapping[str, Any] = field(hash=False)

    def scenario(self, base: Scenario | None = None) -> Scenario:
        """These tasks under the policy, events, prices and packs of ``base``, or the defaults."""
        plain = {name: setting_default(name) for name in TASK_SETTINGS}
        return (base or Scenario()).replace(**{**plain, **self.settings})


def parse_profiles(text: str, file: str = "profiles.toml") -> Mapping[str, Profile]:
    """The profiles in a TOML text, by id. Raises EntryError."""
    return MappingProxyType({entry.id: _parse(entry) for entry in read_entries(text, file, KEYS)})


def _parse(entry: Entry) -> Profile:
    profile = Profile(
        id=entry.id,
        name=entry.line("name"),
        source=entry.line("source"),
        evidence=entry.evidence(),
        cannot=entry.line("cannot"),
        settings=MappingProxyType(dict(entry.table("settings"))),
    )
    try:
        profile.scenario()
    except ScenarioError as error:
        raise entry.refused(f"settings: {error}") from None
    return profile


PROFILES: Mapping[str, Profile] = parse_profiles(
    files(__package__).joinpath("profiles.toml").read_text(encoding="utf-8")
)


def profile_named(name: str) -> Profile:
    """The profile with this id. Raises ScenarioError if there is none."""
    check_name(name, PROFILES, "workload")
    return PROFILES[name]
