"""Eigenvalues over a parameter: one linear analysis a value, the eigenvalues followed from each to the next."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ...model import Model, ModelError
from ...results.locus import RootLocus, follow
from .linearize import linearize


def root_locus(
    model: Model | Callable[[float], Model],
    change: Callable[[Model, float], Any] | None,
    values: Iterable[float],
    **options: Any,
) -> RootLocus:
    """`RootLocus` of a model over ``values`` of a parameter.

    ``change(model, value)`` sets the parameter in a copy of ``model`` (which is not changed); alternatively ``model``
    is a function that builds the model for a value, and ``change`` is None. ``options`` as for `holonom.linearize`:
    ``statics=True`` computes the equilibrium for every value. Zero eigenvalues (rigid-body motions) are omitted. Raises
    `ModelError`, with the value, where a linear analysis fails.
    """
    points = [float(v) for v in values]
    if not points:
        raise ModelError("a root locus needs at least one value of the parameter")
    if isinstance(model, Model) == (change is None):
        raise ModelError(
            "root_locus: change is None, but model is a Model; give change(model, value), which sets the parameter"
            if change is None
            else "root_locus: model is a function of the value, so change must be None; give a Model or None"
        )
    found = []
    for value in points:
        if not isinstance(model, Model):
            machine = model(value)
        elif change is not None:
            machine = model.copy()
            change(machine, value)
        try:
            found.append(linearize(machine, **options))
        except ModelError as error:
            raise ModelError(f"at {value:g}: {error}") from None
    return follow(points, found)
