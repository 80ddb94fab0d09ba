"""The study's findings as the shell prints them: lines of text from plain data of ``report``."""

from __future__ import annotations

from typing import Any

Found = dict[str, Any]
IDS = 3
"""Ids that are named of many; the lines of a file are named all."""


def percent(share: float, decimals: int = 0) -> str:
    """A share as readers see it, like 48 %."""
    return f"{100 * share:.{decimals}f} %"


def table_text(found: Found) -> list[str]:
    """The cells, a line each; then the misses, each explained, and what is odd in the source."""
    cells = found["cells"]
    lines = [
        "N*, in statements: published, by the fitted curve at the published readings, and played "
        "again",
        f"with {found['programs']:,} programs at the true accuracies. Steps are those of the grid "
        "of lengths.",
        "",
        f"{'compressor':15} {'T':>6} {'published':>9} {'ours':>6} {'steps':>5} "
        f"{'read':>6} {'played':>7} {'steps':>5}  N* played, 95 % interval",
    ]
    for cell in cells:
        ours = "beyond" if cell["ours"] is None else f"{cell['ours']:,}"
        lines.append(
            f"{cell['loss']:10} {percent(cell['rate']):4} {cell['target_rate']:>6} "
            f"{cell['published']:>9,} {ours:>6} {_signed(cell['steps']):>5} "
            f"{percent(cell['read_accuracy']):>6} "
            f"{percent(cell['played_accuracy']['value'], 1):>7} "
            f"{_signed(cell['played_steps']):>5}  {_length(cell['played_n_star'])}"
        )
    lines += [
        "",
        f"By the curve {found['within_one_step']} of {len(cells)} cells are within one step and "
        f"{found['exact']} are met; played again, {found['played_within_one_step']} are within one "
        "step.",
        "",
        "Why a cell is not met:",
    ]
    lines += [
        f"  {cell['loss']} {percent(cell['rate'])}, T {cell['target_rate']}: {cell['why']}"
        for cell in cells
        if cell["why"]
    ]
    lines += ["Played again, N* moves with the accuracy: from as read to as played.", ""]
    return [*lines, "Odd in the source:", *(f"  {sentence}" for sentence in found["oddities"])]


def crossover_text(found: Found) -> list[str]:
    """The curve, the state's N*, the hybrid's, and the shares at each length."""
    curve, state = found["curve"], found["state"]
    lines = [
        f"{_kind(found['settings'])} · {found['compressor']} · seed {found['seed']} · "
        f"{found['programs']:,} programs",
        f"The {curve['source']} curve: {_half(curve)}",
        "",
        f"A state alone is right {_share(state['accuracy'])}",
        f"and beats the whole context beyond {_n_star(state['n_star'])}",
    ]
    if found["share"]:
        share, n_star = percent(found["share"]["share"]), _n_star(found["share"]["n_star"])
        if found["share"]["at_most"]:
            n_star = f"{n_star.rstrip('.')}, or before: it wins at every length tried."
        lines.append(f"With the first {share} as a state, beyond {n_star}")
    for at in found["lengths"]:
        lines += [
            "",
            f"{at['statements']:,} statements: best is a state for the first {percent(at['best'])} "
            f"(95 % interval {percent(at['best_low'])} … {percent(at['best_high'])})",
            f"{'state for':>10} {'lines':>7} {'text right':>10}  right answers, 95 % interval",
        ]
        for row in at["shares"]:
            note = "  extrapolated" if row["extrapolated"] else ""
            lines.append(
                f"{percent(row['share']):>10} {row['lines']:>7,.0f} "
                f"{percent(row['text_right']['value'], 1):>10}  {_share(row['accuracy'])}{note}"
            )
    return lines + ([""] + found["gaps"] if found["gaps"] else [])


def score_text(found: Found) -> list[str]:
    """Each group with its lengths, curve and N*; then all that was unfit, by name."""
    lines: list[str] = []
    for group in found["groups"]:
        lines += [
            _kind(group["settings"]),
            f"{'statements':>10} {'right':>7} {'of':>7}  accuracy, 95 % interval",
        ]
        lines += [
            f"{at['statements']:>10,} {at['right']:>7,} {at['n']:>7,}  {_share(at)}"
            for at in group["lengths"]
        ]
        if group["curve"]:
            lines.append(f"The curve: {_half(group['curve'])}")
            lines += [
                f"A state that loses {percent(at['lost'])} of its entries wins beyond {_n_star(at)}"
                for at in group["n_stars"]
            ]
        else:
            lines.append(f"No curve: {group['no_curve']}")
        lines.append("")
    for name, what in (
        ("malformed", "Malformed lines, not scored"),
        ("unknown", "Lines with an unknown id, not scored"),
        ("duplicates", "Further answers to a task that has one, not scored"),
    ):
        if found[name]:
            lines.append(f"{what}: {len(found[name]):,}")
            lines += [f"  line {fault['line']}: {fault['what']}" for fault in found[name]]
    for name, what in (
        ("missing", "Tasks without an answer, not scored"),
        ("unread", "Answers without a colour or unset, scored as wrong"),
        ("several", "Answers with several of them, of which the last was scored"),
    ):
        if found[name]:
            more = ", …; all of them with --json" if len(found[name]) > IDS else ""
            lines.append(f"{what}: {len(found[name]):,} ({', '.join(found[name][:IDS])}{more})")
    return lines if lines[-1] else lines[:-1]


def _kind(settings: Found) -> str:
    if settings["target_rate"] is None:
        return str(settings["grammar"])
    return (
        f"{settings['grammar']}, T {settings['target_rate']:g}, P {settings['last_position']:g}, "
        f"F {settings['value_reuse']:g}"
    )


def _half(curve: Found) -> str:
    low, high = curve["tried"]
    floor = f" above a guess of {percent(curve['guess'], 1)}" if curve["guess"] else ""
    outside = ", extrapolated" if curve["outside"] else ""
    return (
        f"half is lost{floor} at {curve['half']:,.0f} statements ({curve['half_low']:,.0f} … "
        f"{curve['half_high']:,.0f}), tried from {low:,.0f} to {high:,.0f}{outside}."
    )


def _n_star(found: Found) -> str:
    if found["value"] is None:
        return "no length: it is never better."
    note = ", extrapolated" if found["extrapolated"] else ""
    return f"N* = {_length(found)} statements{note}."


def _length(found: Found) -> str:
    value, low, high = (
        "no end" if found[end] is None else f"{found[end]:,.0f}" for end in ("value", "low", "high")
    )
    return f"{value} ({low} … {high})"


def _share(found: Found) -> str:
    value, low, high = (percent(found[end], 1) for end in ("value", "low", "high"))
    return f"{value:>7} ({low} … {high})"


def _signed(steps: int) -> str:
    return f"{steps:+d}" if steps else "0"
