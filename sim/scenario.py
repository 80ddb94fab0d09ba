"""What is simulated: the workload, the policy, the events and the price, and nothing that runs.

The field names of all parts form one flat namespace, so that a setting has one name everywhere:
in Python, on the command line, in a mission file and in a link. The parts of the base model are
always listed in full; those of the packs only where they differ from their defaults.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

from sim.base import MAX_STEPS, Events, Policy, PriceCard, Workload
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
)
from sim.setting import ScenarioError, as_kind, check, from_text, shown


@dataclass(frozen=True, kw_only=True, slots=True)
class Scenario:
    """One experiment, complete but for its seed and its number of tasks.

    Raises ScenarioError for settings that cannot be simulated together.
    """

    workload: Workload = Workload()
    policy: Policy = Policy()
    events: Events = Events()
    prices: PriceCard = PriceCard()
    caching: Caching = Caching()
    hardware: Hardware = Hardware()
    reading: Reading = Reading()
    clearing: Clearing = Clearing()
    masking: Masking = Masking()
    disk: Disk = Disk()
    rework: Rework = Rework()
    carrier: Carrier = Carrier()
    agent: Agent = Agent()

    def __post_init__(self) -> None:
        for name, (part, spec) in _specs().items():
            value = getattr(getattr(self, part), name)
            if value is not spec.default:  # most are
                check(spec, value)
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
        _check_summariser(self.agent, self.caching)
        _check_masking(self.masking, clears=self.policy.clear_tool_results)
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
        chosen: dict[str, dict[str, Any]] = {}
        for name, value in settings.items():
            part, spec = _spec_of(name)
            if value is not spec.default:
                chosen.setdefault(part, {})[name] = as_kind(spec, value)
        return cls(**{part: _PARTS[part](**values) for part, values in chosen.items()})


def _check_masking(masking: Masking, *, clears: bool) -> None:
    """Raise ScenarioError for masks that contradict one another, or the policy's clearing."""
    if not masking.mask_search_at <= masking.mask_execute_at <= masking.mask_edit_at:
        raise ScenarioError(
            f"mask_search_at, mask_execute_at and mask_edit_at are {masking.mask_search_at:g}, "
            f"{masking.mask_execute_at:g} and {masking.mask_edit_at:g} but must not fall: "
            "give watermarks in this order, for example 0.6, 0.8 and 0.85."
        )
    if masking.search_share + masking.edit_share > 1:
        raise ScenarioError(
            f"search_share is {masking.search_share:g} and edit_share {masking.edit_share:g}, "
            "more than all steps together: give shares that add up to at most 1."
        )
    if masking.masking and masking.staking != "off" and clears:
        raise ScenarioError(
            f"staking is {masking.staking} but clear_tool_results is true, which edits what was "
            "sent: set one of the two to its off value."
        )


def _check_summariser(agent: Agent, caching: Caching) -> None:
    """Raise ScenarioError for a summariser that cannot share the agent's prefix, but should."""
    if not caching.caching or caching.summariser_cache != "warm":
        return
    for name, off in (("summariser_input_cap", 0), ("tool_clip", 0), ("summariser_price", 1.0)):
        value = getattr(agent, name)
        if value != off:
            raise ScenarioError(
                f"summariser_cache is warm but {name} is {value:,}, so that the summariser's call "
                "shares no prefix with the agent's: set summariser_cache to cold."
            )


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
        hint = f"did you mean {close[0]}?" if close else "python -m sim fields lists them all."
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
