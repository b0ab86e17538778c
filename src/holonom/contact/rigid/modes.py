"""All solutions of a small planar contact problem, by trying every combination of modes: none, one, several (Painleve).

Each contact is open, sticks, or slips one way or the other; for a given combination the law is linear.  With rigid
bodies and friction there may be no solution, or several, however regular the motion looks (Painleve 1895; Lotstedt
1981; Genot & Brogliato 1999); the time-stepping problem of the same state has one more often than that of
accelerations.  4^n combinations: for a handful of contacts.
"""

from __future__ import annotations

from collections import namedtuple
from itertools import product

import numpy as np

from ...model.base import ModelError

Solution = namedtuple("Solution", "modes r z unique")
Solution.__doc__ = """One solution: modes, a letter a contact (o open, s sticks, + and - slip along and against the
tangent); r (n, 2), z (n, 2): normal, tangent; unique: False where this combination has many impulses (r is one of
them)."""


def modes(W, q, mu, most: int = 8) -> list[Solution]:
    """Every solution of  z = W r + q,  0 <= z_n _|_ r_n >= 0,  |r_t| <= mu r_n against z_t,  of n planar contacts.

    W (2n, 2n), q (n, 2), mu (n,): normal and tangent of each contact in turn.  Solutions on the border of two
    combinations count once. An empty list states that there is none.  Raises ModelError for more than `most` contacts.
    """
    q = np.asarray(q, float)
    n = len(q)
    if n > most:
        raise ModelError(f"modes: {n} contacts have {4**n} combinations; require {most} contacts or fewer")
    W = np.asarray(W, float)
    mu = np.broadcast_to(np.asarray(mu, float), n)
    speed = np.abs(q).max() or 1.0
    mobility = np.abs(np.diag(W)).max() or 1.0
    W, q = W / mobility, q / speed  # impulses in units of speed / mobility
    tol = 1e-9
    found: list[Solution] = []
    for word in product("os+-", repeat=n):
        if any(m in "+-" and mu[k] == 0 and word[k] == "-" for k, m in enumerate(word)) or any(
            m == "s" and mu[k] == 0 for k, m in enumerate(word)
        ):
            continue  # without friction: open or closed
        many = _try(word, W, q, mu, tol)
        if many is None:
            continue
        r, z, unique = many
        if any(np.abs(r - f.r).max() < 1e-7 * max(1, np.abs(r).max()) and np.abs(z - f.z).max() < 1e-7 for f in found):
            continue
        found.append(Solution("".join(word), r, z, unique))
    return [Solution(f.modes, f.r * speed / mobility, f.z * speed, f.unique) for f in found]


def _try(word, W, q, mu, tol):
    n = len(q)
    # impulses r = B x: one unknown for slip, two for stick, none for open;  A x + a = 0 and inequalities C x + c >= 0
    columns = []
    for k, m in enumerate(word):
        if m == "s":
            for e in range(2):
                c = np.zeros(2 * n)
                c[2 * k + e] = 1.0
                columns.append(c)
        elif m != "o":
            c = np.zeros(2 * n)
            c[2 * k] = 1.0
            c[2 * k + 1] = -mu[k] if m == "+" else mu[k]
            columns.append(c)
    B = np.stack(columns, 1) if columns else np.zeros((2 * n, 0))
    Z = W @ B
    zero = [
        row for k, m in enumerate(word) for row in ([2 * k, 2 * k + 1] if m == "s" else [] if m == "o" else [2 * k])
    ]
    C, c = [], []
    for k, m in enumerate(word):
        if m == "o":
            C.append(Z[2 * k])
            c.append(q[k, 0])
            continue
        C.append(B[2 * k])
        c.append(0.0)
        if m == "s":
            for sign in (1.0, -1.0):
                C.append(mu[k] * B[2 * k] + sign * B[2 * k + 1])
                c.append(0.0)
        elif mu[k] > 0:
            sign = 1.0 if m == "+" else -1.0
            C.append(sign * Z[2 * k + 1])
            c.append(sign * q[k, 1])
    A, a = Z[zero], q.ravel()[zero]
    unique = True
    if len(zero) == 0:
        x = np.zeros(0)
    else:
        x, _, rank, _ = np.linalg.lstsq(A, -a, rcond=1e-11)
        unique = bool(rank == A.shape[1])
        if not unique:  # any impulse of the family that satisfies the inequalities
            from scipy.optimize import linprog  # slow to load

            answer = linprog(
                np.zeros(A.shape[1]), -np.array(C), np.array(c), A, -a, bounds=(None, None), method="highs"
            )
            if answer.status != 0:
                return None
            x = answer.x
        if np.abs(A @ x + a).max() > tol:
            return None
    if (np.array(C).reshape(len(c), -1) @ x + c < -tol * max(1.0, np.abs(x).max(initial=0.0))).any():
        return None
    r = (B @ x).reshape(n, 2)
    return r, (W @ r.ravel()).reshape(n, 2) + q, unique
