"""FLEX_BODY and MFORCE of datasets: statements by hand with modes in a file of ours, and flexible bodies written and
read back."""

import numpy as np
import pytest

import holonom as hn
from holonom.flexible import Section, beam
from holonom.formats.adams import parse_adm, read_adm, write_adm

SECTION = Section.rectangle(0.02, 0.01)


def bar(E=1e10, elements=6):
    return beam((0, 0, 0), (1, 0, 0), SECTION, E=E, density=7850.0, elements=elements, y=(0, 1, 0))


def reduced(E=1e10):
    return bar(E).reduced((1, 7), 3)


#: a bar whose axes are turned by 90 degrees about z and moved: from (2, 1, 0) along y
HAND = """A bar by hand
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = METER, TIME = SECOND
PART/1, GROUND
MARKER/10, PART = 1, QP = 2, 1, 0
!                         adams_view_name='arm'
FLEX_BODY/2
, MATRICES = 1, 2, 3
, QG = 2, 1, 0
, REULER = 90D, 0D, 0D
, CRATIO = {cratio}\\
, MNF_FILE = {mnf}
MARKER/20, FLEX_BODY = 2, NODE_ID = 1
!                         adams_view_name='tip'
MARKER/21, FLEX_BODY = 2, NODE_ID = 7, REULER = 10D, 20D, 30D
MARKER/22, FLEX_BODY = 2, NODE_ID = 4, QP = 0.5, 0.1, 0
JOINT/1, REVOLUTE, I = 20, J = 10
SFORCE/1, TRANSLATIONAL, I = 22, J = 10, FUNCTION = -5 * (DM(22, 10) - 0.5)
{more}ACCGRAV/IGRAV = -9.81
END
"""


def hand(mnf="arm.mnf", cratio="0.02", more=""):
    return HAND.format(mnf=mnf, cratio=cratio, more=more)


def twin():
    """The same machine in Python."""
    m = hn.Model()
    m.gravity = (-9.81, 0, 0)
    p = m.part("arm", 1.0, (1, 1, 1), position=(2, 1.5, 0))
    m.revolute(p, m.ground, at=(2, 1, 0), axis=(0, 0, 1))
    turned = beam((2, 1, 0), (2, 2, 0), SECTION, E=1e10, density=7850.0, elements=6, y=(-1, 0, 0))
    m.make_flexible(p, turned, modes=3, interfaces=(1, 7), damping=0.02)
    side = m.marker(m.attachment(p, 4), m.body_frame(p).axes.T @ (-0.1, 0, 0))
    base = m.marker_at(m.ground, (2, 1, 0))
    m.sforce(side, base, f"-5 * (DM({side}, {base}) - 0.5)")
    m.marker_at(p, (2, 2, 0), name="tip")
    return m


def tips(model):
    return hn.simulate(model, end=0.2, steps=8, integrator="RADAU5", error=1e-8).marker("tip").position.values


def test_a_statement_runs(tmp_path):
    """By the name of its .mnf, by its id, by its name, as a body: the motion of the same machine from Python."""
    body = reduced()
    body.save(tmp_path / "arm.h5")
    (tmp_path / "hand.adm").write_text(hand())
    want = tips(twin())
    assert np.ptp(want[:, 0]) > 0.1
    for flexible in (None, {2: tmp_path / "arm.h5"}, {"arm": body}):
        model = read_adm(tmp_path / "hand.adm", flexible=flexible)
        assert not model.table("FLEX_BODY") and len(model.table("ATTACHMENT")) == 3
        assert model.find("PART", "arm").mass == pytest.approx(7850 * 0.02 * 0.01)
        assert np.abs(tips(model) - want).max() < 1e-7
    (tmp_path / "elsewhere.adm").write_text(hand("mdids://flex/flex_bodies.tbl/arm.mnf"))
    assert not read_adm(tmp_path / "elsewhere.adm").table("FLEX_BODY")
    marker = model.markers[21]
    frame = model.body_frame(marker) @ marker.frame
    assert frame.origin == pytest.approx([2, 2, 0]) and model.body_frame(model.markers[22]).origin == pytest.approx(
        [2, 1.5, 0]
    )


