"""The benchmark machines of ``shared/data/BENCHMARKS.md`` in SI, built with the public API; used by tests and
benchmarks.

Every function returns a fresh `holonom.Model`.  Planar machines lie in the x-y plane and turn about z.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

import holonom as hn

Z = (0.0, 0.0, 1.0)


def _turn_z(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _at(p) -> tuple[float, float, float]:
    return tuple(float(c) for c in (*p, 0.0)[:3])


def _model(name: str, gravity=(0.0, 0.0, 0.0)) -> hn.Model:
    model = hn.Model(name=name, units="SI")
    model.gravity = tuple(map(float, gravity))
    return model


def planar_part(model, name, mass, inertia, com, angle=0.0, velocity=(0.0, 0.0), rate=0.0):
    """Part in the plane: ``inertia`` about z; its x axis at ``angle``."""
    return model.part(
        name,
        mass,
        (inertia, inertia, inertia),
        _at(com),
        axes=_turn_z(angle),
        velocity=_at(velocity),
        angular_velocity=(0.0, 0.0, rate),
    )


def rod(model, name, p, q, mass=1.0, velocity=(0.0, 0.0), rate=0.0, inertia=None):
    """Uniform slender rod from p to q, its x axis along it."""
    p, q = np.asarray(p, float), np.asarray(q, float)
    d = q - p
    inertia = mass * d @ d / 12.0 if inertia is None else inertia
    return planar_part(model, name, mass, inertia, 0.5 * (p + q), np.arctan2(d[1], d[0]), velocity, rate)


# ---- 1 ---------------------------------------------------------------------------------------------------------------
ANDREWS_START = np.array(
    [
        -0.0617138900142764496,
        0.0,
        0.45527981916307038,
        0.22266839016588588,
        0.48736497954384255,
        -0.22266839016588588,
        1.2305474445498212,
    ]
)
ANDREWS_END = np.array(
    [
        15.81077119629904,
        -15.75637105984298,
        0.04082224013073101,
        -0.5347301163226948,
        0.5244099658805304,
        0.5347301163226948,
        1.048080741042263,
    ]
)
ANDREWS_END_RATES = np.array(
    [
        1139.920302151208,
        -1424.379294994111,
        11.03291221937134,
        19.29337464421385,
        0.5735699284790808,
        -19.29337464421385,
        0.3231791658026955,
    ]
)


def andrews() -> hn.Model:
    """Andrews' squeezing mechanism: seven bodies K1..K7, whose x axes stand at beta, beta+Theta, gamma, Phi+delta,
    delta, Omega+epsilon, epsilon."""
    be, th, ga, ph, de, om, ep = ANDREWS_START
    m = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
    inertia = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
    A, B, C, O = (np.array(p) for p in ((-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072), (0.0, 0.0)))
    u = lambda a: np.array([np.cos(a), np.sin(a)])
    n = lambda a: np.array([np.sin(a), -np.cos(a)])
    F = 0.007 * u(be)
    E = F - 0.028 * u(be + th)
    G = A + 0.04 * u(de)
    H = A + 0.04 * n(ep)
    D = B + 0.02 * u(ga) + 0.018 * n(ga)
    coms = (
        0.00092 * u(be),
        F - 0.0115 * u(be + th),
        B + 0.01043 * u(ga) + 0.01874 * n(ga),
        G + (0.02 - 0.01421) * n(ph + de),
        A + 0.02308 * u(de) - 0.00916 * n(de),
        H + (0.02 - 0.01421) * u(om + ep),
        A - 0.00449 * u(ep) + 0.01228 * n(ep),
    )
    angles = (be, be + th, ga, ph + de, de, om + ep, ep)
    model = _model("andrews")
    ground = model.ground
    k = [planar_part(model, f"K{i + 1}", m[i], inertia[i], coms[i], angles[i]) for i in range(7)]
    pins = (
        (ground, k[0], O),
        (k[0], k[1], F),
        (k[1], k[2], E),
        (k[1], k[3], E),
        (k[1], k[5], E),
        (ground, k[2], B),
        (k[3], k[4], G),
        (ground, k[4], A),
        (ground, k[6], A),
        (k[5], k[6], H),
    )
    for i, (a, b, p) in enumerate(pins):
        model.revolute(b, a, f"pin{i + 1}", at=_at(p), axis=Z)
    model.spring_damper(
        model.marker_at(k[2], _at(D)), model.marker_at(ground, _at(C)), stiffness=4530.0, length=0.07785, name="spring"
    )
    model.vtorque(model.marker_at(k[0], _at(O)), model.ground, tz="0.033", rm=model.marker(ground), name="drive")
    return model


def andrews_coordinates(run) -> tuple[np.ndarray, np.ndarray]:
    """q and q' (nt, 7) of BENCHMARKS.md, angles unwrapped from the start."""
    angle, rate = [], []
    for i in range(7):
        part = run.part(f"K{i + 1}")
        angle.append(plane_angle(part))
        rate.append(part.angular_velocity.values[:, 2])
    a, w = np.array(angle).T, np.array(rate).T
    mix = lambda x: np.column_stack(
        [x[:, 0], x[:, 1] - x[:, 0], x[:, 2], x[:, 3] - x[:, 4], x[:, 4], x[:, 5] - x[:, 6], x[:, 6]]
    )
    return mix(a), mix(w)


