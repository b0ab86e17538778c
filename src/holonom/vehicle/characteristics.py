"""Characteristics of an axle at one position of the rig: what each is, as text and in numbers.

Axes: x forward, y left, z up, fixed in the body.  s spin axis of a wheel (to the left), f = s x z its heading, p its
patch, c its centre; sigma = +1 left, -1 right. Derivatives are those of `rig.Position`: by pad heights u (up is bump),
steering-wheel angle, loads.  Angles in radians, lengths and forces in model units.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._summary import Summary
from .rig import Position

SIGMA = np.array([1.0, -1.0])
LEFT, RIGHT = 0, 1
Z = np.array([0.0, 0.0, 1.0])
X = np.array([1.0, 0.0, 0.0])
SAE = "SAE J670"
ISO = "ISO 8855"
REIMPELL = "Reimpell, Stoll, Betzler, The Automotive Chassis, 2001"
MATSCHINSKY = "Matschinsky, Radfuehrungen der Strassenfahrzeuge, 2007"
GILLESPIE = "Gillespie, Fundamentals of Vehicle Dynamics, 1992"
MILLIKEN = "Milliken, Milliken, Race Car Vehicle Dynamics, 1995"
ADAMS = "definition of Adams/Car"


@dataclass(frozen=True)
class Car(Summary):
    """Data of the car for the characteristics of an axle: lengths, and fractions of this axle. NaN: not known;
    dependent characteristics are then NaN too."""

    wheelbase: float = np.nan
    cg_height: float = np.nan
    brake_share: float = np.nan
    drive_share: float = 0.0
    front: bool = True
    tyre_stiffness: float = np.nan
    brake: str = "outboard"
    drive: str = "inboard"


class View:
    """A position with what is derived from it; ``design``: the position that changes count from."""

    def __init__(self, p: Position, design: Position, car: Car):
        self.p, self.design, self.car = p, design, car
        c = p.column
        self.pads = [c["pad left"], c["pad right"]]
        self.K = p.loads[:, self.pads]
        self.heave = np.array([1.0, 1.0])
        #: pads of a unit of body roll, about x: the left side of the body goes up
        self.roll = -p.patch[:, 1]

    def column(self, word: str, side: int) -> int:
        return self.p.column[f"{word} {('left', 'right')[side]}"]

    def by_pads(self, u: np.ndarray) -> np.ndarray:
        """(2, 6) velocities of centres and carriers for pad velocities u."""
        return self.p.moves[:, :, self.pads] @ u

    def patch_speed(self, v: np.ndarray) -> np.ndarray:
        """(2, 3) of the carriers' points at the patches, from (2, 6)."""
        return v[:, :3] + np.cross(v[:, 3:], self.p.patch - self.p.centre)

    def held(self, words: str) -> np.ndarray:
        """(2, 6): each wheel's moves by a unit load on itself alone, pads held."""
        return np.array([self.p.moves[k][:, self.column(words, k)] for k in (0, 1)])

    def load_change(self, word: str) -> float:
        """Sum of the pads' loads per unit of a load on both wheels."""
        return float(sum(self.p.loads[:, self.column(word, k)].sum() for k in (0, 1)))

    @property
    def heading(self) -> np.ndarray:
        return np.cross(self.p.spin, Z)

    @property
    def steer(self) -> np.ndarray:
        f = self.heading
        return np.arctan2(f[:, 1], f[:, 0])

    def steer_rate(self, v: np.ndarray) -> np.ndarray:
        """(2,) rates of the steer angles from (2, 6) velocities."""
        f = self.heading
        df = np.cross(np.cross(v[:, 3:], self.p.spin), Z)
        return (f[:, 0] * df[:, 1] - f[:, 1] * df[:, 0]) / (f[:, 0] ** 2 + f[:, 1] ** 2)

    def camber_rate(self, v: np.ndarray) -> np.ndarray:
        s = self.p.spin
        return -SIGMA * np.cross(v[:, 3:], s)[:, 2] / np.sqrt(1.0 - s[:, 2] ** 2)

    def kingpin(self) -> tuple[np.ndarray, np.ndarray]:
        """(axis (2, 3) upward, point (2, 3)): what a carrier turns about while it is steered with dampers locked.  NaN
        where nothing steers it."""
        p = self.p
        if hasattr(self, "_kingpin"):
            return self._kingpin
        n, point = np.full((2, 3), np.nan), np.full((2, 3), np.nan)
        column = p.column.get("steering wheel")
        for k in (0, 1) if column is not None else ():
            v = p.moves[k][:, column].copy()
            lock = p.dampers[:, self.pads]
            if np.isfinite(lock).all() and abs(np.linalg.det(lock)) > 1e-12:
                v -= p.moves[k][:, self.pads] @ np.linalg.solve(lock, p.dampers[:, column])
            w = v[3:]
            size = np.linalg.norm(w)
            if not size > 1e-9:
                continue
            n[k] = w / size * np.sign(w[2])
            point[k] = p.centre[k] + np.cross(w, v[:3]) / size**2
        self._kingpin = n, point
        return self._kingpin

    def on_axis(self, z: np.ndarray) -> np.ndarray:
        """(2, 3) points of the steering axes at heights z (2,)."""
        n, c = self.kingpin()
        return c + n * ((z - c[:, 2]) / n[:, 2])[:, None]

    def steering_arm(self, at: np.ndarray, force: np.ndarray) -> np.ndarray:
        n, c = self.kingpin()
        return SIGMA * np.einsum("ki,ki->k", n, np.cross(at - c, force))


