"""A steady contact as an applied force: what represents it once nothing about it changes any more.

The force and moment of a contact at one time of a run become a GFORCE, constant in ground axes, at the point where they
acted, which moves with the part of the I side (with the J side where that is the only one that moves); the other side
takes the reaction.  The contact is switched off.  It is not a contact any
more: nothing stops what sinks in, slips or lifts off, and it adds no stiffness; the model's warnings state this.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...model import Model
from ...model.shape import carrier_of
from ...results.run import Run

# the force may have changed by so much of itself over the last tenth of the time before, or that is reported
STEADY = 0.01
SPAN = 0.1


def freeze_contact(model: Model, run: Run, contact: Any, time: float | None = None):
    """Replace ``contact`` of ``model`` by the force that it has in ``run`` at ``time`` (default: the end); returns the
    GFORCE.

    ``run``: of this model or of one with the same parts and contact. Raises `ModelError` where the contact acts on more
    than two bodies, has grains, is not active, or is open at that time.
    """
    element = model.find("CONTACT", contact)
    if not element.active:
        raise element.error("it is not active, so there is nothing to freeze")
    if element.igrains or element.jgrains:
        raise element.error("it has grains, which no single force can represent")
    sides = []
    for ids in (element.igeom, element.jgeom):
        bodies = {(b.KIND, b.id): b for b in (carrier_of(model, model.find("GRAPHICS", n)) for n in ids)}
        if len(bodies) != 1:
            names = ", ".join(b.name for b in bodies.values())
            raise element.error(
                f"its shapes belong to several parts ({names}); freeze contacts of two parts one by one"
            )
        sides.append(next(iter(bodies.values())))
    when = float(run.time[-1]) if time is None else float(time)
    now = run.at([when])
    view = now.contact(element.name)
    force, torque, point = (np.asarray(x.values, float)[0] for x in (view.force, view.torque, view.point))
    size, held = float(np.linalg.norm(force)), force
    if float(view.points.values[0]) == 0.0 or size == 0.0:
        raise element.error(f"it does not touch at time {when:g}, so there is no force to freeze")
    i, j = sides
    if getattr(i, "ground", False):
        (i, j), force, torque = (j, i), -force, -torque
    part = now.part(f"{i.KIND}/{i.id}")
    place = part.axes.values[0].T @ (point - part.origin.values[0])
    marker = model.marker(i, tuple(place), name=f"{element.name}_frozen_at")
    axes = model.marker(model.ground, (0.0, 0.0, 0.0), name=f"{element.name}_frozen_axes")
    fx, fy, fz, tx, ty, tz = (repr(float(v)) for v in (*force, *torque))
    frozen = model.gforce(
        marker,
        j,
        rm=axes,
        name=f"{element.name}_frozen",
        fx=fx,
        fy=fy,
        fz=fz,
        tx=tx,
        ty=ty,
        tz=tz,
    )
    element.active = False
    last = int(np.flatnonzero(run.time <= when)[-1])
    first = min(int(np.searchsorted(run.time, when - SPAN * (when - run.time[0]))), max(last - 1, 0))
    rows = np.asarray(run.contact(element.name).force.values)[first : last + 1]
    changed = float(np.abs(rows - held).max(initial=0.0)) / size
    steady = (
        f"; it was not steady: over the last {SPAN:.0%} of the time before it changed by {changed:.2g} of itself"
        if changed > STEADY
        else ""
    )
    model.warn(
        f"{element.label} is frozen into {frozen.label}: {size:.6g} {run.units('force')} as at time {when:g}, constant "
        "in ground axes; nothing stops its parts "
        f"from sinking in, slipping or lifting off{steady}"
    )
    return frozen
