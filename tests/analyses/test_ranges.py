"""Ranges of validity: each element type declares one, or states that it has none; a run reports where, when first and
how far one was left."""

from types import SimpleNamespace

import numpy as np
import pytest

import holonom as hn
from holonom.analyses.checks.ranges import RANGES, TOGETHER, UNLIMITED, excess, positions_on_grid, positions_on_track
from holonom.model.base import kinds_of


def driven(function, **more):
    m = hn.Model("p")
    rod = m.part("rod", 2.0, (0.001, 0.167, 0.167), (0.5, 0, 0))
    m.motion(m.revolute(rod, m.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0)), function(m), "drive")
    return m


def warnings_of(m, **options):
    run = hn.simulate(m, **{"end": 1.0, "steps": 10, **options})
    return run.info["warnings"]


def test_excess():
    t = np.linspace(0, 1, 11)
    found = excess(t, 2 * t, 0.1, 1.0)
    assert (found.first, found.worst, found.worst_at, found.end) == pytest.approx((0.0, 2.0, 1.0, 1.0))
    assert excess(t, t, 0.0, 1.0) is None and excess(t, np.full(11, np.nan), 0.0, 1.0) is None


TABLE = ([0, 0.05, 0.1, 0.15], [0, 1, 2, 3])


@pytest.mark.parametrize("function", ["AKISPL(TIME,0,{s},0)", "CUBSPL(TIME,0,{s},0)", "1+2*AKISPL(TIME,0,{s})"])
def test_splines_beyond_their_tables(function):
    """In a motion, a force, and a force through a variable; first and worst time are those of accepted steps and
    rows."""

    def of_force(m, s):
        p = m.part("ball", 1.0, (1, 1, 1))
        m.vforce(m.marker(p), fx=function.format(s=s))

    def of_variable(m, s):
        p = m.part("ball", 1.0, (1, 1, 1))
        v = m.variable(function.format(s=s))
        m.vforce(m.marker(p), fx=f"VARVAL({v.id})")

    m = driven(lambda m: function.format(s=m.spline(*TABLE, name="table").id))
    models = [m]
    for make in (of_force, of_variable):
        m = hn.Model("f")
        make(m, m.spline(*TABLE, name="table").id)
        models.append(m)
    for m in models:
        (text,) = [w for w in warnings_of(m) if "SPLINE" in w]
        assert "'table' at x = 1 at time 1 (limit 0.15, passed first at time 0." in text
        assert (
            0.15 < float(text.split("passed first at time ")[1].split(")")[0]) <= 0.2
        )  # an accepted step, or the first row
        assert not [w for w in warnings_of(m, end=0.15) if "SPLINE" in w]


def test_a_table_that_is_left_between_two_rows():
    """Both rows lie inside of the table, the peak between them does not."""
    m = hn.Model("f")
    p = m.part("ball", 1.0, (1, 1, 1))
    m.vforce(m.marker(p), fx=f"AKISPL(TIME*(1-TIME),0,{m.spline(*TABLE, name='table').id})")
    (text,) = [w for w in warnings_of(m, steps=1, hmax=0.05) if "SPLINE" in w]
    assert "'table' at x = 0.2" in text and "limit 0.15" in text


def test_splines_over_motion_and_of_families():
    m = hn.Model("f")
    p = m.part("ball", 1.0, (1, 1, 1), velocity=(-1, 0, 0))
    mark = m.marker(p)
    s = m.spline([0, 1, 2, 3], [[0, 1, 2, 3], [0, 2, 4, 6]], z=[0, 0.5], name="family")
    m.vforce(mark, fy=f"0*AKISPL(DX({mark.id})+2.05,TIME,{s.id})")
    found = [w for w in warnings_of(m, end=3.0, steps=30) if "SPLINE" in w]
    assert len(found) == 2 and any("at x = -0.95 at time 3 (limit 0, passed first at time 2.1)" in w for w in found)
    (first,) = [float(w.split("passed first at time ")[1].split(")")[0]) for w in found if "at z = 3 at time 3" in w]
    assert 0.5 < first <= 0.6  # seen at accepted steps and at rows, which are 0.1 apart


