"""Numbers of buildings and frames in closed form, SI."""

import importlib
import math
from types import SimpleNamespace
from unittest import mock

import numpy as np
from scipy.linalg import eigh

from _built import Built, Row
from holonom.flexible.section import Section
from holonom.structures import (
    GroundMotion,
    compare_integrators,
    lateral_building,
    shear_building,
    steel_frame,
    yielding_columns,
)

#: the module, of whose name the package may have a function
study = importlib.import_module("holonom.structures.study")
ROWS = []


def row(builder, build, given, changed, measure, closed, **more):
    ROWS.append(Row(builder, build, given, changed, measure, closed, **more))


def felt(model, floor, **state):
    """Force of columns and damping on a floor at a state."""
    b = Built(model, **state)
    marker = next(k for k, m in model.table("MARKER").items() if m.part == b.part(floor).id)
    del marker
    (force,) = (f for f in model.table("VFORCE").values() if b.owner(f.i) == floor)
    return b.value(force.fx)


STATE = {"DX(floor 1)": 0.01, "DX(floor 2)": 0.025, "VX(floor 1)": 0.2, "VX(floor 2)": 0.7}


def building_measure(made):
    m = made.model
    b = Built(m)
    out = [felt(m, f"floor {k}", **STATE) for k in (1, 2)]
    return [*out, *(b.part(f"floor {k}").mass for k in (1, 2)), *(b.place(f"floor {k}")[2] for k in (1, 2))]


def modal_damping(M, K, ratios):
    w2, shapes = eigh(K, M)
    return M @ shapes @ np.diag(2.0 * np.asarray(ratios) * np.sqrt(w2)) @ shapes.T @ M


def shear_closed(masses, stiffness, damping, heights):
    a, b = stiffness
    K, M = np.array([[a + b, -b], [-b, b]]), np.diag(masses)
    C = modal_damping(M, K, np.broadcast_to(damping, 2))
    force = -K @ [0.01, 0.025] - C @ [0.2, 0.7]
    return [*force, *masses, *np.cumsum(np.broadcast_to(heights, 2))]


row(
    "structures.shear_building",
    shear_building,
    {"masses": (1e5, 8e4), "stiffness": (1.2e8, 9e7), "damping": 0.02, "heights": 3.0},
    {"masses": (1e5, 7e4), "stiffness": (1.0e8, 9e7), "damping": (0.02, 0.05), "heights": (3.0, 3.5)},
    building_measure,
    shear_closed,
)


def rayleigh_closed(masses, K, damping, heights):
    M = np.diag(masses)
    w = np.sqrt(eigh(K, M, eigvals_only=True))
    # one ratio at both frequencies: a = 2 z w1 w2/(w1 + w2), b = 2 z/(w1 + w2)
    a, b = 2.0 * damping * w[0] * w[1] / w.sum(), 2.0 * damping / w.sum()
    force = -K @ [0.01, 0.025] - (a * M + b * np.asarray(K)) @ [0.2, 0.7]
    return [*force, *masses, *np.cumsum(np.broadcast_to(heights, 2))]


LATERAL = np.array([[2.4e8, -1.1e8], [-1.1e8, 0.9e8]])
row(
    "structures.lateral_building",
    lambda **words: lateral_building(rayleigh=(1, 2), **words),
    {"masses": (1e5, 8e4), "K": LATERAL, "damping": 0.02, "heights": 3.0},
    {"masses": (1e5, 7e4), "K": LATERAL + np.diag([1e7, 0.0]), "damping": 0.05, "heights": 4.0},
    building_measure,
    rayleigh_closed,
)


def three_storeys(rayleigh):
    """Ratios of the three modes where two have 3 %: z_k = (a/w_k + b w_k)/2."""
    K = np.array([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]])
    w = np.sqrt(eigh(1e8 * K, 1e5 * np.eye(3), eigvals_only=True))
    i, j = (w[k - 1] for k in rayleigh)
    return 0.03 * (i * j / w + w) / (i + j)


