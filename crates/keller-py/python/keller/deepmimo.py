"""Paths as a scenario of DeepMIMO 4 (https://deepmimo.net), which makes channels and data sets of them.

``keller.deepmimo.save(paths, "deepmimo_scenarios/room")`` writes what ``deepmimo.load("room")`` reads. Writing needs no
DeepMIMO.
"""

from __future__ import annotations

import json
import logging
import operator
import os
import tempfile
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._keller import KellerError, ScenarioError, __version__
from ._paths import Paths
from ._progress import listener
from ._scene import Scene

__all__ = ["save"]

#: The version of DeepMIMO whose layout of files this is.
_LAYOUT = "4.0.5"
#: Letters of the column ``types``, and the digits that DeepMIMO has for them.
_DIGITS = str.maketrans({"R": "1", "D": "2", "S": "3", "T": "4"})
#: As many digits, none of them 0, are exact in numbers of 32 and of 64 bits.
_EXACT_DIGITS = {np.float32: 7, np.float64: 15}
_NOT_IN_NAMES = "/\\:*?\"'<>|\n"
#: Corners of the ground lie within so many metres of the lowest point, as DeepMIMO has it for interactions.
_GROUND_TOLERANCE = 1e-3

_log = logging.getLogger("keller")


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
    kept = _Kept(paths, _whole(max_paths))
    place = Path(os.path.abspath(folder))
    try:
        _check(place, overwrite)
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".keller-", dir=place.parent) as beside:
            new, old = Path(beside, "new"), Path(beside, "old")
            new.mkdir()
            _write(kept, new)
            if place.exists():
                place.rename(old)
            try:
                new.rename(place)
            except OSError:
                if old.exists():
                    old.rename(place)
                raise
    except OSError as error:
        raise KellerError(f"{place}: cannot be written: {error}") from None


def _whole(max_paths: int) -> int:
    try:
        number = operator.index(max_paths)
    except TypeError:
        number = 0
    if number < 1:
        raise ScenarioError(f"max_paths: found {max_paths!r}; accepted: a whole number from 1")
    return number


def _check(place: Path, overwrite: bool) -> None:
    name = place.name
    if not name or name != name.lower() or any(letter in _NOT_IN_NAMES for letter in name):
        raise ScenarioError(f"folder: found the name {name!r}; accepted: lower case, without any of {_NOT_IN_NAMES!r}")
    if not place.exists():
        return
    if not place.is_dir():
        raise KellerError(f"{place}: found a file; accepted: a folder, or none yet")
    if not any(place.iterdir()):
        return
    if not (place / "params.json").exists():
        raise KellerError(f"{place}: found a folder with other files; accepted: an empty folder or a scenario")
    if not overwrite:
        raise KellerError(f"{place}: found a scenario of DeepMIMO; accepted: overwrite=True to replace it")