def spinner(make, axes=((0, 0, 1),), rate=1.0):
    """A part that turns, kinematically, about an axis of a joint, and something between it and ground."""
    m = hn.Model("s")
    m.gravity = (0, 0, 0)
    p = m.part("p", 1.0, (1, 1, 1))
    m.motion(m.revolute(p, m.ground, at=(0, 0, 0), axis=axes[0]), f"{rate}*TIME")
    make(m, p)
    return m


@pytest.mark.parametrize("axis, left", [((0, 0, 1), False), ((1, 1, 0), True)])
def test_small_angles(axis, left):
    """About one axis a bushing may turn; about two at once it may not."""
    for kind in ("bushing", "field"):

        def make(m, p, kind=kind):
            i, j = m.marker(p), m.marker(m.ground)
            m.bushing(i, j, rotational_stiffness=(1, 1, 1)) if kind == "bushing" else m.field(i, j, kmatrix=np.eye(6))

        found = [w for w in warnings_of(spinner(make, (axis,))) if "small angles" in w]
        assert bool(found) == left
        if left:  # the first row at which both projected angles pass 0.2: cos(a) etc. of a turn about (1, 1, 0)
            assert "passed first at time 0.3)" in found[0]


def test_small_bending():
    def make(m, p):
        j = m.marker(m.ground, (1.0, 0, 0))
        i = m.marker(p, (1.3, 0, 0))
        m.beam(i, j, 0.3, 1e-4, 1e-9, 1e-9, 1e-9, 2.1e11, 8e10)

    found = [w for w in warnings_of(spinner(make, rate=0.1)) if "bent across" in w]
    assert len(found) == 1 and "passed first at time 0.3)" in found[0]  # 1.3 sin(0.03) / 0.3 = 0.13


def test_markers_that_meet():
    m = hn.Model("s")
    m.gravity = (0, 0, 0)
    p = m.part("p", 1.0, (1, 1, 1), position=(1, 0, 0), velocity=(-1, 0, 0))
    m.spring_damper(m.marker(p), m.marker(m.ground), stiffness=1e-9, length=0)
    m.sforce(m.marker(p), m.marker(m.ground), "1e-12")
    found = [w for w in warnings_of(m, end=2.0, steps=4) if "has no direction there" in w]
    assert len(found) == 2 and "passed first at time 1)" in found[0]


def test_deep_contact():
    for stiffness, deep in ((1.5e4, True), (1e7, False)):
        m = hn.Model("b")
        m.gravity = (0, 0, -10)
        p = m.part("ball", 10.0, (1, 1, 1), position=(0, 0, 0.0999))
        ball, plate = m.sphere(p, (0, 0, 0.0999), 0.1), m.box(m.ground, (0, 0, -0.01), (2, 2, 0.02))
        m.contact(ball, plate, stiffness=stiffness, damping=500.0, exponent=1.0)
        found = [w for w in warnings_of(m, end=0.2, steps=20) if "of the thickness 0.02 of the thinner" in w]
        assert bool(found) == deep


def test_modes_and_their_size():
    m = hn.Model("f")
    m.gravity = (0, 0, -9.81)
    p = m.part("p", 1.0, (1, 1, 1), position=(0.5, 0, 0))
    m.fixed(p, m.ground, at=(0, 0, 0))
    bar = hn.flexible.beam(
        (0, 0, 0), (1, 0, 0), hn.flexible.Section.rectangle(0.02, 0.002), E=2.1e10, density=7850.0, y=(0, 1, 0)
    )
    m.make_flexible(p, bar, modes=4)
    assert any("of its size" in w for w in warnings_of(m, kind="quasistatics", end=1.0, steps=2))


