"""A dynamic run that a hand acts on while it is computed: inputs and parameters of the model by sliders, and one body
dragged by a spring.

It is the analysis that `Simulation.open` steps, from one output time to the next; what is requested in between acts
from there on, on a straight line until the next output, so that nothing jumps; parameters (stiffness, damping, preload:
`Simulation.set_parameter`) jump at an output.  It goes no faster than the clock, ``pace`` seconds of the machine in one
of the clock.
"""

from __future__ import annotations

import contextlib
import math
import time as clock
from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np

from ..model import Model, ModelError
from .terms import unit_of

HAND = "hand"  # of the elements that the hand needs, in the run alone
PERIOD = 0.5  # seconds in which the grabbed body would swing on the spring of the hand
DAMPING = 0.4  # of that swing, as a share of the critical one
SHARE = 0.1  # of the mass of the machine that the hand can hold at least
LATE = 0.25  # seconds that a run may lag behind the clock and catch up
NAP = 0.02  # seconds between two checks what is wished while the clock is waited for
MAX_PARAMETERS = 2000  # that are offered
MAX_PLACES = 36  # of a tuple of numbers
SPRING = {"TRANSLATIONAL": ("k", "c", "force", "length"), "ROTATIONAL": ("kt", "ct", "torque", "angle")}


class Live:
    """``wishes``: a queue of tables (``do``: input, parameter, grab, drag, release) that other threads fill;
    ``follow``: as in `simulate`.

    The model is changed: give a copy.  Raises ModelError as `Simulation.open` does.
    """

    def __init__(
        self, model: Model, wishes: SimpleQueue, follow: Callable[[float, dict[str, Any]], None], out: Path
    ) -> None:
        from ..analyses.session.simulation import Simulation

        self.model, self.wishes = model, wishes
        self.hand = _hand(model)
        self.sim = Simulation(model, progress=False)
        self.sim.recorder.file, self.sim.recorder.follow = out, follow
        self.report: Callable[[str], None] = lambda text: None  # called with a sentence on a wish that cannot be

    def run(self, end: float, steps: int, pace: float = 1.0, **options: Any) -> Any:
        """Through ``steps`` equal intervals to ``end``; ``pace`` 0: as fast as it goes.  Returns the `Run`, also of
        what a KeyboardInterrupt has left."""
        sim = self.sim
        self.options = {"duration": end, **options}
        try:
            sim.open(**self.options)
            start = clock.monotonic()
            for k in range(1, steps + 1):
                t = end * k / steps
                self._take(t)
                if pace > 0.0:
                    own = t * sim.model.units.si_time / pace
                    while (wait := start + own - clock.monotonic()) > 0.0:
                        clock.sleep(min(NAP, wait))
                        self._take(t)
                    start = max(start, clock.monotonic() - own - LATE)  # what a pause took is not caught up
                if sim.advance(t) < t:
                    break
        except KeyboardInterrupt:
            sim.stopped = sim.stopped or f"stopped by the user at time {sim.time:.6g}"
        except ModelError as error:
            if len(sim.recorder):
                error.run = sim.run()  # type: ignore[attr-defined]
            raise
        finally:
            sim.close()
            sim.recorder.close()
        return sim.run()

    def _take(self, by: float) -> None:
        """What has been requested, to be so at time ``by``; of many values of one thing the last one counts."""
        last: dict[Any, dict[str, Any]] = {}
        while True:
            try:
                wish = self.wishes.get_nowait()
            except Empty:
                break
            if wish["do"] in ("grab", "release"):
                self._all(last, by)
                last = {wish["do"]: wish}
                self._all(last, by)
                last = {}
            else:
                last[(wish["do"], wish.get("id"), wish.get("key"))] = wish
        self._all(last, by)

    def _all(self, wishes: dict[Any, dict[str, Any]], by: float) -> None:
        for wish in wishes.values():
            try:
                getattr(self, f"_{wish['do']}")(wish, by)
            except ModelError as error:
                self.report(str(error))

    def _input(self, wish: dict[str, Any], by: float) -> None:
        self.sim.set_input(int(wish["id"]), float(wish["value"]), by)

    def _parameter(self, wish: dict[str, Any], by: float) -> None:
        """A number of a force by its key (`parameters`), from now on; a VARIABLE that is a number becomes an input when
        it is first moved."""
        sim, (kind, number, name, part) = self.sim, split(wish["key"])
        if kind == "VARIABLE":
            if number not in sim.inputs.courses:
                sim.close()
                self.options["inputs"] = [*self.options.get("inputs", ()), number]
                sim.open(**self.options)
            sim.set_input(number, float(wish["value"]), by)
            return
        element = sim.model.table(kind)[number]
        value: Any = float(wish["value"])
        if part is not None:
            old = getattr(element, name)
            value = (*old[:part], value, *old[part + 1 :])
        sim.set_parameter(element, name, value)

    def _grab(self, wish: dict[str, Any], by: float) -> None:
        """Hold a body at ``point``, from its centre of mass in its own axes; the marker of the hand goes there."""
        model, hand, sim = self.model, self.hand, self.sim
        body = model.table(wish["kind"])[int(wish["id"])]
        if sim.model is not model:
            raise ModelError("bodies cannot be dragged in a run of grains that come and go")
        sim.close()
        hand.marker.part, hand.marker.body_kind = body.id, body.KIND
        centre = model.table("MARKER")[body.cm].qp if body.cm else (0.0, 0.0, 0.0)
        hand.marker.qp = tuple(float(v) + c for v, c in zip(wish["point"], centre))
        moving = [
            e.mass or 0.0
            for kind in ("PART", "POINT_MASS")
            for e in model.table(kind).values()
            if not getattr(e, "ground", False)
        ]
        mass = max(body.mass or 0.0, SHARE * sum(moving))
        sim.activate([hand.force])
        for name, value in zip("xyz", wish["at"]):
            sim.set_input(hand.inputs[name].id, float(value))
        sim.set_input(
            hand.inputs["k"].id, mass * model.units.mass_factor * (2.0 * math.pi * model.units.si_time / PERIOD) ** 2
        )
        sim.open(**self.options)

    def _drag(self, wish: dict[str, Any], by: float) -> None:
        if self.hand.force.active:
            for name, value in zip("xyz", wish["at"]):
                self.sim.set_input(self.hand.inputs[name].id, float(value), by)

    def _release(self, wish: dict[str, Any], by: float) -> None:
        if self.hand.force.active:
            self.sim.deactivate([self.hand.force])
            self.sim.open(**self.options)


