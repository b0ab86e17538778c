"""An axle while it is drawn: what a template calls.  Hardpoints, parts, hinges, links, bushings, springs, dampers,
stops, on the left and mirrored on the right.

Axes are those of ISO 8855: x forward, y to the left, z up.  Hardpoints are given for the left side; the right side is
their mirror image in y, unless ``right`` gives others.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model import Model, ModelError
from ..model.base import did_you_mean, shown
from .template import LEFT, RIGHT, SIGN, TEMPLATES, curve_of, inverse, number_of, numbers_of, table_of
from .templates import extras

if TYPE_CHECKING:
    from ..model.base import Element
    from ..model.bodies import Part
    from ..model.forces import Bushing

#: words of an axle's data
WORDS = (
    "template",
    "hardpoints",
    "right",
    "parts",
    "bushings",
    "spring",
    "damper",
    "bump_stop",
    "rebound_stop",
    "wheel",
    "steering",
    "anti_roll_bar",
    "subframe",
    "wheel_load",
    "twist",
    "leaf",
    "notes",
)
#: keywords of tables of an axle
TABLES_OF_AXLE = {
    "wheel": ("radius", "mass", "inertia", "toe", "camber", "tyre", "brake", "drive", "stiffness"),
    "spring": ("rate", "curve", "load", "free"),
    "damper": ("rate", "curve", "gas_force"),
}
KINEMATIC, COMPLIANT = "kinematic", "compliant"


class Axle:
    """A front or rear axle: two sides, steering, anti-roll bar, and a subframe on a chassis.

    ``model``: units of the data are its units; ``chassis``: part or ground; ``data``: see `docs/suspensions.md`;
    ``mode``: "kinematic" (joints) or "compliant"
    (bushings); ``name``: prefix of the names of all elements. After `build` it has:

    ``left``, ``right`` (`Side`: ``carrier`` part, ``hub`` marker at the wheel's centre, y along the spin axis to the
    left); ``springs``, ``dampers``: side -> (i, j) markers; ``seat``: VARIABLE that shifts the springs' seats (length,
    of leaf springs radians); ``steering``, None where it is not steered; ``radius``: of the wheels, under load.
    """

    def __init__(
        self,
        model: Model,
        chassis: Any,
        data: Mapping[str, Any],
        mode: str = KINEMATIC,
        name: str = "front",
        offset=(0.0, 0.0, 0.0),
    ):
        self.model, self.chassis, self.name = model, chassis, name
        if mode not in (KINEMATIC, COMPLIANT):
            raise ModelError(f"mode is {shown(mode)}; give '{KINEMATIC}' or '{COMPLIANT}'")
        self.compliant = mode == COMPLIANT
        self.data = table_of(data, name, WORDS)
        word = self.data.get("template")
        if not isinstance(word, str) or word not in TEMPLATES:
            raise ModelError(f"{name}: there is no template {shown(word)}{did_you_mean(str(word), TEMPLATES)}")
        self.template = TEMPLATES[word]
        self.offset = np.array(numbers_of(list(offset), f"{name}: offset", 3))
        self._points()
        wheel = table_of(self.data.get("wheel", {}), f"{name}.wheel", TABLES_OF_AXLE["wheel"])
        if "radius" not in wheel:
            raise ModelError(f"{name}.wheel has no radius; give that of the loaded wheel, 'radius'")
        self.wheel = wheel
        self.radius = number_of(wheel["radius"], f"{name}.wheel.radius", positive=True)
        for key in ("brake", "drive"):
            if wheel.get(key, "outboard") not in ("outboard", "inboard"):
                raise ModelError(f"{name}.wheel.{key} is {shown(wheel[key])}; give 'outboard' or 'inboard'")
        self.springs: dict[str, tuple[Any, Any]] = {}
        self.dampers: dict[str, tuple[Any, Any]] = {}
        self.seat: Any = None
        self.seat_value = 0.0
        self.links: dict[str, tuple[Any, Any]] = {}  # side -> body and point where the anti-roll bar's link is attached
        self.base: Any = chassis
        self.steering: Any = None
        self.left, self.right = Side(self, LEFT), Side(self, RIGHT)
        self._used: set[str] = set()

    sides = property(lambda self: (self.left, self.right))

    # ---- data -------------------------------------------------------------------------------------------------------
    def _points(self) -> None:
        t = self.template
        given = table_of(self.data.get("hardpoints", {}), f"{self.name}.hardpoints")
        other = table_of(self.data.get("right", {}), f"{self.name}.right")
        known = {**t.points, **t.optional}
        for part in ("steering", "anti_roll_bar", "subframe"):
            if part in self.data and isinstance(self.data[part], Mapping) and "hardpoints" in self.data[part]:
                raise ModelError(f"{self.name}.{part}: hardpoints belong in {self.name}.hardpoints; move them there")
        known.update(
            {k: v for part, points in extras.EXTRA_POINTS.items() if part in self.data for k, v in points.items()}
        )
        for where, names in (("hardpoints", given), ("right", other)):
            for name in names:
                if name not in known:
                    raise ModelError(
                        f"{self.name}.{where}: a {t.name} axle has no hardpoint '{name}'{did_you_mean(name, known)}"
                    )
        for name, what in t.points.items():
            if name not in given:
                raise ModelError(f"{self.name}.hardpoints: '{name}' is missing, {what}")
        self.points: dict[str, dict[str, np.ndarray]] = {LEFT: {}, RIGHT: {}}
        for name, value in given.items():
            p = np.array(numbers_of(value, f"{self.name}.hardpoints.{name}", 3))
            if p[1] < 0.0 and name not in other:
                raise ModelError(
                    f"{self.name}.hardpoints.{name} lies at y = {p[1]:g}, on the right; give the left side (y > 0), of "
                    "which the right is the mirror image, "
                    f"or give both with {self.name}.right.{name}"
                )
            self.points[LEFT][name] = p + self.offset
            self.points[RIGHT][name] = p * (1.0, -1.0, 1.0) + self.offset
        for name, value in other.items():
            p = np.array(numbers_of(value, f"{self.name}.right.{name}", 3))
            if name not in given:
                raise ModelError(f"{self.name}.right.{name} is given, and hardpoints.{name} is not; give both")
            if p[1] * given[name][1] > 0.0:
                raise ModelError(
                    f"{self.name}.right.{name} lies at y = {p[1]:g}, on the same side as hardpoints.{name}; it must "
                    "lie across the middle plane"
                )
            self.points[RIGHT][name] = p + self.offset

    def label(self, *words: str) -> str:
        return " ".join((self.name, *words))

    def use(self, point: str) -> None:
        self._used.add(point)

    def part_data(self, part: str) -> dict[str, Any]:
        """Mass, inertia and centre of a part.  Raises ModelError where its mass is missing."""
        parts = table_of(self.data.get("parts", {}), f"{self.name}.parts")
        if part not in parts:
            raise ModelError(
                f"{self.name}.parts: '{part}' is missing; give its mass, as {{\"mass\": 2.0}}"
                + did_you_mean(part, parts, "")
            )
        data = table_of(parts[part], f"{self.name}.parts.{part}", ("mass", "inertia", "cm"))
        if "mass" not in data:
            raise ModelError(f"{self.name}.parts.{part} has no mass; give it")
        return data

    def draw_part(
        self, name: str, data: Mapping[str, Any], points: np.ndarray, side: float = 0.0, where: str = ""
    ) -> Part:
        """A part of given mass m; centre and inertia from ``data``, or of its mass spread over its points: half of it
        in equal shares, the rest a compact body at their mean, 0.02 m s^2 about each axis (s: the largest coordinate
        of a point from the mean, 30 mm or more)."""
        mass = number_of(data["mass"], f"{where}.mass", positive=True)
        middle = points.mean(axis=0)
        if "cm" in data:
            cm = np.array(numbers_of(data["cm"], f"{where}.cm", 3))
            middle = (cm * (1.0, -1.0, 1.0) if side < 0 else cm) + self.offset
        if "inertia" in data:
            six = data["inertia"]
            six = numbers_of(six, f"{where}.inertia", 6 if isinstance(six, (list, tuple)) and len(six) == 6 else 3)
            if len(six) == 6 and side < 0:
                six = [*six[:3], -six[3], six[4], -six[5]]
        else:
            r = points - points.mean(axis=0)
            J = 0.5 * mass / len(points) * sum(float(a @ a) * np.eye(3) - np.outer(a, a) for a in r)
            size = max(float(np.abs(r).max(initial=0.0)), 0.03 / self.model.units.si_length)
            J = J + 0.02 * mass * size**2 * np.eye(3)
            six = [*np.diag(J), -J[0, 1], -J[0, 2], -J[1, 2]]
        return self.model.part(name, mass, tuple(six), tuple(middle))

    # ---- drawing -----------------------------------------------------------------------------------------------------
    def build(self) -> Axle:
        """Create its elements. Raises `ModelError` for data that are missing, misspelt or inconsistent."""
        t = self.template
        parts = set(t.parts) | {p for word, names in extras.PARTS.items() if word in self.data for p in names}
        for word in table_of(self.data.get("parts", {}), f"{self.name}.parts"):
            if word not in parts:
                raise ModelError(
                    f"{self.name}.parts: a {t.name} axle has no part '{word}'{did_you_mean(word, sorted(parts))}"
                )
        bushes = set(t.bushings) | {b for word, names in extras.BUSHINGS.items() if word in self.data for b in names}
        for word in table_of(self.data.get("bushings", {}), f"{self.name}.bushings"):
            if word not in bushes:
                raise ModelError(
                    f"{self.name}.bushings: a {t.name} axle has no bushing '{word}'{did_you_mean(word, sorted(bushes))}"
                )
        for word in ("twist", "leaf"):
            if word in self.data and word not in t.words:
                raise ModelError(f"{self.name}: a {t.name} axle does not read '{word}'; leave it out")
        if "subframe" in self.data:
            extras.subframe(self)
        if "steering" in self.data:
            extras.steering(self)
        if t.axle is not None:
            t.axle(self)
        else:
            for side in self.sides:
                assert t.side is not None
                t.side(side)
        if "anti_roll_bar" in self.data:
            extras.anti_roll_bar(self)
        for side in self.sides:
            if side.carrier is None:
                raise ModelError(
                    f"{self.name}: template '{t.name}' did not name the part that carries the {side.name} wheel; call "
                    "side.carries(part)"
                )
        return self

    def seat_variable(self) -> Element:
        if self.seat is None:
            self.seat = self.model.input(self.label("spring seat"), self.seat_value)
        return self.seat

    def spring_force(self, i: Any, j: Any, drawn: float, name: str) -> None:
        """The spring between two markers: F = f(seat + drawn - d), pushing apart; f linear or the cubic spline through
        a measured curve."""
        where = f"{self.name}.spring"
        if "spring" not in self.data:
            raise ModelError(f"{self.name} has no spring; give 'spring': {{\"rate\": ...}} or a measured 'curve'")
        data = table_of(self.data["spring"], where, TABLES_OF_AXLE["spring"])
        if ("rate" in data) == ("curve" in data):
            raise ModelError(f"{where} needs either a rate or a curve of [deflection, force]")
        if "load" in data and "free" in data:
            raise ModelError(f"{where} gives load and free length; give one of them")
        m = self.model
        rate = 0.0
        x: Any = ()
        y: Any = ()
        if "rate" in data:
            rate = number_of(data["rate"], f"{where}.rate", positive=True)
        else:
            x, y = curve_of(data["curve"], f"{where}.curve")
        if self.seat is None:
            if "free" in data:
                self.seat_value = number_of(data["free"], f"{where}.free", positive=True) - drawn
            elif "load" in data:
                load = number_of(data["load"], f"{where}.load")
                self.seat_value = load / rate if rate else inverse(x, y, load, where)
        seat = self.seat_variable()
        deflection = f"VARVAL({seat.id})+{drawn!r}-DM({i.id},{j.id})"
        if rate:
            m.sforce(i, j, f"{rate!r}*({deflection})", name)
        else:
            curve = m.spline(x, y, linear_extrapolate=True, name=f"{name} curve")
            m.sforce(i, j, f"CUBSPL({deflection},0,{curve.id},0)", name)

    def damper_data(self) -> tuple[float | None, list[float], list[float], float]:
        """(rate or None, velocities, forces of a measured curve, gas force) of the damper."""
        where = f"{self.name}.damper"
        if "damper" not in self.data:
            raise ModelError(f"{self.name} has no damper; give 'damper': {{\"rate\": ...}} or a measured 'curve'")
        data = table_of(self.data["damper"], where, TABLES_OF_AXLE["damper"])
        if ("rate" in data) == ("curve" in data):
            raise ModelError(f"{where} needs either a rate or a curve of [velocity, force]")
        gas = number_of(data.get("gas_force", 0.0), f"{where}.gas_force")
        if "rate" in data:
            return number_of(data["rate"], f"{where}.rate", least=0.0), [], [], gas
        x, y = curve_of(data["curve"], f"{where}.curve")
        if y[0] > 0.0 or y[-1] < 0.0:
            raise ModelError(
                f"{where}.curve would drive the motion: forces must be negative in bump (velocity < 0) and positive in "
                "rebound"
            )
        return None, x, y, gas

    def damper_rate(self) -> float:
        """Slope of the damper's force at rest."""
        from scipy.interpolate import CubicSpline

        rate, x, y, _ = self.damper_data()
        return float(CubicSpline(x, y, bc_type="natural")(0.0, 1)) if rate is None else rate

    def damper_force(self, i: Any, j: Any, name: str) -> None:
        """The damper between two markers: F = -f(d'), d' > 0 in rebound; f linear or the cubic spline through a
        measured curve; and its gas force."""
        rate, x, y, gas = self.damper_data()
        m = self.model
        add = f"+{gas!r}" if gas else ""
        v = f"VR({i.id},{j.id})"
        if rate is not None:
            m.sforce(i, j, f"-{rate!r}*{v}{add}", name)
        else:
            curve = m.spline(x, y, linear_extrapolate=True, name=f"{name} curve")
            m.sforce(i, j, f"-CUBSPL({v},0,{curve.id},0){add}", name)

    def stop_force(self, word: str, i: Any, j: Any, drawn: float, name: str) -> None:
        """A stop: F = rate s |s|^(power-1) beyond its clearance from the drawn length, towards the drawn length; or
        Akima's spline through a measured curve."""
        if word not in self.data:
            return
        where = f"{self.name}.{word}"
        data = table_of(self.data[word], where, ("clearance", "rate", "power", "curve"))
        gap = number_of(data.get("clearance", 0.0), f"{where}.clearance", least=0.0)
        bump = word == "bump_stop"
        s = f"{drawn - gap!r}-DM({i.id},{j.id})" if bump else f"DM({i.id},{j.id})-{drawn + gap!r}"
        sign = "" if bump else "-"
        if "curve" in data:
            if "rate" in data:
                raise ModelError(f"{where} needs either a rate or a curve of [deflection, force]")
            x, y = curve_of(data["curve"], f"{where}.curve")
            if x[0] != 0.0 or y[0] != 0.0:
                raise ModelError(f"{where}.curve must begin at [0, 0], where the stop is touched")
            curve = self.model.spline([-1.0 * x[1], *x], [0.0, *y], linear_extrapolate=True, name=f"{name} curve")
            self.model.sforce(i, j, f"{sign}AKISPL(MAX(0,{s}),0,{curve.id},0)", name)
        else:
            if "rate" not in data:
                raise ModelError(f"{where} needs a rate (force / length^power) or a curve of [deflection, force]")
            rate = number_of(data["rate"], f"{where}.rate", positive=True)
            power = number_of(data.get("power", 2.0), f"{where}.power", least=1.0)
            self.model.sforce(i, j, f"{sign}{rate!r}*MAX(0,{s})**{power!r}", name)

    def bushing_data(self, point: str) -> dict[str, Any] | None:
        bushings = self.data.get("bushings", {})
        if point not in bushings:
            return None
        return table_of(bushings[point], f"{self.name}.bushings.{point}", ("k", "kt", "damping", "x"))

    def rubber(
        self, name: str, i: Any, j: Any, point: str, at: np.ndarray, axis: np.ndarray, side: float = 1.0
    ) -> Bushing:
        """A bushing between two bodies: z along ``axis``; k, kt of the data, C = damping K.  Raises ModelError where
        the data has none."""
        data = self.bushing_data(point)
        if data is None:
            raise ModelError(
                f"{self.name}.bushings: '{point}' is missing, which a compliant axle needs; give its k (two radial, "
                f"one axial) and kt, or mode = '{KINEMATIC}'"
            )
        where = f"{self.name}.bushings.{point}"
        if "k" not in data:
            raise ModelError(f"{where} has no k; give three stiffnesses (radial, radial, axial)")
        k = numbers_of(data["k"], f"{where}.k", 3)
        kt = numbers_of(data.get("kt", [0.0, 0.0, 0.0]), f"{where}.kt", 3)
        if min(*k, *kt) < 0.0 or not max(k) > 0.0:
            raise ModelError(f"{where}: stiffnesses must be zero or more, and one of k positive")
        tau = number_of(data.get("damping", 0.0), f"{where}.damping", least=0.0)
        x = None
        if "x" in data:
            x = np.array(numbers_of(data["x"], f"{where}.x", 3)) * (1.0, side, 1.0)
        else:
            x = _across(axis)
        mi = self.model.marker_at(i, at, z=axis, x=x)
        mj = self.model.marker_at(j, at, z=axis, x=x)
        return self.model.bushing(
            mi,
            mj,
            stiffness=k,
            rotational_stiffness=kt,
            damping=[tau * v for v in k],
            rotational_damping=[tau * v for v in kt],
            name=name,
        )


