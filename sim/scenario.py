"""What is simulated: the workload, the policy, the events and the price, and nothing that runs.

The field names of all parts form one flat namespace, so that a setting has one name everywhere:
in Python, on the command line, in a mission file and in a link. The parts of the base model are
always listed in full; those of the packs only where they differ from their defaults.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any

from sim.packs import (
    Agent,
    Caching,
    Carrier,
    Clearing,
    Disk,
    Hardware,
    Masking,
    Reading,
    Rework,
    check_masking,
    check_summariser,
)
from sim.setting import ScenarioError, as_kind, check, choice, flag, from_text, number, shown

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


@dataclass(frozen=True, kw_only=True, slots=True)
class Scenario:
    """One experiment, complete but for its seed and its number of tasks.

    Raises ScenarioError for settings that cannot be simulated together.
    """

    workload: Workload = Workload()
    policy: Policy = Policy()
    events: Events = Events()
    prices: PriceCard = PriceCard()
    caching: Caching = field(default_factory=Caching)
    hardware: Hardware = field(default_factory=Hardware)
    reading: Reading = field(default_factory=Reading)
    clearing: Clearing = field(default_factory=Clearing)
    masking: Masking = field(default_factory=Masking)
    disk: Disk = field(default_factory=Disk)
    rework: Rework = field(default_factory=Rework)
    carrier: Carrier = field(default_factory=Carrier)
    agent: Agent = field(default_factory=Agent)

    def __post_init__(self) -> None:
        for part in fields(self):
            values = getattr(self, part.name)
            for spec in fields(values):
                check(spec, getattr(values, spec.name))
        self._check_together()

    def _check_together(self) -> None:
        work = self.workload
        if work.min_steps > work.max_steps:
            raise ScenarioError(
                f"min_steps is {work.min_steps} but max_steps is {work.max_steps}: "
                "give a min_steps that is not larger."
            )
        longest = work.max_steps * (work.long_horizon_factor if self.events.long_horizon else 1)
        if longest > MAX_STEPS:
            raise ScenarioError(
                f"max_steps is {work.max_steps}, which the long horizon makes {longest}: "
                f"a task has at most {MAX_STEPS} steps, so give a smaller max_steps."
            )
        check_summariser(self.agent, self.caching)
        check_masking(self.masking, clears=self.policy.clear_tool_results)
        if self.clearing.clear_apart and not self.policy.clear_tool_results:
            raise ScenarioError(
                "clear_apart is true but clear_tool_results is false, so nothing would be cleared: "
                "set clear_tool_results to true."
            )
        smallest = work.system_tokens + work.assistant_tokens + 1
        if self.policy.window < smallest:
            raise ScenarioError(
                f"window is {self.policy.window:,} but must be at least {smallest:,} tokens, to "
                f"hold the system prompt ({work.system_tokens:,}) and one step: "
                "give a larger window."
            )

    @property
    def tokens_per_fact(self) -> float:
        """Tokens that a summary needs per fact, events included."""
        if self.events.forgetful_summariser:
            return self.workload.forgetful_tokens_per_fact
        return self.workload.tokens_per_fact

    def replace(self, **settings: Any) -> Scenario:
        """The same scenario with some settings changed, by their flat names."""
        return Scenario.from_dict({**self.to_dict(), **settings})

    def to_dict(self) -> dict[str, Any]:
        """Every setting of the base model under its flat name, and those of the packs that differ
        from their defaults, in the order of the fields."""
        return {
            name: v
            for name, v in self.all_settings().items()
            if is_base(name) or v != setting_default(name)
        }

    def all_settings(self) -> dict[str, Any]:
        """Every setting under its flat name, those of the packs too."""
        return {name: getattr(getattr(self, part), name) for name, (part, _) in _specs().items()}

    def value(self, name: str) -> Any:
        """The value of a setting. Raises ScenarioError if there is no such setting."""
        return getattr(getattr(self, _spec_of(name)[0]), name)

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any]) -> Scenario:
        """A scenario from flat settings; what is not named keeps its default.

        Raises ScenarioError for an unknown name, a wrong kind or a value out of range.
        """
        chosen: dict[str, dict[str, Any]] = {part.name: {} for part in fields(cls)}
        for name, value in settings.items():
            part, spec = _spec_of(name)
            chosen[part][name] = as_kind(spec, value)
        # ``cls.field`` would be a slot descriptor, so each part is built from its own type.
        return cls(**{name: _PARTS[name](**values) for name, values in chosen.items()})


_PARTS: dict[str, type] = {
    "workload": Workload, "policy": Policy, "events": Events, "prices": PriceCard,
    "caching": Caching, "hardware": Hardware, "reading": Reading,
    "clearing": Clearing, "masking": Masking, "disk": Disk, "rework": Rework,
    "carrier": Carrier,
    "agent": Agent,
}  # fmt: skip
_BASE = ("workload", "policy", "events", "prices")


@cache
def _specs() -> dict[str, tuple[str, Any]]:
    """Flat name -> (part that holds it, its dataclass field)."""
    return {spec.name: (part, spec) for part, kind in _PARTS.items() for spec in fields(kind)}


def _spec_of(name: str) -> tuple[str, Any]:
    try:
        return _specs()[name]
    except KeyError:
        close = difflib.get_close_matches(str(name), _specs(), n=1)
        hint = f"did you mean {close[0]}?" if close else f"known fields: {', '.join(_specs())}."
        called = name if str(name).isidentifier() and len(name) <= 40 else shown(name)
        raise ScenarioError(f"{called} is not a field: {hint}") from None


def setting_names() -> tuple[str, ...]:
    """Every setting, those of the packs last."""
    return tuple(_specs())


def pack_settings() -> Mapping[str, tuple[str, ...]]:
    """The settings of every pack, by the name of its part of the scenario."""
    return {
        part: tuple(spec.name for spec in fields(kind))
        for part, kind in _PARTS.items()
        if part not in _BASE
    }


def is_base(name: str) -> bool:
    """Whether a setting is of the base model, not of a pack. Raises ScenarioError as others do."""
    return _spec_of(name)[0] in _BASE


def setting_default(name: str) -> Any:
    """Default of a setting. Raises ScenarioError if there is no such setting."""
    return _spec_of(name)[1].default


def setting_info(name: str) -> Mapping[str, Any]:
    """A setting's ``doc``, ``unit`` and ``bounds`` or ``options``, for help and for controls."""
    return dict(_spec_of(name)[1].metadata)


def parse_setting(name: str, text: str) -> Any:
    """The value of a setting from its text, as typed in a shell or a link.

    Raises ScenarioError for an unknown name, a text that is not of the field's kind, or a value
    out of range.
    """
    spec = _spec_of(name)[1]
    value = from_text(spec, text)
    check(spec, value)
    return value
