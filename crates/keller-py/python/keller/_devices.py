"""Transmitters, receivers and their antennas."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._keller import ScenarioError
from ._text import document, split


class Antenna:
    """An antenna: a pattern, a polarisation, where it looks, and maybe an array of such elements.

    ``Antenna("tr38901", polarization="cross", array={"rows": 4, "columns": 4, "spacing_wavelengths": 0.5})``
    """

    def __init__(self, antenna: str | PathLike[str] = "isotropic", **options: Any) -> None:
        self.options: dict[str, Any] = {"antenna": antenna, **_checked(options)}

    @classmethod
    def isotropic(cls, **options: Any) -> Antenna:
        """Sends alike in all directions."""
        return cls("isotropic", **options)

    @classmethod
    def dipole(cls, **options: Any) -> Antenna:
        """A half-wave dipole."""
        return cls("dipole", **options)

    @classmethod
    def tr38901(cls, **options: Any) -> Antenna:
        """The sector element of 3GPP TR 38.901."""
        return cls("tr38901", **options)

    def __repr__(self) -> str:
        options = dict(self.options)
        name = options.pop("antenna")
        more = "".join(f", {key}={value!r}" for key, value in options.items())
        return f"Antenna({name!r}{more})"


def _checked(options: dict[str, Any]) -> dict[str, Any]:
    return split(options, "[[tx]]")["[[tx]]"]


def _options(
    position: ArrayLike | None, antenna: Antenna | str | None, options: dict[str, Any], of: str
) -> dict[str, Any]:
    entries: dict[str, Any] = {}
    if position is not None:
        entries["position"] = _position(position)
    if isinstance(antenna, Antenna):
        entries.update(antenna.options)
    elif antenna is not None:
        entries["antenna"] = antenna
    entries.update(split(options, of)[of])
    return entries


def _position(position: ArrayLike) -> list[float]:
    array = np.asarray(position, dtype=float)
    if array.ndim != 1 or array.shape[0] not in (2, 3):
        raise ScenarioError(
            f"position: found an array of shape {array.shape}; accepted: (3,), metres, or (2,) beside a height"
        )
    return [float(number) for number in array]


class Tx:
    __doc__ = "A transmitter.\n" + document("[[tx]]")

    def __init__(
        self,
        position: ArrayLike | Sequence[Sequence[float]] | None = None,
        *,
        antenna: Antenna | str | None = None,
        **options: Any,
    ) -> None:
        self.options = _options(position, antenna, options, "[[tx]]")

    def __repr__(self) -> str:
        return "Tx(" + ", ".join(f"{key}={value!r}" for key, value in self.options.items()) + ")"


class Rx:
    __doc__ = "Receivers that share an antenna: one place, an array ``(n, 3)``, a grid or a file.\n" + document(
        "[[rx]]"
    )

    def __init__(
        self,
        position: ArrayLike | Sequence[Sequence[float]] | None = None,
        *,
        antenna: Antenna | str | None = None,
        **options: Any,
    ) -> None:
        self.points: NDArray[np.float64] | None = None
        if position is not None and np.ndim(position) == 2:
            self.points = _rows(position)
            position = None
        self.options = _options(position, antenna, options, "[[rx]]")

    def __repr__(self) -> str:
        options = [f"{key}={value!r}" for key, value in self.options.items()]
        if self.points is not None:
            options.insert(0, f"array of shape {self.points.shape}")
        return f"Rx({', '.join(options)})"


def _rows(points: ArrayLike) -> NDArray[np.float64]:
    try:
        found = np.asarray(points)
        if found.dtype.kind == "c":
            raise TypeError("found complex numbers")
        array = np.ascontiguousarray(found, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ScenarioError(f"rx: {error}; accepted: an array of shape (n, 3), metres") from None
    if array.ndim != 2 or array.shape[1] != 3 or array.shape[0] == 0:
        raise ScenarioError(f"rx: found an array of shape {array.shape}; accepted: (n, 3), metres")
    finite = np.isfinite(array).all(axis=1)
    if not finite.all():
        row = int(np.argmin(finite))
        raise ScenarioError(f"rx[{row}]: found {array[row].tolist()}; accepted: three finite numbers, metres")
    return array


TxLike = Tx | Sequence[Tx]
RxLike = Rx | Sequence[Rx] | Sequence[Sequence[float]] | ArrayLike | str | PathLike[str]


def all_tx(tx: TxLike) -> list[Tx]:
    """A list of transmitters."""
    found = [tx] if isinstance(tx, Tx) else list(tx)
    if not found or not all(isinstance(one, Tx) for one in found):
        raise ScenarioError(f"tx: found {tx!r}; accepted: a keller.Tx or a list of them")
    return found


def all_rx(rx: RxLike) -> list[Rx]:
    """A list of groups of receivers: of an array, of a CSV file, or as they are."""
    if isinstance(rx, Rx):
        return [rx]
    if isinstance(rx, (str, PathLike)):
        return [Rx(file=rx)]
    if isinstance(rx, Sequence) and rx and all(isinstance(one, Rx) for one in rx):
        return [one for one in rx if isinstance(one, Rx)]
    return [Rx(_rows(rx))]  # type: ignore[arg-type]
