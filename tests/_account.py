"""All that a builder made, read back: for each part its mass, centre, inertia and velocity in the global frame; for
every other element the parts, positions and axes of its markers in the global frame, and its numbers; texts evaluated
at a state of motion where all parts move.

Nothing runs, and nothing here knows a builder.  `account` gives {"KIND name": {field: value}}.
"""

import dataclasses
import math
import zlib

import numpy as np

from _built import Built
from holonom.expressions.nodes import Name, to_text
from holonom.model.bodies import central_inertia
from holonom.model.shape import carrier_of, shape_of

#: fields that say how something is drawn, named or run, and none that a mechanism has
PLAIN = {"id", "name", "source", "title", "comment", "color", "ENTITY"}
#: parts and markers are read on their own; pictures are not read
OWN = {"PART", "MARKER", "GRAPHICS"}


def chance(text, size=1):
    """Numbers in (-1, 1) that a text names: the same everywhere, different for each text."""
    return np.random.default_rng(zlib.crc32(text.encode())).uniform(-1.0, 1.0, size)


def given(name):
    """The value of an input that has none."""
    return float(chance(f"input {name}")[0])


class Moving(Built):
    """A model where each part is moved by a small displacement and rotation, has a velocity and an angular velocity:
    all of them pseudo-random, by the name of the part.  Measures follow from the geometry; ``length`` is the size of
    the displacements."""

    def __init__(self, model, length=1e-3, time=0.37, **state):
        super().__init__(model, TIME=time, **state)
        self.length = length

    def _motion(self, body):
        """Displacement, rotation vector, velocity, angular velocity of a body, and the point that they are of."""
        if getattr(body, "ground", False):
            return np.zeros((4, 3))
        numbers = chance(f"{body.KIND} {body.name}", 12).reshape(4, 3)
        return numbers * np.array([[self.length], [1e-3], [10.0 * self.length], [3.0]])

    def _marker(self, marker):
        """Position, axes, velocity and angular velocity of a marker."""
        m = self.model.table("MARKER")[int(marker)]
        body = self.model.body_of(m)
        frame = self.model.body_frame(body)
        at = frame @ m.frame
        u, turn, v, w = self._motion(body)
        arm = at.origin - frame.origin
        R = rotation(turn)
        return frame.origin + u + R @ arm, R @ at.axes, v + np.cross(w, R @ arm), w

    def _read(self, node):
        if isinstance(node, Name):
            return self.state.get(node.name, 0.0) if node.name in ("TIME", "MODE") else super()._read(node)
        name = node.name
        if name in ("VARVAL", "DIF"):
            found = super()._read(node)
            if name == "DIF":
                return found or float(chance(to_text(node))[0])
            e = self.model.table("VARIABLE")[int(float(to_text(node.args[0])))]
            return found if found or not e.input else given(e.name)
        args = [float(to_text(a)) for a in node.args]
        markers = self.model.table("MARKER")
        if name in MEASURES and all(a == 0 or int(a) in markers for a in args):
            return self._measure(name, args)
        return float(chance(name + " ".join(self._word(a) for a in args))[0])

    def _word(self, number):
        markers = self.model.table("MARKER")
        return self.owner(number) if int(number) in markers else ""

    def _measure(self, name, args):
        still = (np.zeros(3), np.eye(3), np.zeros(3), np.zeros(3))
        i, j, along = ([self._marker(a) if a else still for a in args] + [still] * 3)[:3]
        if len(args) == 2 and name[0] in "DVW":  # axes of J only where a third is given
            along = still
        d, v, w = i[0] - j[0], i[2] - j[2], i[3] - j[3]
        axis = "XYZ".find(name[-1])
        if name == "DM":
            return float(np.linalg.norm(d))
        if name == "VM":
            return float(np.linalg.norm(v))
        if name == "VR":
            return float(d @ v / np.linalg.norm(d))
        if name == "WM":
            return float(np.linalg.norm(w))
        if name[0] in "DVW":
            return float({"D": d, "V": v, "W": w}[name[0]] @ along[1][:, axis])
        R = j[1].T @ i[1]
        return {
            "AX": math.atan2(-R[1, 2], R[2, 2]),
            "AY": math.atan2(R[0, 2], R[0, 0]),
            "AZ": math.atan2(R[1, 0], R[1, 1]),
        }[name]


MEASURES = {f"{w}{a}" for w in "DVWA" for a in "XYZ"} | {"DM", "VM", "VR", "WM"}


def rotation(turn):
    """Of a rotation vector."""
    angle = np.linalg.norm(turn)
    if angle == 0.0:
        return np.eye(3)
    x, y, z = turn / angle
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + math.sin(angle) * K + (1.0 - math.cos(angle)) * K @ K


