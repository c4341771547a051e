"""Scenes: the geometry of a place."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _html, _keller, _pictures, program
from ._checks import file_name, index_array, real_array
from ._keller import ScenarioError
from ._page import Page
from ._progress import listener
from ._text import documented, quoted, section, split

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .options import BuildingOptions, OpeningOptions
    from .program import ImportOptions

_Name = str | PathLike[str]


class Scene:
    """A checked, immutable scene: planar faces with materials, and the edges that diffract.

    :func:`load_scene`, :func:`import_place` and :func:`scene_from_triangles` make scenes. The geometry is in
    ``vertices``, ``triangles`` and ``material_of``, and in ``faces`` and ``edges`` under the numbers that results refer
    to. ``describe()`` says what the scene consists of and what is wrong with it, ``preview()``, ``picture()`` and
    ``plot()`` show it, ``save()`` writes it. :class:`World` gives it materials and a frequency.
    """

    def __init__(
        self,
        compiled: _keller.Scene,
        files: Sequence[str],
        buildings: Sequence[Mapping[str, Any]] = (),
        openings: Sequence[Mapping[str, Any]] = (),
        meshes: Mapping[str, str | float | None] | None = None,
    ) -> None:
        self._compiled = compiled
        self._files = list(files)
        self._meshes = dict(meshes or {})
        self._buildings = [dict(building) for building in buildings]
        self._openings = [dict(opening) for opening in openings]

    @property
    def materials(self) -> list[str]:
        """Names of the materials, to which the materials of a :class:`World` belong."""
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

    def preview(self) -> Page:
        """The scene as a page, to be turned and cut; a notebook shows it."""
        return Page(self._compiled.page())

    def picture(self) -> Picture:
        """A picture of the scene from the air; a notebook shows it."""
        return Picture(self._compiled.view())

    def save(self, file: _Name) -> None:
        """Writes the scene as .glb, which browsers, Blender and :func:`load_scene` open.

        Coordinates are single precision there.
        """
        self._compiled.save(file_name("file", file))

    def plot(self, ax: Any = None, *, kind: str = "plan", below: float | None = None) -> Any:
        """Draws the triangles with matplotlib, coloured by height; gives the axes.

        ``kind`` is "plan", seen from above with walls as lines, or "3d", with grey walls, in axes with
        ``projection="3d"``. ``below`` leaves out triangles that lie wholly at this height (metres) or higher, such as a
        ceiling. Raises :class:`ScenarioError` for "3d" with more than 20 000 triangles.
        """
        return _pictures.draw_scene(self.vertices, self.triangles, kind, below, ax)

    def _repr_html_(self) -> str:
        corners = self.vertices[self.triangles]
        areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2
        materials = self.materials
        counts = np.bincount(self.material_of, minlength=len(materials))
        sums = np.bincount(self.material_of, areas, minlength=len(materials))
        facts: list[_html.Row] = [
            ("faces", self.num_faces),
            ("edges", self.num_edges),
            ("triangles", len(corners)),
            ("size", _html.size(self.bounds[1] - self.bounds[0])),
        ]
        if self.crs is not None and self.origin is not None:
            place = ", ".join(f"{value:.1f} m" for value in self.origin)
            facts += [("CRS", self.crs), ("easting, northing, height of (0, 0, 0)", place)]
        rows = [(name, int(count), f"{area:,.1f}") for name, count, area in zip(materials, counts, sums, strict=True)]
        return _html.show("keller.Scene", facts, ("material", "triangles", "area, m²"), rows)

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
        Path(file_name("file", file)).write_bytes(self.png)

    def _repr_png_(self) -> bytes:
        return self.png


@documented("[[building]]", "[[opening]]")
def load_scene(
    file: _Name | Sequence[_Name],
    *,
    buildings: Iterable[BuildingOptions] = (),
    openings: Iterable[OpeningOptions] = (),
    up: str | None = None,
    unit: str | None = None,
    terrain_wedge_deg: float | None = None,
    terrain_error_m: float | None = None,
    cache: _Name | None = None,
    progress: bool = False,
) -> Scene:
    """The scene in one file or several: Mitsuba XML (as in Sionna RT), glTF, GLB, OBJ, PLY, STL.

    file: a name, or a list of names of files that make one scene.
    buildings: models of buildings with rooms that take the place of buildings of these files, each a dict of keys
        below. ``describe()["buildings"]`` says what each has replaced, and how it misses its surroundings.
    openings: windows and doors in upright walls, each kind a dict of keys below. ``describe()["openings"]`` says how
        many there are.
    up: "y" or "z", the axis that points up in OBJ, PLY and STL files that do not say so.
    unit: "m", "mm", "cm", "km", "in" or "ft", the unit of coordinates in files that do not say so.
    terrain_wedge_deg: bends between facets of terrain below this angle, degrees from 0.57 to 90, are no wedges but a
        smooth surface: waves are reflected there, and not diffracted.
    terrain_error_m: terrain becomes fewer facets, nowhere farther than this from the given ones in height, metres.
    cache: the name of a file in which the built scene is kept from run to run.
    progress: shows a bar if tqdm is installed.

    Raises :class:`ImportError` for a file that cannot be read, :class:`ScenarioError` for other arguments. What looks
    wrong with the geometry is a KellerWarning.
    """
    found = [file] if isinstance(file, (str, PathLike)) or not isinstance(file, Iterable) else list(file)
    files = [file_name("file", name) for name in found]
    if not files:
        raise ScenarioError("file: found an empty list; accepted: one name or more")
    for name, text in (("up", up), ("unit", unit)):
        if text is not None and not isinstance(text, str):
            raise ScenarioError(f"{name}: found {text!r}; accepted: text")
    bend = _number("terrain_wedge_deg", terrain_wedge_deg, 0.57, 90, "a number from 0.57 to 90, degrees")
    error = _number("terrain_error_m", terrain_error_m, 0, math.inf, "a number of at least 0, metres")
    kept = None if cache is None else file_name("cache", cache)
    models = _dicts("buildings", "[[building]]", buildings)
    cuts = _dicts("openings", "[[opening]]", openings)
    text = "".join(section("[[building]]", model) for model in models)
    text += "".join(section("[[opening]]", cut) for cut in cuts)
    with listener(progress) as tell:
        compiled = _keller.Scene.load(files, up, unit, kept, bend, error, text, tell)
    settings = {"up": up, "unit": unit, "terrain_wedge_deg": bend, "terrain_error_m": error}
    return Scene(compiled, files, models, cuts, settings)


def _number(name: str, found: float | None, low: float, high: float, accepted: str) -> float | None:
    if found is None:
        return None
    number = float(real_array(name, found, lambda shape: shape == (), accepted))
    if not low <= number <= high or not math.isfinite(number):
        raise ScenarioError(f"{name}: found {found!r}; accepted: {accepted}")
    return number


def import_place(
    files: _Name | Sequence[_Name], *, keep: _Name | None = None, **options: Unpack[ImportOptions]
) -> Scene:
    """The scene of a place from maps: what ``keller import`` makes of them.

    ``files`` are buildings (GeoJSON, CityJSON, Shapefile, OpenStreetMap, COST 231), terrain (GeoTIFF, ASC, HGT) and
    meshes. ``keep`` names a .glb in which the scene is kept: :func:`load_scene` opens it in a fraction of the time.
    ``options`` are those of :func:`keller.program.import_`: ``crs``, ``bounds``, ``ground``, ``margin``,
    ``terrain_error``, ``height_key``, ``height_unit``, ``default_height``, ``level_height``, ``wall``, ``roof``,
    ``storeys``, ``rooms``, ``up``, ``mesh_unit``.
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

    ``vertices`` is ``(n, 3)`` in metres, ``triangles`` ``(m, 3)`` indices of vertices. ``material`` is the name of the
    material of all triangles, or a list of names of which ``material_of``, ``(m,)``, has an index for each triangle::

        corners = [[0, 0, 0], [50, 0, 0], [50, 50, 0], [0, 50, 0]]
        ground = keller.scene_from_triangles(corners, [[0, 1, 2], [0, 2, 3]], "soil")

    Triangles that lie in one plane and touch become one face. Raises :class:`ScenarioError` for arrays of other shapes
    and types, indices out of range, and coordinates that are not finite or beyond 1e7 m.
    """
    names = [material] if isinstance(material, str) else list(material) if isinstance(material, Iterable) else []
    if not names or not all(isinstance(name, str) for name in names):
        raise ScenarioError(f"material: found {material!r}; accepted: a name, or a list of names")
    for name in names:
        quoted("material", name)
    corners = real_array("vertices", vertices, _is_table, "an array of shape (n, 3), metres")
    indices = index_array("triangles", triangles, _is_table, "(m, 3)", len(corners))
    if material_of is None:
        material_of = np.zeros(len(indices), dtype=np.uint32)
    of = index_array("material_of", material_of, lambda shape: shape == (len(indices),), "(m,)", len(names))
    with listener() as tell:
        return Scene(_keller.Scene.from_arrays(corners, indices, names, of, tell), [])


def _dicts(name: str, title: str, found: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    items = list(found) if isinstance(found, Iterable) else [found]
    for number, item in enumerate(items):
        if not isinstance(item, Mapping):
            raise ScenarioError(f"{name}[{number}]: found {item!r}; accepted: a dict of the keys of {title}")
    return [split(item, title)[title] for item in items]


def _is_table(shape: tuple[int, ...]) -> bool:
    return len(shape) == 2 and shape[0] > 0 and shape[1] == 3
