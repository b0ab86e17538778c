"""Joints, forces and contacts that act on masses which slide in parts: bodies whose position follows from coordinates
of another one (`elements.bodies.nodes`).

The oracle is the same machine with a part in place of each mass, slim enough to turn without weight (1e-8), on a
translational joint.
"""

import numpy as np
import pytest

import holonom as hn
from _iteration_matrix import AtMotion, put_speeds
from holonom.analyses.assemble import assemble
from holonom.elements.bodies import layout
from holonom.elements.bodies.coordinates import rotations
from holonom.elements.bodies.motion_bounds import ACCELERATION, BOUNDS, SPEED
from holonom.integrators import make_integrator
from holonom.integrators.methods import METHODS
from holonom.integrators.stepper import Options
from holonom.system.build import System

SLIM = 1e-8
CART = np.array((0.1, 0.2, 0.3))
AT = np.array((0.15, 0.25, 0.35))
LINE = np.array((1, 0.3, 0.2)) / np.linalg.norm((1, 0.3, 0.2))
MASS = AT + 0.05 * LINE  # where the mass is
Q = MASS + np.array((0.02, -0.03, 0.05))  # a point off it
Z, X = (0.2, 0.3, 1), (1, 0, 0.1)


def slide(m, part, at, z, mass, stiffness, damping, length, travel, speed, twin, spin, velocity):
    """A mass in a part, or a slim part on a joint; ``spin``, ``velocity``: those of the part."""
    z = np.asarray(z, float) / np.linalg.norm(z)
    if not twin:
        return m.sliding_mass(
            part, at, z, mass=mass, stiffness=stiffness, damping=damping, length=length, travel=travel, speed=speed
        )
    p = np.asarray(at) + travel * z
    s = m.part(mass=mass, inertia=(SLIM,) * 3, position=p)
    s.vx, s.vy, s.vz = np.asarray(velocity) + np.cross(spin, p - part.qg) + speed * z
    s.wx, s.wy, s.wz = spin
    i, j = m.marker_at(s, p, z=z), m.marker_at(part, at, z=z)
    m.translational(i, j, "slide")
    m.vforce(
        i, j, rm=j, fz=f"-{stiffness}*(DZ({i.id},{j.id},{j.id})-{length})-{damping}*VZ({i.id},{j.id},{j.id},{j.id})"
    )
    return s


def machine(build, twin=False, moving=False, gravity=(0, 0, -9.81)):
    m = hn.Model("cart")
    m.gravity = gravity
    cart = m.part("cart", 3.0, (0.3, 0.5, 0.4), position=CART)
    spin, velocity = moving * np.array((0.3, -0.2, 0.5)), moving * np.array((0.1, 0, 0))
    cart.vx, cart.vy, cart.vz = velocity
    cart.wx, cart.wy, cart.wz = spin
    mass = slide(m, cart, AT, LINE, 0.7, 40.0, 0.3, 0.1, 0.05, 0.2 * moving, twin, spin, velocity)
    mass.name = "bob"
    build(m, cart, mass)
    return m


def swinging(m):
    """Another part, on a spring."""
    other = m.part("other", 1.3, (0.1, 0.12, 0.15), position=Q + (0.3, 0.1, -0.2))
    m.spring_damper(
        m.marker_at(other, Q + 0.2), m.marker_at(m.ground, Q + (0.5, 0.1, 0.7)), stiffness=50, damping=0.5, length=0.3
    )
    return other


def joint(kind, ground=False, swap=False):
    def build(m, cart, mass):
        ends = (mass, m.ground if ground else swinging(m))
        across = (1, 0, -0.2)
        if kind in ("universal", "hooke", "perpendicular"):
            i, j = m.marker_at(ends[0], Q, z=Z, x=across), m.marker_at(ends[1], Q, z=across, x=(0, 1, 0))
        else:
            i, j = (m.marker_at(e, Q, z=Z, x=X) for e in ends)
        i, j = (j, i) if swap else (i, j)
        if kind == "screw":
            m.screw(i, j, 0.3)
        elif hasattr(m, kind):
            getattr(m, kind)(i, j)
        else:
            m.primitive(kind.upper(), i, j)

    return build


