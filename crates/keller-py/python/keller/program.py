"""The program ``keller``: a function for every command, a keyword for every option.

A function runs the program that came with this package, and gives what it prints. Files are written as the program
does it: in blocks, with less memory than results in Python take, and with ``.part`` files from which a stopped run
resumes. What goes wrong is a :class:`keller.KellerError` with the program's message, warnings are
:class:`keller.KellerWarning`, and notes go to the logger ``keller``.

Written by ``keller reference --python`` from the program's own table of arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Literal, TypedDict

from ._program import flag, joined, repeated, run, value
from ._text import renamed

_File = str | PathLike[str]


@renamed
def demo(
    *,
    seed: int | None = None,
    out: _File | None = None,
    gpu: str | None = None,
    scene_cache: _File | None = None,
    memory: str | None = None,
    threads: int | None = None,
    quiet: bool = False,
    only_from: _File | None = None,
) -> str:
    """Build a small town, find the paths in it, and say where the files are.

    seed: Which town: the same number gives the same town [default: 1]
    out: The folder to write to [default: keller-demo]
    gpu: The processor or graphics card for large batches of rays and the visibility of tiles: cpu, gpu, auto (a card if
        there is one), or part of a name of `keller gpus` [default: cpu]
    scene_cache: Keep the built scene in this file and read it from there, whatever `[scene] cache` says
    memory: Use at most this much memory, such as 500MB or 2GiB; a run that needs more ends with exit code 3 [default:
        all there is]. Results do not depend on it
    threads: The number of threads [default: one for each core]. Results do not depend on it
    quiet: Say nothing on standard error but warnings and errors: no progress, no notes, no summary
    only_from: Read files in this folder and below alone, over links and `..` too: for scenarios and scenes of others
    """
    return run(
        "demo",
        [],
        value("--seed", seed),
        value("--out", out),
        value("--gpu", gpu),
        value("--scene-cache", scene_cache),
        value("--memory", memory),
        value("--threads", threads),
        flag("--quiet", quiet),
        value("--only-from", only_from),
    )


class ImportOptions(TypedDict, total=False):
    """The options of :func:`import_` that make the scene."""

    crs: str | Sequence[str]
    bounds: Sequence[float]
    ground: float
    margin: float
    terrain_error: float
    height_key: str
    height_unit: Literal["m", "ft"]
    default_height: float
    level_height: float
    wall: str
    roof: str
    storeys: float
    rooms: float
    up: Literal["y", "z"]
    mesh_unit: Literal["mm", "cm", "m", "km", "in", "ft"]


@renamed
def import_(
    files: _File | Sequence[_File],
    *,
    out: _File | None = None,
    crs: str | Sequence[str] | None = None,
    bounds: Sequence[float] | None = None,
    ground: float | None = None,
    margin: float | None = None,
    terrain_error: float | None = None,
    height_key: str | None = None,
    height_unit: Literal["m", "ft"] | None = None,
    default_height: float | None = None,
    level_height: float | None = None,
    wall: str | None = None,
    roof: str | None = None,
    storeys: float | None = None,
    rooms: float | None = None,
    picture: _File | None = None,
    json: bool = False,
    up: Literal["y", "z"] | None = None,
    mesh_unit: Literal["mm", "cm", "m", "km", "in", "ft"] | None = None,
    memory: str | None = None,
    threads: int | None = None,
    quiet: bool = False,
    only_from: _File | None = None,
) -> str:
    """Make a scene from maps: building footprints, city models, terrain and meshes.

    files: Buildings (.geojson, .json, .jsonl, .shp, .osm, .pbf, .res), terrain (.tif, .asc, .hgt), meshes (.obj, .ply,
        .glb, ...)
    out: Write the scene here (.glb) [default: scene.glb]
    crs: The coordinate reference system of files that name none (EPSG:25832, a PROJ string, `local`), or with FILE=
        that of one file, whatever the file names; may be repeated
    bounds: Import only the part in this box, in degrees; in metres if no file names a coordinate reference system
    ground: Put a flat ground at this elevation, metres [default: the terrain, or a ground through the feet of the
        buildings]
    margin: How far the ground reaches beyond the buildings, metres [default: 100]
    terrain_error: The largest distance between the terrain's heights and its triangles, metres [default: 0.5]
    height_key: The attribute that holds heights above the ground, tried before the usual names
    height_unit: The unit of heights that name none [default: m]
    default_height: The height of buildings for which files give none, metres; 0 leaves them out [default: 10]
    level_height: The height of a storey, metres [default: 3]
    wall: The material of walls for which files give none [default: `wall`, which is concrete unless a scenario defines
        it]
    roof: The material of roofs for which files give none [default: `roof`, which is concrete unless a scenario defines
        it]
    storeys: Make up an inside for each building in place of its hull, for [[building]] of a scenario: floors so many
        metres apart and a core, of the materials `facade`, `floor`, `inner_wall`, `core` and `roof`, without ground
    rooms: With --storeys: rooms of about this length and width, metres [default: halls]
    picture: Draw the scene from the air here (.png)
    json: Print JSON
    up: Which axis of OBJ, PLY and STL files points up [default: from their comments, else from their shape]
    mesh_unit: The unit of coordinates in meshes [default: metres, unless a comment says otherwise]
    memory: Use at most this much memory, such as 500MB or 2GiB; a run that needs more ends with exit code 3 [default:
        all there is]. Results do not depend on it
    threads: The number of threads [default: one for each core]. Results do not depend on it
    quiet: Say nothing on standard error but warnings and errors: no progress, no notes, no summary
    only_from: Read files in this folder and below alone, over links and `..` too: for scenarios and scenes of others
    """
    return run(
        "import",
        repeated(None, files),
        value("--out", out),
        repeated("--crs", crs),
        joined("--bounds", bounds),
        value("--ground", ground),
        value("--margin", margin),
        value("--terrain-error", terrain_error),
        value("--height-key", height_key),
        value("--height-unit", height_unit),
        value("--default-height", default_height),
        value("--level-height", level_height),
        value("--wall", wall),
        value("--roof", roof),
        value("--storeys", storeys),
        value("--rooms", rooms),
        value("--picture", picture),
        flag("--json", json),
        value("--up", up),
        value("--mesh-unit", mesh_unit),
        value("--memory", memory),
        value("--threads", threads),
        flag("--quiet", quiet),
        value("--only-from", only_from),
    )


@renamed
def scene(
    file: _File,
    *,
    json: bool = False,
    list: bool = False,
    picture: _File | None = None,
    up: Literal["y", "z"] | None = None,
    mesh_unit: Literal["mm", "cm", "m", "km", "in", "ft"] | None = None,
    memory: str | None = None,
    threads: int | None = None,
    quiet: bool = False,
    only_from: _File | None = None,
) -> str:
    """Describe a scene file: counts, materials, bounds, defects.

    file: A scene file (.xml, .ply, .obj, .stl, .gltf, .glb), or a scenario (.toml) for all of its scene files
    json: Print JSON
    list: List every face and edge with its id
    picture: Draw the scene from the air here (.png)
    up: Which axis of OBJ, PLY and STL files points up [default: from their comments, else from their shape]
    mesh_unit: The unit of coordinates in meshes [default: metres, unless a comment says otherwise]
    memory: Use at most this much memory, such as 500MB or 2GiB; a run that needs more ends with exit code 3 [default:
        all there is]. Results do not depend on it
    threads: The number of threads [default: one for each core]. Results do not depend on it
    quiet: Say nothing on standard error but warnings and errors: no progress, no notes, no summary
    only_from: Read files in this folder and below alone, over links and `..` too: for scenarios and scenes of others
    """
    return run(
        "scene",
        value(None, file),
        flag("--json", json),
        flag("--list", list),
        value("--picture", picture),
        value("--up", up),
        value("--mesh-unit", mesh_unit),
        value("--memory", memory),
        value("--threads", threads),
        flag("--quiet", quiet),
        value("--only-from", only_from),
    )


@renamed
def new(
    files: _File | Sequence[_File],
    *,
    out: _File | None = None,
    frequency: float | None = None,
    up: Literal["y", "z"] | None = None,
    mesh_unit: Literal["mm", "cm", "m", "km", "in", "ft"] | None = None,
    memory: str | None = None,
    threads: int | None = None,
    quiet: bool = False,
    only_from: _File | None = None,
) -> str:
    """Write a scenario for a scene, with comments, to start from.

    files: Scene files (.xml, .ply, .obj, .stl, .gltf, .glb)
    out: Write the scenario here (.toml); a file that is there is not replaced [default: scenario.toml]
    frequency: The carrier frequency, Hz [default: 3500000000]
    up: Which axis of OBJ, PLY and STL files points up [default: from their comments, else from their shape]
    mesh_unit: The unit of coordinates in meshes [default: metres, unless a comment says otherwise]
    memory: Use at most this much memory, such as 500MB or 2GiB; a run that needs more ends with exit code 3 [default:
        all there is]. Results do not depend on it
    threads: The number of threads [default: one for each core]. Results do not depend on it
    quiet: Say nothing on standard error but warnings and errors: no progress, no notes, no summary
    only_from: Read files in this folder and below alone, over links and `..` too: for scenarios and scenes of others
    """
    return run(
        "new",
        repeated(None, files),
        value("--out", out),
        value("--frequency", frequency),
        value("--up", up),
        value("--mesh-unit", mesh_unit),
        value("--memory", memory),
        value("--threads", threads),
        flag("--quiet", quiet),
        value("--only-from", only_from),
    )


@renamed
def paths(
    scenario: _File,
    *,
    out: _File | None = None,
    json: bool = False,
    picture: _File | None = None,
    all_paths: bool = False,
    resume: bool = False,
    paths: _File | None = None,
    batch: _File | None = None,
    search: Literal["auto", "launch", "complete", "tiles", "tubes", "exhaustive"] | None = None,
    effort: Literal["quick", "default", "thorough"] | None = None,
    gpu: str | None = None,
    scene_cache: _File | None = None,
    memory: str | None = None,
    threads: int | None = None,
    quiet: bool = False,
    only_from: _File | None = None,
) -> str:
    """Find every path of a scenario.

    scenario: The scenario file (TOML)
    out: Write the table of paths here (.csv, .parquet or .json), or the paths themselves for --paths of later runs
        (.paths) [default: a table on standard output]
    json: Print JSON: the table of paths, or with --out the summary
    picture: Draw a plan with devices and the strongest paths of each link here (.svg or .png)
    all_paths: Draw all paths on that plan
    resume: Go on with the receivers that a run stopped by Ctrl-C has left in OUT.part
    paths: Take the paths from this file (.paths, written by `keller paths`) instead of searching. Materials, antennas
        and frequencies may be others than those with which they were found
    batch: Take the result from the store of a batch (`keller batch`), and compute only what is missing there
    search: How to search for paths, in place of what the scenario says
    effort: How completely to search, in place of what the scenario says
    gpu: The processor or graphics card for large batches of rays and the visibility of tiles: cpu, gpu, auto (a card if
        there is one), or part of a name of `keller gpus` [default: cpu]
    scene_cache: Keep the built scene in this file and read it from there, whatever `[scene] cache` says
    memory: Use at most this much memory, such as 500MB or 2GiB; a run that needs more ends with exit code 3 [default:
        all there is]. Results do not depend on it
    threads: The number of threads [default: one for each core]. Results do not depend on it
    quiet: Say nothing on standard error but warnings and errors: no progress, no notes, no summary
    only_from: Read files in this folder and below alone, over links and `..` too: for scenarios and scenes of others
    """
    return run(
        "paths",
        value(None, scenario),
        value("--out", out),
        flag("--json", json),
        value("--picture", picture),
        flag("--all-paths", all_paths),
        flag("--resume", resume),
        value("--paths", paths),
        value("--batch", batch),
        value("--search", search),
        value("--effort", effort),
        value("--gpu", gpu),
        value("--scene-cache", scene_cache),
        value("--memory", memory),
        value("--threads", threads),
        flag("--quiet", quiet),
        value("--only-from", only_from),
    )


@renamed
def antenna(
    file: _File,
    *,
    cuts: Literal["sum", "weighted", "hybrid"] | None = None,
    out: _File | None = None,
    json: bool = False,
    memory: str | None = None,
    threads: int | None = None,
    quiet: bool = False,
    only_from: _File | None = None,
) -> str:
    """Describe an antenna pattern: gain, directivity, beamwidths, tilt.

    file: A pattern file (.msi, .pln, .adf, .nsm, .csv, .npz), or `isotropic`, `dipole`, `short_dipole`, `tr38901`
    cuts: How the cuts of the file become a pattern in all directions [default: sum]
    out: Write the pattern here: .csv for all directions, .svg for a drawing of both cuts
    json: Print JSON
    memory: Use at most this much memory, such as 500MB or 2GiB; a run that needs more ends with exit code 3 [default:
        all there is]. Results do not depend on it
    threads: The number of threads [default: one for each core]. Results do not depend on it
    quiet: Say nothing on standard error but warnings and errors: no progress, no notes, no summary
    only_from: Read files in this folder and below alone, over links and `..` too: for scenarios and scenes of others
    """
    return run(
        "antenna",
        value(None, file),
        value("--cuts", cuts),
        value("--out", out),
        flag("--json", json),
        value("--memory", memory),
        value("--threads", threads),
        flag("--quiet", quiet),
        value("--only-from", only_from),
    )


@renamed
def channel(
    scenario: _File,
    *,
    out: _File | None = None,
    json: bool = False,
    picture: _File | None = None,
    all_paths: bool = False,
    profile: _File | None = None,
    link: Sequence[int] | None = None,
    resume: bool = False,
    paths: _File | None = None,
    batch: _File | None = None,
    search: Literal["auto", "launch", "complete", "tiles", "tubes", "exhaustive"] | None = None,
    effort: Literal["quick", "default", "thorough"] | None = None,
    gpu: str | None = None,
    scene_cache: _File | None = None,
    memory: str | None = None,
    threads: int | None = None,
    quiet: bool = False,
    only_from: _File | None = None,
) -> str:
    """Turn the paths of a scenario into channels: gains, spreads, impulse and frequency responses.

    scenario: The scenario file (TOML)
    out: Write here: one row for each link to .csv, .parquet or .json, or all arrays to .npz [default: a table on
        standard output]
    json: Print JSON: the table of links, or with --out the summary
    picture: Draw a plan with devices and the strongest paths of each link here (.svg or .png)
    all_paths: Draw all paths on that plan
    profile: Draw the power-delay profile of one link here (.svg or .png)
    link: Which link --profile shows, as indices of Tx and Rx [default: the first link that has a path]
    resume: Go on with the receivers that a run stopped by Ctrl-C has left in OUT.part
    paths: Take the paths from this file (.paths, written by `keller paths`) instead of searching. Materials, antennas
        and frequencies may be others than those with which they were found
    batch: Take the result from the store of a batch (`keller batch`), and compute only what is missing there
    search: How to search for paths, in place of what the scenario says
    effort: How completely to search, in place of what the scenario says
    gpu: The processor or graphics card for large batches of rays and the visibility of tiles: cpu, gpu, auto (a card if
        there is one), or part of a name of `keller gpus` [default: cpu]
    scene_cache: Keep the built scene in this file and read it from there, whatever `[scene] cache` says
    memory: Use at most this much memory, such as 500MB or 2GiB; a run that needs more ends with exit code 3 [default:
        all there is]. Results do not depend on it
    threads: The number of threads [default: one for each core]. Results do not depend on it
    quiet: Say nothing on standard error but warnings and errors: no progress, no notes, no summary
    only_from: Read files in this folder and below alone, over links and `..` too: for scenarios and scenes of others
    """
    return run(
        "channel",
        value(None, scenario),
        value("--out", out),
        flag("--json", json),
        value("--picture", picture),
        flag("--all-paths", all_paths),
        value("--profile", profile),
        joined("--link", link),
        flag("--resume", resume),
        value("--paths", paths),
        value("--batch", batch),
        value("--search", search),
        value("--effort", effort),
        value("--gpu", gpu),
        value("--scene-cache", scene_cache),
        value("--memory", memory),
        value("--threads", threads),
        flag("--quiet", quiet),
        value("--only-from", only_from),
    )


@renamed
def coverage(
    scenario: _File,
    *,
    out: _File | None = None,
    json: bool = False,
    picture: _File | None = None,
    layer: Literal["gain", "loss", "power", "sinr", "server"] | None = None,
    title: str | None = None,
    contours: _File | None = None,
    levels: float | Sequence[float] | None = None,
    glb: _File | None = None,
    rays: _File | None = None,
    resume: bool = False,
    batch: _File | None = None,
    positions: _File | None = None,
    search: Literal["auto", "launch", "complete", "tiles", "tubes", "exhaustive"] | None = None,
    effort: Literal["quick", "default", "thorough"] | None = None,
    gpu: str | None = None,
    scene_cache: _File | None = None,
    memory: str | None = None,
    threads: int | None = None,
    quiet: bool = False,
    only_from: _File | None = None,
) -> str:
    """Compute the path gain from every Tx in the cells of a region, or on surfaces.

    scenario: The scenario file (TOML), with a section [coverage]. With several [[coverage]], each region has files of
        its own: OUT-NAME.EXT
    out: Write here: one row for each cell and Tx to .csv, .parquet or .json, all arrays to .npz or .zarr, a map to .tif
        (GeoTIFF), .png, .svg, .kmz, .geojson or .glb [default: a summary of every Tx]. Surfaces go to tables, .npz,
        .png and .glb
    json: Print JSON: the table of cells, or with --out the summary
    picture: Draw maps, at up to six heights, here (.svg, .png), or on the globe with the Tx (.kmz). Beside the .png of
        one height in a scene that says where on earth it lies comes a world file (.pgw)
    layer: The layer of maps, contours and models: the strongest path gain, the smallest path loss, the power from the
        best server, its SINR, or which Tx is that server [default: gain]
    title: The title above the map [default: the name of the scenario, the layer, the frequency and the height]
    contours: Write the contours of that layer here (.geojson)
    levels: The values at which contours run, in the unit of the layer, such as -60,-80,-100 [default: every 10]
    glb: Write the scene with that layer in it here, for browsers and Blender (.glb)
    rays: Write every ray to every tile here, one row each (.csv, .parquet or .json); only with the engine "surfaces"
    resume: Resume from the blocks that a stopped run has left in OUT.part
    batch: Take the result from the store of a batch (`keller batch`), and compute only what is missing there
    positions: Fill a map for each position of a Tx that this file names, or standard input (-), with the engine "beams"
        and the region prepared once. Each line is "x y z", metres, of the first Tx, or "NAME x y z"; blank lines and
        those that begin with # are skipped. Each map is an array of numpy (.npy, float32): path gain in dB [levels, y,
        x], as of .npz. It goes to standard output before the next line is read, or with -o OUT.npy all go to one array
        [positions, levels, y, x]. The first line that cannot be read, or asks for a Tx below the ground, ends the run
        with exit code 2 and an error that names it; maps of earlier lines are whole
    search: How to search for paths, in place of what the scenario says
    effort: How completely to search, in place of what the scenario says
    gpu: The processor or graphics card for large batches of rays and the visibility of tiles: cpu, gpu, auto (a card if
        there is one), or part of a name of `keller gpus` [default: cpu]
    scene_cache: Keep the built scene in this file and read it from there, whatever `[scene] cache` says
    memory: Use at most this much memory, such as 500MB or 2GiB; a run that needs more ends with exit code 3 [default:
        all there is]. Results do not depend on it
    threads: The number of threads [default: one for each core]. Results do not depend on it
    quiet: Say nothing on standard error but warnings and errors: no progress, no notes, no summary
    only_from: Read files in this folder and below alone, over links and `..` too: for scenarios and scenes of others
    """
    return run(
        "coverage",
        value(None, scenario),
        value("--out", out),
        flag("--json", json),
        value("--picture", picture),
        value("--layer", layer),
        value("--title", title),
        value("--contours", contours),
        joined("--levels", levels),
        value("--glb", glb),
        value("--rays", rays),
        flag("--resume", resume),
        value("--batch", batch),
        value("--positions", positions),
        value("--search", search),
        value("--effort", effort),
        value("--gpu", gpu),
        value("--scene-cache", scene_cache),
        value("--memory", memory),
        value("--threads", threads),
        flag("--quiet", quiet),
        value("--only-from", only_from),
    )


@renamed
def compare(
    scenario: _File,
    measured: _File | Sequence[_File],
    *,
    out: _File | None = None,
    json: bool = False,
    against: _File | None = None,
    models: str | None = None,
    fit_offset: Literal["none", "one", "tx"] | None = None,
    coverage: _File | None = None,
    average: Literal["incoherent", "coherent"] | None = None,
    radius: float | None = None,
    paths: _File | None = None,
    cable_delay: str | None = None,
    max_cable_delay: float | None = None,
    smooth: float | None = None,
    noise_until: float | None = None,
    search: Literal["auto", "launch", "complete", "tiles", "tubes", "exhaustive"] | None = None,
    effort: Literal["quick", "default", "thorough"] | None = None,
    gpu: str | None = None,
    scene_cache: _File | None = None,
    memory: str | None = None,
    threads: int | None = None,
    quiet: bool = False,
    only_from: _File | None = None,
) -> str:
    """Compare predictions with measurements: errors, with and without offsets, as a table or a page.

    scenario: The scenario file (TOML). Its [[rx]] may be missing: receivers stand where measurements were taken
    measured: Measurements (.csv, .parquet, .npz): places as in files of [[rx]], the Tx, and `path_gain_db`,
        `path_loss_db` or `received_power_dbm`; or power-delay profiles (.npz)
    out: Write here: a page with tables and pictures to .html, all figures to .json, one row for each measurement to
        .csv or .parquet [default: a table on standard output]
    json: Print all figures as JSON
    against: Another scenario that predicts the same measurements, to find which of the two is nearer
    models: Path loss models that predict the same measurements, for comparison: their names as in [coverage], with
        commas between them, or `all` for those that are stated for the frequency
    fit_offset: What is added to predictions: nothing, one number for all, or one for each Tx, fitted to the
        measurements. Pages and JSON have all three [default: none]
    coverage: Take predictions from the nearest cells or tiles of this result of `keller coverage` (.npz, .zarr),
        instead of from paths. A scenario of --against predicts by paths
    average: How the paths to a place add up: as powers, or with their phases, and the power averaged over a disc of
        --radius [default: incoherent]
    radius: The radius of these horizontal discs, metres; 32 points on each are traced
    paths: Take the paths from this file (.paths, written by `keller paths` for receivers at these places) instead of
        searching. A scenario of --against searches
    cable_delay: The delay of cables in measured profiles (.npz): fitted for each Tx or for each link, or this many
        seconds [default: tx]
    max_cable_delay: The largest fitted delay of cables, of either sign, s [default: 4e-9]
    smooth: Average the power of profiles over this before they are compared, s [default: 2e-9]
    noise_until: Take the power of profiles before this delay as noise, s [default: before light can arrive]
    search: How to search for paths, in place of what the scenario says
    effort: How completely to search, in place of what the scenario says
    gpu: The processor or graphics card for large batches of rays and the visibility of tiles: cpu, gpu, auto (a card if
        there is one), or part of a name of `keller gpus` [default: cpu]
    scene_cache: Keep the built scene in this file and read it from there, whatever `[scene] cache` says
    memory: Use at most this much memory, such as 500MB or 2GiB; a run that needs more ends with exit code 3 [default:
        all there is]. Results do not depend on it
    threads: The number of threads [default: one for each core]. Results do not depend on it
    quiet: Say nothing on standard error but warnings and errors: no progress, no notes, no summary
    only_from: Read files in this folder and below alone, over links and `..` too: for scenarios and scenes of others
    """
    return run(
        "compare",
        [*value(None, scenario), *repeated(None, measured)],
        value("--out", out),
        flag("--json", json),
        value("--against", against),
        value("--models", models),
        value("--fit-offset", fit_offset),
        value("--coverage", coverage),
        value("--average", average),
        value("--radius", radius),
        value("--paths", paths),
        value("--cable-delay", cable_delay),
        value("--max-cable-delay", max_cable_delay),
        value("--smooth", smooth),
        value("--noise-until", noise_until),
        value("--search", search),
        value("--effort", effort),
        value("--gpu", gpu),
        value("--scene-cache", scene_cache),
        value("--memory", memory),
        value("--threads", threads),
        flag("--quiet", quiet),
        value("--only-from", only_from),
    )


@renamed
def calibrate(
    scenario: _File,
    measured: _File | Sequence[_File],
    *,
    reference: str | None = None,
    cells: int | None = None,
    out: _File | None = None,
    report: _File | None = None,
    trace_cache: _File | None = None,
    optimiser: Literal["lm", "genetic", "annealing", "random"] | None = None,
    generations: int | None = None,
    population: int | None = None,
    evaluations: int | None = None,
    seed: int | None = None,
    fold_by: Literal["place", "set", "tx", "none"] | None = None,
    folds: int | None = None,
    json: bool = False,
    search: Literal["auto", "launch", "complete", "tiles", "tubes", "exhaustive"] | None = None,
    effort: Literal["quick", "default", "thorough"] | None = None,
    gpu: str | None = None,
    scene_cache: _File | None = None,
    memory: str | None = None,
    threads: int | None = None,
    quiet: bool = False,
    only_from: _File | None = None,
) -> str:
    """Fit materials, losses and offsets of a scenario to measurements, with standard errors.

    scenario: The scenario file (TOML), with a section [calibrate], or with [coverage] engine = "beams", whose losses
        are fitted. Its [[rx]] may be missing: receivers stand where measurements were taken
    measured: Measurements (.csv, .parquet, .npz), as for `keller compare`
    reference: Fit the losses of engine = "beams" to another engine instead of measurements: tubes or points, which
        compute the scenario's own cells with its [paths] and materials, or the coverage in a file that `keller
        coverage` wrote (.npz, .zarr)
    cells: The largest number of cells of --reference, drawn at random [default: 10000; 1000 for points]
    out: Write the calibrated scenario here (.toml), into the folder of the scenario [default: only print what was
        found]
    report: Write a page with tables and pictures, before and after, to .html, or all figures to .json
    trace_cache: Keep the paths in this file, and take them from there if it exists: they hold for the same scene, Tx,
        places and limits
    optimiser: The optimiser. It works on a table with the loss of each interaction; lm then refines the result with the
        fields themselves [default: lm]
    generations: Generations of --optimiser genetic [default: 3000]
    population: Sets of parameters in each generation of --optimiser genetic [default: 32]
    evaluations: Evaluations of --optimiser annealing and random [default: 100000]
    seed: The seed of --optimiser genetic, annealing and random [default: 1]
    fold_by: The measurements that cross-validation leaves out of each fit: a random part of the places, a set (route),
        a Tx, or nothing [default: place]
    folds: The number of parts of --fold-by place [default: 10]
    json: Print all figures as JSON
    search: How to search for paths, in place of what the scenario says
    effort: How completely to search, in place of what the scenario says
    gpu: The processor or graphics card for large batches of rays and the visibility of tiles: cpu, gpu, auto (a card if
        there is one), or part of a name of `keller gpus` [default: cpu]
    scene_cache: Keep the built scene in this file and read it from there, whatever `[scene] cache` says
    memory: Use at most this much memory, such as 500MB or 2GiB; a run that needs more ends with exit code 3 [default:
        all there is]. Results do not depend on it
    threads: The number of threads [default: one for each core]. Results do not depend on it
    quiet: Say nothing on standard error but warnings and errors: no progress, no notes, no summary
    only_from: Read files in this folder and below alone, over links and `..` too: for scenarios and scenes of others
    """
    return run(
        "calibrate",
        [*value(None, scenario), *repeated(None, measured)],
        value("--reference", reference),
        value("--cells", cells),
        value("--out", out),
        value("--report", report),
        value("--trace-cache", trace_cache),
        value("--optimiser", optimiser),
        value("--generations", generations),
        value("--population", population),
        value("--evaluations", evaluations),
        value("--seed", seed),
        value("--fold-by", fold_by),
        value("--folds", folds),
        flag("--json", json),
        value("--search", search),
        value("--effort", effort),
        value("--gpu", gpu),
        value("--scene-cache", scene_cache),
        value("--memory", memory),
        value("--threads", threads),
        flag("--quiet", quiet),
        value("--only-from", only_from),
    )


@renamed
def fingerprint(
    scenario: _File,
    measured: _File | Sequence[_File],
    *,
    coverage: _File | None = None,
    level_std_db: float | None = None,
    offset_std_db: float | None = None,
    out: _File | None = None,
    json: bool = False,
    picture: _File | None = None,
    picture_of: str | None = None,
    gpu: str | None = None,
    scene_cache: _File | None = None,
    memory: str | None = None,
    threads: int | None = None,
    quiet: bool = False,
    only_from: _File | None = None,
) -> str:
    """Find where devices may be, from the levels that they measure from several Tx and a coverage of all places.

    scenario: The scenario file (TOML) with the Tx. Its [[rx]] may be missing
    measured: What devices measured (.csv, .parquet): the Tx, and `path_gain_db`, `path_loss_db` or
        `received_power_dbm`; `device` says which rows belong together. With places as in files of [[rx]], the result
        has the distance to the likeliest place
    coverage: The result of `keller coverage` with all places that a device may be at: cells (.npz, .zarr) or surfaces
        (.npz)
    level_std_db: The standard deviation of a measured level from the predicted one, dB. What a column `uncertainty_db`
        says of a measurement comes on top [default: 6]
    offset_std_db: The standard deviation of what a device adds to all its levels alike, dB: its antenna, cables, the
        hand that holds it. 0 for nothing, inf if nothing is known of it [default: 0]
    out: Write here: one row for each device to .csv, .parquet or .json, the probability of every place to .npz
        [default: a table on standard output]
    json: Print the table as JSON
    picture: Draw where one device may be here (.svg or .png)
    picture_of: Which device --picture shows, by name or index [default: the first]
    gpu: The processor or graphics card for large batches of rays and the visibility of tiles: cpu, gpu, auto (a card if
        there is one), or part of a name of `keller gpus` [default: cpu]
    scene_cache: Keep the built scene in this file and read it from there, whatever `[scene] cache` says
    memory: Use at most this much memory, such as 500MB or 2GiB; a run that needs more ends with exit code 3 [default:
        all there is]. Results do not depend on it
    threads: The number of threads [default: one for each core]. Results do not depend on it
    quiet: Say nothing on standard error but warnings and errors: no progress, no notes, no summary
    only_from: Read files in this folder and below alone, over links and `..` too: for scenarios and scenes of others
    """
    return run(
        "fingerprint",
        [*value(None, scenario), *repeated(None, measured)],
        value("--coverage", coverage),
        value("--level-std-db", level_std_db),
        value("--offset-std-db", offset_std_db),
        value("--out", out),
        flag("--json", json),
        value("--picture", picture),
        value("--picture-of", picture_of),
        value("--gpu", gpu),
        value("--scene-cache", scene_cache),
        value("--memory", memory),
        value("--threads", threads),
        flag("--quiet", quiet),
        value("--only-from", only_from),
    )


@renamed
def visibility(
    file: _File,
    *,
    out: _File | None = None,
    batch: _File | None = None,
    tile: float | None = None,
    ground_tile: float | None = None,
    min_area: float | None = None,
    terrain_facets: bool = False,
    under_buildings: bool = False,
    refine: str | Sequence[str] | None = None,
    json: bool = False,
    gpu: str | None = None,
    scene_cache: _File | None = None,
    memory: str | None = None,
    threads: int | None = None,
    quiet: bool = False,
    only_from: _File | None = None,
) -> str:
    """Cut a scene into tiles and find which tiles see each other, or describe such a file.

    file: A scene file (.xml, .ply, .obj, .stl, .gltf, .glb), a scenario (.toml) for all of its scene files, or a
        visibility file to describe
    out: Write the visibility here; a run that was stopped resumes from FILE.part
    batch: Take what tiles see from the store of a batch (`keller batch`), and compute only what is missing there
    tile: The wanted length of a tile's sides, metres [default: what [tiles] of the scenario says; else 10, or less
        where a scene has fewer than 3000 such tiles]
    ground_tile: The same for faces that lie on the ground [default: what the scenario says, else as --tile]
    min_area: Faces of less area than this get no tiles, m² [default: what the scenario says, else 0]
    terrain_facets: Cut each facet of terrain by itself instead of all by one grid
    under_buildings: Give tiles to ground under buildings too
    refine: Make tiles with sides of at most SIDE within RADIUS of a point, all in metres, as `refine` in [tiles] of a
        scenario does; may be given several times
    json: Print a summary as JSON
    gpu: The processor or graphics card for large batches of rays and the visibility of tiles: cpu, gpu, auto (a card if
        there is one), or part of a name of `keller gpus` [default: cpu]
    scene_cache: Keep the built scene in this file and read it from there, whatever `[scene] cache` says
    memory: Use at most this much memory, such as 500MB or 2GiB; a run that needs more ends with exit code 3 [default:
        all there is]. Results do not depend on it
    threads: The number of threads [default: one for each core]. Results do not depend on it
    quiet: Say nothing on standard error but warnings and errors: no progress, no notes, no summary
    only_from: Read files in this folder and below alone, over links and `..` too: for scenarios and scenes of others
    """
    return run(
        "visibility",
        value(None, file),
        value("--out", out),
        value("--batch", batch),
        value("--tile", tile),
        value("--ground-tile", ground_tile),
        value("--min-area", min_area),
        flag("--terrain-facets", terrain_facets),
        flag("--under-buildings", under_buildings),
        repeated("--refine", refine),
        flag("--json", json),
        value("--gpu", gpu),
        value("--scene-cache", scene_cache),
        value("--memory", memory),
        value("--threads", threads),
        flag("--quiet", quiet),
        value("--only-from", only_from),
    )


@renamed
def view(
    files: _File | Sequence[_File],
    *,
    out: _File | None = None,
    serve: bool = False,
    no_open: bool = False,
    up: Literal["y", "z"] | None = None,
    mesh_unit: Literal["mm", "cm", "m", "km", "in", "ft"] | None = None,
    gpu: str | None = None,
    scene_cache: _File | None = None,
    memory: str | None = None,
    threads: int | None = None,
    quiet: bool = False,
    only_from: _File | None = None,
) -> str:
    """Show a scene and results in the browser: turn it, cut it, click a receiver and see its paths.

    files: What to show: a scenario (.toml) or scene files (.xml, .ply, .obj, .stl, .gltf, .glb), then results of it:
        paths (.csv, .parquet, .json, .paths), channels (.csv, .parquet, .json, .npz), measurements (.csv, .parquet),
        coverages (.npz, .zarr). Results belong to the scenario before them. Each further scenario, and each further
        file of paths, is a snapshot that the page steps through
    out: Write the page here (.html): one file that needs no network [default: open it in the browser]
    serve: Serve the page on this machine, to this machine alone, until Ctrl-C. The browser then loads only the data
        that it shows, which suits large results
    no_open: Do not open the browser; with --serve only print the address
    up: Which axis of OBJ, PLY and STL files points up [default: from their comments, else from their shape]
    mesh_unit: The unit of coordinates in meshes [default: metres, unless a comment says otherwise]
    gpu: The processor or graphics card for large batches of rays and the visibility of tiles: cpu, gpu, auto (a card if
        there is one), or part of a name of `keller gpus` [default: cpu]
    scene_cache: Keep the built scene in this file and read it from there, whatever `[scene] cache` says
    memory: Use at most this much memory, such as 500MB or 2GiB; a run that needs more ends with exit code 3 [default:
        all there is]. Results do not depend on it
    threads: The number of threads [default: one for each core]. Results do not depend on it
    quiet: Say nothing on standard error but warnings and errors: no progress, no notes, no summary
    only_from: Read files in this folder and below alone, over links and `..` too: for scenarios and scenes of others
    """
    return run(
        "view",
        repeated(None, files),
        value("--out", out),
        flag("--serve", serve),
        flag("--no-open", no_open),
        value("--up", up),
        value("--mesh-unit", mesh_unit),
        value("--gpu", gpu),
        value("--scene-cache", scene_cache),
        value("--memory", memory),
        value("--threads", threads),
        flag("--quiet", quiet),
        value("--only-from", only_from),
    )


@renamed
def batch_plan(
    scenario: _File,
    *,
    out: _File | None = None,
    result: Literal["paths", "channel", "coverage", "visibility"] | None = None,
    unit_size: int | None = None,
    rays: bool = False,
    json: bool = False,
    gpu: str | None = None,
    scene_cache: _File | None = None,
    memory: str | None = None,
    threads: int | None = None,
    quiet: bool = False,
    only_from: _File | None = None,
) -> str:
    """Cut the work of a scenario into units, and make the store to which workers write them.

    scenario: The scenario file (TOML)
    out: The folder of the store, on a disk that all workers reach. Planning again keeps the units that are there
    result: The command that will write the result [default: coverage if the scenario has one, else paths]
    unit_size: About so many cells, receivers or tiles in a unit, so that it takes some seconds [default: 32768 cells,
        4096 receivers or tiles]. Tubes and beams fill a whole region at once, and surfaces all tiles of a Tx
    rays: Keep every ray to every tile, for --rays of `keller coverage`
    json: Print a summary as JSON
    gpu: The processor or graphics card for large batches of rays and the visibility of tiles: cpu, gpu, auto (a card if
        there is one), or part of a name of `keller gpus` [default: cpu]
    scene_cache: Keep the built scene in this file and read it from there, whatever `[scene] cache` says
    memory: Use at most this much memory, such as 500MB or 2GiB; a run that needs more ends with exit code 3 [default:
        all there is]. Results do not depend on it
    threads: The number of threads [default: one for each core]. Results do not depend on it
    quiet: Say nothing on standard error but warnings and errors: no progress, no notes, no summary
    only_from: Read files in this folder and below alone, over links and `..` too: for scenarios and scenes of others
    """
    return run(
        "batch plan",
        value(None, scenario),
        value("--out", out),
        value("--result", result),
        value("--unit-size", unit_size),
        flag("--rays", rays),
        flag("--json", json),
        value("--gpu", gpu),
        value("--scene-cache", scene_cache),
        value("--memory", memory),
        value("--threads", threads),
        flag("--quiet", quiet),
        value("--only-from", only_from),
    )


@renamed
def batch_run(
    store: _File,
    *,
    only: str | Sequence[str] | None = None,
    shard: str | None = None,
    scenario: _File | None = None,
    json: bool = False,
    gpu: str | None = None,
    scene_cache: _File | None = None,
    memory: str | None = None,
    threads: int | None = None,
    quiet: bool = False,
    only_from: _File | None = None,
) -> str:
    """Compute units that are missing in a store: all, or a part of them.

    store: The store
    only: Only these units, such as 0-49 or 7, with commas between several
    shard: Only every N-th unit from the I-th on, such as 0/4: N workers with the shards 0/N to N-1/N share all units
    scenario: The scenario, where it has another name than on the machine that planned
    json: Print a summary as JSON
    gpu: The processor or graphics card for large batches of rays and the visibility of tiles: cpu, gpu, auto (a card if
        there is one), or part of a name of `keller gpus` [default: cpu]
    scene_cache: Keep the built scene in this file and read it from there, whatever `[scene] cache` says
    memory: Use at most this much memory, such as 500MB or 2GiB; a run that needs more ends with exit code 3 [default:
        all there is]. Results do not depend on it
    threads: The number of threads [default: one for each core]. Results do not depend on it
    quiet: Say nothing on standard error but warnings and errors: no progress, no notes, no summary
    only_from: Read files in this folder and below alone, over links and `..` too: for scenarios and scenes of others
    """
    return run(
        "batch run",
        value(None, store),
        joined("--only", only),
        value("--shard", shard),
        value("--scenario", scenario),
        flag("--json", json),
        value("--gpu", gpu),
        value("--scene-cache", scene_cache),
        value("--memory", memory),
        value("--threads", threads),
        flag("--quiet", quiet),
        value("--only-from", only_from),
    )


@renamed
def batch_collect(
    store: _File,
    *,
    out: _File | None = None,
    scenario: _File | None = None,
    gpu: str | None = None,
    scene_cache: _File | None = None,
    memory: str | None = None,
    threads: int | None = None,
    quiet: bool = False,
    only_from: _File | None = None,
) -> str:
    """Write the result, as the command that the batch was planned for does; of several variants, one after the other.

    store: The store. Units that are missing are computed
    out: Write here: any name that --out of that command accepts. Each variant has a file of its own, with its number in
        the name
    scenario: The scenario, where it has another name than on the machine that planned
    gpu: The processor or graphics card for large batches of rays and the visibility of tiles: cpu, gpu, auto (a card if
        there is one), or part of a name of `keller gpus` [default: cpu]
    scene_cache: Keep the built scene in this file and read it from there, whatever `[scene] cache` says
    memory: Use at most this much memory, such as 500MB or 2GiB; a run that needs more ends with exit code 3 [default:
        all there is]. Results do not depend on it
    threads: The number of threads [default: one for each core]. Results do not depend on it
    quiet: Say nothing on standard error but warnings and errors: no progress, no notes, no summary
    only_from: Read files in this folder and below alone, over links and `..` too: for scenarios and scenes of others
    """
    return run(
        "batch collect",
        value(None, store),
        value("--out", out),
        value("--scenario", scenario),
        value("--gpu", gpu),
        value("--scene-cache", scene_cache),
        value("--memory", memory),
        value("--threads", threads),
        flag("--quiet", quiet),
        value("--only-from", only_from),
    )


@renamed
def batch_status(
    store: _File,
    *,
    json: bool = False,
    memory: str | None = None,
    threads: int | None = None,
    quiet: bool = False,
    only_from: _File | None = None,
) -> str:
    """Say how many units are there, and which are missing.

    store: The store
    json: Print JSON
    memory: Use at most this much memory, such as 500MB or 2GiB; a run that needs more ends with exit code 3 [default:
        all there is]. Results do not depend on it
    threads: The number of threads [default: one for each core]. Results do not depend on it
    quiet: Say nothing on standard error but warnings and errors: no progress, no notes, no summary
    only_from: Read files in this folder and below alone, over links and `..` too: for scenarios and scenes of others
    """
    return run(
        "batch status",
        value(None, store),
        flag("--json", json),
        value("--memory", memory),
        value("--threads", threads),
        flag("--quiet", quiet),
        value("--only-from", only_from),
    )


@renamed
def batch_verify(
    store: _File,
    *,
    repair: bool = False,
    json: bool = False,
    memory: str | None = None,
    threads: int | None = None,
    quiet: bool = False,
    only_from: _File | None = None,
) -> str:
    """Read every unit and check it.

    store: The store
    repair: Remove damaged units, so that `keller batch run` computes them again, and what killed workers have left. No
        worker may run
    json: Print JSON
    memory: Use at most this much memory, such as 500MB or 2GiB; a run that needs more ends with exit code 3 [default:
        all there is]. Results do not depend on it
    threads: The number of threads [default: one for each core]. Results do not depend on it
    quiet: Say nothing on standard error but warnings and errors: no progress, no notes, no summary
    only_from: Read files in this folder and below alone, over links and `..` too: for scenarios and scenes of others
    """
    return run(
        "batch verify",
        value(None, store),
        flag("--repair", repair),
        flag("--json", json),
        value("--memory", memory),
        value("--threads", threads),
        flag("--quiet", quiet),
        value("--only-from", only_from),
    )


@renamed
def batch_slurm(
    store: _File,
    *,
    shards: int | None = None,
    cpus: int | None = None,
    time: str | None = None,
    mem: str | None = None,
    option: str | Sequence[str] | None = None,
    memory: str | None = None,
    threads: int | None = None,
    quiet: bool = False,
    only_from: _File | None = None,
) -> str:
    """Print a script for Slurm that computes the missing units as a job array.

    store: The store
    shards: How many elements the array has at most; each computes its share of the missing units, which should take 5
        to 30 minutes [default: 16]
    cpus: Cores of an element [default: 4]
    time: Time limit of an element [default: 01:00:00]
    mem: Memory of an element, such as 4GB [default: what the cluster gives]
    option: A further option of sbatch, such as partition=short; may be given several times
    memory: Use at most this much memory, such as 500MB or 2GiB; a run that needs more ends with exit code 3 [default:
        all there is]. Results do not depend on it
    threads: The number of threads [default: one for each core]. Results do not depend on it
    quiet: Say nothing on standard error but warnings and errors: no progress, no notes, no summary
    only_from: Read files in this folder and below alone, over links and `..` too: for scenarios and scenes of others
    """
    return run(
        "batch slurm",
        value(None, store),
        value("--shards", shards),
        value("--cpus", cpus),
        value("--time", time),
        value("--mem", mem),
        repeated("--option", option),
        value("--memory", memory),
        value("--threads", threads),
        flag("--quiet", quiet),
        value("--only-from", only_from),
    )


@renamed
def gpus(
    *,
    json: bool = False,
    memory: str | None = None,
    threads: int | None = None,
    quiet: bool = False,
    only_from: _File | None = None,
) -> str:
    """List the graphics cards that can trace rays.

    json: Print JSON
    memory: Use at most this much memory, such as 500MB or 2GiB; a run that needs more ends with exit code 3 [default:
        all there is]. Results do not depend on it
    threads: The number of threads [default: one for each core]. Results do not depend on it
    quiet: Say nothing on standard error but warnings and errors: no progress, no notes, no summary
    only_from: Read files in this folder and below alone, over links and `..` too: for scenarios and scenes of others
    """
    return run(
        "gpus",
        [],
        flag("--json", json),
        value("--memory", memory),
        value("--threads", threads),
        flag("--quiet", quiet),
        value("--only-from", only_from),
    )


@renamed
def schema(
    *,
    memory: str | None = None,
    threads: int | None = None,
    quiet: bool = False,
    only_from: _File | None = None,
) -> str:
    """Print the JSON schema of scenarios, by which editors complete and check them.

    memory: Use at most this much memory, such as 500MB or 2GiB; a run that needs more ends with exit code 3 [default:
        all there is]. Results do not depend on it
    threads: The number of threads [default: one for each core]. Results do not depend on it
    quiet: Say nothing on standard error but warnings and errors: no progress, no notes, no summary
    only_from: Read files in this folder and below alone, over links and `..` too: for scenarios and scenes of others
    """
    return run(
        "schema",
        [],
        value("--memory", memory),
        value("--threads", threads),
        flag("--quiet", quiet),
        value("--only-from", only_from),
    )


@renamed
def completions(
    shell: Literal["bash", "elvish", "fish", "powershell", "zsh"],
    *,
    memory: str | None = None,
    threads: int | None = None,
    quiet: bool = False,
    only_from: _File | None = None,
) -> str:
    """Print a script by which a shell completes commands, options and their values.

    shell: The shell
    memory: Use at most this much memory, such as 500MB or 2GiB; a run that needs more ends with exit code 3 [default:
        all there is]. Results do not depend on it
    threads: The number of threads [default: one for each core]. Results do not depend on it
    quiet: Say nothing on standard error but warnings and errors: no progress, no notes, no summary
    only_from: Read files in this folder and below alone, over links and `..` too: for scenarios and scenes of others
    """
    return run(
        "completions",
        value(None, shell),
        value("--memory", memory),
        value("--threads", threads),
        flag("--quiet", quiet),
        value("--only-from", only_from),
    )
