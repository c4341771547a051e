"""Pictures of scenes: plans and views in 3D, coloured by height."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._keller import ScenarioError
from .axes import check_kind, colour_bar, colour_range, plan_axes, space_axes
from .shapes import Points, box_of, find_walls, unit_normals, wider

#: mplot3d sorts and projects every triangle in Python.
MAX_TRIANGLES_3D = 20_000
#: Larger collections are pixels even in PDF and SVG files.
MAX_VECTOR_TRIANGLES = 20_000

_HEIGHTS = "YlGnBu"


def draw_scene(vertices: Points, triangles: NDArray[np.uint32], kind: str, below: float | None, ax: Any) -> Any:
    """Draws triangles coloured by their mean height. In 3D walls are grey."""
    check_kind(kind, ax)
    corners = vertices[triangles]
    if below is not None:
        lowest = corners[:, :, 2].min(axis=1)
        if not isinstance(below, (int, float, np.number)) or not below > lowest.min():
            raise ScenarioError(f"below: found {below!r}; accepted: more than {lowest.min():g}, metres")
        corners = corners[lowest < below]
    if kind == "3d":
        return _scene_3d(corners, ax)
    low, high = box_of(corners)
    axes = plan_axes(ax, low, high)
    collection = plan(axes, corners, _HEIGHTS, "0.2")
    axes.set_xlim(*wider(low[0], high[0], 0.02))
    axes.set_ylim(*wider(low[1], high[1], 0.02))
    colour_bar(axes, collection, "height, m")
    return axes


def plan(axes: Any, corners: Points, colours: Any, edge: str) -> Any:
    """Triangles from above: higher ones cover lower ones, walls are lines."""
    from matplotlib.collections import PolyCollection

    is_wall = find_walls(corners)
    heights = corners[:, :, 2]
    # Ground on a slope may rise beside a roof, so the lowest corners decide which of two triangles covers the other.
    # A wall covers the roof that it carries.
    key = np.where(is_wall, heights.max(axis=1), heights.min(axis=1))
    order = np.lexsort((is_wall, key))
    corners, is_wall, heights = corners[order], is_wall[order], heights[order]
    is_fine = len(corners) > 5_000
    outlines: Any = corners[:, :, :2]
    collection = PolyCollection(
        outlines,
        cmap=colours,
        edgecolors=edge,
        linewidths=np.where(is_wall, 0.4 if is_fine else 0.8, 0.0),
        # Smoothed edges would leave pale seams between the triangles of a face.
        antialiaseds=is_wall,
        rasterized=len(corners) > MAX_VECTOR_TRIANGLES,
    )
    values = heights.mean(axis=1)
    collection.set_array(values)
    collection.set_clim(*colour_range(values if is_wall.all() else values[~is_wall]))
    axes.add_collection(collection, autolim=False)
    return collection


def check_num_triangles(triangles: int) -> None:
    """Raises unless a view in 3D can show so many triangles."""
    if triangles > MAX_TRIANGLES_3D:
        accepted = f'"plan", or scenes of up to {MAX_TRIANGLES_3D} triangles'
        raise ScenarioError(f'kind: found "3d" for {triangles} triangles; accepted: {accepted}')


def _scene_3d(corners: Points, ax: Any) -> Any:
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    check_num_triangles(len(corners))
    low, high = box_of(corners)
    axes = space_axes(ax, low, high)
    values, is_wall = corners[:, :, 2].mean(axis=1), find_walls(corners)
    scale = ScalarMappable(Normalize(*colour_range(values if is_wall.all() else values[~is_wall])), colormaps[_HEIGHTS])
    colours = scale.to_rgba(values)
    # Of the two triangles of a wall one is higher than the other; walls have one colour instead.
    colours[is_wall] = (0.8, 0.8, 0.8, 1.0)
    # Light from the south-west, from above and alike from both sides of a face.
    light = np.array([-0.5, -0.3, 0.81])
    colours[:, :3] *= (0.6 + 0.4 * np.abs(unit_normals(corners) @ light))[:, np.newaxis]
    axes.add_collection3d(Poly3DCollection(corners, facecolors=colours, edgecolors=colours, linewidths=0.6))
    colour_bar(axes, scale, "height, m")
    return axes
