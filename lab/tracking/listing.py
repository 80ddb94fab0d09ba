"""A program as the page lists it: numbered lines, the steps of its history, its final state."""

from __future__ import annotations

from html import escape
from typing import Any

from lab.tables import table
from lab.text import number
from lab.tracking import words
from lab.tracking.settings import MAX_PROGRAM, Settings
from lab.tracking.steps import Entry, Story
from sim.studies.state_tracking import VARIABLES, Rule

NEIGHBOURS = 2
"""Lines shown before and after one that matters."""
WHOLE = 120
"""A program of so many lines is listed whole."""


def program(story: Story, settings: Settings) -> dict[str, Any]:
    """The program, its steps and its end: texts, and fragments of HTML that hold no typed text."""
    query, answer = story.program.query, story.answer
    length = len(story.program.statements)
    title = f"Program {settings.program} of seed {settings.seed}: {number(length)} statements"
    cut = f", the first {number(length)} of them only" if story.is_cut else ""
    end = f"{query} is {answer}" if answer else f"{query} is unset"
    return {
        "title": f"{title}{cut}, then QUERY {query}. At the end {end}.",
        "query": query,
        "is_first": settings.program == 1,
        "is_last": settings.program == MAX_PROGRAM,
        "steps": [
            {
                "line": step.line,
                "kind": step.kind,
                "mark": _mark(step.kind, step.value, query),
                "text": _step_text(story, index),
            }
            for index, step in enumerate(story.steps)
        ],
        "lines": _lines(story),
        "loss": loss(story, settings),
        "state": _state_table(story, settings),
    }


def _step_text(story: Story, index: int) -> str:
    step = story.steps[index]
    statement = story.program.statements[step.line - 1]
    place = f"Step {index + 1} of {len(story.steps)}, line {number(step.line)}"
    return f"{place}: {statement} {step.words}"


def _lines(story: Story) -> str:
    """The lines around those that matter, the others counted; all of a short program."""
    statements, query = story.program.statements, story.program.query
    steps = {step.line: step for step in story.steps}
    givers = {entry.line for entry in story.entries if entry.variable == query}
    rules = {
        line
        for line, statement in enumerate(statements, start=1)
        if isinstance(statement, Rule) and statement.target == query
    }
    matter = set(steps) | givers | rules
    length = len(statements)
    shown = {
        line
        for line in range(1, length + 1)
        if length <= WHOLE
        or any(near in matter for near in range(line - NEIGHBOURS, line + NEIGHBOURS + 1))
    } | {1, length}
    parts, last = [], 0
    for line in sorted(shown):
        if line > last + 1:
            left_out = line - last - 1
            noun = "line" if left_out == 1 else "lines"
            parts.append(f"<li class=gap>{number(left_out)} {noun} that leave {query} alone</li>")
        step = steps.get(line)
        kind = f" class={step.kind}" if step else " class=might" if line in rules else ""
        mark = f"<em>{_mark(step.kind, step.value, query)}</em>" if step else ""
        parts.append(
            f"<li value={line} data-line={line}{kind}>"
            f"<code>{escape(str(statements[line - 1]))}</code>{mark}</li>"
        )
        last = line
    parts.append(f"<li class=asked value={length + 1}><code>QUERY {query}</code></li>")
    return f"<ol>{''.join(parts)}</ol>"


def _mark(kind: str, value: str | None, query: str) -> str:
    if value is None:
        return f"{query} unset"
    return f"{query} = {value}" + {"rule": ", by rule", "back": ", again"}.get(kind, "")


def loss(story: Story, settings: Settings) -> str:
    """What the drop compressor would have lost here, and whether the answer would be wrong."""
    lost = [entry.variable for entry in story.entries if entry.dropped is None]
    entries, query, rate = len(story.entries), story.program.query, words.share_of(settings.rate)
    if not lost:
        return f"Drop at {rate} would lose none of the {entries} entries here: the answer is right."
    listed = ", ".join(lost)
    begun = f"Drop at {rate} would lose {len(lost)} of {entries} entries here: {listed}."
    if story.answer is None:
        return f"{begun} {query} is unset and stays so: the answer is right."
    if query in lost:
        return f"{begun} {query} is among them: the answer would be “unset”, and wrong."
    return f"{begun} {query} is kept: the answer is right."


def _state_table(story: Story, settings: Settings) -> str:
    rate = words.share_of(settings.rate)
    head = ("Variable", "Value", "Given by line", f"After drop {rate}", f"Substitute {rate}")
    present = {entry.variable: entry for entry in story.entries}
    rows = []
    for variable in VARIABLES:
        asked = " (asked)" if variable == story.program.query else ""
        entry = present.get(variable)
        rows.append([f"{variable}{asked}", *_cells(entry)])
    return table(head, rows)


def _cells(entry: Entry | None) -> list[str]:
    if entry is None:
        return ["unset", "–", "unset", "unset"]
    wrong = "" if entry.substituted == entry.value else ", wrong"
    return [
        entry.value,
        number(entry.line),
        entry.dropped or "lost",
        f"{entry.substituted}{wrong}",
    ]
