"""A model with inputs and outputs behind the interface of Gymnasium: `Environment`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..analyses.session.simulation import Simulation
from ..model import Model, ModelError
from ..model.base import did_you_mean, shown
from ..recursive.kinematics import JointKinematics

try:
    import gymnasium
except ImportError:  # the sentence comes where an environment is made
    gymnasium = None  # type: ignore[assignment]

_BASE: Any = object if gymnasium is None else gymnasium.Env


class Environment(_BASE):
    """A model as an environment of Gymnasium with continuous actions and observations.

    ``inputs``: name of an input -> (lowest, highest action); ``outputs``: VARIABLEs, joints or expressions that are
    observed; ``period``: time of one step (units of time); ``reward(seen, action)``: number; ``failed(seen)``: whether
    the episode terminates; ``end``: time after which it is truncated; ``bounds``: (low, high) of the observations,
    unbounded by default; ``randomize(generator)``: values of further inputs {name: value} that are set at a reset;
    ``initial(generator)``: where the machine is at a reset, {coordinate: value} or {coordinate: (value, rate)}, others
    as in the model; ``options`` of `Simulation.open`, by default RK4 with four steps in a period.

    Coordinates are those of the joints between the bodies, ``pin.angle`` [rad] and ``rail.z`` (length, along the axis),
    as `coordinates` lists them; the velocities of the others are zero where one is given.  In machines with loops the
    nearest state is taken in which the loops are closed.

    Raises `ModelError` without the extra ``gym``, for inputs and coordinates that do not exist and for limits in the
    wrong order.
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(
        self,
        model: Model,
        *,
        inputs: Mapping[str, tuple[float, float]],
        outputs: Sequence[Any],
        period: float,
        reward: Callable[[np.ndarray, np.ndarray], float],
        failed: Callable[[np.ndarray], bool] | None = None,
        end: float | None = None,
        bounds: tuple[Any, Any] | None = None,
        randomize: Callable[[np.random.Generator], Mapping[str, float]] | None = None,
        initial: Callable[[np.random.Generator], Mapping[str, float | tuple[float, float]]] | None = None,
        **options: float | str,
    ) -> None:
        if gymnasium is None:
            raise ModelError('environments need Gymnasium; run: pip install "holonom[gym]"')
        if not period > 0.0:
            raise ModelError(f"period is {shown(period)}; give a positive time")
        if not inputs or not outputs:
            raise ModelError("an environment needs inputs and outputs; give one or more of each")
        self.names = list(inputs)
        for name, (low, high) in inputs.items():
            model.find("VARIABLE", name)
            if not low < high:
                raise ModelError(f"the limits of input '{name}' are {low:g} and {high:g}; give the lower one first")
        box = gymnasium.spaces.Box
        ends = [np.array([v[k] for v in inputs.values()], np.float32) for k in (0, 1)]
        self.action_space = box(ends[0], ends[1], dtype=np.float32)
        n = len(outputs)
        least, most = (-np.inf, np.inf) if bounds is None else bounds
        for v in (least, most):
            if np.shape(v) not in ((), (n,)):
                raise ModelError(f"bounds hold {np.size(v)} numbers for {n} outputs; give one for each, or one for all")
        span = [np.broadcast_to(np.asarray(v, np.float32), (n,)) for v in (least, most)]
        self.observation_space = box(span[0], span[1], dtype=np.float32)
        self.period, self.end, self.outputs = float(period), end, list(outputs)
        self._reward, self._failed, self._randomize, self._initial = reward, failed, randomize, initial
        self._joints: JointKinematics | None = None
        self.simulation = sim = Simulation(model, progress=False)
        opening: dict[str, Any] = {**options} or {"integrator": "RK4", "step": self.period / 4}
        sim.open(record="none", inputs=[n for n in self.names if not model.find("VARIABLE", n).input], **opening)
        sim.advance(sim.time)
        self._start = sim.snapshot()
        self._begin = float(sim.time)
        self._steps = 0

    @property
    def coordinates(self) -> list[str]:
        """Names of the coordinates that ``initial`` may give."""
        return list(self._kinematics().coordinates)

    def _kinematics(self) -> JointKinematics:
        if self._joints is None:
            self._joints = JointKinematics(self.simulation.model, self.simulation.system)
        return self._joints

    def _place(self, given: Mapping[str, float | tuple[float, float]]) -> None:
        """The machine at these coordinates of its joints."""
        joints, sim = self._kinematics(), self.simulation
        q, v = joints.from_state(sim.y)
        v[:] = 0.0
        for name, value in given.items():
            if name not in joints.coordinates:
                meant = did_you_mean(name, joints.coordinates, "")
                raise ModelError(
                    f"initial: there is no coordinate '{name}'{meant or '; there are ' + ', '.join(joints.coordinates)}"
                )
            pair = np.asarray(value, float).reshape(-1)
            if pair.size not in (1, 2) or not np.isfinite(pair).all():
                raise ModelError(f"initial: '{name}' is {shown(value)}; give its value, or (value, rate)")
            q[joints.coordinates.index(name)] = pair[0]
            if pair.size == 2 and name not in joints.freedoms:
                raise ModelError(f"initial: '{name}' has no rate of its own; give its value alone")
            if pair.size == 2:
                v[joints.freedoms.index(name)] = pair[1]
        y = sim.y.copy()
        bodies = joints.state(q, v)
        end = sim.system.bodies.end
        y[:end] = bodies[:end]
        assert sim._stepping is not None
        sim._stepping.place(y)

    def _seen(self) -> np.ndarray:
        return np.asarray(self.simulation.output(self.outputs), np.float32).reshape(-1)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict]:
        """The first observation of a new episode, and an empty table; ``seed`` of the generator of ``initial`` and
        ``randomize``; ``options``: {"initial": {coordinate: value}} in place of random ones."""
        super().reset(seed=seed)
        self.simulation.restore(self._start)
        self._steps = 0
        given = (options or {}).get("initial")
        if given is None and self._initial is not None:
            given = self._initial(self.np_random)
        if given:
            self._place(given)
        if self._randomize is not None:
            for name, value in self._randomize(self.np_random).items():
                self.simulation.set_input(name, float(value))
        return self._seen(), {}

    def step(self, action: np.ndarray | Sequence[float]) -> tuple[np.ndarray, float, bool, bool, dict]:
        """Hold an action (clipped to its limits) for a period: observation, reward, whether the episode has terminated,
        whether it is truncated, and {"time": time}. Raises `ModelError` for an action that is not a finite number for
        each input."""
        given = self._numbers(action)
        if not np.isfinite(given).all():
            raise ModelError(f"action is {shown(action)}; give finite numbers")
        given = np.clip(given, self.action_space.low, self.action_space.high)
        for name, value in zip(self.names, given):
            self.simulation.set_input(name, float(value))
        self._steps += 1
        now = self._begin + self._steps * self.period
        self.simulation.advance(now)
        seen = self._seen()
        over = bool(self._failed is not None and self._failed(seen))
        late = self.end is not None and now >= self._begin + self.end - 1e-9 * self.period
        return seen, float(self._reward(seen, given)), over, bool(late and not over), {"time": now}

    def _numbers(self, action: Any) -> np.ndarray:
        """An action as one number for each input."""
        try:
            given = np.asarray(action, float)
        except (TypeError, ValueError):
            given = np.full(0, np.nan)
        if given.shape != (len(self.names),) and not (given.ndim == 0 and len(self.names) == 1):
            inputs = ", ".join(self.names)
            shape = f"has the shape {given.shape}" if given.size else f"is {shown(action)}"
            raise ModelError(f"action {shape}; give ({len(self.names)},), a number for each input: {inputs}")
        return given.reshape(-1)

    def close(self) -> None:
        """End the simulation."""
        self.simulation.close()
