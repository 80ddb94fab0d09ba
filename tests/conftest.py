"""Settings that every test shares."""

import os

from hypothesis import HealthCheck, settings

slow_is_fine = [HealthCheck.too_slow]
# CI judges a change, so it tries the same examples each time; everywhere else new ones are tried.
settings.register_profile(
    "lab",
    deadline=None,
    max_examples=100,
    suppress_health_check=slow_is_fine,
    derandomize="CI" in os.environ,
)
# A long search, on demand: pytest --hypothesis-profile=thorough
settings.register_profile(
    "thorough", deadline=None, max_examples=5_000, suppress_health_check=slow_is_fine
)
settings.load_profile("lab")
