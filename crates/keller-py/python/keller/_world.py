"""Worlds: scenes with materials at a frequency, and what they can be asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeVar

from numpy.typing import ArrayLike

from . import _html, _keller
from ._beam_maps import BeamMaps
from ._checks import file_name, gpu_name, positive_number, real_array
from ._coverage import Coverage
from ._devices import Antenna, Rx, RxLike, Tx, TxLike, all_rx, all_tx
from ._keller import ScenarioError
from ._materials import Material
from ._paths import Paths, Question
from ._progress import listener
from ._scene import Scene
from ._text import ALTERNATIVE, REFINE, documented, no_keyword, quoted, renamed, section, split
from ._world_changes import WorldChanges

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .options import (
        BackgroundOptions,
        BeamsKeywords,
        ClutterOptions,
        CoverageKeywords,
        DiffuseOptions,
        PathsKeywords,
    )

T = TypeVar("T")

#: What errors call the text that Python puts together.
_FILE = "<python>"


@documented("[diffuse]", "[background]")
class World:
    """A scene with its materials at a frequency: what is asked for paths and coverages.

    ``scene`` comes from :func:`load_scene`, :func:`import_place` or :func:`scene_from_triangles`. ``frequency`` is the
    carrier, Hz. Every material of the scene needs a definition, and :attr:`Scene.materials` names them::

        brick = keller.Material.itu("brick", thickness=0.2)
        world = keller.World(scene, 3.5e9, materials={"wall": brick}, default_material="concrete")
        paths = world.paths(keller.Tx([1, 1, 2]), [[4, 3, 1.5]], max_reflections=2)
        coverage = world.coverage(keller.Tx([1, 1, 2]), resolution=0.5, heights=[1.5])

    materials: maps names of the scene to :class:`Material`. Names such as ``itu_brick`` need no entry, nor do materials
        that the scene's files define.
    default_material: the name of a material of ``materials`` or of ITU-R P.2040, such as "concrete", for all others.
    default_thickness: the thickness of walls of the default material, metres. Without it they are half spaces, which
        nothing passes.
    itu_below_range: "warn", "allow" or "forbid", for materials of ITU-R P.2040 below the frequencies that it states.
    itu_edition: "P.2040-4", the default, or "P.2040-3": the edition of ITU-R P.2040 whose materials count.
    clutter: volumes that waves cross with loss, each a dict of the keys of ``[[clutter]]``.
    moving: maps names of materials to the velocity of all that is made of them, three numbers, m/s, for Doppler shifts.
    diffuse: a dict of keys below adds the power that walls reflect more often than paths do, or scatter; ``{}`` does
        with their defaults.
    background: a dict of keys below adds power that falls with the distance, such as
        ``{"level_db": -60, "exponent": 3}``.
    gpu: what traces large batches of rays and finds which tiles see each other: "cpu", "gpu", "auto" (a graphics
        card if there is one), or part of a name of :func:`gpus`. Results do not depend on it.

    All are attributes too, and :meth:`with_` changes them in a new world. Raises :class:`ScenarioError` for arguments
    of other types; values are checked where paths or coverages are asked for.
    """

    @renamed
    def __init__(
        self,
        scene: Scene,
        frequency: float,
        *,
        materials: Mapping[str, Material] | None = None,
        default_material: str | None = None,
        default_thickness: float | None = None,
        itu_below_range: str | None = None,
        itu_edition: str | None = None,
        clutter: Iterable[ClutterOptions] = (),
        moving: Mapping[str, ArrayLike] | None = None,
        diffuse: DiffuseOptions | None = None,
        background: BackgroundOptions | None = None,
        gpu: str = "cpu",
    ) -> None:
        if not isinstance(scene, Scene):
            raise ScenarioError(f"scene: found {scene!r}; accepted: what keller.load_scene gives")
        self.scene = scene
        self.frequency = positive_number("frequency", frequency, "Hz")
        self.materials = _by_name("materials", materials, "a keller.Material")
        for name, material in self.materials.items():
            if not isinstance(material, Material):
                raise ScenarioError(f"materials[{name!r}]: found {material!r}; accepted: a keller.Material")
        self.default_material = default_material
        self.default_thickness = default_thickness
        self.itu_below_range = itu_below_range
        self.itu_edition = itu_edition
        self.clutter = _volumes(clutter)
        self.moving = {
            name: real_array(f"moving[{name!r}]", velocity, lambda shape: shape == (3,), "three numbers, m/s")
            for name, velocity in _by_name("moving", moving, "a velocity").items()
        }
        self.diffuse = _keys("diffuse", diffuse)
        self.background = _keys("background", background)
        self.gpu = gpu_name(gpu)

    def with_(self, **changes: Unpack[WorldChanges]) -> World:
        """The same with another ``frequency``, ``materials`` or any other keyword of :class:`World`."""
        keywords: dict[str, Any] = {name: getattr(self, name) for name in WorldChanges.__annotations__}
        unknown = set(changes) - set(keywords)
        if unknown:
            raise no_keyword(sorted(unknown)[0], keywords)
        keywords.update(changes)
        return World(self.scene, **keywords)

    @documented("[paths]", ALTERNATIVE, "[channel]")
    def paths(
        self,
        tx: TxLike,
        rx: RxLike,
        *,
        progress: bool = False,
        file: str | PathLike[str] | None = None,
        **options: Unpack[PathsKeywords],
    ) -> Paths:
        """All paths from every Tx to every Rx.

        ``tx`` is a :class:`Tx` or a list of them. ``rx`` is an array ``(n, 3)``, metres, a :class:`Rx` or a list of
        them, or the name of a CSV file. ``progress`` shows a bar if tqdm is installed. ``file`` is a file of
        paths (``.paths``, of :meth:`Paths.save` or of ``keller paths``) of the same question, to be read instead of
        searching; materials, antennas and frequency may be others.

        Raises :class:`ScenarioError` for what is not accepted. Receivers without paths are a KellerWarning.
        Ctrl-C stops the run.
        """
        sections = split(options, "[paths]", "[channel]")
        name = None if file is None else file_name("file", file)
        return Paths._found(Question(self, all_tx(tx), all_rx(rx), sections), progress, name)

    @documented("[coverage]", "[paths]", ALTERNATIVE, "[beams]", "[streets]", "[tiles]", REFINE)
    def coverage(self, tx: TxLike, *, progress: bool = False, **options: Unpack[CoverageKeywords]) -> Coverage:
        """What arrives from every Tx in all cells of a region, or with ``engine="surfaces"`` on all surfaces.

        Cells lie in planes at ``heights``, above ground or not, or in a volume between ``min`` and ``max``. ``tx`` is a
        :class:`Tx` or a list of them. ``progress`` shows a bar if tqdm is installed.

        Raises :class:`ScenarioError` for what is not accepted. Ctrl-C stops the run.
        """
        sections = split(options, "[coverage]", "[paths]", "[beams]", "[streets]", "[tiles]")
        text = self._text(all_tx(tx), [], sections)
        with listener(progress) as tell:
            return Coverage._filled(_keller.Job(self.scene._compiled, text, _FILE, [], self.gpu, tell), tell)

    @documented("[coverage]", "[beams]")
    def beams(
        self,
        *,
        antenna: Antenna | str | PathLike[str] | None = None,
        power_dbm: float | None = None,
        progress: bool = False,
        **options: Unpack[BeamsKeywords],
    ) -> BeamMaps:
        """A region with ``engine="beams"``, prepared once: then a map of each position of a Tx takes milliseconds.

        ``antenna`` and ``power_dbm`` are those of the Tx, as :class:`Tx` has them; an :class:`Antenna` says where it
        looks. ``progress`` shows a bar if tqdm is installed. Materials change nothing, and there is neither a diffuse
        field nor a background.

        Raises :class:`ScenarioError` for what is not accepted. Ctrl-C stops the run.
        """
        sections = split({"engine": "beams", **options}, "[coverage]", "[beams]")
        world = self.with_()

        def text_at(position: list[float]) -> str:
            return world._text([Tx(position, antenna=antenna, power_dbm=power_dbm)], [], sections)

        # A Tx stands somewhere in every scenario. This place is in no map.
        low, high = self.scene.bounds
        anywhere = [*((low + high) / 2)[:2].tolist(), float(high[2])]
        with listener(progress) as tell:
            job = _keller.Job(self.scene._compiled, text_at(anywhere), _FILE, [], self.gpu, tell)
            return BeamMaps(_keller.BeamMaps(job, tell), text_at, _FILE)

    def _text(self, tx: list[Tx], rx: list[Rx], sections: Mapping[str, Mapping[str, Any]]) -> str:
        """The scenario that this world is asked."""
        scene = {
            "files": self.scene._files or None,
            **self.scene._meshes,
            "default_material": self.default_material,
            "default_thickness": self.default_thickness,
            "itu_below_range": self.itu_below_range,
            "itu_edition": self.itu_edition,
        }
        text = section("# Put together by the Python package keller.", {"frequency_hz": self.frequency})
        text += section("[scene]", {key: value for key, value in scene.items() if value is not None})
        for building in self.scene._buildings:
            text += section("[[building]]", building)
        for opening in self.scene._openings:
            text += section("[[opening]]", opening)
        for name, material in self.materials.items():
            text += section(f"[materials.{quoted('materials', name)}]", material.options)
        for one in tx:
            text += section("[[tx]]", one.options)
        for group in rx:
            entries = dict(group.options)
            title = "[[rx]]"
            if group.points is not None:
                entries = {"position": group.points[0].tolist(), **entries}
                title = f"[[rx]]\n# The first of {len(group.points)} receivers of an array."
            text += section(title, entries)
        for volume in self.clutter:
            text += section("[[clutter]]", volume)
        for name, velocity in self.moving.items():
            text += section("[[moving]]", {"material": name, "velocity": velocity})
        for title, power in (("[diffuse]", self.diffuse), ("[background]", self.background)):
            if power is not None:
                text += section(title, power)
        for title, keys in sections.items():
            if keys or title == "[coverage]":
                text += section(title, keys)
        return text

    def _job(
        self, tx: list[Tx], rx: list[Rx], sections: Mapping[str, Mapping[str, Any]], tell: _keller.Tell
    ) -> _keller.Job:
        points = [(number, group.points) for number, group in enumerate(rx) if group.points is not None]
        text = self._text(tx, rx, sections)
        return _keller.Job(self.scene._compiled, text, _FILE, points, self.gpu, tell)

    def _repr_html_(self) -> str:
        default = self.default_material or "none"
        if self.default_material and self.default_thickness is not None:
            default += f", {self.default_thickness:g} m"
        box = _html.size(self.scene.bounds[1] - self.scene.bounds[0])
        facts: list[_html.Row] = [
            ("frequency", _html.frequency(self.frequency)),
            ("scene", f"{self.scene.num_faces:,} faces, {self.scene.num_edges:,} edges, {box}"),
            ("materials of the scene", _html.names(self.scene.materials)),
            ("default material", default),
        ]
        definitions = {name: material.options.items() for name, material in self.materials.items()}
        rows = [(name, ", ".join(f"{key} = {value}" for key, value in items)) for name, items in definitions.items()]
        return _html.show("keller.World", facts, ("material", "definition"), rows, num_texts=2)

    def __repr__(self) -> str:
        return f"<keller.World at {self.frequency / 1e9:g} GHz of {self.scene!r}>"


def _by_name(name: str, found: Mapping[str, T] | None, what: str) -> dict[str, T]:
    if found is None:
        return {}
    if not isinstance(found, Mapping) or not all(isinstance(key, str) for key in found):
        raise ScenarioError(f"{name}: found {found!r}; accepted: a dict from names of materials to {what} each")
    return dict(found)


def _keys(name: str, found: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The keys of a section that is there or not."""
    if found is None:
        return None
    if not isinstance(found, Mapping):
        raise ScenarioError(f"{name}: found {found!r}; accepted: a dict of the keys of [{name}]")
    return split(found, f"[{name}]")[f"[{name}]"]


def _volumes(clutter: Iterable[ClutterOptions]) -> list[dict[str, Any]]:
    volumes = list(clutter) if isinstance(clutter, Iterable) else [clutter]
    for number, volume in enumerate(volumes):
        if not isinstance(volume, Mapping):
            raise ScenarioError(f"clutter[{number}]: found {volume!r}; accepted: a dict of the keys of [[clutter]]")
    return [split(volume, "[[clutter]]")["[[clutter]]"] for volume in volumes]
