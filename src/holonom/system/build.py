"""From the drawing to its numbers: numbering of bodies, frames, rows, forces, states, and the patterns of the
matrices."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from ..elements.absolute import ABSOLUTE_ELEMENTS, NAMES
from ..elements.absolute.lumping import lumped
from ..elements.absolute.section_laws import faults as law_faults
from ..elements.bodies import layout
from ..elements.bodies.absolute import ACCEPTING, make_meshes, remembering, stacked
from ..elements.bodies.carrier import make_carriers, with_room
from ..elements.bodies.coordinates import rotations
from ..elements.bodies.modes import make_modes
from ..elements.bodies.tables import body_tables
from ..elements.frames import make_displaced, make_frames
from ..elements.joints import JOINTS
from ..elements.joints.composition import dot
from ..elements.joints.curves import PAIR_WORK
from ..elements.joints.rows import ANGLE, CURVE, DISTANCE, DOT2, ELEVATION, FUNCTION, SUM, Rows, RowWork
from ..expressions import Curve as CurveTable
from ..expressions import CurveError, ProgramSet, compile_expression, pack_curves
from ..model import Model, ModelError
from ..model.base import MissingParts
from ..model.bodies import NODES
from ..model.data_files import matrix_values
from ..model.dummies import inertia_of, mass_of
from ..model.joint_facts import choice, facts
from ..model.orientation import Frame, axes_from, to_quaternion
from .bulk import BodyElements, enter_bodies, number_grains, principal
from .equations import CURVE_ROW, UNEVEN, ConstraintInfo, Equations, RowInfo
from .flags import FLAGS
from .kernels import GEOMETRY, MASSES, MIXED, TREE, Tables, Work
from .names import TimeResolver, inline_sensors, inline_variables, no_marker, read_function
from .parts import connect, no_parts
from .reactions import Wrenches
from .workspace import Workspace

# a body whose joints lie nearer to its centre than this share of the largest such distance counts as one of that size
SLIMMEST = 1e-2
HELD = 1e12  # masses and inertias that differ by more than this may leave pivots without a digit
EVEN = 10.0  # masses and inertias, for the sizes of their bodies, that differ by less than this fool no pivot
ACROSS = 1e-6  # cosine of an angle that counts as right
STIFF = 1e-3  # how far a mode goes, of what a body goes, where bodies are put together


INITIAL, INITIAL_RATES = "all", "rates"  # rows of initial conditions that a system has


class System:
    """Numbers of a model: tables for the kernels, and how results find their way back to names.

    A system is a value: once it is built no attribute can be set, and what a run makes for it is in its
    ``workspace`` (`system.workspace`). Arrays of tables keep their positions, since kernels hold their addresses; of
    these only the frames of elements that hold what they find
    (`analyses.holding`) and branches of angles change in a run.

    Arguments. ``missing``: "error", or "zero" to leave out what this version cannot run; ``initial``: `INITIAL` or
    `INITIAL_RATES`, with rows of initial conditions, which hold at the start only, all or those that give a rate;
    ``senval``: what sensors stored before; ``rigid``: contacts are constraints (time-stepping, event-driven), not
    forces of laws; ``inputs``: ids of VARIABLEs whose values come from outside; ``carried``: grains that a granular
    solver carries, not this system. Raises ModelError for a model that cannot be a machine (see `model.validate`).

    Bodies: nb of them, parts and point masses first, then grains; number nb is ground.
    ``model``; ``body_elements`` (nb,): their elements; ``body_index``: (KIND, id) -> number; ``parts``: how many are no
    grains;
    ``node_elements``: those that are nodes (`elements.bodies.nodes`), behind all other parts; ``grains``: `bulk` of
    each element of grains;
    ``local`` (nb + 1,): principal frame in the body's own axes; ``bodies``: `elements.bodies.rigid.Bodies`, tables for
    kernels.
    ``y_bodies`` (bodies.end,): their state at the design position with the user's velocities; ``y0`` (bodies.end +
    nx,): the same with further states;
    ``nx``: number of these.

    Frames, nf of them; 0 is ground's.  ``frame_list`` (nf,): body, origin (3,), axes (3, 3) in principal axes;
    ``row_frames``: how many belong to constraints; ``watched_frames``: those of joints that forces and functions
    check too.

    Constraints.  ``constraints``: `ConstraintInfo` of each element; ``initial_rows``: how many rows hold at the start
    only; ``holding``: elements that hold what they find when a SWITCH turns them on; ``motion_set``, ``motion_nodes``:
    programs of motions, and motion and tree of each;
    ``even``: no masses at joints differ much; ``wrenches``: `reactions.Wrenches`, ``wrenches.out`` (elements, 12).
    Of the present equations (`equations.Equations`): ``rows``, ``m``, ``nslots``, ``slot_of``, ``slot_body``,
    ``slot_row``, ``rp``, ``body_ptr``, ``body_slots``, and the tables ``S`` and ``W`` of kernels.

    Builders that answer questions on what they built: ``functions``, ``friction``, ``ports``, ``contacts``.
    ``at_rest``: DELAY gives the present value of its expression, as in an equilibrium, whose past is the present.
    ``senval``, ``inputs``, ``rigid`` as given; ``ignore_missing``, ``missing``: whether elements are left out, and a
    sentence for each.
    """

    def __init__(
        self,
        model: Model,
        missing: str = "error",
        initial: str = "",
        senval: dict[int, float] | None = None,
        rigid: bool = False,
        inputs: Collection[int] = (),
        carried: Sequence[Any] = (),
        at_rest: bool = False,
    ):
        self.model = model
        self.inputs = frozenset(inputs)  # VARIABLEs whose values come from outside (`analyses.session.inputs`)
        self.at_rest = at_rest
        self.rigid = rigid  # contacts are constraints
        self.senval = senval or {}  # what sensors found in analyses before this one
        self.ignore_missing = missing == "zero"
        self.missing: list[str] = []
        self.initial_rows = 0
        self.free_rates = False  # a joint starts at a position whose rate follows from other velocities
        self.nb = 0  # moving bodies, grains included
        self.overridden: list[
            str
        ] = []  # initial conditions that have no influence, since a motion holds what they are of
        self._note_missing()
        self.frame_list: list[tuple[int, np.ndarray, np.ndarray]] = []
        self._marker_frame: dict[int, int] = {}
        self._watching = False
        self.watched_frames: set[int] = {0}  # frames of joints that forces and functions check too
        self.workspace = Workspace(Equations())
        self.constraints: list[ConstraintInfo] = []
        #: elements that hold what they find when a SWITCH turns them on (`analyses.holding`)
        self.holding = {ref for s in model.table("SWITCH").values() if s.active for ref in s.hold}
        self._build_bodies()
        self._add_frame(self.nb, np.zeros(3), np.eye(3))  # frame 0: ground
        self._motion_programs: list = []
        self.motion_nodes: dict[int, tuple] = {}  # program -> motion, its function of time
        self._curves: list = []
        self._user_curves: dict[int, CurveTable] = {}
        self._curve_rows: list[tuple[int, int, int, int]] = []
        self._curve_pairs: list[tuple] = []  # element, first row, first curve, frames i and j
        from .friction import FrictionBuilder
        from .functions_build import FunctionBuilder

        self.functions = FunctionBuilder(self)
        self._build_constraints()
        if initial:
            self._build_initial_conditions(initial == INITIAL_RATES)
        self.friction = FrictionBuilder(self)
        from .port_forces import PortForces

        self.ports = PortForces(self)
        self.functions.collect()
        from .contacts import Contacts

        self.contacts = Contacts(self)
        self._finish()
        if carried:
            self.grains = list(carried)
        self._frozen = True

    _frozen = False

    def __setattr__(self, name: str, value: Any) -> None:
        if self._frozen:
            raise AttributeError(
                f"System.{name} cannot be set: a system is a value; data of a run belong in its workspace"
            )
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"System.{name} cannot be deleted: a system is a value")

    # ---- the constraints that count at present -----------------------------------------------------------------------
    rows = property(lambda self: self.workspace.equations.rows)
    m = property(lambda self: len(self.workspace.equations.rows))
    S = property(lambda self: self.workspace.equations.S)
    W = property(lambda self: self.workspace.equations.W)
    nslots = property(lambda self: self.workspace.equations.nslots)
    slot_of = property(lambda self: self.workspace.equations.slot_of)
    slot_body = property(lambda self: self.workspace.equations.slot_body)
    slot_row = property(lambda self: self.workspace.equations.slot_row)
    rp = property(lambda self: self.workspace.equations.rp)
    body_ptr = property(lambda self: self.workspace.equations.body_ptr)
    body_slots = property(lambda self: self.workspace.equations.body_slots)
    outputs = property(lambda self: self.workspace.outputs)

    def _note_missing(self) -> None:
        """Elements that this version reads but cannot run: an error, or left out and listed."""
        from ..model.validate import cannot_run

        for text in cannot_run(self.model):
            self.leave_out(text)
        if self.missing and not self.ignore_missing:
            raise MissingParts(self.missing)

    def leave_out(self, text: str) -> None:
        self.missing.append(text)

    # ---- bodies ---------------------------------------------------------------------------------------------------
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
            own = lumped(own, kind.unity(data[k][-1])) if e.lumped else own
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

    # ---- constraints ----------------------------------------------------------------------------------------------
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
        if not on or joint.type not in ("FIXED", "REVOLUTE"):
            return i, j, equations
        along = self.design(on[0])
        body = self.frame_list[on[0]][0]
        t = self.body_frame(self.y_bodies, body).axes[:, 0]
        here = i if on[0] == i else j
        there = j if here == i else i
        if joint.type == "FIXED":
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

    # ---- everything together ----------------------------------------------------------------------------------------
    def _finish(self) -> None:
        equations = self.workspace.equations
        m = equations.m
        body = np.array([f[0] for f in self.frame_list])
        fr = make_frames(
            body, np.array([f[1] for f in self.frame_list]), np.array([f[2].ravel() for f in self.frame_list])
        )
        rows = equations.number(self)
        self.bodies = with_room(self.bodies, int(np.diff(equations.body_ptr).max(initial=0)), equations.slot_body[:-1])
        n = self.nb
        R = np.zeros((n + 1, 9))
        R[:] = np.eye(3).ravel()
        splines = self.functions.packed_splines(self._motion_programs)
        self.motion_set = ProgramSet(
            self._motion_programs, splines=splines, curves=self.functions.packed_curves(self._motion_programs)
        )
        nterms = len(rows.tr)
        ncurves = len(self._curve_rows)
        G = np.zeros((self.nslots + 1, layout.MOVES))
        moves = self.bodies.moves
        rw = RowWork(
            G=G,
            phi=np.zeros(m),
            phit=np.zeros(m),
            gamma=np.zeros(m),
            angle=np.zeros(nterms),
            angle_rate=np.zeros(nterms),
            angle_ref=np.zeros((nterms, 2)),
            clock=np.zeros(2),
            motion=np.zeros((len(self._motion_programs), 3)),
            calpha=np.zeros(2 * ncurves),
            cn=np.zeros((4 + ncurves, 3)),
            vpar=np.zeros((len(self._curve_pairs), 4)),
            vwork=np.zeros((PAIR_WORK, 3)),
            B=G,
            soft=np.zeros((0, 2)),
        )
        self._start_curves(rw)
        equations.order(self)
        c = self.constraints
        integers = lambda values: np.array(list(values), np.int64)
        self.wrenches = Wrenches(
            integers(k.rows.start for k in c),
            integers(k.rows.stop for k in c),
            integers(k.i for k in c),
            integers(k.j for k in c),
            np.zeros((max(len(self.functions.wrench_elements), 1), 12)),
        )
        self.contacts.share(self.wrenches)
        fn = self.functions.tables()
        self.nx = self.functions.nx
        pairs = self.functions.pair_tables()
        curves = pack_curves(self._curves)
        equations.S = Tables(
            bodies=self.bodies,
            fr=fr,
            rows=rows,
            ldl=equations.ldl.arrays,
            schur_dest=equations.schur_dest,
            schur_diag=equations.schur_diag,
            parts=no_parts(),
            motions=self.motion_set.arrays,
            curves=curves,
            pairs=pairs,
            fn=fn,
            nx=self.nx,
            friction=self.friction.build(m),
            contacts=self.contacts.addresses,
            ports=self.ports.addresses,
            rule=self._measure(rows, fr),
        )
        stack = self.motion_set.work()
        inputs = np.zeros((3, 1 + len(self.functions.constant_inputs)))
        inputs[1, 0] = 1.0
        lw = equations.ldl.work()
        equations.W = Work(
            R=R,
            F=np.zeros(moves),
            rw=rw,
            lam=np.zeros(m),
            f=None,
            Lx=lw.Lx,
            D=lw.D,
            Di=lw.Di,
            scale=lw.scale,
            skip=lw.skip,
            lwork=lw.work,
            z=np.zeros(moves),
            acc=np.zeros(moves),
            inputs=inputs,
            stack=stack,
            flags=np.zeros(FLAGS, np.int64),
            G2=np.zeros_like(G),
            plam=np.zeros(m),
            last=np.zeros((4 * MIXED + 4, 2 * moves + m)),
            gscale=np.zeros(m),
            gap=np.array([0.0, 0.0, 0.0, 1.0]),
            displaced=make_displaced(fr, n + 1, self._differenced(rows)),
        )
        equations.W = equations.W._replace(f=self.functions.work())
        self.ports.tables()
        connect(equations.S, equations.W, self.wrenches, self._parts())
        self.y0 = np.concatenate([self.y_bodies, self.functions.x0])

    @staticmethod
    def _differenced(rows) -> int:
        """The most slots of a row, or of the rows of two curves, whose gradients are differenced: 0 where none are."""
        some = (rows.kind == CURVE) | (rows.kind == FUNCTION)
        return 3 * int(np.diff(rows.rp)[some].max(initial=0))

    def _parts(self) -> list[str]:
        """Names of the optional parts (`parts.PARTS`) that the model has."""
        present = {
            "motions": self._motion_programs,
            "curves": self._curves,
            "pairs": self.functions.has_pairs,
            "functions": self.functions.set.functions,
            "ports": self.ports.elements,
            "friction": self.friction.elements,
            "feedback": self.lagged,
        }
        return [name for name, some in present.items() if some]

    def _measure(self, rows: Rows, fr) -> int:
        """Fill the metric of the bodies, and state how redundant rows are known (`kernels.factor_schur`)."""
        Minv, metric = self.bodies.Minv, self.bodies.metric
        metric[layout.free(self.bodies)] = 1.0
        metric[layout.nodes(self.bodies)] = 1.0  # gaps of their joints are measured by it
        metric[: self.nb + 1, layout.TURN] /= self._reach()[:, None] ** 2
        held = np.unique(self.slot_body[:-1])
        self.even = True
        if not len(held):
            return TREE
        if layout.has_nodes(self.bodies):
            self.even = False
            return TREE if self._tree() else MASSES  # sizes know nothing of coordinates that move nodes
        ratio = Minv[held][metric[held] > 0.0] / metric[held][metric[held] > 0.0]
        self.even = bool(ratio.max() <= EVEN * ratio.min())
        return TREE if self._tree() else MASSES if self.even else GEOMETRY

    def _reach(self) -> np.ndarray:
        """Largest distance of what is constrained from the centre of each body (nb + 1), see `SLIMMEST`."""
        n = self.nb
        reach = np.zeros(n + 1)
        frames = [f for c in self.constraints for f in (c.i, c.j)]
        frames += [f for row in self.rows for f in (*row.frames, *(g for term in row.terms for g in term[2:]))]
        for f in frames:
            body, s, _ = self.frame_list[f]
            reach[body] = max(reach[body], float(np.linalg.norm(s)))
        extent = (
            float(reach[:n].max(initial=0.0)) or float(np.ptp(layout.places(self.y_bodies, n + 1), axis=0).max()) or 1.0
        )
        return np.maximum(reach, SLIMMEST * extent)

    def lightness(self, equations: Equations | None = None) -> np.ndarray:
        """Largest share of each row (m,) in G M^-1 G^T that one of its bodies has, turns counted by the way of their
        joints."""
        equations = equations or self.workspace.equations
        out = np.zeros(equations.m)
        if equations.m:
            body = self._lightness().max(axis=1)
            np.maximum.at(out, equations.slot_row[:-1], body[equations.slot_body[:-1]])
        return out

    def _lightness(self) -> np.ndarray:
        """Inverse masses of the bodies and inverse inertias at the distance of their joints, (nb + 1, 2)."""
        Minv = self.bodies.Minv[: self.nb + 1]
        return np.column_stack(
            [Minv[:, layout.TRAVEL].max(axis=1), Minv[:, layout.TURN].max(axis=1) * self._reach() ** 2]
        )

    @property
    def graded(self) -> bool:
        """Do masses and inertias of what is constrained differ by so much that pivots by masses may have no digit?"""
        light = self.lightness()
        return bool(light.max(initial=0.0) > UNEVEN * light[light > 0.0].min(initial=np.inf))

    def slimmest(self) -> str:
        """As text, where `graded`: the body that requires more digits than numbers have, and what fixes it; else
        empty."""
        if not self.graded:
            return ""
        light, least = self._lightness(), float(self.lightness()[self.lightness() > 0.0].min())
        held = np.unique(self.slot_body[:-1])
        k = int(held[np.argmax(light[held].max(axis=1))])
        if k >= len(self.body_elements):
            return ""
        what, have = ("inertia", self.bodies.J[k].min()) if light[k, 1] > light[k, 0] else ("mass", self.bodies.mass[k])
        unit, ratio = self.model.units.symbol(what), float(light[k].max()) / least
        have /= self.model.units.mass_factor
        return (
            f"{self.body_elements[k].label} has {'an inertia' if what == 'inertia' else 'a mass'} of {have:.3g} "
            f"{unit}, at its joints {ratio:.1g} times "
            f"less than another part, and double precision cannot represent both: give it "
            f"{have * ratio / HELD:.2g} {unit} or more"
        )

    def _tree(self) -> bool:
        """True when no row can ever be redundant: joints make a tree of bodies, nothing else constrains but motions of
        these joints, at most one of each of their coordinates."""
        n = self.nb
        if np.any(self.bodies.rotates[: self.parts] == 0):
            return False
        if any(
            e.KIND == "MESH_POINT" for e in self.node_elements
        ):  # their axes have no angle about the axis of the mesh
            return False
        joints = [c for c in self.constraints if c.element.KIND == "JOINT"]
        motions = [c.element for c in self.constraints if c.element.KIND == "MOTION"]
        if len(joints) + len(motions) < len(self.constraints) or any(e.joint is None for e in motions):
            return False
        if len({(e.joint, e.kind) for e in motions}) < len(motions) or any(
            self.model.joints[e.joint].type == "SCREW" for e in motions
        ):
            return False
        on = layout.carried_by(self.bodies)  # a node and its carrier count as one: what joins them makes a loop
        a, b = (
            on[np.array([self.frame_list[f][0] for f in ends], int)]
            for ends in ([c.i for c in joints], [c.j for c in joints])
        )
        parts, _ = connected_components(coo_matrix((np.ones(len(a)), (a, b)), shape=(n + 1, n + 1)), directed=False)
        return len(a) == n + 1 - parts

    def _start_curves(self, rw) -> None:
        """Nearest parameter on each curve at the design position, and the direction from which normals are counted."""
        for k, ((_, _, i, j), table) in enumerate(zip(self._curve_rows, self._curves)):
            rm, p = self.design(j), self.design(i)
            local = rm.axes.T @ (p.origin - rm.origin)
            alpha, _ = table.closest(local)
            rw.calpha[[k, len(self._curve_rows) + k]] = alpha
            samples = table.points(41)
            rw.cn[4 + k] = np.linalg.svd(samples - samples.mean(0))[2][2]

        for k, (element, _, first, i, j) in enumerate(self._curve_pairs):
            rw.vpar[k] = [*self._touching(element, first, i, j)] * 2

    @property
    def extent(self) -> float:
        """Length scale of the model: the largest side of the box around its centres of mass, where the run begins, and
        the frames of its constraints and on its moving bodies, as they are drawn.  It does not depend on where the
        origin is, unless there are no constraints.  Where all of these coincide, as those of a wheel on its axle, it is
        the largest radius of gyration."""
        if self.workspace.extent is None:
            self.workspace.extent = self._extent()
        return self.workspace.extent

    @property
    def gyration(self) -> float:
        """Largest radius of gyration of a body, zero where none has an inertia."""
        mass, J = self.bodies.mass[: self.nb], self.bodies.J[: self.nb].max(axis=1)
        return float(np.sqrt((J / np.where(mass > 0.0, mass, np.inf)).max(initial=0.0)))

    def _extent(self) -> float:
        y = getattr(self, "y0", self.y_bodies)  # before all is built: the design
        if not self.rows:  # nothing is fitted: how far it is to the origin gives how far bodies may go
            used = [*range(len(self.frame_list))]
        else:
            # frames on ground to which forces and functions refer may be anywhere, the first of all frames is that of
            # ground itself
            used = [k for k, f in enumerate(self.frame_list) if k and (k < self.row_frames or f[0] != self.nb)]
        places = np.array([self.design(k).origin for k in used]).reshape(-1, 3)
        points = np.concatenate([layout.places(y, self.nb), places, *self._line_points(y)])
        box = float(np.ptp(points, axis=0).max())
        gyration = self.gyration
        return box if box > 1e-6 * gyration else gyration or 1.0

    def _line_points(self, y) -> list[np.ndarray]:
        """On the lines of masses in parts: origins, where the masses are drawn, and where their springs are
        unloaded."""
        c, out = self.bodies.carriers, []
        for g, b in enumerate(() if c is None else c.body):
            place = self.body_frame(y, b)
            k = slice(c.ptr[g], c.ptr[g] + c.masses[g])
            travel = np.array([self.tail[c.at[g] + i].travel for i in range(c.masses[g])])
            for s in (0.0 * travel, travel, c.length[k]):
                out.append(place.origin + (c.base[k] + s[:, None] * c.axis[k]) @ place.axes.T)
        return out

    def drive_energy(self, y: np.ndarray) -> float:
        """Kinetic energy of the drives of joints at velocities of y, with the gradients of the last evaluation."""
        c = self.S.rows.compliance
        if not c.any():
            return 0.0
        u = layout.speeds(y, self.nb + 1)
        share = np.einsum("sc,sc->s", self.W.rw.G[:-1], u[self.slot_body[:-1]])
        rate = np.bincount(self.slot_row[:-1], share, self.m)
        return float(0.5 * (rate[c > 0.0] ** 2 / c[c > 0.0]).sum())

    @property
    def lagged(self) -> bool:
        """Whether forces depend on reactions or accelerations, which the equations of motion give only afterwards."""
        fn, friction = self.S.fn, self.S.friction
        return bool(fn.has_force or fn.has_acc or friction.reactive)

    def lagged_words(self) -> str:
        """Names of what makes the system `lagged`."""
        from .functions import FORCE, MEASURE

        found = []
        for item in self.functions.set.inputs:
            if item.kind == FORCE or (item.kind == MEASURE and item.level == 2):
                found.append(item.label)
        found += [e.label for e in self.friction.elements]
        return ", ".join(found[:6]) + (", ..." if len(found) > 6 else "")

    @property
    def dof_total(self) -> int:
        """Coordinates of all bodies without constraints."""
        return int(layout.free(self.bodies).sum())

    def raise_user_error(self, t: float) -> None:
        """A user routine failed inside a kernel: state which and why."""
        for functions in (self.functions.set, *([self.workspace.outputs.set] if self.workspace.outputs else [])):
            if functions.callbacks.error is not None:
                index, error = functions.callbacks.error
                raise ModelError(
                    f"{functions.user_names[index]} failed at time {t:.9g}: {type(error).__name__}: {error}"
                ) from error
        raise ModelError(f"a user routine failed at time {t:.9g}")

    def carrier_of(self, row: int) -> int:
        """The body to which a row of coordinates belongs, rows without ground's (`layout.carried_by`)."""
        return int(layout.carried_by(self.bodies)[row if row < self.nb else row + 1])

    def tail_names(self) -> list[str]:
        """Names of coordinates and rates of the tail, as results have them among the states."""
        return [
            f"{self.tail[i].KIND}_{self.tail[i].id}[{2 * self.tail_numbers[i] + k}]"
            for i in self.coordinates
            for k in (0, 1)
        ]

    def tail_places(self) -> dict[tuple[str, int, int], int]:
        """Where the coordinate (1) and the rate (2) of each element of the tail stand in the state."""
        rate = self.bodies.end - self.bodies.tail
        return {
            (self.tail[i].KIND, self.tail[i].id, 2 * self.tail_numbers[i] + part): int(at + i)
            for i in self.coordinates
            for part, at in ((1, rate - self.bodies.tail), (2, rate))
        }

    def remembered(self) -> dict[int, np.ndarray]:
        """ABSOLUTE_MESH -> what its elements remember (e, ..), a view of their data; none of those that remember
        nothing."""
        out: dict[int, np.ndarray] = {}
        for k, block in remembering(self.bodies):
            e = 0
            for mesh in (m for m in self.model.table("ABSOLUTE_MESH").values() if m.active and m.element == NAMES[k]):
                count = len(mesh.cells) // ABSOLUTE_ELEMENTS[k].NODES
                kept = ABSOLUTE_ELEMENTS[k].kept(block.data[e : e + count])
                out |= {mesh.id: kept} if kept.size else {}
                e += count
        return out

    def own_states(self, y: np.ndarray) -> np.ndarray:
        """Coordinates and rates of `tail_names`, then the states that belong to no body."""
        if not len(self.coordinates):
            return y[self.bodies.end :].copy()
        both = np.column_stack([layout.coordinates(y, self.bodies), layout.coordinate_rates(y, self.bodies)])
        return np.concatenate([both[self.coordinates].ravel(), y[self.bodies.end :]])

    def tail_lengths(self) -> np.ndarray:
        """(tail,) How far each coordinate of the tail goes where bodies are put together and those go the extent of the
        model; zero where there is none.

        Bodies rather move than bend: what spins at the start does not ring.
        """
        out = np.zeros(len(self.tail))
        out[self.sliding] = self.extent
        sizes = {e.id: e.largest() for e in self.model.table("FLEXIBILITY").values() if e.active}
        free = layout.free(self.bodies)[self.nb + 1 :].ravel()
        whole = np.setdiff1d(self.coordinates, [*self.sliding, *self.modal])
        out[whole] = np.where(free[whole], self.extent, 0.0)
        for i in self.modal:
            out[i] = STIFF * self.extent / sizes[self.tail[i].id][self.tail_numbers[i]]
        return out

    def tail_words(self, i: int) -> str:
        """Of which element coordinate i of the tail is."""
        e = self.tail[i]
        if e is not None and e.KIND == "FLEXIBILITY":
            return f"mode {self.tail_numbers[i] + 1} of {e.label}"
        if e is not None and e.KIND == "ABSOLUTE_MESH":
            node, k = divmod(self.tail_numbers[i], e.width)
            return f"{'place' if k < 3 else 'gradient'} along {'xyz'[k % 3]} of node {node} of {e.label}"
        return f"the motion of {e.label} along its line" if e is not None else "a coordinate that no element has"

    def state_words(self, k: int) -> str:
        """What the state k is, as text, and its name in results."""
        kind, owner, *rest = key = self.functions.states[k]
        name = f"state {k}, {kind}_{owner}" + (f"[{rest[0] - 1}]" if rest else "")
        return f"the {self.ports.state_words(key)} ({name})" if key in self.ports.states else name

    # ---- words ------------------------------------------------------------------------------------------------------
    def row_words(self, r: int) -> str:
        """ "JOINT_7: rotation about its z axis"."""
        for c in self.constraints:
            if r in c.rows:
                return f"{c.element.name}: {self.rows[r].words}"
        return self.rows[r].words or f"row {r}"

    def row_adams(self, r: int) -> str:
        """ "Zi.Xj in model.JOINT_2", as Adams names an equation."""
        for c in self.constraints:
            if r in c.rows:
                return f"{self.rows[r].name} in {self.model.name}.{c.element.name}"
        return f"row {r}"


def _principal(tensor: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Principal moments and right-handed axes; the given axes are kept when the products vanish."""
    off = abs(tensor[0, 1]) + abs(tensor[0, 2]) + abs(tensor[1, 2])
    if off <= 1e-15 * np.trace(tensor):
        return np.diag(tensor).copy(), np.eye(3)
    values, vectors = np.linalg.eigh(tensor)
    if np.linalg.det(vectors) < 0:
        vectors[:, 0] *= -1
    return values, vectors
