"""Arguments of one statement: from text to values, by the grammar of its keyword.

An argument is ``NAME = value`` or a bare keyword (a flag); arguments are separated by commas, line ends or, behind
expressions, a backslash.  Names may be abbreviated to a unique prefix.  Numbers may have Fortran exponents
(``1.0D+03``); the suffix ``D`` marks degrees (``90D``).  A comma that begins a continuation line is a separator
in lists, and nothing but the continuation inside an expression, unless an argument separator is plainly missing
there.
"""

from __future__ import annotations

import difflib
import functools
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .lexer import Statement

MAX_PARTS = 5_000_000
MAX_DEPTH = 200
NOT_HERE = "is not computed in this version"

_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_ASSIGN = re.compile(r"([A-Za-z_][A-Za-z_0-9]*)[ \t]*(?:\n[ \t]*)?=")
_SEPARATORS = re.compile(r"[\s,\\]*")
_NUMBER = re.compile(r"([+-]?[ ]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))(?:([eEdD])([+-]?[0-9]+))?([dD]?)$")
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}$")
_OPERAND = re.compile(r"[A-Za-z0-9_.)]")
_OPERAND_START = re.compile(r"[A-Za-z0-9_.(]")


class ArgumentError(Exception):
    """What is wrong with an argument, and where in the statement's text."""

    def __init__(self, text: str, offset: int | None = None) -> None:
        super().__init__(text)
        self.offset = offset


@dataclass(frozen=True)
class Arg:
    """``NAME = value``.

    ``kind`` names the value's grammar, ``counts`` the numbers of values allowed (None: one or more).
    """

    name: str
    kind: str  # int id ids real reals pair expr text strings word words bool raw
    to: str = ""  # field of the element; the name in lower case when empty
    counts: tuple[int, ...] | None = None
    choices: tuple[str, ...] = ()
    always: bool = False  # written even when it has its default
    repeat: bool = False  # may be given several times; values are gathered in a list
    aliases: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return self.to or self.name.lower()


@dataclass(frozen=True)
class Flag:
    """A bare keyword that sets field ``to`` to ``value``."""

    name: str
    to: str = ""
    value: Any = True
    always: bool = False

    @property
    def key(self) -> str:
        return self.to or self.name.lower()


@dataclass
class Grammar:
    """Arguments and flags of one keyword; ``short`` fixes abbreviations that several names share."""

    items: tuple[Arg | Flag, ...]
    short: dict[str, str] = field(default_factory=dict)
    generic: bool = False  # unknown arguments are kept as text
    refused: dict[str, str] = field(default_factory=dict)  # arguments that Adams has and nothing here does: why

    def __post_init__(self) -> None:
        self.args: dict[str, Arg] = {}
        for item in self.items:
            if isinstance(item, Arg):
                for name in (item.name, *item.aliases):
                    self.args[name] = item
        self.flags = {item.name: item for item in self.items if isinstance(item, Flag)}
        self.names = list(dict.fromkeys([*self.args, *self.flags]))
        self._cache: dict[tuple[str, bool], Arg | Flag | None] = {}

    def lookup(self, word: str, assigned: bool) -> Arg | Flag | None:
        key = (word, assigned)
        if key not in self._cache:
            table = self.args if assigned else self.flags
            try:
                full = resolve(word, table, self.short)
            except ArgumentError:
                items = [item for name, item in table.items() if name.startswith(word)]
                if any(item is not items[0] for item in items):
                    raise
                full = items[0].name  # several names of one argument
            found = table[full] if full else None
            if len(self._cache) > 1000 or len(word) > 40:
                return found
            self._cache[key] = found
        return self._cache[key]


def suggestion(word: str, names: Iterable[str]) -> str:
    found = difflib.get_close_matches(word.upper(), list(names), n=1, cutoff=0.6)
    return f"; did you mean {found[0]}?" if found else ""


def resolve(word: str, names: Iterable[str], short: dict[str, str] | None = None) -> str | None:
    """Full name of a possibly abbreviated word; None when nothing matches; raises on several matches."""
    key = word.upper()
    if not key:
        return None
    names = list(names)
    if key in names:
        return key
    if short and key in short and short[key] in names:
        return short[key]
    found = [n for n in names if n.startswith(key)]
    if len(found) > 1 and key:
        raise ArgumentError(f"'{word}' abbreviates {', '.join(found[:6])}; write more letters")
    return found[0] if found else None


