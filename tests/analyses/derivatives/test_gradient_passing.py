"""Points of a force along their line that pass through each other are reported: the force turns round there."""

import pytest

import holonom as hn


def falling(length=0.3, kind="SPRINGDAMPER", beside=0.0, value=2.0):
    m = hn.Model("falling")
    m.gravity = (0, 0, -9.81)
    f = m.parameter("f", value)
    body = m.part("s", 2.0, (0.1,) * 3, (0, 0, 0.4))
    m.translational(body, m.ground, at=(0, 0, 0.4), axis=(0, 0, 1))
    anchor = m.marker_at(m.ground, (beside, 0, 0))
    if kind == "SPRINGDAMPER":
        m.spring_damper(body.cm, anchor, stiffness=f * 10, damping=0.1, length=length)
    else:
        m.sforce(body.cm, anchor, f"{f}")
    return m, hn.final(f"DZ({body.cm})")


@pytest.mark.parametrize("kind", ["SPRINGDAMPER", "SFORCE"])
def test_points_that_pass_through_each_other_are_reported(kind):
    m, place = falling(kind=kind)
    [warning] = [w for w in hn.gradient(m, place, ["f"], end=0.5).warnings if "pass through" in w]
    assert warning.startswith(f"{kind}/1 ")


def test_no_report_where_the_force_does_not_turn_round():
    """A spring without free length pulls less and less; points that pass beside each other turn it gradually; points
    that part do not meet."""
    for given, end in (({"length": 0.0}, 0.5), ({"beside": 0.05}, 0.5), ({}, 0.2)):
        m, place = falling(**given)
        assert not [w for w in hn.gradient(m, place, ["f"], end=end).warnings if "pass through" in w]


def test_a_spring_without_free_length_has_the_right_derivative():
    m, place = falling(length=0.0)
    found = hn.gradient(m, place, ["f"], end=0.5, error=1e-11)["f"]
    other = []
    for f in (2.001, 1.999):
        m, place = falling(length=0.0, value=f)
        other.append(float(hn.gradient(m, place, ["f"], end=0.5, error=1e-11).value))
    assert found == pytest.approx((other[0] - other[1]) / 0.002, rel=1e-6)
