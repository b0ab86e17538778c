"""JSON of a model that is edited again and again: the text of an element is written once, until an edit replaces it."""

from __future__ import annotations

import json
from typing import Any

from ..model import Model
from ..model.parameter_data import to_data


class JsonText:
    """The texts of the elements of a document, by the identity of these: edits replace elements and do not change
    them (`Document`)."""

    def __init__(self) -> None:
        self._texts: dict[int, tuple[Any, str]] = {}

    def of(self, model: Model) -> str:
        """`Model.to_dict` as JSON.  Raises `ModelError` as that does."""
        known, now = self._texts, {}
        groups = []
        for kind, table in model._tables.items():
            texts = []
            for element in table.values():
                found = known.get(id(element))
                if found is None or found[0] is not element:
                    found = (element, json.dumps(element.to_dict()))
                now[id(element)] = found
                texts.append(found[1])
            if texts:
                groups.append(f"{json.dumps(kind)}: [{', '.join(texts)}]")
        self._texts = now
        head, parameters = json.dumps(model._head()), to_data(model)
        tail = f', "parameters": {json.dumps(parameters)}' if parameters else ""
        return f'{head[:-1]}, "elements": {{{", ".join(groups)}}}{tail}}}'
