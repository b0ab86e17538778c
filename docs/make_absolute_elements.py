"""Figure and tables of docs/absolute-elements.md: convergence of beams and plates, a plate strip rolled up, a
cantilever plate under an end shear.

python docs/make_absolute_elements.py
"""

from pathlib import Path
from types import SimpleNamespace

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp

from holonom.elements.absolute import conforming_plate, planar_beam, spatial_beam, thick_plate, thin_plate
from holonom.elements.absolute.assembly import Assembly
from holonom.elements.absolute.materials import Linear
from holonom.flexible import Section

#: Sze, Liu, Lo (2004), cantilever under end shear: share of P = 4, deflection along (shortening) and up
SZE = [(0.05, 0.026, 0.663), (0.1, 0.103, 1.309), (0.2, 0.381, 2.493), (0.3, 0.763, 3.488), (0.4, 1.184, 4.292),
    (0.5, 1.604, 4.933), (0.6, 2.002, 5.444),
       (0.7, 2.370, 5.855), (0.8, 2.705, 6.190), (0.9, 3.010, 6.467), (1.0, 3.286, 6.698)]  # fmt: skip
PRINCETON = {
    0: (-1.355167926e-4, -0.01071276479, 0),
    30: (-0.007680972, -0.010207614, 0.079547377),
    60: (-0.020486718, -0.006742044, 0.129957859),
    90: (-0.02602148277, 0, 0.1462523572),
}


def line(kind, n, length):
    q = np.zeros((n + 1, kind.PER_NODE))
    q[:, 0] = np.linspace(0, length, n + 1)
    q[:, 3] = q[:, 7] = 1.0
    if kind.PER_NODE == 12:
        q[:, 11] = 1.0
    return q, np.stack([np.arange(n), np.arange(1, n + 1)], axis=1)


def clamp(kind, n):
    if kind.PER_NODE == 12:
        return [0, 1, 2, 6, 7, 8, 9, 10, 11]
    return sorted({0, 1, 6, 7} | {9 * k + j for k in range(n + 1) for j in (2, 5, 8)})


def moment(kind, nodes, vectors, M):
    """Moment M (3,), fixed in space, on nodes: on the vectors of each that begin at ``vectors`` it turns, half of it on
    each of two."""

    def force(q, share):
        out = np.zeros(len(q))
        for node in nodes:
            o = [kind.PER_NODE * node + v for v in vectors]
            d = [q[k : k + 3] for k in o]
            if len(d) == 1:
                out[o[0] : o[0] + 3] = share * np.cross(M, d[0]) / (d[0] @ d[0])
                continue
            n = np.cross(*d)
            across = np.array([n, *d]) / np.linalg.norm([n, *d], axis=1)[:, None]
            m = share * across @ M
            out[o[0] : o[0] + 3] = (0.5 * m[0] * across[2] - m[2] * across[0]) / np.linalg.norm(d[0])
            out[o[1] : o[1] + 3] = (-0.5 * m[0] * across[1] + m[1] * across[0]) / np.linalg.norm(d[1])
        return out

    def load(q, share):
        change = sp.lil_matrix((len(q), len(q)))
        for node in nodes:
            for k in [kind.PER_NODE * node + v + i for v in vectors for i in range(3)]:
                h = np.zeros(len(q))
                h[k] = 1e-6
                column = (force(q + h, share) - force(q - h, share)) / 2e-6
                change[np.flatnonzero(column), k] = column[column != 0.0]
        return force(q, share), change

    return load


def tip(kind, n, length, properties, force=None, M=None, steps=1):
    q, cells = line(kind, n, length)
    mesh = Assembly(kind, q, cells, properties)
    if M is None:
        load = np.zeros(q.size)
        load[kind.PER_NODE * n :][:3] = force
    else:
        load = moment(kind, [n], [6, 9] if kind.PER_NODE == 12 else [6], np.asarray(M, float))
    found = mesh.rest(load, clamp(kind, n), steps=steps)
    return (found - mesh.drawn)[kind.PER_NODE * n :][:3]


def sheet(kind, x, y):
    q = np.zeros((len(x) * len(y), kind.PER_NODE))
    q[:, :2] = np.stack(np.meshgrid(x, y, indexing="ij"), -1).reshape(-1, 2)
    q[:, 3] = q[:, 7] = 1.0
    if kind is thick_plate:
        q[:, 11] = 1.0
    node = lambda i, j: i * len(y) + j
    cells = [
        [node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)]
        for i in range(len(x) - 1)
        for j in range(len(y) - 1)
    ]
    return q, np.array(cells), node


def of(kind, nodes, which):
    return [kind.PER_NODE * k + c for k in nodes for c in which]


def root(kind):
    return [0, 1, 2, 6, 7, 8, 9, 10, 11] if kind is thick_plate else range(kind.PER_NODE)


