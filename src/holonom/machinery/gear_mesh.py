"""Involute gears: geometry of a pair, stiffness of its mesh over a period, static transmission error, sliding, loss.

Geometry (ISO 21771): transverse module m_t = m_n / cos beta, tan alpha_t = tan alpha_n / cos beta, inv alpha_wt = inv
alpha_t + 2 tan alpha_n (x1 + x2)/(z1 + z2), a = (r_b1 + r_b2) /
cos alpha_wt; of an internal pair z2, x2 and r_b2 count negative.  Tooth depths by the basic rack of ISO 53 (profile A:
addendum 1, dedendum 1.25, root radius 0.38 modules).

Stiffness of one pair per width at a point of the line of action, after Weber and Banaschek (C. Weber, K. Banaschek,
Formaenderung und Profilruecknahme bei gerad- und schraegverzahnten Raedern, 1953), nu = 0.3, with the height y of the
force over the root section (s_f thick, at the 30 degree tangents), x half the thickness, alpha' the angle of the force
to the tooth's middle:

    tooth    cos^2 a'/E (10.92 int (y_p - y)^2/(2x)^3 dy + 3.1 (1 + 0.294 tan^2 a') int dy/(2x))
    body     cos^2 a'/E (5.2 (y_p/s_f)^2 + y_p/s_f + 1.4 (1 + 0.294 tan^2 a'))
    Hertz    2 (1 - nu^2)/(pi E) (ln(4 h1 h2/b^2) - nu/(1 - nu)),      b half width of contact, h to the middle of the
        teeth

ISO 6336-1 (method B) has the largest of one pair by a regression of the same, c'_th = 1/q', and c' = c'_th C_M C_R C_B
cos beta with C_M = 0.8 (measured gears are softer), and the
mean of the mesh c_gamma = c' (0.75 eps_alpha + 0.25).  Ring gears have teeth as stiff as those of a rack.

Loss: eta = 1 - mu H_v, H_v = pi (1/z1 + 1/z2)/cos beta_b (1 - eps_alpha + eps_1^2 + eps_2^2)  (H. Ohlendorf, 1958; G.
Niemann, H. Winter, Maschinenelemente II).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from .._summary import Summary
from ..model.base import ModelError, shown

YOUNG, NU = 206e3, 0.3  # N/mm^2
#: C1 to C9 of ISO 6336-1, q' in mm um / N
ISO_Q = (0.04723, 0.15551, 0.25791, -0.00635, -0.11654, -0.00193, -0.24188, 0.00529, 0.00182)


def inv(angle):
    """Involute function, tan a - a."""
    return np.tan(angle) - angle


def angle_of_inv(value: float) -> float:
    """The angle whose involute function is ``value``, by Newton's method.  Raises ModelError for negative values: no
    such gears exist."""
    if value < 0.0:
        raise ModelError("these profile shifts leave no pressure angle at work; give a larger sum of shifts")
    a = min((3.0 * value) ** (1.0 / 3.0), 1.4) if value > 0.0 else 0.0
    for _ in range(100):
        t = math.tan(a)
        if t == 0.0:
            return 0.0
        step = (t - a - value) / (t * t)
        a -= step
        if abs(step) < 1e-15:
            break
    return a


@dataclass(frozen=True)
class MeshTable(Summary):
    """A period of the mesh under a normal force ``load`` (N, transverse): ``phase`` (n,) 0 to 1, of the pinion's turn
    times its teeth; ``stiffness`` (n,) N/mm of all pairs that bear;
    ``transmission_error`` (n,) mm along the line of action, of the loaded pair behind the rigid one; ``unloaded`` (n,)
    mm: transmission error less load/stiffness (what profiles do);
    ``pairs`` (n,): teeth that bear (mean over the width); ``sliding`` (2, n) mm: arms of the friction forces, mean over
    loads, of pinion and wheel."""

    load: float
    phase: np.ndarray
    stiffness: np.ndarray
    transmission_error: np.ndarray
    unloaded: np.ndarray
    pairs: np.ndarray
    sliding: np.ndarray

    @property
    def peak_to_peak(self) -> float:
        """Of the transmission error, mm."""
        return float(np.ptp(self.transmission_error))


@dataclass(frozen=True)
class GearPair(Summary):
    """An involute pair, in mm and radians: ``teeth`` (z1, z2) of pinion and wheel, ``module`` and ``pressure_angle`` in
    the normal section, ``helix``, ``width``, ``shift``: profile
    shifts (x1, x2) in modules; ``internal``: the second is a ring; ``backlash``: backlash along the pitch circle;
    ``rack``: addendum, dedendum, root radius in modules (ISO 53, profile A);
    ``tip_relief``: depth (mm) at the tips of both, ``relief_length``: share of the single-pair side of the path over
    which it runs in, counted from the tip, in base pitches;
    ``young``: N/mm^2.

    Raises `ModelError` for invalid dimensions, for pairs that do not mesh, and for undercut and pointed teeth.
    """

    teeth: tuple[int, int] = (20, 30)
    module: float = 4.0
    pressure_angle: float = math.radians(20.0)
    helix: float = 0.0
    width: float = 40.0
    shift: tuple[float, float] = (0.0, 0.0)
    internal: bool = False
    backlash: float = 0.0
    rack: tuple[float, float, float] = (1.0, 1.25, 0.38)
    tip_relief: float = 0.0
    relief_length: float = 0.3
    young: float = YOUNG
    _cache: dict = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if len(self.teeth) != 2 or any(int(z) != z or z < 5 for z in self.teeth):
            raise ModelError(f"teeth are {shown(self.teeth)}; give two whole numbers from 5 on")
        for what in ("module", "width", "young", "pressure_angle"):
            if not (math.isfinite(getattr(self, what)) and getattr(self, what) > 0.0):
                raise ModelError(f"{what} of gears is {shown(getattr(self, what))}; give a positive number")
        if not self.pressure_angle < 0.7 or not 0.0 <= self.helix < 0.8:
            raise ModelError(
                f"pressure_angle is {self.pressure_angle:g} and helix {self.helix:g}; give radians, below 0.7 and from "
                "0 to 0.8"
            )
        if not (self.backlash >= 0.0 and self.tip_relief >= 0.0 and 0.0 < self.relief_length <= 1.0):
            raise ModelError("backlash and tip_relief must not be negative, and relief_length be from 0 to 1")
        if self.internal and self.teeth[1] <= self.teeth[0] + 5:
            raise ModelError(
                f"a ring of {self.teeth[1]} teeth is too small for a pinion of {self.teeth[0]}; give 6 teeth more "
                "or above"
            )
        for k in range(1 if self.internal else 2):
            least = self.teeth[k] * math.sin(self.transverse_angle) ** 2 / (2.0 * math.cos(self.helix))
            if self.rack[1] - self.rack[2] * (1.0 - math.sin(self.pressure_angle)) - self.shift[k] > least + 1e-9:
                raise ModelError(
                    f"gear {k + 1} of {self.teeth[k]} teeth is undercut; give a profile shift of "
                    f"{self.rack[1] - self.rack[2] * (1.0 - math.sin(self.pressure_angle)) - least:.3f} or more"
                )
        if not self.contact_ratio > 1.0:
            raise ModelError(
                f"the transverse contact ratio is {self.contact_ratio:.3f}; a pair needs more than 1: less shift, or "
                "more teeth"
            )
        for k in range(2):
            if self.tip_thickness(k) <= 0.0:
                raise ModelError(
                    f"teeth of gear {k + 1} are pointed below their tips; give less shift than {self.shift[k]:g}"
                )

    # ---- geometry
    @property
    def sign(self) -> int:
        """-1 of an internal pair, else 1."""
        return -1 if self.internal else 1

    @property
    def ratio(self) -> float:
        """Speed of the wheel over that of the pinion: -z1/z2, or z1/z2 of an internal pair."""
        return -self.sign * self.teeth[0] / self.teeth[1]

    @property
    def transverse_module(self) -> float:
        return self.module / math.cos(self.helix)

    @property
    def transverse_angle(self) -> float:
        return math.atan(math.tan(self.pressure_angle) / math.cos(self.helix))

    @property
    def base_helix(self) -> float:
        """Helix angle on the base cylinder."""
        return math.atan(math.tan(self.helix) * math.cos(self.transverse_angle))

    @property
    def working_angle(self) -> float:
        """Working transverse pressure angle."""
        total = self.teeth[0] + self.sign * self.teeth[1]
        shift = self.shift[0] + self.sign * self.shift[1]
        return angle_of_inv(float(inv(self.transverse_angle)) + 2.0 * math.tan(self.pressure_angle) * shift / total)

    @property
    def base_radii(self) -> tuple[float, float]:
        r = 0.5 * self.transverse_module * math.cos(self.transverse_angle)
        return r * self.teeth[0], r * self.teeth[1]

    @property
    def centre_distance(self) -> float:
        b = self.base_radii
        return abs(b[0] + self.sign * b[1]) / math.cos(self.working_angle)

    @property
    def pitch_radii(self) -> tuple[float, float]:
        """Radii of the working pitch circles."""
        c = math.cos(self.working_angle)
        return self.base_radii[0] / c, self.base_radii[1] / c

    @property
    def tip_radii(self) -> tuple[float, float]:
        """With the addenda of the rack, shifted; not shortened."""
        r = [0.5 * self.transverse_module * z for z in self.teeth]
        return r[0] + self.module * (self.rack[0] + self.shift[0]), r[1] + self.sign * self.module * (
            self.rack[0] + self.sign * self.shift[1]
        )

    @property
    def root_radii(self) -> tuple[float, float]:
        r = [0.5 * self.transverse_module * z for z in self.teeth]
        return r[0] - self.module * (self.rack[1] - self.shift[0]), r[1] - self.sign * self.module * (
            self.rack[1] - self.sign * self.shift[1]
        )

    @property
    def base_pitch(self) -> float:
        """Transverse, mm."""
        return math.pi * self.transverse_module * math.cos(self.transverse_angle)

    @property
    def path(self) -> tuple[float, float]:
        """Radii of curvature of the pinion's flank where contact begins (foot) and ends (tip), the pinion driving."""
        start, end = self._whole_path
        return max(start, 0.05 * self.base_pitch), end  # compliance grows without bound at the base circle

    @property
    def _whole_path(self) -> tuple[float, float]:
        """The same of tips as they are; those that would reach below the other's base circle, by a few hundredths of a
        module, are shortened to it."""
        b, t = self.base_radii, self.tip_radii
        between = self.centre_distance * math.sin(self.working_angle)
        end = math.sqrt(t[0] ** 2 - b[0] ** 2)
        of_wheel = math.sqrt(max(t[1] ** 2 - b[1] ** 2, 0.0))
        start = of_wheel - between if self.internal else between - of_wheel
        if start < -0.2 * self.base_pitch:
            raise ModelError(
                "tips of the wheel reach below the pinion's base circle (interference); give the pinion more teeth "
                "or shift"
            )
        return max(start, 0.0), end

    @property
    def contact_ratio(self) -> float:
        """Transverse, eps_alpha: the path of contact between the tips over the base pitch (ISO 21771)."""
        a, e = self._whole_path
        return (e - a) / self.base_pitch

    @property
    def overlap_ratio(self) -> float:
        """eps_beta of the helix."""
        return self.width * math.sin(self.helix) / (math.pi * self.module)

    def tip_thickness(self, gear: int) -> float:
        """Transverse thickness of a tooth at its tip, mm."""
        r = self.tip_radii[gear]
        return 2.0 * r * self._half_angle(gear, r)

    def _half_angle(self, gear: int, r):
        """Half the angle of a tooth at radius r, by its involute."""
        z, b = self.teeth[gear], self.base_radii[gear]
        side = -1.0 if self.internal and gear else 1.0
        half = 0.5 * math.pi / z + side * 2.0 * self.shift[gear] * math.tan(self.pressure_angle) / z
        at = np.arccos(np.minimum(b / r, 1.0))
        return (
            half
            + side * (inv(self.transverse_angle) - inv(at))
            - 0.25 * self.backlash / (0.5 * self.transverse_module * z)
        )

    # ---- stiffness
    @cached_property
    def _profiles(self) -> tuple[tuple[np.ndarray, np.ndarray, float], ...]:
        return tuple(self._profile(k) for k in range(2))

    def _profile(self, gear: int) -> tuple[np.ndarray, np.ndarray, float]:
        """Heights y (from the centre) and half thicknesses x of a tooth from its root section, at the 30 degree
        tangents, to its tip; a ring as a gear of many teeth."""
        z = 300 if self.internal and gear else self.teeth[gear]
        m, alpha, shift = (
            self.transverse_module,
            self.transverse_angle,
            0.0 if self.internal and gear else self.shift[gear],
        )
        depth, rho = self.rack[1] * self.module, self.rack[2] * self.module
        r = 0.5 * m * z
        H = depth - rho - shift * self.module
        centre = 0.25 * math.pi * m - depth * math.tan(alpha) - rho * (1.0 - math.sin(alpha)) / math.cos(alpha)
        u = np.linspace(0.0, max(H, 1e-9) / math.tan(alpha), 200)
        d = np.hypot(u, H)
        px, py = u + rho * u / d, r - H - rho * H / d
        turn = (u - centre) / r
        space = np.arctan2(np.cos(turn) * px - np.sin(turn) * py, np.sin(turn) * px + np.cos(turn) * py)
        radius = np.hypot(px, py)
        angle = math.pi / z - space
        base = r * math.cos(alpha)
        tip = r + self.module * (self.rack[0] + shift)
        upper = np.linspace(max(radius[-1], base * (1 + 1e-9)), tip, 200)[1:]
        half = (
            0.5 * math.pi / z
            + 2.0 * shift * math.tan(self.pressure_angle) / z
            + inv(alpha)
            - inv(np.arccos(base / upper))
        )
        x = np.concatenate([radius * np.sin(angle), upper * np.sin(half)])
        y = np.concatenate([radius * np.cos(angle), upper * np.cos(half)])
        slope = np.arctan2(-np.diff(x[:200]), np.diff(y[:200]))  # of the fillet to the middle line
        first = int(np.argmax(slope <= math.pi / 6.0)) if np.any(slope <= math.pi / 6.0) else 0
        return y[first:], x[first:], r

    def _tooth_compliance(self, gear: int, rho: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Compliance per width, mm^2/N times mm, of a tooth under forces where its flank has the radii of curvature rho
        (mm), and distances from there to its middle along the force."""
        y, x, r = self._profiles[gear]
        base = r * math.cos(self.transverse_angle)
        if self.internal and gear:
            # the point of the rack-like tooth as far below its tip as the ring's
            tip = y[-1]
            below = np.hypot(self.base_radii[1], rho) - self.tip_radii[1]
            radius = np.maximum(tip - below, base * 1.0001)
            rho = np.sqrt(radius**2 - base**2)
            shift, z = 0.0, 300
        else:
            shift, z = self.shift[gear], self.teeth[gear]
        at = np.arctan2(rho, base)
        psi = 0.5 * math.pi / z + 2.0 * shift * math.tan(self.pressure_angle) / z + inv(self.transverse_angle) - inv(at)
        load = at - psi
        height = base / np.cos(load)  # where the force meets the middle line
        out, arm = np.zeros(len(rho)), np.zeros(len(rho))
        for n in range(len(rho)):
            top = min(height[n], y[-1])
            yy = np.linspace(y[0], top, 120)
            xx = np.interp(yy, y, x)
            yp = height[n] - y[0]
            bend = np.trapezoid((height[n] - yy) ** 2 / (2 * xx) ** 3, yy)
            shear = np.trapezoid(1.0 / (2 * xx), yy)
            t2, sf = 1.0 + 0.294 * math.tan(load[n]) ** 2, 2.0 * x[0]
            tooth = 10.92 * bend + 3.1 * t2 * shear
            body = 5.2 * (yp / sf) ** 2 + yp / sf + 1.4 * t2
            out[n] = math.cos(load[n]) ** 2 / self.young * (tooth + body)
            arm[n] = math.hypot(base, rho[n]) * math.sin(psi[n]) / math.cos(load[n])
        return out, arm

    def pair_stiffness(self, rho: np.ndarray, load: float) -> np.ndarray:
        """Stiffness per width (N/mm^2) of one pair of teeth where the pinion's flank has the radius of curvature
        ``rho`` (n,), under ``load`` N per mm of width (the width of the
        Hertzian contact follows it)."""
        rho = np.asarray(rho, float)
        between = self.centre_distance * math.sin(self.working_angle)
        other = between + rho if self.internal else between - rho
        c1, h1 = self._tooth_compliance(0, rho)
        c2, h2 = self._tooth_compliance(1, other)
        curve = rho * other / np.maximum(other - rho if self.internal else other + rho, 1e-12)
        b2 = 8.0 * max(load, 1e-6) * np.maximum(curve, 1e-3 * self.module) * (1.0 - NU**2) / (math.pi * self.young)
        hertz = 2.0 * (1.0 - NU**2) / (math.pi * self.young) * (np.log(4.0 * h1 * h2 / b2) - NU / (1.0 - NU))
        return math.cos(self.base_helix) ** 2 / (c1 + c2 + hertz)

    def iso_stiffness(self, measured: bool = True) -> tuple[float, float]:
        """c' of one pair and c_gamma_alpha of the mesh by ISO 6336-1, N/(mm um); ``measured``: with C_M = 0.8, else of
        theory."""
        zn = [z / (math.cos(self.base_helix) ** 2 * math.cos(self.helix)) for z in self.teeth]
        x1, x2 = self.shift[0], 0.0 if self.internal else self.shift[1]
        rest = 0.0 if self.internal else 1.0 / zn[1]
        c = ISO_Q
        q = (
            c[0]
            + c[1] / zn[0]
            + c[2] * rest
            + c[3] * x1
            + c[4] * x1 / zn[0]
            + c[5] * x2
            + c[6] * x2 * rest
            + c[7] * x1**2
            + c[8] * x2**2
        )
        basic = (1.0 + 0.5 * (1.2 - self.rack[1])) * (1.0 - 0.02 * (20.0 - math.degrees(self.pressure_angle)))
        single = (0.8 if measured else 1.0) * basic * math.cos(self.helix) / q * self.young / YOUNG
        return single, single * (0.75 * self.contact_ratio + 0.25)

    def mesh(self, load: float, points: int = 64, slices: int = 24) -> MeshTable:
        """One mesh period under a normal force ``load`` (N), shared by tooth pairs and slices of the width according to
        their stiffness and relief. Raises `ModelError` for loads that are not positive."""
        if not (math.isfinite(load) and load > 0.0):
            raise ModelError(f"load of a mesh is {shown(load)}; give a positive force")
        key = (load, points, slices)
        if key in self._cache:
            return self._cache[key]
        start, end = self.path
        pb = self.base_pitch
        spread = 1 if self.helix == 0.0 else slices
        grid = np.linspace(start, end, 120)
        table = self.pair_stiffness(grid, load / self.width)
        between = self.centre_distance * math.sin(self.working_angle)
        pitch = self.base_radii[0] * math.tan(self.working_angle)
        phase = np.arange(points) / points
        offset = (np.arange(spread) + 0.5) / spread - 0.5
        most = int(math.ceil(self.contact_ratio + self.overlap_ratio)) + 2
        # places of pairs: the pitch point is passed in the middle of the width at phase 0
        place = (
            pitch
            + pb * (phase[:, None, None] + np.arange(-most, most + 1)[None, :, None])
            - offset[None, None, :] * self.width * math.tan(self.base_helix)
        )
        inside = (place > start) & (place < end)
        k = np.where(inside, np.interp(place, grid, table), 0.0) * self.width / spread
        run = self.relief_length * pb
        relief = self.tip_relief * (
            np.clip((place - (end - run)) / run, 0.0, None) + np.clip((start + run - place) / run, 0.0, None)
        )
        delta, stiff, pairs = np.zeros(points), np.zeros(points), np.zeros(points)
        slide = np.zeros((2, points))
        for n in range(points):
            bears = inside[n].copy()
            for _ in range(50):
                total = (k[n] * bears).sum()
                d = (load + (k[n] * relief[n] * bears).sum()) / total
                new = inside[n] & (relief[n] < d)
                if (new == bears).all():
                    break
                bears = new
            delta[n], stiff[n], pairs[n] = d, total, bears.sum() / spread
            share = k[n] * np.where(bears, d - relief[n], 0.0) / load
            # friction on the pinion against its sliding: before the pitch point one way, after it the other
            way = np.sign(place[n] - pitch) * share
            slide[0, n] = (way * place[n]).sum()
            slide[1, n] = (way * ((between + place[n]) if self.internal else (between - place[n]))).sum()
        out = MeshTable(float(load), phase, stiff, delta, delta - load / stiff, pairs, slide)
        self._cache[key] = out
        return out

    @property
    def loss_factor(self) -> float:
        """H_v of Ohlendorf: the mesh loses the fraction mu H_v of its power."""
        start, end = self.path
        pitch = self.base_radii[0] * math.tan(self.working_angle)
        e1, e2 = (end - pitch) / self.base_pitch, (pitch - start) / self.base_pitch
        return (
            math.pi
            * (1.0 / self.teeth[0] + self.sign / self.teeth[1])
            / math.cos(self.base_helix)
            * (1.0 - self.contact_ratio + e1**2 + e2**2)
        )
