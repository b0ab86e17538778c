"""Actuators: DC motor, synchronous AC motor, gearbox.  The blocks have the electrical states and laws; their torques
act on joints through SFORCEs, which the builders add.

DC motor:   L i' = v - R i - ke w,   torque kt i
AC motor (permanent-magnet synchronous, in axes of the rotor, p pairs of poles, flux psi):
    Ld id' = vd - R id + p w Lq iq,   Lq iq' = vq - R iq - p w (Ld id + psi),   torque 3/2 p (psi iq + (Ld - Lq) id iq)
Gearbox:    twist = angle_in/ratio - angle_out;  teeth touch beyond half of the backlash, and push only:
    T = max(0, k d + c twist')  for d = twist - backlash/2 > 0,  and the opposite on the other side;
    friction of the output  -(coulomb tanh(w/slip) + viscous w)

Sources: P. C. Krause et al., Analysis of Electric Machinery and Drive Systems (2013), ch. 2 and 4; M. Nordin, P.-O.
Gutman, Automatica 38 (2002) 1633 (backlash).
"""

from __future__ import annotations

from ...model.base import ModelError
from ...model.builder.control import add_block
from ...model.control import BlockType, ControlBlock
from ...model.values import number
from .algebra import Law, branch, call, terminals
from .sensors import rotation


def _dc_motor(block: ControlBlock) -> Law:
    u, x, _ = terminals(block)
    value = block.value
    drop = u[0] - value("back_emf") * u[1]
    if not value("inductance"):
        current = drop / value("resistance")
        return Law([value("torque_constant") * current, current])
    rate = (drop - value("resistance") * x[0]) / value("inductance")
    return Law([value("torque_constant") * x[0], x[0]], block.initial or (0.0,), [rate])


def _ac_motor(block: ControlBlock) -> Law:
    u, x, _ = terminals(block)
    value = block.value
    p, flux, R = value("pole_pairs"), value("flux"), value("resistance")
    ld, lq = value("inductance_d"), value("inductance_q")
    speed = p * u[2]
    d_rate = (u[0] - R * x[0] + lq * speed * x[1]) / ld
    q_rate = (u[1] - R * x[1] - speed * (ld * x[0] + flux)) / lq
    torque = 1.5 * p * (flux * x[1] + (ld - lq) * x[0] * x[1])
    return Law([torque, x[0], x[1]], block.initial or (0.0, 0.0), [d_rate, q_rate])


def _induction_motor(block: ControlBlock) -> Law:
    u, x, _ = terminals(block)
    value = block.value
    p, common = value("pole_pairs"), value("magnetising")
    stator, rotor = common + value("stator_leakage"), common + value("rotor_leakage")
    spread = stator * rotor - common**2
    sd, sq, rd, rq = (x[k] for k in range(4))
    isd, isq = (rotor * sd - common * rd) / spread, (rotor * sq - common * rq) / spread
    ird, irq = (stator * rd - common * sd) / spread, (stator * rq - common * sq) / spread
    slip = u[1] - p * u[2]
    rates = [
        u[0] - value("stator_resistance") * isd + u[1] * sq,
        -value("stator_resistance") * isq - u[1] * sd,
        -value("rotor_resistance") * ird + slip * rq,
        -value("rotor_resistance") * irq - slip * rd,
    ]
    torque = 1.5 * p * (sd * isq - sq * isd)
    return Law([torque, isd, isq], block.initial or (0.0,) * 4, rates)


def _gearbox(block: ControlBlock) -> Law:
    u, _, _ = terminals(block)
    value = block.value
    ratio = value("ratio")
    twist, rate = u[0] / ratio - u[2], u[1] / ratio - u[3]
    half, k, c = 0.5 * value("backlash"), value("stiffness"), value("damping")
    if half == 0.0:
        torque = k * twist + c * rate
    else:
        ahead = call("MAX", k * (twist - half) + c * rate, 0.0)
        behind = call("MIN", k * (twist + half) + c * rate, 0.0)
        torque = branch(twist - half, branch(twist + half, behind, 0.0, 0.0), 0.0, ahead)
    friction = value("viscous") * u[3]
    if value("coulomb"):
        friction = friction + value("coulomb") * call("TANH", u[3] / value("slip"))
    return Law([torque, friction])


def _torque(model, joint, text: str, name: str) -> None:
    model.sforce(joint.i, joint.j, text, kind="ROTATIONAL", name=name)


