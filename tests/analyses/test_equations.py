"""Unknowns and equations by name, as Adams' theory lists those of its pendulum."""

from __future__ import annotations

import holonom as hn


def pendulum(second=False) -> hn.Model:
    m = hn.Model("pendulum")
    m.gravity = (0, 0, -9.80665)
    rod = m.part("rod", 2.0, (0.001, 0.167, 0.167), (0.5, 0, 0))
    m.revolute(rod, m.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    if second:
        m.spherical(rod, m.ground, "tip", at=(1, 0, 0))
    return m


def test_a_pendulum_has_18_unknowns_and_18_equations():
    """13 of the part (7 coordinates, 6 velocities) and a multiplier for each of 5 constraint equations."""
    found = hn.equations(pendulum())
    assert found.degrees_of_freedom == 1
    assert sum(len(u.names) for u in found.unknowns) == sum(e.size for e in found.equations) == 18
    names = [e.name for e in found.equations]
    assert names[4:] == [f"{n} in pendulum.pin" for n in ("Xi-Xj", "Yi-Yj", "Zi-Zj", "Zi.Xj", "Zi.Yj")]
    text = str(found)
    assert "1-3  rod: force balance             2 v' = m g - G_r^T lam(pin)[1, 2, 3, 4, 5]" in text
    assert "diag(0.001, 0.167, 0.167) w' = -w x J w - G_t^T lam(pin)[1, 2, 3, 4, 5]" in text
    assert text.startswith("model pendulum, 1 degree of freedom")


def test_redundant_equations_are_marked_and_have_no_multiplier():
    found = hn.equations(pendulum(second=True))
    left_out = [e for e in found.equations if e.redundant]
    assert len(left_out) == 2 and found.degrees_of_freedom == 0  # 6 - (5 + 3) + 2
    assert (
        sum(len(u.names) for u in found.unknowns) == sum(e.size for e in found.equations if not e.redundant) == 13 + 6
    )
    assert str(found).count("(redundant: left out)") == 2


def test_motions_couplers_states_and_forces_have_their_own_words():
    m = pendulum()
    other = m.part("wheel", 1.0, (1, 1, 1), (0, 0, 0))
    m.revolute(other, m.ground, "axle", at=(0, 0, 0), axis=(0, 1, 0))
    m.coupler(("pin", "axle"), (2.0, -3.0), name="belt")
    m.motion("pin", "SIN(TIME)", "drive")
    m.spring_damper(m.marker("rod", (0.5, 0, 0)), m.marker(m.ground, (0, 0, 1)), stiffness=2.0, name="spring")
    m.diff("-DIF(1)", ic=1.0, name="lag")
    texts = {e.name: e.text for e in hn.equations(m).equations}
    assert (
        texts["coupling in pendulum.belt"].startswith("2 angle(")
        and " - 3 angle(" in texts["coupling in pendulum.belt"]
    )
    assert texts["motion B3 in pendulum.drive"].endswith("= SIN(TIME)")
    assert "f(spring)" in texts["rod: force balance"] and "f(spring)" not in texts["wheel: force balance"]
    assert texts["DIFF_1"] == "DIFF_1' = -DIF(1)"
