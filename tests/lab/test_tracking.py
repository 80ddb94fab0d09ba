"""The state-tracking tab without a page: its settings, its results, its words."""

import json
from dataclasses import replace
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.app import Lab
from lab.tracking import listing, tables, words
from lab.tracking.feeds import INKS
from lab.tracking.figures import document_json
from lab.tracking.settings import COMPRESSORS, Settings, from_query, from_values, to_query
from lab.tracking.steps import story_of
from lab.tracking.study import COARSE, LENGTHS, calculate, crossing_map
from lab.tracking.tab import Tab
from sim import Estimate, ScenarioError
from sim.studies.state_tracking import GRAMMARS, answer, interpret, score

some_settings = st.builds(
    Settings,
    grammar=st.sampled_from(GRAMMARS),
    statements=st.integers(1, 400),
    target_rate=st.floats(0.001, 1),
    last_position=st.floats(0.01, 1),
    value_reuse=st.floats(0, 1),
    compressor=st.sampled_from(COMPRESSORS),
    rate=st.floats(0, 1),
    compressed=st.sampled_from([0.0, 0.37, 1.0]),
    seed=st.integers(0, 2**53 - 1),
    program=st.integers(1, 100),
)


# --- settings and links ------------------------------------------------------------------------


@given(some_settings)
def test_a_link_brings_back_what_was_set(settings):
    assert from_query(to_query(settings)) == (settings, ())


def test_a_link_leaves_out_what_is_as_at_the_start():
    assert to_query(Settings()) == ""
    assert to_query(Settings(rate=0.3, compressor="substitute")) == (
        "st.compressor=substitute&st.rate=0.3"
    )


def test_a_link_is_repaired_and_says_where():
    settings, ignored = from_query("?tab=state-tracking&st.rate=lots&st.statements=99&st.colour=1")
    assert settings == Settings(statements=99)
    assert ignored == (
        "rate is 'lots' but must be a number from 0 to 1: for example 0.2.",
        "'st.colour' is no setting of this tab.",
    )


def test_a_typed_number_is_read_with_its_thousands():
    assert from_values({"seed": "1,000"}).seed == 1000
    with pytest.raises(ScenarioError, match=r"^program is 0 but must be a whole number from 1"):
        from_values({"program": "0"})
    with pytest.raises(ValueError, match="'colour' is not a setting of the tab"):
        from_values({"colour": 1})


def test_a_pasted_table_has_a_most():
    with pytest.raises(ScenarioError, match=r"^curve is too long but must have at most 2,000"):
        Settings(curve="1" * 2001)


# --- the curves --------------------------------------------------------------------------------


def test_the_default_crosses_at_about_four_hundred_statements():
    result = calculate(Settings())
    assert result.state.value == 0.8035
    assert result.n_star.low < result.n_star.value < result.n_star.high
    assert 380 < result.n_star.value < 420
    lead, rest = words.sentence(result)
    assert lead == f"From {result.n_star.value:.0f} statements on, the lossy state answers better."
    assert "the state 80 % (79 to 82). N* lies between" in rest


def test_the_state_answers_as_the_study_scores_it():
    settings = Settings(statements=120, grammar="mixed", rate=0.4)
    ours = calculate(settings, COARSE).state
    assert ours == score(settings.recipe, settings.lossy, seed=1, programs=COARSE.mixed)


def test_a_larger_loss_is_never_ahead_earlier():
    found = [calculate(Settings(rate=rate), COARSE).n_star.value for rate in (0.1, 0.3, 0.6, 1)]
    assert found == sorted(found)
    assert found[-1] == inf


def test_an_oracle_is_better_from_the_start_and_a_lost_state_never():
    oracle, lost = Settings(compressor="oracle"), Settings(rate=1)
    assert words.sentence(calculate(oracle, COARSE))[0] == "The state is better at any length."
    assert words.sentence(calculate(lost, COARSE))[0] == "The lossy state is never better."


