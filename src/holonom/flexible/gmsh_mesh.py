"""Meshes of gmsh (.msh), formats 2.2, 4.0 and 4.1, as text and binary, whether all elements were saved or those of
physical groups.

Format: gmsh reference manual, "MSH file format".  Elements have the physical groups of their entity, which may be none
or several.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..model.base import ModelError
from .mesh_tables import MOST_NODES, MeshTables

#: element type of gmsh -> kind of cell, nodes, order of the nodes in `cells` (None: the same)
TYPES: dict[int, tuple[str, int, tuple[int, ...] | None]] = {
    1: ("line", 2, None), 2: ("triangle", 3, None), 3: ("quad", 4, None), 4: ("tetra", 4, None),
    5: ("hexahedron", 8, None), 6: ("wedge", 6, None),
    7: ("pyramid", 5, None), 8: ("line3", 3, None), 9: ("triangle6", 6, None), 10: ("quad9", 9, None),
    11: ("tetra10", 10, (0, 1, 2, 3, 4, 5, 6, 7, 9, 8)),
    12: ("hexahedron27", 27, (0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15, 22, 23, 21, 24, 20,
    25, 26)), 13: ("wedge18", 18, None),
    14: ("pyramid14", 14, None), 15: ("vertex", 1, None), 16: ("quad8", 8, None),
    17: ("hexahedron20", 20, (0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15)),
    18: ("wedge15", 15, None), 19: ("pyramid13", 13, None),
    26: ("line4", 4, None),
}  # fmt: skip


class _Reader:
    """Numbers of a section, one type after another, from text or from bytes."""

    def __init__(self, data: bytes, binary: bool, size: int) -> None:
        self.data, self.binary, self.size, self.at = data, binary, size, 0
        self.words: list[bytes] = [] if binary else data.split()

    def take(self, kind: str, count: int) -> np.ndarray:
        """The next numbers of a kind: "i" int, "n" size_t, "d" double.  Raises ValueError at the end."""
        if count < 0 or count > 40 * MOST_NODES:
            raise ValueError(f"a count of {count}")
        if not self.binary:
            words = self.words[self.at : self.at + count]
            if len(words) < count:
                raise ValueError("the section is cut off")
            self.at += count
            return (
                np.array(words, dtype=np.bytes_).astype(float if kind == "d" else np.int64)
                if count
                else np.zeros(0, np.int64)
            )
        form = {"i": "<i4", "n": f"<u{self.size}", "d": "<f8"}[kind]
        length = count * np.dtype(form).itemsize
        if self.at + length > len(self.data):
            raise ValueError("the section is cut off")
        out = np.frombuffer(self.data, form, count, self.at)
        self.at += length
        return out if kind == "d" else out.astype(np.int64)

    def one(self, kind: str) -> int:
        """The next whole number."""
        return int(self.take(kind, 1)[0])


def read_gmsh_mesh(path: Path) -> dict[str, Any]:
    """Fields of `mesh.Mesh`; nodes keep their tags.  Raises `ModelError` for what is damaged, partitioned or of another
    format."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ModelError(f"'{path}' cannot be read: {error.strerror}") from None
    sections = _sections(path, data)
    head = sections.get("MeshFormat", b"").split(b"\n", 1)
    match = re.match(rb"\s*(\d+)(?:\.(\d+))?\s+([01])\s+(4|8)\b", head[0])
    version = (int(match[1]), int(match[2] or 0)) if match else (0, 0)
    if match is None or version not in ((2, 0), (2, 1), (2, 2), (4, 0), (4, 1)):
        raise ModelError(f"'{path}' is not a mesh of gmsh in format 2.2, 4.0 or 4.1; save it with -format msh41")
    binary, size = match[3] == b"1", int(match[4])
    if binary and head[1][:4] != b"\x01\x00\x00\x00":
        raise ModelError(f"'{path}' is binary with the other order of bytes; save it as text")
    if "PartitionedEntities" in sections:
        raise ModelError(f"'{path}' is partitioned; save it without partitions")
    missing = [name for name in ("Nodes", "Elements") if name not in sections]
    if missing:
        raise ModelError(f"'{path}' has no section ${missing[0]}, or it is cut off")
    tables = MeshTables(path)
    try:
        names = _physical_names(sections.get("PhysicalNames", b""))
        name = lambda dimension, tag: names.get((dimension, tag), str(tag))
        of_section: Callable[[str], _Reader] = lambda word: _Reader(sections.get(word, b""), binary, size)
        if version[0] == 2:
            _version_2(tables, of_section, binary, name, sections)
        else:
            groups = _entities(of_section("Entities"), version) if "Entities" in sections else {}
            _nodes_4(tables, of_section("Nodes"), version)
            _elements_4(tables, of_section("Elements"), version, groups, name)
    except (ValueError, IndexError, OverflowError) as error:
        raise ModelError(f"'{path}' cannot be read as a mesh of gmsh: {error}; it may be damaged") from None
    return tables.finish()


def _sections(path: Path, data: bytes) -> dict[str, bytes]:
    """Bytes between $Name and $EndName."""
    out, at = {}, 0
    begin = re.compile(rb"^\$([A-Za-z]+)[ \t\r]*\n", re.MULTILINE)
    while (found := begin.search(data, at)) is not None:
        name = found[1].decode()
        end = data.find(b"$End" + found[1], found.end())
        if end < 0:
            raise ModelError(f"'{path}': the section ${name} has no $End{name}; the file is cut off")
        out.setdefault(name, data[found.end() : end])
        at = end + len(name) + 4
    return out


