"""The exact field around a dielectric wedge: boundary integral equations on its two faces.

A line source stands outside a wedge of one medium, which reaches to infinity. The field on the faces and its normal
derivative are the unknowns; Green's theorem outside and inside gives two equations. Panels of Gauss-Legendre nodes
shrink towards the edge and near the feet of sources and observers. From `REACH` wavelengths on, the coordinate along
each face becomes complex, so that every outgoing wave dies out and nothing comes back from the ends. Lengths are in
wavelengths, phasors have e^{+j omega t}.

    python3 lossy_wedge.py                                 # checks against the exact series of a conductor
    python3 lossy_wedge.py table DIR [concrete,brick 1.5]  # fields around wedges, one file a material and angle
    python3 lossy_wedge.py far DIR concrete 1.5            # the same with both ends 25 and 24 wavelengths away

It needs numpy and scipy, and 9 to 40 s a case on one core (far: 2 to 5 minutes). The fields are those of a source that
alone has the field -j/4 H0(2)(k r). The table of docs/src/theory/diffraction.md (`tip`) compares them with the program's.
"""
import sys
import numpy as np
from scipy.special import hankel2, jv

K = 2 * np.pi
ORDER = 12
REACH, LAYER, STRENGTH = 8.0, 3.0, 2.5
NODES, WEIGHTS = np.polynomial.legendre.leggauss(ORDER)
BARY = np.array([1 / np.prod(NODES[i] - np.delete(NODES, i)) for i in range(ORDER)])

# Relative permittivity and conductivity (S/m) at 1 GHz, ITU-R P.2040-3, Table 3.
MEDIA = {
    "concrete": (5.24, 0.0462), "brick": (3.91, 0.0238), "glass": (6.31, 0.0036), "wood": (1.99, 0.0047),
    "wet": (30.0, 0.15),
}


def permittivity(name):
    real, sigma = MEDIA[name]
    return real - 1j * sigma / (2 * np.pi * 1e9 * 8.8541878128e-12)


def stretched(s):
    """The complex coordinate at the real one `s`, and its derivative."""
    t = np.maximum(s - REACH, 0) / LAYER
    return s - 1j * STRENGTH * t**3 * LAYER / 3, 1 - 1j * STRENGTH * t**2


def panels(longest, feet):
    """Ends of the panels of a face. `feet` are pairs (position, height) of points near it."""
    ends, s = [0.0], 1e-6
    while s < REACH + LAYER:
        ends.append(s)
        step = min(longest, s)
        for at, height in feet:
            step = min(step, max(0.8 * height, 0.5 * abs(s - at)))
        s += step
    ends.append(REACH + LAYER)
    return np.array(ends)


