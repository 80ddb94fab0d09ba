"""What a token costs late in a context, derived from hardware, beside what seed 003 says."""

from __future__ import annotations

from sim import hardware, memory
from sim.cards import CARDS, card_settings
from sim.packs import Hardware
from sim.scenario import Scenario
from sim.studies.study import Finding, Row, Table, published, written

SAYS = published("regimes")
MODELS = ("8b", "70b", "72b", "405b", "671b_mla")
CHEAPEST, DEAREST = SAYS["late_token"]["low"], SAYS["late_token"]["high"]
ROUNDING = SAYS["late_token"]["rounding"]
DEPTH = SAYS["late_token"]["tokens"]


def card(model: str = "70b", **more: int) -> Hardware:
    """A model on eight H100, at the default batch where no other is given."""
    settings = card_settings(model) | card_settings("h100")
    return Scenario().replace(**settings, **more).hardware


def batches() -> tuple[float, float]:
    """The batches at which the 70B model has the least and the most of the penalties said."""
    low, high = (hardware.batch_for_penalty(card(), DEPTH, said) for said in (CHEAPEST, DEAREST))
    return low, high


def penalties() -> Table:
    """The penalty at 128K for several models and batches."""
    first, last = (round(batch) for batch in batches())
    cases = {f"{CARDS['70b'].name}, batch {first}": card(batch=first)}
    cases |= {f"{CARDS[model].name}, batch {card().batch}": card(model) for model in MODELS}
    cases |= {f"{CARDS['70b'].name}, batch {last}": card(batch=last)}
    return Table(
        title=f"A token after {DEPTH:,} tokens over one after {hardware.EARLY_TOKENS:,}",
        rows=tuple(
            Row(
                label=label, unit="×", ours=hardware.late_token_penalty(model, DEPTH),
                published_low=CHEAPEST - ROUNDING, published_high=DEAREST + ROUNDING,
                verified=False,
            )
            for label, model in cases.items()
        ),
        chart=True,
    )  # fmt: skip


def drawing() -> Table:
    """The costs along a context as the summary draws them."""
    model = card()
    rows = SAYS["drawing"]["rows"]
    start = hardware.decode_seconds(model, rows[0]["tokens"])
    return Table(
        title=f"A token over one after {rows[0]['tokens']:,} tokens, 70B, batch {model.batch}",
        rows=tuple(
            Row(
                label=f"after {row['tokens']:,} tokens", unit="×", published=row["cost"],
                ours=hardware.decode_seconds(model, row["tokens"]) / start, verified=False,
            )
            for row in rows[1:]
        ),
    )  # fmt: skip


def findings() -> tuple[Finding, ...]:
    """What follows for the penalty, and for the drawing."""
    first, last = batches()
    fit = memory.sessions_in(card(), DEPTH)
    needed = [memory.gpus_needed(card(batch=n), DEPTH) for n in (card().batch, round(last))]
    lost = [row for row in SAYS["drawing"]["rows"] if "throughput_lost" in row]
    implied = [1 - 1 / row["cost"] for row in lost]
    said, follows = (
        " and ".join(written(share, "%") for share in shares)
        for shares in ([row["throughput_lost"] for row in lost], implied)
    )
    return (
        Finding(
            text=f"A late token is dearer because its KV cache is read and the weights are shared: "
            f"{CHEAPEST:g} to {DEAREST:g} times at {DEPTH:,} tokens are batches of {first:.0f} to "
            f"{last:.0f} of a 70B model.",
            holds=10 < first < 12 and 34 < last < 36,
        ),
        Finding(
            text=f"Not all of these batches fit: {card().gpus} H100 hold {fit} such sessions "
            f"beside the weights, so a batch of {card().batch} needs {needed[0]} of them, and one "
            f"of {last:.0f} needs {needed[1]}.",
            holds=round(first) <= fit < card().batch and card().gpus < needed[0] < needed[1],
        ),
        Finding(
            text=f"The drawing does not agree with itself: its costs mean a throughput that is "
            f"{follows} lower, and it says {said}.",
            holds=all(
                abs(share - row["throughput_lost"]) > 0.1
                for share, row in zip(implied, lost, strict=True)
            ),
        ),
    )
