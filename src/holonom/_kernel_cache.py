"""Compiled kernels on disk, shared by processes that run at once.

Numba keeps an index of each function's compiled forms and rewrites it without a lock: of two processes that save two
forms of one function at the same time one is lost, or, worse, both get the same data file and the index of one names
the code of the other (Numba 0.68, ``IndexDataCacheFile.save``).  Here every form is a file of its own that holds the
whole key before the code and appears in one step, so a reader sees all of it or nothing, and never the code of another
form.  It begins with a digest of the rest: a disk that lost or changed a byte costs a compilation, for damaged code
would at best be refused by LLVM.

Forms that came with the installation (`_shipped`) lie in a folder of the same order that is only read.  They are asked
after those of the user's cache, under the processor that they were compiled for; a file there that is damaged or
refused is compiled into the cache.

A process that finds a form missing locks it while it compiles, so that another one waits for the file instead of
compiling the same.  Locks are those of the operating system, on single bytes of one file, and end with their process
however it ends; the form of a function is locked before those of what it calls, so two processes cannot wait for each
other.

The key of a form is that of its content (`_content_key`) and of the types of its arguments.

Numba copies the code of every callee into its callers and optimises it there again, so code at the bottom of a chain of
kernels is compiled once for every link.  A kernel that is kept *apart* is not copied: callers hold its symbol.  A file
names the apart kernels that its code calls, and they are loaded before it; symbols carry a number that differs between
processes, so the file says which symbol stands for which form.
"""

from __future__ import annotations

import errno
import hashlib
import importlib
import io
import os
import pickle
import sys
import time
import uuid
import zlib
from contextlib import suppress
from functools import partial
from pathlib import Path

import llvmlite.binding as llvm
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.errors import TypingError
from numba.core.serialize import dumps

from ._code_library import compiling
from ._content_key import content_key, signature_key, type_key

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

#: seconds after which a form is compiled although another process seems to be doing it (stopped, or on a machine that
#: is gone)
PATIENCE = 300.0
ABANDONED = 3600.0  # seconds after which a file that is not yet whole belongs to no process any more
MAGIC = b"holonom kernel 4\n"
#: symbols of compiled apart kernels, each with (module, name, types of the arguments, key of the type of the result)
_apart: dict[str, tuple] = {}
_files: dict[Path, tuple[int, int]] = {}  # root of a cache: process, descriptor of its file of locks


def _lock_file(root: Path) -> int:
    """Descriptor of the file whose bytes are locked.  It stays open until the process ends: closing any descriptor of
    it would end every lock of this process."""
    found = _files.get(root)
    if found is None or found[0] != os.getpid():  # a fork has the descriptor of its parent, which is left as it is
        found = os.getpid(), os.open(root / "lock", os.O_RDWR | os.O_CREAT)
        _files[root] = found
    return found[1]


def _try_lock(file: int, place: int) -> bool:
    """Lock one byte; False when another process has it.  Raises OSError where files cannot be locked."""
    try:
        if sys.platform == "win32":
            os.lseek(file, place, os.SEEK_SET)
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
    except OSError as failure:
        if failure.errno in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
            return False
        raise
    return True


def _unlock(file: int, place: int) -> None:
    if sys.platform == "win32":
        os.lseek(file, place, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_UNLCK, 1)
    else:
        fcntl.lockf(file, fcntl.LOCK_UN, 1, place)


def _packed(content: bytes) -> bytes:
    content = zlib.compress(content, 6)  # to a quarter, and read in the same time
    return MAGIC + hashlib.sha256(content).digest() + content


def _unpacked(data: bytes) -> bytes | None:
    """What was packed; None when a byte of it is not as it was written."""
    head = len(MAGIC) + 32
    content = data[head:]
    return zlib.decompress(content) if data[:head] == MAGIC + hashlib.sha256(content).digest() else None


