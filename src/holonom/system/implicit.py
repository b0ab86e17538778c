"""The iteration matrix of the implicit integrators: unknowns, fixed pattern, maps, residual and derivatives.

Unknowns, body by body: dr (3, ground axes) and dtheta (3, body axes; point masses have none), then the states x, then
the multipliers lam.  With u the velocities of the bodies (r', W) the equations are

    r_b = cm M u' - F(q, u, x, t) + G^T lam + bias,     r_x = cm x' - f(q, u, x, t) + bias,     r_phi = phi(q, t)

and an integrator ties  du = au dq + bu W x dtheta,  du' = aa dq + ba W x dtheta,  dx' = ax dx  (cross products in the
rotational part only: they come from the quaternion kinematics).  The matrix is

    cm M (aa + ba [W]) + C (au + bu [W]) + K,      K = d(-F + G^T lam)/dq,   C = -dF/du,

with the rows of bodies scaled by 1/aa, those of states by 1/ax, and multipliers by 1/aa, so that its condition does not
depend on the step (CLOSED_LOOPS.md, 4.7; Bottasso, Bauchau, Cardona, SIAM J. Sci. Comput. 29 (2007) 397).
A redundant row keeps its place with -1 on the diagonal and zeros elsewhere; its multiplier is zero.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from .._handle import make_handle, view_P, view_S, view_W
from .._jit import jit
from ..contact.activation import Activation, Base, Places, UnknownForces, clear, expand, no_unknowns
from ..elements.absolute import ABSOLUTE_ELEMENTS
from ..elements.bodies import layout
from ..elements.bodies.coordinates import follow_carriers
from ..elements.bodies.coupled import condense_coupled, coupled_gradients, coupled_node_stiffness, coupled_stiffness
from ..elements.bodies.layout import MOVES
from ..elements.bodies.mass import add_mass, convect_damping, multiply_mass, row_speed, row_times
from ..elements.bodies.rigid import gyroscopic_damping
from ..elements.joints.rows import CURVE, DISTANCE, DOT1, DOT2, FUNCTION, POINT, SUM, TWIST, add_GT
from ..elements.joints.stiffness import add_row_stiffness
from ..linalg._ordering import super_nodes
from ..linalg.lu import FrozenLU, lu_refine, lu_solve
from .contact_entry import contact_stiffness
from .kernels import TREE, evaluate_constraints, evaluate_forces, evaluate_frames, factor_schur
from .part_calls import add_stiffness

T, R = 0, 1  # parts of a body: translation, rotation

Maps = namedtuple(
    "Maps",
    "N nq nx at moves inside mass_pos spin_pos kmap rmap tmap gmap gtmap gsrc gpos gtpos lmap trow tbody used xpos "
    "xdiag unknowns ws",
)
Maps.__doc__ = """N unknowns, nq of bodies, nx states; at (nb,) first unknown of a body; moves (nq,): where
unknowns of bodies lie in a vector of velocities; inside: unknowns that the linear system
solves for, all but in a planar mechanism, where the others are zero; mass_pos (nb, 3) diagonal of dr;
spin_pos (nb, 9) rotational diagonal block; kmap, rmap, tmap: see `add_row_stiffness`; gmap, gtmap (ns+1, 6): places of
G and its transpose by slot, and the same without dummies: gsrc (index into G), gpos, gtpos; lmap (m,) diagonal of the
multipliers; trow (k, 3), tbody (k,): triples of rotational columns in which C may be non-zero; used (2,): places of K,
C and data and triples in use, the rest is room; xpos: entries of the rows of states; xdiag (nx,); unknowns:
`contact.activation.Unknowns`;
ws: work of `add_row_stiffness`."""

Scratch = namedtuple("Scratch", "M9 W D KL CL idx")

Iteration = namedtuple("Iteration", "K C data G B res sol rhs cor ref lam acc bias yd xd xbias im")
Iteration.__doc__ = """Work of an iteration: K, C, data (nnz+1, the last a dummy, and with contacts the pool behind it);
G, B: views of the gradients and of how multipliers act, flat; res, sol (N); rhs, cor, ref: those inside; lam (m)
multipliers; acc, bias (bodies.moves), accelerations; yd (ny) rates; xd, xbias (nx)."""

Linear = namedtuple("Linear", "I")  # the third part of the handle of `linearise`
REDUNDANT = 1e-8  # a pivot below this share of the largest its row has had marks a redundant row


class Request:
    """Places asked of a `Pattern`; ``positions`` (uint32, shape of the request) is there after `Pattern.finish`."""

    def __init__(self, keys, damping):
        self.keys = keys
        self.damping = damping
        self.positions = None


class Pattern:
    """Collects the entries of the iteration matrix and gives where each is stored.

    bodies: tables of the bodies; nx, m: numbers of states and multipliers; on: rows that count.  Rows and columns are
    unknowns of the linear system, -1 for what does not exist (ground, the rotation of a point mass, what does not move
    in a planar mechanism): its position is the dummy ``nnz``.  ``at``, ``nq``, ``N`` count all unknowns, ``inside``
    (size,) gives which of them the linear system has.

    Moves of nodes (`elements.bodies.nodes`) are not unknowns of the linear system.  Their rows and columns have the
    numbers behind it, and what stands in them has places of its own behind those of the system, from which it goes to
    the coordinates of carriers: `node_places`.
    """

    def __init__(self, bodies, nx: int, m: int, on=None):
        self.n = n = bodies.n
        free = layout.free(bodies)
        self.at = np.concatenate([[0], np.cumsum(free.sum(axis=1))]).astype(np.int64)
        self.nq = int(self.at[-1])
        self.nx, self.m = nx, m
        self.N = self.nq + nx + m
        everything = np.full(free.shape, -1, np.int64)
        everything[free] = np.arange(self.nq)
        #: unknowns of bodies in their vectors of velocities
        self.moves = np.flatnonzero(free)
        if len(bodies.plane):
            out = np.ones_like(free)
            out[np.arange(n)[:, None], bodies.plane] = False
            everything[out] = -1
        moving = np.sort(everything[everything >= 0])
        self.inside_bodies = len(moving)
        rows = np.arange(m) if on is None else np.asarray(on, np.int64)
        self.inside = np.concatenate([moving, self.nq + np.arange(nx), self.nq + nx + rows]).astype(np.int64)
        self.size = len(self.inside)
        self._unknown = np.where(everything >= 0, np.searchsorted(moving, everything), -1)
        self.bodies = bodies
        nodes = layout.nodes(bodies)
        self._unknown[nodes] = self.size + np.arange(MOVES * len(nodes)).reshape(-1, MOVES)
        #: numbers of unknowns and moves of nodes together
        self.span = self.size + MOVES * len(nodes)
        self._multiplier = np.full(m + 1, -1, np.int64)  # the dummy slot names row 0, also where there is none
        self._multiplier[rows] = len(moving) + nx + np.arange(len(rows))
        self._requests: list[Request] = []

    def unknown(self, body, c=None):
        """Unknowns of bodies (k,): all of them (k, MOVES), or component(s) ``c``; -1 where there is none."""
        return self._unknown[body] if c is None else self._unknown[body, c]

    def state(self, k):
        return self.inside_bodies + np.asarray(k, np.int64)

    def multiplier(self, r):
        return self._multiplier[r]

    def entries(self, rows, cols, damping=False) -> Request:
        """Entries (rows, cols), arrays that broadcast; ``damping``: C may be non-zero there."""
        rows, cols = np.broadcast_arrays(np.asarray(rows, np.int64), np.asarray(cols, np.int64))
        keys = np.where((rows < 0) | (cols < 0), -1, cols * self.span + rows)
        request = Request(keys, damping)
        self._requests.append(request)
        return request

    def block(self, row_body, row_part, col_body, col_part, damping=False) -> Request:
        """3x3 blocks, positions (k, 9) row by row; bodies (k,) or a number, parts T or R."""
        rows = self.unknown(np.atleast_1d(row_body))[:, 3 * row_part : 3 * row_part + 3]
        cols = self.unknown(np.atleast_1d(col_body))[:, 3 * col_part : 3 * col_part + 3]
        request = self.entries(rows[:, :, None], cols[:, None, :], damping)
        request.keys = request.keys.reshape(-1, 9)
        return request

    def full(self, bodies, rows=None, damping=True) -> Request:
        """Coupling of all coordinates of several bodies: ``bodies`` (k, f) gives positions (k, (MOVES r) (MOVES f)),
        row order, with the rows of the first ``rows`` bodies (all by default).  `elements.frames.scatter` writes a
        local matrix there."""
        bodies = np.atleast_2d(np.asarray(bodies, np.int64))
        k, f = bodies.shape
        cols = self.unknown(bodies).reshape(k, MOVES * f)
        request = self.entries(cols[:, : MOVES * (rows or f), None], cols[:, None, :], damping)
        request.keys = request.keys.reshape(k, -1)
        return request

    def finish(self):
        """Fix the pattern: indptr, indices (rows rise in each column), nnz, and the positions of all requests."""
        self._request_targets()
        N, n = self.span, self.n
        damped = [r.keys.ravel() for r in self._requests if r.damping]
        keys = np.concatenate(damped) if damped else np.zeros(0, np.int64)
        keys = keys[keys >= 0]
        col, row = keys // max(N, 1), keys % max(N, 1)
        body = np.full(N + 1, -1, np.int64)
        turn = self._unknown[:n, layout.TURN]
        body[turn[turn >= 0]] = np.nonzero(turn >= 0)[0]
        b = np.where((row < self.size) & (col < self.size), body[col], -1)
        pair = np.unique(b[b >= 0] * N + row[b >= 0])
        tbody, trow = pair // max(N, 1), pair % max(N, 1)
        triple = self.entries(trow[:, None], self._unknown[tbody, layout.TURN])
        everything = np.concatenate([r.keys.ravel() for r in self._requests])
        used = np.unique(everything[everything >= 0])
        apart = (used // max(N, 1) >= self.size) | (used % max(N, 1) >= self.size)
        self._apart = used[apart]
        used = used[~apart]
        matrix = len(used)
        self.nnz = matrix + len(self._apart)
        self.indices = used % max(N, 1)
        self.indptr = np.searchsorted(used, np.arange(self.size + 1) * N)
        for r in self._requests:
            at = np.searchsorted(used, r.keys)
            if self._apart.size:
                own = np.searchsorted(self._apart, r.keys)
                at = np.where(self._apart[np.minimum(own, len(self._apart) - 1)] == r.keys, matrix + own, at)
            r.positions = np.ascontiguousarray(np.where(r.keys < 0, self.nnz, at), dtype=np.uint32)
        self.trow, self.tbody = triple.positions, np.ascontiguousarray(tbody, np.uint32)
        self.triple_rows = trow
        first = self.inside_bodies
        self.xpos = np.flatnonzero((self.indices >= first) & (self.indices < first + self.nx)).astype(np.uint32)

    def _coordinates(self, number: int) -> np.ndarray:
        """Unknowns of the carrier of the node to which row or column ``number`` belongs; of an unknown of the system
        itself."""
        if number < self.size:
            return np.array([number])
        return self._unknown.ravel()[layout.followed(self.bodies, (number - self.size) // MOVES)]

    def _request_targets(self) -> None:
        """Request the entries to which those of nodes go."""
        self._targets: dict[int, Request] = {}
        if self.span == self.size:
            return
        for damping in (True, False):
            keys = np.unique(np.concatenate([r.keys.ravel() for r in self._requests if r.damping == damping]))
            col, row = keys // self.span, keys % self.span
            for key in keys[(keys >= 0) & ((row >= self.size) | (col >= self.size))]:
                if int(key) not in self._targets:
                    rows, cols = self._coordinates(int(key % self.span)), self._coordinates(int(key // self.span))
                    self._targets[int(key)] = self.entries(rows[:, None], cols[None, :], damping)

    def node_places(self, nodes):
        """The table ``nodes`` with its places in the matrix."""
        matrix = self.nnz - len(self._apart)
        code = lambda k: np.where(k < self.size, -1, k - self.size)
        targets = [self._targets[int(key)].positions.ravel() for key in self._apart]
        i = lambda a: np.ascontiguousarray(a, np.int64)
        return nodes._replace(
            src=i(matrix + np.arange(len(self._apart))),
            row=i(code(self._apart % self.span)),
            col=i(code(self._apart // self.span)),
            at=i(np.cumsum([0, *map(len, targets)])[:-1]),
            target=i(np.concatenate(targets)) if targets else np.zeros(0, np.int64),
        )


def _row_requests(pattern: Pattern, S):
    """Requests of the geometric stiffness of rows and of G and its transpose."""
    rows = S.rows
    body = S.fr.body
    n, m = pattern.n, pattern.m
    i, j = body[rows.fi], body[rows.fj]
    on = np.zeros(m, bool)
    on[rows.on] = True
    plain = on & ((rows.kind == POINT) | (rows.kind == DOT1))
    ii = np.where(plain, i, n)
    jj = np.where(plain, j, n)
    cross_i = np.where(on & (rows.kind == DOT1), i, n)
    cross_j = np.where(on & (rows.kind == DOT1), j, n)
    k = [pattern.block(a, R, b, R) for a, b in ((ii, ii), (cross_i, cross_j), (cross_j, cross_i), (jj, jj))]
    wide = on & ((rows.kind == DOT2) | (rows.kind == TWIST))
    # without such rows the table is empty: nothing reads it
    r = pattern.full(np.stack([np.where(wide, i, n), np.where(wide, j, n)], 1), damping=False) if wide.any() else None
    t = pattern.full(np.stack([body[rows.ti], body[rows.tj]], 1), damping=False) if len(rows.tr) else None
    ends = [(body[rows.ci], body[rows.crm]), (body[rows.vi], body[rows.vj])]
    curved = [pattern.full(np.stack(both, 1), damping=False) if len(both[0]) else None for both in ends]
    # gradients: entries that a kind of row can never have are left out
    row = rows.slot_row.copy()
    ns = len(row) - 1
    use = np.zeros((ns + 1, MOVES), bool)
    if ns:
        kind, axis = rows.kind[row], rows.a[row]
        far = np.zeros(m, bool)
        np.logical_or.at(far, rows.tr, rows.tk == DISTANCE)
        all_six = (kind == DOT2) | (kind == CURVE) | (kind == FUNCTION) | ((kind == SUM) & far[row])
        use[:, layout.TURN] = True
        use[:, layout.TRAVEL] = all_six[:, None]
        use[np.arange(ns + 1), axis] |= kind == POINT
        use[ns] = False
    cols = np.where(use, pattern.unknown(rows.slot_body), -1)
    lam = pattern.multiplier(row)[:, None]
    return k, r, t, curved, pattern.entries(np.where(cols >= 0, lam, -1), cols), pattern.entries(cols, lam)


def request_carriers(pattern: Pattern, bodies):
    """Requests the blocks of bodies with coupled masses; returns a function that gives the bodies with the places of
    these."""
    carriers = bodies.carriers
    if carriers is None:
        return lambda: bodies
    rows = layout.carried_by(bodies)
    rows[: bodies.n + 1] = -1
    blocks = [pattern.full(np.concatenate([[b], np.flatnonzero(rows == b)])) for b in carriers.body]

    meshes = request_meshes(pattern, carriers.meshes)

    def fill():
        places = np.concatenate([r.positions.ravel() for r in blocks]) if blocks else carriers.places
        return bodies._replace(
            carriers=carriers._replace(places=places, nodes=pattern.node_places(carriers.nodes), meshes=meshes())
        )

    return fill


def request_meshes(pattern: Pattern, meshes):
    """Requests the entries of elements, masses and nodes of meshes; returns a function that gives the meshes with the
    places of these."""
    if not meshes.size:
        return lambda: meshes
    tail = pattern.unknown(np.arange(pattern.n + 1, len(pattern._unknown))).ravel()
    square = lambda k: pattern.entries(k[..., :, None], k[..., None, :])
    blocks: list[Request | None] = []
    for kind, block in zip(ABSOLUTE_ELEMENTS, meshes.blocks):
        if len(block.at):
            k = tail[block.at[:, :, None] + np.arange(kind.PER_NODE)]
            blocks.append(square(k.reshape(len(block.at), -1)))
        else:
            blocks.append(None)
    j, p = np.nonzero(meshes.m)
    one, two = (tail[meshes.start + 3 * v[:, None] + np.arange(3)].ravel() for v in (j, j + p))
    off = np.repeat(p > 0, 3)
    value = np.repeat(meshes.m[j, p], 3)
    mass = pattern.entries(np.concatenate([one, two[off]]), np.concatenate([two, one[off]]))
    value = np.concatenate([value, value[off]])
    nodes = [
        square(tail[(at[:v, None] + np.arange(3)).ravel()]) for at, v in zip(meshes.points.at, meshes.points.vectors)
    ]

    def fill():
        flat = [
            b if r is None else b._replace(places=r.positions.reshape(len(b.at), -1))
            for b, r in zip(meshes.blocks, blocks)
        ]
        there = mass.positions < pattern.nnz
        npos = np.concatenate([r.positions.ravel() for r in nodes]) if nodes else meshes.npos
        return meshes._replace(
            blocks=tuple(flat), mval=value[there], mpos=np.ascontiguousarray(mass.positions[there]), npos=npos
        )

    return fill


def _owners(bodies, beyond: int):
    """Super-node of each row of unknowns in the order of elimination: its body, or, of a row of a mesh, a number
    ``beyond`` all others; and a function that gives those of a body, of a node of a mesh those of its window."""
    owner = layout.carried_by(bodies)
    c = bodies.carriers
    if c is None or not c.meshes.size:
        return owner, lambda b: (int(owner[b]),)
    first = bodies.n + 1 + c.meshes.start // MOVES
    own = len(c.nodes.which)
    whole = owner.copy()
    owner[first:] = beyond + np.arange(len(owner) - first)

    def leads(b: int):
        k = c.nodes.index[b]
        if k < own:
            return (int(whole[b]),)
        return tuple(np.unique(owner[layout.followed(bodies, k) // MOVES]).tolist())

    return owner, leads


def _node_pairs(contacts, bodies) -> np.ndarray:
    """Pairs (k, 2) of bodies that may touch of which one is a node (`elements.bodies.nodes`), rising."""
    nodes = layout.nodes(bodies)
    if not len(nodes):
        return np.zeros((0, 2), np.int64)
    pairs = contacts.body_pairs
    return pairs[np.isin(pairs, nodes).any(axis=1) & (pairs < bodies.n).all(axis=1)]


def _fixed(pairs, request: Request | None, n: int):
    """Of pairs with nodes: keys and places, for `contact.activation.Places`; ``request``: of both bodies of each."""
    if request is None:
        return None
    block = request.positions.reshape(-1, 2, MOVES, 2, MOVES)
    both = np.stack([block[:, 0, :, 1, :], block[:, 1, :, 0, :]], 1)
    return pairs[:, 0] * (n + 1) + pairs[:, 1], both.reshape(len(pairs), -1)


class Implicit:
    """Numbers that the implicit integrators need in addition to the tables of a system; ``plane``: see `system.planar`.

    ``S``, ``W``: tables with the places of forces filled, work; ``I``: `Iteration`; ``lu``: the frozen factorisation;
    ``tree``: no row can become redundant, so none is searched for.  Forces require entries with
    ``system.functions.request_pairs(pattern)`` and
    ``system.functions.request_functions(pattern)``: each returns a function that is called when positions are known and
    gives a table with them for ``S.pairs`` or ``S.fn``: another matrix of the same system has places of its own
    (``request_friction``, ``request_ports`` likewise).

    Contacts add blocks to K and C where ``places`` says, a table that they share.  ``contacts.activation``:

    * "active": the matrix has the blocks of the near pairs, and its pattern is exchanged when these change (`follow`);
    * "broad-phase", "all-pairs": it has those of all defined pairs of bodies (whether near pairs are searched is not
      our affair);
    * "unknown-forces": and three unknown forces for every defined contact (see `UnknownForces`).

    With contacts pivots are structural; others are chosen only when these fail, and last until the pattern changes.
    """

    def __init__(self, system, plane=None, condensed=False):
        S = plane.S if plane else system.S
        self.system = system
        n, m, nx = system.nb, system.m, system.nx
        self.pattern = pattern = Pattern(S.bodies, nx, m, S.rows.on)
        #: what touches by forces, None where nothing can
        self.contacts = contacts = system.contacts if system.contacts.on and not system.contacts.rigid else None
        whole = None
        if contacts is not None:
            touched = np.full((n, 1), n)
            touched[contacts.touched, 0] = contacts.touched
            whole = pattern.full(touched)
            node_pairs = _node_pairs(contacts, S.bodies)
            of_nodes = pattern.full(node_pairs) if len(node_pairs) else None
        travel = pattern.unknown(np.arange(n))[:, layout.TRAVEL]
        diagonal = pattern.entries(travel, travel)
        spin = pattern.block(np.arange(n), R, np.arange(n), R, damping=True)
        carried = request_carriers(pattern, S.bodies)
        xdiag = pattern.entries(pattern.state(np.arange(nx)), pattern.state(np.arange(nx)))
        k, r, t, curved, g, gt = _row_requests(pattern, S)
        lam = pattern.entries(pattern.multiplier(np.arange(m)), pattern.multiplier(np.arange(m)))
        later = {}
        for name in ("pairs", "friction", "functions", "ports"):
            ask = getattr(system.functions, f"request_{name}", None)
            later[name] = ask(pattern) if ask else None
        pattern.finish()
        tables = {"pairs": S.pairs, "functions": S.fn, "friction": S.friction, "ports": S.ports}
        for name, fill in later.items():
            if fill is not None:
                answer = fill()
                tables[name] = tables[name] if answer is None else answer
        u = lambda a: np.ascontiguousarray(a, dtype=np.uint32)
        some = g.positions.ravel() < pattern.nnz
        z = np.zeros
        scratch = Scratch(z(9), z(12), z((12, 24)), z((12, 12)), z((12, 12)), z(2, np.int64))
        empty = z((1, 1), np.uint32)
        maps = Maps(
            pattern.N,
            pattern.nq,
            nx,
            u(pattern.at[:-1]),
            u(pattern.moves),
            u(pattern.inside),
            diagonal.positions,
            spin.positions,
            u(np.concatenate([q.positions for q in k], 1)),
            r.positions if r else empty,
            t.positions if t else empty,
            g.positions,
            gt.positions,
            u(np.flatnonzero(some)),
            u(g.positions.ravel()[some]),
            u(gt.positions.ravel()[some]),
            lam.positions,
            pattern.trow,
            pattern.tbody,
            np.array([pattern.nnz + 1, len(pattern.tbody)]),
            pattern.xpos,
            xdiag.positions,
            no_unknowns(),
            scratch,
        )
        places = {name: q.positions for name, q in zip(("cpos", "vpos"), curved) if q}
        self.S = S._replace(
            rows=S.rows._replace(**places),
            pairs=tables["pairs"],
            fn=tables["functions"],
            friction=tables["friction"],
            ports=tables["ports"],
            bodies=carried(),
        )
        self.W = W = plane.W if plane else system.W
        nnz, ny = pattern.nnz, len(system.y0)
        self.I = Iteration(
            z(nnz + 1),
            z(nnz + 1),
            z(nnz + 1),
            W.rw.G.reshape(-1),
            W.rw.B.reshape(-1),
            z(pattern.N),
            z(pattern.N),
            z(pattern.size),
            z(pattern.size),
            z(pattern.size),
            z(m),
            z(S.bodies.moves),
            z(S.bodies.moves),
            z(ny),
            z(nx),
            z(nx),
            maps,
        )
        self.version = 0  # rises when arrays of `I` or `lu` have moved: handles on them must be made anew
        self._handle: tuple = (-1, None)  # version, handle
        self.blocks: Any = None  # an `Activation` where there are contacts, which alone ask for it
        self.unknowns: UnknownForces | None = None
        self.tree = self.S.rule == TREE
        groups = n + nx + len(system.constraints) + np.arange(pattern.size)  # rows of closed contacts stand alone
        q = pattern.inside_bodies
        # the many rows of a mesh stand one by one, those of other bodies with these
        owner, leads = _owners(S.bodies, n + nx + len(system.constraints) + pattern.size)
        groups[:q] = np.repeat(owner, np.diff(pattern.at))[pattern.inside[:q]]
        groups[q : q + nx] = n + np.arange(nx)
        after = []
        for c, info in enumerate(system.constraints):
            rows = pattern.multiplier(np.arange(info.rows.start, info.rows.stop))
            if not np.any(rows >= 0):
                continue
            groups[rows[rows >= 0]] = n + nx + c
            slots = np.unique(
                [
                    k
                    for b in S.rows.slot_body[S.rows.rp[info.rows.start] : S.rows.rp[info.rows.stop]]
                    for k in leads(int(b))
                ]
            )
            after.append((n + nx + c, [*slots.tolist(), *([-1] if len(slots) < 2 else [])]))
        self.groups, self.after = groups, after
        if contacts is None:
            self.lu = FrozenLU(pattern.size, pattern.indptr, pattern.indices, groups, "auto", after)
            return
        i = lambda a: np.ascontiguousarray(a, np.int64)
        unknown = pattern.unknown(np.arange(n))
        unknown = np.where(unknown < pattern.size, unknown, -1)  # nodes have places of their own
        body, part = np.full((2, pattern.size), -1, np.int64)
        b, c = np.nonzero(unknown >= 0)
        body[unknown[b, c]], part[unknown[b, c]] = b, c
        first = np.concatenate([[0], np.cumsum((unknown >= 0).sum(axis=1))])
        columns = np.repeat(np.arange(pattern.size), np.diff(pattern.indptr))
        nodes = super_nodes(pattern.size, pattern.indices, columns, groups, after)
        base = Base(
            i(pattern.indptr),
            i(pattern.indices),
            body,
            part,
            i(first),
            i(whole.positions),
            np.searchsorted(np.unique(groups), [leads(b)[0] for b in range(n)]),
            i(np.searchsorted(pattern.tbody, np.arange(n + 1))),
            i(pattern.triple_rows),
            nnz,
        )
        self.mode = "all-pairs" if condensed and contacts.activation == "unknown-forces" else contacts.activation
        self._triples = len(pattern.tbody)
        self._seen = -1
        self.blocks = Activation(n, pattern.size, base, nodes, None if self.mode == "active" else contacts.body_pairs)
        self.lu = self.blocks.lu
        inside = n * (n - 1) // 2 if self.mode == "active" else int((contacts.body_pairs < n).all(axis=1).sum())
        self.places = Places(
            self.blocks, min(inside, max(len(self.blocks.blocks.pa) // 2, 2 * n, 64)), _fixed(node_pairs, of_nodes, n)
        )
        self._make_room(len(self.places.keys))
        if self.mode == "unknown-forces":
            if len(node_pairs):
                raise system.node_elements[0].error(
                    "contact forces as unknowns do not support nodes; choose another arrangement of contacts"
                )
            self._name_forces(unknown)
        self._attach()

    def linearise(self, t: float, y: np.ndarray, cm: float, aa: float, au: float, ax: float) -> None:
        """`linearise` at (t, y); redundant rows are looked for unless the graph of the mechanism is a tree."""
        if self._handle[0] != self.version:
            self._handle = self.version, make_handle(self.S, self.W, Linear(self.I))
        linearise(self._handle[1], float(t), y, not self.tree, float(cm), float(aa), float(au), float(ax))

    # ---- contacts ----------------------------------------------------------------------------------------------------
    def follow(self) -> bool:
        """Exchange the contact blocks when other pairs are near.  Returns True when the pattern is another one: the
        numbers of the LU are worth nothing before the next factorisation."""
        c = self.contacts
        if c is None or self.mode != "active" or c.version == self._seen:
            return False
        self._seen = c.version
        return self.use_pairs(c.near_bodies())

    def meets_others(self) -> bool:
        """Are pairs near that the matrix has no blocks for?"""
        c = self.contacts
        return (
            c is not None and self.mode == "active" and c.version != self._seen and self.blocks.lacks(c.near_bodies())
        )

    def use_pairs(self, pairs) -> bool:
        """Blocks of these pairs of bodies (k, 2), in any order, ground or -1 for what is not in the matrix; returns as
        `follow`."""
        changed, moved = self.blocks.use(np.ascontiguousarray(pairs, np.int64).reshape(-1, 2))
        if changed:
            before = self.places.version
            self.places.set(self.blocks.blocks)
            self.version += self._make_room(0) or moved
            if self.places.version != before:
                self._attach()
        return changed

    def _attach(self) -> None:
        """Tell the engine its places; ``S.contacts`` holds addresses, which are replaced in place."""
        scratch = self.unknowns.scratch if self.unknowns is not None else 0
        addresses = self.contacts.attach(self.places, scratch)
        if self.S.contacts is self.system.S.contacts:
            self.S = self.S._replace(contacts=self.S.contacts.copy())
        self.S.contacts[[0, 1, 4]] = addresses

    def _make_room(self, pairs: int) -> bool:
        """Put the triples of the present blocks behind those of the base, and see that K, C, data and triples have
        space for them, and for ``pairs`` near pairs; True when arrays are new."""
        I, im, blocks = self.I, self.I.im, self.blocks.blocks
        nnz, first = self.pattern.nnz, self._triples
        entries, triples = max(blocks.entries, 72 * pairs), max(len(blocks.tbody), 12 * pairs)
        moved = False
        if nnz + 1 + entries > len(I.K):
            size = nnz + 1 + max(entries, 2 * (len(I.K) - nnz - 1))
            I = I._replace(K=np.zeros(size), C=np.zeros(size), data=np.zeros(size))
            moved = True
        if first + triples > len(im.tbody):
            room = first + max(triples, 2 * (len(im.tbody) - first))
            trow, tbody = np.zeros((room, 3), np.uint32), np.zeros(room, np.uint32)
            trow[:first], tbody[:first] = im.trow[:first], im.tbody[:first]
            im = im._replace(trow=trow, tbody=tbody)
            moved = True
        k = first + len(blocks.tbody)
        im.trow[first:k], im.tbody[first:k] = blocks.trow, blocks.tbody
        im.used[:] = nnz + 1 + blocks.entries, k
        self.I = I._replace(im=im)
        return moved

    def _name_forces(self, unknown) -> None:
        """Three unknowns for every contact that is defined."""
        c, z = self.contacts, np.zeros
        pairs, near, count = c.every_pair()
        self.unknowns = u = UnknownForces(
            self.blocks, self.places, pairs, np.concatenate([unknown, np.full((1, MOVES), -1)]), near, count
        )
        self.lu = u.lu
        self.I = self.I._replace(
            K=z(u.at),
            C=z(u.at),
            data=z(u.places),
            rhs=z(u.lu.n),
            cor=z(u.lu.n),
            ref=z(u.lu.n),
            im=self.I.im._replace(unknowns=u.unknowns),
        )

    def equation_words(self, k: int) -> str:
        """Name of equation ``k`` of the linear system in the words of the model."""
        p = self.pattern
        if k >= p.size:
            return f"the force of contact {(k - p.size) // 3}"
        k = int(p.inside[k])
        if k >= p.nq + p.nx:
            return self.system.row_words(k - p.nq - p.nx)
        if k >= p.nq:
            return self.system.state_words(k - p.nq)
        if p.moves[k] >= MOVES * (p.n + 1):
            return self.system.tail_words(int(p.moves[k]) - MOVES * (p.n + 1))
        b = int(np.searchsorted(p.at, k, side="right") - 1)
        c = k - int(p.at[b])
        what = "force" if c < 3 else "torque"
        return f"{self.system.body_elements[b].label}: {what} balance about {'xyz'[c % 3]}"


# ---- kernels ---------------------------------------------------------------------------------------------------------
@jit(apart=True)
def residual(S, W, I, t, y, cm, aa, au, ax):
    """Right-hand side of the iteration, minus the scaled residual, at (t, y), accelerations I.acc, I.xd, multipliers
    I.lam.

    Leaves frames, rows, F (with -G^T lam added) current.  Velocity and acceleration motions stand for
    (G u + phit)/au and (G u' - gamma)/aa.
    """
    evaluate_frames(S, W, y)
    evaluate_constraints(S, W, t, y)
    balance(S, W, I, t, y, cm, aa, au, ax)


@jit(apart=True)
def balance(S, W, I, t, y, cm, aa, au, ax):
    """The part of `residual` that follows when frames and rows are current."""
    acc = I.acc
    for r in range(S.rows.m):
        W.lam[r] = I.lam[r]
    for c in range(S.bodies.moves):
        W.acc[c] = acc[c]
    follow_carriers(S.bodies, W.acc)
    evaluate_forces(S, W, t, y, I.yd)
    F = W.F
    add_GT(S.rows, W.rw.B, I.lam, F, -1.0)
    condense_coupled(S.bodies, F)
    scale = 1.0 / aa
    multiply_mass(S.bodies, cm, acc, W.z)
    moves = I.im.moves
    for k in range(moves.shape[0]):
        c = moves[k]
        I.res[k] = scale * (F[c] - W.z[c] - I.bias[c])
    o = I.im.nq
    for k in range(I.im.nx):
        I.res[o + k] = (I.yd[S.bodies.end + k] - cm * I.xd[k] - I.xbias[k]) / ax
    o += I.im.nx
    for r in range(S.rows.m):
        if S.rows.level[r] == 0:
            I.res[o + r] = -W.rw.phi[r]
        else:
            if S.rows.level[r] == 1:
                I.res[o + r] = -(row_speed(S.rows, W.rw.G, r, y) + W.rw.phit[r]) / au
            else:
                open_ = row_times(S.rows, W.rw.G, r, W.acc) - W.rw.gamma[r] - S.rows.compliance[r] * I.lam[r]
                I.res[o + r] = -open_ / aa


@jit(apart=True)
def stiffness(S, W, I, t, y):
    """I.K = d(-F + G^T lam)/d(q, x), I.C = -dF/du, in the pattern of the matrix.  Frames, rows and lam must be
    current."""
    K = I.K
    C = I.C
    for p in range(I.im.used[0]):
        K[p] = 0.0
        C[p] = 0.0
    if I.im.unknowns.defined > 0:
        clear(I.im.unknowns, K, C)
    gyroscopic_damping(S.bodies, y, I.im.spin_pos, C)
    coupled_stiffness(S.bodies, y, K, C)
    add_row_stiffness(S.rows, S.fr, W.R, I.lam, W.rw.angle, I.im.kmap, I.im.rmap, I.im.tmap, K, I.im.ws)
    add_stiffness(S, W, t, y, K, C)
    contact_stiffness(S, W, t, y, K, C)
    coupled_node_stiffness(S.bodies, y, K, C)


@jit(apart=True)
def assemble(S, W, I, data, y, drop, cm, aa, au, ax, ba, bu):
    """``data`` (I.data, or a complex one with complex coefficients) from I.K, I.C, G.  drop: the redundant rows
    (W.skip) are taken out."""
    im = I.im
    C = I.C
    ka = 1.0 / aa
    ca = au / aa
    for p in range(im.used[0]):
        data[p] = ka * I.K[p] + ca * C[p]
    convect_damping(C, im.trow, im.tbody, im.used[1], y, bu / aa, data)
    add_mass(S.bodies, cm, ba / aa, cm / aa, y, I.acc, im.mass_pos, im.spin_pos, data)
    if im.nx > 0:
        f = aa / ax
        for k in range(im.xpos.shape[0]):
            data[im.xpos[k]] *= f
        for k in range(im.nx):
            data[im.xdiag[k]] += cm
    for k in range(im.gsrc.shape[0]):
        data[im.gpos[k]] = I.G[im.gsrc[k]]
        data[im.gtpos[k]] = I.B[im.gsrc[k]]
    for r in range(S.rows.m):
        data[im.lmap[r]] = -S.rows.compliance[r] if W.rw.soft.shape[0] == 0 else -W.rw.soft[r, 1] - S.rows.compliance[r]
        if drop and W.skip[S.ldl.place[r]]:
            for q in range(S.rows.rp[r], S.rows.rp[r + 1]):
                for c in range(MOVES):
                    data[im.gmap[q, c]] = 0.0
                    data[im.gtmap[q, c]] = 0.0
            data[im.lmap[r]] = -1.0
    coupled_gradients(S.bodies, data)
    if im.unknowns.defined > 0:
        expand(im.unknowns, S.bodies, W.R, y, I.K, C, ka, ca, bu / aa, data)


@jit
def mask_dropped(S, W, I):
    """Redundant rows: multiplier zero.  Their right-hand side is zeroed by `solve`."""
    for r in range(S.rows.m):
        if W.skip[S.ldl.place[r]]:
            I.lam[r] = 0.0


@jit(apart=True)
def decide_rows(S, W, I, eps):
    """Which rows are redundant at the present point (frames and rows current).  Returns pivot ratio, number dropped."""
    worst, dropped = factor_schur(S, W, eps, 0)
    if dropped > 0:
        mask_dropped(S, W, I)
    return worst, dropped


@jit(
    entry=(
        "Handle(Tables, Work, Linear(Iteration)), float64, float64[::1], boolean, float64, float64, float64, float64"
    )
)
def linearise(handle, t, y, search, cm, aa, au, ax):
    """Residual and matrix at (t, y) for those who ask from Python; au 0 (statics): rows of velocities count as they
    are.

    One kernel for all of them: Python hands over a handle.  Called one by one with tables, `residual` and its like
    would be compiled, with all that they call, a second time.
    """
    S = view_S(handle)
    W = view_W(handle)
    I = view_P(handle).I
    residual(S, W, I, t, y, cm, aa, au if au > 0.0 else 1.0, ax)
    if search:
        decide_rows(S, W, I, REDUNDANT)
    stiffness(S, W, I, t, y)
    assemble(S, W, I, I.data, y, search, cm, aa, au, ax, 0.0, 0.0)


@jit(apart=True)
def solve(S, W, I, lu, drop, refine):
    """I.sol from I.res; multipliers in it are scaled (add aa * sol)."""
    if drop:
        o = I.im.nq + I.im.nx
        for r in range(S.rows.m):
            if W.skip[S.ldl.place[r]]:
                I.res[o + r] = 0.0
    inside = I.im.inside
    for k in range(inside.shape[0]):
        I.rhs[k] = I.res[inside[k]]
    lu_solve(lu, I.rhs, I.cor)
    if refine:
        lu_refine(lu, I.data, I.rhs, I.cor, I.ref)
    for k in range(inside.shape[0]):  # the others stay zero
        I.sol[inside[k]] = I.cor[k]
