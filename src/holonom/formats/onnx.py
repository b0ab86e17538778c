"""Dense networks of ONNX files as layers of the block `neural`: `read_onnx`.

An ONNX file is a message of protocol buffers.  The few fields that describe a chain of dense layers are read here, so
that no other package is needed.

Source: ONNX specification (onnx.proto3, IR version 3 and later; Operators.md).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..model import ModelError
from ..model.base import shown

MOST_BYTES = 256 << 20
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5  # wire types
#: data types of tensors
NUMBERS: dict[int, str] = {1: "<f4", 6: "<i4", 7: "<i8", 10: "<f2", 11: "<f8"}
#: position of the values of a tensor that are not raw, by data type
VALUES = {1: 4, 6: 5, 7: 7, 10: 5, 11: 10}
#: operator -> activation of `neural`
ACTIVATIONS = {"Relu": "relu", "Tanh": "tanh", "Sigmoid": "sigmoid", "Softplus": "softplus", "LeakyRelu": "leaky_relu"}
#: operators that leave the values of a row as they are
PASSING = ("Identity", "Flatten", "Dropout", "Squeeze", "Unsqueeze", "Reshape", "Cast")
Layer = tuple[np.ndarray, np.ndarray, str]


class _Message:
    """Fields of a message of protocol buffers.  Raises `ModelError` where its bytes are damaged."""

    def __init__(self, data: memoryview, path: Path):
        self.path = path
        self.fields: dict[int, list[tuple[int, Any]]] = {}
        at, end = 0, len(data)
        while at < end:
            key, at = self._varint(data, at)
            number, kind = key >> 3, key & 7
            value: Any
            if kind == VARINT:
                value, at = self._varint(data, at)
            elif kind in (FIXED64, FIXED32, BYTES):
                size = 8 if kind == FIXED64 else 4
                if kind == BYTES:
                    size, at = self._varint(data, at)
                if size > end - at:
                    raise self.damaged()
                value, at = data[at : at + size], at + size
            else:
                raise self.damaged()
            self.fields.setdefault(number, []).append((kind, value))

    def damaged(self) -> ModelError:
        return ModelError(f"'{self.path}' is not an ONNX file, or it is damaged; export it again")

    def _varint(self, data: memoryview, at: int) -> tuple[int, int]:
        value = 0
        for shift in range(0, 70, 7):
            if at >= len(data):
                break
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value, at
        raise self.damaged()

    def messages(self, number: int) -> list[_Message]:
        return [_Message(value, self.path) for value in self._of(number, BYTES)]

    def texts(self, number: int) -> list[str]:
        return [bytes(value).decode("utf-8", "replace") for value in self._of(number, BYTES)]

    def text(self, number: int) -> str:
        return next(iter(self.texts(number)), "")

    def wholes(self, number: int) -> list[int]:
        """Whole numbers, packed or not."""
        out: list[int] = []
        for kind, value in self.fields.get(number, ()):
            if kind == BYTES:
                at = 0
                while at < len(value):
                    one, at = self._varint(value, at)
                    out.append(one)
            elif kind == VARINT:
                out.append(value)
            else:
                raise self.damaged()
        return [v - (1 << 64) if v >> 63 else v for v in out]

    def whole(self, number: int, default: int = 0) -> int:
        return next(iter(self.wholes(number)), default)

    def reals(self, number: int, form: str) -> np.ndarray:
        """Numbers of the type ``form``, packed or not."""
        return self.array(b"".join(bytes(v) for k, v in self.fields.get(number, ()) if k != VARINT), form)

    def array(self, raw: bytes, form: str) -> np.ndarray:
        if len(raw) % np.dtype(form).itemsize:
            raise self.damaged()
        return np.frombuffer(raw, form).astype(float)

    def _of(self, number: int, wanted: int) -> Iterator[memoryview]:
        for kind, value in self.fields.get(number, ()):
            if kind != wanted:
                raise self.damaged()
            yield value


def read_onnx(path: str | os.PathLike) -> list[Layer]:
    """Layers (W, b, activation) of a dense network in an ONNX file, for `model.control.neural(..., layers=...)`.

    The network has one input, a row of numbers, and one output.  Operators: Gemm, MatMul, Add, Sub, Mul, Div and
    BatchNormalization with constants, which are joined into W and b; Relu, Tanh, Sigmoid, Softplus, LeakyRelu with
    alpha = 0.01; operators that only change the shape.  Weights may be of half, single or double precision.

    Raises `ModelError` for files that are not such networks.

        model.control.neural("policy", "x", "v", layers=hn.read_onnx("policy.onnx"), sample_time=0.02)

    Source: ONNX specification, Operators.md.
    """
    path = Path(path)
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ModelError(f"'{path}' is larger than {MOST_BYTES >> 20} MB; give a network of some hundred neurons")
        data = path.read_bytes()
    except OSError as error:
        raise ModelError(f"'{path}' cannot be read: {error.strerror}") from None
    graphs = _Message(memoryview(data), path).messages(7)
    if len(graphs) != 1:
        raise ModelError(f"'{path}' is not an ONNX file, or it is damaged; export it again")
    return _Network(graphs[0], path).layers


class _Network:
    """A graph that is a chain: from its input through layers to its output."""

    def __init__(self, graph: _Message, path: Path):
        self.path = path
        self.constants = {m.text(8): self._tensor(m) for m in graph.messages(5)}
        inputs = [m for m in graph.messages(11) if m.text(1) not in self.constants]
        outputs = [m.text(1) for m in graph.messages(12)]
        if len(inputs) != 1 or len(outputs) != 1:
            names = ", ".join(m.text(1) for m in inputs)
            ends = f"its inputs are {names or 'none'}, its outputs {', '.join(outputs) or 'none'}"
            raise self._refused(f"{ends}; one each is needed")
        self.layers: list[Layer] = []
        self.W: np.ndarray | None = None  # with b, the affine function of the last layer that has been read so far
        self.b, self.changed = np.zeros(0), False
        self.width = self._width(inputs[0])
        if self.width:
            self._widen(self.width)
        self.value = inputs[0].text(1)
        for node in graph.messages(1):
            self._read(node)
        if self.value != outputs[0]:
            raise self._refused(f"its output '{outputs[0]}' is not the end of one chain of layers")
        if self.W is None:
            raise self._refused("it has no layers")
        if not self.layers or self.changed:
            self._close("linear")

    def _refused(self, text: str) -> ModelError:
        return ModelError(f"'{self.path}' is not a dense network that can be read: {text}")

    def _width(self, value: _Message) -> int:
        """Number of inputs, 0 where the file leaves it open."""
        for kind in value.messages(2):
            for tensor in kind.messages(1):
                for shape in tensor.messages(2):
                    sizes = [d.whole(1) for d in shape.messages(1)]
                    return sizes[-1] if sizes else 0
        return 0

    def _widen(self, width: int) -> None:
        self.W, self.b, self.changed = np.eye(width), np.zeros(width), False

    def _tensor(self, message: _Message) -> np.ndarray:
        kind, name = message.whole(2), message.text(8)
        if kind not in NUMBERS or message.whole(14):
            where = "lies in another file" if message.whole(14) else f"has the data type {kind}"
            raise self._refused(f"the constant '{name}' {where}; export it as numbers in the file")
        form, raw = NUMBERS[kind], b"".join(bytes(v) for v in message._of(9, BYTES))
        if raw:
            values = message.array(raw, form)
        elif kind in (1, 11):
            values = message.reals(VALUES[kind], form)
        elif kind == 10:
            values = np.array(message.wholes(VALUES[kind]), np.uint16).view("<f2").astype(float)
        else:
            values = np.array(message.wholes(VALUES[kind]), float)
        shape = message.wholes(1)
        if any(n < 0 for n in shape) or int(np.prod(shape, dtype=object)) != len(values):
            raise self._refused(f"the constant '{name}' has {len(values)} values for the shape {tuple(shape)}")
        return values.reshape(shape)

    # ---- operators --------------------------------------------------------------------------------------------------
    def _read(self, node: _Message) -> None:
        operator, inputs, outputs = node.text(4), node.texts(1), node.texts(2)
        attributes = {a.text(1): a for a in node.messages(5)}
        if not outputs or node.text(7) not in ("", "ai.onnx"):
            raise self._refused(f"it has the operator {shown(operator)} of '{node.text(7)}'")
        if operator == "Constant":
            tensors = attributes["value"].messages(5) if "value" in attributes else []
            if not tensors:
                raise self._refused(f"the constant '{outputs[0]}' has no tensor")
            self.constants[outputs[0]] = self._tensor(tensors[0])
            return
        if operator == "Identity" and inputs and inputs[0] in self.constants:
            self.constants[outputs[0]] = self.constants[inputs[0]]
            return
        if inputs.count(self.value) != 1 or any(n not in self.constants for n in inputs if n not in ("", self.value)):
            raise self._refused(f"the operator {operator} '{node.text(3)}' does not continue one chain of layers")
        given = [self.constants.get(name) for name in inputs]
        if operator in ACTIVATIONS:
            alpha = self._real(attributes, "alpha", 0.01)
            if operator == "LeakyRelu" and abs(alpha - 0.01) > 1e-8:
                raise self._refused(f"LeakyRelu has alpha = {alpha:g}; only 0.01 is available")
            self._close(ACTIVATIONS[operator])
        elif operator in ("Gemm", "MatMul"):
            self._product(operator, attributes, given)
        elif operator in ("Add", "Sub", "Mul", "Div"):
            self._elementwise(operator, inputs.index(self.value), given)
        elif operator == "BatchNormalization":
            self._normalise(attributes, given)
        elif operator not in PASSING:
            raise self._refused(
                f"it has the operator {shown(operator)}; available are Gemm, MatMul, Add, Sub, Mul, Div, "
                f"BatchNormalization, {', '.join(ACTIVATIONS)}"
            )
        self.value = outputs[0]

    def _real(self, attributes: dict[str, _Message], name: str, default: float) -> float:
        message = attributes.get(name)
        values = message.reals(2, "<f4") if message is not None else np.zeros(0)
        return float(values[0]) if len(values) else default

    def _close(self, activation: str) -> None:
        """The layer ends with an activation."""
        if self.W is None:
            raise self._refused("an activation comes before the first layer, and the number of inputs is open")
        self.layers.append((self.W, self.b, activation))
        self._widen(len(self.b))

    def _apply(self, A: np.ndarray, c: np.ndarray) -> None:
        """y <- A y + c."""
        if self.W is None:
            self._widen(A.shape[1])
        assert self.W is not None
        if A.shape[1] != len(self.b) or c.shape not in ((), (1,), (A.shape[0],)):
            raise self._refused(f"a layer takes {A.shape[1]} values and {len(self.b)} are there")
        self.W, self.b, self.changed = A @ self.W, A @ self.b + c, True

    def _product(self, operator: str, attributes: dict[str, _Message], given: list[np.ndarray | None]) -> None:
        if given[0] is not None or len(given) < 2 or given[1] is None or given[1].ndim != 2:
            raise self._refused(f"{operator} does not multiply a row of values by a constant matrix")
        A, c = given[1], np.zeros(())
        if operator == "Gemm":
            if "transA" in attributes and attributes["transA"].whole(3):
                raise self._refused("Gemm has transA = 1; export it with transA = 0")
            if "transB" in attributes and attributes["transB"].whole(3):
                A = A.T
            A = A * self._real(attributes, "alpha", 1.0)
            if len(given) > 2 and given[2] is not None:
                c = np.ravel(given[2]) * self._real(attributes, "beta", 1.0)
        self._apply(A.T, c)

    def _elementwise(self, operator: str, place: int, given: list[np.ndarray | None]) -> None:
        constant = given[1 - place]
        if constant is None:
            raise self._refused(f"{operator} has no constant")
        if self.W is None:
            if constant.size == 1:
                raise self._refused(f"{operator} comes before the first layer, and the number of inputs is open")
            self._widen(constant.size)
        n = len(self.b)
        if constant.size not in (1, n) or (constant.size > 1 and constant.shape[-1:] != (n,)):
            raise self._refused(f"{operator} has a constant of the shape {constant.shape} for {n} values")
        v = np.broadcast_to(np.ravel(constant), (n,))
        rules: dict[str, Callable[[], tuple[Any, Any]]] = {
            "Add": lambda: (np.ones(n), v),
            "Sub": lambda: (np.ones(n), -v) if place == 0 else (-np.ones(n), v),
            "Mul": lambda: (v, np.zeros(n)),
            "Div": lambda: (1.0 / v, np.zeros(n)),
        }
        if operator == "Div" and (place == 1 or not v.all()):
            raise self._refused("Div divides by values of the network, or by zero")
        factor, summand = rules[operator]()
        self._apply(np.diag(factor), summand)

    def _normalise(self, attributes: dict[str, _Message], given: list[np.ndarray | None]) -> None:
        if given[0] is not None or len(given) != 5:
            raise self._refused("BatchNormalization needs four constants")
        scale, bias, mean, variance = (np.ravel(v) for v in given[1:] if v is not None)
        factor = scale / np.sqrt(variance + self._real(attributes, "epsilon", 1e-5))
        self._apply(np.diag(factor), bias - mean * factor)
