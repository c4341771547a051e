#!/usr/bin/env python3
"""Sionna RT's radio map of its munich scene, which `keller-validation plane DATA --peer FILE` holds against exact paths.

    munich_plane.py OUT.npz [--diffraction] [--no-refraction] [--samples N] [--depth N]

Cells of 5 m, 1.5 m above the ground, from the corner of the scene's bounds on; 3.5 GHz, one isotropic Tx at (8.5, 21, 27), polarised along V.
OUT holds `path_gain` and `x`, `y` of the middles of cells, `[ny, nx]`, x running fastest, and the settings; `seconds` is the median of five warm calls.
Needs `pip install sionna-rt==2.2.0` and libLLVM 19, named in DRJIT_LIBLLVM_PATH.
"""

import argparse
import time

import mitsuba as mi
import numpy as np
import sionna.rt as rt

TX = [8.5, 21.0, 27.0]
CELL = 5.0  # metres
HEIGHT = 1.5  # metres
WARM_CALLS = 5


def scene_with_tx():
    scene = rt.load_scene(rt.scene.munich)
    scene.frequency = 3.5e9
    array = rt.PlanarArray(num_rows=1, num_cols=1, pattern="iso", polarization="V")
    scene.tx_array = scene.rx_array = array
    scene.add(rt.Transmitter("tx", position=mi.Point3f(*TX)))
    return scene


def plane(scene):
    """The middle and the size of whole cells over the bounds, so that no cell is moved."""
    bounds = scene.mi_scene.bbox()
    low, high = np.array(bounds.min).ravel()[:2], np.array(bounds.max).ravel()[:2]
    size = np.ceil((high - low) / CELL) * CELL
    return [*map(float, low + size / 2), HEIGHT], [*map(float, size)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--diffraction", action="store_true")
    parser.add_argument("--no-refraction", action="store_true")
    parser.add_argument("--samples", type=int, default=10_000_000)
    parser.add_argument("--depth", type=int, default=5)
    args = parser.parse_args()

    scene = scene_with_tx()
    center, size = plane(scene)
    solver = rt.RadioMapSolver()
    times = []
    for _ in range(1 + WARM_CALLS):
        start = time.perf_counter()
        result = solver(
            scene,
            center=mi.Point3f(*center),
            size=mi.Point2f(*size),
            orientation=mi.Point3f(0, 0, 0),
            cell_size=mi.Point2f(CELL, CELL),
            samples_per_tx=args.samples,
            max_depth=args.depth,
            los=True,
            specular_reflection=True,
            diffuse_reflection=False,
            refraction=not args.no_refraction,
            diffraction=args.diffraction,
        )
        gain = np.array(result.path_gain)[0].astype(float)
        times.append(time.perf_counter() - start)
    middles = np.array(result.cell_centers).astype(float)
    seconds = float(np.median(times[1:]))
    np.savez(
        args.out,
        path_gain=gain,
        x=middles[..., 0],
        y=middles[..., 1],
        seconds=seconds,
        depth=float(args.depth),
        samples=float(args.samples),
        refraction=float(not args.no_refraction),
        diffraction=float(args.diffraction),
    )
    print(f"{gain.shape[1]} x {gain.shape[0]} cells, {np.count_nonzero(gain)} reached; cold {times[0]:.2f} s, warm median {seconds:.2f} s")


main()
