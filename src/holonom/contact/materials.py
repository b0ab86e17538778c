"""Materials, Hertz's geometry of two surfaces, rules for pairs, and the parameters of a contact from what an engineer
knows.

**Point contact.**  Two surfaces with principal radii (inf: flat, negative: hollow) part from their common tangent plane
as A x^2 + B y^2, A <= B.  The contact is an ellipse of half-axes a >= b, q = b/a, and (Johnson, Contact Mechanics,
4.26)

    B/A = R_D(0, 1, q^2) / R_D(0, q^2, 1),   a^2 = d (K - E)/(e^2 A K),   F = 2/3 pi E* a d / K,   peak pressure 3 F/(2
        pi a b)

with K, E complete elliptic integrals of the modulus e, e^2 = 1 - q^2, and (K - E)/e^2 = R_D(0, q^2, 1)/3 in Carlson's
form, which does not lose digits at q = 1.  So F = 4/3 E* sqrt(R) d^(3/2) with an equivalent radius R for every point
contact.

**Line contact** (parallel cylinders): `laws.hertz_line`.

1/E* = (1 - nu_i^2)/E_i + (1 - nu_j^2)/E_j.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..model.base import ModelError
from ..model.outputs import Material as Written
from ..model.settings import Units
from .laws import _read, impact
from .laws.hertz_line import force as line_force


@dataclass(frozen=True)
class Material:
    """Young's modulus (Pa), Poisson's ratio, density (kg/m^3); where the numbers are from."""

    name: str
    young: float
    poisson: float
    density: float
    source: str = ""

    def __post_init__(self) -> None:
        if not (self.young > 0 and self.density >= 0):
            raise ModelError(f"material {self.name}: Young's modulus must be positive, density not negative")
        if not -1.0 < self.poisson < 0.5 + 1e-12:
            raise ModelError(f"material {self.name}: Poisson's ratio {self.poisson:g} is not between -1 and 1/2")


_SHIGLEY = "Budynas, Nisbett, Shigley's Mechanical Engineering Design, table A-5"
_TYPICAL = (
    "typical value of the class (Ashby, Materials Selection in Mechanical Design, appendix); batches differ by "
    "tens of percent"
)

#: name: E (GPa), nu, density (kg/m^3), source.  Handbook values, for a first model; the data sheet of the part decides.
_TABLE = {
    "steel": (207.0, 0.292, 7800.0, _SHIGLEY),
    "stainless steel": (190.0, 0.305, 7750.0, _SHIGLEY),
    "cast iron": (100.0, 0.211, 7200.0, _SHIGLEY),
    "aluminium": (71.7, 0.333, 2710.0, _SHIGLEY),
    "brass": (106.0, 0.324, 8550.0, _SHIGLEY),
    "bronze": (111.0, 0.349, 8170.0, _SHIGLEY + " (phosphor bronze)"),
    "copper": (119.0, 0.326, 8900.0, _SHIGLEY),
    "titanium": (114.0, 0.340, 4420.0, _SHIGLEY),
    "magnesium": (44.8, 0.350, 1800.0, _SHIGLEY),
    "lead": (36.5, 0.425, 11380.0, _SHIGLEY),
    "glass": (46.2, 0.245, 2590.0, _SHIGLEY),
    "silicon nitride": (310.0, 0.27, 3200.0, _TYPICAL),
    "alumina": (370.0, 0.22, 3900.0, _TYPICAL),
    "concrete": (30.0, 0.2, 2400.0, _TYPICAL),
    "granite": (60.0, 0.25, 2700.0, _TYPICAL),
    "oak": (11.0, 0.35, 700.0, _TYPICAL + "; along the grain"),
    "nylon": (2.8, 0.40, 1140.0, _TYPICAL),
    "acetal": (3.0, 0.35, 1410.0, _TYPICAL),
    "polycarbonate": (2.4, 0.37, 1200.0, _TYPICAL),
    "acrylic": (3.1, 0.37, 1190.0, _TYPICAL),
    "polyethylene": (0.9, 0.42, 950.0, _TYPICAL),
    "ptfe": (0.5, 0.46, 2200.0, _TYPICAL),
    "rubber": (0.002, 0.499, 930.0, _TYPICAL + "; natural rubber, small strain"),
    "polyurethane": (0.025, 0.49, 1150.0, _TYPICAL + "; elastomer of 80 Shore A"),
}
MATERIALS: dict[str, Material] = {
    name: Material(name, E * 1e9, nu, rho, source) for name, (E, nu, rho, source) in _TABLE.items()
}

#: dry static and sliding coefficients of clean surfaces: Avallone, Baumeister, Marks' Standard Handbook for Mechanical
#: Engineers, table of friction coefficients; rubber on concrete: Serway, Physics.  Oxides, moisture and wear change
#: them by half.
FRICTION: dict[frozenset[str], tuple[float, float]] = {
    frozenset(("steel",)): (0.74, 0.57),
    frozenset(("steel", "aluminium")): (0.61, 0.47),
    frozenset(("steel", "copper")): (0.53, 0.36),
    frozenset(("steel", "brass")): (0.51, 0.44),
    frozenset(("steel", "ptfe")): (0.04, 0.04),
    frozenset(("rubber", "concrete")): (1.0, 0.8),
}


def material(what: str | Material | Written, units: Units | None = None) -> Material:
    """A material by name (of `MATERIALS`), itself, or a MATERIAL of a model in ``units``.  Raises ModelError."""
    if isinstance(what, Material):
        return what
    if isinstance(what, str):
        found = MATERIALS.get(what.lower().replace("_", " "))
        if found is None:
            raise ModelError(
                f"there is no material '{what}' in the table; choose one of {', '.join(MATERIALS)}, or give a Material"
            )
        return found
    u = units or Units()
    if what.youngs_modulus is None or what.poissons_ratio is None:
        raise what.error("a contact needs YOUNGS_MODULUS and POISSONS_RATIO of its materials")
    pressure = u.si_force / u.si_length**2
    return Material(
        what.name or what.label,
        what.youngs_modulus * pressure,
        what.poissons_ratio,
        (what.density or 0.0) * u.si_mass / u.si_length**3,
    )


def reduced_modulus(i: Material, j: Material) -> float:
    """E* (Pa)."""
    return 1.0 / ((1.0 - i.poisson**2) / i.young + (1.0 - j.poisson**2) / j.young)


def reduced_radius(i: float, j: float = math.inf) -> float:
    """Two spheres (inf: a plane, negative: a hollow sphere): 1/R = 1/i + 1/j.  Raises ModelError where they conform or
    could not touch."""
    if i == 0.0 or j == 0.0:
        raise ModelError("a radius of curvature must not be 0: a sharp point has no Hertz contact")
    c = 1.0 / i + 1.0 / j
    if c < 0.0:
        raise ModelError(f"radii {i:g} and {j:g}: the ball must be smaller than the hollow it lies in")
    return 1.0 / c if c > 0.0 else math.inf


def effective_mass(i: float, j: float = math.inf) -> float:
    """m_i m_j/(m_i + m_j) of two free bodies meeting through their centres; inf: held."""
    return 1.0 / (1.0 / i + 1.0 / j)


@dataclass(frozen=True)
class Ellipse:
    """A point contact: ``radius`` equivalent in F = 4/3 E* sqrt(R) d^1.5; ``ratio`` b/a of the contact ellipse,
    ``spread`` a^2/d."""

    radius: float
    ratio: float
    spread: float

    def pressure(self, force: float, depth: float) -> float:
        """Peak of the pressure, 3 F/(2 pi a b)."""
        return 1.5 * force / (math.pi * self.ratio * self.spread * depth)


def elliptic(i: tuple[float, float], j: tuple[float, float] = (math.inf, math.inf), angle: float = 0.0) -> Ellipse:
    """Point contact of two surfaces with principal radii ``i`` and ``j`` (inf flat, negative hollow).

    ``angle``: between the directions of i[0] and j[0].  Sphere in a bore: elliptic((r, r), (-R, inf)); crossed
    cylinders: elliptic((r, inf), (R, inf), pi/2).  An ellipsoid resting on the end of its axis c has radii a^2/c,
    b^2/c. Raises ModelError for a line contact or surfaces that conform or intersect.
    """
    ci, cj = [1.0 / r for r in i], [1.0 / r for r in j]
    total = 0.5 * (sum(ci) + sum(cj))
    di, dj = ci[0] - ci[1], cj[0] - cj[1]
    half = 0.5 * math.sqrt(max(0.0, di * di + dj * dj + 2.0 * di * dj * math.cos(2.0 * angle)))
    A, B = 0.5 * (total - half), 0.5 * (total + half)
    if A <= 1e-9 * abs(B):
        raise ModelError(
            f"principal radii {i[0]:g}, {i[1]:g} on {j[0]:g}, {j[1]:g}: no point contact "
            + (
                "(a line or a face: HERTZ_LINE for parallel cylinders)"
                if A > -1e-9 * abs(B)
                else "(they do not touch there)"
            )
        )
    from scipy.optimize import brentq  # slow to load
    from scipy.special import ellipkm1, elliprd

    ratio = lambda q: elliprd(0.0, 1.0, q * q) / elliprd(0.0, q * q, 1.0)
    q = (
        1.0
        if B <= A * (1.0 + 1e-14)
        else float(
            brentq(lambda x: math.log(ratio(math.exp(x)) * A / B), -0.75 * math.log(B / A) - 1.0, 0.0, xtol=1e-15)
        )
    )
    q = math.exp(q) if q < 0.0 else 1.0
    K = float(ellipkm1(q * q))
    spread = elliprd(0.0, q * q, 1.0) / (3.0 * A * K)
    return Ellipse((0.5 * math.pi / K) ** 2 * spread, q, spread)


# --- pairs ------------------------------------------------------------------------------------------------------------

RULES: dict[str, Callable[[float, float], float]] = {
    "product": lambda a, b: a * b,
    "average": lambda a, b: 0.5 * (a + b),
    "min": min,
    "max": max,
    "geometric": lambda a, b: math.sqrt(a * b),
    "series": lambda a, b: a * b / (a + b) if a + b > 0.0 else 0.0,
}


def combine(
    rule: str,
    a: float,
    b: float,
    pair: tuple[str, str] | None = None,
    table: Mapping[frozenset[str], float] | None = None,
) -> float:
    """A property of a pair from those of its two materials (friction, restitution, stiffness: "series" is two springs
    in line).

    ``table``, keyed by frozenset of the two names, goes first when it has the ``pair``; rule "table" wants it there.
    Raises ModelError for unknown rules and pairs, and negative numbers.
    """
    if pair is not None and table is not None and frozenset(pair) in table:
        return table[frozenset(pair)]
    if rule == "table":
        raise ModelError(f"no value for the pair {' and '.join(pair) if pair else '(not named)'} in the table")
    if rule not in RULES:
        raise ModelError(f"there is no rule '{rule}' for pairs; choose one of {', '.join(RULES)}, table")
    if a < 0.0 or b < 0.0:
        raise ModelError(f"a property of a contact must not be negative: {a:g}, {b:g}")
    return RULES[rule](a, b)


def friction(i: str, j: str) -> tuple[float, float]:
    """Static and sliding coefficient of a dry pair of materials from `FRICTION`.  Raises ModelError when it is not
    there."""
    try:
        return FRICTION[frozenset((i, j))]
    except KeyError:
        known = "; ".join(" on ".join(sorted(k) * (2 if len(k) == 1 else 1)) for k in FRICTION)
        raise ModelError(f"no friction coefficients of {i} on {j} in the table (it has {known})") from None


# --- what an engineer needs for IMPACT --------------------------------------------------------------------------------


@dataclass(frozen=True)
class ImpactParameters:
    """Parameters of a CONTACT and what to expect of an impact, in the model's units; ``text`` explains them."""

    stiffness: float
    exponent: float
    damping: float
    dmax: float
    depth: float
    force: float
    time: float
    pressure: float
    restitution: float
    text: str

    @property
    def fields(self) -> dict[str, float]:
        """For ``model.contact(...)`` with law IMPACT."""
        return {"stiffness": self.stiffness, "exponent": self.exponent, "damping": self.damping, "dmax": self.dmax}