class Wedge:
    """The wedge with the exterior angle `n` pi; `eta` is its permittivity, None for a perfect conductor."""

    def __init__(self, n, eta, feet=((), ()), fineness=1.0):
        self.n, self.eta = n, eta
        index = 1.0 if eta is None else max(abs(np.sqrt(eta)), 1.0)
        self.ki = None if eta is None else K * np.sqrt(eta)
        self.directions = [np.array([1.0, 0.0]), np.array([np.cos(n * np.pi), np.sin(n * np.pi)])]
        self.normals = [np.array([0.0, 1.0]), np.array([np.sin(n * np.pi), -np.cos(n * np.pi)])]
        s, self.ends, self.face = [], [], []
        for face in (0, 1):
            ends = panels(0.8 / index / fineness, feet[face])
            for a, b in zip(ends[:-1], ends[1:]):
                s.append(0.5 * (a + b) + 0.5 * (b - a) * NODES)
                self.ends.append((a, b))
                self.face.append(face)
        s = np.array(s)
        self.s = s
        half = np.array([0.5 * (b - a) for a, b in self.ends])
        self.z, dz = stretched(s)
        self.w = (half[:, None] * WEIGHTS[None, :] * dz).ravel()
        self.z = self.z.ravel()
        self.face_of = np.repeat(self.face, ORDER)
        self.x = self.z[:, None] * np.array([self.directions[f] for f in self.face_of])
        self.nv = np.array([self.normals[f] for f in self.face_of])

    def kernels(self, k, x, y, nv):
        """G and its derivative by the normal at y, of shape [x, y]."""
        d = y[None, :, :] - x[:, None, :]
        r = np.sqrt(d[..., 0] ** 2 + d[..., 1] ** 2 + 0j)
        r = np.where(r.real < 0, -r, r)
        r = np.where(r == 0, 1e-300, r)
        along = d[..., 0] * nv[None, :, 0] + d[..., 1] * nv[None, :, 1]
        return -0.25j * hankel2(0, k * r), 0.25j * k * hankel2(1, k * r) * along / r

    def layers(self, k):
        """The matrices of the single and the double layer on the faces."""
        size = len(self.z)
        single, double = np.zeros((size, size), complex), np.zeros((size, size), complex)
        for f in (0, 1):
            i = np.where(self.face_of == f)[0]
            r = self.z[i][:, None] - self.z[i][None, :]
            r = np.where(r.real < 0, -r, r)
            upper = np.triu_indices(len(i), 1)
            g = np.zeros((len(i), len(i)), complex)
            g[upper] = -0.25j * hankel2(0, k * r[upper])
            g = g + g.T
            single[np.ix_(i, i)] = g * self.w[i][None, :]
            j = np.where(self.face_of != f)[0]
            g, d = self.kernels(k, self.x[i], self.x[j], self.nv[j])
            single[np.ix_(i, j)] = g * self.w[j][None, :]
            double[np.ix_(i, j)] = d * self.w[j][None, :]
        # Nodes near a panel: exact integrals over the panel's polynomials.
        real_s = self.s.ravel()
        for p, (a, b) in enumerate(self.ends):
            f = self.face[p]
            cols = slice(p * ORDER, (p + 1) * ORDER)
            same = self.face_of == f
            away = np.where(same, np.maximum(np.maximum(a - real_s, real_s - b), 0), np.inf)
            if self.n < 1.999:
                # the other face comes close only at the edge
                c = np.cos(self.n * np.pi)
                low = np.clip(real_s * c, a, b)
                other = np.sqrt(np.maximum(real_s**2 + low**2 - 2 * real_s * low * c, 0))
                away = np.where(same, away, other)
            near = np.where(away < 1.0 * (b - a))[0]
            for t in near:
                if self.face_of[t] == f:
                    centre, floor = min(max(real_s[t], a), b), (1e-13 * (b - a) if a <= real_s[t] <= b else max(away[t], 1e-13))
                else:
                    centre, floor = min(max(real_s[t] * np.cos(self.n * np.pi), a), b), max(away[t], 1e-13)
                u, du = graded(a, b, centre, floor)
                z, dz = stretched(u)
                local = (2 * u - a - b) / (b - a)
                basis = lagrange(local)
                y = z[:, None] * self.directions[f][None, :]
                if self.face_of[t] == f:
                    r = self.z[t] - z
                    r = np.where(r.real < 0, -r, r)
                    r = np.where(r == 0, 1e-300, r)
                    g = -0.25j * hankel2(0, k * r)
                    single[t, cols] = (g * dz * du) @ basis
                else:
                    g, d = self.kernels(k, self.x[t:t + 1], y, np.tile(self.normals[f], (len(u), 1)))
                    single[t, cols] = (g[0] * dz * du) @ basis
                    double[t, cols] = (d[0] * dz * du) @ basis
        return single, double

    def build(self):
        self.outer = self.layers(K)
        self.inner = None if self.eta is None else self.layers(self.ki)

    def incident(self, points, sources):
        d = points[:, None, :] - sources[None, :, :]
        r = np.sqrt(d[..., 0] ** 2 + d[..., 1] ** 2 + 0j)
        r = np.where(r.real < 0, -r, r)
        return -0.25j * hankel2(0, K * r)

    def solve(self, sources, is_h):
        """Field and normal derivative on the faces, one column a source. `is_h`: the magnetic field lies along the edge."""
        size = len(self.z)
        half = 0.5 * np.eye(size)
        so, do = self.outer
        u_inc = self.incident(self.x, sources)
        zero = np.zeros((size, size))
        if self.eta is None:
            if is_h:
                return np.linalg.solve(half - do, u_inc), np.zeros_like(u_inc)
            return np.zeros_like(u_inc), np.linalg.solve(so, u_inc)
        si, di = self.inner
        nu = self.eta if is_h else 1.0
        system = np.block([[half - do, so], [half + di, -nu * si]])
        both = np.linalg.solve(system, np.vstack([u_inc, np.zeros_like(u_inc)]))
        return both[:size], both[size:]

    def field(self, points, sources, solution):
        u, q = solution
        g, d = self.kernels(K, points.astype(complex), self.x, self.nv)
        return self.incident(points, sources) + d @ (self.w[:, None] * u) - g @ (self.w[:, None] * q)