def _positive(**values: float) -> None:
    for name, value in values.items():
        if not number(value, name) > 0.0:
            raise ModelError(f"{name} is {value:g}; give a positive number")


def _pole_pairs(value: int) -> float:
    if isinstance(value, bool) or int(value) != value or value < 1:
        raise ModelError(f"pole_pairs is {value}; give a whole number from 1 on")
    return float(value)


def dc_motor(
    model,
    name: str,
    joint,
    voltage=None,
    *,
    resistance: float,
    inductance: float = 0.0,
    torque_constant: float,
    back_emf: float | None = None,
    initial: float = 0.0,
) -> ControlBlock:
    """DC motor that turns a revolute or cylindrical ``joint`` (torque on I, about z of J): L i' = ``voltage`` - R i -
    ke w, torque kt i; outputs ``name.torque``, ``name.current``.

    ``resistance``: voltage per current; ``inductance``: voltage time per current, 0 without electrical state;
    ``torque_constant``: torque per current; ``back_emf``: voltage per rad / time (equal to it by default, as in SI
    units); ``initial``: current. The rotor is a part of the model. Raises `ModelError` for values that are not positive
    and a joint that does not turn.

        model.control.dc_motor("motor", "axle", "servo", resistance=0.6, inductance=1e-3, torque_constant=0.05)
    """
    _positive(resistance=resistance, torque_constant=torque_constant)
    if number(inductance, "inductance") < 0.0:
        raise ModelError(f"inductance is {inductance:g}; give zero or a positive number")
    _, speed, turned = rotation(model, joint)
    numbers = {
        "resistance": resistance,
        "inductance": inductance,
        "torque_constant": torque_constant,
        "back_emf": number(torque_constant if back_emf is None else back_emf, "back_emf"),
    }
    start = (number(initial, "initial"),) if inductance else ()
    ports = {"voltage": voltage, "speed": speed}
    block = add_block(model, "dc_motor", name, ports, numbers, outputs=("torque", "current"), initial=start)
    _torque(model, turned, f"CONTROL({block.id},1)", f"{name}_torque")
    return block


def ac_motor(
    model,
    name: str,
    joint,
    voltage_d=0.0,
    voltage_q=None,
    *,
    resistance: float,
    inductance_d: float,
    inductance_q: float | None = None,
    flux: float,
    pole_pairs: int,
) -> ControlBlock:
    """Permanent-magnet synchronous motor that turns a revolute or cylindrical ``joint``, in axes d and q of its rotor;
    outputs ``name.torque``, ``name.current_d``, ``name.current_q``.

    Voltages are amplitudes per phase; ``resistance``, ``inductance_d``, ``inductance_q`` (equal by default) per phase;
    ``flux``: of the magnets, voltage time. Raises `ModelError` for values that are not positive and a joint that does
    not turn.

        model.control.ac_motor("motor", "axle", 0.0, "servo", resistance=0.4, inductance_d=2e-3, flux=0.1,
            pole_pairs=4)
    """
    quadrature = inductance_d if inductance_q is None else inductance_q
    _positive(resistance=resistance, inductance_d=inductance_d, inductance_q=quadrature, flux=flux)
    pairs = _pole_pairs(pole_pairs)
    _, speed, turned = rotation(model, joint)
    numbers = {
        "resistance": resistance,
        "inductance_d": inductance_d,
        "inductance_q": quadrature,
        "flux": flux,
        "pole_pairs": pairs,
    }
    ports = {"voltage_d": voltage_d, "voltage_q": voltage_q, "speed": speed}
    block = add_block(model, "ac_motor", name, ports, numbers, outputs=("torque", "current_d", "current_q"))
    _torque(model, turned, f"CONTROL({block.id},1)", f"{name}_torque")
    return block


