"""Contact on mixed coordinates: two coaxial bars that hit each other, full finite elements against nodes where they
touch and modes elsewhere.

    python benchmarks/run.py mixed_contact [study | least | materials | cpu | methods | automatic | hertz | venant |
        activation | model] [--draw]

Brass with a hemispherical end hits aluminium with a flat end at 0.21 m/s.  The study is that of the multi-variable
method (Chinese J. of Theoretical and Applied Mechanics, doi 10.6052/0459-1879-13-166); sizes that it does not print are
assumed: radius 10 mm, lengths 0.20 and 0.30 m, end radius 10 mm. Axisymmetric bilinear elements, lumped mass,
Moreau-Jean with theta = 0.6 and steps of 0.2 us over 0.4 ms; the contact lasts 0.28 ms.
``study``: layers 1-4, rings 1-5, 7 to 43 modes a bar in steps of six, 140 runs on all cores.  ``--draw`` makes
docs/figures/mixed_contact.png.
"""

from __future__ import annotations

import gc
import time

import numpy as np

import holonom as hn
from holonom.contact.surfaces.columns import PLACED
from holonom.flexible import Material, mixed
from holonom.flexible.mixed.bars import (
    ALUMINIUM,
    BRASS,
    END,
    LAYERS,
    MODES,
    RINGS,
    SPEED,
    STEP,
    coaxial_bars,
    compared,
    correlation_table,
    flat_bars,
    good,
    hit,
    smallest,
)
from holonom.flexible.mixed.bars import around as kept
from holonom.flexible.mixed.bars import runs as many

from .run import ROOT, machine, versions

#: both bars of one material: E, nu, density
MATERIALS = {
    "tungsten": Material(4.1e11, 0.28, 19300.0),
    "copper": Material(1.2e11, 0.34, 8960.0),
    "aluminium": Material(7.0e10, 0.33, 2700.0),
    "polyamide": Material(2.8e9, 0.39, 1140.0),
}
FIGURE = ROOT / "docs" / "figures" / "mixed_contact.png"


def study(draw: bool = False) -> dict:
    out = {}
    for name in ("uniform", "graded"):
        begin = time.perf_counter()
        reference, found = many(name, [(r, l) for l in LAYERS for r in RINGS], MODES)
        out[name] = reference, found
        c = reference.coordinates
        total = 2 * sum(len(x.body.places) for x in c)
        runs = sum(len(row) for row in found.values())
        print(
            f"\nmixed_contact study mesh={name}: {total} coordinates in all ({c[0].size + c[1].size} that are free), "
            f"{runs} runs in {time.perf_counter() - begin:.1f} s,"
            f" full: peak {reference.peak:.1f} N, {1e6 * reference.duration:.1f} us in contact, {reference.cpu:.2f} s"
        )
        print("correlation, peak ratio (coordinates of both bars)")
        print("\n".join(correlation_table(found, MODES)))
        best = smallest(found)
        if best:
            n, rings, layers, m, corr, peak, _ = best
            print(
                f"mixed_contact study mesh={name}: least coordinates = {n} of {total} ({layers} layer, {rings} rings, "
                f"{m} modes a bar), "
                f"correlation {corr:.4f}, peak {peak:.3f}"
            )
    if draw:
        picture(out)
    return out


def least() -> dict:
    """Down to few modes, and rings that cover the contact on the fine mesh."""
    counts = tuple(range(0, 8)) + (9, 11, 13, 19)
    out = {}
    for name, rings in (("uniform", (1, 2)), ("graded", (2, 3, 4, 5)), ("fine", (6, 8, 9, 10, 11, 12))):
        reference, found = many(name, [(r, 1) for r in rings], counts)
        out[name] = found
        total = 2 * sum(len(x.body.places) for x in reference.coordinates)
        best = smallest(found)
        print(
            f"\nmixed_contact least mesh={name}: {total} coordinates in all, full {reference.cpu:.2f} s, peak "
            f"{reference.peak:.1f} N"
        )
        print("\n".join(correlation_table(found, counts)))
        if best:
            n, r, layers, m, corr, peak, seconds = best
            print(
                f"mixed_contact least mesh={name}: {n} of {total} coordinates ({layers} layer, {r} rings, {m} modes a "
                f"bar), correlation {corr:.4f}, "
                f"peak {peak:.3f}, cpu {1e3 * seconds:.2f} ms"
            )
    print("\nmodes alone, no nodes (mesh graded): correlation, peak ratio")
    contact = coaxial_bars("graded")
    reference = hit(contact)
    for m in (7, 19, 43, 85):
        run = hit(contact, (contact.one.modal(m), contact.other.modal(m)))
        c, p = compared(run, reference)
        print(
            f"mixed_contact modal modes={m}: correlation {c:.3f}, peak ratio {p:.2f}, {1e6 * run.duration:.0f} us in "
            "contact",
            flush=True,
        )
    return out


