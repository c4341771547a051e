"""Materials of walls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._keller import ScenarioError
from ._text import LAYER, documented, split

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .options import MaterialOptions, WallKeywords

_SECTION = "[materials.NAME]"


@documented(_SECTION, LAYER)
class Material:
    """What walls are made of: ``keller.Material.itu("brick", thickness=0.2)``.

    Either ``itu``, ``permittivity`` (with ``conductivity``), ``pec`` or ``layers`` says what the medium is. With a
    ``thickness`` the wall is a slab that waves can pass, without it a half space::

        glass = keller.Material(permittivity=6.3, conductivity=0.02, thickness=0.006)
        cavity = keller.Material(layers=[
            {"itu": "brick", "thickness": 0.1},
            {"permittivity": 1.0, "thickness": 0.05},
            {"itu": "brick", "thickness": 0.1},
        ])

    ``options`` has what was given. Raises :class:`ScenarioError` for an unknown keyword, and without any; values are
    checked where paths or coverages are asked for.
    """

    def __init__(self, **options: Unpack[MaterialOptions]) -> None:
        self.options = split(options, _SECTION)[_SECTION]
        if not self.options:
            raise ScenarioError("Material: found no keyword; accepted: one of itu, permittivity, pec, layers")

    @classmethod
    def itu(cls, name: str, thickness: float | None = None, **options: Unpack[WallKeywords]) -> Material:
        """A material of ITU-R P.2040-4 such as ``"brick"``, as a wall of ``thickness`` metres or as a half space."""
        return cls(itu=name, thickness=thickness, **options)

    def __repr__(self) -> str:
        return "Material(" + ", ".join(f"{key}={value!r}" for key, value in self.options.items()) + ")"
