"""Batches: results that many workers compute, on any machines that share a folder."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import Literal

from ._checks import file_name, gpu_name, whole_number
from ._keller import Batch as _Batch
from ._progress import listener
from ._text import renamed

_File = str | PathLike[str]


class Batch:
    """The store of a batch, a folder, with units of work that any worker may compute.

    ::

        batch = keller.Batch.plan("scenario.toml", "store")
        batch.run()  # or on many machines: keller.dask.run("store", client)
        keller.program.coverage("scenario.toml", out="map.zarr", batch="store")

    The last line writes the bytes that a run on one machine would have written. ``scenario`` is needed only where the
    scenario has another name than on the machine that planned; ``gpu`` is as in :class:`World`. Raises
    :class:`KellerError` for a store that is damaged, of another version, or of another state of the scenario or its
    scene.
    """

    @renamed
    def __init__(self, store: _File, *, scenario: _File | None = None, gpu: str = "cpu") -> None:
        folder = file_name("store", store)
        with listener() as tell:
            named = None if scenario is None else file_name("scenario", scenario)
            self._batch = _Batch(folder, named, gpu_name(gpu), tell)
        self.store = folder

    @classmethod
    @renamed
    def plan(
        cls,
        scenario: _File,
        store: _File,
        *,
        result: Literal["paths", "channel", "coverage", "visibility"] | None = None,
        unit_size: int | None = None,
        rays: bool = False,
    ) -> Batch:
        """Cuts the work of a scenario into units, and makes the store. Units that are there already stay.

        result: the command that will write the result [default: ``coverage`` of a scenario that has one, else
            ``paths``]
        unit_size: about so many cells, receivers or tiles in a unit, so that it takes some seconds
        rays: keep every ray to every tile of surfaces
        """
        found = cls.__new__(cls)
        found.store = file_name("store", store)
        most = None if unit_size is None else whole_number("unit_size", unit_size, 1)
        with listener() as tell:
            found._batch = _Batch.plan(file_name("scenario", scenario), found.store, result, most, bool(rays), tell)
        return found

    def __len__(self) -> int:
        """The number of units."""
        return len(self._batch)

    def __repr__(self) -> str:
        return f"<keller.Batch {self.store!r} for {self.command}: {len(self)} units, {len(self.missing())} missing>"

    @property
    def command(self) -> str:
        """The command that writes the result."""
        return self._batch.command

    def missing(self) -> list[int]:
        """The numbers of the units that are not there."""
        return self._batch.missing()

    def describe(self, unit: int) -> str:
        """What a unit computes, in words."""
        return self._batch.describe(whole_number("unit", unit, 0))

    @renamed
    def run(self, only: Iterable[int] | None = None, *, progress: bool = False) -> list[int]:
        """Computes those of some units, or of all, that are missing. Returns the units that it has computed.

        ``progress`` shows a bar if tqdm is installed.
        """
        numbers = range(len(self)) if only is None else [whole_number("only", unit, 0) for unit in only]
        computed = []
        with listener(progress) as tell:
            for place, unit in enumerate(numbers):
                is_new, _ = self._batch.run(unit, tell if place == 0 else None)
                if is_new:
                    computed.append(unit)
                tell("progress", "batch", (place + 1) / len(numbers))
        return computed
