"""Input that no machine has is refused where it is written, or is a warning of the model, its check and its run: one
test over all element types."""

import itertools
import math
import warnings

import numpy as np
import pytest

import holonom as hn
from holonom.model.implausible import PROBES


def two(units="SI", apart=(0.3, 0.0, 0.0)):
    m = hn.Model("m", units=units)
    p = m.part("p", 1.0, (1, 1, 1), position=(1, 2, 3))
    return m, p, m.marker_at(p, np.add((1, 2, 3), apart)), m.marker_at(m.ground, (1, 2, 3))


def hinge(m, kind="revolute"):
    p = m.part("q", 1.0, (1, 1, 1))
    return getattr(m, kind)(p, m.ground, at=(0, 0, 0), **({} if kind == "spherical" else {"axis": (0, 0, 1)}))


STEEL = dict(area=1e-4, ixx=1e-9, iyy=1e-9, izz=1e-9, emodulus=2.1e11, gmodulus=8e10)
REFUSED = [
    ("spring_damper", dict(stiffness=-1.0, length=0.3), "k is -1: a negative stiffness"),
    ("spring_damper", dict(stiffness=1.0, damping=-2.0, length=0.3), "c is -2: a negative damping"),
    ("torsion_spring", dict(stiffness=-1.0), "kt is -1"),
    ("torsion_spring", dict(damping=-1.0), "ct is -1"),
    ("bushing", dict(stiffness=(1, -5, 1)), "k is -5"),
    ("bushing", dict(rotational_stiffness=(1, 1, -5)), "kt is -5"),
    ("bushing", dict(damping=(-1, 1, 1)), "c is -1"),
    ("bushing", dict(rotational_damping=(-1, 1, 1)), "ct is -1"),
]


@pytest.mark.parametrize("method, words, says", REFUSED)
def test_negative_constants_are_refused(method, words, says):
    m, _, i, j = two()
    before = len(list(m))
    with pytest.raises(hn.ModelError, match=says):
        getattr(m, method)(i, j, **words)
    assert len(list(m)) == before  # nothing is left of the call


@pytest.mark.parametrize("name", ["mu_static", "mu_dynamic", "pin_radius", "stiction_transition_velocity"])
def test_negative_friction_is_refused(name):
    m = hn.Model("m")
    with pytest.raises(hn.ModelError, match=f"{name} is -0.1"):
        m.friction(hinge(m), **{"pin_radius": 0.01, name: -0.1})


def test_datasets_with_negative_constants_are_warned_of(tmp_path):
    path = tmp_path / "a.adm"
    path.write_text(
        "A\nUNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=METER, TIME=SECOND\nPART/1, GROUND\nMARKER/1, PART=1\nPART/2, "
        "MASS=1, IP=1,1,1, CM=2\nMARKER/2, PART=2, QP=1,0,0\n"
        "SPRINGDAMPER/1, I=2, J=1, TRANSLATION, K=-5, LENGTH=1\nACCGRAV/JGRAV=-9.8\nEND\n"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hn.ModelWarning)
        assert any("SPRINGDAMPER/1" in w and "k is -5" in w for w in hn.check(hn.read_adams(path)).warnings)


@pytest.mark.parametrize("apart", [(0, 0, 0), (1e-14, 0, 0), (0.1, 0, 0)])
def test_forces_between_coincident_markers(apart):
    m, _, i, j = two(apart=apart)
    same = apart[0] < 0.01
    for make in (lambda: m.sforce(i, j, "10", name="push"), lambda: m.spring_damper(i, j, stiffness=5.0, length=0.2)):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            make()
        assert any("coincide as drawn" in str(w.message) for w in found) == same
    said = str(hn.check(m))
    assert ("'push': its markers coincide" in said) == same
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        m.sforce(i, j, "10", kind="ROTATIONAL")
        m.sforce(i, j, "10", actiononly=True)
        m.spring_damper(i, j, stiffness=5.0, length="drawn")  # no force where they coincide


