"""Prices, models and GPUs by name: each card is a handful of settings, with its source.

A card sets nothing that could not be set by hand, so any of its numbers can be changed after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from sim.setting import check_name

_CLAUDE = "Anthropic's price list, writes kept for five minutes"
_PRICES = "input_per_mtok", "cache_read_per_mtok", "cache_write_per_mtok", "output_per_mtok"


@dataclass(frozen=True, kw_only=True, slots=True)
class Card:
    """Settings that belong together, what they describe, as of when, and who says so."""

    name: str
    as_of: str
    source: str
    settings: Mapping[str, Any]


def _price(name: str, *dollars: float, source: str = _CLAUDE) -> Card:
    """Dollars per million tokens: input, cache read, cache write, output."""
    settings = {"caching": True, **dict(zip(_PRICES, dollars, strict=True))}
    return Card(name=name, as_of="2026", source=source, settings=MappingProxyType(settings))


def _model(
    name: str, as_of: str, source: str, total: float, layers: int, heads: int, **more: Any
) -> Card:
    settings = {
        "hardware": True, "total_params": total, "active_params": total, "layers": layers,
        "attention_heads": heads, "kv_heads": 8, "head_dim": 128, "latent_dim": 0, "rope_dim": 0,
        "weight_bytes": 2.0, "kv_value_bytes": 2.0,
        **more,
    }  # fmt: skip
    return Card(name=name, as_of=as_of, source=source, settings=MappingProxyType(settings))


def _gpu(name: str, as_of: str, memory: float, bandwidth: float, flops: float) -> Card:
    """Memory in GB, bandwidth in TB/s, dense arithmetic at 16 bits in TFLOP/s."""
    settings = {
        "hardware": True, "gpu_memory": memory, "gpu_bandwidth": bandwidth, "gpu_flops": flops,
    }  # fmt: skip
    source = "the maker's data sheet; arithmetic without sparsity"
    return Card(name=name, as_of=as_of, source=source, settings=MappingProxyType(settings))


_LLAMA = "Llama 3 (arXiv 2407.21783), table 3"

CARDS: Mapping[str, Card] = MappingProxyType(
    {
        "flat": Card(
            name="Flat price of the lab",
            as_of="–",
            source="the original lab, illustrative",
            settings=MappingProxyType({"caching": False, "input_per_mtok": 3.0}),
        ),
        "opus_4_5": _price("Claude Opus 4.5", 5.0, 0.50, 6.25, 25.0),
        "sonnet_4_6": _price(
            "Claude Sonnet 4.6", 3.0, 0.30, 3.75, 15.0,
            source="uw-syfi/TraceLab at 0b8a262, artifacts/utils/pricing.json",
        ),
        "haiku_4_5": _price("Claude Haiku 4.5", 1.0, 0.10, 1.25, 5.0),
        "no_surcharge": _price(
            "A provider without write surcharge", 1.25, 0.125, 1.25, 10.0,
            source="this project's example",
        ),
        "8b": _model("Llama 3.1 8B", "2024-07", _LLAMA, 8.0, 32, 32),
        "70b": _model("Llama 3.1 70B", "2024-07", _LLAMA, 70.6, 80, 64),
        "405b": _model("Llama 3.1 405B", "2024-07", _LLAMA, 405.0, 126, 128),
        "72b": _model("Qwen2.5 72B", "2024-12", "Qwen2.5 (arXiv 2412.15115)", 72.7, 80, 64),
        # A key has 128 + 64 dimensions and a value 128; the arithmetic is that of their mean, 160.
        # Its weights were published at 8 bits.
        "671b_mla": _model(
            "DeepSeek-V3 671B", "2024-12", "DeepSeek-V3 (arXiv 2412.19437), section 4.2",
            671.0, 61, 128, active_params=37.0, kv_heads=128, head_dim=160, latent_dim=512,
            rope_dim=64, weight_bytes=1.0,
        ),
        "a100": _gpu("NVIDIA A100 SXM 80 GB", "2020", 80.0, 2.039, 312.0),
        "h100": _gpu("NVIDIA H100 SXM", "2022", 80.0, 3.35, 989.0),
        "h200": _gpu("NVIDIA H200 SXM", "2023", 141.0, 4.8, 989.0),
        "mi300x": _gpu("AMD MI300X", "2023", 192.0, 5.3, 1307.0),
    }
)  # fmt: skip


def card_settings(name: str) -> dict[str, Any]:
    """The settings of a card. Raises ScenarioError if there is no such card."""
    check_name(name, CARDS, "card")
    return dict(CARDS[name].settings)
