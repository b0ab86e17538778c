"""Columns of bodies in results against rotations of SciPy, and rows of elements that a system has not."""

from types import SimpleNamespace

import numpy as np
from scipy.spatial.transform import Rotation

from holonom._jit import interpreted
from holonom.analyses.session.columns import BodyColumns, ElementRows
from holonom.elements.bodies.in_ground import (
    ACCELERATION,
    BODY_DATA,
    PLACE,
    QUATERNION,
    SPIN,
    SPIN_RATE,
    VELOCITY,
    read_bodies,
)


def test_bodies_in_ground_axes():
    rng = np.random.default_rng(8)
    n = 40
    at = Rotation.random(n, random_state=3)
    # all four branches of Shepperd's method, half turns among them
    at = Rotation.concatenate([at, Rotation.from_rotvec(np.pi * np.eye(3)), Rotation.identity(1)])
    n, own = len(at), Rotation.random(len(at), random_state=5)
    y, acc, bias = rng.normal(size=(n, 13)), rng.normal(size=6 * n), rng.normal(size=(n, 6))
    R, axes = at.as_matrix().reshape(n, 9), np.ascontiguousarray(own.as_matrix())
    row, body = rng.permutation(n), np.arange(n)
    last = np.full((n, 4), np.nan)
    last[::2] = rng.normal(size=(len(last[::2]), 4))
    found = []
    for kernel in (read_bodies, interpreted(read_bodies)):
        out = np.full((n, BODY_DATA), np.nan)
        kernel(y.ravel(), R, acc, bias, row, body, axes, last, out)
        found.append(out)
        of = out[row]
        move = acc.reshape(n, 6) + bias
        for first, value in (
            (PLACE, y[:, :3]),
            (VELOCITY, y[:, 7:10]),
            (ACCELERATION, move[:, :3]),
            (SPIN, at.apply(y[:, 10:13])),
            (SPIN_RATE, at.apply(move[:, 3:])),
        ):
            np.testing.assert_allclose(of[:, first : first + 3], value, rtol=0.0, atol=1e-14)
        q = out[:, QUATERNION : QUATERNION + 4]
        true = np.empty((n, 4))
        true[row] = np.roll((at * own.inv()).as_quat(), 1, axis=1)  # scalar last there
        np.testing.assert_allclose(np.abs((q * true).sum(axis=1)), 1.0, rtol=0.0, atol=1e-15)
        first = np.isnan(last[:, 0])
        assert (q[first, 0] >= 0.0).all() and ((q * last).sum(axis=1)[~first] > 0.0).all()
    np.testing.assert_array_equal(*found)  # what `briefly` chooses does not matter


def test_rows_that_a_system_has_not():
    table = np.arange(12.0).reshape(4, 3)
    rows = ElementRows({"a": 2, "b": 0}, ["a", "gone", "b"])
    np.testing.assert_array_equal(rows.of(table), [[6, 7, 8], [0, 0, 0], [0, 1, 2]])
    np.testing.assert_array_equal(ElementRows({"a": 1}, ["gone", "a"], np.nan).of(table[:, 0]), [np.nan, 3.0])
    assert ElementRows({}, []).of(table).shape == (0, 3)
    assert np.isnan(ElementRows({}, ["gone"], np.nan).of(np.zeros(0))).all()
    copied = ElementRows({"a": 2}, ["a"]).of(table)
    copied[:] = 0.0
    assert table[2, 0] == 6.0


def test_a_body_that_a_system_has_not_is_unknown():
    system = SimpleNamespace(
        body_index={("PART", 2): 0},
        local=[SimpleNamespace(axes=np.eye(3))],
        bodies=SimpleNamespace(carriers=None),
        W=SimpleNamespace(R=np.eye(3).reshape(1, 9), acc=np.arange(6.0)),
    )
    elements = [SimpleNamespace(KIND="PART", id=k) for k in (1, 2)]
    y = np.array([1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0])
    out = BodyColumns(system, elements).read(y, None)
    assert np.isnan(out[0]).all()
    np.testing.assert_array_equal(out[1], [1, 2, 3, 1, 0, 0, 0, 4, 5, 6, 0, 1, 2, 7, 8, 9, 3, 4, 5])
