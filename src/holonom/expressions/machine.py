"""The bytecode machine: values, gradients and time derivatives of packed expressions.

A program of ``n`` inputs owns registers: first its inputs, then its constants, then intermediate results.  ``value``
keeps one number in each, ``gradient`` one plus ``n`` lanes, ``jet`` three.  ``work`` must hold
:attr:`ProgramSet.work_size` numbers; nothing is allocated.

Faults (square root of a negative number, logarithm of a number that is not positive, division by zero, ...) give NaN as
the value; :func:`holonom.expressions.explain` states which operation failed.  Derivatives are finite wherever the value
is: at a kink one side is taken (ABS'(0) = 0, PLUS'(0) = 0), and an infinite slope (SQRT at 0, ASIN at 1, x**0.5 at 0)
counts as 0.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .._jit import jit

# isort: off
from .opcodes import (
    ABS,
    ACOS,
    ADD,
    AINT,
    ANINT,
    ASIN,
    ATAN,
    COS,
    COSH,
    CURVE,
    DIV,
    EXP,
    HAVER,
    IF,
    JUMP,
    LOG,
    LOG10,
    MAX,
    MIN,
    MOD,
    MUL,
    NEG,
    PLUS,
    POW,
    SIGN,
    SIN,
    SINH,
    SPLINE,
    SQRT,
    STEP3,
    STEP5,
    SUB,
    TAN,
    TANH,
    WORDS,
)
from .piecewise import coordinate, surface

# isort: on


class Programs(NamedTuple):
    """Packed programs, as the kernels take them: two arrays, since every array that a call passes costs time.

    words
        uint32.  From word ``7 e`` on the head of program e: begin and end of its code, begin of its inputs, number of
        inputs, begin of its constants (in ``numbers``), number of constants, register of the result.  Then the rows of
        splines and curves, the global indices of the inputs, and the code, five words an instruction, jumps absolute.
    numbers
        float64.  Constants, then the data of splines and curves.
    """

    words: np.ndarray
    numbers: np.ndarray


@jit
def unary_value(op, a):
    """f(a) of a function of one operand."""
    if op == NEG:
        return -a
    if op == ABS:
        return abs(a)
    if op == SQRT:
        return math.sqrt(a)
    if op == EXP:
        return math.exp(a)
    if op == LOG:
        return math.log(a) if a > 0.0 else math.nan
    if op == LOG10:
        return math.log10(a) if a > 0.0 else math.nan
    if op == SIN:
        return math.sin(a)
    if op == COS:
        return math.cos(a)
    if op == TAN:
        return math.tan(a)
    if op == ASIN:
        return math.asin(a)
    if op == ACOS:
        return math.acos(a)
    if op == ATAN:
        return math.atan(a)
    if op == SINH:
        return math.sinh(a)
    if op == COSH:
        return math.cosh(a)
    if op == TANH:
        return math.tanh(a)
    if op == AINT:
        return a - math.copysign(abs(a) % 1.0, a)
    if op == ANINT:
        r = math.copysign(abs(a) % 1.0, a)
        return a - r + (1.0 if r >= 0.5 else -1.0 if r <= -0.5 else 0.0)
    if op == PLUS:
        return 0.0 if a <= 0.0 else a
    if op >= STEP3 and op <= HAVER:
        if a <= 0.0:
            return 0.0
        if a >= 1.0:
            return 1.0
        if op == STEP3:
            return a * a * (3.0 - 2.0 * a)
        if op == STEP5:
            return a * a * a * (10.0 - a * (15.0 - 6.0 * a))
        return 0.5 - 0.5 * math.cos(math.pi * a)
    return a


@jit
def binary_value(op, a, b):
    """f(a, b) of a function of two operands."""
    if op == ADD:
        return a + b
    if op == SUB:
        return a - b
    if op == MUL:
        return a * b
    if op == DIV:
        return a / b if b != 0.0 else math.nan
    if op == POW:
        return math.pow(a, b) if a != 0.0 or b >= 0.0 else math.nan
    if op == MAX:
        return a if a >= b or a != a else b
    if op == MIN:
        return a if a <= b or a != a else b
    if op == SIGN:
        return -abs(a) if b < 0.0 else abs(a) if b == b else b
    if op == MOD:
        return math.copysign(abs(a) % abs(b), a) if b != 0.0 else math.nan
    return math.atan2(a, b)


@jit
def finite(x):
    """x, or 0 when it is not a usable slope."""
    return x if abs(x) < 1e150 else 0.0


@jit
def unary_slopes(op, a, f):
    """f'(a), f''(a), given f(a)."""
    if op == NEG:
        return -1.0, 0.0
    if op == ABS:
        return (1.0 if a > 0.0 else -1.0 if a < 0.0 else 0.0), 0.0
    if op == SQRT:
        return 0.5 / f, -0.25 / (f * a)
    if op == EXP:
        return f, f
    if op == LOG:
        return 1.0 / a, -1.0 / (a * a)
    if op == LOG10:
        return 0.4342944819032518 / a, -0.4342944819032518 / (a * a)
    if op == SIN:
        return math.cos(a), -f
    if op == COS:
        return -math.sin(a), -f
    if op == TAN:
        return 1.0 + f * f, 2.0 * f * (1.0 + f * f)
    if op == ASIN or op == ACOS:
        r = (1.0 - a) * (1.0 + a)
        s = (1.0 if op == ASIN else -1.0) / math.sqrt(r)
        return s, s * a / r
    if op == ATAN:
        r = 1.0 / (1.0 + a * a)
        return r, -2.0 * a * r * r
    if op == SINH:
        return math.cosh(a), f
    if op == COSH:
        return math.sinh(a), f
    if op == TANH:
        return 1.0 - f * f, -2.0 * f * (1.0 - f * f)
    if op == AINT or op == ANINT:
        return 0.0, 0.0
    if op == PLUS:
        return (1.0 if a > 0.0 else 0.0), 0.0
    if op >= STEP3 and op <= HAVER:
        if a <= 0.0 or a >= 1.0:
            return 0.0, 0.0
        if op == STEP3:
            return 6.0 * a * (1.0 - a), 6.0 - 12.0 * a
        if op == STEP5:
            return 30.0 * a * a * (1.0 - a) * (1.0 - a), 60.0 * a * (1.0 - a) * (1.0 - 2.0 * a)
        return 0.5 * math.pi * math.sin(math.pi * a), 0.5 * math.pi * math.pi * math.cos(math.pi * a)
    return 1.0, 0.0


