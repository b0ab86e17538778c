"""The two registers of types of shapes agree, and a shape of a file of its own has everything by its rows."""

from __future__ import annotations

import numpy as np
import pytest

import holonom as hn
from holonom.contact import shapes
from holonom.contact.shape_kinds import CORES, ROLLS, ROWS, ContactKind, check_served, contact_parts
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


@pytest.mark.parametrize(
    ("row", "by", "match"),
    [
        (ContactKind("", core="DRUM", margin=3, radii=(0, 1, 2)), "FRUSTUM", "do not read a margin"),
        (ContactKind("", core="ELLIPSOID", margin=3), "ELLIPSOID", "do not read a margin"),
        (ContactKind("", core="HULL", margin=0), "HULL", "do not read a margin"),
        (ContactKind("", core="DRUM", radii=(1, 0, 2)), "FRUSTUM", "columns"),
        (ContactKind("", core="BOX"), "FRUSTUM", "core DRUM"),
        (ContactKind("", mesh=True), "BOX", "core BOX"),
    ],
)
def test_kernels_that_would_misread_a_shape_are_refused(monkeypatch, row, by, match):
    """A rounded disc that was served by the kernels of a frustum lay 20 mm deep in the floor."""
    monkeypatch.setitem(ROWS, "BOX_OF_ANOTHER", row)
    with pytest.raises(ValueError, match=match):
        check_served("BOX_OF_ANOTHER", by)


def test_pairs_ask_for_it(monkeypatch):
    monkeypatch.setitem(ROWS, "ROUNDED_BOX", ContactKind("", core="DRUM", margin=3))
    with pytest.raises(ValueError, match="ROUNDED_BOX: kernels of BOX cannot serve it"):
        shapes.pair("PLANE", "ROUNDED_BOX")


def test_every_shape_is_served_by_kernels_that_read_it():
    for name in SHAPES:
        check_served(name, shape_kind(name).meets_as)


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
