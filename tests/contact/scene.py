"""A few shapes in space, without a model: tables for pair kernels, and the checks that every pair of shapes must
pass."""

import numpy as np
from scipy.spatial.transform import Rotation

from holonom._address import address_of
from holonom._handle import make_handle, view_S
from holonom._jit import jit
from holonom.contact import kinematics
from holonom.contact.shapes import stand_in
from holonom.contact.shapes._address import PAIR_ARGUMENTS, ROLLED, call
from holonom.contact.tables import (
    COLUMNS,
    E1,
    FEATURE,
    GAP,
    PARAMETERS,
    SHAPE_TYPES,
    UA,
    UB,
    VA,
    VB,
    WEIGHT,
    N,
    P,
    Shapes,
)
from holonom.elements.frames import make_frames
from holonom.model.shape_kinds import shape_kinds

#: columns of `par` that are lengths (they scale with the unit of length); the others are flags and pure numbers
LENGTHS = {kind.name: kind.lengths for kind in shape_kinds()} | {"PLANE": 2}
POOLS = {"vert": (3, float), "tri": (3, np.int64), "node": (8, float), "link": (4, np.int64), "seg": (12, float)}


def scene(*items) -> Shapes:
    """Shapes from (kind, par, position, axes, pools): axes a 3x3 matrix or a rotation vector or None; pools a dict of
    arrays by the name of the pool, and optionally ``first``: function of the offsets (a dict by pool) that gives the
    four numbers of that shape (without it: offset and count in ``vert`` and in ``tri``); or pools a function of those
    offsets that gives (first, rows by pool), as `contact.shapes.pack` does."""
    n = len(items)
    par = np.zeros((n, PARAMETERS))
    first = np.zeros((n, 4), np.int64)
    kept: dict = {name: [np.zeros((0, k), t)] for name, (k, t) in POOLS.items()}
    fr = make_frames(np.zeros(n), np.zeros((n, 3)), np.tile(np.eye(3).ravel(), (n, 1)))
    for i, item in enumerate(items):
        kind, numbers, position, axes, pools = (*item, None, None, None, None)[:5]
        par[i, : len(numbers)] = numbers
        fr.p[i] = 0 if position is None else position
        fr.A[i] = _axes(axes).ravel()
        if pools:
            at = {name: sum(len(x) for x in kept[name]) for name in POOLS}
            if callable(pools):
                given, pools = pools(at)
                pools = {**pools, "first": lambda at, given=given: (*given, 0, 0, 0, 0)[:4]}
            count = {name: len(pools.get(name, ())) for name in POOLS}
            default = lambda at, count=count: (at["vert"], count["vert"], at["tri"], count["tri"])
            first[i] = pools.get("first", default)(at)
            for name, (k, t) in POOLS.items():
                if name in pools:
                    kept[name].append(np.asarray(pools[name], t).reshape(-1, k))
    kinds = np.array([SHAPE_TYPES.index(x[0]) for x in items], np.int64)
    pool = {name: np.concatenate(x) for name, x in kept.items()}
    return Shapes(
        fr,
        kinds,
        np.arange(n, dtype=np.int64),
        par,
        first,
        pool["vert"],
        pool["tri"],
        pool["node"],
        pool["link"],
        pool["seg"],
        np.full(n, np.inf),
        np.zeros((n, 3)),
        np.full((n, 3), np.inf),
        np.zeros(n),
    )


def _axes(axes):
    if axes is None:
        return np.eye(3)
    axes = np.asarray(axes, float)
    return Rotation.from_rotvec(axes).as_matrix() if axes.shape == (3,) else axes


def copy(sh: Shapes) -> Shapes:
    return sh._replace(fr=sh.fr._replace(p=sh.fr.p.copy(), A=sh.fr.A.copy()), par=sh.par.copy(), vert=sh.vert.copy())


def place(sh: Shapes, i: int, position, axes=None) -> Shapes:
    """The scene with shape i somewhere else."""
    sh = copy(sh)
    sh.fr.p[i] = position
    sh.fr.A[i] = _axes(axes).ravel()
    return sh


def moved(sh: Shapes, i: int, d=(0, 0, 0), turn=(0, 0, 0)) -> Shapes:
    """Shape i displaced by d and turned by the rotation vector about its own origin (ground axes)."""
    A = Rotation.from_rotvec(turn).as_matrix() @ sh.fr.A[i].reshape(3, 3)
    return place(sh, i, sh.fr.p[i] + np.asarray(d), A)


@jit
def _through(handle, address, a, b, reach, out, first, limit):
    return call(address, (view_S(handle), a, b, reach, out, first, limit))


def run(kernel, sh: Shapes, a, b, reach, out, first, limit) -> int:
    """The kernel as the engine calls it, by its address: one compiled form for tests and models."""
    if kernel not in _ADDRESSES:
        _ADDRESSES[kernel] = address_of(kernel, PAIR_ARGUMENTS)
    return _through(make_handle(sh, (), ()), _ADDRESSES[kernel], a, b, float(reach), out, first, limit)


_ADDRESSES: dict = {}


def points(kernel, sh: Shapes, a=0, b=1, reach=np.inf, limit=32) -> np.ndarray:
    """Contact points of shapes a and b: rows (number, COLUMNS)."""
    out = np.full((limit + 1, COLUMNS), np.nan)
    n = run(kernel, sh, a, b, reach, out, 1, limit)
    assert 0 <= n <= limit and np.isnan(out[0]).all() and np.isfinite(out[1 : n + 1]).all()
    return out[1 : n + 1]


