"""The process in which the binary of one FMU runs: a script of the standard library alone, started by `process`.

It reads requests and writes answers as JSON with a length of four bytes before it, through two pipes of its own; what
the FMU prints goes nowhere.  It ends when its owner does.
"""

from __future__ import annotations

import ctypes
import json
import math
import os
import re
import resource
import struct
import sys
from collections.abc import Sequence
from ctypes import CFUNCTYPE, POINTER, byref, c_bool, c_char_p, c_double, c_int, c_size_t, c_uint, c_void_p
from typing import Any

OK, WARNING, DISCARD, ERROR, FATAL, PENDING = range(6)
STATUS = ("ok", "warning", "discard", "error", "fatal error", "pending")
MOST_MESSAGES = 200  # of one request
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
    | {
        name: (name, getattr(ctypes, f"c_{name.lower()}"))
        for name in ("Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64")
    },
}


#: what the callback for messages of FMI 2.0 takes behind the text, as C passes it on Linux: integers and addresses in
#: registers, further ones on the stack; real numbers in registers of their own
WHOLE_ARGUMENTS, REAL_ARGUMENTS = 12, 8
VARIADIC = os.uname().machine in ("x86_64", "aarch64") and sys.platform.startswith("linux")
FORMAT = re.compile(rb"%([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+))?(hh|h|ll|l|j|z|t|L)?([a-zA-Z%])")
BITS = {b"hh": 8, b"h": 16, b"": 32}  # of integers, else 64


def printed(text: bytes | None, given: Sequence[Any]) -> bytes:
    """A text with the arguments that it mentions (``printf`` of C)."""
    if not text or b"%" not in text or not VARIADIC:
        return text or b""
    whole, real = iter(given[:WHOLE_ARGUMENTS]), iter(given[WHOLE_ARGUMENTS:])

    def one(found: re.Match[bytes]) -> bytes:
        flags, width, exact, length, kind = (part or b"" for part in found.groups())
        if kind == b"%":
            return b"%"
        if length == b"L":  # numbers of 16 bytes are on the stack
            raise StopIteration
        sizes = [
            str(ctypes.c_int((next(whole) or 0) & 0xFFFFFFFF).value).encode() if w == b"*" else w
            for w in (width, exact)
        ]
        form = "%" + (flags + sizes[0] + (b"." + sizes[1] if sizes[1] else b"")).decode()
        if kind in b"eEfFgGaA":
            return (form + kind.decode().replace("a", "g").replace("A", "G")).encode() % next(real)
        value = next(whole) or 0
        if kind == b"s":
            return (form + "s").encode() % string(value)
        if kind == b"c":
            return bytes([value & 0xFF])
        if kind == b"p":
            return b"%#x" % value
        bits = BITS.get(length, 64)
        value &= (1 << bits) - 1
        if kind in b"di" and value >> (bits - 1):
            value -= 1 << bits
        return (form + {"i": "d", "u": "d"}.get(kind.decode(), kind.decode())).encode() % value

    try:
        return FORMAT.sub(one, text)
    except (StopIteration, ValueError, TypeError):  # a format that is not known here: the text as it is
        return text


def string(address: int) -> bytes:
    """The text at an address."""
    return ctypes.c_char_p(address).value or b"" if address else b"(null)"


class Fault(Exception):
    """An FMU has not done what was requested.  ``status``: what it returned; ``messages``: of one that is not there."""

    def __init__(self, function: str, status: int, messages: Sequence[tuple[str, str, str]] = ()) -> None:
        super().__init__(function)
        self.function, self.status, self.messages = function, status, list(messages)


