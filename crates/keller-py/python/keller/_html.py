"""What notebooks show of an object: small tables that need nothing from elsewhere and suit dark and light pages."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ._coverage import Coverage
    from ._paths import Paths
    from ._scene import Scene
    from ._world import World

#: Rows of a table before "... and N more".
MAX_ROWS = 10
#: Of more paths, what the links receive is not summed up for a table.
MAX_PATHS = 1_000_000

# Notebooks and web pages drop style sheets, so every cell has its own style. Colours are those of the page, and lines
# are half transparent.
_LINE = "border:0;border-bottom:1px solid rgba(128,128,128,0.35)"
_CELL = f"padding:0.15em 0.9em 0.15em 0;{_LINE};background:none;vertical-align:top"
_TABLE = "border-collapse:collapse;border:0;margin:0.4em 0;color:inherit;background:none"

Row = Sequence[object]


def scene(of: Scene) -> str:
    """A scene: how much it holds, how large it is, and its materials."""
    corners = of.vertices[of.triangles]
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2
    materials = of.materials
    counts = np.bincount(of.material_of, minlength=len(materials))
    sums = np.bincount(of.material_of, areas, minlength=len(materials))
    facts: list[Row] = [
        ("faces", of.num_faces),
        ("edges", of.num_edges),
        ("triangles", len(corners)),
        ("size", _size(of.bounds[1] - of.bounds[0])),
    ]
    if of.crs is not None and of.origin is not None:
        place = ", ".join(f"{value:.1f} m" for value in of.origin)
        facts += [("CRS", of.crs), ("easting, northing, height of (0, 0, 0)", place)]
    rows = [(name, int(count), f"{area:,.1f}") for name, count, area in zip(materials, counts, sums, strict=True)]
    return show("keller.Scene", facts, ("material", "triangles", "area, m²"), rows)


def world(of: World) -> str:
    """A world: its frequency, its scene and what its materials are."""
    default = of.default_material or "none"
    if of.default_material and of.default_thickness is not None:
        default += f", {of.default_thickness:g} m"
    box = _size(of.scene.bounds[1] - of.scene.bounds[0])
    facts: list[Row] = [
        ("frequency", _frequency(of.frequency)),
        ("scene", f"{of.scene.num_faces:,} faces, {of.scene.num_edges:,} edges, {box}"),
        ("materials of the scene", _names(of.scene.materials)),
        ("default material", default),
    ]
    definitions = {name: material.options.items() for name, material in of.materials.items()}
    rows = [(name, ", ".join(f"{key} = {value}" for key, value in items)) for name, items in definitions.items()]
    return show("keller.World", facts, ("material", "definition"), rows, num_texts=2)


def paths(of: Paths) -> str:
    """Paths: how many there are, and what the first links receive."""
    facts: list[Row] = [("paths", len(of)), ("frequency", _frequency(of._job.frequency))]
    facts += [
        (device, f"{len(names):,}: {_names(names)}") for device, names in zip(("Tx", "Rx"), of._job.names, strict=True)
    ]
    if len(of) > MAX_PATHS:
        return show("keller.Paths", facts)
    links = {name: values for name, (_, values) in of._links.items()}
    tx, rx, gains, spreads = (links[name] for name in ("tx_name", "rx_name", "gain_incoherent_db", "delay_spread_s"))
    if np.isfinite(gains).any():
        best = int(np.nanargmax(gains))
        facts.append(("strongest link", f"{tx[best]} → {rx[best]}, {gains[best]:.1f} dB"))
    rows = [
        (
            tx[i],
            rx[i],
            int(links["num_paths"][i]),
            f"{gains[i]:.1f}" if np.isfinite(gains[i]) else "no path",
            f"{spreads[i] * 1e9:.2f}" if np.isfinite(spreads[i]) else "",
            "yes" if links["line_of_sight"][i] else "no",
        )
        for i in range(min(len(gains), MAX_ROWS))
    ]
    head = ("Tx", "Rx", "paths", "gain, dB (powers added)", "delay spread, ns", "line of sight")
    return show("keller.Paths", facts, head, rows, len(gains), num_texts=2)


def coverage(of: Coverage) -> str:
    """A coverage: its cells or tiles, the strongest gain, and its arrays."""
    names = [str(name) for name in of["tx_name"]]
    facts: list[Row] = [("frequency", _frequency(of._job.frequency)), ("Tx", f"{len(names):,}: {_names(names)}")]
    if "centre" in of.arrays:
        facts += [("tiles of surfaces", len(of["centre"])), ("area", f"{of['area'].sum():,.1f} m²")]
    else:
        columns, rows, levels = (len(of[axis]) for axis in "xyz")
        above = " above ground" if "ground" in of.arrays else ""
        facts += [
            ("cells", f"{columns:,} × {rows:,}, {levels:,} level{'s' if levels > 1 else ''}"),
            *((axis, f"{of[axis][0]:g} to {of[axis][-1]:g} m") for axis in "xy"),
            ("z", _names([f"{height:g}" for height in of["z"]]) + " m" + above),
        ]
    strongest = (("path_gain_db", "strongest gain", "dB"), ("received_power_dbm", "strongest power", "dBm"))
    for name, what, unit in strongest:
        if name in of.arrays and np.isfinite(of[name]).any():
            facts.append((what, f"{np.nanmax(of[name]):.1f} {unit}"))
    about = ("keller", "scenario", "crs", "origin")
    facts.append(("arrays", ", ".join(name for name in of.arrays if name not in about)))
    facts.append(("memory", _memory(sum(array.nbytes for array in of.arrays.values()))))
    return show("keller.Coverage", facts)


def show(
    title: str,
    facts: Sequence[Row],
    head: Row = (),
    rows: Sequence[Row] = (),
    num_rows: int = 0,
    num_texts: int = 1,
) -> str:
    """A title, a table of facts (name and value), and a table of ``rows`` under ``head``: the first of ``num_rows``.

    Columns after the first ``num_texts`` are numbers. All texts are escaped.
    """
    parts = ['<div style="color:inherit;line-height:1.35">', f"<strong>{escape(title)}</strong>"]
    parts += _table([_line(fact, ("th", "td"), len(fact)) for fact in facts])
    if rows:
        lines = [_line(head, ["th"] * len(head), num_texts)]
        lines += [_line(row, ["td"] * len(row), num_texts) for row in rows[:MAX_ROWS]]
        parts += _table(lines)
        more = max(num_rows, len(rows)) - min(len(rows), MAX_ROWS)
        if more > 0:
            parts.append(f'<div style="opacity:0.75">... and {more:,} more</div>')
    parts.append("</div>")
    return "".join(parts)


def _frequency(hz: float) -> str:
    """A frequency with a unit that suits it."""
    return f"{hz / 1e9:g} GHz" if hz >= 1e9 else f"{hz / 1e6:g} MHz"


def _memory(num_bytes: float) -> str:
    """A number of bytes with a unit that suits it."""
    for unit in ("B", "kB", "MB"):
        if num_bytes < 1000:
            return f"{num_bytes:.3g} {unit}"
        num_bytes /= 1000
    return f"{num_bytes:.3g} GB"


def _names(all_names: Sequence[str]) -> str:
    """The first names of a list, and how many more there are."""
    shown = ", ".join(all_names[:MAX_ROWS])
    more = len(all_names) - MAX_ROWS
    return f"{shown} and {more:,} more" if more > 0 else shown


def _size(lengths: Sequence[float]) -> str:
    """Lengths in metres, such as ``5.0 × 4.0 × 2.8 m``."""
    return " × ".join(f"{length:.1f}" for length in lengths) + " m"


def _table(lines: Sequence[str]) -> list[str]:
    return [f'<table style="{_TABLE}"><tbody>', *lines, "</tbody></table>"] if lines else []


def _line(cells: Row, tags: Sequence[str], num_texts: int) -> str:
    out = []
    for number, (tag, value) in enumerate(zip(tags, cells, strict=True)):
        text = f"{value:,}" if isinstance(value, int) else str(value)
        style = f"text-align:{'left' if number < num_texts else 'right'};{_CELL}"
        if tag == "th":
            style = f"font-weight:600;white-space:nowrap;{style}"
        out.append(f'<{tag} style="{style}">{escape(text)}</{tag}>')
    return f'<tr style="background:none">{"".join(out)}</tr>'
