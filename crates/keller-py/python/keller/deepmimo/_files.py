"""The files of a scenario of DeepMIMO."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._keller import __version__
from ._kept import EXACT_DIGITS, Kept
from ._scene import material_entries, write_scene
from ._sets import receiver_sets, set_entry

#: The version of DeepMIMO whose layout of files this is.
_LAYOUT = "4.0.5"


def write(kept: Kept, folder: Path) -> None:
    """Writes all files of a scenario into an empty folder."""
    sets = receiver_sets(kept.paths)
    row_of = np.empty(len(kept.rx_positions), dtype=np.intp)
    set_of = np.empty(len(kept.rx_positions), dtype=np.intp)
    for number, one in enumerate(sets, 1):
        row_of[one.members], set_of[one.members] = np.arange(len(one.members)), number
    for tx, tx_position in enumerate(kept.tx_positions):
        for number, one in enumerate(sets, 1):
            chosen = np.flatnonzero((kept.tx == tx) & (set_of[kept.rx] == number))
            matrices = _matrices(kept, chosen, row_of[kept.rx[chosen]], len(one.members))
            matrices["rx_pos"] = kept.rx_positions[one.members].astype(np.float32)
            matrices["tx_pos"] = tx_position[np.newaxis].astype(np.float32)
            for name, matrix in matrices.items():
                np.savez_compressed(folder / f"{name}_t000_tx{tx:03}_r{number:03}.npz", **{name: matrix})
    active = np.bincount(set_of[np.unique(kept.rx)], minlength=len(sets) + 1)
    txrx_sets = [set_entry(0, "tx", len(kept.tx_positions), len(np.unique(kept.tx)), is_tx=True)]
    for number, one in enumerate(sets, 1):
        size, spacing = len(one.members), one.spacing
        txrx_sets.append(set_entry(number, one.name, size, int(active[number]), is_rx=True, grid_spacing=spacing))
    params = {
        "version": _LAYOUT,
        "rt_params": _rt_params(kept),
        "txrx_sets": {f"txrx_set_{entry['id']}": entry for entry in txrx_sets},
        "materials": material_entries(kept.paths),
        "scene": write_scene(kept.paths.scene, folder),
    }
    (folder / "params.json").write_text(json.dumps(params, indent=2), encoding="utf-8")


def _matrices(kept: Kept, chosen: NDArray[np.intp], row: NDArray[np.intp], num_rx: int) -> dict[str, Any]:
    """The matrices of a Tx and a set of receivers, NaN where no path is; ``row`` has the chosen paths' receivers."""
    rank, depth = kept.rank[chosen], kept.depth[chosen]
    shape = (num_rx, int(rank.max(initial=0)) + 1)
    deepest = max(1, int(depth.max(initial=0)))
    matrices: dict[str, Any] = {}
    for name, values in kept.scalars.items():
        matrices[name] = np.full(shape, np.nan, dtype=np.float32)
        matrices[name][row, rank] = values[chosen]
    exact = next(dtype for dtype, digits in EXACT_DIGITS.items() if deepest <= digits)
    matrices["inter"] = np.full(shape, np.nan, dtype=exact)
    matrices["inter"][row, rank] = kept.codes[chosen]
    # For each interaction, its path and its place in it.
    path = np.repeat(np.arange(len(chosen)), depth)
    step = np.arange(len(path)) - np.repeat(np.cumsum(depth) - depth, depth)
    matrices["inter_pos"] = np.full((*shape, deepest, 3), np.nan, dtype=np.float32)
    matrices["inter_pos"][row[path], rank[path], step] = kept.points[kept.first_point[chosen][path] + step]
    return matrices


def _rt_params(kept: Kept) -> dict[str, Any]:
    """How the paths were found; numbers of interactions are those that occur."""
    largest = {letter: kept.max_interactions(letter) for letter in "RDST"}
    return {
        "raytracer_name": "keller",
        "raytracer_version": __version__,
        "frequency": kept.paths._job.frequency,
        "max_path_depth": int(kept.depth.max()),
        "max_reflections": largest["R"],
        "max_diffractions": largest["D"],
        "max_scattering": largest["S"],
        "max_transmissions": largest["T"],
        "diffuse_reflections": kept.max_interactions("R", "S"),
        "diffuse_diffractions": kept.max_interactions("D", "S"),
        "diffuse_transmissions": kept.max_interactions("T", "S"),
        "diffuse_final_interaction_only": False,
        "diffuse_random_phases": False,
        "terrain_reflection": largest["R"] > 0,
        "terrain_diffraction": largest["D"] > 0,
        "terrain_scattering": largest["S"] > 0,
        # keller finds exact paths, by no number of rays.
        "num_rays": -1,
        "ray_casting_method": "exact",
        "synthetic_array": True,
        "ray_casting_range_az": 360.0,
        "ray_casting_range_el": 180.0,
        "gps_bbox": [0, 0, 0, 0],
        "raw_params": {"scenario": kept.paths.scenario},
    }