class _Hand:
    """Marker, force and inputs of the spring: F = k (target - r - tau v) at the marker."""

    marker: Any
    force: Any
    inputs: dict[str, Any]


def _hand(model: Model) -> _Hand:
    hand = _Hand()
    bodies = [
        e for kind in ("PART", "POINT_MASS") for e in model.table(kind).values() if not getattr(e, "ground", False)
    ]
    if not bodies:
        raise ModelError("there is no body that moves, so there is nothing to run")
    hand.marker = model.marker(bodies[0], name=f"{HAND}.marker")
    hand.inputs = {c: model.input(f"{HAND}.{c}") for c in "xyzk"}
    tau = 2.0 * DAMPING * PERIOD / (2.0 * math.pi) / model.units.si_time
    at, k = hand.marker.id, hand.inputs["k"].id
    parts = [f"VARVAL({k})*(VARVAL({hand.inputs[c.lower()].id})-D{c}({at})-{tau!r}*V{c}({at}))" for c in "XYZ"]
    hand.force = model.vforce(hand.marker, None, *parts, name=HAND)
    hand.force.active = False
    return hand


def inputs_of(model: Model) -> list[list[Any]]:
    """[id, name, value] of what sliders may set: inputs of the model and of its PINPUTs."""
    from ..analyses.session.inputs import Inputs

    table = model.table("VARIABLE")
    return [[n, table[n].name, float(np.nan_to_num(c.value))] for n, c in Inputs(model).courses.items()]


def parameters(model: Model) -> list[list[Any]]:
    """[key, name, value, unit] of numbers that sliders may set during a run in addition to inputs: VARIABLEs whose
    function is a number, and the numbers of forces and contacts that are in force; a key is ``KIND/id``,
    ``KIND/id.field`` or ``KIND/id.field.place``."""
    from ..analyses.session.inputs import Inputs, constant

    known, out = Inputs(model).courses, []
    for v in model.table("VARIABLE").values():
        if v.active and v.id not in known and not v.routine:
            with contextlib.suppress(ModelError):  # its function is not a number
                out.append([f"VARIABLE/{v.id}", v.name, constant(v), ""])
    for e in model:
        for name in _acting(e) if e.active else ():
            value, key, unit = getattr(e, name), f"{e.KIND}/{e.id}.{name}", unit_of(model, e.KIND, name, e)
            if not isinstance(value, tuple):
                out.append([key, f"{e.name} {name}", value, unit])
            elif len(value) <= MAX_PLACES:
                out += [[f"{key}.{n}", f"{e.name} {name} {n + 1}", v, unit] for n, v in enumerate(value)]
        if len(out) >= MAX_PARAMETERS:
            break
    return [row for row in out[:MAX_PARAMETERS] if math.isfinite(row[2])]


def _acting(element: Any) -> list[str]:
    """Parameters of an element that say something: those of its kind of spring, or that were given."""
    from ..analyses.session.parameters import parameters_of

    known = parameters_of(element)
    if element.KIND == "SPRINGDAMPER":
        return [n for n in known if n in SPRING[element.kind]]
    return [n for n in known if getattr(element, n) != type(element).__dataclass_fields__[n].default]


def split(key: str) -> tuple[str, int, str, int | None]:
    """Kind, id, field and place of a key of `parameters`."""
    kind, _, rest = key.partition("/")
    number, name, part = [*rest.split("."), "", ""][:3]
    return kind, int(number), name, int(part) if part else None
