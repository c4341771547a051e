#!/usr/bin/env python3
"""keller.sionna beside Sionna RT itself: the same scene object, the same arrays, path by path.

    python_arrays.py [--rx COUNT] [--seed SEED] [--samples COUNT] [--list]

Needs `pip install sionna-rt==2.2.0`, libLLVM 19 named in DRJIT_LIBLLVM_PATH, and the package keller. The peer's paths
are matched with keller's by interactions and delay. Exits with 1 unless keller has every reflected and transmitted path
of the peer, at the same delay and angles, with

- an amplitude within 0.01 dB, or one that its cause explains: `points`, because the peer's points have 32 bits, or
  `walls`, because two walls of different materials lie at one place and the two programs take one each;
- every amplitude equal to the closed form of the field, which this file computes in 64 bits: the peer's within 0.01 dB
  at the peer's own points, keller's within 1e-4 dB at keller's. Phases count as amplitudes do.

`--list` prints every path that is missing, apart or explained, and every path that only keller has.
"""

import argparse
import itertools
import sys
from typing import NamedTuple

import keller
import mitsuba as mi
import numpy as np
import sionna.rt as rt
from keller import sionna

FREQUENCY = 3.5e9
LIGHT = 299_792_458.0
WAVENUMBER = 2 * np.pi * FREQUENCY / LIGHT
VACUUM = 8.854_187_812_8e-12
DEPTH = 3
LETTERS = {1: "R", 2: "S", 4: "T", 8: "D"}
ANGLES = ("theta_t", "phi_t", "theta_r", "phi_r")
NAMES = ("tau", *ANGLES, "doppler", "valid", "interactions", "objects", "vertices")

AMPLITUDE_DB = 0.01
# keller and the closed form have 64 bits, but the form takes the peer's permittivities, which have 32: up to 2e-5 dB.
OWN_DB = 1e-4
# A delay in 32 bits has 7 digits: 1.2e-13 s at 1 us. Ten times that is 0.3 mm of way.
DELAY = 1e-12  # s
# Points in 32 bits have a last bit of 3e-5 m at 300 m; mirroring and intersecting them adds up some ten of those. The
# angle at a device is off by such a distance over the length of its segment, which counts where that is short.
ANGLE_DEG = 1e-3
POINT = 3e-4  # m


class Case(NamedTuple):
    name: str
    scene: str
    tx: tuple[float, float, float]
    refraction: bool
    has_arrays: bool = False
    synthetic: bool = True


CANYON, MUNICH = ("simple_street_canyon", (-33.0, 11.0, 32.0)), ("munich", (8.5, 21.0, 27.0))
CASES = [
    Case("canyon, R", *CANYON, False),
    Case("canyon, R and T", *CANYON, True),
    Case("munich, R", *MUNICH, False),
    Case("munich, R and T", *MUNICH, True),
    Case("canyon, R and T, arrays", *CANYON, True, has_arrays=True),
    Case("canyon, R and T, elements", *CANYON, True, has_arrays=True, synthetic=False),
]


# ---- The two programs


def scene_of(case, args):
    """The peer's scene with its devices: receivers in the open within 150 m of the Tx, 1.5 m above the ground."""
    scene = rt.load_scene(getattr(rt.scene, case.scene))
    scene.frequency = FREQUENCY
    turns = [{}, {}]
    if case.has_arrays:
        scene.tx_array = rt.PlanarArray(
            num_rows=2, num_cols=3, vertical_spacing=0.7, pattern="tr38901", polarization="cross"
        )
        scene.rx_array = rt.PlanarArray(num_rows=3, num_cols=1, pattern="dipole", polarization="VH")
        turns[0] = {"orientation": mi.Point3f(0.1, 0.4, 0.2), "velocity": mi.Vector3f(10, -5, 2)}
        turns[1] = {"orientation": mi.Point3f(2.0, -0.2, 0.3), "velocity": mi.Vector3f(1, 2, 0)}
    else:
        scene.tx_array = scene.rx_array = rt.PlanarArray(num_rows=1, num_cols=1, pattern="iso", polarization="V")
    scene.add(rt.Transmitter("tx", position=mi.Point3f(*case.tx), **turns[0]))
    rng = np.random.default_rng(args.seed)
    # Between elements there are as many links as pairs of them.
    while len(scene.receivers) < (args.rx if case.synthetic else 2):
        # Whole 64ths of a metre are the same in 32 and 64 bits.
        x, y = (np.round(64 * (np.array(case.tx[:2]) + rng.uniform(-150, 150, 2))) / 64).tolist()
        hit = scene.mi_scene.ray_intersect(mi.Ray3f(mi.Point3f(x, y, 300.0), mi.Vector3f(0, 0, -1)))
        if abs(300.0 - np.array(hit.t)[0]) < 0.5:
            scene.add(rt.Receiver(f"rx{len(scene.receivers)}", position=mi.Point3f(x, y, 1.5), **turns[1]))
    return scene


