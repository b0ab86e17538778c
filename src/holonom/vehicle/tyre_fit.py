"""Coefficients of tyres from measured tables, by least squares: PAC2002 in its stages (F_x, F_y, M_z, combined slip),
Fiala at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._jit import jit
from .._summary import Summary
from ..elements.forces.tyres import fiala, pac2002
from ..model import Model, ModelError, Units
from ..model.base import shown

#: what is fitted in each stage, with starts: forces of which rows -> coefficients
PURE_X = {
    "PCX1": 1.6,
    "PDX1": 1.0,
    "PDX2": 0.0,
    "PEX1": 0.1,
    "PEX2": 0.0,
    "PKX1": 20.0,
    "PKX2": 0.0,
    "PKX3": 0.0,
    "PHX1": 0.0,
    "PVX1": 0.0,
}
PURE_Y = {
    "PCY1": 1.3, "PDY1": 0.9, "PDY2": 0.0, "PDY3": 0.0, "PEY1": -0.5, "PEY2": 0.0, "PEY3": 0.0, "PEY4": 0.0,
    "PKY1": -15.0, "PKY2": 1.7, "PKY3": 0.0, "PHY1": 0.0,
    "PHY2": 0.0, "PHY3": 0.0, "PVY1": 0.0, "PVY2": 0.0, "PVY3": 0.0, "PVY4": 0.0,
}  # fmt: skip
PURE_Z = {
    "QBZ1": 9.0, "QBZ2": 0.0, "QBZ9": 10.0, "QCZ1": 1.1, "QDZ1": 0.1, "QDZ2": 0.0, "QDZ3": 0.0, "QDZ4": 0.0,
    "QDZ6": 0.0, "QDZ8": 0.0, "QEZ1": -1.0, "QEZ4": 0.0,
    "QHZ1": 0.0, "QHZ3": 0.0,
}  # fmt: skip
COMBINED_X = {"RBX1": 10.0, "RBX2": 8.0, "RCX1": 1.0, "RHX1": 0.0}
COMBINED_Y = {"RBY1": 10.0, "RBY2": 8.0, "RBY3": 0.0, "RCY1": 1.0, "RHY1": 0.0}
COMBINED_Z = {"SSZ1": 0.0, "SSZ2": 0.0, "SSZ3": 0.0}
#: coefficients of camber: left out where all rows stand upright
CAMBER = {"PDY3", "PEY4", "PKY3", "PHY3", "PVY3", "PVY4", "QDZ3", "QDZ4", "QDZ8", "QHZ3", "SSZ3"}
#: those of the load: left out where all rows have one
LOAD = {"PDX2", "PEX2", "PKX2", "PKX3", "PDY2", "PEY2", "PKY2", "PHY2", "PVY2", "PVY4", "QBZ2", "QDZ2"}
SMALL = 0.02  # slip (and rad) below which the other slip is pure
COLUMNS = ("load", "kappa", "alpha", "gamma", "F_x", "F_y", "M_z")


@dataclass(frozen=True)
class TyreFit(Summary):
    """Fitted ``coefficients`` (or ``arguments`` of the builder), with ``errors``: force -> root mean square of what is
    left relative to that of the measurement; ``fitted``: force -> values at the rows of the table."""

    coefficients: dict[str, float]
    arguments: dict[str, float]
    errors: dict[str, float]
    fitted: dict[str, np.ndarray]


@jit(entry="float64[::1], float64[:, ::1], float64[:, ::1]")
def _forces(c, rows, out):
    for k in range(rows.shape[0]):
        o = pac2002.slip_forces(
            c, rows[k, 0], rows[k, 1], rows[k, 2], rows[k, 3], c[pac2002.LONGVL], c[pac2002.LONGVL] / c[pac2002.R0], 1.0
        )
        out[k, 0], out[k, 1], out[k, 2] = o[0], o[1], o[4]


@jit(entry="float64[::1], float64[:, ::1], float64[:, ::1]")
def _fiala(c, rows, out):
    for k in range(rows.shape[0]):
        o = fiala.slip_forces(c, rows[k, 0], rows[k, 1], rows[k, 2], 1.0)
        out[k, 0], out[k, 1], out[k, 2] = o[0], o[1], o[2]


def _table(table: Mapping[str, Any]) -> dict[str, np.ndarray]:
    if not hasattr(table, "keys") and getattr(getattr(table, "dtype", None), "names", None):
        table = {name: table[name] for name in table.dtype.names}
    for name in table:
        if name not in COLUMNS:
            raise ModelError(f"the table has a column {shown(name)}; it may have {', '.join(COLUMNS)}")
    if "load" not in table or not any(n in table for n in COLUMNS[4:]):
        raise ModelError("the table needs a column 'load' and one of 'F_x', 'F_y', 'M_z'")
    try:
        have = {name: np.asarray(v, float).ravel() for name, v in table.items()}
    except (TypeError, ValueError):
        raise ModelError("the table has a column that holds no numbers") from None
    n = len(have["load"])
    for name, v in have.items():
        if len(v) != n or not np.isfinite(v).all():
            raise ModelError(
                f"column '{name}' has {len(v)} finite or open numbers for {n} loads; give a number in each row"
            )
    for name in COLUMNS[1:4]:
        have.setdefault(name, np.zeros(n))
    if n < 5 or not (have["load"] > 0.0).all():
        raise ModelError("the table must have five rows or more, with loads that are positive")
    return have


def fit_pac2002(
    table: Mapping[str, Any],
    *,
    radius: float,
    stiffness: float,
    load: float | None = None,
    start: Mapping[str, float] | None = None,
    units: Units | None = None,
) -> TyreFit:
    """Fit PAC2002 to a measured table: columns ``load``, ``kappa``, ``alpha``, ``gamma`` (rad, W axes of ISO 8855;
    those that are absent are zero) and ``F_x``, ``F_y``, ``M_z`` (what is absent is not fitted).

    ``radius``, ``stiffness``: vertical radius and stiffness, which such a table does not contain; ``load``: FNOMIN,
    default the middle of the table's; ``start``: coefficients to begin with and to keep where they are not fitted.
    Stages: F_x of rows without side slip, F_y of rows without slip, M_z of these, then factors of combined slip. Raises
    `ModelError` for tables that cannot be read, or that have too few rows.
    """
    from scipy.optimize import least_squares

    have = _table(table)
    n = len(have["load"])
    rows = np.ascontiguousarray(np.column_stack([have["load"], have["kappa"], np.tan(have["alpha"]), have["gamma"]]))
    one_load = np.ptp(have["load"]) < 0.05 * have["load"].mean()
    upright = np.ptp(have["gamma"]) < 1e-6
    u = units if units is not None else Units()
    base = {
        "UNLOADED_RADIUS": radius,
        "VERTICAL_STIFFNESS": stiffness,
        "FNOMIN": float(np.median(have["load"])) if load is None else load,
        "VXLOW": u.si_time / u.si_length,
        "LONGVL": 16.7 * u.si_time / u.si_length,
    }
    found = {**base, **dict(start or {})}
    small_a, small_k = np.abs(have["alpha"]) < SMALL, np.abs(have["kappa"]) < SMALL
    free = lambda names: {
        k: found.get(k, v) for k, v in names.items() if not (k in CAMBER and upright) and not (k in LOAD and one_load)
    }
    # what the law wants to be there at all
    for name, value in (*PURE_X.items(), *PURE_Y.items()):
        if name in ("PCX1", "PDX1", "PKX1", "PCY1", "PDY1", "PKY1", "PKY2"):
            found.setdefault(name, value)
    order = {name: k for k, name in enumerate(pac2002.NAMES)}
    model = Model("fit", units=u)
    wheel, road = model.marker(model.ground), model.marker(model.ground)  # the law requires no wheel

    def stage(names: dict[str, float], which: np.ndarray, column: int, target: str, mode: int) -> None:
        if target not in have or which.sum() < len(names) + 1:
            return
        e = model.tyre_pac2002(wheel, road, {**found, **names}, mode=mode)
        c = np.array(pac2002.parameters(e, model), float)
        part, want = np.ascontiguousarray(rows[which]), have[target][which]
        size = max(np.abs(want).max(), 1e-300)
        out = np.zeros((len(part), 3))
        at = [order[k] for k in names]
        x0 = np.array(list(names.values()))
        scale = np.maximum(np.abs(x0), 0.1)

        def left(x):
            c[at] = x * scale
            _forces(c, part, out)
            return (out[:, column] - want) / size

        best = least_squares(left, x0 / scale, method="trf", x_scale="jac", max_nfev=400)
        found.update({k: float(v) for k, v in zip(names, best.x * scale)})

    stage(free(PURE_X), small_a, 0, "F_x", 3)
    stage(free(PURE_Y), small_k, 1, "F_y", 3)
    stage(free(PURE_Z), small_k, 2, "M_z", 3)
    both = ~small_a & ~small_k
    mixed = [t for t in ("F_x", "F_y") if t in have]
    mode = 3
    if both.sum() > 10 and mixed:
        mode = 4
        found = {**{k: v for part in (COMBINED_X, COMBINED_Y) for k, v in part.items()}, **found}
        stage(free(COMBINED_X), both, 0, "F_x", 4)
        stage(free(COMBINED_Y), both, 1, "F_y", 4)
        stage(free(COMBINED_Z), both, 2, "M_z", 4)
    e = model.tyre_pac2002(wheel, road, found, mode=mode)
    out = np.zeros((n, 3))
    _forces(np.array(pac2002.parameters(e, model), float), rows, out)
    return TyreFit(dict(e.coefficients), {"mode": mode}, *_judged(have, out))


def _judged(have, out):
    fitted = {name: out[:, k].copy() for k, name in enumerate(("F_x", "F_y", "M_z")) if name in have}
    rms = lambda v: float(np.sqrt(np.mean(np.square(v))))
    return {name: rms(v - have[name]) / max(rms(have[name]), 1e-300) for name, v in fitted.items()}, fitted


def fit_fiala(table: Mapping[str, Any], *, radius: float, stiffness: float, units: Units | None = None) -> TyreFit:
    """Fit Fiala's tyre to a measured table (see `fit_pac2002`) -> ``arguments`` of ``model.tyre_fiala``: the least sum
    of squares of all forces at once, each relative to its largest value, with friction that does not rise with slip.
    Raises `ModelError` for tables that cannot be read."""
    from scipy.optimize import least_squares

    have = _table(table)
    n = len(have["load"])
    rows = np.ascontiguousarray(np.column_stack([have["load"], have["kappa"], np.tan(have["alpha"])]))
    mean = have["load"].mean()
    model = Model("fit", units=units if units is not None else Units())
    wheel, road = model.marker(model.ground), model.marker(model.ground)  # the law requires no wheel
    names = ("cslip", "calpha", "umin", "umax", "width")
    given = lambda x: dict(cslip=x[0] * mean, calpha=x[1] * mean, umax=x[3], umin=min(x[2], x[3]), width=x[4] * radius)
    out = np.zeros((n, 3))
    targets = [(k, name) for k, name in enumerate(("F_x", "F_y", "M_z")) if name in have]
    size = {name: max(np.abs(have[name]).max(), 1e-300) for _, name in targets}
    start = [15.0, 12.0, 0.8, 0.9, 0.3]
    e = model.tyre_fiala(wheel, road, radius=radius, stiffness=stiffness, **given(start))
    c = np.array(fiala.parameters(e, model), float)

    def left(x):
        values = given(x)
        c[[fiala.CSLIP, fiala.CALPHA, fiala.UMIN, fiala.UMAX, fiala.WIDTH]] = [values[k] for k in names]
        _fiala(c, rows, out)
        return np.concatenate([(out[:, k] - have[name]) / size[name] for k, name in targets])

    best = least_squares(
        left,
        start,
        bounds=([0.1, 0.1, 0.01, 0.02, 0.0], [500.0, 500.0, 3.0, 3.0, 3.0]),
        x_scale="jac",
    )
    left(best.x)
    arguments = {"radius": radius, "stiffness": stiffness, **{k: float(v) for k, v in given(best.x).items()}}
    return TyreFit({}, arguments, *_judged(have, out))
