"""The previews on the site: which states they are of, and that each can be found and is right."""

from __future__ import annotations

import json
import re

import pytest

from lab.preview import filled, preview
from lab.previews import SHELVES, scripts, shelf, states
from lab.share import from_query
from lab.state import DEFAULTS


@pytest.fixture(scope="module")
def made():
    return scripts()


def known(made):
    """Query -> pieces, of all shelves together."""
    found = {}
    for number in range(SHELVES):
        call = re.fullmatch(
            r"Object\.assign\(labPreviews\.known, (.*)\);\n", made[f"previews/{number}.js"]
        )
        rows = json.loads(call[1])
        assert all(shelf(query) == number for query in rows)
        found |= rows
    return found


def test_a_preview_lies_on_the_site_for_every_state_that_an_embed_is_likely_to_name(made):
    found = known(made)
    assert set(found) == set(states())
    for query, lead in {
        "": "66 of 100 tasks succeed",
        "window=32000": "40 of 100 tasks succeed",
        "mission=lost-brief": "8 of 100 tasks succeed",
    }.items():
        assert found[query][0] == lead
    for query in (
        "window=163000", "trigger=0.57", "summary_budget=700", "keep_recent=16", "strategy=none",
        "strategy=truncate&window=32000", "notes=true&window=128000", "keep_recent=0&trigger=0.5",
        "noisy_tools=true&summary_budget=8000", "long_horizon=true&noisy_tools=true",
    ):  # fmt: skip
        assert query in found, query


def test_the_pieces_of_a_state_fill_the_same_preview_as_its_run(made):
    pieces = known(made)["strategy=truncate&window=32000"]
    assert filled(tuple(pieces), "./?a=1&b=2") == preview(
        {"window": 32_000, "strategy": "truncate"}, link="./?a=1&b=2"
    )


def test_a_query_of_a_preview_opens_the_state_that_it_shows():
    for query, what in states().items():
        link = from_query(query)
        assert link.ignored == ()
        assert link.settings == what["settings"]
        assert (link.seed, link.tasks) == (what["seed"], what["tasks"])
        assert query == "&".join(sorted(query.split("&")))


def test_a_query_leaves_out_what_is_as_at_the_start():
    for query, what in states().items():
        changed = {n for n, v in what["settings"].items() if v != DEFAULTS[n]}
        named = {part.split("=")[0] for part in query.split("&") if part}
        assert named <= changed | {"mission"} or "mission" in named


def test_an_embed_loads_little_to_find_its_preview(made):
    assert max(len(text) for name, text in made.items() if "/" in name) < 20_000
    assert len(made["previews.js"]) < 10_000
