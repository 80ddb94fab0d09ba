"""Missions as a reader plays them: with the page's own controls, with the keyboard, over days."""

import json

import pytest

import missions
from lab.text import controls
from tests.site import native

MISSIONS = missions.load()
FIRST, SECOND = MISSIONS[:2]


def choose(lab, mission):
    """Open the list and choose a mission."""
    if not lab.page.locator(f"[data-mission={mission.id}]").is_visible():
        lab.page.get_by_text("All missions", exact=True).click()
    lab.page.locator(f"[data-mission={mission.id}]").click()
    lab.settled()


def solve(lab, mission):
    lab.press("Load mission setup")
    for name, value in mission.solution.items():
        lab.set(name, value)
    lab.press("Check on 4 seeds")


def card(lab, part):
    return lab.page.locator(f"#mission-{part}").text_content()


@pytest.mark.parametrize("mission", MISSIONS, ids=lambda mission: mission.id)
def test_every_mission_is_won_with_the_pages_own_controls(lab, mission):
    choose(lab, mission)
    lab.press("Load mission setup")
    assert lab.tiles() == pytest.approx(
        native.tiles(seed=mission.seed, tasks=mission.tasks, **mission.start), rel=1e-9
    )
    lab.press("Check on 4 seeds")
    assert "misses by" in card(lab, "verdict")
    solve(lab, mission)
    assert card(lab, "verdict") == "Solved, on four seeds of four."
    assert mission.why in card(lab, "why")
    lab.press("Leave the mission")


@pytest.mark.parametrize("mission", [FIRST, SECOND], ids=lambda mission: mission.id)
def test_a_mission_is_won_with_the_keyboard_alone(new_lab, mission):
    lab = new_lab().open()
    keys = lab.page.keyboard

    def go_to(locator):
        for _ in range(200):
            if locator.evaluate("element => element === document.activeElement"):
                return
            keys.press("Tab")
        raise AssertionError("Tab does not reach it")

    if mission is not FIRST:
        go_to(lab.page.locator("#mission summary"))
        keys.press("Enter")
        go_to(lab.page.locator(f"[data-mission={mission.id}]"))
        keys.press("Enter")
        lab.settled()
        lab.page.evaluate("document.activeElement.blur()")
    go_to(lab.button("Load mission setup"))
    keys.press("Enter")
    lab.settled()
    lab.page.evaluate("document.activeElement.blur()")
    for name, value in mission.solution.items():
        control = controls()[name]
        if control.kind == "switch":
            go_to(lab.control(name))
            keys.press("Space")
        elif control.kind == "choice":
            go_to(lab.control(name).locator("input:checked"))
            while not lab.control(name).get_by_role("radio", name=value, exact=True).is_checked():
                keys.press("ArrowRight")
        else:
            go_to(lab.control(name))
            way = "ArrowRight" if value > float(lab.value(name)) else "ArrowLeft"
            for _ in range(2_000):
                if float(lab.value(name)) == pytest.approx(value):
                    break
                keys.press(way)
        lab.settled()
    lab.page.evaluate("document.activeElement.blur()")
    go_to(lab.button("Check on 4 seeds"))
    keys.press("Enter")
    lab.settled()
    assert card(lab, "verdict") == "Solved, on four seeds of four."


def test_meters_move_while_a_slider_is_dragged(new_lab):
    lab = new_lab().open()
    lab.press("Load mission setup")
    bar = lab.page.locator("#mission .meter .bar").last
    before = bar.get_attribute("width")
    lab.drag("trigger", 0.2)
    assert bar.get_attribute("width") != before


def test_locked_controls_cannot_be_moved_and_say_why(new_lab):
    lab = new_lab().open()
    lab.press("Load mission setup")
    for name in controls():
        if name != "tasks" and not FIRST.is_open(name) and name not in ("instruction_required",):
            box = lab.page.locator(f"[data-control={name}]")
            assert box.locator("input").first.is_disabled(), name
            assert box.get_attribute("title") == "locked in this mission"
    assert lab.page.locator("[data-control=window] output").text_content() == "64,000 tokens"


