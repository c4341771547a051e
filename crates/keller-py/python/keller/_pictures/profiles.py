"""Power-delay profiles: the gain of each path of a link over its delay."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._keller import ScenarioError
from .axes import BLACK, BLUE, GREEN, PINK, RED, SKY, check_kind, new_figure, title
from .devices import Devices
from .paths import Columns

#: Classes of paths: colour, marker.
_CLASSES = {
    "line of sight": (BLACK, "*"),
    "reflection": (BLUE, "o"),
    "transmission": (GREEN, "s"),
    "diffraction": (RED, "^"),
    "scattering": (SKY, "D"),
    "mixed": (PINK, "P"),
}
_CLASS_OF = {"R": "reflection", "T": "transmission", "D": "diffraction", "S": "scattering"}


def draw_profile(columns: Columns, devices: tuple[Devices, Devices], tx: int | str, rx: int | str, ax: Any) -> Any:
    """Draws the gains of a link's paths over their delays, a stem each, by class of path."""
    check_kind("plan", ax)
    ends = [devices[0].one(tx), devices[1].one(rx)]
    link = " → ".join(of.label(index) for of, index in zip(devices, ends, strict=True))
    is_of_link = (columns["tx"][1] == ends[0]) & (columns["rx"][1] == ends[1])
    rows = np.flatnonzero(is_of_link & np.isfinite(columns["gain_db"][1]))
    if not len(rows):
        raise ScenarioError(f"plot_pdp: found no path of the link {link}; accepted: a link with paths")
    delays, gains_db = columns["delay_s"][1][rows], columns["gain_db"][1][rows]
    classes = np.array([class_of(columns["types"][1][row]) for row in rows])
    axes = new_figure(7, 4).add_subplot() if ax is None else ax
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
    title(axes, link)
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
