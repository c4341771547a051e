"""Scenes: the geometry of a place."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _html, _keller, _pictures, program
from ._keller import ScenarioError
from ._progress import listener

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .program import ImportOptions

_Name = str | PathLike[str]


class Scene:
    """A checked, immutable scene: planar faces with materials, and their edges. See :func:`load_scene`."""

    def __init__(self, compiled: _keller.Scene, files: Sequence[str]) -> None:
        self._compiled = compiled
        self._files = list(files)

    @property
    def materials(self) -> list[str]:
        """Names of the materials."""
        return self._compiled.materials

    @property
    def bounds(self) -> NDArray[np.float64]:
        """The lowest and the highest corner of the box around everything, ``(2, 3)``, metres."""
        return np.array(self._compiled.bounds)

    @property
    def num_faces(self) -> int:
        """How many planar faces there are."""
        return self._compiled.num_faces

    @property
    def num_edges(self) -> int:
        """How many edges diffract."""
        return self._compiled.num_edges

    @property
    def vertices(self) -> NDArray[np.float64]:
        """Corners of triangles, ``(n, 3)``, metres."""
        return self._compiled.vertices

    @property
    def triangles(self) -> NDArray[np.uint32]:
        """Indices of vertices, ``(m, 3)``."""
        return self._compiled.triangles

    @property
    def material_of(self) -> NDArray[np.uint32]:
        """The material of each triangle, an index of ``materials``, ``(m,)``."""
        return self._compiled.material_of

    @property
    def crs(self) -> str | None:
        """The coordinate reference system of the scene's axes, if its files say so."""
        found = self._compiled.georeference
        return found[0] if found else None

    @property
    def origin(self) -> tuple[float, float, float] | None:
        """Easting, northing and height at the scene's (0, 0, 0), metres, if its files say so."""
        found = self._compiled.georeference
        return (found[1][0], found[1][1], found[1][2]) if found else None

    def describe(self) -> dict[str, Any]:
        """What the scene consists of and what is wrong with it: what ``keller scene --json`` prints."""
        facts: dict[str, Any] = json.loads(self._compiled.facts())
        return facts

    @cached_property
    def faces(self) -> Mapping[str, NDArray[Any]]:
        """The planar faces, by the numbers that ``objects`` of paths have.

        ``plane`` and ``material`` ``(num_faces,)`` are indices, ``area`` ``(num_faces,)`` is in m², ``normal``
        ``(num_faces, 3)`` has unit vectors, and ``of_triangle`` ``(num_triangles,)`` is the face of each triangle.
        """
        return self._compiled.faces()

    @cached_property
    def edges(self) -> Mapping[str, NDArray[Any]]:
        """The edges that diffract, by the numbers that ``objects`` of diffractions have.

        ``ends`` is ``(num_edges, 2, 3)`` in metres, ``faces`` ``(num_edges, 2)`` has -1 where there is no second face,
        and ``exterior_angle`` ``(num_edges,)`` is the angle of the open space around the edge in radians.
        """
        return self._compiled.edges()

    def preview(self) -> Picture:
        """A picture of the scene from the air; a notebook shows it."""
        return Picture(self._compiled.view())

    def save(self, file: _Name) -> None:
        """Writes the scene as .glb, which browsers, Blender and :func:`load_scene` open.

        Coordinates are single precision there.
        """
        self._compiled.save(str(fspath(file)))

    def plot(self, ax: Any = None, *, kind: str = "plan", below: float | None = None) -> Any:
        """Draws the triangles with matplotlib, coloured by height; gives the axes.

        ``kind`` is "plan", seen from above with walls as lines, or "3d", with grey walls, in axes with
        ``projection="3d"``. ``below`` leaves out triangles that lie wholly at this height (metres) or higher, such as a
        ceiling. Raises :class:`ScenarioError` for "3d" with more than 20 000 triangles.
        """
        return _pictures.draw_scene(self.vertices, self.triangles, kind, below, ax)

    def _repr_html_(self) -> str:
        return _html.scene(self)

    def __repr__(self) -> str:
        size = self.bounds[1] - self.bounds[0]
        shape = " x ".join(f"{length:.1f}" for length in size)
        return f"<keller.Scene: {self.num_faces} faces, {self.num_edges} edges, {shape} m, {', '.join(self.materials)}>"


