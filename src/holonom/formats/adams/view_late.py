"""What Adams View settles after a command: masses from density and geometry, instances of its own macro elements,
measures in functions.

Adams View keeps these up to date while a model is changed; a file is read once, so they are worked out when its last
command is done.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...model import bodies, forces, joints
from ...model.base import ModelError, Source
from ...model.mass_properties import MassProperties, mass_of_body
from .view_expression import Angle, Group, ViewError, as_number, as_text, whole
from .view_session import Command, Session, vector

#: what is not an element of the solver: interfaces to other programs
NO_ELEMENT = (".controls.",)
#: characteristics of measures: first letters of the solver's functions
_MOTIONS = (
    ("angular velocity", "W"),
    ("angular acceleration", "WDT"),
    ("displacement", "D"),
    ("position", "D"),
    ("velocity", "V"),
    ("acceleration", "ACC"),
)
MAX_WITHIN = 30
_SEEN = ("characteristic", "component", "coordinate_rframe", "motion_rframe")
#: parameters of measures that say what is measured, by the type of the measure
MEASURES = {
    "function": ("function", "user_function", "routine", "units"),
    "computed": ("text_of_expression", "units"),
    "range": ("of_measure_name", "type"),
    "angle": ("first_point", "middle_point", "last_point"),
    "pt2pt": ("from_point", "to_point", *_SEEN),
    "point": ("point", *_SEEN),
    "object": ("object", "from_first", *_SEEN),
}
MAX_MEASURES = 200  # of one function, also within each other


@dataclass
class Instance:
    """A ``ude``: an element that Adams View builds of others, determined by variables under its name."""

    name: str
    definition: str
    model: str
    line: int
    active: bool = True


class Late(Session):
    def __init__(self, path: str, lenient: bool) -> None:
        super().__init__(path, lenient)
        self.massless: dict[
            tuple[str, int], tuple[float | None, int]
        ] = {}  # (model, part): density or None for that of the material, line
        self.altered: dict[tuple[str, int], int] = {}  # parts with holes, blends, unions: line
        self.files: list[tuple[int, str]] = []  # of solids that are not read: line, name
        self.part_files: dict[int, str] = {}  # part: file of its solids, where the command names the part
        self.instances: dict[str, Instance] = {}
        self.measures: dict[str, Command] = {}
        self.within = 0
        self.gravities: set[str] = set()
        self.left = 0  # characters of commands that may still be carried out

    def parse(self, text: str) -> Command:
        """A command that is in the text of another one."""
        raise NotImplementedError

    def finish(self) -> None:
        for instance in self.instances.values():
            self._late(instance.line, "ude create instance", self.build, instance)
        for (model, number), (_, line) in list(self.massless.items()):
            self._late(line, "part mass_properties", self.settle_mass, model, number)
        for context in self.contexts.values():
            for part in context.model.parts.values():
                marker = context.objects.get(f"MARKER:{context.names.get(id(part), '').split('.', 2)[-1]}.cm")
                if part.mass is not None and part.cm is None and marker is not None and marker.part == part.id:
                    part.cm = marker.id  # View's own name for it
        for line, name in self.files[:20]:
            self.warnings.append(
                f"{self.path}:{line}: the solids of the file {name} are not read; masses and contacts that need them "
                "are missing"
            )

    def _late(self, line: int, words: str, work: Callable[..., None], *arguments: Any) -> None:
        try:
            work(*arguments)
        except (ViewError, ModelError) as error:
            self.problem(line, words, str(error))

    # ---- mass ----------------------------------------------------------------------------------------------------
    def mass_properties(self, model_name: str, number: int) -> MassProperties:
        """Of a part whose mass follows from its geometry."""
        density, _ = self.massless[model_name, number]
        model = self.contexts[model_name].model
        part = model.parts[number]
        if density is None:
            material = model.table("MATERIAL")[part.material]
            density = material.density
            if density is None:
                raise ViewError(
                    f"the material {material.name} of {part.name} has no density; give it one, or give the mass"
                )
        found = mass_of_body(model, part, density)
        if found is None:
            where = f"it has none here, the file {self.file_of(number)} is not read" if self.files else "it has none"
            raise ViewError(
                f"the mass of {part.name} follows from its density and its solids, and {where}; give mass, ixx, iyy "
                "and izz"
            )
        return found

    def file_of(self, number: int) -> str:
        """File that the solids of a part are in, the first one that is not read where no command says it."""
        return self.part_files.get(number, self.files[0][1])

    def settle_mass(self, model_name: str, number: int) -> None:
        try:
            found = self.mass_properties(model_name, number)
        except (ViewError, ModelError):
            if not self.files:
                raise
            self.contexts[model_name].model.parts[number].solid_file = self.file_of(number)
            return
        context = self.contexts[model_name]
        model = context.model
        part = model.parts[number]
        own = context.names[id(part)].split(".", 2)[-1]
        marker = model.markers.get(part.cm) if part.cm is not None else context.objects.get(f"MARKER:{own}.cm")
        if marker is None or marker.part != part.id:
            marker = bodies.Marker(
                part=part.id,
                qp=vector(found.centre),
                name="cm",
                source=Source(self.path, part.source.line if part.source else 0),
            )
            model.add(marker)
            self.enter(context, f"{own}.cm", marker)
        size = math.sqrt(max(np.trace(found.inertia) / found.mass, 0.0))
        if (
            np.abs(np.asarray(marker.qp) - found.centre).max() > 1e-9 * size
        ):  # digits of a file are kept where they are right
            marker.qp = vector(found.centre)
        part.mass, part.cm, part.im = found.mass, marker.id, None
        ip = found.about(marker.frame.axes)
        part.ip = ip if any(abs(v) > 1e-8 * max(ip[:3]) for v in ip[3:]) else ip[:3]
        if (model_name, number) in self.altered:
            self.warnings.append(
                f"{self.path}:{self.altered[model_name, number]}: the holes, blends and unions on {part.name} "
                f"are ignored; "
                "its mass is that of its plain shapes"
            )

    # ---- instances -----------------------------------------------------------------------------------------------
    def instance(self, command: Command) -> None:
        name = self.plain(self.text(command, "instance_name") or "")
        definition = self.plain(self.text(command, "definition_name") or "").lower()
        if not name or not definition:
            raise ViewError("an instance needs instance_name and definition_name")
        context = self.context(name)
        key = f".{context.name}.{self.full(name)}".lower()
        if key in self.instances:
            raise ViewError(f"{name} exists already")
        if len(self.instances) >= 10_000:
            raise ViewError("more than 10000 instances")
        self.instances[key] = Instance(
            f".{context.name}.{name.strip('.').removeprefix(context.name + '.')}",
            definition,
            context.name.lower(),
            command.line,
        )

    def instance_modify(self, command: Command) -> None:
        """What changes an instance are the variables under its name; the command itself puts it into effect."""
        name = self.text(command, "instance_name") or ""
        if self.instances.get(f".{self.context(name).name}.{self.full(name)}".lower()) is None:
            raise ViewError(f"there is no instance '{name}'")

    def part_of_instance(self, instance: Instance, name: str, default: Any = None) -> Any:
        value = self.variables.get(f"{instance.name.lower()}.{name}", default)
        return value[0] if isinstance(value, list) and len(value) == 1 else value

    def build(self, instance: Instance) -> None:
        self.current = self.contexts[instance.model]
        if instance.definition.startswith(NO_ELEMENT):
            return
        make = {
            ".mdi.forces.spring": self.spring_instance,
            ".mdi.forces.torsion_spring": self.torsion_instance,
            ".mdi.constraints.general_motion": self.general_motion,
        }.get(instance.definition)
        if make is None:
            self.warnings.append(
                f"{self.path}:{instance.line}: {instance.name} is an instance of {instance.definition}, which is not "
                "read; its elements are missing"
            )
            return
        make(instance)

    def _markers(self, instance: Instance) -> tuple[bodies.Marker, bodies.Marker]:
        out = []
        for side in ("i_marker", "j_marker"):
            name = self.part_of_instance(instance, side)
            marker = self.object(as_text(name), ("MARKER",)) if name not in (None, "") else None
            if marker is None:
                raise ViewError(
                    f"{instance.name} has no {side}; give it by 'variable modify variable_name = "
                    f"{instance.name}.{side}'"
                )
            out.append(marker)
        return out[0], out[1]

    def _rate(self, instance: Instance, name: str) -> float:
        mode = as_text(self.part_of_instance(instance, f"{name}_mode", "linear")).lower()
        if mode == "none":
            return 0.0
        if mode != "linear":
            raise ViewError(f"the {name} of {instance.name} is of the mode {mode}; only linear and none are read")
        value = self.part_of_instance(instance, f"{name}_coefficient")
        if value is None:
            raise ViewError(f"{instance.name} has no {name}_coefficient")
        return as_number(value)

    def _enter_instance(self, instance: Instance, element: Any) -> None:
        context = self.contexts[instance.model]
        key = self.full(instance.name)
        element.name, element.active = instance.name.rsplit(".", 1)[-1], instance.active
        element.source = Source(self.path, instance.line)
        context.model.add(element)
        self.enter(context, key, element)

    def spring_instance(self, instance: Instance) -> None:
        i, j = self._markers(instance)
        mode = as_text(self.part_of_instance(instance, "free_length_mode", "design_length")).lower()
        if mode.startswith("design"):
            model = self.contexts[instance.model].model
            places = [(model.body_frame(m) @ m.frame).origin for m in (i, j)]
            length = float(np.linalg.norm(places[0] - places[1]))
        else:
            length = as_number(self.part_of_instance(instance, "free_length", 0.0))
        self._enter_instance(
            instance,
            forces.SpringDamper(
                kind="TRANSLATIONAL",
                i=i.id,
                j=j.id,
                k=self._rate(instance, "stiffness"),
                c=self._rate(instance, "damping"),
                force=as_number(self.part_of_instance(instance, "preload", 0.0)),
                length=length,
            ),
        )

    def torsion_instance(self, instance: Instance) -> None:
        """Rates are per angle unit of the file, per radian in the solver."""
        i, j = self._markers(instance)
        turn = 180 / math.pi if self.degrees else 1.0
        mode = as_text(self.part_of_instance(instance, "free_angle_mode", "design_angle")).lower()
        if mode.startswith("design"):
            model = self.contexts[instance.model].model
            axes = [(model.body_frame(m) @ m.frame).axes for m in (i, j)]
            x = axes[1].T @ axes[0][:, 0]
            angle = math.atan2(x[1], x[0])
        else:
            value = self.part_of_instance(instance, "free_angle", 0.0)
            angle = float(value) if isinstance(value, Angle) else as_number(value) / turn
        self._enter_instance(
            instance,
            forces.SpringDamper(
                kind="ROTATIONAL",
                i=i.id,
                j=j.id,
                kt=turn * self._rate(instance, "stiffness"),
                ct=turn * self._rate(instance, "damping"),
                torque=as_number(self.part_of_instance(instance, "preload", 0.0)),
                angle=angle,
            ),
        )

    def general_motion(self, instance: Instance) -> None:
        """``t1_type`` .. ``r3_type``: 0 free, 1 displacement, 2 velocity, 3 acceleration, with ``t1_func`` .. as
        functions of time."""
        i, j = self._markers(instance)
        for axis, component in zip(("t1", "t2", "t3", "r1", "r2", "r3"), ("X", "Y", "Z", "B1", "B2", "B3")):
            level = whole(self.part_of_instance(instance, f"{axis}_type", 0))
            if not 0 <= level <= 3:
                raise ViewError(f"{axis}_type of {instance.name} is {level}; it is 0, 1, 2 or 3")
            if not level:
                continue
            rotational = axis[0] == "r"
            motion = joints.Motion(
                i=i.id,
                j=j.id,
                component=component,
                kind="ROTATIONAL" if rotational else "TRANSLATIONAL",
                level=("DISPLACEMENT", "VELOCITY", "ACCELERATION")[level - 1],
            )
            for least, name, to in ((2, "ic_disp", "icdisp"), (3, "ic_velo", "icvel")):
                value = self.part_of_instance(instance, f"{axis}_{name}")
                if level >= least and value is not None:
                    factor = math.pi / 180 if rotational and self.degrees and not isinstance(value, Angle) else 1.0
                    setattr(motion, to, as_number(value) * factor)
            context = self.contexts[instance.model]
            motion.name, motion.active = f"{instance.name.rsplit('.', 1)[-1]}_{axis}", instance.active
            motion.source = Source(self.path, instance.line)
            context.model.add(motion)
            self.enter(context, f"{self.full(instance.name)}.motion_{axis}", motion)
            text = as_text(self.part_of_instance(instance, f"{axis}_func", "0"))
            self.functions[id(motion), "function"] = motion, "function", text, context.name, instance.line

    # ---- measures ------------------------------------------------------------------------------------------------
    def measure(self, command: Command) -> None:
        name = self.plain(self.text(command, "measure_name") or "")
        if not name:
            raise ViewError("measure_name is missing")
        context = self.context(name)
        key = f".{context.name}.{self.full(name)}".lower()
        if len(self.measures) >= 10_000 and key not in self.measures:
            raise ViewError("more than 10000 measures")
        before = self.measures.get(key)
        if before is not None:
            command.parameters = {**before.parameters, **command.parameters}
            command.words = before.words
        self.measures[key] = command
        for parameter in (*MEASURES.get(command.words[-1], ()), "measure_name"):  # where a function names the measure
            self.find(command, parameter)

    def named(self, name: str) -> str | None:
        """Text of a measure in a runtime function, in parentheses."""
        command = self.measures.get(self.plain(name).lower())
        if command is None:
            return None
        self.used += 1
        if self.used > MAX_MEASURES:
            raise ViewError(f"it uses more than {MAX_MEASURES} measures, or one of itself")
        if self.within >= MAX_WITHIN:
            raise ViewError(f"it uses measures of measures deeper than {MAX_WITHIN}, or one of itself")
        self.within += 1
        try:
            return self._measured(name, command)
        finally:
            self.within -= 1

    def _measured(self, name: str, command: Command) -> str:
        kind = command.words[-1] if command.words else ""
        if kind == "function":
            text = "".join(as_text(self.scalar(piece)) for piece in self.find(command, "function") or ())
            return f"({self.with_ids(text)})" if text else "(0)"
        make = {"angle": self._angle, "pt2pt": self._between, "point": self._point, "object": self._object}.get(kind)
        if make is None:
            raise ViewError(
                f"it names the measure {name}, and a measure of the type '{kind}' has no value in a function"
            )
        return f"({make(command)})"

    def _id(self, command: Command, name: str) -> int:
        number = self.refer(command, name, "MARKER", True)
        assert number is not None
        return number

    def _angle(self, command: Command) -> str:
        a, m, c = (self._id(command, n) for n in ("first_point", "middle_point", "last_point"))
        product = "+".join(f"D{x}({a},{m})*D{x}({c},{m})" for x in "XYZ")
        return f"ACOS(({product})/(DM({a},{m})*DM({c},{m})))"

    def _of(self, command: Command, characteristic: str, i: int, j: int) -> str:
        """Displacement, velocity, ... of I from J, a component or the magnitude, in axes of ``coordinate_rframe``."""
        component = (self.text(command, "component") or "mag_component").lower()[:1]
        frame = self.refer(command, "coordinate_rframe", "MARKER")
        seen = self.refer(command, "motion_rframe", "MARKER")  # from which velocities and accelerations are seen
        name = next((v for k, v in _MOTIONS if all(w in characteristic for w in k.split())), None)
        if name is None or component not in "xyzm":
            raise ViewError(f"a measure of {characteristic} has no value in a function")
        if component == "m":
            return f"{name}M({i},{j}" + (")" if name in ("D", "W") else f",{seen or 0})")
        return f"{name}{component.upper()}({i},{j},{frame or 0}" + (")" if name in ("D", "W") else f",{seen or 0})")

    def _between(self, command: Command) -> str:
        characteristic = (self.text(command, "characteristic") or "translational_displacement").lower()
        return self._of(command, characteristic, self._id(command, "to_point"), self._id(command, "from_point"))

    def _point(self, command: Command) -> str:
        characteristic = (self.text(command, "characteristic") or "translational_displacement").lower()
        return self._of(command, characteristic, self._id(command, "point"), 0)

    def _object(self, command: Command) -> str:
        name = self.text(command, "object") or ""
        element = self.object(name)
        characteristic = (self.text(command, "characteristic") or "").lower()
        if isinstance(element, bodies.Part) and characteristic.startswith("cm_") and element.cm is not None:
            return self._of(command, characteristic, element.cm, 0)
        i, j = getattr(element, "i", None), getattr(element, "j", None)
        if isinstance(i, int) and isinstance(j, int) and i and j and not characteristic.startswith("element"):
            if characteristic.startswith("ax_ay_az"):
                return f"A{(self.text(command, 'component') or 'z')[:1].upper()}({i},{j})"
            return self._of(command, characteristic, i, j)
        raise ViewError(f"a measure of {characteristic or 'an object'} of {Group(name)} has no value in a function")