class _Kept:
    """The paths that are written, one row a path: link after link, and within a link in DeepMIMO's order."""

    def __init__(self, paths: Paths, max_paths: int) -> None:
        self.paths = paths
        tx_positions, rx_positions = paths._job.tx_positions, paths._job.rx_positions
        amplitude = np.asarray(paths["a_vv_re"]) + 1j * np.asarray(paths["a_vv_im"])
        tx, rx = np.asarray(paths["tx"], dtype=np.intp), np.asarray(paths["rx"], dtype=np.intp)
        types, kind = np.unique(np.asarray(paths["types"], dtype=str), return_inverse=True)
        power = np.abs(amplitude)
        # DeepMIMO takes a link as in line of sight if its first path is.
        order = np.lexsort((-power, types[kind] != "LOS", rx, tx))
        order = order[power[order] > 0]
        if not len(order):
            devices = f"{len(tx_positions)} Tx to {len(rx_positions)} receivers"
            raise ScenarioError(f"paths: found none from {devices}; accepted: at least one")
        link = tx[order] * len(rx_positions) + rx[order]
        links, first, counts = np.unique(link, return_index=True, return_counts=True)
        rank = np.arange(len(order)) - np.repeat(first, counts)
        if counts.max() > max_paths:
            sums = np.add.reduceat(power[order] ** 2, first)
            share = np.add.reduceat(np.where(rank < max_paths, 0, power[order] ** 2), first) / sums
            _log.info(
                f"max_paths: {np.count_nonzero(counts > max_paths)} of {len(links)} links have more than {max_paths} "
                f"paths, up to {counts.max()}; what is left out holds up to {100 * share.max():.2g} % of a link's power"
            )
        rows = order[rank < max_paths]
        self.rank = rank[rank < max_paths]
        self.tx, self.rx = tx[rows], rx[rows]
        self.tx_positions, self.rx_positions = tx_positions, rx_positions
        self.types = types[kind[rows]]
        codes = [0.0 if name == "LOS" else float(name.translate(_DIGITS)) for name in types]
        self.codes = np.array(codes)[kind[rows]]
        self.scalars = {
            "power": 20 * np.log10(power[rows]),
            "phase": np.angle(amplitude[rows], deg=True),
            "delay": np.asarray(paths["delay_s"])[rows],
            "aoa_az": np.degrees(paths["aoa"])[rows],
            "aoa_el": np.degrees(paths["zoa"])[rows],
            "aod_az": np.degrees(paths["aod"])[rows],
            "aod_el": np.degrees(paths["zod"])[rows],
        }
        offsets, self.points = paths["points"]
        self.first_point = offsets[:-1][rows]
        self.depth = offsets[1:][rows] - self.first_point
        most = max(_EXACT_DIGITS.values())
        if self.depth.max() > most:
            raise ScenarioError(f"paths: found one with {self.depth.max()} interactions; accepted: up to {most}")

    def most(self, letter: str, among: str = "") -> int:
        """The most interactions of a kind in a path, or in paths that have another kind too."""
        return max((name.count(letter) for name in set(self.types) if name != "LOS" and among in name), default=0)


def _write(kept: _Kept, folder: Path) -> None:
    sets = _sets(kept.paths)
    row_of = np.empty(len(kept.rx_positions), dtype=np.intp)
    set_of = np.empty(len(kept.rx_positions), dtype=np.intp)
    for number, (_, _, members) in enumerate(sets, 1):
        row_of[members], set_of[members] = np.arange(len(members)), number
    for tx, tx_position in enumerate(kept.tx_positions):
        for number, (_, _, members) in enumerate(sets, 1):
            chosen = np.flatnonzero((kept.tx == tx) & (set_of[kept.rx] == number))
            matrices = _matrices(kept, chosen, row_of[kept.rx[chosen]], len(members))
            matrices["rx_pos"] = kept.rx_positions[members].astype(np.float32)
            matrices["tx_pos"] = tx_position[np.newaxis].astype(np.float32)
            for name, matrix in matrices.items():
                np.savez_compressed(folder / f"{name}_t000_tx{tx:03}_r{number:03}.npz", **{name: matrix})
    active = np.bincount(set_of[np.unique(kept.rx)], minlength=len(sets) + 1)
    txrx_sets = [_set(0, "tx", len(kept.tx_positions), len(np.unique(kept.tx)), is_tx=True)]
    for number, (name, spacing, members) in enumerate(sets, 1):
        txrx_sets.append(_set(number, name, len(members), int(active[number]), is_rx=True, grid_spacing=spacing))
    params = {
        "version": _LAYOUT,
        "rt_params": _rt_params(kept),
        "txrx_sets": {f"txrx_set_{one['id']}": one for one in txrx_sets},
        "materials": _materials(kept.paths),
        "scene": _write_scene(kept.paths.scene, folder),
    }
    (folder / "params.json").write_text(json.dumps(params, indent=2), encoding="utf-8")