def plane_angle(part) -> np.ndarray:
    """Angle about z of a part that stays in the plane, continuous in time (needs output every half turn)."""
    q = part.quaternion.values
    return np.unwrap(2.0 * np.arctan2(q[:, 3], q[:, 0]))


# ---- 3 ---------------------------------------------------------------------------------------------------------------
PENDULUM = {
    1.0: (0.986291751132, -0.165010853126),
    2.0: (-0.793566195343, -0.608483930444),
    5.0: (-0.942305435044, -0.334754338414),
    9.99: (-0.316436469913, -0.948613704576),
    10.0: (-0.275087462576, -0.961419205099),
}


def pendulum() -> hn.Model:
    """IFToMM A01: point mass of 1 kg on a massless rod of 1 m."""
    model = _model("pendulum", (0.0, -9.81, 0.0))
    bob = model.point_mass("bob", 1.0, (-1.0, 0.0, 0.0))
    pivot, end = model.marker(model.ground), model.marker(bob)
    model.constraint(f"DM({end.id},{pivot.id}) - 1", i=end, name="rod")
    model.primitive("INPLANE", end, pivot, "plane")
    return model


# ---- 4 ---------------------------------------------------------------------------------------------------------------
FOUR_BAR = {  # t: (phi from the vertical, B0)
    0.5: (0.768818627555, None),
    1.0: (3.337870803105, (-0.195020301950, -0.980799205662)),
    2.0: (6.341033361312, (0.057815795768, 0.998327267863)),
    4.0: (12.684259593513, (0.117616102376, 0.993059138451)),
    10.0: (31.750597186981, (0.328458111536, 0.944518538180)),
}


def four_bars(windows: int = 2, v0: float = 1.0) -> hn.Model:
    """IFToMM A02: ``windows`` four-bars in a row, 2 windows + 1 rods, upright; every joint a revolute (redundant)."""
    model = _model("four_bars", (0.0, -9.81, 0.0))
    up = [rod(model, f"up{i}", (i, 0.0), (i, 1.0), velocity=(0.5 * v0, 0.0), rate=-v0) for i in range(windows + 1)]
    top = [rod(model, f"top{i}", (i, 1.0), (i + 1, 1.0), velocity=(v0, 0.0)) for i in range(windows)]
    for i, part in enumerate(up):
        model.revolute(part, model.ground, f"A{i}", at=(i, 0.0, 0.0), axis=Z)
    for i, part in enumerate(top):
        model.revolute(part, up[i], f"left{i}", at=(i, 1.0, 0.0), axis=Z)
        model.revolute(up[i + 1], part, f"right{i}", at=(i + 1, 1.0, 0.0), axis=Z)
    return model


