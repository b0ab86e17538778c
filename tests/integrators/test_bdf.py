"""The backward differentiation formulas: orders, what each formulation controls, condition, constant steps, energy,
allocation."""

import tracemalloc

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

from holonom.elements.bodies.rigid import gravity_energy, kinetic_energy
from holonom.integrators import make_integrator
from holonom.integrators.newton import DIVERGED
from holonom.integrators.stepper import Options
from holonom.model import Model
from holonom.system.build import System

METHODS = ["GSTIFF", "WSTIFF", "DSTIFF", "CONSTANT_BDF"]
VARIABLE = METHODS[:3]
FORMULATIONS = ["I3", "SI2", "SI1"]
each_method = pytest.mark.parametrize("method", METHODS)
each_variable = pytest.mark.parametrize("method", VARIABLE)
each_formulation = pytest.mark.parametrize("formulation", FORMULATIONS)


# ---- problems with known answers: state, and multipliers in the order of the rows or None ----------------------------
class Pendulum:
    """Uniform rod of 1 m and 1 kg in gravity 9.81, let go at 1 rad from the vertical: sn, cn, dn of Jacobi."""

    end, steps = 1.2, {1: 400, 2: 200, 3: 100, 4: 80, 5: 60, 6: 60}
    w = np.sqrt(1.5 * 9.81)
    k = np.sin(0.5)

    def __init__(self):
        m = Model()
        m.gravity = (0, -9.81, 0)
        y = self.exact(0.0)
        p = m.part("rod", 1.0, (1e-3, 1 / 12, 1 / 12), tuple(y[:3]), axes=_turn(2 * np.arctan2(y[6], y[3])))
        m.revolute(p, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
        self.system = System(m)

    def angle(self, t):
        sn, cn, dn, _ = ellipj(ellipk(self.k**2) + self.w * np.asarray(t), self.k**2)
        a = 2 * np.arcsin(self.k * sn)
        return a, 2 * self.k * self.w * cn, -(self.w**2) * np.sin(a)

    def exact(self, t):
        a, rate, _ = self.angle(t)
        x = a - np.pi / 2  # of the rod against the x axis
        y = np.zeros(26)
        y[:2] = 0.5 * np.cos(x), 0.5 * np.sin(x)
        y[3], y[6] = np.cos(0.5 * x), np.sin(0.5 * x)
        y[7:9] = -0.5 * np.sin(x) * rate, 0.5 * np.cos(x) * rate
        y[12] = rate
        y[16] = 1.0
        return y

    def errors(self, s):
        e = np.abs(s.y - self.exact(s.t))
        return (
            e[:7].max(),
            e[7:13].max(),
            abs(np.linalg.norm(s.lam[:3]) - self.force(s.t)) if s.t > 0.2 * self.end else 0.0,
        )

    def force(self, t):
        """Size of the force in the pivot."""
        a, rate, change = self.angle(t)
        along = 0.5 * rate**2 + 9.81 * np.cos(a)
        across = 0.5 * change + 9.81 * np.sin(a)
        return np.hypot(along, across)


class StiffSpring:
    """1 kg on a guide held by a spring of 1e6 N/m and a damper of 2e3 N s/m whose foot moves as 0.1 sin 3t: eigenvalues
    -1000, -1000 against a motion of 3 rad/s, the steady oscillation x = Im(A e^(3it))."""

    end, steps = 2.0, {1: 400, 2: 200, 3: 100, 4: 60, 5: 50, 6: 40}
    A = 0.1 * 1e6 / (1e6 - 9.0 + 3j * 2e3)

    def __init__(self):
        m = Model()
        m.gravity = (0, 0, 0)
        y = self.exact(0.0)
        p = m.part("mass", 1.0, (1.0, 1.0, 1.0), tuple(y[:3]), velocity=tuple(y[7:10]))
        m.translational(m.ground, p, at=(0, 0, 0), axis=(1, 0, 0))
        i, j = m.marker(p), m.marker(m.ground)
        m.vforce(i, m.ground, fx=f"-1e6*(DX({i.id},{j.id})-0.1*SIN(3*TIME))-2e3*VX({i.id},{j.id})")
        self.system = System(m)

    def exact(self, t):
        z = self.A * np.exp(3j * t)
        y = np.zeros(26)
        y[0], y[7] = z.imag, (3j * z).imag
        y[3] = y[16] = 1.0
        return y

    def errors(self, s):
        e = np.abs(s.y - self.exact(s.t))
        return e[:7].max(), e[7:13].max(), 0.0


class HeavyTop:
    """Geradin and Cardona's top (BENCHMARKS.md, case 6); the answer is DOP853's at 1e-13, good to 1e-11."""

    end, steps = 0.12, {1: 2000, 2: 1000, 3: 400, 4: 300, 5: 240, 6: 240}

    def __init__(self):
        m = Model()
        m.gravity = (0, 0, -9.81)
        w = (0, 150, -4.61538)
        p = m.part(
            "top", 15.0, (0.234375, 0.46875, 0.234375), position=(0, 1, 0), velocity=(4.61538, 0, 0), angular_velocity=w
        )
        m.spherical(p, m.ground, at=(0, 0, 0))
        self.system = System(m)
        self._points = {}

    def table(self, times):
        s = make_integrator("DOP853", self.system, Options(error=1e-13))
        s.start(0.0, self.system.y0.copy(), self.end)
        for t in times:
            while s.t < t:
                s.step(t)
            self._points[round(t, 12)] = s.y.copy()
        self._lam = self.system.W.lam.copy()

    def exact(self, t):
        return self._points[round(t, 12)]

    def errors(self, s):
        if s.t < self.end * (1 - 1e-9):
            return 0.0, 0.0, 0.0
        e = np.abs(s.y - self.exact(self.end))
        lam = 0.0 if s.formulation == "I3" else np.abs(s.lam - self._lam).max()  # of I3: roundoff / h^2 hides the order
        return e[:7].max(), e[7:13].max(), lam


def _turn(x):
    return np.array([[np.cos(x), -np.sin(x), 0], [np.sin(x), np.cos(x), 0], [0, 0, 1]])


@pytest.fixture(scope="module")
def problems():
    made = {}

    def get(kind):
        if kind not in made:
            made[kind] = kind()
            if kind is HeavyTop:
                times = {0.0}
                for n in set(kind.steps.values()):
                    times |= {round(j * kind.end / n, 12) for j in range(9)} | {
                        round(j * kind.end / n / 2, 12) for j in range(9)
                    }
                made[kind].table(sorted(times | {kind.end}))
        return made[kind]

    return get


def seeded(problem, method, formulation, order, h):
    """Integrator of fixed order and step whose history is the exact solution at 0, h, .., (order) h."""
    points = np.array([problem.exact((order - j) * h) for j in range(order + 1)])
    s = make_integrator(
        method, problem.system, Options(formulation=formulation, kmax=order, hmin=h, hmax=h, hinit=h, newton=1e-13)
    )
    s.start(0.0, points[0].copy(), problem.end)
    s.fixed, s.order, s.h = True, order, h
    s.t = s.t_old = order * h
    s.y[:] = points[0]
    ny = len(s.y)
    Z = s.H.Z
    Z[:] = 0.0
    if method == "GSTIFF":
        j = np.arange(order + 1.0)
        Z[: order + 1, :ny] = np.linalg.solve((-j[:, None]) ** j[None, :], points)
        s.hz = h
    else:
        d = points.copy()
        for j in range(1, order + 1):
            d[j:] = d[j - 1 : -1] - d[j:]
        Z[: order + 1, :ny] = d
        s.H.psi[:] = h * np.arange(len(s.H.psi))
    return s


def run_fixed(problem, method, formulation, order, n):
    """Largest errors over the run: positions, velocities, multipliers."""
    s = seeded(problem, method, formulation, order, problem.end / n)
    worst = np.zeros(3)
    while s.t < problem.end * (1 - 1e-12):
        s.step(problem.end)
        worst = np.maximum(worst, problem.errors(s))
    assert s.order == order and s.statistics["steps"] == n - order
    return worst


@each_method
@each_formulation
@pytest.mark.parametrize("order", range(1, 7))
@pytest.mark.parametrize("kind", [Pendulum, StiffSpring, HeavyTop])
def test_converges_with_its_order(kind, order, formulation, method, problems):
    p = problems(kind)
    n = p.steps[order]
    coarse, fine = (run_fixed(p, method, formulation, order, steps) for steps in (n, 2 * n))
    assert np.all(fine[:2] > 0)
    rates = np.log2(coarse[coarse > 0] / fine[coarse > 0])
    assert np.all(np.abs(rates - order) < 0.3), rates


# ---- variable steps --------------------------------------------------------------------------------------------------
def variable(system, method, formulation, error, end, watch=None, **more):
    s = make_integrator(method, system, Options(error=error, formulation=formulation, **more))
    s.start(0.0, system.y0.copy(), end)
    while s.t < end:
        s.step(end)
        if watch:
            watch(s)
    return s


@each_variable
@each_formulation
def test_error_is_proportional_to_the_tolerance(method, formulation, problems):
    p = problems(Pendulum)
    tolerances = np.array([1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9])
    errors = []
    for tol in tolerances:
        worst = [0.0]
        variable(
            p.system,
            method,
            formulation,
            tol,
            p.end,
            lambda s, worst=worst: worst.append(np.abs(s.y - p.exact(s.t))[:7].max()),
        )
        errors.append(max(worst))
    slope = np.polyfit(np.log(tolerances), np.log(errors), 1)[0]
    assert 0.7 < slope < 1.1, slope
    assert np.all(errors < (200 if formulation == "I3" else 20) * tolerances)


def energy(bodies, y):
    return kinetic_energy(bodies, y) + gravity_energy(bodies, y)


@each_variable
@each_formulation
def test_energy_of_a_conservative_machine(method, formulation, problems):
    p = problems(HeavyTop)
    drift = []
    for tol in (1e-5, 1e-7):
        e = []
        variable(p.system, method, formulation, tol, 1.0, lambda s, e=e: e.append(energy(s.S.bodies, s.y)))
        start = energy(p.system.S.bodies, p.system.y0)
        drift.append(np.abs(np.array(e) / start - 1).max())
    assert drift[0] < 5e-4 and drift[1] < 1e-5
    assert drift[1] < 0.5 * drift[0]


@each_variable
def test_what_the_formulations_control(method, problems):
    """At the same tolerance velocities and multipliers of SI2 and SI1 are better than those of I3."""
    p = problems(Pendulum)
    speed, force = {}, {}
    for formulation in FORMULATIONS:
        e = []
        variable(p.system, method, formulation, 1e-4, p.end, lambda s, e=e: e.append(p.errors(s)[1:]))
        speed[formulation], force[formulation] = np.array(e).max(axis=0)
    assert max(speed["SI2"], speed["SI1"]) < 0.6 * speed["I3"]
    assert max(force["SI2"], force["SI1"]) < 0.3 * force["I3"]


@each_variable
def test_si1_follows_forces_that_move_nothing(method):
    """A slider pushed across its guide by 100 sin(200 t) N: only SI1 sees the force, and takes the steps that it
    needs."""
    m = Model()
    m.gravity = (0, 0, 0)
    p = m.part("slider", 1.0, (1.0, 1.0, 1.0), (0, 0, 0), velocity=(1.0, 0, 0))
    m.translational(m.ground, p, at=(0, 0, 0), axis=(1, 0, 0))
    m.vforce(m.marker(p), m.ground, fy="100*SIN(200*TIME)")
    system = System(m)
    count, missed = {}, {}
    for formulation in FORMULATIONS:
        worst = []

        def halfway(s, worst=worst):
            t = 0.5 * (s.t_old + s.t)
            worst.append(abs(np.linalg.norm(s.interpolate_lam(t)) - abs(100 * np.sin(200 * t))))

        s = variable(system, method, formulation, 1e-4, 0.5, halfway)
        count[formulation], missed[formulation] = s.statistics["steps"], max(worst)
        assert s.y[0] == pytest.approx(0.5, abs=1e-9)
    assert count["SI2"] < 30 and missed["SI2"] > 50 and count["I3"] < 30
    assert count["SI1"] > 100 and missed["SI1"] < 15


def blocks(s):
    """Dense M, C, K, G of the last iteration of a stepper (states and redundant rows: none)."""
    pattern, I = s.implicit.pattern, s.I
    n = pattern.inside_bodies
    dense = []
    for data in (I.K, I.C, I.data):
        A = np.zeros((pattern.size, pattern.size))
        A[pattern.indices, np.repeat(np.arange(pattern.size), np.diff(pattern.indptr))] = data[:-1]
        dense.append(A)
    K, C, A = dense
    M = np.diag(1.0 / s.S.bodies.Minv[: s.system.nb].ravel())
    return M, C[:n, :n], K[:n, :n], A[n:, :n], A


@each_method
def test_condition_of_the_matrices(method, problems):
    """Newton's matrix in (q, u, lam, mu), differential equations times h as a corrector has them: h^-2 in I3, h^-1 in
    SI2, bounded in SI1; that of the elimination by hand, which the integrator factors, is bounded in all three."""
    p = problems(HeavyTop)
    steps = np.array([1e-3, 1e-4, 1e-5, 1e-6])
    table = {f: [] for f in (*FORMULATIONS, "eliminated")}
    for h in steps:
        s = make_integrator(method, p.system, Options(formulation="SI2", kmax=1, hmin=h, hmax=h))
        s.start(0.0, p.system.y0.copy(), 1.0)
        s.step(1.0)
        M, C, K, G, A = blocks(s)
        n, m = len(M), len(G)
        one, zero = np.eye(n), np.zeros
        W = np.linalg.solve(M, G.T)
        I3 = np.block([[one, -h * one, zero((n, m))], [h * K, M + h * C, h * G.T], [G, zero((m, n)), zero((m, m))]])
        SI2 = np.block(
            [
                [one, -h * one, zero((n, m)), h * W],
                [h * K, M + h * C, h * G.T, zero((n, m))],
                [G, zero((m, n + 2 * m))],
                [zero((m, n)), G, zero((m, 2 * m))],
            ]
        )
        SI1 = SI2.copy()
        SI1[:, 2 * n :] /= h  # unknowns eta, nu: their derivatives are eta/h, nu/h
        for f, matrix in zip(table, (I3, SI2, SI1, A)):
            table[f].append(np.linalg.cond(matrix))
    slopes = {f: np.polyfit(np.log(steps), np.log(c), 1)[0] for f, c in table.items()}
    assert slopes["I3"] == pytest.approx(-2, abs=0.01)
    assert slopes["SI2"] == pytest.approx(-1, abs=0.01)
    assert slopes["SI1"] == pytest.approx(0, abs=0.01)
    assert slopes["eliminated"] == pytest.approx(0, abs=0.01)
    assert max(table["SI1"] + table["eliminated"]) < 1e3


@each_variable
def test_multipliers_at_tiny_steps(method, problems):
    p = problems(HeavyTop)
    noise = {}
    for formulation in FORMULATIONS:
        s = make_integrator(
            method, p.system, Options(formulation=formulation, hmin=1e-8, hmax=1e-8, newton=1e-12, kmax=2)
        )
        s.start(0.0, p.system.y0.copy(), 1.0)
        exact, worst = s.lam.copy(), 0.0
        for _ in range(20):
            s.step(1.0)
            worst = max(worst, np.abs(s.lam - exact).max() / np.abs(exact).max())
        noise[formulation] = worst
    assert noise["I3"] > 0.1
    assert max(noise["SI2"], noise["SI1"]) < 1e-5  # of which 2e-6 is the motion itself


def chain(n):
    """Links joined by revolutes about y and z in turn, let go from the horizontal: many undamped oscillations."""
    m = Model()
    m.gravity = (0.0, -3.0, -9.81)
    previous = m.ground
    for k in range(n):
        link = m.part(f"link{k}", 0.5, (3.3e-5, 4.3e-4, 4.3e-4), ((k + 0.5) * 0.1, 0, 0))
        m.revolute(link, previous, at=(0.1 * k, 0, 0), axis=(0, 1, 0) if k % 2 == 0 else (0, 0, 1))
        previous = link
    return System(m)


@each_variable
def test_high_orders_must_pay_on_undamped_oscillations(method):
    """At a loose tolerance the chain is shaken by the instability of orders above 2: free choice costs no more than
    order 2 there; at a tight one, where high orders pay, it costs far less."""
    steps = {}
    system = chain(40)
    for tol in (1e-3, 1e-6):
        for kmax in (2, 5):
            steps[tol, kmax] = variable(system, method, "SI2", tol, 1.0, kmax=kmax).statistics["steps"]
    assert steps[1e-3, 5] < 1.25 * steps[1e-3, 2]
    assert steps[1e-6, 5] < 0.3 * steps[1e-6, 2]


# ---- CONSTANT_BDF ----------------------------------------------------------------------------------------------------
def test_constant_bdf_keeps_its_step_and_order(problems):
    p = problems(Pendulum)
    s = make_integrator("CONSTANT_BDF", p.system, Options(error=1e-6, hinit=0.004, kmax=4, formulation="SI2"))
    s.start(0.0, p.system.y0.copy(), p.end)
    sizes, orders = [], []
    while s.t < p.end * (1 - 1e-12):
        step = s.step(p.end)
        sizes.append(step.h)
        orders.append(step.order)
    assert np.allclose(sizes[25:-1], 0.004, rtol=1e-12) and set(orders[25:]) == {4}
    assert max(p.errors(s)) < 2e-5


def test_constant_bdf_halves_when_the_corrector_fails_and_recovers(problems):
    p = problems(Pendulum)
    s = make_integrator(
        "CONSTANT_BDF", p.system, Options(error=1e-6, hmin=0.004, hmax=0.004, kmax=3, formulation="SI2")
    )
    s.start(0.0, p.system.y0.copy(), p.end)
    while not s.fixed or s.order < 3:
        s.step(p.end)
    real = s._try
    begin = s.t

    def fragile(h):
        if begin + 0.01 < s.t + h < begin + 0.03 and h > 0.0011:
            return DIVERGED, 3, 1, 0.0, 0, 1.0, 0
        return real(h)

    s._try = fragile
    sizes = [s.step(p.end).h for _ in range(40)]
    assert sizes[0] == pytest.approx(0.004) and sizes[-10:] == pytest.approx([0.004] * 10)
    assert min(sizes) == pytest.approx(0.001)
    assert (s.t - begin) / 0.004 == pytest.approx(round((s.t - begin) / 0.004))  # on the grid again
    assert s.statistics["rejected: corrector"] >= 2 and set(s.step(p.end).rejected) == set()
    assert p.errors(s)[0] < 1e-4


@each_method
@each_formulation
def test_steps_allocate_nothing(method, formulation, problems):
    p = problems(HeavyTop)
    s = make_integrator(method, p.system, Options(error=1e-6, formulation=formulation))
    s.start(0.0, p.system.y0.copy(), 1.0)
    for _ in range(150):  # past the start
        s.step(1.0)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(100):
        s.step(1.0)
    now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert now - before < 1000 and peak - before < 2000  # the numbers of one report of a step


def test_wrong_options_are_refused(problems):
    p = problems(Pendulum)
    with pytest.raises(ValueError, match="formulation 'SI3' of WSTIFF"):
        make_integrator("WSTIFF", p.system, Options(formulation="SI3"))
    with pytest.raises(ValueError, match="KMAX of DSTIFF is 7"):
        make_integrator("DSTIFF", p.system, Options(kmax=7))
