"""The real agents: choosing one, all of them on the same tasks, the chart and the table."""

from __future__ import annotations

import asyncio
import re

import pytest

from lab.agents import SORTED_BY, Agents
from lab.ranking import WIDTHS, _meet, front, labels
from lab.session import Session
from lab.state import LabState
from sim import Scenario, simulate
from sim.presets import PRESETS, compare_presets
from sim.profiles import PROFILES
from tests.lab.desk import Desk


def compared(**settings):
    agents = Agents(Session(LabState(tasks=20, **settings)))
    asyncio.run(agents.compare(lambda: None))
    return agents


@pytest.fixture(scope="module")
def done():
    return compared()


# --- one -------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", ["Claude Code", " claude code ", "claude_code", "laude"])
def test_an_agent_is_found_by_its_name_its_id_or_a_part_that_no_other_has(words):
    agents = Agents(Session(LabState(tasks=5)))
    agents.choose(words)
    assert agents.chosen is PRESETS["claude_code"]
    agents.choose("")
    assert agents.chosen is None


def test_an_agent_that_is_not_in_the_list_is_refused_with_a_sentence():
    desk = Desk()
    desk.act("panels", ["agents"])
    said = desk.act("preset", "Clod Code")["readout"]["agents"]
    assert "No agent of the list is called &#x27;Clod Code&#x27;. Choose one" in said["info"]
    assert said["chosen"] == ""
    said = desk.act("preset", "inspect")["readout"]["agents"]
    assert "in the names of 2 agents: Inspect AI, summary, Inspect AI, trim." in said["info"]
    assert said["chosen"] == ""
    assert desk.act("preset", "")["readout"]["agents"]["info"] == ""


def test_using_a_preset_sets_its_policy_at_the_window_that_is_set_and_leaves_the_rest():
    desk = Desk()
    desk.set(caching=True, summariser_cache="cold", tasks="40")
    desk.act("preset", "Codex CLI, local compaction")
    desk.act("use-preset")
    base = Scenario().replace(caching=True)
    wanted = PRESETS["codex"].scenario(64_000, base)
    assert desk.session.run.scenario == wanted
    assert desk.state.caching is True


def test_a_preset_may_bring_its_own_window():
    desk = Desk()
    desk.set(tasks="20")
    desk.act("preset-window", "own")
    desk.act("load-preset", "codex")
    assert desk.state.window == 258_400


def test_the_chosen_agent_says_what_it_describes_and_what_is_left_out():
    desk = Desk()
    desk.act("panels", ["agents"])
    desk.act("preset", "codex")
    said = desk.readout["agents"]
    preset = PRESETS["codex"]
    for words in (preset.name, preset.version, preset.evidence, "258,400 tokens"):
        assert words in said["info"]
    assert "What the model leaves out" in said["info"]


@pytest.mark.parametrize("name", PROFILES)
def test_a_workload_sets_the_tasks_and_is_shown_as_the_one_in_force(name):
    desk = Desk()
    desk.act("panels", ["agents"])
    desk.set(window=100_000, tasks="20")
    desk.act("profile", name)
    settings = PROFILES[name].settings
    assert {key: getattr(desk.state, key) for key in settings} == dict(settings)
    assert desk.state.window == 100_000
    assert desk.readout["agents"]["profile"] == name


# --- all -------------------------------------------------------------------------------------


def test_all_agents_are_run_on_the_shown_tasks_and_give_what_the_shell_gives(done):
    rows = compare_presets(window=64_000, seed=1, tasks=20)
    assert {row.preset.id: row.tiles for row in done.rows} == {
        row.preset.id: row.tiles for row in rows
    }
    assert {row.preset.id: row.difference["success"] for row in done.rows} == {
        row.preset.id: row.success_difference for row in rows
    }


def test_comparing_tells_its_progress_and_can_be_cancelled():
    agents = Agents(Session(LabState(tasks=5)))
    told: list[int] = []

    def progress():
        told.append(len(agents.rows))
        if len(agents.rows) == 3:
            agents.cancel()

    asyncio.run(agents.compare(progress))
    assert (agents.state, len(agents.rows), told) == ("cancelled", 3, [0, 1, 2, 3, 3])


def test_a_comparison_is_forgotten_with_other_tasks_and_kept_with_another_policy():
    agents = compared()
    state, session = agents.session.state, agents.session
    for settings, kept in (({"trigger": 0.5}, True), ({"caching": True}, False)):
        state.param.update(**settings)
        session.update()
        agents.update()
        assert (agents.state == "done") is kept
    assert agents.rows == []


