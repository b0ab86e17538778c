"""A disc brake with a floating caliper as bodies in contact, and closed forms for its torque, pressure, judder, squeal
and fade.

The caliper floats on its pins along the axis of the disc; the piston slides in it, and the fluid pushes both apart; the
piston presses the inner pad, the finger of the caliper the outer one.  Each pad touches the disc at a grid of points,
each with the stiffness of its share of the pad's area and with friction, and rests with its back plate on an abutment
at the height h above the friction surface, so that it can tilt.

    torque      T = 2 mu p A r_m, r_m the mean radius of the area of the pads
    pressure    centre of pressure of a pad: mu h towards the leading edge
    judder      the two faces of the disc form a wedge: each half of its thickness variation d at the mean radius; a
                fluid of stiffness k_f (force per length of piston) in series with both pads, k each:
                    dF = d / (1/k_f + 2/k)  to both sides once a turn,   dT = 2 mu r_m dF
    squeal      Hoffmann's two-degree model: a mass on springs at angles, pressed on a belt by a spring k3 with friction
                mu k3 y: K = [[a, c - mu k3], [c, b]]; it flutters where (a - b)^2 + 4 c (c - mu k3) < 0
    fade        one heat capacity C takes all the work, mu falls by f per degree: J w' = -T (1 - f q), C q' = T (1 - f
                q) w: w' = -(u + v w^2), v = T f/(2 C), u = T/J - v w0^2; stops after atan(w0 sqrt(v/u))/sqrt(u v)

Sources: R. Limpert, Brake Design and Safety (2011), ch. 2, 3; N. Hoffmann, M. Fischer, R. Allgaier, L. Gaul, A minimal
model for studying properties of the mode-coupling type instability in friction induced oscillations, Mechanics Research
Communications 29 (2002) 197.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._summary import Summary
from ..model import Model, drawing
from ..model.base import ModelError, shown
from .brakes import _positive

Say = Callable[[str], None]
SIDES = ("inner", "outer")  # of the pads: the piston's, and that of the caliper's finger


@dataclass(frozen=True)
class FloatingCaliper(Summary):
    """Sizes of the brake, SI: ``piston`` diameter; ``inner``, ``outer`` radius and ``angle`` (rad) of the pads;
    ``back``: height of the abutment above the friction surface; ``thickness`` of the disc; ``mu``; ``stiffness``: of a
    pad across, N/m; ``fluid``: of the fluid, N/m of piston travel, 0: the pressure is held;
    ``wedge``: difference of the disc's thickness over a diameter of twice the mean radius; ``grid``: points along the
    radius and along the arc.  Raises `ModelError` for values that are not positive."""

    piston: float = 0.057
    inner: float = 0.085
    outer: float = 0.135
    angle: float = math.radians(50.0)
    back: float = 0.008
    thickness: float = 0.022
    mu: float = 0.38
    stiffness: float = 1e8
    fluid: float = 0.0
    wedge: float = 0.0
    grid: tuple[int, int] = (3, 5)

    def __post_init__(self) -> None:
        _positive(
            "floating caliper",
            **{
                k: getattr(self, k)
                for k in ("piston", "inner", "outer", "angle", "back", "thickness", "mu", "stiffness")
            },
        )
        if not (self.inner < self.outer and self.angle < math.pi and min(self.grid) > 0):
            raise ModelError(
                f"inner is {self.inner:g}, outer {self.outer:g}, angle {self.angle:g}, grid {shown(self.grid)}; give "
                "inner below outer, an angle below pi, and at least one point each way"
            )
        if not (self.fluid >= 0.0 and self.wedge >= 0.0):
            raise ModelError(f"fluid is {self.fluid:g}, wedge {self.wedge:g}; give no negative numbers")

    @property
    def area(self) -> float:
        """Of the piston."""
        return 0.25 * math.pi * self.piston**2

    def points(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(radius, angle, share of the area) of the points of a pad: middles of a grid of rings and sectors."""
        rings, sectors = self.grid
        edges = np.linspace(self.inner, self.outer, rings + 1)
        areas = np.diff(edges**2)
        # where the mean of r over the ring's area lies: (2/3)(ro^3 - ri^3)/(ro^2 - ri^2)
        radii = (2.0 / 3.0) * np.diff(edges**3) / areas
        angles = self.angle * ((np.arange(sectors) + 0.5) / sectors - 0.5)
        r, a = np.meshgrid(radii, angles, indexing="ij")
        return r.ravel(), a.ravel(), np.repeat(areas / areas.sum() / sectors, sectors)

    @property
    def mean_radius(self) -> float:
        r, _, share = self.points()
        return float(r @ share)

    @property
    def centre(self) -> float:
        """Distance of the centroid of a pad, where piston and finger press, from the axis: below the mean radius,
        since the pad is an arc."""
        r, a, share = self.points()
        return float(share @ (r * np.cos(a)))

    def torque(self, pressure: float) -> float:
        """2 mu p A r_m; with a fluid that is shut in, of which ``pressure`` is that before the pads yield, over 1 + 2
        k_f/k."""
        return 2.0 * self.mu * pressure * self.area * self.mean_radius / (1.0 + 2.0 * self.fluid / self.stiffness)

    @property
    def pressure_offset(self) -> float:
        """Distance of the centre of pressure from the middle of a pad, towards its leading edge: the friction mu N at
        the surface and the abutment at the height ``back`` make a couple.  Along the arc friction of points off the
        middle has a part cos(angle) along the abutment."""
        _, a, share = self.points()
        return float(self.mu * self.back * (share @ np.cos(a)))

    @property
    def judder(self) -> float:
        """Amplitude of the torque once a turn, of the wedge in series with the fluid and both pads."""
        if not self.fluid:
            return 0.0
        soft = 1.0 / self.fluid + 2.0 / self.stiffness
        over_pad = self.centre / self.mean_radius  # the thickness varies less away from the middle of the pad
        return 2.0 * self.mu * self.mean_radius * 0.5 * self.wedge * over_pad / soft


