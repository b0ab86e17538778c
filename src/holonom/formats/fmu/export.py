"""Models as FMUs: `export_fmu`."""

from __future__ import annotations

import hashlib
import os
import re
import struct
import uuid
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..._handle import Handle
from ...analyses.contact.treatment import is_rigid
from ...analyses.cosimulation.ends import FORCES, MOTIONS, add_end, end_names
from ...analyses.session.parameters import element_of, parameters_of, row_of
from ...analyses.session.simulation import Simulation
from ...contact.tables import FULL, INSIDE_STEP
from ...elements.bodies import layout
from ...elements.bodies.coupled import COLUMNS
from ...elements.bodies.coupled import OPERATIONS as OF_BODIES
from ...integrators import explicit_loop as loop
from ...integrators import radau_loop
from ...integrators.entry import explicit_handle
from ...integrators.explicit import ExplicitStepper
from ...integrators.radau import RADAU5
from ...integrators.reduced import GROWN
from ...integrators.selection import resolve
from ...model import Model, ModelError
from ...model.base import close_word, shown
from ...model.quantity_text import QUANTITIES
from ...system.functions import FORCE, MEASURE
from ...system.names import INPUT, SINCE, SLOPE, VALUE
from ...system.outputs import Watch
from ...system.part_calls import OPERATIONS
from .arrays import Member, members, members_of_fields
from .between_steps import BetweenSteps, refusals, routines_in_python
from .conditions import MOST_CONDITIONS, Conditions
from .conditions import refusals as conditions_refusals
from .derivatives import NONE, NOT_EXACT, ExactDerivatives, reason_against
from .description import Description, Variable, VariableUnit, quoted, unit_for
from .image import FLOAT_FUNCTION, FUNCTION, Image
from .runtime import known_kernels, runtime_for

VERSIONS = ("2.0", "3.0")
FMU_TYPES = ("cs", "me")
DERIVATIVES = ("exact", "differences")
PLATFORMS = {
    "2.0": {".so": "linux64", ".dll": "win64"},
    "3.0": {".so": "x86_64-linux", ".dll": "x86_64-windows"},
}
MAGIC = b"HOLONOM FMU 9"
TIME_VALUE, INPUT_VALUE, OUTPUT_VALUE, STATE_VALUE, RATE_VALUE, INDICATOR_VALUE, PARAMETER_VALUE = range(7)
ALL_PAIRS = "all-pairs"  # contact activation whose matrix has the same pattern at all times
GAIN = 10.0  # with which a state of model exchange is drawn to the constraints [1/s]
#: names of the components of the state of a body: position, quaternion, velocity, angular velocity in body axes
COMPONENTS = tuple(f"{name}[{k}]" for name, n in (("r", 3), ("p", 4), ("v", 3), ("w", 3)) for k in range(1, n + 1))
#: their quantities
STATE_QUANTITIES = ("length",) * 3 + ("none",) * 4 + ("velocity",) * 3 + ("angular_velocity",) * 3
#: quantity of an expression that is one function: with M, X, Y or Z behind its name, or the name itself
MEASURES = {"D": "length", "V": "velocity", "ACC": "acceleration", "W": "angular_velocity",
            "WDT": "angular_acceleration", "F": "force", "T": "torque"}  # fmt: skip
ANGLES = ("AX", "AY", "AZ", "PSI", "THETA", "PHI", "YAW", "PITCH", "ROLL")
#: numbers that mark where an input is kept; no model has them
MARKS = {VALUE: 7.0310927345e-231, SLOPE: 3.1170523982e-233, SINCE: 1.9031174521e-237}
#: why there are no contacts as constraints
RIGID = (
    "contacts as constraints (contact = {}) are not in the runtime, since their impacts are found and solved by Python "
    "between steps; use contact laws: contact = compliant, with a STIFFNESS for each CONTACT"
)
#: operations of parts and of bodies that no method calls without location of contacts, and those that explicit ones do
#: not call: their kernels are not carried
OF_BOUNDS = ("note_cubic", "note_series", "note_stages", "bound_nodes")
OF_MATRIX = ("stiffness", "prepare_slopes", "condense_matrix", "load_nodes", "mass_entries", "gradients")
UNUSED = (*OF_MATRIX, *OF_BOUNDS)
_DATE = (1980, 1, 1, 0, 0, 0)  # of the entries of the archive, so that equal models give equal files