def _matrices(kept: _Kept, chosen: NDArray[np.intp], row: NDArray[np.intp], num_rx: int) -> dict[str, Any]:
    """The matrices of a Tx and a set of receivers, NaN where no path is; ``row`` has the chosen paths' receivers."""
    rank, depth = kept.rank[chosen], kept.depth[chosen]
    shape = (num_rx, int(rank.max(initial=0)) + 1)
    deepest = max(1, int(depth.max(initial=0)))
    matrices: dict[str, Any] = {}
    for name, values in kept.scalars.items():
        matrices[name] = np.full(shape, np.nan, dtype=np.float32)
        matrices[name][row, rank] = values[chosen]
    exact = next(dtype for dtype, digits in _EXACT_DIGITS.items() if deepest <= digits)
    matrices["inter"] = np.full(shape, np.nan, dtype=exact)
    matrices["inter"][row, rank] = kept.codes[chosen]
    # For each interaction, its path and its place in it.
    path = np.repeat(np.arange(len(chosen)), depth)
    step = np.arange(len(path)) - np.repeat(np.cumsum(depth) - depth, depth)
    matrices["inter_pos"] = np.full((*shape, deepest, 3), np.nan, dtype=np.float32)
    matrices["inter_pos"][row[path], rank[path], step] = kept.points[kept.first_point[chosen][path] + step]
    return matrices


def _sets(paths: Paths) -> list[tuple[str, float | None, NDArray[np.intp]]]:
    """Sets of receivers: name, spacing of a grid, and the receivers' numbers."""
    num_rx = len(paths._job.rx_positions)
    if paths._question is None:
        return [("rx", None, np.arange(num_rx))]
    world, tx, groups, _ = paths._question
    found: list[tuple[str, float | None, NDArray[np.intp]]] = []
    single: list[int] = []
    start = 0
    for group in groups:
        kinds = [key for key in ("grid", "file") if key in group.options] + ["array"] * (group.points is not None)
        if not kinds:
            single.append(start)
            start += 1
            continue
        if len(groups) == 1:
            count = num_rx
        elif group.points is not None:
            count = len(group.points)
        else:
            with listener() as tell:
                count = len(world._job(tx, [group], {}, tell).rx_positions)
        spacing = float(group.options["grid"]["spacing"]) if kinds[0] == "grid" else None
        found.append((group.options.get("name", kinds[0]), spacing, np.arange(start, start + count)))
        start += count
    if start != num_rx:
        raise KellerError(f"rx: found {start} receivers in files that held {num_rx} when the paths were found")
    return found + ([("rx", None, np.array(single))] if single else [])


def _set(number: int, name: str, num_points: int, num_active: int, **more: Any) -> dict[str, Any]:
    plain = {
        "name": name,
        "id_orig": number,
        "id": number,
        "is_tx": False,
        "is_rx": False,
        "num_points": num_points,
        "num_active_points": num_active,
        "num_ant": 1,
        "dual_pol": False,
        "ant_rel_positions": [[0, 0, 0]],
        "array_orientation": [0, 0, 0],
        "grid_spacing": None,
    }
    return {**plain, **more}


def _rt_params(kept: _Kept) -> dict[str, Any]:
    """How the paths were found; numbers of interactions are those that occur."""
    most = {letter: kept.most(letter) for letter in "RDST"}
    return {
        "raytracer_name": "keller",
        "raytracer_version": __version__,
        "frequency": kept.paths._job.frequency,
        "max_path_depth": int(kept.depth.max()),
        "max_reflections": most["R"],
        "max_diffractions": most["D"],
        "max_scattering": most["S"],
        "max_transmissions": most["T"],
        "diffuse_reflections": kept.most("R", "S"),
        "diffuse_diffractions": kept.most("D", "S"),
        "diffuse_transmissions": kept.most("T", "S"),
        "diffuse_final_interaction_only": False,
        "diffuse_random_phases": False,
        "terrain_reflection": most["R"] > 0,
        "terrain_diffraction": most["D"] > 0,
        "terrain_scattering": most["S"] > 0,
        # keller finds exact paths, by no number of rays.
        "num_rays": -1,
        "ray_casting_method": "exact",
        "synthetic_array": True,
        "ray_casting_range_az": 360.0,
        "ray_casting_range_el": 180.0,
        "gps_bbox": [0, 0, 0, 0],
        "raw_params": {"scenario": kept.paths.scenario},
    }


