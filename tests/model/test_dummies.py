"""Parts without mass or inertia between joints: what replaces it is reported, and moves as it would without."""

import numpy as np
import pytest

import holonom as hn
from holonom.formats.adams import parse_adm
from holonom.model.dummies import SHARE
from holonom.model.validate import faults

UNITS = (
    "test\nUNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=METER, TIME=SECOND\nPART/1, GROUND\nMARKER/10, "
    "PART=1\nACCGRAV/KGRAV=-9.80665\n"
)


def told(run):
    return [text for text in (*run.info["messages"], *run.info.get("warnings", ())) if "used instead" in text]


def test_a_dummy_fixed_to_a_part():
    m = parse_adm(
        UNITS + "PART/2, MASS=1, CM=20, IP=1,1,1\nMARKER/20, PART=2\nPART/3\nMARKER/30, PART=3\nJOINT/1, FIXED, I=30, "
        "J=20\nEND\n",
        "fixed.adm",
    )
    run = hn.simulate(m, 0.5, 5)
    assert run.part(3).position.values[-1, 2] == pytest.approx(-0.5 * 9.80665 * 0.25, rel=1e-9)
    (text,) = told(run)
    assert text.startswith("PART/3") and "it has no mass; 1e-06" in text
    assert np.abs(run.joint(1).force.values).max() < 1e-4  # it weighs a millionth
    assert run.part(3).momentum.values[-1, 2] == pytest.approx(-SHARE * 9.80665 * 0.5, rel=1e-6)


def test_a_mass_without_inertia_on_a_slider():
    m = parse_adm(
        UNITS + "PART/2, MASS=2, CM=20\nMARKER/20, PART=2\nJOINT/1, TRANSLATIONAL, I=20, J=10\nEND\n", "slider.adm"
    )
    run = hn.simulate(m, 0.5, 5)
    assert run.part(2).position.values[-1, 2] == pytest.approx(-0.5 * 9.80665 * 0.25, rel=1e-9)
    assert len(told(run)) == 1 and "it has mass but no inertia" in told(run)[0]


@pytest.mark.parametrize("integrator", ["DOP853", "GSTIFF", "HHT"])
def test_a_cross_without_mass_is_a_universal_joint(integrator):
    """Two revolute joints across each other on a dummy hold what a UNIVERSAL holds."""

    def pendulum(cross):
        m = hn.Model("cross")
        m.gravity = (0, 0, -9.81)
        rod = m.part(
            "rod", 2.0, (0.1, 0.2, 0.3), (0.3, 0.1, -0.5), angular_velocity=(1.0, 2.0, 0.0) if not cross else None
        )
        if cross:
            rod.wx, rod.wy, rod.wz = 1.0, 2.0, 0.0
            between = m.part("between", None, None, (0, 0, 0))
            m.revolute(between, m.ground, at=(0, 0, 0), axis=(1, 0, 0))
            m.revolute(rod, between, at=(0, 0, 0), axis=(0, 1, 0))
        else:
            m.joint(
                "UNIVERSAL", m.marker_at(rod, (0, 0, 0), z=(0, 1, 0)), m.marker_at(m.ground, (0, 0, 0), z=(1, 0, 0))
            )
        return m

    options = {"integrator": integrator, "error": 1e-9 if integrator == "DOP853" else 1e-7}
    one, two = (hn.simulate(pendulum(c), 1.0, 20, **options) for c in (True, False))
    assert np.abs(one.part("rod").position.values - two.part("rod").position.values).max() < 2e-4
    assert len(told(one)) == 1 and not told(two)


def test_what_no_joint_holds_needs_a_mass():
    m = hn.Model("free")
    m.part("loose", None, None)
    assert any("no mass, and no joint holds it" in text for text in faults(m))
    m.parts[2].mass = -1.0
    m.revolute(m.parts[2], m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    assert any("its mass must be positive" in text for text in faults(m))
