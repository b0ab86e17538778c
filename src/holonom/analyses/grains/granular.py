"""A dynamic analysis of spheres in bulk: `holonom.granular` advances the grains, the general equations of motion
advance the parts.

Taken where the integrator is explicit with a fixed step, all grains are spheres and what they touch are other grains
and shapes whose surfaces `walls` knows.  Parts continue by the same integrator and step; where they are free to move,
the grains' pushes of a step reach them as an impulse at its end,

    v <- v + h M^-1 f,     v then projected onto the constraints (mass-weighted: the answer of the whole mechanism),

a staggered explicit coupling of first order.  The laws are the same functions of depth, rate and slip as in the general
engine.
"""

from __future__ import annotations

import contextlib
import math
import time as clock
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...contact.shape_kinds import contact_parts
from ...contact.tables import CONTACT_DATA
from ...elements.bodies import layout
from ...elements.bodies.mass import mobility
from ...granular import Granular, Law
from ...integrators import selection
from ...integrators.selection import Choice
from ...model import Model, ModelError
from ...model.grains import Grains
from ...model.orientation import Frame
from ...model.shape import shape_of
from ...system.bulk import GrainBodies, turn, turn_back
from ..session.progress import Progress
from .feeding import Feeding, append

METHODS = {"SEMI_IMPLICIT_EULER": "EULER", "VELOCITY_VERLET": "VERLET"}
CHOICES = ("auto", "granular", "general")
MOST_MATERIALS = 255
SLACK = 1e-9


# ---- what can be done ----------------------------------------------------------------------------------------------
def unfit(model: Model, kind: str) -> str:
    """Why the granular solver cannot take the grains of a model, a part of a sentence; empty when they can."""
    grains = [g for g in model.table("GRAINS").values() if g.active]
    if not grains:
        return "the model has no grains"
    if kind not in METHODS:
        return f"{kind} is not one of {', '.join(METHODS)}"
    for g in grains:
        if not g.by_radius:
            return f"{g.label} are not spheres"
    if any(s.active for s in model.table("SENSOR").values()):
        return "the model has sensors"
    touching = [c for c in model.table("CONTACT").values() if c.active and (c.igrains or c.jgrains)]
    if len(grains) + len(touching) > MOST_MATERIALS:
        return f"there are more than {MOST_MATERIALS} grains elements and contacts"
    met: set[tuple[int, int]] = set()
    for c in touching:
        for a, b in {(min(a, b), max(a, b)) for a in c.igrains for b in c.jgrains}:
            if (a, b) in met:
                return f"two contacts act between GRAINS/{a} and GRAINS/{b}"
            met.add((a, b))
        if c.igeom and c.jgeom:
            return f"{c.label} also lets shapes of parts touch each other"
        if c.initial != "report":
            return f"{c.label} requests that overlaps be resolved"
        try:
            law_of(model, c)
            for number in {*c.igeom, *c.jgeom}:
                surfaces(shape_of(model, model.find("GRAPHICS", number)))
        except Unfit as reason:
            return f"{c.label}: {reason}"
    return ""


def safe_step(model: Model) -> float:
    """Step of the granular solver for a model that it can take (`unfit`): a twentieth of the shortest contact, at the
    speed that grains have, or would have once they fell their height; rounded down to one digit.  0 where nothing
    touches or moves."""
    gravity, factor, times = np.array(model.gravity, float), model.units.mass_factor, []
    for c in model.table("CONTACT").values():
        for number in {*c.igrains, *c.jgrains} if c.active else ():
            e = model.find("GRAINS", number)
            if not len(e):
                continue
            up, size = np.asarray(e.positions) @ gravity, float(e.sizes.min())
            fall = np.sqrt(2.0 * (up.max() - up.min() + np.linalg.norm(gravity) * size))
            given = np.asarray(e.velocities, float).reshape(-1, 3)
            speed = max(float(fall), float(np.linalg.norm(given, axis=1).max(initial=0.0)))
            with contextlib.suppress(ModelError):
                light = 0.5 * factor * float(e.masses.min())
                times.append(law_of(model, c).contact_time(light, 0.5 * size, speed or None))
    if not times or not min(times) > 0.0:
        return 0.0
    step = min(times) / 20.0
    digit = 10.0 ** math.floor(math.log10(step))
    return float(f"{math.floor(step / digit) * digit:.1g}")


