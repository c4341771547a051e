"""Data sets in HDF5."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._channel_arrays import Array
from ._writer import Writer, chunks, library


class Hdf5(Writer):
    """HDF5 with the dimension scales of netCDF-4."""

    def __init__(self, file: Path, attributes: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
        self.h5py, self.sizes = self.load(), sizes
        self.file = self.h5py.File(file, "w", track_order=True)
        self.file.attrs.update(attributes)

    @staticmethod
    def load() -> Any:
        return library("h5py")

    @staticmethod
    def is_one(file: Path) -> bool:
        return file.is_file()

    def create(self, name: str, array: Array, shape: tuple[int, ...], dtype: np.dtype[Any], chunk: int | None) -> None:
        stored = self.h5py.string_dtype() if dtype.kind == "U" else dtype
        packed = {"chunks": chunks(shape, dtype, chunk), "compression": "gzip", "compression_opts": 1, "shuffle": True}
        created = self.file.create_dataset(name, shape, stored, **(packed if prod(shape) else {}))
        created.attrs.update(array.attributes)
        if array.dims == (name,):
            created.make_scale(name)
            return
        for number, dim in enumerate(array.dims):
            created.dims[number].attach_scale(self._scale(dim))

    def _scale(self, dim: str) -> Any:
        if dim not in self.file:
            # As netCDF-4 has dimensions without coordinates.
            length = self.sizes[dim]
            scale = self.file.create_dataset(dim, (length,), ">f4")
            scale.make_scale(f"This is a netCDF dimension but not a netCDF variable.{length:10d}")
        return self.file[dim]

    def put(self, name: str, first: int, values: NDArray[Any]) -> None:
        if values.size:
            rows = values.astype(object) if values.dtype.kind == "U" else values
            self.file[name][first : first + len(values)] = rows

    def close(self) -> None:
        self.file.close()
