#!/usr/bin/env python3
"""Hills of 4 x 4 km with more than a million triangles and some hundred houses: terrain for `keller coverage`, as a mesh and as a raster.

    hills.py FOLDER [--step METRES] [--houses N] [--seed N]

FOLDER gets `hills.obj` (terrain and houses), `hills.asc` with `houses.geojson` for `keller import`, and the scenario `hills.toml`.
The same on every run. Needs numpy.
"""

import argparse
import json
from pathlib import Path

import numpy as np

SIDE = 4000.0  # metres
# Height of hills, metres, by their width, metres: ever smaller ones, so that no two triangles lie in one plane.
HILLS = [(60.0, 2000.0), (25.0, 900.0), (8.0, 300.0), (1.5, 80.0), (0.15, 25.0)]
WAVES = 6  # directions of the waves of each width
SUNK = 3.0  # metres that houses reach into the ground
# Where the houses' foot is in a cartesian frame of UTM zone 32.
ORIGIN = (690_000.0, 5_330_000.0)

SCENARIO = """frequency_hz = 947e6
[scene]
file = "hills.obj"
[[tx]]
position = [2000, 2000]
height_above_ground = 25
power_dbm = 43
[paths]
max_interactions = {reflections}
max_reflections = {reflections}
max_transmissions = 2
[coverage]
engine = "tubes"
min = [0, 0]
max = [4000, 4000]
resolution = 10
heights = [5, 15, 25, 35, 45, 55, 65, 75, 85, 95]
height_above = "ground"
path_loss_limit_db = 130
[materials.ground]
permittivity = 15
conductivity = 0.035
[materials.house]
permittivity = 5.24
conductivity = 0.045
thickness = 0.3
"""


def height_function(rng):
    waves = []
    for height, width in HILLS:
        for _ in range(WAVES):
            direction, phase = rng.uniform(0, 2 * np.pi, 2)
            waves.append((height / WAVES, 2 * np.pi / width * np.cos(direction), 2 * np.pi / width * np.sin(direction), phase))

    def height(x, y):
        return 150.0 + sum(a * np.sin(kx * x + ky * y + p) for a, kx, ky, p in waves)

    return height


def houses(rng, count, height):
    """Corners from above, foot and roof of every house, none nearer than 30 m to another."""
    middles, found = [], []
    while len(found) < count:
        middle = rng.uniform(50, SIDE - 50, 2)
        if any(np.hypot(*(middle - other)) < 30 for other in middles):
            continue
        middles.append(middle)
        half, angle, tall = rng.uniform(4, 9, 2), rng.uniform(0, np.pi), rng.uniform(5, 12)
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half @ turn.T + middle
        ground = height(*corners.T)
        found.append((corners, ground.min() - SUNK, ground.max() + tall))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--step", type=float, default=5.0, help="metres between points of the terrain")
    parser.add_argument("--houses", type=int, default=300)
    parser.add_argument("--reflections", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(args.seed)
    height = height_function(rng)
    n = round(SIDE / args.step) + 1
    axis = np.linspace(0, SIDE, n)
    x, y = np.meshgrid(axis, axis)
    z = height(x, y)
    found = houses(rng, args.houses, height)

    first = np.arange(n * n).reshape(n, n)[:-1, :-1].ravel() + 1
    terrain = np.concatenate([np.c_[first, first + 1, first + n + 1], np.c_[first, first + n + 1, first + n]])
    with open(args.folder / "hills.obj", "w") as out:
        np.savetxt(out, np.c_[x.ravel(), y.ravel(), z.ravel()], fmt="v %.3f %.3f %.3f")
        out.write("usemtl ground\n")
        np.savetxt(out, terrain, fmt="f %d %d %d")
        out.write("usemtl house\n")
        for k, (corners, foot, roof) in enumerate(found):
            for level in (foot, roof):
                for cx, cy in corners:
                    out.write(f"v {cx:.3f} {cy:.3f} {level:.3f}\n")
            v = n * n + 8 * k + 1
            out.write(f"f {v + 4} {v + 5} {v + 6} {v + 7}\nf {v + 3} {v + 2} {v + 1} {v}\n")
            for i in range(4):
                j = (i + 1) % 4
                out.write(f"f {v + i} {v + j} {v + 4 + j} {v + 4 + i}\n")
    with open(args.folder / "hills.asc", "w") as out:
        west, south = (o - args.step / 2 for o in ORIGIN)
        out.write(f"ncols {n}\nnrows {n}\nxllcorner {west}\nyllcorner {south}\ncellsize {args.step}\nnodata_value -9999\n")
        np.savetxt(out, z[::-1], fmt="%.3f")
    features = []
    for corners, _, roof in found:
        ring = [[float(cx) + ORIGIN[0], float(cy) + ORIGIN[1]] for cx, cy in [*corners, corners[0]]]
        tall = float(roof - height(*corners.T).min())
        features.append({"type": "Feature", "properties": {"height": round(tall, 2)}, "geometry": {"type": "Polygon", "coordinates": [ring]}})
    crs = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::25832"}}
    (args.folder / "houses.geojson").write_text(json.dumps({"type": "FeatureCollection", "crs": crs, "features": features}))
    (args.folder / "hills.toml").write_text(SCENARIO.format(reflections=args.reflections))
    print(f"{len(terrain)} triangles of terrain, {z.min():.0f} to {z.max():.0f} m, {len(found)} houses")


main()
