"""Results of one contact during a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from ...model import ModelError
from .._names import Named

if TYPE_CHECKING:
    from .._data import Key
    from ..run import Run


class ContactView(Named):
    """One CONTACT over time, all points of its shapes together; forces act on its I side."""

    def __init__(self, run: Run, key: Key) -> None:
        self.run, self.key = run, key
        self.kind, self.id, self.name = key
        self._index = run.data.contacts.index(key)

    def __repr__(self) -> str:
        return f"<{self.kind}/{self.id} '{self.name}': {len(self.run)} times>"

    def _vector(self, what: str, quantity: str) -> xr.DataArray:
        return self.run._vector(
            getattr(self.run.data, f"contact_{what}")[:, self._index], quantity, f"{self.name}.{what}"
        )

    def _scalar(self, what: str, quantity: str) -> xr.DataArray:
        values = getattr(self.run.data, f"contact_{what}")[:, self._index]
        return self.run._array(values, (), {}, quantity, f"{self.name}.{what}")

    @property
    def force(self) -> xr.DataArray:
        """On the I side, ground axes, dims (time, axis)."""
        return self._vector("force", "force")

    @property
    def torque(self) -> xr.DataArray:
        """On the I side about `point`, dims (time, axis)."""
        return self._vector("torque", "torque")

    @property
    def point(self) -> xr.DataArray:
        """Mean of the active contact points, weighted by normal force; zero without contact."""
        return self._vector("point", "length")

    @property
    def normal(self) -> xr.DataArray:
        """Sum of the magnitudes of normal forces."""
        return self._scalar("normal", "force")

    @property
    def friction(self) -> xr.DataArray:
        """Sum of the magnitudes of friction forces."""
        return self._scalar("friction", "force")

    @property
    def depth(self) -> xr.DataArray:
        """Largest penetration; zero without contact."""
        return self._scalar("depth", "length")

    @property
    def rate(self) -> xr.DataArray:
        """Rate of the largest penetration, positive while it increases."""
        return self._scalar("rate", "velocity")

    @property
    def impacts(self) -> np.ndarray:
        """Rows of `Run.impacts` of this contact."""
        return self.run.impacts[self.run.impacts["contact_id"] == self.id]

    @property
    def points(self) -> xr.DataArray:
        """Number of active contact points."""
        return self._scalar("points", "none")


def contact(run: Run, reference: Any) -> ContactView:
    """Force, point, depth of a contact, all its shapes together."""
    try:
        return ContactView(run, run._find("contacts", reference))
    except ModelError:
        if isinstance(reference, str) and (many := run.contacts_of(reference)):
            raise ModelError(
                f"'{reference}' is a group of {len(many)} contacts: run.contacts_of('{reference}') has each of them"
            ) from None
        raise


def contacts_of(run: Run, group: str) -> list[ContactView]:
    """Contacts of a group (see `Model.contact_each`), in the order of the model; empty where no contact has it."""
    return [run.contact(c) for c in run.model.contacts_of(group) if (c.KIND, c.id, c.name) in run.data.contacts]
