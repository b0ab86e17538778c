import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg  # noqa: F401

from holonom.linalg._ordering import order_rows
from holonom.linalg.lu import (
    FrozenLU,
    SingularMatrix,
    compress,
    lu_refactor,
    lu_refine,
    lu_residual,
    lu_solve,
)
from holonom.linalg.rank import independent_rows


def hinge(point, axis):
    """Five rows of a revolute joint on one body's six velocities at the origin."""
    a = np.linalg.svd(np.asarray(axis, float)[None])[2][1:]
    x, y, z = point
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], float)
    return np.vstack([np.hstack([np.eye(3), -cross]), np.hstack([np.zeros((2, 3)), a])])


def random_matrix(n, density, seed):
    rng = np.random.default_rng(seed)
    A = sp.random(n, n, density, random_state=rng, data_rvs=rng.standard_normal)
    return (A + 0.3 * sp.identity(n, format="csr")[rng.permutation(n)]).tocsc()


def saddle(links, seed=0, rows=5, close=False):
    """Chain of bodies (6) and joints (rows): matrix, groups, after."""
    rng = np.random.default_rng(seed)
    r, c, v = [], [], []

    def put(i, j, block):
        a, b = np.indices(block.shape)
        r.append((i + a).ravel()), c.append((j + b).ravel()), v.append(block.ravel())

    first = 6 * links
    joints = links + close
    after = []
    for k in range(joints):
        ends = [b for b in (k - 1, k) if 0 <= b < links]
        for b in ends:
            G = rng.standard_normal((rows, 6))
            put(first + rows * k, 6 * b, G)
            put(6 * b, first + rows * k, G.T)
        if len(ends) == 2:
            put(6 * ends[0], 6 * ends[1], 0.2 * rng.standard_normal((6, 6)))
            put(6 * ends[1], 6 * ends[0], 0.2 * rng.standard_normal((6, 6)))
        after.append((links + k, ends if len(ends) == 2 else [*ends, -1]))
    for b in range(links):
        put(6 * b, 6 * b, 5.0 * np.eye(6) + 0.3 * rng.standard_normal((6, 6)))
    n = first + rows * joints
    A = sp.coo_matrix((np.concatenate(v), (np.concatenate(r), np.concatenate(c))), shape=(n, n)).tocsc()
    groups = np.concatenate([np.arange(first) // 6, links + np.arange(rows * joints) // rows])
    return A, groups, after


@pytest.mark.parametrize("ordering", ["auto", "colamd"])
@pytest.mark.parametrize("seed", range(4))
def test_random_against_scipy(ordering, seed):
    A = random_matrix(80, 0.05, seed)
    lu = FrozenLU(80, A.indptr, A.indices, ordering=ordering)
    report = lu.factor(A.data)
    b = np.random.default_rng(seed).standard_normal(80)
    assert np.allclose(lu.solve(b), sp.linalg.spsolve(A, b), rtol=1e-7, atol=1e-7)
    assert np.allclose(lu.solve_transposed(b), sp.linalg.spsolve(A.T.tocsc(), b), rtol=1e-7, atol=1e-7)
    assert report.repivots == 0 and report.fill >= A.nnz and report.residual < 1e-9


@pytest.mark.parametrize("ordering", ["structural", "colamd", "auto"])
@pytest.mark.parametrize("links, close", [(1, False), (7, False), (60, False), (60, True)])
def test_saddle_points(ordering, links, close):
    A, groups, after = saddle(links, close=close)
    n = A.shape[0]
    lu = FrozenLU(n, A.indptr, A.indices, groups, ordering, after)
    report = lu.factor(A.data)
    assert report.repivots == 0 and report.worst > 1e-8
    if ordering == "structural":
        assert report.ordering == "structural" and report.fill < 60 * n
    b = np.ones(n)
    x = np.zeros(n)
    lu_solve(lu.arrays, b, x)
    lu_refine(lu.arrays, A.data, b, x, np.zeros(n))
    assert np.abs(A @ x - b).max() < 1e-9
    data = A.data * (1.0 + 0.1 * np.random.default_rng(9).standard_normal(A.nnz))  # new numbers, frozen pivots
    assert lu_refactor(lu.arrays, data) > 1e-8
    lu_solve(lu.arrays, b, x)
    assert lu_residual(lu.arrays, data, b, x, np.zeros(n)) < 1e-10
    assert np.all(lu.arrays.x == 0.0)


def test_constraints_wait_for_their_bodies():
    """In a closed ring each joint follows one of its bodies, and every node ends a regular leading block."""
    A, groups, after = saddle(40, close=True)
    place = order_rows(A.shape[0], *A.nonzero(), groups, after)
    order = np.argsort(place)
    first = {g: int(place[groups == g].min()) for g in np.unique(groups)}
    for joint, ends in after:
        assert any(first[b] < first[joint] for b in ends if b >= 0)
    D, node = A.toarray()[np.ix_(order, order)], groups[order]
    for k in np.flatnonzero(np.diff(node))[::3] + 1:
        assert np.linalg.cond(D[:k, :k]) < 1e10


@pytest.mark.parametrize("seed", range(12))
def test_diagonal_pivots_are_safe_in_random_mechanisms(seed):
    """Hinges between random bodies, loops included, planar for even seeds: redundant rows have -1 on the diagonal."""
    rng = np.random.default_rng(seed)
    nb = int(rng.integers(3, 20))
    joints = [(int(rng.integers(-1, b)), b) for b in range(nb)]
    joints += [(a, a + 2) for a in range(-1, nb - 2, 2)]
    n, m = 6 * nb, 5 * len(joints)
    G, H, near = np.zeros((m, n)), np.diag(rng.uniform(0.5, 2.0, n)), np.eye(n, dtype=bool)
    for k, (a, b) in enumerate(joints):
        planar = seed % 2 == 0
        h = hinge(rng.standard_normal(3) * [1, 1, not planar], (0, 0, 1) if planar else rng.standard_normal(3))
        G[5 * k : 5 * k + 5, 6 * b : 6 * b + 6] = h
        near[6 * b : 6 * b + 6, 6 * b : 6 * b + 6] = True
        if a >= 0:
            G[5 * k : 5 * k + 5, 6 * a : 6 * a + 6] = -h
            near[6 * a : 6 * a + 6, 6 * b : 6 * b + 6] = near[6 * b : 6 * b + 6, 6 * a : 6 * a + 6] = True
    H += 0.02 * rng.standard_normal((n, n)) * near
    pattern = sp.csc_matrix(np.block([[near, (G != 0).T], [G != 0, np.eye(m, dtype=bool)]]).astype(float))
    out = independent_rows(G).dropped
    D = np.zeros(m)
    D[out] = -1.0
    G[out] = 0.0
    K = np.block([[H, G.T], [G, np.diag(D)]])
    data = K[pattern.indices, np.repeat(np.arange(n + m), np.diff(pattern.indptr))]
    groups = np.concatenate([np.arange(n) // 6, nb + np.arange(m) // 5])
    after = [(nb + k, ends) for k, ends in enumerate(joints)]
    lu = FrozenLU(n + m, pattern.indptr, pattern.indices, groups, "structural", after)
    report = lu.factor(data)
    assert report.ordering == "structural" and report.worst > 1e-5 and report.residual < 1e-11


def test_vanishing_pivot_is_replaced():
    A = sp.csc_matrix(np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]]))
    lu = FrozenLU(3, A.indptr, A.indices, ordering="structural")
    assert not lu.factor(A.data).repivoted
    B = A.copy()
    B.data = A.data.copy()
    B[0, 0] = 0.0
    assert lu_refactor(lu.arrays, B.data) == 0.0 and lu.arrays.where[0] == lu.arrays.pc[0]
    report = lu.factor(B.data)
    assert report.repivoted and report.repivots == 1 and report.ordering == "colamd"
    assert np.allclose(lu.solve(np.ones(3)), np.linalg.solve(B.toarray(), np.ones(3)))
    B[0, 0] = 1e-13
    assert not lu.factor(B.data).repivoted, "new pivots serve the neighbours as well"
    assert np.allclose(lu.solve(np.ones(3)), np.linalg.solve(B.toarray(), np.ones(3)))


def test_frozen_colamd_pivots_go_bad_and_come_back():
    A = random_matrix(60, 0.06, 11)
    lu = FrozenLU(60, A.indptr, A.indices, ordering="colamd")
    lu.factor(A.data)
    k = lu._column[10]  # a pivot early in the order: its entry vanishes
    row = int(np.flatnonzero(lu.arrays.pr == 10)[0])
    data = A.data.copy()
    at = A.indptr[k] + np.flatnonzero(A.indices[A.indptr[k] : A.indptr[k + 1]] == row)
    rest = lu.arrays.Ud[10] - data[at]
    assert len(at) == 1, "the matrix of this seed has an entry there"
    data[at] = -rest
    B = sp.csc_matrix((data, A.indices, A.indptr))
    report = lu.factor(data)
    assert report.repivoted and report.repivots == 1
    assert np.allclose(B @ lu.solve(np.ones(60), data), 1.0, atol=1e-6)


@pytest.mark.parametrize("ordering", ["auto", "structural", "colamd"])
def test_singular_matrices_name_a_column(ordering):
    A = random_matrix(30, 0.1, 3).tolil()
    empty = A.copy()
    pattern = A.tocsc()
    empty[:, 7] = 0.0
    E = empty.tocsc()
    with pytest.raises(SingularMatrix, match="structurally singular at column 7"):
        FrozenLU(30, E.indptr, E.indices, ordering=ordering).factor(E.data)
    zero = pattern.copy()
    zero.data = pattern.data.copy()
    zero.data[pattern.indptr[7] : pattern.indptr[8]] = 0.0
    lu = FrozenLU(30, pattern.indptr, pattern.indices, ordering=ordering)
    lu.factor(pattern.data)
    with pytest.raises(SingularMatrix) as caught:
        lu.factor(zero.data)
    assert caught.value.index == 7
    twin = A.copy()
    twin[:, 21] = 2.0 * A[:, 4]
    T = twin.tocsc()
    with pytest.raises(SingularMatrix, match="numerically") as caught:
        FrozenLU(30, T.indptr, T.indices, ordering=ordering).factor(T.data)
    assert caught.value.index in (4, 21) and not caught.value.structural
    if ordering != "colamd":
        lu.factor(pattern.data)
        assert np.allclose(pattern @ lu.solve(np.ones(30)), 1.0, atol=1e-8)


def test_errors():
    A = random_matrix(10, 0.2, 0)
    data = A.data.copy()
    data[A.indptr[4]] = np.nan
    lu = FrozenLU(10, A.indptr, A.indices, ordering="colamd")
    with pytest.raises(RuntimeError, match="factor"):
        _ = lu.arrays
    with pytest.raises(ValueError, match=", 4\\) of the matrix is nan"):
        lu.factor(data)
    with pytest.raises(ValueError, match="ordering"):
        FrozenLU(10, A.indptr, A.indices, ordering="random")


def test_compress_merges_duplicates():
    indptr, indices, slots = compress(3, [2, 0, 2, 1], [1, 0, 1, 2])
    assert list(indptr) == [0, 1, 2, 3] and list(indices) == [0, 2, 1] and list(slots) == [1, 0, 1, 2]


def test_a_complex_pivot_of_zero_is_reported_not_raised():
    A = np.array([[1.0, 1.0], [1.0, 1.0 + 1e-300]])
    lu = FrozenLU(2, [0, 2, 4], [0, 1, 0, 1], ordering="structural")
    a = lu.arrays
    z = lambda v: np.zeros(len(v), complex)
    a = a._replace(Lx=z(a.Lx), Ux=z(a.Ux), Ud=z(a.Ud), x=z(a.x), y=z(a.y), where=np.zeros(1, np.int64))
    assert lu_refactor(a, A.T.ravel().astype(complex)) == 0.0
    assert not a.x.any()


def test_huge_numbers_make_no_warning():
    """Data near the largest double: the growth of the probe's answer is infinite, which is reported by no warning of
    NumPy."""
    A = random_matrix(12, 0.3, 4)
    lu = FrozenLU(12, A.indptr, A.indices)
    data = A.data * 1e300
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lu.factor(data)
    b = np.arange(12.0)
    assert A @ lu.solve(b, data) * 1e300 == pytest.approx(b, abs=1e-9)


@pytest.mark.parametrize("light", [1.0, 1e-12, 1e-25])
@pytest.mark.parametrize("n, m", [(3, 2), (9, 8), (40, 33)])
def test_saddle_points_are_regular_in_any_units(light, n, m):
    """[m, G'; G, 0] with small masses, rows and columns in random units: regular, whatever its largest entries say."""
    draw = np.random.default_rng(n)
    G = draw.normal(size=(m, n))
    K = np.block([[np.diag(light * draw.uniform(1, 2, n)), G.T], [G, np.zeros((m, m))]])
    K = 10.0 ** draw.uniform(-8, 8, n + m)[:, None] * K * 10.0 ** draw.uniform(-8, 8, n + m)
    A = sp.csc_matrix(K)
    solver = FrozenLU(n + m, A.indptr, A.indices)
    solver.factor(A.data)
    G[-1] = G[0]
    K = np.block([[np.diag(light * draw.uniform(1, 2, n)), G.T], [G, np.zeros((m, m))]])
    B = sp.csc_matrix(K)
    with pytest.raises(SingularMatrix):
        FrozenLU(n + m, B.indptr, B.indices).factor(B.data)
