"""What the tests of the lab share."""

import pytest

from tests.lab.desk import Desk


@pytest.fixture
def desk() -> Desk:
    """A lab at its default setting, and the page's side of it."""
    return Desk()
