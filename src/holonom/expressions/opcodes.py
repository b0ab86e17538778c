"""Numbers of the machine's instructions.  An instruction is five words: opcode, target, a, b, parameter.

The order matters: control, then functions of one operand, then of two, then tables.
"""

IF, JUMP = range(2)
(
    MOVE,
    NEG,
    ABS,
    SQRT,
    EXP,
    LOG,
    LOG10,
    SIN,
    COS,
    TAN,
    ASIN,
    ACOS,
    ATAN,
    SINH,
    COSH,
    TANH,
    AINT,
    ANINT,
    PLUS,
    STEP3,
    STEP5,
    HAVER,
) = range(2, 24)
ADD, SUB, MUL, DIV, POW, MAX, MIN, SIGN, MOD, ATAN2 = range(24, 34)
SPLINE, CURVE = range(34, 36)

WORDS = 5