def export_fmu(
    model: Model | Simulation,
    path: str | Path,
    inputs: Mapping[str, Any] | Sequence[Any] = (),
    outputs: Mapping[str, Any] | Sequence[Any] | None = None,
    *,
    parameters: Mapping[str, Any] | Sequence[str] = (),
    units: Mapping[str, str] | None = None,
    fmi: str = "2.0",
    kind: str = "cs",
    integrator: str = "DOP853",
    derivatives: str | None = None,
    platforms: Sequence[str] | str = (),
    ends: Mapping[str, Any] | None = None,
    **options: Any,
) -> Path:
    """Write a model as a Functional Mock-up Unit (FMU), which runs without Python.

    ``model``: a `Model`, or a `Simulation` whose present state is where the FMU starts.  ``inputs``: VARIABLEs (names,
    ids or elements) that the importer sets, in addition to those of `Model.input`.  ``outputs``: names of VARIABLEs,
    or a dictionary from names to expressions ("" for the VARIABLE of this name); by default all VARIABLEs that are not
    inputs.  ``parameters``: numbers of springs, dampers, bushings, beams and fields that the importer may change at any
    communication point, as "spring.k" (element and field).  A dictionary from a name to a list makes an array of
    inputs, outputs or parameters, as ``outputs={"tip": ["DX(tip)", "DY(tip)", "DZ(tip)"]}``, and a field that is a
    vector ("bush.k") is one: one variable in FMI 3.0, scalars ``tip[1]`` ... in 2.0.  ``units``: name of an input,
    output or parameter -> its quantity ("force", "torque", "velocity" ...), whose unit in the model is then part of the
    description; those of states and of outputs that are one function (DX, WZ, FM ...) are known.  ``fmi``: "2.0" or
    "3.0".  ``kind``: "cs" (co-simulation), "me" (model exchange) or "cs,me".  ``integrator`` and ``options``
    (``error``, ``hmax``, ``step`` ...) as in `Simulation.open`: an explicit method or RADAU5, for stiff models, on the
    equations of all bodies, with error control or at a fixed step.

    ``ends``: name -> marker (name, id or element): ends of joints for `cosimulate(joints=)` and for other importers,
    with inputs ``name.fx`` ... ``name.tz`` (the wrench at the marker), and outputs ``name.x`` ... (position),
    ``name.vx`` ..., ``name.wx`` ... (velocity, angular velocity) and ``name.xx`` ... ``name.yz`` (directions of its x
    and y axes), all in ground axes.

    Values are those of the same `Simulation.open` (``events=False`` unless given) and `Simulation.advance` to each
    communication point, in the units of the model; times are in seconds.  With ``events=True`` (co-simulation)
    functions that switch (IF, SIGN ...) are located; without, the error control follows them with small steps, as it
    does contacts that begin and end.  RADAU5 keeps its order of elimination, and its matrix has places for all contacts
    (``contact_activation="all-pairs"``).  Pulses of forces over time and corners of motions, at which steps end, are
    those within ``duration`` (of the model's time, default 1 s) from the start.

    ``platforms``: systems whose binaries the archive holds, "linux64" and "win64" (also as one text, "linux64,win64");
    by default Linux on x86-64, and Windows where there is a binary at hand.  Binaries come with wheels with compiled
    kernels; elsewhere they are linked once for each set of kernels (by a C compiler, those for Windows by the package
    ``ziglang``) and kept in the kernel cache.  Returns the path of the file.

    In model exchange the importer integrates the states x of all bodies (position, quaternion, velocity, angular
    velocity) and further states; their rates are  x' = f(P(x)) + g (P(x) - x),  f the equations of motion, P(x) the
    point on the constraints next to x, g = 10/s.  Conditions of functions that switch are event indicators; between
    events branches are held.

    Directional and adjoint (3.0) derivatives: in co-simulation those of outputs at the present communication point by
    inputs and ``parameters``, in model exchange those of rates and outputs by states too.  ``derivatives``: "exact",
    by the transposed equations of motion (at P(x); the binary is larger by half), or "differences", central ones of
    eighth order whose steps follow from the difference to those of sixth order; by default exact ones with model
    exchange where the elements of the model have them.

    Raises ModelError for what an FMU cannot carry: routines in Python, switches, contacts as constraints, other
    integrators; in model exchange also sensors of Adams (SENSOR), sampled blocks and delays, which co-simulation has;
    where ``derivatives="exact"`` is given and there are none; and for a platform whose binary cannot be linked here.

    Source: FMI 2.0.4 and 3.0.1 specifications of the Modelica Association.
    """
    if fmi not in VERSIONS:
        raise ModelError(f"export_fmu: fmi = {fmi!r} is not one of {', '.join(VERSIONS)}")
    kinds = tuple(part.strip().lower() for part in kind.split(","))
    if not set(kinds) <= set(FMU_TYPES) or len(set(kinds)) < len(kinds):
        raise ModelError(f"export_fmu: kind = {kind!r} is not one of cs (co-simulation), me (model exchange), cs,me")
    if derivatives not in (None, *DERIVATIVES):
        raise ModelError(f"export_fmu: derivatives = {derivatives!r} is not one of {', '.join(DERIVATIVES)}")
    if Path(path).suffix.lower() != ".fmu":
        raise ModelError(f"export_fmu: '{path}' does not end in .fmu, by which other programs know an FMU; add it")
    suffixes = _suffixes(platforms)
    if "step" in options:
        options.update(hmax=options.pop("step"), fixed=True)
    options.setdefault("events", False)
    options.setdefault("coordinates", "maximal")  # the runtime has no others
    if resolve(integrator)[0] == RADAU5.name:
        options.setdefault("contact_activation", ALL_PAIRS)
    given, taken = members(inputs, "input"), None if outputs is None else members(outputs, "output")
    units = dict(units or {})
    model, further = _with_ends(model, ends or {}, units)
    taken = None if taken is None else [*taken, *further]
    sim = _simulation(model, given, taken if isinstance(outputs, Mapping) else None)
    _refuse_rigid(sim, integrator, options.get("contact"))
    samples = dict(sim.carried.samples)
    sim.open(integrator=integrator, record="none", **options)
    try:
        export = _Export(sim, given, taken, parameters, units, kinds, samples, derivatives, suffixes)
        return export.write(Path(path), fmi)
    finally:
        sim.close()


