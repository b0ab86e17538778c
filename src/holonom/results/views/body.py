"""Motion of one body and of one marker during a run."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...model import ModelError
from ...model.base import Element
from .. import _rotation as rotation
from .._data import EULER, XYZ
from .._names import Named

if TYPE_CHECKING:
    import xarray as xr

    from .._data import Key
    from ..run import Run


def part(run: Run, reference: Any) -> PartView:
    """Motion of a part or point mass (or of ground, recorded or not)."""
    if isinstance(reference, Element):
        reference = run.model.meant(reference)
    try:
        ground = run.model.ground
    except ModelError:
        ground = None
    if ground is not None:
        key = (ground.KIND, ground.id, ground.name)
        names = (ground.name.lower(), f"part/{ground.id}", str(ground.id))
        if reference is ground or str(reference).strip().lower() in names:
            return PartView(run, key)
    return PartView(run, run._find("bodies", reference, prefer="PART"))


def marker(run: Run, reference: Any) -> MarkerView:
    """Motion of any marker of the model, from its body's record."""
    if isinstance(reference, str) and reference.upper().startswith("MARKER/"):
        reference = int(reference[7:])
    return MarkerView(run, run.model.find("MARKER", reference))


class PartView(Named):
    """Motion of one body: histories of its centre of mass and of its attitude, in ground axes."""

    def __init__(self, run: Run, key: Key) -> None:
        self.run, self.key = run, key
        self.kind, self.id, self.name = key

    def __repr__(self) -> str:
        return f"<{self.kind}/{self.id} '{self.name}': {len(self.run)} times>"

    def _arrays(self) -> tuple[np.ndarray, ...]:
        return self.run._body_arrays(self.key)

    @property
    def position(self) -> xr.DataArray:
        """Centre of mass, dims (time, axis), length."""
        return self.run._vector(self._arrays()[0], "length", f"{self.name}.position")

    @property
    def quaternion(self) -> xr.DataArray:
        """Unit quaternion from body axes to ground, scalar first, dims (time, quaternion)."""
        coords = {"quaternion": ["e0", "e1", "e2", "e3"]}
        return self.run._array(self._arrays()[1], ("quaternion",), coords, "none", f"{self.name}.quaternion")

    @property
    def velocity(self) -> xr.DataArray:
        """Of the centre of mass, dims (time, axis)."""
        return self.run._vector(self._arrays()[2], "velocity", f"{self.name}.velocity")

    @property
    def acceleration(self) -> xr.DataArray:
        """Of the centre of mass, dims (time, axis)."""
        return self.run._vector(self._arrays()[3], "acceleration", f"{self.name}.acceleration")

    @property
    def angular_velocity(self) -> xr.DataArray:
        """Dims (time, axis), radians per time, ground axes."""
        return self.run._vector(self._arrays()[4], "angular_velocity", f"{self.name}.angular_velocity")

    @property
    def angular_acceleration(self) -> xr.DataArray:
        """Dims (time, axis), radians per time squared, ground axes."""
        return self.run._vector(self._arrays()[5], "angular_acceleration", f"{self.name}.angular_acceleration")

    @property
    def axes(self) -> xr.DataArray:
        """Rotation matrix from body axes to ground, dims (time, axis, body_axis)."""
        coords = {"axis": list(XYZ), "body_axis": list(XYZ)}
        values = rotation.matrices(self._arrays()[1])
        return self.run._array(values, ("axis", "body_axis"), coords, "none", f"{self.name}.axes")

    @property
    def euler(self) -> xr.DataArray:
        """Body 3-1-3 angles psi, theta, phi in radians, dims (time, angle); see `_rotation.euler313` for their
        ranges."""
        values = rotation.euler313(rotation.matrices(self._arrays()[1]))
        return self.run._array(values, ("angle",), {"angle": list(EULER)}, "angle", f"{self.name}.euler")

    @property
    def euler_rates(self) -> xr.DataArray:
        """Time derivatives of psi, theta, phi, dims (time, angle), radians per time; NaN where theta is 0 or pi and
        they have no value."""
        values = rotation.euler313_rates(rotation.matrices(self._arrays()[1]), self._arrays()[4])
        return self.run._array(
            values, ("angle",), {"angle": list(EULER)}, "angular_velocity", f"{self.name}.euler_rates"
        )

    @property
    def momentum(self) -> xr.DataArray:
        """m v, dims (time, axis), in force times time."""
        values = self.run._mass(self.key)[0] * self._arrays()[2]
        return self.run._vector(values, "momentum", f"{self.name}.momentum")

    @property
    def angular_momentum(self) -> xr.DataArray:
        """J w about the centre of mass (and what modes add), dims (time, axis), in torque times time; zero for point
        masses."""
        return self.run._vector(self._spin(), "angular_momentum", f"{self.name}.angular_momentum")

    @property
    def euler_momenta(self) -> xr.DataArray:
        """dT/dpsi', dT/dtheta', dT/dphi' of the kinetic energy T, dims (time, angle): the angular momenta that the
        Adams theory has as unknowns, components of J w along ground's z, the line of nodes and the part's z."""
        values = rotation.along_euler_axes(rotation.matrices(self._arrays()[1]), self._spin())
        return self.run._array(
            values, ("angle",), {"angle": list(EULER)}, "angular_momentum", f"{self.name}.euler_momenta"
        )

    def _spin(self) -> np.ndarray:
        """J w (nt, 3) in ground axes; of a flexible body with the inertia of its bent body and the momentum of its
        modes."""
        bends = (
            e
            for e in self.run.model.table("FLEXIBILITY").values()
            if e.active and (self.kind, self.id) == ("PART", e.part)
        )
        for e in bends:
            if any(name.startswith(f"FLEXIBILITY_{e.id}[") for name in self.run.states):
                return self.run.flexible(e).angular_momentum()
        m = rotation.matrices(self._arrays()[1])
        return rotation.angular_momenta(m, self.run._mass(self.key)[1], self._arrays()[4])

    @property
    def origin(self) -> xr.DataArray:
        """Origin of the body coordinate system, dims (time, axis), length."""
        r, q = self._arrays()[:2]
        centre = self.run._centre(self.run._body(self.key))
        return self.run._vector(r - rotation.matrices(q) @ centre, "length", f"{self.name}.origin")

    def marker(self, reference: Any) -> MarkerView:
        """Motion of a marker of this body.  Raises ModelError when the marker sits on another."""
        view = self.run.marker(reference)
        if (view.body[0], view.body[1]) != (self.kind, self.id):
            raise ModelError(
                f"{view.element.label} sits on {view.body[0]}/{view.body[1]}, not on {self.kind}/{self.id} "
                f"'{self.name}'"
            )
        return view


