"""The equations of motion of the whole system, as kernels over its tables.

    M u' + G^T lam = F(q, u, x, t),     G u' = gamma(q, u, t),     x' = f(q, u, x, t)

State vector ``y``: coordinates and velocities of all bodies (`elements.bodies.layout`), then the states x of
differential equations. Accelerations ``acc``: one a velocity.  Everything a kernel needs comes in two tuples, so that a
call stays cheap: ``S`` (tables, not changed by kernels) and ``W`` (work arrays).
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from .._jit import jit
from ..contact.call import ACTIVE
from ..elements.bodies.coordinates import add_speeds, rates, rotations, solve_mass, speeds_of
from ..elements.bodies.coupled import add_coupled_acceleration, coupled_forces, prepare_coupled, turn_coupled_rows
from ..elements.bodies.mass import add_coupled_products, add_response, clear_moves, fill_products, row_size, scale_moves
from ..elements.bodies.rigid import inertial_and_gravity
from ..elements.frames import update_frames
from ..elements.joints.rows import ACCEPTED, PRESENT, add_GT, evaluate_rows, multiply_G
from ..linalg.ldl import ldl_factor, ldl_solve
from .contact_entry import active_rows, contact_forces, publish_rows, slide_rows
from .flags import BY_GEOMETRY, GIVEN_WEIGHTS, REFINE, UNSETTLED
from .part_calls import add_forces, add_rows, prescribe, repeat_forces
from .projection import project_rows

SETTLED, MIXED = 60, 5  # see `iterate_lagged`: steps at most, differences that are kept

Tables = namedtuple(
    "Tables", "bodies fr rows ldl schur_dest schur_diag parts motions curves pairs fn nx friction contacts ports rule"
)
Tables.__doc__ = """bodies: Bodies; fr: Frames; rows: Rows; ldl: LDLArrays; schur_dest, schur_diag: where products of
slots go; parts: addresses of optional parts (`part_calls`); tables of these, empty where a model does not have them:
motions: programs of time, curves,
pairs: pair forces, fn: function forces and states, friction; nx: number of states; contacts
(5) int64: addresses of the contact engine and of its tables, zero where there are no contacts, of `contact.unilateral`
    and of its tables,