def force(kind):
    def build(m, cart, mass):
        other = swinging(m)
        i, j = m.marker_at(mass, Q, z=Z, x=X), m.marker_at(other, Q + 0.1, z=(0.2, 0.5, 1), x=X)
        k = np.diag([100, 90, 80, 2, 3, 4.0])
        if kind == "spring":
            m.spring_damper(i, j, stiffness=100.0, damping=1.0, length=0.5)
        elif kind == "torsion":
            m.torsion_spring(i, j, stiffness=3.0, damping=0.1)
        elif kind == "bushing":
            m.bushing(
                i,
                j,
                stiffness=(100, 120, 90),
                rotational_stiffness=(3, 4, 5),
                damping=(1, 1, 1),
                rotational_damping=(0.1, 0.1, 0.1),
            )
        elif kind == "field":
            m.field(i, j, kmatrix=k, cmatrix=0.01 * k)
        elif kind == "beam":
            m.beam(i, j, 0.2, 1e-4, 1e-9, 1e-9, 1e-9, 1e8, 4e7, cratio=0.01)
        elif kind == "sforce":
            m.sforce(i, j, f"-30*(DM({i.id},{j.id})-0.2)-VR({i.id},{j.id})+SIN(3*TIME)*DX({i.id},{j.id})")
        elif kind in ("gforce", "gforce on J"):
            i, j = (i, j) if kind == "gforce" else (j, i)
            m.gforce(
                i,
                j,
                fx=f"-20*DX({i.id},{j.id},{j.id})-VX({i.id},{j.id},{j.id})",
                fy=f"-30*DY({i.id},{j.id},{j.id})",
                fz=f"-10*VZ({i.id},{j.id})",
                tx=f"-AX({i.id},{j.id})",
                rm=j,
            )
        elif kind == "vforce":
            m.vforce(i, j, fx=f"-20*DX({i.id},{j.id},{j.id})", fy=f"-5*WX({i.id})", rm=j)
        elif kind == "acceleration":
            m.sforce(i, j, f"-0.1*ACCX({i.id})-10*DM({i.id},{j.id})")
        elif kind == "nforce":
            m.nforce([i], j, stiffness=k + 1, damping=0.01 * k)
        elif kind == "maxwell":
            m.maxwell_damper(i, j, series_stiffness=200.0, damping=5.0)

    return build


def driven(m, cart, mass):
    i, j = m.marker_at(mass, Q, z=Z, x=X), m.marker_at(m.ground, Q, z=Z, x=X)
    m.motion(i=i, j=j, component="X", function="0.1*(1-COS(2*TIME))")


def general(m, cart, mass):
    i, j = m.marker_at(mass, Q), m.marker_at(m.ground, Q)
    m.constraint(f"DX({i.id},{j.id})*2+DZ({i.id},{j.id})*DY({i.id},{j.id})")


def curve(m, cart, mass):
    t = np.linspace(-2, 2, 41)
    m.point_on_curve(
        m.marker_at(mass, Q), m.marker_at(m.ground, Q), m.curve(np.column_stack([t, 0.2 * t**2, 0.1 * np.sin(t)]))
    )


def rubbing(m, cart, mass):
    other = swinging(m)
    hinge = m.revolute(m.marker_at(mass, Q, z=Z, x=X), m.marker_at(other, Q, z=Z, x=X))
    m.friction(
        hinge,
        mu_static=0.2,
        mu_dynamic=0.1,
        stiction_transition_velocity=0.2,
        max_stiction_deformation=0.05,
        pin_radius=0.05,
        inputs=("PRELOAD", "REACTION_FORCE"),
        torque_preload=0.05,
    )


def in_own_plane(m, cart, mass):
    """What the line holds anyway: redundant."""
    m.primitive("INPLANE", m.marker_at(mass, MASS, z=LINE, x=(0, 0, 1)), m.marker_at(cart, MASS, z=(0.3, -1, 0)))


def locked(m, cart, mass):
    m.primitive("INPLANE", m.marker_at(mass, MASS), m.marker_at(cart, MASS, z=LINE))


def both_ends(m, cart, mass):
    """A spring from the mass to its own part."""
    m.spring_damper(m.marker_at(mass, Q), m.marker_at(cart, Q + 0.1), stiffness=80.0, damping=0.4, length=0.1)


def hanging(m, cart, mass):
    for p in ((0.3, 0.3, 0.2), (0, 0.1, 0.2), (0.1, 0.4, 0.2)):
        m.spring_damper(
            m.marker_at(cart, p),
            m.marker_at(m.ground, np.array(p) + (0.1, 0, 1.0)),
            stiffness=200.0,
            damping=2.0,
            length=0.9,
        )
    other = swinging(m)
    m.spherical(m.marker_at(mass, Q), m.marker_at(other, Q), "ball")


