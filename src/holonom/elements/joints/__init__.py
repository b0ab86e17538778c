"""Joints: each file declares how one kind of joint is composed of scalar rows (see `rows`)."""

from . import (  # noqa: F401  (fill the registry)
    at_point,
    constant_velocity,
    cylindrical,
    fixed,
    hooke,
    in_line,
    in_plane,
    orientation,
    parallel_axes,
    perpendicular,
    planar,
    rack_and_pinion,
    revolute,
    screw,
    spherical,
    translational,
    universal,
)
from .composition import JOINTS, Equation, JointKind

__all__ = ["JOINTS", "Equation", "JointKind"]
