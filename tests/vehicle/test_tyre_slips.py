"""Tyres whose data are in other units, whose marker does not have y along the axle, and wheels that spin in the air."""

from types import SimpleNamespace

import numpy as np
import pytest

import holonom as hn
from _tyres import PASSENGER
from holonom.elements.kinds import FORCES

FIALA = dict(radius=0.3, stiffness=2e5, cslip=1e5, calpha=5e4, umax=1.0)


def wheel(y=(0.0, 1.0, 0.0), units="SI", axle=(0, 1, 0), mass=400.0, **tyre):
    """A wheel of 400 kg that stands on the plane z = 0 and turns about an axle; its tyre has lengths of ``units``."""
    m = hn.Model("m", units=units)
    m.gravity = tuple(g / m.units.si_length for g in (0, 0, -9.81))
    metre = 1.0 / m.units.si_length
    w = m.part("wheel", mass, (10 * metre**2,) * 3, (0, 0, 0.3 * metre))
    carrier = m.part("carrier", 1.0, (1, 1, 1), (0, 0, 0.3 * metre))
    m.revolute(w, carrier, "axle", at=(0, 0, 0.3 * metre), axis=axle)
    third = next(e for e in np.eye(3) if abs(np.dot(e, y)) < 0.1)
    hub = m.marker(w, axes=np.column_stack([np.cross(y, third), y, third]), name="hub")
    m.tyre_fiala(hub, m.marker(m.ground, name="road"), **{**FIALA, **tyre})
    return m


def doubts(m):
    return [w for w in hn.check(m).warnings if "TYRE" in w]


def test_a_sound_tyre_is_not_doubted():
    assert doubts(wheel()) == []
    assert doubts(wheel(units="mm", radius=300.0, stiffness=200.0)) == []
    assert doubts(wheel(y=(0.0, np.cos(0.2), np.sin(0.2)))) == []  # camber
    assert doubts(wheel(stiffness=200.0, load_curve=((0, 0), (0.05, 1e4)))) == []


@pytest.mark.parametrize(
    "words, says",
    [
        ({"radius": 300.0}, "its radius is 300 m, larger than that of any tyre; give it in m"),
        ({"stiffness": 200.0}, "sinks by 19.67 m, 65.6 of its radius; give its vertical stiffness, 200, in N/m"),
        ({"y": (1.0, 0.0, 0.0)}, "y of its MARKER/.*'hub' .* that of JOINT/1 'axle' is 90 degrees from it"),
    ],
)
def test_data_in_other_units_and_a_wrong_axle(words, says):
    found = doubts(wheel(**words))
    assert len(found) == 1 and hn.check(wheel(**words))
    with pytest.raises(AssertionError, match=says):
        raise AssertionError(found[0])


def test_a_wheel_that_lies_flat_is_refused():
    with pytest.raises(hn.ModelError, match="y of its MARKER/.* 'hub' is normal to the road of MARKER/.* 'road'"):
        wheel(y=(0.0, 0.0, 1.0))


def test_every_tyre_has_a_radius():
    m = hn.Model("m")
    i, road = m.marker(m.part("w", 1.0, (1, 1, 1))), m.marker(m.ground)
    assert m.tyre_pac2002(i, road, {**PASSENGER, "UNLOADED_RADIUS": 300.0}).size() == 300.0
    for name in [k for k in FORCES if k.startswith("TYRE_")]:
        fields = FORCES[name].element.__dataclass_fields__
        assert "radius" in fields or "coefficients" in fields, name


@pytest.mark.parametrize("spin, free", [(33.0, False), (-2900.0, True), (300.0, False)])
def test_wheels_that_spin_in_the_air(spin, free):
    m = wheel()
    tyre = m.table("TYRE_FIALA")[1]
    n = 5
    turns = np.outer(np.linspace(0.0, spin, n), (0.0, 1.0, 0.0))
    zero, axes = np.zeros((n, 3)), np.tile(np.eye(3), (n, 1, 1))
    motion = SimpleNamespace(_motion=(zero, axes, zero + (10.0, 0, 0), zero, turns, zero))
    run = SimpleNamespace(model=m, time=np.arange(n), marker=lambda marker: motion)
    found = [t for t in FORCES["TYRE_FIALA"].doubts(tyre, run) if "spins freely" in t]
    assert bool(found) == free
    if free:
        assert "from 1 s on" in found[0] and "its tread is at 870 m/s at time 4" in found[0]


def test_a_rig_refuses_angles_in_degrees():
    rig = hn.vehicle.TyreRig(next(iter(wheel().table("TYRE_FIALA").values())))
    for name in ("alpha", "gamma"):
        with pytest.raises(ValueError, match=f"{name} is 5 rad, a right angle or more; give radians"):
            rig.forces(4000.0, **{name: [0.0, 5.0]})
    assert rig.forces(4000.0, alpha=[0.0, 0.05])["F_y"].shape == (2,)