JOINTS = (
    "revolute",
    "spherical",
    "translational",
    "cylindrical",
    "planar",
    "fixed",
    "universal",
    "hooke",
    "screw",
    "constant_velocity",
    "inline",
    "inplane",
    "atpoint",
    "orientation",
    "parallel_axes",
)
FORCES = (
    "spring",
    "torsion",
    "bushing",
    "field",
    "beam",
    "sforce",
    "gforce",
    "gforce on J",
    "vforce",
    "acceleration",
    "nforce",
    "maxwell",
)
CASES = {kind: joint(kind) for kind in JOINTS}
CASES |= {f"{kind} on ground": joint(kind, ground=True) for kind in ("spherical", "inline", "inplane", "revolute")}
CASES |= {f"{kind}, J on the mass": joint(kind, swap=True) for kind in ("translational", "inline", "planar")}
CASES |= {kind: force(kind) for kind in FORCES}
CASES |= {f.__name__: f for f in (driven, general, curve, rubbing, in_own_plane, locked, both_ends)}
#: not in the matrix: what is fed by accelerations and reactions, the curvature of curves and general constraints,
#: multipliers of redundant rows
OUTSIDE = ("acceleration", "curve", "general", "rubbing", "in_own_plane")
#: methods that each case runs with; all others run with three of the cases
EACH = ("DOP853", "RADAU5", "GSTIFF")
ERROR = {"DOP853": 1e-10, "RADAU5": 1e-9, "GSTIFF": 1e-7}


def run(m, method="DOP853", end=0.3, steps=6, **options):
    if not options:
        options = {"error": ERROR[method]}
    return hn.simulate(m, end=end, steps=steps, integrator=method, **options)


def difference(a, b, names=("position", "velocity", "acceleration", "angular_velocity")) -> float:
    """Largest difference of two runs in what the cart and the mass do, as a share of its size where that is above
    one."""
    out = 0.0
    for body in ("cart", "bob"):
        for name in names:
            x, y = (np.asarray(getattr(r.part(body), name)) for r in (a, b))
            out = max(out, np.abs(x - y).max() / max(1.0, np.abs(y).max()))
    return out


def balance(r) -> float:
    """Largest gap of the energy balance."""
    d = r.data
    energy = d.energy_kinetic + d.energy_gravity + d.energy_elastic - d.energy_input + d.energy_dissipated
    return float(np.ptp(energy))


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n == "spherical on ground" else n for n in CASES]
)
@pytest.mark.parametrize("methods", ["two", pytest.param("each", marks=pytest.mark.slow)])
def test_a_node_is_a_slim_part_on_a_joint(name, methods):
    """With one of the implicit methods in turn, or with each."""
    twin = run(machine(CASES[name], twin=True))
    for method in EACH if methods == "each" else (EACH[0], EACH[1 + list(CASES).index(name) % 2]):
        r = run(machine(CASES[name]), method)
        assert difference(r, twin) < {"GSTIFF": 2e-4}.get(method, 1e-6), method
        n, extra = len(r.data.constraints), len(twin.data.constraints) - len(r.data.constraints)
        if n and name not in ("in_own_plane",):  # there they are not unique
            force, wanted = r.data.constraint_force, twin.data.constraint_force[:, extra:]
            assert np.abs(force - wanted).max() < {"GSTIFF": 2e-3}.get(method, 1e-5) * max(1.0, np.abs(wanted).max()), (
                method
            )
        if method != "GSTIFF":
            assert balance(r) < balance(twin) + 1e-6, method


@pytest.mark.parametrize("name", CASES)
def test_the_matrix_is_the_derivative(name):
    """K and C of the iteration matrix against central differences of the residual at a random motion, with random
    accelerations and multipliers."""
    s = System(machine(CASES[name], moving=True))
    y = assemble(s).y.copy()
    rng = np.random.default_rng(1)
    u = layout.all_speeds(y, s.bodies) + 0.3 * rng.normal(size=s.bodies.moves)
    put_speeds(s, y, u)
    at = AtMotion(s, rng)
    n = at.p.inside_bodies
    A, K, C = at.matrices(y)
    stiffness, damping = at.columns(y, at.slope), at.columns(y, at.slope_by_rate)
    rows = stiffness[n + s.nx :]
    if name not in ("in_own_plane",):
        assert np.abs(A[n + s.nx :, :n] - rows).max(initial=0.0) < 1e-7 * max(1.0, np.abs(rows).max(initial=0.0))
    if name not in OUTSIDE:
        assert np.abs(K - stiffness[:n]).max() < 1e-7 * max(1.0, np.abs(stiffness).max())
        assert np.abs(C - damping[:n]).max() < 1e-7 * max(1.0, np.abs(damping).max())


