"""The scene of a scenario of DeepMIMO: materials, triangles and the objects that they form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._paths import Paths
from .._scene import Scene

#: Corners of the ground lie within so many metres of the lowest point, as DeepMIMO has it for interactions.
_GROUND_TOLERANCE = 1e-3


def material_entries(paths: Paths) -> dict[str, dict[str, Any]]:
    """All materials of the scene at the carrier.

    Those with several layers have the medium of the first and the thickness of all.
    """
    stated = {} if paths._question is None else paths._question.world.materials
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


def write_scene(scene: Scene, folder: Path) -> dict[str, Any]:
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
