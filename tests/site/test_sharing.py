"""The address holds the state, is followed and repaired; and what is taken along."""

import csv
import io
import json
from urllib.parse import parse_qsl, urlsplit

import pytest

from tests.site import native


def query_of(lab):
    parts = dict(parse_qsl(urlsplit(lab.page.url).query))
    parts.pop("unlock", None)
    return parts


def addressed(lab, **expected):
    """Wait until the address holds exactly this, besides its version."""
    lab.page.wait_for_function(
        """expected => {
          const parts = Object.fromEntries(new URLSearchParams(location.search));
          delete parts.v;
          delete parts.unlock;
          const names = Object.keys(parts);
          return names.length === Object.keys(expected).length
            && names.every(name => parts[name] === expected[name]);
        }""",
        arg={name.replace("__", "."): value for name, value in expected.items()},
    )


def saved(lab, press):
    with lab.page.expect_download() as download:
        press()
    return download.value.suggested_filename, download.value.path().read_bytes()


def test_the_address_follows_what_is_set(new_lab):
    lab = new_lab().open()
    assert query_of(lab) == {}
    lab.set("window", 32_000)
    lab.set("notes", True)
    lab.pin()
    lab.set("seed", "5")
    lab.set("notes", False)
    addressed(lab, window="32000", seed="5", base__window="32000", base__notes="true")


def test_a_link_opens_what_was_set_with_the_same_numbers(new_lab, host):
    link = "?v=1&window=32000&tool_tokens_median=1234.5&seed=5&task=3&base.notes=true"
    lab = new_lab(host.url() + link).open()
    settings = {"window": 32_000, "tool_tokens_median": 1_234.5}
    assert lab.tiles() == pytest.approx(native.tiles(seed=5, **settings), rel=1e-9)
    assert lab.baseline == native.baseline(
        native.session(seed=5, baseline={"notes": True}, **settings)
    )
    shown = lab.settings()
    assert (shown["window"], shown["tool_tokens_median"], shown["task"]) == ("32000", "1234.5", "3")
    assert lab.notice == ""


def test_a_link_says_whose_results_are_shown_until_it_is_live(new_lab, host):
    with host.holding("packages.tar.gz") as (url, release):
        lab = new_lab(url + "?window=32000").open("runtime")
        assert lab.status.startswith("These are the results of the default setting")
        lab.move("keep_recent", 2)
        release.set()
        lab.reach("live")
        lab.settled()
    assert lab.status.startswith("Live.")
    assert lab.tiles() == pytest.approx(native.tiles(window=32_000, keep_recent=2), rel=1e-9)


def test_back_and_forward_go_through_the_settings_rested_at(new_lab):
    lab = new_lab().open()
    before = lab.page.evaluate("history.length")
    for window in range(30_000, 40_000, 1_000):
        lab.move("window", window)
    addressed(lab, window="39000")
    lab.set("notes", True)
    addressed(lab, window="39000", notes="true")
    assert lab.page.evaluate("history.length") == before + 2

    lab.page.go_back()
    lab.settled()
    assert not lab.control("notes").is_checked()
    assert lab.tiles() == pytest.approx(native.tiles(window=39_000), rel=1e-9)
    lab.page.go_back()
    lab.settled()
    assert lab.value("window") == "64000"
    assert lab.tiles() == pytest.approx(native.tiles(), rel=1e-9)
    lab.page.go_forward()
    lab.settled()
    assert lab.tiles() == pytest.approx(native.tiles(window=39_000), rel=1e-9)


def test_a_place_of_the_page_is_gone_to_without_losing_a_change(new_lab):
    lab = new_lab().open()
    lab.set("window", 32_000)
    lab.page.get_by_role("link", name="deterministic synthetic model").click()
    addressed(lab, window="32000")
    lab.settled()
    assert lab.tiles() == pytest.approx(native.tiles(window=32_000), rel=1e-9)


