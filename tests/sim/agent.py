"""The second implementation with Parts E and G: masks, clearing apart, files and re-reading.

As slow and plain as `oracle`: every context is a list of messages, and what happened to each fact
is written on it.
"""

from __future__ import annotations

import math

import numpy as np

from tests.sim import oracle
from tests.sim.test_caching import CachedTask

DEFAULTS = {
    **oracle.DEFAULTS,
    **{"notes_at": "end", "summariser_cache": "warm", "cold_share": 0.0, "clear_at_least": 0},
    **{"clear_apart": False, "clear_trigger": 0.5, "clear_keep": 3, "clear_every": 1},
    **{"masking": False, "effective_fraction": 0.6, "masked_tokens": 60, "staking": "off"},
    **{"mask_search_at": 0.60, "mask_execute_at": 0.80, "mask_edit_at": 0.85},
    **{"search_share": 0.09, "edit_share": 0.11},
    **{"offloading": False, "offload_above": 8_000, "preview_tokens": 250},
    **{"read_back_rate": 0.8, "read_back_tokens": 2_000, "archive": False, "archive_rate": 0.5},
    **{"rework": 0.0, "rework_tokens": 600, "rework_decay": 6.0},
    **{"caching": False, "reading": "linear", "most_missed": 0.5},
}


