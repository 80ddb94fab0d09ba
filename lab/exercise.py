"""Everything that the page can ask of the lab, once: the build ships the modules that this opens.

It runs in the browser's own Python, so it also shows, at build time, that the lab works there.
"""

from __future__ import annotations

import json
from typing import Any

from lab.app import Lab, receiver
from lab.text import controls
from lab.views import TABLES

MOVES: dict[str, Any] = {"slider": 1, "switch": True, "choice": 1, "number": "7"}
ATTRIBUTES = {"slider": "value", "switch": "active", "choice": "active", "number": "value"}


def main() -> None:
    """Move every control, choose every action, open every table, type nonsense."""
    lab = Lab()
    receive = receiver(lab)
    json.dumps(lab.document_json())
    lab.signature()
    models = lab.document.get_model_by_name("controls").args

    def move(name: str, attr: str, value: Any) -> dict[str, Any]:
        change = {"kind": "ModelChanged", "model": {"id": models[name].id}, "attr": attr}
        return json.loads(receive(json.dumps({"patch": {"events": [{**change, "new": value}]}})))

    def act(name: str, value: Any = None) -> dict[str, Any]:
        return json.loads(receive(json.dumps({"actions": [[name, value]]})))

    act("tables", list(TABLES))
    for name, control in controls().items():
        value = control.high if control.kind == "slider" else MOVES[control.kind]
        move(name, ATTRIBUTES[control.kind], value)
        act("restore", 0)
    move("seed", "value", "nonsense")
    move("seed", "value", "2")
    move("task", "value", "3")
    act("pin")
    move("strategy", "active", 1)
    check = lab.session.check_seeds(lambda: None)
    for _ in range(4):  # there is no event loop to run it in; a step at a time is as good
        check.send(None)
    act("cancel")
    check.close()
    act("restore-baseline")


if __name__ == "__main__":
    main()
