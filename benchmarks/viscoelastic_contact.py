"""A viscoelastic sphere on a rigid plane: the contact law VISCOELASTIC compared with axisymmetric finite elements.

    python -m benchmarks.viscoelastic_contact [--plot FILE]

The sphere (radius R, instantaneous modulus E, Poisson's ratio constant, relaxation by a Prony series) is held at its
middle plane.  Finite elements: quadrilaterals of a quarter of the meridian, bilinear, axisymmetric, small strains,
quasi-static; contact node by node with a rigid plane (active set).  With one Poisson's ratio all stresses relax alike,
so that the history is one of nodal displacements:

    f = K (g u + sum g_i h_i),    h_i' = u' - h_i / tau_i        (g = 1 - sum g_i)

by the exact update for displacements that are straight between steps.  Nothing of this is taken from Holonom.  The law
is fitted to the relaxation curve of the elements (`holonom.contact.fits.prony`), then compared in relaxation, a ramp,
creep under a constant force and a cycle in which the surface is left again; its stiffness next to Hertz's.  In sliding
with the friction coefficient MU, the friction force relaxes as the normal force does.
"""

from __future__ import annotations

import argparse
import math
from typing import NamedTuple

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
import scipy.sparse.linalg as spl

import holonom as hn
from holonom.contact import fits

RADIUS, YOUNG, POISSON = 0.01, 5e6, 0.4  # m, Pa
SHARES, TIMES = (0.35, 0.25), (0.05, 0.8)  # -, s
DEPTH, END, MU = 2.5e-5, 2.0, 0.3  # m, s, -


def spacing(first: float, growth: float, total: float) -> np.ndarray:
    """Points from 0 to ``total`` whose steps grow from ``first`` by a ratio."""
    count = math.ceil(math.log1p(total * (growth - 1.0) / first) / math.log(growth))
    x = np.concatenate([[0.0], np.cumsum(growth ** np.arange(count))])
    return total * x / x[-1]


def stiffness(first: float = 0.003, growth: float = 1.08) -> tuple[np.ndarray, sp.csc_matrix]:
    """Nodes (n, 2), distance from the axis and height over the plane, and the elastic stiffness (2 n, 2 n) over 2 pi of
    a quarter of the meridian, with a hole of R/50 in the middle that keeps elements apart."""
    angle = spacing(first, growth, 0.5 * math.pi)
    inward = spacing(first, growth, 0.98)
    rows, columns = len(angle), len(inward)
    t, s = np.meshgrid(angle, 1.0 - inward, indexing="ij")
    nodes = RADIUS * np.stack([s * np.sin(t), 1.0 - s * np.cos(t)], axis=-1).reshape(-1, 2)
    at = np.arange(rows * columns).reshape(rows, columns)
    quads = np.stack([at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]], axis=-1).reshape(-1, 4)
    c = YOUNG / ((1.0 + POISSON) * (1.0 - 2.0 * POISSON))
    D = c * np.array(
        [[1 - POISSON, POISSON, POISSON, 0], [POISSON, 1 - POISSON, POISSON, 0], [POISSON, POISSON, 1 - POISSON, 0]]
        + [[0, 0, 0, 0.5 - POISSON]]
    )
    Ke = np.zeros((len(quads), 8, 8))
    x = nodes[quads]
    for a in (-1 / math.sqrt(3), 1 / math.sqrt(3)):
        for b in (-1 / math.sqrt(3), 1 / math.sqrt(3)):
            N = 0.25 * np.array([(1 - a) * (1 - b), (1 + a) * (1 - b), (1 + a) * (1 + b), (1 - a) * (1 + b)])
            dN = 0.25 * np.array([[b - 1, 1 - b, 1 + b, -1 - b], [a - 1, -1 - a, 1 + a, 1 - a]])
            J = np.einsum("ij,ejk->eik", dN, x)
            d = np.linalg.solve(J, np.broadcast_to(dN, (len(quads), 2, 4)))
            r = x[:, :, 0] @ N
            B = np.zeros((len(quads), 4, 8))
            B[:, 0, 0::2] = d[:, 0]
            B[:, 1, 0::2] = N / r[:, None]
            B[:, 2, 1::2] = d[:, 1]
            B[:, 3, 0::2], B[:, 3, 1::2] = d[:, 1], d[:, 0]
            weight = np.abs(np.linalg.det(J)) * r
            Ke += np.einsum("eki,kl,elj,e->eij", B, D, B, weight)
    dof = np.stack([2 * quads, 2 * quads + 1], axis=-1).reshape(len(quads), 8)
    i, j = np.repeat(dof, 8, axis=1).ravel(), np.tile(dof, (1, 8)).ravel()
    return nodes, sp.csc_matrix((Ke.ravel(), (i, j)), shape=(2 * len(nodes), 2 * len(nodes)))


