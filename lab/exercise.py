"""Everything that the page can ask of the lab, once: the build ships the modules that this opens.

It runs in the browser's own Python, so it also shows, at build time, that the lab works there.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from lab.app import Lab, receiver
from lab.export import COLUMNS
from lab.panels import PANELS
from lab.progress import Progress
from lab.tables import TABLES
from lab.text import controls
from sim import CARDS, setting_info

MOVES: dict[str, Any] = {"switch": True, "number": "7"}


def main() -> None:
    """Move every control, choose every action, open every table, type nonsense."""
    lab = Lab()
    receive = receiver(lab)
    lab.signature()

    def move(name: str, value: Any) -> dict[str, Any]:
        return json.loads(receive(json.dumps({"values": {name: value}})))

    def act(name: str, value: Any = None) -> dict[str, Any]:
        return json.loads(receive(json.dumps({"actions": [[name, value]]})))

    act("tables", list(TABLES))
    act("panels", [*PANELS, "agents"])
    for name, control in controls().items():
        last = setting_info(name)["options"][-1] if control.kind == "choice" else None
        move(name, last or (control.high if control.kind == "slider" else MOVES[control.kind]))
        act("restore", 0)
    for card in CARDS:
        act("card", card)
    act("restore", 0)
    move("seed", "nonsense")
    move("seed", "2")
    move("task", "3")
    act("pin")
    move("strategy", "truncate")
    check = lab.session.check_seeds(lambda: None)
    for _ in range(4):  # there is no event loop to run it in; a step at a time is as good
        check.send(None)
    act("cancel")
    check.close()
    act("restore-baseline")
    for part in ("run", *COLUMNS):
        act("export", part)
    act("preset", "claude_code")
    act("use-preset")
    act("profile", "coding")
    act("preset-window", "own")
    ranking = lab.agents.compare(lab.send_update)
    for _ in range(4):
        ranking.send(None)
    act("sort-presets", "cost")
    act("cancel-presets")
    ranking.close()
    act("restore", 0)
    act("code")
    act("snippet", "https://example.org/lab/")
    act("reading", "state_tracking")
    act("reading", "linear")
    track(receive, act)
    play(lab, act)
    receive(json.dumps({"link": "v=1&window=lots&seed=2&base.notes=true&min_steps=150&nonsense=1"}))


def track(receive: Callable[[str], str], act: Callable[..., Any]) -> None:
    """Open the other tab, set everything in it once, paste a table and nonsense."""
    settings: dict[str, Any] = {"grammar": "mixed", "compressor": "substitute", "compressed": 0.5}
    tables = {"curve": "100, 99 %, 100\n5000, 12 %, 100"}, {"curve": "nonsense"}
    requests: list[dict[str, Any]] = [{"link": "st.rate=0.3&st.rate=lots"}]
    requests += [{"values": {name: value}, "fine": True} for name, value in settings.items()]
    requests += [{"values": table} for table in tables]
    for request in requests:
        receive(json.dumps({"study": request}))
    for name in ("curves", "map", "shares"):
        act("study-csv", name)


def play(lab: Lab, act: Callable[..., Any]) -> None:
    """Solve a mission, fail another, keep the progress and lose it."""
    act("progress", "nonsense")
    act("unlock-sitting")
    for mission in lab.play.missions:
        act("mission", mission.id)
        act("load-mission")
        act("hint")
        act("predict", "up")
        act("check-mission")
        for name, value in mission.solution.items():
            lab.receive({"values": {name: value}})
        act("check-mission")
    act("next-mission")
    act("leave-mission")
    for action in ("unlock", "save-progress", "reset-progress"):
        act(action)
    act("load-progress", Progress().to_json())


if __name__ == "__main__":
    main()