def test_a_dataset_in_millimetres_as_view_writes_it(tmp_path):
    """The file of the body is in metres and reports this; matrices of invariants (.mtx) are not requested; other
    statements see the part."""
    from dataclasses import replace

    replace(reduced(), units="m, N, s").save(tmp_path / "arm.h5")
    text = (
        hand()
        .replace("LENGTH = METER", "LENGTH = MILLIMETER")
        .replace("2, 1, 0", "2000, 1000, 0")
        .replace("0.5, 0.1, 0", "500, 100, 0")
    )
    text = text.replace("-9.81", "-9810").replace("-5 * (DM(22, 10) - 0.5)", "-0.005 * (DM(22, 10) - 500)")
    matrices = "".join(
        f"MATRIX/{k}, FILE = arm.mtx, NAME = {name}\n" for k, name in enumerate(("INVAR_1", "SELMOD", "T", "OTHER"), 1)
    )
    text = text.replace("ACCGRAV", matrices + "REQUEST/1, DISPLACEMENT, I = 21, J = 10, RM = 10\nACCGRAV")
    (tmp_path / "hand.adm").write_text(
        text.replace(
            "MATRIX/4, FILE = arm.mtx, NAME = OTHER", "MATRIX/4, ROWS = 1, COLUMNS = 1, FULL = RORDER, VALUES = 1"
        )
    )
    model = read_adm(tmp_path / "hand.adm")
    assert list(model.table("MATRIX")) == [4]
    assert np.abs(tips(model) / 1000 - tips(twin())).max() < 1e-7


def test_without_modes_it_is_kept(tmp_path):
    (tmp_path / "hand.adm").write_text(hand())
    model = read_adm(tmp_path / "hand.adm")
    assert model.table("FLEX_BODY")[2].arguments[0] == ("MATRICES", "1, 2, 3")
    with pytest.raises(hn.ModelError, match="FLEX_BODY/2.*closed format.*reduce the body from matrices of Nastran"):
        hn.simulate(model, end=0.1)


def test_damping_of_modes(tmp_path):
    f = reduced().frequency / (2 * np.pi)
    damping = lambda text: next(iter(parse_adm(text, flexible={2: reduced()}).table("FLEXIBILITY").values())).damping
    assert damping(hand(cratio="0.03")) == (0.03,) * len(f)
    assert damping(hand(cratio="IF(FXFREQ-100:0.01,0.02,IF(FXMODE-5:0.1,0.2,0.3))")) == pytest.approx(
        [0.01 if v < 100 else [0.1, 0.2, 0.3][int(np.sign(k + 1 - 5)) + 1] for k, v in enumerate(f)]
    )
    # Adams takes 1 % below 100 Hz, 10 % below 1 kHz, and critical damping above
    stiff = reduced(3e11)
    got = next(
        iter(parse_adm(hand().replace(", CRATIO = 0.02\\\n", ""), flexible={2: stiff}).table("FLEXIBILITY").values())
    ).damping
    assert got == tuple(0.01 if v < 100 else 0.1 if v < 1000 else 1.0 for v in stiff.frequency / (2 * np.pi)) and {
        0.01,
        0.1,
        1.0,
    } == set(got)


def test_velocities_and_starts():
    """VX .. of the origin of the body, WX .. about its own axes; DMODE and VMODE."""
    n = reduced().modes
    ones = ", ".join(str(0.001 * (k + 1)) for k in range(n))
    text = hand().replace(
        ", CRATIO", f", VX = 1, VY = 2, VZ = 3, WX = 0.1, WZ = 4\n, DMODE = {ones}\n, VMODE = {ones}\n, CRATIO"
    )
    model = parse_adm(text, flexible={2: reduced()})
    part, f = model.parts[2], next(iter(model.table("FLEXIBILITY").values()))
    # w = (0, 0.1, 4) in ground (its x axis is along y), and the centre of mass is half a metre away along y
    assert (part.vx, part.vy, part.vz) == pytest.approx(np.array([1, 2, 3]) + np.cross([0, 0.1, 4.0], [0, 0.5, 0]))
    assert f.q == f.speed == pytest.approx(0.001 * np.arange(1, n + 1))