class Fmu:
    """Functions of a library, and its one instance."""

    version = ""

    def __init__(self, request: dict[str, Any]) -> None:
        self.library = ctypes.CDLL(request["library"])
        self.name = request["name"]
        self.types = C_TYPES[self.version]
        self.messages: list[tuple[str, str, str]] = []  # status, category, text
        self.log_on = bool(request["log"])
        self.states: dict[int, c_void_p] = {}
        self.instance: Any = None
        self.make(request)
        if not self.instance:
            raise Fault("instantiation", ERROR, self.messages)
        if request["log"] and request["log"] != ["all"]:  # instantiation has switched all of them on
            self.choose_log(request["log"])

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

    def choose_log(self, categories: list[str]) -> None:
        """These categories of the log alone."""
        flag = c_int if self.version == "2.0" else c_bool
        self.call("SetDebugLogging", flag(False), c_size_t(0), None)
        names = (c_char_p * len(categories))(*(name.encode() for name in categories))
        self.call("SetDebugLogging", flag(True), c_size_t(len(categories)), names)

    def log(self, status: int, category: bytes | None, text: bytes | None) -> None:
        if (status != OK or self.log_on) and len(self.messages) < MOST_MESSAGES:
            self.messages.append(
                (
                    STATUS[status] if 0 <= status < len(STATUS) else str(status),
                    (category or b"").decode("utf-8", "replace"),
                    (text or b"")[:LONGEST].decode("utf-8", "replace").strip(),
                )
            )

    # ---- values: groups of (type, references, number of values or the values) ---------------------------------------
    def set(self, groups: list) -> None:
        self.set_plainly(groups)

    def set_plainly(self, groups: list) -> None:
        """Set values without an event."""
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
    fmu_type = 1  # fmi2CoSimulation

    def make(self, request: dict[str, Any]) -> None:
        logger = CFUNCTYPE(
            None,
            c_void_p,
            c_char_p,
            c_int,
            c_char_p,
            c_char_p,
            *[c_void_p] * WHOLE_ARGUMENTS,
            *[c_double] * REAL_ARGUMENTS,
        )

        class Callbacks(ctypes.Structure):
            _fields_ = [
                ("logger", logger),
                ("allocate", c_void_p),
                ("free", c_void_p),
                ("finished", c_void_p),
                ("environment", c_void_p),
            ]

        c = ctypes.CDLL(None)
        address = lambda f: ctypes.cast(f, c_void_p)
        self._logger = logger(
            lambda environment, name, status, category, text, *given: self.log(status, category, printed(text, given))
        )
        self._callbacks = Callbacks(self._logger, address(c.calloc), address(c.free), None, None)
        create = self.library.fmi2Instantiate
        create.restype = c_void_p
        create.argtypes = (c_char_p, c_int, c_char_p, c_char_p, POINTER(Callbacks), c_int, c_int)
        resources = request["resources_uri"].encode()
        token, name = request["token"].encode(), self.name.encode()
        self.instance = c_void_p(
            create(name, self.fmu_type, token, resources, byref(self._callbacks), 0, int(self.log_on))
        )

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
        self._logger = logger(lambda environment, status, category, text: self.log(status, category, text))
        create = self.library.fmi3InstantiateCoSimulation
        create.restype = c_void_p
        create.argtypes = (c_char_p, c_char_p, c_char_p, c_bool, c_bool, c_bool, c_bool, c_void_p, c_size_t, c_void_p,
                           logger, c_void_p)  # fmt: skip
        resources = request["resources"].encode()
        token, name = request["token"].encode(), self.name.encode()
        self.instance = c_void_p(
            create(name, token, resources, False, self.log_on, False, False, None, 0, None, self._logger, None)
        )

    def enter(self, start: float, tolerance: float | None) -> None:
        given = tolerance is not None
        self.call(
            "EnterInitializationMode",
            c_bool(given),
            c_double(tolerance or 0.0),
            c_double(start),
            c_bool(False),
            c_double(0.0),
        )

    def advance(self, t: float, h: float) -> None:
        event, ended, early, last = c_bool(), c_bool(), c_bool(), c_double()
        self.call(
            "DoStep", c_double(t), c_double(h), c_bool(False), byref(event), byref(ended), byref(early), byref(last)
        )
        if ended.value:
            raise Fault("terminates", DISCARD)


