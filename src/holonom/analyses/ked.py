"""Kineto-elastodynamics (KED): linear elastic vibration about the motion of a machine whose parts are rigid.

The nominal motion x(t) is that of the model with rigid parts of the same mass and inertia.  At its states the equations
of the floating frame
(`elements.bodies.modes`), with all modal coordinates and their rates zero, give accelerations a(t) of the modes: what
inertia, gravity, applied forces and joints do to them.  With the mass M and the constraints G of that configuration and

    P = M^-1 - M^-1 G^T (G M^-1 G^T)^-1 G M^-1          (accelerations by forces, constraints held)

the modal coordinates q of all flexible bodies, which joints couple, obey

    q'' = a(t) - P_qq(t) (K q + D q'),        K = diag(w_j^2),  D = diag(2 zeta_j w_j)
    P_qq K q = a(t)                           quasi-static: without vibration

(A. G. Erdman, G. N. Sandor, Mechanism and Machine Theory 7 (1972) 19-33; the linear theory of elastodynamics of A. A.
Shabana, Dynamics of Multibody Systems (2013), written in mean axes.)  Left out is what the deflection does to inertia,
to applied forces, to the configuration of the joints and to itself: stiffness by stress, by spin and by turning axes.
So deflections are right where they are small and the spin is slow compared with the first frequency.  What is left out
is
measured: the equations of the floating frame are evaluated at the states that KED found, and the acceleration r(t) that
KED has not is a load of the same equation,

    e'' = r(t) - P_qq(t) (K e + D e'),        e = e' = 0 at the start,

whose solution e is the error of q to first order (defect correction: H. J. Stetter, Numerische Mathematik 29 (1978)
425-443; to that of quasi-static deflections comes the vibration that they do not have): the ``indicator`` is its
largest displacement of a node compared with the largest deflection of the part. What bending does to the gross motion
of degrees of freedom that no motion drives is not in it.

a and P_qq are found on a grid of times, which is halved until cubic splines through every second point meet the others;
q by Radau's method of order 5, of which the steps are halved until the deflections at outputs stay.  In results the
bodies are moved as the joints require with these deflections
(least motion, weighted by masses, modes held); forces, reactions and accelerations are those of the floating frame at
that state.
"""

from __future__ import annotations

import time as clock
from typing import TYPE_CHECKING, Any

import numpy as np

from .._warnings import WarningText
from ..elements.bodies import layout
from ..elements.bodies.mass import uncoupled
from ..integrators import selection
from ..integrators.entry import CORRECT, VELOCITY, enter, explicit_handle, project_state, weighted_handle
from ..integrators.explicit import REDUNDANT
from ..model import Model, ModelError
from ..results.views.bending import SMALL
from .assemble import fresh_pivots
from .checks.singular import close
from .session.memento import Memento
from .session.recorder import Recorder

if TYPE_CHECKING:
    from scipy.interpolate import CubicSpline

    from .session.simulation import Simulation

FIRST = 200  # intervals of the first grid, at least
FINEST = 20_000  # and of the last, at most
NUMBERS = 30_000_000  # that the last may hold
# by how much a spline through every second point may miss the others: sixteen times what that through all misses
SMOOTH = 1e-4
CLOSE = 1e-5  # change of deflections, compared with the largest, with steps of half the size
STEPS = 500_000  # at most
A_PERIOD = 12  # first steps in a period of the first frequency
FINE = 40  # points in such a period at which what is left out is checked: it has parts of higher modes
LOOKS = 20_000  # of these at most
CHUNK = 2000  # steps that are solved for at a time
RANK = 1e-8  # eigenvalues of P_qq, of which the largest possible is one, that count as zero
LARGE = 0.02  # share of the deflection that what is left out may make
FAST = 0.3  # spin compared with the first frequency: the square of it is the order of the stiffness by spin
LOOKED_AT = 400  # nodes of which displacements are measured
WORDS = "KED"


