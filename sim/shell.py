"""How a command of this project meets its shell: one sentence and an exit code, no traceback."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from sim.setting import shown

INTERRUPTED = 130


class _Once(argparse.Action):
    """Stores a value, and refuses a second one: which of the two was meant?"""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any,
        option_string: str | None = None,
    ) -> None:  # fmt: skip
        """Store the value of an option, or of a position, which is met once anyway."""
        given = vars(namespace).setdefault("_given", set())
        if option_string and self.dest in given:
            raise argparse.ArgumentError(self, "given twice, but one value counts: leave one out")
        given.add(self.dest)
        setattr(namespace, self.dest, values)


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence and exits with 2."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.register("action", None, _Once)

    def error(self, message: str) -> NoReturn:
        """Exit with the sentence."""
        sentence = printable(message[:1].upper() + message[1:].rstrip("."))
        self.exit(2, f"{sentence}. See {self.prog} --help\n")


def printable(sentence: str) -> str:
    """A sentence that may quote anything, fit for a terminal: control characters as escapes."""
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in sentence)


def whole(text: str) -> int:
    """The whole number of an argument; what is none is refused with a sentence."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{shown(text)} is not a whole number: use digits"
        ) from None


def counted(number: int, noun: str) -> str:
    """A number of things: ``1 task``, ``1,200 tasks``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def with_sign(size: str, value: float, plus: str = "") -> str:
    """A written size with the sign of its value; one that is 0 in all its digits has none."""
    if not any(digit in size for digit in "123456789"):
        return size
    return f"{'-' if value < 0 else plus}{size}"


def advise(sentences: Iterable[str]) -> None:
    """Say what is not wrong but should be known, where it is in the way of no output."""
    for sentence in sentences:
        print(sentence, file=sys.stderr)


def run(command: Callable[[], int | None], refused: type[Exception]) -> int:
    """Run a command; its exit code, 2 if what it was given is ``refused`` or its output cannot be
    written, 130 if interrupted."""
    try:
        code = command() or 0
        sys.stdout.flush()  # here, where it may fail
        return code
    except refused as error:
        print(printable(str(error)), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _mute()  # the reader, say ``head``, has had enough
        return 0
    except OSError as error:
        if error.filename is not None:  # not of the output, which has no name
            raise
        _mute()
        print(f"The output cannot be written ({error.strerror}): make room.", file=sys.stderr)
        return 2


def _mute() -> None:
    """Let go what is not written yet: at the exit Python would try, and fail, again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
