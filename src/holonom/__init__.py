"""Holonom: multibody simulation of mechanical systems, in Python with compiled kernels."""

from __future__ import annotations

from importlib import import_module
from inspect import isfunction
from typing import TYPE_CHECKING, Any

from . import _moved, shapes
from ._warnings import ModelWarning
from .contact.surfaces import surface_contact as _surfaces  # noqa: F401  (as the next)
from .elements import control as _control  # noqa: F401  (gives `model.control` its methods)
from .elements import kinds as _kinds  # noqa: F401  (gives the builder the methods of registered types)
from .model import Model, ModelError, ModelErrors, Units
from .model.calls import exported
from .model.reduced_body import TOOLS as _BODY_TOOLS
from .model.region import Box, Cylinder, HalfSpace

if TYPE_CHECKING:
    from . import control, durability, flexible, rail, structures, studies, studio, thermal, vehicle
    from .analyses.checks.check import Check, check
    from .analyses.checks.equations import Equations, equations
    from .analyses.contact.frozen import freeze_contact
    from .analyses.cosimulation.cosimulate import Cosimulation, cosimulate
    from .analyses.derivatives.functionals import (
        Functional,
        damping_ratio,
        eigenvalue,
        final,
        frequency_response,
        integral,
        least_squares,
        natural_frequency,
        peak,
        time_of,
        value_at,
    )
    from .analyses.derivatives.gradient import Gradient, gradient
    from .analyses.derivatives.minimize import Minimum, minimize
    from .analyses.derivatives.sensitivities import Sensitivities, sensitivities
    from .analyses.linear.assembled_damping import assembled_damping
    from .analyses.linear.campbell import campbell
    from .analyses.linear.linearize import linearize
    from .analyses.linear.root_locus import root_locus
    from .analyses.linear.sampled_loop import sampled_loop
    from .analyses.session.simulate import simulate
    from .analyses.session.simulation import Simulation
    from .formats.adams import read_acf as read_script
    from .formats.adams import read_adm as read_adams
    from .formats.adams import read_cmd as read_view
    from .formats.adams import write_adm as write_adams
    from .formats.adams import write_cmd as write_view
    from .formats.adams.session import run_script
    from .formats.fmu.export import export_fmu
    from .formats.onnx import read_onnx
    from .formats.robots import read_mjcf, read_sdf, read_urdf, read_usd, write_mjcf, write_sdf, write_urdf
    from .formats.ssp import SystemStructure, read_ssp, write_ssp
    from .integrators.stepper import IntegrationError
    from .recursive.dynamics import JointCoordinates, inverse_dynamics
    from .recursive.inverse_kinematics import InverseKinematics, inverse_kinematics
    from .recursive.reach import Manipulability, ReachableWorkspace, manipulability, reachable_workspace
    from .results.campbell import Campbell
    from .results.compare import compare
    from .results.files.store import load
    from .results.locus import RootLocus
    from .results.modes import Linear
    from .results.run import Run
    from .results.state_space import StateSpace
    from .studies.study import Study

__version__ = "0.1.0"

