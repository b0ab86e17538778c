"""A handle: tables, work and an integrator's arrays behind one pointer, and views into it that kernels pass on.

Numba unpacks every array of every tuple at each call, from Python (0.12 us an array) and between kernels, where a tuple
of a hundred arrays is seven hundred arguments: passing them was two thirds of the compile time.  A `Handle` writes the
tuples into one block of memory, once, in the layout that kernels expect; ``view_S(handle)`` and its like give a `Ref`,
a pointer into it, whose attributes are read where they are used.  A kernel does not see the difference between a tuple
and a `Ref` of one. Arrays behind a handle are shared, not copied, and what the block holds never changes: to replace an
array, make a new handle.
"""

from __future__ import annotations

import hashlib
import struct
from functools import cache

import numpy as np
from llvmlite import ir
from numba import typeof, types
from numba.core.datamodel.models import PrimitiveModel
from numba.core.registry import cpu_target
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import NativeValue, intrinsic, lower_getattr_generic, register_model, typeof_impl, unbox

_BYTES = ir.IntType(8).as_pointer()  # one type of pointer for all: LLVM reads the type of a block wherever it is used


@cache
def _short_name(content) -> str:
    """Name of a tuple type with a digest of its fields: names are part of every symbol, and whole ones have tens of
    kilobytes."""
    cls = getattr(content, "instance_class", None)
    return f"{cls.__name__ if cls else 'Tuple'} {hashlib.sha256(str(content).encode()).hexdigest()[:16]}"


@cache
def layout_of(kind) -> tuple[int, int, tuple[int, ...]]:
    """Size, alignment and, of a tuple, offsets of its fields in bytes: as LLVM lays out structures, and `_place` fills
    them."""
    if isinstance(kind, types.BaseTuple):
        size, most, offsets = 0, 1, []
        for t in kind.types:
            inner, align, _ = layout_of(t)
            size += -size % align
            offsets.append(size)
            size, most = size + inner, max(most, align)
        return size + -size % most, most, tuple(offsets)
    if isinstance(kind, types.Array):
        return 40 + 16 * kind.ndim, 8, ()
    return (1, 1, ()) if kind == types.boolean else (8, 8, ())


class HandleType(types.Type):
    """Numba type of a `Handle`: that of the tuple (S, W, P)."""

    def __init__(self, content):
        self.content = content
        super().__init__(name=f"Handle({_short_name(content)})")


@register_model(HandleType)
class _HandleModel(PrimitiveModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, _BYTES)


class Handle:
    """``S``: tables; ``W``: work; ``P``: a tuple of whatever else a kernel needs."""

    __slots__ = ("S", "W", "P", "address", "_block", "_numba_type_")

    def __init__(self, S, W, P, like=None):
        self.S, self.W, self.P = S, W, P  # keeps the arrays alive
        form, numbers = [], []
        _take((S, W, P), form, numbers)
        form = tuple(form)
        known = _KNOWN.get(form)
        if known is None:
            known = _KNOWN[form] = _kind_and_layout((S, W, P))
        self._numba_type_, layout = known
        if like is not None and self._numba_type_ != like._numba_type_:
            raise AssertionError(f"a handle with {self._numba_type_} where kernels expect {like._numba_type_}")
        self._block = np.frombuffer(layout.pack(*numbers), np.uint8).copy()
        self.address = self._block.ctypes.data


#: what decides the type of a tuple -> its type and how its numbers lie in the block; finding the type of three hundred
#: arrays takes ten times as long as writing them
_KNOWN: dict[tuple, tuple[HandleType, struct.Struct]] = {}

#: flags of an array that are part of its type: contiguous by rows, by columns, aligned, writeable
_FLAGS = 0x1 | 0x2 | 0x100 | 0x400


def _take(value, form: list, numbers: list) -> None:
    """Append to ``form`` what decides the type of a value, and to ``numbers`` what its place in a block holds."""
    kind = type(value)
    if kind is np.ndarray or isinstance(value, np.ndarray):
        form.append((value.dtype, value.ndim, value.flags.num & _FLAGS))
        numbers += (value.size, value.itemsize, value.__array_interface__["data"][0], *value.shape, *value.strides)
    elif isinstance(value, tuple):
        form += (kind, len(value))
        for v in value:
            _take(v, form, numbers)
    else:
        form.append(kind)
        if value is not None:
            numbers.append(value)


