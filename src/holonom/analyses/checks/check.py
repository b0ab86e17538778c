"""Checks of a model without a simulation: its elements, whether it can be assembled, and missing data."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..._summary import Summary, counted, short
from ..._warnings import warn_model
from ...model import Model
from ...model.idle import settings_passed_over
from ...model.validate import cannot_run, doubts, faults
from .degrees import prescribed_in_degrees


@dataclass
class Redundancy(Summary):
    """One constraint equation too many: ``words`` for people, ``adams`` as Adams names it (``Zi.Xj in
    model.JOINT_2``)."""

    words: str
    adams: str


@dataclass
class Check(Summary):
    """Result of `check`.

    ``statements``: number of elements by kind; ``faults``: what must be fixed before anything can be computed;
    ``missing``: data that a run needs and that are missing (contacts, routines); ``geometry``: graphics that cannot be
    drawn; ``contacts``: pairs in contact; ``warnings``. ``degrees_of_freedom`` and the rest stay None or empty when the
    model could not be assembled.
    """

    model: Model
    statements: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    geometry: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    degrees_of_freedom: int | None = None
    bodies: int | None = None
    equations: int | None = None
    states: int | None = None
    redundant: list[Redundancy] = field(default_factory=list)
    redundant_by_joint: list[str] = field(default_factory=list)
    moved: tuple[float, float] | None = None
    opened: str = ""
    contacts: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether the model can be simulated as it is."""
        return not self.faults and not self.missing

    def __str__(self) -> str:
        units = self.model.units
        lines = [f"model {self.model.name}" + (f" ({self.model.path})" if self.model.path else "")]
        lines.append("statements: " + ", ".join(f"{n} {kind}" for kind, n in self.statements.items()))
        lines.append(f"units: {units.length}, {units.mass}, {units.force}, {units.time}".lower())
        if self.degrees_of_freedom is not None:
            lines.append(
                f"bodies that move: {self.bodies}, constraint equations: {self.equations}, states: {self.states}"
            )
            lines.append(f"degrees of freedom: {self.degrees_of_freedom}")
            lines.append(f"redundant constraints: {len(self.redundant) or 'none'}")
            lines += [f"  {text}" for text in self.redundant_by_joint]
            if self.moved and max(self.moved) > 1e-9:
                lines.append(
                    f"assembly moved parts by up to {self.moved[0]:.4g} {units.symbol('length')} and "
                    f"{self.moved[1]:.4g} rad"
                )
                lines += [f"  {self.opened}"] if self.opened else []
        lines += self.contacts
        for head, texts in (
            ("faults", self.faults),
            ("missing for a run", self.missing),
            ("missing for the picture", self.geometry),
            ("warnings", self.warnings),
        ):
            if texts:
                lines.append(f"{head}: {len(texts)}")
                lines += [f"  {text}" for text in texts]
        lines.append("the model can run" if self.ok else "the model cannot run as it is")
        return "\n".join(lines)

    def __repr__(self) -> str:
        free = "" if self.degrees_of_freedom is None else f", {counted(self.degrees_of_freedom, 'degree')} of freedom"
        counts = ((self.faults, "fault"), (self.missing, "missing part"), (self.warnings, "warning"))
        more = "".join(f", {counted(len(found), word)}" for found, word in counts if found)
        verdict = "it can run" if self.ok else "it cannot run as it is"
        return f"<Check of model {short(self.model.name)}: {verdict}{free}{more}; print() shows all>"

    def _repr_html_(self) -> str:
        from ...results.pages.notebook import of_check

        return of_check(self)


def check(model: Model, assemble: bool = True) -> Check:
    """Validate a model, list missing data, and (unless ``assemble`` is false) assemble it and count its degrees of
    freedom.

    Elements that cannot be computed are omitted from the count, so that a model with missing routines is assembled too.
    Does not raise for an invalid model: its faults are in the result. Warnings are in the result and are also issued as
    `holonom.ModelWarning`.
    """
    answer = Check(model, statements={kind: len(table) for kind, table in model._tables.items() if table})
    rigid = constrained(model)
    answer.faults = faults(model, rigid)
    answer.missing = cannot_run(model)
    answer.warnings = [
        *model.warnings,
        *(doubts(model, rigid) + prescribed_in_degrees(model) if not answer.faults else ()),
        *settings_passed_over(model),
    ]
    answer.geometry = _geometry(model)
    answer.contacts = _contacts(model)
    if assemble and not answer.faults:
        _assemble(answer)
    answer.model = model.copy()
    for text in answer.warnings:
        if text not in model.warnings:
            warn_model(text)
    return answer


def constrained(model: Model) -> bool:
    """Whether the model states that its contacts are constraints: by its rigid settings, or by its integrator."""
    return model.rigid.method != "compliant" or (model.integrator.kind or "").upper().startswith("MOREAU")


MAX_CONTACTS = 30


