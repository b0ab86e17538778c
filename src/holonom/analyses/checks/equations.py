"""The unknowns and equations of a model by name, in the order of the solver.

Per part: force balance ``m v' = f - sum G_r^T lam``, moment balance in principal axes
``J w' = t - w x J w - sum G_t^T lam``, kinematics ``r' = v`` and ``e' = 1/2 e o w``; one row for each constraint
equation with its multiplier; states.  Forces are substituted, not unknowns; momenta and Euler angles follow
(docs/theory, section 1).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..._summary import Summary
from ...elements.bodies import layout
from ...elements.joints.rows import ANGLE, CURVE, DOT1, DOT2, FUNCTION, POINT, TWIST
from ...elements.kinds import FORCES as REGISTERED
from ...model import Model, ModelError
from ...model.base import kinds_of
from ...model.touching import Touching
from ...system.build import INITIAL, System
from ..assemble import assemble, started

AXES = "xyz"


@dataclass(frozen=True)
class Unknown(Summary):
    """``names`` of scalar unknowns, ``words`` what they are, ``unit``."""

    names: tuple[str, ...]
    words: str
    unit: str = ""


@dataclass(frozen=True)
class Equation(Summary):
    """``name`` (for a constraint as Adams names it), ``text``: the equation, ``size``: how many scalar equations it
    represents;
    ``redundant``: it repeats others and is left out."""

    name: str
    text: str
    size: int = 1
    redundant: bool = False


@dataclass
class Equations(Summary):
    """Unknowns and equations of a model; prints as a list. ``degrees_of_freedom``: number of coordinates minus
    independent constraints."""

    model: Model
    unknowns: list[Unknown] = field(default_factory=list)
    equations: list[Equation] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    degrees_of_freedom: int = 0

    def __str__(self) -> str:
        lines = [
            f"model {self.model.name}, {self.degrees_of_freedom} degree{'s' * (self.degrees_of_freedom != 1)} of "
            "freedom",
            "",
            "unknowns",
        ]
        for head, rows in ((None, self._unknown_rows()), ("equations", self._equation_rows())):
            if head:
                lines += ["", head]
            wide = [max((len(r[c]) for r in rows), default=0) for c in range(2)]
            lines += [f"  {a:>{wide[0]}}  {b:<{wide[1]}}  {c}".rstrip() for a, b, c in rows]
        return "\n".join([*lines, *([""] if self.notes else []), *self.notes])

    def _unknown_rows(self) -> list[tuple[str, str, str]]:
        n, rows = 0, []
        for u in self.unknowns:
            rows.append((_span(n, len(u.names)), " ".join(u.names), u.words + (f" [{u.unit}]" if u.unit else "")))
            n += len(u.names)
        return rows

    def _equation_rows(self) -> list[tuple[str, str, str]]:
        n, rows = 0, []
        for e in self.equations:
            rows.append(
                (
                    "-" if e.redundant else _span(n, e.size),
                    e.name,
                    e.text + ("   (redundant: left out)" if e.redundant else ""),
                )
            )
            n += 0 if e.redundant else e.size
        return rows


def _span(n: int, size: int) -> str:
    return f"{n + 1}" if size == 1 else f"{n + 1}-{n + size}"


def equations(model: Model) -> Equations:
    """Unknowns and equations of ``model`` by name, at its assembled position.

    Elements that cannot be computed (such as those with unregistered routines) are omitted and listed. Raises
    `ModelError` where the model has no moving parts or cannot be assembled.
    """
    build = lambda rows: System(model, missing="zero", initial=rows)
    system = build(INITIAL)
    if system.tail:
        raise system.tail[0].error(
            "equations of flexible bodies, or in which masses slide, are not listed in this version"
        )
    state = assemble(system)
    if system.initial_rows:
        system, state = started(system, state, build)
    out = Equations(model.copy(), degrees_of_freedom=state.dof)
    dropped = set(state.redundant.dropped) if state.redundant is not None else set()
    _bodies(system, out, dropped)
    _constraints(system, out, dropped)
    _states(system, out)
    out.notes += [f"left out: {text}" for text in system.missing]
    return out


# ---- bodies ----------------------------------------------------------------------------------------------------------
def _bodies(system: System, out: Equations, dropped: set[int]) -> None:
    unit = out.model.units.symbol
    acting = _acting(system)
    rows: dict[int, list[str]] = {}
    for r in range(system.m):
        if r not in dropped:
            for b in system.slot_of[r]:
                rows.setdefault(b, []).append(_multiplier(system, r))
    turning = layout.turning(system.bodies)
    for k in range(system.parts):
        e, turns = system.body_elements[k], turning[k]
        p = e.name
        out.unknowns.append(Unknown(tuple(f"{p}.{c}" for c in AXES), "centre of mass", unit("length")))
        if turns:
            out.unknowns.append(
                Unknown(tuple(f"{p}.e{c}" for c in range(4)), "attitude of the principal axes, a unit quaternion")
            )
        out.unknowns.append(Unknown(tuple(f"{p}.v{c}" for c in AXES), "velocity of the centre", unit("velocity")))
        if turns:
            out.unknowns.append(
                Unknown(tuple(f"{p}.w{c}" for c in AXES), "angular velocity, principal axes", unit("angular_velocity"))
            )
        forces = acting.get((e.KIND, e.id), [])
        multipliers = "".join(f" - G_r^T {name}" for name in _joined(rows.get(k, [])))
        weight = ["m g"] if any(out.model.gravity) else []
        applied = " + ".join([*weight, *(f"f({f})" for f in forces)]) or "0"
        out.equations.append(
            Equation(f"{p}: force balance", f"{_n(system.bodies.mass[k])} v' = {applied}{multipliers}", 3)
        )
        if turns:
            J = ", ".join(_n(x) for x in system.bodies.J[k])
            torques = "".join(f" + t({f})" for f in forces)
            text = f"diag({J}) w' = -w x J w{torques}{multipliers.replace('G_r', 'G_t')}"
            out.equations.append(Equation(f"{p}: moment balance", text, 3))
        out.equations.append(Equation(f"{p}: translational kinematics", "r' = v", 3))
        if turns:
            out.equations.append(Equation(f"{p}: rotational kinematics", "e' = 1/2 e o (0, w), with |e| = 1", 4))
    for g in system.grains:
        out.notes.append(
            f"{g.element.name}: {len(g)} grains with 3 velocities, 3 angular velocities and 7 coordinates each, not "
            "listed one by one"
        )
    factor = out.model.units.mass_factor
    out.notes.append(f"masses and inertias in force times time^2 over length: {_n(factor)} times those of the model")


def _joined(names: list[str]) -> list[str]:
    """Multipliers of one element together: ``pin[1-5]``."""
    groups: dict[str, list[str]] = {}
    for name in names:
        head, _, rest = name.partition("[")
        groups.setdefault(head, []).append(rest.rstrip("]"))
    return [f"{head}[{', '.join(rest)}]" if rest != [""] else head for head, rest in groups.items()]


def _acting(system: System) -> dict[tuple[str, int], list[str]]:
    """Names of the forces that act on each body."""
    model, out = system.model, {}  # type: ignore[var-annotated]

    def add(key, name):
        mine = out.setdefault(key, [])
        if name not in mine:
            mine.append(name)

    def ends(e, *markers):
        for number in markers:
            if number in model.markers:
                m = model.markers[number]
                add((m.body_kind, m.part), e.name)

    for kind in kinds_of("force"):
        for e in model.table(kind).values():
            if e.active and kind in REGISTERED:
                ends(e, *e.ports)
            elif e.active:
                ends(
                    e,
                    *(
                        getattr(e, n, None)
                        for n in (("i",) if getattr(e, "actiononly", False) else ("i", "j", "jfloat"))
                    ),
                )
    for friction in model.table("FRICTION").values():
        joint = model.joints.get(friction.joint)
        if friction.active and joint is not None and joint.active:
            for number in (joint.i, joint.j):
                m = model.markers[number]
                add((m.body_kind, m.part), friction.name)
    touching = Touching(model)
    for contact in model.table("CONTACT").values():
        for graphic in (*contact.igeom, *contact.jgeom) if contact.active else ():
            try:
                add(touching.body(graphic), contact.name)
            except ModelError:
                continue  # geometry that is not there: it is among what is left out
    return out


# ---- constraints -----------------------------------------------------------------------------------------------------
def _multiplier(system: System, r: int) -> str:
    c = system.constraint_of(r)
    if c is None:
        return f"lam({r})"
    return f"lam({c.element.name})" + (f"[{r - c.rows.start + 1}]" if len(c.rows) > 1 else "")


def _constraints(system: System, out: Equations, dropped: set[int]) -> None:
    markers = {f: number for number, f in system._marker_frame.items()}

    def frame(f: int) -> str:
        if f in markers:
            return system.model.markers[markers[f]].name
        body = system.frame_list[f][0]
        return f"a frame of {system.body_elements[body].name}" if body < system.parts else "ground"

    for c in system.constraints:
        for r in c.rows:
            if r not in dropped:
                out.unknowns.append(
                    Unknown((_multiplier(system, r),), f"multiplier of {system.rows[r].words or system.rows[r].name}")
                )
            out.equations.append(
                Equation(system.row_adams(r), _row_text(c.element, system.rows[r], frame), redundant=r in dropped)
            )


def _row_text(element: Any, row: Any, frame) -> str:
    i, j = frame(row.i), frame(row.j)
    function = (getattr(element, "function", None) or "").strip()
    if row.kind == FUNCTION:
        return f"{function or element.label} = 0"
    if row.kind == CURVE:
        return (
            f"n . (p({i}) - c(alpha)) = 0, alpha of the nearest point"
            if element.KIND == "PTCV"
            else "the curves touch and are tangent at one point"
        )
    if row.kind == POINT:
        left = f"(p({i}) - p({j})) . e_{AXES[row.a]}"
    elif row.kind == DOT1:
        left = f"{AXES[row.a]}({i}) . {AXES[row.b]}({j})"
    elif row.kind == TWIST:
        left = f"x({i}) . y({j}) - y({i}) . x({j})"
    elif row.kind == DOT2:
        left = f"(p({i}) - p({j})) . {AXES[row.b]}({j})"
    else:
        left = " + ".join(
            ("" if scale == 1.0 else f"{_n(scale)} ")
            + f"{'angle' if kind == ANGLE else 'distance'}({frame(a)}, {frame(b)})"
            for scale, kind, a, b in row.terms
        ).replace("+ -", "- ")
    left = f"d{'^2' if row.level == 2 else ''}/dt{'^2' if row.level == 2 else ''} [{left}]" if row.level else left
    if row.compliance:
        return f"{_n(1.0 / row.compliance)} {left} = its multiplier"
    return f"{left} = {function if row.motion >= 0 else 0}"


# ---- states ----------------------------------------------------------------------------------------------------------
def _states(system: System, out: Equations) -> None:
    for key in system.functions.states:
        kind, number = key[:2]
        name = f"{kind}_{number}" + (f"[{key[2] - 1}]" if len(key) > 2 else "")
        element = system.model.table(kind).get(number)
        out.unknowns.append(Unknown((name,), f"state of {element.name if element is not None else kind}"))
        if key in system.functions.discrete:
            text = f"{name}' = 0 between samples, which set it"
        elif kind == "DIFF" and element is not None:
            text = f"0 = {element.function}" if element.implicit else f"{name}' = {element.function}"
        elif kind == "LSE":
            text = "x' = A x + B u"
        elif kind == "TFSISO":
            text = "x' of num(s)/den(s) in companion form"
        elif kind == "GSE":
            text = "x' = f(x, u, t)"
        elif kind == "FMU":
            text = "x' of an FMU for model exchange"
        elif kind == "CONTROL" and element is not None:
            text = f"x' of a block of type {element.type}"
        else:
            text = f"rate of {kind}/{number}"
        out.equations.append(Equation(name, text))
    for v in system.model.table("VARIABLE").values():
        if v.active:
            out.notes.append(f"{v.name} = {v.function} (substituted, not an unknown)")


def _n(x: float) -> str:
    return f"{x:.6g}"
