"""Constraints: joints, primitives, couplers, gears, curves, general constraints, motions, friction."""

from __future__ import annotations

import math
from typing import Any

from ..base import ModelError, shown
from ..implausible import in_degrees, refuse
from ..joint_facts import facts
from ..joints import (
    COMPONENTS,
    JOINT_TYPES,
    LEVELS,
    PRIMITIVE_TYPES,
    Coupler,
    CurveCurve,
    Friction,
    Gear,
    GeneralConstraint,
    Joint,
    Motion,
    PointCurve,
    Primitive,
    UserConstraint,
)
from ..kinds import is_number
from ..quantity_text import converted
from ..values import axes_of, listed, number, number_tuple, word_of
from .arguments import DIMENSIONS
from .bodies import Bodies, expression
from .teaching import known_words, teach

#: Adams View's and other programs' words for components
AXES = {"RX": "B1", "RY": "B2", "RZ": "B3"}
PLACE = ("i", "j", "name", "at", "axis", "x", "id")
#: those of stops and friction of a joint with one coordinate
LIMITS = ("lower", "upper", "stop_stiffness", "stop_damping", "friction")
COEFFICIENTS = ("mu_static", "mu_dynamic")  # of friction
DRAWN_BEYOND = 1e-6  # of a radian, or of a travel: by so much a joint may start beyond a soft stop (rounding)


