"""Adams View commands that create or change constraints and forces.

Source: Adams View command language reference, `constraint ...` and `force ...`.  A `modify` command changes what it
gives and leaves the rest as it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...model import bodies, forces, joints
from ...model.base import Source
from . import grammar
from .view_expression import ViewError
from .view_rows import (
    Parameter,
    Plain,
    Row,
    Rows,
    angle,
    marker,
    number,
    numbers,
    per_angle,
    reference,
    references,
    switch,
    triple,
    triple_per_angle,
    word,
)
from .view_session import Command, three

ALIGNED = 1e-9  # rad: a smaller angle of two markers is rounding of their Euler angles

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


#: words of joints and primitives that are not their types in small letters
_JOINT_WORDS = {"RACKPIN": "{rackpin|rack_and_pinion}", "FIXED": "{fixed|rigid}"}
_PRIMITIVE_WORDS = {"ATPOINT": "at_point", "PARALLEL_AXES": "parallel_axis"}
#: parameters of joints of one type
_OF_JOINTS: dict[str, tuple[Parameter, ...]] = {"SCREW": number("pitch"), "RACKPIN": number("diameter_of_pitch=pd")}


class Forces(Rows):
    """What the rows of `FORCES` do not say."""

    # ---- constraints -----------------------------------------------------------------------------
    def fill_joint(self, command: Command, joint: Any, new: bool) -> None:
        self.fill(command, joint, _OF_JOINTS.get(joint.type, ()))
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
        freedom = (self.text(command, "type_of_freedom") or "").lower()
        if freedom:
            force.kind = "ROTATIONAL" if freedom.startswith("r") else "TRANSLATIONAL"

    def fill_vector(self, command: Command, force: Any, new: bool) -> None:
        part = self.refer(command, "j_part_name", "PART")
        if part is not None:  # the reaction acts there, on a floating marker that View makes
            marker = bodies.Marker(part=part, floating=True, source=Source(self.path, command.line))
            marker.id = self.integer(command, "j_marker_id") or 0
            force.jfloat = self.context().model.add(marker).id

    def fill_spring(self, command: Command, spring: Any, new: bool) -> None:
        if new and self.find(command, "displacement_at_preload") is None:
            # "Default Length": the length of the spring when it is created (Adams View, Modify a Spring-Damper Force)
            spring.length = self.context().model._drawn_length(spring.i, spring.j)

    def fill_torsion_spring(self, command: Command, spring: Any, new: bool) -> None:
        if new and not self.angles(command, "displacement_at_preload"):
            drawn = self.context().model._drawn_angle(spring.i, spring.j)
            spring.angle = drawn if abs(drawn) > ALIGNED else 0.0
            if spring.angle and spring.kt:
                self.warnings.append(
                    f"{self.path}:{command.line}: displacement_at_preload is left out; the free angle is that as "
                    f"drawn, {math.degrees(drawn):.6g} degrees"
                )

    def fill_beam(self, command: Command, beam: Any, new: bool) -> None:
        damping = self.read_numbers(command, "matrix_of_damping_terms")
        if damping:
            if len(damping) not in (21, 36):
                raise ViewError(f"matrix_of_damping_terms takes 21 or 36 numbers, got {len(damping)}")
            values: dict[str, Any] = {"cmatrix": damping}
            grammar._beam(values, False)
            beam.cmatrix = values["cmatrix"]

    def fill_field(self, command: Command, field: Any, new: bool) -> None:
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

    def fill_friction(self, command: Command, friction: Any, new: bool) -> None:
        given = {
            n.upper(): self.switch(command, n)
            for n in ("preload", "reaction_force", "bending_moment", "torsional_moment")
            if self.find(command, n)
        }
        friction.inputs = tuple(n for n in joints.Friction().inputs if given.get(n, n in friction.inputs))
        if self.find(command, "inactive_during_static") is not None:
            friction.inactive = "STATIC" if self.switch(command, "inactive_during_static") else ""


_FORMULATION = word("formulation", "LINEAR", "NONLINEAR", "STRING")

#: commands on constraints and forces
FORCES: tuple[Row | Plain, ...] = (
    Row(
        "constraint {} motion_generator",
        "motion_name",
        joints.Motion,
        finish=Forces.fill_motion,
    ),
    Row(
        "constraint {} complex_joint coupler",
        "coupler_name",
        joints.Coupler,
        references("JOINT", "joint_name=joints", needed=True),
        finish=Forces.fill_coupler,
    ),
    Row(
        "constraint {} complex_joint gear",
        "gear_name",
        joints.Gear,
        (
            *marker("common_velocity_marker_name=cv", needed=True),
            *references("JOINT", "joint_name=joints", needed=True),
        ),
    ),
    Row(
        "constraint {} higher_pair_contact point_curve",
        "point_curve_name",
        joints.PointCurve,
        (
            *marker("i_marker_name=i", needed=True),
            *marker("j_floating_marker_name=jfloat"),
            *marker("ref_marker_name=rm", needed=True),
            *reference("CURVE", "curve_name=curve", needed=True),
            *marker("ic_ref_marker_name=icm"),
            *numbers("displacement_ic=ic"),
            *number("velocity_ic"),
        ),
    ),
    Row(
        "constraint {} higher_pair_contact curve_curve",
        "curve_curve_name",
        joints.CurveCurve,
        tuple(
            p
            for side in "ij"
            for p in (
                *marker(f"{side}_floating_marker_name={side}float"),
                *marker(f"{side}_ref_marker_name={side}rm", needed=True),
                *reference("CURVE", f"{side}_curve_name={side}curve", needed=True),
                *marker(f"{side}_ic_ref_marker_name={side}icm"),
                *numbers(f"{side}_displacement_ic={side}_ic"),
                *number(f"{side}_velocity_ic"),
            )
        ),
    ),
    Row(
        "constraint {} general_constraint",
        "general_constraint_name",
        joints.GeneralConstraint,
        marker("i_marker_name=i"),
    ),
    Row(
        "force {} direct single_component_force",
        "single_component_force_name",
        forces.SForce,
        switch("action_only=actiononly"),
        ends=True,
        finish=Forces.fill_sforce,
    ),
    *(
        Row(
            f"force {{}} direct {kind}",
            f"{kind}_name",
            element,
            (
                *marker("i_marker_name=i", needed=True),
                *marker("j_floating_marker_name=jfloat", "ref_marker_name=rm"),
            ),
            finish=Forces.fill_vector,
        )
        for kind, element in (
            ("force_vector", forces.VForce),
            ("torque_vector", forces.VTorque),
            ("general_force", forces.GForce),
        )
    ),
    Row(
        "force {} element_like translational_spring_damper",
        "spring_damper_name",
        forces.SpringDamper,
        number("stiffness=k", "damping=c", "preload=force", "displacement_at_preload=length"),
        ends=True,
        finish=Forces.fill_spring,
        fixed={"kind": "TRANSLATIONAL"},
    ),
    Row(
        "force {} element_like rotational_spring_damper",
        "spring_damper_name",
        forces.SpringDamper,
        (
            *per_angle("stiffness=kt", "damping=ct"),
            *number("preload=torque"),
            *angle("displacement_at_preload=angle"),
        ),
        ends=True,
        finish=Forces.fill_torsion_spring,
        fixed={"kind": "ROTATIONAL"},
    ),
    Row(
        "force {} element_like beam",
        "beam_name",
        forces.Beam,
        (
            *number("length", "area_of_cross_section=area", "ixx", "iyy", "izz"),
            *number("y_shear_area_ratio=asy", "z_shear_area_ratio=asz"),
            *number("youngs_modulus=emodulus", "shear_modulus=gmodulus", "damping_ratio=cratio"),
            *_FORMULATION,
        ),
        ends=True,
        finish=Forces.fill_beam,
    ),
    Row(
        "force {} element_like bushing",
        "bushing_name",
        forces.Bushing,
        (
            *triple("stiffness=k", "damping=c"),
            *triple_per_angle("tstiffness=kt", "tdamping=ct"),
            *triple("force_preload=force", "torque_preload=torque"),
        ),
        ends=True,
    ),
    Row(
        "force {} element_like field",
        "field_name",
        forces.Field,
        (
            *number("damping_ratio=cratio"),
            *triple("force_preload=force", "torque_preload=torque"),
            *_FORMULATION,
        ),
        ends=True,
        finish=Forces.fill_field,
    ),
    Row(
        "force {} element_like friction",
        "friction_name",
        joints.Friction,
        (
            *reference("JOINT", "joint_name=joint", needed=True),
            *number("mu_static", "mu_dynamic", "stiction_transition_velocity", "transition_velocity_coefficient"),
            *number("max_stiction_deformation", "pin_radius", "friction_arm", "bending_reaction_arm", "ball_radius"),
            *number("reaction_arm", "initial_overlap", "max_friction_force", "max_friction_torque", "smooth"),
            *number("friction_force_preload=force_preload", "friction_torque_preload=torque_preload", *joints.LUGRE),
            *word("overlap_delta", "INCREASE", "DECREASE", "CONSTANT"),
            *word("effect", "ALL", "STICTION", "SLIDING"),
            *word("formulation", "ORIGINAL", "LUGRE"),
            *word("yoke"),
        ),
        finish=Forces.fill_friction,
    ),
    *(
        Row(
            f"constraint {{}} joint {_JOINT_WORDS.get(kind, kind.lower())}",
            "joint_name",
            joints.Joint,
            ends=True,
            finish=Forces.fill_joint,
            fixed={"type": kind},
        )
        for kind in joints.JOINT_TYPES
    ),
    *(
        Row(
            f"constraint {{}} primitive_joint {_PRIMITIVE_WORDS.get(kind, kind.lower())}",
            "jprim_name",
            joints.Primitive,
            ends=True,
            fixed={"type": kind},
        )
        for kind in joints.PRIMITIVE_TYPES
    ),
    Plain("force {create|modify} body gravitational", Forces.gravity),
)
