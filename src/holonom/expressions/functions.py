"""The mathematical functions of the Adams/Solver language: names, numbers of arguments, definitions.

``FUNCTIONS`` maps a name to its signature.  The definitions are those of the Adams/Solver function reference; each is
written here once as an equation and once, by :mod:`program`, as instructions.  What the table does not hold (TIME,
DX, VARVAL, ...) is an input of the expression.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from .errors import ExpressionError


class Function(NamedTuple):
    """A name with the minimum and the maximum number of arguments and its equation."""

    name: str
    least: int
    most: int
    equation: str


_SERIES = 31  # coefficients of POLY, CHEBY, FORSIN, FORCOS
_LIST = [
    ("ABS", 1, 1, "|a|"),
    ("ACOS", 1, 1, "arc cosine, -1 <= a <= 1"),
    ("AINT", 1, 1, "a without its fraction: sign(a) floor|a|"),
    ("ANINT", 1, 1, "nearest whole number, halves away from zero"),
    ("ASIN", 1, 1, "arc sine, -1 <= a <= 1"),
    ("ATAN", 1, 1, "arc tangent"),
    ("ATAN2", 2, 2, "angle of the point (a2, a1), from -pi to pi"),
    ("COS", 1, 1, "cosine"),
    ("COSH", 1, 1, "hyperbolic cosine"),
    ("DIM", 2, 2, "a1 - a2 when positive, else 0"),
    ("EXP", 1, 1, "e**a"),
    ("INT", 1, 1, "as AINT"),
    ("LOG", 1, 1, "natural logarithm, a > 0"),
    ("LOG10", 1, 1, "logarithm to base 10, a > 0"),
    ("MAX", 2, 255, "greatest argument"),
    ("MIN", 2, 255, "least argument"),
    ("MOD", 2, 2, "a1 - INT(a1/a2) a2"),
    ("NINT", 1, 1, "as ANINT"),
    ("SIGN", 2, 2, "|a1| when a2 >= 0, else -|a1|"),
    ("SIN", 1, 1, "sine"),
    ("SINH", 1, 1, "hyperbolic sine"),
    ("SQRT", 1, 1, "square root, a >= 0"),
    ("TAN", 1, 1, "tangent"),
    ("TANH", 1, 1, "hyperbolic tangent"),
    ("STEP", 5, 5, "STEP(x, x0, h0, x1, h1) = h0 + (h1 - h0) t^2 (3 - 2 t), t = (x - x0)/(x1 - x0) within 0..1"),
    ("STEP5", 5, 5, "STEP5(x, x0, h0, x1, h1) = h0 + (h1 - h0) t^3 (10 - 15 t + 6 t^2), t as in STEP"),
    ("HAVSIN", 5, 5, "HAVSIN(x, x0, h0, x1, h1) = (h0 + h1)/2 + (h1 - h0)/2 sin(t pi - pi/2), t as in STEP"),
    ("IMPACT", 7, 7, "IMPACT(q, qd, q1, k, e, c, d) = max(0, k (q1 - q)^e - c qd STEP(q, q1-d, 1, q1, 0)) if q < q1"),
    (
        "BISTOP",
        8,
        8,
        "BISTOP(q, qd, q1, q2, k, e, c, d): IMPACT at q1 from below, and the opposite one at q2 from above",
    ),
    ("POLY", 3, 2 + _SERIES, "POLY(x, x0, a0, ...) = sum a_j (x - x0)^j"),
    ("CHEBY", 3, 2 + _SERIES, "CHEBY(x, x0, a0, ...) = sum a_j T_j(x - x0), T_j = 2 (x - x0) T_j-1 - T_j-2"),
    ("FORSIN", 4, 3 + _SERIES, "FORSIN(x, x0, w, a0, ...) = a0 + sum a_j sin(j w (x - x0))"),
    ("FORCOS", 4, 3 + _SERIES, "FORCOS(x, x0, w, a0, ...) = a0 + sum a_j cos(j w (x - x0))"),
    ("SHF", 6, 6, "SHF(x, x0, a, w, phi, b) = a sin(w (x - x0) - phi) + b"),
    (
        "SWEEP",
        7,
        7,
        "SWEEP(x, a, x0, f0, x1, f1, dx) = a sin(2 pi p(x)) STEP5(x, x0, 0, x0+dx, 1), dp/dx going from f0 to f1",
    ),
    ("AKISPL", 3, 4, "AKISPL(x, z, id[, order]): Akima cubic through SPLINE id, linear in z"),
    ("CUBSPL", 3, 4, "CUBSPL(x, z, id[, order]): natural cubic through SPLINE id, linear in z"),
    ("INTERP", 3, 4, "INTERP(x, method, id[, order]): method 1 polygon, 3 natural cubic through SPLINE id"),
    ("CURVE", 4, 4, "CURVE(alpha, order, component, id): coordinate 1, 2, 3 of CURVE id or its derivative"),
]
FUNCTIONS: dict[str, Function] = {row[0]: Function(*row) for row in _LIST}

CONSTANTS = {"PI": math.pi, "DTOR": math.pi / 180.0, "RTOD": 180.0 / math.pi}

# Measures of the Adams language, for suggestions only: their meaning lives with whoever compiles the model.
MEASURES = frozenset(
    "TIME MODE AX AY AZ DM DX DY DZ INCANG PHI PITCH PSI ROLL THETA YAW VM VR VX VY VZ WM WX WY WZ ACCM ACCX ACCY ACCZ "
    "WDTM WDTX WDTY WDTZ ORIENT FM FX FY FZ TM TX TY TZ BEAM BUSH CONTACT FIELD FRICTION GFORCE NFORCE SFORCE SPDP "
    "VFORCE VTORQ CONTROL FMU CVCV GCON JOINT JPRIM MOTION PTCV UCON ARYVAL DIF DIF1 PINVAL POUVAL SENVAL VARVAL "
    "FXFREQ FXMODE INVPSD "
    "USER DELAY".split()
)

#: functions of the force of an element -> its type
ELEMENT_FORCES = {
    "JOINT": "JOINT", "JPRIM": "JPRIM", "MOTION": "MOTION", "PTCV": "PTCV", "CVCV": "CVCV", "SFORCE": "SFORCE",
    "VFORCE": "VFORCE", "VTORQ": "VTORQUE", "GFORCE": "GFORCE", "BUSH": "BUSHING", "BEAM": "BEAM", "FIELD": "FIELD",
    "SPDP": "SPRINGDAMPER", "FRICTION": "FRICTION", "CONTACT": "CONTACT", "NFORCE": "NFORCE", "GCON": "GCON",
    "UCON": "UCON",
}  # fmt: skip

#: functions of the Adams language that expressions of a run do not have: why, and what to do instead
NOT_COMPUTED = {
    "FXFREQ": "is the frequency (Hz) of the mode whose damping CRATIO of a FLEX_BODY gives, and defined there alone; "
    "write the frequency as a number",
    "FXMODE": "is the number of the mode whose damping CRATIO of a FLEX_BODY gives, and defined there alone; write the "
    "number",
}


def check_arity(name: str, count: int, column: int) -> Function:
    """The function of this name; raises :class:`ExpressionError` when it does not take ``count`` arguments."""
    function = FUNCTIONS[name]
    if not function.least <= count <= function.most:
        wanted = f"{function.least}" if function.least == function.most else f"{function.least} to {function.most}"
        plural = "" if wanted == "1" else "s"
        raise ExpressionError(f"{name} takes {wanted} argument{plural}, not {count},", column)
    return function
