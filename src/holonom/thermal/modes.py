"""Thermal modes of a body: the heat equation in a few numbers.

K phi = lambda C phi with K of conduction, films and contacts, and nodes that are held at zero; phi^T C phi = 1.  With T
= T_s + Phi z,

    z_j' = -lambda_j (z_j - s_j),      s_j = phi_j^T C T_s,

where T_s(t) is what the conditions of the moment would make steady.  What the modes leave out lags by K^-1 C T_s' at
once (quasi-steady; the mode acceleration of structures).  Time constants are 1 / lambda.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.linalg as la
import scipy.sparse.linalg as sla

from .._summary import Summary
from ..model.base import ModelError, shown
from .solve import Balance, _held_up, _start, output_times
from .temperatures import Temperatures

if TYPE_CHECKING:
    from .conduction import Conduction

DENSE = 800  # nodes up to which all modes are found


@dataclass(frozen=True, eq=False)
class ThermalModes(Summary):
    """``rate`` (n,): lambda, one over time, rising; ``shapes`` (a, n), mass-orthonormal in the capacity;
    ``conduction``: of which they are."""

    conduction: Conduction
    rate: np.ndarray
    shapes: np.ndarray

    @property
    def time_constants(self) -> np.ndarray:
        """(n,) in which each mode decays to 1/e."""
        return 1.0 / self.rate

    def transient(
        self, end: float | None = None, steps: int = 50, *, times: Any = None, start: Any = 20.0
    ) -> Temperatures:
        """Temperatures over time as `Conduction.transient` has them, from modes alone: values of conditions are taken
        linear between outputs, in which the solution is exact.  Raises `ModelError` for bad times.  Its heats are not
        audited.
        """
        heat = self.conduction
        when = output_times(end, steps, times)
        balance = Balance(heat)
        static = _Static(heat, balance)
        T0 = _start(heat, start)
        C = heat.capacity
        project = lambda T: self.shapes.T @ (C @ T)
        now = static.at(when[0])
        z = project(T0 - now)  # what is left of the steady state of the moment
        balance.prescribed(when[0], T0)
        before, values = now, [T0]
        for a, b in zip(when, when[1:]):
            now = static.at(b)
            h = b - a
            decay = np.exp(-self.rate * h)
            # z' = -lambda z - s', with s linear
            z = decay * z - project(now - before) * (-np.expm1(-self.rate * h) / (self.rate * h))
            drift = C @ ((now - before) / h)
            lag = static.response(drift) - self.shapes @ ((self.shapes.T @ drift) / self.rate)
            before = now
            values.append(now + self.shapes @ z - lag)
        T = balance.finish(np.array(values))
        powers = np.array(
            [np.concatenate([balance.heats(t, row), np.full(len(heat._held), np.nan)]) for t, row in zip(when, T)]
        )
        return Temperatures(heat, when, T, powers, None, balance.through, {"modes": len(self.rate)})


class _Static:
    """Steady temperatures under conditions as they are at a time; one factor for all times."""

    def __init__(self, heat: Conduction, balance: Balance):
        self.balance = balance
        self.solve = balance.factored(balance.matrix(0.0), 0.0, 1.0)

    def at(self, t: float) -> np.ndarray:
        b = self.balance
        T = np.zeros(b.size)
        b.prescribed(t, T)
        for _ in range(2):
            T[b.free] += self.solve.solve(b.residual(t, T)[b.free])
        return T

    def response(self, heat: np.ndarray) -> np.ndarray:
        """K^-1 of heat (a,), held nodes at zero."""
        out = np.zeros(self.balance.size)
        out[self.balance.free] = self.solve.solve(heat[self.balance.free])
        return out


def modes(heat: Conduction, count: int) -> ThermalModes:
    """`Conduction.modes`."""
    if not (isinstance(count, (int, np.integer)) and count >= 1):
        raise ModelError(f"modes is {shown(count)}; give a whole number from 1")
    balance = Balance(heat)
    if not balance.linear or not balance.fixed:
        raise ModelError(
            "thermal modes are of a linear body whose coefficients stay: without radiation, tables of conductivity, "
            "and films or conductances that change in time"
        )
    _held_up(heat, balance, 0.0)
    free = balance.free
    A, C = balance.matrix(0.0)[free][:, free].tocsc(), heat.capacity[free][:, free].tocsc()
    links = [(c.coefficient(0.0), c.toward[free]) for c in balance.links]
    count = min(count, len(free))
    if len(free) <= DENSE or count > len(free) // 3:
        full = A.toarray() + sum((g * np.outer(w, w) for g, w in links), np.zeros(A.shape))
        rate, vectors = la.eigh(full, C.toarray(), subset_by_index=(0, count - 1))
    else:
        whole = sla.LinearOperator(
            A.shape, matvec=lambda x: A @ x + sum(g * (w @ x) * w for g, w in links), dtype=float
        )
        inverse = sla.LinearOperator(A.shape, matvec=balance._direct(A, 0.0, 1.0).solve, dtype=float)
        start = np.random.default_rng(0).normal(size=len(free))  # the same modes each time
        rate, vectors = sla.eigsh(whole, count, C, sigma=0.0, v0=start, OPinv=inverse)
        order = np.argsort(rate)
        rate, vectors = rate[order], vectors[:, order]
    shapes = np.zeros((heat.size, count))
    shapes[free] = vectors
    return ThermalModes(heat, rate, balance.finish(shapes.T).T)