def _resolve(symbol: str, form_of: tuple) -> bool:
    """Have a symbol that a file calls; False when it is taken by something else here, or when the kernel now gives
    another type."""
    if symbol not in _apart:
        module, name, types, given = form_of
        try:
            dispatcher = getattr(importlib.import_module(module), name).inner
            dispatcher.compile(types)
            result = dispatcher.overloads[types]
        except (ImportError, AttributeError, TypeError, TypingError):  # renamed, or it takes other arguments now
            return False
        if type_key(result.signature.return_type) != given:
            return False
        if symbol not in _apart:  # compiled by another process than that of the caller
            llvm.add_symbol(symbol, result.library.get_pointer_to_function(result.fndesc.llvm_func_name))
            _apart[symbol] = form_of
    return _apart[symbol] == form_of


class KernelCache(_Cache):
    """The cache of one function, as Numba's dispatchers ask it: ``load_overload``, ``save_overload``."""

    def __init__(
        self,
        function,
        root: Path | None,
        folder: Path,
        apart: bool = False,
        shipped: Path | None = None,
        target: tuple = (),
        options: dict | None = None,
    ):
        """``root``: of the cache, None where nothing can be written; ``shipped``: of the forms that came with the
        installation, whose keys have ``target`` for the processor; ``options``: those that the function is compiled
        with, which are in its key."""
        self._root, self._folder = root, None if root is None else root / folder
        self._shipped, self._target = None if shipped is None else shipped / folder, target
        name, module = (
            function.__qualname__.replace("<", "").replace(">", ""),
            hashlib.sha256(function.__module__.encode()),
        )
        self._name = f"{name[-60:]}-{module.hexdigest()[:8]}"
        self._options, self._content = options, ""
        self._enabled = True
        self._function = function
        self._held: list[int] = []
        self._apart = apart

    def attach(self, dispatcher):
        """Let a dispatcher use this cache; returns it."""
        dispatcher._cache = self
        compile_form = dispatcher.compile
        at_once = self._apart or dispatcher.targetoptions.get("no_cpython_wrapper") is not True

        def compile_and_release(sig):
            depth = len(self._held)
            try:
                # Python calls it, its symbol is called, or its address is wanted (`_later.address_of`, by a signature)
                with compiling(at_once or hasattr(sig, "return_type")):
                    entry = compile_form(sig)
                form = dispatcher.overloads[tuple(getattr(sig, "args", sig))]
                if self._apart:
                    self._separate(form)
                elif not form.library.emitted:
                    form.library.keep = partial(self.save_overload, sig, form, anew=True)
                return entry
            finally:  # after an error too
                self._release(depth)

        dispatcher.compile = compile_and_release
        return dispatcher

    def _separate(self, result) -> None:
        """From now on callers get the symbol of this form instead of its code."""
        library, symbol = result.library, result.fndesc.llvm_func_name
        if "_get_module_for_linking" in vars(library):
            return
        llvm.add_symbol(symbol, library.get_pointer_to_function(symbol))
        given = type_key(result.signature.return_type)
        _apart[symbol] = self._function.__module__, self._function.__qualname__, tuple(result.signature.args), given
        empty = llvm.parse_assembly(str(library.codegen._create_empty_module(library.name)))
        library._get_module_for_linking = lambda: empty

    @property
    def cache_path(self) -> str:
        return str(self._folder)

    def enable(self) -> None:
        self._enabled = True

    def disable(self) -> None:
        self._enabled = False

    def flush(self) -> None:
        """Forget every form of this function."""
        for path in self._folder.glob(f"{self._name}.*.nbc") if self._folder is not None else ():
            path.unlink(missing_ok=True)

    def _key(self, sig, target: tuple):
        if (
            not self._content
        ):  # not before it is needed: what the function refers to need not all be there when it is defined
            self._content = content_key(self._function, self._options)
        return sig, target, self._content, signature_key(sig)

    def _find(self, folder: Path, key) -> tuple[Path, tuple | None]:
        """The file of a form and what is in it, None when there is none yet.

        Types of the same name share a digest and are distinguished by the key in the file.
        """
        digest = hashlib.sha256(repr(key).encode()).hexdigest()[:24]
        for number in range(8):
            path = folder / f"{self._name}.{digest}{f'.{number}' if number else ''}.nbc"
            try:
                content = _unpacked(path.read_bytes())
            except OSError:
                break
            if content is None:  # a damaged file is written anew
                break
            stream = io.BytesIO(content)
            try:
                if pickle.load(stream) == key:
                    return path, pickle.load(stream)  # what the code calls, the code
            except Exception:  # of a version of Numba that packs otherwise
                break
        return path, None

    def load_overload(self, sig, target_context):
        """The compiled form for a signature, or None when it is to be compiled (and then locked until it is)."""
        target_context.refresh()
        if not self._enabled:
            return None
        codegen = target_context.codegen()
        if self._folder is not None:
            key = self._key(sig, codegen.magic_tuple())
            path, form = self._find(self._folder, key)
            if form is not None:
                return self._rebuilt(target_context, path, form)
        if self._shipped is not None:
            found = self._find(self._shipped, self._key(sig, self._target))[1]
            result = self._rebuilt(target_context, None, found) if found is not None else None
            if result is not None:
                return result
        if self._folder is not None:
            self._lock(path)
            path, form = self._find(self._folder, key)
            if form is not None:
                return self._rebuilt(target_context, path, form)
        return None

    def _rebuilt(self, target_context, path: Path | None, form: tuple):
        """What a file holds, loaded; None, and the file is removed (one of the installation stays), where that cannot
        be done."""
        if not all(_resolve(symbol, form_of) for symbol, form_of in form[0].items()):
            return None
        try:
            return CompileResult._rebuild(target_context, *form[1])
        except Exception:  # whole, and still not what LLVM takes here: compiled anew, in its place
            if path is not None:
                with suppress(OSError):
                    path.unlink()
            return None

    def _place(self, path: Path) -> int:
        """Which byte of the file of locks is that of a form."""
        return (
            int.from_bytes(hashlib.sha256(path.relative_to(self._root).as_posix().encode()).digest()[:4], "little") >> 1
        )

    def _release(self, depth: int) -> None:
        while len(self._held) > depth:
            with suppress(OSError):
                _unlock(_lock_file(self._root), self._held.pop())

    def _lock(self, path: Path) -> None:
        """Lock a form; when another process has it, after that one."""
        place = self._place(path)
        end = time.monotonic() + PATIENCE
        pause = 0.002
        try:
            file = _lock_file(self._root)
            while not _try_lock(file, place):
                if time.monotonic() > end:
                    return
                time.sleep(pause)
                pause = min(2 * pause, 0.1)
        except OSError:  # a file system without locks: the worst is that two compile the same
            return
        self._held.append(place)

    def save_overload(self, sig, result, anew: bool = False) -> None:
        """Keep a compiled form, ``anew`` with its machine code where it has been kept without.  A disk that is full or
        no longer writable costs the next process time, not this one its run."""
        if self._folder is None or not self._enabled or result.lifted or result.library.has_dynamic_globals:
            return
        if self._apart:
            result.library.emit()
        key = self._key(sig, result.codegen.magic_tuple())
        path, form = self._find(self._folder, key)
        if form is not None and not anew:
            return
        declared = [f.name for f in result.library._final_module.functions if f.is_declaration]
        calls = {symbol: _apart[symbol] for symbol in declared if symbol in _apart}
        part = path.with_name(f"{path.name}.{uuid.uuid4().hex[:12]}.part")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            for old in self._folder.glob("*.part"):  # of a process that was killed
                if time.time() - old.stat().st_mtime > ABANDONED:
                    old.unlink()
            part.write_bytes(_packed(dumps(key) + dumps((calls, result._reduce()))))
            os.replace(part, path)
        except OSError:
            with suppress(OSError):
                part.unlink()
