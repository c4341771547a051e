"""What the formats of data sets share."""

from __future__ import annotations

from importlib import import_module
from math import prod
from typing import Any

import numpy as np

#: Chunks of files have about so many bytes before compression.
CHUNK_BYTES = 1 << 20

#: No chunk has more: Blosc, with which those of Zarr are compressed, takes no 2 GiB.
MAX_CHUNK_BYTES = 1 << 30


def chunks(shape: tuple[int, ...], dtype: np.dtype[Any], chunk: int | None) -> tuple[int, ...]:
    """The shape of chunks: cut along the first dimension, and along the next where one row is too large."""
    lengths = [max(1, length) for length in shape]
    limit = MAX_CHUNK_BYTES if chunk else CHUNK_BYTES
    if chunk:
        lengths[0] = min(chunk, lengths[0])
    for axis, length in enumerate(lengths):
        nbytes = prod(lengths) * dtype.itemsize
        if nbytes > limit:
            lengths[axis] = max(1, length * limit // nbytes)
    return tuple(lengths)


def library(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"{error}: pip install 'keller[learning]' brings it", name=error.name) from None