@pytest.mark.parametrize(
    "method",
    [m if m in ("HHT", "DOPRI5") else pytest.param(m, marks=pytest.mark.slow) for m in METHODS if m not in EACH],
)
def test_every_method(method):
    for name in ("spherical", "driven", "locked"):
        m = machine(CASES[name])
        if method == "MOREAU_JEAN" or method in ("ABAM", "RKF45"):
            with pytest.raises(hn.ModelError, match="bob.*another integrator|bob.*use"):
                run(m, method, error=1e-6)
            continue
        more = (
            {"hmax": 1e-3} if METHODS[method].error is None else {"error": 1e-4 if method == "IMPLICIT_EULER" else 1e-6}
        )
        coarse = {"EXPLICIT_EULER": 2e-2, "SEMI_IMPLICIT_EULER": 5e-3, "IMPLICIT_EULER": 5e-2}.get(method, 3e-4)
        assert (
            difference(run(m, method, **more), run(machine(CASES[name], twin=True)), ("position", "velocity")) < coarse
        ), name


# ---- contacts --------------------------------------------------------------------------------------------------------
def falling(m, cart, mass):
    m.contact(
        m.sphere(mass, MASS, 0.05),
        m.plane(m.ground, (0, 0, 0.2), (0.1, 0.2, 1)),
        "IMPACT",
        stiffness=1e4,
        exponent=1.5,
        damping=5.0,
        dmax=1e-3,
        mu=0.2,
    )


def meeting(m, cart, mass):
    other = m.part("other", 1.3, (0.1, 0.12, 0.15), position=MASS + (0.5, 0, 0))
    other.vx = -1.0
    m.contact(
        m.sphere(mass, MASS, 0.05),
        m.sphere(other, other.qg, 0.3),
        "IMPACT",
        stiffness=1e4,
        exponent=1.5,
        damping=5.0,
        dmax=1e-3,
    )


def buffered(m, cart, mass):
    """A stop on the part itself."""
    m.contact(
        m.sphere(mass, MASS, 0.05),
        m.sphere(cart, MASS + 0.12 * LINE, 0.05),
        "IMPACT",
        stiffness=1e4,
        exponent=1.5,
        damping=5.0,
        dmax=1e-3,
    ).joined = True


@pytest.mark.parametrize("method", ("DOP853", "RADAU5", "GSTIFF"))
@pytest.mark.parametrize("build", (falling, meeting, buffered), ids=lambda f: f.__name__)
def test_contacts(build, method):
    twin, r = (
        run(
            machine(build, twin=t),
            "DOP853" if t else method,
            end=0.5,
            steps=60,
            error=1e-9 if t or method == "DOP853" else 1e-7,
        )
        for t in (True, False)
    )
    assert np.abs(twin.data.contact_force).max() > 1.0  # it touches
    assert difference(r, twin, ("position", "velocity")) < 1e-5


def test_matrices_are_not_made_more_often_for_nodes():
    """Derivatives of contacts with nodes are whole: as many steps and iterations as with the part on a joint."""
    for build in (falling, meeting):
        a, b = (run(machine(build, twin=t), "RADAU5", end=0.5, error=1e-7).data.counters for t in (False, True))
        assert a["iterations"] < 1.2 * b["iterations"]


def test_a_contact_of_a_model_with_unmarked_masses():
    """Kernels of contacts know bodies one by one: tables with coupled masses are of another type (a crash of the
    process, once)."""
    m, twin = (
        machine(
            lambda m, c, s: m.contact(
                m.sphere(c, CART, 0.05), m.plane(m.ground, (0, 0, 0.2), (0.1, 0.2, 1)), stiffness=1e4, damping=5.0
            ),
            twin=t,
        )
        for t in (False, True)
    )
    a, b = (run(x, end=0.2) for x in (m, twin))
    assert np.abs(b.data.contact_force).max() > 1.0
    assert np.abs(a.part("cart").position.values - b.part("cart").position.values).max() < 1e-6


