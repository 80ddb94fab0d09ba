"""The base model's parts of a scenario: the tasks, the policy, the events and the price."""

from __future__ import annotations

from dataclasses import dataclass, fields

from sim.setting import choice, flag, number

STRATEGIES = ("none", "truncate", "summarise")
MAX_STEPS = 200
"""Length of a stream's row: no task can have more steps, whatever its workload."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Workload:
    """The tasks. Defaults: the lab's own page; steps' spread, 1,500 as a median and four needed
    facts are decisions of this project, since that page leaves them open."""

    mean_steps: float = number(40.0, 1, MAX_STEPS, "steps", "Mean of the lognormal step count.")
    steps_sigma: float = number(0.35, 0, 3, "", "Spread of the step count (log scale).")
    min_steps: int = number(8, 1, MAX_STEPS, "steps", "Fewest steps of a task.")
    max_steps: int = number(100, 1, MAX_STEPS, "steps", "Most steps of a task.")
    tool_tokens_median: float = number(
        1500.0, 1, 100_000, "tokens", "Median size of a step's tool result."
    )
    tool_tokens_sigma: float = number(0.7, 0, 2, "", "Spread of the tool results (log scale).")
    assistant_tokens: int = number(200, 0, 100_000, "tokens", "Assistant message of a step.")
    system_tokens: int = number(3000, 0, 1_000_000, "tokens", "System prompt.")
    instruction_tokens: int = number(500, 0, 1_000_000, "tokens", "The user's instruction.")
    fact_rate: float = number(0.5, 0, 1, "", "Share of steps that reveal a fact.")
    needed_facts: int = number(4, 0, MAX_STEPS, "facts", "Facts that the final answer needs.")
    restated_rate: float = number(0.6, 0, 1, "", "Share of facts the assistant restates.")
    noted_rate: float = number(0.9, 0, 1, "", "Share of facts noted, with notes on.")
    note_tokens: int = number(60, 0, 100_000, "tokens", "One note.")
    tokens_per_fact: float = number(
        40.0, 0.001, 1_000_000, "tokens", "What a summary needs to carry one fact."
    )
    stub_tokens: int = number(25, 0, 100_000, "tokens", "What is left of a cleared tool result.")
    instruction_keep: float = number(
        0.99, 1e-9, 1, "", "Chance that the instruction survives one summary."
    )
    noisy_tools_factor: float = number(3.0, 0.001, 10, "×", "Tool results, with noisy tools.")
    long_horizon_factor: int = number(2, 1, MAX_STEPS, "×", "Steps, with the long horizon.")
    forgetful_tokens_per_fact: float = number(
        120.0, 0.001, 1_000_000, "tokens", "Tokens per fact, with the forgetful summariser."
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Policy:
    """What the agent does with its context. Defaults and ranges of the controls: the lab."""

    window: int = number(64_000, 1, 100_000_000, "tokens", "Most tokens a request may hold.")
    trigger: float = number(0.8, 0.01, 1, "of the window", "Fill level at which it fires.")
    strategy: str = choice("summarise", STRATEGIES, "What happens when it fires.")
    summary_budget: int = number(1000, 1, 10_000_000, "tokens", "Size of the summary.")
    keep_recent: int = number(6, 0, MAX_STEPS, "steps", "Newest steps that stay verbatim.")
    clear_tool_results: bool = flag(False, "Shrink old tool results to stubs first.")
    notes: bool = flag(False, "The agent notes facts where no edit reaches them.")
    pin_instruction: bool = flag(False, "The instruction is never dropped or summarised.")
    instruction_required: bool = flag(True, "A task fails if its instruction is lost.")


@dataclass(frozen=True, kw_only=True, slots=True)
class Events:
    """What makes life harder."""

    noisy_tools: bool = flag(False, "Tool results are three times as long.")
    long_horizon: bool = flag(False, "Tasks have twice as many steps.")
    forgetful_summariser: bool = flag(False, "A summary needs three times the tokens per fact.")


@dataclass(frozen=True, kw_only=True, slots=True)
class PriceCard:
    """What a token costs. The default is the lab's illustrative flat price."""

    input_per_mtok: float = number(
        3.0, 0, 1_000_000, "$ per million tokens", "Price of input tokens."
    )


EVENTS = tuple(f.name for f in fields(Events))
