"""What the article of seed 001 says in figures, or in words that stand for some, beside ours."""

from __future__ import annotations

from operator import attrgetter

import numpy as np

from sim import billing, hardware
from sim.cards import card_settings
from sim.scenario import Scenario
from sim.stats import Ratio
from sim.studies.moments import moment
from sim.studies.pool import Pool
from sim.studies.study import Row, estimated, published, said

SAYS = published("physical_cost")


def rows(pool: Pool, avoid: Scenario, execute: Scenario) -> tuple[Row, ...]:
    """Memory, time and money, of a policy that removes nothing and of one that summarises."""
    return (*_memory(avoid), *_time(pool, avoid), *_money(pool, avoid, execute))


def _memory(avoid: Scenario) -> list[Row]:
    memory, per_token = SAYS["memory"], hardware.kv_bytes_per_token(avoid.hardware)
    kv, label = per_token * memory["tokens"], f"KV cache of {memory['tokens']:,} tokens"
    return [
        Row(
            label="KV cache of one token", unit="bytes", ours=per_token,
            published=memory["bytes_per_token"],
        ),
        Row(label=label, unit="GB", ours=kv / 1e9, **said(memory["gb"])),
        Row(label=f"{label}, powers of two", unit="GiB", ours=kv / 2**30, **said(memory["gib"])),
    ]  # fmt: skip


def _time(pool: Pool, avoid: Scenario) -> list[Row]:
    wait = SAYS["wait"]
    tokens = np.array([wait["tokens"]])
    step = np.array([pool.column(avoid, attrgetter("grown")).mean()])

    def seconds(gpu: str, uncached: np.ndarray) -> float:
        card = avoid.replace(**card_settings(gpu)).hardware
        return float(hardware.prefill_seconds(card, uncached, tokens)[0])

    label = f"first token of {wait['tokens']:,} tokens"
    cold = [
        Row(
            label=f"{label}, no cache, eight {gpu.upper()}", unit="s", ours=seconds(gpu, tokens),
            **said(wait["cold_s"]), note="“past dozens of seconds”",
        )
        for gpu in ("h100", "a100")
    ]  # fmt: skip
    warm = Row(
        label=f"{label}, all but one step cached", unit="s", ours=seconds("h100", step),
        **said(wait["warm_s"]), note="“hundred-millisecond bounds”",
    )  # fmt: skip
    return [*cold, warm]


def _money(pool: Pool, avoid: Scenario, execute: Scenario) -> list[Row]:
    cache, sessions = SAYS["cache"], SAYS["sessions"]
    tokens, price = pool.usage(avoid), avoid.prices.input_per_mtok
    parts = billing.cost_parts(avoid, tokens)
    with_cache = parts["cached_read"] + parts["written"]
    without = tokens["request_tokens"] * price / 1e6
    final, steps = (pool.column(avoid, attrgetter(name)) for name in ("final_context", "steps"))
    work = avoid.workload
    others = work.system_tokens + work.instruction_tokens + steps * work.assistant_tokens
    return [
        Row(
            label="discount on cached input", unit="%", published=cache["discount"],
            ours=1 - avoid.caching.cache_read_per_mtok / price,
        ),
        estimated(
            "input without a cache over input with it", Ratio(without, with_cache).estimate(),
            unit="×", published=cache["cost_factor"], note="“an order of magnitude”",
        ),
        estimated(
            "input cost that the cache saves", Ratio(without - with_cache, without).estimate(),
            unit="%", **said(sessions["input_saved"]), note="expected there, not measured",
        ),
        estimated(
            "cached tokens that a compaction wipes", moment(pool, execute, "wiped"), unit="tokens",
            **said(cache["lost_tokens"]), note="“tens of thousands”",
        ),
        estimated(
            "tool output in a final context", Ratio(final - others, final).estimate(),
            unit="%", published=sessions["tool_share"], note="measured there in long sessions",
        ),
    ]  # fmt: skip
