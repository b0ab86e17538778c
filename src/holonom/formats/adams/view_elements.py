"""Adams View commands on models, variables, bodies, markers and points, and those that change elements of all kinds.

Source: Adams View command language reference.  What the methods share is in `view_session`; commands that fill fields
of elements are rows (`view_rows`).
"""

from __future__ import annotations

import math
import re
from itertools import islice
from typing import Any

from ...model import bodies
from ...model.model import Model
from ...model.settings import FORCE, LENGTH, MASS, TIME, Units
from .arguments import suggestion
from .view_data import DATA
from .view_expression import Group, ViewError
from .view_forces import FORCES
from .view_geometry import GEOMETRY, Geometry
from .view_places import axis_and_plane
from .view_rows import Handler, Plain
from .view_session import Command, Context, DesignVariable, unit_name, vector


def _plain_number(text: str) -> float | None:
    """The number that a text is, without a unit or an expression."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


class Elements(Geometry):
    """All commands, by their words in `command_handlers`."""

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

    # data

    # equations

    # geometry

    # settings

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

    # ---- commands --------------------------------------------------------------------------------
    def command_handlers(self) -> dict[str, Handler]:
        """What carries out the commands, by their words."""
        return self.handlers_of((*COMMANDS, *FORCES, *DATA, *GEOMETRY))


#: commands on models, variables, bodies, markers and points, and those that change elements of all kinds
COMMANDS: tuple[Plain, ...] = (
    Plain("model create", Elements.model_create),
    Plain("defaults units", Elements.defaults_units),
    Plain("defaults model", Elements.defaults_model),
    Plain("defaults coordinate_system", Elements.defaults_coordinate_system),
    Plain("defaults orient_axis_and_plane", Elements.defaults_axis),
    Plain("variable {set|create|modify}", Elements.set_variable),
    Plain("variable delete", Elements.delete_variable),
    Plain("point {create|modify}", Elements.point_create),
    Plain("part create rigid_body name_and_position", Elements.part),
    Plain("part create point_mass name_and_position", Elements.point_mass),
    Plain("part modify {rigid_body|point_mass} name_and_position", Elements.part_modify),
    Plain("part {create|modify} {rigid_body|point_mass} mass_properties", Elements.mass),
    Plain("part {create|modify} rigid_body initial_velocity", Elements.velocity),
    Plain("part create point_mass initial_velocity", Elements.velocity),
    Plain("part create new_ground", Elements.new_ground),
    Plain("marker create", Elements.marker),
    Plain("marker modify", Elements.marker_modify),
    Plain("floating_marker create", Elements.floating),
    Plain("{ude|assembly} create instance", Elements.instance),
    Plain("ude modify instance", Elements.instance_modify),
    Plain("{group|model} attributes", Elements.group_attributes),
    Plain(
        "{constraint|force|part|marker|geometry|data_element|entity|contact|ude|point} attributes",
        Elements.attributes,
    ),
    Plain("{executive_control attributes sensor|output_control attributes request}", Elements.attributes),
    Plain("{constraint|force|part|marker|geometry|data_element|entity|contact|point|material} delete", Elements.delete),
    Plain("{executive_control delete sensor|output_control delete request}", Elements.delete),
    Plain("measure {create|modify} {object|function|computed|range|angle|pt2pt|point}", Elements.measure),
    Plain("simulation script create", Elements.script),
    Plain("simulation single_run {transient|dynamic|kinematic}", Elements.script),
)