# ---- 5 ---------------------------------------------------------------------------------------------------------------
GOVERNOR_STIFF = {
    0.1: (0.523836476, 6.103717809),
    0.5: (0.743249425, 5.103415422),
    1.0: (0.501420922, 6.271125742),
    2.0: (0.505909294, 6.236223614),
}
GOVERNOR_SOFT = {
    0.1: (0.507330007, 6.078852484),
    0.5: (0.718875861, 5.098847942),
    1.0: (0.485212991, 6.242521197),
    2.0: (0.490375050, 6.203801294),
}


def _cuboid(m, a, b, c) -> np.ndarray:
    return m / 12.0 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])


def governor(k: float = 8e5, c: float = 4e4, spin: float = 2.0 * np.pi) -> hn.Model:
    """IFToMM A05, flyball governor about z.  The 5 kg balls are part of their rods."""
    density, length, width, cube, ball = 3000.0, 1.0, 0.01, 0.1, 5.0
    m_rod, m_cube = density * length * width**2, density * cube**3
    model = _model("governor", (0.0, 0.0, -9.81))

    def body(name, m, inertia, com, axes=None):
        axes = np.eye(3) if axes is None else axes
        w = np.array([0.0, 0.0, spin])
        return model.part(name, m, inertia, com, axes=axes, velocity=np.cross(w, com), angular_velocity=axes.T @ w)

    shaft = body("shaft", m_rod, _cuboid(m_rod, width, width, length), np.array([0.0, 0.0, 0.5 * length]))
    slider = body("slider", m_cube, _cuboid(m_cube, cube, cube, cube), np.array([0.0, 0.0, 0.5]))
    model.revolute(shaft, model.ground, "bearing", at=(0.0, 0.0, 0.0), axis=Z)
    model.translational(slider, shaft, "guide", at=(0.0, 0.0, 0.5), axis=Z)
    centre = (0.5 * m_rod + ball) * length / (m_rod + ball)
    across = m_rod * (centre - 0.5 * length) ** 2 + ball * (length - centre) ** 2
    inertia = _cuboid(m_rod, length, width, width) + np.array([0.0, across, across])
    for name, side in (("left", 1.0), ("right", -1.0)):
        hinge = np.array([0.05 * side, 0.0, length])
        x = np.array([side * np.cos(np.pi / 6), 0.0, -0.5])
        y = np.array([0.0, side, 0.0])
        part = body(f"arm_{name}", m_rod + ball, inertia, hinge + centre * x, np.column_stack([x, y, np.cross(x, y)]))
        model.revolute(part, shaft, f"hinge_{name}", at=hinge, axis=(0.0, 1.0, 0.0))
        model.spring_damper(
            model.marker_at(part, hinge + 0.5 * length * x),
            model.marker_at(slider, (0.05 * side, 0.0, 0.5)),
            stiffness=k,
            damping=c,
            length=0.5,
            name=f"spring_{name}",
        )
    return model


# ---- 6 ---------------------------------------------------------------------------------------------------------------
HEAVY_TOP = {  # t: (centre of mass, angular velocity in body axes)
    0.2: ((0.605550561377, 0.598957681795, -0.523983027430), (-2.691590912, 150.0, 4.917260990)),
    0.5: ((-0.702468297057, -0.021165184702, -0.711400257652), None),
    1.0: ((0.173343964098, 0.640088592070, -0.748490791134), (-0.822078102, 150.0, -5.923291348)),
    2.0: ((-0.150416822746, -0.724165591637, -0.673022269560), None),
}


def heavy_top() -> hn.Model:
    """Geradin and Cardona's spinning top, held at the origin by a spherical joint."""
    model = _model("heavy_top", (0.0, 0.0, -9.81))
    w = np.array([0.0, 150.0, -4.61538])
    com = np.array([0.0, 1.0, 0.0])
    top = model.part("top", 15.0, (0.234375, 0.46875, 0.234375), com, velocity=np.cross(w, com), angular_velocity=w)
    model.spherical(top, model.ground, "tip", at=(0.0, 0.0, 0.0), axis=Z)
    return model


