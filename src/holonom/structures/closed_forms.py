"""What dampers do in harmonic motion X sin(w t), in closed form, and the same from a simulation of each.

    viscous, Kelvin      K* = k + i c w
    Maxwell (Zener)      K* = k + 1 / (1/k_series + 1/(i c w))
    Burgers              K* = 1 / (1/k_maxwell + 1/(i c_maxwell w) + 1/(k_kelvin + i c_kelvin w))
    loss a cycle         pi Im(K*) X^2;   storage Re(K*), loss stiffness Im(K*), equivalent ratio Im/(2 Re)
    power a              4 2^a Gamma(1 + a/2)^2 / Gamma(2 + a) c (w X)^a X
    yielding, friction   4 (1 - hardening) F (X - F/k) for a sharp knee

Sources: A. K. Chopra, Dynamics of Structures, sec. 3.8 and 3.9; W. N. Findley, J. S. Lai, K. Onaran (1976), 5.7; T. T.
Soong, M. C. Constantinou (eds.), Passive and Active Structural Vibration Control in Civil Engineering (1994), for
powers.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..model import Model, ModelError
from ..model.base import did_you_mean, shown
from ..model.builder.arguments import FORMER
from ..model.builder.teaching import present_names

#: keywords of the builders that count, and the smallest that each needs
_NEEDS = {
    "spring_damper": ("damping",),
    "power_damper": ("damping", "exponent"),
    "maxwell_damper": ("series_stiffness", "damping"),
    "burgers_damper": ("maxwell_stiffness", "maxwell_damping", "kelvin_stiffness", "kelvin_damping"),
    "hysteretic_spring": ("stiffness", "yield_force"),
}


def _known(kind: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """The parameters by their present names.  Raises `ModelError` for unknown types and missing parameters."""
    if kind not in _NEEDS:
        raise ModelError(f"kind is {shown(kind)}{did_you_mean(str(kind), _NEEDS)}; give one of {', '.join(_NEEDS)}")
    parameters = present_names(FORMER.get(kind, {}), parameters, kind)
    missing = [w for w in _NEEDS[kind] if w not in parameters]
    if missing:
        raise ModelError(f"{kind} lacks {', '.join(missing)}; give all of {', '.join(_NEEDS[kind])}")
    return parameters


def complex_stiffness(kind: str, w: float, **p: float) -> complex:
    """K* at w (rad/s) of a linear damper, force over stretch: its real part stores, its imaginary part loses.  Raises
    `ModelError` for types that are not linear."""
    p = _known(kind, p)
    if not (math.isfinite(w) and w > 0.0):
        raise ModelError(f"w is {shown(w)}; give a positive circular frequency")
    if kind == "spring_damper" or kind == "power_damper" and p["exponent"] == 1.0:
        return p.get("stiffness", 0.0) + 1j * p["damping"] * w
    if kind == "maxwell_damper":
        return p.get("stiffness", 0.0) + 1.0 / (1.0 / p["series_stiffness"] + 1.0 / (1j * p["damping"] * w))
    if kind == "burgers_damper":
        return 1.0 / (
            1.0 / p["maxwell_stiffness"]
            + 1.0 / (1j * p["maxwell_damping"] * w)
            + 1.0 / (p["kelvin_stiffness"] + 1j * p["kelvin_damping"] * w)
        )
    raise ModelError(f"{kind} is not linear, so it has no complex stiffness; `loss_a_cycle` gives what it loses")


def loss_a_cycle(kind: str, amplitude: float, w: float, **p: float) -> float:
    """Loss of a damper in a steady cycle X sin(w t), in closed form: force * length.  Of `hysteretic_spring` for a
    sharp knee.  Raises `ModelError` for types that are
    not in the module's list and for keywords that are missing."""
    p = _known(kind, p)
    X = float(amplitude)
    if kind == "power_damper":
        a = p["exponent"]
        return 4.0 * 2.0**a * math.gamma(1.0 + 0.5 * a) ** 2 / math.gamma(2.0 + a) * p["damping"] * (w * X) ** a * X
    if kind == "hysteretic_spring":
        return (
            4.0 * (1.0 - p.get("hardening", 0.0)) * p["yield_force"] * max(X - p["yield_force"] / p["stiffness"], 0.0)
        )
    return math.pi * complex_stiffness(kind, w, **p).imag * X * X


def measure(
    kind: str, amplitude: float, w: float, *, cycles: int = 6, steps: int = 200, error: float = 1e-8, **p: float
) -> dict[str, Any]:
    """The same from a simulation: a slider driven by X sin(w t) against the damper; the last cycle.  ``stretch``,
    ``force`` (steps + 1,) that pulls it, ``loss`` (that
    of the energies of the run), ``storage``, ``loss_stiffness`` (first harmonics over X), ``peak``.  Raises
    `ModelError` as the builder of the damper does."""
    p = _known(kind, p)
    m = Model("rig")
    m.gravity = (0, 0, 0)
    reach = 100.0 * amplitude
    part = m.part("slide", 1.0, (1, 1, 1), position=(reach, 0, 0))
    m.motion(
        m.translational(part, m.ground, at=(reach, 0, 0), axis=(1, 0, 0)),
        f"{float(amplitude)!r}*SIN({float(w)!r}*TIME)",
    )
    more = (
        {"length": reach}
        if kind == "spring_damper"
        else {"slow": 1e-4 * w * amplitude}
        if kind == "power_damper"
        else {}
    )
    e = getattr(m, kind)(m.marker(part), m.marker(m.ground), **(more | p))
    from ..analyses.session.simulate import simulate

    T = 2.0 * math.pi / w
    run = simulate(m, cycles * T, cycles * steps, integrator="RADAU5", error=error)
    view = run.spring(e.id) if kind == "spring_damper" else run.force(f"{e.KIND}/{e.id}")
    x = (run.part("slide").position.values[:, 0] - reach)[-steps - 1 :]
    f = -np.asarray(view.force.values)
    f = (f[:, 0] if f.ndim == 2 else f)[-steps - 1 :]
    loss = float(run.data.energy_dissipated[-1] - run.data.energy_dissipated[-steps - 1])
    phase = 2.0 * np.pi * np.arange(steps) / steps
    first = 2.0 / steps * np.array([np.sum(f[:-1] * np.sin(phase)), np.sum(f[:-1] * np.cos(phase))]) / amplitude
    return {
        "stretch": x,
        "force": f,
        "loss": loss,
        "storage": float(first[0]),
        "loss_stiffness": float(first[1]),
        "peak": float(np.abs(f).max()),
    }
