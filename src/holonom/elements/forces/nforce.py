"""NFORCE: linear springs and dampers between n markers I and one marker J, with full matrices over all of them.

In axes of J (`relative`), with e_q = (x, y, z, AX, AY, AZ) of I_q in J and u_q its rates as an observer on J sees them,
all n stacked into e and u (6 n):

    (F, T) = -K (e - length) - C u + force,       C = cratio K where a ratio is given

(F_q, T_q) acts on I_q and -(F_q, T_q + L_q x F_q) on J, L_q from J to I_q.  It is the stiffness matrix of a structure
whose mass does not matter, condensed to the points where it is held; n = 1 is a FIELD.  Source: Adams Solver manual,
NFORCE statement.  A compliance matrix is the inverse of K.

Energy 1/2 (e - length)' K (e - length) - force . (e - length), NaN where K is not symmetric; with the reservation of
FIELD for turns about two axes of J.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..._jit import jit
from ...model.base import Element, ModelError
from ...model.builder.teaching import sound
from ...model.data_files import matrix_values
from ...model.values import listed, number, number_matrix
from ..kinds import ForceKind
from ..measures import angle_gradient
from ..vectors import cross, rotate
from .relative import displacements, ground_rates, rates

MOST = 350  # markers I, as Adams has it
MATRICES = ("kmatrix", "cmatrix", "force", "length")
COUNT, SYMMETRIC, FIRST = 0, 1, 2  # positions in the values; K (6n x 6n), C, force, length follow


@dataclass
class NForce(Element):
    """NFORCE: (F, T) = -K (e - length) - C u + force on markers ``imarkers`` in the axes of J, reactions on J; e, u:
    displacements and velocities of all in J.

    ``kmatrix``, ``cmatrix`` (6n x 6n), ``force``, ``length`` (6n x 1): ids of MATRIX; ``cratio``: C = cratio K.
    """

    KIND: ClassVar[str] = "NFORCE"
    ROLE: ClassVar[str] = "force"
    SWITCHABLE: ClassVar[bool] = True
    ENTITY: ClassVar[str] = "N_Force"
    REFERENCES: ClassVar[dict[str, str]] = {"imarkers": "MARKER", "j": "MARKER", **dict.fromkeys(MATRICES, "MATRIX")}
    imarkers: tuple[int, ...] = ()
    j: int = 0
    kmatrix: int | None = None
    cmatrix: int | None = None
    cratio: float | None = None
    force: int | None = None
    length: int | None = None

    @property
    def ports(self) -> tuple[int, ...]:
        return (*self.imarkers, self.j)

    def faults(self, model):
        """Invalid values: no markers, twice the same, matrices of other sizes."""
        n = len(self.imarkers)
        if not 1 <= n <= MOST:
            yield f"it has {n} markers IMARKERS; give 1 to {MOST}"
        if len(set(self.ports)) <= n:
            yield "a marker is twice among its IMARKERS and J; name each once"
        if self.kmatrix is None and self.cmatrix is None and self.force is None:
            yield "it has no matrix; give KMATRIX, CMATRIX or FORCE"
        if self.cmatrix is not None and self.cratio is not None:
            yield "it has CMATRIX and CRATIO; give one of them"
        if self.cratio is not None and self.kmatrix is None:
            yield "it has CRATIO and no KMATRIX; give both"
        for name in MATRICES:
            number_ = getattr(self, name)
            if number_ is None or number_ not in model.table("MATRIX"):
                continue
            try:
                shape = matrix_values(model, model.table("MATRIX")[number_]).shape
            except ModelError as error:
                yield f"{name.upper()}: {error}"
                continue
            if (
                name.endswith("matrix")
                and shape != (6 * n, 6 * n)
                or not name.endswith("matrix")
                and sorted(shape) != [1, 6 * n]
            ):
                wanted = f"{6 * n} x {6 * n}" if name.endswith("matrix") else f"{6 * n} x 1"
                yield f"{name.upper()} is a matrix of {shape[0]} x {shape[1]}; for {n} markers give {wanted}"

    def losses(self) -> str:
        return "damped" if self.cmatrix is not None or self.cratio else ""


def nforce(
    model,
    imarkers,
    j,
    *,
    stiffness=None,
    compliance=None,
    damping=None,
    cratio: float | None = None,
    force=None,
    length=None,
    name: str = "",
    id: int = 0,
) -> NForce:
    """Linear springs and dampers between several markers ``imarkers`` and one marker ``j``:  (F, T) = -K (e - length) -
    C u + force in the axes of ``j``, e and u the displacements (x, y, z, AX, AY, AZ) and velocities of all markers in
    ``j``, one after the other.

    ``stiffness`` (6n, 6n), or ``compliance``, its inverse; ``damping`` (6n, 6n) or ``cratio`` times the stiffness;
    ``force``, ``length`` (6n,): force where the markers are at ``length``, by default zeros.  Arrays, or MATRIX
    elements.  Raises `ModelError` for matrices of other sizes and for a compliance that has no inverse.

        frame = model.nforce([mount_a, mount_b, mount_c], base, stiffness=K, cratio=1e-3, length=rest)
    """
    markers = tuple(model._marker(m) for m in (imarkers if isinstance(imarkers, (list, tuple)) else [imarkers]))
    n = 6 * len(markers)
    if stiffness is not None and compliance is not None:
        raise ModelError("stiffness and compliance are given; give one of them")

    def matrix(values, what, columns):
        if values is None:
            return None
        if isinstance(values, Element) or isinstance(values, (int, str)):
            return model.find("MATRIX", values).id
        a = (
            np.asarray(values, float)
            if isinstance(values, np.ndarray)
            else number_matrix(values if columns == n else [listed(values, what, "numbers")], what)
        )
        a = a.reshape(-1, 1) if columns == 1 else a
        if a.shape != (n, columns):
            raise ModelError(
                f"{what} has the shape {a.shape[0]} x {a.shape[1]}; for {len(markers)} markers give {n} x {columns}"
            )
        return model.matrix(a).id

    if compliance is not None:
        if isinstance(compliance, (Element, int, str)):
            compliance = matrix_values(model, model.find("MATRIX", compliance))
        flexible = np.asarray(compliance, float)
        if flexible.shape != (n, n) or not np.isfinite(flexible).all() or np.linalg.cond(flexible) > 1e13:
            raise ModelError(
                f"compliance has no inverse of {n} x {n}; give one, or the stiffness (which may be singular)"
            )
        stiffness = np.linalg.inv(flexible)
        if np.array_equal(flexible, flexible.T):
            stiffness = 0.5 * (stiffness + stiffness.T)
    element = NForce(
        id=id,
        name=name,
        imarkers=markers,
        j=model._marker(j),
        kmatrix=matrix(stiffness, "stiffness", n),
        cmatrix=matrix(damping, "damping", n),
        cratio=None if cratio is None else number(cratio, "cratio"),
        force=matrix(force, "force", 1),
        length=matrix(length, "length", 1),
    )
    return model.add(sound(element, model))


def values(e, model):
    n = 6 * len(e.imarkers)
    of = lambda number, shape: (
        np.zeros(shape) if number is None else matrix_values(model, model.table("MATRIX")[number]).reshape(shape)
    )
    K = of(e.kmatrix, (n, n))
    C = e.cratio * K if e.cratio is not None else of(e.cmatrix, (n, n))
    symmetric = float(np.array_equal(K, K.T))
    return np.concatenate([[n // 6, symmetric], K.ravel(), C.ravel(), of(e.force, n), of(e.length, n)])


@jit
def force(c, f, fr, ref, t, u, x, W, xd):
    n = int(c[COUNT])
    m = 6 * n
    j = f[n]
    K = FIRST
    C = K + m * m
    rest = C + m * m + m
    for r in range(m):
        W[r] = c[C + m * m + r]
    for s in range(n):
        e = displacements(f[s], j, fr, s, ref)
        v = rates(f[s], j, fr)
        for r in range(m):
            for b in range(6):
                at = m * r + 6 * s + b
                W[r] -= c[K + at] * (e[b] - c[rest + 6 * s + b]) + c[C + at] * v[b]
    for r in range(m, m + 6):
        W[r] = 0.0
    for q in range(n):
        o = 6 * q
        W[o], W[o + 1], W[o + 2] = rotate(fr.A, j, W[o], W[o + 1], W[o + 2])
        W[o + 3], W[o + 4], W[o + 5] = rotate(fr.A, j, W[o + 3], W[o + 4], W[o + 5])
        i = f[q]
        a, b, d = cross(
            fr.p[i, 0] - fr.p[j, 0], fr.p[i, 1] - fr.p[j, 1], fr.p[i, 2] - fr.p[j, 2], W[o], W[o + 1], W[o + 2]
        )
        for k in range(3):
            W[m + k] -= W[o + k]
        W[m + 3] -= W[o + 3] + a
        W[m + 4] -= W[o + 4] + b
        W[m + 5] -= W[o + 5] + d


@jit
def tangent(c, f, fr, ref, t, u, x, W, D):
    """As `relative.fill_tangent`, for the blocks of every pair of markers; rows of J are worked in before they are
    filled."""
    n = int(c[COUNT])
    m = 6 * n
    j = f[n]
    K = FIRST
    C = K + m * m
    speed = m + 6  # column of the first velocity
    A = fr.A
    w0, w1, w2 = fr.w[j, 0], fr.w[j, 1], fr.w[j, 2]
    for s in range(n):
        i = f[s]
        L0, L1, L2 = fr.p[i, 0] - fr.p[j, 0], fr.p[i, 1] - fr.p[j, 1], fr.p[i, 2] - fr.p[j, 2]
        s0, s1, s2, o0, o1, o2 = ground_rates(i, j, fr)
        for b in range(3):
            D[m + 1, 3 * b], D[m + 1, 3 * b + 1], D[m + 1, 3 * b + 2] = angle_gradient(21 + b, i, j, A)
        for row in range(m):
            q = row // 6
            part = row % 6
            r = part % 3
            first = 6 * q + 3 * (part // 3)
            for col in range(12):
                D[m, col] = 0.0
            for b in range(6):
                k = 0.0
                d = 0.0
                for a in range(3):
                    k -= A[j, 3 * r + a] * c[K + m * (first + a) + 6 * s + b]
                    d -= A[j, 3 * r + a] * c[C + m * (first + a) + 6 * s + b]
                for e in range(3):
                    if b < 3:
                        D[m, e] += k * A[j, 3 * e + b]
                        D[m, 6 + e] += d * A[j, 3 * e + b]
                    else:
                        D[m, 3 + e] += k * D[m + 1, 3 * (b - 3) + e]
                        D[m, 9 + e] += d * A[j, 3 * e + b - 3]
            x0, x1, x2, g0, g1, g2 = D[m, 0], D[m, 1], D[m, 2], D[m, 3], D[m, 4], D[m, 5]
            n0, n1, n2, h0, h1, h2 = D[m, 6], D[m, 7], D[m, 8], D[m, 9], D[m, 10], D[m, 11]
            a0, a1, a2 = cross(L0, L1, L2, x0, x1, x2)
            b0, b1, b2 = cross(s0, s1, s2, n0, n1, n2)
            c0, c1, c2 = cross(o0, o1, o2, h0, h1, h2)
            D[row, m + 3] -= a0 + b0 + c0 + g0
            D[row, m + 4] -= a1 + b1 + c1 + g1
            D[row, m + 5] -= a2 + b2 + c2 + g2
            a0, a1, a2 = cross(w0, w1, w2, n0, n1, n2)
            D[row, 6 * s] += x0 + a0
            D[row, 6 * s + 1] += x1 + a1
            D[row, 6 * s + 2] += x2 + a2
            D[row, m] -= x0 + a0
            D[row, m + 1] -= x1 + a1
            D[row, m + 2] -= x2 + a2
            D[row, 6 * s + 3] += g0
            D[row, 6 * s + 4] += g1
            D[row, 6 * s + 5] += g2
            a0, a1, a2 = cross(L0, L1, L2, n0, n1, n2)
            v = speed + 6 * s
            D[row, v] += n0
            D[row, v + 1] += n1
            D[row, v + 2] += n2
            D[row, v + 3] += h0
            D[row, v + 4] += h1
            D[row, v + 5] += h2
            v = speed + m
            D[row, v] -= n0
            D[row, v + 1] -= n1
            D[row, v + 2] -= n2
            D[row, v + 3] -= a0 + h0
            D[row, v + 4] -= a1 + h1
            D[row, v + 5] -= a2 + h2
    for row in range(m, m + 6):
        for col in range(2 * speed):
            D[row, col] = 0.0
    for q in range(n):
        o = 6 * q
        i = f[q]
        for b in range(o, o + 6, 3):  # theta_j x F, theta_j x T
            D[b, m + 4] += W[b + 2]
            D[b, m + 5] -= W[b + 1]
            D[b + 1, m + 3] -= W[b + 2]
            D[b + 1, m + 5] += W[b]
            D[b + 2, m + 3] += W[b + 1]
            D[b + 2, m + 4] -= W[b]
        L0, L1, L2 = fr.p[i, 0] - fr.p[j, 0], fr.p[i, 1] - fr.p[j, 1], fr.p[i, 2] - fr.p[j, 2]
        for col in range(2 * speed):
            a0, a1, a2 = cross(L0, L1, L2, D[o, col], D[o + 1, col], D[o + 2, col])
            for r in range(3):
                D[m + r, col] -= D[o + r, col]
            D[m + 3, col] -= D[o + 3, col] + a0
            D[m + 4, col] -= D[o + 4, col] + a1
            D[m + 5, col] -= D[o + 5, col] + a2
        for k in range(2):  # -dL x F
            col = o if k == 0 else m
            sign = 1.0 if k == 0 else -1.0
            D[m + 3, col + 1] -= sign * W[o + 2]
            D[m + 3, col + 2] += sign * W[o + 1]
            D[m + 4, col] += sign * W[o + 2]
            D[m + 4, col + 2] -= sign * W[o]
            D[m + 5, col] -= sign * W[o + 1]
            D[m + 5, col + 1] += sign * W[o]


@jit
def energies(c, f, fr, ref, t, u, x, W, out):
    n = int(c[COUNT])
    m = 6 * n
    j = f[n]
    K = FIRST
    C = K + m * m
    load = C + m * m
    rest = load + m
    stored = 0.0
    lost = 0.0
    for q in range(n):
        e = displacements(f[q], j, fr, q, ref)
        v = rates(f[q], j, fr)
        for a in range(6):
            stored -= c[load + 6 * q + a] * (e[a] - c[rest + 6 * q + a])
        for s in range(n):
            g = displacements(f[s], j, fr, s, ref)
            h = rates(f[s], j, fr)
            for a in range(6):
                for b in range(6):
                    at = m * (6 * q + a) + 6 * s + b
                    stored += 0.5 * (e[a] - c[rest + 6 * q + a]) * c[K + at] * (g[b] - c[rest + 6 * s + b])
                    lost += v[a] * c[C + at] * h[b]
    out[0] = stored if c[SYMMETRIC] != 0.0 else math.nan
    out[1] = lost
    out[2] = 0.0


#: arguments of the Adams statement
STATEMENT = (
    ("IMARKERS", "ids"),
    ("J", "id"),
    ("CMATRIX", "id"),
    ("KMATRIX", "id"),
    ("CRATIO", "real"),
    ("FORCE", "id"),
    ("LENGTH", "id"),
)

KIND = ForceKind(
    NForce, nforce, force, tangent, energies, values, turns=True, statement=STATEMENT, required=("imarkers", "j")
)