# ---- 7, 8 ------------------------------------------------------------------------------------------------------------
DOUBLE_PENDULUM = {  # t: (absolute angles, their rates)
    0.5: ((-0.769181566832, -0.213179908034), (-2.899669877045, -1.069512030134)),
    1.0: ((-2.227202839966, -1.489687701108), None),
    2.0: ((-1.879700087725, -4.912935116148), None),
    3.0: ((-0.631282719779, -8.607729119853), (-1.703597852790, -3.927754179600)),
}


def double_pendulum() -> hn.Model:
    """Chrono's: m = l = J = 1 each, g = 10, both along x at rest."""
    model = _model("double_pendulum", (0.0, -10.0, 0.0))
    upper = rod(model, "upper", (0.0, 0.0), (1.0, 0.0), inertia=1.0)
    lower = rod(model, "lower", (1.0, 0.0), (2.0, 0.0), inertia=1.0)
    model.revolute(upper, model.ground, "hip", at=(0.0, 0.0, 0.0), axis=Z)
    model.revolute(lower, upper, "knee", at=(1.0, 0.0, 0.0), axis=Z)
    return model


def modelica_double_pendulum() -> hn.Model:
    """Modelica.Mechanics.MultiBody.Examples.Elementary.DoublePendulum: two steel boxes, a damper at the first joint."""
    model = _model("modelica_double_pendulum", (0.0, -9.80665, 0.0))
    mass = 7700.0 * 0.5 * 0.06 * 0.06
    inertia = _cuboid(mass, 0.5, 0.06, 0.06)[2]
    upper = rod(model, "upper", (0.0, 0.0), (0.5, 0.0), mass, inertia=inertia)
    lower = rod(model, "lower", (0.5, 0.0), (1.0, 0.0), mass, inertia=inertia)
    joint = model.revolute(upper, model.ground, "revolute1", at=(0.0, 0.0, 0.0), axis=Z)
    model.revolute(lower, upper, "revolute2", at=(0.5, 0.0, 0.0), axis=Z)
    model.torsion_spring(joint.i, joint.j, damping=0.1, name="damper")
    return model


def _cylinder(model, name, start, end, diameter, density=7700.0):
    """BodyCylinder of the Modelica library: solid steel from ``start`` to ``end``, its x axis along it."""
    start, end = np.asarray(start, float), np.asarray(end, float)
    along = end - start
    length = np.linalg.norm(along)
    x = along / length
    y = np.cross((0.0, 0.0, 1.0) if abs(x[2]) < 0.9 else (1.0, 0.0, 0.0), x)
    y /= np.linalg.norm(y)
    r = 0.5 * diameter
    mass = density * np.pi * r * r * length
    across = mass * (length**2 + 3.0 * r * r) / 12.0
    return model.part(
        name,
        mass,
        (0.5 * mass * r * r, across, across),
        0.5 * (start + end),
        axes=np.column_stack([x, y, np.cross(x, y)]),
    )


def fourbar1() -> hn.Model:
    """Modelica.Mechanics.MultiBody.Examples.Loops.Fourbar1: revolute j1 (x) and prismatic j2 (x) on ground, three
    cylinders, three revolutes j3 j4 j5 (x, y, z) between b1 and b3, two revolutes rev (y), rev1 (z) between b2 and b3.

    j1 starts with 5.235987755982989 rad/s.  The massless bodies between j3, j4, j5 are a spherical joint (their three
    axes never become dependent here), those between rev and rev1 a Hooke joint whose axes are y of b2 and z of b3.
    """
    model = _model("fourbar1", (0.0, -9.80665, 0.0))
    ground = model.ground
    b1 = _cylinder(model, "b1", (0.0, 0.0, 0.0), (0.0, 0.5, 0.1), 0.05)
    b2 = _cylinder(model, "b2", (1.0, 0.0, 0.0), (1.0, 0.2, 0.0), 0.05)
    b3 = _cylinder(model, "b3", (1.0, 0.2, 0.0), (0.0, 0.5, 0.1), 0.05)
    w = 5.235987755982989
    b1.wx, b1.wy, b1.wz = map(float, b1.frame.axes.T @ np.array([w, 0.0, 0.0]))
    model.revolute(b1, ground, "j1", at=(0.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0))
    model.translational(b2, ground, "j2", at=(1.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0))
    model.spherical(b3, b1, "j345", at=(0.0, 0.5, 0.1), axis=Z)
    at = (1.0, 0.2, 0.0)
    turn_b3 = model.marker_at(b3, at, z=Z)
    turn_b2 = model.marker_at(b2, at, z=(0.0, 1.0, 0.0))
    model.universal(turn_b3, turn_b2, "rev")
    return model