def materials() -> None:
    counts = tuple(range(0, 20)) + (25, 31, 37, 43)
    for struck in (False, True):
        print("\nbrass hits a bar of the material" if struck else "\nboth bars of one material")
        for name, stuff in MATERIALS.items():
            pair = (BRASS, stuff) if struck else (stuff, stuff)
            slow = (4.1e11 / 19300.0) ** 0.5 / (stuff.E / stuff.density) ** 0.5
            end = 4e-4 * max(1.0, slow) if name == "polyamide" else 5e-4
            reference, found = many("graded", [(5, 1)], counts, pair, end, end / 2500)
            row = found[5, 1]
            met = [m for m in counts if all(good(row[k]) for k in counts if k >= m)]
            strict = [
                m for m in counts if all(row[k][1] >= 0.999 and abs(row[k][2] - 1) < 0.005 for k in counts if k >= m)
            ]
            best = f"{met[0]} modes a bar, {row[met[0]][0]} coordinates" if met else "not met"
            print(
                f"mixed_contact material={name}: peak {reference.peak:.1f} N, {1e6 * reference.duration:.0f} us in "
                f"contact, 0.99 and 2 %: {best}; "
                f"0.999 and 0.5 %: {strict[0] if strict else 'not met'} modes"
            )


def cpu() -> None:
    """CPU of the steps, least of repeats, one process; set-up reported separately."""
    for name, rings, modes in (("uniform", 1, 7), ("graded", 4, 4), ("fine", 10, 5)):
        contact = coaxial_bars(name)
        hit(contact, kept(contact, rings, 1, modes), end=2e-6)
        best = {}
        for what, coordinates, repeats in (("full", None, 2), ("mixed", kept(contact, rings, 1, modes), 7)):
            for _ in range(repeats):
                gc.collect()
                run = hit(contact, coordinates)
                if what not in best or run.cpu < best[what].cpu:
                    best[what] = run
        begin = time.process_time()
        kept(contact, rings, 1, modes)
        made = time.process_time() - begin
        c, p = compared(best["mixed"], best["full"])
        f, m = best["full"], best["mixed"]
        sizes = [sum(x.size for x in r.coordinates) for r in (f, m)]
        print(
            f"mixed_contact cpu mesh={name}: full {sizes[0]} coordinates {f.cpu:.3f} s, mixed {sizes[1]} coordinates "
            f"{1e3 * m.cpu:.2f} ms, full_over_mixed = "
            f"{f.cpu / m.cpu:.0f}; with preparation ({1e3 * made:.0f} ms of modes, once a body) "
            f"{(f.cpu + f.prepared) / (m.cpu + m.prepared + made):.1f}; "
            f"correlation {c:.4f}, peak {p:.3f}",
            flush=True,
        )
        h, force, spent = explicit(contact)
        at = np.interp(f.time, h * (1 + np.arange(len(force))), force)
        print(
            f"mixed_contact cpu mesh={name}: full, explicit, {len(force)} steps of {1e9 * h:.0f} ns {spent:.3f} s, "
            f"explicit_over_mixed = {spent / m.cpu:.0f}; "
            f"its correlation with the implicit one {mixed.correlation(at, f.force):.4f}",
            flush=True,
        )


