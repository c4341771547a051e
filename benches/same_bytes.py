#!/usr/bin/env python3
"""Whether two programs `keller` write the same bytes: some fifty runs of all commands and engines, for changes that should change none.

    same_bytes.py OLD NEW [--only WORD]

Both run in folders of their own on scenes of `cases/` and `examples/`. Prints every output that differs; exit code 1 if there is one.
"""

import argparse
import filecmp
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CASES = Path(__file__).parent.parent / "cases"
EXAMPLES = Path(__file__).parent.parent / "examples"

# Rough brick and glass that waves pass, beside the materials that the scenes name.
MATERIALS = """
[materials.itu_brick]
itu = "brick"
thickness = 0.2
scattering = 0.3
[materials.itu_glass]
itu = "glass"
thickness = 0.01
"""

# Outside the blocks of the scene, which has 12 of them on a ground.
DEVICES = """
[[tx]]
position = [0.5, -7.3, 12]
power_dbm = 30
[[tx]]
name = "second"
position = [-20, 24, 20]
antenna = "tr38901"
azimuth_deg = 30
"""

RECEIVERS = """
[[rx]]
position = [-36.45, 3.94, 1.6]
[[rx]]
grid = { min = [-45, -30], max = [45, 30], spacing = 11, height = 1.5 }
"""

REGION = """
[coverage]
min = [-60, -45]
max = [60, 45]
resolution = {resolution}
heights = [1.5, 8]
{more}
"""


def scenario(paths, more=RECEIVERS, devices=DEVICES, materials=MATERIALS):
    """A scenario of the twelve blocks with these lines in [paths]."""
    return (
        'frequency_hz = 2.4e9\n[scene]\nfile = "scene.glb"\n'
        f"[paths]\n{paths}\n{materials}{devices}{more}"
    )


def region(more, resolution=5):
    return REGION.format(resolution=resolution, more=more)


REFLECTED = "max_reflections = 2\nmax_interactions = 2"
PASSED = REFLECTED + "\nmax_transmissions = 2"
BENT = "max_reflections = 1\nmax_interactions = 2\nmax_diffractions = 1"
SCATTERED = "max_reflections = 1\nmax_interactions = 2\nmax_scatterings = 1"
CHANNEL = RECEIVERS + "\n[channel]\nbandwidth_hz = 100e6\nnum_frequencies = 64\n"
TUBES = 'engine = "tubes"\npath_loss_limit_db = 140'


def runs():
    """Names, arguments without the output, extension of the output, and scenarios."""
    for search in ["launch", "complete", "exhaustive", "tiles"]:
        own = f'search = "{search}"\n'
        kinds = {"reflected": REFLECTED, "bent": BENT, "scattered": SCATTERED}
        if search != "tiles":
            kinds["passed"] = PASSED
        for kind, limits in kinds.items():
            slow = search == "exhaustive" and kind in ("bent", "scattered")
            limits = limits.replace("max_reflections = 1", "max_reflections = 0") if slow else limits
            yield f"paths-{search}-{kind}", ["paths"], "csv", scenario(own + limits)
    yield "paths-parquet", ["paths"], "parquet", scenario(BENT)
    yield "paths-json", ["paths"], "json", scenario(PASSED)
    yield "paths-thorough", ["paths", "--effort", "thorough"], "csv", scenario(BENT)
    yield "paths-threshold", ["paths"], "csv", scenario(BENT + "\nrelative_threshold_db = 30")
    yield "channel-npz", ["channel"], "npz", scenario(PASSED, CHANNEL)
    yield "channel-csv", ["channel"], "csv", scenario(SCATTERED, CHANNEL)
    for name, limits, more in [
        ("points", BENT, 'engine = "points"'),
        ("points-multipath", PASSED, 'engine = "points"\nmultipath = true'),
        ("tubes", PASSED, TUBES),
        ("tubes-quick", PASSED, TUBES + '\naccuracy = "quick"'),
        ("tubes-exact", PASSED, TUBES + '\naccuracy = "exact"'),
        ("tubes-bent", BENT, TUBES),
        ("tubes-scattered", SCATTERED, TUBES),
        ("tubes-rooftops", REFLECTED, TUBES + "\nrooftops = true"),
        ("tubes-multipath", BENT, TUBES + "\nmultipath = true"),
    ]:
        yield f"coverage-{name}", ["coverage"], "npz", scenario(limits, region(more))
    yield "coverage-tif", ["coverage"], "tif", scenario(REFLECTED, region(TUBES))
    yield "coverage-zarr", ["coverage"], "zarr", scenario(REFLECTED, region(TUBES))
    yield "coverage-svg", ["coverage"], "svg", scenario(REFLECTED, region(TUBES, 2))
    surfaces = '[coverage]\nengine = "surfaces"\n[tiles]\nside = 4\n'
    yield "surfaces-npz", ["coverage"], "npz", scenario(BENT, surfaces)
    yield "surfaces-scattered", ["coverage"], "csv", scenario(SCATTERED, surfaces)
    yield "scene", ["scene", "scene.glb", "--json"], None, ""
    yield "visibility", ["visibility", "scene.glb", "--tile", "4"], "kvis", ""
    diffuse = BENT + "\n[diffuse]\nside = 6\ntile_rays = 64\nrx_rays = 64\n[background]\nlevel_db = -120\n"
    yield "coverage-diffuse", ["coverage"], "npz", scenario(diffuse, region(TUBES))
    yield "channel-diffuse", ["channel"], "csv", scenario(diffuse, CHANNEL)
    yield "coverage-beams", ["coverage"], "npz", scenario("", region('engine = "beams"', 1))
    yield "coverage-model", ["coverage"], "npz", scenario("", region('engine = "model"\nmodel = "free-space"', 1))
    three = VARIANTS + region('engine = "points"', 1)
    for name, text, options in [
        ("paths", scenario(BENT), ["--unit-size", "17"]),
        ("channel", scenario(PASSED, CHANNEL), ["--unit-size", "17"]),
        ("coverage-points", scenario(REFLECTED, region('engine = "points"', 1)), []),
        ("coverage-tubes", scenario(PASSED, region(TUBES)), []),
        ("coverage-surfaces", scenario(BENT, surfaces), []),
        ("coverage-variants", scenario(REFLECTED, three), []),
        ("coverage-variants-of-tubes", scenario(REFLECTED, VARIANTS + region(TUBES)), []),
    ]:
        yield f"batch-{name}", ["batch", name.split("-")[0], *options], "npz" if "cov" in name else "csv", text