#: DOPRI5 as `integrators.dopri5` has it (a test holds them equal; this process imports nothing): times, weights of
#: the stages, difference to the fourth order (Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, table
#: II.5.2)
TIMES = (0.2, 0.3, 0.8, 8 / 9, 1.0, 1.0)
STAGES = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
ESTIMATE = (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)
RELATIVE = 1e-8  # error of a step, as a share of each state
NEAR = 1e-13  # events are located to this share of the time
MOST_EVENTS = 1000  # of one communication step
#: of `Exchange.evaluate`: what is given and wanted
WITH_INPUTS, RATES, OUTPUTS, LEVELS = 1, 2, 4, 8


class Exchange(Fmu):
    """An FMU for model exchange, integrated here: Dormand and Prince with error control; events are located where an
    indicator changes its sign, and at the times that the FMU names.  Inputs vary linearly over a communication step.
    """

    def __init__(self, request: dict[str, Any]) -> None:
        self.nx, self.nz = request["states"], request["indicators"]
        self.t, self.h, self.next, self.relative = 0.0, 0.0, math.inf, RELATIVE
        self.running = False  # in continuous time
        self.given: list = []  # groups of real inputs
        self.ramps: list[tuple[list[int], list[float], list[float]]] = []  # references, values at ``since``, slopes
        self.since = 0.0
        self.saved: dict[int, tuple] = {}
        super().__init__(request)

    def enter(self, start: float, tolerance: float | None) -> None:
        super().enter(start, tolerance)
        self.t, self.relative = start, min(tolerance or RELATIVE, RELATIVE)

    def leave(self) -> None:
        super().leave()
        self.sizes()
        self.iterate()
        self.go_on()

    def sizes(self) -> None:
        """Numbers of states and indicators, where the FMU itself gives them."""

    def update(self) -> tuple[bool, bool, float]:
        """One event iteration: whether another is needed, whether the run ends, time of the next event or inf."""
        raise NotImplementedError

    rates_word = "ContinuousStateDerivatives"

    # ---- modes ------------------------------------------------------------------------------------------------------
    def iterate(self) -> None:
        """Event iterations until nothing changes any more."""
        for _ in range(100):
            again, ended, self.next = self.update()
            if ended:
                raise Fault("terminates", DISCARD)
            if not again:
                return
        raise Fault("stalls", ERROR)

    def go_on(self) -> None:
        """Into continuous time, from the states that there are now."""
        self.call("EnterContinuousTimeMode")
        self.running = True
        self.x = self.vector("GetContinuousStates", self.nx)
        self.nominal = [abs(v) or 1.0 for v in self.vector("GetNominalsOfContinuousStates", self.nx)]
        self.positive = [z > 0.0 for z in self.vector("GetEventIndicators", self.nz)]
        self.rates: list[float] | None = None
        self.h = 0.0

    def event(self, groups: Sequence[Any] = ()) -> None:
        """An event at the present time; ``groups``: inputs that change there."""
        self.call("EnterEventMode")
        self.running = False
        if groups:
            super().set(list(groups))
        self.iterate()
        self.go_on()

    # ---- values -----------------------------------------------------------------------------------------------------
    def set(self, groups: list) -> None:
        """Real inputs change in continuous time, others in an event."""
        self.ramps, self.since = [], self.t
        if not self.running:
            super().set(groups)
            return
        self.given = [g for g in groups if g[0] == "Float64"]
        super().set([g for g in groups if g[0].startswith("Float")])
        self.rates = None
        others = [g for g in groups if not g[0].startswith("Float")]
        if others or self.crossed():
            self.event(others)

    def lead(self, groups: list) -> None:
        self.ramps = [
            (references, values, slopes)
            for (_, references, values), (_, _, slopes) in zip(self.given, groups)
            if any(slopes)
        ]

    def vector(self, function: str, size: int) -> list[float]:
        values = (c_double * size)()
        if size:
            self.call(function, values, c_size_t(size))
        return list(values)

    def put(self, t: float, x: list[float]) -> None:
        """Time, states and inputs there."""
        self.call("SetTime", c_double(t))
        if x:
            self.call("SetContinuousStates", (c_double * self.nx)(*x), c_size_t(self.nx))
        for references, values, slopes in self.ramps:
            there = [v + s * (t - self.since) for v, s in zip(values, slopes)]
            self._values(
                "SetReal" if self.version == "2.0" else "SetFloat64", references, (c_double * len(there))(*there)
            )

    def slopes(self, t: float, x: list[float]) -> list[float]:
        self.put(t, x)
        return self.vector(f"Get{self.rates_word}", self.nx)

    def crossed(self) -> list[int]:
        """Indicators whose sign is no longer that of the last event."""
        self.levels = self.vector("GetEventIndicators", self.nz)
        return [k for k, z in enumerate(self.levels) if (z > 0.0) != self.positive[k]]

    # ---- for an integrator elsewhere --------------------------------------------------------------------------------
    def wire(self, inputs: list, outputs: list) -> list[int]:
        """Groups of real inputs and of outputs that `evaluate` exchanges; numbers of states and indicators."""
        self.wired = [
            (*self.types[kind], (c_uint * len(references))(*references), len(references), count)
            for kind, references, count in inputs
        ]
        self.asked = outputs
        self.at = (c_double * max(self.nx, 1))()
        return [self.nx, self.nz]

    def evaluate(self, data: bytes) -> bytes:
        """Time, states, with `WITH_INPUTS` inputs, all of them doubles, behind eight bytes of which the second has the
        flags; what is wanted: rates, outputs, indicators."""
        flags = data[1]
        self.there(data, flags)
        out: list[float] = []
        if flags & RATES:
            out += self.vector(f"Get{self.rates_word}", self.nx)
        if flags & OUTPUTS:
            for group in self.get(self.asked):
                out += group
        if flags & LEVELS:
            out += self.vector("GetEventIndicators", self.nz)
        return b"\x01" + struct.pack(f"<{len(out)}d", *out)

    def there(self, data: bytes, flags: int) -> None:
        """Time, states and inputs as `evaluate` has them."""
        self.call("SetTime", c_double(struct.unpack_from("<d", data, 8)[0]))
        n = 16 + 8 * self.nx
        if self.nx:
            ctypes.memmove(self.at, data[16:n], 8 * self.nx)
            self.call("SetContinuousStates", self.at, c_size_t(self.nx))
        if flags & WITH_INPUTS:
            for name, c_type, references, length, count in self.wired:
                values = (c_type * count)(*struct.unpack_from(f"<{count}d", data, n))
                n += 8 * count
                counts = (c_size_t(count),) if self.version == "3.0" else ()
                self.call(f"Set{name}", references, c_size_t(length), values, *counts)

    def at_event(self, t: float, states: list[float], groups: list) -> list:
        """Event iterations at a time, states and inputs: states and time of the next event after them, indicators."""
        self.put(t, states)
        super().set(groups)
        self.t = t
        self.event()
        return self.now()

    def now(self) -> list:
        """States, time of the next event (None: none is known), indicators."""
        return [self.x, None if math.isinf(self.next) else self.next, self.vector("GetEventIndicators", self.nz)]

    def complete(self, t: float, states: list[float], groups: list) -> bool:
        """A step has been completed there; whether an event is requested."""
        self.put(t, states)
        super().set(groups)
        asked, ended = self.completed()
        if ended:
            raise Fault("terminates", DISCARD)
        return asked

    # ---- steps ------------------------------------------------------------------------------------------------------
    def advance(self, t: float, h: float) -> None:
        end, events = t + h, 0
        while True:
            goal = min(end, self.next)
            if self.step(goal) or self.t >= self.next - NEAR * abs(self.next):
                events += 1
                if events > MOST_EVENTS:
                    raise Fault("stalls", ERROR)
                self.event()
            if self.t >= end:
                return

    def trial(self, h: float) -> tuple[list[float], float]:
        """The states after a step of h, which are put into the FMU, and the error as a share of the allowed one."""
        x, n = self.x, range(self.nx)
        if not x:
            self.put(self.t + h, x)
            return x, 0.0
        if self.rates is None:
            self.rates = self.slopes(self.t, x)
        k, there = [self.rates], x
        for c, row in zip(TIMES, STAGES):
            there = [x[i] + h * sum(a * k[j][i] for j, a in enumerate(row)) for i in n]
            k.append(self.slopes(self.t + c * h, there))
        self.last = k[-1]
        total = 0.0
        for i in n:
            allowed = self.relative * (self.nominal[i] + max(abs(x[i]), abs(there[i])))
            total += (h * sum(e * k[j][i] for j, e in enumerate(ESTIMATE)) / allowed) ** 2
        return there, math.sqrt(total / self.nx)

    def step(self, goal: float) -> bool:
        """One step, at most to ``goal``; whether an event is at its end."""
        left = goal - self.t
        if left <= 0.0:
            return False
        h = min(self.h or self.first(left), left)
        while True:
            x, error = self.trial(h)
            if error <= 1.0:
                break
            h *= max(0.2, 0.9 * error**-0.2) if math.isfinite(error) else 0.1
            if h <= 1e-14 * max(abs(self.t), abs(goal)):
                raise Fault("stalls", ERROR)
        self.h = h * min(5.0, 0.9 * error**-0.2 if error > 0.0 else 5.0)
        found = self.crossed()
        if found:
            h, x = self.locate(h, x, found)
        self.t = goal if h == left else self.t + h
        self.x, self.rates = x, self.last if x else None
        asked, ended = self.completed()
        if ended:
            raise Fault("terminates", DISCARD)
        return bool(found or asked)

    def completed(self) -> tuple[bool, bool]:
        """The step is done: whether the FMU requests an event, whether it ends the run."""
        kind = c_int if self.version == "2.0" else c_bool
        asked, ended = kind(0), kind(0)
        self.call("CompletedIntegratorStep", kind(0), byref(asked), byref(ended))
        return bool(asked.value), bool(ended.value)

    def first(self, left: float) -> float:
        """Size of a first step (Hairer, Norsett, Wanner, sec. II.4)."""
        if not self.x:
            return left
        if self.rates is None:
            self.rates = self.slopes(self.t, self.x)
        scale = [n + abs(v) for n, v in zip(self.nominal, self.x)]
        size = max(abs(v) / s for v, s in zip(self.x, scale))
        speed = max(abs(v) / s for v, s in zip(self.rates, scale))
        return 0.01 * max(size, 0.1) / speed if speed > 0.0 else left

    def locate(self, h: float, x: list[float], found: list[int]) -> tuple[float, list[float]]:
        """The shortest step, to `NEAR`, at whose end an indicator has changed its sign, and its states (Illinois form
        of the regula falsi)."""
        low, high = 0.0, h
        below: dict[int, float] = {}  # weights of the levels at ``low``
        at = self.levels
        self.put(self.t, self.x)
        before, tries = self.vector("GetEventIndicators", self.nz), 0
        while high - low > NEAR * max(abs(self.t), h):
            guesses = []
            for k in found:
                a, b = before[k] * below.get(k, 1.0), at[k]
                guesses.append(low + (high - low) * (a / (a - b)) if a != b else high)
            guess = min(guesses)
            margin = 0.25 * NEAR * max(abs(self.t), h)
            middle = min(max(guess, low + margin), high - margin)
            if not math.isfinite(middle) or tries > 40:
                middle = 0.5 * (low + high)
            there, _ = self.trial(middle)
            now = self.crossed()
            tries += 1
            if now:
                high, x, at, found = middle, there, self.levels, now
                below = {k: 0.5 * below.get(k, 1.0) for k in now}  # the other end would stay for ever
            else:
                low, before, below = middle, self.levels, {}
        self.trial(high)
        self.crossed()
        return high, x

    # ---- states -----------------------------------------------------------------------------------------------------
    def keep(self, number: int) -> None:
        super().keep(number)
        self.saved[number] = self.t, self.x, self.h, self.next, self.nominal, self.positive, self.rates

    def restore(self, number: int) -> None:
        super().restore(number)
        self.t, self.x, self.h, self.next, self.nominal, self.positive, self.rates = self.saved[number]

    def drop(self, number: int) -> None:
        super().drop(number)
        self.saved.pop(number, None)


