"""Part C: memory and time, by arithmetic on paper."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim import simulate
from sim.hardware import (
    batch_for_penalty,
    decode_seconds,
    kv_bytes_per_token,
    late_token_penalty,
    prefill_seconds,
    sessions_per_gpu,
)
from sim.memory import gpus_needed, sessions_in, shortages
from sim.packs import Hardware

MODEL_70B = Hardware(layers=80, kv_heads=8, head_dim=128, kv_value_bytes=2.0)
K = 1_024


def test_a_token_of_a_70b_model_keeps_327_680_bytes_and_200_000_tokens_65_5_gb():
    assert kv_bytes_per_token(MODEL_70B) == 327_680
    assert round(kv_bytes_per_token(MODEL_70B) * 200_000 / 1e9, 1) == 65.5


def test_eight_h100_hold_eleven_sessions_at_128k_and_a_batch_of_35_needs_21():
    """Weights are 141.2 GB and a session 42.95 GB, of 80 GB a GPU."""
    assert sessions_in(MODEL_70B, 128 * K) == 11
    assert [gpus_needed(Hardware(batch=batch), 128 * K) for batch in (11, 16, 35)] == [8, 11, 21]


def test_what_does_not_fit_is_said_once_with_what_would():
    fixed = {"hardware": True, "mean_steps": 8.0, "max_steps": 8, "tool_tokens_sigma": 0.0}
    run = simulate(fixed, seed=1, tasks=5)
    assert run.estimators["p95_peak"].value == 17_100  # 3,500 + 8 · 1,700: 5.6 GB
    assert shortages(run, simulate({"batch": 100_000}, seed=1, tasks=5)) == []
    many = simulate(fixed | {"batch": 100_000}, seed=1, tasks=5)
    assert shortages(run, many, many) == [
        "batch is 100,000 but 89 sessions fit in 8 GPUs of 80 GB: set batch to at most 89, or "
        "gpus to 7,006 for a batch of 100,000 at the p95 peak."
    ]
    heavy = simulate(fixed | {"total_params": 405.0}, seed=1, tasks=5)
    assert shortages(heavy) == [
        "810 GB of weights do not fit in 8 GPUs of 80 GB: set gpus to 12 for a batch of 16 at the "
        "p95 peak."
    ]
    full = simulate(fixed | {"total_params": 319.0}, seed=1, tasks=5)
    assert shortages(full) == [
        "batch is 16 but 0 sessions fit in 8 GPUs of 80 GB: set gpus to 10 for a batch of 16 at "
        "the p95 peak."
    ]


def test_a_latent_takes_the_place_of_keys_and_values():
    """DeepSeek-V3: 61 layers, a latent of 512 and a position key of 64, 16 bits each."""
    latent = Hardware(layers=61, latent_dim=512, rope_dim=64, kv_heads=128, head_dim=128)
    assert kv_bytes_per_token(latent) == 61 * (512 + 64) * 2 == 70_272


@pytest.mark.parametrize(("batch", "penalty"), [(11, 3.6), (35, 7.0)])
def test_the_penalty_at_128k_is_that_of_seed_003_at_batches_of_11_and_35(batch, penalty):
    card = Hardware(batch=batch)
    assert late_token_penalty(card, 128 * K) == pytest.approx(penalty, abs=0.05)
    weights, kv = Fraction(706 * 10**8 * 2, batch), 327_680
    on_paper = (weights + kv * 131_072) / (weights + kv * 8_192)
    assert late_token_penalty(card, 128 * K) == pytest.approx(float(on_paper))


def test_the_published_penalties_give_their_batches_back():
    low, high = (batch_for_penalty(MODEL_70B, 128 * K, penalty) for penalty in (3.6, 7.0))
    assert (round(low), round(high)) == (11, 35)


@given(tokens=st.integers(8_193, 10**6), batch=st.integers(1, 10_000))
def test_the_batch_of_a_penalty_is_its_inverse(tokens, batch):
    penalty = late_token_penalty(Hardware(batch=batch), tokens)
    if 1 + 1e-6 < penalty < tokens / 8_192 * (1 - 1e-6):
        assert batch_for_penalty(MODEL_70B, tokens, penalty) == pytest.approx(batch, rel=1e-3)


def test_a_penalty_that_no_batch_gives_is_refused():
    with pytest.raises(ValueError, match="penalty is 16 but must be between 1 and 16"):
        batch_for_penalty(MODEL_70B, 128 * K, 16.0)


@given(batch=st.integers(1, 1_000), tokens=st.integers(8_192, 10**6))
def test_a_larger_batch_makes_late_tokens_dearer_in_proportion(batch, tokens):
    fewer, more = (late_token_penalty(Hardware(batch=b), tokens) for b in (batch, batch + 1))
    assert 1 <= fewer <= more < tokens / 8_192 + 1e-9


def test_decoding_reads_the_weights_once_a_batch_and_the_cache_of_each_session():
    card = Hardware(batch=10, total_params=70.0, gpus=4, gpu_bandwidth=2.0)
    read = 140e9 / 10 + 327_680 * 100_000
    assert decode_seconds(card, 100_000) == pytest.approx(read / 8e12)


def test_sessions_share_what_the_weights_leave():
    card = Hardware(total_params=70.0, gpus=4, gpu_memory=80.0)
    # 320 GB less 140 GB hold two contexts of 65.536 GB, on four GPUs.
    assert sessions_per_gpu(card, 200_000) == 0.5
    assert sessions_per_gpu(Hardware(gpus=1), 1_000) == 0


def test_the_first_token_waits_for_the_arithmetic_of_what_is_not_cached():
    card = Hardware(active_params=70.0, gpus=8, gpu_flops=1_000.0, mfu=0.5)
    whole = 2 * 70e9 * 150_000 + 4 * 80 * 64 * 128 * 150_000 * 75_000
    part = 2 * 70e9 * 1_000 + 4 * 80 * 64 * 128 * 1_000 * 149_500
    found = prefill_seconds(card, np.array([150_000, 1_000]), np.array([150_000, 150_000]))
    assert found.tolist() == pytest.approx([whole / 4e15, part / 4e15])


def test_the_pairs_are_those_of_a_count_one_by_one():
    card = Hardware(active_params=0.001, gpus=1, gpu_flops=1.0, mfu=1.0)
    new, whole = 30, 100
    pairs = sum(whole - new + i + 0.5 for i in range(new))  # a token attends to half of itself
    operations = 2e6 * new + 4 * 80 * 64 * 128 * pairs
    found = prefill_seconds(card, np.array([new]), np.array([whole]))
    assert found.tolist() == pytest.approx([operations / 1e12])


def test_a_run_waits_as_its_requests_do():
    """Without a cache each request is calculated whole, so its timeline gives the times."""
    run = simulate({"hardware": True, "window": 24_000}, seed=3, tasks=5)
    card = run.scenario.hardware
    for i in range(5):
        read = run.timeline(i).read
        seconds = prefill_seconds(card, read, read)
        assert run.ttft_s[i] == pytest.approx(seconds.mean())
        assert run.longest_ttft_s[i] == pytest.approx(seconds.max())
    assert run.hardware["ttft_s"] == pytest.approx(run.ttft_s.mean())


def test_a_cache_shortens_the_wait_and_a_compaction_lengthens_it_again():
    cold, warm = (
        simulate({"hardware": True, "caching": on}, seed=1, tasks=50) for on in (False, True)
    )
    assert (warm.ttft_s < cold.ttft_s).all()
    calm = simulate(
        {"hardware": True, "caching": True, "strategy": "none", "window": 10**6}, seed=1, tasks=50
    )
    edited = warm.compactions > 0
    assert warm.longest_ttft_s[edited].mean() > calm.longest_ttft_s[edited].mean()


def test_the_figures_are_those_of_a_context_at_the_peak():
    run = simulate({"hardware": True}, seed=1, tasks=400)
    peak = run.tiles["p95_peak"].value
    assert run.hardware["kv_bytes_at_peak"] == pytest.approx(327_680 * peak)
    assert run.hardware["late_token_penalty"] == late_token_penalty(run.scenario.hardware, peak)


def test_without_the_pack_there_are_no_figures_and_with_it_no_other_result():
    off, on = (simulate({"hardware": flag}, seed=1, tasks=20) for flag in (False, True))
    assert set(off.hardware.values()) == {None}
    assert off.hardware.keys() == on.hardware.keys()
    assert off.tiles == on.tiles
