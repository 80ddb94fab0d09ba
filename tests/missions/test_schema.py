"""A malformed mission file is refused in one sentence: file, key, rule, remedy."""

import json
import shutil
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import missions
from missions import Mission, MissionError, parse
from missions.library import read_file, read_folder

FOLDER = Path(missions.__file__).parent
TEXT = (FOLDER / "06-noisy-tools.toml").read_text(encoding="utf-8")


def refusal(text, file="06-noisy-tools.toml"):
    with pytest.raises(MissionError) as refused:
        parse(text, file)
    return str(refused.value)


def is_one_sentence(message):
    return message.isprintable() and message[-1] in ".?" and len(message) < 1000


def test_a_file_becomes_a_mission():
    mission = parse(TEXT)
    assert (mission.id, mission.title, mission.tasks) == ("noisy-tools", "Noisy tools", 400)
    assert mission.start == {
        "noisy_tools": True, "summary_budget": 4000, "trigger": 0.9, "keep_recent": 10
    }  # fmt: skip
    assert mission.open["keep_recent"] == (0, 1, 2, 4, 6, 8, 10, 12)
    assert [(goal.key, goal.sense, goal.bound) for goal in mission.goals] == [
        ("success", "at least", 71),
        ("p95_peak", "at most", 67_000),
    ]
    assert mission.solution == {"trigger": 0.5, "keep_recent": 1}
    assert mission.decoys[1].settings == {"keep_recent": 1}
    assert mission.introduces == "noisy_tools"


