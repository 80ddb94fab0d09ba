"""How a command of this project meets its shell: one sentence and an exit code, no traceback."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import NoReturn

INTERRUPTED = 130


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence and exits with 2."""

    def error(self, message: str) -> NoReturn:
        """Exit with the sentence."""
        sentence = message[:1].upper() + message[1:].rstrip(".")
        self.exit(2, f"{sentence}. See {self.prog} --help\n")


def run(command: Callable[[], int | None], refused: type[Exception]) -> int:
    """Run a command; its exit code, 2 if what it was given is ``refused``, 130 if interrupted."""
    try:
        return command() or 0
    except refused as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()  # the reader, say ``head``, has had enough
        return 0
