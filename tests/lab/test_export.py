"""What is taken along gives the same numbers elsewhere."""

import asyncio
import csv
import io
import json
import shlex
import subprocess
import sys

import pytest

from lab import export
from lab.session import Session
from lab.state import LabState
from sim import simulate
from sim.presets import PRESETS, REFERENCE
from tests.lab.desk import Desk

SETTINGS = {"window": 32_000, "trigger": 0.55, "notes": True, "noisy_tools": True}


def sitting(pinned=(), **settings):
    session = Session(LabState(seed=7, tasks=120, task=3))
    session.state.param.update(**dict(pinned))
    session.update()
    session.pin()
    session.state.param.update(**settings)
    session.update()
    return session


SITTINGS = [
    pytest.param(sitting(SETTINGS), id="the baseline itself"),
    pytest.param(sitting(**SETTINGS), id="beside the default"),
    pytest.param(sitting(SETTINGS, window=48_000, noisy_tools=False), id="two changed"),
]


@pytest.mark.parametrize("session", SITTINGS)
def test_the_python_prints_the_same_numbers(session):
    printed = ran([sys.executable, "-c", export.as_python(session)]).splitlines()
    tiles = [line.split() for line in printed if line.count(" ") == 1]
    assert {name: float(value) for name, value in tiles} == {
        name: tile.value for name, tile in session.run.tiles.items()
    }
    differences = [line.split() for line in printed if line.count(" ") == 3]
    assert {name: float(value) for name, value, *_ in differences} == (
        {}
        if session.is_baseline
        else {name: estimate.value for name, estimate in session.difference.items()}
    )


@pytest.mark.parametrize("session", SITTINGS)
def test_the_command_prints_the_same_numbers(session):
    words = shlex.split(export.as_command(session))
    assert words[:3] == ["python", "-m", "sim"]
    printed = json.loads(ran([sys.executable, *words[1:]]))
    assert printed == json.loads(export.run_json(session).text)
    run = printed if session.is_baseline else printed["candidate"]
    assert {name: run[name] for name in session.run.tiles} == {
        name: tile.value for name, tile in session.run.tiles.items()
    }


def ran(command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_the_file_of_a_run_can_be_run_again():
    session = sitting(**SETTINGS)
    made = export.run_json(session)
    assert made.name == "compaction-run-seed-7.json"
    provenance = json.loads(made.text)["candidate"]["provenance"]
    assert simulate(**provenance).tiles == session.run.tiles


def rows_of(name, session):
    made = export.table_csv(session, name)
    return made.name, list(csv.DictReader(io.StringIO(made.text, newline="")))


def test_the_steps_of_a_task_as_csv():
    session = sitting(**SETTINGS)
    name, rows = rows_of("context", session)
    line = session.run.timeline(3)
    assert name == "compaction-context-seed-7-task-3.csv"
    assert [int(row["request_tokens"]) for row in rows] == line.read.tolist()
    assert [int(row["tokens_after_edits"]) for row in rows[:-1]] == line.left.tolist()
    assert rows[-1]["step"] == "answer"
    edited = {int(row["step"]) - 1 for row in rows if row["edits"]}
    assert edited == {event.step for event in line.events}


def test_the_facts_of_a_task_as_csv():
    session = sitting(**SETTINGS)
    _, rows = rows_of("lives", session)
    facts = session.run.timeline(3).facts
    assert [row["state"] for row in rows] == facts.state_names()
    assert [row["cause"] or None for row in rows] == facts.cause_names()
    lost = [int(row["lost_at"]) - 1 if row["lost_at"] else -1 for row in rows]
    assert lost == facts.lost_at.tolist()
    assert [row["needed"] == "True" for row in rows] == facts.needed.tolist()


def test_sums_as_csv_are_those_of_the_run():
    session = sitting(strategy="truncate", window=32_000)
    _, causes = rows_of("causes", session)
    assert sum(int(row["needed_facts_lost"]) for row in causes) == session.run.needed_lost.sum()
    _, costs = rows_of("costs", session)
    total = sum(float(row["dollars_per_task"]) for row in costs)
    assert total == pytest.approx(session.run.tiles["cost"].value, rel=1e-12)


def test_the_settings_visited_as_csv():
    session = sitting(SETTINGS, window=48_000)
    _, rows = rows_of("visited", session)
    assert [row["window"] for row in rows] == ["64000", "32000", "48000"]
    assert [float(row["success"]) for row in rows] == [v.success for v in session.visits]


def test_a_table_that_there_is_not_is_refused():
    with pytest.raises(ValueError, match="'tasks' is not a table of the lab"):
        export.table_csv(sitting(), "tasks")


def test_the_comparison_of_the_agents_is_saved_as_it_is_sorted(monkeypatch):
    some = {"claude_code": PRESETS["claude_code"], REFERENCE: PRESETS[REFERENCE]}
    monkeypatch.setattr("lab.agents.PRESETS", some)
    desk = Desk()
    desk.set(tasks="20")

    async def compare():
        desk.act("compare-presets")
        await desk.lab.settled()

    asyncio.run(compare())
    desk.act("sort-presets", "cost")
    file = desk.act("export", "agents")["file"]
    assert (file["name"], file["type"]) == ("compaction-agents-seed-1.csv", "text/csv")
    rows = list(csv.DictReader(io.StringIO(file["text"])))
    told = [(row.preset.name, repr(row.tiles["cost"].value)) for row in desk.lab.agents.in_order()]
    assert [(row["agent"], row["cost"]) for row in rows] == told
    assert len(rows) == 2
    assert float(rows[0]["success_low"]) <= float(rows[0]["success"])
