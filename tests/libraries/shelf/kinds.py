"""What columns hold, and how tables are put together."""

from enum import Enum


class Kind(Enum):
    """What a column holds."""

    WHOLE = "whole"
    REAL = "real"
    TEXT = "text"
    MOMENT = "moment"


class Fit(Enum):
    """Which rows of two tables stay where they are paired."""

    BOTH = "both"
    FIRST = "first"
    EITHER = "either"