PLANAR_LOOPS_MOTION = "0.7*SIN(2*PI*TIME)"


def planar_loops(motion: str | None = PLANAR_LOOPS_MOTION) -> hn.Model:
    """Modelica.Mechanics.MultiBody.Examples.Loops.PlanarLoops_analytic: three planar loops side by side, one driven
    angle.

    Bars between loops are massless there; ours carry the loops' point-like bodies (1 kg at the middle of each coupler)
    and 10 g where Modelica has no mass: kinematics does not feel it.
    """
    model = _model("planar_loops", (0.0, -9.81, 0.0))
    rh, rv = np.array([0.5, 0.0]), np.array([0.0, 0.5])
    down = [np.array([0.1, 0.5]), np.array([0.1, 0.6]), np.array([0.0, 0.55])]
    lower, upper = np.zeros(2), rv
    crank = rod(model, "rod1", lower, upper, 0.01)
    joint = model.revolute(crank, model.ground, "rev", at=_at(lower), axis=Z)
    for k, rocker in enumerate(down):
        base = (k + 1) * rh
        tip = base + rocker
        coupler = rod(model, f"body{k + 1}", upper, tip, 1.0, inertia=1e-3)
        follower = rod(model, f"rocker{k + 1}", base, tip, 0.01)
        model.revolute(coupler, crank, f"left{k + 1}", at=_at(upper), axis=Z)
        model.revolute(follower, coupler, f"right{k + 1}", at=_at(tip), axis=Z)
        model.revolute(follower, model.ground, f"base{k + 1}", at=_at(base), axis=Z)
        crank, upper = follower, tip
    if motion:
        model.motion(joint, motion, "drive")
    return model


# ---- 28 --------------------------------------------------------------------------------------------------------------
SLIDER_CRANK = {
    0.1: (0.3296338709, 5.3846529455),
    0.5: (4.0731301304, 15.1119722828),
    1.0: (14.1278922176, 20.5374828498),
    2.0: (55.0724437935, 39.7955770484),
    3.0: (121.8862774931, 101.3656440348),
}


def slider_crank(torque: float = 0.1) -> hn.Model:
    """L = (.1, .3), m = (.2, .2, .4): constant torque on the crank, no gravity, from rest, stretched."""
    model = _model("slider_crank")
    crank = rod(model, "crank", (0.0, 0.0), (0.1, 0.0), 0.2)
    conrod = rod(model, "rod", (0.1, 0.0), (0.4, 0.0), 0.2)
    slider = planar_part(model, "slider", 0.4, 1e-3, (0.4, 0.0))
    model.revolute(crank, model.ground, "main", at=(0.0, 0.0, 0.0), axis=Z)
    model.revolute(conrod, crank, "big_end", at=(0.1, 0.0, 0.0), axis=Z)
    model.revolute(conrod, slider, "small_end", at=(0.4, 0.0, 0.0), axis=Z)
    model.translational(slider, model.ground, "guide", at=(0.4, 0.0, 0.0), axis=(1.0, 0.0, 0.0))
    model.vtorque(
        model.marker_at(crank, (0.0, 0.0, 0.0)),
        model.ground,
        tz=repr(torque),
        rm=model.marker(model.ground),
        name="motor",
    )
    return model


