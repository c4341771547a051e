"""Where the elements of a panel stand, and in which order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


def elements_by_columns(rows: int, columns: int) -> list[int]:
    """Keller's number of each element of a panel in Sionna's order: columns from the lowest y on, each from the top."""
    return [row * columns + column for column in range(columns) for row in reversed(range(rows))]


def panel_places(panel: Mapping[str, Any]) -> NDArray[np.float64]:
    """Where the elements of a panel stand in Sionna's order, ``(n, 3)``, wavelengths."""
    rows, columns = int(panel["rows"]), int(panel["columns"])
    between_rows, between_columns = panel.get("spacing_wavelengths", (0.5, 0.5))
    column, row = np.divmod(np.arange(rows * columns), rows)
    y, z = (column - (columns - 1) / 2) * between_columns, ((rows - 1) / 2 - row) * between_rows
    return np.stack([np.zeros(len(y)), y, z], axis=-1)