def _spline(at: np.ndarray, values: np.ndarray) -> CubicSpline:
    from scipy.interpolate import CubicSpline  # slow to load

    return CubicSpline(at, values)


#: types that jump, or that change the machine: there is no smooth nominal motion
ROUGH = ("CONTACT", "GRAINS", "SWITCH", "SENSOR", "FEEDER", "SINK")

_s = np.sqrt(6.0)
C = np.array([(4 - _s) / 10, (4 + _s) / 10, 1.0])
A = np.array(
    [
        [(88 - 7 * _s) / 360, (296 - 169 * _s) / 1800, (-2 + 3 * _s) / 225],
        [(296 + 169 * _s) / 1800, (88 + 7 * _s) / 360, (-2 - 3 * _s) / 225],
        [(16 - _s) / 36, (16 + _s) / 36, 1 / 9],
    ]
)


def parts(model: Model) -> list[Any]:
    """Active FLEXIBILITY elements of the formulation KED.  Raises ModelError where others are floating, or some
    quasi-static and some not."""
    bend = [e for e in model.table("FLEXIBILITY").values() if e.active]
    own = [e for e in bend if e.formulation == "KED"]
    for e in bend if own else ():
        if e.formulation != "KED":
            raise e.error(
                f"its formulation is floating and that of {own[0].label} is KED; give all flexible bodies the same "
                "(formulation = ...)"
            )
        if e.quasi_static != own[0].quasi_static:
            raise e.error(
                f"it {'follows its loads' if e.quasi_static else 'vibrates'} and {own[0].label} does not; give all "
                "flexible bodies the same quasi_static"
            )
    return own


def refuse(model: Model, own: list[Any]) -> None:
    """Raise ModelError for what a nominal motion cannot have."""
    for kind in ROUGH:
        for e in model.table(kind).values():
            if e.active:
                raise e.error(
                    f"KED ({own[0].label}) vibrates about a smooth motion of the rigid machine; deactivate this "
                    f"{kind}, or give formulation = floating"
                )
    bodies = {e.part for e in own}
    for e in model.table("SLIDING_MASS").values():
        if e.active and model.markers[e.marker].part in bodies:
            raise e.error("it slides in a flexible body with KED; give that part formulation = floating")


def rigid(model: Model) -> Model:
    """The same model with rigid parts: markers on nodes lie on their parts again; nothing of the model itself is
    changed."""
    twin = model.copy()
    bend, nodes = twin.table("FLEXIBILITY"), twin.table("ATTACHMENT")
    for m in twin.table("MARKER").values():
        if m.body_kind != "ATTACHMENT":
            continue
        node = nodes[m.part]
        flexibility = bend[node.flexibility]
        place = flexibility.shape(node.node)[0]
        for name in ("qp", "zp", "xp"):
            point = getattr(m, name)
            if point is not None:
                setattr(m, name, tuple(float(v) for v in np.asarray(point) + place))
        m.part, m.body_kind = flexibility.part, "PART"
    for kind in ("FLEXIBILITY", "ATTACHMENT"):
        twin._tables[kind] = {}
        twin._names[kind] = {}
    return twin


def _between(times: np.ndarray, s: int) -> np.ndarray:
    """Times at s equal parts of each interval."""
    m = len(times) - 1
    return np.interp(np.arange(s * m + 1) / s, np.arange(m + 1), times)


class _Path(Recorder):
    """Keeps states in place of rows."""

    def __init__(self, model: Model):
        super().__init__(model)
        self.visited: list[np.ndarray] = []

    def store(self, t: float, y: np.ndarray) -> None:
        self.rows.setdefault("time", []).append(t)
        self.visited.append(y.copy())


