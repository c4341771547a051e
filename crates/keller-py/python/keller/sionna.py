"""For those who come from Sionna RT 2: its scenes, scene objects and arrays.

Functions that take objects of Sionna read their attributes; nothing here imports Sionna::

    import keller.sionna

    scene = keller.sionna.load_scene("munich")        # geometry and materials of a scene in the wheel sionna-rt
    world, tx, rx = keller.sionna.from_scene(scene_of_sionna)
    paths = world.paths(tx, rx, max_depth=3, max_reflections=3, max_transmissions=3)
    arrays = keller.sionna.arrays(paths)              # arrays.a, arrays.tau, arrays.interactions, ...
"""

from __future__ import annotations

import importlib.util
import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ._devices import Antenna, Rx, Tx
from ._keller import ScenarioError
from ._materials import Material
from ._paths import Paths
from ._progress import KellerWarning
from ._scene import Scene, scene_from_triangles
from ._scene import load_scene as _load_scene
from ._world import World

__all__ = ["Arrays", "Setup", "arrays", "from_scene", "load_scene"]

_SPEED_OF_LIGHT = 299_792_458.0
#: Keys of devices that say where they are, or what they are called.
_PLACE = ("position", "longitude", "latitude", "height_above_ground", "altitude", "file", "grid", "name")


def load_scene(name: str | PathLike[str], **options: Any) -> Scene:
    """A scene of the wheel ``sionna-rt`` by its name, such as ``"munich"``, or the scene in any file.

    ``options`` are those of :func:`keller.load_scene`. The wheel is found without importing it. Its scenes give every
    material a thickness, so that waves can pass walls.

    Raises ScenarioError for a name that the wheel does not have, and where there is no wheel.
    """
    return _load_scene(_scene_file(name), **options)


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
    frequency = _number(scene.frequency)
    for name, thing in scene.objects.items():
        if np.any(_numbers(getattr(thing, "velocity", 0.0))):
            _warn(f"objects[{name!r}].velocity: left out; only devices move")
    if getattr(scene, "sensing_targets", None):
        _warn(f"sensing_targets: {', '.join(scene.sensing_targets)} count as walls; their cross sections are left out")

    geometry = _geometry(scene) if file is None else load_scene(file)
    used = {name: one for name, one in scene.radio_materials.items() if name in geometry.materials}
    materials = {name: _material(name, one, scene.frequency) for name, one in used.items()}

    wavelength = _SPEED_OF_LIGHT / frequency
    antennas = []
    for side, own, devices in (("tx", tx_antenna, scene.transmitters), ("rx", rx_antenna, scene.receivers)):
        if own is None and devices:
            own = _antenna(f"{side}_array", getattr(scene, f"{side}_array"), type(scene.frequency), wavelength)
        antennas.append(own if synthetic_array or own is None else _each(own))
    return Setup(
        World(geometry, frequency, materials=materials),
        [
            Tx(antenna=antennas[0], power_dbm=_number(one.power_dbm), **_device(name, one))
            for name, one in scene.transmitters.items()
        ],
        [Rx(antenna=antennas[1], **_device(name, one)) for name, one in scene.receivers.items()],
    )


@dataclass(frozen=True)
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
    if synthetic_array is None:
        synthetic_array = not paths._job.has_elements
    elif synthetic_array and paths._job.has_elements:
        raise ScenarioError('synthetic_array: found True beside array_tracing "each"; accepted: False')
    tx, rx = _sides(paths)
    if synthetic_array:
        channels = paths.channels()
        of_link = channels.arrays
        a = channels.a[:, rx.antennas][:, :, :, tx.antennas]
        tau = channels.tau[:, np.newaxis, :, np.newaxis]
    else:
        channels = _by_element(paths, tx, rx).channels()
        of_link = {name: _spread(channels.arrays[name], tx, rx) for name in (*_PER_PATH, "valid", *_PER_INTERACTION)}
        a = _join(channels.a, tx, rx)
        tau = of_link["tau"]
    a = a * np.exp(2j * np.pi * paths._job.frequency * tau)

    deepest = of_link["interactions"].shape[-1]
    if max_depth is not None and max_depth < deepest:
        raise ScenarioError(f"max_depth: found {max_depth}; accepted: {deepest} or more, for the deepest path")
    depth = max(1, deepest if max_depth is None else max_depth)
    real = np.dtype(dtype)
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


# ---- Scenes of the wheel


