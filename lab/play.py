"""Missions as they are played: which one, how far, and what is locked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lab.progress import Best, Progress
from lab.session import Session
from lab.text import text
from missions import Goal, Mission, Verdict, changed, further_seeds, judge, load
from sim import EVENTS, Outcome, Scenario, ScenarioError, compare, is_base, setting_default

GUESSES = ("up", "down", "same")


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What a predicted tile did at the first change."""

    guess: str
    way: str
    before: float
    after: float


class Play:
    """The mission card's state. In free play a mission is only shown; loaded, it locks controls."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.progress = Progress()
        self.missions = load()
        self.shown: Mission = self.missions[0]
        self.is_loaded = False
        self.unlocked_here = False
        """Everything is open in this sitting, which the progress does not remember."""
        self.solved_now = False
        self._packs_before: dict[str, Any] = {}
        self._linked_events: set[str] = set()
        self._begin()

    def _begin(self) -> None:
        self.hints = 0
        self.guess: str | None = None
        self.answer: Answer | None = None
        self._verdict: Verdict | None = None
        self._judged: Any = None
        self.solved_now = False

    # --- choosing ----------------------------------------------------------------------------

    def state_of(self, mission: Mission) -> str:
        """``solved``, ``open`` or ``locked``: they unlock in order."""
        if mission.id in self.progress.solved:
            return "solved"
        index = self.missions.index(mission)
        before = self.missions[index - 1].id if index else None
        is_open = self.is_unlocked or before is None or before in self.progress.solved
        return "open" if is_open else "locked"

    @property
    def is_unlocked(self) -> bool:
        """Whether nothing waits for a mission to be solved."""
        return self.progress.unlocked or self.unlocked_here

    def show_first_unsolved(self) -> None:
        """Show what comes next, unless a mission is being played."""
        if not self.is_loaded:
            unsolved = (m for m in self.missions if m.id not in self.progress.solved)
            self.shown = next(unsolved, self.missions[-1])
            self._begin()

    def show(self, mission_id: str) -> None:
        """Show a mission without loading it. Raises ScenarioError for a locked one, or none."""
        mission = find(mission_id)
        if self.state_of(mission) == "locked":
            before = self.missions[self.missions.index(mission) - 1]
            raise ScenarioError(
                f"{mission.title} is locked: solve {before.title} first, or unlock everything."
            )
        self.leave()
        self.shown = mission

    def load(self) -> None:
        """Load the shown mission's broken setup, as the baseline too."""
        mission, state = self.shown, self.session.state
        if not self.is_loaded:
            self._packs_before = _packs_moved(state.settings())
        state.param.update(**mission.settings(), seed=mission.seed, tasks=mission.tasks, task=0)
        self.session.baseline_settings = mission.settings()
        self.is_loaded = True
        self._begin()

    def enter(self, mission: Mission | None) -> None:
        """Play a mission, or none, whose settings come from elsewhere: a link, a dead worker."""
        if mission is not None and (mission is not self.shown or not self.is_loaded):
            self.shown = mission
            self._begin()
        self.is_loaded = mission is not None

    def leave(self) -> None:
        """Go on in free play. The settings stay, with the packs that the mission had put away.

        The baseline gets them too: what is compared with it is what is done in free play.
        """
        if self.is_loaded:
            self.session.state.param.update(**self._packs_before)
            baseline = self.session.baseline_settings
            self.session.baseline_settings = {**baseline, **self._packs_before}
        self._packs_before = {}
        self.is_loaded = False
        self._begin()

    @property
    def mission(self) -> Mission | None:
        """The mission that is played, if one is."""
        return self.shown if self.is_loaded else None

    @property
    def next(self) -> Mission | None:
        """The mission after the shown one."""
        index = self.missions.index(self.shown) + 1
        return self.missions[index] if index < len(self.missions) else None

    # --- what is locked ------------------------------------------------------------------------

    def locks(self) -> dict[str, str]:
        """Why a control is locked, for each that is."""
        words, settings = text()["locks"], self.session.state.settings()
        if self.is_loaded:
            return {
                name: words["mission"]
                for name in (*settings, "tasks")
                if not self.shown.is_open(name)
            }
        missing = {
            mission.introduces: mission
            for mission in self.missions
            if mission.introduces and mission.id not in self.progress.solved
        }
        if self.is_unlocked:
            return {}
        return {
            event: words["event"].format(
                number=self.missions.index(missing[event]) + 1, title=missing[event].title
            )
            for event in EVENTS
            if event in missing and not settings[event] and event not in self._linked_events
        }

    def allow_events(self) -> None:
        """What a link has switched on may be switched off and on again."""
        self._linked_events |= {e for e in EVENTS if getattr(self.session.state, e)}

    # --- playing -----------------------------------------------------------------------------

    def hint(self) -> None:
        """Show one more hint."""
        self.hints = min(self.hints + 1, len(self.shown.hints))

    def predict(self, guess: str) -> None:
        """Say, before the first change, where the first goal's tile will go."""
        if guess not in GUESSES:
            raise ValueError(f"{guess!r} is not a guess: use {', '.join(GUESSES)}")
        if self.may_predict:
            self.guess = guess

    @property
    def may_predict(self) -> bool:
        """Whether nothing has been changed yet."""
        return self.is_loaded and self.answer is None and not self._is_changed()

    def update(self) -> None:
        """Answer the prediction, once something has changed."""
        if self.is_loaded and self.guess and self.answer is None and self._is_changed():
            self.answer = self._answered(self.guess, self.shown.goals[0])

    def check(self) -> None:
        """Judge the shown run and, if it wins, the same settings on three further seeds."""
        if not self.is_loaded or self.session.error or self.is_tampered:
            return
        mission, run = self.shown, self.session.run
        runs = [run]
        if all(goal.met(run) for goal in mission.goals):
            runs += [self.session.run_on(seed) for seed in further_seeds(run.seed)]
        self._verdict, self._judged = judge(mission, runs), _told(run)
        self.solved_now = self._verdict.state == "solved"
        if self.solved_now:
            own = run if run.seed == mission.seed else self.session.run_on(mission.seed)
            best = Best(
                cost=own.tiles["cost"].value,
                changed=changed(mission, run.scenario.all_settings()),
            )
            self.progress = self.progress.with_solution(mission.id, best)

    @property
    def verdict(self) -> Verdict | None:
        """The judge's answer, as long as what it judged is what is shown."""
        return self._verdict if self._judged == _told(self.session.run) else None

    @property
    def is_tampered(self) -> bool:
        """Whether something locked is not as the mission has it: a visited setting may do that."""
        run, mission = self.session.run, self.shown
        return bool(mission.breaches(run.scenario.all_settings())) or len(run) != mission.tasks

    def _is_changed(self) -> bool:
        return self.session.run.scenario.all_settings() != self.shown.settings()

    def _answered(self, guess: str, goal: Goal) -> Answer:
        run = self.session.run
        start = self.session.outcome_of(self.shown.settings())
        difference = compare(start, run)[goal.key]
        half = 0.0 if difference.high is None else difference.high - difference.value
        is_clear = abs(difference.value) > half
        way = "same" if not is_clear else "up" if difference.value > 0 else "down"
        return Answer(guess=guess, way=way, before=goal.value(start), after=goal.value(run))


def _told(run: Outcome) -> tuple[Scenario, int, int]:
    """What tells a run from others; the run itself may be forgotten, and be simulated again."""
    return (run.scenario, run.seed, len(run))


def _packs_moved(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of packs that differ from their defaults."""
    return {n: v for n, v in settings.items() if not is_base(n) and v != setting_default(n)}


def find(mission_id: str) -> Mission:
    """The mission of an id. Raises ScenarioError if there is none."""
    for mission in load():
        if mission.id == mission_id:
            return mission
    known = ", ".join(mission.id for mission in load())
    raise ScenarioError(f"mission is {mission_id[:40]!r} but must be one of {known}.")
