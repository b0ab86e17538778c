"""Variable topology: elements that are switched on and off during an analysis, and their switches."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar

import numpy as np

from .base import Element, ModelError, _tuples
from .joint_facts import SLIDE, TURN, facts
from .kinds import finite, is_number, misfits, shown
from .quantity_text import Angle, converted
from .values import formula, listed, number, word_of

Reference = tuple[str, int]  # KIND and id

#: types that can hold what they find when they are switched on
HOLDING = ("JOINT", "JPRIM", "MOTION")


@dataclass(frozen=True)
class Transition:
    """From state ``source`` to ``target`` as soon as all expressions ``when`` are positive.

    ``edge``: only when they become positive after not all of them were positive since the state was entered; otherwise
    a state is left at once where they are already positive. ``restitution``: the constraints that ``target`` adds are
    activated by an impact with rebound, u+ = u + (1 + e) (u_p - u) with the plastic velocities u_p; the source state
    remains active while the rebound has a finite duration. ``side``: constraints of ``target`` that are unilateral,
    pushing towards larger (+1) or smaller (-1) values.
    """

    source: str
    target: str
    when: tuple[str, ...]
    edge: bool = False
    restitution: float = 0.0
    side: int = 0

    def __post_init__(self) -> None:
        if isinstance(self.restitution, np.generic):
            object.__setattr__(self, "restitution", self.restitution.item())


@dataclass
class Switch(Element):
    """SWITCH: a state machine whose ``states`` define which elements are active.

    ``on``: for each state the elements (KIND, id) that are active in it; elements listed only for other states are
    inactive.
    ``initial``: the state at the start (default: the first). ``hold``: elements (JOINT, JPRIM: the position of marker
    J on its body; MOTION: the coordinate) that lock the current value when they are switched on. Elements that need an
    inactive joint (its motions, friction, couplers, gears) are inactive too. At a switch positions and time do not
    change; velocities jump by the mass-weighted projection onto the new constraints, u+ = u - M^-1 G^T (G M^-1 G^T)^-1
    (G u + phi_t)  (plastic impact; Pfeiffer, Glocker, Multibody Dynamics with Unilateral Contacts, 1996, ch. 8).
    ``resisting``: forces by functions that act as friction; their work counts as dissipated, not as put in.
    """

    KIND: ClassVar[str] = "SWITCH"
    states: tuple[str, ...] = ()
    on: tuple[tuple[Reference, ...], ...] = ()
    initial: str = ""
    transitions: tuple[Transition, ...] = ()
    hold: tuple[Reference, ...] = ()
    resisting: tuple[Reference, ...] = ()

    @property
    def first(self) -> str:
        return self.initial or (self.states[0] if self.states else "")

    @property
    def elements(self) -> tuple[Reference, ...]:
        """All elements that it turns on and off."""
        return tuple(dict.fromkeys(ref for refs in self.on for ref in refs))

    def acting(self, state: str) -> tuple[Reference, ...]:
        return self.on[self.states.index(state)]

    def to_dict(self) -> dict[str, Any]:
        out = super().to_dict()
        if self.transitions:
            out["transitions"] = [{**asdict(t), "when": list(t.when)} for t in self.transitions]
        return out

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Switch:
        rows = data.get("transitions", ()) if isinstance(data, dict) else ()
        label = f"SWITCH/{shown(data.get('id') if isinstance(data, dict) else data)}"
        names = [f.name for f in fields(Transition)]
        if not isinstance(rows, (list, tuple)):
            raise ModelError(f"{label}: its transitions are {shown(rows)}; give a list")
        for row in rows:
            if not isinstance(row, dict) or not {"source", "target", "when"} <= set(row) <= set(names):
                raise ModelError(f"{label}: a transition is {shown(row)}; give a table of {', '.join(names)}")
        element = super().from_dict(data if not rows else {k: v for k, v in data.items() if k != "transitions"})
        assert isinstance(element, Switch)
        element.transitions = tuple(Transition(**{k: _tuples(v) for k, v in row.items()}) for row in rows)
        for _, sentence in misfits(element):
            raise ModelError(f"{label}: {sentence}")
        return element


# ---- what engineers call them --------------------------------------------------------------------------------------


def condition(value: Any, what: str = "when") -> str:
    """An expression unchanged; a number is a time.  Raises `ModelError` for what is neither."""
    if isinstance(value, str) and value.strip():
        return formula(value, what)
    if not is_number(value) or not finite(value):
        raise ModelError(f"{what} is {shown(value)}; give an expression as a text, or a time")
    return f"TIME-({float(value)!r})"


class Switches:
    """Builder methods of `Model` for variable topology; each creates a SWITCH and the elements that it needs, and
    returns the SWITCH."""

    # provided by Model
    def add(self, element: Any) -> Any: ...
    def find(self, kind: str, reference: Any) -> Any: ...
    def own(self, element: Any) -> None: ...
    def _any(self, reference: Any) -> Any: ...

    def switch(
        self, states: dict[str, Any], transitions=(), name: str = "", *, initial: str = "", hold=(), id: int = 0
    ) -> Switch:
        """SWITCH: ``states`` gives the elements that act in each state, ``transitions`` are `Transition` or (from, to,
        when).

        ``when``: expressions of the function language that must all be positive, one or several.

        Raises `ModelError` for elements that do not exist; `check` reports elements that cannot be switched.
        """
        if not isinstance(states, Mapping) or not states:
            raise ModelError(f"states is {shown(states)}; give a dictionary of states and elements that act in each")
        if initial and initial not in states:
            raise ModelError(f"initial is {shown(initial)}; choose from {', '.join(map(str, states))}")

        def refs(elements: Any) -> tuple[Reference, ...]:
            some = elements if isinstance(elements, (list, tuple)) else (elements,)
            return tuple((e.KIND, e.id) for e in map(self._any, some))

        made = []
        for t in listed(transitions, "transitions", "rows (from, to, when)"):
            if not isinstance(t, Transition):
                if not isinstance(t, (list, tuple)) or len(t) != 3:
                    raise ModelError(f"transitions has {shown(t)}; give a row (from, to, when)")
                source, target, when = t
                t = Transition(
                    source, target, tuple(condition(w) for w in (when if isinstance(when, (list, tuple)) else (when,)))
                )
            made.append(t)
        element = Switch(
            id=id,
            name=name,
            states=tuple(states),
            on=tuple(refs(v) for v in states.values()),
            initial=initial,
            transitions=tuple(made),
            hold=refs(tuple(listed(hold, "hold", "elements"))),
        )
        element = self.add(element)
        for kind, other in element.elements:
            self.find(kind, other).active = (kind, other) in element.acting(element.first)
        return element

    def breaking(
        self,
        joint,
        force: float | str | None = None,
        torque: float | str | None = None,
        when=None,
        name: str = "",
        id: int = 0,
    ) -> Switch:
        """A joint that breaks permanently when the magnitude of its reaction force or torque exceeds a limit, or when
        ``when`` is positive.

        Its motions, friction, couplers and gears become inactive too.  Limits are numbers or expressions; ``when``: an
        expression, or a time.

        Force, torque (force * length) and time in model units. Raises `ModelError` without a limit or a condition, and
        for elements other than joints and primitives.
        """
        if hasattr(joint, "KIND"):
            self.own(joint)
        else:
            joint = self.find("JOINT", joint)
        if joint.KIND not in ("JOINT", "JPRIM"):
            raise joint.error("only a joint or a primitive breaks by its reaction; give a SWITCH for other elements")
        whens = [
            f"{joint.KIND}({joint.id},0,{c},0)-({_most(x, what)})"
            for c, x, what in ((1, force, "force"), (5, torque, "torque"))
            if x is not None
        ]
        if when is not None:
            whens.append(condition(when))
        if not whens:
            raise joint.error("what breaks it is missing: give force, torque or when")
        rows = [Transition("whole", "broken", (w,)) for w in whens]
        return self.switch({"whole": joint, "broken": ()}, rows, name or f"{joint.name}.breaking", id=id)

    def lock(
        self, i, j=None, *, when=None, release=None, locked: bool = False, at=None, name: str = "", id: int = 0
    ) -> Switch:
        """Locks the free coordinates of a joint, or two bodies (or markers) to each other, where they are when ``when``
        becomes positive.

        It is a plastic impact: velocities jump to those of the locked bodies; energy is lost, momentum is conserved.
        ``release``: unlocks it again when it becomes positive. Both are expressions, or times. ``locked``: locked at
        the start, in the design position.

        Times in model units. Raises `ModelError` where nothing locks or releases it, and for joints without a free
        coordinate.
        """
        holders = self._holders(i, j, at, name)
        rows = []
        if when is not None:
            rows.append(Transition("free", "locked", (condition(when),), edge=True))
        if release is not None:
            rows.append(Transition("locked", "free", (condition(release, "release"),), edge=True))
        if not rows:
            raise ModelError("a lock needs when (what locks it) or, if it is locked at the start, release")
        return self.switch(
            {"free": (), "locked": holders},
            rows,
            name or f"{holders[0].name}.switch",
            initial="locked" if locked else "free",
            hold=holders,
            id=id,
        )

    def latch(
        self,
        joint,
        at: float,
        release=None,
        *,
        restitution: float = 0.0,
        name: str = "",
        coordinate: str = "",
        id: int = 0,
    ) -> Switch:
        """A latch that locks a joint's coordinate at ``at`` when it arrives there, from either side, until ``release``
        becomes positive.

        After a release it is armed again once the coordinate has left. ``restitution``: rebound of the bolt (0: locked
        at once).
        ``coordinate``: ROTATIONAL or TRANSLATIONAL where the joint has both.

        Length or radians. Raises `ModelError` for joints without a coordinate; warns of an angle that seems to be in
        degrees.
        """
        joint, kind = self._coordinate(joint, coordinate)
        at = self._limit(at, kind, "at", "latch")
        restitution = _rebound(restitution)
        if kind == "ROTATIONAL":
            self._radians(joint, "at", at)  # type: ignore[attr-defined]
        q = _position(joint, kind)
        name = name or f"{joint.name}.latch"
        hold = self.motion(joint, repr(float(at)), f"{name}.catch", kind=kind)  # type: ignore[attr-defined]
        rows = [
            Transition("open", "caught", (f"{q}-({float(at)!r})",), edge=True, restitution=restitution),
            Transition("open", "caught", (f"({float(at)!r})-{q}",), edge=True, restitution=restitution),
        ]
        if release is not None:
            rows.append(Transition("caught", "open", (condition(release, "release"),), edge=True))
        return self.switch({"open": (), "caught": hold}, rows, name, id=id)

    def stop(
        self,
        joint,
        lower: float | None = None,
        upper: float | None = None,
        restitution: float = 0.0,
        name: str = "",
        *,
        coordinate: str = "",
        id: int = 0,
    ) -> Switch:
        """Rigid stops of a joint's coordinate (angle or travel of I in J): lower <= q <= upper, without a stiffness.

        The impact on a stop has the coefficient of ``restitution`` (Newton: q'+ = -e q'-; all joints take part).
        Accumulating bounces end at rest on the stop, which is then a unilateral constraint: it opens when its reaction
        would become tensile.

        Length or radians. Raises `ModelError` for joints without a coordinate, without limits, or with a lower limit
        above the upper; warns of angles that seem to be in degrees.
        """
        joint, kind = self._coordinate(joint, coordinate)
        if lower is None and upper is None:
            raise joint.error("a stop needs lower or upper")
        lower, upper = (
            None if v is None else self._limit(v, kind, word, "stop")
            for word, v in (("lower", lower), ("upper", upper))
        )
        restitution = _rebound(restitution)
        if lower is not None and upper is not None and not lower < upper:
            raise joint.error(f"the stop's lower, {lower:g}, must lie below its upper, {upper:g}")
        for word, value in (("lower", lower), ("upper", upper)) if kind == "ROTATIONAL" else ():
            self._radians(joint, f"{word} of its stop", value)  # type: ignore[attr-defined]
        name = name or f"{joint.name}.stop"
        q = _position(joint, kind)
        component = 8 if kind == "ROTATIONAL" else 4
        states: dict[str, Any] = {"free": ()}
        rows = []
        for word, value, side in (("low", lower, 1), ("high", upper, -1)):
            if value is None:
                continue
            m = self.motion(joint, repr(float(value)), f"{name}.{word}", kind=kind)  # type: ignore[attr-defined]
            states[word] = m
            gap = f"({float(value)!r})-{q}" if side > 0 else f"{q}-({float(value)!r})"
            rows.append(Transition("free", word, (gap,), edge=True, restitution=restitution, side=side))
            push = f"MOTION({m.id},0,{component},{joint.j})"
            rows.append(Transition(word, "free", (f"-{push}" if side > 0 else push,)))
        return self.switch(states, rows, name, id=id)

    def clutch(
        self,
        joint=None,
        capacity: float | str | None = None,
        engaged=None,
        *,
        i=None,
        j=None,
        at=None,
        axis=None,
        static: float = 1.0,
        slip: float = 1e-9,
        name: str = "",
        coordinate: str = "",
        id: int = 0,
    ) -> Switch:
        """A dry clutch or brake with exact sticking: a constraint while the required torque is below ``static`` *
        ``capacity``, a torque of ``capacity`` that opposes the slip while it slips.

        Acts on the coordinate of a joint, or between two bodies ``i`` and ``j`` that rotate about the same ``axis``
        through ``at``.
        ``capacity``: torque (force where the coordinate is a travel), a number or an expression. ``engaged``: a
        condition: closed while it is positive (a number is the time at which it closes; default: always closed).
        ``slip``: slip velocity below which it sticks when it closes.

        Model units; slip in radians or length per time. Raises `ModelError` without a joint or a pair of bodies,
        without a ``capacity``, and for a negative capacity.
        """
        if capacity is None:
            raise ModelError("capacity is missing; give the torque (force, of a travel) up to which it holds")
        capacity = _capacity(capacity)
        if not is_number(static) or not 0.0 < static < math.inf:
            raise ModelError(f"static is {shown(static)}; give a positive number, the torque that sticks over capacity")
        slip = number(slip, "slip")
        if not slip > 0.0:
            raise ModelError(f"slip is {shown(slip)}; give a positive velocity, below which it sticks")
        if joint is not None:
            given = [word for word, value in (("i", i), ("j", j), ("at", at), ("axis", axis)) if value is not None]
            if given:
                raise ModelError(f"a joint and {', '.join(given)} are given; give the joint, or i, j, at and axis")
            joint, kind = self._coordinate(joint, coordinate)
            mi, mj, label = joint.i, joint.j, joint.name
        else:
            if i is None or j is None:
                raise ModelError("a clutch needs a joint, or two bodies i and j with at and axis")
            mi, mj = self._pair(i, j, at, axis, None)  # type: ignore[attr-defined]
            kind, label = word_of(coordinate or TURN, "coordinate", (TURN, SLIDE)), "clutch"
        name, static = name or f"{label}.clutch", float(static)
        turns = kind == "ROTATIONAL"
        w = f"WZ({mi},{mj},{mj})" if turns else f"VZ({mi},{mj},{mj},{mj})"
        cap = f"({capacity})"
        forces = []
        for word, sign in (("forward", "-"), ("backward", "")):
            if turns:
                e = self.sforce(mi, mj, sign + cap, f"{name}.{word}", kind="ROTATIONAL")  # type: ignore[attr-defined]
            else:
                body = self.body_of(self.find("MARKER", mj))  # type: ignore[attr-defined]
                e = self.vforce(mi, body, fz=sign + cap, rm=mj, name=f"{name}.{word}")  # type: ignore[attr-defined]
            forces.append(e)
        if joint is not None:
            stick = self.motion(joint, "0", f"{name}.stick", kind=kind)  # type: ignore[attr-defined]
        else:
            stick = self.motion(None, "0", f"{name}.stick", i=mi, j=mj, component="B3" if turns else "Z")  # type: ignore[attr-defined]
        torque = f"MOTION({stick.id},0,{8 if turns else 4},{mj})"
        limit = f"({static!r})*{cap}"
        closed = "" if engaged is None else condition(engaged, "engaged")
        ready = (f"({closed})-1E-12",) if closed else ()
        rows = [
            Transition("open", "stuck", (*ready, f"({slip!r})-ABS({w})")),
            Transition("open", "forward", (*ready, w)),
            Transition("open", "backward", (*ready, f"-{w}")),
            Transition("forward", "stuck", (f"-{w}",), edge=True),
            Transition("backward", "stuck", (w,), edge=True),
            Transition("stuck", "forward", (f"-{torque}-{limit}",)),
            Transition("stuck", "backward", (f"{torque}-{limit}",)),
        ]
        if closed:
            rows = [Transition(s, "open", (f"1E-12-({closed})",)) for s in ("forward", "backward", "stuck")] + rows
        states = {"open": (), "forward": forces[0], "backward": forces[1], "stuck": stick}
        element = self.switch(states, rows, name, hold=(stick,), id=id)
        element.resisting = tuple((e.KIND, e.id) for e in forces)
        return element

    # ---- pieces ---------------------------------------------------------------------------------------------------
    def _limit(self, value: Any, kind: str, word: str, what: str) -> float:
        """A position of a joint's coordinate, in units of the model."""
        q = converted(value, "rad" if kind == "ROTATIONAL" else "m", self.units, word)  # type: ignore[attr-defined]
        if not is_number(q) or not finite(q):
            raise ModelError(f"{word} of the {what} is {shown(value)}; give a number")
        return q if isinstance(q, Angle) else float(q)

    def _coordinate(self, joint: Any, kind: str) -> tuple[Any, str]:
        """The joint and which of its coordinates is meant."""
        joint = self.find("JOINT", joint)
        choices = list(facts(joint).locked)
        if kind and kind.upper() not in choices or not choices:
            raise joint.error(
                f"{joint.type.lower()} joints have no {kind.lower() or 'single'} coordinate to switch; take a "
                "revolute, "
                "translational or cylindrical joint"
            )
        return joint, kind.upper() or choices[0]

    def _holders(self, i: Any, j: Any, at: Any, name: str) -> tuple[Any, ...]:
        """The elements that hold a joint, or two bodies."""
        if j is None:
            joint = self.find("JOINT", i)
            if at is not None:
                raise ModelError(f"at is given with {joint.label}, which has a position of its own; leave it out")
            name = name or f"{joint.name}.lock"
            kinds = list(facts(joint).locked)
            if joint.type == "SPHERICAL":
                return (self.primitive("ORIENTATION", joint.i, joint.j, name),)  # type: ignore[attr-defined]
            if not kinds:
                raise joint.error(
                    f"a {joint.type.lower()} joint cannot be locked by its coordinates; lock its two bodies to "
                    "each other"
                )
            return tuple(
                self.motion(joint, "0", name if len(kinds) == 1 else f"{name}.{k.lower()}", kind=k)  # type: ignore[attr-defined]
                for k in kinds
            )
        if at is None and not all(getattr(b, "KIND", "") == "MARKER" for b in (i, j)):
            body = i if getattr(i, "KIND", "") in ("PART", "POINT_MASS") else self.find("PART", i)
            at = tuple(body.qg) if not body.ground else (0.0, 0.0, 0.0)
        return (self.fixed(i, j, name or "lock", at=at),)  # type: ignore[attr-defined]


