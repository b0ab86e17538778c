"""The LINEAR command of a simulation script: its arguments, as the Adams Solver manual has them, and what it leaves
behind.

EIGENSOL [, NODAMPIN] [, COORDS=i1[,i2]] [, ENERGY=..] [, KINETIC=..] [, STRAIN=..] [, DISSIPATIVE=..] [, RM=id] [,
PSTATE=id]
    eigenvalues; tables of coordinates and energies of modes i1 to i2
STATEMAT, FILE=name [, FORMAT=MATRIXX | MATLAB] [, PINPUT=id] [, POUTPUT=id] [, PSTATE=id] [, RM=id]
    A, B, C, D
MKB, FILE=name [, PINPUT=id] [, PSTATE=id] [, RM=id]
    mass, damping and stiffness matrices
ORIGINAL asks Adams for its older choice of states; the eigenvalues are the same, so it is accepted and said to be
without influence. Words may be shortened.  Nothing is written here: a script may come from a stranger, so files are
written by whoever runs it, into a folder of his choice (`Linear.write_files`).
"""

from __future__ import annotations

from typing import Any

from ...model import ModelError
from ...model.commands import Linear as Command

MODE_TABLES = ("COORDS", "ENERGY", "KINETIC", "STRAIN", "DISSIPATIVE")
WORDS = {
    "EIGENSOL": ("NODAMPING", "NODAMPIN", "ORIGINAL", "RM", "PSTATE", *MODE_TABLES),
    "STATEMAT": ("FILE", "FORMAT", "PINPUT", "POUTPUT", "PSTATE", "RM", "ORIGINAL", "NODAMPING"),
    "MKB": ("FILE", "PINPUT", "POUTPUT", "PSTATE", "RM", "ORIGINAL"),
}


def arguments(command: Command) -> dict[str, str]:
    """Full names and texts.  Raises ModelError for an unknown or ambiguous keyword."""
    known = WORDS[command.kind]
    out: dict[str, str] = {}
    for name, text in command.options:
        word = name.upper()
        found = [word] if word in known else [k for k in known if k.startswith(word)]
        if {"NODAMPING", "NODAMPIN"} & set(found):
            found = ["NODAMPING"]
        if len(found) != 1:
            what = f"may mean {' or '.join(found)}" if found else f"is not one of {', '.join(known)}"
            raise ModelError(f"{command.where}LINEAR/{command.kind}: '{name}' {what}")
        if found[0] in out:
            raise ModelError(f"{command.where}LINEAR/{command.kind}: {found[0]} is given twice")
        out[found[0]] = text
    return out


def _id(command: Command, name: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ModelError(f"{command.where}LINEAR/{command.kind}: {name} must be an id, not '{text}'") from None


def _range(command: Command, name: str, text: str, count: int) -> range:
    """Modes i1 to i2; all of them without a number."""
    parts = text.replace(",", " ").replace(":", " ").split()
    if not parts or parts[0].upper() in ("ALL", "ON", "TRUE"):
        return range(1, count + 1)
    first, last = _id(command, name, parts[0]), _id(command, name, parts[-1])
    if len(parts) > 2 or first < 1 or last < first:
        raise ModelError(
            f"{command.where}LINEAR/{command.kind}: {name} must be one or two mode numbers, the smaller first, not "
            f"'{text}'"
        )
    return range(first, min(last, count) + 1)


def carry_out(sim: Any, command: Command) -> None:
    """One LINEAR command on a `Simulation`; its result joins ``sim.linear``."""
    if command.kind not in WORDS:
        raise ModelError(
            f"{command.where}LINEAR/{command.kind} (a bulk data deck for Nastran) is not supported in this version; "
            "take LINEAR/MKB or STATEMAT"
        )
    given = arguments(command)
    find = lambda kind, name: [sim.model.find(kind, _id(command, name, given[name]))] if name in given else None
    inputs, outputs = find("PINPUT", "PINPUT"), find("POUTPUT", "POUTPUT")
    states = find("PSTATE", "PSTATE")
    rm = _id(command, "RM", given["RM"]) if "RM" in given else None
    if command.kind == "EIGENSOL":
        inputs, outputs = [], []
    if command.kind == "MKB":
        outputs = outputs or []
    linear = sim.linearize(inputs=inputs, outputs=outputs, states=states, rm=rm, damping="NODAMPING" not in given)
    unit = sim.model.units.symbol("time")
    unstable = sum(m.stability == "unstable" for m in linear.modes)
    what = (
        f"{command.where}LINEAR/{command.kind} at time {sim.time:.6g} {unit}: {len(linear.modes)} modes, "
        f"{unstable or 'none'} unstable"
    )
    if "ORIGINAL" in given:
        what += "; ORIGINAL has no influence on the numbers"
    if command.kind == "EIGENSOL":
        linear.listing.append(linear.text())
        count = len(linear.modes)
        if "COORDS" in given:
            linear.listing += [linear.coordinates_text(k) for k in _range(command, "COORDS", given["COORDS"], count)]
        energy = sorted(
            {k for name in MODE_TABLES[1:] if name in given for k in _range(command, name, given[name], count)}
        )
        linear.listing += [linear.energy_text(k) for k in energy]
    else:
        format = given.get("FORMAT", "MATRIXX").upper()
        if format not in ("MATRIXX", "MATLAB"):
            raise ModelError(f"{command.where}LINEAR/{command.kind}: FORMAT is MATRIXX or MATLAB, not '{format}'")
        if "FILE" not in given or not given["FILE"].strip():
            raise ModelError(
                f"{command.where}LINEAR/{command.kind}: FILE= is missing; give the name of the file for the matrices"
            )
        if command.kind == "MKB":
            linear.mkb()  # fails here, not when the files are written
        linear.wanted.append((command.kind, given["FILE"].strip().strip("'\""), format))
    sim.say(what)
