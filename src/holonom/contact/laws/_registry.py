"""Which module has which law: one line each."""

from __future__ import annotations

LAWS: dict[str, str] = {"IMPACT": "impact"}
