"""Sparse LU of an unsymmetric matrix whose pattern and pivots are found once; later factorisations are numbers only.

P A Q = L U, L unit lower triangular, left-looking column by column (J. R. Gilbert, T. Peierls, SIAM J. Sci. Stat.
Comput. 9 (1988)) over a pattern from our own symbolic pass: SuperLU's factors drop exact zeros, so their pattern must
never be frozen.  Frozen pivots can decay, so every refactorisation reports its worst pivot and `FrozenLU.factor`
pivots again.

Columns of L that follow each other with the same rows (the coordinates of a body, the equations of a joint) are worked
off four or two at a time: one pass over their rows instead of four (supernodes; J. W. Demmel, S. C. Eisenstat, J. R.
Gilbert, X. S. Li, J. W. H. Liu, SIAM J. Matrix Anal. Appl. 20 (1999) 720).
"""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spl
from scipy.sparse.csgraph import maximum_bipartite_matching, min_weight_full_bipartite_matching

from .._jit import jit
from ._ordering import choose, order_rows, sort_columns

ONE, TWO, THREE, FOUR = (np.uint64(k) for k in (1, 2, 3, 4))

Symbolic = namedtuple("Symbolic", "Ap Ai As Ac Asrc Arow pr pc Lp Li Up Ui end")
Symbolic.__doc__ = """What does not depend on numbers, all uint32.

Ap (n+1), Ai (nnz), As (nnz): the matrix by columns as given, and where each entry lies in the data; Ac, Asrc, Arow: its
columns in elimination order, source in data and row position; pr, pc (n): position of each row and column; Lp, Li, Up,
Ui: columns of L and U without their diagonals; end (n): the first column after the supernode of each."""

LUArrays = namedtuple("LUArrays", (*Symbolic._fields, "Lx", "Ux", "Ud", "x", "y", "where"))
LUArrays.__doc__ = """Everything that kernels need: the fields of `Symbolic`, which may be longer than the present
pattern, and Lx, Ux, Ud: numbers, Ud the pivots; x (n, zero between calls), y (n): workspace; where (1) int64: see
`lu_refactor`.
"""


class NotFinite(ValueError):
    """An entry of the matrix is not a finite number; ``row``: its equation."""

    def __init__(self, row, column, value):
        self.row = int(row)
        super().__init__(f"entry ({int(row)}, {int(column)}) of the matrix is {value}")


class SingularMatrix(ArithmeticError):
    """The matrix has no inverse.  index: unknown (column, caller's numbering) to blame; structural: zero by pattern."""

    def __init__(self, index, structural=False, detail=""):
        self.index = int(index)
        self.structural = structural
        kind = "structurally" if structural else "numerically"
        super().__init__(f"matrix is {kind} singular at column {self.index}" + (f": {detail}" if detail else ""))


class DecayedPivot(SingularMatrix):
    """Pivots that are held (`FrozenLU.policy` "fixed") have become too small for the present numbers."""


#: when pivots are chosen anew: "auto", where those held have decayed to nothing; "fixed", never after the first matrix
#: of a pattern; "threshold", wherever one is smaller than a share of the largest entry of its column
POLICIES = ("auto", "fixed", "threshold")
PIVOT_SHARE = 0.01  # of "threshold"


@dataclass(frozen=True)
class FactorReport:
    """worst: smallest |pivot| / largest |entry below it|; column: where (caller's numbering); residual: normwise
    backward error of a probe solve; repivoted: pivots were chosen again; repivots: how often since the start;
    ordering: "structural" or "colamd"; fill: entries of L + U."""

    worst: float
    column: int
    residual: float
    repivoted: bool
    repivots: int
    ordering: str
    fill: int


