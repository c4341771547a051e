"""Pictures with matplotlib: scenes, paths, power-delay profiles and coverages.

Functions take plain values, check them before they open a figure, and give the axes in which they drew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._keller import ScenarioError

Points = NDArray[np.float64]
Triangles = tuple[Points, NDArray[np.uint32]]
Columns = Mapping[str, tuple[str, Any]]

#: mplot3d sorts and projects every triangle in Python.
MAX_TRIANGLES_3D = 20_000
#: Triangles steeper than this are walls: as seen from above they are lines. The vertical part of the unit normal.
MAX_WALL_NORMAL_Z = 0.02
#: Larger collections are pixels even in PDF and SVG files.
MAX_VECTOR_TRIANGLES = 20_000
MAX_NAMES = 10

_HEIGHTS, _GAINS = "YlGnBu", "viridis"
# Okabe and Ito, "Color Universal Design" (2008): distinct for all kinds of colour vision.
_BLACK, _BLUE, _GREEN, _RED, _SKY, _PINK, _ORANGE, _YELLOW = (
    "#000000", "#0072B2", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#E69F00", "#F0E442",
)  # fmt: skip
_UNREACHED = (0.85, 0.85, 0.85, 1.0)
_SERVERS = (_SKY, _ORANGE, _GREEN, _YELLOW, _BLUE, _RED, _PINK, "#999999")

#: Classes of paths: colour, marker.
_CLASSES = {
    "line of sight": (_BLACK, "*"),
    "reflection": (_BLUE, "o"),
    "transmission": (_GREEN, "s"),
    "diffraction": (_RED, "^"),
    "scattering": (_SKY, "D"),
    "mixed": (_PINK, "P"),
}
_CLASS_OF = {"R": "reflection", "T": "transmission", "D": "diffraction", "S": "scattering"}

#: Layers of a coverage: the array that holds them, and what they are.
_LAYERS = {
    "gain": ("path_gain_db", "path gain", "dB"),
    "power": ("received_power_dbm", "received power", "dBm"),
    "server": ("best_server", "best server", ""),
    "sinr": ("sinr_db", "SINR", "dB"),
}


@dataclass
class Devices:
    """The Tx or the Rx of a result."""

    #: "Tx" or "Rx".
    kind: str
    #: Names; the index where there is none.
    names: Sequence[str]
    #: ``(n, 3)``, metres.
    positions: Points

    def chosen(self, wanted: int | str | None) -> list[int]:
        """Those that an index or a name stands for, all of them for None."""
        if wanted is None:
            return list(range(len(self.names)))
        if isinstance(wanted, str):
            found = [index for index, name in enumerate(self.names) if name == wanted]
            if found:
                return found
        elif isinstance(wanted, (int, np.integer)) and not isinstance(wanted, bool) and 0 <= wanted < len(self.names):
            return [int(wanted)]
        given = [repr(name) for name in dict.fromkeys(self.names) if not name.isdecimal()]
        more = ["..."] if len(given) > MAX_NAMES else []
        accepted = ", ".join([f"0 to {len(self.names) - 1}", *given[:MAX_NAMES], *more])
        raise ScenarioError(f"{self.kind.lower()}: found {wanted!r}; accepted: {accepted}")

    def one(self, wanted: int | str) -> int:
        """The one that an index or a name stands for."""
        found = self.chosen(wanted)
        # None stands for every device, even if there is only one.
        if wanted is not None and len(found) == 1:
            return found[0]
        what = f"{wanted!r}, which stands for {len(found)} {self.kind}"
        raise ScenarioError(f"{self.kind.lower()}: found {what}; accepted: 0 to {len(self.names) - 1}")

    def label(self, index: int) -> str:
        """What a picture calls one: its name, or such as ``Tx 0``."""
        name = self.names[index]
        return f"{self.kind} {name}" if name.isdecimal() else name


# Scenes


def draw_scene(vertices: Points, triangles: NDArray[np.uint32], kind: str, below: float | None, ax: Any) -> Any:
    """Draws triangles coloured by their mean height. In 3D walls are grey."""
    _check_kind(kind, ax)
    corners = vertices[triangles]
    if below is not None:
        lowest = corners[:, :, 2].min(axis=1)
        if not isinstance(below, (int, float, np.number)) or not below > lowest.min():
            raise ScenarioError(f"below: found {below!r}; accepted: more than {lowest.min():g}, metres")
        corners = corners[lowest < below]
    if kind == "3d":
        return _scene_3d(corners, ax)
    low, high = _box(corners)
    axes = _plan_axes(ax, low, high)
    collection = _plan(axes, corners, _HEIGHTS, "0.2")
    axes.set_xlim(*_wider(low[0], high[0], 0.02))
    axes.set_ylim(*_wider(low[1], high[1], 0.02))
    _colour_bar(axes, collection, "height, m")
    return axes


def _plan(axes: Any, corners: Points, colours: Any, edge: str) -> Any:
    """Triangles from above: higher ones cover lower ones, walls are lines."""
    from matplotlib.collections import PolyCollection

    is_wall = _walls(corners)
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
    collection.set_clim(*_range(values if is_wall.all() else values[~is_wall]))
    axes.add_collection(collection, autolim=False)
    return collection


def _scene_3d(corners: Points, ax: Any) -> Any:
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    _check_number(len(corners))
    low, high = _box(corners)
    axes = _space_axes(ax, low, high)
    values, is_wall = corners[:, :, 2].mean(axis=1), _walls(corners)
    scale = ScalarMappable(Normalize(*_range(values if is_wall.all() else values[~is_wall])), colormaps[_HEIGHTS])
    colours = scale.to_rgba(values)
    # Of the two triangles of a wall one is higher than the other; walls have one colour instead.
    colours[is_wall] = (0.8, 0.8, 0.8, 1.0)
    # Light from the south-west, from above and alike from both sides of a face.
    light = np.array([-0.5, -0.3, 0.81])
    colours[:, :3] *= (0.6 + 0.4 * np.abs(_normals(corners) @ light))[:, np.newaxis]
    axes.add_collection3d(Poly3DCollection(corners, facecolors=colours, edgecolors=colours, linewidths=0.6))
    _colour_bar(axes, scale, "height, m")
    return axes


# Paths


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
    _check_kind(kind, ax)
    if isinstance(max_paths, bool) or not isinstance(max_paths, (int, np.integer)) or max_paths < 1:
        raise ScenarioError(f"max_paths: found {max_paths!r}; accepted: 1 or more")
    ends = [(devices[0], devices[0].chosen(tx)), (devices[1], devices[1].chosen(rx))]
    gains = columns["gain_db"][1]
    links = np.isin(columns["tx"][1], ends[0][1]) & np.isin(columns["rx"][1], ends[1][1])
    rows = np.flatnonzero(links & np.isfinite(gains))
    strongest = rows[np.argsort(-gains[rows], kind="stable")][:max_paths]
    # The strongest are drawn last, over the others.
    routes = [_route(columns, devices, row) for row in strongest[::-1]]

    points = np.concatenate([*routes, *(of.positions[some] for of, some in ends)])
    corners = None if scene is None else scene[0][scene[1]]
    window = _window(points, corners)
    if corners is not None and kind == "3d":
        centres = corners[:, :, :2].mean(axis=1)
        corners = corners[((centres >= window[0]) & (centres <= window[1])).all(axis=1)]
        _check_number(len(corners))
        points = np.concatenate([points, corners.reshape(-1, 3)])
    if kind == "3d":
        axes, collection = _paths_3d(routes, _box(points), corners, ax)
    else:
        axes, collection = _paths_plan(routes, window, corners, ax)
    if routes:
        collection.set_cmap(_part("magma_r", 0.15, 0.9))
        collection.set_array(gains[strongest[::-1]])
        _colour_gains(axes, collection, gains[strongest], "path gain, dB")
    for of, some in ends:
        _marks(axes, of, some)
    _legend(axes)
    names = [of.label(some[0]) if len(some) == 1 else f"{len(some)} {of.kind}" for of, some in ends]
    number = f"{len(rows)} paths" if len(rows) <= max_paths else f"{max_paths} of {len(rows)} paths"
    _title(axes, f"{names[0]} → {names[1]}", number)
    return axes


def _route(columns: Columns, devices: tuple[Devices, Devices], row: int) -> Points:
    """The points of a path from Tx to Rx: the table has those between."""
    offsets, points = columns["points"][1]
    first, last = (of.positions[[columns[name][1][row]]] for of, name in zip(devices, ("tx", "rx")))
    return np.concatenate([first, points[offsets[row] : offsets[row + 1]], last])


def _paths_plan(
    routes: Sequence[Points], window: tuple[Points, Points], corners: Points | None, ax: Any
) -> tuple[Any, Any]:
    from matplotlib.collections import LineCollection

    low, high = window
    axes = _plan_axes(ax, low, high)
    if corners is not None:
        _plan(axes, corners, _part("Greys", 0.02, 0.2), "0.45")
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])
    lines = LineCollection([route[:, :2] for route in routes], linewidths=1.3, zorder=3)
    axes.add_collection(lines, autolim=False)
    return axes, lines


def _paths_3d(
    routes: Sequence[Points], box: tuple[Points, Points], corners: Points | None, ax: Any
) -> tuple[Any, Any]:
    from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection

    axes = _space_axes(ax, *box)
    if corners is not None and len(corners):
        axes.add_collection3d(Poly3DCollection(corners, facecolors=(0.4, 0.4, 0.4, 0.07), edgecolors="none"))
        axes.add_collection3d(Line3DCollection(_creases(corners), colors="0.6", linewidths=0.5))
    lines = Line3DCollection(routes, linewidths=1.3)
    if routes:
        axes.add_collection3d(lines)
    return axes, lines


def _marks(axes: Any, devices: Devices, some: Sequence[int]) -> None:
    """Markers of devices: red triangles for Tx, blue circles for Rx. A few of them have their names beside them."""
    used = 3 if axes.name == "3d" else 2
    colour, marker, size, order = ("#D40000", "^", 9, 5.5) if devices.kind == "Tx" else (_BLUE, "o", 7, 5)
    shape = {"marker": marker, "markersize": size if len(some) <= 100 else 3, "markeredgecolor": "white"}
    places = devices.positions[list(some), :used].T
    axes.plot(*places, linestyle="none", color=colour, label=devices.kind, zorder=order, **shape)
    if 1 < len(some) <= MAX_NAMES:
        _names(axes, devices, some, used)


def _names(axes: Any, devices: Devices, some: Sequence[int], used: int) -> None:
    """Names beside devices; those that stand at one place share a line."""
    from matplotlib.patheffects import withStroke

    at: dict[tuple[float, ...], list[str]] = {}
    for index in some:
        at.setdefault(tuple(devices.positions[index, :used].tolist()), []).append(_plain(devices.label(index), 20))
    halo = [withStroke(linewidth=2.5, foreground="white")]
    style: dict[str, Any] = {"fontsize": "small", "zorder": 6, "path_effects": halo}
    for position, names in at.items():
        if used == 3:
            axes.text(*position, "  " + ", ".join(names), **style)
        else:
            axes.annotate(", ".join(names), position, (6, 5), textcoords="offset points", annotation_clip=True, **style)


# Power-delay profiles


def draw_profile(columns: Columns, devices: tuple[Devices, Devices], tx: int | str, rx: int | str, ax: Any) -> Any:
    """Draws the gains of a link's paths over their delays, a stem each, by class of path."""
    _check_kind("plan", ax)
    ends = [devices[0].one(tx), devices[1].one(rx)]
    link = " → ".join(of.label(index) for of, index in zip(devices, ends))
    is_of_link = (columns["tx"][1] == ends[0]) & (columns["rx"][1] == ends[1])
    rows = np.flatnonzero(is_of_link & np.isfinite(columns["gain_db"][1]))
    if not len(rows):
        raise ScenarioError(f"plot_pdp: found no path of the link {link}; accepted: a link with paths")
    delays, gains_db = columns["delay_s"][1][rows], columns["gain_db"][1][rows]
    classes = np.array([class_of(columns["types"][1][row]) for row in rows])
    axes = _figure(7, 4).add_subplot() if ax is None else ax
    scale, unit = (1e6, "µs") if delays.max() >= 10e-6 else (1e9, "ns")
    foot = 10 * np.floor((gains_db.min() - 3) / 10)
    for name, (colour, marker) in _CLASSES.items():
        those = classes == name
        if not those.any():
            continue
        stems = axes.stem(delays[those] * scale, gains_db[those], bottom=foot, basefmt=" ", label=name)
        stems.stemlines.set(color=colour, linewidth=1.0, alpha=0.8)
        stems.markerline.set(color=colour, marker=marker, markersize=8 if marker == "*" else 5, clip_on=False)
    axes.set_ylim(foot, gains_db.max() + 0.05 * (gains_db.max() - foot))
    axes.set_xlabel(f"delay, {unit}")
    axes.set_ylabel("path gain, dB")
    _title(axes, link)
    axes.grid(axis="y", color="0.9")
    axes.set_axisbelow(True)
    axes.legend(fontsize="small")
    return axes


