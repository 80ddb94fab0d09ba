"""What is calculated beside a pack, for the page to put in place. Only open ones are made."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lab.session import Session

PANELS: Mapping[str, Callable[[Session], str]] = {}
