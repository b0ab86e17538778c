"""The binary of an FMU: kernels of the package, linked for another process.

Machine code does not depend on the model (its numbers are data), so one binary serves all models whose tables have the
same types and which call no other kernels by address.  Wheels with kernels contain some (`fmu_runtimes`).  Others are
made once, from the LLVM code that the kernel cache holds, and kept in the cache; that takes a C compiler (``CC``, gcc,
cc or clang), an export alone does not.

Numba compiles a kernel to  int f(result*, void **exception, arguments...),  which returns zero where nothing was
raised; an array is seven arguments (two unused, items, item size, data, shape, stride).
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite.binding as llvm

from ... import _shipped
from ..._content_key import content_key
from ..._handle import Handle
from ..._jit import cache_root
from ..._kernel_cache import _apart
from ..._later import _KEPT, _deferred, address_of
from ...model import ModelError
from . import kernels

#: processor that binaries are made for: all of 64 bits
PROCESSOR = "x86-64"
COMPILERS = ("gcc", "cc", "clang")
#: suffix of a binary -> triple of its system
SYSTEMS = {".so": "", ".dll": "x86_64-pc-windows-gnu"}
SOURCES = ("runtime.c", "between_steps.c", "conditions.c", "derivatives.c")  # the first includes the others
FOLDER = "fmu"  # of runtimes, in the cache and in the kernels of the installation


class Form(NamedTuple):
    """A kernel for certain types of arguments; ``result``: type that it must have, or None."""

    kernel: Any
    arguments: tuple
    result: Any

    @property
    def compiled(self) -> Any:
        address_of(*self)
        return _KEPT[tuple(self)][0]

    @property
    def label(self) -> str:
        """Its name, and a digest of its content and of the types."""
        function = self.kernel.py_func
        types = hashlib.sha256(repr((_key(self.kernel), self.arguments, self.result)).encode()).hexdigest()[:16]
        return f"{function.__module__}.{function.__qualname__} {types}"


def known_kernels() -> dict[int, Form]:
    """Address, or number of a deferred one -> kernel, of all that have one in this process."""
    found = {address: Form(*key) for key, (_, address) in _KEPT.items()}
    return found | {-n: Form(*key) for n, key in enumerate(_deferred) if key}


def _module(compiled: Any) -> llvm.ModuleRef:
    library = compiled.library
    return library._shared_module if library._shared_module is not None else library._final_module


class _Linked:
    """All code that ``roots`` (symbol of C -> form) and the ``addressed`` forms need, as one module.

    ``whole``: the module; ``symbols``: of the roots, of the addressed forms and of those that are compiled at their
    first call (``later``: how code names them -> symbol); ``parts``: all forms in it.
    """

    def __init__(self, roots: dict[str, Form], addressed: list[Form]):
        self.whole: llvm.ModuleRef | None = None
        self.parts: list[tuple[str, str]] = []
        self._names: dict[int, str] = {}
        self._forms: dict[bytes, Form] = {}
        for name, form in roots.items():
            self._add(form.compiled, name)
        self.addressed = [self._add(form.compiled) for form in addressed]
        self.later: dict[bytes, str] = {}
        while len(self.later) < len(self._forms):
            for raw in sorted(self._forms.keys() - self.later.keys()):
                self.later[raw] = self._add(self._forms[raw].compiled)

    def _add(self, compiled: Any, name: str = "") -> str:
        """The symbol of a compiled form here, ``name`` where that is given."""
        known = id(compiled.library)
        if known in self._names:
            return self._names[known]
        self._names[known] = name = name or f"holonom_kernel_{len(self._names)}"
        part = llvm.parse_bitcode(_module(compiled).as_bitcode())
        own = compiled.fndesc.llvm_func_name
        self._note_later(part)
        for variable in part.global_variables:  # symbols carry numbers of a process: equal ones need not be equal code
            if not variable.is_declaration:
                variable.linkage = "internal"
        for function in part.functions:
            if not function.is_declaration:
                function.linkage = "external" if function.name == own else "internal"
        part.get_function(own).name = name
        for symbol in [f.name for f in part.functions if f.is_declaration and f.name in _apart]:
            module, kernel, types, _ = _apart[symbol]
            target = getattr(import_module(module), kernel)
            self.parts.append((module, kernel))
            there = self._add(target.inner.overloads[types])
            if symbol in {f.name for f in part.functions}:
                part.get_function(symbol).name = there
        if self.whole is None:
            self.whole = part
        else:
            self.whole.link_in(part)
        return name

    def _note_later(self, part: llvm.ModuleRef) -> None:
        for variable in part.global_variables:
            text = str(variable)
            # constants "later", "later.1", "later.1.5" (numbers where modules were linked); addresses are not constant
            if not variable.name.startswith("later") or " constant [" not in text:
                continue
            raw = _constant(text)
            if raw not in self._forms:
                module, name, result, arguments = pickle.loads(raw)  # written by this process or its own cache
                self.parts.append((module, name))
                self._forms[raw] = Form(getattr(import_module(module), name), arguments, result)


def _constant(text: str) -> bytes:
    """Bytes of an array constant as LLVM writes it."""
    body = text[text.index('c"', text.index("constant")) + 2 : text.rindex('"')]
    whole = lambda m: b"\\" if m[1] == b"\\" else bytes([int(m[1], 16)])
    return re.sub(rb"\\(\\|[0-9A-Fa-f]{2})", whole, body.encode("latin-1"))


def object_code(linked: _Linked, triple: str = "") -> bytes:
    """Machine code of all kernels as an object file: entries and kernels that are called by address are its symbols.
    ``triple`` of the system that it is for, by default this one."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    assert linked.whole is not None
    whole = llvm.parse_bitcode(linked.whole.as_bitcode())
    for function in whole.functions:
        if not function.is_declaration and function.linkage == llvm.Linkage.external:
            function.visibility = "hidden"
    whole.triple = triple or llvm.get_default_triple()
    machine = llvm.Target.from_triple(whole.triple).create_target_machine(
        cpu=PROCESSOR, features="", opt=2, reloc="pic", codemodel="default"
    )
    whole.data_layout = str(machine.target_data)
    # all of it has been optimised where it was compiled: what is left is to drop what nothing calls any more
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(1))
    manager = llvm.create_new_module_pass_manager()
    manager.add_global_dead_code_eliminate_pass()
    manager.run(whole, builder)
    whole.verify()
    return machine.emit_object(whole)


