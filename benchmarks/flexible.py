"""Flexible bodies: an evaluation for so many modes, a rotor and a slider-crank compared with Exudyn's reduced-order
floating frame at equal error, and methods on a four-bar whose coupler bends and on an impact that rings it.

    python benchmarks/run.py flexible [cost | nodes | rotor | slider | methods] [--draw]

CPU time of one process, least of repeats.  Errors are those of the modal coordinates at the samples, root mean square
compared with their size, against a tight solution of each code's own.  ``--draw`` makes
docs/figures/flexible_work_precision.png.
"""

from __future__ import annotations

import gc
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

import holonom as hn
from holonom.flexible import FiniteElements, ReducedBody, Section, beam, read_abaqus, reduce
from holonom.model.flexible import Flexibility

from .problems import HERE  # noqa: F401  (finds the machines of the tests)
from .run import ROOT, machine, peer_python, peer_rows, versions

from flexible_machines import four_bar, struck  # noqa: E402  isort: skip

DATA = ROOT / "shared" / "data" / "fe"
if not DATA.exists():
    DATA = ROOT.parent / "shared" / "data" / "fe"
REPEATS = 5
#: prototype: microseconds of an evaluation for each link of a chain of ten, by modes
BEFORE = {0: 0.77, 4: 2.13, 8: 2.54, 20: 4.03, 50: 9.12}


# ---- an evaluation ---------------------------------------------------------------------------------------------------
def chain(links: int, modes: int, elements: int = 20, bends: bool = True) -> hn.Model:
    """Steel bars 0.5 m long on revolute joints, axes between y and z by turns."""
    m, L, section = hn.Model("chain"), 0.5, Section.rectangle(0.02, 0.01)
    m.gravity = (0, -3.0, -9.81)
    parts, previous = [], m.ground
    for k in range(links):
        p = m.part(f"link{k}", 0.78, (1e-3,) * 3, position=((k + 0.5) * L, 0, 0))
        m.revolute(p, previous, at=(k * L, 0, 0), axis=(0, 1, 0) if k % 2 == 0 else (0, 0, 1))
        parts.append(p)
        previous = p
    if modes:
        bar = beam((0, 0, 0), (L, 0, 0), section, E=2e11, density=7800.0, elements=elements, y=(0, 1, 0))
        body = reduce(bar, (1, elements + 1), max(modes, 8)).selected(range(1, modes + 1))
        if not bends:
            body = replace(body, bent=np.zeros(0, np.int64), bends=np.zeros((0, 3, modes, modes)))
        for k, p in enumerate(parts):
            way = np.array([k * L, 0, 0])
            m.make_flexible(p, replace(body, places=body.places + way, centre=body.centre + way))
    return m


def evaluation(model):
    """A function that evaluates the equations of motion, as often as it is reported."""
    from holonom.analyses.assemble import assemble
    from holonom.integrators.entry import RATE, enter, explicit_handle
    from holonom.system.build import System

    s = System(model)
    y = assemble(s).y
    handle, stages = explicit_handle(s), s.workspace.stages
    stages.ya[:] = y

    def run(count):
        for _ in range(count):
            enter(handle, RATE, y, 0.0, 0.0, 1e-10, 1, stages.d)

    run(1)
    return run


def least(calls: dict, seconds: float = 0.02, repeats: int = 9) -> dict:
    """Microseconds of a call of each, least over repeats that take turns."""
    count, best = {}, dict.fromkeys(calls, np.inf)
    for name, run in calls.items():
        clock = time.process_time()
        run(5)
        count[name] = max(5, int(seconds * 5 / max(time.process_time() - clock, 1e-6)))
    for _ in range(repeats):
        for name, run in calls.items():
            clock = time.process_time()
            run(count[name])
            best[name] = min(best[name], (time.process_time() - clock) / count[name] * 1e6)
    return best


def cost(links: int = 10) -> None:
    calls = {(n, b): evaluation(chain(links, n, bends=b)) for n in BEFORE for b in ((True, False) if n else (True,))}
    best = least(calls)
    for (n, bends), us in best.items():
        which = "" if bends else " without displacements of second order at the joints"
        print(
            f"flexible evaluation modes={n}{which}: {us / links:.2f} us a link, {us / best[0, True]:.1f} times rigid "
            f"(prototype {BEFORE[n]:.2f} us)"
        )


