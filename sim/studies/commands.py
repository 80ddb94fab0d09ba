"""The studies in the shell: ``python -m sim study [NAME]``."""

from __future__ import annotations

import argparse
import json

from sim.shell import whole
from sim.studies.catalogue import STUDIES, run_study, study_title
from sim.studies.plain import as_text


def add_command(parser: argparse.ArgumentParser) -> None:
    """Give ``study`` its arguments, and a ``command`` that takes the options."""
    parser.add_argument("name", nargs="?", metavar="NAME", help="its name; none lists them all")
    parser.add_argument("--seed", type=whole, default=1, metavar="N", help="seed (default 1)")
    parser.add_argument("--json", action="store_true", help="print one JSON object, unrounded")
    parser.set_defaults(command=_study)


def _study(options: argparse.Namespace) -> None:
    if options.name is None:
        titles = {name: study_title(name) for name in STUDIES}
        width = max(map(len, titles))
        lines = "\n".join(f"{name:{width}}  {title}" for name, title in titles.items())
        print(json.dumps(titles) if options.json else lines)
        return
    study = run_study(options.name, options.seed)
    text = json.dumps(study.to_dict(), allow_nan=False) if options.json else as_text(study)
    print(text)
