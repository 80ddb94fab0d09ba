"""``python -m sim grip``: what it writes, prints and refuses."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sim import __main__ as command_line
from sim.studies.state_tracking import (
    Recipe,
    curve_for,
    drop,
    make_tasks,
    play_hybrid,
    published,
    score,
)

ROOT = Path(__file__).parents[2]
TASKS = list(make_tasks(Recipe(), lengths=[5, 50], n=3, seed=1))


def call(*arguments, **more):
    return subprocess.run(
        [sys.executable, "-m", "sim", "grip", *map(str, arguments)],
        cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=120, **more,
    )  # fmt: skip


def answer(capsys, *arguments):
    assert command_line.main(["grip", *map(str, arguments), "--json"]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    return json.loads(printed.out)


def text(capsys, *arguments):
    assert command_line.main(["grip", *map(str, arguments)]) == 0
    return capsys.readouterr().out.splitlines()


@pytest.fixture
def answers(tmp_path):
    """Five answers, one of them wrong, and three lines that cannot be used."""
    path = tmp_path / "answers.jsonl"
    lines = [{"id": task["id"], "answer": task["truth"]} for task in TASKS[:5]]
    lines[4]["answer"] = "no idea"
    written = [*map(json.dumps, lines), "junk", json.dumps(lines[0]), '{"id": "x", "answer": "y"}']
    path.write_text("\n".join(written), encoding="utf-8")
    return path


@pytest.fixture
def tasks(tmp_path):
    path = tmp_path / "tasks.jsonl"
    path.write_text("".join(json.dumps(task) + "\n" for task in TASKS), encoding="utf-8")
    return path


# make


def test_make_writes_a_line_of_json_for_each_task():
    done = call("make", "--n", 3, "--statements", "5,50", "--seed", 1)
    assert (done.returncode, done.stderr) == (0, "")
    assert [json.loads(line) for line in done.stdout.splitlines()] == TASKS


def test_make_takes_every_setting_of_a_recipe():
    done = call(
        "make", "--n", 1, "--statements", 50, "--seed", 4, "--grammar", "set_only",
        "--target-rate", 0.2, "--last-position", 0.5, "--value-reuse", 0.3,
    )  # fmt: skip
    (line,) = done.stdout.splitlines()
    assert json.loads(line)["id"] == "set_only-c50-t0.2-p0.5-f0.3-s4-i0"


def test_a_reader_that_has_had_enough_is_no_error():
    making = subprocess.Popen(
        [sys.executable, "-m", "sim", "grip", "make", "--n", "300"],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    making.stdout.close()
    assert (making.stderr.read(), making.wait(timeout=60)) == (b"", 0)
    making.stderr.close()


# score


def test_score_names_all_that_it_did_not_score(capsys, answers, tasks):
    lines = text(capsys, "score", answers, "--tasks", tasks)
    assert lines[:4] == [
        "mixed",
        "statements   right      of  accuracy, 95 % interval",
        "         5       3       3  100.0 % (43.8 % … 100.0 %)",
        "        50       1       2   50.0 % (9.5 % … 90.5 %)",
    ]
    assert lines[lines.index("") + 1 :] == [
        "Malformed lines, not scored: 1",
        "  line 6: it is not JSON at column 1",
        "Lines with an unknown id, not scored: 1",
        "  line 8: no task has the id 'x'",
        "Further answers to a task that has one, not scored: 1",
        "  line 7: mixed-c5-s1-i0 was answered at line 1, which counts",
        "Tasks without an answer, not scored: 1 (mixed-c50-s1-i2)",
        "Answers without a colour or unset, scored as wrong: 1 (mixed-c50-s1-i1)",
    ]


def test_score_as_json_says_the_same(capsys, answers, tasks):
    found = answer(capsys, "score", answers, "--tasks", tasks)
    assert [at["right"] for at in found["groups"][0]["lengths"]] == [3, 1]
    assert found["malformed"] == [{"line": 6, "what": "it is not JSON at column 1"}]
    assert [fault["line"] for fault in found["unknown"] + found["duplicates"]] == [8, 7]
    assert (found["missing"], found["unread"]) == (["mixed-c50-s1-i2"], ["mixed-c50-s1-i1"])
    assert len(found["groups"][0]["n_stars"]) == 4


def test_score_reads_the_input_too_and_needs_no_tasks(answers):
    done = call("score", "-", "--json", input=answers.read_text(encoding="utf-8"))
    assert done.returncode == 0
    assert json.loads(done.stdout)["missing"] == []


def test_score_says_why_there_is_no_curve(capsys, tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps({"id": TASKS[0]["id"], "answer": "red"}), encoding="utf-8")
    assert "No curve: points are 1 with" in "\n".join(text(capsys, "score", path))
    assert answer(capsys, "score", path)["groups"][0]["curve"] is None


# crossover


def test_crossover_gives_what_the_functions_give(capsys):
    found = answer(
        capsys, "crossover", "--loss", "drop=0.2", "--target-rate", 0.1, "--statements", "100,400",
        "--programs", 200, "--seed", 3,
    )  # fmt: skip
    recipe = Recipe(statements=400, grammar="set_only", target_rate=0.1)
    curve = curve_for(recipe, seed=3)
    accuracy = score(recipe, drop(0.2), seed=3, programs=200)
    n_star = curve.crossing(accuracy, trials=200, seed=3)
    assert found["state"]["n_star"] == {
        "value": n_star.value, "low": n_star.low, "high": n_star.high, "extrapolated": False,
    }  # fmt: skip
    played = play_hybrid(recipe, drop(0.2), curve, seed=3, programs=200)
    at = found["lengths"][1]
    assert (at["statements"], at["best"]) == (400, played.best.share)
    assert [row["accuracy"]["value"] for row in at["shares"]] == [
        point.accuracy.value for point in played.points
    ]
    assert (found["share"], found["gaps"]) == (None, [])


def test_crossover_of_a_share_comes_before_that_of_the_state(capsys):
    found = answer(
        capsys, "crossover", "--loss", "drop=0.2", "--share", 0.9, "--statements", 100,
        "--programs", 200,
    )  # fmt: skip
    assert found["share"]["share"] == 0.9
    assert found["share"]["n_star"]["high"] < found["state"]["n_star"]["low"]
    assert not found["share"]["at_most"]


def test_a_share_that_wins_at_every_length_tried_has_an_n_star_of_at_most_the_first(capsys):
    arguments = ("crossover", "--share", 1, "--statements", 100, "--programs", 50)
    assert answer(capsys, *arguments)["share"]["at_most"]
    assert text(capsys, *arguments)[5] == (
        "With the first 100 % as a state, beyond N* = 100 (100 … 100) statements, or before: it "
        "wins at every length tried."
    )


def test_crossover_takes_a_pasted_curve(capsys, tmp_path):
    path = tmp_path / "curve.csv"
    path.write_text("length,accuracy,n\n1000,95%,200\n10000,40%,200\n", encoding="utf-8")
    found = answer(
        capsys, "crossover", "--loss", "drop=0.2", "--curve", path, "--statements", 2000,
        "--target-rate", 0.5, "--programs", 100,
    )  # fmt: skip
    assert (found["curve"]["source"], found["curve"]["tried"]) == ("given", [1000, 10000])
    assert 1000 < found["state"]["n_star"]["value"] < 5000
    assert found["gaps"] == []


def test_what_lies_outside_the_data_is_called_extrapolated(capsys):
    lines = text(
        capsys, "crossover", "--loss", "drop=0.02", "--target-rate", 0.5, "--value-reuse", 0.5,
        "--statements", 200, "--programs", 50,
    )  # fmt: skip
    assert lines[1].endswith("tried from 100 to 5,000, extrapolated.")
    assert lines[4].endswith("statements, extrapolated.")
    assert all(line.endswith("  extrapolated") for line in lines[8:22])
    assert lines[-2:] == [
        "Extrapolated: target rates were tried from 0.004 to 0.2, not 0.5.",
        "Extrapolated: nothing is published about the reuse of values.",
    ]


def test_a_state_that_is_never_right_has_no_n_star(capsys):
    arguments = ("crossover", "--loss", "drop=1", "--statements", 100, "--programs", 50)
    assert answer(capsys, *arguments)["state"]["n_star"]["value"] is None
    assert "and beats the whole context beyond no length: it is never better." in text(
        capsys, *arguments
    )


def test_losses_come_one_after_the_other(capsys):
    found = answer(
        capsys, "crossover", "--loss", "drop=0.2", "--loss", "substitute=0.5", "--statements", 100,
        "--programs", 50,
    )  # fmt: skip
    assert found["compressor"] == "drop 0.2 + substitute 0.5"


def test_the_mixed_grammar_has_its_own_curve_and_may_carry_rules(capsys):
    arguments = ("crossover", "--grammar", "mixed", "--statements", 200, "--programs", 30)
    bare, carried = answer(capsys, *arguments), answer(capsys, *arguments, "--carry-rules")
    assert bare["curve"]["tried"] == [10, 5000]
    lengths = [found["lengths"][0]["shares"][-1]["lines"] for found in (bare, carried)]
    assert lengths[0] < 27
    assert 40 < lengths[1] < 50


# table


def test_the_table_prints_every_cell_each_miss_and_the_oddities(capsys):
    lines = text(capsys, "table", "--programs", 200)
    rows = [line.split() for line in lines[4:39]]
    theirs = [length for row in published().crossovers for length in row.statements]
    assert [int(row[4].replace(",", "")) for row in rows] == theirs
    assert [int(row[6]) for row in rows].count(0) == 28
    assert "34 of 35 cells are within one step and 28 are met" in lines[40]
    misses = lines[lines.index("Why a cell is not met:") + 1 :]
    assert sum("The curve crosses at" in line for line in misses) == 7
    assert lines[-3] == "Odd in the source:"


def test_the_table_as_json_holds_the_same_cells(capsys):
    found = answer(capsys, "table", "--programs", 200)
    assert len(found["cells"]) == 35
    assert (found["within_one_step"], found["exact"]) == (34, 28)
    assert sum(cell["why"] != "" for cell in found["cells"]) == 7


# What is refused

REFUSED = [
    (["make", "--n", "0"], "n is 0 but must be a whole number from 1 to 100,000: for example 100."),
    (
        ["make", "--statements", "5,x"],
        "Argument --statements: 'x' is not a whole number: use digits. "
        "See python -m sim grip make --help",
    ),
    (
        ["make", "--value-reuse", "0.5"],
        "value_reuse is 0.5 but needs a target_rate: give one, for example 0.04.",
    ),
    (
        ["score", "no-such-file"],
        "answers is 'no-such-file' but must be a file that can be read, or - for the input: "
        "No such file or directory.",
    ),
    (
        ["score", "pyproject.toml"],
        "answers hold nothing to score: ",  # whatever the number of its lines
    ),
    (
        ["crossover", "--loss", "forget=0.2"],
        "Argument --loss: loss is 'forget' but must be one of drop, substitute: for example drop. "
        "See python -m sim grip crossover --help",
    ),
    (
        ["crossover", "--share", "2", "--statements", "10", "--programs", "5"],
        "share is 2.0 but must be a number from 0 to 1: for example 0.5.",
    ),
    (
        ["crossover", "--curve", "tests/site/lab.png"],
        "curve is 'tests/site/lab.png' but must be text in UTF-8: save it as that.",
    ),
    (["table", "--seed", "-1"], "seed is -1 but must be a whole number"),
    (["make", "--seed", "-1"], "seed is -1 but must be a whole number"),
    (["score", "pyproject.toml", "--seed", "-1"], "seed is -1 but must be a whole number"),
    (["crossover", "--seed", "-1"], "seed is -1 but must be a whole number"),
]


@pytest.mark.parametrize(("arguments", "sentence"), REFUSED)
def test_what_cannot_be_used_is_refused_in_one_sentence(arguments, sentence):
    done = call(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(sentence)
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