def mode_ratios(made):
    w2, shapes = eigh(made.K, made.M)
    return np.diag(shapes.T @ made.C @ shapes) / (2.0 * np.sqrt(w2))


for name, build in (
    ("structures.shear_building", lambda **words: shear_building([1e5] * 3, [1e8] * 3, damping=0.03, **words)),
    (
        "structures.lateral_building",
        lambda **words: lateral_building(
            [1e5] * 3, 1e8 * np.array([[2.0, -1, 0], [-1, 2, -1], [0, -1, 1]]), damping=0.03, **words
        ),
    ),
):
    row(name, build, {"rayleigh": (1, 2)}, {"rayleigh": (1, 3)}, mode_ratios, three_storeys)


def framed(made):
    """The two modes of this ratio, and that the others have more above and less between them."""
    ratios = mode_ratios(
        SimpleNamespace(**{w: getattr(made, w)[np.ix_(made.free, made.free)] for w in ("K", "M", "C")})
    )
    return [k + 1 for k in range(len(ratios)) if abs(ratios[k] - 0.03) < 1e-9]


row(
    "structures.steel_frame",
    lambda rayleigh: steel_frame(2, 1, damping=0.03, rayleigh=rayleigh),
    {"rayleigh": (1, 2)},
    {"rayleigh": (1, 3)},
    framed,
    lambda rayleigh: rayleigh,
)


def record_measure(made):
    m = made.model
    motion = next(iter(m.table("MOTION").values()))
    spline = next(iter(m.table("SPLINE").values()))
    assert motion.level == "ACCELERATION" and motion.icvel == motion.icdisp == 0.0
    return [*np.ravel(spline.x), *np.ravel(spline.y)]


for name, build in (
    ("structures.shear_building", lambda motion: shear_building([1.0], [1.0], GroundMotion(*motion))),
    ("structures.lateral_building", lambda motion: lateral_building([1.0], np.eye(1), GroundMotion(*motion))),
    ("structures.steel_frame", lambda motion: steel_frame(1, 1, GroundMotion(*motion))),
):
    row(
        name,
        build,
        {"motion": (np.array([0.0, 1.0, -2.0, 0.5]), 0.02)},
        {"motion": (np.array([0.0, 1.0, -2.0, 0.7]), 0.01)},
        record_measure,
        lambda motion: [*(motion[1] * np.arange(4)), *motion[0]],
    )


HEIGHTS = np.array([3.0, 3.5, 4.0])
LEVEL = 10.0  # times the height of a storey: how long a level brace is


def braced(storey, angle):
    b = shear_building([1e5] * 3, [1e8] * 3, heights=HEIGHTS)
    return b.model, b.add_damper(storey, "power_damper", angle=angle, damping=1e5, exponent=0.5)


def ends_of(made):
    """Places of both ends in space, and the storey of the part that each is on."""
    model, damper = made
    out = []
    for marker in (damper.i, damper.j):
        m = model.table("MARKER")[int(marker)]
        frame = model.body_frame(model.table("PART")[m.part])
        name = model.table("PART")[m.part].name
        out += [*(frame.origin + frame.axes @ np.asarray(m.frame.origin)), 0 if name == "base" else int(name[-1])]
    return out


def braced_closed(storey, angle):
    top = HEIGHTS[:storey].sum()
    rise = HEIGHTS[storey - 1]
    return [0.0, 0.0, top, storey, -rise / math.tan(angle), 0.0, top - rise, storey - 1]


row(
    "structures.Building.add_damper",
    braced,
    {"storey": 2, "angle": 0.6},
    {"storey": 3, "angle": 0.8},
    ends_of,
    braced_closed,
)


def level_closed(storey):
    """A level brace at the height of its upper floor."""
    top = HEIGHTS[:storey].sum()
    return [0.0, 0.0, top, storey, -LEVEL * HEIGHTS[storey - 1], 0.0, top, storey - 1]


row(
    "structures.Building.add_damper",
    lambda storey: braced(storey, None),
    {"storey": 2},
    {"storey": 3},
    ends_of,
    level_closed,
)


