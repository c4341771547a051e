"""What writes a data set in some format."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from importlib import import_module
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._channel_arrays import Array

#: Chunks of files have about so many bytes before compression.
CHUNK_BYTES = 1 << 20

#: No chunk has more: Blosc, with which those of Zarr are compressed, takes no 2 GiB.
MAX_CHUNK_BYTES = 1 << 30


class Writer(ABC):
    """Writes arrays to a new file or folder, those of coordinates before the arrays that have them."""

    @abstractmethod
    def __init__(self, file: Path, attributes: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
        """``sizes`` are the lengths of all dimensions."""

    @staticmethod
    @abstractmethod
    def load() -> Any:
        """The package that writes the format. Raises ``ModuleNotFoundError`` without it."""

    @staticmethod
    @abstractmethod
    def is_one(file: Path) -> bool:
        """Whether ``file`` may be overwritten: whether it has this format."""

    @abstractmethod
    def create(self, name: str, array: Array, shape: tuple[int, ...], dtype: np.dtype[Any], chunk: int | None) -> None:
        """A new array; ``chunk`` is the number of rows in a chunk."""

    @abstractmethod
    def put(self, name: str, first: int, values: NDArray[Any]) -> None:
        """Writes rows of an array from the row ``first`` on."""

    @abstractmethod
    def close(self) -> None:
        """Ends the file."""


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
    """A package by name; without it the error says how to install it."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"{error}: pip install 'keller[learning]' brings it", name=error.name) from None
