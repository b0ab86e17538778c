"""`sensitivities`: derivatives of several functionals of one run by several parameters, as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...model import Model, ModelError
from ...model.base import shown
from .functionals import Functional
from .gradient import Gradient, gradients, present
from .tangents import MODES


class Sensitivities:
    """Derivatives of functionals (rows) by parameters (columns).

    ``values``: functionals by name; ``functionals``, ``names``: rows and columns; ``matrix``: the derivatives, in units
    of the functional over those of the parameter; ``relative``: the share by which a functional changes for a share of
    a parameter's value, dJ/J over dp/p (nan where the functional is zero); ``s["tip"]``: `Gradient` of one;
    ``warnings``: sentences on doubtful derivatives.
    """

    def __init__(self, gradients: Mapping[str, Gradient], parameters: np.ndarray) -> None:
        self._gradients = dict(gradients)
        self.functionals = list(self._gradients)
        self.values = {name: g.value for name, g in self._gradients.items()}
        self.names = next(iter(self._gradients.values())).names
        self.matrix = np.array([g.vector for g in self._gradients.values()])
        values = np.array(list(self.values.values()))
        self.relative = self.matrix * parameters / np.where(values == 0.0, np.nan, values)[:, None]
        self.warnings = list(dict.fromkeys(w for g in self._gradients.values() for w in g.warnings))

    def __getitem__(self, name: str) -> Gradient:
        if name not in self._gradients:
            raise ModelError(f"there is no functional {shown(name)}; there are {', '.join(self.functionals)}")
        return self._gradients[name]

    def __repr__(self) -> str:
        return f"<sensitivities of {len(self.functionals)} functionals by {len(self.names)} numbers>"

    def __str__(self) -> str:
        """The table, a parameter in each row."""
        head = ["", *self.functionals]
        rows = [["value", *(f"{v:.6g}" for v in self.values.values())]]
        rows += [[name, *(f"{v:.6g}" for v in column)] for name, column in zip(self.names, self.matrix.T)]
        widths = [max(len(row[k]) for row in [head, *rows]) for k in range(len(head))]
        return "\n".join(
            "  ".join(c.rjust(w) if k else c.ljust(w) for k, (c, w) in enumerate(zip(row, widths)))
            for row in [head, *rows]
        )


def sensitivities(
    model: Model,
    functionals: Any,
    parameters: Any,
    *,
    end: Any = None,
    kind: str = "auto",
    integrator: str = "DOP853",
    error: float | None = None,
    mode: str = "auto",
    compare: bool = True,
    **options: Any,
) -> Sensitivities:
    """Derivatives dJ/dp of several functionals J of one run by parameters p, as a table.

    ``mode``: "adjoint" takes one adjoint for each functional, "tangent" derivatives of all states by the parameters,
    whose cost depends on neither the number of functionals nor that of parameters but grows with that of bodies;
    "auto" chooses the cheaper one.  Both are exact, and agree to rounding.  Tangents: explicit methods, without
    contacts, flexible bodies and events.

    ``functionals``: a table name -> functional, or expressions (final values), or a list of these; other arguments as
    for `gradient`.  Raises `ModelError` as `gradient` does.

        s = hn.sensitivities(model, {"tip": hn.final("DZ(3,4)"), "peak": hn.peak("VM(3)")}, ["k", "PART/2.MASS"], end=2)
        print(s); s["tip"]["k"]; s.relative
    """
    named = _named(functionals)
    if mode not in MODES:
        raise ModelError(f"mode is {shown(mode)}; choose {', '.join(MODES)}")
    found = gradients(model, list(named.values()), parameters, end, integrator, error, options, kind, mode, compare)
    return Sensitivities(dict(zip(named, found)), present(model, parameters))


def _named(functionals: Any) -> dict[str, Functional]:
    from .functionals import final

    if isinstance(functionals, (str, Functional)):
        functionals = [functionals]
    if isinstance(functionals, Mapping):
        pairs = [(str(name), f) for name, f in functionals.items()]
    elif isinstance(functionals, Sequence):
        pairs = [(f if isinstance(f, str) else f"functional {k}", f) for k, f in enumerate(functionals, 1)]
    else:
        raise ModelError(f"functionals are {shown(functionals)}; give a table name -> functional")
    out: dict[str, Functional] = {}
    for name, f in pairs:
        if not isinstance(f, (str, Functional)):
            raise ModelError(f"functional '{name}' is {shown(f)}; give one, as holonom.final('DX(3,4)'), or a text")
        out[name] = final(f) if isinstance(f, str) else f
    if not out:
        raise ModelError("no functionals are given; give one at least")
    return out
