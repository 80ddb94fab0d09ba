"""What a compaction cannot go below, against the level at which the next one fires.

Every serious trouble of real agents with compaction is a floor close to the trigger: then it fires
again after a few requests, at full price (research, policies 0.1).

What masks and clears free, what is read again, and how often the level is looked at are left out:
with them it fires later than said here, or, with much to read again, sooner.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from sim.outcome import Outcome
from sim.policy import firing_level
from sim.stats import Estimate, Ratio

TIGHT_REQUESTS = 6.6
"""Compactions closer together do not pay for themselves: with a warm cache, five measured ones
took 3.6 to 6.6 requests to (research, policies D3)."""
STATES = ("fine", "tight", "never", "unused")


@dataclass(frozen=True, kw_only=True, slots=True)
class Floor:
    """The context just after a compaction, on average, by its parts in tokens."""

    parts: dict[str, float]
    """``system``, ``instruction`` (0 if it is not pinned), ``kept``, ``summary``, ``notes``, of
    the end of a task."""
    trigger: int
    """Tokens at which the policy fires."""
    window: int
    growth: Estimate
    """Tokens that a request adds."""
    requests: Estimate
    """Requests until it fires again; the interval is that of the growth."""
    state: str
    """``fine``, ``tight`` (it fires again within ``TIGHT_REQUESTS``), ``never`` (the floor is not
    below the trigger, so compacting alone makes no room) or ``unused`` (nothing is compacted)."""
    is_rough: bool
    """Something that is left out here makes the next compaction come later, or sooner."""

    @property
    def tokens(self) -> float:
        """All parts together."""
        return sum(self.parts.values())


def floor(run: Outcome) -> Floor:
    """The floor of a run's policy on its tasks."""
    scenario = run.scenario
    policy, agent, work = scenario.policy, scenario.agent, scenario.workload
    growth = Ratio(run.appended, run.steps).estimate()
    parts = {
        "system": float(work.system_tokens),
        "instruction": float(work.instruction_tokens) if policy.pin_instruction else 0.0,
        "kept": 0.0,
        "summary": 0.0,
        "notes": float(run.noted.mean()) * work.note_tokens,
    }
    step = growth.value - parts["notes"] / float(run.steps.mean())  # without what it notes
    if policy.strategy == "summarise":
        parts["summary"] = float(policy.summary_budget + agent.rehydrate_tokens)
        held = firing_level(policy) - sum(parts.values())
        if agent.trigger_steps:
            held = min(held, agent.trigger_steps * step)
        share = agent.keep_recent_share * held
        parts["kept"] = max(policy.keep_recent * step, float(agent.keep_recent_tokens), share)
    else:  # truncation keeps what fits below its target, and the newest step whatever its size
        target = math.floor(agent.truncate_to * policy.window)
        parts["kept"] = max(target - sum(parts.values()), step)
    trigger = firing_level(policy)
    room = max(trigger - sum(parts.values()), 0.0)
    most = math.inf
    if agent.trigger_steps:
        kept = max(policy.keep_recent, math.floor(agent.keep_recent_share * agent.trigger_steps))
        most = float(max(agent.trigger_steps - kept, 1))
    requests = Estimate(
        _requests(room, growth.value, most),
        None if growth.high is None else _requests(room, growth.high, most),
        None if growth.low is None else _requests(room, growth.low, most),
    )
    return Floor(
        parts=parts,
        trigger=trigger,
        window=policy.window,
        growth=growth,
        requests=requests,
        state=_state(policy.strategy, requests.value),
        is_rough=policy.clear_tool_results
        or scenario.masking.masking
        or scenario.rework.rework > 0
        or agent.check_every > 1,
    )


def _requests(room: float, growth: float, most: float) -> float:
    # A request may add nothing: all results in files, without a preview, and no message.
    return min(room / max(growth, 1.0), most)


def _state(strategy: str, requests: float) -> str:
    if strategy == "none":
        return "unused"
    if requests == 0:
        return "never"
    return "tight" if requests < TIGHT_REQUESTS else "fine"
