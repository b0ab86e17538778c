"""Studies of contact machines over methods, tolerances and dampings: which run holds, which chatters, at what cost.
Runs stop where their budget of CPU is spent."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..analyses.session.simulate import simulate
from ..analyses.session.simulation import Simulation
from ..model import Model, ModelError
from ..model.base import shown
from .gears import helical_gears

Say = Callable[[str], None]
G = 9806.65  # mm/s^2
TEETH = 20  # of the pinion of `helical_gears`: the mesh period is its time of a turn over these
FREE_ROWS = 0.02  # s between rows of the gear study where no step is given: rows end steps
BALL_DAMPINGS = (50.0, 5.0, 0.5, 0.05, 0.02, 0.01, 0.0)  # N s/mm at full depth


def ignore_text(text: str) -> None:
    """Discard the text."""


def method_words(method: str) -> dict[str, str]:
    """Options of a method as tables name it: "GSTIFF", "GSTIFF/SI2"."""
    name, _, formulation = method.upper().partition("/")
    return {"integrator": name} | ({"formulation": formulation} if formulation else {})


def guarded_run(model: Model, end: float, dt: float, budget: float, **options: Any) -> dict[str, Any]:
    """Run to ``end`` in one piece, with a row every ``dt``, or until ``budget`` CPU seconds are spent: ``run`` (None
    where nothing was computed), ``reached`` time, ``cpu``, ``outcome``: "ran", "budget", or the error that stopped it.
    A second piece would restart the method at order 1 with a small step."""
    _warm(model, options)
    began = time.process_time()
    spent = False

    def watch(_time: float, _step: float) -> None:
        nonlocal spent
        if time.process_time() - began > budget:
            spent = True
            raise KeyboardInterrupt  # stops the analysis, which keeps its results

    simulation = Simulation(model, progress=watch)
    outcome = "ran"
    try:
        simulation.dynamics(end=end, steps=max(1, round(end / dt)), **options)
    except ModelError as error:
        outcome = str(error).split(";")[0][:90]
    if spent:
        outcome = "budget"
    elif simulation.stopped and outcome == "ran":
        raise KeyboardInterrupt  # the user's own
    try:
        run = simulation.run()
    except ModelError:
        run = None
    return {
        "run": run,
        "reached": float(run.time[-1]) if run is not None else 0.0,
        "cpu": time.process_time() - began,
        "outcome": outcome,
    }


def _warm(model: Model, options: dict[str, Any]) -> None:
    """Compile what a run needs, so that its CPU seconds are its own."""
    try:
        Simulation(model).dynamics(end=1e-6, steps=1, **options)
    except ModelError:
        pass  # the run itself reports


def effort(found: dict[str, Any]) -> dict[str, Any]:
    """Steps, rejected ones and CPU of a run, for a table."""
    run = found["run"]
    history = run.history if run is not None else np.zeros(0)
    accepted = int((history["cause"] == "").sum()) if len(history) else 0
    return {
        "reached": found["reached"],
        "steps": accepted,
        "rejected": len(history) - accepted,
        "cpu": found["cpu"],
        "outcome": found["outcome"],
    }


def ball_on_plate(
    damping: float,
    *,
    mass: float = 0.5,
    radius: float = 10.0,
    drop: float = 50.0,
    stiffness: float = 2.89e5,
    dmax: float = 0.1,
) -> Model:
    """A ball that falls ``drop`` (mm) onto a plate, IMPACT with exponent 1.5: kg, mm, N, s.  Names: part "ball",
    contact "plate"."""
    model = Model("ball on a plate", units="mm")
    model.gravity = (0.0, 0.0, -G)
    plate = model.plane(model.ground, (0, 0, 0), (0, 0, 1))
    ball = model.part("ball", mass, (0.4 * mass * radius**2,) * 3, (0.0, 0.0, radius + drop))
    skin = model.sphere(ball, (0.0, 0.0, radius + drop), radius)
    model.contact(skin, plate, name="plate", stiffness=stiffness, exponent=1.5, damping=damping, dmax=dmax)
    return model


def restitution(
    damping: float, speed: float, *, mass: float = 0.5, stiffness: float = 2.89e5, dmax: float = 0.1
) -> float:
    """Speed after one impact over that before, by SciPy on m d'' = m g - F(d, d')."""
    from scipy.integrate import solve_ivp

    M = 1e-3 * mass

    def rate(t: float, y: np.ndarray) -> tuple[float, float]:
        x = min(max(y[0] / dmax, 0.0), 1.0)
        return y[1], G - max(0.0, stiffness * max(y[0], 0.0) ** 1.5 + damping * x * x * (3.0 - 2.0 * x) * y[1]) / M

    leave = lambda t, y: y[0]
    leave.terminal, leave.direction = True, -1  # type: ignore[attr-defined]
    r = solve_ivp(rate, (0, 1), (0.0, speed), "DOP853", rtol=1e-11, atol=1e-13, events=leave, first_step=1e-7)
    return float(-r.y_events[0][0][1] / speed)


def ball_study(
    dampings: Sequence[float] = BALL_DAMPINGS,
    methods: Sequence[str] = ("GSTIFF", "HHT", "RADAU5", "DOP853"),
    errors: Sequence[float] = (1e-3, 1e-5, 1e-7),
    *,
    end: float = 0.6,
    budget: float = 20.0,
    say: Say = ignore_text,
) -> list[dict[str, Any]]:
    """A ball on a plate over dampings (N s/mm), methods and tolerances: rows with ``damping``, ``method``, ``error``,
    what `effort` gives, ``restitution`` of the first impact by the run's
    second height and ``expected`` by SciPy, ``gain``: largest energy relative to that at the start, minus one
    (positive: spurious energy). Raises `ModelError` as the analysis does."""
    rows = []
    touch = math.sqrt(2.0 * 50.0 / G)
    if end < 2.2 * touch:
        raise ModelError(f"end is {shown(end)}; give {2.2 * touch:.3f} s or more, past the second height")
    for damping in dampings:
        expected = restitution(damping, math.sqrt(2.0 * G * 50.0))
        for method in methods:
            for error in errors:
                found = guarded_run(ball_on_plate(damping), end, 5e-4, budget, error=error, **method_words(method))
                row = {
                    "damping": damping,
                    "method": method,
                    "error": error,
                    **effort(found),
                    "expected": expected,
                    "restitution": math.nan,
                    "gain": math.nan,
                }
                run = found["run"]
                if run is not None:
                    ball = run.part("ball")
                    height, speed = ball.position.values[:, 2] - 10.0, ball.velocity.values[:, 2]
                    energy = 0.5 * speed**2 + G * height
                    row["gain"] = float(energy.max() / (G * 50.0) - 1.0)
                    after = (
                        (run.time > touch + 2e-3)
                        & (run.time < touch + 2e-3 + 0.9 * touch * max(expected, 0.2))
                        & (height > 0.5)
                    )
                    if after.any():
                        row["restitution"] = float(math.sqrt(max(np.median(energy[after]), 0.0) / (G * 50.0)))
                rows.append(row)
                say(
                    f"{damping:8g} "
                    f"{method:>10}{error:9.0e}{row['reached']:9.3f}{row['steps']:8}{row['rejected']:9}{row['cpu']:8.2f}"
                    f"{row['restitution']:11.5f}{expected:11.5f}{row['gain']:11.1e}  {row['outcome']}"
                )
    return rows


def plot_ball(path: Any, dampings: Sequence[float] = BALL_DAMPINGS, *, end: float = 1.0) -> Any:
    """Draw height and contact force of `ball_on_plate` over time, a curve for each damping (N s/mm), into ``path``: the
    whole fall, the peaks of the force, and the first impact.  DOP853 at 1e-8, rows 0.5 us apart within the impacts that
    are drawn.  Returns ``path``.  Raises `ModelError` as the analysis does."""
    from ..results.pictures.figures import Figure

    figure = Figure(figsize=(12.0, 7.0), layout="constrained")
    height, force, first = figure.subplot_mosaic([["height", "height"], ["force", "first"]]).values()
    touch = math.sqrt(2.0 * 50.0 / G)
    for damping in dampings:
        simulation = Simulation(ball_on_plate(damping))
        for until, rows in ((touch - 2e-5, 200), (touch + 5e-4, 1000), (end, max(2, round(end / 5e-5)))):
            simulation.dynamics(end=until, steps=rows, integrator="DOP853", error=1e-8)
        run = simulation.run()
        name = f"{damping:g} N s/mm"
        height.plot(run.time, run.part("ball").position.values[:, 2] - 10.0, lw=0.9, label=name)
        normal = run.contact("plate").normal.values
        force.plot(run.time, normal, lw=0.7)
        near = (run.time > touch - 2e-5) & (run.time < touch + 5e-4)
        first.plot(1e3 * (run.time[near] - touch), normal[near], lw=1.1)
    height.set(title="ball on a plate", xlabel="time (s)", ylabel="height of the lowest point (mm)")
    force.set(title="contact force", xlabel="time (s)", ylabel="N")
    first.set(title="first impact", xlabel="time after the touch (ms)", ylabel="N")
    figure.legend(*height.get_legend_handles_labels(), ncols=len(dampings), loc="outside upper center")
    figure.savefig(path, dpi=100)
    return path


BALL_HEAD = (
    f"{'damping':>8} "
    f"{'method':>10}{'error':>9}{'reached':>9}{'steps':>8}{'rejected':>9}"
    f"{'CPU s':>8}{'restit.':>11}{'expected':>11}{'gain':>11}  outcome"
)


def standing_depth(torque: float = 2e4, **given: Any) -> float:
    """How deep along the pitch circle (mm) the teeth of `helical_gears` stand in each other where they carry ``torque``
    (N mm): the wheel's acceleration, of which a power of the depth is taken away, vanishes.  Raises `ModelError` where
    no depth up to a hundredth of a module does."""
    limit = 1e-2 * given.get("module", 4.0)

    def acceleration(depth: float) -> float:
        model = helical_gears(torque=torque, rise=(-1.0, 0.0), indent=depth, **given)
        return float(simulate(model, 1e-9, 1, integrator="DOP853").part("wheel").angular_acceleration.values[0, 2])

    free = 1e3 * torque / helical_gears(torque=torque, **given).find("PART", "wheel").ip[2]
    tried = [(depth, free - acceleration(depth)) for depth in (0.1 * limit, 0.25 * limit)]
    for _ in range(2):
        (a, fa), (b, fb) = tried[-2:]
        if not (fa > 0.0 and fb > 0.0 and (fb - fa) * (b - a) > 0.0):
            raise ModelError(
                f"a torque of {torque:g} N mm does not press these teeth together; check its sign and the "
                f"stiffness of the "
                "contact"
            )
        depth = b * (free / fb) ** (math.log(b / a) / math.log(fb / fa))
        if not depth < limit:
            raise ModelError(
                f"teeth would overlap by {depth:g} mm to carry {torque:g} N mm; give less torque or a stiffer contact"
            )
        if abs(free - fb) < 1e-3 * free:
            break
        tried.append((depth, free - acceleration(depth)))
    return depth


def mesh_period(time: np.ndarray, signal: np.ndarray) -> tuple[float, float]:
    """Mean distance of the rises of a signal through the middle of its swing, each after a fall through a quarter of
    it, and their scatter over the mean; nan where it rises less than three times or scatters by more than a tenth."""
    low, high = np.percentile(signal, [2.0, 98.0])
    middle, quarter = 0.5 * (low + high), 0.75 * low + 0.25 * high
    rises, armed = [], False
    for k in range(1, len(signal)):
        if signal[k - 1] < quarter:
            armed = True
        if armed and signal[k - 1] < middle <= signal[k]:
            rises.append(time[k] - (time[k] - time[k - 1]) * (signal[k] - middle) / (signal[k] - signal[k - 1]))
            armed = False
    if len(rises) < 3:
        return math.nan, math.nan
    apart = np.diff(rises)
    scatter = float(apart.std() / apart.mean())
    return (float(apart.mean()), scatter) if scatter < 0.1 else (math.nan, scatter)


def watched(run: Any, low: float, high: float, mesh: float) -> dict[str, Any]:
    """What became of the teeth: ``broke``, ``bounces``, ``apart``, ``chatters``, ``swing``, ``period``, ``scatter``, as
    `gear_study` has them; ``low``, ``high``: between which the wheel's angle behind the pinion's may be; ``mesh``: the
    mesh period, s."""
    turned = run.request("turned").values
    behind = turned[:, 1] + turned[:, 2] * 1.5
    wrong = (behind < low - 5e-4) | (behind > high + 5e-4)
    force = run.contact("teeth").normal.values
    apart = (force[1:] <= 0.0) & (force[:-1] > 0.0)
    late = run.time > 0.5 * run.time[-1]
    row = {
        "broke": float(run.time[int(np.argmax(wrong))]) if wrong.any() else math.nan,
        "bounces": int(apart.sum()),
        "apart": float((force[late] <= 0.0).mean()),
        "chatters": bool((apart & (run.time[1:] > 0.75 * run.time[-1])).any()),
        "swing": float(np.ptp(force[late]) / max(force[late].mean(), 1e-12)),
        "period": math.nan,
        "scatter": math.nan,
    }
    if late.sum() * (run.time[1] - run.time[0]) > 2.5 * mesh:
        row["period"], row["scatter"] = mesh_period(run.time[late], behind[late])
    return row


def gear_study(
    dampings: Sequence[float] = (0.5, 5.0, 50.0, 0.0),
    methods: Sequence[str] = ("GSTIFF", "HHT", "RADAU5"),
    errors: Sequence[float] = (1e-3, 1e-4, 1e-5),
    *,
    end: float = 1.5,
    start: str = "loaded",
    period: float = 1.5,
    budget: float = 30.0,
    hmax: float | None = 1e-3,
    step: float | None = None,
    kmax: int | None = None,
    say: Say = ignore_text,
) -> list[dict[str, Any]]:
    """`helical_gears` over dampings (N s/mm), methods and tolerances, from teeth that bear (``start`` "loaded") or from
    the middle of their "play".  ``period`` (s) of a turn of the pinion; steps of at most ``hmax`` (s; None: the error
    alone limits them, with rows 20 ms apart), or all of the size ``step``, which no error controls.  ``kmax``: highest
    order of methods with orders.  At equal steps GSTIFF of order 3 to 6 makes the teeth vibrate on the stiffness of
    their contact where the step times its angular frequency is below 1.9, 4.7, 9.4 and 17.5: contact breaks down.

    Rows with ``damping``, ``method``, ``error``, what `effort` gives, ``broke``: time at which the wheel was further
    from its position than its play and 0.5 mrad allow (a tooth through another), nan where it never was; ``bounces``:
    how often the teeth came apart; ``chatters``: they still do in the last quarter; of the second half of the run
    ``apart``: share of time without contact, ``swing``: of the normal force over its mean, ``period`` of the
    transmission error
    (s, nan where it has none) and its ``scatter``.  Mesh period: that of a turn over 20 teeth.  Raises `ModelError` for
    other starts.
    """
    if start not in ("loaded", "play"):
        raise ModelError(f"start is {shown(start)}; give 'loaded' or 'play'")
    half = 0.5 * 0.1 / (0.5 * 4.0 / math.cos(math.radians(15.0)) * 20)  # of the play, rad of the wheel
    more: dict[str, Any] = {"touching": False}
    limits = -half, half
    if start == "loaded":
        more, limits = {"rise": (-1.0, 0.0), "indent": standing_depth()}, (-2.0 * half, 0.0)
    rows = []
    for damping in dampings:
        for method in methods:
            for error in errors:
                options: dict[str, Any] = {"error": error} | method_words(method)
                options |= {"step": step} if step else {"hmax": hmax} if hmax else {}
                options |= {"kmax": kmax} if kmax else {}
                model = helical_gears(damping=damping, period=period, **more)
                found = guarded_run(model, end, step or (1e-3 if hmax else FREE_ROWS), budget, **options)
                row = {"damping": damping, "method": method, "error": error, **effort(found)}
                run = found["run"]
                if run is not None and len(run.time) > 3:
                    row |= watched(run, *limits, period / TEETH)
                else:
                    row |= {
                        "broke": math.nan,
                        "bounces": 0,
                        "apart": math.nan,
                        "chatters": False,
                        "swing": math.nan,
                        "period": math.nan,
                        "scatter": math.nan,
                    }
                rows.append(row)
                say(gear_line(row))
    return rows


def gear_line(row: dict[str, Any]) -> str:
    """A row of `gear_study` under `GEAR_HEAD`."""
    or_dash = lambda v, form: format(v, form) if math.isfinite(v) else "-"
    broke = f"{row['broke']:.3f}" if math.isfinite(row["broke"]) else "held"
    return (
        f"{row['damping']:8g} "
        f"{row['method']:>10}{row['error']:9.0e}{row['reached']:9.3f}{row['steps']:8}{row['rejected']:9}"
        f"{row['cpu']:8.1f}{broke:>8}"
        f"{row['bounces']:9}"
        f"{'yes' if row['chatters'] else 'no':>10}{or_dash(100.0 * row['swing'], '.2f'):>9}{or_dash(row['period'], '.5f'):>10}"  # noqa: E501
        f"{or_dash(row['scatter'], '.3f'):>9}  {row['outcome']}"
    )


GEAR_HEAD = (
    f"{'damping':>8} "
    f"{'method':>10}{'error':>9}{'reached':>9}{'steps':>8}{'rejected':>9}"
    f"{'CPU s':>8}{'broke':>8}{'bounces':>9}{'chatters':>10}"
    f"{'swing, %':>9}{'period, s':>10}{'scatter':>9}  outcome"
)