def explicit(contact, end: float = END):
    """Full finite elements with explicit steps (symplectic Euler, nine tenths of the stable step), the strongest rival:
    force and CPU seconds."""
    from scipy.sparse.linalg import eigsh

    both = contact.one.whole(), contact.other.whole()
    import scipy.sparse as sp

    K = sp.block_diag([c.K for c in both]).tocsr()
    m = np.concatenate([c.M.diagonal() for c in both])
    top = eigsh(sp.diags(m**-0.5) @ K @ sp.diags(m**-0.5), 1, which="LA", return_eigenvectors=False, tol=1e-3)[0]
    h = 1.8 / np.sqrt(top)
    n1, d = both[0].size, contact.one.dimension * len(contact.one.places)
    B = sp.hstack(
        [both[0].of(contact.pairs.rows[:, :d].tocsr()), both[1].of(contact.pairs.rows[:, d:].tocsr())]
    ).tocsr()
    near = np.flatnonzero(contact.pairs.gap < 5e-5)
    B, g0 = B[near], contact.pairs.gap[near]
    Y = B.multiply(1.0 / m).tocsr()
    W = (B @ Y.T).toarray()
    v = np.zeros(len(m))
    v[:n1] = both[0].fit(np.tile([0.0, SPEED], (len(contact.one.places), 1)))
    u, out = np.zeros(len(m)), []
    Kh = sp.diags(h / m) @ K
    begin = time.process_time()
    for _ in range(int(end / h)):
        v -= Kh @ u
        shut = np.flatnonzero(g0 + B @ u <= 0.0)
        if len(shut):
            w = (B @ v)[shut]
            p = np.zeros(len(shut))
            on = np.ones(len(shut), bool)
            for _ in range(50):  # lumped nodes on one flat side: a few turns
                p[:] = 0.0
                p[on] = np.linalg.solve(W[np.ix_(shut[on], shut[on])], -w[on]) if on.any() else 0.0
                if not (p < 0.0).any():
                    break
                on &= p > 0.0
            v += Y[shut].T @ p
            out.append(p.sum() / h)
        else:
            out.append(0.0)
        u += h * v
    return h, np.array(out), time.process_time() - begin


def methods() -> None:
    contact = coaxial_bars("graded")
    both = kept(contact, 5, 1, 13)
    for step in (4e-7, 1e-7):
        reference = hit(contact, step=step)
        print(f"mixed_contact methods step={step:g}: full, moreau-jean: peak {reference.peak:.1f} N")
        for method, more in (
            ("moreau-jean", {}),
            ("moreau-jean", {"theta": 0.5}),
            ("moreau-jean", {"theta": 1.0}),
            ("penalty", {}),
            ("multipliers", {}),
        ):
            run = hit(contact, both, step=step, method=method, **more)
            c, p = compared(run, reference)
            f = run.force
            e = run.energy["total"]
            print(
                f"mixed_contact methods step={step:g} {method} {more or ''}: correlation {c:.5f}, peak ratio {p:.4f}, "
                f"variation of the force over twice its peak {np.abs(np.diff(f)).sum() / 2 / f.max():.3f}, energy lost "
                f"{1 - e[-1] / e[0]:.1e}",
                flush=True,
            )


def picture(found) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 3, figsize=(13, 7.2), constrained_layout=True, width_ratios=(1, 1, 1.1))
    for row, (name, (reference, numbers)) in zip(axes, found.items()):
        keys = [(r, l) for l in LAYERS for r in RINGS]
        for ax, k, low, title in ((row[0], 1, (0.9, 1.0), "correlation"), (row[1], 2, (0.8, 1.2), "peak ratio")):
            table = np.array([[numbers[key][m][k] for m in MODES] for key in keys])
            colours = (
                dict(cmap="viridis", vmin=low[0], vmax=low[1])
                if k == 1
                else dict(cmap="RdBu_r", vmin=low[0], vmax=low[1])
            )
            image = ax.imshow(table, aspect="auto", **colours)
            ax.set_xticks(range(len(MODES)), MODES)
            ax.set_yticks(range(len(keys)), [f"{l} x {r}" for r, l in keys], fontsize=7)
            ax.set_title(f"{title}, mesh {name}", fontsize=10)
            ax.set_xlabel("modes a bar")
            ax.set_ylabel("layers x rings of nodes")
            for i, key in enumerate(keys):
                for j, m in enumerate(MODES):
                    if good(numbers[key][m]):
                        ax.plot(j, i, ".", color="white" if k == 1 and table[i, j] < 0.97 else "black", ms=4)
            figure.colorbar(image, ax=ax)
        ax = row[2]
        contact = coaxial_bars(name)
        ax.plot(1e6 * reference.time, reference.force, "k", lw=2.5, label="full finite elements")
        for rings, modes, style in ((1, 7, "--"), (3, 7, "-."), (5, 13, ":")):
            run = hit(contact, kept(contact, rings, 1, modes))
            ax.plot(
                1e6 * run.time,
                run.force,
                style,
                label=f"{rings} ring{'s' if rings > 1 else ''}, {modes} modes a bar: "
                f"{sum(c.size for c in run.coordinates)} coordinates",
            )
        ax.set(xlabel="time, us", ylabel="contact force, N", xlim=(0, 320), ylim=(0, 1.7 * reference.peak))
        ax.legend(frameon=False, fontsize=8)
    figure.savefig(FIGURE, dpi=110)
    print(f"wrote {FIGURE.relative_to(ROOT)}")