def _scene_file(name: str | PathLike[str]) -> Path:
    path = Path(fspath(name))
    if path.suffix or len(path.parts) > 1 or path.is_file():
        return path
    folders = [folder / "rt" / "scenes" for folder in _package_folders()]
    for folder in folders:
        file = folder / path.name / f"{path.name}.xml"
        if file.is_file():
            return file
    if not any(folder.is_dir() for folder in folders):
        raise ScenarioError(
            f"load_scene: found {path.name!r}, and no package with scenes; accepted: a scene's file, or one of these "
            "names after `pip install sionna-rt`"
        )
    files = [file for folder in folders for file in folder.glob("*/*.xml")]
    names = sorted({file.stem for file in files if file.stem == file.parent.name})
    raise ScenarioError(f"load_scene: found {path.name!r}; accepted: {', '.join(names)}, or a scene's file")


def _package_folders() -> list[Path]:
    """Where the package ``sionna`` lies: finding a package at the top does not import it."""
    try:
        found = importlib.util.find_spec("sionna")
    except ValueError:
        found = None
    return [Path(folder) for folder in (found.submodule_search_locations or [])] if found else []


# ---- What a scene holds


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


#: Ranges in which keller's rows of ITU-R P.2040-3 are those of P.2040-4, GHz.
_ITU_GHZ: dict[str, list[tuple[float, float]]] = {
    "vacuum": [(0.001, 100)],
    "concrete": [(1, 100)],
    "brick": [(1, 40)],
    "plasterboard": [(1, 100)],
    "wood": [(0.001, 100)],
    "glass": [(0.1, 100), (220, 450)],
    "ceiling_board": [(1, 100), (220, 450)],
    "chipboard": [(1, 100)],
    "plywood": [(1, 40)],
    "marble": [(1, 60)],
    "floorboard": [(50, 100)],
    "metal": [(1, 100)],
    "very_dry_ground": [(1, 10)],
    "medium_dry_ground": [(1, 10)],
    "wet_ground": [(1, 10)],
}


def _material(name: str, material: Any, frequency: Any) -> Material:
    where = f"radio_materials[{name!r}]"
    if not hasattr(material, "relative_permittivity"):
        if type(material).__name__ != "AbsorberRadioMaterial":
            raise ScenarioError(f"{where}: found {type(material).__name__}; accepted: RadioMaterial, ITURadioMaterial")
        _warn(f"{where}: an absorber reflects nothing and lets nothing pass, but its edges diffract")
        return Material(permittivity=1.0)
    thickness = _number(material.thickness)
    if thickness <= 0.0:
        raise ScenarioError(f"{where}.thickness: found {thickness:g}; accepted: a positive number, metres")
    medium = _itu(material, frequency)
    if medium is None:
        medium = {
            "permittivity": _number(material.relative_permittivity),
            "conductivity": _number(material.conductivity),
        }
        if getattr(material, "frequency_update_callback", None) is not None:
            ghz = _number(frequency) / 1e9
            _warn(f"{where}: permittivity and conductivity at {ghz:g} GHz stand for all frequencies")
    return Material(**medium, thickness=thickness, **_scattering(where, material))


def _itu(material: Any, frequency: Any) -> dict[str, Any] | None:
    """The row of ITU-R P.2040 that a material follows, if keller has it at this frequency."""
    name = getattr(material, "itu_type", None)
    ghz = _number(frequency) / 1e9
    if name is None or not any(low <= ghz <= high for low, high in _ITU_GHZ.get(name, [])):
        return None
    callback = getattr(material, "frequency_update_callback", None)
    if callback is not None:
        row = [_number(value) for value in callback(frequency)]
        if row != [_number(material.relative_permittivity), _number(material.conductivity)]:
            return None
    return {"itu": name}


def _scattering(where: str, material: Any) -> dict[str, Any]:
    coefficient = _number(material.scattering_coefficient)
    if coefficient == 0.0:
        return {}
    keys: dict[str, Any] = {"scattering": coefficient, "cross_polarization": _number(material.xpd_coefficient)}
    pattern = material.scattering_pattern
    kind = type(pattern).__name__
    if kind == "LambertianPattern":
        return keys | {"scattering_pattern": "lambertian"}
    if kind == "DirectivePattern":
        return keys | {"scattering_pattern": "directive", "scattering_alpha": int(pattern.alpha_r)}
    if kind == "BackscatteringPattern":
        return keys | {
            "scattering_pattern": "backscattering",
            "scattering_alpha": int(pattern.alpha_r),
            "scattering_alpha_back": int(pattern.alpha_i),
            "scattering_forward_share": _number(pattern.lambda_),
        }
    raise ScenarioError(
        f"{where}.scattering_pattern: found {kind}; accepted: LambertianPattern, DirectivePattern, "
        "BackscatteringPattern"
    )


