"""Checks of arguments, in one form: the name, what was found, and what is accepted."""

from __future__ import annotations

import operator
from typing import SupportsIndex

import numpy as np

from ._keller import ScenarioError


def whole_number(name: str, found: SupportsIndex, low: int, high: int | None = None, also: str = "") -> int:
    """A whole number from ``low`` to ``high``; truth values are none. ``also`` says what else is accepted."""
    accepted = also + (f"a whole number from {low} on" if high is None else f"{low} to {high}")
    try:
        number = operator.index(found)
    except TypeError:
        number = low - 1
    if isinstance(found, (bool, np.bool_)) or number < low or (high is not None and number > high):
        raise ScenarioError(f"{name}: found {found!r}; accepted: {accepted}")
    return number