def tensor(row, column) -> np.ndarray:
    return np.array([[row[column], row[column + 1]], [row[column + 1], row[column + 2]]])


def check_frame(rows):
    """Unit normal, unit tangent across it, finite weights."""
    for row in rows:
        n, e = row[N : N + 3], row[E1 : E1 + 3]
        np.testing.assert_allclose([n @ n, e @ e, n @ e], [1, 1, 0], atol=1e-12)
        assert 0 <= row[WEIGHT] <= 1


def check_rates(kernel, sh, a=0, b=1, eps=1e-6, tolerance=1e-6, reach=np.inf, which=None, normals=True):
    """Gap, normal and point of every contact point move with both bodies as `kinematics.point_rates` says (central
    differences).

    which: numbers of the points to check; normals: False checks the gap alone (points without a place of their
    own)."""
    rows = points(kernel, sh, a, b, reach)
    check_frame(rows)
    assert len(rows)
    size = max(1.0, np.abs(sh.fr.p).max())
    A = np.zeros((4, 4))
    for body in (a, b):
        for c in range(6):
            d, turn = np.zeros(3), np.zeros(3)
            (d if c < 3 else turn)[c % 3] = 1.0
            plus = points(kernel, moved(sh, body, eps * d, eps * turn), a, b, reach)
            minus = points(kernel, moved(sh, body, -eps * d, -eps * turn), a, b, reach)
            for k in range(len(rows)) if which is None else which:
                f = rows[k, FEATURE]
                up = [r for r in plus if r[FEATURE] == f]
                down = [r for r in minus if r[FEATURE] == f]
                assert len(up) == len(down) == 1, "a feature is lost or found twice"
                rate = (up[0] - down[0]) / (2 * eps)
                kinematics.prepare(rows, k, A)
                pb = rows[k, P : P + 3]
                pa = pb + rows[k, GAP] * rows[k, N : N + 3]
                material = lambda p, i, d=d, turn=turn, body=body: (
                    d + np.cross(turn, p - sh.fr.p[i]) if i == body else np.zeros(3)
                )
                still = np.zeros(3)
                ta, tb = (turn if body == a else still), (turn if body == b else still)
                motion = (material(pa, a), ta, material(pb, b), tb)
                expected = np.array(kinematics.point_rates(rows, k, A, *map(tuple, motion)))
                got = np.concatenate([rate[[GAP]], rate[N : N + 3], rate[P : P + 3]])
                m = 7 if normals else 1
                np.testing.assert_allclose(
                    got[:m], expected[:m], atol=tolerance * size, err_msg=f"point {k}, body {body}, direction {c}"
                )


def check_invariance(kernel, sh, a=0, b=1, reach=np.inf, tolerance=1e-11):
    """The same points after a rigid motion of the whole scene and in other units of length."""
    rows = points(kernel, sh, a, b, reach)
    far = np.array([0.7, -1.3, 2.1])
    turn = Rotation.from_rotvec([0.4, -1.1, 0.6]).as_matrix()
    other = copy(sh)
    for i in range(len(sh.kind)):
        other.fr.p[i] = turn @ sh.fr.p[i] + far
        other.fr.A[i] = (turn @ sh.fr.A[i].reshape(3, 3)).ravel()
    again = points(kernel, other, a, b, reach)
    assert len(again) == len(rows)
    size = max(1.0, np.abs(rows[:, P : P + 3]).max())
    for r, q in zip(rows, again, strict=True):
        np.testing.assert_allclose(q[[GAP, WEIGHT, FEATURE]], r[[GAP, WEIGHT, FEATURE]], atol=tolerance * size)
        np.testing.assert_allclose(q[N : N + 3], turn @ r[N : N + 3], atol=tolerance * 100)
        np.testing.assert_allclose(q[P : P + 3], turn @ r[P : P + 3] + far, atol=tolerance * size * 100)
    mm = copy(sh)
    mm.fr.p[:] *= 1000
    mm.vert[:] *= 1000
    for i, kind in enumerate(sh.kind):
        mm.par[i, : LENGTHS.get(SHAPE_TYPES[kind], 0)] *= 1000
    again = points(kernel, mm, a, b, reach * 1000)
    assert len(again) == len(rows)
    for r, q in zip(rows, again, strict=True):
        np.testing.assert_allclose(q[GAP], 1000 * r[GAP], atol=1000 * tolerance * size)
        np.testing.assert_allclose(q[N : N + 3], r[N : N + 3], atol=tolerance * 100)
        np.testing.assert_allclose(q[P : P + 3], 1000 * r[P : P + 3], atol=1000 * tolerance * size * 100)


def curvature(row, side: str) -> np.ndarray:
    """V U^-1 of side 'a' or 'b' where U can be inverted (smooth surfaces): the second fundamental form in (e1, e2)."""
    u, v = (UA, VA) if side == "a" else (UB, VB)
    return tensor(row, v) @ np.linalg.inv(tensor(row, u))


def turns(number: int, seed=1):
    """Random rotation vectors that repeat from run to run."""
    return Rotation.random(number, random_state=seed).as_rotvec()


def rolled(a, b, which):
    """Scene of two shapes and the ball that is moved along shape ``which``."""
    ball = (
        "SPHERE",
        (1.0, 0.0),
        None,
        None,
        {"link": stand_in.ball_kernels({a[0], b[0]}), "first": lambda at: (at["link"], 0, 0, 0)},
    )
    sh = scene(a, b, ball)
    sh.par[which, ROLLED] = 2
    return sh