def clamped(kind, n, h):
    """Deflection in the middle over p a^4/D."""
    D = 10.92 * h**3 / 12 / 0.91
    s = np.linspace(0, 0.5, n + 1)
    q, cells, node = sheet(kind, s, s)
    mesh = Assembly(kind, q, cells, kind.properties(h, Linear(10.92, 0.3, 1.0 / h)))
    left, low = [node(0, j) for j in range(n + 1)], [node(j, 0) for j in range(n + 1)]
    right, high = [node(n, j) for j in range(n + 1)], [node(j, n) for j in range(n + 1)]
    if kind is thick_plate:
        fixed = (
            of(kind, left + low, [0, 1, 2, 9, 10, 11])
            + of(kind, right, [0, 5, 9])
            + of(kind, high, [1, 8, 10])
            + of(kind, left, [8])
            + of(kind, low, [5])
        )
    else:
        twist = [11] if kind is conforming_plate else []
        fixed = (
            of(kind, left + low, range(kind.PER_NODE))
            + of(kind, right, [0, 5, *twist])
            + of(kind, high, [1, 8, *twist])
        )
    up = np.zeros(q.shape)
    up[:, 2] = 1e-6 * D
    return mesh.rest(mesh.mass() @ up.ravel(), fixed)[kind.PER_NODE * node(n, n) + 2] / 1e-6


def strip(kind, n, length):
    q, cells, node = sheet(kind, np.linspace(0, length, n + 1), [0.0, 1.0])
    mesh = Assembly(kind, q, cells, kind.properties(0.1, Linear(1.2e6, 0.0)))
    return mesh, node, of(kind, [node(0, 0), node(0, 1)], root(kind))


