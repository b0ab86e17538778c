"""Coordinates of joints, motions and springs: angle, travel, length and their rates, I with respect to J.

Angles count full turns: the run counts them at every step of its solver (``RunData.angle_values``), independently of
the output times. The angle itself and all rates come from the recorded states of the two bodies, not from differences
of rows.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._warnings import warn_model
from ...model import ModelError
from ...model.joint_facts import facts
from .. import _rotation as rotation
from .._units import to_si
from .wrench import WrenchView

if TYPE_CHECKING:
    import xarray as xr

    from ..run import Run

TAU = 2.0 * np.pi
#: arms of the cross: of I (axis, axis from which the turn counts, third axis with its sign), and of J
ARMS = {"UNIVERSAL": ((2, 0, 1, 1.0), (2, 0, 1, 1.0)), "HOOKE": ((0, 1, 2, 1.0), (1, 0, 2, -1.0))}
DOUBTFUL = 2.0  # radians between a turn and what the rates at its ends say


def unwrapped(angle: np.ndarray, t: np.ndarray, rate: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, bool]:
    """A history of angles without jumps, each turn the nearest to what the rates give, and whether one of them is in
    doubt.

    Between rows angle' = w: the turn is h (w0 + w1)/2 + h^2 (w0' - w1')/12 (Hermite, error of order h^5).  Where rates
    were not recorded the nearest turn is taken, which is in doubt; where the angle was not, there is none.
    """
    h = np.diff(t)
    coarse = 0.5 * h * (rate[:-1] + rate[1:])  # both estimates must mean the same turn
    guess = coarse + np.nan_to_num(h * h * (second[:-1] - second[1:]) / 12.0)
    known = np.isfinite(guess)
    guess, coarse = np.where(known, guess, 0.0), np.where(known, coarse, 0.0)
    left = np.diff(angle) - guess
    turn = guess + left - TAU * np.round(left / TAU)
    turn = np.where(np.isfinite(turn), turn, guess)  # across a row without an angle
    doubt = np.maximum(np.abs(turn - guess), np.abs(turn - coarse))
    first = angle[np.argmax(np.isfinite(angle))]
    out = first + np.concatenate([[0.0], np.cumsum(turn)])
    return angle + TAU * np.round((out - angle) / TAU), bool(np.any(doubt > DOUBTFUL) or not known.all())


class PairView(WrenchView):
    """Two markers with a force or reaction between them: motion of I with respect to J."""

    _prefix = ""

    @cached_property
    def _ends(self) -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]:
        if not (self.i and self.j):
            raise self._none("does not name both an I and a J marker")
        return self.run.marker(self.i)._motion, self.run.marker(self.j)._motion

    def _none(self, why: str) -> ModelError:
        return ModelError(f"{self.kind}/{self.id} '{self.name}' {why}")

    @cached_property
    def _seen(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Origin of I seen from J, in the axes of J: position, velocity, acceleration (nt, 3)."""
        (ri, _, vi, ai, _, _), (rj, m, vj, aj, w, alpha) = self._ends
        d = ri - rj
        v = vi - vj - np.cross(w, d)
        a = ai - aj - np.cross(alpha, d) - np.cross(w, np.cross(w, d)) - 2.0 * np.cross(w, v)
        return tuple(np.einsum("tji,tj->ti", m, x) for x in (d, v, a))  # type: ignore[return-value]

    @cached_property
    def _spin(self) -> tuple[np.ndarray, np.ndarray]:
        """Angular velocity and acceleration of I seen from J, ground axes (nt, 3)."""
        (_, _, _, _, wi, ali), (_, _, _, _, wj, alj) = self._ends
        return wi - wj, ali - alj - np.cross(wj, wi)

    @cached_property
    def _turn(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Angle of I about z of J, its rate and its second derivative."""
        (_, mi, *_), (_, mj, *_) = self._ends
        x, z = mi[:, :, 0], mj[:, :, 2]
        angle = np.arctan2((x * mj[:, :, 1]).sum(axis=1), (x * mj[:, :, 0]).sum(axis=1))
        w, alpha = ((s * z).sum(axis=1) for s in self._spin)
        return self._whole(angle, w, alpha), w, alpha

    def _whole(self, angle: np.ndarray, w: np.ndarray, alpha: np.ndarray) -> np.ndarray:
        """The angle with its whole turns, as the run counted them; of runs that did not, from the rates at the output
        times."""
        d = self.run.data
        if self.key in d.angles:
            counted = d.angle_values[:, d.angles.index(self.key)]
            if np.isfinite(counted).all():
                return angle + TAU * np.round((counted - angle) / TAU)
        out, doubt = unwrapped(angle, d.time, w, alpha) if len(angle) else (angle, False)
        if doubt:
            warn_model(
                f"{self.kind}/{self.id} '{self.name}' turns too far between the output times of this run for its whole "
                "turns to be sure; "
                "run it again with more output"
            )
        return out

    def _scalar(self, values: np.ndarray, quantity: str, what: str) -> xr.DataArray:
        return self.run._array(values, (), {}, quantity, f"{self.name}.{what}")

    @property
    def power(self) -> xr.DataArray:
        """Power of the force and torque on the two bodies, in W, dims (time): for a motion, the power of its drive."""
        (ri, _, vi, _, wi, _), (rj, _, vj, _, wj, _) = self._ends
        d, k = self.run.data, self._index
        force, torque = getattr(d, f"{self._table}_force")[:, k], getattr(d, f"{self._table}_torque")[:, k]
        there = vj + np.cross(wj, ri - rj)  # where the force acts, as a point of J's body
        values = ((force * (vi - there)).sum(axis=1) + (torque * (wi - wj)).sum(axis=1)) * to_si(
            self.run.model.units, "power"
        )
        return self.run._array(values, (), {}, None, f"{self.name}.power", {"units": "W"})

    @property
    def euler(self) -> xr.DataArray:
        """Body 3-1-3 angles psi, theta, phi of I in the axes of J, radians, dims (time, angle)."""
        (_, mi, *_), (_, mj, *_) = self._ends
        values = rotation.euler313(np.einsum("tji,tjk->tik", mj, mi))
        return self.run._array(values, ("angle",), {"angle": ["psi", "theta", "phi"]}, "angle", f"{self.name}.euler")

    def coordinates(self) -> dict[str, xr.DataArray]:
        """All coordinates and their rates by name; empty where it has none."""
        return {name: getattr(self, name) for name in self._coordinates()}

    def _coordinates(self) -> tuple[str, ...]:
        return ()


class JointView(PairView):
    """A joint: reaction on I, and its coordinates, I with respect to J as the functions AZ and DZ measure them."""

    @cached_property
    def _element(self) -> Any:
        return self.run.model.table(self.kind).get(self.id)

    @cached_property
    def _joint(self) -> Any:
        e = self._element
        if e is not None and e.KIND == "MOTION" and e.joint is not None:
            return self.run.model.joints.get(e.joint)
        return e if e is not None and e.KIND == "JOINT" else None

    @property
    def freedoms(self) -> tuple[str, ...]:
        """Which of ``angle``, ``travel``, ``slide`` (planar) and ``angles`` (universal) it has."""
        return facts(self._joint).freedoms if self._joint is not None else ()

    def _need(self, freedom: str) -> None:
        if freedom not in self.freedoms:
            kind = f" ({self._joint.type})" if self._joint is not None else ""
            have = ", ".join(self.freedoms)
            raise self._none(
                f"{kind.strip()} has no {freedom}".strip()
                + (f"; it has {have}" if have else "; .euler has the attitude of I in the axes of J")
            )

    @property
    def angle(self) -> xr.DataArray:
        """Angle of I about z of J in radians, including full turns, dims (time); its initial value is in (-pi, pi]."""
        self._need("angle")
        return self._scalar(self._turn_of_joint[0], "angle", "angle")

    @property
    def degrees(self) -> xr.DataArray:
        """`angle` in degrees."""
        return self.run._array(np.rad2deg(self.angle.values), (), {}, None, f"{self.name}.degrees", {"units": "deg"})

    @property
    def angular_velocity(self) -> xr.DataArray:
        """Rate of `angle`, dims (time)."""
        self._need("angle")
        return self._scalar(self._turn_of_joint[1], "angular_velocity", "angular_velocity")

    @property
    def angular_acceleration(self) -> xr.DataArray:
        """Rate of `angular_velocity`, dims (time)."""
        self._need("angle")
        return self._scalar(self._turn_of_joint[2], "angular_acceleration", "angular_acceleration")

    @property
    def _turn_of_joint(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A motion has the angle of its joint, with its count of turns."""
        if self.kind == "MOTION":
            return self.run.joint(f"JOINT/{self._joint.id}")._turn
        return self._turn

    @property
    def travel(self) -> xr.DataArray:
        """Distance of I from J along z of J, dims (time)."""
        self._need("travel")
        return self._scalar(self._seen[0][:, 2], "length", "travel")

    @property
    def speed(self) -> xr.DataArray:
        """Rate of `travel`, dims (time)."""
        self._need("travel")
        return self._scalar(self._seen[1][:, 2], "velocity", "speed")

    @property
    def acceleration(self) -> xr.DataArray:
        """Rate of `speed`, dims (time)."""
        self._need("travel")
        return self._scalar(self._seen[2][:, 2], "acceleration", "acceleration")

    @property
    def slide(self) -> xr.DataArray:
        """Planar joint: position of I along x and y of J, dims (time, axis)."""
        return self._plane(0, "length", "slide")

    @property
    def slide_velocity(self) -> xr.DataArray:
        """Rate of `slide`, dims (time, axis)."""
        return self._plane(1, "velocity", "slide_velocity")

    def _plane(self, k: int, quantity: str, what: str) -> xr.DataArray:
        self._need("slide")
        return self.run._array(self._seen[k][:, :2], ("axis",), {"axis": ["x", "y"]}, quantity, f"{self.name}.{what}")

    @cached_property
    def _cross(self) -> tuple[np.ndarray, np.ndarray]:
        """Both angles of a universal joint and their rates (nt, 2): of the cross in J, of I on the cross."""
        (_, mi, *_), (_, mj, *_) = self._ends
        (ni, pi, qi, si), (nj, pj, qj, sj) = ARMS[self._joint.type]
        dot = lambda a, b: (a * b).sum(axis=1)
        arm_i, arm_j = mi[:, :, ni], mj[:, :, nj]
        angles = (
            np.arctan2(sj * dot(arm_i, mj[:, :, qj]), dot(arm_i, mj[:, :, pj])),
            -np.arctan2(si * dot(arm_j, mi[:, :, qi]), dot(arm_j, mi[:, :, pi])),
        )
        w, alpha = self._spin
        wj = self._ends[1][4]
        rates = dot(w, arm_j), dot(w, arm_i)
        second = dot(alpha, arm_j), dot(alpha, arm_i) + dot(w, np.cross(w, arm_i)) + 0.0 * dot(wj, arm_i)
        whole = [unwrapped(a, self.run.time, r, s)[0] if len(a) else a for a, r, s in zip(angles, rates, second)]
        return np.stack(whole, axis=1), np.stack(rates, axis=1)

    @property
    def angles(self) -> xr.DataArray:
        """Universal joint: rotation of the cross about its pin in J (zero where the pin of I is along x of J), and of I
        about its own pin (zero where the pin of J is along x of I, HOOKE: along y), dims (time, arm), radians."""
        self._need("angles")
        return self.run._array(self._cross[0], ("arm",), {"arm": ["j", "i"]}, "angle", f"{self.name}.angles")

    @property
    def angle_rates(self) -> xr.DataArray:
        """Rates of `angles`, dims (time, arm)."""
        self._need("angles")
        return self.run._array(
            self._cross[1], ("arm",), {"arm": ["j", "i"]}, "angular_velocity", f"{self.name}.angle_rates"
        )

    def _coordinates(self) -> tuple[str, ...]:
        pairs = {
            "angle": ("angle", "angular_velocity"),
            "travel": ("travel", "speed"),
            "slide": ("slide", "slide_velocity"),
            "angles": ("angles", "angle_rates"),
        }
        return tuple(name for freedom in self.freedoms for name in pairs[freedom])


class MotionView(JointView):
    """A motion: its drive force or torque and power (`effort`, `power`), and the driven coordinate (`value`,
    `rate`)."""

    @property
    def _rotates(self) -> bool:
        e = self._element
        return e.component.startswith("B") if e.component else e.kind == "ROTATIONAL"

    @property
    def _value(self) -> tuple[np.ndarray, np.ndarray]:
        e = self._element
        if e.joint is not None:
            if self._rotates:
                return self._turn_of_joint[:2]
            return self._seen[0][:, 2], self._seen[1][:, 2]
        if not self._rotates:
            axis = "XYZ".index(e.component or "Z")
            return self._seen[0][:, axis], self._seen[1][:, axis]
        (_, mi, *_), (_, mj, *_) = self._ends
        m = np.einsum("tji,tjk->tik", mj, mi)  # = Rx(B1) Ry(B2) Rz(B3)
        w = np.einsum("tji,tj->ti", mj, self._spin[0])
        b1, b2 = np.arctan2(-m[:, 1, 2], m[:, 2, 2]), np.arcsin(np.clip(m[:, 0, 2], -1.0, 1.0))
        b3 = np.arctan2(-m[:, 0, 1], m[:, 0, 0])
        # w = B1' x + B2' (cos B1 y + sin B1 z) + B3' (third column of Rx Ry)
        cosine = np.cos(b2)
        along = -np.sin(b1) * w[:, 1] + np.cos(b1) * w[:, 2]
        with np.errstate(divide="ignore", invalid="ignore"):
            r3 = along / cosine
        r2 = np.cos(b1) * w[:, 1] + np.sin(b1) * w[:, 2]
        r1 = w[:, 0] - np.sin(b2) * r3
        value, rate = {"B1": (b1, r1), "B2": (b2, r2), "B3": (b3, r3)}[e.component]
        if len(value) and e.component != "B2":
            zero = np.zeros_like(rate)
            value = self._whole(value, rate, zero)
        return value, rate

    @property
    def value(self) -> xr.DataArray:
        """The driven coordinate, as simulated: angle (radians, including full turns) or distance of I with respect to
        J, dims (time)."""
        return self._scalar(self._value[0], "angle" if self._rotates else "length", "value")

    @property
    def rate(self) -> xr.DataArray:
        """Rate of `value`, dims (time)."""
        return self._scalar(self._value[1], "angular_velocity" if self._rotates else "velocity", "rate")

    @property
    def effort(self) -> xr.DataArray:
        """Torque or force of the drive on I along its axis: z of J for motions of joints, otherwise that of the
        component; dims (time)."""
        e, k = self._element, self._index
        what = "torque" if self._rotates else "force"
        axis = "XYZ".index(e.component) if e.component in ("X", "Y", "Z") else 2
        axes = self._ends[1][1][:, :, axis]
        if e.component in ("B1", "B2", "B3"):
            axes = self._sequence_axis(e.component)
        values = (getattr(self.run.data, f"constraint_{what}")[:, k] * axes).sum(axis=1)
        return self._scalar(values, what, "effort")

    def _sequence_axis(self, component: str) -> np.ndarray:
        """Axis about which an angle of the body 1-2-3 sequence turns, ground axes (nt, 3)."""
        (_, mi, *_), (_, mj, *_) = self._ends
        if component == "B1":
            return mj[:, :, 0]
        if component == "B3":
            return mi[:, :, 2]
        y = np.cross(mi[:, :, 2], mj[:, :, 0])
        return y / np.linalg.norm(y, axis=1, keepdims=True)

    def _coordinates(self) -> tuple[str, ...]:
        if self._element is None or not (self.i and self.j):
            return ()
        return ("value", "rate", "effort", "power")


class SpringView(PairView):
    """A spring-damper: length or angle, its rate, and the force along the line of its markers or torque about z of
    J."""

    @property
    def _torsion(self) -> bool:
        return self.run.model.table(self.kind)[self.id].kind == "ROTATIONAL"

    def _need(self, torsion: bool, what: str) -> None:
        if self._torsion != torsion:
            raise self._none(
                f"is {'ROTATIONAL' if self._torsion else 'TRANSLATIONAL'} and has no {what}; it has "
                f"{', '.join(self._coordinates())}"
            )

    @cached_property
    def _line(self) -> tuple[np.ndarray, np.ndarray]:
        (ri, *_), (rj, *_) = self._ends
        d = ri - rj
        size = np.linalg.norm(d, axis=1)
        return size, d / np.where(size > 0, size, 1.0)[:, None]

    @property
    def length(self) -> xr.DataArray:
        """Distance between the markers, dims (time)."""
        self._need(False, "length")
        return self._scalar(self._line[0], "length", "length")

    @property
    def length_rate(self) -> xr.DataArray:
        """Rate of `length`, dims (time)."""
        self._need(False, "length_rate")
        (_, _, vi, *_), (_, _, vj, *_) = self._ends
        return self._scalar(((vi - vj) * self._line[1]).sum(axis=1), "velocity", "length_rate")

    @property
    def line_force(self) -> xr.DataArray:
        """Force along the line of the markers: positive in compression of the spring (it pushes the markers apart),
        negative in tension; dims (time)."""
        self._need(False, "line_force")
        force = self.run.data.force_force[:, self._index]
        return self._scalar((force * self._line[1]).sum(axis=1), "force", "line_force")

    @property
    def angle(self) -> xr.DataArray:
        """Angle of I about z of J, including full turns, dims (time)."""
        self._need(True, "angle")
        return self._scalar(self._turn[0], "angle", "angle")

    @property
    def angular_velocity(self) -> xr.DataArray:
        """Rate of `angle`, dims (time)."""
        self._need(True, "angular_velocity")
        return self._scalar(self._turn[1], "angular_velocity", "angular_velocity")

    @property
    def axial_torque(self) -> xr.DataArray:
        """Torque on I about z of J, dims (time)."""
        self._need(True, "axial_torque")
        torque = self.run.data.force_torque[:, self._index]
        return self._scalar((torque * self._ends[1][1][:, :, 2]).sum(axis=1), "torque", "axial_torque")

    def _coordinates(self) -> tuple[str, ...]:
        return (
            ("angle", "angular_velocity", "axial_torque") if self._torsion else ("length", "length_rate", "line_force")
        )


def joint(run: Run, reference: Any) -> JointView:
    """Angle, travel, their rates, and reaction of a joint (or any constraint: see `constraint`); an id is that of a
    JOINT."""
    return JointView(run, "constraint", run._find("constraints", reference, prefer="JOINT"))


def motion(run: Run, reference: Any) -> MotionView:
    """Driven coordinate of a motion (`value`, `rate`), its force and torque, and its power; an id is that of a
    MOTION."""
    return MotionView(run, "constraint", run._find("constraints", reference, prefer="MOTION"))


def constraint(run: Run, reference: Any) -> PairView:
    """Reaction of any constraint; give ``"COUPLER/1"`` where an id alone is ambiguous."""
    key = run._find("constraints", reference)
    return {"JOINT": JointView, "MOTION": MotionView}.get(key[0], PairView)(run, "constraint", key)


def force(run: Run, reference: Any) -> PairView:
    """Force and torque of an applied force; give ``"BUSHING/1"`` where an id alone is ambiguous."""
    key = run._find("forces", reference)
    return {"SPRINGDAMPER": SpringView}.get(key[0], PairView)(run, "force", key)


def spring(run: Run, reference: Any) -> SpringView:
    """Length or angle, its rate and its force, of a spring-damper; an id is that of a SPRINGDAMPER."""
    key = run._find("forces", reference, prefer="SPRINGDAMPER")
    if key[0] != "SPRINGDAMPER":
        raise ModelError(f"{key[0]}/{key[1]} '{key[2]}' is not a spring-damper; run.force has its force and torque")
    return SpringView(run, "force", key)