@pytest.mark.parametrize("method", ("DOP853", "RK4", "GSTIFF", "HHT", "RADAU5"))
def test_bounds_of_the_motion_hold(method):
    s = System(machine(force("spring"), moving=True))
    y = assemble(s).y
    stepper = make_integrator(method, s, Options(error=1e-5, hmax=None if METHODS[method].error is not None else 1e-2))
    stepper.start(0.0, y, 0.5)
    b, R, z = s.body_index["SLIDING_MASS", 1], np.zeros((s.nb + 1, 9)), np.zeros_like(y)
    while stepper.t < 0.49:
        stepper.step(0.5)
        bounds = np.zeros((s.nb + 1, BOUNDS))
        if not stepper.motion_bounds(bounds):
            stepper.motion_bounds(bounds, True)
        times = stepper.t_old + (stepper.t - stepper.t_old) * np.linspace(0, 1, 21)
        v = []
        for t in times:
            stepper.interpolate(min(t, stepper.t), z)
            rotations(s.bodies, z, R)
            v.append(layout.body(z, b)[layout.VELOCITY].copy())
        assert np.linalg.norm(v, axis=1).max() <= bounds[b, SPEED]
        assert (np.linalg.norm(np.diff(v, axis=0), axis=1) / np.diff(times)).max() <= bounds[b, ACCELERATION] * (
            1 + 1e-6
        )


# ---- other analyses, and what holds of all motions -------------------------------------------------------------------
def test_statics_is_that_of_the_joint():
    a, b = (hn.simulate(machine(hanging, twin=t), end=0, kind="statics") for t in (False, True))
    assert difference(a, b, ("position",)) < 1e-9
    assert np.abs(a.data.constraint_force[-1] - b.data.constraint_force[-1, 1:]).max() < 1e-6


def test_kinematics_drives_the_coordinate():
    def build(m, cart, mass):
        m.motion(m.revolute(cart, m.ground, at=CART, axis=(0, 0, 1)), "0.3*TIME")
        m.motion(
            i=m.marker_at(mass, MASS, z=LINE),
            j=m.marker_at(cart, AT, z=LINE),
            component="Z",
            function="0.05+0.1*SIN(TIME)",
        )

    sim = hn.Simulation(machine(build))
    sim.kinematics(end=1.0, steps=4)
    r = sim.run()
    t = np.linspace(0, 1, 5)
    assert np.abs(r.state("SLIDING_MASS_1[0]").values - 0.05 - 0.1 * np.sin(t)).max() < 1e-12
    # the mass of a turning line, by hand: x = c + R (p + s z)
    s, v, a = 0.05 + 0.1 * np.sin(t), 0.1 * np.cos(t), -0.1 * np.sin(t)
    c, d = np.cos(0.3 * t), np.sin(0.3 * t)
    R = np.array([[c, -d, 0 * t], [d, c, 0 * t], [0 * t, 0 * t, 0 * t + 1]]).transpose(2, 0, 1)
    p = (AT - CART) + s[:, None] * LINE
    w = np.array((0, 0, 0.3))
    local = a[:, None] * LINE + 2 * np.cross(w, v[:, None] * LINE) + np.cross(w, np.cross(w, p))
    assert np.abs(r.part("bob").position.values - CART - np.einsum("tij,tj->ti", R, p)).max() < 1e-12
    assert np.abs(r.part("bob").acceleration.values - np.einsum("tij,tj->ti", R, local)).max() < 1e-12


def test_momentum_stays():
    """What acts between mass, cart and other part is inner: nothing but the spring to ground, which is left out, comes
    from outside."""

    def build(m, cart, mass):
        other = m.part("other", 1.3, (0.1, 0.12, 0.15), position=MASS + (0.3, 0, 0))
        other.vx = -1.0
        m.contact(m.sphere(mass, MASS, 0.05), m.sphere(other, other.qg, 0.2), stiffness=1e4, damping=5.0, mu=0.3)
        m.spherical(
            m.marker_at(cart, CART + (0, -0.4, 0)),
            m.marker_at(m.part("tail", 0.5, (0.01, 0.02, 0.03), position=CART + (0, -0.6, 0)), CART + (0, -0.4, 0)),
        )

    for method in ("DOP853", "RADAU5"):
        r = run(machine(build, moving=True, gravity=(0, 0, 0)), method, end=0.6, steps=300, error=1e-9)
        assert np.abs(r.data.contact_force).max() > 1.0
        for p in (r.data.momentum, r.data.angular_momentum):
            assert np.abs(p - p[0]).max() < 1e-6 * max(1.0, np.abs(p).max()), method


