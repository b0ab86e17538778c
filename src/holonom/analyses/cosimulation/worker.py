"""The process in which the binary of one FMU runs: a script of the standard library alone, started by `process`.

It reads requests and writes answers as JSON with a length of four bytes before it, through two pipes of its own; what
the FMU prints goes nowhere.  It ends when its owner does.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import struct
import sys
from ctypes import CFUNCTYPE, POINTER, byref, c_bool, c_char_p, c_double, c_int, c_size_t, c_uint, c_void_p
from typing import Any

OK, WARNING, DISCARD, ERROR, FATAL, PENDING = range(6)
STATUS = ("ok", "warning", "discard", "error", "fatal error", "pending")
MOST_MESSAGES = 20  # of one request
LONGEST = 500  # characters of a message

#: type of a variable -> (name of its functions, type of C), by version
C_TYPES: dict[str, dict[str, tuple[str, Any]]] = {
    "2.0": {
        "Float64": ("Real", c_double),
        "Int32": ("Integer", c_int),
        "Boolean": ("Boolean", c_int),
        "String": ("String", c_char_p),
    },
    "3.0": {
        "Float32": ("Float32", ctypes.c_float),
        "Float64": ("Float64", c_double),
        "Boolean": ("Boolean", c_bool),
        "String": ("String", c_char_p),
    }
    | {name: (name, getattr(ctypes, f"c_{name.lower()}")) for name in
       ("Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64")},
}  # fmt: skip


class Fault(Exception):
    """An FMU has not done what was requested.  ``status``: what it returned."""

    def __init__(self, function: str, status: int) -> None:
        super().__init__(function)
        self.function, self.status = function, status


class Fmu:
    """Functions of a library, and its one instance."""

    version = ""

    def __init__(self, request: dict[str, Any]) -> None:
        self.library = ctypes.CDLL(request["library"])
        self.name = request["name"]
        self.types = C_TYPES[self.version]
        self.messages: list[str] = []
        self.states: dict[int, c_void_p] = {}
        self.instance: Any = None
        self.make(request)
        if not self.instance:
            raise Fault("instantiation", ERROR)

    # of a version
    def make(self, request: dict[str, Any]) -> None:
        raise NotImplementedError

    def enter(self, start: float, tolerance: float | None) -> None:
        raise NotImplementedError

    def lead(self, groups: list) -> None:
        """Slopes of real inputs [per second] from now on."""
        raise NotImplementedError

    def advance(self, t: float, h: float) -> None:
        raise NotImplementedError

    def leave(self) -> None:
        self.call("ExitInitializationMode")

    def call(self, function: str, *args: Any) -> int:
        """Call ``fmi?Function(instance, ...)``.  Raises `Fault` unless it is done."""
        code = getattr(self.library, f"fmi{self.version[0]}{function}")
        code.restype = c_int
        status = code(self.instance, *args)
        if status not in (OK, WARNING):
            raise Fault(f"fmi{self.version[0]}{function}", status)
        return status

    def log(self, status: int, text: bytes | None) -> None:
        if status != OK and len(self.messages) < MOST_MESSAGES:
            self.messages.append((text or b"")[:LONGEST].decode("utf-8", "replace"))

    # ---- values: groups of (type, references, number of values or the values) ---------------------------------------
    def set(self, groups: list) -> None:
        for kind, references, values in groups:
            name, c_type = self.types[kind]
            given = [v.encode() for v in values] if kind == "String" else values
            self._values(f"Set{name}", references, (c_type * len(values))(*given))

    def get(self, groups: list) -> list[list]:
        out = []
        for kind, references, count in groups:
            name, c_type = self.types[kind]
            values = (c_type * count)()
            self._values(f"Get{name}", references, values)
            out.append([float(v) for v in values])
        return out

    def _values(self, function: str, references: list[int], values: Any) -> None:
        given = (c_uint * len(references))(*references)
        counts = (c_size_t(len(values)),) if self.version == "3.0" else ()
        self.call(function, given, c_size_t(len(references)), values, *counts)

    # ---- states -----------------------------------------------------------------------------------------------------
    def keep(self, number: int) -> None:
        state = c_void_p()
        self.call(f"GetFMU{self.state_word}", byref(state))
        self.states[number] = state

    def restore(self, number: int) -> None:
        self.call(f"SetFMU{self.state_word}", self.states[number])

    def drop(self, number: int) -> None:
        self.call(f"FreeFMU{self.state_word}", byref(self.states.pop(number)))

    state_word = "state"

    def end(self) -> None:
        """Ends the instance; what fails here is of no use to anyone."""
        for number in list(self.states):
            self.drop(number)
        self.call("Terminate")
        free = getattr(self.library, f"fmi{self.version[0]}FreeInstance")
        free.restype, free.argtypes = None, (c_void_p,)
        free(self.instance)


class Fmu2(Fmu):
    """FMI 2.0."""

    version = "2.0"

    def make(self, request: dict[str, Any]) -> None:
        logger = CFUNCTYPE(None, c_void_p, c_char_p, c_int, c_char_p, c_char_p)  # and what its text mentions

        class Callbacks(ctypes.Structure):
            _fields_ = [("logger", logger), ("allocate", c_void_p), ("free", c_void_p), ("finished", c_void_p),
                        ("environment", c_void_p)]  # fmt: skip

        c = ctypes.CDLL(None)
        address = lambda f: ctypes.cast(f, c_void_p)
        self._logger = logger(lambda environment, name, status, category, text: self.log(status, text))
        self._callbacks = Callbacks(self._logger, address(c.calloc), address(c.free), None, None)
        create = self.library.fmi2Instantiate
        create.restype = c_void_p
        create.argtypes = (c_char_p, c_int, c_char_p, c_char_p, POINTER(Callbacks), c_int, c_int)
        resources = request["resources_uri"].encode()
        token, name = request["token"].encode(), self.name.encode()
        self.instance = c_void_p(create(name, 1, token, resources, byref(self._callbacks), 0, 0))

    def enter(self, start: float, tolerance: float | None) -> None:
        given = tolerance is not None
        self.call("SetupExperiment", c_int(given), c_double(tolerance or 0.0), c_double(start), c_int(0), c_double(0.0))
        self.call("EnterInitializationMode")

    def lead(self, groups: list) -> None:
        for _, references, slopes in groups:
            n = len(references)
            orders = (c_int * n)(*[1] * n)
            given = (c_uint * n)(*references)
            self.call("SetRealInputDerivatives", given, c_size_t(n), orders, (c_double * n)(*slopes))

    def advance(self, t: float, h: float) -> None:
        try:
            self.call("DoStep", c_double(t), c_double(h), c_int(0))
        except Fault as fault:
            if fault.status == DISCARD:
                ended = c_int(0)
                code = self.library.fmi2GetBooleanStatus
                code.restype = c_int
                if code(self.instance, c_int(3), byref(ended)) == OK and ended.value:  # fmi2Terminated
                    raise Fault("terminates", DISCARD) from None
            raise


class Fmu3(Fmu):
    """FMI 3.0."""

    version = "3.0"
    state_word = "State"

    def make(self, request: dict[str, Any]) -> None:
        logger = CFUNCTYPE(None, c_void_p, c_int, c_char_p, c_char_p)
        self._logger = logger(lambda environment, status, category, text: self.log(status, text))
        create = self.library.fmi3InstantiateCoSimulation
        create.restype = c_void_p
        create.argtypes = (c_char_p, c_char_p, c_char_p, c_bool, c_bool, c_bool, c_bool, c_void_p, c_size_t, c_void_p,
                           logger, c_void_p)  # fmt: skip
        resources = request["resources"].encode()
        token, name = request["token"].encode(), self.name.encode()
        self.instance = c_void_p(
            create(name, token, resources, False, False, False, False, None, 0, None, self._logger, None)
        )

    def enter(self, start: float, tolerance: float | None) -> None:
        given = tolerance is not None
        self.call(
            "EnterInitializationMode",
            c_bool(given), c_double(tolerance or 0.0), c_double(start), c_bool(False), c_double(0.0),
        )  # fmt: skip

    def advance(self, t: float, h: float) -> None:
        event, ended, early, last = c_bool(), c_bool(), c_bool(), c_double()
        self.call(
            "DoStep", c_double(t), c_double(h), c_bool(False), byref(event), byref(ended), byref(early), byref(last)
        )
        if ended.value:
            raise Fault("terminates", DISCARD)


def answer(fmu: Fmu, request: dict[str, Any]) -> Any:
    """What one request yields; steps and rows of values are one request, as each costs some 20 microseconds."""
    do = request["do"]
    for name, number in request.get("before", ()):  # states: "keep", "restore", "drop"
        getattr(fmu, name)(number)
    if do == "step":
        fmu.set(request["set"])
        if request["lead"]:
            fmu.lead(request["lead"])
        fmu.advance(request["t"], request["h"])
        return fmu.get(request["get"])
    if do == "values":
        fmu.set(request["set"])
        return fmu.get(request["get"])
    if do == "enter":
        fmu.set(request["set"])
        fmu.enter(request["start"], request["tolerance"])
        return None
    return getattr(fmu, do)()


def main(read: int, write: int) -> None:
    """Answer requests until there are no more."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    source, sink = os.fdopen(read, "rb"), os.fdopen(write, "wb")
    fmu: Fmu | None = None
    while head := source.read(4):
        request = json.loads(source.read(struct.unpack("<I", head)[0]))
        reply: dict[str, Any] = {}
        try:
            if request["do"] == "make":
                fmu = (Fmu2 if request["version"] == "2.0" else Fmu3)(request)
            else:
                assert fmu is not None
                reply["value"] = answer(fmu, request)
        except Fault as fault:
            reply["fault"] = [fault.function, STATUS[fault.status] if 0 <= fault.status < 6 else str(fault.status)]
        except (OSError, AttributeError) as error:  # a library or a function that there is not
            reply["fault"] = [str(error), "error"]
        if fmu is not None and fmu.messages:
            reply["messages"], fmu.messages = fmu.messages, []
        data = json.dumps(reply).encode()
        sink.write(struct.pack("<I", len(data)) + data)
        sink.flush()
        if request["do"] == "end":
            break


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