class Picture:
    """A picture as PNG: a notebook shows it, :meth:`save` writes it."""

    def __init__(self, png: bytes) -> None:
        #: The bytes of the file.
        self.png = png

    def save(self, file: _Name) -> None:
        """Writes the picture to a .png."""
        Path(file).write_bytes(self.png)

    def _repr_png_(self) -> bytes:
        return self.png


def load_scene(
    file: _Name | Sequence[_Name],
    *,
    up: str | None = None,
    unit: str | None = None,
    cache: _Name | None = None,
    progress: bool = False,
) -> Scene:
    """The scene in one file or several: Mitsuba XML (as in Sionna RT), glTF, GLB, OBJ, PLY, STL.

    ``up`` ("y" or "z") and ``unit`` ("m", "mm", "ft", ...) say what files do not. ``cache`` names a file in which the
    built scene is kept from run to run.
    """
    names = [file] if isinstance(file, (str, PathLike)) else list(file)
    files = [str(fspath(name)) for name in names]
    if not files:
        raise ScenarioError("load_scene: found no file; accepted: one or more")
    kept = None if cache is None else str(fspath(cache))
    with listener(progress) as tell:
        return Scene(_keller.Scene.load(files, up, unit, kept, tell), files)


def import_place(
    files: _Name | Sequence[_Name], *, keep: _Name | None = None, **options: Unpack[ImportOptions]
) -> Scene:
    """The scene of a place from maps: what ``keller import`` makes of them.

    ``files`` are buildings (GeoJSON, CityJSON, Shapefile, OpenStreetMap, COST 231), terrain (GeoTIFF, ASC, HGT) and
    meshes. ``keep`` names a .glb in which the scene is kept: :func:`load_scene` opens it in a fraction of the time.
    ``options`` are those of :func:`keller.program.import_`: ``crs``, ``bounds``, ``ground``, ``margin``,
    ``terrain_error``, ``height_key``, ``unit``, ``default_height``, ``level_height``, ``wall``, ``roof``, ``up``,
    ``mesh_unit``.
    """
    if keep is not None:
        program.import_(files, out=keep, **options)
        return load_scene(keep)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "scene.glb"
        program.import_(files, out=file, **options)
        return Scene(load_scene(file)._compiled, [])


def scene_from_triangles(
    vertices: ArrayLike,
    triangles: ArrayLike,
    material: str | Sequence[str],
    material_of: ArrayLike | None = None,
) -> Scene:
    """A scene of triangles.

    ``vertices`` is ``(n, 3)`` in metres, ``triangles`` ``(m, 3)`` indices. ``material`` is one name for all, or names
    that ``material_of``, ``(m,)``, counts.
    """
    corners = np.ascontiguousarray(vertices, dtype=np.float64)
    indices = _indices(triangles, "triangles", 2)
    names = [material] if isinstance(material, str) else list(material)
    of = np.zeros(len(indices), dtype=np.uint32) if material_of is None else _indices(material_of, "material_of", 1)
    if corners.ndim != 2:
        raise ScenarioError(f"vertices: found an array of shape {corners.shape}; accepted: (n, 3), metres")
    for name, found, end in (("triangles", indices, len(corners)), ("material_of", of, len(names))):
        if found.size and int(found.max()) >= end:
            raise ScenarioError(f"{name}: found index {int(found.max())}; accepted: 0 to {end - 1}")
    with listener() as tell:
        return Scene(_keller.Scene.from_arrays(corners, indices, names, of, tell), [])


def _indices(values: ArrayLike, name: str, dimensions: int) -> NDArray[np.uint32]:
    array = np.asarray(values)
    if array.ndim != dimensions or not (np.issubdtype(array.dtype, np.integer) or array.size == 0):
        raise ScenarioError(
            f"{name}: found an array of {array.dtype} of shape {array.shape}; accepted: whole numbers, "
            f"{dimensions} dimensions"
        )
    if array.size and (int(array.min()) < 0 or int(array.max()) > 0xFFFF_FFFF):
        raise ScenarioError(f"{name}: found {int(array.min())} to {int(array.max())}; accepted: indices from 0 on")
    return np.ascontiguousarray(array, dtype=np.uint32)
