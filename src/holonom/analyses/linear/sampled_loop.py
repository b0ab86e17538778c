"""The loop of a linearised machine and its sampled control blocks, as a sampled linear system: exact at the samples.

Between samples the outputs of the blocks are constant.  The machine with its continuous blocks, x' = A x + B y + E w,
is discretised with a hold of order zero: x(k+1) = F x(k) + H y(k); with a delay d of all blocks, in which the outputs
of the sample before act on,

    x(k+1) = F(T) x(k) + F(T - d) H(d) y(k-1) + H(T - d) y(k).

At a sample the blocks read u = C x + D y, where outputs without delay are those of this sample, and give y = g(z, u)
and z(k+1) = f(z, u, y) of their states z, whose derivatives are differences of their laws.

Source: G. F. Franklin, J. D. Powell, M. Workman, Digital Control of Dynamic Systems (1998), sections 4.3 and 8.6.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ...elements.control.algebra import INNER, PORT, PRESENT, STATE
from ...elements.control.linear import discretize_matrices
from ...expressions import Call, Node, evaluate, parse, to_text
from ...model import Model, ModelError
from ...results.state_space import StateSpace
from ...system.control import wiring
from ..session.simulation import Simulation

STEP = 1e-3  # of the differences of laws, over one plus the size of what changes


def sampled_loop(
    machine: Model | Simulation, *, open_at: Any = None, inputs: Any = (), outputs: Any = (), **options: Any
) -> StateSpace:
    """The closed loop of a machine with its sampled blocks at its present state, with their sample time ``dt``.

    ``machine``: a model, at its assembled start, or a simulation, at its present state. ``inputs``: VARIABLEs, held
    between samples; ``outputs``: VARIABLEs or expressions, as of `Simulation.linearize` (``options`` too).
    ``open_at``: the name of a sampled block with one output: the loop is opened there, and the answer is the loop
    transfer function L of negative feedback (input: what the machine is given in place of the output; output: minus
    what the block then gives), for `StateSpace.margins`.

    Blocks must have one period, offset and delay, and no jitter; laws are linearised at the present values of inputs
    and states, random numbers are left out. Raises `ModelError` otherwise, and for a model without sampled blocks.
    """
    sim = machine if isinstance(machine, Simulation) else Simulation(machine, progress=False)
    if sim.system is None:
        sim.initial()
    model = sim.model
    blocks = [b for b in model.table("CONTROL").values() if b.active and b.sampled]
    if not blocks:
        raise ModelError(f"model '{model.name}' has no sampled blocks; give one a sample_time, or use linearize")
    first = blocks[0]
    for b in blocks:
        for name in ("period", "offset", "delay"):
            if getattr(b, name) != getattr(first, name):
                raise ModelError(
                    f"{b.label}: its {name} is {getattr(b, name):g} and that of '{first.name}' is "
                    f"{getattr(first, name):g}; a sampled loop is of blocks with equal timing"
                )
        if b.jitter:
            raise b.error("it has jitter, so its loop has no constant matrices; set the jitter to 0")
    signals = [v for b in blocks for v in b.outputs]
    ports = [f"0+({to_text(wiring(model, parse(text)))})" for b in blocks for text in b.inputs]
    given = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    wanted = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    linear = sim.linearize(inputs=[*signals, *given], outputs=[*ports, *wanted], **options)
    plant = linear.state_space()
    n, ny, nu = len(plant.A), len(signals), len(ports)
    laws = _Laws(sim, blocks, ports)

    B, E = plant.B[:, :ny], plant.B[:, ny:]
    C, Dy, De = plant.C[:nu], plant.D[:nu, :ny], plant.D[:nu, ny:]
    opened = None
    if open_at is not None:
        block = model.find("CONTROL", open_at)
        if block not in blocks or len(block.outputs) != 1:
            raise block.error("the loop can be opened at a sampled block with one output")
        opened = signals.index(block.outputs[0])

    T, d = first.period, first.delay
    both = np.hstack([B, E])
    step = lambda h: discretize_matrices(plant.A, both, plant.C, np.zeros((len(plant.C), both.shape[1])), h)[:2]
    F, H = step(T)
    if d:
        F_late, H_late = step(T - d)
        H_early = F_late @ step(d)[1]
        old, new, outer = H_early[:, :ny], H_late[:, :ny], H[:, ny:]
    else:
        old, new, outer = np.zeros((n, ny)), H[:, :ny], H[:, ny:]

    # present outputs y = Gz z + Gu u,  u = C x + Dy a + De w,  a: outputs that act at the sample
    nz, nw = laws.size, E.shape[1]
    Gz, Gu, Fz, Fu, Fy = laws.matrices()
    # unknown y over s = (x, z, y_old, w, r): r is what acts in place of the opened output
    cut = np.eye(ny)
    if opened is not None:
        cut[opened, opened] = 0.0
    place = np.zeros((ny, 1))
    if opened is not None:
        place[opened] = 1.0
    size = n + nz + ny + nw + 1
    X, Z, Y, W, R = (slice(a, b) for a, b in _spans(n, nz, ny, nw, 1))
    base = np.zeros((nu, size))  # u without what is acting at once
    base[:, X], base[:, W] = C, De
    acts = np.zeros((ny, size))
    loop = np.eye(ny)
    if d:
        acts[:, Y], acts[:, R] = np.eye(ny), 0.0
    else:
        loop = np.eye(ny) - Gu @ Dy @ cut
        acts[:, R] = place
    right = Gu @ (base + Dy @ acts)
    right[:, Z] += Gz
    y = np.linalg.solve(loop, right)
    acting = acts if d else cut @ y + acts
    u = base + Dy @ acting
    sent = cut @ y
    sent[:, R] += place
    x_next = new @ sent
    x_next[:, X] += F
    x_next[:, Y] += old
    x_next[:, W] += outer
    z_next = Fu @ u + Fy @ y
    z_next[:, Z] += Fz
    rows = np.vstack([x_next, z_next, sent])  # y_old is what was sent
    extra = np.zeros((len(plant.C) - nu, size))
    extra[:, X], extra[:, W] = plant.C[nu:], plant.D[nu:, ny:]
    extra += plant.D[nu:, :ny] @ acting
    keep = n + nz + (ny if d else 0)
    inside = np.arange(keep)
    states = [*plant.states, *laws.names, *([f"{model.find('VARIABLE', v).name} before" for v in signals] if d else [])]
    if opened is not None:
        return StateSpace(
            rows[:keep][:, inside],
            rows[:keep, R],
            -y[[opened]][:, inside],
            -y[[opened]][:, R],
            states,
            [f"{first.name if block is first else block.name} in"],
            [f"{block.name} out"],
            plant.time_unit,
            T,
        )
    return StateSpace(
        rows[:keep][:, inside],
        rows[:keep, W],
        extra[:, inside],
        extra[:, W],
        states,
        plant.inputs[ny:],
        plant.outputs[nu:],
        plant.time_unit,
        T,
    )


def _spans(*sizes: int) -> list[tuple[int, int]]:
    ends = np.cumsum([0, *sizes])
    return [(int(a), int(b)) for a, b in zip(ends, ends[1:])]


class _Laws:
    """Laws of the sampled blocks of a simulation, linearised at its present state."""

    def __init__(self, sim: Any, blocks: list[Any], ports: list[str]) -> None:
        control = sim.system.functions.control
        number, first = sim.system.functions.state_number, sim.system.bodies.end
        self.blocks, self.laws = blocks, [control.laws[b.id] for b in blocks]
        self.values: list[float] = [float(sim.output(text)) for text in ports]
        self.states: list[float] = []
        self.names: list[str] = []
        for b, law in zip(blocks, self.laws):
            for k in range(len(law.states)):
                self.states.append(float(sim.y[first + number(("CONTROL", b.id, k + 1))]))
                self.names.append(f"{b.name}[{k}]")
        self.size = len(self.states)
        self._splines = sim.system.functions

    def matrices(self) -> tuple[np.ndarray, ...]:
        """Derivatives of outputs over states and inputs, of next states over states, inputs and outputs."""
        ny, nu, nz = sum(len(w.outputs) for w in self.laws), len(self.values), self.size
        Gz, Gu = np.zeros((ny, nz)), np.zeros((ny, nu))
        Fz, Fu, Fy = np.zeros((nz, nz)), np.zeros((nz, nu)), np.zeros((nz, ny))
        z0 = u0 = y0 = 0
        for b, law in zip(self.blocks, self.laws):
            z, u = np.array(self.states[z0 : z0 + len(law.states)]), np.array(self.values[u0 : u0 + len(b.inputs)])
            m = len(law.outputs)
            value = partial(self._value, law)
            y = np.array([value(s.node, z, u, np.zeros(m)) for s in law.outputs])
            at = slice(z0, z0 + len(z)), slice(u0, u0 + len(u)), slice(y0, y0 + m)
            for signals, tables, row in ((law.outputs, (Gz, Gu, None), at[2]), (law.change, (Fz, Fu, Fy), at[0])):
                for k, s in enumerate(signals):
                    for which, table in enumerate(tables):
                        if table is not None:
                            table[row.start + k, at[which]] = self._slopes(partial(value, s.node), [z, u, y], which)
            z0, u0, y0 = at[0].stop, at[1].stop, at[2].stop
        return Gz, Gu, Fz, Fu, Fy

    @staticmethod
    def _slopes(value: Any, point: list[np.ndarray], which: int) -> np.ndarray:
        out = np.zeros(len(point[which]))
        for k in range(len(out)):
            slopes = []
            for h in (STEP, 0.5 * STEP):
                h *= 1.0 + abs(point[which][k])
                ends = []
                for sign in (1.0, -1.0):
                    moved = [p.copy() for p in point]
                    moved[which][k] += sign * h
                    ends.append(value(*moved))
                slopes.append((ends[0] - ends[1]) / (2.0 * h))
            out[k] = (4.0 * slopes[1] - slopes[0]) / 3.0
        return out

    @staticmethod
    def _value(law: Any, node: Node, z: np.ndarray, u: np.ndarray, y: np.ndarray) -> float:
        of = {STATE: z, PORT: u, PRESENT: y}
        known: dict[Node, float] = {}

        def read(part: Node) -> float:
            if isinstance(part, Call) and part.name in of:
                return float(of[part.name][int(part.args[1].value) - 1])  # type: ignore[attr-defined]
            if isinstance(part, Call) and part.name == INNER:
                if part not in known:
                    known[part] = evaluate(law.inner[int(part.args[1].value) - 1].node, read)  # type: ignore[attr-defined]
                return known[part]
            return 0.0  # random numbers

        return evaluate(node, read)
