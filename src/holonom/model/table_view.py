"""Views of the elements of one type: `Model.parts`, `Model.markers`, `Model.joints`."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, KeysView, ValuesView
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .base import Element, ModelError

if TYPE_CHECKING:
    from .model import Model

E = TypeVar("E", bound=Element)


class TableView(Generic[E]):
    """Elements of one type in the order in which they were added. Iteration yields the elements; ``view[3]`` and
    ``view["rod"]`` give one by id or name, ``in`` takes an id, a name or an element. The view follows changes of the
    model and is read-only: use `Model.add` and `Model.remove`."""

    __slots__ = ("_model", "_kind", "_table")

    def __init__(self, model: Model, kind: str) -> None:
        self._model, self._kind, self._table = model, kind, model.table(kind)

    def __iter__(self) -> Iterator[E]:
        return iter(self._table.values())

    def __len__(self) -> int:
        return len(self._table)

    def __getitem__(self, reference: Any) -> E:
        """Raises `ModelError` where there is none; for ids it is a KeyError too."""
        if type(reference) is int:  # what the solver asks: no words are needed
            return self._table[reference]
        return self._model.find(self._kind, reference)

    def _read_only(self, *_: Any) -> None:
        raise ModelError(
            f"this table of {self._kind} elements is read-only; make elements with methods of the model, and "
            "remove them with model.remove"
        )

    __setitem__ = __delitem__ = _read_only

    def __contains__(self, reference: Any) -> bool:
        if type(reference) is int:
            return reference in self._table
        try:
            self._model.find(self._kind, reference)
        except ModelError:
            return False
        return True

    def get(self, reference: Any, default: Any = None) -> Any:
        """The element with an id or a name, or the element itself; ``default`` where there is none."""
        return self[reference] if reference in self else default

    def keys(self) -> KeysView[int]:
        """Ids."""
        return self._table.keys()

    def values(self) -> ValuesView[E]:
        """Elements."""
        return self._table.values()

    def items(self) -> ItemsView[int, E]:
        """Pairs of id and element."""
        return self._table.items()

    def __eq__(self, other: object) -> bool:
        return self._table == (other._table if isinstance(other, TableView) else other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        names = [repr(e.name) for e in list(self)[:8]]
        more = f", ... and {len(self) - 8} more" if len(self) > 8 else ""
        return f"<{len(self)} {self._kind}: {', '.join(names)}{more}>"


__all__ = ["TableView"]