def _materials(paths: Paths) -> dict[str, dict[str, Any]]:
    """All materials of the scene at the carrier.

    Those with several layers have the medium of the first and the thickness of all.
    """
    stated = {} if paths._question is None else paths._question[0].materials
    found = {}
    for number, (name, layers) in enumerate(zip(paths.scene.materials, paths._job.layers, strict=True)):
        options = stated[name].options if name in stated else {}
        scattering = options.get("scattering", 0)
        pattern = "lambertian" if options.get("scattering_pattern", "lambertian") == "lambertian" else "directive"
        found[f"material_{number}"] = {
            "id": number,
            "name": name,
            "permittivity": layers[0][0],
            "conductivity": layers[0][1],
            "scattering_model": pattern if scattering else "none",
            "scattering_coefficient": float(scattering),
            "cross_polarization_coefficient": float(options.get("cross_polarization", 0)),
            "roughness": float(options.get("roughness", 0)),
            # DeepMIMO has no half spaces: a thickness of 0 is one.
            "thickness": sum(layer[2] for layer in layers if np.isfinite(layer[2])),
        }
    return found


def _write_scene(scene: Scene, folder: Path) -> dict[str, Any]:
    """The triangles as objects: flat ground at the lowest height is the terrain, and what hangs together a building."""
    # Corners at the same place are one, so that bodies hang together.
    vertices, same = np.unique(scene.vertices.astype(np.float32), axis=0, return_inverse=True)
    triangles = same.reshape(-1)[scene.triangles].astype(np.int32)
    materials = scene.material_of.astype(np.int32)
    height = vertices[triangles, 2]
    is_ground = (height <= height.min(initial=np.inf) + _GROUND_TOLERANCE).all(axis=1)
    body = np.where(is_ground, -1, _bodies(triangles, ~is_ground, len(vertices)))
    order = np.argsort(body, kind="stable")
    numbers, first = np.unique(body[order], return_index=True)
    objects = []
    faces: dict[str, Any] = {}
    material_of: dict[str, Any] = {}
    for number, chosen in enumerate(np.split(order, first[1:])[: len(numbers)]):
        label = "terrain" if numbers[number] < 0 else "buildings"
        objects.append({"name": f"{label}_{number}", "label": label, "id": number, "mesh_key": str(number)})
        faces[str(number)], material_of[str(number)] = triangles[chosen], materials[chosen]
    np.savez_compressed(folder / "vertices.npz", vertices=vertices)
    np.savez_compressed(folder / "faces.npz", **faces)
    np.savez_compressed(folder / "materials.npz", **material_of)
    (folder / "objects.json").write_text(json.dumps(objects, indent=2), encoding="utf-8")
    return {
        "num_scenes": 1,
        "n_objects": len(objects),
        "n_vertices": len(vertices),
        "n_faces": len(triangles),
        "n_triangular_faces": len(triangles),
        "representation": "mesh",
    }


def _bodies(triangles: NDArray[np.int32], linking: NDArray[np.bool_], num_vertices: int) -> NDArray[np.intp]:
    """A number for each triangle, the same for those that hang together by corners of ``linking`` triangles."""
    corners = triangles[linking]
    body = np.arange(num_vertices)
    while True:
        # Every corner takes the lowest number that its triangles have; the numbers of numbers shorten long chains.
        lower = body.copy()
        np.minimum.at(lower, corners, body[corners].min(axis=1)[:, np.newaxis])
        lower = lower[lower]
        if np.array_equal(lower, body):
            return body[triangles[:, 0]]
        body = lower
