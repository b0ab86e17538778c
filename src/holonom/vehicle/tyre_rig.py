"""A tyre on a wheel of a model, and a rig that asks a tyre for its forces at given slips."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .._jit import jit
from ..elements.forces.tyres import pac2002
from ..model import Model, ModelError, Units
from ..model.base import shown
from .tir import TyreFile, read_tir

SIDES = ("LEFT", "RIGHT")


def tyre(
    model: Model,
    wheel: Any,
    road: Any,
    file: str | Path | TyreFile,
    *,
    side: str = "",
    mu: float = 1.0,
    mode: int | None = None,
    name: str = "",
    id: int = 0,
):
    """Put a tyre of a property file on a wheel: marker ``wheel`` lies at its centre, with y along the spin axis, to the left of forward travel; marker
    ``road`` has z up.

    ``side``: "LEFT" or "RIGHT", where it is mounted: on the other side than it was measured it is its mirror image (nothing: as measured); ``mu``: friction of
    the road beside that of
    the measurement; ``mode``: forces, by default those that the file names.  Words of the file that no tyre here reads become a warning of the model.  Raises
    `ModelError` as `read_tir`
    and ``model.pac2002_tyre`` do.

        hn.vehicle.tyre(car, hub_left, road, "205_60R15.tir", side="LEFT")
    """  # fmt: skip
    found = file if isinstance(file, TyreFile) else read_tir(file, model.units)
    if found.units != model.units:
        found = read_tir(found.path, model.units)
    word = str(side).upper()
    if word and word not in SIDES:
        raise ModelError(f"side is {shown(side)}; give LEFT or RIGHT")
    e = model.pac2002_tyre(
        wheel, road, found.coefficients, mode=found.mode if mode is None else mode, mirror=bool(word and found.side and word != found.side), mu=mu,
        load_curve=found.load_curve, bottoming=found.bottoming, name=name, id=id,
    )  # fmt: skip
    if found.unknown:
        model.warnings.append(f"{e.label}: '{found.path}' has {', '.join(found.unknown)}, which no tyre here reads; they have no effect")
    return e


@jit
def _sweep(c, table, out):
    """Rows of table: load, kappa, tan alpha, gamma, V_x, omega -> F_x, F_y, M_x, M_y, M_z, K_x, K_y."""
    m = c[pac2002.MIRROR]
    for k in range(table.shape[0]):
        o = pac2002.slip_forces(c, table[k, 0], table[k, 1], m * table[k, 2], m * table[k, 3], table[k, 4], table[k, 5], 1.0)
        out[k, 0] = o[0]
        out[k, 1] = m * o[1]
        out[k, 2] = m * o[2]
        out[k, 3] = o[3]
        out[k, 4] = m * o[4]
        out[k, 5] = o[5]
        out[k, 6] = o[6]


class TyreRig:
    """A flat-plank rig: steady forces of a tyre at given load, slips, inclination and speed.  ``tyre``: a `Pac2002Tyre` of a model, a property file, or its path.

    `forces` takes numbers or arrays that fit together; ``units`` are those of the model, or SI of a file.
    """

    def __init__(self, tyre: Any, *, mirror: bool = False, mu: float = 1.0) -> None:
        model = Model("rig", units=Units())
        if isinstance(tyre, (str, Path)):
            tyre = read_tir(tyre)
        if isinstance(tyre, TyreFile):
            a, b = model.marker(model.part("wheel", 1.0, (1, 1, 1))), model.marker(model.ground)
            tyre = model.pac2002_tyre(
                a, b, tyre.coefficients, mode=tyre.mode, mirror=mirror, mu=mu, load_curve=tyre.load_curve, bottoming=tyre.bottoming
            )
        if getattr(tyre, "KIND", "") != "TYRE_PAC2002":
            raise ModelError(f"tyre is {shown(tyre)}; give a tyre of a model, or a property file")
        self.tyre = tyre
        self._c = np.array(pac2002.numbers(tyre, model), float)

    def forces(self, load, kappa=0.0, alpha=0.0, gamma=0.0, speed=None) -> dict[str, np.ndarray]:
        """F_x, F_y, M_x, M_y, M_z (W axes) and the slip stiffnesses K_x, K_y (force per kappa and per rad) at a load, kappa, slip angle and inclination (rad),
        each a number or an array;
        ``speed``: forward, default LONGVL.  Raises ValueError for arrays that do not fit together."""  # fmt: skip
        speed = self._c[pac2002.LONGVL] if speed is None else speed
        table = np.broadcast_arrays(load, kappa, np.tan(alpha), gamma, speed)
        shape = table[0].shape
        radius = self._c[pac2002.R0]
        rows = np.column_stack([np.ravel(t).astype(float) for t in table])
        rows = np.column_stack([rows, rows[:, 4] * (1.0 + rows[:, 1]) / radius])
        out = np.zeros((len(rows), 7))
        _sweep(self._c, np.ascontiguousarray(rows), out)
        return {name: out[:, k].reshape(shape) for k, name in enumerate(("F_x", "F_y", "M_x", "M_y", "M_z", "K_x", "K_y"))}

    def relaxation(self, load, gamma=0.0) -> tuple[np.ndarray, np.ndarray]:
        """Relaxation lengths sigma_x and sigma_y at a load, length."""
        loads, gammas = np.broadcast_arrays(np.asarray(load, float), np.asarray(gamma, float))
        found = np.array([pac2002.relaxation(self._c, f, g) for f, g in zip(loads.ravel(), gammas.ravel())])
        return found[:, 0].reshape(loads.shape), found[:, 1].reshape(loads.shape)
