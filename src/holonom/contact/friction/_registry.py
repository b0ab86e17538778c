"""Which module has which friction model: one line each."""

from __future__ import annotations

FRICTIONS: dict[str, str] = {"COULOMB": "coulomb", "TANH": "tanh", "BRISTLE": "bristle", "LUGRE": "lugre"}