def test_what_has_no_data_is_called_extrapolated():
    inside = calculate(Settings(), COARSE)
    assert LENGTHS[inside.is_extrapolated][[0, -1]].tolist() == [10, 10_000]
    assert not inside.is_extrapolated[(LENGTHS >= 100) & (LENGTHS <= 5000)].any()
    assert "extrapolated" not in words.sentence(inside)[1]
    outside = calculate(Settings(target_rate=0.4), COARSE)
    assert outside.is_extrapolated.all()
    assert "All of it is extrapolated: no such target rate was tried." in words.sentence(outside)[1]
    early = calculate(Settings(target_rate=0.2, rate=0.02), COARSE)
    assert words.sentence(early)[1].endswith(
        "N* is extrapolated: 100 to 5,000 statements were tried."
    )


def test_the_mixed_curve_says_whose_it_is_and_shows_what_was_measured():
    tab = Tab()
    measured = tab.receive({"values": {"grammar": "mixed"}})["feeds"]["measured"]
    assert (measured["x"][-1], measured["y"][-1]) == (5000, 0.05)
    assert measured["high"][-1] - measured["low"][-1] == pytest.approx(2 * 0.043)
    assert words.source(tab.result) == (
        "Curve: Claude Haiku 4.5, a single model, 100 answers a length, 10 to 5,000 statements "
        "(GRIP)."
    )


def test_the_seed_s_own_crossing_stands_beside_ours():
    assert words.seed_says(Settings()) == (
        "Seed 000 has 500 here. It read 60 % for this state, in 5 trials."
    )
    assert words.seed_says(Settings(rate=0.25)) == ""
    assert words.seed_says(Settings(target_rate=0.05)) == ""


def test_a_pasted_curve_takes_the_place_of_the_published_one():
    table = "100, 99 %, 100\n1000, 60 %, 100\n5000, 12 %, 100"
    tab = Tab()
    published = tab.receive({"values": {}})
    own = tab.receive({"values": {"curve": table}})
    assert own["curve_error"] == ""
    assert own["lead"] != published["lead"]
    assert own["source"] == "Curve: your table, 100 to 5,000 statements."
    assert "no-map" in own["when"]


def test_a_bad_table_leaves_the_last_curve_and_one_sentence():
    tab = Tab()
    before = tab.receive({"values": {}})
    after = tab.receive({"values": {"curve": "nonsense"}})
    assert after["curve_error"].startswith("table has 0 rows but must have from 1 to 1,000:")
    assert after["lead"] == before["lead"]
    assert tab.receive({"link": "st.curve=nonsense"})["curve_error"]


# --- partial compression -----------------------------------------------------------------------


def test_a_part_compressed_is_shown_with_the_best_part():
    result = calculate(Settings(compressed=0.5))
    assert [at for at, _ in result.parts] == [30, 100, 200, 500, 1000, 2000, 5000]
    said = words.partly(result)
    assert said.startswith("The first 50 % as a state and the rest raw give ")
    assert f"At 500 statements the best Z is {words.share_of(result.shares.best.share)}" in said


def test_a_moving_slider_plays_one_length_only():
    result = calculate(Settings(compressed=0.5), COARSE)
    assert [at for at, _ in result.parts] == [500]
    assert result.shares is None


def test_parts_rest_with_the_mixed_grammar():
    result = calculate(Settings(grammar="mixed", compressed=0.5), COARSE)
    assert (result.parts, result.shares) == ((), None)
    assert words.resting(result.settings)["compressed"] == "for SET only"


# --- the map -----------------------------------------------------------------------------------


def test_the_map_grows_with_the_loss_and_falls_with_the_target_rate():
    n_star = np.array([cell.n_star for cell in crossing_map("drop")]).reshape(10, 7)
    assert (np.diff(n_star, axis=0) > 0).all()
    assert (np.diff(n_star, axis=1) < 0).all()


def test_the_map_marks_what_is_extrapolated_and_the_seed_s_own():
    cells = {(cell.rate, cell.target_rate): cell for cell in crossing_map("drop")}
    assert not cells[0.2, 0.04].is_extrapolated
    assert cells[0.2, 0.04].published == 500
    assert cells[0.2, 0.002].is_extrapolated
    assert words.short_length(cells[0.9, 0.002]).startswith("~")
    shown = f"{words.length(cells[0.2, 0.04].n_star)} / 500"
    assert shown in tables.crossing_map(crossing_map("drop"))


