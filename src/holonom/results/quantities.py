"""A run as a flat list of named curves, for export, comparison and plots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np

from ..model import ModelError
from ..model.base import shown
from . import _rotation as rotation
from ._data import ENERGIES, EULER, XYZ, Key
from ._names import Named, suggestion
from .run import Run


@dataclass(frozen=True)
class Quantity(Named):
    """Curves of one quantity: ``values`` (nt, k), one column for each of ``components`` with a unit text in ``units``.

    ``name``: ``ROTOR.position``, ``HINGE.force``, ``REACH``, ``energy.total``; ``owner``: the element's key (None for
    energies and states); ``table``: part, constraint, force, contact, request, variable, state or energy;
    ``dimension``: as in `Units.symbol`, ``joule`` and ``watt`` in whatever units the model has, or None where the unit
    is only a text.
    """

    name: str
    owner: Key | None
    table: str
    components: tuple[str, ...]
    units: tuple[str, ...]
    dimension: str | None
    values: np.ndarray

    @property
    def labels(self) -> tuple[str, ...]:
        """Full names of the columns: ``ROTOR.position.x``."""
        return tuple(f"{self.name}.{c}" if c else self.name for c in self.components)


MOTION = (
    ("position", "body_position", "length"),
    ("velocity", "body_velocity", "velocity"),
    ("acceleration", "body_acceleration", "acceleration"),
    ("angular_velocity", "body_angular_velocity", "angular_velocity"),
    ("angular_acceleration", "body_angular_acceleration", "angular_acceleration"),
)


CONTACT = (
    ("force", XYZ, "force"),
    ("torque", XYZ, "torque"),
    ("point", XYZ, "length"),
    ("normal", ("",), "force"),
    ("friction", ("",), "force"),
    ("depth", ("",), "length"),
    ("rate", ("",), "velocity"),
    ("points", ("",), "none"),
)
#: coordinates of joints, motions and springs; ``value``, ``rate`` and ``effort`` of a motion are of either kind
DIMENSIONS = {
    "angle": "angle", "angular_velocity": "angular_velocity", "travel": "length", "speed": "velocity",
    "slide": "length",
    "slide_velocity": "velocity", "angles": "angle", "angle_rates": "angular_velocity", "length": "length",
    "length_rate": "velocity",
    "line_force": "force", "axial_torque": "torque", "power": "watt",
}  # fmt: skip


BODIES = 64  # of which derived values are computed at once
EITHER = ("angle", "length", "angular_velocity", "velocity", "torque", "force")


def _coordinates(run: Run, table: str, key: Key) -> dict:
    """Coordinates of a joint, motion or spring; none where the bodies were not recorded."""
    if table == "constraint" and key[0] not in ("JOINT", "MOTION") or table == "force" and key[0] != "SPRINGDAMPER":
        return {}
    if key[1] not in run.model.table(key[0]):
        return {}
    try:
        return (run.constraint if table == "constraint" else run.force)(f"{key[0]}/{key[1]}").coordinates()
    except ModelError:
        return {}


def quantities(
    run: Run, patterns: str | Iterable[str] | None = None, *, attitude: bool = True, momenta: bool = False
) -> list[Quantity]:
    """All curves of a run, or those whose name (``ROTOR.position``) fits one of the patterns (``*`` and ``?``, any
    case).

    ``attitude`` False omits quaternions and Euler angles; ``momenta`` adds angle rates and momenta of parts, which are
    derived quantities; patterns can also select them by name. Raises `ModelError` when a pattern matches nothing.
    """
    found = list(_walk(run, attitude, momenta or patterns is not None))
    return found if patterns is None else fitting(found, patterns)


def fitting(found: list[Quantity], patterns: str | Iterable[str]) -> list[Quantity]:
    """Those whose name or element (``ROTOR``) fits a pattern, in order; ModelError when a pattern fits none."""
    chosen: dict[str, Quantity] = {}
    if not hasattr(patterns, "__iter__") or not all(isinstance(p, str) for p in patterns):
        raise ModelError(f"quantities are {shown(patterns)}; give a name, as 'ROTOR.position', or a list of names")
    for pattern in [patterns] if isinstance(patterns, str) else patterns:
        low = pattern.lower()
        hits = [q for q in found if fnmatchcase(q.name.lower(), low) or q.name.lower().startswith(f"{low}.")]
        if not hits:
            raise ModelError(f"no quantity of this run fits '{pattern}'{suggestion(low, [q.name for q in found])}")
        chosen.update({q.name: q for q in hits})
    return list(chosen.values())


def _walk(run: Run, attitude: bool, momenta: bool):
    d = run.data
    names = _names(d.bodies + d.constraints + d.forces + d.contacts + d.requests + d.variables)
    unit = run.units

    def make(key, what, table, components, dimension, values):
        return Quantity(
            f"{names[key]}.{what}", key, table, components, (unit(dimension),) * len(components), dimension, values
        )

    for start in range(0, len(d.bodies), BODIES):
        block = slice(start, start + BODIES)
        turned = rotation.matrices(d.body_quaternion[:, block]) if attitude or momenta else None
        angles = rotation.euler313(turned) if attitude and turned is not None else None
        derived = _momenta(run, block, turned) if momenta and turned is not None else ()
        for n, key in enumerate(d.bodies[block]):
            k = start + n
            for what, array, dimension in MOTION:
                yield make(key, what, "part", XYZ, dimension, getattr(d, array)[:, k])
            if angles is not None:
                yield make(key, "quaternion", "part", ("e0", "e1", "e2", "e3"), "none", d.body_quaternion[:, k])
                yield make(key, "euler", "part", EULER, "angle", angles[:, n])
            for what, components, dimension, values in derived:
                yield make(key, what, "part", components, dimension, values[:, n])
    for table in ("constraint", "force"):
        for k, key in enumerate(getattr(d, f"{table}s")):
            for what in ("force", "torque"):
                yield make(key, what, table, XYZ, what, getattr(d, f"{table}_{what}")[:, k])
            for what, values in _coordinates(run, table, key).items():
                components = tuple(map(str, values[values.dims[1]].values)) if values.ndim > 1 else ("",)
                dimension = DIMENSIONS.get(what) or next(n for n in EITHER if unit(n) == values.attrs["units"])
                columns = values.values.reshape(len(run), len(components))
                units = (values.attrs["units"],) * len(components)
                yield Quantity(f"{names[key]}.{what}", key, table, components, units, dimension, columns)
    for k, key in enumerate(d.contacts):
        for what, components, dimension in CONTACT:
            values = getattr(d, f"contact_{what}")[:, k].reshape(len(run), len(components))
            yield make(key, what, "contact", components, dimension, values)
    for k, key in enumerate(d.requests):
        components, units = run.request_components(key)
        yield Quantity(names[key], key, "request", components, units, None, d.request_values[:, k])
    for k, key in enumerate(d.variables):
        yield Quantity(names[key], key, "variable", ("",), ("",), None, d.variable_values[:, k, None])
    for k, label in enumerate(d.states):
        yield Quantity(label, None, "state", ("",), ("",), None, d.state_values[:, k, None])
    if not np.isnan(d.energy_kinetic).all():
        for name in (*ENERGIES, "total", "dissipated", "input"):
            if name in run.energy:
                values = run.energy[name].values[:, None]
                yield Quantity(f"energy.{name}", None, "energy", ("",), ("J",), "joule", values)


def _momenta(run: Run, block: slice, turned: np.ndarray) -> list[tuple[str, tuple[str, ...], str, np.ndarray]]:
    """(name, components, dimension, values (nt, bodies, 3)) of what follows from motion and mass of some bodies;
    ``turned``: their axes."""
    d = run.data
    keys, w = d.bodies[block], d.body_angular_velocity[:, block]
    masses, tensors = map(np.array, zip(*(run._mass(key) for key in keys)))
    spin = rotation.angular_momenta(turned, tensors, w)
    flexible = {e.part for e in run.model.table("FLEXIBILITY").values() if e.active}
    for n, (kind, number, _) in enumerate(keys):
        if kind == "PART" and number in flexible:  # modes have momentum too
            spin[:, n] = run.part(f"{kind}/{number}")._spin()
    return [
        ("euler_rates", EULER, "angular_velocity", rotation.euler313_rates(turned, w)),
        ("momentum", XYZ, "momentum", masses[:, None] * d.body_velocity[:, block]),
        ("angular_momentum", XYZ, "angular_momentum", spin),
        ("euler_momenta", EULER, "angular_momentum", rotation.along_euler_axes(turned, spin)),
    ]


def _names(keys: list[Key]) -> dict[Key, str]:
    """A name for each element that no other has: ``NAME`` or ``KIND/id`` where it is shared."""
    count = Counter(key[2].lower() for key in keys)
    return {k: k[2] if count[k[2].lower()] == 1 else f"{k[2]} ({k[0]}/{k[1]})" for k in keys}
