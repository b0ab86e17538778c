"""From finite elements to modes of a body in a floating frame.

Rigid spiders (`spiders`) are met first: u = T x, with K and M of x.

Craig and Bampton's basis (AIAA Journal 6 (1968) 1313-1319): with the degrees of freedom b of the interface nodes and i
of all others,

    u_i = -K_ii^-1 K_ib u_b + Phi q,       K_ii Phi = M_ii Phi w^2  with the interfaces held,

exact in statics for loads on interfaces.  Where an interface has no six degrees of freedom of its own (nodes of solids,
distributing spiders) the basis is that of free-interface modes with residual attachment modes (Rubin, AIAA Journal 13
(1975) 995-1006): modes of the free body and its static shapes under unit forces and moments on the interfaces, with the
inertia of the rigid acceleration that they make; exact in statics too.  One factor of K
(`linalg.multifrontal`) serves modes and statics.  The rotation of a node of a solid is that of the rigid motion nearest
to what the nodes around it do, in least squares, and a moment on it is spread over these (as RBE3 does).

Stiffness and mass of the basis are made diagonal once more, which gives the six rigid motions and modes of a free body,
each with a frequency, mass-orthonormal and without momentum: those of the floating frame (`elements.bodies.modes`).

Tables over pairs of shapes are taken with the consistent mass: with X_ak the shape phi_k turned about axis a, S_kj =
X_k^T M X_j and H_kj = X_k^T M phi_j.  Geometric stiffness (Wallrapp & Schwertassek, Int. J. for Numerical Methods in
Engineering 32 (1991) 1833-1850): of each load with which the undeformed body is in equilibrium the initial stresses and
the stiffness Kg that they make; loads are the centrifugal ones of unit spins (these Kg are taken from S) and unit
forces on interfaces with the inertia of the rigid acceleration that they make (the displacement of second order of the
interface is -Kg, by reciprocity).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from ..linalg.multifrontal import Cholesky, Indefinite
from ..model.base import ModelError, shown
from ..model.reduced_body import ReducedBody
from ..model.values import number, whole
from .dents import Dents
from .residual import fields, residual
from .spiders import nearest_rigid, rigid_motions

if TYPE_CHECKING:
    from .finite_elements import FiniteElements

RIGID = 1e-6  # stiffness against a rigid motion, as a share of what its terms add up to
ALIKE = 1e-9  # asymmetry, the same way
SAME = 1e-9  # share of the largest that is left of a shape which others make up
ROUNDED = 1e-9  # share of a compliance or of a held motion that is nothing
PARALLEL = 1e-8  # share of the largest held rigid motion below which one is held by none
MOST_MODES = 10_000
FIRST_MODES = 12  # that are checked where an accuracy is requested
MOST_VECTORS = 300  # of the Krylov space, and twelve a mode, after which it is given up
EXACT = 1e-9  # what is left of a pair of the Krylov space, next to its eigenvalue
LOOSE = (
    "it has a motion without stiffness in addition to the six rigid ones; it falls apart, or its mass is not positive"
)
EMPTY = 1e-14  # frequency^2 below this share of the largest is that of a motion without stiffness
ROUNDOFF = (
    1e-14  # strain energy of a mode, as a share of what its terms add up to, that is roundoff: the mode is a mechanism
)


def _matrices(fe: FiniteElements) -> tuple[sp.csc_matrix, sp.csc_matrix]:
    """Stiffness and mass of a free body.  Raises `ModelError` for matrices of another size, with entries that are not
    finite, or not symmetric, and for nodes that nothing joins."""
    K, M = fe.K.tocsc(), fe.M.tocsc()
    size = fe.freedoms * len(fe.nodes)
    for name, A in (("stiffness", K), ("mass", M)):
        if A.shape != (size, size):
            raise ModelError(
                f"its {name} is {A.shape[0]} x {A.shape[1]}; {len(fe.nodes)} nodes have {size} degrees of freedom"
            )
        if not np.all(np.isfinite(A.data)):
            raise ModelError(f"its {name} has entries that are not finite")
        if abs(A - A.T).max() > ALIKE * abs(A).max():
            raise ModelError(
                f"its {name} is not symmetric (entries differ by {abs(A - A.T).max() / abs(A).max():.2g} of the "
                "largest)"
            )
    _joined(fe, K)
    return K, M


def _of_rigid_motions(
    fe: FiniteElements, K: sp.csc_matrix, M: sp.csc_matrix
) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
    """Mass, centre, inertia about it, and the six rigid-body motions about it as displacements (freedoms, 6).  Raises
    `ModelError` where there is no mass, or the stiffness resists one of them."""
    R = fe.rigid(np.zeros(3))
    total = R.T @ (M @ R)
    mass = total[0, 0]
    if not mass > 0.0:
        raise ModelError(f"its mass is {mass:g}; it must be positive")
    negative = np.flatnonzero(M.diagonal() < 0.0)
    if len(negative):
        raise ModelError(
            f"its mass is negative on the diagonal at node {fe.nodes[int(negative[0]) // fe.freedoms]}; give the "
            "matrix of a body"
        )
    # moments of the mass: rows of the rotations about the origin, columns of the translations
    centre = np.array([total[5, 1], total[3, 2], total[4, 0]]) / mass
    R = fe.rigid(centre)
    inertia = (R.T @ (M @ R))[3:, 3:]
    if not np.all(np.isfinite(R.T @ (M @ R))):
        raise ModelError(
            "its nodes are too far apart for floating-point numbers; give positions in a length unit of its size"
        )
    resistance = np.abs(K @ R).max(0) / np.maximum((abs(K) @ np.abs(R)).max(0), 1e-300)
    if resistance.max() > RIGID:
        what = ("along x", "along y", "along z", "about x", "about y", "about z")[int(resistance.argmax())]
        raise ModelError(f"its stiffness resists a rigid motion {what}; give that of the free body, without supports")
    return mass, centre, inertia, R


def _stresses(
    tied: _Tied, static: Any, X: np.ndarray, frequency: np.ndarray, Phi: np.ndarray, centre: np.ndarray, ends: Sequence
) -> dict[str, np.ndarray]:
    """Fields of a `ReducedBody` for stresses at nodes and forces of sections, of finite elements that know them."""
    fe = tied.fe
    a, count = len(fe.nodes), len(fe.markers[0])
    if fe.stress is None and fe.sections is None:
        return {}
    more: dict[str, Any] = {}
    rest = residual(tied, static, X, frequency, centre, ends)
    if fe.stress is not None:  # spiders have none
        more |= {
            k: np.pad(fe.stress(u), ((0, count - a), (0, 0), (0, 0)))
            for k, u in (("stress", Phi), ("stress_residual", rest))
        }
    if fe.sections is not None:
        of = fe.sections
        spread = of.spread(fields(fe, centre, Phi))
        more |= {"section": of.forces(Phi), "section_residual": np.concatenate([of.forces(rest), spread], axis=2)}
        more |= {"station": of.station, "triad": of.triad, "fibre": of.fibre, "law": of.law}
    return more


def reduce(
    elements: FiniteElements,
    interfaces: Sequence[int] = (),
    modes: int = 10,
    *,
    highest: float | None = None,
    effective: float | None = None,
    geometric: bool = True,
    loads: np.ndarray | None = None,
    dents: Sequence[int] = (),
    accuracy: float | None = None,
    shortest: float | None = None,
) -> ReducedBody:
    """Reduce finite elements to modes (Craig-Bampton); joints and forces act at the ``interfaces`` (ids of nodes).

    ``modes``: number of fixed-interface modes in addition to the constraint modes (6 per node, minus the six rigid-body
    modes); ``highest``: modes above this frequency are omitted (rad per time; their static contribution is lost);
    ``effective``: only the fixed-interface modes that make up this fraction of the effective modal mass along and about
    each axis are kept, the largest first; ``geometric``: whether stresses change the stiffness, where the finite
    elements know of it; ``loads`` (freedoms, k): forces on nodes whose static displacements the modes represent
    exactly, such as thermal loads (`holonom.thermal.Expansion`); ``dents``: ids of surface nodes whose local compliance
    under normal forces is kept in addition to the modes (`dents`), without inertia; with an ``accuracy`` the number of
    modes is chosen, up to ``modes``, for forces that rise and fall within the ``shortest`` time. Raises `ModelError`
    for matrices that are not those of a free body: not symmetric, with stiffness against rigid-body motion, without
    mass, or with more than six motions without stiffness.
    """
    fe = elements
    interfaces, dents = ids_of(interfaces, "interfaces"), ids_of(dents, "dents")
    if not 0 <= whole(modes, "modes") <= MOST_MODES:
        raise ModelError(f"modes is {modes}; give a number from 0 to {MOST_MODES}")
    for name, value in (("highest", highest), ("effective", effective), ("accuracy", accuracy), ("shortest", shortest)):
        if value is not None and not number(value, name) > 0.0:
            raise ModelError(f"{name} is {shown(value)}; give a positive number, or leave it out")
    K, M = _matrices(fe)
    size = M.shape[0]
    ids, places = fe.markers
    index = {int(node): k for k, node in enumerate(ids)}
    missing = [n for n in interfaces if n not in index]
    if missing:
        raise ModelError(f"there is no node {missing[0]} among its {len(ids)} nodes")
    interfaces = tuple(dict.fromkeys(interfaces))
    mass, centre, inertia, R = _of_rigid_motions(fe, K, M)
    tied = _Tied(fe, K, M, centre)
    ends = [tied.motion(index[n]) for n in interfaces]
    held = bool(ends) and all(
        node.shape == (6,) and node.dtype.kind == "i" and how.shape == (6, 6) for node, how in ends
    )
    if effective is not None:
        if not held:
            raise ModelError(
                "effective masses are those of modes with held interfaces, of nodes with rotations; tie nodes of a "
                "solid with spiders"
            )
        if not 0.0 < effective <= 1.0:
            raise ModelError(f"effective is {effective:g}; give a share of the mass, above 0 and up to 1")
    given = None
    if loads is not None:
        try:
            given = np.asarray(loads, float)
        except (TypeError, ValueError):
            raise ModelError(f"loads is {shown(loads)}; give finite numbers ({size}, k)") from None
        if given.ndim != 2 or len(given) != size or not np.all(np.isfinite(given)):
            raise ModelError(f"loads have the size {given.shape}; give finite numbers ({size}, k)")
    of_surface: Dents | None = None
    count = modes if accuracy is None else min(modes, FIRST_MODES)
    while True:
        X, frequency, static = _modes(tied, ends, held, count, effective, given, highest)
        if not len(dents):
            break
        of_surface = of_surface or Dents(tied, static, dents)
        if accuracy is None:
            break
        lack = of_surface.lacking(X, frequency, shortest)
        if lack[-1] <= accuracy:
            if not ends and given is None:  # modes of the free body, of which the lowest are enough
                n = max(1, int(np.flatnonzero(lack <= accuracy)[0]))
                X, frequency = X[:, :n], frequency[:n]
            break
        if count >= min(modes, size - 6):
            raise ModelError(
                f"with {count} modes the inertia of its local compliance may take {lack[-1]:.2g} of them, more "
                "than the accuracy "
                f"of {accuracy:g}; allow more modes, "
                "give the shortest time in which forces rise and fall (shortest=), or request less"
            )
        count = min(2 * count, modes)
    Phi = tied.nodes(X)
    S, H = _pairs(fe, M, R, Phi)
    bends: dict[int, np.ndarray] = {}
    if geometric and fe.geometric is not None:
        bends = _stiffen(tied, static, X, Phi, centre, interfaces, S)
    a, n = len(fe.nodes), Phi.shape[1]
    shapes = np.zeros((len(ids), 6, n))
    if fe.freedoms == 6:
        shapes[:a] = Phi.reshape(a, 6, n)
    else:
        shapes[:a, :3] = Phi.reshape(a, 3, n)
        shapes[:a, 3:] = (fe.rotations() @ Phi).reshape(a, 3, n)
    for k in range(a, len(ids)):
        at, how = tied.motion(k)
        shapes[k] = how @ X[at]
    more = {} if of_surface is None else of_surface.of(X, frequency)
    more |= _stresses(tied, static, X, frequency, Phi, centre, ends)
    legs = [(index[k], a + i) for i, spider in enumerate(fe.spiders) for k in spider.nodes]
    lines = np.vstack([np.asarray(fe.lines).reshape(-1, 2), np.array(legs, np.int64).reshape(-1, 2)])
    out = ReducedBody(
        float(mass),
        centre,
        inertia,
        frequency,
        S,
        H,
        ids,
        places,
        shapes,
        np.array(interfaces, np.int64),
        np.array(list(bends), np.int64),
        np.array(list(bends.values())).reshape(-1, 3, n, n),
        lines,
        fe.faces,
        **more,
    )
    object.__setattr__(out, "elements", fe)
    return out


def ids_of(nodes: Any, what: str) -> tuple[int, ...]:
    """Ids of nodes.  Raises `ModelError` for a value that is not a list of whole numbers."""
    if isinstance(nodes, (str, bytes, dict)) or not hasattr(nodes, "__iter__") or np.ndim(nodes) != 1:
        raise ModelError(f"{what} is {shown(nodes)}; give ids of nodes, as [1, 21]")
    return tuple(whole(k, f"a node in {what}") for k in nodes)


def _modes(tied: _Tied, ends: list, held: bool, modes: int, effective, loads: np.ndarray | None, highest: float | None):
    """Modes (size, n), mass-orthonormal and without momentum, their frequencies, and the statics of the free body."""
    try:
        if held:
            Z, static = _held_basis(tied, ends, modes, effective, highest)
        else:
            Z, static = _free_basis(tied, ends, modes, highest)
        if loads is not None:
            Z = _with(Z, tied.M, tied.R, static(tied.load(loads)))
        values, vectors = la.eigh(Z.T @ (tied.K @ Z), Z.T @ (tied.M @ Z))
    except la.LinAlgError:
        raise ModelError("its mass is not positive: a motion of it has none; leave that freedom out") from None
    order = np.argsort(values)[6:]
    first = values[order[0]] if len(order) else np.inf
    if not first > 0.0 or first <= EMPTY * values.max():
        raise ModelError(LOOSE)
    if not len(order):
        raise ModelError("no mode is left; request more of them, or for a higher frequency")
    X = Z @ vectors[:, order]
    # what the basis holds of rigid motions within roundoff goes too
    X -= tied.R @ _solved(tied.R.T @ (tied.M @ tied.R), tied.R.T @ (tied.M @ X))
    X *= np.sign(X[np.abs(X).argmax(0), np.arange(X.shape[1])])
    X /= np.sqrt(np.einsum("ij,ij->j", X, tied.M @ X))
    energy, terms = np.einsum("ij,ij->j", X, tied.K @ X), np.einsum("ij,ij->j", np.abs(X), abs(tied.K) @ np.abs(X))
    if np.any(energy <= ROUNDOFF * terms):
        raise ModelError(LOOSE)
    return X, np.sqrt(values[order]), static


def _below(low: np.ndarray, K, highest: float | None) -> np.ndarray:
    """Of M-orthonormal modes (size, n) those of a frequency (rad per time) up to the highest."""
    return low if highest is None else low[:, np.einsum("ij,ij->j", low, K @ low) <= highest**2]


def _joined(fe: FiniteElements, K) -> None:
    """Raises `ModelError` where nodes are in several pieces that no stiffness joins."""
    pattern = sp.csc_matrix(
        (np.ones(len(K.indices), np.int8), K.indices // fe.freedoms, K.indptr[:: fe.freedoms].copy()),
        shape=(len(fe.nodes),) * 2,
    )
    pairs = [(s.nodes[0], k) for s in fe.spiders if s.kind == "rigid" for k in s.nodes]
    if pairs:  # spiders join what they tie
        number = {int(k): i for i, k in enumerate(fe.nodes)}
        a, b = (np.array([number[k] for k in own]) for own in zip(*pairs))
        pattern = pattern + sp.csc_matrix((np.ones(len(a), np.int8), (a, b)), shape=pattern.shape)
    count, piece = connected_components(pattern, directed=False)
    if count > 1:
        first = [int(np.flatnonzero(piece == k)[0]) for k in range(2)]
        sizes = [int((piece == k).sum()) for k in range(2)]
        pieces = " and ".join(f"{n} nodes with node {fe.nodes[k]}" for k, n in zip(first, sizes))
        more = f", and {count - 2} more" if count > 2 else ""
        raise ModelError(
            f"it is in {count} pieces that no element joins: {pieces}{more}; merge their nodes, or make each a part of "
            "its own"
        )


class _Tied:
    """Coordinates of a body whose rigid spiders are met: degrees of freedom of the nodes that none of these ties, then
    six a spider; u = T x."""

    def __init__(self, fe: FiniteElements, K, M, centre: np.ndarray) -> None:
        self.fe, self.centre = fe, centre
        f, a = fe.freedoms, len(fe.nodes)
        self.node, self.places = np.repeat(np.arange(a), f), fe.places  # of each coordinate
        self.T, self.of = None, {}
        R = fe.rigid(centre)
        number = {int(k): i for i, k in enumerate(fe.nodes)}
        self.number = number
        rigid = [(a + i, s) for i, s in enumerate(fe.spiders) if s.kind == "rigid"]
        if rigid:
            held = np.zeros(a, bool)
            for _, s in rigid:
                held[[number[k] for k in s.nodes]] = True
            kept = np.flatnonzero(~held[self.node])
            rows, columns, numbers = [kept], [np.arange(len(kept))], [np.ones(len(kept))]
            size = len(kept)
            places = [fe.places]
            for k, s in rigid:
                own = np.array([number[n] for n in s.nodes])
                moved = rigid_motions(fe.places[own] - s.at)[:, :f]
                rows.append(np.broadcast_to((f * own[:, None] + np.arange(f))[:, :, None], moved.shape).ravel())
                columns.append(np.broadcast_to(size + np.arange(6), moved.shape).ravel())
                numbers.append(moved.ravel())
                self.of[k] = size + np.arange(6)
                places.append(np.array([s.at]))
                size += 6
            T = sp.csr_matrix(
                (np.concatenate(numbers), (np.concatenate(rows), np.concatenate(columns))), shape=(f * a, size)
            )
            self.node = np.concatenate([self.node[kept], np.repeat(a + np.arange(len(rigid)), 6)])
            self.places = np.vstack(places)
            self.T = T
            K, M = (T.T @ K @ T).tocsc(), (T.T @ M @ T).tocsc()
            R = np.vstack([R[kept], *(rigid_motions(np.array([s.at]) - centre)[0] for _, s in rigid)])
        self.K, self.M, self.R = K, M.tocsr(), R

    def nodes(self, x: np.ndarray) -> np.ndarray:
        """Freedoms of the nodes (f a, ..)."""
        return x if self.T is None else self.T @ x

    def load(self, f: np.ndarray) -> np.ndarray:
        """Of loads on the degrees of freedom of the nodes (f a, ..) those on the coordinates."""
        return f if self.T is None else self.T.T @ f

    def motion(self, node: int) -> tuple[np.ndarray, np.ndarray]:
        """Displacement and rotation of a node or spider (by position in ``fe.markers``): coordinates (k,) that they
        follow from, and how (6, k)."""
        if node in self.of:
            return self.of[node], np.eye(6)
        at, how = self.follows(node)
        if self.T is None:
            return at, how
        rows = sp.csr_matrix(how) @ self.T[at]
        used = np.unique(rows.indices)
        return used, rows[:, used].toarray()

    def follows(self, node: int) -> tuple[np.ndarray, np.ndarray]:
        """The same of what is not a rigid spider, by the degrees of freedom of the nodes."""
        fe = self.fe
        if node < len(fe.nodes):
            return fe.motion(node)
        s = fe.spiders[node - len(fe.nodes)]
        own = np.array([self.number[k] for k in s.nodes])
        how = nearest_rigid(fe.places[own] - s.at)
        if how is None:
            raise ModelError(f"spider {s.id} ties nodes that do not give its rotation; give nodes next to each other")
        return (fe.freedoms * own[:, None] + np.arange(3)).ravel(), how

    def arms(self, u: np.ndarray, force: np.ndarray) -> np.ndarray:
        """Stiffness of the coordinates by forces in the arms of rigid spiders: displacements u and loads (f a,) of the
        nodes -> (.., ..) sparse.

        An arm r that turns by w ends at r + w x r + w x (w x r) / 2; the forces K u - load that it takes do work on the
        last.
        """
        fe = self.fe
        left = (fe.K @ u - force).reshape(len(fe.nodes), -1)[:, :3]
        rows, columns, numbers = [np.zeros(0, int)], [np.zeros(0, int)], [np.zeros(0)]
        for k, at in self.of.items():
            s = fe.spiders[k - len(fe.nodes)]
            own = np.array([self.number[n] for n in s.nodes])
            f, r = left[own], fe.places[own] - s.at
            G = 0.5 * (f.T @ r + r.T @ f) - np.sum(f * r) * np.eye(3)
            rows.append(np.repeat(at[3:], 3))
            columns.append(np.tile(at[3:], 3))
            numbers.append(G.ravel())
        return sp.csr_matrix(
            (np.concatenate(numbers), (np.concatenate(rows), np.concatenate(columns))), shape=(len(self.R),) * 2
        )


def _solved(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """A^-1 b of a small positive definite matrix whose rows have different units."""
    d = 1.0 / np.sqrt(np.maximum(np.diag(A), 1e-300))
    return d[:, None] * la.solve(d[:, None] * A * d, d[:, None] * b, assume_a="pos")


def _factor(K, tied: _Tied, own: np.ndarray) -> Cholesky:
    try:
        return Cholesky(K, tied.node[own], tied.places)
    except Indefinite:
        raise ModelError(LOOSE) from None


def _lowest(flexibility: Callable[[np.ndarray], np.ndarray], M, count: int) -> np.ndarray:
    """Vectors of the lowest ``count`` eigenvalues of K v = w^2 M v, by a block Krylov space of ``flexibility`` (loads
    -> displacements, symmetric).

    Blocks are orthonormal in M, each against all before; the space grows until the pairs in it are exact (Golub &
    Underwood, Mathematical Software III
    (1977) 361-377).  Motions on which the flexibility is zero, the rigid ones of a free body, do not come out.
    """
    size = M.shape[0]
    block = min(max(6, (count + 1) // 2), 16, size)
    V = _orthonormal(
        flexibility(M @ np.random.default_rng(0).normal(size=(size, block))), M, []
    )  # the same modes each time
    basis, done = [V], [M @ V]
    A = np.zeros((0, 0))
    while True:
        W = flexibility(done[-1])
        k = len(A)
        at = np.concatenate([m.T @ W for m in done])
        A = np.pad(A, ((0, V.shape[1]),) * 2)
        A[:, k:] = at
        A[k:, :] = at.T
        values, vectors = la.eigh(A)
        values, vectors = values[::-1], vectors[:, ::-1]
        V = _orthonormal(W, M, list(zip(basis, done)))
        MV = M @ V
        found = min(count, len(values))
        left = np.abs((MV.T @ W) @ vectors[k:, :found]).max(initial=0.0, axis=0) if V.shape[1] else np.zeros(found)
        if len(A) > MOST_VECTORS + 12 * count:
            raise ModelError(
                f"its {count} lowest modes do not converge; its stiffness is nearly singular, or some of its mass is "
                "nearly zero"
            )
        if (
            (found == count and np.all(left <= EXACT * np.abs(values[:found])))
            or not V.shape[1]
            or len(A) + V.shape[1] > size
        ):
            break
        basis.append(V)
        done.append(MV)
    found = int(np.sum(values[:found] > EMPTY * values[0]))
    return np.hstack(basis) @ vectors[:, :found]


def _orthonormal(W: np.ndarray, M, before: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """Columns (size, <= k) that span W less what was before, orthonormal in M."""
    for _ in range(2):
        length = np.sqrt(np.maximum(np.einsum("ij,ij->j", W, M @ W), 0.0))
        W = W[:, length > 0.0] / length[length > 0.0]
        if not W.shape[1]:
            return W
        for _ in range(2):
            for V, MV in before:
                W = W - V @ (MV.T @ W)
        weight, turn = la.eigh(W.T @ (M @ W))
        keep = weight > 1e-16
        W = W @ (turn[:, keep] / np.sqrt(weight[keep]))
    return W


def _with(Z, M, R, shapes: np.ndarray) -> np.ndarray:
    """The basis and what it lacks of further shapes."""
    # rigid motions first, as they may be far larger than what bends
    left = shapes - R @ la.solve(R.T @ (M @ R), R.T @ (M @ shapes), assume_a="pos")
    size = np.sqrt(np.einsum("ij,ij->j", left, M @ left))
    left = left[:, size > 0.0] / size[size > 0.0]
    if not left.shape[1]:
        return Z
    Q = Z / np.sqrt(np.einsum("ij,ij->j", Z, M @ Z))
    for _ in range(2):  # the second time takes what roundoff has left of the first
        left = left - Q @ la.lstsq(Q.T @ (M @ Q), Q.T @ (M @ left))[0]
    weight, turn = la.eigh(left.T @ (M @ left))
    keep = weight > SAME
    return np.hstack([Z, left @ (turn[:, keep] / np.sqrt(weight[keep]))])


def _held_basis(
    tied: _Tied, ends: list, modes: int, effective: float | None, highest: float | None
) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
    """Static shapes of the interfaces, rigid motions among them, and fixed-interface modes (size, ..); statics of the
    free body."""
    K, M, R = tied.K, tied.M, tied.R
    size = K.shape[0]
    B = np.concatenate([at for at, _ in ends])
    inner = np.setdiff1d(np.arange(size), B)
    m = len(B)
    Z = np.zeros((size, m))
    Z[B, np.arange(m)] = 1.0
    fixed = np.zeros((size, 0))
    factor = None
    if len(inner):
        factor = _factor(K[inner][:, inner], tied, inner)
        Z[inner] = -factor.solve(K[inner][:, B].toarray())
        if modes:
            own = M[inner][:, inner].tocsr()
            low = _below(_lowest(factor.solve, own, min(modes, len(inner))), K[inner][:, inner], highest)
            if effective is not None:
                low = low[:, _enough(low, own, R[inner], effective)]
            fixed = np.zeros((size, low.shape[1]))
            fixed[inner] = low
    condensed = Z.T @ (K @ Z)
    rigid = R.T @ (M @ R)

    def static(load: np.ndarray) -> np.ndarray:
        load = load - M @ (R @ _solved(rigid, R.T @ load))
        u = np.zeros_like(load)
        if factor is not None:
            u[inner] = factor.solve(load[inner])
        if m > 6:  # the first interface holds it; with loads in balance it carries nothing
            u += Z[:, 6:] @ _solved(condensed[6:, 6:], (Z.T @ load)[6:])
        return u

    return np.hstack([Z, fixed]), static


def _enough(low: np.ndarray, M, R: np.ndarray, share: float) -> np.ndarray:
    """Which of the modes (size, n), M-orthonormal, make up a share of the effective mass along and about each axis, the
    largest first.

    Raises `ModelError` where all together do not.
    """
    MR = M @ R
    mass = (low.T @ MR) ** 2 / np.einsum("ij,ij->j", R, MR)
    kept = np.zeros(low.shape[1], bool)
    for d, name in enumerate(("along x", "along y", "along z", "about x", "about y", "about z")):
        if not mass[:, d].sum() >= share:
            raise ModelError(
                f"its {low.shape[1]} fixed-interface modes make up {mass[:, d].sum():.3g} of the effective mass "
                f"{name}, less than {share:g}; request more modes"
            )
        order = np.argsort(-mass[:, d], kind="stable")
        count = int(np.searchsorted(np.cumsum(mass[order, d]), share * (1.0 - 1e-12))) + 1
        kept[order[:count]] = True
    return np.flatnonzero(kept)


def missing_statics(
    elements: FiniteElements,
    body: ReducedBody,
    nodes: Sequence[int],
    holds: Mapping[int, np.ndarray] | None = None,
    weight: Sequence[float] | None = None,
    directions: np.ndarray | None = None,
) -> list[tuple[float, float]]:
    """Of each node (id): the share of its static deflection under unit forces along x, y and z, or along the columns of
    ``directions`` (3, k), axes of the body, that the modes of a body lack, from 0 to 1, and the frequency (rad per
    time) of the shape that is missing, Rayleigh's quotient under the force which lacks most (0 where nothing is).

    ``holds``: node -> (h, 6) rows c of what is held there, c . (displacement, rotation) = 0, axes of the body; default:
    all six of each interface of the body.  A force on a node is carried by what other nodes hold, and where that leaves
    rigid motions free, by the inertia of their acceleration.  With loads p in equilibrium and their compliance G the
    deflection is p . G p, and the reactions in p make it least.  Zero for an interface where nothing else is held.
    ``weight`` (3,): an acceleration of the mass, axes of the body, carried by all holds: one more pair, the last.
    Raises `ModelError` for nodes that are not there.
    """
    fe = elements
    nodes = ids_of(nodes, "nodes")
    interfaces = body.interfaces.tolist()
    if holds is None:
        holds = dict.fromkeys(interfaces, np.eye(6))
    index = {int(k): i for i, k in enumerate(fe.markers[0])}
    strange = [n for n in [*nodes, *interfaces, *holds] if n not in index or n not in body.place]
    if strange:
        raise ModelError(f"there is no node {strange[0]} among its {len(index)} nodes")
    total = fe.rigid(np.zeros(3))
    total = total.T @ (fe.M @ total)
    tied = _Tied(fe, fe.K.tocsc(), fe.M.tocsc(), np.array([total[5, 1], total[3, 2], total[4, 0]]) / total[0, 0])
    every = list(dict.fromkeys([*nodes, *holds]))
    loads = np.zeros((tied.K.shape[0], 6 * len(every)))
    for k, node in enumerate(every):
        at, how = tied.motion(index[node])
        loads[at, 6 * k : 6 * k + 6] = how.T
    moved = _supported(tied)(loads)
    R = tied.R
    follow = np.vstack([body.shapes[body.place[node]] for node in every])
    a, n = len(fe.nodes), body.modes
    scale = np.concatenate([np.ones(3), np.full(3, np.abs(R[:, 3:]).max() or 1.0)])
    flexible = (loads.T @ moved, follow / body.frequency**2 @ follow.T)
    rigid = loads.T @ R / scale
    inertia = R.T @ (tied.M @ R) / np.outer(scale, scale)
    mass = body.mass / total[0, 0]
    rows = {node: np.zeros((len(held), len(rigid))) for node, held in holds.items()}
    for node, held in holds.items():
        k = 6 * every.index(node)
        rows[node][:, k : k + 6] = held
    pushes = np.eye(3) if directions is None else np.asarray(directions, float)
    out = []
    for node in nodes if weight is None else [*nodes, None]:
        C = np.vstack([np.zeros((0, len(rigid))), *(held for other, held in rows.items() if other != node)])
        if (not len(C) and (node is None or node in interfaces)) or (node is not None and not pushes.shape[1]):
            out.append((0.0, 0.0))
            continue
        if node is None:
            push = np.zeros((len(rigid), 1))
            resultant = inertia[:, :3] @ np.reshape(weight, (3, 1))
        else:
            push = np.zeros((len(rigid), pushes.shape[1]))
            push[6 * every.index(node) + np.arange(3)] = pushes
            resultant = rigid.T @ push
        free = _unheld(C @ rigid)
        follows = free @ la.solve(free.T @ inertia @ free, free.T @ resultant, assume_a="pos") if free.size else 0.0
        balance = (inertia @ follows if free.size else 0.0) - resultant
        loaded, turns = zip(*(_reactions(G, C, rigid, push, balance) for G in flexible))
        want, have = (np.einsum("ij,ik,kj->j", p, G, p) for p, G in zip(loaded, flexible))
        if not want.sum() > ROUNDED * np.einsum("ij,ii,ij->", loaded[0], flexible[0], loaded[0]):
            out.append((0.0, 0.0))
            continue
        share = float(np.clip(1.0 - have.sum() / want.sum(), 0.0, 1.0))
        worst = int((want - have).argmax())
        exact = tied.nodes(moved @ loaded[0][:, worst] + R @ (turns[0][:, worst] / scale))
        q = follow.T @ loaded[1][:, worst] / body.frequency**2
        left = exact - (
            body.shapes[:a, : fe.freedoms].reshape(-1, n) @ q + fe.rigid(tied.centre) @ (turns[1][:, worst] / scale)
        )
        energy, moving = float(left @ (fe.K @ left)), mass * float(left @ (fe.M @ left))
        out.append((share, float(np.sqrt(energy / moving)) if share > 1e-9 and energy > 0.0 and moving > 0.0 else 0.0))
    return out


def _unheld(B: np.ndarray) -> np.ndarray:
    """(6, k) rigid motions that rows (h, 6) leave free; of unit columns."""
    size = np.linalg.norm(B, axis=1, keepdims=True)
    B = (B / np.where(size > 0.0, size, 1.0))[size[:, 0] > ROUNDED * size.max(initial=0.0)]
    if not len(B):
        return np.eye(6)
    _, s, V = la.svd(B)
    return V[int((s > PARALLEL * s[0]).sum()) :].T


def _reactions(
    G: np.ndarray, C: np.ndarray, rigid: np.ndarray, push: np.ndarray, balance: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Loads (6 e, k) on nodes of compliance G: those that push and the reactions of rows C (h, 6 e) that are held,
    whose resultant is ``balance`` (6, k); and the rigid motion that goes with them (6, k)."""
    if not len(C):
        return push, np.zeros((6, push.shape[1]))
    h, B = len(C), C @ rigid
    K = C @ G @ C.T
    A = np.block([[K, B], [B.T, np.zeros((6, 6))]])
    large = np.sqrt(np.maximum(np.abs(np.diag(K)), np.abs(K).max() * 1e-12))
    large = np.where(large > 0.0, large, 1.0)
    weight = np.concatenate([1.0 / large, np.full(6, large.max())])
    right = np.vstack([-C @ (G @ push), balance])
    found = weight[:, None] * la.lstsq(weight[:, None] * A * weight, weight[:, None] * right)[0]
    return push + C.T @ found[:h], found[h:]


