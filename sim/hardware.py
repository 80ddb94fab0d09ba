"""What a context costs in memory and in time on the GPUs that serve it (seeds 001 and 003).

These are the counts of the transformer itself: bytes read over bandwidth, arithmetic over the
arithmetic that is reached. Queues, networks and kernels come on top.
"""

from __future__ import annotations

import numpy as np

from sim.packs import Hardware
from sim.requests import RequestTable

EARLY_TOKENS = 8_192
"""The context that a late token is compared with (seed 003)."""


def kv_bytes_per_token(hardware: Hardware) -> float:
    """Bytes that a token keeps in the KV cache: a key and a value for each head, or one latent
    with its position key (MLA, DeepSeek-V2, arXiv 2405.04434)."""
    values = 2 * hardware.kv_heads * hardware.head_dim
    if hardware.latent_dim:
        values = hardware.latent_dim + hardware.rope_dim
    return hardware.layers * values * hardware.kv_value_bytes


def model_bytes(hardware: Hardware) -> float:
    """Bytes of all weights."""
    return hardware.total_params * 1e9 * hardware.weight_bytes


def sessions_per_gpu(hardware: Hardware, tokens: float) -> float:
    """Sessions of so many tokens, one at least, that fit beside the weights: whole ones a group of
    GPUs, divided by its GPUs. 0 where not even the weights fit."""
    free = hardware.gpus * hardware.gpu_memory * 1e9 - model_bytes(hardware)
    return max(0, free // (kv_bytes_per_token(hardware) * max(tokens, 1))) / hardware.gpus


def prefill_seconds(hardware: Hardware, uncached: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    """Time to the first token of requests of ``tokens``, of which ``uncached`` must be calculated.

    Two operations a weight for each new token, and four a layer, head and dimension for each pair
    of a new token and one that it attends to: ``uncached · (tokens − uncached / 2)`` pairs.
    """
    # In float64: the pairs of long contexts do not fit the browser's whole numbers.
    new, whole = uncached.astype(np.float64), tokens.astype(np.float64)
    linear = 2e9 * hardware.active_params * new
    width = hardware.layers * hardware.attention_heads * hardware.head_dim
    quadratic = 4.0 * width * new * (whole - new / 2)
    seconds: np.ndarray = (linear + quadratic) / (
        hardware.gpus * hardware.gpu_flops * 1e12 * hardware.mfu
    )
    return seconds


def decode_seconds(hardware: Hardware, tokens: float) -> float:
    """GPU time of one more token after a context of so many tokens.

    A decode step reads all weights once for the batch, and the KV cache of each of its sessions;
    it is memory that sets the pace.
    """
    read = model_bytes(hardware) / hardware.batch + kv_bytes_per_token(hardware) * tokens
    return read / (hardware.gpus * hardware.gpu_bandwidth * 1e12)


def late_token_penalty(hardware: Hardware, tokens: float) -> float:
    """How much more a token costs after a context of so many tokens than after 8,192."""
    return decode_seconds(hardware, tokens) / decode_seconds(hardware, EARLY_TOKENS)


def batch_for_penalty(hardware: Hardware, tokens: float, penalty: float) -> float:
    """The batch at which the late-token penalty has this value; its own ``batch`` is not used.

    Solves the penalty for the batch. Raises ValueError where no batch gives it: it is between 1
    and ``tokens / 8,192``, which a batch without end would reach.
    """
    highest = tokens / EARLY_TOKENS
    if not 1 < penalty < highest:
        raise ValueError(
            f"penalty is {penalty:g} but must be between 1 and {highest:g}, "
            f"the ratio of {tokens:,.0f} to {EARLY_TOKENS:,} tokens: give one in between."
        )
    per_token = kv_bytes_per_token(hardware)
    weights = model_bytes(hardware) * (penalty - 1)
    return weights / (per_token * (tokens - penalty * EARLY_TOKENS))


def waits(hardware: Hardware, requests: RequestTable) -> tuple[np.ndarray, np.ndarray]:
    """Mean and longest time to the first token of each task's requests: float64 (n,), seconds."""
    first, tokens = requests.first.astype(np.intp), requests.tokens
    seconds = prefill_seconds(hardware, tokens - requests.cached, tokens)
    count = np.diff(first, append=len(tokens))
    mean: np.ndarray = np.add.reduceat(seconds, first) / count
    longest: np.ndarray = np.maximum.reduceat(seconds, first)
    return mean, longest


def figures(hardware: Hardware, peak: float) -> dict[str, float]:
    """Memory and decode at a peak of so many tokens, by name."""
    return {
        "kv_bytes_at_peak": kv_bytes_per_token(hardware) * peak,
        "sessions_per_gpu": sessions_per_gpu(hardware, peak),
        "decode_s_per_token": decode_seconds(hardware, peak),
        "late_token_penalty": late_token_penalty(hardware, peak),
    }
