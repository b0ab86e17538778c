"""Units, gravity and the settings of analyses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .base import ModelError, did_you_mean
from .kinds import LARGEST, finite, misfits, shown
from .quantity_text import QUANTITIES, in_model_units, si_size

# Exact by definition where one exists (NIST SP 811).
FORCE = {
    "NEWTON": 1.0, "KILONEWTON": 1e3, "MEGANEWTON": 1e6, "MILLINEWTON": 1e-3, "CENTINEWTON": 1e-2, "MICRONEWTON": 1e-6,
    "NANONEWTON": 1e-9, "DYNE": 1e-5, "KILOGRAM_FORCE": 9.80665, "POUND_FORCE": 4.4482216152605,
    "POUNDAL": 0.138254954376,
    "KPOUND_FORCE": 4448.2216152605, "OUNCE_FORCE": 4.4482216152605 / 16,
}  # fmt: skip
MASS = {
    "KILOGRAM": 1.0, "GRAM": 1e-3, "MILLIGRAM": 1e-6, "MICROGRAM": 1e-9, "NANOGRAM": 1e-12, "MEGAGRAM": 1e3,
    "TONNE": 1e3,
    "POUND_MASS": 0.45359237, "KPOUND_MASS": 453.59237, "OUNCE_MASS": 0.45359237 / 16, "SLUG": 14.593902937206365,
    "SLINCH": 175.12683524647638, "US_TON": 907.18474,
}  # fmt: skip
LENGTH = {
    "METER": 1.0, "KILOMETER": 1e3, "CENTIMETER": 1e-2, "MILLIMETER": 1e-3, "MICROMETER": 1e-6, "NANOMETER": 1e-9,
    "INCH": 0.0254, "FOOT": 0.3048, "MILE": 1609.344, "MILS": 2.54e-5, "MICROINCH": 2.54e-8, "ANGSTROM": 1e-10,
    "YARD": 0.9144,
}  # fmt: skip
TIME = {
    "SECOND": 1.0,
    "MILLISECOND": 1e-3,
    "MICROSECOND": 1e-6,
    "NANOSECOND": 1e-9,
    "MINUTE": 60.0,
    "HOUR": 3600.0,
    "DAY": 86400.0,
}
SYMBOL = {
    "NEWTON": "N", "KILONEWTON": "kN", "POUND_FORCE": "lbf", "KILOGRAM_FORCE": "kgf", "DYNE": "dyn", "KILOGRAM": "kg",
    "GRAM": "g", "POUND_MASS": "lb", "SLUG": "slug", "TONNE": "t", "METER": "m", "MILLIMETER": "mm", "CENTIMETER": "cm",
    "INCH": "in", "FOOT": "ft", "KILOMETER": "km", "SECOND": "s", "MILLISECOND": "ms", "MINUTE": "min", "HOUR": "h",
    "MEGANEWTON": "MN", "MICROMETER": "um", "MILE": "mi",
}  # fmt: skip

SYSTEMS = {
    "SI": ("NEWTON", "KILOGRAM", "METER", "SECOND"),
    "m": ("NEWTON", "KILOGRAM", "METER", "SECOND"),
    "MKS": ("NEWTON", "KILOGRAM", "METER", "SECOND"),
    "mm": ("NEWTON", "KILOGRAM", "MILLIMETER", "SECOND"),
    "MMKS": ("NEWTON", "KILOGRAM", "MILLIMETER", "SECOND"),
    "CGS": ("DYNE", "GRAM", "CENTIMETER", "SECOND"),
    "IPS": ("POUND_FORCE", "POUND_MASS", "INCH", "SECOND"),
    "in": ("POUND_FORCE", "POUND_MASS", "INCH", "SECOND"),
    "FPS": ("POUND_FORCE", "SLUG", "FOOT", "SECOND"),
}


@dataclass
class Units:
    """UNITS: names as in Adams. ``uconsf`` converts mass*length/time^2 to force; by default it follows from the
    names."""

    force: str = "NEWTON"
    mass: str = "KILOGRAM"
    length: str = "METER"
    time: str = "SECOND"
    uconsf: float | None = None

    @classmethod
    def named(cls, name: str) -> Units:
        """A system of units by name, such as "SI" or "mm".  Raises `ModelError` for an unknown one."""
        if name not in SYSTEMS:
            meant = [s for s in SYSTEMS if s.lower() == str(name).strip().lower()]
            if meant:
                raise ModelError(f"unknown unit system '{name}'; did you mean '{meant[0]}'?")
            raise ModelError(
                f"unknown unit system '{name}'; choose one of {', '.join(SYSTEMS)}, or give "
                "holonom.Units(force, mass, length, time), as Units('NEWTON', 'TONNE', 'MILLIMETER', 'SECOND')"
            )
        return cls(*SYSTEMS[name])

    def __post_init__(self) -> None:
        for table, name, what in (
            (FORCE, self.force, "force"),
            (MASS, self.mass, "mass"),
            (LENGTH, self.length, "length"),
            (TIME, self.time, "time"),
        ):
            if not isinstance(name, str) or name not in table:
                raise ModelError(f"UNITS: unknown unit of {what} {shown(name)}; choose one of {', '.join(table)}")
        if self.uconsf is not None and not (finite(self.uconsf) and 1 / LARGEST < self.uconsf < LARGEST):
            raise ModelError(f"UNITS: UCONSF must be positive, it is {shown(self.uconsf)}; correct it, or leave it out")

    # factors from model units to SI
    @property
    def si_force(self) -> float:
        """The unit of force in newton."""
        return FORCE[self.force]

    @property
    def si_mass(self) -> float:
        """The unit of mass in kilogram."""
        return MASS[self.mass]

    @property
    def si_length(self) -> float:
        """The unit of length in metre."""
        return LENGTH[self.length]

    @property
    def si_time(self) -> float:
        """The unit of time in second."""
        return TIME[self.time]

    @property
    def mass_factor(self) -> float:
        """Mass in the unit (force * time^2 / length), consistent with the model's force, length and time units.

        f = mass_factor * m * a holds with every quantity in model units; Adams calls its inverse UCONSF.
        """
        if self.uconsf is not None:
            return 1.0 / self.uconsf
        return self.si_mass * self.si_length / (self.si_time**2 * self.si_force)

    def symbol(self, quantity: str) -> str:
        """Unit text of 'length', 'velocity', 'force', ... for labels."""
        names = {"N": self.force, "kg": self.mass, "m": self.length, "s": self.time}
        return in_model_units(_dimension(quantity), {si: SYMBOL.get(n, n.lower()) for si, n in names.items()})

    def si(self, quantity: str) -> float:
        """The model's unit of 'length', 'velocity', 'force', ... in SI units."""
        return si_size(_dimension(quantity), self)


