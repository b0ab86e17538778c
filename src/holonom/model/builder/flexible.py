"""Flexible bodies."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import ModelError, shown
from ..bodies import Marker
from ..flexible import FORMULATIONS, Attachment, Flexibility
from ..flexible_loads import nodal_loads, pressed
from ..implausible import reduced_body
from ..reduced_body import ReducedBody, nearest_node, unit_scales
from ..values import formula, listed, number, number_tuple, vector, whole
from .kinds import Kinds
from .teaching import teach

HEAVIER = 0.01  # relative difference of the mass of a part and of its finite elements that is reported
WILDLY = 50.0  # factor between these masses that looks like other units
FAR = 0.5  # distance of a marker from all nodes, compared with the size of the elements, that is reported
MODES = 10
HELD = 0.5  # share of a damping ratio of free modes, below which that of the body held at an interface is reported
MOST_MODES = 200  # where an accuracy chooses them
# m/s: no material carries waves faster (diamond: 18,000); the estimate of finite elements may be twice too high
FASTEST = 4e4


def _of_material(elements: Any, material: Any) -> Any:
    """Finite elements or a reduced body, of a mesh those of its material."""
    if hasattr(elements, "of") and hasattr(elements, "cells"):
        if material is None:
            raise ModelError(
                "a mesh has no stiffness without a material; give model.make_flexible(part, mesh, "
                "holonom.flexible.Material(E, nu, density))"
            )
        return elements.of(material)
    if not isinstance(elements, ReducedBody) and not hasattr(elements, "reduced"):
        raise ModelError(
            f"elements is {shown(elements)}; give finite elements (holonom.flexible.beam, solid, ...), a mesh or a "
            "reduced body"
        )
    if material is not None:
        raise ModelError(f"material is {shown(material)}, but the elements have theirs already; leave it out")
    return elements


def _absolute(body: Any, elements: Any, of_modes: dict[str, Any]) -> Any:
    """What makes the elements a beam in absolute nodal coordinates.  Raises ModelError where they cannot be one, and
    for arguments ``of_modes`` that are given."""
    made = getattr(elements, "absolute", None)
    if made is None:
        raise body.error(
            "in absolute nodal coordinates it is not a part any more; take holonom.flexible.ancf_part(model, part, "
            "points, section, ...)"
        )
    for word, value in of_modes.items():
        if value is not None and not (word == "damping" and isinstance(value, (int, float)) and value == 0):
            raise body.error(
                f"{word} is of modes, which it has not in absolute coordinates; leave it out, or take "
                "holonom.flexible.ancf_part"
            )
    return made


def _reduced_before(body: Any, reduced: ReducedBody, units: Any, of_elements: dict[str, Any]) -> ReducedBody:
    """A body that was reduced already, in units of the model.  Raises ModelError for arguments ``of_elements`` that are
    given."""
    for word in ("interfaces", "highest", "effective"):
        if of_elements[word] is not None:
            raise body.error(
                f"a reduced body has its modes already; leave {word} out, or give it to holonom.flexible.reduce"
            )
    try:
        reduced = reduced.in_units(units)
    except ModelError as error:
        raise body.error(str(error)) from None
    for word in ("units", "loads"):
        if of_elements[word] is not None:
            raise body.error(f"{word} is of finite elements; a reduced body has its own, leave it out")
    return reduced


def _tied(elements: Any, interfaces: Any) -> tuple[Any, Any]:
    """Elements with the spiders among the interfaces, and the ids of all interfaces (None: those with markers)."""
    if interfaces is None:
        return elements, interfaces
    try:
        given = list(interfaces)
    except TypeError:
        raise ModelError(f"interfaces is {shown(interfaces)}; give ids of nodes and spiders") from None
    spiders = [k for k in given if hasattr(k, "nodes") and hasattr(k, "at")]
    if not spiders:
        return elements, given
    if not hasattr(elements, "tied"):
        raise ModelError("its elements take no spiders; give finite elements (holonom.flexible.solid, shell, beam)")
    before = len(elements.markers[0])
    elements = elements.tied(*spiders)
    new = iter(elements.markers[0][before:])
    return elements, [next(new) if hasattr(k, "nodes") else k for k in given]


@teach
class Flexible(Kinds):
    """Modes of parts."""

    if TYPE_CHECKING:  # what Model provides
        units: Any
        warn: Any
        gravity: Any

        def add(self, element: Any) -> Any: ...
        def find(self, kind: str, reference: Any) -> Any: ...
        def table(self, kind: str) -> dict[int, Any]: ...
        def body_frame(self, body: Any) -> Any: ...
        def _body(self, reference: Any) -> Any: ...
        def variable(self, function: Any, *, name: str = "") -> Any: ...

    def make_flexible(
        self,
        part,
        elements,
        material=None,
        *,
        modes: int | None = None,
        damping=0.0,
        highest: float | None = None,
        effective: float | None = None,
        interfaces=None,
        geometric: bool = True,
        q=None,
        speed=None,
        invariants: str = "full",
        formulation: str = "floating",
        quasi_static: bool = False,
        contact=None,
        accuracy: float | None = None,
        shortest: float | None = None,
        loads=None,
        units: str | None = None,
        name: str = "",
        id: int = 0,
    ) -> Flexibility:
        """Make a part flexible: u = sum_j q_j phi_j in a frame that floats with it (mean axes;
        `holonom.flexible.reduce`).

        ``elements``: finite elements of the free body (`holonom.flexible.beam`, `solid`, ...), a mesh of tetrahedra or
        hexahedra with its ``material`` (or region of the mesh -> material), in ground at the design position of the
        part, or a body that was reduced already
        (`holonom.flexible.ReducedBody`, of masses in force time^2 / length; of other units where it gives its own), or
        its file. Joints, forces and shapes already on the part are attached to the nodes nearest to their markers, and
        so are markers added later; all keep their position and axes. Mass, centre of mass and inertia of the part
        become those of the finite elements.

        ``modes``: number of fixed-interface modes in addition to the constraint modes of the interfaces (six per node,
        minus the rigid-body modes; default 10); ``highest``: frequency (rad per time) above which fixed-interface modes
        are omitted (constraint modes are kept); ``effective``: share of the effective modal mass, along and about each
        axis, that the fixed-interface modes are to make up, the largest first (nodes with rotations: beams, shells,
        spiders);
        ``damping``: damping ratio of the free body, one for all modes, one per mode, or a function of the frequency
        (rad per time; `holonom.flexible.rayleigh`); damping ratios of the assembled mechanism differ; ``interfaces``:
        ids of interface nodes, at which statics is exact, and spiders (`holonom.flexible.spider`), whose reference
        nodes are interface nodes too (default: the nodes that have markers); ``geometric``: geometric (stress)
        stiffening; ``q``, ``speed``: initial modal coordinates and rates; ``invariants``: "full", or "constant", which
        omits inertia terms of second order in q and with them part of the stiffening and softening by rotation: for
        parts with many modes that rotate slowly compared with their lowest frequency.

        ``formulation``: "floating", modes in a floating frame of reference with all inertia terms, or "KED"
        (kineto-elastodynamics): linear vibration about the motion of the rigid mechanism, with an estimate of its error
        in the results; both cannot be mixed in one model; or "ANCF", for straight beams (`holonom.flexible.beam`): the
        part becomes a beam in absolute nodal coordinates, which is returned (`holonom.flexible.ancf_part`).
        ``quasi_static``, for KED: deflections follow the loads without vibration.

        ``contact``: the region of the surface that may come into contact: ids of nodes, the name of a group of the
        mesh, or a function of the positions (a, 3) in ground that returns booleans. The modes then include static
        shapes for three unit forces on each of its nodes; `surface_contact` defines what they touch. With an
        ``accuracy`` (of contact forces, such as 0.02) there are no such modes: the nodes of the region have a local
        compliance that responds to normal forces without inertia, so that hundreds of nodes are cheap, and enough
        ``modes`` are used (default: up to 200) that the inertia of the local deformation is negligible, for a hard
        partner of the same mass or for forces that rise and fall within the ``shortest`` time (``dents`` in
        `holonom.flexible`); `SurfaceView.lacking` gives the error in a run.

        ``loads``: distributions whose static shapes are among the modes: a list of dictionaries with the arguments of
        `modal_force`, ``{"pressure": 1.0}`` or ``{"nodes": {7: (0, 0, 1)}}`` (axes of ground), or forces on the
        degrees of freedom of the nodes (freedoms, k). ``units``: units of the finite elements, such as "mm, N, s"
        (length, force, time; masses are then in force time^2 / length, here tonnes). Without it masses are in the
        model's unit of mass, or in force time^2 / length of the model where the mass of the part or the wave speed
        indicates this; a warning is then issued.

        Call it after the joints and forces of the part, or list their nodes in ``interfaces``: a warning is issued when
        a run or `check` finds joints, forces or contact shapes on other nodes at which the modes miss more than 5 % of
        the static deflection. Raises `ModelError` for ground, for a part that is flexible already, and for finite
        elements that are not free to move as a rigid body.

            link = model.part("link", mass=1.0, inertia=(1, 1, 1), position=(0.5, 0, 0))
            model.revolute(link, model.ground, at=(0, 0, 0), axis=(0, 0, 1))
            bar = hn.flexible.beam((0, 0, 0), (1, 0, 0), hn.flexible.Section.round(0.01), E=2.1e11, density=7850.0)
            model.make_flexible(link, bar, modes=4, damping=0.01)
        """
        body = self._body(part)
        if body.KIND != "PART" or body.ground:
            raise body.error("only a part that moves can be flexible; give one")
        if isinstance(formulation, str) and formulation.strip().upper() == "ANCF":
            of_modes = dict(damping=damping, highest=highest, effective=effective, contact=contact, q=q, speed=speed)
            return _absolute(body, elements, of_modes)(self, body)
        if not isinstance(geometric, (bool, np.bool_)):
            raise body.error(f"geometric is {shown(geometric)}; give True or False")
        for word, value in (("formulation", formulation), ("invariants", invariants)):
            if not isinstance(value, str):
                raise body.error(
                    f"{word} is {shown(value)}; give a keyword, as {'floating' if word == 'formulation' else 'full'!r}"
                )
        if self._flexibility_of(body) is not None:
            raise body.error("it is flexible already; give all its elements at once")
        if isinstance(elements, (str, os.PathLike)):
            elements = self._body_in(body, Path(elements))
        mesh, elements = elements, _of_material(elements, material)
        if isinstance(elements, ReducedBody):
            of_elements = dict(interfaces=interfaces, highest=highest, effective=effective, units=units, loads=loads)
            elements = _reduced_before(body, elements, self.units, of_elements)
        choice = _accuracy(body, accuracy, shortest, contact, elements, effective, highest)
        elements, interfaces = _tied(elements, interfaces)
        frame = self.body_frame(body)
        chosen = [whole(k, "a node in interfaces") for k in interfaces or ()]
        wanted = (
            elements.interfaces
            if isinstance(elements, ReducedBody)
            else [*chosen, *(s.id for s in getattr(elements, "spiders", ()))]
        )
        touching = _region(body, contact, mesh, elements)
        markers = self._nodes_of_markers(body, elements, units, wanted)
        reduced = elements
        if not isinstance(elements, ReducedBody):
            chosen = sorted({node for _, node in markers}) if interfaces is None else chosen
            most = modes if modes is not None else MOST_MODES if choice else MODES
            options: dict[str, Any] = dict(highest=highest, effective=effective, geometric=geometric)
            options |= choice | dict(dents=touching) if choice else dict(touching=touching)
            if loads is not None:
                options["loads"] = _loads(body, elements, loads)
            reduced = self._reduce(body, elements, units, chosen, most, options)
        ratios = _ratios(body, damping, reduced)
        element = Flexibility(
            id=id,
            name=name,
            part=body.id,
            body=reduced,
            origin=vector(-frame.axes.T @ frame.origin),
            axes=tuple(float(v) for v in frame.axes.T.ravel()),
            damping=tuple(number(d, "damping") for d in ratios),
            q=() if q is None else number_tuple(q, "q"),
            speed=() if speed is None else number_tuple(speed, "speed"),
            invariants=str(invariants).lower(),
            formulation=_formulation(formulation),
            quasi_static=quasi_static,
            region=touching,
        )
        wrong = next(iter(element.faults(self)), None)
        if wrong is not None:
            raise body.error(wrong)
        self.add(element)
        self._weigh(body, reduced, frame)
        for text in reduced_body(self, body, reduced):
            self.warn(text)
        self._damped(body, reduced, damping)
        for m, node in markers:
            self._attach(m, element, node)
        return element

    def _nodes_of_markers(self, body: Any, elements: Any, units: str | None, wanted: Any) -> list[tuple[Marker, int]]:
        """Markers of a part and the nearest node of its elements to each, of ``wanted`` first; a warning is issued for
        those that are far from all nodes."""
        scale = 1.0
        if units is not None:  # positions of the elements in lengths of the model
            scale = _scales(body, units)[0] / self.units.si_length
        frame = self.body_frame(body)
        ids, places = elements.markers if hasattr(elements, "markers") else (elements.nodes, elements.places)
        places = scale * np.asarray(places)
        places = (places - frame.origin) @ frame.axes
        own = {body.cm, body.im, body.vm, body.wm}
        markers = [
            (m, nearest_node(ids, places, m.qp, wanted))
            for m in self.table("MARKER").values()
            if (m.body_kind, m.part) == ("PART", body.id) and m.id not in own and not m.floating
        ]
        size = float(np.linalg.norm(np.ptp(places, axis=0)))
        for m, node in markers:
            away = float(np.sqrt(((places - m.qp) ** 2).sum(1).min()))
            if away > FAR * size:
                self.warn(
                    f"{body.label}: {m.label} is {away:.3g} away from the nearest of its nodes, {node}, and the "
                    f"elements are {size:.3g} in size; do their position and unit of length fit the part?"
                )
        return markers

    def _reduce(
        self, body: Any, elements: Any, units: str | None, nodes: Any, modes: Any, options: dict
    ) -> ReducedBody:
        """The reduction of finite elements to modes, in units of the model.  Raises ModelError."""
        factor = 1.0 if units is not None else self._mass_factor(body, elements)
        try:
            reduced = elements.reduced(nodes, whole(modes, "modes"), mass_factor=factor, **options)
            return reduced if units is None else reduced.with_units(units).in_units(self.units)
        except ModelError as error:
            raise body.error(str(error)) from None

    def attachment(self, part, node: int, *, name: str = "") -> Attachment:
        """Node of a flexible part, by its id, as a body on which markers may be put (`marker`: in axes of the part,
        from the node, length).

        Raises `ModelError` for a rigid part and for a node that it does not have.

            tip = model.marker(model.attachment(link, 21), (0, 0, 0))
        """
        body = self._body(part)
        flexibility = self._flexibility_of(body)
        if flexibility is None:
            raise body.error("it is rigid and has no nodes; make it flexible first (model.make_flexible)")
        node = whole(node, "node")
        for other in self.table("ATTACHMENT").values():
            if (other.flexibility, other.node) == (flexibility.id, node):
                return other
        element = Attachment(name=name or f"{body.name}.{node}", flexibility=flexibility.id, node=node)
        for text in element.faults(self):
            raise body.error(text)
        return self.add(element)

    def moving_force(self, part, nodes, place, force, scale="1", *, reaction=None, name: str = "") -> list[Any]:
        """A force that moves along nodes of a flexible body, such as a bridge, a guide or a blade.

        ``nodes``: ids in order along the path; ``place``: expression for the distance from the first node along
        straight lines from node to node, length (beyond the ends there is no force); ``force`` (3,) in axes of the
        part, times ``scale``, an expression. Between two nodes the force is shared by linear interpolation. Returns the
        modal forces (`modal_force`), one per node, and the variable that holds the distance. ``reaction``: as in
        `modal_force`. Raises `ModelError` for a rigid part, fewer than two nodes, and nodes that do not exist or
        coincide.

            bridge_load = model.moving_force(bridge, range(1, 42), "20*time", (0, -5e4, 0))
        """
        body = self._body(part)
        flexibility = self._flexibility_of(body)
        if flexibility is None:
            raise body.error("it is rigid and has no nodes; make it flexible first (model.make_flexible)")
        chain = [whole(k, "a node in nodes") for k in listed(nodes, "nodes", "ids of nodes")]
        rows = flexibility._own.place
        missing = [k for k in chain if k not in rows]
        if missing or len(chain) < 2:
            raise body.error(
                f"it has no node {missing[0]}"
                if missing
                else "nodes has less than two nodes; give those along the way, in order"
            )
        at = flexibility.points[[rows[k] for k in chain]]
        lengths = np.linalg.norm(np.diff(at, axis=0), axis=1)
        if not lengths.min() > 0.0:
            k = int(lengths.argmin())
            raise body.error(f"nodes {chain[k]} and {chain[k + 1]} lie at the same point; name one of them")
        way = self.variable(formula(place, "place"), name=f"{name}.way" if name else "")
        factor = formula(scale, "scale")
        push = vector(force, "force")
        ends = np.concatenate([[0.0], np.cumsum(lengths)]).tolist()
        x = f"VARVAL({way.id})"
        out = []
        for k, node in enumerate(chain):
            up = f"({x}-{ends[k - 1]!r})/{ends[k] - ends[k - 1]!r}" if k else "1"
            down = f"({ends[k + 1]!r}-{x})/{ends[k + 1] - ends[k]!r}" if k + 1 < len(chain) else "1"
            share = f"MAX(0,MIN({up},{down}))"
            if k == 0:
                share = f"IF({x}:0,1,MAX(0,{down}))"
            elif k + 1 == len(chain):
                share = f"IF({x}-{ends[k]!r}:MAX(0,{up}),1,0)"
            label = f"{name}.{node}" if name else ""
            out.append(self.modal_force(body, f"({factor})*{share}", nodes={node: push}, reaction=reaction, name=label))
        return out

    @staticmethod
    def _body_in(body: Any, path: Path) -> ReducedBody:
        if path.suffix.lower() == ".mnf":
            raise body.error(
                f"'{path}': a modal neutral file (.mnf) is a closed format and is not read; reduce the finite elements "
                "from matrices of Nastran, Abaqus or Ansys "
                "(holonom.flexible.read_nastran, ...)"
            )
        if path.suffix.lower() not in (".h5", ".hdf5"):
            raise body.error(
                f"'{path}' is not a file of a reduced body (.h5); read finite elements first "
                "(holonom.flexible.read_nastran, ...)"
            )
        try:
            return ReducedBody.read(path)
        except ModelError as error:
            raise body.error(str(error)) from None

    def _flexibility_of(self, body: Any) -> Flexibility | None:
        if body.KIND != "PART":
            return None
        return next((e for e in self.table("FLEXIBILITY").values() if e.part == body.id), None)

    def _attached(self, body: Any, at: np.ndarray) -> Any:
        """The body on which something at a point (axes of the body) acts: of a flexible part the node nearest to it."""
        flexibility = self._flexibility_of(body)
        if flexibility is None:
            return body
        return self.attachment(body, flexibility.nearest(at))

    def _attach(self, marker: Marker, flexibility: Flexibility, node: int) -> None:
        """Move a marker from its part to a node of it, where it stays in place."""
        attachment = self.attachment(self.find("PART", flexibility.part), node)
        at = np.asarray(marker.qp) - flexibility.shape(node)[0]
        # directions given by points move with the position
        for name in ("zp", "xp"):
            point = getattr(marker, name)
            if point is not None:
                setattr(marker, name, vector(np.asarray(point) - flexibility.shape(node)[0]))
        marker.qp = vector(at)
        marker.part, marker.body_kind = attachment.id, "ATTACHMENT"

    def _damped(self, body: Any, reduced: Any, damping: Any) -> None:
        """Warn where one ratio of all free modes is much less of the first mode of the body held at an interface."""
        if (
            not isinstance(damping, (int, float))
            or not damping > 0.0
            or not len(reduced.interfaces)
            or not reduced.modes
        ):
            return
        node = int(reduced.interfaces[0])
        if (
            reduced.place[node] >= len(reduced.shapes)
            or np.linalg.matrix_rank(reduced.shapes[reduced.place[node], 3:]) == 0
        ):
            return  # its nodes have no rotations: it is not held by one alone
        frequency, ratio = held_ratio(reduced, node, np.full(reduced.modes, float(damping)))
        if ratio < HELD * damping:
            self.warn(
                f"{body.label}: its damping of {damping:g} is that of the modes of the free body: held at node {node} "
                f"its first mode ({frequency:.4g} rad per time) "
                f"has the ratio {ratio:.2g}; for a ratio of the assembled machine leave it at 0 and call "
                f"holonom.assembled_damping(model, {damping:g})"
            )

    def _mass_factor(self, body: Any, elements: Any) -> float:
        """Factor from the masses of finite elements to force time^2 / length: that of the model's unit of mass, or 1
        where they are in the latter already.

        Which of the two is reported by the speed of waves in the elements, sqrt(k / m) times the distance of
        neighbours, which no material has above `FASTEST`, and by the mass of the part.  Raises `ModelError` where they
        contradict each other.
        """
        factor = self.units.mass_factor
        if abs(factor - 1.0) < 1e-9 or self.units.uconsf is not None or not hasattr(elements, "wave_speed"):
            return factor
        to_metre_per_second = self.units.si_length * np.sqrt(
            self.units.si_force / self.units.si_length / self.units.si_mass
        )
        slow, fast = (to_metre_per_second * c for c in elements.wave_speed())
        if fast <= FASTEST:
            return factor
        own = elements.mass
        near = lambda mass: body.mass and abs(np.log(mass / body.mass)) < np.log(3.0)
        if near(own) and slow <= FASTEST:
            return factor
        mass = self.units.symbol("mass")
        consistent = f"{self.units.symbol('force')}*{self.units.symbol('time')}^2/{self.units.symbol('length')}"
        if near(own / factor) or slow > FASTEST:
            self.warn(
                f"{body.label}: masses of its finite elements are taken in {consistent} ({own / factor:.6g} {mass} in "
                f"all): in {mass} waves would "
                f"run through them with {fast:.2g} m/s; give units= to state this"
            )
            return 1.0
        raise body.error(
            f"its finite elements have the mass {own:.6g}; in {mass} waves would run through them with {fast:.2g} m/s, "
            f"and in {consistent} it would be "
            f"{own / factor:.6g} {mass}, not the {body.mass:.6g} of the part; give units='mm, N, s' (length, force, "
            "time), or correct the density"
        )

    def _weigh(self, body: Any, reduced: ReducedBody, frame: Any) -> None:
        """Mass, centre and inertia of the elements for their part."""
        mass = reduced.mass / self.units.mass_factor
        turn = frame.axes
        inertia = turn.T @ (reduced.inertia / self.units.mass_factor) @ turn
        centre = turn.T @ (reduced.centre - frame.origin)
        if body.mass and abs(mass / body.mass - 1.0) > HEAVIER:
            strange = abs(np.log(mass / body.mass)) > np.log(WILDLY)
            hint = (
                f"; do density and lengths fit the units of the model ({self.units.mass}, {self.units.length})?"
                if strange
                else ""
            )
            self.warn(
                f"{body.label}: its mass was {body.mass:.6g} and is {mass:.6g} now, that of its finite elements{hint}"
            )
        body.mass, body.im = mass, None
        body.ip = (inertia[0, 0], inertia[1, 1], inertia[2, 2], -inertia[0, 1], -inertia[0, 2], -inertia[1, 2])
        body.ip = tuple(float(v) for v in body.ip)
        cm = self.table("MARKER").get(body.cm)
        if cm is None or not np.allclose(cm.axes, np.eye(3)) or cm.usexp:
            cm = self.add(Marker(name=f"{body.name}.cm", part=body.id))
            body.cm = cm.id
        cm.qp = vector(centre)


def held_ratio(body: Any, node: int, ratios: Any) -> tuple[float, float]:
    """Frequency (rad per time) and damping ratio of the first mode of a reduced body whose node is held, with
    ``ratios`` (n,) of its free modes."""
    k = body.place[int(node)]
    arm = body.places[k] - body.centre
    rigid = np.eye(6)  # of the node, for motions of the frame about the centre of mass
    rigid[:3, 3:] = [[0.0, arm[2], -arm[1]], [-arm[2], 0.0, arm[0]], [arm[1], -arm[0], 0.0]]
    R = -np.linalg.solve(rigid, body.shapes[k])
    M = np.zeros((6, 6))
    M[:3, :3], M[3:, 3:] = body.mass * np.eye(3), body.inertia
    M = np.eye(body.modes) + R.T @ M @ R
    L = np.linalg.cholesky(M)
    K = np.linalg.solve(L, np.linalg.solve(L, np.diag(body.frequency**2)).T)
    squares, V = np.linalg.eigh(0.5 * (K + K.T))
    shape = np.linalg.solve(L.T, V[:, 0])
    w = float(np.sqrt(max(squares[0], 0.0)))
    return w, float(shape**2 @ (np.asarray(ratios) * body.frequency)) / w if w > 0.0 else 0.0


def _scales(body: Any, units: Any) -> tuple[float, float, float]:
    """Length, force and time of a text such as 'mm, N, s' in SI."""
    try:
        return unit_scales(units)
    except ModelError as error:
        raise body.error(str(error)) from None


def _ratios(body: Any, damping: Any, reduced: Any) -> Any:
    """Damping ratios of the modes.  Raises `ModelError` for a value that is not a number a mode, and for numbers above
    one that no function gives."""
    n = reduced.modes
    if callable(damping):
        return [damping(w) for w in reduced.frequency]
    try:
        ratios = np.broadcast_to(np.asarray(damping, float), n)
    except (TypeError, ValueError):
        raise body.error(
            f"damping is {shown(damping)}; give one ratio, one for each of its {n} modes, or a function of the "
            "frequency"
        ) from None
    if np.any(ratios > 1.0):
        raise body.error(
            f"damping is {float(ratios.max()):g}; give ratios up to 1 (two per cent are 0.02), or a function of the "
            "frequency for overdamped modes"
        )
    return ratios


def _loads(body: Any, elements: Any, loads: Any) -> np.ndarray:
    """(freedoms, k) forces of distributions, axes of ground.  Raises `ModelError`."""
    if not hasattr(elements, "load"):
        raise body.error("its elements take no loads; give finite elements (holonom.flexible.solid, shell, beam)")
    if not isinstance(loads, (list, tuple)) or not all(isinstance(v, dict) for v in loads):
        table = np.asarray(loads, float) if isinstance(loads, np.ndarray) and loads.dtype.kind in "iuf" else None
        if table is None or table.ndim != 2 or table.shape[0] != elements.K.shape[0]:
            raise body.error(
                f"loads is {shown(loads)}; give a list of dictionaries, as [{{'pressure': 1.0}}], or forces on its "
                f"{elements.K.shape[0]} degrees of freedom (freedoms, k)"
            )
        return table
    out = []
    for one in loads:
        if len(one) != 1 or next(iter(one)) not in ("nodes", "pressure"):
            raise body.error(f"a load is {shown(one)}; give {{'nodes': {{id: force}}}} or {{'pressure': p}}")
        ((word, value),) = one.items()
        try:
            nodes = (
                nodal_loads(value)
                if word == "nodes"
                else pressed(elements.nodes, np.asarray(elements.places), elements.faces, value)
            )
            out.append(elements.load(nodes))
        except ModelError as error:
            raise body.error(str(error)) from None
    return np.column_stack(out) if out else np.zeros((elements.K.shape[0], 0))


def _accuracy(
    body: Any, accuracy: Any, shortest: Any, contact: Any, elements: Any, effective: Any, highest: Any
) -> dict[str, Any]:
    """What a reduction is to know of an accuracy of contact forces; nothing where none is requested.  Raises
    `ModelError` for what does not go with it."""
    if accuracy is None:
        if shortest is not None:
            raise body.error("shortest belongs to an accuracy of contact forces; give both, or leave it out")
        return {}
    if contact is None or isinstance(elements, ReducedBody):
        raise body.error(
            "an accuracy is that of contact forces on finite elements; give these, and their region, contact="
        )
    if effective is not None or highest is not None:
        raise body.error("an accuracy chooses the modes; leave effective and highest out")
    value = number(accuracy, "accuracy")
    if not 1e-4 <= value <= 0.5:
        raise body.error(f"accuracy is {value:g}; give a number from 1e-4 to 0.5")
    if shortest is not None and not number(shortest, "shortest") > 0.0:
        raise body.error(f"shortest is {shortest:g}; give a positive time")
    return dict(accuracy=value, shortest=None if shortest is None else float(shortest))


def _region(body: Any, contact: Any, mesh: Any, elements: Any) -> tuple[int, ...]:
    """Ids of the nodes that may touch.  Raises `ModelError` for what names none."""
    if contact is None:
        return ()
    ids, places = (elements.nodes, elements.places)
    ids = np.asarray(ids, np.int64)
    if isinstance(contact, str):
        groups = getattr(mesh, "groups", {})
        if contact not in groups:
            raise body.error(
                f"contact is {shown(contact)}, and its mesh has no group of that name; it has "
                f"{', '.join(groups) or 'none'}"
            )
        found = np.asarray(mesh.ids)[groups[contact]]
    elif callable(contact):
        mask = np.asarray(contact(np.asarray(places)))
        if mask.shape != (len(ids),) or mask.dtype != bool:
            raise body.error(f"its function contact returned {shown(mask)}; return {len(ids)} booleans")
        found = ids[mask]
    else:
        try:
            found = np.array([whole(k, "a node in contact") for k in contact], np.int64)
        except TypeError:
            raise body.error(
                f"contact is {shown(contact)}; give ids of nodes, a group of the mesh or a function of the positions"
            ) from None
    missing = np.setdiff1d(found, ids)
    if len(missing):
        raise body.error(f"contact references node {missing[0]}, which its {len(ids)} nodes do not have")
    if not len(found):
        raise body.error("no node is in the region contact; the function is false at all of them, or the list is empty")
    return tuple(int(k) for k in np.unique(found))


def _formulation(word: Any) -> Any:
    """One of `FORMULATIONS` whatever the case of its letters; else the keyword as it is, which `faults` refuses."""
    known = {name.lower(): name for name in FORMULATIONS}
    return known.get(word.strip().lower(), word) if isinstance(word, str) else word
