"""Radio materials of Sionna as materials of keller."""

from __future__ import annotations

from typing import Any

from .._keller import ScenarioError
from .._materials import Material
from .._progress import warn
from ._values import number

#: Ranges in which keller and Sionna have the same rows of ITU-R P.2040-4, GHz.
_ITU_GHZ: dict[str, list[tuple[float, float]]] = {
    "vacuum": [(0.001, 100)],
    "concrete": [(1, 100), (110, 330)],
    "brick": [(1, 40), (110, 330)],
    "plasterboard": [(1, 400)],
    "wood": [(0.001, 400)],
    "glass": [(0.1, 450)],
    "clear_acrylic": [(110, 330)],
    "ceiling_board": [(1, 450)],
    "chipboard": [(1, 200)],
    "plywood": [(1, 40), (100, 400)],
    "marble": [(1, 60), (100, 400)],
    "floorboard": [(50, 450)],
    "vinyl_tile": [(1, 40)],
    "carpet_tile": [(1, 40)],
    "asphalt_concrete": [(1, 40)],
    "metal": [(1, 100)],
    "very_dry_ground": [(1, 10)],
    "medium_dry_ground": [(1, 10)],
    "wet_ground": [(1, 10)],
}


def keller_material(name: str, material: Any, frequency: Any) -> Material:
    """The material of keller for a radio material of Sionna."""
    where = f"radio_materials[{name!r}]"
    if not hasattr(material, "relative_permittivity"):
        if type(material).__name__ != "AbsorberRadioMaterial":
            raise ScenarioError(f"{where}: found {type(material).__name__}; accepted: RadioMaterial, ITURadioMaterial")
        warn(f"{where}: an absorber reflects nothing and lets nothing pass, but its edges diffract")
        return Material(permittivity=1.0)
    thickness = number(material.thickness)
    if thickness <= 0.0:
        raise ScenarioError(f"{where}.thickness: found {thickness:g}; accepted: a positive number, metres")
    medium = _itu(material, frequency)
    if medium is None:
        medium = {
            "permittivity": number(material.relative_permittivity),
            "conductivity": number(material.conductivity),
        }
        if getattr(material, "frequency_update_callback", None) is not None:
            ghz = number(frequency) / 1e9
            warn(f"{where}: permittivity and conductivity at {ghz:g} GHz stand for all frequencies")
    return Material(**medium, thickness=thickness, **_scattering(where, material))


def _itu(material: Any, frequency: Any) -> dict[str, Any] | None:
    """The row of ITU-R P.2040 that a material follows, if keller has it at this frequency."""
    name = getattr(material, "itu_type", None)
    ghz = number(frequency) / 1e9
    if name is None or not any(low <= ghz <= high for low, high in _ITU_GHZ.get(name, [])):
        return None
    callback = getattr(material, "frequency_update_callback", None)
    if callback is not None:
        row = [number(value) for value in callback(frequency)]
        if row != [number(material.relative_permittivity), number(material.conductivity)]:
            return None
    return {"itu": name}


def _scattering(where: str, material: Any) -> dict[str, Any]:
    coefficient = number(material.scattering_coefficient)
    if coefficient == 0.0:
        return {}
    keys: dict[str, Any] = {"scattering": coefficient, "cross_polarization": number(material.xpd_coefficient)}
    pattern = material.scattering_pattern
    kind = type(pattern).__name__
    if kind == "LambertianPattern":
        return keys | {"scattering_pattern": "lambertian"}
    if kind == "DirectivePattern":
        return keys | {"scattering_pattern": "directive", "scattering_alpha": int(pattern.alpha_r)}
    if kind == "BackscatteringPattern":
        return keys | {
            "scattering_pattern": "backscattering",
            "scattering_alpha": int(pattern.alpha_r),
            "scattering_alpha_back": int(pattern.alpha_i),
            "scattering_forward_share": number(pattern.lambda_),
        }
    raise ScenarioError(
        f"{where}.scattering_pattern: found {kind}; accepted: LambertianPattern, DirectivePattern, "
        "BackscatteringPattern"
    )
