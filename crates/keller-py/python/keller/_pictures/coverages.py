"""Maps of coverages: a layer of the cells of a region in plan, or the gain at tiles of surfaces in 3D."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._checks import whole_number
from .._keller import ScenarioError
from .axes import (
    BUILDING,
    NOTHING,
    SERVERS,
    check_kind,
    colour_bar,
    colour_gains,
    legend,
    plain_text,
    plan_axes,
    scale,
    space_axes,
    title,
)
from .devices import Devices
from .paths import marks
from .shapes import Points, Triangles, box_of, find_walls

#: Layers of a coverage: the array that holds them, and what they are.
_LAYERS = {
    "gain": ("path_gain_db", "path gain", "dB"),
    "power": ("received_power_dbm", "received power", "dBm"),
    "server": ("best_server", "best server", ""),
    "sinr": ("sinr_db", "SINR", "dB"),
}


def draw_cells(
    arrays: Mapping[str, NDArray[Any]],
    devices: Devices,
    tx: int | str,
    level: int,
    layer: str,
    scene: Triangles | None,
    ax: Any,
    buildings: Callable[[int], Sequence[bool]] | None = None,
) -> Any:
    """Draws one layer of a coverage on one of its levels; ``buildings`` says which cells of a level show these."""
    from matplotlib.colors import to_rgba

    check_kind("plan", ax)
    whole_number("level", level, 0, len(arrays["z"]) - 1)
    _check_layer(layer, arrays)
    number = devices.one(tx)
    values, is_unreached = _cells(arrays, layer, number, level)
    extent = (*_edges(arrays["x"], arrays["y"]), *_edges(arrays["y"], arrays["x"]))
    options: dict[str, Any] = {"origin": "lower", "extent": extent, "interpolation": "nearest"}
    turn, extent = _in_scene(arrays, extent)
    axes = plan_axes(ax, np.array(extent[::2]), np.array(extent[1::2]))
    if turn is not None:
        options["transform"] = turn + axes.transData
    is_building = np.zeros(values.shape, dtype=bool)
    if buildings is not None:
        is_building = np.reshape(np.array(buildings(level)), values.shape) & np.asarray(values.mask)
    is_unreached &= ~is_building
    for cells, colour in ((is_unreached, NOTHING), (is_building, BUILDING)):
        if cells.any():
            axes.imshow(np.where(cells[:, :, np.newaxis], to_rgba(colour), (0.0, 0.0, 0.0, 0.0)), **options)
    _, what, unit = _LAYERS[layer]
    if layer == "server":
        image = axes.imshow(values, **_server_colours(len(devices.names)), **options)
        bar = colour_bar(axes, image, what)
        named = range(0, len(devices.names), -(-len(devices.names) // 20))
        bar.set_ticks(list(named), labels=[plain_text(devices.label(index), 20) for index in named])
        bar.ax.tick_params(length=0)
        bar.minorticks_off()
    else:
        image = axes.imshow(values, cmap=scale("sinr" if layer == "sinr" else "gain"), **options)
        colour_gains(axes, image, values.compressed(), f"{what}, {unit}")
    if scene is not None:
        _wall_lines(axes, scene[0][scene[1]])
    axes.set_xlim(extent[:2])
    axes.set_ylim(extent[2:])
    shown = [number] if layer == "gain" else range(len(devices.names))
    marks(axes, devices, shown)
    legend(axes, has_unreached=bool(is_unreached.any()), has_buildings=bool(is_building.any()))
    height = f"{arrays['z'][level]:g} m above ground" if "ground" in arrays else f"z = {arrays['z'][level]:g} m"
    title(axes, devices.label(number) if layer == "gain" else "", height)
    return axes


def _in_scene(
    arrays: Mapping[str, NDArray[Any]], extent: tuple[float, float, float, float]
) -> tuple[Any, tuple[float, float, float, float]]:
    """The transform from a region's own axes to the scene if it is turned, and the box around it in the scene."""
    if "x_axis" not in arrays:
        return None, extent
    from matplotlib.transforms import Affine2D

    (cos, sin), (x, y) = arrays["x_axis"], arrays["corner"]
    turn = Affine2D.from_values(cos, sin, -sin, cos, x, y)
    left, right, low, high = extent
    corners = turn.transform([(left, low), (right, low), (right, high), (left, high)])
    (left, low), (right, high) = corners.min(axis=0), corners.max(axis=0)
    return turn, (left, right, low, high)


