"""Hypothesis strategies: scenarios as flat mappings of field to value, ordinary and nasty."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

Setting = dict[str, Any]


def seeds() -> st.SearchStrategy[int]:
    return st.integers(0, 2**32 - 1)


def rates() -> st.SearchStrategy[float]:
    """A probability; both ends are as likely as the middle."""
    return st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0.0, 1.0))


@st.composite
def workloads(draw: st.DrawFn) -> Setting:
    """The tasks: short to long, silent to noisy, with no facts or a fact at every step."""
    min_steps = draw(st.integers(1, 20))
    return {
        "mean_steps": draw(st.integers(1, 50)),
        "steps_sigma": draw(st.sampled_from([0.0, 0.35, 1.0, 2.0])),
        "min_steps": min_steps,
        "max_steps": draw(st.integers(min_steps, 60)),
        "tool_tokens_median": draw(st.sampled_from([1, 20, 300, 1_500, 1_500, 5_000, 100_000])),
        "tool_tokens_sigma": draw(st.sampled_from([0.0, 0.3, 0.7, 2.0])),
        "assistant_tokens": draw(st.sampled_from([0, 1, 200, 2_000])),
        "system_tokens": draw(st.sampled_from([0, 1, 3_000, 12_000])),
        "instruction_tokens": draw(st.sampled_from([0, 1, 500, 6_000])),
        "fact_rate": draw(rates()),
        "needed_facts": draw(st.integers(0, 8)),
        "restated_rate": draw(rates()),
        "noted_rate": draw(rates()),
        "note_tokens": draw(st.sampled_from([0, 60, 700])),
        "tokens_per_fact": draw(st.sampled_from([1, 40, 300])),
        "stub_tokens": draw(st.sampled_from([0, 1, 25, 400])),
        "instruction_keep": draw(st.sampled_from([1.0, 0.99, 0.7, 0.1])),
        "noisy_tools_factor": draw(st.sampled_from([1, 3, 10])),
        "long_horizon_factor": draw(st.integers(1, 3)),
        "forgetful_tokens_per_fact": draw(st.sampled_from([1, 120, 900])),
    }


POLICY = {
    "window": st.integers(16_000, 200_000),
    "trigger": st.floats(0.40, 0.95),
    "strategy": st.sampled_from(["none", "truncate", "summarise"]),
    "summary_budget": st.integers(200, 8_000),
    "keep_recent": st.integers(0, 16),
    "clear_tool_results": st.booleans(),
    "notes": st.booleans(),
    "pin_instruction": st.booleans(),
    "instruction_required": st.booleans(),
}
EVENTS = {
    "noisy_tools": st.booleans(),
    "long_horizon": st.booleans(),
    "forgetful_summariser": st.booleans(),
}


def policies() -> st.SearchStrategy[Setting]:
    """The policy controls within their ranges, some left at their defaults."""
    return st.fixed_dictionaries({}, optional=POLICY)


def controls() -> st.SearchStrategy[Setting]:
    """What the lab's own controls can be set to: policies and events, over the default tasks."""
    return st.fixed_dictionaries({}, optional=POLICY | EVENTS)


@st.composite
def corners(draw: st.DrawFn) -> Setting:
    """Any workload under any policy, with windows in which something has to break."""
    setting = draw(workloads())
    system, assistant = setting["system_tokens"], setting["assistant_tokens"]
    smallest = system + assistant + 1
    budget = draw(st.sampled_from([200, 1_000, 8_000]))
    # Less than the pinned messages and a summary take, so that no edit can make them fit.
    crowded = max(smallest, system + setting["instruction_tokens"] + budget - 1)
    window = draw(
        st.one_of(
            st.sampled_from([smallest, smallest + 1, smallest + 24, smallest + 500]),
            st.integers(smallest, crowded),
            st.integers(smallest, smallest + 10_000),
            st.integers(smallest + 10_000, smallest + 40_000),
            st.integers(max(smallest, 16_000), 200_000),
            st.just(1_000_000),  # more than any control allows: the reading scale ends at 200,000
        )
    )
    return setting | {
        "window": window,
        "trigger": draw(st.one_of(st.sampled_from([0.40, 0.5, 0.95]), st.floats(0.40, 0.95))),
        "strategy": draw(st.sampled_from(["summarise", "truncate", "none"])),
        "summary_budget": budget,
        "keep_recent": draw(st.one_of(st.sampled_from([0, 1, 16]), st.integers(0, 16))),
        "clear_tool_results": draw(st.booleans()),
        "notes": draw(st.booleans()),
        "pin_instruction": draw(st.booleans()),
        "instruction_required": draw(st.booleans()),
        "noisy_tools": draw(st.booleans()),
        "long_horizon": draw(st.booleans()),
        "forgetful_summariser": draw(st.booleans()),
        "input_per_mtok": draw(st.sampled_from([0.0, 3.0, 15.0])),
    }


def scenarios() -> st.SearchStrategy[Setting]:
    """A flat scenario: the controls alone, or everything at once."""
    return st.one_of(controls(), corners())