@dataclass(frozen=True)
class Characteristic(Summary):
    """``unit``: "angle", "length", ... of its numbers; ``sides``: one number a side (else one an axle); ``words``: what
    it is; ``source``."""

    name: str
    unit: str
    sides: bool
    words: str
    source: str
    of: Callable[[View], Any]


TABLE: dict[str, Characteristic] = {}


def define(name: str, unit: str, words: str, source: str, sides: bool = True):
    """Decorator: a characteristic of this name."""

    def keep(function: Callable[[View], Any]) -> Callable[[View], Any]:
        TABLE[name] = Characteristic(name, unit, sides, words, source, function)
        return function

    return keep


def _ratio(a: Any, b: Any) -> Any:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.divide(a, b)


def _turn(v: View, m: np.ndarray, axis: int) -> np.ndarray:
    """(3, 2) velocities of the centres per turn about an axis (column of m); NaN where a wheel only translates, which
    has no instant centre."""
    w, speed = m[:, axis], np.abs(m[:, :3]).max(axis=1)
    size = abs(v.p.patch[LEFT, 1] - v.p.patch[RIGHT, 1])
    return np.where(np.abs(w) * size > 1e-9 * speed, m[:, :3].T / np.where(w == 0.0, 1.0, w), np.nan)


# ---- where the wheels stand ------------------------------------------------------------------------------------------
define("wheel_travel", "length", "height of the wheel's centre above that of the design position", ADAMS)(
    lambda v: v.p.centre[:, 2] - v.design.centre[:, 2]
)
define("wheel_load", "force", "vertical force of the pad on the wheel", SAE)(lambda v: v.p.load)
define("steer_angle", "angle", "of the wheel's heading f against x, positive to the left", ISO)(lambda v: v.steer)
define("toe", "angle", "-sigma times the steer angle: positive where the fronts of the wheels point inward", SAE)(
    lambda v: -SIGMA * v.steer
)
define("camber", "angle", "-sigma asin(s_z): positive where the top of the wheel leans outward", SAE)(
    lambda v: -SIGMA * np.arcsin(v.p.spin[:, 2])
)
define("track", "length", "distance of the patches across the car", ISO, False)(
    lambda v: v.p.patch[LEFT, 1] - v.p.patch[RIGHT, 1]
)
define("track_change", "length", "of the track since the design position", REIMPELL, False)(
    lambda v: (v.p.patch[LEFT, 1] - v.p.patch[RIGHT, 1]) - (v.design.patch[LEFT, 1] - v.design.patch[RIGHT, 1])
)
define("half_track_change", "length", "outward travel of the patch since the design position", REIMPELL)(
    lambda v: SIGMA * (v.p.patch[:, 1] - v.design.patch[:, 1])
)
define("base_change", "length", "forward travel of the wheel's centre since the design position", ADAMS)(
    lambda v: v.p.centre[:, 0] - v.design.centre[:, 0]
)
define("spring_travel", "length", "by what the spring is shorter than at the design position", ADAMS)(
    lambda v: v.design.spring - v.p.spring
)
define("damper_travel", "length", "by what the damper is shorter than at the design position", ADAMS)(
    lambda v: v.design.damper - v.p.damper
)