def supports(peak):
    """A frame whose two supports move by their own records."""
    return steel_frame(
        1, 1, [GroundMotion(np.array([0.0, 1.0, 2.0, 0.0]), 0.02), GroundMotion(np.array([0.0, peak, 3.0, 0.0]), 0.02)]
    )


row(
    "structures.steel_frame",
    supports,
    {"peak": 4.0},
    {"peak": 5.0},
    lambda made: (
        [v for e in made.model.table("SPLINE").values() for v in np.ravel(e.y)]
        + [Built(made.model).place(f"support {k}")[0] for k in (1, 2)]
    ),
    lambda peak: [0.0, 1.0, 2.0, 0.0, 0.0, peak, 3.0, 0.0, 0.0, 6.0],
)


# ---- a frame of one storey and one bay -----------------------------------------------------------------------------
POST = Section(A=0.02, Iy=5e-4, Iz=1e-4, J=3e-6)
BEAM = Section(A=0.01, Iy=8e-4, Iz=2e-5, J=1e-6)


def frame_measure(made):
    b = Built(made.model)
    beams = list(made.model.table("BEAM").values())
    out = [v for e in beams for v in (e.length, e.area, e.ixx, e.iyy, e.izz, e.emodulus, e.gmodulus)]
    nodes = [b.part(f"node {k}") for k in (3, 4)]
    out += [n.mass for n in nodes] + list(b.place("node 4"))
    K, M, C = (x[np.ix_(made.free, made.free)] for x in (made.K, made.M, made.C))
    # C = M Phi diag(2 z w) Phi^T M: eigenvalues of M^-1 C over those frequencies
    w2, shapes = eigh(K, M)
    ratios = np.diag(shapes.T @ C @ shapes) / (2.0 * np.sqrt(w2))
    (force,) = made.model.table("NFORCE").values()
    rates = made.model.table("MATRIX")[force.cmatrix]
    full = np.asarray(rates.values, float).reshape(24, 24) if hasattr(rates, "values") else None
    sway = 3 * np.arange(2)
    u = np.zeros(len(made.K))
    u[6::3] = 1.0  # floors move along, turn and rise as they like
    free = np.setdiff1d(made.free, [6, 9])
    u[free] = -np.linalg.solve(made.K[np.ix_(free, free)], made.K[np.ix_(free, [6, 9])] @ [1.0, 1.0])
    del sway, full
    return [*out, ratios.min(), ratios.max(), u @ made.K @ u]


def frame_closed(height, span, floor_mass, E, density, damping, column, girder):
    """Portal frame: sway stiffness by slopes and deflections, columns and girder that stretch included."""
    G = E / 2.6
    member = lambda s, length: [length, s.A, s.J, s.Iy, s.Iz, E, G]
    lumps = 0.5 * density * column.A * height + 0.5 * density * girder.A * span + 0.5 * floor_mass
    # unknown: turns t1 = t2 = t (antisymmetric), rises v1 = -v2 = v, sway 1; slope-deflection
    k, g, axial = E * column.Iy / height, E * girder.Iy / span, E * column.A / height
    # energies: column 1/2 k (4 t^2 - 12 t/h + 12/h^2) x 2; girder 1/2 (12 g)(t - 2 v/l)^2 ; axial 2 * 1/2 axial v^2
    A = np.array([[2 * 4 * k + 12 * g, -24 * g / span], [-24 * g / span, 48 * g / span**2 + 2 * axial]])
    b = np.array([2 * 6 * k / height, 0.0])
    sway = 2 * 12 * k / height**2 - b @ np.linalg.solve(A, b)
    out = member(column, height) * 2 + member(girder, span)
    return [*out, lumps, lumps, span, 0.0, height, damping, damping, sway]


