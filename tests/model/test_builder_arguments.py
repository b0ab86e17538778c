"""Arguments of builder methods: one name for one thing, numbers of any type, quantities with units as text."""

import functools
import inspect
import math
import re
import warnings

import numpy as np
import pytest

import holonom as hn
from holonom.model.builder.arguments import DIMENSIONS, FORMER
from holonom.model.builder.control import Control, methods
from holonom.model.joints import Friction
from holonom.model.quantity_text import in_units, unit_of

BUILDERS = {
    name: method
    for name, method in inspect.getmembers(hn.Model, inspect.isfunction)
    if name[0] != "_" and hasattr(method, "__wrapped__") and name not in vars(hn.Model)
}
BLOCKS = {f"control.{name}": getattr(Control, name) for name in methods()}
ARGUMENTS = {name: list(inspect.signature(method).parameters)[1:] for name, method in (BUILDERS | BLOCKS).items()}


# ---- one name for one thing -----------------------------------------------------------------------------------------
#: the name that builders use -> names that mean the same
SYNONYMS = {
    "stiffness": "k kt kx spring_constant spring_stiffness spring_rate rate_constant",
    "damping": "c ct cx damper damping_constant viscosity",
    "mu": "coefficient_of_friction friction_coefficient",
    "function": "func fun expression law_function formula",
    "lower": "low lo minimum min lower_limit",
    "upper": "hi maximum max upper_limit",
    "mass": "m weight",
    "radius": "r rad",
    "length": "l len",
    "position": "pos location place_at",
    "velocity": "vel v",
    "axis": "direction",
    "at": "location origin point where",
    "name": "label title",
    "id": "number ident adams_id",
    "density": "rho",
    "angle": "phi theta",
    "parts": "bodies",
    "centre": "center",
    "sample_time": "period dt ts sampling_time",
    "inputs": "us signals",
    "exclude": "ignore without",
}
#: where such a name means another thing
OTHERS = {
    ("linear_state_equations", "c"): "the matrix C of x' = Ax + Bu, y = Cx + Du",
    ("tyre_tmeasy", "cx"): "longitudinal stiffness of the tread",
    ("control.pid", "c"): "weight of the reference in the derivative, as b in the proportional part",
    ("control.lookup", "v"): "second input",
}


def test_builders_have_one_name_for_one_thing():
    """A former name lives on in FORMER alone, which warns."""
    found = [
        f"{method}({argument}=): builders call this {name}"
        for name, others in SYNONYMS.items()
        for method, arguments in ARGUMENTS.items()
        for argument in arguments
        if argument in others.split() and (method, argument) not in OTHERS
    ]
    assert found == []


def test_former_names_are_gone_and_still_work():
    for method, former in FORMER.items():
        for old, name in former.items():
            assert old not in ARGUMENTS[method] and name in ARGUMENTS[method], (method, old)
    model, a, b = scene()
    with pytest.warns(DeprecationWarning, match="spring_damper: the argument k is now called stiffness"):
        spring = model.spring_damper(a, b, **{"k": 5.0}, damping=1.0, length=1.0)
    assert (spring.k, spring.c) == (5.0, 1.0)
    with pytest.raises(hn.ModelError, match="k and stiffness are the same argument"):
        model.spring_damper(a, b, **{"k": 5.0, "stiffness": 5.0})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.spring_damper(a, b, 5.0, 1.0, length=1.0)  # in order, nothing has changed


# ---- numbers of any type --------------------------------------------------------------------------------------------
def scene(units="SI"):
    model = hn.Model("scene", units=units)
    body = model.part("body", 2.0, (1.0, 1.0, 1.0), (1.0, 0.0, 0.0))
    return model, model.marker(body, name="a"), model.marker(model.ground, name="b")


def hinge(m, kind="revolute"):
    return getattr(m, kind)(m.parts["body"], m.ground, "hinge", at=(0, 0, 0), axis=(0, 0, 1))


def second(m, f):
    p = m.part("second", f(1), (f(1),) * 3, (f(0), f(1), f(0)))
    return m.revolute(p, m.ground, "other", at=(0, 1, 0), axis=(0, 0, 1))


