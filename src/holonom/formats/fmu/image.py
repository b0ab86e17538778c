"""What kernels read and write, as one block of bytes that depends on no process: state, tables, handles.

Arrays behind handles are found through the handles; where a handle holds the address of an array, its position in the
block is noted, and the instance of an FMU puts its own address there.  Arrays that hold addresses of kernels
and handles (tables of parts, contacts, ports, laws) are found by comparing their numbers with all addresses that
there are; a number that looks like an address and is none of these is refused.
"""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import types

from ..._handle import Handle, layout_of
from ...analyses.session.memento import ADDRESSES
from ...model import ModelError

ALIGN = 64
#: least number that can be the address of data or code in a process of a 64-bit system
LEAST = 1 << 32
SCRATCH = "scratch."  # what the names of work arrays begin with; a state does not contain them
#: arrays of contact points, which each evaluation writes before it reads them; there is room for all that may occur
OF_POINTS = ("W.pts", "W.pd", "W.pair")
POINTER, FUNCTION, FLOAT_FUNCTION, FLOAT_POINTER, CALLBACK = range(5)


class Relocation(NamedTuple):
    """At byte ``at`` of the block: the address of byte ``target`` (`POINTER`), of kernel number ``target``, as int64 or
    as float64, or of the routines of function set ``target`` (`CALLBACK`)."""

    at: int
    kind: int
    target: int


def array_leaves(value: Any, kind: Any, offset: int = 0, name: str = "") -> Iterator[tuple]:
    """(name, position of its address in the block, array) of all arrays in a tuple behind a handle."""
    if hasattr(kind, "types"):  # a tuple
        names = getattr(value, "_fields", range(len(value)))
        for n, v, t, o in zip(names, value, kind.types, layout_of(kind)[2]):
            yield from array_leaves(v, t, offset + o, f"{name}.{n}" if name else str(n))
    elif isinstance(kind, types.Array):
        yield name, offset + 32, value


class _Block:
    """Bytes of the process from ``begin`` to ``end`` that stay together; ``names`` of the arrays in it."""

    def __init__(self, begin: int, end: int, fixed: tuple[str, ...], work: tuple[str, ...]):
        self.begin, self.end = begin, end
        self._fixed, self._work = fixed, work
        self.names: list[str] = []
        self.handle: Handle | None = None
        self.arrays: list[np.ndarray] = []

    @property
    def constant(self) -> bool:
        """Whole numbers of tables (kinds of rows, numbers of frames, patterns): nothing writes them."""
        if self._fixed and all(n.startswith(self._fixed) for n in self.names):
            return True
        if not all(n.startswith("S.") for n in self.names):
            return False
        return all(a.dtype.kind in "iu" for a in self.arrays) and not any("contacts" in n for n in self.names)

    @property
    def scratch(self) -> bool:
        """Nothing is read there that was not written within the same call."""
        return all(n.startswith((SCRATCH, *self._work)) or n in OF_POINTS for n in self.names)


