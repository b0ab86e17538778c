"""Adams View commands that create or change constraints and forces.

Source: Adams View command language reference, `constraint ...` and `force ...`.  A `modify` command changes what it
gives and leaves the rest as it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...model import bodies, forces, joints
from ...model.base import Element, Source
from . import grammar
from .view_expression import ViewError
from .view_late import Late
from .view_session import Command, three, vector

ALIGNED = 1e-9  # rad: a smaller angle of two markers is rounding of their Euler angles

Handler = Callable[[Command], None]
#: fill an element from a command; true: it is created, and what must be given is requested
Fill = Callable[[Command, Any, bool], None]

#: parameters of the friction that a revolute or translational joint of Adams View has by itself
_JOINT_FRICTION = (
    "delta_v",
    "maximum_deformation",
    "mu_dyn_rot",
    "mu_stat_rot",
    "max_fric_rot",
    "mu_dyn_trans",
    "mu_stat_trans",
    "max_fric_trans",
    "preload_radial",
    "preload_axial",
    "preload_x",
    "preload_y",
    "inner_radius",
    "outer_radius",
    "height",
    "width",
)
_TRANSLATES = ("TRANSLATIONAL", "CYLINDRICAL")
_TURNS = ("REVOLUTE", "CYLINDRICAL")


class Forces(Late):
    """Handlers of the commands on constraints and forces, by name in `force_table`."""

    def force_table(self) -> dict[str, Handler]:
        out: dict[str, Handler] = {}
        for words, parameter, cls, fill in (
            ("constraint {} motion_generator", "motion_name", joints.Motion, self.fill_motion),
            ("constraint {} complex_joint coupler", "coupler_name", joints.Coupler, self.fill_coupler),
            ("constraint {} complex_joint gear", "gear_name", joints.Gear, self.fill_gear),
            (
                "constraint {} higher_pair_contact point_curve",
                "point_curve_name",
                joints.PointCurve,
                self.fill_point_curve,
            ),
            (
                "constraint {} higher_pair_contact curve_curve",
                "curve_curve_name",
                joints.CurveCurve,
                self.fill_curve_curve,
            ),
            (
                "constraint {} general_constraint",
                "general_constraint_name",
                joints.GeneralConstraint,
                self.fill_general_constraint,
            ),
            ("force {} direct single_component_force", "single_component_force_name", forces.SForce, self.fill_sforce),
            ("force {} direct force_vector", "force_vector_name", forces.VForce, self.fill_vector),
            ("force {} direct torque_vector", "torque_vector_name", forces.VTorque, self.fill_vector),
            ("force {} direct general_force", "general_force_name", forces.GForce, self.fill_vector),
            (
                "force {} element_like translational_spring_damper",
                "spring_damper_name",
                forces.SpringDamper,
                self.fill_spring,
            ),
            (
                "force {} element_like rotational_spring_damper",
                "spring_damper_name",
                forces.SpringDamper,
                self.fill_torsion_spring,
            ),
            ("force {} element_like beam", "beam_name", forces.Beam, self.fill_beam),
            ("force {} element_like bushing", "bushing_name", forces.Bushing, self.fill_bushing),
            ("force {} element_like field", "field_name", forces.Field, self.fill_field),
            ("force {} element_like friction", "friction_name", joints.Friction, self.fill_friction),
        ):
            self.enter_handlers(out, words, parameter, cls, fill)
        for kind in joints.JOINT_TYPES:
            for word in {"RACKPIN": ("rackpin", "rack_and_pinion"), "FIXED": ("fixed", "rigid")}.get(
                kind, (kind.lower(),)
            ):
                self.enter_handlers(
                    out, f"constraint {{}} joint {word}", "joint_name", joints.Joint, self.fill_joint, type=kind
                )
        for kind in joints.PRIMITIVE_TYPES:
            word = {"ATPOINT": "at_point", "PARALLEL_AXES": "parallel_axis"}.get(kind, kind.lower())
            self.enter_handlers(
                out,
                f"constraint {{}} primitive_joint {word}",
                "jprim_name",
                joints.Primitive,
                self.fill_primitive,
                type=kind,
            )
        out["force create body gravitational"] = out["force modify body gravitational"] = self.gravity
        return out

    def enter_handlers(
        self, out: dict[str, Handler], words: str, parameter: str, cls: type[Element], fill: Fill, **fixed: Any
    ) -> None:
        """The handlers of `create` and `modify` of one command."""

        def create(command: Command) -> None:
            element = cls(**fixed)
            fill(command, element, True)
            self.add(command, element, parameter)
            self.functions_of(command, element)

        def modify(command: Command) -> None:
            element = self.modify(command, parameter, cls.KIND)
            for name, value in fixed.items():
                if getattr(element, name) != value:
                    raise ViewError(
                        f"{element.name} is of {name} {getattr(element, name).lower()}; delete it and create "
                        "another one"
                    )
            fill(command, element, False)
            self.functions_of(command, element)

        out[words.format("create")], out[words.format("modify")] = create, modify

    def functions_of(self, command: Command, element: Element) -> None:
        """Runtime functions of an element, by component where it has components."""
        for axis in "xyz":
            for what in ("force", "torque"):
                if hasattr(element, f"{what[0]}{axis}"):
                    self.function(command, element, f"{axis}_{what}_function", f"{what[0]}{axis}")
        if hasattr(element, "function"):
            self.function(command, element)

    # ---- markers ---------------------------------------------------------------------------------
    def ends(self, command: Command, element: Any, new: bool) -> None:
        """Markers I and J: by name, or made on two parts at a location."""
        if new:
            element.i, element.j = self.ij(command)
            return
        for side in "ij":
            number = self.refer(command, f"{side}_marker_name", "MARKER")
            if number is not None:
                setattr(element, side, number)

    def ij(self, command: Command) -> tuple[int, int]:
        """Markers I and J of a new element, by name or made on two parts at a location."""
        if self.find(command, "i_marker_name") is not None or self.find(command, "i_part_name") is None:
            i, j = (
                self.refer(command, "i_marker_name", "MARKER", True),
                self.refer(command, "j_marker_name", "MARKER", True),
            )
            assert i is not None and j is not None
            return i, j
        out = []
        for parameter in ("i_part_name", "j_part_name"):
            number = self.refer(command, parameter, "PART", True)
            body = self.context().model.parts[number]
            location, axes = self.place(command, body.frame)
            marker = bodies.Marker(part=body.id, qp=vector(location), reuler=self.euler(axes))
            marker.source = Source(self.path, command.line)
            out.append(self.context().model.add(marker).id)
        return out[0], out[1]

    def references(self, command: Command, element: Any, new: bool, *names: tuple[str, str, str, bool]) -> None:
        """Ids that parameters give by name: (parameter, kind, field, whether a new element needs it)."""
        for name, kind, to, needed in names:
            number = self.refer(command, name, kind, new and needed)
            if number is not None:
                setattr(element, to, number)

    # ---- constraints -----------------------------------------------------------------------------
    def fill_joint(self, command: Command, joint: Any, new: bool) -> None:
        self.ends(command, joint, new)
        if joint.type == "SCREW":
            self.set_numbers(command, joint, ("pitch", "pitch"))
        if joint.type == "RACKPIN":
            self.set_numbers(command, joint, ("diameter_of_pitch", "pd"))
        if joint.type in _TRANSLATES:
            joint.ictran = self.initial(command, joint.ictran, self.read_numbers, ("translational_ic", "velocity_ic"))
        if joint.type in _TURNS:
            joint.icrot = self.initial(command, joint.icrot, self.angles, ("rotational_ic", "angular_velocity_ic"))
        friction = (self.text(command, "friction_enabled") or "no").lower()
        if friction not in ("yes", "no", "preload_only"):
            raise ViewError(f"friction_enabled = {friction} is not one of yes, no, preload_only")
        given = [n for n in _JOINT_FRICTION if self.find(command, n) is not None]
        if friction != "no" and (given or self.find(command, "friction_enabled") is not None):
            self.problem(
                command.line,
                " ".join(command.words),
                f"friction_enabled = {friction}: the friction that a joint has by itself is not computed, it moves "
                "without friction; "
                "give it a friction by 'force create element_like friction'",
            )

    def initial(self, command: Command, before: tuple, read: Callable, names: tuple[str, str]) -> tuple:
        """Initial displacement and velocity of a joint's coordinate; `no_...` takes one away."""
        pair = [*before, None, None][:2]
        for k, name in enumerate(names):
            values = read(command, name)
            if values is not None:
                if len(values) != 1:
                    raise ViewError(f"{name} takes one number, not {len(values)}")
                pair[k] = values[0]
            elif self.switch(command, f"no_{name}"):
                pair[k] = None
        return () if pair == [None, None] else tuple(pair)

    def fill_primitive(self, command: Command, primitive: Any, new: bool) -> None:
        self.ends(command, primitive, new)

    def fill_motion(self, command: Command, motion: Any, new: bool) -> None:
        if self.find(command, "joint_name") is not None:
            motion.joint = self.refer(command, "joint_name", "JOINT", True)
            motion.i = motion.j = motion.component = None
        elif new or self.find(command, "axis") is not None or self.find(command, "i_marker_name") is not None:
            self.ends(command, motion, new)
            axis = (self.text(command, "axis") or motion.component or "").upper()
            if axis not in joints.COMPONENTS:
                raise ViewError("axis is missing; give one of x y z b1 b2 b3")
            motion.component, motion.joint = axis, None
            motion.kind = "TRANSLATIONAL" if axis in "XYZ" else "ROTATIONAL"
        freedom = (self.text(command, "type_of_freedom") or "").upper()
        if freedom and not motion.component:
            motion.kind = "TRANSLATIONAL" if freedom.startswith("T") else "ROTATIONAL"
        level = (self.text(command, "time_derivative") or "").upper()
        if level:
            found = [n for n in joints.LEVELS if n.startswith(level)]
            if not found:
                raise ViewError(f"time_derivative = {level.lower()} is not one of displacement, velocity, acceleration")
            motion.level = found[0]
        rotational = motion.kind == "ROTATIONAL"
        for name, to in (("displacement_ic", "icdisp"), ("velocity_ic", "icvel")):
            values = self.angles(command, name) if rotational else self.read_numbers(command, name)
            if rotational and values is None:
                values = self.angles(command, f"rotational_{name}")
            if values:
                setattr(motion, to, values[0])

    def fill_coupler(self, command: Command, coupler: Any, new: bool) -> None:
        if new or self.find(command, "joint_name") is not None:
            coupler.joints = self.refers(command, "joint_name", "JOINT")
        linked = coupler.joints
        scales = (
            self.read_numbers(command, "motion_multipliers")
            or self.read_numbers(command, "multiplication_factors")
            or self.read_numbers(command, "scales")
            or ()
        )
        if not scales:
            found = []
            for word in ("first", "second", "third")[: len(linked)]:
                value, angle = (
                    self.number(command, f"{word}_scale_factor"),
                    self.angles(command, f"{word}_angular_scale_factor"),
                )
                found.append(value if value is not None else angle[0] if angle else None)
            if any(v is not None for v in found):
                held = coupler.scales or (1.0,) * len(linked)
                scales = tuple(h if v is None else v for v, h in zip(found, held))
        types = tuple(w[:1].upper() for t in self.texts(command, "type_of_freedom") or () for w in t.split("_"))
        if any(t not in "RT" for t in types):
            raise ViewError("type_of_freedom is made of rot and trans, as rot_trans")
        if types and len(types) != len(linked):
            raise ViewError(f"type_of_freedom has {len(types)} words for {len(linked)} joints; give one for each")
        if scales and len(scales) == len(linked) - 1:
            scales = (1.0, *scales)
        if types:
            coupler.types = types
        if scales:
            coupler.scales = scales

    def fill_gear(self, command: Command, gear: Any, new: bool) -> None:
        self.references(command, gear, new, ("common_velocity_marker_name", "MARKER", "cv", True))
        if new or self.find(command, "joint_name") is not None:
            gear.joints = self.refers(command, "joint_name", "JOINT")

    def fill_point_curve(self, command: Command, pair: Any, new: bool) -> None:
        self.references(
            command,
            pair,
            new,
            ("i_marker_name", "MARKER", "i", True),
            ("j_floating_marker_name", "MARKER", "jfloat", False),
            ("ref_marker_name", "MARKER", "rm", True),
            ("curve_name", "CURVE", "curve", True),
            ("ic_ref_marker_name", "MARKER", "icm", False),
        )
        start = self.read_numbers(command, "displacement_ic")
        if start is not None:
            pair.ic = start
        self.set_numbers(command, pair, ("velocity_ic", "velocity_ic"))

    def fill_curve_curve(self, command: Command, pair: Any, new: bool) -> None:
        for side in "ij":
            self.references(
                command,
                pair,
                new,
                (f"{side}_floating_marker_name", "MARKER", f"{side}float", False),
                (f"{side}_ref_marker_name", "MARKER", f"{side}rm", True),
                (f"{side}_curve_name", "CURVE", f"{side}curve", True),
                (f"{side}_ic_ref_marker_name", "MARKER", f"{side}icm", False),
            )
            start = self.read_numbers(command, f"{side}_displacement_ic")
            if start is not None:
                setattr(pair, f"{side}_ic", start)
            self.set_numbers(command, pair, (f"{side}_velocity_ic", f"{side}_velocity_ic"))

    def fill_general_constraint(self, command: Command, constraint: Any, new: bool) -> None:
        self.references(command, constraint, new, ("i_marker_name", "MARKER", "i", False))

    # ---- forces ----------------------------------------------------------------------------------
    def gravity(self, command: Command) -> None:
        model = self.context(self.text(command, "gravity_field_name") or "").model
        self.gravities.add(self.full(self.text(command, "gravity_field_name") or "gravity"))
        self.find(command, "new_gravity_field_name")
        names = ("x_component_gravity", "y_component_gravity", "z_component_gravity")
        model.gravity = tuple(
            g if self.number(command, n) is None else self.number(command, n) for n, g in zip(names, model.gravity)
        )

    def fill_sforce(self, command: Command, force: Any, new: bool) -> None:
        self.ends(command, force, new)
        freedom = (self.text(command, "type_of_freedom") or "").lower()
        if freedom:
            force.kind = "ROTATIONAL" if freedom.startswith("r") else "TRANSLATIONAL"
        if self.find(command, "action_only") is not None:
            force.actiononly = self.switch(command, "action_only")

    def fill_vector(self, command: Command, force: Any, new: bool) -> None:
        self.references(
            command,
            force,
            new,
            ("i_marker_name", "MARKER", "i", True),
            ("j_floating_marker_name", "MARKER", "jfloat", False),
            ("ref_marker_name", "MARKER", "rm", False),
        )
        part = self.refer(command, "j_part_name", "PART")
        if part is not None:  # the reaction acts there, on a floating marker that View makes
            marker = bodies.Marker(part=part, floating=True, source=Source(self.path, command.line))
            marker.id = self.integer(command, "j_marker_id") or 0
            force.jfloat = self.context().model.add(marker).id

    def fill_spring(self, command: Command, spring: Any, new: bool) -> None:
        self.ends(command, spring, new)
        spring.kind = "TRANSLATIONAL"
        self.set_numbers(
            command,
            spring,
            ("stiffness", "k"),
            ("damping", "c"),
            ("preload", "force"),
            ("displacement_at_preload", "length"),
        )
        if new and self.find(command, "displacement_at_preload") is None:
            # "Default Length": the length of the spring when it is created (Adams View, Modify a Spring-Damper Force)
            spring.length = self.context().model._drawn_length(spring.i, spring.j)

    def fill_torsion_spring(self, command: Command, spring: Any, new: bool) -> None:
        self.ends(command, spring, new)
        spring.kind = "ROTATIONAL"
        self.set_numbers(command, spring, ("stiffness", "kt"), ("damping", "ct"), factor=self.per_angle())
        self.set_numbers(command, spring, ("preload", "torque"))
        angle = self.angles(command, "displacement_at_preload")
        if angle:
            spring.angle = angle[0]
        elif new:
            drawn = self.context().model._drawn_angle(spring.i, spring.j)
            spring.angle = drawn if abs(drawn) > ALIGNED else 0.0
            if spring.angle and spring.kt:
                self.warnings.append(
                    f"{self.path}:{command.line}: displacement_at_preload is left out; the free angle is that as "
                    f"drawn, {math.degrees(drawn):.6g} degrees"
                )

    def per_angle(self) -> float:
        """Factor of rotational stiffness and damping: per angle unit in View, per radian in the solver."""
        return 180 / math.pi if self.degrees else 1.0

    def fill_beam(self, command: Command, beam: Any, new: bool) -> None:
        self.ends(command, beam, new)
        self.set_numbers(
            command,
            beam,
            ("length", "length"),
            ("area_of_cross_section", "area"),
            ("ixx", "ixx"),
            ("iyy", "iyy"),
            ("izz", "izz"),
            ("y_shear_area_ratio", "asy"),
            ("z_shear_area_ratio", "asz"),
            ("youngs_modulus", "emodulus"),
            ("shear_modulus", "gmodulus"),
            ("damping_ratio", "cratio"),
        )
        damping = self.read_numbers(command, "matrix_of_damping_terms")
        if damping:
            if len(damping) not in (21, 36):
                raise ViewError(f"matrix_of_damping_terms takes 21 or 36 numbers, got {len(damping)}")
            values: dict[str, Any] = {"cmatrix": damping}
            grammar._beam(values, False)
            beam.cmatrix = values["cmatrix"]
        formulation = (self.text(command, "formulation") or "").upper()
        if formulation:
            beam.formulation = self.one_of("formulation", formulation, ("LINEAR", "NONLINEAR", "STRING"))

    @staticmethod
    def one_of(name: str, word: str, choices: tuple[str, ...]) -> str:
        if word not in choices:
            raise ViewError(f"{name} = {word.lower()} is not one of {', '.join(choices).lower()}")
        return word

    def fill_bushing(self, command: Command, bushing: Any, new: bool) -> None:
        self.ends(command, bushing, new)
        turn = self.per_angle()
        for name, to, factor in (
            ("stiffness", "k", 1.0),
            ("damping", "c", 1.0),
            ("tstiffness", "kt", turn),
            ("tdamping", "ct", turn),
            ("force_preload", "force", 1.0),
            ("torque_preload", "torque", 1.0),
        ):
            values = self.read_numbers(command, name)
            if values is not None:
                setattr(bushing, to, tuple(v * factor for v in three(values, name)))

    def fill_field(self, command: Command, field: Any, new: bool) -> None:
        self.ends(command, field, new)
        self.set_numbers(command, field, ("damping_ratio", "cratio"))
        for name, to in (("force_preload", "force"), ("torque_preload", "torque")):
            values = self.read_numbers(command, name)
            if values is not None:
                setattr(field, to, three(values, name))
        for name, to in (("stiffness_matrix", "kmatrix"), ("matrix_of_damping_terms", "cmatrix")):
            values = self.read_numbers(command, name)
            if values:
                if len(values) != 36:
                    raise ViewError(f"{name} takes 36 numbers, got {len(values)}")
                setattr(field, to, grammar.transpose(values, 6, 6))
        shift, turn = self.read_numbers(command, "translation_at_preload"), self.angles(command, "rotation_at_preload")
        if shift is not None:
            field.length = (*three(shift, "translation_at_preload"), *field.length[3:])
        if turn is not None:
            field.length = (*field.length[:3], *three(turn, "rotation_at_preload"))
        formulation = (self.text(command, "formulation") or "").upper()
        if formulation:
            field.formulation = self.one_of("formulation", formulation, ("LINEAR", "NONLINEAR", "STRING"))

    def fill_friction(self, command: Command, friction: Any, new: bool) -> None:
        self.references(command, friction, new, ("joint_name", "JOINT", "joint", True))
        self.set_numbers(
            command,
            friction,
            *(
                (n, n)
                for n in (
                    "mu_static",
                    "mu_dynamic",
                    "stiction_transition_velocity",
                    "transition_velocity_coefficient",
                    "max_stiction_deformation",
                    "pin_radius",
                    "friction_arm",
                    "bending_reaction_arm",
                    "ball_radius",
                    "reaction_arm",
                    "initial_overlap",
                    "max_friction_force",
                    "max_friction_torque",
                    "smooth",
                )
            ),
            ("friction_force_preload", "force_preload"),
            ("friction_torque_preload", "torque_preload"),
        )
        for name, choices in (
            ("overlap_delta", ("INCREASE", "DECREASE", "CONSTANT")),
            ("effect", ("ALL", "STICTION", "SLIDING")),
        ):
            word = (self.text(command, name) or "").upper()
            if word:
                setattr(friction, name, self.one_of(name, word, choices))
        formulation = (self.text(command, "formulation") or "").upper()
        if formulation:
            friction.formulation = self.one_of("formulation", formulation, ("ORIGINAL", "LUGRE"))
        self.set_numbers(command, friction, *((n, n) for n in joints.LUGRE))
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