B = lambda m: m.parts["body"]
TYRE = lambda f: dict(radius=f(0.25), stiffness=f(2e5))
#: builder method -> a call with numbers made by ``f`` and whole ones by ``w``
CALLS = {
    "part": lambda m, a, b, f, w: m.part("p", f(2), (f(1), f(1), f(1)), (f(0), f(0), f(0.5)), velocity=(f(1), w(0),
        w(0)),
        angular_velocity=(f(0), f(0), f(1)), euler=(f(0.5), w(0), w(0)), id=w(7)),
    "point_mass": lambda m, a, b, f, w: m.point_mass("q", f(0.5), (f(1), w(2), f(0)), velocity=(f(1), f(0), f(0)),
        id=w(9)),
    "sliding_mass": lambda m, a, b, f, w: m.sliding_mass(B(m), (f(0), f(0), f(0.5)), mass=f(1), stiffness=f(4),
        travel=f(0.25)),
    "marker": lambda m, a, b, f, w: m.marker(B(m), (f(0.5), w(1), f(0)), z=(f(0), f(1), f(0)), id=w(50)),
    "marker_at": lambda m, a, b, f, w: m.marker_at(B(m), (f(0.5), w(1), f(0))),
    "floating_marker": lambda m, a, b, f, w: m.floating_marker(B(m), id=w(60)),
    "joint": lambda m, a, b, f, w: m.joint("CYLINDRICAL", B(m), m.ground, at=(f(0), w(0), f(0)), ictran=(f(0.5), f(0))),
    "revolute": lambda m, a, b, f, w: m.revolute(B(m), m.ground, at=(f(0), w(0), f(0)), axis=(w(0), w(0), w(1)),
        angle=f(0.25), lower=f(-1), upper=f(1), friction=dict(mu_static=f(0.125), pin_radius=f(0.25)), id=w(3)),
    "translational": lambda m, a, b, f, w: m.translational(B(m), m.ground, at=(f(0), w(0), f(0)), travel=f(0.25),
        lower=f(-1), stop_stiffness=f(1000), stop_damping=f(2), friction=(f(0.25), f(0.125))),
    "screw": lambda m, a, b, f, w: m.screw(B(m), m.ground, f(0.5), at=(f(0), w(0), f(0))),
    "rack_and_pinion": lambda m, a, b, f, w: m.rack_and_pinion(a, b, f(0.5)),
    "primitive": lambda m, a, b, f, w: m.primitive("INLINE", B(m), m.ground, at=(f(0), w(0), f(0))),
    "coupler": lambda m, a, b, f, w: m.coupler([hinge(m), second(m, f)], (f(2), w(-1))),
    "gear": lambda m, a, b, f, w: m.gear(hinge(m), second(m, f), ratio=f(-4.5)),
    "constraint": lambda m, a, b, f, w: m.constraint("DM(1,2)-1", id=w(4)),
    "motion": lambda m, a, b, f, w: m.motion(hinge(m), f(0.5), icvel=None),
    "friction": lambda m, a, b, f, w: m.friction(hinge(m), mu_static=f(0.25), mu_dynamic=f(0.125), pin_radius=f(0.5)),
    "curve": lambda m, a, b, f, w: m.curve(np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], type(f(1))),
        order=w(4)),
    "sforce": lambda m, a, b, f, w: m.sforce(a, b, f(0.5), id=w(3)),
    "vforce": lambda m, a, b, f, w: m.vforce(a, fx=f(0.5), fz=w(2)),
    "vtorque": lambda m, a, b, f, w: m.vtorque(a, tx=f(0.5), tz=w(2)),
    "gforce": lambda m, a, b, f, w: m.gforce(a, fx=f(0.5), tz=w(2)),
    "spring_damper": lambda m, a, b, f, w: m.spring_damper(a, b, f(50), w(2), f(0.5), w(1)),
    "torsion_spring": lambda m, a, b, f, w: m.torsion_spring(a, b, f(50), w(2), f(0.5), w(1)),
    "bushing": lambda m, a, b, f, w: m.bushing(a, b, (f(1), w(2), f(3)), damping=np.array([1, 2, 3], type(f(1)))),
    "field": lambda m, a, b, f, w: m.field(a, b, np.eye(6, dtype=type(f(1))), cratio=f(0.5), length=np.ones(6,
        type(f(1)))),
    "beam": lambda m, a, b, f, w: m.beam(a, b, f(1), f(1e-4), f(1e-9), f(1e-9), w(0), f(2e11), f(8e10), cratio=f(0.5)),
    "exact_beam": lambda m, a, b, f, w: m.exact_beam(a, b, EA=f(1), GJ=f(1), EIy=f(1), EIz=w(1), length=f(1)),
    "maxwell_damper": lambda m, a, b, f, w: m.maxwell_damper(a, b, stiffness=f(1), series_stiffness=f(2), damping=w(3)),
    "burgers_damper": lambda m, a, b, f, w: m.burgers_damper(a, b, maxwell_stiffness=f(1), maxwell_damping=f(2),
        kelvin_stiffness=w(3), kelvin_damping=w(4)),
    "power_damper": lambda m, a, b, f, w: m.power_damper(a, b, damping=f(2), exponent=f(0.5), stiffness=w(3)),
    "hysteretic_spring": lambda m, a, b, f, w: m.hysteretic_spring(a, b, stiffness=f(2), yield_force=w(3), knee=f(2)),
    "tyre_fiala": lambda m, a, b, f, w: m.tyre_fiala(a, b, cslip=f(1000), calpha=f(800), umax=f(0.875), **TYRE(f)),
    "tyre_brush": lambda m, a, b, f, w: m.tyre_brush(a, b, slip_stiffness=f(1e4), load=w(4000), half_length=f(0.0625),
        mu=f(0.75), **TYRE(f)),
    "tyre_user": None,
    "array": lambda m, a, b, f, w: m.array("IC", numbers=np.array([1, 2], type(f(1))), id=w(5)),
    "matrix": lambda m, a, b, f, w: m.matrix(np.eye(2, dtype=type(f(1)))),
    "spline": lambda m, a, b, f, w: m.spline(np.arange(5, dtype=type(w(1))), np.arange(5, dtype=type(f(1)))),
    "variable": lambda m, a, b, f, w: m.variable("TIME", ic=f(0.5), id=w(4)),
    "diff": lambda m, a, b, f, w: m.diff("TIME", ic=f(0.5)),
    "sensor": lambda m, a, b, f, w: m.sensor("TIME", f(0.5), error=f(0.125), dt=f(0.25)),
    "request": lambda m, a, b, f, w: m.request("r", functions=["TIME", f(0.5)]),
    "box": lambda m, a, b, f, w: m.box(B(m), (f(0), w(0), f(0)), (f(1), w(2), f(0.5))),
    "rounded_box": lambda m, a, b, f, w: m.rounded_box(B(m), (f(0), w(0), f(0)), (f(1), w(2), f(1)), f(0.125)),
    "sphere": lambda m, a, b, f, w: m.sphere(B(m), (f(0), w(0), f(0)), f(0.5)),
    "ellipsoid": lambda m, a, b, f, w: m.ellipsoid(B(m), (f(0), w(0), f(0)), (f(0.5), w(1), f(1))),
    "capsule": lambda m, a, b, f, w: m.capsule(B(m), (f(0), w(0), f(0)), (f(1), w(0), f(0)), f(0.5)),
    "cylinder": lambda m, a, b, f, w: m.cylinder(B(m), (f(0), w(0), f(0)), (f(1), w(0), f(0)), f(0.5)),
    "cone": lambda m, a, b, f, w: m.cone(B(m), (f(0), w(0), f(0)), (f(1), w(0), f(0)), f(0.5), f(0.25)),
    "torus": lambda m, a, b, f, w: m.torus(B(m), (f(0), w(0), f(0)), (w(0), w(0), w(1)), f(0.5), f(0.125)),
    "plane": lambda m, a, b, f, w: m.plane(m.ground, (f(0), w(0), f(0)), (w(0), w(0), w(1)), (f(2), w(3))),
    "point": lambda m, a, b, f, w: m.point(B(m), (f(0), w(0), f(0))),
    "hull": lambda m, a, b, f, w: m.hull(B(m), np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], type(f(1)))),
    "extrusion": lambda m, a, b, f, w: m.extrusion(B(m), np.array([[0, 0], [1, 0], [0, 1]], type(f(1))), f(0.5)),
    "mass_from_shapes": lambda m, a, b, f, w: (m.sphere(B(m), (0, 0, 0), 0.5), m.mass_from_shapes(B(m), w(7850))),
    "contact": lambda m, a, b, f, w: (m.sphere(B(m), (0, 0, 0), 0.5), m.plane(m.ground, (0, 0, 0), (0, 0, 1)),
        m.contact(B(m), m.ground, stiffness=f(1e5), damping=w(10), dmax=f(0.001), mu=f(0.25), joined=True)),
    "stop": lambda m, a, b, f, w: m.stop(hinge(m), f(-0.5), w(1), f(0.5)),
    "clutch": lambda m, a, b, f, w: m.clutch(hinge(m), f(5), engaged=f(0.5)),
    "move": lambda m, a, b, f, w: m.move(B(m), (f(1), w(2), f(0)), (f(0), f(0), f(0.5))),
    "duplicate": lambda m, a, b, f, w: m.duplicate(B(m), by=(f(1), w(2), f(0))),
    "mirror": lambda m, a, b, f, w: m.mirror(B(m), (f(0), w(0), f(0)), (w(0), w(1), w(0))),
    "input": lambda m, a, b, f, w: m.input("u", f(0.5)),
}  # fmt: skip
#: methods without numbers, or whose numbers are coefficients of a file, tables, or pass through those above
WITHOUT = set(
    "attachment breaking constant_velocity contact_each contacts_of curve_on_curve cylindrical feeder fixed fmu grains "
    "graphic height_field hooke hydraulic_cylinder latch linear_state_equations lock make_flexible mesh tyre_mf6 "
    "modal_damping modal_force moving_force nforce pneumatic_cylinder "
    "tyre_pac2002 tyre_pac89 planar plane_curve point_on_curve "
    "rail_track revolution road shapes_of sink spherical state_equations string substitute surface_contact switch "
    "tyre_tmeasy transfer_function tyre_ua universal user_constraint tyre_user wheel_rail remove rename".split()
)


