"""Every form of a kernel that Python calls, found from declarations and without running a model.

Kernels declare the types of their arguments by name (`_entry_types`).  What the names of tables stand for is found here
from values: tables of a system of two bodies, and what solvers hold that have just been set up on it.  `forms` gives
them all; `compile_forms` compiles them, which is what ``make wheel`` and ``holonom warmup --all`` do.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from . import __name__ as _package
from . import __path__ as _folder

if TYPE_CHECKING:
    from ._jit import Kernel

#: not part of a run: the command line, and what needs a graphics card
_APART = (f"{_package}.__main__", f"{_package}.granular.cuda")


def kernels() -> list[Kernel]:
    """All kernels of the package that Python calls."""
    from ._jit import ENTERED

    for info in pkgutil.walk_packages(_folder, f"{_package}."):
        if info.name not in _APART:
            importlib.import_module(info.name)
    return [kernel for kernel in ENTERED if kernel.py_func.__module__.startswith(f"{_package}.")]


Values = Iterator[Any]


def _tables(system: Any) -> Values:
    from .elements.bodies.entry import bodies_handle
    from .elements.bodies.kinds import empty_handle
    from .expressions.piecewise import pack

    S = system.S
    yield empty_handle().W.meshes.blocks[0]
    yield from (S.bodies, S.fr, S.pairs, S.fn.programs, S.ldl, pack([]), bodies_handle(S.bodies))


def _explicit(system: Any) -> Values:
    from .integrators import runge_kutta as rk
    from .integrators.entry import make_explicit
    from .integrators.joint_set import JointSet
    from .integrators.partition import Partition
    from .recursive.entry import make_recursion

    joints = JointSet(system, system.S, system.W)
    for minimal in (None, Partition(system, system.S, system.W).arrays, joints.arrays):
        handle, stages = make_explicit(system, rk.EULER, minimal=minimal)
        yield from (handle, stages)
    yield from (joints.tree, make_recursion(system, joints.tree))


def _methods(system: Any) -> Values:
    """What steppers hold."""
    from .integrators._moreau_implicit import LinearlyImplicit
    from .integrators.selection import choose_for, make
    from .integrators.stepper import Scales

    joint = make(choose_for(system.model, "RADAU5", {"coordinates": "joint"}), system)
    yield joint.stage_handle
    for name in ("ABAM", "GSTIFF", "WSTIFF", "HHT", "RADAU5"):
        stepper = make(choose_for(system.model, name, {}), system)
        if name == "ABAM":
            yield stepper.A
            continue
        stepper._make_handle()
        yield stepper.handle
        if hasattr(stepper, "history"):
            yield stepper.history
    scales = Scales(system, system.y0, 1.0, stepper.options)
    scales.weights(system.y0, 1.0, np.zeros(len(system.y0)))
    yield from (scales._handle, LinearlyImplicit(system, 1.0, 1e-9)._at())


def _adjoint(system: Any) -> Values:
    from .integrators.adjoint import pulls_of
    from .integrators.adjoint_alpha_family import AlphaAdjoint
    from .integrators.adjoint_radau import RadauAdjoint
    from .integrators.adjoint_runge_kutta import RungeKuttaAdjoint
    from .integrators.selection import choose_for, make

    wanted = [np.zeros(t.shape, np.uint8) for t in system.S.pairs.t]
    for name, adjoint in (("DOP853", RungeKuttaAdjoint), ("HHT", AlphaAdjoint), ("RADAU5", RadauAdjoint)):
        plain = choose_for(system.model, name, {"coordinates": "maximal"})
        handle = adjoint(system, make(plain, system), wanted, []).handle
        yield from (handle, pulls_of(handle))


def _equations(system: Any) -> Values:
    from ._handle import make_handle
    from .system.implicit import Implicit, Linear
    from .system.outputs import Outputs

    implicit = Implicit(system)
    yield make_handle(implicit.S, implicit.W, Linear(implicit.I))
    yield from (make_handle(system.S, system.W, ()), Outputs(system).handle)


def _contact(system: Any) -> Values:
    from ._handle import make_handle
    from .contact.activation import Base
    from .contact.referee.judge import Referee, Rules, Scene
    from .contact.referee.points import ReferencePoints
    from .contact.referee.surfaces import NOTHING, Surface, pack
    from .contact.rigid.problem import make_problem
    from .contact.rigid.rows import make_memory
    from .contact.shapes._address import no_shapes
    from .granular import Granular, Law

    i = lambda *shape: np.zeros(shape, np.int64)
    yield Base(i(0), i(0), i(0), i(0), i(1), i(0, 36), i(0), i(1), i(0), 0)
    yield from (no_shapes(), pack([]), make_problem(1, 1, 0, np.zeros((1, 6)), np.zeros(6)), make_memory(1, 0, 0.5))
    nothing = [(Surface(NOTHING), ReferencePoints(np.zeros((1, 3)), np.zeros(1)))]
    scene = Scene(nothing, i(1), 0, np.zeros((1, 3)), np.zeros((1, 9)), [(i(1), i(1))], np.zeros(1, bool))
    yield Referee(scene, Rules()).handle
    yield from (make_handle(no_shapes(), (), ()), make_handle(system.S.fr, (), ()))
    grains = Granular(Law(stiffness=1.0), step=1e-3)
    grains.add((0.0, 0.0, 0.0), 1.0, density=1.0)
    yield grains._ready()


#: what gives values of the types that declarations name, of a system
SOURCES: tuple[Callable[[Any], Values], ...] = (_tables, _explicit, _methods, _adjoint, _equations, _contact)


@cache
def _named() -> dict[str, dict[str, Any]]:
    """Text of a declaration -> class of the tuple -> type."""
    from numba import typeof
    from numba.core import types

    from ._entry_types import described
    from ._handle import HandleType
    from .system.build import System
    from .warmup import bare_machine

    found: dict[str, dict[str, Any]] = {}

    def note(kind: Any) -> None:
        cls = getattr(kind, "instance_class", None)
        found.setdefault(described(kind), {}).setdefault(f"{cls.__module__}.{cls.__qualname__}" if cls else "", kind)

    system = System(bare_machine())
    for source in SOURCES:
        for value in source(system):
            kind = typeof(value)
            note(kind)
            if isinstance(kind, HandleType):
                for held in getattr(kind.content.types[2], "types", ()):
                    if isinstance(held, types.BaseNamedTuple):
                        note(held)
    return found


def _meant(kernel: Kernel, text: str) -> Any:
    """The type of tables that a declaration of a kernel names.  Raises LookupError where there is none, and where
    several classes have the name and the file of the kernel knows none of them."""
    found = _named().get(text, {})
    cls = kernel.py_func.__globals__.get(text.removeprefix("complex "))
    kind = found.get(f"{cls.__module__}.{cls.__qualname__}") if isinstance(cls, type) else None
    if kind is None and len(found) == 1:
        (kind,) = found.values()
    if kind is None:
        where = ", ".join(found) or "no source of kernel_forms.SOURCES gives it"
        raise LookupError(
            f"{kernel.py_func.__module__}.{kernel.py_func.__name__} declares {text}, which is not known: {where}"
        )
    return kind


def forms() -> Iterator[tuple[Kernel, tuple]]:
    """(kernel, types of its arguments) of each form that Python calls.  Nothing of these is compiled yet."""
    from ._entry_types import parsed, split, texts

    for kernel in kernels():
        for text in texts(kernel.entered):
            yield kernel, tuple(parsed(t, partial(_meant, kernel)) for t in split(text))


def contact_kernels() -> Iterator[tuple[Kernel, tuple]]:
    """(kernel, types of its arguments) of every pair of shapes, law and friction, as contacts call them.  Nothing is
    compiled yet."""
    from importlib import import_module

    from .contact import friction, laws, shapes
    from .contact.engine import ACCEPT_ARGUMENTS, FRICTION_ACCEPT_ARGUMENTS, FRICTION_ARGUMENTS, LAW_ARGUMENTS
    from .contact.shapes._address import PAIR_ARGUMENTS

    for name in sorted({*shapes.PAIRS.values(), "as_meshes", "bounded_plane", "swept"}):
        yield import_module(f"{shapes.__name__}.{name}").contact, PAIR_ARGUMENTS
    for package, names, force, accept in (
        (laws, laws.LAWS, LAW_ARGUMENTS, ACCEPT_ARGUMENTS),
        (friction, friction.FRICTIONS, FRICTION_ARGUMENTS, FRICTION_ACCEPT_ARGUMENTS),
    ):
        for module in dict.fromkeys(map(package.module, names)):
            yield module.force, force
            if getattr(module, "MEMORY", 0):
                yield module.accept, accept


def registered_forces() -> Iterator[tuple[Kernel, tuple]]:
    """(kernel, types) of every registered force and of the loops over them, as the equations of motion call them.
    Nothing is compiled yet."""
    from .elements.kinds import FORCES
    from .system.port_kernels import ENTRY, LAW, NUMBERS, TANGENT, port_engine, port_stiffness

    for kind in FORCES.values():
        laws = (kind.force, LAW), (kind.energies, LAW), (kind.tangent, TANGENT), (kind.numbers, NUMBERS)
        for kernel, arguments in laws:
            if kernel is not None:
                yield kernel, arguments
    for loop in (port_engine, port_stiffness):
        yield loop, ENTRY


def laws_of_forces() -> Iterator[tuple]:
    """(kernel, type of its result, types of its arguments) of laws that registered forces call, and of roads.  Nothing
    is compiled yet."""
    from .elements.kinds import FORCES
    from .elements.roads import road
    from .elements.roads.surface import ROAD_DUALS, ROAD_REAL

    for kind in FORCES.values():
        for law, form in kind.laws:
            yield (law, *form)
    for law in road.LAWS.values():
        for form in (ROAD_REAL, ROAD_DUALS):
            yield (law, *form)


def addressed() -> Iterator[tuple[Kernel, tuple, Any]]:
    """(kernel, types of its arguments, type of its result or None) of each form that kernels call by address: parts of
    the equations of motion, types of bodies, meshes, contacts, registered forces, tyres, roads.  Nothing of these is
    compiled yet."""
    from .contact.call import ACTIVE_ARGUMENTS, ENGINE_ARGUMENTS
    from .contact.engine import derivatives, engine
    from .contact.unilateral import active
    from .elements.bodies import absolute, kinds
    from .system import parts
    from .system.build import System
    from .warmup import bare_machine

    system = System(bare_machine())
    for _, _, kernel, result, arguments in parts.operations(system.S, system.W, system.wrenches):
        yield kernel, arguments, result
    for body in kinds.BODY_TYPES:
        for _, kernel, result, arguments in kinds.operations(body):
            yield kernel, arguments, result
    for _, _, kernel, result, arguments in absolute.loops(kinds.empty_handle()._numba_type_):
        yield kernel, arguments, result
    for kernel, arguments in (*contact_kernels(), *registered_forces()):
        yield kernel, arguments, None
    for kernel in (engine, derivatives):
        yield kernel, ENGINE_ARGUMENTS, None
    yield active, ACTIVE_ARGUMENTS, None
    for law, result, arguments in laws_of_forces():
        yield law, arguments, result


def everything() -> Iterator[tuple[str, Callable[[], None]]]:
    """(what, work) in turn: compile (or load) everything, package by package."""
    from ._address import address_of
    from ._later import eager

    groups: dict[str, list[Callable[[], Any]]] = {}
    for kernel, arguments in forms():
        groups.setdefault(kernel.py_func.__module__.split(".")[1], []).append(
            partial(lambda k, given: k.outer.compile(given), kernel, arguments)
        )
    for kernel, arguments, result in addressed():
        groups.setdefault(f"{kernel.py_func.__module__.split('.')[1]}, by address", []).append(
            partial(address_of, kernel, arguments, result)
        )

    def run(group: list[Callable[[], Any]]) -> None:
        with eager():
            for compile_form in group:
                compile_form()

    for name, group in groups.items():
        yield f"kernels of {name}", partial(run, group)
