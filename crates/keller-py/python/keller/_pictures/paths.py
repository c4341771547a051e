"""Pictures of paths: plans and views in 3D with the scene around them, and markers of Tx and Rx."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._checks import whole_number
from .axes import (
    BLUE,
    check_kind,
    colour_gains,
    legend,
    part_of_colours,
    plain_text,
    plan_axes,
    scale,
    space_axes,
    title,
)
from .devices import MAX_NAMES, Devices
from .scenes import check_num_triangles, plan
from .shapes import Points, Triangles, box_of, find_creases, window_around

#: Columns of a table of paths: the unit and the values of each.
Columns = Mapping[str, tuple[str, Any]]


def draw_paths(
    columns: Columns,
    devices: tuple[Devices, Devices],
    tx: int | str | None,
    rx: int | str | None,
    max_paths: int,
    scene: Triangles | None,
    kind: str,
    ax: Any,
) -> Any:
    """Draws the strongest paths of some links coloured by gain, the Tx and Rx, and the scene if it is known."""
    check_kind(kind, ax)
    whole_number("max_paths", max_paths, 1)
    ends = [(devices[0], devices[0].chosen(tx)), (devices[1], devices[1].chosen(rx))]
    gains = columns["gain_db"][1]
    links = np.isin(columns["tx"][1], ends[0][1]) & np.isin(columns["rx"][1], ends[1][1])
    rows = np.flatnonzero(links & np.isfinite(gains))
    strongest = rows[np.argsort(-gains[rows], kind="stable")][:max_paths]
    # The strongest are drawn last, over the others.
    routes = [_route(columns, devices, row) for row in strongest[::-1]]

    points = np.concatenate([*routes, *(of.positions[some] for of, some in ends)])
    corners = None if scene is None else scene[0][scene[1]]
    window = window_around(points, corners)
    if corners is not None and kind == "3d":
        centres = corners[:, :, :2].mean(axis=1)
        corners = corners[((centres >= window[0]) & (centres <= window[1])).all(axis=1)]
        check_num_triangles(len(corners))
        points = np.concatenate([points, corners.reshape(-1, 3)])
    if kind == "3d":
        axes, collection = _paths_3d(routes, box_of(points), corners, ax)
    else:
        axes, collection = _paths_plan(routes, window, corners, ax)
    if routes:
        collection.set_cmap(scale("gain"))
        collection.set_array(gains[strongest[::-1]])
        colour_gains(axes, collection, gains[strongest], "path gain, dB")
    for of, some in ends:
        marks(axes, of, some)
    legend(axes)
    names = [of.label(some[0]) if len(some) == 1 else f"{len(some)} {of.kind}" for of, some in ends]
    number = f"{len(rows)} paths" if len(rows) <= max_paths else f"{max_paths} of {len(rows)} paths"
    title(axes, f"{names[0]} → {names[1]}", number)
    return axes


def marks(axes: Any, devices: Devices, some: Sequence[int]) -> None:
    """Markers of devices: red triangles for Tx, blue circles for Rx. A few of them have their names beside them."""
    used = 3 if axes.name == "3d" else 2
    colour, marker, size, order = ("#D40000", "^", 9, 5.5) if devices.kind == "Tx" else (BLUE, "o", 7, 5)
    shape = {"marker": marker, "markersize": size if len(some) <= 100 else 3, "markeredgecolor": "white"}
    places = devices.positions[list(some), :used].T
    axes.plot(*places, linestyle="none", color=colour, label=devices.kind, zorder=order, **shape)
    if 1 < len(some) <= MAX_NAMES:
        _names(axes, devices, some, used)


def _route(columns: Columns, devices: tuple[Devices, Devices], row: int) -> Points:
    """The points of a path from Tx to Rx: the table has those between."""
    offsets, points = columns["points"][1]
    first, last = (of.positions[[columns[name][1][row]]] for of, name in zip(devices, ("tx", "rx"), strict=True))
    return np.concatenate([first, points[offsets[row] : offsets[row + 1]], last])


def _paths_plan(
    routes: Sequence[Points], window: tuple[Points, Points], corners: Points | None, ax: Any
) -> tuple[Any, Any]:
    from matplotlib.collections import LineCollection

    low, high = window
    axes = plan_axes(ax, low, high)
    if corners is not None:
        plan(axes, corners, part_of_colours("Greys", 0.02, 0.2), "0.45")
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])
    lines = LineCollection([route[:, :2] for route in routes], linewidths=1.3, zorder=3)
    axes.add_collection(lines, autolim=False)
    return axes, lines


def _paths_3d(routes: Sequence[Points], box: tuple[Points, Points], corners: Points | None, ax: Any) -> tuple[Any, Any]:
    from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection

    axes = space_axes(ax, *box)
    if corners is not None and len(corners):
        axes.add_collection3d(Poly3DCollection(corners, facecolors=(0.4, 0.4, 0.4, 0.07), edgecolors="none"))
        axes.add_collection3d(Line3DCollection(find_creases(corners), colors="0.6", linewidths=0.5))
    lines = Line3DCollection(routes, linewidths=1.3)
    if routes:
        axes.add_collection3d(lines)
    return axes, lines


def _names(axes: Any, devices: Devices, some: Sequence[int], used: int) -> None:
    """Names beside devices; those that stand at one place share a line."""
    from matplotlib.patheffects import withStroke

    at: dict[tuple[float, ...], list[str]] = {}
    for index in some:
        at.setdefault(tuple(devices.positions[index, :used].tolist()), []).append(plain_text(devices.label(index), 20))
    halo = [withStroke(linewidth=2.5, foreground="white")]
    style: dict[str, Any] = {"fontsize": "small", "zorder": 6, "path_effects": halo}
    for position, names in at.items():
        if used == 3:
            axes.text(*position, "  " + ", ".join(names), **style)
        else:
            axes.annotate(", ".join(names), position, (6, 5), textcoords="offset points", annotation_clip=True, **style)
