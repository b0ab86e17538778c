"""Runtimes of FMUs that come with the installation, so that an export needs no C compiler: `link_runtimes`.

``make wheel`` links them into ``holonom/_kernels/fmu``.  Each carries the kernels that models call by address: those of
the equations of motion, those of all forces and flexible bodies in addition, those of contacts in addition; and there
is each without and with exact derivatives.  With RADAU5 there is the last one alone, without and with.  An export takes
the smallest one that serves (`formats.fmu.runtime.runtime_for`).
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from .analyses.session.simulation import Simulation
from .contact.engine import derivatives
from .contact.pull import ENTRY as contact_pull_entry
from .contact.pull import contact_pull
from .contact.unilateral import active
from .elements.bodies import kinds
from .formats.fmu.derivatives import ExactDerivatives
from .formats.fmu.export import OF_BOUNDS, UNUSED, handles_of, unused_columns
from .formats.fmu.runtime import Form, Runtime, build_runtime, compiler, cross_compiler
from .kernel_forms import addressed
from .system import parts
from .system.part_calls import OPERATIONS
from .system.port_kernels import NUMBERS, TANGENT, port_stiffness
from .system.port_pull import ENTRY as port_pull_entry
from .system.port_pull import port_pull
from .warmup import bare_machine

#: what runtimes carry, smallest first -> whether kernels of a package of Holonom are part of it
GROUPS: dict[str, Callable[[str], bool]] = {
    "equations of motion": lambda package: package == "system",
    "forces and flexible bodies": lambda package: package != "contact",
    "contacts": lambda package: True,
}


class Linked(NamedTuple):
    """``runtimes`` that have been linked; ``reason``: why there are none, as text."""

    runtimes: list[Runtime]
    reason: str


def carried(exact: bool, implicit: bool = False) -> list[Form]:
    """All kernels that models call by address in co-simulation and in model exchange; ``exact``: with exact
    derivatives; ``implicit``: with RADAU5."""
    sim = Simulation(bare_machine())
    sim.open(record="none", events=False, coordinates="maximal")
    assert sim._stepping is not None
    system = sim._stepping.dynamics.system
    names, unused = list(OPERATIONS), OF_BOUNDS if implicit else UNUSED
    left_out = {
        Form(kernel, arguments, result)
        for _, column, kernel, result, arguments in parts.operations(system.S, system.W, system.wrenches)
        if names[column] in unused
    }
    columns = unused_columns(implicit)
    for body in kinds.BODY_TYPES:
        left_out |= {Form(k, a, result) for column, k, result, a in kinds.operations(body) if column in columns}
    forms = [f for f in (Form(*form) for form in addressed()) if f not in left_out]
    # an FMU has no derivatives by numbers of laws
    forms = [f for f in forms if f.arguments != NUMBERS and (implicit or f.kernel is not port_stiffness)]
    if exact:
        return forms + [Form(port_pull, port_pull_entry, None), Form(contact_pull, contact_pull_entry, None)]
    if implicit:
        return forms
    return [f for f in forms if f.arguments != TANGENT and f.kernel not in (derivatives, active)]


def link_runtimes(folder: Path, count: int = len(GROUPS)) -> Linked:
    """Link the first ``count`` runtimes of `GROUPS` into ``folder``, for Windows too where the package ``ziglang`` is
    installed; none where there is no C compiler, and on other systems than Linux on x86-64."""
    if not sys.platform.startswith("linux") or platform.machine() != "x86_64":
        return Linked([], "runtimes of FMUs are for Linux on x86-64")
    if not compiler():
        return Linked([], "linking runtimes of FMUs needs a C compiler; install gcc, or name one in CC")
    out = []
    for method in ("DOP853", "RADAU5"):
        implicit = method == "RADAU5"
        sim = Simulation(bare_machine())
        sim.open(integrator=method, record="none", events=False, coordinates="maximal")
        assert sim._stepping is not None
        d = sim._stepping.dynamics
        plain = handles_of(d.system, d.stepper, sim.y)
        exact = plain | {"adjoint": ExactDerivatives(d.system, []).adjoint}
        for has in list(GROUPS.values())[-1 if implicit else 0 : count]:
            for handles in (plain, exact):
                forms = carried(handles is exact, implicit)
                forms = [f for f in forms if has(f.kernel.py_func.__module__.split(".")[1])]
                out.append(build_runtime(handles, forms, folder, bool(cross_compiler())))
    return Linked(out, "")
