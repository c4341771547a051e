"""The field behind a wall of some thickness, by the method of moments in two dimensions.

    python3 benches/reference/thin_wall_moments.py

prints the table that `crates/keller/tests/it/diffraction_physics/wall_moments.rs` holds: field over free space, dB.
Needs numpy and scipy; a minute on one core.

The wall fills 0 < x < t, z < 0, lengths in wavelengths. Below the ends, its sides go on into complex depths, in which
every wave that runs down decays: the wall has no bottom. Unknown is the field on the walls, or its normal derivative on
a soft wall, on panels of 8 Gauss points that become smaller towards both edges. Walls are conductors, or have a
surface impedance. Phasors are e^{+j omega t}.
"""
import numpy as np
from scipy.special import hankel2
K = 2 * np.pi
P = 8  # points of a panel
XG, WG = np.polynomial.legendre.leggauss(P)
XF, WF = np.polynomial.legendre.leggauss(40)


BW = np.array([1 / np.prod([XG[i] - XG[j] for j in range(P) if j != i]) for i in range(P)])


def basis(t):
    """Lagrange's polynomials of the panel's points at t."""
    d = t[:, None] - XG[None, :]
    d[d == 0] = 1e-300
    q = BW / d
    return q / q.sum(1, keepdims=True)


def breaks(length, size, finest, both):
    """Break points from 0 to length, doubling from `finest` at 0 (and at length)."""
    out, h, s = [0.0], finest, 0.0
    half = length / 2 if both else length
    while s + h < half * 0.999:
        s += h
        out.append(s)
        h = min(2 * h if len(out) > 2 else h, size)
    if half - out[-1] < 0.3 * h and len(out) > 1:
        out.pop()
    out.append(half)
    if both:
        out += [length - s for s in out[-2::-1]]
    return np.array(out)