def _across(axis: np.ndarray) -> np.ndarray:
    """A direction across ``axis`` that is the mirror image of itself on the other side: in the plane of the axis and z,
    or x."""
    z = np.array([0.0, 0.0, 1.0])
    a = axis / np.linalg.norm(axis)
    c = np.cross(a, z)
    return np.array([1.0, 0.0, 0.0]) if np.linalg.norm(c) < 1e-3 else z - (z @ a) * a


class Side:
    """One side of an axle while it is drawn: ``side``: +1 left, -1 right; ``base``: the subframe, or the chassis;
    ``chassis``."""

    def __init__(self, axle: Axle, name: str):
        self.axle, self.name, self.side = axle, name, SIGN[name]
        self.model = axle.model
        self.carrier: Any = None
        self.hub: Any = None
        self.parts: dict[str, Any] = {}

    base = property(lambda self: self.axle.base)
    chassis = property(lambda self: self.axle.chassis)

    def at(self, point: str) -> np.ndarray:
        """Place of a hardpoint (3,), ground.  Raises ModelError where it is not given."""
        points = self.axle.points[self.name]
        t = self.axle.template
        while point not in points:
            fallback = t.optional.get(point)
            if fallback is None:
                raise ModelError(f"{self.axle.name}.hardpoints: '{point}' is missing")
            point = fallback[0]
        return points[point]

    def label(self, what: str) -> str:
        return self.axle.label(self.name, what.replace("_", " "))

    def part(self, name: str, points: str) -> Part:
        """A part that joins hardpoints (names with blanks between), of the mass in ``parts``."""
        where = np.array([self.at(p) for p in points.split()])
        made = self.axle.draw_part(
            self.label(name), self.axle.part_data(name), where, self.side, f"{self.axle.name}.parts.{name}"
        )
        self.parts[name] = made
        middle = where.mean(axis=0)
        for p in where:
            if len(where) > 1 and np.linalg.norm(p - middle) > 0.0:
                _line(self.model, made, middle, p, 0.012 / self.model.units.si_length)
        return made

    def carries(self, part: Any) -> None:
        """This part carries the wheel: marker ``hub`` at hardpoint wheel_centre, y along the spin axis with static toe
        and camber (degrees)."""
        toe = math.radians(number_of(self.axle.wheel.get("toe", 0.0), f"{self.axle.name}.wheel.toe"))
        camber = math.radians(number_of(self.axle.wheel.get("camber", 0.0), f"{self.axle.name}.wheel.camber"))
        s = np.array([math.sin(toe) * math.cos(camber), math.cos(toe) * math.cos(camber), -math.sin(camber)])
        if self.side < 0:
            s = np.array([-s[0], s[1], -s[2]])
        x = np.cross(s, [0.0, 0.0, 1.0])
        x /= np.linalg.norm(x)
        axes = np.column_stack([x, s, np.cross(x, s)])
        self.carrier = part
        self.hub = self.model.marker_at(part, self.at("wheel_centre"), axes=axes, name=self.label("hub"))

    # ---- joints or bushings ------------------------------------------------------------------------------------------
    def hinge(self, part: Any, base: Any, front: str, rear: str) -> None:
        """Two eyes on one axis: a revolute joint (kinematic), or two bushings with z along it."""
        a, b = self.at(front), self.at(rear)
        axis = b - a
        if not np.linalg.norm(axis) > 0.0:
            raise ModelError(
                f"{self.axle.name}.hardpoints: '{front}' and '{rear}' lie at the same point, and the hinge between "
                f"them "
                f"has "
                "no axis; move one"
            )
        if self.axle.compliant:
            for word, p in ((front, a), (rear, b)):
                self.axle.rubber(self.label(word), part, base, word, p, axis, self.side)
        else:
            self.model.revolute(part, base, self.label(f"{front} hinge"), at=0.5 * (a + b), axis=axis)

    def ball(self, a: Any, b: Any, point: str) -> None:
        """A ball joint; in a compliant axle a bushing (z up) where the data has one of that name."""
        if self.axle.compliant and self.axle.bushing_data(point) is not None:
            self.axle.rubber(self.label(point), a, b, point, self.at(point), np.array([0.0, 0.0, 1.0]), self.side)
        else:
            self.model.spherical(a, b, self.label(point), at=self.at(point))

    def link(self, name: str, inner: str, outer: str, base: Any, carrier: Any, rubber: bool = True) -> Part:
        """A rod between two points: ball joint outside, universal joint inside (kinematic); bushings (z across the rod,
        level) where ``rubber``, else as before."""
        rod = self.part(name, f"{inner} {outer}")
        p, q = self.at(inner), self.at(outer)
        d = q - p
        if not np.linalg.norm(d) > 0.0:
            raise ModelError(
                f"{self.axle.name}.hardpoints: '{inner}' and '{outer}' lie at the same point; a rod needs a length"
            )
        eye = np.cross(d, [0.0, 0.0, 1.0])
        eye = eye if np.linalg.norm(eye) > 1e-6 * np.linalg.norm(d) else np.array([1.0, 0.0, 0.0])
        eye = eye * self.side  # the mirror image of an axis of rotation
        if self.axle.compliant and self.axle.bushing_data(outer) is not None:
            self.axle.rubber(self.label(outer), rod, carrier, outer, q, eye, self.side)
        else:
            self.model.spherical(rod, carrier, self.label(outer), at=q)
        if self.axle.compliant and rubber:
            self.axle.rubber(self.label(inner), rod, base, inner, p, eye, self.side)
        else:
            self.model.hooke(rod, base, self.label(inner), at=p, axis=d, x=np.cross(eye, d))
        return rod

    def tie_rod(
        self, carrier: Any, inner: str = "tie_rod_inner", outer: str = "tie_rod_outer", name: str = "tie_rod"
    ) -> None:
        """To the steering where the axle is steered, to the base where not (with a bushing inside when compliant)."""
        steering = self.axle.steering
        base = steering.ends[self.name] if steering is not None else self.base
        self.link(name, inner, outer, base, carrier, rubber=steering is None)

    def slider(self, tube: Any, rod: Any, low: str, high: str) -> None:
        """A strut: the rod slides and turns in the tube along the line of two points."""
        a, b = self.at(low), self.at(high)
        if not np.linalg.norm(b - a) > 0.0:
            raise ModelError(
                f"{self.axle.name}.hardpoints: '{low}' and '{high}' lie at the same point, and the strut has no axis; "
                "move one"
            )
        self.model.cylindrical(tube, rod, self.label("strut"), at=a, axis=b - a)

    def mount(self, part: Any, base: Any, point: str, axis: np.ndarray) -> None:
        """A top mount: a universal joint (kinematic), or a bushing with z along ``axis``."""
        if self.axle.compliant:
            self.axle.rubber(self.label(point), part, base, point, self.at(point), axis, self.side)
        else:
            self.model.hooke(part, base, self.label(point), at=self.at(point), axis=axis, x=_across(axis))

    # ---- springs -----------------------------------------------------------------------------------------------------
    def spring(self, below: Any, above: Any, low: str = "spring_lower", high: str = "spring_upper") -> None:
        """Spring and stops between two hardpoints."""
        i, j = self._pair(below, above, low, high, "spring")
        drawn = float(np.linalg.norm(self.at(high) - self.at(low)))
        self.axle.springs[self.name] = (i, j)
        self.axle.spring_force(i, j, drawn, self.label("spring"))

    def damper(self, below: Any, above: Any, low: str = "damper_lower", high: str = "damper_upper") -> None:
        """Damper between two hardpoints, with bump and rebound stop where the data has them."""
        i, j = self._pair(below, above, low, high, "damper")
        drawn = float(np.linalg.norm(self.at(high) - self.at(low)))
        self.axle.dampers[self.name] = (i, j)
        self.axle.damper_force(i, j, self.label("damper"))
        for word in ("bump_stop", "rebound_stop"):
            self.axle.stop_force(word, i, j, drawn, self.label(word))

    def _pair(self, below: Any, above: Any, low: str, high: str, what: str) -> tuple[Any, Any]:
        p, q = self.at(low), self.at(high)
        if not np.linalg.norm(q - p) > 0.0:
            raise ModelError(
                f"{self.axle.name}.hardpoints: '{low}' and '{high}' lie at the same point; a {what} needs a length"
            )
        return self.model.marker_at(below, p, name=self.label(f"{what} lower")), self.model.marker_at(
            above, q, name=self.label(f"{what} upper")
        )

    def link_bar(self, part: Any, point: str = "bar_link_outer") -> None:
        """The anti-roll bar's link is attached to this part."""
        self.axle.links[self.name] = (part, point)


def _line(model: Model, part: Any, a: np.ndarray, b: np.ndarray, radius: float) -> None:
    from ..model import drawing

    drawing.rod(model, part, tuple(a), tuple(b), radius)
