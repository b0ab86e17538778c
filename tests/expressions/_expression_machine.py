"""A resolver for tests: a few names are inputs, numbered in a fixed order."""

import numpy as np

from holonom.expressions import ProgramSet, compile_expression, gradient, jet, parse, to_text, value

NAMES = ("TIME", "X", "Y", "DX(TIP, BASE)")


class Inputs:
    def __init__(self, splines=(), curves=()):
        self.splines, self.curves = list(splines), list(curves)

    def input(self, name, args):
        text = f"{name}({', '.join(map(to_text, args))})" if args else name
        if text not in NAMES:
            raise KeyError(name)
        return NAMES.index(text)

    def spline(self, id):
        return self.splines.index(id)  # ValueError never reached by these tests

    def curve(self, id):
        if id not in self.curves:
            raise KeyError(id)
        return self.curves.index(id)


class Machine:
    """One expression, ready to run."""

    def __init__(self, text, resolver=None, splines=None, curves=None):
        self.node = parse(text)
        self.program = compile_expression(self.node, resolver or Inputs())
        self.set = ProgramSet([self.program], splines, curves)
        self.work = self.set.work()

    def __call__(self, *x):
        return value(self.set.arrays, 0, np.array(x, dtype=float), self.work)

    def gradient(self, *x):
        """Value, and derivatives with respect to all of NAMES."""
        own = np.full(len(self.program.inputs), np.nan)
        f = gradient(self.set.arrays, 0, np.array(x, dtype=float), self.work, own)
        full = np.zeros(len(NAMES))
        full[list(self.program.inputs)] = own
        return f, full

    def jet(self, x, xd, xdd):
        return jet(self.set.arrays, 0, *(np.array(v, dtype=float) for v in (x, xd, xdd)), self.work)