def induction_motor(
    model,
    name: str,
    joint,
    voltage=None,
    frequency=None,
    *,
    stator_resistance: float,
    rotor_resistance: float,
    magnetising: float,
    stator_leakage: float,
    rotor_leakage: float | None = None,
    pole_pairs: int,
) -> ControlBlock:
    """Induction motor with a squirrel cage that turns a revolute or cylindrical ``joint``, in axes that turn with its
    supply; outputs ``name.torque``, and the stator currents ``name.current_d``, ``name.current_q`` along the voltage
    and across it.

    With flux linkages psi and currents i of stator and rotor as complex numbers:
    psi_s' = ``voltage`` - Rs i_s - j w psi_s, psi_r' = -Rr i_r - j (w - p w_m) psi_r, psi_s = (Ls + Lm) i_s + Lm i_r,
    psi_r = Lm i_s + (Lr + Lm) i_r, torque 3/2 p Im(conj(psi_s) i_s); w is the ``frequency`` [rad / time], w_m the speed
    of the rotor, p ``pole_pairs``. All values are of one phase, those of the rotor referred to the stator:
    ``voltage`` (amplitude), ``stator_resistance`` Rs, ``rotor_resistance`` Rr, inductances ``magnetising`` Lm,
    ``stator_leakage`` Ls, ``rotor_leakage`` Lr (equal to Ls by default). It starts without flux. Raises `ModelError`
    for values that are not positive and a joint that does not turn.

        model.control.induction_motor("motor", "axle", 325, 314.16, stator_resistance=1.2, rotor_resistance=1.0,
            magnetising=0.17, stator_leakage=6e-3, pole_pairs=2)

    Source: Krause, Wasynczuk, Sudhoff, Analysis of Electric Machinery, ch. 6.
    """
    referred = stator_leakage if rotor_leakage is None else rotor_leakage
    numbers = {
        "stator_resistance": stator_resistance,
        "rotor_resistance": rotor_resistance,
        "magnetising": magnetising,
        "stator_leakage": stator_leakage,
        "rotor_leakage": referred,
    }
    _positive(**numbers)
    _, speed, turned = rotation(model, joint)
    numbers["pole_pairs"] = _pole_pairs(pole_pairs)
    ports = {"voltage": voltage, "frequency": frequency, "speed": speed}
    block = add_block(model, "induction_motor", name, ports, numbers, outputs=("torque", "current_d", "current_q"))
    _torque(model, turned, f"CONTROL({block.id},1)", f"{name}_torque")
    return block


def gearbox(
    model,
    name: str,
    drive,
    output,
    *,
    ratio: float,
    stiffness: float,
    damping: float = 0.0,
    backlash: float = 0.0,
    coulomb: float = 0.0,
    viscous: float = 0.0,
    slip: float = 1e-2,
) -> ControlBlock:
    """Gearbox between two revolute or cylindrical joints of one housing: the ``output`` turns ``ratio`` times slower
    than the ``drive`` (negative: the other way round); outputs ``name.torque``, ``name.friction``.

    ``stiffness`` (torque / rad), ``damping`` (torque time / rad) and ``backlash`` (rad, whole gap) at the output; teeth
    push and never pull; friction of the output: ``coulomb`` (torque), smoothed below the speed ``slip`` (rad / time),
    and ``viscous`` (torque time / rad). Raises `ModelError` for values out of range and joints that do not turn.

        model.control.gearbox("gears", "motor_axle", "arm", ratio=50, stiffness=2e4, damping=20, backlash=1e-3)
    """
    _positive(stiffness=stiffness, slip=slip)
    if not number(ratio, "ratio"):
        raise ModelError("ratio is 0; give a number that is not zero")
    rest = {"damping": damping, "backlash": backlash, "coulomb": coulomb, "viscous": viscous}
    for what, value in rest.items():
        if number(value, what) < 0.0:
            raise ModelError(f"{what} is {value:g}; give zero or a positive number")
    (a, w, first), (b, v, second) = rotation(model, drive), rotation(model, output)
    numbers = {"ratio": ratio, "stiffness": stiffness, "slip": slip, **rest}
    ports = {"drive_angle": a, "drive_speed": w, "output_angle": b, "output_speed": v}
    block = add_block(model, "gearbox", name, ports, numbers, outputs=("torque", "friction"))
    _torque(model, first, f"-CONTROL({block.id},1)/{float(ratio)!r}", f"{name}_drive")
    _torque(model, second, f"CONTROL({block.id},1)-CONTROL({block.id},2)", f"{name}_output")
    return block


BLOCK_TYPES = (
    BlockType("dc_motor", dc_motor, ("voltage", "speed"), _dc_motor),
    BlockType("ac_motor", ac_motor, ("voltage_d", "voltage_q", "speed"), _ac_motor),
    BlockType("induction_motor", induction_motor, ("voltage", "frequency", "speed"), _induction_motor),
    BlockType("gearbox", gearbox, ("drive_angle", "drive_speed", "output_angle", "output_speed"), _gearbox),
)
SHORTHANDS = ()
