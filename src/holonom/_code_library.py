"""Code of kernels as LLVM modules, without the work that Numba spends on code which nobody calls.

Numba makes machine code of every function that it compiles.  Most of ours are copied into their callers, where the
machine code is made again: that of the function itself is needed only when Python, an address or a symbol calls it.
`Library` therefore waits until a pointer is requested; until then it holds LLVM code, which is what callers copy.

Numba also has LLVM optimise each function by itself, then with all that it calls, and again within each of its callers.
Code that is copied is optimised as far as makes it small (`DRAFT`): loops are unrolled and vectorised once, in the code
that becomes machine code, and not in every function on the way there.  LLVM rounds nothing otherwise at any level.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import numba
from numba.core import config
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock, require_global_compiler_lock
from numba.core.environment import lookup_environment
from numba.core.registry import cpu_target

#: version of Numba whose functions `_shortcuts` replaces
_KNOWN = "0.68."


def _shortcuts(version: str) -> Callable[[], AbstractContextManager]:
    """Shortcuts through a version of Numba: none where its functions may be others than those that are replaced.
    Compilation is then slower by a fifth, and the same else."""
    if not version.startswith(_KNOWN):
        return nullcontext
    from ._shortcuts import remembered

    return remembered


remembered = _shortcuts(numba.__version__)

#: level of LLVM at which code that callers copy is optimised
DRAFT = 1
#: how Numba names the variables that hold environments
_ENVIRONMENT = "_ZN08NumbaEnv"


class _Codegen:
    """The code generator of a library, for those who set environments: these lie in machine code."""

    def __init__(self, library: Library, real: Any):
        self._library, self._real = library, real

    def set_env(self, name: str, environment: Any) -> None:
        if self._library.emitted:
            self._real.set_env(name, environment)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


class Library(JITCodeLibrary):
    """The code of one form; ``emitted``: whether there is machine code of it; ``draft``: whether it is optimised for
    callers that copy it, and is optimised further before machine code is made; ``keep``: called when that has been made
    after the form was kept without it (`_kernel_cache`)."""

    emitted = draft = False
    keep: Callable[[], None] | None = None

    @property
    def codegen(self) -> Any:
        return _Codegen(self, self._codegen)

    def _optimize_functions(self, ll_module: Any) -> None:
        """Of Numba's the layout of data alone: what it runs here on each function runs on the module later."""
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        if _at_once or config.OPT < DRAFT:
            super()._optimize_final_module()
            return
        self.draft = True
        manager, builder = self._codegen._module_pass_manager(opt=DRAFT, loop_vectorize=False, slp_vectorize=False)
        manager.run(self._final_module, builder)

    @classmethod
    def _unserialize(cls, codegen: Any, state: tuple) -> Any:
        self = super()._unserialize(codegen, state)
        self.draft = state[1] == "bitcode"
        return self

    def finalize(self) -> None:
        """As Numba's, without a test of LLVM's locale for every function."""
        require_global_compiler_lock()
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._optimize_final_module()
        self._final_module.verify()
        self._finalize_final_module()

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True
        if getattr(self, "_compiled_object", None) is not None:  # read from a file together with its machine code
            self.emit()

    def emit(self) -> None:
        """Make the machine code."""
        self._ensure_finalized()
        if self.emitted:
            return
        self.emitted = True
        if self.draft:
            self.draft = False
            super()._optimize_final_module()
            self._final_module.verify()
            self._shared_module = None  # callers copy this from now on
        if not self._object_caching_enabled:
            self.enable_object_caching()
        self._dynamic_globals.clear()  # found again
        super()._finalize_final_module()
        for variable in self._final_module.global_variables:
            environment = lookup_environment(variable.name) if variable.name.startswith(_ENVIRONMENT) else None
            if environment is not None:
                self._codegen.set_env(variable.name, environment)
        if self.keep is not None:
            self.keep()

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        if not self.emitted:
            try:
                missing = self._final_module.get_function(name).is_declaration
            except NameError:
                missing = True
            if missing:
                return 0
            self.emit()
        return super().get_pointer_to_function(name)

    def serialize_using_object_code(self) -> tuple:
        self._ensure_finalized()
        return super().serialize_using_object_code() if self.emitted else self.serialize_using_bitcode()


_inside = _at_once = False


@contextmanager
def compiling(at_once: bool = False) -> Iterator[None]:
    """While code is compiled or loaded here it is held in a `Library`, and Python collects no garbage: compilation
    makes millions of objects that live as long as it does, and little else.  ``at_once``: machine code of the form is
    wanted in any case."""
    global _inside, _at_once
    codegen = cpu_target.target_context.codegen()
    with global_compiler_lock:
        before, _at_once = _at_once, at_once
        if _inside:
            try:
                yield
            finally:
                _at_once = before
            return
        collects = gc.isenabled()
        codegen._library_class = Library
        gc.disable()
        _inside = True
        try:
            with remembered():
                yield
        finally:
            _inside, _at_once = False, before
            del codegen._library_class  # that of its class again
            if collects:
                gc.enable()
