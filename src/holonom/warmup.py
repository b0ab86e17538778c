"""Tiny analyses that make every kernel compile: what ``holonom warmup`` runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .model import Model


def small_machine() -> Model:
    """A crank that drives a slider through a rod, with one force of every kind, a state, a variable and a request."""
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
    speed = m.variable(f"VX({i.id}) + DIF({state.id})")
    m.sforce(i, j, f"-0.1*VARVAL({speed.id})", kind="TRANSLATIONAL")
    m.vforce(i, m.ground, fx=f"-DX({i.id},{j.id})-IF(DX({i.id},{j.id})-5: 0, 0, 1)")  # a switch, so that events are watched
    m.spring_damper(i, j, k=1.0, c=0.1, length=0.5)
    m.torsion_spring(m.marker(crank), j, kt=0.1, ct=0.01)
    m.bushing(i, j, k=(1, 1, 1), kt=(0.1, 0.1, 0.1), c=(0.1, 0.1, 0.1))
    m.request(kind="DISPLACEMENT", i=i, j=j)
    m.request(functions=[f"FX({i.id},{j.id})"])
    return m


def small_heap() -> Model:
    """Four balls of unlike size on a plane, with friction that remembers and resists rolling: what the granular lane compiles."""
    m = Model("warmup heap")
    m.gravity = (0.0, 0.0, -9.81)
    balls = m.grains([(0.0, 0.0, 0.0099), (0.03, 0.0, 0.0299), (0.03, 0.0, 0.0698), (0.07, 0.0, 0.0698)], (0.01, 0.03, 0.01, 0.03), "balls",
                     density=1000.0, record=("position", "quaternion", "contacts", "stress"))  # fmt: skip
    law = dict(law="KELVIN_VOIGT", stiffness=1e4, damping=1.0, mu=0.3, friction="BRISTLE", rolling_resistance=1e-4,
               friction_parameters={"tangential_stiffness": 3e3}, stiction_transition_velocity=0.01, friction_transition_velocity=0.01)  # fmt: skip
    m.contact(balls, **law)
    m.contact(balls, m.plane(m.ground, (0, 0, 0), (0, 0, 1)), **law)
    return m


def warm() -> Iterator[tuple[str, Callable[[], object]]]:
    """(what, work) of each analysis, in turn."""
    from .analyses.simulation import simulate

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

    def driven() -> object:
        m = small_machine()
        m.motion("pivot", "TIME")
        return simulate(m, end=0.01, steps=2, progress=False)

    yield "kinematics", driven
    # the step of both methods is one kernel; VERLET also asks for accelerations
    yield (
        "grains",
        lambda: simulate(small_heap(), end=0.01, steps=2, integrator="VELOCITY_VERLET", hmax=1e-4, grains="granular", progress=False),
    )
