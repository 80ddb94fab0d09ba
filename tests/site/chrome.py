"""Finds a Chromium, or installs one as far as the system allows, or says what to install."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = (
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
)
ADVICE = (
    "No Chromium was found, and none could be installed: install one with `apt-get install "
    "chromium` or `python -m playwright install chromium`, or name one in CHROMIUM."
)


class NoBrowser(Exception):  # noqa: N818 - a sentence for a person, not a fault of the code
    """There is no browser: what to install."""


def find_chromium(playwright_own: str) -> str:
    """Path of a Chromium. Raises NoBrowser with the one thing to do."""
    for variable in ("CHROMIUM", "PLAYWRIGHT_CHROMIUM"):
        if named := os.environ.get(variable):
            if found := shutil.which(named):
                return found
            raise NoBrowser(
                f"{variable} names {named!r}, which cannot be run: correct or unset it."
            )
    for name in NAMES:
        if found := shutil.which(name):
            return found
    if Path(playwright_own).is_file():
        return playwright_own
    if _succeeds([sys.executable, "-m", "playwright", "install", "chromium"]):
        return playwright_own
    if hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get"):
        install = ["apt-get", "install", "-y", "--no-install-recommends", "chromium"]
        quiet = {"DEBIAN_FRONTEND": "noninteractive"}
        done = _succeeds(install, **quiet) or (
            _succeeds(["apt-get", "update"]) and _succeeds(install, **quiet)
        )
        if done and (found := shutil.which("chromium")):
            return found
    raise NoBrowser(ADVICE)


def _succeeds(command: list[str], **environment: str) -> bool:
    sys.stderr.write(f"No Chromium yet: {' '.join(command[-4:])}\n")
    try:
        return subprocess.run(command, env={**os.environ, **environment}).returncode == 0
    except OSError:
        return False


def launch_arguments() -> list[str]:
    """The arguments of every launch; a sandbox does not start for root."""
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    return [*ARGUMENTS, *(["--no-sandbox"] if is_root else [])]