class EventInfo2(ctypes.Structure):
    """``fmi2EventInfo``: what an event iteration has found."""

    _fields_ = [
        ("again", c_int),
        ("ended", c_int),
        ("nominals", c_int),
        ("values", c_int),
        ("timed", c_int),
        ("next", c_double),
    ]


class Exchange2(Exchange, Fmu2):
    """Model exchange of FMI 2.0."""

    fmu_type = 0  # fmi2ModelExchange
    rates_word = "Derivatives"

    def update(self) -> tuple[bool, bool, float]:
        info = EventInfo2()
        self.call("NewDiscreteStates", byref(info))
        return bool(info.again), bool(info.ended), info.next if info.timed else math.inf


class Exchange3(Exchange, Fmu3):
    """Model exchange of FMI 3.0."""

    def make(self, request: dict[str, Any]) -> None:
        logger = CFUNCTYPE(None, c_void_p, c_int, c_char_p, c_char_p)
        self._logger = logger(lambda environment, status, category, text: self.log(status, category, text))
        create = self.library.fmi3InstantiateModelExchange
        create.restype = c_void_p
        create.argtypes = (c_char_p, c_char_p, c_char_p, c_bool, c_bool, c_void_p, logger)
        resources, token = request["resources"].encode(), request["token"].encode()
        self.instance = c_void_p(create(self.name.encode(), token, resources, False, self.log_on, None, self._logger))

    def sizes(self) -> None:
        numbers = []
        for what in ("ContinuousStates", "EventIndicators"):
            number = c_size_t()
            self.call(f"GetNumberOf{what}", byref(number))
            numbers.append(number.value)
        self.nx, self.nz = numbers

    def update(self) -> tuple[bool, bool, float]:
        flags, at = [c_bool() for _ in range(5)], c_double()  # again, ended, nominals, values, a next event
        self.call("UpdateDiscreteStates", *map(byref, flags), byref(at))
        return flags[0].value, flags[1].value, at.value if flags[4].value else math.inf


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
        if request["structure"]:
            fmu.call("EnterConfigurationMode")
            fmu.set_plainly(request["structure"])
            fmu.call("ExitConfigurationMode")
        fmu.set(request["set"])
        fmu.enter(request["start"], request["tolerance"])
        return None
    return getattr(fmu, do)(*request.get("args", ()))


