"""What is solved is kept, merged, and taken along; a bad file is refused in a sentence."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.progress import Best, Progress, ProgressError

bests = st.builds(Best, cost=st.floats(0, 1e6), changed=st.integers(0, 20))
progresses = st.builds(
    Progress, solved=st.dictionaries(st.text("abc-", max_size=20), bests), unlocked=st.booleans()
)
GOOD = {"kind": "compaction-lab-progress", "version": 1, "solved": {}, "unlocked": False}


@given(progresses)
def test_any_progress_survives_its_file(progress):
    assert Progress.from_json(progress.to_json()) == progress


@given(progresses, progresses)
def test_merging_keeps_the_best_of_both(ours, theirs):
    merged = ours.merged(theirs)
    assert merged == theirs.merged(ours)
    assert set(merged.solved) == set(ours.solved) | set(theirs.solved)
    for mission, best in merged.solved.items():
        both = [p.solved[mission] for p in (ours, theirs) if mission in p.solved]
        assert best.cost == min(each.cost for each in both)
        assert best.changed == min(each.changed for each in both)
    assert merged.unlocked == (ours.unlocked or theirs.unlocked)


def test_the_best_cost_and_the_fewest_changes_may_be_of_two_solutions():
    progress = Progress().with_solution("a", Best(cost=3.0, changed=1))
    progress = progress.with_solution("a", Best(cost=2.0, changed=4))
    assert progress.solved == {"a": Best(cost=2.0, changed=1)}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "it is not JSON"),
        ("[" * 100_000, "it is not of its form"),
        ("[]", "it is not of its form"),
        ("{" * 9_000, "it is not of its form"),
        ('{"a":' * 9_000, "it is not of its form"),
        (" " * 100_001, "it is not of its form"),
        ("3", "it holds something else"),
        ('{"kind": "playlist"}', "it holds something else"),
        (json.dumps(GOOD | {"solved": 3}), "it does not say what is solved"),
        (json.dumps(GOOD | {"solved": {"a": 1}}), "its entry for 'a' is damaged"),
        (
            json.dumps(GOOD | {"solved": {"a": {"cost": float("nan"), "changed": 1}}}),
            "its entry for 'a' is damaged",
        ),
        (
            json.dumps(GOOD | {"solved": {"a": {"cost": 10**400, "changed": 1}}}),
            "its entry for 'a' is damaged",
        ),
        (
            json.dumps(GOOD | {"solved": {"a": {"cost": True, "changed": 1}}}),
            "its entry for 'a' is damaged",
        ),
        (
            json.dumps(GOOD | {"solved": {"a": {"cost": 1, "changed": -1}}}),
            "its entry for 'a' is damaged",
        ),
    ],
)
def test_a_file_that_is_no_progress_is_refused(text, what):
    with pytest.raises(ProgressError) as refused:
        Progress.from_json(text)
    assert str(refused.value) == (
        f"This file is not the lab's progress, {what}: choose a file that Save progress has made."
    )


@pytest.mark.parametrize("version", [0, 2, "1", 1.0, True, None])
def test_the_progress_of_another_version_is_refused(version):
    with pytest.raises(ProgressError, match="but this lab reads version 1: reload the page"):
        Progress.from_json(json.dumps(GOOD | {"version": version}))


@given(st.text() | st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
).map(lambda solved: json.dumps(GOOD | {"solved": solved})))  # fmt: skip
def test_any_file_is_read_or_refused(text):
    with contextlib.suppress(ProgressError):
        Progress.from_json(text)
