"""Random mechanisms: trees, loops in the plane and in space, loops with redundant rows, springs, motions, bodies of
very unlike masses.

Oracles, none of which uses the solver: gaps of joints from published positions and axes; energy of the audit; forces
and torques of Newton and Euler from published reactions and accelerations; the same machine in millimetres with its
parts in another order; the same run again, bit for bit; driven four-bars against their closed form, to the time at
which they lock.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

import holonom as hn

from . import Finding

LIMIT = 20.0
SLICE = 6

G = 9.81
METHODS = (None, "DOP853", "RADAU5", "GSTIFF", "HHT", "ABAM", "RKF45", "MINIMAL", "WSTIFF")


@dataclass
class Body:
    name: str
    place: np.ndarray
    mass: float
    inertia: tuple
    velocity: np.ndarray = field(default_factory=lambda: np.zeros(3))
    spin: np.ndarray = field(default_factory=lambda: np.zeros(3))


@dataclass
class Joint:
    name: str
    type: str
    i: str
    j: str
    at: np.ndarray
    axis: np.ndarray
    x: np.ndarray | None = None


@dataclass
class Machine:
    """A drawing in metres, before it is drawn in any unit or order."""

    bodies: list[Body] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    springs: list[tuple] = field(default_factory=list)  # name, body, point, body, point, stiffness, damping, length
    motions: list[tuple] = field(default_factory=list)  # name, joint, function
    gravity: np.ndarray = field(default_factory=lambda: np.zeros(3))
    time: float = 1.0
    closed_form: tuple | None = None
    kind: str = ""

    def draw(self, unit: float = 1.0, order=None) -> hn.Model:
        """The model with lengths times ``unit`` (1 or 1000), its elements in another order."""
        model = hn.Model("m", units="SI" if unit == 1.0 else "MMKS")
        force = 1.0  # newtons in both
        model.gravity = tuple(self.gravity * unit)
        parts = {"ground": model.ground}
        rank = (
            (lambda some: list(some))
            if order is None
            else (lambda some: [some[k] for k in order.permutation(len(some))])
        )
        for b in rank(self.bodies):
            parts[b.name] = model.part(
                b.name,
                b.mass,
                tuple(np.array(b.inertia) * unit**2),
                tuple(b.place * unit),
                velocity=tuple(b.velocity * unit) if b.velocity.any() else None,
                angular_velocity=tuple(b.spin) if b.spin.any() else None,
            )
        for j in rank(self.joints):
            if j.type == "UNIVERSAL":  # its z axes are at right angles
                across = np.cross(j.axis, np.eye(3)[int(np.argmin(np.abs(j.axis)))])
                i = model.marker_at(parts[j.i], tuple(j.at * unit), z=tuple(j.axis))
                model.joint(j.type, i, model.marker_at(parts[j.j], tuple(j.at * unit), z=tuple(across)), j.name)
                continue
            model.joint(
                j.type,
                parts[j.i],
                parts[j.j],
                j.name,
                at=tuple(j.at * unit),
                axis=tuple(j.axis),
                x=None if j.x is None else tuple(j.x),
            )
        for name, a, p, b, q, k, c, length in rank(self.springs):
            i = model.marker_at(parts[a], tuple(p * unit))
            model.spring_damper(
                i,
                model.marker_at(parts[b], tuple(q * unit)),
                stiffness=k * force / unit,
                damping=c * force / unit,
                length=length * unit,
                name=name,
            )
        for name, joint, function in self.motions:
            model.motion(joint, function, name)
        return model


# ---- machines --------------------------------------------------------------------------------------------------------
def _direction(rng) -> np.ndarray:
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def _frame(rng) -> np.ndarray:
    """A random rotation, columns x, y, z."""
    z = _direction(rng)
    x = np.cross(z, _direction(rng))
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def _body(rng, name, place, size, wild) -> Body:
    spread = 4.0 if wild else 1.0
    mass = 10.0 ** rng.uniform(-spread / 2, spread / 2)
    slim = 10.0 ** rng.uniform(-11.0 if wild else -1.5, 0.0)
    j = mass * size**2 * slim * rng.uniform(0.6, 1.0, 3)
    return Body(name, np.array(place, float), float(mass), tuple(j))


def tree(rng) -> Machine:
    """A tree of joints of several types, now and then with springs and a driven joint."""
    m = Machine(kind="tree")
    n = int(rng.integers(1, 5))
    wild = rng.random() < 0.4
    planar = rng.random() < 0.4
    frame = _frame(rng) if rng.random() < 0.7 else np.eye(3)
    size = 10.0 ** rng.uniform(-1.0, 1.0)
    origin = rng.normal(size=3) * size * (1e3 if rng.random() < 0.1 else 1.0)
    points = {"ground": [origin]}
    for k in range(n):
        parent = ["ground", *[b.name for b in m.bodies]][int(rng.integers(0, k + 1))]
        at = points[parent][int(rng.integers(0, len(points[parent])))]
        arm = (frame @ np.array([*rng.normal(size=2), 0.0])) if planar else rng.normal(size=3)
        arm = arm / np.linalg.norm(arm) * size * rng.uniform(0.3, 1.0)
        b = _body(rng, f"b{k}", at + arm, size, wild)
        b.spin = (
            (frame[:, 2] * rng.normal() if planar else rng.normal(size=3)) * np.sqrt(G / size) * (rng.random() < 0.5)
        )
        m.bodies.append(b)
        points[b.name] = [at + 2.0 * arm, at + arm * 1.5]
        type_ = (
            "REVOLUTE"
            if planar
            else ("REVOLUTE", "SPHERICAL", "UNIVERSAL", "CYLINDRICAL", "TRANSLATIONAL", "FIXED")[
                int(rng.choice(6, p=(0.45, 0.2, 0.1, 0.1, 0.1, 0.05)))
            ]
        )
        axis = frame[:, 2] if planar else _direction(rng)
        m.joints.append(Joint(f"j{k}", type_, b.name, parent, at, axis))
    if rng.random() < 0.4:
        _spring(rng, m, size)
    m.gravity = G * (frame[:, 0] if planar else _direction(rng))
    m.time = float(np.sqrt(size / G) * rng.uniform(1.0, 3.0))
    if rng.random() < 0.25:
        revolutes = [j for j in m.joints if j.type == "REVOLUTE"]
        if revolutes:
            m.motions.append(
                ("drive", revolutes[0].name, f"{rng.uniform(0.2, 1.0)!r}*SIN({(rng.uniform(1, 4) / m.time)!r}*TIME)")
            )
            _still(m)
    return m


def _still(m: Machine) -> None:
    for b in m.bodies:
        b.spin = np.zeros(3)
        b.velocity = np.zeros(3)


def _spring(rng, m: Machine, size: float) -> None:
    b = m.bodies[int(rng.integers(len(m.bodies)))]
    q = b.place + rng.normal(size=3) * size
    length = float(np.linalg.norm(q - b.place))
    m.springs.append(
        ("s0", b.name, b.place, "ground", q, float(b.mass * G / size * 10 ** rng.uniform(-1, 1.5)), 0.0, 0.5 * length)
    )


def _triangle(a: float, b: float, c: float) -> bool:
    return a + b > c and b + c > a and c + a > b


def _four_bar(rng, m: Machine, size, frame, wild, lengths=None, start=None) -> tuple:
    """Crank O-A (turned by ``start`` from the ground link), coupler A-B, rocker B-D in the plane of ``frame``."""
    while True:
        crank, coupler, rocker, ground = (
            rng.uniform(0.3, 1.5, 4) * size if lengths is None else np.array(lengths) * size
        )
        angle = rng.uniform(-np.pi, np.pi) if start is None else start
        A = crank * np.exp(1j * angle)
        d = abs(ground - A)
        if _triangle(coupler, rocker, d) and lengths is None:
            cosine = (coupler**2 + d**2 - rocker**2) / (2 * coupler * d)
            if abs(cosine) < 0.97:
                break
        if lengths is not None:
            break
    branch = 1.0 if rng.random() < 0.5 else -1.0
    B = _closure(A, crank, coupler, rocker, ground, branch)
    flat = lambda z: frame @ np.array([z.real, z.imag, 0.0])
    O, A3, B3, D = (flat(complex(z)) for z in (0.0, A, B, ground))
    for name, p, q in (("crank", O, A3), ("coupler", A3, B3), ("rocker", B3, D)):
        m.bodies.append(_body(rng, name, 0.5 * (p + q), size, wild))
    z = frame[:, 2]
    for name, i, j, at in (
        ("O", "crank", "ground", O),
        ("A", "coupler", "crank", A3),
        ("B", "rocker", "coupler", B3),
        ("D", "rocker", "ground", D),
    ):
        m.joints.append(Joint(name, "REVOLUTE", i, j, at, z, frame[:, 0]))
    return crank, coupler, rocker, ground, float(angle), branch, frame


def _closure(A, crank, coupler, rocker, ground, branch) -> complex:
    """Where coupler and rocker meet, on the side ``branch`` of the line from A to D."""
    d = ground - A
    u = d / abs(d)
    x = (coupler**2 - rocker**2 + abs(d) ** 2) / (2 * abs(d))
    h2 = coupler**2 - x**2
    return A + u * (x + 1j * branch * np.sqrt(max(h2, 0.0)))


def loop(rng) -> Machine:
    """A four-bar in some plane, free to move: revolutes in space hold three rows too many."""
    m = Machine(kind="loop")
    size = 10.0 ** rng.uniform(-1.5, 1.0)
    frame = _frame(rng) if rng.random() < 0.7 else np.eye(3)
    _four_bar(rng, m, size, frame, rng.random() < 0.4)
    if rng.random() < 0.3:  # a loop without redundant rows: R, U, S, R
        m.joints[1].type, m.joints[2].type = "SPHERICAL", "UNIVERSAL"
    if rng.random() < 0.3:
        _second_loop(rng, m, size, frame)
    if rng.random() < 0.4:
        _spring(rng, m, size)
    m.gravity = G * (frame @ np.array([*_direction(rng)[:2], 0.0]) if rng.random() < 0.5 else _direction(rng))
    m.time = float(np.sqrt(size / G) * rng.uniform(1.0, 3.0))
    return m


def _second_loop(rng, m: Machine, size, frame) -> None:
    """A dyad more between the coupler and ground."""
    z = frame[:, 2]
    p = m.bodies[1].place
    tip = p + frame @ np.array([*rng.normal(size=2) * 0.5, 0.0]) * size
    knee = tip + frame @ np.array([*rng.normal(size=2), 0.0]) * size
    base = knee + frame @ np.array([*rng.normal(size=2), 0.0]) * size
    m.bodies.append(_body(rng, "e1", 0.5 * (tip + knee), size, False))
    m.bodies.append(_body(rng, "e2", 0.5 * (knee + base), size, False))
    m.joints += [
        Joint("E", "REVOLUTE", "e1", "coupler", tip, z),
        Joint("F", "REVOLUTE", "e2", "e1", knee, z),
        Joint("H", "REVOLUTE", "e2", "ground", base, z),
    ]


def bricard(rng) -> Machine:
    """Six bars along edges of a cube, hinges across them: one degree of freedom where counting gives none."""
    m = Machine(kind="bricard")
    size = 10.0 ** rng.uniform(-1.0, 0.5)
    frame = _frame(rng)
    corners = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1], [0, 1, 1], [0, 0, 1]], float)
    axes = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]], float)
    p = (corners @ frame.T) * size
    a = axes @ frame.T
    wild = rng.random() < 0.3
    for k in range(1, 6):
        m.bodies.append(_body(rng, f"b{k}", 0.5 * (p[k] + p[(k + 1) % 6]), size, wild))
    names = ["ground", *(b.name for b in m.bodies)]
    for k in range(6):
        m.joints.append(Joint(f"h{k}", "REVOLUTE", names[k], names[k - 1], p[k], a[k]))
    m.gravity = G * _direction(rng)
    m.time = float(np.sqrt(size / G) * rng.uniform(0.5, 1.5))
    return m


def parallelogram(rng) -> Machine:
    """Cranks of equal length on one coupler, three or four of them, away from the line in which it branches."""
    m = Machine(kind="parallelogram")
    size = 10.0 ** rng.uniform(-1.0, 0.5)
    frame = _frame(rng)
    n = int(rng.integers(2, 5))
    angle = rng.uniform(0.3, 2.8)
    arm = frame @ np.array([np.cos(angle), np.sin(angle), 0.0]) * size
    foot = [frame @ np.array([x, 0.0, 0.0]) * size for x in np.linspace(0.0, 2.0, n)]
    wild = rng.random() < 0.4
    m.bodies.append(_body(rng, "coupler", foot[0] + arm + 0.5 * (foot[-1] - foot[0]), size, wild))
    for k, p in enumerate(foot):
        m.bodies.append(_body(rng, f"crank{k}", p + 0.5 * arm, size, wild))
        m.joints.append(Joint(f"F{k}", "REVOLUTE", f"crank{k}", "ground", p, frame[:, 2]))
        m.joints.append(Joint(f"T{k}", "REVOLUTE", "coupler", f"crank{k}", p + arm, frame[:, 2]))
    m.gravity = G * frame @ np.array([0.0, 1.0, 0.0]) * (1.0 if rng.random() < 0.5 else -1.0)
    m.time = float(np.sqrt(size / G) * rng.uniform(0.1, 0.4))
    return m


def driven(rng) -> Machine:
    """A four-bar whose crank is driven at constant speed: some lock."""
    m = Machine(kind="driven")
    size = 10.0 ** rng.uniform(-1.5, 1.0)
    frame = _frame(rng) if rng.random() < 0.7 else np.eye(3)
    m.closed_form = _four_bar(rng, m, size, frame, rng.random() < 0.3)
    speed = float(rng.choice([-1.0, 1.0]) * rng.uniform(0.5, 3.0))
    m.motions.append(("drive", "O", f"{speed!r}*TIME"))
    m.closed_form += (speed,)
    m.gravity = G * _direction(rng)
    m.time = float(rng.uniform(0.5, 2.2) * np.pi / abs(speed))
    return m


MECHANISMS = {tree: 0.3, loop: 0.25, bricard: 0.07, parallelogram: 0.1, driven: 0.28}


def machine(seed: int) -> tuple[Machine, np.random.Generator]:
    rng = np.random.default_rng([seed, 20261122])
    kinds = list(MECHANISMS)
    return kinds[int(rng.choice(len(kinds), p=[MECHANISMS[k] for k in kinds]))](rng), rng


# ---- oracles ---------------------------------------------------------------------------------------------------------
def _rotations(q: np.ndarray) -> np.ndarray:
    """Matrices (n, 3, 3) of quaternions (n, 4), scalar first."""
    a, b, c, d = q.T
    return np.array(
        [
            [1 - 2 * (c * c + d * d), 2 * (b * c - a * d), 2 * (b * d + a * c)],
            [2 * (b * c + a * d), 1 - 2 * (b * b + d * d), 2 * (c * d - a * b)],
            [2 * (b * d - a * c), 2 * (c * d + a * b), 1 - 2 * (b * b + c * c)],
        ]
    ).transpose(2, 0, 1)


class Told:
    """What a run published, in metres."""

    def __init__(self, run, machine: Machine, unit: float):
        self.run, self.machine, self.unit = run, machine, unit
        self.time = np.asarray(run.time)
        self.p = {"ground": np.zeros((len(self.time), 3))}
        self.R = {"ground": np.broadcast_to(np.eye(3), (len(self.time), 3, 3))}
        self.first = {"ground": np.zeros(3)}
        for b in machine.bodies:
            part = run.part(b.name)
            self.p[b.name] = part.position.values / unit
            self.R[b.name] = _rotations(part.quaternion.values)
            self.first[b.name] = b.place

    def point(self, body: str, at: np.ndarray) -> np.ndarray:
        """Where the point of a body goes that was drawn at ``at`` (bodies are drawn with axes along ground's)."""
        return self.p[body] + self.R[body] @ (at - self.first[body])

    def gaps(self) -> tuple[float, str]:
        """Largest gap of a joint as a share of the machine's size, and the joint."""
        size = max(np.linalg.norm(j.at - k.at) for j in self.machine.joints for k in self.machine.joints)
        size = max(size, max(np.linalg.norm(b.place - j.at) for b in self.machine.bodies for j in self.machine.joints))
        worst, name = 0.0, ""
        for j in self.machine.joints:
            d = self.point(j.i, j.at) - self.point(j.j, j.at)
            zi, zj = self.R[j.i] @ j.axis, self.R[j.j] @ j.axis
            gap = 0.0
            if j.type in ("REVOLUTE", "SPHERICAL", "UNIVERSAL", "FIXED"):
                gap = np.abs(d).max() / size
            else:
                gap = np.abs(d - (d * zj).sum(axis=1, keepdims=True) * zj).max() / size
            if j.type in ("REVOLUTE", "CYLINDRICAL", "TRANSLATIONAL", "FIXED"):
                gap = max(gap, float(np.abs(np.cross(zi, zj)).max()))
            if not gap <= worst:
                worst, name = gap, j.name
        return worst, name

    def newton_euler(self) -> float:
        """Largest residual of the equations of motion of a body, as a share of the largest force or moment on it."""
        m, run, unit = self.machine, self.run, self.unit
        n = len(self.time)
        force = {b.name: b.mass * np.broadcast_to(m.gravity, (n, 3)).copy() for b in m.bodies} | {
            "ground": np.zeros((n, 3))
        }
        torque = {name: np.zeros((n, 3)) for name in force}
        size = {b.name: np.full(n, b.mass * G) for b in m.bodies} | {"ground": np.zeros(n)}
        arm = max(np.linalg.norm(b.place - j.at) for b in m.bodies for j in m.joints)

        def add(body, at, F, T):
            force[body] += F
            torque[body] += T + np.cross(at - self.p[body], F)
            size[body] += np.linalg.norm(F, axis=1) + np.linalg.norm(T, axis=1) / arm

        wrenches = [(j, run.joint(j.name)) for j in m.joints] + [
            (next(j for j in m.joints if j.name == joint), run.motion(name)) for name, joint, _ in m.motions
        ]
        for j, w in wrenches:
            F, T = w.force.values, w.torque.values / unit
            at = self.point(j.i, j.at)
            add(j.i, at, F, T)
            add(j.j, at, -F, -T)
        for name, a, p, b, q, *_ in m.springs:
            F = run.force(name).force.values
            add(a, self.point(a, p), F, 0 * F)
            add(b, self.point(b, q), -F, 0 * F)
        worst = 0.0
        for b in m.bodies:
            part = run.part(b.name)
            acc, w, al = part.acceleration.values / unit, part.angular_velocity.values, part.angular_acceleration.values
            J = self.R[b.name] @ np.diag(b.inertia) @ self.R[b.name].transpose(0, 2, 1)
            Jw, Ja = (J @ w[:, :, None])[:, :, 0], (J @ al[:, :, None])[:, :, 0]
            f = np.linalg.norm(force[b.name] - b.mass * acc, axis=1)
            t = np.linalg.norm(torque[b.name] - Ja - np.cross(w, Jw), axis=1)
            scale = np.maximum(size[b.name], b.mass * np.linalg.norm(acc, axis=1))
            worst = max(worst, float((np.maximum(f, t / arm) / scale).max()))
        return worst


def _simulate(machine: Machine, method, unit=1.0, order=None, **more):
    options = dict(more)
    if method == "MINIMAL":
        method, options["formulation"] = "DOP853", "MINIMAL"
    elif method in ("GSTIFF", "WSTIFF"):
        options["formulation"] = "SI2"
    model = machine.draw(unit, order)
    if method is not None:
        options["integrator"] = method
    return hn.simulate(model, machine.time, 20, **options)


def _run(machine, method, unit=1.0, order=None, **more):
    """A run, or the error that ended it; what is kept of it must hold in any case."""
    try:
        return _simulate(machine, method, unit, order, **more), None
    except hn.ModelError as error:
        return getattr(error, "run", None), error


def _same(a: Told, b: Told) -> float:
    """Largest difference of places of bodies, as a share of the machine's size."""
    size = max(np.ptp(np.concatenate([*a.p.values(), *[j.at[None] for j in a.machine.joints]]), axis=0).max(), 1e-300)
    n = min(len(a.time), len(b.time))
    d = max(float(np.abs(a.p[name][:n] - b.p[name][:n]).max()) for name in a.p) / size
    return max(d, max(float(np.abs(a.R[name][:n] - b.R[name][:n]).max()) for name in a.R))


def lock_angle(crank, coupler, rocker, ground, angle, direction) -> float:
    """Angle by which the crank can be turned in a direction until coupler and rocker are stretched or folded; infinite
    where it turns round."""
    best = np.inf
    for d in (coupler + rocker, abs(coupler - rocker)):
        c = (crank**2 + ground**2 - d**2) / (2 * crank * ground)
        if abs(c) < 1.0:
            for a in (np.arccos(c), -np.arccos(c)):
                best = min(best, (direction * (a - angle)) % (2 * np.pi))
    return best


# ---- cases -----------------------------------------------------------------------------------------------------------
def attempt(seed: int) -> str:
    """One machine against its oracles."""
    m, rng = machine(seed)
    method = METHODS[int(rng.integers(len(METHODS)))]
    return _driven_case(m, rng, method, seed) if m.kind == "driven" else _free_case(m, rng, method, seed)


def _held(told: Told, what: str) -> None:
    gap, joint = told.gaps()
    if not gap < 2e-5:
        raise Finding(f"{what}: joint {joint} is open by {gap:.3g} of the size of the machine")


def _free_case(m: Machine, rng, method, seed: int) -> str:
    options = {"error": 1e-7} if method != "HHT" else {"error": 1e-5}
    run, error = _run(m, method, **options)
    what = f"{m.kind} by {method}"
    if error is not None:
        text = str(error)
        if run is not None:
            _held(Told(run, m, 1.0), what)
        if "cannot be assembled" in text or "cannot be made to fit" in text:
            return "refused"
        raise Finding(f"{what} ends: {text}")
    told = Told(run, m, 1.0)
    _held(told, what)
    residual = told.newton_euler()
    if not residual < 1e-6:
        raise Finding(f"{what}: equations of motion by published reactions are open by {residual:.3g}")
    alone = any("not unique" in text for text in run.info["messages"])
    if method not in ("HHT", "GSTIFF", "WSTIFF"):
        e = run.energy
        drift = np.abs(
            e.total.values
            - e.total.values[0]
            - (e.input.values - e.input.values[0])
            + e.dissipated.values
            - e.dissipated.values[0]
        )
        size = np.ptp(e.kinetic.values) + np.ptp(e.gravity.values) + np.ptp(e.elastic.values) + e.kinetic.values.max()
        size += 1e-9 * max(
            np.abs(e[name].values).max() for name in ("kinetic", "gravity", "elastic")
        )  # what is at rest exchanges nothing
        if not drift.max() < 1e-4 * size:
            raise Finding(f"{what}: energy drifts by {drift.max() / size:.3g} of what is exchanged")
    other, error = _run(m, method, 1000.0, np.random.default_rng(seed), **options)
    if error is not None:
        raise Finding(f"{what} in millimetres and another order ends: {error}")
    mm = Told(other, m, 1000.0)
    _held(mm, what + " in mm")
    if not alone:
        off = _same(told, mm)
        if not off < (1e-3 if method in ("HHT", "GSTIFF", "WSTIFF") else 1e-4):
            raise Finding(f"{what}: another result in millimetres and another order, by {off:.3g}")
    if seed % 4 == 0:
        again, _ = _run(m, method, **options)
        if not np.array_equal(
            again.part(m.bodies[-1].name).position.values, run.part(m.bodies[-1].name).position.values
        ):
            raise Finding(f"{what}: not the same bits again")
    return "ran, not unique" if alone else "ran"


def _driven_case(m: Machine, rng, method, seed: int) -> str:
    crank, coupler, rocker, ground, angle, branch, frame, speed = m.closed_form
    lock = lock_angle(crank, coupler, rocker, ground, angle, np.sign(speed)) / abs(speed)
    method = None if rng.random() < 0.5 else method
    what = f"driven by {method or 'kinematics'}"
    options = {} if method is None else {"error": 1e-7 if method != "HHT" else 1e-5}
    for unit, order in ((1.0, None), (1000.0, np.random.default_rng(seed))):
        run, error = _run(m, method, unit, order, **options)
        if run is None:
            raise Finding(f"{what} gives nothing: {error}")
        told = Told(run, m, unit)
        _held(told, what)
        if error is None and lock < m.time * (1 - 1e-9):
            raise Finding(f"{what} does not see that it locks at {lock:.6g}")
        if error is not None:
            if lock > m.time * (1 + 1e-6):
                raise Finding(f"{what} ends though it can turn: {error}")
            if "drive" not in str(error) or "lock" not in str(error):
                raise Finding(f"{what} locks, and is reported so: {error}")
            if not abs(told.time[-1] - lock) < (1e-6 if method is None else 1e-3) * m.time:
                raise Finding(f"{what} ends at {told.time[-1]:.9g}, it locks at {lock:.9g}: {error}")
        z = crank * np.exp(1j * (angle + speed * told.time))
        B = np.array([_closure(a, crank, coupler, rocker, ground, branch) for a in z])
        expected = np.column_stack([B.real, B.imag, 0 * B.real]) @ frame.T
        off = np.abs(told.point("rocker", m.joints[2].at) - expected).max(axis=1) / max(crank, coupler, rocker, ground)
        clear = told.time < lock * (1 - 1e-6)
        if not (off[clear] < 1e-5).all():
            raise Finding(f"{what}: the coupler is {off[clear].max():.3g} of the size next to its closed form")
    return "locked" if lock < m.time else "turned"