def disc_brake_assembly(
    brake: FloatingCaliper,
    *,
    pressure: str = "2e6*STEP(TIME,0,0,0.02,1)",
    speed: float = 50.0,
    inertia: float = 0.0,
    slip: float = 0.02,
    name: str = "disc brake",
) -> Model:
    """Disc, two pads, piston and floating caliper, SI.  ``pressure``: an expression, Pa; ``speed`` of the disc, rad/s:
    held by a motion, or with ``inertia`` (kg m^2) the start of a stop; friction is full above ``slip``, m/s.
    Disc of 8 kg, caliper of 4 kg at 1.3 outer radii, piston and pads of 0.4 kg; an abutment has 2e9 N/m in the plane of
    the disc.

    Names: parts "disc", "caliper", "piston", "inner pad", "outer pad"; joint "shaft"; contacts "inner 0" ... of the
    points in the order of `FloatingCaliper.points`; request "brake" (angle, speed, torque on the disc, gap of the
    piston).  Raises `ModelError` for numbers that are not positive."""
    _positive("disc brake", speed=speed, slip=slip)
    m = Model(name)
    m.gravity = (0.0, 0.0, 0.0)
    half, y = 0.5 * brake.thickness, brake.centre
    turning = inertia or 1.0
    disc = m.part(
        "disc", 8.0, (0.6 * turning, 0.6 * turning, turning), (0, 0, 0), angular_velocity=(0, 0, float(speed))
    )
    m.cylinder(disc, (0, 0, -half), (0, 0, half), 1.02 * brake.outer, color="GRAY")
    shaft = m.revolute(disc, m.ground, "shaft", at=(0, 0, 0), axis=(0, 0, 1))
    caliper = m.part("caliper", 4.0, (0.02,) * 3, (0.0, 1.3 * brake.outer, 0.0))
    bore = (0.0, y, half + 0.05)
    piston = m.part("piston", 0.4, (2e-4,) * 3, bore)
    m.translational(caliper, m.ground, "pins", at=(0.0, 1.3 * brake.outer, 0.0), axis=(0, 0, 1))
    m.translational(piston, caliper, "bore", at=bore, axis=(0, 0, 1))
    drawing.block(m, caliper, (0.0, 1.15 * brake.outer, 0.0), (0.1, 0.03, 0.16), color="RED")
    drawing.block(m, caliper, (0.0, y, -half - 2.0 * brake.back - 0.01), (0.1, 0.05, 0.02), color="RED")
    drawing.block(m, piston, bore, (0.05, 0.05, 0.05), color="STEEL_BLUE")
    bottom = m.marker_at(caliper, (0.0, y, half + 0.08))
    crown = m.marker_at(piston, (0.0, y, half + 0.08))
    travel = f"DZ({bottom},{crown},{bottom})"  # of the piston out of its bore
    # a fluid that is shut in yields: the piston's way out of the bore takes force away
    yields = f"-{float(brake.fluid)!r}*{travel}" if brake.fluid else ""
    push = m.variable(f"{brake.area!r}*({pressure}){yields}", "push")
    m.vforce(crown, caliper, "0", "0", f"-VARVAL({push.id})", rm=bottom, name="fluid")
    r, a, share = brake.points()
    lean = math.atan(0.25 * brake.wedge / brake.mean_radius)  # of each face
    damping = 0.1 * math.sqrt(brake.stiffness * 0.4)
    for side, sign in zip(SIDES, (1.0, -1.0)):
        face = m.plane(
            disc, (0.0, 0.0, sign * half), (-math.sin(lean), 0.0, sign * math.cos(lean)), name=f"{side} face"
        )
        back = (0.0, y, sign * (half + brake.back))
        pad = m.part(f"{side} pad", 0.4, (3e-4,) * 3, back)
        drawing.block(m, pad, back, (brake.angle * y, brake.outer - brake.inner, 2.0 * brake.back), color="GOLD")
        # the abutment carries the friction and lets the pad move along the axis and tilt
        m.bushing(
            m.marker(pad),
            m.marker(m.ground, back),
            stiffness=(2e9, 2e9, 0.0),
            damping=(2e4, 2e4, 50.0),
            rotational_stiffness=(0.0, 0.0, 1e6),
            rotational_damping=(1.0, 1.0, 10.0),
            name=f"{side} abutment",
        )
        # piston and finger press in the middle of the back plate
        presses = piston if side == "inner" else caliper
        m.primitive("INPLANE", pad, presses, f"{side} seat", at=back, axis=(0, 0, 1))
        for k in range(len(r)):
            at = (r[k] * math.sin(a[k]), r[k] * math.cos(a[k]), sign * half)
            m.contact(
                m.point(pad, at),
                face,
                name=f"{side} {k}",
                stiffness=float(brake.stiffness * share[k]),
                exponent=1.0,
                damping=float(damping * share[k]),
                dmax=1e-6,
                mu=brake.mu,
                stiction_transition_velocity=0.5 * slip,
                friction_transition_velocity=slip,
            )
    i, j = shaft.i, shaft.j
    torque = f"-{float(inertia)!r}*WDTZ({i},{j},{j})"
    if not inertia:
        drive = m.motion(shaft, f"{float(speed)!r}*TIME", "drive")
        torque = f"MOTION({drive.id},0,8,{j})"
    m.request("brake", functions=[f"AZ({i},{j})", f"WZ({i},{j},{j})", torque, travel])
    return m


