"""Old addresses of modules that moved into sub-packages: `holonom.results.export` is `holonom.results.files.export`.

Imports of an old address give the module itself, with a `DeprecationWarning`.  Nothing is loaded before it is
requested. Not for `reactions` and `part_loads`: an import binds the module to the name, which is that of a function of
`holonom.results`.
"""

import sys
import warnings
from collections.abc import Callable
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from typing import Any

#: sub-package -> modules that stood next to it; ``old:new`` where the name changed as well
_MOVED = {
    "analyses.contact": "contact_events:events contact_follower:follower event_driven frozen gap_monitor ledger "
    "local_stepping overlap refereeing "
    "rigid_contact rigid_events settling time_stepping treatment",
    "analyses.statics": "rigid_statics:rigid static_friction:friction static_sensitivity:sensitivity path",
    "analyses.linear": "linearize linear_command:command campbell root_locus elastic",
    "analyses.session": "simulation simulate script snapshot memento state carried inputs output_times stepping "
    "systems parameters switched progress recorder",
    "analyses.dynamics": "events motion_breaks past periods sampling sensors topology work",
    "analyses.grains": "granular feeding",
    "analyses.checks": "check equations given ranges advice parallelism singular",
    "results.views": "body_values contact_view:contact flexible_view:flexible grains_view:grains impacts "
    "joint_view:joint mesh_view:mesh rod_view:rod "
    "surface_view:surface wrench_view:wrench sides bending flexible_loads",
    "results.pages": "animation body_modes collision modes_report page_data:data page_motion:motion report "
    "report_curves notebook still",
    "results.pictures": "movie plots geometry flexible_surface mesh_skin tubes gltf",
    "results.files": "adams_files adams_res export store state",
}


def _addresses() -> dict[str, str]:
    """Old address -> new one."""
    root = __name__.rpartition(".")[0]
    out = {}
    for package, names in _MOVED.items():
        for name in names.split():
            old, _, new = name.partition(":")
            out[f"{root}.{package.partition('.')[0]}.{old}"] = f"{root}.{package}.{new or old}"
    return out


class _Moved(MetaPathFinder, Loader):
    """Finds old addresses, after everybody else has looked."""

    def __init__(self):
        self.addresses = _addresses()
        self._specs: dict[str, ModuleSpec | None] = {}

    def find_spec(self, fullname, path=None, target=None):
        return ModuleSpec(fullname, self) if fullname in self.addresses else None

    def create_module(self, spec):
        new = self.addresses[spec.name]
        warnings.warn(f"{spec.name} has moved to {new}", DeprecationWarning, stacklevel=2)
        module = import_module(new)
        self._specs[spec.name] = module.__spec__
        return module

    def exec_module(self, module):
        module.__spec__ = self._specs.pop(
            module.__spec__.name
        )  # the import system has just put that of the old address instead


def install() -> None:
    """Let old addresses be found."""
    if not any(type(finder).__name__ == _Moved.__name__ for finder in sys.meta_path):
        sys.meta_path.append(_Moved())


def former_attribute(name: str, new: str) -> property:
    """A former ``name`` of an attribute or method of a class, which warns and gives that of the ``new`` name."""

    def get(self: Any) -> Any:
        warnings.warn(f"{type(self).__name__}.{name} is now called {new}", DeprecationWarning, stacklevel=2)
        return getattr(self, new)

    return property(get, doc=f"Former name of `{new}`.")


def former_names(module: str, names: dict[str, str]) -> Callable[[str], Any]:
    """``__getattr__`` of a module whose former ``names`` still work, with a `DeprecationWarning`."""

    def find(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        warnings.warn(f"{module}.{name} is now called {names[name]}", DeprecationWarning, stacklevel=2)
        return getattr(sys.modules[module], names[name])

    return find