def _device(name: str, device: Any) -> dict[str, Any]:
    """Options of a Tx or Rx. Both programs turn devices by the angles of 3GPP TR 38.901, (7.1-2)."""
    options: dict[str, Any] = {"name": name, "position": _numbers(device.position)}
    orientation, velocity = _numbers(device.orientation), _numbers(device.velocity)
    if any(orientation):
        options["orientation_deg"] = [math.degrees(angle) for angle in orientation]
    if any(velocity):
        options["velocity"] = velocity
    return options


#: Patterns by the names of their functions for vertical polarisation.
_PATTERNS = {
    "v_iso_pattern": "isotropic",
    "v_dipole_pattern": "short_dipole",
    "v_hw_dipole_pattern": "dipole",
    "v_tr38901_pattern": "tr38901",
}

#: Polarisations by the slants of their ports, degrees.
_POLARIZATIONS: dict[tuple[float, ...], str] = {(0.0,): "V", (90.0,): "H", (0.0, 90.0): "VH", (-45.0, 45.0): "cross"}


def _antenna(where: str, array: Any, real: Any, wavelength: float) -> Antenna:
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
    polarization: str | float
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
        theta, phi = (_number(part.real) for part in port(real(zenith), real(azimuth)))
        return math.degrees(math.atan2(phi, theta))

    ahead, aside = at(math.pi / 2, 0.0), at(1.2, 0.7)
    if abs(ahead - aside) > 0.01:
        raise ScenarioError(f"{where}: found a polarization model that is not TR 38.901's second; accepted: tr38901_2")
    return round(ahead, 3)


def _elements(array: Any, wavelength: float) -> dict[str, Any] | None:
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
        panel = {"rows": rows, "columns": columns, "spacing_wavelengths": spacing}
        if np.abs(_panel(panel) - places).max() < 1e-5:
            return panel
    return {"elements_m": (places * wavelength).tolist()}


def _each(antenna: Antenna) -> Antenna:
    options = dict(antenna.options)
    return Antenna(options.pop("antenna"), **options, array_tracing="each")


def _numbers(values: Any) -> list[float]:
    """Numbers as Python has them. Of those in 32 bits, the ones that were meant: 0.1, not 0.10000000149."""
    array = np.asarray(values).reshape(-1)
    if array.dtype == np.float32:
        return [float(str(value)) for value in array]
    return [float(value) for value in array]


def _number(value: Any) -> float:
    return _numbers(value)[0]


def _warn(text: str) -> None:
    warnings.warn(text, KellerWarning, stacklevel=3)


# ---- Paths as arrays


@dataclass(frozen=True)
class _Side:
    """The elements and ports that all devices of one side have."""

    #: Where Sionna's elements stand in the device's frame, metres.
    places: tuple[tuple[float, ...], ...]
    #: Keller's number of each of Sionna's elements.
    elements: tuple[int, ...]
    #: Keller's number of each of Sionna's ports.
    ports: tuple[int, ...]

    @classmethod
    def of(cls, side: str, devices: Sequence[Mapping[str, Any]], wavelength: float) -> _Side:
        found = {cls._of_device(device, wavelength) for device in devices}
        if len(found) > 1:
            raise ScenarioError(
                f"{side}: found devices that differ in array or polarization; accepted: one array for all, as in "
                "Sionna RT"
            )
        return found.pop()

    @classmethod
    def _of_device(cls, device: Mapping[str, Any], wavelength: float) -> _Side:
        array = device.get("array") or {"elements_m": [[0.0, 0.0, 0.0]]}
        if "rows" in array:
            elements = _by_columns(int(array["rows"]), int(array["columns"]))
            places = _panel(array) * wavelength
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


def _by_columns(rows: int, columns: int) -> list[int]:
    """Keller's number of each element of a panel in Sionna's order: columns from the lowest y on, each from the top."""
    return [row * columns + column for column in range(columns) for row in reversed(range(rows))]


def _panel(panel: Mapping[str, Any]) -> NDArray[np.float64]:
    """Where the elements of a panel stand in Sionna's order, ``(n, 3)``, wavelengths."""
    rows, columns = int(panel["rows"]), int(panel["columns"])
    between_rows, between_columns = panel["spacing_wavelengths"]
    column, row = np.divmod(np.arange(rows * columns), rows)
    y, z = (column - (columns - 1) / 2) * between_columns, ((rows - 1) / 2 - row) * between_rows
    return np.stack([np.zeros(len(y)), y, z], axis=-1)


def _sides(paths: Paths) -> tuple[_Side, _Side]:
    """What all Tx have, and what all Rx have."""
    wavelength = _SPEED_OF_LIGHT / paths._job.frequency
    if paths._question is not None:
        _, tx, rx, _ = paths._question
        devices = [[one.options for one in side] for side in (tx, rx)]
    else:
        try:
            import tomllib
        except ModuleNotFoundError:
            raise ScenarioError(
                "paths: found those of a scenario's file; accepted: those of a keller.World, or Python 3.11 and later"
            ) from None
        scenario = tomllib.loads(paths.scenario)
        devices = [scenario["tx"], scenario["rx"]]
    return _Side.of("tx", devices[0], wavelength), _Side.of("rx", devices[1], wavelength)