def _rebound(restitution: Any) -> float:
    """A coefficient of restitution of an impact with a stop."""
    if not is_number(restitution) or not 0.0 <= restitution <= 1.0:
        raise ModelError(f"restitution is {shown(restitution)}; give a number from 0 to 1")
    return float(restitution)


def _most(value: Any, what: str) -> str:
    """A limit of a reaction: a positive number, or an expression.  Raises ModelError."""
    if isinstance(value, str):
        return formula(value, what)
    if not is_number(value) or not finite(value) or not value > 0.0:
        raise ModelError(f"{what} is {shown(value)}; give a positive number, or an expression as a text")
    return repr(float(value))


def _capacity(value: Any) -> str:
    """The capacity of a clutch as text: a number, also one that is written as a text, is zero or positive; what an
    expression gives is not known before the run.  Raises ModelError."""
    text = repr(float(value)) if isinstance(value, np.generic) else str(value)
    try:
        size = float(text)
    except ValueError:
        if isinstance(value, str) and text.strip():
            return text
        raise ModelError(f"capacity is {shown(value)}; give a number, or an expression as a text") from None
    if not (finite(size) and size >= 0.0):
        raise ModelError(f"capacity is {size:g}; give zero or a positive number: it acts against the slip by itself")
    return text


def _position(joint: Any, kind: str) -> str:
    return f"AZ({joint.i},{joint.j})" if kind == "ROTATIONAL" else f"DZ({joint.i},{joint.j},{joint.j})"