@jit(_nrt=True)
def _symbolic(n, Ac, Arow):
    """Patterns of L and U (rows rising, no diagonals) without pivoting: rows reached through the columns of L."""
    cap = 4 * Ac[n] + 1024
    capu = cap
    Li = np.empty(cap, np.int64)
    Ui = np.empty(capu, np.int64)
    Lp = np.zeros(n + 1, np.int64)
    Up = np.zeros(n + 1, np.int64)
    mark = np.full(n, -1, np.int64)
    stack = np.empty(n + 1, np.int64)
    low = 0
    upp = 0
    for j in range(n):
        if upp + n > capu:
            capu = 2 * capu + n
            t1 = np.empty(capu, np.int64)
            for t in range(upp):
                t1[t] = Ui[t]
            Ui = t1
        if low + n > cap:
            cap = 2 * cap + n
            t2 = np.empty(cap, np.int64)
            for t in range(low):
                t2[t] = Li[t]
            Li = t2
        mark[j] = j
        deep = 0
        for p in range(Ac[j], Ac[j + 1]):
            r = Arow[p]
            if mark[r] == j:
                continue
            mark[r] = j
            if r > j:
                Li[low] = r
                low += 1
                continue
            stack[0] = r
            deep = 1
            while deep > 0:  # order of the visit does not matter: columns are sorted at the end
                deep -= 1
                k = stack[deep]
                Ui[upp] = k
                upp += 1
                for t in range(Lp[k], Lp[k + 1]):
                    i = Li[t]
                    if mark[i] != j:
                        mark[i] = j
                        if i > j:
                            Li[low] = i
                            low += 1
                        else:
                            stack[deep] = i
                            deep += 1
        Lp[j + 1] = low
        Up[j + 1] = upp
    return Lp, sort_columns(n, Lp, Li), Up, sort_columns(n, Up, Ui)


@jit
def _supernodes(Lp, Li, end):
    """end[k] <- first column after k whose rows are not those of the column before it without its own."""
    n = end.shape[0]
    for k in range(n - 1, -1, -1):
        end[k] = k + 1
        size = Lp[k + 1] - Lp[k]
        if k + 1 < n and size > 0 and Li[Lp[k]] == k + 1 and Lp[k + 2] - Lp[k + 1] == size - 1:
            same = True
            for r in range(size - 1):
                same = same and Li[Lp[k] + 1 + r] == Li[Lp[k + 1] + r]
            if same:
                end[k] = end[k + 1]


@jit(_nrt=True)
def _small(a):
    out = np.empty(len(a), np.uint32)
    for k in range(len(a)):
        out[k] = np.uint32(a[k])
    return out


@jit(_nrt=True, entry="int64, int64[::1], int64[::1], int64[::1], int64[::1], int64[::1]")
def _analyse(n, Ap, Ai, As, pr, pc):
    """The rest of `Symbolic` for a pattern (int64) with sources As and frozen pivots: row pr^-1(k) in column
    pc^-1(k)."""
    column = np.empty(n, np.int64)
    for j in range(n):
        column[pc[j]] = j
    nnz = Ap[n]
    Ac = np.zeros(n + 1, np.int64)
    Asrc = np.empty(nnz, np.uint32)
    Arow = np.empty(nnz, np.int64)
    q = 0
    for j in range(n):
        c = column[j]
        for p in range(Ap[c], Ap[c + 1]):
            Asrc[q] = np.uint32(As[p])
            Arow[q] = pr[Ai[p]]
            q += 1
        Ac[j + 1] = q
    Lp, Li, Up, Ui = _symbolic(n, Ac, Arow)
    end = np.empty(n, np.int64)
    _supernodes(Lp, Li, end)
    return _small(Ac), Asrc, _small(Arow), _small(Lp), _small(Li), _small(Up), _small(Ui), _small(end)


def analyse(n, Ap, Ai, As, pr, pc) -> Symbolic:
    """Symbolic factorisation of a pattern (arrays int64) whose pivots are known: row pr^-1(k) in column pc^-1(k) is the
    k-th."""
    Ac, Asrc, Arow, Lp, Li, Up, Ui, end = choose(n, len(Ai))(_analyse, n, Ap, Ai, As, pr, pc)
    u = lambda a: np.ascontiguousarray(a, np.uint32)
    return Symbolic(u(Ap), u(Ai), u(As), Ac, Asrc, Arow, u(pr), u(pc), Lp, Li, Up, Ui, end)


