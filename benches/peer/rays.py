#!/usr/bin/env python3
"""Rays a second of the intersector below Sionna RT (Mitsuba 3), on a graphics card if it finds one, else on the processor.

    rays.py MESH.ply RAYS.bin first|any

RAYS.bin has seven float32 a ray: origin, unit direction, length. The last line is millions of rays a second, the median of
five, with the way to the card and back, as keller's are. Needs `pip install sionna-rt==2.2.0`; without a card also libLLVM,
named in DRJIT_LIBLLVM_PATH. `keller-validation gpu SCENE --peer PYTHON` runs it.
"""

import statistics
import sys
import time

import drjit as dr
import mitsuba as mi
import numpy as np

VARIANTS = ["cuda_ad_mono_polarized", "llvm_ad_mono_polarized"]


def choose():
    for variant in VARIANTS:
        try:
            mi.set_variant(variant)
            dr.eval(mi.Float([1.0]) + 1)
        except Exception as error:
            print(f"{variant}: {error}", file=sys.stderr)
        else:
            return variant
    raise SystemExit("neither CUDA nor LLVM can be used")


def main():
    mesh, file, question = sys.argv[1:]
    print(choose())
    scene = mi.load_dict({"type": "scene", "mesh": {"type": "ply", "filename": mesh, "face_normals": True}})
    rays = np.fromfile(file, dtype=np.float32).reshape(-1, 7)
    columns = [np.ascontiguousarray(rays[:, i]) for i in range(7)]

    def once():
        x, y, z, u, v, w, far = map(mi.Float, columns)
        ray = mi.Ray3f(mi.Point3f(x, y, z), mi.Vector3f(u, v, w), far, 0.0, [])
        if question == "any":
            answers = [scene.ray_test(ray)]
        else:
            hit = scene.ray_intersect_preliminary(ray)
            answers = [hit.t, hit.prim_index]
        dr.eval(answers)
        return [np.array(answer) for answer in answers]

    times = []
    for _ in range(6):
        start = time.perf_counter()
        once()
        times.append(time.perf_counter() - start)
    print(f"{len(rays) / statistics.median(times[1:]) / 1e6:.3f}")


if __name__ == "__main__":
    main()