def test_a_turned_machine_moves_alike():
    def turned(R):
        m = hn.Model()
        m.gravity = tuple(R @ (0, 0, -9.81))
        cart = m.part("cart", 3.0, (0.3, 0.5, 0.4), position=R @ CART, axes=R)
        mass = m.sliding_mass(
            cart, R @ AT, R @ LINE, mass=0.7, stiffness=40.0, damping=0.3, length=0.1, travel=0.05, name="bob"
        )
        m.spherical(m.marker_at(mass, R @ Q), m.marker_at(m.ground, R @ Q))
        m.spring_damper(
            m.marker_at(mass, R @ MASS), m.marker_at(m.ground, R @ (0, 1, 1)), stiffness=100.0, damping=1.0, length=0.5
        )
        return run(m, error=1e-11)

    R = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]
    R *= np.linalg.det(R)
    a, b = turned(np.eye(3)), turned(R)
    for body in ("cart", "bob"):
        assert np.abs(a.part(body).position.values @ R.T - b.part(body).position.values).max() < 1e-8


def test_many_masses_and_two_carriers():
    """More coordinates than one row of the tail has, nodes of one carrier in one joint and one force, nodes of two
    carriers in one joint."""

    def build(twin):
        rng = np.random.default_rng(7)
        m = hn.Model()
        m.gravity = (0, 0, -9.81)
        parts = [m.part(f"p{k}", 3.0, (0.3, 0.5, 0.4), position=(0.8 * k, 0, 0)) for k in range(2)]
        masses = []
        for k, p in enumerate(parts):
            for j in range(8 - k):
                at, z = np.array(p.qg) + rng.uniform(-0.3, 0.3, 3), rng.normal(size=3)
                args = (0.2 + 0.1 * j, 40.0 + 5 * j, 0.2, 0.05, 0.02, 0.0)
                masses.append(slide(m, p, at, z, *args, twin, (0, 0, 0), (0, 0, 0)))
        place = lambda s: m.body_frame(s).origin
        tie = lambda a, b: m.spring_damper(
            m.marker_at(a, place(a) + 0.05), m.marker_at(b, place(b) - 0.05), stiffness=60.0, damping=0.3, length=0.3
        )
        tie(masses[7], masses[1])
        tie(masses[3], masses[9])
        tie(masses[14], m.ground)
        middle = 0.5 * (place(masses[6]) + place(masses[12]))
        m.spherical(m.marker_at(masses[6], middle), m.marker_at(masses[12], middle))
        m.primitive("PARALLEL_AXES", m.marker_at(masses[7], (0, 0, 0)), m.marker_at(m.ground, (0, 0, 0)))
        m.primitive(
            "INPLANE",
            m.marker_at(masses[0], place(masses[0]), z=(1, 1, 1)),
            m.marker_at(masses[2], place(masses[0]), z=(1, 1, 1)),
        )
        return m

    twin = run(build(True), end=0.3, error=1e-9)
    for method in EACH:
        r = run(build(False), method, end=0.3, error=1e-9 if method == "DOP853" else 1e-7)
        for k in range(2):
            assert np.abs(r.part(f"p{k}").position.values - twin.part(f"p{k}").position.values).max() < 3e-6, method
            assert np.abs(r.part(f"p{k}").velocity.values - twin.part(f"p{k}").velocity.values).max() < 3e-5, method


def test_results_models_and_files(tmp_path):
    m = machine(force("spring"), moving=True)
    again = hn.Model.from_dict(m.to_dict())
    a, b = run(m), run(again)
    assert difference(a, b) == 0.0
    a.save(tmp_path / "a.h5")
    assert difference(hn.load(tmp_path / "a.h5"), a) == 0.0
    # two analyses, one after the other
    sim = hn.Simulation(m)
    sim.dynamics(end=0.15, steps=3, integrator="DOP853", error=1e-10)
    sim.dynamics(end=0.3, steps=3, integrator="DOP853", error=1e-10)
    assert np.abs(sim.run().part("bob").position.values[-1] - a.part("bob").position.values[-1]).max() < 1e-8
    # an expression and a request at its marker
    mark = m.table("MARKER")[m.table("SPRINGDAMPER")[2].i]
    assert mark.body_kind == "SLIDING_MASS"
    assert np.allclose(a.marker(mark).position.values[0], Q, atol=1e-12)
    assert "bob" in sim.state.names


def test_what_cannot_be_is_said():
    m = machine(force("spring"))
    mass = m.table("SLIDING_MASS")[1]
    mass.active = False
    with pytest.raises(hn.ModelError, match="bob.*not active"):
        run(m)
    mass.active = True
    with pytest.raises(hn.ModelError, match="minimal coordinates"):
        run(m, "ABAM", error=1e-5)
