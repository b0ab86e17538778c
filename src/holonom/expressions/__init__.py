"""The Adams function language: text, syntax tree, bytecode, values and exact derivatives.  Knows no mechanics.

``parse`` a text, ``compile_expression`` the tree against a resolver that numbers the inputs (TIME, DX(..), ...), pack
the programs in a ``ProgramSet`` and call the kernels ``value``, ``gradient`` and ``jet`` from other kernels.
"""

from .curves import Curve, pack_curves
from .errors import CurveError, ExpressionError, SplineError, UnknownFunction
from .functions import CONSTANTS, ELEMENT_FORCES, FUNCTIONS, MEASURES, NOT_COMPUTED, Function
from .machine import Programs, gradient, hessian, jet, value, values
from .nodes import Binary, Call, If, Name, Node, Number, OwnNumber, String, Unary, children, rebuilt, to_text, walk
from .parser import MAX_DEPTH, MAX_LENGTH, parse
from .periods import periods
from .piecewise import Pieces, curve_component, curve_point, surface_point
from .program import Program, ProgramSet, Resolver, compile_expression
from .reference import Fault, evaluate, explain
from .references import plain_references
from .splines import AKIMA, CUBIC, LINEAR, Spline, pack_splines, row_of
from .switches import freeze, switch_nodes

__all__ = [
    "AKIMA", "CONSTANTS", "CUBIC", "ELEMENT_FORCES", "FUNCTIONS", "LINEAR", "MAX_DEPTH", "MAX_LENGTH", "MEASURES",
    "NOT_COMPUTED", "Binary", "Call", "Curve", "CurveError", "ExpressionError", "Fault", "Function", "If", "Name",
    "Node", "Number", "OwnNumber", "Pieces", "Program", "ProgramSet", "Programs", "Resolver", "Spline", "SplineError",
    "String", "Unary", "UnknownFunction", "children", "compile_expression", "curve_component", "curve_point",
    "evaluate", "explain", "freeze", "gradient", "hessian", "jet", "pack_curves", "pack_splines", "parse", "periods",
    "plain_references", "rebuilt", "row_of", "surface_point", "switch_nodes", "to_text", "value", "values", "walk",
]  # fmt: skip