def _kind_and_layout(value: tuple) -> tuple[HandleType, struct.Struct]:
    """Type of a handle on a tuple, and how `_take`'s numbers lie in its block, as kernels expect them."""
    content = typeof(value)
    places: list[str] = []
    size = _place(content, 0, places)
    expected = _abi_size(content)
    layout = struct.Struct(f"={''.join(places)}{expected - size}x")
    if layout.size != expected:
        raise AssertionError(f"layout of a handle: {layout.size} bytes written, kernels expect {expected}")
    return HandleType(content), layout


def _abi_size(content) -> int:
    """Size of a block as LLVM has it; raises AssertionError where `layout_of` has another."""
    context = cpu_target.target_context
    size = context.get_abi_sizeof(context.get_value_type(content))
    if size != layout_of(content)[0]:
        raise AssertionError(f"layout of a handle: {layout_of(content)[0]} bytes expected, LLVM has {size}")
    return size


def _place(kind, at: int, places: list[str]) -> int:
    """Append formats of `struct` for a value that begins at a byte of the block: arrays, numbers, None and (named)
    tuples of them, as LLVM lays out structures.  Returns the byte after it.

    Raises
    ------
    TypeError
        A handle cannot hold a value of this type.
    """
    size, align, _ = layout_of(kind)
    gap = -at % align
    places.append(f"{gap}x")
    at += gap
    if isinstance(kind, types.BaseTuple):
        end = at
        for t in kind.types:
            end = _place(t, end, places)
        places.append(f"{at + size - end}x")
    elif isinstance(kind, types.Array):
        # no owner, no parent (arrays behind a handle are not counted), items, item size, data, shape, strides
        places.append(f"16x{3 + 2 * kind.ndim}q")
    elif kind == types.boolean:
        places.append("?")
    elif isinstance(kind, types.Integer):
        places.append("q")
    elif isinstance(kind, types.Float):
        places.append("d")
    elif isinstance(kind, types.NoneType):
        places.append("8x")
    else:
        raise TypeError(f"a handle cannot hold {kind}")
    return at + size


@typeof_impl.register(Handle)
def _type_of_handle(handle, context):
    return handle._numba_type_


@unbox(HandleType)
def _unbox(kind, obj, c):
    attribute = c.pyapi.object_getattr_string(obj, "address")
    address = c.pyapi.long_as_longlong(attribute)
    c.pyapi.decref(attribute)
    return NativeValue(c.builder.inttoptr(address, c.context.get_value_type(kind)))


def make_handle(S, W, P, like: Handle | None = None) -> Handle:
    """Handle on tables ``S``, work ``W`` and a tuple ``P``; kernels check it through `view_S`, `view_W`, `view_P`.
    ``like``: a handle whose contents have the same types, checked: kernels that get an address take them on trust."""
    return Handle(S, W, P, like)


class RefType(types.Type):
    """Pointer to a named tuple in memory that does not change; its attributes are those of the tuple."""

    def __init__(self, target):
        self.target = target
        super().__init__(name=f"Ref({_short_name(target)})")


@register_model(RefType)
class _RefModel(PrimitiveModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, _BYTES)


def _field(builder, pointer, target, k):
    """Pointer to the bytes of field ``k`` of a tuple."""
    return builder.gep(pointer, [ir.IntType(64)(layout_of(target)[2][k])], inbounds=True)


def _member(target, name):
    """Number and type of a field of a named tuple, or None."""
    if name not in target.fields:
        return None
    k = target.fields.index(name)
    return k, target.types[k]


@infer_getattr
class _RefAttributes(AttributeTemplate):
    key = RefType

    def generic_resolve(self, ref, name):
        found = _member(ref.target, name)
        if found is None:
            return None
        kind = found[1]
        return RefType(kind) if isinstance(kind, types.BaseNamedTuple) else kind


@lower_getattr_generic(RefType)
def _read(context, builder, ref, pointer, name):
    k, kind = _member(ref.target, name)
    place = _field(builder, pointer, ref.target, k)
    if isinstance(kind, types.BaseNamedTuple):
        return place
    value = builder.load(builder.bitcast(place, context.get_value_type(kind).as_pointer()))
    value.set_metadata("invariant.load", builder.module.add_metadata([]))  # so that loops need not read it again
    return value


def _view(field: int):
    @intrinsic
    def view(typingctx, handle):
        def codegen(context, builder, signature, args):
            return _field(builder, args[0], handle.content, field)

        return RefType(handle.content.types[field])(handle), codegen

    return view


view_S, view_W, view_P = (_view(k) for k in range(3))
