"""The command line: what it prints, and how it refuses."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sim import CARDS, TILES, Scenario, compare, setting_names, simulate
from sim import __main__ as command_line

ROOT = Path(__file__).parents[2]
LABELS = [
    "task success",
    "cost per task",
    "needed facts lost",
    "instruction lost",
    "compactions per task",
    "p95 peak context",
]


def call(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "sim", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
    )


def answer(*arguments):
    done = call(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


def ends(tile):
    return [tile.value, tile.low, tile.high]


def test_a_run_answers_with_the_unrounded_tiles():
    found = answer("run", "--seed", "1", "--tasks", "40", "--set", "strategy=truncate")
    tiles = simulate(Scenario.from_dict({"strategy": "truncate"}), seed=1, tasks=40).tiles
    assert list(found)[: len(TILES)] == list(TILES)
    assert {key: found[key] for key in tiles} == {key: tile.value for key, tile in tiles.items()}
    assert found["intervals"] == {key: [tile.low, tile.high] for key, tile in tiles.items()}


def test_a_run_without_arguments_is_the_default():
    found = answer("run")
    assert f"{found['success']:.4f} {found['cost']:.4f}" == "0.6582 3.5962"
    assert found["provenance"] == simulate(Scenario(), seed=1, tasks=400).provenance


def test_every_set_and_every_event_counts():
    found = answer(
        *("run", "--seed", "3", "--tasks", "10"),
        *("--set", "window=32000", "--set", "trigger=0.7", "--set", "notes=true"),
        *("--event", "noisy_tools", "--event", "long_horizon"),
    )
    changes = {"window": 32_000, "trigger": 0.7, "notes": True}
    events = {"noisy_tools": True, "long_horizon": True}
    run = simulate(Scenario.from_dict(changes | events), seed=3, tasks=10)
    assert found["provenance"] == run.provenance
    assert found["cost"] == run.tiles["cost"].value


@pytest.mark.parametrize(
    ("words", "value"),
    [(("true", "on", "yes", "1"), True), (("false", "off", "no", "0"), False)],
)
def test_a_switch_is_set_in_words(words, value):
    switches = ("notes", "clear_tool_results", "pin_instruction", "instruction_required")
    settings = [f"{switch}={word}" for switch, word in zip(switches, words, strict=True)]
    found = answer("run", "--tasks", "2", *(part for item in settings for part in ("--set", item)))
    assert [found["provenance"]["scenario"][switch] for switch in switches] == [value] * 4


def test_the_fields_are_listed_with_their_defaults_and_what_they_allow():
    done = call("fields")
    assert done.returncode == 0
    rows = {line.split()[0]: line for line in done.stdout.splitlines() if line.strip()}
    assert set(rows) == set(setting_names())
    for part in ("64000", "1 … 100,000,000 tokens"):
        assert part in rows["window"]
    for part in ("summarise", "none", "truncate"):
        assert part in rows["strategy"]
    for part in ("true", "false"):
        assert part in rows["notes"]


def test_a_card_comes_before_what_is_set_and_a_later_card_after_an_earlier_one():
    found = answer(
        *("run", "--tasks", "20", "--card", "opus_4_5", "--card", "haiku_4_5", "--card", "8b"),
        *("--set", "output_per_mtok=7"),
    )
    settings = {
        "caching": True, "input_per_mtok": 1.0, "cache_read_per_mtok": 0.1,
        "cache_write_per_mtok": 1.25, "output_per_mtok": 7.0,
    }  # fmt: skip
    shown = found["provenance"]["scenario"]
    assert {name: shown[name] for name in settings} == settings
    run = simulate(**found["provenance"])
    assert found["cost_split"] == run.cost_split
    assert set(found["cost_split"]) == {"cached_read", "written", "output", "summariser"}
    assert found["payback_requests"] == run.payback_requests
    for name in ("kv_bytes_at_peak", "ttft_s", "longest_ttft_s", "late_token_penalty"):
        assert found[name] == run.hardware[name] > 0


def test_a_run_prints_its_payback_and_with_hardware_its_memory_and_time():
    plain = call("run", "--tasks", "40").stdout
    assert "payback after " in plain
    assert "KV cache" not in plain
    assert "payback" not in call("run", "--tasks", "4", "--set", "strategy=none").stdout
    run = simulate(Scenario.from_dict({"hardware": True, "caching": True}), seed=1, tasks=40)
    done = call("run", "--tasks", "40", "--set", "hardware=true", "--set", "caching=true").stdout
    assert f"payback after {run.payback_requests:.1f} requests" in done
    assert f"KV cache {run.hardware['kv_bytes_at_peak'] / 1e9:.2f} GB" in done
    assert f"first token after {run.hardware['ttft_s']:.2f} s" in done


def test_the_shell_says_what_does_not_fit_in_the_gpus_beside_the_figures():
    done = call("run", "--tasks", "40", "--set", "hardware=true", "--set", "batch=100000")
    assert done.stderr.startswith("batch is 100,000 but ")
    assert "at the p95 peak: KV cache" in done.stdout
    pair = call("compare", "--tasks", "40", "--card", "405b", "--card", "h100", "--json")
    assert pair.stderr.startswith("810 GB of weights do not fit in 8 GPUs of 80 GB: set gpus to ")
    assert pair.stderr.count("\n") == 1
    assert call("run", "--tasks", "40", "--card", "70b", "--card", "h100").stderr == ""


def test_without_packs_the_figures_of_hardware_are_null():
    found = answer("run", "--tasks", "20")
    assert found["kv_bytes_at_peak"] is None
    assert found["ttft_s"] is None
    assert found["late_token_penalty"] is None
    assert set(found["cost_split"]) == {"requests", "summariser"}


def test_confidently_wrong_is_null_with_an_ideal_carrier_and_a_line_with_another():
    assert answer("run", "--tasks", "20")["confidently_wrong"] is None
    options = ("--tasks", "20", "--set", "carrier=one_field", "--set", "writer=describer")
    found = answer("run", *options)
    low, high = found["intervals"]["confidently_wrong"]
    assert 0 < low < found["confidently_wrong"] < min(high, 23 / 87)
    lines = call("run", *options).stdout.splitlines()
    assert [line.split("%")[0].split() for line in lines if "confidently wrong" in line] == [
        ["confidently", "wrong", f"{100 * found['confidently_wrong']:.2f}"]
    ]
    assert "confidently" not in call("run", "--tasks", "20").stdout


def test_an_ideal_and_another_carrier_are_compared_in_what_both_have():
    pair = answer("compare", "--tasks", "20", "--b", "carrier=one_field")
    assert pair["baseline"]["confidently_wrong"] is None
    assert pair["candidate"]["confidently_wrong"] > 0
    assert "confidently_wrong" not in pair["difference"]
    both = ("compare", "--tasks", "20", "--set", "carrier=one_field", "--b", "writer=gist")
    assert answer(*both)["difference"]["confidently_wrong"]["value"] > 0
    assert "confidently wrong" in call(*both).stdout


def test_what_json_says_of_the_peak_and_the_split_is_in_the_readme():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    cached = answer("run", "--tasks", "2", "--card", "haiku_4_5", "--card", "8b")
    for name in ("kv_bytes_at_peak", "sessions_per_gpu", "decode_s_per_token", "p95_peak"):
        assert f"`{name}`" in readme
        assert cached[name] > 0
    plain = answer("run", "--tasks", "2")["cost_split"]
    for name in (*plain, *cached["cost_split"]):
        assert f"`{name}`" in readme


def test_the_cards_are_listed_with_their_sources():
    done = call("cards")
    assert done.returncode == 0
    rows = {line.split()[0]: line for line in done.stdout.splitlines()}
    assert set(rows) == set(CARDS)
    assert "Llama 3.1 70B" in rows["70b"]
    assert CARDS["70b"].source in rows["70b"]


@pytest.mark.parametrize(
    "repeated",
    [
        ("run", "--preset", "codex", "--preset", "none"),
        ("run", "--workload", "coding", "--workload", "documents"),
        ("run", "--seed", "1", "--seed", "2"),
        ("compare-presets", "none", "--price", "flat", "--price", "sonnet"),
        ("study", "regimes", "--seed", "1", "--seed", "1"),
    ],
    ids=" ".join,
)
def test_an_option_with_one_value_is_refused_when_given_twice(repeated):
    done = call(*repeated)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"Argument {repeated[-2]}: given twice, but one value counts: leave one out. "
        f"See python -m sim {repeated[0]} --help\n"
    )


def test_of_two_cards_the_last_counts_and_the_help_says_so():
    prices = answer("run", "--tasks", "2", "--card", "opus_4_5", "--card", "haiku_4_5")
    assert prices["provenance"]["scenario"]["input_per_mtok"] == 1.0
    shown = " ".join(call("run", "--help").stdout.split())
    assert "of two for one setting the last counts" in shown


def test_an_unknown_card_is_refused_in_one_sentence():
    done = call("run", "--card", "sonet_4_6")
    assert done.returncode == 2
    assert done.stderr == "'sonet_4_6' is not a card: did you mean sonnet_4_6?\n"


def test_what_it_prints_replays():
    found = answer("run", "--seed", "9", "--tasks", "7", "--set", "clear_tool_results=true")
    assert simulate(**found["provenance"]).tiles["cost"].value == found["cost"]


def test_without_json_it_prints_a_table():
    done = call("run", "--tasks", "400")
    assert done.returncode == 0
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    for label in LABELS:
        assert any(line.startswith(label) for line in lines), label
    row = next(line for line in lines if line.startswith("task success"))
    assert "65.82 %" in row
    row = next(line for line in lines if line.startswith("cost per task"))
    assert "$3.5962" in row


def test_one_task_is_called_so():
    assert (
        call("run", "--tasks", "1").stdout.splitlines()[0] == "default settings · seed 1 · 1 task"
    )
    assert "seed 1 · 1 task, the same for both" in call("compare", "--tasks", "1").stdout
    ranking = call("compare-presets", "none", "--tasks", "1").stdout.splitlines()
    assert ranking[0].endswith(" · seed 1 · 1 task")


def test_a_difference_that_is_nothing_has_no_sign():
    assert command_line._figure("cost", -0.00001) == "$0.0000"
    assert command_line._figure("cost", -0.5) == "-$0.5000"
    assert command_line._figure("success", -0.00001) == "0.00 %"
    assert command_line._figure("p95_peak", -1_200.2) == "-1,200"
    assert command_line._figure("compactions", -0.00001) == "0.0000"


def test_a_setting_of_a_pack_that_is_off_is_named_on_stderr_with_its_switch():
    settings = ("--set", "cold_share=0.5", "--set", "mfu=0.4", "--set", "output_per_mtok=9")
    done = call("run", "--tasks", "2", *settings)
    assert done.returncode == 0
    assert done.stderr.splitlines() == [
        "cold_share, output_per_mtok have no effect while caching is false: set caching too, for "
        "example to true.",
        "mfu has no effect while hardware is false: set hardware too, for example to true.",
    ]
    as_json = call("run", "--tasks", "2", *settings, "--json")
    assert as_json.stderr == done.stderr
    assert json.loads(as_json.stdout)["success"] >= 0
    assert (
        call("run", "--tasks", "2", *settings, "--card", "sonnet_4_6", "--card", "8b").stderr == ""
    )


def test_a_comparison_names_a_setting_only_where_it_has_no_effect():
    done = call("compare", "--tasks", "2", "--set", "rework_decay=5", "--b", "rework=2")
    assert done.stderr == ""
    done = call("compare", "--tasks", "2", "--a", "rework_decay=5", "--b", "rework=2")
    assert done.stderr == (
        "rework_decay has no effect while rework is 0: set rework too, for example to 1.\n"
    )


def test_a_table_of_one_task_shows_no_interval_for_a_mean():
    rows = call("run", "--tasks", "1").stdout.splitlines()
    cost = next(row for row in rows if row.startswith("cost per task"))
    assert "$4.1172" in cost
    assert "…" not in cost
    assert "…" in next(row for row in rows if row.startswith("instruction lost"))


COMPARISON = (
    *("compare", "--seed", "2", "--tasks", "30"),
    *("--a", "strategy=truncate", "--b", "summary_budget=8000", "--b", "keep_recent=2"),
    *("--set", "window=32000", "--event", "forgetful_summariser"),
)


def test_a_comparison_answers_with_both_runs_and_their_difference():
    common = {"window": 32_000, "forgetful_summariser": True}
    baseline, candidate = (
        simulate(Scenario.from_dict(common | changes), seed=2, tasks=30)
        for changes in ({"strategy": "truncate"}, {"summary_budget": 8_000, "keep_recent": 2})
    )
    found = answer(*COMPARISON)
    assert set(found) >= {"baseline", "candidate", "difference", "provenance"}
    for name, run in (("baseline", baseline), ("candidate", candidate)):
        values = {key: tile.value for key, tile in run.tiles.items()}
        assert {key: found[name][key] for key in values} == values
    assert found["difference"] == {
        key: {"value": difference.value, "low": difference.low, "high": difference.high}
        for key, difference in compare(baseline, candidate).items()
    }
    assert found["provenance"]["baseline"] == baseline.provenance
    assert found["provenance"]["candidate"] == candidate.provenance


def test_a_comparison_without_json_is_a_table():
    done = call(*COMPARISON)
    assert done.returncode == 0
    assert done.stderr == ""
    for label in LABELS:
        assert any(line.startswith(label) for line in done.stdout.splitlines()), label


def test_a_comparison_of_other_tasks_is_not_called_paired():
    same = call("compare", "--tasks", "2", "--b", "window=32000", "--a", "cold_share=0").stdout
    assert "seed 1 · 2 tasks, the same for both\n" in same
    assert "b − a, paired 95 % interval\n" in same
    for change in ("mean_steps=10", "noisy_tools=true"):
        other = call("compare", "--tasks", "2", "--a", change).stdout
        assert "seed 1 · 2 tasks, not the same for both: only their draws are\n" in other
        assert "b − a, 95 % interval\n" in other


def test_the_same_call_prints_the_same_twice():
    assert call(*COMPARISON, "--json").stdout == call(*COMPARISON, "--json").stdout


REFUSED = {
    "bad value": (["run", "--set", "window=-5"], "window"),
    "bad number": (["run", "--set", "window=wide"], "window"),
    "bad switch": (["run", "--set", "notes=maybe"], "notes"),
    "bad strategy": (["run", "--set", "strategy=truncat"], "did you mean truncate"),
    "not a number": (["run", "--set", "trigger=nan"], "trigger"),
    "unknown field": (["run", "--set", "windw=32000"], "did you mean window"),
    "unknown event": (["run", "--event", "noisy_tool"], "noisy_tools"),
    "window too small": (["run", "--set", "window=3200"], "3,201"),
    "set without a value": (["run", "--set", "window"], "window"),
    "set to nothing": (["run", "--set", "window="], "window"),
    "set without a field": (["run", "--set", "=3"], "=3"),
    "set alone": (["run", "--set"], "--set"),
    "set twice over": (["run", "--set", "window==3"], "window"),
    "seed of letters": (["run", "--seed", "x"], "seed"),
    "negative seed": (["run", "--seed=-1"], "seed"),
    "broken seed": (["run", "--seed", "1.5"], "seed"),
    "no tasks": (["run", "--tasks", "0"], "tasks"),
    "tasks of letters": (["run", "--tasks", "many"], "tasks"),
    "no command": ([], "run"),
    "unknown command": (["simulate"], "simulate"),
    "unknown option": (["run", "--frobnicate"], "--frobnicate"),
    "bad baseline": (["compare", "--a", "windw=1"], "did you mean window"),
    "bad candidate": (["compare", "--b", "window"], "window"),
}


@pytest.mark.parametrize(("arguments", "said"), REFUSED.values(), ids=REFUSED)
def test_what_it_cannot_do_it_refuses_in_one_line(arguments, said):
    done = call(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the device that is full")
@pytest.mark.parametrize("command", [["run", "--tasks", "2", "--json"], ["fields"]], ids=str)
def test_a_full_disk_is_said_in_one_sentence(command):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "sim", *command],
            cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60,
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == "The output cannot be written (No space left on device): make room.\n"


def test_a_reader_that_has_had_enough_hears_nothing_more():
    done = subprocess.run(
        f"{sys.executable} -m sim fields | head -n 0; exit ${{PIPESTATUS[0]}}",
        cwd=ROOT, shell=True, executable="/bin/bash", capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


def test_a_study_refuses_the_seed_that_was_given_not_one_that_follows():
    done = call("study", "cost_reversal", "--seed", "9223372036854775807")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "seed is 9223372036854775807 but must be a whole number from 0 to 9223372036854775803: "
        "for example 1.\n"
    )


def test_an_interrupted_run_ends_with_130_and_says_nothing(monkeypatch, capsys):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(command_line, "simulate_outcome", interrupted)
    assert command_line.main(["run"]) == 130
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("digits", [400, 5_000])
@pytest.mark.parametrize("flag", ["--seed=", "--tasks=", "--set=window=", "--set=trigger="])
def test_a_number_of_many_digits_is_refused_and_not_repeated(flag, digits):
    done = call("run", flag + "9" * digits)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert len(done.stderr) < 250


def test_too_few_tasks_are_said_to_give_no_interval():
    rows = {line[:16]: line for line in call("run", "--tasks", "71").stdout.splitlines()}
    assert rows["p95 peak context"].endswith("(too few tasks: no interval)")
    assert answer("run", "--tasks", "71")["intervals"]["p95_peak"] == [None, None]


def test_the_study_is_timed_from_the_shell():
    done = call("grip", "bench", "--programs", "1000")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["programs"], found["statements"]) == (1000, 1000)
    assert found["accuracy"] == pytest.approx(0.8, abs=0.06)


def test_a_number_of_programs_that_cannot_be_timed_is_refused():
    done = call("grip", "bench", "--programs", "0")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("programs is 0 but must be a whole number from 1 to 100,000,000")
