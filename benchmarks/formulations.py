"""The formulations I3, SI2 and SI1 of GSTIFF compared: accuracy, high frequencies, robustness, cost.

    python benchmarks/formulations.py

Each line is one run: steps accepted and rejected, and what the machine is for.
  accuracy     double pendulum, 1 s: largest errors of position, speed and pin reaction over their largest values, from
               DOP853 at 1e-12
  frequencies  a mass that swings 0.1 m at 1 Hz carries one that vibrates 1 mm at 100 Hz (both on guides), 0.2 s: share
               of the fast amplitude that is left, 1 in closed form
  rough        a cart driven by 0.1 m ASIN(SIN(20 t)), whose speed jumps where no condition shows it, with a pendulum
  friction     a slider on a spring, with friction of 6 N that acts at an arm of 0 or 10 m from its guide: the motion is
               the same, the torque on the guide reverses with the speed
  contact      a slider between walls that its guide meets at 0.8 degrees, so that the guide carries most of the contact
               force
"""

from __future__ import annotations

import warnings

import numpy as np

import holonom as hn

FORMULATIONS = ("I3", "SI2", "SI1")
ERRORS = (1e-3, 1e-5)


def double_pendulum() -> hn.Model:
    m = hn.Model("double pendulum")
    m.gravity = (0, -9.81, 0)
    a, b = m.part("a", 1.0, (0.1,) * 3, (0.5, 0, 0)), m.part("b", 1.0, (0.1,) * 3, (1.5, 0, 0))
    m.revolute(a, m.ground, "pin", at=(0, 0, 0), axis=(0, 0, 1))
    m.revolute(b, a, "elbow", at=(1, 0, 0), axis=(0, 0, 1))
    return m


def two_speeds() -> hn.Model:
    m = hn.Model("two speeds")
    m.gravity = (0, 0, 0)
    heavy = m.part("slow", 1e6, (1,) * 3, (0.1, 0, 0))  # so heavy that the light one does not move it
    light = m.part("fast", 1.0, (1,) * 3, (1.1 + 1e-3, 0, 0))
    for part in (heavy, light):
        m.translational(part, m.ground, at=(0, 0, 0), axis=(1, 0, 0))
    slow, fast = (2 * np.pi) ** 2, (200 * np.pi) ** 2
    m.spring_damper(
        m.marker(heavy), m.marker(m.ground, (-5.0, 0, 0)), stiffness=1e6 * slow, damping=0.0, length=5.0, name="soft"
    )
    m.spring_damper(m.marker(light), m.marker(heavy), stiffness=fast, damping=0.0, length=1.0, name="stiff")
    return m


def rough() -> hn.Model:
    m = hn.Model("rough")
    m.gravity = (0, 0, -9.81)
    cart = m.part("cart", 1.0, (0.1,) * 3, (0, 0, 0))
    rail = m.translational(cart, m.ground, "rail", at=(0, 0, 0), axis=(1, 0, 0))
    bob = m.part("bob", 1.0, (0.1,) * 3, (0, 0, -0.5))
    m.revolute(bob, cart, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    m.motion(rail, "0.1*ASIN(SIN(20*TIME))", "drive")
    return m


def rubbed(arm: float) -> hn.Model:
    m = hn.Model("rubbed")
    m.gravity = (0, -9.81, 0)
    slider = m.part("slider", 1.0, (0.01,) * 3, (0, 0, 0), velocity=(2.0, 0, 0))
    m.translational(slider, m.ground, "guide", at=(0, 0, 0), axis=(1, 0, 0))
    i, j = m.marker(slider), m.marker(m.ground)
    m.spring_damper(i, m.marker(m.ground, (-1.0, 0, 0)), stiffness=100.0, damping=0.0, length=1.0)
    m.vforce(m.marker(slider, (0, arm, 0)), m.ground, f"-6*TANH(VX({i},{j})/1e-3)", "0", "0")
    return m


def between_walls(across: float = 0.9999) -> hn.Model:
    m = hn.Model("between walls")
    m.gravity = (0, 0, 0)
    slider = m.part("slider", 1.0, (0.01,) * 3, (0, 0, 0), velocity=(2.0, 0, 0))
    m.translational(slider, m.ground, "guide", at=(0, 0, 0), axis=(1, 0, 0))
    ball, along = m.sphere(slider, (0, 0, 0), 0.05), np.sqrt(1.0 - across**2)
    for side in (-1.0, 1.0):
        normal = (-side * along, across, 0)
        wall = m.plane(m.ground, (0.3 * side, 0, 0), normal)
        m.contact(ball, wall, name=f"wall {side:g}", stiffness=1e6, exponent=1.5, damping=0.0, joined=True)
    return m


def accuracy(run: hn.Run, exact: hn.Run) -> str:
    out = []
    for of in (
        lambda r: r.part("b").position.values,
        lambda r: r.part("b").velocity.values,
        lambda r: r.constraint("pin").force.values,
    ):
        want = of(exact)
        out.append(np.abs(of(run) - want).max() / np.abs(want).max())
    return "errors of position, speed, reaction " + ", ".join(f"{v:.1e}" for v in out)


def fast_amplitude(run: hn.Run) -> float:
    """Of the last tenth of a run of `two_speeds`, over that at the start."""
    stretch = run.part("fast").position.values[:, 0] - run.part("slow").position.values[:, 0] - 1.0
    late = run.time > 0.9 * run.time[-1]
    return float(np.ptp(stretch[late]) / 2e-3)


CASES = {
    "accuracy": (double_pendulum, 1.0, 100),
    "frequencies": (two_speeds, 0.2, 2000),
    "rough": (rough, 1.0, 50),
    "friction, arm 0": (lambda: rubbed(0.0), 1.0, 50),
    "friction, arm 10 m": (lambda: rubbed(10.0), 1.0, 50),
    "contact": (between_walls, 1.0, 50),
}


def main() -> None:
    warnings.simplefilter("ignore")
    exact = hn.simulate(double_pendulum(), 1.0, 100, integrator="DOP853", error=1e-12, switching=False)
    print(f"{'case':20}{'':>5}{'error':>8}{'steps':>7}{'rejected':>9}  result")
    for name, (make, end, rows) in CASES.items():
        for formulation in FORMULATIONS:
            for error in ERRORS:
                line = f"{name:20}{formulation:>5}{error:8.0e}"
                try:
                    options = {"integrator": "GSTIFF", "formulation": formulation, "error": error, "interpolate": True}
                    run = hn.simulate(make(), end, rows, **options)
                except hn.ModelError as failed:
                    print(f"{line}{'':>16}  {str(failed).split(';')[0]}")
                    continue
                taken = int((run.history["cause"] == "").sum())
                more = accuracy(run, exact) if name == "accuracy" else ""
                more = f"fast amplitude left {fast_amplitude(run):.3f}" if name == "frequencies" else more
                print(f"{line}{taken:7}{len(run.history) - taken:9}  {more}", flush=True)


if __name__ == "__main__":
    main()