def theirs(case, scene, samples):
    paths = rt.PathSolver(deterministic=True)(
        scene,
        max_depth=DEPTH,
        samples_per_src=samples,
        refraction=case.refraction,
        synthetic_array=case.synthetic,
        seed=1,
    )
    return {
        "a": tuple(np.array(part) for part in paths.a),
        **{name: np.array(getattr(paths, name)) for name in NAMES},
    }


def ours(case, scene, dtype, bare=True):
    world, tx, rx = sionna.from_scene(scene, synthetic_array=case.synthetic)
    paths = world.paths(
        tx,
        rx,
        search="complete",
        max_depth=DEPTH,
        max_reflections=DEPTH,
        max_transmissions=DEPTH if case.refraction else 0,
        ignore_displaced_air=bare,
    )
    arrays = sionna.arrays(paths, max_depth=DEPTH, dtype=dtype)
    return {name: getattr(arrays, name) for name in ("a", *NAMES)}


def forms(arrays):
    """Types, and shapes without the number of paths."""
    found = {"a": [(part.dtype, part.shape[:-1]) for part in arrays["a"]]}
    for name in NAMES:
        axis = -2 if name == "vertices" else -1
        found[name] = (arrays[name].dtype, tuple(np.delete(arrays[name].shape, axis).tolist()))
    return found


# ---- Single paths


class Path(NamedTuple):
    kinds: str
    tau: float
    doppler: float
    directions: list  # of departure and of arrival
    points: np.ndarray  # devices, or elements, among them
    objects: np.ndarray
    a: np.ndarray  # of all pairs of antennas of the link

    @property
    def segments(self):
        return np.diff(self.points, axis=0)


def paths_of(arrays, link, ends):
    found = []
    for path in np.flatnonzero(arrays["valid"][link]):
        codes = arrays["interactions"][(slice(None), *link, path)]
        met = codes > 0
        points = arrays["vertices"][(slice(None), *link, path)][met]
        angles = [[float(arrays[f"{name}_{end}"][link][path]) for name in ("theta", "phi")] for end in "tr"]
        at = (link[0], slice(None), link[1], slice(None), path) if len(link) == 2 else (*link, path)
        found.append(
            Path(
                "".join(LETTERS[code] for code in codes[met]) or "LOS",
                float(arrays["tau"][link][path]),
                float(arrays["doppler"][link][path]),
                [np.array([np.sin(z) * np.cos(p), np.sin(z) * np.sin(p), np.cos(z)]) for z, p in angles],
                np.concatenate([ends[0][None], points.astype(float), ends[1][None]]),
                arrays["objects"][(slice(None), *link, path)][met],
                np.ravel(arrays["a"][0][at].astype(complex) + 1j * arrays["a"][1][at]),
            )
        )
    return found


def level_db(one, other):
    return 20 * np.log10(np.linalg.norm(one) / np.linalg.norm(other))


def error_db(found, expected, matched):
    """An error in amplitude and phase as the change of level that is as large, for antennas along the field.

    Antennas across the field take next to nothing: a difference of two numbers, whose error is that of the field.
    """
    return 20 * np.log10(1 + np.linalg.norm(found - expected) / matched)


def differences(peer, own):
    angles = [np.arctan2(np.linalg.norm(np.cross(p, o)), p @ o) for p, o in zip(peer.directions, own.directions)]
    lengths = np.linalg.norm(peer.segments[[0, -1]], axis=1)
    return {
        "delay": own.tau - peer.tau,
        "doppler": own.doppler - peer.doppler,
        "angle": np.degrees(max(angles)),
        "point": max(angles * lengths),
        "level": level_db(own.a, peer.a),
        "phase": np.degrees(np.angle(np.vdot(peer.a, own.a))),
    }


