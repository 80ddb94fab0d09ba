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
    crossover_table,
    explain,
    grid_place,
    oddities,
)
from sim.studies.state_tracking.curve import (
    Point,
    StuffingCurve,
    fit_curve,
)
from sim.studies.state_tracking.curves import (
    curve_for,
    gaps,
    mixed_curve,
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
from sim.studies.state_tracking.hybrid import (
    SHARES,
    Hybrid,
    HybridPoint,
    best_shares,
    hybrid_crossing,
    play_hybrid,
)
from sim.studies.state_tracking.interpreter import (
    Cell,
    Change,
    answer,
    history,
    interpret,
    states,
)
from sim.studies.state_tracking.kit import (
    Origin,
    make_tasks,
    parse_id,
    truths,
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
from sim.studies.state_tracking.measured import (
    format_points,
    measured_curve,
    parse_points,
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
from sim.studies.state_tracking.scoring import (
    Fault,
    Group,
    Length,
    Scored,
    read_answer,
    score_answers,
)
from sim.studies.state_tracking.tables import (
    UNSET_VALUE,
    state_tables,
    true_answers,
)
from sim.studies.state_tracking.target_curve import (
    TargetCurve,
    fit_target_curve,
    stuffing_curve,
)

__all__ = [
    "GRAMMARS",
    "ORACLE",
    "SHARES",
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
    "Fault",
    "Group",
    "Hybrid",
    "HybridPoint",
    "LanguageError",
    "Length",
    "Loss",
    "MixedRow",
    "Origin",
    "Point",
    "Program",
    "Programs",
    "Published",
    "Recipe",
    "Rule",
    "Scored",
    "Set",
    "Statement",
    "StuffingCurve",
    "TargetCurve",
    "Unset",
    "answer",
    "best_shares",
    "crossover_table",
    "curve_for",
    "draw_program_blocks",
    "draw_programs",
    "drop",
    "estimated_tokens",
    "explain",
    "fit_curve",
    "fit_target_curve",
    "format_points",
    "gaps",
    "grid_place",
    "history",
    "hybrid_crossing",
    "interpret",
    "make_tasks",
    "measured_curve",
    "mixed_curve",
    "oddities",
    "parse",
    "parse_id",
    "parse_points",
    "play_crossovers",
    "play_hybrid",
    "published",
    "read_answer",
    "render",
    "render_table",
    "score",
    "score_answers",
    "state_tables",
    "states",
    "stuffing_curve",
    "substitute",
    "true_answers",
    "truths",
]