class Wall:
    def __init__(self, t, depth, size=0.5, finest=1e-4, decay=4.0, slope=0.7):
        top = breaks(t, size, min(finest, t / 20), True)
        side = breaks(depth, size, min(finest, t / 20), False)
        n = int(np.ceil(decay / 0.4))
        side = np.concatenate([side, depth + decay * np.arange(1, n + 1) / n])
        panels = []

        def z_of(s):
            return -(s + 0j) + 1j * slope * np.maximum(s - depth, 0)

        for a, b in zip(side[:-1], side[1:]):
            panels.append((0.0, z_of(a), 0.0, z_of(b), (-1.0, 0.0)))
            panels.append((t, z_of(a), t, z_of(b), (1.0, 0.0)))
        for a, b in zip(top[:-1], top[1:]):
            panels.append((a, 0j, b, 0j, (0.0, 1.0)))

        def pts(p, x):
            return p[0] + (p[2] - p[0]) * (x + 1) / 2, p[1] + (p[3] - p[1]) * (x + 1) / 2

        self.x = np.concatenate([pts(p, XG)[0] + 0j for p in panels])
        self.z = np.concatenate([pts(p, XG)[1] for p in panels])

        def jac(p):
            dx, dz = p[2] - p[0], p[3] - p[1]
            # Upright panels have the complex length -dz.
            return (abs(dx) if abs(dx) > 0 else -dz) / 2

        self.w = np.concatenate([WG * jac(p) for p in panels])
        self.nx = np.repeat([p[4][0] for p in panels], P)
        self.nz = np.repeat([p[4][1] for p in panels], P)
        R = np.sqrt((self.x[:, None] - self.x) ** 2 + (self.z[:, None] - self.z) ** 2)
        np.fill_diagonal(R, 1)
        S = -0.25j * hankel2(0, K * R) * self.w
        # The derivative of -(j/4) H0(k r) along the normal at the source.
        h1 = 0.25j * K * hankel2(1, K * R) / R
        D = h1 * ((self.x - self.x[:, None]) * self.nx + (self.z - self.z[:, None]) * self.nz) * self.w
        for k, p in enumerate(panels):
            (xa, za), (xb, zb) = pts(p, -1.0), pts(p, 1.0)
            length = abs(xb - xa) + abs(zb - za)
            # Near a panel, the integral of each polynomial with nodes that crowd at the closest point.
            tx, tz = self.x, self.z
            if abs(xb - xa) > 0:
                t0 = 2 * (tx.real - xa) / (xb - xa) - 1
                off = abs(tz)
            else:
                t0 = 2 * (tz.real - za.real) / (zb.real - za.real) - 1
                off = abs(tx - xa)
            c = np.clip(t0, -1, 1)
            dist = np.hypot(off, (t0 - c) * length / 2)
            for i in np.nonzero(dist < 1.2 * length)[0]:
                vals_s, vals_d = np.zeros(P, complex), np.zeros(P, complex)
                for end in (-1.0, 1.0):
                    span = end - c[i]
                    if abs(span) < 1e-14:
                        continue
                    u = (XF + 1) / 2
                    q = 6
                    tt = c[i] + span * u ** q
                    ww = abs(span) * q * u ** (q - 1) * WF / 2
                    ys, yz = pts(p, tt)
                    dx, dz = ys - tx[i], yz - tz[i]
                    on = off[i] < 1e-14 and abs(t0[i] - c[i]) < 1e-12
                    if on:
                        step = span * u ** q
                        dx = (p[2] - p[0]) / 2 * step + 0j
                        dz = (p[3] - p[1]) / 2 * step
                    r = np.sqrt(dx ** 2 + dz ** 2)
                    j, B = jac(p), basis(tt)
                    vals_s += (-0.25j * hankel2(0, K * r) * ww * j) @ B
                    if not on:
                        h = 0.25j * K * hankel2(1, K * r) / r * (dx * p[4][0] + dz * p[4][1]) * ww * j
                        vals_d += h @ B
                S[i, k * P:(k + 1) * P] = vals_s
                D[i, k * P:(k + 1) * P] = vals_d
        self.S, self.D = S, D

    def incident(self, tx):
        r = np.sqrt((self.x - tx[0]) ** 2 + (self.z - tx[1]) ** 2)
        return -0.25j * hankel2(0, K * r)

    def rows(self, rx):
        dx, dz = self.x - rx[0], self.z - rx[1]
        r = np.sqrt(dx ** 2 + dz ** 2)
        s = -0.25j * hankel2(0, K * r) * self.w
        d = 0.25j * K * hankel2(1, K * r) / r * (dx * self.nx + dz * self.nz) * self.w
        return s, d

    def levels(self, pairs, kind):
        """Total over free field for pairs of ends. `kind` is 'soft', 'hard', or the Delta of the faces, with which they
        reflect (c - Delta) / (c + Delta) at the cosine of incidence c."""
        txs = sorted(set(tuple(p[0]) for p in pairs))
        U = np.stack([self.incident(t) for t in txs], 1)
        if kind == 'soft':
            q = np.linalg.solve(self.S, U)
        else:
            delta = 0 if kind == 'hard' else kind
            A = 0.5 * np.eye(len(self.x)) - self.D + 1j * K * delta * self.S
            q = np.linalg.solve(A, U)
        out = []
        for tx, rx in pairs:
            s, d = self.rows(rx)
            m = q[:, txs.index(tuple(tx))]
            free = -0.25j * hankel2(0, K * np.hypot(tx[0] - rx[0], tx[1] - rx[1]))
            scat = -s @ m if kind == 'soft' else (d - 1j * K * delta * s) @ m
            out.append((free + scat) / free)
        return np.array(out)


def ends(s0, below0, s2, below2, t):
    """Ends at these distances from their edges, so many degrees below the top."""
    a, b = np.radians(below0), np.radians(below2)
    return (-s0 * np.cos(a), -s0 * np.sin(a)), (t + s2 * np.cos(b), -s2 * np.sin(b))


THICKNESSES = 0.005, 0.03, 0.07, 0.17, 0.33, 0.97, 1.97, 3.97
ENDS = ((15, 3, 15, 3), (15, 3, 15, 25), (15, 10, 15, 60), (15, 40, 15, 75), (15, 75, 15, 75), (167, 3, 167, 3),
        (167, 3, 167, 6), (5, 6, 60, 25), (5, 25, 5, 60))
# Concrete at 1 GHz: ITU-R P.2040.
CONCRETE = 5.24 - 0.0462j / (2 * np.pi * 1e9 * 8.8541878128e-12)


def main():
    kinds = 'soft', 'hard', np.sqrt(CONCRETE - 1), np.sqrt(CONCRETE - 1) / CONCRETE
    for t in THICKNESSES:
        wall = Wall(t, 31.0)
        pairs = [ends(*e, t) for e in ENDS]
        levels = [20 * np.log10(abs(wall.levels(pairs, kind))) for kind in kinds]
        for e, row in zip(ENDS, np.transpose(levels)):
            print(f"    ({t}, {[float(x) for x in e]}, [{', '.join('%.2f' % x for x in row)}]),", flush=True)


if __name__ == '__main__':
    main()