row(
    "structures.steel_frame",
    lambda **words: steel_frame(1, 1, **words),
    {
        "height": 3.6,
        "span": 6.0,
        "floor_mass": 4e4,
        "E": 2.1e11,
        "density": 7850.0,
        "damping": 0.02,
        "column": POST,
        "girder": BEAM,
    },
    {
        "height": 4.0,
        "span": 5.0,
        "floor_mass": 3e4,
        "E": 2.0e11,
        "density": 7000.0,
        "damping": 0.05,
        "column": Section(A=0.03, Iy=7e-4, Iz=2e-4, J=4e-6),
        "girder": Section(A=0.02, Iy=6e-4, Iz=3e-5, J=2e-6),
    },
    frame_measure,
    frame_closed,
    rel=1e-7,
)
row(
    "structures.steel_frame",
    lambda storeys, bays: steel_frame(storeys, bays),
    {"storeys": 2, "bays": 1},
    {"storeys": 3, "bays": 2},
    lambda made: [len(made.model.table("BEAM")), len(made.markers), made.places[:, 0].max(), made.places[:, 2].max()],
    lambda storeys, bays: [storeys * (2 * bays + 1), (storeys + 1) * (bays + 1), 6.0 * bays, 3.6 * storeys],
)


def joined_measure(made):
    """Ends of the beams of a frame, sorted, the axes of their markers along and across, and its warnings."""
    model, ends = made.model, []
    for e in model.table("BEAM").values():
        rows = []
        for k in (e.j, e.i):
            marker = model.table("MARKER")[int(k)]
            frame = model.body_frame(model.table("PART")[marker.part])
            axes = frame.axes @ marker.frame.axes
            rows += [*(frame.origin + frame.axes @ marker.frame.origin)[::2], *axes[::2, 0], *axes[:, 1]]
        ends.append(np.round(rows, 9))
    return [v for one in sorted(map(tuple, ends)) for v in one]


def joined_closed(storeys, bays):
    """Each column from the floor below it, each girder from the column to its left; x along the member, y into the
    plane or out of it."""
    members = [((b, s), (b, s + 1)) for s in range(storeys) for b in range(bays + 1)]
    members += [((b, s + 1), (b + 1, s + 1)) for s in range(storeys) for b in range(bays)]
    ends = []
    for a, b in members:
        along = np.subtract(b, a).astype(float)  # of a grid
        one, other = (np.multiply(p, (6.0, 3.6)) for p in (a, b))
        ends.append((*one, *along, 0.0, 1.0, 0.0, *other, *along, 0.0, 1.0, 0.0))
    return [v for one in sorted(ends) for v in one]


row(
    "structures.steel_frame",
    lambda **words: steel_frame(**words),
    {"storeys": 2, "bays": 1},
    {"storeys": 3, "bays": 2},
    joined_measure,
    joined_closed,
)
row(
    "structures.steel_frame",
    lambda load: [steel_frame(1, 1, mass=mass, floor_mass=load) for mass in ("lumped", "consistent")],
    {"load": 0.0},
    {"load": 1.0},
    lambda made: [*(len(f.model.warnings) for f in made), *(f.M[::3, ::3].sum() for f in made)],
    # columns of HEB400, a girder of IPE500; the lumped frame says that its members move between their nodes
    lambda load: [1, 0, *[load + 7850.0 * (197.8e-4 * 2 * 3.6 + 115.5e-4 * 6.0)] * 2],
)


def one_body(made):
    """A frame as one flexible body: ids of its nodes and of its feet, the node that each marker above them is on, how
    many modes it has, and that lowest frequencies of the frame in its plane, free of its supports, are among them."""
    (flex,) = made.model.table("FLEXIBILITY").values()
    nodes = made.model.table("ATTACHMENT")
    above = [nodes[m.part].node for m in made.markers if m.body_kind == "ATTACHMENT"]
    w = np.sqrt(np.maximum(eigh(made.K, made.M, eigvals_only=True)[3:6], 0.0))
    near = [flex.body.frequency[np.abs(flex.body.frequency - v).argmin()] / v for v in w]
    return [*flex.body.nodes, *flex.body.interfaces, *above, len(flex.body.frequency), *near]


def one_body_closed(storeys, bays):
    count, width = (storeys + 1) * (bays + 1), bays + 1
    nodes = np.arange(1, count + 1)
    return [*nodes, *nodes[:width], *nodes[width:], 6 * count - 6, 1.0, 1.0, 1.0]