def cross_compiler() -> list[str]:
    """The command of a C compiler for Windows: that of the package ``ziglang``; empty without it."""
    try:
        import ziglang
    except ImportError:
        return []
    return [str(Path(ziglang.__file__).with_name("zig")), "cc", "-target", "x86_64-windows-gnu", "-fno-sanitize=all"]


def compiler() -> str:
    """A C compiler, "" where there is none."""
    return next((name for name in (os.environ.get("CC", ""), *COMPILERS) if name and shutil.which(name)), "")


def _tables(linked: _Linked, token: str, exact: bool) -> str:
    """C source of the tables of kernels; ``exact``: those of exact derivatives are among the entries."""
    names = sorted({*linked.addressed, *linked.later.values()})
    lines = [f'#define RUNTIME "{token}"', *(["#define EXACT"] if exact else [])]
    lines += [f"extern int {n}();" for n in names]
    address = ", ".join(f"(function){s}" for s in linked.addressed)
    lines.append(f"static const function kernels[] = {{{address or '0'}}};")
    for k, raw in enumerate(linked.later):
        lines.append(f"static const unsigned char form_{k}[] = {{{', '.join(map(str, raw))}}};")
    rows = ", ".join(f"{{form_{k}, {len(raw)}, (function){s}}}" for k, (raw, s) in enumerate(linked.later.items()))
    lines.append(f"static const struct later later[] = {{{rows or '{0, 0, 0}'}}};")
    return "\n".join(lines) + "\n"


class Runtime(NamedTuple):
    """A binary: its ``path``, the ``token`` that models for it hold, and the labels of its ``kernels`` in the order of
    their numbers."""

    path: Path
    token: str
    kernels: list[str]

    def binaries(self, suffixes: Sequence[str] = ()) -> list[Path]:
        """Those for systems by their suffixes; none: for each system for which there is one."""
        return [path for s in suffixes or SYSTEMS if (path := self.path.with_suffix(s)).exists()]

    def serves(self, suffixes: Sequence[str]) -> bool:
        """Whether there is a binary for each system."""
        return len(self.binaries(suffixes)) >= len(suffixes)


