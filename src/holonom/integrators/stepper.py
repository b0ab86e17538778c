"""The common interface of all integrators: options, error weights, what a step reports, and how a failure is
reported."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._handle import Handle, make_handle
from .._jit import Entry
from ..elements.bodies import layout
from ..elements.bodies.errors import StateScales, weigh_state
from ..model import ModelError
from ..system.faults import unbounded
from ..system.flags import USER_FAILED
from .tape import Tape

# of the radius of gyration: bodies whose centres keep to one point are apart by what rounding leaves, which is no
# length
NO_EXTENT = 1e-9
CLASSES = (
    "positions",
    "rotations",
    "velocities",
    "angular_velocities",
    "states",
)  # classes of variables with errors of their own

#: what to try when an integration fails, by the cause of its last rejected step
TRIES = {
    "error": (
        "a looser ERROR, or a smaller HMIN where one is set",
        "STEP instead of IF, and tables without corners, in the forces that act there",
        "another integrator: RADAU5 or GSTIFF with SI2 for stiff models, HHT for rough forces",
    ),
    "corrector": (
        "a smaller HMAX",
        "a larger MAXIT, or CORRECTOR = MODIFIED",
        "smoother forces (STEP instead of IF, more damping) there",
    ),
    "singular": (
        "a check of the joints there for a position where the mechanism locks or branches",
        "mass and inertia for parts that have none",
        "GSTIFF with formulation SI2, or a smaller HMAX",
    ),
    "open": (
        "a check of the motions and joints there for a position where the mechanism locks or branches",
        "a smaller HMAX",
        "joints and motions that do not contradict each other there",
    ),
    "not a number": (
        "a check of the function named for a root of a negative number, a division by zero or an overflow",
        "a smaller HMAX, so that trial states stay near the motion",
        "bounds on its arguments by MAX, MIN or STEP",
    ),
}


class IntegrationError(ModelError):
    """The integration cannot continue.  ``time``: last good time; ``equation``: words that name row or body, or '';
    ``source``: the function that gives no finite number there, or ''."""

    def __init__(self, message: str, time: float, equation: str = "", source: str = ""):
        super().__init__(message)
        self.time = time
        self.equation = equation
        self.source = source


@dataclass
class Options:
    """What every integrator understands; None means its own default.

    ``error``: local error allowed, relative to the scales of `Scales`; ``scale``: factors on it for each of `CLASSES`;
    ``absolute``: absolute errors of each of `CLASSES` (None: error times a floor from the model's own length and
    speed);
    ``units``: BDF and alpha methods measure errors body by body in model units (`Scales`);
    ``hinit``, ``hmin``, ``hmax``: step sizes; ``kmax``: highest order; ``maxit``: corrector iterations;
    ``formulation``: I3, SI2 or SI1; ``corrector``: original or modified; ``interpolate``: steps need not end at output
    times; ``jacobian``: "step" (a new matrix at each step), "modified" (kept as long as it serves), or the iterations
    at which it is made again
    (Adams' PATTERN, ``(True, False, ...)``); ``adaptivity``: corrector tolerance grows by adaptivity/h; ``alpha``: of
    HHT;
    ``fixed``: constant step hmax without error test; ``newton``: corrector tolerance; ``extra``: parameters of one
    method
    (see `selection.PARAMETERS`).
    """

    error: float = 1e-6
    absolute: tuple[float | None, ...] = (None,) * 5
    units: bool = False
    scale: tuple[float, ...] = (1.0,) * 5
    hinit: float | None = None
    hmin: float | None = None
    hmax: float | None = None
    kmax: int | None = None
    maxit: int | None = None
    formulation: str | None = None
    corrector: str = "original"
    interpolate: bool = True
    jacobian: str | tuple[bool, ...] | None = None
    adaptivity: float = 0.0
    alpha: float | None = None
    fixed: bool = False
    newton: float | None = None
    extra: dict = field(default_factory=dict)


@dataclass
class Step:
    """One accepted step and the trials before it: ``rejected`` lists (time, step, order, iterations, cause)."""

    t_old: float
    t: float
    h: float
    order: int
    iterations: int
    rejected: list[tuple[float, float, int, int, str]]


class Scales:
    """Sizes against which errors are measured, in groups: positions, rotations (1 rad), velocities, angular velocities,
    states.  Group maxima over all bodies, with floors from the extent of the model and its typical speed, so that the
    same machine in millimetres and in metres takes the same steps.  ``options`` may give factors on the error of each
    class and absolute errors, which replace the floors (`tolerances`).

    With ``options.units`` the floors are one model unit (or the model's own extent, speed and spin, where these are
    less), and the integrators measure each body by itself, its position from where it began: ERROR as in Adams,
    and the same wherever the ground origin is."""

    def __init__(self, system, y, span: float, options: Options | None = None):
        points = list(layout.places(y, system.nb))
        drawn = system.workspace.drawn_places  # made once: methods with a history ask at every restart
        if drawn is None:
            drawn = system.workspace.drawn_places = [
                system.design(k).origin for k in range(min(len(system.frame_list), 2000)) if k
            ]
        points += drawn
        extent = float(np.ptp(np.array(points), axis=0).max()) if points else 1.0
        self.length = extent if extent > NO_EXTENT * system.gyration else 1.0
        g = float(np.linalg.norm(system.bodies.gravity))
        span = span or 1.0
        speed = max(
            float(np.abs(layout.velocities(y, system.nb)).max(initial=0.0)),
            np.sqrt(g * self.length),
            self.length / span,
        )
        spin = max(float(np.abs(layout.spins(y, system.nb)).max(initial=0.0)), speed / self.length)
        self.bodies = system.bodies
        self.floor = 1e-3 * np.array([self.length, 0.0, speed, spin])
        if options is not None and options.units:
            self.floor = np.array([min(1.0, self.length), 0.0, min(1.0, speed), min(1.0, spin)])
        self.x = np.abs(y[system.bodies.end :])
        self.factor = np.ones(5)
        self.state_floor = 1.0
        if options is not None:
            self.factor[:] = options.scale
            for c, absolute in enumerate(options.absolute):
                if absolute is not None and c < 4:
                    self.floor[c] = absolute / (options.error * self.factor[c]) - (1.0 if c == 1 else 0.0)
                elif absolute is not None:
                    self.state_floor = absolute / (options.error * self.factor[4])
        self._handle: Handle | None = None
        self._weigh = Entry(weigh_state)

    def groups(self, y) -> np.ndarray:
        """(4,) scales of positions, rotations, velocities, angular velocities at y."""
        if not self.bodies.n:
            return np.ones(4)
        n = self.bodies.n
        largest = [np.abs(part(y, n)).max() for part in (layout.places, layout.velocities, layout.spins)]
        return np.array([largest[0], 1.0, *largest[1:]]) + self.floor

    def weights(self, y, error: float, out: np.ndarray) -> None:
        """out (ny,) <- 1 / (error * scale) of every component of the state vector, 0 for ground; the scales of states
        are their largest size so far, plus their floor (one)."""
        if self._handle is None:
            arrays = StateScales(self.floor, self.factor, self.x, np.array([self.state_floor]), np.zeros(4))
            self._handle = make_handle(self.bodies, arrays, ())
        self._weigh.call(self._handle, y, error, out)


class Stepper(ABC):
    """What analyses use of an integrator; one object integrates one system with one method.

    ``start`` begins at a state, ``step`` makes one accepted step, ``interpolate`` gives the state inside it,
    ``restart`` forgets the past after an event.  ``t``, ``y``: end of the last step (y is the array that was given to
    ``start``, written in place); ``t_old``, ``h_done``: its beginning and size, zero before the first; ``h``: size
    wanted for the next.

    What a method is able to do as such is in `methods.METHODS` (implicit, multistep, its formulations); the class
    attributes here state how its steps may be used.
    """

    #: the method's name, a key of `methods.METHODS`
    name = ""
    #: points at which powers are integrated over a step, 3 or 5: as many as its dense output deserves
    quadrature = 3
    #: steps may be taken in the root of time: `warp` may be set between steps
    warps = False
    #: (1, t0): the next steps are taken in the root of the time since t0, (-1, t0): of the time until then, (0, 0.0):
    #: in time
    warp: tuple[int, float] = (0, 0.0)
    #: the step has been limited by stability, not accuracy, for a while; only explicit methods find out
    stiff = False
    #: all steps but those cut by ``tmax`` have one size, and there is no error test
    fixed = False
    #: the state is that of a minimal set of coordinates, or of joint coordinates
    minimal = False
    #: which coordinates are integrated and why, as text; empty for the default
    numbering = ""
    #: where steps are written down for an adjoint
    tape: Tape | None = None

    system: Any
    options: Options
    t: float
    y: np.ndarray
    t_old: float
    h: float
    h_done: float
    statistics: dict[str, Any]
    #: what was changed on the way, for users; the caller that reports it clears it
    messages: list[str]

    @abstractmethod
    def start(self, t: float, y: np.ndarray, tend: float, h0: float | None = None) -> None:
        """Begin at (t, y), which is put on the constraints; ``tend`` gives the time scale, ``h0`` a first step."""

    @abstractmethod
    def restart(self, h0: float | None = None) -> None:
        """Begin again at the present time and state, after a discontinuity."""

    @abstractmethod
    def step(self, tmax: float) -> Step:
        """One accepted step that does not pass ``tmax``.  Raises IntegrationError."""

    @abstractmethod
    def interpolate(self, t: float, out: np.ndarray) -> None:
        """out (ny) <- state at a time inside the last step."""

    @abstractmethod
    def motion_bounds(self, out: np.ndarray, fine: bool = False) -> bool:
        """Bounds of speeds and accelerations over the last step into ``out`` (`elements.bodies.motion_bounds`), finer
        ones at more cost with ``fine``; true where they cannot be had finer."""

    @property
    def tables(self) -> tuple[Any, Any]:
        """S and W with which it steps: those of the plane where the mechanism moves in one."""
        return self.system.S, self.system.W

    def trace(self) -> tuple[np.ndarray, ...]:
        """What the adjoint of the last step needs and its states do not give; copies."""
        return ()

    @property
    def pivot_ratio(self) -> float:
        """Smallest pivot of the rows of constraints in the last step as a share of the largest its row has had."""
        return float(self.tables[1].gap[3])

    def _user_failure(self) -> None:
        """Raise what a user's routine has raised in a kernel."""
        if self.system.W.flags[USER_FAILED]:
            self.system.raise_user_error(self.t)


def advice(
    message: str, time: float, system, row: int = -1, equation: str = "", cause: str = "error"
) -> IntegrationError:
    """An error with the equation, the time, the last good state, and three things to try (`TRIES` of its ``cause``)."""
    equation = equation or (system.row_words(row) if row >= 0 else "")
    where = f"; the equation is that of {equation}" if equation else ""
    source = unbounded(system)
    if source:
        where += f"; {source} gives no finite number there"
        cause = "not a number"
    slim = system.slimmest() if cause == "singular" else ""
    where += f"; {slim}" if slim else ""
    tries = ", ".join(f"({k}) {text}" for k, text in enumerate(TRIES[cause], 1))
    return IntegrationError(
        f"{message} at time {time:.9g}{where}; the last good state is that at time {time:.9g}, and the results up to "
        "there are kept; "
        f"try {tries}",
        time,
        equation,
        source,
    )
