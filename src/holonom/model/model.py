"""`Model`: elements by type and id, units, gravity and analysis settings. No numerics."""

from __future__ import annotations

import copy
import dataclasses
import json
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from .._warnings import warn_model
from .base import ELEMENT_TYPES, Element, ModelError, _tuples, close_word, did_you_mean, unknown_attribute, whole_number
from .bodies import NODES, Marker, Part, PointMass
from .builder import Builder
from .builder.arguments import FORMER_METHODS
from .calls import explained_methods
from .kinds import check_of, is_whole, misfit, misfits, shown
from .orientation import Frame
from .parameter_data import from_data, to_data
from .parameters import declare, number_of, parameters_of, resolve, with_gravity, with_values
from .quantities import Number, Parameter
from .quantity_text import converted
from .settings import (
    SYSTEMS,
    EquilibriumSettings,
    ICSettings,
    IntegratorSettings,
    KinematicsSettings,
    RigidSettings,
    Units,
)
from .table_view import TableView
from .values import no_set

AnyElement = TypeVar("AnyElement", bound=Element)

MAX_JSON_BYTES = 200_000_000
#: names that users of other programs try, and what has their meaning here
USUAL = {
    "bodies": "model.parts",
    "simulate": "holonom.simulate(model, end=...)",
    "run": "holonom.simulate(model, end=...)",
    "solve": "holonom.simulate(model, end=...)",
    "check": "holonom.check(model)",
    "save": "holonom.write_adams(model, path), or model.to_json() into a file",
    "hinge": "model.revolute",
    "prismatic": "model.translational",
    "slider": "model.translational",
    "body": "model.part",
    "force": "model.sforce, model.vforce or model.gforce",
    "spring": "model.spring_damper",
    "damper": "model.spring_damper",
}
#: what can be set on a model
ATTRIBUTES = (
    "name",
    "title",
    "units",
    "gravity",
    "integrator",
    "equilibrium",
    "kinematics",
    "initial",
    "rigid",
    "preferences",
    "routines",
    "warnings",
    "scripts",
    "path",
)


class Token:
    """Identity of a model, of its copies and of their elements.  ``read``: they were read from data or came from
    another process, so that elements of the model that was written are others than these.  ``made``: elements added so
    far, to the model and its copies."""

    def __init__(self, read: bool = False) -> None:
        self.read = read
        self.made = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return Token, (True,)


class _Declared(dict[str, Parameter]):
    """Parameters of a model by name, read-only: a value that is set here would reach nothing."""

    def _read_only(self, *_: Any, **__: Any) -> Any:
        raise ModelError(
            "parameters of a model are read-only; model.with_parameters({'name': value}) gives a model with others"
        )

    __setitem__ = __delitem__ = update = pop = popitem = clear = setdefault = __ior__ = _read_only  # type: ignore[assignment]