#: public name -> (module, name there): what brings in the solver or the result store is loaded when it is first asked
#: for
_LAZY = {
    "durability": ("durability", ""),
    "flexible": ("flexible", ""),
    "machinery": ("machinery", ""),
    "rail": ("rail", ""),
    "results": ("results", ""),
    "structures": ("structures", ""),
    "control": ("control", ""),
    "gym": ("gym", ""),
    "studies": ("studies", ""),
    "Study": ("studies.study", "Study"),
    "studio": ("studio", ""),
    "campbell": ("analyses.linear.campbell", "campbell"),
    "Campbell": ("results.campbell", "Campbell"),
    "thermal": ("thermal", ""),
    "vehicle": ("vehicle", ""),
    "Check": ("analyses.checks.check", "Check"),
    "check": ("analyses.checks.check", "check"),
    "Equations": ("analyses.checks.equations", "Equations"),
    "Cosimulation": ("analyses.cosimulation.cosimulate", "Cosimulation"),
    "cosimulate": ("analyses.cosimulation.cosimulate", "cosimulate"),
    "export_fmu": ("formats.fmu.export", "export_fmu"),
    "Functional": ("analyses.derivatives.functionals", "Functional"),
    "Minimum": ("analyses.derivatives.minimize", "Minimum"),
    "Sensitivities": ("analyses.derivatives.sensitivities", "Sensitivities"),
    "minimize": ("analyses.derivatives.minimize", "minimize"),
    "peak": ("analyses.derivatives.functionals", "peak"),
    "sensitivities": ("analyses.derivatives.sensitivities", "sensitivities"),
    "time_of": ("analyses.derivatives.functionals", "time_of"),
    "Gradient": ("analyses.derivatives.gradient", "Gradient"),
    "final": ("analyses.derivatives.functionals", "final"),
    "gradient": ("analyses.derivatives.gradient", "gradient"),
    "damping_ratio": ("analyses.derivatives.functionals", "damping_ratio"),
    "eigenvalue": ("analyses.derivatives.functionals", "eigenvalue"),
    "frequency_response": ("analyses.derivatives.functionals", "frequency_response"),
    "natural_frequency": ("analyses.derivatives.functionals", "natural_frequency"),
    "integral": ("analyses.derivatives.functionals", "integral"),
    "least_squares": ("analyses.derivatives.functionals", "least_squares"),
    "value_at": ("analyses.derivatives.functionals", "value_at"),
    "freeze_contact": ("analyses.contact.frozen", "freeze_contact"),
    "equations": ("analyses.checks.equations", "equations"),
    "JointCoordinates": ("recursive.dynamics", "JointCoordinates"),
    "inverse_dynamics": ("recursive.dynamics", "inverse_dynamics"),
    "IntegrationError": ("integrators.stepper", "IntegrationError"),
    "InverseKinematics": ("recursive.inverse_kinematics", "InverseKinematics"),
    "inverse_kinematics": ("recursive.inverse_kinematics", "inverse_kinematics"),
    "Manipulability": ("recursive.reach", "Manipulability"),
    "ReachableWorkspace": ("recursive.reach", "ReachableWorkspace"),
    "manipulability": ("recursive.reach", "manipulability"),
    "reachable_workspace": ("recursive.reach", "reachable_workspace"),
    "run_script": ("formats.adams.session", "run_script"),
    "assembled_damping": ("analyses.linear.assembled_damping", "assembled_damping"),
    "linearize": ("analyses.linear.linearize", "linearize"),
    "root_locus": ("analyses.linear.root_locus", "root_locus"),
    "sampled_loop": ("analyses.linear.sampled_loop", "sampled_loop"),
    "RootLocus": ("results.locus", "RootLocus"),
    "StateSpace": ("results.state_space", "StateSpace"),
    "Linear": ("results.modes", "Linear"),
    "Simulation": ("analyses.session.simulation", "Simulation"),
    "simulate": ("analyses.session.simulate", "simulate"),
    "read_script": ("formats.adams", "read_acf"),
    "read_adams": ("formats.adams", "read_adm"),
    "read_mjcf": ("formats.robots", "read_mjcf"),
    "read_onnx": ("formats.onnx", "read_onnx"),
    "read_sdf": ("formats.robots", "read_sdf"),
    "SystemStructure": ("formats.ssp", "SystemStructure"),
    "read_ssp": ("formats.ssp", "read_ssp"),
    "write_ssp": ("formats.ssp", "write_ssp"),
    "read_urdf": ("formats.robots", "read_urdf"),
    "read_usd": ("formats.robots", "read_usd"),
    "read_view": ("formats.adams", "read_cmd"),
    "write_adams": ("formats.adams", "write_adm"),
    "write_mjcf": ("formats.robots", "write_mjcf"),
    "write_sdf": ("formats.robots", "write_sdf"),
    "write_urdf": ("formats.robots", "write_urdf"),
    "write_view": ("formats.adams", "write_cmd"),
    "compare": ("results.compare", "compare"),
    "Run": ("results.run", "Run"),
    "load": ("results.files.store", "load"),
}


_SIMULATION = "; open a simulation and call its method: holonom.Simulation(model).{}()".format
#: analyses that people look for among the functions -> where they are
_ANALYSES = {
    **dict.fromkeys(("statics", "equilibrium", "static"), _SIMULATION("statics")),
    **dict.fromkeys(("assemble", "assembly", "initial"), _SIMULATION("initial")),
    "kinematics": _SIMULATION("kinematics"),
    "quasistatics": _SIMULATION("quasistatics"),
    **dict.fromkeys(("modes", "eigenvalues", "modal", "linear"), "; write holonom.linearize(model)"),
    "run": "; write holonom.simulate(model, end=...)",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        from .model.base import did_you_mean

        meant = "" if name[:1] == "_" else _ANALYSES.get(name.lower()) or did_you_mean(name, __all__, "")
        raise AttributeError(f"module 'holonom' has no attribute {name!r}{meant}")
    module, attribute = _LAZY[name]
    value: Any = import_module(f".{module}", __name__)
    if attribute:
        value = getattr(value, attribute)
        if isfunction(value):
            value = exported(value, __name__, name)
    globals()[name] = value
    return value


def _show_modes(body, path, **options):
    """`ReducedBody.show_modes`: bodies are below results, which draw them."""
    return import_module(".results.pages.body_modes", __name__).show_modes(body, path, **options)


_BODY_TOOLS["show_modes"] = _show_modes
_moved.install()


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})


__all__ = [
    "Box", "Campbell", "Check", "Cosimulation", "Cylinder", "Equations", "Functional", "Gradient", "HalfSpace",
    "IntegrationError", "InverseKinematics", "JointCoordinates", "Linear", "Manipulability", "Minimum", "Model",
    "ModelError", "ModelErrors", "ModelWarning", "ReachableWorkspace", "RootLocus", "Run", "Sensitivities",
    "Simulation", "StateSpace", "Study", "SystemStructure", "Units", "assembled_damping", "campbell", "check",
    "compare", "control", "cosimulate", "damping_ratio", "durability", "eigenvalue", "equations", "export_fmu",
    "final", "flexible", "freeze_contact", "frequency_response", "gradient", "gym", "integral", "inverse_dynamics",
    "inverse_kinematics", "least_squares", "linearize", "load", "machinery", "manipulability", "minimize",
    "natural_frequency", "peak", "rail", "reachable_workspace", "read_adams", "read_mjcf", "read_onnx",
    "read_script", "read_sdf", "read_ssp", "read_urdf", "read_usd", "read_view", "results", "root_locus",
    "run_script", "sampled_loop", "sensitivities", "shapes", "simulate", "structures", "studies", "studio",
    "thermal", "time_of", "value_at", "vehicle", "write_adams", "write_mjcf", "write_sdf", "write_ssp",
    "write_urdf", "write_view",
]  # fmt: skip