class Sphere:
    """The sphere reduced to the nodes of its surface near the pole: ``gap`` (m,) over the plane, ``C`` (m, m):
    approach of the surface to the middle plane by forces on the plane, over the whole circle."""

    def __init__(self, first: float = 0.003, growth: float = 1.08, reach: float = 0.25):
        nodes, K = stiffness(first, growth)
        r, z = nodes[:, 0], nodes[:, 1]
        surface = np.abs(np.hypot(r, z - RADIUS) - RADIUS) < 1e-9 * RADIUS
        near = np.flatnonzero(surface & (r < reach * RADIUS))
        near = near[np.argsort(r[near])]
        held = np.concatenate([2 * np.flatnonzero(r < 1e-12), 2 * np.flatnonzero(z > RADIUS * (1 - 1e-9)) + 1])
        free = np.setdiff1d(np.arange(2 * len(nodes)), held)
        back = np.full(2 * len(nodes), -1)
        back[free] = np.arange(len(free))
        load = np.zeros((len(free), len(near)))
        load[back[2 * near + 1], np.arange(len(near))] = 1.0
        self.C = spl.splu(K[free][:, free].tocsc()).solve(load)[back[2 * near + 1]] / (2.0 * math.pi)
        self.gap = z[near]

    def elastic(self, indentation: np.ndarray) -> np.ndarray:
        """(m,) forces p >= 0 with C p >= indentation where they are 0, equal where not (Lemke's problem by active
        set)."""
        active = indentation > 0.0
        for _ in range(60):
            p = np.zeros(len(self.gap))
            if active.any():
                p[active] = la.solve(self.C[np.ix_(active, active)], indentation[active], assume_a="pos")
            short = indentation - self.C @ p
            again = (active & (p > 0.0)) | (~active & (short > 1e-12 * abs(indentation).max()))
            if (again == active).all():
                return p
            active = again
        raise RuntimeError("the active set of the contact did not settle")


class History(NamedTuple):
    """Over ``time`` (n,): ``depth`` and ``force`` (n,)."""

    time: np.ndarray
    depth: np.ndarray
    force: np.ndarray


def march(sphere: Sphere, time: np.ndarray, *, depth: np.ndarray | None = None, force: float | None = None) -> History:
    """Quasi-static history by prescribed ``depth`` (n,), or under a constant ``force``: each step is an elastic problem
    of the present stiffness.

    With pressures p and approach w of the surface, C p = g w + sum g_i h_i, the branches h_i of w: while dt = 0 the
    instantaneous response."""
    g = 1.0 - sum(SHARES)
    w, branches = np.zeros(len(sphere.gap)), [np.zeros(len(sphere.gap)) for _ in SHARES]
    depths, forces, last = [], [], 0.0

    def response(d: float, dt: float) -> tuple[np.ndarray, float, np.ndarray]:
        """Pressures at a depth, the share of the stiffness, and what the past leaves."""
        share, past = g, np.zeros(len(w))
        for gi, tau, h in zip(SHARES, TIMES, branches):
            a = tau / dt * -math.expm1(-dt / tau) if dt > 0.0 else 1.0
            share += gi * a
            past += gi * (math.exp(-dt / tau) * h - a * w)
        # where the plane touches, w is the depth less the gap; elsewhere p = 0 and w follows
        p = sphere.elastic(share * (d - sphere.gap) + past)
        return p, share, past

    for n, t in enumerate(time):
        dt = t - time[n - 1] if n else 0.0
        if depth is not None:
            d = float(depth[n])
        else:
            low, high = 0.0, max(2.0 * last, 4.0 * DEPTH)
            for _ in range(60):
                d = 0.5 * (low + high)
                low, high = (d, high) if response(d, dt)[0].sum() < force else (low, d)
        p, share, past = response(d, dt)
        new = (sphere.C @ p - past) / share
        for k, tau in enumerate(TIMES):
            a = tau / dt * -math.expm1(-dt / tau) if dt > 0.0 else 1.0
            branches[k] = (math.exp(-dt / tau) if dt > 0.0 else 1.0) * branches[k] + a * (new - w)
        w, last = new, d
        depths.append(d)
        forces.append(float(p.sum()))
    return History(np.asarray(time), np.array(depths), np.array(forces))