def _dimension(quantity: Any) -> str:
    """The SI unit of a quantity.  Raises ModelError for a name that is none."""
    if not isinstance(quantity, str) or quantity not in QUANTITIES:
        raise ModelError(f"there is no quantity {shown(quantity)}{did_you_mean(quantity, QUANTITIES)}")
    return QUANTITIES[quantity]


@dataclass
class IntegratorSettings:
    """INTEGRATOR: ``kind`` GSTIFF WSTIFF HHT DOP853 ..., ``formulation`` I3 SI2 SI1; None means the integrator's
    default.

    ``scale`` and ``absolute`` (ours): factors on the error, and absolute errors, of positions, rotations, velocities,
    angular velocities, states.  ``alpha`` (HHT), ``beta`` and ``gamma`` (NEWMARK), ``rho`` and ``group``
    (GENERALIZED_ALPHA).
    ``extra``: arguments without effect here, as text.
    """

    kind: str | None = None
    formulation: str | None = None
    error: float | None = None
    hinit: float | None = None
    hmin: float | None = None
    hmax: float | None = None
    kmax: int | None = None
    maxit: int | None = None
    corrector: str | None = None
    interpolate: bool | None = None
    adaptivity: float | None = None
    pattern: tuple[bool, ...] | None = None
    beta: float | None = None
    gamma: float | None = None
    alpha: float | None = None
    rho: float | None = None
    group: str | None = None
    scale: tuple[float, ...] | None = None
    absolute: tuple[float, ...] | None = None
    extra: tuple[tuple[str, str], ...] = ()


@dataclass
class EquilibriumSettings:
    """EQUILIBRIUM: statics by Newton's method with limits per iteration on translation and rotation (radians).

    ``dynamic``: dynamic relaxation without a preceding Newton iteration. ``extra``: arguments without effect here.
    """

    error: float | None = None
    imbalance: float | None = None
    maxit: int | None = None
    stability: float | None = None
    tlimit: float | None = None
    alimit: float | None = None
    dynamic: bool = False
    extra: tuple[tuple[str, str], ...] = ()


