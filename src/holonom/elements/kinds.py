"""Types of elements that are self-describing in one file: their data, their forces and derivatives, their energy,
their states.

A file of ``elements/forces`` that ends in ``KIND = ForceKind(...)`` and is named in `FORCE_FILES` is a force: the
builder has a method for it, JSON and datasets carry it, every analysis and integrator computes with it, results, audits
and reports have it.  Nothing else of the package is touched.

The law of a force is three kernels.  They see of the element its values ``c``, its frames ``f`` (n,), its inputs ``u``
and its states ``x``, and of the machine the evaluated frames ``fr`` (`elements.frames`: p, A, v, w) and the time; the
last frame is the one that the force is relative to:

    force(c, f, fr, ref, t, u, x, W, xd)        W (6 n,): force and torque on each frame at its origin, ground axes; xd:
        rates of the states
    energies(c, f, fr, ref, t, u, x, W, out)    out: [0] energy stored, [1] power lost, [2] power put in from outside; W
        as ``force`` left it
    tangent(c, f, fr, ref, t, u, x, W, D)       D (6 n + nx, 12 n + nx + nu), zeros before: derivatives of (W, xd) with
        respect to, in this order, (dp, dtheta)
                                                of every frame, (dv, dw) of every frame, the states, the inputs

A fourth, `ForceKind.numbers`, gives derivatives by the numbers c faster than differences of ``force`` do, for gradients
by many coefficients.

``ref`` (n, 3): angles AX, AY, AZ of each frame in the last one at the last accepted step, where ``turns`` states that
the law counts them.  The sum of all powers is kept: power of W on the frames + d(out[0])/dt = out[2] - out[1]; audits
and tests hold a law to it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from .._jit import Kernel
from .._with_numba import Signature
from ..model.base import Element
from ..model.builder import Kinds
from ..model.builder.teaching import taught


def no_values(element: Any, model: Any) -> Sequence[Any]:
    """For a kind that has no states, or no inputs."""
    return ()


@dataclass(frozen=True)
class ForceKind:
    """``element``: the class of its data; ``builder(model, ...)``: makes one in a model, and becomes its method;
    ``values(element, model)``: its numbers ``c``, in the model's (consistent) units; ``states(element, position)``:
    start values of its states, where ``place(marker)`` is the `Frame` of a marker in ground as drawn;
    ``inputs(element, model)``: expressions of its inputs.  Each may raise ModelError.  Frames are those of the markers
    that ``element.ports`` names.

    Without kernels it is the drawing of a force that is compiled into the equations of motion: its law is in a file
    of its own, which `forces.pair_kinds` names."""

    element: type[Element]
    builder: Callable[..., Any]
    force: Kernel | None = None
    tangent: Kernel | None = None
    energies: Kernel | None = None
    values: Callable[[Any, Any], Sequence[float]] = no_values
    states: Callable[[Any, Any], Sequence[float]] = no_values
    inputs: Callable[[Any, Any], Sequence[str]] = no_values
    #: a force on a flexible body: of the element, its FLEXIBILITY and the forces (n,) on the coordinates of its modes
    #: for a first input of one
    modal: Callable[[Any, Any], tuple[Any, Sequence[float]]] | None = None
    #: a force that sees how parts bend: of (element, model) their FLEXIBILITYs.  Their coordinates q, of all in turn,
    #: then the rates of these, stand in ``u`` behind the inputs; forces on them in ``xd`` behind the rates of the
    #: states; in ``D`` rows behind those of the states, and columns behind those of the inputs
    coordinates: Callable[[Any, Any], Sequence[Any]] | None = None
    #: of (element, system) a handle on tables that its kernels check: c[0] becomes its address
    tables: Callable[[Any, Any], Any] | None = None
    #: of (its number among `PortForces.elements`, system, its tables, t, y) the time within which it cannot begin to
    #: act unseen: steps are no longer
    horizon: Callable[[int, Any, Any, float, Any], float] | None = None
    #: what each state is, for messages and tables
    state_words: tuple[str, ...] = ()
    #: the law counts turns: it reads ``ref``
    turns: bool = False
    #: numbers(c, f, fr, ref, t, u, x, g, wanted, bar): to bar (as c) where wanted (as c) is 1 the derivatives of
    #: g . (W, xd) by c, which it leaves as it was; without it, and of types from outside, they are differences of
    #: ``force``
    numbers: Kernel | None = None
    #: completes numbers c of (element, model) for ``tangent``, where that needs what ``force`` does not
    late: Callable[[Any, Any, Any], None] | None = None
    #: kernels that its own call through addresses, and their types, for those who compile all beforehand
    laws: tuple[tuple[Kernel, Signature], ...] = ()
    #: of (element, run) what its reader must know when the run has ended: ranges that it left, one sentence each
    doubts: Callable[[Any, Any], Sequence[str]] | None = None
    #: arguments of the Adams statement of this name, where there is one: (name, what it holds) as
    #: `formats.adams.arguments.Arg` has them, and fields that it must have
    statement: tuple[tuple[str, str], ...] = ()
    required: tuple[str, ...] = ()


#: files of `elements.forces` that are forces of their own: a line for each
FORCE_FILES = (
    "burgers_damper",
    "exact_beam",
    "hydraulic_cylinder",
    "hysteretic_spring",
    "maxwell_damper",
    "mforce",
    "modal_damping",
    "nforce",
    "pneumatic_cylinder",
    "power_damper",
    "rails.wheel_rail",
    "tyres.brush",
    "tyres.fiala",
    "tyres.mf6",
    "tyres.pac2002",
    "tyres.pac89",
    "tyres.tmeasy",
    "tyres.ua",
    "tyres.user",
)

#: KIND -> ForceKind
FORCES: dict[str, ForceKind] = {}


def register(kind: ForceKind) -> ForceKind:
    """Make a kind of force known, also one that stands outside of this package.  Raises ValueError where another has
    its name or its data are not a dataclass with a docstring."""
    name = kind.element.KIND
    if not name or FORCES.get(name, kind) is not kind:
        raise ValueError(f"the kind of force '{name}' exists already; give another KIND")
    if not dataclasses.is_dataclass(kind.element) or not kind.element.__doc__:
        raise ValueError(f"the data of '{name}' are not a dataclass with a docstring")
    FORCES[name] = kind
    setattr(Kinds, kind.builder.__name__, taught(kind.builder))
    return kind


for _file in FORCE_FILES:
    register(import_module(f".forces.{_file}", __package__).KIND)
#: KINDs that come with Holonom
SHIPPED = frozenset(FORCES)
for _name, _file in (("road", ".roads.road"), ("rail_track", ".forces.rails.track")):
    setattr(Kinds, _name, taught(getattr(import_module(_file, __package__), _name)))
