"""Whether a model and its sessions fit in the memory of their GPUs, and what a run says of it."""

from __future__ import annotations

import math

from sim.hardware import EARLY_TOKENS, kv_bytes_per_token, model_bytes, sessions_per_gpu
from sim.outcome import Outcome
from sim.packs import Hardware


def gpus_needed(hardware: Hardware, tokens: float) -> int:
    """GPUs whose memory holds the weights and a batch of sessions of so many tokens."""
    sessions = hardware.batch * kv_bytes_per_token(hardware) * tokens
    return math.ceil((model_bytes(hardware) + sessions) / (hardware.gpu_memory * 1e9))


def sessions_in(hardware: Hardware, tokens: float) -> int:
    """Sessions of so many tokens that fit in all GPUs, beside the weights."""
    return round(sessions_per_gpu(hardware, tokens) * hardware.gpus)


def shortages(*runs: Outcome) -> list[str]:
    """A sentence for each run whose weights, or whose batch at the p95 peak, do not fit."""
    cases = [
        (run.scenario.hardware, run.estimators["p95_peak"].value)
        for run in runs
        if run.scenario.hardware.hardware
    ]
    said = [_shortage(card, peak) for card, peak in cases if gpus_needed(card, peak) > card.gpus]
    return list(dict.fromkeys(said))


def _shortage(card: Hardware, peak: float) -> str:
    where = f"in {card.gpus:,} GPUs of {card.gpu_memory:g} GB"
    more = f"gpus to {gpus_needed(card, peak):,} for a batch of {card.batch:,} at the p95 peak"
    if (weights := model_bytes(card)) > card.gpus * card.gpu_memory * 1e9:
        return f"{weights / 1e9:,.0f} GB of weights do not fit {where}: set {more}."
    fits = sessions_in(card, peak)
    fewer = f"batch to at most {fits:,}, or " if fits else ""
    return f"batch is {card.batch:,} but {fits:,} sessions fit {where}: set {fewer}{more}."


def in_words(run: Outcome) -> str:
    """Memory and time of a run with hardware, on two lines."""
    found = {name: value or 0.0 for name, value in run.hardware.items()}
    return (
        f"at the p95 peak: KV cache {found['kv_bytes_at_peak'] / 1e9:.2f} GB, "
        f"{found['sessions_per_gpu']:.2f} sessions a GPU, a token "
        f"{found['late_token_penalty']:.2f} times as dear as after {EARLY_TOKENS:,} tokens\n"
        f"first token after {found['ttft_s']:.2f} s, the longest wait of a task "
        f"{found['longest_ttft_s']:.2f} s on average"
    )