def test_beams_drawn_backwards():
    for axes, sign in itertools.product((np.eye(3), -np.diag([1.0, 1, -1])), (1, -1)):
        m, p, _, _ = two()
        j = m.marker_at(m.ground, (1, 2, 3), axes=axes)
        i = m.marker_at(p, np.add((1, 2, 3), sign * 0.3 * axes[:, 0]))
        if sign > 0:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                m.beam(i, j, length=0.3, **STEEL)
            with pytest.warns(hn.ModelWarning, match="away from where the free beam of length 1 ends"):
                m.beam(i, j, length=1.0, **STEEL)
        else:
            with pytest.raises(hn.ModelError, match="starts compressed by 0.6"):
                m.beam(i, j, length=0.3, **STEEL)


def test_free_lengths_and_angles():
    m, _, i, j = two()
    with pytest.warns(hn.ModelWarning, match="free length is left out and is 0, and its markers are 0.3 apart"):
        m.spring_damper(i, j, stiffness=100.0)
    with pytest.warns(hn.ModelWarning, match="angle is 90 radians .* in degrees, give 1.5708"):
        m.torsion_spring(i, j, stiffness=1.0, angle=90)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        m.spring_damper(i, j, stiffness=100.0, length=0)
        m.spring_damper(i, j, damping=5.0)
        m.torsion_spring(i, j, stiffness=1.0, angle=-math.pi)


