"""Gradients of flexible bodies whose surfaces touch: an equilibrium on a plane, a drop against differences of runs."""

import pytest
from test_gradient import SIX, check

import holonom as hn
from holonom.model.base import ModelError


def block(bottom=0.0, speed=0.0):
    """A rubber block that slides up and down above a plane, with a surface contact of its bottom."""
    m = hn.Model("block")
    m.gravity = (0, 0, -9.81)
    part = m.part("block", 1.0, (1, 1, 1), (0, 0, bottom + 0.05), velocity=(0, 0, speed))
    floor = m.plane(m.ground, (0, 0, 0), (0, 0, 1))
    mesh = hn.flexible.box((-0.1, -0.1, bottom), (0.1, 0.1, bottom + 0.1), (1, 1, 1), "hexahedron")
    with pytest.warns(hn.ModelWarning):
        body = m.make_flexible(
            part, mesh, hn.flexible.Material(1e6, 0.3, 1000.0), contact="z-", modes=2, damping=0.05, interfaces=[5]
        )
    m.translational(part, m.ground, at=(-0.1, -0.1, bottom + 0.1), axis=(0, 0, 1))
    law = m.surface_contact(part, floor, mu=0.3, transition=0.5, damping=0.05)
    return m, part, body, law


def test_a_block_at_rest_by_gravity():
    def at_rest(g):
        m, part, _, _ = block(-1e-4)
        m.gravity = (0, 0, -g)
        return hn.gradient(m, hn.final(f"1e3*DZ({part.cm})"), "GRAVITY", kind="statics")

    found = at_rest(9.81)
    near = sum(w * at_rest(9.81 * (1 - 0.01 * k)).value for k, w in SIX.items())
    assert found["GRAVITY"][2] == pytest.approx(near / 0.0981, rel=1e-7)


def test_a_drop_by_its_numbers():
    """The block is on the floor all the time: a point that leaves it is a kink that no step ends at."""
    m, part, body, law = block(-2e-4, -0.02)
    numbers = ["GRAVITY", f"FLEXIBILITY/{body.id}.DAMPING", f"PART/{part.id}.VZ"]
    functional = hn.final(f"1e3*DZ({part.cm})+10*VZ({part.cm})")
    check(m, functional, numbers, 3e-4, 1e-7, error=1e-11, compare=False)


def test_numbers_of_the_contact_have_no_derivative_yet():
    m, part, _, law = block(-1e-4)
    with pytest.raises(ModelError, match="it enters numbers of SURFACE_CONTACT"):
        hn.gradient(m, hn.final(f"DZ({part.cm})"), law.number("stiffness"), kind="statics")
