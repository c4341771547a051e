#!/usr/bin/env python3
"""Whole runs of Sionna RT, on a graphics card if it finds one, else on the processor: searches for paths, and maps.

    whole_runs.py RUNS.json

RUNS.json has `scene` (a Mitsuba file), `tx`, `rx` and `runs`. A run has `kind` "paths" with `depth`, `transmissions` and `diffraction`, or "maps"
with `depth`, `center`, `size` and `cell` of a plane and the `heights` at which it lies. The last line is a list of seconds, one for each run: the
median of three warm calls, with what is found brought back. Needs `pip install sionna-rt==2.2.0`; without a card also libLLVM 19, named in
DRJIT_LIBLLVM_PATH. `keller-validation gpu SCENE --peer PYTHON` runs it.
"""

import json
import statistics
import sys
import time

import mitsuba as mi
import numpy as np
import sionna.rt as rt

WARM_CALLS = 3
RAYS = {"paths": 1_000_000, "maps": 10_000_000}


def find_paths(scene, run):
    paths = rt.PathSolver()(
        scene,
        max_depth=run["depth"],
        samples_per_src=RAYS["paths"],
        max_num_paths_per_src=1_000_000,
        synthetic_array=True,
        los=True,
        specular_reflection=True,
        diffuse_reflection=False,
        refraction=run["transmissions"],
        diffraction=run["diffraction"],
    )
    return int(np.count_nonzero(np.array(paths.valid)))


def draw_maps(scene, run):
    reached = 0
    for height in run["heights"]:
        result = rt.RadioMapSolver()(
            scene,
            center=mi.Point3f(*run["center"], height),
            size=mi.Point2f(*run["size"]),
            orientation=mi.Point3f(0, 0, 0),
            cell_size=mi.Point2f(*run["cell"]),
            samples_per_tx=RAYS["maps"],
            max_depth=run["depth"],
            los=True,
            specular_reflection=True,
            diffuse_reflection=False,
            refraction=False,
            diffraction=False,
        )
        reached += int(np.count_nonzero(np.array(result.path_gain)))
    return reached


def main():
    with open(sys.argv[1]) as file:
        asked = json.load(file)
    scene = rt.load_scene(asked["scene"])
    scene.frequency = 3.5e9
    scene.tx_array = scene.rx_array = rt.PlanarArray(num_rows=1, num_cols=1, pattern="iso", polarization="V")
    scene.add(rt.Transmitter("tx", position=mi.Point3f(*asked["tx"])))
    for i, position in enumerate(asked["rx"]):
        scene.add(rt.Receiver(f"rx{i}", position=mi.Point3f(*position)))
    print(mi.variant())
    medians = []
    for run in asked["runs"]:
        times = []
        for _ in range(1 + WARM_CALLS):
            start = time.perf_counter()
            found = (find_paths if run["kind"] == "paths" else draw_maps)(scene, run)
            times.append(time.perf_counter() - start)
        medians.append(statistics.median(times[1:]))
        print(f"{run}: {found} found, cold {times[0]:.2f} s, warm {medians[-1]:.2f} s", file=sys.stderr)
    print(json.dumps(medians))


if __name__ == "__main__":
    main()
