"""Kernels that came compiled with the installation: the folder ``_kernels`` of a platform wheel (`make wheel`).

They were compiled for a named processor that many have (`TARGETS`), not for the one at hand.  What a file of compiled
code fits is reported by `needs`: Python, Numba, llvmlite, NumPy's ABI, the operating system and instructions of the
processor.  Where one of them differs nothing is read from the folder, and kernels are compiled into the user's cache as
in a checkout; an edited source does the same for the kernels that it reaches, as their folder is named after a hash of
it.

The files are pickles that name and hold code, as modules do: they are trusted as far as the wheel is, and nothing
writes there after it is built. ``HOLONOM_SHIPPED_KERNELS=0`` leaves them alone, so that every kernel is compiled for
the processor at hand.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).resolve().parent / "_kernels"
MANIFEST = "kernels.json"
VARIABLE = "HOLONOM_SHIPPED_KERNELS"

#: machine -> (name of the processor, instructions) that kernels of a wheel are compiled for
TARGETS = {
    "x86_64": (
        "x86-64-v3",
        "+avx,+avx2,+bmi,+bmi2,+cx16,+f16c,+fma,+lzcnt,+movbe,+popcnt,+sse3,+sse4.1,+sse4.2,+ssse3,+xsave",
    ),
    "arm64": ("generic", "+neon"),
}


class Shipped(NamedTuple):
    """``folder`` of files and the ``target`` that is in their keys, None when they do not serve here; ``reason``:
    why, as text."""

    folder: Path | None
    target: tuple | None
    reason: str


def machine() -> str:
    """Kind of processor, by one name on all systems."""
    name = platform.machine().lower()
    return {"amd64": "x86_64", "x64": "x86_64", "aarch64": "arm64"}.get(name, name)


def needs() -> dict[str, str]:
    """What compiled code fits, here; the names are those of the sentences that state what differs."""
    import llvmlite
    import numba
    import numpy

    return {
        "Python": sys.implementation.cache_tag or "",
        "Numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
        "NumPy": numpy.__version__.split(".")[0],
        "system": f"{sys.platform} {machine()}",
    }


def host_features() -> set[str]:
    """Instructions that the processor at hand has."""
    import llvmlite.binding as llvm

    try:
        return {name for name, there in llvm.get_host_cpu_features().items() if there}
    except RuntimeError:  # LLVM does not know this processor
        return set()


def look(folder: Path) -> Shipped:
    """Whether the kernels of a folder serve here."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        built, target = dict(manifest["needs"]), tuple(str(s) for s in manifest["target"])
        triple, _, features = target
    except FileNotFoundError:
        return Shipped(None, None, "none came with this installation")
    except (OSError, ValueError, KeyError, TypeError) as error:
        return Shipped(
            None, None, f"those in {folder} are not used: {MANIFEST} cannot be read ({type(error).__name__})"
        )
    for name, here in needs().items():
        if built.get(name) != here:
            return Shipped(
                None,
                None,
                f"those shipped with this installation are for {name} {built.get(name)}, here is {name} {here}",
            )
    from numba.core.registry import cpu_target

    here = cpu_target.target_context.codegen().magic_tuple()[0]
    if triple != here:
        return Shipped(None, None, f"those shipped with this installation are for {triple}, here is {here}")
    lacks = sorted({f[1:] for f in features.split(",") if f.startswith("+")} - host_features())
    if lacks:
        return Shipped(
            None,
            None,
            f"those shipped with this installation want a processor with {', '.join(lacks)}, which this one does not "
            f"have",
        )
    return Shipped(folder, target, f"those shipped with this installation are used, for {target[1]}")


@cache
def shipped() -> Shipped:
    """The kernels shipped with this installation."""
    if os.environ.get(VARIABLE) == "0":
        return Shipped(None, None, f"those of the installation are not used, as {VARIABLE}=0 says")
    return look(FOLDER)
