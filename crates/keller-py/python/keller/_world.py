"""Worlds: scenes with materials at a frequency, and what they can be asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _html, _keller
from ._coverage import Coverage
from ._devices import RxLike, TxLike, all_rx, all_tx
from ._keller import ScenarioError
from ._materials import Material
from ._paths import Paths
from ._progress import listener
from ._scene import Scene
from ._text import document, section, split

#: The keywords of a world, beside its scene.
_KEYWORDS = (
    "frequency",
    "materials",
    "default_material",
    "default_thickness",
    "itu_below_range",
    "clutter",
    "moving",
)

#: What errors call the text that Python puts together.
_FILE = "<python>"


class World:
    """A scene with its materials at a frequency.

    ``materials`` maps names of the scene to :class:`Material`; ``default_material`` (a name of ITU-R P.2040, with
    ``default_thickness`` in metres) stands for all others. Names such as ``itu_brick`` need no entry.
    ``itu_below_range`` is "warn", "allow" or "forbid", for materials of ITU-R P.2040 below their frequency range.

    ``clutter`` is a list of volumes that waves cross with loss, each a dict of the keys of ``[[clutter]]``. ``moving``
    maps materials to the velocity (m/s, three numbers) of all that is made of them, for Doppler shifts.
    """

    def __init__(
        self,
        scene: Scene,
        frequency: float,
        *,
        materials: Mapping[str, Material] | None = None,
        default_material: str | None = None,
        default_thickness: float | None = None,
        itu_below_range: str | None = None,
        clutter: Sequence[Mapping[str, Any]] = (),
        moving: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        if not isinstance(scene, Scene):
            raise ScenarioError(f"scene: found {scene!r}; accepted: what keller.load_scene gives")
        self.scene = scene
        self.frequency = frequency
        self.materials = dict(materials or {})
        for name, material in self.materials.items():
            if not isinstance(material, Material):
                raise ScenarioError(f"materials[{name!r}]: found {material!r}; accepted: a keller.Material")
        self.default_material = default_material
        self.default_thickness = default_thickness
        self.itu_below_range = itu_below_range
        self.clutter = [split(volume, "[[clutter]]")["[[clutter]]"] for volume in clutter]
        self.moving = dict(moving or {})

    def with_(self, **changes: Any) -> World:
        """The same with another ``frequency``, ``materials`` or any other keyword of :class:`World`."""
        same = {name: getattr(self, name) for name in _KEYWORDS}
        unknown = set(changes) - set(same)
        if unknown:
            raise ScenarioError(f"{sorted(unknown)[0]}: there is no such keyword; accepted: {', '.join(same)}")
        return World(self.scene, **{**same, **changes})

    def paths(self, tx: TxLike, rx: RxLike, *, progress: bool = False, **options: Any) -> Paths:
        """All paths from every Tx to every Rx.

        ``rx`` is an array ``(n, 3)``, a :class:`Rx` or a list of them, or the name of a CSV file.
        """
        sorted_ = split(options, "[paths]", "[channel]")
        return Paths._found(self, all_tx(tx), all_rx(rx), sorted_, progress)

    def coverage(self, tx: TxLike, *, progress: bool = False, **options: Any) -> Coverage:
        """The coverage of a region by every Tx.

        Cells in planes above ground or in a volume, or with ``engine="tiles"`` the surfaces.
        """
        sorted_ = split(options, "[coverage]", "[paths]", "[tiles]")
        sorted_.setdefault("[coverage]", {})
        text = self._text(all_tx(tx), [], sorted_)
        with listener(progress) as tell:
            return Coverage._filled(_keller.Job(self.scene._compiled, text, _FILE, [], tell), tell)

    def _text(self, tx: list[Any], rx: list[Any], sections: Mapping[str, Mapping[str, Any]]) -> str:
        """The scenario that this world is asked."""
        scene = {
            "files": self.scene._files or None,
            "default_material": self.default_material,
            "default_thickness": self.default_thickness,
            "itu_below_range": self.itu_below_range,
        }
        text = section("# Put together by the Python package keller.", {"frequency_hz": self.frequency})
        text += section("[scene]", {key: value for key, value in scene.items() if value is not None}) or "[scene]\n\n"
        for name, material in self.materials.items():
            quoted = name.replace("\\", "\\\\").replace('"', '\\"')
            text += section(f'[materials."{quoted}"]', material.options)
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
            text += section("[[moving]]", {"material": name, "velocity": np.asarray(velocity, dtype=float)})
        for title, keys in sections.items():
            if keys or title == "[coverage]":
                text += section(title, keys) or f"{title}\n\n"
        return text

    def _job(self, tx: list[Any], rx: list[Any], sections: Mapping[str, Mapping[str, Any]], tell: Any) -> _keller.Job:
        points = [(number, group.points) for number, group in enumerate(rx) if group.points is not None]
        return _keller.Job(self.scene._compiled, self._text(tx, rx, sections), _FILE, points, tell)

    def _repr_html_(self) -> str:
        return _html.world(self)

    def __repr__(self) -> str:
        return f"<keller.World at {self.frequency / 1e9:g} GHz of {self.scene!r}>"


World.paths.__doc__ = (World.paths.__doc__ or "") + document("[paths]", "[channel]")
World.coverage.__doc__ = (World.coverage.__doc__ or "") + document("[coverage]", "[paths]", "[tiles]")
