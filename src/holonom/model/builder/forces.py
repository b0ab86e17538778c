"""Applied forces: scalar and vector forces, springs, bushings, field elements, beams."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..base import ModelError, shown
from ..bodies import Part, PointMass
from ..forces import TURNS_OR_SLIDES, Beam, Bushing, Field, GForce, SForce, SpringDamper, VForce, VTorque
from ..implausible import length_left_out, refuse
from ..values import number, number_matrix, number_tuple, vector, word_of
from .bodies import Bodies, expression
from .teaching import teach

FORMULATIONS = ("LINEAR", "NONLINEAR", "STRING")


@teach
class Forces(Bodies):
    """Functions are expressions of the Adams language in model units, numbers, or Python functions
    (`docs/user-routines`)."""

    def sforce(
        self, i, j, function, name: str = "", *, kind: str = "TRANSLATIONAL", actiononly: bool = False, id: int = 0
    ) -> SForce:
        """Scalar force: TRANSLATIONAL along the line from J to I, positive in repulsion; ROTATIONAL: a torque about z
        of J, positive on I.

        ``i``, ``j``: markers.  ``function``: force (or force * length), an expression, a number or a Python function.
        ``actiononly``: along (about) z of J on I, without a reaction. Raises `ModelError` for other types, unknown
        markers and what is not a function.

            model.sforce(hinge.i, hinge.j, f"-0.1*WZ({hinge.i},{hinge.j},{hinge.j})", kind="ROTATIONAL")
        """
        kind, force = word_of(kind, "kind", TURNS_OR_SLIDES), expression(function)
        made = self.add(
            SForce(id=id, name=name, kind=kind, i=self._marker(i), j=self._marker(j), actiononly=actiononly)
        )
        return self._plausible(self._function(made, force))

    def _plausible(self, element: Any) -> Any:
        """The element.  Raises `ModelError` where it is certainly a mistake, warns where it may be one."""
        refuse(self, element)  # type: ignore[arg-type]
        return element

    def _vector_force(self, kind, i, j, components: dict[str, Any], rm, name, id, function):
        given = {k: expression(v, k) for k, v in components.items()}
        for k, v in given.items():
            if callable(v):
                raise ModelError(f"{k} is a Python function, and one function gives all components; give function=")
        if function is not None and any(v != "0" for v in given.values()):
            raise ModelError("function gives all components; leave the others out")
        force = None if function is None else expression(function)
        element = kind(id=id, name=name, i=self._marker(i), rm=None if rm is None else self._marker(rm), **given)
        if j is not None:
            other = self.floating_marker(j) if isinstance(j, (Part, PointMass)) else self.find("MARKER", j)
            element.jfloat = other.id
        self.add(element)
        return element if force is None else self._function(element, force)

    def vforce(
        self, i, j=None, fx="0", fy="0", fz="0", *, rm=None, name: str = "", id: int = 0, function=None
    ) -> VForce:
        """Force (fx, fy, fz) on marker ``i`` in axes of ``rm`` (default: ground); ``j``: the body, or floating marker,
        that takes the reaction at the same point (default: ground).

        Components: expressions or numbers, force; ``function``: one Python function for all three.  Raises `ModelError`
        for unknown markers and for a value that is not a function.

            model.vforce(tip, fz="-100*STEP(TIME,0,0,0.1,1)")
        """
        return self._vector_force(VForce, i, j, {"fx": fx, "fy": fy, "fz": fz}, rm, name, id, function)

    def vtorque(
        self, i, j=None, tx="0", ty="0", tz="0", *, rm=None, name: str = "", id: int = 0, function=None
    ) -> VTorque:
        """Torque (tx, ty, tz) (force * length) on the body of ``i`` in axes of ``rm``; ``j`` and ``function`` as for
        `vforce`.

        Raises `ModelError` for unknown markers and for a value that is not a function.
        """
        return self._vector_force(VTorque, i, j, {"tx": tx, "ty": ty, "tz": tz}, rm, name, id, function)

    def gforce(
        self,
        i,
        j=None,
        fx="0",
        fy="0",
        fz="0",
        tx="0",
        ty="0",
        tz="0",
        *,
        rm=None,
        name: str = "",
        id: int = 0,
        function=None,
    ) -> GForce:
        """Force and torque, six components (force, force * length) on marker ``i`` in axes of ``rm``; ``j`` and
        ``function`` as for `vforce`.

        Raises `ModelError` for unknown markers and for a value that is not a function.
        """
        components = {"fx": fx, "fy": fy, "fz": fz, "tx": tx, "ty": ty, "tz": tz}
        return self._vector_force(GForce, i, j, components, rm, name, id, function)

    def _drawn_length(self, i, j) -> float:
        """Distance of two markers at the design position."""
        return float(np.linalg.norm(self._place(i).origin - self._place(j).origin))

    def _drawn_angle(self, i, j) -> float:
        """Angle of marker I about the z axis of J from its x axis at the design position, radians."""
        turn = self._place(j).axes.T @ self._place(i).axes
        return math.atan2(turn[1, 0], turn[0, 0])

    # ---- springs ---------------------------------------------------------------------------------------------------
    def spring_damper(
        self,
        i,
        j,
        stiffness=0.0,
        damping=0.0,
        length: float | str | None = None,
        force=0.0,
        name: str = "",
        id: int = 0,
    ) -> SpringDamper:
        """Spring and damper along the line between two markers:  f = -stiffness (d - length) - damping d' + force,
        positive pushes
        apart.

        ``stiffness``: force / length; ``damping``: force * time / length; ``length``: free length, or "drawn": the
        distance of the markers at the design position (without it 0, with a warning where they are apart); ``force``:
        preload at that length.  Raises `ModelError` for a value that is not a number, for negative stiffness and
        damping and for markers that do not exist.

            model.spring_damper(hook, eye, stiffness=2000.0, damping=20.0, length="drawn")
        """
        mi, mj = self._marker(i), self._marker(j)
        if isinstance(length, str):
            if length.lower() not in ("drawn", "as drawn"):
                raise ModelError(
                    f"length is {shown(length)}; give a number, or 'drawn' for the distance at the design position"
                )
            length = self._drawn_length(mi, mj)
        made = self._plausible(
            self.add(
                SpringDamper(
                    id=id,
                    name=name,
                    kind="TRANSLATIONAL",
                    i=mi,
                    j=mj,
                    k=number(stiffness, "stiffness"),
                    c=number(damping, "damping"),
                    length=number(0.0 if length is None else length, "length"),
                    force=number(force, "force"),
                )
            )
        )
        if length is None and made.k:
            text = length_left_out(self, made, "length='drawn', or length=0")
            if text:
                self.warn(text)  # type: ignore[attr-defined]
        return made

    def torsion_spring(
        self, i, j, stiffness=0.0, damping=0.0, angle: float | str = 0.0, torque=0.0, name: str = "", id: int = 0
    ) -> SpringDamper:
        """Spring and damper about the common z axis of two markers:  t = -stiffness (AZ(i,j) - angle) - damping
        WZ(i,j,j) + torque,  positive turns I on.

        ``stiffness``: force * length / radian; ``damping``: times time; ``angle``: free angle in radians, or
        "drawn": that of the design position. Raises `ModelError` for a value that is not a number, for negative
        stiffness and damping and for markers that do not exist; warns of an angle of more than a turn.
        """
        mi, mj = self._marker(i), self._marker(j)
        if isinstance(angle, str):
            if angle.lower() not in ("drawn", "as drawn"):
                raise ModelError(
                    f"angle is {shown(angle)}; give radians, or 'drawn' for the angle at the design position"
                )
            angle = self._drawn_angle(mi, mj)
        return self._plausible(
            self.add(
                SpringDamper(
                    id=id,
                    name=name,
                    kind="ROTATIONAL",
                    i=mi,
                    j=mj,
                    kt=number(stiffness, "stiffness"),
                    ct=number(damping, "damping"),
                    angle=number(angle, "angle"),
                    torque=number(torque, "torque"),
                )
            )
        )

    def bushing(
        self,
        i,
        j,
        stiffness=(0, 0, 0),
        rotational_stiffness=(0, 0, 0),
        damping=(0, 0, 0),
        rotational_damping=(0, 0, 0),
        force=(0, 0, 0),
        torque=(0, 0, 0),
        name: str = "",
        id: int = 0,
    ) -> Bushing:
        """Rubber bushing: six uncoupled springs and dampers in axes of J,  F = -K x - C x' + force,  T = -KT a - CT w +
        torque  (on I).

        ``stiffness`` K (force / length), ``rotational_stiffness`` KT (force * length / radian), ``damping`` C,
        ``rotational_damping`` CT (times time): three numbers each.  x, a:
        displacement and projected angles of I in J.  Raises `ModelError` for other sizes, negative stiffness and
        damping, and unknown markers.

            model.bushing(arm_eye, frame_eye, stiffness=(5e6, 5e6, 5e5), damping=(5e3,) * 3)
        """
        six: dict[str, Any] = {
            field: vector(value, name)
            for field, name, value in (
                ("k", "stiffness", stiffness),
                ("kt", "rotational_stiffness", rotational_stiffness),
                ("c", "damping", damping),
                ("ct", "rotational_damping", rotational_damping),
                ("force", "force", force),
                ("torque", "torque", torque),
            )
        }
        return self._plausible(self.add(Bushing(id=id, name=name, i=self._marker(i), j=self._marker(j), **six)))

    def field(
        self,
        i,
        j,
        kmatrix=None,
        cmatrix=None,
        cratio=None,
        force=(0, 0, 0),
        torque=(0, 0, 0),
        length=(0,) * 6,
        name: str = "",
        id: int = 0,
        function=None,
    ) -> Field:
        """Six coupled springs and dampers in axes of J:  (F, T) = -K ((x, a) - length) - C (x', w) + (force, torque)
        on I.

        ``kmatrix``, ``cmatrix``: 6x6 (force / length, force, force * length), or ``cratio`` (time): C = cratio * K;
        ``length``: six numbers
        (length, radians); ``function``: a Python function in place of the matrices.  Raises `ModelError` for other
        sizes and unknown markers.
        """
        flat = lambda m, what: () if m is None else tuple(number_matrix(m, what, 6, 6).ravel().tolist())
        free = number_tuple(length, "length")
        if len(free) != 6:
            raise ModelError(f"length: expected six numbers (three lengths, three angles), got {len(free)}")
        if cmatrix is not None and cratio is not None:
            raise ModelError("cmatrix and cratio both give the damping; give one of them")
        if kmatrix is None and function is None:
            raise ModelError("it has no stiffness; give kmatrix= (6x6), or function=")
        force_of = None if function is None else expression(function)
        element = self.add(
            Field(
                id=id,
                name=name,
                i=self._marker(i),
                j=self._marker(j),
                kmatrix=flat(kmatrix, "kmatrix"),
                cmatrix=flat(cmatrix, "cmatrix"),
                cratio=None if cratio is None else number(cratio, "cratio"),
                force=vector(force, "force"),
                torque=vector(torque, "torque"),
                length=free,
            )
        )
        return element if force_of is None else self._function(element, force_of)

    def beam(
        self,
        i,
        j,
        length,
        area,
        ixx,
        iyy,
        izz,
        emodulus,
        gmodulus,
        asy=0.0,
        asz=0.0,
        cratio=None,
        cmatrix=None,
        formulation="LINEAR",
        name: str = "",
        id: int = 0,
    ) -> Beam:
        """Massless beam from J to I along x of J, Timoshenko's where ``asy``, ``asz`` (shear ratios) are not zero.

        ``length``; ``area`` (length^2); ``ixx`` of torsion, ``iyy``, ``izz`` of bending (length^4); ``emodulus``,
        ``gmodulus`` (force / length^2); damping C = ``cratio`` * K (time) or ``cmatrix`` (6x6).  ``formulation``:
        LINEAR, or NONLINEAR for large bending.  Raises `ModelError` for sizes and moduli that are not positive, for a
        beam that is drawn backwards (I at -x of J), and for unknown markers.

            model.beam(tip, root, 0.3, 1e-4, 1.4e-9, 8.3e-10, 8.3e-10, 2.1e11, 8.0e10, cratio=1e-4)
        """
        sizes = {
            "length": length,
            "area": area,
            "ixx": ixx,
            "iyy": iyy,
            "izz": izz,
            "emodulus": emodulus,
            "gmodulus": gmodulus,
        }
        given: dict[str, Any] = {w: number(v, w) for w, v in sizes.items()}
        for w, v in given.items():
            if not (v > 0.0 or (v == 0.0 and w in ("ixx", "iyy", "izz"))):
                raise ModelError(f"{w} is {v:g}; give a positive number")
        return self._plausible(
            self.add(
                Beam(
                    id=id,
                    name=name,
                    i=self._marker(i),
                    j=self._marker(j),
                    **given,
                    asy=number(asy, "asy"),
                    asz=number(asz, "asz"),
                    cratio=None if cratio is None else number(cratio, "cratio"),
                    cmatrix=() if cmatrix is None else tuple(number_matrix(cmatrix, "cmatrix", 6, 6).ravel().tolist()),
                    formulation=word_of(formulation, "formulation", FORMULATIONS),
                )
            )
        )
