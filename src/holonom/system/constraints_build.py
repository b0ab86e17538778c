"""From the drawing to its numbers: rows of joints, couplers, gears, curves, motions and initial conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..elements.bodies import layout
from ..elements.joints import JOINTS
from ..elements.joints.composition import dot
from ..elements.joints.rows import ANGLE, DISTANCE, DOT2, ELEVATION, SUM
from ..expressions import Curve as CurveTable
from ..expressions import CurveError, compile_expression
from ..model.data_files import matrix_values
from ..model.joint_facts import choice, facts
from ..model.orientation import axes_from
from .bodies_build import Bodies
from .equations import CURVE_ROW, ConstraintInfo, RowInfo
from .names import TimeResolver, inline_sensors, inline_variables, read_function
from .workspace import Workspace

ACROSS = 1e-6  # cosine of an angle that counts as right


class Constraints(Bodies):
    """Rows of a `build.System`."""

    if TYPE_CHECKING:  # what System provides
        W: Any
        constraints: list[ConstraintInfo]
        functions: Any
        holding: set[tuple[str, int]]
        initial_rows: int
        inputs: frozenset[int]
        free_rates: bool
        motion_nodes: dict[int, tuple]
        overridden: list[str]
        senval: dict[int, float]
        workspace: Workspace
        _curves: list
        _curve_rows: list[tuple[int, int, int, int]]
        _curve_pairs: list[tuple]
        _motion_programs: list
        _user_curves: dict[int, CurveTable]

        @property
        def rows(self) -> list[RowInfo]: ...

    def _build_constraints(self) -> None:
        model = self.model
        for joint in model.joints.values():
            if joint.active:
                self._add_joint(joint, self.frame(joint.i), self._frame_j(joint))
        for primitive in model.table("JPRIM").values():
            if primitive.active:
                self._add_joint(primitive, self.frame(primitive.i), self._frame_j(primitive))
        for coupler in model.table("COUPLER").values():
            if coupler.active:
                self._add_coupler(coupler)
        for gear in model.table("GEAR").values():
            if gear.active:
                self._add_gear(gear)
        for element in model.table("PTCV").values():
            if element.active:
                self._add_point_curve(element)
        for element in model.table("CVCV").values():
            if element.active:
                self._add_curve_curve(element)
        for motion in model.table("MOTION").values():
            if motion.active:
                self._add_motion(motion)
        self.row_frames = len(self.frame_list)  # those that follow belong to forces and functions
        self._watching = True
        self.functions.add_constraints()

    def _frame_j(self, joint) -> int:
        """Frame of marker J; one of its own where it is put where I is found."""
        j = self.frame(joint.j)
        return self._add_frame(*self.frame_list[j]) if (joint.KIND, joint.id) in self.holding else j

    def _record(self, element, i, j, rows: list[RowInfo], **more) -> None:
        first = len(self.rows)
        self.rows.extend(rows)
        self.constraints.append(ConstraintInfo(element, i, j, range(first, len(self.rows)), **more))

    def _add_joint(self, joint, i: int, j: int) -> None:
        if joint.type not in JOINTS:
            raise joint.error(f"unknown type '{joint.type}'; choose one of {', '.join(sorted(JOINTS))}")
        kind = JOINTS[joint.type]
        rows = []
        i, j, equations = self._without_twist(
            joint, i, j, (*kind.equations, *(kind.setup(joint) if kind.setup else ()))
        )
        for e in equations:
            row = RowInfo(e.kind, i, j, e.a, e.b, name=e.name, words=e.words)
            for scale, what in e.terms:
                row.terms.append((scale, *self._coordinate(joint, what, i, j)))
            rows.append(row)
        armature = getattr(joint, "armature", None)
        if armature:
            row = RowInfo(SUM, i, j, level=2, name="armature", words="the inertia of its drive")
            row.compliance = 1.0 / (armature * self.model.units.mass_factor)
            row.terms.append((1.0, *self._coordinate(joint, facts(joint).armature, i, j)))
            rows.append(row)
        self._record(joint, i, j, rows)

    def _without_twist(self, joint, i: int, j: int, equations):
        """Frames and equations of a joint where it acts on a point of a mesh, whose section has no angle about the axis
        that anything could hold: FIXED keeps point and direction, REVOLUTE across the axis keeps the direction across
        its own axis."""
        on = [
            f
            for f in (i, j)
            if f
            and self.frame_list[f][0] < self.parts
            and getattr(self.body_elements[self.frame_list[f][0]], "twistless", False)
        ]
        way = facts(joint).without_twist
        if not on or not way:
            return i, j, equations
        along = self.design(on[0])
        body = self.frame_list[on[0]][0]
        t = self.body_frame(self.y_bodies, body).axes[:, 0]
        here = i if on[0] == i else j
        there = j if here == i else i
        if way == "point":
            axes = axes_from(t, along.axes[:, int(np.abs(along.axes.T @ t).argmin())])
            i, j = (self._turned(f, self.design(f).axes.T @ axes) for f in (i, j))
            return i, j, JOINTS["REVOLUTE"].equations
        z = self.design(there).axes[:, 2]
        if abs(z @ t) > ACROSS:
            return i, j, equations
        # x of the point's frame along its axis, z of the other along that of the joint
        tangent = self._turned(here, along.axes.T @ axes_from(z, t))
        pair = (tangent, there) if here == i else (there, tangent)
        a, b = (0, 2) if here == i else (2, 0)
        return *pair, (*equations[:3], dot(a, b))

    def _coordinate(self, joint, what: str, i: int, j: int) -> tuple[int, int, int]:
        """(kind, frame i, frame j) of a joint coordinate."""
        if (
            what == "rack angle"
        ):  # the pinion turns about its own z; its angle is counted from the direction of the rack
            pinion, rack = self.design(i), self.design(j)
            body = self.frame_list[j][0]
            if np.linalg.norm(np.cross(pinion.axes[:, 2], rack.axes[:, 2])) < 1e-9:
                raise joint.error(
                    "z of I, the pinion's axis, is along z of J, the rack's direction; turn one so that they cross"
                )
            world = axes_from(pinion.axes[:, 2], rack.axes[:, 2])
            base = self.body_frame(self.y_bodies, body)
            origin = base.axes.T @ (rack.origin - base.origin)
            return ANGLE, i, self._add_frame(body, origin, base.axes.T @ world)
        return (ANGLE if what == "angle" else DISTANCE), i, j

    def _add_coupler(self, coupler) -> None:
        if coupler.function or coupler.routine:
            raise coupler.error("a coupler by user routine cannot run in this version; give SCALES")
        n = len(coupler.joints)
        if n not in (2, 3) or len(coupler.scales) != n:
            raise coupler.error(f"needs two or three joints and as many scales, got {n} and {len(coupler.scales)}")
        types = coupler.types or ("R",) * n
        row = RowInfo(SUM, 0, 0, name="coupling", words="its coupled motion")
        for joint_id, scale, type_ in zip(coupler.joints, coupler.scales, types):
            joint = self._joint(coupler, joint_id)
            what = "distance" if type_.upper().startswith("T") else "angle"
            if not facts(joint).coupled:
                raise coupler.error(f"{joint.label} is {joint.type}; couple {choice('coupled')} joints")
            if joint.type == "TRANSLATIONAL":
                what = "distance"
            row.terms.append((scale, *self._coordinate(joint, what, self.frame(joint.i), self.frame(joint.j))))
        first = self.model.joints[coupler.joints[0]]
        self._record(coupler, self.frame(first.i), self.frame(first.j), [row])

    def _joint(self, element, joint_id: int):
        joint = self.model.joints.get(joint_id)
        if joint is None:
            raise element.error(f"it names JOINT/{joint_id}, which does not exist; correct the reference")
        if not joint.active:
            raise element.error(f"it needs {joint.label}, which is not active; deactivate both or neither")
        return joint

    def _add_gear(self, gear) -> None:
        """v1 . z = v2 . z at the common velocity marker: a coupler whose scales are the rates of that point."""
        cv = self.design(self.frame(gear.cv))
        row = RowInfo(SUM, 0, 0, name="gear ratio", words="its geared motion")
        for sign, joint_id in zip((1.0, -1.0), gear.joints):
            joint = self._joint(gear, joint_id)
            fi, fj = self.frame(joint.i), self.frame(joint.j)
            carrier = self.body_of(self.model.markers[gear.cv])
            bi, bj = self.frame_list[fi][0], self.frame_list[fj][0]
            if carrier not in (bi, bj):
                raise gear.error(
                    f"its CV marker must lie on the carrier, the part that {joint.label} shares with the other joint"
                )
            turn = sign if bj == carrier else -sign
            axis, origin = self.design(fj).axes[:, 2], self.design(fj).origin
            if joint.type == "TRANSLATIONAL":
                scale, what = cv.axes[:, 2] @ axis, "distance"
            else:
                scale, what = cv.axes[:, 2] @ np.cross(axis, cv.origin - origin), "angle"
            if abs(scale) < 1e-12:
                raise gear.error(f"the CV marker's z axis is not the direction in which {joint.label} moves that point")
            row.terms.append((turn * scale, *self._coordinate(joint, what, fi, fj)))
        first = self.model.joints[gear.joints[0]]
        self._record(gear, self.frame(first.i), self.frame(first.j), [row])

    def _add_motion(self, motion) -> None:
        if motion.joint is not None:
            joint = self._joint(motion, motion.joint)
            i, j = self.frame(joint.i), self.frame(joint.j)
            if motion.kind == "ROTATIONAL":
                component = "B3"
            else:
                component = "Z"
            allowed = JOINTS[joint.type].coordinates
            wanted = "angle" if component == "B3" else "distance"
            if wanted not in allowed:
                raise motion.error(
                    f"{joint.label} is {joint.type} and has no free {wanted} to drive; choose another joint or kind"
                )
        else:
            i, j, component = self.frame(motion.i), self.frame(motion.j), motion.component
        level = {"DISPLACEMENT": 0, "VELOCITY": 1, "ACCELERATION": 2}[motion.level]
        k = self._motion_program(motion)
        axis = {"X": 0, "Y": 1, "Z": 2}.get(component)
        if axis is not None:
            row = RowInfo(
                DOT2, i, j, b=axis, motion=k, level=level, name=f"motion {component}", words="its driven travel"
            )
        else:
            row = RowInfo(SUM, i, j, motion=k, level=level, name=f"motion {component}", words="its driven rotation")
            row.terms.append((1.0, ANGLE, i, j) if motion.joint is not None else self._sequence_angle(component, i, j))
        self._record(motion, i, j, [row])

    def _sequence_angle(self, component: str, i: int, j: int) -> tuple:
        """Term of angle B1, B2 or B3 of the body 1-2-3 sequence that turns J into I,  A_j^T A_i = R_x(B1) R_y(B2)
        R_z(B3).

        tan B1 = -(y_j . z_i)/(z_j . z_i): the angle of z_i about x_j from z_j;  sin B2 = x_j . z_i;  tan B3 = -(x_j .
        y_i)/(x_j . x_i): minus the angle of x_j about z_i from x_i."""
        if component == "B1":
            turn = np.array([[0.0, 0.0, 1.0], [0.0, -1.0, 0.0], [1.0, 0.0, 0.0]])  # columns z, -y, x
            return 1.0, ANGLE, self._turned(i, turn), self._turned(j, turn)
        return (1.0, ELEVATION, i, j) if component == "B2" else (-1.0, ANGLE, j, i)

    def _build_initial_conditions(self, with_rates: bool) -> None:
        """Rows that hold only while the model is assembled: initial displacements and velocities of joints and
        motions; ``with_rates``: only those that give a rate."""
        first = len(self.rows)
        motions = [m for m in self.model.table("MOTION").values() if m.active]
        driven = {
            (m.joint, "angle" if m.kind == "ROTATIONAL" else "distance"): m for m in motions if m.joint is not None
        }
        for joint in self.model.joints.values():
            if joint.active:
                for values, what in ((joint.ictran, "distance"), (joint.icrot, "angle")):
                    motion = driven.get((joint.id, what))
                    if motion is not None and (
                        motion.level == "DISPLACEMENT" or motion.icdisp is not None or motion.icvel is not None
                    ):
                        if any(v is not None for v in values):
                            given = "function" if motion.level == "DISPLACEMENT" else "initial conditions"
                            self.overridden.append(
                                f"{joint.label}: its initial {what} or its rate has no influence: {motion.label} "
                                f"begins with that of its {given}"
                            )
                        continue
                    if motion is not None and motion.level == "VELOCITY" and any(v is not None for v in values):
                        if values[0] is not None:
                            term = (1.0, *self._coordinate(joint, what, self.frame(joint.i), self.frame(joint.j)))
                            self._initial_row(
                                joint, self.frame(joint.i), self.frame(joint.j), term, values[0], motion.function
                            )
                    elif any(v is not None for v in values):
                        i, j = self.frame(joint.i), self.frame(joint.j)
                        value, rate = (*values, None)[:2]
                        if value is not None and rate is None:
                            rate = self._design_rate(what, i, j)
                        if rate is None:  # the rate is that of the velocities that are given elsewhere
                            if with_rates:
                                continue
                            self.free_rates = True
                            rate = 0.0
                        self._initial_row(joint, i, j, (1.0, *self._coordinate(joint, what, i, j)), value, repr(rate))
        done = {c.element.id: c for c in self.constraints if c.element.KIND == "MOTION"}
        for motion in motions:
            if motion.icdisp is None and motion.icvel is None:
                continue
            if motion.level == "DISPLACEMENT":
                self.overridden.append(
                    f"{motion.label}: its initial conditions have no influence: its function gives the displacement at "
                    "all times"
                )
                continue
            info = done[motion.id]
            row = self.rows[info.rows.start]
            led = row.terms[0] if row.terms else None
            rate = motion.function if motion.level == "VELOCITY" else repr(motion.icvel or 0.0)
            if motion.level == "VELOCITY" and motion.icdisp is None:
                continue
            self._initial_row(motion, info.i, info.j, led, motion.icdisp, rate, row.b)
        self.initial_rows = len(self.rows) - first

    def _design_rate(self, what, i, j) -> float | None:
        """Rate of a joint coordinate at the velocities that the user gave; None where one of its bodies has none that
        decides it."""
        names = ("wx", "wy", "wz") if what == "angle" else ("vx", "vy", "vz")
        for f in (i, j):
            body = self.frame_list[f][0]
            if body != self.nb and all(getattr(self.body_elements[body], name, None) is None for name in names):
                return None

        def motion(f):
            body, s, _ = self.frame_list[f]
            if body == self.nb:
                return np.zeros(3), np.zeros(3)
            frame = self.body_frame(self.y_bodies, body)
            state = layout.body(self.y_bodies, body)
            v, w = state[layout.VELOCITY], frame.axes @ state[layout.SPIN]
            return v + np.cross(w, frame.axes @ s), w

        (vi, wi), (vj, wj) = motion(i), motion(j)
        fi, fj = self.design(i), self.design(j)
        z = fj.axes[:, 2]
        return float(z @ (wi - wj) if what == "angle" else z @ (vi - vj - np.cross(wj, fi.origin - fj.origin)))

    def _initial_row(self, element, i, j, term, value, rate: str, axis: int = 0) -> None:
        """q = value and q' = rate (an expression), or q' = rate alone; q: a term of a SUM row, or the travel along an
        axis of J."""
        text = f"({rate})" if value is None else f"({value!r}) + ({rate})*TIME"
        node = inline_variables(self.model, read_function(self.model, text), inputs=self.inputs)
        program = compile_expression(node, TimeResolver(self.model, self._motion_input))
        self._motion_programs.append(program)
        row = RowInfo(
            SUM if term else DOT2,
            i,
            j,
            b=0 if term else axis,
            motion=len(self._motion_programs) - 1,
            level=int(value is None),
            name="initial condition",
            words="its initial condition",
            terms=[term] if term else [],
        )
        self._record(element, i, j, [row])

    def _turned(self, frame: int, turn) -> int:
        body, s, A = self.frame_list[frame]
        return self._add_frame(body, s, A @ turn)

    def _motion_program(self, motion) -> int:
        from ..expressions import ExpressionError

        text = "0" if (motion.KIND, motion.id) in self.holding else motion.function or "0"
        try:
            node = inline_sensors(
                self.model,
                inline_variables(self.model, read_function(self.model, text, motion), inputs=self.inputs),
                self.senval,
            )
            program = compile_expression(node, TimeResolver(self.model, self._motion_input))
        except ExpressionError as error:
            raise motion.error(f"FUNCTION: {error}; a motion may depend on TIME only") from None
        self._motion_programs.append(program)
        self.motion_nodes[len(self._motion_programs) - 1] = motion, node
        return len(self._motion_programs) - 1

    def _motion_input(self, name: str, args) -> int:
        """Place of a parameter of an input among those of motions."""
        places = self.functions.constant_inputs
        return places.setdefault((name, *(int(a.value) for a in args)), len(places) + 1)

    def set_parameter(self, key: tuple, value: float) -> None:
        """A parameter of functions: in the equations of motion, in motions, and in outputs where there are some."""
        place = self.functions.constant_inputs.get(key)
        if place is not None:
            self.W.inputs[0, place] = value
        outputs = self.workspace.outputs
        if outputs is not None:
            outputs.set_parameter(key, value)
        elif self.W.f is not None:
            k = self.functions.set._input_index.get(key)
            if k is not None:
                self.W.f.x[k] = value

    def curve_table(self, element, curve_id: int) -> CurveTable:
        curve = self.model.table("CURVE").get(curve_id)
        if curve is None:
            raise element.error(f"it names CURVE/{curve_id}, which does not exist; correct the reference")
        if curve.function or curve.routine:
            return self._user_curve(curve)
        matrix = self.model.table("MATRIX").get(curve.matrix)
        if matrix is None:
            raise curve.error("it needs a MATRIX of points or a FUNCTION")
        points = matrix_values(self.model, matrix)
        if points.shape[1] != 3:
            raise curve.error(f"{matrix.label} must hold the points in three columns, it has {points.shape[1]}")
        make = CurveTable.control if curve.points == "CONTROL" else CurveTable.through
        try:
            return make(points, order=curve.order, closed=curve.closed, name=curve.name)
        except CurveError as error:
            raise curve.error(str(error)) from None

    def _user_curve(self, curve) -> CurveTable:
        """Table of a user curve, sampled once for all who follow it."""
        if curve.id not in self._user_curves:
            from .user import curve_routine

            try:
                self._user_curves[curve.id] = CurveTable.sampled(
                    curve_routine(self.model, curve), curve.minpar, curve.maxpar, closed=curve.closed, name=curve.name
                )
            except CurveError as error:
                raise curve.error(str(error)) from None
        return self._user_curves[curve.id]

    def _add_point_curve(self, element) -> None:
        table = self.curve_table(element, element.curve)
        i, j = self.frame(element.i), self.frame(element.rm)
        first = len(self.rows)
        rows = [
            RowInfo(CURVE_ROW, i, j, name=f"curve normal {k + 1}", words=f"leaving its curve (normal {k + 1})")
            for k in range(2)
        ]
        self._curves.append(table)
        self._curve_rows.append((first, len(self._curves) - 1, i, j))
        self._record(element, i, j, rows)

    def _add_curve_curve(self, element) -> None:
        i, j = self.frame(element.irm), self.frame(element.jrm)
        first = len(self.rows)
        words = (
            ("normal gap", "leaving its curve"),
            ("plane gap", "leaving the plane of its curve"),
            ("tangent", "tilting out of its curve's plane"),
        )
        rows = [RowInfo(CURVE_ROW, i, j, name=name, words=text) for name, text in words]
        self._curve_pairs.append((element, first, len(self._curves), i, j))
        for curve in (element.icurve, element.jcurve):
            table = self.curve_table(element, curve)
            points = table.points(41)
            if np.abs(points[:, 2]).max() > 1e-6 * np.ptp(points, axis=0).max():
                raise element.error(
                    f"CURVE/{curve} must lie in the xy plane of its marker; its points have other z coordinates"
                )
            self._curves.append(table)
        self._record(element, i, j, rows)

    def _touching(self, element, first: int, i: int, j: int) -> tuple[float, float]:
        """Parameters of the contact of two curves at the design position: near the given points, or the closest
        tangency."""
        ti, tj = self._curves[first : first + 2]
        fi, fj = self.design(i), self.design(j)

        def near(table, frame, point, marker):
            world = (
                self._design_point(marker, point) if marker else frame.origin + frame.axes @ np.asarray(point, float)
            )
            return table.closest(frame.axes.T @ (world - frame.origin))[0]

        n = 101
        grid = [np.linspace(t.low, t.high, n) for t in (ti, tj)]
        if element.i_ic:
            grid[0] = np.array([near(ti, fi, element.i_ic, element.iicm)])
        if element.j_ic:
            grid[1] = np.array([near(tj, fj, element.j_ic, element.jicm)])
        points, tangents = [], []
        for table, g, f in ((ti, grid[0], fi), (tj, grid[1], fj)):
            c = np.array([table.at(x) for x in g])
            points.append(f.origin + c[:, 0] @ f.axes.T)
            t = c[:, 1] @ f.axes.T
            tangents.append(t / np.linalg.norm(t, axis=1)[:, None])
        d = points[0][:, None] - points[1][None]
        size = max(np.ptp(points[0], axis=0).max(), np.ptp(points[1], axis=0).max(), 1e-12)
        slide = np.einsum("abk,bk->ab", d, tangents[1])
        turn = 1.0 - (tangents[0] @ tangents[1].T) ** 2
        cost = (d**2).sum(-1) / size**2 * 0.1 + (slide / size) ** 2 + turn
        a, b = np.unravel_index(np.argmin(cost), cost.shape)
        return float(grid[0][a]), float(grid[1][b])

    def _design_point(self, marker_id: int, point) -> np.ndarray:
        marker = self.model.markers[marker_id]
        frame = self.model.body_frame(marker) @ marker.frame
        return frame.origin + frame.axes @ np.asarray(point, float)
