"""Build a wheel for the platform at hand that carries compiled kernels: ``make wheel``, or
``python tools/wheel.py [--out dist] [--workers 2]``.

An ordinary wheel is built and unpacked; its own code then compiles `holonom.kernel_forms.everything`, without running a
model, with the cache in ``holonom/_kernels``, for the processor of `holonom._shipped.TARGETS` and not for this one; a
manifest states what the kernels fit, and the tree is packed again under the tag of this Python and platform.  Where
there is a C compiler, binaries for exported FMUs are linked from them, for Windows too where the package ``ziglang`` is
installed.  Kernels fit the versions of Numba and llvmlite
that are installed here.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

WARM = """
import sys, time
from holonom.kernel_forms import everything
from holonom.warmup import warm
part, of, brief = (int(a) for a in sys.argv[1:])
works = list(warm())[:1] if brief else list(everything())
for number, (name, work) in enumerate(works):
    if number % of == part:
        begin = time.process_time()
        work()
        print(f"{name}: {time.process_time() - begin:.1f} s CPU", flush=True)
"""
#: what a distribution is built of next to src/
FILES = (
    "pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff",
    "CONTRIBUTING.md", "SECURITY.md",
)  # fmt: skip
#: binaries for exported FMUs, so that an export needs no C compiler
RUNTIMES = """
from pathlib import Path
from holonom._jit import cache_root
from holonom.fmu_runtimes import link_runtimes
from holonom.formats.fmu.runtime import FOLDER
linked = link_runtimes(cache_root() / FOLDER)
for runtime in linked.runtimes:
    for path in runtime.binaries():
        print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB with {len(runtime.kernels)} kernels")
if linked.reason:
    print(f"no binaries for exported FMUs: {linked.reason}")
"""
MANIFEST = """
import json, sys
from numba.core.registry import cpu_target
from holonom._shipped import needs
print(json.dumps({"needs": needs(), "target": cpu_target.target_context.codegen().magic_tuple()}))
"""


def copy_sources(source: Path, copy: Path) -> Path:
    """What a distribution is built from, in a new folder: setuptools would add what an earlier build left next to the
    sources."""
    shutil.copytree(
        source / "src", copy / "src", ignore=shutil.ignore_patterns("*.egg-info", "__pycache__", "_kernels")
    )
    for name in FILES:
        shutil.copy(source / name, copy)
    return copy


def plain_wheel(source: Path, folder: Path) -> Path:
    """The wheel without kernels."""
    copy = copy_sources(source, folder / "source")
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--wheel-dir",
        str(folder),
        str(copy),
    ]
    try:
        import setuptools

        if int(setuptools.__version__.split(".")[0]) >= 77:  # it builds wheels by itself: no network is needed
            command.insert(4, "--no-build-isolation")
    except ImportError:
        pass
    subprocess.run(command, check=True)
    (wheel,) = folder.glob("holonom-*.whl")
    return wheel


def environment(tree: Path) -> dict[str, str]:
    """Variables under which a process compiles for a wheel in ``tree``."""
    sys.path.insert(0, str(tree))
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # the tree becomes the wheel
    from holonom._shipped import TARGETS, VARIABLE, machine

    sys.dont_write_bytecode = writes
    sys.path.remove(str(tree))
    if machine() not in TARGETS:
        raise SystemExit(
            f"no processor is chosen for machines of the kind '{machine()}'; add one to TARGETS in "
            "src/holonom/_shipped.py"
        )
    name, features = TARGETS[machine()]
    own = {
        "PYTHONPATH": str(tree),
        "PYTHONSAFEPATH": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOLONOM_CACHE_DIR": str(tree / "holonom" / "_kernels"),
        VARIABLE: "0",
        "NUMBA_CPU_NAME": name,
        "NUMBA_CPU_FEATURES": features,
        "NUMBA_DISABLE_INTEL_SVML": "1",  # a library that other machines need not have
    }
    return {**{k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "HOLONOM_"))}, **own}


def compile_kernels(tree: Path, workers: int, brief: bool) -> None:
    """Fill ``holonom/_kernels`` of an unpacked wheel; ``brief``: with those of one small run, for tests."""
    place = environment(tree)
    elsewhere = tempfile.gettempdir()  # so that no source of this folder is imported
    started = [
        subprocess.Popen([sys.executable, "-c", WARM, str(k), str(workers), str(int(brief))], env=place, cwd=elsewhere)
        for k in range(workers)
    ]
    if any([process.wait() for process in started]):
        raise SystemExit("kernels could not be compiled; the lines above state where")
    if not brief:
        subprocess.run([sys.executable, "-c", RUNTIMES], env=place, cwd=elsewhere, check=True)
    kernels = tree / "holonom" / "_kernels"
    for path in [*kernels.glob("lock"), *kernels.rglob("*.part")]:
        path.unlink()
    said = subprocess.run(
        [sys.executable, "-c", MANIFEST], env=place, cwd=elsewhere, check=True, capture_output=True, text=True
    ).stdout
    (kernels / "kernels.json").write_text(json.dumps(json.loads(said), indent=1) + "\n", encoding="utf-8")


def tag() -> str:
    """Python and platform of the wheel.  The kernels call only what Numba finds for them, so glibc's version is that
    which Numba's wheels require."""
    system = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    if system.startswith("linux_"):
        system = f"manylinux_2_17_{platform.machine()}" if platform.libc_ver()[0] == "glibc" else system
    return f"cp{sys.version_info[0]}{sys.version_info[1]}-none-{system}"


