"""Friction at a contact point, one file a model.

COLUMNS, MEMORY, row(contact)                as for laws; vectors in memory are in ground axes
force(p, k, N, s, mem, q, t, out)            out[0:3] friction force on a at normal force N and slip velocity s (3) of a on b;
                                             out[3:6] d/dN, out[6:15] d/ds row by row
accept(p, k, N, s, mem, q, t)                at accepted steps
"""

from __future__ import annotations

from ._registry import FRICTIONS

__all__ = ["FRICTIONS"]