def missing_share(elements: FiniteElements, body: ReducedBody, load: np.ndarray) -> float:
    """Share of the strain energy of the static deflection under a load (freedoms of the nodes) that the modes of a body
    lack, from 0 to 1; the inertia of the rigid acceleration balances the load.  Zero for a load that deflects nothing.
    Raises `ModelError` as `reduce`."""
    fe = elements
    total = fe.rigid(np.zeros(3))
    total = total.T @ (fe.M @ total)
    tied = _Tied(fe, fe.K.tocsc(), fe.M.tocsc(), np.array([total[5, 1], total[3, 2], total[4, 0]]) / total[0, 0])
    f = tied.load(np.asarray(load, float)[:, None])
    work = float((f.T @ _supported(tied)(f))[0, 0])
    rows = body.shapes[[body.place[int(k)] for k in fe.nodes]][:, : fe.freedoms].reshape(
        len(f) if tied.T is None else len(load), -1
    )
    have = float((((rows.T @ load) / body.frequency) ** 2).sum())
    return float(np.clip(1.0 - have / work, 0.0, 1.0)) if work > 0.0 else 0.0


def _free_basis(
    tied: _Tied, ends: list, modes: int, highest: float | None
) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
    """Rigid motions, modes of the free body, and static shapes of unit loads on interfaces (size, ..); statics of the
    free body."""
    K, M, R = tied.K, tied.M, tied.R
    static = _supported(tied)
    low = _below(_lowest(static, M, min(modes, K.shape[0] - 6)), K, highest) if modes else np.zeros((K.shape[0], 0))
    parts = [low]
    if ends:
        loads = np.zeros((K.shape[0], 6 * len(ends)))
        for k, (at, how) in enumerate(ends):
            loads[at, 6 * k : 6 * k + 6] = how.T
        parts.append(static(loads))
    Z = np.hstack(parts)
    Z -= R @ _solved(R.T @ (M @ R), R.T @ (M @ Z))
    Z /= np.sqrt(np.einsum("ij,ij->j", Z, M @ Z))
    # what the modes hold already of the static shapes is left out
    weight, turn = la.eigh(Z.T @ (M @ Z))
    keep = weight > SAME * weight.max(initial=0.0)
    return np.hstack([R, Z @ (turn[:, keep] / np.sqrt(weight[keep]))]), static