LOADED = (
    "MARKER/11, PART = 1, FLOATING\nMFORCE/1, FLEX_BODY = 2, CASE_INDEX = 2, JFLOAT = 11, SCALE = 10*SIN(20*TIME)\n"
)


def test_modal_force_of_a_load_case(tmp_path):
    from dataclasses import replace

    body = reduced()
    k = body.place[7]
    force = np.array([0.0, 3.0, 0.0])
    row = np.concatenate([force, np.cross(body.places[k] - body.centre, force), body.shapes[k, :3].T @ force])
    body = replace(body, loads=np.vstack([np.zeros_like(row), row]))
    model = parse_adm(hand(more=LOADED), flexible={2: body})
    assert model.table("MFORCE")[1].case == 2
    other = twin()
    other.modal_force("arm", "10*SIN(20*TIME)", nodes={7: (-3.0, 0, 0)})  # along y of the body, which is -x
    assert np.abs(tips(model) - tips(other)).max() < 1e-7 < 1e-3 < np.abs(tips(other) - tips(twin())).max()


def machine(tmp_path=None):
    """Two flexible bodies, modes damped differently, markers off their nodes, a load, a start in motion, mm."""
    m = hn.Model("two", units="mm")
    m.gravity = (0, -9806.65, 0)
    axes = dict(y=(0, 1, 0))
    a = m.part("a", 1.0, (1, 1, 1), position=(500, 0, 0), velocity=(0, 300.0, 20.0), angular_velocity=(0, 0, 0.6))
    b = m.part("b", 1.0, (1, 1, 1), position=(1000, -300, 0), euler=(0.3, 0.2, 0.1))
    m.spherical(a, m.ground, at=(0, 0, 0))
    m.spherical(a, b, at=(1000, 0, 0))
    s = Section.rectangle(20.0, 10.0)
    m.make_flexible(
        a,
        beam((0, 0, 0), (1000, 0, 0), s, E=1e4, density=7.85e-6, elements=5, **axes),
        modes=2,
        damping=lambda w: 0.01 + 1e-5 * w,
    )
    f = m.make_flexible(
        b, beam((1000, 0, 0), (1000, -600, 0), s, E=1e4, density=7.85e-6, elements=4), modes=2, damping=0.0, q=None
    )
    f.q = tuple(0.01 / (k + 1) for k in range(f.modes))
    m.marker_at(b, (1010, -600, 5), name="tip", z=(0.1, 0.2, 1), x=(1, 0, 0.3))
    m.modal_force(b, "5*sin(30*time)", nodes={5: (1.0, 0.5, 0)}, reaction=m.marker(m.ground), name="push")
    m.modal_force(a, "2", nodes={3: (0, 0, 1.0)})
    m.bushing(
        m.marker_at(a, (500, 0, 0)),
        m.marker_at(m.ground, (500, 0, 10)),
        stiffness=(0.1, 0.2, 0.1),
        rotational_stiffness=(10, 10, 10),
        damping=(0.01, 0, 0),
    )
    return m