def test_every_builder_is_called_or_named():
    assert set(BUILDERS) - set(CALLS) - WITHOUT == set()
    assert WITHOUT - set(BUILDERS) <= {"remove", "rename"}


#: whose keywords are those of a statement of a dataset, written as they are given
AS_GIVEN = {"graphic"}


@pytest.mark.parametrize("name", [n for n, call in CALLS.items() if call is not None and n not in AS_GIVEN])
def test_an_unknown_keyword_is_refused(name):
    """Every builder, with the arguments of its call and one that it does not have."""
    model, a, b = scene()
    method, tried = getattr(hn.Model, name), []

    def with_another(*args, **words):
        tried.append(name)
        return method(*args, **words, foo=3)

    model.__dict__[name] = functools.partial(with_another, model)
    with pytest.raises(hn.ModelError, match="foo"):
        CALLS[name](model, a, b, float, int)
    assert tried


@pytest.mark.parametrize(
    "name, words, meant",
    [
        ("cylinder", {"inner": 0.09}, "there is no argument 'inner'"),
        ("box", {"euler": (0, 0, 1)}, "there is no argument 'euler'"),
        ("box", {"mass": 3}, "there is no argument 'mass'"),
        ("sphere", {"colour": "red"}, "did you mean 'color'?"),
        ("height_field", {"foo": 3}, "there is no argument 'foo'"),
        ("mesh", {"foo": 3}, "there is no argument 'foo'"),
        ("revolution", {"foo": 3}, "there is no argument 'foo'"),
        ("plane_curve", {"foo": 3}, "there is no argument 'foo'"),
    ],
)
def test_shapes_take_no_other_keywords(name, words, meant):
    m = hn.Model("m")
    square = [(0.1, 0), (1, 0), (1, 1), (0.1, 1)]
    given = {
        "cylinder": ((0, 0, 0), (0, 0, 1), 0.1), "box": ((0, 0, 0), 1.0), "sphere": ((0, 0, 0), 1.0),
        "height_field": (np.zeros((2, 2)), 1.0), "mesh": ("none.stl",), "revolution": (square,),
        "plane_curve": (square,),
    }[name]  # fmt: skip
    with pytest.raises(hn.ModelError, match=re.escape(meant)):
        getattr(m, name)(m.ground, *given, **words)
    assert not m.table("GRAPHICS")


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.part("p", 1.0, (1, 1, 1), {0.0, 1.0, 2.0}),
        lambda m: m.marker(m.ground, frozenset((0.0, 1.0, 2.0))),
        lambda m: m.spline({0.0, 1.0}, [0.0, 1.0]),
        lambda m: m.hull(m.ground, [{0.0, 1.0, 2.0}] * 4),
        lambda m: m.request("r", functions={"TIME", "2*TIME"}),
        lambda m: setattr(m, "gravity", {0.0, 1.0, -9.81}),
    ],
)
def test_sets_are_refused_where_order_counts(call):
    with pytest.raises(hn.ModelError, match="set|rows of 3 numbers"):
        call(hn.Model("m"))


