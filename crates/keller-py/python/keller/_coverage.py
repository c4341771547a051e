"""Coverages: what arrives in the cells of a region, or on surfaces."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _html, _keller, _pictures
from ._keller import ScenarioError

if TYPE_CHECKING:
    import xarray

    from ._scene import Scene


class Coverage:
    """What arrives in the cells of a region from every Tx, or on tiles of surfaces. See :meth:`World.coverage`.

    ``arrays`` has the arrays that ``keller coverage -o OUT.npz`` writes: coordinates ``x``, ``y``, ``z``, ``path_gain_db`` ``(tx, z,
    y, x)``, ``best_server``, ``received_power_dbm`` and more.
    """

    def __init__(
        self,
        compiled: _keller.Coverage,
        arrays: Mapping[str, NDArray[Any]],
        scenario: str,
        job: _keller.Job,
        scene: Scene | None = None,
    ) -> None:
        self._compiled, self._job, self._scene = compiled, job, scene
        self.arrays = dict(arrays)
        #: The text of the scenario that was run.
        self.scenario = scenario

    @classmethod
    def _filled(cls, job: _keller.Job, tell: _keller.Tell, scene: Scene | None = None) -> Coverage:
        compiled = job.coverage(tell)
        return cls(compiled, compiled.arrays(tell), job.text, job, scene)

    def save(self, file: str | PathLike[str]) -> None:
        """Writes the file that ``keller coverage -o FILE`` writes: .tif, .zarr, .npz, .csv, .parquet, .json, .geojson or .glb."""
        self._compiled.save(fspath(file))

    def __getitem__(self, name: str) -> NDArray[Any]:
        try:
            return self.arrays[name]
        except KeyError:
            raise KeyError(f"{name!r}; the arrays are {', '.join(self.arrays)}") from None

    @property
    def path_gain_db(self) -> NDArray[np.float32]:
        """Path gains of every Tx, dB, ``(tx, z, y, x)``: NaN where no receiver can be, minus infinity where no path leads."""
        return self["path_gain_db"]

    def __repr__(self) -> str:
        shape = self.arrays["path_gain_db"].shape if "path_gain_db" in self.arrays else "?"
        return f"<keller.Coverage: path_gain_db of shape {shape}>"

    def to_xarray(self) -> xarray.Dataset:
        """The arrays with their dimensions and coordinates. ``x`` and ``y`` are easting and northing if the scene has a CRS."""
        import xarray

        if "x" not in self.arrays:
            raise ScenarioError("to_xarray: a coverage of surfaces has no grid; accepted: its arrays by name")
        sizes = {"tx": len(self["tx_name"]), "z": len(self["z"]), "y": len(self["y"]), "x": len(self["x"])}
        dims = {(sizes["tx"],): ("tx",), tuple(sizes.values())[1:]: ("z", "y", "x"), tuple(sizes.values()): tuple(sizes)}
        variables: dict[str, Any] = {}
        for name, array in self.arrays.items():
            if name in ("x", "y", "z", "easting", "northing", "tx_name", "crs", "origin", "keller", "scenario"):
                continue
            if name == "ground":
                variables[name] = (("y", "x"), array)
            elif array.shape in dims:
                variables[name] = (dims[array.shape], array)
        is_placed = "easting" in self.arrays
        coords: dict[str, Any] = {
            "x": ("x", self["easting"] if is_placed else self["x"], {"units": "m", "axis": "X"}),
            "y": ("y", self["northing"] if is_placed else self["y"], {"units": "m", "axis": "Y"}),
            "z": ("z", self["z"], {"units": "m", "axis": "Z"}),
            "tx": ("tx", self["tx_name"]),
        }
        attributes = {"keller": _keller.__version__, "scenario": self.scenario}
        if "crs" in self.arrays:
            attributes["crs"] = bytes(self["crs"]).decode()
        return xarray.Dataset(variables, coords, attributes)

    def plot(self, tx: int | str = 0, level: int = 0, ax: Any = None, *, layer: str = "gain") -> Any:
        """Draws one layer on one level with matplotlib; gives the axes.

        ``layer`` is "gain" (of ``tx``, an index or a name), "power" (from the best server), "server" or "sinr" (needs
        ``noise_dbm``). ``level`` counts the heights. Colours reach from the 5th percentile to the largest value. Cells that
        no path reaches are grey, and cells where no receiver can be are empty. Walls are lines if Python knows the scene.

        Of a coverage of surfaces, the gain at every tile is drawn in 3D, on the side that receives more. ``ax`` has
        ``projection="3d"`` then. Raises :class:`ScenarioError` for a layer, level or Tx that is not there.
        """
        devices = _pictures.Devices("Tx", [str(name) for name in self["tx_name"]], self._job.tx_positions)
        if "centre" in self.arrays:
            return _pictures.draw_tiles(self.arrays, devices, tx, layer, ax)
        triangles = None if self._scene is None else (self._scene.vertices, self._scene.triangles)
        return _pictures.draw_cells(self.arrays, devices, tx, level, layer, triangles, ax)

    def _repr_html_(self) -> str:
        return _html.coverage(self)