def degrees_given(m):
    """Each builder that takes an angle as one number, as a function of it."""
    p, j = m.part("q", 1.0, (1, 1, 1)), None
    j = m.revolute(p, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    return {
        "upper of its stop": lambda a: m.stop(j, upper=a),
        "lower of its stop": lambda a: m.stop(j, lower=-a),
        "at is": lambda a: m.latch(j, a),
        "its motion": lambda a: m.motion(j, a),
        "icrot": lambda a: m.revolute(p, m.ground, at=(0, 0, 0), axis=(0, 0, 1), icrot=(a, 0)),
        "turn": lambda a: m.move(p, turn=(0, 0, a)),
        "angle is": lambda a: m.torsion_spring(j.i, j.j, stiffness=1.0, angle=a),
        "euler angles": lambda a: m.part("r", 1.0, (1, 1, 1), euler=(0, 0, a)),
        "marker '' on PART/2": lambda a: m.marker(p, euler=(0, 0, a)),
    }


@pytest.mark.parametrize("angle", [5, 30.0])
@pytest.mark.parametrize("says", degrees_given(hn.Model("names")))
def test_angles_in_degrees(says, angle):
    m = hn.Model("m")
    make = degrees_given(m)[says]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for radians in (0.5, math.radians(200.0), 2.0, 0.0 if "its stop" not in says else 1.0):
            make(radians)
    if "euler" in says and angle == 30.0 or "marker" in says and angle == 30.0:
        with pytest.raises(hn.ModelError, match="look like degrees"):
            make(angle)
    else:
        with pytest.warns(hn.ModelWarning, match=f"{says}.*degrees"):
            make(angle)


def test_travels_and_speeds_are_no_angles():
    m = hn.Model("m")
    slide = hinge(m, "translational")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        m.stop(slide, upper=30.0)
        m.motion(hinge(m), 30.0, level="VELOCITY")


@pytest.mark.parametrize(
    "words, says",
    [
        ({}, "capacity is missing"),
        ({"capacity": -5}, "capacity is -5; give zero or a positive number"),
        ({"capacity": "-5.0"}, "capacity is -5"),
        ({"capacity": math.nan}, "capacity is nan"),
        ({"capacity": [3]}, "give a number, or an expression"),
        ({"capacity": 5.0, "static": -1.0}, "static is -1"),
    ],
)
def test_clutches_that_would_drive_are_refused(words, says):
    m = hn.Model("m")
    joint = hinge(m)
    before = len(list(m))
    with pytest.raises(hn.ModelError, match=says):
        m.clutch(joint, **words)
    assert len(list(m)) == before
    m.clutch(joint, capacity="5*TIME")
    m.clutch(joint, capacity=0.0, name="off")


@pytest.mark.parametrize(
    "kind, radius",
    [("revolute", "pin_radius"), ("cylindrical", "pin_radius"), ("spherical", "ball_radius"), ("translational", "")],
)
@pytest.mark.parametrize("units", ["SI", "mm"])
def test_radii_left_at_one(kind, radius, units):
    for given in ({}, {radius: 0.02} if radius else {}):
        m = hn.Model("m", units=units)
        joint = hinge(m, kind)
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            m.friction(joint, mu_static=0.2, mu_dynamic=0.1, **given)
        assert bool(found) == bool(radius and not given)


@pytest.mark.parametrize("units", ["mm", "SI"])
@pytest.mark.parametrize("away, open_", [(0.5, True), (1e-4, False), (0.0, False)])
def test_elastic_connections_drawn_open(units, away, open_):
    """Half a metre of 1e5 N/m are 50 kN on a machine that weighs 9.8 N."""
    m = hn.Model("m", units=units)
    metre = 1.0 / m.units.si_length
    p = m.part("p", 1.0, (1, 1, 1), position=(away * metre, 0, 0))
    k = 1e5 / metre
    m.bushing(p.cm, m.marker(m.ground), stiffness=(k,) * 3)
    m.field(p.cm, m.marker(m.ground), kmatrix=np.diag([k, k, k, 1, 1, 1.0]))
    m.field(p.cm, m.marker(m.ground), kmatrix=np.diag([k, k, k, 1, 1, 1.0]), length=(away * metre, 0, 0, 0, 0, 0))
    m.bushing(p.cm, m.marker(m.ground), stiffness=(k,) * 3, force=(k * away * metre, 0, 0))
    found = [w for w in hn.check(m).warnings if "as drawn" in w]
    assert len(found) == (2 if open_ else 0)
    assert not open_ or all("5e+04 N, 5.1e+03 times the weight" in w for w in found)


def test_two_contacts_on_one_pair_of_shapes():
    m = hn.Model("m")
    p = m.part("p", 1.0, (1, 1, 1))
    ball, other = m.sphere(p, (0, 0, 0.1), 0.1), m.sphere(p, (0.5, 0, 0.1), 0.1)
    floor = m.plane(m.ground, (0, 0, 0), (0, 0, 1))
    m.contact(ball, floor, stiffness=1e5, name="one")
    m.contact(other, floor, stiffness=1e5, name="two")
    said = lambda: [w for w in hn.check(m).warnings if "both forces act" in w]
    assert said() == []
    third = m.contact(floor, [ball], stiffness=1e4, name="three")
    assert len(said()) == 1 and "'three'" in said()[0] and "'one'" in said()[0]
    third.active = False
    assert said() == []


@pytest.mark.parametrize("units", ["mm", "SI"])
def test_inertia_of_other_units(units):
    """A rod of 500 mm and 2 kg has m L^2 / 12 = 41,667 kg mm^2, not 0.041667; a ball of 10 mm on a long arm is a
    ball."""
    unit = 1.0 if units == "mm" else 1e-3
    for inertia, reach, strange in (
        (0.041667, 250, units == "mm"),
        (41667.0 * unit**2, 250, False),
        (2 * 0.4 * 100.0 * unit**2, 3000, False),
    ):
        m = hn.Model("m", units=units)
        p = m.part("rod", 2.0, (inertia,) * 3)
        m.marker_at(p, (reach * unit, 0, 0))
        assert any("inertia seems to be in kg*m^2" in w for w in hn.check(m).warnings) == strange


@pytest.mark.parametrize("scale", [1.0, 1e-3])
def test_surfaces_in_millimetres(tmp_path, scale):
    path = tmp_path / "cube.obj"
    corners = list(itertools.product((0, 120), (0, 80), (0, 40)))
    faces = [
        (1, 2, 4),
        (1, 4, 3),
        (5, 8, 6),
        (5, 7, 8),
        (1, 6, 2),
        (1, 5, 6),
        (3, 4, 8),
        (3, 8, 7),
        (1, 3, 7),
        (1, 7, 5),
        (2, 6, 8),
        (2, 8, 4),
    ]
    path.write_text(
        "".join(f"v {x} {y} {z}\n" for x, y, z in corners) + "".join(f"f {a} {b} {c}\n" for a, b, c in faces)
    )
    for units in ("SI", "mm"):
        m = hn.Model("m", units=units)
        p = m.part("p", 1.0, (1, 1, 1))
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            m.mesh(p, str(path), scale=scale, repair=True)
        assert bool(found) == (units == "SI" and scale == 1.0)


def test_moduli_of_other_units():
    for E, strange in ((210.0, True), (2.1e11, False)):
        m = hn.Model("m")
        p = m.part("p", 1.57, (1, 1, 1), position=(0.5, 0, 0))
        bar = hn.flexible.beam((0, 0, 0), (1, 0, 0), hn.flexible.Section.rectangle(0.02, 0.01), E=E, density=7850.0)
        m.make_flexible(p, bar, modes=2, interfaces=[])
        assert any("more than its size" in w and "steel: 2.1e+11" in w for w in m.warnings) == strange


def test_times_that_contradict_each_other():
    m = hn.Model("m")
    m.part("p", 1.0, (1, 1, 1))
    with pytest.raises(hn.ModelError, match="steps = 10 and dt = 0.1 both"):
        hn.simulate(m, end=1.0, steps=10, dt=0.1)
    for words in (dict(integrator="RK4"), dict(contact="time-stepping"), {}):
        with pytest.raises(hn.ModelError, match="step = 10 is longer than the run of 1"):
            hn.simulate(m, end=1.0, step=10, **words)
    with pytest.raises(hn.ModelError, match="dt = 2 is longer than the run of 1"):
        hn.simulate(m, end=1.0, dt=2)


@pytest.mark.parametrize("words", [{}, {"integrator": "DOP853"}])
def test_fixed_steps_are_reported(words):
    """A fixed step is what the run reports, and an error bound has no influence on it."""
    m = hn.Model("m")
    m.part("p", 1.0, (1, 1, 1))
    said = hn.simulate(m, 0.1, 1, step=0.01, error=1e-8, **words).info["messages"]
    assert any("integrator DOP853, fixed step 0.01" in text for text in said)
    assert any("ERROR = 1e-08 has no influence at a fixed step of 0.01" in text for text in said)


def test_every_force_of_stiffness_and_damping_has_a_probe():
    """Element types whose fields are stiffness and damping matrices or coefficients are checked; a new one must
    be."""
    from holonom.model import forces

    classes = [
        c
        for c in vars(forces).values()
        if isinstance(c, type) and getattr(c, "KIND", "") and c.__module__ == forces.__name__
    ]
    stiff = {c.KIND for c in classes if {"k", "kt", "kmatrix"} & set(getattr(c, "__dataclass_fields__", ()))}
    assert stiff <= set(PROBES), stiff - set(PROBES)


# ---- torques across hinges -------------------------------------------------------------------------------------------
def hinged(kind, axis, joint="revolute", between=False, **more):
    """A torque about ``axis`` on a part that turns about y."""
    m = hn.Model("m")
    a = m.part("a", 1.0, (1, 1, 1))
    other = m.part("b", 1.0, (1, 1, 1)) if between else m.ground
    if between:
        m.revolute(other, m.ground, at=(0, 0, 0), axis=(0, 1, 0))
    getattr(m, joint)(a, other, at=(0, 0, 0), **({} if joint == "spherical" else {"axis": (0, 1, 0)}))
    i, j = m.marker_at(a, (0, 0, 0), z=axis), m.marker_at(other, (0, 0, 0), z=axis)
    if kind == "sforce":
        m.sforce(i, j, "5", kind="ROTATIONAL", **more)
    elif kind == "spring":
        m.torsion_spring(i, j, 10.0)
    else:
        m.vtorque(i, other, *(("0", "0", "5") if kind == "vtorque" else ("1", "2", "5")), rm=j)
    return [w for w in hn.check(m).warnings if "its torque is about" in w]


@pytest.mark.parametrize("between", [False, True])
@pytest.mark.parametrize("kind", ["sforce", "spring", "vtorque"])
def test_torques_across_their_hinge(kind, between):
    (text,) = hinged(kind, (1, 0, 0), between=between)
    assert "90 degrees from the axis of JOINT/" in text and "it turns nothing" in text
    assert hinged(kind, (0, 1, 0), between=between) == hinged(kind, (0, -1, 0), between=between) == []
    assert hinged(kind, (1, 0, 0), "spherical", between) == [] or between


def test_torques_that_act_in_part():
    (text,) = hinged("sforce", (1, 1, 0))
    assert "45 degrees" in text and "only 0.707 of it acts" in text
    assert hinged("sforce", (0.05, 1, 0)) == [] and hinged("several", (1, 0, 0)) == []
    assert len(hinged("sforce", (1, 0, 0), actiononly=True)) == 1


def test_a_torque_between_two_markers_of_ground():
    m = hn.Model("m")
    m.part("a", 1.0, (1, 1, 1))
    ends = [m.marker_at(m.ground, (x, 0, 0)) for x in (0, 1)]
    m.sforce(*ends, "5", kind="ROTATIONAL")
    assert hn.check(m).ok


def test_the_lighter_body_is_what_rests_on_a_contact():
    """Of a light ball on a heavy tank, and of a heavy ball on ground, which is pressed in by its weight: (m g/k)^(2/3)
    = (300 * 9.81 / 1e5)^(2/3) = 0.095 m."""
    for other in ("part", "ground"):
        m = hn.Model("m")
        m.gravity = (0, 0, -9.81)
        tank = m.part("tank", 300.0, (40, 60, 60), position=(0, 0, 1))
        m.sphere(tank, (0, 0, 1), 0.05)
        on = m.part("ball", 5.0, (1, 1, 1), position=(0, 0, 2)) if other == "part" else m.ground
        m.sphere(on, (0, 0, 2), 0.05)
        m.contact(tank, on, stiffness=1e5)
        assert any("implausible" in w and "0.0953 m" in w for w in hn.check(m).warnings) == (other == "ground")


# ---- bodies of files -------------------------------------------------------------------------------------------------
def flexible_model(**changes):
    from dataclasses import replace

    m = hn.Model("m")
    m.gravity = (0, 0, -9.80665)
    p = m.part("p", 1.57, (1, 1, 1), position=(0.5, 0, 0))
    bar = hn.flexible.beam((0, 0, 0), (1, 0, 0), hn.flexible.Section.rectangle(0.02, 0.01), E=2.1e11, density=7850.0)
    e = m.make_flexible(p, bar, modes=2, interfaces=[])
    if changes:
        e.body = replace(e.body, **changes)
    return m


@pytest.mark.parametrize("way", ["python", "json"])
@pytest.mark.parametrize(
    "changes, text",
    [
        ({}, ""),
        ({"inertia": np.diag([1.0, 1.0, 5.0])}, "no body has the inertia of its modes"),
        ({"mass": 3.0}, "its mass is 1.57 and that of its modes 3 kg"),
        ({"frequency": np.array([1.0, 2.0])}, "under gravity it would deflect by 9.81 m"),
    ],
)
def test_bodies_of_files_are_checked_as_those_of_python(way, changes, text):
    m = flexible_model(**changes)
    if way == "json":
        m = hn.Model.from_json(m.to_json())
    found = hn.check(m).warnings
    assert any(text in w for w in found) if text else not found


@pytest.mark.parametrize(
    "inertia, text",
    [
        (np.diag([-1.0, 1.0, 1.0]), "a principal moment is -1"),
        (np.eye(3) + np.eye(3, k=1), "inertia must be symmetric"),
    ],
)
def test_impossible_inertia_of_modes_is_refused(inertia, text):
    m = flexible_model(inertia=inertia)
    assert any(text in fault for fault in hn.check(hn.Model.from_json(m.to_json())).faults)


@pytest.mark.parametrize("way", ["python", "json", "adm"])
def test_inertia_of_no_body_is_reported_from_every_source(way):
    m = hn.Model("m")
    m.part("p", 1.0, (1.0, 1.0, 5.0))
    if way == "json":
        m = hn.Model.from_json(m.to_json())
    elif way == "adm":
        m = hn.formats.parse_adm(hn.formats.write_adm(m))
    assert any("no body has such an inertia" in w for w in hn.check(m).warnings)


@pytest.mark.parametrize("error, doubt", [(0.0, False), (4.8e-7, False), (1e-2, True)])
def test_free_lengths_of_fields_that_are_printed_with_few_digits(error, doubt):
    """A tower of a wind turbine: free lengths of 0.547619 m with seven digits and 1.8e12 N/m are no preload."""
    m = hn.Model("tower")
    p = m.part("p", 100.0, (1, 1, 1))
    length = 0.5476190476190477
    i, j = m.marker_at(p, (length, 0, 0)), m.marker_at(m.ground, (0, 0, 0))
    stiff = np.diag([1.8e12, 1.7e10, 1.7e10, 1.8e9, 1.7e9, 1.7e9]).ravel()
    m.field(i, j, kmatrix=stiff.tolist(), length=(length + error, 0, 0, 0, 0, 0))
    texts = [w for w in hn.check(m).warnings if "times the weight" in w]
    assert bool(texts) == doubt and all("0.01 m off its free length" in w for w in texts)
