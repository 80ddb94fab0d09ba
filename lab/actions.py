"""What the page can ask of the lab, by name. Each takes the lab and the value that came with it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from lab import export
from lab.play import find
from lab.progress import Progress, ProgressError
from lab.snippet import snippet
from lab.text import controls
from sim import ScenarioError, card_settings

if TYPE_CHECKING:
    from lab.app import Lab


def act(lab: Lab, name: str, value: Any) -> None:
    """Do what is asked. Raises ValueError for an unknown action.

    What the reader has got wrong becomes a notice on the page.
    """
    if name not in ACTIONS:
        raise ValueError(f"{name!r} is not an action of the lab")
    try:
        ACTIONS[name](lab, value)
    except (ScenarioError, ProgressError) as error:
        lab.reply(notice=str(error))


def _use(lab: Lab, settings: Mapping[str, Any]) -> None:
    """Take settings all at once. Raises ScenarioError if a mission locks one that would change."""
    now, locks = lab.state.settings(), lab.play.locks() if lab.play.is_loaded else {}
    for name, value in settings.items():
        if name in locks and now[name] != value:
            raise ScenarioError(
                f"“{controls()[name].label}” is locked in this mission: "
                "leave the mission to set it."
            )
    lab.controls.forget_errors()
    lab.state.param.update(**settings)


def _load_preset(lab: Lab, name: str) -> None:
    lab.agents.choose(name)
    _use(lab, lab.agents.settings())


def _preset_window(lab: Lab, which: str) -> None:
    lab.agents.at_own_window = which == "own"


def _compare_presets(lab: Lab, _: Any) -> None:
    lab.session.update()
    lab.ranking = asyncio.ensure_future(lab.agents.compare(lab.send_update))


def _export(lab: Lab, what: str) -> None:
    session = lab.session
    if what == "agents":
        made = export.agents_csv(lab.agents)
    else:
        made = export.run_json(session) if what == "run" else export.table_csv(session, what)
    lab.reply(file=asdict(made))


def _code(lab: Lab, _: Any) -> None:
    code = {"python": export.as_python(lab.session), "command": export.as_command(lab.session)}
    lab.reply(code=code)


def _snippet(lab: Lab, base: str) -> None:
    session = lab.session
    lab.reply(snippet=snippet(session.run, session.timeline, lab.query, base))


def _check_seeds(lab: Lab, _: Any) -> None:
    lab.session.update()
    lab.seed_check = asyncio.ensure_future(lab.session.check_seeds(lab.send_update))


def _resume(lab: Lab, memory: dict[str, Any]) -> None:
    """Take over from a lab whose worker has died."""
    mission = memory.pop("mission", "")
    lab.resume(**memory)
    if mission:
        lab.play.enter(find(mission))


def _next_mission(lab: Lab, _: Any) -> None:
    if lab.play.next:
        lab.play.show(lab.play.next.id)
        lab.play.load()


def _check_mission(lab: Lab, _: Any) -> None:
    lab.play.check()
    if lab.play.solved_now:
        lab.reply(progress=lab.play.progress.to_json(), celebrate=True)


def _progress(lab: Lab, kept: str) -> None:
    """What the browser has kept, here or in another tab of the lab.

    Where less is kept than is known here, two tabs have written at once: it is kept again.
    """
    try:
        told = Progress.from_json(kept)
    except ProgressError as error:
        raise ProgressError(f"What this browser has kept cannot be used. {error}") from None
    lab.play.progress = lab.play.progress.merged(told)
    lab.play.show_first_unsolved()
    if lab.play.progress != told:
        lab.reply(progress=lab.play.progress.to_json())


def _load_progress(lab: Lab, file: str) -> None:
    lab.play.progress = lab.play.progress.merged(Progress.from_json(file))
    lab.reply(progress=lab.play.progress.to_json(), notice="The progress is loaded.")


def _save_progress(lab: Lab, _: Any) -> None:
    text = lab.play.progress.to_json()
    made = export.Export(name="compaction-progress.json", type="application/json", text=text)
    lab.reply(file=asdict(made))


def _reset_progress(lab: Lab, _: Any) -> None:
    lab.play.progress = Progress()
    lab.play.show_first_unsolved()
    lab.reply(progress="")


def _unlock(lab: Lab, _: Any) -> None:
    lab.play.progress = Progress(solved=lab.play.progress.solved, unlocked=True)
    lab.reply(progress=lab.play.progress.to_json())


def _reading(lab: Lab, value: str) -> None:
    """Read contexts by another curve: the other tab sends its own here."""
    if lab.play.locks().get("reading"):
        raise ScenarioError(
            "reading is locked in this mission: leave the mission to read by another curve."
        )
    lab.state.reading = value


def _unlock_sitting(lab: Lab, _: Any) -> None:
    lab.play.unlocked_here = True


ACTIONS: dict[str, Callable[[Lab, Any], None]] = {
    "pin": lambda lab, _: lab.session.pin(),
    "restore": lambda lab, index: lab.session.restore(int(index)),
    "restore-baseline": lambda lab, _: lab.session.restore_baseline(),
    "tables": lambda lab, names: lab.open_tables(names),
    "panels": lambda lab, names: lab.open_panels(names),
    "card": lambda lab, name: _use(lab, card_settings(name)),
    "preset": lambda lab, words: lab.agents.choose(words),
    "preset-window": _preset_window,
    "use-preset": lambda lab, _: _use(lab, lab.agents.settings()),
    "load-preset": _load_preset,
    "profile": lambda lab, name: _use(lab, lab.agents.profile(name)),
    "compare-presets": _compare_presets,
    "cancel-presets": lambda lab, _: lab.agents.cancel(),
    "sort-presets": lambda lab, key: lab.agents.sort(key),
    "export": _export,
    "code": _code,
    "snippet": _snippet,
    "reading": _reading,
    "study-csv": lambda lab, name: lab.reply(file=asdict(lab.tracking.csv(name))),
    "check-seeds": _check_seeds,
    "cancel": lambda lab, _: lab.session.cancel(),
    "resume": _resume,
    "mission": lambda lab, name: lab.play.show(name),
    "load-mission": lambda lab, _: lab.play.load(),
    "leave-mission": lambda lab, _: lab.play.leave(),
    "next-mission": _next_mission,
    "check-mission": _check_mission,
    "hint": lambda lab, _: lab.play.hint(),
    "predict": lambda lab, guess: lab.play.predict(guess),
    "progress": _progress,
    "load-progress": _load_progress,
    "save-progress": _save_progress,
    "reset-progress": _reset_progress,
    "unlock": _unlock,
    "unlock-sitting": _unlock_sitting,
}