def pad_forces(run: Any, brake: FloatingCaliper, side: str, since: float) -> np.ndarray:
    """Mean normal force (N) of each point of the ``side`` pad from the time ``since`` on, in their order.  Raises
    `ModelError` for other sides."""
    if side not in SIDES:
        raise ModelError(f"side is {shown(side)}; give 'inner' or 'outer'")
    late = run.time >= since
    count = brake.grid[0] * brake.grid[1]
    return np.array([run.contact(f"{side} {k}").normal.values[late].mean() for k in range(count)])


def pad_wear(forces: np.ndarray, brake: FloatingCaliper, speed: float, rate: float) -> np.ndarray:
    """Wear (length per time) of each point by Archard's law, ``rate`` p v: ``rate`` in 1/pressure, v the slip at a
    ``speed`` of the disc, rad per time."""
    r, _, share = brake.points()
    area = 0.5 * brake.angle * (brake.outer**2 - brake.inner**2)
    return rate * forces / (share * area) * r * speed


# ---- squeal ----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class SquealModel(Summary):
    """Hoffmann's mass on two inclined springs, pressed on a moving belt; SI.  ``springs``: (N/m, inclination to the
    belt, rad) of each; ``contact``: N/m; ``normal``: preload, N.  Raises `ModelError` for numbers that are not
    positive."""

    mu: float
    mass: float = 1.0
    springs: tuple[tuple[float, float], tuple[float, float]] = ((11e6, math.radians(150.0)), (20e6, math.radians(30.0)))
    contact: float = 11e6
    normal: float = 1000.0

    def __post_init__(self) -> None:
        _positive("squeal model", mu=self.mu, mass=self.mass, contact=self.contact, normal=self.normal)

    def stiffness(self) -> np.ndarray:
        """[[a, c - mu k3], [c, b]] of the motions along and across the belt."""
        K = np.diag([0.0, self.contact])
        for k, angle in self.springs:
            d = np.array([math.cos(angle), math.sin(angle)])
            K += k * np.outer(d, d)
        K[0, 1] -= self.mu * self.contact
        return K

    def eigenvalues(self) -> np.ndarray:
        """Closed form: s^2 = -(a + b)/(2 m) +- sqrt((a - b)^2 + 4 c (c - mu k3))/(2 m)."""
        (a, d), (c, b) = self.stiffness()
        root = np.sqrt(complex((a - b) ** 2 + 4.0 * c * d))
        squares = np.array([-(a + b) + root, -(a + b) - root]) / (2.0 * self.mass)
        return np.concatenate([np.sqrt(squares), -np.sqrt(squares)])

    def critical_friction(self) -> float:
        """From which on the two modes merge: mu = c/k3 + (a - b)^2/(4 c k3)."""
        (a, d), (c, b) = self.stiffness()
        return float((c + (a - b) ** 2 / (4.0 * c)) / self.contact)

    def model(self) -> Model:
        """The same as bodies: a ball in contact with a belt that moves, drawn in the steady sliding state."""
        m = Model("squeal")
        m.gravity = (0.0, 0.0, 0.0)
        belt = m.part("belt", 1e3, (1.0,) * 3, (0, 0, 0), velocity=(-1.0, 0, 0))
        m.motion(m.translational(belt, m.ground, "slide", at=(0, 0, 0), axis=(1, 0, 0)), "-TIME", "drive")
        at = (0.0, 0.1 - self.normal / self.contact, 0.0)
        ball = m.part("ball", self.mass, (1.0,) * 3, at)
        m.primitive("INPLANE", ball, m.ground, "flat", at=at, axis=(0, 0, 1))
        m.primitive("ORIENTATION", ball, m.ground, "upright", at=at, axis=(0, 0, 1))
        skin, top = m.sphere(ball, at, 0.1), m.plane(belt, (0, 0, 0), (0, 1, 0))
        m.contact(
            skin,
            top,
            name="pad",
            stiffness=self.contact,
            exponent=1.0,
            damping=0.0,
            mu=self.mu,
            stiction_transition_velocity=0.01,
            friction_transition_velocity=0.02,
        )
        centre, ground = m.marker(ball), m.marker(m.ground, at)
        elastic = self.stiffness() + np.array([[0.0, self.mu * self.contact], [0.0, -self.contact]])
        (a, c), (d, b) = elastic.tolist()
        x, y = f"DX({centre},{ground})", f"DY({centre},{ground})"
        m.vforce(
            centre,
            m.ground,
            f"-({a!r})*{x}-({c!r})*{y}+({self.mu * self.normal!r})",
            f"-({d!r})*{x}-({b!r})*{y}-({self.normal!r})",
            "0",
            name="springs",
        )
        return m