def runtime_for(handles: dict[str, Handle], addressed: list[Form], suffixes: Sequence[str] = ()) -> Runtime:
    """The smallest runtime for models with these types of handles (``step``, ``outputs``, ``scales``; ``adjoint`` with
    exact derivatives) that carries at least the ``addressed`` kernels, from the cache or the installation; linked where
    there is none.  ``suffixes``: systems whose binaries are needed (`SYSTEMS`).  Raises ModelError without the compiler
    that is needed then."""
    wanted = {f.label for f in addressed}
    own = (cache_root() or Path(tempfile.gettempdir())) / FOLDER
    there = _shipped.shipped().folder
    entries, code = _entries(handles), _source_key()
    lacking: list[str] = sorted(wanted)
    for path in sorted(
        (p for folder in (own, there and there / FOLDER) if folder for p in folder.glob("*.so")),
        key=lambda p: (p.stat().st_size, p.name),
    ):
        try:
            known = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        except FileNotFoundError:  # another process is about to write it
            continue
        if known["entries"] != entries or known.get("code") != code:
            continue
        lacking = min(lacking, sorted(wanted - set(known["kernels"])), key=len)
        if wanted <= set(known["kernels"]) and all(
            key == _key(getattr(import_module(m), n, None)) for m, n, key in known["parts"]
        ):
            found = Runtime(path, path.stem, known["kernels"])
            if found.serves(suffixes):
                return found
    if not compiler():
        names = ", ".join(dict.fromkeys(label.split()[0] for label in lacking[:3]))
        raise ModelError(
            "export_fmu: no binary of compiled kernels on this machine serves this model"
            f"{f' (kernels of {names})' if names else ''}, and linking one needs a C compiler; install gcc, or name "
            "one in the environment variable CC"
        )
    windows = ".dll" in suffixes
    if windows and not cross_compiler():
        raise ModelError(
            "export_fmu: no binary for Windows (win64) on this machine serves this model, and linking one needs the "
            "package ziglang; run pip install ziglang, or leave win64 out of platforms"
        )
    return build_runtime(handles, addressed, own, windows)


def build_runtime(handles: dict[str, Handle], addressed: list[Form], folder: Path, windows: bool = False) -> Runtime:
    """Link a runtime for models with these types of handles that carries the ``addressed`` kernels into ``folder``;
    ``windows``: one for Windows too (`cross_compiler`)."""
    addressed = sorted(set(addressed), key=lambda f: f.label)
    wanted = [f.label for f in addressed]
    linked = _Linked(_roots(handles), addressed)
    parts = [(m, n, _key(getattr(import_module(m), n))) for m, n in sorted(set(linked.parts))]
    known = {"entries": _entries(handles), "kernels": wanted, "code": _source_key(), "parts": parts}
    token = hashlib.sha256(json.dumps(known).encode()).hexdigest()[:32]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{token}.so"
    _build(linked, token, path, "adjoint" in handles)
    if windows:
        _build(linked, token, path.with_suffix(".dll"), "adjoint" in handles)
    draft = path.with_suffix(f".{os.getpid()}.draft")
    draft.write_text(json.dumps(known), encoding="utf-8")
    os.replace(draft, path.with_suffix(".json"))  # last, and whole: what is listed is there
    return Runtime(path, token, wanted)


def _source(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _source_key() -> str:
    """Of the sources of C, and of this file, which decides what is linked with them."""
    return hashlib.sha256("".join(map(_source, (*SOURCES, Path(__file__).name))).encode()).hexdigest()


def _roots(handles: dict[str, Handle]) -> dict[str, Form]:
    return {name: Form(kernel, arguments, None) for name, (kernel, arguments) in kernels.entries(handles).items()}


def _entries(handles: dict[str, Handle]) -> list[str]:
    return [f.label for f in _roots(handles).values()]


def _key(kernel: Any) -> str:
    """Of the content of a kernel (`_content_key`); empty where it is gone."""
    return "" if kernel is None else content_key(kernel.py_func, kernel._options)


def _build(linked: _Linked, token: str, path: Path, exact: bool) -> None:
    windows = path.suffix == ".dll"
    command = cross_compiler() if windows else [compiler()]
    system = ["-lm", "-Wl,-z,defs"] if not windows else []  # what is missing is found here, not by an importer
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        (work / "kernels.o").write_bytes(object_code(linked, SYSTEMS[path.suffix]))
        (work / "kernels.inc").write_text(_tables(linked, token, exact), encoding="utf-8")
        for file in SOURCES:
            (work / file).write_text(_source(file), encoding="utf-8")
        out = work / f"runtime{path.suffix}"
        run = subprocess.run(
            [
                *command,
                "-shared",
                *([] if windows else ["-fPIC"]),
                "-O2",
                "-s",
                "-fvisibility=hidden",
                "-ffp-contract=off",
                "-std=gnu99",
            ]
            + ["-o", str(out), str(work / SOURCES[0]), str(work / "kernels.o"), *system],
            capture_output=True,
            text=True,
        )
        if run.returncode:
            raise ModelError(f"export_fmu: {command[0]} cannot link the runtime: {run.stderr.strip()[-2000:]}")
        part = path.with_name(f"{path.name}.{os.getpid()}.part")
        shutil.copyfile(out, part)
        os.replace(part, path)