def _supported(tied: _Tied) -> Callable[[np.ndarray], np.ndarray]:
    """Static displacements of the free body under loads (size, ..), which the inertia of its rigid acceleration
    balances; without momentum."""
    K, M, R = tied.K, tied.M, tied.R
    size = K.shape[0]
    # six degrees of freedom that hold it, as far from each other as can be: with loads in balance they carry nothing
    length = np.abs(R[:, 3:]).max()
    support = la.qr((R / ([1.0] * 3 + [length or 1.0] * 3)).T, pivoting=True, mode="r")[1][:6]
    inner = np.setdiff1d(np.arange(size), support)
    factor = _factor(K[inner][:, inner], tied, inner)
    MR = M @ R
    rigid = R.T @ MR

    def solve(load: np.ndarray) -> np.ndarray:
        load = load - MR @ _solved(rigid, R.T @ load)
        u = np.zeros_like(load)
        u[inner] = factor.solve(load[inner])
        return u - R @ _solved(rigid, MR.T @ u)

    return solve


def _turned(Phi: np.ndarray, a: int) -> np.ndarray:
    """Shapes (3 k, n) turned about axis a: e_a x displacement, e_a x rotation."""
    vectors = Phi.reshape(-1, 3, Phi.shape[1])
    out = np.zeros_like(vectors)
    b, c = (a + 1) % 3, (a + 2) % 3
    out[:, b], out[:, c] = -vectors[:, c], vectors[:, b]
    return out.reshape(Phi.shape)


