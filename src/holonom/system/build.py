"""From the drawing to its numbers: numbering of bodies, frames, rows, forces, states, and the patterns of the
matrices."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from ..elements.absolute import ABSOLUTE_ELEMENTS, NAMES
from ..elements.bodies import layout
from ..elements.bodies.absolute import remembering
from ..elements.bodies.carrier import with_room
from ..elements.frames import make_displaced, make_frames
from ..elements.joints.curves import PAIR_WORK
from ..elements.joints.rows import CURVE, FUNCTION, Rows, RowWork
from ..expressions import Curve as CurveTable
from ..expressions import ProgramSet, pack_curves
from ..model import Model, ModelError
from ..model.base import MissingParts
from .constraints_build import Constraints
from .equations import UNEVEN, ConstraintInfo, Equations
from .flags import FLAGS
from .kernels import GEOMETRY, MASSES, MIXED, TREE, Tables, Work
from .parts import connect, no_parts
from .reactions import Wrenches
from .workspace import Workspace

# a body whose joints lie nearer to its centre than this share of the largest such distance counts as one of that size
SLIMMEST = 1e-2
HELD = 1e12  # masses and inertias that differ by more than this may leave pivots without a digit
EVEN = 10.0  # masses and inertias, for the sizes of their bodies, that differ by less than this fool no pivot
STIFF = 1e-3  # how far a mode goes, of what a body goes, where bodies are put together


INITIAL, INITIAL_RATES = "all", "rates"  # rows of initial conditions that a system has


class System(Constraints):
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
    def constraint_of(self, r: int) -> ConstraintInfo | None:
        """The constraint that has row r; None for rows of closed contacts.  Constraints are in the order of their
        rows."""
        k = bisect_right(self.constraints, r, key=lambda c: c.rows.start) - 1
        return self.constraints[k] if k >= 0 and r in self.constraints[k].rows else None

    def row_words(self, r: int) -> str:
        """ "JOINT_7: rotation about its z axis"."""
        c = self.constraint_of(r)
        return f"{c.element.name}: {self.rows[r].words}" if c is not None else self.rows[r].words or f"row {r}"

    def row_adams(self, r: int) -> str:
        """ "Zi.Xj in model.JOINT_2", as Adams names an equation."""
        c = self.constraint_of(r)
        return f"{self.rows[r].name} in {self.model.name}.{c.element.name}" if c is not None else f"row {r}"
