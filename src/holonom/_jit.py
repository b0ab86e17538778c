"""The one way kernels are compiled here.

Numba's own disk cache is keyed by the file that holds the function, so an edit in a *callee* of another file leaves the
caller stale
(measured: wrong results).  We give every compiled form a key by content: its code, and that of everything which it
inlines
(`_content_key`).  An edit compiles the kernels that hold the edited code, and no others.  Every form has a file of its
own
(`_kernel_cache`), so that several processes can share the cache.  A wheel may bring compiled forms along (`_shipped`).

``HOLONOM_CACHE_DIR`` chooses the folder; when nothing is writable kernels compile in memory only.

Numba is loaded when the first kernel is used, so that files which hold kernels next to the data of an element
(`elements.kinds`) can be read without it: it takes longer to load than all else that a drawing needs.
"""

from __future__ import annotations

import functools
import hashlib
import os
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from types import FunctionType

from ._shipped import shipped
from ._with_numba import load, with_numba

_PACKAGE = Path(__file__).resolve().parent


@cache
def _environment_key() -> str:
    """Hash of what every compiled form depends on: versions of Python, Numba, llvmlite and NumPy, and the types of our
    own (`_handle`)."""
    import llvmlite
    import numba
    import numpy

    # as Numba's own cache, not the last number of Python's version: code and the layout of objects are those of the
    # second
    versions = sys.implementation.cache_tag, numba.__version__, llvmlite.__version__, numpy.__version__.split(".")[0]
    digest = hashlib.sha256(" ".join(map(str, versions)).encode())
    digest.update((_PACKAGE / "_handle.py").read_bytes())
    return digest.hexdigest()[:16]


def _writable(path: Path, shared: bool = False) -> bool:
    """Can files be written into a folder?  ``shared``: in a place where others may make folders, so that it must be
    ours and writable to nobody else: what is read from a cache is run."""
    try:
        path.mkdir(mode=0o700 if shared else 0o777, parents=True, exist_ok=True)
        found = path.lstat()
        if (
            shared
            and hasattr(os, "getuid")
            and (found.st_uid != os.getuid() or found.st_mode & 0o022 or path.is_symlink())
        ):
            return False
        probe = path / f".probe{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError:
        return False
    return True


@cache
def cache_root() -> Path | None:
    """Directory that holds compiled kernels, or None when no directory can be written."""
    chosen = os.environ.get("HOLONOM_CACHE_DIR")
    home = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "holonom"
    uid = os.getuid() if hasattr(os, "getuid") else "user"
    for place in ([Path(chosen)] if chosen else []) + [home]:
        if _writable(place):
            return place
    last = Path(tempfile.gettempdir()) / f"holonom-{uid}"
    return last if _writable(last, shared=True) else None


@cache
def _numba():
    """Numba, which takes kernels for the functions that they hold.  Only here, since it is slow to load."""
    import numba
    from numba.extending import typeof_impl

    @typeof_impl.register(Kernel)
    def type_of_kernel(kernel, context):
        return typeof_impl(kernel.inner, context)

    load()
    return numba


def _compile(function, folder: str, apart: bool = False, **options):
    from ._kernel_cache import KernelCache  # part of Numba's

    numba = _numba()
    root, ready = cache_root(), shipped()
    if root is None and ready.folder is None:
        return numba.njit(cache=False, **options)(function)
    kept = KernelCache(
        function, root, Path(_environment_key()) / folder, apart, ready.folder, ready.target or (), options
    )
    return kept.attach(numba.njit(cache=False, **options)(function))


def _general(dispatcher):
    """Numba compiles a callee again for every constant it is called with (``f(S, 0)``, ``f(S, 1)``); one form is
    enough."""
    original = dispatcher.get_call_template
    types = _numba().types

    def get_call_template(args, kws):
        return original(tuple(map(types.unliteral, args)), {k: types.unliteral(v) for k, v in kws.items()})

    dispatcher.get_call_template = get_call_template
    return dispatcher