# ---- the steering axis -----------------------------------------------------------------------------------------------
KINGPIN = "The steering axis is what the carrier turns about while it is steered with the dampers' lengths locked. "


@define("caster", "angle", KINGPIN + "atan(-n_x / n_z): positive where its top leans backward", SAE)
def _caster(v):
    n, _ = v.kingpin()
    return np.arctan2(-n[:, 0], n[:, 2])


@define(
    "kingpin_inclination",
    "angle",
    "atan(-sigma n_y / n_z) of the steering axis: positive where its top leans inward",
    SAE,
)
def _kpi(v):
    n, _ = v.kingpin()
    return np.arctan2(-SIGMA * n[:, 1], n[:, 2])


define("caster_trail", "length", "from the patch forward to where the steering axis meets the ground", SAE)(
    lambda v: v.on_axis(v.p.patch[:, 2])[:, 0] - v.p.patch[:, 0]
)
define("scrub_radius", "length", "from where the steering axis meets the ground outward to the patch", SAE)(
    lambda v: SIGMA * (v.p.patch[:, 1] - v.on_axis(v.p.patch[:, 2])[:, 1])
)
define("kingpin_offset", "length", "from the steering axis outward to the wheel's centre, at its height", REIMPELL)(
    lambda v: SIGMA * (v.p.centre[:, 1] - v.on_axis(v.p.centre[:, 2])[:, 1])
)
define("caster_offset", "length", "from the wheel's centre forward to the steering axis, at its height", REIMPELL)(
    lambda v: v.on_axis(v.p.centre[:, 2])[:, 0] - v.p.centre[:, 0]
)
define(
    "brake_lever",
    "length",
    "moment about the steering axis of a unit braking force at the patch (outboard brake), positive outward",
    MATSCHINSKY,
)(lambda v: v.steering_arm(v.p.patch, -X))
define(
    "traction_lever",
    "length",
    "moment about the steering axis of a unit rearward force at the wheel's centre, positive outward",
    MATSCHINSKY,
)(lambda v: v.steering_arm(v.p.centre, -X))
define(
    "wheel_load_lever",
    "length",
    "moment about the steering axis of a unit vertical force at the patch, positive outward",
    MATSCHINSKY,
)(lambda v: v.steering_arm(v.p.patch, Z))


# ---- stiffness -------------------------------------------------------------------------------------------------------
define("wheel_rate", "stiffness", "d load / d height of one pad, the other one held", SAE)(
    lambda v: np.diag(v.K).copy()
)
define("suspension_rate", "stiffness", "d load / d height of both pads that rise together, per wheel", SAE)(
    lambda v: v.K @ v.heave
)
define("ride_rate", "stiffness", "suspension rate in series with the tyre's vertical stiffness", SAE)(
    lambda v: 1.0 / (1.0 / (v.K @ v.heave) + 1.0 / v.car.tyre_stiffness)
)


@define(
    "roll_rate", "roll stiffness", "moment of the pads' loads about x per roll of the body, without tyres", SAE, False
)
def _roll_rate(v):
    return -float(v.p.patch[:, 1] @ (v.K @ v.roll))


@define("total_roll_rate", "roll stiffness", "roll rate in series with that of the tyres, k t^2 / 2", ADAMS, False)
def _total_roll_rate(v):
    t = v.p.patch[LEFT, 1] - v.p.patch[RIGHT, 1]
    return 1.0 / (1.0 / _roll_rate(v) + 1.0 / (0.5 * v.car.tyre_stiffness * t * t))