@pytest.mark.parametrize("which", ["x", "y"])
def test_dates_are_refused(which):
    dates = np.array(["2026-01-01", "2026-01-02"], "datetime64[s]")
    given = {"x": [0.0, 1.0], "y": [0.0, 1.0]} | {which: dates}
    with pytest.raises(hn.ModelError, match=f"{which}.* holds dates; give numbers"):
        hn.Model("m").spline(**given)


def built(name, f, w):
    model, a, b = scene()
    CALLS[name](model, a, b, f, w)
    return [e.to_dict() | {"KIND": e.KIND} for e in model]


def same(a, b):
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, str) and isinstance(b, str):
        number = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
        left, right = (re.findall(number, t) for t in (a, b))
        return re.sub(number, "#", a) == re.sub(number, "#", b) and same([*map(float, left)], [*map(float, right)])
    if isinstance(a, float) or isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-30)
    return a == b


@pytest.mark.parametrize("name", [n for n, call in CALLS.items() if call is not None])
def test_numbers_of_numpy_make_the_same_model(name):
    """float32 holds the numbers of CALLS to 1e-7; in the model they are plain numbers of Python."""
    plain, numpy = built(name, float, int), built(name, np.float32, np.int64)
    assert same(plain, numpy)

    def types(value):
        if isinstance(value, dict):
            return {t for v in value.values() for t in types(v)}
        return {t for v in value for t in types(v)} if isinstance(value, (list, tuple)) else {type(value)}

    assert types(numpy) <= {int, float, str, bool, type(None)}