MALFORMED = {
    "not TOML": ("[start]", "[start", "the text is not TOML, Expected ']'"),
    "a key twice": ("[start]\n", "[start]\ntrigger = 0.5\n", "is not TOML, Cannot overwrite"),
    "an unknown key": ("title", "tilte", "'tilte' is not a key of a mission: did you mean title?"),
    "a foreign key": ("title", "xyz", "'xyz' is not a key of a mission: use id, title, brief"),
    "a missing key": ('title = "Noisy tools"', "", "title is missing but every mission needs it"),
    "no id": ('"noisy-tools"', '"Noisy Tools"', "id is 'Noisy Tools' but must be small letters"),
    "an id that is none": ('"noisy-tools"', "7", "id is 7 but must be small letters"),
    "an empty title": ('"Noisy tools"', '" "', "title is ' ' but must be one line of text"),
    "a title in two lines": ('"Noisy tools"', '"a\\nb"', "title is 'a\\nb' but must be one line"),
    "a long brief": (
        'brief = "The tools', 'brief = "' + "and " * 40 + "The tools",
        "must have at most 60 words: cut ",
    ),
    "a seed below 0": ("seed = 81", "seed = -1", "seed is -1 but must be a whole number from 0"),
    "a seed in words": ("seed = 81", 'seed = "a"', "seed is 'a' but must be a whole number"),
    "no tasks": ("tasks = 400", "tasks = 0", "tasks is 0 but must be a whole number from 1"),
    "part of a task": ("tasks = 400", "tasks = 1.5", "tasks is 1.5 but must be a whole number"),
    "one hint": ('    "Ten recent steps of this size fill a window by themselves.",\n', "",
                 "but must be a list of exactly 2"),
    "three hints": ("hints = [", 'hints = [\n    "More.",', "but must be a list of exactly 2"),
    "an empty hint": ("hints = [\n    \"", 'hints = [\n    "",\n    # "',
                      "hints[1] is '' but must be one line of text"),
    "hints in one": ("hints = [", 'hints = "a"\nlesser = [', "'lesser' is not a key"),
    "one sentence of why": (" Either alone still overflows or compacts all the time.", "",
                            "must be exactly 2 sentences: end each with a full stop"),
    "an unfinished why": ("compacts all the time.", "compacts all the time",
                          "must be exactly 2 sentences"),
    "a start that is a value": ("[start]", "start = 1\n[other]", "'other' is not a key"),
    "an unknown setting": ("keep_recent = 10\n", "keep_recnt = 10\n",
                           "'keep_recnt' is not a key of start: did you mean keep_recent?"),
    "a setting out of bounds": ("trigger = 0.9\n", "trigger = 1.9\n",
                                "start.trigger is 1.9 but must be a number from 0.01 to 1"),
    "a setting of the wrong kind": ("noisy_tools = true", "noisy_tools = 1",
                                    "start.noisy_tools is 1 but must be true or false"),
    "a setting too large for a float": ("keep_recent = 10\n", f"keep_recent = {10**400}\n",
                                        "start.keep_recent is 1000"),
    "a default in the start": ("[start]\n", "[start]\nnotes = false\n",
                               "start.notes is False but must differ from its default"),
    "an unknown control": ("trigger = [", "tigger = [",
                           "'tigger' is not a key of open: did you mean trigger?"),
    "one value": ("trigger = [0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95]", "trigger = [0.9]",
                  "open.trigger is [0.9] but must be a list of at least 2"),
    "a bad value": ("0.95]", "9.5]", "open.trigger is 9.5 but must be a number from 0.01 to 1"),
    "a value of another kind": ("0.95]", '"late"]', "open.trigger is 'late' but must be a number"),
    "a value twice": ("0.95]", "0.4]", "but must not repeat a value"),
    "a start outside the values": ("0.8, 0.9, 0.95]", "0.8]",
                                   "but must hold the start's value, 0.9: add it"),
    "an unknown tile": ('"success"', '"sucess"', "goals[1].key is 'sucess' but must be one of"),
    "an unknown sense": ('"at least"', '"at lest"', "did you mean at least?"),
    "no bound": ("bound = 71\n", "", "goals[1].bound is missing"),
    "a bound in words": ("bound = 71\n", 'bound = "71"\n', "goals[1].bound is '71' but must be"),
    "a bound that is true": ("bound = 71\n", "bound = true\n", "goals[1].bound is True"),
    "a bound that is no number": ("bound = 71\n", "bound = nan\n", "goals[1].bound is nan"),
    "a bound beyond all": ("bound = 71\n", "bound = 171\n", "must be a number from 0 to 100"),
    "a goal twice": ('"p95_peak"', '"success"', "goals[2].key is 'success' but must not be"),
    "another key in a goal": ("bound = 71\n", "bound = 71\nunit = 1\n",
                              "'unit' is not a key of goals[1]: use key, sense, bound."),
    "a locked solution": ("[solution]\n", "[solution]\nwindow = 96000\n",
                          "solution.window is locked: move only trigger, keep_recent"),
    "a solution off the grid": ("[solution]\ntrigger = 0.5", "[solution]\ntrigger = 0.51",
                                "solution.trigger is 0.51 but must be one of 0.4, 0.5"),
    "a solution of another kind": ("keep_recent = 1\n", "keep_recent = true\n",
                                   "solution.keep_recent is True but must be a whole number"),
    "an idle solution": ("[solution]\ntrigger = 0.5\nkeep_recent = 1\n",
                         "[solution]\ntrigger = 0.9\n", "but must change something"),
    "a locked decoy": ("settings = { trigger = 0.5 }", "settings = { notes = true }",
                       "decoys[1].settings.notes is locked"),
    "a decoy that is the solution": ("settings = { trigger = 0.5 }",
                                     "settings = { trigger = 0.5, keep_recent = 1 }",
                                     "must differ from the solution and from the other decoys"),
    "a decoy twice": ("settings = { keep_recent = 1 }", "settings = { trigger = 0.5 }",
                      "decoys[2].settings is {'trigger': 0.5} but must differ"),
    "a decoy without a why": ('why = "It leaves', 'because = "It leaves',
                              "'because' is not a key of decoys[1]: use settings, why."),
    "an unknown event": ('introduces = "noisy_tools"', 'introduces = "noisy_tool"',
                         "did you mean noisy_tools?"),
    "an event not in the start": ('introduces = "noisy_tools"', 'introduces = "long_horizon"',
                                  "must be on at the start: add long_horizon = true to start"),
}  # fmt: skip


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_file_is_refused_in_one_sentence(name):
    old, new, part = MALFORMED[name]
    assert old in TEXT
    message = refusal(TEXT.replace(old, new, 1))
    assert message.startswith("06-noisy-tools.toml: ")
    assert part in message
    assert is_one_sentence(message)