@jit
def binary_slopes(op, a, b, f):
    """f_a, f_b, f_aa, f_ab, f_bb, given f(a, b)."""
    if op == ADD:
        return 1.0, 1.0, 0.0, 0.0, 0.0
    if op == SUB:
        return 1.0, -1.0, 0.0, 0.0, 0.0
    if op == MUL:
        return b, a, 0.0, 1.0, 0.0
    if op == DIV:
        r = 1.0 / b
        return r, -f * r, 0.0, -r * r, 2.0 * f * r * r
    if op == POW:
        if a == 0.0:
            return (1.0 if b == 1.0 else 0.0), 0.0, (2.0 if b == 2.0 else 0.0), 0.0, 0.0
        r = f / a
        ln = math.log(a) if a > 0.0 else 0.0
        return b * r, f * ln, b * (b - 1.0) * r / a, r * (1.0 + b * ln), f * ln * ln
    if op == MAX or op == MIN:
        first = 1.0 if (a >= b if op == MAX else a <= b) else 0.0
        return first, 1.0 - first, 0.0, 0.0, 0.0
    if op == SIGN:
        s = 1.0 if a > 0.0 else -1.0 if a < 0.0 else 0.0
        return (-s if b < 0.0 else s), 0.0, 0.0, 0.0, 0.0
    if op == MOD:
        return 1.0, (f - a) / b, 0.0, 0.0, 0.0
    r = 1.0 / (a * a + b * b)
    return b * r, -a * r, -2.0 * a * b * r * r, (a * a - b * b) * r * r, 2.0 * a * b * r * r


@jit
def local(op, a, b):
    """f, f_a, f_b, f_aa, f_ab, f_bb of one instruction."""
    if op < ADD:
        f = unary_value(op, a)
        fa, faa = unary_slopes(op, a, f)
        return f, finite(fa), 0.0, finite(faa), 0.0, 0.0
    f = binary_value(op, a, b)
    fa, fb, faa, fab, fbb = binary_slopes(op, a, b, f)
    return f, finite(fa), finite(fb), finite(faa), finite(fab), finite(fbb)


@jit
def tabulated(words, numbers, op, parameter, a, b):
    """As :func:`local` for SPLINE and CURVE."""
    if op == CURVE:
        f, fa, faa = coordinate(numbers, words, parameter >> 4, (parameter >> 2) & 3, parameter & 3, a)
        return f, fa, 0.0, faa, 0.0, 0.0
    f, fa, fb, faa, fab = surface(numbers, words, parameter >> 2, parameter & 3, a, b)
    return f, fa, fb, faa, fab, 0.0


@jit
def load(words, numbers, head, inputs, work, stride):
    """Fill the input and constant registers; gives the number of inputs and of both."""
    n = np.int64(words[head + 3])
    at = np.int64(words[head + 2])
    for i in range(n):
        work[i * stride] = inputs[words[at + i]]
    at = np.int64(words[head + 4])
    m = np.int64(words[head + 5])
    for i in range(m):
        work[(n + i) * stride] = numbers[at + i]
    return n, n + m


@jit
def jump(words, pc, cond):
    """Next instruction after an IF on ``cond`` or a JUMP."""
    if words[pc] == JUMP or cond == 0.0:
        return np.int64(words[pc + 3])
    return pc + WORDS if cond < 0.0 else np.int64(words[pc + 4])


