"""The elements of an MJCF file after its includes, replicates and default classes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ....model import ModelError
from ....model.base import close_word
from ....model.xml_tree import Node, read_xml

MOST_FILES = 100
MOST_COPIES = 20_000
ROOTS = ("mujoco", "mujocoinclude")
#: attributes that refer to elements by name, which a copy of the element they refer to changes
REFERENCES = ("joint", "joint1", "joint2", "jointinparent", "site", "site1", "site2", "refsite", "cranksite",
    "slidersite", "sidesite", "geom", "geom1", "geom2", "body", "body1", "body2", "tendon", "tendon1", "tendon2",
    "actuator", "objname", "refname")  # fmt: skip
REFERRING = ("tendon", "actuator", "sensor", "equality", "contact")
#: elements of a body that may be copied by <replicate>
ACTUATORS = ("general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion",
    "orientation", "pid", "dcmotor", "plugin")  # fmt: skip
MAIN = "main"


def read_source(path: Path, folder: Path) -> Node:
    """The tree of an MJCF file with the elements of the files that it includes in their place, each below ``folder``.
    Raises `ModelError` for files that are absent, outside of the folder, or included twice."""
    seen: set[Path] = set()

    def load(file: Path, where: str) -> Node:
        real = file.resolve()
        if real in seen:
            raise ModelError(f"{where}: the file '{file.name}' is included twice; a file is included once")
        if len(seen) >= MOST_FILES:
            raise ModelError(f"{where}: more than {MOST_FILES} files are included")
        seen.add(real)
        tree = read_xml(file, ROOTS, "a robot file is not")
        expand(tree)
        return tree

    def expand(node: Node) -> None:
        children = []
        for child in node.children:
            if child.tag == "include":
                child.read = True
                file = path.resolve().parent / child.word("file")
                if folder.resolve() not in file.resolve().parents:
                    raise ModelError(
                        f"{child.where}: the file '{child.word('file')}' is outside of '{folder.resolve()}'; name a "
                        "folder that has it by root="
                    )
                if not file.is_file():
                    raise ModelError(f"{child.where}: there is no file '{child.word('file')}' below '{path.parent}'")
                children += load(file, child.where).children
            else:
                expand(child)
                children.append(child)
        node.children = children

    return load(path, f"'{path}'")


def replicate(tree: Node) -> None:
    """Replace each <replicate> by its copies, each in a <frame> with the pose of the copy and the suffix of its names;
    elements that refer to what was copied are copied too."""
    copied: dict[str, list[str]] = {}
    made = 0

    def rename(node: Node, suffix: str) -> None:
        for attribute in ("name", *REFERENCES):
            if attribute in node.attributes and node.tag not in ("compiler",):
                old = node.attributes[attribute]
                node.attributes[attribute] = old + suffix
                if attribute == "name":
                    copied.setdefault(old, []).append(suffix)
        for child in node.children:
            rename(child, suffix)

    def expand(node: Node) -> None:
        nonlocal made
        for child in node.children:
            expand(child)
        children = []
        for child in node.children:
            if child.tag != "replicate":
                children.append(child)
                continue
            child.read = True
            count = int(child.number("count"))
            made += max(count, 0) * (1 + len(child.children))
            if not 0 < count <= MOST_COPIES or made > MOST_COPIES:
                raise ModelError(f"{child.where}: count of <replicate> is {count}; give 1 to {MOST_COPIES}")
            sep, places = child.get("sep") or "", len(str(count - 1))
            for n in range(count):
                frame = child.copy()
                frame.tag, frame.attributes["#"] = "frame", str(n)
                for inner in frame.children:
                    rename(inner, f"{sep}{n:0{places}d}")
                children.append(frame)
        node.children = children

    for part in tree.children:
        if part.tag == "worldbody":
            expand(part)
    for part in tree.children:
        if part.tag in REFERRING and copied:
            part.children = [copy for child in part.children for copy in _referring(child, copied)]


def _referring(node: Node, copied: dict[str, list[str]]) -> list[Node]:
    """Copies of an element that refers to copies, one for each of these."""
    names = {n.attributes[a] for n in (node, *node.children) for a in REFERENCES if a in n.attributes}
    many = [name for name in names if name in copied]
    if not many:
        return [node]
    out = []
    for suffix in copied[many[0]]:
        new = node.copy()
        for n in (new, *new.children):
            for a in REFERENCES:
                if suffix in copied.get(n.attributes.get(a, ""), ()):
                    n.attributes[a] += suffix
        if "name" in new.attributes:
            copied.setdefault(node.attributes["name"], []).append(suffix)
            new.attributes["name"] += suffix
        out.append(new)
    return out


# ---- default classes -------------------------------------------------------------------------------------------------
class Styled(Node):
    """An element with the attributes of its default classes, the nearest class first."""

    __slots__ = ("defaults",)

    def __init__(self, node: Node, defaults: list[Node]) -> None:
        super().__init__(node.path, node.tag, dict(node.attributes), node.line)
        self.text, self.taken, self.children, self.defaults = node.text, node.taken, node.children, defaults
        for default in defaults:
            for key, value in default.attributes.items():
                self.attributes.setdefault(key, value)

    def get(self, name: str, default: str | None = None) -> str | None:
        for node in self.defaults:
            node.taken.add(name)
        return super().get(name, default)


class Classes:
    """The default classes of a file, by name."""

    def __init__(self, tree: Node) -> None:
        self.chains: dict[str, list[Node]] = {}  # the class first, "main" last
        for node in tree.all("default"):
            self._read(node, [], node.get("class") or MAIN)
        self.chains.setdefault(MAIN, [])

    def _read(self, node: Node, above: list[Node], name: str) -> None:
        if name in self.chains and name != MAIN:
            raise ModelError(f"{node.where}: a second default class '{name}'; names of classes are unique")
        self.chains[name] = chain = [node, *self.chains.get(name, above)]
        for child in node.all("default"):
            self._read(child, chain, child.word("class"))

    def style(self, node: Node, inherited: str = "", tags: tuple[str, ...] = ()) -> Styled:
        """``node`` with the attributes of its class, else of the class that it inherits.  ``tags``: those of elements
        of the class that hold its defaults, the first the nearest (its own tag)."""
        own = node.get("class")
        name = own or inherited or MAIN
        if name not in self.chains:
            meant = close_word(name, self.chains)
            raise ModelError(
                f"{node.where}: <{node.tag}> has the class '{name}', which is not defined"
                + (f"; did you mean '{meant}'?" if meant else "")
            )
        wanted = tags or (node.tag,)
        found = [element for level in self.chains[name] for tag in wanted for element in level.all(tag)[::-1]]
        return Styled(node, found)


# ---- poses -----------------------------------------------------------------------------------------------------------
def euler_axes(angles: tuple[float, ...], sequence: str) -> np.ndarray:
    """Rotation of three angles (radians) about the axes of ``sequence``: small letters moving ones, capitals fixed."""
    from scipy.spatial.transform import Rotation

    turn = Rotation.identity()
    for letter, angle in zip(sequence, angles):
        one = Rotation.from_euler(letter.lower(), angle)
        turn = turn * one if letter.islower() else one * turn
    return turn.as_matrix()