def number(text: str) -> float:
    """A real number; degrees (suffix D) become radians.  Raises `ArgumentError`."""
    text = text.strip()
    if len(text) > 400:
        raise ArgumentError(f"'{text[:20]}...' is not a number")
    found = _NUMBER.match(text)
    if not found:
        raise ArgumentError(f"'{text[:40]}' is not a number; write it as 1.5, 1.5E-3 or, in degrees, 90D")
    mantissa, mark, exponent, degrees = found.groups()
    value = float(mantissa.replace(" ", "") + (f"E{exponent}" if mark else ""))
    if math.isinf(value):
        raise ArgumentError(f"'{text[:40]}' is too large a number")
    return math.radians(value) if degrees else value


def integer(text: str) -> int:
    text = text.strip()
    if _INTEGER.match(text):
        return int(text)
    try:
        value = number(text)
    except ArgumentError:
        value = math.nan
    if not math.isnan(value) and value == int(value) and abs(value) < 1e15 and text[-1] not in "dD":
        return int(value)
    raise ArgumentError(f"'{text[:40]}' is not a whole number")


def unquote(text: str) -> str:
    text = text.strip()
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    return text


class Scanner:
    """Walks over the text of a statement and yields (name, item, raw value, offset)."""

    def __init__(self, statement: Statement, grammar: Grammar | None) -> None:
        self.statement = statement
        self.text = statement.text
        self.at = 0
        self.grammar = grammar
        self.generic = grammar is None or grammar.generic

    # ---- names --------------------------------------------------------------------------------------------------
    def lookup(self, word: str, assigned: bool) -> Arg | Flag | None:
        """Argument (assigned) or flag of that name; raises on an ambiguous abbreviation."""
        return self.grammar.lookup(word.upper(), assigned) if self.grammar else None

    def is_flag(self, word: str) -> bool:
        try:
            return self.lookup(word, False) is not None
        except ArgumentError:
            return True

    def ends_words(self, word: str, item: Arg | None) -> bool:
        """Does a bare keyword behind a list of words begin the next argument?"""
        if _allowed(word, item):
            return False
        return self.is_flag(word) or (self.generic and item is not None and bool(item.choices))

    # ---- scanning -----------------------------------------------------------------------------------------------
    def skip(self) -> None:
        self.at = _SEPARATORS.match(self.text, self.at).end()

    def next(self) -> tuple[str, Arg | Flag | None, Any, int] | None:
        """Next argument, None at the end.  Raises `ArgumentError`; the scanner then is behind the bad argument."""
        self.skip()
        if self.at >= len(self.text):
            return None
        start = self.at
        assigned = _ASSIGN.match(self.text, start)
        if assigned:
            self.at = assigned.end()
            word = assigned[1]
            try:
                item = self.lookup(word, True)
            except ArgumentError as error:
                self.recover()
                raise ArgumentError(str(error), start) from None
            if item is None and not self.generic:
                self.recover()
                if self.lookup_quiet(word) is not None:
                    raise ArgumentError(f"argument {word.upper()} takes no value; remove '='", start)
                self.refuse(word, start)
                raise ArgumentError(f"unknown argument '{word.upper()}'{self.hint(word)}", start)
            kind = item.kind if item is not None else "raw"
            try:
                return word.upper(), item, self.value(kind, item), start
            except ArgumentError as error:
                if self.at <= assigned.end():
                    self.recover()
                raise ArgumentError(
                    f"{(item.name if item else word.upper())}: {error}", error.offset or start
                ) from None
        word_match = _NAME.match(self.text, start)
        if not word_match:
            shown = self.piece()
            raise ArgumentError(f"'{shown.strip()[:40]}' belongs to no argument; write NAME = value", start)
        self.at = word_match.end()
        rest = re.compile(r"[ \t]*(?=[,\n\\]|$)").match(self.text, self.at)
        if not rest:
            shown = word_match[0] + self.piece()
            raise ArgumentError(
                f"'{shown.strip()[:40]}' cannot be read; separate arguments by commas and give values by '='", start
            )
        word = word_match[0]
        try:
            item = self.lookup(word, False)
        except ArgumentError as error:
            raise ArgumentError(str(error), start) from None
        if item is None and not self.generic:
            try:
                known = self.lookup(word, True)
            except ArgumentError:
                known = None
            if known is not None:
                raise ArgumentError(f"argument {known.name} needs a value; write {known.name} = ...", start)
            self.refuse(word, start)
            raise ArgumentError(f"unknown argument '{word.upper()}'{self.hint(word)}", start)
        return word.upper(), item, None, start

    def lookup_quiet(self, word: str) -> Flag | None:
        try:
            return self.lookup(word, False)
        except ArgumentError:
            return None

    def refused(self, word: str) -> str:
        """Name of the argument that Adams has and nothing here does, for a word that abbreviates it; else empty."""
        names = self.grammar.refused if self.grammar else {}
        return next((n for n in names if n.startswith(word.upper()) and len(word) >= 4), "")

    def refuse(self, word: str, start: int) -> None:
        name = self.refused(word)
        if name and self.grammar:
            raise ArgumentError(f"argument {name} {NOT_HERE}: {self.grammar.refused[name]}", start)

    def hint(self, word: str) -> str:
        names = self.grammar.names if self.grammar else []
        kinds = (
            [item.name for item in self.grammar.items if isinstance(item, Flag) and item.key == "type"]
            if self.grammar
            else []
        )
        if kinds and not suggestion(word, names):
            if word.upper() == "TYPE":
                return f"; write the type as a keyword of its own, one of {', '.join(kinds)}"
            if not _ASSIGN.match(self.text, self.text.find(word)):
                return f"; remove it, or use a type that there is: {', '.join(kinds)}"
        choice = (
            next((a.name for a in self.grammar.args.values() if word.upper() in a.choices), None)
            if self.grammar
            else None
        )
        if choice:
            return f"; write {choice} = {word.upper()}"
        known = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
        return suggestion(word, names) or f"; remove it, or use one of {known}"

    def piece(self) -> str:
        """Text up to the next comma, line end or backslash."""
        start = self.at
        while self.at < len(self.text) and self.text[self.at] not in ",\n\\":
            self.at += 1
        if self.at == start and self.at < len(self.text):
            self.at += 1
        return self.text[start : self.at]

    def recover(self) -> None:
        """Behind an error: continue at the next argument."""
        while self.at < len(self.text):
            self.piece()
            self.skip()
            if _ASSIGN.match(self.text, self.at):
                return

    # ---- values -------------------------------------------------------------------------------------------------
    def value(self, kind: str, item: Arg | None) -> Any:
        if kind == "expr":
            start = self.at
            text = self.expression()
            fault = fault_of(text)
            if fault:
                raise ArgumentError(
                    f"{fault}; correct the expression '{text[:60]}{'...' if len(text) > 60 else ''}'", start
                )
            return text
        if kind == "text":
            return self.free_text()
        if kind == "line":
            return self.whole_text()
        start = self.at
        if kind == "raw":
            text = self.raw()
            if item is not None and not text:
                raise ArgumentError("the value is missing", start)
            return text
        pieces = self.list_items(kind, item)
        if kind == "pair":
            pair = _counted(tuple(number(p) if p else None for p in pieces), item)
            return (*pair, None)[:2]
        if not pieces:
            raise ArgumentError("the value is missing", start)
        if kind == "real":
            return number(_single(pieces))
        if kind == "int" or kind == "id":
            value = integer(_single(pieces))
            if kind == "id" and value < 0:
                raise ArgumentError(f"{value} is not an id; ids are positive whole numbers")
            return value
        if kind == "ids":
            found = _counted(tuple(integer(p) for p in pieces), item)
            if any(n < 0 for n in found):
                raise ArgumentError(f"{min(found)} is not an id; ids are positive whole numbers")
            return found
        if kind == "reals":
            return _counted(tuple(map(number, pieces)), item)
        if kind == "word":
            return _choose(_single(pieces), item)
        if kind == "words":
            words = [w.strip() for p in pieces for w in unquote(p).strip("()").split(":") if w.strip()]
            if not words:
                raise ArgumentError("the value is missing", start)
            return _counted(tuple(_choose(w, item) for w in words), item)
        if kind == "bool":
            word = _single(pieces).upper()
            if word in ("ON", "TRUE", "YES", "T", "1"):
                return True
            if word in ("OFF", "FALSE", "NO", "F", "0"):
                return False
            raise ArgumentError(f"'{word}' is neither ON nor OFF")
        if kind == "strings":
            return _counted(tuple(unquote(p) for p in pieces), item)
        if kind == "value":  # numbers, ids or text, as they come
            out = tuple(_value(p) for p in pieces)
            return out[0] if len(out) == 1 else out
        raise AssertionError(kind)

    def list_items(self, kind: str, item: Arg | None) -> list[str]:
        """Items of a list up to the next argument."""
        text, out = self.text, []
        size = len(text)
        numeric = kind in ("int", "id", "ids", "real", "reals", "pair")
        if kind == "pair":  # ``IC = , 3``: an empty first position
            k = self.at
            while k < size and text[k] in " \t":
                k += 1
            if k < size and text[k] == ",":
                out.append("")
        while True:
            mark = self.at
            self.skip()
            if self.at >= size:
                break
            char = text[self.at]
            if char.isascii() and (char.isalpha() or char == "_"):
                if _ASSIGN.match(text, self.at):
                    self.at = mark
                    break
                if out and kind != "strings" and not (numeric and out[0][:1].isalpha()):
                    word = _NAME.match(text, self.at)[0]
                    if (
                        numeric
                        or kind == "word"
                        or kind == "bool"
                        or (kind in ("words", "value") and self.ends_words(word, item))
                    ):
                        self.at = mark
                        break
            out.append(self.item_text())
            if len(out) > MAX_PARTS:
                raise ArgumentError(f"more than {MAX_PARTS} values")
            k = self.at
            while k < size and text[k] in " \t\n":
                k += 1
            if k < size and text[k] == "\\":
                self.at = k
                break
        return out

    def item_text(self) -> str:
        """One list item: up to a comma, line end or backslash outside of quotes and parentheses."""
        text, start, depth = self.text, self.at, 0
        size = len(text)
        k = start
        if k < size and text[k] in "\"'":
            close = text.find(text[k], k + 1)
            newline = text.find("\n", k)
            if close > 0 and (newline < 0 or close < newline):
                self.at = close + 1
                return text[start : close + 1]
        while k < size:
            c = text[k]
            if c in "\n\\" or (c == "," and depth <= 0):
                break
            if c == "(":
                depth += 1
            elif c == ")":
                depth -= 1
            k += 1
        self.at = max(k, start + 1) if k < size else k
        return text[start:k].strip()

    def expression(self) -> str:
        """Raw text of a function up to a backslash or the next argument; blanks are run together."""
        text, size = self.text, len(self.text)
        out: list[str] = []
        k, depth, quote = self.at, 0, ""
        while k < size:
            c = text[k]
            if quote:
                if c == "\n":
                    raise self._fail(k, "a quote is not closed")
                out.append(c)
                quote = "" if c == quote else quote
                k += 1
                continue
            if c == "\\":
                break
            if c in "\"'":
                quote = c
                out.append(c)
            elif c == "(":
                depth += 1
                if depth > MAX_DEPTH:
                    raise self._fail(k, f"parentheses are nested deeper than {MAX_DEPTH}")
                out.append(c)
            elif c == ")":
                depth -= 1
                if depth < 0:
                    raise self._fail(k, "a closing parenthesis has no opening one; remove it")
                out.append(c)
            elif c == "=":
                raise self._fail(
                    k, "a parenthesis is not closed before '='" if depth else "'=' is not allowed in an expression"
                )
            elif c == "\n" or c == ",":
                after = _SEPARATORS.match(text, k).end() if depth == 0 else k
                if depth == 0:
                    if after >= size or text[k:after].find("\\") >= 0:
                        k = after
                        break
                    if self._argument_at(after):
                        k = after
                        break
                    if "\n" not in text[k:after]:
                        raise self._fail(k, "a comma outside of parentheses; an argument NAME = value should follow it")
                    out.append(" ")
                    k = after
                    continue
                if c == ",":
                    out.append(c)
                else:
                    k = self._joint(k, out)
                    continue
            else:
                out.append(c)
            k += 1
        self.at = k
        if depth > 0:
            raise ArgumentError(f"{depth} parenthes{'is is' if depth == 1 else 'es are'} not closed")
        if quote:
            raise ArgumentError("a quote is not closed")
        value = " ".join("".join(out).split())
        if not value:
            raise ArgumentError("the expression is missing")
        return value

    def _fail(self, k: int, text: str) -> ArgumentError:
        self.at = k + 1
        self.recover()
        return ArgumentError(text, k)

    def _argument_at(self, k: int) -> bool:
        """Does an argument of this statement begin here?"""
        if _ASSIGN.match(self.text, k):
            return True
        word = _NAME.match(self.text, k)
        if not word:
            return False
        tail = self.text[word.end() : word.end() + 200].lstrip(" \t")
        return (not tail or tail[0] in ",\n\\") and (self.is_flag(word[0]) or bool(self.refused(word[0])))

    def _joint(self, k: int, out: list[str]) -> int:
        """Inside parentheses at a line end: drop the continuation comma, or keep it where a separator is missing."""
        text, size = self.text, len(self.text)
        while k < size and text[k] in " \t\n":
            k += 1
        if k < size and text[k] == ",":
            k += 1
            before = next((c for piece in reversed(out) for c in reversed(piece) if not c.isspace()), "")
            m = k
            while m < size and text[m] in " \t":
                m += 1
            if before and m < size and _OPERAND.match(before) and _OPERAND_START.match(text[m]):
                out.append(",")
        out.append(" ")
        return k

    def free_text(self) -> str:
        """Text up to the next ``, NAME =`` of this statement or the line end."""
        text = self.text
        end = text.find("\n", self.at)
        end = len(text) if end < 0 else end
        start = self.at
        lead = start + len(text[start:end]) - len(text[start:end].lstrip(" \t"))
        if lead < end and text[lead] in "\"'":
            close = text.find(text[lead], lead + 1, end)
            if close > 0:
                self.at = close + 1
                return text[lead + 1 : close]
        stop = end
        k = text.find(",", start, end)
        while k >= 0:
            after = _SEPARATORS.match(text, k).end()
            assigned = _ASSIGN.match(text, after)
            if assigned and (self.generic or self._known(assigned[1])):
                stop = k
                break
            k = text.find(",", k + 1, end)
        self.at = stop
        return self.text[start:stop].strip().rstrip("\\").strip()

    def _known(self, word: str) -> bool:
        try:
            return self.lookup(word, True) is not None
        except ArgumentError:
            return True

    def whole_text(self) -> str:
        """All the rest of the statement as text (STRING)."""
        lines = self.text[self.at :].split("\n")
        self.at = len(self.text)
        out = [lines[0].strip()]
        for line in lines[1:]:
            stripped = line.strip()
            out.append(stripped[1:].lstrip() if stripped.startswith(",") else stripped)
        return unquote(" ".join(p for p in out if p).rstrip("\\").strip())

    def raw(self) -> str:
        """Text of the value up to the next ``NAME =``, a bare keyword behind a comma, or a backslash; blanks run
        together.
        """
        text, size = self.text, len(self.text)
        k, depth = self.at, 0
        out: list[str] = []
        while k < size:
            c = text[k]
            if c == "\\":
                break
            if c == "(":
                depth += 1
            elif c == ")":
                depth = max(0, depth - 1)
            elif c in "\"'":
                close = text.find(c, k + 1)
                newline = text.find("\n", k)
                if close > 0 and (newline < 0 or close < newline):
                    out.append(text[k : close + 1])
                    k = close + 1
                    continue
            elif c in ",\n" and depth == 0:
                after = _SEPARATORS.match(text, k).end()
                if after >= size or "\\" in text[k:after] or text[after].isalpha() and self._raw_stop(after):
                    break
                if out and "".join(out[-1:]).strip():
                    out.append(", ")
                k = after
                continue
            elif c == "\n":
                k = self._joint(k, out)
                continue
            out.append(c)
            k += 1
        self.at = k
        return " ".join("".join(out).split())

    def _raw_stop(self, k: int) -> bool:
        if _ASSIGN.match(self.text, k):
            return True
        word = _NAME.match(self.text, k)
        if not word:
            return False
        tail = self.text[word.end() : word.end() + 200].lstrip(" \t")
        return not tail or tail[0] in ",\n\\"