# ---- fade ------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class FadingStop(Summary):
    """A flywheel stopped by a brake whose friction falls with the temperature of its disc, SI: ``torque`` (N m) when
    cold; ``capacity`` of the disc (J/K); ``fade``: share of the friction lost per kelvin; ``cooling``: W/K to the air.
    Raises `ModelError` for numbers that are not positive, and where friction vanishes before the stop."""

    inertia: float = 40.0
    speed: float = 80.0
    torque: float = 1500.0
    capacity: float = 2400.0
    fade: float = 0.008
    cooling: float = 0.0

    def __post_init__(self) -> None:
        words = ("inertia", "speed", "torque", "capacity", "fade")
        _positive("fading stop", **{k: getattr(self, k) for k in words})
        if self.cooling < 0.0 or self.fade * self.rise() >= 1.0:
            raise ModelError(
                f"fade is {self.fade:g} 1/K and the whole energy heats the disc by {self.rise():.0f} K; give less than "
                f"{1.0 / self.rise():.3g}, and cooling of 0 or more"
            )

    def rise(self) -> float:
        """Of the temperature by the whole energy without cooling: J w^2 / (2 C)."""
        return 0.5 * self.inertia * self.speed**2 / self.capacity

    def time(self) -> float:
        """Until the stop without cooling: atan(w0 sqrt(v/u))/sqrt(u v)."""
        v = 0.5 * self.torque * self.fade / self.capacity
        u = self.torque / self.inertia - v * self.speed**2
        return math.atan(self.speed * math.sqrt(v / u)) / math.sqrt(u * v)

    def model(self, slow: float = 0.05) -> Model:
        """The same as a run: part "wheel", request "brake" (speed, temperature rise, torque)."""
        m = Model("fading stop")
        m.gravity = (0.0, 0.0, 0.0)
        J = float(self.inertia)
        wheel = m.part("wheel", 60.0, (0.6 * J, 0.6 * J, J), (0, 0, 0), angular_velocity=(0, 0, float(self.speed)))
        shaft = m.revolute(wheel, m.ground, "shaft", at=(0, 0, 0), axis=(0, 0, 1))
        i, j = shaft.i, shaft.j
        spin = f"WZ({i},{j},{j})"
        heat = m.diff("0", "temperature", ic=0.0)
        full = f"{float(self.torque)!r}*(1-{float(self.fade)!r}*DIF({heat.id}))*TANH({spin}/{float(slow)!r})"
        heat.function = f"({full}*{spin}-{float(self.cooling)!r}*DIF({heat.id}))/{float(self.capacity)!r}"
        m.sforce(i, j, f"-{full}", "brake", kind="ROTATIONAL")
        m.request("brake", functions=[spin, f"DIF({heat.id})", full])
        return m