def test_positions_on_a_road_by_a_curved_grid():
    """A quarter circle to the left of radius 50 m, and straight on beyond both of its ends."""
    a = np.linspace(0.0, np.pi / 2, 3001)
    tables = {"x": 50.0 * np.sin(a), "y": 50.0 * (1.0 - np.cos(a)), "phi": a}
    u, v = np.array([-3.0, 10.0, 60.0, 50.0 * np.pi / 2 + 4.0]), np.array([1.0, -2.0, 3.0, 0.5])
    f = np.clip(u / 50.0, 0.0, np.pi / 2)
    beyond = u - 50.0 * f
    xy = np.column_stack(
        [(50.0 - v) * np.sin(f) + beyond * np.cos(f), 50.0 - (50.0 - v) * np.cos(f) + beyond * np.sin(f)]
    )
    along, across, length = positions_on_grid(tables, xy)
    np.testing.assert_allclose(along, u, atol=2e-3)
    np.testing.assert_allclose(across, v, atol=1e-4)
    assert length == pytest.approx(50.0 * np.pi / 2, rel=1e-6)


@pytest.mark.parametrize("leaves, name", [((60.0, 0.0), "u"), ((20.0, 3.0), "v"), ((20.0, 0.5), None)])
def test_the_end_and_the_side_of_a_road_by_a_grid(leaves, name):
    """A straight GRID road of 50 m along y of the ground, 4 m wide; its marker is turned by a right angle."""
    road = SimpleNamespace(
        KIND="ROAD",
        id=3,
        label="ROAD/3",
        shape="GRID",
        marker=9,
        tables={"x": np.linspace(0, 50, 51), "y": np.zeros(51), "phi": np.zeros(51), "v": np.linspace(-2, 2, 5)},
    )
    tyre = SimpleNamespace(active=True, road=3, i=1, label="TYRE/1")
    time = np.linspace(0.0, 1.0, 11)
    turn = np.tile(np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]), (11, 1, 1))
    wheel = np.outer(time, (-leaves[1], leaves[0], 0.0))
    motions = {1: (wheel, turn), 9: (np.zeros((11, 3)), turn)}
    run = SimpleNamespace(
        data=SimpleNamespace(time=time),
        model=SimpleNamespace(_tables={"TYRE_MF6": {1: tyre}}),
        marker=lambda n: SimpleNamespace(_motion=motions[n]),
    )
    texts = list(RANGES["ROAD"](run, road))
    assert len(texts) == (name is not None) and all(
        f"its wheel is at {name} = " in text and "ROAD/3" in text for text in texts
    )


def rolling(slip=0.0, angle=0.0, lean=0.0, speed=20.0, load=4000.0, **coefficients):
    """A run of one tyre of 0.3 m that rolls along x of the ground, whose slip, slip angle and inclination grow."""
    time = np.linspace(0.0, 1.0, 11)
    one = np.ones_like(time)
    tilt, yaw = lean * time, angle * time
    turn = np.zeros((11, 3, 3))
    turn[:, :, 1] = np.column_stack([0 * one, np.cos(tilt), np.sin(tilt)])
    turn[:, :, 0] = np.column_stack([one, 0 * one, 0 * one])
    turn[:, :, 2] = np.cross(turn[:, :, 0], turn[:, :, 1])
    velocity = speed * np.column_stack([np.cos(yaw), np.sin(yaw), 0 * one])
    rate = velocity[:, 0] * (1.0 + slip * time) / 0.3
    still = np.zeros((11, 3))
    motion = {
        1: (still, turn, velocity, still, rate[:, None] * turn[:, :, 1], still),
        9: (still, np.tile(np.eye(3), (11, 1, 1)), still, still, still, still),
    }
    key = ("TYRE_MF6", 1, "t")
    c = {"KPUMIN": -0.5, "KPUMAX": 0.5, "ALPMIN": -0.3, "ALPMAX": 0.3, "CAMMIN": -0.1, "CAMMAX": 0.1, "VXLOW": 1.0}
    tyre = SimpleNamespace(
        KIND="TYRE_MF6",
        id=1,
        name="t",
        label="TYRE_MF6/1 't'",
        i=1,
        j=9,
        size=lambda: 0.3,
        coefficients={**c, "FNOMIN": 4000.0, **coefficients},
    )
    data = SimpleNamespace(time=time, forces=[key], force_force=np.zeros((11, 1, 3)) + (0.0, 0.0, load))
    return SimpleNamespace(data=data, marker=lambda n: SimpleNamespace(_motion=motion[n])), tyre