class MarkerView(Named):
    """Motion of one marker, from the record of the body that carries it; ground axes.

    A floating marker of a force is at that force's I marker (with the axes and angular velocity of its own body); its
    velocity is that of the coincident point of its body. Where curve constraints move it, the analysis may record its
    position as ``extra["marker/ID"]`` (nt, 3), ground.
    """

    def __init__(self, run: Run, element: Any) -> None:
        self.run, self.element = run, element
        self.name = element.name
        body = run.model.body_of(element)
        self.body: Key = (body.KIND, body.id, body.name)
        if self.body not in run.data.bodies and not getattr(body, "ground", False):
            raise element.error(f"this run has no record of its body {body.label}")

    def __repr__(self) -> str:
        return f"<MARKER/{self.element.id} '{self.name}' on {self.body[2]}: {len(self.run)} times>"

    @cached_property
    def _carrier(self) -> MarkerView | None:
        """The marker at whose origin a floating marker sits."""
        if not self.element.floating:
            return None
        for kind in ("VFORCE", "VTORQUE", "GFORCE", "PTCV"):
            for force in self.run.model.table(kind).values():
                if force.jfloat == self.element.id and force.i:
                    return self.run.marker(force.i)
        raise self.element.error("it floats and nothing in this run places it, so it has no position")

    @cached_property
    def _motion(self) -> tuple[np.ndarray, ...]:
        """position, axes, velocity, acceleration, angular velocity, angular acceleration."""
        r, q, v, a, w, alpha = self.run._body_arrays(self.body)
        m = rotation.matrices(q)
        placed = self.run.data.extra.get(f"marker/{self.element.id}") if self.element.floating else None
        if placed is not None:
            s = placed - r
        elif self._carrier is not None:
            s = self._carrier._motion[0] - r
        else:
            body = self.run.model.table(self.body[0])[self.body[1]]
            s = m @ (np.asarray(self.element.qp, float) - self.run._centre(body))
        ws = np.cross(w, s)
        return r + s, m @ self.element.axes, v + ws, a + np.cross(alpha, s) + np.cross(w, ws), w, alpha

    @property
    def position(self) -> xr.DataArray:
        """Origin of the marker, dims (time, axis), length."""
        return self.run._vector(self._motion[0], "length", f"{self.name}.position")

    @property
    def axes(self) -> xr.DataArray:
        """Rotation matrix from marker axes to ground, dims (time, axis, marker_axis): columns are the marker's axes."""
        coords = {"axis": list(XYZ), "marker_axis": list(XYZ)}
        return self.run._array(self._motion[1], ("axis", "marker_axis"), coords, "none", f"{self.name}.axes")

    @property
    def euler(self) -> xr.DataArray:
        """Body 3-1-3 angles of the marker in ground, radians, dims (time, angle)."""
        values = rotation.euler313(self._motion[1])
        return self.run._array(values, ("angle",), {"angle": ["psi", "theta", "phi"]}, "angle", f"{self.name}.euler")

    @property
    def velocity(self) -> xr.DataArray:
        """Of the body's point at the marker, dims (time, axis)."""
        return self.run._vector(self._motion[2], "velocity", f"{self.name}.velocity")

    @property
    def acceleration(self) -> xr.DataArray:
        """Of the body's point at the marker, dims (time, axis)."""
        return self.run._vector(self._motion[3], "acceleration", f"{self.name}.acceleration")

    @property
    def angular_velocity(self) -> xr.DataArray:
        """Dims (time, axis), radians per time."""
        return self.run._vector(self._motion[4], "angular_velocity", f"{self.name}.angular_velocity")

    @property
    def angular_acceleration(self) -> xr.DataArray:
        """Dims (time, axis), radians per time squared."""
        return self.run._vector(self._motion[5], "angular_acceleration", f"{self.name}.angular_acceleration")
