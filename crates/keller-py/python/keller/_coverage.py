"""Coverages: what arrives in the cells of a region, or on surfaces."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _html, _keller, _pictures
from ._checks import file_name
from ._keller import ScenarioError
from ._page import Page
from ._scene import Scene

if TYPE_CHECKING:
    import xarray


class Coverage:
    """What arrives from every Tx in the cells of a region, or on tiles of surfaces.

    :meth:`World.coverage` and :func:`run` make coverages. ``arrays`` has all arrays by name, as ``keller coverage -o
    OUT.npz`` writes them, and ``coverage[name]`` has one. Of cells:

    - ``x``, ``y``, ``z``: centres of the cells, m; ``z`` is above ``ground`` if there is that array. ``easting``,
      ``northing``: the same as ``x`` and ``y``, where the scene says where on earth it lies
    - ``path_gain_db`` (tx, z, y, x): path gain, dB
    - ``best_server`` (z, y, x): index of the Tx that is received best, -1 where none is
    - ``received_power_dbm`` (z, y, x): power from the best server, with several Tx. For a single one it is
      ``path_gain_db`` plus ``tx_power_dbm``
    - ``second_server``, ``second_power_dbm``, ``total_power_dbm`` (z, y, x), with several Tx: the second best Tx, its
      power, and that of all Tx together
    - ``sinr_db`` (z, y, x), with ``noise_dbm``: power of the best server over noise and all other Tx
    - ``tx_name``, ``tx_power_dbm`` (tx,)

    Values are NaN where no receiver can be, gains and powers minus infinity where no path leads. Of surfaces, arrays
    such as ``path_gain_db`` are (tx, tile, side), and ``centre``, ``area`` and ``face`` say where the tiles lie.
    """

    #: Arrays have names; there is nothing to go through by numbers.
    __iter__ = None

    def __init__(self, job: _keller.Job, compiled: _keller.Coverage, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._job, self._compiled = job, compiled
        self.arrays = dict(arrays)

    @classmethod
    def _filled(cls, job: _keller.Job, tell: _keller.Tell, region: int = 0) -> Coverage:
        compiled = job.coverage(region, tell)
        return cls(job, compiled, compiled.arrays(tell))

    @property
    def scenario(self) -> str:
        """The text of the scenario that was run: the program runs it too."""
        return self._job.text

    @cached_property
    def scene(self) -> Scene:
        """The scene that is covered."""
        return Scene(self._job.scene, [])

    def save(self, file: str | PathLike[str]) -> None:
        """Writes the file that ``keller coverage -o FILE`` writes.

        Of cells: .tif, .zarr, .npz, .csv, .parquet, .json, .geojson (contours) or .glb. Of surfaces: .npz, .csv,
        .parquet, .json, .png or .glb.
        """
        self._compiled.save(file_name("file", file))

    def view(self) -> Page:
        """The coverage in its scene as a page, with all layers and heights; a notebook shows it."""
        return Page(self._compiled.page())

    def __getitem__(self, name: str) -> NDArray[Any]:
        """An array by its name, such as ``path_gain_db``."""
        try:
            return self.arrays[name]
        except KeyError:
            raise KeyError(f"{name!r}; the arrays are {', '.join(self.arrays)}") from None

    @property
    def path_gain_db(self) -> NDArray[np.float32]:
        """Path gains of every Tx, dB, ``(tx, z, y, x)``.

        NaN where no receiver can be, minus infinity where no path leads.
        """
        return self["path_gain_db"]

    def __contains__(self, name: object) -> bool:
        return name in self.arrays

    def __repr__(self) -> str:
        shape = self.arrays["path_gain_db"].shape if "path_gain_db" in self.arrays else "?"
        return f"<keller.Coverage: path_gain_db of shape {shape}>"

    def to_xarray(self) -> xarray.Dataset:
        """The arrays with dimensions tx, z, y and x, units and coordinates.

        In a scene that says where on earth it lies, ``x`` and ``y`` are easting and northing, ``local_x`` and
        ``local_y`` the scene's own metres, and ``spatial_ref`` holds the coordinate reference system where rioxarray
        looks for it: ``data.rio.crs``.

        In a turned region ``x`` and ``y`` run along its own axes from its ``corner``, and ``scene_x``, ``scene_y`` (and
        ``easting``, ``northing``) have the dimensions y and x.
        """
        import xarray

        if "x" not in self.arrays:
            raise ScenarioError("to_xarray: a coverage of surfaces has no grid; accepted: its arrays by name")
        sizes = {"tx": len(self["tx_name"]), "z": len(self["z"]), "y": len(self["y"]), "x": len(self["x"])}
        grid = ("z", "y", "x")
        dims = {
            (sizes["tx"],): ("tx",),
            tuple(sizes[name] for name in grid): grid,
            tuple(sizes.values()): ("tx", *grid),
        }
        is_turned = "x_axis" in self.arrays
        is_placed = "easting" in self.arrays and not is_turned
        mapping = {"grid_mapping": "spatial_ref"} if is_placed else {}
        variables: dict[str, Any] = {}
        for name, array in self.arrays.items():
            if name in _COORDINATES:
                continue
            of = ("y", "x") if name == "ground" else dims.get(array.shape)
            if of is not None:
                variables[name] = (of, array, {**_units(name), **(mapping if "x" in of else {})})
        metres = {"units": "m"}
        x, y = ("easting", "northing") if is_placed else ("x", "y")
        coords: dict[str, Any] = {
            "x": ("x", self[x], {**metres, "axis": "X", "standard_name": "projection_x_coordinate"}),
            "y": ("y", self[y], {**metres, "axis": "Y", "standard_name": "projection_y_coordinate"}),
            "z": ("z", self["z"], {**metres, "axis": "Z"}),
            "tx": ("tx", self["tx_name"]),
        }
        attributes: dict[str, Any] = {"keller": _keller.__version__, "scenario": self.scenario}
        if is_turned:
            for name in ("scene_x", "scene_y", "easting", "northing"):
                if name in self.arrays:
                    coords[name] = (("y", "x"), self[name], metres)
            attributes["corner"], attributes["x_axis"] = self["corner"], self["x_axis"]
            if "crs" in self.arrays:
                attributes["crs"] = bytes(self["crs"]).decode()
        if is_placed:
            attributes["crs"] = bytes(self["crs"]).decode()
            coords["local_x"] = ("x", self["x"], metres)
            coords["local_y"] = ("y", self["y"], metres)
            coords["spatial_ref"] = ((), 0, _grid_mapping(attributes["crs"]))
        return xarray.Dataset(variables, coords, attributes)

    def plot(self, tx: int | str = 0, level: int = 0, ax: Any = None, *, layer: str = "gain") -> Any:
        """Draws one layer on one level with matplotlib; gives the axes.

        ``layer`` is "gain" (of ``tx``, an index or a name), "power" (from the best server), "server" or "sinr" (needs
        ``noise_dbm``). ``level`` counts the heights. Colours reach from the 5th percentile to the largest value. Cells
        without power are pale grey, those in buildings that no power enters are grey, and cells where no receiver can
        be are empty. Walls are lines.

        Of a coverage of surfaces, the gain at every tile is drawn in 3D, on the side that receives more. ``ax`` has
        ``projection="3d"`` then. Raises :class:`ScenarioError` for a layer, level or Tx that is not there.
        """
        devices = _pictures.Devices("Tx", [str(name) for name in self["tx_name"]], self._job.tx_positions)
        if "centre" in self.arrays:
            return _pictures.draw_tiles(self.arrays, devices, tx, layer, ax)
        triangles = (self.scene.vertices, self.scene.triangles)
        return _pictures.draw_cells(self.arrays, devices, tx, level, layer, triangles, ax, self._compiled.buildings)

    def _repr_html_(self) -> str:
        names = [str(name) for name in self["tx_name"]]
        facts: list[_html.Row] = [
            ("frequency", _html.frequency(self._job.frequency)),
            ("Tx", f"{len(names):,}: {_html.names(names)}"),
        ]
        if "centre" in self.arrays:
            facts += [("tiles of surfaces", len(self["centre"])), ("area", f"{self['area'].sum():,.1f} m²")]
        else:
            columns, rows, levels = (len(self[axis]) for axis in "xyz")
            above = " above ground" if "ground" in self.arrays else ""
            facts += [
                ("cells", f"{columns:,} × {rows:,}, {levels:,} level{'s' if levels > 1 else ''}"),
                *((axis, f"{self[axis][0]:g} to {self[axis][-1]:g} m") for axis in "xy"),
                ("z", _html.names([f"{height:g}" for height in self["z"]]) + " m" + above),
            ]
        strongest = (("path_gain_db", "strongest gain", "dB"), ("received_power_dbm", "strongest power", "dBm"))
        for name, what, unit in strongest:
            if name in self.arrays and np.isfinite(self[name]).any():
                facts.append((what, f"{np.nanmax(self[name]):.1f} {unit}"))
        about = ("keller", "scenario", "crs", "origin")
        facts.append(("arrays", ", ".join(name for name in self.arrays if name not in about)))
        facts.append(("memory", _html.memory(sum(array.nbytes for array in self.arrays.values()))))
        return _html.show("keller.Coverage", facts)


#: Arrays that are coordinates or attributes of a data set.
_COORDINATES = (
    *("x", "y", "z", "scene_x", "scene_y", "corner", "x_axis", "easting", "northing"),
    *("tx_name", "crs", "origin", "keller", "scenario"),
)


def _units(name: str) -> dict[str, str]:
    """The unit that the name of an array says."""
    units = {"_dbm": "dBm", "_db": "dB", "_deg": "degree", "_s": "s", "_m": "m"}
    found = next((unit for suffix, unit in units.items() if name.endswith(suffix)), None)
    return {} if found is None else {"units": found}


def _grid_mapping(crs: str) -> dict[str, Any]:
    """A coordinate reference system as CF conventions and rioxarray have it.

    WKT needs pyproj, which comes with rioxarray.
    """
    try:
        from pyproj import CRS
    except ModuleNotFoundError:
        return {"spatial_ref": crs}
    attributes: dict[str, Any] = CRS.from_user_input(crs).to_cf()
    return {**attributes, "spatial_ref": attributes["crs_wkt"]}
