"""The keys of scenarios as types: what keywords and dicts of this package accept.

Type checkers and editors know keywords by them. A dict that is made before it is handed over needs its type::

    panel: keller.options.ArrayOptions = {"rows": 4, "columns": 4, "spacing_wavelengths": [0.5, 0.5]}

Written by ``keller reference --python`` from the program's own table of keys.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Literal, TypedDict

from numpy.typing import NDArray

_File = str | PathLike[str]
_Numbers = Sequence[float] | NDArray[Any]


class AntennaKeywords(TypedDict, total=False):
    """The keys of ``[[tx]]`` and ``[[rx]]`` that say what an antenna is."""

    cuts: Literal["sum", "weighted", "hybrid"] | None
    gain_dbi: float | None
    electrical_tilt_deg: float | None
    polarization: Literal["V", "H", "VH", "cross"] | float | None
    orientation_deg: _Numbers | None
    azimuth_deg: float | None
    downtilt_deg: float | None
    array: ArrayOptions | None
    array_tracing: Literal["phase", "each"] | None


class SceneOptions(TypedDict, total=False):
    """The keys of ``[scene]``."""

    file: _File | None
    files: Sequence[_File] | None
    default_material: str | None
    default_thickness: float | None
    up: Literal["y", "z"] | None
    unit: Literal["mm", "cm", "m", "km", "in", "ft"] | None
    terrain_wedge_deg: float | None
    terrain_error_m: float | None
    cache: _File | None
    itu_below_range: Literal["warn", "allow", "forbid"] | None
    itu_edition: Literal["P.2040-4", "P.2040-3"] | None


class ReplacedOptions(TypedDict, total=False):
    """The keys of ``replaces``."""

    longitude: float
    latitude: float


class BuildingOptions(TypedDict, total=False):
    """The keys of ``[[building]]``."""

    file: _File | None
    name: str | None
    position: _Numbers | None
    longitude: float | None
    latitude: float | None
    height_above_ground: float | None
    altitude: float | None
    rotation_deg: float | None
    replaces: (
        Literal["overlap", "nothing"]
        | Sequence[_Numbers]
        | NDArray[Any]
        | Sequence[ReplacedOptions]
        | Sequence[str]
        | None
    )
    leave_out: Sequence[str] | None
    up: Literal["y", "z"] | None
    unit: Literal["mm", "cm", "m", "km", "in", "ft"] | None


class OpeningOptions(TypedDict, total=False):
    """The keys of ``[[opening]]``."""

    walls: str | Sequence[str] | None
    buildings: str | Sequence[str] | None
    material: str | None
    open: bool | None
    width: float | None
    height: float | None
    sill: float | None
    spacing: float | None
    storey: float | None
    margin: float | None


class LayerOptions(TypedDict, total=False):
    """The keys of ``layers``."""

    itu: str
    permittivity: float
    conductivity: float
    pec: bool
    thickness: float


class WallKeywords(TypedDict, total=False):
    """The keywords of :meth:`keller.Material.itu`."""

    permittivity: float | None
    conductivity: float | None
    pec: bool | None
    layers: Sequence[LayerOptions] | None
    scattering: float | None
    scattering_pattern: Literal["lambertian", "directive", "backscattering"] | None
    scattering_alpha: int | None
    scattering_alpha_back: int | None
    scattering_forward_share: float | None
    cross_polarization: float | None
    roughness: float | None
    transmission_loss_db: float | None
    reflection_loss_db: float | None
    diffraction_loss_db: float | None
    ignore_displaced_air: bool | None


class MaterialOptions(WallKeywords, total=False):
    """The keys of ``[materials.NAME]``."""

    itu: str | None
    thickness: float | None


class ArrayOptions(TypedDict, total=False):
    """The keys of ``array``."""

    rows: int
    columns: int
    spacing_wavelengths: _Numbers
    elements_m: Sequence[_Numbers] | NDArray[Any]


class TxKeywords(AntennaKeywords, total=False):
    """The keywords of :class:`keller.Tx`."""

    name: str | None
    longitude: float | None
    latitude: float | None
    height_above_ground: float | None
    altitude: float | None
    file: _File | None
    power_dbm: float | None
    offset_db: float | None
    velocity: _Numbers | None


class TxOptions(TxKeywords, total=False):
    """The keys of ``[[tx]]``."""

    position: _Numbers | None
    antenna: Literal["isotropic", "dipole", "short_dipole", "tr38901"] | _File | None


class GridOptions(TypedDict, total=False):
    """The keys of ``grid``."""

    min: _Numbers
    max: _Numbers
    spacing: float
    height: float
    height_above_ground: float


class RxKeywords(AntennaKeywords, total=False):
    """The keywords of :class:`keller.Rx`."""

    name: str | None
    longitude: float | None
    latitude: float | None
    height_above_ground: float | None
    altitude: float | None
    file: _File | None
    grid: GridOptions | None
    strict: bool | None
    velocity: _Numbers | None


class RxOptions(RxKeywords, total=False):
    """The keys of ``[[rx]]``."""

    position: _Numbers | None
    antenna: Literal["isotropic", "dipole", "short_dipole", "tr38901"] | _File | None


class AlternativeOptions(TypedDict, total=False):
    """The keys of ``alternatives``."""

    line_of_sight: bool
    max_interactions: int
    max_reflections: int
    max_diffractions: int
    max_transmissions: int
    max_depth: int
    max_scatterings: int
    free_edges: bool
    reflections_between_edges: bool


class PathOptions(TypedDict, total=False):
    """The keys of ``[paths]``."""

    search: Literal["auto", "launch", "complete", "tiles", "tubes", "exhaustive"] | None
    effort: Literal["quick", "default", "thorough"] | None
    line_of_sight: bool | None
    max_interactions: int | None
    max_reflections: int | None
    max_diffractions: int | None
    max_transmissions: int | None
    max_depth: int | None
    max_scatterings: int | None
    free_edges: bool | None
    reflections_between_edges: bool | None
    ignore_displaced_air: bool | None
    power_threshold_db: float | None
    relative_threshold_db: float | None
    alternatives: Sequence[AlternativeOptions] | None


class ChannelOptions(TypedDict, total=False):
    """The keys of ``[channel]``."""

    bandwidth_hz: float | None
    num_frequencies: int | None
    dispersion: Literal["carrier", "full"] | None
    window: Literal["rectangular", "hann", "blackman"] | None
    delay_resolution_s: float | None
    snapshots: int | None
    snapshot_interval_s: float | None


class CoverageOptions(TypedDict, total=False):
    """The keys of ``[coverage]``."""

    name: str | None
    engine: Literal["auto", "points", "tubes", "beams", "model", "surfaces"] | None
    model: (
        Literal[
            "free-space",
            "hata-urban",
            "hata-urban-large",
            "hata-suburban",
            "hata-open",
            "cost231-hata",
            "cost231-hata-metropolitan",
            "walfisch-ikegami",
            "3gpp-uma",
            "3gpp-umi",
            "3gpp-inh",
            "itu-indoor-office",
            "itu-indoor-corridor",
            "itu-indoor-industrial",
            "cost231-multi-wall",
            "itu-canyon-high-rise",
            "itu-canyon-low-rise",
            "bullington",
            "deygout",
        ]
        | None
    )
    accuracy: Literal["quick", "default", "exact"] | None
    min: _Numbers | None
    max: _Numbers | None
    bounds_deg: _Numbers | None
    building: str | None
    rotation_deg: float | None
    resolution: float | _Numbers | None
    surroundings_resolution: float | None
    heights: _Numbers | float | None
    height_above: Literal["ground", "sea", "floors"] | None
    noise_dbm: float | None
    path_loss_limit_db: float | None
    rooftops: bool | None
    per_tx: bool | None
    multipath: bool | None


class BeamOptions(TypedDict, total=False):
    """The keys of ``[beams]``."""

    corners: int | None
    through_walls: bool | None
    indoors: bool | None
    combine: Literal["sum", "strongest"] | None
    corner_loss_db: _Numbers | None
    roof_loss_db: _Numbers | None
    wall_loss_db: _Numbers | None


class StreetOptions(TypedDict, total=False):
    """The keys of ``[streets]``."""

    roof_height: float | None
    street_width: float | None
    building_separation: float | None
    street_angle_deg: float | None
    city: Literal["medium", "metropolitan"] | None


class RefineOptions(TypedDict, total=False):
    """The keys of ``refine``."""

    centre: _Numbers
    radius: float
    side: float


class TileOptions(TypedDict, total=False):
    """The keys of ``[tiles]``."""

    side: float | None
    ground_side: float | None
    min_face_area: float | None
    terrain_grid: bool | None
    under_buildings: bool | None
    search_from_tiles: bool | None
    sample_beyond: int | None
    refine: Sequence[RefineOptions] | None
    visibility: _File | None


class ClutterOptions(TypedDict, total=False):
    """The keys of ``[[clutter]]``."""

    name: str | None
    polygon: Sequence[_Numbers] | NDArray[Any] | None
    height: float | None
    base: float | None
    attenuation_db_per_m: float | None
    max_attenuation_db: float | None


class MovingOptions(TypedDict, total=False):
    """The keys of ``[[moving]]``."""

    material: str | None
    velocity: _Numbers | None


class DiffuseOptions(TypedDict, total=False):
    """The keys of ``[diffuse]``."""

    enabled: bool | None
    side: float | None
    tile_rays: int | None
    tx_rays: int | None
    rx_rays: int | None


class BackgroundOptions(TypedDict, total=False):
    """The keys of ``[background]``."""

    level_db: float | None
    exponent: float | None
    enabled: bool | None


class RangeOptions(TypedDict, total=False):
    """The keys of ``permittivity``."""

    min: float
    max: float
    start: float
    prior: _Numbers


class CalibratedMaterialOptions(TypedDict, total=False):
    """The keys of ``materials``."""

    permittivity: _Numbers | RangeOptions
    conductivity: _Numbers | RangeOptions
    thickness: _Numbers | RangeOptions
    roughness: _Numbers | RangeOptions
    scattering: _Numbers | RangeOptions
    transmission_loss_db: _Numbers | RangeOptions
    reflection_loss_db: _Numbers | RangeOptions
    diffraction_loss_db: _Numbers | RangeOptions


class CalibratedBackgroundOptions(TypedDict, total=False):
    """The keys of ``background``."""

    level_db: _Numbers | RangeOptions
    exponent: _Numbers | RangeOptions


class CalibrateOptions(TypedDict, total=False):
    """The keys of ``[calibrate]``."""

    materials: Mapping[str, CalibratedMaterialOptions] | None
    background: CalibratedBackgroundOptions | None
    losses: Sequence[Literal["corner_loss_db", "roof_loss_db", "wall_loss_db"]] | None
    offset: Literal["none", "one", "tx"] | None
    error_db: float | None


class VariantOptions(TypedDict, total=False):
    """The keys of ``[variants]``."""

    grid: Mapping[str, Any] | None
    table: _File | None


class ScenarioOptions(TypedDict, total=False):
    """The keys of a scenario."""

    frequency_hz: float
    scene: SceneOptions
    building: Sequence[BuildingOptions]
    opening: Sequence[OpeningOptions]
    materials: Mapping[str, MaterialOptions]
    tx: Sequence[TxOptions]
    rx: Sequence[RxOptions]
    paths: PathOptions
    channel: ChannelOptions
    coverage: CoverageOptions | Sequence[CoverageOptions]
    beams: BeamOptions
    streets: StreetOptions
    tiles: TileOptions
    clutter: Sequence[ClutterOptions]
    moving: Sequence[MovingOptions]
    diffuse: DiffuseOptions
    background: BackgroundOptions
    calibrate: CalibrateOptions
    variants: VariantOptions


class PathsKeywords(PathOptions, ChannelOptions, total=False):
    """The keywords of :meth:`keller.World.paths`."""


class CoverageKeywords(CoverageOptions, PathOptions, BeamOptions, StreetOptions, TileOptions, total=False):
    """The keywords of :meth:`keller.World.coverage`."""


class BeamsKeywords(CoverageOptions, BeamOptions, total=False):
    """The keywords of :meth:`keller.World.beams`."""
