"""Integrators: one table of names, homes, defaults and abilities, which the choice of options, the kernels' warm-up and
the tests read.

A new method is its file and its row here; datasets know its name from it.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Method:
    """``home``: module and class; ``words`` for people; ``error``: default, None for methods of one fixed step;
    ``stiff``: implicit; ``order``: highest; ``parameters``: those of this method alone, name -> range (low, high) or
    words to choose from; ``multistep``: a restart loses the order;
    ``accelerations``: they are part of its state, and must settle after a restart; ``one_corrector``: CORRECTOR
    chooses nothing; ``joint_home``: home of the same method on joint coordinates, where it has another."""

    home: tuple[str, str]
    words: str
    error: float | None
    stiff: bool
    order: int
    formulations: tuple[str, ...] = ()
    parameters: dict[str, tuple] = field(default_factory=dict)
    multistep: bool = False
    accelerations: bool = False
    one_corrector: bool = False
    joint_home: tuple[str, str] | None = None

    def formulation(self, asked: str | None) -> str:
        """The formulation requested, or the method's own."""
        return (asked or self.formulations[0]).upper()

    def sees_velocities(self, asked: str | None) -> bool:
        """Do velocities meet the constraints and stand in the error test of an implicit method?"""
        return self.formulation(asked) in ("SI2", "SI1")

    @property
    def joint_coordinates(self) -> bool:
        """Are joint coordinates integrated where they are requested (`joint_set`)?"""
        return self.joint_home is not None or (set(_BODIES) <= set(self.formulations) and not self.multistep)

    @property
    def costly_restart(self) -> bool:
        """Is much lost at an event: the order, or accelerations that must settle?"""
        return self.multistep or self.accelerations


BDF = ("I3", "SI2", "SI1")
_BODIES = ("INDEX1", "MINIMAL")
FORMULATIONS = (*BDF, *_BODIES)
#: coordinates that are integrated
NUMBERINGS = ("maximal", "joint", "auto")
#: where none are requested: as "auto" with explicit methods, but maximal with contacts
UNASKED = "unasked"
_ALPHA = ("I3", "SI2")
_MINIMAL = ("MINIMAL", "INDEX1")
_UNIT = (0.0, 1.0)
_GROUP = {"group": ("R3XSO3", "SE3")}
METHODS = {
    "GSTIFF": Method(
        ("gstiff", "GSTIFF"),
        "backward differences of order 1 to 6, fixed coefficients (Gear)",
        1e-4,
        True,
        6,
        BDF,
        multistep=True,
    ),
    "WSTIFF": Method(
        ("wstiff", "WSTIFF"),
        "backward differences of order 1 to 6, variable coefficients",
        1e-4,
        True,
        6,
        BDF,
        multistep=True,
    ),
    "DSTIFF": Method(
        ("dstiff", "DSTIFF"),
        "backward differences of order 1 to 6 (5 unless KMAX = 6), fixed leading coefficient (DASSL)",
        1e-4,
        True,
        6,
        BDF,
        multistep=True,
    ),
    "CONSTANT_BDF": Method(
        ("constant_bdf", "CONSTANT_BDF"), "backward differences at a constant step", 1e-4, True, 6, BDF, multistep=True
    ),
    "HHT": Method(
        ("hht", "HHT"),
        "Hilber-Hughes-Taylor, order 2, numerical damping",
        1e-5,
        True,
        2,
        _ALPHA,
        {"alpha": (-1 / 3, 0.0), **_GROUP},
        accelerations=True,
    ),
    "NEWMARK": Method(
        ("newmark", "Newmark"),
        "Newmark, order 1 or 2",
        1e-5,
        True,
        2,
        ("SI2", "I3"),  # I3 by itself with gamma above 1/2, see `newmark`
        {"beta": _UNIT, "gamma": (0.5, 1.0), **_GROUP},
        accelerations=True,
    ),
    "GENERALIZED_ALPHA": Method(
        ("generalized_alpha", "GeneralizedAlpha"),
        "generalized alpha on the Lie group, order 2",
        1e-5,
        True,
        2,
        _ALPHA,
        {"rho": _UNIT, **_GROUP},
        accelerations=True,
    ),
    "RADAU5": Method(
        ("radau", "RADAU5"),
        "Radau IIA of order 5, for tight tolerances",
        1e-6,
        True,
        5,
        ("SI2",),
        one_corrector=True,
        joint_home=("joint_radau", "JointRADAU5"),
    ),
    "IMPLICIT_EULER": Method(
        ("implicit_euler", "ImplicitEuler"),
        "implicit Euler, order 1",
        1e-3,
        True,
        1,
        _ALPHA,
        _GROUP,
        accelerations=True,
    ),
    "DOP853": Method(("dop853", "DOP853"), "explicit Runge-Kutta of order 8 (Dormand-Prince)", 1e-6, False, 8, _BODIES),
    "DOPRI5": Method(("dopri5", "DOPRI5"), "explicit Runge-Kutta of order 5 (Dormand-Prince)", 1e-6, False, 5, _BODIES),
    "RKF45": Method(
        ("rkf45", "RKF45"),
        "explicit Runge-Kutta of order 4 and 5 (Fehlberg), on independent coordinates",
        1e-6,
        False,
        5,
        _MINIMAL,
    ),
    "ABAM": Method(
        ("abam", "ABAM"),
        "Adams-Bashforth-Adams-Moulton of order 1 to 12, on independent coordinates",
        1e-6,
        False,
        12,
        ("MINIMAL",),
        multistep=True,
    ),
    "RK4": Method(("rk4", "RK4"), "classic Runge-Kutta of order 4, fixed step", None, False, 4, _BODIES),
    "EXPLICIT_EULER": Method(("euler", "ExplicitEuler"), "explicit Euler, fixed step", None, False, 1, _BODIES),
    "SEMI_IMPLICIT_EULER": Method(
        ("euler", "SemiImplicitEuler"), "semi-implicit (symplectic) Euler, fixed step", None, False, 1, ("INDEX1",)
    ),
    "VELOCITY_VERLET": Method(
        ("verlet", "VelocityVerlet"), "velocity Verlet (leapfrog), fixed step", None, False, 2, ("INDEX1",)
    ),
    "MOREAU_JEAN": Method(
        ("moreau_jean", "MoreauJean"),
        "Moreau-Jean time-stepping of rigid contacts, fixed step",
        None,
        False,
        2,
        ("INDEX1",),
    ),
}

