"""Writes batches of receivers to a file of the data set."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._channel_arrays import COORDINATES
from ._listener import BatchListener
from ._trace import BATCH_BYTES, ROWS, Batches
from ._writer import Writer


def write(out: Writer, batches: Batches, chunk: int | None, tell: BatchListener) -> None:
    """Writes the batches to a file of the data set, and removes them."""
    tell.share = (0.0, 1.0)
    # Coordinates come before arrays that have them.
    for name, array in COORDINATES.items():
        values = batches.coordinates[name]
        out.create(name, array, values.shape, values.dtype, chunk)
        out.put(name, 0, values)
    for number, (first, file) in enumerate(batches.files):
        with np.load(file) as rows:
            for name, array in ROWS.items():
                values = rows[name]
                shape = tuple(batches.sizes[dim] for dim in array.dims)
                if number == 0:
                    out.create(name, array, shape, values.dtype, chunk)
                for start, piece in _padded(values, shape):
                    out.put(name, first + start, piece)
        file.unlink()
        tell("progress", "write", (number + 1) / len(batches.files))


def _padded(values: NDArray[Any], shape: tuple[int, ...]) -> Iterator[tuple[int, NDArray[Any]]]:
    """Pieces of rows with zeros at their ends, so that rows have `shape`, and the first row of each."""
    more = [(0, length - found) for found, length in zip(values.shape[1:], shape[1:], strict=True)]
    step = max(1, BATCH_BYTES // max(1, prod(shape[1:]) * values.dtype.itemsize))
    for start in range(0, len(values), step):
        yield start, np.pad(values[start : start + step], [(0, 0), *more])
