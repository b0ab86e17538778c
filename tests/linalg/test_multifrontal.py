"""Cholesky factors by nested dissection against SciPy."""

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sla

from holonom.linalg.multifrontal import Cholesky, Indefinite


def lattice(n, freedoms=1, seed=0):
    """A Laplacian of n x n x (n + 2) points plus a little of what couples the degrees of freedom of a point; its nodes
    and positions."""
    line = lambda k: sp.diags([2.1 * np.ones(k), -np.ones(k - 1), -np.ones(k - 1)], [0, 1, -1])
    I = sp.identity
    A = (
        sp.kron(sp.kron(line(n), I(n)), I(n + 2))
        + sp.kron(sp.kron(I(n), line(n)), I(n + 2))
        + sp.kron(sp.kron(I(n), I(n)), line(n + 2))
    )
    B = np.random.default_rng(seed).normal(size=(freedoms, freedoms))
    K = sp.kron(A, B @ B.T + np.eye(freedoms)).tocsc()
    places = (
        np.stack(np.meshgrid(np.arange(n), np.arange(n), np.arange(n + 2), indexing="ij"), -1)
        .reshape(-1, 3)
        .astype(float)
    )
    return K, np.repeat(np.arange(len(places)), freedoms), places


@pytest.mark.parametrize("n, freedoms", ((2, 1), (9, 1), (7, 3), (4, 6)))
def test_solutions(n, freedoms):
    K, node, places = lattice(n, freedoms)
    C = Cholesky(K, node, places)
    b = np.random.default_rng(1).normal(size=(K.shape[0], 3))
    exact = sla.spsolve(K, b)
    assert C.solve(b) == pytest.approx(exact, rel=1e-9, abs=1e-12)
    assert C.solve(b[:, 0]) == pytest.approx(exact[:, 0], rel=1e-9, abs=1e-12)


def test_unknowns_in_any_order_and_places_that_tell_nothing():
    K, node, places = lattice(8, 2)
    mixed = np.random.default_rng(2).permutation(len(node))
    b = np.random.default_rng(1).normal(size=len(node))
    exact = sla.spsolve(K, b)
    assert Cholesky(K[mixed][:, mixed], node[mixed], places).solve(b[mixed]) == pytest.approx(exact[mixed], rel=1e-9)
    assert Cholesky(K, node, np.zeros_like(places)).solve(b) == pytest.approx(exact, rel=1e-9)


def test_fill_is_that_of_nested_dissection():
    K, node, places = lattice(14)
    C = Cholesky(K, node, places)
    assert len(C.fronts) > 50
    assert C.nonzeros < 0.05 * K.shape[0] ** 2  # a band of the width of a layer would be 0.07


def test_indefinite():
    K, node, places = lattice(9)
    K = K.tolil()
    K[300, 300] = -5.0
    with pytest.raises(Indefinite):
        Cholesky(K.tocsc(), node, places)