def _physical_names(data: bytes) -> dict[tuple[int, int], str]:
    found = re.findall(rb'^\s*(\d+)\s+(\d+)\s+"(.*)"\s*$', data, re.MULTILINE)
    return {(int(d), int(t)): text.decode("utf-8", "replace") for d, t, text in found}


def _entities(r: _Reader, version: tuple[int, int]) -> dict[tuple[int, int], list[int]]:
    """(dimension, tag) of an entity -> its physical groups."""
    counts = r.take("n", 4)
    out = {}
    for dimension, count in enumerate(counts):
        for _ in range(int(count)):
            tag = r.one("i")
            r.take("d", 3 if dimension == 0 and version == (4, 1) else 6)
            own = [int(k) for k in r.take("i", r.one("n"))]
            if dimension:
                r.take("i", r.one("n"))
            out[dimension, tag] = [abs(k) for k in own]
    return out


def _nodes_4(tables: MeshTables, r: _Reader, version: tuple[int, int]) -> None:
    blocks = r.one("n")
    r.take("n", 3 if version == (4, 1) else 1)
    for _ in range(blocks):
        a, b, parametric = (int(v) for v in r.take("i", 3))
        dimension = a if version == (4, 1) else b
        count, wide = r.one("n"), 3 + (dimension if parametric else 0)
        if version == (4, 1):
            labels = r.take("n", count)
            at = r.take("d", wide * count).reshape(-1, wide)
        elif r.binary:
            record = np.dtype([("tag", "<i4"), ("x", "<f8", (wide,))])
            rows = np.frombuffer(r.data, record, count, r.at)
            r.at += record.itemsize * count
            labels, at = rows["tag"], rows["x"]
        else:
            rows = r.take("d", (wide + 1) * count).reshape(-1, wide + 1)
            labels, at = rows[:, 0].astype(np.int64), rows[:, 1:]
        tables.add_nodes(labels.tolist(), at[:, :3])


def _elements_4(
    tables: MeshTables, r: _Reader, version: tuple[int, int], groups: dict, name: Callable[[int, int], str]
) -> None:
    blocks = r.one("n")
    r.take("n", 3 if version == (4, 1) else 1)
    for _ in range(blocks):
        a, b, kind = (int(v) for v in r.take("i", 3))
        dimension, entity = (a, b) if version == (4, 1) else (b, a)
        count = r.one("n")
        cell, nodes, order = _type(kind)
        rows = r.take("n" if version == (4, 1) else "i", count * (nodes + 1)).reshape(-1, nodes + 1)[:, 1:]
        own = [name(dimension, tag) for tag in groups.get((dimension, entity), ())]
        for row in (rows[:, order] if order else rows).tolist():
            reference = tables.add_cell(cell, tuple(row))
            for group in own:
                tables.add_region(group, reference)


def _type(kind: int) -> tuple[str, int, tuple[int, ...] | None]:
    if kind not in TYPES:
        raise ValueError(f"the element type {kind}, which has no elements here")
    return TYPES[kind]


def _version_2(
    tables: MeshTables,
    of_section: Callable[[str], _Reader],
    binary: bool,
    name: Callable[[int, int], str],
    sections: dict,
) -> None:
    """Nodes and elements of format 2; an element of several physical groups is written once for each of them, and is
    one cell."""
    if binary:  # counts are text
        text, _, data = sections["Nodes"].partition(b"\n")
        rows = np.frombuffer(data, np.dtype([("tag", "<i4"), ("x", "<f8", (3,))]), int(text))
        tables.add_nodes(rows["tag"].tolist(), rows["x"])
    else:
        r = of_section("Nodes")
        rows = r.take("d", 4 * r.one("i")).reshape(-1, 4)
        tables.add_nodes(rows[:, 0].astype(np.int64).tolist(), rows[:, 1:])
    known: dict[tuple[str, tuple[int, ...]], Any] = {}

    def add(kind: int, tags: list[int], row: list[int]) -> None:
        cell, nodes, order = _type(kind)
        own = tuple(row[k] for k in order) if order else tuple(row)
        if (cell, own) not in known:
            known[cell, own] = tables.add_cell(cell, own)
        dimension = (
            0 if cell == "vertex" else 1 if cell.startswith("line") else 2 if cell[:4] in ("tria", "quad") else 3
        )
        if tags and tags[0] != 0:
            tables.add_region(name(dimension, abs(tags[0])), known[cell, own])

    if binary:
        text, _, data = sections["Elements"].partition(b"\n")
        r, left = _Reader(data, True, 4), int(text)
        while left > 0:
            kind, count, extra = (int(v) for v in r.take("i", 3))
            nodes = _type(kind)[1]
            if count < 1:
                raise ValueError("a block without elements")
            for row in r.take("i", count * (1 + extra + nodes)).reshape(count, -1).tolist():
                add(kind, row[1 : 1 + extra], row[1 + extra :])
            left -= count
        return
    r = of_section("Elements")
    for _ in range(r.one("i")):
        _, kind, extra = (int(v) for v in r.take("i", 3))
        tags = r.take("i", extra).tolist()
        add(kind, tags, r.take("i", _type(kind)[1]).tolist())