class Unfit(Exception):
    """Something that only the general engine can do."""


def law_of(model: Model, c: Any) -> Law:
    """The law of a contact with grains as `granular.Law`.  Raises `Unfit` where there is none that is the same."""
    from ...contact import friction as frictions
    from ...contact import laws
    from ...system.contact_context import context

    name, word = c.law_name, c.friction_name
    numbers: dict[str, Any] = {}
    if name == "HERTZ" and not c.stiffness:
        if c.damping:
            raise Unfit("HERTZ with damping and materials is left to the general engine; give STIFFNESS")
        about = context(model, c, [[], []])
        if about.modulus is None:
            raise Unfit("HERTZ without materials")
        numbers = dict(normal="HERTZ", modulus=about.modulus, restitution=1.0)
    elif name in ("IMPACT", "KELVIN_VOIGT", "HUNT_CROSSLEY", "HERTZ"):
        p = laws.parameters(c, context(model, c, [[], []]))
        if name == "IMPACT":
            numbers = dict(normal="IMPACT", stiffness=p[0], exponent=p[1], damping=p[2], dmax=p[3])
        elif name == "KELVIN_VOIGT":
            numbers = dict(normal="IMPACT", stiffness=p[0], exponent=1.0, damping=p[1], dmax=0.0)
        else:
            if p[2]:
                raise Unfit(f"{name} by restitution remembers the speed of each impact; give its DAMPING")
            numbers = dict(normal="HUNT_CROSSLEY", stiffness=p[0], exponent=p[1], damping=p[4] / 1.5)
    elif name == "VISCOELASTIC":
        p = laws.parameters(c, context(model, c, [[], []]))
        numbers = dict(normal="VISCOELASTIC", stiffness=p[0], exponent=p[1], shares=tuple(p[2:6]), times=tuple(p[6:10]))
    else:
        raise Unfit(f"its law {name} is not among IMPACT, KELVIN_VOIGT, HUNT_CROSSLEY, HERTZ and VISCOELASTIC")
    if word:
        if word not in ("COULOMB", "BRISTLE"):
            raise Unfit(f"its friction {word} is neither COULOMB nor BRISTLE")
        q = frictions.parameters(c, context(model, c, [[], []]))
        if word == "COULOMB":
            numbers |= dict(
                friction="COULOMB",
                mu_static=q[0],
                mu_dynamic=q[1],
                stiction_transition_velocity=q[2],
                friction_transition_velocity=q[3],
            )
        else:
            numbers |= dict(
                friction="SPRING", mu_static=q[0], mu_dynamic=q[1], tangential_stiffness=q[4], tangential_damping=q[5]
            )
    return Law(**numbers, rolling_resistance=c.rolling_resistance, spinning_resistance=c.spinning_resistance)


NOTHING = Law("LINEAR", stiffness=1e-300, restitution=1.0)  # of grains that no contact lets touch


# ---- walls ---------------------------------------------------------------------------------------------------------
def surfaces(solid: Any) -> list[tuple]:
    """A solid in its own frame as calls of `granular.Wall`: (method, arguments...).  Raises `Unfit` for shapes that it
    does not know."""
    found = contact_parts(solid.kind).grain_walls(solid)
    if found is None:
        raise Unfit(f"a {solid.kind} as a wall is left to the general engine")
    return found


@dataclass
class WallOn:
    """A wall of the granular solver: body (``nb``: ground), place of its axes in the body's principal axes, and the
    contact it belongs to."""

    wall: Any
    body: int
    place: Frame
    contact: int


# ---- state of the grains -------------------------------------------------------------------------------------------
class SolverGrains(GrainBodies):
    """Grains whose state is here and not in the state of the system: ``values`` (n, STATE) of those that exist."""

    def __init__(self, element: Grains, slots: np.ndarray, first: int) -> None:
        super().__init__(element, slots, first)
        n = len(slots)
        self.values = np.zeros((n, layout.STATE))
        z, e = self.values, element
        z[:, :3] = e.positions[slots]
        z[:, layout.QUATERNION] = e.orientations[slots] if len(e.orientations) else (1.0, 0.0, 0.0, 0.0)
        if len(e.velocities):
            z[:, layout.VELOCITY] = e.velocities[slots]
        if len(e.spins):
            z[:, layout.SPIN] = turn_back(z[:, layout.QUATERNION], e.spins[slots])

    def state(self, y: np.ndarray) -> np.ndarray:
        return self.values


