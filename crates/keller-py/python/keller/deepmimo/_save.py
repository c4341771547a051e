"""Scenarios of DeepMIMO: what is asked, and the folder that a scenario takes."""

from __future__ import annotations

import os
from os import PathLike
from pathlib import Path

from .._checks import file_name, whole_number
from .._keller import KellerError, ScenarioError
from .._output import written_beside
from .._paths import Paths
from ._files import write
from ._kept import Kept

_NOT_IN_NAMES = "/\\:*?\"'<>|\n"


def save(paths: Paths, folder: str | PathLike[str], *, max_paths: int = 25, overwrite: bool = False) -> None:
    """Writes paths into ``folder`` as a scenario of DeepMIMO, version 4.0.2 or later.

    DeepMIMO finds a scenario by the name of its folder, which must be in lower case, in the folder
    ``deepmimo_scenarios`` of the working directory: after ``save(paths, "deepmimo_scenarios/room")`` comes
    ``deepmimo.load("room")``.

    ``max_paths`` paths of each link are written: line of sight, then the strongest. DeepMIMO reads 25 and makes
    channels of 25 unless its own ``max_paths`` and ``num_paths`` say otherwise. ``overwrite`` replaces a scenario of
    DeepMIMO that ``folder`` holds.

    Powers and phases are between vertically polarised isotropic antennas, whatever antennas the devices have, because
    DeepMIMO puts its own antennas and arrays to them. The phase holds the carrier: with ``subcarriers=N`` and
    ``bandwidth=B``, subcarrier k of ``compute_channels`` times ``sqrt(N)`` is the transfer function at
    ``frequency + k B / N``, as of :meth:`Paths.cfr`.

    All Tx are one set of DeepMIMO. Each array, grid or file of receivers is a set, and all single receivers are one
    more; paths of a scenario's file have one set of all. Receivers without paths are kept. The scene and its materials
    at the carrier are written too.

    Not written: other polarisations, transmit powers, velocities and Doppler shifts. Numbers have 32 bits.

    Raises :class:`ScenarioError` if there are no paths or an argument is not accepted, and :class:`KellerError` if
    ``folder`` is not empty or cannot be written. Nothing half-written stays.
    """
    if not isinstance(paths, Paths):
        raise ScenarioError(f"paths: found {paths!r}; accepted: keller.Paths")
    kept = Kept(paths, whole_number("max_paths", max_paths, 1))
    place = Path(os.path.abspath(file_name("folder", folder)))
    try:
        _check(place, overwrite)
        place.parent.mkdir(parents=True, exist_ok=True)
        with written_beside(place) as new:
            new.mkdir()
            write(kept, new)
    except OSError as error:
        raise KellerError(f"{place}: cannot be written: {error}") from None


def _check(place: Path, overwrite: bool) -> None:
    name = place.name
    if not name or name != name.lower() or any(letter in _NOT_IN_NAMES for letter in name):
        raise ScenarioError(f"folder: found the name {name!r}; accepted: lower case, without any of {_NOT_IN_NAMES!r}")
    if not place.exists():
        return
    if place == Path.cwd():
        raise ScenarioError(f"folder: found the working folder {name!r}; accepted: another one")
    if not place.is_dir():
        raise KellerError(f"{place}: found a file; accepted: a folder, or none yet")
    if not any(place.iterdir()):
        return
    if not (place / "params.json").exists():
        raise KellerError(f"{place}: found a folder with other files; accepted: an empty folder or a scenario")
    if not overwrite:
        raise KellerError(f"{place}: found a scenario of DeepMIMO; accepted: overwrite=True to replace it")
