import time

import numpy as np
import pytest
import scipy.sparse as sp

from holonom.linalg.rank import independent_rows


def check(J, report, tol=1e-10):
    J = np.asarray(J.todense()) if sp.issparse(J) else J
    assert sorted(report.kept + report.dropped) == list(range(len(J)))
    for row, parts in zip(report.dropped, report.combinations):
        said = sum((c * J[r] for r, c in parts), np.zeros(J.shape[1]))
        assert np.linalg.norm(said - J[row]) <= tol * max(np.linalg.norm(J[row]), 1e-300)
        assert {r for r, _ in parts} <= set(report.kept)


def hinge(point, axis):
    """Five rows of a revolute joint on one body's six velocities (translation, rotation) at the body's origin."""
    axis = np.asarray(axis, float) / np.linalg.norm(axis)
    a = np.linalg.svd(axis[None])[2][1:]
    x, y, z = point
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], float)
    return np.vstack([np.hstack([np.eye(3), -cross]), np.hstack([np.zeros((2, 3)), a])])


def loop(points, axes):
    """Closed chain of len(points) hinges, the ground among its links."""
    n = len(points) - 1
    J = np.zeros((5 * len(points), 6 * n))
    for k, (p, a) in enumerate(zip(points, axes)):
        h = hinge(p, a)
        if k > 0:
            J[5 * k : 5 * k + 5, 6 * k - 6 : 6 * k] = -h
        if k < n:
            J[5 * k : 5 * k + 5, 6 * k : 6 * k + 6] = h
    return J


def test_bricard_has_one_redundant_row():
    points = [(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)]
    axes = [(0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0)]
    J = loop(points, axes)
    report = independent_rows(J)
    assert report.rank == np.linalg.matrix_rank(J) == 29 and len(report.dropped) == 1
    check(J, report)


def test_planar_four_bar_has_three():
    J = loop([(0, 0, 0), (0, 1, 0), (2, 1.5, 0), (2, 0, 0)], [(0, 0, 1)] * 4)
    report = independent_rows(J)
    assert report.rank == 17 and all(k >= 15 for k in report.dropped), (
        "the joint that closes the loop is the redundant one"
    )
    check(J, report)
    first = independent_rows(J, priority=[1] * 15 + [0] * 5)
    assert first.rank == 17 and all(k < 15 for k in first.dropped)
    check(J, first)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_names_least_combination(kind):
    J = np.random.default_rng(0).standard_normal((20, 40))
    J[17] = 2.0 * J[3] - 1e6 * J[5]
    J[9] *= 1e-7
    J[18] = 3.0 * J[9]
    J[12] = 0.0
    report = independent_rows(kind(J), weights=np.linspace(1, 50, 40))
    assert report.dropped == [12, 17, 18] and report.rank == 17
    assert [[r for r, _ in c] for c in report.combinations] == [[], [3, 5], [9]]
    assert np.allclose([c for _, c in report.combinations[1]], [2.0, -1e6], rtol=1e-9)
    assert report.describe().splitlines()[:2] == ["row 12 is zero", "row 17 repeats row 3, row 5"]
    check(J, report)


def test_near_dependence_is_judged_by_distance():
    J = np.eye(3, 4)
    J[2] = J[0] + 1e-7 * np.array([0, 0, 0, 1.0])
    assert independent_rows(J).rank == 3
    assert independent_rows(J, tol=1e-6).dropped == [2]
    assert independent_rows(J).pivots[2] == pytest.approx(1e-7)


def test_more_rows_than_columns():
    J = np.random.default_rng(3).standard_normal((12, 5))
    report = independent_rows(J)
    assert report.kept == [0, 1, 2, 3, 4]
    check(J, report)


def test_large_connected_chain_and_hidden_redundancies():
    rng = np.random.default_rng(4)
    n = 1000
    rows, cols, vals = [], [], []
    for k in range(n):
        for body in (k - 1, k):
            if body >= 0:
                i, j = np.indices((5, 6))
                rows.append((5 * k + i).ravel())
                cols.append((6 * body + j).ravel())
                vals.append(rng.standard_normal(30))
    J = sp.coo_matrix((np.concatenate(vals), (np.concatenate(rows), np.concatenate(cols)))).tolil()
    J[2503] = J[2500] + 0.5 * J[2498]
    J[4001] = J[3999] * 7.0
    J[1002] = J[1001]
    J[1002, 1203] += 1e-6  # close, yet independent
    began = time.process_time()
    report = independent_rows(J)
    assert time.process_time() - began < 10.0
    assert report.dropped == [2503, 4001] and report.rank == 4998
    assert [[r for r, _ in c] for c in report.combinations] == [[2498, 2500], [3999]]
    check(J, report)


def test_large_agrees_with_dense(monkeypatch):
    rng = np.random.default_rng(5)
    J = sp.random(200, 260, 0.02, random_state=rng, data_rvs=rng.standard_normal).tolil()
    for k in (50, 90, 130, 131):
        J[k] = J[k - 1] * 2.0 - J[k - 37]
    dense = independent_rows(J)
    monkeypatch.setattr("holonom.linalg.rank.DENSE_ROWS", 5)
    sparse = independent_rows(J)
    assert sparse.dropped == dense.dropped and set(dense.dropped) >= {50, 90, 130, 131}
    for a, b in zip(sparse.combinations, dense.combinations):
        assert [r for r, _ in a] == [r for r, _ in b]
    check(J, sparse)


def test_empty_and_wrong():
    assert independent_rows(np.zeros((0, 4))).rank == 0
    assert independent_rows(np.zeros((3, 4))).dropped == [0, 1, 2]
    with pytest.raises(ValueError, match="row 1"):
        independent_rows([[1.0, 0.0], [np.nan, 1.0]])
    with pytest.raises(ValueError, match="weights"):
        independent_rows(np.eye(2), weights=[1.0, 0.0])


def test_large_connected_redundancy_is_counted_in_good_time():
    """700 rows that each repeat two neighbours: all of them hang together, too many for Gram-Schmidt."""
    rng = np.random.default_rng(3)
    n, m = 900, 1600  # rows 900.. repeat neighbouring rows, so that all are connected
    base = sp.diags([rng.uniform(1, 2, n), rng.uniform(-1, 1, n)], [0, 1], shape=(n, n + 5)).tocsr()
    share = sp.csr_matrix(
        (
            rng.uniform(0.5, 1, 2 * (m - n)),
            (np.repeat(np.arange(m - n), 2), np.stack([np.arange(m - n), np.arange(m - n) + 1], 1).ravel()),
        ),
        shape=(m - n, n),
    )
    J = sp.vstack([base, share @ base]).tocsr()
    report = independent_rows(J)
    assert report.rank == n == np.linalg.matrix_rank(J.toarray())
    dense = J.toarray()
    for k, parts in zip(report.dropped, report.combinations):
        again = np.array([c for _, c in parts]) @ dense[[r for r, _ in parts]]
        assert abs(dense[k] - again).max() < 1e-6 * abs(dense[k]).max()
    assert np.linalg.matrix_rank(dense[report.kept]) == n
