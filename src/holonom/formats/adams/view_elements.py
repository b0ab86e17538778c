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

from ...model import bodies, forces, outputs, states
from ...model.base import Element, Source
from ...model.model import Model
from ...model.settings import FORCE, LENGTH, MASS, TIME, Units
from . import grammar
from .arguments import suggestion
from .view_expression import Group, ViewError, whole
from .view_forces import Forces
from .view_places import axis_and_plane
from .view_session import Command, Context, DesignVariable, unit_name, vector


def _plain_number(text: str) -> float | None:
    """The number that a text is, without a unit or an expression."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


class Elements(Forces):
    """Handlers of the commands, by name in `table`."""

    # ---- commands --------------------------------------------------------------------------------
    def command_handlers(self) -> dict[str, Callable[[Command], None]]:
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
            "part create new_ground": self.new_ground,
            "part create equation linear_state_equation": self.linear,
            "part create equation transfer_function": self.transfer,
            "part create equation general_state_equation": self.general_equation,
            "marker create": self.marker,
            "marker modify": self.marker_modify,
            "floating_marker create": self.floating,
            "executive_control create sensor": self.sensor,
            "executive_control modify sensor": self.sensor,
            "output_control create request": self.request,
            "output_control modify request": self.request,
            "ude create instance": self.instance,
            "assembly create instance": self.instance,
            "ude modify instance": self.instance_modify,
            "executive_control attributes sensor": self.attributes,
            "output_control attributes request": self.attributes,
            "group attributes": self.group_attributes,
            "model attributes": self.group_attributes,
            "executive_control set kinematics_parameters": self.assembly_settings("kinematics", ("hmax", "hmax")),
            "executive_control set initial_conditions_parameters": self.assembly_settings("initial"),
            "contact create": self.contact,
            "contact modify": self.contact_modify,
            "material create": self.material,
            "material modify": self.material_modify,
            "data_element create spline": self.spline,
            "data_element modify spline": self.spline,
            "data_element create variable": self.data_variable,
            "data_element modify variable": self.data_variable_modify,
            "data_element create matrix full": self.matrix,
            "data_element create matrix sparse": self.matrix_sparse,
            "data_element create matrix file": self.matrix_file,
            "data_element create string": self.string,
            "data_element create curve": self.curve,
            "data_element modify curve": self.curve,
            "data_element create plant input": self.plant(states.PInput, "plant_input_name"),
            "data_element create plant output": self.plant(states.POutput, "plant_output_name"),
            "variable set": self.set_variable,
            "variable create": self.set_variable,
            "variable modify": self.set_variable,
            "variable delete": self.delete_variable,
            "executive_control set equilibrium_parameters": self.equilibrium,
            "executive_control set numerical_integration_parameters": self.integration,
            **{
                f"executive_control set integrator_parameters {k}": self.integration
                for k in ("gstiff", "wstiff", "dstiff")
            },
            "simulation script create": self.script,
            "simulation single_run transient": self.script,
            "simulation single_run dynamic": self.script,
            "simulation single_run kinematic": self.script,
        }
        out.update(self.force_table())
        for word in (
            "constraint",
            "force",
            "part",
            "marker",
            "geometry",
            "data_element",
            "entity",
            "contact",
            "ude",
            "point",
        ):
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
        for word in (
            "constraint",
            "force",
            "part",
            "marker",
            "geometry",
            "data_element",
            "entity",
            "contact",
            "point",
            "material",
        ):
            out[f"{word} delete"] = self.delete
        for word in ("sensor", "request"):
            out[f"{'executive' if word == 'sensor' else 'output'}_control delete {word}"] = self.delete
        for word in ("hole", "blend", "chamfer", "boss", "thin_shell", "fillet"):
            out[f"geometry create feature {word}"] = self.altered_solid
        out["geometry create shape csg"] = self.combined_solid
        for kind, word in (
            ("X", "x_state_array"),
            ("Y", "y_output_array"),
            ("U", "u_input_array"),
            ("IC", "ic_array"),
            ("IC", "general_array"),
        ):
            out[f"data_element create array {word}"] = out[f"data_element modify array {word}"] = self.array(kind)
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
            if word in ("arc", "circle", "outline"):
                out[f"geometry create curve {word}"] = self.geometry(word, False)
                out[f"geometry modify curve {word}"] = self.geometry(word, True)
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
        system = (self.text(command, "coordinate_system_type") or "").lower()
        if system:
            found = [n for n in ("cartesian", "cylindrical", "spherical") if n.startswith(system)]
            if len(found) != 1:
                raise ViewError(f"coordinate_system_type = {system} is not one of cartesian, cylindrical, spherical")
            self.coordinates = found[0]
        if self.current is not None:
            if (
                (names or system)
                and any(True for _ in islice(self.current.model, 1, None))
                and self.units != self.current.model.units
            ):
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
                self.note_design(command, key, name, parameter)
                value = self.given.get(key, value)
                self.versions[key] = self.versions.get(key, 0) + 1
                self.keep(name, Group(value) if parameter == "object_value" and isinstance(value, str) else value)

    def note_design(self, command: Command, key: str, name: str, parameter: str) -> None:
        """What a command says of a variable as a design variable: a plain value and the range about it."""
        one = self.design.setdefault(key, DesignVariable(self.plain(name)))
        one.times += 1
        one.line = command.line
        one.unit = (self.text(command, "units") or "").lower()
        raw = self.find(command, parameter) or []
        one.value = _plain_number(raw[0]) if parameter == "real_value" and len(raw) == 1 else None
        bounds = [_plain_number(text) for text in self.find(command, "range") or ()]
        if one.value is None or len(bounds) != 2 or None in bounds or self.text(command, "use_range") in ("no", "off"):
            return
        low, high = bounds
        kind = (self.text(command, "delta_type") or "absolute").lower()
        if kind.startswith("rel"):
            low, high = one.value + low, one.value + high
        elif kind.startswith("per"):
            low, high = (one.value + abs(one.value) * p / 100 for p in (low, high))
        if low <= one.value <= high:
            one.low, one.high = low, high

    # bodies
    def part(self, command: Command) -> None:
        name = self.text(command, "part_name") or ""
        if self.full(name) == "ground" and getattr(self.object(name, ("PART",)), "ground", False):
            command.use_all()
            return
        location, axes = self.place(command, None)
        part = bodies.Part(qg=vector(location), reuler=self.euler(axes), exact=self.exact(command, bodies.EXACT))
        self.planar(command)
        self.add(command, part, "part_name")
        self.default_part = self.full(name)

    def new_ground(self, command: Command) -> None:
        raise ViewError("another part as ground is not read; ground is the part of that name")

    def planar(self, command: Command) -> None:
        """PLANAR parts move in a plane, which no statement of a part gives here."""
        if self.switch(command, "planar"):
            raise ViewError("planar = yes is not read: the part would move in space; hold it by a planar joint")
        self.find(command, "planar_axes")

    def exact(self, command: Command, names: tuple[str, ...]) -> tuple[str, ...]:
        """Coordinates that assembly keeps, of ``exact_coordinates``."""
        words = [w.upper() for w in self.texts(command, "exact_coordinates") or () if w.lower() not in ("none", "")]
        unknown = [w for w in words if w not in names]
        if unknown:
            raise ViewError(f"exact_coordinates = {unknown[0].lower()} is not one of {', '.join(names).lower()}")
        return tuple(dict.fromkeys(words))

    def point_mass(self, command: Command) -> None:
        location, axes = self.place(command, None)
        exact = self.exact(command, ("X", "Y", "Z"))
        self.add(
            command, bodies.PointMass(qg=vector(location), reuler=self.euler(axes), exact=exact), "point_mass_name"
        )
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
        context.model.rename(context.objects[f"{kind}:{name}"], self.plain(new.strip()).rsplit(".", 1)[-1])
        if self.default_part == old:
            self.default_part = name

    def part_modify(self, command: Command) -> None:
        body = self._body(command)
        location, axes = self.place(command, None)
        self.moved += location is not None or axes is not None
        if location is not None:
            body.qg = vector(location)
        if axes is not None:
            body.reuler = self.euler(axes)
        self.planar(command)
        if self.find(command, "exact_coordinates") is not None:
            body.exact = self.exact(command, bodies.EXACT if isinstance(body, bodies.Part) else ("X", "Y", "Z"))

    def mass(self, command: Command) -> None:
        body = self._body(command)
        if getattr(body, "ground", False):
            command.use_all()
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
            if not hasattr(body, name):
                continue
            values = self.angles(command, name) if name[0] == "w" else self.read_numbers(command, name)
            if values is not None:
                if len(values) != 1:
                    raise ViewError(f"{name} takes one number, not {len(values)}")
                setattr(body, name, values[0])
            elif (self.text(command, f"no_{name}") or "").lower() in ("true", "yes", "on"):
                setattr(body, name, None)
        for name in ("vm", "wm"):
            number = self.refer(command, name, "MARKER") if hasattr(body, name) else None
            if number is not None:
                setattr(body, name, number)

    def attributes(self, command: Command) -> None:
        """Colours and the like are not part of a model; ``active`` is."""
        status = (self.text(command, "active") or "").lower()
        if "active" not in command.parameters or status in ("", "no_opinion"):
            self.skip(command)
            return
        if status not in ("on", "off"):
            raise ViewError(f"active = {status} is not one of on, off, no_opinion")
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
        name = self.text(command, "file_name") or "of a shell"
        self.files.append((command.line, name))
        part = self.object(self.text(command, "part_name") or "", ("PART",))
        if part is not None:
            self.part_files[part.id] = name
        command.use_all()

    def altered_solid(self, command: Command) -> None:
        name = next((self.text(command, k) for k in command.parameters if k.endswith("name")), None) or ""
        context = self.context(name)
        key = self.full(name)
        while "." in key:
            key = key.rpartition(".")[0]
            part = context.objects.get(f"PART:{key}")
            if part is not None:
                self.altered.setdefault((context.name.lower(), part.id), command.line)
                command.use_all()
                return
        self.skip(command)

    def combined_solid(self, command: Command) -> None:
        """Shapes that are united, cut or intersected: they have the name of the result before their own from then
        on."""
        name = self.text(command, "csg_name") or ""
        context, whole_name = self.context(name), self.full(name)
        for parameter in ("base_object", "object"):
            for part in self.texts(command, parameter) or ():
                shape = self.object(part, ("GRAPHICS",))
                if shape is not None:
                    self.enter(context, f"{whole_name}.{self.full(part).rpartition('.')[2]}", shape)
        self.altered_solid(command)

    def group_attributes(self, command: Command) -> None:
        """Colours and the like of many elements; what switches them off is not read."""
        status = (self.text(command, "active") or "").lower()
        if status not in ("", "on", "no_opinion"):
            raise ViewError(f"active = {status}: the members are not switched; do so by the attributes of each element")
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

    def delete(self, command: Command) -> None:
        """Delete elements by name, with those that they carry; what others still use stays, and is reported."""
        for parameter in [k for k in command.parameters if k.endswith("name")]:
            for name in self.texts(command, parameter) or ():
                self.delete_one(name)

    def delete_one(self, name: str) -> None:
        context, key = self.context(name), self.full(name)
        inside = [
            k
            for k in context.objects
            if ":" in k and (k.partition(":")[2] == key or k.partition(":")[2].startswith(f"{key}."))
        ]
        if not inside:
            if context.points.pop(key, None) is None:
                raise ViewError(f"there is no '{name}' to delete")
            return
        gone = [context.objects[k] for k in inside]
        numbers = {id(e) for e in gone}
        kept = sorted({user.label for e in gone for user in context.model.users(e) if id(user) not in numbers})
        if kept:
            raise ViewError(
                f"{name} is not deleted, since {', '.join(kept[:3])} {'use' if len(kept) > 1 else 'uses'} it; delete "
                "that first"
            )
        self.left -= len(context.objects)
        for element in gone:
            if context.model.table(element.KIND).get(element.id) is element:
                context.model.remove(element, with_users=True)
        for table in (context.objects, context.points):
            for k in [k for k, v in table.items() if id(v) in numbers or k.startswith(f"{key}.")]:
                del table[k]
        for k in [k for k in self.functions if k[0] in numbers]:
            del self.functions[k]
        self.live = [
            one
            for one in self.live
            if not any(
                key == self.full(self.text(one.command, p) or "") for p in one.command.parameters if p.endswith("name")
            )
        ]

    def floating(self, command: Command) -> None:
        name = self.text(command, "floating_marker_name") or ""
        body = self.owner(name)
        self.add(command, bodies.Marker(part=body.id, body_kind=body.KIND, floating=True), "floating_marker_name")

    def sensor(self, command: Command) -> None:
        if command.words[1].startswith("m"):
            sensor = self.modify(command, "sensor_name", "SENSOR")
        else:
            sensor = outputs.Sensor()
        for name, to in (
            ("value", "value"),
            ("error", "tolerance"),
            ("dt", "dt"),
            ("stepsize", "stepsize"),
            ("time_error", "time_error"),
        ):
            value = self.number(command, name)
            if value is not None:
                setattr(sensor, to, value)
        for name, to in (("angular_value", "value"), ("angular_error", "tolerance")):
            angles = self.angles(command, name)
            if angles:
                setattr(sensor, to, angles[0])
        compare = (self.text(command, "compare") or "").upper()
        if compare:
            if compare not in ("EQ", "GE", "LE"):
                raise ViewError(f"compare = {compare.lower()} is not one of eq, ge, le")
            sensor.comparison = compare
        for name, to in (
            ("halt", "halt"),
            ("return", "returns"),
            ("print", "print"),
            ("restart", "restart"),
            ("codgen", "codgen"),
            ("yydump", "yydump"),
            ("bisection", "bisection"),
        ):
            if self.find(command, name) is not None:
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
        for name, to in (("i_marker_name", "i"), ("j_marker_name", "j"), ("r_marker_name", "rm")):
            number = self.refer(command, name, "MARKER")
            if number is not None:
                setattr(request, to, number)
        kind = (self.text(command, "output_type") or "").upper()
        if kind:
            found = [k for k in ("DISPLACEMENT", "VELOCITY", "ACCELERATION", "FORCE", "USER") if k.startswith(kind)]
            if not found:
                raise ViewError(
                    f"output_type = {kind.lower()} is not one of displacement, velocity, acceleration, force, user"
                )
            request.kind = None if found[0] == "USER" else found[0]
        for name, to in (("component_names", "cnames"), ("component_units", "cunits"), ("component_labels", "clabels")):
            texts = self.texts(command, name)
            if texts is not None:
                setattr(request, to, tuple(texts))
        titles = self.texts(command, "title")
        if titles is not None:
            request.title = ":".join(titles)
        for name in ("comment", "results_name"):
            text = self.text(command, name)
            if text is not None:
                setattr(request, name, text)
        if not command.words[1].startswith("m"):
            self.add(command, request, "request_name")
        for k in range(1, 9):
            self.function(command, request, f"f{k}", f"functions.F{k}")
        self.function(command, request)

    def contact(self, command: Command) -> None:
        contact = forces.Contact(joined=True)
        self.enter_absent(command)
        self.contact_values(command, contact)
        for side in "ij":
            if not getattr(contact, f"{side}geom") and getattr(contact, f"{side}flex") is None:
                raise ViewError(f"it names no geometry for its {side.upper()} side; give {side}_geometry_name")
        self.add(command, contact, "contact_name")

    def contact_modify(self, command: Command) -> None:
        self.contact_values(command, self.modify(command, "contact_name", "CONTACT"))

    def enter_absent(self, command: Command) -> None:
        """Geometry that a contact names and that lies in a file of solids becomes an EXTERNAL graphic of that file, as
        in a dataset."""
        if not self.files:
            return
        for side in "ij":
            for name in self.texts(command, f"{side}_geometry_name") or ():
                if self.object(name, ("GRAPHICS",)) is not None:
                    continue
                context, key = self.context(name), self.full(name)
                part = context.objects.get(f"PART:{key.rpartition('.')[0]}")
                if part is None:
                    continue  # no part of the model carries it: an error of the contact
                carried = (m.id for m in context.model.markers.values() if m.body_kind == "PART" and m.part == part.id)
                graphic = outputs.Graphic(
                    type="EXTERNAL", source=Source(self.path, command.line), name=key.rpartition(".")[2]
                )
                graphic.arguments = {
                    "rm": next(carried, 0),
                    "file": self.file_of(part.id),
                    "element": key.rpartition(".")[2],
                }
                context.model.add(graphic)
                self.enter(context, key, graphic)

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
                raise ViewError(f"coulomb_friction = {friction.lower()} is not one of on, off, dynamics_only")
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
        new = "create" in command.words
        spline = states.Spline() if new else self.modify(command, "spline_name", "SPLINE")
        file = self.text(command, "file_name")
        if file:
            spline.file, spline.x, spline.y, spline.z = file, (), (), ()
            spline.block = self.text(command, "block_name") or None
            spline.channel = self.integer(command, "channel")
        axes = {n: self.read_numbers(command, n) for n in ("x", "y", "z")}
        if not file and (new or any(v is not None for v in axes.values())):
            held = {"x": spline.x, "y": tuple(v for row in spline.y for v in row), "z": spline.z}
            x, y, z = (held[n] if axes[n] is None else axes[n] for n in "xyz")
            if len(x) < 1 or len(y) != len(x) * max(1, len(z)):
                raise ViewError(f"x has {len(x)}, y {len(y)} and z {len(z)} values; y needs one for each x (and z)")
            rows = tuple(y[k * len(x) : (k + 1) * len(x)] for k in range(max(1, len(z))))
            spline.x, spline.y, spline.z = x, rows, z if len(z) > 1 or len(rows) > 1 else ()
            spline.file = None
        if self.find(command, "linear_extrapolate") is not None:
            spline.linear_extrapolate = self.switch(command, "linear_extrapolate")
        if new:
            self.add(command, spline, "spline_name")

    def data_variable(self, command: Command) -> None:
        variable = states.Variable(ic=self.number(command, "initial_condition") or 0.0)
        self.add(command, variable, "variable_name")
        self.function(command, variable)

    def data_variable_modify(self, command: Command) -> None:
        variable = self.modify(command, "variable_name", "VARIABLE")
        self.set_numbers(command, variable, ("initial_condition", "ic"))
        self.function(command, variable)

    def matrix(self, command: Command) -> None:
        values = {
            "rows": self.integer(command, "row_count"),
            "columns": self.integer(command, "column_count"),
            "values": self.read_numbers(command, "values"),
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
            "values": self.read_numbers(command, "values"),
            "sparse_i": tuple(map(whole, self.read_numbers(command, "row_index") or ())),
            "sparse_j": tuple(map(whole, self.read_numbers(command, "column_index") or ())),
        }
        grammar._matrix(values, False)
        self.add(command, states.Matrix(**values), "matrix_name")

    def string(self, command: Command) -> None:
        self.add(command, states.String(text="".join(self.texts(command, "string") or ())), "string_name")

    def curve(self, command: Command) -> None:
        new = "create" in command.words
        curve = states.Curve() if new else self.modify(command, "curve_name", "CURVE")
        matrix = self.refer(command, "matrix_name", "MATRIX")
        if matrix is not None:
            curve.matrix = matrix
        if self.find(command, "closed") is not None:
            curve.closed = self.switch(command, "closed")
        fit = (self.text(command, "fit_type") or "").lower()
        if fit:
            curve.points = "CONTROL" if "control" in fit else "CURVE"
        order = self.integer(command, "interpolation_order")
        if order is not None:
            curve.order = order
        self.set_numbers(
            command, curve, ("minimum_parameter", "minpar"), ("maximum_parameter", "maxpar"), ("tension", "tension")
        )
        if new:
            self.add(command, curve, "curve_name")
        self.function(command, curve)

    def array(self, kind: str) -> Callable[[Command], None]:
        def handle(command: Command) -> None:
            new = "create" in command.words
            array = states.Array(kind=kind) if new else self.modify(command, "array_name", "ARRAY")
            size, numbers = self.integer(command, "size"), self.read_numbers(command, "numbers")
            if size is not None:
                array.size = size
            if numbers is not None:
                array.numbers = numbers
            if kind == "U" and self.find(command, "variable_name") is not None:
                array.variables = self.refers(command, "variable_name", "VARIABLE")
            if new:
                self.add(command, array, "array_name")

        return handle

    def plant(self, cls: type[Element], parameter: str) -> Callable[[Command], None]:
        return lambda command: self.add(
            command, cls(variables=self.refers(command, "variable_name", "VARIABLE")), parameter
        )

    # equations
    def differential(self, command: Command) -> None:
        new = "create" in command.words
        diff = states.Diff() if new else self.modify(command, "differential_equation_name", "DIFF")
        start = self.read_numbers(command, "initial_condition")
        if start is not None:
            diff.ic = start
        elif (self.text(command, "no_initial_condition") or "").lower() in ("true", "yes"):
            diff.ic = (0.0,)
        for name in ("implicit", "static_hold"):
            if self.find(command, name) is not None:
                setattr(diff, name, self.switch(command, name))
        if new:
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
            numbers = self.read_numbers(command, name)
            if not numbers:
                raise ViewError(f"{name} is missing")
            made.append(
                model.add(
                    states.Array(kind="IC", size=len(numbers), numbers=numbers, source=Source(self.path, command.line))
                ).id
            )
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
            xd=array("discrete_state_array_name"),
            icd=array("discrete_ic_array_name"),
            nd=self.integer(command, "discrete_state_equation_count") or 0,
            sample_period=self.number(command, "sample_period"),
            sample_offset=self.number(command, "sample_offset") or 0.0,
            implicit=self.switch(command, "implicit"),
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

    def in_marker(
        self, command: Command, rows: list[tuple[float, ...]], arguments: dict[str, Any]
    ) -> list[tuple[float, ...]]:
        """Points that are given in ``relative_to`` or the default system, in the axes of the marker that carries the
        shape."""
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
        return [
            tuple((home.axes.T @ (frame.origin + frame.axes @ np.array(row) - home.origin)).tolist()) for row in rows
        ]

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
        corner = self.read_numbers(command, "diag_corner_coords")
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
            ("diameter_of_spring", "da"),
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
        points = self.read_numbers(command, "points_for_profile") or ()
        if points and self.coordinates != "cartesian":
            raise ViewError(
                f"points_for_profile in {self.coordinates} coordinates are not read; give them in cartesian ones"
            )
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
        target = self.context(self.text(command, "model_name") or "").model.equilibrium
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
        if self.find(command, "dynamic") is not None:
            target.dynamic = self.switch(command, "dynamic")
        limit = self.angles(command, "alimit")
        if limit:
            target.alimit = limit[0]

    def assembly_settings(self, to: str, *more: tuple[str, str]) -> Callable[[Command], None]:
        """Settings of a kinematic analysis or of the initial conditions."""
        names = ("error", "aerror", "tlimit")

        def handle(command: Command) -> None:
            target = getattr(self.context(self.text(command, "model_name") or "").model, to)
            self.set_numbers(command, target, *((n, n) for n in names if hasattr(target, n)), *more)
            for name in ("maxit", "amaxit"):
                number = self.integer(command, name) if hasattr(target, name) else None
                if number is not None:
                    setattr(target, name, number)
            limit = self.angles(command, "alimit") if hasattr(target, "alimit") else None
            if limit:
                target.alimit = limit[0]

        return handle

    def integration(self, command: Command) -> None:
        target = self.context(self.text(command, "model_name") or "").model.integrator
        self.set_numbers(
            command,
            target,
            ("error_tolerance", "error"),
            ("hinit_time_step", "hinit"),
            ("hmin_time_step", "hmin"),
            ("hmax_time_step", "hmax"),
            ("adaptivity", "adaptivity"),
            ("alpha", "alpha"),
            ("beta", "beta"),
            ("gamma", "gamma"),
        )
        for name, to in (("kmax_integrator_order", "kmax"), ("maxit_corrector_iterations", "maxit")):
            number = self.integer(command, name)
            if number is not None:
                setattr(target, to, number)
        if self.find(command, "interpolate") is not None:
            target.interpolate = self.switch(command, "interpolate")
        corrector = (self.text(command, "corrector") or "").upper()
        if corrector:
            target.corrector = corrector
        own = command.words[-1].upper() if "integrator_parameters" in command.words else ""
        kind = (self.text(command, "integrator_type") or own).upper()
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
        self.find(command, "model_name")
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
        end, steps, size = (
            self.number(command, "end_time"),
            self.integer(command, "number_of_steps"),
            self.number(command, "step_size"),
        )
        if word.startswith(("static", "equi")) and end is None:
            return "SIMULATE/STATICS\n"
        duration = self.number(command, "duration")
        if not kind or (end is None and duration is None):
            return ""
        kind = {"dynamic": "DYNAMICS", "kinematic": "KINEMATICS", "static": "STATICS"}.get(kind, "TRANSIENT")
        first = "SIMULATE/STATICS\n" if self.switch(command, "initial_static") else ""
        output = f", STEPS={steps}" if steps else f", DTOUT={size!r}" if size else ""
        return (
            f"{first}SIMULATE/{kind}, "
            + (f"END={end!r}" if end is not None else f"DURATION={duration!r}")
            + output
            + "\n"
        )
