"""Adams results files (``.res``) in their XML form, XRF: written from a run, and read, whoever wrote them.

Written from the files of Adams 2015 to 2022 that are public (namespace ``http://www.mscsoftware.com/:xrf10``)::

    Results > Analysis > StepMap > Entity (name, entity, entType, objectId) > Component (name, unitsValue, id)
                       > Data (name, id) > Step (type) > numbers in the order of the ids, blanks and line ends between
                           them

Number 1 is the time.  A part is the entity NAME_XFORM: X, Y, Z of the origin of its coordinate system in ground, the
angles PSI, THETA, PHI
(body 3-1-3, radians), VX to WZ, ACCX to WDZ of the same point, ground axes.  Ids run through the displacements of all
parts, then through their velocities, then through their accelerations.  A joint has FX to TZ: what acts on its I
marker, ground axes.  A VARIABLE has Q, a PINPUT U1, U2, ... and a POUTPUT Y1, Y2, ..., labelled with their variables.
The data of an analysis stand in ``dynamic_001`` and so on; what holds at the start in ``initialConditions_001``.  Types
of entities that no public file has are named in the same way (`model.base.Element.ENTITY`), and that Adams takes them
is not known.  A number that was not recorded is NaN.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

import numpy as np

from ..._summary import Summary
from ..._warnings import warn_model
from ...model import ELEMENT_TYPES, ModelError, Units
from .. import _rotation as rotation
from ..run import Run

NAMESPACE = "http://www.mscsoftware.com/:xrf10"
#: units as Adams View spells them; others in lower case
SPELLED = {
    "MILLIMETER": "mm",
    "CENTIMETER": "cm",
    "KILOMETER": "km",
    "KILOGRAM": "kg",
    "SECOND": "sec",
    "MINUTE": "min",
    "KILONEWTON": "knewton",
}
#: kind of an analysis -> name of its data, type of its steps
BLOCKS = {
    "dynamics": ("dynamic", "dynamic"),
    "kinematics": ("kinematic", "kinematic"),
    "statics": ("static", "static"),
    "quasistatics": ("quasiStatic", "quasiStatic"),
    "initial": ("initialConditions", "initialConditions"),
}
PLACE, SPEED, RATE = (
    ("X", "Y", "Z", "PSI", "THETA", "PHI"),
    ("VX", "VY", "VZ", "WX", "WY", "WZ"),
    ("ACCX", "ACCY", "ACCZ", "WDX", "WDY", "WDZ"),
)
WRENCH = ("FX", "FY", "FZ", "TX", "TY", "TZ")
MAX_BYTES = 2_000_000_000


@dataclass
class Entity(Summary):
    """Numbers of one element: ``columns`` are the places of its ``components`` in a row of values (the time is 0)."""

    name: str
    entity: str = ""
    type: str = ""
    id: int | None = None
    components: list[str] = field(default_factory=list)
    units: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    columns: list[int] = field(default_factory=list)


@dataclass
class ResultsFile(Summary):
    """What a results file holds: ``entities`` by name, ``values`` (rows, columns), and the ``blocks`` that the rows
    came in (name, type of step, first row, end)."""

    title: str
    units: dict[str, str]
    entities: dict[str, Entity]
    values: np.ndarray
    blocks: list[tuple[str, str, int, int]]

    @property
    def time(self) -> np.ndarray:
        return self.values[:, 0]

    def curve(self, entity: str, component: str) -> np.ndarray:
        """One component of one entity at all times.  Raises ModelError where there is none."""
        if entity not in self.entities:
            raise ModelError(f"the results file has no entity '{entity}'; it has {', '.join(list(self.entities)[:12])}")
        e = self.entities[entity]
        if component not in e.components:
            raise ModelError(
                f"'{entity}' of the results file has no component '{component}'; it has {', '.join(e.components)}"
            )
        return self.values[:, e.columns[e.components.index(component)]]


# ---- writing ---------------------------------------------------------------------------------------------------------
def export_res(
    run: Run,
    path,
    *,
    left_out: Collection[str] = (),
    decimals: int | None = None,
    comment: str = "",
    date: datetime.datetime | None = None,
) -> None:
    """Write a run as an Adams results file.

    ``left_out``: arguments of RESULTS such as NOVELOCITIES; ``decimals``: decimal places (None: as many as distinguish
    numbers). Warns of results that are not written: eigenvalues, and components of joint friction other than its force
    and torque. Raises ModelError when the file cannot be written.
    """
    path = Path(path)
    entities, values = _table(run, set(left_out))
    for text in not_written(run, set(left_out)):
        warn_model(f"{path.name}: {text}")
    stamp = (date or datetime.datetime.now().astimezone()).isoformat(sep=" ", timespec="seconds")
    units = run.model.units
    q = quoteattr
    from ... import __version__

    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="\n") as out:
            out.write(f'<?xml version="1.0" encoding="UTF-8"?>\n<Results xmlns="{NAMESPACE}">\n<Bibliography>\n')
            out.write(f'<File URI={q(path.name)} schema="xrf" version="2.0.0.0" publicationDate={q(stamp)} />\n')
            out.write(
                '<Corporation author="Holonom" URI="-unknown-" />\n<Author user="-unknown-" name="-unknown name-" />\n'
            )
            out.write(
                '<Revision version="1" '
                f'derivedFrom="-unknown-">\n<Comment>\n{_text(comment)}\n</Comment>\n</Revision>\n</Bibliography>\n'
            )
            out.write(
                f"<Analysis name={q(path.stem)} executionDate={q(stamp[:19])} Solver={q(f'Holonom {__version__}')} "
                'script="-unknown-">\n'
            )
            out.write(
                f'<ModelInfo title={q(run.model.title or run.model.name)} creationDate="-unknown-" '
                'checksum="-unknown-" />\n'
            )
            out.write(
                f'<Units angle="rad" length={q(spelled(units.length))} mass={q(spelled(units.mass))} '
                f"time={q(spelled(units.time))} />\n"
            )
            out.write('<StepMap name="map_001">\n')
            for e in entities:
                more = f" entity={q(e.entity)} entType={q(e.type)} objectId={q(str(e.id))}" if e.type else ""
                out.write(f"<Entity name={q(e.name)}{more}>\n")
                for name, unit, label, column in zip(e.components, e.units, e.labels, e.columns):
                    has = (f" unitsValue={q(unit)}" if unit else "") + (f" plotLabel={q(label)}" if label else "")
                    out.write(f'<Component name={q(name)}{has} id="{column + 1}" />\n')
                out.write("</Entity>\n")
            out.write("</StepMap>\n")
            write = _number(decimals)
            groups = [(e.columns[k], len(part)) for e in entities for k, part in _runs(e.columns)]
            groups.sort()
            for number, (name, kind, start, end) in enumerate(blocks_of(run), 1):
                out.write(f'<Data name="{name}" id="{number}">\n')
                for row in values[start:end].tolist():
                    lines = (" ".join(write(v) for v in row[at : at + count]) for at, count in groups)
                    out.write(f'<Step type="{kind}">\n' + "\n".join(lines) + "\n</Step>\n")
                out.write("</Data>\n")
            ended = "Successful" if run.info.get("complete", True) and not run.info.get("failed") else "Failed"
            out.write(f'<TerminationStatus runTermObject="" runStatus="{ended}" />\n</Analysis>\n</Results>\n')
    except OSError as problem:
        raise ModelError(f"cannot write '{path}': {problem.strerror or problem}") from None


def not_written(run: Run, left_out: set[str]) -> list[str]:
    """What Adams has in its results file and this one does not, one sentence each: entities whose names and layout are
    not published."""
    out = []
    if run.linear:
        out.append(
            f"eigenvalues and modes of {len(run.linear)} linear analyses are not in it, as their layout is not "
            "published; they are in run.linear, and `Linear.save` writes them"
        )
    friction = [key for key in run.data.forces if key[0] == "FRICTION"]
    if friction and "NOAPPLIEDFORCES" not in left_out:
        out.append(
            f"of {len(friction)} FRICTION elements it has forces and torques only, as the names of their other "
            "components are not published"
        )
    return out


def spelled(unit: str) -> str:
    """A unit as Adams View spells it."""
    return SPELLED.get(unit, unit.lower())


def blocks_of(run: Run) -> list[tuple[str, str, int, int]]:
    """(name, type of step, first row, end) of the data of each analysis; the first row of a motion from the start are
    initial conditions."""
    counts: dict[str, int] = {}
    out: list[tuple[str, str, int, int]] = []

    def add(kind: str, start: int, end: int) -> None:
        name, step = BLOCKS.get(kind, (kind, kind))
        counts[name] = counts.get(name, 0) + 1
        out.append((f"{name}_{counts[name]:03d}", step, start, end))

    for s in run.segments:
        start = s.start
        if s.kind in ("dynamics", "kinematics") and not counts and s.end - start > 1:
            add("initial", start, start + 1)
            start += 1
        if s.end > start:
            add(s.kind, start, s.end)
    return out


def _table(run: Run, left_out: set[str]) -> tuple[list[Entity], np.ndarray]:
    """Entities in the order of the file, and all numbers, row by row."""
    d, units = run.data, _Units(run.model.units)
    entities = [Entity("time", components=["TIME"], units=[units.time], labels=[""], columns=[0])]
    arrays: list[np.ndarray] = [d.time[:, None]]
    width = 1

    def add(
        e: Entity,
        names: tuple[str, ...] | list[str],
        texts: list[str],
        values: np.ndarray,
        labels: list[str] | None = None,
    ) -> None:
        nonlocal width
        e.components += names
        e.units += texts
        e.labels += labels or [""] * len(names)
        e.columns += range(width, width + len(names))
        arrays.append(values)
        width += len(names)

    parts = []
    for k, key in enumerate(d.bodies):
        e = Entity(f"{key[2]}_XFORM", key[2], ELEMENT_TYPES[key[0]].ENTITY, key[1])
        parts.append((e, 3 if key[0] == "POINT_MASS" else 6, _motion(run, k)))
        entities.append(e)
    for word, names, texts, first in (
        ("NODISPLACEMENTS", PLACE, units.place, 0),
        ("NOVELOCITIES", SPEED, units.speed, 6),
        ("NOACCELERATIONS", RATE, units.rate, 12),
    ):
        for e, size, motion in parts if word not in left_out else ():
            add(e, names[:size], texts[:size], motion[:, first : first + size])
    if "NOREACTIONFORCES" not in left_out:
        for k, key in enumerate(d.constraints):
            entities.append(Entity(key[2], key[2], ELEMENT_TYPES[key[0]].ENTITY, key[1]))
            add(entities[-1], WRENCH, units.wrench, np.hstack([d.constraint_force[:, k], d.constraint_torque[:, k]]))
    if "NOAPPLIEDFORCES" not in left_out:
        for k, key in enumerate(d.forces):
            entities.append(Entity(key[2], key[2], ELEMENT_TYPES[key[0]].ENTITY, key[1]))
            add(entities[-1], WRENCH, units.wrench, np.hstack([d.force_force[:, k], d.force_torque[:, k]]))
    if "NOSYSTEMELEMENTS" not in left_out:
        for k, key in enumerate(d.variables):
            entities.append(Entity(key[2], key[2], "ADAMS_Variable", key[1]))
            add(entities[-1], ("Q",), [""], d.variable_values[:, k, None])
        place = {key[1]: k for k, key in enumerate(d.variables)}
        for kind, type, letter in (("PINPUT", "Plant_Input", "U"), ("POUTPUT", "Plant_Output", "Y")):
            for plant in run.model.table(kind).values():
                found = [place[number] for number in plant.variables if number in place]
                if plant.active and found and len(found) == len(plant.variables):
                    entities.append(Entity(plant.name, plant.name, type, plant.id))
                    add(
                        entities[-1],
                        [f"{letter}{n}" for n in range(1, len(found) + 1)],
                        [""] * len(found),
                        d.variable_values[:, found],
                        [d.variables[k][2] for k in found],
                    )
    if "NOREQUESTS" not in left_out:
        for k, key in enumerate(d.requests):
            request = run.model.table("REQUEST").get(key[1])
            components, symbols = run.request_components(key)
            given = request.cnames if request is not None else ()
            wanted = [n for n in range(8) if (given[n : n + 1] != ("",) and n < len(given) if given else True)]
            labels = [request.clabels[n] if request is not None and n < len(request.clabels) else "" for n in wanted]
            entities.append(
                Entity((request.results_name if request is not None else "") or key[2], key[2], "Request", key[1])
            )
            add(
                entities[-1],
                [components[n] for n in wanted],
                [symbols[n] for n in wanted],
                d.request_values[:, k][:, wanted],
                labels,
            )
    kept = [e for e in entities if e.components]
    taken: set[str] = set()
    for e in kept:  # elements of two types may share a name
        e.name = e.name if e.name not in taken else f"{e.name}_{e.type}_{e.id}"
        taken.add(e.name)
    return kept, np.hstack(arrays)


def _motion(run: Run, k: int) -> np.ndarray:
    """Displacement, velocity and acceleration (nt, 18) of the coordinate system of a body."""
    d = run.data
    key = d.bodies[k]
    axes = rotation.matrices(d.body_quaternion[:, k])
    s = -(axes @ run._centre(run.model.table(key[0])[key[1]]))
    w, alpha = d.body_angular_velocity[:, k], d.body_angular_acceleration[:, k]
    turn = np.cross(w, s)
    return np.hstack(
        [
            d.body_position[:, k] + s,
            rotation.euler313(axes),
            d.body_velocity[:, k] + turn,
            w,
            d.body_acceleration[:, k] + np.cross(alpha, s) + np.cross(w, turn),
            alpha,
        ]
    )


class _Units:
    """Texts of units as public files have them."""

    def __init__(self, units: Units) -> None:
        length, force, self.time = spelled(units.length), spelled(units.force), spelled(units.time)
        self.place = [length] * 3 + ["rad"] * 3
        self.speed = [f"{length}/{self.time}"] * 3 + [f"rad/{self.time}"] * 3
        self.rate = [f"{length}/{self.time}**2"] * 3 + [f"rad/{self.time}**2"] * 3
        self.wrench = [force] * 3 + [f"{force}-{length}"] * 3


def _runs(columns: list[int]) -> Iterator[tuple[int, list[int]]]:
    """(place of the first, columns) of stretches of at most six columns that follow each other: the lines of a step."""
    start = 0
    for k in range(1, len(columns) + 1):
        if k == len(columns) or columns[k] != columns[k - 1] + 1 or k - start == 6:
            yield start, columns[start:k]
            start = k


def _number(decimals: int | None) -> Callable[[float], str]:
    def write(value: float) -> str:
        if value != value:
            return "NaN"
        if decimals is not None:
            value = float(f"{value:.{decimals}f}") if abs(value) < 1e15 else value
        if value == 0.0:
            return "0"
        return (
            repr(int(value))
            if value == int(value) and abs(value) < 1e15
            else repr(value).upper()
            if math.isfinite(value)
            else "NaN"
        )

    return write


def _text(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


# ---- reading ---------------------------------------------------------------------------------------------------------
def read_res(path) -> ResultsFile:
    """Read a results file in XML form. Raises `ModelError` for a file that is not one."""
    path = Path(path)
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise ModelError(f"{path}: the file has {size} bytes, more than the limit of {MAX_BYTES}")
        with open(path, "rb") as file:
            head = file.read(4096)
        if b"<!DOCTYPE" in head or b"<!ENTITY" in head:
            raise ModelError(f"{path}: results files have no document type of their own; this one is not read")
        if b"<Results" not in head:
            raise ModelError(f"{path}: this is not a results file in XML form (RESULTS/XRF)")
        return _read(path)
    except OSError as problem:
        raise ModelError(f"{path}: cannot be read ({problem.strerror or problem}); check the path") from None
    except (ElementTree.ParseError, ValueError, LookupError) as problem:
        if isinstance(problem, ModelError):
            raise
        raise ModelError(f"{path}: the results file is broken ({problem})") from None


def _read(path: Path) -> ResultsFile:
    title, units = "", {}
    entities: dict[str, Entity] = {}
    ids: dict[str, int] = {}  # of components, as written -> column
    rows: list[np.ndarray] = []
    blocks: list[tuple[str, str, int, int]] = []
    block: list[Any] = []
    for event, node in ElementTree.iterparse(path, ("start", "end")):
        tag = re.sub(r"^\{.*\}", "", node.tag)
        if event == "start":
            if tag == "Data":
                block = [node.get("name", ""), "", len(rows)]
            continue
        if tag == "ModelInfo":
            title = node.get("title", "")
        elif tag == "Units":
            units = dict(node.attrib)
        elif tag == "Entity":
            number = node.get("objectId", "")
            e = Entity(
                node.get("name", ""),
                node.get("entity", ""),
                node.get("entType", ""),
                int(number) if number.isdigit() else None,
            )
            for c in node:
                e.components.append(c.attrib["name"])
                e.units.append(c.get("unitsValue", ""))
                e.labels.append(c.get("plotLabel", ""))
                if int(c.attrib["id"]) < 1 or c.attrib["id"] in ids:
                    raise ValueError(f"the id {c.attrib['id']} of {e.name}.{e.components[-1]} is none, or is taken")
                ids[c.attrib["id"]] = int(c.attrib["id"]) - 1
                e.columns.append(ids[c.attrib["id"]])
            entities[e.name] = e
            node.clear()
        elif tag == "Step":
            row = np.array((node.text or "").split(), float)
            block[1] = block[1] or node.get("type", "")
            if block[1] != "input" and len(row) != len(ids):
                raise ValueError(f"a step of {block[0]} has {len(row)} numbers for {len(ids)} components")
            # steps of the model's input have other numbers behind the places of parts; of them only these are kept
            rows.append(np.concatenate([row[: len(ids)], np.full(max(0, len(ids) - len(row)), np.nan)]))
            node.clear()
        elif tag == "Data":
            blocks.append((block[0], block[1], block[2], len(rows)))
            node.clear()
    if not ids or sorted(ids.values()) != list(range(len(ids))):
        raise ValueError("the ids of its components do not count from 1")
    return ResultsFile(title, units, entities, np.array(rows).reshape(-1, len(ids)), blocks)
