"""The one sentence that sums up a run: what happened, what it cost, and why."""

from __future__ import annotations

from lab.text import dollars, number, ordinal, percent
from sim import Outcome

_WORDS = ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def summary(run: Outcome) -> tuple[str, str]:
    """The sentence in two parts: the outcome, to be set in bold, and the rest."""
    tiles = {key: tile.value for key, tile in run.tiles.items()}
    lead = f"{_of_tasks(run, tiles['success'])} tasks succeed"
    rest = [f", at {dollars(tiles['cost'])} each."]
    if tiles["failed"] >= 0.01:
        rest.append(_failure(run, tiles["failed"]))
    if tiles["failed"] < 0.5:
        rest.append(_losses(run, tiles["needed_lost"]))
    if tiles["instruction_lost"] >= 0.1:
        rest.append(_instruction(run, tiles["instruction_lost"]))
    return lead, " ".join(rest)


def _of_tasks(run: Outcome, share: float) -> str:
    """A share of the tasks: of 100, or counted where there are fewer and it is a count."""
    count = share * len(run)
    if len(run) < 100 and abs(count - round(count)) < 1e-9:
        return f"{round(count)} of {len(run)}"
    return f"{number(100 * share)} of 100"


def _failure(run: Outcome, share: float) -> str:
    policy = run.scenario.policy
    count = _of_tasks(run, share)
    if policy.strategy == "none":
        return f"{count} outgrow the {number(policy.window)}-token window, and nothing makes room."
    return f"{count} fail: what must stay does not fit the {number(policy.window)}-token window."


def _losses(run: Outcome, share: float) -> str:
    if run.needed.sum() == 0:
        return "The answer needs no facts."
    lost, needed = int(run.needed_lost.sum()), int(run.needed.sum())
    if lost == 0:
        return "No needed fact is lost."
    if share < 0.005:
        return f"Only {lost} of {number(needed)} needed facts {'is' if lost == 1 else 'are'} lost."
    return f"{_how_many(share)} lost, {_main_cause(run)}."


def _how_many(share: float) -> str:
    if share <= 0.35:
        one_in = round(1 / share)
        words = _WORDS[one_in] if one_in < len(_WORDS) else str(one_in)
        return f"One needed fact in {words} is"
    return f"{number(100 * share)} of 100 needed facts are"


def _main_cause(run: Outcome) -> str:
    (cause, fold), count = max(run.causes.items(), key=lambda item: item[1])
    part = count / sum(run.causes.values())
    amount = "nearly all of them" if part >= 0.9 else "most of them" if part > 0.5 else "most often"
    if part == 1:
        amount = "all of them"
    if cause == "truncated":
        return f"{amount} with the old steps that truncation drops"
    if cause == "cleared":
        return f"{amount} with cleared tool results that the assistant had not restated"
    if cause == "masked":
        return f"{amount} in the middle of masked tool results, and not restated"
    if cause == "offloaded":
        return f"{amount} in files that are not read back"
    if cause == "capped":
        return f"{amount} beyond the cap on tool results"
    if cause == "overflow":
        window = number(run.scenario.policy.window)
        return f"{amount} when the context overflows the {window}-token window"
    budget = number(run.scenario.policy.summary_budget)
    held = max(round(run.facts_held(fold)), 1)
    facts = "fact" if held == 1 else "facts"
    return (
        f"{amount} in the {ordinal(fold)} summary: {budget} tokens are too few "
        f"for the {held} {facts} it has to hold"
    )


def _instruction(run: Outcome, share: float) -> str:
    why = {
        "truncate": ": truncation drops it first",
        "summarise": "" if run.tiles["overflows"].value < 0.1 else ": overflows drop it first",
    }
    reason = why.get(run.scenario.policy.strategy, "")
    return f"The instruction is lost in {percent(share, 0)} of tasks{reason}."
