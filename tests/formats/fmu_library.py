"""An FMU called through its C functions, as a foreign importer does it: ctypes and the standard alone."""

import ctypes
import xml.etree.ElementTree as ET
import zipfile
from ctypes import byref, c_char_p, c_double, c_int, c_size_t, c_uint32, c_void_p

import numpy as np

LOGGER_2 = ctypes.CFUNCTYPE(None, c_void_p, c_char_p, c_int, c_char_p, c_char_p, c_char_p)


class Callbacks(ctypes.Structure):
    _fields_ = [("logger", LOGGER_2)] + [(n, c_void_p) for n in ("allocate", "release", "finished", "environment")]


class Fmu2:
    """A co-simulation FMU of FMI 2.0, unpacked to ``folder``; `messages` is what it has logged."""

    prefix, state, of_rates, flag = "fmi2", "FMUstate", "GetDerivatives", c_int

    exchange = False

    def __init__(self, path, folder, exchange=False):
        self.exchange = exchange
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
        self.folder, self.messages = folder, []
        root = ET.parse(folder / "modelDescription.xml").getroot()
        self.read(root)
        self.library = ctypes.CDLL(str(next((folder / "binaries").rglob("*.so"))))
        self.instance = self.open()

    def read(self, root):
        self.token = root.get("guid")
        variables = root.find("ModelVariables")
        self.references = {v.get("name"): int(v.get("valueReference")) for v in variables}
        self.causality = {v.get("name"): v.get("causality") for v in variables}

    def call(self, name, *arguments, result=c_int):
        function = getattr(self.library, self.prefix + name)
        function.restype = result
        return function(*arguments)

    def ok(self, name, *arguments):
        status = self.call(name, self.instance, *arguments)
        assert status == 0, (name, status, self.messages)

    def open(self):
        self.callbacks = Callbacks(
            LOGGER_2(lambda who, name, status, kind, form, text: self.messages.append(text.decode()))
        )
        where = (self.folder / "resources").as_uri().encode()
        instance = self.call(
            "Instantiate",
            b"one",
            0 if self.exchange else 1,
            self.token.encode(),
            where,
            byref(self.callbacks),
            0,
            0,
            result=c_void_p,
        )
        return c_void_p(instance)

    def begin(self, start=0.0):
        self.ok("SetupExperiment", 0, c_double(0), c_double(start), 0, c_double(0))
        self.ok("EnterInitializationMode")
        self.ok("ExitInitializationMode")

    def call_step(self, t, h):
        """Status of a step."""
        return self.call("DoStep", self.instance, c_double(t), c_double(h), 1)

    def terminated(self):
        out = c_int()
        self.ok("GetBooleanStatus", 3, byref(out))
        return bool(out.value)

    def last_time(self):
        out = c_double()
        self.ok("GetRealStatus", 2, byref(out))
        return out.value

    def step(self, t, h):
        self.ok("DoStep", c_double(t), c_double(h), 1)

    def _references(self, names):
        return (c_uint32 * len(names))(*(self.references[n] for n in names))

    def get(self, *names):
        values = (c_double * len(names))()
        self.ok("GetReal", self._references(names), c_size_t(len(names)), values)
        return list(values)

    def set(self, **values):
        numbers = (c_double * len(values))(*values.values())
        self.ok("SetReal", self._references(list(values)), c_size_t(len(values)), numbers)

    def rates(self, t, x):
        """Rates of the continuous states x at time t."""
        self.ok("SetTime", c_double(t))
        self.ok("SetContinuousStates", (c_double * len(x))(*x), c_size_t(len(x)))
        out = (c_double * len(x))()
        self.ok(self.of_rates, out, c_size_t(len(x)))
        return list(out)

    def states(self, n):
        out = (c_double * n)()
        self.ok("GetContinuousStates", out, c_size_t(n))
        return list(out)

    def indicators(self, n):
        out = (c_double * n)()
        self.ok("GetEventIndicators", out, c_size_t(n))
        return list(out)

    def accept(self):
        flags = [self.flag(), self.flag()]
        self.ok("CompletedIntegratorStep", self.flag(1), *map(byref, flags))

    def derivative(self, unknown, known, seed=1.0):
        """Directional derivative of one variable along another, or along several (with a seed each)."""
        out, known = c_double(), [known] if isinstance(known, str) else known
        seeds = (c_double * len(known))(*np.broadcast_to(seed, len(known)))
        one, many = c_size_t(1), c_size_t(len(known))
        given = self._references([unknown]), one, self._references(known), many, seeds
        more = (many, byref(out), one) if self.prefix == "fmi3" else (byref(out),)
        self.ok("GetDirectionalDerivative", *given, *more)
        return out.value

    def adjoint(self, unknown, known, weights=1.0):
        """Derivatives of one variable, or of the sum of several with weights, along others, at once."""
        unknown = [unknown] if isinstance(unknown, str) else unknown
        out, seeds = (c_double * len(known))(), (c_double * len(unknown))(*np.broadcast_to(weights, len(unknown)))
        few, many = c_size_t(len(unknown)), c_size_t(len(known))
        given = self._references(unknown), few, self._references(known), many
        self.ok("GetAdjointDerivative", *given, seeds, few, out, many)
        return list(out)

    def keep(self):
        state = c_void_p()
        self.ok(f"Get{self.state}", byref(state))
        return state

    def restore(self, state):
        self.ok(f"Set{self.state}", state)

    def bytes_of(self, state):
        size = c_size_t()
        self.ok(f"Serialized{self.state}Size", state, byref(size))
        out = ctypes.create_string_buffer(size.value)
        self.ok(f"Serialize{self.state}", state, out, size)
        return out.raw

    def from_bytes(self, data):
        state = c_void_p()
        self.ok(
            f"{'DeSerialize' if self.prefix == 'fmi2' else 'Deserialize'}{self.state}",
            data,
            c_size_t(len(data)),
            byref(state),
        )
        return state

    def free(self, state):
        self.ok(f"Free{self.state}", byref(state))

    def close(self):
        self.call("FreeInstance", self.instance, result=None)


