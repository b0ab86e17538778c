"""Cams from lift laws: normalised laws with their closed-form peaks, programmes of rises, dwells and returns, contours,
valve trains.

A law is s(u), u = 0 to 1, s(1) = 1; a rise of lift h over the angle B at the speed w has v = h w/B s'(u), a = h (w/B)^2
s''(u), so that peaks are C_v h w/B and C_a h (w/B)^2:

    3-4-5            10 u^3 - 15 u^4 + 6 u^5                      C_v 15/8           C_a 10/sqrt(3)
    4-5-6-7          35 u^4 - 84 u^5 + 70 u^6 - 20 u^7            C_v 35/16          C_a 84/(5 sqrt(5))
    cycloidal        u - sin(2 pi u)/(2 pi)                       C_v 2              C_a 2 pi
    modified sine    quarter waves of 1/4 and 3/2 of the angle    C_v 4 pi/(4 + pi) = 1.7596    C_a 4 pi^2/(4 + pi) =
        5.5280
    harmonic         (1 - cos(pi u))/2                            C_v pi/2           C_a pi^2/2, with jumps at the ends

Source: R. L. Norton, Cam Design and Manufacturing Handbook (2009), ch. 3; VDI 2143.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._summary import Summary
from ..model import Model, drawing
from ..model.base import ModelError, did_you_mean, shown
from .drive import ramped

LAWS = ("3-4-5", "4-5-6-7", "cycloidal", "modified sine", "harmonic")
#: peaks of s' and s''
FACTORS = {
    "3-4-5": (15.0 / 8.0, 10.0 / math.sqrt(3.0)),
    "4-5-6-7": (35.0 / 16.0, 84.0 / (5.0 * math.sqrt(5.0))),
    "cycloidal": (2.0, 2.0 * math.pi),
    "modified sine": (4.0 * math.pi / (4.0 + math.pi), 4.0 * math.pi**2 / (4.0 + math.pi)),
    "harmonic": (0.5 * math.pi, 0.5 * math.pi**2),
}


def law(name: str, u: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """s, s', s'' of a lift law at u (n,), 0 to 1.  Raises `ModelError` for names that are none."""
    if name not in LAWS:
        raise ModelError(f"law is {shown(name)}{did_you_mean(str(name), LAWS)}; give one of {', '.join(LAWS)}")
    u = np.asarray(u, float)
    pi = math.pi
    if name == "3-4-5":
        return u**3 * (10 - 15 * u + 6 * u**2), 30 * u**2 * (1 - u) ** 2, 60 * u * (1 - 3 * u + 2 * u**2)
    if name == "4-5-6-7":
        return (
            u**4 * (35 - 84 * u + 70 * u**2 - 20 * u**3),
            140 * u**3 * (1 - u) ** 3,
            420 * u**2 * (1 - u) ** 2 * (1 - 2 * u),
        )
    if name == "cycloidal":
        return u - np.sin(2 * pi * u) / (2 * pi), 1 - np.cos(2 * pi * u), 2 * pi * np.sin(2 * pi * u)
    if name == "harmonic":
        return 0.5 * (1 - np.cos(pi * u)), 0.5 * pi * np.sin(pi * u), 0.5 * pi**2 * np.cos(pi * u)
    # modified sine: acceleration sin(4 pi u) for 1/8, then cos over 3/4 of the angle, then the mirror
    c = pi / (4.0 + pi)
    early, late = u < 0.125, u > 0.875
    wave = pi * (1 + 4 * u) / 3.0
    s = c * (2.0 / pi + u - 9.0 / (4.0 * pi) * np.sin(wave))
    v = c * (1.0 - 3.0 * np.cos(wave))
    a = 4.0 * pi * c * np.sin(wave)
    s = np.where(
        early,
        c * (u - np.sin(4 * pi * u) / (4 * pi)),
        np.where(late, c * (4.0 / pi + u - np.sin(4 * pi * u) / (4 * pi)), s),
    )
    v = np.where(early | late, c * (1.0 - np.cos(4 * pi * u)), v)
    a = np.where(early | late, 4.0 * pi * c * np.sin(4 * pi * u), a)
    return s, v, a


