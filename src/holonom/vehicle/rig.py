"""The K&C rig: half a car on two pads, body held, and where its wheels go: positions at rest and their derivatives by
pads, steering wheel and loads."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._summary import Summary
from ..analyses.session.simulation import Simulation
from ..analyses.statics.sensitivity import StaticPath, StaticSensitivity
from ..model import Model, ModelError
from ..model.base import shown
from .axle import KINEMATIC, Axle
from .template import LEFT, RIGHT, number_of, numbers_of, tensor

SIDES = (LEFT, RIGHT)
#: loads on a wheel in axes of the rig: at the patch braking (its torque held by the carrier), driving (by a shaft, not
#: by the carrier), lateral, aligning; then on the carrier, at the wheel's centre, forces and moments along x, y, z
LOADS = ("fx", "fd", "fy", "mz", "Fx", "Fy", "Fz", "Mx", "My", "Mz")
G = 9.80665


@dataclass
class Position(Summary):
    """The half car at rest in one position; sides are the rows, left first; ground axes, model units.

    ``centre``, ``patch`` (2, 3): wheels' centres, lowest points of the wheels; ``spin`` (2, 3): spin axes, to the left;
    ``load`` (2,): vertical force on each wheel from its pad; ``spring``, ``damper`` (2,): lengths (NaN where there is
    none); ``steer``: angle of the steering wheel; ``pads`` (2,): heights.

    Derivatives with both pads held: ``moves`` (2, 6, inputs): translation of the wheel's centre, rotation of the
    carrier; ``loads`` (2, inputs) of the pads; ``springs``, ``dampers`` (2, inputs); ``column``: `inputs` name -> its
    number.
    """

    centre: np.ndarray
    patch: np.ndarray
    spin: np.ndarray
    load: np.ndarray
    spring: np.ndarray
    damper: np.ndarray
    steer: float
    pads: np.ndarray
    moves: np.ndarray
    loads: np.ndarray
    springs: np.ndarray
    dampers: np.ndarray
    column: dict[str, int]
    steer_torque: float

    @property
    def steer_zero(self) -> np.ndarray:
        """(2,) steer angles."""
        f = np.cross(self.spin, [0.0, 0.0, 1.0])
        return np.arctan2(f[:, 1], f[:, 0])


class Rig:
    """Half a car on the rig.  ``data``: an axle (see `docs/suspensions.md`); ``units`` of its numbers; ``mode``:
    "kinematic" or "compliant".

    The springs' seats are set so that at the design position (pads at 0, no loads, steering straight) each wheel
    carries ``wheel_load`` of the data, where it is given;
    ``height``: of the pads at which they do (length); ``gravity``: acts on the parts (default: on), and ``lateral``, an
    acceleration to the left.  Raises ModelError for data that does not fit or cannot be assembled.
    """

    def __init__(
        self,
        data: Mapping[str, Any],
        units: Any = "SI",
        mode: str = KINEMATIC,
        *,
        name: str = "axle",
        gravity: bool = True,
        height: float = 0.0,
        lateral: float = 0.0,
    ):
        m = self.model = Model(f"{name} on the rig", units=units)
        m.gravity = (0.0, lateral, -G / m.units.si_length * m.units.si_time**2 if gravity else 0.0)
        self.axle = a = Axle(m, m.ground, copy.deepcopy(dict(data)), mode, name).build()
        self.mode, self.radius = mode, a.radius
        self.pads = [m.input(f"pad {s}") for s in SIDES]
        self.steer: Any = None
        self._inputs: list[Any] = list(self.pads)
        self._supports: list[Any] = []
        self._patches: list[Any] = []
        self._loads: dict[str, Any] = {}
        for side, pad in zip(a.sides, self.pads):
            self._wheel(side, pad)
        if a.steering is not None:
            self.steer = m.input("steering wheel")
            a.steering.motion = m.motion(a.steering.joint, f"VARVAL({self.steer.id})", a.label("steering wheel angle"))
            self._inputs.append(self.steer)
        if a.seat is not None:
            self._inputs.append(a.seat)
        self.sim = Simulation(m, progress=False)
        words = {x.id: word for word, x in self._loads.items()}
        self.column = {words.get(v.id, v.name): k for k, v in enumerate(self._inputs)}
        self._values = np.zeros(len(self._inputs))
        if a.seat is not None:
            self._values[-1] = a.seat_value
            self.sim.set_input(a.seat, a.seat_value)
        self._path = self._freedom()
        self.seat = self._trim(height)
        self.design = self.solve()

    def _wheel(self, side: Any, pad: Any) -> None:
        """The wheel on its hub, kept from rolling by a brake that takes the patch's loads, its lowest point on the pad.

        Its x axis stays level, so that the point of its rim below its centre is the lowest one; all rows are those of
        joints, whose stiffness is exact."""
        m, a, hub = self.model, self.axle, side.hub
        axes = m.body_frame(m.body_of(hub)).axes @ hub.frame.axes
        centre = side.at("wheel_centre")
        data = a.wheel
        mass = number_of(data.get("mass", 1e-3), f"{a.name}.wheel.mass", positive=True)
        size = mass * self.radius**2
        inertia = numbers_of(data.get("inertia", [0.3 * size, 0.5 * size, 0.3 * size]), f"{a.name}.wheel.inertia", 3)
        wheel = m.part(side.label("wheel"), mass, tuple(inertia), tuple(centre), axes=axes)
        spin = m.revolute(wheel, side.carrier, side.label("wheel bearing"), at=centre, axis=axes[:, 1])
        level = m.marker_at(m.ground, centre, z=(0, 0, 1))
        m.primitive("PERPENDICULAR", m.marker_at(wheel, centre, z=axes[:, 0]), level, side.label("level"))
        low = centre - self.radius * axes[:, 2]
        patch = m.marker_at(wheel, low, axes=axes, name=side.label("patch"))
        ahead = m.marker_at(wheel, low + axes[:, 0], name=side.label("ahead"))
        foot = m.marker_at(m.ground, low)
        self._patches.append(patch)
        self._supports.append(
            m.motion(i=patch, j=foot, component="Z", function=f"VARVAL({pad.id})", name=side.label("pad"))
        )
        # names are distinguished without their case: fx acts on the patch, Fx on the carrier
        v = {word: m.input(f"{word} {'patch' if word[0].islower() else 'carrier'} {side.name}") for word in LOADS}
        self._inputs += v.values()
        self._loads.update({f"{word} {side.name}": x for word, x in v.items()})
        f = {k: f"VARVAL({x.id})" for k, x in v.items()}
        m.gforce(patch, None, fx=f"{f['fx']}+{f['fd']}", fy=f["fy"], tz=f["mz"], name=side.label("loads on the patch"))
        braking = f"{self.radius!r}*({f['fx']}*DX({ahead.id},{patch.id})+{f['fy']}*DY({ahead.id},{patch.id}))"
        m.sforce(spin.i, spin.j, braking, side.label("brake"), kind="ROTATIONAL")
        m.gforce(
            hub,
            None,
            fx=f["Fx"],
            fy=f["Fy"],
            fz=f["Fz"],
            tx=f["Mx"],
            ty=f["My"],
            tz=f["Mz"],
            name=side.label("loads on the carrier"),
        )

    def _freedom(self) -> StaticPath:
        """Is what is drawn a suspension?  A kinematic axle has no free motions with pads and steering held."""
        try:
            path = StaticPath(self.sim, self._inputs)
        except ModelError as error:
            raise ModelError(
                f"{self.axle.name}: the linkage cannot be assembled from its hardpoints: {error}"
            ) from None
        free = self.sim.assembly.dof
        if (
            self.mode == KINEMATIC and self.axle.template.name != "leaf_axle" and free
        ):  # whose axle winds up on its springs
            raise ModelError(
                f"{self.axle.name}: with pads and steering held the {self.axle.template.name} still has {free} "
                f"degree{'s' * (free > 1)} of freedom; "
                "a joint is missing in its template"
            )
        return path

    def _trim(self, height: float) -> float:
        """The springs' seat with which the wheels carry their load at the design position."""
        a = self.axle
        if a.seat is None:
            return 0.0
        if "wheel_load" not in a.data:
            return a.seat_value
        wanted = number_of(a.data["wheel_load"], f"{a.name}.wheel_load", positive=True)
        if any(word in a.data.get("spring", {}) for word in ("load", "free")):
            raise ModelError(f"{a.name} gives wheel_load and the spring's load or free length; give one of them")
        seat = a.seat_value
        for _ in range(12):
            self._values[-1] = seat
            p = self.solve((height, height))
            off = wanted - float(p.load.mean())
            slope = float(p.loads[:, self.column[a.seat.name]].mean())
            if abs(off) <= 1e-9 * wanted:
                return seat
            if not abs(slope) > 0.0:
                break
            seat += off / slope
        raise ModelError(
            f"{a.name}: no position of its spring seats carries the wheel_load {wanted:g}; the remaining "
            f"difference is {off:.3g}"
        )

    # ---- positions --------------------------------------------------------------------------------------------------
    def solve(self, pads=(0.0, 0.0), steer: float = 0.0, loads: Mapping[str, float] | None = None) -> Position:
        """The static position for pad heights (left, right), a steering wheel angle, and loads: {"fy left": 1000.0,
        ...}.

        Raises `ModelError` for an unknown load, for a steering angle of an axle without steering, and where no
        equilibrium is found (a linkage that locks)."""
        values = self._values
        values[:2] = pads
        if self.axle.steering is not None:
            values[self.column[self.steer.name]] = steer
        elif steer:
            raise ModelError(f"{self.axle.name} has no steering; leave steer at 0")
        loads = dict(loads or {})
        for word in self._loads:
            values[self.column[word]] = loads.pop(word, 0.0)
        if loads:
            raise ModelError(f"there is no load {shown(sorted(loads)[0])}; choose from {', '.join(self._loads)}")
        try:
            self._path.solve(values)
        except ModelError as error:
            L = self.model.units.symbol("length")
            raise ModelError(
                f"{self.axle.name}: there is no position with the pads at {pads[0]:.4g} and {pads[1]:.4g} {L}"
                + (f" and the steering wheel at {steer:.3g} rad" if steer else "")
                + f": the linkage locks or its hardpoints do not fit ({error})"
            ) from None
        return self._position(self._path.sensitivity(), pads, steer)

    def bodies(self) -> list[tuple[float, np.ndarray, np.ndarray, np.ndarray]]:
        """(mass, tensor of inertia (3, 3), centre of mass (3,), moves (6, inputs)) of all parts in the position that
        was solved last, wheels among them."""
        d, out = self._path.sensitivity(), []
        for part in self.model.table("PART").values():
            if not part.ground:
                at, _ = d.place(part.cm)
                A = part.frame.axes
                out.append((part.mass, A @ tensor(list(part.ip)) @ A.T, at, d.of(part.cm)))
        return out

    def _position(self, d: StaticSensitivity, pads: Any, steer: float) -> Position:
        a = self.axle
        n = len(self._inputs)
        out = {w: np.full((2, n), np.nan) for w in ("springs", "dampers")}
        lengths = {w: np.full(2, np.nan) for w in ("springs", "dampers")}
        centre, spin, patch = np.zeros((2, 3)), np.zeros((2, 3)), np.zeros((2, 3))
        moves, load, rates = np.zeros((2, 6, n)), np.zeros(2), np.zeros((2, n))
        for k, side in enumerate(a.sides):
            centre[k], axes = d.place(side.hub)
            spin[k] = axes[:, 1]
            patch[k] = d.place(self._patches[k])[0]
            moves[k] = d.of(side.hub)
            load[k] = d.reaction(self._supports[k])[0]
            rates[k] = d.multiplier(self._supports[k])[0]
            for word, pairs in (("springs", a.springs), ("dampers", a.dampers)):
                if side.name in pairs:
                    i, j = pairs[side.name]
                    lengths[word][k] = float(np.linalg.norm(d.place(i)[0] - d.place(j)[0]))
                    out[word][k] = d.length(i, j)
        torque = 0.0
        if a.steering is not None:
            torque = float(d.reaction(a.steering.motion)[0])
        return Position(
            centre,
            patch,
            spin,
            load,
            lengths["springs"],
            lengths["dampers"],
            float(steer),
            np.array(pads, float),
            moves,
            rates,
            out["springs"],
            out["dampers"],
            dict(self.column),
            torque,
        )
