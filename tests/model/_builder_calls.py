"""A valid call of every builder method of `holonom.Model` that `test_builder_arguments` does not call."""

import numpy as np

import _tyres
import holonom as hn

B = lambda m: m.parts["body"]
AT = {"at": (0, 0, 0), "axis": (0, 0, 1)}
SQUARE = ((0.1, 0.0), (1.0, 0.0), (1.0, 1.0), (0.1, 1.0))
TETRAHEDRON = (((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)), ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)))
CIRCLE = np.linspace(0.0, 2.0 * np.pi, 9)


def _hinge(m):
    return m.revolute(B(m), m.ground, "hinge", at=(0, 0, 0), axis=(0, 0, 1))


def _joint(name, **more):
    return lambda m, a, b: getattr(m, name)(B(m), m.ground, "joint", **AT | more)


def _ring(m, x):
    return m.curve(np.c_[x * np.cos(CIRCLE), 0.7 * x * np.sin(CIRCLE), 0 * CIRCLE], closed=True)


def _shapes(m):
    return m.sphere(B(m), (1, 0, 0), 0.5, group="own"), m.plane(m.ground, (0, 0, -1), (0, 0, 1))


def _states(m):
    return m.array("X"), m.array("U", variables=[m.variable("TIME")]), m.array("Y")


def _lse(m, a, b):
    x, u, y = _states(m)
    one = m.matrix([[-1.0]])
    return m.linear_state_equations(x, one, u, one, y, one)


def _tfsiso(m, a, b):
    x, u, y = _states(m)
    return m.transfer_function(x, u, y, *(m.array("IC", numbers=n) for n in ([1.0, 0.5], [1.0, 0.7, 2.0])))


def _sand(m):
    return m.grains([(0, 0, 1)], 0.1, "sand", density=1000.0)


def _bar(m, **more):
    bar = hn.flexible.beam((0, 0, 0), (1, 0, 0), hn.flexible.Section.round(0.1), E=1e9, density=100.0, elements=2)
    return m.make_flexible(B(m), bar, modes=2, interfaces=(), **more)


def _flexible(use):
    def call(m, a, b):
        _bar(m)
        return use(m, b)

    return call


def _surface(m, a, b):
    cube = hn.flexible.box((0, 0, 0), (1, 1, 1), (1, 1, 1), "hexahedron")
    m.make_flexible(B(m), cube, hn.flexible.Material(1e9, 0.3, 1000.0), contact=lambda x: x[:, 2] < 0.1, modes=2)
    return m.surface_contact(B(m), m.plane(m.ground, (0, 0, 0), (0, 0, 1)))


def _rail(m, a, b):
    return m.rail_track(rail=hn.rail.round_head(0.3), name="track")


CALLS = {
    **{name: _joint(name) for name in ("constant_velocity", "cylindrical", "fixed", "planar", "spherical")},
    **{name: _joint(name, x=(1, 0, 0)) for name in ("hooke", "universal")},
    "breaking": lambda m, a, b: m.breaking(_hinge(m), force=5.0),
    "contact_each": lambda m, a, b: (_shapes(m), m.contact_each(B(m), m.ground, stiffness=1e5, damping=10.0)),
    "contacts_of": lambda m, a, b: (_shapes(m), m.contact(B(m), m.ground, group="all"), m.contacts_of("all")),
    "curve_on_curve": lambda m, a, b: m.curve_on_curve(a, _ring(m, 0.5), b, _ring(m, 0.6)),
    "point_on_curve": lambda m, a, b: m.point_on_curve(a, b, _ring(m, 1.0)),
    "feeder": lambda m, a, b: m.feeder(
        _sand(m), hn.Cylinder((0, 0, 1), (0, 0, 2), 0.5), rate=1.0, radius=0.01, density=1000.0
    ),
    "sink": lambda m, a, b: (_sand(m), m.sink(hn.HalfSpace((0, 0, 0), (0, 0, 1)), "sand")),
    "grains": lambda m, a, b: _sand(m),
    "graphic": lambda m, a, b: m.graphic("CYLINDER", cm=a.id, length=1.0, radius=0.5),
    "height_field": lambda m, a, b: m.height_field(m.ground, np.zeros((3, 3)), 1.0),
    "hydraulic_cylinder": lambda m, a, b: m.hydraulic_cylinder(
        a, b, area_a=5e-3, area_b=3e-3, stroke=1.0, bulk=1.4e9, length=0.5, valve=2e-7, supply=21e6
    ),
    "pneumatic_cylinder": lambda m, a, b: m.pneumatic_cylinder(
        a, b, area_a=5e-3, area_b=3e-3, stroke=1.0, length=0.5, supply=7e5, conductance=2e-8
    ),
    "latch": lambda m, a, b: m.latch(_hinge(m), at=0.5),
    "linear_state_equations": _lse,
    "transfer_function": _tfsiso,
    "state_equations": lambda m, a, b: m.state_equations(lambda call: [0.0], 1, x=m.array("X")),
    "lock": lambda m, a, b: m.lock(_hinge(m), when="TIME-1"),
    "switch": lambda m, a, b: m.switch({"on": [_hinge(m)], "off": ()}, [("on", "off", "TIME-1")]),
    "mesh": lambda m, a, b: m.mesh(B(m), TETRAHEDRON),
    "plane_curve": lambda m, a, b: m.plane_curve(B(m), SQUARE, width=0.1),
    "revolution": lambda m, a, b: m.revolution(B(m), SQUARE),
    "nforce": lambda m, a, b: m.nforce([a], b, stiffness=np.eye(6)),
    "road": lambda m, a, b: m.road("PLANK", start=1.0, length=0.5, height=0.06, bevel=0.05),
    "rail_track": _rail,
    "wheel_rail": lambda m, a, b: m.wheel_rail(a, _rail(m, a, b), side="LEFT", radius=0.46, profile=hn.rail.s1002()),
    "shapes_of": lambda m, a, b: (_shapes(m), m.shapes_of("own")),
    "substitute": lambda m, a, b: (_shapes(m), m.substitute("*", {"type": "SPHERE", "radius": 0.2})),
    "string": lambda m, a, b: m.string("text"),
    "user_constraint": lambda m, a, b: m.user_constraint(lambda call: 0.0, [1.0]),
    "make_flexible": lambda m, a, b: _bar(m),
    "attachment": _flexible(lambda m, b: m.attachment(B(m), 3)),
    "modal_damping": _flexible(lambda m, b: m.modal_damping(B(m), np.eye(2))),
    "modal_force": _flexible(lambda m, b: m.modal_force(B(m), "TIME", nodes={3: (1.0, 0.0, 0.0)})),
    "moving_force": _flexible(lambda m, b: m.moving_force(B(m), [1, 2, 3], "TIME", (0, -1, 0))),
    "surface_contact": _surface,
    **{k.lower(): tyre for k, tyre in _tyres.TYRES.items() if k not in ("TYRE_BRUSH", "TYRE_FIALA")},
}
