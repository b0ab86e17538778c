"""What a model holds, whether it fits together, and what a run would miss: answers without a simulation."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ..model import Model
from ..model.validate import cannot_run, doubts, faults


@dataclass
class Redundancy:
    """One constraint equation too many: ``words`` for people, ``adams`` as Adams names it (``Zi.Xj in model.JOINT_2``)."""

    words: str
    adams: str


@dataclass
class Check:
    """Answer of `check`.

    ``statements``: number of elements by kind; ``faults``: what must be mended before anything can be computed; ``missing``:
    what a run needs and does not find (contacts, routines); ``geometry``: pictures that cannot be drawn; ``warnings``.
    ``degrees_of_freedom`` and the rest stay None or empty when the model could not be assembled.
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
    moved: tuple[float, float] | None = None

    @property
    def ok(self) -> bool:
        """Whether the model can run as it is."""
        return not self.faults and not self.missing

    def __str__(self) -> str:
        units = self.model.units
        lines = [f"model {self.model.name}" + (f" ({self.model.path})" if self.model.path else "")]
        lines.append("statements: " + ", ".join(f"{n} {kind}" for kind, n in self.statements.items()))
        lines.append(f"units: {units.length}, {units.mass}, {units.force}, {units.time}".lower())
        if self.degrees_of_freedom is not None:
            lines.append(f"bodies that move: {self.bodies}, constraint equations: {self.equations}, states: {self.states}")
            lines.append(f"degrees of freedom: {self.degrees_of_freedom}")
            lines.append(f"redundant constraints: {len(self.redundant) or 'none'}")
            lines += [f"  {r.words} [{r.adams}]" for r in self.redundant]
            if self.moved and max(self.moved) > 1e-9:
                lines.append(f"assembly moved parts by up to {self.moved[0]:.4g} and {self.moved[1]:.4g} rad")
        for head, texts in (("faults", self.faults), ("missing for a run", self.missing), ("missing for the picture", self.geometry),
                            ("warnings", self.warnings)):  # fmt: skip
            if texts:
                lines.append(f"{head}: {len(texts)}")
                lines += [f"  {text}" for text in texts]
        lines.append("the model can run" if self.ok else "the model cannot run as it is")
        return "\n".join(lines)


def check(model: Model, assemble: bool = True) -> Check:
    """Validate a model, list what is missing, and (unless ``assemble`` is false) fit it together and count its freedom.

    What cannot be computed is left out for the count, so a model with contacts or without its routines is assembled too.
    Raises nothing for a bad model: its faults are in the answer.
    """
    answer = Check(model, statements={kind: len(table) for kind, table in model._tables.items() if table})
    answer.faults = faults(model)
    answer.missing = cannot_run(model)
    answer.warnings = [*model.warnings, *doubts(model)] if not answer.faults else list(model.warnings)
    answer.geometry = _geometry(model)
    if assemble and not answer.faults:
        _assemble(answer)
    return answer


def _geometry(model: Model) -> list[str]:
    if not model.table("GRAPHICS"):
        return []
    from ..results.geometry import build_look

    try:
        return [text.rstrip(".") for text in build_look(model, Path(model.path).parent if model.path else None).missing]
    except ValueError as error:
        return [f"the model cannot be drawn: {error}"]


def _assemble(answer: Check) -> None:
    from ..expressions import CurveError, ExpressionError, SplineError
    from ..model import ModelError, ModelErrors
    from ..system.build import System
    from ..system.user import MissingRoutine
    from .assemble import assemble, redundancy_words

    try:
        system = System(answer.model, missing="zero", initial=True)
        state = assemble(system)
        if system.initial_rows:
            y = state.y
            system = System(answer.model, missing="zero")
            system.y0[:] = y
            state = assemble(system, 0.0, y)
    except ModelErrors as error:
        answer.faults += error.errors
        return
    except MissingRoutine as error:  # one that nothing can stand in for, such as that of a curve
        place = str(error).split(": user routine")[0]
        if not any(text.startswith(place) for text in answer.missing):
            answer.missing.append(str(error))
        answer.warnings.append("the model was not assembled, since nothing can stand in for a routine that is missing")
        return
    except (ModelError, ExpressionError, SplineError, CurveError) as error:
        answer.faults.append(str(error))
        return
    answer.missing += [text for text in system.missing if text not in answer.missing]
    answer.bodies, answer.equations, answer.states = system.nb, system.m, system.nx
    answer.degrees_of_freedom = state.dof
    answer.moved = state.moved
    for line in redundancy_words(system, state.redundant):
        words, _, notation = line.rpartition(" [")
        answer.redundant.append(Redundancy(words, notation.rstrip("]")))


__all__ = ["Check", "Redundancy", "check"]