def test_letters_on_the_map_are_black_on_light_and_white_on_dark():
    assert (INKS[0], INKS[-1]) == ("#ffffff", "#000000")
    assert (np.sort(INKS)[::-1] == INKS).all()


# --- one program -------------------------------------------------------------------------------


@given(some_settings)
def test_the_steps_end_at_the_answer_of_the_interpreter(settings):
    story = story_of(settings)
    assert story.answer == answer(story.program)
    final = interpret(story.program)
    assert {e.variable: (e.value, e.line - 1) for e in story.entries} == {
        variable: (cell.value, cell.statement) for variable, cell in final.items()
    }
    for entry in story.entries:
        assert entry.dropped in (entry.value, None)


@given(some_settings)
def test_every_step_has_its_line_in_the_listing(settings):
    shown = listing.program(story_of(settings), settings)
    for step in shown["steps"]:
        assert f"data-line={step['line']} class={step['kind']}>" in shown["lines"]


def test_a_rule_is_told_by_its_line():
    story = story_of(Settings(grammar="mixed", statements=300, program=98))
    told = [(step.line, step.kind, step.words) for step in story.steps]
    assert (76, "unset", "takes the value of p back: p is unset.") in told
    assert (
        200,
        "back",
        "ends the rule of line 103: p has again what line 188 gave it, white.",
    ) in told


def test_what_drop_loses_here_decides_whether_the_answer_is_right():
    kept, lost = (story_of(Settings(program=program)) for program in (1, 2))
    said = [listing.loss(story, Settings()) for story in (kept, lost)]
    assert said[0].startswith("Drop at 20 % would lose 7 of 26 entries here: f, i, l, q, t, u, z.")
    assert said[0].endswith("w is kept: the answer is right.")
    none = listing.loss(story_of(Settings(rate=0)), Settings(rate=0))
    assert none == "Drop at 0 % would lose none of the 26 entries here: the answer is right."
    everything = listing.loss(story_of(Settings(rate=1)), Settings(rate=1))
    assert everything.endswith("w is among them: the answer would be “unset”, and wrong.")


def test_the_loss_shown_is_the_one_that_the_curve_counts():
    settings = Settings(statements=200, rate=0.3)
    programs = 60
    wrong = sum(
        story.entry() is not None and story.entry().dropped is None
        for story in (story_of(replace(settings, program=k + 1)) for k in range(programs))
    )
    scored = score(settings.recipe, settings.lossy, seed=1, programs=programs)
    assert scored.value == 1 - wrong / programs


def test_a_very_long_program_is_cut_and_says_so():
    settings = Settings(statements=5000)
    title = listing.program(story_of(settings), settings)["title"]
    assert "2,000 statements, the first 2,000 of them only" in title


def test_the_first_and_the_last_program_say_so():
    said = [
        listing.program(story_of(settings), settings)
        for settings in (Settings(program=program) for program in (1, 2, 100))
    ]
    assert [each["is_first"] for each in said] == [True, False, False]
    assert [each["is_last"] for each in said] == [False, False, True]


# --- the tab and the lab -----------------------------------------------------------------------


def test_a_request_feeds_what_has_changed_and_nothing_twice():
    tab = Tab()
    opened = tab.receive({"link": ""})
    assert opened["values"] == Settings().values()
    assert "program" not in opened
    moved = tab.receive({"values": {"rate": 0.4}})
    assert set(moved["feeds"]) == {
        "state", "state-band", "crossing", "labels", "readings", "frame",
    }  # fmt: skip
    assert "values" not in moved
    assert tab.receive({"values": {"rate": 0.4}})["feeds"] == {}


def test_the_document_of_the_build_has_every_source_and_column_that_is_fed():
    document = document_json()
    assert [root["attributes"]["name"] for root in document["roots"]] == [
        "st-curves", "st-shares", "st-map",
    ]  # fmt: skip
    drawn = dict(sources_in(document))
    fed = Tab().receive({"values": {}, "fine": True})["feeds"]
    assert {f"st-{name}-data": set(feed) for name, feed in fed.items()} == drawn
    assert json.dumps(document) == json.dumps(document_json())


