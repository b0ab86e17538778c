"""Which files of Adams a model requests: the statements RESULTS and OUTPUT, as in the Adams Solver manual.

RESULTS requests the results file (``.res``), OUTPUT/REQSAVE for the request file (``.req``), OUTPUT/GRSAVE for the
graphics file (``.gra``); tables of requests (``.out``) come unless OUTPUT/NOPRINT, and the messages (``.msg``) always.
A model that has neither statement requests nothing.  `results.files.adams_files` writes them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

#: arguments of RESULTS that leave a part of the results file out
LEFT_OUT = (
    "NOACCELERATIONS",
    "NOAPPLIEDFORCES",
    "NOCONTACTS",
    "NODATASTRUCTURES",
    "NODISPLACEMENTS",
    "NOFLOATINGMARKERS",
    "NOLINEAR",
    "NOREACTIONFORCES",
    "NOREQUESTS",
    "NOSYSTEMELEMENTS",
    "NOTIRES",
    "NOVELOCITIES",
)
RESULTS = (*LEFT_OUT, "COMMENT", "DECIMALPLACES", "FORMATTED", "XRF")
OUTPUT = ("YPR", "REQSAVE", "GRSAVE", "NOPRINT", "PRINT", "NOSEPARATOR", "NOREQSAVE", "NOGRSAVE")


@dataclass
class AdamsOutput:
    """Files that are requested.

    ``left_out``: arguments NO... of RESULTS; ``decimals`` of its numbers (None: all that distinguish them);
    ``yaw_pitch_roll``: OUTPUT/YPR, angles of displacements of requests are yaw, pitch and roll instead of psi, theta
    and phi; ``notes``: what of the statements is not done, one sentence each.
    """

    results: bool = False
    requests: bool = False
    tables: bool = False
    messages: bool = False
    left_out: set[str] = field(default_factory=set)
    decimals: int | None = None
    yaw_pitch_roll: bool = False
    comment: str = ""
    notes: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, preferences: dict[str, tuple[tuple[str, str], ...]]) -> AdamsOutput:
        """From the statements of preferences of a model; later arguments win."""
        out = cls()
        given = {word: preferences.get(word) for word in ("RESULTS", "OUTPUT")}
        out.messages = out.tables = any(arguments is not None for arguments in given.values())
        if given["RESULTS"] is not None:
            out._results(given["RESULTS"])
        out._output(given["OUTPUT"] or ())
        return out

    def _results(self, arguments: tuple[tuple[str, str], ...]) -> None:
        self.results = True
        xml = False
        for name, text in arguments:
            word = _full(name, RESULTS)
            if word in LEFT_OUT:
                self.left_out.add(word)
            elif word == "XRF":
                xml = True
            elif word == "COMMENT":
                self.comment = text
            elif word == "DECIMALPLACES":
                self._decimals(text)
            elif word != "FORMATTED":
                self.notes.append(f"RESULTS: {name}{' = ' + text if text else ''} has no influence and is ignored")
        if not xml:
            self.notes.append(
                "RESULTS without XRF requests a layout of Adams' own that is not published; the results file is "
                "written as with XRF"
            )

    def _decimals(self, text: str) -> None:
        try:
            self.decimals = int(text)
        except ValueError:
            self.decimals = -1
        if not 0 <= self.decimals <= 30:
            self.notes.append(
                f"RESULTS: DECIMALPLACES = {text} is not a number of decimal places; numbers are written in full"
            )
            self.decimals = None

    def _output(self, arguments: tuple[tuple[str, str], ...]) -> None:
        pictures = False
        for name, text in arguments:
            word = _full(name, OUTPUT)
            if word in ("REQSAVE", "NOREQSAVE"):
                self.requests = word == "REQSAVE"
            elif word in ("PRINT", "NOPRINT"):
                self.tables = word == "PRINT"
            elif word == "YPR":
                self.yaw_pitch_roll = True
            elif word in ("GRSAVE", "NOGRSAVE"):
                pictures = word == "GRSAVE"
            elif word != "NOSEPARATOR":
                self.notes.append(f"OUTPUT: {name}{' = ' + text if text else ''} has no influence and is ignored")
        if pictures:
            self.notes.append(
                "OUTPUT: GRSAVE requests a graphics file (.gra), whose layout is not published; it is not written "
                "(take the report)"
            )


def _full(name: str, words: tuple[str, ...]) -> str:
    """The keyword that ``name`` is or, with three letters or more, begins; empty where there is none or several."""
    name = name.upper()
    if name in words:
        return name
    found = [word for word in words if word.startswith(name)] if len(name) >= 3 else []
    return found[0] if len(found) == 1 else ""