@jit(entry="Programs, int64, float64[::1], float64[::1]")
def value(ps, e, inputs, work):
    """Value of program e; ``inputs`` holds all global inputs.  NaN when an operation failed."""
    words, numbers = ps.words, ps.numbers
    head = 7 * e
    load(words, numbers, head, inputs, work, 1)
    pc = np.int64(words[head])
    end = np.int64(words[head + 1])
    while pc < end:
        op = words[pc]
        a = work[words[pc + 2]]
        if op <= JUMP:
            if a != a and op == IF:
                return math.nan
            pc = jump(words, pc, a)
            continue
        if op < ADD:
            f = unary_value(op, a)
        elif op < SPLINE:
            f = binary_value(op, a, work[words[pc + 3]])
        else:
            f = tabulated(words, numbers, op, np.int64(words[pc + 4]), a, work[words[pc + 3]])[0]
        work[words[pc + 1]] = f
        pc += WORDS
    return work[words[head + 6]]


@jit
def gradient(ps, e, inputs, work, grad):
    """Value of program e and its exact derivatives with respect to its own inputs, into ``grad[0:n]``."""
    words, numbers = ps.words, ps.numbers
    head = 7 * e
    s = 1 + np.int64(words[head + 3])
    n, loaded = load(words, numbers, head, inputs, work, s)
    for i in range(loaded):
        for k in range(n):
            work[i * s + 1 + k] = 1.0 if i == k else 0.0
    pc = np.int64(words[head])
    end = np.int64(words[head + 1])
    while pc < end:
        op = words[pc]
        ia = np.int64(words[pc + 2]) * s
        a = work[ia]
        if op <= JUMP:
            if a != a and op == IF:
                grad[:n] = 0.0
                return math.nan
            pc = jump(words, pc, a)
            continue
        it = np.int64(words[pc + 1]) * s
        ib = np.int64(words[pc + 3]) * s
        if op < SPLINE:
            f, fa, fb, _, _, _ = local(op, a, work[ib])
        else:
            f, fa, fb, _, _, _ = tabulated(words, numbers, op, np.int64(words[pc + 4]), a, work[ib])
        work[it] = f
        for k in range(1, s):
            work[it + k] = fa * work[ia + k] + fb * work[ib + k]
        pc += WORDS
    at = np.int64(words[head + 6]) * s
    for k in range(n):
        grad[k] = work[at + 1 + k]
    return work[at]


@jit(entry="Programs, int64, float64[::1], float64[::1], float64[::1], float64[::1]")
def jet(ps, e, x, xd, xdd, work):
    """f, df/dt, d2f/dt2 of program e when all inputs move as x, xd, xdd: exact second-order Taylor arithmetic."""
    words, numbers = ps.words, ps.numbers
    head = 7 * e
    n, loaded = load(words, numbers, head, x, work, 3)
    at = np.int64(words[head + 2])
    for i in range(loaded):
        work[3 * i + 1] = xd[words[at + i]] if i < n else 0.0
        work[3 * i + 2] = xdd[words[at + i]] if i < n else 0.0
    pc = np.int64(words[head])
    end = np.int64(words[head + 1])
    while pc < end:
        op = words[pc]
        ia = np.int64(words[pc + 2]) * 3
        a = work[ia]
        if op <= JUMP:
            if a != a and op == IF:
                return math.nan, 0.0, 0.0
            pc = jump(words, pc, a)
            continue
        it = np.int64(words[pc + 1]) * 3
        ib = np.int64(words[pc + 3]) * 3
        if op < SPLINE:
            f, fa, fb, faa, fab, fbb = local(op, a, work[ib])
        else:
            f, fa, fb, faa, fab, fbb = tabulated(words, numbers, op, np.int64(words[pc + 4]), a, work[ib])
        ad, bd = work[ia + 1], work[ib + 1]
        work[it] = f
        work[it + 2] = fa * work[ia + 2] + fb * work[ib + 2] + faa * ad * ad + 2.0 * fab * ad * bd + fbb * bd * bd
        work[it + 1] = fa * ad + fb * bd
        pc += WORDS
    at = np.int64(words[head + 6]) * 3
    return work[at], work[at + 1], work[at + 2]


@jit
def values(ps, first, last, inputs, work, out):
    """Values of the programs first .. last - 1 into ``out[0:last - first]``."""
    for e in range(first, last):
        out[e - first] = value(ps, e, inputs, work)


def hessian(ps: Programs, e: int, inputs: np.ndarray, work: np.ndarray) -> np.ndarray:
    """(n, n) exact second derivatives of program e with respect to its own inputs, from n (n + 1) / 2 jets.

    With d2(v) the second derivative along v, ``H_ij = (d2(e_i + e_j) - d2(e_i) - d2(e_j)) / 2``.
    """
    n = int(ps.words[7 * e + 3])
    own = ps.words[int(ps.words[7 * e + 2]) :][:n]
    rest = np.zeros(len(inputs))
    result = np.zeros((n, n))

    def along(*which: int) -> float:
        direction = np.zeros(len(inputs))
        direction[own[list(which)]] = 1.0
        return jet(ps, e, inputs, direction, rest, work)[2]

    for i in range(n):
        result[i, i] = along(i)
    for i in range(n):
        for j in range(i):
            result[i, j] = result[j, i] = 0.5 * (along(i, j) - result[i, i] - result[j, j])
    return result