def nodes() -> None:
    """The mesh of a part does not count."""
    counts = (10, 40, 160)
    best = least({n: evaluation(chain(10, 8, elements=n)) for n in counts})
    for n in counts:
        print(f"flexible evaluation modes=8 elements={n}: {best[n] / 10:.2f} us a link")


# ---- compared with Exudyn
# ---------------------------------------------------------------------------------------------------
def rotor(modes: int = 8):
    """The solid rotor of the public Abaqus matrices with a hundredth of its stiffness, 50 turns a second between a ball
    joint and a point on its axis, and its weight comes at once.  Returns the model, what Exudyn is reported, and the
    finite elements."""
    fe = read_abaqus(DATA / "rotor" / "rotorDiscTest.inp")
    fe = replace(fe, K=fe.K * 0.01)
    centre = reduce(fe, (), 1).centre
    fe = replace(fe, places=fe.places - centre)
    axis = int(np.ptp(fe.places, axis=0).argmax())
    across = np.delete(np.arange(3), axis)
    shaft = np.flatnonzero(np.linalg.norm(fe.places[:, across], axis=1) < 1e-6 * np.ptp(fe.places))
    ends = [int(shaft[f(fe.places[shaft, axis])]) for f in (np.argmin, np.argmax)]
    spin, gravity = 100 * np.pi * np.eye(3)[axis], -9.81 * np.eye(3)[across[1]]
    case = {
        "case": "rotor",
        "ends": ends,
        "position": [0, 0, 0],
        "velocity": [0, 0, 0],
        "spin": spin.tolist(),
        "gravity": gravity.tolist(),
        "damping": 2e-5,
        "across": [int(k != axis) for k in range(3)],
        "end": 0.2,
        "samples": 20,
    }
    m = hn.Model("rotor")
    m.gravity = tuple(gravity)
    p = m.part("rotor", 78.0, (1, 1, 1), angular_velocity=tuple(spin))
    m.spherical(p, m.ground, at=tuple(fe.places[ends[0]]))
    m.primitive("INLINE", p, m.ground, at=tuple(fe.places[ends[1]]), axis=tuple(np.eye(3)[axis]))
    return m, p, case, fe, modes


def brick(size, cells, E, nu, density) -> FiniteElements:
    """A box of linear hexahedra about the origin."""
    from skfem import Basis, ElementHex1, ElementVector, MeshHex
    from skfem.assembly import BilinearForm
    from skfem.helpers import dot
    from skfem.models.elasticity import lame_parameters, linear_elasticity

    mesh = MeshHex.init_tensor(*(np.linspace(-0.5 * s, 0.5 * s, c + 1) for s, c in zip(size, cells)))
    basis = Basis(mesh, ElementVector(ElementHex1()), intorder=2)
    order = basis.nodal_dofs.T.ravel()  # x, y, z node by node
    K = linear_elasticity(*lame_parameters(E, nu)).assemble(basis).tocsc()[order][:, order]
    M = BilinearForm(lambda u, v, _: density * dot(u, v)).assemble(basis).tocsc()[order][:, order]
    K, M = (0.5 * (A + A.T) for A in (K, M))
    return FiniteElements(
        np.arange(1, mesh.nvertices + 1), mesh.p.T.copy(), K.tocsc(), M.tocsc(), np.zeros((0, 2), np.int64)
    )


