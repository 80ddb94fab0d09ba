"""Workloads by name: their numbers come from their sources, and any of them can be changed."""

import math

import numpy as np
import pytest

from sim import Scenario, ScenarioError, draw_tasks, simulate
from sim.entries import EVIDENCE, EntryError
from sim.profiles import PROFILES, parse_profiles, profile_named

GOOD = """
[mine]
name = "Mine"
source = "A count"
evidence = "measured"
cannot = "All else."
[mine.settings]
mean_steps = 20
"""


def drawn(name, tasks=4_000):
    scenario = profile_named(name).scenario()
    return scenario, draw_tasks(scenario.workload, scenario.events, seed=1, tasks=tasks)


def test_documents_are_the_tasks_of_the_base_model():
    assert PROFILES["documents"].scenario() == Scenario()


def test_the_profiles_name_what_they_are_and_how_far_to_trust_them():
    assert set(PROFILES) == {"documents", "coding", "coding_long", "research"}
    assert {profile.evidence for profile in PROFILES.values()} <= set(EVIDENCE)
    for profile in PROFILES.values():
        assert profile.source
        assert profile.cannot


def test_the_coding_numbers_are_those_of_their_sources():
    settings = PROFILES["coding"].settings
    assert settings["tool_tokens_median"] == pytest.approx(math.exp(4.3), abs=0.05)
    assert settings["mean_steps"] == pytest.approx(15 * math.exp(1.7**2 / 2), abs=0.05)
    assert settings["assistant_tokens"] == pytest.approx(0.11 * 0.112 / 25e-6, abs=3)
    assert settings["system_tokens"] + settings["instruction_tokens"] == 26_000


def test_coding_results_have_the_measured_quantiles_within_a_third():
    """Measured, of 952: mean 461, half 51, p75 260, p90 1,118, p95 2,647, p99 6,469."""
    scenario, tasks = drawn("coding")
    size = np.minimum(tasks.tool_tokens, scenario.agent.tool_cap)
    assert size.max() == 10_000
    assert size.mean() == pytest.approx(461, rel=0.1)
    for q, measured in ((75, 260), (90, 1_118), (95, 2_647), (99, 6_469)):
        assert np.percentile(size, q) == pytest.approx(measured, rel=1 / 3), q
    assert 50 <= np.percentile(size, 50) <= 75
    top = np.sort(size)[-len(size) // 10 :].sum() / size.sum()
    assert top == pytest.approx(0.71, abs=0.02)


def test_coding_sessions_are_half_of_15_steps_and_one_in_sixteen_is_cut_at_200():
    _, tasks = drawn("coding")
    assert np.median(tasks.steps) == pytest.approx(15, abs=1)
    assert np.percentile(tasks.steps, 90) == pytest.approx(135, rel=0.1)
    assert np.mean(tasks.steps == 200) == pytest.approx(1 / 16, abs=0.01)


def test_long_coding_sessions_differ_in_their_steps_only():
    differing = {
        name
        for name in PROFILES["coding"].settings
        if PROFILES["coding"].settings[name] != PROFILES["coding_long"].settings[name]
    }
    assert differing == {"mean_steps", "steps_sigma", "min_steps"}
    _, tasks = drawn("coding_long")
    assert (tasks.steps.min(), tasks.steps.max()) == (139, 200)


def test_research_pages_have_5_to_10_thousand_tokens_on_average():
    scenario, tasks = drawn("research")
    assert 5_000 <= np.minimum(tasks.tool_tokens, scenario.agent.tool_cap).mean() <= 10_000
    assert PROFILES["research"].evidence == "proposal"


def test_a_profile_leaves_the_policy_and_the_prices_and_nothing_of_another_workload():
    base = Scenario().replace(window=90_000, caching=True, tool_cap=5, mean_steps=9.0, notes=True)
    made = PROFILES["coding"].scenario(base)
    assert (made.policy, made.caching) == (base.policy, base.caching)
    assert PROFILES["documents"].scenario(made) == base.replace(tool_cap=0, mean_steps=40.0)


def test_a_setting_can_be_changed_after_a_profile():
    run = simulate(PROFILES["coding"].scenario().replace(max_steps=50), seed=1, tasks=50)
    assert run.steps.max() == 50


def test_an_unknown_workload_is_refused_with_the_nearest():
    with pytest.raises(ScenarioError, match=r"^'codin' is not a workload: did you mean coding\?$"):
        profile_named("codin")
    with pytest.raises(ScenarioError, match="'zz' is not a workload: use one of documents, coding"):
        profile_named("zz")


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("[mine]", "[mine", "my.toml: the text is not TOML, "),
        ('name = "Mine"', "", "my.toml: mine.name is missing but every entry needs it: add it."),
        ('"Mine"', "3", "my.toml: mine.name is 3 but must be one line of text: write it in quot"),
        ('"measured"', '"mesured"', "mine.evidence is 'mesured' but must be one of read in source"),
        ("cannot", "canot", "my.toml: mine.canot is not a key of an entry: did you mean cannot?"),
        ("[mine.settings]\nmean_steps = 20", "settings = 3", "mine.settings is 3 but must be a ta"),
        ("mean_steps = 20", "mean_step = 20", "mine.settings: mean_step is not a field: did you m"),
        ("mean_steps = 20", "mean_steps = 0", "mine.settings: mean_steps is 0.0 but must be a num"),
        (GOOD, "mine = 3", "my.toml: mine is 3 but must be a table: begin it with [mine]."),
    ],
)
def test_a_bad_entry_is_refused_in_one_sentence(old, new, sentence):
    assert old in GOOD
    with pytest.raises(EntryError) as caught:
        parse_profiles(GOOD.replace(old, new), "my.toml")
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)