def test_too_large_a_grid_is_refused():
    text = TEXT.replace("[open]\n", "[open]\nwindow = [64000, 65000, 66000, 67000, 68000, 69000]\n")
    assert "open has 336 combinations but must have at most 300" in refusal(text)


def test_one_decoy_is_too_few():
    text = TEXT[: TEXT.index("[[decoys]]")] + TEXT[TEXT.rindex("[[decoys]]") :]
    assert "but must be at least 2 tables: begin each with [[decoys]]" in refusal(text)


def test_a_bottomless_list_is_refused():
    assert is_one_sentence(refusal("id = " + "[" * 5000))


def test_a_number_of_too_many_digits_is_refused():
    assert is_one_sentence(refusal(TEXT.replace("seed = 81", "seed = 1" + "0" * 5000)))


# What TOML can hold, in the place of what a mission holds.
ODD = st.recursive(
    st.one_of(
        st.booleans(), st.integers(), st.floats(), st.text(max_size=8),
        st.integers(10**300, 10**310), st.datetimes(),
        st.sampled_from(["trigger", "noisy_tools", "at most", "success"]),
    ),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["trigger", "key", "why", "settings", "a b\n"]), inner,
                      max_size=3),
    max_leaves=5,
)  # fmt: skip


def toml(value):
    """A value as TOML writes it, tables inline."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value).replace("\x7f", "\\u007f")
    return value.isoformat() if hasattr(value, "isoformat") else repr(value)


def test_the_writer_of_these_tests_writes_what_was_read():
    raw = tomllib.loads(TEXT)
    written = "\n".join(f"{key} = {toml(value)}" for key, value in raw.items())
    assert tomllib.loads(written) == raw
    assert isinstance(parse(written), Mission)


@settings(max_examples=300)
@given(st.data())
def test_whatever_stands_anywhere_it_is_a_mission_or_one_sentence(data):
    raw = tomllib.loads(TEXT)
    place = raw
    while True:
        key = data.draw(st.sampled_from(range(len(place)) if isinstance(place, list) else [*place]))
        inner = place[key]
        if not (isinstance(inner, dict | list) and inner and data.draw(st.booleans())):
            break
        place = inner
    if data.draw(st.booleans()):
        place[key] = data.draw(ODD)
    else:
        del place[key]
    text = "\n".join(f"{key} = {toml(value)}" for key, value in raw.items())
    try:
        parse(text, "draft.toml")
    except MissionError as error:
        refused = str(error)
    else:
        return
    assert refused.startswith("draft.toml: ")
    assert is_one_sentence(refused)


@given(st.text())
def test_any_text_is_refused_in_one_sentence(text):
    assert is_one_sentence(refusal(text))


# --- folders ---------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    for path in FOLDER.glob("*.toml"):
        shutil.copy(path, tmp_path)
    return tmp_path


def test_a_folder_is_read_in_the_order_of_its_file_names(folder):
    (folder / "01-lost-brief.toml").rename(folder / "99-lost-brief.toml")
    assert [mission.id for mission in read_folder(folder)][-1] == "lost-brief"


@pytest.mark.parametrize("name", ["lost-brief.toml", "01-lost-memo.toml", "1-lost-brief.toml"])
def test_a_file_is_named_after_its_mission(folder, name):
    (folder / "01-lost-brief.toml").rename(folder / name)
    with pytest.raises(MissionError, match=r"the id, lost-brief: rename it to NN-lost-brief\.toml"):
        read_folder(folder)


def test_an_id_is_taken_once(folder):
    shutil.copy(folder / "01-lost-brief.toml", folder / "13-lost-brief.toml")
    with pytest.raises(MissionError, match=r"^13-lost-brief\.toml: id is 'lost-brief', which is"):
        read_folder(folder)


def test_an_event_is_introduced_once(folder):
    text = TEXT.replace('id = "noisy-tools"', 'id = "noisier-tools"')
    (folder / "13-noisier-tools.toml").write_text(text, encoding="utf-8")
    with pytest.raises(MissionError, match="'noisy_tools' but noisy-tools introduces that"):
        read_folder(folder)


def test_a_file_that_is_no_text_is_refused(tmp_path):
    path = tmp_path / "01-a.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(MissionError, match=r"01-a\.toml: the file is not UTF-8 text: save it as"):
        read_file(path)