@dataclass(frozen=True)
class CamProgram(Summary):
    """Cam program over one turn: ``events``, rows (kind, angle, law) with kind "rise", "dwell" or "return", angle in
    radians (the sum is 2 pi), law "3-4-5", "4-5-6-7", "cycloidal", "modified sine" or "harmonic" ("" for dwells);
    ``lift`` in length units. Raises `ModelError` for an invalid list."""

    events: tuple[tuple[str, float, str], ...]
    lift: float

    def __post_init__(self) -> None:
        rows = [tuple(row) if len(row) == 3 else (*row, "") for row in self.events]
        up = False
        for kind, angle, name in rows:
            if kind not in ("rise", "dwell", "return"):
                raise ModelError(
                    f"an event of a cam is {shown(kind)}{did_you_mean(str(kind), ('rise', 'dwell', 'return'))}; give "
                    "'rise', 'dwell' or 'return'"
                )
            if not (math.isfinite(angle) and angle > 0.0):
                raise ModelError(f"angle of a {kind} is {shown(angle)}; give a positive angle, radians")
            if kind != "dwell":
                law(name, 0.0)
                if (kind == "rise") == up:
                    raise ModelError(
                        "a cam rises twice, or returns twice, without the other between; put rises and returns in turn"
                    )
                up = kind == "rise"
        if up or abs(sum(a for _, a, _ in rows) - 2.0 * math.pi) > 1e-9:
            raise ModelError(
                f"the events of a cam make {sum(a for _, a, _ in rows):.6g} rad and end {'up' if up else 'down'}; give "
                "a whole turn that ends where it begins"
            )
        if not (math.isfinite(self.lift) and self.lift > 0.0):
            raise ModelError(f"lift of a cam is {shown(self.lift)}; give a positive length")
        object.__setattr__(self, "events", tuple(rows))

    def __call__(self, angle: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Lift and its first and second derivative by the angle at angles (n,), rad: length, length/rad,
        length/rad^2."""
        a = np.mod(np.asarray(angle, float), 2.0 * math.pi)
        out = [np.zeros_like(a) for _ in range(3)]
        begin, base = 0.0, 0.0
        for kind, width, name in self.events:
            here = (a >= begin) & (a < begin + width + 1e-15)
            if kind == "dwell":
                values = (np.full(here.sum(), base), 0.0, 0.0)
            else:
                sign = 1.0 if kind == "rise" else -1.0
                s, v, q = law(name, (a[here] - begin) / width)
                values = (base + sign * s, sign * v / width, sign * q / width**2)
                base += sign
            for target, value in zip(out, values):
                target[here] = self.lift * value
            begin += width
        return tuple(out)

    def flat_radius(self, base: float, points: int = 2000) -> float:
        """Minimum radius of curvature of the contour under a flat follower, r_b + s + s''; negative for an undercut
        cam."""
        s, _, q = self(np.linspace(0.0, 2.0 * math.pi, points, endpoint=False))
        return float((base + s + q).min())

    def pressure_angle(self, prime: float, offset: float = 0.0, points: int = 2000) -> float:
        """Largest pressure angle (rad) of a roller follower on the prime circle (base and roller radius): tan = (s' -
        offset)/(s + sqrt(prime^2 - offset^2))."""
        s, v, _ = self(np.linspace(0.0, 2.0 * math.pi, points, endpoint=False))
        return float(np.abs(np.arctan2(v - offset, s + math.sqrt(prime**2 - offset**2))).max())

    def contour(self, base: float, points: int = 360) -> np.ndarray:
        """(points, 2) of the contour under a flat follower that moves along y: the envelope x = r cos a - s' ..., as
        drawn at angle zero.  Raises `ModelError` for an undercut contour."""
        if self.flat_radius(base) <= 0.0:
            raise ModelError(
                f"a base circle of {base:g} is too small for this cam under a flat follower; give more than "
                f"{base - self.flat_radius(base):.4g}"
            )
        a = np.linspace(0.0, 2.0 * math.pi, points, endpoint=False)
        s, v, _ = self(a)
        r = base + s
        # the cam turns by a anticlockwise, so points lie at -a in its own axes
        return np.stack([r * np.sin(a) + v * np.cos(a), r * np.cos(a) - v * np.sin(a)], axis=1)


def separation_speed(cam: CamProgram, mass: float, spring: float, preload: float) -> float:
    """Speed (rad/s) above which a follower modelled as one mass (kg) lifts off the cam: the smallest w with m w^2 s'' +
    k s + preload = 0 (N/mm, N, lift in mm)."""
    s, _, q = cam(np.linspace(0.0, 2.0 * math.pi, 7200, endpoint=False))
    falls = q < 0.0
    return float(np.sqrt(((spring * s[falls] + preload) / (-q[falls] * mass * 1e-3)).min()))


def valve_train(
    cam: CamProgram,
    *,
    speed: float = 150.0,
    rise: float = 0.05,
    base: float = 20.0,
    tappet: float = 0.08,
    valve: float = 0.1,
    pushrod: float = 2e4,
    contact: float = 5e4,
    spring: float = 40.0,
    preload: float = 300.0,
    lash: float = 0.0,
    damping: float = 0.03,
    name: str = "valve train",
) -> Model:
    """Cam, tappet, pushrod and valve with its spring, in mm, kg, N: the cam turns with ``speed`` (rad/s) after ``rise``
    (s).

    ``tappet``, ``valve``: masses; ``contact``, ``pushrod``: stiffness (N/mm) of the unilateral contact with the cam and
    of the pushrod between tappet and valve, with ``damping`` as a ratio of each; ``spring`` (N/mm), ``preload`` (N);
    ``lash``: clearance between cam and tappet on the base circle.
    Names: parts "cam", "tappet", "valve", motion "drive",
    request "train" (cam angle, lift of the contour, travels of tappet and valve, contact force).  Raises `ModelError`
    for undercut cams and numbers that are not positive.
    """
    for what, value in (
        ("speed", speed),
        ("rise", rise),
        ("tappet", tappet),
        ("valve", valve),
        ("pushrod", pushrod),
        ("contact", contact),
    ):
        if not (math.isfinite(value) and value > 0.0):
            raise ModelError(f"{what} of a valve train is {shown(value)}; give a positive number")
    if not (spring >= 0.0 and preload >= 0.0 and lash >= 0.0 and damping >= 0.0):
        raise ModelError("spring, preload, lash and damping of a valve train must not be negative")
    model = Model(name, units="mm")
    model.gravity = (0.0, 0.0, 0.0)
    ground, z, y = model.ground, (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)
    wheel = model.part("cam", 0.5, (100.0, 100.0, 150.0), (0.0, 0.0, 0.0))
    outline = cam.contour(base)
    model.extrusion(wheel, outline[::-1], 12.0, (0.0, 0.0, -6.0), z, (1.0, 0.0, 0.0), color="STEEL_BLUE")
    shaft = model.revolute(wheel, ground, "cam shaft", at=(0, 0, 0), axis=z)
    model.motion(shaft, ramped(speed, rise), "drive")
    bodies = []
    for word, mass, height in (("tappet", tappet, base + 10.0), ("valve", valve, base + 60.0)):
        part = model.part(word, mass, (mass * 50.0,) * 3, (0.0, height, 0.0))
        drawing.block(model, part, (0.0, height, 0.0), (16.0, 18.0, 16.0), color="GOLD")
        model.translational(part, ground, f"{word} guide", at=(0.0, height, 0.0), axis=y)
        bodies.append((part, model.marker(part), model.marker_at(ground, (0.0, height, 0.0))))
    angles = np.linspace(-2.0 * math.pi, 2.0 * math.pi, 1441)
    s, v, _ = cam(angles)
    lift, slope = model.spline(angles, s, name="lift"), model.spline(angles, v, name="slope of lift")
    turn = f"MOD(AZ({shaft.i},{shaft.j}),{float(2.0 * math.pi)!r})"
    at = f"AKISPL({turn},0,{lift.id})"
    steep = f"AKISPL({turn},0,{slope.id})"
    (_, t, t0), (_, w, w0) = bodies
    c = 2.0 * damping * math.sqrt(1e-3 * contact * tappet)
    depth = model.variable(f"{at}-{float(lash)!r}-DY({t},{t0})", "depth of contact")
    rate = f"({steep}*WZ({shaft.i},{shaft.j})-VY({t},{t0}))"
    d = f"VARVAL({depth.id})"
    push = model.variable(
        f"IF({d}: 0, 0, MAX(0, {float(contact)!r}*{d}+{float(c)!r}*{rate}*STEP({d},0,0,0.001,1)))", "contact force"
    )
    model.vforce(t, ground, "0", f"VARVAL({push.id})", "0", name="contact")
    model.sforce(
        shaft.i, shaft.j, f"-VARVAL({push.id})*{steep}", "torque of the contact", kind="ROTATIONAL", actiononly=True
    )
    rod = 2.0 * damping * math.sqrt(1e-3 * pushrod * tappet * valve / (tappet + valve))
    force = f"{float(pushrod)!r}*(DY({t},{t0})-DY({w},{w0}))+{float(rod)!r}*(VY({t},{t0})-VY({w},{w0}))"
    model.vforce(
        w,
        ground,
        "0",
        f"{force}-{float(spring)!r}*DY({w},{w0})-{float(preload)!r}",
        "0",
        name="pushrod and spring on the valve",
    )
    model.vforce(t, ground, "0", f"-({force})", "0", name="pushrod on the tappet")
    model.request(
        "train", functions=[f"AZ({shaft.i},{shaft.j})", at, f"DY({t},{t0})", f"DY({w},{w0})", f"VARVAL({push.id})"]
    )
    return model


def standard_cam(lift: float = 8.0, half: float = math.radians(80.0), name: str = "3-4-5") -> CamProgram:
    """A valve cam: up over ``half``, down over ``half`` by one law, closed for the rest of the turn."""
    return CamProgram((("rise", half, name), ("return", half, name), ("dwell", 2.0 * math.pi - 2.0 * half, "")), lift)


def factors_table() -> Sequence[tuple[str, float, float, float, float]]:
    """(law, C_v, C_a by closed form, C_v, C_a of the law's derivatives at 20,001 points)."""
    u = np.linspace(0.0, 1.0, 20001)
    return [(name, *FACTORS[name], float(law(name, u)[1].max()), float(np.abs(law(name, u)[2]).max())) for name in LAWS]
