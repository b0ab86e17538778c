"""What elements of absolute nodal coordinates share: an energy of strains at points, with its exact first and second
derivatives.

Coordinates q of an element are positions and gradients of its nodes, so that vectors at a point are linear in them, g =
B q, with B constant. Strains are functions of these vectors, e(g), and with e0 those of the unloaded element, stresses
s and the strain energy are

    s = D (e - e0) + tau D e',      V = 1/2 (e - e0) . D (e - e0),      e' = J B q',   J = de/dg

D (E x E, constant) goes over the strains of *all* points of the element: rules of quadrature, strains that are sampled
elsewhere and interpolated
(assumed strains), and internal modes that are eliminated are all in D, and builders make it.  tau: time of Kelvin and
Voigt.  Forces and derivatives, exact:

    f = -G^T s,      -df/dq = G^T D G + sum_i s_i d2e_i/dq2 + tau G^T D G',      -df/dq' = tau G^T D G,      G = J B

The second derivatives of strains are derivatives of J by dual numbers (`elements.duals`): a kind of strain is one
function that gives e and J and takes both sorts of number.  Where points have a law of their own (`LAW` MOONEY_RIVLIN),
its stresses and tangent at each point are added to these. Where the section of a beam yields (`LAW` YIELDS), it does so
by the means X = P (e - e0) of the stretch and the curvatures of its axis, with the law W of its layers
(`section_laws`) in place of what of D goes over these means:

    V += L (W(X) - 1/2 X . diag(EA, EI, ..) X)

A data row holds: HEAD numbers; for each point its kind, where its strains begin, how many they are, three numbers of
its law and its weight, and B
(m x S); then e0 (E) and D by rows: where they begin (E + 1), columns, numbers; of what yields (from ``data[BLOCK]`` on)
m, L, three stiffnesses, P (m x E), the numbers of the law, what it remembers.  ``m`` vectors a point, ``dim`` numbers a
vector, ``S`` scalar shape
functions: n = S dim coordinates, node by node.
"""

from __future__ import annotations

import math
from functools import cache
from types import FunctionType

import numpy as np

from ..._jit import Kernel, jit
from ...model.base import ModelError
from ..duals import SEED
from . import section_laws, unit_vectors
from . import strains as kinds
from .materials import MOONEY_RIVLIN, hyperelastic_energy, hyperelastic_stress
from .section_laws import extent, section_energy, section_forces, section_remembers
from .strains import strains

HEAD = 8
POINTS, TAU, LAW, STRAINS, BLOCK = 0, 1, 2, 3, 4
YIELDS = 100  # a law: see above
OWN_BLOCK = 5  # numbers of what yields before P
OWN = 7  # numbers of a point before its B: kind, begin, count, three of its law, weight


