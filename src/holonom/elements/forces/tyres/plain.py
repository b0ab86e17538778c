"""What tyres of few numbers share: a vertical spring (or curve) and damper, slips that lag, rolling resistance, calm at
standstill.

Fz    stiffness rho (or the load curve) + damping rho', never pulling
M_y   -rolling_resistance Fz against the spin
R_e   radius - share rho: with a share of one the loaded radius
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ....model.values import number, number_fields, pairs
from .curve import curve_faults, curve_values
from .plain_laws import OWN
from .tyre import Tyre, calm, metre_per_second, on

POSITIVE = ("radius", "stiffness", "relax_x", "relax_y", "slow")


@dataclass
class PlainTyre(Tyre):
    """``radius`` unloaded; ``stiffness``, ``damping``: vertical; ``load_curve``: rows of deflection and load in place
    of the stiffness, from (0, 0) on;
    ``rolling_resistance``: length; ``relax_x``, ``relax_y``: relaxation lengths; ``slow``: speed below which sliding is
    damped; ``share``: of the deflection that the effective rolling radius lacks."""

    radius: float = 0.0
    stiffness: float = 0.0
    damping: float = 0.0
    load_curve: tuple[tuple[float, float], ...] = ()
    rolling_resistance: float = 0.0
    relax_x: float = 0.0
    relax_y: float = 0.0
    slow: float = 0.0
    share: float = 1.0

    def faults(self, model):
        """What cannot be of its spring and contact."""
        yield from Tyre.faults(self, model)
        for name in POSITIVE:
            if not getattr(self, name) > 0.0:
                yield f"{name} is {getattr(self, name):g}; give a positive number"
        for name in ("damping", "rolling_resistance", "share"):
            if getattr(self, name) < 0.0:
                yield f"{name} is {getattr(self, name):g}; give zero or a positive number"
        yield from curve_faults("load_curve", self.load_curve)


def plain(model, i, j, contact, footprint, given: dict[str, Any]) -> dict[str, Any]:
    """Fields of a plain tyre from the arguments of its builder: defaults filled in, numbers checked."""
    given = dict(given)
    radius = number(given["radius"], "radius")
    curve_rows = given.pop("load_curve", ())
    for name, default in (("relax_x", radius), ("relax_y", radius), ("slow", metre_per_second(model))):
        if given.get(name) is None:
            given[name] = default
    rows = () if curve_rows is None else pairs(curve_rows, "load_curve")
    return {
        **on(model, i, j, contact, footprint),
        "load_curve": rows,
        **number_fields(**given),
    }


def plain_parameters(e, model, along: float, across: float, own) -> list[float]:
    """Numbers of a plain tyre with slip stiffnesses (force per slip) along and across, and its own ones."""
    # the mass on the contact: that whose weight is a tenth of the radius of deflection
    soft = max(along / e.relax_x, across / e.relax_y)
    damp = calm(model, soft, 0.1 * e.stiffness * e.radius)
    head = [e.radius, e.stiffness, e.damping, e.rolling_resistance, e.relax_x, e.relax_y, e.slow, e.share]
    return [
        *head,
        damp / along if along else 0.0,
        damp / across if across else 0.0,
        float(OWN + len(own)),
        *own,
        *curve_values(e.load_curve),
    ]
