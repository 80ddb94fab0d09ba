"""The live page: moving, pinning, restoring, typing nonsense, further seeds."""

from __future__ import annotations

import re

import pytest

from lab.text import controls
from lab.views import readout
from sim import compare
from tests.site import native

# --- moving -----------------------------------------------------------------------------------


def test_dragging_a_slider_moves_the_result(lab):
    lab.drag("window", 0.5, 0.2)
    window = int(lab.value("window"))
    assert 45_000 <= window <= 60_000
    assert lab.tiles() == pytest.approx(native.tiles(window=window), rel=1e-9)
    shown = lab.control("window").locator("xpath=..").locator("output").text_content()
    assert shown == f"{window:,} tokens"


def test_the_arrow_keys_move_a_slider_by_one_step(lab):
    lab.control("trigger").focus()
    lab.page.keyboard.press("ArrowRight")
    lab.settled()
    assert lab.value("trigger") == "0.81"
    assert lab.tiles() == pytest.approx(native.tiles(trigger=0.81), rel=1e-9)
    lab.page.keyboard.press("ArrowLeft")
    lab.page.keyboard.press("ArrowLeft")
    lab.settled()
    assert lab.tiles() == pytest.approx(native.tiles(trigger=0.79), rel=1e-9)


@pytest.mark.parametrize(("key", "window"), [("Home", 16_000), ("End", 200_000)])
def test_home_and_end_go_to_the_ends_of_a_slider(lab, key, window):
    lab.control("window").press(key)
    lab.settled()
    assert lab.tiles() == pytest.approx(native.tiles(window=window), rel=1e-9)


def test_a_slider_says_its_value_with_its_unit(lab):
    lab.set("window", 32_000)
    assert lab.control("window").get_attribute("aria-valuetext") == "32,000 tokens"
    lab.set("trigger", 0.57)
    assert lab.control("trigger").get_attribute("aria-valuetext") == "57 %"


def test_controls_without_effect_are_at_rest_and_come_back(lab):
    lab.set("strategy", "truncate")
    budget = lab.control("summary_budget")
    assert budget.is_disabled()
    assert "at rest: no summary" in budget.locator("xpath=..").inner_text()
    assert lab.control("keep_recent").is_disabled()
    assert lab.control("forgetful_summariser").is_disabled()
    lab.set("clear_tool_results", True)
    assert lab.control("keep_recent").is_enabled()
    lab.set("strategy", "summarise")
    assert budget.is_enabled()
    assert "1,000 tokens" in budget.locator("xpath=..").inner_text()


def test_a_control_that_goes_to_rest_keeps_its_value(lab):
    lab.set("summary_budget", 3_000)
    lab.set("strategy", "none")
    lab.set("strategy", "summarise")
    assert lab.value("summary_budget") == "3000"
    assert lab.tiles() == pytest.approx(native.tiles(summary_budget=3_000), rel=1e-9)


# --- pin and restore --------------------------------------------------------------------------


def test_a_pinned_run_is_the_baseline_and_stays_visible(lab):
    lab.set("window", 32_000)
    lab.pin()
    assert {lab.shown(key)["delta"] for key in lab.tiles()} == {"no change"}
    assert lab.button("Pin the current run").is_disabled()
    lab.set("notes", True)
    assert "Context window 32,000 tokens" in lab.baseline
    assert lab.shown("success")["delta"].startswith("▲")
    assert lab.shown("success")["tone"] == "good"


def test_back_to_the_baseline_restores_its_settings_and_keeps_the_seed(lab):
    lab.set("window", 32_000)
    lab.pin()
    lab.set("strategy", "truncate")
    lab.set("mean_steps", "20")
    lab.set("seed", "7")
    lab.press("Go back to it")
    assert (lab.value("window"), lab.value("mean_steps"), lab.value("seed")) == ("32000", "40", "7")
    assert lab.control("strategy").get_by_role("radio", name="summarise").is_checked()
    assert lab.tiles() == pytest.approx(native.tiles(seed=7, window=32_000), rel=1e-9)
    assert lab.button("Go back to it").is_disabled()


