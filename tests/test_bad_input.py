"""Bad input in the shell: exit code 2 and one sentence, whatever it is. The page: tests/site."""

from __future__ import annotations

import contextlib
import io
import json
import random
import re
from collections.abc import Callable, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from missions.__main__ import main as missions_main
from missions.library import FOLDER, read_file
from missions.schema import MissionError, parse
from sim import Scenario, ScenarioError, setting_names
from sim.__main__ import main as sim_main
from sim.studies.state_tracking.measured import measured_curve
from tests.site.corpus import NASTY, value

MISSIONS = [path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.toml"))]
words = st.one_of(
    st.text(max_size=30),
    st.sampled_from(NASTY),
    st.randoms(use_true_random=False).map(value),
).filter(lambda text: text != "-")  # that is the shell's input
assignments = st.builds(
    "{}{}{}".format,
    st.one_of(st.sampled_from(setting_names()), words),
    st.sampled_from(["=", "=", "==", ":", " "]),
    words,
)


def options(**values: st.SearchStrategy[str]) -> st.SearchStrategy[list[str]]:
    """Some of these options, each with a value, in any order and number."""
    pairs = [st.tuples(st.just(f"--{n.replace('_', '-')}"), v) for n, v in values.items()]
    loose = st.tuples(words)
    chosen = st.lists(st.one_of(*pairs, *pairs, loose), min_size=1, max_size=4)
    return chosen.map(lambda some: [part for pair in some for part in pair])


few = st.sampled_from(["1", "2", "0", "-1", "1e3", "", "٣", "nan", "9" * 5_000])
shared = {"set": assignments, "event": words, "card": words, "preset": words, "seed": words}
COMMANDS = {
    "run": options(**shared, workload=words, tasks=few).map(["run", "--tasks", "2"].__add__),
    "compare": options(a=assignments, b=assignments, set=assignments, seed=words).map(
        ["compare", "--tasks", "2"].__add__
    ),
    "compare-presets": options(window=words, workload=words, price=words, tasks=few).map(
        ["compare-presets", "no such preset"].__add__
    ),
    "presets": words.map(lambda name: ["presets", name]),
    "workloads": words.map(lambda name: ["workloads", name]),
    "study": words.map(lambda name: ["study", name]),
    "make": options(n=few, statements=words, grammar=words, target_rate=words, seed=words).map(
        ["grip", "make", "--n", "1", "--statements", "5"].__add__
    ),
    "score": options(tasks=words, seed=words).map(["grip", "score", "no such file"].__add__),
    "crossover": options(loss=words, share=words, curve=words, statements=words).map(
        ["grip", "crossover", "--programs", "2", "--curve", "no such file"].__add__
    ),
    "anything": st.lists(words, max_size=4),
}


def told(main: Callable[[Sequence[str]], int], arguments: Sequence[str]) -> tuple[int, str]:
    """Exit code and standard error of a command; anything but an exit comes through."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(arguments)
        except SystemExit as end:
            code = int(end.code or 0)
    return code, err.getvalue()


def is_a_sentence(text: str) -> bool:
    """One line that ends as a sentence does, or with where there is help; no control characters."""
    line = text.removesuffix("\n")
    return line.isprintable() and re.search(r"(\.|\?|--help)$", line) is not None


@settings(max_examples=300, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(sorted(COMMANDS)).flatmap(COMMANDS.__getitem__))
def test_whatever_is_asked_of_the_simulator_it_answers_or_refuses_in_a_sentence(arguments):
    code, err = told(sim_main, arguments)
    assert code in (0, 2)
    # What is answered may come with remarks, such as of a setting that has no effect.
    assert all(map(is_a_sentence, err.splitlines())) if code == 0 else is_a_sentence(err)


@settings(max_examples=100)
@given(st.lists(st.one_of(words, st.just("audit"), words.map("{}.toml".format)), max_size=3))
def test_whatever_is_asked_of_the_missions_they_answer_or_refuse_in_a_sentence(arguments):
    if not any(argument.strip() for argument in arguments[1:]):
        arguments = [*arguments, "no such mission"]  # all of them take a while
    code, err = told(missions_main, arguments)
    assert code in (0, 2)
    assert err == "" if code == 0 else is_a_sentence(err)


def refusal(of: Callable[[], object], kind: type[Exception]) -> str:
    """The sentence with which something is refused; that of what is taken is a full stop."""
    try:
        of()
    except kind as error:
        return str(error)
    return "."


def damaged(text: str, chance: random.Random) -> str:
    """A file with some of its lines changed, doubled, moved or gone, or cut off."""
    lines = text.splitlines()
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(lines))
        name = lines[at].partition("=")[0]
        lines[at : at + 1] = chance.choice(
            (
                [],
                [lines[at]] * 2,
                [chance.choice(lines)],
                [f"{name}= {value(chance)}"],
                [f'{name}= "{value(chance)}"'],
                [f"{name}= {chance.choice(('[]', '{}', '[[1]]', 'true', '1e999', 'nan', '-1'))}"],
                [f"x{lines[at]}"],
                [value(chance)],
            )
        )
        lines = lines or [""]
    text = "\n".join(lines)
    return text[: chance.randrange(len(text) + 1)] if chance.random() < 0.1 else text


@settings(max_examples=400)
@given(st.sampled_from(MISSIONS), st.randoms(use_true_random=False))
def test_a_damaged_mission_is_still_one_or_refused_in_a_sentence(text, chance):
    draft = damaged(text, chance)
    assert is_a_sentence(refusal(lambda: parse(draft, "draft.toml"), MissionError))


@given(st.binary(max_size=200))
def test_a_mission_of_any_bytes_is_refused_in_a_sentence(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("bad") / "draft.toml"
    path.write_bytes(content)
    assert is_a_sentence(refusal(lambda: read_file(path), MissionError))


@pytest.mark.parametrize("text", ["x = " + 5_000 * "[", "x = " + 5_000 * "{a=", "[" + 5_000 * "a."])
def test_a_mission_that_is_nested_without_an_end_is_refused_in_a_sentence(text):
    said = refusal(lambda: parse(text, "draft.toml"), MissionError)
    assert said.startswith("draft.toml: ")
    assert is_a_sentence(said)


plain_things = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), words)
things = st.recursive(plain_things, lambda inner: st.lists(inner) | st.dictionaries(words, inner))


@settings(max_examples=200)
@given(st.dictionaries(st.one_of(st.sampled_from(setting_names()), words), things, max_size=4))
def test_any_settings_are_a_scenario_or_refused_in_a_sentence(given_):
    assert is_a_sentence(refusal(lambda: Scenario.from_dict(given_), ScenarioError))


answers = st.one_of(
    st.binary(max_size=60),
    st.fixed_dictionaries({"id": things, "answer": things}).map(
        lambda line: json.dumps(line).encode()
    ),
    st.just(b'{"id": "' + 6_000 * b"[" + b'"}'),
    st.just(6_000 * b"["),
)


@settings(max_examples=150)
@given(st.lists(answers, max_size=4).map(b"\n".join))
def test_answers_of_any_kind_are_scored_or_refused_in_a_sentence(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("bad") / "answers.jsonl"
    path.write_bytes(content)
    code, err = told(sim_main, ["grip", "score", str(path)])
    assert code in (0, 2)
    assert err == "" if code == 0 else is_a_sentence(err)


@settings(max_examples=300)
@given(st.one_of(st.text(max_size=80), st.lists(st.lists(words).map(",".join)).map("\n".join)))
def test_a_curve_of_any_kind_is_taken_or_refused_in_a_sentence(text):
    assert is_a_sentence(refusal(lambda: measured_curve(text, seed=1), ScenarioError))
