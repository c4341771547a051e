"""Geometry of triangles and boxes: normals, walls, creases, and the window that a picture shows.

Triangles are given by their corners, ``(n, 3, 3)``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
#: Vertices ``(n, 3)`` in metres, and the vertices of each triangle ``(m, 3)``.
Triangles = tuple[Points, NDArray[np.uint32]]

#: Triangles steeper than this are walls: as seen from above they are lines. The vertical part of the unit normal.
MAX_WALL_NORMAL_Z = 0.02


def box_of(points: Points) -> tuple[Points, Points]:
    """The lowest and the highest x, y and z of points."""
    flat = points.reshape(-1, 3)
    return flat.min(axis=0), flat.max(axis=0)


def wider(low: float, high: float, share: float) -> tuple[float, float]:
    """A range with this share of its length added at each end, or 0.5 if it has none."""
    margin = share * (high - low) or 0.5
    return low - margin, high + margin


def window_around(points: Points, corners: Points | None) -> tuple[Points, Points]:
    """The x and y of which a picture of paths shows the scene: around all points, as far as the scene reaches."""
    low, high = (corner[:2] for corner in box_of(points))
    margin = max(0.15 * float((high - low).max()), 1.0)
    centre, half = (low + high) / 2, (high - low) / 2 + margin
    half = np.maximum(half, 0.5 * half.max())
    first, last = centre - half, centre + half
    if corners is not None:
        scene_low, scene_high = (corner[:2] for corner in box_of(corners))
        margin = 0.02 * float((scene_high - scene_low).max())
        first = np.maximum(first, np.minimum(scene_low, low) - margin)
        last = np.minimum(last, np.maximum(scene_high, high) + margin)
    return first, last


def find_walls(corners: Points) -> NDArray[np.bool_]:
    """Which of the triangles are walls, ``(n,)``."""
    is_wall: NDArray[np.bool_] = np.abs(unit_normals(corners)[:, 2]) <= MAX_WALL_NORMAL_Z
    return is_wall


def find_creases(corners: Points) -> Points:
    """Sides of triangles that are not inside a flat or gently bent surface, ``(n, 2, 3)``."""
    _, index = np.unique(corners.reshape(-1, 3).round(6), axis=0, return_inverse=True)
    triangles = index.reshape(-1, 3)
    sides = np.sort(np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2).reshape(-1, 2), axis=1)
    normals = np.repeat(unit_normals(corners), 3, axis=0)
    ends = np.stack([corners, np.roll(corners, -1, axis=1)], axis=2).reshape(-1, 2, 3)
    order = np.lexsort(sides.T)
    sides, normals, ends = sides[order], normals[order], ends[order]
    is_same = (sides[1:] == sides[:-1]).all(axis=1)
    is_flat = np.abs((normals[1:] * normals[:-1]).sum(axis=1)) > 0.94
    inside = np.zeros(len(sides), dtype=bool)
    inside[1:] |= is_same & is_flat
    inside[:-1] |= is_same & is_flat
    creases: Points = ends[~inside]
    return creases


def unit_normals(corners: Points) -> Points:
    """Unit normals of triangles; zero for those without an area."""
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(across, axis=1, keepdims=True)
    normals: Points = np.divide(across, length, out=np.zeros_like(across), where=length > 0)
    return normals
