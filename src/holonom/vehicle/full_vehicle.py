"""A whole vehicle from its file: chassis, axles, wheels, tyres on a road, steering, drive and brakes; at rest under its
weight, then rolling.

The trim is a static equilibrium: seats of the springs on the rig, so that each axle carries its share at the drawn
height, then the car on its tyres (their vertical law, no slip).  The dynamic model is drawn at that position, rolling
straight ahead.  What a manoeuvre gives speaks SI: m/s, m/s^2, s, radians.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..analyses.session.simulation import Simulation
from ..model import Model, ModelError
from ..model.base import shown
from ..model.drawing import block, rod
from ..model.orientation import to_euler313
from ..results import _rotation as rotation
from .axle import KINEMATIC, Axle
from .controls import Controls, Scene
from .rig import Rig
from .template import curve_of, number_of, numbers_of, table_of
from .tir import TyreFile
from .tyre_rig import TyreRig, tyre, tyre_file, tyre_table
from .vehicle_file import VehicleFile, read_vehicle

WHICH = ("front", "rear")
SIDES = ("left", "right")
TWO_PI = 2.0 * math.pi
FLAT = Scene()
#: brakes: turn of the wheel within which pads stick (rad), time within which their force turns over at speed and
#: damping of pads that stick (s)
STICKING, TURNING_OVER, PAD_DAMPING = 0.005, 0.005, 0.002
#: contact of the body with the road: how far a corner sinks in under the weight (m); damping ratio there; friction of
#: sheet metal on asphalt
SINKS, BODY_DAMPING, ROOF_SLIDES = 0.005, 0.3, 0.4
SLIPPING = 0.3  # rad/s between the wheels of an axle at which the plates of its differential slide


class Vehicle:
    """A vehicle that can be driven.  ``file``: a `VehicleFile`, its path, or the name of a shipped one; ``mode``:
    "kinematic" or "compliant"; ``mu``: friction of the road relative to that of the tyres' measurement; ``gear``:
    number of the gear that is in (default: the highest but one).

    Raises `ModelError` for data that does not fit, a vehicle without tyre files, and one without an equilibrium.
    """

    def __init__(
        self, file: VehicleFile | str | Path, mode: str = KINEMATIC, *, mu: float = 1.0, gear: int | None = None
    ):
        self.file = file if isinstance(file, VehicleFile) else read_vehicle(file)
        self.mode, self.mu = mode, number_of(mu, "mu", positive=True)
        self.units = self.file.units
        #: model units of one metre, newton, second
        self.metre, self.newton, self.second = (
            1.0 / self.units.si_length,
            1.0 / self.units.si_force,
            1.0 / self.units.si_time,
        )
        self.tyres = {w: self._tyre_file(w) for w in WHICH}
        self._rigs: dict[str, TyreRig] = {}
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
        if isinstance(name, dict):
            return tyre_table(name, self.units, f"{which}.wheel.tyre")
        if not isinstance(name, str):
            raise ModelError(
                f"{which}.wheel has no tyre; a vehicle that is driven needs one, as 'tyre': 'my_tyre.tir', or a table "
                "with a model"
            )
        folder = self.file.path.parent if self.file.path is not None else Path(__file__).parent / "data"
        return tyre_file(folder / name, self.units)

    def _gear(self, gear: int | None) -> float:
        """Turns of the engine per turn of the wheels."""
        drive = self.file.drive
        gears = numbers_of(drive.get("gears", [1.0]), "drive.gears")
        final = number_of(drive.get("final", 1.0), "drive.final", positive=True)
        number = max(len(gears) - 1, 1) if gear is None else gear
        if not 1 <= number <= len(gears):
            raise ModelError(f"gear is {shown(gear)}; the vehicle has {len(gears)}")
        return gears[number - 1] * final

    def _spring(self, which: str) -> tuple[list[float], list[float]]:
        """Load of a tyre over its deflection."""
        known = self.tyres[which].spring()
        if known is not None:
            return known
        rig = self._rig(which)
        weight = self.file.mass.loads[which == "rear"]
        for most in (4.0, 3.0, 2.0, 1.5):  # of the wheel's load: as far as a soft tyre carries it before its rim
            load = np.linspace(0.0, most, 41)[1:] * weight
            try:
                found = rig.forces(load)
            except ValueError as error:
                problem = error
                continue
            return [0.0, *found["deflection"].tolist()], [0.0, *load.tolist()]
        raise ModelError(f"{which}.wheel.tyre: {problem}; the load of the wheel is {weight:g}")

    def _rig(self, which: str) -> TyreRig:
        """The tyre of an axle on a rig, as measured."""
        if which not in self._rigs:
            self._rigs[which] = TyreRig(self.tyres[which], units=self.units)
        return self._rigs[which]

    def _loads(self) -> None:
        """Loaded radii, and the seats of the springs with which the wheels carry their load on the road."""
        for k, which in enumerate(WHICH):
            load = self.file.mass.loads[k]
            rho, f = self._spring(which)
            if not f[-1] > load:
                raise ModelError(
                    f"{which}: its tyres carry {f[-1]:g} at most, and their load is {load:g}; check wheel.tyre and the "
                    "masses"
                )
            radius = self._rig(which).radius - float(np.interp(load, f, rho))
            data = self.file.axle_data(which)
            drawn = data["wheel"].get("radius")
            if isinstance(drawn, (int, float)) and not 2.0 / 3.0 < self._rig(which).radius / drawn < 1.5:
                raise ModelError(
                    f"{which}.wheel.radius is {drawn:g}, and its tyre has a radius of {self._rig(which).radius:g} "
                    f"{self.units.symbol('length')}; "
                    "check the units of the tyre's file"
                )
            height = float(self.file._centre(which)[2])
            data["wheel"] = {**data["wheel"], "radius": radius}
            rig = Rig(data, self.file.data.get("units", "SI"), self.mode, name=which, height=radius - height)
            self.radii[which], self.seats[which] = radius, rig.seat

    # ---- drawing -----------------------------------------------------------------------------------------------------
    def _draw(self, name: str) -> tuple[Model, Any, dict[str, Axle], dict[str, Any]]:
        m = Model(name, units=self.file.data.get("units", "SI"))
        m.gravity = (0.0, 0.0, -self.file.g)
        c = self.file.chassis
        chassis = m.part("chassis", float(c["mass"]), tuple(c["inertia"]), tuple(c["cm"]))
        self._seat(m, chassis)
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
                inertia = tuple(
                    numbers_of(
                        axle.wheel.get("inertia", [0.3 * size, 0.5 * size, 0.3 * size]), f"{which}.wheel.inertia", 3
                    )
                )
                wheel = m.part(f"{which} {side.name} wheel", mass, inertia, tuple(side.at("wheel_centre")), axes=axes)
                wheels[f"{which} {side.name}"] = (
                    wheel,
                    m.revolute(
                        wheel, side.carrier, f"{which} {side.name} bearing", at=side.at("wheel_centre"), axis=axes[:, 1]
                    ),
                    side,
                    axes,
                )
        return m, chassis, axles, wheels

    def _seat(self, m: Model, chassis: Any) -> None:
        """The seat's mass on its spring and damper, led up and down in the chassis; the spring carries its weight at
        the drawn position."""
        s = self.file.seat
        if not s.get("rate"):
            return
        at = tuple(numbers_of(s["at"], "seat.at", 3))
        mass = number_of(s.get("mass", 0.0), "seat.mass", positive=True)
        rate, damping = (
            number_of(s["rate"], "seat.rate", positive=True),
            number_of(s.get("damping", 0.0), "seat.damping", least=0.0),
        )
        seat = m.part("seat", mass, tuple(0.05 * mass / self.units.si_length**2 * np.ones(3)), at)
        slide = m.translational(seat, chassis, "seat slide", at=at, axis=(0, 0, 1))
        weight = mass * _force(self.units) * self.file.g
        i, j = slide.i, slide.j
        m.vforce(i, j, fz=f"{weight!r}-{rate!r}*DZ({i},{j},{j})-{damping!r}*VZ({i},{j},{j})", rm=j, name="seat spring")

    def _settle(self) -> dict[str, float]:
        """The car at rest on its tyres: places of all parts; returns the loads of the wheels (force)."""
        m, chassis, axles, wheels = self._draw(f"{self.file.name} at rest")
        at = chassis.frame.origin
        m.primitive("INLINE", m.marker_at(chassis, at), m.marker_at(m.ground, at, z=(0, 0, 1)), "guide")
        m.primitive(
            "PERPENDICULAR", m.marker_at(chassis, at, z=(1, 0, 0)), m.marker_at(m.ground, at, z=(0, 1, 0)), "heading"
        )
        level = m.marker(m.ground)
        for name, (wheel, _, side, axes) in wheels.items():
            which = name.split()[0]
            rho, f = self._spring(which)
            law = m.spline(rho, f, linear_extrapolate=True, name=f"{name} tyre")
            R0 = self._rig(which).radius
            centre = side.at("wheel_centre")
            hub, low = m.marker_at(wheel, centre), m.marker_at(wheel, centre - R0 * axes[:, 2])
            m.primitive(
                "PERPENDICULAR",
                m.marker_at(wheel, centre, z=axes[:, 0]),
                m.marker_at(m.ground, centre, z=(0, 0, 1)),
                f"{name} level",
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
            if not out[name] > 0.0:
                raise ModelError(
                    f"{self.file.name}: the {name} wheel carries no load at rest; check chassis.cm, springs and tyres"
                )
        return out

    def model(self, speed: float, controls: Controls | str | Callable[..., str] = "0", scene: Scene = FLAT) -> Model:
        """The dynamic model, rolling straight at ``speed`` (m/s).

        ``controls``: `Controls`, or the steering alone, as their ``steer`` (the speed is held); ``scene``: road,
        contact, position.  Raises ModelError for expressions that are none."""
        given = controls if isinstance(controls, Controls) else Controls(controls)
        if not isinstance(scene, Scene):
            raise ModelError(f"scene is {shown(scene)}; give a Scene(road, contact, position, heading, body_contact)")
        position, heading = scene.position, scene.heading
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
        road = m.marker_at(m.ground, (0, 0, 0)) if scene.road is None else scene.road(m)
        roads = road if isinstance(road, dict) else {name: road for name in wheels}
        if missing := [name for name in wheels if name not in roads]:
            raise ModelError(
                f"the scene has no road for the wheel '{missing[0]}'; give one for each of {', '.join(wheels)}"
            )
        for name, (wheel, _, _, _) in wheels.items():
            which, side = name.split()
            radius = self._rolling_radius(which)
            wheel.wx, wheel.wy, wheel.wz = 0.0, v / radius, 0.0
            centre = m.marker(wheel, name=f"{name} centre")
            frame = m.body_frame(wheel)
            wide = 0.32 * self.radii[which] * frame.axes[:, 1]
            rod(m, wheel, frame.origin - wide, frame.origin + wide, self.radii[which], color="DIMGRAY")
            tyre(
                m,
                centre,
                roads[name],
                self.tyres[which],
                side=side.upper(),
                mu=self.mu,
                contact=scene.contact,
                name=f"{name} tyre",
            )
        m.marker(chassis, (0, 0, 0), name="chassis axes")
        boxes = self._body(m, chassis)
        if scene.body_contact:
            self._body_contact(m, boxes)
        self._aero(m, chassis)
        steer, throttle, brake = (
            f(m, chassis) if callable(f) else f for f in (given.steer, given.throttle, given.brake)
        )
        self._steer(m, axles, steer, given.servo)
        self._drive(m, chassis, axles, wheels, v, replace(given, throttle=throttle, brake=brake))
        self._brake(m, wheels, brake)
        return m

    def _body(self, m: Model, chassis: Any) -> list[Any]:
        """Graphics: a body between the axles and over them, and a cabin, as wide as the vehicle, where its file reports
        this."""
        if "width" not in self.file.data:
            return []
        width = number_of(self.file.data["width"], "width", positive=True)
        nose, tail = numbers_of(self.file.data.get("overhangs", [0.0, 0.0]), "overhangs", 2)
        front, rear = (self.file._centre(w) for w in WHICH)
        R, cm = max(self.radii.values()), np.asarray(self.file.chassis["cm"], float)
        frame = m.body_frame(chassis)
        place = lambda x, z: frame.origin + frame.axes @ (np.array([x, 0.0, z]) - cm)
        long = front[0] - rear[0] - 2.4 * R
        middle = 0.5 * (front[0] + rear[0])
        boxes = (
            (middle, 1.7 * R, (long, width, 1.5 * R)),
            (front[0] + 0.5 * (nose - 1.2 * R), 2.0 * R, (1.2 * R + nose, 0.55 * width, 0.8 * R)),
            (rear[0] + 0.5 * (1.2 * R - tail), 2.0 * R, (1.2 * R + tail, 0.55 * width, 0.8 * R)),
            (middle - 0.6 * R, 3.3 * R, (0.75 * long, 0.85 * width, 1.7 * R)),
        )
        return [
            block(m, chassis, place(x, z), size, x=frame.axes[:, 0], z=frame.axes[:, 2], color="SKYBLUE")
            for x, z, size in boxes
        ]

    def _body_contact(self, m: Model, boxes: list[Any]) -> None:
        """Contact of the body's boxes with the plane at z = 0: a car that rolls over lies on it.

        A corner that carries the whole weight sinks in by `SINKS`; sheet metal slides on asphalt with `ROOF_SLIDES`.
        Nothing is crushed: forces of the impact are those of this stiffness, what follows (sliding, coming to rest)
        depends on it little.
        """
        if not boxes:
            raise ModelError(
                f"{self.file.name}: Scene.body_contact needs the dimensions of the body; give 'width' and "
                "'overhangs' in "
                "the vehicle's file"
            )
        mass, weight = self.file.mass.mass * self.units.si_mass, 2.0 * sum(self.file.mass.loads) / self.newton
        stiffness = weight / SINKS
        damping = 2.0 * BODY_DAMPING * math.sqrt(stiffness * mass)
        m.contact(
            boxes,
            m.plane(m.ground, (0, 0, 0), (0, 0, 1), name="plane under the body"),
            stiffness=stiffness * self.newton / self.metre,
            exponent=1.0,
            damping=damping * self.newton * self.second / self.metre,
            dmax=0.5 * SINKS * self.metre,
            mu=ROOF_SLIDES,
            name="body on the road",
        )

    def _aero(self, m: Model, chassis: Any) -> None:
        """Drag and lift of the air at rest: rho A C V_x |V_x| / 2 on the ground, drag at the middle of the wheelbase,
        lifts at the axles (SAE J1594)."""
        a = self.file.aero
        if not a:
            return
        ground = m.marker(m.ground)
        v = f"VX({chassis.cm},{ground.id},{chassis.cm})"
        half = self._half_density()
        front, rear = (float(self.file._centre(w)[0]) for w in WHICH)
        cm = np.asarray(self.file.chassis["cm"], float)
        for name, x, word, direction in (
            ("air drag", 0.5 * (front + rear), "drag", 0),
            ("lift front", front, "lift_front", 2),
            ("lift rear", rear, "lift_rear", 2),
        ):
            value = number_of(a.get(word, 0.0), f"aero.{word}")
            if value:
                place = m.marker(chassis, tuple(np.array([x, 0.0, 0.0]) - cm), name=name)
                part = ["0", "0", "0"]
                part[direction] = f"{(-value if word == 'drag' else value) * half!r}*{v}*ABS({v})"
                m.vforce(place, None, *part, rm=place, name=name)

    def _half_density(self) -> float:
        """rho A / 2, in forces."""
        a = self.file.aero
        area = number_of(a["area"], "aero.area", positive=True)
        density = number_of(
            a.get("density", 1.2 / self.units.si_mass * self.units.si_length**3), "aero.density", least=0.0
        )
        return 0.5 * density * area * _force(self.units)

    def air_drag(self, speed: float) -> float:
        """Drag of the air (force) at a speed [m/s]."""
        drag = number_of(self.file.aero.get("drag", 0.0), "aero.drag") if self.file.aero else 0.0
        return drag * self._half_density() * (speed * self.metre / self.second) ** 2 if drag else 0.0

    def _rolling_radius(self, which: str) -> float:
        known = self.tyres[which].rolling_radius(self._rig(which).radius - self.radii[which])
        if known is not None:
            return known
        return float(self._rig(which).forces(self.file.mass.loads[which == "rear"])["R_e"])

    def _steer(self, m: Model, axles: dict[str, Axle], steer: str, servo: bool) -> None:
        joint = axles["front"].steering.joint
        if servo:
            command = m.input("steering command")
            k = 4000.0 * self.newton * self.metre  # N m / rad: 0.1 degrees at 7 N m
            i, j = joint.i, joint.j
            wanted = steer if steer.strip() != "0" else f"VARVAL({command.id})"
            m.sforce(
                i,
                j,
                f"{k!r}*({wanted}-AZ({i},{j}))-{0.015 * k * self.second!r}*WZ({i},{j},{j})",
                "driver's hands",
                kind="ROTATIONAL",
            )
        else:
            m.motion(joint, steer, "steering wheel angle")
        rear = axles["rear"].steering
        if rear is not None:
            m.motion(rear.joint, "0", "rear steering")

    def _drive(
        self,
        m: Model,
        chassis: Any,
        axles: dict[str, Axle],
        wheels: dict[str, Any],
        v: float,
        controls: Controls,
    ) -> None:
        """Torque at the wheels: of the engine's map over the speed of the driven wheels, or of the speed control; split
        by differentials."""
        shares = self.shares()
        driven = tuple(shares)
        spins = {n: f"WZ({w[1].i},{w[1].j},{w[1].j})" for n, w in wheels.items()}
        mean = "(" + "+".join(f"{shares[a]!r}*({spins[f'{a} left']}+{spins[f'{a} right']})" for a in driven) + ")*0.5"
        throttle = controls.throttle
        if controls.hold is not False:
            torque = self._cruise(m, chassis, v, controls.hold, controls.until, driven[0])
            if controls.brake.strip() not in ("0", "0.0"):  # a speed control releases where the driver brakes
                torque = f"({torque})*(1-STEP(MIN(1,MAX(0,{controls.brake})),0,0,0.02,1))"
        elif self.file.drive.get("engine") is None:
            if throttle.strip() not in ("0", "0.0"):
                raise ModelError(
                    "drive has no engine; give its map as rows [rpm, torque at full throttle], or leave throttle at 0"
                )
            return
        else:
            torque = self._engine(m, mean, v / self._rolling_radius(driven[0]), throttle, controls.gears)
        total = m.variable(torque, "drive torque")
        for a, share in shares.items():
            self._differential(m, chassis, axles[a], wheels, a, share, total, spins)

    def shares(self) -> dict[str, float]:
        """Fraction of the torque for each driven axle. Raises `ModelError` for an invalid fraction."""
        axle = self.file.drive.get("axle", "front")
        if axle != "all":
            return {axle: 1.0}
        front = number_of(self.file.drive.get("front_share", 0.5), "drive.front_share", least=0.0)
        if not 0.0 < front < 1.0:
            raise ModelError(f"drive.front_share is {front:g}; give a share between 0 and 1 where all wheels drive")
        return {"front": front, "rear": 1.0 - front}

    def _cruise(
        self, m: Model, chassis: Any, v: float, hold: bool | float | str, until: float | None, which: str
    ) -> str:
        """Torque of the speed control: proportional and integral, half of the weight at most, which no pedal exceeds
        for long."""
        if hold is True:
            target = repr(v)
        elif isinstance(hold, str):
            target = f"({hold})"
        else:
            target = repr(number_of(hold, "hold", least=0.0) * self.metre / self.second)
        ground = m.marker(m.ground)
        speed = f"VX({chassis.cm},{ground.id},{chassis.cm})"
        k = 2.0 * self.file.mass.mass * _force(self.units) * self.radii[which] / self.second
        total = m.diff(f"{target}-{speed}", "speed control")
        wish = f"{k!r}*({target}-{speed}+{0.5 / self.second!r}*DIF({total.id}))"
        most = 0.5 * self.file.mass.mass * _force(self.units) * self.file.g * self.radii[which]
        release = "" if until is None else f"*STEP(TIME,{until * self.second!r},1,{(until + 0.1) * self.second!r},0)"
        return f"{most!r}*TANH(({wish})/{most!r}){release}"

    def _engine(self, m: Model, mean: str, spin: float, throttle: str, gears: Any) -> str:
        """Torque of the engine's map at the wheels.

        With ``drive.inertia`` J the engine's speed is a state, J w' = T - M / i, and M = k phi + d s is the torque of
        the drive shafts (both together; twist phi, slip s = w / i - spin of the wheels) behind a clutch that slides at
        its capacity: phi' = s - |s| k phi / capacity (P. R. Dahl, 1968).  The clutch opens below idle.  The reaction of
        J w' on the chassis is left out.  Without inertia the engine turns with the wheels.
        """
        drive = self.file.drive
        efficiency = number_of(drive.get("efficiency", 1.0), "drive.efficiency", positive=True)
        rpm, full = curve_of(drive["engine"], "drive.engine")
        turns = [r * TWO_PI / 60.0 / self.second for r in rpm]
        law = m.spline(turns, full, name="engine")
        drag = number_of(0.12 * max(full), "drag")
        inertia = number_of(drive.get("inertia", 0.0), "drive.inertia", least=0.0)
        if gears and not inertia:
            raise ModelError(
                "drive.inertia is missing, without which no clutch can open; give the engine's moment of inertia"
            )
        ratio, clutch, first = self._gearbox(m, gears)
        speed = f"({ratio})*({mean})"
        if inertia:
            rotor = m.diff("0", "engine speed", ic=max(first * spin, turns[0]))
            twist = m.diff("0", "drive shaft twist")
            speed = f"DIF({rotor.id})"
        n = f"MAX({turns[0]!r},{speed})"
        pedal = f"MIN(1,MAX(0,({throttle})*({clutch})))"
        idle = f"{drag!r}*TANH({speed}/{0.5 * turns[0]!r})"
        limit = f"(1-STEP({n},{turns[-1]!r},0,{1.05 * turns[-1]!r},1))"
        torque = f"({pedal}*{limit}*AKISPL(MIN({n},{turns[-1]!r}),0,{law.id},0)-(1-{pedal})*{idle})"
        if not inertia:
            return f"{efficiency!r}*({ratio})*{torque}"
        k = number_of(drive.get("stiffness", 1.2e4 * self.newton * self.metre), "drive.stiffness", positive=True)
        grip = f"(0.02+0.98*({clutch})*STEP({speed},{0.6 * turns[0]!r},0,{1.1 * turns[0]!r},1))"
        most = f"{1.5 * max(full)!r}*({ratio})*{grip}"
        slip = f"({speed}/({ratio})-{mean})"
        shaft = m.variable(f"{k!r}*DIF({twist.id})+{0.006 * k * self.second!r}*{grip}*{slip}", "drive shafts")
        rotor.function = f"{1.0 / (inertia * _force(self.units))!r}*({torque}-VARVAL({shaft.id})/({ratio}))"
        twist.function = f"{slip}-ABS({slip})*{k!r}*DIF({twist.id})/({most})"
        return f"{efficiency!r}*VARVAL({shaft.id})"

    def _gearbox(self, m: Model, gears: Any) -> tuple[str, str, float]:
        """Expressions of the ratio and of the clutch (0 open, 1 closed), and the ratio at the start."""
        if isinstance(gears, str):
            if gears != "driver":
                raise ModelError(f"gears is {shown(gears)}; give rows (time, gear), or 'driver'")
            ratio, clutch = m.input("gear ratio", self.gear), m.input("clutch", 1.0)
            return f"VARVAL({ratio.id})", f"VARVAL({clutch.id})", self.gear
        last, text, open_ = self.gear, repr(self.gear), ""
        for k, row in enumerate(gears):
            time, gear = numbers_of(list(row), f"gears: row {k + 1}", 2)
            if gear != int(gear):
                raise ModelError(f"gears: row {k + 1} has the gear {gear:g}; give a whole number")
            new = self._gear(int(gear))
            t = [(time + x) * self.second for x in (0.0, 0.1, 0.2, 0.3)]
            text += f"+STEP(TIME,{t[1]!r},0,{t[2]!r},{new - last!r})"
            open_ += f"*(1-STEP(TIME,{t[0]!r},0,{t[1]!r},1)*STEP(TIME,{t[2]!r},1,{t[3]!r},0))"
            last = new
        return text, f"1{open_}", self.gear

    def _differential(
        self,
        m: Model,
        chassis: Any,
        axle: Axle,
        wheels: dict[str, Any],
        which: str,
        share: float,
        total: Any,
        spins: dict[str, str],
    ) -> None:
        """Half of an axle's torque on each wheel, and what a limited-slip differential moves from the faster to the
        slower one."""
        drive = self.file.drive
        left, right = (f"{which} {s}" for s in SIDES)
        kind = drive.get("differential", "open")
        if kind not in ("open", "limited_slip"):
            raise ModelError(f"drive.differential is {shown(kind)}; give 'open' or 'limited_slip'")
        lock = ""
        if kind == "limited_slip":
            preload = number_of(drive.get("preload", 0.0), "drive.preload", least=0.0)
            ratio = number_of(drive.get("lock", 0.0), "drive.lock", least=0.0)
            most = f"0.5*({preload!r}+{ratio!r}*ABS({share!r}*VARVAL({total.id})))"
            lock = f"{most}*TANH(({spins[left]}-{spins[right]})/{SLIPPING / self.second!r})"
        for name, sign in ((left, "-"), (right, "+")):
            wheel, _, side, _ = wheels[name]
            at = m.body_frame(wheel).origin
            y = m.body_frame(wheel).axes[:, 1]
            inboard = axle.wheel.get("drive", "inboard") == "inboard"
            other = chassis if inboard else side.carrier
            text = f"{0.5 * share!r}*VARVAL({total.id})" + (f"{sign}{lock}" if lock else "")
            m.sforce(m.marker_at(wheel, at, z=y), m.marker_at(other, at, z=y), text, f"{name} drive", kind="ROTATIONAL")

    def _brake(self, m: Model, wheels: dict[str, Any], brake: str) -> None:
        """Brakes that hold a wheel at rest: torque T z of pads whose share of friction z (-1 to 1) is a state, z' = (w
        - |w| z) / (STICKING + TURNING_OVER |w|)
        (P. R. Dahl, 1968), so that they stick as springs within a small turn and slip with the torque of friction."""
        if brake.strip() in ("0", "0.0"):
            return
        b = self.file.brakes
        if "torque" not in b or "front_share" not in b:
            raise ModelError(
                "brakes has no torque or front_share; give both (torque of all four at full pedal), or leave brake "
                "at '0'"
            )
        total, front = (
            number_of(b["torque"], "brakes.torque", positive=True),
            number_of(b["front_share"], "brakes.front_share", least=0.0),
        )
        pedal = m.variable(f"MIN(1,MAX(0,{brake}))", "brake pedal")
        for name, (wheel, joint, _, _) in wheels.items():
            torque = 0.5 * total * (front if name.startswith("front") else 1.0 - front)
            spin = f"WZ({joint.i},{joint.j},{joint.j})"
            valve = self._abs(m, wheel, spin, name) if "abs" in b else ""
            pads = m.diff("0", f"{name} brake pads")
            # pads that are not pressed keep no deflection
            open_ = f"{1.0 / (TURNING_OVER * self.second)!r}*(1-STEP(VARVAL({pedal.id}),0,0,0.01,1))*DIF({pads.id})"
            turn = f"({spin}-ABS({spin})*DIF({pads.id}))/({STICKING!r}+{TURNING_OVER * self.second!r}*ABS({spin}))"
            rate = m.variable(turn, f"{name} brake pads' rate")
            pads.function = f"VARVAL({rate.id})-{open_}"
            m.sforce(
                joint.i,
                joint.j,
                f"-{torque!r}*VARVAL({pedal.id})*(DIF({pads.id})+{PAD_DAMPING * self.second!r}*VARVAL({rate.id})){valve}",  # noqa: E501
                f"{name} brake",
                kind="ROTATIONAL",
            )

    def _abs(self, m: Model, wheel: Any, spin: str, name: str) -> str:
        """Share of the pressure that the valve of an anti-lock system lets through: lag p' = 1 - p below the slip
        "slip" (1 - omega R / V), = -p above twice of it, a smooth step between; open below "least_speed"."""
        a = table_of(self.file.brakes["abs"], "brakes.abs", ("slip", "lag", "least_speed"))
        slip = number_of(a.get("slip", 0.08), "brakes.abs.slip", positive=True)
        lag = number_of(a.get("lag", 0.02 * self.second), "brakes.abs.lag", positive=True)
        low = number_of(a.get("least_speed", 2.0 * self.metre / self.second), "brakes.abs.least_speed", positive=True)
        centre = m.markers[wheel.cm]
        ground = m.marker(m.ground)
        speed = f"SQRT(VX({centre.id},{ground.id})**2+VY({centre.id},{ground.id})**2+{(0.1 * low) ** 2!r})"
        ratio = f"1-{self._rolling_radius(name.split()[0])!r}*({spin})/{speed}"
        valve = m.diff("0", f"{name} valve", ic=1.0)
        wanted = f"MAX(STEP({ratio},{slip!r},1,{2.0 * slip!r},0),STEP({speed},{0.5 * low!r},1,{low!r},0))"
        valve.function = f"({wanted}-DIF({valve.id}))/{lag!r}"
        return f"*DIF({valve.id})"

    def text(self) -> str:
        """Masses and the loads at rest, as text."""
        force = self.units.symbol("force")
        return (
            self.file.text()
            + "\n  at rest on its tyres: "
            + ", ".join(f"{k} {v:.6g}" for k, v in self.loads.items())
            + f" {force}"
        )


def _force(units: Any) -> float:
    return units.si_mass * units.si_length / units.si_time**2 / units.si_force
