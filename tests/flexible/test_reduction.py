"""Selection of modes, damping, what modes lack in statics, and matrices that cannot be."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.linalg as la
import scipy.sparse as sp

import holonom as hn
from holonom.flexible import FiniteElements, Section, beam, missing_statics, rayleigh, reduce
from holonom.flexible.reduction import _lowest

E, RHO = 2.1e11, 7850.0
SECTION = Section.rectangle(0.02, 0.01)


def bar(elements=12, **options):
    return beam((0, 0, 0), (1, 0, 0), SECTION, E=E, density=RHO, elements=elements, y=(0, 1, 0), **options)


def test_lowest_modes_are_those_of_lapack():
    """With pairs of equal frequencies, more modes than a block, and all there are."""
    fe = beam((0, 0, 0), (1, 0, 0), Section.round(0.01), E=E, density=RHO, elements=10)
    K, M = fe.K[6:][:, 6:].toarray(), fe.M[6:][:, 6:].toarray()
    w2 = la.eigh(K, M, eigvals_only=True)
    for count in (1, 5, 24, len(K)):
        V = _lowest(lambda f: la.solve(K, f), sp.csr_matrix(M), count)
        assert V.shape[1] == count
        assert V.T @ M @ V == pytest.approx(np.eye(count), abs=1e-7)
        assert np.einsum("ij,ij->j", V, K @ V) == pytest.approx(w2[:count], rel=1e-7)


def test_effective_mass():
    """A cantilever: the first bending modes make up 0.6131, 0.1883 and 0.0647 of its mass."""
    fe = bar(40)
    for share, across in ((0.6, 1), (0.7, 2), (0.85, 3)):
        body = reduce(fe, [1], 60, effective=share)
        whole = reduce(fe, [1], 60)
        assert body.modes < 20 < whole.modes
        # free modes of the kept ones with the clamp held again
        A, n = body.shapes[0], body.modes
        rows = np.hstack([np.array(fe.rigid(body.centre)[:6]), A])
        k = np.diag(np.concatenate([np.zeros(6), body.frequency**2]))
        m = la.block_diag(body.mass * np.eye(3), body.inertia, np.eye(n))
        free = la.null_space(rows, rcond=1e-10)
        w2, v = la.eigh(free.T @ k @ free, free.T @ m @ free)
        moved = free @ v
        effective = (body.mass * moved[2]) ** 2 / body.mass
        assert np.sum(effective) >= share
        assert np.sort(effective)[::-1][:across] == pytest.approx(np.array([0.6131, 0.1883, 0.0647])[:across], rel=2e-3)
    with pytest.raises(
        hn.ModelError,
        match="its 2 fixed-interface modes make up .* of the effective mass along x, less than 0.9; request more modes",
    ):
        reduce(fe, [1], 2, effective=0.9)
    with pytest.raises(hn.ModelError, match="effective is 1.5; give a share"):
        reduce(fe, [1], 2, effective=1.5)
    with pytest.raises(hn.ModelError, match="effective masses are those of modes with held interfaces"):
        reduce(fe, [], 2, effective=0.5)


def test_rayleigh():
    f = rayleigh(3.0, 1e-4)
    assert f(100.0) == pytest.approx(0.015 + 0.005)
    m = hn.Model()
    p = m.part("bar", 1.57, (1, 1, 1), position=(0.5, 0, 0))
    e = m.make_flexible(p, bar(), modes=3, damping=rayleigh(3.0, 1e-7))
    assert e.damping == pytest.approx([1.5 / w + 0.5e-7 * w for w in e.body.frequency])
    with pytest.raises(hn.ModelError, match="beta of Rayleigh damping is -1"):
        rayleigh(0.0, -1.0)


def test_missing_statics():
    """A free bar, all modes against a few; a bar held by one end, whose lowest mode makes up 12 / 1.875104^4 of the
    deflection of its tip."""
    fe = bar(20)
    everything, few = reduce(fe, [], 6 * 21 - 6), reduce(fe, [], 4)
    ((share, frequency),) = missing_statics(fe, few, [21])
    flexibility = lambda body: (body.shapes[body.place[21], :3] ** 2 / body.frequency**2).sum()
    assert share == pytest.approx(1 - flexibility(few) / flexibility(everything), rel=1e-6) and share > 0.01
    assert frequency > few.frequency.max()
    held = reduce(fe, [1], 2)
    (share, frequency), (none, zero) = missing_statics(fe, held, [21, 1])
    assert share == pytest.approx(1 - 12 / 1.875104**4, rel=0.02) and (none, zero) == (0.0, 0.0)
    assert frequency == pytest.approx(
        22.0345 * np.sqrt(E * SECTION.Iy / (RHO * SECTION.A)), rel=0.1
    )  # near the second one
    for body in (reduce(fe, [1, 21], 0), reduce(fe, [1, 21], 3)):
        assert missing_statics(fe, body, [21])[0][0] < 1e-6
    assert missing_statics(fe, reduce(fe, [1, 21], 3, highest=5e3), [21])[0][0] < 1e-6  # static shapes stay
    with pytest.raises(hn.ModelError, match="there is no node 99"):
        missing_statics(fe, few, [99])


def test_too_few_modes_are_told():
    def warnings(**options):
        m = hn.Model()
        p = m.part("bar", 1.57, (1, 1, 1), position=(0.5, 0, 0))
        for end in (0, 1):
            m.fixed(p, m.ground, at=(end, 0, 0))
        m.vforce(m.marker_at(p, (0.5, 0, 0), name="middle"), m.ground, "0", "1", "1")
        m.make_flexible(p, bar(), **options)
        return [w for w in hn.check(m).warnings if "its modes lack" in w]

    assert not warnings(modes=2)
    (text,) = warnings(modes=1, interfaces=[1, 13])
    assert (
        "of the static deflection under a force at MARKER" in text
        and "'middle' (node 7)" in text
        and "interfaces=[7]" in text
    )
    assert not warnings(modes=2, highest=1500.0)  # static shapes of the interfaces stay


def test_matrices_that_cannot_be():
    fe = bar(4)
    M = fe.M.tolil()
    M[0, 0] = -1.0
    with pytest.raises(hn.ModelError, match="its mass is negative on the diagonal at node 1"):
        reduce(replace(fe, M=M.tocsc()), [1])
    K = fe.K.tolil()
    K[7, 7] = np.nan
    with pytest.raises(hn.ModelError, match="its stiffness has entries that are not finite"):
        reduce(replace(fe, K=K.tocsc()), [1])
    # a hinge within: each half turns by itself, and both share a node by a spring along its degrees of freedom only
    a = np.diag([1.0, 1, 1])
    K = np.zeros((12, 12))
    K[:3, :3], K[6:9, 6:9], K[:3, 6:9], K[6:9, :3] = a, a, -a, -a
    loose = FiniteElements(
        [1, 2],
        np.array([[0, 0, 0], [0, 0, 0.0]]),
        sp.csc_matrix(K),
        sp.identity(12, format="csc"),
        np.zeros((0, 2), int),
    )
    for interfaces in ([], [1]):
        with pytest.raises(
            hn.ModelError, match="a motion without stiffness in addition to the six rigid ones|has no stiffness"
        ):
            reduce(loose, interfaces, 2)
    apart = FiniteElements(
        range(1, 11),
        np.vstack([fe.places, fe.places + 5]),
        sp.block_diag([fe.K, fe.K], format="csc"),
        sp.block_diag([fe.M, fe.M], format="csc"),
        fe.lines,
    )
    with pytest.raises(
        hn.ModelError,
        match="it is in 2 pieces that no element joins: 5 nodes with node 1 and 5 nodes with node 6; merge",
    ):
        reduce(apart, [1])
    with pytest.raises(hn.ModelError, match="its mass is 6 x 6; 5 nodes have 30 degrees of freedom"):
        reduce(replace(fe, M=sp.identity(6, format="csc")), [1])