def pack(tree: Path, out: Path) -> Path:
    """The wheel of an unpacked tree, with a tag and a record of its own."""
    (info,) = tree.glob("*.dist-info")
    name = f"{info.name.removesuffix('.dist-info')}-{tag()}.whl"
    lines = [
        line
        for line in (info / "WHEEL").read_text().splitlines()
        if line and not line.startswith(("Tag:", "Root-Is-Purelib:"))
    ]
    (info / "WHEEL").write_text("\n".join([*lines, "Root-Is-Purelib: false", f"Tag: {tag()}"]) + "\n")
    (info / "RECORD").unlink(missing_ok=True)
    record = []
    out.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(out / name, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(p for p in tree.rglob("*") if p.is_file()):
            content = path.read_bytes()
            inner = path.relative_to(tree).as_posix()
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{inner},sha256={digest},{len(content)}")
            archive.writestr(zipfile.ZipInfo.from_file(path, inner), content, zipfile.ZIP_DEFLATED)
        archive.writestr(f"{info.name}/RECORD", "\n".join([*record, f"{info.name}/RECORD,,"]) + "\n")
    return out / name


def with_kernels(folder: Path, out: Path, workers: int, brief: bool) -> Path:
    """Build the wheel with kernels in an empty folder; it goes to ``out``."""
    tree = folder / "tree"
    with zipfile.ZipFile(plain_wheel(ROOT, folder)) as archive:
        archive.extractall(tree)
    compile_kernels(tree, max(workers, 1), brief)
    return pack(tree, out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="folder for the wheel")
    parser.add_argument(
        "--workers", type=int, default=min(2, os.cpu_count() or 1), help="processes that compile (2 GB each)"
    )
    parser.add_argument("--brief", action="store_true", help="only the kernels of one small run (for tests)")
    given = parser.parse_args()
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="holonom-wheel-") as folder:
        wheel = with_kernels(Path(folder), given.out, given.workers, given.brief)
        files = list((Path(folder) / "tree" / "holonom" / "_kernels").rglob("*.nbc"))
        size = sum(p.stat().st_size for p in files) / 1e6
        print(
            f"{wheel}: {wheel.stat().st_size / 1e6:.0f} MB with {len(files)} kernels of {size:.0f} MB, "
            f"{time.perf_counter() - begin:.0f} s"
        )


if __name__ == "__main__":
    main()
