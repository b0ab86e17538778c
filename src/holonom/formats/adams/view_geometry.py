"""Adams View commands that create or change shapes and contacts.

Source: Adams View command language reference, `geometry ...`, `contact ...`, `file ... read`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...model import forces, outputs
from ...model.base import Source
from .view_data import Data
from .view_expression import ViewError
from .view_rows import Plain, angle, integer, marker, number, switch, text, word
from .view_session import Command

#: markers of shapes, and the arguments of a graphic that they are
_CARRIERS = ("j_marker=j", "i_marker=i", "applied_at_marker_name=emarker")
_SIZES = (
    *number("length", "radius", "top_radius=top", "bottom_radius=bottom"),
    *integer("side_count_for_body=sides", "segment_count_for_ends=seg", "segment_count=seg"),
    *number("diameter_of_spring=da", "x_scale_factor=xscale", "y_scale_factor=yscale", "z_scale_factor=zscale"),
    *number("width", "depth", "major_radius=major", "minor_radius=minor", "length_along_z_axis=length"),
    *number("x_minimum=xmin", "x_maximum=xmax", "y_minimum=ymin", "y_maximum=ymax"),
)
_CONTACT = (
    *number("stiffness", "damping", "dmax", "exponent", "penalty", "restitution_coefficient=restitution"),
    *number("mu_static", "mu_dynamic", "stiction_transition_velocity", "friction_transition_velocity"),
    *number("max_stiction_deformation"),
    *word("coulomb_friction", *forces.COULOMB_FRICTION),
    *switch("stiction", "augmented_lagrangian_formulation=augmented_lagrangian"),
)


class Geometry(Data):
    """Methods of the rows of `GEOMETRY`."""

    # ---- solids that are read elsewhere -----------------------------------------------------------
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

    # ---- contacts ---------------------------------------------------------------------------------
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
        self.fill(command, contact, _CONTACT)
        if self.switch(command, "no_friction"):
            contact.coulomb_friction = "OFF"
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

    # ---- shapes -----------------------------------------------------------------------------------
    def graphic(self, word: str, new: bool, command: Command) -> None:
        kind = {"block": "BOX", "spring_damper": "SPDP", "sphere": "ELLIPSOID"}.get(word, word.upper())
        parameter = f"{word}_name"
        found = outputs.Graphic(type=kind) if new else self.modify(command, parameter, "GRAPHICS")
        found.arguments = {**found.arguments, **self.shape(command, kind)}
        if new:
            self.add(command, found, parameter)

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
        self.fill(command, out, marker("=".join(center), *_CARRIERS))
        if kind != "PLATE":
            self.fill(command, out, marker("marker_name=rm"))
        self.fill(command, out, marker("reference_marker=rm", "ref_marker_name=rm"))
        if kind == "PLATE":
            named = self.refers(command, "marker_name", "MARKER")
            if named:
                out["rm"], out["markers"] = named[0], named
        corner = self.read_numbers(command, "diag_corner_coords")
        if corner:
            out.update(zip("xyz", corner))
        self.fill(command, out, _SIZES)
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
        if kind == "EXTERNAL":
            file: dict[str, Any] = {}
            self.fill(command, file, text("file_name=file", "element_name=element"))
            out.update({to: given for to, given in file.items() if given})
        self.fill(command, out, angle("angle_extent=rangle"))
        for name, etype in (("force_element_name", ""), ("joint_name", "JOINT")):
            of = self.text(command, name)
            element = self.object(of) if of else None
            if element is not None:
                out["etype"], out["eid"] = etype or element.KIND, element.id
        return out


_SHAPES = (
    *("block", "cylinder", "frustum", "ellipsoid", "link", "torus", "plate", "circle", "arc", "outline", "force"),
    *("sphere", "spring_damper", "revolution", "extrusion", "plane", "external"),
)

#: commands on shapes and contacts
GEOMETRY: tuple[Plain, ...] = (
    Plain("contact create", Geometry.contact),
    Plain("contact modify", Geometry.contact_modify),
    Plain("file {parasolid|geometry|step|iges|shell} read", Geometry.foreign_solids),
    Plain("geometry create shape shell", Geometry.foreign_solids),
    Plain("geometry create feature {hole|blend|chamfer|boss|thin_shell|fillet}", Geometry.altered_solid),
    Plain("geometry create shape csg", Geometry.combined_solid),
    *(
        Plain(f"geometry {action} {as_what} {word}", Geometry.graphic, (word, action == "create"))
        for word in _SHAPES
        for as_what in (("shape", "curve") if word in ("arc", "circle", "outline") else ("shape",))
        for action in ("create", "modify")
    ),
)