@jit(
    entry=(
        "LUArrays, float64[::1]",
        "complex LUArrays, complex128[::1]",
    )
)
def lu_refactor(lu, data):
    """Numbers of L and U for new matrix data (nnz or longer), same pattern and pivots.

    Returns the worst |pivot| / largest |entry below it in its column| (1e300 when nothing is below any), 0.0 when a
    pivot is zero or NaN; lu.where[0] is the position of that column.  The factors are usable unless it returns 0.0.
    """
    Lp = lu.Lp
    Li = lu.Li
    Lx = lu.Lx
    x = lu.x
    n = lu.Ud.shape[0]
    worst = 1e300
    for j in range(np.uint64(n)):
        for p in range(lu.Ac[j], lu.Ac[j + ONE]):
            x[lu.Arow[p]] = data[lu.Asrc[p]]
        p = np.uint64(lu.Up[j])
        last = np.uint64(lu.Up[j + ONE])
        while p < last:
            k = np.uint64(lu.Ui[p])
            wide = min(np.uint64(lu.end[k]), np.uint64(j)) - k  # columns of this supernode from k on, all of them in U
            a0 = np.uint64(Lp[k])
            u0 = x[k]
            x[k] = 0.0
            lu.Ux[p] = u0
            if wide < TWO:
                if u0 != 0.0:
                    for r in range(a0, Lp[k + ONE]):
                        x[Li[r]] -= Lx[r] * u0
                p += ONE
                continue
            a1 = np.uint64(Lp[k + ONE])
            a2 = np.uint64(Lp[k + TWO])
            u1 = x[k + ONE] - Lx[a0] * u0
            x[k + ONE] = 0.0
            lu.Ux[p + ONE] = u1
            if wide < FOUR:
                if u0 != 0.0 or u1 != 0.0:
                    for r in range(a2 - a1):
                        x[Li[a1 + r]] -= Lx[a0 + ONE + r] * u0 + Lx[a1 + r] * u1
                p += TWO
                continue
            a3 = np.uint64(Lp[k + THREE])
            u2 = x[k + TWO] - Lx[a0 + ONE] * u0 - Lx[a1] * u1
            u3 = x[k + THREE] - Lx[a0 + TWO] * u0 - Lx[a1 + ONE] * u1 - Lx[a2] * u2
            x[k + TWO] = 0.0
            x[k + THREE] = 0.0
            lu.Ux[p + TWO] = u2
            lu.Ux[p + THREE] = u3
            if u0 != 0.0 or u1 != 0.0 or u2 != 0.0 or u3 != 0.0:
                for r in range(np.uint64(Lp[k + FOUR]) - a3):
                    x[Li[a3 + r]] -= (
                        Lx[a0 + THREE + r] * u0 + Lx[a1 + TWO + r] * u1 + Lx[a2 + ONE + r] * u2 + Lx[a3 + r] * u3
                    )
            p += FOUR
        d = x[j]
        x[j] = 0.0
        lu.Ud[j] = d
        size = abs(d)
        inv = 1.0 / d if size > 0.0 else 0.0 * d  # a complex division by zero is an exception, not an infinity
        most = 0.0
        for p in range(Lp[j], Lp[j + ONE]):
            v = x[Li[p]]
            x[Li[p]] = 0.0
            most = max(most, abs(v))
            Lx[p] = v * inv
        if not (size > 0.0):
            lu.where[0] = j
            return 0.0
        if not (size >= worst * most):
            worst = size / most
            lu.where[0] = j
    return worst


@jit(entry="LUArrays, float64[::1], float64[::1]")
def lu_solve(lu, b, out):
    """out = A⁻¹ b; b (n) by rows, out (n) by columns of the caller's numbering; they may be the same array."""
    n = lu.Ud.shape[0]
    y = lu.y
    for i in range(n):
        y[lu.pr[i]] = b[i]
    k = np.uint64(0)
    while k < np.uint64(n):
        v = y[k]
        a0 = np.uint64(lu.Lp[k])
        a1 = np.uint64(lu.Lp[k + ONE])
        if np.uint64(lu.end[k]) < k + TWO:
            if v != 0.0:
                for p in range(a0, a1):
                    y[lu.Li[p]] -= lu.Lx[p] * v
            k += ONE
            continue
        y[k + ONE] -= lu.Lx[a0] * v
        w = y[k + ONE]
        if v != 0.0 or w != 0.0:
            for r in range(np.uint64(lu.Lp[k + TWO]) - a1):
                y[lu.Li[a1 + r]] -= lu.Lx[a0 + ONE + r] * v + lu.Lx[a1 + r] * w
        k += TWO
    for j in range(np.uint64(n)):
        k = np.uint64(n) - ONE - j
        v = y[k] / lu.Ud[k]
        y[k] = v
        for p in range(lu.Up[k], lu.Up[k + ONE]):
            y[lu.Ui[p]] -= lu.Ux[p] * v
    for i in range(n):
        out[i] = y[lu.pc[i]]