def test_pinning_right_after_a_move_pins_the_move(lab):
    """Both reach Python in one message while it is busy with the one before."""
    lab.page.evaluate(
        """() => {
          const input = document.getElementById('window');
          for (const value of [48000, 32000]) {
            input.value = value;
            input.dispatchEvent(new Event('input', { bubbles: true }));
          }
          document.getElementById('pin').disabled = false;
          document.getElementById('pin').click();
        }"""
    )
    lab.settled()
    assert lab.value("window") == "32000"
    assert "Context window 32,000 tokens" in lab.baseline
    assert lab.shown("success")["delta"] == "no change"


def test_a_visited_setting_is_restored_by_its_button_in_the_table(lab):
    lab.set("window", 32_000)
    lab.set("notes", True)
    lab.set("strategy", "truncate")
    rows = lab.table("visited")
    names = [row[1] for row in rows]
    wanted = "Context window 32,000 tokens"
    assert wanted in names
    table = lab.page.locator("details[data-table=visited]")
    table.get_by_role("row").filter(
        has=lab.page.get_by_role("rowheader", name=wanted, exact=True)
    ).last.get_by_role("button", name="Restore").click()
    lab.settled()
    assert lab.tiles() == pytest.approx(native.tiles(window=32_000), rel=1e-9)
    assert not lab.control("notes").is_checked()
    assert len(lab.table("visited")) == len(rows)


def test_a_visited_setting_is_restored_by_a_click_on_its_point(new_lab):
    lab = new_lab().open()
    lab.set("window", 32_000)
    lab.set("noisy_tools", True)
    lab.click_visited(1)
    assert lab.value("window") == "32000"
    assert not lab.control("noisy_tools").is_checked()
    assert lab.tiles() == pytest.approx(native.tiles(window=32_000), rel=1e-9)
    lab.click_visited(0)  # its point lies under the baseline's mark
    assert lab.value("window") == "64000"
    assert lab.tiles() == pytest.approx(native.tiles(), rel=1e-9)


def test_a_point_says_which_setting_it_is(new_lab):
    lab = new_lab().open()
    lab.set("window", 32_000)
    lab.page.mouse.move(*lab.point_of_visit(1))
    tiles = {tile["key"]: tile["text"] for tile in readout(native.session(window=32_000))["tiles"]}
    said = lab.page.get_by_text("Context window 32,000 tokens:", exact=False)
    said.wait_for()
    assert lab.page.locator("#visited-text").text_content() == (
        f"Context window 32,000 tokens: {tiles['success']} at {tiles['cost']}, seed 1."
    )


def test_an_impossible_setting_can_be_left_for_the_baseline(lab):
    lab.set("max_steps", "5")
    assert "“Fewest steps” is 8 but “Most steps” is 5" in lab.error
    lab.press("Go back to it")
    assert lab.value("max_steps") == "100"
    assert not lab.page.locator("#error").is_visible()


def test_the_status_is_not_written_again_when_it_stays(lab):
    lab.page.evaluate(
        """() => {
          window.written = 0;
          new MutationObserver(() => { window.written += 1; })
            .observe(document.getElementById('status-text'), { childList: true });
        }"""
    )
    lab.set("window", 32_000)
    lab.set("notes", True)
    assert lab.page.evaluate("window.written") == 0


def test_a_table_stays_up_to_date_while_it_is_open(lab):
    assert lab.table("costs")[2][1] == "$3.5962"
    lab.set("window", 32_000)
    cost = native.tiles(window=32_000)["cost"]
    assert lab.table("costs")[2][1] == f"${cost:,.4f}"


# --- seed and task ----------------------------------------------------------------------------


def test_a_new_random_seed_is_another_seed_and_its_own_tasks(lab):
    seen = set()
    for _ in range(3):
        lab.press("New random seed")
        seed = int(lab.value("seed"))
        seen.add(seed)
        assert 1 <= seed < 1_000_000
        assert lab.tiles() == pytest.approx(native.tiles(seed=seed), rel=1e-9)
    assert len(seen) == 3


def test_a_typed_seed_is_taken(lab):
    lab.set("seed", "12,345")
    assert lab.value("seed") == "12345"
    assert lab.tiles() == pytest.approx(native.tiles(seed=12_345), rel=1e-9)


