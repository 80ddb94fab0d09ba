"""What is simulated: the workload, the policy, the events and the price, and nothing that runs.

The field names of the four parts form one flat namespace, so that a setting has one name
everywhere: in Python, on the command line, in a mission file and in a link.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any

import numpy as np

STRATEGIES = ("none", "truncate", "summarise")
MAX_STEPS = 200
"""Length of a stream's row: no task can have more steps, whatever its workload."""


class ScenarioError(ValueError):
    """A setting that cannot be simulated: field, value, rule and remedy in one sentence.

    The sentence begins with the name of the field.
    """


def _number(default: float, low: float, high: float, unit: str, doc: str) -> Any:
    """A numeric field: whole if its default is, with inclusive bounds."""
    return field(default=default, metadata={"bounds": (low, high), "unit": unit, "doc": doc})


def _choice(default: str, options: tuple[str, ...], doc: str) -> Any:
    return field(default=default, metadata={"options": options, "unit": "", "doc": doc})


def _flag(default: bool, doc: str) -> Any:
    return field(default=default, metadata={"unit": "", "doc": doc})


@dataclass(frozen=True, kw_only=True, slots=True)
class Workload:
    """The tasks. Defaults: the lab's own page; steps' spread, 1,500 as a median and four needed
    facts are decisions of this project, since that page leaves them open."""

    mean_steps: float = _number(40.0, 1, MAX_STEPS, "steps", "Mean of the lognormal step count.")
    steps_sigma: float = _number(0.35, 0, 3, "", "Spread of the step count (log scale).")
    min_steps: int = _number(8, 1, MAX_STEPS, "steps", "Fewest steps of a task.")
    max_steps: int = _number(100, 1, MAX_STEPS, "steps", "Most steps of a task.")
    tool_tokens_median: float = _number(
        1500.0, 1, 100_000, "tokens", "Median size of a step's tool result."
    )
    tool_tokens_sigma: float = _number(0.7, 0, 2, "", "Spread of the tool results (log scale).")
    assistant_tokens: int = _number(200, 0, 100_000, "tokens", "Assistant message of a step.")
    system_tokens: int = _number(3000, 0, 1_000_000, "tokens", "System prompt.")
    instruction_tokens: int = _number(500, 0, 1_000_000, "tokens", "The user's instruction.")
    fact_rate: float = _number(0.5, 0, 1, "", "Share of steps that reveal a fact.")
    needed_facts: int = _number(4, 0, MAX_STEPS, "facts", "Facts that the final answer needs.")
    restated_rate: float = _number(0.6, 0, 1, "", "Share of facts the assistant restates.")
    noted_rate: float = _number(0.9, 0, 1, "", "Share of facts noted, with notes on.")
    note_tokens: int = _number(60, 0, 100_000, "tokens", "One note.")
    tokens_per_fact: float = _number(
        40.0, 0.001, 1_000_000, "tokens", "What a summary needs to carry one fact."
    )
    stub_tokens: int = _number(25, 0, 100_000, "tokens", "What is left of a cleared tool result.")
    instruction_keep: float = _number(
        0.99, 1e-9, 1, "", "Chance that the instruction survives one summary."
    )
    noisy_tools_factor: float = _number(3.0, 0.001, 10, "×", "Tool results, with noisy tools.")
    long_horizon_factor: int = _number(2, 1, MAX_STEPS, "×", "Steps, with the long horizon.")
    forgetful_tokens_per_fact: float = _number(
        120.0, 0.001, 1_000_000, "tokens", "Tokens per fact, with the forgetful summariser."
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Policy:
    """What the agent does with its context. Defaults and ranges of the controls: the lab."""

    window: int = _number(64_000, 1, 100_000_000, "tokens", "Most tokens a request may hold.")
    trigger: float = _number(0.8, 0.01, 1, "of the window", "Fill level at which it fires.")
    strategy: str = _choice("summarise", STRATEGIES, "What happens when it fires.")
    summary_budget: int = _number(1000, 1, 10_000_000, "tokens", "Size of the summary.")
    keep_recent: int = _number(6, 0, MAX_STEPS, "steps", "Newest steps that stay verbatim.")
    clear_tool_results: bool = _flag(False, "Shrink old tool results to stubs first.")
    notes: bool = _flag(False, "The agent notes facts where no edit reaches them.")
    pin_instruction: bool = _flag(False, "The instruction is never dropped or summarised.")
    instruction_required: bool = _flag(True, "A task fails if its instruction is lost.")


@dataclass(frozen=True, kw_only=True, slots=True)
class Events:
    """What makes life harder."""

    noisy_tools: bool = _flag(False, "Tool results are three times as long.")
    long_horizon: bool = _flag(False, "Tasks have twice as many steps.")
    forgetful_summariser: bool = _flag(False, "A summary needs three times the tokens per fact.")


@dataclass(frozen=True, kw_only=True, slots=True)
class PriceCard:
    """What a token costs. The default is the lab's illustrative flat price."""

    input_per_mtok: float = _number(
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

    def __post_init__(self) -> None:
        for part in fields(self):
            values = getattr(self, part.name)
            for spec in fields(values):
                _check(spec, getattr(values, spec.name))
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
        """Every setting under its flat name, in the order of the fields."""
        return {name: getattr(getattr(self, part), name) for name, (part, _) in _specs().items()}

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any]) -> Scenario:
        """A scenario from flat settings; what is not named keeps its default.

        Raises ScenarioError for an unknown name, a wrong kind or a value out of range.
        """
        chosen: dict[str, dict[str, Any]] = {part.name: {} for part in fields(cls)}
        for name, value in settings.items():
            part, spec = _spec_of(name)
            chosen[part][name] = _as_kind(spec, value)
        # ``cls.field`` would be a slot descriptor, so each part is built from its own type.
        return cls(**{name: _PARTS[name](**values) for name, values in chosen.items()})