# ---- study -----------------------------------------------------------------------------------------------------------
SETTLE = 0.05  # s after which a brake whose pressure rises in 0.02 s is steady


def first_order(angle: np.ndarray, torque: np.ndarray) -> tuple[float, float]:
    """Mean and amplitude once a turn of a torque, by least squares over the angle."""
    basis = np.column_stack([np.ones(len(angle)), np.cos(angle), np.sin(angle)])
    mean, c, s = np.linalg.lstsq(basis, torque, rcond=None)[0]
    return float(mean), float(math.hypot(c, s))


def steady(brake: FloatingCaliper, pressure: float, speed: float, turn: bool = False) -> dict[str, Any]:
    """A run at a constant speed: ``torque``, ``amplitude`` once a turn (nan unless a whole ``turn`` is run), ``force``
    on a pad and ``offset`` of the centre of pressure (inner pad), ``forces`` of its points.  Raises `ModelError` as
    the analysis does."""
    from ..analyses.session.simulate import simulate

    end = SETTLE + (2.0 * math.pi / speed if turn else 0.01)
    model = disc_brake_assembly(brake, pressure=f"{pressure!r}*STEP(TIME,0,0,0.02,1)", speed=speed)
    run = simulate(model, end, round(end / 1e-3), integrator="GSTIFF", error=1e-5)
    late = run.time >= SETTLE
    table = run.request("brake").values[late]
    mean, amplitude = first_order(table[:, 1], table[:, 3]) if turn else (float(table[:, 3].mean()), math.nan)
    forces = pad_forces(run, brake, "inner", SETTLE)
    r, a, _ = brake.points()
    return {
        "torque": mean,
        "amplitude": amplitude,
        "force": float(forces.sum()),
        "offset": float(forces @ (r * np.sin(a)) / forces.sum()),
        "forces": forces,
    }


