"""Heat that a run makes: what friction, dampers, bushings and contacts take out of a machine, over time and over a
cycle."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._summary import Summary
from ..model import ModelError
from ..model.base import close_word, shown
from ..results._units import to_si

if TYPE_CHECKING:
    from ..flexible.mesh import Material
    from ..results.run import Run


@dataclass(frozen=True)
class RunHeat(Summary):
    """Power dissipated in elements of a run, W, at output times.

    ``time`` (t,) in the unit of time of the model; ``power``: name -> (t,); ``exact``: name -> whether it is the
    instantaneous loss, or the power taken from the bodies, part of which internal springs return (correct over a
    cycle).
    """

    time: np.ndarray
    power: dict[str, np.ndarray]
    exact: dict[str, bool]
    seconds: float = 1.0

    def __repr__(self) -> str:
        return f"<heat of {len(self.power)} elements, mean {sum(self.mean(n) for n in self.power):.6g} W>"

    def of(self, name: str) -> np.ndarray:
        """(t,) of one element, W.  Raises `ModelError` for one that is not there."""
        if name not in self.power:
            meant = close_word(name, self.power)
            raise ModelError(
                f"there is no heat of '{name}'; "
                + (f"did you mean '{meant}'?" if meant else f"there is that of {', '.join(self.power) or 'none'}")
            )
        return self.power[name]

    def mean(self, name: str, start: float | None = None, end: float | None = None) -> float:
        """Mean power (W) between two times, such as those of a cycle (default: of the run), by the trapezoidal rule.
        Raises `ModelError` for times outside."""
        t, p = self._between(name, start, end)
        return float(np.trapezoid(p, t) / (t[-1] - t[0]))

    def energy(self, name: str, start: float | None = None, end: float | None = None) -> float:
        """Heat (J) between two times.  Raises `ModelError` for times outside."""
        t, p = self._between(name, start, end)
        return float(np.trapezoid(p, t)) * self.seconds

    def table(self, name: str) -> np.ndarray:
        """(t, 2): times and powers, as conditions of a `Conduction` take them.  Raises `ModelError` for times that
        repeat (analyses in a row)."""
        power = self.of(name)
        if not (np.diff(self.time) > 0.0).all():
            raise ModelError("output times of this run repeat; take one of its analyses (run.segment)")
        return np.column_stack([self.time, power])

    def _between(self, name: str, start: float | None, end: float | None) -> tuple[np.ndarray, np.ndarray]:
        p, t = self.of(name), self.time
        a, b = t[0] if start is None else start, t[-1] if end is None else end
        if not t[0] <= a < b <= t[-1]:
            raise ModelError(f"a cycle from {shown(a)} to {shown(b)} does not lie in the run, {t[0]:g} to {t[-1]:g}")
        inside = (t > a) & (t < b)
        return np.concatenate([[a], t[inside], [b]]), np.concatenate(
            [[np.interp(a, t, p)], p[inside], [np.interp(b, t, p)]]
        )


def heat_of(run: Run, *names: str) -> RunHeat:
    """Heat of the elements of a run that lose energy: joint friction (FRICTION), damped SPRINGDAMPERs and BUSHINGs by
    their dampers, other damped forces and CONTACTs by the power that they take from their bodies; or only of those in
    ``names``, which may include forces given as functions.

    In W, regardless of the units of the model; for friction and contact, heat = -F (v_I - v_J), which is negative while
    elastic sticking deformation is released. Modal damping and impacts of rigid contact are not included (for the
    latter see `run.impacts`). Raises `ModelError` for unknown names.

        heat = hn.thermal.heat_of(run)
        body.heat("journal", 0.5 * heat.mean("rub", start, start + period))
    """
    watt = to_si(run.model.units, "power")
    found: dict[str, tuple[Callable[[], np.ndarray], bool]] = {}
    for key in run.data.forces:
        kind, number, name = key
        element = run.model.table(kind).get(number)
        if element is None:
            continue
        loses = kind == "FRICTION" or element.losses() == "damped"
        if not (loses if not names else name in names):
            continue
        view = run.force(f"{kind}/{number}")
        if kind == "SPRINGDAMPER":
            found[name] = _spring(view, element, watt), True
        elif kind == "BUSHING":
            found[name] = _bushing(view, element, watt), True
        else:
            found[name] = (lambda view=view: -view.power.values), kind == "FRICTION"
    for key in run.data.contacts:
        if not names or key[2] in names:
            found[key[2]] = (lambda key=key: _contact(run, key, watt)), False
    missing = [n for n in names if n not in found]
    if missing:
        known = [k[2] for k in (*run.data.forces, *run.data.contacts)]
        meant = close_word(missing[0], known)
        raise ModelError(
            f"this run has no force or contact '{missing[0]}'; "
            + (f"did you mean '{meant}'?" if meant else f"it has {', '.join(known) or 'none'}")
        )
    seconds = to_si(run.model.units, "time")
    return RunHeat(
        np.asarray(run.time, float),
        {n: f() for n, (f, _) in found.items()},
        {n: exact for n, (_, exact) in found.items()},
        seconds,
    )


def _spring(view: Any, e: Any, watt: float) -> Callable[[], np.ndarray]:
    if e.kind == "ROTATIONAL":
        return lambda: watt * e.ct * view.angular_velocity.values**2
    return lambda: watt * e.c * view.length_rate.values**2


def _bushing(view: Any, e: Any, watt: float) -> Callable[[], np.ndarray]:
    def power() -> np.ndarray:
        velocity = view._seen[1]
        axes = view._ends[1][1]
        turning = np.einsum("tji,tj->ti", axes, view._spin[0])
        return watt * (velocity**2 @ np.asarray(e.c) + turning**2 @ np.asarray(e.ct))

    return power


def _contact(run: Run, key: Any, watt: float) -> np.ndarray:
    """-(F (v_I - v_J) + T (w_I - w_J)) at the point of the contact."""
    from ..model.shape import carrier_of

    view = run.contact(key[2])
    element = run.model.table("CONTACT")[key[1]]
    sides = []
    for side, shapes in (("I", element.igeom), ("J", element.jgeom)):
        bodies = {(b.KIND, b.id): b for b in (carrier_of(run.model, run.model.table("GRAPHICS")[g]) for g in shapes)}
        if len(bodies) != 1:
            raise element.error(
                f"its {side} side has shapes of {len(bodies)} bodies, so that its heat is not known from its sum; give "
                "each body a contact of its own"
            )
        sides.append(run.part(next(iter(bodies.values()))))
    point = view.point.values
    v, w = [], []
    for part in sides:
        spin = part.angular_velocity.values
        v.append(part.velocity.values + np.cross(spin, point - part.position.values))
        w.append(spin)
    force, torque = view.force.values, view.torque.values
    return -watt * ((force * (v[0] - v[1])).sum(1) + (torque * (w[0] - w[1])).sum(1))


def partition(first: Material, second: Material) -> float:
    """Fraction of the frictional heat between two bodies that flows into the first, e1 / (e1 + e2) with e = sqrt(k rho
    c): that of half spaces in perfect contact (Carslaw & Jaeger, Conduction of Heat in Solids, 2.15). Raises
    `ModelError` for materials without conductivity or specific heat."""
    e = []
    for material in (first, second):
        product = material.conductivity * material.density * material.specific_heat
        if not product > 0.0:
            raise ModelError(
                "a share of heat needs conductivity and specific heat of both materials; give Material(..., "
                "conductivity=..., specific_heat=...)"
            )
        e.append(math.sqrt(product))
    return e[0] / (e[0] + e[1])
