"""Holonom: multibody simulation of mechanical systems, in Python with compiled kernels."""

__version__ = "0.1.0"

from .model import Model, ModelError, Units  # noqa: E402


def __getattr__(name: str):
    """Public names that bring in the solver are loaded when they are first asked for."""
    if name in ("simulate", "Simulation"):
        from .analyses import simulation

        return getattr(simulation, name)
    if name in ("read_adams", "write_adams", "read_script"):
        from .formats import adams

        return {"read_adams": adams.read_adm, "write_adams": adams.write_adm, "read_script": adams.read_acf}[name]
    if name == "load":
        from .results.store import load

        return load
    raise AttributeError(f"module 'holonom' has no attribute {name!r}")


__all__ = ["Model", "ModelError", "Simulation", "Units", "load", "read_adams", "read_script", "simulate", "write_adams"]