define("spring_motion_ratio", "", "-d spring length / d height of the wheel's centre, both wheels together", MILLIKEN)(
    lambda v: _ratio(-v.p.springs[:, v.pads] @ v.heave, v.by_pads(v.heave)[:, 2])
)
define("damper_motion_ratio", "", "-d damper length / d height of the wheel's centre, both wheels together", MILLIKEN)(
    lambda v: _ratio(-v.p.dampers[:, v.pads] @ v.heave, v.by_pads(v.heave)[:, 2])
)


# ---- rates by travel: both wheels together, per height of the wheel's centre -----------------------------------------
@define("bump_steer", "angle/length", "d toe / dz", MILLIKEN)
def _bump_steer(v):
    m = v.by_pads(v.heave)
    return -SIGMA * v.steer_rate(m) / m[:, 2]


@define("bump_camber", "angle/length", "d camber / dz", MILLIKEN)
def _bump_camber(v):
    m = v.by_pads(v.heave)
    return v.camber_rate(m) / m[:, 2]


@define(
    "bump_caster",
    "angle/length",
    "-w_y / dz: turn of the carrier in the side view, positive as caster grows",
    MATSCHINSKY,
)
def _bump_caster(v):
    m = v.by_pads(v.heave)
    return -m[:, 4] / m[:, 2]


@define("recession_rate", "", "-dx / dz of the wheel's centre: positive where it moves back in bump", MATSCHINSKY)
def _recession(v):
    m = v.by_pads(v.heave)
    return -m[:, 0] / m[:, 2]


@define("half_track_rate", "", "outward travel of the patch per height", MATSCHINSKY)
def _half_track_rate(v):
    m = v.by_pads(v.heave)
    return SIGMA * v.patch_speed(m)[:, 1] / m[:, 2]


# ---- instant centres -------------------------------------------------------------------------------------------------
@define(
    "roll_centre_height",
    "length",
    "above the ground, where the normals to the paths of both patches in opposite travel meet (front view); at y = 0 "
    "where they are parallel",
    SAE,
    False,
)
def _roll_centre(v):
    return _meet(v)[1] - float(v.p.patch[:, 2].mean())


@define("roll_centre_lateral", "length", "y of the roll centre", SAE, False)
def _roll_centre_y(v):
    return _meet(v)[0]


def _meet(v):
    w = v.patch_speed(v.by_pads(v.roll))
    (yl, zl), (yr, zr) = v.p.patch[:, 1:]
    # normals: z = z_p + (y_p - y) * slope
    a, b = w[:, 1] / w[:, 2]
    if abs(a - b) < 1e-12:
        return 0.0, 0.5 * ((zl + yl * a) + (zr + yr * b))
    y = (zl + yl * a - zr - yr * b) / (a - b)
    return float(y), float(zl + (yl - y) * a)


@define(
    "front_view_ic_y",
    "length",
    "y of the instant centre of the carrier in the front view, both wheels together",
    MILLIKEN,
)
def _fvy(v):
    m = v.by_pads(v.heave)
    return v.p.centre[:, 1] - _turn(v, m, 3)[2]


@define("front_view_ic_z", "length", "its height above the ground", MILLIKEN)
def _fvz(v):
    m = v.by_pads(v.heave)
    return v.p.centre[:, 2] + _turn(v, m, 3)[1] - v.p.patch[:, 2]


define("front_view_arm", "length", "from the patch inward to the instant centre of the front view", MILLIKEN)(
    lambda v: SIGMA * (v.p.patch[:, 1] - _fvy(v))
)


@define(
    "front_view_angle",
    "angle",
    "of the line from the patch to the instant centre of the front view, above the ground inward",
    ADAMS,
)
def _fva(v):
    m = v.patch_speed(v.by_pads(v.heave))
    return np.arctan(SIGMA * m[:, 1] / m[:, 2])


@define(
    "side_view_ic_x",
    "length",
    "x of the instant centre of the carrier (brake locked) in the side view, both wheels together",
    MILLIKEN,
)
def _svx(v):
    m = v.by_pads(v.heave)
    return v.p.centre[:, 0] + _turn(v, m, 4)[2]


@define("side_view_ic_z", "length", "its height above the ground", MILLIKEN)
def _svz(v):
    m = v.by_pads(v.heave)
    return v.p.centre[:, 2] - _turn(v, m, 4)[0] - v.p.patch[:, 2]


