"""The two registers of types of shapes agree, and a shape of a file of its own has everything by its rows."""

from __future__ import annotations

import numpy as np
import pytest

import holonom as hn
from holonom.contact.shape_kinds import CORES, ROLLS, ROWS, contact_parts
from holonom.contact.tables import SHAPE_TYPES
from holonom.model.contact_pairs import PAIRS, kernel_module
from holonom.model.shape import shape_of
from holonom.model.shape_kinds import SHAPES, readers, shape_kind


def test_every_shape_has_a_row_in_both_registers():
    assert tuple(SHAPES) == tuple(ROWS) == SHAPE_TYPES
    for name in SHAPES:
        kind, row = shape_kind(name), ROWS[name]
        assert kind.name == name and contact_parts(name).surface
        assert row.core in CORES and row.rolls in ROLLS
        columns = [c for c in (row.margin, *row.radii, row.inside, row.caps, row.endless, row.twist) if c >= 0]
        assert all(c < len(kind.parameters) for c in columns), name
        assert kind.lengths <= len(kind.parameters)
        assert bool(row.mesh) == (kind.meets_as == "MESH") and set(row.holds) <= set(SHAPES)
    assert all(type == type.upper() for type in readers())


def test_pairs_follow_from_the_type_whose_kernels_serve():
    for a in SHAPES:
        for b in SHAPES:
            assert kernel_module(a, b) == kernel_module(b, a)
            missing = not kernel_module(a, b)
            assert missing == ({a, b} in ({"POINT"}, {"PLANE"}))
    assert all(list(SHAPES).index(a) <= list(SHAPES).index(b) for a, b in PAIRS)


@pytest.mark.parametrize("make", ["rounded_box", "height_field"])
def test_a_shape_of_a_file_of_its_own_has_everything(make):
    """Builder, form for a part, JSON, picture, mass: from the rows alone."""
    arguments = {
        "rounded_box": {"at": (0.1, 0.2, 0.3), "size": (0.4, 0.3, 0.2), "radius": 0.05},
        "height_field": {
            "heights": [[0.0, 0.1, 0.0], [0.1, 0.2, 0.1]],
            "spacing": 0.2,
            "at": (0.1, 0.2, 0.3),
            "thickness": 0.05,
        },
    }[make]
    m = hn.Model()
    part = m.part("part", shape=getattr(hn.shapes, make)(**arguments), density=1000.0)
    solid = shape_of(m, m.table("GRAPHICS")[1])
    assert part.mass == pytest.approx(1000.0 * shape_kind(solid.kind).volume(solid))
    again = hn.Model.from_json(m.to_json())
    other = shape_of(again, again.table("GRAPHICS")[1])
    assert other.par == solid.par and other.kind == solid.kind
    np.testing.assert_array_equal(other.frame.origin, solid.frame.origin)
    from holonom.results.pictures.geometry import build_look

    look = build_look(again)
    assert not look.missing and any(s.triangles is not None and len(s.triangles) for s in look.shapes)
    assert hn.shapes.Shape and make in hn.shapes.NAMES
