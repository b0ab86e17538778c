"""Register of the methods of `Simulation` that other modules implement: analyses, switching, steps from outside, files.

A new analysis is a function ``(sim, ...)`` in a module of its own and a row here; `python tools/stubs.py` declares it.
"""

from __future__ import annotations

from ..._methods import attach

#: method -> module:function
METHODS = {
    "prepare": ".preparation:prepare",
    "degrees_of_freedom": ".preparation:degrees_of_freedom",
    "contact_method": ".preparation:contact_method",
    # analyses
    "initial": ".preparation:initial",
    "dynamics": "..dynamics.entry:dynamics",
    "kinematics": "..kinematics:kinematics",
    "statics": "..statics.sequence:statics",
    "quasistatics": "..statics.sequence:quasistatics",
    "path": "..statics.path:follow_path",
    "linearize": "..linear.linearisation:linearize_simulation",
    # between analyses
    "activate": ".switched:activate",
    "deactivate": ".switched:deactivate",
    "switch": ".switched:switch",
    "report_losses": ".switched:report_losses",
    "woken_contacts": ".switched:woken_contacts",
    "set_parameter": ".parameters:set_parameter",
    "own": "..grains.feeding:own",
    "add_grains": "..grains.feeding:add_grains",
    "remove_grains": "..grains.feeding:remove_grains",
    "remove": "..grains.feeding:remove",
    # steps from outside
    "open": ".opened:begin",
    "close": ".opened:close",
    "set_input": ".opened:set_input",
    "snapshot": ".opened:snapshot",
    "restore": ".opened:restore",
    # files and the answer
    "save": ".saving:save",
    "reload": ".saving:reload",
    "take": ".saving:take",
    "run": ".answer:run_so_far",
}


class SimulationMethods:
    """Base of `Simulation` with the methods of the register."""


attach(SimulationMethods, METHODS, __package__)