define("side_view_arm", "length", "from the patch to the instant centre of the side view, positive backward", MILLIKEN)(
    lambda v: v.p.patch[:, 0] - _svx(v)
)


@define(
    "side_view_angle",
    "angle",
    "of the line from the patch to the instant centre of the side view, positive where it rises backward",
    ADAMS,
)
def _sva(v):
    m = v.patch_speed(v.by_pads(v.heave))
    return np.arctan(m[:, 0] / m[:, 2])


# ---- anti-pitch ------------------------------------------------------------------------------------------------------
def _support(v: View, brake: bool) -> float:
    """Change of the wheels' load at a held height per longitudinal force that slows (drives) the car."""
    word = "fx" if (v.car.brake if brake else v.car.drive) == "outboard" else "fd"
    return (-0.5 if brake else 0.5) * v.load_change(word)


@define(
    "anti_dive",
    "",
    "front, braking: load of the held wheels per braking force, times its share, wheelbase / height of the centre of "
    "mass; 1 = no dive",
    GILLESPIE,
    False,
)
def _anti_dive(v):
    c = v.car
    return _support(v, True) * c.brake_share * c.wheelbase / c.cg_height if c.front else np.nan


@define("anti_lift", "", "rear, braking: the same against lifting of the tail", GILLESPIE, False)
def _anti_lift(v):
    c = v.car
    return -_support(v, True) * c.brake_share * c.wheelbase / c.cg_height if not c.front else np.nan


@define("anti_squat", "", "rear, driving: the same per driving force and its share; 1 = no squat", GILLESPIE, False)
def _anti_squat(v):
    c = v.car
    return _support(v, False) * c.drive_share * c.wheelbase / c.cg_height if not c.front else np.nan


@define("anti_lift_driving", "", "front, driving: the same against lifting of the nose", GILLESPIE, False)
def _anti_lift_driving(v):
    c = v.car
    return -_support(v, False) * c.drive_share * c.wheelbase / c.cg_height if c.front else np.nan


# ---- roll ------------------------------------------------------------------------------------------------------------
@define("roll_steer", "", "d steer angle / d roll of the body (about x), mean of the sides", MILLIKEN, False)
def _roll_steer(v):
    return float(v.steer_rate(v.by_pads(v.roll)).mean())


@define(
    "roll_camber",
    "",
    "d inclination against the ground / d roll of the body: 1 where wheels lean with it, 0 where they stay upright; "
    "mean of the sides",
    MILLIKEN,
    False,
)
def _roll_camber(v):
    return 1.0 + float((-SIGMA * v.camber_rate(v.by_pads(v.roll))).mean())


# ---- steering --------------------------------------------------------------------------------------------------------
def _steered(function):
    return lambda v: function(v) if "steering wheel" in v.p.column else np.nan


@_steered
def _ratio_of_steering(v):
    rate = v.steer_rate(v.p.moves[:, :, v.p.column["steering wheel"]])
    return float(1.0 / rate.mean())


define("steering_ratio", "", "d steering-wheel angle / d mean steer angle", SAE, False)(_ratio_of_steering)
define("steering_torque", "moment", "that holds the steering wheel, without friction", SAE, False)(
    _steered(lambda v: v.p.steer_torque)
)


def _ackermann(v: View) -> tuple[float, float, float]:
    """(inner angle, outer angle, outer angle of Ackermann's law for that inner one), magnitudes."""
    d = v.steer - v.design.steer_zero
    inner, outer = (d[LEFT], d[RIGHT]) if d.sum() >= 0.0 else (-d[RIGHT], -d[LEFT])
    if not abs(inner) > 1e-9:
        return inner, outer, np.nan
    g = v.on_axis(v.p.patch[:, 2])
    return inner, outer, float(np.arctan2(1.0, 1.0 / np.tan(inner) + (g[LEFT, 1] - g[RIGHT, 1]) / v.car.wheelbase))


define(
    "ackermann_outer",
    "angle",
    "outer steer angle by Ackermann's law: cot = cot(inner) + j / wheelbase, j between the steering axes at the "
    "ground; angles from the design position",
    REIMPELL,
    False,
)(_steered(lambda v: _ackermann(v)[2]))
define("ackermann_error", "angle", "outer steer angle less that of Ackermann's law", REIMPELL, False)(
    _steered(lambda v: _ackermann(v)[1] - _ackermann(v)[2])
)


