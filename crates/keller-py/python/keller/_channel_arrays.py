"""The arrays of channels: dimensions, units and descriptions, as xarray and files of data sets have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._keller import Job


class Array(NamedTuple):
    """What is said of an array."""

    dims: tuple[str, ...]
    units: str
    description: str

    @property
    def attributes(self) -> dict[str, str]:
        """Its attributes in a data set."""
        return {"units": self.units, "description": self.description}


_LINK = ("rx", "tx")
_PATH = ("rx", "tx", "path")
_DEPTH = ("rx", "tx", "path", "depth")

CHANNELS = {
    "h": Array(("rx", "rx_ant", "tx", "tx_ant", "snapshot", "frequency"), "1", "transfer function"),
    "a": Array(("rx", "rx_ant", "tx", "tx_ant", "path"), "1", "complex amplitude, with antennas and carrier phase"),
    "tau": Array(_PATH, "s", "absolute delay"),
    "doppler": Array(_PATH, "Hz", "Doppler shift at the carrier"),
    "theta_t": Array(_PATH, "rad", "zenith of departure"),
    "phi_t": Array(_PATH, "rad", "azimuth of departure"),
    "theta_r": Array(_PATH, "rad", "zenith of arrival"),
    "phi_r": Array(_PATH, "rad", "azimuth of arrival"),
    "valid": Array(_PATH, "1", "whether there is such a path"),
    "interactions": Array(_DEPTH, "1", "1 reflection, 2 scattering, 4 transmission, 8 diffraction; 0 beyond the last"),
    "objects": Array(_DEPTH, "1", "face of each interaction, edge of a diffraction; -1 beyond the last"),
    "vertices": Array((*_DEPTH, "axis"), "m", "interaction points"),
    "num_paths": Array(_LINK, "1", "number of paths found, kept or not"),
    "line_of_sight": Array(_LINK, "1", "whether the line of sight is free"),
}

COORDINATES = {
    "rx": Array(("rx",), "1", "name of the receiver, else its index"),
    "tx": Array(("tx",), "1", "name of the transmitter, else its index"),
    "frequency": Array(("frequency",), "Hz", "frequency of h"),
    "snapshot": Array(("snapshot",), "s", "time of h"),
    "axis": Array(("axis",), "1", "axis of positions"),
    "rx_position": Array(("rx", "axis"), "m", "position of the receiver"),
    "tx_position": Array(("tx", "axis"), "m", "position of the transmitter"),
}


def coordinates(job: Job, channels: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The values of all :data:`COORDINATES`, in their order."""
    tx_names, rx_names = job.names
    return {
        "rx": np.array(rx_names),
        "tx": np.array(tx_names),
        "frequency": channels["frequencies"],
        "snapshot": channels["times"],
        "axis": np.array(["x", "y", "z"]),
        "rx_position": job.rx_positions,
        "tx_position": job.tx_positions,
    }