@dataclass
class KinematicsSettings:
    """KINEMATICS: tolerances of the kinematic analysis."""

    error: float | None = None
    aerror: float | None = None
    maxit: int | None = None
    hmax: float | None = None
    extra: tuple[tuple[str, str], ...] = ()


@dataclass
class ICSettings:
    """IC: tolerances of the initial-condition analyses."""

    error: float | None = None
    aerror: float | None = None
    verror: float | None = None
    maxit: int | None = None
    amaxit: int | None = None
    extra: tuple[tuple[str, str], ...] = ()


#: what a contact is: a force of a penalty law; a constraint, with impacts located in time; a constraint, in steps of
#: one size
CONTACT_METHODS = ("compliant", "events", "time-stepping")
IMPACT_LAWS = ("NEWTON", "POISSON", "ENERGY")
SOLVERS = ("AUTO", "LEMKE", "NSGS", "APGD", "NEWTON", "IPM")
STABILISATIONS = ("projection", "velocity", "none")
#: how time-stepping takes gaps of flexible surfaces: by their velocities, or by their second derivatives
SURFACES = ("impulses", "multipliers")


@dataclass
class RigidSettings:
    """Contact as a constraint (gap >= 0, force >= 0, one of them zero), without a stiffness.

    ``method``: one of `CONTACT_METHODS`, for all contacts of the model, unless an analysis specifies another.
    ``restitution`` and ``impact_law`` (one of `IMPACT_LAWS`): defaults of contacts. ``solver`` (`SOLVERS`),
    ``tolerance`` (relative residual of the complementarity conditions) and maximum ``iterations`` of the contact
    problem, None: 1e-8 and 1000 for up to 400 connected contacts, 1e-3 and 100 in larger piles; ``threads`` for large
    piles (results do not depend on their number).

    Time-stepping: ``theta`` (0.5 to 1) of the Moreau-Jean scheme; ``stabilisation``: "projection" separates parts that
    penetrate by more than ``penetration`` (None: 1e-6 of their size) after the step, and uses a separate theta for
    bodies in contact so that energy does not grow; "velocity" separates them by velocities (Baumgarte), "none": no
    correction; both use ``theta`` for all bodies, as originally published; ``sleep``: bodies that are at rest for some
    steps are skipped until they are disturbed; ``continuous``: steps in which a fast body could pass through a thin one
    are cut where the two meet (False: such steps are reported).
    ``surfaces``: of flexible bodies (SURFACE_CONTACT) velocities of closed gaps are not negative ("impulses"), or
    second derivatives of gaps that stay closed are appended to the equations, with an impulse in the step in which a
    gap closes ("multipliers"). Event-driven: at most ``most_events`` within a thousandth of the analysis.
    """

    method: str = "compliant"
    restitution: float = 0.0
    impact_law: str = "NEWTON"
    solver: str = "AUTO"
    tolerance: float | None = None
    iterations: int | None = None
    threads: int = 1
    theta: float = 0.5
    stabilisation: str = "projection"
    penetration: float | None = None
    sleep: bool = False
    continuous: bool = True
    surfaces: str = "impulses"
    most_events: int = 10000

    def faults(self):
        """One message for each value of the wrong kind, or number that is impossible."""
        wrong = [sentence for _, sentence in misfits(self)]
        if wrong:
            yield from (f"rigid contact: {sentence}" for sentence in wrong)
            return
        words = (
            ("method", CONTACT_METHODS),
            ("impact_law", IMPACT_LAWS),
            ("solver", SOLVERS),
            ("stabilisation", STABILISATIONS),
            ("surfaces", SURFACES),
        )
        for name, choices in words:
            if getattr(self, name) not in choices:
                yield f"rigid contact: {name} {getattr(self, name)!r} is not one of {', '.join(choices)}"
        if not 0.0 <= self.restitution <= 1.0:
            yield f"rigid contact: restitution must lie between 0 and 1, it is {self.restitution:g}"
        if not 0.5 <= self.theta <= 1.0:
            yield f"rigid contact: theta must lie between 0.5 and 1, it is {self.theta:g}"
        for name in ("tolerance", "iterations", "threads", "most_events"):
            if getattr(self, name) is not None and not getattr(self, name) > 0:
                yield f"rigid contact: {name} must be positive, it is {getattr(self, name):g}"
        if self.penetration is not None and not self.penetration >= 0.0:
            yield f"rigid contact: penetration must not be negative, it is {self.penetration:g}"