# ---- the partition that needs no reference ---------------------------------------------------------------------------
def automatic() -> dict:
    from .mixed_machines import MACHINES

    out = {}
    cases = {
        f"bars, mesh {n}": (lambda n=n: (coaxial_bars(n), dict(velocity=((0, SPEED), (0, 0)), end=END, step=STEP)))
        for n in ("uniform", "graded", "fine")
    }
    for name, make in (cases | MACHINES).items():
        contact, how = make()
        full = mixed.collide(contact, **how)
        for accuracy in (0.02, 0.005):
            begin = time.process_time()
            found = mixed.partition(contact, **how, accuracy=accuracy)
            spent = time.process_time() - begin
            c, p = compared(found.course, full)
            seconds = min(mixed.collide(contact, found.coordinates, **how).cpu for _ in range(3))
            out[name, accuracy] = found, full
            free = contact.one.freedoms + contact.other.freedoms
            print(
                f"mixed_contact automatic {name}, accuracy={accuracy:g}: {found.size} of {free} coordinates "
                f"({len(found.nodes[0])} + {len(found.nodes[1])} nodes, "
                f"{len(found.modes[0])} + {len(found.modes[1])} modes), {len(found.history)} runs, {spent:.1f} s to "
                f"find; correlation {c:.6f}, peak {p:.4f}; "
                f"steps {1e3 * seconds:.2f} ms, full {full.cpu:.2f} s, {full.cpu / seconds:.0f} times",
                flush=True,
            )
    return out


# ---- closed forms ----------------------------------------------------------------------------------------------------
def pressed_ball(first: float, way: str, force: float = 300.0):
    """A steel ball of R = 10 mm on a steel block; errors of Hertz's approach by its force, radius and largest pressure
    of the fitted ellipse."""
    R, steel = 0.01, Material(2.1e11, 0.3, 7850.0)
    across = mixed.graded(first, R, 1.25, even=int(np.ceil(5e-4 / first)))
    along = mixed.graded(first, 3 * R, 1.25, even=4)
    ball = mixed.axisymmetric(mixed.bar(R, 3 * R, across, along, R, up=False), steel, name="ball").hold("back")
    block = mixed.axisymmetric(mixed.bar(R, 3 * R, across, along), steel, name="block").hold("back")
    contact = mixed.Contact(ball, block, ("end", "end"), way=way)
    state = mixed.press(contact, force=force)
    stiff = steel.E / (1 - steel.nu**2) / 2
    a = (3 * force * R / (4 * stiff)) ** (1 / 3)
    return contact, state, *_ellipse(state, a), a, 3 * force / (2 * np.pi * a**2)


def pressed_roller(first: float, way: str, force: float = 2e3):
    """A roller (its lower half) of R = 10 mm on a block, plane strain, 10 mm wide; the same."""
    R, wide, steel = 0.01, 0.01, Material(2.1e11, 0.3, 7850.0)
    half = mixed.graded(first, R, 1.25, even=int(np.ceil(3e-4 / first)))
    along = mixed.graded(first, 3 * R, 1.25, even=4)
    sag = lambda x: R - np.sqrt(np.maximum(R**2 - x**2, 0.0))
    lines = np.concatenate([-half[:0:-1], half])
    block = mixed.plane(mixed.grid(lines, -along[::-1]), steel, thickness=wide, name="block").hold("y-")
    bent = mixed.grid(lines, along, lambda X, Y: (X, Y + sag(X) * np.maximum(0.0, 1 - Y / (2 * R))))
    roller = mixed.plane(bent, steel, thickness=wide, name="roller").hold("y+")
    contact = mixed.Contact(roller, block, ("y-", "y+"), way=way)
    state = mixed.press(contact, force=force)
    stiff = steel.E / (1 - steel.nu**2) / 2
    b = np.sqrt(4 * force / wide * R / (np.pi * stiff))
    return contact, state, *_ellipse(state, b), b, 2 * force / wide / (np.pi * b)