def part_account(m, part):
    """Mass, centre, inertia about it (xx, yy, zz, xy, xz, yz entries of the tensor) and velocities in ground."""
    frame, markers = m.body_frame(part), m.table("MARKER")
    out = {}
    if part.ground:
        return out
    out["origin"] = frame.origin  # of the axes of the body, which no drawing needs to name
    out["mass"] = part.mass or 0.0
    cm = frame @ markers[part.cm].frame if part.cm in markers else frame
    out["centre"] = cm.origin
    J, axes = central_inertia(m, part)
    T = frame.axes @ axes @ J @ axes.T @ frame.axes.T
    out["inertia"] = np.array([T[0, 0], T[1, 1], T[2, 2], T[0, 1], T[0, 2], T[1, 2]])
    for word, values, names in (
        ("velocity", (part.vx, part.vy, part.vz), "vm"),
        ("angular velocity", (part.wx, part.wy, part.wz), "wm"),
    ):
        if any(v is not None for v in values):
            told = np.array([0.0 if v is None else v for v in values])
            axes = cm.axes if names == "wm" else np.eye(3)
            if getattr(part, names) is not None:
                marker = markers[getattr(part, names)]
                axes = m.body_frame(marker).axes @ marker.frame.axes
            out[word] = axes @ told
    return out


def _value(moving, e, name, value):
    """Of a field: a number, an array, a text evaluated, or None where it says nothing."""
    if value is None or isinstance(value, bool) and not value:
        return None
    if isinstance(value, (bool, int, float)):
        return float(value)
    if isinstance(value, str):
        if not value:
            return None
        if value.isidentifier() and value != "TIME":  # a word, no function
            return value
        try:
            return moving.value(value)
        except Exception:
            return value
    if isinstance(value, dict):
        return {k: _value(moving, e, name, v) for k, v in value.items()}
    if isinstance(value, (tuple, list, np.ndarray)):
        if len(value) == 0:
            return None
        try:
            return np.asarray(value, float)
        except (TypeError, ValueError):
            return [_value(moving, e, name, v) for v in value]
    if dataclasses.is_dataclass(value):
        return {f.name: _value(moving, e, name, getattr(value, f.name)) for f in dataclasses.fields(value)}
    return str(value)


def same(one, other):
    """Whether a field has its default, which says nothing."""
    return type(one) is type(other) and not isinstance(one, np.ndarray) and one == other


def shape_account(m, graphic):
    """Of what touches: its part, where it is in ground, its type and its sizes."""
    solid = shape_of(m, graphic)
    at = m.body_frame(carrier_of(m, graphic)) @ solid.frame
    out = {"part": carrier_of(m, graphic).name, "shape": solid.kind, "at": at.origin, "axes": at.axes}
    if len(solid.par):
        out["sizes"] = np.asarray(solid.par, float)
    if solid.profile is not None:
        out["points"], out["bulge"] = solid.profile.points, solid.profile.bulge
    return out


def element_account(m, e, moving):
    out, markers = {}, m.table("MARKER")
    references = getattr(e, "REFERENCES", {})
    for f in dataclasses.fields(e):
        value = getattr(e, f.name)
        default = f.default_factory() if f.default_factory is not dataclasses.MISSING else f.default
        if f.name in PLAIN or f.name.startswith("_") or f.name != "type" and same(value, default):
            continue
        if f.name in ("igeom", "jgeom"):
            out[f.name] = [shape_account(m, m.table("GRAPHICS")[n]) for n in value]
            continue
        if f.name in getattr(e, "WORDS", {}):
            out[f.name] = value
            continue
        kind = references.get(f.name)
        if kind and value is not None:
            ids = value if isinstance(value, (tuple, list)) else [value]
            for k, number in enumerate(ids):
                word = f.name if len(ids) == 1 else f"{f.name} {k + 1}"
                if kind == "MARKER" and number in markers:
                    body = m.body_of(markers[number])
                    at = m.body_frame(body) @ markers[number].frame
                    out[word] = body.name
                    out[f"{word} at"] = at.origin
                    out[f"{word} axes"] = at.axes
                elif isinstance(kind, str) and number in m.table(kind):
                    out[word] = m.table(kind)[number].name
            continue
        found = _value(moving, e, f.name, value)
        if found is not None:
            out[f.name] = found
    return out


def account(m, **state):
    """{"KIND name": {field: value}} of a model."""
    moving = Moving(m, **state)
    out = {}
    if any(m.gravity):
        out["GRAVITY of the model"] = {"g": np.asarray(m.gravity, float)}
    for e in m:
        if e.KIND in OWN - {"PART"}:
            continue
        word = f"{e.KIND} {e.name}"
        assert word not in out, word
        out[word] = part_account(m, e) if e.KIND == "PART" else element_account(m, e, moving)
    return out


#: axes of ground
LEVEL = np.eye(3)


def turned_to(z, x=None):
    """Axes (columns) whose z axis lies along ``z``; without ``x`` only that one is compared."""
    z = np.asarray(z, float) / np.linalg.norm(z)
    if x is None:
        return z
    x = np.asarray(x, float) - (z @ x) * z
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def body(mass, centre, inertia=(0.0, 0.0, 0.0), velocity=None, spin=None):
    """Of a part: ``inertia`` has three or six entries."""
    out = {"mass": mass, "centre": centre, "inertia": [*inertia, 0.0, 0.0, 0.0][:6]}
    if velocity is not None:
        out["velocity"] = velocity
    if spin is not None:
        out["angular velocity"] = spin
    return out