def stop_time(brake: FloatingCaliper, pressure: float, speed: float, inertia: float) -> float:
    """Until a disc with the ``inertia`` of its wheel has less than a hundredth of its speed, from a run, and on from
    there at the rate of that moment.  Raises `ModelError` as the analysis does."""
    from ..analyses.session.simulate import simulate

    end = 0.02 + inertia * speed / brake.torque(pressure)
    model = disc_brake_assembly(
        brake, pressure=f"{pressure!r}*STEP(TIME,0,0,0.02,1)", speed=speed, inertia=inertia, slip=1e-4 * speed
    )
    run = simulate(model, end, 2000, integrator="GSTIFF", error=1e-5)
    spin = run.request("brake").values[:, 2]
    k = int(np.argmax(spin < 0.01 * speed))
    rate = (spin[k - 1] - spin[k]) / (run.time[k] - run.time[k - 1])
    return float(run.time[k] + spin[k] / rate)


def disc_brake_study(say: Say, plot: Any = None) -> dict[str, Any]:
    """Torque, pressure, judder, squeal and fade of runs next to their closed forms, as lines for ``say``; four pictures
    into the file ``plot``.  Returns the rows.  Raises `ModelError` as the analyses do."""
    from ..analyses.linear.linearize import linearize
    from ..analyses.session.simulate import simulate
    from .brakes import stopping

    rows: dict[str, Any] = {"torque": []}
    say(f"{'brake':40}{'torque N m':>12}{'2 mu p A r':>12}{'offset mm':>11}{'mu h':>8}")
    for word, sizes, pressure, speed in (
        ("2 MPa, 50 rad/s, mu 0.38", {}, 2e6, 50.0),
        ("2 MPa, 10 rad/s", {}, 2e6, 10.0),
        ("5 MPa", {}, 5e6, 50.0),
        ("mu 0.2", {"mu": 0.2}, 2e6, 50.0),
        ("back plate 4 mm higher", {"back": 0.012}, 2e6, 50.0),
    ):
        brake = FloatingCaliper(**sizes)
        found = steady(brake, pressure, speed)
        rows["torque"].append((found, brake.torque(pressure), brake.pressure_offset))
        say(
            f"{word:40}{found['torque']:12.2f}{brake.torque(pressure):12.2f}{1e3 * found['offset']:11.4f}"
            f"{1e3 * brake.pressure_offset:8.4f}"
        )
    brake = FloatingCaliper()
    first = rows["torque"][0][0]
    wear = pad_wear(first["forces"], brake, 50.0, 1e-15)
    say(
        f"wear of the inner pad by Archard's law: {wear.max() / wear.mean():.3f} of the mean at its leading outer "
        f"corner, {wear.min() / wear.mean():.3f} at the trailing inner one"
    )
    expected = stopping(5.0, 20.0, brake.torque(2e6))[0] + 0.01  # the pressure rises in 0.02 s, evenly about the middle
    rows["stop"] = stop_time(brake, 2e6, 20.0, 5.0), expected
    say(f"stop of 5 kg m^2 from 20 rad/s at 2 MPa: {rows['stop'][0]:.5f} s, closed form {expected:.5f} s")
    rows["judder"] = []
    for fluid in (0.0, 2e7, 5e7):
        wedge = FloatingCaliper(fluid=fluid, wedge=2e-5)
        found = steady(wedge, 2e6, 10.0, turn=True)
        rows["judder"].append((fluid, found["torque"], wedge.torque(2e6), found["amplitude"], wedge.judder))
        say(
            f"judder, disc 20 um thicker on one side, fluid {fluid:g} N/m: mean {found['torque']:.2f} "
            f"({wedge.torque(2e6):.2f}), once a turn {found['amplitude']:.3f} N m ({wedge.judder:.3f})"
        )
    rows["squeal"] = []
    limit = SquealModel(0.3).critical_friction()
    say(f"squeal: two modes of a pad merge from mu = {limit:.4f} on (closed form)")
    for mu in (0.2, 0.4, 0.99 * limit, 1.01 * limit, 0.6, 0.8):
        one = SquealModel(mu)
        values = [max(v, key=lambda s: s.real) for v in (linearize(one.model()).eigenvalues, one.eigenvalues())]
        rows["squeal"].append((mu, values[0], values[1]))
        say(f"  mu {mu:.4f}: largest growth {values[0].real:9.3f} 1/s, closed form {values[1].real:9.3f}")
    rows["fade"] = []
    for fade in (1e-9, 4e-3, 8e-3):
        stop = FadingStop(fade=fade)
        run = simulate(stop.model(), 1.1 * stop.time(), 2000, integrator="RADAU5", error=1e-7)
        table = run.request("brake").values
        k = int(np.argmax(table[:, 1] < 0.01 * stop.speed))
        rate = (table[k - 1, 1] - table[k, 1]) / (run.time[k] - run.time[k - 1])
        rows["fade"].append((fade, float(run.time[k] + table[k, 1] / rate), stop.time(), table[-1, 2], run.time, table))
        say(
            f"fade {fade:g} 1/K: stops after {rows['fade'][-1][1]:.4f} s (closed form {stop.time():.4f}), disc warmer "
            f"by {table[-1, 2]:.3f} K (J w^2/2C: {stop.rise():.3f})"
        )
    if plot is not None:
        say(f"plots: {_plot(rows, brake, plot)}")
    return rows


