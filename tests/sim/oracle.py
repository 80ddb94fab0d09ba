"""A second implementation of the base model (design, Part A), one task and one message at a time.

Slow and plain on purpose: every context is a handful of Python objects, every token count is a sum
over them, and nothing is shared with `sim`. NumPy draws the streams exactly as A1 says and takes
the percentile; all else is loops.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

MAX_STEPS = 200
Z = 1.96

DEFAULTS: dict[str, object] = {
    # workload
    "mean_steps": 40,
    "steps_sigma": 0.35,
    "min_steps": 8,
    "max_steps": 100,
    "tool_tokens_median": 1500,
    "tool_tokens_sigma": 0.7,
    "assistant_tokens": 200,
    "system_tokens": 3000,
    "instruction_tokens": 500,
    "fact_rate": 0.5,
    "needed_facts": 4,
    "restated_rate": 0.6,
    "noted_rate": 0.9,
    "note_tokens": 60,
    "tokens_per_fact": 40,
    "stub_tokens": 25,
    "instruction_keep": 0.99,
    "noisy_tools_factor": 3,
    "long_horizon_factor": 2,
    "forgetful_tokens_per_fact": 120,
    # policy
    "window": 64_000,
    "trigger": 0.80,
    "strategy": "summarise",
    "summary_budget": 1_000,
    "keep_recent": 6,
    "clear_tool_results": False,
    "notes": False,
    "pin_instruction": False,
    "instruction_required": True,
    # events and prices
    "noisy_tools": False,
    "long_horizon": False,
    "forgetful_summariser": False,
    "input_per_mtok": 3.0,
}


@dataclass
class Fact:
    """One fact: what was drawn for it, and where it is now."""

    step: int
    rank: float  # the stream-3 draw: the smallest are needed
    restated: bool
    noted: bool
    resilience: float
    needed: bool = False
    hazard: float = 0.0
    place: str = "unrevealed"  # then "step", and "summary" once folded; "gone" once it died
    cut_away: bool = False  # its tool result went; only the restatement carries it
    cause: str | None = None
    lost_at: int = -1
    fold: int = 0
    restated_at: int = -1  # the step at which only the restatement was left
    summarised_at: int = -1  # the step at which a summary first took it in

    def die(self, cause: str, step: int, fold: int = 0) -> None:
        self.place, self.cause, self.lost_at, self.fold = "gone", cause, step, fold

    def alive(self) -> bool:
        return self.place in ("step", "summary")

    def lose_tool_result(self, cause: str, step: int) -> None:
        """Its tool result was emptied: a restatement in the assistant message saves it."""
        if self.place == "step":
            if self.restated:
                if not self.cut_away:
                    self.restated_at = step
                self.cut_away = True
            else:
                self.die(cause, step)

    def state(self) -> str:
        if self.place == "unrevealed":
            return "unrevealed"
        if self.place == "gone":
            return "notes" if self.noted else "lost"
        if self.place == "summary":
            return "summary"
        return "restated" if self.cut_away else "verbatim"


@dataclass
class Step:
    """An assistant message and the tool result that answers it."""

    assistant: int
    tool: int
    fact: Fact | None
    cleared: bool = False


@dataclass
class Outcome:
    """What became of one task."""

    facts: list[Fact]
    steps: int = 0
    success: float = 0.0
    cost: float = 0.0
    request_tokens: int = 0
    summariser_tokens: int = 0
    needed: int = 0
    needed_lost: int = 0
    instruction_lost: bool = False
    compactions: int = 0
    clears: int = 0
    overflows: int = 0
    failed: bool = False
    peak: int = 0
    final_context: int = 0
    read: list[int] = field(default_factory=list)
    after: list[int] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    events: list[tuple[int, str, int, int]] = field(default_factory=list)
    held: list[int] = field(default_factory=list)  # facts each summary had to hold


class Task:
    """One agent at work: the context as objects, and the policy that edits it."""

    def __init__(
        self,
        setting: Mapping[str, object],
        tools: list[int],
        facts: list[Fact | None],
        resilience: float,
    ) -> None:
        self.setting = setting
        self.tools = tools
        self.fact_of_step = facts
        self.instruction = "verbatim"  # then "summary" or "lost"
        self.instruction_hazard = 0.0
        self.instruction_resilience = resilience
        self.fold_hazard = 0.0  # what Part F adds to each fold
        self.has_summary = False
        self.summary: list[Fact] = []
        self.live: list[Step] = []
        self.notes = 0
        self.now = 0
        self.out = Outcome(facts=[fact for fact in facts if fact is not None], steps=len(tools))

    def context(self) -> int:
        s = self.setting
        tokens = s["system_tokens"]
        if self.instruction == "verbatim":
            tokens += s["instruction_tokens"]
        if self.has_summary:
            tokens += s["summary_budget"]
        for step in self.live:
            tokens += step.assistant + step.tool
        for _ in range(self.notes):
            tokens += s["note_tokens"]
        return tokens

    def run(self) -> Outcome:
        out, s = self.out, self.setting
        for now, tool in enumerate(self.tools):
            self.now = now
            self.bill_request()
            fact = self.fact_of_step[now]
            self.live.append(Step(s["assistant_tokens"], tool, fact))
            if fact is not None:
                fact.place = "step"
                if fact.noted:
                    self.notes += 1
            out.after.append(self.context())
            out.peak = max(out.peak, self.context())
            self.check()
            out.left.append(self.context())
            if out.failed:
                break
        if not out.failed:
            self.bill_request()
        self.finish()
        return out

    def bill_request(self) -> None:
        self.out.read.append(self.context())
        self.out.request_tokens += self.context()

    def finish(self) -> None:
        out, s = self.out, self.setting
        out.final_context = self.context()
        out.instruction_lost = self.instruction == "lost"
        for fact in out.facts:
            if fact.needed:
                out.needed += 1
                if fact.state() == "lost":
                    out.needed_lost += 1
        ok = not out.failed and out.needed_lost == 0
        if s["instruction_required"] and out.instruction_lost:
            ok = False
        if ok:
            out.success = 0.97 - 0.15 * min(1.0, out.final_context / 200_000)
        billed = out.request_tokens + out.summariser_tokens
        out.cost = billed * s["input_per_mtok"] / 1_000_000

    # The policy (A5)

    def check(self) -> None:
        if self.is_full():
            self.act()

    def is_full(self) -> bool:
        return self.context() >= self.setting["trigger"] * self.setting["window"]

    def act(self) -> None:
        s = self.setting
        if s["strategy"] == "none":
            if self.context() > s["window"]:
                self.out.overflows += 1
                self.out.events.append((self.now, "overflow", self.context(), self.context()))
                self.fail()
            return
        if s["strategy"] == "summarise" and self.context() > s["window"]:
            self.overflow()
            if self.out.failed:
                return
        if s["clear_tool_results"]:
            self.clear()
        if self.is_full():
            if s["strategy"] == "truncate":
                self.truncate()
            else:
                self.summarise()
        if self.context() > s["window"]:
            self.overflow()

    def older_steps(self) -> list[Step]:
        count = max(0, len(self.live) - self.setting["keep_recent"])
        return [step for position, step in enumerate(self.live) if position < count]

    def clear(self) -> None:
        before, stub = self.context(), self.setting["stub_tokens"]
        touched = 0
        for step in self.older_steps():
            if not step.cleared and step.tool > stub:
                step.tool = stub
                step.cleared = True
                touched += 1
                if step.fact is not None:
                    step.fact.lose_tool_result("cleared", self.now)
        if touched:
            self.out.clears += 1
            self.out.events.append((self.now, "clear", before, self.context()))

    def drop_oldest(self, target: float, cause: str) -> int:
        """Drop the instruction, then whole steps, until `target`; return how many messages went."""
        dropped = 0
        while self.context() > target:
            if self.instruction == "verbatim" and not self.setting["pin_instruction"]:
                self.instruction = "lost"
            elif len(self.live) > 1:
                step = self.live.pop(0)
                if step.fact is not None and step.fact.place == "step":
                    step.fact.die(cause, self.now)
            else:
                break
            dropped += 1
        return dropped

    def truncate(self) -> None:
        before = self.context()
        if self.drop_oldest(self.setting["window"] / 2, "truncated"):
            self.out.compactions += 1
            self.out.events.append((self.now, "compaction", before, self.context()))

    def summarise(self) -> None:
        s, before = self.setting, self.context()
        span = self.older_steps()
        if not span:
            return
        self.out.compactions += 1
        self.out.summariser_tokens += before
        folded = [fact for fact in self.summary if fact.alive()]
        for step in span:
            if step.fact is not None and step.fact.alive():
                folded.append(step.fact)
        self.out.held.append(len(folded))
        if folded:
            per_fact = s["tokens_per_fact"]
            if s["forgetful_summariser"]:
                per_fact = s["forgetful_tokens_per_fact"]
            keep = 1 - math.exp(-s["summary_budget"] / (per_fact * len(folded)))
            for fact in folded:
                fact.hazard += -math.log(keep) + self.fold_hazard
                if fact.hazard > fact.resilience:
                    fact.die("summarised", self.now, fold=self.out.compactions)
                else:
                    if fact.place != "summary":
                        fact.summarised_at = self.now
                    fact.place = "summary"
        self.summary = [fact for fact in folded if fact.alive()]
        self.has_summary = True
        self.live = [step for step in self.live if not any(step is old for old in span)]
        if self.instruction != "lost" and not s["pin_instruction"]:
            self.instruction = "summary"
            self.instruction_hazard += -math.log(s["instruction_keep"])
            if self.instruction_hazard > self.instruction_resilience:
                self.instruction = "lost"
        self.out.events.append((self.now, "compaction", before, self.context()))

    # Overflow (A6)

    def overflow(self) -> None:
        before, window = self.context(), self.setting["window"]
        self.out.overflows += 1
        self.drop_oldest(window, "overflow")
        if self.context() > window and self.live:
            newest = self.live[-1]
            too_much = self.context() - window
            newest.tool = max(0, newest.tool - too_much)
            if newest.fact is not None:
                newest.fact.lose_tool_result("overflow", self.now)
        self.out.events.append((self.now, "overflow", before, self.context()))
        if self.context() > window:
            self.fail()

    def fail(self) -> None:
        self.out.failed = True
        self.out.events.append((self.now, "failed", self.context(), self.context()))


def draw(setting: Mapping[str, object], seed: int, n: int) -> list[Task]:
    """The `n` tasks of `seed` (A1, A2), ready to run under the policy in `setting`."""
    s = setting
    rngs = [np.random.default_rng([seed, k]) for k in range(8)]
    steps_z = rngs[0].standard_normal(n)
    tool_z = rngs[1].standard_normal((n, MAX_STEPS))
    reveal_u, rank_u, restated_u, noted_u = (rngs[k].random((n, MAX_STEPS)) for k in (2, 3, 4, 5))
    fact_e = rngs[6].standard_exponential((n, MAX_STEPS))
    instruction_e = rngs[7].standard_exponential(n)

    noise = s["noisy_tools_factor"] if s["noisy_tools"] else 1
    tasks = []
    for i in range(n):
        sigma = s["steps_sigma"]
        steps = round(s["mean_steps"] * math.exp(sigma * float(steps_z[i]) - sigma**2 / 2))
        steps = min(max(steps, s["min_steps"]), s["max_steps"])
        if s["long_horizon"]:
            steps *= s["long_horizon_factor"]
        tools: list[int] = []
        facts: list[Fact | None] = []
        for t in range(steps):
            spread = math.exp(s["tool_tokens_sigma"] * float(tool_z[i, t]))
            tools.append(max(1, round(noise * s["tool_tokens_median"] * spread)))
            fact = None
            if reveal_u[i, t] < s["fact_rate"]:
                fact = Fact(
                    step=t,
                    rank=float(rank_u[i, t]),
                    restated=bool(restated_u[i, t] < s["restated_rate"]),
                    noted=bool(s["notes"] and noted_u[i, t] < s["noted_rate"]),
                    resilience=float(fact_e[i, t]),
                )
            facts.append(fact)
        present = [fact for fact in facts if fact is not None]
        for fact in sorted(present, key=lambda fact: fact.rank)[: s["needed_facts"]]:
            fact.needed = True
        tasks.append(Task(s, tools, facts, float(instruction_e[i])))
    return tasks


def play(setting: Mapping[str, object], seed: int, n: int) -> list[Outcome]:
    """Every task of `seed` played to its end; `setting` is flat, the rest are the defaults."""
    unknown = set(setting) - set(DEFAULTS)
    if unknown:
        raise KeyError(f"not a setting: {sorted(unknown)}")
    complete = {**DEFAULTS, **setting}
    return [task.run() for task in draw(complete, seed, n)]


# The tiles (A8)

Interval = tuple[float, float | None, float | None]


def mean_interval(values: list[float]) -> Interval:
    n = len(values)
    mean = math.fsum(values) / n
    if n == 1:
        return mean, None, None
    sd = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1))
    return mean, mean - Z * sd / math.sqrt(n), mean + Z * sd / math.sqrt(n)


def wilson_interval(hits: int, n: int) -> Interval:
    share = hits / n
    centre = share + Z**2 / (2 * n)
    half = Z * math.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2))
    return share, (centre - half) / (1 + Z**2 / n), (centre + half) / (1 + Z**2 / n)


def ratio_interval(parts: list[int], wholes: list[int]) -> Interval:
    """The sum of `parts` over the sum of `wholes`, by the delta method; no wholes, no losses."""
    n = len(parts)
    if sum(wholes) == 0:
        return 0.0, None, None
    ratio = sum(parts) / sum(wholes)
    if n == 1:
        return ratio, None, None
    spread = math.fsum((p - ratio * w) ** 2 for p, w in zip(parts, wholes, strict=True)) / (n - 1)
    error = math.sqrt(spread / n) / (sum(wholes) / n)
    return ratio, ratio - Z * error, ratio + Z * error


def tiles(outcomes: list[Outcome]) -> dict[str, Interval]:
    """The tiles; of `p95_peak` the value only, its interval is a matter of coverage."""
    n = len(outcomes)
    peaks = [outcome.peak for outcome in outcomes]
    table: dict[str, Interval] = {
        key: mean_interval([float(getattr(outcome, key)) for outcome in outcomes])
        for key in ("success", "cost", "compactions", "clears", "overflows", "final_context")
    }
    for key in ("instruction_lost", "failed"):
        table[key] = wilson_interval(sum(getattr(outcome, key) for outcome in outcomes), n)
    table["needed_lost"] = ratio_interval(
        [outcome.needed_lost for outcome in outcomes], [outcome.needed for outcome in outcomes]
    )
    table["p95_peak"] = (float(np.percentile(peaks, 95)), None, None)
    return table