class Image:
    """The block of everything that the ``roots`` (handles and arrays by name) lead to.

    ``kernels``: address -> number of the kernel; ``deferred``: the same of those that are compiled when they are called
    first, by their negative number; ``callbacks``: address -> number of a set of functions with routines; ``work``:
    handles whose arrays behind P are scratch; ``fixed_arrays``, ``work_arrays``: beginnings of the names of further
    arrays that are constant, or scratch.  Raises ModelError where an array holds an address that is not known.

    ``data``: the bytes; ``state``: how many of them change in a run; ``relocations``.
    """

    def __init__(
        self,
        roots: Mapping[str, Handle | np.ndarray],
        kernels: Mapping[int, int],
        deferred: Mapping[int, int],
        callbacks: Mapping[int, int],
        work: Sequence[Handle] = (),
        fixed_arrays: tuple[str, ...] = (),
        work_arrays: tuple[str, ...] = (),
    ):
        self._fixed, self._scratch = fixed_arrays, work_arrays
        self._handles = {h.address: h for h in gc.get_objects() if type(h) is Handle}
        self._work = {h.address for h in work}
        self._kernels, self._deferred, self._callbacks = kernels, deferred, callbacks
        self._spans: list[tuple[int, int, str, Any]] = []
        self._known: set[tuple[int, int, str]] = set()
        self._words: list[tuple[int, int, int]] = []  # address of the word, kind, address or number of its target
        self._queue: list[Handle] = []
        self._queued: set[int] = set()
        for name, root in roots.items():
            if isinstance(root, Handle):
                self._add_handle(root)
            else:
                self._add_array(name, root)
        while self._queue:
            self._read(self._queue.pop(0))
        self._place()

    # ---- what there is ----------------------------------------------------------------------------------------------
    def _add_handle(self, handle: Handle) -> None:
        if handle.address not in self._queued:
            self._queued.add(handle.address)
            self._queue.append(handle)
            self._spans.append((handle.address, handle.address + handle._block.nbytes, "handle", handle))

    def _read(self, handle: Handle) -> None:
        content = handle._numba_type_.content
        for name, at, array in array_leaves((handle.S, handle.W, handle.P), content):
            part = "SWP"[int(name[0])]
            if part == "P" and handle.address in self._work:
                part = SCRATCH + part
            if array.nbytes:
                self._words.append((handle.address + at, POINTER, array.ctypes.data))
                self._add_array(f"{part}{name[1:]}", array)
            else:  # nothing reads there
                self._words.append((handle.address + at, POINTER, 0))

    def _add_array(self, name: str, array: np.ndarray) -> None:
        low, high = np.lib.array_utils.byte_bounds(array)
        if (low, high, name) in self._known:
            return
        seen = any((low, high) == known[:2] for known in self._known)
        self._known.add((low, high, name))
        self._spans.append((low, high, name, array))
        if seen or array.dtype.kind not in "if" or array.dtype.itemsize != 8:
            return
        self._find_addresses(name, array, low)

    def _find_addresses(self, name: str, array: np.ndarray, low: int) -> None:
        floats = array.dtype.kind == "f"
        flat = np.lib.stride_tricks.as_strided(array, (array.size,), (8,)) if array.size else array.ravel()
        if array.size * 8 != np.lib.array_utils.byte_bounds(array)[1] - low:
            flat, positions = array.ravel(), None
        else:
            positions = low + 8 * np.arange(array.size)
        with np.errstate(invalid="ignore"):
            large = (flat > LEAST) & (flat < 1 << 47) & ((flat == np.floor(flat)) if floats else True)
        if name.split(".")[-1] in ADDRESSES and not floats:
            for k in np.flatnonzero(flat < 0):
                self._word(positions, k, FUNCTION, self._deferred[int(flat[k])], name)
        for k in np.flatnonzero(large):
            value = int(flat[k])
            if value in self._kernels:
                self._word(positions, k, FLOAT_FUNCTION if floats else FUNCTION, self._kernels[value], name)
            elif value in self._handles:
                self._word(positions, k, FLOAT_POINTER if floats else POINTER, value, name)
                self._add_handle(self._handles[value])
            elif value in self._callbacks:
                self._word(positions, k, CALLBACK, self._callbacks[value], name)
            elif not floats and name.split(".")[-1] != "users":  # of routines in Python, which no FMU has
                raise ModelError(
                    f"export_fmu: table {name} holds an address ({value:#x}) that the runtime does not know; this "
                    "model cannot be exported yet"
                )

    def _word(self, positions: np.ndarray | None, k: Any, kind: int, target: int, name: str) -> None:
        if positions is None:
            raise AssertionError(f"table {name} holds addresses and is not contiguous")
        self._words.append((int(positions[k]), kind, target))

    # ---- where it lies ----------------------------------------------------------------------------------------------
    def _place(self) -> None:
        blocks: list[_Block] = []
        for low, high, name, thing in sorted(self._spans, key=lambda s: s[:2]):
            if not blocks or low >= blocks[-1].end:
                blocks.append(_Block(low, high, self._fixed, self._scratch))
            block = blocks[-1]
            block.end = max(block.end, high)
            if isinstance(thing, Handle):
                block.handle = thing
            else:
                block.names.append(name)
                block.arrays.append(thing)
        order = {low: n for n, (low, *_) in reversed(list(enumerate(self._spans)))}  # as found, not by address
        sort = lambda b: 2 if b.handle is not None else 1 if b.constant or b.scratch else 0
        found = lambda b: min(order[low] for low, *_ in self._spans if b.begin <= low < b.end)
        self._blocks, self._positions = blocks, {}
        self._begins = np.array([b.begin for b in blocks], np.int64)
        at, sizes = 0, [0, 0, 0]
        for block in sorted(blocks, key=lambda b: (sort(b), found(b))):
            self._positions[block.begin] = at
            size = -(-(block.end - block.begin) // ALIGN) * ALIGN
            sizes[sort(block)] += size
            at += size
        self.state, self.tables, self.handles = sizes
        self.data = bytearray(at)
        for block in blocks:
            begin = self._positions[block.begin]
            self.data[begin : begin + block.end - block.begin] = _bytes(block.begin, block.end)
        self.relocations: list[Relocation] = []
        for where, kind, target in self._words:
            at = self.offset(where)
            self.data[at : at + 8] = bytes(8)
            if kind in (POINTER, FLOAT_POINTER):
                if target:
                    self.relocations.append(Relocation(at, kind, self.offset(target)))
            else:
                self.relocations.append(Relocation(at, kind, target))
        for block in blocks:
            if any(n.split(".")[-1] == "users" for n in block.names):
                begin = self._positions[block.begin]
                self.data[begin : begin + block.end - block.begin] = bytes(block.end - block.begin)
        self.relocations = sorted(set(self.relocations))

    def offset(self, thing: Handle | np.ndarray | int) -> int:
        """Position of an array, a handle or an address in the block; 0 of an empty array, where nothing is read."""
        if isinstance(thing, np.ndarray) and not thing.size:
            return 0
        address = (
            thing.address
            if isinstance(thing, Handle)
            else thing.ctypes.data
            if isinstance(thing, np.ndarray)
            else thing
        )
        k = int(np.searchsorted(self._begins, address, side="right")) - 1
        block = self._blocks[k]
        if not block.begin <= address < block.end:
            raise AssertionError("not in the image")
        return self._positions[block.begin] + address - block.begin

    def find(self, value: float) -> list[int]:
        """Positions of all numbers in the arrays, as they are now, that are ``value``."""
        out = []
        for low, high, _, thing in self._spans:
            if isinstance(thing, np.ndarray) and thing.dtype == np.float64 and high - low == thing.nbytes:
                words = np.frombuffer(_bytes(low, high), np.float64)
                out += [self.offset(low + 8 * int(k)) for k in np.flatnonzero(words == value)]
        return sorted(set(out))


def _bytes(begin: int, end: int) -> bytes:
    return ctypes.string_at(begin, end - begin)
