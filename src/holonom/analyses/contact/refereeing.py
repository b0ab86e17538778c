"""The contact referee in a dynamic analysis: it is shown the poses of accepted steps, and ends the run where a body
passes through another; flexible faces are those of `face_refereeing`.

`contact.referee` decides; here are the poses (ends of steps, and states inside them where paths bend or bodies turn too
much for a chord), what contacts are allowed, and what is reported.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...contact.acting import NO_ROOM, acting_pairs, step_is_over
from ...contact.referee.judge import STRICT_POINTS, Finding, Referee, Rules, Scene, ball, is_ball, known, scaled
from ...contact.referee.points import MOST
from ...contact.tables import NEAR
from ...elements.bodies import layout
from ...integrators.stepper import IntegrationError
from ...model import ModelError
from .face_refereeing import FaceRefereeing

CHOICES = (True, False, "strict")
STRICT, STATES = 100, 8  # poses of each step in strict mode, at and between so many states of the dense output
GRAIN_POINTS = 8  # reference points of a grain that is not a ball, at most
MOST_PIECES = 64  # of a step otherwise
EVENTS, STEPPING = 2e-3, 1e-2  # of the typical size of the shapes: overlap that constraints leave
TOUCHES = 1e-3  # the same of touches that compliant contacts may miss
STEPS = 2.0  # time-stepping resolves an impact within so many steps
NOISE = 10.0  # tolerances of the integrator, of the extent of the model, that positions are uncertain by
AT_NODE = 1e-6  # of its radius: a ball nearer to its node is on it
OFF = "the contact referee is off (referee=False): nothing checks that bodies do not pass through each other"


def check_choice(referee: bool | str) -> bool | str:
    """The choice of a referee, one of `CHOICES`.  Raises ModelError."""
    if isinstance(referee, str) and referee.lower() in ("on", "off", "strict"):
        choices: dict[str, bool | str] = {"on": True, "off": False, "strict": "strict"}
        return choices[referee.lower()]
    if not isinstance(referee, (bool, str)) or referee not in CHOICES:
        raise ModelError(f"referee = {referee!r} is unknown; choose True, False or 'strict'")
    return referee


class PassageError(IntegrationError):
    """A body has passed into or through another, against its contact.  ``finding``: `contact.referee.judge.Finding`."""

    def __init__(self, message: str, time: float, finding: Finding):
        super().__init__(message, time)
        self.finding = finding


class Refereeing:
    """Shows the steps of one analysis with one system to the referee.  ``error``: of its integrator."""

    def __init__(self, system: Any, mode: bool | str, stepping: bool, error: float = 0.0):
        self.system, self.contacts = system, system.contacts
        c = self.contacts
        self.strict = mode == "strict"
        self.finding: Finding | None = None
        self.stepping, self.noise = stepping, NOISE * error * float(system.extent)
        surfaces = [k for k, e in enumerate(system.ports.elements) if e.KIND == "SURFACE_CONTACT"]
        self.faces = [
            FaceRefereeing(system, k, lambda size: self._rules(size, stepping), self.strict, MOST_PIECES)
            for k in surfaces
            if mode
        ]
        self.shapes_on = bool(mode) and c.on and c.count > 0
        self.on = self.shapes_on or bool(self.faces)
        #: there are contacts, and nothing checks them
        self.missing = not mode and (bool(c.on) or bool(surfaces))
        if not self.shapes_on:
            return
        rules = self._rules(float(c._size()), c.rigid)
        self.nodes = layout.has_nodes(system.bodies)
        self.referee = Referee(self._scene(), rules, self.strict, stepping)
        n = layout.STATE * (system.nb + 1)
        self._y, self._old, self._inner = np.zeros_like(system.y0), np.zeros(n), np.zeros(n)
        self._shown = self._y[:n]
        self._keys, self._touches, self._shapes = (
            np.empty(len(c.W.near), np.int64),
            float(rules.tolerance),
            len(self.referee.scene.shapes),
        )
        r = self.referee
        self._step_is_over = step_is_over.entry(
            r.handle, 0.0, self._y, 0.0, self.strict, 0, self._touches, r.acting, r.acting_number
        )

    def _rules(self, size: float, rigid: bool) -> Rules:
        """What is allowed to contacts of bodies of a size that are constraints, ``rigid``, or compliant."""
        if rigid:
            steps = STEPS if self.stepping else 0.0
            return Rules(True, (STEPPING if self.stepping else EVENTS) * size, steps, self.noise)
        return Rules(False, TOUCHES * size, 0.0, self.noise)

    def _scene(self) -> Scene:
        c, system = self.contacts, self.system
        own, n, all_shapes = len(c.solids), c.count, c.count + len(c.stand_ins.rows)
        place, axes = np.zeros((n, 3)), np.zeros((n, 9))
        for k, solid in enumerate(c.solids):
            local = system.local[int(c.body[k])]
            place[k] = local.axes.T @ (solid.frame.origin - local.origin)
            axes[k] = (local.axes.T @ solid.frame.axes).ravel()
        shapes = [known(s, MOST * (STRICT_POINTS if self.strict else 1)) for s in c.solids]
        for g in c.bulk:
            rows = slice(g.first, g.first + len(g))
            place[rows], axes[rows] = g.frames()
            sizes, which = np.unique(g.sizes, return_inverse=True)
            one = known(g.solid, GRAIN_POINTS)
            of_size = [ball(one[0].par[0] * x) if is_ball(one) else scaled(one, x) for x in sizes]
            shapes += [of_size[k] for k in which.reshape(-1)]
        between = Between(c, shapes[:own], place)
        barred = [divmod(int(key), all_shapes) for key in c._barred()]
        total = n + len(between.radius)
        scene = Scene(
            shapes,
            c.body[:n],
            system.nb,
            place,
            axes,
            [(i[i < n], j[j < n]) for i, j in c.sides],
            np.array([e.joined for e in c.elements]),
            c._excluded(),
            np.array(sorted(a * total + b for a, b in barred if b < n), np.int64),
        )
        if between.radius:
            between.add_to(scene)
        return scene

    # ---- steps ------------------------------------------------------------------------------------------------------
    def _show(self, y: np.ndarray) -> np.ndarray:
        """The states of bodies and nodes in y, which is kept."""
        self._y[:] = y
        if self.nodes:
            self.contacts.place(self._y)
        return self._shown

    def step(self, stepper: Any, start: float, end: float) -> None:
        """A step has been accepted from ``start`` to ``end`` (an event may have cut it there).  Raises PassageError."""
        if not self.on or not end > start:
            return
        for face in self.faces:
            self._report(face.step(stepper, start, end), face)
        if not self.shapes_on:
            return
        referee = self.referee
        if referee.last != start:
            stepper.interpolate(start, self._y)
            referee.begin(start, self._show(self._y))
        if end != stepper.t:
            stepper.interpolate(end, self._y)
            y = self._show(self._y)
        else:
            y = self._show(stepper.y) if self.nodes else stepper.y
        wanted = self._over(end, y, end - start)
        if wanted > 0.0:
            self.judge(False)  # what may have been used up since the last time is known anew
            wanted = self._over(end, y, end - start)
            if wanted > 0.0:
                self._sample(stepper, start, end, wanted, y)
                referee.end_step(self._acting())
        if wanted != 0.0 and referee.full:
            self.judge(False)

    def _over(self, t: float, y: np.ndarray, h: float) -> float:
        """A step of size h to the state y at time t is over, and nothing else is needed: 0, or less where the batch may
        be full.  Else into how many pieces the path has to be cut."""
        referee, c = self.referee, self.contacts
        address = 0 if c.rigid else c.handle.address
        keys, numbers = referee.acting, referee.acting_number
        wanted = self._step_is_over(referee.handle, t, y, h, self.strict, address, self._touches, keys, numbers)
        if wanted > 0.0:
            return wanted
        referee.last = t
        referee.counts.poses += 1
        if wanted == NO_ROOM:
            referee.end_step(self._acting())
        else:
            referee.counts.steps += 1
        return wanted

    def _sample(self, stepper: Any, start: float, end: float, wanted: float, y: np.ndarray) -> None:
        """States inside a step to the state y, from its dense output: so many that chords are near enough to the path.
        In strict mode `STRICT`, on cubics between `STATES` of them."""
        referee = self.referee
        referee.counts.sampled += 1
        last = y[: len(self._shown)].copy()
        if self.strict:
            wanted = max(wanted, STRICT)
        elif wanted > MOST_PIECES:
            referee.counts.coarse += 1
            wanted = MOST_PIECES
        total = int(np.ceil(wanted))
        states = 1 if self.stepping else STATES if self.strict else total
        each = -(-total // states)
        self._old[:] = referee.work_old()
        if not self.stepping:  # the last pose has the velocities from before an impact that ended the step before
            stepper.interpolate(start, self._y)
            self._old[:] = self._show(self._y)
        t0 = start
        for k in range(1, states + 1):
            t = end if k == states else start + (end - start) * k / states
            if k < states:
                stepper.interpolate(t, self._y)
                self._inner[:] = self._show(self._y)
            else:
                self._inner[:] = last
            first = 1
            while True:
                first = referee.fill(t0, self._old, t, self._inner, first, each, total)
                if first > each:
                    break
                self.judge(False)
            self._old[:] = self._inner
            t0 = t

    def _acting(self) -> np.ndarray | None:
        """Keys of the pairs whose compliant contact pushes at the end of the step, or begins or ends there."""
        c = self.contacts
        if c.rigid:
            return None
        if len(self._keys) < c.W.count[NEAR]:
            self._keys = np.empty(len(c.W.near), np.int64)
        n = acting_pairs(c.handle.address, self._touches, self._shapes, self._keys)
        return self._keys[:n].copy()

    def judge(self, last: bool = True) -> None:
        """Examine what has been shown so far; ``last``: overlaps at the end of it too, however short it is.  Raises
        PassageError."""
        if self.shapes_on:
            self._report(self.referee.judge(last))

    def _report(self, finding: Finding | None, face: FaceRefereeing | None = None) -> None:
        """End the run where there is a finding."""
        if finding is not None:
            self.finding = finding
            raise PassageError(self._words(finding, face), finding.time, finding)

    # ---- what is reported
    # -----------------------------------------------------------------------------------------------
    def _name(self, a: int) -> str:
        c = self.contacts
        name = f"'{c.body_name(a)}'"
        return f"{name} ({c.solids[a].graphic.label})" if a < len(c.solids) else name

    def _words(self, f: Finding, face: FaceRefereeing | None) -> str:
        c, unit = self.contacts, self.system.model.units.symbol
        name = self._name if face is None else face.name
        element = c.elements[f.contact] if face is None else face.element
        a, b, rigid = name(f.a), name(f.b), c.rigid if face is None else self.stepping
        at = ", ".join(f"{x:.6g}" for x in f.at)
        if f.kind == "passed":
            what = (
                f"{a} has passed through {b}: a point {f.depth:.4g} {unit('length')} inside the first entered at "
                f"time {f.since:.9g} and came out on the other side"
            )
        elif f.kind == "overlap":
            what = f"{a} overlaps {b} by {f.depth:.4g} {unit('length')} or more"
        else:
            what = (
                f"{a} overlaps {b} by {f.depth:.4g} {unit('length')} or more: a point so deep inside the first "
                "crossed the surface of the second"
            )
        if rigid:
            record = "no contact constraint allows that"
        elif f.recorded:
            record = "the contact law acted, but did not stop it"
        else:
            record = "the contact law recorded no force of this pair in that step"
        return (
            f"at time {f.time:.9g} {what} at ({at}); {element.label}: {record}; results after that time are wrong; use "
            "a smaller HMAX or ERROR, "
            "a stiffer contact, or a smaller STEP in time-stepping (referee=False turns this check off)"
        )

    def summary(self) -> dict[str, Any]:
        """What was checked."""
        parts = [(f.referee.counts, 1 + len(f.sides), f.reference_points) for f in self.faces]
        if self.shapes_on:
            r = self.referee
            parts.append((r.counts, len(r.surfaces), len(r.shapes.depth)))
        counts = [k for k, _, _ in parts]
        out: dict[str, Any] = {
            "steps": max(k.steps for k in counts),
            "poses": sum(k.poses for k in counts),
            "steps sampled": sum(k.sampled for k in counts),
            "shapes": sum(n for _, n, _ in parts),
            "reference points": sum(n for _, _, n in parts),
            "crossings": sum(k.crossings for k in counts),
        }
        if self.finding is not None:
            out["finding"] = 1
        coarse = sum(k.coarse for k in counts)
        if coarse:
            out["steps sampled too coarsely"] = coarse
        return out


def checked(mode: bool | str, refereed: list[Refereeing]) -> dict[str, Any]:
    """What results give of the referee: ``mode`` ("on", "off", "strict") and what all systems have shown it."""
    names: dict[bool | str, str] = {True: "on", False: "off"}
    out: dict[str, Any] = {"mode": names.get(mode, str(mode))}
    for one in refereed:
        for name, number in one.summary().items():
            out[name] = (
                max(out.get(name, 0), number) if name in ("shapes", "reference points") else out.get(name, 0) + number
            )
    return out


class Between:
    """Points between the nodes of cables, rods and beams whose surface is made of balls: middles of neighbours, on the
    cubic through four of them.

    ``radius``: of the axis there; `add_to` enters them as balls of their own, with the contacts of their neighbours."""

    def __init__(self, contacts: Any, shapes: list, place: np.ndarray) -> None:
        self.contacts = contacts
        nodes, weights, self.radius, self.near = [], [], [], []
        for along in self._axes(shapes, place):
            n = len(along)
            for k in range(n - 1):
                some = [min(max(k + m, 0), n - 1) for m in (-1, 0, 1, 2)]
                weight = np.array([-1.0, 9.0, 9.0, -1.0]) / 16.0
                if n == 2:
                    weight = np.array([0.0, 0.5, 0.5, 0.0])
                elif k == 0:
                    weight = np.array([0.0, 3.0, 6.0, -1.0]) / 8.0
                elif k == n - 2:
                    weight = np.array([-1.0, 6.0, 3.0, 0.0]) / 8.0
                a, b = along[k], along[k + 1]
                nodes.append([int(contacts.body[along[m]]) for m in some])
                weights.append(weight)
                self.radius.append(min(shapes[a][0].par[0], shapes[b][0].par[0]))
                self.near.append((a, b))
        self.nodes, self.weights = np.array(nodes, np.int64).reshape(-1, 4), np.array(weights).reshape(-1, 4)

    def _axes(self, shapes: list, place: np.ndarray) -> list[list[int]]:
        """Numbers of balls on nodes that follow each other along an axis."""
        out: list[list[int]] = []
        before = "", 0
        for k, shape in enumerate(shapes):
            solid = self.contacts.solids[k]
            if not (
                is_ball(shape)
                and solid.body.KIND == "MESH_POINT"
                and np.linalg.norm(place[k]) < AT_NODE * shape[0].par[0]
            ):
                before = "", 0
                continue
            axis, _, number = solid.graphic.name.rpartition(".")  # as `flexible.along` names them
            now = axis, int(number) if number.isdigit() else 0
            if axis and now == (before[0], before[1] + 1):
                out[-1].append(k)
            else:
                out.append([k])
            before = now
        return out

    def add_to(self, scene: Scene) -> None:
        """Enter them behind the shapes of a scene."""
        n, m = len(scene.shapes), len(self.radius)
        numbers = n + np.arange(m)
        near = np.array(self.near, np.int64).reshape(-1, 2)
        balls = {r: ball(r) for r in self.radius}
        scene.shapes = [*scene.shapes, *(balls[r] for r in self.radius)]
        scene.owner = np.concatenate([scene.body, scene.body[near[:, 0]]])
        scene.body = np.concatenate([scene.body, scene.bodies + 1 + np.arange(m)])
        scene.place = np.vstack([scene.place, np.zeros((m, 3))])
        scene.axes = np.vstack([scene.axes, np.tile(np.eye(3).ravel(), (m, 1))])
        scene.node, scene.weight = self.nodes, self.weights
        scene.neighbours = np.vstack([np.column_stack([np.arange(n)] * 2), near])

        def entered(side: np.ndarray) -> np.ndarray:
            return np.concatenate([side, numbers[np.isin(near[:, 0], side)]])

        scene.sides = [(entered(i), entered(j)) for i, j in scene.sides]
        barred = set(scene.barred.tolist())
        for a, b in [divmod(key, n + m) for key in scene.barred.tolist()]:
            for p in [a, *numbers[(near == a).any(axis=1)].tolist()]:
                for q in [b, *numbers[(near == b).any(axis=1)].tolist()]:
                    if p != q:
                        barred.add(min(p, q) * (n + m) + max(p, q))
        scene.barred = np.array(sorted(barred), np.int64)
