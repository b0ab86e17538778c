"""Normal force laws, one file each: what a contact point answers to its depth and its rate.

COLUMNS                                  name, meaning, unit of the numbers in a parameter row (at most 16)
MEMORY                                   numbers remembered for a point, at most 7
row(contact, context)                    parameters from a `model.Contact`
force(p, k, d, v, mem, q, t, out)        normal force at depth d > 0 and rate v = d' (> 0 approaching); out[0] dF/dd, out[1] dF/dv,
                                         out[2] elastic part of F, out[3] elastic energy stored
accept(p, k, d, v, mem, q, t)            takes over what is remembered, at accepted steps and at located onsets
damping_for(restitution, speed, row)     the damping that gives a wanted restitution, or ModelError where the law cannot
"""

from __future__ import annotations

from ._registry import LAWS

__all__ = ["LAWS"]