@teach
class Joints(Bodies):
    """Joints connect two bodies at a point (``at`` in ground, ``axis`` the z of both markers, ``x`` their x), or two
    markers, or a marker and a body, which gets a marker of its own at the same point.  Reactions act on the I body;
    each gives angle, travel, force and torque in results."""

    def joint(
        self,
        type: str,
        i,
        j,
        name: str = "",
        *,
        at=None,
        axis=None,
        x=None,
        pitch: float | None = None,
        pd: float | None = None,
        ictran=(),
        icrot=(),
        armature: float | None = None,
        id: int = 0,
        **more,
    ) -> Joint:
        """Joint of a ``type`` of `JOINT_TYPES` (REVOLUTE, TRANSLATIONAL, CYLINDRICAL, SPHERICAL, PLANAR, FIXED,
        UNIVERSAL, HOOKE, CONVEL, SCREW, RACKPIN); the methods of these names do the same.

        ``ictran``, ``icrot``: initial displacement and velocity of its free coordinates (length, radians, and per time;
        None: not prescribed). ``armature``: inertia of a drive that acts on the free coordinate q alone, as a rotor
        behind a high gear ratio: the kinetic energy a q'^2 / 2, without weight and gyroscopic torque (mass * length^2
        of REVOLUTE and SCREW, mass of TRANSLATIONAL). Raises `ModelError` for unknown types and arguments, for bodies
        without ``at``, for ``axis`` without ``at``, and for an armature that is negative or of other types.

            model.joint("REVOLUTE", crank, ground, "bearing", at=(0, 0, 0), axis=(0, 0, 1))
        """
        known_words(Joint, more, PLACE)
        type = word_of(type, "type of joint", JOINT_TYPES)
        mi, mj = self._pair(i, j, at, axis, x)
        ic = [
            tuple(None if v is None else number(v, what) for v in listed(values, what, "numbers"))
            for what, values in (("ictran", ictran), ("icrot", icrot))
        ]
        for what, values in zip(("ictran", "icrot"), ic):
            if len(values) > 2:
                raise ModelError(f"{what} has {len(values)} numbers; give a displacement and a velocity")
        made = self.add(
            Joint(
                id=id,
                name=name,
                type=type,
                i=mi,
                j=mj,
                pitch=None if pitch is None else number(pitch, "pitch"),
                pd=None if pd is None else number(pd, "pd"),
                ictran=ic[0],
                icrot=ic[1],
                armature=None if armature is None else number(armature, "armature"),
                **more,
            )
        )
        self._radians(made, "icrot", ic[1][0] if ic[1] else None)
        return made

    def revolute(
        self,
        i,
        j,
        name: str = "",
        *,
        at=None,
        axis=None,
        x=None,
        angle: float | None = None,
        lower: float | None = None,
        upper: float | None = None,
        stop_stiffness: float | None = None,
        stop_damping: float = 0.0,
        friction=None,
        armature: float | None = None,
        id: int = 0,
        **more,
    ) -> Joint:
        """Hinge: one rotation about the common z axis; 5 equations,  r_i - r_j = 0,  z_i . x_j = z_i . y_j = 0.

        ``at``: a point in ground (length), ``axis``: direction of the hinge. Result: ``run.joint(name).angle`` in
        radians, counted beyond full turns, positive for I about z of J.

        ``angle``: initial angle (radians), to which assembly turns the bodies. ``lower``, ``upper``: stops (radians),
        rigid as those of `stop`; with ``stop_stiffness`` (force * length / radian) and ``stop_damping`` (times time) a
        torque, IMPACT of the Adams language with exponent 1, acts beyond them. ``friction``: a dictionary of
        parameters of `friction` with ``pin_radius``, ``dict(mu_static=0.2, pin_radius=0.01)``. ``armature``: inertia of
        a drive (mass * length^2), see `joint`. Raises `ModelError` as `joint`, `stop` and `friction` do.

            hinge = model.revolute(rod, model.ground, "hinge", at=(0, 0, 0), axis=(0, 0, 1))
            door = model.revolute(leaf, model.ground, "door", at=(0, 0, 0), axis=(0, 0, 1), lower=0.0, upper=1.5)
        """
        start = {"angle": angle}
        return self._single(
            "REVOLUTE",
            start,
            (lower, upper, stop_stiffness, stop_damping),
            friction,
            dict(i=i, j=j, name=name, at=at, axis=axis, x=x, armature=armature, id=id),
            more,
        )

    def translational(
        self,
        i,
        j,
        name: str = "",
        *,
        at=None,
        axis=None,
        x=None,
        travel: float | None = None,
        lower: float | None = None,
        upper: float | None = None,
        stop_stiffness: float | None = None,
        stop_damping: float = 0.0,
        friction=None,
        armature: float | None = None,
        id: int = 0,
        **more,
    ) -> Joint:
        """Slider (prismatic joint): one travel (length) along the common z axis, no rotation; 5 equations.

        ``travel``: initial travel; ``lower``, ``upper``, ``stop_stiffness`` (force / length), ``stop_damping`` (times
        time): as for `revolute`.  ``friction``: a coefficient, (static, dynamic), or a dictionary of parameters of
        `friction`.  ``armature``: mass of a drive, see `joint`.  Raises `ModelError` as `revolute` does.

            guide = model.translational(piston, model.ground, "guide", at=(0.4, 0, 0), axis=(1, 0, 0))
        """
        start = {"travel": travel}
        return self._single(
            "TRANSLATIONAL",
            start,
            (lower, upper, stop_stiffness, stop_damping),
            friction,
            dict(i=i, j=j, name=name, at=at, axis=axis, x=x, armature=armature, id=id),
            more,
        )

    def _single(
        self, type: str, start: dict[str, Any], limits: tuple, friction, place: dict[str, Any], more: dict[str, Any]
    ) -> Joint:
        """A joint with one coordinate: its ``start`` by name, stops and friction."""
        field = {"angle": "icrot", "travel": "ictran"}
        for word, value in start.items():
            if value is None:
                continue
            if field[word] in more:
                raise ModelError(f"{word} and {field[word]} both give the {word} at the start; give {word} alone")
            q = number(value, word)
            if word == "angle" and abs(q) > math.pi * (1.0 + 1e-12):
                within = math.remainder(q, math.tau)
                degrees = f'"{q:g} deg" if it is in degrees, or ' if in_degrees(word, q) else ""
                raise ModelError(
                    f"angle is {q:g} radians; a joint starts within half a turn, give {degrees}{within:.6g}"
                )
            more[field[word]] = (q, None)
        if "restitution" in more:
            raise ModelError("restitution belongs to a stop; write model.stop(joint, lower, upper, restitution=...)")
        known_words(Joint, more, (*PLACE, *start, *LIMITS))
        made = self.joint(type, **place, **more)
        self._limited(made, limits, friction)
        return made

    def _limited(self, joint: Joint, limits: tuple, friction) -> None:
        """Stops and friction of a new joint with one coordinate."""
        lower, upper, stiffness, damping = limits
        if lower is not None or upper is not None:
            if stiffness is None:
                if number(damping, "stop_damping"):
                    raise ModelError(
                        "stop_damping belongs to a stop with a stiffness, rigid stops have none; give stop_stiffness="
                    )
                self.stop(joint, lower, upper)  # type: ignore[attr-defined]
            else:
                self._soft_stop(joint, lower, upper, number(stiffness, "stop_stiffness"), damping)
        elif stiffness is not None or damping:
            raise ModelError("stop_stiffness and stop_damping belong to stops; give lower= or upper=")
        if friction is None:
            return
        if not isinstance(friction, dict):
            values = (friction,) if is_number(friction) else number_tuple(friction, "friction")
            if len(values) not in (1, 2):
                raise ModelError(f"friction is {shown(friction)}; give a coefficient, or (static, dynamic)")
            friction = {"mu_static": number(values[0], "friction"), "mu_dynamic": number(values[-1], "friction")}
        known_words(Friction, friction)
        for name, value in friction.items():
            if name in COEFFICIENTS and is_number(value) and value < 0.0:
                raise ModelError(f"friction: {name} is {value:g}; give zero or a positive coefficient")
        if "mu_static" in friction and "mu_dynamic" not in friction:
            friction = {**friction, "mu_dynamic": friction["mu_static"]}
        elif "mu_dynamic" in friction and "mu_static" not in friction:
            friction = {**friction, "mu_static": friction["mu_dynamic"]}
        radius = facts(joint).friction_radius
        if radius and radius not in friction:  # of 1 length of the model it would have no meaning
            mu = shown(friction.get("mu_static", 0.2))
            raise ModelError(
                f"the torque of friction needs {radius}; give it, as friction=dict(mu_static={mu}, {radius}=...)"
            )
        lengths = DIMENSIONS["friction"]
        given = {n: converted(v, lengths[n], self.units, n) if n in lengths else v for n, v in friction.items()}
        self.friction(joint, **({"name": f"{joint.name}.friction"} | given))

    def _soft_stop(self, joint: Joint, lower, upper, stiffness: float, damping) -> None:
        """A force beyond the limits of a joint's coordinate q:  IMPACT(q - lower) - IMPACT(upper - q)."""
        c = number(damping, "stop_damping")
        if not stiffness > 0.0 or c < 0.0:
            raise ModelError(
                f"stop_stiffness is {stiffness:g}, stop_damping {c:g}; give a positive stiffness, a damping not below 0"
            )
        low, high = (None if v is None else number(v, w) for v, w in ((lower, "lower"), (upper, "upper")))
        if low is not None and high is not None and not low < high:
            raise ModelError(f"lower is {low:g}, which is not below upper, {high:g}; correct them")
        turns = joint.type == "REVOLUTE"
        self._drawn_within(joint, low, high, stiffness)
        mi, mj = joint.i, joint.j
        q = f"AZ({mi},{mj})" if turns else f"DZ({mi},{mj},{mj})"
        rate = f"WZ({mi},{mj},{mj})" if turns else f"VZ({mi},{mj},{mj},{mj})"
        for word, value in (("lower", low), ("upper", high)) if turns else ():
            self._radians(joint, word, value)
        depth = 1e-3 if turns else 1e-3 / self.units.si_length  # where the damping is full: a milliradian, a millimetre
        terms = [] if low is None else [impact(f"{q}-({low!r})", rate, 0.0, stiffness, 1.0, c, depth)]
        terms += [] if high is None else ["-" + impact(f"({high!r})-{q}", f"-{rate}", 0.0, stiffness, 1.0, c, depth)]
        name, text = f"{joint.name}.stop", "".join(terms)
        if turns:
            self.sforce(mi, mj, text, name, kind="ROTATIONAL")  # type: ignore[attr-defined]
        else:
            body = self.body_of(self.find("MARKER", mj))
            self.vforce(mi, body, fz=text, rm=mj, name=name)  # type: ignore[attr-defined]

    def _drawn_within(self, joint: Joint, low: float | None, high: float | None, stiffness: float) -> None:
        """Warn where a joint starts beyond a limit, whose stop then pushes from the start."""
        turns = joint.type == "REVOLUTE"
        given = joint.icrot if turns else joint.ictran
        if given and given[0] is not None:
            q = float(given[0])
        else:
            ends = [self.body_frame(m) @ m.frame for m in map(self.markers.get, (joint.i, joint.j))]  # type: ignore[attr-defined]
            axes = ends[1].axes
            turned = axes.T @ ends[0].axes[:, 0]
            q = math.atan2(turned[1], turned[0]) if turns else float(axes[:, 2] @ (ends[0].origin - ends[1].origin))
        for word, limit, depth in (("lower", low, (low or 0.0) - q), ("upper", high, q - (high or 0.0))):
            slack = DRAWN_BEYOND * (1.0 if turns else max(abs(q), abs(limit or 0.0)))
            if limit is not None and depth > slack:
                unit = "radians" if turns else self.units.symbol("length")
                load = self.units.symbol("torque" if turns else "force")
                start = "angle" if turns else "travel"
                self.warn(  # type: ignore[attr-defined]
                    f"{joint.label}: it starts at {q:.4g}, {depth:.4g} {unit} beyond {word} = {limit:.4g}, where its "
                    f"stop pushes with {stiffness * depth:.4g} {load}; draw it between its stops, or give {start}="
                )

    def cylindrical(self, i, j, name: str = "", *, at=None, axis=None, x=None, id: int = 0, **more) -> Joint:
        """Travel (length) along and rotation (radians) about the common z axis; 4 equations.  Raises `ModelError` as
        `joint` does."""
        return self.joint("CYLINDRICAL", i, j, name, at=at, axis=axis, x=x, id=id, **more)

    def spherical(self, i, j, name: str = "", *, at=None, axis=None, x=None, id: int = 0, **more) -> Joint:
        """Ball joint: the two points coincide, all rotations are free; 3 equations, r_i - r_j = 0. ``at``: length.
        ``axis`` only orients the markers. Raises `ModelError` as `joint` does."""
        return self.joint("SPHERICAL", i, j, name, at=at, axis=axis, x=x, id=id, **more)

    def planar(self, i, j, name: str = "", *, at=None, axis=None, x=None, id: int = 0, **more) -> Joint:
        """Motion in the plane through ``at`` (length) normal to ``axis``, rotation about it; 3 equations.  Raises
        `ModelError` as `joint` does."""
        return self.joint("PLANAR", i, j, name, at=at, axis=axis, x=x, id=id, **more)

    def fixed(self, i, j, name: str = "", *, at=None, axis=None, x=None, id: int = 0, **more) -> Joint:
        """Fixes two bodies to each other; 6 equations, reaction force and torque (length * force) at ``at``. Raises
        `ModelError` as `joint` does."""
        return self.joint("FIXED", i, j, name, at=at, axis=axis, x=x, id=id, **more)

    def universal(self, i, j, name: str = "", *, at=None, axis=None, x=None, id: int = 0, **more) -> Joint:
        """Universal joint whose pins, at right angles, are the z axes of its markers; 4 equations,
        r_i - r_j = 0,  z_i . z_j = 0.

        Between two bodies at a point ``at`` (length, ground): ``axis`` is the pin in J, ``x`` the pin in I (default:
        any direction at right angles to it). Where the directions of the shafts are known, `hooke` is simpler. Raises
        `ModelError` as `joint` does.
        """
        if at is not None:
            axes = axes_of(axis, x, ("axis", "x"))  # z, and x at a right angle to it
            i, j = self.marker_at(i, at, z=axes[:, 0], x=axes[:, 1]), self.marker_at(j, at, axes=axes)
            at = axis = x = None
        return self.joint("UNIVERSAL", i, j, name, at=at, axis=axis, x=x, id=id, **more)

    def hooke(self, i, j, name: str = "", *, at=None, axis=None, x=None, id: int = 0, **more) -> Joint:
        """Universal joint whose shafts are the z axes of its markers and whose pins are x of I and y of J; 4 equations,
        r_i - r_j = 0,  x_i . y_j = 0.

        ``at``: a point in ground (length).  Raises `ModelError` as `joint` does.
        """
        return self.joint("HOOKE", i, j, name, at=at, axis=axis, x=x, id=id, **more)

    def constant_velocity(self, i, j, name: str = "", *, at=None, axis=None, x=None, id: int = 0, **more) -> Joint:
        """Constant-velocity joint (CONVEL): shafts along the markers' z axes meet at ``at`` (length) and rotate at the
        same speed; 4 equations, r_i - r_j = 0,  x_i . y_j - y_i . x_j = 0. Raises `ModelError` as `joint` does."""
        return self.joint("CONVEL", i, j, name, at=at, axis=axis, x=x, id=id, **more)

    def screw(self, i, j, pitch: float, name: str = "", *, at=None, axis=None, x=None, id: int = 0, **more) -> Joint:
        """Screw joint: a cylindrical joint whose travel is proportional to its rotation; 5 equations, the last
        one  2 pi z = pitch * angle.

        ``pitch``: length per turn, not zero.  Raises `ModelError` as `joint` does.
        """
        return self.joint("SCREW", i, j, name, at=at, axis=axis, x=x, pitch=pitch, id=id, **more)

    def rack_and_pinion(self, i, j, diameter: float, name: str = "", id: int = 0) -> Joint:
        """Pinion marker I (z = its axis) and rack marker J (z = its travel);  travel = diameter / 2 * angle.

        ``diameter`` of the pitch circle (length), not zero.  Raises `ModelError` as `joint` does.
        """
        return self.joint("RACKPIN", i, j, name, pd=diameter, id=id)

    def primitive(self, type: str, i, j, name: str = "", *, at=None, axis=None, x=None, id: int = 0) -> Primitive:
        """JPRIM, one condition between two markers: ATPOINT (3 equations), INLINE (2; I stays on z of J), INPLANE (1; I
        stays in the xy plane of J), ORIENTATION (3), PARALLEL_AXES (2), PERPENDICULAR (1).

        ``at``: a point in ground (length).  Raises `ModelError` for other types and as `joint` does.

            model.primitive("INPLANE", foot, model.ground, at=(0, 0, 0), axis=(0, 0, 1))
        """
        type = word_of(type, "type of primitive", PRIMITIVE_TYPES)
        mi, mj = self._pair(i, j, at, axis, x)
        return self.add(Primitive(id=id, name=name, type=type, i=mi, j=mj))

    # ---- relations between joints ----------------------------------------------------------------------------------
    def coupler(self, joints, scales, types=None, name: str = "", id: int = 0) -> Coupler:
        """Two or three joints whose coordinates have a fixed ratio:  s1 q1 + s2 q2 (+ s3 q3) = 0  (one equation).

        ``scales``: one factor per joint (where a travel is coupled with an angle, the factor of the travel is in
        radians / length); ``types``: "T" or "R" for each, where a joint has both. Raises `ModelError` for other counts
        and for joints that do not exist.

            model.coupler([wheel_hinge, worm_hinge], (40, -1))
        """
        found = tuple(self.find("JOINT", q).id for q in listed(joints, "joints", "joints"))
        ratio = number_tuple(scales, "scales")
        if len(found) not in (2, 3):
            raise ModelError(f"a coupler connects two or three joints, not {len(found)}; give joints=[...]")
        if len(ratio) != len(found):
            raise ModelError(f"scales: it needs one scale for each of its {len(found)} joints, it has {len(ratio)}")
        words = tuple(word_of(t, "type", ("T", "R")) for t in listed(types or (), "types", "letters T and R"))
        return self.add(Coupler(id=id, name=name, joints=found, scales=ratio, types=words))

    def gear(
        self, joint_1, joint_2, cv=None, name: str = "", *, ratio: float | None = None, id: int = 0
    ) -> Gear | Coupler:
        """Gear pair: the parts of two joints have the same velocity along z of the common-velocity marker ``cv`` (one
        equation, at position level).

        The joints share a carrier; the pitch radii are the distances (length) from ``cv`` to their axes.

        In place of ``cv``, ``ratio``: speed of ``joint_1`` over that of ``joint_2``, negative where they turn in
        opposite directions as external gears do; it creates a COUPLER, q_1 - ratio q_2 = 0, so that bearings do not
        carry the mesh forces. Raises `ModelError` for joints and markers that do not exist, and unless exactly one of
        ``cv`` and ``ratio`` is given.

            model.gear(motor, drum, ratio=-4.5)
        """
        if (cv is None) == (ratio is None):
            raise ModelError("a gear needs a common-velocity marker or a ratio; give cv= or ratio=")
        if is_number(cv):  # a ratio would be taken for the number of a marker
            raise ModelError(f"cv is {cv}; give the common-velocity marker itself (or its name), or ratio={cv}")
        if ratio is not None:
            speed = number(ratio, "ratio")
            if speed == 0.0:
                raise ModelError("ratio is 0; give the speed of the first joint over that of the second")
            return self.coupler([joint_1, joint_2], (1.0, -speed), name=name, id=id)
        ids = (self.find("JOINT", joint_1).id, self.find("JOINT", joint_2).id)
        return self.add(Gear(id=id, name=name, joints=ids, cv=self._marker(cv)))

    def point_on_curve(self, i, rm, curve, name: str = "", jfloat=None, ic=(), id: int = 0) -> PointCurve:
        """PTCV: the origin of marker ``i`` stays on a ``curve`` fixed to marker ``rm``; 2 equations and the unknown
        alpha of the curve.

        ``ic``: initial point on the curve (x, y, z in axes of ``rm``, length).  Raises `ModelError` for unknown
        markers and curves.
        """
        return self.add(
            PointCurve(
                id=id,
                name=name,
                i=self._marker(i),
                rm=self._marker(rm),
                curve=self.find("CURVE", curve).id,
                jfloat=None if jfloat is None else self._marker(jfloat),
                ic=number_tuple(ic, "ic"),
            )
        )

    def curve_on_curve(self, irm, icurve, jrm, jcurve, name: str = "", i_ic=(), j_ic=(), id: int = 0) -> CurveCurve:
        """CVCV: two curves, fixed to markers ``irm`` and ``jrm``, touch in one point with a common tangent.

        ``i_ic``, ``j_ic``: initial contact point on each curve (length, axes of ``irm``, ``jrm``). Raises `ModelError`
        for unknown markers and curves.
        """
        return self.add(
            CurveCurve(
                id=id,
                name=name,
                irm=self._marker(irm),
                icurve=self.find("CURVE", icurve).id,
                jrm=self._marker(jrm),
                jcurve=self.find("CURVE", jcurve).id,
                i_ic=number_tuple(i_ic, "i_ic"),
                j_ic=number_tuple(j_ic, "j_ic"),
            )
        )

    def constraint(self, function: str, i=None, name: str = "", id: int = 0) -> GeneralConstraint:
        """GCON:  function = 0,  an expression of displacements (holonomic) or velocities (nonholonomic), in model units
        and radians. It may read states (DIF) whose rates depend on neither forces nor accelerations, and for one of
        displacements not on velocities either.

        ``i``: the marker whose reaction is reported.  Raises `ModelError` for a value that is not text.

            model.constraint(f"DM({a}, {b}) - 0.25", name="rope")
        """
        if not isinstance(function, str):
            raise ModelError(
                f"function is {shown(function)}; give an expression as a text, or a Python function to user_constraint"
            )
        return self.add(
            GeneralConstraint(id=id, name=name, function=expression(function), i=None if i is None else self._marker(i))
        )

    def user_constraint(self, routine, parameters=(), name: str = "", id: int = 0) -> UserConstraint:
        """UCON: a Python function gives the constraint's value, in units of its own; see `docs/user-routines`.

        Raises `ModelError` for what is neither a function nor the name of a registered one.
        """
        element = self.add(UserConstraint(id=id, name=name, function=user(parameters)))
        element.routine = self._routine(element, routine)
        return element

    # ---- what moves and what brakes --------------------------------------------------------------------------------
    def motion(
        self,
        joint=None,
        function="0",
        name: str = "",
        *,
        i=None,
        j=None,
        component: str | None = None,
        kind: str | None = None,
        level: str = "DISPLACEMENT",
        icdisp=None,
        icvel=None,
        id: int = 0,
    ) -> Motion:
        """Motion of a joint's coordinate, or of marker I in J along X, Y, Z or about B1, B2, B3 (body 1-2-3 angles):  q
        = function(time).

        ``function``: an expression of TIME or a number, in length or radians (times ``D`` for degrees).
        ``level``: the quantity that it prescribes, DISPLACEMENT, VELOCITY or ACCELERATION; for the last two ``icdisp``
        and ``icvel`` are initial values. ``kind`` (TRANSLATIONAL, ROTATIONAL) where the joint has both. Raises
        `ModelError` for other keywords, and for motions of a joint that also give markers.

            model.motion(hinge, "2*PI*TIME")                                   # one turn a second
            model.motion(i=tool, j=base, component="Z", function="0.1*SIN(TIME)")
        """
        level = word_of(level, "level", LEVELS)
        if isinstance(kind, str) and kind.upper() in LEVELS:
            raise ModelError(f'kind is {shown(kind)}, which is a level; give level="{kind.upper()}"')
        kind = None if kind is None else word_of(kind, "kind", Motion.WORDS["kind"])
        if callable(function):
            raise ModelError(
                "function is a Python function, whose second derivative a motion needs and does not have; give an "
                "expression of TIME as '0.1*SIN(2*PI*TIME)', or a spline of its values as f'AKISPL(TIME, 0, {spline})'"
            )
        drive = expression(function)
        starts: dict[str, Any] = {
            w: None if v is None else number(v, w) for w, v in (("icdisp", icdisp), ("icvel", icvel))
        }
        if joint is not None:
            if i is not None or j is not None or component is not None:
                raise ModelError("it names a joint and markers; give the joint, or i, j and component")
            element = self.find("JOINT", joint)
            kind = kind or ("TRANSLATIONAL" if element.type == "TRANSLATIONAL" else "ROTATIONAL")
            if kind == "ROTATIONAL" and level == "DISPLACEMENT" and is_number(function):
                self._radians(element, "its motion", function)
            return self._function(
                self.add(Motion(id=id, name=name, joint=element.id, kind=kind, level=level, **starts)), drive
            )
        if i is None or j is None or component is None:
            raise ModelError("a motion needs a joint, or markers i and j and a component (X Y Z B1 B2 B3)")
        word = AXES.get(component.upper(), component) if isinstance(component, str) else component
        word = word_of(word, "component", COMPONENTS)
        return self._function(
            self.add(
                Motion(
                    id=id,
                    name=name,
                    i=self._marker(i),
                    j=self._marker(j),
                    component=word,
                    level=level,
                    kind="ROTATIONAL" if word.startswith("B") else "TRANSLATIONAL",
                    **starts,
                )
            ),
            drive,
        )

    def friction(self, joint, name: str = "", id: int = 0, **parameters) -> Friction:
        """Friction of a joint (FRICTION), from its reaction forces, preload and bending moments: F = mu(v) * sum of
        normal forces, with stiction.

        ``parameters``: fields of `holonom.model.joints.Friction`, such as ``mu_static``, ``mu_dynamic``,
        ``stiction_transition_velocity`` (length / time), ``max_stiction_deformation`` (length), ``pin_radius``,
        ``friction_arm``, ``bending_reaction_arm``, ``reaction_arm``, ``ball_radius`` (length), ``force_preload``,
        ``torque_preload``. Defaults of the velocity and
        the deformation are 0.1 mm/s and 0.01 mm, converted to the units of the model: the defaults of Adams in a model
        in mm. Radii and arms that are left out are 1 in units of the model: a warning is issued for a radius, and by a
        run for an arm that a tenth of the friction comes by. Raises `ModelError` for unknown parameters, for
        negative coefficients and radii, and for ``formulation="LUGRE"`` without ``bristle_stiffness_coefficient``
        and ``velocity_threshold_stribeck``, which have no defaults.

            model.friction(hinge, mu_static=0.2, mu_dynamic=0.15, pin_radius=0.01)
        """
        known_words(Friction, parameters)
        of = self.find("JOINT", joint)
        mm = 1e-3 / self.units.si_length
        if str(parameters.get("formulation", "")).upper() != "LUGRE":  # which has other parameters
            parameters = {"stiction_transition_velocity": 0.1 * mm * self.units.si_time} | parameters
            if str(parameters.get("effect", "")).upper() != "SLIDING":
                parameters = {"max_stiction_deformation": 0.01 * mm} | parameters
        made = self.add(Friction(id=id, name=name, joint=of.id, **parameters))
        for fault in made.lugre_faults():
            raise made.error(fault)
        refuse(self, made)
        return made


def impact(q: str, rate: str, free: float, stiffness: float, exponent: float, damping: float, depth: float) -> str:
    """IMPACT(...) of the Adams language: a force that pushes q, with its ``rate``, above ``free``; the ``damping`` is
    full at ``depth``."""
    return f"IMPACT({','.join((q, rate, *map(repr, (free, stiffness, exponent, damping, depth))))})"


def user(parameters) -> str:
    """USER(...) with the parameters that a routine receives."""
    return "USER(" + ",".join(repr(number(p, "parameters")) for p in number_tuple(parameters, "parameters")) + ")"


__all__ = ["Joints", "user"]