@pytest.mark.parametrize("kind", ["TYRE_MF6", "TYRE_PAC2002"])
@pytest.mark.parametrize(
    "how, text",
    [
        ({}, ""),
        ({"slip": 0.4, "angle": 0.29, "lean": 0.09}, ""),
        ({"slip": 1.0}, "its longitudinal slip is 1 at time 1 (limit 0.5, passed first at time 0.6), beyond KPUMAX"),
        ({"slip": -1.0}, "its longitudinal slip is -1 at time 1 (limit -0.5, passed first at time 0.6), beyond KPUMIN"),
        ({"angle": 0.4}, "its slip angle [rad] is 0.4 at time 1 (limit 0.3, passed first at time 0.8), beyond ALPMAX"),
        ({"lean": -0.2}, "its inclination [rad] is -0.2 at time 1 (limit -0.1, passed first at time 0.6), beyond CAM"),
        ({"slip": 1.0, "angle": 0.4, "speed": 0.5}, ""),
        ({"slip": 1.0, "load": 0.0}, ""),
    ],
)
def test_slips_beyond_those_of_the_coefficients(kind, how, text):
    texts = list(RANGES[kind](*rolling(**how)))
    assert len(texts) == bool(text) and all(text in t for t in texts), texts


@pytest.mark.parametrize(
    "sections, rough, beyond",
    [
        ([(50.0, 0.0, 0.0), (50.0, 0.01, 0.1), (100.0, 0.01, 0.1)], 0, "its last section, a curve"),
        ([(50.0, 0.0, 0.0), (50.0, 0.01, 0.1), (50.0, 0.01, 0.1), (50.0, 0.0, 0.0)], 0, ""),
        ([(50.0, 0.0, 0.0), (50.0, 0.01, 0.1), (100.0, 0.01, 0.1)], 301, "its last section, a curve"),
        ([(100.0, 0.01, 0.1), (100.0, 0.0, 0.0)], 101, "its irregularities"),
        ([], 101, "its irregularities"),
        ([], 0, ""),
    ],
)
def test_the_ends_of_curved_tracks(sections, rough, beyond):
    """A wheel 0.75 m to the left of the middle of a track, driven along it to 220 m; s is known to a few cm."""
    m = hn.Model("track")
    track = m.rail_track(
        rail=hn.rail.uic60(), sections=sections, irregularities=np.zeros((rough, 4)), spacing=1.0 if rough else 0.0
    )
    s = np.linspace(0.0, 220.0, 23)
    frames = [track.frame(v) for v in s]
    at = np.array([origin + 0.75 * axes[1] for origin, axes in frames])
    np.testing.assert_allclose(positions_on_track(track, at[:, :2]), s, atol=0.02)
    wheel = SimpleNamespace(active=True, track=track.id, i=-1, label="WHEEL_RAIL/1")
    still = (np.zeros((23, 3)), np.tile(np.eye(3), (23, 1, 1)))
    run = SimpleNamespace(
        data=SimpleNamespace(time=s / 10.0),
        model=SimpleNamespace(units=m.units, table=lambda kind: {1: wheel}),
        marker=lambda n: SimpleNamespace(_motion=(at, still[1]) if n == -1 else still),
    )
    texts = list(RANGES["RAIL_TRACK"](run, track))
    assert len(texts) == bool(beyond) and all(f"beyond {beyond}" in t and "its wheel is at s = 220" in t for t in texts)


