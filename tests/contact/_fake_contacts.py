"""Contacts without an engine: bushings between a hub and the bodies of a chain that act and vanish between steps."""

import numpy as np

from holonom.elements.forces.pair_kinds import PAIR_KINDS
from holonom.integrators import make_integrator
from holonom.integrators.stepper import Options
from holonom.model import Model
from holonom.system.build import System


def machine(n, planar=False):
    """Chain of n bodies on cushions, and a pendulous hub which contacts (bushings) bind to each of them."""
    m = Model()
    m.gravity = (0, -9.81, 0)
    z, axis = (0.0, (0, 0, 1)) if planar else (0.1, (0, 0.6, 0.8))
    before, links = m.ground, []
    for k in range(n):
        p = m.part(f"link{k}", 0.5, (1e-2, 2e-2, 1.5e-2), position=(k + 0.5, 0, 0))
        m.revolute(p, before, at=(k, 0, 0), axis=axis) if planar else m.spherical(p, before, at=(k, 0, 0))
        before = p
        links.append(p)
    hub = m.part("hub", 2.0, (0.1, 0.2, 0.15), position=(n / 2, 0.4, z), velocity=(0.3, 0, 0))
    m.revolute(hub, m.ground, at=(n / 2, 0.6, z), axis=axis)
    push = dict(
        stiffness=(500, 600, 700),
        rotational_stiffness=(5, 6, 7),
        damping=(1, 2, 3),
        rotational_damping=(0.1, 0.2, 0.3),
    )
    for p in links:
        at = (0.1, 0.05, 0.0 if planar else 0.02)
        m.bushing(m.marker(p, at), m.marker(hub, (0.1, -0.1, 0.0 if planar else 0.03)), **push)
    for k, p in enumerate(links):
        m.bushing(
            m.marker(p),
            m.marker(m.ground, (k + 0.5, -0.05, 0.0)),
            stiffness=(50, 60, 70),
            rotational_stiffness=(5, 6, 7),
            damping=(1, 2, 3),
        )
    m.spring_damper(
        m.marker(links[0]), m.marker(hub), stiffness=20.0, damping=1.0, length=0.5
    )  # shares its entries with a contact
    return m


class Fake:
    """A system whose first ``count`` bushings are contacts, as `system.contacts.Contacts` would have them.

    ``activation`` None: ordinary forces, in the base for good.
    """

    rigid = False

    def __init__(self, model, count, activation):
        self.system = s = System(model)
        pairs = s.S.pairs
        bushings = [kind.name for kind in PAIR_KINDS].index("bushing")
        self.rows = slice(pairs.first[bushings], pairs.first[bushings] + count)
        self.values = pairs.t[bushings]
        self.table = self.values.copy()
        self.count = count
        body = s.S.fr.body
        self.body_pairs = np.stack([body[pairs.i[self.rows]], body[pairs.j[self.rows]]], 1)
        self.touched = np.unique(self.body_pairs[self.body_pairs < s.nb])
        self.version, self.near, self.pos = 0, np.arange(0), None
        if activation is not None:
            self.activation, self.on = activation, True
            vars(s)["contacts"] = self  # in the place of what it was built with
            s.functions.request_pairs = self._request

    def _request(self, pattern):
        s, pairs = self.system, self.system.S.pairs
        body = s.S.fr.body
        ends = np.stack([body[pairs.i], body[pairs.j]], 1)
        ends[self.rows] = s.nb
        asked = pattern.full(ends)

        def fill():
            self.pos, self.dummy = asked.positions[self.rows], pattern.nnz
            return pairs._replace(pos=asked.positions)

        return fill

    def touch(self, acting) -> None:
        """These contacts act from now on, the others do not."""
        self.values[: self.count] = 0.0
        self.values[acting] = self.table[acting]

    # ---- what `Implicit` requires of contacts
    # ----------------------------------------------------------------------------
    def near_bodies(self):
        return self.body_pairs[self.near]

    def every_pair(self):
        near = np.column_stack([np.arange(self.count), self.body_pairs])
        return self.body_pairs, near, np.array([self.count])

    def attach(self, places, scratch=0):
        self.places, self.scratch = places, scratch
        self.place()
        return np.zeros(3, np.int64)

    def place(self) -> None:
        """Places of all contacts, the dummy for those whose bodies have no block in the matrix."""
        if self.scratch:
            self.pos[: self.count] = self.scratch + np.arange(144 * self.count).reshape(self.count, 144)
            return
        places, n = self.places, self.system.nb
        for k in range(self.count):
            pair = self.body_pairs[k]
            q = int(np.searchsorted(places.keys, pair.min() * (n + 1) + pair.max()))
            known = q < len(places.keys) and places.keys[q] == pair.min() * (n + 1) + pair.max()
            block = np.full((12, 12), self.dummy)
            for h, a in enumerate(pair):
                for g, b in enumerate(pair):
                    at = (
                        places.dpos[a]
                        if a == b
                        else places.opos[q, :36]
                        if known and a < b
                        else places.opos[q, 36:]
                        if known
                        else self.dummy
                    )
                    block[6 * h : 6 * h + 6, 6 * g : 6 * g + 6] = at if np.isscalar(at) else at.reshape(6, 6)
            self.pos[k] = block.ravel()

    def watch(self, implicit) -> None:
        """Positions follow the pattern."""
        use = implicit.use_pairs

        def use_pairs(pairs):
            changed = use(pairs)
            self.place()
            return changed

        implicit.use_pairs = use_pairs


def simulate(model, count, activation, kind, end, wide=1, **options):
    """Run with contacts that act by turns: three side by side for 0.02 s each, with ``wide`` neighbours near on either
    side."""
    fake = Fake(model, count, activation)
    stepper = make_integrator(kind, fake.system, Options(**options))
    if activation is not None:
        fake.watch(stepper.implicit)

    def turn():
        now = int(stepper.t / 0.02 + 1e-9)
        if now == fake.version - 1:
            return
        fake.version = now + 1
        first = (3 * now) % count
        fake.touch((first + np.arange(3)) % count)
        fake.near = np.unique((first + np.arange(-wide, 3 + wide)) % count)

    stepper.t = 0.0
    turn()
    stepper.start(0.0, fake.system.y0.copy(), end)
    path = []
    while stepper.t < end * (1 - 1e-12):
        turn()
        step = stepper.step(min(end, 0.02 * (int(stepper.t / 0.02 + 1e-9) + 1)))
        path.append((step.t, step.h, step.iterations, *stepper.y))
    return np.array(path), stepper