#: kernels that declare how Python calls them, of the modules that have been imported (`kernel_forms`)
ENTERED: list[Kernel] = []


class Kernel:
    """A compiled function in two forms, each compiled only when it is needed.

    Numba wraps every function so that Python and C can call it; for our tables that wrapper unpacks a hundred arrays
    and costs more compile time than most bodies.  Other kernels therefore call the bare form (``inner``); the wrapped
    form exists only for those that Python calls.
    """

    def __init__(self, function, options: dict):
        functools.update_wrapper(self, function)
        self.py_func = function
        later = options.get("later")
        apart = options.get("apart", False)
        if (apart or later) and "<" in function.__qualname__:
            raise ValueError(
                f"{function.__qualname__}: a kernel that is kept apart must be found by its name; define it in a module"
            )
        #: types with which Python calls it (`_entry_types`), None where only kernels do
        self.entered = options.get("entry")
        self._options = {"error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True, **options}
        for own in ("apart", "later", "entry"):
            self._options.pop(own, None)
        self._apart, self._later = apart, later
        self._inner = self._outer = None
        if self.entered is not None:
            ENTERED.append(self)

    def kernel_of(self):
        """(function, options, how it is called where its code is not copied): what the key of a caller needs to know
        (`_content_key`)."""
        return self.py_func, self._options, self._apart or self._later and f"later {self._later}"

    @property
    def inner(self):
        """The dispatcher that other kernels call."""
        if self._inner is None:
            self._inner = _general(
                _compile(self.py_func, "inner", self._apart, no_cpython_wrapper=True, **self._options)
            )
            if self._later:
                from ._later import call_later

                call_later(self, self._inner, self._later)
        return self._inner

    @property
    def outer(self):
        """The dispatcher that Python calls."""
        if self._outer is None:
            from ._entry_types import guard

            self._outer = guard(self, _compile(self.py_func, "outer", **self._options))
        return self._outer

    def __call__(self, *args):
        return (self._outer or self.outer)(*args)

    def entry(self, *args):
        """What the kernel is for arguments of the types of these, to be called again and again with such: Numba does
        not look at their types then, 0.3 us a call in place of 1 us.  Of other types it is undefined what happens."""
        outer = self.outer
        kinds = tuple(map(outer.typeof_pyval, args))
        return outer.overloads[kinds].entry_point if kinds in outer.overloads else outer.compile(kinds)

    def __reduce__(self):  # as an importable name, like the function itself
        return _by_name, (self.py_func.__module__, self.py_func.__qualname__)


def _form_of(value):
    """What must not change in an argument of an `Entry`: of an array its numbers, dimensions and order in memory."""
    if not getattr(value, "ndim", 0):
        return None
    return value.dtype.char, value.ndim, value.flags.c_contiguous, value.flags.writeable


class Entry:
    """A kernel that one owner calls again and again with arguments of the same types, as ``entry.call(...)``: the first
    call finds its form (`Kernel.entry`), later ones go to it directly.  In every other call Numba finds all types,
    0.7 us and 0.1 us more for each array in a tuple of tables.

    Only for arguments whose types cannot change: arrays are contiguous and writeable, as the kernel declares them.
    Whole numbers where others are declared are converted, as in all calls by this package (`_entry_types.guard`).
    Where HOLONOM_DECLARED_KERNELS is set, as in our tests, arrays of another form are an AssertionError.
    """

    __slots__ = ("_kernel", "call")

    def __init__(self, kernel: Kernel):
        self._kernel = kernel
        self.call = self._first

    def _first(self, *args):
        form = self.call = self._kernel.entry(*args)
        if os.environ.get("HOLONOM_DECLARED_KERNELS"):
            first = [_form_of(a) for a in args]

            def checked(*args):
                if [_form_of(a) for a in args] != first:
                    name = self._kernel.py_func.__qualname__
                    raise AssertionError(f"{name} is called with arrays of another form than at first")
                return form(*args)

            self.call = checked
        return form(*args)

    def __reduce__(self):  # forms belong to the process
        return Entry, (self._kernel,)


def _by_name(module: str, name: str):
    import importlib

    return getattr(importlib.import_module(module), name)


def jit(function=None, **options):
    """``numba.njit`` with our cache, no bounds checks and C division; use as ``@jit`` or ``@jit(fastmath=True)``.

    Kernels read and write arrays that their caller owns, so by default arrays are not reference-counted (3000 counts of
    5 ns in one implicit step before).  A function that makes or keeps arrays says ``@jit(_nrt=True)``.
    ``@jit(entry="float64[::1], int64")`` declares the types with which Python calls it (`_entry_types`); kernels that
    only kernels call have none.
    ``@jit(apart=True)`` is for large kernels with several callers: these call it and do not get a copy of its code to
    optimise again.  ``@jit(later="none")`` is for those that most runs do not call: they are compiled at the first
    call, and their callers know only the type of the result: "none", "float64", "int64", "boolean" or a tuple of these.
    """
    if function is not None:
        return Kernel(function, options)
    return lambda f: Kernel(f, options)


#: CPU seconds that a process spends at most in plain Python instead of compiling (`small`): what it compiles must not
#: depend on what else the machine does
BUDGET = 0.5
_spent = 0.0


_plain: dict[Kernel, FunctionType] = {}


def interpreted(kernel: Kernel):
    """The function of a kernel as plain Python, with those that it calls, itself among them."""
    if kernel not in _plain:
        f = kernel.py_func
        reads: dict = {"__builtins__": __builtins__}
        _plain[kernel] = FunctionType(
            f.__code__, reads, f.__name__, f.__defaults__, f.__closure__
        )  # before what it calls, which may call it
        for name in f.__code__.co_names:
            if name in f.__globals__:
                value = f.__globals__[name]
                reads[name] = interpreted(value) if isinstance(value, Kernel) else value
    return _plain[kernel]


def small(kernel: Kernel, *args):
    """The result of a kernel that only counts and sorts integers, for small arguments: in plain Python, which gives the
    same and spares a first run seconds of compilation, until half a second has been spent so; then compiled."""
    global _spent
    if _spent >= BUDGET:
        return kernel(*args)
    begin = time.process_time()
    result = interpreted(kernel)(*args)
    _spent += time.process_time() - begin
    return result


#: of `briefly`: seconds that a process spends at most in the plain Python of one kernel, and things that it works on
BRIEF, FEW = 0.02, 64
_briefly: dict[Kernel, float] = {}


def briefly(kernel: Kernel, size: int, *args):
    """The result of a kernel of plain arithmetic (sums, products, quotients, square roots, whose bits are the same
    everywhere) on ``size`` things, that Python calls seldom: in plain Python where they are few, until `BRIEF` has been
    spent so, which is what reading its machine code from disk costs; then compiled."""
    spent = _briefly.get(kernel, 0.0)
    if size > FEW or spent >= BRIEF:
        return kernel(*args)
    import numpy as np

    begin = time.process_time()
    with np.errstate(all="ignore"):  # as compiled code
        result = interpreted(kernel)(*args)
    _briefly[kernel] = spent + time.process_time() - begin
    return result


#: options for ``numba.extending.overload`` that compile its implementations as bare as inner kernels
OVERLOAD = {"error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True, "no_cpython_wrapper": True}


def overload(function):
    """``numba.extending.overload`` with the options of inner kernels; implementations are in the keys of kernels that
    call ``function``."""

    def register(implementation):
        from ._content_key import overloads

        overloads.setdefault(function, []).append(implementation)

        @with_numba
        def make_known():
            import numba.extending

            numba.extending.overload(function, jit_options=OVERLOAD)(implementation)

        return implementation

    return register
