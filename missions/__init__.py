"""Missions: broken setups to repair, each with goals and a proven solution."""

from missions.goals import Goal
from missions.judge import FailedSeed, Miss, Verdict, further_seeds, judge
from missions.library import load
from missions.schema import Decoy, Mission, MissionError, changed, parse

__all__ = [
    "Decoy",
    "FailedSeed",
    "Goal",
    "Miss",
    "Mission",
    "MissionError",
    "Verdict",
    "changed",
    "further_seeds",
    "judge",
    "load",
    "parse",
]