@jit(entry="LUArrays, float64[::1], float64[::1]")
def lu_solve_transposed(lu, b, out):
    """out = A⁻ᵀ b; b (n) by columns, out (n) by rows of the caller's numbering; they may be the same array."""
    n = lu.Ud.shape[0]
    y = lu.y
    for i in range(n):
        y[lu.pc[i]] = b[i]
    for k in range(np.uint64(n)):
        v = y[k]
        for p in range(lu.Up[k], lu.Up[k + ONE]):
            v -= lu.Ux[p] * y[lu.Ui[p]]
        y[k] = v / lu.Ud[k]
    for j in range(np.uint64(n)):
        k = np.uint64(n) - ONE - j
        v = y[k]
        for p in range(lu.Lp[k], lu.Lp[k + ONE]):
            v -= lu.Lx[p] * y[lu.Li[p]]
        y[k] = v
    for i in range(n):
        out[i] = y[lu.pr[i]]


@jit(entry="LUArrays, float64[::1], float64[::1], float64[::1], float64[::1]")
def lu_residual(lu, data, b, x, r):
    """r = b - A x; returns the normwise backward error max|r| / (max|A| max|x| + max|b|).  b, x, r (n) distinct."""
    n = b.shape[0]
    big = 0.0
    bigx = 0.0
    bigb = 0.0
    for i in range(n):
        r[i] = b[i]
        bigb = max(bigb, abs(b[i]))
    for j in range(np.uint64(n)):
        v = x[j]
        bigx = max(bigx, abs(v))
        for p in range(lu.Ap[j], lu.Ap[j + ONE]):
            a = data[lu.As[p]]
            r[lu.Ai[p]] -= a * v
            big = max(big, abs(a))
    most = 0.0
    for i in range(n):
        if not (abs(r[i]) <= most):
            most = abs(r[i])
    scale = big * bigx + bigb
    if scale == 0.0:
        return most
    return most / scale


@jit(entry="LUArrays, float64[::1], float64[::1], float64[::1], float64[::1]")
def lu_refine(lu, data, b, x, r):
    """One step of iterative refinement, x += A⁻¹ (b - A x); returns the backward error that x had on entry.  r (n)."""
    error = lu_residual(lu, data, b, x, r)
    lu_solve(lu, r, r)
    for i in range(b.shape[0]):
        x[i] += r[i]
    return error


def compress(n, rows, cols):
    """CSC pattern of coordinates: (indptr, indices, slots), slots[k] = index into data of coordinate k.  rows, cols
    (any length) may hold duplicates, which share a slot."""
    keys, slots = np.unique(np.asarray(cols, np.int64) * n + np.asarray(rows, np.int64), return_inverse=True)
    return np.searchsorted(keys, np.arange(n + 1) * n), keys % max(n, 1), slots.astype(np.uint32)


