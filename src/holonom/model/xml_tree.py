"""XML of others, with line numbers and a ledger of what was read.

Files are data: document types and entities are refused, size and depth are bounded.  A reader takes children and
attributes through `Node`; what it never took is listed by `unread`, so that nothing is dropped without a message.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from xml.parsers import expat

from .base import ModelError, close_word, shown
from .bounded_file import read_bounded

MOST_BYTES = 50_000_000
MOST_DEPTH = 200


class Node:
    """One element: ``tag``, ``attributes``, ``children``, ``text``, ``line`` of the file ``path``."""

    __slots__ = ("attributes", "children", "line", "path", "tag", "taken", "text")

    def __init__(self, path: Path, tag: str, attributes: dict[str, str], line: int) -> None:
        self.path, self.tag, self.attributes, self.line = path, tag, attributes, line
        self.children: list[Node] = []
        self.text = ""
        self.taken: set[str] = set()  # its attributes that were read, and "" where the element itself was

    @property
    def where(self) -> str:
        """``'file:line'``, to begin a message with."""
        return f"'{self.path}:{self.line}'"

    @property
    def read(self) -> bool:
        return "" in self.taken

    @read.setter
    def read(self, value: bool) -> None:
        (self.taken.add if value else self.taken.discard)("")

    def copy(self) -> Node:
        """This element and all below, with one record of what was read for both."""
        new = Node(self.path, self.tag, dict(self.attributes), self.line)
        new.text, new.taken, new.children = self.text, self.taken, [child.copy() for child in self.children]
        return new

    def all(self, *tags: str) -> list[Node]:
        """Children of these tags, which count as read."""
        found = [child for child in self.children if child.tag in tags]
        for child in found:
            child.read = True
        return found

    def one(self, tag: str) -> Node | None:
        """The only child of this tag, or None.  Raises `ModelError` where there are several."""
        found = self.all(tag)
        if len(found) > 1:
            raise ModelError(f"{found[1].where}: a second <{tag}> in <{self.tag}>; a {self.tag} has one")
        return found[0] if found else None

    def get(self, name: str, default: str | None = None) -> str | None:
        """An attribute as text."""
        self.taken.add(name)
        return self.attributes.get(name, default)

    def word(self, name: str) -> str:
        """An attribute that must be there.  Raises `ModelError` otherwise."""
        value = self.get(name)
        if value is None or not value.strip():
            meant = close_word(name, self.attributes)
            raise ModelError(
                f"{self.where}: <{self.tag}> has no {name}" + (f"; is '{meant}' meant for it?" if meant else "")
            )
        return value.strip()

    def numbers(self, name: str, count: int, default: tuple[float, ...] | None = None) -> tuple[float, ...]:
        """So many finite numbers of an attribute.  Raises `ModelError` for others, and where it is absent and has no
        default."""
        if default is not None and self.get(name) is None:
            return default
        return self._numbers(self.word(name), count, f"{name} of <{self.tag}>")

    def content(self, count: int, endless: bool = False) -> tuple[float, ...]:
        """So many finite numbers of the text; ``endless``: they may be infinite.  Raises `ModelError` for others."""
        return self._numbers(self.text.strip(), count, f"<{self.tag}>", endless)

    def _numbers(self, text: str, count: int, what: str, endless: bool = False) -> tuple[float, ...]:
        try:
            values = tuple(float(word) for word in text.split())
        except ValueError:
            values = ()
        if len(values) != count or any(math.isnan(v) or (math.isinf(v) and not endless) for v in values):
            number = "a number" if count == 1 else f"{count} numbers"
            raise ModelError(f"{self.where}: {what} is {shown(text)}; give {number}")
        return values

    def number(self, name: str, default: float | None = None) -> float:
        """One finite number of an attribute.  Raises `ModelError` as `numbers` does."""
        return self.numbers(name, 1, None if default is None else (default,))[0]

    def row(self, name: str, least: int, most: int, default: tuple[float, ...] = ()) -> tuple[float, ...]:
        """``least`` to ``most`` finite numbers of an attribute, those that are missing from ``default``.  Raises
        `ModelError` for others."""
        if self.get(name) is None:
            return default
        text = self.word(name)
        count = len(text.split())
        if not least <= count <= most:
            raise ModelError(f"{self.where}: {name} of <{self.tag}> is {shown(text)}; give {least} to {most} numbers")
        return (*self.numbers(name, count), *default[count:])

    def choice(self, name: str, words: tuple[str, ...], default: str) -> str:
        """One of ``words``.  Raises `ModelError` for others."""
        value = self.get(name)
        if value is None:
            return default
        if value.strip() not in words:
            raise ModelError(f"{self.where}: {name} of <{self.tag}> is {shown(value)}; choose from {', '.join(words)}")
        return value.strip()

    def flag(self, name: str, default: bool = False) -> bool:
        """ "true" or "false" (also 1 or 0).  Raises `ModelError` for others."""
        return self.choice(name, ("true", "false", "1", "0"), "true" if default else "false") in ("true", "1")

    def skip(self, known: Mapping[str, tuple[str, str]]) -> None:
        """This element and what ``known`` has below it have no effect: pictures, colours.  ``known``: tag -> names of
        its attributes and tags of its children.  Others do not count as read, so that `unread` lists them."""
        attributes, tags = known[self.tag]
        self.read = True
        self.taken.update(attributes.split())
        for child in self.children:
            if child.tag in tags.split():
                child.skip(known)


def read_xml(path: Path, root: str | tuple[str, ...], otherwise: str) -> Node:
    """The tree of a file whose outermost element is ``root``; ``otherwise``: the end of the sentence about a file that
    is too large.  Raises `ModelError` as `parse_xml` does."""
    return parse_xml(read_bounded(path, MOST_BYTES, otherwise), path, root)


def parse_xml(data: bytes, path: Path, root: str | tuple[str, ...]) -> Node:
    """The tree of the text of a file, as `read_xml`.  Raises `ModelError` with file and line for what is no XML, for
    document types and entities, and for another outermost element."""
    top = Node(path, "", {}, 1)
    stack = [top]
    parser = expat.ParserCreate()
    parser.buffer_text = True

    def refuse(*_) -> None:
        raise ModelError(
            f"'{path}:{parser.CurrentLineNumber}': it declares a document type or an entity, which is not read; "
            "remove the declaration"
        )

    def start(tag: str, attributes: dict[str, str]) -> None:
        if len(stack) > MOST_DEPTH:
            raise ModelError(f"'{path}:{parser.CurrentLineNumber}': more than {MOST_DEPTH} elements in each other")
        node = Node(path, tag, attributes, parser.CurrentLineNumber)
        stack[-1].children.append(node)
        stack.append(node)

    def text(data: str) -> None:
        stack[-1].text += data

    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    parser.StartElementHandler, parser.CharacterDataHandler = start, text
    parser.EndElementHandler = lambda tag: stack.pop()
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise ModelError(f"'{path}:{error.lineno}': it is not valid XML: {expat.errors.messages[error.code]}") from None
    found = top.children[0]
    roots = (root,) if isinstance(root, str) else root
    if found.tag not in roots:
        raise ModelError(f"{found.where}: its outermost element is <{found.tag}>; a file of this type has <{roots[0]}>")
    found.read = True
    return found


def unread(node: Node) -> list[str]:
    """What no reader took, each with its number: ``'35 <gazebo>'``, ``'effort of 7 <limit>'``."""
    tags: Counter[str] = Counter()
    names: Counter[tuple[str, str]] = Counter()

    def look(n: Node) -> None:
        if not n.read:
            tags[n.tag] += 1
            return
        names.update((a, n.tag) for a in n.attributes if a not in n.taken and not a.startswith("xmlns"))
        for child in n.children:
            look(child)

    look(node)
    some = lambda count, tag: f"{count} <{tag}>" if count > 1 else f"<{tag}>"
    return [some(count, tag) for tag, count in sorted(tags.items())] + [
        f"{name} of {some(count, tag)}" for (name, tag), count in sorted(names.items())
    ]
