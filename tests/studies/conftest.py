"""The studies of seed 1, made once for all tests."""

from functools import cache

import pytest

from sim.studies.catalogue import run_study


@pytest.fixture(scope="session")
def study():
    """A study by name."""
    return cache(run_study)


def plain(text):
    """A text without the spaces that must not break."""
    return text.replace("\N{NO-BREAK SPACE}", " ")


@pytest.fixture(scope="session")
def table(study):
    """The rows of a study's table by label; the title is given by its first words."""

    def find(name, title):
        (found,) = [t for t in study(name).tables if plain(t.title).startswith(title)]
        rows = {plain(row.label): row for row in found.rows}
        assert len(rows) == len(found.rows)
        return rows

    return find