class FrozenLU:
    """LU of an n x n matrix with a fixed CSC pattern and frozen pivots.

    indptr (n+1), indices (nnz): pattern, row order within a column free, no duplicates.
    groups (n) int: super-node of each unknown (None: every unknown alone).  after: pairs (node, bodies) for nodes that
    are constraints, with -1 for ground, so that no constraint is eliminated before the bodies that carry its pivot.
    ordering: "structural" takes diagonal pivots in minimum-degree order; "colamd" takes SuperLU's pivots at the first
    numbers seen; "auto" takes the structural one when its fill is at most 1.2 times COLAMD's and its pivots are good.
    threshold: worst pivot ratio allowed; probe: backward error allowed; singular: smallest singular value, rows and
    columns scaled to 1, below which the matrix counts as singular.  All are checked by `factor`.
    source (nnz): where each entry of the pattern lies in the data, in their order if None.
    room: share of its size by which an array that has to grow grows beyond its need.  With room the pattern may be
    exchanged (`use`) and arrays are refilled in place as long as they are long enough, so that whoever holds them needs
    to know nothing.

    ``arrays`` (`LUArrays`) is passed to the kernels.  `factor` may replace it: fetch it again after each `factor`.
    """

    def __init__(
        self,
        n,
        indptr,
        indices,
        groups=None,
        ordering="auto",
        after=(),
        *,
        source=None,
        room=None,
        threshold=1e-10,
        probe=1e-9,
        singular=1e-14,
    ):
        if ordering not in ("auto", "structural", "colamd"):
            raise ValueError(f"ordering {ordering!r} is not one of auto, structural, colamd")
        self.n = n
        self._set_pattern(np.asarray(indptr, np.int64), np.asarray(indices, np.int64), source)
        self.room = room
        self.threshold, self.probe, self.singular = threshold, probe, singular
        self.repivots = 0
        self.policy = "auto"
        self._held = False  # pivots suit numbers of this pattern that were seen
        self._floor = threshold
        self._growth = 0.0
        self._arrays = None
        self._choose = ordering == "auto"
        self._b = np.cos(1.0 + np.arange(n)) + 1.5  # any vector without symmetry; deterministic
        self._x, self._r = np.zeros(n), np.zeros(n)
        self.ordering = "colamd"
        if ordering != "colamd":
            columns = np.repeat(np.arange(n), np.diff(self.indptr))
            place = order_rows(n, self.indices, columns, groups, after)
            self._set_pivots(place, place, "structural")

    def set_policy(self, policy: str) -> None:
        """When `factor` chooses pivots again, one of `POLICIES`; "threshold" takes none from the pattern alone."""
        self.policy = policy
        if policy == "threshold":
            self.threshold = self._floor = PIVOT_SHARE
            self._choose = False
        else:
            self._held = False

    @property
    def arrays(self) -> LUArrays:
        if self._arrays is None:
            raise RuntimeError("COLAMD pivots are chosen from numbers: call factor(data) first")
        return self._arrays

    @property
    def fill(self) -> int:
        """Entries of L + U."""
        return int(self.arrays.Lp[self.n]) + int(self.arrays.Up[self.n]) + self.n

    def _set_pattern(self, indptr, indices, source):
        self.indptr, self.indices = indptr, indices
        self.nnz = int(indptr[-1])
        self.source = np.arange(self.nnz) if source is None else source

    def _set_pivots(self, pr, pc, ordering):
        i = lambda a: np.ascontiguousarray(a, np.int64)
        self._fill_arrays(analyse(self.n, i(self.indptr), i(self.indices), i(self.source), i(pr), i(pc)), ordering)

    def _fill_arrays(self, symbolic, ordering) -> bool:
        """Put a symbolic factorisation into the arrays of the kernels; True when some had to be made again."""
        n, old = self.n, self._arrays
        self._column = None
        self.ordering = ordering
        needed = (*symbolic, symbolic.Li, symbolic.Ui)
        if self.room is not None and old is not None and all(len(a) >= len(b) for a, b in zip(old, needed)):
            for a, b in zip(old, symbolic):
                a[: len(b)] = b
            return False
        z = np.zeros
        arrays = []
        for name, a in zip(LUArrays._fields, needed):
            size = len(a)
            if self.room is not None and name not in ("Ap", "Ac", "pr", "pc", "Lp", "Up", "end"):
                size = max(int((1.0 + self.room) * size), 0 if old is None else len(getattr(old, name)))
            arrays.append(z(size, float if name in ("Lx", "Ux") else np.uint32))
        for a, b in zip(arrays, symbolic):
            a[: len(b)] = b
        self._arrays = LUArrays(*arrays, z(n), z(n), z(n), z(1, np.int64))
        return True

    def use(self, symbolic, ordering="structural") -> bool:
        """Exchange the pattern for that of a symbolic factorisation (`analyse`); `factor` or `lu_refactor` must follow.

        Returns True when ``arrays`` had to be made again, so that whoever holds them must fetch them.
        """
        self._set_pattern(symbolic.Ap, symbolic.Ai, symbolic.As)
        self._floor = self.threshold
        self._choose = self._held = False
        return self._fill_arrays(symbolic, ordering)

    def _matrix(self, data):
        return sp.csc_matrix((data[self.source], self.indices, self.indptr), shape=(self.n, self.n))

    def _colamd(self, data):
        A = self._matrix(
            data
        )  # with its stored zeros: an order that does not see them fills in when they become numbers
        A.sort_indices()
        try:
            factor = spl.splu(A, permc_spec="COLAMD")
        except RuntimeError as error:
            raise self._blame(data) from error
        return factor

    def _repivot(self, data):
        factor = self._colamd(data)
        self._set_pivots(factor.perm_r.astype(np.int64), factor.perm_c.astype(np.int64), "colamd")

    def _blame(self, data) -> SingularMatrix:
        """Name the column: unmatched by pattern, else the heaviest one of the null vector of the scaled matrix."""
        A = self._matrix(data)
        A.eliminate_zeros()
        match = maximum_bipartite_matching(A.tocsr(), perm_type="row")  # row of each column, or -1
        if np.any(match < 0):
            return SingularMatrix(int(np.flatnonzero(match < 0)[0]), True)
        S = _equilibrate(A)
        v, _ = _null_vector(S)
        return SingularMatrix(int(np.argmax(np.abs(v))), False, _companions(v))

    def _check(self, data):
        worst = lu_refactor(self._arrays, data)
        if self._column is None:
            self._column = np.argsort(self._arrays.pc)
        column = int(self._column[self._arrays.where[0]])
        if not worst > 0.0:
            return 0.0, column, np.inf
        lu_solve(self._arrays, self._b, self._x)
        error = lu_residual(self._arrays, data, self._b, self._x, self._r)
        return worst, column, error if np.isfinite(error) else np.inf

    def factor(self, data) -> FactorReport:
        """Refactor with new numbers; choose new pivots when the frozen ones have gone bad.

        data (nnz or longer): entries, in the order of the pattern or where ``source`` says.  Raises SingularMatrix when
        no pivots help, and ValueError when an entry is not finite.
        """
        data = np.ascontiguousarray(data, dtype=float)
        if self.n == 0:
            return FactorReport(1e300, -1, 0.0, False, 0, self.ordering, 0)
        repivoted = first = False
        if self._arrays is None:
            self._finite(data)
            self._repivot(data)
            first = True
        worst, column, error = self._check(data)
        if self._choose:
            self._choose = False
            self._finite(data)
            structural, fill, good = self._arrays, self.fill, worst > self.threshold and error < self.probe
            kept = self._column
            self._repivot(data)
            first = True
            if good and fill <= 1.2 * self.fill:
                self._arrays, self._column, self.ordering = structural, kept, "structural"
            else:
                worst, column, error = self._check(data)
        if not (worst > self._floor and error < self.probe):
            self._finite(data)
            if self.policy == "fixed" and self._held:
                raise DecayedPivot(column, False, f"its pivot is {worst:.1e} of the largest entry below it")
            if not (first and self.ordering == "colamd"):
                self._repivot(data)
                self.repivots += 1
                repivoted = True
                worst, column, error = self._check(data)
            if not (worst > 0.0 and error < np.sqrt(self.probe)):
                raise self._blame(data)
            # fresh pivots may be small by threshold pivoting: ask again only when they have decayed further
            self._floor = min(self.threshold, 1e-2 * worst)
        self._held = True
        # Good pivots do not exclude a singular matrix: test it when the probe's answer has grown 10⁴-fold since the
        # last test.  That costs a few solves with SuperLU, so not each time.
        with np.errstate(over="ignore"):  # infinite is more than it was, too
            growth = np.abs(self._x).max() * np.abs(data[self.source]).max()
        if repivoted or not growth <= 1e4 * self._growth:
            self._assert_regular(data)
            self._growth = growth
        return FactorReport(worst, column, error, repivoted, self.repivots, self.ordering, self.fill)

    def _finite(self, data):
        bad = ~np.isfinite(data[self.source])
        if bad.any():
            k = int(np.flatnonzero(bad)[0])
            raise NotFinite(self.indices[k], np.searchsorted(self.indptr, k, side="right") - 1, data[self.source[k]])

    def _assert_regular(self, data):
        """Raise SingularMatrix when the smallest singular value of the equilibrated matrix is below `singular`."""
        A = self._matrix(data)
        A.eliminate_zeros()
        S = _equilibrate(A)
        v, growth = _null_vector(S)
        if growth * self.singular < 1.0:
            return
        # Largest entries do not fix the scales of a saddle point, [m, G'; G, 0]: with a small m its rows and columns
        # are all led by G, and motions that G allows look like null vectors.  A matching must take entries of m, which
        # brings these to one.
        matched = _matched_scales(A)
        if (
            matched is None or not _null_vector(matched)[1] * self.singular < 1e-4
        ):  # rounding hides what is singular: clearly regular, or not at all
            raise SingularMatrix(int(np.argmax(np.abs(v))), False, _companions(v))

    def solve(self, b, data=None):
        """x = A⁻¹ b (n), with one step of refinement when the matrix data is given."""
        b = np.ascontiguousarray(b, dtype=float)
        x = np.zeros(self.n)
        lu_solve(self.arrays, b, x)
        if data is not None:
            lu_refine(self.arrays, data, b, x, self._r)
        return x

    def solve_transposed(self, b):
        """x = A⁻ᵀ b (n)."""
        x = np.zeros(self.n)
        lu_solve_transposed(self.arrays, np.ascontiguousarray(b, dtype=float), x)
        return x


