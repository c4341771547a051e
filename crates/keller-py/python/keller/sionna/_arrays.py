"""Paths as the arrays that ``Paths`` of Sionna RT 2 has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .._checks import whole_number
from .._keller import ScenarioError
from .._paths import Paths
from ._elements import join, sides_of, spread
from ._tracing import paths_by_element


@dataclass(frozen=True, eq=False)
class Arrays:
    """Paths as arrays with the names, axes and codes of ``Paths`` of Sionna RT 2. See :func:`arrays`.

    LINK stands for ``num_rx, num_tx``; where every element is traced by itself for ``num_rx, num_rx_ant, num_tx,
    num_tx_ant``. Places without a path have ``tau`` -1 and zeros.
    """

    #: ``(num_rx, num_rx_ant, num_tx, num_tx_ant, num_paths)``, real and imaginary part, without the carrier phase.
    a: tuple[NDArray[np.floating[Any]], NDArray[np.floating[Any]]]
    #: Delays, s, ``(LINK, num_paths)``.
    tau: NDArray[np.floating[Any]]
    #: Zenith of departure, rad, ``(LINK, num_paths)``.
    theta_t: NDArray[np.floating[Any]]
    #: Azimuth of departure, rad, ``(LINK, num_paths)``.
    phi_t: NDArray[np.floating[Any]]
    #: Zenith of arrival, rad, ``(LINK, num_paths)``.
    theta_r: NDArray[np.floating[Any]]
    #: Azimuth of arrival, rad, ``(LINK, num_paths)``.
    phi_r: NDArray[np.floating[Any]]
    #: Doppler shifts, Hz, ``(LINK, num_paths)``.
    doppler: NDArray[np.floating[Any]]
    #: Whether there is such a path, bool, ``(LINK, num_paths)``.
    valid: NDArray[np.bool_]
    #: 1 specular reflection, 2 diffuse reflection, 4 refraction, 8 diffraction, 0 none: uint32,
    #: ``(max_depth, LINK, num_paths)``.
    interactions: NDArray[np.uint32]
    #: Faces of keller's scene, edges for diffraction, 4294967295 for none: uint32, ``(max_depth, LINK, num_paths)``.
    objects: NDArray[np.uint32]
    #: Interaction points, m, ``(max_depth, LINK, num_paths, 3)``.
    vertices: NDArray[np.floating[Any]]


def arrays(
    paths: Paths,
    *,
    synthetic_array: bool | None = None,
    max_depth: int | None = None,
    dtype: DTypeLike = np.float32,
) -> Arrays:
    """Paths as the arrays that ``Paths`` of Sionna RT 2 has, ``primitives`` apart.

    Antennas are in Sionna's order: ports of the first polarisation before those of the second, each by columns from the
    top left. ``a`` times exp(-2j pi f tau) is what ``paths.cir()`` has.

    ``synthetic_array=True`` has one delay and direction a path and link; ``False`` has those of every pair of antennas,
    each element traced by itself. Without it, ``array_tracing = "each"`` of any device decides for ``False``.
    ``max_depth`` is the length of the axis of interactions; without it, the deepest path's. ``dtype`` is that of
    numbers: Sionna's float32, or float64.

    Raises ScenarioError for devices of one side that differ in array or polarisation, and for paths deeper than
    ``max_depth``.
    """
    if not isinstance(paths, Paths):
        raise ScenarioError(f"paths: found {paths!r}; accepted: keller.Paths")
    real = _real(dtype)
    if synthetic_array is None:
        synthetic_array = not paths._job.has_elements
    elif synthetic_array and paths._job.has_elements:
        raise ScenarioError('synthetic_array: found True beside array_tracing "each"; accepted: False')
    tx, rx = sides_of(paths)
    if synthetic_array:
        channels = paths.channels()
        of_link = channels.arrays
        a = channels.a[:, rx.antennas][:, :, :, tx.antennas]
        tau = channels.tau[:, np.newaxis, :, np.newaxis]
    else:
        channels = paths_by_element(paths, tx, rx).channels()
        of_link = {name: spread(channels.arrays[name], tx, rx) for name in (*_PER_PATH, "valid", *_PER_INTERACTION)}
        a = join(channels.a, tx, rx)
        tau = of_link["tau"]
    a = a * np.exp(2j * np.pi * paths._job.frequency * tau)

    deepest = of_link["interactions"].shape[-1]
    if max_depth is not None and whole_number("max_depth", max_depth, 0) < deepest:
        raise ScenarioError(f"max_depth: found {max_depth}; accepted: {deepest} or more, for the deepest path")
    depth = max(1, deepest if max_depth is None else max_depth)
    per_path = {name: of_link[name].astype(real) for name in _PER_PATH}
    per_path["tau"][~of_link["valid"]] = -1.0
    return Arrays(
        a=(a.real.astype(real), a.imag.astype(real)),
        **per_path,
        valid=of_link["valid"],
        interactions=_by_depth(of_link["interactions"].astype(np.uint32), -1, depth, 0),
        objects=_by_depth(of_link["objects"].astype(np.uint32), -1, depth, 0xFFFF_FFFF),
        vertices=_by_depth(of_link["vertices"].astype(real), -2, depth, 0),
    )


_PER_PATH = ("tau", "theta_t", "phi_t", "theta_r", "phi_r", "doppler")
_PER_INTERACTION = ("interactions", "objects", "vertices")


def _real(dtype: DTypeLike) -> np.dtype[Any]:
    try:
        real = np.dtype(dtype)
    except TypeError:
        real = np.dtype(object)
    if dtype is None or real not in (np.float32, np.float64):
        raise ScenarioError(f"dtype: found {dtype!r}; accepted: float32, float64")
    return real


def _by_depth(values: NDArray[Any], axis: int, depth: int, fill: float) -> NDArray[Any]:
    """With the axis of interactions first, as long as ``depth``."""
    values = np.moveaxis(values, axis, 0)
    more = np.full((depth - len(values), *values.shape[1:]), fill, dtype=values.dtype)
    return np.concatenate([values, more])
