"""Adams View commands that create or change model elements: one method per command.

Source: Adams View command language reference.  What the methods share is in `view_session`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np

from ...model import bodies, forces, joints, outputs, states
from ...model.base import Element, Source
from ...model.model import Model
from ...model.settings import FORCE, LENGTH, MASS, TIME, Units
from . import grammar
from .arguments import suggestion
from .view_expression import Group, ViewError, as_number, whole
from .view_late import Late
from .view_session import Command, Context, axis_and_plane, three, unit_name, vector


class Elements(Late):
    """Handlers of the commands, by name in `table`."""

    # ---- commands --------------------------------------------------------------------------------
    def table(self) -> dict[str, Callable[[Command], None]]:
        out: dict[str, Callable[[Command], None]] = {
            "model create": self.model_create,
            "defaults units": self.defaults_units,
            "defaults model": self.defaults_model,
            "defaults coordinate_system": self.defaults_coordinate_system,
            "defaults orient_axis_and_plane": self.defaults_axis,
            "point create": self.point_create,
            "point modify": self.point_create,
            "part create rigid_body name_and_position": self.part,
            "part modify rigid_body name_and_position": self.part_modify,
            "part create rigid_body mass_properties": self.mass,
            "part modify rigid_body mass_properties": self.mass,
            "part create rigid_body initial_velocity": self.velocity,
            "part modify rigid_body initial_velocity": self.velocity,
            "part create point_mass name_and_position": self.point_mass,
            "part modify point_mass name_and_position": self.part_modify,
            "part create point_mass mass_properties": self.mass,
            "part modify point_mass mass_properties": self.mass,
            "part create point_mass initial_velocity": self.velocity,
            "part create equation differential_equation": self.differential,
            "part modify equation differential_equation": self.differential,
            "part create equation linear_state_equation": self.linear,
            "part create equation transfer_function": self.transfer,
            "part create equation general_state_equation": self.general_equation,
            "marker create": self.marker,
            "marker modify": self.marker_modify,
            "floating_marker create": self.floating,
            "constraint create motion_generator": self.motion,
            "constraint modify motion_generator": self.motion_modify,
            "constraint create complex_joint coupler": self.coupler,
            "constraint create complex_joint gear": self.gear,
            "constraint create higher_pair_contact point_curve": self.point_curve,
            "constraint create higher_pair_contact curve_curve": self.curve_curve,
            "constraint create general_constraint": self.general_constraint,
            "force create body gravitational": self.gravity,
            "force modify body gravitational": self.gravity,
            "force create direct single_component_force": self.sforce,
            "force modify direct single_component_force": self.sforce_modify,
            "force create direct force_vector": self.vector(forces.VForce, "force_vector_name", "VFORCE"),
            "force create direct torque_vector": self.vector(forces.VTorque, "torque_vector_name", "VTORQUE"),
            "force create direct general_force": self.vector(forces.GForce, "general_force_name", "GFORCE"),
            "force modify direct force_vector": self.vector_modify("force_vector_name", "VFORCE"),
            "force modify direct torque_vector": self.vector_modify("torque_vector_name", "VTORQUE"),
            "force modify direct general_force": self.vector_modify("general_force_name", "GFORCE"),
            "force create element_like translational_spring_damper": self.spring,
            "force create element_like beam": self.beam,
            "force create element_like rotational_spring_damper": self.torsion_spring,
            "force create element_like bushing": self.bushing,
            "force create element_like field": self.field,
            "force create element_like friction": self.friction,
            "force modify element_like friction": self.friction_modify,
            "executive_control create sensor": self.sensor,
            "executive_control modify sensor": self.sensor,
            "output_control create request": self.request,
            "output_control modify request": self.request,
            "ude create instance": self.instance,
            "assembly create instance": self.instance,
            "ude modify instance": lambda command: None,
            "contact create": self.contact,
            "contact modify": self.contact_modify,
            "material create": self.material,
            "material modify": self.material_modify,
            "data_element create spline": self.spline,
            "data_element create variable": self.data_variable,
            "data_element modify variable": self.data_variable_modify,
            "data_element create matrix full": self.matrix,
            "data_element create matrix sparse": self.matrix_sparse,
            "data_element create matrix file": self.matrix_file,
            "data_element create string": self.string,
            "data_element create curve": self.curve,
            "data_element create plant input": self.plant(states.PInput, "plant_input_name"),
            "data_element create plant output": self.plant(states.POutput, "plant_output_name"),
            "variable set": self.set_variable,
            "variable create": self.set_variable,
            "variable modify": self.set_variable,
            "variable delete": self.delete_variable,
            "executive_control set equilibrium_parameters": self.equilibrium,
            "executive_control set numerical_integration_parameters": self.integration,
            "simulation script create": self.script,
            "simulation single_run transient": self.script,
            "simulation single_run dynamic": self.script,
            "simulation single_run kinematic": self.script,
        }
        for word in ("constraint", "force", "part", "marker", "geometry", "data_element", "entity", "contact", "ude", "point"):
            out[f"{word} attributes"] = self.attributes
        for word in ("object", "function", "computed", "range", "angle", "pt2pt", "point"):
            out[f"measure create {word}"] = out[f"measure modify {word}"] = self.measure
        for word in (
            "file parasolid read",
            "file geometry read",
            "file step read",
            "file iges read",
            "file shell read",
            "geometry create shape shell",
        ):
            out[word] = self.foreign_solids
        for word in ("hole", "blend", "chamfer", "boss", "thin_shell", "fillet"):
            out[f"geometry create feature {word}"] = self.altered_solid
        out["geometry create shape csg"] = self.altered_solid
        for kind in joints.JOINT_TYPES:
            word = {"RACKPIN": "rack_and_pinion", "CONVEL": "convel"}.get(kind, kind.lower())
            out[f"constraint create joint {word}"] = self.joint(kind)
        for kind in joints.PRIMITIVE_TYPES:
            word = {"ATPOINT": "at_point", "INPLANE": "inplane", "PARALLEL_AXES": "parallel_axis"}.get(kind, kind.lower())
            out[f"constraint create primitive_joint {word}"] = self.primitive(kind)
        for kind, word in (
            ("X", "x_state_array"),
            ("Y", "y_output_array"),
            ("U", "u_input_array"),
            ("IC", "ic_array"),
            ("IC", "general_array"),
        ):
            out[f"data_element create array {word}"] = self.array(kind)
        for word in (
            "block",
            "cylinder",
            "frustum",
            "ellipsoid",
            "link",
            "torus",
            "plate",
            "circle",
            "arc",
            "outline",
            "force",
            "sphere",
            "spring_damper",
            "revolution",
            "extrusion",
            "plane",
            "external",
        ):
            out[f"geometry create shape {word}"] = self.geometry(word, False)
            out[f"geometry modify shape {word}"] = self.geometry(word, True)
        return out

    # models and defaults
    def model_create(self, command: Command) -> None:
        name = self.plain(self.text(command, "model_name") or "").strip(".")
        if not re.fullmatch(r"[^\W\d][^.\"'&!]*", name):
            raise ViewError(f"'{name}' is not a name of a model")
        if name.lower() in self.contexts:
            raise ViewError(f"model {name} exists already")
        if len(self.contexts) >= 1000:
            raise ViewError("more than 1000 models")
        model = Model(name, Units(self.units.force, self.units.mass, self.units.length, self.units.time))
        model.title = self.text(command, "title") or ""
        self.current = self.contexts[name.lower()] = Context(name, model)
        self.enter(self.current, "ground", model.ground)
        self.default_part, self.default_frame = "ground", ""

    def defaults_units(self, command: Command) -> None:
        names = {}
        for name, table in (("length", LENGTH), ("force", FORCE), ("mass", MASS), ("time", TIME)):
            text = self.text(command, name)
            if text is not None:
                full = unit_name(text, table)
                if full is None:
                    raise ViewError(f"unknown unit of {name} '{text}'{suggestion(text, table)}")
                names[name] = full
        system = (self.text(command, "system_of_units") or "").lower()
        if system:
            if system not in ("mks", "mmks", "cgs", "ips"):
                raise ViewError(f"unknown system of units '{system}'")
            self.units = Units.named(system.upper())
        self.units = Units(**{**{k: getattr(self.units, k) for k in ("force", "mass", "length", "time")}, **names})
        angle = (self.text(command, "angle") or "").lower()
        if angle:
            self.degrees = not angle.startswith("rad")
        kind = (self.text(command, "orientation_type") or "").lower()
        if kind:
            if not re.fullmatch(r"(body|space)(?!.*(.)\2)[123]{3}", kind):
                raise ViewError(f"unknown type of orientation '{kind}'; choose one like body313 or space123")
            self.orientation_type = kind
        system = (self.text(command, "coordinate_system_type") or "cartesian").lower()
        if system != "cartesian":
            raise ViewError(f"places in {system} coordinates are not read; give them in cartesian ones")
        if self.current is not None:
            if (names or system) and any(True for _ in islice(self.current.model, 1, None)) and self.units != self.current.model.units:
                raise ViewError("the units change after elements were made; this is not supported, the first ones hold")
            self.current.model.units = self.units

    def defaults_axis(self, command: Command) -> None:
        self.axis_setting = axis_and_plane(self.text(command, "axis_and_plane_setting") or "z_axis_zx_plane")

    def defaults_model(self, command: Command) -> None:
        name = self.plain(self.text(command, "model_name") or "")
        if name and name.strip(".").lower() in self.contexts:
            self.current = self.contexts[name.strip(".").lower()]
        part = self.text(command, "part_name")
        if part:
            self.default_part = self.full(part)

    def defaults_coordinate_system(self, command: Command) -> None:
        self.default_frame = self.text(command, "default_coordinate_system") or ""

    def delete_variable(self, command: Command) -> None:
        """What was computed of a variable that is deleted keeps its value."""
        for name in self.texts(command, "variable_name") or ():
            key = self.plain(name).lower().lstrip("$")
            self.variables.pop(key, None)
            for names in self._tails.values():
                names.pop(key, None)
            self.live = [one for one in self.live if key not in one.reads]

    def set_variable(self, command: Command) -> None:
        name = self.text(command, "variable_name")
        if not name:
            raise ViewError("variable_name is missing")
        for parameter in ("real_value", "integer_value", "string_value", "object_value"):
            values = self.values(command, parameter)
            if values is not None:
                value = values[0] if len(values) == 1 else values
                key = self.plain(name).lower().lstrip("$")
                self.versions[key] = self.versions.get(key, 0) + 1
                self.keep(name, Group(value) if parameter == "object_value" and isinstance(value, str) else value)

    # bodies
    def part(self, command: Command) -> None:
        name = self.text(command, "part_name") or ""
        if self.full(name) == "ground" and getattr(self.object(name, ("PART",)), "ground", False):
            return
        location, axes = self.place(command, None)
        part = bodies.Part(qg=vector(location), reuler=self.euler(axes))
        self.add(command, part, "part_name")
        self.default_part = self.full(name)

    def point_mass(self, command: Command) -> None:
        location, axes = self.place(command, None)
        self.add(command, bodies.PointMass(qg=vector(location), reuler=self.euler(axes)), "point_mass_name")
        self.default_part = self.full(self.text(command, "point_mass_name") or "")

    def _body(self, command: Command) -> Any:
        if self.find(command, "point_mass_name") is not None and "point_mass" in command.words:
            return self.modify(command, "point_mass_name", "POINT_MASS")
        return self.modify(command, "part_name", "PART")

    def rename(self, command: Command, kind: str, parameter: str, new: str) -> None:
        """Give an object, and what it carries, another name."""
        old, name = self.full(self.text(command, parameter) or ""), self.full(new)
        context = self.context(self.text(command, parameter) or "")
        if f"{kind}:{old}" not in context.objects:
            raise ViewError(f"there is no {kind} '{old}'")
        if f"{kind}:{name}" in context.objects:
            raise ViewError(f"{new} exists already")
        self.left -= len(context.objects)
        for table in (context.objects, context.points):
            for key in list(table):
                head, mark, tail = key.rpartition(":")
                if tail == old or tail.startswith(f"{old}."):
                    table[f"{head}{mark}{name}{tail[len(old) :]}"] = element = table.pop(key)
                    if id(element) in context.names:
                        context.names[id(element)] = f".{context.name}.{name}{tail[len(old) :]}"
        context.objects[f"{kind}:{name}"].name = self.plain(new.strip()).rsplit(".", 1)[-1]
        if self.default_part == old:
            self.default_part = name

    def part_modify(self, command: Command) -> None:
        new = self.text(command, "new_part_name")
        if new:
            self.rename(command, "PART", "part_name", new)
            command.parameters["part_name"] = [new]
            command.parameters.pop("new_part_name", None)
        body = self._body(command)
        location, axes = self.place(command, None)
        self.moved += location is not None or axes is not None
        if location is not None:
            body.qg = vector(location)
        if axes is not None:
            body.reuler = self.euler(axes)

    def mass(self, command: Command) -> None:
        body = self._body(command)
        if getattr(body, "ground", False):
            return
        value = self.number(command, "mass")
        if value is not None:
            body.mass = value
        for name, to in (("center_of_mass_marker", "cm"), ("inertia_marker", "im")):
            number = self.refer(command, name, "MARKER")
            if number is not None and hasattr(body, to):
                setattr(body, to, number)
        if isinstance(body, bodies.Part):
            six = [self.number(command, n) for n in ("ixx", "iyy", "izz", "ixy", "izx", "iyz")]
            if any(v is not None for v in six):
                before = (*body.ip, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)[:6] if body.ip else (0.0,) * 6
                ip = tuple(b if v is None else v for v, b in zip(six, before))
                body.ip = ip if any(ip[3:]) else ip[:3]
            material = self.refer(command, "material_type", "MATERIAL")
            density = self.number(command, "density")
            key = self.context(self.text(command, "part_name") or "").name.lower(), body.id
            if material is not None:
                body.material = material
            if value is not None:
                self.massless.pop(key, None)
            elif material is not None or density is not None:
                body.mass = None
                self.massless[key] = density, command.line

    def velocity(self, command: Command) -> None:
        body = self._body(command)
        for name in ("vx", "vy", "vz", "wx", "wy", "wz"):
            values = self.values(command, name)
            if values is not None and hasattr(body, name):
                if len(values) != 1:
                    raise ViewError(f"{name} takes one number, not {len(values)}")
                setattr(body, name, as_number(values[0]))
        for name in ("vm", "wm"):
            number = self.refer(command, name, "MARKER")
            if number is not None and hasattr(body, name):
                setattr(body, name, number)

    def attributes(self, command: Command) -> None:
        """Colours and the like are no part of a model; ``active`` is."""
        status = (self.text(command, "active") or "").lower()
        if "active" not in command.parameters or status in ("", "no_opinion"):
            self.skip(command)
            return
        if status not in ("on", "off"):
            raise ViewError(f"active = {status} is none of on, off, no_opinion")
        name = next((self.text(command, k) for k in command.parameters if k.endswith("name")), None) or ""
        instance = self.instances.get(f".{self.context(name).name}.{self.full(name)}".lower())
        if instance is not None:
            instance.active = status == "on"
            return
        element = self.object(name)
        if element is not None:
            element.active = status == "on"
        elif self.full(name) in self.gravities:
            if status == "off":
                self.context(name).model.gravity = (0.0, 0.0, 0.0)
        elif f".{self.context(name).name}.{self.full(name)}".lower() not in self.measures:
            raise ViewError(f"there is no '{name}'")

    def foreign_solids(self, command: Command) -> None:
        self.files.append((command.line, self.text(command, "file_name") or "of a shell"))

    def altered_solid(self, command: Command) -> None:
        name = next((self.text(command, k) for k in command.parameters if k.endswith("name")), None) or ""
        context = self.context(name)
        key = self.full(name)
        while "." in key:
            key = key.rpartition(".")[0]
            part = context.objects.get(f"PART:{key}")
            if part is not None:
                self.altered.setdefault((context.name.lower(), part.id), command.line)
                return
        self.skip(command)

    # points and markers
    def point_create(self, command: Command) -> None:
        name = self.text(command, "point_name") or ""
        if not name:
            raise ViewError("point_name is missing")
        if "." not in name:
            name = f".{self.context().name}.{self.default_part}.{name}"
        body = self.owner(name)
        location, _ = self.place(command, body.frame)
        context = self.context(name)
        if len(context.points) >= 100_000:
            raise ViewError("more than 100000 points")
        if location is not None:
            self.moved += self.full(name) in context.points
            context.points[self.full(name)] = body, location

    def owner(self, name: str) -> Any:
        """The body in a marker's full name, or the default part."""
        context = self.context(name)
        key = self.full(name)
        parent = key.rpartition(".")[0] or self.default_part
        for kind in ("PART", "POINT_MASS"):
            body = context.objects.get(f"{kind}:{parent}")
            if body is not None:
                return body
        raise ViewError(f"there is no part '{parent}' to carry the marker")

    def marker(self, command: Command) -> None:
        name = self.text(command, "marker_name")
        if not name:
            name = f".{self.context().name}.{self.default_part}.MARKER_{self.context().model.free_id('MARKER')}"
            command.parameters["marker_name"] = [name]
        elif "." not in name:
            name = f".{self.context().name}.{self.default_part}.{name}"
            command.parameters = {k: v for k, v in command.parameters.items() if not "marker_name".startswith(k)}
            command.parameters["marker_name"] = [name]
        body = self.owner(name)
        location, axes = self.place(command, body.frame)
        self.add(
            command,
            bodies.Marker(part=body.id, body_kind=body.KIND, qp=vector(location), reuler=self.euler(axes)),
            "marker_name",
        )

    def marker_modify(self, command: Command) -> None:
        marker = self.modify(command, "marker_name", "MARKER")
        body = self.context(self.text(command, "marker_name") or "").model.body_of(marker)
        location, axes = self.place(command, body.frame, (body.frame @ marker.frame).origin)
        self.moved += location is not None or axes is not None
        if location is not None:
            marker.qp = vector(location)
        if axes is not None:
            marker.reuler = self.euler(axes)

    def floating(self, command: Command) -> None:
        name = self.text(command, "floating_marker_name") or ""
        body = self.owner(name)
        self.add(command, bodies.Marker(part=body.id, body_kind=body.KIND, floating=True), "floating_marker_name")

    # constraints
    def ij(self, command: Command) -> tuple[int, int]:
        """Markers I and J, by name or made on two parts at a location."""
        if self.find(command, "i_marker_name") is not None or self.find(command, "i_part_name") is None:
            return self.refer(command, "i_marker_name", "MARKER", True), self.refer(command, "j_marker_name", "MARKER", True)
        out = []
        for parameter in ("i_part_name", "j_part_name"):
            body = self.modify(command, parameter, "PART")
            location, axes = self.place(command, body.frame)
            marker = bodies.Marker(part=body.id, qp=vector(location), reuler=self.euler(axes))
            marker.source = Source(self.path, command.line)
            out.append(self.context().model.add(marker).id)
        return out[0], out[1]

    def joint(self, kind: str) -> Callable[[Command], None]:
        def create(command: Command) -> None:
            i, j = self.ij(command)
            joint = joints.Joint(type=kind, i=i, j=j, pitch=self.number(command, "pitch"), pd=self.number(command, "diameter_of_pitch"))
            shift = (
                self.number(command, "translational_displacement_ic"),
                self.number(command, "translational_velocity_ic"),
            )
            turn = self.angles(command, "rotational_displacement_ic"), self.angles(command, "angular_velocity_ic")
            if shift != (None, None):
                joint.ictran = shift
            if turn != (None, None):
                joint.icrot = tuple(t[0] if t else None for t in turn)
            self.add(command, joint, "joint_name")

        return create

    def primitive(self, kind: str) -> Callable[[Command], None]:
        def create(command: Command) -> None:
            i, j = self.ij(command)
            self.add(command, joints.Primitive(type=kind, i=i, j=j), "jprim_name")

        return create

    def motion(self, command: Command) -> None:
        motion = joints.Motion()
        if self.find(command, "joint_name") is not None:
            motion.joint = self.refer(command, "joint_name", "JOINT", True)
        else:
            motion.i, motion.j = self.ij(command)
            axis = (self.text(command, "axis") or "").upper()
            if axis not in ("X", "Y", "Z", "B1", "B2", "B3"):
                raise ViewError("axis is missing; give one of x y z b1 b2 b3")
            motion.component = axis
            motion.kind = "TRANSLATIONAL" if axis in "XYZ" else "ROTATIONAL"
        self._motion(command, motion)
        self.add(command, motion, "motion_name")

    def motion_modify(self, command: Command) -> None:
        self._motion(command, self.modify(command, "motion_name", "MOTION"))

    def _motion(self, command: Command, motion: joints.Motion) -> None:
        freedom = (self.text(command, "type_of_freedom") or "").upper()
        if freedom and not motion.component:
            motion.kind = "TRANSLATIONAL" if freedom.startswith("T") else "ROTATIONAL"
        level = (self.text(command, "time_derivative") or "").upper()
        if level:
            motion.level = next((n for n in ("DISPLACEMENT", "VELOCITY", "ACCELERATION") if n.startswith(level)), motion.level)
        rotational = motion.kind == "ROTATIONAL"
        for name, to in (("displacement_ic", "icdisp"), ("velocity_ic", "icvel")):
            values = self.angles(command, name) if rotational else self.numbers(command, name)
            if values:
                setattr(motion, to, values[0])
        self.function(command, motion)

    def coupler(self, command: Command) -> None:
        linked = self.refers(command, "joint_name", "JOINT")
        scales = (
            self.numbers(command, "motion_multipliers")
            or self.numbers(command, "multiplication_factors")
            or self.numbers(command, "scales")
            or ()
        )
        if not scales:
            found = []
            for word in ("first", "second", "third")[: len(linked)]:
                value, angle = self.number(command, f"{word}_scale_factor"), self.angles(command, f"{word}_angular_scale_factor")
                found.append(value if value is not None else angle[0] if angle else None)
            if any(v is not None for v in found):
                scales = tuple(1.0 if v is None else v for v in found)
        types = tuple(w[:1].upper() for t in self.texts(command, "type_of_freedom") or () for w in t.split("_"))
        if any(t not in "RT" for t in types):
            raise ViewError("type_of_freedom is made of rot and trans, as rot_trans")
        if types and len(types) != len(linked):
            raise ViewError(f"type_of_freedom has {len(types)} words for {len(linked)} joints; give one for each")
        if len(scales) == len(linked) - 1:
            scales = (1.0, *scales)
        coupler = joints.Coupler(joints=linked, types=types, scales=scales)
        user = self.numbers(command, "user_function")
        if user is not None:
            coupler.function = "USER(" + ",".join(repr(v) for v in user) + ")"
        self.add(command, coupler, "coupler_name")

    def gear(self, command: Command) -> None:
        cv = self.refer(command, "common_velocity_marker_name", "MARKER", True)
        self.add(command, joints.Gear(joints=self.refers(command, "joint_name", "JOINT"), cv=cv), "gear_name")

    def point_curve(self, command: Command) -> None:
        self.add(
            command,
            joints.PointCurve(
                i=self.refer(command, "i_marker_name", "MARKER", True),
                jfloat=self.refer(command, "j_floating_marker_name", "MARKER"),
                rm=self.refer(command, "ref_marker_name", "MARKER", True),
                curve=self.refer(command, "curve_name", "CURVE", True),
                ic=self.numbers(command, "displacement_ic") or (),
                velocity_ic=self.number(command, "velocity_ic"),
            ),
            "point_curve_name",
        )

    def curve_curve(self, command: Command) -> None:
        self.add(
            command,
            joints.CurveCurve(
                ifloat=self.refer(command, "i_floating_marker_name", "MARKER"),
                jfloat=self.refer(command, "j_floating_marker_name", "MARKER"),
                irm=self.refer(command, "i_ref_marker_name", "MARKER", True),
                jrm=self.refer(command, "j_ref_marker_name", "MARKER", True),
                icurve=self.refer(command, "i_curve_name", "CURVE", True),
                jcurve=self.refer(command, "j_curve_name", "CURVE", True),
                i_ic=self.numbers(command, "i_displacement_ic") or (),
                j_ic=self.numbers(command, "j_displacement_ic") or (),
            ),
            "curve_curve_name",
        )

    def general_constraint(self, command: Command) -> None:
        element = joints.GeneralConstraint(i=self.refer(command, "i_marker_name", "MARKER"))
        self.add(command, element, "gcon_name" if self.find(command, "gcon_name") else "general_constraint_name")
        self.function(command, element)

    # forces
    def gravity(self, command: Command) -> None:
        model = self.context().model
        self.gravities.add(self.full(self.text(command, "gravity_field_name") or "gravity"))
        names = ("x_component_gravity", "y_component_gravity", "z_component_gravity")
        model.gravity = tuple(g if self.number(command, n) is None else self.number(command, n) for n, g in zip(names, model.gravity))

    def sforce(self, command: Command) -> None:
        i, j = self.ij(command)
        rotational = (self.text(command, "type_of_freedom") or "").lower().startswith("r")
        force = forces.SForce(
            kind="ROTATIONAL" if rotational else "TRANSLATIONAL",
            i=i,
            j=j,
            actiononly=self.switch(command, "action_only"),
        )
        self.add(command, force, "single_component_force_name")
        self.function(command, force)

    def sforce_modify(self, command: Command) -> None:
        self.function(command, self.modify(command, "single_component_force_name", "SFORCE"))

    def vector(self, cls: type[Element], parameter: str, kind: str) -> Callable[[Command], None]:
        def create(command: Command) -> None:
            element = cls(
                i=self.refer(command, "i_marker_name", "MARKER", True),
                jfloat=self.refer(command, "j_floating_marker_name", "MARKER"),
                rm=self.refer(command, "ref_marker_name", "MARKER"),
            )
            self.add(command, element, parameter)
            self.components(command, element)

        return create

    def vector_modify(self, parameter: str, kind: str) -> Callable[[Command], None]:
        return lambda command: self.components(command, self.modify(command, parameter, kind))

    def components(self, command: Command, element: Element) -> None:
        for axis in "xyz":
            for what in ("force", "torque"):
                if hasattr(element, f"{what[0]}{axis}"):
                    self.function(command, element, f"{axis}_{what}_function", f"{what[0]}{axis}")
        self.function(command, element)

    def spring(self, command: Command) -> None:
        i, j = self.ij(command)
        self.add(
            command,
            forces.SpringDamper(
                kind="TRANSLATIONAL",
                i=i,
                j=j,
                k=self.number(command, "stiffness") or 0.0,
                c=self.number(command, "damping") or 0.0,
                force=self.number(command, "preload") or 0.0,
                length=self.number(command, "displacement_at_preload") or 0.0,
            ),
            "spring_damper_name",
        )

    def torsion_spring(self, command: Command) -> None:
        i, j = self.ij(command)
        angle = self.angles(command, "displacement_at_preload")
        self.add(
            command,
            forces.SpringDamper(
                kind="ROTATIONAL",
                i=i,
                j=j,
                kt=self.per_angle(command, "stiffness"),
                ct=self.per_angle(command, "damping"),
                torque=self.number(command, "preload") or 0.0,
                angle=angle[0] if angle else 0.0,
            ),
            "spring_damper_name",
        )

    def per_angle(self, command: Command, name: str) -> float:
        """A rotational stiffness or damping, per angle unit in View, per radian in the solver."""
        value = self.number(command, name) or 0.0
        return value * 180 / math.pi if self.degrees else value

    def beam(self, command: Command) -> None:
        i, j = self.ij(command)
        number = lambda name: self.number(command, name) or 0.0
        self.add(
            command,
            forces.Beam(
                i=i,
                j=j,
                length=number("length"),
                area=number("area_of_cross_section"),
                ixx=number("ixx"),
                iyy=number("iyy"),
                izz=number("izz"),
                asy=number("y_shear_area_ratio"),
                asz=number("z_shear_area_ratio"),
                emodulus=number("youngs_modulus"),
                gmodulus=number("shear_modulus"),
                cratio=self.number(command, "damping_ratio"),
                formulation=(self.text(command, "formulation") or "linear").upper(),
            ),
            "beam_name",
        )

    def bushing(self, command: Command) -> None:
        i, j = self.ij(command)
        turn = 180 / math.pi if self.degrees else 1.0
        triple = lambda name, factor=1.0: tuple(v * factor for v in three(self.numbers(command, name), name))
        self.add(
            command,
            forces.Bushing(
                i=i,
                j=j,
                k=triple("stiffness"),
                c=triple("damping"),
                kt=triple("tstiffness", turn),
                ct=triple("tdamping", turn),
                force=triple("force_preload"),
                torque=triple("torque_preload"),
            ),
            "bushing_name",
        )

    def field(self, command: Command) -> None:
        i, j = self.ij(command)
        element = forces.Field(
            i=i,
            j=j,
            cratio=self.number(command, "damping_ratio"),
            force=three(self.numbers(command, "force_preload"), "force"),
            torque=three(self.numbers(command, "torque_preload"), "torque"),
        )
        for name, to in (("stiffness_matrix", "kmatrix"), ("matrix_of_damping_terms", "cmatrix")):
            values = self.numbers(command, name)
            if values:
                if len(values) != 36:
                    raise ViewError(f"{name} takes 36 numbers, got {len(values)}")
                setattr(element, to, grammar.transpose(values, 6, 6))
        shift = three(self.numbers(command, "translation_at_preload"), "translation_at_preload")
        turn = three(self.angles(command, "rotation_at_preload"), "rotation_at_preload")
        element.length = (*shift, *turn)
        self.add(command, element, "field_name")

    def friction(self, command: Command) -> None:
        friction = joints.Friction(joint=self.refer(command, "joint_name", "JOINT", True) or 0)
        self.friction_values(command, friction)
        self.add(command, friction, "friction_name")

    def friction_modify(self, command: Command) -> None:
        self.friction_values(command, self.modify(command, "friction_name", "FRICTION"))

    def friction_values(self, command: Command, friction: joints.Friction) -> None:
        for name, to in (
            *((n, n) for n in (
                "mu_static", "mu_dynamic", "stiction_transition_velocity", "transition_velocity_coefficient", "max_stiction_deformation",
                "pin_radius", "friction_arm", "bending_reaction_arm", "ball_radius", "reaction_arm", "initial_overlap",
                "max_friction_force", "max_friction_torque", "smooth",
            )),
            ("friction_force_preload", "force_preload"), ("friction_torque_preload", "torque_preload"),
        ):  # fmt: skip
            value = self.number(command, name)
            if value is not None:
                setattr(friction, to, value)
        for name, choices in (("overlap_delta", ("INCREASE", "DECREASE", "CONSTANT")), ("effect", ("ALL", "STICTION", "SLIDING"))):
            word = (self.text(command, name) or "").upper()
            if word:
                if word not in choices:
                    raise ViewError(f"{name} = {word.lower()} is none of {', '.join(choices).lower()}")
                setattr(friction, name, word)
        formulation = (self.text(command, "formulation") or "original").lower()
        if formulation != "original":
            raise ViewError(f"the formulation {formulation} of friction is not read; choose original")
        given = {
            n.upper(): self.switch(command, n)
            for n in ("preload", "reaction_force", "bending_moment", "torsional_moment")
            if self.find(command, n)
        }
        friction.inputs = tuple(n for n in joints.Friction().inputs if given.get(n, n in friction.inputs))
        if self.find(command, "inactive_during_static") is not None:
            friction.inactive = "STATIC" if self.switch(command, "inactive_during_static") else ""
        yoke = (self.text(command, "yoke") or "").upper()
        if yoke:
            friction.yoke = yoke

    def sensor(self, command: Command) -> None:
        if command.words[1].startswith("m"):
            sensor = self.modify(command, "sensor_name", "SENSOR")
        else:
            sensor = outputs.Sensor()
        for name, to in (("value", "value"), ("error", "tolerance"), ("dt", "dt"), ("stepsize", "stepsize")):
            value = self.number(command, name) if name in command.parameters else None
            if value is not None:
                setattr(sensor, to, value)
        for name, to in (("angular_value", "value"), ("angular_error", "tolerance")):
            angles = self.angles(command, name) if name in command.parameters else None
            if angles:
                setattr(sensor, to, angles[0])
        compare = (self.text(command, "compare") or "").upper()
        if compare:
            if compare not in ("EQ", "GE", "LE"):
                raise ViewError(f"compare = {compare.lower()} is none of eq, ge, le")
            sensor.comparison = compare
        for name, to in (
            ("halt", "halt"),
            ("return", "returns"),
            ("print", "print"),
            ("restart", "restart"),
            ("codgen", "codgen"),
            ("yydump", "yydump"),
        ):
            if name in command.parameters:
                setattr(sensor, to, self.switch(command, name))
        if not command.words[1].startswith("m"):
            self.add(command, sensor, "sensor_name")
        self.function(command, sensor)
        self.function(command, sensor, "evaluate", "evaluate")

    def request(self, command: Command) -> None:
        if command.words[1].startswith("m"):
            request = self.modify(command, "request_name", "REQUEST")
        else:
            request = outputs.Request()
        for name, to in (("i_marker_name", "i"), ("j_marker_name", "j"), ("ref_marker_name", "rm")):
            number = self.refer(command, name, "MARKER")
            if number is not None:
                setattr(request, to, number)
        kind = (self.text(command, "output_type") or "").upper()
        if kind:
            found = [k for k in ("DISPLACEMENT", "VELOCITY", "ACCELERATION", "FORCE") if k.startswith(kind)]
            if not found:
                raise ViewError(f"output_type = {kind.lower()} is none of displacement, velocity, acceleration, force")
            request.kind = found[0]
        if not command.words[1].startswith("m"):
            self.add(command, request, "request_name")
        for k in range(1, 9):
            self.function(command, request, f"f{k}", f"functions.F{k}")
        self.function(command, request)

    def contact(self, command: Command) -> None:
        contact = forces.Contact(joined=True)
        absent = self.absent(command)
        if absent and self.files:
            name = self.text(command, "contact_name") or "the contact"
            self.warnings.append(
                f"{self.path}:{command.line}: {name} is left out: the geometry {', '.join(absent[:3])} is in the file {self.files[0][1]}, which is not read; "
                "give a shape in its place ('geometry create shape') to have it"
            )
            return
        self.contact_values(command, contact)
        for side in "ij":
            if not getattr(contact, f"{side}geom") and getattr(contact, f"{side}flex") is None:
                raise ViewError(f"it names no geometry for its {side.upper()} side; give {side}_geometry_name")
        self.add(command, contact, "contact_name")

    def contact_modify(self, command: Command) -> None:
        self.contact_values(command, self.modify(command, "contact_name", "CONTACT"))

    def absent(self, command: Command) -> list[str]:
        """Geometry of a side of which nothing is there; names of single missing solids are taken out of the command, and told."""
        out: list[str] = []
        if not self.files:
            return out
        for side in "ij":
            names = self.texts(command, f"{side}_geometry_name") or []
            there = [n for n in names if self.object(n, ("GRAPHICS",)) is not None]
            if names and not there:
                out += names
            elif len(there) < len(names):
                missing = [n for n in names if n not in there]
                self.warnings.append(
                    f"{self.path}:{command.line}: {self.text(command, 'contact_name')} acts without {', '.join(missing[:3])}, which is in the file "
                    f"{self.files[0][1]}, which is not read"
                )
                key = next(k for k in command.parameters if len(k) >= 3 and f"{side}_geometry_name".startswith(k))
                command.parameters[key] = there
        return out

    def contact_values(self, command: Command, contact: forces.Contact) -> None:
        for side in "ij":
            shapes = self.refers(command, f"{side}_geometry_name", "GRAPHICS")
            if shapes:
                setattr(contact, f"{side}geom", shapes)
            flex = self.text(command, f"{side}_flex")
            if flex:
                raise ViewError(f"{side}_flex: contact with the flexible body {flex} is not read in this version")
            for flip in self.refers(command, f"{side}_flip_geometry_name", "GRAPHICS"):
                graphic = self.context().model.table("GRAPHICS")[flip]
                graphic.arguments = {**graphic.arguments, "flip": True}
        marker = self.refer(command, "i_marker_name", "MARKER")
        if marker is not None:  # point to curve, point to plane: the marker is the point
            point = outputs.Graphic(type="POINT", arguments={"rm": marker}, source=Source(self.path, command.line))
            contact.igeom = (self.context().model.add(point).id,)
        kind = (self.text(command, "type") or "").upper()
        if kind:
            contact.type = kind if kind in forces.CONTACT_TYPES else contact.type
        for name, to in (
            ("stiffness", "stiffness"),
            ("damping", "damping"),
            ("dmax", "dmax"),
            ("exponent", "exponent"),
            ("penalty", "penalty"),
            ("restitution_coefficient", "restitution"),
            ("mu_static", "mu_static"),
            ("mu_dynamic", "mu_dynamic"),
            ("stiction_transition_velocity", "stiction_transition_velocity"),
            ("friction_transition_velocity", "friction_transition_velocity"),
            ("max_stiction_deformation", "max_stiction_deformation"),
        ):
            value = self.number(command, name)
            if value is not None:
                setattr(contact, to, value)
        friction = (self.text(command, "coulomb_friction") or "").upper()
        if friction:
            if friction not in forces.COULOMB_FRICTION:
                raise ViewError(f"coulomb_friction = {friction.lower()} is none of on, off, dynamics_only")
            contact.coulomb_friction = friction
        if self.switch(command, "no_friction"):
            contact.coulomb_friction = "OFF"
        if self.find(command, "stiction") is not None:
            contact.stiction = self.switch(command, "stiction")
        if self.find(command, "augmented_lagrangian_formulation") is not None:
            contact.augmented_lagrangian = self.switch(command, "augmented_lagrangian_formulation")
        if self.number(command, "restitution_coefficient") is not None:
            contact.model = "POISSON"
        for name in ("normal_function", "normal_routine", "friction_function", "friction_routine"):
            text = self.text(command, name)
            if text:
                user = name.endswith("function") and not text.upper().lstrip().startswith("USER")
                setattr(contact, name, f"USER({text})" if user else text)
        if contact.normal_function or contact.normal_routine:
            contact.model = "USER"
        if contact.friction_function or contact.friction_routine:
            contact.coulomb_friction, contact.friction = "ON", "USER"

    def material(self, command: Command) -> None:
        self.add(command, outputs.Material(), "material_name")
        self.material_modify(command)

    def material_modify(self, command: Command) -> None:
        material = self.modify(command, "material_name", "MATERIAL")
        for name, to in (
            ("density", "density"),
            ("youngs_modulus", "youngs_modulus"),
            ("poissons_ratio", "poissons_ratio"),
        ):
            value = self.number(command, name)
            if value is not None:
                setattr(material, to, value)

    # data
    def spline(self, command: Command) -> None:
        x, y, z = (self.numbers(command, n) or () for n in ("x", "y", "z"))
        file = self.text(command, "file_name")
        if file:
            spline = states.Spline(
                file=file,
                block=self.text(command, "block_name") or None,
                channel=self.integer(command, "channel"),
                linear_extrapolate=self.switch(command, "linear_extrapolate"),
            )
            self.add(command, spline, "spline_name")
            return
        if len(x) < 1 or len(y) != len(x) * max(1, len(z)):
            raise ViewError(f"x has {len(x)}, y {len(y)} and z {len(z)} values; y needs one for each x (and z)")
        rows = tuple(y[k * len(x) : (k + 1) * len(x)] for k in range(max(1, len(z))))
        extrapolate = self.switch(command, "linear_extrapolate")
        self.add(
            command,
            states.Spline(x=x, y=rows, z=z if len(z) > 1 or len(rows) > 1 else (), linear_extrapolate=extrapolate),
            "spline_name",
        )

    def data_variable(self, command: Command) -> None:
        variable = states.Variable(ic=self.number(command, "initial_condition") or 0.0)
        self.add(command, variable, "variable_name")
        self.function(command, variable)

    def data_variable_modify(self, command: Command) -> None:
        self.function(command, self.modify(command, "variable_name", "VARIABLE"))

    def matrix(self, command: Command) -> None:
        values = {
            "rows": self.integer(command, "row_count"),
            "columns": self.integer(command, "column_count"),
            "values": self.numbers(command, "values"),
            "full": "CORDER" if "col" in (self.text(command, "input_order") or "").lower() else "RORDER",
        }
        grammar._matrix(values, False)
        self.add(command, states.Matrix(**values), "matrix_name")

    def matrix_file(self, command: Command) -> None:
        file, name = self.text(command, "file_name"), self.text(command, "name_of_matrix_in_file")
        if not file:
            raise ViewError("file_name is missing; add it")
        self.add(command, states.Matrix(file=file, file_name=name or None), "matrix_name")

    def matrix_sparse(self, command: Command) -> None:
        values = {
            "rows": self.integer(command, "row_count"),
            "columns": self.integer(command, "column_count"),
            "values": self.numbers(command, "values"),
            "sparse_i": tuple(map(whole, self.numbers(command, "row_index") or ())),
            "sparse_j": tuple(map(whole, self.numbers(command, "column_index") or ())),
        }
        grammar._matrix(values, False)
        self.add(command, states.Matrix(**values), "matrix_name")

    def string(self, command: Command) -> None:
        self.add(command, states.String(text="".join(self.texts(command, "string") or ())), "string_name")

    def curve(self, command: Command) -> None:
        matrix = self.refer(command, "matrix_name", "MATRIX")
        closed = (self.text(command, "closed") or "").lower() in ("yes", "on", "true")
        points = "CONTROL" if "control" in (self.text(command, "fit_type") or "").lower() else "CURVE"
        self.add(command, states.Curve(closed=closed, matrix=matrix, points=points), "curve_name")

    def array(self, kind: str) -> Callable[[Command], None]:
        def create(command: Command) -> None:
            self.add(
                command,
                states.Array(
                    kind=kind,
                    size=self.integer(command, "size"),
                    numbers=self.numbers(command, "numbers") or (),
                    variables=self.refers(command, "variable_name", "VARIABLE") if kind == "U" else (),
                ),
                "array_name",
            )

        return create

    def plant(self, cls: type[Element], parameter: str) -> Callable[[Command], None]:
        return lambda command: self.add(command, cls(variables=self.refers(command, "variable_name", "VARIABLE")), parameter)

    # equations
    def differential(self, command: Command) -> None:
        if command.words[1].startswith("m"):
            self.function(command, self.modify(command, "differential_equation_name", "DIFF"))
            return
        diff = states.Diff(
            ic=self.numbers(command, "initial_condition") or (0.0,),
            implicit=self.switch(command, "implicit"),
            static_hold=self.switch(command, "static_hold"),
        )
        self.add(command, diff, "differential_equation_name")
        self.function(command, diff)

    def linear(self, command: Command) -> None:
        array = lambda name, required=False: self.refer(command, name, "ARRAY", required)
        matrix = lambda name, required=False: self.refer(command, name, "MATRIX", required)
        self.add(
            command,
            states.LinearStateEquations(
                x=array("x_state_array_name", True),
                u=array("u_input_array_name"),
                y=array("y_output_array_name"),
                ic=array("ic_array_name"),
                a=matrix("a_state_matrix_name", True),
                b=matrix("b_input_matrix_name"),
                c=matrix("c_output_matrix_name"),
                d=matrix("d_feedforward_matrix_name"),
                static_hold=self.switch(command, "static_hold"),
            ),
            "linear_state_equation_name",
        )

    def transfer(self, command: Command) -> None:
        model = self.context().model
        made = []
        for name in ("numerator_coefficients", "denominator_coefficients"):
            numbers = self.numbers(command, name)
            if not numbers:
                raise ViewError(f"{name} is missing")
            made.append(model.add(states.Array(kind="IC", size=len(numbers), numbers=numbers, source=Source(self.path, command.line))).id)
        self.add(
            command,
            states.TransferFunction(
                x=self.refer(command, "x_state_array_name", "ARRAY", True),
                u=self.refer(command, "u_input_array_name", "ARRAY", True),
                y=self.refer(command, "y_output_array_name", "ARRAY", True),
                numerator=made[0],
                denominator=made[1],
                static_hold=self.switch(command, "static_hold"),
            ),
            "transfer_function_name",
        )

    def general_equation(self, command: Command) -> None:
        array = lambda name: self.refer(command, name, "ARRAY")
        gse = states.GeneralStateEquations(
            x=array("x_state_array_name"),
            u=array("u_input_array_name"),
            y=array("y_output_array_name"),
            ic=array("ic_array_name"),
            ns=self.integer(command, "state_equation_count") or 0,
            no=self.integer(command, "output_equation_count") or 0,
            static_hold=self.switch(command, "static_hold"),
        )
        self.add(command, gse, "general_state_equation_name")
        self.function(command, gse)

    # geometry
    def geometry(self, word: str, modify: bool) -> Callable[[Command], None]:
        kind = {"block": "BOX", "spring_damper": "SPDP", "sphere": "ELLIPSOID"}.get(word, word.upper())
        parameter = f"{word}_name"

        def create(command: Command) -> None:
            found = self.modify(command, parameter, "GRAPHICS") if modify else outputs.Graphic(type=kind)
            found.arguments = {**found.arguments, **self.shape(command, kind)}
            if not modify:
                self.add(command, found, parameter)

        return create

    def in_marker(self, command: Command, rows: list[tuple[float, ...]], arguments: dict[str, Any]) -> list[tuple[float, ...]]:
        """Points that are given in ``relative_to`` or the default system, in the axes of the marker that carries the shape."""
        number = arguments.get("rm") or arguments.get("cm")
        if number is None:
            return rows
        model = self.context().model
        marker = model.markers[number]
        home = model.body_of(marker).frame @ marker.frame
        relative = self.text(command, "relative_to")
        frame = self.frame_of(relative if relative is not None else self.default_frame)
        if np.array_equal(home.origin, frame.origin) and np.array_equal(home.axes, frame.axes):
            return rows
        return [tuple((home.axes.T @ (frame.origin + frame.axes @ np.array(row) - home.origin)).tolist()) for row in rows]

    def shape(self, command: Command, kind: str) -> dict[str, Any]:
        out: dict[str, Any] = {}
        center = {"BOX": ("corner_marker", "corner"), "LINK": ("i_marker", "i")}.get(kind, ("center_marker", "cm"))
        for name, to in (
            center,
            ("j_marker", "j"),
            ("i_marker", "i"),
            ("applied_at_marker_name", "emarker"),
            *([] if kind == "PLATE" else [("marker_name", "rm")]),
            ("reference_marker", "rm"),
            ("ref_marker_name", "rm"),
        ):
            number = self.refer(command, name, "MARKER")
            if number is not None:
                out[to] = number
        if kind == "PLATE":
            named = self.refers(command, "marker_name", "MARKER")
            if named:
                out["rm"], out["markers"] = named[0], named
        corner = self.numbers(command, "diag_corner_coords")
        if corner:
            out.update(zip("xyz", corner))
        for name, to in (
            ("length", "length"),
            ("radius", "radius"),
            ("top_radius", "top"),
            ("bottom_radius", "bottom"),
            ("side_count_for_body", "sides"),
            ("segment_count_for_ends", "seg"),
            ("segment_count", "seg"),
            ("x_scale_factor", "xscale"),
            ("y_scale_factor", "yscale"),
            ("z_scale_factor", "zscale"),
            ("width", "width"),
            ("depth", "depth"),
            ("major_radius", "major"),
            ("minor_radius", "minor"),
            ("length_along_z_axis", "length"),
            ("x_minimum", "xmin"),
            ("x_maximum", "xmax"),
            ("y_minimum", "ymin"),
            ("y_maximum", "ymax"),
        ):
            value = self.number(command, name)
            if value is not None:
                out[to] = whole(value) if to in ("sides", "seg") else value
        points = self.numbers(command, "points_for_profile") or ()
        if points and kind in ("EXTRUSION", "REVOLUTION"):
            if len(points) % 3:
                raise ViewError(f"points_for_profile takes triples of numbers, got {len(points)}")
            rows = self.in_marker(command, [points[k : k + 3] for k in range(0, len(points), 3)], out)
            if kind == "EXTRUSION":
                depths = [z for _, _, z in rows]
                size = max(max(abs(v) for v in row) for row in rows)
                if max(depths) - min(depths) > 1e-6 * size:
                    raise ViewError("the points of its profile do not lie in one plane across the marker's z axis")
                if abs(depths[0]) > 1e-12 * size:
                    out["offset"] = depths[0]
            out["profile"] = tuple((x, y) if kind == "EXTRUSION" else (math.hypot(x, y), z) for x, y, z in rows)
        for name, to in (("file_name", "file"), ("element_name", "element")):
            text = self.text(command, name) if kind == "EXTERNAL" else None
            if text:
                out[to] = text
        extent = self.angles(command, "angle_extent")
        if extent:
            out["rangle"] = extent[0]
        for name, etype in (("force_element_name", ""), ("joint_name", "JOINT")):
            text = self.text(command, name)
            element = self.object(text) if text else None
            if element is not None:
                out["etype"], out["eid"] = etype or element.KIND, element.id
        return out

    # settings
    def equilibrium(self, command: Command) -> None:
        target = self.context().model.equilibrium
        for name, to in (
            ("error", "error"),
            ("imbalance", "imbalance"),
            ("stability", "stability"),
            ("tlimit", "tlimit"),
        ):
            value = self.number(command, name)
            if value is not None:
                setattr(target, to, value)
        if self.number(command, "maxit") is not None:
            target.maxit = self.integer(command, "maxit")
        limit = self.angles(command, "alimit")
        if limit:
            target.alimit = limit[0]

    def integration(self, command: Command) -> None:
        target = self.context().model.integrator
        for name in ("error", "hinit", "hmin", "hmax", "adaptivity"):
            value = self.number(command, name)
            if value is not None:
                setattr(target, name, value)
        for name in ("kmax", "maxit"):
            if self.number(command, name) is not None:
                setattr(target, name, self.integer(command, name))
        kind = (self.text(command, "integrator_type") or self.text(command, "integrator") or "").upper()
        if kind in grammar.INTEGRATORS:
            target.kind = kind
        elif kind:
            raise ViewError(f"unknown integrator '{kind}'{suggestion(kind, grammar.INTEGRATORS)}")
        formulation = (self.text(command, "formulation") or "").upper()
        if formulation in ("I3", "SI2", "SI1"):
            target.formulation = formulation
        elif formulation not in ("", "ORIGINAL"):
            raise ViewError(f"unknown formulation '{formulation}'; choose I3, SI2 or SI1")

    def script(self, command: Command) -> None:
        """Solver commands of a script are kept in ``model.scripts`` as text, as a .acf holds them."""
        lines = self.texts(command, "solver_commands")
        single = command.words[1].startswith("si")
        name = (self.text(command, "sim_script_name") or ("single_run" if single else "script")).rsplit(".", 1)[-1]
        target = self.context(self.text(command, "sim_script_name") or "").model.scripts
        if lines:
            target[name] = "\n".join(lines) + "\n"
            return
        inner = [] if single else self.texts(command, "commands") or []
        if inner:
            made = "".join(self.simulation(text) for text in inner)
            if made:
                target[name] = made
            return
        made = self.simulated(command, command.words[-1] if single else "")
        if made:
            target[name] = made
            return
        self.skip(command)

    def simulation(self, text: str) -> str:
        """Solver commands of one ``simulation single_run`` in the text of a script; none of other commands."""
        command = self.parse(text)
        words = command.words
        if len(words) < 3 or not ("simulation".startswith(words[0]) and "single_run".startswith(words[1])):
            return ""
        return self.simulated(command, words[2])

    def simulated(self, command: Command, word: str) -> str:
        kind = (self.text(command, "type") or word).lower()
        end, steps, size = self.number(command, "end_time"), self.integer(command, "number_of_steps"), self.number(command, "step_size")
        if word.startswith(("static", "equi")) and end is None:
            return "SIMULATE/STATICS\n"
        duration = self.number(command, "duration")
        if not kind or (end is None and duration is None):
            return ""
        kind = {"dynamic": "DYNAMICS", "kinematic": "KINEMATICS", "static": "STATICS"}.get(kind, "TRANSIENT")
        first = "SIMULATE/STATICS\n" if self.switch(command, "initial_static") else ""
        output = f", STEPS={steps}" if steps else f", DTOUT={size!r}" if size else ""
        return f"{first}SIMULATE/{kind}, " + (f"END={end!r}" if end is not None else f"DURATION={duration!r}") + output + "\n"
