"""A tyre on a wheel of a model, and a rig that asks a tyre for its forces at given slips: sweeps, radii, step
responses, plots, a bench with a belt or a drum."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .._jit import jit
from ..elements.forces.tyres import mf6, pac2002, plain, plain_laws, tmeasy
from ..elements.forces.tyres.contact import pace
from ..elements.forces.tyres.kernels import STATES, call_law, watch
from ..elements.forces.tyres.tyre import toppled
from ..elements.frames import make_frames
from ..elements.kinds import FORCES
from ..elements.roads.surface import LAW, LAW_AT, RADIUS, ROAD_AT
from ..model import Model, ModelError, Units
from ..model.base import shown
from .chrono_tyres import read_chrono_tyre
from .tir import TYRE_BUILDERS, TyreFile, read_tir

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
    contact: str = "POINT",
    footprint: Any = None,
    name: str = "",
    id: int = 0,
):
    """Add a tyre from a property file (.tir, or .json of Chrono) to a wheel: marker ``wheel`` lies at its centre, with
    y along the spin axis, to the left of forward travel; ``road``: a road, or a marker of a flat one, z up.

    ``side``: "LEFT" or "RIGHT", mounting side: on the side opposite to that of the measurement the tyre is mirrored
    (empty: as measured); ``mu``: friction of the road relative to that of the measurement; ``mode``: forces, by default
    those that the file names. Keywords of the file that no tyre here reads become a warning of the model. Raises
    `ModelError` as `read_tir` and ``model.tyre_pac2002`` do.

        hn.vehicle.tyre(car, hub_left, road, "205_60R15.tir", side="LEFT")
    """
    found = tyre_file(file, model.units)
    word = str(side).upper()
    if word and word not in SIDES:
        raise ModelError(f"side is {shown(side)}; give LEFT or RIGHT")
    e = found.element(
        model,
        wheel,
        road,
        mirror=bool(word and found.side and word != found.side),
        mu=mu,
        mode=mode,
        name=name,
        id=id,
        contact=contact,
        footprint=footprint,
    )
    never = [f"{word} = 0" for word in ("KPUMIN", "KPUMAX") if found.coefficients.get(word) == 0.0]
    if never:
        which = "braked or driven" if len(never) == 2 else ("braked" if never[0].startswith("KPUMIN") else "driven")
        model.warn(
            f"{e.label}: '{found.path}' has {', '.join(never)}, so that a {which} wheel has no F_x; give the range "
            "that the formula may be used in"
        )
    if found.unknown:
        model.warn(
            f"{e.label}: '{found.path}' has {', '.join(found.unknown)}, which are not used by this type of "
            "tyre; they have no effect"
        )
    if found.empty:
        model.warn(f"{e.label}: '{found.path}' gives no value for {', '.join(found.empty)}; they count as missing")
    return e


def tyre_file(file: Any, units: Units) -> TyreFile:
    """A file as it was read, or its path, with numbers in these units."""
    if isinstance(file, TyreFile):
        return file.in_units(units)
    return read_chrono_tyre(file, units) if Path(file).suffix.lower() == ".json" else read_tir(file, units)


def tyre_table(data: Mapping[str, Any], units: Units, where: str) -> TyreFile:
    """A tyre of a table with its model (`TYRE_BUILDERS`) and the arguments of its builder, in ``units``.  Raises
    `ModelError` for other models."""
    given = dict(data)
    word = str(given.pop("model", "")).upper()
    if word not in TYRE_BUILDERS:
        raise ModelError(
            f"{where}.model is {shown(data.get('model'))}; give {', '.join(w.lower() for w in TYRE_BUILDERS)}, or the "
            "name of a file in place of the table"
        )
    return TyreFile(where, {}, {}, units, model=word, arguments=given)


PASSES = 100
LAGGING = 2  # states of tyres whose slips lag (`contact`)
#: numbers that calm a wheel at standstill: none in the rig, whose forces are those of its slips
CALM = {
    "TYRE_PAC2002": (pac2002.SLIDE_DAMPING,),
    "TYRE_MF6": (mf6.SLIDE_DAMPING,),
    "TYRE_TMEASY": (tmeasy.CALM_X, tmeasy.CALM_Y),
}


@jit
def _rates(address, c, s, x):
    """Rates of the states where one of them is that of x and the others are none, as each depends on itself alone: here
    all at once."""
    o = call_law(address, c, s, (x[0], x[1], x[2], x[3]))
    return o[8], o[9], o[10], o[11]


@jit
def _rest(address, c, s, kappa, n, unit, x):
    """States at rest at inputs s: their rates are straight lines of themselves, but that relaxation lengths may depend
    on loads that depend on them."""
    for k in range(4):
        x[k] = 0.0
    a = _rates(address, c, s, x)
    for k in range(n):
        x[k] = unit[k] if a[k] != 0.0 else 0.0
    share = 1.0
    if n == LAGGING:  # slips themselves, where the law rounds V off
        share = pace(0.0, s[2], kappa * s[2], s[3]) / abs(s[2])
    for _ in range(PASSES):
        b = _rates(address, c, s, x)
        change = 0.0
        for k in range(n):
            if x[k] != 0.0:
                new = -a[k] * share * x[k] / (b[k] - a[k])
                change = max(change, abs(new - x[k]) / (abs(new) + 1e-300))
                x[k] = new
        if change <= 1e-15:
            break


@jit(entry="int64, float64[::1], float64, float64, float64, float64, float64, int64, float64[::1]")
def _spin(address, c, rho, gamma, speed, mu, radius, n, x):
    """The spin at which a wheel rolls freely: without deflection the rate of the first state is -V_sx, or has its
    sign."""
    for k in range(4):
        x[k] = 0.0
    omega = speed / radius
    if n == LAGGING:
        for _ in range(PASSES):
            free = speed + _rates(address, c, (rho, 0.0, speed, 0.0, omega, gamma, 0.0, mu), x)[0]  # omega R_e
            last = omega
            omega = speed * omega / free
            if abs(omega - last) <= 1e-15 * abs(omega):
                break
        return omega
    low, high = 0.9 * omega, 3.0 * omega
    for _ in range(PASSES):
        omega = 0.5 * (low + high)
        if _rates(address, c, (rho, 0.0, speed, 0.0, omega, gamma, 0.0, mu), x)[0] * speed > 0.0:
            high = omega
        else:
            low = omega
        if abs(high - low) <= 1e-15 * abs(omega):
            break
    return omega


@jit
def _at(address, c, radius, rho, state, n, unit, x, out, r):
    """Row r of ``out`` at a deflection; the load less the wanted one."""
    load, kappa, tana, gamma, speed, mu, psi = state
    omega = _spin(address, c, rho, gamma, speed, mu, radius, n, x)
    radius_e = speed / omega
    omega *= 1.0 + (kappa if speed > 0.0 else -kappa)  # kappa = -V_sx / |V_x|
    s = (rho, 0.0, speed, abs(speed) * tana, omega, gamma, psi, mu)
    _rest(address, c, s, kappa, n, unit, x)
    o = call_law(address, c, s, (x[0], x[1], x[2], x[3]))
    out[r, 0], out[r, 1], out[r, 2], out[r, 3], out[r, 4], out[r, 5] = o[0], o[1], o[2], o[3], o[4], o[5]
    out[r, 6], out[r, 7], out[r, 8] = rho, omega, radius_e
    return o[2] - load


@jit(entry="int64, float64[::1], float64, float64[:, ::1], int64, float64[::1], float64[::1], float64[:, ::1]")
def _steady(address, c, radius, table, n, unit, x, out):
    """Rows of table: load, kappa, tan alpha, gamma, V_x, mu, psi' -> forces and moments, rho, omega, R_e; the
    deflection by regula falsi (Illinois)."""
    for r in range(table.shape[0]):
        load = table[r, 0]
        state = (load, table[r, 1], table[r, 2], table[r, 3], table[r, 4], table[r, 5], table[r, 6])
        low, high = 0.0, 0.5 * radius
        below = -load
        above = _at(address, c, radius, high, state, n, unit, x, out, r)
        if not (above > 0.0 and load > 0.0):
            continue
        for _ in range(PASSES):
            rho = (low * above - high * below) / (above - below)
            f = _at(address, c, radius, rho, state, n, unit, x, out, r)
            if f == 0.0:
                break
            if f > 0.0:
                high, above = rho, f
                below *= 0.5
            else:
                low, below = rho, f
                above *= 0.5
            if abs(f) <= 1e-14 * load or high - low <= 1e-15 * radius:
                break


def powers(f: dict[str, Any]) -> dict[str, np.ndarray]:
    """Where the power at an axle goes, of forces, moments, ``omega``, ``V_x``, ``V_sy``, ``gamma``, ``psi``, ``R_l``
    and ``R_e``; power, all arrays that fit together:

    axle      T omega,  T = R_l F_x - M_y cos(gamma) - M_z sin(gamma)    torque that holds the wheel against the road
    (SAE J670, ISO 8855: T = (F_x + F_r) R_l) body      F_x V_x + F_y V_sy
    what the road's forces do on the body of the car slip      -F_x V_sx - F_y V_sy,  V_sx = V_x - omega R_e
    lost by sliding rolling   -(M_y cos(gamma) + M_z sin(gamma)) omega - M_z psi'          lost by moments
    radii     F_x omega (R_l - R_e)                                        F_x acts on the arm R_l, but the wheel rolls
    on R_e: driven less than none, braked a loss lost      axle - body - M_z psi' = slip + rolling + radii
    where it is less than none, the tyre makes power
    """
    spin = f["M_y"] * np.cos(f["gamma"]) + f["M_z"] * np.sin(f["gamma"])
    out = {
        "axle": (f["R_l"] * f["F_x"] - spin) * f["omega"],
        "body": f["F_x"] * f["V_x"] + f["F_y"] * f["V_sy"],
        "slip": -f["F_x"] * (f["V_x"] - f["omega"] * f["R_e"]) - f["F_y"] * f["V_sy"],
        "rolling": -spin * f["omega"] - f["M_z"] * f["psi"],
        "radii": f["F_x"] * f["omega"] * (f["R_l"] - f["R_e"]),
    }
    return {**out, "lost": out["axle"] - out["body"] - f["M_z"] * f["psi"]}


class TyreRig:
    """A tyre test rig: steady forces of a tyre of any type at given load, slips, inclination and speed.  ``tyre``: a
    tyre of a model, a property file, or its path.

    `forces` takes numbers or arrays that fit together; ``units``: of a tyre of a model those of the model, of a file
    those that the rig is to have, by default SI, or those that the file was read in.
    """

    def __init__(self, tyre: Any, *, mirror: bool = False, mu: float = 1.0, units: Units | None = None) -> None:
        if units is None:
            units = tyre.units if isinstance(tyre, TyreFile) else Units()
        self.model = Model("rig", units=units)
        if isinstance(tyre, (str, Path, TyreFile)):
            tyre = tyre_file(tyre, units)
            a, b = self.model.marker(self.model.ground), self.model.marker(self.model.ground)  # law requires no wheel
            tyre = tyre.element(self.model, a, b, mirror=mirror, mu=mu)
        kind = FORCES.get(getattr(tyre, "KIND", ""))
        if kind is None or not tyre.KIND.startswith("TYRE_"):
            raise ModelError(f"tyre is {shown(tyre)}; give a tyre of a model, or a property file")
        self.tyre = tyre
        bare = dataclasses.replace(tyre, road=None)
        values = np.array(kind.values(bare, self.model), float)
        self._address, self._radius = int(values[0]), float(values[RADIUS])
        self._c = np.ascontiguousarray(values[int(values[LAW_AT]) : int(values[ROAD_AT])])
        calm = CALM.get(tyre.KIND, (plain_laws.CALM_X, plain_laws.CALM_Y) if isinstance(tyre, plain.PlainTyre) else ())
        self._c[list(calm)] = 0.0
        self._states = len(kind.state_words)
        self._unit = np.array([0.01 * self._radius, 0.01 * self._radius, 1.0, 1.0])
        have = getattr(tyre, "coefficients", None)
        u = self.model.units
        self.speed = have["LONGVL"] if isinstance(have, dict) and "LONGVL" in have else 16.7 * u.si_time / u.si_length

    @property
    def radius(self) -> float:
        """Of the tyre without load, length."""
        return self._radius

    def forces(self, load, kappa=0.0, alpha=0.0, gamma=0.0, speed=None, mu=1.0, turn=0.0) -> dict[str, np.ndarray]:
        """F_x, F_y, M_x, M_y, M_z (W axes), deflection, radii R_l and R_e, spin at a load, kappa (-V_sx / |V_x|,
        relative to free rolling at that deflection), slip angle and inclination (rad), each a number or an array;
        ``speed``: V_x, negative backward, default that of the measurement; ``mu``: of the road; ``turn``: turning of
        the wheel about the normal, rad/time.  Raises ValueError for arrays that do not fit together, loads that the
        spring does not reach, and angles of a right angle and more."""
        speed = self.speed if speed is None else speed
        for name, angle in (("alpha", alpha), ("gamma", gamma)):
            most = float(np.abs(angle).max(initial=0.0))
            if most >= 0.5 * math.pi:
                raise ValueError(f"{name} is {most:g} rad, a right angle or more; give radians, not degrees")
        table = np.broadcast_arrays(load, kappa, np.tan(alpha), gamma, speed, mu, turn)
        shape = table[0].shape
        rows = np.ascontiguousarray(np.column_stack([np.ravel(t).astype(float) for t in table]))
        out = np.zeros((len(rows), 9))
        _steady(self._address, self._c, self._radius, rows, self._states, self._unit, np.zeros(STATES), out)
        wrong = np.abs(out[:, 2] - rows[:, 0]) > 1e-6 * np.abs(rows[:, 0]).max(initial=1e-300)
        if wrong.any():
            raise ValueError(
                f"a load of {rows[wrong, 0][0]:g} is not reached by the tyre's spring; give one that is positive and "
                "below its rim's"
            )
        names = ("F_x", "F_y", "F_z", "M_x", "M_y", "M_z")
        found = {name: out[:, k].reshape(shape) for k, name in enumerate(names)}
        found["deflection"] = out[:, 6].reshape(shape)
        found["R_l"] = self._radius - found["deflection"]
        found["R_e"] = out[:, 8].reshape(shape)
        found["omega"] = out[:, 7].reshape(shape)
        return found

    def power(self, load, kappa=0.0, alpha=0.0, gamma=0.0, speed=None, mu=1.0, turn=0.0) -> dict[str, np.ndarray]:
        """Where the power at the axle goes at steady slips, of the arguments of `forces`: `powers` has the terms.
        Raises ValueError as `forces` does.

        rig.power(4000.0, kappa=0.02)["lost"]  # less than none: the tyre makes power
        """
        speed = self.speed if speed is None else speed
        f = self.forces(load, kappa, alpha, gamma, speed, mu, turn)
        return powers(f | {"V_x": speed, "V_sy": np.abs(speed) * np.tan(alpha), "gamma": gamma, "psi": turn})

    def stiffness(self, load, gamma=0.0, speed=None) -> tuple[np.ndarray, np.ndarray]:
        """Slip stiffnesses dF_x/dkappa and dF_y/dalpha at no slip (force per unit of kappa, per rad)."""
        h = 1e-5
        ends = [self.forces(load, kappa=s * h, gamma=gamma, speed=speed)["F_x"] for s in (1, -1)]
        sides = [self.forces(load, alpha=s * h, gamma=gamma, speed=speed)["F_y"] for s in (1, -1)]
        return (ends[0] - ends[1]) / (2 * h), (sides[0] - sides[1]) / (2 * h)

    def relaxation(self, load, gamma=0.0) -> tuple[np.ndarray, np.ndarray]:
        """Relaxation lengths sigma_x and sigma_y of small slips at a load, length: the rate at which deflections vanish
        while it rolls."""
        loads, gammas = np.broadcast_arrays(np.asarray(load, float), np.asarray(gamma, float))
        at = self.forces(loads, gamma=gammas)
        out = np.zeros((2, loads.size))
        speed = self.speed
        for k, (rho, g, radius) in enumerate(zip(at["deflection"].ravel(), gammas.ravel(), at["R_e"].ravel())):
            s = (rho, 0.0, speed, 0.0, speed / radius, g, 0.0, 1.0)
            h = 1e-6 * self._radius
            for i in range(2):
                x = [0.0] * STATES
                x[i] = h
                a = (
                    np.array(_law_of(self._address, self._c, s, tuple(x)))[8 + i]
                    - np.array(_law_of(self._address, self._c, s, (0.0,) * STATES))[8 + i]
                )
                out[i, k] = -speed * h / a
        return out[0].reshape(loads.shape), out[1].reshape(loads.shape)

    def step(
        self,
        load: float,
        alpha: float = 0.0,
        kappa: float = 0.0,
        *,
        length: float | None = None,
        speed: float | None = None,
        points: int = 101,
    ):
        """Response to a step of slip angle or slip at a constant deflection -> travelled length (points,), F_x, F_y,
        M_z (points,).

        Over ``length``, by default five relaxation lengths."""
        from scipy.integrate import solve_ivp

        speed = self.speed if speed is None else speed
        at = self.forces(load, speed=speed)
        rho, omega = float(at["deflection"]), speed / float(at["R_e"]) * (1.0 + math.copysign(1.0, speed) * kappa)
        s = (rho, 0.0, speed, speed * math.tan(alpha), omega, 0.0, 0.0, 1.0)
        if length is None:
            length = 5.0 * float(max(np.max(v) for v in self.relaxation(load)))
        law = lambda x: np.array(_law_of(self._address, self._c, s, tuple([*x, *[0.0] * (STATES - self._states)])))
        x = np.linspace(0.0, length, points)
        run = solve_ivp(
            lambda t, y: law(y)[8 : 8 + self._states],
            (0.0, length / speed),
            np.zeros(self._states),
            "LSODA",
            t_eval=x / speed,
            rtol=1e-8,
            atol=1e-10,
        )
        found = np.array([law(y) for y in run.y.T])
        return x, {"F_x": found[:, 0], "F_y": found[:, 1], "M_z": found[:, 5]}

    def plot(self, loads, path: str | Path | None = None, *, alpha=15.0, kappa=0.5, gamma=6.0):
        """A page of characteristics as tyre engineers draw them: F_y and M_z over the slip angle (degrees up to
        ``alpha``), F_x over slip, both at combined slip, F_y over inclination (degrees up to ``gamma``), slip stiffness
        and radii over load, for ``loads`` -> matplotlib figure; ``path``: saved there."""
        from ..results.pictures.figures import Figure

        loads = np.atleast_1d(np.asarray(loads, float))
        u = self.model.units
        force, moment = u.symbol("force"), u.symbol("torque")
        figure = Figure(figsize=(13, 7.5))
        axes = figure.subplots(2, 3)
        a, k, g = np.linspace(-alpha, alpha, 121), np.linspace(-kappa, kappa, 201), np.linspace(-gamma, gamma, 41)
        for load in loads:
            f = self.forces(load, alpha=np.radians(a))
            label = f"{load:g} {force}"
            axes[0, 0].plot(a, f["F_y"], label=label)
            axes[0, 1].plot(a, f["M_z"], label=label)
            axes[0, 2].plot(100 * k, self.forces(load, kappa=k)["F_x"], label=label)
            axes[1, 1].plot(g, self.forces(load, gamma=np.radians(g))["F_y"], label=label)
        middle = loads[len(loads) // 2]
        for slip in (0.0, 2.0, 4.0, 8.0):
            f = self.forces(middle, kappa=k, alpha=np.radians(slip))
            axes[1, 0].plot(f["F_x"], f["F_y"], label=f"{slip:g} deg")
        over = np.linspace(0.1, 1.0, 19) * loads.max()
        f = self.forces(over)
        Kx, Ky = self.stiffness(over)
        axes[1, 2].plot(over, np.abs(Kx), label="along")
        axes[1, 2].plot(over, np.abs(Ky), label="across")
        twin = axes[1, 2].twinx()
        twin.plot(over, f["R_e"], "k--", label="rolling radius")
        twin.plot(over, f["R_l"], "k:", label="loaded radius")
        twin.set_ylabel(f"radius ({u.symbol('length')})")
        titles = (
            ("slip angle (deg)", f"side force ({force})", "side force"),
            ("slip angle (deg)", f"aligning moment ({moment})", "aligning moment"),
            ("longitudinal slip (%)", f"longitudinal force ({force})", "longitudinal force"),
            (f"longitudinal force ({force})", f"side force ({force})", f"combined slip, {middle:g} {force}"),
            ("inclination (deg)", f"side force ({force})", "camber thrust"),
            (f"load ({force})", f"slip stiffness ({force})", "slip stiffness and radii"),
        )
        for ax, (x, y, title) in zip(axes.ravel(), titles):
            ax.set(xlabel=x, ylabel=y, title=title)
            ax.grid(alpha=0.3)
            ax.legend(fontsize=8)
        twin.legend(fontsize=8, loc="lower right")
        figure.tight_layout()
        if path is not None:
            figure.savefig(path, dpi=110)
        return figure

    def bench(
        self,
        *,
        load: float | None = None,
        height: float | None = None,
        speed: float | None = None,
        drum: float | None = None,
        alpha: Any = 0.0,
        gamma: float = 0.0,
        kappa: float | None = None,
        contact: str = "POINT",
        name: str = "bench",
    ):
        """A model of a test rig: the wheel turns freely, at a fixed ``height`` of its centre or that of a ``load``, on
        a belt that runs with ``speed``, flat or over a ``drum`` of that radius -> model, with parts "carrier" and
        "wheel" and the tyre "tyre".

        ``alpha``: slip angle, rad, a number or an expression of time; ``gamma``: inclination; ``kappa``: slip at which
        the wheel is driven or braked (motion "drive", relative to free rolling of a ``load``; none: it turns freely).
        Raises `ModelError` without load or height, and for kappa without a load.
        """
        u = self.model.units
        speed = self.speed if speed is None else speed
        if kappa is not None and load is None:
            raise ModelError("kappa is that relative to free rolling of a load; give the load")
        if height is None:
            if load is None:
                raise ModelError("load and height are missing; give one of them")
            height = float(self.forces(load, gamma=gamma, speed=speed)["R_l"]) * math.cos(gamma)
        m = Model(name, units=u)
        m.gravity = (0, 0, 0)
        length = 1.0 / u.si_length
        carrier = m.part("carrier", 1.0, tuple(length**2 * np.ones(3)), position=(0, 0, height))
        wheel = m.part("wheel", 10.0, tuple(length**2 * np.array([0.5, 0.9, 0.5])), position=(0, 0, height))
        post = m.revolute(carrier, m.ground, "post", at=(0, 0, height), axis=(0, 0, 1))
        m.motion(post, f"-({alpha})" if isinstance(alpha, str) else f"{-alpha!r}")
        axis = np.array([0.0, math.cos(gamma), math.sin(gamma)])
        spin = (
            speed / self._radius
            if kappa is None
            else float(self.forces(load, kappa, gamma=gamma, speed=speed)["omega"])
        )
        wheel.wy, wheel.wz = spin * axis[1], spin * axis[2]
        hub = m.revolute(wheel, carrier, "hub", at=(0, 0, height), axis=tuple(axis))
        if kappa is not None:
            m.motion(hub, f"{spin!r}*TIME", name="drive")
        sizes: dict[str, Any] = {"radius": drum} if drum else {}
        road = m.road("DRUM" if drum else "FLAT", m.marker(m.ground), belt=-speed, name="belt", **sizes)
        own = {f.name: getattr(self.tyre, f.name) for f in dataclasses.fields(self.tyre)}
        centre = m.marker_at(wheel, (0, 0, height), z=tuple(np.cross((1, 0, 0), axis)), x=(1, 0, 0))
        here = {
            "id": 1,
            "name": "tyre",
            "i": centre.id,
            "j": road.marker,
            "road": road.id,
            "contact": contact,
            "source": None,
        }
        m.add(type(self.tyre)(**{**own, **here}))
        return m


@jit(entry="int64, float64[::1], 8 * float64, 4 * float64")
def _law_of(address, c, s, x):
    return call_law(address, c, s, x)


def tyre_history(run: Any, tyre: Any) -> dict[str, Any]:
    """History of a tyre at the output times: ``time``, ``deflection``, ``alpha``, ``kappa``,
    ``gamma`` (of the instant), ``V_x``, ``V_sy``, ``omega``, ``mu``, ``F_x``, ``F_y``, ``F_z``, ``M_x``, ``M_y``,
    ``M_z`` (the road's on the tyre, W axes), ``point`` (nt, 3: the contact in ground axes), ``R_l``, ``R_e``, ``power``
    (terms of `powers`; ``lost`` is the power that the run counts as dissipated, without the vertical damper), and
    ``left``: one message for each validity range that was exceeded, for leaving the road, and for spurious energy of
    the tyre.

        history = hn.vehicle.tyre_history(run, "front left")
    """
    model = run.model
    if isinstance(tyre, str):
        found = [e for e in model if e.KIND.startswith("TYRE_") and tyre in (e.name, f"{e.KIND}/{e.id}")]
        if not found:
            names = ", ".join(e.name or f"{e.KIND}/{e.id}" for e in model if e.KIND.startswith("TYRE_")) or "none"
            raise ModelError(f"there is no tyre {shown(tyre)}; there are {names}")
        tyre = found[0]
    kind = FORCES[tyre.KIND]
    c = np.array(kind.values(tyre, model), float)
    at = [run.marker(model.markers[k]) for k in tyre.ports]
    time = np.asarray(run.time, float)
    motion = [v._motion for v in at]
    fr = make_frames(np.zeros(2), np.zeros((2, 3)), np.zeros((2, 9)))
    states = np.array([np.asarray(run.state(f"{tyre.KIND}_{tyre.id}[{k}]")) for k in range(len(kind.state_words))]).T
    out, places = np.zeros((len(time), 23)), np.zeros((len(time), 3))
    f = np.arange(2)
    for t in range(len(time)):
        for k in range(2):
            fr.p[k], fr.A[k], fr.v[k], fr.w[k] = (
                motion[k][0][t],
                motion[k][1][t].ravel(),
                motion[k][2][t],
                motion[k][4][t],
            )
        watch(c, f, fr, np.ascontiguousarray(states[t]), out[t])
        places[t] = motion[1][0][t] + motion[1][1][t] @ out[t, 20:23]
    columns = (
        "deflection",
        "rate",
        "V_x",
        "V_sy",
        "omega",
        "gamma",
        "psi",
        "mu",
        "F_x",
        "F_y",
        "F_z",
        "M_x",
        "M_y",
        "M_z",
    )
    history: dict[str, Any] = {"time": time, **{name: out[:, k] for k, name in enumerate(columns)}, "point": places}
    history["alpha"] = np.arctan2(history["V_sy"], np.abs(history["V_x"]))
    history["slip_states"] = states
    history["R_l"] = c[RADIUS] - history["deflection"]
    history["R_e"] = _rolling_radii(history, c, states.shape[1])
    history["kappa"] = (history["omega"] * history["R_e"] - history["V_x"]) / np.maximum(np.abs(history["V_x"]), 1e-300)
    history["power"] = powers(history)
    history["left"] = _left(tyre, history, c) + _made(tyre, history) + toppled(tyre, run)
    return history


def _rolling_radii(h: dict[str, Any], c: np.ndarray, n: int) -> np.ndarray:
    """Effective rolling radii of a history: where slips lag, V_sx is the rate of no deflection; else as the rig finds
    it.  In the air: the loaded one."""
    law, out, x = np.ascontiguousarray(c[int(c[LAW_AT]) : int(c[ROAD_AT])]), h["R_l"].copy(), np.zeros(STATES)
    inputs = np.column_stack([h[name] for name in ("deflection", "rate", "V_x", "V_sy", "omega", "gamma", "psi", "mu")])
    for k in np.flatnonzero((h["F_z"] > 0.0) & (np.abs(h["omega"]) > 1e-9)):
        s = inputs[k]
        if n == LAGGING:
            out[k] = (s[2] + _law_of(int(c[LAW]), law, tuple(s), (0.0,) * STATES)[8]) / s[4]
        else:
            out[k] = c[RADIUS] / _spin(int(c[LAW]), law, s[0], 0.0, c[RADIUS], 1.0, c[RADIUS], n, x)
    return out


def _made(tyre: Any, h: dict[str, Any]) -> list[str]:
    """Whether the tyre made more energy than it lost, through its two radii."""
    lost, radii, work = (float(np.trapezoid(h["power"][name], h["time"])) for name in ("lost", "radii", "axle"))
    if lost >= 0.0 or radii >= 0.0:
        return []
    return [
        f"{tyre.label}: it created energy, {-lost / abs(work):.2%} of the work at its axle, as F_x acts on the "
        "loaded radius and the wheel rolls on the effective one; "
        "see power in docs/tyres.md for coefficients that avoid this"
    ]


def _left(tyre: Any, h: dict[str, Any], c: np.ndarray) -> list[str]:
    """Ranges that were left."""
    out = []
    have = getattr(tyre, "coefficients", {}) if isinstance(getattr(tyre, "coefficients", None), dict) else {}
    for name, low, high, what in (
        ("F_z", "FZMIN", "FZMAX", "load"),
        ("gamma", "CAMMIN", "CAMMAX", "inclination"),
        ("alpha", "ALPMIN", "ALPMAX", "slip angle"),
        ("kappa", "KPUMIN", "KPUMAX", "slip"),
    ):
        # at a standstill slips mean nothing
        values = h[name][(h["F_z"] > 0.0) & ((name != "kappa") | (np.abs(h["V_x"]) > have.get("VXLOW", 0.0)))]
        if not len(values):
            continue
        if high in have and (name != "F_z" or have[high] > 0.0) and values.max() > have[high] * (1 + 1e-9):
            out.append(
                f"{tyre.label}: its {what} rose to {values.max():.4g}, above {high} = {have[high]:g}; forces are those "
                "of that bound"
            )
        if low in have and values.min() < have[low] - 1e-9 * abs(have[low]) and (name != "F_z" or have[low] > 0.0):
            out.append(
                f"{tyre.label}: its {what} fell to {values.min():.4g}, below {low} = {have[low]:g}; forces are those "
                "of that bound"
            )
    off = h["deflection"] < -1e6 * c[RADIUS]
    if off.any():
        k = int(np.argmax(off))
        out.append(
            f"{tyre.label}: from {h['time'][k]:.4g} on it was off its road for {off.mean():.0%} of the time; make the "
            "road larger"
        )
    return out
