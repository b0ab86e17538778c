"""Shapes given by points in ground are where they were requested, and keep their colour."""

import numpy as np
import pytest

import holonom as hn
from holonom.formats.adams import parse_adm
from holonom.model import drawing
from holonom.results.pages.animation import _bodies
from holonom.results.pictures.geometry import COLORS, build_look


@pytest.fixture
def model():
    model = hn.Model("shapes")
    turned = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]])
    model.part("arm", 1.0, (1, 1, 1), (2, 3, 4), axes=turned)
    return model


def corners(model):
    """Box around everything drawn on the arm, in ground."""
    look = build_look(model)
    assert not look.missing
    key = ("PART", model.find("PART", "arm").id)
    origin, axes = look.placement[key]
    points = np.vstack([origin + s.points @ axes.T for s in look.shapes if s.body == key])
    return points.min(0), points.max(0)


@pytest.mark.parametrize(
    "draw, low, high",
    [
        (lambda m: drawing.rod(m, "arm", (0, 0, 0), (5, 0, 0), 0.5), (0, -0.5, -0.5), (5, 0.5, 0.5)),
        (lambda m: drawing.rod(m, "arm", (0, 0, 0), (0, 5, 0), 0.5, 0.1), (-0.5, 0, -0.5), (0.5, 5, 0.5)),
        (lambda m: drawing.block(m, "arm", (1, 1, 1), (2, 4, 6)), (0, -1, -2), (2, 3, 4)),
        (lambda m: drawing.beam(m, "arm", (0, 0, 0), (0, 8, 0), 1.0, 2.0), (-0.5, 0, -1), (0.5, 8, 1)),
        (lambda m: drawing.pin(m, "arm", (1, 1, 1), (0, 0, 2), 0.5, 4.0), (0.5, 0.5, -1), (1.5, 1.5, 3)),
        (lambda m: drawing.ball(m, "arm", (1, 2, 3), 2.0), (0, 1, 2), (2, 3, 4)),
        (lambda m: drawing.ring(m, "arm", (0, 0, 0), (0, 0, 1), 3.0, 0.5), (-3.5, -3.5, -0.5), (3.5, 3.5, 0.5)),
    ],
)
def test_places(model, draw, low, high):
    draw(model)
    found_low, found_high = corners(model)
    assert found_low == pytest.approx(low, abs=0.03) and found_high == pytest.approx(high, abs=0.03)


def test_colours_reach_the_picture_and_the_dataset(model):
    drawing.ball(model, "arm", (0, 0, 0), 1.0, color="red")
    drawing.ball(model, "arm", (1, 0, 0), 1.0)
    for machine in (model, parse_adm(hn.write_adams(model))):
        look = build_look(machine)
        body = next(b for b in _bodies(list(look.bodies), look) if b["name"] == "arm")
        assert sorted(m.get("color", "") for m in body["meshes"]) == ["", COLORS["RED"]]


def test_rope_takes_the_place_of_the_automatic_coil(model):
    a, b = model.marker_at("arm", (0, 0, 0)), model.marker_at(model.ground, (0, 0, 5))
    model.spring_damper(a, b, stiffness=1.0)
    assert build_look(model).springs[0].coils > 0
    drawing.rope(model, a, b, 0.1)
    (spring,) = build_look(model).springs
    assert (spring.coils, spring.db, spring.lc) == (0, 0.1, 2.5)
