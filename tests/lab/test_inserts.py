"""What stands between double braces: calculated, or refused with the line and the reason."""

from __future__ import annotations

import pytest

from lab import inserts as module
from lab.inserts import ArticleError, Inserts
from sim import Scenario, compare, simulate

NAMED = {
    "default": "",
    "truncating": "strategy=truncate",
    "pinned": "truncating pin_instruction=true",
    "kept": "truncating notes=true",
}


@pytest.fixture(scope="module")
def inserts():
    return Inserts(NAMED)


def plain(text):
    return text.replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("{{success default}}", "66 %"),
        ("{{ success default | of 100 }}", "66 of 100"),
        ("{{success truncating}} of {{cost default}}", "8 % of $3.60"),
        ("{{success truncating summary_budget=8000 strategy=summarise}}", "93 %"),
        ("{{cost window=32000 summary_budget=8000}}", "$3.88"),
        ("{{compactions default}}", "1.5"),
        ("{{compactions default | number}}", "1"),
        ("{{p95_peak default}}", "56,533"),
        ("{{lost_in_summaries window=32000 summary_budget=8000}}", "0 %"),
        ("{{compare success truncating -> default | points more}}", "58 points more"),
        ("{{compare cost default -> truncating | dollars higher}}", "$0.15 higher"),
        ("{{compare success default -> truncating | percent less}}", "88 % less"),
        ("{{claim: More than halves | success default -> truncating}}", "More than halves"),
        ("a.{{check: almost every | instruction_lost truncating}} b", "a. b"),
        ("{{setting window}}", "64,000 tokens"),
        ("{{setting window truncating window=32000}}", "32,000 tokens"),
        ("{{setting fact_rate}}", "50 %"),
        ("{{setting needed_facts | word}}", "four"),
        ("{{setting summary_budget | number}}", "1,000"),
        ("{{setting input_per_mtok | dollars}}", "$3.00"),
        ("no insert, {one} brace", "no insert, {one} brace"),
    ],
)
def test_an_insert_becomes_what_was_calculated(inserts, source, text):
    assert plain(inserts.fill(source)) == text


def test_the_numbers_are_those_of_the_simulator():
    run = simulate(Scenario().replace(notes=True), seed=7, tasks=50)
    base = simulate(Scenario(), seed=7, tasks=50)
    change = compare(base, run)["success"].value
    source = "{{success notes=true}} {{compare success default -> notes=true | points more}}"
    shown = plain(Inserts(NAMED, seed=7, tasks=50).fill(source))
    assert shown == f"{100 * run.tiles['success'].value:.0f} % {100 * change:.0f} points more"


def test_a_number_stays_on_the_line_of_its_unit(inserts):
    assert inserts.fill("{{setting window}}") == "64,000\u00a0tokens"


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (
            "{{claim: more than doubles | success default -> truncating}}",
            "the claim “more than doubles” does not hold, since success is 65.8 %, then 8.0 %: "
            "correct the words, or the settings they are about.",
        ),
        (
            "{{check: almost every | instruction_lost default}}",
            "the claim “almost every” does not hold, since instruction_lost is 1.5 %: "
            "correct the words, or the settings they are about.",
        ),
        (
            "{{compare success default -> truncating | points more}}",
            "the claim “more” does not hold, since success is 65.8 %, then 8.0 %: "
            "correct the words, or the settings they are about.",
        ),
        ("{{sucess default}}", "sucess is not a measure: did you mean success?"),
        ("{{success defalt}}", "defalt is not a setting's name: did you mean default?"),
        ("{{success windw=1}}", "windw is not a field: did you mean window?"),
        (
            "{{success window=wide}}",
            "window is 'wide' but must be a whole number from 1 to 100,000,000: for example 64000.",
        ),
        ("{{success}}", "success is asked of no setting: name one, such as default."),
        ("{{}}", "nothing is not a measure: use one of success, cost,"),
        (
            "{{success default -> truncating}}",
            "success is asked of several settings: begin with compare.",
        ),
        ("{{success default | pct}}", "pct is not a format: "),
        (
            "{{compare success default | points more}}",
            "1 settings are compared: give two, joined by ->.",
        ),
        (
            "{{compare success default -> truncating}}",
            "a | is missing, or there is one too many: after it comes how to write it, such as "
            "points more.",
        ),
        ("{{compare success default -> truncating | furlongs more}}", "furlongs is not a unit: "),
        (
            "{{compare lost_in_summaries default -> truncating | points less}}",
            "lost_in_summaries cannot be compared: only tiles and details can.",
        ),
        (
            "{{claim: rises}}",
            "a | is missing, or there is one too many: after it comes what the claim is about.",
        ),
        (
            "{{claim: soars | success default -> truncating}}",
            "“soars” means nothing for two settings: write one of more than doubles,",
        ),
        (
            "{{setting trigger | word}}",
            "0.8 cannot be written as word: that is for a whole number from 0 to ten.",
        ),
        (
            "{{setting notes | dollars}}",
            "False cannot be written as dollars: that is for a number.",
        ),
        (
            "{{compare instruction_lost pinned -> truncating | percent more}}",
            "instruction_lost is 0 at first, and nothing is a percentage of that.",
        ),
        ("{{setting tasks}}", "tasks is not a setting: "),
        ("{{setting widow}}", "widow is not a setting: did you mean window?"),
        ("{{success default", "an insert has no end: write {{…}} on one line."),
        ("success default}}", "an insert has no end: write {{…}} on one line."),
        ("{{__import__('os')}}", "__import__('os') is not a measure: use one of success,"),
    ],
)
def test_an_insert_that_is_wrong_is_refused_in_one_sentence_with_its_line(
    inserts, source, sentence
):
    with pytest.raises(ArticleError) as error:
        inserts.fill(f"right\n{source}", 40)
    assert str(error.value).startswith(f"article.md, line 41: {sentence}")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("named", "sentence"),
    [
        ({"a": "b"}, "article.md, its setting a: b is not a setting's name: there is none yet, "),
        ({"a": "a"}, "article.md, its setting a: a is not a setting's name: there is none yet, "),
        ({"a": "notess=true"}, "article.md, its setting a: notess is not a field: did you mean "),
    ],
)
def test_a_setting_of_the_head_that_cannot_be_read_is_refused(named, sentence):
    with pytest.raises(ArticleError) as error:
        Inserts(named)
    assert str(error.value).startswith(sentence)


def test_a_setting_is_simulated_once_and_tasks_are_drawn_once(monkeypatch):
    simulated, drawn = [], []

    def spy(seen, real):
        return lambda *args, **named: (seen.append(args), real(*args, **named))[1]

    monkeypatch.setattr(module, "simulate", spy(simulated, module.simulate))
    monkeypatch.setattr(module, "draw_tasks", spy(drawn, module.draw_tasks))
    inserts = Inserts(NAMED, tasks=20)
    inserts.fill("{{success default}} {{cost window=64000}}\n{{success truncating}}")
    inserts.fill("{{cost default}} {{success kept}}")
    assert len(simulated) == 3
    assert len(drawn) == 1
