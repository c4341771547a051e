"""What a scene of Sionna holds: its geometry, materials and devices."""

from __future__ import annotations

import math
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from .._devices import Antenna, Rx, Tx
from .._keller import ScenarioError
from .._progress import warn
from .._scene import Scene, scene_from_triangles
from .._world import World
from ._antennas import keller_antenna, traced_each
from ._materials import keller_material
from ._values import SPEED_OF_LIGHT, number, numbers
from ._wheel import load_scene


class Setup(NamedTuple):
    """What :func:`from_scene` makes of a scene: ``world.paths(tx, rx)`` finds its paths."""

    world: World
    tx: list[Tx]
    rx: list[Rx]


def from_scene(
    scene: Any,
    *,
    file: str | PathLike[str] | None = None,
    synthetic_array: bool = True,
    tx_antenna: Antenna | None = None,
    rx_antenna: Antenna | None = None,
) -> Setup:
    """What a ``Scene`` of Sionna RT holds, as a world with transmitters and receivers.

    The geometry is that of the scene's meshes as they are now, moved objects included. ``file`` takes it from a file
    instead, or from a scene of the wheel by its name. ``synthetic_array=False`` traces every element of an array by
    itself. ``tx_antenna`` and ``rx_antenna`` stand for ``scene.tx_array`` and ``scene.rx_array``.

    Carried over: frequency, radio materials, names, positions, orientations, velocities and transmit powers of devices,
    antenna patterns, polarisations and elements of arrays. KellerWarning: velocities of objects, sensing targets,
    absorbers, and materials whose values are kept constant over frequency. ScenarioError: patterns, polarisation models
    and materials that are not Sionna's own, and walls without thickness.
    """
    if not hasattr(scene, "radio_materials"):
        raise ScenarioError(f"scene: found {scene!r}; accepted: a Scene of Sionna RT")
    frequency = number(scene.frequency)
    for name, thing in scene.objects.items():
        if np.any(numbers(getattr(thing, "velocity", 0.0))):
            warn(f"objects[{name!r}].velocity: left out; only devices move")
    if getattr(scene, "sensing_targets", None):
        warn(f"sensing_targets: {', '.join(scene.sensing_targets)} count as walls; their cross sections are left out")

    geometry = _geometry(scene) if file is None else load_scene(file)
    used = {name: one for name, one in scene.radio_materials.items() if name in geometry.materials}
    materials = {name: keller_material(name, one, scene.frequency) for name, one in used.items()}

    wavelength = SPEED_OF_LIGHT / frequency
    antennas = []
    for side, own, devices in (("tx", tx_antenna, scene.transmitters), ("rx", rx_antenna, scene.receivers)):
        if own is None and devices:
            own = keller_antenna(f"{side}_array", getattr(scene, f"{side}_array"), type(scene.frequency), wavelength)
        antennas.append(own if synthetic_array or own is None else traced_each(own))
    return Setup(
        World(geometry, frequency, materials=materials),
        [
            Tx(antenna=antennas[0], power_dbm=number(one.power_dbm), **_device(name, one))
            for name, one in scene.transmitters.items()
        ],
        [Rx(antenna=antennas[1], **_device(name, one)) for name, one in scene.receivers.items()],
    )


def _geometry(scene: Any) -> Scene:
    """The triangles of all objects."""
    names: list[str] = []
    vertices, triangles, material_of = [np.zeros((0, 3))], [np.zeros((0, 3), np.int64)], [np.zeros(0, np.int64)]
    start = 0
    for one in scene.objects.values():
        points = np.asarray(one.mi_mesh.vertex_positions_buffer(), dtype=np.float64).reshape(-1, 3)
        faces = np.asarray(one.mi_mesh.faces_buffer()).astype(np.int64).reshape(-1, 3)
        name = one.radio_material.name
        if name not in names:
            names.append(name)
        vertices.append(points)
        triangles.append(faces + start)
        material_of.append(np.full(len(faces), names.index(name)))
        start += len(points)
    return scene_from_triangles(np.concatenate(vertices), np.concatenate(triangles), names, np.concatenate(material_of))


def _device(name: str, device: Any) -> dict[str, Any]:
    """Options of a Tx or Rx. Both programs turn devices by the angles of 3GPP TR 38.901, (7.1-2)."""
    options: dict[str, Any] = {"name": name, "position": numbers(device.position)}
    orientation, velocity = numbers(device.orientation), numbers(device.velocity)
    if any(orientation):
        options["orientation_deg"] = [math.degrees(angle) for angle in orientation]
    if any(velocity):
        options["velocity"] = velocity
    return options
