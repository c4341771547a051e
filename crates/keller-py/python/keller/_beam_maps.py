"""Maps by beams of any position of a Tx, from a region that is prepared once."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _keller
from ._checks import real_array
from ._coverage import Coverage
from ._keller import KellerError
from ._progress import listener


class BeamMaps:
    """A region with ``engine="beams"``, prepared once for any position of a Tx.

    :meth:`World.beams` makes them. A map takes milliseconds, so a slider can move the Tx::

        maps = world.beams(resolution=0.5, heights=[1.5])
        gains = maps.path_gain_db([1, 1, 2])

    ``arrays`` has the coordinates of the cells by the names of :class:`Coverage`: ``x``, ``y`` and ``z``, ``ground`` if
    heights are above it, and others where the scene says where on earth it lies or the region is turned.

    Threads may share them; their maps wait for each other. :meth:`close`, or the end of a ``with`` block, frees the
    memory of the region; so does the end of the object.
    """

    #: Arrays have names; there is nothing to go through by numbers.
    __iter__ = None

    def __init__(self, compiled: _keller.BeamMaps, text_at: Callable[[list[float]], str], file: str) -> None:
        self._compiled: _keller.BeamMaps | None = compiled
        self._text_at, self._file = text_at, file
        self.arrays: dict[str, NDArray[Any]] = compiled.coordinates()

    def path_gain_db(self, position: ArrayLike) -> NDArray[np.float32]:
        """Path gains of the Tx at ``position``, x, y and z in metres: an array in dB, ``(z, y, x)``.

        NaN where no receiver can be, minus infinity where no path leads, as :attr:`Coverage.path_gain_db`. Raises
        :class:`ScenarioError` for a position below the ground, on a wall or far from the scene; the next one may be
        better. Ctrl-C stops it. After :meth:`close` it raises :class:`KellerError`.
        """
        compiled, place = self._open(), _position(position)
        with listener() as tell:
            return compiled.path_gain_db(place, tell)

    def coverage(self, position: ArrayLike) -> Coverage:
        """The same as a :class:`Coverage`, which can be drawn and saved: what :meth:`World.coverage` gives of that Tx.

        It warns of a Tx outside the region or inside a building, and raises as :meth:`path_gain_db` does.
        """
        compiled, place = self._open(), _position(position)
        with listener() as tell:
            job, coverage = compiled.coverage(self._text_at(place), self._file, tell)
            return Coverage(job, coverage, coverage.arrays(tell))

    @property
    def x(self) -> NDArray[np.float64]:
        """Centres of the columns of cells, m."""
        return self["x"]

    @property
    def y(self) -> NDArray[np.float64]:
        """Centres of the rows of cells, m."""
        return self["y"]

    @property
    def z(self) -> NDArray[np.float64]:
        """Heights of the cells, m; above ``ground`` if there is that array."""
        return self["z"]

    def __getitem__(self, name: str) -> NDArray[Any]:
        """An array by its name, such as ``ground``."""
        try:
            return self.arrays[name]
        except KeyError:
            raise KeyError(f"{name!r}; the arrays are {', '.join(self.arrays)}") from None

    def __contains__(self, name: object) -> bool:
        return name in self.arrays

    def close(self) -> None:
        """Frees the memory of the region. There are no more maps then, and closing again changes nothing."""
        self._compiled = None

    def __enter__(self) -> BeamMaps:
        self._open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._compiled is None:
            return "<keller.BeamMaps: closed>"
        return f"<keller.BeamMaps: {len(self.z)} x {len(self.y)} x {len(self.x)} cells (z, y, x)>"

    def _open(self) -> _keller.BeamMaps:
        if self._compiled is None:
            raise KellerError("BeamMaps: they are closed; accepted: those of another World.beams")
        return self._compiled


def _position(position: ArrayLike) -> list[float]:
    found = real_array("position", position, lambda shape: shape == (3,), "three numbers, metres")
    place: list[float] = found.tolist()
    return place
