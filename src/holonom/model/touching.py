"""Which shapes of a contact may meet: not those of one part, of parts fixed to each other, of parts that a joint
connects, or excluded.

`Touching` checks the joints once; the builder of contact tables asks it for groups and joints, checks ask it for
counts.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .base import ModelError
from .forces import Contact
from .joint_facts import facts
from .shape import carrier_of

if TYPE_CHECKING:
    from .model import Model

Key = tuple[str, int]


@dataclass
class Pairs:
    """Numbers of pairs of shapes of a contact: ``defined`` may meet; the others never do, and why."""

    defined: int = 0
    same_part: int = 0
    rigid: int = 0
    joined: int = 0
    excluded: int = 0
    joints: list[Any] = field(default_factory=list)  # elements that suppress pairs

    @property
    def total(self) -> int:
        return self.defined + self.same_part + self.rigid + self.joined + self.excluded


class Touching:
    """Rigid groups and joined parts of a model, by its active joints but those named in ``without`` (kind, id)."""

    def __init__(self, model: Model, without: frozenset = frozenset()) -> None:
        self.model = model
        self._root: dict[Key, Key] = {}
        self._body: dict[int, Key] = {}
        links = []
        for table in ("JOINT", "JPRIM"):
            for joint in model.table(table).values():
                if joint.active and facts(joint).no_contact and (table, joint.id) not in without:
                    ends = [model.markers.get(m) for m in (joint.i, joint.j)]
                    if None not in ends:
                        links.append((joint, *((m.body_kind, m.part) for m in ends)))  # type: ignore[union-attr]
        for joint, a, b in links:
            if joint.type == "FIXED":
                self._root[self.root(a)] = self.root(b)
        #: (root, root) in order -> joint that connects them
        self.joints: dict[tuple[Key, Key], Any] = {}
        for joint, a, b in links:
            p, q = self.root(a), self.root(b)
            if p != q:
                self.joints.setdefault((min(p, q), max(p, q)), joint)

    @classmethod
    def switched(cls, model: Model) -> Touching | None:
        """That of a model without the joints that SWITCHes turn off; None where it has none."""
        refs = frozenset(ref for s in model.table("SWITCH").values() if s.active for ref in s.elements)
        return cls(model, refs) if refs else None

    def root(self, body: Key) -> Key:
        """One body that represents all that are fixed to each other."""
        while body in self._root and self._root[body] != body:
            body = self._root[body]
        return body

    def body(self, graphic: int) -> Key:
        """Key of the body that carries a graphic; raises `ModelError`."""
        if graphic not in self._body:
            table = self.model.table("GRAPHICS")
            if graphic not in table:
                raise ModelError(f"there is no GRAPHICS/{graphic}; correct the id or add it")
            carrier = carrier_of(self.model, table[graphic])
            self._body[graphic] = carrier.KIND, carrier.id
        return self._body[graphic]

    def refuses(self, contact: Contact, a: int, b: int) -> str:
        """Why two shapes (ids of GRAPHICS) of a contact never meet; empty when they may."""
        if a == b:
            return "they are one shape"
        p, q = self.body(a), self.body(b)
        if p == q:
            return "they belong to one part"
        if contact.exclude and ((a, b) in contact.exclude or (b, a) in contact.exclude):
            return "they are excluded"
        if contact.joined:
            return ""
        r, s = self.root(p), self.root(q)
        if r == s:
            return "their parts are fixed to each other"
        joint = self.joints.get((min(r, s), max(r, s)))
        return f"{joint.KIND}/{joint.id} connects their parts" if joint is not None else ""

    def pairs(self, contact: Contact) -> Pairs:
        """Counts over all pairs of a contact, each once, in time that grows with shapes and joints, not with pairs."""
        first, second = set(contact.igeom), set(contact.jgeom)
        both = first & second
        groups = (first, second, both)
        bodies = [Counter(self.body(g) for g in group) for group in groups]
        roots = [Counter(self.root(self.body(g)) for g in group) for group in groups]
        out = Pairs()
        out.same_part = _within(bodies)
        every = len(first) * len(second) - len(both) - len(both) * (len(both) - 1) // 2
        rest = every - out.same_part
        if not contact.joined:
            out.rigid = _within(roots) - out.same_part
            i, j, k = roots
            for (p, q), joint in self.joints.items():
                n = i[p] * j[q] + j[p] * i[q] - k[p] * k[q]
                if n:
                    out.joined += n
                    out.joints.append(joint)
            rest -= out.rigid + out.joined
        known = set(contact.exclude)
        seen: set[frozenset[int]] = set()
        for a, b in known:
            pair = frozenset((a, b))
            if a != b and pair not in seen and (a in first and b in second or b in first and a in second):
                seen.add(pair)
                plain = Contact(joined=contact.joined)
                out.excluded += not self.refuses(plain, a, b)
        out.defined = rest - out.excluded + self._bulk(contact, first, second)
        return out

    def _bulk(self, contact: Contact, first: set[int], second: set[int]) -> int:
        """Pairs with grains, each once."""
        table = self.model.table("GRAINS")
        i, j = (set(ids) for ids in (contact.igrains, contact.jgrains))
        m, n, both = (sum(int(table[g].exists.sum()) for g in ids if g in table) for ids in (i, j, i & j))
        return m * len(second) + len(first) * n + m * n - both - both * (both - 1) // 2


def _within(counts: list[Counter]) -> int:
    """Unordered pairs of two different shapes of the same group, of shapes counted in I, J and both."""
    i, j, k = counts
    return sum(i[p] * j[p] - k[p] - k[p] * (k[p] - 1) // 2 for p in i)
