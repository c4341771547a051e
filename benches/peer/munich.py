#!/usr/bin/env python3
"""Sionna RT on its munich scene: the peer that keller's figures are quoted against.

    munich.py receivers rx.csv [COUNT [SEED]]      receivers in the streets, within 300 m of the Tx, 1.5 m above the ground
    munich.py bench rx.csv DEPTH [--transmissions] [--diffraction]     warm times of five calls
    munich.py union rx.csv DEPTH OUT.jsonl [--transmissions] [--diffraction] [--seeds N]   every path of N seeds, one receiver a call

Needs `pip install sionna-rt==2.2.0` and libLLVM 19, named in DRJIT_LIBLLVM_PATH. 3.5 GHz, Tx (8.5, 21, 27), 1e6 samples.
"""

import argparse
import json
import time

import mitsuba as mi
import numpy as np
import sionna.rt as rt

TX = [8.5, 21.0, 27.0]
LETTERS = {1: "R", 2: "S", 4: "T", 8: "D"}
SAME_PATH = 0.02  # metres: f32 points of one path from several seeds


def scene_with(receivers):
    scene = rt.load_scene(rt.scene.munich)
    scene.frequency = 3.5e9
    array = rt.PlanarArray(num_rows=1, num_cols=1, pattern="iso", polarization="V")
    scene.tx_array = scene.rx_array = array
    scene.add(rt.Transmitter("tx", position=mi.Point3f(*TX)))
    for i, position in enumerate(receivers):
        scene.add(rt.Receiver(f"rx{i}", position=mi.Point3f(*map(float, position))))
    return scene


def solve(scene, args, seed):
    paths = rt.PathSolver()(
        scene,
        max_depth=args.depth,
        samples_per_src=1_000_000,
        max_num_paths_per_src=1_000_000,
        synthetic_array=True,
        los=True,
        specular_reflection=True,
        diffuse_reflection=False,
        refraction=args.transmissions,
        diffraction=args.diffraction,
        seed=seed,
    )
    return paths, np.array(paths.valid)[:, 0, :]


def bench(args):
    receivers = np.loadtxt(args.rx, delimiter=",", skiprows=1, ndmin=2)
    scene = scene_with(receivers)
    times = []
    for _ in range(6):
        start = time.perf_counter()
        _, valid = solve(scene, args, 1)
        times.append(time.perf_counter() - start)
    print(f"{len(receivers)} rx: {valid.sum()} paths, cold {times[0]:.2f} s, warm median {np.median(times[1:]):.2f} s")


def union(args):
    receivers = np.loadtxt(args.rx, delimiter=",", skiprows=1, ndmin=2)
    scene = scene_with(receivers[:1])
    device = scene.receivers["rx0"]
    with open(args.out, "w") as out:
        for r, position in enumerate(receivers):
            device.position = mi.Point3f(*map(float, position))
            found = {}
            for seed in range(1, args.seeds + 1):
                paths, valid = solve(scene, args, seed)
                kinds, points, delays = (np.array(x) for x in (paths.interactions, paths.vertices, paths.tau))
                for k in np.nonzero(valid[0])[0]:
                    count = int((kinds[:, 0, 0, k] != 0).sum())
                    types = "".join(LETTERS[int(c)] for c in kinds[:count, 0, 0, k])
                    own = points[:count, 0, 0, k].astype(float).reshape(-1, 3)
                    known = found.setdefault(types, [])
                    if all(np.abs(own - other).max(initial=0) > SAME_PATH for other, _ in known):
                        known.append((own, float(delays[0, 0, k])))
            for types, known in found.items():
                for own, delay in known:
                    row = {"rx": r, "types": types, "vertices": own.tolist(), "delay": delay}
                    out.write(json.dumps(row) + "\n")


def receivers(args):
    scene = rt.load_scene(rt.scene.munich)
    rng = np.random.default_rng(args.seed)
    rows = []
    while len(rows) < args.count:
        offset = rng.uniform(-300, 300, size=(1024, 2))
        spots = (offset + TX[:2])[np.hypot(*offset.T) <= 300]
        from_above = mi.Point3f(*np.c_[spots, np.full(len(spots), 300.0)].T.astype(np.float32))
        hit = scene.mi_scene.ray_intersect(mi.Ray3f(from_above, mi.Vector3f(0, 0, -1)))
        in_street = np.abs(300.0 - np.array(hit.t)) < 0.5
        rows.extend((x, y, 1.5) for x, y in spots[in_street])
    np.savetxt(args.rx, rows[: args.count], delimiter=",", fmt="%.6f", header="x,y,z", comments="")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("receivers")
    command.add_argument("rx")
    command.add_argument("count", type=int, nargs="?", default=100)
    command.add_argument("seed", type=int, nargs="?", default=1)
    command.set_defaults(run=receivers)
    for run in (bench, union):
        command = commands.add_parser(run.__name__)
        command.add_argument("rx")
        command.add_argument("depth", type=int)
        if run is union:
            command.add_argument("out")
            command.add_argument("--seeds", type=int, default=10)
        command.add_argument("--transmissions", action="store_true")
        command.add_argument("--diffraction", action="store_true")
        command.set_defaults(run=run)
    args = parser.parse_args()
    args.run(args)


main()