def _with_ends(
    model: Model | Simulation, ends: Mapping[str, Any], units: dict[str, str]
) -> tuple[Model | Simulation, list[Member]]:
    """A copy with inputs and VARIABLEs of the ends of joints, and these as outputs; ``units`` gets their quantities."""
    if not ends:
        return model, []
    if not isinstance(model, Model):
        raise ModelError("export_fmu: ends need a Model; one of a Simulation has its inputs already")
    copy, out = model.copy(), []
    for name, marker in ends.items():
        if not (isinstance(name, str) and name.strip()):
            raise ModelError(
                f"export_fmu: an end has the name {shown(name)}; give each a text, which its inputs begin with"
            )
        taken, given = end_names(name)
        add_end(copy, copy._marker(marker.id if hasattr(marker, "id") else marker), taken, given)
        units |= dict(zip((*taken, *given), (*FORCES, *MOTIONS)))
        out += [Member(text) for text in given]
    return copy, out


def _suffixes(platforms: Sequence[str] | str) -> list[str]:
    """Suffixes of the binaries for platforms; none: all that are at hand."""
    given = platforms.split(",") if isinstance(platforms, str) else list(platforms)
    names = [str(name).strip() for name in given if str(name).strip()]
    known = {name: suffix for table in PLATFORMS.values() for suffix, name in table.items()}
    for name in names:
        if name not in known:
            raise ModelError(
                f"export_fmu: there is no platform {shown(name)}; choose from {', '.join(PLATFORMS['2.0'].values())}"
            )
    return list(dict.fromkeys(known[name] for name in names))


def _output_name(m: Member) -> str:
    """Of the VARIABLE that is an output with a name."""
    return f"{m.name}[{m.position}]" if m.total else m.name


def _simulation(model: Model | Simulation, inputs: list[Member], outputs: list[Member] | None) -> Simulation:
    """A simulation of a copy of the model, which has a VARIABLE for each of the ``outputs`` that is an expression."""
    given = model if isinstance(model, Simulation) else None
    copy = (given.model if given is not None else model).copy()  # type: ignore[union-attr]
    named = {v.name.lower(): v.id for v in copy.table("VARIABLE").values() if v.name}
    for m in outputs or ():
        name, text = _output_name(m), m.what
        if not m.name or (not text and not m.total):  # a VARIABLE
            continue
        if not isinstance(text, str) or not text.strip():
            raise ModelError(f"export_fmu: output '{name}' is {shown(text)}; give an expression")
        if m.total and text.strip().lower() in named:
            text = f"VARVAL({named[text.strip().lower()]})"
        taken = next((v for v in copy.table("VARIABLE").values() if v.name.lower() == name.lower()), None)
        if taken is not None:
            raise ModelError(f"export_fmu: output '{name}' has the name of {taken.label}; choose another name")
        copy.variable(text, name)
    sim = Simulation(copy)
    if given is not None:
        sim.take(given.state())
    for one in (m.what for m in inputs):
        sim.inputs.name(one.id if hasattr(one, "id") else one)
    for number, course in list(sim.inputs.courses.items()):
        if not course.given:  # they are inputs from the start, with the values that they have there
            sim.set_input(number, course.value)
    return sim


def _refuse_rigid(sim: Simulation, integrator: str, contact: str | None) -> None:
    """Raises ModelError for contacts as constraints, which other integrators need, before these are chosen."""
    method = contact or ("time-stepping" if resolve(integrator)[0] == "MOREAU_JEAN" else sim.model.rigid.method)
    if is_rigid(method) and any(c.active for c in sim.model.table("CONTACT").values()):
        raise ModelError(f"export_fmu: model '{sim.model.name}' cannot be an FMU: {RIGID.format(method)}")