@pytest.mark.parametrize("name", [n for n, call in CALLS.items() if call is not None])
def test_what_is_no_number_is_one_sentence(name):
    """Each number of a call in turn replaced by a pair, a dictionary and nothing: accepted, or a `ModelError`."""
    count = 0

    def tried(k, wrong):
        nonlocal count
        count = 0

        def given(value):
            nonlocal count
            count += 1
            return wrong if count == k else value

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                CALLS[name](*scene(), given, given)
            except hn.ModelError as error:
                assert k and "\n" not in str(error)

    tried(0, None)
    for k in range(1, count + 1):
        for wrong in ((1.0, 2.0), {}, None):
            tried(k, wrong)


# ---- quantities with units as text ----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "text, wanted, value",  # in SI; values by definition of the units
    [
        ("5 mm", "m", 5e-3), ("2in", "m", 0.0508), ("1.5e2 cm", "m", 1.5), ("-3 µm", "m", -3e-6), ("1 ft", "m", 0.3048),
        ("2 t", "kg", 2000.0), ("250 g", "kg", 0.25), ("1 lb", "kg", 0.45359237), ("1 Mg", "kg", 1000.0),
        ("30 deg", "rad", math.pi / 6), ("180°", "rad", math.pi), ("0.5 rad", "rad", 0.5),
        ("60 rpm", "rad/s", 2 * math.pi), ("1 rev/min", "rad/s", math.pi / 30), ("36 km/h", "m/s", 10.0),
        ("5 N/mm", "N/m", 5000.0), ("2 kN*m/rad", "N*m/rad", 2000.0), ("1 N*m/deg", "N*m/rad", 180 / math.pi),
        ("7.85 g/cm^3", "kg/m^3", 7850.0), ("210 GPa", "Pa", 2.1e11), ("1 bar", "Pa", 1e5), ("1 N/mm^2", "Pa", 1e6),
        ("1 lbf", "N", 4.4482216152605), ("1 kg*m/s^2", "N", 1.0), ("3 kg*m^2", "kg*m^2", 3.0), ("10 ms", "s", 0.01),
        ("1 psi", "Pa", 6894.757293168),
        ("1 micron", "m", 1e-6), ("1 mil", "m", 2.54e-5), ("1 lbm", "kg", 0.45359237), ("1 tonne", "kg", 1e3),
        ("100 grad", "rad", math.pi / 2), ("100 gon", "rad", math.pi / 2),
    ],
)  # fmt: skip
def test_values(text, wanted, value):
    assert in_units(text, wanted, hn.Units(), "x") == pytest.approx(value * _own(wanted), rel=1e-12)


