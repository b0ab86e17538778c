"""FMUs of the public collection FMIZoo (Dymola and SimulationX, FMI 2.0 and 3.0) against solutions of their own.

``python benchmarks/fmi_zoo.py FOLDER`` with the folder ``models/bin`` of https://github.com/ThummeTo/FMIZoo.jl; one row
for each FMU and kind: largest difference over 4 s, of the size of the motion.  References are not of Holonom: closed
forms, and SciPy's DOP853 (1e-12) between the changes from stick to slip of the friction law that Modelica's
MassWithStopAndFriction states.  FMUs without a binary for this platform are named with the reason.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import holonom as hn

END, ROWS, ERROR = 4.0, 80, 1e-6
GRAVITY = 9.81
STIFF, REST = 10.0, 1.0  # of the spring [N/m, m]; mass 1 kg
VISCOUS, COULOMB, STRIBECK, EXPONENT = 1 / 20, 5 / 20, 10 / 20, 2.0


def swing(at: float, start: float, speed: float, t: np.ndarray, decay: float = 0.0) -> np.ndarray:
    """Place of a mass on a spring whose rest is ``at``; ``decay`` = d / (2 m)."""
    w = math.sqrt(STIFF - decay**2)
    x = start - at
    return at + np.exp(-decay * t) * (x * np.cos(w * t) + (speed + decay * x) / w * np.sin(w * t))


def bounces(start: float, floor: float, share: float, t: np.ndarray) -> np.ndarray:
    """Height of a ball by its parabolas."""
    out, begin, speed, low = np.full(len(t), floor), 0.0, 0.0, start
    while begin < t[-1] and (low > floor or speed > 1e-9):
        fall = (speed + math.sqrt(speed**2 + 2 * GRAVITY * (low - floor))) / GRAVITY
        here = (t >= begin) & (t <= begin + fall)
        s = t[here] - begin
        out[here] = low + speed * s - GRAVITY * s**2 / 2
        speed, low, begin = share * abs(speed - GRAVITY * fall), floor, begin + fall
    return out


def trapezoid(t: float) -> float:
    """Load of the model whose friction mass is driven: 5 N, ramps of 2 s, period 8 s, from 1 s on."""
    s = (t - 1.0) % 8.0 if t >= 1.0 else 0.0
    return 5.0 * float(np.clip(min(s / 2.0, (6.0 - s) / 2.0), 0.0, 1.0))


def rubbing(at: float, start: float, load: Callable[[float], float], corners: list[float], t: np.ndarray) -> np.ndarray:
    """Place of a mass with Stribeck friction: F = sign(v) (COULOMB + VISCOUS |v| + STRIBECK exp(-EXPONENT |v|)); it
    sticks while the applied force is below COULOMB + STRIBECK."""
    out, now, x, v = np.full(len(t), math.nan), 0.0, start, 0.0
    pull = lambda s, x: load(s) - STIFF * (x - at)
    while now < t[-1]:
        stop = min([c for c in corners if c > now + 1e-12] + [float(t[-1])])
        side = math.copysign(1.0, v) if abs(v) > 1e-9 else 0.0
        over = COULOMB + STRIBECK
        if not side and abs(pull(now, x)) > over - 1e-12:
            side = math.copysign(1.0, pull(now, x))
        if not side:  # at rest until the force grows beyond the limit
            fine = np.linspace(now, stop, 20001)
            free = np.flatnonzero(np.abs([pull(s, x) for s in fine]) > over)
            then = float(fine[free[0]]) if len(free) else stop
            if len(free) and free[0]:
                low, high = float(fine[free[0] - 1]), then
                for _ in range(60):
                    middle = (low + high) / 2
                    low, high = (low, middle) if abs(pull(middle, x)) > over else (middle, high)
                then = high
            here = (t >= now) & (t <= then)
            out[here], now, v = x, then, 0.0
            continue

        def rates(s: float, y: np.ndarray, side: float = side) -> list[float]:
            rub = COULOMB + VISCOUS * side * y[1] + STRIBECK * math.exp(-EXPONENT * side * y[1])
            return [y[1], pull(s, y[0]) - side * rub]

        def halt(s: float, y: np.ndarray, side: float = side, begun: float = now) -> float:
            return side * y[1] + (1e-14 if s < begun + 1e-9 else 0.0)

        halt.terminal, halt.direction = True, -1  # type: ignore[attr-defined]
        run = solve_ivp(rates, (now, stop), [x, v], "DOP853", rtol=1e-12, atol=1e-13, events=halt, dense_output=True)
        here = (t >= now) & (t <= run.t[-1])
        out[here] = run.sol(t[here])[0]
        ended = run.status == 1
        now, x, v = float(run.t[-1]), float(run.y[0, -1]), 0.0 if ended else float(run.y[1, -1])
    return out


def switched(t: np.ndarray) -> np.ndarray:
    """A ball whose gravity turns over each second, with a floor at 0 that returns 0.7 of the speed."""
    out, x, v, now = np.zeros(len(t)), 1.0, 0.0, 0.0
    while now < t[-1]:
        turn = math.floor(now + 1e-12) + 1.0
        g = -GRAVITY if round(turn) % 2 else GRAVITY
        roots = np.roots([g / 2, v, x])
        hits = [float(r.real) for r in roots if abs(r.imag) < 1e-12 and r.real > 1e-9 and v + g * r.real < 0]
        h = min([*hits, turn - now])
        here = (t >= now) & (t <= now + h)
        s = t[here] - now
        out[here] = x + v * s + g * s**2 / 2
        struck = bool(hits) and h < turn - now
        x, v, now = (0.0, -0.7 * (v + g * h), now + h) if struck else (x + v * h + g * h**2 / 2, v + g * h, now + h)
    return out


def still(t: float) -> float:
    """No load."""
    return 0.0


CORNERS = [1.0, 3.0, 5.0, 7.0, 9.0]
#: model -> variable, its values at times
CASES: dict[str, tuple[str, Callable[[np.ndarray], np.ndarray]]] = {
    "SpringPendulum1D": ("mass.s", lambda t: swing(0.1 + REST, 0.5, 0.0, t)),
    "SpringPendulumExtForce1D": ("mass.s", lambda t: swing(0.1 + REST, 0.5, 0.0, t)),
    "SpringDamperPendulum1D": ("mass.s", lambda t: swing(REST, 0.5, 0.0, t, 0.1)),
    "SpringFrictionPendulum1D": ("mass.s", lambda t: rubbing(REST, 0.5, still, [], t)),
    "SpringFrictionPendulumExtForce1D": ("mass.s", lambda t: rubbing(0.1 + REST, 0.5, still, [], t)),
    "SpringTimeFrictionPendulum1D": ("mass.s", lambda t: rubbing(REST, 0.5, trapezoid, CORNERS, t)),
    "BouncingBall1D": ("mass_s", lambda t: bounces(1.0, 0.1, 0.9, t)),
    "BouncingBallGravitySwitch1D": ("mass_s", switched),
    "IO": ("y_real", lambda t: 0.0 * t),
}


def row(path: Path, kind: str) -> str:
    """The largest difference of one FMU, and what it cost."""
    name = path.stem.removesuffix("CS").removesuffix("ME")
    if name not in CASES:
        return "nan (no reference)"
    variable, exact = CASES[name]
    begun = time.process_time()
    options: dict[str, Any] = {"error": ERROR, "kinds": {"fmu": kind}, "record": [f"fmu.{variable}"]}
    found = hn.cosimulate({"fmu": path}, {}, END, steps=ROWS, **options)
    t = np.asarray(found.time)
    ought = exact(t)
    size = float(np.ptp(ought)) or 1.0
    off = float(np.abs(found[f"fmu.{variable}"] - ought).max()) / size
    return f"{off:.2g} ({len(t)} rows, {time.process_time() - begun:.2f} s of CPU)"


def print_rows(prog: str, help: str, row: Callable[[Path, str], str]) -> None:
    """A row for each FMU below the folder that the command names and each kind, or why there is none."""
    p = argparse.ArgumentParser(prog=prog)
    p.add_argument("folder", type=Path, help=help)
    folder = p.parse_args().folder
    for path in sorted(folder.rglob("*.fmu")):
        for kind in ("cs", "me"):
            try:
                words = row(path, kind)
            except hn.ModelError as fault:
                words = str(fault).replace(str(path), path.name)
            print(f"{path.relative_to(folder)} {kind}: {words}", flush=True)


if __name__ == "__main__":
    print_rows("fmi_zoo", "models/bin of FMIZoo.jl", row)
