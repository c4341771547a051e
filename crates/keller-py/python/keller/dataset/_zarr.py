"""Data sets in Zarr."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._channel_arrays import Array
from ._writer import Writer, chunks, library


class Zarr(Writer):
    """Zarr of format 2.

    Arrays have no fill value: xarray would take numbers that are equal to it for missing ones. So all chunks are
    written, those of zeros too.
    """

    def __init__(self, file: Path, attributes: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
        self.zarr, self.store = self.load(), str(file)
        is_new = int(self.zarr.__version__.split(".")[0]) >= 3
        self.format: dict[str, Any] = {"zarr_format": 2} if is_new else {}
        self.options: dict[str, Any] = {**self.format, "config": {"write_empty_chunks": True}} if is_new else {}
        self.zarr.open_group(self.store, mode="w", **self.format).attrs.update(attributes)
        self.arrays: dict[str, Any] = {}

    @staticmethod
    def load() -> Any:
        return library("zarr")

    @staticmethod
    def is_one(file: Path) -> bool:
        return (file / ".zgroup").is_file() or (file / "zarr.json").is_file()

    def create(self, name: str, array: Array, shape: tuple[int, ...], dtype: np.dtype[Any], chunk: int | None) -> None:
        blosc = library("numcodecs").Blosc
        created = self.zarr.create(
            shape,
            chunks=chunks(shape, dtype, chunk),
            dtype=dtype,
            compressor=blosc("zstd", clevel=3, shuffle=blosc.SHUFFLE),
            fill_value=None,
            store=self.store,
            path=name,
            **self.options,
        )
        created.attrs.update(_ARRAY_DIMENSIONS=list(array.dims), **array.attributes)
        self.arrays[name] = created

    def put(self, name: str, first: int, values: NDArray[Any]) -> None:
        if values.size:
            self.arrays[name][first : first + len(values)] = values

    def close(self) -> None:
        self.zarr.consolidate_metadata(self.store, **self.format)
