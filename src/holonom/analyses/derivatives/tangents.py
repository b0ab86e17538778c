"""Gradients of many functionals of one run by a few parameters, from tangents in place of one adjoint each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...integrators.adjoint_runge_kutta import RungeKuttaAdjoint
from ...integrators.tangent_runge_kutta import FRICTION, MESHES, NUMBERS, PORTS, RungeKuttaTangents
from ...model import ModelError
from .cotangents import Cotangents
from .effects import Effect

MODES = ("auto", "adjoint", "tangent")
# cost of tangents for each number of the state, and of an adjoint for each functional, in sweeps over the stages: a
# four-bar of 52 numbers was faster by tangents from 10 functionals on over 17 steps, by 8 times for 100 over 102 steps
A_NUMBER, AN_ADJOINT = 0.6, 2.0


def obstacle(run: Any, effects: Sequence[Effect]) -> str:
    """What of a run has no tangents, or ""."""
    tape, system = run.tape, run.system
    if run.adjoint is not RungeKuttaAdjoint:
        return "implicit methods"
    if system.contacts.on:
        return "contacts"
    if tape.turns or tape.ends or tape.impacts:
        return "events"
    if not tape.whole:
        return "checkpoints; give more memory"
    return ""


def worthwhile(run: Any, functionals: int) -> bool:
    """Whether tangents cost less than an adjoint for each functional."""
    return A_NUMBER * len(run.system.y0) < AN_ADJOINT * functionals


def entries_of(cotangents: Cotangents, effects: Sequence[Effect]) -> tuple[np.ndarray, np.ndarray]:
    """(parameter, array, place) and weight of each cotangent that an effect reads."""
    P, system = cotangents.P, cotangents.system
    base = P.numbers.__array_interface__["data"][0]
    where: list[tuple[int, int, int]] = []
    weights: list[float] = []

    def put(k: int, table: np.ndarray, index: tuple[int, ...], values: Any) -> None:
        first = (table.__array_interface__["data"][0] - base) // 8
        shape = table.shape[len(index) :]
        begin = int(np.ravel_multi_index((*index, *(0 for _ in shape)), table.shape))
        for c, value in enumerate(np.broadcast_to(np.asarray(values, float), shape).ravel()):
            where.append((k, NUMBERS, first + begin + c))
            weights.append(float(value))

    for k, effect in enumerate(effects):
        if id(effect) in cotangents.bent:
            where.append((k, MESHES, cotangents.bent[id(effect)]))
            weights.append(1.0)
        for key, value in effect.items():
            kind = key[0]
            if kind in ("place", "turn"):
                put(k, P.out.place if kind == "place" else P.out.turn, (key[1],), value)
            elif kind in ("mass", "J", "carried", "drive", "gravity"):
                put(k, getattr(P, kind), (key[1],), value)
            elif kind == "pairs":
                put(k, P.pairs[key[1]], (key[2], key[3]), value)
            elif kind == "constant":
                put(k, P.constant, (cotangents.constants.index(key[1]),), value)
            elif kind == "friction":
                where.append((k, FRICTION, key[1] * system.S.friction.bar.shape[1] + key[2]))
                weights.append(float(value))
            elif kind == "port":
                where.append((k, PORTS, key[1]))
                weights.append(float(value))
            elif kind == "mesh":
                continue  # along the effect as a whole
            elif kind != "y0":
                raise ModelError(f"parameters of {kind} have no tangents yet; choose mode = 'adjoint'")
    return np.array(where, np.int64).reshape(-1, 3), np.array(weights)


def tangents(run: Any, cotangents: Any, effects: Sequence[Effect], names: Sequence[str]) -> np.ndarray:
    """Derivatives (functionals, numbers) of all functionals of a run, with the pulls of an adjoint of it."""
    system, tape = run.system, run.tape
    cotangents.clear()
    entries, weights = entries_of(cotangents, effects)
    ports = system.ports.W.bar if system.ports.elements else np.zeros(0)
    bars = system.S.friction.bar.reshape(-1), ports, cotangents.along_meshes
    found = RungeKuttaTangents(cotangents.adjoint, len(effects), entries, weights, *bars)
    start = np.zeros((len(system.y0), len(effects)))
    for i in range(len(start)):
        cotangents.clear()
        cotangents.to_design(run, np.eye(1, len(start), i)[0])
        start[i] = [cotangents.times(effect, name) for effect, name in zip(effects, names)]
    cotangents.clear()
    needed = np.any(np.array(run.weights) != 0.0, axis=0)
    assert isinstance(needed, np.ndarray)
    ends = np.flatnonzero(run.marked >= 0)
    wanted = {int(k): np.flatnonzero(needed[run.marked[k]]) for k in ends}
    slopes = found.sweep(tape, start, wanted)
    out = np.zeros((len(run.weights), len(effects)))
    for (k, e), slope in slopes.items():
        for which, weight in enumerate(run.weights):
            out[which] += weight[run.marked[k], e] * slope
    return out