def test_loading_an_agent_gives_its_row_and_keeps_the_comparison():
    agents = compared()
    for name in ("claude_code", "roo"):  # the first brings a cap on tool results of its own
        agents.choose(name)
        agents.session.state.param.update(**agents.settings())
        agents.session.update()
        agents.update()
        row = next(row for row in agents.rows if row.preset.id == name)
        assert agents.session.run.tiles == row.tiles
        assert agents.state == "done"


def test_an_agent_without_room_is_named_and_the_others_are_run():
    agents = compared(system_tokens=30_000)
    agents.at_own_window = True
    asyncio.run(agents.compare(lambda: None))
    assert [preset.id for preset in agents.refused] == ["end_of_context_24k"]
    assert len(agents.rows) == len(PRESETS) - 1


# --- the table -------------------------------------------------------------------------------


def test_the_table_is_sorted_by_the_best_success_and_then_by_what_is_asked(done):
    for key in SORTED_BY[1:]:
        done.sort(key)
        first = done.is_falling
        values = [row.tiles[key].value for row in done.in_order()]
        assert values == sorted(values, reverse=first)
        done.sort(key)
        assert done.is_falling is not first
    with pytest.raises(ValueError, match="'price' is not a column"):
        done.sort("price")


def test_the_table_says_how_it_is_sorted():
    async def play():
        desk = Desk()
        desk.act("panels", ["agents"])
        desk.set(tasks="5")
        desk.act("compare-presets")
        await desk.lab.settled()
        desk.receive({})
        table = desk.readout["agents"]["table"]
        assert re.findall(r"aria-sort=(\w+)><button type=button id=(\S+)", table) == [
            ("descending", "sort-success")
        ]
        desk.act("sort-presets", "cost")
        table = desk.readout["agents"]["table"]
        assert re.findall(r"aria-sort=(\w+)><button type=button id=(\S+)", table) == [
            ("ascending", "sort-cost")
        ]
        assert table.count("data-load=") == len(PRESETS)
        desk.act("load-preset", "roo")
        assert (
            "<tr aria-current=true><th scope=row><button type=button id=load-roo"
            in (desk.readout["agents"]["table"])
        )
        figures = desk.figures()
        points = figures.named("agents-data").data
        assert len(points["cost"]) == len(PRESETS)
        assert figures.named("agent-chosen-data").data["cost"] == [
            desk.session.run.tiles["cost"].value
        ]

    asyncio.run(play())


# --- words in the chart ----------------------------------------------------------------------


@pytest.mark.parametrize("width", WIDTHS.values())
def test_no_two_words_overlap_and_none_leaves_the_chart(done, width):
    costs = [row.tiles["cost"].value for row in done.rows]
    span = (min(costs) - 0.3, max(costs) + 0.3)
    placed = labels(front(done.rows), done.rows, span, width)
    boxes = []
    for cost, success, name, align, dx, dy in placed:
        x = (cost - span[0]) / (span[1] - span[0]) * width + dx
        y = (1.05 - success) / 1.1 * 284 + dy
        long = 6.4 * len(name)
        left = x - {"left": 0, "right": long, "center": long / 2}[align]
        boxes.append((left, y - 7.5, left + long, y + 7.5))
    assert len(boxes) >= 8
    assert all(box[0] >= 0 and box[2] <= width for box in boxes)
    assert not any(_meet(a, b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_the_first_words_go_to_agents_that_no_other_beats(done):
    best = front(done.rows)
    most = max(row.tiles["success"].value for row in done.rows)
    assert best[0].tiles["success"].value == most
    least = min(row.tiles["cost"].value for row in done.rows)
    unbeaten = [
        row for row in done.rows
        if not any(
            other.tiles["success"].value > row.tiles["success"].value
            and other.tiles["cost"].value < row.tiles["cost"].value
            for other in done.rows
        )
    ]  # fmt: skip
    assert {row.preset.id for row in best[:3]} <= {row.preset.id for row in unbeaten}
    assert any(row.tiles["cost"].value == least for row in unbeaten)


def test_the_same_setting_in_the_lab_and_in_the_simulator():
    desk = Desk()
    desk.set(tasks="30")
    desk.act("load-preset", "claude_code")
    run = simulate(desk.session.run.scenario.to_dict(), seed=1, tasks=30)
    assert run.tiles == desk.session.run.tiles


def test_a_workload_that_does_not_go_with_what_is_set_is_not_in_force():
    """With the long horizon, the coding agent's tasks would be longer than any may be."""
    state = LabState(tasks=5, mean_steps=50.0, long_horizon=True)
    assert Agents(Session(state)).profile_in_force == ""
    state = LabState(tasks=5, **PROFILES["coding"].settings)
    assert Agents(Session(state)).profile_in_force == "coding"
