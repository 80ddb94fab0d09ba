"""What a reader takes along: a run as JSON, a table as CSV, code that gives the same numbers."""

from __future__ import annotations

import csv
import io
import json
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Any

from lab.session import Session
from lab.state import DEFAULTS, changed
from lab.tables import causes
from sim import EVENTS, Outcome, is_base, report, report_pair

if TYPE_CHECKING:  # not every visitor opens the agents, and importing them takes a while
    from lab.agents import Agents

Rows = Iterable[Sequence[Any]]
AGENT_TILES = ("success", "cost", "needed_lost", "compactions")


@dataclass(frozen=True, kw_only=True, slots=True)
class Export:
    """A file for the page to hand out."""

    name: str
    type: str
    text: str


def run_json(session: Session) -> Export:
    """The run; beside a baseline that differs, both and their paired difference. Unrounded."""
    run = session.run
    content = report(run) if session.is_baseline else report_pair(session.baseline, run)
    text = json.dumps(content, indent=1, allow_nan=False) + "\n"
    return Export(name=f"compaction-run-seed-{run.seed}.json", type="application/json", text=text)


def table_csv(session: Session, name: str) -> Export:
    """One of the tables, unrounded, a column for each quantity. Raises ValueError for no table."""
    if name not in COLUMNS:
        raise ValueError(f"{name!r} is not a table of the lab")
    head, rows = COLUMNS[name](session)
    task = f"-task-{session.state.task}" if name in ("context", "lives") else ""
    name = f"compaction-{name}-seed-{session.run.seed}{task}.csv"
    return Export(name=name, type="text/csv", text=_csv(head, rows))


def agents_csv(agents: Agents) -> Export:
    """The comparison of the real agents as it is sorted, unrounded, with its intervals."""
    head = [
        "agent", "version",
        *(f"{key}{part}" for key in AGENT_TILES for part in ("", "_low", "_high")),
    ]  # fmt: skip
    rows = [
        (row.preset.name, row.preset.version,
         *(part for key in AGENT_TILES for part in astuple(row.tiles[key])))
        for row in agents.in_order()
    ]  # fmt: skip
    seed = agents.session.run.seed
    return Export(name=f"compaction-agents-seed-{seed}.csv", type="text/csv", text=_csv(head, rows))


def _csv(head: Sequence[str], rows: Rows) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")  # as the format's standard has it
    writer.writerow(head)
    writer.writerows(rows)
    return buffer.getvalue()


def as_python(session: Session) -> str:
    """A script that prints the tiles, and the paired difference to a baseline that differs."""
    run = session.run
    lines = ["from sim import Scenario, compare, simulate", ""]
    lines.append(f"run = {_simulated(run)}")
    lines.append("for name, tile in run.tiles.items():")
    lines.append("    print(name, tile.value)")
    if session.is_baseline:
        lines[0] = "from sim import Scenario, simulate"
    else:
        lines += ["", f"baseline = {_simulated(session.baseline)}"]
        lines.append("for name, difference in compare(baseline, run).items():")
        lines.append("    print(name, difference.value, difference.low, difference.high)")
    return "\n".join(lines) + "\n"


def as_command(session: Session) -> str:
    """A shell command that prints the run, or its comparison with a baseline that differs."""
    run, baseline = session.run, session.baseline
    sitting = f"--seed {run.seed} --tasks {len(run)}"
    now = changed(run.scenario.to_dict())
    if session.is_baseline:
        return f"python -m sim run {sitting}{_options('--set', now)} --json"
    pinned = changed(baseline.scenario.to_dict())
    pair = _options("--a", pinned, events=False) + _options("--b", now, events=False)
    return f"python -m sim compare {sitting}{pair} --json"


def _simulated(run: Outcome) -> str:
    settings = changed(run.scenario.to_dict())
    words = ", ".join(f"{name}={value!r}" for name, value in settings.items())
    scenario = f"Scenario().replace({words})" if words else "Scenario()"
    return f"simulate({scenario}, seed={run.seed}, tasks={len(run)})"


def _options(flag: str, settings: dict[str, Any], events: bool = True) -> str:
    words = []
    for name, value in settings.items():
        if events and name in EVENTS and value:
            words.append(f" --event {name}")
        else:
            text = str(value).lower() if isinstance(value, bool) else str(value)
            words.append(f" {flag} {shlex.quote(f'{name}={text}')}")
    return "".join(words)


def _context(session: Session) -> tuple[Sequence[str], Rows]:
    line = session.timeline
    edits = ["; ".join(e.kind for e in line.events if e.step == s) for s in range(len(line.after))]
    rows = [
        (step + 1, int(line.read[step]), int(after), int(left), done)
        for step, (after, left, done) in enumerate(zip(line.after, line.left, edits, strict=True))
    ]
    if not line.failed:
        rows.append(("answer", int(line.read[-1]), "", "", ""))  # type: ignore[arg-type]
    return ("step", "request_tokens", "tokens_after_step", "tokens_after_edits", "edits"), rows


def _lives(session: Session) -> tuple[Sequence[str], Rows]:
    facts = session.timeline.facts
    columns = ("step", "needed", "restated", "noted", "lost_at", "restated_at", "summarised_at")
    rows = []
    for row, (state, cause) in enumerate(
        zip(facts.state_names(), facts.cause_names(), strict=True)
    ):
        values = [getattr(facts, name)[row].item() for name in columns]
        steps = [
            value if isinstance(value, bool) else value + 1 if value >= 0 else ""
            for value in values
        ]
        rows.append((row + 1, *steps, int(facts.fold[row]), state, cause or ""))
    return ("fact", *columns, "lost_in_summary", "state", "cause"), rows


def _causes(session: Session) -> tuple[Sequence[str], Rows]:
    return ("cause", "needed_facts_lost"), causes(session.run).items()


def _costs(session: Session) -> tuple[Sequence[str], Rows]:
    return ("reader", "dollars_per_task"), session.run.cost_split.items()


def _visited(session: Session) -> tuple[Sequence[str], Rows]:
    visits = session.visits
    moved = {name for visit in visits for name in visit.changes}
    names = [name for name in DEFAULTS if is_base(name) or name in moved]
    rows = [
        (visit.seed, visit.tasks, visit.success, visit.cost,
         *(visit.changes.get(name, DEFAULTS[name]) for name in names))
        for visit in visits
    ]  # fmt: skip
    return ("seed", "tasks", "success", "cost", *names), rows


COLUMNS: dict[str, Callable[[Session], tuple[Sequence[str], Rows]]] = {
    "context": _context, "lives": _lives, "causes": _causes, "costs": _costs, "visited": _visited,
}  # fmt: skip
