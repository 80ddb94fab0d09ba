"""What the contexts of a run ask of the GPUs: each figure with its formula, the numbers put in."""

from __future__ import annotations

from html import escape

import numpy as np

from lab.picks import pick
from lab.session import Session
from lab.text import number, text
from sim import Outcome
from sim.hardware import (
    EARLY_TOKENS,
    decode_seconds,
    kv_bytes_per_token,
    late_token_penalty,
    model_bytes,
    prefill_seconds,
    sessions_per_gpu,
)
from sim.packs import Hardware


def hardware(session: Session) -> str:
    """The model and the GPUs to choose, and what follows from them."""
    settings = session.run.scenario.all_settings()
    picks = pick("model", settings) + pick("gpu", settings)
    if not session.run.scenario.hardware.hardware:
        return f"{picks}<p>{escape(text()['packs']['hardware_off'])}</p>"
    rows = "".join(
        f"<div><dt>{escape(name)}</dt><dd><b>{escape(value)}</b><span>{escape(how)}</span></dd></div>"
        for name, value, how in figures(session.run)
    )
    return f"{picks}<dl class=figures-list>{rows}</dl>"


def figures(run: Outcome) -> list[tuple[str, str, str]]:
    """Name, value and formula of every figure, at the run's p95 peak context."""
    card, peak = run.scenario.hardware, run.tiles["p95_peak"].value
    window = run.scenario.policy.window
    per_token = kv_bytes_per_token(card)
    tokens, one = number(peak), number(per_token)
    weights, kv = gigabytes(model_bytes(card)), gigabytes(per_token * peak)
    early = decode_seconds(card, EARLY_TOKENS)
    late = decode_seconds(card, peak)
    whole = np.array([peak])
    wait = float(prefill_seconds(card, whole, whole)[0])
    return [
        ("KV cache of a token", f"{one} B", _per_token(card)),
        ("KV cache at the p95 peak", kv, f"{one} B · {tokens} tokens"),
        (
            "KV cache of a full window",
            gigabytes(per_token * window),
            f"{one} B · {number(window)} tokens",
        ),
        (
            "Sessions a GPU at the peak",
            number(sessions_per_gpu(card, peak), 2),
            _sessions(card, weights, kv),
        ),
        ("First token after a cache break", f"{number(wait, 2)} s", _first_token(card, tokens)),
        (
            "First token, mean of all requests",
            f"{number(run.hardware['ttft_s'] or 0, 2)} s",
            "the same for what each request does not find in the cache"
            if run.scenario.caching.caching
            else "the same for each request, as nothing is cached",
        ),
        (
            "One more token at the peak",
            f"{number(1e3 * late, 2)} ms",
            f"({weights} / {_g(card.batch)} sessions + {kv}) / "
            f"({_g(card.gpus)} · {_g(card.gpu_bandwidth)} TB/s)",
        ),
        (
            "Late-token penalty",
            f"{number(late_token_penalty(card, peak), 2)} ×",
            f"{number(1e3 * late, 3)} ms at {tokens} tokens / "
            f"{number(1e3 * early, 3)} ms at {number(EARLY_TOKENS)}",
        ),
    ]


def gigabytes(amount: float) -> str:
    """Bytes in units of 10⁹."""
    return f"{number(amount / 1e9, 1)} GB"


def _g(value: float) -> str:
    return f"{value:,g}"


def _sessions(card: Hardware, weights: str, kv: str) -> str:
    memory = f"{_g(card.gpus)} · {_g(card.gpu_memory)} GB"
    if model_bytes(card) > 1e9 * card.gpus * card.gpu_memory:
        return f"{weights} of weights do not fit in {memory}: set more GPUs for one copy"
    return (
        f"whole sessions in {memory} − {weights} of weights, {kv} each, over {_g(card.gpus)} GPUs"
    )


def _per_token(card: Hardware) -> str:
    size = f"{_g(card.kv_value_bytes)} B"
    if card.latent_dim:
        return (
            f"{_g(card.layers)} layers · ({_g(card.latent_dim)} + {_g(card.rope_dim)}) · {size}, "
            "a latent and its position"
        )
    return (
        f"2 · {_g(card.layers)} · {_g(card.kv_heads)} · {_g(card.head_dim)} · {size}: a key and a "
        "value for each layer, head and dimension"
    )


def _first_token(card: Hardware, tokens: str) -> str:
    width = f"{_g(card.layers)} · {_g(card.attention_heads)} · {_g(card.head_dim)}"
    return (
        f"(2 · {_g(card.active_params)}·10⁹ · {tokens} + 4 · {width} · {tokens}² / 2) / "
        f"({_g(card.gpus)} · {_g(card.gpu_flops)}·10¹² · {_g(card.mfu)})"
    )
