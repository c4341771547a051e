"""Materials of walls."""

from __future__ import annotations

from typing import Any

from ._text import document, split


class Material:
    __doc__ = "A material, with the keys of a scenario's ``[materials.NAME]``.\n" + document("[materials.NAME]")

    def __init__(self, **options: Any) -> None:
        self.options = split(options, "[materials.NAME]")["[materials.NAME]"]

    @classmethod
    def itu(cls, name: str, thickness: float | None = None, **options: Any) -> Material:
        """A material of ITU-R P.2040-3 such as ``"brick"``, as a wall of ``thickness`` metres or as a half space."""
        return cls(itu=name, thickness=thickness, **options)

    def __repr__(self) -> str:
        return "Material(" + ", ".join(f"{key}={value!r}" for key, value in self.options.items()) + ")"
