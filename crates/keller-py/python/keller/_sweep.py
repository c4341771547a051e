"""Sweeps: results that many workers compute, on any machines that share a folder."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import Literal

from ._checks import file_name, gpu_name, whole_number
from ._keller import Sweep as _Sweep
from ._progress import listener
from ._text import renamed

_File = str | PathLike[str]


class Sweep:
    """The store of a sweep, a folder, with units of work that any worker may compute.

    ::

        sweep = keller.Sweep.plan("scenario.toml", "store")
        sweep.run()  # or on many machines: keller.dask.run("store", client)
        keller.program.coverage("scenario.toml", out="map.zarr", sweep="store")

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
            self._sweep = _Sweep(folder, named, gpu_name(gpu), tell)
        self.store = folder

    @classmethod
    def plan(
        cls,
        scenario: _File,
        store: _File,
        *,
        command: Literal["paths", "channel", "coverage", "visibility"] | None = None,
        items: int | None = None,
        rays: bool = False,
    ) -> Sweep:
        """Cuts the work of a scenario into units, and makes the store. Units that are there already stay.

        command: the command that will write the result [default: ``coverage`` of a scenario that has one, else
            ``paths``]
        items: about so many cells, receivers or tiles in a unit, so that it takes some seconds
        rays: keep every ray to every tile of surfaces
        """
        found = cls.__new__(cls)
        found.store = file_name("store", store)
        most = None if items is None else whole_number("items", items, 1)
        with listener() as tell:
            found._sweep = _Sweep.plan(file_name("scenario", scenario), found.store, command, most, bool(rays), tell)
        return found

    def __len__(self) -> int:
        """The number of units."""
        return len(self._sweep)

    def __repr__(self) -> str:
        return f"<keller.Sweep {self.store!r} for {self.command}: {len(self)} units, {len(self.missing())} missing>"

    @property
    def command(self) -> str:
        """The command that writes the result."""
        return self._sweep.command

    def missing(self) -> list[int]:
        """The numbers of the units that are not there."""
        return self._sweep.missing()

    def describe(self, unit: int) -> str:
        """What a unit computes, in words."""
        return self._sweep.describe(whole_number("unit", unit, 0))

    def run(self, units: Iterable[int] | None = None, *, progress: bool = False) -> list[int]:
        """Computes those of some units, or of all, that are missing. Returns the units that it has computed.

        ``progress`` shows a bar if tqdm is installed.
        """
        numbers = range(len(self)) if units is None else [whole_number("units", unit, 0) for unit in units]
        computed = []
        with listener(progress) as tell:
            for place, unit in enumerate(numbers):
                is_new, _ = self._sweep.run(unit, tell if place == 0 else None)
                if is_new:
                    computed.append(unit)
                tell("progress", "sweep", (place + 1) / len(numbers))
        return computed