def by_law(fields: dict, end: float, depth: str, steps: int, slide: float = 0.0) -> tuple[np.ndarray, ...]:
    """(times, normal forces, friction forces) of the law in a run of Holonom: a ball led to ``depth``, an expression of
    TIME, over a plane that slides (m/s)."""
    m = hn.Model("ball")
    ball = m.part("ball", 0.01, (1e-6,) * 3, (0, 0, RADIUS))
    rail = m.translational(ball, m.ground, "rail", at=(0, 0, RADIUS), axis=(0, 0, 1))
    m.motion(rail, f"-({depth})", "lead")
    bed = m.part("bed", 1.0, (1.0,) * 3, (0, 0, 0))
    m.motion(m.translational(bed, m.ground, "bed rail", at=(0, 0, 0), axis=(1, 0, 0)), f"{slide!r}*TIME", "pull")
    plane = m.plane(bed, (0, 0, 0), (0, 0, 1))
    m.contact(m.sphere(ball, (0, 0, RADIUS), RADIUS), plane, name="touch", mu=MU if slide else 0.0, **fields)
    run = hn.simulate(m, end=end, steps=steps, integrator="RADAU5", error=1e-7)
    found = run.contact("touch")
    size = lambda x: np.linalg.norm(np.atleast_2d(np.asarray(x).T).T, axis=1)
    return np.asarray(run.time), size(found.normal.values), size(found.friction.values)


def creep_of(law: fits.PronyFit, time: np.ndarray, force: float) -> np.ndarray:
    """Depth of the law under a constant force: its equation S = k d^1.5, force = g S + sum g_i h_i, by small steps."""
    fine = np.linspace(0.0, time[-1], 40001)
    dt, h = fine[1], [force / law.stiffness] * len(law.shares)
    g, S, out = 1.0 - sum(law.shares), force / law.stiffness, [force / law.stiffness]
    for _ in fine[1:]:
        a = [tau / dt * -math.expm1(-dt / tau) for tau in law.times]
        kept = [math.exp(-dt / tau) * hi for tau, hi in zip(law.times, h)]
        rest = sum(gi * (ki - ai * S) for gi, ki, ai in zip(law.shares, kept, a))
        new = (force / law.stiffness - rest) / (g + sum(gi * ai for gi, ai in zip(law.shares, a)))
        h = [ki + ai * (new - S) for ki, ai in zip(kept, a)]
        S = new
        out.append(S)
    return np.interp(time, fine, np.array(out)) ** (2.0 / 3.0)


class Comparison(NamedTuple):
    """``law``: fitted to the elements; ``hertz``: 4/3 E / (1 - nu^2) sqrt(R); ``relaxation``, ``ramp``, ``creep``,
    ``cycle``: of the elements; ``by_law``: of each, depths in creep and forces in the others; ``friction``: times and
    friction force over mu times the normal force of the elements, sliding in relaxation."""

    law: fits.PronyFit
    hertz: float
    relaxation: History
    ramp: History
    creep: History
    cycle: History
    by_law: dict[str, np.ndarray]
    friction: tuple[np.ndarray, np.ndarray]


