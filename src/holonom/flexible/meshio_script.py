"""Run by itself, in a process of its own: readers of meshio can run for ever, or request all memory, where a file is
damaged.

``python meshio_script.py format mesh out.npz``: points, cells, sets and tags of a file, with names as JSON.  What
fails is one line on the standard error; the exit status is then 2, or 3 where meshio is absent.
"""

import contextlib
import importlib
import io
import json
import sys
import warnings

import numpy as np

MOST_MEMORY = 8 * 2**30
MOST_SECONDS = 300


def main(form: str, path: str, out: str) -> None:
    """Read and write."""
    try:
        import resource

        for what, most in ((resource.RLIMIT_AS, MOST_MEMORY), (resource.RLIMIT_CPU, MOST_SECONDS)):
            resource.setrlimit(what, (most, most))
    except (ImportError, ValueError, OSError):
        pass  # where the system has no such limits
    try:
        reader = importlib.import_module(f"meshio.{form}")
    except ImportError:
        sys.exit(3)
    warnings.simplefilter("ignore")
    with (
        np.errstate(all="ignore"),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        mesh = reader.read(path)
    arrays = {"points": np.asarray(mesh.points, float)}
    content = {"kinds": [block.type for block in mesh.cells], "points": [], "cells": [], "tags": [], "names": []}
    for k, block in enumerate(mesh.cells):
        arrays[f"cells {k}"] = np.asarray(block.data, np.int64)
    for name, own in (mesh.point_sets or {}).items():
        arrays[f"points {len(content['points'])}"] = np.asarray(own, np.int64).ravel()
        content["points"].append(str(name))
    for name, blocks in (mesh.cell_sets or {}).items():
        if str(name).startswith("gmsh:"):
            continue
        for k, own in enumerate(blocks):
            if own is not None and np.size(own):
                arrays[f"set {len(content['cells'])}"] = np.asarray(own, np.int64).ravel()
                content["cells"].append([str(name), k])
    for key in ("gmsh:physical", "medit:ref"):
        for k, own in enumerate((mesh.cell_data or {}).get(key, ())):
            arrays[f"tag {len(content['tags'])}"] = np.asarray(own, np.int64).ravel()
            content["tags"].append(k)
    for name, value in (mesh.field_data or {}).items():
        if np.size(value) == 2:
            content["names"].append([str(name), int(value[0]), int(value[1])])
    np.savez(out, content=np.frombuffer(json.dumps(content).encode(), np.uint8), **arrays)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:4])
    except BaseException as error:
        if isinstance(error, SystemExit):
            raise
        sys.stderr.write(" ".join(str(error).split())[:200] or type(error).__name__)
        sys.exit(2)
