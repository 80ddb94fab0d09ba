"""The missions that come with the lab."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from missions.schema import Mission, MissionError, parse

FOLDER = Path(__file__).parent
FILE_NAME = re.compile(r"\d\d-(?P<id>[a-z]+(-[a-z]+)*)\.toml")


@cache
def load() -> tuple[Mission, ...]:
    """Every mission, in the order in which they unlock."""
    return read_folder(FOLDER)


def read_folder(folder: Path) -> tuple[Mission, ...]:
    """The missions of a folder, in the order of their file names.

    Raises MissionError for a malformed file, a file that is not named after its mission, and an
    id or an event that two missions claim.
    """
    missions: dict[str, Mission] = {}
    introduced: dict[str, str] = {}
    for path in sorted(folder.glob("*.toml")):
        mission = read_file(path)
        named = FILE_NAME.fullmatch(path.name)
        if not named or named["id"] != mission.id:
            raise MissionError(
                f"{path.name}: the file's name must be a number of two digits and the id, "
                f"{mission.id}: rename it to NN-{mission.id}.toml."
            )
        if mission.id in missions:
            raise MissionError(
                f"{path.name}: id is {mission.id!r}, which is taken: choose another."
            )
        if mission.introduces in introduced:
            raise MissionError(
                f"{path.name}: introduces is {mission.introduces!r} but "
                f"{introduced[mission.introduces]} introduces that: remove one of the two."
            )
        if mission.introduces:
            introduced[mission.introduces] = mission.id
        missions[mission.id] = mission
    return tuple(missions.values())


def read_file(path: Path) -> Mission:
    """The mission in a file. Raises MissionError if it cannot be read or is malformed."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise MissionError(
            f"{path.name}: the file cannot be read ({error.strerror}): check its path."
        ) from None
    except UnicodeDecodeError:
        raise MissionError(f"{path.name}: the file is not UTF-8 text: save it as UTF-8.") from None
    return parse(text, path.name)
