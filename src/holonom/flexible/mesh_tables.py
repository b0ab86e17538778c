"""Nodes, cells, node groups and cell regions of a mesh while a file is read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .._warnings import warn_model
from ..model.base import ModelError
from .cells import CELLS

MOST_NODES = 2_000_000
#: cells without volume or area: only their nodes count, in groups
THIN = ("vertex", "line", "line3", "line4")


def warn_of_left_out(path: Any, counts: dict[str, int]) -> None:
    """Warn of what a file holds besides its solids and shells: statement -> how many."""
    if counts:
        words = ", ".join(f"{n} {name}" for name, n in sorted(counts.items()))
        warn_model(
            f"'{path}': {words} are left out, and with them their mass and stiffness; put masses on parts, and tie "
            "nodes with holonom.flexible.spider"
        )


class MeshTables:
    """Collects the tables of a `mesh.Mesh`; node labels are those of the file and become indices in `finish`.

    ``path``: the file, for messages.
    """

    def __init__(self, path: Any) -> None:
        self.path = path
        self.labels: list[int] = []
        self.points: list[Any] = []
        self.index: dict[int, int] = {}
        self.cells: dict[str, list[tuple[int, ...]]] = {}
        self.groups: dict[str, list[Any]] = {}
        self.regions: dict[str, dict[str, list[int]]] = {}
        self.unsupported: dict[str, int] = {}

    def add_nodes(self, labels: Iterable[int], points: Iterable[Any]) -> None:
        """Nodes by label, with their positions (length).  Raises `ModelError` for a label that is used twice, and for
        too many nodes."""
        for label, point in zip(labels, points):
            if label in self.index:
                raise ModelError(f"'{self.path}' defines node {label} twice; renumber one of them")
            self.index[label] = len(self.labels)
            self.labels.append(label)
            self.points.append(point)
        if len(self.labels) > MOST_NODES:
            raise ModelError(f"'{self.path}' has more than {MOST_NODES} nodes")

    def add_cell(self, kind: str, nodes: tuple[int, ...], where: str = "") -> tuple[str, int, tuple[int, ...]]:
        """A cell with node labels in the order of `cells`; returns a reference for `add_region`.  Raises `ModelError`
        for a node that is not defined."""
        try:
            own = tuple([self.index[k] for k in nodes])
        except KeyError as error:
            raise ModelError(
                f"{where or self.path}: a {kind} references node {error}, which the file does not define"
            ) from None
        if kind not in CELLS:
            if kind not in THIN:
                self.unsupported[kind] = self.unsupported.get(kind, 0) + 1
            return kind, -1, own
        table = self.cells.setdefault(kind, [])
        table.append(own)
        return kind, len(table) - 1, own

    def add_region(self, name: str, cell: tuple[str, int, tuple[int, ...]]) -> None:
        """Put a cell into a region and its nodes into the group of the same name."""
        kind, number, nodes = cell
        self.groups.setdefault(name, []).extend(nodes)
        if number >= 0:
            self.regions.setdefault(name, {}).setdefault(kind, []).append(number)

    def add_group(self, name: str, labels: Iterable[int]) -> None:
        """Put nodes into a group; labels that are not defined are skipped."""
        self.groups.setdefault(name, []).extend(self.index[k] for k in labels if k in self.index)

    def finish(self) -> dict[str, Any]:
        """Fields of `mesh.Mesh`.  Raises `ModelError` for a file without nodes and for cells that have no finite
        elements here."""
        if not self.labels:
            raise ModelError(f"'{self.path}' has no nodes with x, y, z")
        if self.unsupported:
            kind, many = next(iter(self.unsupported.items()))
            raise ModelError(
                f"'{self.path}' has {many} cells of kind {kind}, which have no elements here; mesh it with "
                f"{', '.join(CELLS)}"
            )
        return {
            "points": np.array(self.points, float).reshape(-1, 3),
            "cells": {kind: np.array(table, np.int64) for kind, table in self.cells.items() if table},
            "ids": self.labels,
            "groups": {name: np.unique(np.array(own, np.int64)) for name, own in self.groups.items() if len(own)},
            "regions": {
                name: {kind: np.array(own, np.int64) for kind, own in kinds.items()}
                for name, kinds in self.regions.items()
            },
        }