def _pairs(fe: FiniteElements, M, R, Phi) -> tuple[np.ndarray, np.ndarray]:
    """The tables S and H; the first shape is the position."""
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


def _stiffen(tied: _Tied, static, X, Phi, centre, ends: Sequence[int], S) -> dict[int, np.ndarray]:
    """S of modes -= stiffness of unit spins; of interfaces, by id, their displacements of second order (3, n, n)."""
    fe = tied.fe
    stressed = fe.geometric
    assert stressed is not None
    n = X.shape[1]
    s = fe.places - centre
    pairs = [(a, b) for a in range(3) for b in range(a, 3)]
    outside = np.zeros((fe.K.shape[0], len(pairs) + 3 * len(ends)))  # on the nodes
    inside = np.zeros((tied.K.shape[0], outside.shape[1]))  # on the coordinates
    for k, (a, b) in enumerate(pairs):
        ea, eb = np.eye(3)[a], np.eye(3)[b]
        away = -0.5 * (np.cross(ea, np.cross(eb, s)) + np.cross(eb, np.cross(ea, s)))
        outside[:, k] = fe.M @ np.hstack([away, np.zeros_like(away)])[:, : fe.freedoms].ravel()
    place = {int(node): k for k, node in enumerate(fe.markers[0])}
    for k, node in enumerate(ends):
        own = slice(len(pairs) + 3 * k, len(pairs) + 3 * k + 3)
        if place[node] in tied.of:
            inside[tied.of[place[node]][:3], own] = np.eye(3)
        else:
            at, how = tied.follows(place[node])
            outside[at, own] = how[:3].T
    inside += tied.load(outside)
    moved = tied.nodes(static(inside))
    # the inertia of the rigid acceleration
    outside -= fe.M @ (fe.rigid(centre) @ _solved(tied.R.T @ (tied.M @ tied.R), tied.R.T @ inside))

    def projected(k: int) -> np.ndarray:
        Kg = Phi.T @ (stressed(moved[:, k]) @ Phi)
        if tied.of:
            Kg += X.T @ (tied.arms(moved[:, k], outside[:, k]) @ X)
        return 0.5 * (Kg + Kg.T)

    for k, (a, b) in enumerate(pairs):
        Kg = projected(k)
        S[1:, 1:, a, b] -= Kg
        if a != b:
            S[1:, 1:, b, a] -= Kg
    return {
        node: np.array([-projected(len(pairs) + 3 * k + c) for c in range(3)]).reshape(3, n, n)
        for k, node in enumerate(ends)
    }
