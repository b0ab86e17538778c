"""Builder methods of `Model`: one per element, named as engineers name it, so that a machine reads like a drawing."""

from __future__ import annotations

from typing import Any

import numpy as np

from .base import ModelError, shown, unknown_attribute
from .bodies import Marker, Part, PointMass
from .feeding import Feeding
from .forces import Beam, Bushing, Field, GForce, SForce, SpringDamper, VForce, VTorque
from .grains import Bulk
from .joints import (
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
from .orientation import axes_from, to_euler313
from .outputs import Graphic, Request, Sensor
from .solids import Solids
from .states import (
    Array,
    Curve,
    Diff,
    GeneralStateEquations,
    LinearStateEquations,
    Matrix,
    Spline,
    String,
    TransferFunction,
    Variable,
)
from .switches import Switches


def _vector(v) -> tuple[float, float, float]:
    try:
        out = tuple(float(c) for c in v) if not isinstance(v, str) else ()
    except (TypeError, ValueError):
        raise ModelError(f"expected three numbers, got {shown(v)}") from None
    if len(out) != 3:
        raise ModelError(f"expected three numbers, got {len(out)}: {v!r}")
    return out


def _known(cls, label: str, words: dict[str, Any]) -> None:
    """Raise `ModelError` for a keyword that is no field of an element."""
    for word in words:
        if word not in cls.__dataclass_fields__:
            raise ModelError(f"{label}: {unknown_attribute(word, cls.__dataclass_fields__)}")


def _orthonormal(axes) -> np.ndarray:
    """Axes of length 1, at right angles and right-handed, or an error that says which is wrong."""
    try:
        a = np.asarray(axes, float)
    except (TypeError, ValueError):
        a = np.zeros(0)
    if a.shape != (3, 3):
        raise ModelError(f"axes are {shown(axes)}; give a 3x3 table whose columns are the axes")
    off = float(np.abs(a.T @ a - np.eye(3)).max())
    if not off <= 1e-6:
        raise ModelError(f"axes are not of length 1 and at right angles (off by {off:.3g}); give a rotation matrix, columns are the axes")
    if np.linalg.det(a) < 0.0:
        raise ModelError("axes are left-handed; turn one of them round")
    return a


def _axes(z, x) -> np.ndarray:
    return axes_from(None if z is None else _vector(z), None if x is None else _vector(x))


def _euler(z=None, x=None, euler=None, axes=None) -> tuple[float, float, float] | None:
    if euler is not None:
        angles = _vector(euler)
        if max(map(abs, angles)) > 4 * np.pi:
            raise ModelError(f"euler angles {shown(angles)} are taken in radians, and look like degrees; give numpy.radians(...)")
        return angles
    if axes is not None:
        return to_euler313(_orthonormal(axes))
    if z is None and x is None:
        return None
    return to_euler313(_axes(z, x))


class Builder(Bulk, Feeding, Solids, Switches):
    """Mixin of `Model`.  Lengths, forces, times in the model's units; angles in radians; every method returns its element.

    Directions (``axis``, ``z``, ``x``) and points (``at``) of joints and markers are in ground axes at the design
    position unless a method says otherwise.
    """

    # provided by Model
    def add(self, element: Any) -> Any: ...
    def find(self, kind: str, reference: Any) -> Any: ...
    def register(self, name: str, function: Any) -> None: ...

    # ---- bodies and markers ---------------------------------------------------------------------------------------
    def part(
        self, name: str = "", mass: float | None = None, inertia=None, position=(0.0, 0.0, 0.0), *, euler=None, axes=None,
        velocity=None, angular_velocity=None, exact=(), id: int = 0,
    ) -> Part:  # fmt: skip
        """Rigid body whose body axes sit at its centre of mass.

        ``inertia``: (Ixx, Iyy, Izz), (Ixx, Iyy, Izz, Ixy, Ixz, Iyz) or a 3x3 tensor about the centre of mass in body axes.
        ``position``: centre of mass in ground.  ``euler`` (3-1-3) or ``axes`` (3x3, columns are body axes in ground).
        ``velocity``: centre of mass in ground; ``angular_velocity``: body axes.
        """
        part = self.add(Part(id=id, name=name, mass=mass, qg=_vector(position), reuler=_euler(euler=euler, axes=axes),
                             exact=tuple(exact)))  # fmt: skip
        cm = self.add(Marker(name=f"{part.name}.cm", part=part.id))
        part.cm = cm.id
        if inertia is not None:
            a = np.asarray(inertia, float)
            if a.shape == (3, 3):
                a = np.array([a[0, 0], a[1, 1], a[2, 2], -a[0, 1], -a[0, 2], -a[1, 2]])
            if a.shape not in ((3,), (6,)):
                raise part.error(f"inertia must be 3 or 6 numbers or a 3x3 tensor, not shape {a.shape}")
            part.ip = tuple(a.tolist())
        if velocity is not None:
            part.vx, part.vy, part.vz = _vector(velocity)
        if angular_velocity is not None:
            part.wx, part.wy, part.wz = _vector(angular_velocity)
        return part

    def point_mass(self, name: str = "", mass: float = 1.0, position=(0.0, 0.0, 0.0), *, velocity=None, exact=(), id: int = 0) -> PointMass:
        """Mass with three coordinates."""
        body = self.add(PointMass(id=id, name=name, mass=mass, qg=_vector(position), exact=tuple(exact)))
        cm = self.add(Marker(name=f"{body.name}.cm", part=body.id, body_kind="POINT_MASS"))
        body.cm = cm.id
        if velocity is not None:
            body.vx, body.vy, body.vz = _vector(velocity)
        return body

    def marker(self, body, at=(0.0, 0.0, 0.0), *, z=None, x=None, euler=None, axes=None, name: str = "", id: int = 0) -> Marker:
        """Marker on a body, place and directions in the *body's* axes."""
        body = self._body(body)
        return self.add(Marker(id=id, name=name, part=body.id, body_kind=body.KIND, qp=_vector(at),
                               reuler=_euler(z, x, euler, axes)))  # fmt: skip

    def marker_at(self, body, at, *, z=None, x=None, axes=None, name: str = "", id: int = 0) -> Marker:
        """Marker on a body, place and directions in *ground* at the design position."""
        body = self._body(body)
        frame = body.frame
        world = _orthonormal(axes) if axes is not None else _axes(z, x)
        local = frame.axes.T @ world
        origin = frame.axes.T @ (np.asarray(_vector(at)) - frame.origin)
        return self.add(Marker(id=id, name=name, part=body.id, body_kind=body.KIND, qp=_vector(origin), reuler=to_euler313(local)))

    def floating_marker(self, body, name: str = "", id: int = 0) -> Marker:
        body = self._body(body)
        return self.add(Marker(id=id, name=name, part=body.id, body_kind=body.KIND, floating=True))

    def _body(self, reference):
        if isinstance(reference, PointMass):
            return self.find("POINT_MASS", reference)
        try:
            return self.find("PART", reference)
        except ModelError:
            if isinstance(reference, (str, int, np.integer)) and self.table("POINT_MASS"):
                try:
                    return self.find("POINT_MASS", reference)
                except ModelError:  # what is told is the part, which is meant more often
                    pass
            raise

    def _marker(self, reference) -> int:
        return self.find("MARKER", reference).id

    # ---- joints ---------------------------------------------------------------------------------------------------
    def joint(self, type: str, i, j, name: str = "", *, at=None, axis=None, x=None, id: int = 0, **more) -> Joint:
        """Joint between two markers, or between two bodies when ``at`` (and ``axis``, the z of both markers) is given."""
        _known(Joint, f"joint '{name}'", more)
        mi, mj = self._pair(i, j, at, axis, x)
        return self.add(Joint(id=id, name=name, type=type, i=mi, j=mj, **more))

    def _pair(self, i, j, at, axis, x) -> tuple[int, int]:
        if at is None:
            return self._marker(i), self._marker(j)
        return self.marker_at(i, at, z=axis, x=x).id, self.marker_at(j, at, z=axis, x=x).id

    def revolute(self, i, j, name: str = "", **place) -> Joint:
        return self.joint("REVOLUTE", i, j, name, **place)

    def translational(self, i, j, name: str = "", **place) -> Joint:
        return self.joint("TRANSLATIONAL", i, j, name, **place)

    def cylindrical(self, i, j, name: str = "", **place) -> Joint:
        return self.joint("CYLINDRICAL", i, j, name, **place)

    def spherical(self, i, j, name: str = "", **place) -> Joint:
        return self.joint("SPHERICAL", i, j, name, **place)

    def planar(self, i, j, name: str = "", **place) -> Joint:
        return self.joint("PLANAR", i, j, name, **place)

    def fixed(self, i, j, name: str = "", **place) -> Joint:
        return self.joint("FIXED", i, j, name, **place)

    def universal(self, i, j, name: str = "", **place) -> Joint:
        return self.joint("UNIVERSAL", i, j, name, **place)

    def hooke(self, i, j, name: str = "", **place) -> Joint:
        return self.joint("HOOKE", i, j, name, **place)

    def constant_velocity(self, i, j, name: str = "", **place) -> Joint:
        return self.joint("CONVEL", i, j, name, **place)

    def screw(self, i, j, pitch: float, name: str = "", **place) -> Joint:
        return self.joint("SCREW", i, j, name, pitch=pitch, **place)

    def rack_and_pinion(self, i, j, diameter: float, name: str = "") -> Joint:
        """Pinion marker I (z = its axis) and rack marker J (z = its travel); ``diameter`` of the pitch circle."""
        return self.joint("RACKPIN", i, j, name, pd=diameter)

    def primitive(self, type: str, i, j, name: str = "", *, at=None, axis=None, x=None, id: int = 0) -> Primitive:
        """JPRIM: ATPOINT, INLINE, INPLANE, ORIENTATION, PARALLEL_AXES, PERPENDICULAR."""
        mi, mj = self._pair(i, j, at, axis, x)
        return self.add(Primitive(id=id, name=name, type=type, i=mi, j=mj))

    def coupler(self, joints, scales, types=None, name: str = "", id: int = 0) -> Coupler:
        ids = tuple(self.find("JOINT", q).id for q in joints)
        return self.add(Coupler(id=id, name=name, joints=ids, scales=tuple(map(float, scales)), types=tuple(types or ())))

    def gear(self, joint_1, joint_2, cv, name: str = "", id: int = 0) -> Gear:
        ids = (self.find("JOINT", joint_1).id, self.find("JOINT", joint_2).id)
        return self.add(Gear(id=id, name=name, joints=ids, cv=self._marker(cv)))

    def point_on_curve(self, i, rm, curve, name: str = "", jfloat=None, ic=(), id: int = 0) -> PointCurve:
        return self.add(PointCurve(id=id, name=name, i=self._marker(i), rm=self._marker(rm), curve=self.find("CURVE", curve).id,
                                   jfloat=None if jfloat is None else self._marker(jfloat), ic=tuple(ic)))  # fmt: skip

    def curve_on_curve(self, irm, icurve, jrm, jcurve, name: str = "", i_ic=(), j_ic=(), id: int = 0) -> CurveCurve:
        return self.add(CurveCurve(id=id, name=name, irm=self._marker(irm), icurve=self.find("CURVE", icurve).id,
                                   jrm=self._marker(jrm), jcurve=self.find("CURVE", jcurve).id, i_ic=tuple(i_ic), j_ic=tuple(j_ic)))  # fmt: skip

    def constraint(self, function: str, i=None, name: str = "", id: int = 0) -> GeneralConstraint:
        """GCON: ``function`` = 0, an expression of displacements (holonomic) or velocities (nonholonomic)."""
        return self.add(GeneralConstraint(id=id, name=name, function=str(function), i=None if i is None else self._marker(i)))

    def user_constraint(self, routine, parameters=(), name: str = "", id: int = 0) -> UserConstraint:
        """UCON: a Python function gives the constraint's value; see `docs/user-routines`."""
        element = self.add(UserConstraint(id=id, name=name, function=_user(parameters)))
        element.routine = self._routine(element, routine)
        return element

    def motion(self, joint=None, function="0", name: str = "", *, i=None, j=None, component: str | None = None,
               kind: str | None = None, level: str = "DISPLACEMENT", icdisp=None, icvel=None, id: int = 0) -> Motion:  # fmt: skip
        """Motion on a joint, or of marker I in J along (about) X Y Z (B1 B2 B3)."""
        if joint is not None:
            element = self.find("JOINT", joint)
            kind = kind or ("TRANSLATIONAL" if element.type == "TRANSLATIONAL" else "ROTATIONAL")
            return self.add(Motion(id=id, name=name, joint=element.id, kind=kind, level=level, function=str(function),
                                   icdisp=icdisp, icvel=icvel))  # fmt: skip
        if i is None or j is None or component is None:
            raise ModelError("a motion needs a joint, or markers i and j and a component (X Y Z B1 B2 B3)")
        return self.add(Motion(id=id, name=name, i=self._marker(i), j=self._marker(j), component=component.upper(), level=level,
                               kind="ROTATIONAL" if component.upper().startswith("B") else "TRANSLATIONAL",
                               function=str(function), icdisp=icdisp, icvel=icvel))  # fmt: skip

    def friction(self, joint, name: str = "", id: int = 0, **parameters) -> Friction:
        _known(Friction, f"friction '{name}'", parameters)
        return self.add(Friction(id=id, name=name, joint=self.find("JOINT", joint).id, **parameters))

    # ---- forces ---------------------------------------------------------------------------------------------------
    def sforce(self, i, j, function, name: str = "", *, kind: str = "TRANSLATIONAL", actiononly: bool = False, id: int = 0) -> SForce:
        """``function``: an expression, or a Python function (see `docs/user-routines`)."""
        element = self.add(SForce(id=id, name=name, kind=kind, i=self._marker(i), j=self._marker(j), actiononly=actiononly))
        return self._function(element, function)

    def _routine(self, element, routine) -> str:
        if callable(routine):
            key = f"{element.KIND.lower()}_{element.id}"
            self.register(key, routine)
            return key
        return str(routine)

    def _function(self, element, function):
        if callable(function):
            element.routine = self._routine(element, function)
            element.function = "USER()"
        else:
            element.function = str(function)
        return element

    def _rm(self, rm) -> int | None:
        return None if rm is None else self._marker(rm)

    def _vector_force(self, kind, i, j, components: dict[str, Any], rm, name, id, function):
        element = kind(id=id, name=name, i=self._marker(i), rm=self._rm(rm), **{k: str(v) for k, v in components.items()})
        if j is not None:
            other = self.find("MARKER", j) if not isinstance(j, (Part, PointMass)) else self.floating_marker(j)
            element.jfloat = other.id
        self.add(element)
        if function is not None:
            self._function(element, function)
        return element

    def vforce(self, i, j=None, fx="0", fy="0", fz="0", *, rm=None, name: str = "", id: int = 0, function=None) -> VForce:
        """Force on I in axes of ``rm``; ``j``: the body (or floating marker) that takes the reaction."""
        return self._vector_force(VForce, i, j, {"fx": fx, "fy": fy, "fz": fz}, rm, name, id, function)

    def vtorque(self, i, j=None, tx="0", ty="0", tz="0", *, rm=None, name: str = "", id: int = 0, function=None) -> VTorque:
        return self._vector_force(VTorque, i, j, {"tx": tx, "ty": ty, "tz": tz}, rm, name, id, function)

    def gforce(self, i, j=None, fx="0", fy="0", fz="0", tx="0", ty="0", tz="0", *, rm=None, name: str = "", id: int = 0,
               function=None) -> GForce:  # fmt: skip
        components = {"fx": fx, "fy": fy, "fz": fz, "tx": tx, "ty": ty, "tz": tz}
        return self._vector_force(GForce, i, j, components, rm, name, id, function)

    def spring_damper(self, i, j, k=0.0, c=0.0, length=0.0, force=0.0, name: str = "", id: int = 0) -> SpringDamper:
        return self.add(SpringDamper(id=id, name=name, kind="TRANSLATIONAL", i=self._marker(i), j=self._marker(j), k=k, c=c,
                                     length=length, force=force))  # fmt: skip

    def torsion_spring(self, i, j, kt=0.0, ct=0.0, angle=0.0, torque=0.0, name: str = "", id: int = 0) -> SpringDamper:
        return self.add(SpringDamper(id=id, name=name, kind="ROTATIONAL", i=self._marker(i), j=self._marker(j), kt=kt, ct=ct,
                                     angle=angle, torque=torque))  # fmt: skip

    def bushing(self, i, j, k=(0, 0, 0), kt=(0, 0, 0), c=(0, 0, 0), ct=(0, 0, 0), force=(0, 0, 0), torque=(0, 0, 0),
                name: str = "", id: int = 0) -> Bushing:  # fmt: skip
        return self.add(Bushing(id=id, name=name, i=self._marker(i), j=self._marker(j), k=_vector(k), kt=_vector(kt),
                                c=_vector(c), ct=_vector(ct), force=_vector(force), torque=_vector(torque)))  # fmt: skip

    def field(self, i, j, kmatrix=None, cmatrix=None, cratio=None, force=(0, 0, 0), torque=(0, 0, 0), length=(0,) * 6,
              name: str = "", id: int = 0, function=None) -> Field:  # fmt: skip
        flat = lambda m: () if m is None else tuple(np.asarray(m, float).reshape(36).tolist())
        element = self.add(Field(id=id, name=name, i=self._marker(i), j=self._marker(j), kmatrix=flat(kmatrix),
                                 cmatrix=flat(cmatrix), cratio=cratio, force=_vector(force), torque=_vector(torque),
                                 length=tuple(map(float, length))))  # fmt: skip
        if function is not None:
            self._function(element, function)
        return element

    def beam(self, i, j, length, area, ixx, iyy, izz, emodulus, gmodulus, asy=0.0, asz=0.0, cratio=None, cmatrix=None,
             formulation="LINEAR", name: str = "", id: int = 0) -> Beam:  # fmt: skip
        return self.add(Beam(id=id, name=name, i=self._marker(i), j=self._marker(j), length=length, area=area, ixx=ixx, iyy=iyy,
                             izz=izz, emodulus=emodulus, gmodulus=gmodulus, asy=asy, asz=asz, cratio=cratio,
                             cmatrix=() if cmatrix is None else tuple(np.asarray(cmatrix, float).reshape(36)),
                             formulation=formulation))  # fmt: skip

    # ---- states and data ------------------------------------------------------------------------------------------
    def variable(self, function="0", name: str = "", ic: float = 0.0, id: int = 0) -> Variable:
        return self._function(self.add(Variable(id=id, name=name, ic=ic)), function)

    def diff(self, function, name: str = "", ic=0.0, implicit: bool = False, id: int = 0) -> Diff:
        values = tuple(float(v) for v in np.atleast_1d(ic))
        return self._function(self.add(Diff(id=id, name=name, ic=values, implicit=implicit)), function)

    def array(self, kind: str, *, numbers=(), variables=(), size: int | None = None, name: str = "", id: int = 0) -> Array:
        ids = tuple(self.find("VARIABLE", v).id for v in variables)
        return self.add(Array(id=id, name=name, kind=kind.upper(), size=size, numbers=tuple(map(float, numbers)), variables=ids))

    def matrix(self, values, name: str = "", id: int = 0) -> Matrix:
        a = np.atleast_2d(np.asarray(values, float))
        return self.add(Matrix(id=id, name=name, rows=a.shape[0], columns=a.shape[1], values=tuple(a.ravel().tolist())))

    def linear_state_equations(self, x, a, u=None, b=None, y=None, c=None, d=None, ic=None, name: str = "", id: int = 0):
        arr: Any = lambda r: None if r is None else self.find("ARRAY", r).id
        mat: Any = lambda r: None if r is None else self.find("MATRIX", r).id
        return self.add(LinearStateEquations(id=id, name=name, x=arr(x), u=arr(u), y=arr(y), ic=arr(ic), a=mat(a), b=mat(b),
                                             c=mat(c), d=mat(d)))  # fmt: skip

    def transfer_function(self, x, u, y, numerator, denominator, name: str = "", id: int = 0) -> TransferFunction:
        arr = lambda r: self.find("ARRAY", r).id
        return self.add(TransferFunction(id=id, name=name, x=arr(x), u=arr(u), y=arr(y), numerator=arr(numerator),
                                         denominator=arr(denominator)))  # fmt: skip

    def state_equations(self, routine, ns: int = 0, no: int = 0, x=None, u=None, y=None, ic=None, parameters=(), name: str = "",
                        id: int = 0, *, nd: int = 0, xd=None, icd=None, update=None, sample_period=None,
                        sample_offset: float = 0.0) -> GeneralStateEquations:  # fmt: skip
        """GSE: see `docs/user-routines` for the Python functions' form.

        ``nd`` discrete states in the array ``xd`` begin at the numbers of ``icd``; the function ``update`` gives them anew at
        ``sample_offset`` and every ``sample_period`` (a time, or a function that gives the time until the next sample) later.
        """
        arr = lambda r: None if r is None else self.find("ARRAY", r).id
        element = self.add(GeneralStateEquations(id=id, name=name, ns=ns, no=no, x=arr(x), u=arr(u), y=arr(y), ic=arr(ic),
                                                 function=_user(parameters)))  # fmt: skip
        element.routine = self._routine(element, routine) if routine is not None else None
        element.nd, element.xd, element.icd, element.sample_offset = nd, arr(xd), arr(icd), float(sample_offset)
        if nd or update is not None:
            if update is None:
                raise element.error("it has discrete states and no function for them; give update = function")
            names = [
                f"{part}_{element.id}" if callable(f) else str(f or "") for part, f in (("gse_update", update), ("gse_samp", sample_period))
            ]
            for key, f in zip(names, (update, sample_period)):
                if callable(f):
                    self.register(key, f)
            if not callable(sample_period):
                element.sample_period = None if sample_period is None else float(sample_period)
            element.interface = (element.routine or "gse_deriv", element.routine or "gse_output", names[0],
                                 *(names[1:] if callable(sample_period) else ()))  # fmt: skip
        return element

    def spline(self, x, y, z=(), linear_extrapolate: bool = False, name: str = "", id: int = 0) -> Spline:
        rows = np.atleast_2d(np.asarray(y, float))
        return self.add(Spline(id=id, name=name, x=tuple(np.asarray(x, float).tolist()), y=tuple(map(tuple, rows.tolist())),
                               z=tuple(np.asarray(z, float).tolist()), linear_extrapolate=linear_extrapolate))  # fmt: skip

    def curve(self, points, closed: bool = False, order: int = 4, control: bool = False, name: str = "", id: int = 0, *,
              low: float = -1.0, high: float = 1.0, parameters=()) -> Curve:  # fmt: skip
        """Curve through ``points`` (n, 3), or controlled by them; or a Python function whose ``call.alpha``, from ``low`` to ``high``, becomes a point
        (`docs/user-routines`)."""
        if callable(points):
            curve = self.add(Curve(id=id, name=name, closed=closed, minpar=float(low), maxpar=float(high), function=_user(parameters)))
            curve.routine = self._routine(curve, points)
            return curve
        matrix = self.matrix(points)
        return self.add(Curve(id=id, name=name, closed=closed, matrix=matrix.id, order=order, points="CONTROL" if control else "CURVE"))

    def string(self, text: str, name: str = "", id: int = 0) -> String:
        return self.add(String(id=id, name=name, text=text))

    # ---- outputs --------------------------------------------------------------------------------------------------
    def request(self, name: str = "", *, kind: str | None = None, i=None, j=None, rm=None, functions=None, comment: str = "",
                id: int = 0) -> Request:  # fmt: skip
        """Up to eight expressions (a dict F1..F8 or a list) or a standard request between markers."""
        if functions is not None and not isinstance(functions, dict):
            functions = {f"F{n}": str(f) for n, f in enumerate(functions, start=2 if len(functions) < 8 else 1)}
        mark = lambda r: None if r is None else self._marker(r)
        return self.add(Request(id=id, name=name, kind=kind, i=mark(i), j=mark(j), rm=mark(rm), functions=functions or {},
                                comment=comment))  # fmt: skip

    def sensor(self, function, value: float, comparison: str = "GE", error: float = 1e-3, name: str = "", id: int = 0, **actions) -> Sensor:
        return self._function(self.add(Sensor(id=id, name=name, value=value, comparison=comparison, tolerance=error, **actions)), function)

    def graphic(self, type: str, name: str = "", id: int = 0, **arguments) -> Graphic:
        return self.add(Graphic(id=id, name=name, type=type.upper(), arguments=arguments))


def _user(parameters) -> str:
    return "USER(" + ",".join(repr(float(p)) for p in parameters) + ")"