class Agent(CachedTask):
    """One agent at work under every pack of Parts B, E and G."""

    def __init__(self, task, rows):
        super().__init__(task, rows["expired"], {})
        self.rows = rows
        self.keep = self.setting["keep_recent"]
        self.pile = None  # what was read again: (of which compaction, after which step, tokens)
        self.files_read = []
        self.sizes = []  # of each request: what it reads, and what of that is cached
        self.steps_done = 0
        self.has_paused = False
        self.reread_requests = self.reread_tokens = 0

    # The messages

    def parts(self):
        """The context in order: (name, tokens, facts that stand in the middle of it)."""
        s, at_end = self.setting, self.setting["notes_at"] == "end"
        instruction = [("instruction", s["instruction_tokens"], [])]
        instruction = instruction if self.instruction == "verbatim" else []
        noted = [f for f in self.out.facts if f.noted and f.place != "unrevealed"]
        notes = [(("note", i), s["note_tokens"], [f]) for i, f in enumerate(noted)]
        parts = [("system", s["system_tokens"], [])]
        parts += instruction if s["pin_instruction"] else []
        parts += [] if at_end else notes
        parts += [] if s["pin_instruction"] else instruction
        if self.has_summary:
            parts += [(("summary", self.out.compactions), s["summary_budget"], self.summary)]
        pile = self.pile_alive()
        if pile and pile[1] is None:
            parts += [(("pile", pile[0]), pile[2], [])]
        for step in self.live:
            name = (id(step), step.cleared, step.tool)
            here = [step.fact] if step.fact is not None and step.fact.alive() else []
            parts += [((name, "said"), step.assistant, [f for f in here if f.cut_away])]
            parts += [((name, "tool"), step.tool, [f for f in here if not f.cut_away])]
            if pile and pile[1] is step:
                parts += [(("pile", pile[0]), pile[2], [])]
        for fact in self.files_read:
            parts += [(("file", id(fact)), s["read_back_tokens"], [fact])]
        return parts + (notes if at_end else [])

    def pile_alive(self):
        """The next compaction takes it away."""
        return self.pile if self.pile and self.pile[0] == self.out.compactions else None

    def context(self):
        return sum(tokens for _, tokens, _ in self.parts())

    def tokens(self):
        return np.concatenate([self.block(name, tokens) for name, tokens, _ in self.parts()])

    def bill_request(self, is_extra=False):
        context = self.context()
        if not is_extra:
            self.out.read.append(context)
        self.out.request_tokens += context
        is_expired = self.has_paused and (
            self.expired[self.steps_done - 1] < self.setting["cold_share"]
        )
        self.has_paused = False
        cached = 0 if is_expired or not self.setting["caching"] else self.common()
        self.cached += cached
        self.sizes.append((context, cached))
        if self.setting["caching"]:
            self.sent = self.tokens()

    # The course of the task

    def run(self):
        out, s = self.out, self.setting
        self.offload()
        for now, tool in enumerate(self.tools):
            self.now = now
            self.bill_request()
            fact = self.fact_of_step[now]
            step = oracle.Step(s["assistant_tokens"], tool, fact)
            step.now, step.arrived = now, tool
            self.live.append(step)
            self.steps_done, self.has_paused = now + 1, True
            if fact is not None and fact.is_on_disk:
                fact.die("offloaded", now)
            elif fact is not None:
                fact.place = "step"
            self.notes += fact is not None and fact.noted
            out.after.append(self.context())
            out.peak = max(out.peak, self.context())
            self.look()
            out.left.append(self.context())
            if out.failed:
                break
        if not out.failed:
            self.read_files()
            out.left[-1] = self.context()
            self.bill_request()
        self.finish()
        return out

    def look(self):
        s, compactions = self.setting, self.out.compactions
        if s["masking"]:
            self.mask()
        is_time = s["clear_apart"] and self.steps_done % s["clear_every"] == 0
        if is_time and self.context() >= s["clear_trigger"] * s["window"]:
            self.keep = s["clear_keep"]
            super().clear()
            self.keep = s["keep_recent"]
        self.check()
        if self.out.compactions > compactions and not self.out.failed:
            self.read_again()

    def older_steps(self):
        return self.live[: max(0, len(self.live) - self.keep)]

    def clear(self):
        if not self.setting["clear_apart"]:
            super().clear()

    def mask(self):
        s, before = self.setting, self.context()
        at = [s["mask_search_at"], s["mask_execute_at"], s["mask_edit_at"]]
        if s["staking"] == "all_at_once":
            at = [at[2]] * 3
        steps = self.live[-1:] if s["staking"] == "new_results" else self.older_steps()
        for step in steps:
            kind = self.kind(step)
            is_due = before >= at[kind] * (s["effective_fraction"] * s["window"])
            if is_due and step.tool > s["masked_tokens"]:
                step.tool = s["masked_tokens"]
                depth, half = self.depth(step), s["masked_tokens"] / 2
                is_in_sight = depth < half or depth >= step.arrived - half
                if step.fact is not None and not is_in_sight:
                    step.fact.lose_tool_result("masked", self.now)
        if self.context() < before:
            self.out.events.append((self.now, "mask", before, self.context()))

    def depth(self, step):
        """Tokens of its result before a step's fact."""
        return self.rows["place"][step.now] * step.arrived

    def kind(self, step):
        draw = self.rows["kind"][step.now]
        if draw < self.setting["search_share"]:
            return 0
        return 2 if draw >= 1 - self.setting["edit_share"] else 1

    def drop_oldest(self, target, cause):
        dropped = 0
        if self.pile_alive() and self.context() > target:
            self.pile = None
            dropped = 1
        return dropped + super().drop_oldest(target, cause)

    # Reading again

    def read_again(self):
        s, before = self.setting, self.context()
        mean = s["rework"] * math.exp(-s["keep_recent"] / s["rework_decay"])
        wanted = math.floor(mean) + (self.rows["rework"][self.now] < mean - math.floor(mean))
        read = 0
        newest = self.live[-1] if self.live else None
        while read < wanted and self.context() + s["rework_tokens"] <= s["window"]:
            self.reread_tokens += self.context()
            self.bill_request(is_extra=True)
            read += 1
            self.pile = (self.out.compactions, newest, read * s["rework_tokens"])
        self.reread_requests += read
        self.out.peak = max(self.out.peak, self.context() if read else 0)
        if read:
            self.out.events.append((self.now, "rework", before, self.context()))

    def offload(self):
        s = self.setting
        for now, tool in enumerate(self.tools):
            fact = self.fact_of_step[now]
            is_large = s["offloading"] and tool > s["offload_above"]
            if is_large:
                self.tools[now] = min(tool, s["preview_tokens"])
            if fact is not None:
                fact.is_on_disk, fact.is_missed = is_large, False
                if is_large:  # what the agent has not seen it neither says nor notes
                    fact.restated = fact.noted = False

    def file_of(self, fact):
        if fact.place != "gone" or fact.noted:
            return None
        if fact.is_on_disk:
            return "disk"
        is_dropped = fact.cause in ("truncated", "summarised", "overflow")
        return "archive" if is_dropped and self.setting["archive"] else None

    def read_files(self):
        s, before = self.setting, self.context()
        for fact in self.out.facts:
            file = self.file_of(fact)
            if fact.needed and file:
                row, rate = ("back", "read_back_rate") if file == "disk" else (
                    "archive", "archive_rate",
                )  # fmt: skip
                has_room = self.context() + s["read_back_tokens"] <= s["window"]
                if self.rows[row][fact.step] < s[rate] and has_room:
                    self.bill_request(is_extra=True)
                    self.files_read.append(fact)
                else:
                    fact.is_missed = True
        if self.files_read:
            self.out.peak = max(self.out.peak, self.context())
            self.out.events.append((self.now, "read_back", before, self.context()))

    # The end

    def state(self, fact):
        return fact.state() if fact.is_missed else self.file_of(fact) or fact.state()

    def finish(self):
        super().finish()
        out, s = self.out, self.setting
        out.needed_lost = sum(f.needed and self.state(f) == "lost" for f in out.facts)
        is_lost = s["instruction_required"] and out.instruction_lost
        if out.failed or out.needed_lost or is_lost:
            out.success = 0.0
        elif s["reading"] == "linear":
            out.success = 0.97 - 0.15 * min(1.0, out.final_context / 200_000)
        else:
            out.success = 0.97
            for fact in out.facts:
                if fact.needed:
                    out.success *= 1 - self.missed(fact)

    def missed(self, fact):
        """By the best placed of its copies."""
        shares, at, whole = [], 0, max(self.context(), 1)
        for _, tokens, facts in self.parts():
            shares += [(at + tokens / 2) / whole for other in facts if other is fact]
            at += tokens
        most = self.setting["most_missed"] * min(1, whole / 200_000)
        return min(most * 4 * x * (1 - x) for x in shares)


STREAMS = {"expired": 8, "kind": 9, "place": 10, "back": 11, "archive": 12, "rework": 13}


def play(setting, seed, n):
    """Every task of `seed` played to its end; `setting` is flat, the rest are the defaults."""
    unknown = set(setting) - set(DEFAULTS)
    if unknown:
        raise KeyError(f"not a setting: {sorted(unknown)}")
    complete = {**DEFAULTS, **setting}
    drawn = {
        name: np.random.default_rng([seed, number]).random((n, 200))
        for name, number in STREAMS.items()
    }
    agents = [
        Agent(task, {name: rows[i].tolist() for name, rows in drawn.items()})
        for i, task in enumerate(oracle.draw(complete, seed, n))
    ]
    for agent in agents:
        agent.run()
    return agents
