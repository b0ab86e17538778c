"""Dense neural networks: z = W a + b, a = activation(z), layer by layer, with optional scales of inputs and outputs.

Each neuron is a function of the expression machine, with exact derivatives.  Suits networks of some hundred neurons.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...model.base import ModelError
from ...model.builder.control import add_block, choice
from ...model.control import BlockType, ControlBlock
from ...model.values import number_matrix, number_tuple
from .algebra import Law, Signal, call, clipped, combination, inner, terminals

ACTIVATIONS = ("linear", "relu", "tanh", "sigmoid", "softplus", "leaky_relu")
LARGEST = 4096  # neurons


def activated(name: str, z: Signal) -> Signal:
    """The activation of a signal; leaky_relu has the slope 0.01."""
    if name == "relu":
        return call("MAX", z, 0.0)
    if name == "leaky_relu":
        return call("MAX", z, 0.01 * z)
    if name == "tanh":
        return call("TANH", z)
    if name == "sigmoid":
        return 0.5 + 0.5 * call("TANH", 0.5 * z)
    if name == "softplus":  # log(1 + e^z) without overflow
        return call("MAX", z, 0.0) + call("LOG", 1.0 + call("EXP", -call("ABS", z)))
    return z


def _law(block: ControlBlock) -> Law:
    sizes = [int(n) for n in block.parameters["sizes"]]
    weights, biases = block.parameters["weights"], block.parameters["biases"]
    names = block.options["activations"].split(",")
    u, quantity = terminals(block)[0], inner(block)
    offset, scale = block.parameters["offset"], block.parameters["scale"]
    layer = [(u[k] - offset[k]) * scale[k] for k in range(sizes[0])]
    made: list[Signal] = list(layer)
    layer = quantity.first(len(made))
    w = b = 0
    for n, m, name in zip(sizes, sizes[1:], names):
        neurons = []
        for row in range(m):
            z = combination(weights[w + n * row : w + n * (row + 1)], layer) + biases[b + row]
            if name in ("leaky_relu", "softplus"):
                made.append(z)
                z = quantity[len(made) - 1]
            made.append(activated(name, z))
            neurons.append(quantity[len(made) - 1])
        w, b, layer = w + n * m, b + m, neurons
    lower, upper = block.parameters.get("lower", (-np.inf,))[0], block.parameters.get("upper", (np.inf,))[0]
    return Law([clipped(y, lower, upper) for y in layer], inner=made, events=False)


def neural(
    model,
    name: str,
    *inputs,
    layers,
    offset=0.0,
    scale=1.0,
    lower: float | None = None,
    upper: float | None = None,
    outputs=None,
    sample_time=None,
) -> ControlBlock:
    """Dense neural network of the inputs ``u1``, ``u2``, ...; outputs ``name.y1``, ... (``name`` where there is one),
    or the texts of ``outputs``.

    ``layers``: (W, b, activation) for each layer, W with a row for each neuron; activations "linear", "relu", "tanh",
    "sigmoid", "softplus", "leaky_relu". Inputs enter as (u - ``offset``) ``scale``, one number or one for each (units
    of u and their inverse); ``lower``, ``upper``: limits of the outputs. Raises `ModelError` for layers that do not
    fit.

        model.control.neural("policy", "x", "v", layers=[(W1, b1, "tanh"), (W2, b2, "linear")], sample_time=0.02)
    """
    sizes, weights, biases, names = [len(inputs)], [], [], []
    for k, layer in enumerate(layers):
        if len(layer) != 3:
            raise ModelError(f"layer {k + 1} has {len(layer)} entries; give (W, b, activation)")
        W = np.asarray(number_matrix(layer[0], f"W of layer {k + 1}"), float)
        b = number_tuple(np.ravel(layer[1]), f"b of layer {k + 1}")
        if W.shape != (len(b), sizes[-1]):
            raise ModelError(
                f"layer {k + 1}: W is {W.shape[0]} x {W.shape[1]} with {len(b)} biases for {sizes[-1]} "
                "values of the layer before; give a row of W and a bias for each neuron"
            )
        sizes.append(len(b))
        weights += W.ravel().tolist()
        biases += list(b)
        names.append(choice(layer[2], f"activation of layer {k + 1}", ACTIVATIONS))
    if len(sizes) < 2:
        raise ModelError("there are no layers; give one or more")
    if sum(sizes) > LARGEST:
        raise ModelError(f"the network has {sum(sizes)} neurons; give at most {LARGEST}")
    each = lambda value, what: number_tuple(np.broadcast_to(np.asarray(value, float), (len(inputs),)), what)
    numbers: dict[str, Any] = {
        "sizes": [float(n) for n in sizes],
        "weights": weights,
        "biases": biases,
        "offset": each(offset, "offset"),
        "scale": each(scale, "scale"),
    }
    numbers |= {k: v for k, v in (("lower", lower), ("upper", upper)) if v is not None}
    labels = (
        tuple(outputs)
        if outputs is not None
        else ("",)
        if sizes[-1] == 1
        else tuple(f"y{k + 1}" for k in range(sizes[-1]))
    )
    ports = {f"u{k + 1}": u for k, u in enumerate(inputs)}
    options = {"activations": ",".join(names)}
    return add_block(model, "neural", name, ports, numbers, sample_time=sample_time, outputs=labels, options=options)


BLOCK_TYPES = (BlockType("neural", neural, ("u",), _law),)
SHORTHANDS = ()