def class_of(types: str) -> str:
    """The class of a path of type ``"LOS"`` or letters such as ``"RD"``: with different interactions it is mixed."""
    if types == "LOS":
        return "line of sight"
    letters = set(types)
    return _CLASS_OF.get(letters.pop(), "mixed") if len(letters) == 1 else "mixed"


# Coverages


def draw_cells(
    arrays: Mapping[str, NDArray[Any]],
    devices: Devices,
    tx: int | str,
    level: int,
    layer: str,
    scene: Triangles | None,
    ax: Any,
) -> Any:
    """Draws one layer of a coverage on one of its levels."""
    _check_kind("plan", ax)
    levels = len(arrays["z"])
    if isinstance(level, bool) or not isinstance(level, (int, np.integer)) or not 0 <= level < levels:
        raise ScenarioError(f"level: found {level!r}; accepted: 0 to {levels - 1}")
    _check_layer(layer, arrays)
    number = devices.one(tx)
    values, is_unreached = _cells(arrays, layer, number, level)
    extent = (*_edges(arrays["x"], arrays["y"]), *_edges(arrays["y"], arrays["x"]))
    axes = _plan_axes(ax, np.array(extent[::2]), np.array(extent[1::2]))
    options: dict[str, Any] = {"origin": "lower", "extent": extent, "interpolation": "nearest"}
    if is_unreached.any():
        shade = np.where(is_unreached[:, :, np.newaxis], _UNREACHED, (0.0, 0.0, 0.0, 0.0))
        axes.imshow(shade, **options)
    _, what, unit = _LAYERS[layer]
    if layer == "server":
        image = axes.imshow(values, **_server_colours(len(devices.names)), **options)
        bar = _colour_bar(axes, image, what)
        named = range(0, len(devices.names), -(-len(devices.names) // 20))
        bar.set_ticks(list(named), labels=[_plain(devices.label(index), 20) for index in named])
        bar.ax.tick_params(length=0)
        bar.minorticks_off()
    else:
        image = axes.imshow(values, cmap=_GAINS, **options)
        _colour_gains(axes, image, values.compressed(), f"{what}, {unit}")
    if scene is not None:
        _wall_lines(axes, scene[0][scene[1]])
    axes.set_xlim(extent[:2])
    axes.set_ylim(extent[2:])
    shown = [number] if layer == "gain" else range(len(devices.names))
    _marks(axes, devices, shown)
    _legend(axes, has_unreached=bool(is_unreached.any()))
    height = f"{arrays['z'][level]:g} m above ground" if "ground" in arrays else f"z = {arrays['z'][level]:g} m"
    _title(axes, devices.label(number) if layer == "gain" else "", height)
    return axes


def draw_tiles(arrays: Mapping[str, NDArray[Any]], devices: Devices, tx: int | str, layer: str, ax: Any) -> Any:
    """Draws the gain at the tiles of surfaces as squares in 3D at their centres, on the side that receives more."""
    if layer != "gain":
        raise ScenarioError(f'layer: found {layer!r}; accepted: "gain" for a coverage of surfaces')
    _check_kind("3d", ax)
    number = devices.one(tx)
    gains = arrays["path_gain_db"][number].max(axis=1)
    is_reached = np.isfinite(gains)
    centres = arrays["centre"]
    low, high = _box(centres)
    axes = _space_axes(ax, low, high)
    # The size of an average tile on the page, where a scene is about 250 points wide.
    side = 250 * np.sqrt(np.median(arrays["area"])) / max(float((high - low).max()), 1e-9)
    size = float(np.clip(side**2, 1, 400))
    square: dict[str, Any] = {"marker": "s", "s": size, "linewidths": 0, "depthshade": False}
    axes.scatter(*centres[~is_reached].T, color=_UNREACHED, **square)
    drawn = axes.scatter(*centres[is_reached].T, c=gains[is_reached], cmap=_GAINS, **square)
    _colour_gains(axes, drawn, gains[is_reached], "path gain, dB")
    _marks(axes, devices, [number])
    _legend(axes, has_unreached=not is_reached.all())
    _title(axes, devices.label(number), "surfaces")
    return axes


def _colour_gains(axes: Any, mappable: Any, found: NDArray[Any], label: str) -> None:
    """Colours from the 5th percentile of the numbers to the largest one."""
    low, high = _range(found, 5) if len(found) else (0.0, 1.0)
    mappable.set_clim(low, high)
    _colour_bar(axes, mappable, label, extend="min" if len(found) and float(found.min()) < low else "neither")


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
    from matplotlib import colormaps
    from matplotlib.colors import BoundaryNorm, ListedColormap

    many: Any = colormaps["tab20"]
    palette = _SERVERS if num <= len(_SERVERS) else many.colors
    colours = [palette[i % len(palette)] for i in range(num)]
    return {"cmap": ListedColormap(colours), "norm": BoundaryNorm(np.arange(num + 1) - 0.5, num)}


def _wall_lines(axes: Any, corners: Points) -> None:
    """Walls as lines: of each triangle the side that is longest from above."""
    from matplotlib.collections import LineCollection

    walls = corners[_walls(corners)][:, :, :2]
    sides = np.stack([walls, np.roll(walls, -1, axis=1)], axis=2)
    longest = np.linalg.norm(sides[:, :, 1] - sides[:, :, 0], axis=2).argmax(axis=1)
    lines = sides[np.arange(len(walls)), longest]
    axes.add_collection(LineCollection(lines, colors="0.15", linewidths=0.7), autolim=False)


# Axes


def _check_kind(kind: str, ax: Any) -> None:
    if kind not in ("plan", "3d"):
        raise ScenarioError(f'kind: found {kind!r}; accepted: "plan", "3d"')
    projection = getattr(ax, "name", None)
    if ax is not None and projection != ("3d" if kind == "3d" else "rectilinear"):
        found = repr(ax) if projection is None else f'axes with projection="{projection}"'
        accepted = 'axes with projection="3d"' if kind == "3d" else "axes of two dimensions"
        raise ScenarioError(f"ax: found {found}; accepted: {accepted}")


def _check_number(triangles: int) -> None:
    if triangles > MAX_TRIANGLES_3D:
        accepted = f'"plan", or scenes of up to {MAX_TRIANGLES_3D} triangles'
        raise ScenarioError(f'kind: found "3d" for {triangles} triangles; accepted: {accepted}')


def _plan_axes(ax: Any, low: Points, high: Points) -> Any:
    """Axes for a plan of this box. Their figure, if it is new, is as high as the box needs."""
    axes = ax
    if axes is None:
        height = 0.9 + 5.4 * (high[1] - low[1]) / max(high[0] - low[0], 1e-9)
        axes = _figure(7, float(np.clip(height, 3, 7))).add_subplot()
    axes.set_aspect("equal")
    axes.set_xlabel("x, m")
    axes.set_ylabel("y, m")
    return axes


def _space_axes(ax: Any, low: Points, high: Points) -> Any:
    """Axes for a view of this box with equal scales."""
    axes = ax
    if axes is None:
        axes = _figure(8, 5.5).add_subplot(projection="3d")
    size = np.maximum(high - low, 0.02 * max(float((high - low).max()), 1e-9))
    for name, first, length in zip("xyz", low, size):
        axes.set(**{f"{name}lim": (first, first + length), f"{name}label": f"{name}, m"})
        axes.locator_params(axis=name, nbins=6 if length > 0.3 * size.max() else 2)
    axes.set_box_aspect(size, zoom=0.95)
    axes.xaxis.labelpad = axes.yaxis.labelpad = axes.zaxis.labelpad = 7
    return axes


def _figure(width: float, height: float) -> Any:
    import matplotlib.pyplot as plt

    figure: Any = plt.figure(figsize=(width, height), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.1, h_pad=0.08)
    return figure


def _colour_bar(axes: Any, mappable: Any, label: str, **options: Any) -> Any:
    """A colour bar beside the axes, in a plan as high as they are."""
    if axes.name == "3d":
        return axes.figure.colorbar(mappable, ax=axes, label=label, shrink=0.6, pad=0.1, **options)
    return axes.figure.colorbar(mappable, cax=axes.inset_axes((1.02, 0.0, 0.035, 1.0)), label=label, **options)


def _legend(axes: Any, has_unreached: bool = False) -> None:
    """The markers, above the axes at the right."""
    from matplotlib.patches import Patch

    handles = axes.get_legend_handles_labels()[0]
    if has_unreached:
        handles.append(Patch(color=_UNREACHED, label="no path"))
    where: dict[str, Any] = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "borderaxespad": 0.1}
    axes.legend(handles=handles, ncols=3, frameon=False, handletextpad=0.3, columnspacing=1.0, **where)


def _title(axes: Any, name: str, more: str = "") -> None:
    """A title at the left: the legend is at the right."""
    text = ", ".join(part for part in (_plain(name, 40), more) if part)
    axes.set_title(text, loc="left", fontsize="medium")


def _part(name: str, low: float, high: float) -> Any:
    """A part of a colour map."""
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    return ListedColormap(colormaps[name](np.linspace(low, high, 256)))


def _plain(text: str, length: int) -> str:
    """A text of the user on one line, in which dollars are no formulas."""
    line = " ".join(text.split())
    line = line if len(line) <= length else line[: length - 3] + "..."
    return line.replace("$", r"\$")


# Geometry


def _box(points: Points) -> tuple[Points, Points]:
    flat = points.reshape(-1, 3)
    return flat.min(axis=0), flat.max(axis=0)


def _wider(low: float, high: float, share: float) -> tuple[float, float]:
    margin = share * (high - low) or 0.5
    return low - margin, high + margin


def _range(values: Points, percentile: float = 0) -> tuple[float, float]:
    """The range of colours from a percentile to the largest value, never empty."""
    low, high = float(np.percentile(values, percentile)), float(values.max())
    return (low, high) if high - low > 1e-6 else (low - 0.5, high + 0.5)


def _window(points: Points, corners: Points | None) -> tuple[Points, Points]:
    """The x and y of which a picture of paths shows the scene: around all points, as far as the scene reaches."""
    low, high = (corner[:2] for corner in _box(points))
    margin = max(0.15 * float((high - low).max()), 1.0)
    centre, half = (low + high) / 2, (high - low) / 2 + margin
    half = np.maximum(half, 0.5 * half.max())
    first, last = centre - half, centre + half
    if corners is not None:
        scene_low, scene_high = (corner[:2] for corner in _box(corners))
        margin = 0.02 * float((scene_high - scene_low).max())
        first = np.maximum(first, np.minimum(scene_low, low) - margin)
        last = np.minimum(last, np.maximum(scene_high, high) + margin)
    return first, last


def _normals(corners: Points) -> Points:
    """Unit normals of triangles; zero for those without an area."""
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(across, axis=1, keepdims=True)
    normals: Points = np.divide(across, length, out=np.zeros_like(across), where=length > 0)
    return normals


def _walls(corners: Points) -> NDArray[np.bool_]:
    is_wall: NDArray[np.bool_] = np.abs(_normals(corners)[:, 2]) <= MAX_WALL_NORMAL_Z
    return is_wall


def _creases(corners: Points) -> Points:
    """Sides of triangles that are not inside a flat or gently bent surface, ``(n, 2, 3)``."""
    _, index = np.unique(corners.reshape(-1, 3).round(6), axis=0, return_inverse=True)
    triangles = index.reshape(-1, 3)
    sides = np.sort(np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2).reshape(-1, 2), axis=1)
    normals = np.repeat(_normals(corners), 3, axis=0)
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
