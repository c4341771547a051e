"""Antenna arrays of Sionna as antennas of keller."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .._devices import Antenna
from .._keller import ScenarioError
from ._panels import panel_places
from ._values import number

if TYPE_CHECKING:
    from ..options import ArrayOptions

_Named = Literal["V", "H", "VH", "cross"]

#: Patterns by the names of their functions for vertical polarisation.
_PATTERNS = {
    "v_iso_pattern": "isotropic",
    "v_dipole_pattern": "short_dipole",
    "v_hw_dipole_pattern": "dipole",
    "v_tr38901_pattern": "tr38901",
}

#: Polarisations by the slants of their ports, degrees.
_POLARIZATIONS: dict[tuple[float, ...], _Named] = {
    (0.0,): "V",
    (90.0,): "H",
    (0.0, 90.0): "VH",
    (-45.0, 45.0): "cross",
}


def keller_antenna(where: str, array: Any, real: Any, wavelength: float) -> Antenna:
    """The antenna of keller for a ``PlanarArray`` or ``AntennaArray`` of Sionna, which errors call ``where``.

    ``real`` makes a number of the kind that Sionna's patterns take.
    """
    if array is None:
        raise ScenarioError(f"{where}: found None; accepted: an array, or {where[:2]}_antenna beside the scene")
    pattern = array.antenna_pattern
    function = getattr(getattr(pattern, "v_pattern", None), "__name__", type(pattern).__name__)
    if function not in _PATTERNS:
        raise ScenarioError(
            f"{where}: found the antenna pattern {function}; accepted: iso, dipole, hw_dipole, tr38901, or a "
            f"keller.Antenna as {where[:2]}_antenna"
        )
    slants = tuple(_slant(where, port, real) for port in pattern.patterns)
    polarization: _Named | float
    if slants in _POLARIZATIONS:
        polarization = _POLARIZATIONS[slants]
    elif len(slants) == 1:
        polarization = slants[0]
    else:
        raise ScenarioError(
            f"{where}: found ports slanted by {list(slants)} degrees; accepted: V, H, VH, cross, or one port"
        )
    return Antenna(_PATTERNS[function], polarization=polarization, array=_elements(array, wavelength))


def _slant(where: str, port: Any, real: Any) -> float:
    """The slant of a port, degrees. Model 2 of TR 38.901 turns the field by it in every direction."""

    def at(zenith: float, azimuth: float) -> float:
        theta, phi = (number(part.real) for part in port(real(zenith), real(azimuth)))
        return math.degrees(math.atan2(phi, theta))

    ahead, aside = at(math.pi / 2, 0.0), at(1.2, 0.7)
    if abs(ahead - aside) > 0.01:
        raise ScenarioError(f"{where}: found a polarization model that is not TR 38.901's second; accepted: tr38901_2")
    return round(ahead, 3)


def _elements(array: Any, wavelength: float) -> ArrayOptions | None:
    """The elements of an array: a panel where they form one, else their places."""
    places = np.asarray(array.normalized_positions, dtype=np.float64).reshape(3, -1).T
    if len(places) == 1 and not places.any():
        return None
    columns, rows = (len(np.unique(places[:, axis].round(5))) for axis in (1, 2))
    if rows * columns == len(places):
        extent = np.ptp(places, axis=0)
        # An axis with one element has no spacing: any number does.
        spacing = [
            round(float(extent[axis]) / (count - 1), 6) if count > 1 else 0.5
            for axis, count in ((2, rows), (1, columns))
        ]
        panel: ArrayOptions = {"rows": rows, "columns": columns, "spacing_wavelengths": spacing}
        if np.abs(panel_places(panel) - places).max() < 1e-5:
            return panel
    return {"elements_m": (places * wavelength).tolist()}


def traced_each(antenna: Antenna) -> Antenna:
    """The antenna with every element of its array traced by itself."""
    options = dict(antenna.options)
    return Antenna(options.pop("antenna"), **options, array_tracing="each")