@functools.lru_cache(maxsize=4096)
def fault_of(text: str) -> str:
    """What is wrong with the syntax of a function expression; empty when nothing is.

    Names are resolved at compilation.
    """
    from ...expressions import ExpressionError, parse

    try:
        parse(text)
    except ExpressionError as error:
        return str(error)
    return ""


def _value(text: str) -> Any:
    text = text.strip()
    if _INTEGER.match(text):
        return int(text)
    try:
        return number(text)
    except ArgumentError:
        return unquote(text)


def _single(pieces: list[str]) -> str:
    if len(pieces) != 1:
        raise ArgumentError(f"takes one value, got {len(pieces)}: {', '.join(pieces[:4])}")
    return pieces[0]


def _counted(values: tuple, item: Arg | None) -> tuple:
    if item is not None and item.counts is not None and len(values) not in item.counts:
        wanted = (
            " or ".join(map(str, item.counts)) if len(item.counts) < 4 else f"{item.counts[0]} to {item.counts[-1]}"
        )
        raise ArgumentError(f"takes {wanted} values, got {len(values)}")
    return values


def _allowed(word: str, item: Arg | None) -> bool:
    return item is not None and any(c.startswith(word.upper()) for c in item.choices)


def _choose(word: str, item: Arg | None) -> str:
    word = unquote(word)
    if item is None or not item.choices:
        return word
    full = resolve(word, item.choices)
    if full is None:
        raise ArgumentError(f"'{word[:40]}' is not one of {', '.join(item.choices)}{suggestion(word, item.choices)}")
    return full