def _contacts(model: Model) -> list[str]:
    """Contacts, numbers of defined pairs of shapes, and which types meet."""
    from ...model import ModelError
    from ...model.shape import kind_of
    from ...model.touching import Touching

    contacts = list(model.table("CONTACT").values())
    if not contacts:
        return []
    touching, total = Touching(model), 0
    lines: list[str] = []
    kinds: dict[tuple[str, str], int] = {}
    for e in contacts:
        text = f"  {e.label}: {'a constraint' if constrained(model) else e.law_name}" + (
            f", {e.friction_name} friction" if e.friction_name else ""
        )
        text += "" if e.active else ", not active"
        try:
            pairs = touching.pairs(e)
            met: dict[tuple[str, str], None] = {}
            sides = [
                {kind_of(model, model.table("GRAPHICS")[n]) for n in ids if n in model.table("GRAPHICS")}
                | {model.table("GRAINS")[n].shape for n in grains if n in model.table("GRAINS")}
                for ids, grains in ((e.igeom, e.igrains), (e.jgeom, e.jgrains))
            ]
            for a in sorted(sides[0]):
                for b in sorted(sides[1]):
                    met[(min(a, b), max(a, b))] = None
            text += f", {pairs.defined} pairs"
            for words, n in (
                ("in one part", pairs.same_part),
                ("fixed to each other", pairs.rigid),
                ("joined", pairs.joined),
                ("excluded", pairs.excluded),
            ):
                text += f" (and {n} {words})" if n else ""
            text += ", " + ", ".join(f"{a} - {b}" for a, b in met)
            if e.active:
                total += pairs.defined
                for key in met:
                    kinds[key] = kinds.get(key, 0) + 1
        except ModelError as error:
            text += f", not understood: {error}"
        lines.append(text)
    head = f"contacts: {len(contacts)} ({sum(e.active for e in contacts)} active), {total} defined pairs"
    if kinds:
        head += "; " + ", ".join(f"{a} - {b}: {n}" for (a, b), n in sorted(kinds.items()))
    if len(lines) > MAX_CONTACTS:
        lines = [*lines[:MAX_CONTACTS], f"  ... and {len(lines) - MAX_CONTACTS} more"]
    return [head, *lines]


def _geometry(model: Model) -> list[str]:
    if not model.table("GRAPHICS"):
        return []
    from ...results.pictures.geometry import build_look

    try:
        return [text.rstrip(".") for text in build_look(model, Path(model.path).parent if model.path else None).missing]
    except ValueError as error:
        return [f"the model cannot be drawn: {error}"]


def _assemble(answer: Check) -> None:
    from ...expressions import CurveError, ExpressionError, SplineError
    from ...model import ModelError, ModelErrors
    from ...system.build import INITIAL, System
    from ...system.outputs import Outputs
    from ...system.user import MissingRoutine
    from ..assemble import assemble, redundancy_by_joint, redundancy_words, started
    from .given import not_kept
    from .locked import locked

    try:
        build = lambda rows: System(answer.model, missing="zero", initial=rows, rigid=constrained(answer.model))
        system = build(INITIAL)
        state = first = assemble(system)
        overridden = system.overridden
        if system.initial_rows:
            system, state = started(system, state, build)
    except ModelErrors as error:
        answer.faults += error.errors
        return
    except MissingRoutine as error:  # one that nothing can replace, such as that of a curve
        place = str(error).split(": user routine")[0]
        if not any(text.startswith(place) for text in answer.missing):
            answer.missing.append(str(error))
        answer.warnings.append("the model was not assembled, since nothing can replace a routine that is missing")
        return
    except (ModelError, ExpressionError, SplineError, CurveError) as error:
        answer.faults.append(str(error))
        return
    before = len(answer.model.warnings)
    try:
        Outputs(system)
    except (ModelError, ExpressionError, SplineError, CurveError) as error:  # a run would end with it
        answer.faults.append(str(error))
    answer.warnings += [text for text in answer.model.warnings[before:] if text not in answer.warnings]
    del answer.model.warnings[before:]
    answer.missing += [text for text in system.missing if text not in answer.missing]
    answer.bodies, answer.equations, answer.states = system.nb, system.m, system.nx
    answer.degrees_of_freedom = state.dof
    answer.moved, answer.opened = (state.moved, state.opened) if not first.opened else (first.moved, first.opened)
    stuck = locked(system, state.dof)
    answer.warnings += [*overridden, *not_kept(system, state.y), *([stuck] if stuck else [])]
    _overlaps(answer, system, state.y)
    answer.redundant_by_joint = redundancy_by_joint(system, state.redundant)
    for line in redundancy_words(system, state.redundant):
        words, _, notation = line.rpartition(" [in Adams ")
        answer.redundant.append(Redundancy(words, notation.rstrip("]")))


def _overlaps(answer: Check, system: Any, y: np.ndarray) -> None:
    """Shapes that overlap as drawn: among the warnings, as a run gives them."""
    from ...model import ModelError
    from ..contact.overlap import settle_overlaps

    if answer.model.table("GRAINS") or not any(c.active for c in answer.model.table("CONTACT").values()):
        return  # among very many grains only the run looks
    try:
        settle_overlaps(system, 0.0, y.copy(), answer.warnings.append)
    except ModelError as error:
        answer.warnings.append(str(error))


__all__ = ["Check", "Redundancy", "check"]