def impact_parameters(
    i,
    j,
    *,
    radius: float | None = None,
    surfaces=None,
    angle: float = 0.0,
    cylinders: tuple[float, float] | None = None,
    length: float | None = None,
    mass: float,
    speed: float,
    restitution: float = 1.0,
    dmax: float | None = None,
    units: Units | None = None,
) -> ImpactParameters:
    """IMPACT's stiffness, exponent, damping and full-damping depth from materials, shape, effective mass and speed of
    an impact.

    ``i``, ``j``: materials (names, `Material`, or MATERIAL of a model).  One of: ``radius`` (reduced radius of two
    spheres or a sphere on a plane); ``surfaces`` = ((R, R'), (R, R')) principal radii, with ``angle`` between the first
    ones; ``cylinders`` = (R_i, R_j), R_j negative for a bore, with the ``length`` of the line.  Everything in the
    model's ``units`` (SI unless given).

    Stiffness and exponent are Hertz's; for cylinders the power law that has the force and the slope of HERTZ_LINE at
    the expected depth.  ``dmax``: a third of the expected depth unless given: deep enough that the force rises without
    a jump, less than the depth so that the damping acts.  The damping is the one that gives ``restitution`` at this
    mass and speed (at others it gives another one: IMPACT knows no restitution; CARVALHO_MARTINS does).
    """
    u = units or Units()
    si, sj = material(i, u), material(j, u)
    if not (mass > 0 and speed > 0 and math.isfinite(mass)):
        raise ModelError(f"an impact needs a positive effective mass and speed, not {mass:g} and {speed:g}")
    if not 0.0 < restitution <= 1.0:
        raise ModelError(f"a restitution between 0 (excluded) and 1 is needed, not {restitution:g}")
    if sum(x is not None for x in (radius, surfaces, cylinders)) != 1:
        raise ModelError("give one of radius, surfaces and cylinders")
    L, m, v, E = u.si_length, mass * u.si_mass, speed * u.si_length / u.si_time, reduced_modulus(si, sj)
    energy = 0.5 * m * v * v
    if cylinders is not None:
        k, n, depth, peak = _line(cylinders, length, E, L, energy)
        a2 = 4.0 * peak * abs(reduced_radius(cylinders[0] * L, cylinders[1] * L)) / (math.pi * E * length * L)
        pressure = 2.0 * peak / (math.pi * math.sqrt(a2) * length * L)
        shape = (
            f"line contact of {length:g} ({'bore' if cylinders[1] < 0 else 'outside'}), fitted at the expected depth"
        )
    else:
        if surfaces is not None:
            spot = elliptic(*(tuple(r * L for r in s) for s in surfaces), angle)
        else:
            if radius is None or not (0.0 < radius < math.inf):
                raise ModelError(
                    f"a point contact needs a reduced radius above 0, not {radius}: faces have no Hertz contact"
                )
            spot = Ellipse(radius * L, 1.0, radius * L)
        n, k = 1.5, 4.0 / 3.0 * E * math.sqrt(spot.radius)
        depth = (2.5 * energy / k) ** 0.4
        peak = k * depth**1.5
        pressure = spot.pressure(peak, depth)
        shape = f"Hertz point contact, equivalent radius {spot.radius / L:g}, ellipse {spot.ratio:.3g}"
    time = depth / v * contact_time_factor(n)
    full = depth / 3.0 if dmax is None else dmax * L
    c = impact.damping_for(restitution, v, (k, n, 0.0, full), m) if restitution < 1.0 else 0.0
    out = {
        "stiffness": k * L**n / u.si_force,
        "exponent": n,
        "damping": c * L / (u.si_force * u.si_time),
        "dmax": full / L,
        "depth": depth / L,
        "force": peak / u.si_force,
        "time": time / u.si_time,
        "pressure": pressure * L * L / u.si_force,
        "restitution": restitution,
    }
    f, x, s = (u.symbol(q) for q in ("force", "length", "time"))
    text = (
        f"{si.name} on {sj.name}, {shape}: E* = {E / 1e9:.4g} GPa.\n"
        f"STIFFNESS {out['stiffness']:.6g} {f}/{x}^{n:.4g}, EXPONENT {n:.4g}.\n"
        f"An elastic impact of {mass:g} {u.symbol('mass')} at {speed:g} {x}/{s} goes {out['depth']:.4g} {x} deep, "
        f"peaks at {out['force']:.4g} {f} "
        f"and lasts {out['time']:.4g} {s}; peak pressure {pressure / 1e6:.4g} MPa (metals yield inside at about 1.6 "
        "times their yield stress: "
        "beyond that the dent stays and the real restitution falls with the speed).\n"
        f"DMAX {out['dmax']:.4g} {x}, DAMPING {out['damping']:.6g} {f}*{s}/{x}: restitution {restitution:g} at this "
        "mass and speed only.\n"
        f"A step of about {out['time'] / 50:.2g} {s} resolves the contact."
    )
    return ImpactParameters(**out, text=text)