def compare(sphere: Sphere | None = None) -> Comparison:
    """All of it."""
    sphere = sphere or Sphere()
    hertz = 4.0 / 3.0 * YOUNG / (1.0 - POISSON**2) * math.sqrt(RADIUS)
    time = np.concatenate([[0.0], np.geomspace(2e-3, END, 60)])
    relaxation = march(sphere, time, depth=np.full(len(time), DEPTH))
    law = fits.prony(time, relaxation.force, depth=DEPTH, times=TIMES)
    rise, fall = 0.4, 0.8  # s
    even = np.linspace(0.0, rise, 41)
    ramp = march(sphere, even, depth=DEPTH * even / rise)
    creep = march(sphere, time, force=float(relaxation.force[0]))
    whole = np.linspace(0.0, fall, 81)
    cycle = march(sphere, whole, depth=DEPTH * (1.0 - np.abs(whole - rise) / rise))
    forces = {
        "relaxation": law.stiffness * DEPTH**1.5 * law.relaxation(time),
        "creep": creep_of(law, time, creep.force[0]),
    }
    for name, history, depth in (
        ("ramp", ramp, f"{DEPTH / rise!r}*TIME"),
        ("cycle", cycle, f"{DEPTH!r}*(1-ABS(TIME-{rise!r})/{rise!r})"),
    ):
        t, force, _ = by_law(law.fields, float(history.time[-1]), depth, 400)
        forces[name] = np.interp(history.time, t, force)
    t, _, friction = by_law(law.fields, END, f"{DEPTH!r}*STEP5(TIME,0,0,1E-3,1)", 400, slide=0.1)
    late = t > 0.02
    return Comparison(
        law, hertz, relaxation, ramp, creep, cycle, forces,
        (t[late], friction[late] / (MU * np.interp(t[late], time, relaxation.force))),
    )  # fmt: skip


def table(c: Comparison) -> str:
    """Creep and relaxation at some times, and the largest differences of each history."""
    lines = [
        f"stiffness: elements {c.law.stiffness:.4g}, Hertz {c.hertz:.4g} N/m^1.5 (elements {100 * (c.law.stiffness / c.hertz - 1):+.1f} %)",  # noqa: E501
        "shares: "
        + ", ".join(f"{g:.4f} at {t:g} s (given {w:g})" for g, t, w in zip(c.law.shares, c.law.times, SHARES)),
        f"{'time s':>9}{'relaxation N: elements, law':>30}{'creep mm: elements, law':>28}",
    ]
    for at in (0.0, 0.01, 0.05, 0.2, 0.8, 2.0):
        f, g = (np.interp(at, c.relaxation.time, x) for x in (c.relaxation.force, c.by_law["relaxation"]))
        d, e = (1e3 * np.interp(at, c.creep.time, x) for x in (c.creep.depth, c.by_law["creep"]))
        lines.append(f"{at:9g}{f:20.5f}{g:10.5f}{d:18.5f}{e:10.5f}")
    off = lambda a, b: float(np.abs(a - b).max() / np.abs(a).max())
    lines.append(
        f"largest differences: ramp {100 * off(c.ramp.force, c.by_law['ramp']):.1f} %, "
        f"creep {100 * off(c.creep.depth, c.by_law['creep']):.1f} %, "
        f"cycle {100 * off(c.cycle.force, c.by_law['cycle']):.1f} % of the largest; "
        f"friction over mu N: {c.friction[1].min():.4f} to {c.friction[1].max():.4f}"
    )
    return "\n".join(lines)


def plot(c: Comparison, path: str) -> None:
    """Relaxation, ramp and cycle, creep."""
    from holonom.results.pictures.figures import Figure

    figure = Figure(figsize=(14.0, 4.2), layout="constrained")
    axes = figure.subplots(1, 3)
    pairs = (
        (axes[0], "relaxation", c.relaxation.time, c.relaxation.force, "time (s)", "force (N)"),
        (axes[1], "cycle", 1e3 * c.cycle.depth, c.cycle.force, "depth (mm)", "force (N)"),
        (axes[2], "creep", c.creep.time, 1e3 * c.creep.depth, "time (s)", "depth (mm)"),
    )
    for ax, name, x, y, xlabel, ylabel in pairs:
        ax.plot(x, y, "o", ms=3, label="finite elements")
        ax.plot(x, c.by_law[name] * (1e3 if name == "creep" else 1.0), label="law")
        ax.set(title=name, xlabel=xlabel, ylabel=ylabel)
        ax.grid(alpha=0.3)
        ax.legend()
    figure.savefig(path, dpi=90)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", help="file for the pictures")
    given = parser.parse_args()
    found = compare()
    print(table(found))
    if given.plot:
        plot(found, given.plot)


if __name__ == "__main__":
    main()