def _ellipse(state, size: float) -> tuple[float, float]:
    """Half axis and largest pressure of the ellipse p^2 = p0^2 (1 - x^2 / a^2) nearest to the nodes inside of nine
    tenths, weighted by their areas."""
    x, p = state.places[:, 0], state.pressure
    inside = np.abs(x) < 0.9 * size
    w = np.sqrt(state.forces[inside] / p[inside])
    A = np.column_stack([np.ones(int(inside.sum())), -(x[inside] ** 2)])
    (top, slope), *_ = np.linalg.lstsq(A * w[:, None], p[inside] ** 2 * w, rcond=None)
    return float(np.sqrt(top / slope)), float(np.sqrt(top))


def hertz() -> None:
    for name, make, sizes in (
        ("point", pressed_ball, (8e-5, 4e-5, 2e-5, 1e-5)),
        ("line", pressed_roller, (4e-5, 2e-5, 1e-5, 5e-6)),
    ):
        for way in ("node-to-surface", "surface-to-surface"):
            for first in sizes:
                contact, state, a, top, exact, peak = make(first, way)
                print(
                    f"mixed_contact hertz {name} {way} edge={1e6 * first:g} um: {exact / first:.1f} edges in the "
                    f"contact, half axis {a / exact:.4f}, "
                    f"largest pressure {top / peak:.4f} of Hertz's",
                    flush=True,
                )


