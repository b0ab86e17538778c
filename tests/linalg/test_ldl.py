import time

import numpy as np
import pytest
import scipy.sparse as sp

from holonom.linalg.ldl import DECIDE, FROZEN, build_ldl, ldl_factor, ldl_solve


def gram(J):
    """J Jᵀ as coordinates of the lower triangle."""
    S = sp.tril(J @ J.T).tocoo()
    return S.row, S.col, S.data


def load(pattern, w, rows, cols, values):
    at = pattern.position(rows, cols)
    w.Lx[:] = 0.0
    w.D[:] = 0.0
    diagonal = rows == cols
    w.D[at[diagonal]] = values[diagonal]
    w.Lx[at[~diagonal]] = values[~diagonal]


def factor(pattern, w, eps=1e-8, mode=DECIDE):
    return ldl_factor(pattern.arrays, w.Lx, w.D, w.Di, w.scale, w.skip, eps, mode)


def solve(pattern, w, b):
    x = b.copy()
    ldl_solve(pattern.arrays, w.Lx, w.Di, x, w.work)
    return x


def random_jacobian(m, n, density, seed):
    rng = np.random.default_rng(seed)
    J = sp.random(m, n, density, random_state=rng, data_rvs=rng.standard_normal, format="csr")
    return (J + sp.hstack([sp.identity(m), sp.csr_matrix((m, n - m))])).tocsr()


@pytest.mark.parametrize("seed, grouped", [(0, False), (1, True), (2, True), (3, False)])
def test_solves_like_numpy(seed, grouped):
    J = random_jacobian(60, 90, 0.03, seed)
    rows, cols, values = gram(J)
    groups = np.random.default_rng(seed).integers(0, 15, 60) * 7 if grouped else None
    p = build_ldl(60, rows, cols, groups)
    w = p.work()
    load(p, w, rows, cols, values)
    worst, skipped = factor(p, w)
    assert skipped == 0 and 0 < worst <= 1
    b = np.random.default_rng(seed + 10).standard_normal(60)
    assert np.allclose(solve(p, w, b), np.linalg.solve((J @ J.T).toarray(), b), rtol=1e-9, atol=1e-9)
    if grouped:  # rows of a group are neighbours, in their order
        for g in np.unique(groups):
            at = p.arrays.place[groups == g].astype(int)
            assert np.all(np.diff(at) == 1)
    assert np.array_equal(p.order[p.arrays.place], np.arange(60))


def test_skips_dependent_rows_and_keeps_decisions():
    J = random_jacobian(30, 50, 0.08, 5).tolil()
    J[12] = J[3] - 2.0 * J[7]
    J[29] = 0.0
    J = J.tocsr()
    rows, cols, values = gram(J)
    rows, cols = np.append(rows, 29), np.append(cols, 29)
    values = np.append(values, 0.0)
    p = build_ldl(30, rows, cols)
    w = p.work()
    load(p, w, rows, cols, values)
    worst, skipped = factor(p, w)
    assert skipped == 2 and worst > 1e-6
    out = set(p.order[w.skip == 1])
    assert 29 in out and out - {29} <= {3, 7, 12}
    b = (J @ J.T) @ np.random.default_rng(1).standard_normal(30)  # consistent
    x = solve(p, w, b)
    assert np.allclose((J @ J.T) @ x, b, atol=1e-9) and all(x[k] == 0.0 for k in out)
    load(p, w, rows, cols, values)
    assert factor(p, w, 1e-8, FROZEN)[1] == 2
    assert np.array_equal(solve(p, w, b), x)


def test_scale_remembers_the_largest_diagonal():
    p = build_ldl(2, [1], [0])
    w = p.work()
    for d, skipped in [(1.0, 0), (1e-9, 1)]:
        load(p, w, np.array([0, 1]), np.array([0, 1]), np.array([d, 1.0]))
        assert factor(p, w)[1] == skipped
    load(p, w, np.array([0, 1]), np.array([0, 1]), np.array([1.0, 1.0]))
    assert factor(p, w, mode=FROZEN)[1] == 1, "frozen decision stays though the row has recovered"


@pytest.mark.parametrize("bad", [np.nan, -1.0])
def test_bad_pivots_are_told(bad):
    p = build_ldl(2, [1], [0])
    w = p.work()
    load(p, w, np.array([0, 1]), np.array([0, 1]), np.array([1.0, bad]))
    assert factor(p, w, mode=FROZEN)[0] == -1.0 and np.all(np.isfinite(w.Di))


def test_without_the_map_the_numbers_are_the_same():
    J = random_jacobian(80, 120, 0.03, 7)
    rows, cols, values = gram(J)
    b, answers = np.ones(80), []
    for limit in (10**6, 0):
        p = build_ldl(80, rows, cols, map_limit=limit)
        w = p.work()
        load(p, w, rows, cols, values)
        factor(p, w)
        answers.append(solve(p, w, b))
    assert len(p.arrays.Lmap) == 0 and np.array_equal(*answers)


def test_pattern_errors():
    p = build_ldl(4, [1, 2], [0, 1])
    with pytest.raises(KeyError, match=r"\(3, 0\)"):
        p.position([1, 3], [0, 0])
    with pytest.raises(ValueError, match="outside"):
        build_ldl(2, [2], [0])
    assert build_ldl(3, [], []).nnz == 0


@pytest.mark.parametrize("hub", [False, True])
def test_large_patterns_are_set_up_quickly(hub, capsys):
    n = 5000
    k = np.arange(n - 5)
    rows, cols = np.concatenate([k + d for d in range(1, 6)]), np.concatenate([k] * 5)
    if hub:
        rows, cols = np.concatenate([rows, np.arange(1, n)]), np.concatenate([cols, np.zeros(n - 1, int)])
    build_ldl(10, [1], [0])
    began = time.perf_counter()
    p = build_ldl(n, rows, cols)
    with capsys.disabled():
        print(f"\nset-up n={n} hub={hub}: {time.perf_counter() - began:.3f} s, fill {p.nnz}")
    assert p.nnz < 12 * n


def test_an_order_may_be_asked_for():
    """Nodes by the largest ``last`` of their rows, rows of a node together; the numbers are those of any order."""
    J = random_jacobian(12, 20, 0.1, 4)
    rows, cols, values = gram(J)
    groups = np.repeat([7, 3, 5, 1], 3)
    last = np.array([5.0, 1.0, 1.0, 2.0, 2.0, 2.0, 0.0, 1.5, 0.0, 9.0, 0.0, 0.0])
    p = build_ldl(12, rows, cols, groups, last=last)
    assert p.order.tolist() == [6, 7, 8, 3, 4, 5, 0, 1, 2, 9, 10, 11]
    w = p.work()
    load(p, w, rows, cols, values)
    factor(p, w)
    b = np.random.default_rng(1).standard_normal(12)
    assert np.allclose(solve(p, w, b), np.linalg.solve((J @ J.T).toarray(), b), rtol=1e-9, atol=1e-9)