def test_the_tasks_can_be_looked_at_one_by_one(lab):
    title = lab.page.locator("#task-title")
    assert lab.button("Task before").is_disabled()
    lab.press("Next task")
    lab.press("Next task")
    assert lab.value("task") == "2"
    assert title.inner_text().startswith("task 2 of 400: ")
    lab.press("Task before")
    lab.press("Task before")
    assert lab.value("task") == "0"
    lab.set("task", "399")
    assert lab.button("Next task").is_disabled()


# --- nonsense ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "typed", "range_"),
    [
        ("seed", "twelve", "from 0 to 9,007,199,254,740,991"),
        ("seed", "-1", "from 0 to 9,007,199,254,740,991"),
        ("seed", "9" * 400, "from 0 to 9,007,199,254,740,991"),
        ("task", "first", "from 0 to 9,999"),
        ("tasks", "", "from 1 to 10,000"),
        ("mean_steps", "NaN", "from 1 to 200"),
        ("mean_steps", "∞", "from 1 to 200"),
        ("fact_rate", "1.01", "from 0 to 1"),
        ("system_tokens", "<b>3000</b>", "from 0 to 1,000,000"),
    ],
)
def test_nonsense_in_a_field_is_answered_at_the_field_and_changes_nothing(lab, name, typed, range_):
    before = lab.tiles()
    lab.set(name, typed)
    sentence = lab.field_error(name)
    label = {"seed": "Seed", "task": "Task number"}.get(name) or controls()[name].label
    assert sentence.startswith(f"“{label}” is ")
    assert typed[:20] in sentence
    assert range_ in sentence
    assert lab.page.locator(f"#error-{name}").is_visible()
    assert lab.control(name).get_attribute("aria-invalid") == "true"
    assert lab.value(name) == typed
    assert lab.tiles() == before
    lab.set("window", 32_000)
    assert lab.tiles() == pytest.approx(native.tiles(window=32_000), rel=1e-9)
    assert lab.field_error(name) == sentence


def test_a_right_value_after_nonsense_takes_the_sentence_away(lab):
    lab.set("mean_steps", "forty")
    assert lab.field_error("mean_steps")
    lab.set("mean_steps", "30")
    assert not lab.page.locator("#error-mean_steps").is_visible()
    assert lab.control("mean_steps").get_attribute("aria-invalid") == "false"
    assert lab.tiles() == pytest.approx(native.tiles(mean_steps=30), rel=1e-9)


def test_settings_that_cannot_go_together_are_told_and_the_last_valid_result_stays(lab):
    lab.set("window", 32_000)
    before = lab.tiles()
    lab.set("system_tokens", "70,000")
    assert lab.error == (
        "“Context window” is 32,000 but must be at least 70,201 tokens, to hold the system prompt "
        "(70,000) and one step: give a larger window. The last valid setting is shown."
    )
    assert lab.page.locator("#error").is_visible()
    assert lab.tiles() == before
    lab.set("notes", True)
    assert lab.tiles() == before
    lab.set("window", 120_000)
    assert not lab.page.locator("#error").is_visible()
    expected = native.tiles(window=120_000, system_tokens=70_000, notes=True)
    assert lab.tiles() == pytest.approx(expected, rel=1e-9)


def test_another_task_can_be_asked_for_while_the_settings_cannot_go_together(lab):
    lab.set("system_tokens", "70000")
    lab.set("task", "500")
    assert lab.error.startswith("“Context window” is 64,000 but must be at least 70,201 tokens")
    lab.set("system_tokens", "3000")
    assert lab.tiles() == pytest.approx(native.tiles(), rel=1e-9)


# --- further seeds ----------------------------------------------------------------------------


def test_the_comparison_on_further_seeds_shows_its_progress_and_ends(lab):
    lab.page.evaluate(
        """() => {
          window.__done = [];
          const progress = document.getElementById('robust-progress');
          new MutationObserver(() => {
            if (!progress.hidden) window.__done.push(progress.value);
          }).observe(progress, { attributes: true });
        }"""
    )
    lab.set("tasks", "50")
    lab.set("window", 32_000)
    lab.button("Same result on 20 seeds?").click()
    lab.robust_reaches("done")
    done = lab.page.evaluate("window.__done")
    assert done == sorted(done)
    assert set(done) == set(range(20))
    assert lab.button("Same result on 20 seeds?").is_visible()
    assert not lab.button("Cancel").is_visible()
    assert lab.page.locator("#robust-table").is_visible()