def parts_only(model: Model) -> Model:
    """The model without its grains and what touches them."""
    out = model.copy()
    out._tables["GRAINS"], out._tables["FEEDER"], out._tables["SINK"] = {}, {}, {}
    out._tables["CONTACT"] = {n: c for n, c in model.table("CONTACT").items() if not (c.igrains or c.jgrains)}
    return out


def solver_grains(model: Model) -> list[SolverGrains]:
    out, first = [], 0
    for e in model.table("GRAINS").values():
        if e.active:
            out.append(SolverGrains(e, np.flatnonzero(e.exists), first))
            first += len(out[-1])
    return out


# ---- the analysis --------------------------------------------------------------------------------------------------
class GranularDynamics:
    """One dynamic analysis with grains by the granular solver; ``system``: that of the parts alone, whose ``grains``
    are `SolverGrains`."""

    def __init__(self, simulation: Any, system: Any, choice: Choice, times: np.ndarray, threads: int = 1) -> None:
        self.simulation, self.system, self.choice, self.times = simulation, system, choice, times
        self.recorder = simulation.recorder
        self.model: Model = simulation.model
        o = choice.options
        self.step = float(o.hmax or o.hinit or 0.0)
        if not self.step > 0.0:
            raise ModelError(f"{choice.kind} has no error estimate and needs a fixed step: give its size as HMAX")
        self.grains: list[SolverGrains] = system.grains
        self.elements = [g.element for g in self.grains]
        self.contacts = [c for c in self.model.table("CONTACT").values() if c.active and (c.igrains or c.jgrains)]
        self.free = simulation.assembly.dof > 0
        turns = any("quaternion" in e.record for e in self.elements)
        laws = self._laws()
        self.solver = Granular(
            laws,
            step=self.step,
            gravity=tuple(self.model.gravity),
            method=METHODS[choice.kind],
            threads=threads,
            orientation=turns,
        )
        self.turns = turns
        #: element and row in it of each sphere of the granular solver, by its id
        self.owner, self.slot = np.zeros(0, np.int64), np.zeros(0, np.int64)
        for k, g in enumerate(self.grains):
            self.enter(k, g.slots, g.values)
        self.walls: list[WallOn] = []
        self._make_walls()
        self.stepper: Any = None

    # ---- building ---------------------------------------------------------------------------------------------------
    def _laws(self) -> dict[tuple[int, int], Law]:
        """Laws by materials: numbers of elements of grains, then of contacts for their walls."""
        n = len(self.elements)
        number = {e.id: k for k, e in enumerate(self.elements)}
        out = {(a, b): NOTHING for a in range(n) for b in range(n + len(self.contacts))}
        #: number of the contact between two materials
        self.between = np.full((n, n + len(self.contacts)), -1)
        self.flip = np.zeros((n, n + len(self.contacts)))
        for k, c in enumerate(self.contacts):
            law = law_of(self.model, c)
            i, j = ([number[g] for g in side if g in number] for side in (c.igrains, c.jgrains))
            for a in i:
                for b in j:
                    out[a, b] = out[b, a] = law
                    self.between[a, b] = self.between[b, a] = k
                    self.flip[a, b], self.flip[b, a] = (0.0, 0.0) if a == b else (1.0, -1.0)
            for side, shapes, sign in ((i, c.jgeom, 1.0), (j, c.igeom, -1.0)):
                for a in side if shapes else ():
                    out[a, n + k] = law
                    self.between[a, n + k] = k
                    self.flip[a, n + k] = sign
        return {key: law for key, law in out.items() if key[0] <= key[1]}

    def enter(self, k: int, slots: np.ndarray, z: np.ndarray) -> None:
        """Spheres of element k into the granular solver, at states z (n, STATE)."""
        if not len(slots):
            return
        e, factor = self.elements[k], self.model.units.mass_factor
        more = {"orientation": z[:, layout.QUATERNION]} if self.turns else {}
        ids = self.solver.add(
            z[:, :3],
            e.sizes[slots],
            mass=e.masses[slots] * factor,
            inertia=e.inertias()[slots, 0] * factor,
            vel=z[:, layout.VELOCITY],
            omega=turn(z[:, layout.QUATERNION], z[:, layout.SPIN]),
            material=k,
            **more,
        )
        grown = int(ids[-1]) + 1 - len(self.owner)
        self.owner = np.concatenate([self.owner, np.zeros(grown, np.int64)])
        self.slot = np.concatenate([self.slot, np.zeros(grown, np.int64)])
        self.owner[ids], self.slot[ids] = k, slots

    def _make_walls(self) -> None:
        system, n = self.system, len(self.elements)
        for k, c in enumerate(self.contacts):
            shared: dict[int, WallOn] = {}
            for number in dict.fromkeys((*c.igeom, *c.jgeom)):
                solid = shape_of(self.model, self.model.find("GRAPHICS", number))
                body = system.body_index[solid.body.KIND, solid.body.id]
                local = system.local[body]
                place = Frame(local.axes.T @ (solid.frame.origin - local.origin), local.axes.T @ solid.frame.axes)
                for method, *rest in surfaces(solid):
                    if method == "block" and not _square(place.axes):
                        own = WallOn(self.solver.wall(solid.graphic.name, material=n + k), body, place, k)
                        self.walls.append(own)
                        own.wall.block(-rest[0], rest[0])
                        continue
                    if body not in shared:
                        axes = Frame.identity()
                        shared[body] = WallOn(self.solver.wall(f"{c.name} {body}", material=n + k), body, axes, k)
                        self.walls.append(shared[body])
                    _draw(shared[body].wall, method, rest, place)
        self._place_walls(self.simulation.y)
        self.moving = any(w.body < system.nb for w in self.walls)

    def _place_walls(self, y: np.ndarray) -> None:
        """Walls at the state of their bodies."""
        from ...model.orientation import from_quaternion

        nb = self.system.nb
        for w in self.walls:
            if w.body == nb:
                if w.place.origin.any() or not np.array_equal(w.place.axes, np.eye(3)):
                    w.wall.position, w.wall.rotation = w.place.origin, w.place.axes
                continue
            z = layout.body(y, w.body)
            R = from_quaternion(z[layout.QUATERNION])
            spin = R @ z[layout.SPIN]
            arm = R @ w.place.origin
            w.wall.position, w.wall.rotation = z[:3] + arm, R @ w.place.axes
            w.wall.velocity, w.wall.angular_velocity = z[layout.VELOCITY] + np.cross(spin, arm), spin

    # ---- running ----------------------------------------------------------------------------------------------------
    def run(self) -> None:
        """Integrate to the last time.  Raises ModelError; rows up to the last good state are kept."""
        sim, recorder, choice, times = self.simulation, self.recorder, self.choice, self.times
        sim.say(
            f"integrator {choice.kind}, step {self.step:g}: {self.solver.count} spheres by the granular solver, "
            f"{len(self.walls)} walls"
        )
        recorder.begin("dynamics", {"integrator": choice.kind, "error": 0.0, "formulation": "granular"})
        recorder.integrate_works(False)
        #: time between two checks of feeders and sinks
        self.every = sim.feeding.interval(self.model) if Feeding.active(self.model) else np.inf
        self._often = 0
        self._advise()
        self._store(sim.time, sim.y.copy())
        begin = clock.process_time()
        if self.moving:
            options = replace(
                choice.options, extra={**choice.options.extra, "planar": False}
            )  # pushes may leave the plane
            self.stepper = selection.make(replace(choice, options=options), self.system)
            self.stepper.start(sim.time, sim.y.copy(), times[-1], self.step)
        steps = 0
        try:
            with Progress(sim.progress, sim.time, times[-1]) as bar:
                for a, b in zip(times[:-1], times[1:]):
                    n = max(1, math.ceil((b - a) / self.step * (1 - SLACK)))
                    h = (b - a) / n
                    if h != self.solver.step:
                        self.solver.step, self.solver._stale = h, True
                    self._interval(a, h, n)
                    steps += n
                    y = self.stepper.y if self.stepper is not None else sim.y
                    self._place_walls(y)
                    if np.isfinite(self.every):
                        self._exchange(b)
                    self._store(b, y.copy())
                    sim.leave(b, y.copy())
                    recorder.history.append(
                        (b, h, 1 if choice.kind == "SEMI_IMPLICIT_EULER" else 2, 0, "", clock.process_time() - begin)
                    )
                    bar.update(b, h)
        except KeyboardInterrupt:
            sim.stopped = f"stopped by the user at time {sim.time:.6g}"
            sim.say(sim.stopped + "; the results so far are kept")
        except ModelError as error:
            sim.stopped = str(error)
            sim.say(sim.stopped)
            raise
        finally:
            recorder.count({"steps": steps, "searches of near spheres": self.solver.builds})
            recorder.counters["cpu seconds"] = recorder.counters.get("cpu seconds", 0.0) + clock.process_time() - begin
            recorder.end()

    def _interval(self, t: float, h: float, n: int) -> None:
        """n steps of h from t."""
        self._often = max(1, int(self.every / h)) if np.isfinite(self.every) else 0
        if self.stepper is None:
            done = 0
            while done < n:
                some = min(self._often or n, n - done)
                self.solver.advance(some)
                done += some
                if self._often and done < n:
                    self._exchange(t + done * h)
            return
        for k in range(n):
            if k and self._often and k % self._often == 0:
                self._exchange(t + k * h)
            self._place_walls(self.stepper.y)
            self.solver.advance(1)
            if self.free:
                self._push(h)
                self.stepper.restart(h)
            goal = t + (k + 1) * h
            while self.stepper.t < goal - 1e-9 * h:
                self.stepper.h = h
                self.stepper.step(goal)

    def _exchange(self, t: float) -> None:
        """What sinks take and feeders make at time t."""
        model, feeding, solver = self.model, self.simulation.feeding, self.solver
        self.refresh()
        ids = solver.ids
        owner, slot = self.owner[ids], self.slot[ids]
        if model.table("SINK"):
            for k, g in enumerate(self.grains):
                gone = g.slots[feeding.taken(model, g.element, g.slots, g.values[:, :3])]
                if len(gone):
                    solver.remove(ids[(owner == k) & np.isin(slot, gone)])
                    there = g.element.exists.copy()
                    there[gone] = False
                    g.element.present = there
            self.refresh()
        for f in model.table("FEEDER").values():
            number = next((k for k, e in enumerate(self.elements) if e.id == f.grains), None)
            if not f.active or number is None:
                continue
            e = self.elements[number]
            places, sizes = feeding.feed(f, t, e, solver.pos, solver.radius)
            if len(places):
                slots = append(e, places, sizes, f.density * e.solid_volume * sizes**3, f.velocity)
                z = np.zeros((len(places), layout.STATE))
                z[:, :3], z[:, 3], z[:, layout.VELOCITY] = places, 1.0, f.velocity
                self.enter(number, slots, z)
        for text in feeding.said:
            self.simulation.say(text)
        feeding.said.clear()

    def _push(self, h: float) -> None:
        """What the grains did to free bodies in a step, as an impulse."""
        from ...model.orientation import from_quaternion

        system, y = self.system, self.stepper.y
        inverse = mobility(system.bodies)
        for w in self.walls:
            b = w.body
            if b == system.nb:
                continue
            force = w.wall.force
            own = layout.body(y, b)
            R = from_quaternion(own[layout.QUATERNION])
            moment = w.wall.moment + np.cross(R @ w.place.origin, force)
            own[layout.VELOCITY] += h * inverse[b, layout.TRAVEL] * force
            own[layout.SPIN] += h * inverse[b, layout.TURN] * (R.T @ moment)

    def _advise(self) -> None:
        """Overlaps at the start of the first analysis (after it grains that rest are pressed into each other by their
        forces), and a step that is long for the stiffness."""
        sim, solver = self.simulation, self.solver
        if not solver.count:
            return
        found = self._points() if len(self.recorder.segments) == 1 else None
        if found is not None and len(found.depth):
            order = np.argsort(-found.depth, kind="stable")[:5]
            names = []
            for k in order:
                kind = self._material_of(found)[k]
                c = self.contacts[self.between[self.owner[found.a[k]], kind]].label
                other = self._name(int(found.b[k])) if found.b[k] >= 0 else self._body_name(int(found.wall[k]))
                names.append(
                    f"{self._name(int(found.a[k]))} and {other} ({c}) by {found.depth[k]:.4g} "
                    f"{self.model.units.symbol('length')}"
                )
            more = f", and {len(found.depth) - 5} more" if len(found.depth) > 5 else ""
            sim.warn(f"at time {sim.time:.6g} shapes overlap at the start: {', '.join(names)}{more}")
        # laws that are not linear answer faster the faster they are met: as fast as the spheres are, or would be once
        # they fell their height
        pos, gravity = solver.pos, np.array(self.model.gravity, float)
        up = pos @ gravity
        fall = float(np.sqrt(2.0 * (up.max() - up.min() + np.linalg.norm(gravity) * solver.radius.max())))
        speed = max(fall, float(np.linalg.norm(solver.vel, axis=1).max()))
        solver.report = sim.warn
        try:
            least = solver.contact_time(speed or None)
        except ModelError:  # nothing moves, and nothing will fall
            return
        if self.step > 0.1 * least:
            sim.warn(
                f"the step {self.step:g} is long compared with the shortest time of a contact, {least:.3g}; a "
                f"twentieth of "
                "that is safe, and above "
                f"{2.0 / math.pi * least:.3g} (2/pi of it) such a contact is unstable"
            )
        small = float(solver.radius.min())
        if self.step * speed > 0.5 * small:
            sim.warn(
                f"the step {self.step:g} is long compared with the speed of the spheres, {speed:.3g}: the smallest "
                f"moves "
                f"{self.step * speed / small:.3g} of its radius "
                f"in a step and could pass through what it meets; a step of {0.5 * small / speed:.2g} is safe"
            )
        # a surface is felt on both sides: what sinks in by more than its radius comes out behind it
        deep = solver.deepest(speed)
        if deep > 1.0:
            sim.warn(
                f"at a speed of {speed:.3g} spheres sink into surfaces by up to {deep:.3g} of their radius, and come "
                "out on the other side; a higher stiffness "
                "prevents it"
            )

    def _name(self, ident: int) -> str:
        return f"grain {self.slot[ident]} of {self.elements[self.owner[ident]].name}"

    def _body_name(self, wall: int) -> str:
        body = next(w.body for w in self.walls if w.wall is self.solver.walls[wall])
        return "ground" if body == self.system.nb else self.system.body_elements[body].name

    # ---- results ----------------------------------------------------------------------------------------------------
    def _material_of(self, found: Any) -> np.ndarray:
        """Material on the far side of each point."""
        n = len(self.elements)
        wall = np.array([n + w.contact for w in self.walls], np.int64) if self.walls else np.zeros(1, np.int64)
        number = {id(w.wall): k for k, w in enumerate(self.walls)}
        at = np.array([number[id(w)] for w in self.solver.walls], np.int64) if self.walls else np.zeros(1, np.int64)
        far = self.owner[np.maximum(found.b, 0)] if len(self.owner) else np.zeros(len(found.b), np.int64)
        return np.where(found.b >= 0, far, wall[at[np.maximum(found.wall, 0)]])

    def _points(self) -> Any:
        """Points of the contacts of the model; None without spheres."""
        if not self.solver.count or not self.contacts:
            return None
        found = self.solver.contacts()
        ours = self.between[self.owner[found.a], self._material_of(found)] >= 0
        return found if ours.all() else type(found)(*(x[ours] for x in found))

    def refresh(self) -> None:
        """The state of the granular solver into ``grains``."""
        solver = self.solver
        ids = solver.ids
        owner, slot = self.owner[ids], self.slot[ids]
        pos, vel, omega = solver.pos, solver.vel, solver.omega
        q = solver.orientation if self.turns else None
        first = 0
        for k, g in enumerate(self.grains):
            mine = np.flatnonzero(owner == k)
            mine = mine[np.argsort(slot[mine], kind="stable")]
            z = np.zeros((len(mine), layout.STATE))
            z[:, :3], z[:, layout.VELOCITY] = pos[mine], vel[mine]
            z[:, layout.QUATERNION] = q[mine] if q is not None else (1.0, 0.0, 0.0, 0.0)
            z[:, layout.SPIN] = turn_back(z[:, layout.QUATERNION], omega[mine])
            g.slots, g.values, g.first = slot[mine], z, first
            first += len(mine)

    def _store(self, t: float, y: np.ndarray) -> None:
        """One row: parts, grains, sums of contacts, energies."""
        self.refresh()
        recorder = self.recorder
        found = self._points()
        self.system.workspace.touching = self._touching(found)
        recorder.evaluate(t, y, 0)
        energy = recorder.outputs.energy
        gravity = np.array(self.model.gravity, float)
        for g in self.grains:
            m = g.element.masses[g.slots] * self.model.units.mass_factor
            inertia = g.element.inertias()[g.slots] * self.model.units.mass_factor
            z = g.values
            energy[0] += 0.5 * float(m @ (z[:, layout.VELOCITY] ** 2).sum(axis=1)) + 0.5 * float(
                (inertia * z[:, layout.SPIN] ** 2).sum()
            )
            energy[1] -= float(m @ (z[:, :3] @ gravity))
        if found is not None:
            energy[2] += float(found.elastic.sum())
        recorder.store(t, y)
        self._sums(found)

    def _touching(self, found: Any) -> tuple[np.ndarray, np.ndarray]:
        """Points and moments of forces of each grain, in the order of ``grains``."""
        n = sum(map(len, self.grains))
        number, moment = np.zeros(n), np.zeros((n, 6))
        if found is None or not len(found.a):
            return number, moment
        place = np.full(len(self.owner), -1)
        for k, g in enumerate(self.grains):
            where = np.full(len(g.element), -1)
            where[g.slots] = g.first + np.arange(len(g))
            mine = self.owner == k
            place[mine] = where[self.slot[mine]]
        centre = np.concatenate([g.values[:, :3] for g in self.grains])
        for ids, sign in ((found.a, 1.0), (found.b, -1.0)):
            use = ids >= 0
            b = place[ids[use]]
            d, force = found.point[use] - centre[b], found.force[use]
            number += np.bincount(b, minlength=n)
            for k, (i, j) in enumerate(((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))):
                moment[:, k] += np.bincount(
                    b, 0.5 * sign * (d[:, i] * force[:, j] + d[:, j] * force[:, i]), minlength=n
                )
        return number, moment

    def _sums(self, found: Any) -> None:
        """Force, point, depth of each contact into the row just stored."""
        from ..session.recorder import CONTACT_COLUMNS

        rows = self.recorder.rows
        if not self.recorder.contacts or found is None or not len(found.a):
            return
        which = self.between[self.owner[found.a], self._material_of(found)]
        sign = self.flip[self.owner[found.a], self._material_of(found)]
        size = found.normal_force
        slide = np.linalg.norm(found.force - size[:, None] * found.normal, axis=1)
        index = {c.id: k for k, c in enumerate(self.recorder.contacts)}
        for k, c in enumerate(self.contacts):
            mine = which == k
            if not mine.any():
                continue
            data = np.zeros(CONTACT_DATA)
            f, p, w = found.force[mine] * sign[mine, None], found.point[mine], size[mine]
            at = (w @ p) / w.sum() if w.sum() > 0.0 else p.mean(axis=0)
            data[CONTACT_COLUMNS["contact_force"]] = f.sum(axis=0)
            data[CONTACT_COLUMNS["contact_torque"]] = np.cross(p - at, f).sum(axis=0)
            data[CONTACT_COLUMNS["contact_point"]] = at
            data[CONTACT_COLUMNS["contact_normal"]] = w.sum()
            data[CONTACT_COLUMNS["contact_friction"]] = slide[mine].sum()
            data[CONTACT_COLUMNS["contact_depth"]] = found.depth[mine].max()
            data[CONTACT_COLUMNS["contact_rate"]] = np.nan
            data[CONTACT_COLUMNS["contact_points"]] = mine.sum()
            for name, columns in CONTACT_COLUMNS.items():
                rows[name][-1][index[c.id]] = data[columns]


def _square(axes: np.ndarray) -> bool:
    """Do the axes stand along those of the wall?"""
    return bool((np.abs(np.abs(axes).max(axis=0) - 1.0) < 1e-14).all())


def _draw(wall: Any, method: str, rest: list, place: Frame) -> None:
    """A surface in the axes of a wall."""
    at = lambda p: place.origin + place.axes @ p
    if method == "plane":
        wall.plane(at(rest[0]), place.axes @ rest[1])
    elif method == "block":
        half = np.abs(place.axes) @ rest[0]
        wall.block(place.origin - half, place.origin + half)
    elif method == "sphere":
        wall.sphere(at(rest[0]), rest[1], rest[2])
    elif method == "cone":
        wall.cone(at(rest[0]), at(rest[1]), rest[2], rest[3])
    elif method == "disc":
        wall.disc(at(rest[0]), place.axes @ rest[1], *rest[2:])
    else:
        wall.triangles(rest[0] @ place.axes.T + place.origin, rest[1])
