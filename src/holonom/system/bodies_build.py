"""From the drawing to its numbers: bodies and their states, and frames on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..elements.absolute import ABSOLUTE_ELEMENTS, NAMES
from ..elements.absolute.lumping import lumped, unity
from ..elements.absolute.section_laws import faults as law_faults
from ..elements.bodies import layout
from ..elements.bodies.absolute import ACCEPTING
from ..elements.bodies.carrier import make_carriers
from ..elements.bodies.coordinates import rotations
from ..elements.bodies.mesh_tables import make_meshes, stacked
from ..elements.bodies.modes import make_modes
from ..elements.bodies.tables import body_tables
from ..model import Model, ModelError
from ..model.bodies import NODES
from ..model.dummies import inertia_of, mass_of
from ..model.orientation import Frame, to_quaternion
from .bulk import BodyElements, enter_bodies, number_grains, principal
from .names import no_marker


class Bodies:
    """Bodies and frames of a `build.System`."""

    if TYPE_CHECKING:  # what System provides
        model: Model
        rigid: bool
        nb: int
        frame_list: list[tuple[int, np.ndarray, np.ndarray]]
        watched_frames: set[int]
        _marker_frame: dict[int, int]
        _watching: bool

    def _build_bodies(self) -> None:
        model = self.model
        factor = model.units.mass_factor
        self.body_elements: list[Any] = [p for p in model.parts.values() if not p.ground and p.active]
        self.body_elements += [p for p in model.table("POINT_MASS").values() if p.active]
        self.node_elements = [e for e in model.nodes() if e.active]
        self.body_elements += self.node_elements
        #: grains are numbered after all other bodies: see `bulk`
        self.grains = number_grains(model, len(self.body_elements))
        self.parts = len(self.body_elements)  # bodies with an element of their own
        self.nb = n = self.parts + sum(map(len, self.grains))
        self.body_index: dict[tuple[str, int], int] = {(e.KIND, e.id): k for k, e in enumerate(self.body_elements)}
        for part in model.parts.values():
            if part.ground:
                self.body_index["PART", part.id] = n
        own = Frame.identity()
        self.local = [own] * self.parts  # principal frame in the body's own axes
        for g in self.grains:
            self.local += [principal(g.element)] * len(g)
        self.local.append(own)
        mass, J = np.zeros(n), np.ones((n, 3))
        Minv, rotates = np.zeros((n + 1, layout.MOVES)), np.zeros(n + 1, np.uint8)
        y = np.zeros(layout.end(n))
        layout.rows(y, n + 1)[:, layout.QUATERNION.start] = 1.0
        for k, body in enumerate(self.body_elements):
            if body.KIND == "MESH_POINT":
                frame = model.body_frame(body)
                J[k], rotates[k] = 0.0, 1
                self.local[k] = own
                state = layout.body(y, k)
                state[layout.PLACE], state[layout.QUATERNION] = frame.origin, to_quaternion(frame.axes)
                continue
            if body.KIND in NODES:
                carrier = self._carrier(body)
                J[k], rotates[k] = 0.0, 1
                part = self.body_elements[carrier]
                self.local[k] = Frame(
                    np.zeros(3), model.body_frame(body).axes.T @ part.frame.axes @ self.local[carrier].axes
                )
                layout.body(y, k)[:] = layout.body(y, carrier)
                continue
            mass[k] = mass_of(model, body) * factor
            cm = model.markers.get(body.cm) if body.cm is not None else None
            place = cm.frame if cm is not None else Frame.identity()
            if body.KIND == "PART":
                tensor, axes = inertia_of(model, body)
                values, vectors = _principal(tensor * factor)
                J[k] = values
                axes = axes @ vectors
                rotates[k] = 1
                Minv[k, layout.TURN] = 1.0 / values
            else:
                axes = place.axes
            Minv[k, layout.TRAVEL] = 1.0 / mass[k]
            self.local[k] = Frame(place.origin, axes)
            world = body.frame @ self.local[k]
            state = layout.body(y, k)
            state[layout.PLACE], state[layout.QUATERNION] = world.origin, to_quaternion(world.axes)
            self._initial_velocity(y, k, body, place)
        for g in self.grains:
            enter_bodies(g, factor, mass, J, Minv, rotates, y)
        carriers, tail, Minv, y = self._carriers(Minv, y)
        self.body_elements = BodyElements(self.body_elements, self.grains)
        self.bodies = body_tables(mass, J, Minv, np.array(model.gravity, float), rotates, len(tail), carriers)
        if len(self.bodies.coupled):
            rotations(self.bodies, y, np.zeros((n + 1, 9)))  # nodes find their positions
        self.y_bodies = y

    def _carriers(self, Minv, y):
        """Table of the parts in which masses slide (`elements.bodies.carrier`), the elements of the tail, and inverse
        masses and state with it."""
        model, M = self.model, layout.MOVES
        slide: dict[int, list] = {}
        for e in model.table("SLIDING_MASS").values():
            if e.active:
                slide.setdefault(self._carrier(e), []).append(e)
        bend = {self.body_index["PART", e.part]: e for e in model.table("FLEXIBILITY").values() if e.active}
        tail: list[Any] = []
        at, ptr, body = [], [0], sorted({*slide, *bend})
        #: of each coordinate of the tail its number among those of its element, from zero
        self.tail_numbers: list[int] = []
        for b in body:
            at.append(len(tail))
            own = [(e, 0) for e in slide.get(b, [])] + [(bend[b], k) for k in range(bend[b].modes if b in bend else 0)]
            own += [(None, 0)] * (-len(own) % M)
            tail += [e for e, _ in own]
            self.tail_numbers += [k for _, k in own]
            ptr.append(ptr[-1] + sum(e is not None for e, _ in own))
        meshes, begin = [e for e in model.table("ABSOLUTE_MESH").values() if e.active], [len(tail)]
        for e in meshes:
            count = len(e.places)
            tail += [e] * count + [None] * (-count % M)
            self.tail_numbers += [*range(count), *[0] * (-count % M)]
            begin.append(len(tail))
        #: elements of the coordinates of the tail, None where it is filled up
        self.tail = tail
        hard = next((e for e in tail if e is not None and e.KIND != "FLEXIBILITY"), None) if self.rigid else None
        if hard is not None:
            raise hard.error(
                "meshes in absolute coordinates, and masses that slide in parts, are not supported where "
                "contacts are rigid; "
                "use laws for them (leave contact = ... out)"
            )
        #: positions in the tail that are coordinates, and of them those of masses and of modes
        self.coordinates = np.array([k for k, e in enumerate(tail) if e is not None], np.int64)
        self.sliding = np.array([k for k, e in enumerate(tail) if e is not None and e.KIND == "SLIDING_MASS"], np.int64)
        self.modal = np.array([k for k, e in enumerate(tail) if e is not None and e.KIND == "FLEXIBILITY"], np.int64)
        if not tail:
            return None, tail, Minv, y
        lines = []
        for b in body:
            for e in slide.get(b, []):
                local, line = self.local[b], model.markers[e.marker].frame
                line = Frame(local.axes.T @ (line.origin - local.origin), local.axes.T @ line.axes)
                lines.append(
                    (e.mass * model.units.mass_factor, line.origin, line.axes[:, 2], e.stiffness, e.damping, e.length)
                )
            if b in bend:
                e, none = bend[b], np.zeros(3)
                lines += [(1.0, none, none, w * w, 2.0 * ratio * w, 0.0) for w, ratio in zip(e.frequency, e.damping)]
        masses = [len(slide.get(b, [])) for b in body]
        nodes, modes = self._modes(body, masses, bend)
        for e in self.node_elements:
            if e.KIND == "SLIDING_MASS":
                b = self._carrier(e)
                nodes.append((self.body_index["SLIDING_MASS", e.id], body.index(b), slide[b].index(e)))
        columns = (np.array(c) for c in zip(*lines)) if lines else (np.zeros(n) for n in (0, (0, 3), (0, 3), 0, 0, 0))
        table, points = self._meshes(meshes, begin) if meshes else (None, [])
        table = make_carriers(
            body, at, ptr, masses, tuple(columns), sorted(nodes), self.nb + 1, modes, table, points, len(tail)
        )
        Minv = np.concatenate([Minv, np.zeros((len(tail) // M, M))])
        Minv[body] = 0.0
        own = {"SLIDING_MASS": ("travel", "speed"), "FLEXIBILITY": ("q", "speed"), "ABSOLUTE_MESH": ("places", "rates")}

        def start(which):
            for e, k in zip(tail, self.tail_numbers):
                value = 0.0 if e is None else getattr(e, own[e.KIND][which])
                yield (
                    value
                    if isinstance(value, float)
                    else float(value[k])
                    if isinstance(value, tuple) and value
                    else float(value or 0.0)
                )

        return table, tail, Minv, np.concatenate([y, list(start(0)), list(start(1))])

    def _meshes(self, meshes: list, begin: list[int]):
        """Table of meshes in absolute coordinates (`elements.bodies.absolute`), and the bodies of their points."""
        held = np.ones(begin[-1] - begin[0], bool)
        data: list = [[] for _ in ABSOLUTE_ELEMENTS]
        nodes: list = [[] for _ in ABSOLUTE_ELEMENTS]
        masses: list = [[] for _ in ABSOLUTE_ELEMENTS]
        for e, at in zip(meshes, begin):
            if e.element not in NAMES:
                raise e.error(f"there are no elements of the kind '{e.element}'; choose one of {', '.join(NAMES)}")
            k = NAMES.index(e.element)
            kind = ABSOLUTE_ELEMENTS[k]
            cells, numbers = np.array(e.cells, np.int64), np.array(e.properties, float)
            if (
                e.width != kind.PER_NODE
                or len(cells) % kind.NODES
                or len(numbers) * kind.NODES != len(cells) * len(kind.PROPERTIES)
            ):
                raise e.error(
                    f"elements of the kind '{e.element}' have {kind.NODES} nodes of {kind.PER_NODE} coordinates and "
                    f"{len(kind.PROPERTIES)} properties "
                    f"({', '.join(kind.PROPERTIES)}); cells, properties or width do not fit"
                )
            cells, numbers = cells.reshape(-1, kind.NODES), e.element_parameters(kind.NODES)
            wrong = (
                law_faults(e.law)
                if k in ACCEPTING or not e.law
                else f"elements of the kind '{e.element}' take none; leave it out"
            )
            if wrong:
                raise e.error(f"the law of its sections: {wrong}")
            q0 = np.array(e.places, float).reshape(-1, e.width)[cells].reshape(len(cells), -1)
            data[k].append(kind.rows(q0, numbers, e.unit))
            own = kind.masses(q0, numbers, e.unit) * self.model.units.mass_factor
            own = lumped(own, unity(kind, len(own))) if e.lumped else own
            if not (np.all(np.isfinite(own)) and np.linalg.eigvalsh(own).min(axis=1).min() > 0.0):
                raise e.error("the mass of an element is not positive; give positive lengths and densities")
            masses[k].append(own)
            nodes[k].append(at + e.width * cells)
            free = np.ones((len(e.places) // 3, 3), bool)
            free[:, list(e.held)] = False
            held[at - begin[0] :][: len(e.places)] = ~free.ravel()
        blocks = [(stacked(d), np.concatenate(n)) if d else None for d, n in zip(data, nodes)]
        joined = [np.concatenate(m) if m else None for m in masses]
        which = {e.id: k for k, e in enumerate(meshes)}
        points, bodies = [], []
        for e in self.node_elements:
            if e.KIND == "MESH_POINT":
                k = which[e.mesh]
                bodies.append(self.body_index["MESH_POINT", e.id])
                own = begin[k] + 3 * np.array(e.vector_indices(meshes[k]), np.int64)
                points.append((k, own, e.place, e.slope, e.side, e.normal, e.axes, self.model.body_frame(e).axes))
        return make_meshes(begin, held, blocks, joined, points), bodies

    def _carrier(self, e) -> int:
        """Body to which a mass that slides, or an attachment, belongs."""
        model = self.model
        if e.KIND == "SLIDING_MASS":
            return self.body_of(model.markers[e.marker])
        return self.body_index["PART", model.table("FLEXIBILITY")[e.flexibility].part]

    def _modes(self, body: list[int], masses: list[int], bend: dict[int, Any]):
        """Attachments among nodes, and tables of modes in the principal axes of their bodies (`elements.bodies.modes`),
        None without flexible bodies."""
        if not bend:
            return [], None
        nodes: list[tuple[int, int, int]] = []
        places: list[np.ndarray] = []
        shapes, bends = [], []
        for e in self.node_elements:
            if e.KIND == "ATTACHMENT":
                b = self._carrier(e)
                local = self.local[b]
                place, shape, second = bend[b].shape(e.node)
                nodes.append((self.body_index["ATTACHMENT", e.id], body.index(b), -1 - len(places)))
                places.append(local.axes.T @ (place - local.origin))
                shapes.append(np.vstack([local.axes.T @ shape[:3], local.axes.T @ shape[3:]]))
                bends.append(None if second is None else np.einsum("ai,ajk->ijk", local.axes, second))
        S, H = [], []
        for b in body:
            tables = bend[b].tables if b in bend else (np.zeros((1, 1, 3, 3)), np.zeros((1, 1, 3)))
            A = self.local[b].axes
            S.append(np.einsum("ai,kjab,bl->kjil", A, tables[0], A))
            H.append(tables[1] @ A)
        count = [bend[b].modes if b in bend else 0 for b in body]
        return nodes, make_modes(count, masses, S, H, places, shapes, bends)

    def _initial_velocity(self, y, k, body, place: Frame) -> None:
        v = np.array([body.vx or 0.0, body.vy or 0.0, body.vz or 0.0])
        if body.vm is not None:
            v = self.design_axes(body.vm) @ v
        layout.body(y, k)[layout.VELOCITY] = v
        if body.KIND == "PART":
            w = np.array([body.wx or 0.0, body.wy or 0.0, body.wz or 0.0])
            axes = self.design_axes(body.wm) if body.wm is not None else body.frame.axes @ place.axes
            layout.body(y, k)[layout.SPIN] = (body.frame.axes @ self.local[k].axes).T @ (axes @ w)

    def design_axes(self, marker_id: int) -> np.ndarray:
        """Axes of a marker in ground, as drawn."""
        marker = self.model.markers[marker_id]
        return self.model.body_frame(marker).axes @ marker.frame.axes

    # ---- frames ---------------------------------------------------------------------------------------------------
    def _add_frame(self, body: int, origin, axes) -> int:
        self.frame_list.append((body, np.asarray(origin, float), np.asarray(axes, float)))
        return len(self.frame_list) - 1

    def frame(self, marker_id: int) -> int:
        """Index of the frame of a marker (0, the ground frame, for id 0)."""
        if marker_id == 0:
            return 0
        if self._watching and marker_id in self._marker_frame:
            self.watched_frames.add(self._marker_frame[marker_id])
        if marker_id not in self._marker_frame:
            marker = self.model.markers.get(marker_id)
            if marker is None:
                raise ModelError(no_marker(self.model, marker_id))
            if marker.floating:
                raise marker.error("a floating marker has no position of its own here; use the marker that it follows")
            self._marker_frame[marker_id] = self.frame_on(self.body_of(marker), marker.frame)
        return self._marker_frame[marker_id]

    def body_of(self, marker) -> int:
        key = (marker.body_kind, marker.part)
        if key not in self.body_index:
            body = self.model.body_of(marker)
            raise marker.error(f"its body {body.label} is not active or cannot move in this version")
        return self.body_index[key]

    def frame_on(self, body: int, place: Frame) -> int:
        """New frame at ``place``, given in the body's own axes."""
        local = self.local[body]
        return self._add_frame(body, local.axes.T @ (place.origin - local.origin), local.axes.T @ place.axes)

    def design(self, frame: int) -> Frame:
        """A frame in ground at the state y_bodies."""
        body, s, A = self.frame_list[frame]
        return self.body_frame(self.y_bodies, body) @ Frame(s, A)

    def body_frame(self, y, body: int) -> Frame:
        from ..model.orientation import from_quaternion

        state = layout.body(y, body)
        return Frame(np.array(state[layout.PLACE]), from_quaternion(state[layout.QUATERNION]))


def _principal(tensor: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Principal moments and right-handed axes; the given axes are kept when the products vanish."""
    off = abs(tensor[0, 1]) + abs(tensor[0, 2]) + abs(tensor[1, 2])
    if off <= 1e-15 * np.trace(tensor):
        return np.diag(tensor).copy(), np.eye(3)
    values, vectors = np.linalg.eigh(tensor)
    if np.linalg.det(vectors) < 0:
        vectors[:, 0] *= -1
    return values, vectors
