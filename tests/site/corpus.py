"""Bad input of every kind, seeded: what a page, an embed, and the shell are tried with."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from lab.progress import KIND as PROGRESS
from lab.text import controls
from missions import load
from sim import setting_names

MARKUP = "<img src=x onerror=__ran=1>", "<script>__ran=1</script>", '"><svg onload=__ran=1>'
NASTY = (
    "", " ", "0", "-1", "1e999", "-1e999", "nan", "NaN", "inf", "1e-320", "9" * 400, "0x10",
    "1_000", "1,000", "٣", "½", "−5", "+5", "5.", ".5", "5e3", "true", "on", "null", "None",
    "undefined", "[]", "{}", "__proto__", "constructor", "../../etc/passwd", "%", "%zz", "%00",
    "\x00", "\x1b[31m", "\r\n", "\U0001f600", "\ufeff64000", "\u202e64000", "a" * 5_000,
    "64000; import os", "{{7*7}}", "${7*7}", "truncate", "summarise ", "SUMMARISE", "lost-brief",
    *MARKUP,
)  # fmt: skip
KINDS = {"link": 6, "field": 4, "study": 3, "progress": 2, "kept": 1, "agent": 1, "message": 2}
"""How often each kind comes to the page."""
EMBED_KINDS = {"attribute": 3, "set": 3, "message": 2}
"""How often each comes to an embed in a page of somebody else."""
KNOBS = (
    "grammar", "statements", "target_rate", "last_position", "value_reuse", "compressor", "rate",
    "compressed", "seed", "program", "curve",
)  # fmt: skip
"""The settings of the second tab."""
OWN = ("theme", "tab", "controls", "charts", "unlock", "embed", "v")
MOST_TASKS = 500
"""Many tasks are no bad input, only slow."""


def corpus(seed: int, count: int) -> Iterator[dict[str, str]]:
    """Inputs of all kinds for the page: the same for the same seed."""
    chance = random.Random(seed)
    makers = {
        "link": _link, "field": _field, "study": _study, "progress": _file, "kept": _file,
        "agent": _named, "message": _message,
    }  # fmt: skip
    for _ in range(count):
        kind = chance.choices(list(KINDS), list(KINDS.values()))[0]
        name, text = makers[kind](chance)
        yield {"kind": kind, "name": name, "text": text}


def embed_corpus(seed: int, count: int) -> Iterator[dict[str, str]]:
    """Inputs for an embed: attributes, calls of ``set`` and messages of the page around it."""
    chance = random.Random(seed)
    for _ in range(count):
        kind = chance.choices(list(EMBED_KINDS), list(EMBED_KINDS.values()))[0]
        name = chance.choice((*setting_names(), "seed", "task", "mission", "charts", "controls"))
        text = _message(chance)[1]
        if kind == "attribute":
            text = value(chance)[:2_000]
        elif kind == "set":
            text = json.dumps(chance.choice((_settings(chance), {name: value(chance)}, [], None)))
        yield {"kind": kind, "name": name, "text": text}


def value(chance: random.Random) -> str:
    """A value of any kind, as text."""
    match chance.randrange(4):
        case 0:
            return str(chance.randint(-(10**6), 10**6))
        case 1:
            return repr(chance.uniform(-2, 2) * 10 ** chance.randint(-9, 9))
        case 2:
            length = chance.randrange(20)
            return "".join(
                chr(chance.choice((chance.randrange(32, 127), 0x4E00))) for _ in range(length)
            )
    return chance.choice(NASTY)


def table(chance: random.Random) -> str:
    """A table of a measured curve, or what is none."""
    rows = [
        chance.choice((",", ";", "\t", " ", ", ")).join(
            value(chance)[:40] for _ in range(chance.randrange(5))
        )
        for _ in range(chance.randrange(6))
    ]
    good = [f"{100 * n},{chance.random():.2f},{chance.randrange(200)}" for n in range(1, 4)]
    return chance.choice(("\n", "\r\n", "\n\n")).join(chance.choice((rows, rows + good, good)))


def _field(chance: random.Random) -> tuple[str, str]:
    names = [name for name, control in controls().items() if control.kind == "number"]
    return chance.choice([*names, "seed", "task"]), value(chance)[:2_000]


def _study(chance: random.Random) -> tuple[str, str]:
    name = chance.choice(KNOBS)
    return name, table(chance) if name == "curve" else value(chance)[:2_000]


def _named(chance: random.Random) -> tuple[str, str]:
    return "preset", value(chance)[:2_000]


def _link(chance: random.Random) -> tuple[str, str]:
    known = [
        *setting_names(), *(f"base.{name}" for name in setting_names()),
        *(f"st.{name}" for name in KNOBS), *5 * ["seed", "tasks", "task", "mission", "st.curve"],
        *OWN,
    ]  # fmt: skip
    missions = [mission.id for mission in load()]
    parts = []
    for _ in range(chance.randrange(1, 8)):
        name = chance.choice(known) if chance.random() < 0.9 else value(chance)[:30]
        given = value(chance)
        if name == "mission" and chance.random() < 0.7:
            given = chance.choice(missions)
        elif name == "st.curve":
            given = table(chance)
        elif name == "tab" and chance.random() < 0.7:
            given = "state-tracking"
        elif name == "tasks" and given.isdigit() and int(given) > MOST_TASKS:
            given = str(MOST_TASKS)
        raw = chance.random() < 0.2
        parts.append(f"{name}={given if raw else quote(given, errors='replace')}".replace("#", ""))
    return "", chance.choice("&&&;").join(parts)


def _file(chance: random.Random) -> tuple[str, str]:
    content: Any = {
        "kind": chance.choice((PROGRESS, PROGRESS, value(chance))),
        "version": chance.choice((1, 2, -1, "1", None, True)),
        "solved": chance.choice(
            (
                {},
                [],
                None,
                {value(chance): {"cost": 1, "changed": 1}},
                {"lost-brief": value(chance)},
            )
        ),
    }
    text = json.dumps(content)
    if chance.random() < 0.3:
        text = text[: chance.randrange(len(text))]
    return "", chance.choice((text, text, value(chance), "[" * 3_000, '{"a":' * 3_000))


def _settings(chance: random.Random) -> dict[str, Any]:
    return {
        chance.choice(setting_names()): chance.choice((value(chance), None, 7, True, [], {}))
        for _ in range(3)
    }


def _message(chance: random.Random) -> tuple[str, str]:
    settings = _settings(chance)
    content = chance.choice(
        (
            {"type": "compaction-lab", "set": settings, "id": value(chance)},
            {"type": "compaction-lab", "set": settings, "id": chance.randrange(9)},
            {"type": "compaction-lab", "theme": value(chance)},
            {"type": "compaction-lab", "event": value(chance), "height": value(chance)},
            {"type": value(chance)}, value(chance), None, 7, [settings],
        )
    )  # fmt: skip
    return "", json.dumps(content)