@pytest.mark.parametrize("bays, span, mass, doubt", [(2, 6.0, 4e4, False), (1, 40.0, 1e4, True)])
def test_frames_of_lumped_masses(bays, span, mass, doubt):
    """A girder of 40 m swings between its nodes more slowly than the frame sways."""
    frame = hn.structures.steel_frame(2, bays, span=span, floor_mass=mass)
    assert any("give mass='consistent'" in w for w in frame.model.warnings) == doubt
    assert not hn.structures.steel_frame(2, bays, span=span, floor_mass=mass, mass="consistent").model.warnings


def test_every_force_declares_its_range():
    from holonom.elements.kinds import FORCES

    kinds = {*kinds_of("force"), *(k.name for k in FORCES if hasattr(k, "name"))}
    declared = {*RANGES, *TOGETHER, *UNLIMITED}
    assert kinds <= declared, (
        f"without a range, or a reason why there is none (analyses/checks/ranges.py): {sorted(kinds - declared)}"
    )
    assert not set(UNLIMITED) & {*RANGES, *TOGETHER} and all(UNLIMITED.values())


@pytest.mark.parametrize("how", ["variable", "request"])
def test_splines_that_only_outputs_read(how):
    m = hn.Model("m")
    a = m.part("a", 1.0, (1, 1, 1), velocity=(-1.0, 0, 0))
    table = m.spline([0.0, 0.1, 0.2, 0.3], [0, 1, 0, 1], name="table")
    text = f"CUBSPL(DX({a.cm}),0,{table.id})"
    if how == "variable":
        m.variable(text, "seen")
    else:
        m.request("seen", functions=[text])
    with pytest.warns(hn.ModelWarning, match=r"'seen' reads SPLINE/1 'table' at x = -0.2 at time 0.2 \(limit 0"):
        hn.simulate(m, end=0.2, steps=4)


@pytest.mark.parametrize("units", ["SI", "mm"])
@pytest.mark.parametrize(
    "kind, arm, count",
    [
        ("revolute", "friction_arm", "thrust"),
        ("revolute", "bending_reaction_arm", "bending"),
        ("translational", "reaction_arm", "torsion"),
    ],
)
def test_arms_of_friction_that_were_left_out(kind, arm, count, units):
    """An arm of 1 in units of the model is reported where the load that it multiplies is there, and not elsewhere."""
    s = 1.0 if units == "SI" else 1000.0
    force = {"thrust": (0, 0, 50.0), "bending": (0, 0, 1.0), "torsion": (0, 50.0, 50.0)}[count]
    for given, loaded in (({}, True), ({}, False), ({arm: 0.02 * s}, True)):
        m = hn.Model("m", units=units)
        body = m.part("b", 1.0, (0.01 * s * s,) * 3)
        axis = (0, 0, 1)
        pin = {"pin_radius": 0.02 * s} if kind == "revolute" else {}
        if count == "bending":
            pin["inputs"] = ("BENDING_MOMENT", "REACTION_FORCE")
        joint = getattr(m, kind)(body, m.ground, "j", at=(0, 0, 0), axis=axis)
        m.friction(joint, mu_static=0.2, mu_dynamic=0.2, **pin, **given)
        lever = {"thrust": (0, 0, 0), "bending": (20 * s, 0, 0), "torsion": (0.5 * s, 0, 0)}[count]
        pushed = m.marker_at(body, lever if loaded else (0, 0, 0))
        across = (0.0, 1.0, 0.0)
        m.vforce(pushed, m.ground, *(repr(float(v)) for v in (force if loaded else across)))
        said = [w for w in warnings_of(m, end=0.01, steps=2) if f"{arm} is left out" in w]
        assert bool(said) == (loaded and not given), (said, given, loaded)
