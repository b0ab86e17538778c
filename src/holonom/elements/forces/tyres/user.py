"""TYRE_USER: a tyre whose forces in the contact are a Python function, compiled.

    f(c, fz, kappa, tana, gamma, vx, omega, psi, mu) -> F_x, F_y, M_x, M_y, M_z

with its own numbers c, the load, the slips of the contact, which lag behind by the relaxation lengths, the inclination,
V_x (negative rolling backward, where the arm of the side force changes its sign), the spin, psi' and the friction of
the road, in the contact's axes (`contact`). Load, relaxation, effective rolling radius (share of the deflection),
rolling resistance and what calms a wheel at standstill are those of other tyres of few numbers (`plain`).

The function is compiled twice, for numbers and for dual numbers, which are complex: its derivatives are exact then.  It
takes ``sin``, ``atan``, ``sqrt``, ``real``, ``sign``, ``clip``, ... from `holonom.elements.duals`, and compares by
``real(x)``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from ...._jit import jit
from ...._with_numba import Signature, with_numba
from ....model.base import ModelError, shown
from ....model.builder.teaching import sound
from ....model.values import listed, number
from .plain import PlainTyre, plain, plain_parameters
from .plain_laws import OWN, rolling, slips, vertical
from .tyre import tyre_kind

USER_REAL, USER_DUALS = (
    Signature(f"5 * {number}", ", ".join(["float64[::1]", *8 * [number]])) for number in ("float64", "complex128")
)


@with_numba
def _calls():
    global _real, _dual
    from ...._address import caller

    _real, _dual = caller(*USER_REAL), caller(*USER_DUALS)


#: name -> compiled function
FUNCTIONS: dict[str, Any] = {}
ADDRESS, ADDRESS_DUAL, STIFF_X, STIFF_Y, COUNT, FIRST = range(OWN, OWN + 6)


@dataclass
class UserTyre(PlainTyre):
    """TYRE_USER: tyre of a function between the wheel of marker ``i`` and a road.

    ``law``: name under which the function is known (`register_tyre`); ``coefficients``: its numbers;
    ``slip_stiffness_x``, ``slip_stiffness_y``: about what its forces rise by with their slips, which calms it at
    standstill.
    """

    KIND: ClassVar[str] = "TYRE_USER"
    law: str = ""
    coefficients: tuple[float, ...] = ()
    slip_stiffness_x: float = 0.0
    slip_stiffness_y: float = 0.0

    def faults(self, model):
        """Invalid values: a function that is not registered."""
        yield from PlainTyre.faults(self, model)
        for name in ("slip_stiffness_x", "slip_stiffness_y"):
            if not getattr(self, name) > 0.0:
                yield f"{name} is {getattr(self, name):g}; give a positive number"
        if self.law not in FUNCTIONS:
            yield (f"its function '{self.law}' is unknown; call holonom.vehicle.register_tyre('{self.law}', f) first")


def register_tyre(name: str, function: Callable) -> None:
    """Register the function of user tyres under a name, as a model from a file requires it. Raises `ModelError` for a
    value that is not a function."""
    if not callable(function):
        raise ModelError(f"the function of tyre '{name}' is {shown(function)}; give a Python function")
    from ...._address import compiled

    FUNCTIONS[name] = compiled(function)


def tyre_user(
    model,
    i,
    j,
    function: Any,
    *,
    radius: float,
    stiffness: float,
    slip_stiffness_x: float,
    slip_stiffness_y: float,
    coefficients: Any = (),
    damping: float = 0.0,
    rolling_resistance: float = 0.0,
    relax_x: float | None = None,
    relax_y: float | None = None,
    slow: float | None = None,
    share: float = 1.0,
    load_curve=(),
    contact: str = "POINT",
    footprint: Any = None,
    name: str = "",
    id: int = 0,
) -> UserTyre:
    """A tyre of your own on the wheel of marker ``i`` (origin its centre, y axis along the spin axis, to the left of
    forward travel) on ``j``, a road or a marker of a flat one (z axis up):
    ``function(c, fz, kappa, tana, gamma, vx, omega, psi, mu)`` gives F_x, F_y, M_x, M_y, M_z;
    `holonom.elements.forces.tyres.user` states how it is written.

    ``function``: itself, or the name under which `register_tyre` knows it; ``coefficients``: its numbers c;
    ``slip_stiffness_x``, ``slip_stiffness_y``: force per slip, about; the rest as for ``tyre_fiala``.  Raises
    `ModelError` for sizes that are not positive and functions that do not compile.
    """
    routine = (
        function
        if isinstance(function, str)
        else f"{getattr(function, '__module__', '') or 'here'}.{getattr(function, '__qualname__', 'function')}"
    )
    if not isinstance(function, str):
        register_tyre(routine, function)
    given = dict(
        radius=radius,
        stiffness=stiffness,
        damping=damping,
        rolling_resistance=rolling_resistance,
        relax_x=relax_x,
        relax_y=relax_y,
        slow=slow,
        share=share,
        slip_stiffness_x=slip_stiffness_x,
        slip_stiffness_y=slip_stiffness_y,
        load_curve=load_curve,
    )
    own = tuple(number(v, "coefficients") for v in listed(coefficients, "coefficients", "numbers"))
    return model.add(
        sound(
            UserTyre(id=id, name=name, **plain(model, i, j, contact, footprint, given), law=routine, coefficients=own),
            model,
        )
    )


def _address(e, form) -> float:
    from ...._address import address_of

    try:
        return address_of(FUNCTIONS[e.law], form.arguments, form.result)
    except KeyError:
        raise e.error(
            f"its function '{e.law}' is unknown; call holonom.vehicle.register_tyre('{e.law}', f) first"
        ) from None
    except Exception as error:
        kind = "dual numbers" if form is USER_DUALS else "numbers"
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        text = next((line for line in lines if not line.startswith("Failed")), "") if lines else type(error).__name__
        raise e.error(f"its function '{e.law}' does not compile for {kind}: {text}") from None


def parameters(e, model):
    c = plain_parameters(
        e,
        model,
        e.slip_stiffness_x,
        e.slip_stiffness_y,
        [0.0, 0.0, e.slip_stiffness_x, e.slip_stiffness_y, float(len(e.coefficients)), *e.coefficients],
    )
    c[ADDRESS] = _address(e, USER_REAL)
    return c


@jit
def real_law(c, s, x):
    rho, rate, vx, vsy, omega, gamma, psi, mu = s
    fz, push, stored = vertical(c, rho, rate)
    # the function has no friction that could be requested: that of the road, of a dry one about 1
    most = 3.0 * mu * fz
    kappa, tana, du, dv = slips(c, rho, vx, vsy, omega, x[0], x[1], most / c[STIFF_X], most / c[STIFF_Y])
    fx, fy, mx, my, mz = 0.0, 0.0, 0.0, 0.0, 0.0
    if fz > 0.0:
        own = c[FIRST : FIRST + int(c[COUNT])]
        fx, fy, mx, my, mz = _real(int(c[ADDRESS]), (own, fz, kappa, tana, gamma, vx, omega, psi, mu))
    return fx, fy, fz, mx, my + rolling(c, fz, omega), mz, stored, push, du, dv, 0.0, 0.0


@jit
def dual_law(c, s, x):
    rho, rate, vx, vsy, omega, gamma, psi, mu = s
    fz, push, stored = vertical(c, rho, rate)
    # the function has no friction that could be requested: that of the road, of a dry one about 1
    most = 3.0 * mu * fz
    kappa, tana, du, dv = slips(c, rho, vx, vsy, omega, x[0], x[1], most / c[STIFF_X], most / c[STIFF_Y])
    zero = fz * 0.0
    fx, fy, mx, my, mz = zero, zero, zero, zero, zero
    if fz.real > 0.0:
        own = c[FIRST : FIRST + int(c[COUNT])]
        fx, fy, mx, my, mz = _dual(int(c[ADDRESS_DUAL]), (own, fz, kappa, tana, gamma, vx, omega, psi, mu))
    return fx, fy, fz, mx, my + rolling(c, fz, omega), mz, stored, push, du, dv, zero, zero


def _late(e, own):
    own[ADDRESS_DUAL] = _address(e, USER_DUALS)


KIND = tyre_kind(
    UserTyre, tyre_user, real_law, parameters, lambda e: e.radius, turns=True, dual=dual_law, late_parameters=_late
)
