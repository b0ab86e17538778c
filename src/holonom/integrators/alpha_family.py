"""The one-step methods of second order and below that solve for accelerations: HHT, generalized-alpha, Newmark,
backward Euler.

    M v1' + (G^T lam - F)_1 = 0,      phi(q1, t1) = 0,      (1 - am) a1 + am a0 = (1 - af) v1' + af v0'
    q1 = q0 o exp(h v0 + h^2 (b0 a0 + b1 a1) - d),      v1 = v0 + h (g0 a0 + g1 a1)

a: algorithmic accelerations, which belong to t + D h with D = am - af; v': true ones.  The methods differ in six
numbers only, so they share one kernel.  States obey the same formula.  Lie groups as in Bruls, Cardona, Arnold, Mech.
Mach. Theory 48
(2012) 121: in R3 x SO(3) v = (r', W), in SE(3) v = (A^T r', W), so that a step is a screw motion.

``I3``   d = 0: velocities meet the constraints only as far as the method is exact.
``SI2``  also G v1 + phit = 0, met by d = M^-1 G^T mu (Arnold, Cardona, Bruls, in: Structure-preserving Integrators,
CISM 565
         (2016), sec. 4); mu comes from the Schur factor, so the matrix is that of I3.  The error test sees velocities
             too.

Local errors: positions h^2 ((b0 + b1 - 1/2) v' + c h v''), c = (b0 + b1) D + b1 - 1/6; velocities (g1 + D - 1/2) h^2
v'' (zero in methods of second order), then h^3 v'''.  The constants are kept from vanishing, so that no choice of beta
stops the test. At I3 velocities and accelerations hold the corrector's error over h and h^2, so their error counts as h
times it, in positions.

Behind an event the state comes from interpolation, and where a light body hangs on a stiff spring the acceleration
there states little (a hair of 1e-4 mm times 1e5 N/mm over 1e-10 t).  When the first step requires far less than its
size, it is made again by backward Euler, which does not check the beginning and brings stiff modes to rest.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from .._handle import make_handle, view_P, view_S, view_W
from .._jit import Entry, jit
from ..elements.bodies import layout
from ..elements.bodies.errors import components, mean_of, norm_of_errors, weigh
from ..elements.bodies.lie_group import add_step_correction, screw_rates, step_by_accelerations, to_screw, widen_mass
from ..elements.bodies.motion_bounds import bound_cubic
from ..linalg.lu import FrozenLU, lu_refactor
from ..system.contact_entry import accept_contacts
from ..system.implicit import REDUNDANT, assemble, balance, decide_rows, solve, stiffness
from ..system.kernels import accept_angles, evaluate_constraints, evaluate_frames
from ..system.part_calls import accept_references
from ..system.projection import keep_gradients, stabilise
from .interpolation import hermite
from .newton import (
    CONVERGED,
    DIVERGED,
    INACCURATE,
    NOT_FINITE,
    SINGULAR,
    ImplicitStepper,
    converged,
    correction_norm,
    corrector_tolerance,
    outdated,
    speed_of,
)

Coefficients = namedtuple("Coefficients", "b0 b1 g0 g1 am af")

History = namedtuple("History", "yt yold a aold at vd acc0 acc1 lam0 lam1 xa xaold xt f0 f1 turn slide d dq")
History.__doc__ = """yt (ny) trial; yold start of the last step; a, aold, at algorithmic accelerations now, before and
on trial
(bodies.moves); vd true accelerations now, in the group's axes; acc0, acc1 the same at both ends of the step, r'' and
W'; lam0, lam1 multipliers; xa, xaold, xt algorithmic rates of states; f0, f1 their true rates; turn, slide (3 nb)
rotation and translation of the step in the group; d (bodies.moves) shift of positions of SI2; dq (bodies.moves)
correction of an iteration."""

Settings = namedtuple("Settings", "b0 b1 g0 g1 am af kappa eps maxit velocities search check stabilised screw chord")
Settings.__doc__ = """coefficients; kappa: corrector tolerance / error tolerance; eps: redundancy; maxit; velocities:
they take part in the convergence test; search: rows may be redundant; check: error control; stabilised: SI2; screw:
SE(3); chord: see `newton.outdated`."""

Wide = namedtuple("Wide", "data to block")
Wide.__doc__ = """The matrix of SE(3), where r'' depends on all coordinates of its body: data (nnz + 1); to: place of
each entry of the iteration matrix in it; block (nb, 18): places of the rows of dr, three by six.  Empty in R3 x
SO(3)."""

Parts = namedtuple(
    "Parts", "I lu H X w o"
)  # of the handle: iteration, factors, history, wide matrix, weights, settings


@jit
def for_change(o, h, hold):
    """The numbers of a step of size h behind one of size ``hold``: algorithmic accelerations a0 belong to D hold behind
    its beginning and are needed D h behind it; there those of both ends, taken as a line, are (1 - s) a0 + s a1,
    s = D (h - hold)/(h + D (h - hold)).  Without that each change of the step costs an order."""
    s = 0.0
    if hold > 0.0 and abs(h - hold) > 1e-9 * h:
        moved = (o.am - o.af) * (h - hold)
        s = moved / (h + moved)
    return Settings(
        o.b0 * (1.0 - s), o.b1 + s * o.b0, o.g0 * (1.0 - s), o.g1 + s * o.g0, o.am * (1.0 - s), o.af,
        o.kappa, o.eps, o.maxit, o.velocities, o.search, o.check, o.stabilised, o.screw, o.chord,
    )  # fmt: skip


@jit
def _place(S, y0, H, I, o, h):
    """Trial state H.yt, true accelerations I.acc and rates I.xd from the algorithmic ones H.at, H.xt at its end."""
    g0 = h * o.g0
    g1 = h * o.g1
    p1 = (1.0 - o.am) / (1.0 - o.af)
    p0 = o.am / (1.0 - o.af)
    pv = -o.af / (1.0 - o.af)
    for c in range(S.bodies.moves):
        I.acc[c] = p1 * H.at[c] + p0 * H.a[c] + pv * H.vd[c]
    step_by_accelerations(
        S.bodies, y0, H.a, H.at, H.d, h, (h * o.b0, h * o.b1, g0, g1), o.screw, H.turn, H.slide, H.yt, I.acc
    )
    k = S.bodies.end
    for c in range(I.im.nx):
        H.yt[k + c] = y0[k + c] + g0 * H.xa[c] + g1 * H.xt[c]
        I.xd[c] = p1 * H.xt[c] + p0 * H.xa[c] + pv * H.f1[c]


@jit
def _project(S, W, H, o, h, au):
    """SI2: algorithmic accelerations and the shift d moved so that positions stay and velocities fit
    (`projection.stabilise`)."""
    z = W.z
    stabilise(S, W, H.yt, au, -1.0 / (h * o.g1), z)
    if o.screw:
        to_screw(S.bodies, H.yt, z)
    f = o.b1 * h * h
    for c in range(S.bodies.moves):
        H.at[c] += z[c]
        H.d[c] += f * z[c]


@jit
def _widen(S, I, H, X, aa, au):
    """X.data <- I.data with the derivatives of SE(3) in place of those of R3 x SO(3)."""
    data = X.data
    for p in range(data.shape[0]):
        data[p] = 0.0
    for p in range(X.to.shape[0]):
        data[X.to[p]] = I.data[p]
    widen_mass(S.bodies, H.yt, I.acc, H.turn, H.slide, aa, au, X.block, data)


@jit
def _correct(S, I, H, o, h, aa):
    """Algorithmic accelerations moved by H.dq, their rates and multipliers by the solution of the linear system."""
    add_step_correction(S.bodies, H.dq, H.yt, H.turn, H.slide, o.screw, 1.0 / (o.b1 * h * h), H.at)
    k = I.im.nq
    for c in range(I.im.nx):
        H.xt[c] += I.sol[k + c] / (o.g1 * h)
    k += I.im.nx
    for r in range(S.rows.m):
        I.lam[r] += aa * I.sol[k + r]


@jit
def _error(S, W, I, H, w, o, h, hold):
    """Weighted RMS of the local error of positions, rotations and states, of velocities where they are controlled."""
    bodies = S.bodies
    nx = I.im.nx
    D = o.am - o.af
    c0 = (o.b0 + o.b1 - 0.5) * h * h
    c1 = max(abs((o.b0 + o.b1) * D + o.b1 - 1.0 / 6.0), 1.0 / 12.0) * h * h
    first = abs(o.g1 + D - 0.5) * h
    third = max(abs(0.5 * (D * D + o.g1) + o.g1 * D - 1.0 / 6.0), 1.0 / 6.0) * h
    g = h / hold if hold > 0.0 else 0.0
    fast = o.stabilised
    if not fast:
        c1 += first * h
    for k in range(bodies.moves):
        d = H.at[k] - H.a[k]
        H.dq[k] = c0 * H.at[k] + c1 * d
        e = first * d
        if hold > 0.0:
            e += third * (d - g * (H.a[k] - H.aold[k]))
        W.z[k] = e
    total, most = norm_of_errors(bodies, w, H.dq, W.z, fast, 0.0, 0.0)
    for k in range(nx):
        d = H.xt[k] - H.xa[k]
        if hold > 0.0:
            e = first * d + third * (d - g * (H.xa[k] - H.xaold[k]))
        else:
            e = 0.5 * h * d
        e = (e / (w.floor[4] * (1.0 + w.x[k]))) ** 2
        total += e
        most = max(most, e)
    return mean_of(total, most, (2 if fast else 1) * components(bodies) + nx, w)


@jit
def _accept(S, I, H, o, y):
    """The trial state becomes the state."""
    for c in range(y.shape[0]):
        H.yold[c] = y[c]
        y[c] = H.yt[c]
    for c in range(S.bodies.moves):
        H.acc0[c] = H.acc1[c]
        H.acc1[c] = I.acc[c]
        H.vd[c] = I.acc[c]
        H.aold[c] = H.a[c]
        H.a[c] = H.at[c]
    if o.screw:
        screw_rates(S.bodies, y, I.acc, H.vd)
    for k in range(I.im.nx):
        H.xaold[k] = H.xa[k]
        H.xa[k] = H.xt[k]
        H.f0[k] = H.f1[k]
        H.f1[k] = I.xd[k]
    for r in range(S.rows.m):
        H.lam0[r] = H.lam1[r]
        H.lam1[r] = I.lam[r]


@jit(
    entry=(
        "Handle(Tables, Work, Parts(Iteration, LUArrays, History, Wide, Weights, Settings)), float64[::1], "
        "float64, float64, float64, int64"
    )
)
def step(handle, y, t, h, hold, refresh):
    """One trial step from (t, y); on success y is its end.  hold: size of the step before, 0 at a start.

    refresh: iterations with a new matrix, as bits; otherwise the factors at hand serve until they converge slowly.
    Returns status, iterations, matrices, error, worst unknown, worst pivot ratio, dropped rows.
    """
    S = view_S(handle)
    W = view_W(handle)
    P = view_P(handle)
    I, lu, H, X, w = P.I, P.lu, P.H, P.X, P.w
    o = for_change(P.o, h, hold)
    bodies = S.bodies
    nx = I.im.nx
    p1 = (1.0 - o.am) / (1.0 - o.af)
    aa = p1 / (o.b1 * h * h)
    au = o.g1 / (o.b1 * h)
    ax = p1 / (o.g1 * h)
    stabilised = o.stabilised and S.rows.m > 0
    g = h / hold if hold > 0.0 else 0.0
    for c in range(bodies.moves):
        H.at[c] = H.a[c] + g * (H.a[c] - H.aold[c])
        H.d[c] = 0.0
    for k in range(nx):
        H.xt[k] = H.xa[k] + g * (H.xa[k] - H.xaold[k])
    for r in range(S.rows.m):
        I.lam[r] = H.lam1[r] + g * (H.lam1[r] - H.lam0[r])
    kappa = corrector_tolerance(w, o.kappa, h)
    speed = 0.0
    old = 1.0
    late = False
    worst = 1.0
    matrices = 0
    where = 0
    dropped = 0
    for it in range(o.maxit):
        _place(S, y, H, I, o, h)
        if it == 0:
            weigh(bodies, H.yt, w)
            if o.velocities:
                speed = speed_of(w, kappa, au)
        evaluate_frames(S, W, H.yt)
        evaluate_constraints(S, W, t + h, H.yt)
        if it == 0 and (stabilised or o.search):
            low, dropped = decide_rows(S, W, I, o.eps)
            if not (low > 0.0):
                return NOT_FINITE, it + 1, matrices, 0.0, where, worst, dropped
            if stabilised:
                keep_gradients(W)
        if stabilised:
            _project(S, W, H, o, h, au)
            _place(S, y, H, I, o, h)
            evaluate_frames(S, W, H.yt)
        balance(S, W, I, t + h, H.yt, 1.0, aa, au, ax)
        fresh = (refresh >> it) & 1 != 0 or (it == 2 and matrices == 0) or late
        if fresh:
            stiffness(S, W, I, t + h, H.yt)
            assemble(S, W, I, I.data, H.yt, o.search, 1.0, aa, au, ax, 0.5 * h * aa, 0.5 * h * au)
            if o.screw:
                _widen(S, I, H, X, aa, au)
                worst = lu_refactor(lu, X.data)
            else:
                worst = lu_refactor(lu, I.data)
            matrices += 1
            if not (worst > 0.0):
                return SINGULAR, it + 1, matrices, 0.0, where, worst, dropped
        solve(S, W, I, lu, o.search, worst < 1e-7 and not o.screw)
        norm, where = correction_norm(S, I, H.dq, w, speed)
        norm /= kappa
        verdict = converged(norm, old, it)
        late = outdated(norm, old, it, o.chord)
        if verdict == -2:
            return NOT_FINITE, it + 1, matrices, 0.0, where, worst, dropped
        if verdict == -1 and (fresh or not late):
            return DIVERGED, it + 1, matrices, 0.0, where, worst, dropped
        old = norm
        _correct(S, I, H, o, h, aa)
        if verdict == 1:
            _place(S, y, H, I, o, h)
            error = 0.0
            if o.check:
                error = _error(S, W, I, H, w, for_change(P.o, h, h), h, hold)
                if not (error <= 1.0):
                    return INACCURATE, it + 1, matrices, error, where, worst, dropped
            _accept(S, I, H, o, y)
            accept_angles(W)
            accept_references(S, W)
            accept_contacts(S, W, t + h, y)
            return CONVERGED, it + 1, matrices, error, where, worst, dropped
    return DIVERGED, o.maxit, matrices, 0.0, where, worst, dropped


GROUPS = {"R3XSO3": False, "SE3": True}
EULER = Coefficients(0.0, 1.0, 0.0, 1.0, 0.0, 0.0)  # of backward Euler
FAR = 100.0  # error of a first step above which the accelerations at its beginning are not believed


class AlphaFamily(ImplicitStepper):
    """A method of the family with error control, or at a fixed step when hmin = hmax.

    Subclasses give `coefficients`.  Option ``group``: R3xSO3 (default) or SE3; formulation: I3 or SI2, by default
    that of the class or of its coefficients.
    """

    order = 2
    formulation = "I3"

    def __init__(self, system, options=None):
        self.flat = (
            str((options and options.extra.get("group")) or "").upper() != "SE3"
        )  # its matrix has a form of its own
        self.unknown_forces = self.flat
        super().__init__(system, options)
        self._hermite, self._cubic = Entry(hermite), Entry(bound_cubic)
        o = self.options
        self.formula = c = self.coefficients()
        formulation = (o.formulation or self.formulation).upper()
        if formulation not in ("I3", "SI2"):
            raise ValueError(f"formulation {o.formulation!r} of {self.name} is neither I3 nor SI2")
        group = str(o.extra.get("group") or "R3xSO3").upper()
        if group not in GROUPS:
            raise ValueError(f"GROUP of {self.name} is {o.extra['group']!r}; it must be R3xSO3 or SE3")
        self.screw = GROUPS[group]
        stabilised = formulation == "SI2"
        self.power = (
            2 if abs(c.b0 + c.b1 - 0.5) > 1e-12 or (stabilised and self.order == 1) else 3
        )  # of h in the local error
        velocities = (o.corrector != "modified" or stabilised) and not self.touching
        self.settings = Settings(
            *c,
            self.kappa,
            REDUNDANT,
            self.maxit,
            velocities,
            self.search,
            not self.fixed,
            stabilised,
            self.screw,
            self.chord,
        )
        n, ny, m, nx = system.nb, len(system.y0), system.m, system.nx
        z, q = np.zeros, system.bodies.moves
        bodies = [z(q) for _ in range(6)]
        self.H = History(
            z(ny), z(ny), *bodies, z(m), z(m), z(nx), z(nx), z(nx), z(nx), z(nx), z(3 * n), z(3 * n), z(q), z(q)
        )
        self.X = self._wide() if self.screw else Wide(z(1), z(1, np.uint32), z((1, 18), np.uint32))
        self._lam = self.H.lam1
        self._acc = z(q)
        self._smooth: np.ndarray | None = None  # accelerations of the last step before a restart
        self.euler = False  # the step at hand is one of backward Euler
        self._tried = 1.0, 0.0  # sizes of the last step and of the one before

    def coefficients(self) -> Coefficients:
        """The six numbers of the method.  Raises ValueError for options that make none."""
        raise NotImplementedError

    def _wide(self) -> Wide:
        """Pattern of the matrix of SE(3), and its own factorisation."""
        p, n = self.implicit.pattern, self.system.nb
        lu = self.implicit.lu
        columns = np.full(
            int(lu.source.max(initial=0)) + 1, -1, np.int64
        )  # of every position in the data, -1 for what the matrix does not have
        columns[lu.source] = np.repeat(np.arange(p.N), np.diff(lu.indptr.astype(np.int64))) * p.N + lu.indices
        unknowns = p.unknown(np.arange(n))
        rows, cols = np.broadcast_arrays(unknowns[:, layout.TRAVEL, None], unknowns[:, None, :])
        block = np.where(cols < 0, -1, cols * p.N + rows).reshape(n, 18)
        used = np.unique(np.concatenate([columns, block.ravel()]))
        used = used[used >= 0]
        place = lambda keys: np.where(keys < 0, len(used), np.searchsorted(used, keys)).astype(np.uint32)
        indptr = np.searchsorted(used, np.arange(p.N + 1) * p.N)
        structural = (
            self.implicit.groups,
            "structural",
            self.implicit.after,
        )  # an entry of a contact is no pivot: it may vanish
        self.lu = FrozenLU(p.N, indptr, used % p.N, *(structural if self.touching else (None, "colamd")))
        self.lu.set_policy(self.pivots)
        return Wide(np.zeros(len(used) + 1), place(columns), place(block))

    def _follow_contacts(self):
        lu = self.lu
        moved = super()._follow_contacts()
        if self.screw and self.stale:
            self.X = self._wide()
            return True
        if self.screw:
            self.lu = lu
        return moved

    def _pivot(self, trial=False):
        if not self.screw or not np.isfinite(self.I.data).all():
            self.lu = self.implicit.lu if self.screw else self.lu  # names the equation that is not finite
            return super()._pivot(trial)
        I, X = self.I, self.X
        X.data[:] = 0.0
        X.data[X.to] = I.data[: len(X.to)]
        self.I = I._replace(data=X.data)
        try:
            found = super()._pivot(trial)
        finally:
            self.I = I
        self._make_handle()
        return found

    def number(self, name: str, default: float, low: float, high: float) -> float:
        """An option of the method that lies between ``low`` and ``high``."""
        value = self.options.extra.get(name)
        value = default if value is None else float(value)
        if not low <= value <= high:
            raise ValueError(f"{name.upper()} of {self.name} is {value:g}; it must lie between {low:g} and {high:g}")
        return value

    def _begin(self):
        W, I, H, bodies = self.W, self.I, self.H, self.S.bodies
        for a in (H.acc0, H.acc1, H.vd, I.acc):
            a[:] = W.acc
        if self.screw:
            screw_rates(bodies, self.y, W.acc, H.vd)
        self._smooth = H.a.copy()
        H.a[:] = H.aold[:] = H.vd
        I.bias[:] = 0.0
        I.xbias[:] = 0.0
        for f in (H.xa, H.xaold, H.f0, H.f1, I.xd):
            f[:] = I.yd[bodies.end :]
        H.lam0[:] = I.lam[:] = H.lam1
        H.yold[:] = self.y
        self.hold = 0.0
        self.refresh = True
        self.euler = False
        self._matrix = 0.0
        c, h = self.formula, self.h
        p1 = (1 - c.am) / (1 - c.af)
        self._first_matrix(1.0, p1 / (c.b1 * h * h), c.g1 / (c.b1 * h), p1 / (c.g1 * h))

    def _make_handle(self):
        parts = Parts(self.I, self.lu.arrays, self.H, self.X, self.weights, self._settings())
        self.handle = make_handle(self.S, self.W, parts)

    def _settings(self):
        """Those of the step at hand."""
        return self.settings._replace(**EULER._asdict()) if self.euler else self.settings

    def _try(self, h):
        refresh = self.fresh or self.refresh or abs(h - self._matrix) > 1e-9 * h
        self._tried = float(h), float(self.hold)
        result = self._run(step, self.y, float(self.t), float(h), float(self.hold), self.due(refresh))
        if result[2]:
            self._matrix = h
        return result

    def _accept(self, h, error, iterations):
        self.hold = h
        self.refresh = iterations > 4
        if self.euler:
            self.euler = False
            self.hold = 0.0
            self.refresh = True
            self._make_handle()
        if not self.fixed:
            f = 0.9 * max(error, 1e-6) ** (-1 / self.power)
            if f < 1.0 or f > 1.2:
                self.h = h * min(max(f, 0.5), 2.0)

    def _refuse(self, status, h, error, failures):
        if failures == 1 and self.h_done == 0.0 and not self.screw and (status != INACCURATE or error > FAR):
            self._begin_by_euler()
            return
        self.h = h * max(0.2, 0.9 * error ** (-1 / self.power)) if status == INACCURATE else 0.25 * h
        self.refresh = True
        if failures > 2:
            self.hold = 0.0  # extrapolate nothing

    def _begin_by_euler(self):
        """The step at hand, the first one, again by backward Euler."""
        H = self.H
        H.a[:] = H.aold[:] = H.acc1[:] = self._smooth
        self.euler = self.refresh = True
        self.cap = math.inf
        self._make_handle()

    def trace(self):
        """Algorithmic and true accelerations, multipliers and the six numbers of the last step."""
        formula = np.array(for_change.py_func(self._settings(), *self._tried)[:6], float)
        return self.H.a.copy(), self.H.acc1.copy(), self.H.lam1.copy(), formula

    def interpolate(self, t, out, rates=None):
        H = self.H
        s = (t - self.t_old) / self.h_done if self.h_done else 1.0
        yd = self.I.yd if rates is None else rates
        self._hermite.call(
            self.S.bodies,
            self.system.nx,
            (H.yold, self.y),
            (H.acc0, H.acc1),
            H.turn,
            (H.f0, H.f1),
            self.h_done,
            s,
            out,
            self._acc,
            yd,
        )

    def motion_bounds(self, out, fine=False):
        H = self.H
        self._cubic.call(self.S.bodies, H.yold, self.y, H.acc0, H.acc1, self.h_done, out)
        return True

    def interpolate_lam(self, t):
        s = (t - self.t_old) / self.h_done if self.h_done else 1.0
        return (1 - s) * self.H.lam0 + s * self.H.lam1
