"""FLEX_BODY and MFORCE of datasets: flexible bodies, with the modes of a reduced body that is in a file of ours.

A modal neutral file (.mnf) is a closed binary format and is not read.  Where the modes are given in an HDF5 file of
ours (`model.reduced_body`), a FLEX_BODY becomes a part with modes, its markers go to nodes, and an MFORCE acts on it;
without such a file the statements are kept as they are.  The writer turns flexible bodies into FLEX_BODY statements,
whose MNF_FILE names the HDF5 file next to the dataset.

QG, REULER, ZG, XG place the axes of the body (those of its finite elements) in ground; VX .. WZ are velocities of their
origin in ground, or about the axes of VM and WM, and about their own axes, as of PART.  Source: Adams Solver manual,
statements FLEX_BODY, MARKER, MFORCE.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...expressions import ExpressionError, evaluate, parse
from ...model import bodies
from ...model.base import ModelError, shown
from ...model.flexible import Attachment, Flexibility
from ...model.orientation import Frame, to_euler313
from ...model.reduced_body import ReducedBody
from .arguments import ArgumentError, number

FILES = ("MNF_FILE", "DB_FILE", "BDF_FILE")
#: arguments that a part with modes has a field for
USED = {
    "QG",
    "REULER",
    "ZG",
    "XG",
    "EXACT",
    "VX",
    "VY",
    "VZ",
    "WX",
    "WY",
    "WZ",
    "VM",
    "WM",
    "CRATIO",
    "DMODE",
    "VMODE",
    "MATRICES",
    *FILES,
}
#: arguments without influence: why
IDLE = {
    "INVARIANTS": "all invariants are kept",
    "MEXACT": "coordinates of modes are met as stiffly as they can be",
    "DYNAMIC_LIMIT": "all modes are dynamic; leave modes of high frequency out (flexibility.select)",
    "STABILITY_FACTOR": "all modes are dynamic",
    "CHAR_LEN": "the size of the body is that of its nodes",
    "REPRESENTATION": "the body is flexible; deactivate its modes where it is to be rigid",
    "NAME": "a note",
    "INDEX_IN_DATABASE": "the body is not read from a database",
}
FULL, HIGH, LOW = 1000.0, 100.0, 1.0  # Hz of the default damping of Adams

Given = str | os.PathLike | ReducedBody


def bend(model: Any, flexible: Mapping[Any, Given] | None, folder: Path) -> list[str]:
    """Turn the FLEX_BODY statements of a model whose modes are there into parts with modes, and what names them; one
    sentence for each that is not possible.

    ``flexible``: id or name of a FLEX_BODY -> file or body; ``folder``: of the dataset, in which files of the name of
    an MNF_FILE are searched for.
    """
    table = model.table("FLEX_BODY")
    if flexible is not None and not isinstance(flexible, Mapping):
        return [f"flexible is {shown(flexible)}; give a dictionary from ids or names of FLEX_BODY to files"]
    given = dict(flexible or {})
    names = {e.name: e for e in table.values()}
    errors = []
    wanted: dict[int, Given] = {}
    for key, value in given.items():
        element = table.get(key) if isinstance(key, int) and not isinstance(key, bool) else names.get(key)
        if element is None:
            there = ", ".join(str(k) for k in table) or "none"
            errors.append(f"flexible names FLEX_BODY {shown(key)}, which the dataset does not have; it has {there}")
        else:
            wanted[element.id] = value
    for element in list(table.values()):
        try:
            source = wanted.get(element.id) or _beside(element, folder)
            if source is not None:
                _become(model, element, source)
        except ArgumentError as error:
            errors.append(f"{element.source}: {element.KIND}/{element.id}: {error}")
        except ModelError as error:
            text = str(error)
            errors.append(
                text
                if f"{element.KIND}/{element.id}" in text
                else f"{element.source}: {element.KIND}/{element.id}: {text}"
            )
    return errors


def _beside(element: Any, folder: Path) -> Path | None:
    """The file of ours that a FLEX_BODY names, or of the name of its modal neutral file."""
    for name, text in element.arguments:
        if name.upper() in FILES and text:
            path = Path(text.strip().strip("\"'"))
            ours = path.suffix.lower() in (".h5", ".hdf5")
            for at in (folder / path, folder / re.split(r"[\\/]", str(path))[-1]):
                file = at if ours else at.with_suffix(".h5")
                if file.exists():
                    return file
            if ours:
                raise ModelError(
                    f"{element.source}: {element.KIND}/{element.id}: {name} = {path}: there is no such file in "
                    f"'{folder}'"
                )
    return None


def _become(model: Any, e: Any, source: Given) -> None:
    if isinstance(source, ReducedBody):
        body = source
    elif isinstance(source, (str, os.PathLike)):
        body = ReducedBody.read(source)
    else:
        raise ModelError(f"flexible[{e.id}] is {shown(source)}; give the name of an HDF5 file, or a reduced body")
    body = body.in_units(model.units)
    given = {name.upper(): text for name, text in e.arguments}
    strange = [name for name in given if name not in USED and name not in IDLE]
    if strange:
        raise ArgumentError(f"argument {strange[0]} is not known; remove it")
    for name in given:
        if name in IDLE:
            model.warn(f"{e.label}: {name} = {given[name]} has no influence: {IDLE[name]}")
    three = lambda name: _numbers(given, name, 3) or None
    one = lambda name: _numbers(given, name, 1)[0] if name in given else None
    part = bodies.Part(
        id=e.id if e.id not in model.parts else 0,
        name=e.name,
        active=e.active,
        source=e.source,
        qg=three("QG") or (0.0, 0.0, 0.0),
        reuler=three("REULER"),
        zg=three("ZG"),
        xg=three("XG"),
        exact=tuple(w.strip().upper() for w in given.get("EXACT", "").split(":") if w.strip()),
        **{name.lower(): one(name) for name in ("VX", "VY", "VZ", "WX", "WY", "WZ")},
        **{name.lower(): int(_numbers(given, name, 1)[0]) if name in given else None for name in ("VM", "WM")},
    )
    frame = part.frame
    n = body.modes
    damping = _damping(given.get("CRATIO"), body.frequency / (2.0 * math.pi * model.units.si_time))
    starts = {
        field: _numbers(given, name, n) if name in given else () for field, name in (("q", "DMODE"), ("speed", "VMODE"))
    }
    flexibility = Flexibility(
        name=e.name, part=0, body=body, damping=damping, source=e.source, active=e.active, **starts
    )
    del model.table("FLEX_BODY")[e.id]
    model.add(part)
    flexibility.part = part.id
    model.add(flexibility)
    model._weigh(part, body, Frame.identity())
    _move_velocity(model, part, frame, body.centre)
    for m in model.markers.values():
        if (m.body_kind, m.part) == ("FLEX_BODY", e.id):
            _attach(model, m, part, flexibility)
    _drop_matrices(model, given.get("MATRICES", ""))
    for force in model.table("MFORCE").values():
        names = {name.upper(): text for name, text in force.arguments}
        if force.flexibility is None and names.get("FLEX_BODY", "").strip() == str(e.id):
            _become_force(model, force, names, part, flexibility)


def _drop_matrices(model: Any, text: str) -> None:
    """Invariants of the body in a file of Adams (.mtx), which those of ours represent: matrices that nothing else names
    are taken out."""
    mine = {int(w) for w in text.split(",") if w.strip().isdigit()}
    others = {v for e in model for name, kind in e.REFERENCES.items() if kind == "MATRIX" for v in _ids(e, name)} | {
        int(w)
        for e in model.table("FLEX_BODY").values()
        for n, t in e.arguments
        if n.upper() == "MATRICES"
        for w in t.split(",")
        if w.strip().isdigit()
    }
    for number_ in mine - others:
        matrix = model.table("MATRIX").get(number_)
        if matrix is not None and matrix.file:
            del model.table("MATRIX")[number_]


def _numbers(given: Mapping[str, str], name: str, count: int) -> tuple[float, ...]:
    if name not in given:
        return ()
    try:
        out = tuple(number(w) for w in given[name].split(","))
    except ArgumentError as error:
        raise ArgumentError(f"{name} = {given[name][:40]}: {error}") from None
    if len(out) != count:
        raise ArgumentError(f"{name} has {len(out)} numbers; give {count}")
    return out


def _damping(text: str | None, hertz: np.ndarray) -> tuple[float, ...]:
    """Ratios of modes: of the expression CRATIO, which may name FXFREQ (Hz) and FXMODE, or those that Adams takes
    without one."""
    if text is None:
        return tuple(0.01 if f < HIGH else 0.1 if f < FULL else LOW for f in hertz.tolist())
    out = []
    for k, f in enumerate(hertz.tolist()):
        at = re.sub(
            r"\bFXFREQ\b", f"({f!r})", re.sub(r"\bFXMODE\b", str(k + 1), text, flags=re.IGNORECASE), flags=re.IGNORECASE
        )
        try:
            value = evaluate(parse(at), {})
        except ExpressionError as error:
            raise ArgumentError(
                f"CRATIO = {text[:60]}: {error}; give a number, or an expression of FXFREQ and FXMODE alone"
            ) from None
        if not 0.0 <= value <= 1.0:
            raise ArgumentError(f"CRATIO is {value:g} for mode {k + 1} ({f:.4g} Hz); give a number from 0 to 1")
        out.append(float(value))
    return tuple(out)


def _move_velocity(model: Any, part: Any, frame: Frame, centre: np.ndarray) -> None:
    """Velocities of the origin of the body become those of its centre of mass, which a part has."""
    if part.vx is None and part.vy is None and part.vz is None:
        return
    spin = np.array([part.wx or 0.0, part.wy or 0.0, part.wz or 0.0])
    turn = lambda marker: (
        (model.body_frame(model.markers[marker]) @ model.markers[marker].frame).axes
        if marker in model.markers
        else None
    )
    axes = frame.axes if part.wm is None else turn(part.wm)
    if axes is None or (part.vm is not None and turn(part.vm) is None):
        return  # the reference is reported
    away = np.cross(axes @ spin, frame.axes @ centre)
    if part.vm is not None:
        away = turn(part.vm).T @ away
    if away.any():
        part.vx, part.vy, part.vz = (float((v or 0.0) + d) for v, d in zip((part.vx, part.vy, part.vz), away))


def _attach(model: Any, m: Any, part: Any, flexibility: Flexibility) -> None:
    if m.floating:
        m.part, m.body_kind, m.node_id = part.id, "PART", None
        return
    node = m.node_id
    if node is None:
        node = flexibility.nearest(np.asarray(m.qp))
        model.warn(f"{m.label}: it has no NODE_ID and is attached to the nearest node, {node}")
    if node not in flexibility.body.place:
        raise m.error(f"NODE_ID = {node}: the body of {flexibility.label} has no such node")
    at = flexibility.shape(node)[0]
    attachment = next(
        (a for a in model.table("ATTACHMENT").values() if (a.flexibility, a.node) == (flexibility.id, node)), None
    )
    if attachment is None:
        attachment = model.add(
            Attachment(
                name=f"{part.name}.{node}",
                flexibility=flexibility.id,
                node=node,
                source=m.source,
                active=flexibility.active,
            )
        )
    placed = any(m.qp)
    for name in ("zp", "xp"):
        point = getattr(m, name)
        if point is not None:
            setattr(m, name, tuple(float(v) for v in np.asarray(point) - at))
    m.qp = tuple(float(v) for v in np.asarray(m.qp) - at) if placed else (0.0, 0.0, 0.0)
    m.part, m.body_kind, m.node_id = attachment.id, "ATTACHMENT", None


def _become_force(model: Any, force: Any, given: Mapping[str, str], part: Any, flexibility: Flexibility) -> None:
    strange = [name for name in given if name not in ("FLEX_BODY", "JFLOAT", "CASE_INDEX", "SCALE")]
    if strange:
        raise force.error(
            f"{strange[0]} = {given[strange[0]][:40]}: modal forces by user routine are not computed; give CASE_INDEX "
            "and SCALE"
        )
    cases = len(flexibility.body.loads)
    try:
        case = int(given.get("CASE_INDEX", ""))
        jfloat = int(given["JFLOAT"]) if "JFLOAT" in given else None
    except ValueError:
        raise force.error("CASE_INDEX and JFLOAT are ids; give whole numbers") from None
    if not 1 <= case <= cases:
        raise force.error(
            f"CASE_INDEX = {case}; the file of its body has "
            f"{f'load cases 1 to {cases}' if cases else 'no load cases (table loads)'}"
        )
    if jfloat is not None and jfloat not in model.markers:
        raise force.error(f"JFLOAT = {jfloat}: there is no MARKER/{jfloat}; correct the id")
    row = flexibility.body.loads[case - 1].tolist()
    force.flexibility, force.i, force.jfloat, force.scale, force.case = (
        flexibility.id,
        part.cm,
        jfloat,
        given.get("SCALE", "1") or "1",
        case,
    )
    force.force, force.moment, force.load, force.arguments = tuple(row[:3]), tuple(row[3:6]), tuple(row[6:]), ()


# ---- the other way ---------------------------------------------------------------------------------------------------
def unbend(model: Any, path: str | os.PathLike | None, real: Callable[[Any], str], angle: Callable[[Any], str]) -> Any:
    """A model that a dataset can hold: its flexible bodies as FLEX_BODY, their bodies saved next to the dataset where
    they are in no file.

    ``real``, ``angle``: how numbers are written.  Raises `ModelError` for what the statements cannot say."""
    out = model.copy()
    parts, markers = out.table("PART"), out.table("MARKER")
    for f in list(out.table("FLEXIBILITY").values()):
        part = parts[f.part]
        attachments = {a.id: a for a in out.table("ATTACHMENT").values() if a.flexibility == f.id}
        forces = [e for e in out.table("MFORCE").values() if e.flexibility == f.id]
        id = part.id if part.id not in out.table("FLEX_BODY") else out.free_id("FLEX_BODY")
        body, cases = _with_cases(f, forces)
        if not body.file:
            if path is None:
                raise f.error(
                    "a dataset in memory has no file for its modes; give the path of the dataset, or save the body "
                    "(flexibility.body.save)"
                )
            body = body.save(Path(path).with_name(f"{Path(path).stem}_{id}.h5"))
        own = Frame(np.asarray(f.origin), f.turn)
        frame = part.frame @ own
        arguments = [("QG", ", ".join(real(v) for v in frame.origin))]
        if not np.array_equal(frame.axes, np.eye(3)):
            arguments.append(("REULER", ", ".join(angle(v) for v in to_euler313(frame.axes))))
        arguments += _velocities(out, part, frame, body, real)
        for name, values in (("DMODE", f.q), ("VMODE", f.speed)):
            if values:
                arguments.append((name, ", ".join(real(v) for v in values)))
        if part.exact:
            arguments.append(("EXACT", ":".join(part.exact)))
        arguments.append(("CRATIO", _ratio(f.damping, real) + "\\"))
        file = Path(body.file)
        beside = path is not None and file.parent.resolve() == Path(path).parent.resolve()
        arguments.append(("MNF_FILE", f'"{file.name if beside else file.resolve()}"'))
        _free(out, part, f)
        for m in markers.values():
            if m.body_kind == "ATTACHMENT" and m.part in attachments:
                node = attachments[m.part].node
                place = own.axes.T @ (np.asarray(f.shape(node)[0]) + np.asarray(m.qp) - own.origin)
                # exactly at its node where it is there, within roundoff
                m.qp = tuple(place.tolist()) if any(m.qp) else (0.0, 0.0, 0.0)
                axes = own.axes.T @ m.frame.axes
                m.reuler, m.zp, m.xp, m.usexp = (
                    (None if np.array_equal(axes, np.eye(3)) else to_euler313(axes)),
                    None,
                    None,
                    False,
                )
                m.part, m.body_kind, m.node_id = id, "FLEX_BODY", node
            elif m.body_kind == "PART" and m.part == part.id:
                m.part, m.body_kind = id, "FLEX_BODY"
        for e, case in zip(forces, cases):
            said = [("FLEX_BODY", str(id)), ("CASE_INDEX", str(case))] + (
                [("JFLOAT", str(e.jfloat))] if e.jfloat else []
            )
            e.arguments = (*said, ("SCALE", e.scale))
            e.flexibility, e.i, e.jfloat, e.scale, e.load, e.case = None, None, None, "1", (), 0
            e.force = e.moment = (0.0, 0.0, 0.0)
        for a in attachments:
            del out.table("ATTACHMENT")[a]
        del out.table("FLEXIBILITY")[f.id], parts[part.id]
        out.table("FLEX_BODY")[id] = bodies.FlexBody(
            id=id, name=part.name, active=part.active and f.active, arguments=tuple(arguments)
        )
    return out


def _with_cases(f: Flexibility, forces: list[Any]) -> tuple[ReducedBody, list[int]]:
    """The body with a load case for each force, and which."""
    body, A = f.body, f.turn
    rows, cases = [], []
    for e in forces:
        row = np.concatenate([A.T @ e.force, A.T @ e.moment, e.load])
        there = [k for k, have in enumerate([*body.loads, *rows]) if np.allclose(have, row, rtol=1e-12, atol=0.0)]
        if not there:
            rows.append(row)
        cases.append(there[0] + 1 if there else len(body.loads) + len(rows))
    return (replace(body, loads=np.vstack([body.loads, *rows]), file="") if rows else body), cases


def _velocities(model: Any, part: Any, frame: Frame, body: ReducedBody, real: Any) -> list[tuple[str, str]]:
    """VX .. WZ of the origin of the body, and about its axes."""
    out = []
    velocity, spin = (part.vx, part.vy, part.vz), (part.wx, part.wy, part.wz)
    turn = lambda marker: (model.body_frame(model.markers[marker]) @ model.markers[marker].frame).axes
    cm = model.markers[part.cm].frame.axes
    about = (part.frame.axes @ cm) if part.wm is None else turn(part.wm)
    w = about @ np.array([v or 0.0 for v in spin])
    if any(v is not None for v in velocity):
        v = np.array([v or 0.0 for v in velocity])
        v = (v if part.vm is None else turn(part.vm) @ v) - np.cross(w, frame.axes @ body.centre)
        out += [(name, real(c)) for name, c in zip(("VX", "VY", "VZ"), v)]
    if any(v is not None for v in spin):
        out += [(name, real(c)) for name, c in zip(("WX", "WY", "WZ"), frame.axes.T @ w)]
    return out


def _ratio(damping: tuple[float, ...], real: Any) -> str:
    """One number, or an expression of FXMODE that halves the modes again and again."""
    if len(set(damping)) == 1:
        return real(damping[0])

    def among(first: int, last: int) -> str:
        if len(set(damping[first:last])) == 1:
            return real(damping[first])
        middle = (first + last) // 2
        return f"IF(FXMODE-{middle + 0.5}:{among(first, middle)},0,{among(middle, last)})"

    return among(0, len(damping))


def _free(model: Any, part: Any, f: Flexibility) -> None:
    """Take what names the part, but for markers at nodes, off it; what acts on the floating frame cannot be reported in
    a dataset."""
    own = {part.cm, part.im}
    riders = [m for m in model.markers.values() if (m.body_kind, m.part) == ("PART", part.id) and not m.floating]
    acting = {k for e in model if e is not part for k in _named(e)}
    for m in riders:
        if m.id in acting:
            raise m.error(
                f"it moves with the floating frame of {part.label} and with no node, which a dataset cannot express; "
                f"put it "
                "on a node"
            )
        if m.id not in own:
            model.warn(f"{m.label} goes with the floating frame of {part.label} and is not written")
        del model.table("MARKER")[m.id]
    named = next(
        (
            e
            for e in model
            for n, kind in e.REFERENCES.items()
            if kind == "PART" and part.id in _ids(e, n) and e.KIND != "FLEXIBILITY"
        ),
        None,
    )
    if named is not None:
        raise named.error(
            f"it names {part.label}, which is flexible and is a FLEX_BODY in a dataset; take the reference out"
        )


def _named(e: Any) -> Iterator[int]:
    """Numbers by which an element may name a marker: its ports and references, and whole numbers in its functions and
    arguments."""
    for name, kind in e.REFERENCES.items():
        if kind == "MARKER" and (e.KIND, name) != ("MFORCE", "i"):  # which is the centre of mass, and is made anew
            yield from (v for v in _ids(e, name) if v)
    yield from e.ports if e.KIND != "MFORCE" else ()
    for value in vars(e).values():
        if isinstance(value, str) and "(" in value:
            yield from (int(w) for w in re.findall(r"(?<![\w.])\d{1,9}(?![\w.])", value))
        elif isinstance(value, dict):
            yield from (v for v in value.values() if isinstance(v, int))


def _ids(e: Any, name: str) -> tuple[Any, ...]:
    value = getattr(e, name)
    return value if isinstance(value, tuple) else (value,)