def test_progress_lasts_and_opens_the_next_mission(new_lab, host):
    lab = new_lab(host.url()).open()
    assert lab.page.locator(f"[data-mission={SECOND.id}]").is_disabled()
    solve(lab, FIRST)
    lab.page.goto(host.url(), wait_until="commit")
    lab.reach("live")
    lab.settled()
    assert card(lab, "title") == SECOND.title
    assert lab.page.locator(f"[data-mission={SECOND.id}]").is_enabled()
    lab.page.get_by_text("All missions", exact=True).click()
    lab.page.locator(f"[data-mission={FIRST.id}]").click()
    lab.settled()
    assert card(lab, "record").startswith("Best cost $")


def test_events_are_locked_in_free_play_until_everything_is_unlocked(new_lab, host):
    lab = new_lab(host.url()).open()
    assert lab.page.locator("#noisy_tools").is_disabled()
    assert "comes with mission" in lab.page.locator("[data-control=noisy_tools]").inner_text()
    lab.page.get_by_text("All missions", exact=True).click()
    lab.press("Unlock everything")
    lab.set("noisy_tools", True)
    assert lab.tiles() == pytest.approx(native.tiles(noisy_tools=True), rel=1e-9)


def test_progress_is_saved_forgotten_only_when_asked_twice_and_loaded_again(
    new_lab, host, tmp_path
):
    lab = new_lab(host.url()).open()
    solve(lab, FIRST)
    lab.page.get_by_text("All missions", exact=True).click()
    with lab.page.expect_download() as download:
        lab.button("Save progress").click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    assert list(json.loads(file.read_text())["solved"]) == [FIRST.id]

    lab.button("Reset progress").click()
    lab.button("Keep them").click()
    assert lab.page.locator(f"[data-mission={SECOND.id}]").is_enabled()
    lab.button("Reset progress").click()
    lab.button("Forget them").click()
    lab.page.locator(f"[data-mission={SECOND.id}][disabled]").wait_for()
    assert lab.page.evaluate("localStorage.getItem('lab-progress')") is None

    lab.page.set_input_files("#progress-file", file)
    lab.page.locator(f"[data-mission={SECOND.id}]:not([disabled])").wait_for()
    assert lab.notice == "The progress is loaded."


def test_a_file_that_is_no_progress_is_refused_in_a_sentence(lab, tmp_path):
    file = tmp_path / "holiday.json"
    file.write_text("{}")
    lab.page.set_input_files("#progress-file", file)
    lab.page.get_by_text("This file is not the lab's progress").wait_for()
    lab.button("Close this message").click()


def test_storage_that_is_blocked_is_survived_and_said(new_lab):
    lab = new_lab()
    lab.page.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new Error('blocked'); } })"
    )
    lab.open()
    solve(lab, FIRST)
    assert lab.notice.startswith("This browser does not let the page keep your progress.")
    assert card(lab, "verdict") == "Solved, on four seeds of four."


def test_nothing_moves_at_a_solution_with_reduced_motion(new_lab):
    moving = new_lab().open()
    solve(moving, FIRST)
    name = "getComputedStyle(document.getElementById('mission')).animationName"
    assert moving.page.evaluate(name) == "won"
    still = new_lab(reduced_motion="reduce").open()
    solve(still, FIRST)
    assert still.page.evaluate(name) == "none"


def test_a_link_opens_a_mission(new_lab, host):
    lab = new_lab(host.url() + f"?mission={SECOND.id}").open()
    assert card(lab, "title") == SECOND.title
    assert lab.tiles() == pytest.approx(
        native.tiles(seed=SECOND.seed, tasks=SECOND.tasks, **SECOND.start), rel=1e-9
    )
