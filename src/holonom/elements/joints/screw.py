"""SCREW joint: a cylindrical joint whose travel follows its turns: distance = pitch * angle / (2 pi) (5 equations)."""

from math import pi

from .composition import SCREW, Freedom, Subspace, X, Y, Z, along, coupling, declare, parallel_z


def _setup(joint):
    if joint.pitch is None:
        raise joint.error("a screw joint needs PITCH, its travel per turn")
    return (coupling(((1.0, "distance"), (-joint.pitch / (2 * pi), "angle"))),)


def _subspace(joint):
    return Subspace((Freedom(SCREW, Z, joint.pitch / (2 * pi)),))


declare("SCREW", (*parallel_z(), along(X), along(Y)), ("distance", "angle"), setup=_setup, subspace=_subspace)
