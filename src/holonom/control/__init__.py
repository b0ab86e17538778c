"""Tools around control blocks: sample times, tuning rules, relay experiments.

Blocks themselves are made by ``model.control`` (`elements.control`); loops of linearised machines are `StateSpace`
objects (`results.feedback`, `analyses.linear.sampled_loop`).
"""

from __future__ import annotations

from ..model.control import SampleTime
from .tuning import RelayExperiment, relay_experiment, simc, ultimate_point, ziegler_nichols, ziegler_nichols_step

__all__ = [
    "RelayExperiment",
    "SampleTime",
    "relay_experiment",
    "simc",
    "ultimate_point",
    "ziegler_nichols",
    "ziegler_nichols_step",
]