def _refuse(sim: Simulation, kinds: Sequence[str]) -> None:
    """Raises ModelError, with all reasons, for what analyses do between steps and the runtime does not."""
    stepping = sim._stepping
    assert stepping is not None
    d, system = stepping.dynamics, stepping.dynamics.system
    names = lambda elements: ", ".join(e.label for e in elements)
    why: list[str] = []
    explicit = isinstance(d.stepper, ExplicitStepper)
    if type(d.stepper) is not RADAU5 and (not explicit or d.stepper.minimal):
        how = " in joint coordinates or a minimal set" if d.stepper.minimal else ""
        why.append(f"integrator {d.stepper.name}{how} is not in the runtime; choose DOP853, DOPRI5, RK4 or RADAU5")
    elif not explicit and d.stepper.touching and d.stepper.implicit.mode != ALL_PAIRS:
        why.append(f"contact_activation = {d.stepper.implicit.mode} is not in the runtime; leave it out")
    elif not explicit and d.stepper.pivots != "auto":
        why.append(f"linear_solver = {d.stepper.pivots} is not in the runtime; leave it out")
    if system.contacts.on and system.contacts.rigid:
        why.append(RIGID.format("events"))
    if d.topology is not None:
        why.append(
            f"{names(sim.model.table('SWITCH').values())}: each combination of elements that are on is a system of "
            "its own, which Python assembles; use forces with IF or STEP of a VARIABLE in their place (events=True "
            "locates IF)"
        )
    if d.choice.events and "me" in kinds:
        why.append("events=True is for co-simulation; in model exchange the importer locates events, leave it out")
    why += conditions_refusals(d)
    if d.remembers:
        why.append("parts that yield are not available")
    if routines := routines_in_python(d):
        why.append(
            f"{'; '.join(routines)}: routines in Python are not available; write expressions or splines in their place"
        )
    if system.outputs._orient:
        why.append("ORIENT is not available")
    if d.breaks is not None and any(b.jumps or b.leaps for b in d.breaks.list):
        why.append("motions that jump are not available")
    driven = {key[1] for key in system.functions.constant_inputs}
    if driven:
        table = sim.model.table("VARIABLE")
        why.append(f"{names(table[n] for n in sorted(driven))}: inputs of motions are not available; use a force")
    why += refusals(d, "me" in kinds)
    if why:
        raise ModelError(f"export_fmu: model '{sim.model.name}' cannot be an FMU: " + "; ".join(why))


def measured(expression: str) -> str:
    """The quantity of an expression that is one measure of markers (``DX(tip)``), "" of others."""
    found = re.fullmatch(r"\s*([A-Z]+)\s*\([^()]*\)\s*", expression.upper())
    name = found[1] if found else ""
    return "angle" if name in ANGLES else MEASURES.get(name[:-1], "") if name[-1:] in tuple("MXYZ") else ""


def _variable(
    m: Member, name: str, causality: str, start: float | None, said: str = "", exact: bool = False
) -> Variable:
    """One number of the FMU, as an element of an array where it is one; ``exact``: the name of the array needs no
    quotes."""
    if not m.total:
        return Variable(quoted(m.name), causality, start, said)
    if not m.name:
        return Variable(name, causality, start, said)
    array = m.name if exact else quoted(m.name)
    size = m.total if m.position == 1 else 0
    return Variable(f"{array}[{m.position}]", causality, start, said, array=array, size=size)


def _components(model: Model, text: str) -> int:
    """Number of components of a parameter that is a vector, else 0."""
    what, _, name = text.rpartition(".")
    value = getattr(element_of(model, what), name, None) if what and name.isidentifier() else None
    return len(value) if isinstance(value, tuple) else 0


def _copied(source: Any, element: Any, name: str, component: int | None, model: Model) -> int | None:
    """Column of the row of an element that is its field ``name``, or a component of it, and the only one that depends
    on it; None: none."""
    before: Any = getattr(element, name)
    rows: list[tuple[float, np.ndarray]] = []
    one: Any = before if component is None else before[component] if isinstance(before, tuple) else None
    if not isinstance(one, float):
        return None
    try:
        for factor in (1.0, 1.25, 1.5):
            value = factor * (one or 1.0)
            whole = value if component is None else (*before[:component], value, *before[component + 1 :])
            setattr(element, name, whole)
            rows.append((value, np.array(source.row(element, model), float)))
    finally:
        setattr(element, name, before)
    changed = np.flatnonzero(np.any([row != rows[0][1] for _, row in rows], axis=0))
    if len(changed) != 1 or any(row[changed[0]] != value for value, row in rows):
        return None
    return int(changed[0])


def handles_of(system: Any, stepper: ExplicitStepper | RADAU5, y: np.ndarray) -> dict[str, Handle]:
    """What the runtime steps with, by name, of a simulation that is open."""
    whole = explicit_handle(system)
    if isinstance(stepper, RADAU5):
        scales = whole  # weights are part of its own handle
    else:
        if stepper.scales._handle is None:
            stepper.scales.weights(y, stepper.options.error, stepper.stages.weight)
        scales = stepper.scales._handle
    return {"step": stepper.handle, "whole": whole, "outputs": system.outputs.handle, "scales": scales}


def unused_columns(implicit: bool = False) -> set[int]:
    """Columns of ``bodies.coupled`` whose kernels are not carried; ``implicit``: with RADAU5."""
    if implicit:
        return {COLUMNS[name] for name in OF_BOUNDS if name in OF_BODIES}
    found = {COLUMNS[name] for name in UNUSED if name in OF_BODIES}
    return found | {COLUMNS[name] + 1 for name, o in OF_BODIES.items() if o.complex_arguments is not None}


