"""Register of the methods of `Run` that other modules implement: views of elements, tables, audits, files, pages.

A new view is a function ``(run, ...)`` in a module of its own and a row here; `python tools/stubs.py` declares it.
"""

from __future__ import annotations

from .._methods import attach
from .._moved import former_attribute
from ._names import Named

#: method -> module:function
METHODS = {
    # views of elements
    "named": ".views.named:named",
    "part": ".views.body:part",
    "marker": ".views.body:marker",
    "joint": ".views.joint:joint",
    "motion": ".views.joint:motion",
    "constraint": ".views.joint:constraint",
    "force": ".views.joint:force",
    "spring": ".views.joint:spring",
    "contact": ".views.contact:contact",
    "contacts_of": ".views.contact:contacts_of",
    "surface": ".views.surface:surface",
    "grains": ".views.grains:grains",
    "sink": ".views.grains:sink",
    "flexible": ".views.flexible:flexible",
    "mesh": ".views.mesh:mesh",
    "rod": ".views.rod:rod",
    "request": ".views.outputs:request",
    "request_components": ".views.outputs:request_components",
    "variable": ".views.outputs:variable",
    "state": ".views.outputs:state",
    "state_of": ".views.outputs:state_of",
    # curves, tables and audits
    "curve": ".curves:curve",
    "difference": ".curves:run_difference",
    "compare": ".compare:compare",
    "audit": ".audit:audit",
    "momentum_audit": ".audit:momentum_audit",
    "reactions": ".views.reactions:reactions",
    "part_loads": ".views.part_loads:part_loads",
    "clearance": ".clearance:clearance",
    "to_xarray": ".tables:to_xarray",
    "to_dataframe": ".tables:to_dataframe",
    # files, pictures and pages
    "save": ".files.store:save",
    "export_csv": ".files.export:export_csv",
    "export_gltf": ".pictures.gltf:export_gltf",
    "movie": ".pictures.movie:write_movie",
    "plot": ".pictures.plots:save_all",
    "report": ".pages.report:write_report",
    "animate": ".pages.notebook:animate",
}


class RunMethods(Named):
    """Base of `Run` with the methods of the register."""

    least_distance = former_attribute("least_distance", "clearance")


attach(RunMethods, METHODS, __package__)