def test_a_bad_link_is_repaired_and_says_so(new_lab, host):
    lab = new_lab(host.url() + "?v=9&window=lots&notes=true&windo=%3Cimg%20src=x%3E").open()
    assert lab.notice.startswith("Not everything in this link could be used")
    assert "window is 'lots' but must be a whole number" in lab.notice
    assert lab.tiles() == pytest.approx(native.tiles(notes=True), rel=1e-9)
    addressed(lab, notes="true")
    assert lab.page.locator("#notice img").count() == 0
    lab.button("Close this message").click()
    assert lab.notice == ""


def test_a_value_beyond_the_slider_is_shown_and_kept(new_lab, host):
    lab = new_lab(host.url() + "?window=1000000&trigger=0.555").open()
    assert lab.value("window") == "1000000"
    assert lab.page.locator("[data-control=trigger] output").text_content() == "55.5 %"
    assert lab.tiles() == pytest.approx(native.tiles(window=1_000_000, trigger=0.555), rel=1e-9)


def test_the_scheme_is_part_of_the_address(new_lab, host):
    lab = new_lab(host.url() + "?theme=dark").open()
    assert lab.page.evaluate("document.documentElement.dataset.theme") == "dark"
    lab.button("Switch between light and dark").click()
    assert query_of(lab) == {"theme": "light"}


def test_the_link_is_copied(new_lab):
    lab = new_lab(permissions=["clipboard-read", "clipboard-write"]).open()
    lab.set("window", 32_000)
    lab.button("Copy link").click()
    lab.page.get_by_text("The link is copied.").first.wait_for()
    copied = lab.page.evaluate("navigator.clipboard.readText()")
    assert urlsplit(copied).query == "v=1&window=32000"


def test_a_link_that_cannot_be_copied_is_shown(new_lab):
    lab = new_lab().open()
    lab.page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(); }")
    lab.button("Copy link").click()
    place = lab.page.get_by_role("textbox", name="Copy this")
    place.wait_for()
    assert place.input_value() == lab.page.url.removesuffix("?unlock=all")


def test_the_run_is_saved_as_json(lab):
    lab.set("window", 32_000)
    name, text = saved(lab, lambda: lab.button("Save as JSON").click())
    made = json.loads(text)
    assert name == "compaction-run-seed-1.json"
    assert made["baseline"]["cost"] == native.tiles()["cost"]
    assert {key: made["candidate"][key] for key in lab.tiles()} == pytest.approx(
        native.tiles(window=32_000), rel=1e-12
    )


def test_a_table_is_saved_as_csv(lab):
    lab.table("costs")
    fold = lab.page.locator("details[data-table=costs]")
    name, text = saved(lab, lambda: fold.get_by_role("button", name="CSV").click())
    rows = list(csv.DictReader(io.StringIO(text.decode(), newline="")))
    assert name == "compaction-costs-seed-1.csv"
    assert [row["reader"] for row in rows] == ["requests", "summariser"]


@pytest.mark.parametrize("chart", ["context", "lives", "causes", "costs", "visited"])
def test_every_chart_is_saved_as_png_and_svg(lab, chart):
    lab.table(chart)
    fold = lab.page.locator(f"details[data-table={chart}]")
    name, image = saved(lab, lambda: fold.get_by_role("button", name="PNG").click())
    assert name == f"compaction-{chart}.png"
    assert image.startswith(b"\x89PNG")
    assert len(image) > 2_000
    name, drawing = saved(lab, lambda: fold.get_by_role("button", name="SVG").click())
    assert name == f"compaction-{chart}.svg"
    assert drawing.startswith(b"<svg")
    assert drawing.count(b"<path") > 3


def test_the_code_for_the_same_numbers_is_shown(lab):
    lab.set("window", 32_000)
    lab.button("Show as code").click()
    dialog = lab.page.get_by_role("dialog", name="The same numbers outside this page")
    dialog.wait_for()
    assert "Scenario().replace(window=32000)" in dialog.locator("#code-python").text_content()
    assert dialog.locator("#code-command").text_content() == (
        "python -m sim compare --seed 1 --tasks 400 --b window=32000 --json"
    )
    lab.page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")