def slider_crank_inertia(theta: np.ndarray) -> np.ndarray:
    """Reduced inertia J(theta) of `slider_crank`: half J theta'^2 = M theta exactly."""
    l1, l2, m1, m2, m3 = 0.1, 0.3, 0.2, 0.2, 0.4
    s, c = np.sin(theta), np.cos(theta)
    psi = np.arcsin(l1 * s / l2)
    slope = l1 * c / (l2 * np.cos(psi))  # psi' / theta'
    x_rod = -l1 * s - 0.5 * l2 * np.sin(psi) * slope
    y_rod = l1 * c - 0.5 * l2 * np.cos(psi) * slope
    x_slider = -l1 * s - l2 * np.sin(psi) * slope
    return m1 * l1**2 / 3 + m2 * (x_rod**2 + y_rod**2) + m2 * l2**2 / 12 * slope**2 + m3 * x_slider**2


def slider_crank_exact(time: float, torque: float = 0.1, guess: float = 1.0) -> tuple[float, float]:
    """Angle and rate of `slider_crank`, by quadrature of its invariant: t = integral of sqrt(J / (2 M theta)) d
    theta."""
    x, w = np.polynomial.legendre.leggauss(20)

    def elapsed(theta):  # theta = s^2 takes the singularity at the start away
        edges = np.linspace(0.0, np.sqrt(theta), 2001)
        half, middle = 0.5 * np.diff(edges), 0.5 * (edges[1:] + edges[:-1])
        s = middle[:, None] + half[:, None] * x
        return float((2.0 * np.sqrt(slider_crank_inertia(s * s) / (2.0 * torque)) * w * half[:, None]).sum())

    theta = guess
    for _ in range(50):
        rate = np.sqrt(2.0 * torque * theta / slider_crank_inertia(theta))
        change = (time - elapsed(theta)) * rate
        theta += change
        if abs(change) < 1e-13 * theta:
            break
    return theta, float(np.sqrt(2.0 * torque * theta / slider_crank_inertia(theta)))


# ---- peers' chain and Bricard ----------------------------------------------------------------------------------------
def chain(bodies: int = 10, length: float = 0.1, mass: float = 0.1) -> hn.Model:
    """Uniform rods in a row along x from the origin, revolute joints about z, at rest."""
    model = _model("chain", (0.0, -9.81, 0.0))
    before = model.ground
    for i in range(bodies):
        part = rod(model, f"link{i + 1}", (i * length, 0.0), ((i + 1) * length, 0.0), mass)
        model.revolute(part, before, f"pin{i + 1}", at=(i * length, 0.0, 0.0), axis=Z)
        before = part
    return model


def bricard() -> hn.Model:
    """IFToMM A04: five rods of 1 m and 1 kg on a cube's edges, six revolutes, one freedom although Gruebler counts
    none."""
    model = _model("bricard", (0.0, -9.81, 0.0))
    P = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], float)
    axes = np.eye(3)[[1, 2, 0, 1, 2, 0]]
    before = model.ground
    for i in range(5):
        x = P[i + 1] - P[i]
        y = np.array([0.0, 0.0, 1.0]) if abs(x[2]) < 0.5 else np.array([1.0, 0.0, 0.0])
        axes_of_part = np.column_stack([x, y, np.cross(x, y)])
        part = model.part(f"rod{i + 1}", 1.0, _cuboid(1.0, 1.0, 0.1, 0.1), 0.5 * (P[i] + P[i + 1]), axes=axes_of_part)
        model.revolute(part, before, f"hinge{i + 1}", at=P[i], axis=axes[i])
        before = part
    model.revolute(before, model.ground, "hinge6", at=P[5], axis=axes[5])
    return model


def at_time(run, times: Iterable[float]) -> list[int]:
    """Rows of a run at the given output times."""
    rows = [int(np.argmin(np.abs(run.time - t))) for t in times]
    assert all(abs(run.time[r] - t) < 1e-9 for r, t in zip(rows, times)), "not an output time"
    return rows
