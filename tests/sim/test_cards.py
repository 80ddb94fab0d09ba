"""Cards are settings by name: valid, complete for their kind, and with a source."""

import pytest

from sim import CARDS, Scenario, ScenarioError, card_settings
from sim.hardware import kv_bytes_per_token, sessions_per_gpu

every_card = pytest.mark.parametrize("name", CARDS)


@every_card
def test_a_card_can_be_simulated_and_names_its_source(name):
    Scenario.from_dict(card_settings(name))
    card = CARDS[name]
    assert card.name
    assert card.as_of
    assert card.source


def test_cards_of_one_kind_set_the_same_settings_so_that_one_replaces_the_other():
    kinds = {
        "cache_read_per_mtok": ["opus_4_5", "sonnet_4_6", "haiku_4_5", "no_surcharge"],
        "layers": ["8b", "70b", "405b", "72b", "671b_mla"],
        "gpu_memory": ["a100", "h100", "h200", "mi300x"],
    }
    for setting, names in kinds.items():
        assert [name for name, card in CARDS.items() if setting in card.settings] == names
        assert len({frozenset(CARDS[name].settings) for name in names}) == 1


def test_the_defaults_of_the_packs_are_sonnet_4_6_on_a_70b_model_with_h100s():
    base = Scenario.from_dict({"caching": True, "hardware": True})
    for name in ("sonnet_4_6", "70b", "h100"):
        assert base.replace(**card_settings(name)) == base


def test_the_flat_card_is_the_base_model():
    assert Scenario.from_dict(card_settings("flat")) == Scenario()


@pytest.mark.parametrize(
    ("name", "dollars"),
    [
        ("opus_4_5", [5.0, 0.5, 6.25, 25.0]),
        ("sonnet_4_6", [3.0, 0.3, 3.75, 15.0]),
        ("haiku_4_5", [1.0, 0.1, 1.25, 5.0]),
        ("no_surcharge", [1.25, 0.125, 1.25, 10.0]),
    ],
)
def test_a_price_card_has_the_prices_of_the_contract(name, dollars):
    settings = card_settings(name)
    keys = ("input_per_mtok", "cache_read_per_mtok", "cache_write_per_mtok", "output_per_mtok")
    assert [settings[key] for key in keys] == dollars


@pytest.mark.parametrize(
    ("name", "kv"),
    [("8b", 131_072), ("70b", 327_680), ("405b", 516_096), ("72b", 327_680), ("671b_mla", 70_272)],
)
def test_a_model_card_gives_the_bytes_of_its_cache(name, kv):
    assert kv_bytes_per_token(Scenario.from_dict(card_settings(name)).hardware) == kv


def test_405b_at_16_bits_does_not_fit_eight_gpus_of_80_gb_but_eight_of_141():
    large = Scenario.from_dict(card_settings("405b"))
    assert sessions_per_gpu(large.hardware, 100_000) == 0
    assert sessions_per_gpu(large.replace(**card_settings("h200")).hardware, 100_000) > 0


def test_an_unknown_card_gets_a_suggestion():
    with pytest.raises(ScenarioError, match="'sonet_4_6' is not a card: did you mean sonnet_4_6"):
        card_settings("sonet_4_6")