# ---- The closed form


class Walls:
    """The triangles of a scene with what their materials are: permittivity, conductivity, thickness."""

    def __init__(self, scene):
        geometry = sionna.from_scene(scene).world.scene
        corners = geometry.vertices[geometry.triangles]
        self.start, self.u, self.v = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
        normals = np.cross(self.u, self.v)
        self.normals = normals / np.linalg.norm(normals, axis=1)[:, None]
        self.names = np.array(geometry.materials)[geometry.material_of]
        self.media = {name: self.medium(one) for name, one in scene.radio_materials.items()}
        self.of_object = {one.object_id: one.radio_material.name for one in scene.objects.values()}

    @staticmethod
    def medium(material):
        values = (material.relative_permittivity, material.conductivity, material.thickness)
        return [float(np.array(value).ravel()[0]) for value in values]

    def at(self, point, turn):
        """Normal and materials of the walls at a point; a reflection is one whose normal the ray's turn is along."""
        to = point - self.start
        off = np.abs((to * self.normals).sum(1))
        uu, uv, vv = ((a * b).sum(1) for a, b in ((self.u, self.u), (self.u, self.v), (self.v, self.v)))
        ut, vt = ((a * to).sum(1) for a in (self.u, self.v))
        s, t = (vv * ut - uv * vt) / (uu * vv - uv**2), (uu * vt - uv * ut) / (uu * vv - uv**2)
        near = np.flatnonzero((off < 2e-3) & (s > -1e-3) & (t > -1e-3) & (s + t < 1.001))
        if turn is not None:
            near = near[np.abs(self.normals[near] @ (turn / np.linalg.norm(turn))) > 0.99]
        near = near[np.argsort(off[near])]
        normal = self.normals[near[0]]
        return normal, sorted({self.names[i] for i in near if abs(self.normals[i] @ normal) > 0.9999})

    def along(self, path):
        """The normal, and the materials of all walls, at each interaction of a path."""
        rays = path.segments / np.linalg.norm(path.segments, axis=1)[:, None]
        turns = [after - before if kind == "R" else None for before, after, kind in zip(rays, rays[1:], path.kinds)]
        found = [self.at(point, turn) for point, turn in zip(path.points[1:-1], turns)]
        return [normal for normal, _ in found], [names for _, names in found]


def slab(cosine, medium):
    """Reflection and transmission of TE and TM: ITU-R P.2040-3, (43), (44)."""
    permittivity, conductivity, thickness = medium
    eta = permittivity - 1j * conductivity / (2 * np.pi * FREQUENCY * VACUUM)
    kappa = np.sqrt(eta - (1 - cosine**2))
    once = np.exp(-1j * WAVENUMBER * thickness * kappa)
    both = []
    for r in ((cosine - kappa) / (cosine + kappa), (eta * cosine - kappa) / (eta * cosine + kappa)):
        echo = 1 - r**2 * once**2
        both.append((r * (1 - once**2) / echo, (1 - r**2) * once / echo))
    return both, kappa


def units(direction):
    """The unit vectors of growing zenith and azimuth."""
    azimuth = np.arctan2(direction[1], direction[0])
    across = np.array([-np.sin(azimuth), np.cos(azimuth), 0.0])
    return np.cross(across, direction), across


def gain(pattern, zenith, azimuth):
    if pattern == "dipole":
        return 1.5 * np.sin(zenith) ** 2
    if pattern == "tr38901":
        losses = [min(12 * (np.degrees(angle) / 65) ** 2, 30) for angle in (zenith - np.pi / 2, azimuth)]
        return 10 ** ((8 - min(sum(losses), 30)) / 10)
    return 1.0


