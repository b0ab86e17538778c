"""Input files of Abaqus: parts, instances, nodes in coordinate systems, elements and sets (Abaqus Keywords Guide).

    x = x_a + A x',    A = axes of *SYSTEM                          of a node in a local system
    x = R(axis a-b, angle) (x + t - a) + a                          of an instance: first the translation t, then the
        rotation

Statements that generate or copy nodes and elements are refused, and so are included files.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from .._summary import Summary
from ..model.base import ModelError

MOST_NODES = 2_000_000
#: keywords that create or move nodes or elements, or take them from elsewhere, and are not interpreted
REFUSED = {
    "NGEN",
    "NFILL",
    "NCOPY",
    "NMAP",
    "ELGEN",
    "ELCOPY",
    "INCLUDE",
    "IMPORT",
    "IMPORT NSET",
    "IMPORT ELSET",
    "SYMMETRIC MODEL GENERATION",
    "PARAMETER",
    "ASSEMBLE",
    "SUBSTRUCTURE PATH",
    "MANIFEST",
}


#: keywords of connections and masses that are not elements, which no mesh holds
TIES = {
    "TIE",
    "MPC",
    "COUPLING",
    "KINEMATIC COUPLING",
    "DISTRIBUTING COUPLING",
    "RIGID BODY",
    "EQUATION",
    "EMBEDDED ELEMENT",
    "NONSTRUCTURAL MASS",
    "FASTENER",
}


@dataclass
class Scope(Summary):
    """Nodes, elements and sets of a part, an instance, the assembly or a flat file.  Names of sets are upper case;
    ``spelt`` keeps how they were written."""

    name: str = ""
    nodes: dict[int, np.ndarray] = field(default_factory=dict)
    elements: dict[int, tuple[str, tuple[int, ...], str]] = field(
        default_factory=dict
    )  # number -> type, nodes, file:line
    node_sets: dict[str, list[int]] = field(default_factory=dict)
    element_sets: dict[str, list[int]] = field(default_factory=dict)
    spelt: dict[str, str] = field(default_factory=dict)


@dataclass
class Instance(Summary):
    """A part that is placed: its ``scope`` with nodes in the axes of the assembly, and the sets that the assembly makes
    of it."""

    name: str
    scope: Scope


@dataclass
class _Statement:
    keyword: str
    given: dict[str, str]
    where: str
    rows: list[tuple[str, str]]  # (file:line, text)


def read_deck(path: Path, ties: dict[str, int] | None = None) -> list[Instance]:
    """Instances of an input file, in its order; a file without an assembly is one instance without a name.  ``ties``:
    takes how many `TIES` there are.

    Raises `ModelError`, with file and line, for lines that cannot be read, parts that are not defined and statements
    that are refused.
    """
    parts: dict[str, Scope] = {}
    flat, assembly = Scope(), Scope()
    instances: list[Instance] = []
    scope, inside, system = flat, "", (np.zeros(3), np.eye(3))
    placing: _Statement | None = None
    try:
        for s in _statements(path):
            if s.keyword in REFUSED or (
                s.keyword in ("NODE", "ELEMENT", "NSET", "ELSET", "SYSTEM") and "INPUT" in s.given
            ):
                what = (
                    "references another file" if "INPUT" in s.given or s.keyword == "INCLUDE" else "is not interpreted"
                )
                raise ModelError(f"{s.where}: *{s.keyword} {what}; write all nodes and elements into one flat file")
            if ties is not None and s.keyword in TIES:
                ties[f"*{s.keyword}"] = ties.get(f"*{s.keyword}", 0) + 1
            if s.keyword in ("PART", "ASSEMBLY", "INSTANCE", "END PART", "END ASSEMBLY", "END INSTANCE"):
                system = np.zeros(3), np.eye(3)
            if s.keyword == "PART":
                scope = parts.setdefault(_name(s, "NAME"), Scope(_name(s, "NAME")))
                inside = "PART"
            elif s.keyword == "END PART":
                scope, inside = flat, ""
            elif s.keyword == "ASSEMBLY":
                scope, inside = assembly, "ASSEMBLY"
            elif s.keyword == "INSTANCE":
                if "PART" not in s.given:
                    raise ModelError(
                        f"{s.where}: *INSTANCE without PART= takes its mesh from elsewhere; write it with its part"
                    )
                part = parts.get(s.given["PART"].upper())
                if part is None:
                    raise ModelError(
                        f"{s.where}: *INSTANCE references part {s.given['PART']}, which the file does not define"
                    )
                scope, placing = _copied(part, s.given.get("NAME", "")), s
            elif s.keyword == "END INSTANCE":
                if placing is not None:
                    _place(scope, placing)
                    instances.append(Instance(scope.name, scope))
                scope, placing = assembly, None
            elif s.keyword == "SYSTEM":
                system = _system(s)
            elif s.keyword == "NODE":
                _nodes(s, scope, system)
            elif s.keyword == "ELEMENT":
                _elements(s, scope)
            elif s.keyword in ("NSET", "ELSET"):
                _sets(s, scope, instances if inside == "ASSEMBLY" and placing is None else [])
    except OSError as error:
        raise ModelError(f"'{path}' cannot be read: {error.strerror}") from None
    if placing is not None:
        raise ModelError(f"{placing.where}: *INSTANCE without *END INSTANCE; the file is cut off")
    if instances:
        if flat.elements or assembly.elements:
            raise ModelError(f"'{path}' has elements outside of its instances; put them into a part")
        return instances
    if len(parts) > 1:
        raise ModelError(f"'{path}' defines {len(parts)} parts without instances; add an assembly, or write one part")
    only = next(iter(parts.values()), flat)
    return [Instance("", only if only.nodes else flat)]


def _statements(path: Path) -> Iterator[_Statement]:
    """Keyword lines with their data lines; long keyword lines end with a comma and continue."""
    found: _Statement | None = None
    head = ""
    with open(path, encoding="utf-8", errors="replace") as file:
        for count, text in enumerate(file, 1):
            line = text.strip()
            where = f"{path}:{count}"
            if line.startswith("**") or not line:
                continue
            if line.startswith("*") or head:
                head += line
                if head.endswith(","):
                    continue
                if found is not None:
                    yield found
                words = [w.strip() for w in head[1:].split(",")]
                given = {}
                for w in words[1:]:
                    name, _, value = w.partition("=")
                    given[" ".join(name.upper().split())] = value.strip().strip('"')
                found, head = _Statement(" ".join(words[0].upper().split()), given, where, []), ""
            elif found is not None and found.keyword in ("NODE", "ELEMENT", "NSET", "ELSET", "SYSTEM", "INSTANCE"):
                found.rows.append((where, line))
    if found is not None:
        yield found


def _name(s: _Statement, key: str) -> str:
    if not s.given.get(key):
        raise ModelError(f"{s.where}: *{s.keyword} has no {key}; give one")
    return s.given[key].upper()


def _numbers(where: str, line: str, what: str, count: int, text: str = "") -> list[float]:
    """Up to ``count`` numbers of a line (of ``text``, in messages); empty fields are zeros."""
    try:
        values = [float(w) if w.strip() else 0.0 for w in line.rstrip(",").split(",")]
    except ValueError:
        values = [math.nan]
    if not all(math.isfinite(v) for v in values) or len(values) > count:
        raise ModelError(f"{where}: '{(text or line)[:40]}' is not a valid {what}")
    return values


def _system(s: _Statement) -> tuple[np.ndarray, np.ndarray]:
    """Origin and axes (columns) of *SYSTEM; without data lines the global one."""
    rows = [_numbers(where, line, "point, or two, of *SYSTEM", 6) for where, line in s.rows[:2]]
    if not rows:
        return np.zeros(3), np.eye(3)
    first = np.array(rows[0] + [0.0] * (6 - len(rows[0])))
    a, b = first[:3], first[3:]
    if len(rows[0]) <= 3:
        return a, np.eye(3)
    x = b - a
    if len(rows) == 1:  # the Z axis remains, and X is projected
        x[2] = 0.0
        c = a + np.array([-x[1], x[0], 0.0])
    else:
        c = np.array((rows[1] + [0.0] * 3)[:3])
    z = np.cross(x, c - a)
    if not np.linalg.norm(z) > 1e-12 * np.linalg.norm(x) * np.linalg.norm(c - a):
        raise ModelError(f"{s.where}: the points of *SYSTEM lie on a line; give a third point off the local x axis")
    x, z = x / np.linalg.norm(x), z / np.linalg.norm(z)
    return a, np.column_stack([x, np.cross(z, x), z])


def _nodes(s: _Statement, scope: Scope, system: tuple[np.ndarray, np.ndarray]) -> None:
    kind = s.given.get("SYSTEM", "R").upper()
    if kind not in ("R", "C"):
        raise ModelError(
            f"{s.where}: *NODE has SYSTEM={kind}, which is not interpreted; write rectangular or cylindrical "
            "coordinates"
        )
    origin, axes = system
    own = []
    for where, line in s.rows:
        number, comma, rest = line.partition(",")
        if not number.strip().isdecimal() or not comma or len(number) > 17:
            raise ModelError(f"{where}: '{line[:40]}' is not a node; give its number and its x, y, z")
        values = _numbers(where, rest, "node; give its number and its x, y, z", 6, line)
        x = np.array((values + [0.0] * 3)[:3])
        if kind == "C":
            x = np.array([x[0] * math.cos(math.radians(x[1])), x[0] * math.sin(math.radians(x[1])), x[2]])
        label = int(number)
        if label in scope.nodes:
            raise ModelError(f"{where}: there is a node {label} already; give each node its own number")
        scope.nodes[label] = origin + axes @ x
        own.append(label)
    if len(scope.nodes) > MOST_NODES:
        raise ModelError(f"{s.where}: more than {MOST_NODES} nodes")
    if s.given.get("NSET"):
        _into(scope.node_sets, scope, s.given["NSET"], own)


def _elements(s: _Statement, scope: Scope) -> None:
    kind = s.given.get("TYPE", "").upper()
    count = node_count(kind)
    row: list[int] = []
    start = s.where
    own = []

    def close() -> None:
        if len(row) < 2 or (count and len(row) != count + 1):
            raise ModelError(
                f"{start}: an element {kind} has {max(0, len(row) - 1)} nodes instead of {count or 'one or more'}"
            )
        if row[0] in scope.elements:
            raise ModelError(f"{start}: there is an element {row[0]} already; give each element its own number")
        scope.elements[row[0]] = kind, tuple(row[1:]), start
        own.append(row[0])

    for where, line in s.rows:
        if not row:
            start = where
        try:
            row += [int(w) for w in line.rstrip(",").split(",")]
        except ValueError:
            raise ModelError(f"{where}: '{line[:40]}' is not an element; give its number and its nodes") from None
        if count is None and line.endswith(","):
            continue
        if count is not None and len(row) < count + 1 and (line.endswith(",") or count > 10):
            continue
        close()
        row = []
    if row:
        close()
    if s.given.get("ELSET"):
        _into(scope.element_sets, scope, s.given["ELSET"], own)


def _into(table: dict[str, list[int]], scope: Scope, name: str, own: list[int]) -> None:
    scope.spelt.setdefault(name.upper(), name)
    table.setdefault(name.upper(), []).extend(own)


def _sets(s: _Statement, scope: Scope, instances: list[Instance]) -> None:
    """*NSET and *ELSET: numbers, GENERATE, names of other sets; of an assembly those of INSTANCE=."""
    name = s.given.get(s.keyword, "")
    if not name:
        raise ModelError(f"{s.where}: *{s.keyword} has no name; give *{s.keyword}, {s.keyword}=name")
    if s.given.get("INSTANCE"):
        named = s.given["INSTANCE"].upper()
        target = next((i.scope for i in instances if i.name.upper() == named), None)
        if target is None:
            raise ModelError(
                f"{s.where}: *{s.keyword} references instance {s.given['INSTANCE']}, which is not defined before it"
            )
        scope = target
    table = scope.node_sets if s.keyword == "NSET" else scope.element_sets
    own: list[int] = []
    if s.keyword == "NSET" and s.given.get("ELSET"):
        for e in scope.element_sets.get(s.given["ELSET"].upper(), ()):
            own += scope.elements[e][1]
    for where, line in s.rows:
        words = [w.strip() for w in line.rstrip(",").split(",")]
        if "GENERATE" in s.given:
            if not 2 <= len(words) <= 3 or not all(w.isdecimal() and len(w) < 18 for w in words):
                raise ModelError(f"{where}: '{line[:40]}' is not first, last, step of a set")
            first, last, step = (*map(int, words), 1)[:3]
            if step < 1 or (last - first) // step > MOST_NODES:
                raise ModelError(f"{where}: '{line[:40]}' has more than {MOST_NODES} members, or no step")
            own += range(first, last + 1, step)
            continue
        for w in words:
            if w.isdecimal() and len(w) < 18:
                own.append(int(w))
            else:  # another set, of this scope or as INSTANCE.SET
                instance, dot, inner = w.strip('"').rpartition(".")
                other = next((i.scope for i in instances if dot and i.name.upper() == instance.upper()), None)
                there = (other or scope).node_sets if s.keyword == "NSET" else (other or scope).element_sets
                if other is None:
                    own += there.get(w.strip('"').upper(), [])
                else:  # the union of an assembly is kept by instance
                    _into(
                        other.node_sets if s.keyword == "NSET" else other.element_sets,
                        other,
                        name,
                        there.get(inner.upper(), []),
                    )
    _into(table, scope, name, own)


def _copied(part: Scope, name: str) -> Scope:
    return Scope(
        name,
        {k: v.copy() for k, v in part.nodes.items()},
        dict(part.elements),
        {k: list(v) for k, v in part.node_sets.items()},
        {k: list(v) for k, v in part.element_sets.items()},
        dict(part.spelt),
    )


def _place(scope: Scope, s: _Statement) -> None:
    """Move the nodes of an instance: translation, then rotation about an axis by two points, degrees."""
    rows = [_numbers(where, line, "translation, or axis and angle, of *INSTANCE", 7) for where, line in s.rows[:2]]
    if not rows or not scope.nodes:
        return
    labels = list(scope.nodes)
    x = np.array([scope.nodes[k] for k in labels]) + (rows[0] + [0.0] * 3)[:3]
    if len(rows) == 2:
        if len(rows[1]) != 7:
            raise ModelError(f"{s.where}: the rotation of *INSTANCE needs two points of its axis and an angle")
        a, b, angle = np.array(rows[1][:3]), np.array(rows[1][3:6]), math.radians(rows[1][6])
        if not np.linalg.norm(b - a) > 0.0:
            raise ModelError(f"{s.where}: the two points of the axis of *INSTANCE coincide; give different ones")
        e = (b - a) / np.linalg.norm(b - a)
        r = x - a
        x = a + r * math.cos(angle) + np.cross(e, r) * math.sin(angle) + np.outer(r @ e, e) * (1.0 - math.cos(angle))
    scope.nodes = dict(zip(labels, x))


def cell_kind(kind: str) -> str | None:
    """Kind of cell (`cells.CELLS`, and "wedge", "pyramid", "line", "vertex") of an element type such as C3D10M, S4R or
    DC3D8; None where it is not known."""
    for beginnings, by_count in _FAMILIES:
        for first in beginnings:
            if kind.startswith(first):
                digits = kind[len(first) :]
                digits = digits[: len(digits) - len(digits.lstrip("0123456789"))]
                if digits in by_count:
                    return by_count[digits]
    return next((cell for name, cell in _OTHERS if kind.startswith(name)), None)


def node_count(kind: str) -> int | None:
    """How many nodes an element of a type has, None where the type is not known or may have any number."""
    return {
        "tetra": 4,
        "tetra10": 10,
        "hexahedron": 8,
        "hexahedron20": 20,
        "wedge": 6,
        "wedge15": 15,
        "pyramid": 5,
        "triangle": 3,
        "triangle6": 6,
        "quad": 4,
        "quad8": 8,
        "quad9": 9,
    }.get(cell_kind(kind) or "")


_SOLID = {
    "4": "tetra",
    "5": "pyramid",
    "6": "wedge",
    "8": "hexahedron",
    "10": "tetra10",
    "15": "wedge15",
    "20": "hexahedron20",
}
_FLAT = {"3": "triangle", "4": "quad", "6": "triangle6", "8": "quad8", "9": "quad9"}
_FAMILIES = (
    (("C3D", "DC3D", "AC3D", "DCC3D", "Q3D", "CSS"), _SOLID),
    (("SC", "DSC"), {"6": "wedge", "8": "hexahedron"}),
    (("STRI",), {"3": "triangle", "65": "triangle6"}),
    (("S", "DS", "CPS", "CPE", "CPEG", "CAX", "M3D", "DC2D", "AC2D"), _FLAT),
    # rigid faces carry no stiffness of their own: only their nodes count
    (("R3D",), {"3": "line", "4": "line"}),
)
_OTHERS = (
    ("B21", "line"), ("B22", "line"), ("B23", "line"), ("B31", "line"), ("B32", "line"), ("B33", "line"),
    ("T2D", "line"), ("T3D", "line"), ("PIPE", "line"),
    ("ELBOW", "line"), ("CONN", "line"), ("SPRING", "line"), ("DASHPOT", "line"), ("MASS", "vertex"),
    ("ROTARYI", "vertex"), ("DCOUP", "line"),
    ("RB", "line"), ("SFM", "line"), ("GAP", "line"), ("ITT", "line"), ("HEATCAP", "vertex"), ("ACIN", "line"),
    ("FRAME", "line"), ("JOINT", "line"),
)  # fmt: skip