class _Export:
    """A simulation that is open, as data for the runtime."""

    def __init__(
        self,
        sim: Simulation,
        inputs: list[Member],
        outputs: list[Member] | None,
        parameters: Mapping[str, Any] | Sequence[str],
        units: dict[str, str],
        kinds: tuple[str, ...],
        samples: dict[tuple[str, int], float],
        derivatives: str | None,
        suffixes: list[str],
    ):
        _refuse(sim, kinds)
        self.suffixes = suffixes
        self.given_units = units
        self.parameters = members_of_fields(parameters, lambda text: _components(sim.model, text))
        self.sim, self.kinds = sim, kinds
        stepping = sim._stepping
        assert stepping is not None
        stepping.evaluate()
        d = stepping.dynamics
        d.touch.look_inside_step(False)  # contacts are as at the end of a step
        self.system, self.stepper = d.system, d.stepper
        self.implicit = isinstance(d.stepper, RADAU5)
        self.splinter = d._splinter
        self.between = BetweenSteps(d, samples)
        self.y, self.q, self.xd = self.between.y, np.zeros_like(sim.y), np.zeros_like(sim.y)
        self.control = self._control()
        self.handles = handles_of(self.system, self.stepper, self.y)
        self.watch = self._watch() if "me" in kinds else None
        self.conditions = Conditions(d, self.watch)
        self.changed = [self._parameter(m.what) for m in self.parameters]
        self.exact = None
        if self._is_exact(derivatives):
            self.exact = ExactDerivatives(self.system, [where for *_, where in self.changed])
            self.handles["adjoint"] = self.exact.adjoint
        self._link()
        self.inputs = self._inputs(inputs)
        self.variables, self.rows, self.slots = self._variables(outputs)
        self.pulls = self._pulls()

    def _is_exact(self, derivatives: str | None) -> bool:
        """Whether the FMU has exact derivatives.  Raises ModelError where they are requested and there are none."""
        if derivatives == "differences" or (derivatives is None and "me" not in self.kinds):
            return False
        reason = reason_against(self.system)
        if reason and derivatives == "exact":
            raise ModelError(f"export_fmu: there are no exact derivatives: {reason}; give derivatives='differences'")
        return not reason

    def _watch(self) -> Watch | None:
        """Conditions of functions that switch, None without any; what they cannot be is refused."""
        system = self.system
        if system.contacts.on and system.contacts.S.memory:
            raise ModelError(
                "export_fmu: contact laws and friction that remember are not available in model exchange; use "
                "co-simulation"
            )
        if not system.functions.set.switches:
            return None
        watch = Watch(system)
        nested = any(key[0] == "SWITCH" for key in watch.set._input_index)
        if not watch.known.all() or nested or len(watch.switches) > MOST_CONDITIONS:
            bad = watch.switches[int(np.argmin(watch.known))]
            raise ModelError(
                f"export_fmu: {bad.label}: conditions that depend on forces, accelerations or other conditions, and "
                f"more than {MOST_CONDITIONS} conditions, are not available in model exchange; use co-simulation"
            )
        watch.values(self.sim.time, self.y)
        return watch

    def _control(self) -> np.ndarray:
        """The array that `explicit_loop.advance`, or `radau_loop.advance`, keeps between steps."""
        s, o = self.stepper, self.stepper.options
        if isinstance(s, RADAU5):
            control = np.zeros(radau_loop.RADAU_CONTROLS)
            radau_loop.set_up(s, control)
            return control
        control = np.zeros(loop.CONTROLS)
        control[loop.WANTED], control[loop.GROWTH], control[loop.ERROR] = s.h, GROWN, o.error
        control[loop.MOST], control[loop.LEAST] = o.hmax or np.inf, o.hmin or 0.0
        control[loop.FIXED], control[loop.PIVOT], control[loop.ENOUGH] = float(s.fixed), 1.0, np.inf
        return control

    def _link(self) -> None:
        """The runtime, and the block of all tables with the numbers of its kernels."""
        forms = known_kernels()
        numbers = {address: k for k, address in enumerate(forms)}
        listed = list(forms.values())
        deferred = {address: k for address, k in numbers.items() if address < 0}
        self.image = Image(
            {
                **self.handles,
                **({} if self.exact is None else self.exact.roots),
                **{"y": self.y, "q": self.q, "xd": self.xd, "control": self.control},
                **self.between.roots,
                **self.conditions.roots,
            },
            numbers,
            deferred,
            self.between.callbacks,
            () if self.exact is None else (self.exact.adjoint, self.exact.measured),
            *((radau_loop.FIXED_ARRAYS, radau_loop.WORK_ARRAYS) if self.implicit else ()),
        )
        places = self._unused()
        called = [r for r in self.image.relocations if r.kind in (FUNCTION, FLOAT_FUNCTION)]
        needed = {r.target for r in called if r.at not in places}
        self.runtime = runtime_for(self.handles, [listed[k] for k in needed], self.suffixes)
        at = {label: k for k, label in enumerate(self.runtime.kernels)}
        self.relocations = [
            r._replace(target=at.get(listed[r.target].label, -1)) if r.kind in (FUNCTION, FLOAT_FUNCTION) else r
            for r in self.image.relocations
        ]

    def _unused(self) -> set[int]:
        """Positions of addresses of operations that the method does not call: these kernels are not carried."""
        found: set[int] = set()
        of_bodies = unused_columns(self.implicit)
        unused = OF_BOUNDS if self.implicit else UNUSED
        of_parts = {list(OPERATIONS).index(name) for name in unused if name in OPERATIONS}
        for name in ("step", "whole", "outputs"):
            S = self.handles[name].S
            for table, columns in ((S.parts, of_parts), (S.bodies.coupled, of_bodies)):
                width = table.shape[1]
                found |= {self.image.offset(table) + 8 * (k * width + c) for k in range(len(table)) for c in columns}
        return found

    def _inputs(self, given: list[Member]) -> dict[int, Member]:
        """All inputs by id, those of arrays as they are given, before them the others."""
        inputs = self.sim.inputs
        arrays = {inputs.find(m.what.id if hasattr(m.what, "id") else m.what): m for m in given if m.name}
        if len(arrays) < sum(bool(m.name) for m in given):
            raise ModelError("export_fmu: inputs: a VARIABLE is part of two of them; give each once")
        alone = {n: Member(n) for n in sorted(self.system.inputs) if n not in arrays}
        return alone | arrays

    def _variables(
        self, outputs: list[Member] | None
    ) -> tuple[list[Variable], list[tuple[int, int]], list[tuple[int, ...]]]:
        """Variables of the FMU, (type, position) of each, and positions of each input."""
        self.states: list[int] = []
        out = self.system.outputs
        table = self.sim.model.table("VARIABLE")
        self.between.find_senvals(self._marked)
        second = VariableUnit("s", 1.0, (0, 0, 1, 0))
        variables, rows = [Variable("time", "independent", unit=second)], [(TIME_VALUE, 0)]
        slots: list[tuple[int, ...]] = []
        for number, m in self.inputs.items():
            v = table[number]
            start = float(self.sim.inputs.courses[number].value)
            variables.append(_variable(m, quoted(v.name or v.label), "input", start))
            rows.append((INPUT_VALUE, len(slots)))
            slots.append(self._slots(number))
        fval = self.image.offset(out.W.f.fval)
        at = {v.id: int(k) for v, k in zip(out.variables, out._variable)}
        for number, m in self._chosen(outputs):
            v = table[number]
            made = _variable(m, quoted(v.name or v.label), "output", None, v.function or "")
            variables.append(replace(made, direct=self._is_direct(at[number])))
            rows.append((OUTPUT_VALUE, fval + 8 * at[number]))
        for m, (element, name, value, (kind, row, column)) in zip(self.parameters, self.changed):
            table = self.system.S.pairs.t[kind]
            own = bool(m.name) and m.total > 0 and m.name == m.what.rpartition("[")[0]  # components of a vector
            of = f"{quoted(element.name or element.label)}.{name if own else m.what.rpartition('.')[2]}"
            variables.append(_variable(m._replace(name=of) if own else m, of, "parameter", value, exact=own))
            rows.append((PARAMETER_VALUE, self.image.offset(table) + 8 * (row * table.shape[1] + column)))
        variables = self._with_units(variables)
        if "me" in self.kinds:
            self._add_states(variables, rows)
        names = [v.name.lower() for v in variables] + [v.array.lower() for v in variables if v.array and v.size]
        twice = next((n for n in names if names.count(n) > 1), None)
        if twice is not None:
            raise ModelError(f"export_fmu: two variables of the FMU would be called '{twice}'; rename one")
        return variables, rows, slots

    def _is_direct(self, function: int) -> bool:
        """Whether an output may depend directly on inputs: it reads one, or forces or accelerations.  What is delayed
        does not, but by a delay that does; other routines are in no FMU."""
        s = self.system.outputs.set
        ours = {k for key, k in s._input_index.items() if key[0] == INPUT}
        read = s.flat[function]
        kinds = [(s.inputs[k].kind, s.inputs[k].level) for k in read]
        forced = any(kind == FORCE or (kind == MEASURE and level == 2) for kind, level in kinds)
        return forced or not ours.isdisjoint(read)

    def _with_units(self, variables: list[Variable]) -> list[Variable]:
        """Inputs, outputs and parameters with the units that are given or follow from their expressions."""
        units, known = self.sim.model.units, {v.array or v.name: v for v in variables}
        given = {quoted(n) if quoted(n) in known or "." not in n else n: q for n, q in self.given_units.items()}
        for name, quantity in given.items():
            if name not in known:
                close = close_word(name, known)
                hint = f"; did you mean '{close}'?" if close else ""
                raise ModelError(f"export_fmu: units: there is no variable '{name}'{hint}")
            if quantity not in QUANTITIES:
                close = close_word(quantity, QUANTITIES)
                hint = f"did you mean '{close}'?" if close else f"choose one of {', '.join(QUANTITIES)}"
                raise ModelError(f"export_fmu: units: there is no quantity '{quantity}' ({name}); {hint}")
        found = [
            given.get(v.array or v.name) or (measured(v.description) if v.causality == "output" else "")
            for v in variables
        ]
        several: dict[str, set[str]] = {}
        for v, quantity in zip(variables, found):
            several.setdefault(v.array, set()).add(quantity)
        mixed = {name for name, some in several.items() if name and len(some) > 1}  # an array has one unit
        return [
            replace(v, unit=unit_for(quantity, units)) if quantity and v.array not in mixed else v
            for v, quantity in zip(variables, found)
        ]

    def _chosen(self, outputs: list[Member] | None) -> list[tuple[int, Member]]:
        """Ids of the VARIABLEs that are outputs."""
        table, inputs = self.sim.model.table("VARIABLE"), self.system.inputs
        there = {v.id: v for v in self.system.outputs.variables if v.id not in inputs}
        if outputs is None:
            return [(n, Member(n)) for n in there]
        chosen = []
        names = {v.name.lower(): v.id for v in there.values()}
        for m in outputs:
            one = _output_name(m) if m.name else m.what
            number = one.id if hasattr(one, "id") else one if isinstance(one, int) else names.get(str(one).lower(), -1)
            if number not in there:
                if number in table and number in inputs:
                    raise ModelError(f"export_fmu: {table[number].label} is an input; leave it out of the outputs")
                close = close_word(str(one).lower(), names)
                have = ", ".join(v.name for v in there.values()) or "none"
                hint = f"the VARIABLEs are {have}; for an expression give a dictionary {{name: expression}}"
                hint = f"did you mean '{there[names[close]].name}'?" if close else hint
                raise ModelError(f"export_fmu: there is no output '{one}'; {hint}")
            chosen.append((number, m))
        return chosen

    def _parameter(self, text: str) -> tuple[Any, str, float, tuple[int, int, int]]:
        """Element, field, value, and (table, row, column) of a parameter among the pair forces.  Raises ModelError for
        what is not one number of a table."""
        if not isinstance(text, str):
            raise ModelError(f"export_fmu: a parameter is {shown(text)}; give a text like 'spring.k'")
        what, point, field = text.rpartition(".")
        if not point:
            raise ModelError(f"export_fmu: a parameter is '{text}'; give element and field, as 'spring.k'")
        name, bracket, place = field.partition("[")
        component = int(place.rstrip("]")) - 1 if bracket and place.rstrip("]").isdigit() else None
        element = element_of(self.sim.model, what)
        known = parameters_of(element)
        if name not in known:
            raise ModelError(
                f"export_fmu: {element.label} has no parameter '{name}'; "
                f"{'choose from ' + ', '.join(known) if known else 'it has none'}"
            )
        row = row_of(self.system, element)
        value = getattr(element, name)
        if component is not None and not (isinstance(value, tuple) and 0 <= component < len(value)):
            raise ModelError(f"export_fmu: parameter '{text}': {name} is {shown(value)}; there is no such component")
        found = None if row is None else _copied(row[2], element, name, component, self.sim.model)
        if row is None or found is None:
            raise ModelError(
                f"export_fmu: parameter '{text}' is not one number of the equations of motion, so that an importer "
                "cannot change it; use an input in its place"
            )
        start = float(value if component is None else value[component])
        return element, name, start, (row[0], row[1], found)

    def _pulls(self) -> list[tuple[int, int]]:
        """Of each variable what an exact derivative of it or by it needs; empty where there are none."""
        if self.exact is None:
            return []
        fval = self.image.offset(self.system.outputs.W.f.fval)
        inputs, changed, out = iter(self.inputs), iter(self.changed), []
        for kind, at in self.rows:
            if kind == INPUT_VALUE:
                out.append(self.exact.of_input(self.image, next(inputs)))
            elif kind == PARAMETER_VALUE:
                out.append(self.exact.of_parameter(self.image, *next(changed)[3]))
            elif kind == OUTPUT_VALUE:
                out.append(self.exact.of_output((at - fval) // 8))
            elif kind == RATE_VALUE:
                out.append(self.exact.of_rate(at))
            else:
                out.append((0 if kind == STATE_VALUE else NOT_EXACT, -1))
        return out

    def _slots(self, number: int) -> tuple[int, ...]:
        """Of an input, where the positions in the block begin in the list of the runtime at which its value, its slope
        and its time are kept, and how many these are."""
        places, counts = [], []
        for part, mark in MARKS.items():
            before = getattr(self.sim.inputs.courses[number], {VALUE: "value", SLOPE: "slope", SINCE: "since"}[part])
            found = self._marked((INPUT, number, part), before, mark)
            if not found:
                label = self.sim.model.table("VARIABLE")[number].label
                raise ModelError(
                    f"export_fmu: input {label} is not read by anything; remove it, or use it in a function"
                )
            places += found
            counts.append(len(found))
        return self.between.listed(places), *counts

    def _marked(self, key: tuple, before: float, mark: float = MARKS[VALUE]) -> list[int]:
        """Positions of a parameter, which is ``before``, wherever it is kept."""
        self.system.set_parameter(key, mark)
        self.conditions.evaluate(self.sim.time, self.y)  # conditions read it too
        if self.between.sampled is not None:
            self.between.sampled.take_parameters()
        found = self.image.find(mark)
        self.system.set_parameter(key, before)
        return found

    def _add_states(self, variables: list[Variable], rows: list[tuple[int, int]]) -> None:
        """The states that an importer integrates, their rates, and event indicators."""
        ground = layout.STATE * self.system.nb
        self.states = [*range(ground), *range(ground + layout.STATE, len(self.y))]
        names = [
            f"{quoted(e.name or e.label)}.{component}" for e in self.system.body_elements for component in COMPONENTS
        ]
        names += [f"state[{k + 1}]" for k in range(len(self.states) - len(names))]
        first = len(variables)
        units = self.sim.model.units
        quantities = [*STATE_QUANTITIES * len(self.system.body_elements), *[""] * len(names)]
        of = lambda quantity, rate=False: unit_for(quantity, units, rate) if quantity else None
        for name, k, quantity in zip(names, self.states, quantities):
            variables.append(Variable(name, "local", float(self.y[k]), unit=of(quantity)))
        for k, (name, quantity) in enumerate(zip(names, quantities)):
            variables.append(Variable(f"der({name})", "local", derivative=first + k, unit=of(quantity, True)))
        rows += [(STATE_VALUE, k) for k in self.states] + [(RATE_VALUE, k) for k in self.states]
        for k, (value, _) in enumerate(self._indicators()):
            variables.append(Variable(f"condition[{k + 1}]", "local", indicator=True))
            rows.append((INDICATOR_VALUE, value))

    def _indicators(self) -> list[tuple[int, int]]:
        """Positions of each condition and of the input that holds its branch."""
        if self.watch is None:
            return []
        watch, x = self.watch, self.image.offset(self.system.W.f.x)
        values = self.image.offset(watch.W.f.fval)
        return [(values + 8 * int(f), x + 8 * int(k)) for f, k in zip(watch._functions, watch._inputs)]

    def _contacts(self) -> tuple[int, int, int, int]:
        """Positions of the flags of contacts that the runtime reads and writes, and of the numbers of points that
        friction remembers, with how many these are."""
        contacts = self.system.contacts
        if not contacts.on:
            return -1, -1, -1, 0
        first = self.image.offset(contacts.W.count)
        frozen = (
            contacts.S.memory and not (self.stepper.fixed or self.implicit) and np.isfinite(contacts.bristle_limit())
        )
        kept = contacts.W.nmem
        return (
            first + 8 * FULL,
            first + 8 * INSIDE_STEP,
            self.image.offset(kept) if frozen else -1,
            len(kept) if frozen else 0,
        )

    # ---- the file ---------------------------------------------------------------------------------------------------
    def write(self, path: Path, fmi: str) -> Path:
        """The archive."""
        s, o, sim = self.stepper, self.stepper.options, self.sim
        identifier = re.sub(r"\W", "_", path.stem, flags=re.ASCII)
        identifier = identifier if re.match(r"[A-Za-z_]", identifier) else f"_{identifier}"
        per_second = 1.0 / sim.model.units.si_time
        indicators = self._indicators()
        between = self.between.head(self.image, self.conditions.shares) + self.conditions.head(self.image)
        body = self._tables(indicators, fmi)
        token = "{" + hashlib.sha256(body + repr(self.variables).encode()).hexdigest()[:32] + "}"
        im = self.image
        head = struct.pack(
            "16s40s72s18q6d5q", MAGIC, self.runtime.token.encode(), token.encode(),
            len(im.data), im.state, len(self.relocations),
            len(self.y), len(self.control), len(self.rows), len(self.slots), len(self.states), len(indicators),
            *(im.offset(array) for array in (self.y, self.q, self.xd, self.control)),
            *(im.offset(self.handles[name]) for name in ("step", "whole", "outputs", "scales")),
            -1 if self.conditions.watch is None else im.offset(self.conditions.watch.handle),
            float(sim.time), float(s.h), per_second, float(self.splinter), GAIN / per_second,
            float(self.system.contacts.bristle_limit()) if self.system.contacts.on else np.inf,
            int(not s.fixed), *self._contacts(),
        )  # fmt: skip
        head += between + (NONE if self.exact is None else self.exact.head(im, len(self.variables)))
        description = Description(
            fmi,
            self.kinds,
            identifier,
            sim.model.name or identifier,
            token,
            self.variables,
            float(sim.time) / per_second,
            float(sim.time) / per_second + 1.0,
            None if s.fixed else float(o.error),
            float(s.h) / per_second if s.fixed else None,
        )
        part = path.with_name(f"{path.name}.{uuid.uuid4().hex[:12]}.part")
        try:
            with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
                for name, content in (
                    ("modelDescription.xml", description.text().encode()),
                    ("resources/model.bin", head + body + bytes(im.data)),
                    *(
                        (f"binaries/{PLATFORMS[fmi][b.suffix]}/{identifier}{b.suffix}", b.read_bytes())
                        for b in self.runtime.binaries(self.suffixes)
                    ),
                ):
                    entry = zipfile.ZipInfo(name, _DATE)
                    entry.compress_type = zipfile.ZIP_DEFLATED
                    entry.external_attr = 0o644 << 16
                    archive.writestr(entry, content)
            os.replace(part, path)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise ModelError(f"export_fmu: '{path}' cannot be written: {error.strerror}") from None
        return path

    def _tables(self, indicators: list[tuple[int, int]], fmi: str) -> bytes:
        """Variables, inputs, relocations, states and indicators as the runtime reads them."""
        sizes = [v.size if fmi == "3.0" else 1 for v in self.variables]  # 0: a later element, which has no name there
        out = b"".join(struct.pack("3q", *row, size) for row, size in zip(self.rows, sizes))
        out += b"".join(struct.pack("4q", *slot) for slot in self.slots)
        out += b"".join(struct.pack("3q", *r) for r in self.relocations)
        out += struct.pack(f"{len(self.states)}q", *self.states)
        out += b"".join(struct.pack("2q", *pair) for pair in indicators)
        out += self.between.body() + self.conditions.body()
        return out + b"".join(struct.pack("2q", *pull) for pull in self.pulls)
