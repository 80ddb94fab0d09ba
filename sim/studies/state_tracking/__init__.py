"""State tracking: when does a lossy memory answer better than the whole context?"""

from sim.studies.state_tracking.interpreter import (
    Cell,
    Change,
    answer,
    history,
    interpret,
    states,
)
from sim.studies.state_tracking.language import (
    VALUES,
    VARIABLES,
    Program,
    Rule,
    Set,
    Statement,
    Unset,
)
from sim.studies.state_tracking.parser import LanguageError, parse

__all__ = [
    "VALUES",
    "VARIABLES",
    "Cell",
    "Change",
    "LanguageError",
    "Program",
    "Rule",
    "Set",
    "Statement",
    "Unset",
    "answer",
    "history",
    "interpret",
    "parse",
    "states",
]