def main(read: int, write: int) -> None:
    """Answer requests until there are no more."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    source, sink = os.fdopen(read, "rb"), os.fdopen(write, "wb")
    fmu: Fmu | None = None
    while head := source.read(4):
        body = source.read(struct.unpack("<I", head)[0])
        request: dict[str, Any] = json.loads(body) if body[:1] == b"{" else {"do": "evaluate"}
        reply: dict[str, Any] = {}
        data = b""
        try:
            if request["do"] == "evaluate":
                data = fmu.evaluate(body)  # type: ignore[union-attr]
            elif request["do"] == "make":
                of_version = {"2.0": (Fmu2, Exchange2), "3.0": (Fmu3, Exchange3)}[request["version"]]
                fmu = of_version[request["exchange"]](request)
            else:
                assert fmu is not None
                reply["value"] = answer(fmu, request)
        except Fault as fault:
            reply["fault"] = [fault.function, STATUS[fault.status] if 0 <= fault.status < 6 else str(fault.status)]
            if fault.messages:
                reply["messages"] = fault.messages
        except (OSError, AttributeError) as error:  # a library or a function that there is not
            reply["fault"] = [str(error), "error"]
        if fmu is not None and fmu.messages and not data:
            reply["messages"], fmu.messages = fmu.messages, []
        if not data:
            data = json.dumps(reply).encode()
        sink.write(struct.pack("<I", len(data)) + data)
        sink.flush()
        if request["do"] == "end":
            break


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
