"""What all pictures share: axes, colour bars, legends, titles and colours."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._keller import PALETTE, ScenarioError
from .shapes import Points

# Okabe and Ito, "Color Universal Design" (2008): distinct for all kinds of colour vision.
BLACK, BLUE, GREEN, RED, SKY, PINK, ORANGE, YELLOW = (
    "#000000", "#0072B2", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#E69F00", "#F0E442",
)  # fmt: skip

#: The colours of the program's pictures and of the viewer's page.
_PALETTE: dict[str, Any] = json.loads(PALETTE)
SERVERS: list[str] = _PALETTE["servers"]
NOTHING: str = _PALETTE["nothing"]
BUILDING: str = _PALETTE["building"]


def check_kind(kind: str, ax: Any) -> None:
    """Raises unless the kind of picture exists and suits the axes that are given."""
    if kind not in ("plan", "3d"):
        raise ScenarioError(f'kind: found {kind!r}; accepted: "plan", "3d"')
    projection = getattr(ax, "name", None)
    if ax is not None and projection != ("3d" if kind == "3d" else "rectilinear"):
        found = repr(ax) if projection is None else f'axes with projection="{projection}"'
        accepted = 'axes with projection="3d"' if kind == "3d" else "axes of two dimensions"
        raise ScenarioError(f"ax: found {found}; accepted: {accepted}")


def plan_axes(ax: Any, low: Points, high: Points) -> Any:
    """Axes for a plan of this box. Their figure, if it is new, is as high as the box needs."""
    axes = ax
    if axes is None:
        height = 0.9 + 5.4 * (high[1] - low[1]) / max(high[0] - low[0], 1e-9)
        axes = new_figure(7, float(np.clip(height, 3, 7))).add_subplot()
    axes.set_aspect("equal")
    axes.set_xlabel("x, m")
    axes.set_ylabel("y, m")
    return axes


def space_axes(ax: Any, low: Points, high: Points) -> Any:
    """Axes for a view of this box with equal scales."""
    axes = ax
    if axes is None:
        axes = new_figure(8, 5.5).add_subplot(projection="3d")
    size = np.maximum(high - low, 0.02 * max(float((high - low).max()), 1e-9))
    for name, first, length in zip("xyz", low, size, strict=True):
        axes.set(**{f"{name}lim": (first, first + length), f"{name}label": f"{name}, m"})
        axes.locator_params(axis=name, nbins=6 if length > 0.3 * size.max() else 2)
    axes.set_box_aspect(size, zoom=0.95)
    axes.xaxis.labelpad = axes.yaxis.labelpad = axes.zaxis.labelpad = 7
    return axes


def new_figure(width: float, height: float) -> Any:
    """A figure of this size in inches."""
    import matplotlib.pyplot as plt

    figure: Any = plt.figure(figsize=(width, height), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.1, h_pad=0.08)
    return figure


def colour_gains(axes: Any, mappable: Any, found: NDArray[Any], label: str) -> None:
    """Colours from the 5th percentile of the numbers to the largest one."""
    low, high = colour_range(found, 5) if len(found) else (0.0, 1.0)
    mappable.set_clim(low, high)
    colour_bar(axes, mappable, label, extend="min" if len(found) and float(found.min()) < low else "neither")


def colour_bar(axes: Any, mappable: Any, label: str, **options: Any) -> Any:
    """A colour bar beside the axes, in a plan as high as they are."""
    if axes.name == "3d":
        return axes.figure.colorbar(mappable, ax=axes, label=label, shrink=0.6, pad=0.1, **options)
    return axes.figure.colorbar(mappable, cax=axes.inset_axes((1.02, 0.0, 0.035, 1.0)), label=label, **options)


def colour_range(values: Points, percentile: float = 0) -> tuple[float, float]:
    """The range of colours from a percentile to the largest value, never empty."""
    low, high = float(np.percentile(values, percentile)), float(values.max())
    return (low, high) if high - low > 1e-6 else (low - 0.5, high + 0.5)


def part_of_colours(name: str, low: float, high: float) -> Any:
    """A part of a colour map."""
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    return ListedColormap(colormaps[name](np.linspace(low, high, 256)))


def scale(name: str) -> Any:
    """The colours of a scale of the program: "gain", "sinr", "delay" or "difference"; strong is bright."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list(f"keller-{name}", _PALETTE["scales"][name])


def legend(axes: Any, has_unreached: bool = False, has_buildings: bool = False) -> None:
    """The markers, above the axes at the right."""
    from matplotlib.patches import Patch

    handles = axes.get_legend_handles_labels()[0]
    if has_buildings:
        handles.append(Patch(color=BUILDING, label="building"))
    if has_unreached:
        handles.append(Patch(color=NOTHING, label="no power"))
    where: dict[str, Any] = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "borderaxespad": 0.1}
    axes.legend(handles=handles, ncols=3, frameon=False, handletextpad=0.3, columnspacing=1.0, **where)


def title(axes: Any, name: str, more: str = "") -> None:
    """A title at the left: the legend is at the right."""
    text = ", ".join(part for part in (plain_text(name, 40), more) if part)
    axes.set_title(text, loc="left", fontsize="medium")


def plain_text(text: str, length: int) -> str:
    """A text of the user on one line, in which dollars are no formulas."""
    line = " ".join(text.split())
    line = line if len(line) <= length else line[: length - 3] + "..."
    return line.replace("$", r"\$")