# Three variants that differ in their Tx.
VARIANTS = """
[variants.grid]
"tx.second.position" = [[-20, 24, 20], [-20, 24, 18], [0.5, -7.3, 12]]
"""


def examples():
    """Names, arguments, and extensions of the output, of runs in a copy of `examples/`."""
    office, town, masts = "office/scenario.toml", "drive_test/scenario.toml", "fingerprints/scenario.toml"
    yield "office", ["coverage", office], "npz"
    yield "room", ["channel", "room/scenario.toml"], "npz"
    yield "compare", ["compare", town, "drive_test/drive.csv"], "csv"
    yield "calibrate", ["calibrate", "floor/scenario.toml", "floor/walk.csv"], "calibrated"
    yield "masts", ["coverage", masts], "npz"


def run(program, folder, arguments, extension):
    """What the program prints, and what it writes into the folder."""
    is_of_case = not any(argument.endswith("scenario.toml") for argument in arguments)
    if arguments[0] in ("paths", "channel", "coverage") and is_of_case:
        arguments = [arguments[0], "s.toml", *arguments[1:]]
    steps = [arguments]
    if arguments[0] == "batch":
        of = ["batch", "plan", "s.toml", "--result", arguments[1], "-o", "store", *arguments[2:]]
        steps = [of, ["batch", "run", "store"], ["batch", "collect", "store"]]
    if extension == "calibrated":
        # Beside the scenario, whose files it names.
        steps[-1] = [*steps[-1], "-o", "floor/out.toml"]
    elif extension:
        steps[-1] = [*steps[-1], "-o", f"out.{extension}"]
    for step in steps:
        done = subprocess.run([program, *step], cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{program} {' '.join(step)}: {done.stderr}")
    # Stores of other versions are none of the result, nor is when units were finished.
    shutil.rmtree(folder / "store", ignore_errors=True)
    return "" if arguments[0] == "batch" else done.stdout


def files(folder):
    return sorted(p.relative_to(folder) for p in folder.rglob("*") if p.is_file())


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("old", type=Path)
    arguments.add_argument("new", type=Path)
    arguments.add_argument("--only", default="", help="runs whose name has this in it")
    given = arguments.parse_args()
    programs = [given.old.resolve(), given.new.resolve()]
    different, count = [], 0
    of_examples = [(*of, None) for of in examples()]
    for name, command, extension, text in [*runs(), *of_examples]:
        if given.only not in name:
            continue
        count += 1
        with tempfile.TemporaryDirectory() as place:
            folders = [Path(place) / "old", Path(place) / "new"]
            printed = []
            for program, folder in zip(programs, folders):
                shutil.copytree(EXAMPLES if text is None else CASES / "10_manhattan_d3", folder)
                if text is not None:
                    (folder / "s.toml").write_text(text)
                printed.append(run(program, folder, command, extension))
            names = [files(folder) for folder in folders]
            differ = [] if names[0] == names[1] else ["names of files"]
            differ += ["standard output"] if printed[0] != printed[1] else []
            differ += [
                str(file)
                for file in names[0]
                if file in names[1] and not filecmp.cmp(folders[0] / file, folders[1] / file, shallow=False)
            ]
        print(f"{name}: {', '.join(differ) or 'same'}", flush=True)
        different += [name] if differ else []
    print(json.dumps({"runs": count, "different": different}))
    sys.exit(bool(different))


if __name__ == "__main__":
    main()
