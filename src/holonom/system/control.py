"""Control blocks in the equations of a system: their states, outputs and inputs as functions, and what sampled ones do
at a sample.

A law (`elements.control.algebra.Law`) is made of expression trees; this module registers the states, resolves what the
trees read, and lets the function set evaluate them, with exact derivatives and events at kinks like any function.

States of a continuous block are its own.  A sampled block has discrete states, which are constant between samples: its
own, its outputs, with a delay the outputs that are computed and not yet released, and its random numbers.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..elements.control.algebra import DRAW, INNER, PORT, PRESENT, STATE
from ..expressions import CONSTANTS, FUNCTIONS, Call, ExpressionError, Name, Node, Number, parse, rebuilt
from ..expressions.references import NAMED
from ..model import Model, ModelError
from ..model.base import did_you_mean
from ..model.control import BLOCKS
from .names import written_out

#: names in the trees of laws
READ = (PORT, STATE, PRESENT, DRAW, INNER)
#: functions that are not measures, whose arguments are signals
OPEN = (*FUNCTIONS, "DELAY", "INVPSD")


class ControlLaws:
    """The laws of the active blocks of a system; ``builder`` keeps its states (`functions_build`)."""

    def __init__(self, builder: Any) -> None:
        self.builder, self.model = builder, builder.model
        self.blocks = [b for b in self.model.table("CONTROL").values() if b.active]
        self.laws: dict[int, Any] = {}
        for b in self.blocks:
            for text in b.faults(self.model):
                raise b.error(text)
            self.laws[b.id] = BLOCKS[b.type].law(b)
        self.sampled = [b for b in self.blocks if b.sampled]

    # ---- states -----------------------------------------------------------------------------------------------------
    def places(self, block: Any) -> tuple[int, int, int]:
        """Numbers of states before the held outputs, the pending outputs and the random numbers."""
        law = self.laws[block.id]
        n, m = len(law.states), len(law.outputs)
        return n, n + m, n + m * (2 if block.delay else 1)

    def register_states(self, add: Any) -> None:
        """Register the states of all blocks: ``add(key, start)``."""
        for b in self.blocks:
            law = self.laws[b.id]
            starts = list(law.states)
            if b.sampled:
                held = list(law.held) or [0.0] * len(law.outputs)
                starts += held * (2 if b.delay else 1) + [0.0] * law.draws
            for k, start in enumerate(starts):
                add(("CONTROL", b.id, k + 1), start)
                if b.sampled:
                    self.builder.discrete.add(("CONTROL", b.id, k + 1))

    # ---- what expressions and laws read -----------------------------------------------------------------------------
    def output(self, functions: Any, block: Any, component: int) -> int:
        """Input that carries output ``component`` (from 1) of a block."""
        law = self.laws.get(block.id)
        if law is None:
            raise ExpressionError(f"{block.label} is not active, so it has no output")
        if not 1 <= component <= len(law.outputs):
            raise ExpressionError(f"{block.label} has {len(law.outputs)} outputs, no output {component}")
        if block.sampled:
            return functions.state(("CONTROL", block.id, self.places(block)[0] + component))
        make = lambda: self._function(functions, block, law.outputs[component - 1].node)
        return functions.carrier(("CONTROL", block.id, component), make)

    def _function(self, functions: Any, block: Any, tree: Node) -> int:
        """Index of the function of a tree of a law."""
        if self.laws[block.id].events:
            return functions.tree(tree, block.label)
        return functions.node(tree, block.label)

    def input(self, functions: Any, name: str, number: int, component: int) -> int:
        """Input of a function of a law: a port, a state, a present output, a random number or an
        intermediate quantity of block ``number``."""
        block = self.model.table("CONTROL")[number]
        if name == PORT:
            make = lambda: self._port(functions, block, component - 1)
            return functions.carrier(("PORT", block.id, component), make)
        if name == INNER:
            make = lambda: self._function(functions, block, self.laws[block.id].inner[component - 1].node)
            return functions.carrier(("INNER", block.id, component), make)
        at = component
        if name == DRAW:
            at += self.places(block)[2]
        elif name == PRESENT:
            if not block.sampled:
                return self.output(functions, block, component)
            at += self.places(block)[1 if block.delay else 0]
        return functions.state(("CONTROL", block.id, at))

    def _port(self, functions: Any, block: Any, k: int) -> int:
        try:
            return functions.tree(self.inputs_of(block)[k], block.label, True)
        except ExpressionError as error:
            raise block.error(f"input '{block.port_names[k]}': {error}") from None

    def inputs_of(self, block: Any) -> list[Node]:
        """Trees of the inputs of a block."""
        out = []
        for port, text in zip(block.port_names, block.inputs):
            try:
                out.append(written_out(self.model, wiring(self.model, parse(text))))
            except ExpressionError as error:
                raise block.error(f"input '{port}': {error}") from None
        return out

    def rate(self, functions: Any, key: tuple) -> int:
        """Function of the rate of a state of a continuous block."""
        block = self.model.table("CONTROL")[key[1]]
        return self._function(functions, block, self.laws[key[1]].change[key[2] - 1].node)

    # ---- loops ------------------------------------------------------------------------------------------------------
    def loops(self, functions: Any) -> list[list[str]]:
        """Names of the continuous blocks and FMUs of each algebraic loop among the functions of a packed set."""
        names = {b.label: b.name for b in (*self.blocks, *self.builder.fmus.elements)}
        out = []
        for group, loop in zip(functions.groups, functions.loops):
            if loop:
                found = dict.fromkeys(n for e in group if (n := names.get(functions.functions[e].label)))
                if found:
                    out.append(list(found))
        return out


def wiring(model: Model, node: Node) -> Node:
    """The expression of an input, in which bare names are VARIABLEs. Raises ExpressionError for other names."""
    if isinstance(node, Name):
        if node.name in CONSTANTS or node.name in ("TIME", "MODE"):
            return node
        try:
            variable = model.find("VARIABLE", node.name)
        except ModelError:
            known = [v.name for v in model.table("VARIABLE").values()]
            several = [n for n in known if n.lower().startswith(f"{node.name.lower()}.")]
            hint = (
                f"; it has the outputs {', '.join(several)}"
                if several
                else did_you_mean(
                    node.name.lower(), {n.lower(): n for n in known}, "; add the block or VARIABLE, or correct the name"
                )
            )
            raise ExpressionError(f"there is no block or VARIABLE '{node.name.lower()}'{hint}", node.column) from None
        return Call("VARVAL", (Number(float(variable.id)),), column=node.column)
    if isinstance(node, Call):
        if node.name not in OPEN:
            return node
        place = NAMED.get(node.name, (-1, ""))[0]
        args = tuple(a if k == place else wiring(model, a) for k, a in enumerate(node.args))
        return Call(node.name, args, column=node.column)
    return rebuilt(node, partial(wiring, model))


def sampled_order(blocks: list[Any], reads: dict[int, set[int]]) -> list[Any]:
    """Sampled blocks in the order in which their outputs are computed; ``reads``: ids of the blocks whose outputs at
    the same sample the outputs of a block contain.  Raises `ModelError` for a loop."""
    order: list[Any] = []
    done: set[int] = set()
    by_id = {b.id: b for b in blocks}

    def visit(b: Any, path: list[Any]) -> None:
        if b.id in done:
            return
        if b in path:
            loop = [*path[path.index(b) :], b]
            names = " <- ".join(f"'{c.name}'" for c in loop)
            raise b.error(
                f"the sampled blocks {names} form an algebraic loop: each needs the "
                "output of the next at the same sample; insert a unit_delay, or give one of them a delay"
            )
        for other in sorted(reads[b.id]):
            visit(by_id[other], [*path, b])
        done.add(b.id)
        order.append(b)

    for b in blocks:
        visit(b, [])
    return order


def standard_normal(seed: int, sample: int, count: int) -> np.ndarray:
    """(count,) random numbers of a sample: the same for the same seed and number of the sample, whatever was drawn
    before.  Counter-based generator Philox (Salmon et al., SC'11), turned normal by the inverse distribution."""
    from scipy.special import ndtri

    return ndtri(uniform(seed, sample, count))


def uniform(seed: int, sample: int, count: int) -> np.ndarray:
    """(count,) random numbers in (0, 1), as `standard_normal`."""
    key = np.array([seed % 2**64, 0x9E3779B97F4A7C15], np.uint64)
    counter = np.array([0, 0, sample % 2**64, 0], np.uint64)
    raw = np.random.Philox(key=key, counter=counter).random_raw(count)
    return ((raw >> np.uint64(11)).astype(float) + 0.5) * 2.0**-53
