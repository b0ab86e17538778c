"""One analysis of a model: `simulate`."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from typing import Any

from ...integrators.selection import option_name
from ...integrators.stepper import IntegrationError
from ...model import Model, ModelError
from ...model.kinds import is_number, shown
from ...model.quantity_text import converted
from ...results.run import Run
from ...system.multipliers import BASIC
from ..cosimulation.presence import fmus_of
from ..dynamics.topology import set_states, switches_of
from .answer import keep as keep_run
from .answer import kept_file
from .output_times import interval_within
from .simulation import Simulation


def simulate(
    model: Model,
    end: float | None = None,
    steps: int | None = None,
    *,
    dt: float | None = None,
    kind: str = "auto",
    integrator: str | None = None,
    progress: bool | str | Callable[[float, float], None] | None = None,
    missing: str = "error",
    quiet: bool = True,
    keep: str | os.PathLike | None = None,
    redundant: str = BASIC,
    contact: str | None = None,
    referee: bool | str | None = None,
    follow: Callable[[float, dict[str, Any]], None] | None = None,
    **options: Any,
) -> Run:
    """Simulate a model and return the `Run`.

    ``end``: end time; output at ``steps`` equal intervals or every ``dt``.  ``kind``: "dynamics", "kinematics",
    "statics", "quasistatics", "initial", or "auto" (kinematics for a model without degrees of freedom, otherwise
    dynamics).
    ``integrator``: one of `integrators.selection.METHODS` ("DOP853", "GSTIFF", "HHT", "RADAU5", ...), with
    ``formulation`` "I3", "SI2" or "SI1" for those that have it; the default is DOP853, and an implicit method while
    stability limits its step. Further options (`integrators.selection.OPTIONS`, docs/integrators.md): ``error``,
    ``absolute``, ``scale``, ``hinit``, ``hmin``, ``hmax``, ``step``, ``kmax``, ``maxit``, ``corrector``,
    ``interpolate``, ``pattern``, ``jacobian``, ``adaptivity``, ``planar``...
    ``coordinates``: "maximal" (all bodies), "joint" (of the joints) or "auto" (default without contacts); see
    docs/joint-coordinates.md.
    ``contact``: how contacts are treated in dynamics and statics: "compliant" (forces of their laws), "events"
    (constraints, impacts located in time) or "time-stepping" (constraints, Moreau-Jean at a fixed ``step``); see
    docs/rigid-contact.md.
    ``referee``: an independent check that ends a dynamic analysis in which a body passes through another against its
    contact (docs/robustness.md): True (default), False, or "strict", which samples every step 100 times.
    ``redundant``: reactions of redundant constraints, see `Simulation`. ``keep``: a file to which rows are written
    during the run, so that the results of a killed process are not lost; after the run it contains the complete run, as
    written by `Run.save`. ``follow``: called with the time and the row (``body_position``, ``body_quaternion``, ...:
    read-only arrays) after each row; a KeyboardInterrupt raised there stops the run and keeps the results so far.
    ``progress``: True shows a progress bar, False none, None a bar on a terminal and in a notebook, "log" log lines; a
    function is called with the time and the step size a few times a second, also between rows.
    Warnings about the model and the results are issued as `holonom.ModelWarning` (``run.info["warnings"]`` lists them,
    ``run.info["messages"]`` all messages of the analysis); messages and progress go to the logger "holonom". Raises
    `ModelError` for an invalid model and IntegrationError (with ``.run``, the results so far) when a run cannot
    continue.
    """
    if not isinstance(model, Model):
        text = isinstance(model, (str, os.PathLike))
        read = "read the file first, as holonom.read_adams(path)" if text else "give a holonom.Model"
        raise ModelError(f"simulate needs a model, not {shown(model)}; {read}")
    if kind in ("auto", "dynamics"):
        own = inspect.signature(Simulation.dynamics).parameters  # grains=, threads=
        for word in options:  # before anything is found missing: tend= for end=
            if word not in own:
                option_name(word, ARGUMENTS)
    end, dt = (converted(value, "s", model.units, word) for value, word in ((end, "end"), (dt, "dt")))
    sim = Simulation(model, progress=progress, missing=missing, quiet=quiet, redundant=redundant, referee=referee)
    if is_number(end):  # else it is refused with the output times
        interval_within(dt, end - sim.time)
    sim.recorder.file = kept_file(keep)
    sim.recorder.follow = follow
    sim.systems.share = bool(fmus_of(model))  # else there is one analysis
    try:
        if kind == "auto":
            driven = (
                sim.degrees_of_freedom(contact, integrator) == 0
                and sim.system.m
                and not sim.system.nx
                and not sim.carried.switched
                and not any(e.active for e in model.table("FMU").values())
            )
            kind = "kinematics" if driven and integrator is None and contact is None and not options else "dynamics"
        if kind in ("statics", "initial"):
            times = (("end", end), ("steps", steps), ("dt", dt))
            given = [word for word, value in times if not (value is None or (is_number(value) and value == 0))]
            if given:
                sim.warn(
                    f"{', '.join(given)} {'has' if len(given) == 1 else 'have'} no influence on "
                    f"{'statics' if kind == 'statics' else 'initial conditions'}, which computes one position"
                    + ('; for positions over time give kind="quasistatics"' if kind == "statics" else "")
                )
            if integrator is not None:
                sim.warn(
                    f"INTEGRATOR = {integrator} has no influence on "
                    f"{'statics' if kind == 'statics' else 'initial conditions'}"
                )
            getattr(sim, kind)(**options, **({"contact": contact} if kind == "statics" else {}))
        elif kind in ("dynamics", "kinematics", "quasistatics"):
            if kind == "dynamics":
                options["integrator"], options["contact"] = integrator, contact
            elif integrator is not None:
                sim.warn(f"INTEGRATOR = {integrator} has no influence on {kind}")
            if kind == "quasistatics":
                options["contact"] = contact
            getattr(sim, kind)(end=end, steps=steps, dt=dt, **options)
        else:
            raise ModelError(
                f"unknown kind of analysis '{kind}'; choose dynamics, kinematics, statics, quasistatics or initial"
            )
    except (IntegrationError, ModelError) as error:
        if len(sim.recorder):
            sim.recorder.close()
            error.run = keep_run(sim, keep, sim.run(), error)  # type: ignore[union-attr,attr-defined]
        raise
    finally:
        sim.recorder.close()
        if sim.coupling is not None:
            sim.coupling.close()
        sim.fmus.close()
        set_states(sim, {s.id: s.first for s in switches_of(model)})  # the model is as it was
    return keep_run(sim, keep, sim.run())


#: arguments of `simulate`, for what an unknown option may have meant
ARGUMENTS = tuple(n for n, p in inspect.signature(simulate).parameters.items() if p.kind is not p.VAR_KEYWORD)
