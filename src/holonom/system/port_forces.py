"""Elements of registered types of force (`elements.kinds`) in one system: their numbers, states, inputs, and positions
in the iteration matrix."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .._address import address_of
from .._handle import make_handle
from ..elements.bodies import layout
from ..elements.frames import WRENCH
from ..elements.kinds import FORCES, SHIPPED, ForceKind
from ..model.orientation import Frame
from . import functions as fk
from .port_entry import ADDRESSES, DATA_ADDRESS, DERIVATIVES, LOOP, PULL


class PortForces:
    """``elements``, ``kinds`` (m,): in the order of `elements.kinds.FORCES`; ``ports`` (m,): markers of each;
    ``states``: keys of their states;
    ``addresses``: what ``S.ports`` of the equations of motion is.  Raises ModelError for what a kind refuses."""

    def __init__(self, system: Any):
        self.system = system
        model = system.model
        found = [
            (e, kind)
            for name, kind in FORCES.items()
            if kind.force is not None
            for e in model.table(name).values()
            if e.active and e.ports
        ]
        self.elements = [e for e, _ in found]
        self.kinds: list[ForceKind] = [kind for _, kind in found]
        # a force without another marker acts against ground
        self.ports = [tuple(e.ports) if len(e.ports) > 1 else (*e.ports, 0) for e in self.elements]
        self.frames = [[self._frame(p) for p in ports] for ports in self.ports]
        place = lambda marker: system.design(system.frame(marker))
        self.values = [self._numbers(e, kind.values(e, model)) for e, kind in found]
        self.start = [self._numbers(e, kind.states(e, place)) for e, kind in found]
        self.states = [(e.KIND, e.id, c + 1) for e, x in zip(self.elements, self.start) for c in range(len(x))]
        #: positions in the tail of the coordinates that each sees
        self.bent = [self._seen(e, kind) for e, kind in found]
        self._tables = [kind.tables(e, system) if kind.tables is not None else None for e, kind in found]
        for row, handle in zip(self.values, self._tables):
            if handle is not None:
                row[0] = handle.address
        #: those that bound steps
        self._bounding = [k for k, kind in enumerate(self.kinds) if kind.horizon is not None]
        self._found: dict[int, Any] = {}
        self.functions: list[list[int]] = []
        self.addresses = np.zeros(ADDRESSES, np.int64)
        self._first_state = 0
        self._handles: list[Any] = []  # of matrices: kernels hold their addresses

    def _seen(self, element: Any, kind: ForceKind) -> np.ndarray:
        if kind.coordinates is None:
            return np.zeros(0, np.int64)
        bent = kind.coordinates(element, self.system.model)
        return np.concatenate([np.array([k for k, e in enumerate(self.system.tail) if e is b], np.int64) for b in bent])

    def _frame(self, marker: int) -> int:
        """Frame of a marker; of one that floats a frame of its part: where a whole wrench acts on a body does not
        matter."""
        m = self.system.model.markers.get(marker)
        if m is not None and m.floating:
            return self.system.frame_on(self.system.body_of(m), Frame.identity())
        return self.system.frame(marker)

    @staticmethod
    def _numbers(element: Any, values: Any) -> np.ndarray:
        values = np.array(values, float).ravel()
        if not np.isfinite(values).all():
            raise element.error("its numbers are not all finite; correct them")
        return values

    @property
    def bounding(self) -> bool:
        """Whether `goal` may be before what it is given."""
        return bool(self._bounding)

    def goal(self, t: float, y: np.ndarray, goal: float) -> float:
        """Where a step from (t, y) must end, at ``goal`` at the latest, so that no force begins to act unseen."""
        for k in self._bounding:
            horizon = self.kinds[k].horizon
            if self.elements[k].active and horizon is not None:
                goal = min(goal, t + horizon(k, self.system, self._tables[k], t, y))
        return goal

    def turning(self) -> Iterator[tuple[int, int, int]]:
        """(frame, last frame, row of ``W.ref``) for each frame of the elements whose angles are counted."""
        S = self.S
        for k in np.flatnonzero(S.turns):
            last = int(S.first[k + 1]) - 1
            for q in range(int(S.first[k]), last):
                yield int(S.frame[q]), int(S.frame[last]), q

    def once(self, k: int, find: Callable[[], Any]) -> Any:
        """What ``find`` gives for element number ``k``, found once for this system."""
        if k not in self._found:
            self._found[k] = find()
        return self._found[k]

    def pose(self, k: int, which: int, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Origin, axes (columns), velocity and angular velocity in ground of one of the frames of element number ``k``
        at the state y."""
        body, place, axes = self.system.frame_list[self.frames[k][which]]
        if body == self.system.nb:  # ground, of which not every method keeps a state
            return place, axes, np.zeros(3), np.zeros(3)
        state, frame = layout.body(y, body), self.system.body_frame(y, body)
        w, arm = frame.axes @ state[layout.SPIN], frame.axes @ place
        return frame.origin + arm, frame.axes @ axes, state[layout.VELOCITY] + np.cross(w, arm), w

    def wrenches(self) -> list[tuple[Any, int, int]]:
        """(element, marker, last marker) for each frame but the last of each: rows among the wrenches
        (`port_kernels`)."""
        return [(e, p, ports[-1]) for e, ports in zip(self.elements, self.ports) for p in ports[:-1] or ports]

    def compile(self, functions: Any) -> None:
        """Functions of inputs, and the place of the states behind those that ``functions`` has so far."""
        model = self.system.model
        self.functions = [
            [functions.set.compile(e, str(text)) for text in kind.inputs(e, model)]
            for e, kind in zip(self.elements, self.kinds)
        ]
        self._first_state = functions.nx
        for key, x in zip(self.states, (v for start in self.start for v in start)):
            functions._add_state(key, x)

    def state_words(self, key: tuple) -> str:
        """What a state is, of which element."""
        k = next(k for k, e in enumerate(self.elements) if (e.KIND, e.id) == key[:2])
        words = self.kinds[k].state_words
        return f"{words[key[2] - 1] if len(words) >= key[2] else f'state {key[2]}'} of {self.elements[k].label}"

    def tables(self) -> None:
        """Tables and work, once the system has those of its frames and functions; their addresses go to
        ``addresses``."""
        if not self.elements:
            return
        from .port_kernels import ENTRY, LAW, Ports, PortWork, port_engine

        s = self.system
        m = len(self.elements)
        heap = lambda rows: np.concatenate([[0], np.cumsum([len(r) for r in rows])]).astype(np.int64)
        flat = lambda rows, kind: np.array([v for row in rows for v in row] or [0], kind)
        law = np.zeros((m, 4), np.int64)
        for k, kind in enumerate(self.kinds):
            law[k, :2] = address_of(kind.force, LAW), address_of(kind.energies, LAW)
        self._bent = [self._modal(e, kind) for e, kind in zip(self.elements, self.kinds)]
        index = s.functions._wrench_index
        self.S = Ports(
            fr=s.S.fr,
            law=law,
            first=heap(self.frames),
            frame=flat(self.frames, np.int64),
            value_at=heap(self.values),
            value=flat(self.values, float),
            state_at=heap(self.start) + self._first_state,
            input_at=heap(self.functions),
            function=flat(self.functions, np.int64),
            turns=np.array([kind.turns for kind in self.kinds], np.int64),
            offset=s.bodies.end,
            wrench=np.array([index[e.KIND, e.id] for e in self.elements], np.int64),
            modal_at=heap([places for places, _ in self._bent]),
            modal=np.concatenate(
                [
                    np.stack([layout.unknowns(s.nb) + places, layout.end(s.nb, 0) + s.bodies.tail + places], 1)
                    for places, _ in self._bent
                ]
            ),
            modal_load=np.concatenate([loads for _, loads in self._bent]),
            bent_at=heap(self.bent),
            bent=np.concatenate(
                [
                    np.stack(
                        [
                            layout.unknowns(s.nb) + places,
                            layout.end(s.nb) + places,
                            layout.end(s.nb) + s.bodies.tail + places,
                        ],
                        1,
                    )
                    for places in self.bent
                ]
            ),
        )
        n = max(map(len, self.frames))
        nx, nu = max(map(len, self.start)), max(map(len, self.functions))
        w, nq = WRENCH * n, max(len(places) for places, _ in self._bent)
        seen = max(map(len, self.bent))
        z, f, fn = np.zeros, s.W.f, s.S.fn
        self.W = PortWork(
            u=z(int(self.S.input_at[-1] + 2 * self.S.bent_at[-1]) + 1),
            ref=z((int(self.S.first[-1]), 3)),
            W=z(WRENCH * int(self.S.first[-1])),
            D=z((w + nx + seen, 2 * w + nx + nu + 2 * seen)),
            xd=z(nx + seen + 1),
            out=z(3),
            KL=z((w, w)),
            CL=z((w, w)),
            g=z(24 + w + nx + max(nq, seen)),
            idx=z(n, np.int64),
            body_at=z((m, 3), np.int64),
            body=z(1, np.uint32),
            column_pos=z(1, np.uint32),
            row_pos=z(1, np.uint32),
            diagonal_pos=z(1, np.uint32),
            input_pos=z(1, np.uint32),
            input_ptr=z(int(self.S.input_at[-1]) + 1, np.int64),
            bent_ptr=z(m + 1, np.int64),
            bent_pos=z(1, np.uint32),
            fval=f.fval,
            flat=f.flat,
            flat_ptr=fn.flat_ptr,
            flat_input=fn.flat,
            kind=fn.inputs.kind,
            islot_ptr=fn.islot_ptr,
            islot=f.islot,
            all_wrenches=s.wrenches.out,
            bar=z(len(self.S.value)),
            wanted=np.zeros(len(self.S.value), np.uint8),
        )
        self._handle = make_handle(self.S, self.W, ())
        self.addresses[[LOOP, DATA_ADDRESS]] = address_of(port_engine, ENTRY), self._handle.address

    def _modal(self, element: Any, kind: ForceKind) -> tuple[np.ndarray, np.ndarray]:
        """Positions in the tail, and forces there for a first input of one, of a force on modes; none of others."""
        if kind.modal is None:
            return np.zeros(0, np.int64), np.zeros(0)
        flexibility, loads = kind.modal(element, self.system.model)
        places = np.array([k for k, e in enumerate(self.system.tail) if e is flexibility], np.int64)
        return places, self._numbers(element, loads)

    def request(self, pattern: Any):
        """Require the entries of the iteration matrix; the answer, called when positions are known, gives addresses of
        tables with them for ``S.ports``."""
        if not self.elements:
            return None
        from .port_kernels import ENTRY, port_stiffness

        body, S = self.system.S.fr.body, self.S
        asked = []
        for k, frames in enumerate(self.frames):
            mine = pattern.unknown(body[np.array(frames)]).ravel()  # (6 n,)
            states = pattern.state(np.arange(S.state_at[k], S.state_at[k + 1]))
            tail = self._bent[k][0]
            both = np.concatenate(
                [mine, states, pattern.unknown(pattern.n + 1 + tail // layout.MOVES, tail % layout.MOVES)]
            )
            inputs = []
            for e in self.functions[k]:
                columns = list(self._columns(pattern, e))
                rows = [np.tile(both[:, None], (1, len(c))).ravel() for c in columns]
                cols = [np.tile(c, len(both)) for c in columns]
                join = lambda parts: np.concatenate(parts) if parts else np.zeros(0, np.int64)
                inputs.append(pattern.entries(join(rows), join(cols), damping=True))
            asked.append(
                (
                    pattern.entries(mine[:, None], mine[None, :], damping=True),
                    pattern.entries(mine[None, :], states[:, None]),
                    pattern.entries(states[:, None], mine[None, :], damping=True),
                    pattern.entries(states[:, None], states[None, :]),
                    inputs,
                    self._bent_entries(pattern, mine, self.bent[k]),
                )
            )

        def fill() -> np.ndarray:
            joined = lambda parts: np.concatenate([p.positions.ravel() for p in parts] or [np.zeros(0)]).astype(
                np.uint32
            )
            at = lambda parts: np.concatenate([[0], np.cumsum([p.positions.size for p in parts])]).astype(np.int64)
            blocks, columns, rows, diagonals, inputs, bent = zip(*asked)
            of_inputs = [q for group in inputs for q in group]
            of_bent = [q for group in bent for q in group]
            W = self.W._replace(
                body_at=np.ascontiguousarray(np.stack([at(blocks), at(columns), at(diagonals)], 1)[:-1]),
                body=joined(blocks),
                column_pos=joined(columns),
                row_pos=joined(rows),
                diagonal_pos=joined(diagonals),
                input_pos=joined(of_inputs),
                input_ptr=at(of_inputs),
                bent_pos=joined(of_bent),
                bent_ptr=np.ascontiguousarray(at(of_bent)[np.concatenate([[0], np.cumsum([len(g) for g in bent])])]),
            )
            self.find_tangents()
            self._handles.append(make_handle(S, W, (), like=self._handle))
            addresses = self.addresses.copy()
            addresses[[DATA_ADDRESS, DERIVATIVES]] = self._handles[-1].address, address_of(port_stiffness, ENTRY)
            return addresses

        return fill

    def find_tangents(self) -> None:
        """Addresses of the tangents of all, and the numbers that these need."""
        from .port_kernels import TANGENT, TANGENT_LAW

        S = self.S
        for k, kind in enumerate(self.kinds):
            S.law[k, TANGENT_LAW] = address_of(kind.tangent, TANGENT)
            if kind.late is not None:
                kind.late(self.elements[k], self.system.model, S.value[S.value_at[k] : S.value_at[k + 1]])

    def differentiate(self, wanted: np.ndarray) -> None:
        """Let ``S.ports`` of the equations of motion have a pull, with cotangents of the ``wanted`` numbers."""
        if not self.elements:
            return
        from .port_kernels import NUMBERS, NUMBERS_LAW
        from .port_pull import ENTRY, port_pull

        self.find_tangents()
        self.W.wanted[:] = wanted
        self.W.bar[:] = 0.0
        at = self.S.value_at
        for k, kind in enumerate(self.kinds):
            shipped = kind.element.KIND in SHIPPED  # those from outside are not examined by their numbers
            if shipped and kind.numbers is not None and self.W.wanted[at[k] : at[k + 1]].any():
                self.S.law[k, NUMBERS_LAW] = address_of(kind.numbers, NUMBERS)
        self.addresses[PULL] = address_of(port_pull, ENTRY)

    def on_frames(self, fr: Any) -> np.ndarray:
        """Addresses for ``S.ports`` of the same forces on other frames, whose work and numbers are shared."""
        addresses = self.addresses.copy()
        if self.elements:
            self._handles.append(make_handle(self.S._replace(fr=fr), self.W, (), like=self._handle))
            addresses[DATA_ADDRESS] = self._handles[-1].address
        return addresses

    @staticmethod
    def _bent_entries(pattern: Any, mine: np.ndarray, tail: np.ndarray) -> list[Any]:
        """Rows of the bodies by columns of coordinates of the tail, their rows by columns of the bodies, and
        themselves."""
        if not len(tail):
            return []
        own = pattern.unknown(pattern.n + 1 + tail // layout.MOVES, tail % layout.MOVES)
        return [
            pattern.entries(mine[None, :], own[:, None], damping=True),
            pattern.entries(own[:, None], mine[None, :], damping=True),
            pattern.entries(own[:, None], own[None, :], damping=True),
        ]

    def _columns(self, pattern: Any, e: int):
        """Columns (k, 6 or 1) that the gradient of function e touches, in the order in which `port_stiffness` meets
        them."""
        s = self.system.functions.set
        for i in s.flat[e]:
            item = s.inputs[i]
            if item.kind == fk.MEASURE:
                for q in range(s.islot_ptr[i], s.islot_ptr[i + 1]):
                    yield pattern.unknown(np.array([s.islot_body[q]]))[0]
            elif item.kind == fk.STATE:
                yield np.atleast_1d(pattern.state(item.args[0]))