@explained_methods
class Model(Builder):
    """A mechanical system.

    ``Model(units="mm")`` starts with the ground part. Elements are created by the builder methods (``part``,
    ``marker``, ``revolute``, ``sforce``, ...) or read by ``holonom.read_adams``; ``model.table(kind)`` contains all
    elements of a type: id -> element.
    """

    def __init__(self, name: str = "model", units: str | Units = "SI", ground: bool = True, **unknown: Any) -> None:
        for word in unknown:
            known = ("name", "units", "ground")
            later = f"; set it afterwards, as model.{word} = ..." if word in ATTRIBUTES else did_you_mean(word, known)
            raise ModelError(f"a model has no argument '{word}'{later}")
        # what distinguishes this model's elements (and those of its copies) from those of others
        self._token = Token()
        self.name = name
        self.title = ""
        self.units = units  # type: ignore[assignment]  # of its name: `__setattr__`
        self.gravity: tuple[float, float, float] = (0.0, 0.0, 0.0)
        self.integrator = IntegratorSettings()
        self.equilibrium = EquilibriumSettings()
        self.kinematics = KinematicsSettings()
        self.initial = ICSettings()
        self.rigid = RigidSettings()
        #: statements that set output or preferences: kept, written back, without influence on numbers
        self.preferences: dict[str, tuple[tuple[str, str], ...]] = {}
        self.routines: dict[str, Callable] = {}
        self.warnings: list[str] = []
        #: solver commands of simulation scripts by name, as a .acf holds them (of Adams View command files)
        self.scripts: dict[str, str] = {}
        self.path: str | None = None
        self._tables: dict[str, dict[int, Element]] = {}
        self._names: dict[str, dict[str, int]] = {}
        self._highest: dict[str, int] = {}  # largest id of each kind so far
        self._parameters: Any = None  # `parameters.Parameters`, of a model that has some
        if ground:
            self.add(Part(id=1, name="ground", ground=True))
        if name in SYSTEMS and name not in ("SI", "m") and units == "SI":  # "m": the usual name of a model in a trial
            warn_model(f"the model is named '{name}' and is in SI units; give units='{name}' for these units")

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "gravity":
            no_set(value, f"model '{self.name}': gravity")
            value = (
                tuple(value.tolist() if hasattr(value, "tolist") else value) if hasattr(value, "__iter__") else value
            )
            if vars(self).get("_parameters") is not None:
                value = with_gravity(self, value)
            if isinstance(value, (tuple, list)):
                value = converted(value, "m/s^2", self.units, f"model '{self.name}': gravity")
            if check_of(tuple[float, float, float])(value):
                raise ModelError(
                    f"model '{self.name}': gravity is {shown(value)}; give three numbers, as (0, 0, -9.80665)"
                )
        elif name == "units":
            value = Units.named(value) if isinstance(value, str) else value
            if not isinstance(value, Units):
                raise ModelError(
                    f"model '{vars(self).get('name', '')}': units are {shown(value)}; give the name of a system, as "
                    "'mm', or holonom.Units('NEWTON', 'KILOGRAM', 'MILLIMETER', 'SECOND')"
                )
            if vars(self).get("units", value) != value and any(e.source is None and e.id > 1 for e in self):
                warn_model(
                    f"model '{self.name}': its units are changed after elements were made, whose numbers stay as they "
                    "are; give units when the model is made, holonom.Model(units=...)"
                )
        elif name == "name" and not isinstance(value, str):
            raise ModelError(f"the name of a model is {shown(value)}; give a text")
        elif name[:1] != "_" and name not in ATTRIBUTES:
            raise ModelError(f"model '{vars(self).get('name', '')}': {unknown_attribute(name, ATTRIBUTES)}")
        object.__setattr__(self, name, value)

    # ---- elements -------------------------------------------------------------------------------------------------
    def table(self, kind: str) -> dict[int, Any]:
        """Elements of one type (``"PART"``, ``"MARKER"``, ``"JOINT"``, ...) by id, in the order in which they were
        added.

        Raises `ModelError` for an unknown type.
        """
        if kind not in ELEMENT_TYPES:
            raise ModelError(f"unknown kind of element '{kind}'; choose one of {', '.join(sorted(ELEMENT_TYPES))}")
        return self._tables.setdefault(kind, {})

    def __iter__(self) -> Iterator[Element]:
        for table in list(self._tables.values()):  # requesting a table may make one meanwhile
            yield from table.values()

    def add(self, element: AnyElement) -> AnyElement:
        """Add an element; id 0 is replaced by the next free id, an empty name by ``KIND_id``. Raises `ModelError` for a
        duplicate id."""
        if not isinstance(element, Element):
            raise ModelError(
                f"{shown(element)} is not an element; add one with a method of the model, as model.part(...), or an "
                "Element"
            )
        table = self.table(element.KIND)
        if not isinstance(element.name, str):
            raise ModelError(
                f"a {element.KIND} has the name {shown(element.name)}; give a text, and check the order of the "
                "arguments"
            )
        if (
            element.source is None
        ):  # written in Python: reported where it is written; faults of files are reported together
            for text in (*(t for _, t in misfits(element)), *element.strange_words()):
                what = f"{element.KIND} '{element.name}'" if element.name else element.KIND
                raise ModelError(f"{element.label if is_whole(element.id) and element.id else what}: {text}")
        if element.id == 0:
            element.id = self.free_id(element.KIND)
        if element.id in table:
            other = table[element.id]
            raise element.error(f"this id is taken by {other.label}; give each {element.KIND} an id of its own")
        if not element.name:
            element.name = f"{element.KIND}_{element.id}"
        table[element.id] = element
        self._token.made += 1
        vars(element).update(_model=self._token, _made=self._token.made)
        if (made := vars(self).get("_building")) is not None:
            made.append((element.KIND, element.id, self._highest.get(element.KIND, 0)))
        self._highest[element.KIND] = max(self._highest.get(element.KIND, 0), element.id)
        self._names.setdefault(element.KIND, {}).setdefault(element.name.lower(), element.id)
        return element

    def element(self, kind: str, name: str = "", /, **fields: Any) -> Any:
        """Add an element of any type (``"GEAR"``, ``"BEAM"``, ...) by its fields in model units, references as ids; see
        the page on elements.

        Builder methods (`gear`, `beam`, ...) take elements and positions instead, and give more detailed errors. Raises
        `ModelError` for unknown types and fields, and for values of the wrong type.
        """
        self.table(kind)
        known = [f.name for f in dataclasses.fields(ELEMENT_TYPES[kind]) if f.name not in ("name", "source")]  # type: ignore[arg-type]
        for field in fields:
            if field not in known:
                raise ModelError(f"{kind} has no field {shown(field)}{did_you_mean(field, known)}")
        return self.add(ELEMENT_TYPES[kind](name=name, **{"id": 0, **fields}))

    def _withdraw(self, made: list[tuple[str, int, int]]) -> None:
        """Take out again what a call that is refused had added: (kind, id, highest id of the kind before)."""
        for kind, number, highest in reversed(made):
            gone = self.table(kind).pop(number)
            if self._names[kind].get(gone.name.lower()) == number:
                del self._names[kind][gone.name.lower()]
            self._highest[kind] = highest

    def _any(self, reference: Any) -> Any:
        """The element that is meant: itself, its ``"KIND/id"``, or a name that no other element has."""
        if isinstance(reference, Element):
            self.own(reference)
            return reference
        if not isinstance(reference, str):
            raise ModelError(f"{shown(reference)} is not an element; give the element, its name, or 'PART/2'")
        key = reference.strip().lower()
        kind, _, number = key.upper().rpartition("/")
        if kind in ELEMENT_TYPES and number.isdigit():
            return self.find(kind, int(number))
        found = [self.table(kind)[names[key]] for kind, names in self._names.items() if key in names]
        if len(found) > 1:
            raise ModelError(
                f"several elements are named '{reference}': {', '.join(e.label for e in found)}; "
                f"give one as '{found[0].KIND}/{found[0].id}'"
            )
        if not found:
            known = [name for names in self._names.values() for name in names]
            raise ModelError(f"there is no element named '{reference}'{did_you_mean(key, known, '')}")
        return found[0]

    def remove(self, element: Element | str, with_users: bool = False) -> list[Any]:
        """Remove an element, or the one of a name; returns the removed elements. ``with_users``: also remove all
        elements that reference it, directly or indirectly (`users`), such as the markers of a part; the cm marker of a
        part is always removed with it. Ids of removed elements are not reused.

        Raises `ModelError` for an element of another model, a name of none or of several, for ground, and where others
        that stay name it.

            model.remove("rod", with_users=True)
        """
        found = self._any(element)
        here: Any = self.table(found.KIND).get(found.id)
        if here is not found:
            raise found.error("it is not in this model; it may have been removed already")
        gone = [found, *self.users(found)]
        for e in gone:
            if getattr(e, "ground", False):
                raise e.error(
                    "the ground cannot be removed"
                    if e is found
                    else f"it names {found.label}, and the ground cannot be removed"
                )
        own = getattr(found, "cm", None)
        others = [e for e in gone[1:] if not (e.KIND == "MARKER" and e.id == own)]
        if others and not with_users:
            more = f" and {len(others) - 1} more" if len(others) > 1 else ""
            raise found.error(
                f"it cannot be removed: {others[0].label}{more} would be left without it; give with_users=True, or "
                "remove these first"
            )
        for e in gone:
            del self.table(e.KIND)[e.id]
        for kind in {e.KIND for e in gone}:
            self._name_anew(kind)
        return gone

    def rename(self, element: Element | str, name: str) -> Element:
        """Rename an element, or the one of a name; returns it. Raises `ModelError` for a name that is not text or is
        empty."""
        found = self._any(element)
        if not isinstance(name, str) or not name.strip():
            raise found.error(f"its name cannot be {shown(name)}; give a text")
        other = self._names.get(found.KIND, {}).get(name.lower())
        if other is not None and other != found.id:
            self.warn(
                f"{found.label}: it is renamed to '{name}', the name of {found.KIND}/{other} too; names then find only "
                "one of both: give another name"
            )
        found.name = name
        self._name_anew(found.KIND)
        return found

    def users(self, element: Element | str) -> list[Any]:
        """Elements that depend on an element: those that reference it (markers of a part, joints on a marker, motions
        of a joint), and those that reference these. Ids in function expressions are not checked. Raises as `remove`
        for names."""
        found = self._any(element)
        named: dict[tuple[str, int], list[Element]] = {}
        for other in self:
            for key in _names_of(other):
                named.setdefault(key, []).append(other)
        out: list[Element] = []
        seen, front = {id(found)}, [found]
        while front:
            following = []
            for one in front:
                for other in (*named.get((one.KIND, one.id), ()), *named.get((one.KIND, one.name.lower()), ())):
                    if id(other) not in seen:
                        seen.add(id(other))
                        following.append(other)
            out += following
            front = following
        return out

    def _name_anew(self, kind: str) -> None:
        names: dict[str, int] = {}
        for other in self.table(kind).values():
            names.setdefault(other.name.lower(), other.id)
        self._names[kind] = names

    def own(self, element: Element) -> None:
        """Raise `ModelError` for an element that belongs to another model (a copy of this model is accepted).

        Names and ids are not compared.
        """
        if vars(element).get("_model", self._token) is not self._token:
            raise element.error(
                f"it belongs to another model, not to '{self.name}'; make one here, or name one of this model"
            )

    def meant(self, element: Element) -> Element:
        """The element of this model that another one means: itself, in a copy its counterpart (which may have another
        name by now), in a model that was read from a file or came from another process that of the same id and name
        (no units). Raises `ModelError` for an element of another model, and for one that a copy does not have."""
        twin = self.table(element.KIND).get(element.id)
        if twin is element:
            return element
        if self._token.read and twin is not None and twin.name == element.name:
            return twin
        self.own(element)
        if twin is None or (vars(twin).get("_made") != vars(element).get("_made") and twin.name != element.name):
            raise element.error(
                f"it is not in model '{self.name}' or this copy of it: it was removed, or added after the copy was "
                "made; give an element that is"
            )
        return twin

    def free_id(self, kind: str) -> int:
        """The id that the next element of a type gets when none is given. Raises nothing."""
        return self._highest.get(kind, 0) + 1

    def find(self, kind: str, reference: Any) -> Any:
        """Element by object, id, or name (not case-sensitive; dotted Adams View names match by their last component).

        Raises `ModelError`, with a similar name, where there is none.
        """
        kind = kind.upper() if isinstance(kind, str) and kind not in ELEMENT_TYPES else kind
        if isinstance(reference, Element):
            if reference.KIND != kind:
                raise ModelError(f"{reference.label} is not a {kind}, which is required here")
            return self.meant(reference)
        table = self.table(kind)
        if isinstance(reference, str) and not reference.strip().isdigit():
            names = self._names.get(kind, {})
            key = reference.strip().lower()
            if key in names:
                return table[names[key]]
            tail = key.rsplit(".", 1)[-1]
            if tail in names:
                return table[names[tail]]
            close = close_word(key, names)
            raise ModelError(
                f"there is no {kind} named '{reference}'" + (f"; did you mean '{close}'?" if close else "")
            )
        number = whole_number(reference)
        if number is None:
            raise ModelError(f"{shown(reference)} is neither the id nor the name of a {kind}; correct it")
        if number not in table:
            raise ModelError(f"there is no {kind}/{number} in model '{self.name}'")
        return table[number]

    @property
    def parts(self) -> TableView[Part]:
        """Parts in the order in which they were added, including ground: ``for part in model.parts``,
        ``model.parts["rod"]``, ``model.parts[3]``."""
        return TableView(self, "PART")

    @property
    def markers(self) -> TableView[Marker]:
        """Markers in the order they were added, by id or name."""
        return TableView(self, "MARKER")

    @property
    def joints(self) -> TableView[Any]:
        """Joints in the order they were added, by id or name."""
        return TableView(self, "JOINT")

    @property
    def ground(self) -> Part:
        """The part that does not move.  Raises `ModelError` for a model without one."""
        for part in self.parts.values():
            if part.ground:
                return part
        raise ModelError(f"model '{self.name}' has no ground part; give one PART the argument GROUND")

    def body_of(self, marker: Marker) -> Part | PointMass | Any:
        """The body of a marker. Raises `ModelError` where it does not exist."""
        table = self.table(marker.body_kind)
        if marker.part not in table:
            raise marker.error(f"its body {marker.body_kind}/{marker.part} does not exist; correct the reference")
        return table[marker.part]

    def nodes(self) -> list[Any]:
        """Sliding masses, points of meshes, and nodes of flexible parts that have a marker: bodies without equations of
        their own, on which joints, forces and shapes can act. Raises nothing."""
        marked = {(m.body_kind, m.part) for m in self.markers.values()}
        return [
            e for kind in NODES for e in self.table(kind).values() if (kind, e.id) in marked or kind == "MESH_POINT"
        ]

    def body_frame(self, body: Any) -> Frame:
        """Design position of a body, or of the body of a marker: its axes in ground, and their origin (length).

        Raises `ModelError` where it does not exist or its axes are not defined.
        """
        if body.KIND == "MARKER":
            body = self.body_of(body)
        if body.KIND == "ATTACHMENT":
            return body.place(self)
        if body.KIND == "MESH_POINT":
            return body.frame_in(self)
        if body.KIND != "SLIDING_MASS":
            return body.frame
        line = self.markers[body.marker]
        at = self.body_frame(line) @ line.frame
        return Frame(at.origin + body.travel * at.axes[:, 2], at.axes)

    # ---- parameters -----------------------------------------------------------------------------------------------
    def parameter(
        self,
        name: str,
        value: Any,
        bounds: Any = None,
        unit: str = "",
        *,
        moves: Any = (),
    ) -> Parameter:
        """A named number, or a point of three, that builder methods take where they take a number, a point or a
        function.

        ``value`` and ``bounds``, a pair (low, high), None for an open end: in units of the model; ``unit``: a text for
        tables.
        ``moves``: joints, forces or markers whose markers move with the point, on both sides.  Sums, products and
        ``p.apply(math.sin)`` of parameters are taken too; in the text of a function ``f"{p}"`` is VARVAL of a VARIABLE.
        Raises `ModelError` for a name that is taken, a value out of its bounds, and what has no markers to move.

            k = model.parameter("k", 2000.0, bounds=(500.0, 5000.0), unit="N/m")
            model.spring_damper(hook, eye, stiffness=k, length="drawn")
        """
        if bounds is not None and (not isinstance(bounds, (tuple, list)) or len(bounds) != 2):
            raise ModelError(f"parameter '{name}': bounds is {shown(bounds)}; give a pair (low, high)")
        low, high = (None, None) if bounds is None else bounds
        return declare(self, name, value, low, high, unit, moves)

    @property
    def parameters(self) -> dict[str, Parameter]:
        """Named parameters in the order they were made: name -> `Parameter`."""
        return _Declared(parameters_of(self).table)

    def number(self, element: Any, name: Any = None, index: int | str | None = None) -> Number:
        """The address of one number of an element (or of a vector), to be used as an unnamed parameter.

        ``element``: itself, or the whole address as a text ("SPRINGDAMPER/3.K", "GRAVITY(3)").  ``name``: of a field,
        of an argument of its builder method, or of a coefficient of a tyre; a whole number n is the n-th constant of
        its function.  ``index``: of a vector, from 1 on.  ``number.read(model)`` is its value in units of the model.
        Raises `ModelError` where there is no such number.

            model.number(model.find("BUSHING", 3), "stiffness", 1)
        """
        if name is None:
            found = resolve(self, element)
            if not isinstance(found, Number):
                raise ModelError(f"{shown(element)} is a named parameter; use model.parameters[{element!r}]")
            return found
        return number_of(self.find(element.KIND, element) if isinstance(element, Element) else element, name, index)

    def with_parameters(self, values: dict[Any, Any]) -> Model:
        """A copy of the model with other values of parameters and numbers, in units of the model.

        ``values``: parameter, name, number or address -> value.  Builder calls that were given a changed parameter,
        or elements made with one, are repeated with its value, in their order; what other calls made keeps its
        numbers.  This model does not change.
        Raises `ModelError` for unknown names, values out of bounds, and values that a builder method refuses.

            stiff = model.with_parameters({"k": 4000.0, "PART/2.MASS": 3.0})
        """
        return with_values(self, values)

    def register(self, name: str, function: Callable) -> None:
        """Register the Python function that ``ROUTINE=`` or ``USER(...)`` of this model calls; see
        `docs/user-routines`.

        A name that is already registered is replaced. Raises nothing.
        """
        self.routines[name] = function

    def warn(self, text: str) -> None:
        """Add a warning to ``warnings`` of this model and issue it as a `holonom.ModelWarning`, once.

        ``text``: element, value with its unit, what is wrong, what to do. Raises the warning where a filter turns
        warnings into errors.
        """
        if text not in self.warnings:
            self.warnings.append(text)
            warn_model(text)

    def __repr__(self) -> str:
        count = [
            (len(self._tables.get(kind, ())), word)
            for kind, word in (
                ("PART", "part"),
                ("JOINT", "joint"),
                ("MOTION", "motion"),
                ("CONTACT", "contact"),
                ("MARKER", "marker"),
            )
        ]
        listed = ", ".join(f"{n} {word}{'' if n == 1 else 's'}" for n, word in count if n)
        units = ", ".join(self.units.symbol(what) for what in ("length", "mass", "time"))
        return f"<Model {self.name!r}: {listed or 'empty'}; {units}>"

    if not TYPE_CHECKING:  # type checkers know the attributes that exist

        def __getattr__(self, name: str) -> Any:
            """Called where the normal lookup has failed: what is meant by a usual name of other programs."""
            if name[:1] == "_":
                return object.__getattribute__(self, name)
            known = sorted(n for n in (*dir(type(self)), *vars(self)) if n[:1] != "_")
            if name in known:  # a property whose own evaluation raised
                return object.__getattribute__(self, name)
            if name in FORMER_METHODS:
                new = FORMER_METHODS[name]
                warnings.warn(f"Model.{name} is now called {new}", DeprecationWarning, stacklevel=2)
                return getattr(self, new)
            meant = USUAL.get(name)
            end = f"; write {meant}" if meant else did_you_mean(name, known, "; see dir(model)")
            raise AttributeError(f"a Model has no attribute '{name}'{end}")

    # ---- JSON -----------------------------------------------------------------------------------------------------
    def _repr_html_(self) -> str:
        from .html import of_model

        return of_model(self)

    def copy(self) -> Model:
        """An independent copy of the model, with the same units; user routines are shared. Raises nothing."""
        return self._with_tables(
            {kind: {n: e._copied() for n, e in table.items()} for kind, table in self._tables.items()}
        )

    def _with_tables(self, tables: dict[str, dict[int, Element]]) -> Model:
        """A copy of the model that has these elements."""
        twin = object.__new__(type(self))
        vars(twin).update(vars(self))
        twin._tables = tables
        twin._names = {kind: dict(names) for kind, names in self._names.items()}
        twin._highest = dict(self._highest)
        for name in (
            "integrator",
            "equilibrium",
            "kinematics",
            "initial",
            "rigid",
            "units",
            "routines",
            "warnings",
            "preferences",
            "scripts",
        ):
            setattr(twin, name, copy.copy(getattr(self, name)))
        if vars(self).get("_parameters") is not None:
            twin._parameters = parameters_of(self).of_copy(twin)
        return twin

    __copy__ = copy  # with the tables of the first one it would be that model by another name

    def to_dict(self, bodies: dict[str, Any] | None = None) -> dict[str, Any]:
        """The model as plain data, in its own units, for `from_dict`; Python functions are not included.

        ``bodies``, where given: a dict that receives the reduced bodies by their digests, which the data then
        reference. Raises `ModelError` for a large reduced body that is not saved in a file.
        """
        parameters = to_data(self)
        return {
            **self._head(),
            "elements": {
                kind: [e.to_dict(bodies) if kind == "FLEXIBILITY" else e.to_dict() for e in table.values()]  # type: ignore[call-arg]
                for kind, table in self._tables.items()
                if table
            },
            **({"parameters": parameters} if parameters else {}),
        }

    def _head(self) -> dict[str, Any]:
        """What `to_dict` has before the elements."""
        settings = {
            key: {k: v for k, v in dataclasses.asdict(getattr(self, key)).items() if v is not None}
            for key in ("integrator", "equilibrium", "kinematics", "initial", "rigid")
        }
        return {
            "format": "holonom-model-1",
            "name": self.name,
            "title": self.title,
            "units": dataclasses.asdict(self.units),
            "gravity": list(self.gravity),
            "settings": settings,
            "preferences": self.preferences,
        }

    def to_json(self) -> str:
        """`to_dict` as JSON text, in units of the model. Raises `ModelError` as `to_dict` does."""
        return json.dumps(self.to_dict(), indent=1)

    @classmethod
    def from_dict(cls, data: dict[str, Any], bodies: dict[str, Any] | None = None) -> Model:
        """The model that `to_dict` wrote; ``bodies``: reduced bodies by their digests.

        Raises `ModelError` for data that are missing, unknown or of the wrong type.
        """
        if not isinstance(data, dict) or data.get("format") != "holonom-model-1":
            raise ModelError("this is not a Holonom model file: its 'format' is not 'holonom-model-1'")
        _wanted(
            data, {"name": str, "title": str, "units": dict, "settings": dict, "preferences": dict, "elements": dict}
        )
        for key in ("name", "units", "gravity", "elements"):
            if key not in data:
                raise ModelError(f"the model file has no '{key}'; add it")
        model = cls(data["name"], settings_from(Units, data["units"], "units"), ground=False)
        model._token.read = True
        model.title = data.get("title", "")
        gravity = data["gravity"]
        if check_of(tuple[float, float, float])(gravity):
            raise ModelError(f"gravity of the model file is {shown(gravity)}; give three numbers")
        model.gravity = tuple(gravity)
        for key, values in data.get("settings", {}).items():
            if key not in SETTINGS:
                raise ModelError(
                    f"the model file has settings '{key}', which are unknown; choose from {', '.join(SETTINGS)}"
                )
            setattr(model, key, settings_from(SETTINGS[key], values, key))
        pairs = check_of(tuple[tuple[str, str], ...])
        for key, rows in data.get("preferences", {}).items():
            model.preferences[key] = _tuples(rows)
            if pairs(model.preferences[key]):
                raise ModelError(f"the preferences '{key}' of the model file are {shown(rows)}; give pairs of texts")
        for kind, rows in data["elements"].items():
            if kind not in ELEMENT_TYPES:
                raise ModelError(
                    f"unknown kind of element '{kind}' in a model file; choose from {', '.join(sorted(ELEMENT_TYPES))}"
                )
            if not isinstance(rows, (list, tuple)):
                raise ModelError(f"the elements of kind {kind} of the model file are {shown(rows)}; give a list")
            for row in rows:
                if bodies and kind == "FLEXIBILITY" and isinstance(row, dict) and isinstance(row.get("body"), dict):
                    row = {**row, "body": bodies.get(str(row["body"].get("digest")), row["body"])}
                model.add(ELEMENT_TYPES[kind].from_dict(row))
        if "parameters" in data:
            from_data(model, data["parameters"])
        return model

    @classmethod
    def from_json(cls, text: str) -> Model:
        """The model that `to_json` wrote.  Raises `ModelError` for a text that is not valid JSON, and as
        `from_dict`."""
        if len(text) > MAX_JSON_BYTES:
            raise ModelError(f"the model file is larger than {MAX_JSON_BYTES} characters")
        try:
            data = json.loads(text)
        except json.JSONDecodeError as error:
            raise ModelError(
                f"this is not a Holonom model file: it is not valid JSON at line {error.lineno}, column "
                f"{error.colno}; fix it"
            ) from None
        except (ValueError, RecursionError):
            raise ModelError(
                "this is not a Holonom model file: it is nested too deeply or holds a number that is too long; fix it"
            ) from None
        return cls.from_dict(data)


