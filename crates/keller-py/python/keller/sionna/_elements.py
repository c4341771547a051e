"""The elements and ports of arrays: keller's numbers of Sionna's antennas, and how elements and devices go together."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._keller import ScenarioError
from .._paths import Paths
from ._panels import elements_by_columns, panel_places
from ._values import SPEED_OF_LIGHT


@dataclass(frozen=True)
class Side:
    """The elements and ports that all devices of one side have."""

    #: Where Sionna's elements stand in the device's frame, metres.
    places: tuple[tuple[float, ...], ...]
    #: Keller's number of each of Sionna's elements.
    elements: tuple[int, ...]
    #: Keller's number of each of Sionna's ports.
    ports: tuple[int, ...]

    @classmethod
    def of(cls, side: str, devices: Sequence[Mapping[str, Any]], wavelength: float) -> Side:
        found = {cls._of_device(device, wavelength) for device in devices}
        if len(found) > 1:
            raise ScenarioError(
                f"{side}: found devices that differ in array or polarization; accepted: one array for all, as in "
                "Sionna RT"
            )
        return found.pop()

    @classmethod
    def _of_device(cls, device: Mapping[str, Any], wavelength: float) -> Side:
        array = device.get("array") or {"elements_m": [[0.0, 0.0, 0.0]]}
        if "rows" in array:
            elements = elements_by_columns(int(array["rows"]), int(array["columns"]))
            places = panel_places(array) * wavelength
        else:
            places = np.asarray(array["elements_m"], dtype=np.float64)
            elements = list(range(len(places)))
        # Keller's `cross` has the port at +45 degrees first, Sionna's the one at -45.
        ports = {"vh": (0, 1), "cross": (1, 0)}.get(str(device.get("polarization", "V")).lower(), (0,))
        return cls(tuple(map(tuple, places.tolist())), tuple(elements), ports)

    @property
    def antennas(self) -> list[int]:
        """Keller's number of each of Sionna's antennas: ports run fastest in keller, elements in Sionna."""
        return [element * len(self.ports) + port for port in self.ports for element in self.elements]


def sides_of(paths: Paths) -> tuple[Side, Side]:
    """What all Tx have, and what all Rx have."""
    wavelength = SPEED_OF_LIGHT / paths._job.frequency
    if paths._question is not None:
        devices = [[one.options for one in side] for side in (paths._question.tx, paths._question.rx)]
    else:
        try:
            import tomllib
        except ModuleNotFoundError:
            raise ScenarioError(
                "paths: found those of a scenario's file; accepted: those of a keller.World, or Python 3.11 and later"
            ) from None
        scenario = tomllib.loads(paths.scenario)
        devices = [scenario["tx"], scenario["rx"]]
    return Side.of("tx", devices[0], wavelength), Side.of("rx", devices[1], wavelength)


def spread(values: NDArray[Any], tx: Side, rx: Side) -> NDArray[Any]:
    """``(num_rx_elements, num_tx_elements, ...)`` to ``(num_rx, num_rx_ant, num_tx, num_tx_ant, ...)``."""
    rx_shape, tx_shape = ((len(side.ports), len(side.elements)) for side in (rx, tx))
    num_rx, num_tx = values.shape[0] // rx_shape[1], values.shape[1] // tx_shape[1]
    rest = values.shape[2:]
    apart = values.reshape(num_rx, 1, rx_shape[1], num_tx, 1, tx_shape[1], *rest)
    full = np.broadcast_to(apart, (num_rx, *rx_shape, num_tx, *tx_shape, *rest))
    return full.reshape(num_rx, math.prod(rx_shape), num_tx, math.prod(tx_shape), *rest)


def join(a: NDArray[Any], tx: Side, rx: Side) -> NDArray[Any]:
    """``a`` of elements, ``(num_rx_elements, ports, num_tx_elements, ports, num_paths)``, with devices' antennas."""
    a = a[:, rx.ports][:, :, :, tx.ports]
    rx_shape, tx_shape = ((len(side.elements), len(side.ports)) for side in (rx, tx))
    num_rx, num_tx = a.shape[0] // rx_shape[0], a.shape[2] // tx_shape[0]
    apart = a.reshape(num_rx, *rx_shape, num_tx, *tx_shape, a.shape[-1]).transpose(0, 2, 1, 3, 5, 4, 6)
    return apart.reshape(num_rx, math.prod(rx_shape), num_tx, math.prod(tx_shape), a.shape[-1])
