"""The missions with what their audits found, simulated once for all tests."""

import pytest

from missions import load
from missions.audit import audit


@pytest.fixture(scope="session")
def audits():
    return {mission.id: audit(mission) for mission in load()}