def sources_in(part):
    """Name and columns of every source in a document."""
    if isinstance(part, list):
        for each in part:
            yield from sources_in(each)
    elif isinstance(part, dict):
        if part.get("name") == "ColumnDataSource":
            attributes = part["attributes"]
            yield attributes["name"], {name for name, _ in attributes["data"]["entries"]}
        yield from sources_in(list(part.values()))


def test_a_line_is_broken_where_nothing_was_tried():
    feeds = Tab().receive({"values": {}})["feeds"]
    tried, beyond = feeds["tried"]["y"], feeds["beyond"]["y"]
    assert (tried[0], beyond[len(beyond) // 2]) == (None, None)
    assert [at for at, y in zip(feeds["tried"]["x"], tried, strict=True) if y is not None] == [
        length for length in LENGTHS if 100 <= length <= 5000
    ]


def test_a_bad_value_leaves_the_last_setting():
    tab = Tab()
    before = tab.receive({"values": {"rate": 0.4}})
    after = tab.receive({"values": {"rate": 0.4, "seed": "x"}})
    assert after["error"].startswith("seed is 'x' but must be a whole number from 0 to")
    assert (after["lead"], after["query"]) == (before["lead"], "st.rate=0.4")


def test_a_request_of_the_tab_alone_leaves_the_first_instrument_unsaid():
    lab = Lab()
    request = {"link": "st.rate=0.4", "fine": True}
    update = lab.receive({"study": request, "values": {}, "actions": []})
    assert set(update) == {"study"}
    json.dumps(update, allow_nan=False)
    both = lab.receive({"study": {"values": {}}, "values": {"window": 32000}})
    assert both["readout"]["state"]["window"] == 32000
    assert both["study"]["query"] == ""


def test_a_number_without_an_interval_has_none():
    assert words.with_interval(Estimate(0.5, None, None)) == "50 %"
    assert words.with_interval(Estimate(0.999, 0.98, 0.9995)) == "over 99 % (98 to over 99)"
    assert [words.share(x) for x in (0, 0.001, 0.5, 0.999, 1)] == [
        "0 %", "under 1 %", "50 %", "over 99 %", "100 %",
    ]  # fmt: skip
    assert [words.length(x) for x in (0.5, 73.4, 1234.5, 2e6, inf)] == [
        "0", "73", "1,230", "over 1,000,000", "over 1,000,000",
    ]  # fmt: skip


@pytest.mark.parametrize(("name", "head"), [("curves", "statements,context"),
                                            ("map", "rate,target_rate,n_star"),
                                            ("shares", "share,accuracy,low")])  # fmt: skip
def test_a_table_is_taken_along_unrounded(name, head):
    lab = Lab()
    lab.receive({"study": {"values": {}}})
    file = lab.receive({"actions": [["study-csv", name]]})["file"]
    assert file["name"] == f"state-tracking-{name}-seed-1.csv"
    assert file["text"].startswith(head)
    assert file["text"].count("\r\n") > 10


# --- the first instrument ----------------------------------------------------------------------


def test_the_first_instrument_takes_the_curve_and_gives_it_back(desk):
    before = desk.tile("success")["value"]
    desk.act("panels", ["reading"])
    assert "right with 97 % from an empty context" in desk.readout["panels"]["reading"]
    desk.act("reading", "state_tracking")
    assert desk.tile("success")["value"] < before
    told = desk.readout["panels"]["reading"]
    assert "half of the answers are right at 5,590 tokens" in told
    assert "data-open-tab=state-tracking" in told
    assert desk.readout["share"] == "v=1&reading=state_tracking"
    desk.set(reading="linear")
    assert desk.tile("success")["value"] == before


def test_a_mission_keeps_its_own_reading(desk):
    desk.act("load-mission")
    desk.act("reading", "state_tracking")
    assert desk.last["notice"].startswith("reading is locked in this mission")
    assert desk.state.reading == "linear"


def test_a_link_to_an_unknown_tab_says_so(desk):
    notice = desk.receive({"link": "tab=sunshine&st.rate=0.4"})["notice"]
    assert notice.endswith("tab is 'sunshine' but must be state-tracking: the first tab is shown.")
    assert desk.receive({"link": "tab=state-tracking&st.rate=0.4"})["notice"] == ""