def row(
    points, e0, D, scale, *, tau: float = 0.0, law: int = 0, block: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row of an element without D, D, and the ``block`` of what yields: ``points`` (kind, count, B, [law numbers (3),
    weight]), strains ``e0`` (E) and ``D`` (E, E).

    ``scale`` (S): what vectors of the nodes are multiplied by in the coordinates of the mesh (gradients by its unit, a
    length)."""
    out = [np.array([len(points), tau, law, len(e0), 0.0, 0.0, 0.0, 0.0])]
    begin = 0
    for kind, count, B, *own in points:
        out += [np.array([kind, begin, count, *(own[0] if own else (0.0,) * 4)]), np.ravel(B / scale)]
        begin += count
    return np.concatenate([*out, e0]), np.asarray(D, float), np.zeros(0) if block is None else block


def yielding(P: np.ndarray, length: float, stiffness: tuple[float, ...], law: np.ndarray) -> np.ndarray | None:
    """The block of an element whose section has this ``law`` over the means P (m, E) of its strains, None where it has
    none; ``stiffness`` (m,): EA, EI, .."""
    if not len(law):
        return None
    stiff = np.zeros(3)
    stiff[: len(stiffness)] = stiffness
    return np.concatenate([[len(P), length], stiff, P.ravel(), law, np.zeros(section_laws.states(law))])


def block_of(row) -> tuple[int, int, int]:
    """Where the law of a row that yields stands, where what it remembers begins, and how much that is."""
    b = int(row[BLOCK])
    law = b + OWN_BLOCK + int(row[b]) * int(row[STRAINS])
    length, kept = section_laws.extent.py_func(row, law)
    return law, law + length, kept


def law_place(row) -> int:
    """Where the law of a row stands, -1 where it has none."""
    return block_of(row)[0] if row[LAW] == YIELDS else -1


def remembers(data: np.ndarray) -> bool:
    """Do elements with these data remember anything?"""
    return bool(len(data) and (data[:, LAW] == YIELDS).any())


def kept(data: np.ndarray) -> np.ndarray:
    """What elements of one law remember (e, ..), a view."""
    if not (len(data) and remembers(data[:1])):
        return data[:, :0]
    _, first, count = block_of(data[0])
    return data[:, first : first + count]


def stack_rows(made: list[tuple[np.ndarray, np.ndarray, np.ndarray]], what: str) -> np.ndarray:
    """(e, R) data of rows and their D, of which all elements have the same pattern.  Raises ModelError where elements
    differ in kind."""
    if not made:
        return np.zeros((0, HEAD))
    if len({(len(one), len(D), len(block)) for one, D, block in made}) > 1:
        raise ModelError(f"elements of {what} have several formulations; make a mesh of each")
    there = np.any([D != 0.0 for _, D, _ in made], axis=0)
    begins = np.concatenate([[0], np.cumsum(there.sum(1))]).astype(float)
    columns = np.nonzero(there)[1].astype(float)
    rows = [np.concatenate([one, begins, columns, D[there]]) for one, D, _ in made]
    for one, (_, _, block) in zip(rows, made):
        if len(block):
            one[LAW], one[BLOCK] = YIELDS, len(one)
    return np.array([np.concatenate([one, block]) for one, (_, _, block) in zip(rows, made)])


@jit
def gather(B, dim, q, g):
    """g <- B q, the vectors at a point one after the other."""
    m, S = B.shape
    for a in range(m):
        for i in range(dim):
            g[a * dim + i] = 0.0
        for s in range(S):
            b = B[a, s]
            if b != 0.0:
                for i in range(dim):
                    g[a * dim + i] += b * q[s * dim + i]


@jit
def _clear(e, J):
    for k in range(J.shape[0]):
        e[k] = 0.0
        for c in range(J.shape[1]):
            J[k, c] = 0.0


@jit(_nrt=True, apart=True)
def evaluate(m, dim, S, data, q, qd, e, rate, J):
    """Strains e (E), their rates (E), and their derivatives J (E, m dim) by the vectors of their points."""
    g = np.empty(m * dim)
    gd = np.empty(m * dim)
    o = HEAD
    for _ in range(int(data[POINTS])):
        begin, count = int(data[o + 1]), int(data[o + 2])
        B = data[o + OWN : o + OWN + m * S].reshape(m, S)
        gather(B, dim, q, g)
        gather(B, dim, qd, gd)
        _clear(e[begin : begin + count], J[begin : begin + count])
        strains(int(data[o]), g, e[begin : begin + count], J[begin : begin + count])
        for k in range(begin, begin + count):
            r = 0.0
            for c in range(m * dim):
                r += J[k, c] * gd[c]
            rate[k] = r
        o += OWN + m * S
    return o


@jit
def _stress(data, o, m, S, e, rate, s):
    """Stresses s (E), dampers included, of strains and their rates; ``o``: where e0 begins."""
    E = int(data[STRAINS])
    tau = data[TAU]
    begins = o + E
    columns = begins + E + 1
    numbers = columns + int(data[begins + E])
    for k in range(E):
        x = 0.0
        for i in range(int(data[begins + k]), int(data[begins + k + 1])):
            c = int(data[columns + i])
            x += data[numbers + i] * (e[c] - data[o + c] + tau * rate[c])
        s[k] = x
    if data[LAW] == MOONEY_RIVLIN:
        o = HEAD
        for _ in range(int(data[POINTS])):
            begin, count = int(data[o + 1]), int(data[o + 2])
            if data[o + 6] != 0.0:
                hyperelastic_stress(
                    data[o + 3],
                    data[o + 4],
                    data[o + 5],
                    data[o + 6],
                    e[begin : begin + count],
                    s[begin : begin + count],
                )
            o += OWN + m * S
    elif data[LAW] == YIELDS:
        x0, x1, x2 = _means(data, o, e, 1.0)
        b = int(data[BLOCK])
        n, law, own = _law_at(data)
        f0, f1, f2, _, _, _, _, _, _ = section_forces(data, law, own, n, x0, x1, x2)
        L = data[b + 1]
        f0 = L * (f0 - data[b + 2] * x0)
        f1 = L * (f1 - data[b + 3] * x1)
        f2 = L * (f2 - data[b + 4] * x2)
        b += OWN_BLOCK
        for k in range(E):
            s[k] += f0 * data[b + k] + f1 * data[b + E + k]
            if n == 3:
                s[k] += f2 * data[b + 2 * E + k]


@jit
def _law_at(data):
    """How many means a row that yields has, where its law stands, and where what it remembers begins."""
    b = int(data[BLOCK])
    n = int(data[b])
    law = b + OWN_BLOCK + n * int(data[STRAINS])
    return n, law, law + extent(data, law)[0]


@jit
def _means(data, o, e, less):
    """Means of strains e, of which ``less`` times e0 (from ``o`` on) is taken away."""
    E = int(data[STRAINS])
    b = int(data[BLOCK])
    n = int(data[b])
    b += OWN_BLOCK
    x0 = 0.0
    x1 = 0.0
    x2 = 0.0
    for k in range(E):
        d = e[k] - less * data[o + k]
        x0 += data[b + k] * d
        x1 += data[b + E + k] * d
        if n == 3:
            x2 += data[b + 2 * E + k] * d
    return x0, x1, x2


@jit(_nrt=True, apart=True)
def accept(m, dim, S, data, q):
    """What a row that yields remembers is brought up to the coordinates q."""
    if data[LAW] != YIELDS:
        return
    E = int(data[STRAINS])
    e, rate, J = np.empty(E), np.empty(E), np.empty((E, m * dim))
    o = evaluate(m, dim, S, data, q, q, e, rate, J)
    x0, x1, x2 = _means(data, o, e, 1.0)
    n, law, own = _law_at(data)
    section_remembers(data, law, own, n, x0, x1, x2)


@jit(_nrt=True, apart=True)
def forces(m, dim, S, data, q, qd, f):
    """f (n) <- generalised forces of elasticity and dampers."""
    E = int(data[STRAINS])
    e, rate, s = np.empty(E), np.empty(E), np.empty(E)
    J = np.empty((E, m * dim))
    o = evaluate(m, dim, S, data, q, qd, e, rate, J)
    if data[LAW] == MOONEY_RIVLIN:
        s[:] = 0.0
    _stress(data, o, m, S, e, rate, s)
    for i in range(S * dim):
        f[i] = 0.0
    o = HEAD
    pull = np.empty(m * dim)
    for _ in range(int(data[POINTS])):
        begin, count = int(data[o + 1]), int(data[o + 2])
        for c in range(m * dim):
            x = 0.0
            for k in range(begin, begin + count):
                x += J[k, c] * s[k]
            pull[c] = x
        b = o + OWN
        for a in range(m):
            for i in range(S):
                if data[b + a * S + i] != 0.0:
                    for d in range(dim):
                        f[i * dim + d] -= data[b + a * S + i] * pull[a * dim + d]
        o += OWN + m * S


@jit
def _spread(B, dim, J, G):
    """G (count, n) <- J (count, m dim) B."""
    m, S = B.shape
    for k in range(G.shape[0]):
        for i in range(S * dim):
            G[k, i] = 0.0
        for a in range(m):
            for s in range(S):
                b = B[a, s]
                if b != 0.0:
                    for d in range(dim):
                        G[k, s * dim + d] += b * J[k, a * dim + d]


@jit(_nrt=True, apart=True)
def stiffness(m, dim, S, data, q, qd, K, C):
    """K (n, n) <- -df/dq, C (n, n) <- -df/dq'; K is the Hessian of the strain energy where nothing is damped or at
    rest.  Whether there are dampers."""
    E, n, w = int(data[STRAINS]), S * dim, m * dim
    tau = data[TAU]
    e, rate, s = np.empty(E), np.empty(E), np.empty(E)
    J, G = np.empty((E, w)), np.empty((E, n))
    tail = evaluate(m, dim, S, data, q, qd, e, rate, J)
    if data[LAW] == MOONEY_RIVLIN:
        s[:] = 0.0
    _stress(data, tail, m, S, e, rate, s)
    for i in range(n):
        for j in range(n):
            K[i, j] = 0.0
            C[i, j] = 0.0
    moving = False
    for k in range(E):
        moving = moving or (tau != 0.0 and rate[k] != 0.0)
    g, gd = np.empty(w), np.empty(w)
    gc = np.empty(w, np.complex128)
    ec = np.empty(E, np.complex128)
    Jc = np.empty((E, w), np.complex128)
    H, T = np.empty((w, w)), np.empty((w, n))
    Gd = np.zeros((E, n)) if moving else np.zeros((1, n))
    sc = np.empty(6, np.complex128)
    xc = np.empty(6, np.complex128)
    o = HEAD
    for _ in range(int(data[POINTS])):
        kind, begin, count = int(data[o]), int(data[o + 1]), int(data[o + 2])
        end = begin + count
        B = data[o + OWN : o + OWN + m * S].reshape(m, S)
        _spread(B, dim, J[begin:end], G[begin:end])
        # sum_k s_k d2e_k/dg2, a column a dual direction
        gather(B, dim, q, g)
        for c in range(w):
            gc[c] = g[c]
        for c in range(w):
            gc[c] = complex(g[c], SEED)
            _clear(ec[:count], Jc[:count])
            strains(kind, gc, ec[:count], Jc[:count])
            gc[c] = g[c]
            for r in range(w):
                x = 0.0
                for k in range(count):
                    x += s[begin + k] * Jc[k, r].imag
                H[r, c] = x / SEED
        _spread(B, dim, H, T)
        for a in range(m):
            for i in range(S):
                b = B[a, i]
                if b != 0.0:
                    for d in range(dim):
                        for j in range(n):
                            K[i * dim + d, j] += b * T[a * dim + d, j]
        if data[LAW] == MOONEY_RIVLIN and data[o + 6] != 0.0:  # G^T (ds/de) G of the law at the point
            for c in range(count):
                for k in range(count):
                    xc[k] = complex(e[begin + k], SEED if k == c else 0.0)
                    sc[k] = 0.0
                hyperelastic_stress(data[o + 3], data[o + 4], data[o + 5], data[o + 6], xc[:count], sc[:count])
                for k in range(count):
                    x = sc[k].imag / SEED
                    for i in range(n):
                        y = x * G[begin + k, i]
                        if y != 0.0:
                            for j in range(n):
                                K[i, j] += y * G[begin + c, j]
        if moving:
            gather(B, dim, qd, gd)
            for c in range(w):
                gc[c] = complex(g[c], SEED * gd[c])
            _clear(ec[:count], Jc[:count])
            strains(kind, gc, ec[:count], Jc[:count])
            for k in range(count):
                for c in range(w):
                    J[begin + k, c] = Jc[k, c].imag / SEED
            _spread(B, dim, J[begin:end], Gd[begin:end])
        o += OWN + m * S
    line = np.empty(n)
    begins = tail + E
    columns = begins + E + 1
    numbers = columns + int(data[begins + E])
    for k in range(E):  # G^T D G
        if data[begins + k] == data[begins + k + 1]:
            continue
        for what in range(2 if moving else 1):
            for j in range(n):
                line[j] = 0.0
            for at in range(int(data[begins + k]), int(data[begins + k + 1])):
                c, x = int(data[columns + at]), data[numbers + at]
                for j in range(n):
                    line[j] += x * (G[c, j] if what == 0 else Gd[c, j])
            for i in range(n):
                x = G[k, i]
                if x != 0.0:
                    if what == 1:
                        x *= tau
                    for j in range(n):
                        K[i, j] += x * line[j]
                    if what == 0 and tau != 0.0:
                        for j in range(n):
                            C[i, j] += tau * x * line[j]
    if data[LAW] == YIELDS:
        x0, x1, x2 = _means(data, tail, e, 1.0)
        b = int(data[BLOCK])
        count, law, own = _law_at(data)
        _, _, _, t00, t01, t02, t11, t12, t22 = section_forces(data, law, own, count, x0, x1, x2)
        t00 -= data[b + 2]
        t11 -= data[b + 3]
        t22 -= data[b + 4]
        P = data[b + OWN_BLOCK : b + OWN_BLOCK + count * E].reshape(count, E)
        A = np.zeros((3, n))
        for a in range(count):
            for k in range(E):
                if P[a, k] != 0.0:
                    for j in range(n):
                        A[a, j] += P[a, k] * G[k, j]
        for i in range(n):
            y0 = data[b + 1] * (t00 * A[0, i] + t01 * A[1, i] + t02 * A[2, i])
            y1 = data[b + 1] * (t01 * A[0, i] + t11 * A[1, i] + t12 * A[2, i])
            y2 = data[b + 1] * (t02 * A[0, i] + t12 * A[1, i] + t22 * A[2, i])
            for j in range(n):
                K[i, j] += y0 * A[0, j] + y1 * A[1, j] + y2 * A[2, j]
    return tau != 0.0


@jit(_nrt=True, apart=True)
def energies(m, dim, S, data, q, qd):
    """(strain energy, power of the dampers, which is not positive)."""
    E = int(data[STRAINS])
    e, rate = np.empty(E), np.empty(E)
    J = np.empty((E, m * dim))
    o = evaluate(m, dim, S, data, q, qd, e, rate, J)
    stored, lost = 0.0, 0.0
    begins = o + E
    columns = begins + E + 1
    numbers = columns + int(data[begins + E])
    for k in range(E):
        x, y = 0.0, 0.0
        for i in range(int(data[begins + k]), int(data[begins + k + 1])):
            c = int(data[columns + i])
            x += data[numbers + i] * (e[c] - data[o + c])
            y += data[numbers + i] * rate[c]
        stored += 0.5 * x * (e[k] - data[o + k])
        lost -= data[TAU] * y * rate[k]
    if data[LAW] == MOONEY_RIVLIN:
        o = HEAD
        for _ in range(int(data[POINTS])):
            begin, count = int(data[o + 1]), int(data[o + 2])
            if data[o + 6] != 0.0:
                stored += data[o + 6] * hyperelastic_energy(
                    data[o + 3], data[o + 4], data[o + 5], e[begin : begin + count]
                )
            o += OWN + m * S
    elif data[LAW] == YIELDS:
        x0, x1, x2 = _means(data, o, e, 1.0)
        v0, v1, v2 = _means(data, o, rate, 0.0)
        b = int(data[BLOCK])
        n, law, own = _law_at(data)
        x, y = section_energy(data, law, own, n, x0, x1, x2, v0, v1, v2)
        stored += data[b + 1] * (x - 0.5 * (data[b + 2] * x0 * x0 + data[b + 3] * x1 * x1 + data[b + 4] * x2 * x2))
        lost += data[b + 1] * y
    return stored, lost


# ---- what builders use -----------------------------------------------------------------------------------------------
def gauss(k: int) -> tuple[np.ndarray, np.ndarray]:
    """Points and weights of Gauss on [0, 1]."""
    x, w = np.polynomial.legendre.leggauss(k)
    return 0.5 * (x + 1.0), 0.5 * w


@cache
def _plain():
    """`strains` as plain Python, so that builders compile nothing."""
    names = {**vars(unit_vectors), **vars(kinds), "sqrt": math.sqrt}
    own = {k: v for k, v in names.items() if isinstance(v, Kernel)}
    names |= {k: FunctionType(v.py_func.__code__, names, k) for k, v in own.items()}
    return names["strains"]


def strains_of(kind: int, count: int, g: np.ndarray) -> np.ndarray:
    """Strains of vectors at a point: of the unloaded element, and for results."""
    e, J = np.zeros(count), np.zeros((count, len(g)))
    _plain()(kind, np.asarray(g, float), e, J)
    return e


def drawn(q0, n: int, what: str) -> np.ndarray:
    """(e, n) coordinates of elements as drawn, finite.  Raises ModelError."""
    try:
        q0 = np.array(q0, float)
    except (TypeError, ValueError):
        q0 = np.zeros(0)
    if q0.ndim == 1 and q0.size == n:
        q0 = q0[None]
    if q0.ndim != 2 or q0.shape[1] != n:
        raise ModelError(f"coordinates of {what} have the shape {q0.shape}; give (elements, {n})")
    bad = np.flatnonzero(~np.isfinite(q0).all(1))
    if len(bad):
        raise ModelError(f"coordinates of element {bad[0] + 1} of {what} are not finite")
    return q0


def per_element(properties, e: int, names: tuple[str, ...], what: str) -> np.ndarray:
    """(e, k) properties, given for each element or once for all.  Raises ModelError."""
    p = np.asarray(properties, float)
    p = np.broadcast_to(p, (e, len(names))) if p.shape in ((len(names),), (1, len(names))) else p
    if p.shape != (e, len(names)):
        raise ModelError(f"properties of {what} have the shape {p.shape}; give ({e}, {len(names)}): {', '.join(names)}")
    return p


def laws_behind(properties, names: tuple[str, ...], what: str, structural: bool, kind: int) -> np.ndarray:
    """The numbers of a law (e or 1, l) that are behind the properties (k,) or (e, k) of elements.  Raises ModelError
    for a law that is none of this ``kind`` (`section_laws`), or in another formulation."""
    law = np.atleast_2d(np.asarray(properties, float))[:, len(names) :]
    if law.shape[1]:
        wrong = section_laws.faults(law[0])
        if wrong or law[0, 0] != kind:
            other = "with positions alone" if kind == section_laws.FIBRES else "with positions and heights"
            raise ModelError(f"the law of {what}: {wrong or f'it takes Fibres {other}'}")
        if not structural:
            raise ModelError(f"{what} yields in the formulation 'structural' alone; choose it, or leave the law out")
    return law


def retraced(law: np.ndarray, X: np.ndarray, stiffness: np.ndarray) -> np.ndarray:
    """(.., m) forces of a section that yields less those of the elastic one, at means X (.., m) that follow each other
    from the start."""
    own, count = section_laws.extent.py_func(law, 0)
    row = np.concatenate([law, np.zeros(count)])
    m = X.shape[-1]
    out = np.empty((int(np.prod(X.shape[:-1])), m))
    for t, x in enumerate(X.reshape(-1, m)):
        strain = (*map(float, x), 0.0)[:3]
        out[t] = section_forces(row, 0, own, m, *strain)[:m] - stiffness * x
        section_remembers(row, 0, own, m, *strain)
    return out.reshape(X.shape)


def scales(nodes: int, gradients: int, unit: float) -> np.ndarray:
    """(S,) what positions and gradients of nodes are multiplied by in coordinates of a mesh whose gradients have the
    length ``unit``."""
    return np.tile([1.0, *[unit] * gradients], nodes)


def positive(what: str, **numbers) -> None:
    """Raises ModelError for the first number that is not positive."""
    for name, value in numbers.items():
        if (
            isinstance(value, bool)
            or not isinstance(value, (int, float, np.number))
            or not (value > 0.0 and np.isfinite(value))
        ):
            raise ModelError(f"{name} of {what} is {value!r}; give a positive number")