def _equilibrate(A):
    """Scaled matrix with the largest entry of each row and column near 1 (three sweeps of square roots)."""
    S = abs(A).tocsc()
    dr, dc = np.ones(A.shape[0]), np.ones(A.shape[1])
    for _ in range(3):
        r = np.sqrt(np.maximum(S.max(axis=1).toarray().ravel(), 1e-300))
        c = np.sqrt(np.maximum(S.max(axis=0).toarray().ravel(), 1e-300))
        dr, dc = dr / r, dc / c
        S = sp.diags(dr) @ abs(A) @ sp.diags(dc)
    return (sp.diags(dr) @ A @ sp.diags(dc)).tocsc()


def _matched_scales(A, sweeps: int = 500):
    """A with rows and columns scaled so that a full matching of largest product has entries near one and no entry is
    much larger (Duff and Koster, SIAM J. Matrix Anal. Appl. 22 (2001) 973), None where there is no full matching.

    The scales are the duals of the matching, here by relaxation of the bounds v_j - v_m(i) <= c_ij - c_i,m(i) on costs
    c = -log |a|.
    """
    A = A.tocoo()
    cost = np.round(
        -8.0 * np.log(np.abs(A.data))
    )  # whole numbers: with rounded sums SciPy's matching may continue for ever
    graph = sp.csr_matrix((cost - cost.min() + 1.0, (A.row, A.col)), shape=A.shape)
    try:
        rows, columns = min_weight_full_bipartite_matching(graph)
    except ValueError:
        return None
    match = np.empty(A.shape[0], np.int64)
    match[rows] = columns
    own = np.zeros(A.shape[0])
    chosen = match[A.row] == A.col
    own[A.row[chosen]] = cost[chosen]
    bound = cost - own[A.row]
    v = np.zeros(A.shape[1])
    for _ in range(sweeps):
        w = v.copy()
        np.minimum.at(w, A.col, v[match[A.row]] + bound)
        if np.array_equal(w, v):
            break
        v = w
    u = own - v[match]
    return (sp.diags(np.exp(u / 8.0)) @ A.tocsc() @ sp.diags(np.exp(v / 8.0))).tocsc()


def _null_vector(S):
    """Direction that S shrinks most, by inverse iteration, and the growth |S⁻¹ v| / |v| reached."""
    n = S.shape[0]
    try:
        factor = spl.splu(S)
    except RuntimeError:  # exactly singular: a shift far below roundoff of the data makes it factorable
        shift = 1e-14 * sp.random(n, n, density=min(1.0, 2.0 / n), random_state=np.random.default_rng(1), format="csc")
        factor = spl.splu((S + shift + 1e-14 * sp.identity(n, format="csc")).tocsc())
    v = np.cos(1.0 + np.arange(n)) + 1.5
    for _ in range(4):
        v = v / np.linalg.norm(v)
        w = factor.solve(v)
        v = factor.solve(w / np.linalg.norm(w), trans="T")
    v = factor.solve(v / np.linalg.norm(v))
    growth = np.linalg.norm(v)
    return v / growth, growth


def _companions(v):
    near = np.flatnonzero(np.abs(v) > 0.1 * np.abs(v).max())
    return "" if len(near) == 1 else "dependent with columns " + ", ".join(str(int(k)) for k in near[:8])