def test_written_and_read_back(tmp_path):
    """The same run, to what the integrator keeps; a second time through a file the text is the same."""
    m = machine()
    text = write_adm(m, tmp_path / "two.adm")
    assert (
        "FLEX_BODY/" in text
        and m.table("FLEXIBILITY")
        and {p.name for p in tmp_path.iterdir()} == {"two.adm", "two_2.h5", "two_3.h5"}
    )
    again = read_adm(tmp_path / "two.adm")
    assert (
        len(again.table("FLEXIBILITY")) == 2
        and not again.table("FLEX_BODY")
        and [len(t.load) > 0 for t in again.table("MFORCE").values()] == [True, True]
    )
    for one, two in zip(m.table("FLEXIBILITY").values(), again.table("FLEXIBILITY").values()):
        assert (
            two.damping == pytest.approx(one.damping, rel=1e-15)
            and two.q == one.q
            and np.array_equal(two.frequency, one.frequency)
        )
    runs = [hn.simulate(x, end=0.1, steps=5, integrator="RADAU5", error=1e-8) for x in (m, again)]
    assert (
        np.abs(runs[0].marker("tip").position.values - runs[1].marker("tip").position.values).max() < 1e-4
    )  # mm, of a way of a hundred
    assert np.ptp(runs[0].marker("tip").position.values[:, 1]) > 10.0
    assert runs[1].force("push").force.values == pytest.approx(runs[0].force("push").force.values, abs=1e-6)
    third = write_adm(again, tmp_path / "two.adm")
    assert len(third.splitlines()) == len(text.splitlines())


def test_what_cannot_be_written_says_so(tmp_path):
    m = machine()
    with pytest.raises(hn.ModelError, match="give the path of the dataset"):
        write_adm(m)
    a = m.find("PART", "a")
    m.spring_damper(m.find("MARKER", a.cm), m.marker(m.ground, (0, 1, 0)), stiffness=1.0)
    with pytest.raises(
        hn.ModelError, match="floating frame of PART/2 'a' and with no node, which a dataset cannot express"
    ):
        write_adm(m, tmp_path / "x.adm")


@pytest.mark.parametrize(
    "text, flexible, says",
    [
        (hand(), {3: reduced}, "flexible names FLEX_BODY 3, which the dataset does not have; it has 2"),
        (hand(), {2: "none.h5"}, "none.h5' cannot be read"),
        (hand(), {2: 3.0}, "FLEX_BODY/2: flexible.2. is 3.0; give the name of an HDF5 file"),
        (hand(), ["x"], "flexible is .*; give a dictionary"),
        (hand("arm.h5"), None, "MNF_FILE = arm.h5: there is no such file"),
        (hand(cratio="TIME"), {2: reduced}, "CRATIO = TIME: no value was given for TIME"),
        (hand(cratio="3"), {2: reduced}, "CRATIO is 3 for mode 1"),
        (hand(cratio="USER(1)"), {2: reduced}, "CRATIO = USER"),
        (hand().replace("QG = 2, 1, 0", "QG = 2, 1"), {2: reduced}, "FLEX_BODY/2.*QG has 2 numbers; give 3"),
        (hand().replace("NODE_ID = 7", "NODE_ID = 70"), {2: reduced}, "MARKER/21.*NODE_ID = 70"),
        (hand().replace(", CRATIO", ", ZEBRA = 1, CRATIO"), {2: reduced}, "argument ZEBRA is not known"),
        (hand().replace(", CRATIO", ", DMODE = 1, 2\n, CRATIO"), {2: reduced}, "DMODE has 2 numbers"),
        (
            hand(more="MFORCE/1, FLEX_BODY = 2, CASE_INDEX = 1, SCALE = 1\n"),
            {2: reduced},
            "CASE_INDEX = 1; the file of its body has no load cases",
        ),
        (hand(more="MFORCE/1, FLEX_BODY = 2, FUNCTION = USER(1)\n"), {2: reduced}, "by user routine are not computed"),
    ],
)
def test_statements_that_cannot_be(text, flexible, says):
    with pytest.raises(hn.ModelError, match=says):
        parse_adm(
            text,
            flexible={k: v() if callable(v) else v for k, v in flexible.items()}
            if isinstance(flexible, dict)
            else flexible,
        )


def test_arguments_without_influence_are_told():
    model = parse_adm(hand().replace(", CRATIO", ", INVARIANTS = T:T:T:T:F:T:T:T:F\n, CRATIO"), flexible={2: reduced()})
    assert any("INVARIANTS = T:T:T:T:F:T:T:T:F has no influence: all invariants are kept" in w for w in model.warnings)
