"""Forces that read reactions: friction of one's own on constraints of one's own, against closed forms, and what feeds
back strongly."""

import numpy as np
import pytest

import holonom as hn

MU, SPEED, RADIUS = 0.3, 2.0, 1.5


def hoop(kind):
    """A bead on a wire bent to a circle, with friction mu N: m v' = -mu m v^2/R, so s = R/mu ln(1 + mu v0 t/R)."""
    m = hn.Model("hoop")
    m.gravity = (0, 0, 0)
    bead = m.point_mass("bead", 0.7, (RADIUS, 0, 0), velocity=(0, SPEED, 0))
    i = m.marker(bead)
    m.constraint(f"DZ({i.id})", i=i)
    if kind == "GCON":
        m.constraint(f"DM({i.id})-{RADIUS}", i=i, name="wire")
    else:
        m.user_constraint(lambda call: call.measure("DM", i.id) - RADIUS, name="wire")
    m.vforce(i, None, *(f"-{MU}*{kind}(wire,0,1,0)*V{a}({i.id})/VM({i.id})" for a in "XY"))
    m.request("wire", functions={"F2": f"{kind}(wire,0,2,{i.id})", "F3": f"{kind}(wire,1,1,0)"})
    return m


@pytest.mark.parametrize("kind", ["GCON", "UCON"])
@pytest.mark.parametrize(
    "options, within",
    [
        ({"integrator": "DOP853", "error": 1e-7}, 1e-6),
        ({"error": 1e-7}, 1e-4),
        ({"integrator": "GSTIFF", "formulation": "SI2", "error": 1e-7}, 1e-5),
    ],
)
def test_friction_on_a_wire(kind, options, within):
    run = hn.simulate(hoop(kind), 1.0, 20, **options)
    t, p = run.time, run.part("bead").position.values
    s = RADIUS * np.unwrap(np.arctan2(p[:, 1], p[:, 0]))
    speed = SPEED / (1 + MU * SPEED * t / RADIUS)
    assert np.abs(s - RADIUS / MU * np.log1p(MU * SPEED * t / RADIUS)).max() < within
    assert np.abs(np.linalg.norm(run.part("bead").velocity.values, axis=1) - speed).max() < within
    told = run.request("wire").values
    np.testing.assert_allclose(told[:, 2], 0.7 * speed**2 / RADIUS, atol=within)  # on J, which is ground
    x = run.constraint("wire").force.values
    np.testing.assert_allclose(told[:, 1], x[:, 0], atol=1e-12)  # on I, in the axes of the bead, which do not turn


def test_friction_of_a_knife_edge():
    """A reaction of velocities: an edge that turns at w presses with m v w across, so v = v0 exp(-mu w t)."""
    w = 3.0
    m = hn.Model("knife")
    m.gravity = (0, 0, 0)
    b = m.part("b", 1.3, (0.1, 0.1, 0.1), velocity=(SPEED, 0, 0), angular_velocity=(0, 0, w))
    i = m.marker(b)
    m.planar(m.marker(b), m.marker(m.ground))
    m.constraint(f"VY({i.id},0,{i.id})", i=i, name="edge")
    m.vforce(i, None, f"-{MU}*ABS(GCON(edge,0,3,{i.id}))", rm=i)
    run = hn.simulate(m, 1.0, 10, error=1e-8, integrator="DOP853")
    np.testing.assert_allclose(
        np.linalg.norm(run.part("b").velocity.values, axis=1), SPEED * np.exp(-MU * w * run.time), atol=1e-6
    )


def held(gain, kind, i_moves=False):
    """A weight of one kilogram on a constraint that gives ``gain`` times the reaction back: the reaction is m g/(1 +
    gain)."""
    m = hn.Model("feedback")
    m.gravity = (0, 0, -9.81)
    if kind == "JOINT":
        a = m.part("a", 1.0, (0.1, 0.1, 0.1))
        m.fixed(a, m.ground, "hold", at=(0, 0, 0))
    else:
        a = m.point_mass("a", 1.0, velocity=(1.0 if i_moves else 0.0, 0, 0))
    i = m.marker(a)
    if kind == "GCON":
        m.constraint(f"DZ({i.id})", i=i, name="hold")
    m.vforce(i, None, "0", "0", f"{gain}*{kind}(hold,0,4,0)")
    return m


@pytest.mark.parametrize("integrator", ["DOP853", "GSTIFF"])
@pytest.mark.parametrize("kind", ["JOINT", "GCON"])
def test_what_feeds_back_strongly(kind, integrator):
    """No substitution settles where the gain is one or more, and a part that does not move hides that it does not have
    settled: GSTIFF told -808 N for 6.54 N at a gain of 0.5, DOP853 1e62 N at 1.5."""
    for gain in (0.5, 0.95, 1.5, 5.0, -0.5, -0.95):
        run = hn.simulate(held(gain, kind, True), 0.1, 2, integrator=integrator)
        np.testing.assert_allclose(run.constraint("hold").force.values[:, 2], 9.81 / (1 + gain), rtol=1e-9)