def slider_crank(modes: int = 8):
    """A free crank with 150 rad/s, a rod of solid elements on ball joints, a slider; sizes of Simeon's case."""
    r, L, h, speed = 0.15, 0.3, 0.008, 150.0
    fe = brick((L, h, h), (30, 2, 2), 2e11, 0.3, 7870.0)
    ends = [int(np.linalg.norm(fe.places - (x, 0, 0), axis=1).argmin()) for x in (-L / 2, L / 2)]
    at = np.array([r + L / 2, 0, 0])
    case = {
        "case": "slider",
        "ends": ends,
        "position": at.tolist(),
        "velocity": [0, 0.5 * r * speed, 0],
        "spin": [0, 0, -r * speed / L],
        "gravity": [0, 0, 0],
        "damping": 2e-5,
        "crank": [0.36, 2.727e-2],
        "slider": [0.0755, 1e-4],
        "slider_at": [r + L, 0, 0],
        "pin": [r, 0, 0],
        "crank_speed": speed,
        "end": 0.1,
        "samples": 20,
    }
    m = hn.Model("slider-crank")
    m.gravity = (0, 0, 0)
    crank = m.part("crank", 0.36, (2.727e-2,) * 3, angular_velocity=(0, 0, speed))
    p = m.part(
        "rod",
        0.15,
        (1, 1, 1),
        position=tuple(at),
        velocity=tuple(case["velocity"]),
        angular_velocity=tuple(case["spin"]),
    )
    slider = m.part("slider", 0.0755, (1e-4,) * 3, position=(r + L, 0, 0))
    m.revolute(crank, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    m.spherical(p, crank, at=(r, 0, 0))
    m.spherical(p, slider, at=(r + L, 0, 0))
    m.translational(slider, m.ground, at=(r + L, 0, 0), axis=(1, 0, 0))
    fe = replace(fe, places=fe.places + at)
    return m, p, case, fe, modes


def bend(m, p, case, fe, modes) -> tuple[Flexibility, ReducedBody]:
    body = reduce(fe, (), modes)
    return m.make_flexible(p, body, damping=lambda w: 0.5 * case["damping"] * w), body


class Ours:
    """Runs of one model by its steppers: set-up and compilation are not counted."""

    def __init__(self, model, end: float, samples: int):
        from holonom.analyses.assemble import assemble
        from holonom.system.build import System

        self.system = System(model)
        self.y = assemble(self.system).y
        self.end, self.times = end, end * (1 + np.arange(samples)) / samples
        self.modes = len(self.system.coordinates)

    def run(self, method: str | None, repeats: int = REPEATS, limit: float = np.inf, **options):
        """CPU seconds, modal coordinates (samples, modes), steps by method; (None, ..) beyond the limit.  Without a
        method it is chosen as `simulate` does."""
        from holonom.elements.bodies import layout
        from holonom.integrators.selection import choose, make
        from holonom.integrators.switching import Switching
        from holonom.model.settings import IntegratorSettings

        choice = choose(IntegratorSettings(), method, options)
        steppers: dict = {}

        def stepper_of(switching):
            present = switching.present()
            if present.kind not in steppers:
                steppers[present.kind] = make(present, self.system)
            return steppers[present.kind]

        best, q = np.inf, np.zeros((len(self.times), self.modes))
        y = np.zeros_like(self.y)
        coordinates = layout.coordinates(y, self.system.bodies)[: self.modes]
        for turn in range(repeats + 1):  # the first makes tables of the methods
            switching = Switching(choice, self.system)
            switching.begin(self.y, self.end)
            counts: dict[str, int] = {}
            gc.collect()
            clock = time.process_time()
            stepper = stepper_of(switching)
            if hasattr(stepper, "_stiff_count"):
                stepper.stiff, stepper._stiff_count = False, 0
            stepper.start(0.0, self.y.copy(), self.end)
            k = 0
            while stepper.t < self.end * (1 - 1e-12):
                step = stepper.step(self.end)
                counts[stepper.name] = counts.get(stepper.name, 0) + 1
                while k < len(self.times) and self.times[k] <= stepper.t * (1 + 1e-12):
                    stepper.interpolate(min(self.times[k], stepper.t), y)
                    q[k] = coordinates
                    k += 1
                if switching.after(stepper, step, self.end) is not None:
                    t, z, h = stepper.t, stepper.y.copy(), step.h
                    stepper = stepper_of(switching)
                    if hasattr(stepper, "_stiff_count"):
                        stepper.stiff, stepper._stiff_count = False, 0
                    stepper.start(t, z, self.end, h)
                if turn and time.process_time() - clock > limit:
                    return None, q, counts
            spent = time.process_time() - clock
            if turn:
                best = min(best, spent)
            if spent > 0.5 and turn:
                break
        return best, q.copy(), counts


def error_of(q, exact) -> float:
    return float(np.sqrt(np.mean((q - exact) ** 2) / np.mean(exact**2)))


def at_error(points, error: float) -> float:
    """CPU seconds that a method wants for an error, between its points in logarithms; beyond them infinite, or those of
    its coarsest."""
    points = sorted(points, key=lambda p: p[1])  # by CPU
    front = []
    for e, cpu in points:
        if not front or e < front[-1][0]:
            front.append((e, cpu))
    if not front or error < front[-1][0]:
        return np.inf
    if error >= front[0][0]:
        return front[0][1]
    x, c = np.log([e for e, _ in front][::-1]), np.log([cpu for _, cpu in front][::-1])
    return float(np.exp(np.interp(np.log(error), x, c)))


def beside(name: str, build, steps, finest: int) -> None:
    m, p, case, fe, modes = build()
    _, body = bend(m, p, case, fe, modes)
    print(
        f"flexible {name}: {modes} modes, {body.frequency[0] / 2 / np.pi:.0f} to {body.frequency[-1] / 2 / np.pi:.0f} "
        f"Hz, {len(fe.nodes)} nodes"
    )
    ours = Ours(m, case["end"], case["samples"])
    _, exact, _ = ours.run("RADAU5", 1, error=1e-11)
    mine = []
    for method, errors in (("RADAU5", (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)), ("DOP853", (1e-4, 1e-6, 1e-8))):
        for e in errors:
            cpu, q, counts = ours.run(method, error=e)
            mine.append((error_of(q, exact), cpu))
            print(
                f"flexible {name} holonom {method} {e:.0e}: error {mine[-1][0]:.1e}, {1e3 * cpu:.2f} ms, "
                f"{sum(counts.values())} steps",
                flush=True,
            )
    try:
        import exudyn  # noqa: F401

        python = Path(sys.executable)
    except ImportError:
        python = peer_python("exudyn", "numpy", "scipy")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "body.npz"
        centred = fe.places - body.centre
        np.savez(file, nodes=centred, M=fe.M.toarray(), K=fe.K.toarray(), modes=body.shapes[:, :3].reshape(-1, modes))
        rows = list(
            peer_rows(
                "exudyn_flexible", python, 400, file=str(file), steps=[*steps, finest], finest=finest, repeats=3, **case
            )
        )
    if "failed" in rows[-1]:
        print(f"flexible {name} exudyn failed: {rows[-1]['failed']}")
        rows = rows[:-1]
    fine = [np.array(r["q"]) for r in rows if r["steps"] == finest]
    if not fine:
        return
    own = fine[0]
    print(f"flexible {name}: Exudyn at {finest} steps and we at 1e-11 differ by {error_of(own, exact):.1e}")
    theirs = {}
    for r in rows:
        if r["steps"] != finest:
            theirs.setdefault(r["steps"], []).append((r["seconds"], error_of(np.array(r["q"]), own), r["variant"]))
    points = [(e, s) for row in theirs.values() for s, e, _ in row]
    for n, row in theirs.items():
        s, e, variant = min(row)
        print(f"flexible {name} exudyn {n} steps: error {e:.1e}, {1e3 * s:.2f} ms ({variant}; {rows[0]['version']})")
    for e in (1e-2, 1e-3, 1e-4, 1e-5):
        a, b = at_error(mine, e), at_error(points, e)
        print(
            f"flexible {name} error={e:.0e} holonom {1e3 * a:.2f} ms, exudyn {1e3 * b:.2f} ms, exudyn_over_holonom = "
            f"{b / a:.1f}",
            flush=True,
        )


# ---- methods ---------------------------------------------------------------------------------------------------------
METHODS = {
    "DOP853": (dict(integrator="DOP853"), (1e-3, 1e-5, 1e-7)),
    "RADAU5": (dict(integrator="RADAU5"), (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7)),
    "chosen": (dict(integrator=None), (1e-3, 1e-4, 1e-5, 1e-6, 1e-7)),
    "HHT": (dict(integrator="HHT"), (1e-3, 1e-4, 1e-6, 1e-8)),
    "generalized-alpha": (dict(integrator="GENERALIZED_ALPHA"), (1e-3, 1e-4, 1e-6, 1e-8)),
    "GSTIFF SI2": (dict(integrator="GSTIFF_SI2"), (1e-3, 1e-4, 1e-5)),
    "GSTIFF SI2, order 2": (dict(integrator="GSTIFF_SI2", kmax=2), (1e-3, 1e-4, 1e-5)),
}
PROBLEMS = {"four-bar": (four_bar, 0.2), "struck bar": (struck, 0.1)}
FIGURE = ROOT / "docs" / "figures" / "flexible_work_precision.png"
LIMIT = 1.0  # CPU seconds of a run


def methods(sizes=(2, 4, 8, 16)) -> dict:
    out = {}
    for name, (model, end) in PROBLEMS.items():
        for n in sizes:
            m = model(n)
            w = m.table("FLEXIBILITY")[1].frequency / (2 * np.pi)
            ours = Ours(m, end, 40)
            _, exact, _ = ours.run("DOP853" if n < 8 else "RADAU5", 1, error=1e-11)
            rows = out[name, n] = {}
            print(f"flexible {name} modes={n}: {w[0]:.0f} to {w[-1]:.0f} Hz, {end:g} s", flush=True)
            for label, (options, errors) in METHODS.items():
                for e in errors:
                    cpu, q, counts = ours.run(
                        options["integrator"],
                        3,
                        LIMIT,
                        error=e,
                        **{k: v for k, v in options.items() if k != "integrator"},
                    )
                    if cpu is None:
                        print(f"flexible {name} modes={n} {label} {e:.0e}: more than {LIMIT:g} s")
                        continue
                    rows.setdefault(label, []).append((e, error_of(q, exact), cpu))
                    print(
                        f"flexible {name} modes={n} {label} {e:.0e}: error {rows[label][-1][1]:.1e}, {1e3 * cpu:.1f} "
                        f"ms, {counts}",
                        flush=True,
                    )
            for e, error, cpu in rows["chosen"]:
                best = min(
                    at_error([(b, c) for _, b, c in points], error)
                    for label, points in rows.items()
                    if label != "chosen"
                )
                print(
                    f"flexible {name} modes={n} chosen {e:.0e}: chosen_over_best = {cpu / best:.2f} at error "
                    f"{error:.1e}",
                    flush=True,
                )
    return out


def draw(found: dict) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import LogLocator, NullFormatter

    sizes = sorted({n for _, n in found})
    figure, axes = plt.subplots(
        2, len(sizes), figsize=(3.1 * len(sizes), 6), sharey="row", constrained_layout=True, squeeze=False
    )
    for row, name in enumerate(PROBLEMS):
        for ax, n in zip(axes[row], sizes):
            for k, label in enumerate(METHODS):
                points = np.array([(c, e) for _, e, c in found.get((name, n), {}).get(label, [])]).reshape(-1, 2)
                style = (
                    dict(color="black", lw=2, marker="o", ms=4, zorder=5)
                    if label == "chosen"
                    else dict(color=f"C{k}", lw=1, marker=".", ms=6)
                )
                ax.loglog(1e3 * points[:, 0], points[:, 1], label=label, **style)
            ax.set_title(f"{name}, {n} modes", fontsize=9)
            ax.grid(alpha=0.3)
            ax.set_ylim(1e-8, 2)
            ax.xaxis.set_major_locator(LogLocator(numticks=4))
            ax.xaxis.set_minor_formatter(NullFormatter())
        axes[row][0].set_ylabel("error of the modal coordinates")
    for ax in axes[-1]:
        ax.set_xlabel("CPU, ms")
    axes[0][0].legend(fontsize=7, frameon=False)
    figure.savefig(FIGURE, dpi=110)
    print(f"wrote {FIGURE.relative_to(ROOT)}")


CASES = {
    "cost": cost,
    "nodes": nodes,
    "rotor": lambda: (
        beside("rotor", rotor, (200, 500, 1000, 2000, 4000, 8000), 40000)
        if DATA.exists()
        else print("no matrices of the rotor here")
    ),
    "methods": lambda: None,
    "slider": lambda: beside("slider-crank", slider_crank, (100, 200, 500, 1000, 2000, 4000), 20000),
}


def main(arguments: list[str]) -> None:
    print(machine())
    print(versions())
    for name in [a for a in arguments if not a.startswith("-")] or CASES:
        if name not in CASES:
            raise SystemExit(f"no case '{name}'; there are {', '.join(CASES)}")
        if name == "methods":
            found = methods()
            if "--draw" in arguments:
                draw(found)
        else:
            CASES[name]()
