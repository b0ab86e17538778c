"""Tiny models, and analyses of them that make kernels compile: what ``holonom warmup`` runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial, wraps
from typing import TYPE_CHECKING

from .model import Model

if TYPE_CHECKING:
    pass


def small_machine(outputs: bool = True) -> Model:
    """A crank that drives a slider through a rod, with one force of every kind, a state, and with ``outputs`` a
    variable and requests."""
    m = Model("warmup")
    m.gravity = (0.0, -9.81, 0.0)
    crank = m.part("crank", 1.0, (0.01, 0.01, 0.01), (0.1, 0.0, 0.0))
    rod = m.part("rod", 1.0, (0.01, 0.02, 0.02), (0.4, 0.0, 0.0))
    slider = m.part("slider", 1.0, (0.01, 0.01, 0.01), (0.6, 0.0, 0.0))
    m.revolute(m.ground, crank, "pivot", at=(0, 0, 0), axis=(0, 0, 1))
    m.revolute(crank, rod, "pin", at=(0.2, 0, 0), axis=(0, 0, 1))
    m.spherical(rod, slider, "wrist", at=(0.6, 0, 0), axis=(0, 0, 1))
    m.translational(m.ground, slider, "guide", at=(0.6, 0, 0), axis=(1, 0, 0))
    i, j = m.marker(slider), m.marker(m.ground)
    state = m.diff("-DIF(1)", ic=1.0)
    speed = f"VX({i.id}) + DIF({state.id})"
    if outputs:
        speed = f"VARVAL({m.variable(speed).id})"
    m.sforce(i, j, f"-0.1*({speed})", kind="TRANSLATIONAL")
    m.vforce(
        i, m.ground, fx=f"-DX({i.id},{j.id})-IF(DX({i.id},{j.id})-5: 0, 0, 1)"
    )  # a switch, so that events are watched
    m.spring_damper(i, j, stiffness=1.0, damping=0.1, length=0.5)
    m.torsion_spring(m.marker(crank), j, stiffness=0.1, damping=0.01)
    m.bushing(i, j, stiffness=(1, 1, 1), rotational_stiffness=(0.1, 0.1, 0.1), damping=(0.1, 0.1, 0.1))
    if outputs:
        m.request(kind="DISPLACEMENT", i=i, j=j)
        m.request(functions=[f"FX({i.id},{j.id})"])
    return m


def bare_machine(outputs: bool = False) -> Model:
    """A double pendulum of joints and gravity alone: tables of forces and functions are absent, which is a form of its
    own."""
    m = Model("warmup bare")
    m.gravity = (0.0, -9.81, 0.0)
    upper = m.part("upper", 1.0, (0.01, 0.02, 0.02), (0.5, 0.0, 0.0))
    lower = m.part("lower", 1.0, (0.01, 0.02, 0.02), (1.5, 0.0, 0.0))
    m.revolute(upper, m.ground, "pin", at=(0, 0, 0), axis=(0, 0, 1))
    m.spherical(lower, upper, "ball", at=(1, 0, 0))
    if outputs:
        m.request(kind="DISPLACEMENT", i=m.marker(lower), j=m.marker(m.ground))
    return m


def _orders() -> None:
    """Analysis of patterns, which small models do without kernels (`_jit.small`)."""
    import numpy as np

    from .linalg import _ordering, ldl

    spared, _ordering.SMALL = _ordering.SMALL, (0, 0)
    try:
        ldl.build_ldl(4, np.array([1, 2, 3]), np.array([0, 1, 2]))
        _dynamics(bare_machine, "GSTIFF", "I3")
    finally:
        _ordering.SMALL = spared


def bouncing_ball() -> Model:
    """A ball just above a plane, with friction."""
    m = Model("warmup ball")
    m.gravity = (0.0, 0.0, -9.81)
    ball = m.part("ball", 1.0, (0.004, 0.004, 0.004), (0.0, 0.0, 0.1), velocity=(0.5, 0.0, 0.0))
    m.contact(
        m.sphere(ball, (0.0, 0.0, 0.1), 0.1),
        m.plane(m.ground, (0, 0, 0), (0, 0, 1)),
        stiffness=1e5,
        damping=10.0,
        mu=0.3,
        restitution=0.5,
        stiction_transition_velocity=0.01,
        friction_transition_velocity=0.01,
    )
    return m


def small_heap() -> Model:
    """Four balls of unlike size on a plane, with friction that remembers and resists rolling: what the granular solver
    compiles."""
    m = Model("warmup heap")
    m.gravity = (0.0, 0.0, -9.81)
    balls = m.grains(
        [(0.0, 0.0, 0.0099), (0.03, 0.0, 0.0299), (0.03, 0.0, 0.0698), (0.07, 0.0, 0.0698)],
        (0.01, 0.03, 0.01, 0.03),
        "balls",
        density=1000.0,
        record=("position", "quaternion", "contacts", "stress"),
    )
    law = dict(
        law="KELVIN_VOIGT",
        stiffness=1e4,
        damping=1.0,
        mu=0.3,
        friction="BRISTLE",
        rolling_resistance=1e-4,
        friction_parameters={"tangential_stiffness": 3e3},
        stiction_transition_velocity=0.01,
        friction_transition_velocity=0.01,
    )
    m.contact(balls, **law)
    m.contact(balls, m.plane(m.ground, (0, 0, 0), (0, 0, 1)), **law)
    return m


Works = Iterator[tuple[str, Callable[[], object]]]


def _eagerly(works: Callable[[], Works]) -> Callable[[], Works]:
    """With everything compiled that the models of these works have, called or not."""

    def run(work: Callable[[], object]) -> object:
        from ._later import eager

        with eager():
            return work()

    @wraps(works)
    def wrapped() -> Works:
        for name, work in works():
            yield name, partial(run, work)

    return wrapped


@_eagerly
def warm() -> Works:
    """(what, work) of each analysis, in turn."""
    from .analyses.session.simulate import simulate

    for name, options in (
        ("assembly and explicit Runge-Kutta", {"integrator": "DOP853"}),
        ("ABAM", {"integrator": "ABAM"}),
        ("GSTIFF I3", {"integrator": "GSTIFF", "formulation": "I3"}),
        ("GSTIFF SI2", {"integrator": "GSTIFF", "formulation": "SI2"}),
        ("WSTIFF SI1", {"integrator": "WSTIFF", "formulation": "SI1"}),
        ("DSTIFF SI2", {"integrator": "DSTIFF", "formulation": "SI2"}),
        ("HHT, generalized-alpha, Newmark, implicit Euler", {"integrator": "HHT"}),
        ("RADAU5", {"integrator": "RADAU5"}),
    ):
        yield name, lambda options=options: simulate(small_machine(), end=0.01, steps=2, progress=False, **options)  # type: ignore[misc]
    yield "statics", lambda: simulate(small_machine(), kind="statics", progress=False)
    for name, model in (
        ("joints alone", bare_machine),
        ("joints alone, with requests", partial(bare_machine, outputs=True)),
        ("without requests", partial(small_machine, outputs=False)),
    ):
        yield name, partial(_dynamics, model, "DOP853")
    yield "elimination orders", _orders

    def driven() -> object:
        m = small_machine()
        m.motion("pivot", "TIME")
        return simulate(m, end=0.01, steps=2, progress=False)

    yield "kinematics", driven
    # the step of both methods is one kernel; VERLET also requires accelerations
    yield (
        "grains",
        lambda: simulate(
            small_heap(), end=0.01, steps=2, integrator="VELOCITY_VERLET", hmax=1e-4, grains="granular", progress=False
        ),
    )


def _dynamics(model: Callable[[], Model], integrator: str, formulation: str | None = None, **options) -> object:
    from .analyses.session.simulate import simulate

    if formulation is not None:
        options["formulation"] = formulation
    if integrator == "VELOCITY_VERLET":
        options["hmax"] = 1e-3  # its steps are of one size
    return simulate(model(), end=0.01, steps=2, integrator=integrator, progress=False, **options)