def venant() -> None:
    for ratio in (1.0, 2.0):
        for cells in (25, 50, 100, 200):
            contact, L, c = flat_bars(cells, ratio), 0.2, np.sqrt(2.1e11 / 7850.0)
            T = 2 * L / c
            for what, both in (
                ("full", None),
                ("mixed", (contact.one.kept("end", cells // 2), contact.other.kept("end", int(ratio * cells) // 2))),
            ):
                run = mixed.collide(
                    contact, both, velocity=((0, 1.0), (0, 0)), end=1.4 * T, step=0.25 * T / cells, theta=0.5
                )
                F = 0.5 * np.pi * 0.005**2 * 7850.0 * c
                middle = run.force[(run.time > 0.2 * T) & (run.time < 0.8 * T)]
                e = run.energy["total"]
                print(
                    f"mixed_contact venant lengths 1:{ratio:g} {what} cells={cells}: duration {run.duration / T:.4f} "
                    f"of 2 L / c, force {np.median(middle) / F:.5f} of "
                    f"rho c A v / 2, impulse {run.impulse / contact.one.mass:.5f}, speeds {run.speed(0)[-1, 1]:.5f} "
                    f"and {run.speed(1)[-1, 1]:.5f} "
                    f"(exact 0 and {1 / ratio:g}), "
                    f"energy lost {1 - e[-1] / e[0]:.3f}",
                    flush=True,
                )


def hammer(count: int, few: bool = False) -> tuple[mixed.Contact, tuple[mixed.Coordinates, mixed.Coordinates]]:
    """A slightly round hammer on a plate with about ``count`` gaps, of which some twenty close; ``few``: gaps defined
    around the middle alone."""
    R, W, y = 0.5, 0.05, np.array([0, 1e-4, 3e-4, 1e-3, 4e-3, 0.01, 0.02])
    half = mixed.graded(2e-5, W, 1.15, 2 * W / count, even=6) if count > 100 else mixed.graded(2e-5, W, 1.15, even=6)
    x = np.concatenate([-half[:0:-1], half])
    sag = lambda X: R - np.sqrt(R**2 - X**2)
    one = mixed.plane(
        mixed.grid(x, y, lambda X, Y: (X, Y + sag(X) * (1 - Y / y[-1]))),
        Material(2.1e11, 0.3, 7850.0),
        thickness=0.01,
        name="hammer",
    )
    other = mixed.plane(mixed.grid(1.05 * x, -y[::-1]), ALUMINIUM, thickness=0.01, name="plate")
    near = lambda b, size: b.nodes(lambda q: (np.abs(q[:, 0]) < size) & (np.abs(q[:, 1]) < 5e-5))
    contact = mixed.Contact(one, other, (near(one, 2e-3), near(other, 2e-3)) if few else ("y-", "y+"), reach=0.01)
    return contact, tuple(b.kept(near(b, 5e-4), 6) for b in (one, other))


def activation() -> None:
    for count, few in ((100, False), (500, False), (2000, False), (4000, False), (4000, True)):
        contact, both = hammer(count, few)
        how = dict(velocity=((0, -0.05), (0, 0)), end=1e-4, step=1e-7)
        runs = [mixed.collide(contact, both, **how) for _ in range(7)]
        best = min(r.cpu for r in runs)
        s = runs[0].statistics
        print(
            f"mixed_contact activation gaps={len(contact.pairs.gap)}{' (around the middle alone)' if few else ''}: "
            f"{sum(c.size for c in both)} coordinates, "
            f"{1e3 * best:.1f} us a step, {s['gaps measured'] / 1000:.0f} gaps measured a step, at most "
            f"{s['most gaps closed']} closed, peak {runs[0].peak:.2f} N",
            flush=True,
        )


def crowned(count: int, around: int, many: bool = False):
    """A crowned steel block that hits a rigid plane within a `Model`, with the same mesh in the middle and ``count`` +
    ``around`` lines to each side of it;
    ``many``: three modes a node, without dents."""
    fine, wide, radius = 2e-4, 0.008, 0.05
    x = np.concatenate([fine * np.arange(count), np.linspace(fine * count, wide, around + 1)])
    x = np.concatenate([-x[:0:-1], x])
    z = np.array([0.0, 3e-4, 1e-3, 4e-3, 0.016])
    box = hn.flexible.box((0, 0, 0), (1, 1, 1), (len(x) - 1, len(x) - 1, len(z) - 1), "hexahedron")
    i = np.rint(box.points * [len(x) - 1, len(x) - 1, len(z) - 1]).astype(int)
    X, Y, Z = x[i[:, 0]], x[i[:, 1]], z[i[:, 2]]
    mesh = hn.flexible.Mesh(
        np.column_stack([X, Y, Z + (X**2 + Y**2) / (2 * radius) * (1 - Z / z[-1]) + 1e-7]), box.cells
    )
    m = hn.Model()
    m.gravity = (0, 0, 0)
    part = m.part("block", 1.0, (1, 1, 1), tuple(mesh.points.mean(0)), velocity=(0, 0, -0.5))
    choice = dict(modes=10) if many else dict(accuracy=0.02)
    bent = m.make_flexible(
        part,
        mesh,
        Material(2.1e11, 0.3, 7850.0),
        contact=mesh.ids[i[:, 2] == 0],
        geometric=False,
        invariants="constant",
        **choice,
    )
    m.surface_contact(part, m.plane(m.ground, (0, 0, 0), (0, 0, 1)), name="hit")
    return m, bent


def model() -> None:
    """Nodes that are defined in addition to those that touch, of a part of a model."""
    for count, around, each in ((6, 2, False), (6, 6, False), (6, 10, False), (4, 1, True)):
        start = time.process_time()
        m, bent = crowned(count, around, each)
        reduced = time.process_time() - start
        clock, run = [], None
        for _ in range(2):  # the first compiles
            start = time.process_time()
            run = hn.simulate(m, end=5e-5, steps=100, integrator="RADAU5", error=1e-4)
            clock.append(time.process_time() - start)
        view = run.surface("hit")
        W = view._skin.W
        k = int(view.touching.argmax())
        motions = [run.marker(mark)._motion if mark else None for mark in (view.element.i, view.element.j)]
        q = run.state(f"FLEXIBILITY_{bent.id}").values[k]
        poses, u = [(a[0][k], a[1][k], a[2][k], a[4][k]) for a in motions], np.concatenate([q[::2], q[1::2]])
        times = []
        for _ in range(300):
            start = time.perf_counter()
            view._skin.at(run.time[k], poses, u)
            times.append(time.perf_counter() - start)
        placed = int(W.count[PLACED])
        view._skin.at(run.time[k], poses, u)
        placed = int(W.count[PLACED]) - placed
        print(
            f"mixed_contact model nodes={len(bent.region)} modes={bent.body.modes}{' (three a node)' if each else ''}: "
            f"reduced in {reduced:.1f} s, "
            f"run {min(clock):.2f} s CPU, "
            f"{1e6 * min(times):.0f} us an evaluation with {view.touching[k]} touching, {placed} placed and "
            f"{W.count[0]} near, "
            f"peak {run.force('hit').force.values[:, 2].max():.1f} N, "
            f"lacking {view.lacking:.4f}",
            flush=True,
        )


CASES = {
    "study": study,
    "least": least,
    "materials": materials,
    "cpu": cpu,
    "methods": methods,
    "automatic": automatic,
    "hertz": hertz,
    "venant": venant,
    "activation": activation,
    "model": model,
}


def main(arguments: list[str]) -> None:
    print(machine())
    print(versions())
    draw = "--draw" in arguments
    for name in [a for a in arguments if not a.startswith("-")] or CASES:
        if name not in CASES:
            raise SystemExit(f"no case '{name}'; there are {', '.join(CASES)}")
        study(draw) if name == "study" else CASES[name]()