def pair(i, j, at, axes=LEVEL, at_j=None, axes_j=None, **fields):
    """Of an element between markers I and J, which coincide unless others are given for J."""
    out = {"i": i, "i at": at, "i axes": axes, "j": j, "j at": at if at_j is None else at_j}
    return {**out, "j axes": axes if axes_j is None else axes_j, **fields}


def _differences(where, got, drawn, rel):
    """Sentences, one for each number that is another one."""
    if drawn is None:  # left open
        return []
    if isinstance(drawn, str) or isinstance(got, str):
        return [] if got == drawn else [f"{where}: {got} for {drawn}"]
    if isinstance(drawn, list) and drawn and isinstance(drawn[0], dict):
        if len(got) != len(drawn):
            return [f"{where}: {len(got)} for {len(drawn)}"]
        return [d for k, (a, b) in enumerate(zip(got, drawn)) for d in _differences(f"{where} {k + 1}", a, b, rel)]
    if isinstance(drawn, dict):
        out = [f"{where}: {k} is not drawn, {got[k]}" for k in got if k not in drawn]
        out += [f"{where}: {k} is not there, {drawn[k]}" for k in drawn if k not in got and drawn[k] is not None]
        return out + [d for k in drawn if k in got for d in _differences(f"{where}, {k}", got[k], drawn[k], rel)]
    got, drawn = np.asarray(got, float), np.asarray(drawn, float)
    if where.endswith("axes") and drawn.shape == (3,):
        got, drawn = got[:, 2], drawn / np.linalg.norm(drawn)
    if got.shape != drawn.shape:
        return [f"{where}: {got.tolist()} for {drawn.tolist()}"]
    size = max(np.abs(drawn).max(), 1.0 if where.endswith(("axes", " at", "centre")) else 0.0) if drawn.size else 0.0
    close = np.allclose(got, drawn, rtol=rel, atol=rel * size)
    return [] if close else [f"{where}: {got.tolist()} for {drawn.tolist()}"]


#: fields that follow from others, which no drawing needs to name
FREE = {"origin": None, "jfloat at": None, "jfloat axes": None}


def differences(found, drawn, rel=1e-9):
    """Where elements or fields of a model are not those of a drawing; None in a drawing: a field may be anything."""
    found = {word: fields for word, fields in found.items() if word != "PART ground"}
    out = [f"{word} is not drawn" for word in found if word not in drawn]
    out += [f"{word} is not made" for word in drawn if word not in found]
    both = [word for word in drawn if word in found and drawn[word] is not None]
    return out + [d for word in both for d in _differences(word, found[word], {**FREE, **drawn[word]}, rel)]


X, Y, Z = np.eye(3)
ZERO = np.zeros(3)


class Drawings(list):
    """(name, what builds a model and has values of states, what draws it, how close) of each drawing; `of` notes a
    function that draws what ``build`` makes of ``given``: it gets the account of the model as well."""

    def of(self, build, _rel=1e-9, **given):
        def note(draw):
            self.append((draw.__name__, made, lambda found: draw(found, **given), _rel))
            return draw

        def made():
            model = build(**given)
            return model if isinstance(model, tuple) else (model, {})

        return note


def moved(found, part, name="PART", length=1e-3):
    """Displacement, rotation, velocity and angular velocity that `_account.Moving` gives a part."""
    return chance(f"{name} {part}", 12).reshape(4, 3) * np.array([[length], [1e-3], [10.0 * length], [3.0]])


def point(found, part, at, length=1e-3):
    """Position and velocity of a point of a part in that motion."""
    if part == "ground":
        return np.asarray(at, float), ZERO, ZERO, LEVEL
    u, turn, v, w = moved(found, part, length=length)
    origin = np.asarray(found[f"PART {part}"]["origin"], float)
    R = rotation(turn)
    arm = R @ (np.asarray(at, float) - origin)
    return origin + u + arm, v + np.cross(w, arm), w, R


def smooth(x):
    """STEP between 0 and 1."""
    x = min(max(x, 0.0), 1.0)
    return x * x * (3.0 - 2.0 * x)


def pair_of(part, at, other="ground", axis=Z, **more):
    return pair(part, other, at, axis, type="REVOLUTE", **more)


def braked(part, at, torque, axis=Z):
    return pair(part, "ground", at, axis, kind="ROTATIONAL", actiononly=True, function=torque)


def spin(found, part, frame="ground"):
    return point(found, part, ZERO)[2] - point(found, frame, ZERO)[2]


def written(found, digits=6):
    """As lines, to be read."""
    lines = []
    for word, fields in found.items():
        lines.append(word)
        for name, value in fields.items():
            if isinstance(value, np.ndarray):
                value = np.array2string(value.ravel(), precision=digits, max_line_width=200)
            elif isinstance(value, float):
                value = f"{value:.{digits + 2}g}"
            lines.append(f"    {name}: {value}")
    return "\n".join(lines)
