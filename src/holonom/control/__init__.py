"""Tools around control blocks: sample times, tuning rules, relay experiments; planning and control of robots.

Blocks themselves are made by ``model.control`` (`elements.control`); loops of linearised machines are `StateSpace`
objects (`results.feedback`, `analyses.linear.sampled_loop`).
"""

from __future__ import annotations

from ..model.control import SampleTime
from .collision_free import CollisionFreePath, collision_free_path
from .joint_control import ComputedTorque, GravityCompensation, HybridControl, Impedance
from .path_timing import TimeOptimal, time_optimal
from .trajectories import Trajectory, arc, follow_path, joint_path, line, quintic, spline, trapezoid
from .tuning import RelayExperiment, relay_experiment, simc, ultimate_point, ziegler_nichols, ziegler_nichols_step

__all__ = [
    "CollisionFreePath",
    "ComputedTorque",
    "GravityCompensation",
    "HybridControl",
    "Impedance",
    "RelayExperiment",
    "SampleTime",
    "TimeOptimal",
    "Trajectory",
    "arc",
    "collision_free_path",
    "follow_path",
    "joint_path",
    "line",
    "quintic",
    "relay_experiment",
    "simc",
    "spline",
    "time_optimal",
    "trapezoid",
    "ultimate_point",
    "ziegler_nichols",
    "ziegler_nichols_step",
]