def _plot(rows: dict[str, Any], brake: FloatingCaliper, path: Any) -> Any:
    from ..results.pictures.figures import Figure

    figure = Figure(figsize=(12.0, 8.5), layout="constrained")
    (pad, judder), (squeal, fade) = figure.subplots(2, 2)
    r, a, share = brake.points()
    forces = rows["torque"][0][0]["forces"]
    drawn = pad.tricontourf(1e3 * r * np.sin(a), 1e3 * r * np.cos(a), forces / (share * forces.sum()), 12)
    pad.plot(1e3 * r * np.sin(a), 1e3 * r * np.cos(a), "k.", ms=3)
    figure.colorbar(drawn, ax=pad)
    pad.set(title="pressure of the inner pad over its mean", xlabel="along the arc (mm)", ylabel="mm", aspect="equal")
    fluids = [1e-6 * f for f, *_ in rows["judder"]]
    stiff = np.linspace(0.0, 1.2 * fluids[-1], 60)
    form = [FloatingCaliper(fluid=1e6 * f, wedge=2e-5).judder for f in stiff]
    judder.plot(stiff, form, label="closed form")
    judder.plot(fluids, [v for *_, v, _ in rows["judder"]], "o", label="runs")
    judder.set(title="judder by a wedge of 20 um", xlabel="fluid (N/um)", ylabel="torque once a turn (N m)")
    judder.legend()
    mu = np.linspace(0.0, 0.9, 200)
    squeal.plot(mu, [max(s.real for s in SquealModel(max(m, 1e-9)).eigenvalues()) for m in mu], label="closed form")
    squeal.plot([m for m, *_ in rows["squeal"]], [v.real for _, v, _ in rows["squeal"]], "o", label="model, linearised")
    squeal.set(title="squeal: growth of the merged modes", xlabel="friction", ylabel="1/s")
    squeal.legend()
    warm = fade.twinx()
    for k, (share_lost, _, _, _, time, table) in enumerate(rows["fade"]):
        fade.plot(time, table[:, 1], color=f"C{k}", label=f"{share_lost:g} 1/K")
        warm.plot(time, table[:, 2], "--", color=f"C{k}")
    fade.set(title="fade: speed, and temperature (dashed)", xlabel="time (s)", ylabel="rad/s")
    warm.set_ylabel("K")
    fade.legend(loc="center right")
    figure.savefig(path, dpi=100)
    return path
