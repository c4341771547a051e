"""The keywords of worlds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypedDict

from numpy.typing import ArrayLike

from ._materials import Material
from .options import BackgroundOptions, ClutterOptions, DiffuseOptions


class WorldChanges(TypedDict, total=False):
    """The keywords of :class:`keller.World` beside its scene: what :meth:`keller.World.with_` changes."""

    frequency: float
    materials: Mapping[str, Material] | None
    default_material: str | None
    default_thickness: float | None
    itu_below_range: str | None
    itu_edition: str | None
    clutter: Iterable[ClutterOptions]
    moving: Mapping[str, ArrayLike] | None
    diffuse: DiffuseOptions | None
    background: BackgroundOptions | None
    gpu: str
