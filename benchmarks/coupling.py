"""Calls and CPU time of co-simulation for a coupling error: a machine cut at a joint, and the same machine cut at its
spring with fixed steps (Jacobi, Gauss-Seidel) and with error control, against the matrix exponential.

    make bench CASE=coupling                                both machines, errors 1e-3, 1e-4, 1e-6
    make bench CASE=coupling ARGS="truck 1e-3"              one machine, one error

The machines are two masses between springs (1 and 2 kg; 10, 5 and 20 N/m; 2 s) and a quarter truck over a step of the
road (400 and 40 kg, 15 kN/m, 1 kN s/m, 150 kN/m; 1 s). At the spring, one side gives the force and takes the position
and the velocity of the other. For a joint, the lower mass consists of two parts, which a fixed joint connects; a
quarter of it belongs to the upper side. The error is the largest one of both heights at 20 times, as a share of the
largest height. A fixed step is changed until the error is between 0.7 and 1 of the requested one; error control
receives the requested error. Calls are those of both sides, steps that are repeated included.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

import numpy as np
from scipy.linalg import expm

import holonom as hn

OPENING = {"integrator": "DOP853", "error": 1e-11}
ERRORS = (1e-3, 1e-4, 1e-6)
SHARE = 0.25  # of the lower mass, on the upper side of the joint
ROWS = 20


@dataclass(frozen=True)
class Machine:
    """Masses [kg], stiffnesses [N/m] from ground to the upper mass, between both, from the lower mass to ground; damper
    between both [N s/m]; position of the ground below [m]; velocity of the upper mass at the start [m/s]; time [s]."""

    name: str
    upper: float
    lower: float
    above: float
    between: float
    below: float
    damping: float
    road: float
    speed: float
    end: float
    first: float  # step from which the fixed ones are searched [s]

    def exact(self, times: np.ndarray) -> np.ndarray:
        """(n, 2) heights by the matrix exponential."""
        k, d = self.between, self.damping
        a = np.zeros((5, 5))
        a[0, 1] = a[2, 3] = 1.0
        a[1, :4] = np.array([-k - self.above, -d, k, d]) / self.upper
        a[3] = np.array([k, d, -k - self.below, -d, self.below * self.road]) / self.lower
        return np.array([(expm(a * t) @ [0.0, self.speed, 0.0, 0.0, 1.0])[[0, 2]] for t in times])


MACHINES = {
    "masses": Machine("masses", 1.0, 2.0, 10.0, 5.0, 20.0, 0.0, 0.0, 1.0, 2.0, 0.02),
    "truck": Machine("truck", 400.0, 40.0, 0.0, 15e3, 15e4, 1e3, 0.1, 0.0, 1.0, 2e-3),
}


def _body(model: hn.Model, name: str, mass: float, guided: bool = True, speed: float = 0.0):
    part = model.part(name, mass=mass, inertia=(1, 1, 1), position=(0, 0, 0), velocity=(0, 0, speed))
    if guided:
        model.translational(part, model.ground, f"slide_{name}", at=(0, 0, 0), axis=(0, 0, 1))
    return part


def whole(m: Machine) -> hn.Model:
    """The machine with the joint ``weld`` in its lower mass."""
    model = hn.Model(m.name, units="SI")
    model.gravity = (0, 0, 0)
    upper = _body(model, "upper", m.upper, speed=m.speed)
    seat = _body(model, "seat", SHARE * m.lower, guided=False)
    lower = _body(model, "lower", (1.0 - SHARE) * m.lower)
    model.fixed(seat, lower, "weld", at=(0, 0, 0))
    z = {part.name: f"DZ({part.cm})" for part in (upper, seat, lower)}
    if m.above:
        model.vforce(upper.cm, None, fz=f"-{m.above} * {z['upper']}")
    rate = f"VZ({seat.cm}) - VZ({upper.cm})"
    model.vforce(seat.cm, upper, fz=f"-{m.between} * ({z['seat']} - {z['upper']}) - {m.damping} * ({rate})")
    model.vforce(lower.cm, None, fz=f"-{m.below} * ({z['lower']} - {m.road})")
    model.variable(z["upper"], "height_upper")
    model.variable(z["lower"], "height_lower")
    return model


def at_joint(m: Machine, **options) -> hn.analyses.cosimulation.cosimulate.Cosimulation:
    """Co-simulation of both sides of the joint."""
    sides = {"upper": OPENING, "lower": OPENING}
    return hn.cosimulate(whole(m), cut="weld", end=m.end, steps=ROWS, options=sides, **options)


def at_spring(m: Machine, **options) -> hn.analyses.cosimulation.cosimulate.Cosimulation:
    """Co-simulation of both masses; the lower one gives the force between them."""
    sides, inputs = {}, {"upper": ["force"], "lower": ["place", "speed"]}
    for name, mass in (("upper", m.upper), ("lower", m.lower)):
        model = sides[name] = hn.Model(name, units="SI")
        model.gravity = (0, 0, 0)
        tip = _body(model, "body", mass, speed=m.speed if name == "upper" else 0.0).cm
        value = {n: f"VARVAL({model.input(n).id})" for n in inputs[name]}
        z, v = f"DZ({tip})", f"VZ({tip})"
        if name == "upper":
            model.vforce(tip, None, fz=f"{value['force']} - {m.above} * {z}")
            model.variable(v, "rate")
        else:
            pull = f"{m.between} * ({z} - {value['place']}) + {m.damping} * ({v} - {value['speed']})"
            model.vforce(tip, None, fz=f"-({pull}) - {m.below} * ({z} - {m.road})")
            model.variable(pull, "pull")
        model.variable(z, f"height_{name}")
    wires = {
        "upper.force": "lower.pull",
        "lower.place": "upper.height_upper",
        "lower.speed": "upper.rate",
    }
    return hn.cosimulate(sides, {**wires}, end=m.end, steps=ROWS, options=dict.fromkeys(sides, OPENING), **options)


#: function, factor of the first fixed step (0: error control), scheme
METHODS = {
    "joint, error control": (at_joint, 0.0, ""),
    "joint, fixed step": (at_joint, 4.0, ""),
    "spring, error control": (at_spring, 0.0, "gauss-seidel"),
    "spring, Gauss-Seidel, fixed step": (at_spring, 1.0, "gauss-seidel"),
    "spring, Jacobi, fixed step": (at_spring, 1.0, "jacobi"),
}


def measure(m: Machine, method: str, error: float, step: float | None = None) -> tuple[float, int, int, float]:
    """Error, steps, calls of both sides, CPU time [s] of one run with this requested error or step."""
    run, _, scheme = METHODS[method]
    how = {"error": error} if step is None else {"step": step}
    began = time.process_time()
    both = run(m, **how, **({"scheme": scheme} if scheme else {}))
    cpu = time.process_time() - began
    got = np.column_stack([both.runs[side].variable(f"height_{side}").values for side in ("upper", "lower")])
    exact = m.exact(both.time)
    off = float((np.abs(got - exact).max(axis=0) / np.abs(exact).max(axis=0)).max())
    return off, both.statistics.steps, sum(both.statistics.calls.values()), cpu


def fixed(m: Machine, method: str, error: float) -> tuple[float, tuple[float, int, int, float]]:
    """The fixed step whose error is the requested one, and what it has cost."""
    order = 4 if "joint" in method else 2
    step = m.first * METHODS[method][1]
    for _ in range(12):
        count = np.ceil(m.end / ROWS / step - 1e-9)
        step = m.end / ROWS / count
        found = measure(m, method, error, step)
        if 0.7 * error <= found[0] <= error or (count == 1 and found[0] < error):
            break
        change = (0.85 * error / found[0]) ** (1.0 / order) if np.isfinite(found[0]) else 0.3
        new = np.ceil(m.end / ROWS / (step * min(4.0, max(0.02, change))) - 1e-9)
        if new == count:
            if found[0] <= error:
                break
            new = count + 1
        step = m.end / ROWS / new
    return step, found


def main(arguments: list[str]) -> None:
    """Tables for the machines and errors that are named."""
    names = [a for a in arguments if a in MACHINES] or list(MACHINES)
    errors = [float(a) for a in arguments if a not in MACHINES] or list(ERRORS)
    for name in names:
        m = MACHINES[name]
        head = ("method", "requested", "step", "error", "steps", "calls", "CPU s")
        print(f"{name}, {m.end:g} s\n| {' | '.join(head)} |\n{'|---' * len(head)}|")
        for method, (_, factor, _) in METHODS.items():
            for error in errors:
                if factor:
                    step, (off, steps, calls, cpu) = fixed(m, method, error)
                else:
                    step, (off, steps, calls, cpu) = 0.0, measure(m, method, error)
                print(f"| {method} | {error:g} | {step:.3g} | {off:.2g} | {steps} | {calls} | {cpu:.1f} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