class Vibration:
    """One KED analysis of a `Simulation` through the output ``times``; ``options`` are those of the nominal run
    (`Simulation.dynamics`).

    n modal coordinates of all parts: ``q``, ``u`` (times, n) and their rates; ``indicator`` (times,).
    """

    def __init__(self, sim: Simulation, times: np.ndarray, options: dict[str, Any]):
        self.sim, self.times, self.options = sim, times, options
        self.own = parts(sim.model)
        refuse(sim.model, self.own)
        if len(sim.recorder):
            raise self.own[0].error(
                "a KED analysis begins where the model begins; give the whole time to one analysis, or formulation = "
                "floating"
            )
        self.quasi = self.own[0].quasi_static
        self.says: list[str] = []
        self.system = s = sim.prepare("dynamics", "compliant")
        tail = [(i, e, s.tail_numbers[i]) for i, e in enumerate(s.tail) if e is not None and e.KIND == "FLEXIBILITY"]
        self.at = np.array([i for i, _, _ in tail], np.int64)  # of each mode its position in the tail
        self.of = [e for _, e, _ in tail]
        self.w = np.array([e.frequency[k] for _, e, k in tail])
        self.K, self.D = self.w**2, 2.0 * np.array([e.damping[k] for _, e, k in tail]) * self.w
        self.n = len(tail)
        largest = {e.id: e.largest() for e in self.own}
        self.size = np.array([largest[e.id][k] for _, e, k in tail])
        self.shapes = {}
        for e in self.own:
            chosen = np.unique(np.linspace(0, len(e.nodes) - 1, min(len(e.nodes), LOOKED_AT)).astype(int))
            columns = np.array([k for k, f in enumerate(self.of) if f is e])
            self.shapes[e.id] = e, columns, e.body.shapes[chosen][:, :3]
        self.q0 = layout.coordinates(sim.y, s.bodies)[self.at].copy()
        self.u0 = layout.coordinate_rates(sim.y, s.bodies)[self.at].copy()
        self.columns: tuple[np.ndarray, np.ndarray] | None = None
        #: nominal run: counters of its solver
        self.counters: dict[str, float] = {}

    # ---- nominal motion ----------------------------------------------------------------------------------------------
    def run(self) -> None:
        """The analysis, with a row at each of the times.  Raises ModelError, and IntegrationError of the nominal
        motion."""
        sim, begin = self.sim, clock.process_time()
        settings = {"formulation": WORDS, "quasi-static": self.quasi}
        sim.recorder.begin("dynamics", settings)
        sim.recorder.integrate_works(False)
        try:
            fresh = Memento(self.system, self.system.y0, self.system.y_bodies)
            if not self._sampled():
                return
            self._frequencies()
            self._vibrate()
            fresh.put_back()  # angles are counted from the start again
            error = self._left_out()
            fresh.put_back()
            self._indicate(error)
            self.vibrating = float(self.indicator.max())  # what vibration leaves out
            if self.quasi:
                error += self.q
                self._follow()
                error -= self.q
                self._indicate(error)
            self._record()
            self._judge()
        finally:
            sim.recorder.counters["cpu seconds"] = (
                sim.recorder.counters.get("cpu seconds", 0.0) + clock.process_time() - begin
            )
            sim.recorder.end()

    def _sampled(self) -> bool:
        """Accelerations and P_qq of modes on a grid of times that is fine enough; False where the user has stopped
        it."""
        m = len(self.times) - 1
        k = 2 * max(1, int(np.ceil(0.5 * FIRST / m)))
        finest = min(FINEST, NUMBERS // (self.n**2 + len(self.system.y0)))
        before, kept = np.inf, 0
        while True:
            self.grid = _between(self.times, k)
            y = self._nominal()
            if y is None:
                return False
            self._evaluate(y)
            missed = self._missed()
            if missed <= SMOOTH:
                break
            kept = kept + 1 if missed > 0.5 * before else 0  # a jump stays one
            before = missed
            if 2 * k * m > finest or kept > 1:
                self.says.append(
                    WarningText(
                        f"KED: loads of modes are not smooth: a grid of {k * m} intervals misses them by about "
                        f"{missed:.1g} of the largest; "
                        "a function jumps, or the time is long for so few outputs"
                    )
                )
                break
            k *= 2
        self.k, self.nominal = k, y
        return True

    def _nominal(self) -> np.ndarray | None:
        """States of the system with modes, at rest and undeformed, on the nominal motion at the times of the grid."""
        sim = self.sim
        twin = type(sim)(rigid(sim.model), progress=sim.progress, missing=sim.missing, redundant=sim.redundant)
        twin.recorder = path = _Path(twin.model)
        path.redundant, path.feeding = twin.redundant, twin.feeding
        twin.work = False
        twin.systems.share = False
        twin.time = float(self.grid[0])
        options = dict(self.options)
        driven = twin.degrees_of_freedom() == 0 and twin.system.m and not twin.system.nx
        if driven and not any(v is not None for v in options.values()):
            from .kinematics import kinematics_at

            kinematics_at(twin, self.grid, {})
        else:
            choice = selection.choose(twin.model.integrator, options.pop("integrator", None), options)
            system = twin.prepare("dynamics", "compliant")
            if system.lagged:
                choice = selection.choose(twin.model.integrator, self.options.get("integrator"), options, lagged=True)
            from .contact.treatment import runner

            runner("compliant")(twin, system, choice, self.grid).run()
        for text in map(str, twin.messages):  # the twin has issued its warnings itself
            if not text.startswith("degrees of freedom:"):
                sim.say_once(f"nominal motion: {text}")
        if len(path) < len(self.grid):
            sim.stopped = twin.stopped or "the nominal motion ended before its time"
            return None
        self.counters = {f"nominal {name}": value for name, value in path.counters.items() if name != "cpu seconds"}
        if self.columns is None:
            self.columns = self._map(twin.system)
        y = np.tile(self.system.y0, (len(self.grid), 1))
        for row in y:
            layout.coordinates(row, self.system.bodies)[self.at] = 0.0
            layout.coordinate_rates(row, self.system.bodies)[self.at] = 0.0
        y[:, self.columns[0]] = np.array(path.visited)[:, self.columns[1]]
        return y

    def _map(self, twin: Any) -> tuple[np.ndarray, np.ndarray]:
        """Positions in the state of the system with modes, and places of the same in that of the rigid one."""
        s = self.system
        here: list[int] = []
        there: list[int] = []
        for e in s.body_elements:
            if e not in s.node_elements:
                a, b = s.body_index[e.KIND, e.id], twin.body_index[e.KIND, e.id]
                here += range(layout.STATE * a, layout.STATE * (a + 1))
                there += range(layout.STATE * b, layout.STATE * (b + 1))
        own = s.tail_places()
        for key, place in twin.tail_places().items():
            here.append(own[key])
            there.append(place)
        number = {key: k for k, key in enumerate(s.functions.states)}
        for k, key in enumerate(twin.functions.states):
            here.append(s.bodies.end + number[key])
            there.append(twin.bodies.end + k)
        return np.array(here), np.array(there)

    def _evaluate(self, states: np.ndarray) -> None:
        """a (grid, n) and P (grid, n, n) at states of the nominal motion, and the largest spin of each part."""
        s, n = self.system, self.n
        W, d, handle = s.W, np.zeros(s.bodies.moves), explicit_handle(s)
        tail = layout.unknowns(s.nb) + self.at
        self.a, self.P = np.zeros((len(states), n)), np.zeros((len(states), n, n))
        gradients = _ModalRows(s, self.at)
        for i, (t, y) in enumerate(zip(self.grid, states)):
            y = y.copy()
            project_state(s, y, t, 0)
            if W.flags[0]:
                s.raise_user_error(t)
            self.a[i] = W.acc[tail]
            self.P[i] = np.eye(n)
            if s.m:
                G = gradients()
                for j in range(n):
                    W.rw.phi[:] = G[:, j]
                    enter(handle, CORRECT, y, t, 0.0, REDUNDANT, 0, d)
                    self.P[i, :, j] += d[tail]
        self.P = 0.5 * (self.P + self.P.transpose(0, 2, 1))
        if not (np.isfinite(self.a).all() and np.isfinite(self.P).all()):
            i = int(np.argmax(~(np.isfinite(self.a).all(1) & np.isfinite(self.P).all((1, 2)))))
            raise ModelError(
                f"KED: accelerations of modes at time {self.grid[i]:.6g} are not finite numbers; the machine may "
                "lock there"
            )
        self.spin = {}
        for e in self.own:
            b = s.body_index["PART", e.part]
            w = np.linalg.norm(states[:, layout.STATE * b :][:, layout.SPIN], axis=1)
            self.spin[e.id] = float(w.max()), float(self.grid[int(w.argmax())])

    def _missed(self) -> float:
        """By how much splines through every second point of the grid miss the others, compared with the largest values.

        What lasts shorter than the vibration, as a kink does, counts by its mean over a radian of the first frequency:
        more does not come of it.
        """
        root = np.sqrt(self.K)
        values = np.linalg.eigvalsh(root[:, None] * self.P[0] * root)
        w = np.sqrt(values[values > RANK * values[-1]].min(initial=np.inf))
        a, P = (_spline(self.grid[::2], v[::2])(self.grid[1::2]) for v in (self.a, self.P))
        weight = self.size / self.K
        largest = (np.abs(self.a) * weight).sum(1).max()
        loads = (np.abs(a - self.a[1::2]) * weight).sum(1) / largest if largest > 0.0 else np.zeros(len(a))
        missed = np.maximum(loads, np.abs(P - self.P[1::2]).max((1, 2)))
        width = int(np.clip(1.0 / (w * 2.0 * np.diff(self.grid).max()), 1, len(missed) // 4))
        return float(np.convolve(missed, np.full(width, 1.0 / width), "valid").max())

    # ---- vibration ---------------------------------------------------------------------------------------------------
    def _frequencies(self) -> None:
        """First frequency of the machine with modes at each time of the grid, rad per time; zero where joints hold all
        modes."""
        values, self.axes = np.linalg.eigh(self.P)
        self.weights = values
        free = values > RANK
        root = np.sqrt(self.K)
        found = np.linalg.eigvalsh(
            root[:, None] * self.P * root
        )  # rising; those of directions that are held come first
        held = (~free).sum(1)
        first = found[np.arange(len(found)), np.minimum(held, self.n - 1)]
        self.first = np.sqrt(np.where(held < self.n, np.maximum(first, 0.0), 0.0))

    def _static(self, i: int, a: np.ndarray) -> np.ndarray:
        """Deflection q with P_qq K q = a at time i of the grid, in the directions that joints leave."""
        free = self.weights[i] > RANK
        V = self.axes[i][:, free]
        z = np.linalg.solve(V.T @ (self.K[:, None] * V), (V.T @ a) / self.weights[i][free])
        return V @ z

    def _follow(self) -> None:
        """Quasi-static deflections and, by a spline, their rates."""
        course = _spline(self.grid, np.array([self._static(i, a) for i, a in enumerate(self.a)]))
        self.q, self.u = course(self.times), course(self.times, 1)

    def _vibrate(self) -> None:
        """q, u at the output times, with steps that are halved until the deflections stay."""
        m = len(self.times) - 1
        z = np.concatenate([self.q0, self.u0])
        s = self._steps()
        before = self._integrate(self.a, s, z)
        while True:
            s *= 2
            now = self._integrate(self.a, s, z)
            largest = (np.abs(now[0]) * self.size).sum(1).max()
            self.change = (
                float((np.abs(now[0] - before[0]) * self.size).sum(1).max() / largest) if largest > 0.0 else 0.0
            )
            before = now
            if self.change <= CLOSE:
                break
            if 2 * s * m > STEPS:
                self.says.append(
                    WarningText(
                        f"KED: with {s * m} steps deflections still change by {self.change:.1g} of the largest when "
                        "steps are halved; "
                        "give less time, fewer modes (highest = ...) or damping"
                    )
                )
                break
        self.steps = s * m
        self.q, self.u = before

    def _steps(self, most: int = STEPS // 4, a_period: int = A_PERIOD) -> int:
        """Parts of the longest interval between outputs that resolve the first frequency."""
        m = len(self.times) - 1
        w = float(self.first.max())
        span = float(np.diff(self.times).max())
        return min(max(1, int(np.ceil(40 / m)), int(np.ceil(span * w * a_period / (2 * np.pi)))), max(1, most // m))

    def _integrate(
        self, loads: np.ndarray, s: int, z: np.ndarray, at: np.ndarray | None = None, times: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """q and q' at ``times`` (default: the outputs) by Radau IIA of order 5 with s equal steps between two of them,
        from z = (q, q').

        ``loads`` (points, n) at times ``at``, those of the grid where nothing is given; between them by splines, as P.

        Accelerations F_i of its three stages obey  F_i + P_i (K h^2 sum_j (A A)_ij F_j + D h sum_j A_ij F_j) = a_i -
        P_i (K (q + c_i h u) + D u), a linear system with the same right-hand sides for all q, u: many steps are solved
        at once and then follow each other.
        """
        times = self.times if times is None else times
        m, n = len(times) - 1, self.n
        t, AA, out = _between(times, s), A @ A, [z]
        P, a = _spline(self.grid, self.P), _spline(self.grid if at is None else at, loads)
        for lo in range(0, s * m, CHUNK):
            t0, h = t[lo : lo + CHUNK], np.diff(t[lo : lo + CHUNK + 1])
            N = len(h)
            t0 = t0[:N]
            stage = t0[:, None] + h[:, None] * C
            Ps, loads = P(stage.ravel()).reshape(N, 3, n, n), a(stage.ravel()).reshape(N, 3, n)
            PK, PD = Ps * self.K, Ps * self.D
            S = np.einsum("ij,Niab->Niajb", AA, PK) * (h**2)[:, None, None, None, None]
            S += np.einsum("ij,Niab->Niajb", A, PD) * h[:, None, None, None, None]
            S = S.reshape(N, 3 * n, 3 * n)
            S[:, np.arange(3 * n), np.arange(3 * n)] += 1.0
            right = np.empty((N, 3, n, 2 * n + 1))
            right[..., 0] = loads
            right[..., 1 : n + 1] = -PK
            right[..., n + 1 :] = -PK * (h[:, None] * C)[:, :, None, None] - PD
            F = np.linalg.solve(S, right.reshape(N, 3 * n, 2 * n + 1)).reshape(N, 3, n, 2 * n + 1)
            dq = np.einsum("j,Njab->Nab", AA[2], F) * (h**2)[:, None, None]
            du = np.einsum("j,Njab->Nab", A[2], F) * h[:, None, None]
            T, g = np.concatenate([dq, du], axis=1)[..., 1:], np.concatenate([dq, du], axis=1)[..., 0]
            i = np.arange(n)
            T[:, i, i] += 1.0
            T[:, n + i, n + i] += 1.0
            T[:, i, n + i] += h[:, None]
            for step in range(N):
                z = T[step] @ z + g[step]
                if (lo + step + 1) % s == 0:
                    out.append(z)
        both = np.array(out)
        return both[:, :n].copy(), both[:, n:].copy()

    # ---- results -----------------------------------------------------------------------------------------------------
    def _held(self) -> Any:
        """Handle of tables in which modes are too heavy to move; until another is requested (`weighted_handle`)."""
        s = self.system
        weights = uncoupled(s.bodies).copy()
        weights[s.nb + 1 :].reshape(-1)[self.at] = 0.0
        return weighted_handle(s, weights)

    def _state(self, t: float, nominal: np.ndarray, q: np.ndarray, u: np.ndarray, held: Any) -> np.ndarray:
        """State with deflections q and rates u: bodies of the nominal one moved as joints require, as little as can be,
        weighted by masses."""
        s, y = self.system, nominal.copy()
        layout.coordinates(y, s.bodies)[self.at] = q
        layout.coordinate_rates(y, s.bodies)[self.at] = u
        if s.m:
            with fresh_pivots(s, True):
                close(s, t, y, handle=held)
                enter(held, VELOCITY, y, t, 0.0, REDUNDANT, 0, s.workspace.stages.d)
        return y

    def _left_out(self) -> np.ndarray:
        """Errors e (times, n) of the vibration, see the head of this file."""
        s, m = self.system, len(self.times) - 1
        parts = self._steps(LOOKS, FINE)
        if parts < self._steps(LOOKS**2, A_PERIOD):
            self.says.append(
                WarningText(
                    f"KED: what is left out is checked {parts * m} times, which is less than {A_PERIOD} times in a "
                    "period of the first frequency: "
                    "it may be reported wrongly; give less time"
                )
            )
        t = _between(self.times, parts)
        tail = layout.unknowns(s.nb) + self.at
        nominal = _spline(self.grid, self.nominal)
        P, a = _spline(self.grid, self.P), _spline(self.grid, self.a)
        q, u = self._integrate(
            self.a, max(1, -(-self.steps // (m * parts))), np.concatenate([self.q0, self.u0]), times=t
        )
        rate = a(t) - np.einsum("tij,tj->ti", P(t), self.K * q + self.D * u)
        r, held = np.zeros((len(t), self.n)), self._held()
        for i, time in enumerate(t):
            if i % CHUNK == 0:
                states = nominal(t[i : i + CHUNK])
            y = self._state(time, states[i % CHUNK], q[i], u[i], held)
            project_state(s, y, time, 1)
            r[i] = s.W.acc[tail] - rate[i]
        return self._integrate(r, max(1, self.steps // m), np.zeros(2 * self.n), t)[0]

    def _indicate(self, error: np.ndarray) -> None:
        """`indicator` (times,), and the part of which it is largest, from errors (times, n) of modal coordinates."""
        largest = {k: way.max() for k, way in self._ways(self.q).items()}
        shares = {k: way / largest[k] if largest[k] > 0.0 else 0.0 * way for k, way in self._ways(error).items()}
        self.indicator = np.max(list(shares.values()), axis=0)
        number = max(shares, key=lambda k: shares[k].max())
        self.worst = self.shapes[number][0]

    def _record(self) -> None:
        """Rows: bodies moved as joints require with the deflections, and what the floating frame has to say there."""
        sim = self.sim
        recorder, held = sim.recorder, self._held()
        for i, t in enumerate(self.times):
            project_state(self.system, self.nominal[i * self.k].copy(), t, 0)  # angles are counted
            y = self._state(t, self.nominal[i * self.k], self.q[i], self.u[i], held)
            recorder.rows.setdefault("KED/indicator", []).append(np.float64(self.indicator[i]))
            recorder.record(t, y, 1)
            sim.leave(t, y)
        recorder.count({**self.counters, "points of the nominal motion": len(self.grid), "elastic steps": self.steps})

    def _ways(self, q: np.ndarray) -> dict[int, np.ndarray]:
        """By FLEXIBILITY, the largest displacement of a node in the floating frame (times,) for modal coordinates
        (times, n)."""
        return {
            number: np.sqrt(np.max([((q[:, columns] @ shape.T) ** 2).sum(1) for shape in shapes], axis=0))
            for number, (_, columns, shapes) in self.shapes.items()
        }

    def _judge(self) -> None:
        """What KED leaves out, and whether the floating frame is needed: `Simulation.ked`."""
        sim = self.sim
        i = int(self.indicator.argmax())
        first = self.first[self.first > 0.0]
        slow = float(first.min(initial=np.inf))
        spins = {k: w / slow for k, (w, _) in self.spin.items()}
        fast = max(spins, key=lambda k: spins[k])
        share = f"{100 * self.indicator[i]:.3g} % of the largest deflection of {self.worst.label}"
        reasons = []
        if spins[fast] > FAST:
            reasons.append(
                f"{self.shapes[fast][0].label} turns with {spins[fast]:.2g} times the first frequency (time "
                f"{self.spin[fast][1]:.6g}): spin and stress "
                "change its stiffness"
            )
        deflection = {}
        for number, way in self._ways(self.q).items():
            e = self.shapes[number][0]
            bent = float(way.max() / np.linalg.norm(np.ptp(e.points, axis=0)))
            deflection[e.label] = [float(way.max()), float(self.times[int(way.argmax())])]
            if bent > SMALL:
                reasons.append(f"{e.label} deflects by {100 * bent:.2g} % of its size")
        left = self.indicator[i] > LARGE
        if left and not reasons and self.quasi and self.vibrating <= LARGE:
            advice = f"vibration is needed (leave quasi_static out): it makes {share} at time {self.times[i]:.6g}"
        elif left or reasons:
            reasons = ([f"what KED leaves out makes {share} at time {self.times[i]:.6g}"] if left else []) + reasons
            advice = f"the floating frame is needed (formulation = floating): {'; '.join(reasons)}"
        else:
            advice = ""
        unit = sim.model.units.symbol("time")
        sim.say(
            f"KED{' (quasi-static)' if self.quasi else ''}: what is left out makes {share} (time {self.times[i]:.6g} "
            f"{unit})"
        )
        for text in (*self.says, *([advice] if advice else [])):
            sim.say(text)
        sim.ked = {
            "quasi-static": self.quasi,
            "indicator": float(self.indicator[i]),
            "time": float(self.times[i]),
            "where": self.worst.label,
            "first frequency": [float(self.first[0]), slow if np.isfinite(slow) else 0.0],
            "spin": {self.shapes[k][0].label: v for k, v in spins.items()},
            "deflection": deflection,
            "advice": advice,
            "elastic steps": self.steps,
            "points": len(self.grid),
            "change with half the steps": self.change,
        }


class _ModalRows:
    """Gradients of rows over modal coordinates, (m, n), at the last evaluation."""

    def __init__(self, system: Any, at: np.ndarray):
        self.system, c = system, system.bodies.carriers
        self.G = np.zeros((system.m, system.bodies.tail))
        self.at, self.parts = at, []
        for k, b in enumerate(c.nodes.body):
            g = c.nodes.carrier[k]
            slots = np.flatnonzero(system.slot_body[:-1] == b)
            count = c.ptr[g + 1] - c.ptr[g]
            if len(slots):
                self.parts.append((k, slots, system.slot_row[slots], c.at[g] + np.arange(count), count))

    def __call__(self) -> np.ndarray:
        s, G = self.system, self.G
        G[:] = 0.0
        for k, slots, rows, to, count in self.parts:
            J = s.bodies.carriers.nodes.J[k][:, layout.MOVES : layout.MOVES + count]
            np.add.at(G, (rows[:, None], to[None]), s.W.rw.G[slots] @ J)
        return G[:, self.at]


def vibrating(sim: Simulation, contact: str = "compliant", other: str = "") -> bool:
    """Whether flexible bodies use KED (`ked`).  ``other``: what is done instead, as with the floating frame, by an
    analysis that has no nominal motion."""
    own = parts(sim.model)
    if own and other:
        sim.say_once(
            f"{other}: flexible bodies are taken in their floating frame; their formulation, KED, is one of dynamics"
        )
    elif own and contact != "compliant":
        raise own[0].error(f"KED does not support contact = {contact}; leave that out, or give formulation = floating")
    return bool(own)