class End:
    """The antennas of a device as vectors of the field: ports of the first polarisation first, each of all elements."""

    def __init__(self, array, device, pattern, slants):
        alpha, beta, gamma = np.array(device.orientation, dtype=float).ravel()
        (ca, cb, cc), (sa, sb, sc) = np.cos([alpha, beta, gamma]), np.sin([alpha, beta, gamma])
        self.rotation = (
            np.array([[ca, -sa, 0], [sa, ca, 0], [0, 0, 1]])
            @ np.array([[cb, 0, sb], [0, 1, 0], [-sb, 0, cb]])
            @ np.array([[1, 0, 0], [0, cc, -sc], [0, sc, cc]])
        )
        self.pattern, self.slants = pattern, np.radians(slants)
        offsets = np.array(array.normalized_positions, dtype=float).T @ self.rotation.T
        self.offsets = offsets * LIGHT / FREQUENCY
        self.position = np.array(device.position, dtype=float).ravel()

    def place(self, antenna):
        return self.position if antenna is None else self.position + self.offsets[antenna % len(self.offsets)]

    def fields(self, direction, antenna):
        local = self.rotation.T @ direction
        along, across = units(local)
        root = np.sqrt(gain(self.pattern, np.arccos(local[2]), np.arctan2(local[1], local[0])))
        ports = [self.rotation @ (root * (np.cos(z) * along + np.sin(z) * across)) for z in self.slants]
        if antenna is not None:
            return [ports[antenna // len(self.offsets)]]
        phases = np.exp(1j * WAVENUMBER * self.offsets @ direction)
        return [port * phase for port in ports for phase in phases]


def closed_form(path, tx, rx, antennas, normals, media):
    """Amplitudes of all pairs of antennas without the carrier phase; their norm along the field; delay of walls."""
    lengths = np.linalg.norm(path.segments, axis=1)
    rays = path.segments / lengths[:, None]
    matrix, longer = np.eye(3, dtype=complex), 0.0
    for along, kind, normal, medium in zip(rays, path.kinds, normals, media):
        cosine = abs(along @ normal)
        coefficients, kappa = slab(cosine, medium)
        te = np.cross(along, normal)
        te /= np.linalg.norm(te)
        onward = along - 2 * (along @ normal) * normal if kind == "R" else along
        of_te, of_tm = (pair["RT".index(kind)] for pair in coefficients)
        matrix = (of_te * np.outer(te, te) + of_tm * np.outer(np.cross(onward, te), np.cross(along, te))) @ matrix
        longer += medium[2] * (kappa.real - cosine) / LIGHT if kind == "T" else 0.0
    spreading = LIGHT / FREQUENCY / (4 * np.pi * lengths.sum())
    at_tx, at_rx = tx.fields(rays[0], antennas[1]), rx.fields(-rays[-1], antennas[0])
    matched = spreading * np.linalg.norm(matrix, 2) * np.linalg.norm(at_rx) * np.linalg.norm(at_tx)
    return np.array([spreading * (r @ matrix @ t) for r in at_rx for t in at_tx]), matched, longer


def explain(peer, own, tx, rx, antennas, walls):
    """How far each program is from the closed form at its own points, dB; whether walls differ; delay that ours add."""
    normals, _ = walls.along(peer)
    their_names = [walls.of_object[number] for number in peer.objects]
    expected, matched, _ = closed_form(peer, tx, rx, antennas, normals, [walls.media[name] for name in their_names])
    normals, choices = walls.along(own)
    tried = []
    for names in itertools.product(*choices):
        media = [walls.media[name] for name in names]
        own_expected, own_matched, longer = closed_form(own, tx, rx, antennas, normals, media)
        tried.append((error_db(own.a, own_expected, own_matched), longer, list(names)))
    # Of walls that coincide, keller took one.
    own_off, longer, names = min(tried)
    return error_db(peer.a, expected, matched), own_off, names != their_names, longer


# ---- The comparison


COUNTS = ("theirs", "missing", "apart", "same", "points", "walls", "unexplained", "only ours")
WORST = ("delay", "angle", "level", "phase", "doppler", "theirs off", "ours off", "longer", "longer off")


def compare(case, args):
    """Counts of the peer's paths, and the largest differences."""
    scene = scene_of(case, args)
    peer, own = theirs(case, scene, args.samples), ours(case, scene, np.float64)
    air = ours(case, scene, np.float64, bare=False)
    count, worst = dict.fromkeys(COUNTS, 0), dict.fromkeys(WORST, 0.0)
    their_forms, our_forms = forms(peer), forms(ours(case, scene, np.float32))
    if their_forms != our_forms:
        print(f"{case.name}: other forms\n  theirs {their_forms}\n  ours {our_forms}")
        count["unexplained"] += 1
    walls = Walls(scene)
    kinds = (("tr38901", [-45, 45]), ("dipole", [0, 90])) if case.has_arrays else (("iso", [0]), ("iso", [0]))
    sides = ((scene.tx_array, scene.transmitters), (scene.rx_array, scene.receivers))
    all_tx, all_rx = (
        [End(array, device, *kind) for device in devices.values()] for (array, devices), kind in zip(sides, kinds)
    )
    for link in np.ndindex(peer["valid"].shape[:-1]):
        antennas = (None, None) if case.synthetic else (link[1], link[3])
        tx, rx = all_tx[link[1 if case.synthetic else 2]], all_rx[link[0]]
        ends = (tx.place(antennas[1]), rx.place(antennas[0]))
        their_paths, our_paths, air_paths = (paths_of(arrays, link, ends) for arrays in (peer, own, air))
        taken = set()
        for path in their_paths:
            count["theirs"] += 1
            like = [i for i, one in enumerate(our_paths) if one.kinds == path.kinds]
            best = min(like, key=lambda i: abs(our_paths[i].tau - path.tau), default=None)
            if best is None or abs(our_paths[best].tau - path.tau) > 100 * DELAY:
                count["missing"] += 1
                tell(args, "missing", link, path)
                continue
            taken.add(best)
            match = our_paths[best]
            off = differences(path, match)
            if abs(off["delay"]) > DELAY or (off["angle"] > ANGLE_DEG and off["point"] > POINT):
                count["apart"] += 1
                tell(args, "apart", link, path, off)
            explained = explain(path, match, tx, rx, antennas, walls)
            off["theirs off"], off["ours off"], is_other_wall, longer = explained
            if off["theirs off"] > AMPLITUDE_DB or off["ours off"] > OWN_DB:
                kind = "unexplained"
            elif abs(off["level"]) < AMPLITUDE_DB:
                kind = "same"
            else:
                kind = "walls" if is_other_wall else "points"
            count[kind] += 1
            if kind != "same":
                tell(args, kind, link, path, off)
            # The same path where walls displace air.
            like = [one for one in air_paths if one.kinds == match.kinds and np.array_equal(one.points, match.points)]
            off["longer"] = like[0].tau - match.tau
            off["longer off"] = off["longer"] - longer
            for name in WORST:
                if kind != "walls" or name not in ("level", "phase"):
                    worst[name] = max(worst[name], abs(off[name]))
        rest = set(range(len(our_paths))) - taken
        count["only ours"] += len(rest)
        for i in rest:
            tell(args, "only ours", link, our_paths[i])
    return count, worst


def tell(args, what, link, path, more=None):
    if args.list:
        shortest = np.linalg.norm(path.segments, axis=1).min()
        gain_db = 20 * np.log10(np.linalg.norm(path.a))
        print(f"{what}: link {link} {path.kinds}, {path.tau:.6e} s, {gain_db:.1f} dB, shortest leg {shortest:.3g} m")
        if more:
            print("    " + ", ".join(f"{name} {value:.2e}" for name, value in more.items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rx", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--samples", type=int, default=1_000_000)
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    print(f"sionna-rt {rt.__version__}, mitsuba {mi.__version__}, keller {keller.__version__}, numpy {np.__version__}")
    results = []
    for case in CASES:
        if args.list:
            print(f"\n{case.name}")
        results.append((case.name, *compare(case, args)))

    print("\n| case | " + " | ".join(COUNTS) + " |\n|---|" + "--:|" * len(COUNTS))
    for name, count, _ in results:
        print(f"| {name} | " + " | ".join(str(number) for number in count.values()) + " |")
    units = {"delay": "ps", "angle": "deg", "phase": "deg", "doppler": "Hz", "longer": "ps", "longer off": "ps"}
    heads = [f"{name}, {units.get(name, 'dB')}" for name in WORST]
    print("\n| case | " + " | ".join(heads) + " |\n|---|" + "--:|" * len(heads))
    for name, _, worst in results:
        shown = [value * (1e12 if units.get(key) == "ps" else 1) for key, value in worst.items()]
        print(f"| {name} | " + " | ".join(f"{value:.2g}" for value in shown) + " |")
    bad = sum(count[name] for _, count, _ in results for name in ("missing", "apart", "unexplained"))
    sys.exit(1 if bad else 0)


main()
