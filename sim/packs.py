"""What the base model leaves out: one part of the scenario a pack.

Rule of this file: at its defaults a pack leaves every result of the base model as it is.
"""

from __future__ import annotations

from dataclasses import dataclass

from sim.setting import choice, flag, number

NOTES_AT = ("end", "front")
SUMMARISER_CACHE = ("warm", "cold")
READINGS = ("linear", "u_shaped", "state_tracking")
STAKINGS = ("off", "new_results", "all_at_once")
CARRIERS = ("ideal", "one_field", "five_fields", "headed_text")
WRITERS = ("lister", "describer", "gist")


@dataclass(frozen=True, kw_only=True, slots=True)
class Caching:
    """Prompt caching (seed 001): what a request shares with the one before it is read, not
    written, and output is paid for. The default prices are those of Claude Sonnet 4.6."""

    caching: bool = flag(False, "Requests are priced with a prompt cache, and output is billed.")
    cache_read_per_mtok: float = number(
        0.3, 0, 1_000_000, "$ per million tokens", "Price of tokens read from the cache."
    )
    cache_write_per_mtok: float = number(
        3.75, 0, 1_000_000, "$ per million tokens", "Price of tokens written to the cache."
    )
    output_per_mtok: float = number(
        15.0, 0, 1_000_000, "$ per million tokens", "Price of messages and summaries, with caching."
    )
    cold_share: float = number(
        0.0, 0, 1, "", "Share of requests that come after the cache has expired."
    )
    summariser_cache: str = choice(
        "warm", SUMMARISER_CACHE, "Whether the summariser's call shares the agent's prefix."
    )
    notes_at: str = choice("end", NOTES_AT, "Where the notes stand in a request.")
    clear_at_least: int = number(
        0,
        0,
        100_000_000,
        "tokens",
        "A clear that would free fewer is skipped, with or without caching.",
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Hardware:
    """What a model and its GPUs need for a context (seeds 001 and 003). The defaults are a 70B
    model with grouped-query attention at 16 bits, on eight H100."""

    hardware: bool = flag(False, "Memory and time are calculated.")
    layers: int = number(80, 1, 10_000, "layers", "Layers of the model.")
    attention_heads: int = number(64, 1, 10_000, "heads", "Query heads of a layer.")
    kv_heads: int = number(8, 1, 10_000, "heads", "Heads whose keys and values are kept.")
    head_dim: int = number(128, 1, 100_000, "", "Size of a head's key or value.")
    latent_dim: int = number(
        0, 0, 100_000, "", "Size of the latent that is kept instead (MLA), or 0 for none."
    )
    rope_dim: int = number(0, 0, 100_000, "", "Size of the position key kept beside a latent.")
    kv_value_bytes: float = number(2.0, 0.125, 8, "bytes", "One number of the KV cache.")
    weight_bytes: float = number(2.0, 0.125, 8, "bytes", "One weight of the model.")
    total_params: float = number(
        70.6, 0.001, 100_000, "billion", "Weights that are stored, and read for every batch."
    )
    active_params: float = number(70.6, 0.001, 100_000, "billion", "Weights that a token uses.")
    gpus: int = number(8, 1, 100_000, "GPUs", "GPUs that share one copy of the model.")
    gpu_memory: float = number(80.0, 0.1, 100_000, "GB", "Memory of one GPU, in 10⁹ bytes.")
    gpu_bandwidth: float = number(3.35, 0.001, 10_000, "TB/s", "Memory bandwidth of one GPU.")
    gpu_flops: float = number(989.0, 0.1, 1_000_000, "TFLOP/s", "Dense arithmetic of one GPU.")
    mfu: float = number(0.5, 0.001, 1, "", "Share of the arithmetic that a prefill reaches.")
    batch: int = number(16, 1, 100_000, "sessions", "Sessions that one decode step serves.")


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """How well the model reads what is there (seeds 000, 001 and 004)."""

    reading: str = choice("linear", READINGS, "How an answer suffers from a long context.")
    most_missed: float = number(
        0.5, 0, 1, "", "Share of facts missed in the middle of 200,000 tokens (a guess)."
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Clearing:
    """Clearing as real agents do it: apart from the policy's trigger (research, policies A3).

    Always and 5 results kept is SWE-agent, but for its first result, which it never clears; every
    tenth step and 10 kept is polling, over the window of the Complexity Trap (arXiv 2508.21433).
    The defaults are Anthropic's ``clear_tool_uses_20250919`` in a window of 200,000 tokens.
    """

    clear_apart: bool = flag(
        False, "Clearing has a trigger of its own, under any strategy; needs clear_tool_results."
    )
    clear_trigger: float = number(
        0.5, 0, 1, "of the window", "Fill level at which it clears, or 0 for always."
    )
    clear_keep: int = number(3, 0, 200, "results", "Newest tool results that it keeps.")
    clear_every: int = number(1, 1, 200, "steps", "It clears after each so many steps only.")


@dataclass(frozen=True, kw_only=True, slots=True)
class Masking:
    """Masking by watermark (seed 001, Part E): old tool results shrink to their head and tail, by
    what kind of tool gave them.

    The seed misdescribes its own source, ByronFinn/byf@41b12bc, and the code is followed: the
    watermarks are fractions of an effective capacity, 60 % of the window, and not of the window.
    The code keeps three lines at the head and two to five at the tail, by kind, which are 60
    tokens here for each kind; the seed's single line for searches is not in it. The shares of the
    kinds are the design's.
    """

    masking: bool = flag(False, "Tool results are masked by watermark.")
    effective_fraction: float = number(
        0.6, 0.01, 1, "of the window", "Capacity that the watermarks are fractions of."
    )
    mask_search_at: float = number(
        0.60, 0, 1, "of the capacity", "From here on, what was read or searched is masked."
    )
    mask_execute_at: float = number(
        0.80, 0, 1, "of the capacity", "From here on, the output of commands is masked too."
    )
    mask_edit_at: float = number(
        0.85, 0, 1, "of the capacity", "From here on, the output of edits is masked too."
    )
    masked_tokens: int = number(60, 0, 100_000, "tokens", "Head and tail that a mask leaves.")
    search_share: float = number(0.09, 0, 1, "", "Share of steps that read or search.")
    edit_share: float = number(0.11, 0, 1, "", "Share of steps that edit; the rest run commands.")
    staking: str = choice(
        "off", STAKINGS, "Whether masks spare what was sent: only new results, or all at once."
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Disk:
    """Files beside the context (seed 001, Part E): large results go there when they arrive, and
    what compaction drops. A needed fact is read back from them before the answer, or is not."""

    offloading: bool = flag(False, "Large tool results go to a file, and a preview stays.")
    offload_above: int = number(8000, 0, 100_000_000, "tokens", "Larger results are offloaded.")
    preview_tokens: int = number(250, 0, 100_000, "tokens", "What is left of an offloaded result.")
    read_back_rate: float = number(
        0.8, 0, 1, "", "Share of needed facts in such files that are read back (a guess)."
    )
    archive: bool = flag(False, "What compaction drops goes to a file.")
    archive_rate: float = number(
        0.5, 0, 1, "", "Share of needed facts in the archive that are recovered (a guess)."
    )
    read_back_tokens: int = number(
        2000, 1, 100_000, "tokens", "What reading one fact back adds, beside one more request."
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Rework:
    """What the agent reads again after a compaction (Part G; research, field 1.4):
    ``rework · exp(-keep_recent / rework_decay)`` more requests on average. A tail that is kept by
    tokens or as a share spares none."""

    rework: float = number(
        0.0, 0, 100, "requests", "Re-reading after a compaction that keeps no recent step."
    )
    rework_tokens: int = number(600, 1, 100_000, "tokens", "What each of them adds.")
    rework_decay: float = number(
        6.0, 0.1, 1000, "steps", "Recent steps that leave 37 % of the re-reading."
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Carrier:
    """What a summary is written into, and who writes it (seed 002)."""

    carrier: str = choice("ideal", CARRIERS, "What the summariser is asked to write.")
    writer: str = choice(
        "lister", WRITERS, "Whether the summariser lists facts, describes them or writes a gist."
    )
    gist_fill: float = number(
        0.21, 0.001, 1, "", "Share of its room that a gist fills, and of the facts that it holds."
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Agent:
    """What the policies of real agents can do that the base policy cannot say (research,
    policies A). The defaults are the base policy."""

    trigger_steps: int = number(
        0, 0, 1_000, "steps", "Steps in the context at which it fires too, or 0 for no such limit."
    )
    check_every: int = number(
        1, 1, 1_000, "steps", "How often the fill level is looked at: 1 is at every request."
    )
    truncate_to: float = number(
        0.5, 0.01, 1, "of the window", "What truncation leaves of the context at most."
    )
    keep_recent_tokens: int = number(
        0, 0, 100_000_000, "tokens", "Newest steps, as many as fit, that no summary takes."
    )
    keep_recent_share: float = number(
        0.0, 0, 0.9, "", "Share of the steps in the context, the newest, that no summary takes."
    )
    rehydrate_tokens: int = number(
        0, 0, 100_000_000, "tokens", "Files and rules that are read in again with each summary."
    )
    summariser_input_cap: int = number(
        0, 0, 100_000_000, "tokens", "Newest part that the summariser is shown, or 0 for all."
    )
    tool_clip: int = number(
        0, 0, 100_000_000, "tokens", "Start of each result that it is shown, or 0 for all."
    )
    summariser_calls: int = number(1, 1, 100, "calls", "Calls of the summariser for one summary.")
    summariser_price: float = number(
        1.0, 0, 1_000, "×", "Price of the summariser's model over that of the agent's."
    )
    tool_cap: int = number(
        0, 0, 100_000_000, "tokens", "Most of a tool result that the agent lets in, or 0 for all."
    )
