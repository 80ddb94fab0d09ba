"""The policies of real agents: one to choose, and all of them on the shown tasks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lab.session import Session
from sim import Estimate, Scenario, ScenarioError, compare, simulate_outcome
from sim.presets import PRESETS, REFERENCE, Preset
from sim.presets.preset import POLICY_SETTINGS
from sim.profiles import PROFILES, Profile, profile_named

SORTED_BY = ("name", "success", "cost", "needed_lost", "compactions")


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Row:
    """What a preset gave: its tiles, and its paired differences from the lab's default."""

    preset: Preset
    tiles: dict[str, Estimate]
    difference: dict[str, Estimate]


class Agents:
    """What of the real agents is chosen and compared. ``update`` drops what is out of date."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.chosen: Preset | None = None
        self.named, self.matching = "", list[Preset]()
        """What was last typed to choose one, and all that it fits."""
        self.at_own_window = False
        self.rows: list[Row] = []
        self.refused: list[Preset] = []
        """Those that cannot be simulated here: their window is too small for these tasks."""
        self.state = "idle"
        """``idle``, ``running``, ``done`` or ``cancelled``."""
        self.sorted_by, self.is_falling = "success", True
        self._token = 0
        self._base = session.run.scenario
        """What the compared agents were put into; of its own policy nothing counts."""
        self._compared: Any = None
        self._loaded: Scenario | None = None

    def choose(self, text: str) -> None:
        """Choose a preset by its id, its name, or a part of it that no other name has.

        Nothing is chosen if there is none, or several: ``named`` and ``matching`` say so.
        """
        self.named, wanted = text.strip(), text.strip().casefold()
        names = {preset: (preset.id, preset.name.casefold()) for preset in PRESETS.values()}
        self.matching = [preset for preset, own in names.items() if wanted in own] or [
            preset for preset, (_, name) in names.items() if wanted and wanted in name
        ]
        self.chosen = self.matching[0] if len(self.matching) == 1 else None

    def settings(self) -> dict[str, Any]:
        """Every setting with the chosen preset's policy in force.

        Raises ScenarioError if none is chosen, or if it cannot be simulated here.
        """
        if self.chosen is None:
            raise ScenarioError("No agent is chosen: choose one from the list first.")
        self._loaded = self._scenario(self.chosen)
        return self._loaded.all_settings()

    def profile(self, name: str) -> dict[str, Any]:
        """Every setting with these tasks. Raises ScenarioError for an unknown workload."""
        return profile_named(name).scenario(self.session.run.scenario).all_settings()

    @property
    def profile_in_force(self) -> str:
        """The id of the workload whose tasks are shown; empty if they are none's."""
        return next((id for id, profile in PROFILES.items() if self._has(profile)), "")

    def _has(self, profile: Profile) -> bool:
        now = self.session.run.scenario
        try:
            return profile.scenario(now) == now
        except ScenarioError:  # it does not go together with what else is set
            return False

    def sort(self, key: str) -> None:
        """Sort by a column; by the same again, the other way round."""
        if key not in SORTED_BY:
            raise ValueError(f"{key!r} is not a column: use {', '.join(SORTED_BY)}")
        again = key == self.sorted_by
        self.is_falling = not self.is_falling if again else key in ("success", "compactions")
        self.sorted_by = key

    def in_order(self) -> list[Row]:
        """The rows as they are sorted."""

        def rank(row: Row) -> Any:
            if self.sorted_by == "name":
                return row.preset.name.casefold()
            return row.tiles[self.sorted_by].value

        return sorted(self.rows, key=rank, reverse=self.is_falling)

    def update(self) -> None:
        """Forget a comparison that is of other tasks, prices or packs than those shown."""
        if self.state != "idle" and self._compared != self._key():
            self._token += 1
            self.state, self.rows, self.refused = "idle", [], []
            self._loaded = None

    def cancel(self) -> None:
        """Stop comparing; what is done stays."""
        self._token += 1
        if self.state == "running":
            self.state = "cancelled"

    async def compare(self, progress: Callable[[], None]) -> None:
        """Run every preset on the shown tasks, calling ``progress`` after each.

        It yields to other work after every run, and stops if cancelled or out of date.
        """
        self.cancel()
        token, run, beat = self._token, self.session.run, self.session.runs.beat
        self.state, self.rows, self.refused = "running", [], []
        self._base, self._loaded = run.scenario, None
        self._compared = self._key()
        progress()
        tasks = self.session.runs.drawn(self._base, seed=run.seed, tasks=len(run))
        reference = None
        for preset in sorted(PRESETS.values(), key=lambda each: each.id != REFERENCE):
            await asyncio.sleep(0)
            if token != self._token:
                progress()
                return
            try:
                scenario = self._scenario(preset)
            except ScenarioError:
                self.refused.append(preset)
                continue
            found = simulate_outcome(scenario, seed=run.seed, tasks=tasks, on_round=beat)
            reference = reference or found
            self.rows.append(
                Row(preset=preset, tiles=found.tiles, difference=compare(reference, found))
            )
            progress()
        self.state = "done"
        progress()

    def _scenario(self, preset: Preset) -> Scenario:
        base = self.session.run.scenario if self.state == "idle" else self._base
        return preset.scenario(None if self.at_own_window else base.policy.window, base)

    def _key(self) -> Any:
        """What a comparison depends on: all but the policy that is set at present."""
        run = self.session.run
        # An agent may bring its own cap on tool results; loaded, it is no other tasks for that.
        now = self._base if run.scenario == self._loaded else run.scenario
        window = None if self.at_own_window else now.policy.window
        settings = now.all_settings().items()
        others = tuple(value for name, value in settings if name not in POLICY_SETTINGS)
        return window, others, run.seed, len(run)