def _own(wanted):
    """Default units of a model are SI here or not: SI over them."""
    u = hn.Units()
    sizes = {"m": u.si_length, "kg": u.si_mass, "s": u.si_time, "N": u.si_force, "rad": 1.0}
    sizes["Pa"] = sizes["N"] / sizes["m"] ** 2
    out = 1.0
    for sign, name, power in re.findall(r"([*/]?)([A-Za-z]+)(?:\^(\d))?", wanted):
        out /= sizes[name] ** ((-1 if sign == "/" else 1) * int(power or 1))
    return out


@pytest.mark.parametrize(
    "text, wanted, words",
    [
        ("5 kg", "m", "is '5 kg', which is not in m"), ("5 mmm", "m", "there is no unit 'mmm'"),
        ("5 m", "rad", "not in rad"), ("5 rad", "m", "not in m"), ("5 N", "N/m", "not in N/m"),
        ("5 m m", "m", "is not a unit"), ("5", "m", "give a number"), ("__import__('os')", "m", "give a number"),
        ("1 m^99", "m", "is not"), ("5 N*", "N", "is not a unit"),
    ],
)  # fmt: skip
def test_what_is_refused(text, wanted, words):
    with pytest.raises(hn.ModelError, match=re.escape(words)):
        in_units(text, wanted, hn.Units(), "x")


def test_dimensions_are_of_arguments_that_exist():
    for method, dimensions in DIMENSIONS.items():
        names = ARGUMENTS[method] if method != "friction" else [f for f in Friction.__dataclass_fields__]
        unknown = set(dimensions) - set(names)
        assert not unknown or method.startswith("tyre_"), (method, unknown)
        for wanted in dimensions.values():
            unit_of(wanted)


def test_texts_make_the_same_model_in_any_units():
    """A pendulum in millimetres, tonnes and seconds, and in SI, from the same texts."""
    made = {}
    for units in ("SI", "MMKS"):
        m = hn.Model("m", units=units)
        rod = m.part("rod", "2 kg", inertia=("10 kg*cm^2",) * 3, position=("500 mm", 0, 0), velocity=("3.6 km/h", 0, 0))
        pin = m.revolute(
            rod, m.ground, "pin", at=(0, "2 cm", 0), axis=(0, 0, 1), upper="30 deg", stop_stiffness="1 N*m/deg"
        )
        spring = m.spring_damper(m.marker(rod), m.marker(m.ground), "2 N/mm", "3 N*s/m", "0.5 m")
        u = m.units
        made[units] = (
            rod.mass * u.si_mass, rod.ip[0] * u.si_mass * u.si_length**2, rod.position[0] * u.si_length,
            rod.vx * u.si_length / u.si_time, m.markers[pin.j].qp[1] * u.si_length, spring.k * u.si_force / u.si_length,
            spring.c * u.si_force * u.si_time / u.si_length, spring.length * u.si_length,
        )  # fmt: skip
        assert f"({math.radians(30)!r})-AZ" in next(iter(m.table("SFORCE").values())).function
    assert made["SI"] == pytest.approx((2.0, 1e-3, 0.5, 1.0, 0.02, 2000.0, 3.0, 0.5), rel=1e-12)
    assert made["MMKS"] == pytest.approx(made["SI"], rel=1e-12)


def test_texts_elsewhere_are_refused():
    model, a, b = scene()
    with pytest.raises(hn.ModelError, match="part 'x': mass is '5 mm', which is not in kg"):
        model.part("x", "5 mm")
    with pytest.raises(hn.ModelError, match="scales has '2 mm'; give a number"):
        model.coupler([hinge(model), second(model, float)], ("2 mm", 1.0))
    assert "x" not in model.parts
