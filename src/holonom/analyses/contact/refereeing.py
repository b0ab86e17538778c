"""The contact referee in a dynamic analysis: it is shown the poses of accepted steps, and ends the run where a body passes through another.

`contact.referee` decides; here are the poses (ends of steps, and states inside them where paths bend or bodies turn too much for a chord), what
contacts are allowed, and what is said.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...contact.referee.judge import Finding, Referee, Rules, Scene
from ...contact.referee.sweep import acting_pairs
from ...contact.tables import NEAR, POINTS
from ...elements.bodies import layout
from ...integrators.stepper import IntegrationError
from ...model import ModelError

CHOICES = (True, False, "strict")
STRICT = 100  # poses of each step in strict mode
MOST_PIECES = 64  # of a step otherwise
EVENTS, STEPPING = 2e-3, 1e-2  # of the typical size of the shapes: overlap that constraints leave
TOUCHES = 1e-3  # the same of touches that compliant contacts may miss
STEPS = 2.0  # time-stepping resolves an impact within so many steps
OFF = "the contact referee is off (referee=False): nothing checks that bodies do not pass through each other"


def check_choice(referee: bool | str) -> bool | str:
    """The choice of a referee, one of `CHOICES`.  Raises ModelError."""
    if isinstance(referee, str) and referee.lower() in ("on", "off", "strict"):
        return {"on": True, "off": False, "strict": "strict"}[referee.lower()]
    if not isinstance(referee, (bool, str)) or referee not in CHOICES:
        raise ModelError(f"referee = {referee!r} is unknown; choose True, False or 'strict'")
    return referee


class PassageError(IntegrationError):
    """A body has passed into or through another, against its contact.  ``finding``: `contact.referee.judge.Finding`."""

    def __init__(self, message: str, time: float, finding: Finding):
        super().__init__(message, time)
        self.finding = finding


class Refereeing:
    """Shows the steps of one analysis with one system to the referee."""

    def __init__(self, system: Any, mode: bool | str, stepping: bool):
        self.system, self.contacts = system, system.contacts
        c = self.contacts
        self.strict = mode == "strict"
        self.finding: Finding | None = None
        self.on = bool(mode) and c.on and len(c.solids) > 0
        if not self.on:
            return
        self.stepping = stepping
        size = float(c._size())
        rules = (
            Rules(True, (STEPPING if stepping else EVENTS) * size, STEPS if stepping else 0.0) if c.rigid else Rules(False, TOUCHES * size)
        )
        self.referee = Referee(self._scene(), rules, self.strict)
        self._states = np.zeros((2, system.nb, layout.STATE))
        self._y = np.zeros_like(system.y0)

    def _scene(self) -> Scene:
        c, system = self.contacts, self.system
        n, all_shapes = len(c.solids), c.count + len(c.stand_ins.rows)
        place, axes = np.zeros((n, 3)), np.zeros((n, 9))
        for k, solid in enumerate(c.solids):
            local = system.local[int(c.body[k])]
            place[k] = local.axes.T @ (solid.frame.origin - local.origin)
            axes[k] = (local.axes.T @ solid.frame.axes).ravel()
        barred = [divmod(int(key), all_shapes) for key in c._barred()]
        return Scene(
            c.solids, c.body[:n], system.nb, place, axes, [(i[i < n], j[j < n]) for i, j in c.sides], np.array([e.joined for e in c.elements]), c._excluded(),
            np.array(sorted(a * n + b for a, b in barred if b < n), np.int64),
        )  # fmt: skip

    # ---- steps ------------------------------------------------------------------------------------------------------
    def _pose(self, y: np.ndarray) -> np.ndarray:
        self.contacts.place(y)
        return layout.rows(y, self.system.nb)

    def step(self, stepper: Any, start: float, end: float) -> None:
        """A step has been accepted from ``start`` to ``end`` (an event may have cut it there).  Raises PassageError."""
        if not self.on or not end > start:
            return
        referee, (old, new) = self.referee, self._states
        if referee.last != start:
            self._at(stepper, start)
            old[:] = self._pose(self._y)
            referee.begin(start, old[:, layout.POSE])
        if end == stepper.t:
            self._y[:] = stepper.y
        else:
            self._at(stepper, end)
        new[:] = self._pose(self._y)
        wanted = referee.pieces(old, new, end - start)
        if self.strict:
            wanted = max(wanted, STRICT)
        elif wanted > MOST_PIECES:
            referee.counts.coarse += 1
            wanted = MOST_PIECES
        n = int(np.ceil(wanted))
        for k in range(1, n):
            if referee.full:
                self.judge()
            t = start + (end - start) * k / n
            self._at(stepper, t)
            referee.add(t, self._pose(self._y)[:, layout.POSE], n)
        if referee.full:
            self.judge()
        referee.add(end, new[:, layout.POSE], n)
        referee.end_step(self._acting())
        old[:] = new
        if referee.full:
            self.judge()

    def _at(self, stepper: Any, t: float) -> None:
        stepper.interpolate(t, self._y)

    def _acting(self) -> np.ndarray | None:
        """Keys of the pairs whose compliant contact pushes at the end of the step, or begins or ends there."""
        c = self.contacts
        if c.rigid:
            return None
        W, near = c.W, int(c.W.count[NEAR])
        keys = np.empty(near, np.int64)
        n = acting_pairs(W.near[:near], W.gap, W.lock, W.pair, int(W.count[POINTS]), self.referee.rules.tolerance, len(c.solids), keys)
        return keys[:n]

    def judge(self) -> None:
        """Look at what has been shown so far.  Raises PassageError."""
        if not self.on:
            return
        finding = self.referee.judge()
        if finding is not None:
            self.finding = finding
            raise PassageError(self._words(finding), finding.time, finding)

    # ---- what is said -----------------------------------------------------------------------------------------------
    def _name(self, a: int) -> str:
        c = self.contacts
        solid = c.solids[a]
        return f"'{c.body_name(a)}' ({solid.graphic.label})"

    def _words(self, f: Finding) -> str:
        c, unit = self.contacts, self.system.model.units.symbol
        a, b, element = self._name(f.a), self._name(f.b), c.elements[f.contact]
        at = ", ".join(f"{x:.6g}" for x in f.at)
        if f.kind == "passed":
            what = f"{a} has passed through {b}: a point {f.depth:.4g} {unit('length')} inside the first entered at time {f.since:.9g} and came out on the other side"
        else:
            what = f"{a} overlaps {b} by {f.depth:.4g} {unit('length')} or more: a point so deep inside the first crossed the surface of the second"
        if c.rigid:
            record = "no contact constraint allows that"
        elif f.recorded:
            record = "the contact law acted, but did not stop it"
        else:
            record = "the contact law recorded no force of this pair in that step"
        return (
            f"at time {f.time:.9g} {what} at ({at}); {element.label}: {record}; results after that time are wrong; use a smaller HMAX or ERROR, "
            "a stiffer contact, or a smaller STEP in time-stepping (referee=False turns this check off)"
        )

    def summary(self) -> dict[str, Any]:
        """What was checked."""
        k, r = self.referee.counts, self.referee
        out = {
            "steps": k.steps,
            "poses": k.poses,
            "shapes": len(r.surfaces),
            "reference points": len(r.shapes.depth),
            "crossings": k.crossings,
        }
        if self.finding is not None:
            out["finding"] = 1
        missing = ["grains"] if self.contacts.bulk else []
        if any(solid.body.KIND not in ("PART", "POINT_MASS") for solid in self.contacts.solids):
            missing.append("flexible bodies between their nodes")
        if missing:
            out["not covered"] = missing
        if k.coarse:
            out["steps sampled too coarsely"] = k.coarse
        return out


def checked(mode: bool | str, refereed: list[Refereeing]) -> dict[str, Any]:
    """What results say of the referee: ``mode`` ("on", "off", "strict") and what all systems have shown it."""
    out: dict[str, Any] = {"mode": {True: "on", False: "off"}.get(mode, str(mode))}
    for one in refereed:
        for name, number in one.summary().items():
            if isinstance(number, list):
                out[name] = number
                continue
            out[name] = max(out.get(name, 0), number) if name in ("shapes", "reference points") else out.get(name, 0) + number
    return out