zero where no contact is a constraint, and of the engine's derivatives, zero where no matrix asks for them; ports (3)
int64: the same of forces of registered kinds (`port_entry`); rule: how redundant rows are known, one of `MASSES`,
`TREE`, `GEOMETRY`, see `factor_schur`. There is one type of tables and of work for all models."""

Work = namedtuple(
    "Work", "R F rw lam f Lx D Di scale skip lwork z acc inputs stack flags G2 plam last gscale gap displaced"
)
Work.__doc__ = """R (nb+1, 9) rotations; F (bodies.moves) applied forces; rw: RowWork; lam (m) multipliers; f:
accelerations as seen by reaction- and acceleration-dependent forces; Lx..lwork: LDL; z, acc (bodies.moves); inputs:
inputs of the time functions; stack: their registers; flags: see `flags`; plam (m): multipliers of projections;
last (4 MIXED + 4, 2 bodies.moves + m): see `iterate_lagged`; gscale (m): like scale, of geometry; gap (4): largest gap
of a joint at the last `find_gap`, its row, the pivot below which `factor_schur` asks for sizes again (0: `SUSPECT`),
and the smallest it found last; displaced: see `elements.frames.Displaced`."""

# How redundant rows are known.  MASSES: by pivots of G M^-1 G^T, where all bodies weigh about the same for their size;
# TREE: there are none;
# GEOMETRY: by pivots of G W G^T with `Bodies.metric` for W, which masses and inertias cannot fool
MASSES, TREE, GEOMETRY = range(3)
SUSPECT = 1e-4  # while no pivot is below this share of its row's largest, no row can be redundant, whatever the masses
DOUBTED = 1e-6  # below this share they are asked for every time
NARROW = 1e-5  # a smaller pivot costs so many digits of multipliers that they are refined
SWEEPS = 12  # of refinement at most
TINY = 1e-300  # in place of zero under a fraction
POOR = 1e-11  # below this share a pivot may be nothing but roundoff: other rows of the same rank are looked for
COARSE = 1e-3  # and these have no smaller pivots by geometry


@jit
def evaluate_frames(S, W, y):
    rotations(S.bodies, y, W.R)
    prepare_coupled(S.bodies, y, W.R)
    update_frames(S.fr, y, W.R)
    add_coupled_acceleration(S.bodies, S.fr.body, S.fr.ab)


@jit(later="none")
def evaluate_constraints(S, W, t, y):
    """Rows at (t, y): phi, phit, gamma, G.  Frames must be current."""
    W.rw.clock[PRESENT] = t
    prescribe(S, W, t)
    evaluate_rows(S.rows, W.rw, S.fr, W.R)
    add_rows(S, W, t, y)
    turn_coupled_rows(S.bodies, S.rows.slot_row, S.rows.slot_body, W.rw.G, W.rw.gamma)
    active_rows(S, W, t, y)


@jit(apart=True)
def evaluate_forces(S, W, t, y, yd):
    """Applied forces F (gyroscopic moments included) and the rates of the states x into yd.  Frames must be current."""
    inertial_and_gravity(S.bodies, y, W.F)
    coupled_forces(S.bodies, y, W.F)
    add_forces(S, W, t, y, yd)
    contact_forces(S, W, t, y)


@jit(apart=True)
def fill_schur(S, W, weights, masses):
    """W.Lx, W.D <- G diag(weights) G^T, weights (rows, MOVES); ``masses``: they are inverse masses, and G M^-1 G^T is
    wanted."""
    fill_products(S.bodies, S.rows.body_ptr, S.rows.body_slots, W.rw.G, weights, S.schur_dest, S.schur_diag, W.Lx, W.D)
    if masses:
        add_coupled_products(S.bodies, S.rows, W.rw.G, S.schur_dest, S.schur_diag, W.Lx, W.D)
    D = W.D
    for k in range(S.rows.on.shape[0]):
        r = S.rows.on[k]
        c = S.rows.compliance[r]
        if c != 0.0:  # of weights that are no masses a share, and no drive is ever redundant
            D[S.ldl.place[r]] += c if c > 0.0 and masses else D[S.ldl.place[r]] * max(1.0, -c)
    soft = W.rw.soft
    for r in range(soft.shape[0]):
        soft[r, 1] = soft[r, 0] * D[S.ldl.place[r]]
        D[S.ldl.place[r]] += soft[r, 1]


@jit(later=("float64", "int64"))
def factor_schur(S, W, eps, mode):
    """LDL^T of G M^-1 G^T; redundant rows are skipped (mode 0 decides which, mode 1 keeps the decision).

    Whether a row repeats others is a matter of geometry, but a pivot of this matrix is small too where a body is light
    or slim compared with
    another: of a pendulum of mass m, length l and inertia J two rows have the pivots l^2/J and 1/m.  So where S.rule
    requires it rows are decided by the same elimination with weights by size; where joints make a tree none can be
    redundant.  Returns the smallest pivot as a share of the largest its row has had, and the number of rows skipped;
    the first is not positive where the factor is of no use.

    Of rows that hold the same bodies in place the first are kept, however nearly they repeat each other.  Where that
    leaves pivots that are nothing but roundoff, rows that nearly repeat others are left to those that come after them,
    if the rank stays (`_choose`).

    Where no row has been redundant and the smallest pivot is not very small, as slim links have them all the time,
    sizes are asked again only when it has halved: a row that comes to repeat others brings its own pivot to zero.
    """
    own = mode == 0 and W.flags[GIVEN_WEIGHTS] == 0
    if own and S.rule == TREE:
        mode = 2
    if own and S.rule == GEOMETRY and W.flags[BY_GEOMETRY] != 0:
        mode = 1
        _decide(S, W, eps)
    fill_schur(S, W, S.bodies.Minv, True)
    if mode == 1 and own:  # decided by geometry: scales follow nevertheless
        for k in range(W.D.shape[0]):
            if W.D[k] > W.scale[k]:
                W.scale[k] = W.D[k]
    worst, skipped = ldl_factor(S.ldl, W.Lx, W.D, W.Di, W.scale, W.skip, eps, mode)
    if own and S.rule == GEOMETRY:
        known = W.gap[2] if W.gap[2] > 0.0 else SUSPECT
        suspect = skipped > 0 or not (worst > known)
        if suspect and mode == 0:
            _decide(S, W, eps)
            fill_schur(S, W, S.bodies.Minv, True)
            worst, skipped = ldl_factor(S.ldl, W.Lx, W.D, W.Di, W.scale, W.skip, eps, 1)
        if suspect and skipped > 0 and not (worst > POOR) and worst == worst:
            worst, skipped = _choose(S, W, eps, worst, skipped)
        low = skipped > 0 or not (worst > DOUBTED)
        W.flags[BY_GEOMETRY] = suspect and low
        if suspect:
            W.gap[2] = SUSPECT if low else 0.5 * worst
        else:
            W.gap[2] = min(SUSPECT, max(known, 0.5 * worst))
    W.flags[REFINE] = not (worst > NARROW)
    W.gap[3] = worst
    return worst, skipped


@jit(later="int64")
def _decide(S, W, eps):
    """W.skip <- rows that repeat others for bodies that all weigh the same for their size; returns their number."""
    fill_schur(S, W, S.bodies.metric, False)
    _, skipped = ldl_factor(S.ldl, W.Lx, W.D, W.Di, W.gscale, W.skip, eps, 0)
    return skipped


@jit(later=("float64", "int64"))
def _choose(S, W, eps, worst, skipped):
    """The factor with rows whose pivots by geometry are above `COARSE`, where they have the rank of all and better
    pivots by masses than ``worst``; else that of the rows that were skipped before."""
    dropped = _decide(S, W, COARSE)
    if dropped == skipped or (dropped > skipped and _spanned(S, W, eps)):
        fill_schur(S, W, S.bodies.Minv, True)
        better, dropped = ldl_factor(S.ldl, W.Lx, W.D, W.Di, W.scale, W.skip, eps, 1)
        if better > worst:
            return better, dropped
    _decide(S, W, eps)
    fill_schur(S, W, S.bodies.Minv, True)
    return ldl_factor(S.ldl, W.Lx, W.D, W.Di, W.scale, W.skip, eps, 1)


@jit(later="boolean")
def _spanned(S, W, eps):
    """Do the rows that are kept span all that are skipped?  From the factor with weights by size: of each skipped row
    what is left behind all kept ones, not only those before it."""
    v = W.plam
    z = W.z
    for j in range(S.rows.on.shape[0]):
        r = S.rows.on[j]
        if W.skip[S.ldl.place[r]] == 0:
            continue
        whole = 0.0
        for turn in range(2):  # first the part of the row that kept ones make up, then what is left without it
            if turn == 0:
                for k in range(S.rows.on.shape[0]):
                    v[S.rows.on[k]] = 0.0
            else:
                ldl_solve(S.ldl, W.Lx, W.Di, v, W.lwork)
                for k in range(S.rows.on.shape[0]):
                    v[S.rows.on[k]] *= -1.0
            v[r] = 1.0
            clear_moves(z)
            add_GT(S.rows, W.rw.G, v, z, 1.0)
            scale_moves(S.bodies.metric, z)
            multiply_G(S.rows, W.rw.G, z, v)
            if turn == 0:
                whole = v[r]
        if not (v[r] <= eps * whole):
            return False
    return True


@jit(later="float64")
def find_gap(S, W):
    """Largest gap of the rows of positions at the last evaluation, |phi| over the length of the gradient in the metric
    of sizes: the way that parts must be moved to close it, turns counted by the way of their joints.  W.gap <- it and
    its row."""
    most = 0.0
    where = -1
    for k in range(S.rows.on.shape[0]):
        r = S.rows.on[k]
        if S.rows.level[r] != 0:
            continue
        size = row_size(S.rows, W.rw.G, r, S.bodies.metric)
        v = abs(W.rw.phi[r])
        if size > 0.0:
            v /= math.sqrt(size)
        elif v < 1e300:  # nothing that moves can close it
            v = 0.0
        if not (v <= most):
            most = v
            where = r
    W.gap[0] = most
    W.gap[1] = where
    return most


@jit(apart=True)
def solve_accelerations(S, W):
    """acc, lam from current F, G, gamma and factor."""
    F = W.F
    if S.rows.m > 0:
        solve_mass(S.bodies, F, W.z)
        multiply_G(S.rows, W.rw.G, W.z, W.lam)
        for k in range(S.rows.on.shape[0]):
            r = S.rows.on[k]
            W.lam[r] -= W.rw.gamma[r]
        ldl_solve(S.ldl, W.Lx, W.Di, W.lam, W.lwork)
        slide_rows(S, W)
        add_GT(S.rows, W.rw.B, W.lam, F, -1.0)
    solve_mass(S.bodies, F, W.acc)
    if W.flags[REFINE] != 0 and S.contacts[ACTIVE] == 0:
        refine(S, W)


@jit(later="none")
def refine(S, W):
    """acc, lam, F <- with G acc = gamma to roundoff, where pivots are so small that the multipliers lack digits.

    S dlam = G acc - gamma with the factor at hand, acc changed by -M^-1 G^T dlam, again while the rest falls (Bjorck,
    Numerical Methods for Least Squares Problems (1996), 2.9): accelerations are unknowns here, not what the multipliers
    leave of large forces.
    """
    z = W.z
    last = 1e300
    for _ in range(SWEEPS):
        multiply_G(S.rows, W.rw.G, W.acc, W.plam)
        most = 0.0
        for k in range(S.rows.on.shape[0]):
            r = S.rows.on[k]
            W.plam[r] -= W.rw.gamma[r] + S.rows.compliance[r] * W.lam[r]
            if W.skip[S.ldl.place[r]] == 0:
                most = max(most, abs(W.plam[r]))
        if not (most < 0.5 * last):
            return
        last = most
        ldl_solve(S.ldl, W.Lx, W.Di, W.plam, W.lwork)
        clear_moves(z)
        add_GT(S.rows, W.rw.G, W.plam, z, -1.0)
        for k in range(S.rows.on.shape[0]):
            r = S.rows.on[k]
            W.lam[r] += W.plam[r]
        for c in range(S.bodies.moves):
            W.F[c] += z[c]
        add_response(S.bodies, z, W.acc)


@jit(apart=True)
def iterate_lagged(S, W, t, y, yd):
    """Forces fed by reactions or accelerations, at the solution of z = g(z): z (bodies.moves) are the accelerations
    that the applied forces alone would give, and accelerations and multipliers, which the forces see, are affine in
    them.

    Anderson's acceleration of the substitution z <- g(z), in the form of Walker and Ni (SIAM J. Numer. Anal. 49 (2011)
    1715, type II): with f = g(z) - z and the differences dF, dG of the last `MIXED` steps, z <- g - dG x, where x is
    the least-squares solution of dF x = f.  Where k reactions feed back and the forces are affine in them, it ends in k
    + 2 steps whatever the gain (k <= MIXED); the substitution alone wants every gain well below one.  Multipliers and
    accelerations are mixed as z is.  It ends where each component of z is right to its own size or to that of the
    accelerations: applied forces alone give a part that is light and held by joints 1e10 times the acceleration of
    its neighbours, which would stay wrong by a multiple of their own digits.
    """
    n = S.bodies.moves
    N = 2 * n + S.rows.m
    # z, f, f and g before; then differences of f, of g, an orthonormal basis of those of f, and what it is of those of
    # g
    H = W.last
    if S.rows.m > 0:
        add_GT(S.rows, W.rw.B, W.lam, W.F, 1.0)  # what stood there before the reactions came to it
    solve_mass(S.bodies, W.F, H[0])
    most = 0.0
    kept = 0
    for k in range(SETTLED):
        evaluate_forces(S, W, t, y, yd)
        solve_mass(S.bodies, W.F, H[1])
        solve_accelerations(S, W)
        slot = (k - 1) % MIXED
        before = most
        bad = False
        size = 0.0
        most = 0.0
        for c in range(n):
            size = max(size, abs(W.acc[c]))
        for c in range(n):
            g = H[1, c]
            f = g - H[0, c]
            most = max(most, abs(f) / max(abs(g), size, TINY))
            bad = bad or not abs(f) < np.inf
            if k > 0:
                H[4 + slot, c] = f - H[2, c]
                H[4 + MIXED + slot, c] = g - H[3, c]
                H[4 + MIXED + slot, n + c] = W.acc[c] - H[3, n + c]
            H[2, c] = f
            H[3, c] = g
            H[3, n + c] = W.acc[c]
            H[0, c] = g
        if bad:
            most = np.inf
            break
        if most <= 1e-13 or (k > 1 and most <= 1e-11 and most > 0.1 * before):  # or as far as roundoff lets it
            return
        for r in range(2 * n, N):
            if k > 0:
                H[4 + MIXED + slot, r] = W.lam[r - 2 * n] - H[3, r]
            H[3, r] = W.lam[r - 2 * n]
        if k > 0:
            kept = min(kept + 1, MIXED)
            mix(S, W, n, N, k - 1, kept)
            publish_rows(S, W)
    if not most <= 1e-9:
        W.flags[UNSETTLED] += 1


@jit
def mix(S, W, n, N, newest, kept):
    """The step of `iterate_lagged`: modified Gram-Schmidt over the last ``kept`` differences, the newest first."""
    H = W.last
    basis = 0
    for j in range(kept):
        slot = (newest - j) % MIXED
        q = 4 + 2 * MIXED + basis
        p = q + MIXED
        for c in range(n):
            H[q, c] = H[4 + slot, c]
        whole = 0.0
        for c in range(N):
            H[p, c] = H[4 + MIXED + slot, c]
            if c < n:
                whole += H[p, c] * H[p, c]
        for i in range(basis):
            b = 4 + 2 * MIXED + i
            d = 0.0
            for c in range(n):
                d += H[b, c] * H[q, c]
            for c in range(n):
                H[q, c] -= d * H[b, c]
            for c in range(N):
                H[p, c] -= d * H[b + MIXED, c]
        rest = 0.0
        along = 0.0
        for c in range(n):
            rest += H[q, c] * H[q, c]
            along += H[q, c] * H[2, c]
        if not rest > 1e-20 * whole:  # a direction in which all comes back: there is no solution, or any
            continue
        along /= rest
        for c in range(n):
            H[0, c] -= along * H[p, c]
            W.acc[c] -= along * H[p, n + c]
        for r in range(2 * n, N):
            W.lam[r - 2 * n] -= along * H[p, r]
        rest = 1.0 / rest**0.5
        for c in range(n):
            H[q, c] *= rest
        for c in range(N):
            H[p, c] *= rest
        basis += 1


@jit(apart=True)
def evaluate_dynamics(S, W, t, y, yd):
    """Forces, accelerations, multipliers and rates of states at (t, y); frames, rows and factor must be current."""
    evaluate_forces(S, W, t, y, yd)
    solve_accelerations(S, W)
    repeat_forces(S, W, t, y, yd)


@jit(apart=True)
def rate(S, W, t, y, yd, eps, mode):
    """yd <- dy/dt on the index-1 form.  Returns the smallest pivot ratio and the number of skipped rows."""
    evaluate_frames(S, W, y)
    worst = 1.0
    skipped = 0
    if S.rows.m > 0:
        evaluate_constraints(S, W, t, y)
        worst, skipped = factor_schur(S, W, eps, mode)
    evaluate_dynamics(S, W, t, y, yd)
    rates(S.bodies, y, W.acc, yd)
    return worst, skipped


@jit(later="float64")
def project_velocity(S, W, y):
    """u <- u - M^-1 G^T (G M^-1 G^T)^-1 (G u + phit), the mass-weighted nearest velocity that fits; G and factor
    current. Returns the largest constraint velocity found."""
    z = W.z
    speeds_of(S.bodies, y, z)
    multiply_G(S.rows, W.rw.G, z, W.plam)
    most = 0.0
    for k in range(S.rows.on.shape[0]):
        r = S.rows.on[k]
        W.plam[r] += W.rw.phit[r]
        if S.rows.level[r] == 2:  # an acceleration motion leaves velocities alone
            W.plam[r] = 0.0
        most = max(most, abs(W.plam[r]))
    project_rows(S, W, W.rw.G, W.plam, W.lwork, -1.0, z)
    add_speeds(S.bodies, 1.0, z, y)
    return most


@jit(later="float64")
def position_correction(S, W, d):
    """d <- -M^-1 G^T (G M^-1 G^T)^-1 phi with the present factor; G must be the one of the factor, phi current."""
    for r in range(S.rows.m):
        W.plam[r] = W.rw.phi[r]
    project_rows(S, W, W.rw.G, W.plam, W.lwork, -1.0, d)
    size = 0.0
    for c in range(S.bodies.moves):
        size = max(size, abs(d[c]))
    return size


@jit
def accept_angles(W):
    """Continuous joint angles and parameters of curves: the present ones become the reference."""
    n = W.rw.calpha.shape[0] // 2
    for k in range(n):
        W.rw.calpha[n + k] = W.rw.calpha[k]
    for k in range(W.rw.vpar.shape[0]):
        W.rw.vpar[k, 2] = W.rw.vpar[k, 0]
        W.rw.vpar[k, 3] = W.rw.vpar[k, 1]
    for k in range(W.rw.angle.shape[0]):
        W.rw.angle_ref[k, 0] = W.rw.angle[k]
        W.rw.angle_ref[k, 1] = W.rw.angle_rate[k]
    W.rw.clock[ACCEPTED] = W.rw.clock[PRESENT]