def end_shear(kind, n):
    mesh, node, fixed = strip(kind, n, 10.0)
    load = np.zeros((mesh.drawn.size // kind.PER_NODE, kind.PER_NODE))
    load[[node(n, 0), node(n, 1)], 2] = 2.0
    load[node(n, 0), 8], load[node(n, 1), 8] = 1 / 3, -1 / 3
    out, q, before = [], mesh.drawn, 0.0
    for share, *_ in SZE:
        a, b = before, share
        ramp = lambda q, s, a=a, b=b: ((a + (b - a) * s) * load.ravel(), None)
        q = mesh.rest(ramp, fixed, start=q)
        out.append(q.reshape(-1, kind.PER_NODE)[node(n, 0), [0, 2]] * [-1, 1] + [10, 0])
        before = share
    return np.array(out)


def roll(kind, n, shares):
    """Axes (len(shares), n + 1, 2) of a strip under shares of the moment that closes it to a circle."""
    mesh, node, fixed = strip(kind, n, 12.0)
    full = 2 * np.pi * 1.2e6 * 1e-3 / 12 / 12.0
    load = moment(kind, [node(n, 0), node(n, 1)], [9 if kind is thick_plate else 3], np.array([0, -0.5 * full, 0]))
    out, q, before = [], mesh.drawn, 0.0
    for share in shares:
        ramp = lambda q, s, a=before, b=share: load(q, a + (b - a) * s)
        q = mesh.rest(ramp, fixed, start=q, steps=2)
        out.append(q.reshape(-1, kind.PER_NODE)[::2, [0, 2]])
        before = share
    return np.array(out)


def orders(errors):
    return ", ".join(f"{e:.1e}" for e in errors) + f" (order {np.log2(errors[-2] / errors[-1]):.1f})"


def main():
    figure, axes = plt.subplots(1, 3, figsize=(13.5, 4.3))
    E, k = 2.07e11, 10 * 1.3 / 15.3
    print("short cantilever, one element, over 8.09903254e-4:")
    for form in planar_beam.FORMULATIONS:
        own = [
            tip(planar_beam, n, 2.0, planar_beam.properties(0.5, 0.1, Linear(E, 0.3), formulation=form), (0, 62500, 0))[
                1
            ]
            for n in (1, 4, 16)
        ]
        print("  ", form, *(f"{v / 8.09903254e-4 - 1:.1e}" for v in own))
    exact = np.array([-0.508537304326, -1.207239854550, 0])
    counts = (2, 4, 8, 16)
    force = (0, -3 * E * 1e-4 / 12 / 4, 0)
    for form, mark in (("structural", "o"), ("enhanced", "s"), ("continuum", "^")):
        more = {} if form == "continuum" else {"shear": 1e3}
        found = [
            tip(
                planar_beam,
                n,
                2.0,
                planar_beam.properties(0.1, 0.1, Linear(E, 0.0), formulation=form, **more),
                force,
                steps=4,
            )
            for n in counts
        ]
        errors = [np.abs(v - exact).max() for v in found]
        print("cantilever F = 3 EI/L^2", form, orders(errors))
        axes[0].loglog(counts, errors, marker=mark, label=f"planar beam, {form}")
    s = Section.rectangle(0.2, 0.4)
    s = SimpleNamespace(A=s.A, Iy=s.Iy, Iz=s.Iz, J=0.5768 * (s.Iy + s.Iz), ky=0.8331, kz=0.7961)
    for n in (4, 16):
        found = tip(spatial_beam, n, 2.0, spatial_beam.properties(s, Linear(E, 0.3)), M=(0.5e6, 2e6, 0))
        print("bending with torsion", n, found)
    h, w = 12.3777e-3, 3.2024e-3
    Iz, Iy = w * h**3 / 12, h * w**3 / 12
    s = SimpleNamespace(A=h * w, Iy=Iy, Iz=Iz, J=0.198 * (Iy + Iz), ky=1.0, kz=1.0)
    for beta, want in PRINCETON.items():
        c, sn = np.cos(np.radians(beta)), np.sin(np.radians(beta))
        errors = [
            np.abs(
                tip(
                    spatial_beam,
                    n,
                    0.508,
                    spatial_beam.properties(s, Linear(71.7e9, 0.31)),
                    (0, -8.896 * c, 8.896 * sn),
                    steps=6,
                )
                - want
            ).max()
            for n in counts
        ]
        print("Princeton", beta, orders(errors))
        if beta == 60:
            axes[0].loglog(counts, errors, "v-", label="spatial beam, Princeton 60 deg")
    errors = [
        np.linalg.norm(
            tip(
                planar_beam,
                n,
                10.0,
                planar_beam.properties(0.1, 0.1, Linear(1e6, 0.0)),
                M=(0, 0, 2 * np.pi * 1e6 * 1e-4 / 120),
                steps=12,
            )
            + [10, 0, 0]
        )
        for n in (8, 16, 32)
    ]
    print("roll-up of a beam", orders(errors))
    i = 0.4**4 / 12
    s = SimpleNamespace(A=0.16, Iy=i, Iz=i, J=0.8436 * 2 * i, ky=0.8436, kz=0.8436)
    for n in (8, 32):
        q, cells = line(spatial_beam, n, 2.0)
        mesh = Assembly(spatial_beam, q, cells, spatial_beam.properties(s, Linear(1e9, 0.3, 7850.0)))
        print("frequencies", n, mesh.frequencies(7, [0, 1, 2, 12 * n + 1, 12 * n + 2])[1:])
    for kind, mark in ((thin_plate, "o--"), (conforming_plate, "s--"), (thick_plate, "^--")):
        for h in (1e-1, 1e-2, 1e-3) if kind is thick_plate else (1e-3,):
            found = np.array([clamped(kind, n, h) for n in (2, 4, 8)])
            print("clamped plate", kind.WHAT, h, found)
        errors = np.abs(found / 0.00126532 - 1)
        axes[0].loglog((2, 4, 8), errors, mark, label=f"{kind.WHAT[2:]}, clamped")
    for kind, n in ((thin_plate, 16), (conforming_plate, 16), (thick_plate, 16), (thick_plate, 32)):
        found = end_shear(kind, n)
        print(
            "end shear",
            kind.WHAT,
            n,
            found[[2, 5, -1]].round(4).tolist(),
            "largest difference",
            np.abs(found - np.array(SZE)[:, 1:]).max(),
        )
        if kind is conforming_plate:
            p = [4 * v[0] for v in SZE]
            axes[2].plot(found[:, 0], p, "C0-", label="shortening")
            axes[2].plot(found[:, 1], p, "C1-", label="deflection")
    sze = np.array(SZE)
    axes[2].plot(sze[:, 1], 4 * sze[:, 0], "ko", fillstyle="none", label="Sze, Liu, Lo 2004")
    axes[2].plot(sze[:, 2], 4 * sze[:, 0], "ko", fillstyle="none")
    for kind in (thin_plate, conforming_plate, thick_plate):
        shares = np.linspace(0, 1, 9)[1:]
        found = roll(kind, 16, shares)
        print("roll-up of a strip", kind.WHAT, 16, "end misses the root by", np.linalg.norm(found[-1, -1]))
        if kind is conforming_plate:
            for k, one in enumerate(found):
                axes[1].plot(one[:, 0], one[:, 1], ".-", color=plt.cm.viridis(k / 8))
    axes[0].set(title="error of the tip (m) and of the middle (share)", xlabel="elements (along a side of a quarter)")
    axes[0].set_ylim(1e-8, 1.0)
    axes[0].legend(fontsize=7, loc="lower left")
    axes[1].set(title="plate strip, end moment to 2 pi EI/L", xlabel="x", ylabel="z", aspect="equal")
    axes[2].set(title="cantilever plate under an end shear", xlabel="displacement of the end", ylabel="P")
    axes[2].legend()
    figure.tight_layout()
    figure.savefig(Path(__file__).parent / "figures" / "absolute_elements.png", dpi=110)


if __name__ == "__main__":
    main()