_PARTS: dict[str, type] = {
    "workload": Workload, "policy": Policy, "events": Events, "prices": PriceCard
}  # fmt: skip


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
        raise ScenarioError(f"{name} is not a field: {hint}") from None


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
    value = _from_text(spec, text)
    _check(spec, value)
    return value


def _from_text(spec: Any, text: str) -> Any:
    kind = type(spec.default)
    word = text.strip()
    if kind is bool:
        words = {"true": True, "on": True, "yes": True, "1": True,
                 "false": False, "off": False, "no": False, "0": False}  # fmt: skip
        if word.lower() not in words:
            raise ScenarioError(
                f"{spec.name} is {shown(text)} but must be true or false: write true or false."
            )
        return words[word.lower()]
    if kind is str:
        return word
    try:
        return kind(word)
    except ValueError:
        raise _wrong_kind(spec, text) from None


def shown(value: Any) -> str:
    """A refused value as a sentence quotes it: short, whatever was typed."""
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else f"{value[:40]}…")
    try:
        text = repr(value)
    except ValueError:  # Python writes no number of more than 4,300 digits
        return "a number of thousands of digits"
    return text if len(text) <= 60 else f"{text[:40]}…"


def plain(value: Any) -> Any:
    """A NumPy scalar as the Python value that it is; anything else unchanged."""
    return value.item() if isinstance(value, np.generic) else value


def _as_kind(spec: Any, value: Any) -> Any:
    """Accept 64000.0 for a whole field and 3 for a real one; leave the rest to ``_check``."""
    kind, value = type(spec.default), plain(value)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    is_number = is_number and abs(value) < 2**63  # what is beyond may be too large for a float
    if is_number and (kind is float or (kind is int and float(value).is_integer())):
        return kind(value)
    return value


def _wrong_kind(spec: Any, value: Any) -> ScenarioError:
    low, high = spec.metadata["bounds"]
    noun = "a whole number" if isinstance(spec.default, int) else "a number"
    return ScenarioError(
        f"{spec.name} is {shown(value)} but must be {noun} from {low:,} to {high:,}: "
        f"for example {spec.default:g}."
    )


def _check(spec: Any, value: Any) -> None:
    """Raise ScenarioError unless the value is of the field's kind and within its bounds."""
    rule = spec.metadata
    if "options" in rule:
        if not isinstance(value, str) or value not in rule["options"]:
            options = ", ".join(rule["options"])
            close = difflib.get_close_matches(shown(value).strip("'"), rule["options"], n=1)
            remedy = f"did you mean {close[0]}?" if close else f"for example {spec.default}."
            raise ScenarioError(
                f"{spec.name} is {shown(value)} but must be one of {options}: {remedy}"
            )
    elif isinstance(spec.default, bool):
        if not isinstance(value, bool):
            raise ScenarioError(
                f"{spec.name} is {shown(value)} but must be true or false: write true or false."
            )
    else:
        kinds = int if isinstance(spec.default, int) else int | float
        if isinstance(value, bool) or not isinstance(value, kinds):
            raise _wrong_kind(spec, value)
        low, high = rule["bounds"]
        if not low <= value <= high:  # also refuses nan
            raise _wrong_kind(spec, value)