def _by_element(paths: Paths, tx: _Side, rx: _Side) -> Paths:
    """The paths between elements, each a device of its own."""
    if paths._question is None:
        raise ScenarioError("synthetic_array: found False for a scenario's file; accepted: paths of a keller.World")
    world, all_tx, all_rx, sections = paths._question
    tx_elements = _split([(one.options, 1) for one in all_tx], tx, paths._job.tx_positions)
    groups = [(one.options, 1 if one.points is None else len(one.points)) for one in all_rx]
    rx_elements = _split(groups, rx, paths._job.rx_positions)
    options = {key: value for section in sections.values() for key, value in section.items()}
    return world.paths([Tx(**one) for one in tx_elements], [Rx(**one) for one in rx_elements], **options)


def _split(
    groups: Sequence[tuple[Mapping[str, Any], int]], side: _Side, positions: NDArray[np.float64]
) -> list[dict[str, Any]]:
    """Options of a device for each element of each device."""
    elements = []
    each = iter(positions)
    for options, count in groups:
        for name in ("file", "grid"):
            if name in options:
                raise ScenarioError(f"synthetic_array: found False beside {name!r}; accepted: devices by position")
        own = {key: value for key, value in options.items() if key not in (*_PLACE, "array", "array_tracing")}
        offsets = np.asarray(side.places) @ _rotation(options).T
        for _ in range(count):
            centre = next(each)
            elements += [{**own, "position": centre + offset} for offset in offsets]
    return elements


def _rotation(options: Mapping[str, Any]) -> NDArray[np.float64]:
    """From a device's frame to the scene's: 3GPP TR 38.901, (7.1-2)."""
    ahead = [90.0 - options.get("azimuth_deg", 90.0), options.get("downtilt_deg", 0.0), 0.0]
    angles = np.radians(options.get("orientation_deg", ahead))
    (ca, cb, cc), (sa, sb, sc) = np.cos(angles), np.sin(angles)
    about_z = np.array([[ca, -sa, 0], [sa, ca, 0], [0, 0, 1]])
    about_y = np.array([[cb, 0, sb], [0, 1, 0], [-sb, 0, cb]])
    about_x = np.array([[1, 0, 0], [0, cc, -sc], [0, sc, cc]])
    rotation: NDArray[np.float64] = about_z @ about_y @ about_x
    return rotation


def _spread(values: NDArray[Any], tx: _Side, rx: _Side) -> NDArray[Any]:
    """``(num_rx_elements, num_tx_elements, ...)`` to ``(num_rx, num_rx_ant, num_tx, num_tx_ant, ...)``."""
    rx_shape, tx_shape = ((len(side.ports), len(side.elements)) for side in (rx, tx))
    num_rx, num_tx = values.shape[0] // rx_shape[1], values.shape[1] // tx_shape[1]
    rest = values.shape[2:]
    apart = values.reshape(num_rx, 1, rx_shape[1], num_tx, 1, tx_shape[1], *rest)
    full = np.broadcast_to(apart, (num_rx, *rx_shape, num_tx, *tx_shape, *rest))
    return full.reshape(num_rx, math.prod(rx_shape), num_tx, math.prod(tx_shape), *rest)


def _join(a: NDArray[Any], tx: _Side, rx: _Side) -> NDArray[Any]:
    """``a`` of elements, ``(num_rx_elements, ports, num_tx_elements, ports, num_paths)``, with devices' antennas."""
    a = a[:, rx.ports][:, :, :, tx.ports]
    rx_shape, tx_shape = ((len(side.elements), len(side.ports)) for side in (rx, tx))
    num_rx, num_tx = a.shape[0] // rx_shape[0], a.shape[2] // tx_shape[0]
    apart = a.reshape(num_rx, *rx_shape, num_tx, *tx_shape, a.shape[-1]).transpose(0, 2, 1, 3, 5, 4, 6)
    return apart.reshape(num_rx, math.prod(rx_shape), num_tx, math.prod(tx_shape), a.shape[-1])


def _by_depth(values: NDArray[Any], axis: int, depth: int, fill: float) -> NDArray[Any]:
    """With the axis of interactions first, as long as ``depth``."""
    values = np.moveaxis(values, axis, 0)
    more = np.full((depth - len(values), *values.shape[1:]), fill, dtype=values.dtype)
    return np.concatenate([values, more])
