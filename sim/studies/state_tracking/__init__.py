"""State tracking: when does a lossy memory answer better than the whole context?"""

from sim.studies.state_tracking.compressors import (
    ORACLE,
    Channel,
    Compressor,
    Loss,
    drop,
    substitute,
)
from sim.studies.state_tracking.crossover import (
    CrossoverCell,
    TargetCurve,
    crossover_table,
    fit_target_curve,
    grid_place,
    stuffing_curve,
)
from sim.studies.state_tracking.curve import (
    Point,
    StuffingCurve,
    fit_curve,
)
from sim.studies.state_tracking.experiment import (
    ExperimentCell,
    play_crossovers,
)
from sim.studies.state_tracking.generator import (
    Programs,
    draw_program_blocks,
    draw_programs,
)
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
from sim.studies.state_tracking.parser import (
    LanguageError,
    parse,
)
from sim.studies.state_tracking.prompt import (
    estimated_tokens,
    render,
    render_table,
)
from sim.studies.state_tracking.published import (
    CrossoverRow,
    MixedRow,
    Published,
    published,
)
from sim.studies.state_tracking.recipe import (
    GRAMMARS,
    Recipe,
)
from sim.studies.state_tracking.score import (
    score,
)
from sim.studies.state_tracking.tables import (
    UNSET_VALUE,
    state_tables,
    true_answers,
)

__all__ = [
    "GRAMMARS",
    "ORACLE",
    "UNSET_VALUE",
    "VALUES",
    "VARIABLES",
    "Cell",
    "Change",
    "Channel",
    "Compressor",
    "CrossoverCell",
    "CrossoverRow",
    "ExperimentCell",
    "LanguageError",
    "Loss",
    "MixedRow",
    "Point",
    "Program",
    "Programs",
    "Published",
    "Recipe",
    "Rule",
    "Set",
    "Statement",
    "StuffingCurve",
    "TargetCurve",
    "Unset",
    "answer",
    "crossover_table",
    "draw_program_blocks",
    "draw_programs",
    "drop",
    "estimated_tokens",
    "fit_curve",
    "fit_target_curve",
    "grid_place",
    "history",
    "interpret",
    "parse",
    "play_crossovers",
    "published",
    "render",
    "render_table",
    "score",
    "state_tables",
    "states",
    "stuffing_curve",
    "substitute",
    "true_answers",
]
