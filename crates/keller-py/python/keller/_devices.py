"""Transmitters, receivers and their antennas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, ValuesView
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._checks import real_array
from ._keller import ScenarioError
from ._text import ANTENNA, ARRAY, GRID, documented, split

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .options import AntennaKeywords, RxKeywords, TxKeywords


@documented(ANTENNA, ARRAY)
class Antenna:
    """An antenna: a pattern, a polarisation, where it looks, and maybe an array of such elements.

    ``antenna`` is "isotropic", "dipole", "short_dipole", "tr38901" or the name of a pattern file (.msi, .pln, .adf,
    .nsm, .csv, .npz). Several devices may share an antenna::

        panel = {"rows": 4, "columns": 4, "spacing_wavelengths": [0.5, 0.5]}
        sector = keller.Antenna("tr38901", polarization="cross", array=panel)
        tx = [keller.Tx([0, 0, 25], antenna=sector, azimuth_deg=azimuth) for azimuth in (0, 120, 240)]

    A keyword of the device wins over the same keyword of its antenna. ``options`` has what was given.
    Raises :class:`ScenarioError` for an unknown keyword; values are checked where paths or coverages are asked for.
    """

    def __init__(self, antenna: str | PathLike[str] = "isotropic", **options: Unpack[AntennaKeywords]) -> None:
        self.options: dict[str, Any] = {"antenna": antenna, **split(options, ANTENNA)[ANTENNA]}

    @classmethod
    def isotropic(cls, **options: Unpack[AntennaKeywords]) -> Antenna:
        """Sends alike in all directions."""
        return cls("isotropic", **options)

    @classmethod
    def dipole(cls, **options: Unpack[AntennaKeywords]) -> Antenna:
        """A half-wave dipole."""
        return cls("dipole", **options)

    @classmethod
    def tr38901(cls, **options: Unpack[AntennaKeywords]) -> Antenna:
        """The sector element of 3GPP TR 38.901."""
        return cls("tr38901", **options)

    def __repr__(self) -> str:
        options = dict(self.options)
        name = options.pop("antenna")
        more = "".join(f", {key}={value!r}" for key, value in options.items())
        return f"Antenna({name!r}{more})"


@documented("[[tx]]", ARRAY)
class Tx:
    """A transmitter: ``keller.Tx([1, 1, 2], antenna="dipole", power_dbm=20)``.

    ``position`` is x, y and z in metres, or x and y beside ``height_above_ground`` or ``altitude``. ``antenna`` is an
    :class:`Antenna`, or the name of a pattern or a pattern file. ``options`` has what was given.

    Raises :class:`ScenarioError` for an unknown keyword or a position that is none; other values are checked where
    paths or coverages are asked for.
    """

    def __init__(
        self,
        position: ArrayLike | None = None,
        *,
        antenna: Antenna | str | PathLike[str] | None = None,
        **options: Unpack[TxKeywords],
    ) -> None:
        self.options = _options(position, antenna, options, "[[tx]]")

    def __repr__(self) -> str:
        return "Tx(" + ", ".join(f"{key}={value!r}" for key, value in self.options.items()) + ")"


@documented("[[rx]]", GRID, ARRAY)
class Rx:
    """Receivers that share an antenna: one place, an array, a grid or a file.

    One receiver stands at x, y and z, ``keller.Rx([4, 3, 1.5])``, many at the rows of an array ``(n, 3)``, metres::

        desks = keller.Rx(np.array([[4, 3, 1.5], [2, 2, 1]]), antenna="dipole")
        floor = keller.Rx(grid={"min": [1, 1], "max": [4, 3], "spacing": 0.5, "height": 1.5})
        listed = keller.Rx(file="desks.csv")

    ``points`` has the array ``(n, 3)``, a copy, or None; ``options`` has what else was given.

    Raises :class:`ScenarioError` for an unknown keyword or a position that is none; other values are checked where
    paths are asked for.
    """

    def __init__(
        self,
        position: ArrayLike | None = None,
        *,
        antenna: Antenna | str | PathLike[str] | None = None,
        **options: Unpack[RxKeywords],
    ) -> None:
        self.points: NDArray[np.float64] | None = None
        if position is not None and _is_table(position):
            self.points = _rows(position)
            position = None
        self.options = _options(position, antenna, options, "[[rx]]")

    def __repr__(self) -> str:
        options = [f"{key}={value!r}" for key, value in self.options.items()]
        if self.points is not None:
            options.insert(0, f"array of shape {self.points.shape}")
        return f"Rx({', '.join(options)})"


TxLike = Tx | Sequence[Tx]
RxLike = Rx | Sequence[Rx] | Sequence[Sequence[float]] | ArrayLike | str | PathLike[str]


def all_tx(tx: TxLike) -> list[Tx]:
    """A list of transmitters."""
    found = [tx] if isinstance(tx, Tx) else list(tx) if isinstance(tx, Iterable) else []
    if not found or not all(isinstance(one, Tx) for one in found):
        raise ScenarioError(f"tx: found {tx!r}; accepted: a keller.Tx or a list of them")
    return found


def all_rx(rx: RxLike) -> list[Rx]:
    """A list of groups of receivers: of an array, of a CSV file, or as they are."""
    if isinstance(rx, Rx):
        return [rx]
    if isinstance(rx, (str, PathLike)):
        return [Rx(file=rx)]
    if isinstance(rx, (Iterator, ValuesView)):
        rx = list(rx)
    if isinstance(rx, Sequence) and not isinstance(rx, memoryview) and any(isinstance(one, Rx) for one in rx):
        for number, one in enumerate(rx):
            if not isinstance(one, Rx):
                raise ScenarioError(f"rx[{number}]: found {one!r}; accepted: a keller.Rx, as the others are")
        return list(rx)
    return [Rx(_rows(rx))]  # type: ignore[arg-type]


def _options(
    position: ArrayLike | None, antenna: Antenna | str | PathLike[str] | None, options: Mapping[str, Any], of: str
) -> dict[str, Any]:
    entries: dict[str, Any] = {}
    if position is not None:
        accepted = "three numbers, metres, or two beside a height"
        entries["position"] = real_array("position", position, lambda shape: shape in ((2,), (3,)), accepted).tolist()
    if isinstance(antenna, Antenna):
        entries.update(antenna.options)
    elif antenna is not None:
        entries["antenna"] = antenna
    entries.update(split(options, of)[of])
    return entries


def _is_table(position: ArrayLike) -> bool:
    try:
        return np.ndim(position) == 2
    except ValueError:
        return False


def _rows(points: ArrayLike) -> NDArray[np.float64]:
    accepted = "an array of shape (n, 3), metres"
    return real_array("rx", points, lambda shape: len(shape) == 2 and shape[0] > 0 and shape[1] == 3, accepted)
