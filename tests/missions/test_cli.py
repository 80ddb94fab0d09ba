"""``python -m missions``: what it prints, and how it refuses."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from missions.__main__ import main

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "missions" / "01-lost-brief.toml"


def draft(tmp_path, old="", new=""):
    """The first mission with one change, as a file of one's own."""
    text = SHIPPED.read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "draft.toml"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return str(path)


def test_an_audit_prints_a_table_and_passes(capsys):
    assert main(["audit", "lost-brief", "small-note"]) == 0
    head, *rows, empty, last = capsys.readouterr().out.splitlines()
    assert head.split() == [
        "mission", "start", "solution", "margin", "decoys", "fewest", "grid", "wins"
    ]  # fmt: skip
    assert [row.split()[:3] for row in rows] == [
        ["lost-brief", "loses", "20/20"],
        ["small-note", "loses", "20/20"],
    ]
    assert rows[0].split()[5:8] == ["3/3", "1", "42"]
    assert (empty, last) == ("", "2 of 2 missions pass.")


def test_an_audit_as_json_is_one_object(capsys):
    assert main(["audit", "lost-brief", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    (mission,) = found["missions"]
    assert found["passed"] is True
    assert mission["id"] == "lost-brief"
    assert mission["start_misses"] == ["instruction_lost", "success"]
    assert mission["decoys_lose"] == [4, 4, 4]
    assert mission["wins"] / mission["points"] == mission["share"]
    assert mission["problems"] == []


@pytest.mark.parametrize(
    ("old", "new", "problems"),
    [
        (
            '"at most"\nbound = 5\n\n[[goals]]\nkey = "success"\nsense = "at least"\nbound = 75',
            '"at most"\nbound = 100',
            ["the start meets every goal", "decoy 1 misses on 0 of 4", "100.0 % of the grid wins"],
        ),
        ("bound = 75", "bound = 82", ["the solution wins on", "loosen a goal"]),
        ("bound = 75", "bound = 79", ["standard deviations from a bound but must keep 2.5"]),
        ("bound = 75", "bound = 99", ["0 of 20 seeds", "0.0 % of the grid wins"]),
        ("bound = 75", "bound = 10", ["decoy 1 misses on 0 of 4 seeds but must miss on all"]),
    ],
)
def test_an_audit_of_a_bad_mission_says_what_is_wrong_and_exits_with_1(
    tmp_path, capsys, old, new, problems
):
    assert main(["audit", draft(tmp_path, old, new)]) == 1
    printed = capsys.readouterr().out
    assert printed.endswith("0 of 1 missions pass.\n")
    for problem in problems:
        assert problem in printed


def test_a_failed_audit_as_json_is_still_json(tmp_path, capsys):
    assert main(["audit", "--json", draft(tmp_path, "bound = 75", "bound = 99")]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["passed"] is False
    assert found["missions"][0]["best_cost"] is None
    assert found["missions"][0]["fewest_changes"] is None


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["audit", "lost-breif"], "'lost-breif' is not a mission: did you mean lost-brief?\n"),
        (["audit", "qqq"], "'qqq' is not a mission: use one of lost-brief, small-note"),
        (["audit", "no/such.toml"], "such.toml: the file cannot be read (No such file"),
    ],
)
def test_bad_input_is_refused_in_one_sentence_with_2(capsys, arguments, sentence):
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith(sentence)
    assert printed.err.count("\n") == 1


def test_a_malformed_file_is_refused_with_2(tmp_path, capsys):
    assert main(["audit", draft(tmp_path, "tasks = 400", "tasks = 0")]) == 2
    assert capsys.readouterr().err == (
        "draft.toml: tasks is 0 but must be a whole number from 1 to 1,000,000: for example 400.\n"
    )


@pytest.mark.parametrize("arguments", [[], ["audti"], ["audit", "--jsno"]])
def test_a_bad_command_line_exits_with_2_and_no_traceback(arguments):
    done = subprocess.run(
        [sys.executable, "-m", "missions", *arguments],
        cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_list_names_every_mission_with_its_controls_and_goals(capsys):
    assert main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3 * 12
    assert lines[:3] == [
        " 1 lost-brief             The lost brief",
        "   open: strategy, pin_instruction, trigger",
        "   goals: instruction_lost at most 5 %, success at least 75 %",
    ]
    assert lines[5] == "   goals: needed_lost at most 1.5 %, cost at most $4.15"
