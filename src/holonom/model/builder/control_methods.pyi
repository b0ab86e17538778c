"""Builder methods that registers put into `model.control`.  Written by tools/stubs.py: do not edit."""

from __future__ import annotations

from typing import Any

from holonom.model.control import ControlBlock

class ControlMethods:
    """Methods of types of blocks."""

    def ac_motor(
        self,
        name: str,
        joint: Any,
        voltage_d: Any = 0.0,
        voltage_q: Any = None,
        *,
        resistance: float,
        inductance_d: float,
        inductance_q: float | None = None,
        flux: float,
        pole_pairs: int,
    ) -> ControlBlock:
        """Permanent-magnet synchronous motor that turns a revolute or cylindrical ``joint``, in axes d and q
        of its rotor; outputs ``name.torque``, ``name.current_d``, ``name.current_q``."""

    def compare(
        self, name: str, a: Any = None, relation: str = ">", b: Any = None, *, sample_time: Any = None
    ) -> ControlBlock:
        """1 where ``a`` and ``b`` (of equal units) are in the relation ">", ">=", "<" or "<=", else 0. Raises
        `ModelError` for another relation."""

    def dc_motor(
        self,
        name: str,
        joint: Any,
        voltage: Any = None,
        *,
        resistance: float,
        inductance: float = 0.0,
        torque_constant: float,
        back_emf: float | None = None,
        initial: float = 0.0,
    ) -> ControlBlock:
        """DC motor that turns a revolute or cylindrical ``joint`` (torque on I, about z of J): L i' =
        ``voltage`` - R i - ke w, torque kt i; outputs ``name.torque``, ``name.current``."""

    def dead_time(self, name: str, u: Any = None, *, delay: float, before: float = 0.0, pade: int = 0) -> ControlBlock:
        """y(t) = u(t - delay), ``before`` (units of u) until then; ``delay`` in units of time."""

    def dead_zone(
        self, name: str, u: Any = None, *, lower: float, upper: float, sample_time: Any = None
    ) -> ControlBlock:
        """y = u - upper above, u - lower below, 0 between (units of u). Raises `ModelError` for limits in the
        wrong order."""

    def derivative(
        self,
        name: str,
        u: Any = None,
        *,
        filter: float,
        gain: float = 1.0,
        sample_time: Any = None,
        method: Any = "tustin",
    ) -> Any:
        """Filtered derivative y/u = gain s/(filter s + 1), ``filter`` in units of time. Raises `ModelError`
        for a filter that is not positive."""

    def distance_sensor(
        self,
        name: str,
        i: Any,
        j: Any,
        *,
        noise: float = 0.0,
        bias: float = 0.0,
        lower: float | None = None,
        upper: float | None = None,
        resolution: float = 0.0,
        sample_time: Any = None,
    ) -> ControlBlock:
        """Distance of two markers (length) with noise, bias, range and resolution as of `sensor`. Raises
        `ModelError` for markers that do not exist."""

    def encoder(
        self,
        name: str,
        joint: Any = None,
        *,
        counts: float,
        angle: Any = None,
        noise: float = 0.0,
        sample_time: Any = None,
    ) -> Any:
        """Angle of a revolute or cylindrical ``joint`` over whole turns, or an expression ``angle`` (rad), in
        steps of 2 pi/``counts``, to the nearest; ``noise``: standard deviation before rounding, rad."""

    def force_sensor(
        self,
        name: str,
        element: Any,
        component: str = "x",
        *,
        marker: Any = None,
        noise: float = 0.0,
        bias: float = 0.0,
        lower: float | None = None,
        upper: float | None = None,
        resolution: float = 0.0,
        sample_time: Any = None,
    ) -> ControlBlock:
        """Force or torque of a joint or force on its I marker: ``component`` "x", "y", "z", "mx", "my", "mz",
        or "m" and "mm" for the sizes (units of force, and force times length), along the axes of ``marker``
        (ground by default)."""

    def function(self, name: str, u: Any = None, *, sample_time: Any = None) -> ControlBlock:
        """y = an expression of names, measures and TIME. Raises `ModelError` for a text that is not an
        expression."""

    def fuzzy(
        self,
        name: str,
        *inputs: Any,
        sets: Any,
        rules: Any,
        output: Any = None,
        range: Any = None,
        conjunction: str = "min",
        sample_time: Any = None,
    ) -> ControlBlock:
        """Fuzzy controller of the inputs ``u1``, ``u2``, ..."""

    def gain(self, name: str, u: Any = None, *, gain: float, sample_time: Any = None) -> ControlBlock:
        """y = gain u. ``u``: number, expression or name of a block; ``sample_time``: period or `SampleTime`
        of a sampled block, whose output is held. Raises `ModelError` for a gain that is not a number."""

    def gearbox(
        self,
        name: str,
        drive: Any,
        output: Any,
        *,
        ratio: float,
        stiffness: float,
        damping: float = 0.0,
        backlash: float = 0.0,
        coulomb: float = 0.0,
        viscous: float = 0.0,
        slip: float = 0.01,
    ) -> ControlBlock:
        """Gearbox between two revolute or cylindrical joints of one housing: the ``output`` turns ``ratio``
        times slower than the ``drive`` (negative: the other way round); outputs ``name.torque``,
        ``name.friction``."""

    def imu(
        self,
        name: str,
        marker: Any,
        *,
        acceleration_noise: Any = 0.0,
        rate_noise: Any = 0.0,
        acceleration_bias: Any = 0.0,
        rate_bias: Any = 0.0,
        acceleration_walk: Any = 0.0,
        rate_walk: Any = 0.0,
        sample_time: Any,
    ) -> ControlBlock:
        """Inertial measurement unit at a marker, in its axes: specific force ``name.ax``, ``.ay``, ``.az``
        (acceleration without gravity, length / time^2) and angular velocity ``name.wx``, ``.wy``, ``.wz``
        (rad / time)."""

    def induction_motor(
        self,
        name: str,
        joint: Any,
        voltage: Any = None,
        frequency: Any = None,
        *,
        stator_resistance: float,
        rotor_resistance: float,
        magnetising: float,
        stator_leakage: float,
        rotor_leakage: float | None = None,
        pole_pairs: int,
    ) -> ControlBlock:
        """Induction motor with a squirrel cage that turns a revolute or cylindrical ``joint``, in axes that
        turn with its supply; outputs ``name.torque``, and the stator currents ``name.current_d``,
        ``name.current_q`` along the voltage and across it."""

    def integrator(
        self,
        name: str,
        u: Any = None,
        *,
        gain: float = 1.0,
        lower: float = ...,
        upper: float = ...,
        initial: float = 0.0,
        sample_time: Any = None,
        method: str = "forward",
    ) -> ControlBlock:
        """y' = gain u within limits: at a limit it stays until its input changes sign."""

    def lag(
        self,
        name: str,
        u: Any = None,
        *,
        gain: float = 1.0,
        time_constant: float,
        sample_time: Any = None,
        method: Any = "zoh",
    ) -> Any:
        """First-order lag y/u = gain/(time_constant s + 1) (time_constant in units of time).  Raises
        `ModelError` for a time constant that is not positive."""

    def latch(
        self, name: str, set: Any = None, reset: Any = None, *, initial: float = 0.0, sample_time: Any
    ) -> ControlBlock:
        """1 from a sample at which ``set`` is true (above 0.5) until one at which ``reset`` is, which has
        priority (no units). Raises `ModelError` for inputs that are not signals."""

    def lead_lag(
        self,
        name: str,
        u: Any = None,
        *,
        gain: float = 1.0,
        lead: float,
        lag: float,
        sample_time: Any = None,
        method: Any = "tustin",
    ) -> Any:
        """Lead-lag y/u = gain (lead s + 1)/(lag s + 1), time constants in units of time. Raises `ModelError`
        for a ``lag`` that is not positive."""

    def logic(self, name: str, *inputs: Any, gate: str = "and", sample_time: Any = None) -> ControlBlock:
        """1 or 0 by a ``gate`` of inputs ``u1``, ``u2``, ... that are true above 0.5 (no units): "and", "or",
        "xor", "not", "nand", "nor". Raises `ModelError` for another gate, and for "not" of several inputs."""

    def lookup(
        self,
        name: str,
        u: Any = None,
        v: Any = None,
        *,
        x: Any,
        y: Any,
        z: Any = (),
        cubic: bool = False,
        beyond: str = "hold",
        sample_time: Any = None,
    ) -> ControlBlock:
        """Table y(u), or y(u, v) with a row of ``y`` for each value of ``z``: linear, or a natural cubic over
        u."""

    def neural(
        self,
        name: str,
        *inputs: Any,
        layers: Any,
        offset: Any = 0.0,
        scale: Any = 1.0,
        lower: float | None = None,
        upper: float | None = None,
        outputs: Any = None,
        sample_time: Any = None,
    ) -> ControlBlock:
        """Dense neural network of the inputs ``u1``, ``u2``, ...; outputs ``name.y1``, ... (``name`` where
        there is one), or the texts of ``outputs``."""

    def notch(
        self,
        name: str,
        u: Any = None,
        *,
        frequency: float,
        depth: float = 0.0,
        width: float = 1.0,
        sample_time: Any = None,
        method: Any = "tustin",
    ) -> Any:
        """Notch filter y/u = (s^2 + depth width w s + w^2)/(s^2 + width w s + w^2) at w = ``frequency`` (rad
        per time)."""

    def pid(
        self,
        name: str,
        error: Any = None,
        *,
        reference: Any = None,
        measurement: Any = None,
        kp: float,
        ti: float | None = None,
        td: float = 0.0,
        ki: float | None = None,
        kd: float = 0.0,
        form: str = "parallel",
        filter: float | None = None,
        b: float = 1.0,
        c: float = 1.0,
        lower: float = ...,
        upper: float = ...,
        anti_windup: str | None = None,
        tracking: float | None = None,
        initial: Any = (),
        sample_time: Any = None,
        method: str = "backward",
    ) -> ControlBlock:
        """PID controller of an ``error``, or of ``reference`` and ``measurement`` with the set-point weights
        ``b`` (proportional) and ``c`` (derivative)."""

    def quantizer(
        self, name: str, u: Any = None, *, step: float, rounding: str = "nearest", sample_time: Any = None
    ) -> ControlBlock:
        """y = whole multiple of ``step`` (units of u): the nearest, or with ``rounding`` "down" the one
        towards zero."""

    def rate_limit(
        self,
        name: str,
        u: Any = None,
        *,
        rising: float,
        falling: float | None = None,
        lag: float | None = None,
        initial: float = 0.0,
        sample_time: Any = None,
    ) -> ControlBlock:
        """y follows u with at most ``rising`` and ``falling`` (units of u per time; equal by default)."""

    def relay(
        self,
        name: str,
        u: Any = None,
        *,
        on: float = 1.0,
        off: float = 0.0,
        above: float = 0.0,
        below: float | None = None,
        initial: float | None = None,
        sample_time: Any,
    ) -> ControlBlock:
        """Two-point switch with hysteresis: ``on`` from u = ``above``, ``off`` up to u = ``below`` (equal to
        ``above`` by default), unchanged between; u in its own units, ``initial``: output before the first
        sample (``off``)."""

    def saturation(
        self, name: str, u: Any = None, *, lower: Any = ..., upper: Any = ..., sample_time: Any = None
    ) -> ControlBlock:
        """y = u within ``lower`` and ``upper`` (units of u).  Raises `ModelError` for limits in the wrong
        order."""

    def select(
        self, name: str, condition: Any = None, yes: Any = None, no: Any = None, *, sample_time: Any = None
    ) -> ControlBlock:
        """``yes`` where ``condition`` is true (above 0.5), else ``no`` (units of these). Raises `ModelError`
        for inputs that are not signals."""

    def sensor(
        self,
        name: str,
        u: Any = None,
        *,
        gain: float = 1.0,
        bias: float = 0.0,
        noise: float = 0.0,
        walk: float = 0.0,
        lower: float | None = None,
        upper: float | None = None,
        resolution: float = 0.0,
        sample_time: Any = None,
    ) -> ControlBlock:
        """gain u + bias with ``noise`` (standard deviation of each sample, units of the output), a random
        ``walk`` of the bias (units of the output per root of time), a range and a ``resolution``, in this
        order."""

    def state_machine(self, name: str, transitions: Any, *, initial: int = 1, sample_time: Any) -> ControlBlock:
        """The number of the present state (a whole number, no units). ``transitions``: (state, condition,
        next state), the first one whose condition is true (above 0.5) at a sample; conditions are the ports
        ``u1``, ``u2``, ... A next state that no transition leaves is an end, in which the machine stays."""

    def state_space(
        self,
        name: str,
        *inputs: Any,
        A: Any,
        B: Any,
        C: Any,
        D: Any = None,
        initial: Any = (),
        outputs: Any = None,
        sample_time: Any = None,
        method: str = "zoh",
        prewarp: float = 0.0,
    ) -> ControlBlock:
        """x' = A x + B u, y = C x + D u; inputs are the ports ``u1``, ``u2``, ...; outputs are the signals
        ``name.y1``, ... or ``name.`` with the texts of ``outputs`` (``name`` alone where there is one)."""

    def sum(self, name: str, *inputs: Any, weights: Any = None, sample_time: Any = None) -> ControlBlock:
        """y = sum of weights times inputs (ports ``u1``, ``u2``, ...). ``weights``: numbers, or signs as
        ``"+-"``; 1 by default. Raises `ModelError` for numbers of weights and inputs that differ."""

    def transfer_function(
        self,
        name: str,
        u: Any = None,
        *,
        numerator: Any,
        denominator: Any,
        initial: Any = (),
        sample_time: Any = None,
        method: str = "zoh",
        prewarp: float = 0.0,
    ) -> ControlBlock:
        """y/u = num(s)/den(s), coefficients in falling powers of s (units of time)."""

    def unit_delay(
        self, name: str, u: Any = None, *, sample_time: Any, samples: int = 1, initial: float = 0.0
    ) -> ControlBlock:
        """y(k) = u(k - samples): the input a number of samples ago, ``initial`` before. Breaks algebraic
        loops of sampled blocks. Raises `ModelError` for a number of samples below 1."""

    def zero_order_hold(self, name: str, u: Any = None, *, sample_time: Any) -> ControlBlock:
        """y = u at the last sample (units of u). Raises `ModelError` for a sample time that is not
        positive."""
