"""A whole vehicle from its file: chassis, axles, wheels, tyres on a road, steering, drive and brakes; at rest under its weight, then rolling.

The trim is a static equilibrium: seats of the springs on the rig, so that each axle carries its share at the drawn height, then the car on its tyres (their
vertical law, no slip).  The dynamic model is drawn at that place, rolling straight ahead.  What a manoeuvre gives speaks SI: m/s, m/s^2, s, radians.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from ..analyses.simulation import Simulation
from ..elements.forces.tyres import pac2002
from ..model import Model, ModelError
from ..model.base import shown
from ..model.orientation import to_euler313
from ..results import _rotation as rotation
from .axle import KINEMATIC, Axle
from .rig import Rig
from .template import curve_of, number_of, numbers_of
from .tir import TyreFile, read_tir
from .tyre_rig import tyre
from .vehicle_file import VehicleFile, read_vehicle

WHICH = ("front", "rear")
SIDES = ("left", "right")
TWO_PI = 2.0 * math.pi


class Vehicle:
    """A vehicle that can be driven.  ``file``: a `VehicleFile`, its path, or the name of a shipped one; ``mode``: "kinematic" or "compliant"; ``mu``: friction
    of the road beside that of the tyres' measurement; ``gear``: number of the gear that is in (default: the highest but one).

    Raises `ModelError` for data that does not fit, a vehicle without tyre files, and one that finds no equilibrium.
    """

    def __init__(self, file: VehicleFile | str | Path, mode: str = KINEMATIC, *, mu: float = 1.0, gear: int | None = None):
        self.file = file if isinstance(file, VehicleFile) else read_vehicle(file)
        self.mode, self.mu = mode, number_of(mu, "mu", positive=True)
        self.units = self.file.units
        #: model units of one metre, newton, second
        self.metre, self.newton, self.second = 1.0 / self.units.si_length, 1.0 / self.units.si_force, 1.0 / self.units.si_time
        self.tyres = {w: self._tyre_file(w) for w in WHICH}
        self.gear = self._gear(gear)
        self.radii: dict[str, float] = {}
        self.seats: dict[str, float] = {}
        self._loads()
        self._place: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        self.loads = self._settle()

    # ---- data -------------------------------------------------------------------------------------------------------
    def _tyre_file(self, which: str) -> TyreFile:
        wheel = self.file.data[which].get("wheel", {})
        name = wheel.get("tyre")
        if not isinstance(name, str):
            raise ModelError(f"{which}.wheel has no tyre; a vehicle that is driven needs one, as 'tyre': 'my_tyre.tir'")
        folder = self.file.path.parent if self.file.path is not None else Path(__file__).parent / "data"
        return read_tir(folder / name, self.units)

    def _gear(self, gear: int | None) -> float:
        """Turns of the engine per turn of the wheels."""
        drive = self.file.drive
        gears = numbers_of(drive.get("gears", [1.0]), "drive.gears")
        final = number_of(drive.get("final", 1.0), "drive.final", positive=True)
        number = max(len(gears) - 1, 1) if gear is None else gear
        if not 1 <= number <= len(gears):
            raise ModelError(f"gear is {shown(gear)}; the vehicle has {len(gears)}")
        return gears[number - 1] * final

    def _tyre_numbers(self, which: str) -> np.ndarray:
        """What the law of a tyre reads (`pac2002.numbers`)."""
        m = Model("tyre", units=self.file.data.get("units", "SI"))
        f = self.tyres[which]
        e = m.pac2002_tyre(
            m.marker(m.part("wheel", 1.0, (1, 1, 1))),
            m.marker(m.ground),
            f.coefficients,
            mode=f.mode,
            load_curve=f.load_curve,
            bottoming=f.bottoming,
        )
        return np.array(pac2002.numbers(e, m), float)

    def _spring(self, which: str) -> tuple[list[float], list[float]]:
        """Load of a tyre over its deflection."""
        c = self._tyre_numbers(which)
        rho = np.linspace(0.0, 0.3 * c[pac2002.R0], 61)
        return rho.tolist(), [float(pac2002.spring(c, r)[0]) for r in rho]

    def _loads(self) -> None:
        """Loaded radii, and the seats of the springs with which the wheels carry their load on the road."""
        for k, which in enumerate(WHICH):
            load = self.file.mass.loads[k]
            rho, f = self._spring(which)
            if not f[-1] > load:
                raise ModelError(f"{which}: its tyres carry {f[-1]:g} at most, and their load is {load:g}; check wheel.tyre and the masses")
            radius = self.tyres[which].coefficients["UNLOADED_RADIUS"] - float(np.interp(load, f, rho))
            data = self.file.axle_data(which)
            height = float(self.file._centre(which)[2])
            data["wheel"] = {**data["wheel"], "radius": radius}
            rig = Rig(data, self.file.data.get("units", "SI"), self.mode, name=which, height=radius - height)
            self.radii[which], self.seats[which] = radius, rig.seat

    # ---- drawing ------------------------------------------------------------------------------------------------------
    def _draw(self, name: str) -> tuple[Model, Any, dict[str, Axle], dict[str, Any]]:
        m = Model(name, units=self.file.data.get("units", "SI"))
        m.gravity = (0.0, 0.0, -self.file.g)
        c = self.file.chassis
        chassis = m.part("chassis", float(c["mass"]), tuple(c["inertia"]), tuple(c["cm"]))
        axles, wheels = {}, {}
        for which in WHICH:
            data = self.file.axle_data(which)
            data["wheel"] = {**data["wheel"], "radius": self.radii[which]}
            data.pop("wheel_load", None)
            axle = axles[which] = Axle(m, chassis, data, self.mode, which)
            axle.build()
            if axle.seat is not None:
                axle.seat.function = repr(float(self.seats[which]))
                axle.seat.input = True
            for side in axle.sides:
                axes = m.body_frame(m.body_of(side.hub)).axes @ side.hub.frame.axes
                mass = number_of(axle.wheel.get("mass", 0.0), f"{which}.wheel.mass", positive=True)
                size = mass * axle.radius**2
                inertia = tuple(numbers_of(axle.wheel.get("inertia", [0.3 * size, 0.5 * size, 0.3 * size]), f"{which}.wheel.inertia", 3))
                wheel = m.part(f"{which} {side.name} wheel", mass, inertia, tuple(side.at("wheel_centre")), axes=axes)
                wheels[f"{which} {side.name}"] = (
                    wheel,
                    m.revolute(wheel, side.carrier, f"{which} {side.name} bearing", at=side.at("wheel_centre"), axis=axes[:, 1]),
                    side,
                    axes,
                )
        return m, chassis, axles, wheels

    def _settle(self) -> dict[str, float]:
        """The car at rest on its tyres: places of all parts; returns the loads of the wheels (force)."""
        m, chassis, axles, wheels = self._draw(f"{self.file.name} at rest")
        at = chassis.frame.origin
        m.primitive("INLINE", m.marker_at(chassis, at), m.marker_at(m.ground, at, z=(0, 0, 1)), "guide")
        m.primitive("PERPENDICULAR", m.marker_at(chassis, at, z=(1, 0, 0)), m.marker_at(m.ground, at, z=(0, 1, 0)), "heading")
        level = m.marker_at(m.ground, (0, 0, 0))
        for name, (wheel, _, side, axes) in wheels.items():
            which = name.split()[0]
            rho, f = self._spring(which)
            law = m.spline(rho, f, linear_extrapolate=True, name=f"{name} tyre")
            R0 = float(self.tyres[which].coefficients["UNLOADED_RADIUS"])
            centre = side.at("wheel_centre")
            hub, low = m.marker_at(wheel, centre), m.marker_at(wheel, centre - R0 * axes[:, 2])
            m.primitive(
                "PERPENDICULAR", m.marker_at(wheel, centre, z=axes[:, 0]), m.marker_at(m.ground, centre, z=(0, 0, 1)), f"{name} level"
            )
            h = f"DZ({hub.id},{level.id})"
            deflection = f"{R0!r}*(1-{h}/({h}-DZ({low.id},{level.id})))"
            m.vforce(low, None, fz=f"CUBSPL(MAX(0,{deflection}),0,{law.id},0)", name=f"{name} load")
        steering = axles["front"].steering
        if steering is None:
            raise ModelError("front has no steering; a vehicle that is driven needs one")
        m.motion(steering.joint, "0", "steering wheel")
        if axles["rear"].steering is not None:
            m.motion(axles["rear"].steering.joint, "0", "rear steering")
        sim = Simulation(m, progress=False)
        try:
            sim.statics()
        except ModelError as error:
            raise ModelError(f"{self.file.name}: the vehicle finds no equilibrium on its tyres: {error}") from None
        state = sim.state
        for name, position, q in zip(state.names, state.positions, state.quaternions):
            self._place[name] = (position, rotation.matrices(q[None])[0])
        out = {}
        run = sim.run()
        for name in wheels:
            out[name] = float(run.force(f"{name} load").force.values[-1, 2])
        return out

    def model(
        self,
        speed: float,
        steer: Any = "0",
        *,
        hold: bool | float | str = True,
        throttle: str = "0",
        brake: str = "0",
        servo: bool = False,
        position=(0.0, 0.0),
        heading: float = 0.0,
    ) -> Model:
        """The dynamic model, rolling straight at ``speed`` (m/s).

        ``steer``: angle of the steering wheel (radians, positive to the left), an expression of TIME (units of time of the model); or ``servo``: a stiff servo
        turns it to the input "steering command" (radians), for drivers, or to ``steer``, which may then depend on states; a function of (model, chassis)
        may give it.  ``hold``: a speed control keeps the speed (or another, m/s, or an expression in units of the model); else ``throttle`` (0 to 1, of
        the engine's map) drives.  ``brake`` (0 to 1, of the brakes' torque).  Expressions read VARIABLEs by VARVAL.  ``position``, ``heading``: where the chassis' origin
        of the file's coordinates and its x axis stand, metres and radians.  Raises ModelError for expressions that are none.
        """
        m, chassis, axles, wheels = self._draw(self.file.name)
        v = number_of(speed, "speed", least=0.0) * self.metre / self.second
        c, s = math.cos(heading), math.sin(heading)
        turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        shift = np.array([position[0] * self.metre, position[1] * self.metre, 0.0])
        for part in m.table("PART").values():
            if part.ground:
                continue
            at, axes = self._place[part.name]
            part.qg = tuple((turn @ at + shift).tolist())
            part.reuler = to_euler313(turn @ axes)
            part.vx, part.vy, part.vz = v * c, v * s, 0.0
        road = m.marker_at(m.ground, (0, 0, 0))
        for name, (wheel, _, _, _) in wheels.items():
            which, side = name.split()
            radius = self._rolling_radius(which)
            wheel.wx, wheel.wy, wheel.wz = 0.0, v / radius, 0.0
            centre = m.marker(wheel, name=f"{name} centre")
            tyre(m, centre, road, self.tyres[which], side=side.upper(), mu=self.mu, name=f"{name} tyre")
        m.marker(chassis, (0, 0, 0), name="chassis axes")
        if callable(steer):
            steer = steer(m, chassis)
        self._steer(m, axles, steer, servo)
        self._drive(m, chassis, axles, wheels, v, hold, throttle)
        self._brake(m, wheels, brake)
        return m

    def _rolling_radius(self, which: str) -> float:
        unloaded = self.tyres[which].coefficients["UNLOADED_RADIUS"]
        return float(pac2002.rolling_radius(self._tyre_numbers(which), unloaded - self.radii[which]))

    def _steer(self, m: Model, axles: dict[str, Axle], steer: str, servo: bool) -> None:
        joint = axles["front"].steering.joint
        if servo:
            command = m.input("steering command")
            k = 4000.0 * self.newton * self.metre  # N m / rad: 0.1 degrees at 7 N m
            i, j = joint.i, joint.j
            wanted = steer if steer.strip() != "0" else f"VARVAL({command.id})"
            m.sforce(i, j, f"{k!r}*({wanted}-AZ({i},{j}))-{0.015 * k * self.second!r}*WZ({i},{j},{j})", "driver's hands", kind="ROTATIONAL")
        else:
            m.motion(joint, steer, "steering wheel angle")
        rear = axles["rear"].steering
        if rear is not None:
            m.motion(rear.joint, "0", "rear steering")

    def _drive(
        self, m: Model, chassis: Any, axles: dict[str, Axle], wheels: dict[str, Any], v: float, hold: bool | float | str, throttle: str
    ) -> None:
        """Torque at the wheels: of the engine's map over the speed of the driven wheels, or of the speed control; split by differentials."""
        drive = self.file.drive
        axle = drive.get("axle", "front")
        driven = {"front": ("front",), "rear": ("rear",), "all": WHICH}[axle]
        share = {"front": (1.0, 0.0), "rear": (0.0, 1.0)}.get(axle) or (
            number_of(drive.get("front_share", 0.5), "drive.front_share", least=0.0),
        ) * 2
        if axle == "all":
            share = (share[0], 1.0 - share[0])
        efficiency = number_of(drive.get("efficiency", 1.0), "drive.efficiency", positive=True)
        spins = {n: f"WZ({w[1].i},{w[1].j},{w[1].j})" for n, w in wheels.items()}
        mean = "(" + "+".join(spins[f"{a} {s}"] for a in driven for s in SIDES) + f")/{2 * len(driven)}"
        if hold is not False:
            ground = m.marker(m.ground)
            target = (
                repr(v)
                if hold is True
                else f"({hold})"
                if isinstance(hold, str)
                else repr(number_of(hold, "hold", least=0.0) * self.metre / self.second)
            )
            speed = f"VX({chassis.cm},{ground.id},{chassis.cm})"
            k = 2.0 * self.file.mass.mass * _force(self.units) * self.radii[driven[0]] / self.second
            total = m.diff(f"{target}-{speed}", "speed control")
            wish = f"{k!r}*({target}-{speed}+{0.5 / self.second!r}*DIF({total.id}))"
            most = (
                0.5 * self.file.mass.mass * _force(self.units) * self.file.g * self.radii[driven[0]]
            )  # half of the weight, which no pedal exceeds for long
            torque = f"{most!r}*TANH(({wish})/{most!r})"
        else:
            engine = drive.get("engine")
            if engine is None:
                if throttle.strip() not in ("0", "0.0"):
                    raise ModelError("drive has no engine; give its map as rows [rpm, torque at full throttle], or leave throttle at 0")
                return
            rpm, full = curve_of(engine, "drive.engine")
            turns = [r * TWO_PI / 60.0 / self.second for r in rpm]
            law = m.spline(turns, full, name="engine")
            drag = number_of(0.12 * max(full), "drag")
            n = f"MAX({turns[0]!r},{self.gear!r}*({mean}))"
            pedal = f"MIN(1,MAX(0,{throttle}))"
            idle = f"{drag!r}*TANH({self.gear!r}*({mean})/{0.5 * turns[0]!r})"
            limit = f"(1-STEP({n},{turns[-1]!r},0,{1.05 * turns[-1]!r},1))"
            torque = f"{self.gear * efficiency!r}*({pedal}*{limit}*AKISPL(MIN({n},{turns[-1]!r}),0,{law.id},0)-(1-{pedal})*{idle})"
        total_torque = m.variable(torque, "drive torque")
        for a, part in zip(WHICH, share):
            if part == 0.0:
                continue
            left, right = (f"{a} {s}" for s in SIDES)
            lock = ""
            if drive.get("differential", "open") == "limited_slip":
                preload = number_of(drive.get("preload", 0.0), "drive.preload", least=0.0)
                ratio = number_of(drive.get("lock", 0.0), "drive.lock", least=0.0)
                lock = f"0.5*({preload!r}+{ratio!r}*ABS({part!r}*VARVAL({total_torque.id})))*TANH(({spins[left]}-{spins[right]})/{0.3 / self.second!r})"
            elif drive.get("differential", "open") != "open":
                raise ModelError(f"drive.differential is {shown(drive['differential'])}; give 'open' or 'limited_slip'")
            for name, sign in ((left, "-"), (right, "+")):
                wheel, joint, side, axes = wheels[name]
                at = m.body_frame(wheel).origin
                y = m.body_frame(wheel).axes[:, 1]
                inboard = axles[a].wheel.get("drive", "inboard") == "inboard"
                other = chassis if inboard else side.carrier
                text = f"{0.5 * part!r}*VARVAL({total_torque.id})" + (f"{sign}{lock}" if lock else "")
                m.sforce(m.marker_at(wheel, at, z=y), m.marker_at(other, at, z=y), text, f"{name} drive", kind="ROTATIONAL")

    def _brake(self, m: Model, wheels: dict[str, Any], brake: str) -> None:
        if brake.strip() in ("0", "0.0"):
            return
        b = self.file.brakes
        if "torque" not in b or "front_share" not in b:
            raise ModelError("brakes has no torque or front_share; give both (torque of all four at full pedal), or leave brake at '0'")
        total, front = number_of(b["torque"], "brakes.torque", positive=True), number_of(b["front_share"], "brakes.front_share", least=0.0)
        pedal = m.variable(f"MIN(1,MAX(0,{brake}))", "brake pedal")
        for name, (_, joint, _, _) in wheels.items():
            torque = 0.5 * total * (front if name.startswith("front") else 1.0 - front)
            m.sforce(
                joint.i,
                joint.j,
                f"-{torque!r}*VARVAL({pedal.id})*TANH(WZ({joint.i},{joint.j},{joint.j})/{1.0 / self.second!r})",
                f"{name} brake",
                kind="ROTATIONAL",
            )

    def text(self) -> str:
        """Masses and the loads at rest, in words."""
        force = self.units.symbol("force")
        return self.file.text() + "\n  at rest on its tyres: " + ", ".join(f"{k} {v:.6g}" for k, v in self.loads.items()) + f" {force}"


def _force(units: Any) -> float:
    return units.si_mass * units.si_length / units.si_time**2 / units.si_force