def test_several_reactions_that_feed_each_other():
    """Four weights, each of which gets 0.9 times the sum of the other reactions: gains add up to 2.7."""
    m = hn.Model("ring")
    m.gravity = (0, 0, -9.81)
    names = [f"hold_{k}" for k in range(4)]
    mass = np.array([1.0, 2.0, 3.0, 4.0])
    for k, name in enumerate(names):
        a = m.part(f"w{k}", mass[k], (0.1, 0.1, 0.1), (k, 0, 0))
        m.fixed(a, m.ground, name, at=(k, 0, 0))
    for k in range(4):
        m.vforce(
            m.marker(m.find("PART", f"w{k}")),
            None,
            "0",
            "0",
            "0.9*(" + "+".join(f"JOINT({n},0,4,0)" for n in names if n != f"hold_{k}") + ")",
        )
    run = hn.simulate(m, 0.01, 1, integrator="DOP853")
    exact = np.linalg.solve(np.eye(4) + 0.9 * (np.ones((4, 4)) - np.eye(4)), 9.81 * mass)
    np.testing.assert_allclose([run.constraint(n).force.values[-1, 2] for n in names], exact, rtol=1e-9)


def test_feedback_without_a_solution_is_told():
    """The reaction gets all of itself as a load: m g + N = N."""
    with pytest.raises(
        hn.ModelError, match=r"no forces are found that agree with .*JOINT\(\d.*lessen what it feeds back"
    ):
        hn.simulate(held(-1.0, "JOINT"), 0.1, 2, integrator="DOP853")


def test_reactions_of_constraints_that_tie_several_bodies():
    """On I they are reported wherever I moves; a J side, or ground, has none of its own."""
    m = hn.Model("three")
    m.gravity = (0, 0, -9.81)
    a, b = (m.point_mass(n, 1.0, (k, 0, 0)) for k, n in enumerate("ab"))
    i, j = m.marker(a), m.marker(b)
    rope = m.constraint(f"DZ({i.id})+2*DZ({j.id})", i=i, name="rope")  # a pulley: T on a, 2 T on b
    ask = m.request("T", functions={"F2": "GCON(rope,0,4,0)"})
    run = hn.simulate(m, 0.1, 2)
    assert run.request("T").values[-1, 1] == pytest.approx(9.81 * 3 / 5)  # a'' = -2 b'', T - g = a'', 2 T - g = b''
    ask.functions["F2"] = "GCON(rope,1,4,0)"
    with pytest.raises(hn.ModelError, match="acts on more than two bodies.*request that on I"):
        hn.simulate(m, 0.1, 2)
    ask.functions["F2"] = "GCON(rope,0,4,0)"
    rope.i = m.marker(m.ground).id
    with pytest.raises(hn.ModelError, match="acts on more than two bodies.*name a marker of a moving part with I"):
        hn.simulate(m, 0.1, 2)
    ask.functions["F2"] = "GCON(roper,0,4,0)"
    with pytest.raises(hn.ModelError, match="no GCON named 'ROPER'; did you mean 'rope'"):
        hn.simulate(m, 0.1, 2)


def test_friction_from_a_dataset(tmp_path):
    """A block that slides on a floor of one's own: mu g to its rest."""
    text = """block
PART/1, GROUND
MARKER/1, PART = 1
PART/2, MASS = 2, CM = 20, IP = 0.1, 0.1, 0.1, VX = 3
MARKER/20, PART = 2
GCON/5, I = 20, FUNCTION = DZ(20, 1)
VFORCE/1, I = 20, JFLOAT = 2, RM = 1
, FX = -0.25*GCON(5, 0, 4, 0)\\FY = 0\\FZ = 0
MARKER/2, PART = 1, FLOATING
ACCGRAV/KGRAV = -9.81
END
"""
    path = tmp_path / "block.adm"
    path.write_text(text, encoding="utf-8")
    run = hn.simulate(hn.read_adams(path), 1.0, 4, integrator="DOP853")
    np.testing.assert_allclose(run.part(2).velocity.values[:, 0], 3.0 - 0.25 * 9.81 * run.time, atol=1e-9)


@pytest.mark.parametrize("function", ["SPDP(spring,2,1,0)", "SPDP(spring,-1,3,0)", "JOINT(rail,2,3,0)"])
def test_flags_are_zero_or_one(function):
    m = hn.Model("flags", units="SI")
    block = m.part("block", mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0))
    m.translational(block, m.ground, "rail", at=(0, 0, 0), axis=(0, 0, 1))
    m.spring_damper(block.cm, m.marker(m.ground, (0, 0, 1)), stiffness=1.0, name="spring")
    m.variable(function, "force")
    with pytest.raises(hn.ModelError, match=r"the flag of (SPDP|JOINT) is 0 \(force on I\) or 1 \(on J\)"):
        hn.simulate(m, end=0.1, steps=1)
