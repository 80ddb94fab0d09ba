"""Colours, by what they mean. The page's style sheet and its charts both take them from here.

The five colours of a fact's life are those of Okabe and Ito, safe for colour-blind readers; dark
ones are lightened until they keep their contrast.
"""

from __future__ import annotations

from importlib.resources import files
from urllib.parse import quote

LIGHT = {
    "page": "#f7f6f3",
    "card": "#ffffff",
    "ink": "#1b1a18",
    "muted": "#625e57",
    "line": "#e3dfd7",
    "edge": "#8a857c",
    "accent": "#1f5fbf",
    "accent-soft": "#e8effa",
    "good": "#0b6e4f",
    "bad": "#a33a00",
    "verbatim": "#0072b2",
    "restated": "#56b4e9",
    "summary": "#cc8000",
    "notes": "#009e73",
    "lost": "#c9430c",
}

DARK = {
    "page": "#141416",
    "card": "#1d1d20",
    "ink": "#f0eeea",
    "muted": "#a8a49c",
    "line": "#34343a",
    "edge": "#7d7a74",
    "accent": "#7fb0ff",
    "accent-soft": "#22304a",
    "good": "#4fc79c",
    "bad": "#ff9a6a",
    "verbatim": "#4aa8e0",
    "restated": "#a5dbfa",
    "summary": "#f0ad3d",
    "notes": "#35c79b",
    "lost": "#ff7a45",
}


def css_variables(colours: dict[str, str]) -> str:
    """The colours as CSS custom properties."""
    return "".join(f"--{name}:{value};" for name, value in colours.items())


def palette() -> str:
    """The start of a style sheet: both schemes, the system's unless the page has chosen one."""
    light, dark = css_variables(LIGHT), css_variables(DARK)
    return (
        f":root{{color-scheme:light;{light}}}\n"
        f"@media (prefers-color-scheme:dark){{:root:not([data-theme=light])"
        f"{{color-scheme:dark;{dark}}}}}\n"
        f":root[data-theme=dark]{{color-scheme:dark;{dark}}}\n"
    )


def icon() -> str:
    """The icon as an address: a browser would fetch a file anew at every change of the page's."""
    svg = files("lab").joinpath("web", "icon.svg").read_text(encoding="utf-8").strip()
    return f"data:image/svg+xml,{quote(svg)}"