def graded(a, b, centre, floor):
    """Nodes and weights of [a, b], in parts that shrink towards `centre` down to the size `floor`."""
    ends = {a, b, centre}
    for end in (a, b):
        step = abs(end - centre)
        while step > floor:
            step *= 0.4
            ends.add(centre + np.sign(end - centre) * step)
    ends = sorted(ends)
    u, du = [], []
    for left, right in zip(ends[:-1], ends[1:]):
        u.append(0.5 * (left + right) + 0.5 * (right - left) * NODES)
        du.append(0.5 * (right - left) * WEIGHTS)
    return np.concatenate(u), np.concatenate(du)


def lagrange(x):
    """Values at x of the polynomials that are 1 at one node, of shape [x, node]."""
    d = x[:, None] - NODES[None, :]
    d = np.where(np.abs(d) < 1e-15, 1e-15, d)
    t = BARY[None, :] / d
    return t / t.sum(axis=1, keepdims=True)


def polar(r, phi):
    phi = np.asarray(phi, float)
    return np.stack([r * np.cos(phi), r * np.sin(phi)], axis=-1)


def exact_conductor(n, r, phi, r_in, phi_in, is_h, terms=400):
    """The series for a line source at a perfectly conducting wedge."""
    low, high = min(r, r_in), max(r, r_in)
    m = np.arange(terms)
    v = m / n
    radial = jv(v, K * low) * hankel2(v, K * high)
    radial = np.where(np.isfinite(radial), radial, 0)
    if is_h:
        angular = np.cos(v * phi) * np.cos(v * phi_in)
        angular[0] *= 0.5
    else:
        angular = np.sin(v * phi) * np.sin(v * phi_in)
    return -1j / n * np.sum(radial * angular)


ANGLES_IN = [1, 2, 3, 4, 6, 8, 12, 15, 20, 30, 45, 60, 75, 90, 105, 120, 150]
R_IN, R_OUT = 6.0, 5.0


def case(n, eta, fineness=1.0):
    """Fields [E or H, source angle, observer angle], angles in degrees."""
    open_deg = 180 * n
    deg_in = np.array([a for a in ANGLES_IN if a < open_deg - 90], float)
    deg_out = np.arange(1.0, open_deg - 0.5, 1.0)
    heights = [R_IN * np.sin(np.radians(a)) for a in deg_in if a < 10]
    feet0 = [(R_IN, h) for h in heights] + [(R_OUT, R_OUT * np.sin(np.radians(1.0)))]
    feetn = [(R_OUT, R_OUT * np.sin(np.radians(open_deg - deg_out[-1])))]
    wedge = Wedge(n, eta, (feet0, feetn), fineness)
    wedge.build()
    sources, points = polar(R_IN, np.radians(deg_in)), polar(R_OUT, np.radians(deg_out))
    fields = [wedge.field(points, sources, wedge.solve(sources, h)).T for h in (False, True)]
    return deg_in, deg_out, np.array(fields), len(wedge.z)


def check():
    for n in (1.25, 1.5, 1.95):
        deg_in, deg_out, fields, size = case(n, None)
        worst = [0.0, 0.0]
        for h in (0, 1):
            for i in (0, 3, 8):
                for j in range(4, len(deg_out), 10):
                    exact = exact_conductor(n, R_OUT, np.radians(deg_out[j]), R_IN, np.radians(deg_in[i]), h)
                    worst[h] = max(worst[h], abs(20 * np.log10(abs(fields[h, i, j] / exact))))
        print("conductor", n, size, "worst dB, E and H:", worst)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        check()
    else:
        if sys.argv[1] == "far":
            REACH, R_IN, R_OUT = 27.0, 25.0, 24.0
            ANGLES_IN = [1, 2, 4, 8, 15, 25, 40, 55]
        names, angles = (sys.argv[3:5] + ["concrete,brick,glass,wood,wet", "1.25,1.5,1.75,1.95"][len(sys.argv[3:5]):])[:2]
        for name in names.split(","):
            for n in map(float, angles.split(",")):
                deg_in, deg_out, fields, size = case(n, permittivity(name))
                np.savez(f"{sys.argv[2]}/{sys.argv[1]}_{name}_{n}.npz", deg_in=deg_in, deg_out=deg_out, fields=fields)
                print(name, n, size, flush=True)