#: those that damp what oscillates: at their default errors peaks get lost over many periods (GSTIFF 4 to 7 %, HHT 10 %
#: of a pendulum in a minute)
DAMPING = ("GSTIFF", "WSTIFF", "DSTIFF", "CONSTANT_BDF", "HHT", "NEWMARK", "GENERALIZED_ALPHA", "IMPLICIT_EULER")

#: for stiff models with frequent impacts: implicit, and nothing is lost at them
IMPACTS = "RADAU5"

#: other names; HASTIFF was Adams' stabilised BDF
ALIASES = {
    "SI2_GSTIFF": ("GSTIFF", "SI2"), "HASTIFF": ("GSTIFF", "SI1"), "BDF": ("CONSTANT_BDF", None),
    "CBDF": ("CONSTANT_BDF", None),
    "DASSL": ("DSTIFF", None), "GEAR": ("GSTIFF", None), "RADAU": ("RADAU5", None), "RADAUIIA": ("RADAU5", None),
    "RK45": ("DOPRI5", None), "DP5": ("DOPRI5", None), "DOPRI": ("DOPRI5", None), "DOPRI853": ("DOP853", None),
    "DOP8": ("DOP853", None),
    "ADAMS": ("ABAM", None), "GENALPHA": ("GENERALIZED_ALPHA", None), "GEN_ALPHA": ("GENERALIZED_ALPHA", None),
    "CHUNG_HULBERT": ("GENERALIZED_ALPHA", None),
    "HILBER_HUGHES_TAYLOR": ("HHT", None), "VERLET": ("VELOCITY_VERLET", None), "LEAPFROG": ("VELOCITY_VERLET", None),
    "EULER": ("EXPLICIT_EULER", None), "FORWARD_EULER": ("EXPLICIT_EULER", None),
    "BACKWARD_EULER": ("IMPLICIT_EULER", None),
    "MOREAU": ("MOREAU_JEAN", None), "SYMPLECTIC_EULER": ("SEMI_IMPLICIT_EULER", None), "RUNGE_KUTTA": ("RK4", None),
}  # fmt: skip