row(
    "structures.steel_frame",
    lambda **words: steel_frame(mass="consistent", **words),
    {"storeys": 1, "bays": 1},
    {"storeys": 2, "bays": 2},
    one_body,
    one_body_closed,
    rel=1e-7,
)


# ---- columns that yield --------------------------------------------------------------------------------------------
def yielding(count, flange, web, k):
    b = shear_building([1e5, 8e4], [k, 0.8 * k])
    return yielding_columns(b, "HEB400", count, "S355", flange=flange, web=web), b


def yielding_measure(made):
    first, b = made
    springs = [e for e in b.model.table("HYSTERETIC_SPRING").values() if e.name.startswith("columns 1.")]
    stiffness = sum(e.k for e in springs)
    # all yield fully: forces add to the plastic one, 2 M_pl/h of each column
    return [*first, stiffness, sum(e.yield_force for e in springs), len(springs)]


def yielding_closed(count, flange, web, k):
    depth, breadth, thick, thin = 0.4, 0.3, 0.024, 0.0135  # HEB400, without its fillets
    inner = 0.5 * depth - thick
    inertia = breadth * depth**3 / 12 - (breadth - thin) * (2 * inner) ** 3 / 12
    elastic, fy = inertia / (0.5 * depth), 355e6
    # fibres lie at their radii of gyration: plastic modulus of these layers
    edges = [*np.linspace(0.0, inner, web // 2 + 1), *(inner + thick * np.arange(1, flange + 1) / flange)]
    plastic = 0.0
    for j, (low, high) in enumerate(zip(edges[:-1], edges[1:])):
        width = thin if j < web // 2 else breadth
        plastic += 2 * width * (high - low) * math.sqrt((high**3 - low**3) / (3 * (high - low)))
    drift = 2 * count * fy * elastic / 3.0
    return [drift / k, drift / (0.8 * k), k, 2 * count * fy * plastic / 3.0, web // 2 + flange]


row(
    "structures.yielding_columns",
    yielding,
    {"count": 3, "flange": 2, "web": 8, "k": 1.2e8},
    {"count": 4, "flange": 3, "web": 6, "k": 1.0e8},
    yielding_measure,
    yielding_closed,
    rel=1e-6,
)


# ---- a study of integrators -----------------------------------------------------------------------------------------
def compared(end, steps, errors):
    """Of runs whose displacements are off by h^2 of fixed steps and by ten times the error of others."""
    at = np.linspace(0.0, 10.0, 501)
    want = {"time": at, "displacement": np.sin(at)[:, None]}
    asked_for = []

    def run(model, stop, *, dt, integrator, **options):
        h = options.get("hmax", 0.0)
        assert not h or h == options["hmin"] == options["hinit"]
        asked_for.append((stop, dt))
        off = h * h if h else 10.0 * options["error"]
        n = round(stop / dt) + 1
        return SimpleNamespace(counters={"steps": n}, history=(), found=want["displacement"][:n] + off)

    building = SimpleNamespace(
        dampers=(), model=None, superposition=lambda: want, results=lambda r: {"displacement": r.found}
    )
    with mock.patch.object(study, "simulate", run):
        rows = compare_integrators(building, end, steps=steps, errors=errors).rows
    return [*asked_for[-1], *(r[w] for r in rows for w in ("step", "error", "steps"))]


def compared_closed(end, steps, errors):
    n = round(end / 0.02) + 1
    top = max(abs(math.sin(0.02 * k)) for k in range(501))  # of the whole record
    out = [end, 0.02]
    out += [v for _ in range(2) for h in steps for v in (h, h * h / top, n)]
    return out + [v for _ in range(2) for e in errors for v in (0.0, 10.0 * e / top, n)]


row(
    "structures.compare_integrators",
    compared,
    {"end": 1.0, "steps": (0.02, 0.01), "errors": (1e-4, 1e-6)},
    {"end": 1.2, "steps": (0.03, 0.01), "errors": (1e-3, 1e-6)},
    lambda found: found,
    compared_closed,
    rel=1e-6,
)