def contact_time_factor(n: float) -> float:
    """T v0/dm of an elastic impact with F = k d^n: 2 sqrt(pi) Gamma(1 + 1/(n+1)) / Gamma(1/2 + 1/(n+1)); pi for n = 1,
    2.943 for 3/2."""
    q = 1.0 / (n + 1.0)
    return 2.0 * math.sqrt(math.pi) * math.gamma(1.0 + q) / math.gamma(0.5 + q)


def _line(cylinders, length, E: float, L: float, energy: float) -> tuple[float, float, float, float]:
    import numpy as np

    if length is None or not length > 0:
        raise ModelError("cylinders need the length of their common line")
    reduced_radius(cylinders[0], cylinders[1])
    spread = (cylinders[0] + abs(cylinders[1]) if cylinders[1] > 0 else abs(cylinders[1]) - cylinders[0]) * L
    if not (0.0 < spread < math.inf):
        raise ModelError(
            "two parallel cylinders with finite, unequal radii are needed; give a plane as a cylinder of large radius"
        )
    p, mem, out = np.zeros((1, 16)), np.zeros((1, 8)), np.zeros(16)
    p[0, :2] = math.pi * E * length * L, spread

    def excess(x: float) -> float:
        line_force(p, 0, math.exp(x), 0.0, mem, 0, 0.0, out)
        return math.log(out[3] / energy)

    from scipy.optimize import brentq

    depth = math.exp(float(brentq(excess, math.log(spread) - 60.0, math.log(spread) + 5.0, xtol=1e-14)))
    if depth > 8.0 * spread * math.exp(-3.0):
        raise ModelError(
            f"the impact would go {depth / L:g} deep, beyond what line contact of these cylinders describes"
        )
    peak = line_force(p, 0, depth, 0.0, mem, 0, 0.0, out)
    n = out[0] * depth / peak
    return peak / depth**n, n, depth, peak


def context(i=None, j=None, units: Units | None = None, **known) -> _read.Context:
    """`laws.Context` of a pair in the model's units: materials of both sides, and radius, length, spread, mass where
    known."""
    u = units or Units()
    modulus = None
    if i is not None and j is not None:
        modulus = reduced_modulus(material(i, u), material(j, u)) * u.si_length**2 / u.si_force
    return _read.Context(modulus=modulus, metre=1.0 / u.si_length, second=1.0 / u.si_time, **known)