LOGGER_3 = ctypes.CFUNCTYPE(None, c_void_p, c_int, c_char_p, c_char_p)


class Fmu3(Fmu2):
    """The same of FMI 3.0."""

    prefix, state, of_rates, flag = "fmi3", "FMUState", "GetContinuousStateDerivatives", ctypes.c_bool
    early = False

    def __init__(self, path, folder, exchange=False, early=False):
        self.early = early
        super().__init__(path, folder, exchange)

    def read(self, root):
        self.token = root.get("instantiationToken")
        variables = root.find("ModelVariables")
        self.references = {v.get("name"): int(v.get("valueReference")) for v in variables}
        self.causality = {v.get("name"): v.get("causality") for v in variables}

    def open(self):
        self.callbacks = LOGGER_3(lambda who, status, kind, text: self.messages.append(text.decode()))
        where = f"{self.folder / 'resources'}/".encode()
        given = (
            b"one",
            self.token.encode(),
            where,
            False,
            False,
            False,
            self.early,
            None,
            c_size_t(0),
            None,
            self.callbacks,
            None,
        )
        if self.exchange:
            few = given[:5] + (None, self.callbacks)
            return c_void_p(self.call("InstantiateModelExchange", *few, result=c_void_p))
        return c_void_p(self.call("InstantiateCoSimulation", *given, result=c_void_p))

    def begin(self, start=0.0):
        flag = ctypes.c_bool(False)
        self.ok("EnterInitializationMode", flag, c_double(0), c_double(start), flag, c_double(0))
        self.ok("ExitInitializationMode")

    def _do_step(self, t, h):
        flags, last = [ctypes.c_bool() for _ in range(3)], c_double()
        given = c_double(t), c_double(h), ctypes.c_bool(True), *map(byref, flags), byref(last)
        return self.call("DoStep", self.instance, *given), last.value, *(f.value for f in flags)

    def call_step(self, t, h):
        return self._do_step(t, h)[0]

    def step_on(self, t, h):
        """Time reached, whether the step has ended early, whether the simulation has."""
        status, last, _, terminate, early = self._do_step(t, h)
        assert status == 0, self.messages
        return last, early, terminate

    def step(self, t, h):
        flags = [ctypes.c_bool() for _ in range(3)]
        last = c_double()
        self.ok("DoStep", c_double(t), c_double(h), ctypes.c_bool(True), *map(byref, flags), byref(last))
        assert last.value == t + h and not any(f.value for f in flags)

    def get(self, *names):
        values = (c_double * len(names))()
        self.ok("GetFloat64", self._references(names), c_size_t(len(names)), values, c_size_t(len(names)))
        return list(values)

    def set(self, **values):
        n = c_size_t(len(values))
        self.ok("SetFloat64", self._references(list(values)), n, (c_double * len(values))(*values.values()), n)
