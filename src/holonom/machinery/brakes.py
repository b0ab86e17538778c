"""Brakes: discs, drums with their self-energising factor, bands; brake torque on a shaft; a pad that sticks, slips and
judders; braking as a study.

    disc        T = 2 mu p A r_m a caliper (two pads); r_m of a ring sector: (2/3)(ro^3 - ri^3)/(ro^2 - ri^2) by even
        pressure, (ro + ri)/2 by even wear
    drum        shoe on a pivot at the distance a from the centre, lining from theta_1 to theta_2 (from the pivot),
        pressure as sin(theta):
                M_n = p b r a/(4 sin theta_m) (2 (th2 - th1) - sin 2 th2 + sin 2 th1),   M_f = mu p b r/(sin theta_m) (r
                    (cos th1 - cos th2) - (a/2)(sin^2 th2
                - sin^2 th1)),
                F c = M_n -+ M_f (leading, trailing),   T = mu p b r^2 (cos th1 - cos th2)/sin theta_m;   brake factor
                    C* = T/(r F) of each shoe; M_f >= M_n:
                it locks of itself
    band        T = r (T1 - T2),  T1/T2 = exp(mu beta)  (Eytelwein)
    pad         mass m on a spring k and a damper on a disc that passes at v: mu falls from mu_s to mu_k as exp(-v/v_s);
        it sticks and slips while -N mu'(v) > c
    judder      thickness of the disc varies by dtv over a turn: pressure force, and so torque, with the orders of the
        disc

Sources: R. G. Budynas, J. K. Nisbett, Shigley's Mechanical Engineering Design, ch. 16; R. Limpert, Brake Design and
Safety (2011), ch. 2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._summary import Summary
from ..model import Model, drawing
from ..model.base import ModelError, shown

if TYPE_CHECKING:
    from ..model.forces import SForce


def _positive(what: str, **numbers: float) -> None:
    for word, value in numbers.items():
        if not (isinstance(value, (int, float, np.floating, np.integer)) and math.isfinite(value) and value > 0.0):
            raise ModelError(f"{word} of a {what} is {shown(value)}; give a positive number")


@dataclass(frozen=True)
class DiscBrake(Summary):
    """``calipers`` of two pads each, pressed by ``pistons`` of ``piston`` diameter a side; ``inner``, ``outer``: radii
    of the pads; ``mu``; ``pressure``: "even" or "wear".  Consistent
    units.  Raises `ModelError` for invalid values."""

    piston: float
    inner: float
    outer: float
    mu: float = 0.38
    pistons: int = 1
    calipers: int = 1
    pressure: str = "wear"

    def __post_init__(self) -> None:
        _positive(
            "disc brake",
            piston=self.piston,
            inner=self.inner,
            outer=self.outer,
            mu=self.mu,
            pistons=self.pistons,
            calipers=self.calipers,
        )
        if not self.inner < self.outer or self.pressure not in ("even", "wear"):
            raise ModelError(
                f"inner is {self.inner:g}, outer {self.outer:g} and pressure {shown(self.pressure)}; give inner below "
                "outer, and 'even' or 'wear'"
            )

    @property
    def radius(self) -> float:
        """Effective friction radius."""
        i, o = self.inner, self.outer
        return (2.0 / 3.0) * (o**3 - i**3) / (o**2 - i**2) if self.pressure == "even" else 0.5 * (i + o)

    @property
    def torque_per_pressure(self) -> float:
        """T / p: length^3."""
        return 2.0 * self.mu * self.radius * self.calipers * self.pistons * 0.25 * math.pi * self.piston**2


@dataclass(frozen=True)
class DrumBrake(Summary):
    """``radius`` of the drum, ``width`` of the linings, ``pivot``: distance of the shoes' pivots from the centre,
    ``lever``: of the actuating force about the pivot, ``start``, ``end``:
    angles of the lining from the pivot, rad; ``mu``; ``shoes``: "leading", "trailing" of each.  Raises `ModelError` for
    invalid values, and for shoes that lock."""

    radius: float
    width: float
    pivot: float
    lever: float
    start: float = math.radians(20.0)
    end: float = math.radians(120.0)
    mu: float = 0.35
    shoes: tuple[str, ...] = ("leading", "trailing")

    def __post_init__(self) -> None:
        _positive("drum brake", radius=self.radius, width=self.width, pivot=self.pivot, lever=self.lever, mu=self.mu)
        if (
            not 0.0 <= self.start < self.end <= math.pi
            or not self.shoes
            or any(s not in ("leading", "trailing") for s in self.shoes)
        ):
            raise ModelError(
                "a lining goes from start to end, 0 to pi rad from its pivot, and shoes are 'leading' or 'trailing'"
            )
        if any(self.locks(s) for s in self.shoes):
            raise ModelError(
                f"a leading shoe with mu = {self.mu:g} is self-locking; give less than "
                f"{self.mu * self._moments()[0] / self._moments()[1]:.3f}"
            )

    def _moments(self) -> tuple[float, float, float]:
        """M_n, M_f and T over p_max b / sin(theta_m)."""
        a, r, s, e = self.pivot, self.radius, self.start, self.end
        normal = 0.25 * r * a * (2.0 * (e - s) - math.sin(2 * e) + math.sin(2 * s))
        friction = self.mu * r * (r * (math.cos(s) - math.cos(e)) - 0.5 * a * (math.sin(e) ** 2 - math.sin(s) ** 2))
        return normal, friction, self.mu * r * r * (math.cos(s) - math.cos(e))

    def locks(self, shoe: str) -> bool:
        """Whether a leading shoe is self-locking."""
        n, f, _ = self._moments()
        return shoe == "leading" and f >= n

    def factor(self, shoe: str) -> float:
        """C* = T / (radius F) of a shoe."""
        n, f, t = self._moments()
        return self.lever * t / ((n - f if shoe == "leading" else n + f) * self.radius)

    @property
    def torque_per_force(self) -> float:
        """Torque over the actuating force on each shoe."""
        return self.radius * sum(self.factor(s) for s in self.shoes)

    def largest_pressure(self, shoe: str, force: float) -> float:
        """p_max of the lining under an actuating force."""
        n, f, _ = self._moments()
        high = 1.0 if self.end >= 0.5 * math.pi else math.sin(self.end)
        return force * self.lever * high / ((n - f if shoe == "leading" else n + f) * self.width)


@dataclass(frozen=True)
class BandBrake(Summary):
    """``radius`` of the drum, ``wrap`` of the band (rad), ``mu``; the actuating force acts on the slack end.  Raises
    `ModelError` for numbers that are not positive."""

    radius: float
    wrap: float
    mu: float = 0.3

    def __post_init__(self) -> None:
        _positive("band brake", radius=self.radius, wrap=self.wrap, mu=self.mu)

    @property
    def gain(self) -> float:
        """T1/T2 = exp(mu beta)."""
        return math.exp(self.mu * self.wrap)

    @property
    def torque_per_force(self) -> float:
        """Torque over the force at the slack end, for rotation towards the tight end."""
        return self.radius * (self.gain - 1.0)

    @property
    def torque_per_force_back(self) -> float:
        """The same for the opposite rotation: the actuated end is then the tight one."""
        return self.radius * (1.0 - 1.0 / self.gain)


def add_brake(
    model: Model,
    shaft: Any,
    torque: str,
    *,
    slow: float = 0.1,
    thickness: float = 0.0,
    order: int = 1,
    gain: float = 0.0,
    name: str = "brake",
) -> SForce:
    """Brake torque on a revolute joint (force * length): ``torque``, an expression of the torque while slipping, as
    "0.38*2*0.1*1500*STEP(TIME,0,0,0.2,6e6)", against the speed by TANH(w/``slow``), rad per time; with judder, ``gain``
    * ``thickness`` * COS(``order`` angle) is added to it: gain = torque per length of thickness.

    It does not hold at rest against a constant torque: it creeps at about ``slow`` times the ratio of the torques.
    Raises `ModelError` for a value that is not a joint and for ``slow`` that is not positive."""
    if not (math.isfinite(slow) and slow > 0.0):
        raise ModelError(f"slow is {shown(slow)}; give a positive speed")
    if not hasattr(shaft, "i"):
        raise ModelError(f"shaft is {shown(shaft)}; give a revolute joint")
    i, j = shaft.i, shaft.j
    varies = f"+{float(gain * thickness)!r}*COS({float(order)!r}*AZ({i},{j}))" if thickness and gain else ""
    return model.sforce(i, j, f"-(({torque}){varies})*TANH(WZ({i},{j},{j})/{float(slow)!r})", name, kind="ROTATIONAL")


def stopping(
    inertia: float, speed: float, torque: float, *, rise: float = 0.0, drag: float = 0.0
) -> tuple[float, float]:
    """(time, turned angle) until an inertia stops under a brake torque that rises linearly over the time ``rise`` and a
    constant ``drag``, closed form. Raises `ModelError` for numbers that are not positive."""
    _positive("stop", inertia=inertia, speed=speed, torque=torque)
    if not (rise >= 0.0 and drag >= 0.0):
        raise ModelError("rise and drag of a stop must not be negative")
    J, w, a, b = inertia, speed, torque, drag
    if rise > 0.0:
        slope = a / rise
        t = (-b + math.sqrt(b * b + 2.0 * slope * J * w)) / slope
        if t <= rise:
            return t, w * t - 0.5 * b / J * t * t - slope / J * t**3 / 6.0
        turned = w * rise - 0.5 * b / J * rise**2 - slope / J * rise**3 / 6.0
        w = w - (b * rise + 0.5 * a * rise) / J
    else:
        turned = 0.0
    return rise + w * J / (a + b), turned + 0.5 * w * w * J / (a + b)


def braking_rig(
    brake: DiscBrake | DrumBrake | BandBrake,
    *,
    inertia: float = 40.0,
    speed: float = 80.0,
    actuation: float = 4e6,
    rise: float = 0.2,
    drag: float = 0.0,
    slow: float = 0.05,
    thickness: float = 0.0,
    order: int = 1,
    stiffness: float = 0.0,
    name: str = "braking rig",
) -> Model:
    """A flywheel that is stopped by a brake, SI: ``actuation`` (pressure of a disc, Pa; force of drum and band, N)
    rises linearly over the time ``rise``; ``drag``: further constant torque;
    ``thickness``: of a disc, m, over ``order`` waves a turn, on calipers of ``stiffness`` (N/m).  Names: part "wheel",
    joint "shaft", request "brake" (angle, speed, torque).
    Raises `ModelError` for numbers that are not positive."""
    _positive("braking rig", inertia=inertia, speed=speed, actuation=actuation, rise=rise, slow=slow)
    per = brake.torque_per_pressure if isinstance(brake, DiscBrake) else brake.torque_per_force
    model = Model(name)
    model.gravity = (0, 0, 0)
    wheel = model.part(
        "wheel", 60.0, (0.6 * inertia, 0.6 * inertia, inertia), (0, 0, 0), angular_velocity=(0.0, 0.0, float(speed))
    )
    model.cylinder(wheel, (0, 0, -0.02), (0, 0, 0.02), 0.2, color="GRAY")
    drawing.block(model, model.ground, (0.0, 0.2, 0.0), (0.08, 0.06, 0.09), color="RED")
    shaft = model.revolute(wheel, model.ground, "shaft", at=(0, 0, 0), axis=(0, 0, 1))
    rising = f"{float(per * actuation)!r}*MIN(TIME/{float(rise)!r},1)"
    gain = 2.0 * brake.mu * brake.radius * stiffness if isinstance(brake, DiscBrake) else 0.0
    if thickness and not gain:
        raise ModelError(
            "thickness that varies is for a disc brake with the stiffness of its caliper; give stiffness, N/m"
        )
    e = add_brake(model, shaft, f"{rising}+{float(drag)!r}", slow=slow, thickness=thickness, order=order, gain=gain)
    model.request(
        "brake",
        functions=[f"AZ({shaft.i},{shaft.j})", f"WZ({shaft.i},{shaft.j},{shaft.j})", f"SFORCE({e.id},0,8,{shaft.j})"],
    )
    return model


def pad_on_disc(
    *,
    speed: float = 0.1,
    mass: float = 1.0,
    stiffness: float = 1e5,
    damping: float = 5.0,
    normal: float = 1000.0,
    mu_static: float = 0.5,
    mu_kinetic: float = 0.35,
    decay: float = 0.3,
    slow: float = 1e-3,
    name: str = "pad on a disc",
) -> Model:
    """A brake pad on a spring, dragged along x by a disc, SI: mu(v) = mu_kinetic + (mu_static - mu_kinetic)
    exp(-|v|/decay), by TANH(v/``slow``) through zero; ``speed`` of the disc's surface.

    Names: part "pad", request "pad" (position, slip, friction).  Sliding is unstable where normal (mu_static -
    mu_kinetic)/decay exp(-speed/decay) > damping. Raises `ModelError` for numbers
    that are not positive."""
    _positive(
        "pad",
        speed=speed,
        mass=mass,
        stiffness=stiffness,
        normal=normal,
        mu_static=mu_static,
        mu_kinetic=mu_kinetic,
        decay=decay,
        slow=slow,
    )
    if mu_kinetic > mu_static or damping < 0.0:
        raise ModelError(
            f"mu_kinetic is {mu_kinetic:g}, mu_static {mu_static:g}, damping {damping:g}; give mu_kinetic up to "
            "mu_static, and no negative damping"
        )
    model = Model(name)
    model.gravity = (0, 0, 0)
    pad = model.part("pad", mass, (mass,) * 3, (0, 0, 0))
    drawing.block(model, pad, (0, 0.02, 0), (0.08, 0.02, 0.05), color="RED")
    slide = model.translational(pad, model.ground, "slide", at=(0, 0, 0), axis=(1, 0, 0))
    m, g = model.marker(pad), model.marker(model.ground)
    v = f"({float(speed)!r}-VX({m},{g}))"
    mu = f"({float(mu_kinetic)!r}+{float(mu_static - mu_kinetic)!r}*EXP(-ABS({v})/{float(decay)!r}))*TANH({v}/{float(slow)!r})"  # noqa: E501
    f = model.variable(f"{float(normal)!r}*{mu}", "friction")
    model.vforce(
        m,
        model.ground,
        f"VARVAL({f.id})-{float(stiffness)!r}*DX({m},{g})-{float(damping)!r}*VX({m},{g})",
        "0",
        "0",
        name="spring and friction",
    )
    model.request("pad", functions=[f"DX({m},{g})", v, f"VARVAL({f.id})"])
    del slide
    return model


def braking_study(brakes: dict[str, Any], conditions: Sequence[dict[str, float]], **rig: float) -> list[dict[str, Any]]:
    """Stops of each brake (name: brake) under each condition (arguments of `braking_rig`): rows with ``brake``,
    ``condition``, ``torque`` (steady), ``time`` and ``turns`` from a run and by
    `stopping`.  Raises `ModelError` as these do."""
    from ..analyses.session.simulate import simulate

    rows = []
    for name, brake in brakes.items():
        for condition in conditions:
            words: dict[str, Any] = (
                {"inertia": 40.0, "speed": 80.0, "actuation": 4e6, "rise": 0.2, "drag": 0.0} | rig | condition
            )
            mu = words.pop("mu", None)
            used = (
                brake
                if mu is None
                else type(brake)(**{f: getattr(brake, f) for f in brake.__dataclass_fields__} | {"mu": mu})
            )
            per = used.torque_per_pressure if isinstance(used, DiscBrake) else used.torque_per_force
            scale = 1.0 if isinstance(used, DiscBrake) else 1e-3  # drums and bands are actuated by forces
            words["actuation"] = words["actuation"] * scale
            time, angle = stopping(
                words["inertia"], words["speed"], per * words["actuation"], rise=words["rise"], drag=words["drag"]
            )
            run = simulate(braking_rig(used, **words), 1.1 * time, dt=time / 2000.0, integrator="RADAU5", error=1e-6)
            table = run.request("brake").values
            low = 0.01 * words["speed"]  # the last hundredth, where friction goes through zero, by its slope
            last = int(np.argmax(table[:, 2] < low))
            back = (table[last, 2]) / max(
                (table[last - 1, 2] - table[last, 2]) / (run.time[last] - run.time[last - 1]), 1e-300
            )
            rows.append(
                {
                    "brake": name,
                    "condition": condition,
                    "torque": per * words["actuation"],
                    "time": float(run.time[last] + back),
                    "turns": float((table[last, 1] + 0.5 * table[last, 2] * back) / (2 * math.pi)),
                    "expected_time": time,
                    "expected_turns": angle / (2.0 * math.pi),
                }
            )
    return rows
