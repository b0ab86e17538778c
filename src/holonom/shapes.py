"""Solids for ``model.part(name, shape=..., density=...)``: the shapes of `Model.box`, `Model.cylinder` etc. before the
part exists.

    hn.shapes.box((0, 0, 0), (1.0, 0.1, 0.1))           # centre, edges
    hn.shapes.cylinder((0, 0, 0), (0, 0, 0.3), 0.02)    # ends, radius

Points and directions are in ground at the design position, lengths in units of the model; arguments are those of the
method of the same name without ``body``. Each raises `ModelError` for unknown arguments, and, when the part is created,
for shapes without volume.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .model.base import ModelError
from .model.builder import Builder, Kinds
from .model.builder.teaching import taught
from .model.calls import misfit
from .model.shape_kinds import shape_kinds

if TYPE_CHECKING:
    from .model.base import Element

for _kind in shape_kinds():  # builder methods that are in the file of their shape
    if _kind.builder is not None:
        setattr(Kinds, _kind.builder.__name__, taught(_kind.builder))

NAMES = (
    "box",
    "sphere",
    "cylinder",
    "capsule",
    "cone",
    "ellipsoid",
    "torus",
    "hull",
    "mesh",
    "extrusion",
    "revolution",
    *(kind.builder.__name__ for kind in shape_kinds() if kind.builder is not None),
)


class Shape:
    """A solid without a body: ``draw(model, body)`` adds it to a body and returns the GRAPHICS element."""

    def __init__(self, kind: str, arguments: dict[str, Any]) -> None:
        self.kind, self.arguments = kind, arguments

    def draw(self, model: Any, body: Any) -> Element:
        """Add the shape to a body of a model.  Raises `ModelError` for a shape without volume."""
        return getattr(model, self.kind)(body, **self.arguments)

    def __repr__(self) -> str:
        return f"{self.kind}({', '.join(f'{k}={v!r}' for k, v in self.arguments.items())})"


def _maker(kind: str) -> Callable[..., Shape]:
    method = getattr(Builder, kind)
    own = [p for n, p in inspect.signature(method).parameters.items() if n not in ("self", "body")]
    signature = inspect.Signature(own)

    def make(*args: Any, **words: Any) -> Shape:
        wrong = misfit(signature, args, words)
        if wrong:
            raise ModelError(f"shapes.{kind}: {wrong}")
        return Shape(kind, signature.bind(*args, **words).arguments)

    make.__name__ = make.__qualname__ = kind
    make.__doc__ = (
        f"{method.__doc__}\n\n        As `Model.{kind}` without its body; lengths in model units.  Raises "
        "`ModelError` for arguments that it does not know."
    )
    make.__signature__ = signature  # type: ignore[attr-defined]
    return make


box = _maker("box")
sphere = _maker("sphere")
cylinder = _maker("cylinder")
capsule = _maker("capsule")
cone = _maker("cone")
ellipsoid = _maker("ellipsoid")
torus = _maker("torus")
hull = _maker("hull")
mesh = _maker("mesh")
extrusion = _maker("extrusion")
revolution = _maker("revolution")
globals().update({name: _maker(name) for name in NAMES if name not in globals()})

__all__ = [*NAMES, "Shape"]
