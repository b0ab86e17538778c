import numpy as np
import pytest
import scipy.sparse as sp

from holonom.linalg.eigen import SingularPencil, eigenvalues_of_states, finite_eigenvalues, nullspace


def test_regular_pencil():
    rng = np.random.default_rng(0)
    A, B = rng.standard_normal((2, 12, 12))
    got = finite_eigenvalues(A, B, vectors=True)
    assert got.infinite == 0 and np.all(np.diff(np.abs(got.values)) > -1e-7)
    assert np.allclose(A @ got.vectors, B @ got.vectors * got.values, atol=1e-9)
    want = np.linalg.eigvals(np.linalg.solve(B, A))
    for v in want:
        assert np.min(abs(got.values - v)) < 1e-9 * max(1, abs(v))


def test_index_one_pencil_loses_its_infinite_eigenvalues():
    A = np.array([[-2.0, 0, 1], [0, -3.0, 0], [1, 1, 1.0]])
    got = finite_eigenvalues(sp.csr_matrix(A), np.diag([1.0, 1.0, 0.0]))
    assert got.infinite == 1 and np.allclose(sorted(got.values.real), [-3, -3])


def test_pendulum_by_null_space():
    """Point mass on a rod, hanging: ω² = g/l, from the projected equations M q'' + K q + Jᵀ λ = 0."""
    g, l, m = 9.81, 0.7, 2.0
    J = np.array([[0.0, 1.0]])
    N = nullspace(J)
    K = np.diag([m * g / l, 0.0])
    got = finite_eigenvalues(N.T @ -K @ N, N.T @ (m * np.eye(2)) @ N)
    assert got.values == pytest.approx([-g / l])


def test_order_of_conjugate_pairs_and_units():
    A = np.array([[0, 1, 0, 0], [-4, -0.4, 0, 0], [0, 0, 0, 1e3], [0, 0, -1e3, 0]], float)
    got = finite_eigenvalues(A, np.eye(4)).values
    assert got[0] == np.conj(got[1]) and got[0].imag < 0 and np.allclose(abs(got), [2, 2, 1e3, 1e3])
    assert np.allclose(finite_eigenvalues(A, 1e6 * np.eye(4)).values, got / 1e6)


def test_singular_pencil_is_refused():
    with pytest.raises(SingularPencil):
        finite_eigenvalues(np.diag([1.0, 0.0]), np.diag([1.0, 0.0]))
    with pytest.raises(ValueError, match="square"):
        finite_eigenvalues(np.eye(2), np.eye(3))


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_nullspace(kind):
    rng = np.random.default_rng(1)
    J = rng.standard_normal((6, 10))
    J[5] = J[0] - J[3]
    J[2] *= 1e9
    N = nullspace(kind(J))
    assert N.shape == (10, 5) and np.allclose(N.T @ N, np.eye(5)) and np.allclose(J[[0, 1, 3, 4, 5]] @ N, 0, atol=1e-13)
    assert np.allclose(J[2] @ N, 0, atol=1e-4)
    assert np.array_equal(nullspace(np.zeros((2, 3))), np.eye(3)) and nullspace(np.eye(3)).shape == (3, 0)


def test_states_with_rigid_motions():
    """Double zeros stay exact, whatever the basis; the rest as before, pairs together."""
    rng = np.random.default_rng(3)
    A = np.zeros((7, 7))
    A[0, 1] = 3.0  # a chain of two
    A[3, 4], A[4, 3], A[4, 4] = 1.0, -4.0, -0.4  # -0.2 +- 1.99i
    A[5, 5], A[6, 6] = -7.0, 0.5  # and one more zero at 2
    Q = np.linalg.qr(rng.standard_normal((7, 7)))[0]
    got = eigenvalues_of_states(Q @ A @ Q.T)
    assert got.chains == [2, 1] and got.zero.shape == (7, 2)
    assert np.abs(Q @ A @ Q.T @ got.zero).max() < 1e-13
    pair = -0.2 + 1j * np.sqrt(4 - 0.04)
    assert got.values == pytest.approx([0.5, pair, pair.conjugate(), -7.0], rel=1e-12)
    assert np.allclose(Q @ A @ Q.T @ got.vectors, got.vectors * got.values, atol=1e-12)
    units = 10.0 ** np.arange(7)
    scaled = eigenvalues_of_states(A * units / units[:, None], scale=1 / units, limit=1e-10)
    assert scaled.chains == [2, 1] and scaled.values == pytest.approx(got.values, rel=1e-12)
    assert eigenvalues_of_states(np.zeros((0, 0))).chains == [] and eigenvalues_of_states(np.zeros((3, 3))).chains == [
        1,
        1,
        1,
    ]
    with pytest.raises(ValueError, match="square"):
        eigenvalues_of_states(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="not finite"):
        eigenvalues_of_states([[np.nan]])