def draw_tiles(arrays: Mapping[str, NDArray[Any]], devices: Devices, tx: int | str, layer: str, ax: Any) -> Any:
    """Draws the gain at the tiles of surfaces as squares in 3D at their centres, on the side that receives more."""
    if layer != "gain":
        raise ScenarioError(f'layer: found {layer!r}; accepted: "gain" for a coverage of surfaces')
    check_kind("3d", ax)
    number = devices.one(tx)
    gains = arrays["path_gain_db"][number].max(axis=1)
    is_reached = np.isfinite(gains)
    centres = arrays["centre"]
    low, high = box_of(centres)
    axes = space_axes(ax, low, high)
    # The size of an average tile on the page, where a scene is about 250 points wide.
    side = 250 * np.sqrt(np.median(arrays["area"])) / max(float((high - low).max()), 1e-9)
    size = float(np.clip(side**2, 1, 400))
    square: dict[str, Any] = {"marker": "s", "s": size, "linewidths": 0, "depthshade": False}
    axes.scatter(*centres[~is_reached].T, color=NOTHING, **square)
    drawn = axes.scatter(*centres[is_reached].T, c=gains[is_reached], cmap=scale("gain"), **square)
    colour_gains(axes, drawn, gains[is_reached], "path gain, dB")
    marks(axes, devices, [number])
    legend(axes, has_unreached=not is_reached.all())
    title(axes, devices.label(number), "surfaces")
    return axes


def _check_layer(layer: str, arrays: Mapping[str, NDArray[Any]]) -> None:
    has_power = len(arrays["tx_name"]) == 1 and "path_gain_db" in arrays
    there = [name for name, (array, *_) in _LAYERS.items() if array in arrays or (name == "power" and has_power)]
    if layer not in there:
        accepted = ", ".join(f'"{name}"' for name in there)
        raise ScenarioError(f"layer: found {layer!r}; accepted: {accepted} of this coverage")


def _cells(arrays: Mapping[str, NDArray[Any]], layer: str, tx: int, level: int) -> tuple[Any, NDArray[np.bool_]]:
    """The numbers of a layer, masked where there are none, and the cells that no path reaches."""
    gains = arrays.get("path_gain_db")
    if "received_power_dbm" in arrays:
        power: Any = arrays["received_power_dbm"][level]
    else:
        power = None if gains is None else gains[0, level] + arrays["tx_power_dbm"][0]
    if layer == "gain":
        values = arrays["path_gain_db"][tx, level]
    elif layer == "power":
        values = power
    else:
        values = arrays[_LAYERS[layer][0]][level]
    masked: Any = np.ma.MaskedArray
    strength = values if layer == "gain" or power is None else power
    if layer == "server":
        return masked(values, values < 0), np.isneginf(strength)
    return masked(values, ~np.isfinite(values)), np.isneginf(strength)


def _edges(centres: Points, others: Points) -> tuple[float, float]:
    """Where the first cell begins and the last one ends. A single cell is as wide as those of the other axis."""
    spaced = centres if len(centres) > 1 else others
    half = 0.5 * float(spaced[1] - spaced[0]) if len(spaced) > 1 else 0.5
    return float(centres[0]) - half, float(centres[-1]) + half


def _server_colours(num: int) -> dict[str, Any]:
    from matplotlib.colors import BoundaryNorm, ListedColormap

    colours = [_server_colour(index) for index in range(num)]
    return {"cmap": ListedColormap(colours), "norm": BoundaryNorm(np.arange(num + 1) - 0.5, num)}


def _server_colour(index: int) -> tuple[float, ...]:
    """The colour of a server as the program has it: beyond the list they come again paler, darker and palest."""
    from matplotlib.colors import to_rgb

    towards, part = ((0.0, 0.0), (1.0, 0.45), (0.0, 0.4), (1.0, 0.7))[index // len(SERVERS) % 4]
    return tuple(value + part * (towards - value) for value in to_rgb(SERVERS[index % len(SERVERS)]))


def _wall_lines(axes: Any, corners: Points) -> None:
    """Walls as lines: of each triangle the side that is longest from above."""
    from matplotlib.collections import LineCollection

    walls = corners[find_walls(corners)][:, :, :2]
    sides = np.stack([walls, np.roll(walls, -1, axis=1)], axis=2)
    longest = np.linalg.norm(sides[:, :, 1] - sides[:, :, 0], axis=2).argmax(axis=1)
    lines = sides[np.arange(len(walls)), longest]
    axes.add_collection(LineCollection(lines, colors="0.15", linewidths=0.7), autolim=False)
