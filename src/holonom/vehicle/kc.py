"""Kinematics and compliance of an axle: the sweeps of the rig, tables, one page of plots, two designs on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model import ModelError
from ..model.base import did_you_mean, shown
from .axle import KINEMATIC
from .characteristics import TABLE, Car, View, characteristics, compliance_matrix
from .rig import Position, Rig

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..model.settings import Units

SWEEPS = (
    "parallel",
    "opposite",
    "single",
    "roll",
    "steer",
    "brake",
    "drive",
    "lateral",
    "lateral_opposite",
    "aligning",
    "aligning_opposite",
)


class Sweep:
    """A sweep of positions. ``x``: the swept quantity (length of travel, radians of roll or steering wheel, force or
    moment on each wheel), ``kind``, ``positions``.

    ``sweep["camber"]``: a characteristic over it, (n, 2) left and right, or (n,) of the axle; model units and radians.
    Raises `ModelError` for unknown names.
    """

    def __init__(self, kind: str, x: np.ndarray, positions: list[Position], design: Position, car: Car):
        self.kind, self.x, self.positions = kind, x, positions
        self._design, self._car = design, car
        self._views = [View(p, design, car) for p in positions]
        self._known: dict[str, np.ndarray] = {}

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in TABLE:
            raise ModelError(f"there is no characteristic {shown(name)}{did_you_mean(name, TABLE)}")
        if name not in self._known:
            with np.errstate(divide="ignore", invalid="ignore"):
                self._known[name] = np.array([np.asarray(TABLE[name].of(v), float) for v in self._views])
        return self._known[name]

    def to_csv(self, path: str | Path) -> Path:
        """All characteristics over the sweep as a table, model units and radians.  Raises ModelError where it cannot be
        written."""
        heads, columns = [self.kind], [self.x]
        for name, c in TABLE.items():
            values = self[name]
            for k, side in enumerate(("left", "right")) if c.sides else ((None, ""),):
                heads.append(f"{name}.{side}" if side else name)
                columns.append(values if k is None else values[:, k])
        path = Path(path)
        try:
            np.savetxt(path, np.column_stack(columns), delimiter=",", header=",".join(heads), comments="", fmt="%.12g")
        except OSError as error:
            raise ModelError(f"cannot write '{path}': {error.strerror}") from None
        return path


class KC:
    """Kinematics and compliance of one axle.

    ``data``: an axle; ``units``, ``mode``, ``name`` as `rig.Rig`; ``car``: data of the car (`characteristics.Car`; set
    by `VehicleFile.kc`). Sweeps are computed when they are first requested.

        kc = hn.vehicle.read_vehicle("sedan.json").kc("front")
        kc.parallel["bump_steer"], kc.design["caster"]
    """

    def __init__(
        self,
        data: Mapping[str, Any],
        units: Any = "SI",
        mode: str = KINEMATIC,
        *,
        name: str = "axle",
        car: Car | None = None,
        gravity: bool = True,
    ):
        self.rig = Rig(data, units, mode, name=name, gravity=gravity)
        wheel = self.rig.axle.wheel
        given = car if car is not None else Car()
        self.car = Car(
            **{
                **given.__dict__,
                "brake": wheel.get("brake", given.brake),
                "drive": wheel.get("drive", given.drive),
                "tyre_stiffness": float(wheel.get("stiffness", given.tyre_stiffness)),
            }
        )
        self.name, self.mode = name, mode
        self._sweeps: dict[str, Sweep] = {}
        self._design: dict[str, np.ndarray] | None = None

    @property
    def units(self) -> Units:
        """Units of all numbers."""
        return self.rig.model.units

    @property
    def design(self) -> Mapping[str, np.ndarray]:
        """All characteristics at the design position: name -> (2,) left and right, or one number."""
        if self._design is None:
            self._design = dict(characteristics(self.rig.design, self.rig.design, self.car))
        return self._design

    def compliance(self, **position: Any) -> np.ndarray:
        """The (12, 12) compliance matrix (`characteristics.compliance_matrix`) at a position of the rig (default:
        design; arguments of `Rig.solve`)."""
        p = self.rig.solve(**position) if position else self.rig.design
        return compliance_matrix(View(p, self.rig.design, self.car))

    # ---- sweeps -----------------------------------------------------------------------------------------------------
    def sweep(self, kind: str, x: Sequence[float] | np.ndarray, **fixed: Any) -> Sweep:
        """A sweep over values ``x``: of "parallel", "opposite" (left up), "single" (left) travel of the pads [length];
        "roll" of the body [rad], axle load held; "steer" angle of the steering wheel [rad]; loads on each wheel:
        "brake", "drive", "lateral" (to the left; "lateral_opposite": inward on both), "aligning" (about z;
        "aligning_opposite": out on both). ``fixed``: pads, steer, loads as of `Rig.solve`, kept meanwhile. Raises
        `ModelError` for other keywords and where the linkage locks.
        """
        if kind not in SWEEPS:
            raise ModelError(f"there is no sweep {shown(kind)}{did_you_mean(kind, SWEEPS)}")
        points = np.asarray(x, float)
        start = int(np.argmin(np.abs(points)))
        found: dict[int, Position] = {}
        self.rig.solve(**fixed)
        for order in (range(start, len(points)), range(start - 1, -1, -1)):
            for k in order:
                found[k] = self._at(kind, float(points[k]), fixed)
            if start:
                self.rig.solve(**fixed)
        return Sweep(kind, points, [found[k] for k in range(len(points))], self.rig.design, self.car)

    def _at(self, kind: str, x: float, fixed: Mapping[str, Any]) -> Position:
        pads = np.array(fixed.get("pads", (0.0, 0.0)), float)
        rest = {k: v for k, v in fixed.items() if k != "pads"}
        if kind in ("parallel", "opposite", "single"):
            way = {"parallel": (1.0, 1.0), "opposite": (1.0, -1.0), "single": (1.0, 0.0)}[kind]
            return self.rig.solve(pads=pads + x * np.array(way), **rest)
        if kind == "roll":
            return self._rolled(x, pads, rest)
        if kind == "steer":
            return self.rig.solve(pads=pads, **{**rest, "steer": x})
        inboard = {"brake": self.car.brake, "drive": self.car.drive}.get(kind) == "inboard"
        word = {
            "brake": "fd" if inboard else "fx",
            "drive": "fd" if inboard else "fx",
            "lateral": "fy",
            "lateral_opposite": "fy",
        }.get(kind, "mz")
        sign = {"brake": (-1.0, -1.0), "lateral_opposite": (-1.0, 1.0), "aligning_opposite": (1.0, -1.0)}.get(
            kind, (1.0, 1.0)
        )
        loads = dict(rest.pop("loads", None) or {})
        for side, s in zip(("left", "right"), sign):
            loads[f"{word} {side}"] = loads.get(f"{word} {side}", 0.0) + s * x
        return self.rig.solve(pads=pads, loads=loads, **rest)

    def _rolled(self, roll: float, pads: np.ndarray, rest: Mapping[str, Any]) -> Position:
        """The ground turned by -roll about the middle of the track, its height such that the axle's load stays."""
        wanted = float(self.rig.design.load.sum())
        track = self.rig.design.patch[:, 1]
        heights = pads - np.tan(roll) * track
        for _ in range(12):
            p = self.rig.solve(pads=heights, **rest)
            off = wanted - float(p.load.sum())
            if abs(off) <= 1e-9 * abs(wanted) + 1e-12:
                return p
            slope = float(p.loads[:, [p.column["pad left"], p.column["pad right"]]].sum())
            heights = heights + off / slope
        raise ModelError(f"{self.name}: at a roll of {roll:.3g} rad no height of the ground carries the axle's load")

    def _default(self, kind: str) -> Sweep:
        if kind not in self._sweeps:
            L = 1.0 / self.units.si_length
            F = 1.0 / self.units.si_force
            x = {
                "parallel": np.linspace(-0.08, 0.08, 33) * L,
                "opposite": np.linspace(-0.06, 0.06, 25) * L,
                "single": np.linspace(-0.06, 0.06, 25) * L,
                "roll": np.radians(np.linspace(-4.0, 4.0, 17)),
                "steer": np.radians(np.linspace(-450.0, 450.0, 37)),
            }.get(kind)
            if x is None:
                x = np.linspace(-100.0, 100.0, 9) * F * L if "aligning" in kind else np.linspace(-2000.0, 2000.0, 9) * F
                if kind in ("brake", "drive"):
                    x = np.linspace(0.0, 3000.0, 9) * F
            self._sweeps[kind] = self.sweep(kind, x)
        return self._sweeps[kind]

    parallel = property(lambda self: self._default("parallel"), doc="Both wheels by +-80 mm.")
    opposite = property(lambda self: self._default("opposite"), doc="Left up, right down by +-60 mm.")
    single = property(lambda self: self._default("single"), doc="The left wheel by +-60 mm.")
    roll = property(lambda self: self._default("roll"), doc="The body by +-4 degrees.")
    steer = property(lambda self: self._default("steer"), doc="The steering wheel by +-450 degrees.")
    brake = property(lambda self: self._default("brake"), doc="Braking force to 3 kN a wheel.")
    drive = property(lambda self: self._default("drive"), doc="Driving force to 3 kN a wheel.")
    lateral = property(lambda self: self._default("lateral"), doc="Lateral force of +-2 kN a wheel, both to the left.")
    lateral_opposite = property(lambda self: self._default("lateral_opposite"), doc="Inward on both.")
    aligning = property(lambda self: self._default("aligning"), doc="Aligning moment of +-100 N m a wheel.")
    aligning_opposite = property(lambda self: self._default("aligning_opposite"), doc="Out on both.")

    # ---- told -------------------------------------------------------------------------------------------------------
    def text(self, other: KC | None = None) -> str:
        """Characteristics at the design position as a table, in units that engineers read (degrees, and the model's);
        ``other``: a design whose values are added where they differ by more than 0.1 %."""
        from .kc_words import unit_of

        out = [f"{self.name}, {self.mode}, {self.rig.axle.template.name}"]
        for name, values in self.design.items():
            scale, unit = unit_of(TABLE[name].unit, self.units)
            clean = lambda x: np.where(np.abs(x) < 1e-12, 0.0, x)
            v = clean(np.atleast_1d(values) * scale)
            if np.isnan(v).all():
                continue
            sides = lambda x: f"{x[0]:12.5g}" + (f"{x[1]:12.5g}" if len(x) > 1 else "")
            line = f"  {name.replace('_', ' '):24s}{sides(v):24s}  {unit}"
            if other is not None:
                before = clean(np.atleast_1d(other.design[name]) * scale)
                if np.abs(before - v).max() > 1e-3 * np.abs(before).max():
                    line = f"{line:64s}was {sides(before)}"
            out.append(line)
        return "\n".join(out)

    def plot(self, path: str | Path | None = None, *others: KC, title: str = "") -> Figure:
        """One page of curves; ``others``: further designs on it, dashed.  Writes it to ``path`` (png, pdf, svg) and
        returns the figure."""
        from .kc_words import page

        figure = page([self, *others], title)
        if path is not None:
            try:
                figure.savefig(path, dpi=110)
            except OSError as error:
                raise ModelError(f"cannot write '{path}': {error.strerror}") from None
            except ValueError as error:
                raise ModelError(f"cannot write '{path}': {error}") from None
        return figure
