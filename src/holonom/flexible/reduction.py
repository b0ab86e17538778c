"""From finite elements to modes of a body in a floating frame.

Craig and Bampton's basis (AIAA Journal 6 (1968) 1313-1319): with the freedoms b of the interface nodes and i of all others,

    u_i = -K_ii^-1 K_ib u_b + Phi q,       K_ii Phi = M_ii Phi w^2  with the interfaces held,

exact in statics for loads on interfaces.  Where nodes have no rotations (solids) the basis is that of free-interface modes with residual attachment
modes (Rubin, AIAA Journal 13 (1975) 995-1006): modes of the free body and its static shapes under unit forces and moments on the interfaces, with the
inertia of the rigid acceleration that they make; exact in statics too.  The rotation of a node of a solid is that of the rigid motion nearest to
what the nodes around it do, in least squares, and a moment on it is spread over these (as RBE3 does).

Stiffness and mass of the basis are made diagonal once more, which gives the six rigid motions and modes of a free body, each with a frequency,
mass-orthonormal and without momentum: those of the floating frame (`elements.bodies.modes`).

Tables over pairs of shapes are taken with the consistent mass: with X_ak the shape phi_k turned about axis a, S_kj = X_k^T M X_j and
H_kj = X_k^T M phi_j.  Geometric stiffness (Wallrapp & Schwertassek, Int. J. for Numerical Methods in Engineering 32 (1991) 1833-1850): of each load
with which the undeformed body is in equilibrium the initial stresses and the stiffness Kg that they make; loads are the centrifugal ones of unit
spins (these Kg are taken from S) and unit forces on interfaces with the inertia of the rigid acceleration that they make (the displacement of second
order of the interface is -Kg, by reciprocity).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg as la
import scipy.sparse.linalg as sla

from ..model.base import ModelError
from ..model.reduced_body import ReducedBody

if TYPE_CHECKING:
    from .finite_elements import FiniteElements

DENSE = 1500  # freedoms up to which eigenvalues of all are found
RIGID = 1e-6  # stiffness against a rigid motion, as a share of what its terms add up to
ALIKE = 1e-9  # asymmetry, the same way
SAME = 1e-9  # share of the largest that is left of a shape which others make up
EMPTY = 1e-14  # frequency^2 below this share of the largest is that of a motion without stiffness


def reduce(
    elements: FiniteElements, interfaces: Sequence[int] = (), modes: int = 10, *, highest: float | None = None, geometric: bool = True
) -> ReducedBody:
    """Modes of finite elements whose ``interfaces`` (ids of nodes) are where joints and forces act.

    ``modes``: how many fixed-interface modes beside those of the interfaces (of which there are 6 a node, less the six rigid ones);
    ``highest``: modes of a frequency above this are left out (rad per time; loses what they add in statics); ``geometric``: whether stresses change
    the stiffness, where the finite elements know of it.  Raises `ModelError` for matrices that are not those of a free body: not symmetric, with
    stiffness against rigid motions, without mass, with more motions without stiffness than six.
    """
    fe = elements
    K, M = fe.K.tocsc(), fe.M.tocsc()
    size = fe.freedoms * len(fe.nodes)
    for name, A in (("stiffness", K), ("mass", M)):
        if A.shape != (size, size):
            raise ModelError(f"its {name} is {A.shape[0]} x {A.shape[1]}; {len(fe.nodes)} nodes have {size} freedoms")
        if not np.all(np.isfinite(A.data)):
            raise ModelError(f"its {name} has entries that are not finite")
        if abs(A - A.T).max() > ALIKE * abs(A).max():
            raise ModelError(f"its {name} is not symmetric (entries differ by {abs(A - A.T).max() / abs(A).max():.2g} of the largest)")
    index = {node: k for k, node in enumerate(fe.nodes)}
    missing = [n for n in interfaces if n not in index]
    if missing:
        raise ModelError(f"there is no node {missing[0]} among its {len(fe.nodes)} nodes")
    interfaces = tuple(dict.fromkeys(interfaces))
    R = fe.rigid(np.zeros(3))
    total = R.T @ (M @ R)
    mass = total[0, 0]
    if not mass > 0.0:
        raise ModelError(f"its mass is {mass:g}; it must be positive")
    # moments of the mass: rows of the rotations about the origin, columns of the translations
    centre = np.array([total[5, 1], total[3, 2], total[4, 0]]) / mass
    R = fe.rigid(centre)
    inertia = (R.T @ (M @ R))[3:, 3:]
    if not np.all(np.isfinite(R.T @ (M @ R))):
        raise ModelError("its nodes lie too far apart for numbers; give places in a length unit of its size")
    resistance = np.abs(K @ R).max(0) / np.maximum((abs(K) @ np.abs(R)).max(0), 1e-300)
    if resistance.max() > RIGID:
        what = ("along x", "along y", "along z", "about x", "about y", "about z")[int(resistance.argmax())]
        raise ModelError(f"its stiffness resists a rigid motion {what}; give that of the free body, without supports")
    try:
        if fe.freedoms == 3 or not interfaces:
            Z = _free_basis(fe, K, M, R, [index[n] for n in interfaces], modes)
        else:
            B = np.concatenate([6 * index[n] + np.arange(6) for n in interfaces])
            Z = _basis(K, M, B, np.setdiff1d(np.arange(size), B), modes)
        values, vectors = la.eigh(Z.T @ (K @ Z), Z.T @ (M @ Z))
    except la.LinAlgError:
        raise ModelError("its mass is not positive: a motion of it has none; leave that freedom out") from None
    except RuntimeError as error:  # of the sparse factor
        if isinstance(error, NotImplementedError) or "singular" not in str(error):
            raise
        raise ModelError("it has a motion without stiffness beside the six rigid ones; it falls apart") from None
    order = np.argsort(values)[6:]
    first = values[order[0]] if len(order) else np.inf
    if not first > 0.0 or first <= EMPTY * values.max():
        raise ModelError("it has a motion without stiffness beside the six rigid ones; it falls apart, or its mass is not positive")
    if highest is not None:
        order = order[values[order] <= highest**2]
    if not len(order):
        raise ModelError("no mode is left; ask for more of them, or for a higher frequency")
    Phi = Z @ vectors[:, order]
    # what the basis holds of rigid motions within roundoff goes too
    Phi -= R @ la.solve(R.T @ (M @ R), R.T @ (M @ Phi), assume_a="pos")
    Phi *= np.sign(Phi[np.abs(Phi).argmax(0), np.arange(Phi.shape[1])])
    Phi /= np.sqrt(np.einsum("ij,ij->j", Phi, M @ Phi))
    S, H = _pairs(fe, M, R, Phi)
    bends: dict[int, np.ndarray] = {}
    if geometric and fe.geometric is not None:
        bends = _stiffen(fe, K, M, R, Phi, centre, [index[n] for n in interfaces], S)
    if fe.freedoms == 6:
        shapes = Phi.reshape(len(fe.nodes), 6, -1)
    else:
        shapes = np.zeros((len(fe.nodes), 6, Phi.shape[1]))
        for k in range(len(fe.nodes)):
            at, how = fe.motion(k)
            shapes[k] = how @ Phi[at]
    n = Phi.shape[1]
    return ReducedBody(
        float(mass), centre, inertia, np.sqrt(values[order]), S, H, np.array(fe.nodes), fe.places, shapes, np.array(interfaces, np.int64),
        np.array([fe.nodes[k] for k in bends], np.int64), np.array(list(bends.values())).reshape(-1, 3, n, n), fe.lines, fe.faces,
        np.zeros((0, 6, n)) if fe.stress is None else fe.stress(Phi),
    )  # fmt: skip


def _lowest(K, M, count: int, shift: float) -> np.ndarray:
    """Vectors of the lowest ``count`` eigenvalues of K v = w^2 M v."""
    size = K.shape[0]
    count = min(count, size)
    if size <= DENSE or count > size // 3:
        return la.eigh(K.toarray(), M.toarray(), subset_by_index=(0, count - 1))[1]
    start = np.random.default_rng(0).normal(size=size)  # the same modes each time
    values, vectors = sla.eigsh(K, count, M, sigma=-shift, v0=start)
    return vectors[:, np.argsort(values)]


def _basis(K, M, B, inner, modes: int) -> np.ndarray:
    """Static shapes of the interfaces, rigid motions among them, and fixed-interface modes (size, ..)."""
    size = K.shape[0]
    Kii, Mii = K[inner][:, inner].tocsc(), M[inner][:, inner].tocsc()
    Z = np.zeros((size, len(B) + min(modes, len(inner))))
    Z[B, np.arange(len(B))] = 1.0
    if len(inner):
        Z[inner, : len(B)] = -sla.splu(Kii).solve(K[inner][:, B].toarray())
        if modes:
            Z[inner, len(B) :] = _lowest(Kii, Mii, modes, 0.0)
    return Z


def _supported(K, M, R) -> Callable[[np.ndarray], np.ndarray]:
    """Static displacements of the free body under loads (size, ..), which the inertia of its rigid acceleration balances."""
    size = K.shape[0]
    # six freedoms that hold it, as far from each other as can be: with loads in balance they carry nothing
    support = la.qr(R.T, pivoting=True, mode="r")[1][:6]
    inner = np.setdiff1d(np.arange(size), support)
    factor = sla.splu(K[inner][:, inner].tocsc())
    rigid = R.T @ (M @ R)

    def solve(load: np.ndarray) -> np.ndarray:
        load = load - M @ (R @ la.solve(rigid, R.T @ load, assume_a="pos"))
        u = np.zeros_like(load)
        u[inner] = factor.solve(load[inner])
        return u

    return solve


def _free_basis(fe: FiniteElements, K, M, R, interfaces: list[int], modes: int) -> np.ndarray:
    """Rigid motions, modes of the free body, and static shapes of unit loads on interfaces (size, ..)."""
    # small beside all frequencies, but it moves rigid motions off zero
    shift = 1e-6 * np.median(K.diagonal() / np.maximum(M.diagonal(), 1e-300))
    parts = [_lowest(K, M, modes + 6, shift)[:, 6:]]
    if interfaces:
        loads = np.zeros((K.shape[0], 6 * len(interfaces)))
        for k, node in enumerate(interfaces):
            at, how = fe.motion(node)
            loads[at, 6 * k : 6 * k + 6] = how.T
        parts.append(_supported(K, M, R)(loads))
    Z = np.hstack(parts)
    Z -= R @ la.solve(R.T @ (M @ R), R.T @ (M @ Z), assume_a="pos")
    Z /= np.sqrt(np.einsum("ij,ij->j", Z, M @ Z))
    # what the modes hold already of the static shapes is left out
    weight, turn = la.eigh(Z.T @ (M @ Z))
    keep = weight > SAME * weight.max()
    return np.hstack([R, Z @ (turn[:, keep] / np.sqrt(weight[keep]))])


def _turned(Phi: np.ndarray, a: int) -> np.ndarray:
    """Shapes (6 nodes, n) turned about axis a: e_a x displacement, e_a x rotation."""
    vectors = Phi.reshape(-1, 3, Phi.shape[1])
    return np.cross(np.eye(3)[a][None, :, None], vectors, axis=1).reshape(Phi.shape)


def _pairs(fe: FiniteElements, M, R, Phi) -> tuple[np.ndarray, np.ndarray]:
    """The tables S and H; the first shape is the place."""
    n = Phi.shape[1]
    S, H = np.zeros((n + 1, n + 1, 3, 3)), np.zeros((n + 1, n + 1, 3))
    X = [np.hstack([R[:, 3 + a : 4 + a], _turned(Phi, a)]) for a in range(3)]
    for a in range(3):
        MX = M @ X[a]
        H[:, 1:, a] = MX.T @ Phi
        for b in range(3):
            S[:, :, a, b] = MX.T @ X[b]
    S = 0.25 * (S + S.transpose(1, 0, 2, 3) + S.transpose(0, 1, 3, 2) + S.transpose(1, 0, 3, 2))
    H[0] = H[:, 0] = 0.0  # the modes hold no moment of momentum
    return S, 0.5 * (H - H.transpose(1, 0, 2))


def _stiffen(fe: FiniteElements, K, M, R, Phi, centre, interfaces: list[int], S) -> dict[int, np.ndarray]:
    """S of modes -= stiffness of unit spins; of interfaces, by place, their displacements of second order (3, n, n)."""
    stressed = fe.geometric
    assert stressed is not None
    size, n = K.shape[0], Phi.shape[1]
    static = _supported(K, M, R)

    def projected(load: np.ndarray) -> np.ndarray:
        Kg = Phi.T @ (stressed(static(load)) @ Phi)
        return 0.5 * (Kg + Kg.T)

    s = fe.places - centre
    for a in range(3):
        for b in range(a, 3):
            ea, eb = np.eye(3)[a], np.eye(3)[b]
            away = -0.5 * (np.cross(ea, np.cross(eb, s)) + np.cross(eb, np.cross(ea, s)))
            Kg = projected(M @ np.hstack([away, np.zeros_like(away)])[:, : fe.freedoms].ravel())
            S[1:, 1:, a, b] -= Kg
            if a != b:
                S[1:, 1:, b, a] -= Kg
    out = {}
    for k in interfaces:
        out[k] = np.zeros((3, n, n))
        for c in range(3):
            load = np.zeros(size)
            load[fe.freedoms * k + c] = 1.0
            out[k][c] = -projected(load)
    return out
