"""Checks of a model before it becomes numbers: one sentence per fault."""

from __future__ import annotations

from .base import ModelError


def cannot_run(model) -> list[str]:
    """Elements that are read and kept but that this version cannot run, one sentence for each."""
    out = []
    for kind, why in (
        ("CONTACT", "contact forces are not computed in this version"),
        ("FLEX_BODY", "flexible bodies are not computed in this version"),
        ("FE_PART", "beams of finite elements are not computed in this version"),
        ("NFORCE", "n-point forces are not computed in this version"),
        ("MFORCE", "modal forces are not computed in this version"),
        ("CVCV", "curve-on-curve constraints are not computed in this version"),
        ("FRICTION", "joint friction is not computed in this version"),
    ):
        for e in model.table(kind).values():
            if e.active:
                out.append(f"{e.label}: {why}")
    for e in model.table("FOREIGN").values():
        if e.active and getattr(e, "needed", False):
            out.append(f"{e.label}: {e.statement} is not computed in this version")
    return out


def validate(model) -> None:
    for part in model.parts.values():
        if not part.ground and part.active and not (part.mass is not None and part.mass > 0):
            raise ModelError(f"{part.label}: its mass must be positive, it is {part.mass}; give MASS")
