"""Numbers of Sionna's objects, which are arrays of 32 bits."""

from __future__ import annotations

from typing import Any

import numpy as np

SPEED_OF_LIGHT = 299_792_458.0


def numbers(values: Any) -> list[float]:
    """Numbers as Python has them. Of those in 32 bits, the ones that were meant: 0.1, not 0.10000000149."""
    array = np.asarray(values).reshape(-1)
    if array.dtype == np.float32:
        return [float(str(value)) for value in array]
    return [float(value) for value in array]


def number(value: Any) -> float:
    """One such number."""
    return numbers(value)[0]