@_steered
def _percent(v):
    inner, outer, ideal = _ackermann(v)
    return _ratio(inner - outer, inner - ideal)


define(
    "ackermann_share",
    "",
    "(inner - outer) / (inner - outer by Ackermann's law): 1 by his law, 0 parallel",
    MILLIKEN,
    False,
)(_percent)


@_steered
def _circle(v):
    inner, outer, _ = _ackermann(v)
    return (
        2.0
        * (
            v.car.wheelbase / np.sin(outer)
            + float(np.nanmean(SIGMA * (v.p.patch[:, 1] - v.on_axis(v.p.patch[:, 2])[:, 1])))
        )
        if outer > 1e-6
        else np.nan
    )


define(
    "turning_circle", "length", "diameter between kerbs: 2 (wheelbase / sin(outer) + scrub radius)", REIMPELL, False
)(_circle)


# ---- compliance: one wheel loaded, pads held -------------------------------------------------------------------------
define("lateral_steer", "angle/force", "d toe per inward lateral force at the patch", SAE)(
    lambda v: v.steer_rate(v.held("fy"))
)
define("lateral_camber", "angle/force", "d camber per inward lateral force at the patch", SAE)(
    lambda v: v.camber_rate(v.held("fy")) * -SIGMA
)
define("lateral_compliance", "length/force", "d of the wheel's centre along y per lateral force at the patch", ADAMS)(
    lambda v: v.held("fy")[:, 1]
)
define("brake_steer", "angle/force", "d toe per braking force", SAE)(
    lambda v: SIGMA * v.steer_rate(v.held("fx" if v.car.brake == "outboard" else "fd"))
)
define("brake_compliance", "length/force", "rearward d of the wheel's centre per braking force", ADAMS)(
    lambda v: v.held("fx" if v.car.brake == "outboard" else "fd")[:, 0]
)
define(
    "brake_windup",
    "angle/force",
    "turn of the carrier in the side view per braking force, positive as caster falls",
    ADAMS,
)(lambda v: -v.held("fx" if v.car.brake == "outboard" else "fd")[:, 4])
define("drive_steer", "angle/force", "d toe per driving force", SAE)(
    lambda v: -SIGMA * v.steer_rate(v.held("fx" if v.car.drive == "outboard" else "fd"))
)
define("drive_compliance", "length/force", "forward d of the wheel's centre per driving force", ADAMS)(
    lambda v: v.held("fx" if v.car.drive == "outboard" else "fd")[:, 0]
)
define("aligning_steer", "angle/moment", "d steer angle per moment about z at the patch", SAE)(
    lambda v: v.steer_rate(v.held("mz"))
)
define("aligning_camber", "angle/moment", "d camber per moment about z at the patch that turns the wheel out", SAE)(
    lambda v: v.camber_rate(v.held("mz")) * SIGMA
)


def compliance_matrix(v: View) -> np.ndarray:
    """(12, 12): moves of the left and the right wheel's centre (x y z, turns about x y z) per unit force and moment at
    them (Fx Fy Fz Mx My Mz left, then right), pads at constant load.  Symmetric, as of any elastic structure; units of
    `Position`."""
    p = v.p
    words = ("Fx", "Fy", "Fz", "Mx", "My", "Mz")
    columns = [v.column(word, side) for side in (0, 1) for word in words]
    A = p.moves[:, :, columns].reshape(12, 12)
    B = p.moves[:, :, v.pads].reshape(12, 2)
    D = p.loads[:, columns]
    return A - B @ np.linalg.solve(v.K, D)


def characteristics(p: Position, design: Position, car: Car, names: Any = None) -> Mapping[str, np.ndarray]:
    """Numbers of the named characteristics (default: all), (2,) left and right or one number."""
    v = View(p, design, car)
    with np.errstate(divide="ignore", invalid="ignore"):
        return {name: np.asarray(TABLE[name].of(v), float) for name in (names if names is not None else TABLE)}
