"""Fatigue of a rail car body end to end: a coach with a flexible body runs over rough track, through curves, brakes and
pulls; stresses at all nodes, damage of a duty, hot spots, life, growth of a crack and the interval of inspections."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .._summary import Summary
from ..analyses.session.simulate import simulate
from ..flexible import reduce
from ..model import Model
from .body_shell import ALUMINIUM, CarBody, car_body
from .irregularities import curve as curve_sections
from .irregularities import make_irregularities
from .profiles import named
from .quasistatic import quasi_static
from .vehicle import COACH, RailVehicle, rail_vehicle, weight

ERROR = 1e-5  # of the integrator, m
START = 40.0  # of the middle of the coach on the track, m
SETTLED = 1.0  # s, from which stresses count: the body finds its place on its springs before
STRAIGHT = 30.0  # before the transition of a curve, from the first wheelset, m
TRANSITION = 60.0  # m
RATE = 200.0  # rows a second
DAMPING = 0.02  # of the modes of the body, which hangs free on its soft springs
#: growth of cracks: upper bound of BS 7910 for steel in air (5.21e-13 in N and mm, threshold 63 N/mm^1.5) with the
#: ratio of the moduli cubed (threshold: the ratio), in Pa and m
RATIO = 2.07e11 / ALUMINIUM.E
PARIS = {"C": 1e-3 * 5.21e-13 * RATIO**3 / (1e6 * math.sqrt(1e-3)) ** 3, "m": 3.0}
THRESHOLD = 63.0 / RATIO * 1e6 * math.sqrt(1e-3)


@dataclass(frozen=True)
class Service(Summary):
    """A case of the duty: ``speed`` (m/s) and ``seconds`` of its run; ``radius`` (m, to the left; negative: to the
    right; None: straight) with ``cant`` (m); ``rough``: spectrum of the track; ``retardation`` (m/s^2) that the brakes
    of all wheelsets make, negative: traction; ``times``: how often in 1000 km, or None where the case is a ``share`` of
    the way."""

    name: str
    speed: float
    seconds: float
    radius: float | None = None
    cant: float = 0.0
    rough: str | None = None
    retardation: float = 0.0
    share: float = 0.0
    times: float | None = None


#: a regional train: 1000 km with 40 stops
DUTY = (
    Service("rough straight", 160.0 / 3.6, 5.0, rough="ERRI high", share=0.8),
    Service("curve to the left", 108.0 / 3.6, 7.0, radius=600.0, cant=0.1, rough="ERRI low", share=0.1),
    Service("curve to the right", 108.0 / 3.6, 7.0, radius=-600.0, cant=0.1, rough="ERRI low", share=0.1),
    Service("stop", 120.0 / 3.6, 5.0, retardation=1.0, times=40.0),
    Service("start", 60.0 / 3.6, 5.0, retardation=-0.7, times=40.0),
)


@dataclass(frozen=True)
class ServiceResult(Summary):
    """What a case did: ``stress``: ModalStress of its settled part; ``forces`` (time, 6, 3) on the body at the four
    secondary springs and the two traction rods, in its axes, N; ``acceleration`` (time, 3) of its centre of mass, there
    too; ``distance`` (m) of that part; ``passes``: in 1000 km; ``run``."""

    case: Service
    stress: Any
    forces: np.ndarray
    acceleration: np.ndarray
    distance: float
    passes: float
    run: Any


def flexible_coach(case: Service, body: CarBody, modes: int, seed: int) -> tuple[RailVehicle, Any]:
    """The coach of a case with its flexible body at rest on its springs; the element of the flexible body."""
    m = Model(f"coach, {case.name}")
    m.gravity = (0.0, 0.0, -9.81)
    sections: Any = ()
    ahead = START + 0.5 * (COACH["pivots"] + COACH["wheelbase"])
    if case.radius is not None:
        length = case.speed * case.seconds + 60.0
        sections = curve_sections(
            abs(case.radius),
            straight=ahead + STRAIGHT,
            transition=TRANSITION,
            length=length,
            cant=case.cant,
            out=0.0,
            left=case.radius > 0.0,
        )
    more = {}
    if case.rough is not None:
        total = max(ahead + case.speed * case.seconds + 60.0, 220.0)
        more = make_irregularities(case.rough, total, spacing=0.25, seed=seed, ramp=20.0).arguments(m.units)
    track = m.rail_track(rail=named("uic60", False), gauge=1.435, inclination=1.0 / 40.0, sections=sections, **more)
    made = rail_vehicle(m, track, speed=case.speed, s=START, profile=named("s1002", True), mu=0.35)
    at = np.array([START, 0.0, 0.0])
    moved = dataclasses.replace(
        body.elements,
        places=body.elements.places + at,
        spiders=tuple(dataclasses.replace(s, at=tuple(np.add(s.at, at))) for s in body.elements.spiders),
    )
    reduced = reduce(moved, body.interfaces, modes, loads=body.inertia_loads, geometric=False)
    # sagged: each spring carries a quarter; gravity does no work on modes without momentum
    rows = [list(reduced.nodes).index(k) for k in body.seats]
    q = reduced.shapes[rows, 2].sum(axis=0) * 0.25 * reduced.mass * weight(m) / reduced.frequency**2
    ratios = np.full(reduced.modes, DAMPING)
    flexible = m.make_flexible(made.body, reduced, damping=ratios, q=tuple(q))
    if case.retardation:
        total_mass = reduced.mass + 2.0 * COACH["frame"]["mass"]
        total_mass += 4.0 * (COACH["wheelset"]["mass"] + COACH["wheelset"]["box_mass"])
        torque = 0.25 * total_mass * case.retardation * COACH["wheelset"]["radius"]
        on, off = SETTLED + 0.25, case.seconds - 1.25
        law = f"{-torque!r}*(STEP(TIME,{on!r},0,{on + 0.75!r},1)-STEP(TIME,{off!r},0,{off + 0.75!r},1))"
        for w in made.wheelsets:
            bearing = m.find("JOINT", f"{w.part.name} bearing")
            m.sforce(bearing.i, bearing.j, law, f"{w.part.name} brake", kind="ROTATIONAL")
    return made, flexible


def run_service(case: Service, body: CarBody, durability: Any, *, modes: int = 10, seed: int = 0) -> ServiceResult:
    """Run one case.  ``durability``: the package `holonom.durability`, which this toolkit does not import."""
    made, flexible = flexible_coach(case, body, modes, seed)
    run = simulate(made.model, case.seconds, math.ceil(case.seconds * RATE), integrator="RADAU5", error=ERROR)
    kept = run.time >= SETTLED - 1e-9
    view = run.part(made.body.name)
    axes = view.axes.values[kept]
    names = [f"coach {end} {side} secondary" for end in ("front", "rear") for side in ("left", "right")]
    names += [f"coach {end} traction and roll bar" for end in ("front", "rear")]
    forces = np.stack([run.force(n).force.values[kept] for n in names], axis=1)
    q = run.state(f"FLEXIBILITY_{flexible.id}").values[kept, ::2]
    stress, places, _, _ = body.skin_stress(flexible.body.shapes[: len(body.mesh.points)])
    travelled = np.linalg.norm(np.diff(view.position.values[kept], axis=0), axis=1).sum()
    return ServiceResult(
        case,
        durability.ModalStress(stress, q, points=places, time=np.asarray(run.time)[kept]),
        np.einsum("tij,tki->tkj", axes, forces),
        np.einsum("tij,ti->tj", axes, view.acceleration.values[kept]),
        float(travelled),
        case.times if case.times is not None else 1e6 * case.share / float(travelled),
        run,
    )


def closed_forms(found: ServiceResult, body: CarBody) -> list[tuple[str, float, float]]:
    """What springs and traction rods do on the body, next to equilibrium by hand: (what, run, by hand), kN."""
    case, mass = found.case, COACH["body"]["mass"]
    g, kN = 9.81, 1e-3
    springs = found.forces[:, :4]
    rows = [("mean vertical force of a spring", kN * springs[:, :, 2].mean(), kN * 0.25 * mass * g)]
    late = found.run.time[-len(found.forces) :] >= found.run.time[-1] - 2.0
    if case.radius is not None:
        pace = np.linalg.norm(found.run.part("coach body").velocity.values[-1])
        closed = quasi_static(abs(case.radius), float(pace), case.cant)
        # the body leans outwards on its springs, in whose axes forces are
        side = math.copysign(1.0, case.radius)
        g_plane = g * math.cos(math.asin(case.cant / 1.5)) + pace**2 / abs(case.radius) * case.cant / 1.5
        by_hand = mass * (closed.acceleration * math.cos(closed.roll) + g_plane * math.sin(closed.roll))
        rows.append(
            ("mean lateral force on the body", kN * side * found.forces[late][:, :, 1].sum(axis=1).mean(), kN * by_hand)
        )
        rows[0] = (rows[0][0], rows[0][1], kN * 0.25 * mass * g_plane)
    if case.retardation:
        full = (found.stress.time > SETTLED + 1.0) & (found.stress.time < case.seconds - 1.25)
        slows = -found.acceleration[full, 0].mean()
        along = found.forces[full][:, :, 0].sum(axis=1).mean()
        pitch = found.forces[full][:, :2, 2].sum(axis=1) - found.forces[full][:, 2:4, 2].sum(axis=1)
        height = (
            float(np.average(body.elements.places[:, 2], weights=_node_masses(body))) - COACH["secondary"]["height"]
        )
        rows.append(("mean force along the body", kN * along, -kN * mass * slows))
        rows.append(
            ("front springs over rear ones", kN * pitch.mean(), kN * 2.0 * mass * slows * height / COACH["pivots"])
        )
    return rows


def _node_masses(body: CarBody) -> np.ndarray:
    """(a,) what the mass matrix gives each node along x."""
    return np.asarray(body.elements.M.tocsr()[::6, ::6].sum(axis=1)).ravel()


def service_line(found: ServiceResult, counted: Any, names: list[tuple[str, int]], body: CarBody) -> str:
    """A case in words: forces next to those by hand, stresses, damage."""
    case, worst = found.case, int(np.argmax(counted.damage))
    where = "straight" if case.radius is None else f"radius {abs(case.radius):g} m, cant {1e3 * case.cant:g} mm"
    turns = f", {-case.retardation:+.1f} m/s^2" if case.retardation else ""
    head = (
        f"{case.name}: {3.6 * case.speed:.0f} km/h, {where}{f', {case.rough}' if case.rough else ''}{turns}; "
        f"{found.distance:.0f} m, {found.passes:.4g} passes in 1000 km"
    )
    rows = [f"  {what:34}{run:10.3f} kN, by hand {hand:10.3f} kN" for what, run, hand in closed_forms(found, body)]
    rows.append(
        f"  most damage of a pass {counted.damage[worst]:.3g}, largest range there {1e-6 * counted.swing[worst]:.2f} "
        f"MPa: {names[worst][0]}"
    )
    return "\n".join([head, *rows])


@dataclass(frozen=True)
class BodyLife(Summary):
    """``results``: of the cases; ``damage`` (cases, k): of one pass at each stressed position; ``total`` (k,): of 1000
    km; ``names``, ``places`` of these positions; ``plane``, ``cycles``: the critical plane at the worst one and the
    cycles of 1000 km across it; ``growth``: distance in which a crack grows there, ``life``: distance at which the
    damage is one, both in km (infinite where nothing does); ``first`` and ``interval``: km to the first inspection and
    between two."""

    body: CarBody
    results: tuple[ServiceResult, ...]
    damage: np.ndarray
    total: np.ndarray
    names: list[tuple[str, int]]
    places: np.ndarray
    plane: np.ndarray
    cycles: Any
    life: float
    growth: float
    first: float
    interval: float

    @property
    def worst(self) -> int:
        """Row with the highest damage."""
        return int(np.argmax(self.total))


def normal_stress(found: ServiceResult, row: int, plane: np.ndarray) -> np.ndarray:
    """(time,) stress normal to a plane at one stressed position, Pa."""
    x, y, z = plane
    weights = np.array([x * x, y * y, z * z, 2.0 * x * y, 2.0 * y * z, 2.0 * z * x])
    return weights @ found.stress.block(row, row + 1)[0]


def body_life(
    durability: Any,
    cases: Sequence[Service] = DUTY,
    *,
    body: CarBody | None = None,
    fat: float = 36.0,
    concentration: float = 4.0,
    modes: int = 10,
    seed: int = 0,
    crack: tuple[float, float] = (0.005, 0.05),
    factor: float = 3.0,
    inspections: int = 2,
    say: Callable[[str], None] = lambda text: None,
) -> BodyLife:
    """Damage of a duty in a car body, life and inspections.

    ``durability``: the package `holonom.durability`; ``cases``: a duty of 1000 km; ``fat``: class of the welds (IIW,
    MPa at two million cycles); ``concentration``: stress at corners of windows and welds, which the mesh does not
    resolve, over that of its cells; ``crack``: half of the length (m) that an inspection finds, and that is not borne;
    ``factor``: safety on the life up to the first inspection; ``inspections``: chances to find a crack before it has
    grown.  Damage is that of the critical plane across the surface of each case, by rainflow, and is added up over the
    cases (planes differ, so the sum is not below that of any one plane); cycles from one pass to the next are not
    counted.
    """
    body = car_body() if body is None else body
    curve = durability.iiw(fat).scaled(1e6)
    _, places, surface, names = body.skin_stress(np.zeros((len(body.mesh.points), 6, 1)))
    results, damages, planes = [], [], []
    for case in cases:
        found = run_service(case, body, durability, modes=modes, seed=seed)
        results.append(found)
        counted = durability.life(found.stress, curve, method="critical_plane", surface=surface, factor=concentration)
        damages.append(counted.damage)
        planes.append(counted.plane)
        say(service_line(found, counted, names, body))
    passes = np.array([r.passes for r in results])
    damage = np.array(damages)
    total = passes @ damage
    worst = int(np.argmax(total))
    plane = planes[int(np.argmax(passes * damage[:, worst]))][worst]
    cycles = durability.combine(
        [(durability.rainflow(concentration * normal_stress(r, worst, plane)), r.passes) for r in results]
    )
    with np.errstate(divide="ignore"):
        life = float(1000.0 / total[worst]) if total[worst] > 0.0 else math.inf
    growth = 1000.0 * durability.crack_growth(cycles, *crack, threshold=THRESHOLD, **PARIS)
    return BodyLife(
        body,
        tuple(results),
        damage,
        total,
        names,
        places,
        plane,
        cycles,
        life,
        growth,
        life / factor,
        growth / inspections,
    )


def life_lines(found: BodyLife, fat: float, crack: tuple[float, float], factor: float, inspections: int) -> list[str]:
    """Hot spots, life and inspections as text."""
    order = np.argsort(-found.total, kind="stable")
    lines = [f"{'hot spot':34}{'x':>8}{'y':>8}{'z, m':>8}{'km to damage 1':>16}   share of the cases"]
    shown: list[int] = []
    for k in order:
        if found.total[k] <= 0.0 or len(shown) == 5:
            break
        if any(np.linalg.norm(found.places[k] - found.places[j]) < 1.0 for j in shown):
            continue
        shown.append(int(k))
        at = "".join(f"{v:8.2f}" for v in found.places[k])
        shares = [100.0 * r.passes * d[k] / found.total[k] for r, d in zip(found.results, found.damage)]
        parts = ", ".join(f"{r.case.name} {p:.1f} %" for r, p in zip(found.results, shares) if p >= 0.05)
        lines.append(f"{found.names[k][0]:34}{at}{1000.0 / found.total[k]:16.4g}   {parts}")
    lines += [
        f"life (damage 1, FAT {fat:g}): {found.life:.4g} km; first inspection at 1/{factor:g} of it: "
        f"{found.first:.4g} km",
        f"a crack of {2e3 * crack[0]:g} mm there grows to {2e3 * crack[1]:g} mm in {found.growth:.4g} km; inspections, "
        f"{inspections} in that distance: every {found.interval:.4g} km",
    ]
    return lines


def plot_body_life(found: BodyLife, path: str | Path) -> Path:
    """Picture: damage on the body, stress at the hot spot in each case, its cumulative cycles, shares of the cases.
    Returns ``path``."""
    from ..results.pictures.figures import Figure, FigureCanvasAgg

    figure = Figure(figsize=(13.0, 9.5), layout="constrained")
    FigureCanvasAgg(figure)
    grid = figure.add_gridspec(5, 3, height_ratios=(1.0, 1.0, 1.0, 1.0, 2.6))
    stress, counts, shares = (figure.add_subplot(grid[4, k]) for k in range(3))
    worst = found.worst
    least = max(found.total.max() * 1e-4, 1e-300)
    panels = np.array([name.split(",")[0] for name, _ in found.names])
    views = []
    for k, (name, across) in enumerate((("wall left", 2), ("wall right", 2), ("roof", 1), ("floor", 1))):
        view = figure.add_subplot(grid[k, :])
        mine = np.flatnonzero(panels == name)
        mine = mine[np.argsort(found.total[mine], kind="stable")]  # the skin with more damage on top
        drawn = view.scatter(
            found.places[mine, 0],
            found.places[mine, across],
            c=np.log10(np.maximum(found.total[mine], least)),
            s=26.0,
            marker="s",
            cmap="inferno_r",
            vmin=math.log10(least),
            vmax=math.log10(max(found.total.max(), least)),
        )
        if panels[worst] == name:
            view.plot(*found.places[worst, [0, across]], "o", ms=13, mfc="none", mec="tab:blue", mew=2)
        view.set(ylabel=f"{name}\n{'xyz'[across]} (m)", aspect="equal")
        views.append(view)
    x, y, z = found.places[worst]
    views[0].set_title(f"hot spot: {found.names[worst][0]}, x {x:.2f}, y {y:.2f}, z {z:.2f} m")
    figure.colorbar(drawn, ax=views, shrink=0.8, label="damage in 1000 km (power of ten)")
    for r in found.results:
        s = normal_stress(r, worst, found.plane)
        stress.plot(r.stress.time, 1e-6 * s, lw=0.7, label=r.case.name)
    stress.set(title="stress of the cells at the hot spot", xlabel="time (s)", ylabel="MPa")
    stress.legend(fontsize="x-small", ncols=2)
    ranges, above = found.cycles.exceedance()
    counts.semilogx(above, 1e-6 * np.asarray(ranges))
    counts.set(title="cycles in 1000 km", xlabel="cycles with at least this range", ylabel="range (MPa)")
    part = [r.passes * d[worst] / found.total[worst] for r, d in zip(found.results, found.damage)]
    shares.barh([r.case.name for r in found.results], [100.0 * p for p in part])
    shares.invert_yaxis()
    shares.set(title=f"life {found.life:.3g} km, inspections every {found.interval:.3g} km", xlabel="damage (%)")
    figure.savefig(path, dpi=100)
    return Path(path)
