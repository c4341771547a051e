"""The arrays of a data set: names, dimensions, units and descriptions."""

from __future__ import annotations

from typing import NamedTuple


class Array(NamedTuple):
    dims: tuple[str, ...]
    units: str
    description: str


_LINK = ("rx", "tx")
_PATH = ("rx", "tx", "path")

#: What receivers have a row in, in batches.
ROWS = {
    "h": Array(("rx", "rx_ant", "tx", "tx_ant", "snapshot", "frequency"), "1", "transfer function"),
    "a": Array(("rx", "rx_ant", "tx", "tx_ant", "path"), "1", "complex amplitude, with antennas and carrier phase"),
    "tau": Array(_PATH, "s", "absolute delay"),
    "doppler": Array(_PATH, "Hz", "Doppler shift at the carrier"),
    "theta_t": Array(_PATH, "rad", "zenith of departure"),
    "phi_t": Array(_PATH, "rad", "azimuth of departure"),
    "theta_r": Array(_PATH, "rad", "zenith of arrival"),
    "phi_r": Array(_PATH, "rad", "azimuth of arrival"),
    "valid": Array(_PATH, "1", "whether there is such a path"),
    "interactions": Array(
        (*_PATH, "depth"), "1", "1 reflection, 2 scattering, 4 transmission, 8 diffraction; 0 beyond the last"
    ),
    "num_paths": Array(_LINK, "1", "number of paths found, kept or not"),
    "line_of_sight": Array(_LINK, "1", "whether the line of sight is free"),
    "path_gain_db": Array(_LINK, "dB", "path gain, all paths added as powers"),
    "delay_spread": Array(_LINK, "s", "rms delay spread of all paths"),
}

#: What is written at once. Coordinates come before arrays that have them.
WHOLE = {
    "rx": Array(("rx",), "1", "name of the receiver, else its index"),
    "tx": Array(("tx",), "1", "name of the transmitter, else its index"),
    "frequency": Array(("frequency",), "Hz", "frequency of h"),
    "snapshot": Array(("snapshot",), "s", "time of h"),
    "axis": Array(("axis",), "1", "axis of positions"),
    "rx_position": Array(("rx", "axis"), "m", "position of the receiver"),
    "tx_position": Array(("tx", "axis"), "m", "position of the transmitter"),
}