def _names_of(element: Any) -> Iterator[tuple[str, Any]]:
    """(kind, id or name in lower case) of all elements that one names."""
    for name, kind in (*element.REFERENCES.items(), *element.USES.items()):
        for reference in _flat(getattr(element, name)):
            if reference:
                yield kind, reference.lower() if isinstance(reference, str) else reference
    if element.KIND == "MARKER":
        yield element.body_kind, element.part
    elif element.KIND == "GRAPHICS":
        for number in element.markers:
            yield "MARKER", number
        if element.arguments.get("cid"):
            yield "CURVE", element.arguments["cid"]
    elif element.KIND == "SWITCH":
        yield from (*element.elements, *element.hold, *element.resisting)


def _flat(value: Any) -> Iterator[Any]:
    """What a tuple of tuples holds, or a value itself."""
    if isinstance(value, tuple):
        for inner in value:
            yield from _flat(inner)
    else:
        yield value


SETTINGS: dict[str, Any] = {
    "integrator": IntegratorSettings,
    "equilibrium": EquilibriumSettings,
    "kinematics": KinematicsSettings,
    "initial": ICSettings,
    "rigid": RigidSettings,
}


def _wanted(data: dict[str, Any], kinds: dict[str, type]) -> None:
    for key, kind in kinds.items():
        if key in data and check_of(kind)(data[key]):
            raise ModelError(
                f"'{key}' of the model file is {shown(data[key])}; give {'a text' if kind is str else 'a table'}"
            )


def settings_from(cls: Any, values: Any, key: str) -> Any:
    """Settings from plain data, each of its kind."""
    known = [f.name for f in dataclasses.fields(cls)]
    if not isinstance(values, dict):
        raise ModelError(f"the settings '{key}' of the model file are {shown(values)}; give a table")
    for name, value in values.items():
        if name not in known:
            raise ModelError(f"the settings '{key}' have no '{name}'; choose from {', '.join(known)}")
        words = misfit(cls, name, _tuples(value))
        if words:
            raise ModelError(f"the settings '{key}': {name} is {shown(value)}; give {words}")
    return cls(**{name: _tuples(value) for name, value in values.items()})