def test_the_baseline_has_nothing_to_be_compared_with(lab):
    lab.press("Same result on 20 seeds?")
    assert lab.robust_reaches("same").startswith("Nothing to compare yet")


def test_the_comparison_can_be_cancelled_and_keeps_what_it_found(lab):
    lab.set("tasks", "5000")
    lab.set("window", 32_000)
    lab.button("Same result on 20 seeds?").click()
    lab.robust_reaches("running")
    lab.view.wait_for_function("document.getElementById('robust-progress').value >= 1")
    lab.button("Cancel").click()
    words = lab.robust_reaches("cancelled")
    found = re.match(r"Cancelled\. Success (rises|falls) on (\d+) of (\d+) seeds", words)
    assert found
    assert 1 <= int(found[3]) < 20
    first = compare(native.run(1, 5_000), native.run(1, 5_000, window=32_000))["success"].value
    row = lab.rows(lab.page.locator("#robust-table"))[0]
    assert row[1].startswith(f"{'▲' if first > 0 else '▼'} {found[2]} of {found[3]}")
    lab.set("window", 48_000)
    assert lab.tiles() == pytest.approx(native.tiles(tasks=5_000, window=48_000), rel=1e-9)


def test_moving_a_slider_meanwhile_drops_the_comparison(lab):
    lab.set("tasks", "5000")
    lab.set("window", 32_000)
    lab.button("Same result on 20 seeds?").click()
    lab.view.wait_for_function("document.getElementById('robust-progress').value >= 1")
    lab.set("window", 48_000)
    assert lab.robust_reaches("idle") == ""
    assert lab.button("Same result on 20 seeds?").is_visible()
    assert not lab.page.locator("#robust-table").is_visible()
    assert lab.tiles() == pytest.approx(native.tiles(tasks=5_000, window=48_000), rel=1e-9)


# --- a storm of moves -------------------------------------------------------------------------

STORM = """async windows => {
  const input = document.getElementById('window');
  const tiles = [...document.querySelectorAll('[data-tile]')];
  const seen = [], settled = [];
  const look = () => {
    const shown = tiles.map(tile => Number(tile.dataset.value));
    if (JSON.stringify(shown) !== JSON.stringify(seen.at(-1))) seen.push(shown);
    if (document.documentElement.dataset.settled === 'true') {
      settled.push([Number(input.value), shown]);
    }
  };
  let watching = true;
  (function frame() { look(); if (watching) requestAnimationFrame(frame); })();
  const begin = performance.now();
  for (const [index, value] of windows.entries()) {
    const due = begin + 2000 * index / windows.length;
    await new Promise(resolve => setTimeout(resolve, Math.max(0, due - performance.now())));
    input.value = value;
    input.dispatchEvent(new Event('input', { bubbles: true }));
    look();
  }
  while (document.documentElement.dataset.settled !== 'true') {
    await new Promise(requestAnimationFrame);
  }
  look();
  watching = false;
  return { seen, settled };
}"""


def test_of_sixty_moves_in_two_seconds_the_last_wins_and_nothing_stale_is_shown(lab):
    tasks = 3_000  # so many that the moves come faster than their results
    lab.set("tasks", tasks)
    windows = [20_000 + 1_000 * (37 * i % 101) for i in range(60)]
    assert len(set(windows)) == 60
    told = lab.page.evaluate(STORM, windows)
    real = {w: list(native.tiles(tasks=tasks, window=w).values()) for w in [64_000, *windows]}

    def window_of(shown):
        (match,) = [w for w, tiles in real.items() if tiles == pytest.approx(shown, rel=1e-9)]
        return match

    order = [window_of(shown) for shown in told["seen"]]  # no mixture of two settings
    places = [[64_000, *windows].index(window) for window in order]
    assert places == sorted(places)  # an older result never follows a newer one
    assert 2 < len(places) < 60  # some were overtaken, and still there was something to see
    for window, shown in told["settled"]:
        assert window_of(shown) == window
    assert order[-1] == windows[-1] == int(lab.value("window"))
    assert list(lab.tiles().values()) == pytest.approx(real[windows[-1]], rel=1e-9)
